//===-- CodeObjects.cpp - The code objects of a program -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObjects.h"
#include <cstring>

namespace wavelane::library {

/// Reads a URI of the list. Memory that isn't there ends it.
static Status readUri(ProgramMemory &memory, uint64_t at, std::string &uri) {
  constexpr size_t MaxUri = 64 * 1024;
  for (bool more = true; more && uri.size() < MaxUri;) {
    char bytes[64];
    // Up to the next multiple, so that no page is touched in vain.
    uint64_t size = sizeof(bytes) - at % sizeof(bytes);
    if (Status status = memory.transfer(at, size, bytes, nullptr))
      return status == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS ? Success : status;
    const size_t length = strnlen(bytes, size);
    uri.append(bytes, length);
    more = length == size;
    at += size;
  }
  return Success;
}

static CodeObject &findOrAdd(Objects &objects, int64_t bias,
                             const std::string &uri) {
  for (auto &entry : objects.codeObjects)
    if (entry.second->bias == bias && entry.second->uri == uri)
      return *entry.second;
  auto object = std::make_unique<CodeObject>();
  object->id = library().newId(Library::CodeObjectId);
  object->bias = bias;
  object->uri = uri;
  CodeObject &added = *object;
  objects.codeObjects[added.id] = std::move(object);
  objects.listChanged[CodeObjectList] = true;
  return added;
}

Status readCodeObjects(ProgramMemory &memory, const ProcessFacts &facts,
                       Objects &objects, bool &consistent) {
  consistent = false;
  int32_t state = 0;
  uint64_t link = 0;
  auto read = [&](uint64_t address, void *to, uint64_t size) {
    const Status status = memory.readAll(address, to, size);
    return status && facts.core ? Fatal : status;
  };
  if (Status status = read(facts.runtime.r_debug + 24, &state, sizeof(state)))
    return status;
  if (state != 0)
    return Success;
  consistent = true;
  if (Status status = read(facts.runtime.r_debug + 8, &link, sizeof(link)))
    return status;
  const uint64_t mark = objects.newMark();
  // A list that leads into itself must end somewhere.
  for (unsigned count = 0; link && count < 65536; ++count) {
    uint64_t map[4];
    if (Status status = read(link, map, sizeof(map)))
      return status;
    std::string uri;
    if (Status status = readUri(memory, map[1], uri))
      return status;
    findOrAdd(objects, int64_t(map[0]), uri).mark = mark;
    link = map[3];
  }
  for (auto it = objects.codeObjects.begin(); it != objects.codeObjects.end();)
    if (it->second->mark != mark) {
      it = objects.codeObjects.erase(it);
      objects.listChanged[CodeObjectList] = true;
    } else {
      ++it;
    }
  return Success;
}

} // namespace wavelane::library
