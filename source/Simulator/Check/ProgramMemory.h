//===-- ProgramMemory.h - what is known of a program's memory ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's runtime says of its memory, what a driver sees of a
// program that says nothing, and what the host itself accesses: handed on to
// the checks.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_PROGRAMMEMORY_H
#define WAVELANE_SIMULATOR_CHECK_PROGRAMMEMORY_H

#include "Blocks.h"
#include "CheckSet.h"
#include "Symbols.h"

#include "wavelane/Protocol/Device/DeviceMessages.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <set>

namespace wavelane::check {

class ProgramMemory {
public:
  /// All must outlive this.
  ProgramMemory(const CheckSet &Checks, Symbols &Names, Reporter &Reports)
      : Checks(Checks), Names(Names), Reports(Reports) {}

  /// Which bytes are allocated, and which were.
  const Blocks &blocks() const { return Memory; }

  /// Takes a simulator::MemoryNote, with return addresses of the host after
  /// it. \return false if the message is malformed.
  bool note(llvm::ArrayRef<uint8_t> Message);
  /// The program has said that it ends.
  std::function<void()> OnEnd = [] {};
  bool noteOrder(const simulator::OrderNote &N);

  /// The driver has mapped pages. Memory that the program also reports is known
  /// better.
  /// \param IsVideo Of the GPU's own memory.
  void pagesMapped(uint64_t Address, uint64_t Size, bool IsVideo);
  void pagesUnmapped(uint64_t Address);
  /// As Check::moved().
  void moved(uint64_t To, uint64_t From, uint64_t Size);

  /// Whether accesses of the host's are seen, of its memory in allocations
  /// that OnHostMemory is called with.
  void watchHost(bool Works) { SeesHost = Works; }
  std::function<void(uint64_t Address, uint64_t Size)> OnHostMemory;
  /// The program itself has accessed the byte at \a Address, by an instruction
  /// at \a PC with the stack pointer \a SP.
  void hostAccessed(uint64_t Address, bool Writes, uint64_t PC, uint64_t SP);

private:
  using Stack = std::vector<uint64_t>;
  bool allocated(const simulator::MemoryNote &N, Stack From);
  void freed(const simulator::MemoryNote &N, Stack From);
  bool copied(const simulator::MemoryNote &N, Stack From);
  void notCopied(const simulator::MemoryNote &N, Stack From);
  void followHost(const Allocation &Block);

  const CheckSet &Checks;
  Symbols &Names;
  Reporter &Reports;
  Blocks Memory;
  /// Whether what the host itself does is seen; not set with AMD's runtime.
  std::optional<bool> SeesHost;
  std::set<uint64_t> InVideo; ///< pages that the driver has allocated there
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_PROGRAMMEMORY_H
