# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same calls with Wavelane's runtime and with AMD's, side by side, in milliseconds; and what an idle program and its
device cost the machine. Arguments: the build folder, the program of runtimes.hip."""
import os
import subprocess
import sys
import time

build, program = sys.argv[1:]


def device_of(pid):
    """The wavelane-gpu of the program."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"wavelane-gpu") and b"--pid" in words and words[words.index(b"--pid") + 1] == str(pid).encode():
            return name
    return None


def processor_time(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def run(runtime):
    found = {}
    with subprocess.Popen([f"{build}/bin/wavelane-run", "--runtime", runtime, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        for line in process.stdout:
            name, value = line.split()
            found[name] = float(value)
            if name == "cpu-of-1s-idle":
                break
        # wavelane-run becomes the program.
        device = device_of(process.pid)
        if device:
            before = processor_time(device)
            time.sleep(1)
            found["cpu-of-device-1s-idle"] = processor_time(device) - before
        process.communicate("\n", timeout=60)
    return found


own, amd = run("wavelane"), run("amd")
print(f"{'milliseconds':24}{'wavelane':>12}{'amd':>12}")
for name, value in own.items():
    print(f"{name:24}{value:12.3f}{amd.get(name, float('nan')):12.3f}")
