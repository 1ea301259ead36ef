//===-- PointerSpaces.h - where pointers lead -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer on an AMD GPU leads into an address space: that of its type
// (DW_AT_LLVM_address_space, DW_AT_address_class), or for a generic pointer the
// one whose aperture holds its value. What it leads to there depends on the
// wave and the lane that look.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_POINTERSPACES_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_POINTERSPACES_H

#include "Plugins/SymbolFile/DWARF/DWARFDIE.h"
#include "lldb/Core/PointerResolver.h"

namespace lldb_private {
namespace wavelane {

class PointerSpaces : public PointerResolver {
public:
  static void Initialize();

  /// The space that \a die, a pointer type, gives its pointers, by AMDGPU's
  /// DWARF number; 0 for global and generic ones. One that doesn't exist is
  /// given as it is: what such a pointer leads to can't be read.
  static unsigned ReadAttributes(const plugin::dwarf::DWARFDIE &die);

  unsigned GetSpace(const CompilerType &pointer) const override;
  lldb::addr_t Resolve(const ExecutionContext &exe_ctx, unsigned space,
                       uint64_t value) const override;
  uint64_t GetNull(unsigned space) const override;
  uint64_t Convert(unsigned from, unsigned to, uint64_t value) const override;
  ArchSpec GetExpressionArchitecture(const Target &target) const override;
  std::string GetDataLayout(const Target &target) const override;
  lldb::TypeSummaryImplSP
  GetSummary(ValueObject &object,
             const lldb::TypeSummaryImplSP &found) const override;
};

} // namespace wavelane
} // namespace lldb_private

#endif
