//===-- HipErrors.h - stops at HIP calls that fail --------------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_HIPERRORS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_HIPERRORS_H

#include "lldb/Target/Target.h"

namespace lldb_private {
namespace wavelane {

/// Stops of a program at HIP calls that fail. HIP's runtime, AMD's since ROCm 7.14
/// and the simulated GPU's, calls __hipOnError(info) for each, with a pointer to
/// the error's number, name and text. A stop there, also at a breakpoint that the
/// user has set, says what failed, and the selected frame is the program's call.
class HipErrors {
public:
  explicit HipErrors(Target &target);
  ~HipErrors();
  HipErrors(const HipErrors &) = delete;
  HipErrors &operator=(const HipErrors &) = delete;

  /// Before the program runs: sets or removes the breakpoint of the setting
  /// stop-on-hip-error.
  void Update();

private:
  lldb::TargetWP m_target_wp;
  lldb::break_id_t m_breakpoint = LLDB_INVALID_BREAK_ID;
};

} // namespace wavelane
} // namespace lldb_private

#endif
