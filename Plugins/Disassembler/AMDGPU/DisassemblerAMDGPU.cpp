//===-- DisassemblerAMDGPU.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DisassemblerAMDGPU.h"
#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "Core/Support/Processor.h"

#include "Plugins/Disassembler/LLVMC/DisassemblerLLVMC.h"
#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/SectionLoadList.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/StreamString.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

//===-- Instructions ------------------------------------------------------===//

namespace {

class InstructionAMDGPU : public Instruction {
public:
  InstructionAMDGPU(std::shared_ptr<AMDGPUMachineCode> code_sp,
                    const Address &address)
      : Instruction(address, AddressClass::eCode),
        m_code_sp(std::move(code_sp)) {}

  void CalculateMnemonicOperandsAndComment(
      const ExecutionContext *exe_ctx) override {
    if (!m_decoded) {
      m_opcode_name = ".long";
      uint32_t word = 0;
      if (m_opcode.GetType() == Opcode::eType32)
        word = m_opcode.GetOpcode32();
      m_mnemonics = llvm::formatv("{0:x8}", word).str();
      return;
    }
    const addr_t address = GetPrintAddress(exe_ctx);
    std::string text = m_code_sp->Print(m_decoded->inst, address);
    llvm::StringRef rest = llvm::StringRef(text).trim();
    const size_t gap = rest.find_first_of(" \t");
    m_opcode_name = rest.substr(0, gap).str();
    m_mnemonics = rest.substr(std::min(gap, rest.size())).trim().str();
    m_markup_opcode_name = m_opcode_name;
    m_markup_mnemonics = m_mnemonics;

    std::optional<uint64_t> target =
        m_code_sp->GetBranchTarget(m_decoded->inst, address, m_decoded->size);
    if (!target)
      return;
    Address target_address;
    Target *target_ptr = exe_ctx ? exe_ctx->GetTargetPtr() : nullptr;
    if (m_using_file_addr) {
      if (ModuleSP module_sp = m_address.GetModule())
        module_sp->ResolveFileAddress(*target, target_address);
    } else if (target_ptr) {
      target_ptr->ResolveLoadAddress(*target, target_address);
    }
    if (!target_address.IsValid() || !target_address.GetSection())
      return;
    StreamString comment;
    if (target_address.Dump(&comment, target_ptr,
                            Address::DumpStyleResolvedDescriptionNoModule,
                            Address::DumpStyleSectionNameOffset))
      AppendComment(comment.GetString().str());
  }

  // LLDB runs a stepping wave to the next branch, but must not run past an
  // instruction that waits for other waves.
  bool DoesBranch() override {
    return m_decoded && (m_decoded->branches || m_decoded->waits);
  }
  bool HasDelaySlot() override { return false; }
  bool IsLoad() override { return m_decoded && m_decoded->loads; }
  bool IsBarrier() override { return m_decoded && m_decoded->ends; }
  bool IsAuthenticated() override { return false; }
  bool IsCall() override { return m_decoded && m_decoded->calls; }

  size_t Decode(const Disassembler &disassembler, const DataExtractor &data,
                lldb::offset_t data_offset) override {
    llvm::ArrayRef<uint8_t> bytes(data.GetDataStart(), data.GetByteSize());
    if (data_offset >= bytes.size())
      return 0;
    bytes = bytes.drop_front(data_offset);
    addr_t address = m_address.GetFileAddress();
    if (address == LLDB_INVALID_ADDRESS)
      address = 0;
    m_decoded = m_code_sp->Decode(bytes, address);
    // Every instruction consists of 32-bit words, so skip bytes that aren't
    // code by one word.
    const size_t size = m_decoded ? m_decoded->size : 4;
    if (size > bytes.size())
      return 0;
    if (size == 4)
      m_opcode.SetOpcode32(data.GetU32(&data_offset), eByteOrderLittle);
    else
      m_opcode.SetOpcodeBytes(bytes.data(), size);
    return size;
  }

  void UseFileAddress(bool use) { m_using_file_addr = use; }

private:
  void AppendComment(std::string text) {
    if (!m_comment.empty())
      m_comment.append(", ");
    m_comment.append(text);
  }

  addr_t GetPrintAddress(const ExecutionContext *exe_ctx) {
    addr_t address = LLDB_INVALID_ADDRESS;
    Target *target = exe_ctx ? exe_ctx->GetTargetPtr() : nullptr;
    if (target && target->HasLoadedSections() && !m_using_file_addr)
      address = m_address.GetLoadAddress(target);
    if (address == LLDB_INVALID_ADDRESS) {
      m_using_file_addr = true;
      address = m_address.GetFileAddress();
    }
    return address == LLDB_INVALID_ADDRESS ? 0 : address;
  }

  std::shared_ptr<AMDGPUMachineCode> m_code_sp;
  std::optional<AMDGPUMachineCode::Instruction> m_decoded;
  bool m_using_file_addr = false;
};

} // namespace

//===-- DisassemblerAMDGPU ------------------------------------------------===//

DisassemblerAMDGPU::DisassemblerAMDGPU(const ArchSpec &arch, const char *flavor)
    : Disassembler(arch, flavor),
      m_code_sp(AMDGPUMachineCode::Get(GetProcessorName(arch))) {}

DisassemblerAMDGPU::~DisassemblerAMDGPU() = default;

DisassemblerSP DisassemblerAMDGPU::CreateInstance(const ArchSpec &arch,
                                                  const char *flavor,
                                                  const char *cpu,
                                                  const char *features) {
  // Nothing can be decoded without a processor, but the next plugin must not be
  // asked: see the class.
  if (arch.GetTriple().getArch() != llvm::Triple::amdgcn)
    return nullptr;
  return std::make_shared<DisassemblerAMDGPU>(arch, flavor);
}

void DisassemblerAMDGPU::Initialize() {
  // Plugins are asked in the order of registration.
  const bool had_llvm =
      PluginManager::UnregisterPlugin(DisassemblerLLVMC::CreateInstance);
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Disassembler of AMD GPU code (LLVM MC).",
                                CreateInstance);
  if (had_llvm)
    PluginManager::RegisterPlugin(DisassemblerLLVMC::GetPluginNameStatic(),
                                  "Disassembler that uses LLVM MC to "
                                  "disassemble i386, x86_64, ARM, and ARM64.",
                                  DisassemblerLLVMC::CreateInstance);
}

bool DisassemblerAMDGPU::FlavorValidForArchSpec(const ArchSpec &arch,
                                                const char *flavor) {
  return !flavor || llvm::StringRef(flavor) == "default";
}

size_t DisassemblerAMDGPU::DecodeInstructions(const Address &base_addr,
                                              const DataExtractor &data,
                                              lldb::offset_t data_offset,
                                              size_t num_instructions,
                                              bool append,
                                              bool data_from_file) {
  if (!append)
    m_instruction_list.Clear();
  // A program can use several kinds of GPU: the code's module says which this
  // is.
  std::shared_ptr<AMDGPUMachineCode> code_sp = m_code_sp;
  if (ModuleSP module_sp = base_addr.GetModule())
    if (const ArchSpec &arch = module_sp->GetArchitecture();
        arch.GetMachine() == llvm::Triple::amdgcn)
      code_sp = AMDGPUMachineCode::Get(GetProcessorName(arch));
  if (!code_sp)
    return 0;
  lldb::offset_t cursor = data_offset;
  Address address(base_addr);
  for (size_t i = 0; i < num_instructions && cursor < data.GetByteSize(); ++i) {
    auto inst_sp = std::make_shared<InstructionAMDGPU>(code_sp, address);
    inst_sp->UseFileAddress(data_from_file);
    const size_t size = inst_sp->Decode(*this, data, cursor);
    if (size == 0)
      break;
    InstructionSP item_sp = inst_sp;
    m_instruction_list.Append(item_sp);
    cursor += size;
    address.Slide(size);
  }
  return cursor - data_offset;
}
