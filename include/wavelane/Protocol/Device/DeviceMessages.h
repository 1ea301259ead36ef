//===-- DeviceMessages.h - between program, device and debugger -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulated device (wavelane-gpu) has one stream socket for its program and
// one unix socket, `<dir>/gpu-<pid>.sock`, on which debuggers connect; <pid> is
// the program's process id and <dir> is documented at runtimeDirectory()
// (source/Simulator/Common/Wire.h). Device memory, queues and completion
// signals are in shared memory (the arena) and need no messages; messages set
// things up, ring doorbells and carry KFD's debug operations. A program that
// uses AMD's runtime has no arena, and uses KFD's ioctls for everything
// (DriverCall).
//
// All integers are little-endian. Every message is a MessageHeader followed by
// `size` bytes. A request is answered by one Reply with the same `sequence`
// (Doorbell and QueueError are not answered). A peer that sends a size above
// MaxMessageSize, an unknown type, or a payload too short for its type is
// disconnected.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_DEVICE_DEVICEMESSAGES_H
#define WAVELANE_PROTOCOL_DEVICE_DEVICEMESSAGES_H

#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

namespace wavelane {

//===----------------------------------------------------------------------===//
// KFD's debug interface (<linux/kfd_ioctl.h>, AMDKFD_IOC_DBG_TRAP, 0xc0204b26),
// byte for byte.
//===----------------------------------------------------------------------===//
namespace kfd {

/// The simulated device's interface version (GET_VERSION).
constexpr uint32_t InterfaceMajor = 1;
constexpr uint32_t InterfaceMinor = 16;

/// The DBG_TRAP operations.
enum Operation : uint32_t {
  Enable = 0,
  Disable = 1,
  SendRuntimeEvent = 2,
  SetExceptionsEnabled = 3,
  SetWaveLaunchOverride = 4,
  SetWaveLaunchMode = 5,
  SuspendQueues = 6,
  ResumeQueues = 7,
  SetNodeAddressWatch = 8,
  ClearNodeAddressWatch = 9,
  SetFlags = 10,
  QueryDebugEvent = 11,
  QueryExceptionInfo = 12,
  GetQueueSnapshot = 13,
  GetDeviceSnapshot = 14,
};

/// Exception codes; the mask of code n is bit n-1.
enum Exception : uint32_t {
  ExceptionNone = 0,
  QueueWaveAbort = 1,
  QueueWaveTrap = 2,
  QueueWaveMathError = 3,
  QueueWaveIllegalInstruction = 4,
  QueueWaveMemoryViolation = 5,
  QueueWaveApertureViolation = 6,
  QueuePacketDispatchDimInvalid = 16,
  QueuePacketDispatchGroupSegmentSizeInvalid = 17,
  QueuePacketDispatchCodeInvalid = 18,
  QueuePacketReserved = 19,
  QueuePacketUnsupported = 20,
  QueuePacketDispatchWorkGroupSizeInvalid = 21,
  QueuePacketDispatchRegisterInvalid = 22,
  QueuePacketVendorUnsupported = 23,
  QueuePreemptionError = 30,
  QueueNew = 31,
  DeviceQueueDelete = 32,
  DeviceMemoryViolation = 33,
  DeviceRasError = 34,
  DeviceFatalHalt = 35,
  DeviceNew = 36,
  ProcessRuntime = 48,
  ProcessDeviceRemove = 49,
};
/// \return 0 for a code that no mask has.
constexpr uint64_t exceptionMask(uint32_t Code) {
  return Code >= 1 && Code <= 64 ? uint64_t(1) << (Code - 1) : 0;
}

enum LaunchMode : uint32_t {
  LaunchNormal = 0,
  LaunchHalt = 1,
  LaunchDebug = 3
};
enum OverrideMode : uint32_t { OverrideOr = 0, OverrideReplace = 1 };
enum WatchMode : uint32_t {
  WatchRead = 0,
  WatchNonRead = 1,
  WatchAtomic = 2,
  WatchAll = 3
};

/// Bits of the wave launch override masks.
enum TrapMask : uint32_t {
  TrapFpInvalid = 1,
  TrapFpInputDenormal = 2,
  TrapFpDivideByZero = 4,
  TrapFpOverflow = 8,
  TrapFpUnderflow = 16,
  TrapFpInexact = 32,
  TrapIntDivideByZero = 64,
  TrapAddressWatch = 128,
  TrapMemoryViolation = 256,
  TrapOnWaveStart = 1u << 30,
  TrapOnWaveEnd = 1u << 31,
};

/// Bits of SetFlags.
enum ProcessFlags : uint32_t {
  SingleMemoryOperation = 1,
  SingleAluOperation = 2,
  LocalOutOfRange = 4, ///< ds_* outside local memory raises an exception
};

enum RuntimeState : uint32_t {
  RuntimeDisabled = 0,
  RuntimeEnabled = 1,
  RuntimeEnabledBusy = 2,
  RuntimeEnabledError = 3
};

/// Set by Suspend/ResumeQueues in the ids of the caller's array.
constexpr uint32_t QueueErrorMask = 1u << 30;
constexpr uint32_t QueueInvalidMask = 1u << 31;

struct RuntimeInfo {
  uint64_t r_debug; ///< address of the program's r_debug (hip runtime)
  uint32_t runtime_state;
  uint32_t ttmp_setup;
};
static_assert(sizeof(RuntimeInfo) == 16);

/// One entry of GetQueueSnapshot.
struct QueueSnapshotEntry {
  uint64_t exception_status;
  uint64_t ring_base_address;
  uint64_t write_pointer_address;
  uint64_t read_pointer_address;
  uint64_t ctx_save_restore_address;
  uint32_t queue_id;
  uint32_t gpu_id;
  uint32_t ring_size;
  uint32_t queue_type; ///< 2: compute AQL
  uint32_t ctx_save_restore_area_size;
  uint32_t reserved;
};
static_assert(sizeof(QueueSnapshotEntry) == 64);
constexpr uint32_t QueueTypeComputeAql = 2;

/// One entry of GetDeviceSnapshot.
struct DeviceSnapshotEntry {
  uint64_t exception_status;
  uint64_t lds_base, lds_limit;
  uint64_t scratch_base, scratch_limit;
  uint64_t gpuvm_base, gpuvm_limit;
  uint32_t gpu_id, location_id, vendor_id, device_id;
  uint32_t revision_id, subsystem_vendor_id, subsystem_device_id, fw_version;
  uint32_t gfx_target_version; ///< major*10000 + minor*100 + stepping
  uint32_t simd_count, max_waves_per_simd, array_count;
  uint32_t simd_arrays_per_engine, num_xcc, capability, debug_prop;
};
static_assert(sizeof(DeviceSnapshotEntry) == 120);

/// The start of a context save area.
struct ContextSaveAreaHeader {
  uint32_t control_stack_offset, control_stack_size;
  uint32_t wave_state_offset, wave_state_size;
  uint32_t debug_offset, debug_size;
  uint64_t err_payload_addr;
  uint32_t err_event_id;
  /// Unused by KFD. The simulated device writes how many workgroups of the
  /// queue's dispatch have begun, including those that have ended; 0 if
  /// unknown.
  uint32_t reserved1;
};
static_assert(sizeof(ContextSaveAreaHeader) == 40);

/// The argument of ioctl DBG_TRAP. The device ignores its pointers: the bytes
/// that they point to follow the argument in the message (see
/// DebugTrapRequest).
struct DebugTrapArguments {
  uint32_t pid;
  uint32_t op;
  union {
    struct {
      uint64_t exception_mask, rinfo_ptr;
      uint32_t rinfo_size, dbg_fd;
    } enable;
    struct {
      uint64_t exception_mask;
      uint32_t gpu_id, queue_id;
    } send_runtime_event;
    struct {
      uint64_t exception_mask;
    } set_exceptions_enabled;
    struct {
      uint32_t override_mode;
      uint32_t enable_mask;          ///< in: new mask; out: previous mask
      uint32_t support_request_mask; ///< in: requested bits; out: supported
                                     ///< bits
      uint32_t pad;
    } launch_override;
    struct {
      uint32_t launch_mode, pad;
    } launch_mode;
    struct {
      uint64_t exception_mask, queue_array_ptr;
      uint32_t num_queues, grace_period;
    } suspend_queues;
    struct {
      uint64_t queue_array_ptr;
      uint32_t num_queues, pad;
    } resume_queues;
    struct {
      uint64_t address;
      uint32_t mode, mask, gpu_id, id;
    } set_node_address_watch;
    struct {
      uint32_t gpu_id, id;
    } clear_node_address_watch;
    struct {
      uint32_t flags; ///< in: new flags; out: previous flags
      uint32_t pad;
    } set_flags;
    struct {
      uint64_t exception_mask; ///< in: to clear; out: pending
      uint32_t gpu_id, queue_id;
    } query_debug_event;
    struct {
      uint64_t info_ptr;
      uint32_t info_size, source_id, exception_code, clear_exception;
    } query_exception_info;
    struct {
      uint64_t exception_mask, snapshot_buf_ptr;
      uint32_t num_queues, entry_size;
    } queue_snapshot;
    struct {
      uint64_t exception_mask, snapshot_buf_ptr;
      uint32_t num_devices, entry_size;
    } device_snapshot;
    uint8_t bytes[24];
  };
};
static_assert(sizeof(DebugTrapArguments) == 32);

} // namespace kfd

namespace simulator {

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The arena: one sparse memory file, mapped at this address in program and
/// device. All device memory is in it, except host memory that the program
/// registers (MapHost). Sizes are in bytes.
constexpr uint64_t ArenaBase = 0x2000'0000'0000;
constexpr uint64_t ArenaSize = uint64_t(64) << 30;
constexpr uint64_t PageSize = 4096;
/// The arena starts with this header, then the page table (one PageAccess byte
/// for each page of the arena), then allocations.
constexpr uint64_t PageTableOffset = PageSize;
constexpr uint64_t PageTableSize = ArenaSize / PageSize;
constexpr uint64_t FirstAllocation = ArenaBase + (uint64_t(32) << 20);
static_assert(PageTableOffset + PageTableSize <= FirstAllocation - ArenaBase);

/// What a device may do with a page; 0 if it isn't allocated. The program's
/// runtime writes the table; the device only reads it.
enum PageAccess : uint8_t { PageRead = 1, PageWrite = 2, PageExecute = 4 };

/// At ArenaBase.
struct ArenaHeader {
  static constexpr uint32_t MagicValue = 0x4c56'4157; // "WAVL"
  uint32_t magic;
  uint32_t version; ///< ProtocolVersion
  /// Counts device events (signal writes, interrupts from kernels, device
  /// death); a shared futex on which the program waits.
  uint32_t interrupts;
  /// The number of the program's threads that wait on `interrupts`; the device
  /// only makes the wake-up system call if it isn't 0.
  uint32_t waiters;
  /// How many threads the program's runtime has for itself, and how many others
  /// wait on `interrupts` now.
  uint32_t own_threads;
  uint32_t waiting_threads;
  uint32_t process; ///< the program's
  /// Not 0 while the device records: the program then reports copies
  /// (MemoryNote::Copied).
  uint32_t recorded;
};

/// The version of r_debug (r_version) that describes how the device leaves
/// stopped waves.
constexpr int32_t RuntimeDebugVersion = 10;

/// After a stop caused by some lanes (a watch, a violation, an arithmetic
/// exception), ttmp14 and ttmp15 contain the mask of those lanes,
constexpr unsigned StopLanesTtmp = 14;
/// and ttmp12 and ttmp13 contain the address of an access that failed.
constexpr unsigned StopAddressTtmp = 12;
/// The trap of a wave that a check has stopped in front of an instruction;
/// ttmp12 then contains the finding's number, and ttmp14 and ttmp15 its lanes.
constexpr uint32_t CheckTrap = 15;
/// What a program's device has to check, as "memory,race", and the folder of
/// the run. Each finding is a line of JSON in the folder's CheckFindingsFile.
/// The folder alone is enough: its options may name checks until the device
/// starts.
constexpr char ChecksVariable[] = "WAVELANE_CHECK";
constexpr char CheckFolderVariable[] = "WAVELANE_CHECK_FOLDER";
constexpr char CheckFindingsFile[] = "findings.jsonl";
/// The options of a run, in the same folder.
constexpr char CheckOptionsFile[] = "options.json";
/// The file in which the run is kept, and how many MiB of memory the recording
/// may use.
constexpr char RecordVariable[] = "WAVELANE_RECORD";
constexpr char RecordLimitVariable[] = "WAVELANE_RECORD_LIMIT";
/// How many threads of the device execute waves; 0: as many as the host has
/// cores, up to four.
constexpr char ThreadsVariable[] = "WAVELANE_THREADS";
/// 0: the device doesn't translate code into the host's.
constexpr char TranslateVariable[] = "WAVELANE_TRANSLATE";

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

constexpr uint32_t ProtocolVersion = 5;
/// The maximum number of GPUs that one device process simulates.
constexpr uint32_t MaxAgents = 8;
constexpr uint32_t MaxMessageSize = 16u << 20;

enum class MessageType : uint32_t {
  Reply = 1,
  Hello = 2,          ///< a peer's first message: HelloRequest
  DebugTrap = 3,      ///< debugger: DebugTrapRequest
  CheckRequest = 4,   ///< debugger: see CheckAnswerLimit
  HistoryRequest = 5, ///< debugger: see HistoryAnswerLimit
  LoadCore = 6,       ///< debugger: see CoreAnswerLimit
  CoreMemory = 7,     ///< debugger: CoreMemoryRequest
  WavesSaved = 8,     ///< debugger: QueueRequest, see WavesSavedReply
  WavesChanged = 9,   ///< debugger: QueueRequest, no payload in the reply
  WavesWanted = 10,   ///< debugger: QueueRequest, no payload in the reply
  RuntimeEnable = 16, ///< program: RuntimeEnableRequest
  RuntimeDisable = 17,
  CreateQueue = 18,      ///< program: CreateQueueRequest
  DestroyQueue = 19,     ///< program: QueueRequest
  Doorbell = 20,         ///< program: QueueRequest, not answered
  MapHost = 21,          ///< program: MapHostRequest
  UnmapHost = 22,        ///< program: MapHostRequest
  AllocateWaveSync = 23, ///< program: QueueRequest
  DriverCall = 24,       ///< program: DriverCallRequest
  WatchDoorbells = 25,   ///< program: DoorbellRange, not answered
  MemoryNote = 26,       ///< program: MemoryNote
  CodeNote = 27,         ///< program: CodeNote
  OrderNote = 28,        ///< program: OrderNote
  MapForeign = 29,       ///< program: ForeignMemory, with the file
  UnmapForeign = 30,     ///< program: ForeignMemory
  ImportRequest = 31,    ///< importer: driver::ShareHandle
  QueueError = 32,       ///< device to program: QueueErrorEvent, not answered
  HostAccess = 33,       ///< program: HostAccess records
  /// program: a userfaultfd of its memory comes along, if there is one
  WatchHost = 34,
  FailedLaunch = 35, ///< program: FailedLaunchNote
};

struct MessageHeader {
  MessageType type;
  uint32_t size;     ///< bytes that follow this header
  uint32_t sequence; ///< chosen by the requester, repeated by the reply
  /// Reply: the operation's result (KFD's ioctl return value), or -errno if it
  /// is negative. Requests: 0.
  int32_t result;
};
static_assert(sizeof(MessageHeader) == 16);

/// What the program answers to waves while a kernel runs. If it is recorded,
/// the device writes it, between two instructions that are known then. Each
/// record is followed by \c size bytes to be written, padded to 8; without any,
/// a word of 8 bytes is set to 0, and the reply is what it was.
struct HostAccess {
  uint64_t address;
  uint64_t size;
};

/// An importer is another program, to which this one has given a handle of its
/// memory. As long as it is connected, the memory isn't freed.
enum class PeerRole : uint32_t { Program = 1, Debugger = 2, Importer = 3 };

struct HelloRequest {
  uint32_t version; ///< ProtocolVersion; any other gets -EPROTO
  PeerRole role;
  uint32_t pid; ///< the program's process id, in both roles
  uint32_t reserved;
};

/// One simulated GPU.
struct AgentDescription {
  char processor[32];   ///< "gfx90a"
  char target_id[64];   ///< "gfx90a:sramecc+:xnack-"
  uint32_t elf_machine; ///< EF_AMDGPU_MACH of the processor
  uint32_t wavefront_size;
  uint32_t compute_units;
  uint32_t shader_engines;
  uint32_t simds_per_cu;
  uint32_t waves_per_simd;
  uint32_t lds_bytes_per_cu;
  uint32_t max_waves;      ///< scratch slots, over all shader engines
  uint64_t save_area_size; ///< bytes required for a queue's context save area
  kfd::DeviceSnapshotEntry device;
};

/// HelloReply::checks: values that were never written are looked for.
constexpr uint32_t ChecksValues = 1 << 2;
/// The same for races.
constexpr uint32_t ChecksOrder = 1 << 1;

/// The simulated GPUs; the answer to Hello in both roles.
struct HelloReply {
  uint32_t version;
  uint32_t device_pid;
  uint32_t agent_count; ///< 1 to MaxAgents
  /// Not 0 if kernels are checked: the program then sends MemoryNote and
  /// CodeNote. With ChecksValues, it must report the ends of copies.
  uint32_t checks;
  AgentDescription agents[MaxAgents];
};

/// DebugTrap: the ioctl's argument, then the bytes that its in-pointer points
/// to: suspend/resume_queues: num_queues u32 ids; otherwise none. With `enable`
/// the notifier descriptor is sent with SCM_RIGHTS on the same sendmsg as the
/// header; the device writes one byte to it for each event.
///
/// The reply is the argument as KFD would leave it, then the bytes for its
/// out-pointer:
/// - enable: RuntimeInfo, at most rinfo_size bytes; rinfo_size is updated. With
///   a size of 0, a runtime that is already up raises an event, and queues are
///   hidden until it was passed on with SendRuntimeEvent.
/// - suspend/resume: the ids, with QueueErrorMask or QueueInvalidMask set.
/// - query_exception_info: the information.
/// - snapshots: min(requested, existing) entries of entry_size bytes, as
///   updated; the count field is the number that exist.
///
/// `result` is the ioctl's return value or -errno. Hardware operations return
/// -EPERM until the program's runtime is enabled. All operations except Enable
/// return -EINVAL before Enable; a second debugger's Enable returns -EALREADY.
/// Closing the connection without Disable disables.
struct DebugTrapRequest {
  kfd::DebugTrapArguments arguments;
};

/// CheckRequest is a JSON object for the device's checks. Its keys are
/// optional: "stopOn": "memory,race", only findings of these checks stop;
/// "ignore", lines of suppressions, what they match doesn't stop;
/// "suppressions", more of them, of a file's "name"; "lines":
/// true, asks what each source line has cost so far, if "file" and "function"
/// contain these texts, and for a table of the "most" costly. The reply is an
/// object with "checks", what the device does, and as asked "launches", "lines"
/// and "table"; or with "error", a sentence. `result` is 0, -ENOTSUP if nothing
/// is checked, or -E2BIG for an answer above this limit, in bytes.
constexpr uint32_t CheckAnswerLimit = MaxMessageSize - 4096;

/// HistoryRequest is a protocol::HistoryRequest, and the reply its Answer or a
/// Failure (HistoryMessages.h). `result` is 0, -EINVAL for anyone but the
/// debugger, or -E2BIG for an answer above this limit, in bytes.
constexpr uint32_t HistoryAnswerLimit = CheckAnswerLimit;

/// A core's program header of this type has a recording (HistoryFile.h).
constexpr uint32_t RecordingSegment = 0x60574c52;

/// LoadCore gives a device that simulates a core file what the file has, as a
/// protocol::LoadCoreRequest. The reply is a LoadCoreAnswer or a Failure
/// (CoreMessages.h). `result` is as for HistoryRequest.
constexpr uint32_t CoreAnswerLimit = CheckAnswerLimit;

/// Reads or writes memory of a device that simulates a core file: the bytes to
/// write follow, or the bytes that were read are the answer, up to the first
/// one that can't be accessed. `result` is their number, or -EFAULT.
struct CoreMemoryRequest {
  uint64_t address;
  uint32_t size;  ///< at most CoreMemoryLimit
  uint32_t write; ///< 1: writes
};
constexpr uint32_t CoreMemoryLimit = 1u << 20;

/// The runtime is up (KFD's RUNTIME_ENABLE). The answer comes at once, with two
/// exceptions: if a debugger has enabled debugging, it comes when the debugger
/// sends SendRuntimeEvent for ProcessRuntime; if `wait_ms` isn't 0, the device
/// first waits that many milliseconds for a debugger.
struct RuntimeEnableRequest {
  uint64_t r_debug;
  uint32_t wait_ms;
  uint32_t reserved;
};

/// A compute AQL queue. The program allocates all of its memory in the arena.
struct CreateQueueRequest {
  uint64_t ring_base;
  uint64_t ring_size; ///< bytes, a power of two
  uint64_t amd_queue; ///< address of the queue's amd_queue_t (256 bytes or so)
  uint64_t save_area; ///< AgentDescription::save_area_size bytes
  uint32_t agent;     ///< index of the GPU that it belongs to
  uint32_t reserved;
};
/// The reply to CreateQueue.
struct CreateQueueReply {
  uint32_t queue_id;
  uint32_t reserved;
};

/// Offsets in amd_queue_t that the device and debuggers use.
constexpr uint32_t AmdQueueWriteDispatchId = 56;
constexpr uint32_t AmdQueueReadDispatchId = 128;
constexpr uint32_t AmdQueueComputeTmpringSize = 140;
constexpr uint32_t AmdQueueScratchLocation = 160;
/// Of one XCC; 0 since version 11 of r_debug (savearea::scratchSize()).
constexpr uint32_t AmdQueueScratchSize = 168;
constexpr uint32_t AmdQueueInactiveSignal = 192;
constexpr uint32_t AmdQueueSize = 256;
/// Offsets in amd_signal_t.
constexpr uint32_t AmdSignalValue = 8;
constexpr uint32_t AmdSignalMailbox = 16;
constexpr uint32_t AmdSignalEvent = 24;
constexpr uint32_t AmdSignalStart = 32;
constexpr uint32_t AmdSignalEnd = 40;

/// The queue of a message. AllocateWaveSync lets workgroups of the queue's
/// kernels wait for each other (ds_gws_barrier; KFD's ALLOC_QUEUE_GWS).
/// Resource 0 begins each dispatch with its number of workgroups less one,
/// which AMD's runtime sets with a kernel of its own. A GPU without global wave
/// sync answers -ENOTSUP.
struct QueueRequest {
  uint32_t queue_id;
  uint32_t reserved;
};

// Of thousands of waves, few run between two suspensions of their queue. A
// debugger that knows these messages only reads and writes the state of those.
// Waves are the uint32_t behind a QueueRequest or a WavesSavedReply: indices in
// the order of the XCCs' save areas and of their control stacks. `result` is
// -EINVAL if the queue isn't suspended or has no such waves. Without these
// messages, everything is saved, and read again when the queue is resumed.

/// WavesSaved asks which waves the last suspension has saved. `result` is their
/// number, or -ENODATA if all were.
struct WavesSavedReply {
  uint64_t layout; ///< changes when waves get other places in the areas
  uint64_t saves;  ///< how often the queue was saved
};
/// WavesChanged lists all waves that were changed while the queue is suspended.
/// WavesWanted asks for the VGPRs and local memory of these waves, or of all
/// without any, to be saved. Once it was sent for this queue, a suspension
/// doesn't save them by itself.
constexpr uint32_t EveryQueue = ~uint32_t(0);

/// Host memory of the program that kernels access by its host address: its
/// pages are backed by arena memory. All three are page-aligned; UnmapHost uses
/// `address` and `size` only.
struct MapHostRequest {
  uint64_t address;
  uint64_t size;
  uint64_t arena; ///< arena address of the backing pages
};

/// What a check must know of the program's memory. The addresses of the calls
/// that led to it follow, innermost first, 8 bytes each. The reply's result is
/// the number of a finding at which a debugger wants the program to stop, with
/// its text, or 0.
struct MemoryNote {
  enum What : uint32_t {
    Allocated = 1, ///< `address`, `size`, `kind`
    Freed = 2,     ///< `address`
    /// The program has tried to free what it can't, by hipFree, or by
    /// hipHostFree if `kind` is Host.
    NotFreed = 3,
    Copied = 4,    ///< `size` bytes from `from` (0: a fill) to `address`
    NotCopied = 5, ///< not done: beyond an allocation
    Copies = 6,    ///< as Copied, about to be done
    Ends = 7,      ///< the program ends: what is allocated now won't be freed
    /// A variable of the program's code: `size` bytes, `kind` is Constant or
    /// Device. It lives as long as the memory that it is in.
    Variable = 8,
    /// `size` bytes by hipMallocAsync in `queue`; Allocated has come before.
    AllocatedInStream = 9,
    /// By hipFreeAsync in `queue`; Freed comes when that is done.
    FreedInStream = 10,
  };
  enum Kind : uint32_t {
    Device = 0,
    Host = 1,
    Managed = 2,
    Registered = 3,
    Internal = 4, ///< the runtime's own
    AsPages = 5,  ///< Device or Host, as the driver has allocated its pages
    Constant = 6, ///< of a Variable: only the host may write it
  };
  uint32_t what;
  uint32_t kind;
  uint64_t address;
  uint64_t size;
  uint64_t from;
  /// A copy of `rows` of `size` bytes each, at these distances.
  uint64_t rows, pitch, from_pitch;
  uint32_t queue;
  uint32_t no_order; ///< not 0: only for values, Copies has the order
};

/// What the program orders by its calls. Everything that it lets a stream do
/// also comes after what the host has waited for until then.
struct OrderNote {
  enum What : uint32_t {
    HostAfterStream = 1,   ///< the host has waited for `queue`
    HostAfterAll = 2,      ///< for all streams
    HostAfterEvent = 3,    ///< for the event `other`
    StreamAfterStream = 4, ///< `queue` waits for the queue `other`
    StreamAfterEvent = 5,  ///< `queue` waits for the event `other`
    EventAfterStream = 6,  ///< the event `other` is recorded in `queue`
    /// A kernel in `queue`, with the packet `other`. The return addresses that
    /// led to the launch may follow, innermost first, 8 bytes each.
    Launched = 7,
  };
  uint32_t what;
  uint32_t queue; ///< over AMD's runtime, any number for a stream
  uint64_t other;
  /// Over AMD's runtime, Launched: the address of the ring with the packet.
  uint64_t ring;
};

/// A kernel couldn't be launched by k<<<...>>>(), and the program has ended
/// without asking for the error. The return addresses that led to the launch
/// follow, innermost first, 8 bytes each.
struct FailedLaunchNote {
  uint64_t kernel; ///< its descriptor's address
  char error[56];  ///< its name, ended by 0: "hipErrorInvalidValue"
};

/// A code object is loaded or unloaded (`size` is 0). Its URI follows, as in
/// the loader's list for debuggers.
struct CodeNote {
  uint64_t base; ///< where the ELF's address 0 is
  uint64_t size; ///< in device memory
};

//===----------------------------------------------------------------------===//
// The whole of KFD's interface, for AMD's own runtime
//===----------------------------------------------------------------------===//

/// The layout, in bytes, of the sparse memory file that a program on AMD's
/// runtime shares with its device instead of the arena. Mappings of KFD's file
/// or a render node map this file at the same offset.
namespace driver {
constexpr uint64_t FileSize = uint64_t(2) << 40;
/// At offset 0: Control.
constexpr uint64_t ControlSize = 64 << 10;
/// A GPU's doorbells: 1024 of 8 bytes each. GPU n's are at DoorbellStride * (n
/// + 1), because libhsakmt uses the lower 32 bits of a doorbell's offset as the
/// offset in its pages.
constexpr uint64_t DoorbellStride = uint64_t(1) << 32;
constexpr uint64_t DoorbellSize = 8192;
/// A GPU's page of remapped registers.
constexpr uint64_t RegisterOffset = uint64_t(2) << 20;
/// The device allocates objects between these offsets,
constexpr uint64_t FirstObject = uint64_t(64) << 30;
static_assert(DoorbellStride * (MaxAgents + 1) <= FirstObject);
/// and the program's own pages are backed by offsets from here on.
constexpr uint64_t FirstUserPage = uint64_t(1) << 40;

/// Memory that belongs to other files, such as that of another program, has
/// offsets behind the file's own, which the device chooses.
constexpr uint64_t ForeignSize = uint64_t(1) << 40;
/// Room for Exported in the file.
constexpr uint64_t ExportOffset = uint64_t(1) << 20;
constexpr uint32_t ExportCount = 1024;
static_assert(ExportOffset + ExportCount * 512 <= RegisterOffset);

/// The same as KFD_SIGNAL_EVENT_LIMIT.
constexpr uint32_t SignalEvents = 4096;

/// The data of a memory event (kfd_hsa_memory_exception_data).
struct MemoryFault {
  uint64_t address;
  uint32_t gpu_id;
  uint32_t not_present, read_only, no_execute;
};

/// A page that a wave waits for, if page faults are tried again.
struct PageRequest {
  uint32_t number; ///< counts requests; a shared futex
  uint32_t gpu_id;
  uint64_t address; ///< the page's
  uint32_t write;   ///< 0: to be read, 1: to be written as well
  uint32_t reserved;
};

/// The argument of kfd::Call::PageServed: the page has been mapped, or can't
/// be.
struct PageAnswer {
  uint64_t address;
  uint32_t gpu_id;
  int32_t error; ///< 0 or -errno
};

/// Written by the device, read by the program.
struct Control {
  /// Counts everything that may end a wait for events; a shared futex.
  uint32_t interrupts;
  /// The number of threads that wait on `interrupts`.
  uint32_t waiters;
  /// Events signaled since the program last looked, a bit each.
  uint64_t signaled[SignalEvents / 64];
  /// 1: `fault` is valid, and every memory event must be signaled once.
  uint32_t faulted;
  uint32_t reserved;
  MemoryFault fault;
  PageRequest wanted_page;
};
static_assert(sizeof(Control) <= ControlSize);

/// Extra bytes of RUNTIME_ENABLE.
struct RuntimeNote {
  uint32_t wait_ms; ///< how long it waits for a debugger
  uint32_t is_old;  ///< its r_debug was older than RuntimeDebugVersion
};

/// Extra bytes of ALLOC_MEMORY_OF_GPU with kfd::AllocUserPointer: where the
/// program has put its pages, in address order.
struct Segment {
  uint64_t offset; ///< in the file
  uint64_t size;   ///< bytes, whole pages
};

/// An object that other programs may import: KFD's share_handle.
struct ShareHandle {
  uint32_t pid; ///< the owner
  uint32_t serial;
  uint64_t nonce; ///< can't be guessed
};

/// The answer to ImportRequest, with the owner's file; the bytes that follow
/// IPC_EXPORT_HANDLE, and those for IPC_IMPORT_HANDLE of another program's
/// object, with an offset of MapForeign.
struct SharedObject {
  ShareHandle handle;
  uint64_t offset, size; ///< in the owner's file
  uint32_t gpu_id;
  uint32_t flags;     ///< kfd::AllocFlags
  uint32_t hsa_flags; ///< those of IPC_EXPORT_HANDLE
  uint32_t reserved;
};

/// What a descriptor of a DMA buffer means: the entry of its number. As long as
/// such descriptors exist, their open file descriptions hold a shared lock
/// (F_OFD_SETLK) on the entry's first byte, and the object isn't freed.
struct Exported {
  SharedObject object;
  uint64_t owner_handle; ///< 0: free
  uint64_t tiling;
  uint32_t metadata_size;
  uint32_t freed; ///< the program has freed the object
  uint8_t metadata[256];
};
static_assert(sizeof(Exported) <= 512);

/// The lock of an entry, of type F_RDLCK or F_WRLCK.
inline struct flock exportLock(uint32_t Index, short Type) {
  struct flock Lock = {};
  Lock.l_type = Type;
  Lock.l_whence = SEEK_SET;
  Lock.l_start = off_t(ExportOffset + Index * uint64_t(512));
  Lock.l_len = 1;
  return Lock;
}

/// A part of another file. The answer to MapForeign has the offset at which the
/// program's descriptors have it.
struct ForeignMemory {
  uint64_t offset, size; ///< bytes
};

/// The argument of a DriverCall for SVM: the pages [address, address + size)
/// are those of the Segments that follow, for these GPUs; no GPU has them if
/// `gpus` is 0.
struct SvmMapping {
  uint64_t address, size;
  uint64_t gpus;    ///< a bit for each
  uint64_t writers; ///< those of them that may write, if `access` has it
  uint32_t access;  ///< PageAccess
  uint32_t retried; ///< 1: for a page fault, without the program's knowledge
};
} // namespace driver

/// An ioctl of the program on /dev/kfd (<linux/kfd_ioctl.h>), followed by its
/// argument of `size` bytes and the bytes that the argument's pointer points
/// to. The reply is the argument as KFD would leave it, then the bytes to write
/// to where its pointer points; `result` is 0 or -errno.
struct DriverCallRequest {
  uint32_t request; ///< the ioctl's number
  uint32_t size;    ///< of the argument
};

/// The program has mapped doorbells. If the system allows it, the first such
/// message comes with a userfaultfd that is registered to write-protect them.
struct DoorbellRange {
  uint64_t address;
  uint64_t size; ///< bytes
};

/// A queue has stopped permanently: a wave faulted and no debugger handled it,
/// or a packet was invalid.
struct QueueErrorEvent {
  uint32_t queue_id;
  uint32_t exception; ///< kfd::Exception
  uint64_t pc;        ///< of the faulting wave; 0 if none
  uint64_t address;   ///< memory violation: the address
  uint64_t kernel_object;
  uint64_t packet_id;
  uint32_t workgroup[3];
  uint32_t wave_in_group;
  uint32_t trap_id;      ///< s_trap's operand, for QueueWaveTrap/Abort
  uint32_t write;        ///< memory violation: 1 if a store or atomic
  uint32_t is_unmodeled; ///< illegal instruction: 1 if only the device lacks it
  char instruction[100]; ///< disassembly or reason, null-terminated
};

} // namespace simulator
} // namespace wavelane

#endif // WAVELANE_PROTOCOL_DEVICE_DEVICEMESSAGES_H
