//===-- Notes.cpp - notes for the device's checks -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Notes.h"

#include "KfdProcess.h"

#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <string>

using namespace wavelane::driver;
using wavelane::simulator::Message;
using wavelane::simulator::MessageType;

thread_local unsigned notes::Call::Depth = 0;

/// A debugger's breakpoint, as in Wavelane's own runtime.
extern "C" __attribute__((visibility("default"), noinline)) void
__wavelaneOnFinding(void *Info) {
  asm volatile("" : : "r"(Info) : "memory");
}

bool notes::areWanted() {
  const Process *P = Process::current();
  return P && P->checks();
}

bool notes::followValues() {
  const Process *P = Process::current();
  return P && (P->checks() & simulator::ChecksValues);
}

bool notes::followOrder() {
  const Process *P = Process::current();
  return P && (P->checks() & simulator::ChecksOrder);
}

/// The bytes of a note, and of return addresses.
template <typename Note>
static std::vector<uint8_t> withStack(const Note &N, const notes::Stack &From) {
  std::vector<uint8_t> Bytes(sizeof(N) + From.size() * 8);
  memcpy(Bytes.data(), &N, sizeof(N));
  if (!From.empty())
    memcpy(Bytes.data() + sizeof(N), From.data(), From.size() * 8);
  return Bytes;
}

void notes::order(const OrderNote &Note) {
  Message Reply;
  const std::vector<uint8_t> Bytes =
      withStack(Note, Note.what == OrderNote::Launched ? callers() : Stack());
  if (Process *P = Process::current())
    P->send(MessageType::OrderNote, Bytes.data(), Bytes.size(), Reply);
}

notes::MemoryNote notes::make(MemoryNote::What What, const void *Address,
                              uint64_t Size) {
  MemoryNote N = {};
  N.what = What;
  N.address = reinterpret_cast<uint64_t>(Address);
  N.size = Size;
  N.rows = 1;
  return N;
}

notes::Stack notes::callers() {
  constexpr int Depth = 32;
  void *Found[Depth];
  const int Count = backtrace(Found, Depth);
  Stack Out;
  for (int I = 0; I < Count; ++I)
    Out.push_back(reinterpret_cast<uint64_t>(Found[I]));
  return Out;
}

void notes::send(const MemoryNote &Note, const Stack &From) {
  Process *P = Process::current();
  if (!P)
    return;
  const std::vector<uint8_t> Bytes = withStack(Note, From);
  Message Reply;
  const int Finding =
      P->send(MessageType::MemoryNote, Bytes.data(), Bytes.size(), Reply);
  if (Finding <= 0)
    return;
  const std::string Text(Reply.Payload.begin(), Reply.Payload.end());
  struct {
    uint64_t Number;
    const char *Text;
  } Info{uint64_t(Finding), Text.c_str()};
  __wavelaneOnFinding(&Info);
}

/// After the program's own destructors.
__attribute__((destructor)) static void noteEnd() {
  if (notes::areWanted())
    notes::send(notes::make(notes::MemoryNote::Ends, nullptr),
                notes::callers());
}

namespace {
struct Search {
  const char *Library;
  const void *Address; ///< null: any
  std::string Path;
};
} // namespace

static int look(dl_phdr_info *Info, size_t, void *Data) {
  auto &S = *static_cast<Search *>(Data);
  const char *Slash = strrchr(Info->dlpi_name, '/');
  const char *Name = Slash ? Slash + 1 : Info->dlpi_name;
  if (strncmp(Name, S.Library, strlen(S.Library)) != 0)
    return 0;
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &H = Info->dlpi_phdr[I];
    const uint64_t Begin = Info->dlpi_addr + H.p_vaddr;
    if (S.Address &&
        (H.p_type != PT_LOAD ||
         reinterpret_cast<uint64_t>(S.Address) - Begin >= H.p_memsz))
      continue;
    S.Path = Info->dlpi_name;
    return 1;
  }
  return 0;
}

void *notes::find(const char *Library, const char *Name) {
  if (void *Next = dlsym(RTLD_NEXT, Name))
    return Next;
  Search S = {Library, nullptr, {}};
  dl_iterate_phdr(look, &S);
  void *Handle = S.Path.empty()
                     ? nullptr
                     : dlopen(S.Path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!Handle)
    return nullptr;
  void *Next = dlsym(Handle, Name);
  dlclose(Handle); // whoever loaded it keeps it
  return Next;
}

bool notes::isIn(const char *Library, const void *Address) {
  Search S = {Library, Address, {}};
  return dl_iterate_phdr(look, &S) != 0;
}
