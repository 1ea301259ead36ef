//===-- Spawn.h - programs that no debugger follows -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_COMMON_SPAWN_H
#define WAVELANE_SIMULATOR_COMMON_SPAWN_H

#include <spawn.h>

#include <string>
#include <vector>

namespace wavelane::simulator {

/// Starts a program that isn't a child of this process: the process may wait
/// for all of its children, must not get a SIGCHLD for ours, and a debugger
/// that follows children doesn't see it. It gets the environment except
/// LD_PRELOAD.
/// \param Arguments The program's path, and its arguments.
/// \param Actions What to do with descriptors.
/// \param Status If not null, waits for the program's end, and is set as by
///     waitpid.
/// \return 0, or an errno.
int spawnApart(std::vector<std::string> Arguments,
               const posix_spawn_file_actions_t &Actions,
               int *Status = nullptr);

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_SPAWN_H
