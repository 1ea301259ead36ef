//===-- ApiRegisters.cpp - ROCdbgapi: registers ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"

using namespace wavelane::library;

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

EXPORT amd_dbgapi_status_t amd_dbgapi_register_get_info(
    amd_dbgapi_register_id_t id, amd_dbgapi_register_info_t query, size_t size,
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

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_register_exists(
    amd_dbgapi_wave_id_t id, amd_dbgapi_register_id_t registerId,
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
  if (info != &archOf(*found.object))
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

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_register_list(
    amd_dbgapi_wave_id_t id, size_t *count, amd_dbgapi_register_id_t **list) {
  NEEDS_LIBRARY();
  Found<Wave> found = find(id);
  if (!found.object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo &info = archOf(*found.object);
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
  *state = reg->classes >> index & 1
               ? AMD_DBGAPI_REGISTER_CLASS_STATE_MEMBER
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
  if (info != &archOf(*wave.object))
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

EXPORT amd_dbgapi_status_t amd_dbgapi_prefetch_register(
    amd_dbgapi_wave_id_t id, amd_dbgapi_register_id_t registerId,
    amd_dbgapi_size_t count) {
  NEEDS_LIBRARY();
  if (!find(id).object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const ArchitectureInfo *info;
  const Register *reg = findRegister(registerId, info);
  if (!reg)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_REGISTER_ID;
  if (count > info->registers.size() - size_t(reg - info->registers.data()))
    return Incompatible;
  return Success; // registers are read where they stand: nothing to gain
}
