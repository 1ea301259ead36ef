//===-- Processors.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/Processors.h"

#include <algorithm>

using namespace wavelane::gpu;

/// EF_AMDGPU_MACH.
static constexpr uint32_t MachineMask = 0xff;

static constexpr bool areFamiliesInOrder() {
  for (size_t I = 0; I < std::size(Families); ++I)
    if (Families[I].Id != FamilyId(I))
      return false;
  return true;
}
static_assert(areFamiliesInOrder(),
              "Families, in Processors.h, isn't in the order of FamilyId");

static constexpr bool areProcessorsInOrder() {
  for (size_t I = 0; I < ProcessorCount; ++I) {
    const Processor &P = Processors[I];
    if (P.isGeneric() != (I >= devices().size()))
      return false;
    if (!P.isGeneric() &&
        P.family().HasControlStack != (I < debuggable().size()))
      return false;
  }
  return true;
}
static_assert(
    areProcessorsInOrder(),
    "the lines of Processors.def aren't in the order described there");

static constexpr bool areGenericTargetsRight() {
  for (const Processor &P : Processors)
    if (P.Generic != ProcessorId::NONE &&
        (!get(P.Generic).isGeneric() ||
         get(P.Generic).generation() != P.generation()))
      return false;
  return true;
}
static_assert(areGenericTargetsRight(),
              "a GPU's generic target, in Processors.def, is a GPU or of "
              "another generation");

const Processor *wavelane::gpu::findByName(std::string_view Name) {
  Name = Name.substr(0, Name.find(':'));
  for (const Processor &P : Processors)
    if (Name == P.Name)
      return &P;
  return nullptr;
}

const Processor *wavelane::gpu::findByElfFlags(uint32_t Flags) {
  for (const Processor &P : Processors)
    if (P.ElfMachine == (Flags & MachineMask))
      return &P;
  return nullptr;
}

const Processor *wavelane::gpu::findByTargetVersion(uint32_t Version) {
  for (const Processor &P : devices())
    if (P.TargetVersion == Version)
      return &P;
  return nullptr;
}

bool wavelane::gpu::canRun(std::string_view TargetId, const Processor &Device) {
  const Processor *Code = findByName(TargetId);
  if (!Code || !Code->runsOn(Device))
    return false;
  const std::string Features = std::string(Device.Features) + ":";
  for (size_t At = TargetId.find(':'); At != std::string_view::npos;) {
    const size_t End = TargetId.find(':', At + 1);
    const std::string Feature(TargetId.substr(At, End - At));
    if (Features.find(Feature + ":") == std::string::npos)
      return false;
    At = End;
  }
  return true;
}

const Processor &wavelane::gpu::chooseDevice(
    const std::vector<std::vector<std::string>> &Bundles) {
  const Processor *Best = &get(DefaultDevice);
  auto CountBundles = [&Bundles](const Processor &Device) {
    return std::count_if(Bundles.begin(), Bundles.end(),
                         [&Device](const auto &Targets) {
                           return std::any_of(Targets.begin(), Targets.end(),
                                              [&Device](const auto &Target) {
                                                return canRun(Target, Device);
                                              });
                         });
  };
  auto Most = CountBundles(*Best);
  for (const std::vector<std::string> &Targets : Bundles)
    for (const std::string &Target : Targets)
      for (const Processor &Device : devices())
        if (Device.isModeled() && canRun(Target, Device))
          if (auto Count = CountBundles(Device); Count > Most) {
            Most = Count;
            Best = &Device;
          }
  return *Best;
}

std::string wavelane::gpu::whyNotModeled(std::string_view Name) {
  const Processor *P = findByName(Name);
  if (!P)
    return "there is no simulated " + std::string(Name);
  if (P->isGeneric())
    return std::string(P->Name) + " is a target for code, not a GPU";
  if (const char *What = P->family().NotModeled)
    return std::string(P->Name) + " is not modeled: " + What;
  return {};
}
