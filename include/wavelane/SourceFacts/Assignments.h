//===-- Assignments.h - which assignments a line may see --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer moves assignments, and drops some, so that debug information may
// give a variable the value of an assignment that isn't executed yet, or that
// another one has replaced. The source shows which ones that may be: on no path
// through the function, they are the last one before a line.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCEFACTS_ASSIGNMENTS_H
#define WAVELANE_SOURCEFACTS_ASSIGNMENTS_H

#include "wavelane/SourceFacts/Expression.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace wavelane::source {

/// A place of the text, as in debug information.
struct Place {
  unsigned Line = 0, Column = 0;

  bool operator<=(const Place &Other) const {
    return std::tie(Line, Column) <= std::tie(Other.Line, Other.Column);
  }
};

/// Bits of a variable, from its lowest address.
struct BitRange {
  uint64_t Offset = 0, Size = 0;

  uint64_t end() const { return Offset + Size; }
  bool covers(const BitRange &Other) const {
    return Offset <= Other.Offset && Other.end() <= end();
  }
  bool overlaps(const BitRange &Other) const {
    return Offset < Other.end() && Other.Offset < end();
  }
  bool operator==(const BitRange &Other) const {
    return Offset == Other.Offset && Size == Other.Size;
  }
  bool operator<(const BitRange &Other) const {
    return std::tie(Offset, Size) < std::tie(Other.Offset, Other.Size);
  }
};

/// Gives a variable, or a part of it, a value.
struct Assignment {
  enum class Kind : uint8_t {
    Entry,     ///< what a call passes for a parameter
    Undefined, ///< a declaration without a value
    Value,
    Escape ///< from here on, a reference or a pointer may assign to it
  };
  Kind K = Kind::Value;
  BitRange Bits;
  /// The whole expression, or the declaration. For Kind::Value.
  Place Begin, End;
  /// It may leave the bits as they are: an element is known by an index.
  bool IsUncertain = false;
  /// It copies an object as a whole, for which code may use the other's memory.
  bool IsCopy = false;
  /// The constants that it assigns to parts. A larger object's are all zero.
  std::map<BitRange, uint64_t> Constants;
  /// Where it is in the function, if it is certain.
  std::optional<unsigned> Point;
  /// It changes what all of its bits have been: `v += 1`, `v = 31 * v + w`.
  /// Another one may assign the same value again.
  bool IsUpdate = false;
  /// What it assigns to its bits, if that follows from what launched the
  /// kernel, or from what nothing else assigns to.
  std::optional<Expression> Value;

  /// The constant that a part of the object is.
  std::optional<uint64_t> findConstant(BitRange Part) const;
};

/// A function's statements and their parts, in each order in which they may be
/// executed.
struct ControlFlow {
  struct Point {
    unsigned Line = 0;
    std::vector<unsigned> Next;
  };
  std::vector<Point> Points;

  /// Whether code of one line is executed after code of another, and in between
  /// always one of \p Needed.
  bool passes(unsigned From, unsigned To,
              const llvm::SmallBitVector &Needed) const;
};

/// The assignments that may be the last ones for some of a variable's bits when
/// code of a line is executed: bits of the numbers of its assignments.
using PartLines = std::map<unsigned, llvm::SmallBitVector>;

/// A local variable or a parameter, with the assignments in its function.
struct AssignedVariable {
  std::string Name;
  /// The line of its declaration.
  unsigned Line = 0;
  /// In bits.
  uint64_t Size = 0;
  std::vector<Assignment> Assignments;
  /// Nothing else assigns to it.
  bool IsComplete = false;
  /// If its value is only changed by adding constants: these.
  std::vector<int64_t> Steps;
  /// The whole variable, and each part that is assigned to. By line.
  std::map<BitRange, PartLines> Parts;

  /// \return Null if nothing is known of that line, or of such a part.
  const llvm::SmallBitVector *findLast(BitRange Part, unsigned AtLine) const;
  /// The assignment of which the whole variable has its value at a line.
  /// \return nullopt if it may be one of several.
  std::optional<unsigned> findOnly(unsigned AtLine) const;
  /// Whether a register that has the variable may have \p Added added to it at
  /// once, by an unrolled loop, too.
  bool mayAdd(int64_t Added) const;
  /// The points at which \p Part is updated, of a function with \p Count.
  llvm::SmallBitVector findUpdates(BitRange Part, size_t Count) const;
  /// Those at which it is assigned a constant.
  llvm::SmallBitVector findConstants(BitRange Part, size_t Count) const;
  /// The assignment whose text a place is in, and which assigns to \p Part.
  /// \return nullopt if there is none, or more than one.
  std::optional<unsigned> findAt(BitRange Part, Place At) const;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_ASSIGNMENTS_H
