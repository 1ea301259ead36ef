//===-- Api.h - what the files with ROCdbgapi's functions share -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Api*.cpp checks arguments, then converts handles to objects of Process.h. The
// library's version is 0.77.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGLIBRARY_API_H
#define WAVELANE_DEBUGLIBRARY_API_H

#include "Process.h"
#include <cstring>
#include <type_traits>

#define EXPORT extern "C" __attribute__((visibility("default")))

#define NEEDS_LIBRARY()                                                        \
  if (!library().Initialized)                                                  \
  return AMD_DBGAPI_STATUS_ERROR_NOT_INITIALIZED

namespace wavelane::library {

inline constexpr Status Invalid = AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT;
inline constexpr Status Incompatible =
    AMD_DBGAPI_STATUS_ERROR_INVALID_ARGUMENT_COMPATIBILITY;
inline constexpr Status Unavailable = AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE;

//===-- Answers -----------------------------------------------------------===//

template <typename T> Status give(size_t Size, void *Value, const T &Answer) {
  if (!Value)
    return Invalid;
  if (Size != sizeof(T))
    return Incompatible;
  memcpy(Value, &Answer, sizeof(T));
  return Success;
}

inline void *allocate(size_t Size) {
  return library().Callbacks.allocate_memory(Size);
}

inline Status giveBytes(size_t Size, void *Value, const void *Data,
                        size_t Length) {
  if (!Value)
    return Invalid;
  if (Size != sizeof(void *))
    return Incompatible;
  void *Copy = allocate(Length);
  if (!Copy)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  memcpy(Copy, Data, Length);
  memcpy(Value, &Copy, sizeof(Copy));
  return Success;
}

inline Status giveString(size_t Size, void *Value, const std::string &Text) {
  return giveBytes(Size, Value, Text.c_str(), Text.size() + 1);
}

template <typename Handle>
Status giveList(size_t *Count, Handle **List,
                const std::vector<uint64_t> &Ids) {
  if (!Count || !List)
    return Invalid;
  Handle *Items = nullptr;
  if (!Ids.empty()) {
    Items = static_cast<Handle *>(allocate(Ids.size() * sizeof(Handle)));
    if (!Items)
      return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
    for (size_t I = 0; I < Ids.size(); ++I)
      Items[I].handle = Ids[I];
  }
  *Count = Ids.size();
  *List = Items;
  return Success;
}

//===-- Handles -----------------------------------------------------------===//

inline Process *find(amd_dbgapi_process_id_t Id) {
  auto Match = library().Processes.find(Id.handle);
  return Match == library().Processes.end() ? nullptr : Match->second.get();
}

/// The object of a handle, and its process.
template <typename T> struct Found {
  Process *Proc = nullptr;
  T *Object = nullptr;
};
template <typename T>
Found<T> findIn(uint64_t TheHandle, Table<T> Objects::*Rows) {
  for (auto &Entry : library().Processes) {
    auto &List = (Entry.second.get()->*Rows);
    auto Match = List.find(TheHandle);
    if (Match != List.end())
      return {Entry.second.get(), Match->second.get()};
  }
  return {};
}

inline const ArchitectureInfo *find(amd_dbgapi_architecture_id_t Id) {
  const auto &All = allArchitectures();
  return Id.handle >= 1 && Id.handle <= All.size() ? &All[Id.handle - 1]
                                                   : nullptr;
}
inline amd_dbgapi_architecture_id_t handleOf(const ArchitectureInfo &Info) {
  return {uint64_t(&Info - allArchitectures().data()) + 1};
}
inline amd_dbgapi_architecture_id_t archHandle(const Agent &A) {
  return {uint64_t(A.ArchIndex) + 1};
}

// Handles of an architecture's objects: the architecture, then the number in
// it.
inline constexpr unsigned ArchShift = 16;
inline uint64_t partHandle(const ArchitectureInfo &Info, unsigned Index) {
  return handleOf(Info).handle << ArchShift | (Index + 1);
}
inline const ArchitectureInfo *partOwner(uint64_t TheHandle, unsigned &Index) {
  const ArchitectureInfo *Info =
      find(amd_dbgapi_architecture_id_t{TheHandle >> ArchShift});
  Index = unsigned(TheHandle & 0xffff) - 1;
  return Info && (TheHandle & 0xffff) ? Info : nullptr;
}
inline const Register *findRegister(amd_dbgapi_register_id_t Id,
                                    const ArchitectureInfo *&Info) {
  unsigned Index;
  Info = partOwner(Id.handle, Index);
  if (!Info || Index >= Info->Registers.size())
    return nullptr;
  return &Info->Registers[Index];
}

/// Address spaces, in the order in which they are listed.
struct SpaceInfo {
  const char *Name;
  uint64_t Dwarf, Bits, Null;
  amd_dbgapi_segment_address_dependency_t Dependency;
};
constexpr SpaceInfo spaceInfo(uint64_t Number,
                              amd_dbgapi_segment_address_dependency_t Of) {
  const gpu::AddressSpace &S = *gpu::findSpace(Number);
  return {S.Name, S.Number, S.Bits, S.Null, Of};
}
inline constexpr SpaceInfo Spaces[] = {
    spaceInfo(Global, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS),
    spaceInfo(Generic, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_PROCESS),
    spaceInfo(PrivateWave, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WAVE),
    spaceInfo(PrivateLane, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_LANE),
    spaceInfo(Local, AMD_DBGAPI_SEGMENT_ADDRESS_DEPENDENCE_WORKGROUP),
};
inline constexpr unsigned SpaceCount = 5, GlobalSpace = 0;
struct ClassInfo {
  const char *Name;
  uint64_t Dwarf;
  unsigned AS; ///< index in Spaces
};
inline constexpr ClassInfo Classes[] = {{"private", 4, 3},
                                        {"group", 3, 4},
                                        {"constant", 2, 0},
                                        {"global", 1, 0},
                                        {"none", 0, 1}};
inline constexpr unsigned ClassCount = 5;

/// GLOBAL doesn't belong to an architecture, and has handle 1.
inline amd_dbgapi_address_space_id_t spaceHandle(const ArchitectureInfo &Info,
                                                 unsigned Index) {
  if (Index == GlobalSpace)
    return AMD_DBGAPI_ADDRESS_SPACE_GLOBAL;
  return {partHandle(Info, Index)};
}
/// \p owner is null for GLOBAL.
inline const SpaceInfo *find(amd_dbgapi_address_space_id_t Id,
                             const ArchitectureInfo *&Owner) {
  Owner = nullptr;
  if (Id.handle == AMD_DBGAPI_ADDRESS_SPACE_GLOBAL.handle)
    return &Spaces[GlobalSpace];
  unsigned Index;
  Owner = partOwner(Id.handle, Index);
  return Owner && Index > GlobalSpace && Index < SpaceCount ? &Spaces[Index]
                                                            : nullptr;
}
inline const ClassInfo *find(amd_dbgapi_address_class_id_t Id,
                             const ArchitectureInfo *&Owner) {
  unsigned Index;
  Owner = partOwner(Id.handle, Index);
  return Owner && Index < ClassCount ? &Classes[Index] : nullptr;
}

/// A visible wave.
inline Found<Wave> find(amd_dbgapi_wave_id_t Id) {
  Found<Wave> Match = findIn<Wave>(Id.handle, &Process::Waves);
  return Match.Object && Match.Object->visible() ? Match : Found<Wave>();
}

template <typename T, typename Handle>
Status processList(amd_dbgapi_process_id_t Id, Table<T> Objects::*Rows,
                   ListKind Kind, bool Fresh, size_t *Count, Handle **List,
                   amd_dbgapi_changed_t *Changed) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Count || !List)
    return Invalid;
  if (Fresh)
    if (Status Outcome = Proc->refresh())
      if (Outcome != AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED)
        return Outcome;
  if (Changed) {
    *Changed = Proc->ListChanged[Kind] ? AMD_DBGAPI_CHANGED_YES
                                       : AMD_DBGAPI_CHANGED_NO;
    if (!Proc->ListChanged[Kind]) {
      *Count = 0;
      *List = nullptr;
      return Success;
    }
  }
  std::vector<uint64_t> Ids;
  for (auto &Entry : Proc->*Rows) {
    if constexpr (std::is_same_v<T, Wave>)
      if (!Entry.second->visible())
        continue;
    Ids.push_back(Entry.first);
  }
  const Status Outcome = giveList(Count, List, Ids);
  if (Outcome == Success)
    Proc->ListChanged[Kind] = false;
  return Outcome;
}

} // namespace wavelane::library

#endif // WAVELANE_DEBUGLIBRARY_API_H
