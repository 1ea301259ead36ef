# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of commands on lanes: structs and arrays, columns, all waves, stacks; the selected frame doesn't change."""
import sys
from stops import Session

program = sys.argv[1] + "/shared-O0"


def show(text, count=None):
    for line in text.splitlines()[:count]:
        print("|" + line)


def frame_of(s):
    return s.waves.GetSelectedThread().GetSelectedFrame().GetFrameID()


with Session(program) as s:
    s.at("in reverse", source="shared.hip")
    print(s.run())
    # A command for lanes doesn't change the selected frame.
    print("== frame")
    s.command("up")
    print(s.command("p r + 0 * (own[0])").split()[0], frame_of(s))
    for command in ("thread lane print in", "thread lane find in != 0", "thread lane apply 0-1 p in", "thread lane select 5",
                    "thread lane next", "thread lane list", "thread lane backtrace", "thread lane select --where 'out != 0'"):
        s.command(command)
        print(command, "->", frame_of(s), s.waves.GetSelectedThread().GetSelectedFrame().GetFunctionName().split("(")[0])
    print("== stack")
    show(s.command("thread lane backtrace"))
    print("== quiet")
    show(s.command("thread lane apply --quiet 3-4 p (int)$lane"))
    show(s.command("thread lane apply --quiet 5 -- p (int)$lane"))
    print(s.command("thread lane apply --quiet 3 p nothing").splitlines()[0][:60])

with Session(program) as s:
    s.at("in values", source="shared.hip")
    print(s.run())
    print("== struct")
    show(s.command("thread lane print --lanes 2,3 particle"))
    print("== rows")
    show(s.command("thread lane print --lanes 1,12 grid"))
    s.command("thread lane select 12")
    show(s.command("frame variable grid"))
    show(s.command("p grid[1]"))
    print("== columns")
    show(s.command("thread lane print --columns i"), 3)
    show(s.command("thread lane print --columns --all --lanes 60-63 i"))
    print("== all waves")
    show(s.command("thread lane print --all-waves i / 64"))
    show(s.command("thread lane find --all-waves i == 100"))
    # Options may be behind the expression.
    print("== options behind")
    show(s.command("thread lane print i --lanes 2-3"))
    show(s.command("thread lane find i == 100 --all-waves"))
    show(s.command("thread lane print i --lanes 2-3 + 1"))
    show(s.command("thread lane print 3 - --i --lanes 2"))
    print("== wide list", max(len(line) for line in s.command("gpu wave list").splitlines()) <= 100,
          max(len(line) for line in s.command("gpu wave list --verbose").splitlines()) > 100)
    show(s.command("gpu wave list"), 2)
    # Registers by element.
    print("== registers")
    print(s.command("register write v0[3] 77"), s.command("p $v0[3]"), s.command("register write v1[2] 1.5"), s.command("p/x $v1[2]"))
    for text in ("v0[64] 1", "v0[3] 0x100000000", "v0[3] x", "exec[0] 1", "nothing[0] 1"):
        print(text, "->", s.command(f"register write {text}"))
    # Aliases are offered.
    print("== aliases")
    print(s.command("wave 2").splitlines()[0])
    show(s.command("wavelane aliases"), 3)
    for text in ("lanes", "waves", "dispatches", "nothing"):
        lines = s.command("info " + text).splitlines()
        print("info:", lines[0] if text == "nothing" else "|" + lines[text == "lanes"])
    s.command("wave 2")
    print(s.waves.GetSelectedThread().GetName())
    print(s.command("lane select 7").split("', ")[1].split(",")[0])
    print(s.command("lane 5").split("', ")[1].split(",")[0])
    print(s.command("log enable wavelane lanes expressions").strip() or "log enabled")
