//===-- API.cpp - ROCdbgapi's functions -----------------------------------===//
//
// Arguments are checked here, then handles become objects of Process.h. The
// library says version 0.77.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "wavelane/DebugAPI/Extensions.h"
#include <cstring>
#include <limits>
#include <unistd.h>

using namespace wavelane::embedded;
using wavelane::savearea::Family;

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Tells the loader (DebugAPI/Library.h) whose library this is.
EXPORT const int wavelane_dbgapi_embedded;
EXPORT const int wavelane_dbgapi_embedded = 1;

namespace {

constexpr Status Success = AMD_DBGAPI_STATUS_SUCCESS;
constexpr Status Invalid = AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
constexpr Status Incompatible =
    AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
constexpr Status Unavailable = AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;

#define NEEDS_LIBRARY()                                                        \
  if (!library().initialized)                                                  \
  return AMD_DBGAPI_STATUS_ERROR_NOT_INITIALIZED

//===-- Answers -----------------------------------------------------------===//

template <typename T> Status give(size_t size, void *value, const T &answer) {
  if (!value)
    return Invalid;
  if (size != sizeof(T))
    return Incompatible;
  memcpy(value, &answer, sizeof(T));
  return Success;
}

void *allocate(size_t size) {
  return library().callbacks.allocate_memory(size);
}

Status giveBytes(size_t size, void *value, const void *data, size_t length) {
  if (!value)
    return Invalid;
  if (size != sizeof(void *))
    return Incompatible;
  void *copy = allocate(length);
  if (!copy)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  memcpy(copy, data, length);
  memcpy(value, &copy, sizeof(copy));
  return Success;
}

Status giveString(size_t size, void *value, const std::string &text) {
  return giveBytes(size, value, text.c_str(), text.size() + 1);
}

template <typename Handle>
Status giveList(size_t *count, Handle **list,
                const std::vector<uint64_t> &ids) {
  if (!count || !list)
    return Invalid;
  Handle *items = nullptr;
  if (!ids.empty()) {
    items = static_cast<Handle *>(allocate(ids.size() * sizeof(Handle)));
    if (!items)
      return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
    for (size_t i = 0; i < ids.size(); ++i)
      items[i].handle = ids[i];
  }
  *count = ids.size();
  *list = items;
  return Success;
}

//===-- Handles -----------------------------------------------------------===//

Process *find(amd_dbgapi_process_id_t id) {
  auto found = library().processes.find(id.handle);
  return found == library().processes.end() ? nullptr : found->second.get();
}

/// The object of a handle and its process.
template <typename T> struct Found {
  Process *process = nullptr;
  T *object = nullptr;
};
template <typename T>
Found<T> findIn(uint64_t handle, Table<T> Process::*table) {
  for (auto &entry : library().processes) {
    auto &objects = (entry.second.get()->*table);
    auto found = objects.find(handle);
    if (found != objects.end())
      return {entry.second.get(), found->second.get()};
  }
  return {};
}

const ArchitectureInfo *find(amd_dbgapi_architecture_id_t id) {
  const auto &all = allArchitectures();
  return id.handle >= 1 && id.handle <= all.size() ? &all[id.handle - 1]
                                                   : nullptr;
}
amd_dbgapi_architecture_id_t handleOf(const ArchitectureInfo &info) {
  return {uint64_t(&info - allArchitectures().data()) + 1};
}
amd_dbgapi_architecture_id_t archHandle(const Agent &agent) {
  return {uint64_t(agent.archIndex) + 1};
}

// Handles of what architectures own: architecture, then the number in it.
constexpr unsigned ArchShift = 16;
uint64_t partHandle(const ArchitectureInfo &info, unsigned index) {
  return handleOf(info).handle << ArchShift | (index + 1);
}
const ArchitectureInfo *partOwner(uint64_t handle, unsigned &index) {
  const ArchitectureInfo *info =
      find(amd_dbgapi_architecture_id_t{handle >> ArchShift});
  index = unsigned(handle & 0xffff) - 1;
  return info && (handle & 0xffff) ? info : nullptr;
}
const Register *findRegister(amd_dbgapi_register_id_t id,
                             const ArchitectureInfo *&info) {
  unsigned index;
  info = partOwner(id.handle, index);
  if (!info || index >= info->registers.size())
    return nullptr;
  return &info->registers[index];
}

/// Address spaces, in the order of their list.
struct SpaceInfo {
  const char *name;
  uint64_t dwarf, bits, null;
  amd_dbgapi_segment_address_dependency_t dependency;
};
constexpr SpaceInfo Spaces[] = {
    {"global", Process::Global, 64, 0,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS},
    {"generic", Process::Generic, 64, 0,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS},
    {"private_wave", Process::PrivateWave, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WAVE},
    {"private_lane", Process::PrivateLane, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_LANE},
    {"local", Process::Local, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WORKGROUP},
};
constexpr unsigned SpaceCount = 5, GlobalSpace = 0;
struct ClassInfo {
  const char *name;
  uint64_t dwarf;
  unsigned space; ///< in Spaces
};
constexpr ClassInfo Classes[] = {{"private", 4, 3},
                                 {"group", 3, 4},
                                 {"constant", 2, 0},
                                 {"global", 1, 0},
                                 {"none", 0, 1}};
constexpr unsigned ClassCount = 5;

/// GLOBAL belongs to no architecture and has handle 1.
amd_dbgapi_address_space_id_t spaceHandle(const ArchitectureInfo &info,
                                          unsigned index) {
  if (index == GlobalSpace)
    return AMD_DBGAPI_ADDRESS_SPACE_GLOBAL;
  return {partHandle(info, index)};
}
/// \p owner is null for GLOBAL.
const SpaceInfo *find(amd_dbgapi_address_space_id_t id,
                      const ArchitectureInfo *&owner) {
  owner = nullptr;
  if (id.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle)
    return &Spaces[GlobalSpace];
  unsigned index;
  owner = partOwner(id.handle, index);
  return owner && index > GlobalSpace && index < SpaceCount ? &Spaces[index]
                                                            : nullptr;
}
const ClassInfo *find(amd_dbgapi_address_class_id_t id,
                      const ArchitectureInfo *&owner) {
  unsigned index;
  owner = partOwner(id.handle, index);
  return owner && index < ClassCount ? &Classes[index] : nullptr;
}

/// A visible wave.
Found<Wave> find(amd_dbgapi_wave_id_t id) {
  Found<Wave> found = findIn<Wave>(id.handle, &Process::waves);
  return found.object && found.object->visible() ? found : Found<Wave>();
}

template <typename T, typename Handle>
Status processList(amd_dbgapi_process_id_t id, Table<T> Process::*table,
                   ListKind kind, bool fresh, size_t *count, Handle **list,
                   amd_dbgapi_changed_t *changed) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!count || !list)
    return Invalid;
  if (fresh)
    if (Status status = process->refresh())
      if (status != AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED)
        return status;
  if (changed) {
    *changed = process->listChanged[kind] ? AMD_DBGAPI_CHANGED_YES
                                          : AMD_DBGAPI_CHANGED_NO;
    if (!process->listChanged[kind]) {
      *count = 0;
      *list = nullptr;
      return Success;
    }
  }
  std::vector<uint64_t> ids;
  for (auto &entry : process->*table) {
    if constexpr (std::is_same_v<T, Wave>)
      if (!entry.second->visible())
        continue;
    ids.push_back(entry.first);
  }
  const Status status = giveList(count, list, ids);
  if (status == Success)
    process->listChanged[kind] = false;
  return status;
}

} // namespace

//===-- Library -----------------------------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_get_status_string(amd_dbgapi_status_t status, const char **text) {
  static const char *const Texts[] = {
      "success",
      "error",
      "fatal error: the library's state is lost",
      "not implemented",
      "the information is not available",
      "not supported",
      "invalid argument",
      "arguments do not fit each other, or a size does not fit its query",
      "the library is initialised already",
      "the library is not initialised",
      "a restriction prevents debugging",
      "attached to this process already",
      "invalid architecture",
      "the bytes are no legal instruction",
      "invalid code object",
      "unknown or unsupported AMDGPU machine in the ELF header",
      "invalid process",
      "the process has exited",
      "invalid agent",
      "invalid queue",
      "invalid dispatch",
      "invalid wave",
      "the wave is not stopped",
      "the wave is stopped",
      "a stop of the wave is outstanding",
      "the wave cannot be resumed",
      "invalid displaced step",
      "no buffer for a displaced step is free",
      "the wave is in a displaced step",
      "a wave in a displaced step can only be single-stepped",
      "invalid watchpoint",
      "no watchpoint is available",
      "invalid register class",
      "invalid register",
      "invalid lane",
      "invalid address class",
      "invalid address space",
      "memory cannot be accessed",
      "the address has no equivalent in that address space",
      "invalid event",
      "invalid breakpoint",
      "a callback of the client has failed",
      "the client does not know the process",
      "no such symbol",
      "the wave does not have this register",
      "invalid work-group",
      "the process is in no state for this",
      "the process is frozen",
      "the process is frozen already",
      "the process is not frozen"};
  const int index = -int(status);
  if (!text || index < 0 || index >= int(std::size(Texts)))
    return Invalid;
  *text = Texts[index];
  return Success;
}

EXPORT void amd_dbgapi_get_version(uint32_t *major, uint32_t *minor,
                                   uint32_t *patch) {
  if (major)
    *major = AMD_DBGAPI_VERSION_MAJOR;
  if (minor)
    *minor = AMD_DBGAPI_VERSION_MINOR;
  if (patch)
    *patch = 0;
}

EXPORT const char *amd_dbgapi_get_build_name() {
  return "Wavelane (simulated device and GPU core files)";
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_initialize(amd_dbgapi_callbacks_t *callbacks) {
  Library &lib = library();
  if (lib.initialized)
    return AMD_DBGAPI_STATUS_ERROR_ALREADY_INITIALIZED;
  if (!callbacks || !callbacks->allocate_memory ||
      !callbacks->deallocate_memory || !callbacks->client_process_get_info ||
      !callbacks->insert_breakpoint || !callbacks->remove_breakpoint ||
      !callbacks->xfer_global_memory || !callbacks->log_message)
    return Invalid;
  lib.callbacks = *callbacks;
  memset(lib.nextId, 0, sizeof(lib.nextId));
  lib.initialized = true;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_finalize() {
  NEEDS_LIBRARY();
  for (auto &entry : library().processes)
    entry.second->detach();
  library().processes.clear();
  library().initialized = false;
  return Success;
}

EXPORT void amd_dbgapi_set_log_level(amd_dbgapi_log_level_t level) {
  library().logLevel = level;
}

//===-- Architectures -----------------------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_architecture_get_info(amd_dbgapi_architecture_id_t id,
                                 amd_dbgapi_architecture_info_t query,
                                 size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  switch (query) {
  case AMD_DBGAPI_ARCHITECTURE_INFO_NAME:
    return giveString(size, value, info->arch->name);
  case AMD_DBGAPI_ARCHITECTURE_INFO_ELF_AMDGPU_MACHINE:
    return give(size, value, info->arch->elfMachine);
  case AMD_DBGAPI_ARCHITECTURE_INFO_LARGEST_INSTRUCTION_SIZE:
    return give(size, value, amd_dbgapi_size_t(info->largestInstruction));
  case AMD_DBGAPI_ARCHITECTURE_INFO_MINIMUM_INSTRUCTION_ALIGNMENT:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_SIZE:
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION_PC_ADJUST:
    return give(size, value, amd_dbgapi_size_t(4));
  case AMD_DBGAPI_ARCHITECTURE_INFO_BREAKPOINT_INSTRUCTION:
    return giveBytes(size, value, &info->breakpoint, 4);
  case AMD_DBGAPI_ARCHITECTURE_INFO_PC_REGISTER:
    return give(size, value, amd_dbgapi_register_id_t{
                                 partHandle(*info, info->pcRegister)});
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_get_architecture(uint32_t machine,
                            amd_dbgapi_architecture_id_t *id) {
  NEEDS_LIBRARY();
  if (!id)
    return Invalid;
  for (const ArchitectureInfo &info : allArchitectures())
    if (info.arch->elfMachine == machine) {
      *id = handleOf(info);
      return Success;
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_ELF_AMDGPU_MACHINE;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_disassemble_instruction(
    amd_dbgapi_architecture_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t *size, const void *memory, char **text,
    amd_dbgapi_symbolizer_id_t symbolizerId,
    amd_dbgapi_status_t (*symbolizer)(amd_dbgapi_symbolizer_id_t,
                                      amd_dbgapi_global_address_t, char **)) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!size || !*size || !memory)
    return Invalid;
  InstructionDecoder *decoder = InstructionDecoder::get(*info->arch);
  if (!decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  Status symbolStatus = Success;
  auto symbolize = [&](uint64_t target) -> std::string {
    if (!symbolizer)
      return "";
    char *symbol = nullptr;
    const Status status = symbolizer(symbolizerId, target, &symbol);
    if (status == AMD_DBGAPI_STATUS_ERROR_SYMBOL_NOT_FOUND)
      return "";
    if (status != Success || !symbol) {
      symbolStatus = AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
      return "";
    }
    std::string result = symbol;
    library().callbacks.deallocate_memory(symbol);
    return result;
  };
  std::optional<Instruction> instruction = decoder->decode(
      address,
      llvm::ArrayRef(static_cast<const uint8_t *>(memory), size_t(*size)),
      text != nullptr, symbolize);
  if (!instruction)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  if (symbolStatus)
    return symbolStatus;
  if (text)
    if (Status status = giveString(sizeof(char *), text, instruction->text))
      return status;
  *size = instruction->size;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_classify_instruction(
    amd_dbgapi_architecture_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t *size, const void *memory,
    amd_dbgapi_instruction_kind_t *kind,
    amd_dbgapi_instruction_properties_t *properties, void **information) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!size || !*size || !memory || !kind)
    return Invalid;
  InstructionDecoder *decoder = InstructionDecoder::get(*info->arch);
  if (!decoder)
    return AMD_DBGAPI_STATUS_FATAL;
  std::optional<Instruction> i = decoder->decode(
      address,
      llvm::ArrayRef(static_cast<const uint8_t *>(memory), size_t(*size)),
      false);
  if (!i)
    return AMD_DBGAPI_STATUS_ERROR_ILLEGAL_INSTRUCTION;
  // The two registers of a pair.
  auto half = [&](unsigned pair, unsigned which) -> amd_dbgapi_register_id_t {
    if (pair < PairVcc && pair + which < 106 - (info->arch->isGFX9() ? 4 : 0))
      return {partHandle(*info, info->firstScalar + pair + which)};
    return AMD_DBGAPI_REGISTER_NONE;
  };
  if (information) {
    *information = nullptr;
    Status status = Success;
    switch (i->kind) {
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH:
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_BRANCH_CONDITIONAL:
      status = giveBytes(sizeof(void *), information, &i->target, 8);
      break;
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_REGISTER_PAIR:
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_BRANCH_CONDITIONAL_REGISTER_PAIR: {
      const amd_dbgapi_register_id_t pair[2] = {half(i->source, 0),
                                                half(i->source, 1)};
      status = giveBytes(sizeof(void *), information, pair, sizeof(pair));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_DIRECT_CALL_REGISTER_PAIR: {
      const amd_dbgapi_direct_call_register_pair_information_t call = {
          i->target, {half(i->destination, 0), half(i->destination, 1)}};
      status = giveBytes(sizeof(void *), information, &call, sizeof(call));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_INDIRECT_CALL_REGISTER_PAIRS: {
      const amd_dbgapi_register_id_t pairs[4] = {
          half(i->source, 0), half(i->source, 1), half(i->destination, 0),
          half(i->destination, 1)};
      status = giveBytes(sizeof(void *), information, pairs, sizeof(pairs));
      break;
    }
    case AMD_DBGAPI_INSTRUCTION_KIND_TRAP:
      status = giveBytes(sizeof(void *), information, &i->trap, 8);
      break;
    default:
      break;
    }
    if (status)
      return status;
  }
  *kind = i->kind;
  if (properties)
    *properties = AMD_DBGAPI_INSTRUCTION_PROPERTY_NONE;
  *size = i->size;
  return Success;
}

//===-- Processes ---------------------------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_get_info(amd_dbgapi_process_id_t id,
                            amd_dbgapi_process_info_t query, size_t size,
                            void *value) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  switch (query) {
  case AMD_DBGAPI_PROCESS_INFO_NOTIFIER:
    return give(size, value, process->notifier());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_COUNT:
    return give(size, value, process->watchpointCount());
  case AMD_DBGAPI_PROCESS_INFO_WATCHPOINT_SHARE:
    return give(size, value,
                process->watchpointCount()
                    ? AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSHARED
                    : AMD_DBGAPI_WATCHPOINT_SHARE_KIND_UNSUPPORTED);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_MEMORY_SUPPORTED:
    return give(size, value,
                process->canPreciseMemory()
                    ? AMD_DBGAPI_MEMORY_PRECISION_PRECISE
                    : AMD_DBGAPI_MEMORY_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_PRECISE_ALU_EXCEPTIONS_SUPPORTED:
    return give(size, value,
                process->canPreciseAlu()
                    ? AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE
                    : AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE);
  case AMD_DBGAPI_PROCESS_INFO_OS_ID:
    if (process->isCore())
      return Unavailable;
    return give(size, value, amd_dbgapi_os_process_id_t(process->osPid()));
  case AMD_DBGAPI_PROCESS_INFO_CORE_STATE: {
    if (!value)
      return Invalid;
    if (size != sizeof(amd_dbgapi_core_state_data_t))
      return Incompatible;
    if (!process->frozen)
      return AMD_DBGAPI_STATUS_ERROR_PROCESS_NOT_FROZEN;
    std::vector<uint8_t> note;
    if (Status status = process->coreState(note))
      return status;
    void *copy = allocate(note.size());
    if (!copy)
      return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
    memcpy(copy, note.data(), note.size());
    return give(size, value,
                amd_dbgapi_core_state_data_t{AMD_DBGAPI_ENDIAN_LITTLE,
                                             note.size(), copy});
  }
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_attach(amd_dbgapi_client_process_id_t client,
                          amd_dbgapi_process_id_t *id) {
  NEEDS_LIBRARY();
  if (!id)
    return Invalid;
  *id = AMD_DBGAPI_PROCESS_NONE;
  for (auto &entry : library().processes)
    if (entry.second->client == client)
      return AMD_DBGAPI_STATUS_ERROR_ALREADY_ATTACHED;
  const uint64_t number = library().newId(Library::ProcessId);
  auto process = std::make_unique<Process>(number, client);
  if (Status status = process->attach()) {
    process->detach();
    return status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ||
                   status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS
               ? AMD_DBGAPI_STATUS_FATAL
               : status;
  }
  library().processes[number] = std::move(process);
  id->handle = number;
  return Success;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_detach(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  process->detach();
  library().processes.erase(id.handle);
  return Success;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_set_progress(amd_dbgapi_process_id_t id,
                                amd_dbgapi_progress_t progress) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (progress != AMD_DBGAPI_PROGRESS_NORMAL &&
      progress != AMD_DBGAPI_PROGRESS_NO_FORWARD)
    return Invalid;
  return process->setProgress(progress);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_set_wave_creation(amd_dbgapi_process_id_t id,
                                     amd_dbgapi_wave_creation_t creation) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (creation != AMD_DBGAPI_WAVE_CREATION_NORMAL &&
      creation != AMD_DBGAPI_WAVE_CREATION_STOP)
    return Invalid;
  return process->setWaveCreation(creation);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_freeze(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  return process ? process->freeze()
                 : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_unfreeze(amd_dbgapi_process_id_t id) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  return process ? process->unfreeze()
                 : AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
}

//===-- Code objects, agents, queues --------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_code_object_get_info(
    amd_dbgapi_code_object_id_t id, amd_dbgapi_code_object_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<CodeObject> found =
      findIn<CodeObject>(id.handle, &Process::codeObjects);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CODE_OBJECT_ID;
  switch (query) {
  case AMD_DBGAPI_CODE_OBJECT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_CODE_OBJECT_INFO_URI_NAME:
    return giveString(size, value, found.object->uri);
  case AMD_DBGAPI_CODE_OBJECT_INFO_LOAD_ADDRESS:
    return give(size, value, found.object->bias);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_code_object_list(
    amd_dbgapi_process_id_t id, size_t *count,
    amd_dbgapi_code_object_id_t **list, amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::codeObjects, CodeObjectList, false, count,
                     list, changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_agent_get_info(amd_dbgapi_agent_id_t id,
                          amd_dbgapi_agent_info_t query, size_t size,
                          void *value) {
  NEEDS_LIBRARY();
  Found<Agent> found = findIn<Agent>(id.handle, &Process::agents);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_AGENT_ID;
  const Agent &agent = *found.object;
  const wavelane::kfd::DeviceSnapshotEntry &e = agent.entry;
  switch (query) {
  case AMD_DBGAPI_AGENT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_AGENT_INFO_NAME: {
    std::string name = "AMD GPU";
    if (agent.known)
      name += std::string(" ") + allArchitectures()[agent.archIndex].arch->name;
    return giveString(size, value, name);
  }
  case AMD_DBGAPI_AGENT_INFO_ARCHITECTURE:
    if (!agent.known)
      return Unavailable;
    return give(size, value, archHandle(agent));
  case AMD_DBGAPI_AGENT_INFO_STATE:
    return give(size, value,
                agent.supported ? AMD_DBGAPI_AGENT_STATE_SUPPORTED
                                : AMD_DBGAPI_AGENT_STATE_NOT_SUPPORTED);
  case AMD_DBGAPI_AGENT_INFO_PCI_DOMAIN:
    return give(size, value, uint16_t(e.location_id >> 16));
  case AMD_DBGAPI_AGENT_INFO_PCI_SLOT:
    return give(size, value, uint16_t(e.location_id));
  case AMD_DBGAPI_AGENT_INFO_PCI_VENDOR_ID:
    return give(size, value, e.vendor_id);
  case AMD_DBGAPI_AGENT_INFO_PCI_DEVICE_ID:
    return give(size, value, e.device_id);
  case AMD_DBGAPI_AGENT_INFO_EXECUTION_UNIT_COUNT:
    return give(size, value, size_t(e.simd_count));
  case AMD_DBGAPI_AGENT_INFO_MAX_WAVES_PER_EXECUTION_UNIT:
    return give(size, value, size_t(e.max_waves_per_simd));
  case AMD_DBGAPI_AGENT_INFO_OS_ID:
    return give(size, value, amd_dbgapi_os_agent_id_t(e.gpu_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_agent_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_agent_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::agents, AgentList, false, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_queue_get_info(amd_dbgapi_queue_id_t id,
                          amd_dbgapi_queue_info_t query, size_t size,
                          void *value) {
  NEEDS_LIBRARY();
  Found<Queue> found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &queue = *found.object;
  switch (query) {
  case AMD_DBGAPI_QUEUE_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{queue.agent->id});
  case AMD_DBGAPI_QUEUE_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_QUEUE_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*queue.agent));
  case AMD_DBGAPI_QUEUE_INFO_TYPE: {
    static constexpr amd_dbgapi_os_queue_type_t Types[] = {
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_PM4, AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA,
        AMD_DBGAPI_OS_QUEUE_TYPE_HSA_AQL,
        AMD_DBGAPI_OS_QUEUE_TYPE_AMD_SDMA_XGMI};
    return give(size, value,
                queue.entry.queue_type < std::size(Types)
                    ? Types[queue.entry.queue_type]
                    : AMD_DBGAPI_OS_QUEUE_TYPE_UNKNOWN);
  }
  case AMD_DBGAPI_QUEUE_INFO_STATE:
  case AMD_DBGAPI_QUEUE_INFO_ERROR_REASON:
    return AMD_DBGAPI_STATUS_ERROR_NOT_IMPLEMENTED;
  case AMD_DBGAPI_QUEUE_INFO_ADDRESS:
    return give(size, value,
                amd_dbgapi_global_address_t(queue.entry.ring_base_address));
  case AMD_DBGAPI_QUEUE_INFO_SIZE:
    return give(size, value, amd_dbgapi_size_t(queue.entry.ring_size));
  case AMD_DBGAPI_QUEUE_INFO_OS_ID:
    return give(size, value, amd_dbgapi_os_queue_id_t(queue.entry.queue_id));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_queue_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_queue_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::queues, QueueList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_queue_packet_list(
    amd_dbgapi_queue_id_t id, amd_dbgapi_os_queue_packet_id_t *readId,
    amd_dbgapi_os_queue_packet_id_t *writeId, size_t *size, void **bytes) {
  NEEDS_LIBRARY();
  Found<Queue> found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  if (!readId || !writeId || !size)
    return Invalid;
  Suspended scope(*found.process);
  if (scope.status)
    return scope.status;
  found = findIn<Queue>(id.handle, &Process::queues);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_QUEUE_ID;
  const Queue &queue = *found.object;
  if (!queue.isCompute())
    return AMD_DBGAPI_STATUS_ERROR_NOT_SUPPORTED;
  uint64_t from = 0, to = 0;
  Process &process = *found.process;
  if (Status status = process.readAll(queue.entry.read_pointer_address, &from, 8))
    return status;
  if (Status status = process.readAll(queue.entry.write_pointer_address, &to, 8))
    return status;
  const uint64_t room = queue.entry.ring_size / 64;
  if (!room || to < from || to - from > room)
    return AMD_DBGAPI_STATUS_ERROR;
  std::vector<uint8_t> packets((to - from) * 64);
  if (bytes) {
    for (uint64_t i = from; i < to; ++i)
      if (Status status = process.readAll(
              queue.entry.ring_base_address + i % room * 64,
              packets.data() + (i - from) * 64, 64))
        return status;
    *bytes = nullptr;
    if (!packets.empty())
      if (Status status = giveBytes(sizeof(void *), bytes, packets.data(),
                                    packets.size()))
        return status;
  }
  *readId = from;
  *writeId = to;
  *size = packets.size();
  return Success;
}

//===-- Dispatches, work-groups, waves ------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_dispatch_get_info(amd_dbgapi_dispatch_id_t id,
                             amd_dbgapi_dispatch_info_t query, size_t size,
                             void *value) {
  NEEDS_LIBRARY();
  Found<Dispatch> found = findIn<Dispatch>(id.handle, &Process::dispatches);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  const Dispatch &dispatch = *found.object;
  auto word = [&](unsigned at, auto &to) {
    memcpy(&to, dispatch.packet + at, sizeof(to));
  };
  uint16_t header = 0, setup = 0, groups[3];
  uint32_t grid[3], privateSize, groupSize;
  uint64_t kernel, arguments, completion;
  word(0, header), word(2, setup), word(4, groups), word(12, grid);
  word(24, privateSize), word(28, groupSize), word(32, kernel);
  word(40, arguments), word(56, completion);
  switch (query) {
  case AMD_DBGAPI_DISPATCH_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{dispatch.queue->id});
  case AMD_DBGAPI_DISPATCH_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{dispatch.queue->agent->id});
  case AMD_DBGAPI_DISPATCH_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_DISPATCH_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*dispatch.queue->agent));
  case AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID:
    return give(size, value,
                amd_dbgapi_os_queue_packet_id_t(dispatch.packetId));
  case AMD_DBGAPI_DISPATCH_INFO_BARRIER:
    return give(size, value,
                header & 1 << 8 ? AMD_DBGAPI_DISPATCH_BARRIER_PRESENT
                                : AMD_DBGAPI_DISPATCH_BARRIER_NONE);
  case AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE:
    return give(size, value,
                amd_dbgapi_dispatch_fence_scope_t(header >> 9 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE:
    return give(size, value,
                amd_dbgapi_dispatch_fence_scope_t(header >> 11 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS:
    return give(size, value, uint32_t(setup & 3));
  case AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES:
    return give(size, value, groups);
  case AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES:
    return give(size, value, grid);
  case AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE:
    return give(size, value, amd_dbgapi_size_t(privateSize));
  case AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE:
    return give(size, value, amd_dbgapi_size_t(groupSize));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(arguments));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(kernel));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS: {
    int64_t offset = 0;
    if (Status status = found.process->readAll(kernel + 16, &offset, 8))
      return status;
    return give(size, value, amd_dbgapi_global_address_t(kernel + offset));
  }
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS:
    return give(size, value, amd_dbgapi_global_address_t(completion));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_dispatch_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_dispatch_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::dispatches, DispatchList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_workgroup_get_info(amd_dbgapi_workgroup_id_t id,
                              amd_dbgapi_workgroup_info_t query, size_t size,
                              void *value) {
  NEEDS_LIBRARY();
  Found<Workgroup> found = findIn<Workgroup>(id.handle, &Process::groups);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WORKGROUP_ID;
  const Workgroup &group = *found.object;
  switch (query) {
  case AMD_DBGAPI_WORKGROUP_INFO_DISPATCH:
    if (!group.dispatch)
      return Unavailable;
    return give(size, value, amd_dbgapi_dispatch_id_t{group.dispatch->id});
  case AMD_DBGAPI_WORKGROUP_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{group.queue->id});
  case AMD_DBGAPI_WORKGROUP_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{group.queue->agent->id});
  case AMD_DBGAPI_WORKGROUP_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_WORKGROUP_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*group.queue->agent));
  case AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD:
    if (!group.dispatch)
      return Unavailable;
    return give(size, value, group.coordinates);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_workgroup_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_workgroup_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::groups, WorkgroupList, true, count, list,
                     changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_get_info(amd_dbgapi_wave_id_t id, amd_dbgapi_wave_info_t query,
                         size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const Wave &wave = *found.object;
  Process &process = *found.process;
  // For the client a wave is stopped once its event has been fetched.
  const bool stopped =
      wave.state == AMD_DBGAPI_WAVE_STATE_STOP && wave.reported;
  switch (query) {
  case AMD_DBGAPI_WAVE_INFO_STATE:
    return give(size, value,
                stopped ? AMD_DBGAPI_WAVE_STATE_STOP
                : wave.state == AMD_DBGAPI_WAVE_STATE_STOP
                    ? AMD_DBGAPI_WAVE_STATE_RUN
                    : wave.state);
  case AMD_DBGAPI_WAVE_INFO_STOP_REASON:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, amd_dbgapi_wave_stop_reasons_t(wave.reasons));
  case AMD_DBGAPI_WAVE_INFO_WATCHPOINTS: {
    if (!value)
      return Invalid;
    if (size != sizeof(amd_dbgapi_watchpoint_list_t))
      return Incompatible;
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    std::vector<uint64_t> ids;
    for (auto &entry : process.watchpoints) {
      auto hardware =
          entry.second->hardware.find(wave.queue->agent->entry.gpu_id);
      if (hardware != entry.second->hardware.end() &&
          hardware->second < 32 && wave.watches >> hardware->second & 1)
        ids.push_back(entry.first);
    }
    amd_dbgapi_watchpoint_list_t list = {};
    if (Status status = giveList(&list.count, &list.watchpoint_ids, ids))
      return status;
    return give(size, value, list);
  }
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP:
    return give(size, value, amd_dbgapi_workgroup_id_t{wave.group->id});
  case AMD_DBGAPI_WAVE_INFO_DISPATCH:
    if (!wave.group->dispatch)
      return Unavailable;
    return give(size, value,
                amd_dbgapi_dispatch_id_t{wave.group->dispatch->id});
  case AMD_DBGAPI_WAVE_INFO_QUEUE:
    return give(size, value, amd_dbgapi_queue_id_t{wave.queue->id});
  case AMD_DBGAPI_WAVE_INFO_AGENT:
    return give(size, value, amd_dbgapi_agent_id_t{wave.queue->agent->id});
  case AMD_DBGAPI_WAVE_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{process.id});
  case AMD_DBGAPI_WAVE_INFO_ARCHITECTURE:
    return give(size, value, archHandle(*wave.queue->agent));
  case AMD_DBGAPI_WAVE_INFO_PC:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, amd_dbgapi_global_address_t(process.pc(wave)));
  case AMD_DBGAPI_WAVE_INFO_EXEC_MASK:
    if (!stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(size, value, process.exec(wave));
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD:
    if (!wave.identified)
      return Unavailable;
    return give(size, value, wave.group->coordinates);
  case AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP:
    if (!wave.identified)
      return Unavailable;
    return give(size, value, wave.indexInGroup);
  case AMD_DBGAPI_WAVE_INFO_LANE_COUNT:
    return give(size, value, size_t(wave.record.shape.lanes));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_wave_list(
    amd_dbgapi_process_id_t id, size_t *count, amd_dbgapi_wave_id_t **list,
    amd_dbgapi_changed_t *changed) {
  return processList(id, &Process::waves, WaveList, true, count, list, changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_stop(amd_dbgapi_wave_id_t id) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  return found.process->stopWave(id.handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_resume(amd_dbgapi_wave_id_t id, amd_dbgapi_resume_mode_t mode,
                       amd_dbgapi_exceptions_t exceptions) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if ((mode != AMD_DBGAPI_RESUME_MODE_NORMAL &&
       mode != AMD_DBGAPI_RESUME_MODE_SINGLE_STEP) ||
      uint32_t(exceptions) & ~0x3fu)
    return Invalid;
  return found.process->resumeWave(id.handle, mode, uint32_t(exceptions));
}

//===-- Displaced stepping ------------------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_get_info(
    amd_dbgapi_displaced_stepping_id_t id,
    amd_dbgapi_displaced_stepping_info_t query, size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<DisplacedStep> found =
      findIn<DisplacedStep>(id.handle, &Process::steps);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (query == AMD_DBGAPI_DISPLACED_STEPPING_INFO_PROCESS)
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_start(
    amd_dbgapi_wave_id_t id, const void *saved,
    amd_dbgapi_displaced_stepping_id_t *step) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!saved || !step)
    return Invalid;
  return found.process->startDisplaced(id.handle, saved, step->handle);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_complete(
    amd_dbgapi_wave_id_t id, amd_dbgapi_displaced_stepping_id_t step) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Found<DisplacedStep> object =
      findIn<DisplacedStep>(step.handle, &Process::steps);
  if (!object.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  return found.process->completeDisplaced(id.handle, *object.object);
}

//===-- Watchpoints and precision -----------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_watchpoint_get_info(
    amd_dbgapi_watchpoint_id_t id, amd_dbgapi_watchpoint_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  Found<Watchpoint> found =
      findIn<Watchpoint>(id.handle, &Process::watchpoints);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  switch (query) {
  case AMD_DBGAPI_WATCHPOINT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_WATCHPOINT_INFO_ADDRESS:
    return give(size, value,
                amd_dbgapi_global_address_t(found.object->address));
  case AMD_DBGAPI_WATCHPOINT_INFO_SIZE:
    return give(size, value, amd_dbgapi_size_t(found.object->size));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_watchpoint(
    amd_dbgapi_process_id_t id, amd_dbgapi_global_address_t address,
    amd_dbgapi_size_t size, amd_dbgapi_watchpoint_kind_t kind,
    amd_dbgapi_watchpoint_id_t *watchpoint) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!watchpoint || !size || kind < AMD_DBGAPI_WATCHPOINT_KIND_LOAD ||
      kind > AMD_DBGAPI_WATCHPOINT_KIND_ALL)
    return Invalid;
  return process->setWatchpoint(address, size, kind, watchpoint->handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_remove_watchpoint(amd_dbgapi_watchpoint_id_t id) {
  NEEDS_LIBRARY();
  Found<Watchpoint> found =
      findIn<Watchpoint>(id.handle, &Process::watchpoints);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WATCHPOINT_ID;
  return found.process->removeWatchpoint(id.handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_set_memory_precision(amd_dbgapi_process_id_t id,
                                amd_dbgapi_memory_precision_t precision) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (precision != AMD_DBGAPI_MEMORY_PRECISION_NONE &&
      precision != AMD_DBGAPI_MEMORY_PRECISION_PRECISE)
    return Invalid;
  return process->setPrecision(wavelane::kfd::SingleMemoryOperation,
                               precision == AMD_DBGAPI_MEMORY_PRECISION_PRECISE);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_set_alu_exceptions_precision(
    amd_dbgapi_process_id_t id,
    amd_dbgapi_alu_exceptions_precision_t precision) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_NONE &&
      precision != AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE)
    return Invalid;
  return process->setPrecision(
      wavelane::kfd::SingleAluOperation,
      precision == AMD_DBGAPI_ALU_EXCEPTIONS_PRECISION_PRECISE);
}

//===-- Registers ---------------------------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_class_get_info(
    amd_dbgapi_register_class_id_t id, amd_dbgapi_register_class_info_t query,
    size_t size, void *value) {
  NEEDS_LIBRARY();
  unsigned index;
  const ArchitectureInfo *info = partOwner(id.handle, index);
  if (!info || index >= RegisterClassCount)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_CLASS_ID;
  switch (query) {
  case AMD_DBGAPI_REGISTER_CLASS_INFO_ARCHITECTURE:
    return give(size, value, handleOf(*info));
  case AMD_DBGAPI_REGISTER_CLASS_INFO_NAME:
    return giveString(size, value, RegisterClassNames[index]);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_class_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_register_class_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < RegisterClassCount; ++i)
    ids.push_back(partHandle(*info, i));
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_register_get_info(amd_dbgapi_register_id_t id,
                             amd_dbgapi_register_info_t query, size_t size,
                             void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info;
  const Register *reg = findRegister(id, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  switch (query) {
  case AMD_DBGAPI_REGISTER_INFO_ARCHITECTURE:
    return give(size, value, handleOf(*info));
  case AMD_DBGAPI_REGISTER_INFO_NAME:
    return giveString(size, value, reg->name);
  case AMD_DBGAPI_REGISTER_INFO_SIZE:
    return give(size, value, amd_dbgapi_size_t(reg->size));
  case AMD_DBGAPI_REGISTER_INFO_TYPE:
    return giveString(size, value, reg->type);
  case AMD_DBGAPI_REGISTER_INFO_DWARF:
    if (reg->dwarf < 0)
      return Unavailable;
    return give(size, value, uint64_t(reg->dwarf));
  case AMD_DBGAPI_REGISTER_INFO_PROPERTIES:
    return give(size, value, amd_dbgapi_register_properties_t(reg->properties));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_register_exists(amd_dbgapi_wave_id_t id,
                                amd_dbgapi_register_id_t registerId,
                                amd_dbgapi_register_exists_t *exists) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *info;
  const Register *reg = findRegister(registerId, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!exists)
    return Invalid;
  if (info != &found.process->archOf(*found.object))
    return Incompatible;
  *exists = found.process->exists(*found.object, *reg)
                ? AMD_DBGAPI_REGISTER_PRESENT
                : AMD_DBGAPI_REGISTER_ABSENT;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_register_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < info->registers.size(); ++i)
    ids.push_back(partHandle(*info, i));
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_register_list(amd_dbgapi_wave_id_t id, size_t *count,
                              amd_dbgapi_register_id_t **list) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo &info = found.process->archOf(*found.object);
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < info.registers.size(); ++i)
    if (found.process->exists(*found.object, info.registers[i]))
      ids.push_back(partHandle(info, i));
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_register_to_register(
    amd_dbgapi_architecture_id_t id, uint64_t dwarf,
    amd_dbgapi_register_id_t *reg) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!reg)
    return Invalid;
  auto found = info->byDwarf.find(dwarf);
  if (found == info->byDwarf.end())
    return Incompatible;
  reg->handle = partHandle(*info, found->second);
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_register_is_in_register_class(
    amd_dbgapi_register_class_id_t classId, amd_dbgapi_register_id_t registerId,
    amd_dbgapi_register_class_state_t *state) {
  NEEDS_LIBRARY();
  unsigned index;
  const ArchitectureInfo *owner = partOwner(classId.handle, index);
  if (!owner || index >= RegisterClassCount)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_CLASS_ID;
  const ArchitectureInfo *info;
  const Register *reg = findRegister(registerId, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!state)
    return Invalid;
  if (info != owner)
    return Incompatible;
  *state = reg->classes >> index & 1 ? AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER
                                     : AMD_DBGAPI_REGISTER_CLASS_STATE_NOT_MEMBER;
  return Success;
}

/// What read_register and write_register check alike.
static Status checkRegister(amd_dbgapi_wave_id_t id,
                            amd_dbgapi_register_id_t registerId,
                            amd_dbgapi_size_t offset, amd_dbgapi_size_t size,
                            const void *value, Found<Wave> &wave,
                            const Register *&reg) {
  NEEDS_LIBRARY();
  wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *info;
  reg = findRegister(registerId, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!value || !size)
    return Invalid;
  if (info != &wave.process->archOf(*wave.object))
    return Incompatible;
  if (offset > reg->size || size > reg->size - offset)
    return Incompatible;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_read_register(
    amd_dbgapi_wave_id_t id, amd_dbgapi_register_id_t registerId,
    amd_dbgapi_size_t offset, amd_dbgapi_size_t size, void *value) {
  Found<Wave> wave;
  const Register *reg;
  if (Status status =
          checkRegister(id, registerId, offset, size, value, wave, reg))
    return status;
  return wave.process->readRegister(id.handle, *reg, offset, size, value);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_write_register(
    amd_dbgapi_wave_id_t id, amd_dbgapi_register_id_t registerId,
    amd_dbgapi_size_t offset, amd_dbgapi_size_t size, const void *value) {
  Found<Wave> wave;
  const Register *reg;
  if (Status status =
          checkRegister(id, registerId, offset, size, value, wave, reg))
    return status;
  return wave.process->writeRegister(id.handle, *reg, offset, size, value);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_prefetch_register(amd_dbgapi_wave_id_t id,
                             amd_dbgapi_register_id_t registerId,
                             amd_dbgapi_size_t count) {
  NEEDS_LIBRARY();
  if (!find(id).object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *info;
  const Register *reg = findRegister(registerId, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (count > info->registers.size() -
                  size_t(reg - info->registers.data()))
    return Incompatible;
  return Success; // registers are read where they stand: nothing to gain
}

//===-- Address classes and spaces ----------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_address_class_get_info(amd_dbgapi_address_class_id_t id,
                                  amd_dbgapi_address_class_info_t query,
                                  size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const ClassInfo *info = find(id, owner);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  switch (query) {
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_NAME:
    return giveString(size, value, info->name);
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_ADDRESS_SPACE:
    return give(size, value, spaceHandle(*owner, info->space));
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_DWARF:
    return give(size, value, info->dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_class_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_address_class_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < ClassCount; ++i)
    ids.push_back(partHandle(*info, i));
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_class_to_address_class(
    amd_dbgapi_architecture_id_t id, uint64_t dwarf,
    amd_dbgapi_address_class_id_t *result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!result)
    return Invalid;
  for (unsigned i = 0; i < ClassCount; ++i)
    if (Classes[i].dwarf == dwarf) {
      result->handle = partHandle(*info, i);
      return Success;
    }
  return Incompatible;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_address_space_get_info(amd_dbgapi_address_space_id_t id,
                                  amd_dbgapi_address_space_info_t query,
                                  size_t size, void *value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const SpaceInfo *info = find(id, owner);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  switch (query) {
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME:
    return giveString(size, value, info->name);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE:
    return give(size, value, amd_dbgapi_size_t(info->bits));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS:
    return give(size, value, amd_dbgapi_segment_address_t(info->null));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ACCESS:
    return give(size, value, AMD_DBGAPI_ADDRESS_SPACE_ACCESS_ALL);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF:
    return give(size, value, info->dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_space_list(
    amd_dbgapi_architecture_id_t id, size_t *count,
    amd_dbgapi_address_space_id_t **list) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> ids;
  for (unsigned i = 0; i < SpaceCount; ++i)
    ids.push_back(spaceHandle(*info, i).handle);
  return giveList(count, list, ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_space_to_address_space(
    amd_dbgapi_architecture_id_t id, uint64_t dwarf,
    amd_dbgapi_address_space_id_t *result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *info = find(id);
  if (!info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!result)
    return Invalid;
  for (unsigned i = 0; i < SpaceCount; ++i)
    if (Spaces[i].dwarf == dwarf) {
      *result = spaceHandle(*info, i);
      return Success;
    }
  return Incompatible;
}

namespace {

constexpr uint64_t Apertures = uint64_t(0xffff) << 48;

/// An address without generic: apertures lead to local and private_lane.
struct Lowered {
  Process::Space space;
  uint64_t address;
};
Lowered lower(const SpaceInfo &space, uint64_t address) {
  if (space.dwarf != Process::Generic)
    return {Process::Space(space.dwarf),
            space.bits == 32 ? address & 0xffffffff : address};
  if ((address & Apertures) == wavelane::simulator::LocalAperture)
    return {Process::Local, address & 0xffffffff};
  if ((address & Apertures) == wavelane::simulator::PrivateAperture)
    return {Process::PrivateLane, address & 0xffffffff};
  return {Process::Global, address};
}

} // namespace

EXPORT amd_dbgapi_status_t amd_dbgapi_convert_address_space(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane,
    amd_dbgapi_address_space_id_t fromId, amd_dbgapi_segment_address_t address,
    amd_dbgapi_address_space_id_t toId, amd_dbgapi_segment_address_t *result,
    amd_dbgapi_size_t *contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!result || !contiguous)
    return Invalid;
  const unsigned lanes = wave.object->record.shape.lanes;
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *fromOwner, *toOwner;
  const SpaceInfo *from = find(fromId, fromOwner);
  const SpaceInfo *to = find(toId, toOwner);
  if (!from || !to)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ArchitectureInfo *own = &wave.process->archOf(*wave.object);
  if ((fromOwner && fromOwner != own) || (toOwner && toOwner != own))
    return Incompatible;
  const Status impossible =
      AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION;
  const uint64_t all = std::numeric_limits<uint64_t>::max();

  if (from == to) {
    *result = address;
    *contiguous = from->bits == 32 ? (uint64_t(1) << 32) - address
                                   : address ? all - address + 1 : all;
    return Success;
  }
  // Null is null everywhere.
  if (address == from->null) {
    *result = to->null;
    *contiguous = 1;
    return Success;
  }
  const Lowered low = lower(*from, address);
  const uint64_t room = low.space == Process::Global
                            ? all - address
                            : (uint64_t(1) << 32) - low.address;
  if (to->dwarf == Process::Generic) {
    switch (low.space) {
    case Process::Global: {
      const uint64_t top = address & Apertures;
      if (top == wavelane::simulator::LocalAperture ||
          top == wavelane::simulator::PrivateAperture)
        return impossible;
      *result = address;
      *contiguous = top ? all - address
                        : wavelane::simulator::LocalAperture - address;
      return Success;
    }
    case Process::Local:
      *result = wavelane::simulator::LocalAperture | low.address;
      *contiguous = room;
      return Success;
    case Process::PrivateLane:
      *result = wavelane::simulator::PrivateAperture | low.address;
      *contiguous = room;
      return Success;
    default:
      return impossible;
    }
  }
  if (low.space == Process::Space(to->dwarf)) {
    *result = low.address;
    *contiguous = room;
    return Success;
  }
  if (low.space == Process::PrivateLane && to->dwarf == Process::PrivateWave) {
    if (lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    *result = low.address / 4 * lanes * 4 + lane * 4 + low.address % 4;
    *contiguous = 4 - low.address % 4;
    return Success;
  }
  if (low.space == Process::PrivateWave && to->dwarf == Process::PrivateLane) {
    // Only where the word is this lane's.
    if (lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    if (low.address / 4 % lanes != lane)
      return impossible;
    *result = low.address / (lanes * 4) * 4 + low.address % 4;
    *contiguous = 4 - low.address % 4;
    return Success;
  }
  return impossible;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_dependency(
    amd_dbgapi_address_space_id_t id, amd_dbgapi_segment_address_t address,
    amd_dbgapi_segment_address_dependency_t *dependency) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *owner;
  const SpaceInfo *space = find(id, owner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  if (!dependency)
    return Invalid;
  const Lowered low = lower(*space, address);
  for (const SpaceInfo &candidate : Spaces)
    if (candidate.dwarf == uint64_t(low.space))
      *dependency = candidate.dependency;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_is_in_address_class(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane,
    amd_dbgapi_address_space_id_t spaceId, amd_dbgapi_segment_address_t address,
    amd_dbgapi_address_class_id_t classId,
    amd_dbgapi_address_class_state_t *state) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (lane != AMD_DBGAPI_LANE_NONE && lane >= wave.object->record.shape.lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *spaceOwner, *classOwner;
  const SpaceInfo *space = find(spaceId, spaceOwner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ClassInfo *addressClass = find(classId, classOwner);
  if (!addressClass)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  if (!state)
    return Invalid;
  const ArchitectureInfo *own = &wave.process->archOf(*wave.object);
  if (classOwner != own || (spaceOwner && spaceOwner != own))
    return Incompatible;
  const uint64_t wanted = Spaces[addressClass->space].dwarf;
  const bool member = wanted == space->dwarf ||
                      wanted == uint64_t(lower(*space, address).space);
  *state = member ? AMD_DBGAPI_ADDRESS_CLASS_STATE_MEMBER
                  : AMD_DBGAPI_ADDRESS_CLASS_STATE_NOT_MEMBER;
  return Success;
}

//===-- Memory ------------------------------------------------------------===//

static Status transferMemory(amd_dbgapi_process_id_t id,
                             amd_dbgapi_wave_id_t waveId,
                             amd_dbgapi_lane_id_t lane,
                             amd_dbgapi_address_space_id_t spaceId,
                             amd_dbgapi_segment_address_t address,
                             amd_dbgapi_size_t *size, void *read,
                             const void *write) {
  NEEDS_LIBRARY();
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!size || (!read && !write))
    return Invalid;
  const ArchitectureInfo *owner;
  const SpaceInfo *space = find(spaceId, owner);
  if (!space)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  Wave *wave = nullptr;
  if (waveId.handle) {
    Found<Wave> found = find(waveId);
    if (!found.object || found.process != process)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
    wave = found.object;
    if (owner && owner != &process->archOf(*wave))
      return Incompatible;
    if (lane != AMD_DBGAPI_LANE_NONE && lane >= wave->record.shape.lanes)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  } else if (lane != AMD_DBGAPI_LANE_NONE) {
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  }
  const Lowered low = lower(*space, address);
  if (low.space == Process::Global) {
    uint64_t done = *size;
    if (Status status = process->limitToAllocated(low.address, done))
      return status;
    const Status status = process->transfer(low.address, done, read, write);
    *size = done;
    return status;
  }
  if (!wave)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (low.space == Process::PrivateLane && lane == AMD_DBGAPI_LANE_NONE)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  if (write && process->frozen)
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  uint64_t done = *size;
  const Status status = process->transferSegment(
      waveId.handle, lane, low.space, low.address, done, read, write);
  *size = done;
  return status;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_read_memory(
    amd_dbgapi_process_id_t id, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t space,
    amd_dbgapi_segment_address_t address, amd_dbgapi_size_t *size,
    void *value) {
  return transferMemory(id, wave, lane, space, address, size, value, nullptr);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_write_memory(
    amd_dbgapi_process_id_t id, amd_dbgapi_wave_id_t wave,
    amd_dbgapi_lane_id_t lane, amd_dbgapi_address_space_id_t space,
    amd_dbgapi_segment_address_t address, amd_dbgapi_size_t *size,
    const void *value) {
  return transferMemory(id, wave, lane, space, address, size, nullptr, value);
}

//===-- Events ------------------------------------------------------------===//

EXPORT amd_dbgapi_status_t
amd_dbgapi_process_next_pending_event(amd_dbgapi_process_id_t id,
                                      amd_dbgapi_event_id_t *eventId,
                                      amd_dbgapi_event_kind_t *kind) {
  NEEDS_LIBRARY();
  if (!eventId || !kind)
    return Invalid;
  Process *process = find(id);
  if (!process)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  Event *event = nullptr;
  if (Status status = process->nextEvent(event))
    return status;
  *eventId = {event ? event->id : 0};
  *kind = event ? event->kind : AMD_DBGAPI_EVENT_KIND_NONE;
  return Success;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_event_get_info(amd_dbgapi_event_id_t id,
                          amd_dbgapi_event_info_t query, size_t size,
                          void *value) {
  NEEDS_LIBRARY();
  Found<Event> found = findIn<Event>(id.handle, &Process::events);
  if (!found.object || !found.object->fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  const Event &event = *found.object;
  switch (query) {
  case AMD_DBGAPI_EVENT_INFO_PROCESS:
    return give(size, value, amd_dbgapi_process_id_t{found.process->id});
  case AMD_DBGAPI_EVENT_INFO_KIND:
    return give(size, value, event.kind);
  case AMD_DBGAPI_EVENT_INFO_WAVE:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_WAVE_STOP &&
        event.kind != AMD_DBGAPI_EVENT_KIND_WAVE_COMMAND_TERMINATED)
      return Incompatible;
    return give(size, value, amd_dbgapi_wave_id_t{event.wave});
  case AMD_DBGAPI_EVENT_INFO_BREAKPOINT:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(size, value, event.breakpoint);
  case AMD_DBGAPI_EVENT_INFO_CLIENT_THREAD:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_BREAKPOINT_RESUME)
      return Incompatible;
    return give(size, value, event.thread);
  case AMD_DBGAPI_EVENT_INFO_RUNTIME_STATE:
    if (event.kind != AMD_DBGAPI_EVENT_KIND_RUNTIME)
      return Incompatible;
    return give(size, value, event.runtime);
  case AMD_DBGAPI_EVENT_INFO_QUEUE:
    return Incompatible; // no event has one
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_event_processed(amd_dbgapi_event_id_t id) {
  NEEDS_LIBRARY();
  Found<Event> found = findIn<Event>(id.handle, &Process::events);
  if (!found.object || !found.object->fetched)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_EVENT_ID;
  return found.process->eventProcessed(*found.object);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_breakpoint_get_info(amd_dbgapi_breakpoint_id_t id,
                               amd_dbgapi_breakpoint_info_t query, size_t size,
                               void *value) {
  NEEDS_LIBRARY();
  for (auto &entry : library().processes)
    if (id.handle && entry.second->breakpoint == id.handle) {
      if (query != AMD_DBGAPI_BREAKPOINT_INFO_PROCESS)
        return Invalid;
      return give(size, value, amd_dbgapi_process_id_t{entry.second->id});
    }
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_report_breakpoint_hit(amd_dbgapi_breakpoint_id_t id,
                                 amd_dbgapi_client_thread_id_t thread,
                                 amd_dbgapi_breakpoint_action_t *action) {
  NEEDS_LIBRARY();
  if (!action)
    return Invalid;
  for (auto &entry : library().processes)
    if (id.handle && entry.second->breakpoint == id.handle)
      return entry.second->breakpointHit(thread, *action);
  return AMD_DBGAPI_STATUS_ERROR_INVALID_BREAKPOINT_ID;
}

//===-- Extensions --------------------------------------------------------===//

EXPORT amd_dbgapi_status_t
wavelane_dbgapi_stop_lanes(amd_dbgapi_wave_id_t id, uint64_t *lanes) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!lanes)
    return Invalid;
  if (wave.object->state != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  constexpr uint32_t WithLanes =
      AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT |
      AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0 |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION;
  if (wave.process->isCore() || !(wave.object->reasons & WithLanes))
    return Unavailable;
  const uint32_t *ttmps =
      wave.object->ttmps + wavelane::simulator::StopLanesTtmp;
  *lanes = ttmps[0] | uint64_t(ttmps[1]) << 32;
  return Success;
}

EXPORT amd_dbgapi_status_t
wavelane_dbgapi_dispatch_started(amd_dbgapi_dispatch_id_t id,
                                 uint64_t *workgroups) {
  NEEDS_LIBRARY();
  Found<Dispatch> dispatch = findIn<Dispatch>(id.handle, &Process::dispatches);
  if (!dispatch.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  if (!workgroups)
    return Invalid;
  // A queue has one dispatch at a time on this device.
  if (!dispatch.object->queue->startedGroups)
    return Unavailable;
  *workgroups = dispatch.object->queue->startedGroups;
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_watch_address(
    amd_dbgapi_wave_id_t id, amd_dbgapi_lane_id_t lane, int isLocal,
    uint64_t offset, uint64_t *address, uint64_t *contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> wave = find(id);
  if (!wave.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!address || !contiguous)
    return Invalid;
  const unsigned lanes = wave.object->record.shape.lanes;
  if (isLocal) {
    if (offset >= wave.object->group->ldsBytes)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    *address = wavelane::simulator::LocalAperture + offset;
    *contiguous = wave.object->group->ldsBytes - offset;
    return Success;
  }
  if (lane >= lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  std::optional<wavelane::savearea::ScratchSlot> slot =
      wave.process->scratch(*wave.object);
  if (!slot || offset >= slot->size / lanes)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  // Words of a lane are a wave's width apart.
  *address = slot->address + offset / 4 * lanes * 4 + uint64_t(lane) * 4 +
             offset % 4;
  *contiguous = 4 - offset % 4;
  return Success;
}
