//===-- MissingLocations.cpp ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MissingLocations.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/Wave.h"
#include "Core/Support/Processor.h"
#include "DynamicArrays.h"
#include "FrameContext.h"
#include "FunctionEntry.h"
#include "KeptRegisters.h"
#include "LaneAttributes.h"
#include "LaneSymbols.h"
#include "LocationParts.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LEB128.h"
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// The first and last operations of our expressions. These leave nothing on the
/// stack, so other consumers don't take them for locations.
static constexpr uint8_t kBegin[] = {llvm::dwarf::DW_OP_nop,
                                     llvm::dwarf::DW_OP_nop};
static constexpr uint8_t kEnd[] = {
    llvm::dwarf::DW_OP_drop, llvm::dwarf::DW_OP_drop, llvm::dwarf::DW_OP_drop,
    llvm::dwarf::DW_OP_drop};
/// The alignment of instructions of these GPUs.
static constexpr addr_t kInstructionAlignment = 4;
/// In bytes; the rest of a larger function isn't followed.
static constexpr addr_t kMaxFunction = 1 << 20;

static void AppendULEB128(std::vector<uint8_t> &bytes, uint64_t value) {
  uint8_t buffer[10];
  bytes.insert(bytes.end(), buffer,
               buffer + llvm::encodeULEB128(value, buffer));
}

static lldb_private::DataExtractor
MakeExtractor(llvm::ArrayRef<uint8_t> bytes) {
  return lldb_private::DataExtractor(
      std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
      eByteOrderLittle, /*addr_size=*/8);
}

std::vector<uint8_t> MissingLocation::Encode() const {
  std::vector<uint8_t> bytes(std::begin(kBegin), std::end(kBegin));
  bytes.push_back(uint8_t(llvm::dwarf::DW_OP_lit0 + uint8_t(kind) +
                          (kind == Kind::eArgument ? uint8_t(source) : 0)));
  for (uint64_t value : {number, size, variable}) {
    bytes.push_back(llvm::dwarf::DW_OP_constu);
    AppendULEB128(bytes, value);
  }
  bytes.insert(bytes.end(), std::begin(kEnd), std::end(kEnd));
  bytes.insert(bytes.end(), kept.begin(), kept.end());
  return bytes;
}

std::optional<MissingLocation>
MissingLocation::Decode(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() <= std::size(kBegin) ||
      bytes.take_front(std::size(kBegin)) != llvm::ArrayRef(kBegin))
    return std::nullopt;
  bytes = bytes.drop_front(std::size(kBegin));
  if (bytes[0] < llvm::dwarf::DW_OP_lit0 ||
      bytes[0] > llvm::dwarf::DW_OP_lit0 + uint8_t(Kind::eArgument) +
                     uint8_t(Source::eChecked))
    return std::nullopt;
  MissingLocation missing;
  const uint8_t code = uint8_t(bytes[0] - llvm::dwarf::DW_OP_lit0);
  missing.kind = Kind(std::min(code, uint8_t(Kind::eArgument)));
  missing.source = Source(code - uint8_t(missing.kind));
  bytes = bytes.drop_front();
  for (uint64_t *value : {&missing.number, &missing.size, &missing.variable}) {
    unsigned length = 0;
    const char *error = nullptr;
    if (bytes.empty() || bytes[0] != llvm::dwarf::DW_OP_constu)
      return std::nullopt;
    bytes = bytes.drop_front();
    *value = llvm::decodeULEB128(bytes.data(), &length, bytes.end(), &error);
    if (error)
      return std::nullopt;
    bytes = bytes.drop_front(length);
  }
  if (bytes.size() < std::size(kEnd) ||
      bytes.take_front(std::size(kEnd)) != llvm::ArrayRef(kEnd))
    return std::nullopt;
  bytes = bytes.drop_front(std::size(kEnd));
  missing.kept.assign(bytes.begin(), bytes.end());
  if (missing.kept.empty() ==
      (missing.source == Source::eKept || missing.source == Source::eChecked))
    return std::nullopt;
  return missing;
}

/// The line of a file address in the function of \a frame; without a frame, in
/// its function's own file, into which that of a header may be inlined; 0 if it
/// has none.
static uint32_t GetLine(Module &module, addr_t file_address,
                        StackFrame *frame) {
  Address address;
  if (!module.ResolveFileAddress(file_address, address))
    return 0;
  SymbolContext at;
  address.CalculateSymbolContext(&at, eSymbolContextFunction |
                                          eSymbolContextBlock |
                                          eSymbolContextLineEntry);
  SymbolContext caller;
  Address call;
  if (Block *function = frame ? frame->GetFrameBlock() : nullptr) {
    SymbolContext within = at;
    Address place = address;
    auto get_inlined = [](Block *block) {
      return block ? block->GetContainingInlinedBlock() : nullptr;
    };
    Block *const inlined = get_inlined(function);
    bool climbs = true;
    while (get_inlined(within.block) != inlined && climbs) {
      climbs = within.GetParentOfInlinedScope(place, caller, call);
      if (climbs) {
        within = caller;
        place = call;
      }
    }
    if (climbs && within.line_entry.IsValid())
      return within.line_entry.line;
  }
  SupportFileNSP own_file = std::make_shared<SupportFile>();
  uint32_t line = 0;
  if (at.function)
    at.function->GetStartLineSourceInfo(own_file, line);
  while (at.line_entry.IsValid() &&
         at.line_entry.GetFile() != own_file->GetSpecOnly() &&
         at.GetParentOfInlinedScope(address, caller, call)) {
    at = caller;
    address = call;
  }
  return at.line_entry.line;
}

std::string MissingLocation::Describe(Module &module, StackFrame *frame) const {
  if (kind == Kind::eFirstValue)
    return number ? llvm::formatv("optimized out here; the debug information "
                                  "only has its value of line {0}",
                                  number)
                        .str()
                  : "optimized out here; the debug information only has its "
                    "initial value";
  if (kind == Kind::eOther)
    return "optimized out here; what the debug information names has another "
           "value";
  if (kind == Kind::eUnordered)
    return "optimized out here; the debug information has its values in "
           "another order than the program";
  if (kind == Kind::eAmbiguous)
    return "ambiguous: the debug information allows a register, and memory at "
           "the address in it";
  if (!number)
    return kOptimizedOut;
  const uint32_t line = GetLine(module, number, frame);
  if (line == 0)
    return "optimized out here";
  const bool is_first = kind == Kind::eFirstSeen || size;
  return llvm::formatv("optimized out here; {0} seen at line {1}",
                       is_first ? "first" : "last", line);
}

std::string MissingLocation::GetSource(Module &module,
                                       StackFrame *frame) const {
  if (source == Source::eKernel)
    return "the kernel's argument";
  if (std::optional<SourceValues::ProvenValue> proven = FindProven(frame))
    return proven->line ? "assigned at line " + std::to_string(proven->line)
                        : "from its declaration";
  if (source == Source::eDeclaration || source == Source::eChecked)
    return "from its declaration";
  if (source == Source::eCall) {
    ThreadSP thread_sp = frame ? frame->GetThread() : nullptr;
    StackFrameSP caller_sp =
        thread_sp ? thread_sp->GetStackFrameAtIndex(frame->GetFrameIndex() + 1)
                  : nullptr;
    if (!caller_sp)
      return "from the call";
    return "passed at line " +
           std::to_string(caller_sp->GetSymbolContext(eSymbolContextLineEntry)
                              .line_entry.line);
  }
  const uint32_t line = number ? GetLine(module, number, frame) : 0;
  return line ? "value at line " + std::to_string(line) : "an earlier value";
}

static lldb_private::DataExtractor
MakeImplicitValue(llvm::ArrayRef<uint8_t> bytes) {
  std::vector<uint8_t> expression{llvm::dwarf::DW_OP_implicit_value};
  AppendULEB128(expression, bytes.size());
  expression.insert(expression.end(), bytes.begin(), bytes.end());
  return MakeExtractor(expression);
}

llvm::Expected<lldb_private::DataExtractor>
MissingLocation::ReadSegment(const FrameFacts &facts) const {
  constexpr uint64_t max_size = 4096; // of all of a kernel's arguments
  ThreadSP thread_sp = facts.GetThread();
  ProcessSP process_sp = facts.GetProcess();
  auto *wave = dynamic_cast<Wave *>(thread_sp.get());
  std::optional<addr_t> segment;
  if (wave && process_sp)
    segment = wave->GetKernelArguments();
  if (!segment || size > max_size)
    return llvm::createStringError("optimized out here; the address of the "
                                   "kernel's arguments isn't known");
  std::vector<uint8_t> bytes(size);
  Status error;
  if (process_sp->ReadMemory(*segment + number, bytes.data(), size, error) !=
      size)
    return llvm::createStringError(
        "optimized out here; the kernel's arguments at %#" PRIx64
        " can't be read: %s",
        *segment, error.AsCString());
  return MakeImplicitValue(bytes);
}

llvm::Expected<MissingLocation::Bytes>
MissingLocation::ReadLocation(const FrameFacts &facts) const {
  StackFrameSP frame_sp = facts.GetFrame();
  DWARFDIE function = frame_sp ? GetFunctionDIE(*frame_sp) : DWARFDIE();
  if (!function)
    return llvm::createStringError("optimized out here");
  FrameContext context(facts, function.GetModule(), function.GetCU(),
                       /*address_size=*/8);
  llvm::Expected<location::Entry> entry = location::evaluate(
      kept, context, location::ResultKind::Location, context.GetOptions(kept));
  if (!entry)
    return entry.takeError();
  std::vector<uint8_t> bytes(size);
  if (llvm::Error error =
          entry->Location.read(context, location::BitCount(8) * size, bytes))
    return std::move(error);
  return bytes;
}

llvm::Expected<lldb_private::DataExtractor>
MissingLocation::ReadKept(const FrameFacts &facts) const {
  StackFrameSP frame_sp = facts.GetFrame();
  if (std::optional<SourceValues::ProvenValue> proven =
          FindProven(frame_sp.get()))
    return MakeImplicitValue(proven->bytes);
  llvm::Expected<Bytes> bytes = ReadLocation(facts);
  if (!bytes)
    return bytes.takeError();
  return MakeImplicitValue(*bytes);
}

namespace {
struct FoundVariable {
  VariableSP variable_sp;
  Block *block = nullptr;
};
} // namespace

/// The variable with the identifier \a id in \a block, or in one inside.
/// Inlined calls of one function may share variables.
static FoundVariable FindVariable(Block &block, user_id_t id, bool in_inlined) {
  if (VariableListSP list_sp = block.GetBlockVariableList(false))
    for (const VariableSP &variable_sp : *list_sp)
      if (variable_sp->GetID() == id)
        return {variable_sp, &block};
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    if (in_inlined || !child->GetInlinedFunctionInfo())
      if (FoundVariable found = FindVariable(*child, id, in_inlined);
          found.block)
        return found;
  return {};
}

namespace {
/// A variable of ours, and where it is shown.
struct OwnVariable : FoundVariable {
  StackFrame *frame = nullptr;
  ModuleSP module_sp;
  SourceValues *values = nullptr;
};
} // namespace

/// \return Without a block if there is none.
static OwnVariable FindOwn(StackFrame *frame, user_id_t id, bool in_inlined) {
  Function *function =
      frame ? frame->GetSymbolContext(eSymbolContextFunction).function
            : nullptr;
  Block *block = function ? frame->GetFrameBlock() : nullptr;
  OwnVariable own;
  own.frame = frame;
  own.module_sp = function ? function->GetAddress().GetModule() : nullptr;
  SymbolFile *file = own.module_sp ? own.module_sp->GetSymbolFile() : nullptr;
  auto *symbols = dynamic_cast<LaneSymbols *>(
      file ? file->GetBackingSymbolFile() : nullptr);
  if (!symbols || !block)
    return own;
  own.values = &symbols->GetSourceValues();
  static_cast<FoundVariable &>(own) =
      FindVariable(*block, id, /*in_inlined=*/false);
  // A variable of another frame of the same code.
  if (!own.block && in_inlined)
    static_cast<FoundVariable &>(own) =
        FindVariable(function->GetBlock(false), id, /*in_inlined=*/true);
  return own;
}

std::optional<SourceValues::ProvenValue>
MissingLocation::FindProven(StackFrame *frame) const {
  const OwnVariable own =
      FindOwn(frame, variable, source == Source::eDeclaration);
  return own.block
             ? own.values->FindValue(*own.variable_sp, *own.block, *own.frame)
             : std::nullopt;
}

std::optional<SourceValues::ProvenValue>
MissingLocation::FindOtherValue(const FrameFacts &facts) const {
  StackFrameSP frame_sp = facts.GetFrame();
  std::optional<SourceValues::ProvenValue> proven = FindProven(frame_sp.get());
  if (!proven)
    return std::nullopt;
  llvm::Expected<Bytes> bytes = ReadLocation(facts);
  if (bytes && *bytes == proven->bytes)
    return std::nullopt;
  llvm::consumeError(bytes.takeError());
  return proven;
}

llvm::Expected<lldb_private::DataExtractor>
MissingLocation::Compute(const FrameFacts &facts) const {
  StackFrameSP frame_sp = facts.GetFrame();
  const OwnVariable own =
      FindOwn(frame_sp.get(), variable, source == Source::eDeclaration);
  if (!own.block)
    return llvm::createStringError("optimized out here");
  if (source == Source::eCall)
    if (std::optional<Bytes> bytes =
            own.values->ComputeArgument(*own.variable_sp, *frame_sp))
      return MakeImplicitValue(*bytes);
  if (std::optional<SourceValues::ProvenValue> proven =
          own.values->FindValue(*own.variable_sp, *own.block, *frame_sp))
    return MakeImplicitValue(proven->bytes);
  if (!number && source == Source::eDeclaration)
    if (const unsigned line =
            own.values->GetComingLine(*own.variable_sp, *frame_sp))
      return llvm::createStringError(
          "optimized out here; it gets its value at line %u", line);
  return llvm::createStringError(Describe(*own.module_sp, frame_sp.get()));
}

llvm::Expected<lldb_private::DataExtractor>
MissingLocation::ReadArgument(const FrameFacts &facts) const {
  switch (source) {
  case Source::eDeclaration:
  case Source::eCall:
    return Compute(facts);
  case Source::eKept:
    return ReadKept(facts);
  case Source::eChecked:
    if (std::optional<SourceValues::ProvenValue> proven = FindOtherValue(facts))
      return MakeImplicitValue(proven->bytes);
    return MakeExtractor(kept);
  case Source::eKernel:
    break;
  }
  return ReadSegment(facts);
}

//===----------------------------------------------------------------------===//
// First values
//
// If an array or a structure is set to zero as a whole and then kept in
// registers, LLVM describes it by a single constant everywhere, whatever is
// assigned to its parts later.
//===----------------------------------------------------------------------===//

/// Whether parts of a variable can be assigned to separately.
static bool HasParts(const Variable &variable) {
  Type *type = const_cast<Variable &>(variable).GetType();
  const CompilerType compiler_type =
      type ? type->GetForwardCompilerType() : CompilerType();
  if (!compiler_type || !compiler_type.IsAggregateType())
    return false;
  return compiler_type.IsArrayType() || compiler_type.GetNumFields() > 1 ||
         llvm::expectedToOptional(type->GetByteSize(nullptr)).value_or(0) > 8;
}

/// Whether an expression is a constant. What DW_AT_const_value has is right.
static bool IsConstant(llvm::ArrayRef<uint8_t> bytes) {
  return !bytes.empty() && bytes.front() != llvm::dwarf::DW_OP_implicit_value &&
         GetLocationConstant(bytes);
}

//===----------------------------------------------------------------------===//
// Filling gaps
//===----------------------------------------------------------------------===//

namespace {

/// What is known of a function whose gaps are filled.
struct GapContext {
  SymbolFileDWARF &symbols;
  Function &function;
  /// Null if its code can't be read.
  std::unique_ptr<KeptRegisters> code;
  /// Receives the variables whose values may be from elsewhere.
  std::set<user_id_t> &filled;
};

/// The location list of one variable with its gaps filled.
class GapFiller {
public:
  GapFiller(const GapContext &in, Variable &variable,
            const KernelArgument *argument, bool has_call)
      : m_in(in), m_variable(variable),
        m_list(variable.LocationExpressionList()),
        m_unit(in.symbols.GetDIE(variable.GetID()).GetCU()),
        m_module_sp(in.symbols.GetObjectFile()->GetModule()),
        m_argument(argument), m_has_call(has_call) {}

  /// The location of a kernel's parameter that is in memory: before the code
  /// has stored the argument there, it is the argument.
  DWARFExpressionList FillBeforeStores(const DWARFExpression &stored) {
    DWARFExpressionList filled(m_module_sp, m_unit,
                               m_in.function.GetAddress().GetFileAddress());
    const AddressRange range = m_in.function.GetAddressRanges().front();
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    const addr_t behind = begin + m_in.function.GetPrologueByteSize();
    FillGap(begin, behind, Get(std::nullopt, behind, behind), filled);
    filled.AddExpression(behind, begin + range.GetByteSize(), stored);
    filled.Sort();
    return filled;
  }

  DWARFExpressionList Fill() {
    const bool has_list = !m_list.GetAlwaysValidExpr();
    if (!m_argument && m_in.code && has_list)
      FindKept();
    DWARFExpressionList filled(m_module_sp, m_unit,
                               m_in.function.GetAddress().GetFileAddress());
    for (const AddressRange &range : m_in.function.GetAddressRanges()) {
      const addr_t begin = range.GetBaseAddress().GetFileAddress();
      const addr_t end = begin + range.GetByteSize();
      if (has_list)
        FillRange(begin, end, filled);
      else
        FillGap(begin, end, Get(std::nullopt, end, end), filled);
    }
    filled.Sort();
    return filled;
  }

private:
  using Entry = DWARFExpressionList::DWARFExpressionEntry;
  struct KeptRange {
    addr_t begin, end;
    MissingLocation location;
  };

  static addr_t GetEnd(const Entry &entry) {
    return entry.file_range->GetBaseAddress().GetOffset() +
           entry.file_range->GetByteSize();
  }

  /// \return nullopt if the variable has no location, or an empty one.
  std::optional<Entry> Find(addr_t address) const {
    std::optional<Entry> entry =
        m_list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, address);
    lldb_private::DataExtractor data;
    if (!entry || !entry->file_range || !entry->expr->GetExpressionData(data) ||
        data.GetByteSize() == 0 || (IsConstant(data.GetData()) && HasParts()))
      return std::nullopt;
    return entry;
  }

  static llvm::ArrayRef<uint8_t> GetBytes(const Entry &entry) {
    lldb_private::DataExtractor data;
    entry.expr->GetExpressionData(data);
    return data.GetData();
  }

  /// Finds the gaps in which registers still have the value.
  void FindKept() {
    Type *type = m_variable.GetType();
    std::optional<uint64_t> size =
        type ? llvm::expectedToOptional(type->GetByteSize(nullptr))
             : std::nullopt;
    if (!size || *size == 0 || *size > 64)
      return;
    const AddressRange range = m_in.function.GetAddressRanges().front();
    const addr_t begin = range.GetBaseAddress().GetFileAddress(),
                 end = begin + range.GetByteSize();
    std::set<std::vector<uint8_t>> done;
    for (addr_t at = begin; at < end; at += kInstructionAlignment) {
      std::optional<Entry> entry = Find(at);
      if (!entry)
        continue;
      const std::vector<uint8_t> bytes = GetBytes(*entry).vec();
      const std::vector<KeptRegisters::Register> registers =
          GetLocationRegisters(bytes);
      if (registers.size() * 4 < *size || !done.insert(bytes).second)
        continue;
      addr_t last = GetEnd(*entry) - 1;
      for (const auto &[from, to] : m_in.code->Find(registers, [&](addr_t pc) {
             std::optional<Entry> other = Find(pc);
             return !other ? KeptRegisters::Place::eGap
                    : GetBytes(*other) == llvm::ArrayRef(bytes)
                        ? KeptRegisters::Place::eHere
                        : KeptRegisters::Place::eElsewhere;
           })) {
        // The nearest location before the gap.
        for (addr_t before = from; before > begin;) {
          before -= kInstructionAlignment;
          std::optional<Entry> other = Find(before);
          if (!other)
            continue;
          if (GetBytes(*other) == llvm::ArrayRef(bytes))
            last = GetEnd(*other) - 1;
          break;
        }
        MissingLocation location{MissingLocation::Kind::eArgument,
                                 MissingLocation::Source::eKept, last, *size,
                                 m_variable.GetID()};
        location.kept = bytes;
        m_kept.push_back({from, to, std::move(location)});
      }
    }
    llvm::sort(m_kept, [](const KeptRange &a, const KeptRange &b) {
      return a.begin < b.begin;
    });
  }

  void FillRange(addr_t begin, addr_t end, DWARFExpressionList &filled) {
    std::optional<addr_t> last_seen;
    for (addr_t at = begin; at < end;) {
      if (std::optional<Entry> entry = Find(at)) {
        const addr_t behind = std::min(end, GetEnd(*entry));
        filled.AddExpression(at, behind, *entry->expr);
        last_seen = behind - 1;
        at = behind;
        continue;
      }
      const addr_t gap = at;
      while (at < end && !Find(at))
        at += kInstructionAlignment;
      at = std::min(at, end);
      FillGap(gap, at, Get(last_seen, at, end), filled);
    }
  }

  void FillGap(addr_t begin, addr_t end, const MissingLocation &missing,
               DWARFExpressionList &filled) const {
    auto add = [&](addr_t from, addr_t to, const MissingLocation &location) {
      if (from < to)
        filled.AddExpression(from, to,
                             DWARFExpression(MakeExtractor(location.Encode())));
    };
    addr_t at = begin;
    for (const KeptRange &kept : m_kept) {
      if (kept.begin < at || kept.end > end)
        continue;
      add(at, kept.begin, missing);
      add(kept.begin, kept.end, kept.location);
      at = kept.end;
    }
    add(at, end, missing);
  }

  MissingLocation Get(std::optional<addr_t> last_seen, addr_t next,
                      addr_t end) const {
    if (m_argument)
      return {MissingLocation::Kind::eArgument,
              MissingLocation::Source::eKernel, m_argument->offset,
              m_argument->size, m_variable.GetID()};
    MissingLocation missing;
    missing.number = last_seen.value_or(next < end ? next : 0);
    missing.kind = last_seen ? MissingLocation::Kind::eLastSeen
                             : MissingLocation::Kind::eFirstSeen;
    if (!m_has_call && !missing.number && HasOnlyFirstValue()) {
      missing.kind = MissingLocation::Kind::eFirstValue;
      return missing;
    }
    missing.size = missing.kind == MissingLocation::Kind::eFirstSeen;
    missing.kind = MissingLocation::Kind::eArgument;
    missing.source = m_has_call ? MissingLocation::Source::eCall
                                : MissingLocation::Source::eDeclaration;
    missing.variable = m_variable.GetID();
    return missing;
  }

  bool HasParts() const {
    if (!m_has_parts)
      m_has_parts = ::HasParts(m_variable);
    return *m_has_parts;
  }

  bool HasOnlyFirstValue() const {
    if (m_list.GetSize() == 0)
      return false;
    if (m_variable.GetLocationIsConstantValueData())
      return true;
    const AddressRange range = m_in.function.GetAddressRanges().front();
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    lldb_private::DataExtractor data;
    for (addr_t at = begin; at < begin + range.GetByteSize();
         at += kInstructionAlignment)
      if (std::optional<Entry> entry =
              m_list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, at);
          entry && entry->expr->GetExpressionData(data) && data.GetByteSize())
        return true;
    return false;
  }

  const GapContext &m_in;
  Variable &m_variable;
  const DWARFExpressionList &m_list;
  const DWARFUnit *m_unit;
  ModuleSP m_module_sp;
  const KernelArgument *m_argument;
  const bool m_has_call;
  mutable std::optional<bool> m_has_parts;
  std::vector<KeptRange> m_kept;
};

} // namespace

/// A variable without a location has an empty one that is valid everywhere.
static bool HasGaps(const Variable &variable) {
  const ValueType scope = variable.GetScope();
  if (scope != eValueTypeVariableLocal && scope != eValueTypeVariableArgument)
    return false;
  if (variable.GetLocationIsConstantValueData())
    return HasParts(variable);
  const DWARFExpression *always =
      variable.LocationExpressionList().GetAlwaysValidExpr();
  lldb_private::DataExtractor data;
  if (!always)
    return variable.LocationExpressionList().IsValid();
  const bool is_empty =
      !always->GetExpressionData(data) || data.GetByteSize() == 0;
  return is_empty || (IsConstant(data.GetData()) && HasParts(variable));
}

/// Whether the parameters in \a list have the sizes of the arguments, in order.
static bool Match(VariableList &list, const KernelArguments &arguments) {
  size_t number = 0;
  for (const VariableSP &variable_sp : list) {
    if (variable_sp->GetScope() != eValueTypeVariableArgument)
      continue;
    Type *type = variable_sp->GetType();
    std::optional<uint64_t> size =
        type ? llvm::expectedToOptional(type->GetByteSize(nullptr))
             : std::nullopt;
    if (number >= arguments.size() || size != arguments[number].size)
      return false;
    ++number;
  }
  return number == arguments.size();
}

/// Whether a parameter has one location, which code before the first line of
/// the function's body fills.
static bool IsStoredByPrologue(Function &function, const Variable &variable) {
  const DWARFExpression *always =
      variable.LocationExpressionList().GetAlwaysValidExpr();
  lldb_private::DataExtractor data;
  return always && always->GetExpressionData(data) && data.GetByteSize() &&
         !variable.GetLocationIsConstantValueData() &&
         !IsConstant(data.GetData()) &&
         function.GetAddressRanges().size() == 1 &&
         function.GetPrologueByteSize() > 0 &&
         function.GetPrologueByteSize() <
             function.GetAddressRanges().front().GetByteSize();
}

static void FillBlock(const GapContext &in, Block &block,
                      const KernelArguments *arguments) {
  const bool is_kernel = arguments;
  if (VariableListSP list_sp = block.GetBlockVariableList(false)) {
    if (arguments && !Match(*list_sp, *arguments))
      arguments = nullptr;
    size_t parameter = 0;
    for (const VariableSP &variable_sp : *list_sp) {
      const KernelArgument *argument = nullptr;
      if (arguments && variable_sp->GetScope() == eValueTypeVariableArgument)
        argument = &(*arguments)[parameter++];
      // A kernel is called by the host.
      const bool has_call =
          !is_kernel && variable_sp->GetScope() == eValueTypeVariableArgument;
      if (argument && IsStoredByPrologue(in.function, *variable_sp)) {
        const DWARFExpression stored =
            *variable_sp->LocationExpressionList().GetAlwaysValidExpr();
        variable_sp->LocationExpressionList() =
            GapFiller(in, *variable_sp, argument, has_call)
                .FillBeforeStores(stored);
        in.filled.insert(variable_sp->GetID());
      } else if (HasGaps(*variable_sp)) {
        in.filled.insert(variable_sp->GetID());
        variable_sp->LocationExpressionList() =
            GapFiller(in, *variable_sp, argument, has_call).Fill();
        variable_sp->SetLocationIsConstantValueData(false);
      }
    }
  }
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    FillBlock(in, *child, nullptr);
}

std::optional<lldb_private::DataExtractor>
lldb_private::wavelane::GetEmittedLocation(
    const lldb_private::DataExtractor &data) {
  const std::optional<MissingLocation> missing =
      MissingLocation::Decode(data.GetData());
  if (!missing)
    return std::optional<lldb_private::DataExtractor>(std::in_place, data);
  if (missing->source != MissingLocation::Source::eChecked)
    return std::nullopt;
  return MakeExtractor(missing->kept);
}

DWARFExpressionList
lldb_private::wavelane::WithoutMissingLocations(const DWARFExpressionList &list,
                                                Function &function) {
  const addr_t base = function.GetAddress().GetFileAddress();
  DWARFExpressionList known(function.GetAddress().GetModule(),
                            /*dwarf_cu=*/nullptr, base);
  for (const AddressRange &range : function.GetAddressRanges()) {
    const addr_t end =
        range.GetBaseAddress().GetFileAddress() + range.GetByteSize();
    for (addr_t at = range.GetBaseAddress().GetFileAddress(); at < end;) {
      auto entry = list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, at);
      if (!entry || !entry->file_range) {
        at += kInstructionAlignment;
        continue;
      }
      const addr_t behind = entry->file_range->GetBaseAddress().GetOffset() +
                            entry->file_range->GetByteSize();
      lldb_private::DataExtractor data;
      if (entry->expr->GetExpressionData(data))
        if (const auto emitted = GetEmittedLocation(data))
          known.AddExpression(at, behind, DWARFExpression(*emitted));
      at = behind;
    }
  }
  known.Sort();
  return known;
}

/// The code of the function that begins at a file address.
static std::vector<uint8_t> ReadCodeOf(Module &module, addr_t at) {
  Address address;
  const Symbol *symbol = module.ResolveFileAddress(at, address)
                             ? address.CalculateSymbolContextSymbol()
                             : nullptr;
  SectionSP section_sp = address.GetSection();
  if (!symbol || !section_sp || symbol->GetFileAddress() != at ||
      symbol->GetByteSize() > kMaxFunction)
    return {};
  std::vector<uint8_t> bytes(symbol->GetByteSize());
  if (module.GetObjectFile()->ReadSectionData(section_sp.get(),
                                              address.GetOffset(), bytes.data(),
                                              bytes.size()) != bytes.size())
    return {};
  return bytes;
}

std::unique_ptr<KeptRegisters>
lldb_private::wavelane::ReadKeptRegisters(SymbolFileDWARF &symbols,
                                          Function &function) {
  const AddressRanges &ranges = function.GetAddressRanges();
  ModuleSP module_sp = symbols.GetObjectFile()->GetModule();
  std::shared_ptr<AMDGPUMachineCode> code =
      AMDGPUMachineCode::Get(GetProcessorName(module_sp->GetArchitecture()));
  if (ranges.size() != 1 || !code)
    return nullptr;
  const Address &start = ranges.front().GetBaseAddress();
  SectionSP section_sp = start.GetSection();
  std::vector<uint8_t> bytes(
      std::min<addr_t>(ranges.front().GetByteSize(), kMaxFunction));
  if (!section_sp || symbols.GetObjectFile()->ReadSectionData(
                         section_sp.get(), start.GetOffset(), bytes.data(),
                         bytes.size()) != bytes.size())
    return nullptr;
  return std::make_unique<KeptRegisters>(
      code, [module_sp](addr_t at) { return ReadCodeOf(*module_sp, at); },
      start.GetFileAddress(), bytes);
}

void lldb_private::wavelane::FillMissingLocations(
    SymbolFileDWARF &symbols, Function &function,
    const KernelArguments *arguments, std::set<user_id_t> &filled) {
  FillBlock({symbols, function, ReadKeptRegisters(symbols, function), filled},
            function.GetBlock(/*can_create=*/true), arguments);
}

//===----------------------------------------------------------------------===//
// Marking
//===----------------------------------------------------------------------===//

/// The missing location of a variable in the frame of \a object.
static std::optional<MissingLocation> GetMissing(ValueObject &object) {
  VariableSP variable_sp = object.GetVariable();
  StackFrameSP frame_sp = object.GetFrameSP();
  ProcessSP process_sp = object.GetProcessSP();
  SymbolContext sc;
  if (!variable_sp || !frame_sp || !process_sp)
    return std::nullopt;
  variable_sp->CalculateSymbolContext(&sc);
  const uint32_t lane = GetFocusLane(*frame_sp);
  std::optional<addr_t> pc = GetProgramLocation(*frame_sp, lane);
  if (!pc)
    pc = llvm::expectedToOptional(FrameFacts(*process_sp,
                                             frame_sp->GetThread().get(),
                                             frame_sp.get(), lane)
                                      .GetPC());
  lldb_private::DataExtractor data;
  if (!sc.function || !pc ||
      !variable_sp->LocationExpressionList().GetExpressionData(
          data,
          sc.function->GetAddress().GetLoadAddress(&process_sp->GetTarget()),
          *pc))
    return std::nullopt;
  return MissingLocation::Decode(data.GetData());
}

bool lldb_private::wavelane::IsAmbiguous(ValueObject &variable) {
  const std::optional<MissingLocation> missing = GetMissing(variable);
  return missing && missing->kind == MissingLocation::Kind::eAmbiguous;
}

/// Whether \a object is a variable as shown by a frame.
static bool IsFramesVariable(ValueObject &object) {
  VariableSP variable_sp = object.GetVariable();
  StackFrameSP frame_sp = object.GetFrameSP();
  if (!variable_sp || !frame_sp ||
      (variable_sp->GetScope() != eValueTypeVariableArgument &&
       variable_sp->GetScope() != eValueTypeVariableLocal))
    return false;
  ValueObjectSP own_sp =
      frame_sp->GetValueObjectForFrameVariable(variable_sp, eNoDynamicValues);
  return own_sp &&
         (own_sp.get() == &object || own_sp == object.GetStaticValue());
}

/// The symbols that describe a variable; null for other objects.
static LaneSymbols *GetSymbols(ValueObject &variable) {
  ModuleSP module_sp = variable.GetVariable() ? variable.GetModule() : nullptr;
  SymbolFile *file = module_sp ? module_sp->GetSymbolFile() : nullptr;
  return dynamic_cast<LaneSymbols *>(file ? file->GetBackingSymbolFile()
                                          : nullptr);
}

/// A summary that says where a dynamic array is.
static TypeSummaryImplSP MarkDynamicArray(LaneSymbols &symbols) {
  TypeSummaryImpl::Flags flags;
  flags.SetDontShowValue(false).SetDontShowChildren(false);
  return std::make_shared<CXXFunctionSummaryFormat>(
      flags,
      [&symbols](ValueObject &variable, Stream &stream,
                 const TypeSummaryOptions &) {
        if (StackFrameSP frame_sp = variable.GetFrameSP())
          stream.Format("[{0}]",
                        symbols.GetDynamicArrays().Describe(*frame_sp));
        return true;
      },
      "how large dynamic local memory is");
}

std::optional<Provenance>
MissingLocation::GetProvenance(Module &module, StackFrame *frame) const {
  if (kind != Kind::eArgument)
    return std::nullopt;
  if (source == Source::eChecked) {
    ProcessSP process_sp = frame ? frame->CalculateProcess() : nullptr;
    if (!process_sp ||
        !FindOtherValue(FrameFacts(*process_sp, frame->GetThread().get(), frame,
                                   GetFocusLane(*frame))))
      return std::nullopt;
  }
  const Provenance::Kind from = source == Source::eKernel
                                    ? Provenance::Kind::eDispatch
                                : source == Source::eKept && !FindProven(frame)
                                    ? Provenance::Kind::eStale
                                    : Provenance::Kind::eSource;
  return Provenance{from, GetSource(module, frame)};
}

std::optional<Provenance>
lldb_private::wavelane::FindFilledValue(const LaneSymbols &symbols,
                                        ValueObject &variable) {
  ModuleSP module_sp = variable.GetModule();
  std::optional<MissingLocation> missing =
      symbols.HasFilledGaps(variable.GetVariable()->GetID())
          ? GetMissing(variable)
          : std::nullopt;
  return missing && module_sp
             ? missing->GetProvenance(*module_sp, variable.GetFrameSP().get())
             : std::nullopt;
}

/// A summary with where a value is from.
static TypeSummaryImplSP MarkProvenance(ValueObject &object,
                                        const TypeSummaryImplSP &found,
                                        bool is_part) {
  // An object with a summary isn't shown by its members in a line of
  // arguments; these have marks of their own.
  if (!found && object.GetCompilerType().IsAggregateType() &&
      !GetProvenance(object))
    return found;
  // A summary that says all, as that of a vector, needs no children.
  TypeSummaryImpl::Flags flags;
  std::string text;
  if (found && found->FormatObject(&object, text, TypeSummaryOptions()))
    flags = TypeSummaryImpl::Flags(found->GetOptions());
  else
    // A member whose summary wants children keeps its object from one line.
    flags.SetDontShowValue(false).SetDontShowChildren(is_part);
  return std::make_shared<CXXFunctionSummaryFormat>(
      flags,
      [found](ValueObject &shown, Stream &stream,
              const TypeSummaryOptions &options) {
        std::string text;
        if (found && found->FormatObject(&shown, text, options))
          stream.PutCString(text);
        if (std::optional<Provenance> from = GetProvenance(shown))
          stream.Format("{0}[{1}]", text.empty() ? "" : " ", from->text);
        return true;
      },
      "where an optimized variable's value is from");
}

// LLDB asks for a variable's summary once and keeps it over stops, so the
// summary itself has to look where the value is from now.
TypeSummaryImplSP
lldb_private::wavelane::MarkMissingLocation(ValueObject &object,
                                            const TypeSummaryImplSP &found) {
  ValueObject &root = GetRootVariable(object);
  const bool is_part = &root != &object;
  // The result of an expression.
  if (!root.GetVariable())
    return GetProvenance(object) ? MarkProvenance(object, found, is_part)
                                 : found;
  LaneSymbols *symbols = GetSymbols(root);
  if (!symbols || (is_part && object.GetCompilerType().IsAggregateType()))
    return found;
  const user_id_t uid = root.GetVariable()->GetID();
  const bool is_array = !is_part && symbols->GetDynamicArrays().Has(uid);
  if ((!is_array && !symbols->HasFilledGaps(uid)) ||
      (!is_part && !IsFramesVariable(object)))
    return found;
  if (is_array)
    return MarkDynamicArray(*symbols);
  return MarkProvenance(object, found, is_part);
}
