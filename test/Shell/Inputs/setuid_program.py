# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A setuid program of root's that nobody starts with variables of ours: none of them is followed.

setuid_program.py BUILD FOLDER"""
import os
import subprocess
import sys

NOBODY = 65534
build, folder = sys.argv[1:]
library = os.path.join(build, "lib", "wavelane")
source, program = os.path.join(folder, "count.c"), os.path.join(folder, "count")
with open(source, "w") as file:
    file.write("""#include <stdio.h>
int hipGetDeviceCount(int *);
int hipMalloc(void **, unsigned long);
int main(void) {
  int count = 0;
  void *memory = 0;
  int error = hipGetDeviceCount(&count);
  printf("devices: %d, error %d, allocates: %d\\n", count, error, hipMalloc(&memory, 4096));
  return 0;
}
""")
subprocess.run(["cc", "-o", program, source, f"-L{library}", "-l:libamdhip64.so.5", f"-Wl,-rpath,{library}"], check=True)
os.chmod(program, 0o4755)
os.chmod(folder, 0o777)
mark = os.path.join(folder, "it-ran")
evil = os.path.join(folder, "evil")
with open(evil, "w") as file:
    file.write(f"#!/bin/sh\nid -u > {mark}\n")
os.chmod(evil, 0o755)


def demote():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def run(**variables):
    for name in ("it-ran", "checks", "record"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)
    done = subprocess.run([program], preexec_fn=demote, env={"PATH": folder + ":/usr/bin:/bin", **variables}, capture_output=True, text=True)
    written = [name for name in ("it-ran", "checks", "record") if os.path.exists(os.path.join(folder, name))]
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1:], written


print("plain:", *run())
print("WAVELANE_GPU:", *run(WAVELANE_GPU=evil))
print("WAVELANE_CHECK_FOLDER:", *run(WAVELANE_CHECK="memory", WAVELANE_CHECK_FOLDER=os.path.join(folder, "checks")))
print("WAVELANE_RECORD:", *run(WAVELANE_RECORD=os.path.join(folder, "record")))
# A private folder of root's, in which it would make its sockets.
private = os.path.join(folder, "private")
os.mkdir(private, 0o700)
print("WAVELANE_RUNTIME_DIR:", *run(WAVELANE_RUNTIME_DIR=private + "/made"), os.listdir(private))
print("XDG_RUNTIME_DIR:", *run(XDG_RUNTIME_DIR=private), os.listdir(private))
# Without the mode, the same variables are followed.
os.chmod(program, 0o755)
os.environ["WAVELANE_GPU"] = evil
subprocess.run([program], capture_output=True)
print("without setuid:", "it runs" if os.path.exists(mark) else "it doesn't run")
