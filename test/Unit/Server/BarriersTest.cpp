//===-- BarriersTest.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Library/Barriers.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace wavelane::server;
using testing::ElementsAreArray;

namespace {

using Places = std::vector<std::pair<uint64_t, std::optional<uint64_t>>>;

/// The barriers of Barriers.s for a processor: those found, and those given by
/// its symbols.
class BarriersTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    const std::string path =
        std::string(CODE_OBJECTS "/Barriers-") + GetParam() + ".co";
    m_buffer = std::move(*llvm::MemoryBuffer::getFile(path));
    m_file = llvm::cantFail(
        llvm::object::ObjectFile::createELFObjectFile(*m_buffer));
  }
  const llvm::object::ELF64LEObjectFile &elf() {
    return llvm::cast<llvm::object::ELF64LEObjectFile>(*m_file);
  }
  std::optional<uint64_t> At(llvm::StringRef name) {
    for (const llvm::object::ELFSymbolRef symbol : elf().symbols())
      if (llvm::cantFail(symbol.getName()) == name)
        return llvm::cantFail(symbol.getAddress());
    return std::nullopt;
  }

  std::unique_ptr<llvm::MemoryBuffer> m_buffer;
  std::unique_ptr<llvm::object::ObjectFile> m_file;
};

TEST_P(BarriersTest, InstructionsAndTheirKernels) {
  // Excludes a constant that looks like a barrier, and code after data.
  Places wanted = {{*At("in_helper"), std::nullopt},
                   {*At("in_first"), *At("first")}};
  if (std::optional<uint64_t> grid = At("grid_in_first"))
    wanted.emplace_back(*grid, *At("first"));
  wanted.emplace_back(*At("in_second"), *At("second"));
  Places found;
  for (const BarrierInstruction &barrier : FindBarriers(elf()))
    found.emplace_back(barrier.address, barrier.kernel);
  EXPECT_THAT(found, ElementsAreArray(wanted));
}

INSTANTIATE_TEST_SUITE_P(GPUs, BarriersTest,
                         testing::Values("gfx90a", "gfx1030", "gfx1100",
                                         "gfx1201"));

TEST(BarriersOfOtherCode, None) {
  auto buffer = std::move(*llvm::MemoryBuffer::getFile(PROGRAM));
  auto file =
      llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile(*buffer));
  EXPECT_TRUE(
      FindBarriers(llvm::cast<llvm::object::ELF64LEObjectFile>(*file)).empty());
}

} // namespace
