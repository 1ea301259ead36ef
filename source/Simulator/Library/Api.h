//===-- Api.h - what the files with ROCdbgapi's functions share -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are checked there, then handles become objects of Process.h. The
// library says version 0.77.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_LIBRARY_API_H
#define WAVELANE_SIMULATOR_LIBRARY_API_H

#include "Process.h"
#include <cstring>
#include <type_traits>

#define EXPORT extern "C" __attribute__((visibility("default")))

#define NEEDS_LIBRARY()                                                        \
  if (!library().initialized)                                                  \
  return AMD_DBGAPI_STATUS_ERROR_NOT_INITIALIZED

namespace wavelane::library {

inline constexpr Status Invalid = AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
inline constexpr Status Incompatible =
    AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
inline constexpr Status Unavailable = AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;

//===-- Answers -----------------------------------------------------------===//

template <typename T> Status give(size_t size, void *value, const T &answer) {
  if (!value)
    return Invalid;
  if (size != sizeof(T))
    return Incompatible;
  memcpy(value, &answer, sizeof(T));
  return Success;
}

inline void *allocate(size_t size) {
  return library().callbacks.allocate_memory(size);
}

inline Status giveBytes(size_t size, void *value, const void *data,
                        size_t length) {
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

inline Status giveString(size_t size, void *value, const std::string &text) {
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

inline Process *find(amd_dbgapi_process_id_t id) {
  auto found = library().processes.find(id.handle);
  return found == library().processes.end() ? nullptr : found->second.get();
}

/// The object of a handle and its process.
template <typename T> struct Found {
  Process *process = nullptr;
  T *object = nullptr;
};
template <typename T>
Found<T> findIn(uint64_t handle, Table<T> Objects::*table) {
  for (auto &entry : library().processes) {
    auto &objects = (entry.second.get()->*table);
    auto found = objects.find(handle);
    if (found != objects.end())
      return {entry.second.get(), found->second.get()};
  }
  return {};
}

inline const ArchitectureInfo *find(amd_dbgapi_architecture_id_t id) {
  const auto &all = allArchitectures();
  return id.handle >= 1 && id.handle <= all.size() ? &all[id.handle - 1]
                                                   : nullptr;
}
inline amd_dbgapi_architecture_id_t handleOf(const ArchitectureInfo &info) {
  return {uint64_t(&info - allArchitectures().data()) + 1};
}
inline amd_dbgapi_architecture_id_t archHandle(const Agent &agent) {
  return {uint64_t(agent.archIndex) + 1};
}

// Handles of what architectures own: architecture, then the number in it.
inline constexpr unsigned ArchShift = 16;
inline uint64_t partHandle(const ArchitectureInfo &info, unsigned index) {
  return handleOf(info).handle << ArchShift | (index + 1);
}
inline const ArchitectureInfo *partOwner(uint64_t handle, unsigned &index) {
  const ArchitectureInfo *info =
      find(amd_dbgapi_architecture_id_t{handle >> ArchShift});
  index = unsigned(handle & 0xffff) - 1;
  return info && (handle & 0xffff) ? info : nullptr;
}
inline const Register *findRegister(amd_dbgapi_register_id_t id,
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
inline constexpr SpaceInfo Spaces[] = {
    {"global", Global, 64, 0, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS},
    {"generic", Generic, 64, 0, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS},
    {"private_wave", PrivateWave, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WAVE},
    {"private_lane", PrivateLane, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_LANE},
    {"local", Local, 32, 0xffffffff,
     AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WORKGROUP},
};
inline constexpr unsigned SpaceCount = 5, GlobalSpace = 0;
struct ClassInfo {
  const char *name;
  uint64_t dwarf;
  unsigned space; ///< in Spaces
};
inline constexpr ClassInfo Classes[] = {{"private", 4, 3},
                                        {"group", 3, 4},
                                        {"constant", 2, 0},
                                        {"global", 1, 0},
                                        {"none", 0, 1}};
inline constexpr unsigned ClassCount = 5;

/// GLOBAL belongs to no architecture and has handle 1.
inline amd_dbgapi_address_space_id_t spaceHandle(const ArchitectureInfo &info,
                                                 unsigned index) {
  if (index == GlobalSpace)
    return AMD_DBGAPI_ADDRESS_SPACE_GLOBAL;
  return {partHandle(info, index)};
}
/// \p owner is null for GLOBAL.
inline const SpaceInfo *find(amd_dbgapi_address_space_id_t id,
                             const ArchitectureInfo *&owner) {
  owner = nullptr;
  if (id.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle)
    return &Spaces[GlobalSpace];
  unsigned index;
  owner = partOwner(id.handle, index);
  return owner && index > GlobalSpace && index < SpaceCount ? &Spaces[index]
                                                            : nullptr;
}
inline const ClassInfo *find(amd_dbgapi_address_class_id_t id,
                             const ArchitectureInfo *&owner) {
  unsigned index;
  owner = partOwner(id.handle, index);
  return owner && index < ClassCount ? &Classes[index] : nullptr;
}

/// A visible wave.
inline Found<Wave> find(amd_dbgapi_wave_id_t id) {
  Found<Wave> found = findIn<Wave>(id.handle, &Process::waves);
  return found.object && found.object->visible() ? found : Found<Wave>();
}

template <typename T, typename Handle>
Status processList(amd_dbgapi_process_id_t id, Table<T> Objects::*table,
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

} // namespace wavelane::library

#endif // WAVELANE_SIMULATOR_LIBRARY_API_H
