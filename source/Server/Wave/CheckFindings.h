//===-- CheckFindings.h - what checks have found in a program ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated device stops a wave before an access that a check objects
// to, and appends the finding, a JSON object in a line, to a file in the folder
// that the program's environment names.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_WAVE_CHECKFINDINGS_H
#define WAVELANE_SERVER_WAVE_CHECKFINDINGS_H

#include "Server/Library/GPUSession.h"
#include "Wave.h"
#include "lldb/Utility/Environment.h"
#include "lldb/lldb-types.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace wavelane::server {

/// Sets the number of the finding that a stopped wave is at, 1 for the first,
/// or nullopt if it has stopped for another reason; and its lanes. Only our
/// library reports, and a core that has findings.
void FindFinding(GPUSession &session, Wave &wave);

/// The folder in which a program's device finds what to check, and puts what it
/// has found; removed in the end. The next server removes that of a server
/// which was killed.
class CheckFolder {
public:
  CheckFolder() = default;
  CheckFolder(const CheckFolder &) = delete;
  CheckFolder &operator=(const CheckFolder &) = delete;
  ~CheckFolder() { Remove(); }
  /// Makes the folder for the simulated device of a program that will be
  /// started, and sets its variables. Fails for hardware, which can't check.
  /// \param options  As Settings::check; may be empty: see Choose().
  llvm::Error SetUp(lldb_private::Environment &environment,
                    const llvm::json::Object &options, bool is_simulated);
  /// Chooses other checks for a program that hasn't used its device yet; later
  /// without effect.
  llvm::Error Choose(const llvm::json::Object &options);
  /// Sets this process's variables for the device of a core, which is about to
  /// run on.
  llvm::Error SetUpCore(const corefile::CoreFile &core,
                        llvm::json::Object options);

private:
  void Remove();
  std::string m_path;
  /// Its descriptor, which is locked while the server lives.
  int m_lock = -1;
};

/// All findings of a session's device so far, an object in each line; empty if
/// there is no check.
std::string ReadFindings(const GPUSession &session);
/// All findings of a session's program or core.
llvm::json::Array GetFindings(GPUSession &session);
/// Whether a live program is, or was, checked.
bool IsChecked(const GPUSession &session);

/// Adds what is known of a stop's finding: "Invalid global write of size 4
/// bytes, out[64]", and the lanes of its other side.
void AddFinding(GPUSession &session, protocol::Stop &stop);

/// Asks the device's checks: arguments and answer are packets::Checks'.
llvm::Expected<llvm::json::Value> AskChecks(GPUSession &session,
                                            const llvm::json::Object &request);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_CHECKFINDINGS_H
