//===-- Command.h - how a program was compiled ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCEFACTS_COMMAND_H
#define WAVELANE_SOURCEFACTS_COMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace wavelane::source {

/// A compiler's command.
struct Command {
  /// The compiler, and its arguments.
  std::vector<std::string> Words;
  /// The folder that it ran in.
  std::string Folder;
  /// It was recorded. Otherwise, source whose meaning depends on options says
  /// nothing.
  bool IsKnown = false;
};

/// The command that clang's -grecord-command-line writes into DW_AT_producer.
std::optional<std::vector<std::string>>
findRecordedCommand(llvm::StringRef Producer);

/// The command in the nearest compile_commands.json of a folder, of its
/// parents, or of their `build` folders.
std::optional<Command> findInDatabase(llvm::StringRef File,
                                      llvm::StringRef Folder);

/// The command with which clang parses \p File for a GPU as \p How compiles it:
/// without what writes files or loads code, since debug information may be
/// hostile.
/// \param[in] GPU  Empty: for the host.
/// \param[in] LaneCount  For headers that need an older clang's macro.
llvm::Expected<std::vector<std::string>>
makeParseCommand(const Command &How, llvm::StringRef File, llvm::StringRef GPU,
                 unsigned LaneCount, llvm::StringRef ResourceFolder);

} // namespace wavelane::source

#endif // WAVELANE_SOURCEFACTS_COMMAND_H
