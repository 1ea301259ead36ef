//===-- Wave.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Wave.h"

#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

const RegisterInfo *Wave::FindRegister(llvm::StringRef name) {
  RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
  return reg_ctx_sp ? reg_ctx_sp->GetRegisterInfoByName(name) : nullptr;
}

std::optional<uint64_t> Wave::ReadScalarRegister(llvm::StringRef name) {
  RegisterContextSP reg_ctx_sp = GetThread().GetRegisterContext();
  const RegisterInfo *info = FindRegister(name);
  RegisterValue value;
  if (!info || info->byte_size > 8 || !reg_ctx_sp->ReadRegister(info, value))
    return std::nullopt;
  bool ok = false;
  const uint64_t result = value.GetAsUInt64(0, &ok);
  if (!ok)
    return std::nullopt;
  return result;
}
