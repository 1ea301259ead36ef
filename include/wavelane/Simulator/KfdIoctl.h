//===-- KfdIoctl.h - the ioctls of /dev/kfd ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers and layouts of <linux/kfd_ioctl.h>, which Debian's system headers
// can't be compiled with. Ioctls are distinguished by their number only, as in
// the kernel: an argument may grow from one release to the next.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_KFDIOCTL_H
#define WAVELANE_SIMULATOR_KFDIOCTL_H

#include <cstddef>
#include <cstdint>

namespace wavelane::kfd {

/// _IOC_NR of each ioctl.
enum class Call : uint32_t {
  GetVersion = 0x01,
  CreateQueue = 0x02,
  DestroyQueue = 0x03,
  SetMemoryPolicy = 0x04,
  GetClockCounters = 0x05,
  GetProcessApertures = 0x06,
  UpdateQueue = 0x07,
  CreateEvent = 0x08,
  DestroyEvent = 0x09,
  SetEvent = 0x0a,
  ResetEvent = 0x0b,
  WaitEvents = 0x0c,
  SetScratchBackingVa = 0x11,
  GetTileConfig = 0x12,
  SetTrapHandler = 0x13,
  GetProcessAperturesNew = 0x14,
  AcquireVm = 0x15,
  AllocMemoryOfGpu = 0x16,
  FreeMemoryOfGpu = 0x17,
  MapMemoryToGpu = 0x18,
  UnmapMemoryFromGpu = 0x19,
  SetCuMask = 0x1a,
  GetQueueWaveState = 0x1b,
  GetDmabufInfo = 0x1c,
  ImportDmabuf = 0x1d,
  AllocQueueGws = 0x1e,
  SmiEvents = 0x1f,
  Svm = 0x20,
  SetXnackMode = 0x21,
  CriuOp = 0x22,
  AvailableMemory = 0x23,
  ExportDmabuf = 0x24,
  RuntimeEnable = 0x25,
  DebugTrap = 0x26,
  // Only in AMD's own kernels.
  IpcImportHandle = 0x80,
  IpcExportHandle = 0x81,
  OldDebugTrap = 0x82, ///< ROCm 5
  PcSample = 0x85,
  // Not KFD's: what DRM's ioctls ask the device.
  SubmitJob = 0xf0,
  QueryJob = 0xf1,
  // Not KFD's: the answer to a PageRequest.
  PageServed = 0xf2,
};

/// The type of /dev/kfd's ioctls (_IOC_TYPE).
constexpr unsigned IoctlType = 'K';

//===-- Queues ------------------------------------------------------------===//

constexpr uint32_t QueueTypeLast = 3; ///< compute, SDMA, AQL, SDMA over XGMI
constexpr uint32_t MaxQueuePercentage = 100;
constexpr uint32_t MaxQueuePriority = 15;
constexpr uint32_t MinRingSize = 1024;

struct CreateQueueArguments {
  uint64_t ring_base_address;
  uint64_t write_pointer_address, read_pointer_address;
  uint64_t doorbell_offset; ///< out: the file offset to map
  uint32_t ring_size;
  uint32_t gpu_id;
  uint32_t queue_type;
  uint32_t queue_percentage;
  uint32_t queue_priority;
  uint32_t queue_id; ///< out
  uint64_t eop_buffer_address, eop_buffer_size;
  uint64_t ctx_save_restore_address;
  uint32_t ctx_save_restore_size;
  uint32_t ctl_stack_size;
};
static_assert(sizeof(CreateQueueArguments) == 88);

struct DestroyQueueArguments {
  uint32_t queue_id, pad;
};

struct UpdateQueueArguments {
  uint64_t ring_base_address;
  uint32_t queue_id;
  uint32_t ring_size;
  uint32_t queue_percentage;
  uint32_t queue_priority;
};

struct SetCuMaskArguments {
  uint32_t queue_id;
  uint32_t num_cu_mask; ///< bits
  uint64_t cu_mask_ptr;
};

struct GetQueueWaveStateArguments {
  uint64_t ctl_stack_address;
  uint32_t ctl_stack_used_size, save_area_used_size; ///< out
  uint32_t queue_id;
  uint32_t pad;
};

struct AllocQueueGwsArguments {
  uint32_t queue_id;
  uint32_t num_gws;
  uint32_t first_gws; ///< out
  uint32_t pad;
};

//===-- Facts -------------------------------------------------------------===//

struct GetVersionArguments {
  uint32_t major_version, minor_version;
};

struct AvailableMemoryArguments {
  uint64_t available; ///< out, bytes
  uint32_t gpu_id;
  uint32_t pad;
};

struct GetClockCountersArguments {
  uint64_t gpu_clock_counter, cpu_clock_counter; ///< out
  uint64_t system_clock_counter, system_clock_freq;
  uint32_t gpu_id;
  uint32_t pad;
};

struct ProcessDeviceApertures {
  uint64_t lds_base, lds_limit;
  uint64_t scratch_base, scratch_limit;
  uint64_t gpuvm_base, gpuvm_limit;
  uint32_t gpu_id;
  uint32_t pad;
};

constexpr uint32_t OldApertures = 7;
struct GetProcessAperturesArguments {
  ProcessDeviceApertures process_apertures[OldApertures]; ///< out
  uint32_t num_of_nodes;
  uint32_t pad;
};

struct GetProcessAperturesNewArguments {
  uint64_t process_device_apertures_ptr;
  uint32_t num_of_nodes; ///< in: capacity; out: number written
  uint32_t pad;
};

struct GetTileConfigArguments {
  uint64_t tile_config_ptr, macro_tile_config_ptr;
  uint32_t num_tile_configs, num_macro_tile_configs;
  uint32_t gpu_id;
  uint32_t gb_addr_config, num_banks, num_ranks;
};

//===-- What is set for a GPU ---------------------------------------------===//

struct SetMemoryPolicyArguments {
  uint64_t alternate_aperture_base, alternate_aperture_size;
  uint32_t gpu_id;
  uint32_t default_policy, alternate_policy;
  uint32_t pad;
};

struct SetScratchBackingVaArguments {
  uint64_t va_addr;
  uint32_t gpu_id;
  uint32_t pad;
};

struct SetTrapHandlerArguments {
  uint64_t tba_addr, tma_addr;
  uint32_t gpu_id;
  uint32_t pad;
};

struct AcquireVmArguments {
  uint32_t drm_fd;
  uint32_t gpu_id;
};

struct SetXnackModeArguments {
  int32_t xnack_enabled; ///< negative: only queries
};

//===-- Events ------------------------------------------------------------===//

enum EventType : uint32_t {
  EventSignal = 0,
  EventHwException = 3,
  EventDebug = 5,
  EventMemory = 8
};
enum WaitResult : uint32_t { WaitComplete = 0, WaitTimeout = 1, WaitFail = 2 };

/// The offset for mapping the page of events (KFD_MMAP_TYPE_EVENTS).
constexpr uint64_t MapEvents = uint64_t(3) << 62;

struct CreateEventArguments {
  /// In: the handle of the page's memory, if any. Out, for a signal event:
  /// MapEvents.
  uint64_t event_page_offset;
  uint32_t event_trigger_data; ///< out
  uint32_t event_type;
  uint32_t auto_reset;
  uint32_t node_id;
  uint32_t event_id;         ///< out
  uint32_t event_slot_index; ///< out
};

/// The argument of DESTROY_EVENT, SET_EVENT and RESET_EVENT.
struct EventArguments {
  uint32_t event_id, pad;
};

struct MemoryExceptionData {
  uint32_t not_present, read_only, no_execute, imprecise;
  uint64_t va;
  uint32_t gpu_id;
  uint32_t error_type;
};

struct EventData {
  union {
    MemoryExceptionData memory; ///< out, for a memory event
    /// For a signal event: the last age that the caller has seen, or 0 to
    /// ignore ages. Out: the current age.
    uint64_t last_event_age;
  };
  uint64_t extension;
  uint32_t event_id;
  uint32_t pad;
};
static_assert(sizeof(EventData) == 48);

struct WaitEventsArguments {
  uint64_t events_ptr; ///< EventData
  uint32_t num_events;
  uint32_t wait_for_all;
  uint32_t timeout;     ///< milliseconds; 0xffffffff: none
  uint32_t wait_result; ///< out
};

//===-- Memory ------------------------------------------------------------===//

enum AllocFlags : uint32_t {
  AllocVram = 1u << 0,
  AllocGtt = 1u << 1,
  AllocUserPointer = 1u << 2,
  AllocDoorbell = 1u << 3,
  AllocMmioRemap = 1u << 4,
  AllocAqlQueue = 1u << 27,
  AllocPublic = 1u << 29,
  AllocExecutable = 1u << 30,
  AllocWritable = 1u << 31,
};

struct AllocMemoryArguments {
  uint64_t va_addr;
  uint64_t size;
  uint64_t handle;      ///< out
  uint64_t mmap_offset; ///< in: the pages of a user pointer; otherwise out
  uint32_t gpu_id;
  uint32_t flags; ///< AllocFlags
};

struct FreeMemoryArguments {
  uint64_t handle;
};

/// The argument of MAP_MEMORY_TO_GPU and UNMAP_MEMORY_FROM_GPU.
struct MapMemoryArguments {
  uint64_t handle;
  uint64_t device_ids_array_ptr; ///< n_devices gpu_ids of 4 bytes each
  uint32_t n_devices;
  uint32_t n_success; ///< in: number to skip; out: number done
};

struct GetDmabufInfoArguments {
  uint64_t size; ///< out
  uint64_t metadata_ptr;
  uint32_t metadata_size;
  uint32_t gpu_id; ///< out
  uint32_t flags;  ///< out, AllocFlags
  uint32_t dmabuf_fd;
};

struct ImportDmabufArguments {
  uint64_t va_addr;
  uint64_t handle; ///< out
  uint32_t gpu_id;
  uint32_t dmabuf_fd;
};

struct ExportDmabufArguments {
  uint64_t handle;
  uint32_t flags;
  uint32_t dmabuf_fd; ///< out
};

struct IpcExportArguments {
  uint64_t handle;
  uint32_t share_handle[4]; ///< out
  uint32_t gpu_id;
  uint32_t flags; ///< kept for importers
};

struct IpcImportArguments {
  uint64_t handle; ///< out
  uint64_t va_addr;
  uint64_t mmap_offset; ///< out
  uint32_t share_handle[4];
  uint32_t gpu_id;
  uint32_t flags; ///< out
};

//===-- Ranges of the program's memory (SVM) ------------------------------===//

enum SvmOperation : uint32_t { SvmSet = 0, SvmGet = 1 };
enum SvmAttributeType : uint32_t {
  SvmPreferredLocation = 0,
  SvmPrefetchLocation = 1,
  SvmAccess = 2,
  SvmAccessInPlace = 3,
  SvmNoAccess = 4,
  SvmSetFlags = 5,
  SvmClearFlags = 6,
  SvmGranularity = 7,
};
enum SvmFlags : uint32_t {
  SvmHostAccess = 1u << 0,
  SvmCoherent = 1u << 1,
  SvmHiveLocal = 1u << 2,
  SvmGpuReadOnly = 1u << 3,
  SvmGpuExecute = 1u << 4,
  SvmGpuReadMostly = 1u << 5,
  SvmGpuAlwaysMapped = 1u << 6,
  SvmExtendedCoherent = 1u << 7,
};
/// Locations that aren't a gpu_id.
constexpr uint32_t SvmSystemMemory = 0, SvmUndefined = 0xffffffff;

struct SvmAttribute {
  uint32_t type, value;
};

/// Followed by `nattr` attributes.
struct SvmArguments {
  uint64_t start_addr, size;
  uint32_t op, nattr;
};

/// Opens a descriptor of SystemEvents.
struct SmiEventsArguments {
  uint32_t gpu_id;
  uint32_t anon_fd; ///< out
};

//===-- Samples of program counters ---------------------------------------===//

enum PcSampleOperation : uint32_t {
  SampleQuery = 0,
  SampleCreate = 1,
  SampleDestroy = 2,
  SampleStart = 3,
  SampleStop = 4,
};
enum PcSampleMethod : uint32_t { SampleHostTrap = 1 };
enum PcSampleUnit : uint32_t { SampleMicroseconds = 0 };

struct PcSampleInfo {
  uint64_t interval;
  uint64_t interval_min, interval_max; ///< out
  uint64_t flags;                      ///< out
  uint32_t method, type;
};

struct PcSampleArguments {
  uint64_t sample_info_ptr; ///< PcSampleInfo
  uint32_t num_sample_info; ///< in: capacity; out: number
  uint32_t op;
  uint32_t gpu_id;
  uint32_t trace_id; ///< out of SampleCreate
  uint32_t flags;
  uint32_t version;
};

//===-- Jobs of the render nodes ------------------------------------------===//

/// SubmitJob: a buffer of packets for a copy engine. QueryJob: whether it is
/// done.
struct JobArguments {
  uint64_t address;
  uint32_t bytes;
  uint32_t gpu; ///< index
  uint64_t fence;
};

//===-- The runtime -------------------------------------------------------===//

struct RuntimeEnableArguments {
  uint64_t r_debug;
  uint32_t mode_mask; ///< bit 0: enable; bit 1: set up ttmps
  uint32_t capabilities_mask;
};

/// The argument of OLD_DEBUG_TRAP, of which runtimes use two operations.
struct OldDebugTrapArguments {
  uint64_t exception_mask;
  uint64_t ptr; ///< RuntimeEnable: r_debug
  uint32_t pid;
  uint32_t op;
  uint32_t data1, data2; ///< out for GetVersion; enable and ttmps for
                         ///< RuntimeEnable
  uint32_t data3, data4;
};
enum OldDebugTrapOperation : uint32_t {
  OldTrapGetVersion = 7,
  OldTrapRuntimeEnable = 13
};
/// The version of these operations that ROCm 5.2 asks for.
constexpr uint32_t OldTrapMajor = 10, OldTrapMinor = 3;

} // namespace wavelane::kfd

#endif // WAVELANE_SIMULATOR_KFDIOCTL_H
