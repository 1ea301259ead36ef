//===-- LineCopies.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineCopies.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace lldb_private::wavelane;

namespace {

/// A column of the line and an instruction that executes it.
using Part = std::pair<unsigned, unsigned>;
/// A column of the line that loads or stores.
using Access = std::pair<unsigned, bool>;

/// A sequence of instructions that is entered at its first and left at its last
/// one. Each statement begins one.
struct Block {
  size_t first = 0, end = 0; ///< instructions
  std::vector<size_t> successors, predecessors;
  std::optional<size_t> statement;
  bool is_reached = false;
  // Of the line:
  std::set<Part> parts;
  std::set<Access> accesses;
};

class LineFlow {
public:
  LineFlow(llvm::ArrayRef<FlowInstruction> code,
           llvm::ArrayRef<LineStatement> statements,
           llvm::ArrayRef<LineRow> rows)
      : m_code(code), m_statements(statements), m_rows(rows) {}

  /// \return Whether the entry and each statement are in the code.
  bool Build(uint64_t entry);
  std::vector<LineStop> Find();

private:
  struct Path {
    /// The stops that are passed last before a block.
    std::vector<size_t> stops;
    bool from_entry = false; ///< reached without a stop
    bool from_itself = false;
  };

  std::optional<size_t> FindBlock(uint64_t address) const;
  void Connect(bool has_indirect);
  void Order();
  void ReadParts();
  Path GoBack(size_t block) const;
  bool IsCopy(size_t block, const Path &way) const;
  bool IsRemainder(size_t block, size_t stop) const;
  std::optional<uint64_t> FindLoop(size_t block) const;

  llvm::ArrayRef<FlowInstruction> m_code;
  llvm::ArrayRef<LineStatement> m_statements;
  llvm::ArrayRef<LineRow> m_rows;
  std::vector<Block> m_blocks;
  size_t m_entry = 0;          ///< block
  std::vector<size_t> m_order; ///< reached blocks, dominators first
  /// Columns of branches: a loop's own code has them at its start and its end.
  std::set<unsigned> m_branch_columns;
  std::set<unsigned> m_branch_opcodes;
  bool m_has_columns = false;
  /// By block, the parts that have been executed since the stop there.
  std::map<size_t, std::set<Part>> m_stops;
};

} // namespace

std::optional<size_t>
lldb_private::wavelane::FindInstruction(llvm::ArrayRef<FlowInstruction> code,
                                        uint64_t address) {
  auto at = llvm::partition_point(code, [&](const FlowInstruction &inst) {
    return inst.address < address;
  });
  return at != code.end() && at->address == address
             ? std::optional<size_t>(at - code.begin())
             : std::nullopt;
}

std::optional<size_t> LineFlow::FindBlock(uint64_t address) const {
  auto at = llvm::partition_point(m_blocks, [&](const Block &block) {
    return m_code[block.first].address < address;
  });
  return at != m_blocks.end() && m_code[at->first].address == address
             ? std::optional<size_t>(at - m_blocks.begin())
             : std::nullopt;
}

bool LineFlow::Build(uint64_t entry) {
  const std::optional<size_t> first = FindInstruction(m_code, entry);
  if (!first)
    return false;
  std::set<size_t> begins{0, *first};
  bool has_indirect = false;
  for (size_t i = 0; i < m_code.size(); ++i) {
    const FlowInstruction &inst = m_code[i];
    has_indirect |= inst.is_indirect;
    if (inst.target)
      if (std::optional<size_t> target = FindInstruction(m_code, *inst.target))
        begins.insert(*target);
    const bool is_contiguous =
        i + 1 < m_code.size() &&
        m_code[i + 1].address == inst.address + inst.size;
    if (i + 1 < m_code.size() &&
        (inst.branches || !inst.falls_through || !is_contiguous))
      begins.insert(i + 1);
  }
  for (const LineStatement &statement : m_statements) {
    std::optional<size_t> at = FindInstruction(m_code, statement.address);
    if (!at)
      return false;
    begins.insert(*at);
  }
  for (size_t begin : begins) {
    if (!m_blocks.empty())
      m_blocks.back().end = begin;
    Block block;
    block.first = begin;
    m_blocks.push_back(std::move(block));
  }
  m_blocks.back().end = m_code.size();
  m_entry = *FindBlock(entry);
  for (size_t i = 0; i < m_statements.size(); ++i) {
    Block &block = m_blocks[*FindBlock(m_statements[i].address)];
    if (!block.statement)
      block.statement = i;
  }
  Connect(has_indirect);
  Order();
  ReadParts();
  return true;
}

void LineFlow::Connect(bool has_indirect) {
  std::vector<size_t> indirect;
  for (size_t i = 0; i < m_blocks.size(); ++i) {
    Block &block = m_blocks[i];
    const FlowInstruction &last = m_code[block.end - 1];
    if (last.is_indirect)
      indirect.push_back(i);
    if (last.falls_through && i + 1 < m_blocks.size() &&
        m_code[m_blocks[i + 1].first].address == last.address + last.size)
      block.successors.push_back(i + 1);
    if (last.branches && last.target)
      if (std::optional<size_t> target = FindBlock(*last.target))
        block.successors.push_back(*target);
    for (size_t next : block.successors)
      m_blocks[next].predecessors.push_back(i);
  }
  if (!has_indirect)
    return;
  // A table of jumps leads to what nothing else leads to.
  for (size_t i = 0; i < m_blocks.size(); ++i)
    if (i != m_entry && m_blocks[i].predecessors.empty())
      for (size_t from : indirect) {
        m_blocks[from].successors.push_back(i);
        m_blocks[i].predecessors.push_back(from);
      }
}

void LineFlow::Order() {
  // In reverse post-order.
  std::vector<std::pair<size_t, size_t>> path{{m_entry, 0}};
  m_blocks[m_entry].is_reached = true;
  while (!path.empty()) {
    auto &[at, next] = path.back();
    if (next == m_blocks[at].successors.size()) {
      m_order.push_back(at);
      path.pop_back();
      continue;
    }
    const size_t to = m_blocks[at].successors[next++];
    if (!std::exchange(m_blocks[to].is_reached, true))
      path.emplace_back(to, 0);
  }
  std::reverse(m_order.begin(), m_order.end());
}

void LineFlow::ReadParts() {
  size_t block = 0;
  for (const LineRow &row : m_rows) {
    m_has_columns |= row.column != 0;
    auto at = llvm::partition_point(m_code, [&](const FlowInstruction &inst) {
      return inst.address < row.begin;
    });
    for (; at != m_code.end() && at->address < row.end; ++at) {
      const size_t index = size_t(at - m_code.begin());
      if (at->branches) {
        m_branch_columns.insert(row.column);
        m_branch_opcodes.insert(at->opcode);
      }
      while (m_blocks[block].end <= index)
        ++block;
      while (m_blocks[block].first > index)
        --block;
      m_blocks[block].parts.emplace(row.column, at->opcode);
      if (at->loads)
        m_blocks[block].accesses.emplace(row.column, false);
      if (at->stores)
        m_blocks[block].accesses.emplace(row.column, true);
    }
  }
}

LineFlow::Path LineFlow::GoBack(size_t block) const {
  Path way;
  way.from_entry = block == m_entry;
  llvm::DenseSet<size_t> seen;
  std::vector<size_t> open{block};
  while (!open.empty()) {
    const size_t at = open.back();
    open.pop_back();
    for (size_t from : m_blocks[at].predecessors) {
      if (!m_blocks[from].is_reached || !seen.insert(from).second)
        continue;
      if (from == block) {
        way.from_itself = true;
      } else if (m_stops.count(from)) {
        way.stops.push_back(from);
      } else {
        way.from_entry |= from == m_entry;
        open.push_back(from);
      }
    }
  }
  return way;
}

bool LineFlow::IsCopy(size_t block, const Path &way) const {
  if (way.from_entry)
    return true;
  const std::set<Part> &parts = m_blocks[block].parts;
  if (way.from_itself) {
    // It is in a loop without a stop: the line's second copy, or another piece
    // of the same line, such as the increment of a `for`.
    if (!m_has_columns)
      return false;
    for (size_t stop : way.stops)
      for (const Part &seen : m_stops.at(stop))
        if (!m_branch_columns.count(seen.first) &&
            llvm::any_of(parts, [&](const Part &part) {
              return part.first == seen.first;
            }))
          return true;
    return false;
  }
  // It follows a stop. What is executed again is another copy.
  return llvm::all_of(way.stops, [&](size_t stop) {
    return IsRemainder(block, stop) ||
           llvm::any_of(m_stops.at(stop), [&](const Part &seen) {
             return !m_branch_opcodes.count(seen.second) && parts.count(seen);
           });
  });
}

/// Whether a block after a loop loads and stores as a round of the loop does,
/// with other instructions.
bool LineFlow::IsRemainder(size_t block, size_t stop) const {
  const std::set<Access> &round = m_blocks[stop].accesses;
  const std::set<Access> &own = m_blocks[block].accesses;
  if (!m_has_columns || round.empty() ||
      !std::includes(own.begin(), own.end(), round.begin(), round.end()))
    return false;
  const std::optional<uint64_t> loop = FindLoop(stop);
  return loop && FindLoop(block) != loop;
}

std::optional<uint64_t> LineFlow::FindLoop(size_t block) const {
  std::map<size_t, size_t> from;
  std::vector<size_t> open{block};
  for (size_t i = 0; i < open.size(); ++i)
    for (size_t next : m_blocks[open[i]].successors) {
      if (next == block) {
        // The shortest way back is through the innermost loop.
        uint64_t lowest = m_code[m_blocks[block].first].address;
        for (size_t at = open[i]; at != block; at = from[at])
          lowest = std::min(lowest, m_code[m_blocks[at].first].address);
        return lowest;
      }
      if (from.try_emplace(next, open[i]).second)
        open.push_back(next);
    }
  return std::nullopt;
}

std::vector<LineStop> LineFlow::Find() {
  // The first of each lexical block.
  llvm::DenseSet<const void *> blocks;
  auto take = [&](size_t index) {
    const Block &block = m_blocks[index];
    if (block.statement &&
        blocks.insert(m_statements[*block.statement].block).second)
      m_stops[index] = block.parts;
  };
  llvm::for_each(m_order, take);
  for (size_t i = 0; i < m_blocks.size(); ++i)
    take(i);
  const size_t needed = m_stops.size();
  // The parts of the line that follow a stop without being one.
  auto note = [&](size_t index, const Path &way) {
    for (size_t stop : way.stops)
      m_stops[stop].insert(m_blocks[index].parts.begin(),
                           m_blocks[index].parts.end());
  };
  for (size_t index : m_order) {
    const Block &block = m_blocks[index];
    if (m_stops.count(index) || block.parts.empty())
      continue;
    const Path way = GoBack(index);
    if (block.statement && IsCopy(index, way))
      m_stops[index] = block.parts;
    else
      note(index, way);
  }
  std::vector<LineStop> stops;
  for (const auto &[index, parts] : m_stops)
    stops.push_back({m_code[m_blocks[index].first].address,
                     m_stops.size() > needed,
                     m_stops.size() > needed ? FindLoop(index) : std::nullopt});
  return stops;
}

std::vector<LineStop> lldb_private::wavelane::FindLineStops(
    llvm::ArrayRef<FlowInstruction> code, uint64_t entry,
    llvm::ArrayRef<LineStatement> statements, llvm::ArrayRef<LineRow> rows) {
  // Each row is followed back through the function.
  constexpr uint64_t MostSteps = 1 << 26;
  if (code.empty() || uint64_t(code.size()) * (rows.size() + 1) > MostSteps)
    return {};
  LineFlow flow(code, statements, rows);
  return flow.Build(entry) ? flow.Find() : std::vector<LineStop>();
}

/// The addresses of \a to that are reached behind \a from without \a other.
/// \return nullopt if a register says where it goes.
static std::optional<std::set<uint64_t>>
FindReached(llvm::ArrayRef<FlowInstruction> code, size_t from,
            llvm::ArrayRef<uint64_t> to, llvm::ArrayRef<uint64_t> other) {
  std::set<uint64_t> reached;
  std::vector<size_t> open{from};
  llvm::DenseSet<size_t> seen;
  auto reach = [&](uint64_t address) {
    if (llvm::is_contained(to, address)) {
      reached.insert(address);
    } else if (!llvm::is_contained(other, address)) {
      if (std::optional<size_t> next = FindInstruction(code, address);
          next && seen.insert(*next).second)
        open.push_back(*next);
    }
  };
  while (!open.empty()) {
    const FlowInstruction &at = code[open.back()];
    open.pop_back();
    if (at.is_indirect)
      return std::nullopt;
    if (at.falls_through)
      reach(at.address + at.size);
    if (at.branches && at.target)
      reach(*at.target);
  }
  return reached;
}

std::optional<size_t> lldb_private::wavelane::CountWithout(
    llvm::ArrayRef<FlowInstruction> code, uint64_t entry,
    llvm::ArrayRef<uint64_t> copies, llvm::ArrayRef<uint64_t> other,
    bool is_before) {
  std::set<uint64_t> without;
  std::vector<uint64_t> starts(copies.begin(), copies.end());
  // The first round, too. The last one may end at what never returns.
  if (is_before && !llvm::is_contained(other, entry))
    starts.push_back(entry);
  for (uint64_t start : starts) {
    const std::optional<size_t> from = FindInstruction(code, start);
    if (!from)
      return std::nullopt;
    const std::optional<std::set<uint64_t>> reached =
        FindReached(code, *from, copies, other);
    if (!reached)
      return std::nullopt;
    if (is_before)
      without.insert(reached->begin(), reached->end());
    else if (!reached->empty())
      without.insert(start);
  }
  return without.size();
}
