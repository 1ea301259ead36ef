# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of GPU debugging reach a server on another host, which was started by hand and has none in its environment.

remote_settings.py BUILD PROGRAMS FOLDER STOCK_SERVER [LIBRARY]: with LIBRARY, a debug library is named that way, and no other setting is tried."""
import atexit
import itertools
import os
import re
import subprocess
import sys

from far import HERE, PORT, THERE, Far, wait

build, programs, folder, stock = sys.argv[1:5]
for name in ("WAVELANE_DEVICE", "WAVELANE_DBGAPI_LIBRARY", "WAVELANE_EXCEPTIONS"):
    os.environ.pop(name, None)
SERVER = f"{build}/bin/lldb-server"
ports = itertools.count(PORT)
far = Far(folder)
atexit.register(far.end)


def lldb(program, settings, *commands):
    """The output of LLDB and the program, by line, without parts that differ in each run."""
    words = [f"{build}/bin/lldb", "--no-lldbinit", "-b", program]
    for command in [*(f"settings set plugin.process.amdgpu.{setting}" for setting in settings), *commands]:
        words += ["-o", command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return [line for line in done.stdout.splitlines() if not line.startswith("(lldb)")]


def show(title, lines, *wanted):
    print(f"{title}:")
    for line in lines:
        if any(re.search(pattern, line) for pattern in wanted):
            print(" ", line.strip())


def by_gdb_remote(program, *arguments, settings=(), commands=("continue",), server=SERVER, inspect=None):
    """The server has started the program before the client connects."""
    port = next(ports)
    child = far.start(server, "gdbserver", f"{HERE}:{port}", "--", program, *arguments)
    wait(lambda: far.listens(port), "server")
    lines = lldb(program, settings, f"gdb-remote {THERE}:{port}", *commands)
    child.wait(60)
    return lines


def by_platform(program, *arguments, settings=(), commands=("run",)):
    port, program_port = next(ports), next(ports)
    child = far.start(SERVER, "platform", "--server", "--listen", f"{HERE}:{port}", "--gdbserver-port", str(program_port))
    wait(lambda: far.listens(port), "platform")
    run = [f"{command} {' '.join(arguments)}" if command == "run" else command for command in commands]
    lines = lldb(program, settings, "platform select remote-linux", f"platform connect connect://{THERE}:{port}", *run)
    child.kill()
    child.wait(60)
    return lines


# Except the stop at the program's start.
STOP = "stop reason = (?!signal SIGSTOP)|exited with"
if len(sys.argv) > 5:
    port = next(ports)
    child = far.start(SERVER, "gdbserver", f"{HERE}:{port}", "--", f"{programs}/saxpy-O0")
    wait(lambda: far.listens(port), "server")
    loaded = ("script print('loaded there:', *sorted({line.split()[-1] for line in open('/proc/%d/maps') if 'dbgapi' in line}))" % child.pid)
    show("library", lldb(f"{programs}/saxpy-O0", [f"library {sys.argv[5]}"], "breakpoint set -n saxpy", f"gdb-remote {THERE}:{port}",
                         "continue", loaded, "breakpoint delete -f", "continue"), STOP, "loaded there", "saxpy: ")
    child.wait(60)
    sys.exit()

# Exceptions. Accesses beyond local memory only stop a wave if the user has asked for it.
local = (f"{programs}/exceptions-O0", "local")
RANGE = "local-range-exceptions true"
show("gdb-remote", by_gdb_remote(*local), STOP)
show("gdb-remote, local range", by_gdb_remote(*local, settings=[RANGE]), STOP)
show("platform, local range", by_platform(*local, settings=[RANGE]), STOP)
show("gdb-remote, precise arithmetic", by_gdb_remote(f"{programs}/saxpy-O0", settings=["precise-alu-exceptions true"]), "are off", STOP)

# A program that is already running.
program = far.start(f"{build}/bin/wavelane-run", f"{programs}/attach", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
assert program.stdout.readline() == b"started\n"
show("attach, library", by_platform(f"{programs}/attach", settings=["library /nowhere/library.so"],
                                    commands=[f"process attach -p {program.pid}", "process detach"]), "warning")
program.kill()

# The library.
show("platform, library", by_platform(f"{programs}/saxpy-O0", settings=["library /nowhere/library.so"]), "warning", STOP)
show("gdb-remote, library", by_gdb_remote(f"{programs}/saxpy-O0", settings=["library /nowhere/library.so"]), "warning", STOP)

# The device: for a program that the server starts for the client, and for one that it started before.
show("platform, device", by_platform(f"{programs}/saxpy-O0", settings=["device hardware"]), "warning", "hip[A-Z]\\w+:", STOP)
show("gdb-remote, device", by_gdb_remote(f"{programs}/saxpy-O0", settings=["device hardware"]), "warning", STOP)

# LLDB's own server.
show("stock", by_gdb_remote(f"{programs}/saxpy-O0", settings=["device simulated"], server=stock), "warning", "exited with")
show("stock, no settings", by_gdb_remote(f"{programs}/saxpy-O0", server=stock), "warning", "exited with")
