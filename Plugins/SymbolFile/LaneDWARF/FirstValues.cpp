//===-- FirstValues.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstValues.h"
#include "CodeFlow.h"
#include "LocationParts.h"
#include "MissingLocations.h"
#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// What a variable's location is at an instruction.
struct Place {
  bool is_known = false;
  std::optional<int64_t> constant;
};

/// A line of the source, and the call that its code is inlined for.
struct CodeLine {
  unsigned line = 0;
  FileSpec file;
  Block *call = nullptr;
};

/// A loop of the code: numbers of instructions.
using CodeLoop = std::vector<size_t>;

class FirstValues {
public:
  FirstValues(plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
              CountingLoops &source)
      : m_symbols(symbols), m_function(function), m_source(source) {}

  void Drop() {
    FindCandidates(m_function.GetBlock(/*can_create=*/true));
    if (m_candidates.empty())
      return;
    m_code = ReadFlow(m_function);
    if (m_code.empty() ||
        uint64_t(m_code.size()) * m_candidates.size() > kMostPlaces)
      return;
    for (auto &[variable, block] : m_candidates)
      DropOf(*variable, *block);
  }

private:
  /// Instructions, for each variable; a larger function isn't looked at.
  static constexpr uint64_t kMostPlaces = 1 << 22;
  using Places = std::vector<Place>;

  void FindCandidates(Block &block);
  Places GetPlaces(const Variable &variable) const;
  void FindLoops();
  void FindLines();
  /// The file of a variable's loops.
  FileSpec FindFile(const Variable &variable, Block *call) const;
  /// Whether a loop counts on a variable of a call.
  bool Counts(const Variable &variable, const FileSpec &file, Block *call,
              const Places &places, const CodeLoop &loop) const;
  /// The instructions of a loop without a loop in the code, as it is unrolled,
  /// that don't have the constant of their own round.
  std::vector<size_t> FindUnrolled(const Variable &variable,
                                   const FileSpec &file, Block *call,
                                   const Places &places) const;
  void DropOf(Variable &variable, Block &block);
  void Replace(Variable &variable, const std::set<size_t> &dropped);

  plugin::dwarf::SymbolFileDWARF &m_symbols;
  Function &m_function;
  CountingLoops &m_source;
  std::vector<std::pair<Variable *, Block *>> m_candidates;
  std::vector<FlowInstruction> m_code;
  /// By instruction; found with the loops.
  std::vector<CodeLine> m_lines;
  std::vector<CodeLoop> m_loops;
};

} // namespace

static Block *GetCall(Block *block) {
  return block ? block->GetContainingInlinedBlock() : nullptr;
}

/// Whether code of a call is within another one; null is the function itself.
static bool IsWithin(Block *call, Block *outer) {
  while (call && call != outer)
    call = GetCall(call->GetParent());
  return call == outer;
}

void FirstValues::FindCandidates(Block &block) {
  if (VariableListSP list_sp = block.GetBlockVariableList(/*can_create=*/false))
    for (const VariableSP &variable_sp : *list_sp) {
      const ValueType scope = variable_sp->GetScope();
      if (scope != eValueTypeVariableLocal &&
          scope != eValueTypeVariableArgument)
        continue;
      const DWARFExpressionList &list = variable_sp->LocationExpressionList();
      lldb_private::DataExtractor data;
      // A list is looked at by its addresses, once the code is known.
      const DWARFExpression *always = list.GetAlwaysValidExpr();
      if (always ? always->GetExpressionData(data) &&
                       GetLocationConstant(data.GetData())
                 : list.GetSize() > 0)
        m_candidates.emplace_back(variable_sp.get(), &block);
    }
  for (Block *child = block.GetFirstChild(); child; child = child->GetSibling())
    FindCandidates(*child);
}

FirstValues::Places FirstValues::GetPlaces(const Variable &variable) const {
  const DWARFExpressionList &list = variable.LocationExpressionList();
  Places places(m_code.size());
  for (size_t i = 0; i < m_code.size(); ++i) {
    auto entry = list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS,
                                                  m_code[i].address);
    lldb_private::DataExtractor data;
    if (!entry || !entry->expr->GetExpressionData(data) ||
        !data.GetByteSize() || MissingLocation::Decode(data.GetData()))
      continue;
    places[i] = {true, GetLocationConstant(data.GetData())};
  }
  return places;
}

void FirstValues::FindLoops() {
  const std::optional<size_t> entry =
      FindInstruction(m_code, m_function.GetAddress().GetFileAddress());
  if (!entry)
    return;
  auto get_successors = [this](size_t i) {
    llvm::SmallVector<size_t, 2> next;
    const FlowInstruction &inst = m_code[i];
    if (inst.falls_through && i + 1 < m_code.size() &&
        m_code[i + 1].address == inst.address + inst.size)
      next.push_back(i + 1);
    if (inst.target)
      if (std::optional<size_t> to = FindInstruction(m_code, *inst.target))
        next.push_back(*to);
    return next;
  };
  // An edge to what is on the path from the entry closes a loop.
  enum class State : uint8_t { eNew, eOnPath, eDone };
  std::vector<State> states(m_code.size(), State::eNew);
  std::vector<std::vector<size_t>> predecessors(m_code.size());
  std::map<size_t, std::set<size_t>> ends; // of loops, by their first
  std::vector<std::pair<size_t, size_t>> path{{*entry, 0}};
  states[*entry] = State::eOnPath;
  while (!path.empty()) {
    auto &[at, number] = path.back();
    const auto successors = get_successors(at);
    if (number == successors.size()) {
      states[at] = State::eDone;
      path.pop_back();
      continue;
    }
    const size_t from = at, to = successors[number++];
    predecessors[to].push_back(from);
    if (states[to] == State::eOnPath)
      ends[to].insert(from);
    if (std::exchange(states[to], states[to] == State::eNew
                                      ? State::eOnPath
                                      : states[to]) == State::eNew)
      path.emplace_back(to, 0);
  }
  for (const auto &[first, lasts] : ends) {
    std::set<size_t> members{first};
    std::vector<size_t> open(lasts.begin(), lasts.end());
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (members.insert(at).second)
        llvm::append_range(open, predecessors[at]);
    }
    m_loops.emplace_back(members.begin(), members.end());
  }
}

void FirstValues::FindLines() {
  CompileUnit *unit = m_function.GetCompileUnit();
  LineTable *table = unit ? unit->GetLineTable() : nullptr;
  ModuleSP module_sp = m_function.CalculateSymbolContextModule();
  Block &whole = m_function.GetBlock(/*can_create=*/true);
  const addr_t base = m_function.GetAddress().GetFileAddress();
  m_lines.resize(m_code.size());
  addr_t behind = 0;
  LineEntry entry;
  for (size_t i = 0; table && i < m_code.size(); ++i) {
    const addr_t at = m_code[i].address;
    Address address;
    if (at >= behind) {
      if (!module_sp->ResolveFileAddress(at, address) ||
          !table->FindLineEntryByAddress(address, entry))
        continue;
      behind = entry.range.GetBaseAddress().GetFileAddress() +
               entry.range.GetByteSize();
    }
    m_lines[i] = {entry.line, entry.GetFile(),
                  GetCall(whole.FindInnermostBlockByOffset(at - base))};
  }
}

FileSpec FirstValues::FindFile(const Variable &variable, Block *call) const {
  // A variable that clang has made of the source's, as for `#pragma omp simd`,
  // has no declaration.
  if (variable.GetDeclaration().GetFile())
    return variable.GetDeclaration().GetFile();
  for (const CodeLine &line : m_lines)
    if (line.line && line.call == call)
      return line.file;
  return FileSpec();
}

bool FirstValues::Counts(const Variable &variable, const FileSpec &file,
                         Block *call, const Places &places,
                         const CodeLoop &loop) const {
  auto has_constant = [&](size_t i) { return places[i].constant.has_value(); };
  if (llvm::none_of(loop, has_constant) || llvm::any_of(loop, [&](size_t i) {
        return places[i].is_known && !has_constant(i);
      }))
    return false;
  std::set<unsigned> lines;
  for (size_t i : loop) {
    if (!m_lines[i].line)
      continue;
    // It is a loop around the call that the variable belongs to.
    if (!IsWithin(m_lines[i].call, call))
      return false;
    if (m_lines[i].file == file)
      lines.insert(m_lines[i].line);
  }
  return m_source.IsLoop(variable, file,
                         std::vector<unsigned>(lines.begin(), lines.end()));
}

std::vector<size_t> FirstValues::FindUnrolled(const Variable &variable,
                                              const FileSpec &file, Block *call,
                                              const Places &places) const {
  std::map<unsigned, std::optional<int64_t>> steps; // by line
  std::map<int64_t, std::vector<size_t>> rounds; // by the variable's constant
  std::optional<int64_t> step;
  bool has_gap = false;
  for (size_t i = 0; i < m_code.size(); ++i) {
    const CodeLine &line = m_lines[i];
    if (!line.line || line.call != call || line.file != file)
      continue;
    auto [at, is_new] = steps.try_emplace(line.line);
    if (is_new)
      at->second = m_source.GetStep(variable, file, line.line);
    if (!at->second)
      continue;
    if (!places[i].is_known) {
      has_gap = true;
      continue;
    }
    // Some rounds have a register.
    if (!places[i].constant || (step && *step != *at->second))
      return {};
    step = at->second;
    rounds[*places[i].constant].push_back(i);
  }
  std::vector<size_t> wrong;
  // A constant that only some of the code has may be that of its round.
  if (!step || (rounds.size() > 1 && !*step) || (rounds.size() == 1 && has_gap))
    return {};
  for (const auto &[value, instructions] : rounds) {
    // Behind the last round, there is none.
    const bool is_last =
        rounds.size() > 1 &&
        value == (*step > 0 ? rounds.rbegin()->first : rounds.begin()->first);
    if (!is_last && !rounds.count(value + *step))
      llvm::append_range(wrong, instructions);
    else if (rounds.size() == 1)
      llvm::append_range(wrong, instructions);
  }
  return wrong;
}

void FirstValues::DropOf(Variable &variable, Block &block) {
  const Places places = GetPlaces(variable);
  if (llvm::none_of(places, [](const Place &place) {
        return place.constant.has_value();
      }))
    return;
  if (m_lines.empty()) {
    FindLines();
    FindLoops();
  }
  Block *const call = GetCall(&block);
  const FileSpec file = FindFile(variable, call);
  std::set<size_t> dropped;
  auto drop = [&](llvm::ArrayRef<size_t> instructions) {
    for (size_t i : instructions)
      if (places[i].constant)
        dropped.insert(i);
  };
  for (const CodeLoop &loop : m_loops)
    if (Counts(variable, file, call, places, loop))
      drop(loop);
  drop(FindUnrolled(variable, file, call, places));
  if (!dropped.empty())
    Replace(variable, dropped);
}

void FirstValues::Replace(Variable &variable, const std::set<size_t> &dropped) {
  MissingLocation missing;
  missing.kind = MissingLocation::Kind::eFirstValue;
  const std::vector<uint8_t> bytes = missing.Encode();
  const DWARFExpression unavailable(lldb_private::DataExtractor(
      std::make_shared<DataBufferHeap>(bytes.data(), bytes.size()),
      eByteOrderLittle, /*addr_size=*/8));
  const DWARFExpressionList &list = variable.LocationExpressionList();
  DWARFExpressionList rest(m_function.CalculateSymbolContextModule(),
                           m_symbols.GetDIE(variable.GetID()).GetCU(),
                           m_function.GetAddress().GetFileAddress());
  const DWARFExpression *current = nullptr;
  addr_t begin = 0, end = 0;
  auto add = [&] {
    if (current)
      rest.AddExpression(begin, end, *current);
  };
  for (size_t i = 0; i < m_code.size(); ++i) {
    const FlowInstruction &inst = m_code[i];
    auto entry =
        list.GetExpressionEntryAtAddress(LLDB_INVALID_ADDRESS, inst.address);
    const DWARFExpression *next = dropped.count(i) ? &unavailable
                                  : entry          ? entry->expr
                                                   : nullptr;
    if (next != current || inst.address != end) {
      add();
      current = next;
      begin = inst.address;
    }
    end = inst.address + inst.size;
  }
  add();
  rest.Sort();
  variable.LocationExpressionList() = std::move(rest);
}

void lldb_private::wavelane::DropFirstValues(
    plugin::dwarf::SymbolFileDWARF &symbols, Function &function,
    CountingLoops &source) {
  FirstValues(symbols, function, source).Drop();
}
