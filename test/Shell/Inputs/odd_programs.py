# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs odd.hip's programs by themselves and in LLDB: they do what they do elsewhere, nothing hangs, and nothing is left.

odd_programs.py BUILD PROGRAMS [NAME...]"""
import os
import re
import signal
import subprocess
import sys
import time

build, programs, *names = sys.argv[1:]
program = programs + "/odd-O2"
MARK = f"WAVELANE_TEST_ODD={os.getpid()}"
os.environ.update([MARK.split("=")])
# Their signals are theirs.
HANDLE = ["-o", "process handle -p true -s false -n false SIGTRAP SIGSEGV SIGPROF SIGCHLD"]
ALL = ["forks", "daemon", "vfork", "other-architecture", "handlers", "closed", "closed-late", "chroot", "chroot-late", "other-user", "sandboxed", "locked",
       "threads", "modules", "lines", "asserts"]


def processes():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if int(pid) != os.getpid() and MARK.encode() in environment.read().split(b"\0"):
                    with open(f"/proc/{pid}/comm") as comm:
                        found.append((int(pid), comm.read().strip()))
        except OSError:
            pass
    return found


def left():
    # Other processes' ends send no event: 20 s at most.
    for _ in range(200):
        if not processes():
            return ""
        time.sleep(0.1)
    known = processes()
    for pid, _ in known:
        os.kill(pid, signal.SIGKILL)
    return f", left: {[name for _, name in known]}"


def outcome(name, words):
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120)
    except subprocess.TimeoutExpired as late:
        return f"HANGS: {(late.stdout or b'')[-200:]!r}"
    said = re.search(rf"^(?:Process \d+ .*\n)?{name}: (.*)$", done.stdout, re.M)
    if name == "lines":
        return str(len(re.findall(r"^line \d+ of lane \d+$", done.stdout.replace("\r", ""), re.M)))
    if name == "asserts":
        words = r"Device-side assertion `n == 1|stop reason = assertion or abort"
        return re.search(words, done.stdout)[0] if re.search(words, done.stdout) else repr(done.stdout[-300:])
    if said and "FAILED" not in said[1]:
        return said[1].strip()
    reported = [line for line in done.stdout.splitlines() if re.search(r"wavelane: |error:|stop reason", line)]
    return f"says: {reported[-1]}" if reported else f"code {done.returncode}: {done.stdout[-300:]!r}"


for name in names or ALL:
    arguments = [name, programs + "/silent.co"]
    print(f"{name}, alone: {outcome(name, [f'{build}/bin/wavelane-run', program, *arguments])}{left()}", flush=True)
    print(f"{name}, in LLDB: {outcome(name, [f'{build}/bin/lldb', '--batch', '-o', 'break set -n main', '-o', 'run', *HANDLE, '-o', 'continue', program, '--', *arguments])}"
          f"{left()}", flush=True)
