# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waves that wait for memory, which other ranks may have: where, for what, and who waits for whom.

usage: job_flags.py LAUNCHER PROGRAMS SCHEMA FOLDER
"""
import json
import os
import re
import sys

import jsonschema

from job_session import JobSession, line_of

launcher, programs, schema_path, folder = sys.argv[1:5]
os.makedirs(folder, exist_ok=True)
source = os.path.join(os.path.dirname(__file__), "..", "..", "programs", "hip", "flags.hip")
names = {f"flags.hip:{line_of(source, text)}": f"the line that {what}"
         for text, what in (("until another rank", "waits"), ("counts its turns", "counts"))}
with open(schema_path) as file:
    schema = json.load(file)


def run(title, program, runtime, path, **environment):
    print("==", title)
    os.environ.update(environment)
    with JobSession(launcher) as s:
        s.debugger.CreateTarget(program)
        s.command(f"settings set plugin.process.amdgpu.runtime {runtime}")
        s.launch(3, program, path, "hang", options="--stop-at-entry")
        s.run_until(lambda: s.command("rank waits").count("for memory at") >= 3)
        text = re.sub("0x[0-9a-f]{6,}", "ADDRESS", s.command("rank waits"))
        for place, name in names.items():
            text = text.replace(place, name)
        print(text.replace(folder, "FOLDER"), end="")
        value = s.json("rank waits --json")
        jsonschema.Draft202012Validator({"$defs": schema["$defs"], **schema["properties"]["rank waits"]}).validate(value)
        print("shared:", [(one["offset"], one["shared_with"]) for one in value if "file" in one])
        s.command("job kill")
    for name in environment:
        del os.environ[name]


# A file that ranks 0 and 1 have, for which the GPU has the host's addresses.
with open(f"{folder}/flags", "wb") as file:
    file.truncate(4096)
run("shared", f"{programs}/flags-cov4", "amd", f"{folder}/flags", HSA_XNACK="1")
for gpu in "gfx90a", "gfx1100":
    run(gpu, f"{programs}/flags-O0", "wavelane", "''", WAVELANE_PROCESSOR=gpu)
