//===-- Runtime.h - inside the drop-in HIP runtime --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libamdhip64 for the simulated device. It is loaded into programs, so it only
// exports HIP, and links LLVM statically.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_RUNTIME_RUNTIME_H
#define WAVELANE_SIMULATOR_RUNTIME_RUNTIME_H

#include "Arena.h"
#include "CodeObject.h"
#include "Complain.h"
#include "HipHeader.h"
#include "Hostcall.h"
#include "RuntimeConnection.h"
#include "Signal.h"
#include "Simulator/Common/Wire.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace wavelane {
namespace runtime {

using namespace simulator;

//===----------------------------------------------------------------------===//
// Queues (Queue.cpp)
//===----------------------------------------------------------------------===//

/// An in-order queue of the device.
struct Queue {
  static constexpr uint64_t RingAt = 4096; ///< in Block

  uint32_t Id = 0;
  unsigned Device = 0;
  uint8_t *Block = nullptr; ///< amd_queue_t, signal and ring, one allocation
  uint8_t *SaveArea = nullptr;
  uint8_t *Scratch = nullptr;
  uint64_t WaveScratch = 0;
  uint8_t *Kernargs = nullptr;
  uint64_t KernargUsed = 0;
  std::mutex Lock;
  Signal *Pending = nullptr; ///< its value is the number of unfinished packets
  std::atomic<bool> Failed{false};
  std::atomic<uint64_t> LastKernel{0}; ///< the descriptor of the last launch's
  bool HasWaveSync = false; ///< whether its kernels may wait for the whole grid

  uint64_t *writeIndex() {
    return reinterpret_cast<uint64_t *>(Block + AmdQueueWriteDispatchId);
  }
  uint64_t *readIndex() {
    return reinterpret_cast<uint64_t *>(Block + AmdQueueReadDispatchId);
  }
  bool idle() const {
    return __atomic_load_n(&Pending->Value, __ATOMIC_ACQUIRE) <= 0;
  }
};

struct GraphNode;
struct StreamCapture;

struct Stream {
  std::unique_ptr<Queue> Q;
  unsigned Flags = 0;
  int Priority = 0;
  /// While the stream is captured: the nodes that later work depends on.
  std::shared_ptr<StreamCapture> Capture;
  std::vector<GraphNode *> Tail;
};

struct Event {
  unsigned Flags = 0;
  Signal *Done = nullptr; ///< in device memory; value 1: pending
  bool Recorded = false;
  uint64_t HostTime = 0; ///< ns, when nothing was pending
  Queue *On = nullptr;
  /// If recorded on a captured stream: the nodes that it comes after.
  std::weak_ptr<StreamCapture> Capture;
  std::vector<GraphNode *> Tail;
};

struct Launch {
  const runtime::Kernel *Kernel = nullptr;
  uint32_t Grid[3]; ///< in work-items
  uint32_t Group[3];
  uint32_t DynamicLds = 0;
  /// The value for HIP's headers: 0, 1 for a cooperative launch, or the address
  /// of a MultiGrid for a launch on several devices.
  uint64_t MultiGrid = 0;
};

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

struct Module {
  CodeObject Code;
  /// The data that the code's URI refers to, if it was read from a file or
  /// decompressed.
  std::vector<uint8_t> Copy;
  /// The name of the file that it was read from; else empty.
  std::string File;
};

struct FatBinary {
  const void *Image = nullptr;
  /// The state on one device.
  struct Loading {
    bool Done = false;
    hipError_t Error = hipSuccess;
    std::unique_ptr<runtime::Module> Module;
  };
  Loading On[MaxAgents];
  struct Function {
    const void *Host;
    std::string Name;
  };
  struct Variable {
    void *Host;
    std::string Name;
    size_t Size;
    void *Object = nullptr;  ///< for a managed variable, shared by host and all
                             ///< devices
    bool IsConstant = false; ///< __constant__
  };
  std::vector<Function> Functions;
  std::vector<Variable> Variables;
};

/// Notifies a debugger if the program ends before its kernels, whose results
/// and faults are lost then.
void reportUnfinishedAtExit();

class Runtime {
public:
  static Runtime &get();

  /// Starts the device and loads registered code, once.
  /// \return hipSuccess, or why HIP can't be used.
  hipError_t ready();
  /// Creates the memory that the program shares with the device, once.
  /// \return hipSuccess, or hipErrorNoDevice after a message.
  hipError_t readyMemory();

  Arena Memory;
  Connection Device;

  // Registration.
  std::mutex RegistryLock;
  std::vector<std::unique_ptr<FatBinary>> Binaries;
  hipError_t loadBinary(FatBinary &B, unsigned Device);
  hipError_t findKernel(const void *Host, const Kernel *&Out);
  hipError_t findVariable(const void *Host, CodeObject::Symbol &Out);
  hipError_t loadModule(const void *Image, uint64_t Limit, unsigned Device,
                        Module &M, std::string &Why);
  void unloadModule(Module &M);

  // Queues.
  std::recursive_mutex StreamLock;
  std::set<Stream *> Streams;
  /// The device selected by the calling thread.
  static unsigned &current();
  /// The null stream of a device; null if its queue can't be created.
  Stream *nullStream(unsigned Device);
  bool isNull(const Stream &S) const {
    return &S >= Nulls && &S < Nulls + MaxAgents;
  }
  hipError_t createQueue(std::unique_ptr<Queue> &Out, unsigned Device);
  void destroyQueue(Queue &Q);
  /// The stream of a handle; null for an unknown one.
  Stream *resolve(hipStream_t Handle);
  /// Waits for everything that must precede new work on \a S.
  hipError_t before(Stream &S);
  hipError_t wait(Queue &Q);
  /// Waits for a launch of \a Q; the checks learn that the host comes after.
  hipError_t waitInOrder(Queue &Q);
  /// \param Device Waits for this device only.
  hipError_t waitAll(std::optional<unsigned> Device = std::nullopt);
  bool allIdle();
  /// Calls \a Fill to write explicit arguments into the kernel's argument
  /// block.
  hipError_t launch(Stream &S, const Launch &L,
                    const std::function<void(uint8_t *, uint64_t)> &Fill);
  /// \param Dependency Signal to wait for, or null: only the packets before.
  /// \param Completion Signal to decrement, or null: the queue's count of
  ///   pending packets. With a signal, wait(Q) doesn't wait for the barrier.
  hipError_t submitBarrier(Queue &Q, const Signal *Dependency,
                           Signal *Completion);

  /// Held during a cooperative launch (HipCooperative.cpp).
  std::mutex CooperativeLock;
  /// By device: the queue of the last cooperative kernel.
  Queue *LastCooperative[MaxAgents] = {};

  /// Handles the device's report of an error, on the reader's thread.
  void queueError(const QueueErrorEvent &E);
  void deviceLost();
  hipError_t sticky() const { return hipError_t(StickyError.load()); }
  void fail(hipError_t E) {
    int None = hipSuccess;
    StickyError.compare_exchange_strong(None, E);
  }
  /// The name of the kernel with that descriptor.
  std::string kernelName(uint64_t Descriptor);
  /// A kernel that hasn't finished; empty if all have, or have failed.
  std::string findUnfinished();
  unsigned deviceOf(uint32_t QueueId);

  uint64_t StackLimit = 16384;
  runtime::Hostcalls Hostcalls{Memory, Device};

  bool Forked = false;

private:
  Runtime() = default;
  hipError_t start();
  /// The name of the GPU that fits the registered code best.
  const char *chooseProcessor();
  hipError_t ensureScratch(Queue &Q, uint64_t LaneBytes);
  /// A place for a kernel's arguments, filled with zeros.
  hipError_t reserveArguments(Queue &Q, uint64_t Size, uint8_t *&Place);
  /// Writes the arguments that the compiler has added to the kernel's own.
  hipError_t writeHiddenArguments(const Queue &Q, const Launch &L,
                                  uint8_t *Place);
  hipError_t reserveSlot(Queue &Q, uint64_t &Id);
  void publish(Queue &Q, uint64_t Id, const void *Packet);
  std::once_flag MemoryOnce, Once;
  hipError_t MemoryError = hipErrorNoDevice, StartError = hipErrorNoDevice;
  std::atomic<int> StickyError{hipSuccess};
  std::mutex KernelNamesLock;
  std::map<uint64_t, std::string> KernelNames;
  Stream Nulls[MaxAgents];
  /// By host address and device.
  std::map<std::pair<const void *, unsigned>, const Kernel *> KernelOf;
  std::map<std::pair<const void *, unsigned>, CodeObject::Symbol> VariableOf;
  std::mutex QueuesLock;
  std::map<uint32_t, Queue *> QueueById;
};

/// Reports the program's memory to the device's checks (RuntimeNotes.cpp), and
/// copies to its recording. Without either, nothing happens.
namespace notes {
/// Called once the device has started.
void start(Runtime &R);
void registered(Runtime &R, const void *Address, uint64_t Size);
void unregistered(Runtime &R, const void *Address);
/// The program frees what isn't an allocation of that kind.
void notFreed(Runtime &R, const void *Address, bool Host);
/// \param From Null for a fill.
/// \param IsDone False if it is refused.
void copied(Runtime &R, const void *To, const void *From, uint64_t Size,
            uint32_t Queue, bool IsDone, uint64_t Rows = 1, uint64_t Pitch = 0,
            uint64_t FromPitch = 0);
/// hipMallocAsync and hipFreeAsync, of the beginning of an allocation.
void inStream(Runtime &R, MemoryNote::What What, const void *Address,
              uint32_t Queue);
void code(Runtime &R, const CodeObject &C, bool IsLoaded);
void variable(Runtime &R, const CodeObject::Symbol &S, bool IsConstant);
/// While one lives, what this thread enqueues is ordered as a graph's node: by
/// the nodes that it comes after, instead of by the stream.
class Node {
public:
  /// \param Number Of the node in its graph.
  Node(Runtime &R, const Queue &Q, unsigned Number,
       const std::vector<unsigned> &After);
  ~Node();
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;
  /// A graph of so many nodes has been enqueued: the stream goes on after them.
  static void graphEnds(Runtime &R, const Queue &Q, size_t Count);

private:
  bool IsOuter; ///< not of a graph in another's node
};
/// The host doesn't wait for what it has reported.
void hostGoesOn();
/// Where the runtime accesses the program's memory instead of \a P, so that it
/// isn't taken for the program itself.
void *unseen(const void *P);
/// \param Other A queue, an event or a packet.
void ordered(Runtime &R, OrderNote::What What, uint32_t Queue,
             uint64_t Other = 0);
} // namespace notes

/// Debuggers (Debugger.cpp).
void publishCodeObject(CodeObject &C);
void retractCodeObject(CodeObject &C);
uint64_t debugStructure();
/// Lets a debugger stop where a check has found something in the program's
/// call.
void showFinding(unsigned Number, const std::string &Text);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_RUNTIME_H
