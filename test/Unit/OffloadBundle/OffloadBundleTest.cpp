//===-- OffloadBundleTest.cpp - bundles, good and damaged -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own writer creates the compressed bundles.
//
//===----------------------------------------------------------------------===//

#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "wavelane/MemoryLimit/MemoryShare.h"

#include "llvm/Object/ELF.h"
#include "llvm/Object/OffloadBundle.h"
#include "llvm/Support/Endian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::offload;
using namespace std::string_literals;
using testing::HasSubstr;

namespace {

void put(std::string &Out, uint64_t Value, unsigned Bytes = 8) {
  for (unsigned I = 0; I < Bytes; ++I)
    Out += char(Value >> 8 * I);
}

using Parts = std::vector<std::pair<std::string, std::string>>;

std::string makePlain(const Parts &Parts) {
  std::string Head = "__CLANG_OFFLOAD_BUNDLE__", Payload;
  put(Head, Parts.size());
  uint64_t HeadSize = Head.size();
  for (const auto &[Id, Contents] : Parts)
    HeadSize += 24 + Id.size();
  for (const auto &[Id, Contents] : Parts) {
    put(Head, HeadSize + Payload.size());
    put(Head, Contents.size());
    put(Head, Id.size());
    Head += Id;
    Payload += Contents;
  }
  return Head + Payload;
}

const char Gfx90a[] = "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-";

/// The contents vary, so they don't compress to almost nothing.
std::string sample() {
  std::string Code;
  for (unsigned I = 0; I < 3000; ++I)
    put(Code, I * 2654435761u, 4);
  return makePlain({{"host-x86_64-unknown-linux--", ""}, {Gfx90a, Code}});
}

std::string compress(StringRef Plain, compression::Format Format,
                     uint16_t Version) {
  auto Out = object::CompressedOffloadBundle::compress(
      compression::Params(Format),
      *MemoryBuffer::getMemBuffer(Plain, "", false),
      std::max<uint16_t>(Version, 2));
  EXPECT_TRUE(bool(Out));
  std::string Bytes = (*Out)->getBuffer().str();
  if (Version == 1) {
    // Magic, version, method; the file's size, which version 1 lacks.
    Bytes[4] = 1;
    Bytes.erase(8, 4);
  }
  return Bytes;
}

std::string whyNot(StringRef Data) {
  Expected<Bundle> B = Bundle::read(Data);
  return B ? "" : toString(B.takeError());
}

struct Kind {
  compression::Format Format;
  uint16_t Version;
};
class Compressed : public testing::TestWithParam<Kind> {
protected:
  std::string make() {
    return compress(sample(), GetParam().Format, GetParam().Version);
  }
};

TEST(OffloadBundle, Entries) {
  const std::string Data =
      makePlain({{"host-x86_64-unknown-linux--", ""},
                 {Gfx90a, "some code"},
                 {"hip-spirv64-amd-amdhsa--amdgcnspirv", "x"}}) +
      "what follows";
  Expected<Bundle> B = Bundle::read(Data);
  ASSERT_TRUE(bool(B)) << toString(B.takeError());
  EXPECT_FALSE(B->isCompressed());
  EXPECT_EQ(B->size(), Data.size() - strlen("what follows"));
  ASSERT_EQ(B->entries().size(), 3u);
  EXPECT_EQ(B->entries()[0].getTargetId(), "");
  EXPECT_EQ(B->entries()[0].Contents, "");
  EXPECT_EQ(B->entries()[1].getTargetId(), "gfx90a:xnack-");
  EXPECT_EQ(B->entries()[1].Contents, "some code");
  EXPECT_EQ(B->entries()[1].Contents.data(),
            Data.data() + Data.find("some code"));
  EXPECT_EQ(B->entries()[2].getTargetId(), "");
}

TEST(OffloadBundle, TargetIds) {
  for (auto [Id, Target] :
       std::initializer_list<std::pair<StringRef, StringRef>>{
           {"hip-amdgcn-amd-amdhsa-gfx906", "gfx906"},
           {"hipv4-amdgcn-amd-amdhsa--gfx10-3-generic", "gfx10-3-generic"},
           {"hipv4-amdgcn-amd-amdhsa-unknown-gfx942:sramecc+:xnack-",
            "gfx942:sramecc+:xnack-"},
           {"openmp-nvptx64-nvidia-cuda--sm_70", ""},
           {"", ""}})
    EXPECT_EQ((Entry{Id, ""}.getTargetId()), Target) << Id.str();
}

TEST_P(Compressed, IsReadLikeAPlainOne) {
  const std::string Plain = sample();
  for (const char *Behind : {"", "CCOB and what follows"}) {
    const std::string Data = make();
    Expected<Bundle> B = Bundle::read(Data + Behind);
    ASSERT_TRUE(bool(B)) << toString(B.takeError());
    EXPECT_TRUE(B->isCompressed());
    EXPECT_EQ(B->size(), Data.size());
    Expected<Bundle> Same = Bundle::read(Plain);
    ASSERT_TRUE(bool(Same));
    ASSERT_EQ(B->entries().size(), 2u);
    EXPECT_EQ(B->entries()[1].Id, Gfx90a);
    EXPECT_EQ(B->entries()[1].Contents, Same->entries()[1].Contents);
  }
}

TEST_P(Compressed, KeepsItsContentsWhenMoved) {
  Expected<Bundle> B = Bundle::read(make());
  ASSERT_TRUE(bool(B));
  Bundle Moved = std::move(*B);
  B = createStringError("gone");
  consumeError(B.takeError());
  EXPECT_EQ(Moved.entries()[1].Contents.size(), 12000u);
  EXPECT_EQ(Moved.entries()[1].Id, Gfx90a);
}

TEST_P(Compressed, AnyTruncationIsAnError) {
  const std::string Whole = make();
  for (size_t Size = 0; Size < Whole.size();
       Size += Size < 64 || Size + 64 > Whole.size() ? 1 : 97)
    EXPECT_NE(whyNot(StringRef(Whole).take_front(Size)), "") << Size;
}

TEST_P(Compressed, DamageNeverGivesOtherContents) {
  const std::string Whole = make(), Plain = sample();
  unsigned Read = 0;
  for (size_t At = 0; At < Whole.size(); At += At < 64 ? 1 : 61) {
    std::string Damaged = Whole;
    Damaged[At] ^= 0x10;
    Expected<Bundle> B = Bundle::read(Damaged);
    if (!B) {
      consumeError(B.takeError());
      continue;
    }
    // A zstd frame has one unused bit.
    ++Read;
    EXPECT_EQ(B->entries()[1].Contents, StringRef(Plain).take_back(12000))
        << At;
  }
  EXPECT_LE(Read, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, Compressed,
                         testing::Values(Kind{compression::Format::Zlib, 1},
                                         Kind{compression::Format::Zstd, 1},
                                         Kind{compression::Format::Zlib, 2},
                                         Kind{compression::Format::Zstd, 2},
                                         Kind{compression::Format::Zlib, 3},
                                         Kind{compression::Format::Zstd, 3}),
                         [](const auto &Info) {
                           return std::string(Info.param.Format ==
                                                      compression::Format::Zlib
                                                  ? "Zlib"
                                                  : "Zstd") +
                                  std::to_string(Info.param.Version);
                         });

TEST(OffloadBundle, AnyTruncationIsAnError) {
  const std::string Whole = makePlain({{Gfx90a, "code"}});
  for (size_t Size = 0; Size < Whole.size(); ++Size)
    EXPECT_NE(whyNot(StringRef(Whole).take_front(Size)), "") << Size;
  EXPECT_EQ(whyNot(Whole), "");
}

TEST(OffloadBundle, SaysWhatIsWrong) {
  EXPECT_EQ(whyNot("\177ELF"), "there is no offload bundle");
  std::string Huge = makePlain({{Gfx90a, "code"}});
  std::fill_n(Huge.begin() + 24, 8, '\xff');
  EXPECT_EQ(whyNot(Huge), "the offload bundle is truncated: entry 1 of "
                          "18446744073709551615 is incomplete");
  std::string Far = makePlain({{Gfx90a, "code"}});
  std::fill_n(Far.begin() + 32, 8, '\xff');
  EXPECT_EQ(whyNot(Far),
            std::string("the offload bundle is truncated: the code "
                        "object for ") +
                Gfx90a + " ends beyond it");

  const std::string Good = compress(sample(), compression::Format::Zstd, 3);
  auto With = [&](size_t At, uint64_t Value, unsigned Bytes) {
    std::string Bad = Good.substr(0, At);
    put(Bad, Value, Bytes);
    return Bad + Good.substr(At + Bytes);
  };
  EXPECT_EQ(whyNot(With(4, 4, 2)),
            "the offload bundle is compressed in format version 4, which is "
            "unknown (1 to 3 are known)");
  EXPECT_EQ(whyNot(With(6, 7, 2)),
            "the offload bundle is compressed by method 7, which is unknown "
            "(0, zlib, and 1, zstd, are known)");
  EXPECT_THAT(whyNot(With(8, Good.size() + 1, 8)), HasSubstr("is truncated: "));
  EXPECT_EQ(whyNot(With(8, 3, 8)), "the offload bundle is damaged: its header "
                                   "says that it has 3 bytes");
  EXPECT_THAT(whyNot(With(16, UINT64_MAX, 8)),
              HasSubstr("bytes hold 18446744073709551615"));
  // No more than its bytes could contain, but more than they do.
  EXPECT_THAT(whyNot(With(16, 1 << 20, 8)), HasSubstr("is damaged: it has 12"));
  EXPECT_THAT(whyNot(With(16, 100, 8)), HasSubstr("can't be decompressed: "));
  // As much as its bytes could contain, but more than the machine should give.
  const uint64_t TooMuch =
      wavelane::memorylimit::contentsShare() + (uint64_t(1) << 20);
  std::string Bomb = With(16, TooMuch, 8);
  Bomb.resize(Bomb.size() + TooMuch / 30000);
  EXPECT_THAT(whyNot(Bomb.substr(0, 8) + With(8, Bomb.size(), 8).substr(8, 8) +
                     Bomb.substr(16)),
              HasSubstr("isn't read: its header says that it has " +
                        std::to_string(TooMuch >> 20) + " MiB"));
  EXPECT_EQ(whyNot(With(24, 1, 8)),
            "the offload bundle is damaged: its contents "
            "don't have the hash that its header says");
  EXPECT_EQ(whyNot(compress("no bundle at all", compression::Format::Zstd, 3)),
            "the offload bundle has something other than code objects in it");
}

/// An ELF file with one section of that name and contents.
std::string makeProgram(StringRef Name, StringRef Contents) {
  using ELFT = object::ELF64LE;
  const std::string Names = "\0.shstrtab\0"s + Name.str() + '\0';
  ELFT::Ehdr Header = {};
  memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_shoff = sizeof(Header);
  Header.e_shentsize = sizeof(ELFT::Shdr);
  Header.e_shnum = 3;
  Header.e_shstrndx = 1;
  ELFT::Shdr Sections[3] = {};
  Sections[1].sh_type = ELF::SHT_STRTAB;
  Sections[1].sh_name = 1;
  Sections[1].sh_offset = sizeof(Header) + sizeof(Sections);
  Sections[1].sh_size = Names.size();
  Sections[2].sh_type = ELF::SHT_PROGBITS;
  Sections[2].sh_name = 11;
  Sections[2].sh_offset = Sections[1].sh_offset + Names.size();
  Sections[2].sh_size = Contents.size();
  return std::string(reinterpret_cast<char *>(&Header), sizeof(Header)) +
         std::string(reinterpret_cast<char *>(Sections), sizeof(Sections)) +
         Names + Contents.str();
}

TEST(OffloadBundle, TargetsOfProgram) {
  using Targets = std::vector<std::vector<std::string>>;
  const std::string Fatbin =
      makePlain({{"host-x86_64-unknown-linux--", ""},
                 {"hipv4-amdgcn-amd-amdhsa--gfx1100", "code"},
                 {Gfx90a, "more code"}}) +
      std::string(100, '\0') + compress(sample(), compression::Format::Zstd, 3);
  EXPECT_EQ(readTargets(makeProgram(".hip_fatbin", Fatbin)),
            (Targets{{"gfx1100", "gfx90a:xnack-"}, {"gfx90a:xnack-"}}));
  EXPECT_EQ(readTargets(makeProgram(".data", Fatbin)), Targets());
  EXPECT_EQ(readTargets(""), Targets());
  EXPECT_EQ(readTargets("no ELF file"), Targets());
  const std::string Whole = makeProgram(".hip_fatbin", Fatbin);
  for (size_t Size = 0; Size < Whole.size(); Size += 7)
    EXPECT_LE(readTargets(StringRef(Whole).take_front(Size)).size(), 2u);
}

TEST(OffloadBundle, SectionOfSeveral) {
  const std::string Plain = makePlain({{Gfx90a, "first CCOB code"}});
  const std::string Packed = compress(sample(), compression::Format::Zstd, 3);
  std::string Damaged = Packed;
  Damaged[Damaged.size() / 2] ^= 1;
  const std::string Section = std::string(16, '\0') + Plain +
                              std::string(9, '\0') + Damaged + Packed +
                              std::string(64, '\0');
  std::vector<std::pair<uint64_t, bool>> Found;
  readBundles(Section, [&](uint64_t Offset, Expected<Bundle> B) {
    Found.emplace_back(Offset, bool(B));
    if (!B)
      consumeError(B.takeError());
  });
  const uint64_t First = 16, Second = First + Plain.size() + 9;
  ASSERT_GE(Found.size(), 3u);
  EXPECT_EQ(Found.front(), std::make_pair(First, true));
  EXPECT_EQ(Found[1], std::make_pair(Second, false));
  EXPECT_EQ(Found.back(), std::make_pair(Second + Damaged.size(), true));
}

} // namespace
