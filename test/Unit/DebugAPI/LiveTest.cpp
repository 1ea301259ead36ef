//===-- LiveTest.cpp - The debug library on a running program -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP program runs on the simulated device under ptrace; the test acts as its
// debugger, on every GPU. WAVELANE_TEST_DBGAPI names another library to run it
// with (AMDLibrary.h).
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
    if (std::string Reason = wavelane::test::reasonToSkip(); !Reason.empty())
      GTEST_SKIP() << Reason;
    Current = this;
    char Folder[] = "/tmp/wavelane-test-XXXXXX";
    ASSERT_NE(mkdtemp(Folder), nullptr);
    RuntimeFolder = Folder;
    setenv("WAVELANE_RUNTIME_DIR", Folder, 1);
    auto Opened = Library::open(wavelane::test::libraryPath());
    ASSERT_TRUE(bool(Opened)) << llvm::toString(Opened.takeError());
    Lib = *Opened;
    amd_dbgapi_callbacks_t Callbacks = {};
    Callbacks.allocate_memory = malloc;
    Callbacks.deallocate_memory = free;
    Callbacks.client_process_get_info = [](auto, auto Query, size_t Size,
                                           void *Value) {
      if (Query != AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID ||
          Size != sizeof(pid_t))
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      memcpy(Value, &Current->Pid, sizeof(pid_t));
      return Ok;
    };
    Callbacks.insert_breakpoint = [](auto, auto Address, auto Id) {
      Current->Hook = Address;
      Current->HookId = Id;
      Current->poke(Address, 0xcc, &Current->HookByte);
      return Ok;
    };
    Callbacks.remove_breakpoint = [](auto, auto) {
      Current->poke(Current->Hook, Current->HookByte, nullptr);
      Current->Hook = 0;
      return Ok;
    };
    Callbacks.xfer_global_memory = [](auto, auto Address, auto *Size,
                                      void *Read, const void *Write) {
      const ssize_t N =
          Read ? pread(Current->Memory, Read, *Size, off_t(Address))
               : pwrite(Current->Memory, Write, *Size, off_t(Address));
      if (N <= 0)
        return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
      *Size = amd_dbgapi_size_t(N);
      return Ok;
    };
    Callbacks.log_message = [](auto, const char *Text) {
      fprintf(stderr, "library: %s\n", Text);
    };
    ASSERT_EQ(f().initialize(&Callbacks), Ok);
    f().set_log_level(AMD_DBGAPI_LOG_LEVEL_WARNING);
  }

  void TearDown() override {
    if (Process.handle)
      f().process_detach(Process);
    if (Lib)
      f().finalize();
    if (Pid > 0 && !ExitStatus) {
      kill(Pid, SIGKILL);
      waitpid(Pid, nullptr, 0);
    }
    if (Memory >= 0)
      close(Memory);
    // The device removes its socket at the same time.
    std::error_code Ignored;
    std::filesystem::remove_all(RuntimeFolder, Ignored);
  }

  const Functions &f() { return Lib->api(); }
  bool is(const char *Family) const { return GetParam().rfind(Family, 0) == 0; }
  unsigned laneCount() const { return is("gfx9") ? 64 : 32; }
  /// The number of waves of the program's kernel.
  size_t waveCount() const { return 512 / laneCount(); }
  /// s_trap 1.
  uint32_t trap() const {
    return is("gfx11") || is("gfx12") ? 0xbf900001 : 0xbf920001;
  }

  void start() {
    Pid = fork();
    if (Pid == 0) {
      setenv("HSA_ENABLE_DEBUG", "1", 1);
      setenv("WAVELANE_PROCESSOR", GetParam().c_str(), 1);
      setenv("LD_LIBRARY_PATH", WAVELANE_TEST_RUNTIME, 1);
      unsetenv("LD_PRELOAD");
      ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      execl(WAVELANE_TEST_PROGRAM, WAVELANE_TEST_PROGRAM, nullptr);
      _exit(127);
    }
    int Status = 0;
    ASSERT_EQ(waitpid(Pid, &Status, 0), Pid);
    ASSERT_TRUE(WIFSTOPPED(Status));
    Memory = open(("/proc/" + std::to_string(Pid) + "/mem").c_str(), O_RDWR);
    ASSERT_GE(Memory, 0);
  }

  void attach() {
    ASSERT_EQ(
        f().process_attach(
            reinterpret_cast<amd_dbgapi_client_process_id_t>(this), &Process),
        Ok);
    ASSERT_EQ(f().process_get_info(Process, AMD_DBGAPI_PROCESS_INFO_NOTIFIER,
                                   sizeof(int), &Notifier),
              Ok);
  }

  void poke(uint64_t Address, uint8_t Byte, uint8_t *Old) {
    if (Old)
      EXPECT_EQ(pread(Memory, Old, 1, off_t(Address)), 1);
    // Nothing is written if the program has ended.
    EXPECT_GE(pwrite(Memory, &Byte, 1, off_t(Address)), 0);
  }

  /// Handles all events; wave stops are collected in `stopped`.
  void drain() {
    pollfd P = {Notifier, POLLIN, 0};
    char Bytes[64];
    while (poll(&P, 1, 0) > 0 && read(Notifier, Bytes, sizeof(Bytes)) > 0)
      ;
    for (;;) {
      amd_dbgapi_event_id_t Event;
      amd_dbgapi_event_kind_t Kind;
      ASSERT_EQ(f().process_next_pending_event(Process, &Event, &Kind), Ok);
      if (Kind == AMD_DBGAPI_EVENT_KIND_NONE)
        return;
      Log.push_back(Kind);
      amd_dbgapi_wave_id_t Wave = {0};
      switch (Kind) {
      case AMD_DBGAPI_EVENT_KIND_RUNTIME:
        f().event_get_info(Event, AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE, 4,
                           &RuntimeState);
        RuntimeStates.insert(RuntimeState);
        if (OnRuntime)
          OnRuntime();
        break;
      case AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED:
        if (OnCode)
          OnCode();
        break;
      case AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME:
        HostMayGo = true;
        break;
      case AMD_DBGAPI_EVENT_KIND_WAVE_STOP:
        ASSERT_EQ(
            f().event_get_info(Event, AMD_DBGAPI_EVENT_INFO_WAVE, 8, &Wave),
            Ok);
        Stopped.push_back(Wave);
        break;
      case AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED:
        f().event_get_info(Event, AMD_DBGAPI_EVENT_INFO_WAVE, 8, &Wave);
        Terminated.push_back(Wave);
        break;
      default:
        break;
      }
      ASSERT_EQ(f().event_processed(Event), Ok);
    }
  }

  void hostStopped(int Status) {
    if (WIFEXITED(Status) || WIFSIGNALED(Status)) {
      ExitStatus = Status;
      return;
    }
    const int Signal = WSTOPSIG(Status);
    user_regs_struct Regs;
    ptrace(PTRACE_GETREGS, Pid, nullptr, &Regs);
    if (Signal == SIGTRAP && Hook && Regs.rip == Hook + 1) {
      drain();
      amd_dbgapi_breakpoint_action_t Action;
      ASSERT_EQ(
          f().report_breakpoint_hit(
              HookId,
              reinterpret_cast<amd_dbgapi_client_thread_id_t>(uintptr_t(Pid)),
              &Action),
          Ok);
      HostMayGo = Action == AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
      for (int I = 0; I < 100 && !HostMayGo; ++I) {
        drain();
        if (HasFatalFailure())
          return;
      }
      ASSERT_TRUE(HostMayGo);
      Regs.rip = Hook;
      ptrace(PTRACE_SETREGS, Pid, nullptr, &Regs);
      poke(Hook, HookByte, nullptr);
      ptrace(PTRACE_SINGLESTEP, Pid, nullptr, nullptr);
      int Inner = 0;
      waitpid(Pid, &Inner, 0);
      poke(Hook, 0xcc, nullptr);
      ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
      return;
    }
    ptrace(PTRACE_CONT, Pid, nullptr,
           reinterpret_cast<void *>(uintptr_t(Signal == SIGTRAP ? 0 : Signal)));
  }

  /// Starts the program, and stops all waves at the kernel's first instruction.
  void stopAtKernel() {
    start();
    attach();
    OnCode = [this] {
      if (!Kernel && (Kernel = symbol("scale")))
        write32(Kernel, trap(), &Original);
    };
    ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
    runUntil([&] { return Stopped.size() >= waveCount(); });
    ASSERT_NE(Kernel, 0u);
    ASSERT_EQ(Stopped.size(), waveCount());
  }
  uint64_t Kernel = 0;   ///< its address
  uint32_t Original = 0; ///< the instruction there
  void stepOver(uint64_t Address, uint32_t Original);
  void stepAlone(amd_dbgapi_wave_id_t One);

  /// Runs the program and handles its stops until \p done.
  void runUntil(const std::function<bool()> &Done) {
    const auto End =
        std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!Done() && !ExitStatus) {
      ASSERT_LT(std::chrono::steady_clock::now(), End) << "timed out";
      pollfd P = {Notifier, POLLIN, 0};
      if (poll(&P, 1, 2) > 0)
        drain();
      int Status = 0;
      if (waitpid(Pid, &Status, WNOHANG) == Pid)
        hostStopped(Status);
      if (HasFatalFailure())
        return;
    }
  }

  template <typename T>
  T wave(amd_dbgapi_wave_id_t Id, amd_dbgapi_wave_info_t Q) {
    T Value = {};
    EXPECT_EQ(f().wave_get_info(Id, Q, sizeof(T), &Value), Ok) << "query " << Q;
    return Value;
  }

  amd_dbgapi_register_id_t reg(amd_dbgapi_wave_id_t Id,
                               const std::string &Name) {
    size_t Count = 0;
    amd_dbgapi_register_id_t *List = nullptr, Result = {0};
    EXPECT_EQ(f().wave_register_list(Id, &Count, &List), Ok);
    for (size_t I = 0; I < Count; ++I) {
      char *Text;
      f().register_get_info(List[I], AMD_DBGAPI_REGISTER_INFO_NAME, 8, &Text);
      if (Name == Text)
        Result = List[I];
      free(Text);
    }
    free(List);
    EXPECT_NE(Result.handle, 0u) << Name;
    return Result;
  }

  /// Address of a symbol in the program's code objects.
  uint64_t symbol(llvm::StringRef Part) {
    size_t Count = 0;
    amd_dbgapi_code_object_id_t *List = nullptr;
    uint64_t Result = 0;
    EXPECT_EQ(f().process_code_object_list(Process, &Count, &List, nullptr),
              Ok);
    for (size_t I = 0; I < Count; ++I) {
      char *Text = nullptr;
      int64_t Bias = 0;
      f().code_object_get_info(List[I], AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME, 8,
                               &Text);
      f().code_object_get_info(
          List[I], AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS, 8, &Bias);
      std::string Uri = Text;
      free(Text);
      auto Number = [&](const char *Key) {
        const size_t At = Uri.find(Key);
        return At == std::string::npos
                   ? 0ull
                   : strtoull(Uri.c_str() + At + strlen(Key), nullptr, 0);
      };
      const uint64_t Offset = Number("offset="), Size = Number("size=");
      std::vector<char> Bytes(Size);
      if (Uri.rfind("memory://", 0) == 0) {
        EXPECT_EQ(pread(Memory, Bytes.data(), Size, off_t(Offset)),
                  ssize_t(Size));
      } else {
        const std::string Path = Uri.substr(7, Uri.find('#') - 7);
        const int Fd = open(Path.c_str(), O_RDONLY);
        EXPECT_EQ(pread(Fd, Bytes.data(), Size, off_t(Offset)), ssize_t(Size))
            << Uri;
        close(Fd);
      }
      auto Object =
          llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
              llvm::StringRef(Bytes.data(), Bytes.size()), Uri));
      if (!Object) {
        ADD_FAILURE() << Uri << llvm::toString(Object.takeError());
        continue;
      }
      for (const llvm::object::SymbolRef &S : (*Object)->symbols()) {
        auto Name = S.getName();
        auto Address = S.getAddress();
        auto Type = S.getType();
        if (Name && Address && Type &&
            *Type == llvm::object::SymbolRef::ST_Function &&
            Name->contains(Part))
          Result = *Address + uint64_t(Bias);
      }
    }
    free(List);
    return Result;
  }

  void write32(uint64_t Address, uint32_t Value, uint32_t *Old = nullptr) {
    amd_dbgapi_size_t Size = 4;
    if (Old)
      ASSERT_EQ(
          f().read_memory(Process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                          AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, Address, &Size, Old),
          Ok);
    Size = 4;
    ASSERT_EQ(f().write_memory(
                  Process, AMD_DBGAPI_WAVE_NONE, AMD_DBGAPI_LANE_NONE,
                  AMD_DBGAPI_ADDRESS_SPACE_GLOBAL, Address, &Size, &Value),
              Ok);
  }

  static Live *Current;
  std::shared_ptr<Library> Lib;
  std::string RuntimeFolder;
  pid_t Pid = -1;
  int Memory = -1, Notifier = -1;
  amd_dbgapi_process_id_t Process = {0};
  uint64_t Hook = 0;
  amd_dbgapi_breakpoint_id_t HookId = {0};
  uint8_t HookByte = 0;
  bool HostMayGo = false;
  uint32_t RuntimeState = 0;
  std::set<uint32_t> RuntimeStates;
  std::optional<int> ExitStatus;
  std::vector<amd_dbgapi_event_kind_t> Log;
  std::vector<amd_dbgapi_wave_id_t> Stopped, Terminated;
  std::function<void()> OnRuntime, OnCode;
};

Live *Live::Current = nullptr;

TEST_P(Live, RunsToItsEnd) {
  start();
  attach();
  ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
  runUntil([] { return false; });
  ASSERT_TRUE(ExitStatus);
  EXPECT_TRUE(WIFEXITED(*ExitStatus));
  EXPECT_EQ(WEXITSTATUS(*ExitStatus), 0);
  EXPECT_TRUE(RuntimeStates.count(AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS));
}

/// Steps the stopped waves, which hit a breakpoint at \p address, over it out
/// of line.
/// \param original The original instruction there.
void Live::stepOver(uint64_t Address, uint32_t Original) {
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  std::map<uint64_t, amd_dbgapi_displaced_stepping_id_t> Steps;
  const auto Waves = std::exchange(Stopped, {});
  const auto PcRegister = reg(Waves[0], "pc");
  for (amd_dbgapi_wave_id_t Id : Waves) {
    ASSERT_EQ(f().write_register(Id, PcRegister, 0, 8, &Address), Ok);
    ASSERT_EQ(f().displaced_stepping_start(Id, &Original, &Steps[Id.handle]),
              Ok);
    EXPECT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING);
    ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);
  runUntil([&] { return Stopped.size() >= waveCount(); });
  ASSERT_EQ(Stopped.size(), waveCount());
  for (amd_dbgapi_wave_id_t Id : Stopped) {
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP));
    ASSERT_EQ(f().displaced_stepping_complete(Id, Steps[Id.handle]), Ok);
    const uint64_t Pc = wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_PC);
    EXPECT_GT(Pc, Address);
    EXPECT_LE(Pc, Address + 8);
  }
}

/// Steps one wave while the others stay stopped.
void Live::stepAlone(amd_dbgapi_wave_id_t One) {
  for (int I = 0; I < 5; ++I) {
    const uint64_t Before = wave<uint64_t>(One, AMD_DBGAPI_WAVE_INFO_PC);
    Stopped.clear();
    ASSERT_EQ(f().wave_resume(One, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
    EXPECT_EQ(wave<uint32_t>(One, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_SINGLE_STEP));
    runUntil([&] { return !Stopped.empty(); });
    ASSERT_EQ(Stopped.size(), 1u);
    EXPECT_EQ(Stopped[0].handle, One.handle);
    EXPECT_NE(wave<uint64_t>(One, AMD_DBGAPI_WAVE_INFO_PC), Before);
  }
}

TEST_P(Live, BreakpointStopsWaves) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  std::set<uint64_t> Ids;
  std::set<std::pair<uint32_t, uint32_t>> Places;
  for (amd_dbgapi_wave_id_t Id : Stopped) {
    Ids.insert(Id.handle);
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STATE),
              uint32_t(AMD_DBGAPI_WAVE_STATE_STOP));
    EXPECT_EQ(wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_STOP_REASON),
              uint32_t(AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT));
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_PC), Kernel + 4);
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_EXEC_MASK),
              ~uint64_t(0) >> (64 - laneCount()));
    EXPECT_EQ(wave<uint64_t>(Id, AMD_DBGAPI_WAVE_INFO_LANE_COUNT), laneCount());
    auto Place =
        wave<std::array<uint32_t, 3>>(Id, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD);
    Places.insert(
        {Place[0],
         wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP)});
  }
  EXPECT_EQ(Ids.size(), waveCount());
  EXPECT_EQ(Places.size(), waveCount());

  // Some GPUs pack the work-item ids into v0.
  for (amd_dbgapi_wave_id_t Id : Stopped) {
    const uint32_t Number =
        wave<uint32_t>(Id, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP);
    uint32_t Lanes[64];
    ASSERT_EQ(f().read_register(Id, reg(Id, "v0"), 0, 4 * laneCount(), Lanes),
              Ok);
    for (unsigned Lane = 0; Lane < laneCount(); ++Lane)
      EXPECT_EQ(Lanes[Lane] & 0x3ff, Number * laneCount() + Lane);
  }

  // The dispatch describes the launch.
  auto Dispatch =
      wave<amd_dbgapi_dispatch_id_t>(Stopped[0], AMD_DBGAPI_WAVE_INFO_DISPATCH);
  uint32_t Grid[3] = {};
  uint64_t Entry = 0;
  ASSERT_EQ(f().dispatch_get_info(Dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES,
                                  sizeof(Grid), Grid),
            Ok);
  EXPECT_EQ(Grid[0], 512u);
  ASSERT_EQ(f().dispatch_get_info(
                Dispatch, AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS, 8,
                &Entry),
            Ok);
  EXPECT_EQ(Entry, Kernel);

  std::vector<amd_dbgapi_wave_id_t> Waves = Stopped;
  ASSERT_NO_FATAL_FAILURE(stepOver(Kernel, Original));

  const amd_dbgapi_wave_id_t One = Stopped[0];
  ASSERT_NO_FATAL_FAILURE(stepAlone(One));

  // Registers can be written, and are read back.
  const auto S20 = reg(One, "s20");
  uint32_t Value = 0x12345678, Back = 0;
  ASSERT_EQ(f().write_register(One, S20, 0, 4, &Value), Ok);
  ASSERT_EQ(f().read_register(One, S20, 0, 4, &Back), Ok);
  EXPECT_EQ(Back, Value);

  // The breakpoint is removed; the program ends normally.
  write32(Kernel, Original);
  for (amd_dbgapi_wave_id_t Id : Waves)
    ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(ExitStatus);
  EXPECT_TRUE(WIFEXITED(*ExitStatus) && WEXITSTATUS(*ExitStatus) == 0);
}

TEST_P(Live, StopAndStepToTheEnd) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  write32(Kernel, Original);
  const auto PcRegister = reg(Stopped[0], "pc");
  for (amd_dbgapi_wave_id_t Id : Stopped)
    ASSERT_EQ(f().write_register(Id, PcRegister, 0, 8, &Kernel), Ok);

  // A stopped wave can't be stopped again, but a released wave can.
  const amd_dbgapi_wave_id_t One = Stopped[0];
  EXPECT_EQ(f().wave_stop(One), AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED);
  std::vector<amd_dbgapi_wave_id_t> Waves;
  std::swap(Waves, Stopped);
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(f().wave_resume(One, AMD_DBGAPI_RESUME_MODE_NORMAL,
                            AMD_DBGAPI_EXCEPTION_NONE),
            Ok);
  uint64_t Pc = 0;
  EXPECT_EQ(f().wave_get_info(One, AMD_DBGAPI_WAVE_INFO_PC, 8, &Pc),
            AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED);
  ASSERT_EQ(f().wave_stop(One), Ok);
  EXPECT_EQ(f().wave_stop(One), AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP);
  drain();
  ASSERT_EQ(Stopped.size(), 1u);
  EXPECT_EQ(wave<uint32_t>(One, AMD_DBGAPI_WAVE_INFO_STOP_REASON), 0u);
  EXPECT_EQ(wave<uint64_t>(One, AMD_DBGAPI_WAVE_INFO_PC), Kernel);
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);

  // The others run; this one steps until it ends.
  for (amd_dbgapi_wave_id_t Id : Waves)
    if (Id.handle != One.handle)
      ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                                AMD_DBGAPI_EXCEPTION_NONE),
                Ok);
  for (int I = 0; I < 500 && Terminated.empty(); ++I) {
    Stopped.clear();
    ASSERT_EQ(f().wave_resume(One, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
    runUntil([&] { return !Stopped.empty() || !Terminated.empty(); });
    if (!Stopped.empty())
      ASSERT_EQ(Stopped[0].handle, One.handle)
          << "reasons "
          << wave<uint32_t>(Stopped[0], AMD_DBGAPI_WAVE_INFO_STOP_REASON);
  }
  ASSERT_EQ(Terminated.size(), 1u);
  EXPECT_EQ(Terminated[0].handle, One.handle);
  EXPECT_EQ(f().wave_stop(One), AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID);
  runUntil([] { return false; });
  ASSERT_TRUE(ExitStatus);
  EXPECT_TRUE(WIFEXITED(*ExitStatus) && WEXITSTATUS(*ExitStatus) == 0);
}

TEST_P(Live, DetachLetsTheProgramGoOn) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  write32(Kernel, Original);
  const auto PcRegister = reg(Stopped[0], "pc");
  for (amd_dbgapi_wave_id_t Id : Stopped)
    ASSERT_EQ(f().write_register(Id, PcRegister, 0, 8, &Kernel), Ok);
  // The waves may continue, and the program end, before the breakpoint is
  // removed.
  int Status = 0;
  ASSERT_EQ(syscall(SYS_tgkill, Pid, Pid, SIGSTOP), 0);
  ASSERT_EQ(waitpid(Pid, &Status, 0), Pid);
  ASSERT_TRUE(WIFSTOPPED(Status) && WSTOPSIG(Status) == SIGSTOP)
      << std::hex << Status;
  ASSERT_EQ(f().process_detach(Process), Ok);
  Process = {0};
  ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
  ASSERT_EQ(waitpid(Pid, &Status, 0), Pid);
  ExitStatus = Status;
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
      << std::hex << Status;
}

TEST_P(Live, FrozenProcessGivesItsCoreState) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  write32(Kernel, Original);

  amd_dbgapi_core_state_data_t State = {};
  EXPECT_EQ(f().process_freeze(Process),
            AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE);
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(
      f().process_set_wave_creation(Process, AMD_DBGAPI_WAVE_CREATION_STOP),
      Ok);
  ASSERT_EQ(f().process_freeze(Process), Ok);
  EXPECT_EQ(f().wave_resume(Stopped[0], AMD_DBGAPI_RESUME_MODE_NORMAL,
                            AMD_DBGAPI_EXCEPTION_NONE),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN);
  ASSERT_EQ(f().process_get_info(Process, AMD_DBGAPI_PROCESS_INFO_CORE_STATE,
                                 sizeof(State), &State),
            Ok);
  EXPECT_EQ(State.endianness, AMD_DBGAPI_ENDIAN_LITTLE);
  EXPECT_EQ(State.size, 240u);
  free(const_cast<void *>(State.data));
  ASSERT_EQ(f().process_unfreeze(Process), Ok);
  EXPECT_EQ(f().process_unfreeze(Process),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN);

  // With wave creation stopped, the second launch shows no waves.
  std::vector<amd_dbgapi_wave_id_t> Waves;
  std::swap(Waves, Stopped);
  const auto PcRegister = reg(Waves[0], "pc");
  for (amd_dbgapi_wave_id_t Id : Waves) {
    ASSERT_EQ(f().write_register(Id, PcRegister, 0, 8, &Kernel), Ok);
    ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NORMAL), Ok);
  size_t Count = 1;
  for (int I = 0; I < 1000 && Count; ++I) {
    amd_dbgapi_wave_id_t *List = nullptr;
    ASSERT_EQ(f().process_wave_list(Process, &Count, &List, nullptr), Ok);
    free(List);
    usleep(2000); // the end of a running wave isn't an event
  }
  EXPECT_EQ(Count, 0u);
  EXPECT_FALSE(ExitStatus);
  ASSERT_EQ(
      f().process_set_wave_creation(Process, AMD_DBGAPI_WAVE_CREATION_NORMAL),
      Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(ExitStatus);
  EXPECT_TRUE(WIFEXITED(*ExitStatus) && WEXITSTATUS(*ExitStatus) == 0);
}

TEST_P(Live, MistakesAboutFreezing) {
  start();
  attach();
  ptrace(PTRACE_CONT, Pid, nullptr, nullptr);
  runUntil(
      [&] { return RuntimeState == AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS; });
  amd_dbgapi_core_state_data_t State = {};
  EXPECT_EQ(f().process_get_info(Process, AMD_DBGAPI_PROCESS_INFO_CORE_STATE,
                                 sizeof(State), &State),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN);
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  ASSERT_EQ(
      f().process_set_wave_creation(Process, AMD_DBGAPI_WAVE_CREATION_STOP),
      Ok);
  ASSERT_EQ(f().process_freeze(Process), Ok);
  EXPECT_EQ(f().process_freeze(Process),
            AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN);
  ASSERT_EQ(f().process_unfreeze(Process), Ok);
}

TEST_P(Live, WatchpointStopsTheWriter) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  write32(Kernel, Original);
  // The first kernel argument is the output.
  uint64_t Arguments = 0, Out = 0;
  auto Dispatch =
      wave<amd_dbgapi_dispatch_id_t>(Stopped[0], AMD_DBGAPI_WAVE_INFO_DISPATCH);
  ASSERT_EQ(f().dispatch_get_info(
                Dispatch,
                AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS, 8,
                &Arguments),
            Ok);
  ASSERT_EQ(pread(Memory, &Out, 8, off_t(Arguments)), 8);
  size_t Count = 0;
  ASSERT_EQ(f().process_get_info(Process,
                                 AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT,
                                 sizeof(Count), &Count),
            Ok);
  ASSERT_GE(Count, 1u);
  amd_dbgapi_watchpoint_id_t Watch = {0};
  ASSERT_EQ(f().set_watchpoint(Process, Out + 200 * 4, 4,
                               AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW,
                               &Watch),
            Ok);
  uint64_t Address = 0, Size = 0;
  ASSERT_EQ(f().watchpoint_get_info(Watch, AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS,
                                    8, &Address),
            Ok);
  ASSERT_EQ(
      f().watchpoint_get_info(Watch, AMD_DBGAPI_WATCHPOINT_INFO_SIZE, 8, &Size),
      Ok);
  EXPECT_LE(Address, Out + 200 * 4);
  EXPECT_GE(Address + Size, Out + 201 * 4);
  std::vector<amd_dbgapi_wave_id_t> Waves;
  std::swap(Waves, Stopped);
  const auto PcRegister = reg(Waves[0], "pc");
  for (amd_dbgapi_wave_id_t Id : Waves) {
    ASSERT_EQ(f().write_register(Id, PcRegister, 0, 8, &Kernel), Ok);
    ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  }
  runUntil([&] { return !Stopped.empty(); });
  ASSERT_FALSE(Stopped.empty());
  const amd_dbgapi_wave_id_t One = Stopped[0];
  EXPECT_TRUE(wave<uint32_t>(One, AMD_DBGAPI_WAVE_INFO_STOP_REASON) &
              AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT);
  auto List =
      wave<amd_dbgapi_watchpoint_list_t>(One, AMD_DBGAPI_WAVE_INFO_WATCHPOINTS);
  ASSERT_EQ(List.count, 1u);
  EXPECT_EQ(List.watchpoint_ids[0].handle, Watch.handle);
  free(List.watchpoint_ids);
  // Work-item 200 is in group 1.
  EXPECT_EQ((wave<std::array<uint32_t, 3>>(
                One, AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD)[0]),
            1u);
  EXPECT_EQ(wave<uint32_t>(One, AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP),
            72 / laneCount());
  ASSERT_EQ(f().remove_watchpoint(Watch), Ok);
  // EXCP_EN.ADDR_WATCH of MODE; gfx12 has it in another register.
  if (GetParam() != "gfx1201") {
    uint32_t Mode = 0;
    ASSERT_EQ(f().read_register(One, reg(One, "mode"), 0, 4, &Mode), Ok);
    EXPECT_FALSE(Mode & 1u << 19) << Mode;
  }
  for (amd_dbgapi_wave_id_t Id : Stopped)
    ASSERT_EQ(f().wave_resume(Id, AMD_DBGAPI_RESUME_MODE_NORMAL,
                              AMD_DBGAPI_EXCEPTION_NONE),
              Ok);
  runUntil([] { return false; });
  ASSERT_TRUE(ExitStatus);
  EXPECT_TRUE(WIFEXITED(*ExitStatus) && WEXITSTATUS(*ExitStatus) == 0);
}

// Objects that are being iterated over when a call notices that the device is
// gone stay valid.
TEST_P(Live, WatchpointsOfADeviceThatIsGone) {
  ASSERT_NO_FATAL_FAILURE(stopAtKernel());
  amd_dbgapi_watchpoint_id_t Watches[2] = {};
  for (unsigned I = 0; I < 2; ++I)
    ASSERT_EQ(f().set_watchpoint(Process, (Kernel & ~0xfffull) + 64 * I, 4,
                                 AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW,
                                 &Watches[I]),
              Ok);
  // With the queues suspended, the watch registers are accessed first.
  ASSERT_EQ(f().process_set_progress(Process, AMD_DBGAPI_PROGRESS_NO_FORWARD),
            Ok);
  int Status = 0;
  kill(Pid, SIGKILL);
  ASSERT_EQ(waitpid(Pid, &Status, 0), Pid);
  ExitStatus = Status;
  const std::filesystem::path Socket = std::filesystem::path(RuntimeFolder) /
                                       ("gpu-" + std::to_string(Pid) + ".sock");
  // The device process isn't our child: its socket shows that it is alive.
  for (int I = 0; I < 15000 && std::filesystem::exists(Socket); ++I)
    usleep(2000);
  ASSERT_FALSE(std::filesystem::exists(Socket));
  f().remove_watchpoint(Watches[0]);
  EXPECT_EQ(f().process_detach(Process), Ok);
  Process = {0};
}

TEST(AMDLibrary, ExceptionsAreTests) {
  wavelane::test::expectTests("GPUs/Live.");
}

INSTANTIATE_TEST_SUITE_P(
    GPUs, Live, ::testing::ValuesIn([] {
      llvm::SmallVector<llvm::StringRef, 8> Names;
      llvm::StringRef(WAVELANE_TEST_GPUS).split(Names, ',');
      return std::vector<std::string>(Names.begin(), Names.end());
    }()),
    [](const ::testing::TestParamInfo<std::string> &Info) {
      return Info.param;
    });

} // namespace
