//===-- Regions.h - branches, loops and functions of source -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which parts of a program's text are executed without those around them. A
// line that an optimizer left without code is near to the next line that has
// some, but that line may be in the other branch of an `if`, or in another
// function.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCEFACTS_REGIONS_H
#define WAVELANE_SOURCEFACTS_REGIONS_H

#include "wavelane/SourceFacts/Request.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::source {

/// A local variable that each round of a loop changes.
struct Counter {
  std::string Name;
  /// The line of its declaration.
  unsigned Declaration = 0;
  /// By how much; 0 if that isn't known.
  int64_t Step = 0;
};

/// A part of the text that may be executed without what is around it.
struct Region {
  enum class Kind : uint8_t {
    Function,
    Lambda,
    If,
    Else,
    Loop,
    Case,
    Handler ///< of an exception
  };
  Kind K = Kind::Function;
  /// The function's.
  std::string Name;
  /// The line of its `if`, `else`, `for` or `case`.
  unsigned Head = 0;
  /// The lines that have nothing else; none if \p First is behind \p Last.
  unsigned First = 0, Last = 0;
  /// The lines that a part of it is in.
  unsigned Begin = 0, End = 0;
  /// A loop's.
  std::vector<Counter> Counters;
  /// The lines of jumps that may end a loop's round: `continue`, `break`,
  /// `return`, `goto`.
  std::vector<unsigned> Jumps;
  /// Whether jumps may lead to places in a loop.
  bool HasLabels = false;

  bool owns(unsigned Line) const { return First <= Line && Line <= Last; }
  bool touches(unsigned Line) const { return Begin <= Line && Line <= End; }
  /// "the 'else' of line 12"
  std::string describe() const;
};

/// The regions of a file, and of the program's own files that it includes.
class Regions {
public:
  /// Reads them from the text, as far as clang understands it.
  static llvm::Expected<std::unique_ptr<Regions>> read(const Request &From);

  /// Where another line is, if it isn't executed whenever a line is: "in the
  /// 'else' of line 12", "behind the loop of line 9". Empty if it is.
  /// \param[in] File  Its absolute path.
  /// \return nullopt if the file isn't known.
  std::optional<std::string> compare(llvm::StringRef File, unsigned From,
                                     unsigned To) const;

  /// Whether a line is executed in each round of a loop in which another one
  /// is: the same loop is the innermost one around both, and no jump from
  /// between them ends the round.
  bool isDueInRound(llvm::StringRef File, unsigned From, unsigned To) const;

  /// Whether a loop of the code is one of the source that counts on a variable.
  /// \param[in] Declaration  Its line; 0 if that isn't known.
  /// \param[in] Lines  Those in the file of the loop's code.
  bool counts(llvm::StringRef File, llvm::StringRef Variable,
              unsigned Declaration, llvm::ArrayRef<unsigned> Lines) const;

  /// What the innermost loop around a line that counts on a variable does.
  /// \return Null if there is none.
  const Counter *findCounter(llvm::StringRef File, llvm::StringRef Variable,
                             unsigned Declaration, unsigned Line) const;

private:
  llvm::StringMap<std::vector<Region>> Files;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_REGIONS_H
