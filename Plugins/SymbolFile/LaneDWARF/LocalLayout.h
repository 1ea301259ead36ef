//===-- LocalLayout.h - how LLVM lays out local memory ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM (AMDGPULowerModuleLDS) puts the __shared__ variables that a kernel
// needs, its own and those of functions that it calls, into one block for each
// kernel, and those that functions of several kernels need into a block at the
// beginning of each. A code object doesn't say which kernel needs which
// variable; the sizes in the kernels' descriptors constrain it.
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
    /// The key for GetOffset.
    uint64_t key = 0;
    /// The compiler's name, which orders fields of the same size and alignment.
    std::string name;
    /// In bytes; 0 for an array without bound, which is placed after all
    /// others.
    uint64_t size = 0;
    llvm::Align align;
  };
  /// A function with __shared__ variables.
  struct Function {
    /// Mangled.
    std::string name;
    std::vector<Field> fields;
    /// The kernels that the function is inlined into.
    std::set<std::string> inlined_in;
    /// Some code calls it, rather than inlining it.
    bool is_called = false;
  };
  /// The size of kernels' local memory in bytes, by mangled name.
  using Kernels = std::map<std::string, uint64_t>;

  /// By kernel: the sizes of private arrays and structures, for all work-items
  /// of the largest workgroup. LLVM (AMDGPUPromoteAlloca) may move each into
  /// local memory behind the blocks, where nothing describes it.
  using Promotable = std::map<std::string, std::vector<uint64_t>>;

  /// The minimum alignment of a field of that size, for wide accesses.
  static llvm::Align GetLeastAlign(uint64_t size);

  LocalLayout() = default;
  LocalLayout(Kernels kernels, std::vector<Function> functions,
              Promotable promotable = {});

  bool Has(uint64_t key) const { return m_function_of.count(key) != 0; }

  /// The offset of a field in the local memory of a workgroup that runs \a
  /// kernel. Fails unless all layouts that fit the kernels' sizes agree.
  /// \param kernel Empty for any: then it must be the same in all kernels.
  llvm::Expected<uint64_t> GetOffset(uint64_t key,
                                     llvm::StringRef kernel) const;

private:
  /// Which kernels need a function's fields.
  struct Use {
    std::set<std::string> kernels;
    /// Several kernels call it: its fields are in the common block.
    bool is_common = false;
  };
  using Offsets = std::map<uint64_t, uint64_t>;

  /// A Use for each of m_functions.
  using Assumption = std::vector<Use>;

  std::vector<Use> GetUses(const Function &function) const;
  /// All possible assumptions; none if there are too many.
  std::vector<Assumption> ListAssumptions() const;
  /// The possible layouts of a kernel's fields.
  std::set<Offsets> LayOut(const Assumption &assumption,
                           const std::string &kernel, bool exactly) const;
  /// \return nullopt if the kernel's size doesn't fit.
  std::optional<Offsets> LayOut(const Assumption &assumption,
                                const std::string &kernel, bool has_common,
                                bool exactly) const;

  /// Whether some of the kernel's promotable objects fill its local memory from
  /// \a begin on.
  bool IsFilled(const std::string &kernel, uint64_t begin) const;

  Kernels m_kernels;
  Promotable m_promotable;
  std::vector<Function> m_functions;
  std::map<uint64_t, size_t> m_function_of;
  /// By kernel: the layouts of all assumptions that fit every kernel.
  std::map<std::string, std::set<Offsets>> m_offsets;
};

} // namespace wavelane
} // namespace lldb_private

#endif
