//===-- HipBuiltins.h - threadIdx and its like -----------------*- C++ -*-===//
//
// HIP's headers make threadIdx, blockIdx, blockDim, gridDim and warpSize objects
// without a place, whose members are calls. Here they are constants that the focus
// lane of a frame gives their values: three numbers each, and a number.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_HIPBUILTINS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_HIPBUILTINS_H

#include "Lane/FrameFacts.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Utility/ConstString.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>
#include <string>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
}
class VariableList;
namespace wavelane {
class SymbolFileLaneDWARF;

/// The built-in variables of one symbol file. They are located by registers that
/// only FrameContext knows.
class HipBuiltins {
public:
  explicit HipBuiltins(SymbolFileLaneDWARF &symbols) : m_symbols(symbols) {}

  static constexpr size_t kCount = 5;

  /// \return The index of the built-in called \a name.
  static std::optional<size_t> Find(llvm::StringRef name);
  static llvm::StringRef GetName(size_t index);

  /// Takes what HIP's headers declare out of \a list, from \a first on, and adds
  /// the built-ins: all of them, or \a only one. A program's own variable of the
  /// same name stays, and none is added beside it.
  /// \param scope  What the variables belong to; \a unit reads their locations.
  void Replace(VariableList &list, size_t first, std::optional<size_t> only,
               SymbolContextScope &scope, const plugin::dwarf::DWARFUnit &unit);

  /// The number that stands for built-in \a index in an expression: far beyond
  /// the registers of any machine.
  static std::optional<size_t> FindRegister(uint64_t dwarf_number);
  static uint64_t GetByteSize(size_t index);
  /// The bytes that a built-in has at a frame and lane.
  static llvm::Expected<llvm::SmallVector<uint8_t, 64>>
  Read(size_t index, const FrameFacts &facts);

private:
  lldb::TypeSP GetType(size_t index);

  SymbolFileLaneDWARF &m_symbols;
  lldb::TypeSP m_coordinates, m_number;
};

} // namespace wavelane
} // namespace lldb_private

#endif
