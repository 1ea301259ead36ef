//===-- GPUSession.cpp - A program under ROCdbgapi ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUSession.h"
#include "DeviceChoice.h"
#include "lldb/Host/File.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Formats/CoreFile/LoadedImage.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Protocol/Device/ArenaFile.h"
#include "wavelane/Protocol/Device/CoreMessages.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <set>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace lldb_private;

namespace wavelane::server {

void ReleaseLater(MainLoop &loop, MainLoop::ReadHandleUP handle) {
  if (handle)
    loop.AddPendingCallback([held = std::shared_ptr<void>(std::move(handle))](
                                MainLoopBase &) mutable { held.reset(); });
}

//===-- Callbacks ---------------------------------------------------------===//

/// The session that is starting the library, because the library's log messages
/// don't name a session.
static GPUSession *g_core_session = nullptr;
/// The library's last warning while it made the current event: its reason.
static std::string g_last_warning;

static GPUSession &GetSession(amd_dbgapi_client_process_id_t client) {
  return *reinterpret_cast<GPUSession *>(client);
}

static amd_dbgapi_status_t
ClientProcessInfo(amd_dbgapi_client_process_id_t client,
                  amd_dbgapi_client_process_info_t query, size_t size,
                  void *value) {
  if (const GPUSession::Core *core = GetSession(client).GetCoreFiles()) {
    if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE)
      return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
    if (size != sizeof(amd_dbgapi_core_state_data_t))
      return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
    const llvm::ArrayRef<uint8_t> state = core->file->getGpuState();
    void *copy = std::malloc(state.size());
    if (!copy)
      return AMD_DBGAPI_STATUS_ERROR;
    std::memcpy(copy, state.data(), state.size());
    *static_cast<amd_dbgapi_core_state_data_t *>(value) = {
        AMD_DBGAPI_ENDIAN_LITTLE, state.size(), copy};
    return AMD_DBGAPI_STATUS_SUCCESS;
  }
  if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID)
    return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
  if (size != sizeof(amd_dbgapi_os_process_id_t))
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
  *static_cast<amd_dbgapi_os_process_id_t *>(value) =
      GetSession(client).GetPID();
  return AMD_DBGAPI_STATUS_SUCCESS;
}

static amd_dbgapi_status_t TransferMemory(amd_dbgapi_client_process_id_t client,
                                          amd_dbgapi_global_address_t address,
                                          amd_dbgapi_size_t *size,
                                          void *read_buffer,
                                          const void *write_buffer) {
  if (GetSession(client).GetCoreFiles()) {
    // The library treats any other error for a write as fatal.
    const size_t done =
        read_buffer ? GetSession(client).ReadCore(address, read_buffer, *size)
                    : 0;
    if (!done) {
      if (read_buffer)
        GetSession(client).MissesMemory(address);
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    }
    *size = done;
    return AMD_DBGAPI_STATUS_SUCCESS;
  }
  const std::string path =
      "/proc/" + std::to_string(GetSession(client).GetPID()) + "/mem";
  const int fd =
      ::open(path.c_str(), (read_buffer ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT ? AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED
                           : AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  const ssize_t done = read_buffer
                           ? ::pread(fd, read_buffer, *size, off_t(address))
                           : ::pwrite(fd, write_buffer, *size, off_t(address));
  ::close(fd);
  if (done < 0 || (done == 0 && *size != 0))
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  *size = done;
  return AMD_DBGAPI_STATUS_SUCCESS;
}

bool GPUSession::IsUnallocated(uint64_t address) const {
  if (GetCoreFiles())
    return false;
  std::ifstream maps("/proc/" + std::to_string(m_pid) + "/maps");
  // "200000000000-201000000000 ---s 00000000 00:01 42    /memfd:NAME (deleted)"
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin, end;
    char access[5] = {};
    if (sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end,
               access) == 3 &&
        begin <= address && address < end)
      return access[0] == '-' && access[1] == '-' &&
             line.find(std::string("/memfd:") + simulator::ArenaFileName) !=
                 std::string::npos;
  }
  return false;
}

static void LogMessage(amd_dbgapi_log_level_t level, const char *message) {
  LLDB_LOG(GetLog(LLDBLog::Process), "GPU debug library ({0}): {1}", int(level),
           message);
  if (level > AMD_DBGAPI_LOG_LEVEL_WARNING)
    return;
  llvm::StringRef text(message);
  text.consume_front("warning: ");
  g_last_warning = text.str();
  if (g_core_session)
    g_core_session->AddWarning(g_last_warning);
}

amd_dbgapi_callbacks_t GPUSession::MakeCallbacks() {
  amd_dbgapi_callbacks_t callbacks;
  callbacks.allocate_memory = std::malloc;
  callbacks.deallocate_memory = std::free;
  callbacks.client_process_get_info = ClientProcessInfo;
  // The client has already set the breakpoint in the host process, by name,
  // since the program is running when the library asks.
  callbacks.insert_breakpoint = [](amd_dbgapi_client_process_id_t client,
                                   amd_dbgapi_global_address_t address,
                                   amd_dbgapi_breakpoint_id_t breakpoint) {
    GetSession(client).m_host_breakpoints.push_back({breakpoint, address});
    return AMD_DBGAPI_STATUS_SUCCESS;
  };
  callbacks.remove_breakpoint = [](amd_dbgapi_client_process_id_t client,
                                   amd_dbgapi_breakpoint_id_t breakpoint) {
    auto &breakpoints = GetSession(client).m_host_breakpoints;
    for (size_t i = 0; i < breakpoints.size(); ++i)
      if (breakpoints[i].id.handle == breakpoint.handle) {
        breakpoints.erase(breakpoints.begin() + i);
        return AMD_DBGAPI_STATUS_SUCCESS;
      }
    return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
  };
  callbacks.xfer_global_memory = TransferMemory;
  callbacks.log_message = LogMessage;
  return callbacks;
}

//===-- Life --------------------------------------------------------------===//

GPUSession::GPUSession(MainLoop &loop, lldb::pid_t pid,
                       std::shared_ptr<debugapi::Library> library,
                       Delegate &delegate)
    : m_loop(loop), m_pid(pid), m_library(std::move(library)),
      m_delegate(delegate) {}

GPUSession::~GPUSession() {
  // The main loop may have ended.
  m_notifier_handle.reset();
  Finish();
}

llvm::Expected<std::unique_ptr<GPUSession>>
GPUSession::Create(MainLoop &loop, lldb::pid_t pid,
                   std::shared_ptr<debugapi::Library> library,
                   Delegate &delegate, std::vector<Exception> exceptions,
                   MakeWaves make_waves) {
  std::unique_ptr<GPUSession> session(
      new GPUSession(loop, pid, std::move(library), delegate));
  session->m_exceptions = std::move(exceptions);
  session->m_findings_folder = GetCheckFolder(pid);
  if (llvm::Error error = session->Attach(make_waves))
    return std::move(error);
  return std::move(session);
}

llvm::Expected<std::unique_ptr<GPUSession>>
GPUSession::Create(MainLoop &loop, Core core,
                   std::shared_ptr<debugapi::Library> library,
                   Delegate &delegate, MakeWaves make_waves) {
  // The library needs a process ID, which a damaged core may lack.
  // LLDB gives a process 1 without threads a thread that isn't there.
  const lldb::pid_t pid = std::max(core.file->getPid(), 2u);
  std::unique_ptr<GPUSession> session(
      new GPUSession(loop, pid, std::move(library), delegate));
  session->m_core = std::move(core);
  llvm::Expected<bool> lacks_list = session->CheckCore();
  if (!lacks_list)
    return lacks_list.takeError();
  // The list's version depends on the runtime; each library knows its own.
  constexpr uint32_t Versions[] = {10, 12};
  for (uint32_t version : Versions) {
    if (*lacks_list)
      corefile::addCodeObjectList(
          *session->m_core->file,
          corefile::summarize(session->m_core->file->getGpuState())->RDebug,
          version);
    if (llvm::Error error = session->Attach(make_waves))
      return std::move(error);
    if (!*lacks_list || session->m_runtime_up || version == Versions[1])
      break;
    session->Finish();
    session->m_warnings.clear();
  }
  session->DescribeCore();
  return std::move(session);
}

size_t GPUSession::ReadCore(uint64_t address, void *buffer, size_t size) const {
  size_t done = 0;
  while (done < size) {
    uint8_t *to = static_cast<uint8_t *>(buffer) + done;
    size_t part = m_core->file->read(address + done, to, size - done);
    if (!part && m_core->host)
      part = m_core->host->read(address + done, to, size - done);
    if (!part)
      break;
    done += part;
  }
  for (size_t i = 0; m_cut_link && i < sizeof(uint64_t); ++i)
    if (const uint64_t offset = *m_cut_link + i - address; offset < done)
      static_cast<uint8_t *>(buffer)[offset] = 0;
  return done;
}

void GPUSession::CutCodeObjectList(uint64_t r_debug) {
  // The loader's structures, the same on every 64-bit Linux.
  constexpr uint64_t First = 8, Next = 24;
  auto read = [&](uint64_t address) {
    uint64_t value = 0;
    return ReadCore(address, &value, sizeof(value)) == sizeof(value) ? value
                                                                     : 0;
  };
  std::set<uint64_t> seen;
  uint64_t last = 0;
  for (uint64_t link = read(r_debug + First); link; link = read(last + Next)) {
    if (!seen.insert(link).second) {
      m_cut_link = last + Next;
      AddWarning("the GPU runtime's list of code objects is circular: it is "
                 "damaged, and code may be missing");
      return;
    }
    last = link;
  }
}

void GPUSession::AddWarning(const std::string &text) {
  if (!llvm::is_contained(m_warnings, text))
    m_warnings.push_back(text);
}

llvm::Expected<bool> GPUSession::CheckCore() {
  corefile::CoreFile &file = *m_core->file;
  if (file.getGpuState().empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   llvm::Twine(file.getPath()) +
                                       " holds no GPU core state");
  if (file.getMissingBytes())
    AddWarning(
        llvm::formatv("{0} is truncated: {1} bytes of memory are missing",
                      file.getPath(), file.getMissingBytes()));
  if (file.getShift())
    AddWarning(llvm::formatv(
        "ROCr wrote the core's memory {0} bytes before the places that its "
        "headers name: it is read from there",
        file.getShift()));
  // A GPU-only core has no host memory, which contains the runtime's list.
  std::optional<corefile::StateSummary> state =
      corefile::summarize(file.getGpuState());
  uint8_t byte;
  if (!state || state->RuntimeState != 1 || !state->RDebug ||
      ReadCore(state->RDebug, &byte, 1)) {
    if (state && state->RDebug)
      CutCodeObjectList(state->RDebug);
    return false;
  }
  AddWarning(llvm::formatv(
      "the core has no memory at {0:x}, where the GPU runtime lists its code "
      "objects: the existing memory was searched for them{1}",
      state->RDebug,
      file.isGpuOnly() && !m_core->host
          ? "; if you have the host's core, name it in "
            "plugin.process.amdgpu.host-core"
          : ""));
  return true;
}

void GPUSession::DescribeCore() {
  std::optional<corefile::StateSummary> state =
      corefile::summarize(m_core->file->getGpuState());
  if (!state || state->Version != 1)
    AddWarning(
        "the GPU core state has an unknown version: no waves can be shown");
  else if (state->RuntimeState == 0)
    AddWarning("the program's GPU runtime was not up");
  else if (!m_runtime_up)
    AddWarning("no waves can be shown: the debug library doesn't know the GPU "
               "runtime of this core, or it was not ready to be debugged");
  m_waves->DescribeCore();
}

llvm::Error GPUSession::Attach(MakeWaves make_waves) {
  amd_dbgapi_callbacks_t callbacks = MakeCallbacks();
  if (m_core)
    g_core_session = this;
  fn().set_log_level(AMD_DBGAPI_LOG_LEVEL_WARNING);
  if (llvm::Error error = m_library->check(fn().initialize(&callbacks),
                                           "starting the GPU debug library"))
    return error;
  m_waves = make_waves(*this);
  m_attached = true;
  const amd_dbgapi_status_t status = fn().process_attach(
      reinterpret_cast<amd_dbgapi_client_process_id_t>(this), &m_id);
  if (status == AMD_DBGAPI_STATUS_SUCCESS && m_core) {
    // All events are available now; there won't be others.
    m_waves->HandleEvents();
    if (m_failure.empty())
      return llvm::Error::success();
  } else if (status == AMD_DBGAPI_STATUS_SUCCESS) {
    if (WatchNotifier()) {
      // If the runtime is already up, an event is waiting.
      m_waves->HandleEvents();
      return llvm::Error::success();
    }
    m_failure = "the GPU debug library has no notifier";
  } else {
    m_failure = (m_core ? "opening the GPU core state: "
                        : "attaching to the program's GPU runtime: ") +
                m_library->describe(status);
    if (!g_last_warning.empty())
      m_failure += ": " + std::exchange(g_last_warning, {});
  }
  std::string failure = m_failure;
  if (m_missing_memory)
    failure += llvm::formatv("; the core file has no memory at {0:x}",
                             *m_missing_memory);
  for (const std::string &warning : m_warnings)
    failure += "; " + warning;
  Finish();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), failure);
}

bool GPUSession::WatchNotifier() {
  if (auto notifier = Get<int>(fn().process_get_info, m_id,
                               AMD_DBGAPI_PROCESS_INFO_NOTIFIER))
    m_notifier = *notifier;
  Status error;
  if (m_notifier >= 0)
    m_notifier_handle = m_loop.RegisterReadObject(
        std::make_shared<NativeFile>(m_notifier, File::eOpenOptionReadOnly,
                                     /*transfer_ownership=*/false),
        [this](MainLoopBase &) { NotifierReadable(); }, error);
  return m_notifier_handle != nullptr;
}

//===-- A core that runs on -----------------------------------------------===//

llvm::Error GPUSession::CheckSimulation() const {
  if (!m_core || m_simulates || fn().simulate_core)
    return llvm::Error::success();
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "a core's waves only run on with Wavelane's debug library, on its "
      "simulated GPU");
}

llvm::Error GPUSession::Simulate() {
  if (llvm::Error error = CheckSimulation())
    return error;
  if (!m_core || m_simulates)
    return llvm::Error::success();
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the core can't run on: " + text);
  };
  protocol::CoreFiles files;
  for (const corefile::CoreFile *file :
       {m_core->file.get(), m_core->host.get()}) {
    if (!file)
      continue;
    // What both have, the first has.
    for (const corefile::CoreFile::Range &range : file->getRanges())
      files.Ranges.push_back(
          {{files.Paths.size(), range.Offset, range.Size}, range.Address});
    files.Paths.push_back(file->getPath());
  }
  if (HasRecording())
    files.Recording = {0, m_core->file->getRecording().Offset,
                       m_core->file->getRecording().Size};
  char *why = nullptr;
  const amd_dbgapi_status_t status =
      fn().simulate_core(m_id, protocol::getText(files).c_str(), &why);
  const std::string text = why ? why : "";
  std::free(why);
  if (status == AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED)
    return fail("it has no waves");
  if (!Ok(status, "starting a simulated GPU for the core"))
    return fail(text.empty() ? m_library->describe(status) : text);
  if (!text.empty())
    AddWarning(text);
  m_simulates = true;
  m_waves->SimulationBegan();
  if (!WatchNotifier())
    return fail("the GPU debug library has no notifier");
  WatchDevice();
  return llvm::Error::success();
}

bool GPUSession::IsSimulationOver() {
  if (!m_simulates || !m_attached)
    return false;
  char *answer = nullptr;
  const std::string request =
      protocol::getText(protocol::HistoryRequest(protocol::WhereRequest()));
  if (!Quiet(fn().ask_history(m_id, request.c_str(), &answer)))
    return false;
  auto state = protocol::parseAnswer<protocol::HistoryState>(answer, "answer");
  std::free(answer);
  if (state)
    return state->Idle;
  llvm::consumeError(state.takeError());
  return false;
}

void GPUSession::Detach() {
  if (m_attached) {
    m_waves->LetGo();
    m_waves->End(/*failure=*/"", std::nullopt);
  }
  Finish();
}

void GPUSession::ProgramEnded(std::optional<WaitStatus> status) {
  if (m_attached)
    m_waves->End(/*failure=*/"", status);
  Finish();
}

void GPUSession::Finish() {
  if (!m_attached)
    return;
  m_attached = false;
  m_runtime_up = false;
  // The library closes the descriptor.
  ReleaseLater(m_loop, std::move(m_notifier_handle));
  ReleaseLater(m_loop, std::move(m_device_handle));
  m_notifier = -1;
  if (m_id.handle)
    fn().process_detach(m_id);
  m_id = AMD_DBGAPI_PROCESS_NONE;
  fn().finalize();
  if (g_core_session == this)
    g_core_session = nullptr;
  m_host_breakpoints.clear();
}

bool GPUSession::Quiet(amd_dbgapi_status_t status) {
  if (status == AMD_DBGAPI_STATUS_SUCCESS)
    return true;
  if (status == AMD_DBGAPI_STATUS_FATAL && m_failure.empty())
    m_failure = "the GPU debug library has failed (fatal error)";
  return false;
}

llvm::Error GPUSession::CheckLive(const char *what) const {
  if (!GetCore())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::Twine(what) +
                                     ": the process is a core file");
}

bool GPUSession::Ok(amd_dbgapi_status_t status, const char *what) {
  if (Quiet(status))
    return true;
  LLDB_LOG(GetLog(LLDBLog::Process), "{0}: {1}", what,
           m_library->describe(status));
  if (status == AMD_DBGAPI_STATUS_FATAL)
    m_failure = std::string("the GPU debug library has failed while ") + what;
  return false;
}

llvm::Error GPUSession::Check(amd_dbgapi_status_t status, const char *what) {
  if (Ok(status, what))
    return llvm::Error::success();
  return m_library->check(status, what);
}

void GPUSession::EndIfFailed() {
  if (m_failure.empty() || !m_attached)
    return;
  for (const std::string &warning : std::exchange(m_warnings, {}))
    m_failure += "; " + warning;
  // The library can't be trusted any longer, but the program can still be
  // debugged as a host program.
  const std::string failure = std::exchange(m_failure, "");
  Finish();
  m_delegate.ReportToUser("GPU debugging has ended: " + failure + "\n");
  m_waves->End(failure, std::nullopt);
}

//===-- Events ------------------------------------------------------------===//

void GPUSession::ReadNotifier() {
  // The library owns the descriptors, and may not have made them non-blocking.
  char bytes[64];
  while (WaitForNotifier(0)) {
    const ssize_t size = ::read(m_notifier, bytes, sizeof(bytes));
    if (size < 0 && errno == EINTR)
      continue;
    if (size == 0) {
      DeviceLost();
      return;
    }
    if (size < 0)
      return;
  }
}

void GPUSession::CatchUp() {
  ReadNotifier();
  m_waves->HandleEvents();
}

void GPUSession::NoticeEvents() {
  if (WaitForNotifier(/*milliseconds=*/0))
    NotifierReadable();
}

void GPUSession::DeviceLost() {
  if (m_simulates) {
    m_failure = DescribeLostDevice();
    ReleaseLater(m_loop, std::move(m_notifier_handle));
    m_notifier = -1;
    return;
  }
  ReleaseLater(m_loop, std::move(m_notifier_handle));
  m_notifier = -1;
  if (!EndsProgram())
    m_failure = DescribeLostDevice();
}

/// Whether the program ends, too, as its device does with it: another part of
/// the server reports that. A descriptor of the program isn't ready before this
/// thread, its tracer, has waited for all of its threads.
bool GPUSession::EndsProgram() const {
  constexpr int Tries = 100;
  constexpr auto Interval = std::chrono::milliseconds(5);
  for (int i = 0; i < Tries; ++i) {
    auto file = llvm::MemoryBuffer::getFileAsStream(
        llvm::formatv("/proc/{0}/stat", m_pid).str());
    if (!file)
      return true;
    // The state follows the name in parentheses.
    const llvm::StringRef state =
        (*file)->getBuffer().rsplit(") ").second.take_front(1);
    if (state == "Z" || state == "X")
      return true;
    std::this_thread::sleep_for(Interval);
  }
  return false;
}

std::string GPUSession::GetFindingsFolder() const {
  return m_simulates ? GetCheckFolder(::getpid()) : m_findings_folder;
}

std::string GPUSession::DescribeLostDevice() const {
  if (!m_device)
    return "the program's GPU device has ended";
  // It says why if it has ended by itself.
  auto note = files::readRegular(GetFindingsFolder() + "/" +
                                 simulator::MemoryLimitNote);
  return llvm::formatv(
             "the simulated GPU's process, wavelane-gpu ({0}), {1}", *m_device,
             note ? "has ended: " + (*note)->getBuffer().take_front(1000).str()
                  : "was killed or has crashed")
      .str();
}

/// A debug library may only notice the device's end when it is asked for
/// something.
void GPUSession::WatchDevice() {
  if (m_device_end)
    return;
  // A core's device is this process's.
  m_device = FindDeviceProcess(m_simulates ? ::getpid() : m_pid);
  const int fd =
      m_device ? int(::syscall(SYS_pidfd_open, pid_t(*m_device), 0)) : -1;
  if (fd < 0)
    return;
  // The loop doesn't keep it.
  m_device_end = std::make_shared<NativeFile>(fd, File::eOpenOptionReadOnly,
                                              /*transfer_ownership=*/true);
  Status error;
  m_device_handle = m_loop.RegisterReadObject(
      m_device_end,
      [this](MainLoopBase &) {
        ReleaseLater(m_loop, std::move(m_device_handle));
        if (!m_attached)
          return;
        DeviceLost();
        EndIfFailed();
      },
      error);
}

bool GPUSession::WaitForNotifier(int milliseconds) {
  if (m_notifier < 0)
    return false;
  pollfd poller{m_notifier, POLLIN, 0};
  return ::poll(&poller, 1, milliseconds) > 0 && poller.revents != 0;
}

void GPUSession::NotifierReadable() {
  ReadNotifier();
  m_waves->HandleEvents();
  EndIfFailed();
}

std::optional<std::pair<amd_dbgapi_event_id_t, amd_dbgapi_event_kind_t>>
GPUSession::NextEvent() {
  if (!m_attached)
    return std::nullopt;
  amd_dbgapi_event_id_t event = AMD_DBGAPI_EVENT_NONE;
  amd_dbgapi_event_kind_t kind = AMD_DBGAPI_EVENT_KIND_NONE;
  g_last_warning.clear(); // of an earlier event
  if (!Ok(fn().process_next_pending_event(m_id, &event, &kind),
          "asking for events") ||
      kind == AMD_DBGAPI_EVENT_KIND_NONE)
    return std::nullopt;
  return std::make_pair(event, kind);
}

void GPUSession::SetExceptions() {
  for (Exception exception : m_exceptions) {
    amd_dbgapi_status_t status = AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
    const char *what = nullptr;
    switch (exception) {
    case Exception::Memory:
      what = "precise memory operations";
      status =
          fn().set_memory_precision(m_id, AMD_DBGAPI_MEMORY_PRECISION_PRECISE);
      m_is_memory_precise = status == AMD_DBGAPI_STATUS_SUCCESS;
      break;
    case Exception::Alu:
      what = "precise arithmetic exceptions";
      if (fn().set_alu_exceptions_precision)
        status = fn().set_alu_exceptions_precision(
            m_id, AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE);
      break;
    case Exception::LocalRange:
      what = "exceptions of local memory's range";
      if (fn().set_local_range_exceptions)
        status = fn().set_local_range_exceptions(m_id, true);
      break;
    }
    if (status == AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED)
      m_delegate.ReportToUser(
          std::string(what) +
          " are off: this GPU or its debug library can't report them\n");
    else
      Ok(status, "setting how exceptions are reported");
  }
}

void GPUSession::HandleEvent(amd_dbgapi_event_id_t event,
                             amd_dbgapi_event_kind_t kind) {
  switch (kind) {
  case AMD_DBGAPI_EVENT_KIND_RUNTIME: {
    auto state = Get<amd_dbgapi_runtime_state_t>(
        fn().event_get_info, event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE);
    m_runtime_up = state == AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS;
    if (m_runtime_up) {
      WatchDevice();
      m_waves->RuntimeLoaded();
      SetExceptions();
    } else {
      // A stopped program doesn't unload its runtime: its device has ended.
      if (m_waves->AreHeld() && m_failure.empty() && !EndsProgram())
        m_failure = DescribeLostDevice();
      m_waves->RuntimeUnloaded();
    }
    m_code_objects_changed = true;
    if (state == AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION)
      m_delegate.ReportToUser("GPU code can't be debugged: " +
                              (g_last_warning.empty()
                                   ? "the GPU runtime, the driver or another "
                                     "debugger doesn't allow it"
                                   : std::exchange(g_last_warning, {})) +
                              "\n");
    break;
  }
  case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
    m_code_objects_changed = true;
    break;
  case AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME:
    if (auto thread = Get<amd_dbgapi_client_thread_id_t>(
            fn().event_get_info, event, AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD))
      m_resumable_threads.push_back(reinterpret_cast<lldb::tid_t>(*thread));
    break;
  default:
    break;
  }
  Ok(fn().event_processed(event), "ending an event");
}

llvm::Expected<bool>
GPUSession::HostBreakpointHit(const HostBreakpoint &breakpoint,
                              lldb::tid_t tid) {
  // The runtime came up before the thread reached the breakpoint.
  CatchUp();
  if (!m_attached)
    return false;
  amd_dbgapi_breakpoint_action_t action = AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
  if (llvm::Error error = Check(
          fn().report_breakpoint_hit(
              breakpoint.id,
              reinterpret_cast<amd_dbgapi_client_thread_id_t>(tid), &action),
          "reporting that the GPU runtime's code objects change")) {
    EndIfFailed();
    return std::move(error);
  }
  if (action == AMD_DBGAPI_BREAKPOINT_ACTION_HALT) {
    // Some libraries have the events immediately, others after their notifier.
    constexpr int Tries = 50, Milliseconds = 100;
    m_resumable_threads.clear();
    for (int i = 0; i < Tries && m_attached; ++i) {
      m_waves->HandleEvents();
      if (llvm::is_contained(m_resumable_threads, tid))
        break;
      WaitForNotifier(Milliseconds);
      ReadNotifier();
    }
    if (m_attached && !llvm::is_contained(m_resumable_threads, tid))
      LLDB_LOG(GetLog(LLDBLog::Process),
               "the GPU debug library doesn't let host thread {0} continue",
               tid);
  }
  EndIfFailed();
  return TakeCodeObjectsChanged();
}

} // namespace wavelane::server
