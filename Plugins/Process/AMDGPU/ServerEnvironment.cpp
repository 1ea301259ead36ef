//===-- ServerEnvironment.cpp ---------------------------------------------===//

#include "ServerEnvironment.h"
#include "ProcessAMDGPUProperties.h"
#include "wavelane/Server/Packets.h"

#include <cstdlib>

using namespace lldb_private;
using namespace lldb_private::wavelane;

ServerEnvironment::ServerEnvironment() {
  ProcessAMDGPUProperties &properties = GetProcessAMDGPUProperties();
  if (properties.GetDevice() != "auto")
    Set("WAVELANE_DEVICE", properties.GetDevice().str());
  if (FileSpec library = properties.GetLibrary())
    Set("WAVELANE_DBGAPI_LIBRARY", library.GetPath());
  if (const std::string exceptions = properties.GetExceptions();
      !exceptions.empty())
    Set(::wavelane::packets::ExceptionsVariable, exceptions);
}

ServerEnvironment::~ServerEnvironment() {
  for (auto &[name, value] : m_saved) {
    if (value)
      ::setenv(name, value->c_str(), 1);
    else
      ::unsetenv(name);
  }
}

void ServerEnvironment::Set(const char *name, const std::string &value) {
  const char *old = ::getenv(name);
  m_saved.emplace_back(name,
                       old ? std::optional<std::string>(old) : std::nullopt);
  ::setenv(name, value.c_str(), 1);
}
