// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoding and decoding.
#include "wavelane/Location/Operation.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
std::vector<uint8_t> encode(StringRef Text) {
  Expected<std::vector<uint8_t>> Bytes = assembleText(Text);
  if (!Bytes) {
    ADD_FAILURE() << toString(Bytes.takeError());
    return {};
  }
  return *Bytes;
}
using Bytes = std::vector<uint8_t>;

TEST(Operation, EncodingsOfTheTexts) {
  EXPECT_EQ(encode("regx 2560; LLVM_offset_uconst 20"),
            (Bytes{0x90, 0x80, 0x14, 0xe9, 0x05, 0x14}));
  EXPECT_EQ(encode("regx 32; deref_size 4; constu 5; LLVM_form_aspace_address"),
            (Bytes{0x90, 0x20, 0x94, 0x04, 0x10, 0x05, 0xe9, 0x02}));
  EXPECT_EQ(encode("fbreg 8; lit1; swap; xderef"),
            (Bytes{0x91, 0x08, 0x31, 0x16, 0x18}));
  EXPECT_EQ(encode("overlay"), (Bytes{0xe9, 0x91, 0x40}));
  EXPECT_EQ(encode("entry_value {reg5}"), (Bytes{0xa3, 0x01, 0x55}));
}

TEST(Operation, RoundTrips) {
  for (const char *Text :
       {"lit31", "breg7 -128", "const8u 0xffffffffffffffff", "const2s -3",
        "bit_piece 3 17", "implicit_value 0x0a0b0c",
        "entry_value {reg5; lit1; plus}", "implicit_pointer 0x10 -4",
        "const_type 7 0x01020304", "call_ref 0x1234",
        "LLVM_select_bit_piece 64 64", "LLVM_aspace_bregx 32 -8", "mem",
        "object_map 0x55", "LLVM_extend 8 4"}) {
    const Bytes First = encode(Text);
    Expected<std::string> Shown = disassemble(First);
    ASSERT_TRUE(bool(Shown)) << Text << toString(Shown.takeError());
    EXPECT_EQ(encode(*Shown), First) << Text << " shows as " << *Shown;
  }
}

TEST(Operation, DirectCodes) {
  // ROCm's older encoding of LLVM_offset_uconst.
  const Bytes Old = {0x90, 0x80, 0x14, 0xe4, 0x14};
  Expected<std::string> Shown = disassemble(Old);
  ASSERT_TRUE(bool(Shown));
  EXPECT_EQ(*Shown, "DW_OP_regx 2560\nDW_OP_LLVM_offset_uconst 20\n");
  DecodeOptions Off;
  Off.DirectCodes = false;
  Expected<std::string> Unknown = disassemble(Old, Off);
  EXPECT_FALSE(bool(Unknown));
  consumeError(Unknown.takeError());
}

TEST(Operation, WhatCannotBeAssembled) {
  for (const char *Text : {"nothing", "lit1 2", "regx", "const1u 256", "skip 5",
                           "implicit_value xyz"}) {
    Expected<std::vector<uint8_t>> R = assembleText(Text);
    EXPECT_FALSE(bool(R)) << Text;
    if (!R)
      consumeError(R.takeError());
  }
}
} // namespace
