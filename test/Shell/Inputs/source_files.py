# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debug information that names a device, a pipe or a file of many gigabytes as its source: LLDB shows none of its text, and goes on.

source_files.py BUILD FOLDER COMPILER"""
import os
import resource
import subprocess
import sys

build, folder, compiler = sys.argv[1:]
PIPE, HUGE = f"{folder}/pipe.c", f"{folder}/huge.c"
os.mkfifo(PIPE)
with open(HUGE, "wb") as file:
    file.truncate(20 << 30)
COMMANDS = ("breakpoint set -n main", "breakpoint set -p nothing", "run", "next", "frame variable x", "bt", "version", "source list", "source list -n main")


def limit():
    """What has no end would take all memory."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


for name, path in ("device", "/dev/zero"), ("pipe", PIPE), ("huge file", HUGE), ("terminal", "/dev/tty"), ("folder", folder):
    program = f"{folder}/program"
    subprocess.run([compiler, "-g", "-x", "c", "-", "-o", program], input=f'#line 1 "{path}"\nint main(void) {{\nint x = 5;\nreturn x; }}\n', text=True, check=True)
    words = [word for command in COMMANDS for word in ("-o", command)]
    try:
        done = subprocess.run([f"{build}/bin/lldb", "-X", "--batch", *words, program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=60, preexec_fn=limit if name == "device" else None)
        said = done.stdout
    except subprocess.TimeoutExpired:
        said = "hangs"
    good = all(text in said for text in ("stop reason = breakpoint", "(int) x = 5", "stop reason = step over", "lldb version"))
    print(f"{name}:", "shown without text" if good else said[-600:])
