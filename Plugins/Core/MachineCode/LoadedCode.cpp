//===-- LoadedCode.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoadedCode.h"
#include "Core/Support/Processor.h"

#include "lldb/Symbol/Symbol.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Longer than any instruction of any GPU, in bytes.
static constexpr size_t kMaxInstruction = 24;
/// A larger function is an error in its symbol.
static constexpr addr_t kMaxFunction = 16 << 20;

std::shared_ptr<AMDGPUMachineCode>
lldb_private::wavelane::GetMachineCodeAt(Target &target, addr_t address) {
  return AMDGPUMachineCode::Get(
      GetProcessorName(GetArchitectureAt(target, address)));
}

std::vector<uint8_t> lldb_private::wavelane::ReadCode(Target &target,
                                                      const Address &start,
                                                      size_t size) {
  std::vector<uint8_t> bytes(size);
  Status error;
  bytes.resize(target.ReadMemory(start, bytes.data(), size, error,
                                 /*force_live=*/false));
  return bytes;
}

void lldb_private::wavelane::ForEachInstruction(
    Target &target, const Address &start, size_t size,
    llvm::function_ref<bool(AMDGPUMachineCode &, addr_t,
                            const AMDGPUMachineCode::Instruction *)>
        visit) {
  const addr_t load = start.GetLoadAddress(&target);
  if (load == LLDB_INVALID_ADDRESS)
    return;
  std::shared_ptr<AMDGPUMachineCode> code = GetMachineCodeAt(target, load);
  if (!code)
    return;
  const std::vector<uint8_t> bytes =
      ReadCode(target, start, std::min<size_t>(size, kMaxFunction));
  for (size_t at = 0; at < bytes.size();) {
    const std::optional<AMDGPUMachineCode::Instruction> instruction =
        code->Decode(llvm::ArrayRef<uint8_t>(bytes).drop_front(at), load + at);
    if (!visit(*code, load + at, instruction ? &*instruction : nullptr))
      return;
    at += instruction ? instruction->size : 4;
  }
}

std::optional<AMDGPUMachineCode::Instruction>
lldb_private::wavelane::DecodeAt(Target &target, addr_t address) {
  std::shared_ptr<AMDGPUMachineCode> code = GetMachineCodeAt(target, address);
  Address place;
  if (!code || !target.ResolveLoadAddress(address, place))
    return std::nullopt;
  return code->Decode(ReadCode(target, place, kMaxInstruction), address);
}

std::optional<AddressRange>
lldb_private::wavelane::GetSymbolRange(Target &target, addr_t address) {
  Address resolved;
  if (!target.ResolveLoadAddress(address, resolved))
    return std::nullopt;
  Symbol *symbol = resolved.CalculateSymbolContextSymbol();
  if (!symbol || !symbol->ValueIsAddress())
    return std::nullopt;
  const addr_t start = symbol->GetLoadAddress(&target);
  if (start > address || address - start > kMaxFunction)
    return std::nullopt;
  return AddressRange(
      symbol->GetAddressRef(),
      std::max(symbol->GetByteSize(), address - start + kMaxInstruction));
}

bool lldb_private::wavelane::IsInsideInstruction(Target &target,
                                                 addr_t address) {
  const std::optional<AddressRange> range = GetSymbolRange(target, address);
  if (!range)
    return false;
  const addr_t start = range->GetBaseAddress().GetLoadAddress(&target);
  bool is_inside = false;
  ForEachInstruction(target, range->GetBaseAddress(),
                     address - start + kMaxInstruction,
                     [&](AMDGPUMachineCode &, addr_t at,
                         const AMDGPUMachineCode::Instruction *instruction) {
                       // Padding between functions, or an instruction that LLVM
                       // doesn't know.
                       if (!instruction || at >= address)
                         return false;
                       is_inside = at + instruction->size > address;
                       return !is_inside;
                     });
  return is_inside;
}
