# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to the ranks that a launcher lists for PMIx's tools.

usage: job_pmix.py PRTERUN WAVELANE-RANK PROGRAM [MPIRUN]
"""
import json
import os
import subprocess
import sys
import time

from job_session import JobSession, first, is_alive

prterun, rank_program, program = sys.argv[1:4]
folder = os.path.dirname(program)


def table(launcher):
    """What the launcher lists, or why it doesn't."""
    answer = subprocess.run([rank_program, "--ranks-of", str(launcher)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    reported = json.loads(answer.stdout)
    return reported if answer.returncode == 0 else reported["error"].replace(str(launcher), "N")


def start(*launcher):
    """A job of two processes, each of which hangs in the program, and these processes."""
    words = [program, "hang", "0", f"of-{os.getpid()}"]
    job = subprocess.Popen([*launcher, "-n", "2", folder + "/../../bin/wavelane-run", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        found = subprocess.run(["pgrep", "-f", f"^{' '.join(words)}$"], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
        if len(found) == 2:
            return job, set(map(int, found))
        time.sleep(0.05)  # The launcher says nothing when it has started them.


print("no launcher:", table(os.getpid()))
job, pids = start("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "orte_pmix_session_server", "1")
print("mpirun:", table(job.pid))
print("it runs:", is_alive(job.pid))
job.terminate()
job.wait(60)

job, pids = start(prterun, "--allow-run-as-root", "--map-by", ":OVERSUBSCRIBE")
try:
    ranks = table(job.pid)
    print("table:", [rank["rank"] for rank in ranks], {rank["host"] for rank in ranks} == {os.uname().nodename})
    with JobSession(prterun) as s:
        print(s.command(f"job attach {job.pid}").strip())
        print("as reported:", s.pids() == [rank["pid"] for rank in ranks] and set(s.pids()) == pids)
        assert s.run_until(lambda: s.command("rank list").count("misbehave") == 2), s.command("rank list")
        print(first(s.command("rank backtrace"), r"misbehave.*\[ranks 0-1"))
    print("they go on:", all(map(is_alive, pids)), is_alive(job.pid))
finally:
    job.terminate()
    job.wait(60)
