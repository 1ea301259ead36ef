//===-- CoreFileTest.cpp - Core files, whole and damaged ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CoreFile/CoreFile.h"
#include "cores/WalkCore.h"
#include "wavelane/CoreFile/LoadedImage.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <sys/stat.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::corefile;
using namespace wavelane::test;

namespace {

class CoreFiles : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(
        llvm::sys::fs::createUniqueDirectory("core-file-test", folder));
    auto opened = debugapi::Library::open(WAVELANE_TEST_LIBRARY);
    ASSERT_TRUE(bool(opened)) << llvm::toString(opened.takeError());
    library = *opened;
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string path(const char *name) { return (folder + "/" + name).str(); }
  std::string make(const char *name, const std::string &options = "") {
    const std::string command = MAKE_GPU_CORE " " + path(name) + " " + options;
    EXPECT_EQ(system(command.c_str()), 0) << command;
    return path(name);
  }
  void store(const char *name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream stream(path(name), error);
    stream << bytes;
  }
  static std::string reason(llvm::Expected<std::shared_ptr<CoreFile>> core) {
    return core ? "" : llvm::toString(core.takeError());
  }
  Walk walk(const CoreFile &core) {
    CoreSource source;
    source.note = core.GetGPUState();
    source.read = [&](uint64_t address, void *buffer, size_t size) {
      return core.Read(address, buffer, size);
    };
    return CoreWalker(library->api()).run(source);
  }

  llvm::SmallString<128> folder;
  std::shared_ptr<debugapi::Library> library;
};

TEST_F(CoreFiles, GPUAlone) {
  auto core = CoreFile::Open(make("gpucore.4711"));
  ASSERT_TRUE(bool(core)) << llvm::toString(core.takeError());
  EXPECT_TRUE((*core)->IsGPUOnly());
  EXPECT_EQ((*core)->GetPID(), 4711u);
  EXPECT_EQ((*core)->GetGPUState().size(), 240u);
  EXPECT_EQ((*core)->GetMissingBytes(), 0u);
  auto state = Summarize((*core)->GetGPUState());
  ASSERT_TRUE(state);
  EXPECT_EQ(state->version, 1u);
  EXPECT_EQ(state->driver_minor, 16u);
  EXPECT_EQ(state->agents, 1u);
  EXPECT_EQ(state->r_debug, 0x10000u);
  const Walk found = walk(**core);
  EXPECT_EQ(found.attached, AMD_DBGAPI_STATUS_SUCCESS);
  EXPECT_EQ(found.waves, 6u);
  EXPECT_GT(found.answers, 1000u);
}

TEST_F(CoreFiles, MemoryOfTwo) {
  const std::string host = path("host");
  auto core = CoreFile::Open(make("gpucore.4711", "host=" + host));
  auto other = CoreFile::Open(host);
  ASSERT_TRUE(bool(core) && bool(other));
  EXPECT_FALSE((*other)->IsGPUOnly());
  EXPECT_EQ((*other)->GetPID(), 77u);
  EXPECT_TRUE((*other)->GetGPUState().empty());
  int32_t version = 0;
  EXPECT_EQ((*core)->Read(0x10000, &version, 4), 0u);
  EXPECT_EQ((*other)->Read(0x10000, &version, 4), 4u);
  EXPECT_EQ(version, 10);
  // A read ends where the memory does.
  std::vector<uint8_t> bytes(3 * 4096);
  EXPECT_EQ((*other)->Read(0x11000 + 100, bytes.data(), bytes.size()),
            4096u - 100);
  // The list that was missing is made, and made again.
  EXPECT_NE(walk(**core).attached, AMD_DBGAPI_STATUS_SUCCESS);
  AddCodeObjectList(**core, 0x10000, 12);
  EXPECT_EQ(walk(**core).waves, 0u);
  AddCodeObjectList(**core, 0x10000, 10);
  EXPECT_EQ(walk(**core).waves, 6u);
}

TEST_F(CoreFiles, NoCores) {
  EXPECT_NE(reason(CoreFile::Open(path("none"))).find("No such file"),
            std::string::npos);
  EXPECT_NE(reason(CoreFile::Open(folder)).find("no ordinary file"),
            std::string::npos);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(reason(CoreFile::Open(path("pipe"))).find("no ordinary file"),
            std::string::npos);
  store("text", std::string(1000, 'x'));
  EXPECT_NE(reason(CoreFile::Open(path("text"))).find("no ELF file"),
            std::string::npos);
  EXPECT_NE(reason(CoreFile::Open(MAKE_GPU_CORE)).find("no core file"),
            std::string::npos);
}

TEST_F(CoreFiles, OneThatCanBeReadInPartHasAnotherError) {
  auto whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(whole));
  auto code = [&](size_t size) {
    store("cut", (*whole)->getBuffer().take_front(size));
    std::error_code code;
    llvm::handleAllErrors(CoreFile::Open(path("cut")).takeError(),
                          [&](const llvm::StringError &error) {
                            code = error.convertToErrorCode();
                          });
    return code;
  };
  EXPECT_EQ(code(100), std::errc::executable_format_error);
  EXPECT_EQ(code(64 + 56), std::errc::executable_format_error);
  EXPECT_NE(code(64 + 56 * 100), std::errc::executable_format_error);
  EXPECT_NE(code(40), std::errc::executable_format_error);
}

TEST_F(CoreFiles, TruncatedAnywhere) {
  auto whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(whole));
  const llvm::StringRef bytes = (*whole)->getBuffer();
  uint32_t seed = 20261121;
  unsigned refused = 0, failed = 0, shown = 0;
  for (int i = 0; i < 1000; ++i) {
    seed = seed * 1664525 + 1013904223;
    // Half of them where the headers, notes and control structures stand.
    const size_t size = (seed >> 4) % (i % 2 ? bytes.size() : 3000);
    store("cut", bytes.take_front(size));
    auto core = CoreFile::Open(path("cut"));
    if (!core) {
      EXPECT_FALSE(llvm::toString(core.takeError()).empty());
      ++refused;
      continue;
    }
    EXPECT_EQ((*core)->GetMissingBytes() == 0, size == bytes.size());
    const Walk found = walk(**core);
    ++(found.attached == AMD_DBGAPI_STATUS_SUCCESS ? shown : failed);
  }
  EXPECT_GT(refused, 10u);
  EXPECT_GT(failed, 10u);
  EXPECT_GT(shown, 10u);
  // And the whole one opens as before.
  EXPECT_EQ(walk(**CoreFile::Open(path("gpucore.1"))).waves, 6u);
}

TEST_F(CoreFiles, ChangedAnywhere) {
  auto whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(whole));
  uint32_t seed = 1;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = (*whole)->getBuffer().str();
    for (int k = 0; k < 4; ++k) {
      seed = seed * 1664525 + 1013904223;
      bytes[(seed >> 4) % (k % 2 ? bytes.size() : 1200)] ^=
          char(1 << (seed & 7));
    }
    store("changed", bytes);
    auto core = CoreFile::Open(path("changed"));
    if (core)
      walk(**core);
    else
      llvm::consumeError(core.takeError());
  }
}

} // namespace
