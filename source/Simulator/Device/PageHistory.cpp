//===-- PageHistory.cpp - device memory as it was -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PageHistory.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;
using isa::MemorySpan;

// How many single pages a span is extended by on either side; whole blocks are
// cheaper.
static constexpr unsigned Neighbors = 32;

PageHistory::~PageHistory() {
  if (Marks)
    munmap(Marks, Size / PageBytes * sizeof(*Marks));
}

bool PageHistory::map(uint8_t *TheBase, uint64_t TheSize) {
  void *P = mmap(nullptr, TheSize / PageBytes * sizeof(*Marks),
                 PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (P == MAP_FAILED)
    return false;
  Marks = static_cast<uint32_t *>(P);
  Base = TheBase;
  Size = TheSize;
  return true;
}

uint32_t PageHistory::beginEpoch() {
  Mark = ++LastMark;
  Written.clear();
  Touched.emplace_back();
  if (Touched.size() == 1)
    First = Epoch + 1;
  return ++Epoch;
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

std::shared_ptr<const PageHistory::Copy> PageHistory::copy(uint64_t Page) {
  const uint8_t *From = host(Page);
  if (!*From && !memcmp(From, From + 1, PageBytes - 1))
    return nullptr;
  return makeCopy(From);
}

std::shared_ptr<const PageHistory::Copy>
PageHistory::makeCopy(const uint8_t *From) {
  ++Copies;
  std::shared_ptr<Copy> C(new Copy, [this](Copy *Old) {
    delete Old;
    --Copies;
  });
  memcpy(C->Bytes, From, PageBytes);
  return C;
}

bool PageHistory::isSame(uint64_t Page,
                         const std::shared_ptr<const Copy> &Content) const {
  const uint8_t *Now = host(Page);
  return Content ? !memcmp(Content->Bytes, Now, PageBytes)
                 : !*Now && !memcmp(Now, Now + 1, PageBytes - 1);
}

void PageHistory::mark(uint64_t Page, bool Write) {
  if (Write && !isMarked(Page, true)) {
    Block &B = Written[Page / BlockPages];
    if (B.Mark != Mark)
      B = {Mark, 0};
    ++B.Count;
  }
  Marks[Page] = Mark << 1 | uint32_t(Write);
}

/// Keeps a page of the current epoch before it is accessed for the first time.
void PageHistory::keep(uint64_t Page, bool Write) {
  llvm::SmallVector<Version, 1> &Known = Pages[Page];
  if (!Known.empty() && Known.back().Epoch == Epoch) {
    Known.back().Written |= Write;
  } else if (Known.empty() || Known.back().Written ||
             !isSame(Page, Known.back().Content)) {
    Known.push_back({Epoch, Write, copy(Page)});
    Touched.back().push_back(Page);
  } else if (Write) {
    std::shared_ptr<const Copy> Same = Known.back().Content;
    Known.push_back({Epoch, true, std::move(Same)});
    Touched.back().push_back(Page);
  } else {
    // The program may change it after this epoch.
    Touched.back().push_back(Page);
  }
  mark(Page, Write);
}

/// Keeps a page before it is changed in the past.
void PageHistory::keepPresent(uint64_t Page) {
  if (isMarked(Page, true))
    return;
  std::shared_ptr<const Copy> Now;
  const bool IsNew = !Present.count(Page);
  if (IsNew || !Points.empty())
    Now = copy(Page);
  if (IsNew)
    Present[Page] = Now;
  if (!Points.empty())
    Points.back().try_emplace(Page, std::move(Now));
  mark(Page, true);
}

MemorySpan PageHistory::touch(MemorySpan Span, uint64_t Address, Access Kind) {
  const bool Write = Kind != Access::Read;
  if (Away && !Write)
    return Span;
  const uint64_t Offset = uint64_t(Span.Host - Base) + (Address - Span.Begin);
  const uint64_t Page = Offset / PageBytes;
  if (!isMarked(Page, Write)) {
    if (Away)
      keepPresent(Page);
    else
      keep(Page, Write);
  }
  // The neighbors that have been kept, too.
  const uint64_t Low = uint64_t(Span.Host - Base) / PageBytes;
  const uint64_t High =
      (uint64_t(Span.Host - Base) + (Span.End - Span.Begin) + PageBytes - 1) /
      PageBytes;
  auto IsFull = [&](uint64_t Block) {
    auto It = Written.find(Block);
    return It != Written.end() && It->second.Mark == Mark &&
           It->second.Count == BlockPages;
  };
  uint64_t From = Page, To = Page + 1;
  for (unsigned Left = Neighbors; From > Low;) {
    if (From % BlockPages == 0 && From - Low >= BlockPages &&
        IsFull(From / BlockPages - 1))
      From -= BlockPages;
    else if (Left && isMarked(From - 1, Write))
      --From, --Left;
    else
      break;
  }
  for (unsigned Left = Neighbors; To < High;) {
    if (To % BlockPages == 0 && High - To >= BlockPages &&
        IsFull(To / BlockPages))
      To += BlockPages;
    else if (Left && isMarked(To, Write))
      ++To, --Left;
    else
      break;
  }
  const uint64_t Begin = std::max(From * PageBytes, uint64_t(Span.Host - Base));
  const uint64_t End = std::min(To * PageBytes, uint64_t(Span.Host - Base) +
                                                    (Span.End - Span.Begin));
  MemorySpan Result;
  Result.Begin = Span.Begin + (Begin - uint64_t(Span.Host - Base));
  Result.End = Result.Begin + (End - Begin);
  Result.Host = Base + Begin;
  return Result;
}

void PageHistory::touch(uint8_t *Host, uint64_t Bytes) {
  const uint64_t Offset = uint64_t(Host - Base);
  for (uint64_t Page = Offset / PageBytes; Page * PageBytes < Offset + Bytes;
       ++Page) {
    if (isMarked(Page, true))
      continue;
    if (Away)
      keepPresent(Page);
    else
      keep(Page, true);
  }
}

//===----------------------------------------------------------------------===//
// In the past
//===----------------------------------------------------------------------===//

void PageHistory::leavePresent() {
  if (Away)
    return;
  Away = true;
  At = Epoch;
  PresentMark = std::exchange(Mark, ++LastMark);
  Written.clear();
}

void PageHistory::set(uint64_t Page,
                      const std::shared_ptr<const Copy> &Content) {
  if (Content)
    memcpy(host(Page), Content->Bytes, PageBytes);
  else
    memset(host(Page), 0, PageBytes);
}

const PageHistory::Version *PageHistory::versionAt(uint64_t Page,
                                                   uint32_t To) const {
  auto Known = Pages.find(Page);
  if (Known == Pages.end())
    return nullptr;
  const auto &Versions = Known->second;
  auto Next = std::upper_bound(
      Versions.begin(), Versions.end(), To,
      [](uint32_t Epoch, const Version &V) { return Epoch < V.Epoch; });
  if (Next != Versions.begin()) {
    const Version &Last = *std::prev(Next);
    if (Last.Epoch == To || !Last.Written)
      return &Last;
  }
  return Next != Versions.end() ? &*Next : nullptr;
}

/// Gives a page its content at the beginning of \a To.
void PageHistory::restore(uint64_t Page, uint32_t To) {
  if (!Pages.count(Page))
    return;
  keepPresent(Page);
  if (const Version *V = versionAt(Page, To))
    return set(Page, V->Content);
  set(Page, Present.find(Page)->second);
}

bool PageHistory::wasWritten(const uint8_t *Host, uint32_t In) const {
  auto Known = Pages.find(uint64_t(Host - Base) / PageBytes);
  return Known != Pages.end() &&
         std::any_of(
             Known->second.begin(), Known->second.end(),
             [&](const Version &V) { return V.Epoch == In && V.Written; });
}

void PageHistory::read(const uint8_t *Host, uint64_t Bytes, uint32_t In,
                       uint8_t *To) const {
  const uint64_t Page = uint64_t(Host - Base) / PageBytes;
  const std::shared_ptr<const Copy> *Content = nullptr;
  if (const Version *V = versionAt(Page, In)) {
    Content = &V->Content;
  } else if (auto Now = Present.find(Page); Now != Present.end()) {
    Content = &Now->second;
  }
  const uint64_t Offset = uint64_t(Host - Base) % PageBytes;
  if (!Content)
    memcpy(To, Host, Bytes);
  else if (*Content)
    memcpy(To, (*Content)->Bytes + Offset, Bytes);
  else
    memset(To, 0, Bytes);
}

void PageHistory::forgetMarks() {
  Mark = ++LastMark;
  Written.clear();
}

void PageHistory::addPoint() {
  Points.emplace_back();
  forgetMarks();
}

void PageHistory::returnToPoint(size_t Number) {
  // The oldest copy of a page is what it was.
  while (Points.size() > Number) {
    for (const auto &Entry : Points.back())
      set(Entry.first, Entry.second);
    Points.pop_back();
  }
  addPoint();
}

void PageHistory::moveTo(uint32_t To) {
  Points.clear();
  llvm::DenseSet<uint64_t> Done;
  if (std::exchange(MovesAll, false)) {
    for (const auto &Known : Pages)
      restore(Known.first, To);
    At = To;
    return;
  }
  const uint32_t Low = std::max(std::min(At, To), First);
  for (uint32_t E = Low; E <= std::max(At, To); ++E)
    for (uint64_t Page : Touched[E - First])
      if (Done.insert(Page).second)
        restore(Page, To);
  At = To;
}

void PageHistory::returnToPresent() {
  if (!Away)
    return;
  for (const auto &Entry : Present)
    set(Entry.first, Entry.second);
  Present.clear();
  Points.clear();
  Away = false;
  // Pages that were changed in the past have lost their marks, and are looked
  // at again.
  Mark = PresentMark;
  Written.clear();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void PageHistory::forEachVersion(
    uint32_t Of,
    llvm::function_ref<void(uint64_t Page, const Version *)> Do) const {
  if (Of < First || Of - First >= Touched.size())
    return;
  llvm::DenseSet<uint64_t> Done;
  for (uint64_t Page : Touched[Of - First]) {
    auto Known = Pages.find(Page);
    if (Known == Pages.end() || !Done.insert(Page).second)
      continue;
    auto V = llvm::find_if(Known->second,
                           [&](const Version &V) { return V.Epoch == Of; });
    Do(Page, V == Known->second.end() ? nullptr : &*V);
  }
}

void PageHistory::startEpochs() {
  clear();
  Epoch = First = 1u << 30;
  Mark = ++LastMark;
}

uint32_t PageHistory::prependEpoch() {
  Touched.emplace_front();
  if (Touched.size() > 1)
    --First;
  return First;
}

void PageHistory::prependVersion(uint64_t Page, bool Written,
                                 const uint8_t *Content) {
  llvm::SmallVector<Version, 1> &Known = Pages[Page];
  Known.insert(Known.begin(),
               {First, Written, Content ? makeCopy(Content) : nullptr});
  Touched.front().push_back(Page);
}

//===----------------------------------------------------------------------===//
// Forgetting
//===----------------------------------------------------------------------===//

void PageHistory::forgetAfter(uint32_t From) {
  while (First + Touched.size() > From + 1) {
    for (uint64_t Page : Touched.back()) {
      auto Known = Pages.find(Page);
      if (Known == Pages.end())
        continue;
      while (!Known->second.empty() && Known->second.back().Epoch > From)
        Known->second.pop_back();
      if (Known->second.empty())
        Pages.erase(Known);
    }
    Touched.pop_back();
  }
  Epoch = From;
  Present.clear();
  Points.clear();
  Away = false;
  // Pages of this epoch have their versions, and are looked at again.
  forgetMarks();
}

void PageHistory::forgetBefore(uint32_t Epoch) {
  while (First < Epoch && !Touched.empty()) {
    for (uint64_t Page : Touched.front()) {
      auto Known = Pages.find(Page);
      if (Known == Pages.end())
        continue;
      auto &Versions = Known->second;
      // What a page was before is still true if nobody has written it since.
      while (Versions.size() > 1 && Versions[1].Epoch <= Epoch)
        Versions.erase(Versions.begin());
      if (!Versions.empty() && Versions.front().Epoch < Epoch) {
        if (Versions.front().Written) {
          Versions.erase(Versions.begin());
        } else if (Touched.size() > Epoch - First) {
          Versions.front().Epoch = Epoch;
          Touched[Epoch - First].push_back(Page);
        }
      }
      if (Versions.empty())
        Pages.erase(Known);
    }
    Touched.pop_front();
    ++First;
  }
}

void PageHistory::clear() {
  returnToPresent();
  Pages.clear();
  Touched.clear();
  Written.clear();
  Mark = ++LastMark;
}
