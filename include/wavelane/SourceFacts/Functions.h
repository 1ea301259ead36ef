//===-- Functions.h - the facts of a program's functions --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCEFACTS_FUNCTIONS_H
#define WAVELANE_SOURCEFACTS_FUNCTIONS_H

#include "wavelane/SourceFacts/Assignments.h"
#include "wavelane/SourceFacts/Expression.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::source {

struct Variable {
  std::string Name;
  /// As in debug information.
  unsigned Line = 0;
  bool IsParameter = false;
  /// Something may give it another value than its initializer's, or its
  /// argument's.
  bool IsWritten = false;
  /// Other variables of the function have its name and line.
  bool IsAmbiguous = false;
  ValueType Type;
  std::optional<Expression> Initializer;
};

struct Call {
  /// As in debug information.
  unsigned Line = 0, Column = 0;
  /// The callee's name as the linker knows it.
  std::string Callee;
  std::vector<std::optional<Expression>> Arguments;
};

/// `extern __shared__ float tile[][16];`
struct DynamicArray {
  std::string Name;
  unsigned Line = 0;
  /// The elements' type as C++ writes it, without typedefs.
  std::string Type;
  /// The counts of the inner dimensions.
  std::vector<uint64_t> Counts;
};

struct Function {
  std::vector<Variable> Variables;
  std::vector<Call> Calls;
  std::vector<DynamicArray> Arrays;
  /// The variables that are assigned to more than once.
  std::vector<AssignedVariable> Assigned;
  /// If there are such variables.
  ControlFlow Flow;
  /// It may call itself, by way of others, too: a compiler can make a loop of
  /// that.
  bool MayRepeat = false;

  /// \return Null if there is none, or more than one.
  const Variable *find(llvm::StringRef Name, unsigned Line) const {
    for (const Variable &One : Variables)
      if (One.Name == Name && One.Line == Line)
        return One.IsAmbiguous ? nullptr : &One;
    return nullptr;
  }
  /// \return Null if there is none, or more than one.
  const AssignedVariable *findAssigned(llvm::StringRef Name,
                                       unsigned Line) const {
    const AssignedVariable *Found = nullptr;
    for (const AssignedVariable &One : Assigned)
      if (One.Name == Name && One.Line == Line) {
        if (Found)
          return nullptr;
        Found = &One;
      }
    return Found;
  }
};

/// What is known of a program.
struct ProgramTables {
  /// By the linker's names.
  llvm::StringMap<Function> Functions;
  /// The static variables that are `__shared__`: "NAME:LINE".
  llvm::StringMap<bool> Shared;
};

} // namespace wavelane::source

#endif
