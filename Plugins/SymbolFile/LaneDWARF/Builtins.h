//===-- Builtins.h - variables that a language brings -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A language's headers can declare objects that don't exist in the program and
// whose members are calls, such as HIP's threadIdx. Here, they are constants
// whose values depend on the focus lane of a frame. The language's plugin lists
// them.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_BUILTINS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_BUILTINS_H

#include "Core/Lane/FrameFacts.h"
#include "Core/Lane/LaneSource.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Utility/ConstString.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
}
class VariableList;
namespace wavelane {
class LaneSymbols;

struct BuiltinVariable {
  const char *name;
  /// A lane count is a four-byte number; the others are three numbers called x,
  /// y and z.
  LaneSource::Extent extent;
};

/// A language's built-ins. The arrays live as long as the plugin.
struct LanguageBuiltins {
  llvm::ArrayRef<BuiltinVariable> variables;
  /// The prefixes of types and variables in the language's headers.
  llvm::ArrayRef<llvm::StringLiteral> header_prefixes;
  /// A name for the type of three numbers that no program uses.
  const char *coordinates_type = nullptr;
  /// Writes the source of functions that the headers declare, for code that has
  /// certain types and functions; null for none.
  std::string (*functions)(llvm::function_ref<bool(llvm::StringRef name)> has) =
      nullptr;
};
/// Called once, by the language's plugin.
void SetLanguageBuiltins(const LanguageBuiltins &builtins);

/// The functions of the installed language, for code that has certain types and
/// functions.
std::string
GetBuiltinFunctions(llvm::function_ref<bool(llvm::StringRef name)> has);

llvm::ArrayRef<BuiltinVariable> GetBuiltinVariables();
/// \return Null if no built-in is called \a name.
const BuiltinVariable *FindBuiltin(llvm::StringRef name);
/// Finds the built-in that an expression refers to by a register number, which
/// is far beyond any machine's registers.
/// \return Null for other numbers.
const BuiltinVariable *FindBuiltinRegister(uint64_t dwarf_number);

uint64_t GetByteSize(const BuiltinVariable &builtin);
/// The bytes of a built-in at a frame and lane.
llvm::Expected<llvm::SmallVector<uint8_t, 64>>
ReadBuiltin(const BuiltinVariable &builtin, const FrameFacts &facts);

/// The built-in variables of one symbol file. Their locations are registers
/// that only FrameContext knows.
class Builtins {
public:
  explicit Builtins(LaneSymbols &symbols) : m_symbols(symbols) {}

  /// Replaces the variables of the language's headers in \a list, from \a first
  /// on, by the built-ins: all of them, or \a only one. A program's own
  /// variable of the same name is kept instead of the built-in. \param scope
  /// The scope of the variables; \a unit reads their locations.
  void Replace(VariableList &list, size_t first, const BuiltinVariable *only,
               SymbolContextScope &scope, const plugin::dwarf::DWARFUnit &unit);

  /// Removes the members of the language's header classes, such as the x of
  /// threadIdx's, from \a list, from \a first on.
  void RemoveMembers(VariableList &list, size_t first);

private:
  lldb::TypeSP GetType(const BuiltinVariable &builtin);

  LaneSymbols &m_symbols;
  lldb::TypeSP m_coordinates, m_number;
};

} // namespace wavelane
} // namespace lldb_private

#endif
