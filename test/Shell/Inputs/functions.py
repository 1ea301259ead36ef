# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that expressions call, in a lane and in conditions."""
import sys
from stops import Session

VALUES = (
    # functions that the program has code for
    "square(3)", "factorial(5)", "dims[1]", "s.size()", "inner.at(2)", "lambda(3)", "copies(3)", "c * c", "mixed(7).half",
    "mixed(7).letter", "mix(m, true, 1)", "large(l, 2).numbers[2]", "follow(local)", "neighbor(3)", "place()", "shape()",
    "many(" + ", ".join(map(str, range(1, 38))) + ")", "square(square(f4.x)) + s.size()", "make_float4(1, 2, 3, 4)",
    # what HIP's headers have
    "f4 + f4", "f4 * 2 - f4", "-f4", "f4 == f4", "sqrtf(2)", "sqrt(f4.x)", "min(3, 4)", "max(3.5, 4.0)", "isnan(0.0f / 0)",
    "isinf(1 / 0.0f)", "isinf(f4.x)", "powf(f4.x, 2)", "fmaf(2.0f, 3.0f, 1.0f)", "abs(-3)", "fmod(7.5, 2)",
    # functions of the expression
    "[&](int a) { return a + local[1]; }(4)",
    # objects from braces, and vectors that the program never makes
    "int q[3] = {4, 5, 6}; q[1]", "Complex z{1, 2}; (z * z).im", "make_int2(3, 4)", "make_int2(3, 4).y + local[0]",
    # strings
    '"abc"', '"abc"[1]')
ERRORS = ("spin(1)", "*(int *)0", "follow((int *)0)", "f4 += f4", "int2{1, 2}", "(int2) {1, 2}", "halved(3)", "halved<int>(3)")
SOURCE = "functions.hip"
CONDITIONS = ("square(f4.x) > 900 && s.size() < 36", "lambda(1) == 40", "sqrtf(f4.x) == 5 && blockIdx.x == 1",
              "neighbor(2) == 21 && place() == 1040")

program, optimized, settings = sys.argv[1], sys.argv[2] == "O2", (f"target.env-vars WAVELANE_PROCESSOR={sys.argv[3]}",)
with Session(program, settings=settings) as s:
    s.at("break here", source=SOURCE)
    s.run()
    s.command("thread lane select 9")
    for text in ("square(3)", "lambda(3)", "place()", "sqrtf(2)", "mixed(7)", "local[0] + 1") if optimized else VALUES:
        print(f"{text}: {s.command('p ' + text).splitlines()[0]}")
    if not optimized:
        registers = s.command("register read --all")
        for text in ERRORS:
            print(f"{text}: {s.command('p ' + text)}")
        print("put:", s.command("p put(local, 77); local[0]"), s.command("p local[0]"))
        print("grow:", s.command("p s.grow(5); s.count"), s.command("p s.count"))
        print("registers:", s.command("register read --all") == registers)
        print("lanes:", s.command("thread lane print --lanes 2,3 s.size() + square(f4.x)").split())
    s.command("breakpoint delete -f")
    s.resume()
    print(s.host.GetProcess().GetSTDOUT(100).strip())
for text in CONDITIONS[1:2] if optimized else CONDITIONS:
    with Session(program, settings=settings) as s:
        s.at("break here", "--condition", f"'{text}'", source=SOURCE)
        stop = s.run()
        print(f"{text}: {stop}: {s.command('p place()')}")
