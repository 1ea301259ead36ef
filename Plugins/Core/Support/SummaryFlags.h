//===-- SummaryFlags.h - how our summaries are shown ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_SUMMARYFLAGS_H
#define WAVELANE_CORE_SUPPORT_SUMMARYFLAGS_H

#include "lldb/DataFormatters/TypeSummary.h"

namespace lldb_private {
namespace wavelane {

/// A summary in place of the value and its members, also for types derived from
/// the one that it is for.
inline TypeSummaryImpl::Flags GetSummaryFlags() {
  TypeSummaryImpl::Flags flags;
  return flags.SetCascades(true)
      .SetSkipPointers(true)
      .SetSkipReferences(false)
      .SetDontShowChildren(true)
      .SetDontShowValue(true)
      .SetShowMembersOneLiner(false)
      .SetHideItemNames(false);
}

} // namespace wavelane
} // namespace lldb_private

#endif
