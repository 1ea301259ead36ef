# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Jobs that go wrong: each fault is reported by rank, nothing hangs, and nothing is left.

usage: job_bad.py LAUNCHER PROGRAM BIN
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

from job_session import JobSession, first, is_alive

launcher, program, bin_folder = sys.argv[1:4]
rank_program = bin_folder + "/wavelane-rank"


def ended(pids, seconds=30):
    """'nothing is left', or which processes still run."""
    end = time.monotonic() + seconds
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)  # Other processes' ends send no event.
    left = [pid for pid in pids if is_alive(pid)]
    return f"{left} are left" if left else "nothing is left"


def servers(pids):
    """The lldb-servers of processes."""
    found = []
    for folder in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{folder}/cmdline", "rb") as line:
                words = line.read().decode().split("\0")
        except OSError:
            continue
        if any(f"--rank-process={pid}" in words for pid in pids):
            found.append(int(folder))
    return found


def environment(listen):
    """What `job listen` says to set."""
    return {**os.environ, **dict(re.findall("^export ([A-Z_]*)=(.*)$", listen, re.M))}


def start(env, rank, *words, size=1):
    return subprocess.Popen([rank_program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**env, "RANK": str(rank), "WORLD_SIZE": str(size)})


def said(process):
    try:
        out = process.communicate(timeout=60)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        return "it hangs"
    return f"{process.returncode}: {out.strip().splitlines()[0] if out.strip() else 'nothing'}"


with JobSession(launcher) as s:
    # Before there is a job.
    print(s.command("rank list"), s.command("job kill"), s.command("continue"), end="")
    print(s.launch(2, "/nowhere/app"), s.command("job launch -- /nowhere/mpirun /bin/true"), end="")
    print(s.command("job launch --ranks x -- mpirun /bin/true"), s.launch(2, "/bin/true", options="--listen nowhere.invalid"), end="")

with JobSession(launcher) as s:
    text = s.launch(2, program, "crash", "1")
    print("crash:", first(text, "stop reason = signal SIGSEGV"), "in", first(text, r"misbehave\(what=.crash.\)"))
    print("others:", s.ranks()[0].split(", ")[:2])
    pids = s.pids()
    print("killed:", s.command("job kill").strip(), ended(pids + servers(pids)))
    print("ranks:", s.ranks())

with JobSession(launcher) as s:
    s.launch(2, program, "exit", "1")
    print("exit:", s.ranks()[1])
    pids = s.pids()
    servers_left = servers(pids)
print("debugger gone:", ended(pids + servers_left))



class OtherLLDB:
    """A session in a process of its own, which can be killed; the lines run in it, and print one line."""
    def __init__(self, *lines):
        script = "\n    ".join(lines)
        script = f"from job_session import *\nwith JobSession({launcher!r}) as s:\n    {script}\n"
        self.process = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.path.dirname(__file__) + ":" + os.environ["PYTHONPATH"]})

    def line(self):
        line = self.process.stdout.readline()
        assert line, "the session has ended"
        return eval(line)

    def kill(self):
        self.process.kill()
        self.process.wait()


# LLDB is killed: the ranks end, or they go on, with their breakpoints removed.
lldb = OtherLLDB(f"s.launch(2, {program!r}, options='--stop-at-entry')", "print(s.pids(), flush=True)", "input()")
both = lldb.line()
both += servers(both)
print("running:", len(both), "processes")
lldb.kill()
print("LLDB killed:", ended(both))

lldb = OtherLLDB("s.command('settings set plugin.process.amdgpu.end-ranks-with-lldb false')",
                 "print(repr(s.command('job listen')), flush=True)", "s.command('job wait --stop-at-entry')",
                 "s.command('breakpoint set -n MPI_Allreduce')", "s.command('breakpoint set -n compute')",
                 "s.command('continue')", "print(s.ranks(), flush=True)", "input()")
job = subprocess.Popen([launcher, "-n", "2", rank_program, program], env=environment(lldb.line()), text=True,
                       stdout=subprocess.PIPE)
print("stopped:", sum("breakpoint" in rank for rank in lldb.line()) > 0)
lldb.kill()
print("they go on:", sorted(job.communicate(timeout=60)[0].splitlines()), job.returncode)

def squat(address, user):
    """Another process listens where a debugger was, and answers as one, without its secret."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(writer)
        os.read(reader, 1)
        return pid
    if user:
        os.setuid(user)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + address.removeprefix("unix:@"))
        listener.listen()
        os.write(writer, b"x")
        try:
            connection, _ = listener.accept()
            talk = connection.makefile("rw")
            print(json.dumps({"wavelane_job": 2, "nonce": "00" * 32}), file=talk, flush=True)
            if talk.readline():
                terms = json.dumps({"device": "auto", "runtime": "auto", "ends_with_debugger": False})
                print(json.dumps({"terms": terms, "proof": "00" * 32}), file=talk, flush=True)
                talk.readline()
        finally:
            # The rank may have gone; nothing of this script may run twice.
            os._exit(0)


# The name of a debugger's socket is free when the debugger has gone.
with JobSession(launcher) as s:
    env = environment(s.command("job listen"))


def meets(user):
    """What a rank says that comes then."""
    pid = squat(env["WAVELANE_JOB"], user)
    answer = said(start(env, 0, "/bin/true"))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return re.sub("at @[^:]*", "at @NAME", answer)


print("without the secret:", meets(0))
print("another user:", meets(65534) if os.getuid() == 0 else "only root can be one")

# Without a launcher: ranks by hand.
with JobSession(launcher) as s:
    listen = s.command("job listen --listen 127.0.0.1")
    env = environment(listen)
    print("wrong secret:", said(start({**env, "WAVELANE_JOB_SECRET": "0" * 64}, 0, program)))
    print("no job:", said(start({**env, "WAVELANE_JOB": "unix:@nobody"}, 0, program)))
    print("bad address:", said(start({**env, "WAVELANE_JOB": "nobody"}, 0, program)))
    print("no program:", said(start(env, 0, "/nowhere/app")))
    print("no variables:", said(start({}, 0, program)))
    print("no ranks:", s.command("job wait --ranks 2 --timeout 1"), end="")
    one = start(env, 0, "/bin/sleep", "3", size=2)
    print("one rank:", s.command("job wait --timeout 2"), end="")
    print("twice:", re.sub("process [0-9]+|on [^;]*;", "...", said(start(env, 0, program, size=2))))
    other = start(env, 1, "/usr/bin/tail", "-f", "/dev/null", size=2)
    print("both:", s.command("job wait --stop-at-entry").strip(), [rank["program"].split("/")[-1] for rank in s.json("rank list --json")])
    print("programs:", first(s.shown(), "rank .* runs .*"))
    # A server that is killed takes its rank with it; the other rank stays.
    os.kill(servers([other.pid])[0], signal.SIGKILL)
    s.command("continue")
    print("lost:", s.ranks(), other.wait(60))

with JobSession(launcher) as s:
    one = start(environment(s.command("job listen")), 0, "/usr/bin/tail", "-f", "/dev/null")
    s.command("job wait --stop-at-entry")
    server = servers([one.pid])
    print("detach:", s.command("job detach").strip(), s.ranks(), is_alive(one.pid), len(server), ended(server))
    one.kill()
