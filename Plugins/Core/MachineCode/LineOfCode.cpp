//===-- LineOfCode.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineOfCode.h"
#include "AMDGPUMachineCode.h"
#include "Core/Support/Processor.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

thread_local bool ExactLines::g_kept = false;
thread_local unsigned ExactLines::g_count = 0;

namespace {

/// The lines of a function, as seen from one place in it.
class Search {
public:
  Search(const Address &start, CompileUnit &unit, Function &function)
      : m_function(function), m_lines(*unit.GetLineTable()),
        m_inlined(GetInlined(start)) {}

  /// The line that the code at \a address leads to.
  std::optional<LineEntry> FindNext(Address address);
  /// The line of the code before \a address.
  std::optional<LineEntry> FindBefore(const Address &address);

private:
  static Block *GetInlined(const Address &address) {
    Block *block = address.CalculateSymbolContextBlock();
    return block ? block->GetContainingInlinedBlock() : nullptr;
  }
  bool IsInFunction(const Address &address) const {
    return llvm::any_of(m_function.GetAddressRanges(),
                        [&](const AddressRange &range) {
                          return range.ContainsFileAddress(address);
                        });
  }
  /// An entry as the start's function sees it: of code that is inlined there,
  /// the call's line.
  std::optional<LineEntry> See(LineEntry entry) const;
  /// Where execution goes from an instruction if it goes to one place.
  std::optional<Address> Follow(const Address &address);

  Function &m_function;
  LineTable &m_lines;
  Block *m_inlined;
  std::shared_ptr<AMDGPUMachineCode> m_code;
};

} // namespace

std::optional<LineEntry> Search::See(LineEntry entry) const {
  Block *call = nullptr;
  for (Block *block = GetInlined(entry.range.GetBaseAddress());
       block != m_inlined; block = block->GetInlinedParent()) {
    if (!block)
      return std::nullopt; // it has left the start's function
    call = block;
  }
  if (!call)
    return entry;
  const InlineFunctionInfo *info = call->GetInlinedFunctionInfo();
  const Declaration &place = info->GetCallSite();
  if (!place.GetLine())
    return std::nullopt;
  entry.line = place.GetLine();
  entry.column = place.GetColumn();
  entry.file_sp = std::make_shared<SupportFile>(place.GetFile());
  entry.original_file_sp = entry.file_sp;
  return entry;
}

std::optional<Address> Search::Follow(const Address &address) {
  constexpr size_t most = 24; // longer than any instruction
  // A caller's place is looked up one byte before its return address.
  if (address.GetFileAddress() % 4)
    return std::nullopt;
  SectionSP section_sp = address.GetSection();
  DataExtractor data;
  if (!m_code)
    if (ModuleSP module_sp = address.GetModule())
      m_code = AMDGPUMachineCode::Get(
          GetProcessorName(module_sp->GetArchitecture()));
  if (!m_code || !section_sp || !section_sp->GetSectionData(data) ||
      address.GetOffset() >= data.GetByteSize())
    return std::nullopt;
  const addr_t at = address.GetFileAddress();
  const auto instruction = m_code->Decode(
      data.GetData().drop_front(address.GetOffset()).take_front(most), at);
  if (!instruction)
    return std::nullopt;
  addr_t next = at + instruction->size;
  if (instruction->ends) {
    const auto target =
        instruction->branches && !instruction->calls
            ? m_code->GetBranchTarget(instruction->inst, at, instruction->size)
            : std::nullopt;
    if (!target)
      return std::nullopt;
    next = *target;
  }
  Address to(section_sp, next - section_sp->GetFileAddress());
  return IsInFunction(to) ? std::optional<Address>(to) : std::nullopt;
}

std::optional<LineEntry> Search::FindNext(Address address) {
  std::set<addr_t> seen;
  while (seen.insert(address.GetFileAddress()).second) {
    LineEntry entry;
    if (!m_lines.FindLineEntryByAddress(address, entry))
      return std::nullopt;
    if (entry.line)
      return See(entry);
    std::optional<Address> next = Follow(address);
    if (!next)
      return std::nullopt;
    address = *next;
  }
  return std::nullopt; // a loop without a line
}

std::optional<LineEntry> Search::FindBefore(const Address &address) {
  LineEntry entry;
  uint32_t index = 0;
  if (!m_lines.FindLineEntryByAddress(address, entry, &index))
    return std::nullopt;
  while (index > 0) {
    --index;
    if (!m_lines.GetLineEntryAtIndex(index, entry) || entry.is_terminal_entry ||
        !IsInFunction(entry.range.GetBaseAddress()))
      break;
    if (entry.line)
      if (std::optional<LineEntry> seen = See(entry))
        return seen;
  }
  return std::nullopt;
}

void lldb_private::wavelane::FindLineOfCode(const Address &address,
                                            LineEntry &entry) {
  if (!entry.IsValid() || entry.line)
    return;
  SymbolContext context;
  address.CalculateSymbolContext(&context, eSymbolContextCompUnit |
                                               eSymbolContextFunction);
  if (!context.comp_unit || !context.function ||
      !context.comp_unit->GetLineTable() || !context.module_sp ||
      context.module_sp->GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return;
  Search search(address, *context.comp_unit, *context.function);
  std::optional<LineEntry> found = search.FindNext(address);
  if (!found)
    found = search.FindBefore(address);
  if (!found)
    return;
  entry.line = found->line;
  entry.column = found->column;
  entry.file_sp = found->file_sp;
  entry.original_file_sp = found->original_file_sp;
}

void lldb_private::wavelane::ShowLineOfCode(StackFrame &frame) {
  const LineEntry &entry =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  LineEntry shown = entry;
  FindLineOfCode(frame.GetFrameCodeAddress(), shown);
  // The frame keeps what it has looked up.
  if (shown.line != entry.line)
    const_cast<LineEntry &>(entry) = shown;
}
