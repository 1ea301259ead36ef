//===-- ExecutingLanes.h - which lanes really execute -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EXEC has the lanes for which an instruction has an effect. Compilers turn all
// lanes on for a few instructions, to save or load whole registers (spills of
// scalars at -O0, registers that a prologue saves), or only the inactive ones,
// and then restore EXEC from a scalar register. Meanwhile the lanes that really
// execute the program are those in that register.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_EXECUTINGLANES_H
#define WAVELANE_GPU_EXECUTINGLANES_H

#include "wavelane/GPU/MachineCode.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace wavelane::gpu {

/// Where the mask of the lanes that really execute an instruction is.
struct ExecutingMask {
  enum Place {
    InExec,
    InverseOfExec, ///< EXEC has the other lanes.
    InScalar,      ///< In scalar registers from Number on.
    InVcc,
  } Where = InExec;
  unsigned Number = 0;

  bool isInExec() const { return Where == InExec; }
  bool operator==(const ExecutingMask &O) const {
    return Where == O.Where && Number == O.Number;
  }

  /// The lanes, a bit each.
  /// \param Exec The value of EXEC.
  /// \param Lanes The number of the wave's lanes, 32 or 64.
  /// \param Read Reads a scalar register, such as "s4", or all of "vcc".
  /// \return EXEC if the register can't be read.
  uint64_t
  get(uint64_t Exec, unsigned Lanes,
      llvm::function_ref<std::optional<uint64_t>(llvm::StringRef)> Read) const;
};

/// The masks of one function's instructions.
class ExecutingLanes {
public:
  /// For code that isn't known: the mask is EXEC.
  ExecutingLanes() = default;
  /// \param Start The address of the function's first instruction.
  /// \param Bytes The function's code, which may be anything.
  ExecutingLanes(const MachineCode &Code, uint64_t Start,
                 llvm::ArrayRef<uint8_t> Bytes);

  /// The mask before the instruction at \p Address.
  ExecutingMask get(uint64_t Address) const;

private:
  struct Change {
    uint64_t Address; ///< of the first instruction with this mask
    ExecutingMask Mask;
  };
  std::vector<Change> Changes;
};

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_EXECUTINGLANES_H
