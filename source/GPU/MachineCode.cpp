//===-- MachineCode.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/MachineCode.h"

#include "wavelane/GPU/Processors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <mutex>

using namespace llvm;
using namespace wavelane::gpu;

// LLVM's initializers, without the macros of its C header.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUDisassembler(void);
}

// LLVM 22 reads the literal of an instruction after it has dropped the stream
// for its messages: if no bytes are left, it writes to a null pointer.
// Arbitrary words can cause this: a truncated instruction, and a literal in an
// encoding that has none on that GPU. So let the decoder know that instructions
// can be longer than they really can, and give it that many bytes.
namespace {
class LongInstructionAsmInfo : public MCAsmInfo {
public:
  static constexpr unsigned Room = 32;
  unsigned getMaxInstLength(const MCSubtargetInfo *) const override {
    return Room;
  }
};
} // namespace

Expected<std::unique_ptr<MachineCode>> MachineCode::create(StringRef Name,
                                                           StringRef Features) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  const Triple TheTriple("amdgcn-amd-amdhsa");
  std::string Why;
  const Target *T = TargetRegistry::lookupTarget(TheTriple, Why);
  if (!T)
    return createStringError("LLVM was built without AMD GPUs: " + Why);
  Name = Name.take_until([](char C) { return C == ':'; });
  const Processor *Known = findByName(Name);
  const StringRef CPU = Known ? Known->llvmName() : Name;

  // For an unknown name, LLVM still creates a subtarget, prints a line to
  // stderr, and aborts when decoding with it.
  const std::unique_ptr<MCSubtargetInfo> Any(
      T->createMCSubtargetInfo(TheTriple, "", ""));
  if (CPU.empty() || !Any || !Any->isCPUStringValid(CPU))
    return createStringError("LLVM knows no processor '" + Name + "'");

  std::unique_ptr<MachineCode> M(new MachineCode);
  M->Registers.reset(T->createMCRegInfo(TheTriple));
  M->Subtarget.reset(T->createMCSubtargetInfo(TheTriple, CPU, Features));
  M->Instructions.reset(T->createMCInstrInfo());
  if (M->Registers)
    M->Assembly.reset(T->createMCAsmInfo(*M->Registers, TheTriple, M->Options));
  if (M->Assembly && M->Instructions && M->Subtarget) {
    M->Analysis.reset(T->createMCInstrAnalysis(M->Instructions.get()));
    M->DecoderAssembly = std::make_unique<LongInstructionAsmInfo>();
    M->Context =
        std::make_unique<MCContext>(TheTriple, M->DecoderAssembly.get(),
                                    M->Registers.get(), M->Subtarget.get());
    M->Disassembler.reset(T->createMCDisassembler(*M->Subtarget, *M->Context));
    M->Printer.reset(
        T->createMCInstPrinter(TheTriple, M->Assembly->getAssemblerDialect(),
                               *M->Assembly, *M->Instructions, *M->Registers));
  }
  if (!M->Analysis || !M->Disassembler || !M->Printer)
    return createStringError("LLVM cannot disassemble code of '" + Name + "'");
  return M;
}

/// LLVM 22 crashes on a literal as the number of a barrier, for which the
/// encoding (SOP1) has none. Looks at the same instruction with 0 for it.
static bool hasLiteralBarrier(const MCDisassembler &Disassembler,
                              const MCInstrInfo &Instructions,
                              ArrayRef<uint8_t> Bytes, uint64_t Address) {
  constexpr uint8_t Sop1 = 0xbe, Literal = 0xff, Zero = 0x80;
  if (Bytes[3] != Sop1 || Bytes[0] != Literal)
    return false;
  const uint8_t Same[] = {Zero, Bytes[1], Bytes[2], Bytes[3]};
  MCInst Inst;
  uint64_t Size = 0;
  return Disassembler.getInstruction(Inst, Size, Same, Address, nulls()) !=
             MCDisassembler::Fail &&
         Instructions.getName(Inst.getOpcode()).contains("BARRIER");
}

MCDisassembler::DecodeStatus MachineCode::decode(MCInst &Inst, uint64_t &Size,
                                                 ArrayRef<uint8_t> Bytes,
                                                 uint64_t Address) const {
  uint8_t Padded[LongInstructionAsmInfo::Room] = {};
  const size_t Longest = Assembly->getMaxInstLength(Subtarget.get());
  const size_t Real = std::min({Bytes.size(), Longest, sizeof(Padded)});
  std::copy_n(Bytes.begin(), Real, Padded);
  const auto Status =
      hasLiteralBarrier(*Disassembler, *Instructions, Padded, Address)
          ? MCDisassembler::Fail
          : Disassembler->getInstruction(Inst, Size, Padded, Address, nulls());
  // An instruction that uses bytes beyond the real ones is invalid.
  if (Status != MCDisassembler::Fail && Size != 0 && Size <= Real)
    return Status;
  Size = std::min<uint64_t>(4, Real);
  return MCDisassembler::Fail;
}

const InstructionFacts &MachineCode::facts(const MCInst &Inst) const {
  const InstructionFacts *&Known = Facts[Inst.getOpcode()];
  if (Known)
    return *Known;
  // Some have their first operand after the name: "scratch_store_b32 off,".
  const char *Printed = Printer->getMnemonic(Inst).first;
  std::string Mnemonic =
      StringRef(Printed ? Printed : "").trim().split(' ').first.str();
  // The printer adds these suffixes to the first operand.
  const StringRef Name = Instructions->getName(Inst.getOpcode());
  for (const char *Form : {"_dpp", "_sdwa"})
    if (Name.contains(Form) && !StringRef(Mnemonic).ends_with(Form))
      Mnemonic += Form;
  Known = &InstructionFacts::get(Mnemonic);
  return *Known;
}

bool MachineCode::writesExec(const MCInst &Inst) const {
  const auto IsExec = [&](MCRegister Register) {
    return Register &&
           StringRef(Registers->getName(Register)).starts_with("EXEC");
  };
  const MCInstrDesc &Description = Instructions->get(Inst.getOpcode());
  for (unsigned I = 0; I < Description.getNumDefs() && I < Inst.size(); ++I)
    if (Inst.getOperand(I).isReg() && IsExec(Inst.getOperand(I).getReg()))
      return true;
  return any_of(Description.implicit_defs(), IsExec);
}

std::optional<SlotAccess> MachineCode::getSlotAccess(const MCInst &Inst) const {
  const InstructionFacts &F = facts(Inst);
  const bool IsBuffer = F.Unit == InstructionUnit::Buffer;
  if ((!IsBuffer && F.Unit != InstructionUnit::Scratch) ||
      (F.Name != "buffer_load_dword" && F.Name != "buffer_store_dword" &&
       F.Name != "scratch_load_dword" && F.Name != "scratch_store_dword"))
    return std::nullopt;
  // LLVM has an opcode for each form of an address.
  const StringRef Opcode = Instructions->getName(Inst.getOpcode());
  SlotAccess A;
  A.IsLoad = F.Memory == MemoryOperation::Load;
  const StringRef Operation = A.IsLoad ? "_LOAD_DWORD_" : "_STORE_DWORD_";
  const size_t At = Opcode.find(Operation);
  if (At == StringRef::npos)
    return std::nullopt; // into local memory
  StringRef Form = Opcode.substr(At + Operation.size());
  if (IsBuffer) {
    Form.consume_front("VBUFFER_");
    if (!Form.starts_with("OFFSET"))
      return std::nullopt;
    A.Base = 2;
    A.Offset = 3;
  } else if (Form.starts_with("SADDR")) {
    A.Base = 1;
    A.Offset = 2;
  } else if (Form.starts_with("ST_")) {
    A.Offset = 1;
  } else {
    return std::nullopt;
  }
  return A;
}

StringRef wavelane::gpu::waveFeatures(StringRef Name, unsigned Lanes) {
  const Processor *P = findByName(Name);
  if (!P || !P->hasWave32())
    return "";
  return Lanes == 32 ? "+wavefrontsize32,-wavefrontsize64"
                     : "-wavefrontsize32,+wavefrontsize64";
}
