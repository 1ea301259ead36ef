//===-- CodeObjectTest.cpp - bundles and code objects, good and bad -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulator/Runtime/CodeObject.h"
#include "Simulator/Common/Agent.h"
#include "wavelane/Simulator/KernelMetadata.h"

#include "gtest/gtest.h"

#include <cstring>
#include <elf.h>

using namespace wavelane::runtime;

namespace {

const char Target[] = "gfx90a:sramecc+:xnack-";

std::vector<uint8_t> bundle(std::initializer_list<std::string> Ids) {
  std::vector<uint8_t> Out;
  auto Put = [&Out](const void *P, size_t N) {
    auto *B = static_cast<const uint8_t *>(P);
    Out.insert(Out.end(), B, B + N);
  };
  Put("__CLANG_OFFLOAD_BUNDLE__", 24);
  uint64_t Count = Ids.size();
  Put(&Count, 8);
  uint64_t Payload = 32;
  for (const std::string &Id : Ids)
    Payload += 24 + Id.size();
  for (const std::string &Id : Ids) {
    const uint64_t Entry[3] = {Payload, 4, Id.size()};
    Put(Entry, 24);
    Put(Id.data(), Id.size());
    Payload += 4;
  }
  for (unsigned I = 0; I < Ids.size(); ++I) {
    const uint32_t Mark = 0x1000 + I;
    Put(&Mark, 4);
  }
  return Out;
}

hipError_t select(const std::vector<uint8_t> &Bytes, uint32_t &Mark,
                  std::string &Why) {
  ChosenCode Chosen;
  const hipError_t E =
      selectCodeObject(Bytes.data(), Bytes.size(), Target, Chosen, Why);
  if (E == hipSuccess)
    memcpy(&Mark, Chosen.Elf, 4);
  return E;
}

TEST(OffloadBundle, PicksTheDevicesEntry) {
  uint32_t Mark = 0;
  std::string Why;
  EXPECT_EQ(select(bundle({"host-x86_64-unknown-linux--",
                           "hipv4-amdgcn-amd-amdhsa--gfx1030",
                           "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
                           "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"}),
                   Mark, Why),
            hipSuccess);
  EXPECT_EQ(Mark, 0x1003u);
}

TEST(OffloadBundle, SaysWhatItHolds) {
  uint32_t Mark;
  std::string Why;
  EXPECT_EQ(select(bundle({"host-x86_64-unknown-linux--",
                           "hipv4-amdgcn-amd-amdhsa--gfx1030",
                           "hipv4-amdgcn-amd-amdhsa--gfx908"}),
                   Mark, Why),
            hipErrorNoBinaryForGpu);
  EXPECT_EQ(Why, "it has code for gfx1030, gfx908, and the device is "
                 "gfx90a:sramecc+:xnack-; simulate another one: wavelane-run "
                 "--device gfx1030, or WAVELANE_PROCESSOR=gfx1030 in its "
                 "environment");
}

TEST(OffloadBundle, AnyTruncationIsAnError) {
  std::vector<uint8_t> Whole = bundle({"hipv4-amdgcn-amd-amdhsa--gfx90a"});
  for (size_t Size = 0; Size < Whole.size(); ++Size) {
    std::vector<uint8_t> Part(Whole.begin(), Whole.begin() + long(Size));
    uint32_t Mark;
    std::string Why;
    EXPECT_EQ(select(Part, Mark, Why), hipErrorInvalidImage) << Size;
    EXPECT_FALSE(Why.empty());
  }
}

TEST(OffloadBundle, HugeCountsAreAnError) {
  std::vector<uint8_t> B = bundle({"hipv4-amdgcn-amd-amdhsa--gfx908"});
  memset(B.data() + 24, 0xff, 8);
  uint32_t Mark;
  std::string Why;
  EXPECT_EQ(select(B, Mark, Why), hipErrorInvalidImage);
}

TEST(CodeObject, OfAnotherGpuIsNamed) {
  Arena Memory;
  AgentDescription Device = {};
  Device.elf_machine = 0x3f;
  snprintf(Device.target_id, sizeof(Device.target_id), "%s", Target);
  snprintf(Device.processor, sizeof(Device.processor), "gfx90a");
  Elf64_Ehdr H = {};
  memcpy(H.e_ident, ELFMAG, SELFMAG);
  H.e_ident[EI_CLASS] = ELFCLASS64;
  H.e_ident[EI_DATA] = ELFDATA2LSB;
  H.e_ident[EI_OSABI] = 64;
  H.e_ident[EI_ABIVERSION] = 3;
  H.e_machine = 224;
  H.e_type = ET_DYN;
  H.e_flags = 0x36;
  CodeObject Out;
  std::string Why;
  EXPECT_EQ(loadCodeObject(Memory, reinterpret_cast<uint8_t *>(&H), sizeof(H),
                           Device, Out, Why),
            hipErrorNoBinaryForGpu);
  EXPECT_EQ(Why, "the code object is for gfx1030; the device is "
                 "gfx90a:sramecc+:xnack-");
  H.e_flags = 0x53f;
  EXPECT_EQ(loadCodeObject(Memory, reinterpret_cast<uint8_t *>(&H), sizeof(H),
                           Device, Out, Why),
            hipErrorInvalidImage);
  for (size_t Size = 0; Size < sizeof(H); ++Size)
    EXPECT_EQ(loadCodeObject(Memory, reinterpret_cast<uint8_t *>(&H), Size,
                             Device, Out, Why),
              hipErrorInvalidImage);
}

TEST(CodeObject, FeaturesAndGenericTargetsAsTheLoaderMatchesThem) {
  // EF_AMDGPU_MACH in bits 0-7; xnack in 8-9, sramecc in 10-11: 0 none, 1 any,
  // 2 off, 3 on.
  const struct {
    const char *Gpu;
    uint32_t Flags;
    const char *Why; ///< null if it fits
  } Cases[] = {
      {"gfx90a", 0x53f, nullptr},
      {"gfx90a", 0xe3f, nullptr}, // xnack-, sramecc+
      {"gfx90a", 0x73f,
       "the code object needs xnack on; the device is "
       "gfx90a:sramecc+:xnack-"},
      {"gfx90a", 0x93f,
       "the code object needs sramecc off; the device is "
       "gfx90a:sramecc+:xnack-"},
      {"gfx90a", 0x151,
       "the code object is for gfx9-generic; the device is "
       "gfx90a:sramecc+:xnack-"},
      {"gfx942", 0x54c, nullptr},
      {"gfx942", 0x53f,
       "the code object is for gfx90a; the device is "
       "gfx942:sramecc+:xnack-"},
      {"gfx1030", 0x36, nullptr},
      {"gfx1030", 0x01000053, nullptr},
      {"gfx1030", 0x01000054,
       "the code object is for gfx11-generic; the device "
       "is gfx1030"},
      {"gfx1100", 0x01000054, nullptr},
      {"gfx1100", 0x45,
       "the code object is for gfx1036; the device is gfx1100"},
      {"gfx1201", 0x01000059, nullptr},
  };
  for (const auto &C : Cases) {
    const auto *P = wavelane::gpu::findByName(C.Gpu);
    ASSERT_TRUE(P);
    Arena Memory;
    AgentDescription Device = {};
    Device.elf_machine = P->ElfMachine;
    snprintf(Device.target_id, sizeof(Device.target_id), "%s",
             P->targetId().c_str());
    snprintf(Device.processor, sizeof(Device.processor), "%s", P->Name);
    Elf64_Ehdr H = {};
    memcpy(H.e_ident, ELFMAG, SELFMAG);
    H.e_ident[EI_CLASS] = ELFCLASS64;
    H.e_ident[EI_DATA] = ELFDATA2LSB;
    H.e_ident[EI_OSABI] = 64;
    H.e_ident[EI_ABIVERSION] = 4;
    H.e_machine = 224;
    H.e_type = ET_DYN;
    H.e_flags = C.Flags;
    CodeObject Out;
    std::string Why;
    // For fitting code, loading continues with the program headers, which are
    // missing.
    EXPECT_EQ(loadCodeObject(Memory, reinterpret_cast<uint8_t *>(&H), sizeof(H),
                             Device, Out, Why),
              C.Why ? hipErrorNoBinaryForGpu : hipErrorInvalidImage)
        << C.Gpu << " " << std::hex << C.Flags << " " << Why;
    if (C.Why)
      EXPECT_EQ(Why, C.Why);
  }
}

TEST(CodeObject, DamagedMetadataIsRefused) {
  auto Accepts = [](std::string Blob) {
    llvm::msgpack::Document Into;
    return wavelane::simulator::readKernelMetadata(Blob, Into);
  };
  // {"a": [1, {"b": 2}]}
  EXPECT_TRUE(Accepts("\x81\xa1"
                      "a\x92\x01\x81\xa1"
                      "b\x02"));
  // Two keys that are maps can't be compared: LLVM's reader ends the process.
  EXPECT_FALSE(Accepts("\x82\x80\x01\x80\x02"));
  EXPECT_FALSE(Accepts("\x82\x90\x01\x90\x02"));
  // Too short; an extension; arrays without end.
  EXPECT_FALSE(Accepts("\x82\xa1"
                       "a"));
  EXPECT_FALSE(Accepts("\xd4\x01\x02"));
  EXPECT_FALSE(Accepts(std::string(100000, '\x91')));
  EXPECT_FALSE(Accepts(""));
}

} // namespace
