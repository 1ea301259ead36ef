//===-- amd-dbgapi.h - The C interface of ROCdbgapi -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wavelane's own declarations of the C ABI that librocm-dbgapi.so.0 exports in
// version 0.77. Both libraries that Wavelane can open have it: the real one,
// and libwavelane-dbgapi.so, for the simulated device and GPU core files.
//
// Conventions that hold for everything below:
// - Handles are 64-bit numbers in a struct, passed by value; 0 means "none".
//   They belong to one initialize/finalize period of one library.
// - Arrays and strings returned through a `T **` come from the client's
//   allocate_memory callback, and the client frees them.
// - In every *_get_info function `value_size` must be exactly the size of the
//   query's type (stated beside each query), else
//   ERROR_INVALID_ARGUMENT_COMPATIBILITY.
// - Every function but get_version, get_build_name, get_status_string,
//   set_log_level and initialize answers ERROR_NOT_INITIALIZED before
//   amd_dbgapi_initialize.
// - The library is neither thread-safe nor re-entrant. Live debugging must use
// the thread that traces the program (ptrace).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_LIBRARY_AMD_DBGAPI_H
#define WAVELANE_PROTOCOL_LIBRARY_AMD_DBGAPI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of the interface that these declarations describe.
#define AMD_DBGAPI_VERSION_MAJOR 0
#define AMD_DBGAPI_VERSION_MINOR 77

//===-- Numbers and handles -----------------------------------------------===//

/// Address in the program's own (global) address space.
typedef uint64_t amd_dbgapi_global_address_t;
/// Address in any of a wave's address spaces.
typedef uint64_t amd_dbgapi_segment_address_t;
/// A number of bytes.
typedef uint64_t amd_dbgapi_size_t;
/// The operating system's process id.
typedef pid_t amd_dbgapi_os_process_id_t;
/// The driver's numbers for an agent, a queue, and a packet in its ring.
typedef uint64_t amd_dbgapi_os_agent_id_t;
typedef uint64_t amd_dbgapi_os_queue_id_t;
typedef uint64_t amd_dbgapi_os_queue_packet_id_t;
/// Lane of a wave, from 0.
typedef uint32_t amd_dbgapi_lane_id_t;
#define AMD_DBGAPI_LANE_NONE ((amd_dbgapi_lane_id_t)(-1))

/// Opaque pointers of the client, handed back to it in callbacks and events.
typedef struct amd_dbgapi_client_process_s *amd_dbgapi_client_process_id_t;
typedef struct amd_dbgapi_client_thread_s *amd_dbgapi_client_thread_id_t;
typedef struct amd_dbgapi_symbolizer_id_s *amd_dbgapi_symbolizer_id_t;

// clang-format off
typedef struct { uint64_t handle; } amd_dbgapi_architecture_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_process_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_code_object_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_agent_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_queue_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_dispatch_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_workgroup_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_wave_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_displaced_stepping_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_watchpoint_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_register_class_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_register_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_address_class_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_address_space_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_event_id_t;
typedef struct { uint64_t handle; } amd_dbgapi_breakpoint_id_t;

#ifdef __cplusplus
#define WAVELANE_DBGAPI_HANDLE(type, number) (type{number})
#else
#define WAVELANE_DBGAPI_HANDLE(type, number) ((type){number})
#endif
#define AMD_DBGAPI_ARCHITECTURE_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_architecture_id_t, 0)
#define AMD_DBGAPI_PROCESS_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_process_id_t, 0)
#define AMD_DBGAPI_CODE_OBJECT_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_code_object_id_t, 0)
#define AMD_DBGAPI_AGENT_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_agent_id_t, 0)
#define AMD_DBGAPI_QUEUE_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_queue_id_t, 0)
#define AMD_DBGAPI_DISPATCH_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_dispatch_id_t, 0)
#define AMD_DBGAPI_WORKGROUP_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_workgroup_id_t, 0)
#define AMD_DBGAPI_WAVE_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_wave_id_t, 0)
#define AMD_DBGAPI_DISPLACED_STEPPING_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_displaced_stepping_id_t, 0)
#define AMD_DBGAPI_WATCHPOINT_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_watchpoint_id_t, 0)
#define AMD_DBGAPI_REGISTER_CLASS_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_register_class_id_t, 0)
#define AMD_DBGAPI_REGISTER_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_register_id_t, 0)
#define AMD_DBGAPI_ADDRESS_CLASS_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_address_class_id_t, 0)
#define AMD_DBGAPI_ADDRESS_SPACE_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_address_space_id_t, 0)
/// The only address space that doesn't belong to an architecture: the program's
/// memory.
#define AMD_DBGAPI_ADDRESS_SPACE_GLOBAL WAVELANE_DBGAPI_HANDLE(amd_dbgapi_address_space_id_t, 1)
#define AMD_DBGAPI_EVENT_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_event_id_t, 0)
#define AMD_DBGAPI_BREAKPOINT_NONE WAVELANE_DBGAPI_HANDLE(amd_dbgapi_breakpoint_id_t, 0)
// clang-format on

/// Whether a list differs from what the last call for it returned.
// clang-format off
typedef enum {
  AMD_DBGAPI_CHANGED_NO = 0,
  AMD_DBGAPI_CHANGED_YES = 1
} amd_dbgapi_changed_t;
// clang-format on

//===-- Status ------------------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_STATUS_SUCCESS = 0,
  AMD_DBGAPI_STATUS_ERROR = -1,
  /// The library's state is lost: detach, finalize, and stop GPU debugging.
  AMD_DBGAPI_STATUS_FATAL = -2,
  AMD_DBGAPI_STATUS_ERROR_NOT_IMPLEMENTED = -3,
  AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE = -4,
  AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED = -5,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT = -6,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY = -7,
  AMD_DBGAPI_STATUS_ERROR_ALREADY_INITIALIZED = -8,
  AMD_DBGAPI_STATUS_ERROR_NOT_INITIALIZED = -9,
  /// Versions or rights do not allow debugging here.
  AMD_DBGAPI_STATUS_ERROR_RESTRICTION = -10,
  AMD_DBGAPI_STATUS_ERROR_ALREADY_ATTACHED = -11,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID = -12,
  AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION = -13,
  AMD_DBGAPI_STATUS_ERROR_INVALID_CODE_OBJECT_ID = -14,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ELF_AMDGPU_MACHINE = -15,
  AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID = -16,
  AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED = -17,
  AMD_DBGAPI_STATUS_ERROR_INVALID_AGENT_ID = -18,
  AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID = -19,
  AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID = -20,
  AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID = -21,
  AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED = -22,
  AMD_DBGAPI_STATUS_ERROR_WAVE_STOPPED = -23,
  AMD_DBGAPI_STATUS_ERROR_WAVE_OUTSTANDING_STOP = -24,
  AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_RESUMABLE = -25,
  AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID = -26,
  AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_BUFFER_NOT_AVAILABLE = -27,
  AMD_DBGAPI_STATUS_ERROR_DISPLACED_STEPPING_ACTIVE = -28,
  AMD_DBGAPI_STATUS_ERROR_RESUME_DISPLACED_STEPPING = -29,
  AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID = -30,
  AMD_DBGAPI_STATUS_ERROR_NO_WATCHPOINT_AVAILABLE = -31,
  AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_CLASS_ID = -32,
  AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID = -33,
  AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID = -34,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID = -35,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID = -36,
  AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS = -37,
  AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION = -38,
  AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID = -39,
  AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID = -40,
  AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK = -41,
  AMD_DBGAPI_STATUS_ERROR_INVALID_CLIENT_PROCESS_ID = -42,
  AMD_DBGAPI_STATUS_ERROR_SYMBOL_NOT_FOUND = -43,
  AMD_DBGAPI_STATUS_ERROR_REGISTER_NOT_AVAILABLE = -44,
  AMD_DBGAPI_STATUS_ERROR_INVALID_WORKGROUP_ID = -45,
  AMD_DBGAPI_STATUS_ERROR_INCOMPATIBLE_PROCESS_STATE = -46,
  AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN = -47,
  AMD_DBGAPI_STATUS_ERROR_PROCESS_ALREADY_FROZEN = -48,
  AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN = -49
} amd_dbgapi_status_t;
// clang-format on

/// One line of English for a status; ERROR_INVALID_ARGUMENT for an unknown one.
/// The library owns the string.
amd_dbgapi_status_t amd_dbgapi_get_status_string(amd_dbgapi_status_t status,
                                                 const char **status_string);

//===-- Life of the library -----------------------------------------------===//

/// The library's own version: check it before anything whose signature changed.
void amd_dbgapi_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch);
/// Free text that describes the build; owned by the library.
const char *amd_dbgapi_get_build_name(void);

typedef struct amd_dbgapi_callbacks_s amd_dbgapi_callbacks_t;

/// Begins a period; all seven callbacks must be set. The library copies them.
amd_dbgapi_status_t amd_dbgapi_initialize(amd_dbgapi_callbacks_t *callbacks);
/// Detaches from every process, and invalidates every handle.
amd_dbgapi_status_t amd_dbgapi_finalize(void);

// clang-format off
typedef enum {
  AMD_DBGAPI_LOG_LEVEL_NONE = 0,
  AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR = 1,
  AMD_DBGAPI_LOG_LEVEL_WARNING = 2,
  AMD_DBGAPI_LOG_LEVEL_INFO = 3,
  AMD_DBGAPI_LOG_LEVEL_TRACE = 4,
  AMD_DBGAPI_LOG_LEVEL_VERBOSE = 5
} amd_dbgapi_log_level_t;
// clang-format on

/// Messages up to `level` reach the log_message callback; starts at NONE.
void amd_dbgapi_set_log_level(amd_dbgapi_log_level_t level);

//===-- Architectures -----------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_ARCHITECTURE_INFO_NAME = 1,                               // char *, "gfx90a"
  AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE = 2,                 // uint32_t, EF_AMDGPU_MACH
  AMD_DBGAPI_ARCHITECTURE_INFO_LARGEST_INSTRUCTION_SIZE = 3,           // size, bytes
  AMD_DBGAPI_ARCHITECTURE_INFO_MINIMUM_INSTRUCTION_ALIGNMENT = 4,      // size, bytes
  AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE = 5,        // size, bytes
  AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION = 6,             // void *, allocated bytes
  AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST = 7,   // size: PC of a stop minus this is the breakpoint
  AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER = 8                         // register_id
} amd_dbgapi_architecture_info_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_architecture_get_info(amd_dbgapi_architecture_id_t architecture_id,
                                 amd_dbgapi_architecture_info_t query,
                                 size_t value_size, void *value);

/// The architecture of an ELF header's EF_AMDGPU_MACH bits, or
/// ERROR_INVALID_ELF_AMDGPU_MACHINE.
amd_dbgapi_status_t
amd_dbgapi_get_architecture(uint32_t elf_amdgpu_machine,
                            amd_dbgapi_architecture_id_t *architecture_id);

/// Size, and with non-null `instruction_text` the text, of the instruction in
/// `memory`; `size` is the bytes there on entry, the instruction's on return.
/// `symbolizer` may be null; it names addresses, or answers SYMBOL_NOT_FOUND.
amd_dbgapi_status_t amd_dbgapi_disassemble_instruction(
    amd_dbgapi_architecture_id_t architecture_id,
    amd_dbgapi_global_address_t address, amd_dbgapi_size_t *size,
    const void *memory, char **instruction_text,
    amd_dbgapi_symbolizer_id_t symbolizer_id,
    amd_dbgapi_status_t (*symbolizer)(amd_dbgapi_symbolizer_id_t symbolizer_id,
                                      amd_dbgapi_global_address_t address,
                                      char **symbol_text));

// clang-format off
typedef enum {
  AMD_DBGAPI_INSTRUCTION_KIND_UNKNOWN = 0,
  AMD_DBGAPI_INSTRUCTION_KIND_SEQUENTIAL = 1,
  AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH = 2,
  AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL = 3,
  AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR = 4,
  AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_CONDITIONAL_REGISTER_PAIR = 5,
  AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR = 6,
  AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS = 7,
  AMD_DBGAPI_INSTRUCTION_KIND_TERMINATE = 8,
  AMD_DBGAPI_INSTRUCTION_KIND_TRAP = 9,
  AMD_DBGAPI_INSTRUCTION_KIND_HALT = 10,
  AMD_DBGAPI_INSTRUCTION_KIND_BARRIER = 11,
  AMD_DBGAPI_INSTRUCTION_KIND_SLEEP = 12,
  AMD_DBGAPI_INSTRUCTION_KIND_SPECIAL = 13
} amd_dbgapi_instruction_kind_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_INSTRUCTION_PROPERTY_NONE = 0
} amd_dbgapi_instruction_properties_t;
// clang-format on

/// Instruction information of a direct call.
typedef struct {
  amd_dbgapi_global_address_t target_address;
  amd_dbgapi_register_id_t saved_return_address_register[2];
} amd_dbgapi_direct_call_register_pair_information_t;

/// The kind of the instruction in `memory`. With non-null
/// `instruction_information`, the client gets (and frees) data that depends on
/// the kind: direct branches a global address; indirect branches
/// register_id[2]; direct calls the struct above; indirect calls register_id[4]
/// (target pair, saved pair); traps a uint64_t; null for all others.
amd_dbgapi_status_t amd_dbgapi_classify_instruction(
    amd_dbgapi_architecture_id_t architecture_id,
    amd_dbgapi_global_address_t address, amd_dbgapi_size_t *size,
    const void *memory, amd_dbgapi_instruction_kind_t *instruction_kind,
    amd_dbgapi_instruction_properties_t *instruction_properties,
    void **instruction_information);

//===-- Processes ---------------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_ENDIAN_BIG = 0,
  AMD_DBGAPI_ENDIAN_LITTLE = 1
} amd_dbgapi_endianness_t;
// clang-format on

/// The contents of a core file's AMDGPU note. `data` is allocated.
typedef struct {
  amd_dbgapi_endianness_t endianness;
  size_t size;
  const void *data;
} amd_dbgapi_core_state_data_t;

// clang-format off
typedef enum {
  AMD_DBGAPI_PROCESS_INFO_NOTIFIER = 1,                         // int: a descriptor to poll for input
  AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT = 2,                 // size_t
  AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_SHARE = 3,                 // watchpoint_share_kind
  AMD_DBGAPI_PROCESS_INFO_PRECISE_MEMORY_SUPPORTED = 4,         // memory_precision
  AMD_DBGAPI_PROCESS_INFO_PRECISE_ALU_EXCEPTIONS_SUPPORTED = 5, // alu_exceptions_precision
  AMD_DBGAPI_PROCESS_INFO_OS_ID = 6,                            // os_process_id
  AMD_DBGAPI_PROCESS_INFO_CORE_STATE = 7                        // core_state_data; the process must be frozen
} amd_dbgapi_process_info_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_process_get_info(amd_dbgapi_process_id_t process_id,
                            amd_dbgapi_process_info_t query, size_t value_size,
                            void *value);

/// Live when the client answers OS_PID, from a core when it answers CORE_STATE.
/// A process whose GPU runtime is not up yet attaches, and reports it by event.
amd_dbgapi_status_t
amd_dbgapi_process_attach(amd_dbgapi_client_process_id_t client_process_id,
                          amd_dbgapi_process_id_t *process_id);
/// Resumes every wave that can be resumed, removes watchpoints, and lets go.
amd_dbgapi_status_t
amd_dbgapi_process_detach(amd_dbgapi_process_id_t process_id);

// clang-format off
typedef enum {
  AMD_DBGAPI_PROGRESS_NORMAL = 0,
  AMD_DBGAPI_PROGRESS_NO_FORWARD = 1
} amd_dbgapi_progress_t;
// clang-format on

/// NO_FORWARD keeps queues suspended between calls: bracket batches with it.
amd_dbgapi_status_t
amd_dbgapi_process_set_progress(amd_dbgapi_process_id_t process_id,
                                amd_dbgapi_progress_t progress);

// clang-format off
typedef enum {
  AMD_DBGAPI_WAVE_CREATION_NORMAL = 0,
  AMD_DBGAPI_WAVE_CREATION_STOP = 1
} amd_dbgapi_wave_creation_t;
// clang-format on

/// With STOP, new waves are halted before their first instruction.
amd_dbgapi_status_t
amd_dbgapi_process_set_wave_creation(amd_dbgapi_process_id_t process_id,
                                     amd_dbgapi_wave_creation_t creation);

/// Between these calls, no wave runs and none is created, so memory and state
/// can be dumped consistently. Needs NO_FORWARD and wave creation STOP.
amd_dbgapi_status_t
amd_dbgapi_process_freeze(amd_dbgapi_process_id_t process_id);
amd_dbgapi_status_t
amd_dbgapi_process_unfreeze(amd_dbgapi_process_id_t process_id);

//===-- Code objects, agents, queues --------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_CODE_OBJECT_INFO_PROCESS = 1,      // process_id
  AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME = 2,     // char *: file:// or memory:// URI
  AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS = 3  // int64_t: ELF address + this = memory address
} amd_dbgapi_code_object_info_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_code_object_get_info(amd_dbgapi_code_object_id_t code_object_id,
                                amd_dbgapi_code_object_info_t query,
                                size_t value_size, void *value);
/// Lists: with non-null `changed`, and nothing new since the last such call,
/// the count is 0, the array null and `*changed` NO: keep the old list.
amd_dbgapi_status_t amd_dbgapi_process_code_object_list(
    amd_dbgapi_process_id_t process_id, size_t *code_object_count,
    amd_dbgapi_code_object_id_t **code_objects, amd_dbgapi_changed_t *changed);

// clang-format off
typedef enum {
  AMD_DBGAPI_AGENT_INFO_PROCESS = 1,                      // process_id
  AMD_DBGAPI_AGENT_INFO_NAME = 2,                         // char *
  AMD_DBGAPI_AGENT_INFO_ARCHITECTURE = 3,                 // architecture_id
  AMD_DBGAPI_AGENT_INFO_STATE = 4,                        // agent_state
  AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN = 5,                   // uint16_t
  AMD_DBGAPI_AGENT_INFO_PCI_SLOT = 6,                     // uint16_t
  AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID = 7,                // uint32_t
  AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID = 8,                // uint32_t
  AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT = 9,         // size_t
  AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT = 10,// size_t
  AMD_DBGAPI_AGENT_INFO_OS_ID = 11                        // os_agent_id
} amd_dbgapi_agent_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_AGENT_STATE_SUPPORTED = 1,
  AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED = 2
} amd_dbgapi_agent_state_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_agent_get_info(amd_dbgapi_agent_id_t agent_id,
                                              amd_dbgapi_agent_info_t query,
                                              size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_process_agent_list(
    amd_dbgapi_process_id_t process_id, size_t *agent_count,
    amd_dbgapi_agent_id_t **agents, amd_dbgapi_changed_t *changed);

// clang-format off
typedef enum {
  AMD_DBGAPI_QUEUE_INFO_AGENT = 1,        // agent_id
  AMD_DBGAPI_QUEUE_INFO_PROCESS = 2,      // process_id
  AMD_DBGAPI_QUEUE_INFO_ARCHITECTURE = 3, // architecture_id
  AMD_DBGAPI_QUEUE_INFO_TYPE = 4,         // os_queue_type
  AMD_DBGAPI_QUEUE_INFO_STATE = 5,        // queue_state (not implemented in 0.77)
  AMD_DBGAPI_QUEUE_INFO_ERROR_REASON = 6, // exceptions (not implemented in 0.77)
  AMD_DBGAPI_QUEUE_INFO_ADDRESS = 7,      // global_address of the ring
  AMD_DBGAPI_QUEUE_INFO_SIZE = 8,         // size of the ring, bytes
  AMD_DBGAPI_QUEUE_INFO_OS_ID = 9         // os_queue_id
} amd_dbgapi_queue_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_OS_QUEUE_TYPE_UNKNOWN = 0,
  AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL = 1,
  AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4 = 257,
  AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA = 513,
  AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI = 514
} amd_dbgapi_os_queue_type_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_QUEUE_STATE_VALID = 1,
  AMD_DBGAPI_QUEUE_STATE_ERROR = 2
} amd_dbgapi_queue_state_t;
// clang-format on

/// The problem of a wave, a packet or a queue; wave_resume can deliver wave
/// bits to the program's runtime.
// clang-format off
typedef enum {
  AMD_DBGAPI_EXCEPTION_NONE = 0,
  AMD_DBGAPI_EXCEPTION_WAVE_ABORT = (1 << 0),
  AMD_DBGAPI_EXCEPTION_WAVE_TRAP = (1 << 1),
  AMD_DBGAPI_EXCEPTION_WAVE_MATH_ERROR = (1 << 2),
  AMD_DBGAPI_EXCEPTION_WAVE_ILLEGAL_INSTRUCTION = (1 << 3),
  AMD_DBGAPI_EXCEPTION_WAVE_MEMORY_VIOLATION = (1 << 4),
  AMD_DBGAPI_EXCEPTION_WAVE_ADDRESS_ERROR = (1 << 5),
  AMD_DBGAPI_EXCEPTION_PACKET_DISPATCH_DIM_INVALID = (1 << 16),
  AMD_DBGAPI_EXCEPTION_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID = (1 << 17),
  AMD_DBGAPI_EXCEPTION_PACKET_DISPATCH_CODE_INVALID = (1 << 18),
  AMD_DBGAPI_EXCEPTION_PACKET_UNSUPPORTED = (1 << 20),
  AMD_DBGAPI_EXCEPTION_PACKET_DISPATCH_WORKGROUP_SIZE_INVALID = (1 << 21),
  AMD_DBGAPI_EXCEPTION_PACKET_DISPATCH_REGISTER_COUNT_TOO_LARGE = (1 << 22),
  AMD_DBGAPI_EXCEPTION_PACKET_VENDOR_UNSUPPORTED = (1 << 23),
  AMD_DBGAPI_EXCEPTION_QUEUE_PREEMPTION_ERROR = (int)(1u << 31)
} amd_dbgapi_exceptions_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_queue_get_info(amd_dbgapi_queue_id_t queue_id,
                                              amd_dbgapi_queue_info_t query,
                                              size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_process_queue_list(
    amd_dbgapi_process_id_t process_id, size_t *queue_count,
    amd_dbgapi_queue_id_t **queues, amd_dbgapi_changed_t *changed);
/// Packets [read, write) of a queue's ring, copied in order.
amd_dbgapi_status_t
amd_dbgapi_queue_packet_list(amd_dbgapi_queue_id_t queue_id,
                             amd_dbgapi_os_queue_packet_id_t *read_packet_id,
                             amd_dbgapi_os_queue_packet_id_t *write_packet_id,
                             size_t *packets_byte_size, void **packets_bytes);

//===-- Dispatches, work-groups, waves ------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_DISPATCH_INFO_QUEUE = 1,                           // queue_id
  AMD_DBGAPI_DISPATCH_INFO_AGENT = 2,                           // agent_id
  AMD_DBGAPI_DISPATCH_INFO_PROCESS = 3,                         // process_id
  AMD_DBGAPI_DISPATCH_INFO_ARCHITECTURE = 4,                    // architecture_id
  AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID = 5,              // os_queue_packet_id
  AMD_DBGAPI_DISPATCH_INFO_BARRIER = 6,                         // dispatch_barrier
  AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE = 7,                   // dispatch_fence_scope
  AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE = 8,                   // dispatch_fence_scope
  AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS = 9,                 // uint32_t
  AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES = 10,                // uint16_t[3]
  AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES = 11,                     // uint32_t[3], work-items
  AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE = 12,           // size
  AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE = 13,             // size
  AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS = 14,// global_address
  AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS = 15,      // global_address
  AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS = 16,      // global_address
  AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS = 17       // global_address
} amd_dbgapi_dispatch_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_DISPATCH_BARRIER_NONE = 0,
  AMD_DBGAPI_DISPATCH_BARRIER_PRESENT = 1
} amd_dbgapi_dispatch_barrier_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_DISPATCH_FENCE_SCOPE_NONE = 0,
  AMD_DBGAPI_DISPATCH_FENCE_SCOPE_AGENT = 1,
  AMD_DBGAPI_DISPATCH_FENCE_SCOPE_SYSTEM = 2
} amd_dbgapi_dispatch_fence_scope_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_dispatch_get_info(amd_dbgapi_dispatch_id_t dispatch_id,
                             amd_dbgapi_dispatch_info_t query,
                             size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_process_dispatch_list(
    amd_dbgapi_process_id_t process_id, size_t *dispatch_count,
    amd_dbgapi_dispatch_id_t **dispatches, amd_dbgapi_changed_t *changed);

// clang-format off
typedef enum {
  AMD_DBGAPI_WORKGROUP_INFO_DISPATCH = 1,       // dispatch_id
  AMD_DBGAPI_WORKGROUP_INFO_QUEUE = 2,          // queue_id
  AMD_DBGAPI_WORKGROUP_INFO_AGENT = 3,          // agent_id
  AMD_DBGAPI_WORKGROUP_INFO_PROCESS = 4,        // process_id
  AMD_DBGAPI_WORKGROUP_INFO_ARCHITECTURE = 5,   // architecture_id
  AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD = 6 // uint32_t[3]
} amd_dbgapi_workgroup_info_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_workgroup_get_info(amd_dbgapi_workgroup_id_t workgroup_id,
                              amd_dbgapi_workgroup_info_t query,
                              size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_process_workgroup_list(
    amd_dbgapi_process_id_t process_id, size_t *workgroup_count,
    amd_dbgapi_workgroup_id_t **workgroups, amd_dbgapi_changed_t *changed);

// clang-format off
typedef enum {
  AMD_DBGAPI_WAVE_INFO_STATE = 1,                    // wave_state
  AMD_DBGAPI_WAVE_INFO_STOP_REASON = 2,              // wave_stop_reasons; stopped waves only
  AMD_DBGAPI_WAVE_INFO_WATCHPOINTS = 3,              // watchpoint_list, ids allocated
  AMD_DBGAPI_WAVE_INFO_WORKGROUP = 4,                // workgroup_id
  AMD_DBGAPI_WAVE_INFO_DISPATCH = 5,                 // dispatch_id
  AMD_DBGAPI_WAVE_INFO_QUEUE = 6,                    // queue_id
  AMD_DBGAPI_WAVE_INFO_AGENT = 7,                    // agent_id
  AMD_DBGAPI_WAVE_INFO_PROCESS = 8,                  // process_id
  AMD_DBGAPI_WAVE_INFO_ARCHITECTURE = 9,             // architecture_id
  AMD_DBGAPI_WAVE_INFO_PC = 10,                      // global_address; stopped waves only
  AMD_DBGAPI_WAVE_INFO_EXEC_MASK = 11,               // uint64_t; stopped waves only
  AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD = 12,         // uint32_t[3]
  AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP = 13,// uint32_t
  AMD_DBGAPI_WAVE_INFO_LANE_COUNT = 14               // size_t
} amd_dbgapi_wave_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_WAVE_STATE_RUN = 1,
  AMD_DBGAPI_WAVE_STATE_SINGLE_STEP = 2,
  AMD_DBGAPI_WAVE_STATE_STOP = 3
} amd_dbgapi_wave_state_t;
// clang-format on

/// Why a wave stopped: a set of bits; NONE after wave_stop.
// clang-format off
typedef enum {
  AMD_DBGAPI_WAVE_STOP_REASON_NONE = 0,
  AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT = (1 << 0),
  AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT = (1 << 1),
  AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP = (1 << 2),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL = (1 << 3),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0 = (1 << 4),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW = (1 << 5),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW = (1 << 6),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT = (1 << 7),
  AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION = (1 << 8),
  AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0 = (1 << 9),
  AMD_DBGAPI_WAVE_STOP_REASON_DEBUG_TRAP = (1 << 10),
  AMD_DBGAPI_WAVE_STOP_REASON_ASSERT_TRAP = (1 << 11),
  AMD_DBGAPI_WAVE_STOP_REASON_TRAP = (1 << 12),
  AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION = (1 << 13),
  AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR = (1 << 14),
  AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION = (1 << 15),
  AMD_DBGAPI_WAVE_STOP_REASON_ECC_ERROR = (1 << 16),
  AMD_DBGAPI_WAVE_STOP_REASON_FATAL_HALT = (1 << 17)
} amd_dbgapi_wave_stop_reasons_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_wave_get_info(amd_dbgapi_wave_id_t wave_id,
                                             amd_dbgapi_wave_info_t query,
                                             size_t value_size, void *value);
amd_dbgapi_status_t
amd_dbgapi_process_wave_list(amd_dbgapi_process_id_t process_id,
                             size_t *wave_count, amd_dbgapi_wave_id_t **waves,
                             amd_dbgapi_changed_t *changed);
/// Asks for a stop, which arrives as a WAVE_STOP event (reason NONE), or as
/// WAVE_COMMAND_TERMINATED if the wave ended first.
amd_dbgapi_status_t amd_dbgapi_wave_stop(amd_dbgapi_wave_id_t wave_id);

// clang-format off
typedef enum {
  AMD_DBGAPI_RESUME_MODE_NORMAL = 0,
  AMD_DBGAPI_RESUME_MODE_SINGLE_STEP = 1
} amd_dbgapi_resume_mode_t;
// clang-format on

/// Runs a stopped wave whose last stop event has been processed; `exceptions`
/// are delivered to the program's runtime, which then ends the queue.
amd_dbgapi_status_t amd_dbgapi_wave_resume(amd_dbgapi_wave_id_t wave_id,
                                           amd_dbgapi_resume_mode_t resume_mode,
                                           amd_dbgapi_exceptions_t exceptions);

//===-- Displaced stepping ------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_DISPLACED_STEPPING_INFO_PROCESS = 1 // process_id
} amd_dbgapi_displaced_stepping_info_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_displaced_stepping_get_info(
    amd_dbgapi_displaced_stepping_id_t displaced_stepping_id,
    amd_dbgapi_displaced_stepping_info_t query, size_t value_size, void *value);
/// Moves the wave to a copy of the instruction under its PC, whose first bytes
/// (breakpoint-instruction size) are `saved_instruction_bytes`.
/// ILLEGAL_INSTRUCTION: step in line; BUFFER_NOT_AVAILABLE: complete another
/// first.
amd_dbgapi_status_t amd_dbgapi_displaced_stepping_start(
    amd_dbgapi_wave_id_t wave_id, const void *saved_instruction_bytes,
    amd_dbgapi_displaced_stepping_id_t *displaced_stepping);
/// Moves the stopped wave back to where it would be.
amd_dbgapi_status_t amd_dbgapi_displaced_stepping_complete(
    amd_dbgapi_wave_id_t wave_id,
    amd_dbgapi_displaced_stepping_id_t displaced_stepping);

//===-- Watchpoints and precision -----------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_WATCHPOINT_INFO_PROCESS = 1, // process_id
  AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS = 2, // global_address, as the hardware watches
  AMD_DBGAPI_WATCHPOINT_INFO_SIZE = 3     // size, as the hardware watches
} amd_dbgapi_watchpoint_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSUPPORTED = 0,
  AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSHARED = 1,
  AMD_DBGAPI_WATCHPOINT_SHARE_KIND_SHARED = 2
} amd_dbgapi_watchpoint_share_kind_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_WATCHPOINT_KIND_LOAD = 1,
  AMD_DBGAPI_WATCHPOINT_KIND_STORE_AND_RMW = 2,
  AMD_DBGAPI_WATCHPOINT_KIND_RMW = 3,
  AMD_DBGAPI_WATCHPOINT_KIND_ALL = 4
} amd_dbgapi_watchpoint_kind_t;
// clang-format on

typedef struct {
  size_t count;
  amd_dbgapi_watchpoint_id_t *watchpoint_ids;
} amd_dbgapi_watchpoint_list_t;

amd_dbgapi_status_t
amd_dbgapi_watchpoint_get_info(amd_dbgapi_watchpoint_id_t watchpoint_id,
                               amd_dbgapi_watchpoint_info_t query,
                               size_t value_size, void *value);
/// Watches global memory. The hardware may watch more than requested: query it.
amd_dbgapi_status_t amd_dbgapi_set_watchpoint(
    amd_dbgapi_process_id_t process_id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t size, amd_dbgapi_watchpoint_kind_t kind,
    amd_dbgapi_watchpoint_id_t *watchpoint_id);
amd_dbgapi_status_t
amd_dbgapi_remove_watchpoint(amd_dbgapi_watchpoint_id_t watchpoint_id);

// clang-format off
typedef enum {
  AMD_DBGAPI_MEMORY_PRECISION_NONE = 0,
  AMD_DBGAPI_MEMORY_PRECISION_PRECISE = 1
} amd_dbgapi_memory_precision_t;
// clang-format on

/// PRECISE: a memory fault or watchpoint stops right after its instruction.
amd_dbgapi_status_t
amd_dbgapi_set_memory_precision(amd_dbgapi_process_id_t process_id,
                                amd_dbgapi_memory_precision_t memory_precision);

// clang-format off
typedef enum {
  AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE = 0,
  AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE = 1
} amd_dbgapi_alu_exceptions_precision_t;
// clang-format on

/// Since 0.77.
amd_dbgapi_status_t amd_dbgapi_set_alu_exceptions_precision(
    amd_dbgapi_process_id_t process_id,
    amd_dbgapi_alu_exceptions_precision_t alu_exceptions_precision);

//===-- Registers ---------------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_REGISTER_CLASS_INFO_ARCHITECTURE = 1, // architecture_id
  AMD_DBGAPI_REGISTER_CLASS_INFO_NAME = 2          // char *
} amd_dbgapi_register_class_info_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_architecture_register_class_get_info(
    amd_dbgapi_register_class_id_t register_class_id,
    amd_dbgapi_register_class_info_t query, size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_architecture_register_class_list(
    amd_dbgapi_architecture_id_t architecture_id, size_t *register_class_count,
    amd_dbgapi_register_class_id_t **register_classes);

// clang-format off
typedef enum {
  AMD_DBGAPI_REGISTER_PROPERTY_NONE = 0,
  AMD_DBGAPI_REGISTER_PROPERTY_READONLY_BITS = (1 << 0),
  /// The hardware, or a write to another register, may change it.
  AMD_DBGAPI_REGISTER_PROPERTY_VOLATILE = (1 << 1),
  /// Writing it invalidates the client's cached values of volatile registers.
  AMD_DBGAPI_REGISTER_PROPERTY_INVALIDATE_VOLATILE = (1 << 2)
} amd_dbgapi_register_properties_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_REGISTER_INFO_ARCHITECTURE = 1, // architecture_id
  AMD_DBGAPI_REGISTER_INFO_NAME = 2,         // char *, lower case
  AMD_DBGAPI_REGISTER_INFO_SIZE = 3,         // size, bytes
  AMD_DBGAPI_REGISTER_INFO_TYPE = 4,         // char *: "uint32_t", "int32_t[64]", "flags32_t ..."
  AMD_DBGAPI_REGISTER_INFO_DWARF = 5,        // uint64_t, or ERROR_NOT_AVAILABLE
  AMD_DBGAPI_REGISTER_INFO_PROPERTIES = 6    // register_properties
} amd_dbgapi_register_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_REGISTER_ABSENT = 0,
  AMD_DBGAPI_REGISTER_PRESENT = 1
} amd_dbgapi_register_exists_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_REGISTER_CLASS_STATE_NOT_MEMBER = 0,
  AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER = 1
} amd_dbgapi_register_class_state_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_register_get_info(amd_dbgapi_register_id_t register_id,
                             amd_dbgapi_register_info_t query,
                             size_t value_size, void *value);
amd_dbgapi_status_t
amd_dbgapi_wave_register_exists(amd_dbgapi_wave_id_t wave_id,
                                amd_dbgapi_register_id_t register_id,
                                amd_dbgapi_register_exists_t *exists);
/// Every register of an architecture, in every form: names can repeat.
amd_dbgapi_status_t amd_dbgapi_architecture_register_list(
    amd_dbgapi_architecture_id_t architecture_id, size_t *register_count,
    amd_dbgapi_register_id_t **registers);
/// The registers that one wave has.
amd_dbgapi_status_t
amd_dbgapi_wave_register_list(amd_dbgapi_wave_id_t wave_id,
                              size_t *register_count,
                              amd_dbgapi_register_id_t **registers);
amd_dbgapi_status_t amd_dbgapi_dwarf_register_to_register(
    amd_dbgapi_architecture_id_t architecture_id, uint64_t dwarf_register,
    amd_dbgapi_register_id_t *register_id);
amd_dbgapi_status_t amd_dbgapi_register_is_in_register_class(
    amd_dbgapi_register_class_id_t register_class_id,
    amd_dbgapi_register_id_t register_id,
    amd_dbgapi_register_class_state_t *register_class_state);
/// Bytes [offset, offset + value_size) of a register: lane l of a vector
/// register is offset 4 l, size 4.
amd_dbgapi_status_t amd_dbgapi_read_register(
    amd_dbgapi_wave_id_t wave_id, amd_dbgapi_register_id_t register_id,
    amd_dbgapi_size_t offset, amd_dbgapi_size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_write_register(
    amd_dbgapi_wave_id_t wave_id, amd_dbgapi_register_id_t register_id,
    amd_dbgapi_size_t offset, amd_dbgapi_size_t value_size, const void *value);
/// A hint: `register_count` registers from this one on will be read next.
amd_dbgapi_status_t
amd_dbgapi_prefetch_register(amd_dbgapi_wave_id_t wave_id,
                             amd_dbgapi_register_id_t register_id,
                             amd_dbgapi_size_t register_count);

//===-- Address classes and spaces, memory --------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_ADDRESS_CLASS_INFO_NAME = 1,          // char *
  AMD_DBGAPI_ADDRESS_CLASS_INFO_ADDRESS_SPACE = 2, // address_space_id
  AMD_DBGAPI_ADDRESS_CLASS_INFO_DWARF = 3          // uint64_t
} amd_dbgapi_address_class_info_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_address_class_get_info(
    amd_dbgapi_address_class_id_t address_class_id,
    amd_dbgapi_address_class_info_t query, size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_architecture_address_class_list(
    amd_dbgapi_architecture_id_t architecture_id, size_t *address_class_count,
    amd_dbgapi_address_class_id_t **address_classes);
amd_dbgapi_status_t amd_dbgapi_dwarf_address_class_to_address_class(
    amd_dbgapi_architecture_id_t architecture_id, uint64_t dwarf_address_class,
    amd_dbgapi_address_class_id_t *address_class_id);

// clang-format off
typedef enum {
  AMD_DBGAPI_ADDRESS_SPACE_ACCESS_ALL = 1,
  AMD_DBGAPI_ADDRESS_SPACE_ACCESS_PROGRAM_CONSTANT = 2,
  AMD_DBGAPI_ADDRESS_SPACE_ACCESS_DISPATCH_CONSTANT = 3
} amd_dbgapi_address_space_access_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME = 1,         // char *
  AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE = 2, // size, in BITS
  AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS = 3, // segment_address
  AMD_DBGAPI_ADDRESS_SPACE_INFO_ACCESS = 4,       // address_space_access
  AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF = 5         // uint64_t
} amd_dbgapi_address_space_info_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_address_space_get_info(
    amd_dbgapi_address_space_id_t address_space_id,
    amd_dbgapi_address_space_info_t query, size_t value_size, void *value);
amd_dbgapi_status_t amd_dbgapi_architecture_address_space_list(
    amd_dbgapi_architecture_id_t architecture_id, size_t *address_space_count,
    amd_dbgapi_address_space_id_t **address_spaces);
amd_dbgapi_status_t amd_dbgapi_dwarf_address_space_to_address_space(
    amd_dbgapi_architecture_id_t architecture_id, uint64_t dwarf_address_space,
    amd_dbgapi_address_space_id_t *address_space_id);
/// 0.77's signature; 0.81 and later have a leading process_id. Do not call it
/// directly: wavelane::debugapi::Library gates it on the version.
amd_dbgapi_status_t amd_dbgapi_convert_address_space(
    amd_dbgapi_wave_id_t wave_id, amd_dbgapi_lane_id_t lane_id,
    amd_dbgapi_address_space_id_t source_address_space_id,
    amd_dbgapi_segment_address_t source_segment_address,
    amd_dbgapi_address_space_id_t destination_address_space_id,
    amd_dbgapi_segment_address_t *destination_segment_address,
    amd_dbgapi_size_t *destination_contiguous_bytes);

// clang-format off
typedef enum {
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_NONE = 0,
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_LANE = 1,
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WAVE = 2,
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WORKGROUP = 3,
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_AGENT = 4,
  AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS = 5
} amd_dbgapi_segment_address_dependency_t;
// clang-format on

/// 0.77's signature; 0.79 and later have leading process_id and wave_id. Do not
/// call it directly: wavelane::debugapi::Library gates it on the version.
amd_dbgapi_status_t amd_dbgapi_address_dependency(
    amd_dbgapi_address_space_id_t address_space_id,
    amd_dbgapi_segment_address_t segment_address,
    amd_dbgapi_segment_address_dependency_t *segment_address_dependency);

// clang-format off
typedef enum {
  AMD_DBGAPI_ADDRESS_CLASS_STATE_NOT_MEMBER = 0,
  AMD_DBGAPI_ADDRESS_CLASS_STATE_MEMBER = 1
} amd_dbgapi_address_class_state_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_address_is_in_address_class(
    amd_dbgapi_wave_id_t wave_id, amd_dbgapi_lane_id_t lane_id,
    amd_dbgapi_address_space_id_t address_space_id,
    amd_dbgapi_segment_address_t segment_address,
    amd_dbgapi_address_class_id_t address_class_id,
    amd_dbgapi_address_class_state_t *address_class_state);
/// `value_size` is the number of requested bytes on entry, and of transferred
/// bytes on return, which may be fewer. Global memory needs no wave; local and
/// private_wave need a stopped wave; private_lane also needs a lane of it.
amd_dbgapi_status_t
amd_dbgapi_read_memory(amd_dbgapi_process_id_t process_id,
                       amd_dbgapi_wave_id_t wave_id,
                       amd_dbgapi_lane_id_t lane_id,
                       amd_dbgapi_address_space_id_t address_space_id,
                       amd_dbgapi_segment_address_t segment_address,
                       amd_dbgapi_size_t *value_size, void *value);
amd_dbgapi_status_t
amd_dbgapi_write_memory(amd_dbgapi_process_id_t process_id,
                        amd_dbgapi_wave_id_t wave_id,
                        amd_dbgapi_lane_id_t lane_id,
                        amd_dbgapi_address_space_id_t address_space_id,
                        amd_dbgapi_segment_address_t segment_address,
                        amd_dbgapi_size_t *value_size, const void *value);

//===-- Events ------------------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_EVENT_KIND_NONE = 0,
  AMD_DBGAPI_EVENT_KIND_WAVE_STOP = 1,
  AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED = 2,
  AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED = 3,
  AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME = 4,
  AMD_DBGAPI_EVENT_KIND_RUNTIME = 5,
  AMD_DBGAPI_EVENT_KIND_QUEUE_ERROR = 6
} amd_dbgapi_event_kind_t;
// clang-format on

/// The oldest event not yet returned; kind NONE and handle 0 if there is none.
amd_dbgapi_status_t
amd_dbgapi_process_next_pending_event(amd_dbgapi_process_id_t process_id,
                                      amd_dbgapi_event_id_t *event_id,
                                      amd_dbgapi_event_kind_t *kind);

// clang-format off
typedef enum {
  AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS = 1,
  AMD_DBGAPI_RUNTIME_STATE_UNLOADED = 2,
  AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION = 3
} amd_dbgapi_runtime_state_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_EVENT_INFO_PROCESS = 1,       // process_id
  AMD_DBGAPI_EVENT_INFO_KIND = 2,          // event_kind
  AMD_DBGAPI_EVENT_INFO_WAVE = 3,          // wave_id: WAVE_STOP, WAVE_COMMAND_TERMINATED
  AMD_DBGAPI_EVENT_INFO_BREAKPOINT = 4,    // breakpoint_id: BREAKPOINT_RESUME
  AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD = 5, // client_thread_id: BREAKPOINT_RESUME
  AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE = 6, // runtime_state: RUNTIME
  AMD_DBGAPI_EVENT_INFO_QUEUE = 7          // queue_id: QUEUE_ERROR
} amd_dbgapi_event_info_t;
// clang-format on

amd_dbgapi_status_t amd_dbgapi_event_get_info(amd_dbgapi_event_id_t event_id,
                                              amd_dbgapi_event_info_t query,
                                              size_t value_size, void *value);
/// Finishes an event: its handle becomes invalid, and its wave or thread can
/// continue.
amd_dbgapi_status_t amd_dbgapi_event_processed(amd_dbgapi_event_id_t event_id);

//===-- Host breakpoints that the library asks for ------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_BREAKPOINT_INFO_PROCESS = 1 // process_id
} amd_dbgapi_breakpoint_info_t;
// clang-format on

// clang-format off
typedef enum {
  AMD_DBGAPI_BREAKPOINT_ACTION_RESUME = 1,
  AMD_DBGAPI_BREAKPOINT_ACTION_HALT = 2
} amd_dbgapi_breakpoint_action_t;
// clang-format on

amd_dbgapi_status_t
amd_dbgapi_breakpoint_get_info(amd_dbgapi_breakpoint_id_t breakpoint_id,
                               amd_dbgapi_breakpoint_info_t query,
                               size_t value_size, void *value);
/// A host thread has stopped at a breakpoint that insert_breakpoint asked for.
/// HALT: keep that thread until its BREAKPOINT_RESUME event.
amd_dbgapi_status_t amd_dbgapi_report_breakpoint_hit(
    amd_dbgapi_breakpoint_id_t breakpoint_id,
    amd_dbgapi_client_thread_id_t client_thread_id,
    amd_dbgapi_breakpoint_action_t *breakpoint_action);

//===-- Callbacks ---------------------------------------------------------===//

// clang-format off
typedef enum {
  AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID = 1,    // os_process_id; NOT_AVAILABLE selects a core
  AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE = 2 // core_state_data, data from allocate_memory
} amd_dbgapi_client_process_info_t;
// clang-format on

/// The client's functions for the library (since 0.76 in this form).
struct amd_dbgapi_callbacks_s {
  void *(*allocate_memory)(size_t byte_size);
  void (*deallocate_memory)(void *data);
  amd_dbgapi_status_t (*client_process_get_info)(
      amd_dbgapi_client_process_id_t client_process_id,
      amd_dbgapi_client_process_info_t query, size_t value_size, void *value);
  /// Inserts a breakpoint in host code; called inside attach, or inside
  /// next_pending_event while host threads run.
  amd_dbgapi_status_t (*insert_breakpoint)(
      amd_dbgapi_client_process_id_t client_process_id,
      amd_dbgapi_global_address_t address,
      amd_dbgapi_breakpoint_id_t breakpoint_id);
  amd_dbgapi_status_t (*remove_breakpoint)(
      amd_dbgapi_client_process_id_t client_process_id,
      amd_dbgapi_breakpoint_id_t breakpoint_id);
  /// Reads (read_buffer set) or writes (write_buffer set) the program's memory,
  /// perhaps in part; the only errors are ERROR_MEMORY_ACCESS and
  /// ERROR_PROCESS_EXITED.
  amd_dbgapi_status_t (*xfer_global_memory)(
      amd_dbgapi_client_process_id_t client_process_id,
      amd_dbgapi_global_address_t global_address, amd_dbgapi_size_t *value_size,
      void *read_buffer, const void *write_buffer);
  void (*log_message)(amd_dbgapi_log_level_t level, const char *message);
};

#ifdef __cplusplus
} // extern "C"
#endif

#endif // WAVELANE_PROTOCOL_LIBRARY_AMD_DBGAPI_H
