//===-- FrameContext.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FrameContext.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Support/Processor.h"
#include "DynamicArrays.h"
#include "EntryValues.h"
#include "LaneSymbols.h"
#include "LocationObject.h"
#include "Operations.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFDebugInfo.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "SharedVariables.h"
#include "VectorSize.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "wavelane/Location/Architecture.h"
#include "wavelane/Location/Attributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/SaveAndRestore.h"

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

location::EvaluationOptions
FrameContext::GetOptions(llvm::ArrayRef<uint8_t> expression) const {
  location::EvaluationOptions options;
  options.Decode.AddressSize = m_address_size;
  // On other targets, the direct codes are other vendors' operations.
  options.Decode.DirectCodes = m_facts.IsGPU();
  options.IsLenient = !m_facts.IsGPU();
  if (m_facts.IsGPU()) {
    // Don't reinterpret an expression that uses, or may use, the AMD extension.
    options.Upstream.Enabled = !HasAMDOperation(lldb_private::DataExtractor(
                                   expression.data(), expression.size(),
                                   eByteOrderLittle, m_address_size)) &&
                               !(m_unit && IsAMDUnit(*m_unit));
    options.IsLenient = options.Upstream.Enabled;
    options.Upstream.OldNumbers = m_unit && HasOldAddressSpaceNumbers(*m_unit);
  }
  return options;
}

//===----------------------------------------------------------------------===//
// The machine.

/// The architecture of \a facts; for a GPU, with that many lanes per wave.
static const location::Architecture &GetMachine(const FrameFacts &facts,
                                                uint32_t wave_lanes) {
  return *location::Architecture::find(!facts.IsGPU()     ? "x86_64"
                                       : wave_lanes == 32 ? "amdgpu-wave32"
                                                          : "amdgpu-wave64");
}

std::optional<location::AddressSpace>
FrameContext::getAddressSpace(uint64_t number) {
  std::optional<location::AddressSpace> space =
      GetMachine(m_facts, m_facts.GetWaveLanes()).getAddressSpace(number);
  if (space && number == eSpaceGlobal)
    space->AddressBits = 8 * m_address_size;
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

llvm::Expected<uint64_t> FrameContext::getUsedRegisterSize(uint64_t number) {
  if (m_facts.IsGPU() || !m_facts.HasFrame())
    return getRegisterSize(number);
  return GetUsedVectorSize(m_facts, number, m_map_ranges);
}

llvm::Error FrameContext::readRegister(uint64_t number, uint64_t,
                                       uint64_t offset,
                                       llvm::MutableArrayRef<uint8_t> into) {
  const BuiltinVariable *builtin = FindBuiltin(number);
  if (m_frame_base_depth && m_facts.IsGPU() && !m_facts.IsFrameRegister(number))
    return llvm::createStringError(
        "the frame base is in register %s, which the function hasn't set to a "
        "place in its stack here",
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

/// Reads the file's contents at a file address.
llvm::Error FrameContext::ReadFile(uint64_t address,
                                   llvm::MutableArrayRef<uint8_t> into) const {
  Address place;
  ObjectFile *object_file =
      m_module_sp ? m_module_sp->GetObjectFile() : nullptr;
  if (!object_file || !m_module_sp->ResolveFileAddress(address, place) ||
      object_file->ReadSectionData(place.GetSection().get(), place.GetOffset(),
                                   into.data(), into.size()) != into.size())
    return location::failed("memory at 0x" + llvm::Twine::utohexstr(address) +
                            " can't be read: the program isn't running");
  return llvm::Error::success();
}

llvm::Error FrameContext::readMemory(uint64_t space,
                                     std::optional<uint32_t> lane, uint64_t,
                                     uint64_t address,
                                     llvm::MutableArrayRef<uint8_t> into) {
  if (m_has_used_file_address)
    return ReadFile(address, into);
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
  for (uint32_t wave_lanes : {32, 64})
    if (const location::RegisterRange *range =
            GetMachine(m_facts, wave_lanes).findRegister(number);
        range && range->ElementSize) {
      element_size = range->ElementSize;
      return true;
    }
  return false;
}

unsigned FrameContext::getPrivateFrameScale() {
  ProcessSP process_sp = m_facts.GetProcess();
  if (!process_sp || m_facts.GetWaveLanes() == 0)
    return 1;
  // If scratch memory is addressed flat, the stack pointer is the lane's.
  // Several kinds of GPU can run at once: the code says which one this is.
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
    // The commands for lanes report the error.
    llvm::consumeError(lanes.takeError());
    return 0;
  }
  return lanes->count;
}

std::optional<uint64_t> FrameContext::getProgramLocation() {
  // A file address, as in location lists.
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

/// Kernels have a descriptor of the same name.
static bool IsKernel(Function &function) {
  ModuleSP module_sp = function.CalculateSymbolContextModule();
  const std::string name =
      function.GetMangled().GetMangledName()
          ? function.GetMangled().GetMangledName().GetString()
          : function.GetName().GetString();
  return module_sp && module_sp->FindFirstSymbolWithNameAndType(
                          ConstString(name + ".kd"), eSymbolTypeAny);
}

namespace {
/// Marks a frame base as being evaluated, to detect an operation that needs it
/// meanwhile, which is an error (DWARF 5, 2.5.1.2).
class FrameBaseScope {
public:
  FrameBaseScope(tid_t tid, const StackID &id) {
    g_frames.push_back({tid, id});
  }
  ~FrameBaseScope() { g_frames.pop_back(); }
  static bool Contains(tid_t tid, const StackID &id) {
    return llvm::any_of(g_frames, [&](const Frame &frame) {
      return frame.tid == tid && frame.id == id;
    });
  }

private:
  struct Frame {
    tid_t tid;
    StackID id;
  };
  static thread_local std::vector<Frame> g_frames;
};
thread_local std::vector<FrameBaseScope::Frame> FrameBaseScope::g_frames;
} // namespace

llvm::Expected<location::Location> FrameContext::getFrameBase() {
  StackFrameSP frame_sp = m_facts.GetFrame();
  if (!frame_sp)
    return location::missing("call frame");
  if (FrameBaseScope::Contains(m_facts.GetThreadID(), m_facts.GetFrameID()))
    return location::illFormed("the frame base depends on itself");
  FrameBaseScope scope(m_facts.GetThreadID(), m_facts.GetFrameID());
  Function *function =
      frame_sp->GetSymbolContext(eSymbolContextFunction).function;
  if (!function)
    return location::missing("function whose frame base is meant");
  if (m_facts.IsGPU())
    return GetGPUFrameBase(*function);
  // LLDB caches it with the frame, and evaluates it through this plugin.
  Scalar base;
  if (llvm::Error error = frame_sp->GetFrameBaseValue(base))
    return std::move(error);
  if (!base.IsValid())
    return location::failed("the function has no frame base here");
  return location::Location::memory(eSpaceGlobal, base.ULongLong());
}

std::optional<addr_t> lldb_private::wavelane::FindAddressInFrame(
    const lldb_private::DataExtractor &expression, Thread &thread,
    StackFrame &frame) {
  offset_t offset = 0;
  if (expression.GetU8(&offset) != llvm::dwarf::DW_OP_fbreg ||
      offset == expression.GetByteSize())
    return std::nullopt;
  const int64_t distance = expression.GetSLEB128(&offset);
  if (offset != expression.GetByteSize() ||
      FrameBaseScope::Contains(thread.GetID(), frame.GetStackID()))
    return std::nullopt;
  FrameBaseScope scope(thread.GetID(), frame.GetStackID());
  Scalar base;
  if (llvm::Error error = frame.GetFrameBaseValue(base)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  if (!base.IsValid())
    return std::nullopt;
  return base.ULongLong() + uint64_t(distance);
}

llvm::Expected<location::Location>
FrameContext::GetGPUFrameBase(Function &function) {
  DWARFExpressionList &list = function.GetFrameBaseExpression();
  if (!list.IsValid() && IsKernel(function)) {
    // The outermost frame, for which optimized kernels need no register.
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
        function.GetAddress().GetLoadAddress(&process_sp->GetTarget());
    llvm::Expected<uint64_t> frame_pc = m_facts.GetPC();
    if (!frame_pc)
      return frame_pc.takeError();
    pc = *frame_pc;
  }
  lldb_private::DataExtractor data;
  if (!list.GetExpressionData(data, function_load_addr, pc) ||
      data.GetByteSize() == 0) {
    // Upstream clang gives kernels without a frame pointer no frame base: use
    // the outermost frame's.
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
  // If scratch memory is addressed flat, the stack pointer is the lane's.
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

FrameContext::~FrameContext() = default;

std::shared_ptr<EvaluationContext>
FrameContext::MakeCaller(StackFrame &caller, const DWARFDIE &in_unit) const {
  auto context = std::make_shared<FrameContext>(
      FrameFacts(*m_facts.GetProcess(), m_facts.GetThread().get(), &caller,
                 m_facts.GetLane()),
      in_unit.GetModule(), in_unit.GetCU(), m_address_size);
  // Each caller may need a value from its own caller.
  context->m_call_depth = m_call_depth + 1;
  return context;
}

llvm::Expected<location::Context *> FrameContext::getCallerContext() {
  if (m_facts.IsGPU() || !m_facts.HasFrame() || !m_facts.GetProcess())
    return location::missing("registers as they were when the function began");
  if (!m_caller)
    m_caller = std::make_unique<CallerContext>(*this);
  return m_caller.get();
}

//===----------------------------------------------------------------------===//
// The unit.

/// The number of bits of a type that are its value. LLVM names the types of its
/// conversions by it, and before version 20 says it only there.
static uint64_t ReadBitSize(const DWARFDIE &die, uint64_t byte_size) {
  if (const uint64_t bits =
          die.GetAttributeValueAsUnsigned(dw::DW_AT_bit_size, 0))
    return bits;
  llvm::StringRef name = die.GetName() ? die.GetName() : "";
  uint64_t bits;
  if (name.consume_front("DW_ATE_") &&
      !name.rsplit('_').second.getAsInteger(10, bits))
    return bits;
  return 8 * byte_size;
}

/// The number of bits of a float; 0 for one that isn't known.
static uint64_t GetFloatWidth(const DWARFDIE &die, uint64_t byte_size) {
  const llvm::StringRef name = die.GetName() ? die.GetName() : "";
  switch (byte_size) {
  case 2:
    return name == "_Float16" ? 16 : 0;
  case 4:
  case 8:
    return 8 * byte_size;
  case 10:
  case 12:
  case 16:
    // The others are x86's, whose size depends on the system.
    return name == "_Float128" || name == "__float128" ||
                   name == "real(kind=16)"
               ? 128
               : 80;
  default:
    return 0;
  }
}

/// nullopt for a type without a size, or with values too large for the stack.
static std::optional<location::Type> ReadBaseType(const DWARFDIE &die) {
  const uint64_t size = die.GetAttributeValueAsUnsigned(dw::DW_AT_byte_size, 0);
  const uint64_t encoding =
      die.GetAttributeValueAsUnsigned(dw::DW_AT_encoding, 0);
  const bool is_float = encoding == dw::DW_ATE_float;
  const uint64_t width =
      is_float ? GetFloatWidth(die, size) : ReadBitSize(die, size);
  if (size == 0 || size > 16 || width == 0 || width > 8 * size)
    return std::nullopt;
  const bool is_signed =
      encoding == dw::DW_ATE_signed || encoding == dw::DW_ATE_signed_char;
  return location::Type{is_float    ? location::Type::Float
                        : is_signed ? location::Type::Signed
                                    : location::Type::Unsigned,
                        uint8_t(size), uint8_t(width == 8 * size ? 0 : width)};
}

llvm::Expected<location::Type> FrameContext::getBaseType(uint64_t die_offset) {
  if (!m_unit)
    return location::missing("unit to find a type in");
  FrameContext *context;
  DWARFDIE die = FindEntry({location::DieReference::Unit, die_offset}, context);
  if (!die || die.Tag() != dw::DW_TAG_base_type)
    return location::illFormed("0x" + llvm::Twine::utohexstr(die_offset) +
                               " in its unit is not a base type");
  if (std::optional<location::Type> type = ReadBaseType(die))
    return *type;
  return location::failed(
      llvm::Twine("values of type ") +
      (die.GetName() ? die.GetName() : "<unnamed>") +
      " are not supported in an expression: they have " +
      llvm::Twine(die.GetAttributeValueAsUnsigned(dw::DW_AT_byte_size, 0)) +
      " bytes");
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
  if (auto *symbols =
          dynamic_cast<const LaneSymbols *>(&m_unit->GetSymbolFileDWARF()))
    if (auto place = symbols->GetDynamicArrays().GetAddress(
            index, m_facts.GetThread().get()))
      return std::move(*place);
  const bool is_listed = index <= UINT32_MAX;
  const addr_t address =
      is_listed ? m_unit->ReadAddressFromDebugAddrSection(uint32_t(index)) : 0;
  if (address == 0 && m_facts.IsGPU()) {
    auto *symbol_file =
        dynamic_cast<const LaneSymbols *>(&m_unit->GetSymbolFileDWARF());
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
  if (!is_listed || address == LLDB_INVALID_ADDRESS)
    return location::illFormed("the unit has no address " + llvm::Twine(index));
  return address;
}

llvm::Expected<uint64_t> FrameContext::getLoadAddress(uint64_t file_address) {
  ProcessSP process_sp = m_facts.GetProcess();
  Address address;
  const bool is_in_file =
      m_module_sp && m_module_sp->ResolveFileAddress(file_address, address);
  if (process_sp && is_in_file) {
    const addr_t load = address.GetLoadAddress(&process_sp->GetTarget());
    if (load != LLDB_INVALID_ADDRESS)
      return load;
  }
  // Offsets in LDS aren't in any section.
  if (process_sp && m_facts.IsGPU() && !is_in_file)
    return file_address;
  if (process_sp && !m_module_sp)
    return file_address;
  if (process_sp && !is_in_file)
    return location::failed("0x" + llvm::Twine::utohexstr(file_address) +
                            " lies in no section of its module");
  // Use the file's contents, since the address isn't loaded.
  m_has_used_file_address = true;
  return file_address;
}

DWARFDIE FrameContext::FindEntry(location::DieReference reference,
                                 FrameContext *&context) {
  context = this;
  if (!m_unit)
    return {};
  auto *unit = const_cast<DWARFUnit *>(m_unit);
  uint64_t offset = reference.Offset;
  if (reference.From == location::DieReference::Unit)
    offset += m_unit->GetOffset();
  if (offset > DW_INVALID_OFFSET)
    return {};
  if (unit->ContainsDIEOffset(dw_offset_t(offset)))
    return unit->GetDIE(dw_offset_t(offset));
  DWARFDIE die = unit->GetSymbolFileDWARF().DebugInfo().GetDIE(
      DIERef::Section::DebugInfo, dw_offset_t(offset));
  if (!die)
    return {};
  for (FrameContext &other : m_units)
    if (other.m_unit == die.GetCU())
      context = &other;
  if (context == this)
    context = &m_units.emplace_back(m_facts, m_module_sp, die.GetCU(),
                                    m_address_size);
  return die;
}

static std::string NameEntry(const DWARFDIE &die) {
  std::string text = "entry 0x" + llvm::utohexstr(die.GetOffset());
  if (const char *name = die.GetName())
    text += std::string(" (") + name + ")";
  return text;
}

/// The bytes of DW_AT_const_value.
static std::vector<uint8_t> GetConstant(const DWARFDIE &die,
                                        const DWARFFormValue &value) {
  if (DWARFFormValue::IsBlockForm(value.Form()))
    return GetBlock(value).vec();
  if (const char *text = value.AsCString())
    return std::vector<uint8_t>(text, text + strlen(text) + 1);
  const uint64_t bits = value.Unsigned();
  uint64_t size = 8;
  if (DWARFDIE type = die.GetReferencedDIE(dw::DW_AT_type))
    size = type.GetAttributeValueAsUnsigned(dw::DW_AT_byte_size, 8);
  std::vector<uint8_t> bytes;
  for (uint64_t byte = 0; byte < std::min<uint64_t>(size, 8); ++byte)
    bytes.push_back(uint8_t(bits >> (8 * byte)));
  return bytes;
}

/// The type of a variable's value on the stack, from \a die's type.
static std::optional<location::Type> GetValueType(const DWARFDIE &die,
                                                  uint8_t address_size) {
  DWARFDIE type = die.GetReferencedDIE(dw::DW_AT_type);
  // Types don't nest forever, unless the file is damaged.
  for (unsigned depth = 0; type && depth < 64; ++depth) {
    switch (type.Tag()) {
    case dw::DW_TAG_pointer_type:
    case dw::DW_TAG_reference_type:
    case dw::DW_TAG_rvalue_reference_type:
      return location::Type{location::Type::Unsigned, address_size};
    case dw::DW_TAG_base_type: {
      std::optional<location::Type> found = ReadBaseType(type);
      return found && found->isIntegral() ? found : std::nullopt;
    }
    default:
      type = type.GetReferencedDIE(dw::DW_AT_type);
    }
  }
  return std::nullopt;
}

llvm::Expected<location::DieLocation>
FrameContext::getDie(location::DieReference reference) {
  if (!m_unit)
    return location::missing("unit to find an entry in");
  FrameContext *context;
  DWARFDIE die = FindEntry(reference, context);
  if (!die)
    return location::illFormed("there is no entry at 0x" +
                               llvm::Twine::utohexstr(reference.Offset));
  location::DieLocation result;
  if (context != this)
    result.Unit = context;
  result.ValueType = GetValueType(die, m_address_size);
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    const uint32_t attribute = attributes.AttributeAtIndex(i);
    DWARFFormValue value;
    if ((attribute != dw::DW_AT_location &&
         attribute != dw::DW_AT_const_value) ||
        !attributes.ExtractFormValueAtIndex(i, value))
      continue;
    if (attribute == dw::DW_AT_const_value) {
      result.ConstValue = llvm::ArrayRef<uint8_t>(
          m_bytes.emplace_back(GetConstant(die, value)));
      continue;
    }
    location::AttributeValue place;
    if (llvm::Error error =
            ReadAttribute(*die.GetCU(), value, m_bytes).moveInto(place))
      return std::move(error);
    result.Expression = place.Expression;
    result.List = std::move(place.List);
  }
  return result;
}

llvm::Expected<location::ObjectMap>
FrameContext::getObjectMap(location::DieReference reference,
                           const location::EvaluationOptions &options) {
  if (!m_unit)
    return location::missing("unit to find an object map in");
  FrameContext *context;
  DWARFDIE die = FindEntry(reference, context);
  if (!die || die.Tag() != dw_tag_t(location::TagObjectMap))
    return location::illFormed("there is no object map at 0x" +
                               llvm::Twine::utohexstr(reference.Offset));
  llvm::Expected<location::ObjectMapAttributes> attributes =
      ReadObjectMap(die, m_bytes);
  if (!attributes)
    return attributes.takeError();
  llvm::SaveAndRestore<std::vector<std::pair<uint64_t, uint64_t>>> ranges(
      context->m_map_ranges, attributes->Ranges);
  llvm::Expected<location::ObjectMap> map =
      location::evaluateObjectMap(*attributes, *context, options);
  if (map)
    return map;
  // The expression doesn't show which one is meant.
  return llvm::handleErrors(
      map.takeError(),
      [&](std::unique_ptr<location::LocationError> error) -> llvm::Error {
        const std::string name = NameEntry(die);
        // Don't repeat the name for each entry of a circle.
        if (llvm::StringRef(error->message()).contains(name))
          return llvm::Error(std::move(error));
        return location::makeError(error->getKind(),
                                   name + ": " + error->message());
      });
}

llvm::Expected<uint64_t>
FrameContext::getPointerBits(const location::Location &pointer) {
  std::shared_ptr<FrameContext> self = weak_from_this().lock();
  if (!m_gives_pointers || !self)
    return location::Context::getPointerBits(pointer);
  // The pointee is read when the pointer is followed, not now.
  llvm::SaveAndRestore<bool> given(m_gives_pointers, false);
  llvm::Expected<location::Location> place =
      location::followImplicitPointer(pointer, *this, GetOptions({}));
  if (!place)
    return place.takeError();
  if (place->Kind == location::StorageKind::Undefined)
    return location::failed("what it points to has been optimized out");
  return GetAddress(self, *place);
}
