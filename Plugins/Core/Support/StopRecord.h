//===-- StopRecord.h - the record of a thread's stop ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's stop reasons have a text for people, and room for more information,
// which SBThread::GetStopReasonExtendedInfoAsJSON gives to programs. That is
// where a stop's record is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_SUPPORT_STOPRECORD_H
#define WAVELANE_CORE_SUPPORT_STOPRECORD_H

#include "lldb/lldb-forward.h"
#include "wavelane/Protocol/Server/Stop.h"

namespace lldb_private::wavelane {

void SetStopRecord(StopInfo &info, const ::wavelane::protocol::Stop &stop);

/// nullptr if \a info has none; as long as it keeps this one.
const ::wavelane::protocol::Stop *GetStopRecord(StopInfo &info);

} // namespace lldb_private::wavelane

#endif
