//===-- ProgramTargets.cpp - The GPUs that a program has code for ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"

using namespace llvm;

std::vector<std::vector<std::string>>
wavelane::offload::readTargets(StringRef Program) {
  std::vector<std::vector<std::string>> All;
  Expected<object::ELF64LEFile> File = object::ELF64LEFile::create(Program);
  if (!File) {
    consumeError(File.takeError());
    return All;
  }
  auto Sections = File->sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return All;
  }
  for (const object::ELF64LEFile::Elf_Shdr &Section : *Sections) {
    Expected<StringRef> Name = File->getSectionName(Section);
    if (!Name || *Name != ".hip_fatbin") {
      consumeError(Name.takeError());
      continue;
    }
    auto Contents = File->getSectionContents(Section);
    if (!Contents) {
      consumeError(Contents.takeError());
      continue;
    }
    readBundles(toStringRef(*Contents), [&](uint64_t, Expected<Bundle> Read) {
      if (Read)
        All.push_back(Read->getTargetIds());
      else
        consumeError(Read.takeError());
    });
  }
  return All;
}
