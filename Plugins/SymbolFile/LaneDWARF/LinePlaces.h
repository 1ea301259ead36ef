//===-- LinePlaces.h - where a breakpoint on a line stops -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINEPLACES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LINEPLACES_H

#include "lldb/Symbol/SymbolContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace lldb_private {
class Block;

namespace wavelane {

/// Of the copies of a loop that an optimizer made, some have no code of a line:
/// a breakpoint on it doesn't stop in their rounds.
struct MissingCopies {
  uint32_t line = 0;
  size_t without = 0, count = 0; ///< copies

  /// "line 12 has no code in 1 of the 2 copies of its loop, and doesn't stop
  /// there"
  std::string Describe() const;
};

/// The copies of lines in a module that breakpoints have asked for. LLDB keeps
/// the first place of a line in each lexical block, so each copy is given a
/// block of its own.
class LinePlaces {
public:
  LinePlaces();
  ~LinePlaces();

  /// Keeps a place in each copy of a line, which LineCopies finds, and removes
  /// the others. A line in a function that isn't optimized, or can't be
  /// decoded, isn't changed.
  void Choose(llvm::SmallVectorImpl<SymbolContext> &places,
              llvm::function_ref<bool(Function &)> is_optimized);

  /// "copy 2 of 3, in the loop at total + 48"; empty if the line has no copies.
  std::string GetNote(lldb::addr_t address) const;

  /// \param place  Of a breakpoint, in an optimized function.
  /// \param is_due  Whether the second line is executed in each round of a loop
  ///     in which the first one is.
  std::optional<MissingCopies>
  FindMissing(const SymbolContext &place,
              llvm::function_ref<bool(uint32_t, uint32_t)> is_due);

private:
  using Places = llvm::SmallVector<SymbolContext, 4>;
  Places ChooseOfFunction(const Places &places);

  std::map<lldb::addr_t, std::unique_ptr<Block>> m_blocks;
  std::map<lldb::addr_t, std::string> m_notes;
  std::map<lldb::addr_t, std::optional<MissingCopies>> m_missing;
};

/// Chooses places of lines for breakpoints, in modules whose debug information
/// Wavelane reads.
void FilterLinePlaces(llvm::SmallVectorImpl<SymbolContext> &places);

/// Which copy of its line is at \a address, where a breakpoint is; empty if
/// there is only one.
std::string GetLineNote(const Address &address);

/// The calls that the code at \a address was inlined for, from the inside:
/// "inlined at a.hip:31, a.hip:52". Empty if it wasn't.
std::string GetInlineNote(const Address &address);

/// The copies around the place of a breakpoint that have no code of its line;
/// nullopt if each has some, or the source isn't known.
std::optional<MissingCopies> FindMissingCopies(const Address &place);

/// A line without code, and the next one with some, where a breakpoint stops
/// instead.
struct LineMove {
  uint32_t from = 0, to = 0;
  /// Where that is in the source: "in the 'else' of line 12". Empty if it is
  /// executed whenever the line is; nullopt if the source isn't known.
  std::optional<std::string> where;

  /// Whether the line may be executed without the place, or the other way.
  bool Leaves() const { return !where || !where->empty(); }
};

/// \param place  Where a breakpoint on \a line of \a file is.
/// \return nullopt if it is on its line.
std::optional<LineMove> FindLineMove(const Address &place,
                                     const LineEntry &entry,
                                     const FileSpec &file, uint32_t line);

/// Registers a language plugin for C, whose only purpose is the above: for C++,
/// there is one.
void InitializeLinesOfC();

} // namespace wavelane
} // namespace lldb_private

#endif
