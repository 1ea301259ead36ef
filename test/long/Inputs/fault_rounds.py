# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rounds in which a process of a session is killed, stopped or made slow: what faults and faults-editor have in common."""
import argparse
import collections
import concurrent.futures
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

STATES = ("starting", "running", "stopped", "stepping", "reading", "saving", "ending")
# Seconds: a command is answered; a run reaches its breakpoint; processes that are left have ended.
ANSWER, START, END = 2, 30, 8
PR_SET_CHILD_SUBREAPER = 36


class Failed(Exception):
    pass


def loaded():
    """How many times longer everything may take on this machine now."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def processes():
    """(process, parent, name, state) of each one that this process has below it."""
    found, parents = [], {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                stat = file.read()
        except OSError:
            continue
        name = stat[stat.index("(") + 1:stat.rindex(")")]
        fields = stat[stat.rindex(")") + 2:].split()
        parents[int(pid)] = int(fields[1]), name, fields[0]
    for pid, (parent, name, state) in parents.items():
        above = parent
        while above in parents and above != os.getpid():
            above = parents[above][0]
        if above == os.getpid():
            found.append((pid, parent, name, state))
    return found


NAMES = {"device": "wavelane-gpu", "server": "lldb-server", "platform": "lldb-server", "adapter": "lldb-dap"}


def is_platform(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return b"\0platform\0" in file.read()
    return False


def victim_pid(victim, program):
    """The process of a session that plays that part; None if there is none now."""
    name = NAMES.get(victim, os.path.basename(program))[:15]
    pids = [pid for pid, parent, own, state in processes() if own == name and state != "Z"]
    if name == "lldb-server":
        pids = [pid for pid in pids if is_platform(pid) == (victim == "platform")]
    # Of a platform's, the one that has the connection.
    return max(pids) if pids else None


def send(pid, number):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, TypeError):
        pass


class Leftovers:
    """A folder for a round's files, and what the round leaves behind."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="wavelane-faults-")
        self.crashed = []
        for name in ("tmp", "run"):
            os.mkdir(f"{self.folder}/{name}", 0o700)
        self.environment = dict(os.environ, TMPDIR=f"{self.folder}/tmp", XDG_RUNTIME_DIR=f"{self.folder}/run", TERM="xterm", HOME=self.folder)
        self.environment.pop("WAVELANE_RUNTIME_DIR", None)

    def reap(self):
        """The ends of those that this process has adopted: none may have crashed. LLDB ends its server by SIGINT."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if os.WIFSIGNALED(ended[1]) and os.WTERMSIG(ended[1]) not in (signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                    self.crashed.append(f"process {ended[0]} ended by {signal.Signals(os.WTERMSIG(ended[1])).name}")
        except ChildProcessError:
            pass

    def left(self):
        """Processes, files and shared memory that have outlived LLDB."""
        end = time.monotonic() + END * loaded()
        while True:
            self.reap()
            here = [f"process {pid} {name} ({state})" for pid, parent, name, state in processes()]
            files = [os.path.join(at, name) for at, _, names in os.walk(f"{self.folder}/run") for name in names]
            files += [f for f in (os.path.join(at, name) for at, _, names in os.walk(f"{self.folder}/tmp") for name in names) if not f.endswith("/core")]
            if not here and not files or time.monotonic() > end:
                return here + files
            time.sleep(0.1)

    def failure(self, failure):
        """What is wrong with a round that is over, or None; removes all that it has left."""
        if failure:
            for pid, _, _, _ in processes():
                send(pid, signal.SIGCONT)
        left = self.left()
        if not failure and self.crashed:
            failure = ", ".join(self.crashed)
        if left and not failure:
            failure = "left: " + ", ".join(left)
        for pid, _, _, _ in processes():
            send(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
        return failure


def one(seed, program, arguments):
    """A process a round: it adopts what the round leaves behind."""
    result = subprocess.run([sys.executable, program, *arguments, "--one", str(seed)], capture_output=True, text=True, errors="replace")
    return result.stdout.strip() or f"{seed}: the round has failed: {result.stderr.strip()[-2000:]}"


def main(program, description, make, victims, hows, flags=()):
    """Runs the rounds that the command line asks for, or one of them.

    make(seed, options) begins a round, which has a name and run(), whose result is what failed, or None."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--state", choices=STATES)
    parser.add_argument("--victim", choices=victims)
    parser.add_argument("--how", choices=hows)
    parser.add_argument("--keep", type=os.path.abspath)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    options.keep = options.keep or os.path.join(options.build, "test", "faults")
    os.makedirs(options.keep, exist_ok=True)
    if options.one is not None:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        round_ = make(options.one, options)
        print(f"{round_.name}: {round_.run() or 'well'}")
        return
    failures, states = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        for number, line in enumerate(pool.map(lambda seed: one(seed, program, sys.argv[1:]), seeds), 1):
            states[line.split(": ")[1].split(",")[0]] += 1
            if not line.endswith(": well"):
                failures.append(line)
                print(line, flush=True)
            if sys.stderr.isatty() or number % 50 == 0:
                print(f"{number} of {options.count} rounds, {len(failures)} failed", file=sys.stderr, flush=True)
    print(f"{options.count} rounds ({', '.join(f'{n} {s}' for s, n in sorted(states.items()))}): {len(failures)} failed")
    sys.exit(bool(failures))
