# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Non-stop mode: a stop holds the waves that have stopped, and the others run on.

usage: non_stop.py PROGRAM
"""
import json
import sys

import lldb

WAVES = range(6)
NONE, COME, END = range(3)
debugger = lldb.SBDebugger.Create()
debugger.SetAsync(False)


def command(line):
    result = lldb.SBCommandReturnObject()
    debugger.GetCommandInterpreter().HandleCommand(line, result)
    return ((result.GetOutput() or "") + (result.GetError() or "")).strip()


def gpu():
    return debugger.GetTargetAtIndex(1)


def address_of(name):
    return gpu().FindFirstGlobalVariable(name).GetLoadAddress()


def read(name, wave):
    error = lldb.SBError()
    value = gpu().GetProcess().ReadUnsignedFromMemory(address_of(name) + 4 * wave, 4, error)
    assert error.Success(), error
    return value


def ask(wave, question):
    error = lldb.SBError()
    gpu().GetProcess().WriteMemory(address_of("question") + 4 * wave, question.to_bytes(4, "little"), error)
    assert error.Success(), error


def number(thread):
    """The wave's number, from the name "go_around (2,0,0)/0"."""
    return int(thread.GetName().split("(")[1].split(",")[0])


def held():
    return sorted(number(thread) for thread in gpu().GetProcess())


def stopped():
    """Those with a reason: of this stop, or of one before."""
    return sorted(number(thread) for thread in gpu().GetProcess() if thread.GetStopReason() not in (lldb.eStopReasonNone, lldb.eStopReasonInvalid))


def thread_of(wave):
    return next(thread for thread in gpu().GetProcess() if number(thread) == wave)


def line(wave):
    entry = thread_of(wave).GetFrameAtIndex(0).GetLineEntry()
    with open(entry.GetFileSpec().fullpath) as file:
        return file.read().splitlines()[entry.GetLine() - 1].split("//")[1].strip()


def runs(wave):
    """Whether the wave gets on. It never returns if it doesn't."""
    first = read("rounds", wave)
    while read("rounds", wave) == first:
        pass
    return True


def states():
    return {int(wave["name"].split("(")[1].split(",")[0]): wave["state"] for wave in json.loads(command("gpu wave list --json"))}


def wait_until_stopped(wave):
    """The wave has stopped, though no stop has shown it."""
    while states()[wave] != "stopped":
        pass


command("settings set plugin.process.amdgpu.non-stop true")
debugger.CreateTarget(sys.argv[1])
command("breakpoint set -p 'comes by'")
command("run")
print("first", held(), line(0), states())
still = read("rounds", 0)
print("others run", all(runs(wave) for wave in WAVES if wave != 0), read("rounds", 0) == still)

# Values are those of the moment.
command("target select 1")
first = command("print rounds[1]")
while command("print rounds[1]") == first:
    pass


def value():
    frame = gpu().GetProcess().GetSelectedThread().GetFrameAtIndex(0)
    return frame.FindValue("rounds", lldb.eValueTypeVariableGlobal).GetChildAtIndex(2).GetValueAsUnsigned()


first = value()
while value() == first:
    pass
print("values are new")

# A step leaves the others running, and a stop that comes meanwhile is reported later.
ask(1, COME)
wait_until_stopped(1)
command("next")
print("step", held(), line(0), runs(2))
command("next")
print("step", held(), line(0), runs(3))
command("continue")
print("reported", held(), line(1), runs(0), runs(2))

# One is resumed, the other stays where it is.
ask(0, COME)
command("continue")
print("continue", held(), line(0), runs(1))
ask(4, COME)
command(f"thread continue {thread_of(0).GetIndexID()}")
print("one", held(), line(4), runs(0))
ask(0, COME)
command(f"thread continue {thread_of(4).GetIndexID()}")
print("next", held(), line(0), runs(4))

# None of several is lost, and each is reported once.
reported = []
for wave in (1, 2, 3, 5):
    ask(wave, COME)
while len(reported) < 4:
    command("continue")
    reported += held()
print("several", sorted(reported))

# A breakpoint in code that runs.
command("breakpoint set -p '// around'")
seen = set()
while len(seen) < len(WAVES):
    command("continue")
    seen |= set(held())
    assert all(line(wave) == "around" for wave in held())
print("all come by", sorted(seen))
command("breakpoint delete 2")
ask(0, COME)
command("continue")
print("deleted", held(), line(0), [runs(wave) for wave in WAVES if wave != 0])

# All are held, and one of them goes on.
print("hold", command("process interrupt"), held(), sorted(states().values()))
still = [read("rounds", wave) for wave in WAVES]
print("alone", command("next") and line(0), still[1:] == [read("rounds", wave) for wave in WAVES[1:]])
print("back", command("reverse-next"))

# All stop together again.
command("settings set plugin.process.amdgpu.non-stop false")
ask(3, COME)
command("continue")
print("all-stop", held(), stopped(), line(3))
command("settings set plugin.process.amdgpu.non-stop true")
ask(2, COME)
command("continue")
print("non-stop", held(), line(2), runs(3))
command("next")  # it has forgotten what it was asked

# The last instruction is stepped over in place: those that would pass its breakpoint wait.
command("breakpoint set -f asked.hip -l 24")
ask(1, END)
command("continue")
print("last", held(), runs(0))
ask(0, COME)
command("continue")
print("ended", held(), line(0), sorted(states()), runs(3))
command("breakpoint delete 3")
command("next")
for wave in WAVES:
    ask(wave, END)
print("end", command("continue").splitlines()[-1])
lldb.SBDebugger.Destroy(debugger)
