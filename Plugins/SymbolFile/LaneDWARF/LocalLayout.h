//===-- LocalLayout.h - how LLVM lays out local memory ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM (AMDGPULowerModuleLDS) puts the __shared__ variables that a kernel
// needs, its own and those of functions that it calls, into one block for each
// kernel, and those that functions of several kernels need into a block that
// comes first in each. Nothing in a code object says who needs what; the sizes
// in the kernels' descriptors do.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCALLAYOUT_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_LOCALLAYOUT_H

#include "llvm/Support/Alignment.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class LocalLayout {
public:
  struct Field {
    /// What GetOffset calls it.
    uint64_t key = 0;
    /// The compiler's, by which fields of one size and alignment are ordered.
    std::string name;
    /// In bytes; 0: an array without bound, which is behind all others.
    uint64_t size = 0;
    llvm::Align align;
  };
  /// A function with __shared__ variables.
  struct Function {
    /// Mangled.
    std::string name;
    std::vector<Field> fields;
    /// The kernels that it is inlined into.
    std::set<std::string> inlined_in;
    /// There is code of it that is called.
    bool is_called = false;
  };
  /// Kernels' bytes of local memory by their mangled names.
  using Kernels = std::map<std::string, uint64_t>;

  /// The alignment that a field of that size has at least: wide accesses want
  /// it.
  static llvm::Align GetLeastAlign(uint64_t size);

  LocalLayout() = default;
  LocalLayout(Kernels kernels, std::vector<Function> functions);

  bool Has(uint64_t key) const { return m_function_of.count(key) != 0; }

  /// Where a field is in the local memory of a workgroup that runs \a kernel.
  /// It must be the same place by all that the kernels' sizes allow.
  /// \param kernel  Empty for any: then it must be the same in all kernels.
  llvm::Expected<uint64_t> GetOffset(uint64_t key,
                                     llvm::StringRef kernel) const;

private:
  /// Who needs a function's fields.
  struct Use {
    std::set<std::string> kernels;
    /// Several kernels call it: its fields are in the block that comes first.
    bool is_common = false;
  };
  using Offsets = std::map<uint64_t, uint64_t>;

  /// Who needs each of m_functions.
  using Assumption = std::vector<Use>;

  std::vector<Use> GetUses(const Function &function) const;
  /// All that are possible; none where they are too many.
  std::vector<Assumption> ListAssumptions() const;
  /// The ways in which a kernel's fields may be laid out.
  std::set<Offsets> LayOut(const Assumption &assumption,
                           const std::string &kernel, bool exactly) const;
  /// \return nullopt where the kernel's size doesn't fit.
  std::optional<Offsets> LayOut(const Assumption &assumption,
                                const std::string &kernel, bool has_common,
                                bool exactly) const;

  Kernels m_kernels;
  std::vector<Function> m_functions;
  std::map<uint64_t, size_t> m_function_of;
  /// By kernel: the ways of all assumptions that fit every kernel.
  std::map<std::string, std::set<Offsets>> m_offsets;
};

} // namespace wavelane
} // namespace lldb_private

#endif
