//===-- GPUSession.h - A program under ROCdbgapi ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that the debug library is attached to: the library's lifetime, its
// callbacks, its notifier in the main loop, and its host breakpoints.
// GPUProcess handles the waves.
//
// Everything runs on the main loop's thread, which traces the program: the
// driver doesn't accept another.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_LIBRARY_GPUSESSION_H
#define WAVELANE_SERVER_LIBRARY_GPUSESSION_H

#include "Settings.h"
#include "lldb/Host/Host.h"
#include "lldb/Host/MainLoop.h"
#include "wavelane/DebugAPI/Library.h"
#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::server {

/// Stops watching a descriptor from within its callback. Only valid while the
/// main loop runs.
void ReleaseLater(lldb_private::MainLoop &loop,
                  lldb_private::MainLoop::ReadHandleUP handle);

class GPUSession {
public:
  /// The session's notifications to its owner, called from the main loop.
  struct Delegate {
    virtual ~Delegate() = default;
    /// Shows text to the user as soon as possible.
    virtual void ReportToUser(const std::string &text) = 0;
    /// Kills the program.
    virtual lldb_private::Status KillProgram() = 0;
  };

  /// The session's notifications about the program's waves, called from the
  /// main loop. Implemented by GPUProcess.
  struct Waves {
    virtual ~Waves() = default;
    /// Events may be pending: handles them all.
    virtual void HandleEvents() = 0;
    virtual void RuntimeLoaded() = 0;
    virtual void RuntimeUnloaded() = 0;
    /// Whether a client keeps the waves stopped.
    virtual bool AreHeld() const = 0;
    /// Removes everything that a client has set, and lets the waves run.
    virtual void LetGo() = 0;
    /// Reports to the session what a core file lacks.
    virtual void DescribeCore() = 0;
    /// The waves of a core are those of a simulated GPU from now on; all are
    /// held, and none is created.
    virtual void SimulationBegan() = 0;
    /// The session has ended; \p failure says why, unless it ended normally.
    virtual void End(llvm::StringRef failure,
                     std::optional<lldb_private::WaitStatus> program) = 0;
  };
  /// Creates the waves once the library is initialized.
  using MakeWaves = llvm::function_ref<std::shared_ptr<Waves>(GPUSession &)>;

  /// Attaches to \p pid. The error says why GPU code can't be debugged.
  /// \param exceptions  The exceptions to report precisely, in addition to the
  ///     default.
  static llvm::Expected<std::unique_ptr<GPUSession>>
  Create(lldb_private::MainLoop &loop, lldb::pid_t pid,
         std::shared_ptr<debugapi::Library> library, Delegate &delegate,
         std::vector<Exception> exceptions, MakeWaves make_waves);
  /// The inputs for opening a core file, besides the file with the GPU state.
  struct Core {
    std::shared_ptr<corefile::CoreFile> file;
    /// The file with memory that the other one lacks; may be null.
    std::shared_ptr<corefile::CoreFile> host;
    /// The folder to search for code objects by build ID; may be empty.
    std::string code_objects;
  };
  /// Opens a core file. The error says why its GPU state can't be shown.
  static llvm::Expected<std::unique_ptr<GPUSession>>
  Create(lldb_private::MainLoop &loop, Core core,
         std::shared_ptr<debugapi::Library> library, Delegate &delegate,
         MakeWaves make_waves);
  ~GPUSession();

  /// Whether a wave whose access fails stops right after it.
  bool IsMemoryPrecise() const { return m_is_memory_precise; }
  /// Whether the program has \p address for memory that it hasn't allocated:
  /// debuggers can read it, and GPUs can't.
  bool IsUnallocated(uint64_t address) const;
  /// Null for a live program, and for a core that is simulated.
  const Core *GetCore() const {
    return m_core && !m_simulates ? &*m_core : nullptr;
  }
  /// Null for a live program.
  const Core *GetCoreFiles() const { return m_core ? &*m_core : nullptr; }
  /// Lets a core run on: from now on, its waves are those of a simulated GPU.
  /// Does nothing for a live program.
  llvm::Error Simulate();
  /// An error if Simulate() is impossible, whatever the core has.
  llvm::Error CheckSimulation() const;
  /// Whether the core has a recording of what was before.
  bool HasRecording() const {
    return m_core && m_core->file->getRecording().Size;
  }
  /// Whether a simulated core's waves have ended.
  bool IsSimulationOver();
  /// Reads memory of a core file.
  /// \return The number of bytes available from \p address on.
  size_t ReadCore(uint64_t address, void *buffer, size_t size) const;
  /// Warnings about a core file: what is missing or wrong. Each is returned
  /// once.
  std::vector<std::string> TakeWarnings() {
    return std::exchange(m_warnings, {});
  }
  void AddWarning(const std::string &text);
  /// The library asked for memory that the core file lacks.
  void MissesMemory(uint64_t address) {
    if (!m_missing_memory)
      m_missing_memory = address;
  }

  lldb::pid_t GetPID() const { return m_pid; }
  /// Where the device puts what its checks find; empty if it doesn't check. A
  /// program that has ended no longer says.
  std::string GetFindingsFolder() const;
  Delegate &GetDelegate() { return m_delegate; }
  lldb_private::MainLoop &GetMainLoop() { return m_loop; }

  /// Whether the library may still be called.
  bool IsAttached() const { return m_attached; }
  /// Success for a live program; for a core file, an error that names \p what
  /// can't be done.
  llvm::Error CheckLive(const char *what) const;
  /// Whether the program's GPU runtime is ready to be debugged.
  bool IsRuntimeUp() const { return m_attached && m_runtime_up; }
  bool IsSimulated() const { return m_library->isEmbedded(); }
  /// The process that simulates the GPU; none for hardware, and until the
  /// program's runtime is up.
  std::optional<lldb::pid_t> GetDeviceProcess() const { return m_device; }

  /// Lets the program go: removes breakpoints and continues without a debugger.
  void Detach();
  /// The program has ended, with \p status if known, or has executed another
  /// one.
  void
  ProgramEnded(std::optional<lldb_private::WaitStatus> status = std::nullopt);

  //===-- Host breakpoints of the library ---------------------------------===//

  struct HostBreakpoint {
    amd_dbgapi_breakpoint_id_t id;
    lldb::addr_t address;
  };
  const std::vector<HostBreakpoint> &GetHostBreakpoints() const {
    return m_host_breakpoints;
  }
  /// Handles the library's events without waiting for its notifier: a program
  /// that is stopped at a breakpoint may have done more than was reported.
  void CatchUp();
  /// Handles events that wait to be, the device's end among them.
  void NoticeEvents();
  /// A host thread is at a breakpoint. Returns when the library lets that
  /// thread continue and its list of code objects is up to date.
  /// \return Whether the list of code objects has changed.
  llvm::Expected<bool> HostBreakpointHit(const HostBreakpoint &breakpoint,
                                         lldb::tid_t tid);
  /// Whether code objects have changed since the last call.
  bool TakeCodeObjectsChanged() {
    return std::exchange(m_code_objects_changed, false);
  }

  //===-- The library -----------------------------------------------------===//

  // NOLINTBEGIN(readability-identifier-naming): short, for they are in every
  // line.
  const debugapi::Library &api() const { return *m_library; }
  const debugapi::Functions &fn() const { return m_library->api(); }
  amd_dbgapi_process_id_t id() const { return m_id; }
  // NOLINTEND(readability-identifier-naming)

  /// Checks the status of a call: true for success, otherwise false after a log
  /// entry. A fatal error ends the session when the current operation has
  /// finished.
  bool Ok(amd_dbgapi_status_t status, const char *what);
  /// Like Ok, with an error for the caller.
  llvm::Error Check(amd_dbgapi_status_t status, const char *what);

  /// A *_get_info query of type \p T.
  template <typename T, typename F, typename H, typename Q>
  std::optional<T> Get(F function, H handle, Q query) {
    T value{};
    if (!m_attached || !Quiet(function(handle, query, sizeof(T), &value)))
      return std::nullopt;
    return value;
  }
  /// A *_get_info query of type char *.
  template <typename F, typename H, typename Q>
  std::optional<std::string> GetString(F function, H handle, Q query) {
    std::optional<char *> text = Get<char *>(function, handle, query);
    if (!text || !*text)
      return std::nullopt;
    std::string result = *text;
    std::free(*text);
    return result;
  }
  /// An array that a function returns through \p size and \p items; empty if
  /// there is no program.
  template <typename H, typename F>
  llvm::Expected<std::vector<H>> List(const char *what, F function) {
    size_t count = 0;
    H *items = nullptr;
    std::vector<H> result;
    if (!m_attached)
      return result;
    if (llvm::Error error = Check(function(&count, &items), what))
      return error;
    if (items)
      result.assign(items, items + count);
    std::free(items);
    return result;
  }

  /// The next event, if any.
  std::optional<std::pair<amd_dbgapi_event_id_t, amd_dbgapi_event_kind_t>>
  NextEvent();
  /// Waits for the notifier.
  /// \return Whether events may be pending.
  bool WaitForNotifier(int milliseconds);
  /// Handles events that aren't about waves.
  void HandleEvent(amd_dbgapi_event_id_t event, amd_dbgapi_event_kind_t kind);
  /// Sets which exceptions the library reports.
  void SetExceptions();
  /// Called after each operation: ends the session if the library has failed.
  void EndIfFailed();

private:
  GPUSession(lldb_private::MainLoop &loop, lldb::pid_t pid,
             std::shared_ptr<debugapi::Library> library, Delegate &delegate);
  llvm::Error Attach(MakeWaves make_waves);
  /// Checks a core file. \return Whether it lacks the runtime's list of code
  /// objects.
  llvm::Expected<bool> CheckCore();
  /// Cuts the core's list of code objects if it is circular; AMD's library
  /// would follow it forever.
  void CutCodeObjectList(uint64_t r_debug);
  void DescribeCore();
  /// Like Ok, without a log entry: the information may be missing.
  bool Quiet(amd_dbgapi_status_t status);
  void ReadNotifier();
  bool WatchNotifier();
  void DeviceLost();
  bool EndsProgram() const;
  std::string DescribeLostDevice() const;
  void WatchDevice();
  void NotifierReadable();
  void Finish();

  static amd_dbgapi_callbacks_t MakeCallbacks();

  lldb_private::MainLoop &m_loop;
  const lldb::pid_t m_pid;
  std::string m_findings_folder; ///< of a live program
  const std::shared_ptr<debugapi::Library> m_library;
  Delegate &m_delegate;
  std::vector<Exception> m_exceptions;
  bool m_is_memory_precise = false;
  std::optional<Core> m_core;
  std::vector<std::string> m_warnings;
  std::optional<uint64_t> m_missing_memory;
  /// The link where a circular list of code objects is cut.
  std::optional<uint64_t> m_cut_link;
  amd_dbgapi_process_id_t m_id = AMD_DBGAPI_PROCESS_NONE;
  bool m_simulates = false; ///< the core
  bool m_attached = false;
  bool m_runtime_up = false;
  bool m_code_objects_changed = false;
  std::string m_failure;
  int m_notifier = -1;
  lldb_private::MainLoop::ReadHandleUP m_notifier_handle;
  /// The simulated GPU's process, if there is one.
  std::optional<lldb::pid_t> m_device;
  lldb::IOObjectSP m_device_end;
  lldb_private::MainLoop::ReadHandleUP m_device_handle;
  std::vector<HostBreakpoint> m_host_breakpoints;
  /// Host threads that the library has let continue.
  std::vector<lldb::tid_t> m_resumable_threads;
  std::shared_ptr<Waves> m_waves;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_GPUSESSION_H
