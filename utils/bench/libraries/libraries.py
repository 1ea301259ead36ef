#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations per second of lldb-server over ROCdbgapi libraries, ours and others, in turns, in one run.

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
    debugger.CreateTarget(program).BreakpointCreateByName("stand")
    debugger.GetSelectedTarget().LaunchSimple(None, None, ".")
    target = debugger.GetSelectedTarget()
    assert target.GetTriple().startswith("amdgcn"), target.GetTriple()
    process, thread = target.GetProcess(), target.GetProcess().GetSelectedThread()
    interpreter, result = debugger.GetCommandInterpreter(), lldb.SBCommandReturnObject()

    def packet(text):
        interpreter.HandleCommand(f"process plugin packet send '{text}'", result)
        answer = result.GetOutput().partition("response: ")[2].strip()
        return answer if "UNIMPLEMENTED" not in answer and len(answer) != 3 else ""

    # By number: 0 is the program counter; a vector register holds 64 lanes of 4 bytes, in hexadecimal digits.
    sizes = {n: len(packet(f"p{n:x};thread:1;")) for n in range(1000)}
    registers = [n for n, size in sizes.items() if size]
    vector = next(n for n in registers if sizes[n] == 512)
    memory = thread.GetFrameAtIndex(0).FindVariable("data").GetValueAsUnsigned()
    error = lldb.SBError()
    interpreter.HandleCommand("settings set target.process.disable-memory-cache true", result)

    def everything():
        for n in registers:
            packet(f"p{n:x};thread:1;")

    def read():
        assert len(process.ReadMemory(memory, 1 << 20, error)) == 1 << 20, error

    operations = {
        "list of the waves": lambda: packet('jWavelaneObjects:{"kind":"wave"}]'),
        "one register": lambda: packet("p0;thread:1;"),
        "a vector register": lambda: packet(f"p{vector:x};thread:1;"),
        f"all {len(registers)} registers of a wave": everything,
        "1 MB of global memory": read,
        "a step of one instruction": lambda: thread.StepInstruction(False),
    }
    out = {}
    for name, operation in operations.items():
        assert operation() != "", name
        count, begin = 0, time.perf_counter()
        while (spent := time.perf_counter() - begin) < SECONDS:
            operation()
            process.GetThreadAtIndex(0)
            count += 1
        out[name] = count / spent
    process.Kill()
    print(json.dumps(out))


def build_program(build):
    program = f"{build}/test/libraries"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libraries.hip")
    subprocess.check_call(["clang++-19", "-x", "hip", "--offload-arch=gfx90a", "--rocm-path=/usr",
                           f"--rocm-device-lib-path={build}/test/programs/bitcode", "-g", source, "-o", program, "-lamdhip64"])
    return program


def main(arguments):
    if arguments[0] == "--child":
        return child(arguments[1])
    build, libraries = arguments[0], [""] + arguments[1:]
    modules = subprocess.check_output([f"{build}/bin/lldb", "-P"], text=True).strip()
    program = build_program(build)
    rates = [{} for _ in libraries]
    for turn in range(3):
        for i, library in enumerate(libraries):
            text = subprocess.check_output([sys.executable, __file__, "--child", program], text=True, env={
                **os.environ, "PYTHONPATH": modules, "WAVELANE_DBGAPI_LIBRARY": library})
            for name, rate in json.loads(text.splitlines()[-1]).items():
                rates[i].setdefault(name, []).append(rate)
    print("operations per second over our library" + "".join(f", over {library} (and the ratio)" for library in libraries[1:]))
    for name, own in rates[0].items():
        own = statistics.median(own)
        others = [statistics.median(r[name]) for r in rates[1:]]
        print(f"  {name}: {own:,.0f}" + "".join(f", {other:,.0f} ({own / other:.2f})" for other in others))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
