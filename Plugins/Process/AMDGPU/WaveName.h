//===-- WaveName.h - what a wave is called ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVENAME_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_WAVENAME_H

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace lldb_private {
namespace wavelane {

/// What a wave executes.
struct WaveOrigin {
  /// "saxpy".
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

  /// Null until known. The waves of a dispatch usually have the same object.
  std::shared_ptr<const WaveOrigin> GetOrigin() const {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_origin_sp;
  }
  void SetOrigin(std::shared_ptr<const WaveOrigin> origin_sp) {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_origin_sp = std::move(origin_sp);
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
  std::shared_ptr<const WaveOrigin> m_origin_sp;
  std::set<std::string> m_shown;
};

} // namespace wavelane
} // namespace lldb_private

#endif
