//===-- ServerEnvironment.h - settings for lldb-server ---------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERENVIRONMENT_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_SERVERENVIRONMENT_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The server that LLDB starts learns the settings from its environment, and
/// it gets LLDB's, which has them as long as this object lives. The program gets
/// its own, made before.
class ServerEnvironment {
public:
  ServerEnvironment();
  ~ServerEnvironment();
  ServerEnvironment(const ServerEnvironment &) = delete;
  ServerEnvironment &operator=(const ServerEnvironment &) = delete;

private:
  void Set(const char *name, const std::string &value);
  std::vector<std::pair<const char *, std::optional<std::string>>> m_saved;
};

} // namespace wavelane
} // namespace lldb_private

#endif
