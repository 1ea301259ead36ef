//===-- DisassemblerAMDGPU.cpp --------------------------------------------===//

#include "DisassemblerAMDGPU.h"
#include "AMDGPUMachineCode.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/SectionLoadList.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/StreamString.h"
#include "Plugins/Disassembler/LLVMC/DisassemblerLLVMC.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

//===-- AMDGPUMachineCode -------------------------------------------------===//

std::shared_ptr<AMDGPUMachineCode>
AMDGPUMachineCode::Get(llvm::StringRef processor) {
  // Neither is destroyed: threads may outlive the end of main.
  static std::mutex &mutex = *new std::mutex;
  static auto &known =
      *new llvm::StringMap<std::shared_ptr<AMDGPUMachineCode>>;
  std::lock_guard<std::mutex> guard(mutex);
  auto found = known.find(processor);
  if (found != known.end())
    return found->second;

  const char *triple = "amdgcn-amd-amdhsa";
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target || processor.empty())
    return nullptr;
  std::shared_ptr<AMDGPUMachineCode> code(new AMDGPUMachineCode);
  code->m_registers.reset(target->createMCRegInfo(triple));
  code->m_subtarget.reset(
      target->createMCSubtargetInfo(triple, processor, /*Features=*/""));
  // An unknown processor gives a subtarget all the same, one that LLVM's
  // decoder aborts on.
  if (!code->m_registers || !code->m_subtarget ||
      !code->m_subtarget->isCPUStringValid(processor))
    return nullptr;
  code->m_asm_info.reset(target->createMCAsmInfo(*code->m_registers, triple,
                                                 llvm::MCTargetOptions()));
  code->m_instructions.reset(target->createMCInstrInfo());
  if (!code->m_asm_info || !code->m_instructions)
    return nullptr;
  code->m_analysis.reset(
      target->createMCInstrAnalysis(code->m_instructions.get()));
  code->m_context = std::make_unique<llvm::MCContext>(
      llvm::Triple(triple), code->m_asm_info.get(), code->m_registers.get(),
      code->m_subtarget.get());
  code->m_disassembler.reset(
      target->createMCDisassembler(*code->m_subtarget, *code->m_context));
  code->m_printer.reset(target->createMCInstPrinter(
      llvm::Triple(triple), code->m_asm_info->getAssemblerDialect(),
      *code->m_asm_info, *code->m_instructions, *code->m_registers));
  if (!code->m_disassembler || !code->m_printer)
    return nullptr;
  code->m_printer->setPrintBranchImmAsAddress(true);
  code->m_printer->setPrintImmHex(true);
  known[processor] = code;
  return code;
}

std::optional<AMDGPUMachineCode::Instruction>
AMDGPUMachineCode::Decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) {
  std::lock_guard<std::mutex> guard(m_mutex);
  Instruction result;
  if (m_disassembler->getInstruction(result.inst, result.size, bytes, address,
                                     llvm::nulls()) !=
          llvm::MCDisassembler::Success ||
      result.size == 0 || result.size > bytes.size())
    return std::nullopt;
  const llvm::MCInstrDesc &description =
      m_instructions->get(result.inst.getOpcode());
  result.name = m_instructions->getName(result.inst.getOpcode()).str();
  result.calls = description.isCall();
  result.branches =
      result.calls || description.mayAffectControlFlow(result.inst, *m_registers);
  result.loads = description.mayLoad();
  const llvm::StringRef name = result.name;
  result.waits = name.starts_with("S_BARRIER") || name.starts_with("S_SLEEP") ||
                 name.starts_with("DS_GWS_") || name.starts_with("S_SENDMSGHALT");
  return result;
}

std::string AMDGPUMachineCode::Print(const llvm::MCInst &inst,
                                     uint64_t address) {
  std::lock_guard<std::mutex> guard(m_mutex);
  std::string text;
  llvm::raw_string_ostream stream(text);
  m_printer->printInst(&inst, address, /*Annot=*/"", *m_subtarget, stream);
  stream.flush();
  return text;
}

std::optional<uint64_t>
AMDGPUMachineCode::GetBranchTarget(const llvm::MCInst &inst, uint64_t address,
                                   uint64_t size) {
  std::lock_guard<std::mutex> guard(m_mutex);
  uint64_t target;
  if (m_analysis && m_analysis->evaluateBranch(inst, address, size, target))
    return target;
  return std::nullopt;
}

std::optional<AMDGPUMachineCode::Register>
AMDGPUMachineCode::ParseRegister(unsigned reg) const {
  // LLVM calls them SGPR33, VGPR40 and AGPR1.
  llvm::StringRef name = m_registers->getName(reg);
  Register result;
  if (name.consume_front("SGPR"))
    result.file = 's';
  else if (name.consume_front("VGPR"))
    result.file = 'v';
  else if (name.consume_front("AGPR"))
    result.file = 'a';
  else
    return std::nullopt;
  if (name.getAsInteger(10, result.number))
    return std::nullopt;
  return result;
}

std::optional<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetRegister(const llvm::MCOperand &operand) const {
  if (!operand.isReg() || !operand.getReg())
    return std::nullopt;
  return ParseRegister(operand.getReg());
}

std::vector<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetParts(const llvm::MCOperand &operand) const {
  std::vector<Register> result;
  if (!operand.isReg() || !operand.getReg())
    return result;
  for (llvm::MCPhysReg part : m_registers->subregs_inclusive(operand.getReg()))
    if (std::optional<Register> parsed = ParseRegister(part))
      result.push_back(*parsed);
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<AMDGPUMachineCode::Register>
AMDGPUMachineCode::GetWritten(const llvm::MCInst &inst) const {
  std::vector<Register> result;
  const llvm::MCInstrDesc &description =
      m_instructions->get(inst.getOpcode());
  auto add = [&](unsigned reg) {
    for (llvm::MCPhysReg part : m_registers->subregs_inclusive(reg))
      if (std::optional<Register> parsed = ParseRegister(part))
        result.push_back(*parsed);
  };
  for (unsigned i = 0; i < description.getNumDefs() && i < inst.size(); ++i)
    if (inst.getOperand(i).isReg() && inst.getOperand(i).getReg())
      add(inst.getOperand(i).getReg());
  for (llvm::MCPhysReg reg : description.implicit_defs())
    add(reg);
  return result;
}

//===-- Instructions ------------------------------------------------------===//

namespace {

class InstructionAMDGPU : public Instruction {
public:
  InstructionAMDGPU(std::shared_ptr<AMDGPUMachineCode> code_sp,
                    const Address &address)
      : Instruction(address, AddressClass::eCode),
        m_code_sp(std::move(code_sp)) {}

  void
  CalculateMnemonicOperandsAndComment(const ExecutionContext *exe_ctx) override {
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

  // LLDB lets a wave that steps run to the next branch; it must not run into what
  // it can't pass alone.
  bool DoesBranch() override {
    return m_decoded && (m_decoded->branches || m_decoded->waits);
  }
  bool HasDelaySlot() override { return false; }
  bool IsLoad() override { return m_decoded && m_decoded->loads; }
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
    // Every instruction is a number of 32-bit words, so one word is the way
    // past what isn't code.
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
    if (target && !target->GetSectionLoadList().IsEmpty() && !m_using_file_addr)
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
      m_code_sp(AMDGPUMachineCode::Get(arch.GetClangTargetCPU())) {}

DisassemblerAMDGPU::~DisassemblerAMDGPU() = default;

DisassemblerSP DisassemblerAMDGPU::CreateInstance(const ArchSpec &arch,
                                                  const char *flavor) {
  // Without a processor there is nothing to decode by, but the next plugin
  // must not be asked: see the class.
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

void DisassemblerAMDGPU::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

bool DisassemblerAMDGPU::FlavorValidForArchSpec(const ArchSpec &arch,
                                                const char *flavor) {
  return !flavor || llvm::StringRef(flavor) == "default";
}

size_t DisassemblerAMDGPU::DecodeInstructions(
    const Address &base_addr, const DataExtractor &data,
    lldb::offset_t data_offset, size_t num_instructions, bool append,
    bool data_from_file) {
  if (!append)
    m_instruction_list.Clear();
  if (!m_code_sp)
    return 0;
  lldb::offset_t cursor = data_offset;
  Address address(base_addr);
  for (size_t i = 0; i < num_instructions && cursor < data.GetByteSize(); ++i) {
    auto inst_sp = std::make_shared<InstructionAMDGPU>(m_code_sp, address);
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
