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

class WaveThread;

/// Names, kernels and positions of a process's waves. Read on demand: for one
/// wave, or for all at once if many are needed.
class WaveFacts {
public:
  explicit WaveFacts(process_gdb_remote::ProcessGDBRemote &process)
      : m_process(process) {}

  /// The server's answer about a wave (jWavelaneWaveInfo), cached for this
  /// stop.
  /// \return Null if there is none.
  StructuredData::ObjectSP GetInfo(lldb::tid_t tid);

  /// Sets a wave's name: the first few one by one, then all at once.
  void Name(WaveThread &wave);
  /// Sets the origins of all waves.
  void FindOrigins();

  /// The process has stopped again.
  void Clear();

private:
  /// Reads something for all waves, in the form of "wave_kernel" and
  /// "wave_name".
  /// \param[in] take Called with each object and its waves in order; an unknown
  /// wave is
  ///     null.
  void ReadOfAll(llvm::StringRef kind,
                 llvm::function_ref<void(StructuredData::Dictionary &,
                                         llvm::ArrayRef<WaveThread *>)>
                     take);

  process_gdb_remote::ProcessGDBRemote &m_process;
  std::mutex m_mutex;
  uint32_t m_stop_id = UINT32_MAX;
  std::map<lldb::tid_t, StructuredData::ObjectSP> m_infos;
  /// The stop, and the number of waves that were named one by one at it.
  std::pair<uint32_t, unsigned> m_named{UINT32_MAX, 0};
};

} // namespace wavelane
} // namespace lldb_private

#endif
