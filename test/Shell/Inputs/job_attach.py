# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to a job that runs: by its launcher, by its ranks; the ranks go on when LLDB ends.

usage: job_attach.py LAUNCHER PROGRAM
"""
import os
import subprocess
import sys
import time

from job_session import JobSession, first, is_alive

launcher, program = sys.argv[1:3]
# The last word distinguishes its processes from another session's.
words = [program, "hang", "1", f"of-{os.getpid()}"]
job = subprocess.Popen([launcher, "-n", "2", os.path.dirname(program) + "/../../bin/wavelane-run", *words],
                       stdout=subprocess.PIPE, text=True, env={**os.environ})


def ranks():
    """The processes of the program; Slurm's aren't srun's children."""
    found = subprocess.run(["pgrep", "-f", f"^{' '.join(words)}$"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    return sorted(map(int, found))


def attach(what):
    with JobSession(launcher) as s:
        print("attach:", s.command(f"job attach {what}").strip())
        pids = s.pids()
        # Until the ranks wait for each other.
        there = lambda stacks: "misbehave" in stacks and "MPI_Allreduce" in stacks
        assert s.run_until(lambda: there(s.command("rank backtrace"))), s.command("rank backtrace") + s.command("rank list")
        print(first(s.command("rank list"), "MPI_Allreduce, called by main"), "and", first(s.command("rank list"), "misbehave"))
        print("GPUs:", s.command("target list").count("amdgcn"))
        return pids


try:
    while len(ranks()) < 2:
        time.sleep(0.05)  # The launcher says nothing when it has started them.
    pids = attach(job.pid)
    print("alive:", [is_alive(pid) for pid in pids])
    print("again:", attach(" ".join(map(str, pids))) == pids)
    # What a terminal shows.
    lldb = os.path.join(os.environ["WAVELANE_BUILD"], "bin", "lldb")
    text = subprocess.run([lldb, "--no-lldbinit", "-b", "-o", f"job attach {job.pid}", "-o", "job detach"], stdout=subprocess.PIPE, text=True, check=False).stdout
    print("let go:", text.partition("(lldb) job detach")[2].split("\n")[1:-1], [is_alive(pid) for pid in pids])
    with JobSession(launcher) as s:
        print(s.command("job attach x"), s.command("job attach 999999"), s.command(f"job attach {os.getpid()} {os.getpid() + 10**6}"), end="")
finally:
    job.terminate()
    job.wait(60)
