//===-- CalledFunction.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CalledFunction.h"

#include "lldb/Core/Address.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Status.h"
#include "llvm/Support/Endian.h"

using namespace lldb;
using namespace lldb_private;

std::string wavelane::GetCalledFunction(Target &target, addr_t return_address) {
  // call rel32 of x86-64.
  constexpr uint8_t kCall = 0xe8;
  constexpr size_t kSize = 5;
  uint8_t bytes[kSize];
  Address call, called;
  Status error;
  if (!target.ResolveLoadAddress(return_address - kSize, call) ||
      target.ReadMemory(call, bytes, kSize, error) != kSize ||
      bytes[0] != kCall)
    return "";
  const int32_t distance = llvm::support::endian::read32le(bytes + 1);
  if (!target.ResolveLoadAddress(return_address + distance, called))
    return "";
  SymbolContext context;
  called.CalculateSymbolContext(&context,
                                eSymbolContextFunction | eSymbolContextSymbol);
  return context.GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
      .GetStringRef()
      .split('@')
      .first.str();
}

bool wavelane::IsRuntimeLibrary(const FileSpec &file) {
  const llvm::StringRef name = file.GetFilename().GetStringRef();
  return llvm::any_of(
      llvm::ArrayRef{"libamdhip64.so", "libwavelane-driver.so",
                     "libhsa-runtime64.so"},
      [&](const char *library) { return name.starts_with(library); });
}
