//===-- MatrixLayout.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixLayout.h"
#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

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

static std::optional<MatrixInstruction::Type> ParseType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<MatrixInstruction::Type>>(name)
      .Case("i8", MatrixInstruction::I8)
      .Case("i32", MatrixInstruction::I32)
      .Case("f16", MatrixInstruction::F16)
      .Case("bf16", MatrixInstruction::BF16)
      .Case("f32", MatrixInstruction::F32)
      .Default(std::nullopt);
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
  const std::optional<::wavelane::gpu::MatrixShape> shape =
      ::wavelane::gpu::getMatrixShape(name);
  if (!shape || shape->Columns != shape->Rows || shape->Depth == 0 ||
      (shape->Rows != 4 && shape->Rows != 16 && shape->Rows != 32))
    return std::nullopt;
  result.rows = shape->Rows;
  result.depth = shape->Depth;
  const std::optional<Type> result_type = ParseType(shape->ResultType),
                            source_type = ParseType(shape->SourceType);
  if (!source_type || *source_type == I32 ||
      (result_type != F32 && result_type != I32))
    return std::nullopt;
  result.result = *result_type;
  result.source = *source_type;

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
