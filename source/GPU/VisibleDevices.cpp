//===-- VisibleDevices.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/VisibleDevices.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <strings.h>

using namespace wavelane;
using namespace wavelane::gpu;

static std::vector<std::string> split(const std::string &List) {
  std::vector<std::string> Words;
  std::istringstream In(List);
  for (std::string Word; std::getline(In, Word, ',');)
    Words.push_back(Word);
  return Words;
}

static std::optional<unsigned> parseNumber(const std::string &Word) {
  constexpr size_t MostDigits = 3;
  if (Word.empty() || Word.size() > MostDigits ||
      Word.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return unsigned(std::stoul(Word));
}

namespace {
struct VisibleList {
  std::vector<std::string> Words;
  /// HIP skips a GPU that it has already; for ROCr, the list ends there.
  bool IsHip;
};
} // namespace

/// The lists in the order in which they choose.
static std::vector<VisibleList> readLists(const Environment &Get) {
  std::vector<VisibleList> Lists;
  if (auto List = Get("ROCR_VISIBLE_DEVICES")) {
    // ROCr's may have spaces.
    List->erase(std::remove(List->begin(), List->end(), ' '), List->end());
    Lists.push_back({split(*List), /*IsHip=*/false});
  }
  for (const char *Variable : {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"})
    if (auto List = Get(Variable); List && !List->empty()) {
      Lists.push_back({split(*List), /*IsHip=*/true});
      break;
    }
  return Lists;
}

/// The GPU that a word of a list means among those in \a All.
static std::optional<unsigned> find(const std::vector<unsigned> &All,
                                    const std::vector<uint64_t> &UniqueIds,
                                    const std::string &Word, bool IsHip) {
  if (std::optional<unsigned> Number = parseNumber(Word)) {
    const bool IsExact = !IsHip || Word == std::to_string(*Number);
    return IsExact && *Number < All.size() ? std::optional(All[*Number])
                                           : std::nullopt;
  }
  for (unsigned Index : All) {
    char Name[32];
    snprintf(Name, sizeof(Name), "GPU-%016llx",
             static_cast<unsigned long long>(UniqueIds[Index]));
    if (strcasecmp(Name, Word.c_str()) == 0)
      return Index;
  }
  return std::nullopt;
}

std::vector<unsigned>
gpu::visibleDevices(const std::vector<uint64_t> &UniqueIds,
                    const Environment &Get) {
  std::vector<unsigned> Visible;
  for (unsigned I = 0; I < UniqueIds.size(); ++I)
    Visible.push_back(I);
  for (const VisibleList &List : readLists(Get)) {
    std::vector<unsigned> Chosen;
    for (const std::string &Word : List.Words) {
      const auto Index = find(Visible, UniqueIds, Word, List.IsHip);
      if (!Index)
        break;
      if (std::find(Chosen.begin(), Chosen.end(), *Index) == Chosen.end())
        Chosen.push_back(*Index);
      else if (!List.IsHip)
        break;
    }
    Visible = std::move(Chosen);
  }
  return Visible;
}

std::string gpu::enoughDevices(const std::string &Processor,
                               const Environment &Get) {
  unsigned Last = 0;
  for (const VisibleList &List : readLists(Get))
    for (const std::string &Word : List.Words)
      Last = std::max(Last, parseNumber(Word).value_or(0));
  std::string Names = Processor;
  for (unsigned I = 1; I <= Last && I < MaxDevices; ++I)
    Names += "," + Processor;
  return Names;
}

std::string gpu::modeledProcessors() {
  std::string Names;
  for (const Processor &P : devices())
    if (P.isModeled())
      Names += std::string(Names.empty() ? "" : ", ") + P.Name;
  return Names;
}

bool gpu::parseProcessors(const std::string &List,
                          std::vector<const Processor *> &Out,
                          std::string &Error) {
  Out.clear();
  for (size_t At = 0; At <= List.size();) {
    size_t End = List.find(',', At);
    End = End == std::string::npos ? List.size() : End;
    const std::string Name = List.substr(At, End - At);
    At = End + 1;
    Error = whyNotModeled(Name.empty() ? "GPU" : Name);
    if (!Error.empty()) {
      Error += "; devices can be ";
      Error += modeledProcessors();
      return false;
    }
    Out.push_back(findByName(Name));
  }
  if (Out.size() > MaxDevices) {
    Error = "there can be at most " + std::to_string(MaxDevices) + " devices";
    return false;
  }
  return true;
}
