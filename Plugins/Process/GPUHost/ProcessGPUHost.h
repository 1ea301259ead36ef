//===-- ProcessGPUHost.h - a process that may use a GPU ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_GPUHOST_PROCESSGPUHOST_H
#define WAVELANE_PLUGINS_PROCESS_GPUHOST_PROCESSGPUHOST_H

#include "Core/Lane/LaneProcess.h"
#include "ProcessGDBRemote.h"
#include "ProgramFile.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace lldb_private {
namespace wavelane {

class ProgramCoupling;
struct OwedAnswers;

/// Replaces LLDB's gdb-remote process plugin, under its name. A process whose
/// server has no GPU behaves exactly as before; otherwise it also reports
/// events to the coupling.
class ProcessGPUHost
    : public LaneProcess<process_gdb_remote::ProcessGDBRemote> {
public:
  static void Initialize();
  static lldb::ProcessSP CreateInstance(lldb::TargetSP target_sp,
                                        lldb::ListenerSP listener_sp,
                                        const FileSpec *crash_file_path,
                                        bool can_connect);

  ProcessGPUHost(lldb::TargetSP target_sp, lldb::ListenerSP listener_sp);
  ~ProcessGPUHost() override;

  Status DoConnectRemote(llvm::StringRef remote_url) override;
  Status DoLaunch(Module *exe_module, ProcessLaunchInfo &launch_info) override;
  Status DoAttachToProcessWithID(lldb::pid_t pid,
                                 const ProcessAttachInfo &info) override;
  Status DoAttachToProcessWithName(const char *name,
                                   const ProcessAttachInfo &info) override;
  void DidAttach(ArchSpec &process_arch) override;
  /// Names the running file if the program's own was deleted or replaced.
  bool GetProcessInfo(ProcessInstanceInfo &info) override;
  Status WillHalt() override;
  /// Gives the prompt back if the server doesn't answer.
  Status DoHalt(bool &caused_stop) override;
  bool DestroyRequiresHalt() override;
  /// Also ends a program whose server doesn't answer.
  Status DoDestroy() override;
  Status WillResume() override;
  Status DoResume(lldb::RunDirection direction) override;
  void WillPublicStop() override;
  /// The program stops with its GPU, which reports the reason.
  bool TellsStopInBackground() override;
  void RefreshStateAfterStop() override;
  /// Says which process has gone, how, and what to do.
  bool SetExitStatus(int exit_status, llvm::StringRef how) override;
  void DidExit() override;
  Status WillDetach() override;
  void DidDestroy() override;
  /// Saves a program with its GPU, if it uses one; otherwise as LLDB does.
  llvm::Expected<bool> SaveCore(llvm::StringRef outfile) override;

  /// Null until the program uses its GPU.
  std::shared_ptr<ProgramCoupling> GetCoupling() const {
    return std::atomic_load(&m_coupling_sp);
  }
  void SetCoupling(const std::shared_ptr<ProgramCoupling> &coupling_sp);
  /// Lets the waits for answers end while that process is stopped.
  /// \param pid  The process that simulates the GPU, on the server's machine;
  ///     LLDB_INVALID_PROCESS_ID if there is none.
  void SetDeviceProcess(lldb::pid_t pid);

private:
  /// Gets a connection to a server, and prepares it.
  Status Connect(const ProcessInfo &info);
  /// Starts a server on this machine. Ctrl-C ends the wait for its answers, and
  /// so does its end.
  Status StartServer(const ProcessInfo &process_info);
  /// Called on the thread that waits for the server process.
  /// \param signal  0 if it wasn't killed.
  void ServerEnded(int signal, int status);
  /// Says what has become of the server if a launch or an attach fails for it.
  Status ExplainStart(Status error);
  /// Makes the connection interruptible, unless it is.
  void Install();
  /// Connects to a server that is there or will be, in 5 s. Ctrl-C ends the
  /// wait.
  Status ConnectTo(llvm::StringRef url);
  /// Sends the server the plugin.process.amdgpu.* settings that it needs.
  llvm::json::Object GetServerSettings();
  void SendSettings();
  void EndInput();
  /// While the program is stopped, nobody else notices its end.
  void LookAtLink();
  /// Whether the server owes answers, overdue or given up.
  bool IsUnanswered() const;
  /// Called again and again while a server owes an answer that no command waits
  /// for.
  /// \param stop_is_reported  Whether a stop is being shown to the user.
  void LookAtOverdue(bool stop_is_reported);
  /// Gives the prompt back if an interrupt waits.
  void LookAtInterrupt();
  /// \param limit  How long the server has, as a sentence; may be empty.
  void GiveBackPrompt(llvm::StringRef limit);
  /// LLDB's own text, in words that name what has gone.
  std::string DescribeEnd(int &exit_status, llvm::StringRef how);

  std::shared_ptr<ProgramCoupling> m_coupling_sp;
  const std::shared_ptr<OwedAnswers> m_owed_sp;
  /// The interruptible connection, for comparison only.
  const Connection *m_installed = nullptr;
  /// What the server has of the settings.
  bool m_has_sent_settings = false;
  llvm::json::Object m_sent_settings;
  std::atomic<bool> m_is_launched{false};
  /// Set before LLDB's loader asks for the program's file.
  std::optional<ChangedProgram> m_changed_program;
  /// The server hasn't answered an interrupt for so long that the user was
  /// notified.
  std::atomic<bool> m_is_unanswered{false};
  /// Of the last answer that was overdue: whether the program had stopped.
  std::atomic<bool> m_is_overdue_at_stop{false};
  /// The program is killed although its server doesn't answer.
  std::atomic<bool> m_ends_without_server{false};
  /// The server process that this object has started.
  lldb::pid_t m_started_server = LLDB_INVALID_PROCESS_ID;
  /// The thread that waits for the server process reports its end.
  std::mutex m_end_mutex;
  /// How it has ended; none while it runs, empty if in order.
  std::optional<std::string> m_server_end;
  std::condition_variable m_end_reported;
};

} // namespace wavelane
} // namespace lldb_private

#endif
