//===-- MemoryCheck.h - accesses of memory that isn't there -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_MEMORYCHECK_H
#define WAVELANE_SIMULATOR_CHECK_MEMORYCHECK_H

#include "AccessedArray.h"
#include "Blocks.h"
#include "Check.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include <map>
#include <utility>

namespace wavelane::check {

/// A call of the program that the runtime has refused, or a wrong free.
struct HostMistake {
  enum Kind : uint8_t { NotFreed, NotCopied } What = NotFreed;
  uint64_t Address = 0; ///< freed, or copied to
  uint64_t From = 0;    ///< 0: a fill
  uint64_t Size = 0;    ///< bytes
  bool IsHostFree = false;
  std::vector<uint64_t> Stack;
};

class MemoryCheck : public Check, private isa::Observer {
public:
  /// \param Arrays If null, accesses aren't compared with single arrays.
  MemoryCheck(Reporter &R, const Blocks &Memory, ArrayBounds *Arrays = nullptr)
      : R(R), Memory(Memory), Arrays(Arrays) {}

  isa::Observer *observer() override { return this; }
  unsigned observes() const override {
    return isa::observe::Accesses | isa::observe::FilterAccesses;
  }
  bool needsAccesses(const isa::AccessBounds &B) override;
  bool needsRows(uint64_t PC) override {
    return arrayOf(isa::LaneAccess::Private, PC) != nullptr;
  }
  void freed(const AllocationRef &Block) override;
  /// A variable of the program's code.
  void variable(uint64_t Address, uint64_t Size, bool IsConstant) {
    Variables[Address] = {Size, IsConstant};
  }
  void mistake(const HostMistake &M);
  /// Looks at a free that the runtime has done.
  /// \param IsHostFree Whether it is for memory of the host; if that matters.
  void frees(uint64_t Address, std::optional<bool> IsHostFree,
             const std::vector<uint64_t> &Stack);
  /// Looks at a copy before it is done.
  void willCopy(const CopyInfo &C);
  /// Reports what is still allocated.
  void reportLeaks();

private:
  bool before(const isa::WaveState &Wave,
              const isa::ObservedInstruction &I) override;
  bool isGood(const isa::LaneAccess &A) const;
  bool isGoodGlobal(const isa::LaneAccess &A) const;
  bool isMisaligned(const isa::ObservedInstruction &I,
                    const isa::LaneAccess &A) const;
  bool report(const isa::ObservedInstruction &I, const isa::LaneAccess &First);
  const ArrayObject *arrayOf(isa::LaneAccess::Space In, uint64_t PC) const {
    return Arrays ? Arrays->find(*Now->Kernel, PC, In) : nullptr;
  }
  bool compareArray(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I);
  Finding describeArray(const isa::WaveState &Wave,
                        const isa::ObservedInstruction &I,
                        const isa::LaneAccess &A, const ArrayObject &Meant,
                        uint64_t Lanes);
  void nameMeant(const isa::LaneAccess &A, Finding &F) const;
  Finding describe(const isa::ObservedInstruction &I, const isa::LaneAccess &A,
                   Kind What, uint64_t Lanes, AllocationRef Block);
  Finding describeCopy(const HostMistake &M);
  struct Variable {
    uint64_t Size = 0; ///< bytes
    bool IsConstant = false;
  };
  /// The variable that \a Address is in, with its begin; null if there is none.
  const std::pair<const uint64_t, Variable> *
  findVariable(uint64_t Address) const;

  Reporter &R;
  const Blocks &Memory;
  ArrayBounds *const Arrays;
  std::map<uint64_t, Variable> Variables; ///< by address
};

/// "4 bytes", "1 byte".
std::string bytes(uint64_t Count);
/// Where \a Address is, seen from \a Block: "4 bytes after the end of an
/// allocation of 256 bytes at 0x20001000".
std::string whereFrom(const Allocation &Block, uint64_t Address);
/// "device memory", "host memory (hipHostMalloc)", ...
std::string describe(Allocation::Kind What);

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_MEMORYCHECK_H
