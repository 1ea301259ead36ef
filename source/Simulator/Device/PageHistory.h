//===-- PageHistory.h - device memory as it was -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording is divided into epochs. A page that the device reads or writes for
// the first time in an epoch is copied before, unless the last copy is still
// true. So the memory that an epoch's instructions saw can be restored,
// whoever has written it: the device, or the program between two kernels.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_PAGEHISTORY_H
#define WAVELANE_SIMULATOR_DEVICE_PAGEHISTORY_H

#include "wavelane/Simulator/ISA/ISA.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace wavelane::simulator {

/// All pages are given by their numbers in the device's mapping of memory.
class PageHistory {
public:
  PageHistory() = default;
  ~PageHistory();
  PageHistory(const PageHistory &) = delete;
  PageHistory &operator=(const PageHistory &) = delete;

  /// Sets the mapping that is recorded. \return false without memory.
  bool map(uint8_t *Base, uint64_t Size);

  /// \return The number of the epoch that begins; they are consecutive.
  uint32_t beginEpoch();
  /// Called before an access of \a Address: keeps its page.
  /// \param Span  What may be accessed in that way.
  /// \return The part of it that needs no further call in this epoch.
  isa::MemorySpan touch(isa::MemorySpan Span, uint64_t Address,
                        isa::Access Kind);
  /// Keeps the pages of a range that is about to be written.
  void touch(uint8_t *Host, uint64_t Size);
  bool covers(const uint8_t *Host, uint64_t Bytes) const {
    return uint64_t(Host - Base) < Size &&
           Bytes <= Size - uint64_t(Host - Base);
  }

  /// From now on, memory may be moved to the beginning of an epoch, and be
  /// changed there.
  void leavePresent();
  bool isAway() const { return Away; }
  void moveTo(uint32_t Epoch);
  /// Memory can be brought back to what it is now, soon: until it is moved
  /// elsewhere.
  void addPoint();
  /// Brings memory back to such a point, by its number; later ones are gone.
  void returnToPoint(size_t Number);
  void returnToPresent();
  /// The program goes on from the memory as it is: what came after the
  /// beginning of \a Epoch is forgotten.
  void forgetAfter(uint32_t Epoch);

  /// Whether the device has written the page of \a Host in an epoch.
  bool wasWritten(const uint8_t *Host, uint32_t Epoch) const;
  /// Copies what was in memory at the beginning of an epoch, from one page.
  void read(const uint8_t *Host, uint64_t Bytes, uint32_t Epoch,
            uint8_t *To) const;
  const uint8_t *hostOf(uint64_t Page) const { return host(Page); }
  struct Copy {
    uint8_t Bytes[4096];
  };
  struct Version {
    uint32_t Epoch;
    bool Written; ///< the device has written the page in this epoch
    std::shared_ptr<const Copy> Content; ///< null: all zero
  };
  /// Calls the function with each page that was touched in an epoch; the
  /// version is null if an older one is still true.
  void forEachVersion(
      uint32_t Epoch,
      llvm::function_ref<void(uint64_t Page, const Version *)> Do) const;
  /// Of a history that is read, the newest epoch first. Epochs begin so far
  /// from 0 that none runs out.
  void startEpochs();
  /// \return The number of the epoch before all others.
  uint32_t prependEpoch();
  void prependVersion(uint64_t Page, bool Written, const uint8_t *Content);
  void prependTouched(uint64_t Page) { Touched.front().push_back(Page); }
  /// The next moveTo() looks at all pages: the program has ended.
  void moveAll() { MovesAll = true; }

  /// Forgets epochs before this one.
  void forgetBefore(uint32_t Epoch);
  void clear();
  uint64_t bytes() const { return Copies * sizeof(Copy); }

private:
  static constexpr uint64_t PageBytes = 4096, BlockPages = 512;
  std::shared_ptr<const Copy> makeCopy(const uint8_t *From);
  /// A page's mark is 2 * Mark if it has been read, 2 * Mark + 1 if it has been
  /// written.
  struct Block {
    uint32_t Mark = 0, Count = 0; ///< as pages, and how many
  };

  uint8_t *host(uint64_t Page) const { return Base + Page * PageBytes; }
  bool isMarked(uint64_t Page, bool Write) const {
    return Marks[Page] >> 1 == Mark && (!Write || (Marks[Page] & 1));
  }
  void mark(uint64_t Page, bool Write);
  void keep(uint64_t Page, bool Write);
  void keepPresent(uint64_t Page);
  std::shared_ptr<const Copy> copy(uint64_t Page);
  bool isSame(uint64_t Page, const std::shared_ptr<const Copy> &Content) const;
  /// The version with the content of a page at the beginning of an epoch; null
  /// if it is that of the present.
  const Version *versionAt(uint64_t Page, uint32_t Epoch) const;
  void set(uint64_t Page, const std::shared_ptr<const Copy> &Content);
  void restore(uint64_t Page, uint32_t Epoch);
  /// All pages count as untouched.
  void forgetMarks();

  uint8_t *Base = nullptr;
  uint64_t Size = 0;
  uint32_t *Marks = nullptr; ///< for each page; mapped, and mostly unused
  llvm::DenseMap<uint64_t, Block> Written; ///< blocks of pages
  uint32_t Mark = 0, LastMark = 0;
  uint32_t Epoch = 0;
  /// By page, in the order of epochs.
  llvm::DenseMap<uint64_t, llvm::SmallVector<Version, 1>> Pages;
  /// The pages with a version of each epoch from First on.
  std::deque<std::vector<uint64_t>> Touched;
  uint32_t First = 0;
  uint64_t Copies = 0;

  bool MovesAll = false;
  bool Away = false;
  uint32_t At = 0; ///< the epoch to which memory was moved last
  uint32_t PresentMark = 0;
  using PageCopies = llvm::DenseMap<uint64_t, std::shared_ptr<const Copy>>;
  PageCopies Present;
  /// By point: the pages that were changed after it, as they were there.
  std::vector<PageCopies> Points;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_PAGEHISTORY_H
