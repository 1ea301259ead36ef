//===-- ApiWaves.cpp - ROCdbgapi: dispatches, workgroups, waves -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes displaced stepping.
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include <cstring>

using namespace wavelane::library;

//===-- Dispatches, work-groups, waves ------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_dispatch_get_info(
    amd_dbgapi_dispatch_id_t Id, amd_dbgapi_dispatch_info_t Query, size_t Size,
    void *Value) {
  NEEDS_LIBRARY();
  Found<Dispatch> Match = findIn<Dispatch>(Id.handle, &Process::Dispatches);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  const Dispatch &D = *Match.Object;
  auto Word = [&](unsigned At, auto &To) {
    memcpy(&To, D.Packet + At, sizeof(To));
  };
  uint16_t Header = 0, Setup = 0, Groups[3];
  uint32_t Grid[3], PrivateSize, GroupSize;
  uint64_t Kernel, Arguments, Completion;
  Word(0, Header), Word(2, Setup), Word(4, Groups), Word(12, Grid);
  Word(24, PrivateSize), Word(28, GroupSize), Word(32, Kernel);
  Word(40, Arguments), Word(56, Completion);
  switch (Query) {
  case AMD_DBGAPI_DISPATCH_INFO_QUEUE:
    return give(Size, Value, amd_dbgapi_queue_id_t{D.Q->Id});
  case AMD_DBGAPI_DISPATCH_INFO_AGENT:
    return give(Size, Value, amd_dbgapi_agent_id_t{D.Q->A->Id});
  case AMD_DBGAPI_DISPATCH_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_DISPATCH_INFO_ARCHITECTURE:
    return give(Size, Value, archHandle(*D.Q->A));
  case AMD_DBGAPI_DISPATCH_INFO_OS_QUEUE_PACKET_ID:
    return give(Size, Value, amd_dbgapi_os_queue_packet_id_t(D.PacketId));
  case AMD_DBGAPI_DISPATCH_INFO_BARRIER:
    return give(Size, Value,
                Header & 1 << 8 ? AMD_DBGAPI_DISPATCH_BARRIER_PRESENT
                                : AMD_DBGAPI_DISPATCH_BARRIER_NONE);
  case AMD_DBGAPI_DISPATCH_INFO_ACQUIRE_FENCE:
    return give(Size, Value,
                amd_dbgapi_dispatch_fence_scope_t(Header >> 9 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_RELEASE_FENCE:
    return give(Size, Value,
                amd_dbgapi_dispatch_fence_scope_t(Header >> 11 & 3));
  case AMD_DBGAPI_DISPATCH_INFO_GRID_DIMENSIONS:
    return give(Size, Value, uint32_t(Setup & 3));
  case AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES:
    return give(Size, Value, Groups);
  case AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES:
    return give(Size, Value, Grid);
  case AMD_DBGAPI_DISPATCH_INFO_PRIVATE_SEGMENT_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(PrivateSize));
  case AMD_DBGAPI_DISPATCH_INFO_GROUP_SEGMENT_SIZE:
    return give(Size, Value, amd_dbgapi_size_t(GroupSize));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_ARGUMENT_SEGMENT_ADDRESS:
    return give(Size, Value, amd_dbgapi_global_address_t(Arguments));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_DESCRIPTOR_ADDRESS:
    return give(Size, Value, amd_dbgapi_global_address_t(Kernel));
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_CODE_ENTRY_ADDRESS: {
    int64_t Offset = 0;
    if (Status Outcome = Match.Proc->readAll(Kernel + 16, &Offset, 8))
      return Outcome;
    return give(Size, Value, amd_dbgapi_global_address_t(Kernel + Offset));
  }
  case AMD_DBGAPI_DISPATCH_INFO_KERNEL_COMPLETION_ADDRESS:
    return give(Size, Value, amd_dbgapi_global_address_t(Completion));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_dispatch_list(
    amd_dbgapi_process_id_t Id, size_t *Count, amd_dbgapi_dispatch_id_t **List,
    amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::Dispatches, DispatchList, true, Count, List,
                     Changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_workgroup_get_info(
    amd_dbgapi_workgroup_id_t Id, amd_dbgapi_workgroup_info_t Query,
    size_t Size, void *Value) {
  NEEDS_LIBRARY();
  Found<Workgroup> Match = findIn<Workgroup>(Id.handle, &Process::Groups);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WORKGROUP_ID;
  const Workgroup &Group = *Match.Object;
  switch (Query) {
  case AMD_DBGAPI_WORKGROUP_INFO_DISPATCH:
    if (!Group.D)
      return Unavailable;
    return give(Size, Value, amd_dbgapi_dispatch_id_t{Group.D->Id});
  case AMD_DBGAPI_WORKGROUP_INFO_QUEUE:
    return give(Size, Value, amd_dbgapi_queue_id_t{Group.Q->Id});
  case AMD_DBGAPI_WORKGROUP_INFO_AGENT:
    return give(Size, Value, amd_dbgapi_agent_id_t{Group.Q->A->Id});
  case AMD_DBGAPI_WORKGROUP_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  case AMD_DBGAPI_WORKGROUP_INFO_ARCHITECTURE:
    return give(Size, Value, archHandle(*Group.Q->A));
  case AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD:
    if (!Group.D)
      return Unavailable;
    return give(Size, Value, Group.Coordinates);
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_workgroup_list(
    amd_dbgapi_process_id_t Id, size_t *Count, amd_dbgapi_workgroup_id_t **List,
    amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::Groups, WorkgroupList, true, Count, List,
                     Changed);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_get_info(amd_dbgapi_wave_id_t Id, amd_dbgapi_wave_info_t Query,
                         size_t Size, void *Value) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  const Wave &W = *Match.Object;
  Process &Proc = *Match.Proc;
  // For the client, a wave is stopped once its event has been fetched.
  const bool Stopped = W.State == AMD_DBGAPI_WAVE_STATE_STOP && W.Reported;
  switch (Query) {
  case AMD_DBGAPI_WAVE_INFO_STATE:
    return give(Size, Value,
                Stopped ? AMD_DBGAPI_WAVE_STATE_STOP
                : W.State == AMD_DBGAPI_WAVE_STATE_STOP
                    ? AMD_DBGAPI_WAVE_STATE_RUN
                    : W.State);
  case AMD_DBGAPI_WAVE_INFO_STOP_REASON:
    if (!Stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(Size, Value, amd_dbgapi_wave_stop_reasons_t(W.Reasons));
  case AMD_DBGAPI_WAVE_INFO_WATCHPOINTS: {
    if (!Value)
      return Invalid;
    if (Size != sizeof(amd_dbgapi_watchpoint_list_t))
      return Incompatible;
    if (!Stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    std::vector<uint64_t> Ids;
    for (auto &Entry : Proc.TheWatchpoints) {
      auto Hardware = Entry.second->Hardware.find(W.Q->A->Entry.gpu_id);
      if (Hardware != Entry.second->Hardware.end() && Hardware->second < 32 &&
          W.Watches >> Hardware->second & 1)
        Ids.push_back(Entry.first);
    }
    amd_dbgapi_watchpoint_list_t List = {};
    if (Status Outcome = giveList(&List.count, &List.watchpoint_ids, Ids))
      return Outcome;
    return give(Size, Value, List);
  }
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP:
    return give(Size, Value, amd_dbgapi_workgroup_id_t{W.Group->Id});
  case AMD_DBGAPI_WAVE_INFO_DISPATCH:
    if (!W.Group->D)
      return Unavailable;
    return give(Size, Value, amd_dbgapi_dispatch_id_t{W.Group->D->Id});
  case AMD_DBGAPI_WAVE_INFO_QUEUE:
    return give(Size, Value, amd_dbgapi_queue_id_t{W.Q->Id});
  case AMD_DBGAPI_WAVE_INFO_AGENT:
    return give(Size, Value, amd_dbgapi_agent_id_t{W.Q->A->Id});
  case AMD_DBGAPI_WAVE_INFO_PROCESS:
    return give(Size, Value, amd_dbgapi_process_id_t{Proc.Id});
  case AMD_DBGAPI_WAVE_INFO_ARCHITECTURE:
    return give(Size, Value, archHandle(*W.Q->A));
  case AMD_DBGAPI_WAVE_INFO_PC:
    if (!Stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(Size, Value, amd_dbgapi_global_address_t(Proc.pc(W)));
  case AMD_DBGAPI_WAVE_INFO_EXEC_MASK:
    if (!Stopped)
      return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
    return give(Size, Value, Proc.exec(W));
  case AMD_DBGAPI_WAVE_INFO_WORKGROUP_COORD:
    if (!W.Identified)
      return Unavailable;
    return give(Size, Value, W.Group->Coordinates);
  case AMD_DBGAPI_WAVE_INFO_WAVE_NUMBER_IN_WORKGROUP:
    if (!W.Identified)
      return Unavailable;
    return give(Size, Value, W.IndexInGroup);
  case AMD_DBGAPI_WAVE_INFO_LANE_COUNT:
    return give(Size, Value, size_t(W.Record.Shape.Lanes));
  }
  return Invalid;
}

EXPORT amd_dbgapi_status_t amd_dbgapi_process_wave_list(
    amd_dbgapi_process_id_t Id, size_t *Count, amd_dbgapi_wave_id_t **List,
    amd_dbgapi_changed_t *Changed) {
  return processList(Id, &Process::Waves, WaveList, true, Count, List, Changed);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_wave_stop(amd_dbgapi_wave_id_t Id) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  return Match.Proc->stopWave(Id.handle);
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_wave_resume(amd_dbgapi_wave_id_t Id, amd_dbgapi_resume_mode_t Mode,
                       amd_dbgapi_exceptions_t Exceptions) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if ((Mode != AMD_DBGAPI_RESUME_MODE_NORMAL &&
       Mode != AMD_DBGAPI_RESUME_MODE_SINGLE_STEP) ||
      uint32_t(Exceptions) & ~0x3fu)
    return Invalid;
  return Match.Proc->resumeWave(Id.handle, Mode, uint32_t(Exceptions));
}

//===-- Displaced stepping ------------------------------------------------===//

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_get_info(
    amd_dbgapi_displaced_stepping_id_t Id,
    amd_dbgapi_displaced_stepping_info_t Query, size_t Size, void *Value) {
  NEEDS_LIBRARY();
  Found<DisplacedStep> Match =
      findIn<DisplacedStep>(Id.handle, &Process::Steps);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  if (Query == AMD_DBGAPI_DISPLACED_STEPPING_INFO_PROCESS)
    return give(Size, Value, amd_dbgapi_process_id_t{Match.Proc->Id});
  return Invalid;
}

EXPORT amd_dbgapi_status_t
amd_dbgapi_displaced_stepping_start(amd_dbgapi_wave_id_t Id, const void *Saved,
                                    amd_dbgapi_displaced_stepping_id_t *Step) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!Saved || !Step)
    return Invalid;
  return Match.Proc->startDisplaced(Id.handle, Saved, Step->handle);
}

EXPORT amd_dbgapi_status_t amd_dbgapi_displaced_stepping_complete(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_displaced_stepping_id_t Step) {
  NEEDS_LIBRARY();
  Found<Wave> Match = find(Id);
  if (!Match.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  Found<DisplacedStep> Object =
      findIn<DisplacedStep>(Step.handle, &Process::Steps);
  if (!Object.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPLACED_STEPPING_ID;
  return Match.Proc->completeDisplaced(Id.handle, *Object.Object);
}
