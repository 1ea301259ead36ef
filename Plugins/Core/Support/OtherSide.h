//===-- OtherSide.h - a program's target on the other processor -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_OTHERSIDE_H
#define WAVELANE_CORE_SUPPORT_OTHERSIDE_H

#include "lldb/lldb-forward.h"

namespace lldb_private {
namespace wavelane {

/// The GPU's target of a program on the host, and the host's of one on a GPU.
/// \return Null if there is none.
lldb::TargetSP GetOtherSide(Target &target);

/// Called once, by what knows both.
void SetOtherSide(lldb::TargetSP (*find)(Target &));

} // namespace wavelane
} // namespace lldb_private

#endif
