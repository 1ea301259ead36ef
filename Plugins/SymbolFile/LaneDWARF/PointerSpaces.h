//===-- PointerSpaces.h - where pointers lead -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer on an AMD GPU points into an address space: that of its type
// (DW_AT_LLVM_address_space, DW_AT_address_class), or for a generic pointer the
// one whose aperture contains its value. The memory there depends on the wave
// and lane that access it.
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

  /// The address space of the pointer type \a die, by AMDGPU's DWARF number; 0
  /// for global and generic pointers. Numbers of spaces that don't exist are
  /// returned unchanged: reading through such pointers fails.
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

private:
  lldb::TypeSummaryImplSP
  GetPointerSummary(ValueObject &object,
                    const lldb::TypeSummaryImplSP &found) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
