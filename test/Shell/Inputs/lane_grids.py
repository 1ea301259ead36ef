# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of lanes, progress of kernels, and progress of slow commands."""
import json
import os
import re
import sys
import tempfile
import threading

import lldb
import psutil
from stops import Session
from why import whether

build, programs = sys.argv[1:]


def show(text, lines=99):
    for line in text.splitlines()[:lines]:
        print("|" + line.rstrip().replace("\033", "^"))


def report_progress(listener, title):
    """How much was done, and the total, in each event received."""
    event, reported = lldb.SBEvent(), []
    while listener.GetNextEvent(event):
        data = lldb.SBDebugger.GetProgressDataFromEvent(event)
        if data.GetValueForKey("title").GetStringValue(99) == title:
            reported.append((data.GetValueForKey("completed").GetUnsignedIntegerValue(), data.GetValueForKey("total").GetUnsignedIntegerValue()))
    return reported


folder = tempfile.TemporaryDirectory()
# What LLDB starts as its server passes everything on: LLDB doesn't see that the real one is stopped.
os.environ["LLDB_DEBUGSERVER_PATH"] = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "long", "Inputs", "packet_proxy.py")
os.environ["PACKET_PROXY"] = json.dumps({"do": "record", "server": f"{build}/bin/lldb-server", "folder": folder.name, "file": os.devnull})
with Session(f"{programs}/stops-O0", "diverge") as s:
    s.command("settings set use-color false")
    s.at("odd")
    s.run()
    s.command("thread lane select 5")
    print("== list")
    show(s.command("thread lane list --grid"), 6)
    print("== list without")
    show(s.command("thread lane list"), 2)
    print("== print")
    show(s.command("thread lane print --all --grid lane"), 5)
    print("== one value")
    show(s.command("thread lane print --grid 7"), 9)
    s.command("settings set use-color true")
    print("== color")
    show(s.command("thread lane list"), 6)
    show(s.command("thread lane print lane"), 5)
    show(s.command("thread lane print 7"), 1)
    show(s.command("thread lane list --no-grid"), 2)
    print("== json", json.loads(s.command("thread lane list --json"))["focus"])

    # Two seconds and more: sleeping can't be faster.
    s.command("settings set use-color false")
    listener = lldb.SBListener("progress")
    s.debugger.GetBroadcaster().AddListener(listener, lldb.SBDebugger.eBroadcastBitProgress)
    s.command("thread lane apply 0-3 frame variable lane")
    s.command("thread lane apply all script import time; time.sleep(0.05)")
    reported = report_progress(listener, "Running a command in each lane")
    print("== progress", whether(len(reported) > 2 and reported == sorted(reported), reported), reported[-1] if reported else None)
    # A server that doesn't answer for three seconds.
    s.command("settings set plugin.process.gdb-remote.packet-timeout 120")
    servers = [child for child in psutil.Process().children(recursive=True) if child.name() == "lldb-server"]
    for server in servers:
        server.suspend()
    threading.Timer(3, lambda: [server.resume() for server in servers]).start()
    print("listed", sorted({wave["kernel"] for wave in json.loads(s.command("gpu wave list --json"))}))
    reported = report_progress(listener, "Listing waves")
    print("progress of a slow list:", whether(reported, reported))
del os.environ["LLDB_DEBUGSERVER_PATH"]

with Session(f"{programs}/saxpy-O0") as s:
    s.command("settings set use-color false")
    s.command("breakpoint set -f saxpy.hip -l 13")
    s.run()
    s.command("thread lane select 5")
    s.command("expression t = __builtin_nanf(\"\")")
    print("== no numbers")
    show(s.command("thread lane print --grid t"), 6)
    print("== division by zero")
    for text in "-1.0 / i", "t - t + 0.0f / (i - i)", "7.0 / 2", "6 / i", "6 % i":
        show(s.command(f"thread lane print --no-grid --lanes 0,2 {text}"))

with Session(f"{programs}/compute-O0") as s:
    s.command("settings set use-color false")
    s.command("breakpoint set -n places")
    s.run()
    print("== rows of the workgroup")
    show(s.command("thread lane list --grid"), 4)

# More workgroups than the GPU has room for.
os.environ["WAVELANE_CUS"] = "2"
with Session(f"{programs}/many", "1000") as s:
    print("== workgroups")
    s.command("breakpoint set -p '// counted' -f many.hip -c 'blockIdx.x == 500'")
    print(s.run())
    progress = json.loads(s.command("gpu dispatch list --json"))[0]["progress"]
    running = json.loads(s.command("gpu workgroup list --json"))
    done, total = progress["done"], progress["workgroups"]
    print("sum", done + progress["running"] + progress["waiting"], "of", total,
          "running:", whether(progress["running"] == len(running), progress, len(running)),
          "done, not all:", whether(0 < done <= 500 and progress["waiting"] > 0, progress))
    # They begin in order.
    last = max(group["workgroup"][0] for group in running)
    begun = done + progress["running"]
    print("begun:", whether(begun >= last + 1 if progress["exact"] else begun == last + 1, progress, f"last {last}"))
    print("exact:", whether(progress["exact"] == ("WAVELANE_DBGAPI_LIBRARY" not in os.environ), progress))
    text = s.command("gpu dispatch list")
    print(text.splitlines()[0])
    found = re.search(r"(at least )?\d+ of 1000 workgroups done, \d+ running, (at most )?\d+ waiting \[=+-+\.+\]", text)
    print("a bar:", whether(found, text))
