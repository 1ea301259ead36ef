# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs damaged inputs in worker processes, each of which tries many: one that crashes, hangs or sleeps for ever is reported by its seed, and the next
begins after it."""
import concurrent.futures
import os
import resource
import signal
import subprocess
import tempfile
import time

import psutil

# Limits: processor seconds for one seed, bytes of memory, checks, of 2 seconds, in which a process may sleep on: longer than a busy machine lets
# one wait, and seconds for one seed, whatever it does.
SECONDS, MEMORY, SLEEPS, LONGEST = 60, 12 << 30, 150, 180


def cpu_time(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_asleep(pid):
    """Whether each of the process's threads waits for something."""
    try:
        states = [open(f"/proc/{pid}/task/{task}/stat").read().rsplit(")", 1)[1].split()[0] for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return False
    return set(states) == {"S"}


def last_line(path):
    try:
        with open(path) as file:
            return (file.read().splitlines() or [""])[-1]
    except OSError:
        return ""


def start(build, command, memory=MEMORY):
    """Starts a worker: a Python program that imports Wavelane's LLDB, with so many bytes of memory, or None for any number."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    path = subprocess.run([f"{build}/bin/lldb", "-P"], text=True, capture_output=True, check=True).stdout.strip()
    # Not a pipe: its end comes when all that the worker has started has ended, which may be never.
    errors = tempfile.TemporaryFile("w+", errors="replace")
    process = subprocess.Popen(["/usr/bin/python3", *command], env=dict(os.environ, PYTHONPATH=path), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=errors, start_new_session=True, preexec_fn=limit)
    process.errors = errors
    return process


def end_session(process):
    """Ends the worker and all that it has started, of which some have sessions of their own."""
    try:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
    except psutil.NoSuchProcess:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def outcome_of(process, log, longest):
    """Waits for a worker; returns what went wrong with the seed that its log names last, or None, and what it wrote."""
    now, began, sleeps, since = "", 0.0, 0, time.monotonic()
    while True:
        try:
            process.wait(2)
            break
        except subprocess.TimeoutExpired:
            line, used = last_line(log), cpu_time(process.pid)
            sleeps = sleeps + 1 if line == now and is_asleep(process.pid) else 0
            if line != now:
                now, began, since = line, used, time.monotonic()
            elif sleeps > SLEEPS:
                end_session(process)
                return "it sleeps forever", ""
            elif used - began > SECONDS:
                end_session(process)
                return f"more than {SECONDS} seconds", ""
            elif time.monotonic() - since > longest:
                end_session(process)
                return f"no end within {longest} seconds", ""
    end_session(process)
    process.errors.seek(0)
    errors = process.errors.read()
    process.errors.close()
    if process.returncode == 0:
        return None, errors
    return f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}: {errors[-300:]}", errors


def run(first, end, log, worker, longest=LONGEST):
    """Tries the seeds FIRST to END; worker(first, end, log) starts a process for some. It writes each seed to the log before it tries it, and "end N" at its
    end. Returns the failures as (seed, what happened), how many were tried, and N."""
    failures, tried = [], 0
    while first < end:
        outcome, errors = outcome_of(worker(first, end, log), log, longest)
        line = last_line(log)
        if os.path.exists(log):
            os.unlink(log)
        if not outcome and line.startswith("end"):
            return failures, tried + end - first, int(line.split()[1])
        if not line:
            return failures + [(first, f"can't begin: {outcome or ''} {errors[-500:]}")], tried, 0
        seed = int(line.split()[0]) if line[0] != "e" else end - 1
        failures.append((seed, outcome or "it ended without a word"))
        tried += seed + 1 - first
        first = seed + 1
    return failures, tried, 0


def run_all(batches, jobs, report, what="variables shown"):
    """Runs batches, each a function that returns what run does; report(index, seed, outcome) is called for each failure. WHAT is what the workers count. Returns
    whether all passed."""
    failed = tried = shown = 0
    began = time.time()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for index, (failures, count, seen) in enumerate(pool.map(lambda batch: batch(), batches)):
            tried, shown = tried + count, shown + seen
            for seed, outcome in failures:
                failed += 1
                report(index, seed, outcome)
            print(f"{tried} tried, {shown} {what}, {failed} failed, {time.time() - began:.0f} s", flush=True)
    return not failed
