//===-- MatrixLayout.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixLayout.h"
#include "llvm/ADT/SmallVector.h"

using namespace lldb_private::wavelane;

std::optional<RegisterRun> RegisterRun::Parse(llvm::StringRef text) {
  RegisterRun run;
  text = text.trim();
  if (text.empty() || (text[0] != 'v' && text[0] != 'a'))
    return std::nullopt;
  run.file = text[0];
  text = text.drop_front();
  if (!text.consume_front("[")) {
    run.count = 1;
    return text.getAsInteger(10, run.first) ? std::nullopt : std::optional(run);
  }
  unsigned last = 0;
  auto [first, rest] = text.split(':');
  if (!rest.consume_back("]") || first.getAsInteger(10, run.first) ||
      rest.getAsInteger(10, last) || last < run.first || last > 511)
    return std::nullopt;
  run.count = last - run.first + 1;
  return run;
}

std::optional<MatrixInstruction>
MatrixInstruction::Parse(llvm::StringRef text) {
  MatrixInstruction result;
  text = text.trim();
  const size_t space = text.find_first_of(" \t");
  if (space == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef name = text.take_front(space),
                  operands = text.drop_front(space);
  result.name = name.str();
  if (!name.consume_front("v_mfma_"))
    return std::nullopt;
  name.consume_back("_e64");
  auto [type, rest] = name.split('_');
  if (type == "f32")
    result.result = F32;
  else if (type == "i32")
    result.result = I32;
  else
    return std::nullopt;
  // Examples: "32x32x8f16", "32x32x4_2b_f32", "16x16x16bf16_1k".
  unsigned columns = 0;
  if (rest.consumeInteger(10, result.rows) || !rest.consume_front("x") ||
      rest.consumeInteger(10, columns) || !rest.consume_front("x") ||
      rest.consumeInteger(10, result.depth) || columns != result.rows ||
      (columns != 4 && columns != 16 && columns != 32) || result.depth == 0)
    return std::nullopt;
  rest.consume_front("_");
  unsigned named_blocks = 0;
  llvm::StringRef with_blocks = rest;
  if (!with_blocks.consumeInteger(10, named_blocks) &&
      with_blocks.consume_front("b_"))
    rest = with_blocks;
  rest.consume_back("_1k");
  if (rest == "f32")
    result.source = F32;
  else if (rest == "f16")
    result.source = F16;
  else if (rest == "bf16")
    result.source = BF16;
  else if (rest == "i8" || rest == "_i8")
    result.source = I8;
  else
    return std::nullopt;

  llvm::SmallVector<llvm::StringRef, 6> words;
  operands.split(words, ',');
  if (words.size() < 4)
    return std::nullopt;
  // Modifiers follow the last operand.
  result.d = RegisterRun::Parse(words[0]);
  result.a = RegisterRun::Parse(words[1]);
  result.b = RegisterRun::Parse(words[2]);
  result.c = RegisterRun::Parse(words[3].trim().split(' ').first);
  if (!result.d || !result.a || !result.b)
    return std::nullopt;
  constexpr unsigned Lanes = 64;
  result.blocks = result.d->count * Lanes / (result.rows * result.rows);
  const unsigned in_lane = result.a->count * 4 / GetSize(result.source);
  const unsigned groups = result.blocks > 1 ? 1 : Lanes / result.rows;
  // The number of registers must match the sizes of the matrices.
  if (result.blocks == 0 || result.blocks * result.rows > Lanes ||
      result.blocks * result.rows * result.rows != result.d->count * Lanes ||
      (result.c && result.c->count != result.d->count) ||
      result.a->count != result.b->count || in_lane * groups < result.depth)
    return std::nullopt;
  return result;
}

MatrixInstruction::Place MatrixInstruction::FindResult(unsigned block,
                                                       unsigned row,
                                                       unsigned column) const {
  if (rows == 4)
    return {row, block * 4 + column, 0};
  // Four registers hold four rows; the next rows are in other lanes.
  const unsigned groups = 64 / rows, in_block = rows * rows / 64;
  return {block * in_block + row / (4 * groups) * 4 + row % 4,
          row / 4 % groups * rows + column, 0};
}

MatrixInstruction::Place MatrixInstruction::FindSource(const RegisterRun &run,
                                                       unsigned block,
                                                       unsigned line,
                                                       unsigned k) const {
  const unsigned size = GetSize(source), in_lane = run.count * 4 / size;
  const unsigned byte = k % in_lane * size;
  return {byte / 4, line + rows * (blocks > 1 ? block : k / in_lane), byte % 4};
}
