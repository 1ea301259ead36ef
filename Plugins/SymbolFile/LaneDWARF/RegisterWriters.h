//===-- RegisterWriters.h - what a register's value is from -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_REGISTERWRITERS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_REGISTERWRITERS_H

#include "RegisterSteps.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <set>

namespace lldb_private {
namespace wavelane {

/// Finds the instructions that a register's value may be from. Copies between
/// registers are followed to what they copy.
class RegisterWriters {
public:
  using Register = RegisterStep::Register;

  /// \param[in] steps  The function's.
  explicit RegisterWriters(llvm::ArrayRef<RegisterStep> steps);

  struct Writers {
    /// Numbers of steps.
    std::set<size_t> steps;
    /// It may also be from before the function, or from what isn't known.
    bool is_passed = false, has_unknown = false;

    bool HasOthers() const { return is_passed || has_unknown; }
    bool operator==(const Writers &other) const {
      return steps == other.steps && is_passed == other.is_passed &&
             has_unknown == other.has_unknown;
    }
  };
  /// Of the value before a step, in the lanes that execute it.
  const Writers &Find(const Register &reg, size_t step);
  /// Whether nothing has written a register before a step, on any path, and no
  /// call or launch of the function passes something in it.
  bool IsUnwritten(const Register &reg, size_t step);
  /// The numbers of the steps that may be executed just before a step.
  llvm::ArrayRef<size_t> GetBefore(size_t step) const { return m_before[step]; }

private:
  /// A search is given up after as many steps.
  static constexpr size_t kMostSteps = 1 << 22;

  void Search(const Register &reg, size_t step, Writers &found,
              std::set<std::pair<Register, size_t>> &seen);

  llvm::ArrayRef<RegisterStep> m_steps;
  std::vector<std::vector<size_t>> m_before;
  std::map<std::pair<Register, size_t>, Writers> m_found;
  /// By register, the steps before which it may have been written.
  std::map<Register, llvm::BitVector> m_written;
  size_t m_work = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
