//===-- GPUCoupling.h - one program, two processes in LLDB -----*- C++ -*-===//
//
// A program that uses a GPU is two targets in LLDB. The user is to see one: what
// runs one runs the other, what stops one stops the other, and a breakpoint of one
// is one of both.
//
// The process that the user resumes leads; the other one follows: it is resumed by
// the coupling, and its state changes are read by the coupling's own thread instead
// of the debugger. When the leader stops, the follower is halted, quietly. When the
// follower stops first, its target is selected, its stop is shown, and then the
// leader is interrupted, so that whoever waits for the leader (a command in
// synchronous mode, an IDE) comes back when everything that is to be seen is there.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGGER_COUPLING_GPUCOUPLING_H
#define WAVELANE_DEBUGGER_COUPLING_GPUCOUPLING_H

#include "BreakpointMirror.h"
#include "Process/AMDGPU/HostCoupling.h"

#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Broadcaster.h"
#include "lldb/Utility/Listener.h"
#include "llvm/Support/Error.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

class GPUCoupling : public HostCoupling,
                    public std::enable_shared_from_this<GPUCoupling> {
public:
  /// The coupling of a host target; made at first use, kept for later runs.
  static std::shared_ptr<GPUCoupling> GetOrCreate(Target &host_target);
  /// The coupling that \a target is one side of, or null.
  static std::shared_ptr<GPUCoupling> Find(Target &target);
  /// Ends all couplings of a debugger, or of all.
  static void Clear(Debugger *debugger);

  explicit GPUCoupling(Target &host_target);
  ~GPUCoupling() override;

  lldb::TargetSP GetHostTarget() const override { return m_host_wp.lock(); }
  lldb::TargetSP GetGPUTarget() const { return m_gpu_wp.lock(); }
  lldb::ProcessSP GetHost() const override;
  std::shared_ptr<ProcessAMDGPU> GetGPU() const;

  /// Makes the GPU target, once, and connects it.
  /// \param[in] arch
  ///     The GPU's architecture as far as it is known.
  /// \param[in] url
  ///     As the server gives it, "unix-connect:///..." or "connect://host:port".
  llvm::Error Connect(const ArchSpec &arch, llvm::StringRef url);

  /// Makes the GPU target of a core file. Where a wave has stopped for a reason it is
  /// selected.
  /// \param[in] core
  ///     The file that has the GPU's state.
  /// \param[in] host_core
  ///     The file that has the host's memory; may be the same.
  llvm::Error OpenCore(const FileSpec &core, const FileSpec &host_core);

  /// Reads the list of code objects again and resolves breakpoints in them. The
  /// GPU is stopped meanwhile; it runs on with the host.
  void RefreshModules();

  // What the two processes tell.
  void WillResume(Process &process) override;
  void DidResume(Process &process) override;
  void WillPublicStop(Process &process) override;
  void DidExit(Process &process) override;
  /// Whether \a process is being stopped because the other one has.
  bool StopsForTheOther(Process &process);
  /// The GPU's end is the program's, which is shown first, with its last output:
  /// who waits for the GPU goes on when the GPU has ended.
  void WaitForHostsEnd() override;

  /// The host is about to be detached from: the GPU goes first.
  void DetachGPU();
  /// The host has ended or was killed: so has the GPU.
  void HostIsGone();
  void KillHost() override;

  /// Selects the host target, for commands that are about the program as a whole.
  void SelectHostTarget();

private:
  enum class Side { None, Host, GPU };

  llvm::Expected<lldb::TargetSP> MakeGPUTarget(Target &host_target,
                                               const ArchSpec &arch);
  Side GetSide(const Process &process) const;
  lldb::ProcessSP GetProcess(Side side) const;
  void Start();
  void Stop();
  void Run();
  void Wake();
  void HandleEvent(const lldb::EventSP &event_sp);
  void FollowerStopped(const lldb::ProcessSP &process_sp,
                       const lldb::EventSP &event_sp);
  void FollowerEnded(const lldb::ProcessSP &process_sp,
                     const lldb::EventSP &event_sp);
  void FinishGPU(const char *reason);
  /// The follower's stop has been shown.
  void Shown();
  /// Gives the follower's events back to the debugger.
  void EndFollowing(std::unique_lock<std::mutex> &lock);
  bool HaltFollower();
  /// Stops the GPU for work of the debugger's own while a host thread stands in
  /// the runtime, unseen by who waits for the GPU to stop.
  bool PauseGPU();
  void ContinueGPU();
  void Show(Process &process, const lldb::EventSP &event_sp);
  static void FlushOutput(Process &process);

  lldb::TargetWP m_host_wp;
  lldb::TargetWP m_gpu_wp;
  lldb::ListenerSP m_listener_sp;
  Broadcaster m_wake;
  std::thread m_thread;
  BreakpointMirror m_mirror;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  /// Who follows, from its resume until its stop has been taken in.
  Side m_follower = Side::None;
  /// The follower was asked to halt: its stop isn't news.
  bool m_halting = false;
  /// The GPU is being connected to: its first stop isn't news.
  bool m_connecting = false;
  /// The side that stays interrupted until it has publicly stopped.
  Side m_wanted_stop = Side::None;
  /// The coupling has stopped the other side for a stop of this one that may turn
  /// out to be none (a condition that doesn't hold): it runs again with it.
  bool m_other_runs_along = false;
  /// The thread that resumes the follower, which may stop meanwhile.
  std::thread::id m_resuming;
  /// The side that has publicly stopped before the other one was resumed with it.
  Side m_stopped_early = Side::None;
  bool m_host_gone = false;
  bool m_host_end_shown = false;
  /// The follower's stop is being shown to the user.
  bool m_showing = false;
  /// The GPU leads and is paused: its events go past the one who waits for it.
  bool m_pausing = false;
  lldb::EventSP m_pause_stopped_sp;
  bool m_pause_running = false;
  bool m_exit = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
