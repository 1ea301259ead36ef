//===-- LocalLayoutTest.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes are those of test/programs/hip/shared.hip, compiled by clang 19 and
// 22.
//===----------------------------------------------------------------------===//

#include "SymbolFile/LaneDWARF/LocalLayout.h"
#include "gtest/gtest.h"

using namespace lldb_private::wavelane;
using Field = LocalLayout::Field;
using Function = LocalLayout::Function;

static Field MakeField(uint64_t key, const char *name, uint64_t size) {
  return {key, name, size, LocalLayout::GetLeastAlign(size)};
}

static Function MakeCalled(const char *name, std::vector<Field> fields) {
  return {name, std::move(fields), {}, true};
}

static uint64_t GetPlace(const LocalLayout &layout, uint64_t key,
                         const char *kernel) {
  llvm::Expected<uint64_t> offset = layout.GetOffset(key, kernel);
  if (offset)
    return *offset;
  ADD_FAILURE() << llvm::toString(offset.takeError());
  return UINT64_MAX;
}

static std::string GetError(const LocalLayout &layout, uint64_t key,
                            const char *kernel) {
  llvm::Expected<uint64_t> offset = layout.GetOffset(key, kernel);
  return offset ? "at " + std::to_string(*offset)
                : llvm::toString(offset.takeError());
}

TEST(LocalLayout, FunctionOfOneKernelIsInItsBlock) {
  const LocalLayout layout(
      {{"first", 516}, {"second", 256}},
      {MakeCalled("first", {MakeField(1, "_ZZ5firstE3own", 256)}),
       MakeCalled("second", {MakeField(2, "_ZZ6secondE4part", 256)}),
       MakeCalled("reverse", {MakeField(3, "_ZZ7reverseE4tile", 256),
                              MakeField(4, "_ZZ7reverseE5count", 4)})});
  // Fields of the same size are sorted by name; the small one is last.
  EXPECT_EQ(GetPlace(layout, 1, "first"), 0u);
  EXPECT_EQ(GetPlace(layout, 3, "first"), 256u);
  EXPECT_EQ(GetPlace(layout, 4, "first"), 512u);
  EXPECT_EQ(GetPlace(layout, 2, "second"), 0u);
  // The same without the kernel's name, since only one kernel has the field.
  EXPECT_EQ(GetPlace(layout, 3, ""), 256u);
  EXPECT_EQ(GetError(layout, 3, "second"),
            "no layout fits the 256 bytes of the kernel");
}

TEST(LocalLayout, KernelWithoutLocalMemory) {
  const LocalLayout layout(
      {{"first", 0}},
      {MakeCalled("first", {MakeField(1, "_ZZ5firstE3own", 4)})});
  EXPECT_EQ(GetError(layout, 1, "first"),
            "the kernel uses none, so the compiler has removed it");
}

TEST(LocalLayout, FunctionOfSeveralKernelsComesFirst) {
  const LocalLayout layout(
      {{"third", 320}, {"fourth", 768}},
      {MakeCalled("third", {MakeField(1, "_ZZ5thirdE5small", 64)}),
       MakeCalled("fourth", {MakeField(2, "_ZZ6fourthE5large", 512)}),
       MakeCalled("both", {MakeField(3, "_ZZ4bothE5pairs", 256)})});
  EXPECT_EQ(GetPlace(layout, 3, ""), 0u);
  EXPECT_EQ(GetPlace(layout, 1, "third"), 256u);
  EXPECT_EQ(GetPlace(layout, 2, "fourth"), 256u);
}

TEST(LocalLayout, InlinedFunctionIsInEachKernelsBlock) {
  Function part = {
      "part", {MakeField(1, "_ZZ4partE1p", 64)}, {"a", "b"}, false};
  const LocalLayout layout(
      {{"a", 64}, {"b", 320}},
      {part, MakeCalled("b", {MakeField(2, "_ZZ1bE1q", 256)})});
  EXPECT_EQ(GetPlace(layout, 1, "a"), 0u);
  EXPECT_EQ(GetPlace(layout, 1, "b"), 256u);
  EXPECT_EQ(GetError(layout, 1, ""), "the kernel isn't known");
}

TEST(LocalLayout, TwoFunctionsThatFitEitherWayAreNotGuessed) {
  // Either function may belong to either kernel.
  const LocalLayout layout({{"a", 64}, {"b", 64}},
                           {MakeCalled("f", {MakeField(1, "f", 64)}),
                            MakeCalled("g", {MakeField(2, "g", 64)})});
  // In each case, it is at the beginning.
  EXPECT_EQ(GetPlace(layout, 1, "a"), 0u);
  const LocalLayout mixed({{"a", 192}},
                          {MakeCalled("a", {MakeField(3, "m", 64)}),
                           MakeCalled("f", {MakeField(1, "f", 64)}),
                           MakeCalled("g", {MakeField(2, "g", 64)})});
  EXPECT_EQ(GetPlace(mixed, 2, "a"), 64u);
}

TEST(LocalLayout, UnknownVariablesAreLastIfSmall) {
  // 4 bytes more than described.
  const LocalLayout layout({{"a", 260}},
                           {MakeCalled("a", {MakeField(1, "x", 256)})});
  EXPECT_EQ(GetPlace(layout, 1, "a"), 0u);
  const LocalLayout large({{"a", 512}},
                          {MakeCalled("a", {MakeField(1, "x", 4)})});
  EXPECT_EQ(GetError(large, 1, "a"),
            "no layout fits the 512 bytes of the kernel");
}

TEST(LocalLayout, ArrayWithoutBoundIsBehindAllOthers) {
  const LocalLayout layout({{"a", 260}},
                           {MakeCalled("a", {MakeField(1, "x", 256),
                                             MakeField(2, "y", 4),
                                             {3, "z", 0, llvm::Align(16)}})});
  EXPECT_EQ(GetPlace(layout, 3, "a"), 272u);
}

TEST(LocalLayout, ManyFunctionsDontTakeForEver) {
  std::vector<Function> functions;
  LocalLayout::Kernels kernels;
  for (uint64_t i = 0; i < 12; ++i) {
    const std::string name = "f" + std::to_string(i);
    functions.push_back(
        MakeCalled(name.c_str(), {MakeField(i, name.c_str(), 64)}));
    kernels["k" + std::to_string(i)] = 64;
  }
  const LocalLayout layout(kernels, functions);
  EXPECT_EQ(GetError(layout, 1, "k1"),
            "no layout fits the 64 bytes of the kernel");
}

TEST(LocalLayout, PrivateObjectsMayBeInLocalMemory) {
  const std::vector<Function> functions = {
      MakeCalled("kernel", {MakeField(1, "shared", 256)})};
  // A structure of 12 bytes of 1024 work-items is after the field; one of 16
  // stayed private.
  EXPECT_EQ(GetPlace({{{"kernel", 12544}},
                      functions,
                      {{"kernel", {12 * 1024, 16 * 1024}}}},
                     1, "kernel"),
            0u);
  // Nothing known fills the rest: something larger may come first.
  EXPECT_EQ(GetError({{{"kernel", 12544}}, functions, {{"kernel", {4096}}}}, 1,
                     "kernel"),
            "no layout fits the 12544 bytes of the kernel");
}
