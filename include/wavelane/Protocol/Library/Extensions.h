//===-- Extensions.h - what our library has beyond ROCdbgapi ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of Wavelane's own library for features and information that
// hardware doesn't have. AMD's library has none of them. Handles and errors are
// as in amd-dbgapi.h; NOT_AVAILABLE means that the answer isn't known.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_LIBRARY_EXTENSIONS_H
#define WAVELANE_PROTOCOL_LIBRARY_EXTENSIONS_H

#include "amd-dbgapi.h"

extern "C" {

/// The lanes that caused the stop of \p wave: their access hit a watchpoint or
/// failed, their operands raised an arithmetic exception, or a check has found
/// something in what they are about to do. NOT_AVAILABLE
/// after a stop for another reason.
/// \param[out] lanes  A mask, bit 0 for lane 0.
amd_dbgapi_status_t wavelane_dbgapi_stop_lanes(amd_dbgapi_wave_id_t wave,
                                               uint64_t *lanes);

/// The address that the first of those lanes couldn't access, or that \p wave
/// couldn't fetch an instruction from: a global address, or one in the
/// apertures of local and private memory. NOT_AVAILABLE after a stop for
/// another reason.
amd_dbgapi_status_t wavelane_dbgapi_stop_address(amd_dbgapi_wave_id_t wave,
                                                 uint64_t *address);

/// The address of the instruction whose access failed. The wave is behind it.
/// NOT_AVAILABLE after a stop for another reason.
amd_dbgapi_status_t wavelane_dbgapi_stop_pc(amd_dbgapi_wave_id_t wave,
                                            uint64_t *pc);

/// The number of the finding of the check that has stopped \p wave, 1 for the
/// first. NOT_AVAILABLE after a stop for another reason.
amd_dbgapi_status_t wavelane_dbgapi_stop_finding(amd_dbgapi_wave_id_t wave,
                                                 uint64_t *finding);

/// Sets whether ds_* instructions raise an address error outside a workgroup's
/// local memory. It is initially off; GPUs before gfx1250 don't support it.
amd_dbgapi_status_t
wavelane_dbgapi_set_local_range_exceptions(amd_dbgapi_process_id_t process,
                                           int on);

/// The address that amd_dbgapi_set_watchpoint needs to watch byte \p offset of
/// a lane's private memory or, with \p is_local, of the local memory of the
/// wave's workgroup. A watchpoint in local memory hits in every workgroup.
/// \param[out] contiguous  How many bytes from there on are contiguous.
amd_dbgapi_status_t wavelane_dbgapi_watch_address(amd_dbgapi_wave_id_t wave,
                                                  amd_dbgapi_lane_id_t lane,
                                                  int is_local, uint64_t offset,
                                                  uint64_t *address,
                                                  uint64_t *contiguous);

/// How many workgroups of \p dispatch have begun, including those that have
/// ended. NOT_AVAILABLE if the device doesn't report it.
amd_dbgapi_status_t
wavelane_dbgapi_dispatch_started(amd_dbgapi_dispatch_id_t dispatch,
                                 uint64_t *workgroups);

/// Asks the checks of the simulated device of \p process.
/// \param request  A JSON object (simulator::CheckAnswerLimit describes it).
/// \param[out] answer  The answer, a JSON object; allocated by the
///     client's callback. Unchanged after an error: NOT_AVAILABLE if nothing is
///     checked.
amd_dbgapi_status_t wavelane_dbgapi_ask_checks(amd_dbgapi_process_id_t process,
                                               const char *request,
                                               char **answer);

/// Asks the recording of the simulated device of \p process.
/// \param request  A protocol::HistoryRequest as JSON.
///     After one that moves the waves, all are stopped: lists and registers
///     are those of the new position, and waves that come back have the ids
///     that they had. Waves mustn't be resumed in the past.
/// \param[out] answer  As in wavelane_dbgapi_ask_checks(). NOT_SUPPORTED: there
///     is no live device.
amd_dbgapi_status_t wavelane_dbgapi_ask_history(amd_dbgapi_process_id_t process,
                                                const char *request,
                                                char **answer);

/// Starts a simulated device that goes on from the core file of \p process. All
/// objects stay as they are, stopped, and the process isn't a core any longer:
/// its waves can be resumed.
/// \param files  The core's files and memory, a protocol::CoreFiles as JSON.
/// \param[out] error  Why it can't, allocated by the client's callback; only
///     set with the status ERROR, or with SUCCESS for a warning. NOT_SUPPORTED:
///     it isn't a core with waves.
amd_dbgapi_status_t
wavelane_dbgapi_simulate_core(amd_dbgapi_process_id_t process,
                              const char *files, char **error);

} // extern "C"

#endif // WAVELANE_PROTOCOL_LIBRARY_EXTENSIONS_H
