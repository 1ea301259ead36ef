# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What expressions on a GPU have beyond C++, by every way to evaluate one.

usage: language.py PROGRAM GPU
"""
import re
import sys
import lldb
from stops import Session


def shown(text):
    return re.sub(r"\$\d+ = ", "", " ".join(text.split()))


def main():
    program, gpu = sys.argv[1:]
    # In one order with what LLDB itself writes.
    sys.stdout.reconfigure(line_buffering=True)
    with Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
        s.at("look", source="language.hip")
        s.command("breakpoint modify -c 'threadIdx.x == 7'")
        print("at", re.sub(r" at .*", "", s.run()))

        def show(*commands):
            for command in commands:
                print(f"{command}: {shown(s.command(command))}")
        print("== values")
        show("p local", "p private_lane#0x0", "p local#0x1c", "p *(int *)local#0x1c", "p *((int *)local#0x1c + 1)",
             "p (int *)(local#0x1c + 4)", "p (LocalPointer)local#0x1c == local", "p local#0xffffffff", "p generic#0",
             "p (long)local#0x1c", "p (int *)private_wave#0x0", "p *(int *)private_wave#0x0 == *(int *)private_wave#0x0",
             "p *(int *)local#(0x10 + 12)", "p 3#0x1c", "expression -- auto $at = 0x1c", "p *(int *)local#$at")
        print("== registers")
        show("expression -- unsigned $saved = $s40", "register write s40 0x1c", "p *(int *)local#$s40", "expression $s40 = $saved")
        v2 = s.command("register read v2 --format 'uint32_t[]'")
        print("v2", "v2 = " in v2)
        before = s.command("p $v2[7]")
        s.command("register write v2[7] 0x40")
        show("p *(int *)local#$v2", "x/1dw local#$v2")
        s.command(f"register write v2[7] {before.split()[-1]}")
        print("== writes")
        show("p *(int *)local#0x1c = 123", "p *local", "expression *(int *)local#0x1c = 14", "memory write -s 4 local#0x1c 15",
             "p *local", "set {int}local#0x1c = 14", "p *local")
        print("== commands")
        show("memory read -f d -s 4 -c 2 local#0x1c", "memory read -f d -s 4 -c 1 local#(0x10+12)", "x/2dw local#0x1c",
             "frame variable *(int *)local#0x1c", "thread lane print --lanes 6-8 *(int *)local#0x1c",
             "thread lane find *(int *)local#(0x1c) == 14 && threadIdx.x == 3", "memory read 3#0x1c -c 4 -s 1")
        frame = s.waves.GetSelectedThread().GetSelectedFrame()
        print("SB", frame.EvaluateExpression("*(int *)local#0x1c").GetValue())
        print("== null")
        show("p *(int *)local#0xffffffff", "memory read local#0xffffffff", "p (int *)private_lane#0xffffffff == nullptr",
             "p (LocalPointer)local#0xffffffff == nullptr")
        print("== refused")
        show("p gibberish#0x123", "p local#0x100000000", "p local#", "p region#0", "memory read gibberish#0", "p (1)#2",
             "x/x 0x7fffffffffffffff", "p a # b", "p local#(1ul << 33)", "p *(int *)private_lane#(threadIdx.x + 0xffffffffful)",
             "memory read local#(1ul<<32)", "memory read local#(1ul << 32)", "thread lane print --lanes 7 *(int *)local#(1ul << 40)", "p *(int *)local#(7 * 4)")
        print("== pointers")
        show("p generic = local", "p *generic", "p generic = priv", "p *generic", "p local = generic", "p generic = host_pair",
             "p int *$own = local", "p *$own", "p sizeof(local)", "p sizeof local", "p sizeof(holder.local)", "p sizeof(int *)",
             "p sizeof(LocalPointer)", "p sizeof(holder)", "p sizeof(*local)", "p sizeof(int) * 2")
        print("== watchpoints")
        show("watchpoint set expression -s 4 -w write -- local#0x1c", "watchpoint delete -f",
             "watchpoint set expression -s 4 -- (int *)private_lane#0x20", "watchpoint delete -f", "watch *(int *)local#0x1c",
             "watchpoint delete -f")
        print("== positions")
        show("p $_lane", "p $_lane_count", "p $_thread_workgroup_pos", "p $_dispatch_pos", "p $_workgroup_pos", "p $_lane_workgroup_pos",
             "p $_lane_workgroup_pos == \"[7,0,0]\"", "p $_dispatch_pos == \"(9,9,9)/0\"", "p $_streq($_workgroup_pos, \"(0,0,0)\")",
             "p $_thread_workgroup_pos == 0", "p $_dispatch", "p $_agent", "p $_wave_id", "p $_wave_id == 5", "p $_thread_systag",
             "p $_lane_systag", "p $_hiperr",
             "thread lane print --lanes 6-8 $_lane_workgroup_pos")
        print("== other side")
        show("p host_number", "p host_pair", "p &host_pair.second - &host_pair.second", "p host_number + counter",
             "thread lane print --lanes 6-8 host_number + threadIdx.x", "image lookup -n host_function", "p (long)&main != 0",
             "p host_number = 78", "p nothing_at_all")
        s.command("target select 0")
        show("p counter", "p table[2]", "p pair", "p counter = 6", "p counter", "image lookup -n look", "p host_number", "p counter + host_number",
             "expression -- counter + 1", "target variable counter table host_number", "target variable pair.second")
        print("SB", s.host.FindFirstGlobalVariable("counter").GetValue(), s.host.FindFirstGlobalVariable("host_number").GetValue())
        s.command("target select 1")
        show("p counter")
        print("== returns")
        s.command("breakpoint delete -f")
        s.command("breakpoint set -n sum_of<int,long>")
        print(re.sub(r" at .*", "", s.resume()), s.waves.GetSelectedThread().GetFrameAtIndex(0).GetFunctionName())
        s.command("thread return (int)threadIdx.x * 100 + a")
        s.command("breakpoint delete -f")
        s.command("breakpoint set -n deep<3>")
        print(re.sub(r" at .*", "", s.resume()), s.waves.GetSelectedThread().GetFrameAtIndex(0).GetFunctionName())
        s.command("up")
        show("thread lane print --lanes 6-8 value - *(out + threadIdx.x)", "p $_mx_get_scaled_float(value)")
    with Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
        print("== watched values")
        for command in ("target variable counter", "target variable host_number"):
            print(f"{command}: {shown(s.command(command))}")
        s.at("look", source="language.hip")
        s.command("breakpoint modify -c 'threadIdx.x == 7'")
        s.run()
        s.command("breakpoint disable")
        for command in ("watchpoint set expression -s 4 -w write -- out", "watchpoint set expression -s 2 -w read -- (long *)(out + 1)",
                        "watchpoint set expression -s 4 -- local#0xffffffff"):
            print(f"{command}: {shown(s.command(command))}")
        print(s.resume())
        print(shown(s.command("watchpoint list 1")))
    with Session(program, settings=[f"target.env-vars WAVELANE_PROCESSOR={gpu}"]) as s:
        print("== names")
        for text in ("breakpoint set -n sum_of<int,long>", "breakpoint set -n 'sum_of<int, long>'", "breakpoint set -n deep<0u>",
                     "breakpoint set -n deep<0>", "breakpoint set -n deep<3U>", "breakpoint set -n deep<4>", "breakpoint set -r language"):
            print(re.sub(r"(Breakpoint|WARNING)", r"\n    \1", f"{text}: " + re.sub(r" \(GPU code for.*\)", "", shown(s.command(text)))))
        s.command("breakpoint delete -f")
        interpreter = s.debugger.GetCommandInterpreter()

        def complete(text):
            names = lldb.SBStringList()
            interpreter.HandleCompletion(text, len(text), 0, -1, names)
            print(f"{text}<TAB>:", *(names.GetStringAtIndex(i) for i in range(1, names.GetSize())))
        for text in ("breakpoint set -n look -c threadI", "breakpoint set -n look -c 'blockIdx.x == 1 && blockDim.", "breakpoint set -f language.hip -c war"):
            complete(text)
        print("== conditions")
        for condition in ("*(int *)local#0x80 == 64 && $_lane_workgroup_pos == \"[9,0,0]\" && $_workgroup_pos == \"(1,1,0)\"",):
            s.at("look", source="language.hip")
            s.command(f"breakpoint modify -c '{condition}'")
            print(re.sub(r" at .*", "", s.run()))
            print(shown(s.command("p $_lane_workgroup_pos")), shown(s.command("p $_dispatch_pos")))
        for wave in s.waves:
            frame = wave.GetFrameAtIndex(0)
            print(frame.EvaluateExpression("$_dispatch_pos").GetSummary(), frame.EvaluateExpression("$_lane_count").GetValue())


main()
