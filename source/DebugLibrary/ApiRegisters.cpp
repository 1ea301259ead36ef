//===-- ApiRegisters.cpp - ROCdbgapi: registers ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_class_get_info(
    amd_dbgapi_register_class_id_t Id, amd_dbgapi_register_class_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  unsigned Index;
  const ArchitectureInfo *Info = partOwner(Id.handle, Index);
  if (!Info || Index >= RegisterClassCount)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_CLASS_ID;
  switch (Query) {
  case AMD_DBGAPI_REGISTER_CLASS_INFO_ARCHITECTURE:
    return give(Size, Value, handleOf(*Info));
  case AMD_DBGAPI_REGISTER_CLASS_INFO_NAME:
    return giveString(Size, Value, RegisterClassNames[Index]);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_class_list(
    amd_dbgapi_architecture_id_t Id, size_t *Count,
    amd_dbgapi_register_class_id_t **List) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> Ids;
  for (unsigned I = 0; I < RegisterClassCount; ++I)
    Ids.push_back(partHandle(*Info, I));
  return giveList(Count, List, Ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_register_get_info(
    amd_dbgapi_register_id_t Id, amd_dbgapi_register_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info;
  const Register *Reg = findRegister(Id, Info);
  if (!Reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  switch (Query) {
  case AMD_DBGAPI_REGISTER_INFO_ARCHITECTURE:
    return give(Size, Value, handleOf(*Info));
  case AMD_DBGAPI_REGISTER_INFO_NAME:
    return giveString(Size, Value, Reg->Name);
  case AMD_DBGAPI_REGISTER_INFO_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(Reg->Size));
  case AMD_DBGAPI_REGISTER_INFO_TYPE:
    return giveString(Size, Value, Reg->Type);
  case AMD_DBGAPI_REGISTER_INFO_DWARF:
    if (Reg->Dwarf < 0)
      return Unavailable;
    return give(Size, Value, uint64_t(Reg->Dwarf));
  case AMD_DBGAPI_REGISTER_INFO_PROPERTIES:
    return give(Size, Value, amd_dbgapi_register_properties_t(Reg->Properties));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_register_exists(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_register_id_t RegisterId,
    amd_dbgapi_register_exists_t *Exists) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *Info;
  const Register *Reg = findRegister(RegisterId, Info);
  if (!Reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!Exists)
    return Invalid;
  if (Info != &archOf(*Match.Object))
    return Incompatible;
  *Exists = Match.Proc->exists(*Match.Object, *Reg)
                ? AMD_DBGAPI_REGISTER_PRESENT
                : AMD_DBGAPI_REGISTER_ABSENT;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_register_list(
    amd_dbgapi_architecture_id_t Id, size_t *Count,
    amd_dbgapi_register_id_t **List) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> Ids;
  for (unsigned I = 0; I < Info->Registers.size(); ++I)
    Ids.push_back(partHandle(*Info, I));
  return giveList(Count, List, Ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_register_list(
    amd_dbgapi_wave_id_t Id, size_t *Count, amd_dbgapi_register_id_t **List) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo &Info = archOf(*Match.Object);
  std::vector<uint64_t> Ids;
  for (unsigned I = 0; I < Info.Registers.size(); ++I)
    if (Match.Proc->exists(*Match.Object, Info.Registers[I]))
      Ids.push_back(partHandle(Info, I));
  return giveList(Count, List, Ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_register_to_register(
    amd_dbgapi_architecture_id_t Id, uint64_t Dwarf,
    amd_dbgapi_register_id_t *Reg) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!Reg)
    return Invalid;
  auto Match = Info->ByDwarf.find(Dwarf);
  if (Match == Info->ByDwarf.end())
    return Incompatible;
  Reg->handle = partHandle(*Info, Match->second);
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_register_is_in_register_class(
    amd_dbgapi_register_class_id_t ClassId, amd_dbgapi_register_id_t RegisterId,
    amd_dbgapi_register_class_state_t *State) {
  NEEDS_LIBRARY();
  unsigned Index;
  const ArchitectureInfo *Owner = partOwner(ClassId.handle, Index);
  if (!Owner || Index >= RegisterClassCount)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_CLASS_ID;
  const ArchitectureInfo *Info;
  const Register *Reg = findRegister(RegisterId, Info);
  if (!Reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!State)
    return Invalid;
  if (Info != Owner)
    return Incompatible;
  *State = Reg->Classes >> Index & 1
               ? AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER
               : AMD_DBGAPI_REGISTER_CLASS_STATE_NOT_MEMBER;
  return Success;
}

/// Checks shared by read_register and write_register.
static Status checkRegister(amd_dbgapi_wave_id_t Id,
                            amd_dbgapi_register_id_t RegisterId,
                            amd_dbgapi_size_t Offset, amd_dbgapi_size_t Size,
                            const void *Value, Found<Wave> &W,
                            const Register *&Reg) {
  NEEDS_LIBRARY();
  W = find(Id);
  if (!W.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *Info;
  Reg = findRegister(RegisterId, Info);
  if (!Reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (!Value || !Size)
    return Invalid;
  if (Info != &archOf(*W.Object))
    return Incompatible;
  if (Offset > Reg->Size || Size > Reg->Size - Offset)
    return Incompatible;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_read_register(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_register_id_t RegisterId,
    amd_dbgapi_size_t Offset, amd_dbgapi_size_t Size, void *Value) {
  Found<Wave> W;
  const Register *Reg;
  if (Status Outcome =
          checkRegister(Id, RegisterId, Offset, Size, Value, W, Reg))
    return Outcome;
  return W.Proc->readRegister(Id.handle, *Reg, Offset, Size, Value);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_write_register(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_register_id_t RegisterId,
    amd_dbgapi_size_t Offset, amd_dbgapi_size_t Size, const void *Value) {
  Found<Wave> W;
  const Register *Reg;
  if (Status Outcome =
          checkRegister(Id, RegisterId, Offset, Size, Value, W, Reg))
    return Outcome;
  return W.Proc->writeRegister(Id.handle, *Reg, Offset, Size, Value);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_prefetch_register(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_register_id_t RegisterId,
    amd_dbgapi_size_t Count) {
  NEEDS_LIBRARY();
  if (!find(Id).Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *Info;
  const Register *Reg = findRegister(RegisterId, Info);
  if (!Reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (Count > Info->Registers.size() - size_t(Reg - Info->Registers.data()))
    return Incompatible;
  return Success; // registers are read in place, so prefetching gains nothing
}
