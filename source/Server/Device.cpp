//===-- Device.cpp - Which GPU a program is debugged on -------------------===//

#include "Device.h"
#include "lldb/Host/HostInfo.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

/// The folder of the runtime that programs use on the simulated device.
static std::string GetRuntimeFolder() {
  llvm::SmallString<256> path(
      HostInfo::GetProgramFileSpec().GetDirectory().GetStringRef());
  llvm::sys::path::append(path, "..", "lib", "wavelane");
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real))
    return {};
  return real.str().str();
}

/// Whether there is hardware, and AMD's library for it.
static bool HaveHardware() {
  if (::access("/dev/kfd", F_OK) != 0)
    return false;
  llvm::Expected<std::shared_ptr<dbgapi::Library>> library =
      dbgapi::Library::openAMD();
  if (library)
    return true;
  llvm::consumeError(library.takeError());
  return false;
}

bool RunsSimulated(dbgapi::Device device) {
  return device == dbgapi::Device::Simulated ||
         (device == dbgapi::Device::Auto && !HaveHardware());
}

void SetEnvironment(Environment &environment, dbgapi::Device device) {
  environment["HSA_ENABLE_DEBUG"] = "1";
  if (!RunsSimulated(device))
    return;
  std::string folder = GetRuntimeFolder();
  if (folder.empty())
    return;
  std::string &path = environment["LD_LIBRARY_PATH"];
  path = path.empty() ? folder : folder + ":" + path;
}

llvm::Expected<std::shared_ptr<dbgapi::Library>>
OpenLibrary(dbgapi::Device device, StringRef path) {
  // Without hardware there is nothing for any library to open.
  if (!path.empty() &&
      (device != dbgapi::Device::Hardware || ::access("/dev/kfd", F_OK) == 0))
    return dbgapi::Library::open(path);
  return dbgapi::Library::openFor(device);
}

} // namespace wavelane::server
