//===-- WaveFacts.h - what the server says of waves -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEFACTS_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVEFACTS_H

#include "lldb/Utility/StructuredData.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <mutex>
#include <utility>

namespace lldb_private {
namespace process_gdb_remote {
class ProcessGDBRemote;
}

namespace wavelane {

class ThreadAMDGPU;

/// Names, kernels and places of a process's waves. They are asked for when they
/// are looked at: of one wave alone, or of all at once where many are looked
/// at.
class WaveFacts {
public:
  explicit WaveFacts(process_gdb_remote::ProcessGDBRemote &process)
      : m_process(process) {}

  /// What the server says of a wave (jWavelaneWaveInfo); the answer of this
  /// stop is kept.
  /// \return null when it says nothing.
  StructuredData::ObjectSP GetInfo(lldb::tid_t tid);

  /// Has a wave know its name: one by one at first, then all of them.
  void Name(ThreadAMDGPU &wave);
  /// Has the waves know their kernels.
  void FindKernels();

  /// The process has stopped anew.
  void Clear();

private:
  /// Asks for something of all waves, in the form of "wave_kernel" and
  /// "wave_name".
  /// \param[in] take Gets each object, and its waves in their order: null for
  ///     one that is unknown.
  void ReadOfAll(llvm::StringRef kind,
                 llvm::function_ref<void(StructuredData::Dictionary &,
                                         llvm::ArrayRef<ThreadAMDGPU *>)>
                     take);

  process_gdb_remote::ProcessGDBRemote &m_process;
  std::mutex m_mutex;
  uint32_t m_stop_id = UINT32_MAX;
  std::map<lldb::tid_t, StructuredData::ObjectSP> m_infos;
  /// How many waves were named one by one, and at which stop.
  std::pair<uint32_t, unsigned> m_named{UINT32_MAX, 0};
};

} // namespace wavelane
} // namespace lldb_private

#endif
