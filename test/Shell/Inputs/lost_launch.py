# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A platform's lldb-server dies at a request of a program's start.

lost_launch.py BUILD PROGRAM FOLDER VARIABLE REQUEST: VARIABLE is one of rewriting_server.py."""
import os
import subprocess
import sys
import time

build, program, folder, variable, request = sys.argv[1:]
server, port_file = f"{build}/bin/lldb-server", f"{folder}/port"
dies = dict(os.environ, LLDB_DEBUGSERVER_PATH=os.path.join(os.path.dirname(os.path.realpath(__file__)), "rewriting_server.py"), LLDB_SERVER=server,
            **{variable: request})
platform = subprocess.Popen([server, "platform", "--server", "--listen", "127.0.0.1:0", "--socket-file", port_file], env=dies, cwd=folder)
try:
    end = time.monotonic() + 30
    while not (os.path.exists(port_file) and os.path.getsize(port_file)) and time.monotonic() < end:
        time.sleep(0.05)
    with open(port_file) as file:
        port = file.read().strip("\0\n")
    subprocess.run([f"{build}/bin/lldb", "--no-lldbinit", "-b", "-o", "platform select remote-linux", "-o", f"platform connect connect://127.0.0.1:{port}",
                    "-o", f"file {program}", "-o", "run"], stderr=subprocess.STDOUT, timeout=60)
finally:
    platform.kill()
    platform.wait()
