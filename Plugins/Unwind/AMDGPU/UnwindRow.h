//===-- UnwindRow.h - where values at entry are -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDROW_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDROW_H

#include "MachineCode/AMDGPUMachineCode.h"

#include <bitset>
#include <map>
#include <optional>
#include <tuple>

namespace lldb_private {
namespace wavelane {

/// Where the values are, before one instruction of a function, that registers
/// had when the function was entered.
struct UnwindRow {
  using Register = AMDGPUMachineCode::Register;

  /// For which lanes a vector register was copied.
  enum class Lanes {
    All,
    AtEntry, ///< Those that were active when the function was entered.
    Unknown
  };

  /// Something that holds 32 bits, or 32 bits for each lane.
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
    /// OnStack: what the wave's stack pointer is moved by before, in its own
    /// unit.
    int64_t slot_base = 0;
    /// For other lanes the value is still in the register itself.
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

  /// What a place holds of the values at entry.
  struct Copy {
    Register value;
    Lanes lanes;
    bool operator==(const Copy &other) const {
      return value == other.value && lanes == other.lanes;
    }
  };

  /// Some registers; of masks, exec's halves alone.
  class RegisterSet {
  public:
    bool Has(Register reg) const;
    /// \return Whether that is a change.
    bool Set(Register reg, bool value);
    void Add(const RegisterSet &other);
    bool operator==(const RegisterSet &other) const;

  private:
    std::bitset<128> m_scalar;
    std::bitset<512> m_vector;
    std::bitset<512> m_accumulation;
    std::bitset<2> m_exec;
  };

  /// Registers that no longer hold what they held at entry.
  RegisterSet clobbered;
  /// Reached by a way that isn't seen, or past what is no instruction.
  bool guess = false;
  /// A call has returned: what it did to registers isn't known.
  bool called = false;
  /// What other places hold of the values at entry.
  std::map<Place, Copy> copies;
  /// The lanes that are active.
  Lanes active = Lanes::AtEntry;
  /// The stack pointer less its value at entry; nullopt when it isn't known.
  std::optional<int64_t> sp = 0;
  /// The same of registers that were set from it (s33, s34).
  std::map<Register, int64_t> sp_copies;

  bool operator==(const UnwindRow &other) const;
  /// Keeps what holds in both.
  void Meet(const UnwindRow &other);

  /// Where the value that \a reg had at entry is; nullopt when it is lost.
  std::optional<Place> Find(Register reg) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
