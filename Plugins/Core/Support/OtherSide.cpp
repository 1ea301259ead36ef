//===-- OtherSide.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OtherSide.h"

#include "lldb/Target/Target.h"

using namespace lldb_private;

static lldb::TargetSP (*g_find)(Target &) = nullptr;

lldb::TargetSP wavelane::GetOtherSide(Target &target) {
  return g_find ? g_find(target) : nullptr;
}

void wavelane::SetOtherSide(lldb::TargetSP (*find)(Target &)) { g_find = find; }
