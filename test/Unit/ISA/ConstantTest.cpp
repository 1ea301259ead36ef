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

#include "llvm/ADT/STLExtras.h"
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
    if (!I.O || I.Other || isLeftOut(I.Text) ||
        Code->decode(MI, Size, Bytes, 0) == llvm::MCDisassembler::Fail)
      return;
    // Other immediates are small: modifiers and flags.
    llvm::SmallVector<uint64_t, 4> Wanted;
    for (const llvm::MCOperand &O : MI)
      if (O.isImm() && (O.getImm() > 1024 || O.getImm() < -1024))
        Wanted.push_back(uint64_t(O.getImm()));
    for (unsigned N = 0; N < I.NumSrc; ++N) {
      if (I.Src[N].At != Operand::Where::Const || !I.Src[N].Const)
        continue;
      // For LLVM, they are halves where op_sel_hi isn't set, too.
      const bool IsSingle =
          (I.O->Flags & Op::MixesHalves) && !(I.Packed.OpSelHi >> N & 1);
      const Kind K = I.O->Args[N];
      const bool IsShort =
          ((K == Kind::B16 || K == Kind::F16 || K == Kind::BF16) &&
           I.Enc != Encoding::VOP3P) ||
          (I.O->Flags & Op::MixesHalves);
      // How a literal fills 64 bits isn't in LLVM's number.
      const bool IsLong = dwordsOf(K) == 2 && K != Kind::PF32 &&
                          I.Src[N].Const << 32 != uint64_t(LiteralWord) << 32;
      const uint64_t Mask = IsShort  ? 0xffff
                            : IsLong ? ~uint64_t(0)
                                     : 0xffffffff;
      ++Compared;
      const bool IsSame = llvm::any_of(Wanted, [&](uint64_t Number) {
        return ((Number ^ I.Src[N].Const) & Mask) == 0;
      });
      if (!IsSingle && !IsSame && !Wanted.empty() &&
          Wrong.insert(I.Text).second)
        ADD_FAILURE() << I.Text << " on " << getProcessorName(T) << ": operand "
                      << N << " is 0x" << std::hex << (I.Src[N].Const & Mask)
                      << ", LLVM's is 0x" << (Wanted.front() & Mask);
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
  /// Those whose operand can't sensibly be such a number: addresses of code,
  /// indices of registers, sets of classes, amounts of shifts, packed small
  /// floats, and registers of many dwords, for which the encoding has no
  /// constants. LLVM lists the operands of the last ones, scalar halves, as
  /// singles, but compilers don't use such numbers there.
  static bool isLeftOut(llvm::StringRef Name) {
    for (llvm::StringRef Start :
         {"s_setpc", "s_swappc", "s_rfe", "s_movrel", "v_cmp_class_f16",
          "v_cmpx_class_f16", "v_alignb", "v_cvt_pk_f32_fp8",
          "v_cvt_pk_f32_bf8", "v_mfma_", "v_smfmac_", "v_wmma_",
          "v_cvt_scalef32_pk32_", "v_cvt_scalef32_sr_pk32_", "s_trunc_f16",
          "s_rndne_f16", "s_floor_f16", "s_ceil_f16", "s_cvt_f32_f16"})
      if (Name.starts_with(Start))
        return true;
    return false;
  }

  const Target T;
  Decoder Decode;
  const std::unique_ptr<MachineCode> Code;
  std::set<std::string> Wrong;
};

TEST(ISAConstants, AreLLVMs) {
  std::set<wavelane::gpu::FamilyId> Families;
  for (const auto &P : wavelane::gpu::devices()) {
    if (!P.isModeled() || !Families.insert(P.Group).second)
      continue;
    Constants Of(P.Id);
    for (uint32_t C : {One, MinusFour, Inverse, Literal})
      Of.compareAll(C);
    EXPECT_GT(Of.Seen.size(), 500u) << P.Name;
    EXPECT_GT(Of.Compared, 3000u) << P.Name;
  }
}

/// Pairs of integers have the numbers of floats; those of halves that op_sel
/// can't select have them in one half, or on later GPUs in both.
TEST(ISAConstants, OfPairs) {
  for (const Target T : {Target::GFX90A, Target::GFX1030, Target::GFX1100}) {
    Wave W(T);
    W.setV(0, [](unsigned L) { return L | 7u << 16; });
    W.setV(1, [](unsigned) { return 0x3c004000u; }); // 2, 1
    W.setV(3, [](unsigned) { return 0; });
    // The assembler's 1.0 is in the lower half.
    W.run(std::string("v_pk_add_u16 v2, v0, 1.0 op_sel_hi:[1,1]\n") +
          "v_pk_add_u16 v4, v0, 1.0 op_sel_hi:[1,0]\n"
          "v_pk_fmac_f16 v3, " +
          (T == Target::GFX1100 ? "0x3c003c00" : "1.0") + ", v1\n");
    EXPECT_EQ(W.v(2, 5), 5u | (7u + 0x3f80) << 16);
    EXPECT_EQ(W.v(4, 5), 5u | 7u << 16);
    EXPECT_EQ(W.v(3, 5), T == Target::GFX1100 ? 0x3c004000u : 0x4000u)
        << getProcessorName(T);
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
