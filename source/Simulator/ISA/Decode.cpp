//===-- Decode.cpp - instruction words to Inst ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Decode.h"

#include "AsmText.h"
#include "Image.h"
#include "Uses.h"
#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace wavelane::isa {

namespace generic {
void addVectorOps(OpTable &T);
}
#ifdef WAVELANE_ISA_HAVE_V3
namespace v3 {
void addVectorOps(OpTable &T);
}
#endif

struct OpTable::Impl {
  llvm::StringMap<Op> Ops;
};
OpTable::OpTable() : P(new Impl) {}
OpTable::~OpTable() { delete P; }
void OpTable::add(const char *Name, const Op &O) { P->Ops[Name] = O; }
const Op *OpTable::find(const std::string &Name) const {
  auto It = P->Ops.find(Name);
  return It == P->Ops.end() ? nullptr : &It->second;
}

const OpTable &opTable(Target) {
  static const OpTable *Table = [] {
    auto *T = new OpTable;
    addScalarOps(*T);
    addScalarFloatOps(*T);
    addFlatMemoryOps(*T);
    addBufferMemoryOps(*T);
    addImageOps(*T);
    addLocalMemoryOps(*T);
    addMatrixOps(*T);
#ifdef WAVELANE_ISA_HAVE_V3
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
      v3::addVectorOps(*T);
      return T;
    }
#endif
    generic::addVectorOps(*T);
    return T;
  }();
  return *Table;
}

struct Decoder::Impl {
  Target Which;
  unsigned Lanes;
  std::unique_ptr<gpu::MachineCode> Code;
  std::string Why; ///< why there is no Code
};

Decoder::Decoder(Target T, unsigned Lanes) : P(std::make_unique<Impl>()) {
  P->Which = T;
  P->Lanes = Lanes;
  const char *Name = getProcessorName(T);
  auto Code = gpu::MachineCode::create(Name, gpu::waveFeatures(Name, Lanes));
  if (Code)
    P->Code = std::move(*Code);
  else
    P->Why = llvm::toString(Code.takeError()); // Every instruction will report
                                               // it.
}

Decoder::~Decoder() = default;

namespace {

using llvm::StringRef;

uint32_t bits(uint32_t W, unsigned Hi, unsigned Lo) {
  return W >> Lo & (Hi - Lo == 31 ? ~0u : (1u << (Hi - Lo + 1)) - 1);
}

/// The value of inline float constant number 240 + N.
uint64_t floatConstant(unsigned N, Kind K) {
  static const uint16_t Half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                  0xc000, 0x4400, 0xc400, 0x3118};
  static const uint32_t Single[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                    0xbf800000, 0x40000000, 0xc0000000,
                                    0x40800000, 0xc0800000, 0x3e22f983};
  static const uint64_t Double[] = {
      0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
      0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
      0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
  if (K == Kind::F16 || K == Kind::B16)
    return Half[N];
  if (K == Kind::BF16)
    return Single[N] >> 16;
  if (K == Kind::B64 || K == Kind::I64 || K == Kind::F64)
    return Double[N];
  return Single[N];
}

/// A literal dword, which is the upper half of a double.
uint64_t literal(uint32_t Word, Kind K) {
  switch (K) {
  case Kind::F64:
    return uint64_t(Word) << 32;
  case Kind::I64:
    return uint64_t(int64_t(int32_t(Word)));
  default:
    return Word;
  }
}

/// Reserved SDWA selections; LLVM's printer doesn't expect them.
bool hasReservedSelection(const uint32_t *Words) {
  if (Words[0] >> 31 || bits(Words[0], 8, 0) != 249)
    return false;
  const bool Compare = bits(Words[0], 30, 25) == 0x3e;
  const uint32_t W = Words[1];
  return bits(W, 18, 16) > 6 || bits(W, 26, 24) > 6 ||
         (!Compare && (bits(W, 10, 8) > 6 || bits(W, 12, 11) > 2));
}

/// Notes the arch VGPRs that a source or destination of \a Dwords at \a Reg
/// needs.
void need(Inst &I, unsigned Reg, unsigned Dwords) {
  I.NeedVGPRs = std::max<uint16_t>(I.NeedVGPRs, uint16_t(Reg + Dwords));
}

/// An instruction during decoding.
struct Fields {
  Inst &I;
  const Op &O;
  const Target T;
  const AsmText &A;
  const gpu::InstructionFacts &Facts;
  const char *Bad = nullptr;
  size_t Next = 0; ///< the next operand

  Fields(Inst &I, const Op &O, Target T, const AsmText &A,
         const gpu::InstructionFacts &Facts)
      : I(I), O(O), T(T), A(A), Facts(Facts) {}

  const AsmOperand *take() {
    if (Next < A.Operands.size())
      return &A.Operands[Next++];
    Bad = "an operand is missing";
    return nullptr;
  }
  bool more() const { return Next < A.Operands.size(); }

  //===-- Scalar instructions: their fields are the same on all GPUs ------===//

  /// The index of a scalar register by its operand number.
  unsigned place(unsigned Code) const {
    const gpu::Features &F = gpu::features(T);
    return Code == F.NullOperand ? unsigned(scalar::Null)
           : Code == F.M0Operand ? unsigned(scalar::M0)
                                 : Code;
  }
  void scalarSource(unsigned N, unsigned Code) {
    Operand &S = I.Src[N];
    const Kind K = O.Args[N];
    const unsigned Place = place(Code);
    if (Place == scalar::Null) {
      S.At = Operand::Where::Const;
    } else if (Code <= 127) {
      S.At = Operand::Where::Scalar;
      S.Reg = uint16_t(Place);
      if (dwordsOf(K) == 2 && (Code & 1))
        Bad = "an odd register pair is not modeled";
    } else {
      S.At = Operand::Where::Const;
      if (Code <= 192) {
        S.Const = Code - 128;
      } else if (Code <= 208) {
        S.Const = uint64_t(-int64_t(Code - 192));
      } else if (Code >= 240 && Code <= 248) {
        S.Const = floatConstant(Code - 240, K);
      } else if (Code == 255) {
        S.Const = literal(I.Words[1], K);
      } else if ((Code >= 235 && Code <= 238) || (Code >= 251 && Code <= 253)) {
        S.At = Operand::Where::Special;
        S.Reg = uint16_t(Code);
        if (Code <= 238 && dwordsOf(K) != 2)
          Bad = "an aperture as a 32-bit operand is not modeled";
      } else {
        Bad = "this source operand is not modeled";
      }
    }
  }
  void salu() {
    const uint32_t W = I.Words[0];
    const unsigned Top9 = W >> 23;
    I.Imm = int16_t(W);
    I.Dst = uint16_t(place(bits(W, 22, 16)));
    if (Top9 == 0x17f) {
      I.Enc = Encoding::SOPP;
      I.IsBranch = Facts.Flow == gpu::ControlFlow::Branch ||
                   Facts.Flow == gpu::ControlFlow::ConditionalBranch;
    } else if (Top9 == 0x17d) {
      I.Enc = Encoding::SOP1;
      I.Imm = int32_t(bits(W, 7, 0));
      if (I.NumSrc)
        scalarSource(0, bits(W, 7, 0));
    } else if (Top9 != 0x17e && W >> 28 == 0xb) {
      I.Enc = Encoding::SOPK;
    } else {
      I.Enc = Top9 == 0x17e ? Encoding::SOPC : Encoding::SOP2;
      I.Imm = int32_t(bits(W, 15, 8));
      if (I.NumSrc > 0)
        scalarSource(0, bits(W, 7, 0));
      if (I.NumSrc > 1)
        scalarSource(1, bits(W, 15, 8));
    }
  }
  void smem() {
    I.Enc = Encoding::SMEM;
    if (!more())
      return; // s_dcache_*
    const AsmOperand *Data = take();
    I.Memory.VData = Data->Reg;
    if (Data->Is != AsmOperand::Scalar)
      Bad = "this form is not modeled";
    if (!more())
      return; // s_memtime
    I.Memory.SAddr = take()->Reg;
    if (I.Memory.SAddr == scalar::Null)
      Bad = "this address is not modeled";
    I.Imm = int32_t(A.number("offset"));
    I.Memory.Glc = returnsOld();
    const AsmOperand *Offset = take();
    if (!Offset)
      return;
    if (Offset->Is == AsmOperand::Scalar) {
      I.Memory.HasSAddr = Offset->Reg != scalar::Null;
      I.Memory.SOffset = Offset->Reg;
    } else {
      I.Imm += int32_t(Offset->Value);
    }
  }

  //===-- Vector arithmetic -----------------------------------------------===//

  void source(unsigned N) {
    const AsmOperand *From = take();
    if (!From)
      return;
    Operand &S = I.Src[N];
    const bool IsHalf =
        (O.Flags & Op::MixesHalves) && (I.Packed.OpSelHi >> N & 1);
    const Kind K = IsHalf ? Kind::F16 : O.Args[N];
    S.Neg = From->Neg;
    S.Abs = From->Abs;
    S.Sext = From->Sext;
    S.High = From->High;
    S.Reg = From->Reg;
    switch (From->Is) {
    case AsmOperand::VGPR:
      S.At = Operand::Where::VGPR;
      break;
    case AsmOperand::AccVGPR:
      S.At = Operand::Where::AccVGPR;
      if (!(O.Flags & Op::Acc))
        Bad = "an accumulation register as this operand is not modeled";
      break;
    case AsmOperand::Scalar:
      S.At = From->Reg == scalar::Null ? Operand::Where::Const
                                       : Operand::Where::Scalar;
      break;
    case AsmOperand::Special:
      S.At = Operand::Where::Special;
      if (From->Count > 1 && dwordsOf(K) != 2)
        Bad = "an aperture as a 32-bit operand is not modeled";
      break;
    case AsmOperand::Integer:
      S.At = Operand::Where::Const;
      S.Const = uint64_t(From->Value);
      break;
    case AsmOperand::Literal:
      S.At = Operand::Where::Const;
      // Of a single where LLVM expects a half, a half is printed.
      S.Const = (O.Flags & Op::MixesHalves) && !IsHalf
                    ? I.Words[2]
                    : literal(uint32_t(From->Value), K);
      break;
    case AsmOperand::Real:
      S.At = Operand::Where::Const;
      // Pairs of integers have the numbers of floats.
      S.Const = floatConstant(
          From->Reg,
          I.Enc == Encoding::VOP3P && K == Kind::B16 ? Kind::B32 : K);
      break;
    default:
      Bad = "this source operand is not modeled";
      break;
    }
  }
  void scalarResult() {
    const AsmOperand *To = take();
    if (!To)
      return;
    if (To->Is != AsmOperand::Scalar)
      Bad = "this destination is not modeled";
    I.SDst = To->Reg;
  }
  static uint8_t selection(StringRef Name) {
    return llvm::StringSwitch<uint8_t>(Name)
        .Case("BYTE_0", 0)
        .Case("BYTE_1", 1)
        .Case("BYTE_2", 2)
        .Case("BYTE_3", 3)
        .Case("WORD_0", 4)
        .Case("WORD_1", 5)
        .Default(6);
  }
  void sdwa() {
    I.Out.Sdwa = true;
    if (auto V = A.value("src0_sel"))
      I.Src[0].Sel = selection(*V);
    if (auto V = A.value("src1_sel"))
      I.Src[1].Sel = selection(*V);
    if (auto V = A.value("dst_sel"))
      I.Out.Sel = selection(*V);
    if (auto V = A.value("dst_unused"))
      I.Out.Unused = *V == "UNUSED_SEXT" ? 1 : *V == "UNUSED_PRESERVE" ? 2 : 0;
  }
  /// Decodes dpp_ctrl in the numbering of gfx9 and gfx10.
  void dpp() {
    I.Dpp.IsOn = true;
    const auto Selection = A.list("dpp8");
    if (Selection.size() == 8) {
      I.Dpp.Is8 = true;
      I.Dpp.BoundCtrl = true;
      for (unsigned N = 0; N < 8; ++N)
        I.Dpp.Sel8 |= (Selection[N] & 7) << (3 * N);
      I.Dpp.FetchInactive = A.number("fi");
      return;
    }
    I.Dpp.RowMask = uint8_t(A.number("row_mask", 15));
    I.Dpp.BankMask = uint8_t(A.number("bank_mask", 15));
    I.Dpp.BoundCtrl = A.value("bound_ctrl").has_value();
    I.Dpp.FetchInactive = A.number("fi");
    static const struct {
      const char *Name;
      uint16_t Base;
    } Controls[] = {{"row_shl", 0x100},   {"row_shr", 0x110},
                    {"row_ror", 0x120},   {"row_newbcast", 0x150},
                    {"row_share", 0x150}, {"row_xmask", 0x160}};
    const auto Quad = A.list("quad_perm");
    if (Quad.size() == 4) {
      for (unsigned N = 0; N < 4; ++N)
        I.Dpp.Ctrl |= uint16_t((Quad[N] & 3) << (2 * N));
    } else if (A.has("row_mirror")) {
      I.Dpp.Ctrl = 0x140;
    } else if (A.has("row_half_mirror")) {
      I.Dpp.Ctrl = 0x141;
    } else if (A.value("row_bcast")) {
      I.Dpp.Ctrl = A.number("row_bcast") == 15 ? 0x142 : 0x143;
    } else if (A.value("wave_shl")) {
      I.Dpp.Ctrl = 0x130;
    } else if (A.value("wave_rol")) {
      I.Dpp.Ctrl = 0x134;
    } else if (A.value("wave_shr")) {
      I.Dpp.Ctrl = 0x138;
    } else if (A.value("wave_ror")) {
      I.Dpp.Ctrl = 0x13c;
    } else {
      for (const auto &C : Controls)
        if (A.value(C.Name)) {
          I.Dpp.Ctrl = uint16_t(C.Base | (A.number(C.Name) & 15));
          return;
        }
      Bad = "this dpp_ctrl is not modeled";
    }
  }
  void valu(StringRef Base, StringRef Mnemonic) {
    const bool Compare = Facts.IsCompare;
    // VOP3P has its selections in the same bits on all GPUs.
    const uint32_t Top = I.Words[0] >> 23;
    const bool Packed = Top == gpu::features(T).Vop3pPrefix;
    I.Enc = Compare  ? Encoding::VOPC
            : Packed ? Encoding::VOP3P
                     : Encoding::VOP3;
    I.SDst = scalar::VccLo;
    if (Packed) {
      I.Packed.OpSel = uint8_t(bits(I.Words[0], 13, 11));
      I.Packed.OpSelHi =
          uint8_t(bits(I.Words[1], 28, 27) | (I.Words[0] >> 14 & 1) << 2);
      I.Packed.NegLo = uint8_t(bits(I.Words[1], 31, 29));
      I.Packed.NegHi = uint8_t(bits(I.Words[0], 10, 8));
    }
    if (Compare) {
      if (gpu::features(T).HasNoSdstCmpx && Facts.WritesExec)
        I.SDst = scalar::ExecLo;
      else
        scalarResult();
    } else if (O.Result != Kind::None) {
      const AsmOperand *To = take();
      if (!To)
        return;
      const bool WantsScalar = O.Flags & Op::ScalarDst;
      I.Matrix.AccDst = To->Is == AsmOperand::AccVGPR;
      if (WantsScalar ? To->Is != AsmOperand::Scalar
                      : To->Is != AsmOperand::VGPR &&
                            !(I.Matrix.AccDst && (O.Flags & Op::Acc)))
        Bad = "this destination is not modeled";
      I.Dst = To->Reg;
      I.Out.High = To->High;
    }
    if (Facts.WritesLaneMask)
      scalarResult();
    const unsigned Tied = O.Flags & Op::ReadsDst ? 1 : 0;
    for (unsigned N = 0; N + Tied < I.NumSrc && !Bad; ++N) {
      if (O.Args[N] == Kind::Mask && !more()) {
        I.Src[N].At = Operand::Where::Scalar; // carry in, select: VCC
        I.Src[N].Reg = scalar::VccLo;
      } else {
        source(N);
      }
    }
    if (more())
      Bad = "this form is not modeled";
    if (Tied) {
      Operand &S = I.Src[I.NumSrc - 1];
      S.At = Operand::Where::VGPR;
      S.Reg = I.Dst;
      S.High = I.Out.High;
    }
    I.Out.Clamp = A.has("clamp");
    I.Out.Omod = A.number("mul") == 2   ? 1
                 : A.number("mul") == 4 ? 2
                 : A.number("div") == 2 ? 3
                                        : 0;
    if (Packed) {
      for (Operand &S : I.Src)
        S.Neg = S.Abs = false;
    } else if (O.Flags & Op::OwnOpSel) {
      // Some of it isn't printed.
      if (I.Words[0] >> 26 == gpu::features(T).Vop3Prefix)
        I.Packed.OpSel = uint8_t(bits(I.Words[0], 14, 11));
    } else if (const auto Sel = A.list("op_sel"); !Sel.empty()) {
      for (unsigned N = 0; N < Sel.size(); ++N)
        I.Packed.OpSel |= uint8_t((Sel[N] & 1) << N);
      const unsigned Count = I.NumSrc - Tied;
      for (unsigned N = 0; N < Count; ++N)
        if (I.Packed.OpSel >> N & 1) {
          I.Src[N].High = true;
          if (O.Args[N] != Kind::B16 && O.Args[N] != Kind::F16)
            Bad = "op_sel of a 32-bit operand is not modeled";
        }
      if (I.Packed.OpSel >> Count & 1) {
        I.Out.High = true;
        if (Tied)
          I.Src[I.NumSrc - 1].High = true;
      }
    }
    if (Mnemonic.ends_with("_sdwa"))
      sdwa();
    else if (Mnemonic.ends_with("_dpp"))
      dpp();
    if (I.Dpp.IsOn && Facts.IsRelative)
      Bad = "this form is not modeled";
    if (Base.ends_with("_swap_b32")) {
      I.Dpp.FetchInactive = A.number("fi");
      I.Dpp.BoundCtrl = A.number("bound_ctrl");
    }
    if (Base.starts_with("v_bitop3_"))
      I.Imm = int32_t(A.number("bitop3"));
    if (Facts.IsMatrix) {
      I.Matrix.Cbsz = uint8_t(A.number("cbsz"));
      I.Matrix.Abid = uint8_t(A.number("abid"));
      I.Matrix.Blgp = uint8_t(A.number("blgp"));
    }
    // It isn't documented whether a compare clears the bit of a lane without a
    // source.
    if (Compare && I.Dpp.IsOn && !I.Dpp.BoundCtrl)
      Bad = "a compare with DPP without bound_ctrl is not modeled";
    finish();
  }
  void finish() {
    for (unsigned N = 0; N < I.NumSrc; ++N) {
      Operand &S = I.Src[N];
      if (S.At == Operand::Where::VGPR)
        need(I, S.Reg, dwordsOf(O.Args[N]));
      S.Plain = S.At == Operand::Where::VGPR && !S.Neg && !S.Abs && !S.High &&
                S.Sel == 6 && !(I.Dpp.IsOn && N == 0);
    }
    if (O.Result != Kind::None && !(O.Flags & Op::ScalarDst) &&
        !I.Matrix.AccDst)
      need(I, I.Dst, dwordsOf(O.Result));
    const bool Short = O.Result == Kind::B16 || O.Result == Kind::F16;
    I.Out.KeepsHigh = (O.Flags & Op::KeepsHigh16) ||
                      (Short && gpu::features(T).Keeps16BitHalves);
    I.Out.IsPlain = !I.Out.Clamp && !I.Out.Omod && !I.Out.High &&
                    !(I.Out.Sdwa && I.Out.Sel != 6) && !I.Out.KeepsHigh;
    if (I.Out.Clamp && O.Result != Kind::F32 && O.Result != Kind::F16 &&
        O.Result != Kind::F64 && !(O.Flags & Op::Packed) &&
        I.Enc != Encoding::VOPC) {
      if (O.ClampFn)
        I.Fn = O.ClampFn;
      else if (O.Result == Kind::None)
        Bad = "clamp (signaling compare) is not modeled";
      else
        Bad = "clamp is not modeled";
    }
  }

  //===-- Vector memory ---------------------------------------------------===//

  /// A load into a half of a register. With SRAM ECC, which corrects errors in
  /// words of 32 bits, it clears the other half.
  void half(StringRef Base) {
    I.Out.KeepsHigh =
        Base.contains("_d16") && !gpu::get(T).hasFeature("sramecc+");
  }
  /// Decodes a data register; a run of registers is given by its first.
  void data(uint16_t &Reg) {
    const AsmOperand *From = take();
    if (!From)
      return;
    if (From->Is != AsmOperand::VGPR && From->Is != AsmOperand::AccVGPR)
      Bad = "this data operand is not modeled";
    if (From->Is == AsmOperand::AccVGPR)
      I.Memory.AccData = true;
    Reg = From->Reg;
  }
  bool returnsOld() const {
    if (A.has("glc") || A.has("sc0"))
      return true;
    const auto Hint = A.value("th");
    return Hint && Hint->contains("RETURN");
  }
  void ds(StringRef B) {
    I.Enc = Encoding::DS;
    half(B);
    I.Imm = int32_t(bits(I.Words[0], 15, 0)); // offset, or offset0 and offset1
    I.Memory.Gds = A.has("gds");
    if (I.Memory.Gds && !Facts.IsWaveSync)
      Bad = "GDS is not modeled";
    if (!more())
      return; // ds_nop
    if (O.Flags & Op::HasDst)
      data(I.Dst);
    if (!B.contains("_addtid_")) {
      const bool Acc = I.Memory.AccData;
      data(I.Memory.VAddr);
      I.Memory.AccData = Acc;
    }
    if (more())
      data(I.Memory.VData);
    if (more())
      data(I.Memory.VData1);
    if (more())
      Bad = "this form is not modeled";
  }
  /// Decodes an address of one register, two, or none.
  void address() {
    const AsmOperand *From = take();
    if (!From)
      return;
    if (From->Is == AsmOperand::VGPR) {
      I.Memory.VAddr = From->Reg;
      I.Memory.AddrCount = uint8_t(From->Count);
    } else if (From->Is != AsmOperand::Off) {
      Bad = "this address is not modeled";
    }
  }
  void scalarAddress() {
    const AsmOperand *From = take();
    if (!From)
      return;
    if (From->Is == AsmOperand::Scalar) {
      I.Memory.HasSAddr = From->Reg != scalar::Null;
      I.Memory.SAddr = From->Reg;
    } else if (From->Is != AsmOperand::Off) {
      Bad = "this address is not modeled";
    }
  }
  void flat(StringRef Base) {
    I.Enc = Encoding::FLAT;
    half(Base);
    I.Memory.Seg = Base.starts_with("scratch_")  ? 1
                   : Base.starts_with("global_") ? 2
                                                 : 0;
    I.Imm = int32_t(A.number("offset"));
    if (!more())
      return; // global_wb, global_inv
    const bool Atomic = Base.contains("_atomic_");
    I.Memory.Glc = Atomic && returnsOld();
    I.Memory.Lds = Base.contains("_lds_");
    if (Atomic ? I.Memory.Glc : bool(O.Flags & Op::HasDst))
      data(I.Dst);
    const bool Acc = I.Memory.AccData;
    address();
    I.Memory.AccData = Acc;
    if (!(O.Flags & Op::HasDst) && !I.Memory.Lds)
      data(I.Memory.VData);
    if (I.Memory.Seg)
      scalarAddress();
    if (more())
      Bad = "this form is not modeled";
  }
  void buffer(StringRef Base) {
    I.Enc = Encoding::MUBUF;
    half(Base);
    I.Imm = int32_t(A.number("offset"));
    I.Memory.OffEn = A.has("offen");
    I.Memory.IdxEn = A.has("idxen");
    I.Memory.Glc = Base.contains("_atomic_") && returnsOld();
    if (!more())
      return; // cache operations
    I.Memory.Lds = A.has("lds");
    if (A.has("tfe"))
      Bad = "tfe is not modeled";
    if (I.Memory.Lds && Base.contains("_format_"))
      Bad = "a conversion on the way to local memory is not modeled";
    if (!I.Memory.Lds)
      data(I.Memory.VData);
    I.Dst = I.Memory.VData;
    address();
    const AsmOperand *Descriptor = take();
    if (Descriptor && (Descriptor->Is != AsmOperand::Scalar ||
                       Descriptor->Reg == scalar::Null))
      Bad = "this descriptor is not modeled";
    if (Descriptor)
      I.Memory.SAddr = Descriptor->Reg;
    // The scalar offset.
    source(2);
  }

  //===-- Images ----------------------------------------------------------===//

  /// A descriptor in scalar registers.
  void descriptor(uint16_t &Reg) {
    const AsmOperand *From = take();
    if (From && (From->Is != AsmOperand::Scalar || From->Reg == scalar::Null))
      Bad = "this descriptor is not modeled";
    if (From)
      Reg = From->Reg;
  }
  void imageAddress(ImageForm &Form) {
    const AsmOperand *From = take();
    if (!From)
      return;
    if (From->Is != AsmOperand::List) {
      if (From->Is != AsmOperand::VGPR)
        Bad = "this address is not modeled";
      I.Memory.VAddr = From->Reg;
      return;
    }
    const auto Members = AsmText::members(*From);
    Form.Separate = uint8_t(Members.size());
    I.Memory.VAddr = Members.empty() ? 0 : Members[0].Reg;
    // The others are bytes after the instruction's first two words.
    if (Members.empty() || Members.size() > 9)
      Bad = "this address is not modeled";
  }
  void image(StringRef Base) {
    I.Enc = Encoding::MIMG;
    ImageForm Form;
    Form.Mask = uint8_t(A.number("dmask"));
    Form.Unnormalized = A.has("unorm");
    Form.ShortAddress = A.has("a16");
    Form.ShortData = A.has("d16");
    if (const auto Dim = A.value("dim")) {
      Form.Dim = llvm::StringSwitch<Dimension>(*Dim)
                     .Case("SQ_RSRC_IMG_1D", Dimension::D1)
                     .Case("SQ_RSRC_IMG_2D", Dimension::D2)
                     .Case("SQ_RSRC_IMG_3D", Dimension::D3)
                     .Case("SQ_RSRC_IMG_1D_ARRAY", Dimension::D1Array)
                     .Case("SQ_RSRC_IMG_2D_ARRAY", Dimension::D2Array)
                     .Default(Dimension::Resource);
      if (Form.Dim == Dimension::Resource)
        Bad = "images of cubes or with several samples are not modeled";
    }
    if (!gpu::features(T).HasMimg)
      Bad = "images are not modeled";
    if (A.has("tfe") || A.has("lwe") || A.has("r128"))
      Bad = "this form is not modeled";
    const unsigned Values = Base.starts_with("image_gather")
                                ? 4
                                : unsigned(llvm::popcount(Form.Mask));
    if (more() &&
        A.Operands[Next].Count != (Form.ShortData ? (Values + 1) / 2 : Values))
      Bad = "data of another size than the components' is not modeled";
    data(O.Flags & Op::HasDst ? I.Dst : I.Memory.VData);
    imageAddress(Form);
    descriptor(I.Memory.SAddr);
    if (more() &&
        (Base.starts_with("image_sample") || Base.starts_with("image_gather")))
      descriptor(I.Memory.SOffset);
    if (more())
      Bad = "this form is not modeled";
    I.Imm = Form.pack();
  }
};

/// Two halves without fields to select them: LLVM knows whether a number is in
/// the lower one or, as on later GPUs, in both.
void setPairConstant(Inst &I, const llvm::MCInst &MI) {
  constexpr int64_t MostInteger = 64; // also of modifiers
  unsigned Next = 0;
  for (const llvm::MCOperand &O : MI) {
    if (!O.isImm() || O.getImm() <= MostInteger)
      continue;
    while (Next < I.NumSrc && (I.Src[Next].At != Operand::Where::Const ||
                               I.Src[Next].Const <= uint64_t(MostInteger)))
      ++Next;
    if (Next < I.NumSrc)
      I.Src[Next++].Const = uint32_t(O.getImm());
  }
}

} // namespace

Inst Decoder::decode(const uint8_t *Bytes, unsigned Avail, uint64_t Address) {
  Inst I;
  std::memcpy(I.Words, Bytes, std::min<size_t>(Avail, sizeof(I.Words)));
  I.Size = 4;
  if (!P->Code) {
    I.Text = P->Why;
    I.IsUnmodeled = true;
    return I;
  }
  llvm::MCInst MI;
  uint64_t Size = 0;
  const auto Status =
      P->Code->decode(MI, Size, llvm::ArrayRef<uint8_t>(Bytes, Avail), Address);
  // Accept undefined fields that are ignored: v_cmpx's destination on gfx10.
  if (Status == llvm::MCDisassembler::Fail) {
    char Buf[80];
    snprintf(Buf, sizeof(Buf), "0x%08x 0x%08x: not an instruction of %s",
             I.Words[0], I.Words[1], getProcessorName(P->Which));
    I.Text = Buf;
    return I;
  }
  const bool Whole = !hasReservedSelection(I.Words);
  // Some have their first operand after the name: "scratch_store_b32 off,".
  const StringRef Mnemonic = StringRef(P->Code->printer().getMnemonic(MI).first)
                                 .trim()
                                 .split(' ')
                                 .first;
  const Op *Known = opTable(P->Which).find(baseMnemonic(Mnemonic.str()));
  if (!Whole || (!Known && !Mnemonic.contains("v_dual_"))) {
    I.Text = Mnemonic.str() +
             (Known ? ": an unknown form on " : ": not modeled on ") +
             getProcessorName(P->Which);
    I.IsUnmodeled = !Known;
    I.Size = uint8_t(Size);
    return I;
  }
  std::string Printed;
  llvm::raw_string_ostream Stream(Printed);
  P->Code->printer().printInst(&MI, Address, "", P->Code->subtarget(), Stream);
  const auto [First, Second] = StringRef(Stream.str()).split("::");
  decodeText(I, First, Size);
  if (I.O && StringRef(I.Text).starts_with("v_pk_fmac_f16"))
    setPairConstant(I, MI);
  if (!Second.empty() && I.O) {
    auto Other = std::make_shared<Inst>();
    std::copy(std::begin(I.Words), std::end(I.Words), Other->Words);
    decodeText(*Other, Second, Size);
    if (!Other->O) {
      I.O = nullptr;
      I.Text = Other->Text;
      I.IsUnmodeled = Other->IsUnmodeled;
    } else {
      for (unsigned N = 0; N < Other->NumSrc; ++N) {
        const Operand &S = Other->Src[N];
        I.OtherReadsDst |= S.At == Operand::Where::VGPR &&
                           S.Reg < I.Dst + dwordsOf(I.O->Result) &&
                           I.Dst < S.Reg + dwordsOf(Other->O->Args[N]);
      }
      I.NeedVGPRs = std::max(I.NeedVGPRs, Other->NeedVGPRs);
      if (I.Fp == FpClass::None)
        I.Fp = Other->Fp;
      I.Other = std::move(Other);
      I.Fn = dualIssue;
    }
  }
  return I;
}

std::shared_ptr<const Uses> Decoder::describe(const Inst &I,
                                              uint64_t Address) const {
  llvm::MCInst MI;
  uint64_t Size = 0;
  P->Code->decode(
      MI, Size,
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(I.Words), I.Size),
      Address);
  return describeUses(I, MI, *P->Code, P->Which, P->Lanes);
}

void Decoder::decodeText(Inst &I, StringRef Printed, uint64_t Size) {
  const AsmText A(Printed);
  I.Text = A.Mnemonic.str();
  std::string Name = I.Text;
  if (StringRef(Name).starts_with("v_dual_"))
    Name.erase(2, 5);
  const gpu::InstructionFacts &Facts = gpu::InstructionFacts::get(Name);
  const std::string &Base = Facts.Name;
  const Op *O = opTable(P->Which).find(Base);
  I.Size = uint8_t(Size);
  if (!O || Size > sizeof(I.Words)) {
    I.Text += std::string(": not modeled on ") + getProcessorName(P->Which);
    I.IsUnmodeled = true;
    return;
  }
  Fields F(I, *O, P->Which, A, Facts);
  I.NumSrc = O->NumArgs;
  const StringRef B = Base;
  if (B.starts_with("v_"))
    F.valu(B, A.Mnemonic);
  else if (B.starts_with("s_"))
    I.Words[0] >> 30 == 2 ? F.salu() : F.smem();
  else if (B.starts_with("ds_"))
    F.ds(B);
  else if (B.starts_with("buffer_"))
    F.buffer(B);
  else if (B.starts_with("image_"))
    F.image(B);
  else
    F.flat(B);
  if (F.Bad) {
    I.Text += std::string(": ") + F.Bad + " on " + getProcessorName(P->Which);
    I.IsUnmodeled = true;
    return;
  }
  I.O = O;
  I.Fp = O->Fp;
  if (!I.Fn)
    I.Fn = O->Fn;
}

} // namespace wavelane::isa
