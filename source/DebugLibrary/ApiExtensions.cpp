//===-- ApiExtensions.cpp - ROCdbgapi: what ROCdbgapi has no word for -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Api.h"
#include "wavelane/Protocol/Device/FaultNotes.h"
#include "wavelane/Protocol/Library/Extensions.h"

using namespace wavelane::library;

/// The trap handler's note in two registers from \p Ttmp on, for a wave stopped
/// for one of \p Reasons or, if \p OfFindings, by a check.
static amd_dbgapi_status_t getNote(amd_dbgapi_wave_id_t Id, uint32_t Reasons,
                                   bool OfFindings, unsigned Ttmp,
                                   uint64_t *Value) {
  Found<Wave> W = find(Id);
  if (!W.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!Value)
    return Invalid;
  if (W.Object->State != AMD_DBGAPI_WAVE_STATE_STOP)
    return AMD_DBGAPI_STATUS_ERROR_WAVE_NOT_STOPPED;
  // A check notes its finding's number in place of an address.
  const bool IsFinding =
      W.Object->Reasons & AMD_DBGAPI_WAVE_STOP_REASON_TRAP &&
      (W.Object->Ttmps[6] >> 25 & 15) == wavelane::simulator::CheckTrap;
  // In a core of hardware, the registers have other notes; no trap of its
  // handler has this number.
  if (IsFinding ? !OfFindings
                : W.Proc->isCore() || !(W.Object->Reasons & Reasons))
    return Unavailable;
  const uint32_t *Ttmps = W.Object->Ttmps + Ttmp;
  *Value = Ttmps[0] | uint64_t(Ttmps[1]) << 32;
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_address(amd_dbgapi_wave_id_t Id,
                                                        uint64_t *Address) {
  NEEDS_LIBRARY();
  return getNote(Id,
                 AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                     AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR,
                 /*OfFindings=*/false, wavelane::simulator::StopAddressTtmp,
                 Address);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_pc(amd_dbgapi_wave_id_t Id,
                                                   uint64_t *Pc) {
  NEEDS_LIBRARY();
  uint64_t Distance = 0;
  const amd_dbgapi_status_t Outcome =
      getNote(Id,
              AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                  AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR,
              /*OfFindings=*/false, wavelane::simulator::StopDistanceTtmp,
              Pc ? &Distance : nullptr);
  if (Outcome)
    return Outcome;
  Found<Wave> W = find(Id);
  *Pc = W.Proc->pc(*W.Object) - uint64_t(int64_t(int32_t(Distance)));
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_finding(amd_dbgapi_wave_id_t Id,
                                                        uint64_t *Finding) {
  NEEDS_LIBRARY();
  return getNote(Id, /*Reasons=*/0, /*OfFindings=*/true,
                 wavelane::simulator::StopAddressTtmp, Finding);
}

EXPORT amd_dbgapi_status_t
wavelane_dbgapi_set_local_range_exceptions(amd_dbgapi_process_id_t Id, int On) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  return Proc->setFlag(wavelane::kfd::LocalOutOfRange, On);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_stop_lanes(amd_dbgapi_wave_id_t Id,
                                                      uint64_t *Lanes) {
  NEEDS_LIBRARY();
  constexpr uint32_t WithLanes =
      AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT |
      AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
      AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR |
      AMD_DBGAPI_WAVE_STOP_REASON_INT_DIVIDE_BY_0 |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INPUT_DENORMAL |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_DIVIDE_BY_0 |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_OVERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_UNDERFLOW |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INEXACT |
      AMD_DBGAPI_WAVE_STOP_REASON_FP_INVALID_OPERATION;
  return getNote(Id, WithLanes, /*OfFindings=*/true,
                 wavelane::simulator::StopLanesTtmp, Lanes);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_dispatch_started(
    amd_dbgapi_dispatch_id_t Id, uint64_t *Workgroups) {
  NEEDS_LIBRARY();
  Found<Dispatch> D = findIn<Dispatch>(Id.handle, &Process::Dispatches);
  if (!D.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_DISPATCH_ID;
  if (!Workgroups)
    return Invalid;
  // On this device, a queue has one dispatch at a time.
  if (!D.Object->Q->StartedGroups)
    return Unavailable;
  *Workgroups = D.Object->Q->StartedGroups;
  return Success;
}

/// Gives the client a copy of \p Text, which it frees.
static amd_dbgapi_status_t giveCopy(const std::string &Text, char **Answer) {
  auto *Copy = static_cast<char *>(allocate(Text.size() + 1));
  if (!Copy)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  memcpy(Copy, Text.c_str(), Text.size() + 1);
  *Answer = Copy;
  return Success;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_ask_checks(
    amd_dbgapi_process_id_t Id, const char *Request, char **Answer) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Request || !Answer)
    return Invalid;
  std::string Text;
  if (Proc->askChecks(Request, Text) < 0)
    return Unavailable;
  return giveCopy(Text, Answer);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_ask_history(
    amd_dbgapi_process_id_t Id, const char *Request, char **Answer) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Request || !Answer)
    return Invalid;
  std::string Text;
  if (amd_dbgapi_status_t Outcome = Proc->askHistory(Request, Text))
    return Outcome;
  return giveCopy(Text, Answer);
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_simulate_core(
    amd_dbgapi_process_id_t Id, const char *Files, char **Error) {
  NEEDS_LIBRARY();
  Process *Proc = find(Id);
  if (!Proc)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_PROCESS_ID;
  if (!Files || !Error)
    return Invalid;
  std::string Text;
  const amd_dbgapi_status_t Outcome = Proc->simulateCore(Files, Text);
  if (Text.empty())
    return Outcome;
  const amd_dbgapi_status_t Given = giveCopy(Text, Error);
  return Given ? Given : Outcome;
}

EXPORT amd_dbgapi_status_t wavelane_dbgapi_watch_address(
    amd_dbgapi_wave_id_t Id, amd_dbgapi_lane_id_t Lane, int IsLocal,
    uint64_t Offset, uint64_t *Address, uint64_t *Contiguous) {
  NEEDS_LIBRARY();
  Found<Wave> W = find(Id);
  if (!W.Object)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_WAVE_ID;
  if (!Address || !Contiguous)
    return Invalid;
  const unsigned Lanes = W.Object->Record.Shape.Lanes;
  if (IsLocal) {
    if (Offset >= W.Object->Group->LdsBytes)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    *Address = wavelane::gpu::LocalAperture + Offset;
    *Contiguous = W.Object->Group->LdsBytes - Offset;
    return Success;
  }
  if (Lane >= Lanes)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_LANE_ID;
  std::optional<wavelane::savearea::ScratchSlot> Slot = scratch(*W.Object);
  if (!Slot || Offset >= Slot->Size / Lanes)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  // A lane's words are a wave's width apart.
  *Address =
      Slot->Address + Offset / 4 * Lanes * 4 + uint64_t(Lane) * 4 + Offset % 4;
  *Contiguous = 4 - Offset % 4;
  return Success;
}
