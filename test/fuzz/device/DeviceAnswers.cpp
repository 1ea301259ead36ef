// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debug library on the socket of a device that may answer anything, as a
// program may that listens there itself: it shows, stops, steps and resumes the
// waves, if there are some.
#include "Simulator/Common/Wire.h"
#include "cores/CoreState.h"
#include "fuzz/Input.h"
#include "wavelane/DebugAPI/Library.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using wavelane::test::Core;
using wavelane::test::Input;

namespace {

/// Answers as one with the waves of a core; then from the input.
class Device {
public:
  Device(Input In, const Core &From)
      : In(In), From(From), Lies(this->In.byte()) {}

  /// Until the listener is shut down: a library that was disconnected comes
  /// again.
  void serve(int Listener) {
    for (int Fd; (Fd = accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;
         close(Fd)) {
      Message M;
      while (receiveMessage(Fd, M)) {
        if (M.Fd >= 0)
          close(M.Fd);
        if (!answer(Fd, M))
          break;
      }
    }
  }

private:
  bool answer(int Fd, const Message &M) {
    std::vector<uint8_t> Out;
    int Result = 0;
    if (M.Header.type == MessageType::DebugTrap)
      Result = trap(M.Payload, Out);
    else if (M.Header.type != MessageType::Hello)
      Out.assign({'{', '}'});
    MessageHeader Header = {MessageType::Reply, 0, M.Header.sequence, Result};
    if (!(In.byte() & 7)) {
      In.damage(Out, {test::Area, test::Ring, test::RDebug, test::AmdQueue});
      const uint8_t How = In.byte();
      if (How & 1)
        Out.resize(Out.size() * (How / 2) / 128);
      if ((How & 6) == 6)
        Header.result = int32_t(In.word());
      if ((How & 24) == 24)
        Header.sequence ^= 1;
    }
    Header.size = uint32_t(Out.size());
    return sendBytes(Fd, &Header, sizeof(Header)) &&
           sendBytes(Fd, Out.data(), Out.size());
  }

  int trap(const std::vector<uint8_t> &Request, std::vector<uint8_t> &Out) {
    kfd::DebugTrapArguments A = {};
    if (Request.size() < sizeof(A))
      return -EINVAL;
    memcpy(&A, Request.data(), sizeof(A));
    std::vector<uint8_t> More(Request.begin() + sizeof(A), Request.end());
    auto Append = [&](const void *Data, size_t Size) {
      More.insert(More.end(), static_cast<const uint8_t *>(Data),
                  static_cast<const uint8_t *>(Data) + Size);
    };
    int Result = 0;
    switch (A.op) {
    case kfd::Enable:
      Append(&From.runtime, sizeof(From.runtime));
      break;
    case kfd::QueryExceptionInfo:
      Append(&From.runtime, sizeof(From.runtime));
      break;
    case kfd::GetDeviceSnapshot:
      // As many as were asked for and one more, each time.
      A.device_snapshot.num_devices =
          Lies & 1 ? A.device_snapshot.num_devices + 1 : 1;
      Append(&From.agent, sizeof(From.agent));
      break;
    case kfd::GetQueueSnapshot:
      A.queue_snapshot.num_queues =
          Lies & 2 ? A.queue_snapshot.num_queues + 1 : 1;
      Append(&From.queue, sizeof(From.queue));
      break;
    case kfd::SuspendQueues:
      Result = 1;
      break;
    case kfd::QueryDebugEvent:
      A.query_debug_event.exception_mask = In.byte() & 1 ? 1u << 30 : 1;
      A.query_debug_event.queue_id = In.byte() & 1 ? From.queue.queue_id : 0;
      if (A.query_debug_event.queue_id == 0)
        A.query_debug_event.exception_mask =
            kfd::exceptionMask(kfd::ProcessRuntime);
      if (!(Lies & 4) && Events++ % 4)
        Result = -EAGAIN;
      break;
    default:
      break;
    }
    Out.resize(sizeof(A));
    memcpy(Out.data(), &A, sizeof(A));
    Out.insert(Out.end(), More.begin(), More.end());
    return Result;
  }

  Input In;
  const Core &From;
  const uint8_t Lies;
  unsigned Events = 0;
};

/// What a debugger does.
class Debugger {
public:
  explicit Debugger(Input In) : In(In) {}

  void run() {
    amd_dbgapi_callbacks_t Callbacks = {};
    Callbacks.allocate_memory = malloc;
    Callbacks.deallocate_memory = free;
    Callbacks.client_process_get_info = [](auto, auto Query, size_t,
                                           void *Value) {
      if (Query != AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID)
        return AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;
      *static_cast<amd_dbgapi_os_process_id_t *>(Value) = getpid();
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    Callbacks.insert_breakpoint = [](auto, auto, auto) {
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    Callbacks.remove_breakpoint = [](auto, auto) {
      return AMD_DBGAPI_STATUS_SUCCESS;
    };
    Callbacks.xfer_global_memory = [](auto, auto, auto *, void *,
                                      const void *) {
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    };
    Callbacks.log_message = [](auto, const char *) {};
    if (amd_dbgapi_initialize(&Callbacks) != AMD_DBGAPI_STATUS_SUCCESS)
      abort();
    if (amd_dbgapi_process_attach(
            reinterpret_cast<amd_dbgapi_client_process_id_t>(this), &Process) ==
        AMD_DBGAPI_STATUS_SUCCESS) {
      for (unsigned Step = 0; Step < 12; ++Step)
        act(In.byte());
      amd_dbgapi_process_detach(Process);
    }
    amd_dbgapi_finalize();
  }

private:
  void act(uint8_t Which) {
    events();
    const std::vector<amd_dbgapi_wave_id_t> Waves = list();
    const amd_dbgapi_wave_id_t Wave = Waves.empty()
                                          ? amd_dbgapi_wave_id_t{In.byte()}
                                          : Waves[In.byte() % Waves.size()];
    switch (Which % 8) {
    case 0:
      amd_dbgapi_wave_stop(Wave);
      break;
    case 1:
      amd_dbgapi_wave_resume(Wave, AMD_DBGAPI_RESUME_MODE_NORMAL,
                             AMD_DBGAPI_EXCEPTION_NONE);
      break;
    case 2:
      amd_dbgapi_wave_resume(Wave, AMD_DBGAPI_RESUME_MODE_SINGLE_STEP,
                             AMD_DBGAPI_EXCEPTION_NONE);
      break;
    case 3: {
      amd_dbgapi_watchpoint_id_t Id;
      amd_dbgapi_set_watchpoint(Process, test::Area, 8,
                                AMD_DBGAPI_WATCHPOINT_KIND_ALL, &Id);
      break;
    }
    case 4:
      amd_dbgapi_process_set_progress(
          Process, In.byte() & 1 ? AMD_DBGAPI_PROGRESS_NO_FORWARD
                                 : AMD_DBGAPI_PROGRESS_NORMAL);
      break;
    case 5:
      amd_dbgapi_process_set_wave_creation(
          Process, In.byte() & 1 ? AMD_DBGAPI_WAVE_CREATION_STOP
                                 : AMD_DBGAPI_WAVE_CREATION_NORMAL);
      break;
    default:
      registers(Wave);
    }
  }

  void events() {
    for (unsigned I = 0; I < 100; ++I) {
      amd_dbgapi_event_id_t Event;
      amd_dbgapi_event_kind_t Kind = AMD_DBGAPI_EVENT_KIND_NONE;
      if (amd_dbgapi_process_next_pending_event(Process, &Event, &Kind) !=
              AMD_DBGAPI_STATUS_SUCCESS ||
          Kind == AMD_DBGAPI_EVENT_KIND_NONE)
        return;
      amd_dbgapi_event_processed(Event);
    }
  }

  std::vector<amd_dbgapi_wave_id_t> list() {
    size_t Count = 0;
    amd_dbgapi_wave_id_t *Ids = nullptr;
    std::vector<amd_dbgapi_wave_id_t> Result;
    if (amd_dbgapi_process_wave_list(Process, &Count, &Ids, nullptr) ==
        AMD_DBGAPI_STATUS_SUCCESS)
      Result.assign(Ids, Ids + Count);
    free(Ids);
    return Result;
  }

  void registers(amd_dbgapi_wave_id_t Wave) {
    size_t Count = 0;
    amd_dbgapi_register_id_t *Ids = nullptr;
    if (amd_dbgapi_wave_register_list(Wave, &Count, &Ids) ==
        AMD_DBGAPI_STATUS_SUCCESS)
      for (size_t I = In.byte(); I < Count; I += 16) {
        uint64_t Size = 0;
        uint8_t Bytes[512];
        if (amd_dbgapi_register_get_info(Ids[I], AMD_DBGAPI_REGISTER_INFO_SIZE,
                                         8,
                                         &Size) != AMD_DBGAPI_STATUS_SUCCESS ||
            Size > sizeof(Bytes))
          continue;
        if (amd_dbgapi_read_register(Wave, Ids[I], 0, Size, Bytes) ==
                AMD_DBGAPI_STATUS_SUCCESS &&
            In.byte() & 1)
          amd_dbgapi_write_register(Wave, Ids[I], 0, Size, Bytes);
      }
    free(Ids);
  }

  Input In;
  amd_dbgapi_process_id_t Process = {0};
};

/// The core's memory, at its addresses in this process.
class Mapped {
public:
  explicit Mapped(const Core &From) {
    for (const auto &[Page, Bytes] : From.memory) {
      void *At = reinterpret_cast<void *>(Page * 4096);
      if (mmap(At, 4096, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != At)
        abort();
      memcpy(At, Bytes.data(), Bytes.size());
      Pages.push_back(At);
    }
  }
  ~Mapped() {
    for (void *At : Pages)
      munmap(At, 4096);
  }

private:
  std::vector<void *> Pages;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Input In{Data, Size};
  // They take long to build.
  static const std::vector<Core> Built = [] {
    std::vector<Core> All;
    for (const savearea::Architecture &Gpu : savearea::architectures())
      if (Core One(Gpu, 64, {1}); One.build().empty())
        All.push_back(std::move(One));
    return All;
  }();
  Core From = Built[In.byte() % Built.size()];
  // What a program writes into its save area and queue.
  for (unsigned Count = In.byte() % 8; Count; --Count) {
    static const uint64_t Where[] = {test::Area, test::Area,   test::AmdQueue,
                                     test::Ring, test::RDebug, test::Links};
    const uint64_t At = Where[In.byte() % 6] + In.word() % 8192;
    uint64_t Old;
    if (From.peek(At, &Old, 8))
      From.put<uint64_t>(At, In.number({test::Area, test::Ring, test::Code}));
  }
  const Mapped Memory(From);
  std::string Error;
  static const std::string Path =
      deviceSocket(runtimeDirectory(getpid(), Error), getpid());
  const SocketAddress Address(Path);
  unlink(Path.c_str());
  const int Listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(Listener, Address.get(), Address.size()) != 0 ||
      listen(Listener, 1) != 0)
    abort();
  Input Actions{Data, Size};
  Actions.Data += Size / 2;
  Actions.Size -= Size / 2;
  std::thread Thread([&] { Device(In, From).serve(Listener); });
  Debugger(Actions).run();
  // If it hasn't connected.
  shutdown(Listener, SHUT_RDWR);
  Thread.join();
  close(Listener);
  unlink(Path.c_str());
  return 0;
}
