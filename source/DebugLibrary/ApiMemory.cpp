//===-- ApiMemory.cpp - ROCdbgapi: address classes, spaces and memory -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include <limits>

using namespace wavelane::library;

EXPORT amd_dbgapi_status_t amd_dbgapi_address_class_get_info(
    amd_dbgapi_address_class_id_t Id, amd_dbgapi_address_class_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Owner;
  const ClassInfo *Info = find(Id, Owner);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  switch (Query) {
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_NAME:
    return giveString(Size, Value, Info->Name);
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_ADDRESS_SPACE:
    return give(Size, Value, spaceHandle(*Owner, Info->AS));
  case AMD_DBGAPI_ADDRESS_CLASS_INFO_DWARF:
    return give(Size, Value, Info->Dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_class_list(
    amd_dbgapi_architecture_id_t Id, size_t *Count,
    amd_dbgapi_address_class_id_t **List) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> Ids;
  for (unsigned I = 0; I < ClassCount; ++I)
    Ids.push_back(partHandle(*Info, I));
  return giveList(Count, List, Ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_class_to_address_class(
    amd_dbgapi_architecture_id_t Id, uint64_t Dwarf,
    amd_dbgapi_address_class_id_t *Result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!Result)
    return Invalid;
  for (unsigned I = 0; I < ClassCount; ++I)
    if (Classes[I].Dwarf == Dwarf) {
      Result->handle = partHandle(*Info, I);
      return Success;
    }
  return Incompatible;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_space_get_info(
    amd_dbgapi_address_space_id_t Id, amd_dbgapi_address_space_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Owner;
  const SpaceInfo *Info = find(Id, Owner);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  switch (Query) {
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NAME:
    return giveString(Size, Value, Info->Name);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ADDRESS_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(Info->Bits));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_NULL_ADDRESS:
    return give(Size, Value, amd_dbgapi_segment_address_t(Info->Null));
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_ACCESS:
    return give(Size, Value, AMD_DBGAPI_ADDRESS_SPACE_ACCESS_ALL);
  case AMD_DBGAPI_ADDRESS_SPACE_INFO_DWARF:
    return give(Size, Value, Info->Dwarf);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_architecture_address_space_list(
    amd_dbgapi_architecture_id_t Id, size_t *Count,
    amd_dbgapi_address_space_id_t **List) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  std::vector<uint64_t> Ids;
  for (unsigned I = 0; I < SpaceCount; ++I)
    Ids.push_back(spaceHandle(*Info, I).handle);
  return giveList(Count, List, Ids);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_dwarf_address_space_to_address_space(
    amd_dbgapi_architecture_id_t Id, uint64_t Dwarf,
    amd_dbgapi_address_space_id_t *Result) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Info = find(Id);
  if (!Info)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ARCHITECTURE_ID;
  if (!Result)
    return Invalid;
  for (unsigned I = 0; I < SpaceCount; ++I)
    if (Spaces[I].Dwarf == Dwarf) {
      *Result = spaceHandle(*Info, I);
      return Success;
    }
  return Incompatible;
}

namespace {

constexpr uint64_t Apertures = uint64_t(0xffff) << 48;

/// A space and an address in it; generic addresses are replaced by those of
/// their apertures.
struct Lowered {
  Space AS;
  uint64_t Address;
};
Lowered lower(const SpaceInfo &AS, uint64_t Address) {
  if (AS.Dwarf != Generic)
    return {Space(AS.Dwarf), AS.Bits == 32 ? Address & 0xffffffff : Address};
  if ((Address & Apertures) == wavelane::gpu::LocalAperture)
    return {Local, Address & 0xffffffff};
  if ((Address & Apertures) == wavelane::gpu::PrivateAperture)
    return {PrivateLane, Address & 0xffffffff};
  return {Global, Address};
}

} // namespace

EXPORT amd_dbgapi_status_t amd_dbgapi_convert_address_space(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_lane_id_t Lane,
    amd_dbgapi_address_space_id_t FromId, amd_dbgapi_segment_address_t Address,
    amd_dbgapi_address_space_id_t ToId, amd_dbgapi_segment_address_t *Result,
    amd_dbgapi_size_t *Contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> W = find(Id);
  if (!W.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!Result || !Contiguous)
    return Invalid;
  const unsigned Lanes = W.Object->Record.Shape.Lanes;
  if (Lane != AMD_DBGAPI_LANE_NONE && Lane >= Lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *FromOwner, *ToOwner;
  const SpaceInfo *From = find(FromId, FromOwner);
  const SpaceInfo *To = find(ToId, ToOwner);
  if (!From || !To)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ArchitectureInfo *Own = &archOf(*W.Object);
  if ((FromOwner && FromOwner != Own) || (ToOwner && ToOwner != Own))
    return Incompatible;
  const Status Impossible =
      AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_CONVERSION;
  const uint64_t All = std::numeric_limits<uint64_t>::max();

  if (From == To) {
    *Result = Address;
    *Contiguous = From->Bits == 32 ? (uint64_t(1) << 32) - Address
                  : Address        ? All - Address + 1
                                   : All;
    return Success;
  }
  // A null address is null in every space.
  if (Address == From->Null) {
    *Result = To->Null;
    *Contiguous = 1;
    return Success;
  }
  const Lowered Low = lower(*From, Address);
  const uint64_t Room =
      Low.AS == Global ? All - Address : (uint64_t(1) << 32) - Low.Address;
  if (To->Dwarf == Generic) {
    switch (Low.AS) {
    case Global: {
      const uint64_t Top = Address & Apertures;
      if (Top == wavelane::gpu::LocalAperture ||
          Top == wavelane::gpu::PrivateAperture)
        return Impossible;
      *Result = Address;
      *Contiguous =
          Top ? All - Address : wavelane::gpu::LocalAperture - Address;
      return Success;
    }
    case Local:
      *Result = wavelane::gpu::LocalAperture | Low.Address;
      *Contiguous = Room;
      return Success;
    case PrivateLane:
      *Result = wavelane::gpu::PrivateAperture | Low.Address;
      *Contiguous = Room;
      return Success;
    default:
      return Impossible;
    }
  }
  if (Low.AS == Space(To->Dwarf)) {
    *Result = Low.Address;
    *Contiguous = Room;
    return Success;
  }
  if (Low.AS == PrivateLane && To->Dwarf == PrivateWave) {
    if (Lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    *Result = Low.Address / 4 * Lanes * 4 + Lane * 4 + Low.Address % 4;
    *Contiguous = 4 - Low.Address % 4;
    return Success;
  }
  if (Low.AS == PrivateWave && To->Dwarf == PrivateLane) {
    // Only if the word belongs to this lane.
    if (Lane == AMD_DBGAPI_LANE_NONE)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
    if (Low.Address / 4 % Lanes != Lane)
      return Impossible;
    *Result = Low.Address / (Lanes * 4) * 4 + Low.Address % 4;
    *Contiguous = 4 - Low.Address % 4;
    return Success;
  }
  return Impossible;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_dependency(
    amd_dbgapi_address_space_id_t Id, amd_dbgapi_segment_address_t Address,
    amd_dbgapi_segment_address_dependency_t *Dependency) {
  NEEDS_LIBRARY();
  const ArchitectureInfo *Owner;
  const SpaceInfo *AS = find(Id, Owner);
  if (!AS)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  if (!Dependency)
    return Invalid;
  const Lowered Low = lower(*AS, Address);
  for (const SpaceInfo &Candidate : Spaces)
    if (Candidate.Dwarf == uint64_t(Low.AS))
      *Dependency = Candidate.Dependency;
  return Success;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_address_is_in_address_class(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_lane_id_t Lane,
    amd_dbgapi_address_space_id_t SpaceId, amd_dbgapi_segment_address_t Address,
    amd_dbgapi_address_class_id_t ClassId,
    amd_dbgapi_address_class_state_t *State) {
  NEEDS_LIBRARY();
  Found<Wave> W = find(Id);
  if (!W.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (Lane != AMD_DBGAPI_LANE_NONE && Lane >= W.Object->Record.Shape.Lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  const ArchitectureInfo *SpaceOwner, *ClassOwner;
  const SpaceInfo *AS = find(SpaceId, SpaceOwner);
  if (!AS)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  const ClassInfo *AddressClass = find(ClassId, ClassOwner);
  if (!AddressClass)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_CLASS_ID;
  if (!State)
    return Invalid;
  const ArchitectureInfo *Own = &archOf(*W.Object);
  if (ClassOwner != Own || (SpaceOwner && SpaceOwner != Own))
    return Incompatible;
  const uint64_t Wanted = Spaces[AddressClass->AS].Dwarf;
  const bool Member =
      Wanted == AS->Dwarf || Wanted == uint64_t(lower(*AS, Address).AS);
  *State = Member ? AMD_DBGAPI_ADDRESS_CLASS_STATE_MEMBER
                  : AMD_DBGAPI_ADDRESS_CLASS_STATE_NOT_MEMBER;
  return Success;
}

//===-- Memory ------------------------------------------------------------===//

static Status
transferMemory(amd_dbgapi_process_id_t Id, amd_dbgapi_wave_id_t WaveId,
               amd_dbgapi_lane_id_t Lane, amd_dbgapi_address_space_id_t SpaceId,
               amd_dbgapi_segment_address_t Address, amd_dbgapi_size_t *Size,
               void *Read, const void *Write) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Size || (!Read && !Write))
    return Invalid;
  const ArchitectureInfo *Owner;
  const SpaceInfo *AS = find(SpaceId, Owner);
  if (!AS)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_ADDRESS_SPACE_ID;
  Wave *W = nullptr;
  if (WaveId.handle) {
    Found<Wave> Match = find(WaveId);
    if (!Match.Object || Match.Proc != Proc)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
    W = Match.Object;
    if (Owner && Owner != &archOf(*W))
      return Incompatible;
    if (Lane != AMD_DBGAPI_LANE_NONE && Lane >= W->Record.Shape.Lanes)
      return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  } else if (Lane != AMD_DBGAPI_LANE_NONE) {
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  }
  const Lowered Low = lower(*AS, Address);
  if (Low.AS == Global) {
    uint64_t Done = *Size;
    const Status Outcome = Proc->transfer(Low.Address, Done, Read, Write);
    *Size = Done;
    return Outcome;
  }
  if (!W)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (Low.AS == PrivateLane && Lane == AMD_DBGAPI_LANE_NONE)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  if (Write && Proc->isFrozen())
    return AMD_DBGAPI_STATUS_ERROR_PROCESS_FROZEN;
  uint64_t Done = *Size;
  const Status Outcome = Proc->transferSegment(WaveId.handle, Lane, Low.AS,
                                               Low.Address, Done, Read, Write);
  *Size = Done;
  return Outcome;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_read_memory(
    amd_dbgapi_process_id_t Id, amd_dbgapi_wave_id_t W,
    amd_dbgapi_lane_id_t Lane, amd_dbgapi_address_space_id_t AS,
    amd_dbgapi_segment_address_t Address, amd_dbgapi_size_t *Size,
    void *Value) {
  return transferMemory(Id, W, Lane, AS, Address, Size, Value, nullptr);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_write_memory(
    amd_dbgapi_process_id_t Id, amd_dbgapi_wave_id_t W,
    amd_dbgapi_lane_id_t Lane, amd_dbgapi_address_space_id_t AS,
    amd_dbgapi_segment_address_t Address, amd_dbgapi_size_t *Size,
    const void *Value) {
  return transferMemory(Id, W, Lane, AS, Address, Size, nullptr, Value);
}
