//===-- Runtime.cpp - start-up, registration, queues, launches ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime.h"

#include "CodeObject.h"
#include "Simulator/Common/StartDevice.h"

#include "wavelane/GPU/AddressSpaces.h"

#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <cxxabi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace wavelane::runtime;
namespace gpu = wavelane::gpu;

static constexpr uint64_t RingPackets = 256;
static constexpr uint64_t SignalAt = 512, RingAt = Queue::RingAt;
static constexpr uint64_t KernargPool = 4u << 20;
/// For an image of unknown size.
static constexpr uint64_t MaxImageSize = uint64_t(1) << 31;

Runtime &Runtime::get() {
  // Never destroyed: programs unregister code after static destructors have
  // run.
  static Runtime *The = new Runtime;
  return *The;
}

hipError_t Runtime::readyMemory() {
  std::call_once(MemoryOnce, [this] {
    std::string Error;
    if (!Memory.create(Error)) {
      complain("no GPU: %s", Error.c_str());
      return;
    }
    // A child of the program has neither the device nor device memory.
    madvise(reinterpret_cast<void *>(ArenaBase), ArenaSize, MADV_DONTFORK);
    MemoryError = hipSuccess;
  });
  return MemoryError;
}

const char *Runtime::chooseProcessor() {
  std::lock_guard<std::mutex> Guard(RegistryLock);
  std::vector<std::vector<std::string>> Bundles;
  for (const auto &B : Binaries)
    Bundles.push_back(readTargets(static_cast<const uint8_t *>(B->Image),
                                  readableSize(B->Image, MaxImageSize)));
  return gpu::chooseDevice(Bundles).Name;
}

hipError_t Runtime::start() {
  if (hipError_t E = readyMemory())
    return E;
  std::string Error;
  if (!Device.start(Memory, chooseProcessor(),
                    {[this] { Hostcalls.serve(); },
                     [this](const QueueErrorEvent &E) { queueError(E); },
                     [this] { deviceLost(); }},
                    Error)) {
    complain("no GPU: %s", Error.c_str());
    return hipErrorNoDevice;
  }
  notes::start(*this);
  if (!Device.deviceCount())
    return hipErrorNoDevice;
  pthread_atfork(nullptr, nullptr, [] {
    Runtime &R = Runtime::get();
    R.Forked = true;
    R.Device.disown();
  });
  const RuntimeEnableRequest Enable = {debugStructure(), debuggerPatience(), 0};
  if (Device.request(MessageType::RuntimeEnable, &Enable, sizeof(Enable)) < 0)
    return hipErrorNoDevice;
  return nullStream(0) ? hipSuccess : hipErrorOutOfMemory;
}

unsigned &Runtime::current() {
  static thread_local unsigned Device = 0;
  return Device;
}

Stream *Runtime::nullStream(unsigned Device) {
  std::lock_guard<std::recursive_mutex> Guard(StreamLock);
  Stream &S = Nulls[Device];
  return S.Q || createQueue(S.Q, Device) == hipSuccess ? &S : nullptr;
}

hipError_t Runtime::ready() {
  if (Forked)
    return hipErrorNotInitialized;
  std::call_once(Once, [this] { StartError = start(); });
  if (StartError)
    return StartError;
  return sticky();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

hipError_t Runtime::loadModule(const void *Image, uint64_t Limit,
                               unsigned Index, Module &M, std::string &Why) {
  const AgentDescription &On = Device.device(Index);
  ChosenCode Chosen;
  if (hipError_t E = selectCodeObject(static_cast<const uint8_t *>(Image),
                                      Limit, On.target_id, Chosen, Why))
    return E;
  if (!Chosen.Copy.empty())
    M.Copy = std::move(Chosen.Copy);
  M.Code.Uri = describeImage(Chosen.Elf, Chosen.Size);
  // A debugger reads the code object as long as it is loaded, but the program
  // may free its image after this.
  const bool IsOurs =
      Chosen.Elf >= M.Copy.data() && Chosen.Elf < M.Copy.data() + M.Copy.size();
  if (!IsOurs && M.Code.Uri.compare(0, 9, "memory://") == 0) {
    M.Copy.assign(Chosen.Elf, Chosen.Elf + Chosen.Size);
    Chosen.Elf = M.Copy.data();
    M.Code.Uri = describeImage(Chosen.Elf, Chosen.Size);
  }
  // The file may be written again while its code is loaded: only its name is
  // passed.
  if (!M.File.empty())
    M.Code.Uri += "&name=" + encodeForUri(M.File);
  if (hipError_t E =
          loadCodeObject(Memory, Chosen.Elf, Chosen.Size, On, M.Code, Why))
    return E;
  for (auto &K : M.Code.Kernels)
    K.second->Device = Index;
  {
    std::lock_guard<std::mutex> Guard(KernelNamesLock);
    for (auto &K : M.Code.Kernels)
      KernelNames[K.second->Descriptor] = K.first;
  }
  notes::code(*this, M.Code, /*IsLoaded=*/true);
  publishCodeObject(M.Code);
  return hipSuccess;
}

void Runtime::unloadModule(Module &M) {
  if (!M.Code.Base)
    return;
  (void)waitAll();
  retractCodeObject(M.Code);
  notes::code(*this, M.Code, /*IsLoaded=*/false);
  {
    std::lock_guard<std::mutex> Guard(KernelNamesLock);
    for (auto &K : M.Code.Kernels)
      KernelNames.erase(K.second->Descriptor);
  }
  Memory.free(reinterpret_cast<void *>(M.Code.Base));
  M.Code.Base = 0;
}

hipError_t Runtime::loadBinary(FatBinary &B, unsigned Index) {
  FatBinary::Loading &On = B.On[Index];
  if (On.Done)
    return On.Error;
  On.Done = true;
  On.Module = std::make_unique<Module>();
  std::string Why;
  On.Error = loadModule(B.Image, readableSize(B.Image, MaxImageSize), Index,
                        *On.Module, Why);
  if (On.Error) {
    complain("a fat binary of this program cannot be used: %s", Why.c_str());
    return On.Error;
  }
  for (FatBinary::Function &F : B.Functions) {
    auto It = On.Module->Code.Kernels.find(F.Name);
    if (It != On.Module->Code.Kernels.end())
      KernelOf[{F.Host, Index}] = It->second.get();
  }
  for (FatBinary::Variable &V : B.Variables) {
    auto It = On.Module->Code.Symbols.find(V.Name);
    if (It == On.Module->Code.Symbols.end())
      continue;
    VariableOf[{V.Host, Index}] = It->second;
    if (!V.Object) {
      notes::variable(*this, It->second, V.IsConstant);
      continue;
    }
    // The device's variable is a pointer to the shared object.
    memcpy(reinterpret_cast<void *>(It->second.Address), &V.Object, 8);
    VariableOf[{V.Host, Index}] = {reinterpret_cast<uint64_t>(V.Object),
                                   V.Size};
  }
  return hipSuccess;
}

hipError_t Runtime::findKernel(const void *Host, const Kernel *&Out) {
  std::lock_guard<std::mutex> Guard(RegistryLock);
  const unsigned Index = current();
  auto It = KernelOf.find({Host, Index});
  if (It == KernelOf.end()) {
    // Load all code, so a debugger sees every code object before the first
    // wave.
    hipError_t Error = hipSuccess;
    for (auto &B : Binaries)
      if (hipError_t E = loadBinary(*B, Index))
        for (auto &F : B->Functions)
          if (F.Host == Host)
            Error = E;
    if (Error)
      return Error;
    It = KernelOf.find({Host, Index});
    if (It == KernelOf.end())
      return hipErrorInvalidDeviceFunction;
  }
  Out = It->second;
  return hipSuccess;
}

hipError_t Runtime::findVariable(const void *Host, CodeObject::Symbol &Out) {
  std::lock_guard<std::mutex> Guard(RegistryLock);
  for (auto &B : Binaries)
    (void)loadBinary(*B, current());
  auto It = VariableOf.find({Host, current()});
  if (It == VariableOf.end())
    return hipErrorInvalidSymbol;
  Out = It->second;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

hipError_t Runtime::createQueue(std::unique_ptr<Queue> &Out, unsigned Index) {
  auto Q = std::make_unique<Queue>();
  Q->Device = Index;
  Q->Block = static_cast<uint8_t *>(
      Memory.allocate(RingAt + RingPackets * 64, MemoryKind::Internal));
  // A debugger steps displaced instructions in the save area.
  Q->SaveArea = static_cast<uint8_t *>(
      Memory.allocate(Device.device(Index).save_area_size, MemoryKind::Internal,
                      0, PageRead | PageWrite | PageExecute));
  Q->Kernargs = static_cast<uint8_t *>(
      Memory.allocate(KernargPool, MemoryKind::Internal));
  if (!Q->Block || !Q->SaveArea || !Q->Kernargs)
    return hipErrorOutOfMemory;
  Q->Pending = reinterpret_cast<Signal *>(Q->Block + SignalAt);
  Q->Pending->Kind = 1;
  for (uint64_t I = 0; I < RingPackets; ++I)
    *reinterpret_cast<uint16_t *>(Q->Block + RingAt + I * 64) = 1; // invalid
                                                                   // packet
  CreateQueueRequest R = {};
  R.ring_base = reinterpret_cast<uint64_t>(Q->Block + RingAt);
  R.ring_size = RingPackets * 64;
  R.amd_queue = reinterpret_cast<uint64_t>(Q->Block);
  R.save_area = reinterpret_cast<uint64_t>(Q->SaveArea);
  R.agent = Device.agent(Index);
  // hsa_queue_t's part: type multi, features dispatch, base and size.
  memcpy(Q->Block + 8, &R.ring_base, 8);
  const uint32_t Features = 1, Packets = uint32_t(RingPackets);
  memcpy(Q->Block + 4, &Features, 4);
  memcpy(Q->Block + 24, &Packets, 4);
  Message Reply;
  CreateQueueReply Id;
  if (Device.request(MessageType::CreateQueue, &R, sizeof(R), &Reply) < 0 ||
      !Reply.as(Id))
    return Device.isAlive() ? hipErrorUnknown : hipErrorNoDevice;
  Q->Id = Id.queue_id;
  memcpy(Q->Block + 32, &Id.queue_id, 4);
  {
    std::lock_guard<std::mutex> Guard(QueuesLock);
    QueueById[Q->Id] = Q.get();
  }
  Out = std::move(Q);
  return hipSuccess;
}

void Runtime::destroyQueue(Queue &Q) {
  (void)wait(Q);
  QueueRequest R = {Q.Id, 0};
  Device.request(MessageType::DestroyQueue, &R, sizeof(R));
  {
    std::lock_guard<std::mutex> Guard(QueuesLock);
    QueueById.erase(Q.Id);
  }
  {
    std::lock_guard<std::mutex> Guard(CooperativeLock);
    if (LastCooperative[Q.Device] == &Q)
      LastCooperative[Q.Device] = nullptr;
  }
  for (uint8_t *P : {Q.Block, Q.SaveArea, Q.Scratch, Q.Kernargs})
    if (P)
      Memory.free(P);
}

Stream *Runtime::resolve(hipStream_t Handle) {
  // 0: null stream, 1: legacy, 2: per thread (here the same).
  if (reinterpret_cast<uintptr_t>(Handle) <= 2)
    return nullStream(current());
  std::lock_guard<std::recursive_mutex> Guard(StreamLock);
  Stream *S = reinterpret_cast<Stream *>(Handle);
  return Streams.count(S) ? S : nullptr;
}

hipError_t Runtime::wait(Queue &Q) {
  if (!Device.waitFor([&] { return Q.idle() || Q.Failed; }))
    return sticky() ? sticky() : hipErrorLaunchFailure;
  return sticky();
}

hipError_t Runtime::waitAll(std::optional<unsigned> Index) {
  notes::ordered(*this, OrderNote::HostAfterAll, 0);
  std::vector<Stream *> All;
  {
    std::lock_guard<std::recursive_mutex> Guard(StreamLock);
    for (Stream &S : Nulls)
      if (S.Q)
        All.push_back(&S);
    All.insert(All.end(), Streams.begin(), Streams.end());
  }
  for (Stream *S : All)
    if (!Index || S->Q->Device == *Index)
      if (hipError_t E = wait(*S->Q))
        return E;
  return hipSuccess;
}

bool Runtime::allIdle() {
  std::lock_guard<std::mutex> Guard(QueuesLock);
  return std::all_of(QueueById.begin(), QueueById.end(),
                     [](auto &Entry) { return Entry.second->idle(); });
}

hipError_t Runtime::before(Stream &S) {
  // A device's null stream and its blocking streams wait for each other.
  Stream &Null = Nulls[S.Q->Device];
  if (&S != &Null) {
    if (S.Flags & hipStreamNonBlocking || !Null.Q)
      return hipSuccess;
    notes::ordered(*this, OrderNote::StreamAfterStream, S.Q->Id, Null.Q->Id);
    return wait(*Null.Q);
  }
  std::vector<Stream *> Others;
  {
    std::lock_guard<std::recursive_mutex> Guard(StreamLock);
    for (Stream *Other : Streams)
      if (!(Other->Flags & hipStreamNonBlocking) &&
          Other->Q->Device == S.Q->Device)
        Others.push_back(Other);
  }
  for (Stream *Other : Others) {
    notes::ordered(*this, OrderNote::StreamAfterStream, S.Q->Id, Other->Q->Id);
    if (hipError_t E = wait(*Other->Q))
      return E;
  }
  return hipSuccess;
}

hipError_t Runtime::reserveSlot(Queue &Q, uint64_t &Id) {
  Id = *Q.writeIndex();
  const bool Room = Device.waitFor([&] {
    return Q.Failed ||
           Id - __atomic_load_n(Q.readIndex(), __ATOMIC_ACQUIRE) < RingPackets;
  });
  if (!Room || Q.Failed)
    return sticky() ? sticky() : hipErrorLaunchFailure;
  return hipSuccess;
}

void Runtime::publish(Queue &Q, uint64_t Id, const void *Packet) {
  uint8_t *Slot = Q.Block + RingAt + Id % RingPackets * 64;
  memcpy(Slot + 2, static_cast<const uint8_t *>(Packet) + 2, 62);
  uint16_t Header;
  memcpy(&Header, Packet, 2);
  __atomic_store_n(reinterpret_cast<uint16_t *>(Slot), Header,
                   __ATOMIC_RELEASE);
  __atomic_store_n(Q.writeIndex(), Id + 1, __ATOMIC_RELEASE);
  Device.doorbell(Q.Id);
}

hipError_t Runtime::ensureScratch(Queue &Q, uint64_t LaneBytes) {
  const AgentDescription &On = Device.device(Q.Device);
  // The scratch memory of a 64-lane wave, in units of 1 KiB;
  // COMPUTE_TMPRING_SIZE may use units of 256 bytes, and count the waves of one
  // shader engine.
  const gpu::Processor *GPU = gpu::findByName(On.processor);
  const bool PerEngine = GPU && GPU->family().CountsScratchPerEngine;
  const uint64_t WaveBytes = (LaneBytes * 64 + 1023) / 1024 * 1024;
  if (WaveBytes <= Q.WaveScratch)
    return hipSuccess;
  if (WaveBytes / (PerEngine ? 256 : 1024) > (PerEngine ? 0x7fff : 0x1fff))
    return hipErrorOutOfMemory;
  if (hipError_t E = wait(Q))
    return E;
  const uint32_t Slots = On.max_waves / On.device.num_xcc;
  uint8_t *Scratch = static_cast<uint8_t *>(
      Memory.allocate(WaveBytes * On.max_waves, MemoryKind::Internal));
  if (!Scratch)
    return hipErrorOutOfMemory;
  if (Q.Scratch)
    Memory.free(Q.Scratch);
  Q.Scratch = Scratch;
  Q.WaveScratch = WaveBytes;
  const uint64_t Location = reinterpret_cast<uint64_t>(Scratch);
  const uint64_t Total = WaveBytes * Slots;
  const uint32_t Ring =
      PerEngine ? Slots / On.shader_engines | uint32_t(WaveBytes / 256) << 12
                : Slots | uint32_t(WaveBytes / 1024) << 12;
  memcpy(Q.Block + AmdQueueComputeTmpringSize, &Ring, 4);
  memcpy(Q.Block + AmdQueueScratchLocation, &Location, 8);
  memcpy(Q.Block + AmdQueueScratchSize, &Total, 8);
  return hipSuccess;
}

hipError_t Runtime::waitInOrder(Queue &Q) {
  notes::ordered(*this, OrderNote::HostAfterStream, Q.Id);
  return wait(Q);
}

/// Whether a queue's device can execute a launch.
/// \param Device  The one that the kernel is loaded on.
static hipError_t checkLaunch(const Queue &Q, const AgentDescription &Device,
                              const Launch &L) {
  const Kernel &K = *L.Kernel;
  uint64_t Items = 1;
  for (unsigned I = 0; I < 3; ++I) {
    if (!L.Group[I] || !L.Grid[I] || L.Group[I] > 1024)
      return hipErrorInvalidConfiguration;
    Items *= L.Group[I];
  }
  if (Items > 1024)
    return hipErrorInvalidConfiguration;
  if (Items > K.MaxWorkgroup) {
    complain("kernel %s was built for at most %u work-items a block; this "
             "launch has %u",
             K.Name.c_str(), K.MaxWorkgroup, unsigned(Items));
    return hipErrorLaunchFailure;
  }
  if (K.Device != Q.Device)
    return hipErrorInvalidHandle; // the code is on another device
  return uint64_t(K.GroupSize) + L.DynamicLds > Device.lds_bytes_per_cu
             ? hipErrorInvalidValue
             : hipSuccess;
}

hipError_t Runtime::reserveArguments(Queue &Q, uint64_t Size, uint8_t *&Place) {
  const uint64_t Need = (std::max<uint64_t>(Size, 64) + 63) / 64 * 64;
  if (Q.KernargUsed + Need > KernargPool) {
    if (hipError_t E = wait(Q))
      return E;
    Q.KernargUsed = 0;
  } else if (Q.idle()) {
    Q.KernargUsed = 0;
  }
  if (Need > KernargPool)
    return hipErrorInvalidValue;
  Place = Q.Kernargs + Q.KernargUsed;
  Q.KernargUsed += Need;
  memset(Place, 0, Need);
  return hipSuccess;
}

/// The number of the grid's dimensions.
static unsigned dimensionsOf(const Launch &L) {
  return L.Grid[2] > 1 || L.Group[2] > 1   ? 3
         : L.Grid[1] > 1 || L.Group[1] > 1 ? 2
                                           : 1;
}

hipError_t Runtime::writeHiddenArguments(const Queue &Q, const Launch &L,
                                         uint8_t *Place) {
  for (const KernelArgument &A : L.Kernel->Arguments) {
    if (A.Kind.compare(0, 7, "hidden_") != 0)
      continue;
    const std::string Kind = A.Kind.substr(7);
    uint64_t V = 0;
    auto Axis = [&Kind](const char *Prefix) {
      const size_t N = strlen(Prefix);
      return Kind.size() == N + 1 && Kind.compare(0, N, Prefix) == 0 &&
                     Kind[N] >= 'x' && Kind[N] <= 'z'
                 ? Kind[N] - 'x'
                 : -1;
    };
    int I;
    if ((I = Axis("block_count_")) >= 0) {
      V = L.Grid[I] / L.Group[I];
    } else if ((I = Axis("group_size_")) >= 0) {
      V = L.Group[I];
    } else if ((I = Axis("remainder_")) >= 0) {
      V = L.Grid[I] % L.Group[I];
    } else if (Kind == "grid_dims") {
      V = dimensionsOf(L);
    } else if (Kind == "dynamic_lds_size") {
      V = L.DynamicLds;
    } else if (Kind == "hostcall_buffer") {
      V = reinterpret_cast<uint64_t>(Hostcalls.buffer());
      if (!V)
        return hipErrorOutOfMemory;
    } else if (Kind == "multigrid_sync_arg") {
      V = L.MultiGrid;
    } else if (Kind == "queue_ptr") {
      V = reinterpret_cast<uint64_t>(Q.Block);
    } else if (Kind == "private_base") {
      V = gpu::PrivateAperture >> 32;
    } else if (Kind == "shared_base") {
      V = gpu::LocalAperture >> 32;
    }
    memcpy(Place + A.Offset, &V, std::min<size_t>(A.Size, 8));
  }
  return hipSuccess;
}

hipError_t
Runtime::launch(Stream &S, const Launch &L,
                const std::function<void(uint8_t *, uint64_t)> &Fill) {
  const Kernel &K = *L.Kernel;
  if (hipError_t E = checkLaunch(*S.Q, Device.device(K.Device), L))
    return E;
  if (hipError_t E = before(S))
    return E;
  Queue &Q = *S.Q;
  std::lock_guard<std::mutex> Guard(Q.Lock);
  if (Q.Failed)
    return sticky() ? sticky() : hipErrorLaunchFailure;
  const uint64_t Private =
      (K.PrivateSize + (K.DynamicStack ? StackLimit : 0) + 15) / 16 * 16;
  if (Private)
    if (hipError_t E = ensureScratch(Q, Private))
      return E;

  uint8_t *Args = nullptr;
  if (hipError_t E = reserveArguments(Q, K.KernargSize, Args))
    return E;
  Fill(Args, K.KernargSize);
  if (hipError_t E = writeHiddenArguments(Q, L, Args))
    return E;

  uint64_t Id;
  if (hipError_t E = reserveSlot(Q, Id))
    return E;
  struct {
    uint16_t Header, Setup, Group[3], Reserved0;
    uint32_t Grid[3], Private, Lds;
    uint64_t Object, Kernarg, Reserved1, Completion;
  } Packet = {};
  static_assert(sizeof(Packet) == 64);
  // Kernel dispatch, barrier bit, system scope fences.
  Packet.Header = 2 | 1 << 8 | 2 << 9 | 2 << 11;
  Packet.Setup = uint16_t(dimensionsOf(L));
  for (unsigned I = 0; I < 3; ++I) {
    Packet.Group[I] = uint16_t(L.Group[I]);
    Packet.Grid[I] = L.Grid[I];
  }
  Packet.Private = uint32_t(Private);
  Packet.Lds = uint32_t(K.GroupSize + L.DynamicLds);
  Packet.Object = K.Descriptor;
  Packet.Kernarg = reinterpret_cast<uint64_t>(Args);
  Packet.Completion = reinterpret_cast<uint64_t>(Q.Pending);
  __atomic_add_fetch(&Q.Pending->Value, 1, __ATOMIC_SEQ_CST);
  Q.LastKernel = K.Descriptor;
  reportUnfinishedAtExit();
  notes::ordered(*this, OrderNote::Launched, Q.Id, Id);
  publish(Q, Id, &Packet);
  static const bool Serial = [] {
    const char *Text = secure_getenv("HIP_LAUNCH_BLOCKING");
    return Text && *Text == '1';
  }();
  return Serial ? waitInOrder(Q) : hipSuccess;
}

hipError_t Runtime::submitBarrier(Queue &Q, const Signal *Dependency,
                                  Signal *Completion) {
  std::lock_guard<std::mutex> Guard(Q.Lock);
  if (Q.Failed)
    return sticky() ? sticky() : hipErrorLaunchFailure;
  struct {
    uint16_t Header, Reserved0;
    uint32_t Reserved1;
    uint64_t Dependency[5], Reserved2, Completion;
  } Packet = {};
  static_assert(sizeof(Packet) == 64);
  Packet.Header = 3 | 1 << 8 | 2 << 9 | 2 << 11;
  Packet.Dependency[0] = reinterpret_cast<uint64_t>(Dependency);
  Packet.Completion =
      reinterpret_cast<uint64_t>(Completion ? Completion : Q.Pending);
  uint64_t Id;
  if (hipError_t E = reserveSlot(Q, Id))
    return E;
  if (!Completion)
    __atomic_add_fetch(&Q.Pending->Value, 1, __ATOMIC_SEQ_CST);
  publish(Q, Id, &Packet);
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

std::string Runtime::kernelName(uint64_t Descriptor) {
  std::lock_guard<std::mutex> Guard(KernelNamesLock);
  auto It = KernelNames.find(Descriptor);
  if (It == KernelNames.end())
    return "an unknown kernel";
  int Status = 0;
  char *Plain =
      abi::__cxa_demangle(It->second.c_str(), nullptr, nullptr, &Status);
  std::string Name = Status == 0 && Plain ? Plain : It->second;
  free(Plain);
  return Name;
}

std::string Runtime::findUnfinished() {
  uint64_t Descriptor = 0;
  {
    std::lock_guard<std::mutex> Guard(QueuesLock);
    for (auto &[Id, Q] : QueueById)
      if (!Q->idle() && !Q->Failed && Q->LastKernel)
        Descriptor = Q->LastKernel;
  }
  return Descriptor ? kernelName(Descriptor) : "";
}

unsigned Runtime::deviceOf(uint32_t QueueId) {
  std::lock_guard<std::mutex> Guard(QueuesLock);
  auto It = QueueById.find(QueueId);
  return It == QueueById.end() ? 0 : It->second->Device;
}

void Runtime::queueError(const QueueErrorEvent &E) {
  Hostcalls.drain(/*CanAsk=*/false);
  fflush(stdout);
  const std::string Name = kernelName(E.kernel_object);
  const char *Gpu = Device.device(deviceOf(E.queue_id)).target_id;
  char Where[256];
  snprintf(Where, sizeof(Where),
           "at pc 0x%" PRIx64 " in workgroup (%u,%u,%u) wave %u on GPU %s",
           E.pc, E.workgroup[0], E.workgroup[1], E.workgroup[2],
           E.wave_in_group, Gpu);
  bool Abort = false;
  switch (E.exception) {
  case kfd::QueueWaveApertureViolation:
    fprintf(stderr,
            "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: %s at 0x%" PRIx64
            ", where memory cannot exist\n  kernel %s, %s\n",
            E.write ? "write" : "read", E.address, Name.c_str(), Where);
    Abort = true;
    break;
  case kfd::QueueWaveMemoryViolation:
    fprintf(stderr,
            "Memory access fault by GPU node-1 (%s) on address 0x%" PRIx64
            ". Reason: %s of memory that is not allocated.\n"
            "  kernel %s, %s\n",
            Gpu, E.address, E.write ? "write" : "read", Name.c_str(), Where);
    Abort = true;
    break;
  case kfd::QueueWaveIllegalInstruction:
    fprintf(stderr, "Illegal instruction on GPU %s: %s\n  kernel %s, %s\n", Gpu,
            E.instruction, Name.c_str(), Where);
    Abort = true;
    break;
  case kfd::QueueWaveAbort:
    fprintf(stderr, "Kernel aborted (%s): kernel %s, %s\n",
            E.instruction[0] && !E.trap_id ? E.instruction
                                           : "assertion or abort",
            Name.c_str(), Where);
    Abort = true;
    break;
  case kfd::QueueWaveTrap:
    fprintf(stderr, "Trap %u: kernel %s, %s\n", E.trap_id, Name.c_str(), Where);
    Abort = true;
    break;
  case kfd::QueueWaveMathError:
    fprintf(stderr, "Arithmetic exception: kernel %s, %s\n", Name.c_str(),
            Where);
    Abort = true;
    break;
  default:
    complain("the device refused a packet: %s (%s)", E.instruction,
             Name.c_str());
    break;
  }
  fflush(stderr);
  if (Abort) {
    // End the program here, like AMD's runtime.
    signal(SIGABRT, SIG_DFL);
    abort();
  }
  fail(hipErrorLaunchFailure);
  {
    std::lock_guard<std::mutex> Guard(QueuesLock);
    auto It = QueueById.find(E.queue_id);
    if (It != QueueById.end())
      It->second->Failed = true;
  }
  Device.wakeAll();
}

void Runtime::deviceLost() {
  if (Forked)
    return;
  complain("the simulated device (process %u) is gone", Device.processId());
  std::string Error;
  const std::string Folder = runtimeDirectory(getpid(), Error);
  if (!Folder.empty())
    unlink(deviceSocket(Folder, getpid()).c_str());
  fail(hipErrorLaunchFailure);
}
