//===-- LiveTest.cpp - The debug library on a running program -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP program runs on the simulated device under ptrace; the test does what a
// debugger does, on every GPU. WAVELANE_TEST_DBGAPI names another library to
// run it with (AMDLibrary.h).
//
//===----------------------------------------------------------------------===//

#include "AMDLibrary.h"
#include "wavelane/DebugAPI/Library.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <poll.h>
#include <set>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane::debugapi;

namespace {

constexpr auto Ok = AMD_DBGAPI_STATUS_SUCCESS;

/// A traced program with the debug library attached to it.
class Live : public ::testing::TestWithParam<std::string> {
protected:
  void SetUp() override {
    if (std::string reason = wavelane::test::reasonToSkip(); !reason.empty())
      GTEST_SKIP() << reason;
    current = this;
    char folder[] = "/tmp/wavelane-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    runtimeFolder = folder;
    setenv("WAVELANE_RUNTIME_DIR", folder, 1);
    auto opened = Library::open(wavelane::test::libraryPath());
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    library = *opened;
    amd_dbgapi_callbacks_t callbacks = {};
    callbacks.allocate_memory = malloc;
    callbacks.deallocate_memory = free;
    callbacks.client_process_get_info = [](auto, auto query, size_t size,
                                           void *value) {
      if (query != AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID ||
          size != sizeof(pid_t))
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      memcpy(value, &current->pid, sizeof(pid_t));
      return Ok;
    };
    callbacks.insert_breakpoint = [](auto, auto address, auto id) {
      current->hook = address;
      current->hookId = id;
      current->poke(address, 0xcc, &current->hookByte);
      return Ok;
    };
    callbacks.remove_breakpoint = [](auto, auto) {
      current->poke(current->hook, current->hookByte, nullptr);
      current->hook = 0;
      return Ok;
    };
    callbacks.xfer_global_memory = [](auto, auto address, auto *size,
                                      void *read, const void *write) {
      const ssize_t n =
          read ? pread(current->memory, read, *size, off_t(address))
               : pwrite(current->memory, write, *size, off_t(address));
      if (n <= 0)
        return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
      *size = amd_dbgapi_size_t(n);
      return Ok;
    };
    callbacks.log_message = [](auto, const char *text) {
      fprintf(stderr, "library: %s\n", text);
    };
    ASSERT_EQ(f().initialize(&callbacks), Ok);
    f().set_log_level(AMD_DBGAPI_LOG_LEVEL_WARNING);
  }

  void TearDown() override {
    if (process.handle)
      f().process_detach(process);
    if (library)
      f().finalize();
    if (pid > 0 && !exitStatus) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (memory >= 0)
      close(memory);
    // The device takes its socket away at the same time.
    std::error_code ignored;
    std::filesystem::remove_all(runtimeFolder, ignored);
  }

  const Functions &f() { return library->api(); }
  bool is(const char *family) const { return GetParam().rfind(family, 0) == 0; }
  unsigned laneCount() const { return is("gfx9") ? 64 : 32; }
  /// Of the program's kernel.
  size_t waveCount() const { return 512 / laneCount(); }
  /// s_trap 1.
  uint32_t trap() const {
    return is("gfx11") || is("gfx12") ? 0xbf900001 : 0xbf920001;
  }

  void start() {
    pid = fork();
    if (pid == 0) {
      setenv("HSA_ENABLE_DEBUG", "1", 1);
      setenv("WAVELANE_PROCESSOR", GetParam().c_str(), 1);
      setenv("LD_LIBRARY_PATH", WAVELANE_TEST_RUNTIME, 1);
      unsetenv("LD_PRELOAD");
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      execl(WAVELANE_TEST_PROGRAM, WAVELANE_TEST_PROGRAM, nullptr);
      _exit(127);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSTOPPED(status));
    memory = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR);
    ASSERT_GE(memory, 0);
  }

  void attach() {
    ASSERT_EQ(
        f().process_attach(
            reinterpret_cast<amd_dbgapi_client_process_id_t>(this), &process),
        Ok);
    ASSERT_EQ(f().process_get_info(process, AMD_DBGAPI_PROCESS_INFO_NOTIFIER,
                                   sizeof(int), &notifier),
              Ok);
  }

  void poke(uint64_t address, uint8_t byte, uint8_t *old) {
    if (old)
      EXPECT_EQ(pread(memory, old, 1, off_t(address)), 1);
    // Nothing is written when the program has ended.
    EXPECT_GE(pwrite(memory, &byte, 1, off_t(address)), 0);
  }

  /// Takes all events; wave stops are kept in `stopped`.
  void drain() {
    pollfd p = {notifier, POLLIN, 0};
    char bytes[64];
    while (poll(&p, 1, 0) > 0 && read(notifier, bytes, sizeof(bytes)) > 0)
      ;
    for (;;) {
      amd_dbgapi_event_id_t event;
      amd_dbgapi_event_kind_t kind;
      ASSERT_EQ(f().process_next_pending_event(process, &event, &kind), Ok);
      if (kind == AMD_DBGAPI_EVENT_KIND_NONE)
        return;
      log.push_back(kind);
      amd_dbgapi_wave_id_t wave = {0};
      switch (kind) {
      case AMD_DBGAPI_EVENT_KIND_RUNTIME:
        f().event_get_info(event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE, 4,
                           &runtimeState);
        runtimeStates.insert(runtimeState);
        if (onRuntime)
          onRuntime();
        break;
      case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
        if (onCode)
          onCode();
        break;
      case AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME:
        hostMayGo = true;
        break;
      case AMD_DBGAPI_EVENT_KIND_WAVE_STOP:
        ASSERT_EQ(
            f().event_get_info(event, AMD_DBGAPI_EVENT_INFO_WAVE, 8, &wave),
            Ok);
        stopped.push_back(wave);
        break;
      case AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED:
        f().event_get_info(event, AMD_DBGAPI_EVENT_INFO_WAVE, 8, &wave);
        terminated.push_back(wave);
        break;
      default:
        break;
      }
      ASSERT_EQ(f().event_processed(event), Ok);
    }
  }

  void hostStopped(int status) {
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      exitStatus = status;
      return;
    }
    const int signal = WSTOPSIG(status);
    user_regs_struct regs;
    ptrace(PTRACE_GETREGS, pid, nullptr, &regs);
    if (signal == SIGTRAP && hook && regs.rip == hook + 1) {
      drain();
      amd_dbgapi_breakpoint_action_t action;
      ASSERT_EQ(
          f().report_breakpoint_hit(
              hookId,
              reinterpret_cast<amd_dbgapi_client_thread_id_t>(uintptr_t(pid)),
              &action),
          Ok);
      hostMayGo = action == AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
      for (int i = 0; i < 100 && !hostMayGo; ++i) {
        drain();
        if (HasFatalFailure())
          return;
      }
      ASSERT_TRUE(hostMayGo);
      regs.rip = hook;
      ptrace(PTRACE_SETREGS, pid, nullptr, &regs);
      poke(hook, hookByte, nullptr);
      ptrace(PTRACE_SINGLESTEP, pid, nullptr, nullptr);
      int inner = 0;
      waitpid(pid, &inner, 0);
      poke(hook, 0xcc, nullptr);
      ptrace(PTRACE_CONT, pid, nullptr, nullptr);
      return;
    }
    ptrace(PTRACE_CONT, pid, nullptr,
           reinterpret_cast<void *>(uintptr_t(signal == SIGTRAP ? 0 : signal)));
  }

  /// Runs the program and serves its stops until \p done.
  void runUntil(const std::function<bool()> &done) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done() && !exitStatus) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "timed out";
      pollfd p = {notifier, POLLIN, 0};
      if (poll(&p, 1, 2) > 0)
        drain();
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) == pid)
        hostStopped(status);
      if (HasFatalFailure())
        return;
    }
  }

  template <typename T>
  T wave(amd_dbgapi_wave_id_t id, amd_dbgapi_wave_info_t q) {
    T value = {};
    EXPECT_EQ(f().wave_get_info(id, q, sizeof(T), &value), Ok) << "query " << q;
    return value;
  }

  amd_dbgapi_register_id_t reg(amd_dbgapi_wave_id_t id,
                               const std::string &name) {
    size_t count = 0;
    amd_dbgapi_register_id_t *list = nullptr, result = {0};
    EXPECT_EQ(f().wave_register_list(id, &count, &list), Ok);
    for (size_t i = 0; i < count; ++i) {
      char *text;
      f().register_get_info(list[i], AMD_DBGAPI_REGISTER_INFO_NAME, 8, &text);
      if (name == text)
        result = list[i];
      free(text);
    }
    free(list);
    EXPECT_NE(result.handle, 0u) << name;
    return result;
  }

  /// Address of a symbol in the program's code objects.
  uint64_t symbol(llvm::StringRef part) {
    size_t count = 0;
    amd_dbgapi_code_object_id_t *list = nullptr;
    uint64_t result = 0;
    EXPECT_EQ(f().process_code_object_list(process, &count, &list, nullptr),
              Ok);
    for (size_t i = 0; i < count; ++i) {
      char *text = nullptr;
      int64_t bias = 0;
      f().code_object_get_info(list[i], AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME, 8,
                               &text);
      f().code_object_get_info(
          list[i], AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS, 8, &bias);
      std::string uri = text;
      free(text);
      auto number = [&](const char *key) {
        const size_t at = uri.find(key);
        return at == std::string::npos
                   ? 0ull
                   : strtoull(uri.c_str() + at + strlen(key), nullptr, 0);
      };
      const uint64_t offset = number("offset="), size = number("size=");
      std::vector<char> bytes(size);
      if (uri.rfind("memory://", 0) == 0) {
        EXPECT_EQ(pread(memory, bytes.data(), size, off_t(offset)),
                  ssize_t(size));
      } else {
        const std::string path = uri.substr(7, uri.find('#') - 7);
        const int fd = open(path.c_str(), O_RDONLY);
        EXPECT_EQ(pread(fd, bytes.data(), size, off_t(offset)), ssize_t(size))
            << uri;
        close(fd);
      }
      auto object =
          llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
              llvm::StringRef(bytes.data(), bytes.size()), uri));
      if (!object) {
        ADD_FAILURE() << uri << llvm::toString(object.takeError());
        continue;
      }
      for (const llvm::object::SymbolRef &s : (*object)->symbols()) {
        auto name = s.getName();
        auto address = s.getAddress();
        auto type = s.getType();
        if (name && address && type &&
            *type == llvm::object::SymbolRef::ST_Function &&
            name->contains(part))
          result = *address + uint64_t(bias);
      }
    }
    free(list);
    return result;
  }

  void write32(uint64_t address, uint32_t value, uint32_t *old = nullptr) {
    amd_dbgapi_size_t size = 4;
    if (old)
      ASSERT_EQ(
          f().read_memory(process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                          AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, address, &size, old),
          Ok);
    size = 4;
    ASSERT_EQ(f().write_memory(
                  process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                  AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, address, &size, &value),
              Ok);
  }

  static Live *current;
  std::shared_ptr<Library> library;
  std::string runtimeFolder;
  pid_t pid = -1;
  int memory = -1, notifier = -1;
  amd_dbgapi_process_id_t process = {0};
  uint64_t hook = 0;
  amd_dbgapi_breakpoint_id_t hookId = {0};
  uint8_t hookByte = 0;
  bool hostMayGo = false;
  uint32_t runtimeState = 0;
  std::set<uint32_t> runtimeStates;
  std::optional<int> exitStatus;
  std::vector<amd_dbgapi_event_kind_t> log;
  std::vector<amd_dbgapi_wave_id_t> stopped, terminated;
  std::function<void()> onRuntime, onCode;
};

Live *Live::current = nullptr;

TEST_P(Live, RunsToItsEnd) {
  start();
  attach();
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([] { return false; });
  ASSERT_TRUE(exitStatus);
  EXPECT_TRUE(WIFEXITED(*exitStatus));
  EXPECT_EQ(WEXITSTATUS(*exitStatus), 0);
  EXPECT_TRUE(runtimeStates.count(AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS));
}

TEST_P(Live, BreakpointStopsWaves) {
  start();
  attach();
  uint64_t kernel = 0;
  uint32_t original = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap(), &original);
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_NE(kernel, 0u);
  ASSERT_EQ(stopped.size(), waveCount());
  std::set<uint64_t> ids;
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (amd_dbgapi_wave_id_t id : stopped) {
    ids.insert(id.handle);
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT));
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_PC), kernel + 4);
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_EXEC_MASK),
              ~uint64_t(0) >> (64 - laneCount()));
    EXPECT_EQ(wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_LANE_COUNT), laneCount());
    auto place =
        wave<std::array<uint32_t, 3>>(id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD);
    places.insert(
        {place[0],
         wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP)});
  }
  EXPECT_EQ(ids.size(), waveCount());
  EXPECT_EQ(places.size(), waveCount());

  // The work-item ids are packed into v0 on some GPUs.
  for (amd_dbgapi_wave_id_t id : stopped) {
    const uint32_t number =
        wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
    uint32_t lanes[64];
    ASSERT_EQ(f().read_register(id, reg(id, "v0"), 0, 4 * laneCount(), lanes),
              Ok);
    for (unsigned lane = 0; lane < laneCount(); ++lane)
      EXPECT_EQ(lanes[lane] & 0x3ff, number * laneCount() + lane);
  }

  // The dispatch says what was launched.
  auto dispatch =
      wave<amd_dbgapi_dispatch_id_t>(stopped[0], AMD_DBGAPI_WAVE_INFO_DISPATCH);
  uint32_t grid[3] = {};
  uint64_t entry = 0;
  ASSERT_EQ(f().dispatch_get_info(dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES,
                                  sizeof(grid), grid),
            Ok);
  EXPECT_EQ(grid[0], 512u);
  ASSERT_EQ(f().dispatch_get_info(
                dispatch, AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS, 8,
                &entry),
            Ok);
  EXPECT_EQ(entry, kernel);

  // Each wave steps over the breakpoint out of line, then on in line.
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  std::map<uint64_t, amd_dbgapi_displaced_stepping_id_t> steps;
  std::vector<amd_dbgapi_wave_id_t> waves;
  std::swap(waves, stopped);
  const auto pcRegister = reg(waves[0], "pc");
  for (amd_dbgapi_wave_id_t id : waves) {
    ASSERT_EQ(f().write_register(id, pcRegister, 0, 8, &kernel), Ok);
    ASSERT_EQ(f().displaced_stepping_start(id, &original, &steps[id.handle]),
              Ok);
    EXPECT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING);
    ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  for (amd_dbgapi_wave_id_t id : stopped) {
    EXPECT_EQ(wave<uint32_t>(id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP));
    ASSERT_EQ(f().displaced_stepping_complete(id, steps[id.handle]), Ok);
    const uint64_t pc = wave<uint64_t>(id, AMD_DBGAPI_WAVE_INFO_PC);
    EXPECT_GT(pc, kernel);
    EXPECT_LE(pc, kernel + 8);
  }

  // One wave goes on alone, a step at a time.
  const amd_dbgapi_wave_id_t one = stopped[0];
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = wave<uint64_t>(one, AMD_DBGAPI_WAVE_INFO_PC);
    stopped.clear();
    ASSERT_EQ(f().wave_resume(one, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
    EXPECT_EQ(wave<uint32_t>(one, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_SINGLE_STEP));
    runUntil([&] { return !stopped.empty(); });
    ASSERT_EQ(stopped.size(), 1u);
    EXPECT_EQ(stopped[0].handle, one.handle);
    EXPECT_NE(wave<uint64_t>(one, AMD_DBGAPI_WAVE_INFO_PC), before);
  }

  // Registers can be written, and are read back.
  const auto s20 = reg(one, "s20");
  uint32_t value = 0x12345678, back = 0;
  ASSERT_EQ(f().write_register(one, s20, 0, 4, &value), Ok);
  ASSERT_EQ(f().read_register(one, s20, 0, 4, &back), Ok);
  EXPECT_EQ(back, value);

  // The breakpoint goes; the program ends well.
  write32(kernel, original);
  for (amd_dbgapi_wave_id_t id : waves)
    ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(exitStatus);
  EXPECT_TRUE(WIFEXITED(*exitStatus) && WEXITSTATUS(*exitStatus) == 0);
}

TEST_P(Live, StopAndStepToTheEnd) {
  start();
  attach();
  uint64_t kernel = 0;
  uint32_t original = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap(), &original);
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  write32(kernel, original);
  const auto pcRegister = reg(stopped[0], "pc");
  for (amd_dbgapi_wave_id_t id : stopped)
    ASSERT_EQ(f().write_register(id, pcRegister, 0, 8, &kernel), Ok);

  // A stopped wave can't be stopped, and a wave that is let go can.
  const amd_dbgapi_wave_id_t one = stopped[0];
  EXPECT_EQ(f().wave_stop(one), AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED);
  std::vector<amd_dbgapi_wave_id_t> waves;
  std::swap(waves, stopped);
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(f().wave_resume(one, AMD_DBGAPI_RESUME_MODE_NORMAL,
                            AMD_DBGAPI_EXCEPTION_NONE),
            Ok);
  uint64_t pc = 0;
  EXPECT_EQ(f().wave_get_info(one, AMD_DBGAPI_WAVE_INFO_PC, 8, &pc),
            AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED);
  ASSERT_EQ(f().wave_stop(one), Ok);
  EXPECT_EQ(f().wave_stop(one), AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP);
  drain();
  ASSERT_EQ(stopped.size(), 1u);
  EXPECT_EQ(wave<uint32_t>(one, AMD_DBGAPI_WAVE_INFO_STOP_REASON), 0u);
  EXPECT_EQ(wave<uint64_t>(one, AMD_DBGAPI_WAVE_INFO_PC), kernel);
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);

  // The others run; this one steps until it is no more.
  for (amd_dbgapi_wave_id_t id : waves)
    if (id.handle != one.handle)
      ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                                AMD_DBGAPI_EXCEPTION_NONE),
                Ok);
  for (int i = 0; i < 500 && terminated.empty(); ++i) {
    stopped.clear();
    ASSERT_EQ(f().wave_resume(one, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
    runUntil([&] { return !stopped.empty() || !terminated.empty(); });
    if (!stopped.empty())
      ASSERT_EQ(stopped[0].handle, one.handle)
          << "reasons "
          << wave<uint32_t>(stopped[0], AMD_DBGAPI_WAVE_INFO_STOP_REASON);
  }
  ASSERT_EQ(terminated.size(), 1u);
  EXPECT_EQ(terminated[0].handle, one.handle);
  EXPECT_EQ(f().wave_stop(one), AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID);
  runUntil([] { return false; });
  ASSERT_TRUE(exitStatus);
  EXPECT_TRUE(WIFEXITED(*exitStatus) && WEXITSTATUS(*exitStatus) == 0);
}

TEST_P(Live, DetachLetsTheProgramGoOn) {
  start();
  attach();
  uint64_t kernel = 0;
  uint32_t original = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap(), &original);
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  write32(kernel, original);
  const auto pcRegister = reg(stopped[0], "pc");
  for (amd_dbgapi_wave_id_t id : stopped)
    ASSERT_EQ(f().write_register(id, pcRegister, 0, 8, &kernel), Ok);
  // The waves may go on, and the program end, before the breakpoint is taken
  // out of it.
  int status = 0;
  ASSERT_EQ(syscall(SYS_tgkill, pid, pid, SIGSTOP), 0);
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP)
      << std::hex << status;
  ASSERT_EQ(f().process_detach(process), Ok);
  process = {0};
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  exitStatus = status;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << std::hex << status;
}

TEST_P(Live, FrozenProcessGivesItsCoreState) {
  start();
  attach();
  uint64_t kernel = 0;
  uint32_t original = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap(), &original);
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  write32(kernel, original);

  amd_dbgapi_core_state_data_t state = {};
  EXPECT_EQ(f().process_freeze(process),
            AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE);
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(
      f().process_set_wave_creation(process, AMD_DBGAPI_WAVE_CREATION_STOP),
      Ok);
  ASSERT_EQ(f().process_freeze(process), Ok);
  EXPECT_EQ(f().wave_resume(stopped[0], AMD_DBGAPI_RESUME_MODE_NORMAL,
                            AMD_DBGAPI_EXCEPTION_NONE),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN);
  ASSERT_EQ(f().process_get_info(process, AMD_DBGAPI_PROCESS_INFO_CORE_STATE,
                                 sizeof(state), &state),
            Ok);
  EXPECT_EQ(state.endianness, AMD_DBGAPI_ENDIAN_LITTLE);
  EXPECT_EQ(state.size, 240u);
  free(const_cast<void *>(state.data));
  ASSERT_EQ(f().process_unfreeze(process), Ok);
  EXPECT_EQ(f().process_unfreeze(process),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN);

  // With creation stopped, the second launch shows no wave.
  std::vector<amd_dbgapi_wave_id_t> waves;
  std::swap(waves, stopped);
  const auto pcRegister = reg(waves[0], "pc");
  for (amd_dbgapi_wave_id_t id : waves) {
    ASSERT_EQ(f().write_register(id, pcRegister, 0, 8, &kernel), Ok);
    ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);
  size_t count = 1;
  for (int i = 0; i < 1000 && count; ++i) {
    amd_dbgapi_wave_id_t *list = nullptr;
    ASSERT_EQ(f().process_wave_list(process, &count, &list, nullptr), Ok);
    free(list);
    usleep(2000);
  }
  EXPECT_EQ(count, 0u);
  EXPECT_FALSE(exitStatus);
  ASSERT_EQ(
      f().process_set_wave_creation(process, AMD_DBGAPI_WAVE_CREATION_NORMAL),
      Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(exitStatus);
  EXPECT_TRUE(WIFEXITED(*exitStatus) && WEXITSTATUS(*exitStatus) == 0);
}

TEST_P(Live, MistakesAboutFreezing) {
  start();
  attach();
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil(
      [&] { return runtimeState == AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS; });
  amd_dbgapi_core_state_data_t state = {};
  EXPECT_EQ(f().process_get_info(process, AMD_DBGAPI_PROCESS_INFO_CORE_STATE,
                                 sizeof(state), &state),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN);
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(
      f().process_set_wave_creation(process, AMD_DBGAPI_WAVE_CREATION_STOP),
      Ok);
  ASSERT_EQ(f().process_freeze(process), Ok);
  EXPECT_EQ(f().process_freeze(process),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN);
  ASSERT_EQ(f().process_unfreeze(process), Ok);
}

TEST_P(Live, WatchpointStopsTheWriter) {
  start();
  attach();
  uint64_t kernel = 0;
  uint32_t original = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap(), &original);
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  write32(kernel, original);
  // The first kernel argument is the output.
  uint64_t arguments = 0, out = 0;
  auto dispatch =
      wave<amd_dbgapi_dispatch_id_t>(stopped[0], AMD_DBGAPI_WAVE_INFO_DISPATCH);
  ASSERT_EQ(f().dispatch_get_info(
                dispatch,
                AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS, 8,
                &arguments),
            Ok);
  ASSERT_EQ(pread(memory, &out, 8, off_t(arguments)), 8);
  size_t count = 0;
  ASSERT_EQ(f().process_get_info(process,
                                 AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT,
                                 sizeof(count), &count),
            Ok);
  ASSERT_GE(count, 1u);
  amd_dbgapi_watchpoint_id_t watch = {0};
  ASSERT_EQ(f().set_watchpoint(process, out + 200 * 4, 4,
                               AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW,
                               &watch),
            Ok);
  uint64_t address = 0, size = 0;
  ASSERT_EQ(f().watchpoint_get_info(watch, AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS,
                                    8, &address),
            Ok);
  ASSERT_EQ(
      f().watchpoint_get_info(watch, AMD_DBGAPI_WATCHPOINT_INFO_SIZE, 8, &size),
      Ok);
  EXPECT_LE(address, out + 200 * 4);
  EXPECT_GE(address + size, out + 201 * 4);
  std::vector<amd_dbgapi_wave_id_t> waves;
  std::swap(waves, stopped);
  const auto pcRegister = reg(waves[0], "pc");
  for (amd_dbgapi_wave_id_t id : waves) {
    ASSERT_EQ(f().write_register(id, pcRegister, 0, 8, &kernel), Ok);
    ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  runUntil([&] { return !stopped.empty(); });
  ASSERT_FALSE(stopped.empty());
  const amd_dbgapi_wave_id_t one = stopped[0];
  EXPECT_TRUE(wave<uint32_t>(one, AMD_DBGAPI_WAVE_INFO_STOP_REASON) &
              AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT);
  auto list =
      wave<amd_dbgapi_watchpoint_list_t>(one, AMD_DBGAPI_WAVE_INFO_WATCHPOINTS);
  ASSERT_EQ(list.count, 1u);
  EXPECT_EQ(list.watchpoint_ids[0].handle, watch.handle);
  free(list.watchpoint_ids);
  // Work-item 200 is in group 1.
  EXPECT_EQ((wave<std::array<uint32_t, 3>>(
                one, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD)[0]),
            1u);
  EXPECT_EQ(wave<uint32_t>(one, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP),
            72 / laneCount());
  ASSERT_EQ(f().remove_watchpoint(watch), Ok);
  // EXCP_EN.ADDR_WATCH of MODE; gfx12 has it elsewhere.
  if (GetParam() != "gfx1201") {
    uint32_t mode = 0;
    ASSERT_EQ(f().read_register(one, reg(one, "mode"), 0, 4, &mode), Ok);
    EXPECT_FALSE(mode & 1u << 19) << mode;
  }
  for (amd_dbgapi_wave_id_t id : stopped)
    ASSERT_EQ(f().wave_resume(id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(exitStatus);
  EXPECT_TRUE(WIFEXITED(*exitStatus) && WEXITSTATUS(*exitStatus) == 0);
}

// What is being gone through when a call finds the device gone stays valid.
TEST_P(Live, WatchpointsOfADeviceThatIsGone) {
  start();
  attach();
  uint64_t kernel = 0;
  onCode = [&] {
    if (!kernel && (kernel = symbol("scale")))
      write32(kernel, trap());
  };
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  runUntil([&] { return stopped.size() >= waveCount(); });
  ASSERT_EQ(stopped.size(), waveCount());
  amd_dbgapi_watchpoint_id_t watches[2] = {};
  for (unsigned i = 0; i < 2; ++i)
    ASSERT_EQ(f().set_watchpoint(process, (kernel & ~0xfffull) + 64 * i, 4,
                                 AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW,
                                 &watches[i]),
              Ok);
  // With the queues suspended, the watch registers are the first to be asked
  // for.
  ASSERT_EQ(f().process_set_progress(process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  int status = 0;
  kill(pid, SIGKILL);
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  exitStatus = status;
  const std::filesystem::path socket = std::filesystem::path(runtimeFolder) /
                                       ("gpu-" + std::to_string(pid) + ".sock");
  for (int i = 0; i < 15000 && std::filesystem::exists(socket); ++i)
    usleep(2000);
  ASSERT_FALSE(std::filesystem::exists(socket));
  f().remove_watchpoint(watches[0]);
  EXPECT_EQ(f().process_detach(process), Ok);
  process = {0};
}

TEST(AMDLibrary, ExceptionsAreTests) {
  wavelane::test::expectTests("GPUs/Live.");
}

INSTANTIATE_TEST_SUITE_P(
    GPUs, Live, ::testing::ValuesIn([] {
      llvm::SmallVector<llvm::StringRef, 8> names;
      llvm::StringRef(WAVELANE_TEST_GPUS).split(names, ',');
      return std::vector<std::string>(names.begin(), names.end());
    }()),
    [](const ::testing::TestParamInfo<std::string> &info) {
      return info.param;
    });

} // namespace
