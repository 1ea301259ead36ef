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

/// By gfx9's or a later GPU's name: "global_load_dwordx2", "flat_store_b64".
static unsigned GetAccessSize(StringRef mnemonic) {
  static constexpr std::pair<StringRef, unsigned> sizes[] = {
      {"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}, {"dword", 4},
      {"b64", 8},     {"b96", 12},     {"b128", 16},    {"b32", 4},
      {"short", 2},   {"ushort", 2},   {"sshort", 2},   {"b16", 2},
      {"u16", 2},     {"i16", 2},      {"byte", 1},     {"ubyte", 1},
      {"sbyte", 1},   {"b8", 1},       {"u8", 1},       {"i8", 1},
      {"u32", 4},     {"i32", 4},      {"f32", 4},      {"x2", 8},
      {"u64", 8},     {"i64", 8},      {"f64", 8}};
  mnemonic.consume_back("_d16");
  mnemonic.consume_back("_hi");
  const StringRef last = mnemonic.rsplit('_').second;
  for (auto [suffix, size] : sizes)
    if (last == suffix)
      return size;
  // "global_atomic_add"
  return mnemonic.contains("_atomic_") && !mnemonic.contains("_pk_") ? 4 : 0;
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
  result.size = GetAccessSize(mnemonic);
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
  unsigned result_first, result_last;
  result.overwrites_address =
      position == 1 &&
      ParseRegisters(operands[0], 'v', result_first, result_last) &&
      result_first <= last && first <= result_last;
  if (is_global && ParseRegisters(operands.back(), 's', first, last) &&
      last == first + 1)
    result.scalar = first;
  if (!result.is_vector_pair && !result.scalar)
    return std::nullopt;
  return result;
}

} // namespace wavelane::server
