//===-- Machine.cpp -------------------------------------------*- C++ -*-===//

#include "Machine.h"
#include "Operations.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Expression/DWARFExpression.h"
#include "lldb/Expression/DWARFExpressionList.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
using namespace llvm::dwarf;

std::string StackEntry::Describe(const FrameFacts &facts) const {
  if (!is_value)
    return places.Describe(facts);
  return llvm::formatv("{0} ({0:x})", value).str();
}

namespace {

// Numbers within DW_OP_LLVM_user (0xe9).
enum UserOperation : uint64_t {
  eUserNop = 0x01,
  eUserFormAspaceAddress = 0x02,
  eUserPushLane = 0x03,
  eUserOffset = 0x04,
  eUserOffsetUconst = 0x05,
  eUserBitOffset = 0x06,
  eUserCallFrameEntryReg = 0x07,
  eUserUndefined = 0x08,
  eUserAspaceBregx = 0x09,
  eUserPieceEnd = 0x0a,
  eUserExtend = 0x0b,
  eUserSelectBitPiece = 0x0c,
  eUserOverlay = 0x2011,
};

/// What limits an expression from a hostile file.
constexpr unsigned kMaxSteps = 100000;
constexpr size_t kMaxStack = 1024;
constexpr size_t kMaxParts = 4096;
constexpr unsigned kMaxNesting = 16;

bool IsVectorRegister(uint64_t number) {
  return (number >= 1536 && number <= 1791) ||
         (number >= 2048 && number <= 2303) ||
         (number >= 2560 && number <= 2815) ||
         (number >= 3072 && number <= 3327);
}

/// Whether the stack pointer counts bytes of a lane, not of the whole wave: the
/// GPUs whose scratch memory is addressed flat.
bool HasFlatScratch(const ArchSpec &arch) {
  llvm::StringRef name = arch.GetArchitectureName();
  return name.starts_with("gfx94") || name.starts_with("gfx95") ||
         name.starts_with("gfx11") || name.starts_with("gfx12");
}

class Machine {
public:
  Machine(const EvaluationRequest &request, const MachineTrace &trace,
          unsigned nesting)
      : m_request(request), m_facts(request.facts), m_trace(trace),
        m_data(request.expression, /*IsLittleEndian=*/true,
               request.address_size),
        m_nesting(nesting) {}

  llvm::Expected<Places> Run();

  /// Runs operations on the stack of \a caller (DW_OP_call*).
  llvm::Error RunOperations();

  std::vector<StackEntry> &GetStack() { return m_stack; }

private:
  llvm::Error Step();
  llvm::Error UserStep(uint64_t op, std::string &text);

  // Operands.
  uint64_t GetU(unsigned size) { return m_data.getUnsigned(m_cursor, size); }
  int64_t GetS(unsigned size) {
    return llvm::SignExtend64(GetU(size), size * 8);
  }
  uint64_t GetULEB() { return m_data.getULEB128(m_cursor); }
  int64_t GetSLEB() { return m_data.getSLEB128(m_cursor); }

  uint64_t Cut(uint64_t value) const {
    return m_request.address_size >= 8
               ? value
               : value & ((uint64_t(1) << (8 * m_request.address_size)) - 1);
  }

  llvm::Error Push(StackEntry entry) {
    if (m_stack.size() >= kMaxStack)
      return llvm::createStringError("the expression's stack grows beyond %zu",
                                     kMaxStack);
    m_stack.push_back(std::move(entry));
    return llvm::Error::success();
  }
  llvm::Error PushValue(uint64_t value) {
    return Push(StackEntry::Value(Cut(value)));
  }
  llvm::Expected<StackEntry> Pop();
  llvm::Expected<StackEntry> PopValue();
  llvm::Expected<StackEntry> PopLocation();

  llvm::Expected<StackEntry> ToValue(StackEntry entry) const;
  llvm::Expected<StackEntry> ToLocation(StackEntry entry) const;

  llvm::Expected<uint64_t> ReadUnsigned(const Places &places, uint64_t size);
  llvm::Expected<uint64_t> ToLoadAddress(uint64_t file_address) const;
  llvm::Expected<Place> MakeMemory(uint64_t space, uint64_t address) const;
  llvm::Expected<StackEntry> FrameBase(int64_t offset);
  llvm::Error Binary(uint8_t op);
  llvm::Error Piece(uint64_t bytes, uint64_t bit_offset);
  llvm::Error EntryValue(llvm::ArrayRef<uint8_t> block);
  llvm::Error Call(uint64_t die_offset);
  llvm::Error TLS();
  llvm::Expected<StackEntry> TypeOf(uint64_t die_offset) const;
  static uint64_t Fit(uint64_t value, const StackEntry &type);

  // What upstream clang means for AMD GPUs.
  bool IsUpstreamGPU() const { return m_facts.IsGPU() && !m_has_amd_operation; }
  bool AtPieceOrEnd() const;
  llvm::Error UpstreamXderef();
  uint64_t MapUpstreamSpace(uint64_t space) const;
  void ApplyImpliedLane(StackEntry &entry) const;

  const EvaluationRequest &m_request;
  const FrameFacts &m_facts;
  const MachineTrace &m_trace;
  llvm::DataExtractor m_data;
  llvm::DataExtractor::Cursor m_cursor{0};
  std::vector<StackEntry> m_stack;
  const unsigned m_nesting;
  unsigned m_steps = 0;
  bool m_has_amd_operation = false;
};

llvm::Expected<StackEntry> Machine::Pop() {
  if (m_stack.empty())
    return llvm::createStringError("the expression's stack is empty");
  StackEntry entry = std::move(m_stack.back());
  m_stack.pop_back();
  return entry;
}

llvm::Expected<StackEntry> Machine::ToValue(StackEntry entry) const {
  if (entry.is_value)
    return entry;
  if (entry.places.IsSingle()) {
    const Place &place = entry.places.parts[0].place;
    if (place.kind == Place::eMemory && place.number == eSpaceGlobal)
      return StackEntry::Value(place.offset);
  }
  return llvm::createStringError("a value is needed, but the stack holds %s",
                                 entry.places.Describe(m_facts).c_str());
}

llvm::Expected<StackEntry> Machine::ToLocation(StackEntry entry) const {
  if (!entry.is_value)
    return entry;
  return StackEntry::Location(
      Place::Memory(eSpaceGlobal, Cut(entry.value), m_facts.GetLane()));
}

llvm::Expected<StackEntry> Machine::PopValue() {
  llvm::Expected<StackEntry> entry = Pop();
  return entry ? ToValue(std::move(*entry)) : std::move(entry);
}

llvm::Expected<StackEntry> Machine::PopLocation() {
  llvm::Expected<StackEntry> entry = Pop();
  return entry ? ToLocation(std::move(*entry)) : std::move(entry);
}

llvm::Expected<uint64_t> Machine::ReadUnsigned(const Places &places,
                                               uint64_t size) {
  if (size > 8)
    return llvm::createStringError(
        "a value of %" PRIu64 " bytes is not supported in an expression", size);
  uint8_t bytes[8] = {};
  if (llvm::Error error = places.Read(
          m_facts, 0, llvm::MutableArrayRef<uint8_t>(bytes, size)))
    return std::move(error);
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

llvm::Expected<uint64_t> Machine::ToLoadAddress(uint64_t file_address) const {
  ProcessSP process_sp = m_facts.GetProcess();
  if (!m_request.module_sp || !process_sp)
    return file_address;
  Address address;
  if (!m_request.module_sp->ResolveFileAddress(file_address, address))
    return llvm::createStringError("0x%" PRIx64 " lies in no section of %s",
                                   file_address,
                                   m_request.module_sp->GetFileSpec()
                                       .GetFilename()
                                       .AsCString("its module"));
  const addr_t load = address.GetLoadAddress(&process_sp->GetTarget());
  if (load == LLDB_INVALID_ADDRESS)
    return llvm::createStringError("the section of 0x%" PRIx64 " is not loaded",
                                   file_address);
  return load;
}

llvm::Expected<Place> Machine::MakeMemory(uint64_t space,
                                          uint64_t address) const {
  if (space == eSpaceGlobal)
    return Place::Memory(space, Cut(address), 0);
  if (!m_facts.IsGPU() || space > eSpacePrivateWave || space == 4)
    return llvm::createStringError("the target has no address space %" PRIu64,
                                   space);
  if (space == eSpaceGeneric) {
    if (std::optional<AddressSpace> aperture = ApertureSpace(address))
      return Place::Memory(*aperture, uint32_t(address), m_facts.GetLane());
    return Place::Memory(eSpaceGlobal, address, 0);
  }
  return Place::Memory(space, uint32_t(address), m_facts.GetLane());
}

/// A register location as frame base stands for its contents.
llvm::Expected<StackEntry> Machine::FrameBase(int64_t offset) {
  StackFrameSP frame_sp = m_facts.GetFrame();
  if (!frame_sp)
    return llvm::createStringError("there is no call frame for the frame base");
  if (m_nesting >= kMaxNesting)
    return llvm::createStringError("the frame base depends on itself");
  const SymbolContext &sc = frame_sp->GetSymbolContext(eSymbolContextFunction);
  if (!sc.function)
    return llvm::createStringError("the frame has no function with a frame base");
  DWARFExpressionList &list = sc.function->GetFrameBaseExpression();
  ProcessSP process_sp = m_facts.GetProcess();
  addr_t function_load_addr = LLDB_INVALID_ADDRESS;
  addr_t pc = 0;
  if (!list.IsAlwaysValidSingleExpr()) {
    function_load_addr =
        sc.function->GetAddressRange().GetBaseAddress().GetLoadAddress(
            &process_sp->GetTarget());
    llvm::Expected<uint64_t> frame_pc = m_facts.GetPC();
    if (!frame_pc)
      return frame_pc.takeError();
    pc = *frame_pc;
  }
  lldb_private::DataExtractor data;
  if (!list.GetExpressionData(data, function_load_addr, pc) ||
      data.GetByteSize() == 0)
    return llvm::createStringError("the function has no frame base here");
  if (!m_facts.IsGPU()) {
    // The stock way knows every CPU's.
    Scalar base;
    Status error;
    if (!frame_sp->GetFrameBaseValue(base, &error))
      return error.ToError();
    return StackEntry::Location(
        Place::Memory(eSpaceGlobal, Cut(base.ULongLong() + offset), 0));
  }
  EvaluationRequest request = m_request;
  request.expression = data.GetData();
  request.initial_value = nullptr;
  Machine machine(request, {}, m_nesting + 1);
  llvm::Expected<Places> base = machine.Run();
  if (!base)
    return base.takeError();
  if (base->IsSingle() && base->parts[0].place.kind == Place::eRegister) {
    llvm::Expected<uint64_t> size =
        m_facts.GetRegisterSize(base->parts[0].place.number);
    if (!size)
      return size.takeError();
    llvm::Expected<uint64_t> contents =
        ReadUnsigned(*base, std::min<uint64_t>(*size, 8));
    if (!contents)
      return contents.takeError();
    // Upstream gives the scratch pointer without its unit.
    uint64_t in_lane = *contents;
    if (!HasFlatScratch(process_sp->GetTarget().GetArchitecture()) &&
        m_facts.GetWaveLanes())
      in_lane /= m_facts.GetWaveLanes();
    return StackEntry::Location(Place::Memory(
        eSpacePrivateLane, uint32_t(in_lane + uint64_t(offset)),
        m_facts.GetLane()));
  }
  if (llvm::Error error = base->Advance(m_facts, offset))
    return std::move(error);
  StackEntry entry;
  entry.places = std::move(*base);
  return entry;
}

uint64_t Machine::Fit(uint64_t value, const StackEntry &type) {
  if (type.size == 0 || type.size >= 8)
    return value;
  const unsigned bits = type.size * 8;
  value &= (uint64_t(1) << bits) - 1;
  if (type.is_signed && value >> (bits - 1))
    value |= ~uint64_t(0) << bits;
  return value;
}

llvm::Expected<StackEntry> Machine::TypeOf(uint64_t die_offset) const {
  if (die_offset == 0)
    return StackEntry::Value(0);
  if (!m_request.unit)
    return llvm::createStringError("there is no unit to find the type in");
  DWARFDIE die = const_cast<DWARFUnit *>(m_request.unit)
                     ->GetDIE(m_request.unit->GetOffset() + die_offset);
  if (!die || die.Tag() != DW_TAG_base_type)
    return llvm::createStringError("0x%" PRIx64 " in its unit is no base type",
                                   die_offset);
  const uint64_t size = die.GetAttributeValueAsUnsigned(DW_AT_byte_size, 0);
  const uint64_t encoding = die.GetAttributeValueAsUnsigned(DW_AT_encoding, 0);
  if (size == 0 || size > 8)
    return llvm::createStringError("values of type %s are not supported in an "
                                   "expression: %" PRIu64 " bytes",
                                   die.GetName(), size);
  if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
    return llvm::createStringError(
        "values of type %s are not supported in an expression: a float",
        die.GetName());
  return StackEntry::Value(0, uint8_t(size),
                           encoding == DW_ATE_signed ||
                               encoding == DW_ATE_signed_char);
}

llvm::Error Machine::Binary(uint8_t op) {
  llvm::Expected<StackEntry> right = PopValue();
  if (!right)
    return right.takeError();
  llvm::Expected<StackEntry> left = PopValue();
  if (!left)
    return left.takeError();
  const bool is_shift = op == DW_OP_shl || op == DW_OP_shr || op == DW_OP_shra;
  if (!is_shift && left->size != right->size)
    return llvm::createStringError("the operands of an operation have types of "
                                   "different sizes");
  const unsigned bits =
      8 * (left->size ? left->size : m_request.address_size);
  const uint64_t a = left->value, b = right->value;
  auto sign = [&](uint64_t v) {
    return bits >= 64 ? int64_t(v) : int64_t(v << (64 - bits)) >> (64 - bits);
  };
  auto zero = [&](uint64_t v) {
    return bits >= 64 ? v : v & ((uint64_t(1) << bits) - 1);
  };
  const bool is_unsigned = left->size && !left->is_signed;
  uint64_t result = 0;
  bool is_truth = false;
  auto compare = [&](auto f) {
    is_truth = true;
    result = is_unsigned ? f(zero(a), zero(b)) : f(sign(a), sign(b));
  };
  switch (op) {
  case DW_OP_and:
    result = a & b;
    break;
  case DW_OP_or:
    result = a | b;
    break;
  case DW_OP_xor:
    result = a ^ b;
    break;
  case DW_OP_plus:
    result = a + b;
    break;
  case DW_OP_minus:
    result = a - b;
    break;
  case DW_OP_mul:
    result = a * b;
    break;
  case DW_OP_div:
  case DW_OP_mod:
    if (zero(b) == 0)
      return llvm::createStringError("the expression divides by zero");
    if (op == DW_OP_mod && (is_unsigned || left->size == 0))
      result = zero(a) % zero(b);
    else if (op == DW_OP_div && is_unsigned)
      result = zero(a) / zero(b);
    else if (sign(b) == -1)
      result = op == DW_OP_div ? 0 - a : 0;
    else
      result = op == DW_OP_div ? uint64_t(sign(a) / sign(b))
                               : uint64_t(sign(a) % sign(b));
    break;
  case DW_OP_shl:
    result = b >= bits ? 0 : a << b;
    break;
  case DW_OP_shr:
    result = b >= bits ? 0 : zero(a) >> b;
    break;
  case DW_OP_shra:
    result = uint64_t(sign(a) >> std::min<uint64_t>(b, 63));
    break;
  case DW_OP_eq:
    compare([](auto x, auto y) { return x == y; });
    break;
  case DW_OP_ne:
    compare([](auto x, auto y) { return x != y; });
    break;
  case DW_OP_lt:
    compare([](auto x, auto y) { return x < y; });
    break;
  case DW_OP_le:
    compare([](auto x, auto y) { return x <= y; });
    break;
  case DW_OP_gt:
    compare([](auto x, auto y) { return x > y; });
    break;
  case DW_OP_ge:
    compare([](auto x, auto y) { return x >= y; });
    break;
  }
  if (is_truth || left->size == 0)
    return PushValue(result);
  return Push(
      StackEntry::Value(Fit(result, *left), left->size, left->is_signed));
}

/// A part is as large as it says: what stands on top of the stack becomes the
/// next part of the composite below it.
llvm::Error Machine::Piece(uint64_t bytes, uint64_t bit_offset) {
  if (bit_offset % 8)
    return llvm::createStringError("pieces that begin within a byte are not "
                                   "supported");
  Places part = Places::Single(Place());
  if (!m_stack.empty() && !m_stack.back().is_open) {
    llvm::Expected<StackEntry> top = PopLocation();
    if (!top)
      return top.takeError();
    ApplyImpliedLane(*top);
    part = std::move(top->places);
  }
  if (bit_offset)
    if (llvm::Error error = part.Advance(m_facts, int64_t(bit_offset / 8)))
      return error;
  if (m_stack.empty() || !m_stack.back().is_open) {
    StackEntry composite;
    composite.is_open = true;
    if (llvm::Error error = Push(std::move(composite)))
      return error;
  }
  auto &parts = m_stack.back().places.parts;
  if (parts.size() + part.parts.size() > kMaxParts)
    return llvm::createStringError("a composite has more than %zu parts",
                                   kMaxParts);
  for (const Places::Part &source : part.parts) {
    const uint64_t size = std::min(source.size, bytes);
    parts.push_back({source.place, size});
    bytes -= size;
    if (bytes == 0)
      break;
  }
  if (bytes)
    return llvm::createStringError("a piece is larger than what it is a piece "
                                   "of");
  return llvm::Error::success();
}

llvm::Error Machine::EntryValue(llvm::ArrayRef<uint8_t> block) {
  // LLDB knows how to find the call and its parameters.
  StackFrameSP frame_sp = m_facts.GetFrame();
  if (!frame_sp || m_facts.IsGPU())
    return llvm::createStringError(
        "the value that a register had on entry is not known");
  std::vector<uint8_t> bytes;
  bytes.push_back(DW_OP_entry_value);
  if (block.size() > 127)
    return llvm::createStringError("an entry value's expression is too long");
  bytes.push_back(uint8_t(block.size()));
  bytes.insert(bytes.end(), block.begin(), block.end());
  lldb_private::DataExtractor data(bytes.data(), bytes.size(), eByteOrderLittle,
                                   m_request.address_size);
  ExecutionContext exe_ctx(frame_sp);
  llvm::Expected<lldb_private::Value> value = DWARFExpression::Evaluate(
      &exe_ctx, frame_sp->GetRegisterContext().get(), m_request.module_sp, data,
      m_request.unit, eRegisterKindDWARF, nullptr, nullptr);
  if (!value)
    return value.takeError();
  return PushValue(value->ResolveValue(&exe_ctx).ULongLong());
}

llvm::Error Machine::Call(uint64_t die_offset) {
  if (m_nesting >= kMaxNesting)
    return llvm::createStringError("calls in expressions nest deeper than %u",
                                   kMaxNesting);
  if (!m_request.unit)
    return llvm::createStringError("there is no unit to find the called "
                                   "expression in");
  DWARFDIE die =
      const_cast<DWARFUnit *>(m_request.unit)->GetDIE(die_offset);
  if (!die)
    return llvm::createStringError("the call leads to 0x%" PRIx64
                                   ", where no entry is",
                                   die_offset);
  DWARFAttributes attributes = die.GetAttributes();
  for (size_t i = 0; i < attributes.Size(); ++i) {
    if (attributes.AttributeAtIndex(i) != DW_AT_location)
      continue;
    DWARFFormValue form_value;
    if (!attributes.ExtractFormValueAtIndex(i, form_value) ||
        !DWARFFormValue::IsBlockForm(form_value.Form()))
      return llvm::createStringError(
          "the call leads to a location list, which is not supported");
    EvaluationRequest request = m_request;
    request.unit = die.GetCU();
    request.expression = llvm::ArrayRef<uint8_t>(form_value.BlockData(),
                                                 form_value.Unsigned());
    Machine machine(request, m_trace, m_nesting + 1);
    machine.m_stack = std::move(m_stack);
    machine.m_steps = m_steps;
    llvm::Error error = machine.RunOperations();
    m_stack = std::move(machine.m_stack);
    m_steps = machine.m_steps;
    return error;
  }
  return llvm::Error::success();
}

llvm::Error Machine::TLS() {
  llvm::Expected<StackEntry> offset = PopValue();
  if (!offset)
    return offset.takeError();
  ThreadSP thread_sp = m_facts.GetThread();
  if (!thread_sp || !m_request.module_sp)
    return llvm::createStringError(
        "there is no thread whose thread-local storage could be meant");
  const addr_t address =
      thread_sp->GetThreadLocalData(m_request.module_sp, offset->value);
  if (address == LLDB_INVALID_ADDRESS)
    return llvm::createStringError("no thread-local storage has been set up "
                                   "for this module");
  return Push(StackEntry::Location(Place::Memory(eSpaceGlobal, address, 0)));
}

//===----------------------------------------------------------------------===//
// Upstream clang on AMD GPUs (dwarf-locations, 13.1): `<number> swap xderef` at
// the end of an expression or before a piece does not load, it says in which
// address space the location is; a whole vector register means the lane's part.

bool Machine::AtPieceOrEnd() const {
  const uint64_t at = m_cursor.tell();
  return at >= m_data.size() ||
         uint8_t(m_data.getData()[at]) == DW_OP_piece ||
         uint8_t(m_data.getData()[at]) == DW_OP_bit_piece;
}

uint64_t Machine::MapUpstreamSpace(uint64_t space) const {
  // Until version 21 clang has numbers of its own.
  if (!m_request.unit)
    return space;
  DWARFBaseDIE unit_die =
      const_cast<DWARFUnit *>(m_request.unit)->GetUnitDIEOnly();
  llvm::StringRef producer =
      unit_die.GetAttributeValueAsString(DW_AT_producer, "");
  const size_t at = producer.find("clang version ");
  unsigned major = 0;
  if (at == llvm::StringRef::npos ||
      producer.substr(at + strlen("clang version "))
          .take_while([](char c) { return c >= '0' && c <= '9'; })
          .getAsInteger(10, major))
    return space;
  if (major <= 21) {
    if (space == 1)
      return eSpacePrivateLane;
    if (space == 2)
      return eSpaceLocal;
  }
  return space;
}

llvm::Error Machine::UpstreamXderef() {
  llvm::Expected<StackEntry> address = Pop(); // what swap brought to the top
  if (!address)
    return address.takeError();
  llvm::Expected<StackEntry> space = PopValue();
  if (!space)
    return space.takeError();
  if (!address->is_value && address->places.IsSingle()) {
    const Place &place = address->places.parts[0].place;
    if (place.kind == Place::eRegister || // a vector register's lane
        (place.kind == Place::eMemory && place.number == eSpacePrivateLane))
      return Push(std::move(*address)); // fbreg
  }
  const uint64_t number = MapUpstreamSpace(space->value);
  uint64_t bits;
  if (address->file_address && number != eSpaceGlobal &&
      number != eSpaceGeneric) {
    bits = *address->file_address; // an offset in the space: nobody moves it
  } else {
    llvm::Expected<StackEntry> value = ToValue(std::move(*address));
    if (!value)
      return value.takeError();
    bits = value->value;
  }
  llvm::Expected<Place> place = MakeMemory(number, bits);
  if (!place)
    return place.takeError();
  return Push(StackEntry::Location(std::move(*place)));
}

void Machine::ApplyImpliedLane(StackEntry &entry) const {
  if (!IsUpstreamGPU() || entry.is_value || !entry.places.IsSingle())
    return;
  Place &place = entry.places.parts[0].place;
  if (place.kind == Place::eRegister && IsVectorRegister(place.number) &&
      place.offset == 0)
    place.offset = uint64_t(m_facts.GetLane()) * 4;
}

//===----------------------------------------------------------------------===//

llvm::Error Machine::UserStep(uint64_t op, std::string &text) {
  switch (op) {
  case eUserNop:
    text = "LLVM_nop";
    return llvm::Error::success();
  case eUserFormAspaceAddress: {
    text = "LLVM_form_aspace_address";
    llvm::Expected<StackEntry> space = PopValue();
    if (!space)
      return space.takeError();
    llvm::Expected<StackEntry> address = PopValue();
    if (!address)
      return address.takeError();
    llvm::Expected<Place> place = MakeMemory(space->value, address->value);
    if (!place)
      return place.takeError();
    return Push(StackEntry::Location(std::move(*place)));
  }
  case eUserPushLane:
    text = "push_lane";
    return PushValue(m_facts.GetLane());
  case eUserOffset:
  case eUserBitOffset: {
    text = op == eUserOffset ? "offset" : "bit_offset";
    llvm::Expected<StackEntry> offset = PopValue();
    if (!offset)
      return offset.takeError();
    llvm::Expected<StackEntry> location = PopLocation();
    if (!location)
      return location.takeError();
    int64_t bytes = int64_t(offset->value);
    if (op == eUserBitOffset) {
      if (bytes % 8)
        return llvm::createStringError("locations that begin within a byte are "
                                       "not supported");
      bytes /= 8;
    }
    if (llvm::Error error = location->places.Advance(m_facts, bytes))
      return error;
    location->file_address.reset();
    return Push(std::move(*location));
  }
  case eUserOffsetUconst: {
    const uint64_t offset = GetULEB();
    text = llvm::formatv("offset_uconst {0}", offset);
    if (!m_cursor)
      return m_cursor.takeError();
    llvm::Expected<StackEntry> location = PopLocation();
    if (!location)
      return location.takeError();
    if (llvm::Error error =
            location->places.Advance(m_facts, int64_t(offset)))
      return error;
    location->file_address.reset();
    return Push(std::move(*location));
  }
  case eUserUndefined:
    text = "undefined";
    return Push(StackEntry::Location(Place()));
  case eUserAspaceBregx: {
    const uint64_t number = GetULEB();
    const int64_t offset = GetSLEB();
    text = llvm::formatv("aspace_bregx {0} {1}", number, offset);
    if (!m_cursor)
      return m_cursor.takeError();
    llvm::Expected<StackEntry> space = PopValue();
    if (!space)
      return space.takeError();
    llvm::Expected<uint64_t> size = m_facts.GetRegisterSize(number);
    if (!size)
      return size.takeError();
    llvm::Expected<uint64_t> contents =
        ReadUnsigned(Places::Single(Place::Register(number, 0)),
                     std::min<uint64_t>(*size, m_request.address_size));
    if (!contents)
      return contents.takeError();
    llvm::Expected<Place> place =
        MakeMemory(space->value, *contents + uint64_t(offset));
    if (!place)
      return place.takeError();
    return Push(StackEntry::Location(std::move(*place)));
  }
  case eUserPieceEnd:
    text = "piece_end";
    if (m_stack.empty() || !m_stack.back().is_open)
      return llvm::createStringError("piece_end follows no piece");
    m_stack.back().is_open = false;
    return llvm::Error::success();
  case eUserExtend:
  case eUserSelectBitPiece: {
    const uint64_t bits = GetULEB();
    const uint64_t count = GetULEB();
    text = llvm::formatv("{0} {1} {2}",
                         op == eUserExtend ? "extend" : "select_bit_piece",
                         bits, count);
    if (!m_cursor)
      return m_cursor.takeError();
    if (bits == 0 || count == 0 || count > kMaxParts)
      return llvm::createStringError("%s has a size or count out of range",
                                     text.c_str());
    if (bits % 8)
      return llvm::createStringError(
          "%s: elements that are no whole bytes are not supported",
          text.c_str());
    const uint64_t size = bits / 8;
    std::vector<uint8_t> mask((count + 7) / 8, 0);
    if (op == eUserSelectBitPiece) {
      llvm::Expected<StackEntry> selector = Pop();
      if (!selector)
        return selector.takeError();
      if (selector->is_value) {
        if (count > 64)
          return llvm::createStringError(
              "%s: the mask has fewer bits than there are elements",
              text.c_str());
        for (size_t i = 0; i < mask.size(); ++i)
          mask[i] = uint8_t(selector->value >> (8 * i));
      } else if (llvm::Error error = selector->places.Read(m_facts, 0, mask)) {
        return error;
      }
    }
    llvm::Expected<StackEntry> one = PopLocation();
    if (!one)
      return one.takeError();
    StackEntry zero;
    if (op == eUserSelectBitPiece) {
      llvm::Expected<StackEntry> below = PopLocation();
      if (!below)
        return below.takeError();
      zero = std::move(*below);
    }
    StackEntry composite;
    for (uint64_t i = 0; i < count; ++i) {
      const bool selected =
          op == eUserExtend || (mask[i / 8] >> (i % 8) & 1);
      Places element = selected ? one->places : zero.places;
      if (op == eUserSelectBitPiece && i)
        if (llvm::Error error =
                element.Advance(m_facts, int64_t(i * size)))
          return error;
      if (!element.IsSingle())
        return llvm::createStringError(
            "%s of a composite is not supported", text.c_str());
      composite.places.parts.push_back({element.parts[0].place, size});
    }
    return Push(std::move(composite));
  }
  case eUserOverlay: {
    text = "overlay";
    llvm::Expected<StackEntry> width = PopValue();
    if (!width)
      return width.takeError();
    llvm::Expected<StackEntry> offset = PopValue();
    if (!offset)
      return offset.takeError();
    llvm::Expected<StackEntry> over = PopLocation();
    if (!over)
      return over.takeError();
    llvm::Expected<StackEntry> base = PopLocation();
    if (!base)
      return base.takeError();
    const int64_t at = int64_t(offset->value);
    if (!base->places.IsSingle() || !over->places.IsSingle() || at < 0)
      return llvm::createStringError("an overlay of composites, or before its "
                                     "base, is not supported");
    // Reading forward from the base's place is all that an object does.
    Places tail = base->places;
    if (llvm::Error error =
            tail.Advance(m_facts, at + int64_t(width->value)))
      return error;
    StackEntry composite;
    if (at)
      composite.places.parts.push_back(
          {base->places.parts[0].place, uint64_t(at)});
    composite.places.parts.push_back(
        {over->places.parts[0].place, width->value});
    composite.places.parts.push_back(tail.parts[0]);
    return Push(std::move(composite));
  }
  default:
    return llvm::createStringError("operation 0x%" PRIx64
                                   " of DW_OP_LLVM_user is not supported",
                                   op);
  }
}

llvm::Error Machine::Step() {
  const uint8_t op = uint8_t(GetU(1));
  std::string text = OperationEncodingString(op).str();
  llvm::StringRef short_text = text;
  if (short_text.consume_front("DW_OP_"))
    text = short_text.str();
  auto note = [&](auto value) { text += llvm::formatv(" {0}", value).str(); };

  auto run = [&]() -> llvm::Error {
    if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
      return PushValue(op - DW_OP_lit0);
    if ((op >= DW_OP_reg0 && op <= DW_OP_reg31) || op == DW_OP_regx) {
      const uint64_t number = op == DW_OP_regx ? GetULEB() : op - DW_OP_reg0;
      if (op == DW_OP_regx)
        note(number);
      return Push(StackEntry::Location(Place::Register(number, 0)));
    }
    if ((op >= DW_OP_breg0 && op <= DW_OP_breg31) || op == DW_OP_bregx) {
      const uint64_t number = op == DW_OP_bregx ? GetULEB() : op - DW_OP_breg0;
      const int64_t offset = GetSLEB();
      if (op == DW_OP_bregx)
        note(number);
      note(offset);
      if (!m_cursor)
        return m_cursor.takeError();
      if (IsUpstreamGPU() && IsVectorRegister(number) && offset == 0)
        return Push(StackEntry::Location(
            Place::Register(number, uint64_t(m_facts.GetLane()) * 4)));
      llvm::Expected<uint64_t> size = m_facts.GetRegisterSize(number);
      if (!size)
        return size.takeError();
      llvm::Expected<uint64_t> contents =
          ReadUnsigned(Places::Single(Place::Register(number, 0)),
                       std::min<uint64_t>(*size, m_request.address_size));
      if (!contents)
        return contents.takeError();
      return Push(StackEntry::Location(Place::Memory(
          eSpaceGlobal, Cut(*contents + uint64_t(offset)), 0)));
    }
    switch (op) {
    case DW_OP_addr:
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index: {
      uint64_t file_address;
      if (op == DW_OP_addr) {
        file_address = GetU(m_request.address_size);
      } else {
        const uint64_t index = GetULEB();
        if (!m_request.unit)
          return llvm::createStringError("there is no unit whose addresses "
                                         "could be meant");
        file_address =
            m_request.unit->ReadAddressFromDebugAddrSection(uint32_t(index));
        if (file_address == LLDB_INVALID_ADDRESS)
          return llvm::createStringError("the unit has no address %" PRIu64,
                                         index);
      }
      note(llvm::formatv("{0:x}", file_address).str());
      if (!m_cursor)
        return m_cursor.takeError();
      // Offsets in LDS are in no section, and an xderef takes them as they are.
      llvm::Expected<uint64_t> load = ToLoadAddress(file_address);
      if (!load) {
        if (!m_facts.IsGPU())
          return load.takeError();
        llvm::consumeError(load.takeError());
      }
      StackEntry entry = StackEntry::Location(
          Place::Memory(eSpaceGlobal, load ? *load : file_address, 0));
      entry.file_address = file_address;
      return Push(std::move(entry));
    }
    case DW_OP_const1u:
    case DW_OP_const2u:
    case DW_OP_const4u:
    case DW_OP_const8u: {
      const uint64_t value = GetU(1u << ((op - DW_OP_const1u) / 2));
      note(value);
      return PushValue(value);
    }
    case DW_OP_const1s:
    case DW_OP_const2s:
    case DW_OP_const4s:
    case DW_OP_const8s: {
      const int64_t value = GetS(1u << ((op - DW_OP_const1s) / 2));
      note(value);
      return PushValue(uint64_t(value));
    }
    case DW_OP_constu: {
      const uint64_t value = GetULEB();
      note(value);
      return PushValue(value);
    }
    case DW_OP_consts: {
      const int64_t value = GetSLEB();
      note(value);
      return PushValue(uint64_t(value));
    }
    case DW_OP_constx:
    case DW_OP_GNU_const_index: {
      const uint64_t index = GetULEB();
      note(index);
      if (!m_request.unit)
        return llvm::createStringError("there is no unit whose constants could "
                                       "be meant");
      return PushValue(
          m_request.unit->ReadAddressFromDebugAddrSection(uint32_t(index)));
    }
    case DW_OP_dup:
    case DW_OP_over:
    case DW_OP_pick: {
      uint64_t index = op == DW_OP_over ? 1 : 0;
      if (op == DW_OP_pick) {
        index = GetU(1);
        note(index);
      }
      if (index >= m_stack.size())
        return llvm::createStringError("the expression's stack has too few "
                                       "entries");
      StackEntry copy = m_stack[m_stack.size() - 1 - index];
      return Push(std::move(copy));
    }
    case DW_OP_drop:
      return Pop().takeError();
    case DW_OP_swap:
      if (m_stack.size() < 2)
        return llvm::createStringError("the expression's stack has too few "
                                       "entries");
      std::swap(m_stack[m_stack.size() - 1], m_stack[m_stack.size() - 2]);
      return llvm::Error::success();
    case DW_OP_rot:
      if (m_stack.size() < 3)
        return llvm::createStringError("the expression's stack has too few "
                                       "entries");
      std::rotate(m_stack.end() - 3, m_stack.end() - 1, m_stack.end());
      return llvm::Error::success();
    case DW_OP_deref:
    case DW_OP_deref_size:
    case DW_OP_deref_type: {
      uint64_t size = m_request.address_size;
      StackEntry type;
      if (op != DW_OP_deref) {
        size = GetU(1);
        note(size);
      }
      if (op == DW_OP_deref_type) {
        llvm::Expected<StackEntry> found = TypeOf(GetULEB());
        if (!found)
          return found.takeError();
        type = std::move(*found);
        if (type.size && type.size != size)
          return llvm::createStringError("deref_type has a size that is not "
                                         "its type's");
      }
      llvm::Expected<StackEntry> location = PopLocation();
      if (!location)
        return location.takeError();
      llvm::Expected<uint64_t> value = ReadUnsigned(location->places, size);
      if (!value)
        return value.takeError();
      return Push(
          StackEntry::Value(Fit(*value, type), type.size, type.is_signed));
    }
    case DW_OP_xderef:
    case DW_OP_xderef_size: {
      uint64_t size = m_request.address_size;
      if (op == DW_OP_xderef_size) {
        size = GetU(1);
        note(size);
      } else if (IsUpstreamGPU() && AtPieceOrEnd()) {
        text += " (the place in an address space)";
        return UpstreamXderef();
      }
      llvm::Expected<StackEntry> address = PopValue();
      if (!address)
        return address.takeError();
      llvm::Expected<StackEntry> space = PopValue();
      if (!space)
        return space.takeError();
      llvm::Expected<Place> place = MakeMemory(space->value, address->value);
      if (!place)
        return place.takeError();
      llvm::Expected<uint64_t> value =
          ReadUnsigned(Places::Single(std::move(*place)), size);
      if (!value)
        return value.takeError();
      return PushValue(*value);
    }
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not: {
      llvm::Expected<StackEntry> top = PopValue();
      if (!top)
        return top.takeError();
      uint64_t value = top->value;
      const unsigned bits =
          8 * (top->size ? top->size : m_request.address_size);
      if (op == DW_OP_not)
        value = ~value;
      else if (op == DW_OP_neg || (value >> (bits - 1) & 1))
        value = 0 - value;
      if (top->size == 0)
        return PushValue(value);
      return Push(
          StackEntry::Value(Fit(value, *top), top->size, top->is_signed));
    }
    case DW_OP_plus_uconst: {
      const uint64_t value = GetULEB();
      note(value);
      llvm::Expected<StackEntry> top = PopValue();
      if (!top)
        return top.takeError();
      if (top->size == 0)
        return PushValue(top->value + value);
      return Push(StackEntry::Value(Fit(top->value + value, *top), top->size,
                                    top->is_signed));
    }
    case DW_OP_and:
    case DW_OP_div:
    case DW_OP_minus:
    case DW_OP_mod:
    case DW_OP_mul:
    case DW_OP_or:
    case DW_OP_plus:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_xor:
    case DW_OP_eq:
    case DW_OP_ge:
    case DW_OP_gt:
    case DW_OP_le:
    case DW_OP_lt:
    case DW_OP_ne:
      return Binary(op);
    case DW_OP_skip:
    case DW_OP_bra: {
      const int64_t distance = GetS(2);
      note(distance);
      if (!m_cursor)
        return m_cursor.takeError();
      if (op == DW_OP_bra) {
        llvm::Expected<StackEntry> top = PopValue();
        if (!top)
          return top.takeError();
        if (top->value == 0)
          return llvm::Error::success();
      }
      const int64_t target = int64_t(m_cursor.tell()) + distance;
      if (target < 0 || uint64_t(target) > m_data.size())
        return llvm::createStringError("the expression branches out of itself");
      m_cursor.seek(uint64_t(target));
      return llvm::Error::success();
    }
    case DW_OP_fbreg: {
      const int64_t offset = GetSLEB();
      note(offset);
      if (!m_cursor)
        return m_cursor.takeError();
      llvm::Expected<StackEntry> entry = FrameBase(offset);
      if (!entry)
        return entry.takeError();
      return Push(std::move(*entry));
    }
    case DW_OP_piece: {
      const uint64_t size = GetULEB();
      note(size);
      if (!m_cursor)
        return m_cursor.takeError();
      return Piece(size, 0);
    }
    case DW_OP_bit_piece: {
      const uint64_t bits = GetULEB();
      const uint64_t offset = GetULEB();
      note(bits);
      note(offset);
      if (!m_cursor)
        return m_cursor.takeError();
      if (bits % 8)
        return llvm::createStringError(
            "pieces that are no whole bytes are not supported");
      return Piece(bits / 8, offset);
    }
    case DW_OP_nop:
      return llvm::Error::success();
    case DW_OP_push_object_address:
      if (!m_request.object_address)
        return llvm::createStringError("there is no object whose address could "
                                       "be meant");
      return PushValue(m_request.object_address->GetScalar().ULongLong());
    case DW_OP_form_tls_address:
    case DW_OP_GNU_push_tls_address:
      return TLS();
    case DW_OP_call_frame_cfa: {
      llvm::Expected<uint64_t> cfa = m_facts.GetCFA();
      if (!cfa)
        return cfa.takeError();
      return Push(StackEntry::Location(Place::Memory(
          m_facts.IsGPU() ? eSpacePrivateWave : eSpaceGlobal, *cfa, 0)));
    }
    case DW_OP_implicit_value: {
      const uint64_t size = GetULEB();
      note(size);
      llvm::StringRef bytes = m_data.getBytes(m_cursor, size);
      if (!m_cursor)
        return m_cursor.takeError();
      return Push(StackEntry::Location(Place::Bytes(
          llvm::ArrayRef<uint8_t>(bytes.bytes_begin(), bytes.bytes_end()))));
    }
    case DW_OP_stack_value: {
      llvm::Expected<StackEntry> value = PopValue();
      if (!value)
        return value.takeError();
      uint8_t bytes[8];
      for (unsigned i = 0; i < 8; ++i)
        bytes[i] = uint8_t(value->value >> (8 * i));
      const unsigned size =
          value->size ? value->size : m_request.address_size;
      return Push(StackEntry::Location(
          Place::Bytes(llvm::ArrayRef<uint8_t>(bytes, size))));
    }
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: {
      const uint64_t size = GetULEB();
      llvm::StringRef block = m_data.getBytes(m_cursor, size);
      if (!m_cursor)
        return m_cursor.takeError();
      return EntryValue(
          llvm::ArrayRef<uint8_t>(block.bytes_begin(), block.bytes_end()));
    }
    case DW_OP_call2:
    case DW_OP_call4:
    case DW_OP_call_ref: {
      uint64_t offset = GetU(op == DW_OP_call2 ? 2 : 4);
      note(offset);
      if (!m_cursor)
        return m_cursor.takeError();
      if (op != DW_OP_call_ref && m_request.unit)
        offset += m_request.unit->GetOffset();
      return Call(offset);
    }
    case DW_OP_const_type: {
      llvm::Expected<StackEntry> type = TypeOf(GetULEB());
      const uint64_t size = GetU(1);
      llvm::StringRef bytes = m_data.getBytes(m_cursor, size);
      if (!m_cursor) {
        llvm::consumeError(type.takeError());
        return m_cursor.takeError();
      }
      if (!type)
        return type.takeError();
      if (size != type->size)
        return llvm::createStringError("const_type has a size that is not its "
                                       "type's");
      uint64_t value = 0;
      for (unsigned i = 0; i < size; ++i)
        value |= uint64_t(uint8_t(bytes[i])) << (8 * i);
      return Push(
          StackEntry::Value(Fit(value, *type), type->size, type->is_signed));
    }
    case DW_OP_regval_type: {
      const uint64_t number = GetULEB();
      note(number);
      llvm::Expected<StackEntry> type = TypeOf(GetULEB());
      if (!type)
        return type.takeError();
      llvm::Expected<uint64_t> value =
          ReadUnsigned(Places::Single(Place::Register(number, 0)),
                       type->size ? type->size : m_request.address_size);
      if (!value)
        return value.takeError();
      return Push(
          StackEntry::Value(Fit(*value, *type), type->size, type->is_signed));
    }
    case DW_OP_convert:
    case DW_OP_reinterpret: {
      llvm::Expected<StackEntry> type = TypeOf(GetULEB());
      if (!type)
        return type.takeError();
      llvm::Expected<StackEntry> top = Pop();
      if (!top)
        return top.takeError();
      // Clang converts what it names as a register.
      if (!top->is_value && top->places.IsSingle() &&
          top->places.parts[0].place.kind == Place::eRegister) {
        ApplyImpliedLane(*top);
        llvm::Expected<uint64_t> size =
            m_facts.GetRegisterSize(top->places.parts[0].place.number);
        if (!size)
          return size.takeError();
        llvm::Expected<uint64_t> value = ReadUnsigned(
            top->places,
            std::min<uint64_t>(
                *size - std::min(*size, top->places.parts[0].place.offset),
                IsVectorRegister(top->places.parts[0].place.number)
                    ? 4
                    : m_request.address_size));
        if (!value)
          return value.takeError();
        *top = StackEntry::Value(*value);
      }
      llvm::Expected<StackEntry> value = ToValue(std::move(*top));
      if (!value)
        return value.takeError();
      if (type->size == 0)
        return PushValue(value->value);
      return Push(StackEntry::Value(Fit(value->value, *type), type->size,
                                    type->is_signed));
    }
    case 0xe9:
      return UserStep(GetULEB(), text);
    // The older direct codes.
    case 0xe1:
      return UserStep(eUserFormAspaceAddress, text);
    case 0xe2:
      return UserStep(eUserPushLane, text);
    case 0xe3:
      return UserStep(eUserOffset, text);
    case 0xe4:
      return UserStep(eUserOffsetUconst, text);
    case 0xe5:
      return UserStep(eUserBitOffset, text);
    case 0xe7:
      return UserStep(eUserUndefined, text);
    case 0xe8:
      return UserStep(eUserAspaceBregx, text);
    case 0xea:
      return UserStep(eUserPieceEnd, text);
    case 0xeb:
      return UserStep(eUserExtend, text);
    case 0xec:
      return UserStep(eUserSelectBitPiece, text);
    default:
      return llvm::createStringError(
          "operation 0x%02x%s%s is not supported", op, text.empty() ? "" : ", ",
          text.c_str());
    }
  };
  llvm::Error error = run();
  // An operand that isn't there counts first.
  if (!m_cursor) {
    llvm::consumeError(std::move(error));
    return m_cursor.takeError();
  }
  if (error)
    return error;
  if (m_trace)
    m_trace(text, m_stack);
  return llvm::Error::success();
}

llvm::Error Machine::RunOperations() {
  // An expression that uses the AMD extension means what it says.
  m_has_amd_operation = HasAMDOperation(lldb_private::DataExtractor(
      m_request.expression.data(), m_request.expression.size(),
      eByteOrderLittle, m_request.address_size));
  while (m_cursor.tell() < m_data.size()) {
    if (++m_steps > kMaxSteps)
      return llvm::createStringError("the expression runs for more than %u "
                                     "steps",
                                     kMaxSteps);
    if (llvm::Error error = Step())
      return error;
  }
  return m_cursor.takeError();
}

llvm::Expected<Places> Machine::Run() {
  if (m_request.initial_value)
    if (llvm::Error error =
            PushValue(m_request.initial_value->GetScalar().ULongLong()))
      return std::move(error);
  if (llvm::Error error = RunOperations())
    return std::move(error);
  if (m_stack.empty())
    return Places::Single(Place());
  llvm::Expected<StackEntry> top = PopLocation();
  if (!top)
    return top.takeError();
  ApplyImpliedLane(*top);
  return std::move(top->places);
}

} // namespace

llvm::Expected<Places>
wavelane::EvaluateToPlaces(const EvaluationRequest &request,
                           MachineTrace trace) {
  return Machine(request, trace, 0).Run();
}
