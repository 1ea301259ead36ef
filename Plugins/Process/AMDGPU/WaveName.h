//===-- WaveName.h - what a wave is called ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVENAME_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVENAME_H

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace lldb_private {
namespace wavelane {

/// What a wave executes.
struct WaveOrigin {
  /// "saxpy"; empty until known.
  std::string kernel;
  /// Ids; 0 if unknown.
  uint64_t agent = 0, queue = 0, dispatch = 0;
};

/// The name and origin of one wave, which don't change while it lives.
/// Thread-safe.
class WaveName {
public:
  /// "saxpy (1,0,0)/2"; empty until known.
  std::string Get() const {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_name;
  }
  void Set(std::string name) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_name = std::move(name);
  }

  WaveOrigin GetOrigin() const {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_origin;
  }
  void SetOrigin(WaveOrigin origin) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_origin = std::move(origin);
  }

  /// Keeps a text that the wave was shown as.
  /// \return The text, which lives as long as this object.
  const char *Keep(std::string text) {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_shown.insert(std::move(text)).first->c_str();
  }

private:
  mutable std::mutex m_mutex;
  std::string m_name;
  WaveOrigin m_origin;
  std::set<std::string> m_shown;
};

} // namespace wavelane
} // namespace lldb_private

#endif
