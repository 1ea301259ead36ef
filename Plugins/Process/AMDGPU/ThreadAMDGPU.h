//===-- ThreadAMDGPU.h - a wave --------------------------------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_THREADAMDGPU_H

#include "Lane/LaneSource.h"
#include "ThreadGDBRemote.h"

namespace lldb_private {
namespace wavelane {

class ThreadAMDGPU : public process_gdb_remote::ThreadGDBRemote,
                     public LaneSource {
public:
  ThreadAMDGPU(Process &process, lldb::tid_t tid);
  ~ThreadAMDGPU() override;

  /// The wave's name with the focus lane, as "saxpy (1,0,0)/2, lane 17".
  const char *GetName() override;
  void WillResume(lldb::StateType resume_state) override;
  Unwind &GetUnwinder() override;

  uint32_t GetLaneCount() override;
  llvm::BitVector GetActiveLanes() override;
  std::optional<WorkItem> GetWorkItem(uint32_t lane) override;
  std::string GetWaveName() override;
  void FocusLaneDidChange(uint32_t lane) override;

  uint32_t GetFocusLane();

  /// \param[in] name
  ///     As ROCdbgapi calls it, "s33" or "exec".
  std::optional<uint64_t> ReadScalarRegister(llvm::StringRef name);

private:
  std::string m_shown_name;
};

} // namespace wavelane
} // namespace lldb_private

#endif
