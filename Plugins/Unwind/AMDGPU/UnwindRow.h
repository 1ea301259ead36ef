//===-- UnwindRow.h - where values at entry are -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDROW_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDROW_H

#include "Core/MachineCode/AMDGPUMachineCode.h"

#include <bitset>
#include <map>
#include <optional>
#include <tuple>

namespace lldb_private {
namespace wavelane {

/// The places of registers' entry values before one of a function's
/// instructions.
struct UnwindRow {
  using Register = AMDGPUMachineCode::Register;

  /// The lanes for which a vector register was copied.
  enum class Lanes {
    All,
    AtEntry, ///< Those that were active when the function was entered.
    Unknown
  };

  /// Storage for 32 bits, or for 32 bits of each lane.
  struct Place {
    enum Kind {
      InRegister, ///< The whole register.
      InLane,     ///< One lane of a vector register.
      OnStack ///< A slot for each lane, relative to the function's own frame.
    } kind = InRegister;
    Register reg{'s', 0};
    uint32_t lane = 0;
    /// OnStack: the offset for a lane, in bytes, from slot_base.
    int64_t offset = 0;
    /// OnStack: how far the wave's stack pointer has moved, in its own unit.
    int64_t slot_base = 0;
    /// In other lanes, the value is still in the register itself.
    Lanes lanes = Lanes::All;
    /// Whether it is \a value's own register, not a copy.
    bool IsItself(Register value) const {
      return kind == InRegister && reg == value;
    }
    bool operator<(const Place &other) const;
    bool operator==(const Place &other) const {
      return !(*this < other) && !(other < *this);
    }
  };

  /// A copy of an entry value.
  struct Copy {
    Register value;
    Lanes lanes;
    bool operator==(const Copy &other) const {
      return value == other.value && lanes == other.lanes;
    }
  };

  /// A set of registers; of masks, only exec's halves.
  class RegisterSet {
  public:
    bool Has(Register reg) const;
    /// \return Whether this changed the set.
    bool Set(Register reg, bool value);
    void Add(const RegisterSet &other);
    bool operator==(const RegisterSet &other) const;

  private:
    std::bitset<128> m_scalar;
    std::bitset<512> m_vector;
    std::bitset<512> m_accumulation;
    std::bitset<2> m_exec;
  };

  /// Registers that no longer hold their entry values.
  RegisterSet clobbered;
  /// Reached by an unseen path, or past bytes that aren't an instruction.
  bool guess = false;
  /// A call has returned whose effect on registers isn't known.
  bool called = false;
  /// Copies of entry values, by place.
  std::map<Place, Copy> copies;
  /// The lanes that are active.
  Lanes active = Lanes::AtEntry;
  /// The stack pointer's offset from its value at entry; nullopt if unknown.
  std::optional<int64_t> sp = 0;
  /// The offsets of registers that were set from it (s33, s34).
  std::map<Register, int64_t> sp_copies;

  bool operator==(const UnwindRow &other) const;
  /// Keeps only facts that hold in both.
  void Meet(const UnwindRow &other);

  /// The place of \a reg's entry value; nullopt if it is lost.
  std::optional<Place> Find(Register reg) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
