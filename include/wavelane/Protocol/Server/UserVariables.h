//===-- UserVariables.h - environment variables of users --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All variables that are for users, each with its meaning and what its value
// can be. Each program of Wavelane's that a variable reaches first refuses a
// wrong value, also of one that only another program reads.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_USERVARIABLES_H
#define WAVELANE_PROTOCOL_SERVER_USERVARIABLES_H

#include "wavelane/Protocol/Server/SettingsMessages.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <vector>

namespace wavelane::protocol {

struct Variable {
  llvm::StringLiteral Name;
  llvm::StringLiteral Meaning;
  /// An error that says what would be right. \param Folder Where relative paths
  /// begin; empty: the current one.
  llvm::Error (*Check)(llvm::StringRef Text, llvm::StringRef Folder);
};

/// Those of Wavelane's own, in the order of the manual.
llvm::ArrayRef<Variable> getVariables();

/// Checks the value of each variable; an empty one is as none.
/// \param Get The value of a variable; empty without one.
/// \return "WAVELANE_CUS is 'abc': it must be a number from 1 to 512; ..."
llvm::Error
checkVariables(llvm::function_ref<std::string(llvm::StringRef Name)> Get,
               llvm::StringRef Folder = "");
/// Checks those of this process.
llvm::Error checkVariables();

/// Set by what has warned of mistyped names, for what it starts.
inline constexpr char WarnedVariable[] = "WAVELANE_WARNED";

/// \return "WAVELANE_CU has no effect: did you mean WAVELANE_CUS?"; empty
/// unless \a Name is like that of a variable.
std::string explainMistyped(llvm::StringRef Name);
/// Of this process, unless something has warned of them.
std::vector<std::string> findMistyped();

/// A port, or a range of them as "4001-4010".
struct PortRange {
  uint16_t First = 0, Last = 0;
};
llvm::Error readText(llvm::StringRef Text, PortRange &Out);

/// Whether a variable of this process that can be 0 or 1 is 1.
bool isOn(const char *Name);

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_USERVARIABLES_H
