# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with AMD's runtime that end while their waves run: their device ends as well. And the other way round."""
import os
import select
import signal
import subprocess
import sys

run, programs = sys.argv[1:3]


def start(*command, **options):
    return subprocess.Popen([run, "--runtime", "amd", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)


def start_waves(**options):
    """A program whose waves run until it reads another line."""
    started = start(f"{programs}/attach-cov4", **options)
    started.stdout.readline()
    started.stdin.write("\n")
    started.stdin.flush()
    started.stdout.readline()
    return started


def device_of(program):
    """A descriptor of the device's process."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if words[0].endswith("wavelane-gpu") and words[words.index("--pid") + 1] == str(program.pid):
            return os.pidfd_open(int(pid))
    raise SystemExit("there is no device")


print("leaves:", start(f"{programs}/faults-cov4", "endless", "leave").wait(60))

program = start_waves()
device = device_of(program)
program.kill()
print("killed:", program.wait(60))
assert select.select([device], [], [], 60)[0], "the device still runs"

# This runtime waits for its GPU without an end of its own.
program = start_waves(stderr=subprocess.PIPE)
signal.pidfd_send_signal(device_of(program), signal.SIGKILL)
_, errors = program.communicate("\n", timeout=60)
print("lost:", program.returncode, errors.strip())
