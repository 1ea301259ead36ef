//===-- LocationPartsTest.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SymbolFile/LaneDWARF/LocationParts.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using namespace llvm::dwarf;

/// "v2:0+32 7:32+8 -:40+8": what each part is, and its bits.
static std::string Read(llvm::ArrayRef<uint8_t> bytes, uint64_t size = 32) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const LocationPart &part : ReadLocationParts(bytes, size)) {
    stream << (text.empty() ? "" : " ");
    if (part.reg)
      stream << part.reg->file << part.reg->number;
    else if (part.constant)
      stream << int64_t(*part.constant);
    else if (part.computed_from.empty())
      stream << "-";
    for (const LocationPart::Register &reg : part.computed_from)
      stream << "f(" << reg.file << reg.number << ")";
    stream << ":" << part.bits.Offset << "+" << part.bits.Size;
  }
  return text;
}

/// v2 and s3 in DWARF, as ULEB128.
#define V2 0x82, 0x14
#define S3 0x23

TEST(LocationParts, Registers) {
  EXPECT_EQ(Read({DW_OP_regx, V2}), "v2:0+32");
  EXPECT_EQ(Read({DW_OP_regx, S3}), "s3:0+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_stack_value}), "v2:0+32");
  // An address.
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0}), "");
  EXPECT_EQ(Read({DW_OP_regx, V2, DW_OP_stack_value}), "");
}

TEST(LocationParts, ComputedNumbers) {
  EXPECT_EQ(Read({DW_OP_bregx, V2, 4, DW_OP_stack_value}), "f(v2):0+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit3, DW_OP_mul, DW_OP_plus_uconst,
                  4, DW_OP_stack_value}),
            "f(v2):0+32");
  EXPECT_EQ(
      Read({DW_OP_bregx, V2, 0, DW_OP_bregx, S3, 0, DW_OP_plus,
            DW_OP_stack_value, DW_OP_piece, 4, DW_OP_regx, V2, DW_OP_piece, 4}),
      "f(v2)f(s3):0+32 v2:32+32");
  // It reads memory, or is there.
  EXPECT_EQ(Read({DW_OP_bregx, V2, 4, DW_OP_deref, DW_OP_stack_value}), "");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_plus_uconst, 4}), "");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit0, DW_OP_div, DW_OP_deref}), "");
}

TEST(LocationParts, ComputedConstants) {
  EXPECT_EQ(Read({DW_OP_lit3, DW_OP_plus_uconst, 4, DW_OP_stack_value}),
            "7:0+32");
  EXPECT_EQ(Read({DW_OP_lit21, DW_OP_lit0, DW_OP_not, DW_OP_xor,
                  DW_OP_stack_value, DW_OP_piece, 2, DW_OP_lit1, DW_OP_neg,
                  DW_OP_stack_value, DW_OP_piece, 2}),
            "-22:0+16 -1:16+16");
  // Without a result, or of a type that isn't known here.
  EXPECT_EQ(Read({DW_OP_lit3, DW_OP_lit0, DW_OP_div, DW_OP_stack_value}), "");
  EXPECT_EQ(Read({DW_OP_lit3, DW_OP_plus, DW_OP_stack_value}), "");
  EXPECT_EQ(Read({DW_OP_lit3, DW_OP_convert, 0, DW_OP_stack_value}), "");
}

TEST(LocationParts, RegistersWithASpace) {
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef}),
            "v2:0+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef,
                  DW_OP_stack_value}),
            "v2:0+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef,
                  DW_OP_piece, 4, DW_OP_regx, S3, DW_OP_piece, 4}),
            "v2:0+32 s3:32+32");
  // A scalar register has an address there.
  EXPECT_EQ(Read({DW_OP_bregx, S3, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef}),
            "");
  EXPECT_EQ(Read({DW_OP_bregx, S3, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef,
                  DW_OP_stack_value}),
            "s3:0+32");
  // An object at the register's address has a nop there.
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_nop, DW_OP_lit1, DW_OP_swap,
                  DW_OP_xderef}),
            "");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit1, DW_OP_xderef}), "");
}

TEST(LocationParts, Constants) {
  EXPECT_EQ(Read({DW_OP_lit7, DW_OP_stack_value}), "7:0+32");
  EXPECT_EQ(Read({DW_OP_consts, 0x7d, DW_OP_stack_value}), "-3:0+32");
  EXPECT_EQ(Read({DW_OP_implicit_value, 2, 0xfe, 0xff}), "-2:0+32");
  EXPECT_EQ(Read({DW_OP_consts, 5, DW_OP_lit1, DW_OP_swap, DW_OP_xderef,
                  DW_OP_stack_value}),
            "5:0+32");
  // An address.
  EXPECT_EQ(Read({DW_OP_lit7}), "");
  EXPECT_EQ(Read({DW_OP_consts, 5, DW_OP_lit1, DW_OP_swap, DW_OP_xderef}), "");
}

TEST(LocationParts, Pieces) {
  EXPECT_EQ(Read({DW_OP_regx, V2, DW_OP_piece, 4, DW_OP_lit7, DW_OP_stack_value,
                  DW_OP_piece, 1, DW_OP_piece, 1}),
            "v2:0+32 7:32+8 -:40+8");
  EXPECT_EQ(Read({DW_OP_regx, V2, DW_OP_bit_piece, 3, 0}), "v2:0+3");
  EXPECT_EQ(Read({DW_OP_regx, V2, DW_OP_bit_piece, 3, 1}), "");
  EXPECT_EQ(Read({DW_OP_piece, 4, DW_OP_regx, V2}), "");
  // One in memory, and a computed one.
  EXPECT_EQ(Read({DW_OP_lit7, DW_OP_piece, 4, DW_OP_regx, V2, DW_OP_piece, 4}),
            "-:0+32 v2:32+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_lit7, DW_OP_xor, DW_OP_stack_value,
                  DW_OP_piece, 4, DW_OP_regx, V2, DW_OP_piece, 4}),
            "f(v2):0+32 v2:32+32");
  EXPECT_EQ(Read({DW_OP_bregx, V2, 0, DW_OP_convert, 0x27, DW_OP_convert, 0x2c,
                  DW_OP_stack_value, DW_OP_piece, 2}),
            "v2:0+16");
}

TEST(LocationParts, OfOneKind) {
  EXPECT_EQ(GetLocationRegisters({DW_OP_regx, V2}).size(), 1u);
  EXPECT_EQ(GetLocationRegisters({DW_OP_regx, V2, DW_OP_piece, 4, DW_OP_regx,
                                  S3, DW_OP_piece, 4})
                .size(),
            2u);
  EXPECT_TRUE(GetLocationRegisters({DW_OP_regx, V2, DW_OP_piece, 2}).empty());
  EXPECT_TRUE(GetLocationRegisters({DW_OP_lit7, DW_OP_stack_value}).empty());
  EXPECT_EQ(GetLocationConstant({DW_OP_lit7, DW_OP_stack_value}), 7);
  EXPECT_EQ(
      GetLocationConstant({DW_OP_lit7, DW_OP_stack_value, DW_OP_piece, 4}),
      std::nullopt);
  EXPECT_EQ(GetLocationConstant({DW_OP_regx, V2}), std::nullopt);
}

TEST(LocationParts, Dropped) {
  const std::vector<uint8_t> all{DW_OP_regx,  V2,         DW_OP_piece,
                                 4,           DW_OP_lit7, DW_OP_stack_value,
                                 DW_OP_piece, 1};
  llvm::SmallBitVector dropped(2);
  dropped.set(0);
  EXPECT_EQ(DropLocationParts(all, dropped),
            std::vector<uint8_t>({DW_OP_piece, 4, DW_OP_lit7, DW_OP_stack_value,
                                  DW_OP_piece, 1}));
  dropped.set(1);
  EXPECT_EQ(DropLocationParts(all, dropped),
            std::vector<uint8_t>({DW_OP_piece, 4, DW_OP_piece, 1}));
}

TEST(LocationParts, AddressesOfTheStack) {
  // s33.
  EXPECT_TRUE(IsFrameAddress({DW_OP_bregx, 0x41, 8, DW_OP_stack_value}));
  EXPECT_TRUE(
      IsFrameAddress({DW_OP_piece, 8, DW_OP_bregx, 0x41, 8, DW_OP_convert, 0x27,
                      DW_OP_stack_value, DW_OP_piece, 8}));
  // What is there, another register, and a place.
  EXPECT_FALSE(
      IsFrameAddress({DW_OP_bregx, 0x41, 8, DW_OP_deref, DW_OP_stack_value}));
  EXPECT_FALSE(IsFrameAddress({DW_OP_bregx, S3, 8, DW_OP_stack_value}));
  EXPECT_FALSE(IsFrameAddress({DW_OP_bregx, 0x41, 8}));
}

TEST(LocationParts, PlacesInMemory) {
  EXPECT_TRUE(IsInMemory({DW_OP_fbreg, 8}));
  EXPECT_TRUE(
      IsInMemory({DW_OP_fbreg, 8, DW_OP_lit1, DW_OP_swap, DW_OP_xderef}));
  EXPECT_TRUE(IsInMemory(
      {DW_OP_bregx, V2, 0, DW_OP_nop, DW_OP_lit5, DW_OP_swap, DW_OP_xderef}));
  // A register, a value, and a part.
  EXPECT_FALSE(IsInMemory({DW_OP_regx, V2}));
  EXPECT_FALSE(
      IsInMemory({DW_OP_bregx, V2, 0, DW_OP_lit1, DW_OP_swap, DW_OP_xderef}));
  EXPECT_FALSE(IsInMemory({DW_OP_fbreg, 8, DW_OP_stack_value}));
  EXPECT_FALSE(IsInMemory({DW_OP_fbreg, 8, DW_OP_piece, 4}));
}
