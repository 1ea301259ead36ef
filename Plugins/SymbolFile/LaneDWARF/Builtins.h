//===-- Builtins.h - variables that a language brings -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language's headers can declare objects without a place in the program,
// whose members are calls: HIP's threadIdx. Here they are constants that the
// focus lane of a frame gives their values. Which there are is told by the
// language's plugin.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_BUILTINS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_BUILTINS_H

#include "Lane/FrameFacts.h"
#include "Lane/LaneSource.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Utility/ConstString.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
}
class VariableList;
namespace wavelane {
class SymbolFileLaneDWARF;

struct BuiltinVariable {
  const char *name;
  /// A lane count is a number of four bytes; the others are three, called x, y
  /// and z.
  LaneSource::Extent extent;
};

/// What a language has of them. The arrays live as long as the plugin.
struct LanguageBuiltins {
  llvm::ArrayRef<BuiltinVariable> variables;
  /// What the names of types and variables of the language's headers begin
  /// with.
  llvm::ArrayRef<llvm::StringLiteral> header_prefixes;
  /// A name for the type of three numbers that no program has.
  const char *coordinates_type = nullptr;
};
/// Installed once, by the language's plugin.
void SetLanguageBuiltins(const LanguageBuiltins &builtins);

/// \return null when no built-in is called \a name.
const BuiltinVariable *FindBuiltin(llvm::StringRef name);
/// An expression calls a built-in by a number far beyond the registers of any
/// machine.
/// \return null for other numbers.
const BuiltinVariable *FindBuiltinRegister(uint64_t dwarf_number);

uint64_t GetByteSize(const BuiltinVariable &builtin);
/// The bytes that a built-in has at a frame and lane.
llvm::Expected<llvm::SmallVector<uint8_t, 64>>
ReadBuiltin(const BuiltinVariable &builtin, const FrameFacts &facts);

/// The built-in variables of one symbol file. They are located by registers
/// that only FrameContext knows.
class Builtins {
public:
  explicit Builtins(SymbolFileLaneDWARF &symbols) : m_symbols(symbols) {}

  /// Takes what the language's headers declare out of \a list, from \a first
  /// on, and adds the built-ins: all of them, or \a only one. A program's own
  /// variable of the same name stays, and none is added beside it.
  /// \param scope  What the variables belong to; \a unit reads their locations.
  void Replace(VariableList &list, size_t first, const BuiltinVariable *only,
               SymbolContextScope &scope, const plugin::dwarf::DWARFUnit &unit);

private:
  lldb::TypeSP GetType(const BuiltinVariable &builtin);

  SymbolFileLaneDWARF &m_symbols;
  lldb::TypeSP m_coordinates, m_number;
};

} // namespace wavelane
} // namespace lldb_private

#endif
