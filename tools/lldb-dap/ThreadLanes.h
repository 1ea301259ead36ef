//===-- ThreadLanes.h - The lanes of a thread, as a client sees them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_LLDB_DAP_THREADLANES_H
#define WAVELANE_LLDB_DAP_THREADLANES_H

#include "DAP.h"
#include "LaneCommands.h"
#include "Protocol/ProtocolTypes.h"
#include "lldb/API/SBFrame.h"
#include "lldb/API/SBThread.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_dap::wavelane {

class ClientSession;

/// The lanes of a thread that has several (a wave of a GPU, a widened loop), as
/// in the `thread lane` commands: a separate scope, in which the focus lane can
/// be set, each lane contains its variables and each variable its lanes.
class Lanes {
public:
  explicit Lanes(ClientSession &session) : m_session(session) {}

  /// Sets the frame whose lanes are shown.
  void SetFrame(lldb::SBFrame frame) { m_frame = frame; }
  void Clear();

  /// \return The scope; nullopt without a list: there is only one lane.
  std::optional<protocol::Scope>
  CreateScope(const std::optional<LaneList> &list);

  /// Whether \p reference is the scope or something in it.
  bool Owns(int64_t reference) const { return m_entries.count(reference); }
  std::vector<protocol::Variable> GetVariables(int64_t reference, bool hex);

  /// The scope of the frame that the client shows; 0 if it has none.
  int64_t GetScope() const { return m_scope; }

  /// \return What the variable shows afterwards.
  llvm::Expected<std::string>
  SetVariable(int64_t reference, llvm::StringRef name, llvm::StringRef value);

  /// The focus lane of the frame's thread; nullopt if there is only one lane.
  std::optional<uint32_t> GetFocus() const;

  /// Makes the client read everything again if the focus lane isn't \p
  /// before.
  void NotifyIfChanged(std::optional<uint32_t> before);

  /// Threads for the lanes of \p thread.
  void AddThreads(lldb::SBThread thread,
                  std::vector<protocol::Thread> &threads);

  /// Makes the client read the threads again if lanes are among them, and
  /// those of another wave or with another focus lane are to be listed now.
  void NotifyIfThreadsAreStale();

  /// \return False if there is no such lane.
  static bool Select(lldb::SBFrame frame, uint32_t lane);

  /// A log message for the active lanes of the frame's thread, with equal lines
  /// merged: "i is 3 (saxpy (1,0,0)/2, lane 3)". If \p condition isn't empty,
  /// for the lanes in which it holds. \return nullopt if there is only one
  /// lane.
  static std::optional<std::string>
  FormatLogMessage(lldb::SBFrame frame, llvm::StringRef condition,
                   llvm::ArrayRef<DAP::LogMessagePart> parts);

private:
  enum class Kind { Scope, Lane, Variables, Variable };
  struct Entry {
    Kind kind;
    lldb::SBFrame frame;
    uint32_t lane = 0;
    std::string name;
  };

  int64_t AddEntry(Entry entry);
  /// The client reads the threads again: names include lanes.
  void NotifyOfThreads();
  std::vector<protocol::Variable> GetScopeVariables(lldb::SBFrame frame);
  std::vector<protocol::Variable> GetLaneVariables(lldb::SBFrame frame,
                                                   uint32_t lane, bool hex);

  ClientSession &m_session;
  lldb::SBFrame m_frame;
  int64_t m_scope = 0;
  /// The thread whose lanes are listed as threads, with its focus lane.
  std::optional<std::pair<uint64_t, uint32_t>> m_listed;
  std::map<int64_t, Entry> m_entries;
};

} // namespace lldb_dap::wavelane

#endif
