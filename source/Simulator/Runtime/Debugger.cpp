//===-- Debugger.cpp - what a debugger reads of the runtime ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// r_debug and the list of code objects, like those of the HSA runtime: a
// debugger sets a breakpoint on _loader_debug_state, which is called before and
// after each change. Also __wavelaneOnFinding, called where a check has found
// something in a call.
//
//===----------------------------------------------------------------------===//

#include "HipApi.h"

using namespace wavelane::runtime;

namespace {
struct LoaderDebug {
  int32_t Version = RuntimeDebugVersion;
  LinkMap *Map = nullptr;
  uint64_t Break = 0;
  int32_t State = 0; // 0 consistent, 1 adding, 2 removing
  uint64_t LoaderBase = 0;
};
} // namespace

static LoaderDebug TheDebug;
static std::mutex DebugLock;

extern "C" __attribute__((visibility("default"), noinline)) void
_loader_debug_state() {
  // A debugger stops here, so keep the call.
  asm volatile("" ::: "memory");
}

extern "C" __attribute__((visibility("default"), noinline)) void
__wavelaneOnFinding(void *Info) {
  asm volatile("" : : "r"(Info) : "memory");
}

void wavelane::runtime::showFinding(unsigned Number, const std::string &Text) {
  struct {
    uint64_t Number;
    const char *Text;
  } Info{Number, Text.c_str()};
  __wavelaneOnFinding(&Info);
}

uint64_t wavelane::runtime::debugStructure() {
  TheDebug.Break = reinterpret_cast<uint64_t>(&_loader_debug_state);
  return reinterpret_cast<uint64_t>(&TheDebug);
}

void wavelane::runtime::publishCodeObject(CodeObject &C) {
  std::lock_guard<std::mutex> Guard(DebugLock);
  TheDebug.State = 1;
  _loader_debug_state();
  C.Link.Bias = C.Base;
  C.Link.Uri = C.Uri.c_str();
  C.Link.Next = nullptr;
  LinkMap **Last = &TheDebug.Map;
  LinkMap *Before = nullptr;
  while (*Last) {
    Before = *Last;
    Last = &(*Last)->Next;
  }
  C.Link.Previous = Before;
  *Last = &C.Link;
  TheDebug.State = 0;
  _loader_debug_state();
}

void wavelane::runtime::retractCodeObject(CodeObject &C) {
  std::lock_guard<std::mutex> Guard(DebugLock);
  TheDebug.State = 2;
  _loader_debug_state();
  if (C.Link.Previous)
    C.Link.Previous->Next = C.Link.Next;
  else
    TheDebug.Map = C.Link.Next;
  if (C.Link.Next)
    C.Link.Next->Previous = C.Link.Previous;
  TheDebug.State = 0;
  _loader_debug_state();
}
