//===-- Program.h - what clang knows of a program's source ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which variables of a program are never written after their initialisers, what
// initialises them, and what calls pass, read by clang with the options that
// the program was compiled with. Source that clang reports an error in, or that
// isn't what was compiled, says nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SOURCEFACTS_PROGRAM_H
#define WAVELANE_SOURCEFACTS_PROGRAM_H

#include "wavelane/SourceFacts/Command.h"
#include "wavelane/SourceFacts/Expression.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace wavelane::source {

struct Variable {
  std::string Name;
  /// As in debug information.
  unsigned Line = 0;
  bool IsParameter = false;
  /// Something may give it another value than its initialiser's, or its
  /// argument's.
  bool IsWritten = false;
  /// Other variables of the function have its name and line.
  bool IsAmbiguous = false;
  ValueType Type;
  std::optional<Expression> Initialiser;
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
  /// It may call itself, by way of others, too: a compiler can make a loop of
  /// that.
  bool MayRepeat = false;

  /// \return Null if there is none, or more than one.
  const Variable *find(llvm::StringRef Name, unsigned Line) const;
};

/// Source to be read.
struct Request {
  Command How;
  std::string File;
  /// Such as "gfx90a".
  std::string GPU;
  /// The lanes of a wave.
  unsigned LaneCount = 64;
  /// Clang's own headers.
  std::string ResourceFolder;
  /// Whether a file of the program's own is what was compiled.
  std::function<bool(llvm::StringRef Path, llvm::StringRef Text)> IsAsCompiled;
};

class Program {
public:
  /// Reads a file, and what it includes.
  static llvm::Expected<std::unique_ptr<Program>> read(const Request &From);

  /// \param[in] Name  As the linker knows it.
  /// \return Null for an unknown function.
  const Function *find(llvm::StringRef Name) const;
  /// Whether a static variable is `__shared__`.
  bool isShared(llvm::StringRef Name, unsigned Line) const {
    return Shared.contains((Name + ":" + llvm::Twine(Line)).str());
  }

private:
  friend class Reader;
  llvm::StringMap<Function> Functions;
  /// "NAME:LINE"
  llvm::StringMap<bool> Shared;
};

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_PROGRAM_H
