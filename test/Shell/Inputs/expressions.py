# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions on a lane's values, and HIP's built-in variables in them."""
import sys
from stops import Session

EXPRESSIONS = (
    # arithmetic, casts
    "index * 2 + 1", "(float)index / 4", "(char)(65 + (index & 7))", "precise * 2", "-outer.a", "index << 2 ^ 5",
    "odd && index > 3", "factor > 2 ? index : -1", "color", "color == Red", "(long)out & 0xfff",
    # members, arrays, pointers, references
    "outer.values[2] - index", "outer.bits", "outer.more", "reference.both.u", "((Outer *)outer.next)->values[2]",
    "*(&outer.values[1] + 1)", "ring.items[index % 3]", "*(Inner *)&outer", "&outer.values[3] - outer.values",
    "tile[21]", "*&tile[21] == tile[index % 3 + 20]", "sizeof(outer)",
    "int s = 0; for (int k = 0; k < 4; ++k) s += outer.values[k]; s",
    # HIP's built-ins
    "threadIdx", "threadIdx.x + 100 * threadIdx.y", "blockIdx.x", "blockDim", "gridDim", "warpSize",
    "(blockIdx.x * blockDim.x + threadIdx.x) == x", "auto t = threadIdx; t.x + 1", "sizeof(threadIdx)")

program, lanes = sys.argv[1], int(sys.argv[2])
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={sys.argv[3]}",)) as s:
    # Work-item (5,1,0) of workgroup (2,0,0): evaluated by the server, and by LLDB.
    condition = "threadIdx.x == 5 && threadIdx.y == 1 && blockIdx.x == 2 && gridDim.y == 2 && blockIdx.y == 0"
    s.at("store", "--condition", f"'{condition}'", source="expressions.hip")
    print(s.run())
    for text in EXPRESSIONS:
        print(f"{text}: {s.command('p ' + text)}")
    print("find:", s.command("thread lane find threadIdx.x == 3 && threadIdx.y == 1"))
    print("print:", s.command("thread lane print threadIdx.x").splitlines()[16].split(), "in lane 16 of", lanes)
    changed = s.command("expression threadIdx.x = 4").splitlines()
    print("changed:", next(line for line in changed if not line.startswith("note: ")))
    for text in ("frame variable", "frame variable -g"):
        names = [line.split(" = ")[0].split()[-1] for line in s.command(text).splitlines() if line.startswith("(")]
        print(f"{text}:", *names)
    print("shown:", s.command("frame variable gridDim"))
    print("location:", s.command("dwarf variable blockDim").splitlines()[-2])
    s.command("thread lane select 7")
    print("lane 7:", s.command("p threadIdx"), s.command("frame variable threadIdx.x"))
    target = s.debugger.GetSelectedTarget()
    print("API:", target.EvaluateExpression("threadIdx.x * 2").GetValueAsUnsigned(),
          s.waves.GetSelectedThread().GetFrameAtIndex(0).EvaluateExpression("blockIdx.x").GetValueAsUnsigned())

for text in (condition, condition.replace("blockIdx.y == 0", "*(unsigned *)&blockIdx == 2")):
    with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={sys.argv[3]}",)) as s:
        s.at("lambda", "--condition", f"'{text}'", source="expressions.hip")
        print("in a lambda:", s.run())
        for text in ("value", "factor", "x", "ring.items[0] + value", "result", "threadIdx.x"):
            print(f"{text}: {s.command('p ' + text)}")
        s.command("up")
        print("its caller:", s.command("p threadIdx.x + index"), s.command("p twice"))

with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={sys.argv[3]}",)) as s:
    s.at("push", "--condition", "'item == 85'", source="expressions.hip")
    print("in a method:", s.run())
    for text in ("count", "this->items[0]", "items[0] * 2", "*this", "threadIdx.y"):
        print(f"{text}: {s.command('p ' + text)}")
    s.command("breakpoint delete -f")
    s.resume()
    print(s.host.GetProcess().GetSTDOUT(100))
