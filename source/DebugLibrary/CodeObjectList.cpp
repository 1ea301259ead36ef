//===-- CodeObjectList.cpp - The code objects of a program ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObjectList.h"
#include <cstring>

namespace wavelane::library {

/// Reads a URI of the list, up to memory that doesn't exist.
static Status readUri(ProgramMemory &Memory, uint64_t At, std::string &Uri) {
  constexpr size_t MaxUri = 64 * 1024;
  for (bool More = true; More && Uri.size() < MaxUri;) {
    char Bytes[64];
    // Read up to the next multiple, so no page is accessed needlessly.
    uint64_t Size = sizeof(Bytes) - At % sizeof(Bytes);
    if (Status Outcome = Memory.transfer(At, Size, Bytes, nullptr))
      return Outcome == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS ? Success
                                                              : Outcome;
    const size_t Length = strnlen(Bytes, Size);
    Uri.append(Bytes, Length);
    More = Length == Size;
    At += Size;
  }
  return Success;
}

static CodeObject &findOrAdd(Objects &List, int64_t Bias,
                             const std::string &Uri) {
  for (auto &Entry : List.CodeObjects)
    if (Entry.second->Bias == Bias && Entry.second->Uri == Uri)
      return *Entry.second;
  auto Object = std::make_unique<CodeObject>();
  Object->Id = library().newId(Library::CodeObjectId);
  Object->Bias = Bias;
  Object->Uri = Uri;
  CodeObject &Added = *Object;
  List.CodeObjects[Added.Id] = std::move(Object);
  List.ListChanged[CodeObjectList] = true;
  return Added;
}

Status readCodeObjects(ProgramMemory &Memory, const ProcessFacts &Facts,
                       Objects &List, bool &Consistent) {
  Consistent = false;
  int32_t State = 0;
  uint64_t Link = 0;
  auto Read = [&](uint64_t Address, void *To, uint64_t Size) {
    const Status Outcome = Memory.readAll(Address, To, Size);
    return Outcome && Facts.Core ? Fatal : Outcome;
  };
  if (Status Outcome = Read(Facts.Runtime.r_debug + 24, &State, sizeof(State)))
    return Outcome;
  if (State != 0)
    return Success;
  Consistent = true;
  if (Status Outcome = Read(Facts.Runtime.r_debug + 8, &Link, sizeof(Link)))
    return Outcome;
  const uint64_t Mark = List.newMark();
  // Limit a circular list.
  for (unsigned Count = 0; Link && Count < 65536; ++Count) {
    uint64_t Map[4];
    if (Status Outcome = Read(Link, Map, sizeof(Map)))
      return Outcome;
    std::string Uri;
    if (Status Outcome = readUri(Memory, Map[1], Uri))
      return Outcome;
    findOrAdd(List, int64_t(Map[0]), Uri).Mark = Mark;
    Link = Map[3];
  }
  for (auto It = List.CodeObjects.begin(); It != List.CodeObjects.end();)
    if (It->second->Mark != Mark) {
      It = List.CodeObjects.erase(It);
      List.ListChanged[CodeObjectList] = true;
    } else {
      ++It;
    }
  return Success;
}

} // namespace wavelane::library
