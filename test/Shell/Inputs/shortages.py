# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sessions without room: a full disk, too few addresses or descriptors, small files, no memory, no /tmp, and terminals that close. LLDB says what is wrong and goes on.

shortages.py BUILD PROGRAM WHICH"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from terminal import Terminal

build, program, which = sys.argv[1:]
signal.alarm(200)
folder = tempfile.mkdtemp()
MARK = f"WAVELANE_TEST_SESSION={os.getpid()}"
os.environ.update([MARK.split("=")])
LLDB = [f"{build}/bin/lldb", "-X", "-O", "settings set show-statusline false", "-O", "settings set use-color false", "-O", "settings set auto-confirm true", program,
        "--", "endless"]
STOP = b"stop reason = breakpoint"


def shell(*lines):
    """LLDB, in a mount namespace of its own, after these commands of a shell."""
    return Terminal("/usr/bin/unshare", "-m", "/bin/sh", "-c", "set -e; " + "; ".join([*lines, 'exec "$@"']), "sh", *LLDB)


def plain(lines):
    text = "\n".join(line for line in lines if re.search("error|warning|can't|cannot|too|no |exited|No ", line))
    text = re.sub(r"\(lldb\) .*?\x1b?\[\d*G", "", text.replace(folder, "FOLDER"))
    return re.sub(r"\b\d{3,}\b", "N", text)


def processes():
    """Those of this session."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if int(pid) != os.getpid() and MARK.encode() in environment.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def left():
    # Other processes' ends send no event: 20 s at most.
    for _ in range(200):
        if not processes():
            return "nothing is left"
        time.sleep(0.1)
    return f"left: {[open(f'/proc/{pid}/comm').read().strip() for pid in processes()]}"


def says(t, command, answer=rb"(?:stop reason|error|exited)"):
    said = plain(t.ask(command, answer))
    print(f"{command.split()[0]}: {said or 'stopped'}")


def run(t):
    """Runs the program as far as it comes; LLDB goes on."""
    t.ask("breakpoint set -n endless", b"Breakpoint 1")
    says(t, "run")
    t.ask("version", b"lldb version")
    print("goes on")
    t.end()


def full():
    """The disk of the runtime's files and the cores is full."""
    t = shell(f"mount -t tmpfs -o size=40k,mode=700 none {folder}", f"(cat /dev/zero > {folder}/filler 2> /dev/null || true)",
              f"export TMPDIR={folder} XDG_RUNTIME_DIR={folder}")
    t.ask("breakpoint set -n endless", b"Breakpoint 1")
    says(t, "run")
    says(t, f"process save-core {folder}/core", b"(?:error|wrote|saved)")
    t.ask("version", b"lldb version")
    print("goes on")
    t.end()


def addresses():
    """Too few for the device's memory."""
    t = shell("ulimit -v 20000000")
    run(t)


def descriptors():
    t = shell("ulimit -n 10")
    run(t)


def file_size():
    """Too small for the device's memory."""
    t = shell("ulimit -f 1000000")
    run(t)


def temporary():
    """/tmp can't be written. What is in it, perhaps this build, can be read."""
    t = shell("unset XDG_RUNTIME_DIR TMPDIR TMP TEMP TEMPDIR WAVELANE_RUNTIME_DIR", "mount --bind /tmp /tmp", "mount -o remount,bind,ro /tmp")
    run(t)


def terminal():
    """The terminal closes: at the prompt, while waves are stopped, and while they run."""
    for state in "prompt", "stopped", "running":
        t = Terminal(*LLDB)
        t.ask("breakpoint set -n endless", b"Breakpoint 1")
        if state != "prompt":
            t.ask("run", STOP)
        if state == "running":
            t.ask("breakpoint disable", b"disabled")
            t.type("continue")
            t.wait(b"resuming")
        os.close(t.fd)
        os.waitpid(t.pid, 0)
        print(f"{state}: {left()}")


def memory():
    """The kernel ends lldb-server, whose control group has no memory."""
    group = f"/sys/fs/cgroup/memory/wavelane-test-{os.getpid()}"
    os.mkdir(group)
    with open(f"{group}/memory.limit_in_bytes", "w") as limit:
        limit.write("200K")
    t = Terminal(*LLDB)
    t.ask("breakpoint set -n endless", b"Breakpoint 1")
    t.ask("run", STOP)
    server = next(pid for pid in processes() if open(f"/proc/{pid}/comm").read().strip() == "lldb-server")
    with open(f"{group}/cgroup.procs", "w") as members:
        members.write(str(server))
    print("reported:", *(line.split(") ")[-1] for line in t.ask("next", b"exited") if "exited" in line))
    print("again:", *(line for line in t.ask("run", STOP) if "stop reason" in line))
    t.end()
    os.rmdir(group)


{"full": full, "addresses": addresses, "descriptors": descriptors, "file-size": file_size, "temporary": temporary, "terminal": terminal, "memory": memory}[which]()
if which != "terminal":
    print(left())
subprocess.run(["rm", "-rf", folder], check=False)
