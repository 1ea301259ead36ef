#!/usr/bin/env python3
"""Writes the case files beside it. Each case names the section it comes from.

The files are what the tests read; this is how they are kept readable.
"""
import json
import os

V0 = "".join("%08x" % int.from_bytes((0xA0000000 + k).to_bytes(4, "little"), "big") for k in range(64))
V1 = "".join("%08x" % int.from_bytes((0xB0000000 + k).to_bytes(4, "little"), "big") for k in range(64))
WAVE = {"2560": V0, "2561": V1, "32": "40000000", "35": "efcdab89"}


def ops(text):
    """"regx 3; push_lane" -> lists; operands are numbers, else words."""
    out = []
    for part in text.split(";"):
        words = part.split()
        if not words:
            continue
        row = ["DW_OP_" + words[0]]
        for w in words[1:]:
            try:
                row.append(int(w, 0))
            except ValueError:
                row.append(w)
        out.append(row)
    return out


class File:
    def __init__(self, name):
        self.name, self.cases = name, []

    def add(self, id, source, expression, want, semantics="any", kind=None, size=8, **context):
        case = {"id": id, "source": source, "semantics": semantics, "dwarf": {"version": 5, "address_size": size},
                "expression": ops(expression) if isinstance(expression, str) else expression,
                "context": context, "want": want}
        if kind:
            case["result_kind"] = kind
        self.cases.append(case)

    def value(self, id, source, expression, value, type=None, **more):
        want = {"kind": "value", "value": value}
        if type:
            want["type"] = type
        self.add(id, source, expression, want, **more)

    def error(self, id, source, expression, **more):
        self.add(id, source, expression, {"error": True}, **more)

    def bytes(self, id, source, expression, data, **more):
        want = {"kind": "location", "bytes": data.replace(" ", ""), "size": len(data.replace(" ", "")) // 2}
        for key in ("offset", "storage_size", "parts", "pointee"):
            if key in more:
                want[key] = more.pop(key)
        self.add(id, source, expression, want, **more)

    def write(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), self.name + ".json")
        with open(path, "w") as f:
            f.write("[\n" + ",\n".join(json.dumps(c) for c in self.cases) + "\n]\n")


def values():
    f = File("values")
    s = "DWARF 5, 2.5.1.4"
    for op, a, b, want in [("plus", "lit3", "lit4", 7), ("minus", "lit3", "lit4", 2**64 - 1), ("mul", "lit6", "lit7", 42),
                           ("div", "const1s -7", "lit2", 2**64 - 3), ("mod", "lit7", "lit3", 1), ("and", "lit12", "lit10", 8),
                           ("or", "lit12", "lit10", 14), ("xor", "lit12", "lit10", 6), ("shl", "lit1", "lit31", 2**31),
                           ("shr", "const1s -1", "const1u 60", 15), ("shra", "const1s -16", "lit2", 2**64 - 4),
                           ("shl", "lit1", "const1u 64", 0), ("eq", "lit1", "lit1", 1), ("ne", "lit1", "lit1", 0),
                           ("lt", "const1s -1", "lit0", 1), ("gt", "const1s -1", "lit0", 0), ("le", "lit2", "lit2", 1),
                           ("ge", "lit1", "lit2", 0)]:
        f.value(f"{op}-{a}-{b}".replace(" ", ""), s, f"{a}; {b}; {op}", want)
    f.value("mod-is-unsigned", s, "const1s -1; lit16; mod", 15)
    f.value("abs", s, "const1s -5; abs", 5)
    f.value("neg", s, "lit5; neg", 2**64 - 5)
    f.value("not", s, "lit0; not", 2**64 - 1)
    f.value("constu-is-cut", "DWARF 5, 2.5.1.1", "constu 0x1ffffffff", 0xffffffff, size=4)
    f.value("const8s", "DWARF 5, 2.5.1.1", "const8s -2", 2**64 - 2)
    f.value("plus_uconst", s, "lit1; plus_uconst 300", 301)
    f.value("dup", "DWARF 5, 2.5.1.3", "lit4; dup; mul", 16)
    f.value("over", "DWARF 5, 2.5.1.3", "lit4; lit5; over; minus", 1)
    f.value("pick", "DWARF 5, 2.5.1.3", "lit4; lit5; lit6; pick 2", 4)
    f.value("swap", "DWARF 5, 2.5.1.3", "lit4; lit5; swap; minus", 1)
    f.value("rot", "DWARF 5, 2.5.1.3", "lit1; lit2; lit3; rot; drop", 1)
    f.value("skip", "DWARF 5, 2.5.1.5", "lit1; skip 1; lit2", 1)
    f.value("bra-taken", "DWARF 5, 2.5.1.5", "lit1; lit1; bra 1; lit2", 1)
    f.value("bra-not-taken", "DWARF 5, 2.5.1.5", "lit1; lit0; bra 1; lit2", 2)
    f.value("loop", "DWARF 5, 2.5.1.5", "lit0; lit4; swap; over; plus; swap; lit1; minus; dup; bra -8; drop", 10)
    f.error("endless", "limits", "skip -1")
    f.error("division-by-zero", s, "lit1; lit0; div")
    f.error("mod-by-zero", s, "lit1; lit0; mod")
    f.error("too-few", s, "lit1; plus")
    f.error("empty-value", "reference 2.2", "nop", kind="value")
    f.error("different-types", s, [["DW_OP_const_type", "u32", 1], ["DW_OP_lit1"], ["DW_OP_plus"]])
    f.value("typed-plus", s, [["DW_OP_const_type", "u8", 200], ["DW_OP_const_type", "u8", 100], ["DW_OP_plus"]], 44, type="u8")
    f.value("typed-signed-div", s, [["DW_OP_const_type", "s16", -7], ["DW_OP_const_type", "s16", 2], ["DW_OP_div"]], -3, type="s16")
    f.value("float-mul", s, [["DW_OP_const_type", "f64", 1.5], ["DW_OP_const_type", "f64", 4], ["DW_OP_mul"]], 6, type="f64")
    f.value("convert-float", s, [["DW_OP_lit7"], ["DW_OP_convert", "f32"]], 7, type="f32")
    f.value("convert-to-int", s, [["DW_OP_const_type", "f32", -2.5], ["DW_OP_convert", "s32"]], -2, type="s32")
    f.value("convert-sign", s, [["DW_OP_const_type", "s8", -1], ["DW_OP_convert", "u32"]], 0xffffffff, type="u32")
    f.value("reinterpret", s, [["DW_OP_const_type", "f32", 1], ["DW_OP_reinterpret", "u32"]], 0x3f800000, type="u32")
    f.error("reinterpret-size", s, [["DW_OP_const_type", "f32", 1], ["DW_OP_reinterpret", "u64"]])
    f.error("float-and", s, [["DW_OP_const_type", "f32", 1], ["DW_OP_dup"], ["DW_OP_and"]])
    f.value("value-ignores-below", "reference 2.2", "lit1; lit2", 2)
    return f


def locations():
    f = File("locations")
    regs = {"0": "0040000000000000", "3": "2800000000000000", "5": "1122334455667788"}
    mem = [{"aspace": 0, "address": 0x4000, "bytes": "000102030405060708090a0b0c0d0e0f"}]
    f.bytes("addr", "DWARF 5, 2.5.1.1", "addr 0x4002", "0203", memory=mem, kind="location", offset=0x4002)
    f.bytes("value-to-location", "DWARF 6, 230524.1", "const2u 0x4004", "0405", memory=mem, kind="location")
    f.bytes("breg", "DWARF 5, 2.5.1.2", "breg0 3", "0304", memory=mem, registers=regs, kind="location")
    f.value("breg-as-value", "DWARF 5, 2.5.1.2", "breg0 3", 0x4003, registers=regs, kind="value")
    f.bytes("reg", "DWARF 5, 2.6.1.1.3", "reg5", "11223344", registers=regs, storage_size=8, offset=0,
            parts=[{"start": 0, "end": None, "storage": "register", "number": 5, "offset": 0}])
    f.error("reg-plus", "reference 2.3", "reg5; lit1; plus", registers=regs)
    f.error("plus_uconst-of-register", "reference 4", "reg5; plus_uconst 1", registers=regs)
    f.value("deref", "DWARF 5, 2.5.1.3", "addr 0x4000; deref", 0x0706050403020100, memory=mem)
    f.value("deref_size", "DWARF 5, 2.5.1.3", "addr 0x4000; deref_size 2", 0x0100, memory=mem)
    f.value("deref-register", "DWARF 6, 230524.1", "reg5; deref_size 4", 0x44332211, registers=regs)
    f.error("deref-too-much", "reference 4", "reg5; deref", registers={"5": "11223344"})
    f.error("deref-unreadable", "reference 2.5", "addr 0x9000; deref", memory=mem)
    f.bytes("stack_value", "DWARF 5, 2.6.1.1.4", "lit9; stack_value", "0900000000000000", storage_size=8)
    f.bytes("stack_value-goes-on", "reference row 23", "lit9; stack_value; lit1; offset", "00", offset=1)
    f.bytes("implicit_value", "DWARF 5, 2.6.1.1.4", [["DW_OP_implicit_value", "aabbcc"]], "aabbcc", storage_size=3)
    f.add("empty-is-undefined", "reference 2.2", [], {"kind": "location", "bytes": "????", "size": 2}, kind="location")
    f.bytes("fbreg", "DWARF 5, 2.5.1.2", "fbreg 4", "0506", frame_base={"expression": ops("breg0 1")}, registers=regs, memory=mem)
    f.bytes("fbreg-register-base", "reference 9.3", "fbreg -1 ; offset_uconst 3", "0203",
            frame_base={"expression": ops("reg0")}, registers=regs, memory=mem)
    f.error("fbreg-without-base", "reference 3", "fbreg 4")
    f.bytes("cfa", "DWARF 5, 2.5.1.1", "call_frame_cfa", "00", cfa={"expression": ops("breg0 0")}, registers=regs, memory=mem)
    f.error("no-cfa", "reference 3", "call_frame_cfa")
    f.bytes("object", "DWARF 5, 2.5.1.3", "push_object_location; offset_uconst 2", "02",
            object={"expression": ops("addr 0x4000")}, memory=mem)
    f.error("no-object", "reference 3", "push_object_address")
    f.value("entry_value", "DWARF 5, 2.5.1.7", [["DW_OP_entry_value", [["DW_OP_reg5"]]]], 0x77,
            entry_values={"registers": {"5": "7700000000000000"}}, registers=regs)
    f.error("entry_value-without", "reference 3", [["DW_OP_entry_value", [["DW_OP_reg5"]]]], registers=regs)
    f.bytes("call", "DWARF 5, 2.5.1.5", [["DW_OP_lit1"], ["DW_OP_call", "a"], ["DW_OP_plus"]], "05",
            dies={"a": {"location": ops("addr 0x4004")}}, memory=mem, kind="location")
    f.bytes("call-const", "reference 8.1", [["DW_OP_call", "a"]], "cafe", dies={"a": {"const_value": "cafe"}})
    f.bytes("call-loclist", "reference 8.1", [["DW_OP_call", "a"]], "1122", registers=regs, pc=0x10,
            dies={"a": {"loclist": [{"lo": 0, "hi": 0x10, "expression": ops("reg0")}, {"lo": 0x10, "hi": 0x20, "expression": ops("reg5")}]}})
    f.value("call-nothing", "reference 8.1", [["DW_OP_lit3"], ["DW_OP_call", "a"]], 3, dies={"a": {}})
    f.error("call-recursion", "limits", [["DW_OP_call", "a"]], dies={"a": {"location": [["DW_OP_call", "a"]]}})
    f.add("implicit_pointer", "DWARF 5, 2.6.1.1.5", [["DW_OP_implicit_pointer", "a", 1]],
          {"kind": "location", "size": 0, "pointee": "0506"}, dies={"a": {"location": ops("addr 0x4004")}}, memory=mem)
    f.error("implicit_pointer-part", "reference 2.4", [["DW_OP_implicit_pointer", "a", 0], ["DW_OP_deref_size", 4]],
            dies={"a": {"location": ops("addr 0x4004")}}, memory=mem)
    f.bytes("undefined-offset", "reference row 12", "undefined; offset_uconst 1000; piece 1; addr 0x4000; piece 1", "??00", memory=mem)
    f.error("offset-past-end", "reference row 11", "reg5; offset_uconst 8", registers=regs)
    f.error("offset-before", "reference row 11", "reg5; const1s -1; offset", registers=regs)
    f.bytes("two-places", "reference 8.2", [["DW_OP_call", "a"]], "1122", registers=regs, pc=4,
            dies={"a": {"loclist": [{"lo": 0, "hi": 8, "expression": ops("addr 0x9999")}, {"lo": 0, "hi": 8, "expression": ops("reg5")}]}})
    f.bytes("multiloc", "260227.1", "addr 0x9999; reg5; multiloc", "1122", registers=regs, semantics="proposal-multiloc")
    return f


def composites():
    f = File("composites")
    regs = {"0": "0011223344556677", "1": "8899aabbccddeeff", "35": "efcdab89", "32": "00400000"}
    mem = [{"aspace": 0, "address": 0x4000, "bytes": "000102030405060708090a0b0c0d0e0f1011121314151617"},
           {"aspace": 0, "address": 0x4010, "bytes": "e0e1e2e3"}]
    f.bytes("pieces", "DWARF 5, 2.6.1.2", "reg0; piece 4; reg1; piece 4", "0011223388 99aabb", registers=regs, storage_size=8,
            parts=[{"start": 0, "end": 4, "storage": "register", "number": 0, "offset": 0},
                   {"start": 4, "end": 8, "storage": "register", "number": 1, "offset": 0}])
    f.bytes("undefined-piece", "DWARF 5, D.1.3", "piece 4; reg0; piece 2", "????????0011", registers=regs)
    f.bytes("d5-example", "reference 14.5", "regx 35; piece 4; piece 2; bregx 32 16; piece 2", "efcdab89????e0e1",
            registers=regs, memory=[mem[1]])
    f.error("composite-plus", "reference 14.5", "regx 35; piece 4; piece 2; plus_uconst 5", registers=regs)
    f.bytes("piece_end-offset", "reference 14.5", "regx 35; piece 4; piece 2; bregx 32 16; piece 2; piece_end; offset_uconst 5",
            "??e0e1", registers=regs, memory=[mem[1]])
    f.error("piece-too-large", "reference 7.1", "reg0; piece 9", registers=regs)
    f.error("piece-too-large-after-offset", "reference 7.1", "regx 35; offset_uconst 2; piece 3", registers=regs)
    f.add("bit_piece", "DWARF 5, 2.6.1.2", ops("regx 35; bit_piece 4 4; regx 35; bit_piece 8 16"),
          {"kind": "location", "bits": "0111" + "11010101"}, registers=regs)
    f.add("bit_offset", "reference 14.5", ops("regx 35; lit20; bit_offset"), {"kind": "location", "bytes": "9a", "size": 1}, registers=regs)
    f.add("bit_offset-12", "reference 14.5", ops("regx 35; lit20; bit_offset"),
          {"kind": "location", "bytes": "9a08", "size": 2, "bit_size": 12}, registers=regs)
    f.error("piece_end-of-nothing", "reference 5", "lit1; piece_end")
    f.bytes("nested", "reference 7.2", "reg0; piece 2; reg1; piece 2; piece_end; piece 4; regx 35; piece 1", "00118899ef", registers=regs)
    f.bytes("composite-op", "DWARF 6, 230524.1", "composite; reg0; piece 2; reg1; piece 1", "001188", registers=regs, semantics="dwarf6")
    f.bytes("composite-nests", "reference 7.1", "composite; reg0; piece 2; composite; reg1; piece 1; regx 35; piece 1; piece 2", "001188ef",
            registers=regs, semantics="dwarf6")
    f.error("strict-needs-composite", "reference 7.1", "lit1; reg0; piece 2", registers=regs, semantics="dwarf6-strict")
    f.bytes("piece-of-stack-value", "DWARF 5, 2.6.1.2", "constu 0xf00d; stack_value; piece 2", "0df0")
    f.bytes("value-piece-is-memory", "reference 7.1", "const2u 0x4004; piece 2", "0405", memory=mem[:1])
    f.bytes("extend", "reference 5", "regx 35; extend 8 3", "efefef", registers=regs, semantics="amd", storage_size=3)
    f.error("extend-zero", "reference 5", "regx 35; extend 0 3", registers=regs, semantics="amd")
    f.bytes("select", "reference 5", "reg0; reg1; lit10; select_bit_piece 8 4", "00992 2bb".replace(" ", ""), registers=regs, semantics="amd")
    f.error("select-mask-narrow", "reference 5",
            [["DW_OP_reg0"], ["DW_OP_reg1"], ["DW_OP_const_type", "u8", 3], ["DW_OP_LLVM_select_bit_piece", 4, 16]], registers=regs, semantics="amd")
    # Overlays.
    o = {"registers": {"0": "0040000000000000", "1": "0800000000000000", "2": "a0a1a2a3a4a5a6a7"}, "memory": mem[:1]}
    f.bytes("overlay", "251120.1", "addr 0x4000; reg2; lit4; lit4; overlay", "00010203a0a1a2a308090a0b", semantics="dwarf6", offset=0x4000, **o)
    f.bytes("overlay-negative", "251120.1", "addr 0x4004; reg2; const1s -2; lit2; overlay; const1s -4; offset", "0001a0a10405", semantics="dwarf6", **o)
    f.bytes("overlay-gap", "251120.1", "reg2; reg2; lit10; lit2; overlay", "a0a1a2a3a4a5a6a7????a0a1", semantics="dwarf6", **o)
    f.error("overlay-short", "251120.1", "addr 0x4000; reg2; lit0; lit9; overlay", semantics="dwarf6", **o)
    f.bytes("llvm_overlay", "AMD text", "addr 0x4000; reg2; lit4; lit4; LLVM_overlay", "00010203a0a1a2a308", semantics="amd", offset=0, **o)
    f.error("llvm_overlay-past-end", "AMD text", "reg2; reg2; lit6; lit4; LLVM_overlay", semantics="amd", **o)
    f.bytes("llvm_overlay-empty", "AMD text", "reg2; reg2; lit6; lit0; LLVM_overlay", "a0a1", semantics="amd", **o)
    f.error("amd-dup-of-incomplete", "A.2.5.4.4.6", "reg2; piece 4; dup", semantics="amd", **o)
    f.bytes("dup-of-incomplete", "reference 7.2", "reg2; piece 4; dup", "a0a1a2a3", semantics="dwarf6", **o)
    return f


def gpu():
    f = File("gpu")
    w = {"registers": WAVE, "lanes": 64, "wave_lanes": 64}
    f.bytes("spilled-scalar", "reference 14.1", "regx 2560; LLVM_offset_uconst 20", "050000a0", **w)
    pair = "regx 2560; push_lane; constu 4; mul; offset; piece 4; regx 2561; push_lane; constu 4; mul; offset; piece 4"
    f.bytes("two-vgprs", "reference 14.2", pair, "110000a0110000b0", lane=17, storage_size=8, **w)
    f.error("lane-out-of-range", "reference 14.2", pair, lane=64, **w)
    f.error("no-lane", "reference 14.2", pair, **w)
    f.bytes("mixed", "reference 14.3", "regx 2560; push_lane; constu 4; mul; offset; piece 4; addr 0xbeef; piece 2; constu 0xf00d; stack_value; "
            "piece 2; piece_end", "000000a05a6b0df0", lane=0, memory=[{"aspace": 0, "address": 0xbeef, "bytes": "5a6b"}], **w)
    swizzled = [{"aspace": 6, "address": 5148, "bytes": "c0ffee11"}]
    f.bytes("private", "reference 14.4", "regx 32; deref_size 4; constu 5; form_aspace_address; offset_uconst 16", "c0ffee11",
            lane=7, memory=swizzled, offset=0x50, semantics="amdgpu", **w)
    f.bytes("aspace_bregx", "reference 14.4", "constu 5; aspace_bregx 32 16", "c0ffee11", lane=7, memory=swizzled, semantics="amdgpu", **w)
    f.bytes("mem", "reference 6", "lit5; const1u 0x50; mem", "c0ffee11", lane=7, memory=swizzled, semantics="dwarf6", **w)
    f.error("unknown-space", "reference 5", "lit1; lit4; form_aspace_address", semantics="amdgpu", **w)
    f.error("space-is-no-value", "reference 2.3", "lit1; lit5; form_aspace_address", kind="value", lane=1, semantics="amdgpu", **w)
    f.bytes("address-is-cut", "reference 5", "const8u 0x1234567800000010; lit3; form_aspace_address", "77",
            memory=[{"aspace": 3, "address": 16, "bytes": "77"}], semantics="amdgpu", offset=16, **w)
    f.value("xderef", "DWARF 5, 2.5.1.3", "lit3; lit16; xderef_size 1", 0x77, memory=[{"aspace": 3, "address": 16, "bytes": "77"}],
            semantics="amdgpu", **w)
    d17 = {"registers": {"3": "2800000000000000"}, "lanes": 8}
    for lane in range(8):
        f.bytes(f"d17-lane{lane}", "211206.1, D.17", "bregx 3 0; push_lane; plus; stack_value", "%02x00000000000000" % (40 + lane), lane=lane, **d17)
    f.bytes("d17-scalar", "211206.1, D.17", "regx 3", "2800000000000000", registers=d17["registers"])
    f.bytes("d17-lanes", "211206.1, D.17", "lit8; stack_value", "0800000000000000")
    f.value("no-lane-is-zero", "reference row 5", "push_lane", 0, semantics="dwarf6")
    f.error("amd-no-lane", "reference row 5", "push_lane", semantics="amd")
    f.value("iteration", "reference 5", "push_iteration", 3, iteration=3, iterations=4, semantics="amd")
    lanes = {"registers": {"17": "f000000000000000", "16": "0010000000000000", "40": "ff0f000000000000"}, "lanes": 64}
    pcs = ("undefined; extend 64 64; addr 0x2000; stack_value; extend 64 64; regx 40; deref; select_bit_piece 64 64; "
           "regx 16; extend 64 64; regx 17; deref; select_bit_piece 64 64")
    undef, pc, lex = "??" * 8, "0010000000000000", "0020000000000000"
    f.bytes("lane_pc", "reference 14.8", pcs, lex * 4 + pc * 4 + lex * 4 + undef * 52, semantics="amd", **lanes)
    f.bytes("entry-reg-same", "reference 5", "call_frame_entry_reg 32", "40000000", cfi={"32": "same_value"}, semantics="amd", **w)
    f.add("entry-reg-undefined", "reference 5", ops("call_frame_entry_reg 32"), {"kind": "location", "bytes": "??", "size": 1},
          cfi={"32": "undefined"}, semantics="amd", **w)
    return f


for make in (values, locations, composites, gpu):
    make().write()
