# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A wave whose frames a script decorates: lanes and their variables are the same in those frames."""
import os
import sys
from stops import HERE, Session

program, gpu = sys.argv[1], sys.argv[2]
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    def frames():
        return [frame.GetDisplayFunctionName().split("(")[0] for frame in s.waves.GetSelectedThread()]

    def show(*commands):
        for text in commands:
            print(f"{text}:", " ".join(s.command(text).split()))

    s.at("follow", source="paths.hip")
    s.run()
    show("thread lane select 17")
    print("plain:", frames())
    s.command(f"command script import {os.path.join(HERE, 'frame_provider.py')}")
    print(s.command("target frame-provider register -C frame_provider.Provider"))
    print("decorated:", frames())
    show("frame variable place", "frame variable *point", "frame variable *place", "thread lane print --lanes 4,17 *place", "thread lane print --lanes 4,17 *place + 1")
    show("frame select 2", "frame variable i own[1].x", "thread lane print --lanes 4,17 i", "p i + 1", "expression i = 170", "frame variable i", "register read lane")
    show("thread lane select 4", "frame variable i")
    print("decorated:", frames())
    show("frame select 1", "frame variable i own[1]", "thread lane print --lanes 4,17 own[1].x", "frame select 3", "frame variable", "frame variable i", "thread lane print i")
    print(" ".join(s.command("bt").split()))
    s.command("target frame-provider clear")
    s.command("target frame-provider register -C frame_provider.Provider -k hide -v yes")
    print("hidden:", frames())
    show("frame select 1", "frame variable i own[1]", "thread lane select 5", "frame variable i own[1]", "thread lane select 4")
    s.command("target frame-provider clear")
    s.command("target frame-provider register -C frame_provider.Provider")
    show("frame select 0", "frame variable *place")
    print("finish:", s.step("finish"), frames())
    show("frame variable sum")
    print("next:", s.step())
    print("finish:", " ".join(s.command("finish").split()))
    print("host:", any(frame.GetFunctionName() == "main" for frame in s.host.GetProcess().GetThreadAtIndex(0)))
    s.command("target frame-provider clear")
    print("plain:", frames())
