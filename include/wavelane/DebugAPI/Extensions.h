//===-- Extensions.h - what the embedded library knows more -----*- C++ -*-===//
//
// Functions of Wavelane's own library beside ROCdbgapi's, for what hardware can't
// do or tell. Another library has none of them.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGAPI_EXTENSIONS_H
#define WAVELANE_DEBUGAPI_EXTENSIONS_H

#include "wavelane/DebugAPI/amd-dbgapi.h"

extern "C" {

/// The lanes that the stop of \p wave is about: whose access hit a watchpoint or
/// couldn't be made, whose operands raised an arithmetic exception.
/// NOT_AVAILABLE after a stop for another reason.
amd_dbgapi_status_t wavelane_dbgapi_stop_lanes(amd_dbgapi_wave_id_t wave,
                                               uint64_t *lanes);

/// The address that the first of those lanes couldn't reach, or that \p wave couldn't
/// fetch instructions from: a global one, or one in the apertures of local and
/// private memory. NOT_AVAILABLE after a stop for another reason.
amd_dbgapi_status_t wavelane_dbgapi_stop_address(amd_dbgapi_wave_id_t wave,
                                                 uint64_t *address);

/// Whether ds_* instructions raise an address error outside of a workgroup's local
/// memory. They don't unless asked for, and on GPUs before gfx1250 can't.
amd_dbgapi_status_t
wavelane_dbgapi_set_local_range_exceptions(amd_dbgapi_process_id_t process, int on);

/// An address to watch with amd_dbgapi_set_watchpoint for byte \p offset of a
/// lane's private memory or, with \p is_local, of the local memory of the wave's
/// workgroup. A watchpoint of local memory hits in every workgroup.
/// \param[out] contiguous  Bytes that lie together from there.
amd_dbgapi_status_t wavelane_dbgapi_watch_address(amd_dbgapi_wave_id_t wave,
                                                  amd_dbgapi_lane_id_t lane,
                                                  int is_local, uint64_t offset,
                                                  uint64_t *address,
                                                  uint64_t *contiguous);

/// How many workgroups of \p dispatch have begun, those that have ended included.
/// NOT_AVAILABLE where the device doesn't tell.
amd_dbgapi_status_t
wavelane_dbgapi_dispatch_started(amd_dbgapi_dispatch_id_t dispatch,
                                 uint64_t *workgroups);

} // extern "C"

#endif // WAVELANE_DEBUGAPI_EXTENSIONS_H
