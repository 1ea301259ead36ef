//===-- GPUSession.h - A program under ROCdbgapi ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program attached to by the debug library: the library's life, its
// callbacks, its notifier in the main loop, and its host breakpoints. The waves
// are GPUProcess's.
//
// Everything happens in the main loop's thread, which is the one that traces
// the program: the driver takes no other.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_GPUSESSION_H
#define WAVELANE_SERVER_GPUSESSION_H

#include "Settings.h"
#include "lldb/Host/Host.h"
#include "lldb/Host/MainLoop.h"
#include "wavelane/CoreFile/CoreFile.h"
#include "wavelane/DebugAPI/Library.h"
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::server {

class GPUProcess;
class GPUServer;

/// Ends the watching of a descriptor from within what it calls. Only while the
/// main loop runs.
void ReleaseLater(lldb_private::MainLoop &loop,
                  lldb_private::MainLoop::ReadHandleUP handle);

class GPUSession {
public:
  /// What the session tells its owner. Called from the main loop.
  struct Delegate {
    virtual ~Delegate() = default;
    /// Text for the user, said as soon as it can be.
    virtual void ReportToUser(const std::string &text) = 0;
    /// Kills the program.
    virtual lldb_private::Status KillProgram() = 0;
  };

  /// Attaches to \p pid. The error says why GPU code can't be debugged.
  /// \param exceptions  What is to be reported, and where, beyond the default.
  static llvm::Expected<std::unique_ptr<GPUSession>>
  Create(lldb_private::MainLoop &loop, lldb::pid_t pid,
         std::shared_ptr<debugapi::Library> library, Delegate &delegate,
         std::vector<Exception> exceptions);
  /// What a core file is opened with, beside the file that has the GPU state.
  struct Core {
    std::shared_ptr<corefile::CoreFile> file;
    /// Has memory that the other one lacks; null where there is none.
    std::shared_ptr<corefile::CoreFile> host;
    /// The folder that code objects are searched in by build ID; may be empty.
    std::string code_objects;
  };
  /// Opens a core file. The error says why its GPU state can't be shown.
  static llvm::Expected<std::unique_ptr<GPUSession>>
  Create(lldb_private::MainLoop &loop, Core core,
         std::shared_ptr<debugapi::Library> library, Delegate &delegate);
  ~GPUSession();

  /// Null for a live program.
  const Core *GetCore() const { return m_core ? &*m_core : nullptr; }
  /// Memory of a core file: how many bytes from \p address on there are.
  size_t ReadCore(uint64_t address, void *buffer, size_t size) const;
  /// What the user should know of a core file: what it lacks, what is wrong.
  /// Once.
  std::vector<std::string> TakeWarnings() {
    return std::exchange(m_warnings, {});
  }
  void AddWarning(const std::string &text);
  /// The library has asked for memory that the core file lacks.
  void MissesMemory(uint64_t address) {
    if (!m_missing_memory)
      m_missing_memory = address;
  }

  lldb::pid_t GetPID() const { return m_pid; }
  GPUProcess &GetProcess() { return *m_process; }
  GPUServer &GetServer() { return *m_server; }
  Delegate &GetDelegate() { return m_delegate; }
  lldb_private::MainLoop &GetMainLoop() { return m_loop; }

  /// Whether the library may still be called.
  bool IsAttached() const { return m_attached; }
  /// Whether the program's GPU runtime is there to be debugged.
  bool IsRuntimeUp() const { return m_attached && m_runtime_up; }
  bool IsSimulated() const { return m_library->isEmbedded(); }

  /// Lets the program go: breakpoints are taken out, and it runs on unwatched.
  void Detach();
  /// The program has ended, with \p status if that is known, or another one
  /// runs in its place.
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
  /// Takes in what the library has to tell, without waiting for its notifier: a
  /// program that stands at a breakpoint may have done more than was heard of.
  void CatchUp();
  /// A host thread stands at a breakpoint. Returns once the library lets that
  /// thread go on; its list of code objects is then up to date.
  /// \return Whether the list of code objects has changed.
  llvm::Expected<bool> HostBreakpointHit(const HostBreakpoint &breakpoint,
                                         lldb::tid_t tid);
  /// Code objects have changed since this was last asked.
  bool TakeCodeObjectsChanged() {
    return std::exchange(m_code_objects_changed, false);
  }

  //===-- The library -----------------------------------------------------===//

  const debugapi::Library &api() const { return *m_library; }
  const debugapi::Functions &fn() const { return m_library->api(); }
  amd_dbgapi_process_id_t id() const { return m_id; }

  /// Looks at what a call returned: success, or false after a log entry. A
  /// fatal error ends the session, at the end of what is being done.
  bool Ok(amd_dbgapi_status_t status, const char *what);
  /// As Ok, with an error for the caller.
  llvm::Error Check(amd_dbgapi_status_t status, const char *what);

  /// A *_get_info query whose type is \p T.
  template <typename T, typename F, typename H, typename Q>
  std::optional<T> Get(F function, H handle, Q query) {
    T value{};
    if (!m_attached || !Quiet(function(handle, query, sizeof(T), &value)))
      return std::nullopt;
    return value;
  }
  /// A *_get_info query whose type is char *.
  template <typename F, typename H, typename Q>
  std::optional<std::string> GetString(F function, H handle, Q query) {
    std::optional<char *> text = Get<char *>(function, handle, query);
    if (!text || !*text)
      return std::nullopt;
    std::string result = *text;
    std::free(*text);
    return result;
  }
  /// An array that a function returns through \p size and \p items.
  template <typename H, typename F> std::vector<H> List(F function) {
    size_t count = 0;
    H *items = nullptr;
    std::vector<H> result;
    if (m_attached && Quiet(function(&count, &items)) && items)
      result.assign(items, items + count);
    std::free(items);
    return result;
  }

  /// The next event, if there is one.
  std::optional<std::pair<amd_dbgapi_event_id_t, amd_dbgapi_event_kind_t>>
  NextEvent();
  /// Waits for the notifier. \return Whether there may be events.
  bool WaitForNotifier(int milliseconds);
  /// Events that are not about waves.
  void HandleEvent(amd_dbgapi_event_id_t event, amd_dbgapi_event_kind_t kind);
  /// Tells the library which exceptions to report.
  void SetExceptions();
  /// At the end of each thing done: has the library failed, and why?
  void EndIfFailed();

private:
  GPUSession(lldb_private::MainLoop &loop, lldb::pid_t pid,
             std::shared_ptr<debugapi::Library> library, Delegate &delegate);
  llvm::Error Attach();
  /// Checks a core file. \return Whether it lacks the runtime's list of code
  /// objects.
  llvm::Expected<bool> CheckCore();
  /// Where the core's list of code objects goes in a circle, which AMD's
  /// library would follow for ever, it is cut.
  void CutCodeObjectList(uint64_t r_debug);
  void DescribeCore();
  /// As Ok, without a log entry: what is asked for may well not be there.
  bool Quiet(amd_dbgapi_status_t status);
  void ReadNotifier();
  void DeviceLost();
  void NotifierReadable();
  void Finish();

  static amd_dbgapi_callbacks_t MakeCallbacks();

  lldb_private::MainLoop &m_loop;
  const lldb::pid_t m_pid;
  const std::shared_ptr<debugapi::Library> m_library;
  Delegate &m_delegate;
  std::vector<Exception> m_exceptions;
  std::optional<Core> m_core;
  std::vector<std::string> m_warnings;
  std::optional<uint64_t> m_missing_memory;
  /// The link that ends the list of code objects although the core has it go
  /// on.
  std::optional<uint64_t> m_cut_link;
  amd_dbgapi_process_id_t m_id = AMD_DBGAPI_PROCESS_NONE;
  bool m_attached = false;
  bool m_runtime_up = false;
  bool m_code_objects_changed = false;
  std::string m_failure;
  int m_notifier = -1;
  lldb_private::MainLoop::ReadHandleUP m_notifier_handle;
  std::vector<HostBreakpoint> m_host_breakpoints;
  /// Host threads that the library has let go on.
  std::vector<lldb::tid_t> m_resumable_threads;
  std::unique_ptr<GPUServer> m_server;
  /// Owned by the server, as any server's process is, until the end.
  GPUProcess *m_process = nullptr;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_GPUSESSION_H
