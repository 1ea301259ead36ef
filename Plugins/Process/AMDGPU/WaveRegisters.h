//===-- WaveRegisters.h - the registers of a wave, and what it is ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Besides the hardware's registers, a wave shows its properties as registers,
// which lets any client that shows registers (an editor, a script) show and
// change the focus lane:
//   lane           the focus lane; writing it selects another one
//   active         the lanes that execute, a bit each
//   workitem       the focus lane's work-item in its workgroup: x, y, z
//   workgroup      the wave's workgroup in its grid: x, y, z
//   wave_in_group  the wave's number in its workgroup
//   dispatch       the id of its dispatch
// In no set, so that lists leave them out, are what expressions read as
// $_lane and so on, with ROCgdb's names:
//   _lane, _thread, _agent, _queue, _dispatch, _wave  numbers
//   _lane_count    the lanes that have a work-item
//   _wave_size     all lanes
//   _workgroup_size, _workgroup_count  x, y, z
// They have no DWARF numbers. An unknown one reads as unavailable.
//
// If waves can have either size, the server lists both forms of a register,
// "v0" and "v0_w64". A wave shows the form that it has as "v0".
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEREGISTERS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEREGISTERS_H

#include "Plugins/Process/gdb-remote/GDBRemoteRegisterContext.h"

namespace lldb_private {
namespace wavelane {

class WaveThread;

/// A process's registers as shown by waves of one size; created once for all of
/// them.
class RegisterForms {
public:
  /// Null if registers have only one form.
  /// \param is_wide Whether the waves have 64 lanes.
  static std::shared_ptr<const RegisterForms>
  Get(const process_gdb_remote::GDBRemoteDynamicRegisterInfoSP &info_sp,
      bool is_wide);

  RegisterForms(const DynamicRegisterInfo &registers, bool is_wide);

  const RegisterInfo *GetInfo(size_t index) const { return &m_infos[index]; }
  /// The sets contain only registers of the waves' form.
  const RegisterSet *GetSet(size_t index) const { return &m_sets[index]; }

private:
  std::vector<RegisterInfo> m_infos;
  std::vector<std::vector<uint32_t>> m_members;
  std::vector<RegisterSet> m_sets;
};

class WaveRegisters : public process_gdb_remote::GDBRemoteRegisterContext {
public:
  WaveRegisters(WaveThread &wave,
                process_gdb_remote::GDBRemoteDynamicRegisterInfoSP info_sp,
                bool read_all_at_once, bool write_all_at_once);

  /// Whether \a info is one of the wave's own registers described above.
  static bool IsPseudo(const RegisterInfo &info);

  /// All at once, not bit by bit: a wave has thousands of registers, and a stop
  /// may be of thousands of waves.
  void InvalidateAllRegisters() override {
    m_gpacket_cached = false;
    m_reg_valid.assign(m_reg_valid.size(), false);
  }

  size_t GetRegisterCount() override;
  const RegisterInfo *GetRegisterInfoAtIndex(size_t reg) override;
  size_t GetRegisterSetCount() override;
  const RegisterSet *GetRegisterSet(size_t reg_set) override;
  bool ReadRegister(const RegisterInfo *info, RegisterValue &value) override;
  bool WriteRegister(const RegisterInfo *info,
                     const RegisterValue &value) override;

  /// Supplies the register \a reg with the wave's address from the stop.
  void Supply(uint32_t reg, lldb::addr_t address) {
    PrivateSetRegisterValue(reg, address);
  }

private:
  enum Pseudo {
    Lane,
    Active,
    WorkItem,
    Workgroup,
    WaveInGroup,
    Dispatch,
    LastShown = Dispatch,
    OwnLane,
    Thread,
    Agent,
    Queue,
    OwnDispatch,
    Wave,
    LaneCount,
    WaveSize,
    WorkgroupSize,
    WorkgroupCount,
    Count
  };

  std::optional<std::vector<uint64_t>> Read(Pseudo which);
  const RegisterForms *GetForms();

  WaveThread &m_wave;
  const process_gdb_remote::GDBRemoteDynamicRegisterInfoSP m_info_sp;
  /// nullopt until needed.
  std::optional<std::shared_ptr<const RegisterForms>> m_forms;
  const size_t m_machine_count;
  std::array<RegisterInfo, Count> m_infos;
  std::array<uint32_t, Count> m_numbers;
  RegisterSet m_set;
};

} // namespace wavelane
} // namespace lldb_private

#endif
