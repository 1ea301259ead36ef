# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cores of a job's ranks as one job.

usage: job_cores.py LAUNCHER PROGRAM FOLDER WAVELANE
"""
import os
import re
import shutil
import subprocess
import sys

from job_session import JobSession, first

launcher, program, folder, wavelane = sys.argv[1:5]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
with JobSession(launcher) as s:
    s.debugger.CreateTarget(program)
    s.command("breakpoint set -n scale -c 'factor == 2'")
    # Rank 1 may stop before rank 0 has come to its wait.
    for _ in range(10):
        s.launch(2, program)
        if "rank 0: host in MPI_Allreduce" in s.command("rank threads"):
            break
        s.command("job kill")
    # In another order than that of the ranks.
    for rank in 0, 1:
        s.command(f"rank select {rank}")
        s.command(f"process save-core {folder}/core.{9 - rank}")
    live = s.ranks()
    print("saved:", len(os.listdir(folder)))

with JobSession("") as s:
    print("open:", s.command(f"job core {folder}/core.*").strip())
    print("alike:", [rank.split(", ", 3)[::3] for rank in s.ranks()] == [rank.split(", ", 3)[::3] for rank in live] or (s.ranks(), live))
    print(s.command("rank threads"), end="")
    print(first(s.command("rank waits"), "^rank 0: MPI_.*$"))
    print("print:", s.command("rank print --ranks 1 factor"), end="")
    s.command("rank select 1")
    report = f"{folder}/all.html"
    print("report:", s.command(f"wavelane report {report} -v factor").replace(folder, "..."), end="")
    with open(report) as file:
        page = file.read()
    print("page:", [first(page, text) for text in ("<h1>.*</h1>", "<p>2 ranks", "<summary>rank.*</summary>", "Values of <code>factor</code>",
                                                    "MPI_Allreduce  .rank 0.")])
    print("one:", s.command(f"wavelane report {report} --ranks 0").replace(folder, "..."), end="")
    print("wrong:", s.command(f"wavelane report {report} --ranks 5"), end="")
    print("continue:", s.command("continue"), end="")
    print("again:", s.command(f"job core {folder}/core.9"), end="")
    print("end:", s.command("job kill").strip(), s.ranks())
    print("stacks:", s.command("rank backtrace"), end="")
    print(s.command(f"job core {folder}/core.8 {folder}/core.8 {folder}/none {program}").replace(folder, "...").replace(program, "..."), end="")
alone = subprocess.run([wavelane, "report", "-o", f"{folder}/alone.html", f"{folder}/core.8", f"{folder}/core.9"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
print("alone:", alone.stdout.replace(folder, "..."), end="")
with open(f"{folder}/alone.html") as file:
    print("both:", first(file.read(), "<p>2 ranks"))
# As the shell makes of core.*: LLDB takes the second for the program, and others for its arguments.
shutil.copy(f"{folder}/core.9", f"{folder}/core.9b")
lldb = os.path.join(os.path.dirname(wavelane), "lldb")
for words in (["-c", "core.8", "core.9"], [program, "-c", "core.8", "core.9"], ["-c", "core.8", "core.9", "core.9b"]):
    shown = subprocess.run([lldb, "--no-lldbinit", "-b", *words, "-o", "rank list"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                           cwd=folder)
    print("opened:", first(shown.stdout, "^cores of .*$"), shown.stdout.count(" stopped "), re.findall("error: .*", shown.stdout))
shutil.rmtree(folder)
