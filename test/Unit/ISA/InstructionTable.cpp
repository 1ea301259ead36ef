//===-- InstructionTable.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstructionTable.h"

#include "wavelane/GPU/MachineCode.h"
#include "wavelane/Simulator/ISA/ISA.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <map>
#include <vector>

extern "C" void LLVMInitializeAMDGPUAsmParser(void);

using namespace llvm;
using wavelane::gpu::MachineCode;
using wavelane::gpu::Processor;

StringRef isatest::withoutEncoding(StringRef Mnemonic) {
  bool IsWhole = false;
  while (!IsWhole) {
    IsWhole = true;
    for (const char *Suffix : {"_e32", "_e64", "_dpp", "_dpp8", "_sdwa"})
      IsWhole &= !Mnemonic.consume_back(Suffix);
  }
  return Mnemonic;
}

/// The part of a processor's name that LLVM's names of instructions have:
/// "gfx11".
static StringRef generation(const Processor &P) {
  return StringRef(P.Name).drop_back(2);
}

/// Whether LLVM's name of an instruction, such as V_ADD_F32_e32_gfx11, says
/// that a generation encodes it so. gfx9 has much of its predecessor's, "vi",
/// and its instructions for images, whose names don't say it.
static bool isOf(StringRef Opcode, StringRef Generation) {
  return Opcode.contains(("_" + Generation).str()) ||
         (Generation == "gfx9" &&
          (Opcode.contains("_vi") ||
           (Opcode.starts_with("IMAGE_") && !Opcode.contains("_gfx") &&
            !Opcode.contains("_si"))));
}

/// The names of a generation's instructions, also those that only some of its
/// GPUs have.
static std::set<std::string> namesOf(StringRef Generation) {
  static const std::unique_ptr<MachineCode> Code =
      cantFail(MachineCode::create("gfx90a"));
  std::set<std::string> Names;
  for (unsigned N = 0; N < Code->instructions().getNumOpcodes(); ++N) {
    MCInst Inst;
    Inst.setOpcode(N);
    if (Code->instructions().get(N).isPseudo() ||
        !isOf(Code->instructions().getName(N), Generation))
      continue;
    const char *Mnemonic = Code->printer().getMnemonic(Inst).first;
    const StringRef Name = isatest::withoutEncoding(
        StringRef(Mnemonic ? Mnemonic : "").trim().split(' ').first);
    if (!Name.empty())
      Names.insert(Name.str());
  }
  return Names;
}

/// The lines of assembly that name no instruction of the GPU. Operands are
/// missing, which is another error.
static std::set<int> findUnknown(const std::string &Text, const Processor &P) {
  LLVMInitializeAMDGPUAsmParser();
  cantFail(MachineCode::create(P.Name)); // registers the target
  const Triple TT("amdgcn-amd-amdhsa");
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(TT, Error);
  if (!T)
    report_fatal_error(Twine(Error));
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> MRI(T->createMCRegInfo(TT));
  std::unique_ptr<MCAsmInfo> MAI(T->createMCAsmInfo(*MRI, TT, Options));
  std::unique_ptr<MCInstrInfo> MII(T->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> STI(
      T->createMCSubtargetInfo(TT, P.llvmName(), ""));
  SourceMgr SM;
  SM.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Text), SMLoc());
  std::set<int> Unknown;
  SM.setDiagHandler(
      [](const SMDiagnostic &D, void *Lines) {
        if (D.getMessage().starts_with("instruction not supported") ||
            D.getMessage().starts_with("invalid instruction"))
          static_cast<std::set<int> *>(Lines)->insert(D.getLineNo());
      },
      &Unknown);
  MCContext Ctx(TT, MAI.get(), MRI.get(), STI.get(), &SM, &Options);
  std::unique_ptr<MCObjectFileInfo> MOFI(
      T->createMCObjectFileInfo(Ctx, /*PIC=*/true));
  Ctx.setObjectFileInfo(MOFI.get());
  std::unique_ptr<MCStreamer> Str(T->createNullStreamer(Ctx));
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(SM, Ctx, *Str, *MAI));
  std::unique_ptr<MCTargetAsmParser> TAP(
      T->createMCAsmParser(*STI, *Parser, *MII, Options));
  Parser->setTargetParser(*TAP);
  Parser->Run(/*NoInitialTextSection=*/false);
  return Unknown;
}

std::set<std::string> isatest::instructionsOf(const Processor &P) {
  const std::set<std::string> Names = namesOf(generation(P));
  std::string Text;
  for (const std::string &Name : Names)
    Text += Name + "\n";
  const std::set<int> Unknown = findUnknown(Text, P);
  std::set<std::string> Own;
  int Line = 0;
  for (const std::string &Name : Names)
    if (!Unknown.count(++Line))
      Own.insert(Name);
  return Own;
}

bool isatest::isModeled(const Processor &P, StringRef Name) {
  // Each half of a pair is executed as the instruction itself.
  std::string Single = Name.str();
  if (Name.starts_with("v_dual_"))
    Single.erase(2, 5);
  return wavelane::isa::Executor::isModeled(P.Id, Single);
}

/// Words, in lines that can be read.
static std::string wrap(const std::vector<std::string> &Words) {
  constexpr size_t Width = 120;
  std::string Text, Line;
  for (const std::string &Word : Words) {
    if (!Line.empty() && Line.size() + Word.size() + 3 > Width) {
      Text += Line + "\n";
      Line.clear();
    }
    Line += (Line.empty() ? "`" : " `") + Word + "`";
  }
  return Text + Line + "\n";
}

std::string isatest::instructionPage() {
  /// GPUs with the same instructions.
  struct Group {
    std::vector<std::string> GPUs, Lack;
    size_t All = 0;
  };
  std::map<std::set<std::string>, size_t> Known;
  std::vector<Group> Groups;
  for (const Processor &P : wavelane::gpu::processors()) {
    if (!P.isModeled())
      continue;
    const std::set<std::string> Own = instructionsOf(P);
    const auto [It, IsNew] = Known.try_emplace(Own, Groups.size());
    if (IsNew) {
      Group &G = Groups.emplace_back();
      G.All = Own.size();
      for (const std::string &Name : Own)
        if (!isModeled(P, Name))
          G.Lack.push_back(Name);
    }
    Groups[It->second].GPUs.push_back(P.Name);
  }
  std::string Page =
      "# Instructions that aren't modeled\n\n"
      "The simulated GPU executes most instructions of each GPU that it can "
      "be. One that it doesn't stops its wave, with a report that names it.\n"
      "The lists below are those that LLVM's assembler knows for a GPU beside "
      "them. Of a modeled instruction, rare forms may still be missing,\n"
      "and are reported in the same way. `utils/instruction-table BUILD` "
      "writes this page; `instructions.test` checks that it is up to date.\n\n"
      "| GPU | instructions | not modeled |\n| --- | --- | --- |\n";
  const auto Title = [](const Group &G) {
    return G.GPUs.front() + (G.GPUs.size() > 1 ? " and similar" : "");
  };
  for (const Group &G : Groups) {
    std::string Anchor = Title(G);
    std::replace(Anchor.begin(), Anchor.end(), ' ', '-');
    Page += "| " + join(G.GPUs, ", ") + " | " + std::to_string(G.All) + " | [" +
            std::to_string(G.Lack.size()) + "](#" + Anchor + ") |\n";
  }
  for (const Group &G : Groups)
    Page += "\n## " + Title(G) + "\n\n" + wrap(G.Lack);
  return Page;
}
