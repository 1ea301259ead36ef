//===-- MissingLocations.cpp ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MissingLocations.h"
#include "Lane/LaneFocus.h"
#include "Lane/Wave.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
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

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

/// The first and last operations of our expressions. These leave nothing on the
/// stack, so other consumers don't take them for locations.
static constexpr uint8_t kBegin[] = {llvm::dwarf::DW_OP_nop,
                                     llvm::dwarf::DW_OP_nop};
static constexpr uint8_t kEnd[] = {
    llvm::dwarf::DW_OP_drop, llvm::dwarf::DW_OP_drop, llvm::dwarf::DW_OP_drop};
/// The alignment of instructions of these GPUs.
static constexpr addr_t kInstructionAlignment = 4;

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
  bytes.push_back(uint8_t(llvm::dwarf::DW_OP_lit0 + uint8_t(kind)));
  for (uint64_t value : {number, size}) {
    bytes.push_back(llvm::dwarf::DW_OP_constu);
    AppendULEB128(bytes, value);
  }
  bytes.insert(bytes.end(), std::begin(kEnd), std::end(kEnd));
  return bytes;
}

std::optional<MissingLocation>
MissingLocation::Decode(llvm::ArrayRef<uint8_t> bytes) {
  if (bytes.size() <= std::size(kBegin) + std::size(kEnd) ||
      bytes.take_front(std::size(kBegin)) != llvm::ArrayRef(kBegin) ||
      bytes.take_back(std::size(kEnd)) != llvm::ArrayRef(kEnd))
    return std::nullopt;
  bytes = bytes.drop_front(std::size(kBegin)).drop_back(std::size(kEnd));
  if (bytes[0] < llvm::dwarf::DW_OP_lit0 ||
      bytes[0] > llvm::dwarf::DW_OP_lit0 + uint8_t(Kind::eArgument))
    return std::nullopt;
  MissingLocation missing;
  missing.kind = Kind(bytes[0] - llvm::dwarf::DW_OP_lit0);
  bytes = bytes.drop_front();
  for (uint64_t *value : {&missing.number, &missing.size}) {
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
  return bytes.empty() ? std::optional(missing) : std::nullopt;
}

std::string MissingLocation::Describe(Module &module) const {
  Address address;
  LineEntry entry;
  if (!module.ResolveFileAddress(number, address) ||
      !address.CalculateSymbolContextLineEntry(entry) || entry.line == 0)
    return "no location, value may have been optimized out";
  return llvm::formatv("optimised out here; {0} seen at line {1}",
                       kind == Kind::eLastSeen ? "last" : "first", entry.line);
}

llvm::Expected<lldb_private::DataExtractor>
MissingLocation::ReadArgument(const FrameFacts &facts) const {
  constexpr uint64_t max_size = 4096; // of all of a kernel's arguments
  ThreadSP thread_sp = facts.GetThread();
  ProcessSP process_sp = facts.GetProcess();
  auto *wave = dynamic_cast<Wave *>(thread_sp.get());
  std::optional<addr_t> segment;
  if (wave && process_sp)
    segment = wave->GetKernelArguments();
  if (!segment || size > max_size)
    return llvm::createStringError("optimised out here; the address of the "
                                   "kernel's arguments isn't known");
  std::vector<uint8_t> bytes(size);
  Status error;
  if (process_sp->ReadMemory(*segment + number, bytes.data(), size, error) !=
      size)
    return llvm::createStringError(
        "optimised out here; the kernel's arguments at %#" PRIx64
        " can't be read: %s",
        *segment, error.AsCString());
  std::vector<uint8_t> expression{llvm::dwarf::DW_OP_implicit_value};
  AppendULEB128(expression, size);
  expression.insert(expression.end(), bytes.begin(), bytes.end());
  return MakeExtractor(expression);
}

//===----------------------------------------------------------------------===//
// Filling gaps
//===----------------------------------------------------------------------===//

namespace {

/// The location list of one variable with its gaps filled.
class Filler {
public:
  Filler(SymbolFileDWARF &symbols, Variable &variable,
         const KernelArgument *argument)
      : m_list(variable.LocationExpressionList()),
        m_unit(symbols.GetDIE(variable.GetID()).GetCU()),
        m_module_sp(symbols.GetObjectFile()->GetModule()),
        m_argument(argument) {}

  DWARFExpressionList Fill(const AddressRanges &ranges, addr_t function) {
    DWARFExpressionList filled(m_module_sp, m_unit, function);
    for (const AddressRange &range : ranges) {
      const addr_t begin = range.GetBaseAddress().GetFileAddress();
      FillRange(begin, begin + range.GetByteSize(), filled);
    }
    filled.Sort();
    return filled;
  }

private:
  using Entry = DWARFExpressionList::DWARFExpressionEntry;

  /// \return nullopt if the variable has no location, or an empty one.
  std::optional<Entry> Find(addr_t address) const {
    std::optional<Entry> entry =
        m_list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, address);
    lldb_private::DataExtractor data;
    if (!entry || !entry->file_range || !entry->expr->GetExpressionData(data) ||
        data.GetByteSize() == 0)
      return std::nullopt;
    return entry;
  }

  void FillRange(addr_t begin, addr_t end, DWARFExpressionList &filled) {
    std::optional<addr_t> last_seen;
    for (addr_t at = begin; at < end;) {
      if (std::optional<Entry> entry = Find(at)) {
        const AddressRange &range = *entry->file_range;
        const addr_t behind = std::min(end, range.GetBaseAddress().GetOffset() +
                                                range.GetByteSize());
        filled.AddExpression(at, behind, *entry->expr);
        last_seen = behind - 1;
        at = behind;
        continue;
      }
      const addr_t gap = at;
      while (at < end && !Find(at))
        at += kInstructionAlignment;
      at = std::min(at, end);
      if (std::optional<MissingLocation> missing = Get(last_seen, at, end))
        filled.AddExpression(gap, at,
                             DWARFExpression(MakeExtractor(missing->Encode())));
    }
  }

  std::optional<MissingLocation> Get(std::optional<addr_t> last_seen,
                                     addr_t next, addr_t end) const {
    if (m_argument)
      return MissingLocation{MissingLocation::Kind::eArgument,
                             m_argument->offset, m_argument->size};
    if (last_seen)
      return MissingLocation{MissingLocation::Kind::eLastSeen, *last_seen};
    if (next < end)
      return MissingLocation{MissingLocation::Kind::eFirstSeen, next};
    return std::nullopt;
  }

  const DWARFExpressionList &m_list;
  const DWARFUnit *m_unit;
  ModuleSP m_module_sp;
  const KernelArgument *m_argument;
};

} // namespace

/// A variable without a location has an empty one that is valid everywhere.
static bool HasGaps(const Variable &variable, bool is_argument) {
  const ValueType scope = variable.GetScope();
  if ((scope != eValueTypeVariableLocal &&
       scope != eValueTypeVariableArgument) ||
      variable.GetLocationIsConstantValueData())
    return false;
  const DWARFExpression *always =
      variable.LocationExpressionList().GetAlwaysValidExpr();
  lldb_private::DataExtractor data;
  if (!always)
    return variable.LocationExpressionList().IsValid();
  return is_argument &&
         (!always->GetExpressionData(data) || data.GetByteSize() == 0);
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

static void FillBlock(SymbolFileDWARF &symbols, Function &function,
                      Block &block, const KernelArguments *arguments) {
  if (VariableListSP list_sp = block.GetBlockVariableList(false)) {
    if (arguments && !Match(*list_sp, *arguments))
      arguments = nullptr;
    size_t parameter = 0;
    for (const VariableSP &variable_sp : *list_sp) {
      const KernelArgument *argument = nullptr;
      if (arguments && variable_sp->GetScope() == eValueTypeVariableArgument)
        argument = &(*arguments)[parameter++];
      if (HasGaps(*variable_sp, argument))
        variable_sp->LocationExpressionList() =
            Filler(symbols, *variable_sp, argument)
                .Fill(function.GetAddressRanges(),
                      function.GetAddress().GetFileAddress());
    }
  }
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    FillBlock(symbols, function, *child, nullptr);
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
      if (!entry->expr->GetExpressionData(data) ||
          !MissingLocation::Decode(data.GetData()))
        known.AddExpression(at, behind, *entry->expr);
      at = behind;
    }
  }
  known.Sort();
  return known;
}

void lldb_private::wavelane::FillMissingLocations(
    SymbolFileDWARF &symbols, Function &function,
    const KernelArguments *arguments) {
  FillBlock(symbols, function, function.GetBlock(/*can_create=*/true),
            arguments);
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

/// Whether \a object is a kernel's parameter as shown by a frame. Those in a
/// frame's own line have no room for a mark.
static bool IsFramesArgument(ValueObject &object) {
  VariableSP variable_sp = object.GetVariable();
  StackFrameSP frame_sp = object.GetFrameSP();
  if (!variable_sp || !frame_sp ||
      variable_sp->GetScope() != eValueTypeVariableArgument)
    return false;
  ValueObjectSP own_sp =
      frame_sp->GetValueObjectForFrameVariable(variable_sp, eNoDynamicValues);
  return own_sp &&
         (own_sp.get() == &object || own_sp == object.GetStaticValue());
}

TypeSummaryImplSP
lldb_private::wavelane::MarkMissingLocation(ValueObject &object,
                                            const TypeSummaryImplSP &found) {
  if (!IsFramesArgument(object) || !GetMissing(object))
    return found;
  TypeSummaryImpl::Flags flags;
  flags.SetDontShowValue(false).SetDontShowChildren(false);
  return std::make_shared<CXXFunctionSummaryFormat>(
      flags,
      [found](ValueObject &argument, Stream &stream,
              const TypeSummaryOptions &options) {
        std::string text;
        if (found && found->FormatObject(&argument, text, options))
          stream.PutCString(text);
        std::optional<MissingLocation> missing = GetMissing(argument);
        if (missing && missing->kind == MissingLocation::Kind::eArgument)
          stream.Format("{0}[the kernel's argument]", text.empty() ? "" : " ");
        return true;
      },
      "a kernel's argument");
}
