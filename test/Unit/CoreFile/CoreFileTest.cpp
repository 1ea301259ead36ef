//===-- CoreFileTest.cpp - Core files, whole and damaged ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "cores/WalkCore.h"
#include "wavelane/Formats/CoreFile/LoadedImage.h"
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
        llvm::sys::fs::createUniqueDirectory("core-file-test", Folder));
    auto Opened = debugapi::Library::open(WAVELANE_TEST_LIBRARY);
    ASSERT_TRUE(bool(Opened)) << llvm::toString(Opened.takeError());
    Library = *Opened;
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  std::string path(const char *Name) { return (Folder + "/" + Name).str(); }
  std::string make(const char *Name, const std::string &Options = "") {
    const std::string Command = MAKE_GPU_CORE " " + path(Name) + " " + Options;
    EXPECT_EQ(system(Command.c_str()), 0) << Command;
    return path(Name);
  }
  void store(const char *Name, llvm::StringRef Bytes) {
    std::error_code Error;
    llvm::raw_fd_ostream Stream(path(Name), Error);
    Stream << Bytes;
  }
  static std::string reason(llvm::Expected<std::shared_ptr<CoreFile>> Core) {
    return Core ? "" : llvm::toString(Core.takeError());
  }
  Walk walk(const CoreFile &Core) {
    CoreSource Source;
    Source.note = Core.getGpuState();
    Source.read = [&](uint64_t Address, void *Buffer, size_t Size) {
      return Core.read(Address, Buffer, Size);
    };
    return CoreWalker(Library->api()).run(Source);
  }

  llvm::SmallString<128> Folder;
  std::shared_ptr<debugapi::Library> Library;
};

TEST_F(CoreFiles, GPUAlone) {
  auto Core = CoreFile::open(make("gpucore.4711"));
  ASSERT_TRUE(bool(Core)) << llvm::toString(Core.takeError());
  EXPECT_TRUE((*Core)->isGpuOnly());
  EXPECT_EQ((*Core)->getPid(), 4711u);
  EXPECT_EQ((*Core)->getGpuState().size(), 240u);
  EXPECT_EQ((*Core)->getMissingBytes(), 0u);
  auto State = summarize((*Core)->getGpuState());
  ASSERT_TRUE(State);
  EXPECT_EQ(State->Version, 1u);
  EXPECT_EQ(State->DriverMinor, 16u);
  EXPECT_EQ(State->Agents, 1u);
  EXPECT_EQ(State->RDebug, 0x10000u);
  const Walk Found = walk(**Core);
  EXPECT_EQ(Found.attached, AMD_DBGAPI_STATUS_SUCCESS);
  EXPECT_EQ(Found.waves, 6u);
  EXPECT_GT(Found.answers, 1000u);
}

TEST_F(CoreFiles, MemoryOfTwo) {
  const std::string Host = path("host");
  auto Core = CoreFile::open(make("gpucore.4711", "host=" + Host));
  auto Other = CoreFile::open(Host);
  ASSERT_TRUE(bool(Core) && bool(Other));
  EXPECT_FALSE((*Other)->isGpuOnly());
  EXPECT_EQ((*Other)->getPid(), 77u);
  EXPECT_TRUE((*Other)->getGpuState().empty());
  int32_t Version = 0;
  EXPECT_EQ((*Core)->read(0x10000, &Version, 4), 0u);
  EXPECT_EQ((*Other)->read(0x10000, &Version, 4), 4u);
  EXPECT_EQ(Version, 10);
  // A read stops at the end of memory.
  std::vector<uint8_t> Bytes(3 * 4096);
  EXPECT_EQ((*Other)->read(0x11000 + 100, Bytes.data(), Bytes.size()),
            4096u - 100);
  // The missing list is created, and created again.
  EXPECT_NE(walk(**Core).attached, AMD_DBGAPI_STATUS_SUCCESS);
  addCodeObjectList(**Core, 0x10000, 12);
  EXPECT_EQ(walk(**Core).waves, 0u);
  addCodeObjectList(**Core, 0x10000, 10);
  EXPECT_EQ(walk(**Core).waves, 6u);
}

TEST_F(CoreFiles, NoCores) {
  EXPECT_NE(reason(CoreFile::open(path("none"))).find("No such file"),
            std::string::npos);
  EXPECT_NE(reason(CoreFile::open(Folder)).find("ordinary file"),
            std::string::npos);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(reason(CoreFile::open(path("pipe"))).find("ordinary file"),
            std::string::npos);
  store("text", std::string(1000, 'x'));
  EXPECT_NE(reason(CoreFile::open(path("text"))).find("isn't an ELF file"),
            std::string::npos);
  EXPECT_NE(reason(CoreFile::open(MAKE_GPU_CORE)).find("isn't a core file"),
            std::string::npos);
}

/// ROCr 7's headers have a gap before the memory, which it writes to files,
/// not to pipes; 7.2 reserves it at the end of a file.
TEST_F(CoreFiles, MemoryWithoutTheGapOfItsHeaders) {
  auto Whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(Whole));
  std::string Bytes = (*Whole)->getBuffer().str();
  llvm::ELF::Elf64_Ehdr Header;
  memcpy(&Header, Bytes.data(), sizeof(Header));
  std::vector<llvm::ELF::Elf64_Phdr> Segments(Header.e_phnum);
  const size_t HeaderBytes = Segments.size() * sizeof(Segments[0]);
  memcpy(Segments.data(), &Bytes[Header.e_phoff], HeaderBytes);
  ASSERT_EQ(Segments[0].p_type, unsigned(llvm::ELF::PT_NOTE));
  const uint64_t NotesEnd = Segments[0].p_offset + Segments[0].p_filesz;
  const std::string Memory = Bytes.substr(Segments[1].p_offset);
  const uint64_t Moved = NotesEnd + 12 - Segments[1].p_offset;
  for (llvm::ELF::Elf64_Phdr &Segment : Segments)
    if (Segment.p_type == llvm::ELF::PT_LOAD)
      Segment.p_offset += Moved;
  Bytes.resize(NotesEnd);
  memcpy(&Bytes[Header.e_phoff], Segments.data(), HeaderBytes);
  const std::string Gap(12, '\0');
  store("right", Bytes + Gap + Memory);
  store("pipe", Bytes + Memory);
  store("file", Bytes + Memory + Gap);
  for (const char *Name : {"right", "pipe", "file"}) {
    SCOPED_TRACE(Name);
    auto Core = CoreFile::open(path(Name));
    ASSERT_TRUE(bool(Core)) << llvm::toString(Core.takeError());
    EXPECT_EQ((*Core)->getShift(), Name == llvm::StringRef("right") ? 0u : 12u);
    EXPECT_EQ((*Core)->getMissingBytes(), 0u);
    EXPECT_EQ(walk(**Core).waves, 6u);
  }
}

TEST_F(CoreFiles, OneThatCanBeReadInPartHasAnotherError) {
  auto Whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(Whole));
  auto Code = [&](size_t Size) {
    store("cut", (*Whole)->getBuffer().take_front(Size));
    std::error_code Code;
    llvm::handleAllErrors(CoreFile::open(path("cut")).takeError(),
                          [&](const llvm::StringError &Error) {
                            Code = Error.convertToErrorCode();
                          });
    return Code;
  };
  EXPECT_EQ(Code(100), std::errc::executable_format_error);
  EXPECT_EQ(Code(64 + 56), std::errc::executable_format_error);
  EXPECT_NE(Code(64 + 56 * 100), std::errc::executable_format_error);
  EXPECT_NE(Code(40), std::errc::executable_format_error);
}

TEST_F(CoreFiles, TruncatedAnywhere) {
  auto Whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(Whole));
  const llvm::StringRef Bytes = (*Whole)->getBuffer();
  uint32_t Seed = 20261121;
  unsigned Refused = 0, Failed = 0, Shown = 0;
  for (int I = 0; I < 1000; ++I) {
    Seed = Seed * 1664525 + 1013904223;
    // Half of them in the headers, notes and control structures.
    const size_t Size = (Seed >> 4) % (I % 2 ? Bytes.size() : 3000);
    store("cut", Bytes.take_front(Size));
    auto Core = CoreFile::open(path("cut"));
    if (!Core) {
      EXPECT_FALSE(llvm::toString(Core.takeError()).empty());
      ++Refused;
      continue;
    }
    EXPECT_EQ((*Core)->getMissingBytes() == 0, Size == Bytes.size());
    const Walk Found = walk(**Core);
    ++(Found.attached == AMD_DBGAPI_STATUS_SUCCESS ? Shown : Failed);
  }
  EXPECT_GT(Refused, 10u);
  EXPECT_GT(Failed, 10u);
  EXPECT_GT(Shown, 10u);
  // The undamaged file opens as before.
  EXPECT_EQ(walk(**CoreFile::open(path("gpucore.1"))).waves, 6u);
}

TEST_F(CoreFiles, ChangedAnywhere) {
  auto Whole = llvm::MemoryBuffer::getFile(make("gpucore.1"));
  ASSERT_TRUE(bool(Whole));
  uint32_t Seed = 1;
  for (int I = 0; I < 1000; ++I) {
    std::string Bytes = (*Whole)->getBuffer().str();
    for (int K = 0; K < 4; ++K) {
      Seed = Seed * 1664525 + 1013904223;
      Bytes[(Seed >> 4) % (K % 2 ? Bytes.size() : 1200)] ^=
          char(1 << (Seed & 7));
    }
    store("changed", Bytes);
    auto Core = CoreFile::open(path("changed"));
    if (Core)
      walk(**Core);
    else
      llvm::consumeError(Core.takeError());
  }
}

} // namespace
