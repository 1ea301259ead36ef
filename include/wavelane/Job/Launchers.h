//===-- Launchers.h - what is known of mpirun and its like ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_JOB_LAUNCHERS_H
#define WAVELANE_JOB_LAUNCHERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::job {

/// Which rank of a job a process is.
struct Place {
  uint32_t Rank = 0;
  std::optional<uint32_t> Size;
  /// The variable that has the rank.
  std::string Source;
};

/// Reads the variables of Open MPI, PMIx, MPICH's hydra, Slurm and torchrun.
/// \param Get The value of a variable, or null.
/// \return An error that names the variables if there is none, or the one that
///     has no number.
llvm::Expected<Place>
findPlace(llvm::function_ref<const char *(const char *Name)> Get);

/// Puts \a Rank, the path of wavelane-rank, in front of each program of a
/// launcher's command line ("mpirun -n 2 ./a : -n 2 ./b"), unless it is there.
/// \param IsProgram Whether a word is an executable file, or the name of one in
///     PATH.
/// \return An error if no word of a part is a program.
llvm::Expected<std::vector<std::string>>
insertRank(llvm::ArrayRef<std::string> Words, llvm::StringRef Rank,
           llvm::function_ref<bool(llvm::StringRef Word)> IsProgram);

} // namespace wavelane::job

#endif // WAVELANE_JOB_LAUNCHERS_H
