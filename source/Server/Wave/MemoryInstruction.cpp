//===-- MemoryInstruction.cpp - Where an instruction reaches --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryInstruction.h"
#include "wavelane/GPU/InstructionFacts.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace wavelane::server {

/// Parses "v7" as 7, 7 and "v[2:3]" as 2, 3.
static bool ParseRegisters(StringRef text, char file, unsigned &first,
                           unsigned &last) {
  text = text.trim();
  if (text.size() < 2 || text.front() != file)
    return false;
  text = text.drop_front();
  if (!text.consume_front("[")) {
    if (text.getAsInteger(10, first))
      return false;
    last = first;
    return true;
  }
  auto [low, high] = text.split(':');
  return high.consume_back("]") && !low.getAsInteger(10, first) &&
         !high.getAsInteger(10, last);
}

std::optional<MemoryInstruction> MemoryInstruction::Parse(StringRef text) {
  text = text.trim();
  auto [mnemonic, rest] = text.split(' ');
  const gpu::InstructionFacts facts = gpu::InstructionFacts::of(mnemonic);
  const bool is_global = facts.Unit == gpu::InstructionUnit::Global;
  const bool is_flat = facts.Unit == gpu::InstructionUnit::Flat;
  const bool is_scalar =
      facts.HasGlobalAddress && facts.Memory == gpu::MemoryOperation::Load;
  if (!is_global && !is_flat && !is_scalar)
    return std::nullopt;

  // Modifiers follow the last operand, after blanks: "off offset:16 glc".
  llvm::SmallVector<StringRef, 5> operands;
  rest.split(operands, ',');
  llvm::SmallVector<StringRef, 4> modifiers;
  if (operands.empty())
    return std::nullopt;
  operands.back().trim().split(modifiers, ' ', -1, /*KeepEmpty=*/false);
  if (modifiers.empty())
    return std::nullopt;
  operands.back() = modifiers.front();

  MemoryInstruction result;
  bool returns = false;
  for (StringRef modifier : llvm::ArrayRef<StringRef>(modifiers).drop_front()) {
    if (modifier.consume_front("offset:")) {
      if (modifier.getAsInteger(0, result.offset))
        return std::nullopt;
    } else if (modifier == "glc" || modifier == "sc0" ||
               modifier == "th:TH_ATOMIC_RETURN") {
      returns = true;
    }
  }

  unsigned first, last;
  if (is_scalar) {
    if (operands.size() != 3 ||
        !ParseRegisters(operands[1], 's', first, last) || last != first + 1)
      return std::nullopt;
    result.scalar = first;
    if (ParseRegisters(operands[2], 's', first, last))
      result.scalar_offset = first;
    else if (operands[2].trim() != "null") {
      int64_t offset;
      if (operands[2].trim().getAsInteger(0, offset))
        return std::nullopt;
      result.offset += offset;
    }
    return result;
  }

  result.is_store = facts.Memory == gpu::MemoryOperation::Store;
  result.is_atomic = facts.Memory == gpu::MemoryOperation::Atomic;
  const size_t position =
      result.is_store || (result.is_atomic && !returns) ? 0 : 1;
  if (position >= operands.size() ||
      !ParseRegisters(operands[position], 'v', first, last) || last > first + 1)
    return std::nullopt;
  result.vector = first;
  result.is_vector_pair = last == first + 1;
  if (is_global && ParseRegisters(operands.back(), 's', first, last) &&
      last == first + 1)
    result.scalar = first;
  if (!result.is_vector_pair && !result.scalar)
    return std::nullopt;
  return result;
}

} // namespace wavelane::server
