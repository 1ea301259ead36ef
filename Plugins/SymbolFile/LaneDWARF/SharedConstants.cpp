//===-- SharedConstants.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedConstants.h"
#include "Core/MachineCode/AMDGPUMachineCode.h"
#include "Core/Support/Processor.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/LineTable.h"
#include "wavelane/GPU/Moves.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <vector>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class Rows {
public:
  Rows(CompileUnit &comp_unit, LineTable &lines);

  /// \return Whether a row has changed.
  bool Move(llvm::function_ref<bool(addr_t)> is_optimized);
  std::unique_ptr<LineTable> Make() const;

private:
  bool IsSameLine(size_t a, size_t b) const {
    return m_rows[a].line == m_rows[b].line &&
           m_rows[a].file_sp.get() == m_rows[b].file_sp.get();
  }
  /// Whether a row is of another function than the row before it.
  bool Begins(size_t row) const {
    return m_rows[row - 1].is_terminal_entry || m_rows[row].is_prologue_end;
  }
  /// Whether the row's code only moves constants and addresses.
  bool OnlyMoves(size_t row);
  /// Whether the row's line has other code in the function.
  bool HasOtherCode(size_t row);

  CompileUnit &m_unit;
  std::vector<LineEntry> m_rows;
  std::shared_ptr<AMDGPUMachineCode> m_code;
  std::map<size_t, bool> m_only_moves;
};

} // namespace

Rows::Rows(CompileUnit &comp_unit, LineTable &lines) : m_unit(comp_unit) {
  if (ModuleSP module_sp = comp_unit.GetModule())
    m_code =
        AMDGPUMachineCode::Get(GetProcessorName(module_sp->GetArchitecture()));
  for (uint32_t i = 0; i < lines.GetSize(); ++i) {
    LineEntry entry;
    if (!lines.GetLineEntryAtIndex(i, entry) ||
        !entry.range.GetBaseAddress().IsSectionOffset()) {
      m_code = nullptr; // outside of all sections
      return;
    }
    m_rows.push_back(entry);
  }
}

bool Rows::OnlyMoves(size_t row) {
  auto [known, is_new] = m_only_moves.try_emplace(row, false);
  if (!is_new)
    return known->second;
  constexpr addr_t most = 256; // bytes
  const AddressRange &range = m_rows[row].range;
  SectionSP section_sp = range.GetBaseAddress().GetSection();
  DataExtractor data;
  const addr_t offset = range.GetBaseAddress().GetOffset();
  if (!m_code || !range.GetByteSize() || range.GetByteSize() > most ||
      !section_sp || !section_sp->GetSectionData(data) ||
      !data.ValidOffsetForDataOfSize(offset, range.GetByteSize()))
    return false;
  llvm::ArrayRef<uint8_t> bytes =
      data.GetData().slice(offset, range.GetByteSize());
  for (addr_t at = range.GetBaseAddress().GetFileAddress(); !bytes.empty();) {
    const auto instruction = m_code->Decode(bytes, at);
    if (!instruction || m_code->WritesExec(instruction->inst) ||
        !::wavelane::gpu::isMove(*instruction->facts))
      return false;
    at += instruction->size;
    bytes = bytes.drop_front(instruction->size);
  }
  return known->second = true;
}

bool Rows::HasOtherCode(size_t row) {
  auto is_code = [&](size_t i) {
    return !m_rows[i].is_terminal_entry && IsSameLine(i, row) && !OnlyMoves(i);
  };
  for (size_t i = row + 1; i < m_rows.size() && !Begins(i); ++i)
    if (is_code(i))
      return true;
  for (size_t i = row; i > 0 && !Begins(i); --i)
    if (is_code(i - 1))
      return true;
  return false;
}

bool Rows::Move(llvm::function_ref<bool(addr_t)> is_optimized) {
  if (!m_code)
    return false;
  bool has_changed = false;
  // From the end, since the row behind may be moved, too.
  for (size_t i = m_rows.size(); i-- > 1;) {
    if (i + 1 == m_rows.size() || Begins(i + 1))
      continue;
    LineEntry &row = m_rows[i];
    const LineEntry &next = m_rows[i + 1];
    if (!row.line || !next.line || row.is_terminal_entry ||
        next.is_terminal_entry || m_rows[i - 1].is_terminal_entry ||
        IsSameLine(i, i + 1) || row.file_sp.get() != next.file_sp.get() ||
        !OnlyMoves(i) || !HasOtherCode(i) ||
        is_optimized(row.range.GetBaseAddress().GetFileAddress()))
      continue;
    row.line = next.line;
    row.column = next.column;
    row.is_start_of_statement = next.is_start_of_statement;
    has_changed = true;
  }
  return has_changed;
}

std::unique_ptr<LineTable> Rows::Make() const {
  const SupportFileList &files = m_unit.GetSupportFiles();
  std::map<const SupportFile *, uint16_t> indices;
  for (size_t i = 0; i < files.GetSize(); ++i)
    indices.emplace(files.GetSupportFileAtIndex(i).get(), uint16_t(i));
  std::vector<LineTable::Sequence> sequences;
  bool is_first = true;
  for (const LineEntry &row : m_rows) {
    if (is_first)
      sequences.emplace_back();
    LineTable::AppendLineEntryToSequence(
        sequences.back(), row.range.GetBaseAddress().GetFileAddress(), row.line,
        row.column, indices[row.file_sp.get()], row.is_start_of_statement,
        row.is_start_of_basic_block, row.is_prologue_end, row.is_epilogue_begin,
        row.is_terminal_entry);
    is_first = row.is_terminal_entry;
  }
  return std::make_unique<LineTable>(&m_unit, std::move(sequences));
}

std::unique_ptr<LineTable> lldb_private::wavelane::MoveSharedConstants(
    CompileUnit &comp_unit, LineTable &lines,
    llvm::function_ref<bool(addr_t)> is_optimized) {
  Rows rows(comp_unit, lines);
  return rows.Move(is_optimized) ? rows.Make() : nullptr;
}
