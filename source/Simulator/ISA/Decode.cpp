//===-- Decode.cpp - instruction words to Inst -----------------------------===//

#include "Decode.h"

#include "llvm-c/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <mutex>

// So that LLVM's initialisers need not come from its C header's macros.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
}

namespace wavelane {
namespace isa {

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

std::string baseMnemonic(const std::string &Name) {
  llvm::StringRef N = Name;
  for (const char *Suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
    if (N.consume_back(Suffix))
      break;
  return N.str();
}

const OpTable &opTable(Target) {
  static const OpTable *Table = [] {
    auto *T = new OpTable;
    addScalarOps(*T);
    addMemoryOps(*T);
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

const char *getProcessorName(Target T) {
  switch (T) {
  case Target::GFX90A:
    return "gfx90a";
  }
  return "";
}

struct Decoder::Impl {
  Target Which;
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Regs;
  std::unique_ptr<llvm::MCAsmInfo> Asm;
  std::unique_ptr<llvm::MCInstrInfo> Instrs;
  std::unique_ptr<llvm::MCSubtargetInfo> Sub;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Dis;
  std::unique_ptr<llvm::MCInstPrinter> Printer;
};

Decoder::Decoder(Target T) : P(std::make_unique<Impl>()) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  P->Which = T;
  const char *TripleName = "amdgcn-amd-amdhsa";
  std::string Error;
  const llvm::Target *L = llvm::TargetRegistry::lookupTarget(TripleName, Error);
  if (!L)
    return; // Every instruction will say so.
  llvm::Triple Triple(TripleName);
  P->Regs.reset(L->createMCRegInfo(TripleName));
  P->Asm.reset(L->createMCAsmInfo(*P->Regs, TripleName, P->Options));
  P->Instrs.reset(L->createMCInstrInfo());
  P->Sub.reset(L->createMCSubtargetInfo(TripleName, getProcessorName(T), ""));
  P->Context = std::make_unique<llvm::MCContext>(Triple, P->Asm.get(),
                                                 P->Regs.get(), P->Sub.get());
  P->Dis.reset(L->createMCDisassembler(*P->Sub, *P->Context));
  P->Printer.reset(
      L->createMCInstPrinter(Triple, 0, *P->Asm, *P->Instrs, *P->Regs));
}

Decoder::~Decoder() = default;

namespace {

uint32_t bits(uint32_t W, unsigned Hi, unsigned Lo) {
  return W >> Lo & (Hi - Lo == 31 ? ~0u : (1u << (Hi - Lo + 1)) - 1);
}

/// Value of inline float constant number 240 + N.
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
  if (K == Kind::B64 || K == Kind::I64 || K == Kind::F64)
    return Double[N];
  return Single[N];
}

/// Fields of one instruction being taken apart.
struct Fields {
  Inst &I;
  const Op &O;
  uint32_t W0, W1;
  bool UsesLiteral = false;
  const char *Bad = nullptr;

  void vgpr(Operand &S, unsigned Reg) {
    S.At = Operand::Where::VGPR;
    S.Reg = uint16_t(Reg);
  }

  /// A 9-bit source.
  void source(unsigned N, unsigned Code) {
    Operand &S = I.Src[N];
    const Kind K = O.Args[N];
    if (Code >= 256)
      return vgpr(S, Code - 256);
    S.Reg = uint16_t(Code);
    if (Code <= 127) {
      S.At = Operand::Where::Scalar;
      if (dwordsOf(K) == 2 && (Code & 1))
        Bad = "an odd register pair is not modelled";
      return;
    }
    S.At = Operand::Where::Const;
    if (Code <= 192) {
      S.Const = Code - 128;
    } else if (Code <= 208) {
      S.Const = uint64_t(-int64_t(Code - 192));
    } else if (Code >= 240 && Code <= 248) {
      S.Const = floatConstant(Code - 240, K);
    } else if (Code == 255) {
      UsesLiteral = true;
      S.Const = literal(K);
    } else if ((Code >= 235 && Code <= 238) || (Code >= 251 && Code <= 253)) {
      S.At = Operand::Where::Special;
      if (Code <= 238 && dwordsOf(K) != 2)
        Bad = "an aperture as a 32-bit operand is not modelled";
    } else {
      Bad = "this source operand is not modelled";
    }
  }
  /// A literal: doubles have it as their upper half.
  uint64_t literal(Kind K) const {
    switch (K) {
    case Kind::F64:
      return uint64_t(W1) << 32;
    case Kind::I64:
      return uint64_t(int64_t(int32_t(W1)));
    default:
      return W1;
    }
  }

  void sdwa(unsigned NumSrc, bool Compare) {
    I.Size = 8;
    I.Sdwa = true;
    Operand &A = I.Src[0];
    if (W1 >> 23 & 1)
      source(0, bits(W1, 7, 0));
    else
      vgpr(A, bits(W1, 7, 0));
    A.Sel = uint8_t(bits(W1, 18, 16));
    A.Sext = W1 >> 19 & 1;
    A.Neg = W1 >> 20 & 1;
    A.Abs = W1 >> 21 & 1;
    if (NumSrc > 1) {
      Operand &B = I.Src[1];
      const unsigned R = B.Reg;
      B = Operand();
      if (W1 >> 31 & 1)
        source(1, R);
      else
        vgpr(B, R);
      B.Sel = uint8_t(bits(W1, 26, 24));
      B.Sext = W1 >> 27 & 1;
      B.Neg = W1 >> 28 & 1;
      B.Abs = W1 >> 29 & 1;
    }
    if (Compare) {
      I.SDst = W1 >> 15 & 1 ? uint16_t(bits(W1, 14, 8)) : scalar::VccLo;
    } else {
      I.DstSel = uint8_t(bits(W1, 10, 8));
      I.DstUnused = uint8_t(bits(W1, 12, 11));
      I.Clamp = W1 >> 13 & 1;
      I.Omod = uint8_t(bits(W1, 15, 14));
    }
    if (A.Sel > 6 || I.Src[1].Sel > 6 || I.DstSel > 6 || I.DstUnused > 2)
      Bad = "reserved SDWA selection";
  }

  void dpp() {
    I.Size = 8;
    I.Dpp = true;
    vgpr(I.Src[0], bits(W1, 7, 0));
    I.DppCtrl = uint16_t(bits(W1, 16, 8));
    I.BoundCtrl = W1 >> 19 & 1;
    I.Src[0].Neg = W1 >> 20 & 1;
    I.Src[0].Abs = W1 >> 21 & 1;
    I.Src[1].Neg = W1 >> 22 & 1;
    I.Src[1].Abs = W1 >> 23 & 1;
    I.BankMask = uint8_t(bits(W1, 27, 24));
    I.RowMask = uint8_t(bits(W1, 31, 28));
    const unsigned C = I.DppCtrl;
    const bool Known = C <= 0xff || (C > 0x100 && C < 0x110) ||
                       (C > 0x110 && C < 0x120) || (C > 0x120 && C < 0x130) ||
                       C == 0x130 || C == 0x134 || C == 0x138 || C == 0x13c ||
                       (C >= 0x140 && C <= 0x143) || (C >= 0x150 && C <= 0x15f);
    if (!Known)
      Bad = "this dpp_ctrl is not modelled";
  }

  /// src0 of VOP1, VOP2 and VOPC, which may announce a second word.
  void source0(unsigned NumSrc, bool Compare) {
    const unsigned Code = bits(W0, 8, 0);
    if (Code == 249)
      sdwa(NumSrc, Compare);
    else if (Code == 250)
      dpp();
    else
      source(0, Code);
  }

  void vop3() {
    I.Size = 8;
    I.Dst = uint16_t(bits(W0, 7, 0));
    I.SDst = uint16_t(bits(W0, 14, 8));
    I.Clamp = W0 >> 15 & 1;
    for (unsigned N = 0; N < 3; ++N) {
      if (N >= I.NumSrc)
        break;
      source(N, bits(W1, 9 * N + 8, 9 * N));
      I.Src[N].Neg = W1 >> (29 + N) & 1;
    }
    I.Omod = uint8_t(bits(W1, 28, 27));
  }
};

bool isVop3b(const std::string &Name) {
  llvm::StringRef N = Name;
  return N.contains("_co_") || N.starts_with("v_div_scale") ||
         N.starts_with("v_mad_u64_u32") || N.starts_with("v_mad_i64_i32");
}

/// Arch VGPRs that a source or destination at \a Reg of \a Dwords needs.
void need(Inst &I, unsigned Reg, unsigned Dwords) {
  I.NeedVGPRs = std::max<uint16_t>(I.NeedVGPRs, uint16_t(Reg + Dwords));
}

void finishVector(Inst &I, const Op &O) {
  for (unsigned N = 0; N < I.NumSrc; ++N) {
    Operand &S = I.Src[N];
    if (S.At == Operand::Where::VGPR)
      need(I, S.Reg, dwordsOf(O.Args[N]));
    S.Plain = S.At == Operand::Where::VGPR && !S.Neg && !S.Abs && !S.High &&
              S.Sel == 6 && !(I.Dpp && N == 0);
  }
  if (O.Result != Kind::None && !(O.Flags & Op::ScalarDst))
    need(I, I.Dst, dwordsOf(O.Result));
  I.PlainDst = !I.Clamp && !I.Omod && !I.DstHigh &&
               !(I.Sdwa && I.DstSel != 6) && !(O.Flags & Op::KeepsHigh16);
}

} // namespace

Inst Decoder::decode(const uint8_t *Bytes, unsigned Avail, uint64_t Address) {
  Inst I;
  std::memcpy(&I.Words[0], Bytes, 4);
  if (Avail >= 8)
    std::memcpy(&I.Words[1], Bytes + 4, 4);
  I.Size = 4;
  if (!P->Dis) {
    I.Text = "LLVM was built without the AMDGPU target";
    return I;
  }
  llvm::MCInst MI;
  uint64_t Size = 0;
  auto Status = P->Dis->getInstruction(
      MI, Size, llvm::ArrayRef<uint8_t>(Bytes, Avail), Address,
      llvm::nulls());
  if (Status != llvm::MCDisassembler::Success) {
    char Buf[80];
    snprintf(Buf, sizeof(Buf), "0x%08x 0x%08x: not an instruction of %s",
             I.Words[0], I.Words[1], getProcessorName(P->Which));
    I.Text = Buf;
    return I;
  }
  llvm::StringRef Mnemonic = P->Printer->getMnemonic(&MI).first;
  I.Text = Mnemonic.trim().str();
  const std::string Base = baseMnemonic(I.Text);
  const Op *O = opTable(P->Which).find(Base);
  I.Size = uint8_t(Size);
  if (!O || (Size != 4 && Size != 8)) {
    I.Text += std::string(": not modelled on ") + getProcessorName(P->Which);
    return I;
  }

  const uint32_t W0 = I.Words[0], W1 = I.Words[1];
  Fields F{I, *O, W0, W1};
  I.NumSrc = O->NumArgs;
  const unsigned Top6 = W0 >> 26;
  I.Size = 4;

  if (W0 >> 31 == 0) {
    if (bits(W0, 30, 25) == 0x3f) {
      I.Enc = Encoding::VOP1;
      I.Dst = uint16_t(bits(W0, 24, 17));
      if (I.NumSrc)
        F.source0(1, false);
    } else if (bits(W0, 30, 25) == 0x3e) {
      I.Enc = Encoding::VOPC;
      I.SDst = scalar::VccLo;
      if (bits(W0, 8, 0) == 249)
        I.Src[1].Reg = uint16_t(bits(W0, 16, 9));
      else
        F.vgpr(I.Src[1], bits(W0, 16, 9));
      F.source0(2, true);
    } else {
      I.Enc = Encoding::VOP2;
      I.Dst = uint16_t(bits(W0, 24, 17));
      I.SDst = scalar::VccLo;
      if (bits(W0, 8, 0) == 249)
        I.Src[1].Reg = uint16_t(bits(W0, 16, 9));
      else
        F.vgpr(I.Src[1], bits(W0, 16, 9));
      if (O->Flags & Op::Src1IsLiteral) {
        I.Src[2] = I.Src[1];
        I.Src[1] = Operand();
        F.source(1, 255);
      } else if (O->Flags & Op::Src2IsLiteral) {
        F.source(2, 255);
      }
      F.source0(2, false);
      // Third operands that the encoding has no room for.
      if (O->Flags & Op::ReadsDst) {
        F.vgpr(I.Src[2], I.Dst);
      } else if (I.NumSrc == 3 &&
                 !(O->Flags & (Op::Src1IsLiteral | Op::Src2IsLiteral))) {
        I.Src[2].At = Operand::Where::Scalar; // Carry in, select: VCC.
        I.Src[2].Reg = scalar::VccLo;
      }
    }
    if (F.UsesLiteral)
      I.Size = 8;
    finishVector(I, *O);
  } else if (Top6 == 0x34) {
    const bool Packed = bits(W0, 31, 23) == 0x1a7;
    F.vop3();
    const bool B = !Packed && isVop3b(Base);
    if (Packed) {
      I.Enc = O->Flags & Op::Acc ? Encoding::MAI : Encoding::VOP3P;
      I.OpSel = uint8_t(bits(W0, 13, 11));
      I.OpSelHi = uint8_t(bits(W1, 28, 27) | (W0 >> 14 & 1) << 2);
      I.NegLo = uint8_t(bits(W1, 31, 29));
      I.NegHi = uint8_t(bits(W0, 10, 8));
      I.Omod = 0;
      for (Operand &S : I.Src)
        S.Neg = false;
    } else {
      I.Enc = Encoding::VOP3;
      if (!B) {
        for (unsigned N = 0; N < I.NumSrc; ++N) {
          I.Src[N].Abs = W0 >> (8 + N) & 1;
          I.Src[N].High = W0 >> (11 + N) & 1;
        }
        I.DstHigh = W0 >> 14 & 1;
        I.SDst = I.Dst; // Compares: the result's SGPRs are in vdst.
      }
      if (O->Flags & Op::ReadsDst)
        F.vgpr(I.Src[2], I.Dst);
    }
    if (F.UsesLiteral)
      F.Bad = "a literal in VOP3 is not modelled";
    finishVector(I, *O);
  } else if (Top6 == 0x35) {
    I.Enc = Encoding::VINTRP;
    F.Bad = "interpolation is not modelled";
  } else if (W0 >> 30 == 2) {
    const unsigned Top9 = W0 >> 23;
    if (Top9 == 0x17f) {
      I.Enc = Encoding::SOPP;
      I.Imm = int16_t(W0);
    } else if (Top9 == 0x17e) {
      I.Enc = Encoding::SOPC;
      F.source(0, bits(W0, 7, 0));
      F.source(1, bits(W0, 15, 8));
      I.Imm = int32_t(bits(W0, 15, 8));
    } else if (Top9 == 0x17d) {
      I.Enc = Encoding::SOP1;
      I.Dst = uint16_t(bits(W0, 22, 16));
      if (I.NumSrc)
        F.source(0, bits(W0, 7, 0));
    } else if (W0 >> 28 == 0xb) {
      I.Enc = Encoding::SOPK;
      I.Dst = uint16_t(bits(W0, 22, 16));
      I.Imm = int16_t(W0);
      if (Base == "s_setreg_imm32_b32")
        I.Size = 8;
    } else {
      I.Enc = Encoding::SOP2;
      I.Dst = uint16_t(bits(W0, 22, 16));
      F.source(0, bits(W0, 7, 0));
      F.source(1, bits(W0, 15, 8));
    }
    if (F.UsesLiteral)
      I.Size = 8;
  } else {
    I.Size = 8;
    switch (Top6) {
    case 0x30: // SMEM
      I.Enc = Encoding::SMEM;
      I.SAddr = uint16_t(bits(W0, 5, 0) * 2);
      I.VData = uint16_t(bits(W0, 12, 6));
      I.Glc = W0 >> 16 & 1;
      I.Imm = int32_t(W1 << 11) >> 11; // 21 bits, signed.
      // imm (17) and soffset_en (14) say what the offset is made of.
      if (W0 >> 17 & 1) {
        I.HasSAddr = W0 >> 14 & 1;
        I.SOffset = uint16_t(bits(W1, 31, 25));
      } else {
        I.HasSAddr = true;
        I.SOffset = uint16_t(W0 >> 14 & 1 ? bits(W1, 31, 25) : bits(W1, 6, 0));
        I.Imm = 0;
      }
      break;
    case 0x36: // DS
      I.Enc = Encoding::DS;
      I.Imm = int32_t(bits(W0, 15, 0));
      I.Gds = W0 >> 16 & 1;
      I.AccData = W0 >> 25 & 1;
      I.VAddr = uint16_t(bits(W1, 7, 0));
      I.VData = uint16_t(bits(W1, 15, 8));
      I.VData1 = uint16_t(bits(W1, 23, 16));
      I.Dst = uint16_t(bits(W1, 31, 24));
      if (I.Gds)
        F.Bad = "GDS is not modelled";
      break;
    case 0x37: // FLAT
      I.Enc = Encoding::FLAT;
      I.Seg = uint8_t(bits(W0, 15, 14));
      I.Imm = I.Seg ? int32_t(W0 << 19) >> 19 : int32_t(bits(W0, 11, 0));
      I.Lds = W0 >> 13 & 1;
      I.Glc = W0 >> 16 & 1;
      I.VAddr = uint16_t(bits(W1, 7, 0));
      I.VData = uint16_t(bits(W1, 15, 8));
      I.SAddr = uint16_t(bits(W1, 22, 16));
      I.HasSAddr = I.Seg && I.SAddr != 0x7f;
      I.AccData = W1 >> 23 & 1;
      I.Dst = uint16_t(bits(W1, 31, 24));
      if (I.Lds)
        F.Bad = "loads into LDS are not modelled";
      break;
    case 0x38: // MUBUF
      I.Enc = Encoding::MUBUF;
      I.Imm = int32_t(bits(W0, 11, 0));
      I.OffEn = W0 >> 12 & 1;
      I.IdxEn = W0 >> 13 & 1;
      I.Glc = W0 >> 14 & 1;
      I.Lds = W0 >> 16 & 1;
      I.VAddr = uint16_t(bits(W1, 7, 0));
      I.VData = I.Dst = uint16_t(bits(W1, 15, 8));
      I.SAddr = uint16_t(bits(W1, 20, 16) * 4);
      I.AccData = W1 >> 23 & 1;
      F.source(2, bits(W1, 31, 24));
      if (I.Lds)
        F.Bad = "loads into LDS are not modelled";
      break;
    default:
      F.Bad = "this encoding is not modelled";
      break;
    }
  }

  if (!F.Bad && I.Size != Size)
    F.Bad = "length and encoding disagree";
  if (!F.Bad && I.Clamp && O->Result != Kind::F32 && O->Result != Kind::F16 &&
      O->Result != Kind::F64 && !(O->Flags & Op::Packed) &&
      I.Enc != Encoding::VOPC) {
    if (O->ClampFn)
      I.Fn = O->ClampFn;
    else if (O->Result == Kind::None)
      F.Bad = "clamp (signalling compare) is not modelled";
    else
      F.Bad = "clamp is not modelled";
  }
  I.Size = uint8_t(Size);
  if (F.Bad) {
    I.Text += std::string(": ") + F.Bad + " on " + getProcessorName(P->Which);
    return I;
  }
  I.O = O;
  if (!I.Fn)
    I.Fn = O->Fn;
  return I;
}

} // namespace isa
} // namespace wavelane
