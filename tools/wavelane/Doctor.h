//===-- Doctor.h - what wavelane doctor finds -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_DOCTOR_H
#define WAVELANE_TOOLS_WAVELANE_DOCTOR_H

#include <string>
#include <vector>

namespace wavelane::command {

enum class Health {
  Ok,
  Note,    ///< Something is absent that not everybody needs.
  Warning, ///< Something won't work.
  Error    ///< No session can be had.
};

/// The result of one examination.
struct Finding {
  std::string Name;
  Health TheHealth;
  std::string Found;
  /// What to do, in one line; empty if nothing is to be done.
  std::string Advice;
};
using Findings = std::vector<Finding>;

/// The programs, their libraries, Python, others of the same names, and
/// variables.
void examineInstallation(Findings &All);

/// The GPU, its driver and libraries, ptrace, compilers, folders and limits.
void examineSystem(Findings &All);

} // namespace wavelane::command

#endif // WAVELANE_TOOLS_WAVELANE_DOCTOR_H
