//===-- ProcessorsTest.cpp - the table of GPUs against LLVM's -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/Processors.h"

#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/TargetParser.h"

#include <gtest/gtest.h>
#include <set>

using namespace wavelane::gpu;

/// LLVM's name for an EF_AMDGPU_MACH, empty if it has none.
static std::string llvmNameOf(uint32_t Machine) {
  llvm::object::ELF64LE::Ehdr Header = {};
  memcpy(Header.e_ident, llvm::ELF::ElfMagic, 4);
  Header.e_ident[llvm::ELF::EI_CLASS] = llvm::ELF::ELFCLASS64;
  Header.e_ident[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2LSB;
  Header.e_ident[llvm::ELF::EI_VERSION] = 1;
  Header.e_machine = llvm::ELF::EM_AMDGPU;
  Header.e_version = 1;
  Header.e_ehsize = sizeof(Header);
  Header.e_flags = Machine;
  auto File = llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(
      llvm::StringRef(reinterpret_cast<const char *>(&Header), sizeof(Header)),
      ""));
  if (!File) {
    llvm::consumeError(File.takeError());
    return "not read";
  }
  // LLVM aborts on numbers that it doesn't know.
  switch (Machine) {
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_RESERVED_0X40:
  case llvm::ELF::EF_AMDGPU_MACH_AMDGCN_RESERVED_0X4B:
    return "";
  default:
    return File->tryGetCPUName().value_or("").str();
  }
}

TEST(Processors, MachinesAreLLVMs) {
  for (const Processor &P : processors())
    if (P.llvmName() == std::string(P.Name))
      EXPECT_EQ(llvmNameOf(P.ElfMachine), P.Name);
}

TEST(Processors, VersionsAreLLVMs) {
  for (const Processor &P : devices()) {
    if (P.llvmName() != std::string(P.Name))
      continue;
    const llvm::AMDGPU::IsaVersion V = llvm::AMDGPU::getIsaVersion(P.Name);
    EXPECT_EQ(P.TargetVersion, V.Major * 10000 + V.Minor * 100 + V.Stepping)
        << P.Name;
    EXPECT_EQ(P.generation(), V.Major) << P.Name;
  }
}

TEST(Processors, FeaturesAreLLVMs) {
  for (const Processor &P : processors()) {
    const unsigned Kind = llvm::AMDGPU::getArchAttrAMDGCN(
        llvm::AMDGPU::parseArchAMDGCN(P.llvmName()));
    EXPECT_EQ(P.hasFeature("xnack"), bool(Kind & llvm::AMDGPU::FEATURE_XNACK))
        << P.Name;
    EXPECT_EQ(P.hasFeature("sramecc"),
              bool(Kind & llvm::AMDGPU::FEATURE_SRAMECC))
        << P.Name;
    EXPECT_EQ(P.hasWave32(), bool(Kind & llvm::AMDGPU::FEATURE_WAVE32))
        << P.Name;
  }
}

TEST(Processors, NoneIsThereTwice) {
  std::set<std::string> Names;
  std::set<uint32_t> Machines, Versions;
  for (const Processor &P : processors()) {
    EXPECT_TRUE(Names.insert(P.Name).second) << P.Name;
    EXPECT_TRUE(Machines.insert(P.ElfMachine).second) << P.Name;
    if (!P.isGeneric())
      EXPECT_TRUE(Versions.insert(P.TargetVersion).second) << P.Name;
  }
}

TEST(Processors, WhatROCmNamesIsThere) {
  for (const char *Name :
       {"gfx906",          "gfx908",          "gfx90a",
        "gfx942",          "gfx950",          "gfx1030",
        "gfx1031",         "gfx1032",         "gfx1033",
        "gfx1034",         "gfx1035",         "gfx1036",
        "gfx1100",         "gfx1101",         "gfx1102",
        "gfx1103",         "gfx1150",         "gfx1151",
        "gfx1152",         "gfx1153",         "gfx1200",
        "gfx1201",         "gfx9-generic",    "gfx9-4-generic",
        "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic",
        "gfx12-generic"}) {
    const Processor *P = findByName(Name);
    ASSERT_NE(P, nullptr) << Name;
    EXPECT_EQ(whyNotModeled(Name).empty(), !P->isGeneric()) << Name;
  }
}

TEST(Processors, AreFound) {
  EXPECT_EQ(findByName("gfx90a")->Id, ProcessorId::GFX90A);
  EXPECT_EQ(findByName("gfx90a:sramecc+:xnack-")->Id, ProcessorId::GFX90A);
  EXPECT_EQ(findByName("gfx9-4-generic")->Id, ProcessorId::GFX9_4_GENERIC);
  for (const char *Name :
       {"", "gfx", "gfx90", "gfx90aa", "GFX90A", "sm_90", ":xnack+"})
    EXPECT_EQ(findByName(Name), nullptr) << Name;

  // Features are in the bits above the machine, a generic target's version at
  // the top.
  EXPECT_EQ(findByElfFlags(0x53f)->Id, ProcessorId::GFX90A);
  EXPECT_EQ(findByElfFlags(0x01000054)->Id, ProcessorId::GFX11_GENERIC);
  EXPECT_EQ(findByElfFlags(0), nullptr);
  EXPECT_EQ(findByElfFlags(0xff), nullptr);

  EXPECT_EQ(findByTargetVersion(110500)->Id, ProcessorId::GFX1150);
  EXPECT_EQ(findByTargetVersion(90010)->Id, ProcessorId::GFX90A);
  // Generic targets have no version, and aren't devices.
  EXPECT_EQ(findByTargetVersion(0), nullptr);
  EXPECT_EQ(findByTargetVersion(130000), nullptr);

  for (const Processor &P : processors()) {
    EXPECT_EQ(findByName(P.targetId()), &P);
    EXPECT_EQ(findByElfFlags(P.ElfMachine), &P);
    EXPECT_EQ(&get(P.Id), &P);
    if (!P.isGeneric())
      EXPECT_EQ(findByTargetVersion(P.TargetVersion), &P);
  }
}

TEST(Processors, GenericCodeRunsOnItsGPUs) {
  const auto Runs = [](const char *Code, const char *Device) {
    return findByName(Code)->runsOn(*findByName(Device));
  };
  EXPECT_TRUE(Runs("gfx90a", "gfx90a"));
  EXPECT_FALSE(Runs("gfx90a", "gfx908"));
  EXPECT_TRUE(Runs("gfx9-generic", "gfx906"));
  EXPECT_FALSE(Runs("gfx9-generic", "gfx908"));
  EXPECT_FALSE(Runs("gfx9-generic", "gfx90a"));
  EXPECT_TRUE(Runs("gfx9-4-generic", "gfx942"));
  EXPECT_TRUE(Runs("gfx9-4-generic", "gfx950"));
  EXPECT_FALSE(Runs("gfx10-1-generic", "gfx1030"));
  EXPECT_TRUE(Runs("gfx10-3-generic", "gfx1036"));
  EXPECT_TRUE(Runs("gfx11-generic", "gfx1150"));
  EXPECT_TRUE(Runs("gfx12-generic", "gfx1201"));
  EXPECT_FALSE(Runs("gfx12-generic", "gfx1250"));
  EXPECT_FALSE(Runs("gfx1030", "gfx10-3-generic"));
}

TEST(Processors, FactsOfFamilies) {
  const auto Of = [](const char *Name) -> const Family & {
    return findByName(Name)->family();
  };
  EXPECT_EQ(Of("gfx906").Acc, AccRegisters::None);
  EXPECT_EQ(Of("gfx908").Acc, AccRegisters::Twin);
  EXPECT_EQ(Of("gfx90a").Acc, AccRegisters::Unified);
  EXPECT_FALSE(Of("gfx908").PacksWorkItemIds);
  EXPECT_TRUE(Of("gfx90a").PacksWorkItemIds);
  EXPECT_FALSE(Of("gfx1036").PacksWorkItemIds);
  EXPECT_FALSE(Of("gfx90a").HasArchitectedScratch);
  EXPECT_TRUE(Of("gfx950").HasArchitectedScratch);
  EXPECT_FALSE(Of("gfx10-3-generic").HasArchitectedScratch);
  EXPECT_TRUE(Of("gfx11-generic").HasArchitectedScratch);
  EXPECT_EQ(Of("gfx90a").defaultLanes(), 64u);
  EXPECT_EQ(Of("gfx1010").defaultLanes(), 32u);
  EXPECT_EQ(Of("gfx1030").TrapWord, 0xbf920001u);
  EXPECT_EQ(Of("gfx1103").TrapWord, 0xbf900001u);
  // A save area has a limited number of bits for engines, and for the waves of
  // each.
  EXPECT_EQ(Of("gfx90a").maxEngines(), 8u);
  EXPECT_EQ(Of("gfx90a").maxUnitsPerEngine(), 16u);
  EXPECT_EQ(Of("gfx906").maxUnitsPerEngine(), 12u);
  EXPECT_EQ(Of("gfx1010").maxUnitsPerEngine(), 25u);
  EXPECT_EQ(Of("gfx1201").maxUnitsPerEngine(), 32u);
  EXPECT_FALSE(Of("gfx1036").parks(9));
  EXPECT_FALSE(Of("gfx1100").parks(8));
  EXPECT_TRUE(Of("gfx1100").parks(9));
  EXPECT_EQ(findByName("gfx950")->LocalBytes, 160u * 1024);
  EXPECT_EQ(Of("gfx950").LargestInstruction, 16u);
  EXPECT_EQ(Of("gfx942").LargestInstruction, 8u);
  EXPECT_EQ(Of("gfx1036").LargestInstruction, 20u);
  EXPECT_EQ(Of("gfx1201").LargestInstruction, 24u);
  EXPECT_EQ(Of("gfx90a").CacheLine, 64u);
  EXPECT_EQ(Of("gfx942").CacheLine, 128u);
  EXPECT_EQ(Of("gfx1030").CacheLine, 128u);
  EXPECT_EQ(Of("gfx942").LocalBanks, 32u);
  EXPECT_EQ(Of("gfx950").LocalBanks, 64u);
}

TEST(Processors, WhatIsMissingIsSaid) {
  EXPECT_EQ(whyNotModeled("gfx90a"), "");
  EXPECT_NE(whyNotModeled("gfx1250").find("clusters of workgroups"),
            std::string::npos);
  EXPECT_EQ(whyNotModeled("gfx1250").find("gfx1250 is not modeled: "), 0u);
  EXPECT_EQ(whyNotModeled("gfx9-generic"),
            "gfx9-generic is a target for code, not a GPU");
  EXPECT_EQ(whyNotModeled("sm_90"), "there is no simulated sm_90");
  EXPECT_FALSE(get(ProcessorId::GFX1250).family().HasControlStack);
}

TEST(Processors, CodeAndDevice) {
  const Processor &GFX90A = get(ProcessorId::GFX90A);
  for (const char *Target :
       {"gfx90a", "gfx90a:xnack-", "gfx90a:sramecc+", "gfx90a:sramecc+:xnack-",
        "gfx90a:xnack-:sramecc+"})
    EXPECT_TRUE(canRun(Target, GFX90A)) << Target;
  for (const char *Target :
       {"gfx90a:xnack+", "gfx90a:sramecc+:xnack+", "gfx90a:xnack",
        "gfx90a:", "gfx9-generic", "gfx90", "gfx90aa", "gfx908", "sm_90", ""})
    EXPECT_FALSE(canRun(Target, GFX90A)) << Target;
  EXPECT_TRUE(canRun("gfx11-generic", get(ProcessorId::GFX1100)));
  EXPECT_FALSE(canRun("gfx11-generic", get(ProcessorId::GFX1030)));
}

TEST(Processors, ChoiceOfDevice) {
  using Bundles = std::vector<std::vector<std::string>>;
  auto Choose = [](const Bundles &B) {
    return std::string(chooseDevice(B).Name);
  };
  EXPECT_EQ(Choose({}), "gfx90a");
  EXPECT_EQ(Choose({{}}), "gfx90a");
  EXPECT_EQ(Choose({{"gfx1100"}}), "gfx1100");
  EXPECT_EQ(Choose({{"gfx1201", "gfx1100"}}), "gfx1201");
  EXPECT_EQ(Choose({{"gfx1100", "gfx90a:xnack-"}}), "gfx90a");
  EXPECT_EQ(Choose({{"gfx90a:xnack+", "gfx942"}}), "gfx942");
  EXPECT_EQ(Choose({{"gfx11-generic"}}), "gfx1100");
  // A GPU that can't be simulated isn't chosen.
  EXPECT_EQ(Choose({{"gfx1250", "gfx1030"}}), "gfx1030");
  EXPECT_EQ(Choose({{"gfx1250"}, {"sm_90"}}), "gfx90a");
  // A GPU that all bundles have code for, although each lists another one
  // first.
  EXPECT_EQ(Choose({{"gfx90a", "gfx1100"}, {"gfx1030", "gfx1100"}}), "gfx1100");
  EXPECT_EQ(Choose({{"gfx1030"}, {"gfx1100"}, {"gfx90a"}}), "gfx90a");
}

TEST(Processors, DwarfNumbers) {
  EXPECT_EQ(dwarf::scalar(63), 95u);
  EXPECT_EQ(dwarf::scalar(64), 1088u);
  EXPECT_EQ(dwarf::vector(1, 32), 1537u);
  EXPECT_EQ(dwarf::vector(1, 64), 2561u);
  EXPECT_EQ(dwarf::accumulation(0, 64), 3072u);
  for (unsigned Number :
       {1536u, 1791u, 2048u, 2303u, 2560u, 2815u, 3072u, 3327u})
    EXPECT_TRUE(dwarf::isVector(Number)) << Number;
  for (unsigned Number :
       {0u, 16u, 95u, 1088u, 1535u, 1792u, 2304u, 2816u, 3328u})
    EXPECT_FALSE(dwarf::isVector(Number)) << Number;
}
