# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets AMD's runtime write the core of a GPU, FOLDER/gpucore.1: amd_gpucore.py FOLDER LIBRARIES COMMAND..."""
import glob
import os
import resource
import subprocess
import sys

folder, libraries, *command = sys.argv[1:]


def allow_cores():
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    # The kernel's own core, of the host, needs no memory.
    with open("/proc/self/coredump_filter", "w", encoding="ascii") as file:
        file.write("0")


ended = subprocess.run(command, cwd=folder, env={**os.environ, "LD_LIBRARY_PATH": libraries}, preexec_fn=allow_cores, check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print("ended:", ended.returncode)
written = glob.glob(os.path.join(folder, "gpucore.*"))
if not written:
    sys.exit(ended.stdout)
os.rename(written[0], os.path.join(folder, "gpucore.1"))
