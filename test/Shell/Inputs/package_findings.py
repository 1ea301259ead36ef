# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Findings of checks as objects of the Python package.

usage: package_findings.py PROGRAMS
"""
import sys

import wavelane
from why import whether

programs = sys.argv[1]


def attempt(call):
    try:
        return f"no error but {call()!r}"
    except wavelane.Error as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


with wavelane.Session(f"{programs}/race-bugs-O0") as session:
    session.command("settings set plugin.process.amdgpu.check race,count")
    wave = session.run(["reuse"])
    finding = wave.finding
    print(finding, "|", finding.check, finding.kind, finding.address_space, finding.size, finding.variable[:5])
    print("here:", finding.function.split("(")[0], finding.file.rsplit("/", 1)[1], finding.line > 0,
          whether(finding.wave.id == wave.id, finding.wave), whether(finding.lanes == wave.stop_lanes, finding.lanes))
    other = finding.other
    print("other:", other.message, other.kernel.split("(")[0], other.workgroup, other.work_items[0][1:],
          whether(other.wave.id != wave.id, other.wave), whether(other.lanes, other))
    print("source:", other.frame.source.split("// ")[1], other.frame.column > 0, hex(other.pc) == other.data["pc"])
    print("report:", finding.report.splitlines()[0], "|", finding.suppression.split()[0], finding["id"])
    print("lanes marked:", whether([lane.index for lane in wave.lanes if lane.caused_stop] == finding.lanes, finding.lanes))
    selected = finding.select(other=True)
    print("selected:", whether(session.selected.id == selected.id != wave.id, selected),
          session.selected.focus == other.lanes[0])
    print("again:", finding == session.gpu.findings[0], len(session.gpu.findings))
    counts = session.gpu.line_counts(function="reuse")
    print("counts:", whether(counts and all("reuse" in line["function"] for line in counts), counts),
          session.gpu.line_counts(file="nothing"))
    finding.ignore()
    print("ignored:", session.command("gpu check ignore --list").strip()[:13])
with wavelane.Session(f"{programs}/memory-bugs-O0") as session:
    session.command("gpu check ignore --clear")
    session.command("settings set plugin.process.amdgpu.check memory")
    wave = session.run(["overrun"])
    finding = wave.finding
    print("memory:", finding.kind, finding.variable, finding.line, hex(finding.address) == finding["address"], finding.other,
          finding.host_stack, finding.notes[0].split(":")[0])
    print("no side:", attempt(lambda: finding.select(other=True)), "| no counts:", attempt(session.gpu.line_counts))
    print("then:", session.resume())
