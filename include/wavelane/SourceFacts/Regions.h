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
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace wavelane::source {

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
  /// 'else' of line 12", "behind the loop of line 9". Empty if it is, or
  /// nothing is known.
  /// \param[in] File  Its absolute path.
  std::string compare(llvm::StringRef File, unsigned From, unsigned To) const;

private:
  llvm::StringMap<std::vector<Region>> Files;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_REGIONS_H
