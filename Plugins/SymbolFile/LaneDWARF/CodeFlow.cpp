//===-- CodeFlow.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeFlow.h"
#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "Core/Support/Processor.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Function.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class Decoder {
public:
  virtual ~Decoder() = default;
  /// \return Whether \a bytes begin with an instruction. Sets all of it but its
  ///     address, which is set.
  virtual bool Decode(llvm::ArrayRef<uint8_t> bytes,
                      FlowInstruction &result) = 0;
};

class GPUDecoder : public Decoder {
public:
  explicit GPUDecoder(std::shared_ptr<AMDGPUMachineCode> code)
      : m_code(std::move(code)) {}

  bool Decode(llvm::ArrayRef<uint8_t> bytes, FlowInstruction &result) override {
    std::optional<AMDGPUMachineCode::Instruction> inst =
        m_code->Decode(bytes, result.address);
    if (!inst)
      return false;
    result.size = uint32_t(inst->size);
    result.opcode = inst->inst.getOpcode();
    result.branches = inst->branches && !inst->calls;
    result.falls_through = !inst->ends;
    if (result.branches)
      result.target =
          m_code->GetBranchTarget(inst->inst, result.address, inst->size);
    return true;
  }

private:
  std::shared_ptr<AMDGPUMachineCode> m_code;
};

class HostDecoder : public Decoder {
public:
  /// \return Null if LLVM has no disassembler for \a triple.
  static std::unique_ptr<Decoder> Create(const llvm::Triple &triple) {
    std::string why;
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, why);
    if (!target)
      return nullptr;
    std::unique_ptr<HostDecoder> decoder(new HostDecoder);
    HostDecoder &d = *decoder;
    d.m_registers.reset(target->createMCRegInfo(triple));
    d.m_instructions.reset(target->createMCInstrInfo());
    d.m_subtarget.reset(target->createMCSubtargetInfo(
        triple, "", triple.isAArch64() ? "+all" : ""));
    if (!d.m_registers || !d.m_instructions || !d.m_subtarget)
      return nullptr;
    d.m_assembly.reset(
        target->createMCAsmInfo(*d.m_registers, triple, d.m_options));
    d.m_analysis.reset(target->createMCInstrAnalysis(d.m_instructions.get()));
    if (!d.m_assembly || !d.m_analysis)
      return nullptr;
    d.m_context = std::make_unique<llvm::MCContext>(
        triple, d.m_assembly.get(), d.m_registers.get(), d.m_subtarget.get());
    d.m_disassembler.reset(
        target->createMCDisassembler(*d.m_subtarget, *d.m_context));
    if (!d.m_disassembler)
      return nullptr;
    return decoder;
  }

  bool Decode(llvm::ArrayRef<uint8_t> bytes, FlowInstruction &result) override {
    llvm::MCInst inst;
    uint64_t size = 0;
    if (m_disassembler->getInstruction(inst, size, bytes, result.address,
                                       llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size == 0 || size > bytes.size())
      return false;
    const llvm::MCInstrDesc &description =
        m_instructions->get(inst.getOpcode());
    result.size = uint32_t(size);
    result.opcode = inst.getOpcode();
    result.branches = description.isBranch();
    result.falls_through = !description.isBarrier();
    result.is_indirect = description.isIndirectBranch();
    result.loads = description.mayLoad() && !description.isCall();
    result.stores = description.mayStore() && !description.isCall();
    uint64_t target;
    if (result.branches &&
        m_analysis->evaluateBranch(inst, result.address, size, target))
      result.target = target;
    return true;
  }

private:
  HostDecoder() = default;

  // The options must precede the members that refer to them.
  llvm::MCTargetOptions m_options;
  std::unique_ptr<llvm::MCRegisterInfo> m_registers;
  std::unique_ptr<llvm::MCInstrInfo> m_instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> m_subtarget;
  std::unique_ptr<llvm::MCAsmInfo> m_assembly;
  std::unique_ptr<llvm::MCInstrAnalysis> m_analysis;
  std::unique_ptr<llvm::MCContext> m_context;
  std::unique_ptr<llvm::MCDisassembler> m_disassembler;
};

} // namespace

static std::unique_ptr<Decoder> MakeDecoder(const ArchSpec &arch) {
  if (arch.GetMachine() != llvm::Triple::amdgcn)
    return HostDecoder::Create(arch.GetTriple());
  std::shared_ptr<AMDGPUMachineCode> code =
      AMDGPUMachineCode::Get(GetProcessorName(arch));
  return code ? std::make_unique<GPUDecoder>(std::move(code)) : nullptr;
}

std::vector<FlowInstruction>
lldb_private::wavelane::ReadFlow(Function &function) {
  ModuleSP module_sp = function.CalculateSymbolContextModule();
  std::unique_ptr<Decoder> decoder =
      module_sp ? MakeDecoder(module_sp->GetArchitecture()) : nullptr;
  if (!decoder)
    return {};
  std::vector<FlowInstruction> code;
  for (const AddressRange &range : function.GetAddressRanges()) {
    const Address &base = range.GetBaseAddress();
    SectionSP section_sp = base.GetSection();
    DataExtractor data;
    if (!section_sp || !section_sp->GetSectionData(data) ||
        !data.ValidOffsetForDataOfSize(base.GetOffset(), range.GetByteSize()))
      return {};
    llvm::ArrayRef<uint8_t> bytes =
        data.GetData().slice(base.GetOffset(), range.GetByteSize());
    for (addr_t address = base.GetFileAddress(); !bytes.empty();) {
      FlowInstruction inst;
      inst.address = address;
      if (!decoder->Decode(bytes, inst))
        return {};
      address += inst.size;
      bytes = bytes.drop_front(inst.size);
      code.push_back(inst);
    }
  }
  llvm::sort(code, [](const FlowInstruction &a, const FlowInstruction &b) {
    return a.address < b.address;
  });
  return code;
}
