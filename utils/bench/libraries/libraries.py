#!/usr/bin/python3
"""Operations a second of lldb-server over ROCdbgapi libraries, by turns, in one run: the embedded one and others.

usage: libraries.py BUILD-FOLDER [LIBRARY...]
"""
import json
import os
import statistics
import subprocess
import sys
import time

SECONDS = 0.5


def child(program):
    import lldb
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.CreateTarget(program).BreakpointCreateByName("saxpy")
    debugger.GetSelectedTarget().LaunchSimple(None, None, ".")
    target = debugger.GetSelectedTarget()
    assert target.GetTriple().startswith("amdgcn"), target.GetTriple()
    process, thread = target.GetProcess(), target.GetProcess().GetSelectedThread()
    interpreter, result = debugger.GetCommandInterpreter(), lldb.SBCommandReturnObject()

    def packet(text):
        interpreter.HandleCommand(f"process plugin packet send '{text}'", result)
        assert result.Succeeded() and "response: E" not in result.GetOutput(), result.GetOutput()[:200] + (result.GetError() or "")

    registers = [r for group in thread.GetFrameAtIndex(0).GetRegisters() for r in group]
    numbers = {r.GetName(): i for i, r in enumerate(registers)}
    memory = thread.GetFrameAtIndex(0).FindVariable("y").GetValueAsUnsigned()
    error = lldb.SBError()

    def everything():
        for i in range(len(registers)):
            packet(f"p{i:x};thread:{thread.GetThreadID():x};")

    operations = {
        "list of the waves": lambda: packet('jWavelaneObjects:{"kind":"wave"}'),
        "one register": lambda: packet(f"p{numbers['pc']:x};thread:{thread.GetThreadID():x};"),
        "a vector register": lambda: packet(f"p{numbers['v0']:x};thread:{thread.GetThreadID():x};"),
        f"all {len(registers)} registers of a wave": everything,
        "1 MB of global memory": lambda: process.ReadMemory(memory & ~0xfff, 1 << 20, error),
        "a step of one instruction": lambda: thread.StepInstruction(False),
    }
    out = {}
    for name, operation in operations.items():
        operation()
        count, begin = 0, time.perf_counter()
        while (spent := time.perf_counter() - begin) < SECONDS:
            operation()
            process.GetThreadAtIndex(0)
            count += 1
        out[name] = count / spent
    process.Kill()
    print(json.dumps(out))


def main(arguments):
    if arguments[0] == "--child":
        return child(arguments[1])
    build, libraries = arguments[0], [""] + arguments[1:]
    modules = subprocess.check_output([f"{build}/bin/lldb", "-P"], text=True).strip()
    rates = [{} for _ in libraries]
    for turn in range(3):
        for i, library in enumerate(libraries):
            text = subprocess.check_output([sys.executable, __file__, "--child", f"{build}/test/programs/saxpy-O0"], text=True, env={
                **os.environ, "PYTHONPATH": modules, "WAVELANE_DBGAPI_LIBRARY": library})
            for name, rate in json.loads(text.splitlines()[-1]).items():
                rates[i].setdefault(name, []).append(rate)
    print("operations a second over the embedded library" + "".join(f", over {library} (and the ratio)" for library in libraries[1:]))
    for name, own in rates[0].items():
        own = statistics.median(own)
        others = [statistics.median(r[name]) for r in rates[1:]]
        print(f"  {name}: {own:,.0f}" + "".join(f", {other:,.0f} ({own / other:.2f})" for other in others))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
