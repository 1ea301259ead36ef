# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job on two hosts, which are two network namespaces: started by mpirun, and attached to; the network is gone for a while.

usage: job_far.py LAUNCHER PROGRAM RUN FOLDER
"""
import os
import subprocess
import sys
import threading
import time

from far import HERE, THERE, Far
from job_session import JobSession, first, is_alive

launcher, program, run, folder = sys.argv[1:5]
os.makedirs(folder, exist_ok=True)
far = Far(folder)
# As ssh: the host's name, and then the command, which a shell reads.
agent = os.path.join(folder, "agent")
with open(agent, "w") as file:
    file.write(f"""#!/bin/sh
[ "$1" = {THERE} ] || {{ echo "no route to $1" >&2; exit 255; }}
shift
exec nsenter -t {far.holder.pid} -n unshare -u sh -c "hostname far; $*"
""")
os.chmod(agent, 0o755)
hosts = f"{launcher} --allow-run-as-root --host {HERE}:1,{THERE}:1 --mca plm_rsh_agent {agent} --mca btl self,tcp"


def lose(packets):
    """Whether packets to the other host are lost: they are sent to a card that nobody has."""
    change = ["replace", THERE, "dev", "here", "lladdr", "02:00:00:00:00:77", "nud", "permanent"] if packets else ["del", THERE, "dev", "here"]
    subprocess.run(["ip", "neigh", *change], check=True)


try:
    with JobSession(f"{hosts} -x WAVELANE_JOB -x WAVELANE_JOB_SECRET") as s:
        s.debugger.CreateTarget(program)
        s.command("settings set plugin.process.amdgpu.run-unit rank")
        s.command("breakpoint set -n scale")
        text = s.launch(2, program, options=f"--listen {HERE}")
        print("launch:", first(text, r"^ranks .* stopped$"))
        here = os.uname().nodename
        print("hosts:", [rank["host"].replace(here, "here") for rank in s.json("rank list --json")])
        print(s.command("rank print factor"), end="")
        s.command("breakpoint delete 1")
        s.command("settings set plugin.process.amdgpu.run-unit job")
        # It comes back while the job runs.
        lose(True)
        threading.Timer(3, lose, (False,)).start()
        print("end:", first(s.command("continue"), "ranks .* exited .*"))

    words = [program, "hang", "1", f"of-{os.getpid()}"]
    job = subprocess.Popen([*hosts.split(), "-n", "2", run, *words], stdout=subprocess.DEVNULL)
    pids = []
    while len(pids) < 2:
        time.sleep(0.1)  # The launcher says nothing when it has started them.
        found = subprocess.run(["pgrep", "-f", f"^{' '.join(words)}$"], stdout=subprocess.PIPE, text=True, check=False)
        pids = sorted(found.stdout.split(), key=lambda pid: os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net"))
    with JobSession("") as s:
        print("without an address:", s.command(f"job attach {pids[0]} {THERE}:{pids[1]}"), end="")
        # What ssh says is reported at once, with the ranks.
        print("no way:", s.command(f"job attach --listen {HERE} --shell '{agent} nowhere' {THERE}:{pids[1]} {THERE}:{pids[1]}"), end="")
        print("not there:", s.command(f"job attach --listen {HERE} --shell {agent} {THERE}:999999"), end="")
        print("attach:", s.command(f"job attach --listen {HERE} --shell {agent} {pids[0]} {THERE}:{pids[1]}").strip())
        print("hosts:", [rank["host"].replace(here, "here") for rank in s.json("rank list --json")])
        count = lambda: s.command("target list").count("amdgcn")
        s.run_until(lambda: count() == 2)
        print("GPUs:", count())
    print("they go on:", [is_alive(pid) for pid in pids])
    job.terminate()
    job.wait(60)
finally:
    far.end()
