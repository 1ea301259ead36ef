//===-- Uses.cpp - what an instruction reads and writes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Uses.h"

#include "AsmText.h"
#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <optional>

namespace wavelane::isa {

using llvm::StringRef;
using File = RegisterRange::File;

namespace {

RegisterRange range(File In, unsigned First, unsigned Count,
                    uint32_t Bits = ~0u) {
  RegisterRange R;
  R.In = In;
  R.First = uint16_t(First);
  R.Count = uint16_t(Count);
  R.Bits = Bits;
  return R;
}

/// A register by LLVM's name for it: SGPR4_SGPR5, VGPR1_LO16, VCC_LO, M0_gfx11.
/// Nothing for those without state (null, apertures).
std::optional<RegisterRange> byName(StringRef Name, bool HasScratchSgprs) {
  static const struct {
    const char *Prefix;
    File In;
    unsigned Base;
  } Files[] = {{"VGPR", File::Vector, 0},
               {"AGPR", File::Acc, 0},
               {"SGPR", File::Scalar, 0},
               {"TTMP", File::Scalar, scalar::TTMP0}};
  for (const auto &F : Files) {
    StringRef Rest = Name;
    unsigned First;
    if (!Rest.consume_front(F.Prefix) || Rest.consumeInteger(10, First))
      continue;
    return range(F.In, F.Base + First, unsigned(Name.count(F.Prefix)),
                 Name.contains("_HI16")   ? 0xffff0000u
                 : Name.contains("_LO16") ? 0xffffu
                                          : ~0u);
  }
  const auto Half = [&](StringRef Whole, File In, unsigned First) {
    StringRef Rest = Name;
    Rest.consume_front(Whole);
    return Rest.starts_with("_LO")   ? range(In, First, 1)
           : Rest.starts_with("_HI") ? range(In, First + 1, 1)
                                     : range(In, First, 2);
  };
  if (Name == "SRC_VCCZ" || Name.starts_with("VCC"))
    return Half("VCC", File::Scalar, scalar::VccLo);
  if (Name == "SRC_EXECZ" || Name.starts_with("EXEC"))
    return Half("EXEC", File::Scalar, scalar::ExecLo);
  if (Name.starts_with("FLAT_SCR"))
    return HasScratchSgprs
               ? Half("FLAT_SCR", File::Scalar, scalar::FlatScratchLo)
               : range(File::FlatScratch, 0, 2);
  if (Name.starts_with("SRC_FLAT_SCRATCH"))
    return range(File::FlatScratch, 0, 2);
  if (Name.starts_with("XNACK_MASK"))
    return Half("XNACK_MASK", File::Scalar, scalar::XnackMaskLo);
  if (Name == "M0" || Name.starts_with("M0_"))
    return range(File::Scalar, scalar::M0, 1);
  if (Name == "SCC" || Name == "SRC_SCC")
    return range(File::SCC, 0, 1);
  if (Name == "MODE")
    return range(File::Mode, 0, 1);
  return std::nullopt;
}

/// The half that a 16-bit value occupies; all if it isn't one.
uint32_t halfBits(Kind K, bool High) {
  const bool Short = K == Kind::B16 || K == Kind::F16 || K == Kind::BF16;
  return !Short ? ~0u : High ? 0xffff0000u : 0xffffu;
}

uint32_t selectedBits(uint8_t Sel) {
  return Sel < 4   ? 0xffu << (8 * Sel)
         : Sel < 6 ? 0xffffu << (16 * (Sel - 4))
                   : ~0u;
}

uint32_t readBits(const Inst &I, unsigned N) {
  const Operand &S = I.Src[N];
  const Kind K = I.O->Args[N];
  if (I.Enc == Encoding::VOP3P)
    return halfBits(K, I.Packed.OpSel >> N & 1) |
           halfBits(K, I.Packed.OpSelHi >> N & 1);
  if (I.O->Flags & (Op::Packed | Op::OwnOpSel))
    return ~0u;
  return I.Out.Sdwa && N < 2 ? selectedBits(S.Sel) : halfBits(K, S.High);
}

uint32_t writtenBits(const Inst &I) {
  const StringRef Name = I.Text;
  if (Name.contains("mixlo_"))
    return 0xffff;
  if (Name.contains("mixhi_"))
    return 0xffff0000;
  if (I.Out.Sdwa && I.Out.Sel != 6)
    return I.Out.Unused == 2 ? selectedBits(I.Out.Sel) : ~0u;
  return I.Out.High || I.Out.KeepsHigh ? halfBits(I.O->Result, I.Out.High)
                                       : ~0u;
}

/// The bits of the first register that a load writes: a half for d16, unless
/// the other one is cleared.
uint32_t loadedBits(const Inst &I, StringRef Name) {
  if (!I.Out.KeepsHigh)
    return ~0u;
  return Name.contains("_d16_hi") ? 0xffff0000 : 0xffff;
}

/// What LLVM's description doesn't say.
void addUnlisted(const Inst &I, Uses &U, Target T) {
  const StringRef Name = U.Name;
  if (I.Enc == Encoding::FLAT && I.Memory.Seg != 2)
    U.Reads.push_back(gpu::features(T).HasScratchSgprs
                          ? range(File::Scalar, scalar::FlatScratchLo, 2)
                          : range(File::FlatScratch, 0, 2));
  // Some write a part of the destination.
  if ((I.O->Flags & Op::OwnOpSel) && Name.starts_with("v_cvt_"))
    U.Reads.push_back(range(File::Vector, I.Dst, dwordsOf(I.O->Result)));
  const auto Dst = [&] {
    return range(File::Scalar, I.Dst, Name.ends_with("64") ? 2 : 1);
  };
  if (Name.starts_with("s_cmov") || Name.starts_with("s_bitset"))
    U.Reads.push_back(Dst());             // all or some of it is left
  if (Name.starts_with("s_set_gpr_idx_")) // M0's other bits are left.
    U.Reads.push_back(range(File::Scalar, scalar::M0, 1));
  if (Name.starts_with("s_atomic")) // also what its old value replaces
    U.Reads.push_back(range(File::Scalar, I.Memory.VData, unsigned(I.O->Data)));
  if (Name.starts_with("s_getreg")) // STATUS
    for (const File In : {File::SCC, File::FlatScratch})
      U.Reads.push_back(range(In, 0, In == File::SCC ? 1 : 2));
  if (Name.starts_with("s_setreg")) {
    const unsigned Id = unsigned(I.Imm) & 63;
    U.Reads.push_back(range(File::FlatScratch, 0, 2));
    if (Id == 20 || Id == 21)
      U.Writes.push_back(range(File::FlatScratch, 0, 2));
  }
}

struct Operands {
  const gpu::MachineCode &Code;
  const Target T;
  const unsigned Lanes;
  Uses &U;
  const bool IsComplete;

  void add(std::vector<RegisterRange> &To, llvm::MCRegister Reg,
           bool Implicit = false) {
    auto R =
        byName(Code.registers().getName(Reg), gpu::features(T).HasScratchSgprs);
    if (!R)
      return;
    // LLVM's implicit masks are those of 64 lanes.
    if (Implicit && Lanes == 32 && !StringRef(U.Name).ends_with("_b64") &&
        R->In == File::Scalar && R->Count == 2 &&
        (R->First == scalar::VccLo || R->First == scalar::ExecLo))
      R->Count = 1;
    To.push_back(*R);
  }

  void add(const Inst &I, const llvm::MCInst &MI) {
    const llvm::MCInstrDesc &D = Code.instructions().get(MI.getOpcode());
    // Most vector arithmetic has its vector registers in the decoder's form.
    const bool Skip = U.Class == InstClass::VectorALU && !IsComplete;
    for (unsigned N = 0; N < MI.getNumOperands(); ++N) {
      const llvm::MCOperand &O = MI.getOperand(N);
      if (!O.isReg() || !O.getReg())
        continue;
      const bool IsDef = N < D.getNumDefs();
      // The old value of a destination: what isn't written is left, and isn't
      // said to be read.
      if (!IsDef && D.getOperandConstraint(N, llvm::MCOI::TIED_TO) >= 0 &&
          !isVectorAtomic() && U.Class != InstClass::ScalarALU && !keepsTied(I))
        continue;
      auto &To = IsDef ? U.Writes : U.Reads;
      add(To, O.getReg());
      if (Skip && !To.empty() &&
          (To.back().In == File::Vector || To.back().In == File::Acc))
        To.pop_back();
    }
    for (const auto Reg : D.implicit_uses())
      if (!ignoresM0(Reg))
        add(U.Reads, Reg, true);
    for (const auto Reg : D.implicit_defs())
      add(U.Writes, Reg, true);
  }

  /// Instructions that are described from LLVM's operands, and read the old
  /// value of the destination.
  static bool keepsTied(const Inst &I) {
    const StringRef Text = I.Text;
    return Text.starts_with("v_smfmac") || Text.starts_with("v_wmma") ||
           (I.O->Flags & Op::OwnOpSel);
  }

  /// A buffer atomic returns the old value in its data's register.
  bool isVectorAtomic() const {
    return U.Class == InstClass::VectorMemory &&
           StringRef(U.Name).contains("_atomic_");
  }

  /// Since gfx9, local memory doesn't need M0, unless it is the address.
  bool ignoresM0(llvm::MCRegister Reg) const {
    return U.Class == InstClass::Local &&
           !StringRef(U.Name).contains("_addtid_") &&
           StringRef(Code.registers().getName(Reg)).starts_with("M0");
  }
};

/// Some GPUs have results of 16 bits in one half of each register, and C also.
void limitToHalf(const Inst &I, Uses &U, Target T) {
  if (!gpu::features(T).HasReplicatedWmma || I.O->Result == Kind::F32 ||
      I.O->Result == Kind::B32)
    return;
  const uint32_t Half = halfBits(I.O->Result, I.Packed.OpSel >> 2 & 1);
  for (RegisterRange &R : U.Writes)
    R.Bits = Half;
  if (I.Src[2].At == Operand::Where::VGPR)
    for (RegisterRange &R : llvm::reverse(U.Reads))
      if (R.In == File::Vector) {
        R.Bits = Half; // the last operand
        break;
      }
}

} // namespace

void addVectorRanges(const Inst &I, std::vector<RegisterRange> &Reads,
                     std::vector<RegisterRange> &Writes) {
  for (const Inst *Half = &I; Half; Half = Half->Other.get()) {
    const Op &O = *Half->O;
    for (unsigned N = 0; N < Half->NumSrc; ++N) {
      const Operand &S = Half->Src[N];
      if (S.At != Operand::Where::VGPR && S.At != Operand::Where::AccVGPR)
        continue;
      RegisterRange R =
          range(S.At == Operand::Where::VGPR ? File::Vector : File::Acc, S.Reg,
                dwordsOf(O.Args[N]), readBits(*Half, N));
      // Which source DPP applies to.
      if (Half->Dpp.IsOn && N == 0)
        R.How = RegisterRange::FromLane;
      Reads.push_back(R);
    }
    if (O.Result != Kind::None && !(O.Flags & Op::ScalarDst))
      Writes.push_back(range(Half->Matrix.AccDst ? File::Acc : File::Vector,
                             Half->Dst, dwordsOf(O.Result),
                             writtenBits(*Half)));
    if (StringRef(Half->Text).contains("_swap_b32")) {
      Reads.push_back(range(File::Vector, Half->Dst, 1));
      Writes.push_back(range(File::Vector, Half->Src[0].Reg, 1));
    }
  }
}

std::shared_ptr<const Uses> describeUses(const Inst &I, const llvm::MCInst &MI,
                                         const gpu::MachineCode &Code, Target T,
                                         unsigned Lanes) {
  static std::atomic<uint64_t> NextId = 1;
  auto U = std::make_shared<Uses>();
  U->Id = NextId++;
  U->Mnemonic = I.Text;
  U->Facts = &gpu::InstructionFacts::get(I.Text);
  const gpu::InstructionFacts &Facts = *U->Facts;
  U->Name = Facts.Name;
  const StringRef Name = U->Name;
  U->Class = Facts.Class;
  const bool IsArithmetic = U->Class == InstClass::VectorALU ||
                            U->Class == InstClass::ScalarALU ||
                            U->Class == InstClass::Branch || Facts.IsNop;
  const bool IsCall = Facts.Flow == gpu::ControlFlow::Call ||
                      Facts.Flow == gpu::ControlFlow::IndirectCall ||
                      Facts.Flow == gpu::ControlFlow::Jump;
  U->ObservedFor = observe::Registers | (IsCall ? observe::Calls : 0) |
                   (IsArithmetic ? 0
                                 : observe::Accesses | observe::FlatAccesses |
                                       observe::OtherRegisters);
  const bool IsMatrix = Facts.IsMatrix;
  // The decoder doesn't count the registers of these.
  const bool IsComplete = IsMatrix || (I.O->Flags & Op::OwnOpSel);
  Operands{Code, T, Lanes, *U, IsComplete}.add(I, MI);
  addUnlisted(I, *U, T);
  if (Name.starts_with("v_wmma"))
    limitToHalf(I, *U, T);
  U->OtherReads = U->Reads.size();
  U->OtherWrites = U->Writes.size();
  if (U->Class == InstClass::VectorALU && !IsComplete)
    addVectorRanges(I, U->Reads, U->Writes);
  for (const auto *List : {&U->Reads, &U->Writes})
    for (const RegisterRange &R : *List)
      U->HasVectors |= R.In == File::Vector || R.In == File::Acc;
  U->Lanes =
      IsMatrix ? Uses::Matrix
      : Facts.Move == gpu::MoveKind::Permute && Name.ends_with("_swap_b32")
          ? Uses::RowSwap
      : Facts.accessesOneLane() ? Uses::OneLane
      : Facts.IsRelative        ? Uses::Relative
                                : Uses::EachLane;
  if (I.O->Flags & Op::Accesses) {
    U->IsAtomic = Name.contains("_atomic_") || (I.O->Flags & Op::IsAtomic) != 0;
    U->IsLoad = U->IsAtomic || (I.O->Flags & Op::HasDst) || I.Memory.Lds ||
                Name.contains("load");
    U->IsStore = U->IsAtomic || I.Memory.Lds || !U->IsLoad;
    U->Returns = U->IsAtomic &&
                 (U->Class == InstClass::Local ? bool(I.O->Flags & Op::HasDst)
                                               : I.Memory.Glc);
    for (RegisterRange &R : U->Writes)
      if (R.In != File::Scalar)
        R.Bits = loadedBits(I, Name);
    if (!I.Memory.Lds && Name.contains("_d16_hi") && U->IsStore)
      for (RegisterRange &R : U->Reads)
        if (R.In != File::Scalar && R.First == I.Memory.VData && R.Count == 1 &&
            R.First != I.Memory.VAddr)
          R.Bits = 0xffff0000;
  }
  // Cache bits and scope.
  std::string Printed;
  llvm::raw_string_ostream Stream(Printed);
  const_cast<gpu::MachineCode &>(Code).printer().printInst(
      &MI, 0, "", Code.subtarget(), Stream);
  const AsmText A(Printed);
  static const struct {
    const char *Word;
    uint8_t Bit;
  } Bits[] = {{"glc", cache::GLC}, {"slc", cache::SLC}, {"dlc", cache::DLC},
              {"sc0", cache::SC0}, {"sc1", cache::SC1}, {"nt", cache::NT}};
  for (const auto &B : Bits)
    if (A.has(B.Word))
      U->Cache |= B.Bit;
  if (const auto Scope = A.value("scope"))
    U->Scope = llvm::StringSwitch<uint8_t>(*Scope)
                   .Case("SCOPE_SE", 1)
                   .Case("SCOPE_DEV", 2)
                   .Case("SCOPE_SYS", 3)
                   .Default(0);
  return U;
}

} // namespace wavelane::isa
