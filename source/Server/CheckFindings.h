//===-- CheckFindings.h - what checks have found in a program ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated device stops a wave in front of an access that a check objects
// to, and appends the finding, a JSON object in a line, to a file in the folder
// that the program's environment names.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_CHECKFINDINGS_H
#define WAVELANE_SERVER_CHECKFINDINGS_H

#include "GPUSession.h"
#include "Wave.h"
#include "WaveReader.h"
#include "lldb/Utility/Environment.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace wavelane::server {

/// The number of the finding that a stopped wave is at, 1 for the first;
/// nullopt if it has stopped for another reason. Only our library tells.
std::optional<uint64_t> GetFinding(GPUSession &session, WaveReader &reader,
                                   Wave &wave);

/// The folder of a program that is checked; removed in the end.
class CheckFolder {
public:
  CheckFolder() = default;
  CheckFolder(const CheckFolder &) = delete;
  CheckFolder &operator=(const CheckFolder &) = delete;
  ~CheckFolder() { Remove(); }
  /// Sets the variables for the program's device. Fails for hardware, which
  /// can't check.
  llvm::Error SetUp(lldb_private::Environment &environment,
                    llvm::StringRef checks, bool is_simulated);

private:
  void Remove();
  std::string m_path;
};

/// All findings of program \p pid so far; empty if there is no check.
llvm::json::Array ReadFindings(lldb::pid_t pid);

/// "Invalid global write of size 4 bytes, out[64]"; empty if it isn't known.
std::string DescribeFinding(lldb::pid_t pid, uint64_t id);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CHECKFINDINGS_H
