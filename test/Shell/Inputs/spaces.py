# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointers into every address space, from threads and frames that aren't selected, too.

usage: spaces.py PROGRAM GPU [SOURCE OUT], the latter for the spellings of other compilers
"""
import sys
import lldb
import edited
from stops import Session


def at(session, mark):
    session.host.BreakpointCreateBySourceRegex("// " + mark, lldb.SBFileSpec("spaces.hip"))


def complete(session, text):
    found = lldb.SBStringList()
    session.debugger.GetCommandInterpreter().HandleCompletion(text, len(text), 0, -1, found)
    return [found.GetStringAtIndex(i) for i in range(1, found.GetSize())]


def look(frame, *paths):
    """A path of a variable, or an expression after '='."""
    found = []
    for path in paths:
        value = frame.EvaluateExpression(path[1:]) if path[0] == "=" else frame.GetValueForVariablePath(path)
        error = value.GetError()
        text = value.GetValue() or value.GetSummary() or str(error)
        found.append(f"{path} {text}{' ' + value.GetSummary() if value.GetSummary() and value.GetValue() else ''}")
    return ", ".join(found)


program, gpu = sys.argv[1:3]
with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}", "target.max-children-count 2")) as s:
    at(s, "outer")
    s.run()
    waves = s.waves
    for index in range(waves.GetNumThreads()):
        if waves.GetThreadAtIndex(index).GetFrameAtIndex(0).FindVariable("mine").GetValueAsUnsigned() == 1064:
            chosen = waves.GetThreadAtIndex(index)
    waves.SetSelectedThread(chosen)
    s.command("thread lane select 5")
    frame = chosen.GetFrameAtIndex(0)
    print("selected: mine", frame.FindVariable("mine").GetValue())
    for name in ("local", "priv", "local_pair", "global", "nowhere", "local_null", "private_null", "to_tile", "to_mine",
                 "to_word", "holder"):
        print(s.command(f"frame variable {name}").replace("\n", ""))
    for text in ("*local", "*priv", "*to_tile", "*to_mine", "local_pair->second", "*local_pair", "local[1]", "&tile[2]",
                 "&mine", "sizeof(holder)"):
        print(f"p {text}:", s.command(f"p {text}"))
    for text in ("*local + 1", "*(local + 2)", "local + 1", "*holder.local + *holder.priv + holder.between",
                 "(*local_pair).first * 2", "to_word[1]", "(int *)local", "*(int *)local", "(LocalPointer)&tile[3]",
                 "local == (LocalPointer)&tile[69]", "local_null == nullptr", "private_null == nullptr",
                 "local_null == local", "(int *)local_null == nullptr", "local_null == (LocalPointer)nowhere"):
        print(f"expression {text}:", s.command(f"expression -- {text}").split("= ", 1)[-1])
    for text in ("*private_null", "*private_null + 1"):
        print(f"p {text}:", s.command(f"p {text}").split("\n")[0])
    print("written:", s.command("expression *local = 77").split(" = ")[1], frame.GetValueForVariablePath("tile[69]").GetValue(),
          s.command("expression *priv += 1").split(" = ")[1], frame.FindVariable("mine").GetValue())
    s.command("expression *to_mine -= 1")
    s.command("expression *local = 2138")
    # Other waves keep their own memory, and their own focus lane.
    for index in range(waves.GetNumThreads()):
        wave = waves.GetThreadAtIndex(index)
        if wave.GetThreadID() != chosen.GetThreadID():
            print(wave.GetName(), look(wave.GetFrameAtIndex(0), "mine", "*local", "*priv", "*to_tile", "*to_mine",
                                       "local_pair->second", "=*local", "=*to_mine + *to_tile", "=to_tile[2]", "to_word"))
    print("selected still:", look(frame, "*to_mine", "=*to_tile"))

    # A variable's address is the program's, whatever address the debugger uses.
    for text in ("to_mine == &mine", "&tile[5] - to_tile", "(long)&mine == (long)to_mine", "&mine < to_mine", "*(to_tile = &tile[69])",
                 "to_tile", "*to_tile"):
        print(f"address {text}:", s.command(f"expression -- {text}").split("= ", 1)[-1])
    s.command("expression to_tile = to_tile - 68")
    # Commands that take addresses follow a pointer into its space.
    for text in ("local", "priv", "to_mine"):
        print("read", text, s.command(f"memory read --size 4 --count 1 --format d {text}").split()[-1])
        print(s.command(f"watchpoint set expression -w write -s 4 -- {text}").split("created: ")[1].split(" state")[0])
        s.command("watchpoint delete --force")

    print("list:", [line.split() for line in s.command("gpu address-space list").splitlines()])
    print("as JSON:", s.command("gpu address-space list --json").count('"number"'))
    print("complete:", complete(s, "gpu memory read --space "), complete(s, "gpu memory read --space pr"))
    print("read:", s.command("gpu memory read --space local --count 2 0x114"), s.command("gpu memory read local#0x114 -c 1"))
    print("region:", s.command("gpu memory read --space region 0"))
    print("none:", s.command("gpu memory read --space 9 0"))

with Session(program, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
    at(s, "inner")
    s.run()
    chosen = s.waves.GetThreadAtIndex(1)
    s.waves.SetSelectedThread(chosen)
    s.command("thread lane select 3")
    for level in (0, 1):
        frame = chosen.GetFrameAtIndex(level)
        print(f"frame {level}:", look(frame, *(("*generic", "*to_own", "*local", "text") if level == 0 else
                                               ("*to_mine", "mine", "*local", "*priv", "to_word", "=*to_mine + *priv"))))
    s.host.DeleteAllBreakpoints()
    s.resume()
    print(s.host.GetProcess().GetSTDOUT(100).strip())


def spell(text, attribute, producer):
    """The program as another compiler describes it: spaces by the GPU's numbers."""
    text = edited.replace(text, r"(\.long\t)(\d)(\s*; DW_AT_address_class)",
                          lambda m: m[1] + {"1": "5", "2": "3"}[m[2]] + m[3])
    if attribute:
        return edited.replace(text, r"\.byte\t51(\s*; DW_AT_address_class)", r'.ascii\t"\\220|"\1')
    text = edited.replace(text, r"clang version 19\.[0-9.]*", producer)
    return edited.replace(text, r"\.byte\t50\n\s*\.byte\t22\n\s*\.byte\t24$", ".byte\t51\n\t.byte\t22\n\t.byte\t24")


if len(sys.argv) > 3:
    source, out = sys.argv[3:]
    assembly = edited.compile_gpu(source, gpu, "-g", "-O0")
    for name, attribute in (("clang version 22.1.0", False), ("DW_AT_LLVM_address_space", True)):
        other = edited.build(source, gpu, spell(assembly, attribute, name), out)
        with Session(other, settings=(f"target.env-vars WAVELANE_PROCESSOR={gpu}",)) as s:
            at(s, "outer")
            s.run()
            print(f"{name}:", look(s.waves.GetThreadAtIndex(3).GetFrameAtIndex(0), "local", "*local", "priv", "*priv",
                                   "local_pair->first", "holder.priv", "tile[66]", "=*local + *priv", "private_null"))
