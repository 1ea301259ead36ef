//===-- FrameContext.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrameContext.h"
#include "Lane/LaneFocus.h"
#include "LocalMemory.h"
#include "Operations.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfo.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "Support/Processor.h"
#include "SymbolFileLaneDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpression.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "wavelane/Location/Attributes.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugLoc.h"
#include "llvm/DebugInfo/DWARF/DWARFLocationExpression.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

FrameContext::FrameContext(const FrameFacts &facts, ModuleSP module_sp,
                           const DWARFUnit *unit, uint8_t address_size)
    : m_facts(facts), m_module_sp(std::move(module_sp)), m_unit(unit),
      m_address_size(address_size) {}

//===----------------------------------------------------------------------===//
// How to read expressions.

/// The major version of the clang that made the unit; 0 for other producers.
static unsigned GetClangVersion(const DWARFUnit &unit) {
  DWARFBaseDIE unit_die = const_cast<DWARFUnit &>(unit).GetUnitDIEOnly();
  if (!unit_die)
    return 0;
  llvm::StringRef producer =
      unit_die.GetAttributeValueAsString(dw::DW_AT_producer, "");
  const llvm::StringRef before = "clang version ";
  const size_t at = producer.find(before);
  unsigned major = 0;
  if (at == llvm::StringRef::npos ||
      producer.substr(at + before.size())
          .take_while([](char c) { return c >= '0' && c <= '9'; })
          .getAsInteger(10, major))
    return 0;
  return major;
}

bool lldb_private::wavelane::IsAMDUnit(const DWARFUnit &unit) {
  DWARFBaseDIE unit_die = const_cast<DWARFUnit &>(unit).GetUnitDIEOnly();
  if (!unit_die)
    return false;
  for (uint16_t code :
       location::getAttributeCodes(location::LaneAttribute::Augmentation))
    if (location::isAMDAugmentation(
            unit_die.GetAttributeValueAsString(dw_attr_t(code), "")))
      return true;
  return false;
}

bool lldb_private::wavelane::HasOldAddressSpaceNumbers(const DWARFUnit &unit) {
  return GetClangVersion(unit) <= 21;
}

location::EvaluationOptions
FrameContext::GetOptions(llvm::ArrayRef<uint8_t> expression) const {
  location::EvaluationOptions options;
  options.Decode.AddressSize = m_address_size;
  // Direct codes are other vendors' operations on other targets.
  options.Decode.DirectCodes = m_facts.IsGPU();
  if (m_facts.IsGPU()) {
    // An expression that uses the AMD extension, or may do so, means what it
    // says.
    options.Upstream.Enabled = !HasAMDOperation(lldb_private::DataExtractor(
                                   expression.data(), expression.size(),
                                   eByteOrderLittle, m_address_size)) &&
                               !(m_unit && IsAMDUnit(*m_unit));
    options.Upstream.OldNumbers = m_unit && HasOldAddressSpaceNumbers(*m_unit);
  }
  return options;
}

//===----------------------------------------------------------------------===//
// The machine.

std::optional<location::AddressSpace>
FrameContext::getAddressSpace(uint64_t number) {
  location::AddressSpace space;
  if (number == eSpaceGlobal) {
    space.Name = m_facts.IsGPU() ? "global" : "default";
    space.AddressBits = 8 * m_address_size;
    return space;
  }
  if (!m_facts.IsGPU())
    return std::nullopt;
  space.AddressBits = 32;
  switch (number) {
  case eSpaceGeneric:
    space.Name = "generic";
    space.AddressBits = 64;
    space.IsPerLane = true;
    break;
  case eSpaceRegion:
    space.Name = "region";
    break;
  case eSpaceLocal:
    space.Name = "local";
    space.Null = 0xffffffff;
    space.IsPerThread = true;
    break;
  case eSpacePrivateLane:
    space.Name = "private_lane";
    space.Null = 0xffffffff;
    space.IsPerLane = true;
    space.IsPerThread = true;
    break;
  case eSpacePrivateWave:
    space.Name = "private_wave";
    space.Null = 0xffffffff;
    space.IsPerThread = true;
    break;
  default:
    return std::nullopt;
  }
  return space;
}

const BuiltinVariable *FrameContext::FindBuiltin(uint64_t number) const {
  return m_facts.IsGPU() ? FindBuiltinRegister(number) : nullptr;
}

std::optional<std::string> FrameContext::getRegisterName(uint64_t number) {
  if (const BuiltinVariable *builtin = FindBuiltin(number))
    return builtin->name;
  return m_facts.GetRegisterName(number);
}

llvm::Expected<uint64_t> FrameContext::getRegisterSize(uint64_t number) {
  if (const BuiltinVariable *builtin = FindBuiltin(number))
    return GetByteSize(*builtin);
  return m_facts.GetRegisterSize(number);
}

llvm::Error FrameContext::readRegister(uint64_t number, uint64_t,
                                       uint64_t offset,
                                       llvm::MutableArrayRef<uint8_t> into) {
  const BuiltinVariable *builtin = FindBuiltin(number);
  if (m_frame_base_depth && m_facts.IsGPU() && !m_facts.IsFrameRegister(number))
    return llvm::createStringError(
        "the frame base is in register %s, which the function hasn't set to a "
        "place of its stack here",
        getRegisterName(number)->c_str());
  llvm::Expected<llvm::SmallVector<uint8_t, 64>> whole =
      builtin ? ReadBuiltin(*builtin, m_facts) : m_facts.ReadRegister(number);
  if (!whole)
    return whole.takeError();
  if (offset > whole->size() || into.size() > whole->size() - offset)
    return llvm::createStringError(
        "the object goes past the end of register %s",
        getRegisterName(number)->c_str());
  std::copy_n(whole->begin() + offset, into.size(), into.begin());
  return llvm::Error::success();
}

llvm::Error FrameContext::writeRegister(uint64_t number, uint64_t,
                                        uint64_t offset,
                                        llvm::ArrayRef<uint8_t> from) {
  if (const BuiltinVariable *builtin = FindBuiltin(number))
    return llvm::createStringError("%s can't be changed", builtin->name);
  return m_facts.WriteRegister(number, offset, from);
}

llvm::Error FrameContext::readMemory(uint64_t space,
                                     std::optional<uint32_t> lane, uint64_t,
                                     uint64_t address,
                                     llvm::MutableArrayRef<uint8_t> into) {
  return m_facts.ReadMemory(space, lane.value_or(m_facts.GetLane()), address,
                            into);
}

llvm::Error FrameContext::writeMemory(uint64_t space,
                                      std::optional<uint32_t> lane, uint64_t,
                                      uint64_t address,
                                      llvm::ArrayRef<uint8_t> from) {
  return m_facts.WriteMemory(space, lane.value_or(m_facts.GetLane()), address,
                             from);
}

bool FrameContext::isVectorRegister(uint64_t number, unsigned &element_size) {
  if (!m_facts.IsGPU())
    return false;
  element_size = 4;
  return (number >= 1536 && number <= 1791) ||
         (number >= 2048 && number <= 2303) ||
         (number >= 2560 && number <= 2815) ||
         (number >= 3072 && number <= 3327);
}

unsigned FrameContext::getPrivateFrameScale() {
  ProcessSP process_sp = m_facts.GetProcess();
  if (!process_sp || m_facts.GetWaveLanes() == 0)
    return 1;
  // Where scratch memory is addressed flat, the stack pointer is the lane's.
  // Several kinds of GPU can run at once: the code says which this is.
  ArchSpec arch = process_sp->GetTarget().GetArchitecture();
  if (StackFrameSP frame_sp = m_facts.GetFrame())
    if (ModuleSP module_sp = frame_sp->GetFrameCodeAddress().GetModule())
      arch = module_sp->GetArchitecture();
  const ::wavelane::gpu::Processor *processor = GetProcessor(arch);
  if (processor && processor->family().HasArchitectedScratch)
    return 1;
  return m_facts.GetWaveLanes();
}

//===----------------------------------------------------------------------===//
// Where the program is.

uint32_t FrameContext::getLaneCount() {
  if (m_facts.GetWaveLanes())
    return m_facts.GetWaveLanes();
  StackFrameSP frame_sp = m_facts.GetFrame();
  if (!frame_sp)
    return 1;
  llvm::Expected<LaneSet> lanes = GetLanes(*frame_sp);
  if (!lanes) {
    // The commands for lanes say why.
    llvm::consumeError(lanes.takeError());
    return 0;
  }
  return lanes->count;
}

std::optional<uint64_t> FrameContext::getProgramLocation() {
  // As an address of the file, like those of location lists.
  llvm::Expected<uint64_t> pc = m_facts.GetPC();
  if (StackFrameSP frame_sp = m_facts.GetFrame(); pc && frame_sp)
    pc = GetProgramLocation(*frame_sp, m_facts.GetLane()).value_or(*pc);
  ProcessSP process_sp = m_facts.GetProcess();
  Address address;
  if (!pc || !process_sp ||
      !process_sp->GetTarget().ResolveLoadAddress(*pc, address)) {
    if (!pc)
      llvm::consumeError(pc.takeError());
    return std::nullopt;
  }
  return address.GetFileAddress();
}

/// A kernel has a descriptor of its name.
static bool IsKernel(Function &function) {
  ModuleSP module_sp = function.CalculateSymbolContextModule();
  const std::string name =
      function.GetMangled().GetMangledName()
          ? function.GetMangled().GetMangledName().GetString()
          : function.GetName().GetString();
  return module_sp && module_sp->FindFirstSymbolWithNameAndType(
                          ConstString(name + ".kd"), eSymbolTypeAny);
}

llvm::Expected<location::Location> FrameContext::getFrameBase() {
  StackFrameSP frame_sp = m_facts.GetFrame();
  if (!frame_sp)
    return location::missing("call frame");
  if (m_frame_base_depth)
    return location::illFormed("the frame base depends on itself");
  const SymbolContext &sc = frame_sp->GetSymbolContext(eSymbolContextFunction);
  if (!sc.function)
    return location::missing("function whose frame base is meant");
  if (!m_facts.IsGPU()) {
    // The stock way knows every CPU's.
    Scalar base;
    if (llvm::Error error = frame_sp->GetFrameBaseValue(base))
      return std::move(error);
    return location::Location::memory(eSpaceGlobal, base.ULongLong());
  }
  DWARFExpressionList &list = sc.function->GetFrameBaseExpression();
  if (!list.IsValid() && IsKernel(*sc.function)) {
    // The first frame of the stack, for which optimised kernels need no
    // register.
    location::Location base = location::Location::memory(eSpacePrivateLane, 0);
    base.Lane = m_facts.GetLane();
    base.Thread = m_facts.GetThreadID();
    return base;
  }
  addr_t function_load_addr = LLDB_INVALID_ADDRESS;
  addr_t pc = 0;
  if (!list.IsAlwaysValidSingleExpr()) {
    ProcessSP process_sp = m_facts.GetProcess();
    function_load_addr =
        sc.function->GetAddress().GetLoadAddress(&process_sp->GetTarget());
    llvm::Expected<uint64_t> frame_pc = m_facts.GetPC();
    if (!frame_pc)
      return frame_pc.takeError();
    pc = *frame_pc;
  }
  lldb_private::DataExtractor data;
  if (!list.GetExpressionData(data, function_load_addr, pc) ||
      data.GetByteSize() == 0) {
    // Upstream's compiler gives a kernel without a frame pointer none. Its
    // frame is the first of the stack.
    if (m_facts.IsKernel() && !list.IsValid()) {
      location::Location base =
          location::Location::memory(eSpacePrivateLane, 0);
      base.Lane = m_facts.GetLane();
      base.Thread = m_facts.GetThreadID();
      return base;
    }
    return location::failed("the function has no frame base here");
  }
  llvm::SaveAndRestore<unsigned> depth(m_frame_base_depth, 1);
  return location::evaluateFrameBase(data.GetData(), *this,
                                     GetOptions(data.GetData()));
}

llvm::Expected<location::Location> FrameContext::getCallFrameAddress() {
  llvm::Expected<uint64_t> cfa = m_facts.GetCFA();
  if (!cfa)
    return cfa.takeError();
  // Where scratch memory is addressed flat, the stack pointer is the lane's.
  if (m_facts.IsGPU() && getPrivateFrameScale() == 1)
    *cfa *= std::max(m_facts.GetWaveLanes(), 1u);
  location::Location location = location::Location::memory(
      m_facts.IsGPU() ? eSpacePrivateWave : eSpaceGlobal, *cfa);
  location.Thread = m_facts.GetThreadID();
  return location;
}

llvm::Expected<location::Location> FrameContext::getObject() {
  if (!m_object)
    return location::missing("current object");
  return *m_object;
}

llvm::Expected<location::Location>
FrameContext::getThreadLocal(uint64_t offset) {
  ThreadSP thread_sp = m_facts.GetThread();
  if (!thread_sp || !m_module_sp)
    return location::missing("thread with thread-local storage");
  const addr_t address = thread_sp->GetThreadLocalData(m_module_sp, offset);
  if (address == LLDB_INVALID_ADDRESS)
    return location::failed(
        "no thread-local storage has been set up for this module");
  return location::Location::memory(eSpaceGlobal, address);
}

/// Registers as they were when the frame's function was called, as far as the
/// call's parameters or the callee's saved registers tell. LLDB finds them.
class FrameContext::CallerContext : public location::Context {
public:
  explicit CallerContext(FrameContext &callee) : m_callee(callee) {}

  unsigned getAddressSize() override { return m_callee.getAddressSize(); }
  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override {
    return m_callee.getAddressSpace(number);
  }
  std::optional<std::string> getRegisterName(uint64_t number) override {
    return m_callee.getRegisterName(number);
  }
  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override {
    return m_callee.getRegisterSize(number);
  }
  llvm::Error readRegister(uint64_t number, uint64_t, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override {
    llvm::SmallVector<char, 16> operation;
    {
      llvm::raw_svector_ostream stream(operation);
      if (number < 32) {
        stream << char(dw::DW_OP_reg0 + number);
      } else {
        stream << char(dw::DW_OP_regx);
        llvm::encodeULEB128(number, stream);
      }
    }
    std::vector<uint8_t> expression = {dw::DW_OP_entry_value,
                                       uint8_t(operation.size())};
    expression.insert(expression.end(), operation.begin(), operation.end());
    StackFrameSP frame_sp = m_callee.m_facts.GetFrame();
    if (!frame_sp)
      return location::missing("call frame");
    lldb_private::DataExtractor data(expression.data(), expression.size(),
                                     eByteOrderLittle, getAddressSize());
    ExecutionContext exe_ctx(frame_sp);
    llvm::Expected<lldb_private::Value> value = DWARFExpression::Evaluate(
        &exe_ctx, frame_sp->GetRegisterContext().get(), m_callee.m_module_sp,
        data, m_callee.m_unit, eRegisterKindDWARF, nullptr, nullptr);
    if (!value)
      return value.takeError();
    const uint64_t bits = value->ResolveValue(&exe_ctx).ULongLong();
    if (offset > 8 || into.size() > 8 - offset)
      return location::failed("only the low eight bytes of a register on entry "
                              "are known");
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = uint8_t(bits >> (8 * (offset + i)));
    return llvm::Error::success();
  }
  llvm::Error readMemory(uint64_t space, std::optional<uint32_t> lane,
                         uint64_t thread, uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override {
    return m_callee.readMemory(space, lane, thread, address, into);
  }
  uint64_t getThread() override { return m_callee.getThread(); }
  std::optional<uint32_t> getLane() override { return m_callee.getLane(); }
  uint32_t getLaneCount() override { return m_callee.getLaneCount(); }
  llvm::Expected<location::Type> getBaseType(uint64_t die_offset) override {
    return m_callee.getBaseType(die_offset);
  }

private:
  FrameContext &m_callee;
};

FrameContext::~FrameContext() = default;

llvm::Expected<location::Context *> FrameContext::getCallerContext() {
  if (m_facts.IsGPU() || !m_facts.HasFrame())
    return location::missing("registers as they were when the function began");
  if (!m_caller)
    m_caller = std::make_unique<CallerContext>(*this);
  return m_caller.get();
}

//===----------------------------------------------------------------------===//
// The unit.

llvm::Expected<location::Type> FrameContext::getBaseType(uint64_t die_offset) {
  if (!m_unit)
    return location::missing("unit to find a type in");
  DWARFDIE die =
      const_cast<DWARFUnit *>(m_unit)->GetDIE(m_unit->GetOffset() + die_offset);
  if (!die || die.Tag() != dw::DW_TAG_base_type)
    return location::illFormed("0x" + llvm::Twine::utohexstr(die_offset) +
                               " in its unit is no base type");
  const uint64_t size = die.GetAttributeValueAsUnsigned(dw::DW_AT_byte_size, 0);
  location::Type type;
  switch (die.GetAttributeValueAsUnsigned(dw::DW_AT_encoding, 0)) {
  case dw::DW_ATE_signed:
  case dw::DW_ATE_signed_char:
    type.Kind = location::Type::Signed;
    break;
  case dw::DW_ATE_float:
    type.Kind = location::Type::Float;
    break;
  default:
    type.Kind = location::Type::Unsigned;
    break;
  }
  if (size == 0 || size > 8)
    return location::failed(llvm::Twine("values of type ") +
                            (die.GetName() ? die.GetName() : "<unnamed>") +
                            " are not supported in an expression: they have " +
                            llvm::Twine(size) + " bytes");
  type.Size = uint8_t(size);
  return type;
}

std::string FrameContext::GetKernelName() const {
  ThreadSP thread_sp = m_facts.GetThread();
  StackFrameSP outermost_sp;
  for (uint32_t i = 0; thread_sp; ++i) {
    StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(i);
    if (!frame_sp)
      break;
    outermost_sp = frame_sp;
  }
  Function *function =
      outermost_sp
          ? outermost_sp->GetSymbolContext(eSymbolContextFunction).function
          : nullptr;
  return function ? function->GetMangled()
                        .GetName(Mangled::ePreferMangled)
                        .GetString()
                  : "";
}

llvm::Expected<uint64_t> FrameContext::getIndexedAddress(uint64_t index) {
  if (!m_unit)
    return location::missing("unit whose addresses are meant");
  const addr_t address =
      index > UINT32_MAX
          ? LLDB_INVALID_ADDRESS
          : m_unit->ReadAddressFromDebugAddrSection(uint32_t(index));
  if (address == LLDB_INVALID_ADDRESS)
    return location::illFormed("the unit has no address " + llvm::Twine(index));
  if (address == 0 && m_facts.IsGPU()) {
    auto *symbol_file = dynamic_cast<const SymbolFileLaneDWARF *>(
        &m_unit->GetSymbolFileDWARF());
    if (symbol_file) {
      llvm::Expected<std::optional<uint64_t>> offset =
          symbol_file->GetLocalMemory(*const_cast<DWARFUnit *>(m_unit))
              .GetOffset(index, [&] { return GetKernelName(); });
      if (!offset)
        return offset.takeError();
      if (*offset)
        return **offset;
    }
  }
  return address;
}

llvm::Expected<uint64_t> FrameContext::getLoadAddress(uint64_t file_address) {
  ProcessSP process_sp = m_facts.GetProcess();
  if (!m_module_sp || !process_sp)
    return file_address;
  Address address;
  if (m_module_sp->ResolveFileAddress(file_address, address)) {
    const addr_t load = address.GetLoadAddress(&process_sp->GetTarget());
    if (load != LLDB_INVALID_ADDRESS)
      return load;
    return location::failed("the section of 0x" +
                            llvm::Twine::utohexstr(file_address) +
                            " is not loaded");
  }
  // Offsets in LDS lie in no section.
  if (m_facts.IsGPU())
    return file_address;
  return location::failed("0x" + llvm::Twine::utohexstr(file_address) +
                          " lies in no section of its module");
}

llvm::Expected<std::vector<location::LocationListEntry>>
lldb_private::wavelane::ReadLocationList(
    DWARFUnit &unit, const DWARFFormValue &value,
    std::deque<std::vector<uint8_t>> &bytes) {
  lldb_private::DataExtractor data = unit.GetLocationData();
  dw_offset_t offset = value.Unsigned();
  if (value.Form() == dw::DW_FORM_loclistx)
    offset = unit.GetLoclistOffset(offset).value_or(-1);
  if (!data.ValidOffset(offset))
    return location::illFormed("a location list lies outside its section");
  data = lldb_private::DataExtractor(data, offset, data.GetByteSize() - offset);
  std::vector<location::LocationListEntry> entries;
  llvm::Error bad_entry = llvm::Error::success();
  llvm::Error error = unit.GetLocationTable(data)->visitAbsoluteLocationList(
      0, llvm::object::SectionedAddress{unit.GetBaseAddress()},
      [&](uint32_t index) -> std::optional<llvm::object::SectionedAddress> {
        const addr_t address = unit.ReadAddressFromDebugAddrSection(index);
        if (address == LLDB_INVALID_ADDRESS)
          return std::nullopt;
        return llvm::object::SectionedAddress{address};
      },
      [&](llvm::Expected<llvm::DWARFLocationExpression> entry) {
        if (!entry) {
          bad_entry = llvm::joinErrors(std::move(bad_entry), entry.takeError());
          return false;
        }
        bytes.emplace_back(entry->Expr.begin(), entry->Expr.end());
        location::LocationListEntry out;
        out.IsDefault = !entry->Range;
        if (entry->Range) {
          out.Low = entry->Range->LowPC;
          out.High = entry->Range->HighPC;
        }
        out.Expression = bytes.back();
        entries.push_back(out);
        return true;
      });
  if (llvm::Error both =
          llvm::joinErrors(std::move(error), std::move(bad_entry)))
    return std::move(both);
  return entries;
}

llvm::Expected<location::DieLocation>
FrameContext::getDie(location::DieReference reference) {
  if (!m_unit)
    return location::missing("unit to find an entry in");
  auto *unit = const_cast<DWARFUnit *>(m_unit);
  uint64_t offset = reference.Offset;
  if (reference.From == location::DieReference::Unit)
    offset += m_unit->GetOffset();
  DWARFDIE die;
  if (unit->ContainsDIEOffset(dw_offset_t(offset)))
    die = unit->GetDIE(dw_offset_t(offset));
  else
    die = unit->GetSymbolFileDWARF().DebugInfo().GetDIE(
        DIERef::Section::DebugInfo, dw_offset_t(offset));
  if (!die)
    return location::illFormed("there is no entry at 0x" +
                               llvm::Twine::utohexstr(offset));
  location::DieLocation result;
  if (die.GetCU() != m_unit) {
    m_units.emplace_back(m_facts, m_module_sp, die.GetCU(), m_address_size);
    result.Unit = &m_units.back();
  }
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t attribute = attributes.AttributeAtIndex(i);
    if (attribute != dw::DW_AT_location && attribute != dw::DW_AT_const_value)
      continue;
    DWARFFormValue value;
    if (!attributes.ExtractFormValueAtIndex(i, value))
      continue;
    const bool is_block = DWARFFormValue::IsBlockForm(value.Form());
    if (attribute == dw::DW_AT_const_value) {
      m_bytes.emplace_back();
      std::vector<uint8_t> &bytes = m_bytes.back();
      if (is_block) {
        bytes.assign(value.BlockData(), value.BlockData() + value.Unsigned());
      } else if (const char *text = value.AsCString()) {
        bytes.assign(text, text + strlen(text) + 1);
      } else {
        const uint64_t bits = value.Unsigned();
        uint64_t size = 8;
        if (DWARFDIE type = die.GetReferencedDIE(dw::DW_AT_type))
          size = type.GetAttributeValueAsUnsigned(dw::DW_AT_byte_size, 8);
        for (uint64_t byte = 0; byte < std::min<uint64_t>(size, 8); ++byte)
          bytes.push_back(uint8_t(bits >> (8 * byte)));
      }
      result.ConstValue = llvm::ArrayRef<uint8_t>(bytes);
    } else if (is_block) {
      result.Expression =
          llvm::ArrayRef<uint8_t>(value.BlockData(), value.Unsigned());
    } else {
      llvm::Expected<std::vector<location::LocationListEntry>> entries =
          ReadLocationList(*die.GetCU(), value, m_bytes);
      if (!entries)
        return entries.takeError();
      result.List = std::move(*entries);
    }
  }
  return result;
}

/// DW_TAG_object_map with the numbers that this project gives its attributes.
llvm::Expected<location::ObjectMap>
FrameContext::getObjectMap(location::DieReference reference) {
  if (!m_unit)
    return location::missing("unit to find an object map in");
  uint64_t offset = reference.Offset;
  if (reference.From == location::DieReference::Unit)
    offset += m_unit->GetOffset();
  DWARFDIE die = const_cast<DWARFUnit *>(m_unit)->GetDIE(dw_offset_t(offset));
  if (!die || uint32_t(die.Tag()) != 0x43f0)
    return location::illFormed("there is no object map at 0x" +
                               llvm::Twine::utohexstr(offset));
  location::ObjectMap map;
  std::optional<uint64_t> low, high;
  bool has_memory = false, has_vector = false, has_first = false;
  bool high_is_offset = false;
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t attribute = attributes.AttributeAtIndex(i);
    DWARFFormValue value;
    if (!attributes.ExtractFormValueAtIndex(i, value))
      return location::illFormed(
          "an attribute of the object map can't be read");
    llvm::ArrayRef<uint8_t> block;
    if (DWARFFormValue::IsBlockForm(value.Form()))
      block = llvm::ArrayRef<uint8_t>(value.BlockData(), value.Unsigned());
    auto place = [&](location::Location &into) -> llvm::Error {
      llvm::Expected<location::Entry> entry = location::evaluate(
          block, *this, location::ResultKind::Location, GetOptions(block));
      if (!entry)
        return entry.takeError();
      into = entry->Location;
      return llvm::Error::success();
    };
    auto number = [&](uint64_t &into) -> llvm::Error {
      if (block.empty()) {
        into = value.Unsigned();
        return llvm::Error::success();
      }
      llvm::Expected<location::Entry> entry = location::evaluate(
          block, *this, location::ResultKind::Value, GetOptions(block));
      if (!entry)
        return entry.takeError();
      into = entry->Value.getUnsigned();
      return llvm::Error::success();
    };
    llvm::Error error = [&]() -> llvm::Error {
      switch (attribute) {
      case 0x3ec8:
        has_memory = true;
        return place(map.Memory);
      case 0x3ec9:
        has_first = true;
        return number(map.First);
      case 0x3eca:
        has_vector = true;
        return place(map.Vector);
      case 0x3ecb:
        return number(map.ElementSize);
      case 0x3ecc:
        return number(map.ElementCount);
      case dw::DW_AT_low_pc:
        low = value.Address();
        break;
      case dw::DW_AT_high_pc:
        high_is_offset = value.Form() != dw::DW_FORM_addr &&
                         value.Form() != dw::DW_FORM_addrx;
        high = high_is_offset ? value.Unsigned() : value.Address();
        break;
      }
      return llvm::Error::success();
    }();
    if (error)
      return std::move(error);
  }
  if (!has_memory || !has_vector || !has_first || map.ElementSize == 0 ||
      map.ElementCount == 0)
    return location::illFormed(
        "the object map lacks one of mem_location, cntl_ordinal, vec_location, "
        "element_size and element_count");
  if (low && high && high_is_offset)
    *high += *low;
  std::optional<uint64_t> pc = getProgramLocation();
  map.IsActive = pc && (!low || !high || (*low <= *pc && *pc < *high));
  return map;
}

//===----------------------------------------------------------------------===//

llvm::Expected<location::Location> LocationObject::At(uint64_t offset,
                                                      size_t size) const {
  location::Location location = m_location;
  // A composite describes the beginning of an object; the rest is nowhere.
  if (location.Kind == location::StorageKind::Composite &&
      location.getComposite() &&
      location.Offset + (location::BitCount(offset) + size) * 8 >
          location.getComposite()->getSize())
    return location::failed("no location, value may have been optimized out");
  if (offset)
    if (llvm::Error error =
            location.move(*m_context, location::BitCount(offset) * 8))
      return std::move(error);
  return location;
}

size_t LocationObject::Read(Process &, uint64_t offset, void *buf, size_t size,
                            Status &error) {
  llvm::Expected<location::Location> location = At(offset, size);
  llvm::Error failure =
      location ? location->read(*m_context, location::BitCount(size) * 8,
                                llvm::MutableArrayRef<uint8_t>(
                                    static_cast<uint8_t *>(buf), size))
               : location.takeError();
  if (!failure)
    return size;
  error = Status(llvm::toString(std::move(failure)));
  return 0;
}

size_t LocationObject::Write(Process &, uint64_t offset, const void *buf,
                             size_t size, Status &error) {
  llvm::Expected<location::Location> location = At(offset, size);
  llvm::Error failure =
      location ? location->write(*m_context, location::BitCount(size) * 8,
                                 llvm::ArrayRef<uint8_t>(
                                     static_cast<const uint8_t *>(buf), size))
               : location.takeError();
  if (!failure)
    return size;
  error = Status(llvm::toString(std::move(failure)));
  return 0;
}
