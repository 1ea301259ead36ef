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

private:
  using Places = llvm::SmallVector<SymbolContext, 4>;
  Places ChooseOfFunction(const Places &places);

  std::map<lldb::addr_t, std::unique_ptr<Block>> m_blocks;
  std::map<lldb::addr_t, std::string> m_notes;
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
