//===-- ConstantTest.cpp - inline constants and literals ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a constant is depends on the operand's type: 1.0 is 0x3f800000, 0x3c00,
// 0x3f80 or 0x3ff0000000000000. LLVM's disassembler makes a number of each by
// its own table of operands (MCOperandInfo); every instruction that the
// simulator has must have the same.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Simulator/ISA/Decode.h"

#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <set>

using namespace isatest;
using wavelane::gpu::MachineCode;
using wavelane::isa::Target;

namespace {

/// The operand numbers of 1.0, -4.0, 1 / (2 * pi), and of a literal.
constexpr uint32_t One = 242, MinusFour = 247, Inverse = 248, Literal = 255;
constexpr uint32_t LiteralWord = 0x9abcdef0;

class Constants {
public:
  explicit Constants(Target T)
      : T(T), Decode(T, 64),
        Code(llvm::cantFail(MachineCode::create(
            getProcessorName(T),
            wavelane::gpu::waveFeatures(getProcessorName(T), 64)))) {}

  void compare(uint32_t First, uint32_t Second, bool IsTwo) {
    uint8_t Bytes[16] = {};
    const uint32_t Words[4] = {First, IsTwo ? Second : LiteralWord, LiteralWord,
                               0};
    std::memcpy(Bytes, Words, sizeof(Bytes));
    const Inst I = Decode.decode(Bytes, sizeof(Bytes), 0);
    llvm::MCInst MI;
    uint64_t Size = 0;
    if (!I.O || I.Other ||
        Code->decode(MI, Size, Bytes, 0) == llvm::MCDisassembler::Fail)
      return;
    // Other immediates are small: modifiers and flags.
    llvm::SmallVector<uint64_t, 4> Wanted;
    for (const llvm::MCOperand &O : MI)
      if (O.isImm() && (O.getImm() > 1024 || O.getImm() < -1024))
        Wanted.push_back(uint64_t(O.getImm()));
    unsigned Next = 0;
    for (unsigned N = 0; N < I.NumSrc; ++N) {
      if (I.Src[N].At != Operand::Where::Const || !I.Src[N].Const)
        continue;
      if (Next == Wanted.size())
        break;
      // For LLVM, they are halves where op_sel_hi isn't set, too.
      const bool IsSingle =
          (I.O->Flags & Op::MixesHalves) && !(I.OpSelHi >> N & 1);
      const Kind K = I.O->Args[N];
      const uint64_t Mask =
          dwordsOf(K) == 2 && K != Kind::PF32 ? ~uint64_t(0) : 0xffffffff;
      ++Compared;
      if (!IsSingle && (I.Src[N].Const & Mask) != (Wanted[Next] & Mask) &&
          Wrong.insert(I.Text).second)
        ADD_FAILURE() << I.Text << " on " << getProcessorName(T) << ": operand "
                      << N << " is 0x" << std::hex << (I.Src[N].Const & Mask)
                      << ", LLVM's is 0x" << (Wanted[Next] & Mask);
      ++Next;
    }
    Seen.insert(I.Text);
  }

  void compareAll(uint32_t C) {
    const bool Old = generation(T) == 9;
    // A literal can only be used once, on newer GPUs by several operands.
    const uint32_t Three = C | C << 9 | C << 18;
    for (uint32_t Code = 0; Code < 256; ++Code) {
      compare(0xbe800000 | Code << 8 | C, 0, false);
      compare(0x7e000000 | Code << 9 | C, 0, false);
      compare(0x7c000000 | Code << 17 | C, 0, false);
    }
    for (uint32_t Code = 0; Code < 128; ++Code) {
      compare(0x80000000 | Code << 23 | C << 8 | C, 0, false);
      compare(0xbf000000 | Code << 16 | C << 8 | C, 0, false);
      for (uint32_t Halves : {0u, 7u})
        compare((Old ? 0xd3800000 : 0xcc000000) | Code << 16 |
                    (Halves >> 2) << 14,
                Three | (Halves & 3) << 27, true);
    }
    for (uint32_t Code = 0; Code < 62; ++Code)
      compare(Code << 25 | C, 0, false);
    for (uint32_t Code = 0; Code < 1024; ++Code)
      compare((Old ? 0xd0000000 : 0xd4000000) | Code << 16, Three, true);
  }

  unsigned Compared = 0;
  std::set<std::string> Seen;

private:
  const Target T;
  Decoder Decode;
  const std::unique_ptr<MachineCode> Code;
  std::set<std::string> Wrong;
};

TEST(ISAConstants, AreLLVMs) {
  for (const auto &P : wavelane::gpu::devices()) {
    if (!P.isModelled())
      continue;
    Constants Of(P.Id);
    for (uint32_t C : {One, MinusFour, Inverse, Literal})
      Of.compareAll(C);
    EXPECT_GT(Of.Seen.size(), 500u) << P.Name;
    EXPECT_GT(Of.Compared, 5000u) << P.Name;
  }
}

/// A source is a half where op_sel_hi is set; op_sel then takes the upper half,
/// which is 0 in a number.
TEST(ISAConstants, HalvesOfMixedPrecision) {
  for (const Target T :
       {Target::GFX906, Target::GFX90A, Target::GFX1030, Target::GFX1201}) {
    Wave W(T);
    W.setV(0, [](unsigned L) { return bits(float(L)); });
    W.setV(1, [](unsigned) { return bits(100.0f); });
    W.run("v_fma_mix_f32 v2, v0, 4.0, v1 op_sel_hi:[0,1,0]\n"
          "v_fma_mix_f32 v3, v0, 4.0, v1\n"
          "v_fma_mix_f32 v4, v0, -4.0, v1 op_sel:[0,1,0] op_sel_hi:[0,1,0]\n"
          "v_fma_mix_f32 v5, v0, -v0, 0.5 op_sel_hi:[0,0,1]\n"
          "v_fma_mixlo_f16 v6, v0, 1.0, v1 op_sel_hi:[0,1,0]\n"
          "v_fma_mixhi_f16 v6, v0, 1.0, 1.0 op_sel_hi:[0,1,1]\n");
    for (unsigned L = 0; L < 64; ++L) {
      EXPECT_EQ(W.v(2, L), bits(float(4 * L + 100)));
      EXPECT_EQ(W.v(3, L), bits(float(4 * L + 100)));
      EXPECT_EQ(W.v(4, L), bits(100.0f));
      EXPECT_EQ(W.v(5, L), bits(0.5f - float(L * L)));
      const auto Half = [](unsigned N) {
        const auto H = _Float16(float(N));
        uint16_t Bits;
        std::memcpy(&Bits, &H, 2);
        return uint32_t(Bits);
      };
      EXPECT_EQ(W.v(6, L), Half(L + 100) | Half(L + 1) << 16);
    }
  }
}

} // namespace
