//===-- CoreFiles.h - a job's cores on LLDB's command line ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB opens one core: of `lldb -c core.0 core.1 core.2`, which a shell makes
// of `lldb -c core.*`, it executes
//
//   target create "core.1" --core "core.0"
//   settings set -- target.run-args "core.2"
//
// A core isn't a program, nor an argument of a core: so both commands, where
// they name cores, open them as the ranks of a job.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDS_OVERRIDES_COREFILES_H
#define WAVELANE_COMMANDS_OVERRIDES_COREFILES_H

#include "llvm/ADT/StringRef.h"

namespace lldb_private {
class CommandReturnObject;
class Debugger;

namespace wavelane {

/// \param[in] line `target create ...`, with its options.
/// \return False if it doesn't name two cores: it is still to be run.
bool CreateTargetOfCores(Debugger &debugger, llvm::StringRef line,
                         CommandReturnObject &result);

/// \param[in] line `settings set -- target.run-args ...`.
/// \return False if it doesn't name cores, or no core is selected.
bool AddCores(Debugger &debugger, llvm::StringRef line,
              CommandReturnObject &result);

} // namespace wavelane
} // namespace lldb_private

#endif
