//===-- KfdProcess.cpp - a program's side of KFD --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KfdProcess.h"
#include "LogOnce.h"
#include "Next.h"
#include "Tree.h"
#include "UserMemory.h"

#include "Simulator/Common/Agent.h"
#include "Simulator/Common/CoreDumps.h"
#include "Simulator/Common/DebugClient.h"
#include "Simulator/Common/StartDevice.h"

#include "wavelane/GPU/Processors.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <poll.h>
#include <set>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::driver;
using namespace wavelane::simulator;
namespace shared = wavelane::simulator::driver;

static std::mutex TheLock;
static wavelane::driver::Process *TheProcess = nullptr;

/// A debugger's breakpoint. AMD's runtime has a function of this name, but no
/// symbol for it: its address is known after RUNTIME_ENABLE, when the program
/// must stop once for the debugger to set its breakpoint there.
extern "C" __attribute__((visibility("default"), noinline)) void
_loader_debug_state() {
  asm volatile("" ::: "memory"); // keep the call
}

static int closeNext(int Fd) {
  static auto *const Close = next<int(int)>("close");
  return Close(Fd);
}

wavelane::driver::Process *wavelane::driver::Process::current() {
  Process *P = __atomic_load_n(&TheProcess, __ATOMIC_ACQUIRE);
  return P && P->Pid == getpid() ? P : nullptr;
}

wavelane::driver::Process *wavelane::driver::Process::get() {
  if (Process *P = current())
    return P;
  std::lock_guard<std::mutex> Guard(TheLock);
  if (Process *P = current())
    return P;
  // Never destroyed: threads may use it until the program ends.
  auto *P = new Process;
  P->Pid = getpid();
  if (!P->makeFile()) {
    delete P;
    return nullptr;
  }
  __atomic_store_n(&TheProcess, P, __ATOMIC_RELEASE);
  return P;
}

bool wavelane::driver::Process::makeFile() {
  const int Made =
      memfd_create("wavelane-gpu-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Avoid low descriptor numbers that programs may expect to be free.
  File = Made < 0 ? -1 : fcntl(Made, F_DUPFD_CLOEXEC, 100);
  if (Made >= 0)
    closeNext(Made);
  struct stat Stat;
  static auto *const Map =
      next<void *(void *, size_t, int, int, int, off_t)>("mmap");
  static auto *const Status = next<int(int, struct stat *)>("fstat");
  void *P = MAP_FAILED;
  std::string Why;
  if (File < 0)
    Why = strerror(errno);
  else if (simulator::sizeMemoryFile(File, shared::FileSize, Why)) {
    if (Status(File, &Stat) == 0)
      P = Map(nullptr, shared::ControlSize, PROT_READ | PROT_WRITE, MAP_SHARED,
              File, 0);
    Why = strerror(errno);
  }
  if (P == MAP_FAILED) {
    fprintf(stderr, "wavelane: cannot make device memory: %s\n", Why.c_str());
    if (File >= 0)
      closeNext(File);
    return false;
  }
  simulator::leaveOutOfCore(P, shared::ControlSize);
  // Nobody who gets the file can take its pages away from others.
  fcntl(File, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  FileDevice = Stat.st_dev;
  FileNumber = Stat.st_ino;
  Shared = static_cast<shared::Control *>(P);
  Waits =
      std::make_unique<Events>(*Shared, [this] { return deviceHasEnded(); });
  Pages = std::make_unique<UserPages>(
      File, FileNumber,
      [this](ForeignMemory &Part, int Fd) { return mapForeign(Part, Fd); });
  Svm = std::make_unique<SvmRanges>(
      *Pages, Happenings, unsigned(selection().Gpus.size()),
      [this](shared::SvmMapping M, const std::vector<Segment> &Segments) {
        std::vector<uint8_t> Out;
        return ask(unsigned(kfd::Call::Svm), &M, sizeof(M), Segments.data(),
                   Segments.size() * sizeof(Segment), Out);
      });
  Faults = std::make_unique<PageFaults>(
      Shared->wanted_page, [this](const PageFaults::Request &R) { serve(R); });
  Shares = std::make_unique<Sharing>(
      File, Sharing::Device{[this](kfd::Call Number, void *Argument,
                                   size_t Size, const void *In, size_t InSize,
                                   std::vector<uint8_t> &Out) {
                              return ask(unsigned(Number), Argument, Size, In,
                                         InSize, Out);
                            },
                            [this](ForeignMemory &Part, int Fd) {
                              return mapForeign(Part, Fd);
                            }});
  const DeviceCall Ask = [this](kfd::Call Number, void *Argument, size_t Size,
                                const void *In, size_t InSize) {
    return ask(Number, Argument, Size, In, InSize);
  };
  Buffers = std::make_unique<Gem>(Ask, *Shares);
  TheJobs = std::make_unique<Jobs>(Ask, *Waits);
  return true;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

// A descriptor of a device is a separately opened descriptor of the memory
// file. Its file position, which its copies share and nothing else uses,
// identifies the device.
static constexpr off_t KfdPosition = off_t(0x57414b46) << 16;
static constexpr off_t DrmPosition = off_t(0x57414452) << 16;

int wavelane::driver::Process::open(const DeviceFile &Kind, int Flags) {
  char Path[64];
  snprintf(Path, sizeof(Path), "/proc/self/fd/%d", File);
  const int Fd = openNext(Path, O_RDWR | (Flags & O_CLOEXEC));
  if (Fd >= 0)
    lseek(Fd, Kind.IsKfd ? KfdPosition : DrmPosition + Kind.Minor, SEEK_SET);
  return Fd;
}

int wavelane::driver::Process::openMaps(int Flags) const {
  const std::string Text = describeMaps(FileDevice, FileNumber);
  const int Fd = memfd_create("maps", Flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
  if (Fd >= 0 && (write(Fd, Text.data(), Text.size()) != ssize_t(Text.size()) ||
                  lseek(Fd, 0, SEEK_SET) != 0)) {
    closeNext(Fd);
    return -1;
  }
  return Fd;
}

std::optional<DeviceFile> wavelane::driver::Process::find(int Fd) const {
  struct stat Stat;
  static auto *const Status = next<int(int, struct stat *)>("fstat");
  if (Fd < 0 || Status(Fd, &Stat) != 0 || Stat.st_ino != FileNumber ||
      Stat.st_dev != FileDevice)
    return std::nullopt;
  const off_t At = lseek(Fd, 0, SEEK_CUR);
  DeviceFile Kind;
  Kind.IsKfd = At == KfdPosition;
  if (At >= DrmPosition && At < DrmPosition + 256)
    Kind.Minor = int(At - DrmPosition);
  if (!Kind.IsKfd && Kind.Minor < 0)
    return std::nullopt;
  return Kind;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

bool wavelane::driver::Process::connect() {
  if (Socket >= 0 || Tried)
    return Socket >= 0;
  Tried = true;
  std::string Error;
  HelloReply Device;
  if (startDevice("--driver", File, gpu::get(gpu::DefaultDevice).Name, Socket,
                  Device, Error)) {
    // The device reads code that is only in this process's memory.
    if (Device.checks)
      prctl(PR_SET_PTRACER, Device.device_pid, 0, 0, 0);
    __atomic_store_n(&Checks, Device.checks, __ATOMIC_RELEASE);
    return true;
  }
  Socket = -1;
  fprintf(stderr, "wavelane: %s\n", Error.c_str());
  return false;
}

bool wavelane::driver::Process::deviceHasEnded() {
  pollfd P = {Socket, 0, 0};
  return Socket >= 0 && poll(&P, 1, 0) > 0 && (P.revents & (POLLHUP | POLLERR));
}

int wavelane::driver::Process::ask(unsigned long Request, void *Argument,
                                   size_t Size, const void *In, size_t InSize,
                                   std::vector<uint8_t> &Out) {
  std::vector<uint8_t> Bytes(sizeof(DriverCallRequest) + Size + InSize);
  const DriverCallRequest R = {uint32_t(Request), uint32_t(Size)};
  memcpy(Bytes.data(), &R, sizeof(R));
  memcpy(Bytes.data() + sizeof(R), Argument, Size);
  if (InSize)
    memcpy(Bytes.data() + sizeof(R) + Size, In, InSize);
  std::lock_guard<std::mutex> Guard(SocketLock);
  Message M;
  if (!connect())
    return -ENODEV;
  if (!sendMessage(Socket, MessageType::DriverCall, ++Sequence, 0, Bytes.data(),
                   Bytes.size()) ||
      !receiveMessage(Socket, M) || M.Payload.size() < Size)
    return -EIO; // the device is gone
  if (M.Fd >= 0)
    closeNext(M.Fd);
  memcpy(Argument, M.Payload.data(), Size);
  Out.assign(M.Payload.begin() + long(Size), M.Payload.end());
  return M.Header.result;
}

int wavelane::driver::Process::ask(kfd::Call Number, void *Argument,
                                   size_t Size, const void *In, size_t InSize) {
  std::vector<uint8_t> Out;
  return ask(unsigned(Number), Argument, Size, In, InSize, Out);
}

int wavelane::driver::Process::mapForeign(ForeignMemory &Part, int Fd) {
  std::lock_guard<std::mutex> Guard(SocketLock);
  Message M;
  if (!connect())
    return -ENODEV;
  if (!sendMessage(Socket,
                   Fd < 0 ? MessageType::UnmapForeign : MessageType::MapForeign,
                   ++Sequence, 0, &Part, sizeof(Part), Fd) ||
      !receiveMessage(Socket, M))
    return -EIO;
  if (M.Header.result == 0 && Fd >= 0)
    M.as(Part);
  return M.Header.result;
}

int wavelane::driver::Process::send(MessageType Type, const void *Data,
                                    size_t Size, Message &Reply) {
  std::lock_guard<std::mutex> Guard(SocketLock);
  if (!connect() || !sendMessage(Socket, Type, ++Sequence, 0, Data, Size) ||
      !receiveMessage(Socket, Reply))
    return -EIO;
  if (Reply.Fd >= 0)
    closeNext(Reply.Fd);
  return Reply.Header.result;
}

void wavelane::driver::Process::mapped(uint64_t Address, uint64_t Size,
                                       uint64_t Offset) {
  if (Offset < shared::DoorbellStride || Offset >= shared::FirstObject)
    return;
  std::lock_guard<std::mutex> Guard(SocketLock);
  if (FaultFile < 0) {
    // The program itself writes to doorbells, so no system call needs this.
    FaultFile = int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    uffdio_api Api = {
        UFFD_API,
        UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM, 0};
    if (FaultFile >= 0 && ioctl(FaultFile, UFFDIO_API, &Api) != 0) {
      closeNext(FaultFile);
      FaultFile = -1;
    }
    if (FaultFile < 0)
      logOnce("without userfaultfd, the device polls doorbells");
  }
  uffdio_register Register = {{Address, Size}, UFFDIO_REGISTER_MODE_WP, 0};
  const bool Watched =
      FaultFile >= 0 && ioctl(FaultFile, UFFDIO_REGISTER, &Register) == 0;
  const DoorbellRange Range = {Address, Size};
  if (Socket >= 0)
    sendMessage(
        Socket, MessageType::WatchDoorbells, 0, 0, &Range, sizeof(Range),
        Watched && !std::exchange(FaultFileSent, Watched) ? FaultFile : -1);
}

void wavelane::driver::Process::unmapping(uint64_t Address, uint64_t Size) {
  Svm->unmapping(Address, Size);
}

void wavelane::driver::Process::moving(uint64_t Address, uint64_t Size) {
  Svm->unmapping(Address, Size, /*Keep=*/false);
  Pages->detach(Address, Size);
}

void wavelane::driver::Process::discarding(uint64_t Address, uint64_t Size) {
  Pages->detach(Address, Size);
}

void wavelane::driver::Process::protectionChanged(uint64_t Address,
                                                  uint64_t Size) {
  Svm->protectionChanged(Address, Size);
}

void wavelane::driver::Process::afterForkInChild() {
  Svm->forked();
  Pages->afterForkInChild();
  if (Socket >= 0)
    closeNext(Socket);
  if (FaultFile >= 0)
    closeNext(FaultFile);
}

//===----------------------------------------------------------------------===//
// ioctls
//===----------------------------------------------------------------------===//

int wavelane::driver::Process::allocate(unsigned long Request, void *Argument,
                                        size_t Size) {
  kfd::AllocMemoryArguments A = {};
  memcpy(&A, Argument, std::min(Size, sizeof(A)));
  std::vector<uint8_t> Out;
  if (!(A.flags & kfd::AllocUserPointer))
    return ask(Request, Argument, Size, nullptr, 0, Out);
  const uint64_t Address = A.mmap_offset;
  std::vector<Segment> Segments;
  if (const int Error = Pages->share(Address, A.size, Segments)) {
    logOnce("memory shared with another process can't be shared with the "
            "simulated GPU");
    return Error;
  }
  int Result = ask(Request, Argument, Size, Segments.data(),
                   Segments.size() * sizeof(Segment), Out);
  if (Result == 0) {
    memcpy(&A, Argument, std::min(Size, sizeof(A)));
    std::lock_guard<std::mutex> Guard(OwnLock);
    Own[A.handle] = {Address, std::move(Segments), Address == A.va_addr};
  } else {
    Pages->release(Address, Segments, /*Keep=*/false);
  }
  return Result;
}

int wavelane::driver::Process::release(unsigned long Request, void *Argument,
                                       size_t Size) {
  const uint64_t Handle =
      static_cast<const kfd::FreeMemoryArguments *>(Argument)->handle;
  std::vector<uint8_t> Out;
  const int Result = ask(Request, Argument, Size, nullptr, 0, Out);
  if (Result)
    return Result;
  Shares->freed(Handle);
  OwnPages Ours;
  {
    std::lock_guard<std::mutex> Guard(OwnLock);
    auto It = Own.find(Handle);
    if (It == Own.end())
      return 0;
    Ours = std::move(It->second);
    Own.erase(It);
  }
  // A runtime that allocated memory for its GPUs unmaps it next.
  Pages->release(Ours.Address, Ours.Segments, Ours.IsRuntimes);
  return 0;
}

int wavelane::driver::Process::svm(void *Argument, size_t Size) {
  auto &A = *static_cast<kfd::SvmArguments *>(Argument);
  // The size of an ioctl's argument has 14 bits; AMD's library puts that of the
  // attributes into it.
  if (Size < sizeof(A) ||
      A.nattr > (Size - sizeof(A)) / sizeof(kfd::SvmAttribute))
    return -EINVAL;
  return Svm->call(A, reinterpret_cast<kfd::SvmAttribute *>(&A + 1));
}

int wavelane::driver::Process::setXnack(unsigned long Request, void *Argument,
                                        size_t Size) {
  std::vector<uint8_t> Out;
  const int Result = ask(Request, Argument, Size, nullptr, 0, Out);
  if (Result == 0) {
    const bool On = static_cast<const kfd::SetXnackModeArguments *>(Argument)
                        ->xnack_enabled > 0;
    Svm->setRetries(On);
    if (On) {
      // The C library's own calls that discard pages of a heap, which are then
      // zero, can't be seen; in shared pages they have no effect.
      mallopt(M_TRIM_THRESHOLD, -1);
      Faults->start();
    }
  }
  return Result;
}

void wavelane::driver::Process::serve(const shared::PageRequest &R) {
  shared::PageAnswer A = {R.address, R.gpu_id, 0};
  A.error = Svm->fault(R.gpu_id, R.address, R.write);
  ask(kfd::Call::PageServed, &A, sizeof(A));
}

/// Whether this is a variable of AMD's runtime; another program may give any
/// address.
static bool isRuntimes(const void *Variable) {
  Dl_info Info;
  return Variable && dladdr(Variable, &Info) && Info.dli_sname &&
         strcmp(Info.dli_sname, "_amdgpu_r_debug") == 0;
}

int wavelane::driver::Process::enableRuntime(unsigned long Request,
                                             void *Argument, size_t Size) {
  shared::RuntimeNote Note = {debuggerPatience(), 0};
  std::vector<uint8_t> Out;
  const auto *A = static_cast<const kfd::RuntimeEnableArguments *>(Argument);
  // The structure's version says to debuggers how the runtime's trap handler
  // leaves stopped waves. For an older runtime, the device does the handler's
  // work, in the way of this version.
  auto *Version = reinterpret_cast<int32_t *>(A->r_debug);
  if ((A->mode_mask & 1) && isRuntimes(Version) && *Version > 0 &&
      *Version < RuntimeDebugVersion) {
    *Version = RuntimeDebugVersion;
    Note.is_old = 1;
  }
  const int Result = ask(Request, Argument, Size, &Note, sizeof(Note), Out);
  if (Result == 0 && (A->mode_mask & 1))
    _loader_debug_state();
  return Result;
}

static std::vector<kfd::DeviceSnapshotEntry> selectedAgents(uint32_t) {
  const Selection S = selection();
  std::vector<kfd::DeviceSnapshotEntry> All;
  for (const gpu::Processor *Gpu : S.Gpus)
    All.push_back(describeAgent(*Gpu, S.ComputeUnits, unsigned(All.size())));
  return All;
}

static int callSharing(Sharing &Shares, kfd::Call Call, void *Argument) {
  switch (Call) {
  case kfd::Call::IpcExportHandle:
    return Shares.ipcExport(*static_cast<kfd::IpcExportArguments *>(Argument));
  case kfd::Call::IpcImportHandle:
    return Shares.ipcImport(*static_cast<kfd::IpcImportArguments *>(Argument));
  case kfd::Call::ExportDmabuf:
    return Shares.exportBuffer(
        *static_cast<kfd::ExportDmabufArguments *>(Argument));
  case kfd::Call::GetDmabufInfo:
    return Shares.bufferInfo(
        *static_cast<kfd::GetDmabufInfoArguments *>(Argument));
  case kfd::Call::ImportDmabuf:
    return Shares.importBuffer(
        *static_cast<kfd::ImportDmabufArguments *>(Argument));
  default:
    return -ENOTTY;
  }
}

int wavelane::driver::Process::kfdCall(unsigned long Request, void *Argument) {
  // A copy, with room for what a caller of an older interface leaves out.
  static constexpr size_t Room = 256;
  const size_t Size = _IOC_SIZE(Request);
  const auto User = reinterpret_cast<uint64_t>(Argument);
  std::vector<uint8_t> Bytes;
  int Result = -EFAULT;
  if (copyFromUser(Bytes, User, Size)) {
    Bytes.resize(std::max(Size, Room));
    Result = perform(Request, Bytes.data(), Size);
    // Written here, a page that is being moved is waited for.
    if (_IOC_DIR(Request) & _IOC_READ)
      memcpy(Argument, Bytes.data(), Size);
  }
  if (Result == -ENOTTY)
    logOnce("ioctl 0x" + [&] {
      char Text[16];
      snprintf(Text, sizeof(Text), "%02x", unsigned(_IOC_NR(Request)));
      return std::string(Text);
    }() + " of /dev/kfd isn't modeled");
  if (Result < 0) {
    errno = -Result;
    return -1;
  }
  return Result;
}

int wavelane::driver::Process::askWith(unsigned long Request, void *Argument,
                                       size_t Size, uint64_t Pointer,
                                       size_t Count) {
  std::vector<uint8_t> In, Out;
  if (!copyFromUser(In, Pointer, Count))
    return -EFAULT;
  const int Result = ask(Request, Argument, Size, In.data(), In.size(), Out);
  return Result == 0 && !copyToUser(Pointer, Out.data(), Out.size()) ? -EFAULT
                                                                     : Result;
}

int wavelane::driver::Process::perform(unsigned long Request, void *Argument,
                                       size_t Size) {
  std::vector<uint8_t> Out;
  int Result = -ENOTTY;
  switch (kfd::Call(_IOC_NR(Request))) {
  case kfd::Call::GetVersion: {
    const kfd::GetVersionArguments V = {kfd::InterfaceMajor,
                                        kfd::InterfaceMinor};
    memcpy(Argument, &V, sizeof(V));
    return 0;
  }
  // Events.
  case kfd::Call::CreateEvent:
    Result = Waits->create(*static_cast<kfd::CreateEventArguments *>(Argument));
    break;
  case kfd::Call::DestroyEvent:
    Result =
        Waits->destroy(static_cast<kfd::EventArguments *>(Argument)->event_id);
    break;
  case kfd::Call::SetEvent:
    Result = Waits->set(static_cast<kfd::EventArguments *>(Argument)->event_id);
    break;
  case kfd::Call::ResetEvent:
    Result =
        Waits->reset(static_cast<kfd::EventArguments *>(Argument)->event_id);
    break;
  case kfd::Call::WaitEvents:
    Result = Waits->wait(*static_cast<kfd::WaitEventsArguments *>(Argument));
    break;
  // Memory.
  case kfd::Call::AllocMemoryOfGpu:
    Result = allocate(Request, Argument, Size);
    break;
  case kfd::Call::FreeMemoryOfGpu:
    Result = release(Request, Argument, Size);
    break;
  case kfd::Call::MapMemoryToGpu:
  case kfd::Call::UnmapMemoryFromGpu: {
    const auto *A = static_cast<const kfd::MapMemoryArguments *>(Argument);
    Result = askWith(Request, Argument, Size, A->device_ids_array_ptr,
                     A->n_devices > 4096 ? 0 : A->n_devices * 4);
    break;
  }
  case kfd::Call::SetCuMask: {
    const auto *A = static_cast<const kfd::SetCuMaskArguments *>(Argument);
    Result = askWith(Request, Argument, Size, A->cu_mask_ptr,
                     A->num_cu_mask > 65536 ? 0 : A->num_cu_mask / 8);
    break;
  }
  case kfd::Call::GetProcessAperturesNew: {
    auto *A = static_cast<kfd::GetProcessAperturesNewArguments *>(Argument);
    const uint64_t Room = A->process_device_apertures_ptr;
    Result = ask(Request, Argument, Size, nullptr, 0, Out);
    if (Result == 0 && Room && !copyToUser(Room, Out.data(), Out.size()))
      Result = -EFAULT;
    break;
  }
  case kfd::Call::IpcExportHandle:
  case kfd::Call::IpcImportHandle:
  case kfd::Call::ExportDmabuf:
  case kfd::Call::GetDmabufInfo:
  case kfd::Call::ImportDmabuf:
    Result = callSharing(*Shares, kfd::Call(_IOC_NR(Request)), Argument);
    break;
  case kfd::Call::SmiEvents:
    Result = Happenings.open(*static_cast<kfd::SmiEventsArguments *>(Argument));
    break;
  case kfd::Call::Svm:
    Result = svm(Argument, Size);
    break;
  case kfd::Call::SetXnackMode:
    Result = setXnack(Request, Argument, Size);
    break;
  case kfd::Call::RuntimeEnable:
    Result = enableRuntime(Request, Argument, Size);
    break;
  case kfd::Call::DebugTrap:
    // A program may debug another one, or itself.
    Result = debugTrap(*static_cast<kfd::DebugTrapArguments *>(Argument),
                       selectedAgents);
    return Result < 0 ? -errno : Result;
  case kfd::Call::OldDebugTrap: {
    auto *A = static_cast<kfd::OldDebugTrapArguments *>(Argument);
    if (A->op == kfd::OldTrapGetVersion) {
      A->data1 = kfd::OldTrapMajor;
      A->data2 = kfd::OldTrapMinor;
      return 0;
    }
    if (A->op == kfd::OldTrapRuntimeEnable) {
      kfd::RuntimeEnableArguments New = {
          A->ptr, (A->data1 ? 1u : 0) | (A->data2 ? 2u : 0), 0};
      Result =
          enableRuntime(unsigned(kfd::Call::RuntimeEnable), &New, sizeof(New));
    }
    break;
  }
  case kfd::Call::PcSample: {
    const auto *A = static_cast<const kfd::PcSampleArguments *>(Argument);
    const bool HasInfo = A->sample_info_ptr && A->num_sample_info;
    Result = askWith(Request, Argument, Size, A->sample_info_ptr,
                     HasInfo ? sizeof(kfd::PcSampleInfo) : 0);
    break;
  }
  case kfd::Call::SubmitJob:
  case kfd::Call::QueryJob:
  case kfd::Call::PageServed:
    break; // not KFD's
  default:
    Result = ask(Request, Argument, Size, nullptr, 0, Out);
    break;
  }
  return Result;
}
