# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs and debugs a program where the kernel lacks a system call, or a container's profile forbids it: each works, or says what is lacking.

denied_calls.py BUILD PROGRAM DENY [CALL...]: these calls are forbidden; without CALL, all are forbidden or missing. A CALL may be what a kernel forbids
together: "attach" for kernel.yama.ptrace_scope 1 and 2, to whom doesn't own the program, and "trace" for 3."""
import errno
import re
import signal
import subprocess
import sys

build, program, deny, *names = sys.argv[1:]
signal.alarm(560)
# The numbers of x86-64.
CALLS = {"memfd_create": 319, "userfaultfd": 323, "getrandom": 318, "clone3": 435, "getsockopt": 55, "epoll_create1": 291, "epoll_ctl": 233, "eventfd2": 290,
         "pidfd_open": 434, "process_vm_readv": 310, "process_vm_writev": 311, "ptrace": 101, "socketpair": 53, "membarrier": 324, "prctl": 157,
         "setsid": 112, "fallocate": 285, "flock": 73, "inotify_init1": 294, "sched_getaffinity": 204, "sched_setaffinity": 203, "personality": 135}
# ptrace's requests 0, 16 and 16902 are TRACEME, ATTACH and SEIZE.
TOGETHER = {"attach": "101=16,101=16902,310,311", "trace": "101=0,101=16,101=16902,310,311"}
LLDB = [f"{build}/bin/lldb", "--batch", "-o", "breakpoint set -n saxpy", "-o", "run", "-o", "frame variable a", "-o", "kill", program]
WAYS = {"runs": [f"{build}/bin/wavelane-run", program], "is debugged": LLDB, "is attached to": [f"{build}/bin/lldb", "--batch", "-o", "detach"]}
GOOD = {"runs": "saxpy: PASSED", "is debugged": "(float) a = 3", "is attached to": "detached"}
WORDS = r"(?i)\bcan't\b|cannot|not permitted|not implemented|not supported|error:|denied|lacks|lacking|forbid"


def outcome(way, number, error):
    try:
        done = subprocess.run([deny, number, str(error), *WAYS[way]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=60)
    except subprocess.TimeoutExpired as late:
        return f"HANGS: {(late.stdout or b'')[-200:]!r}"
    if done.returncode < 0:
        return f"DIES of signal {-done.returncode}: {done.stdout[-200:]!r}"
    if GOOD[way] in done.stdout:
        return "works"
    reported = [line for line in done.stdout.splitlines() if re.search(WORDS, line) and "(lldb)" not in line]
    return f"says: {reported[0].strip()}" if reported else f"SAYS NOTHING: {done.stdout[-300:]!r}"


with subprocess.Popen(["sleep", "1000"]) as other:
    WAYS["is attached to"] += ["-p", str(other.pid)]
    for name, number in {**CALLS, **TOGETHER}.items():
        if names and name not in names:
            continue
        for error in [errno.EPERM] if names or name in TOGETHER else [errno.EPERM, errno.ENOSYS]:
            for way in WAYS if name in TOGETHER else ("runs", "is debugged"):
                print(f"{name} {errno.errorcode[error]} {way}: {outcome(way, str(number), error)}", flush=True)
    other.kill()
