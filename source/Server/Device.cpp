//===-- Device.cpp - Which GPU a program is debugged on -------------------===//

#include "Device.h"
#include "wavelane/Server/Packets.h"
#include "lldb/Host/HostInfo.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

static StringRef GetVariable(const Environment &program, const char *name) {
  auto found = program.find(name);
  if (found != program.end() && !found->second.empty())
    return found->second;
  const char *value = ::getenv(name);
  return value ? value : "";
}

llvm::Expected<dbgapi::Device> GetDevice(const Environment &program) {
  StringRef name = GetVariable(program, packets::DeviceVariable);
  if (name.empty() || name == "auto")
    return dbgapi::Device::Auto;
  if (name == "simulated")
    return dbgapi::Device::Simulated;
  if (name == "hardware")
    return dbgapi::Device::Hardware;
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::Twine(packets::DeviceVariable) + " is '" + name +
          "': it must be auto, simulated or hardware");
}

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

/// What stands in for the device file, in LD_PRELOAD of this process.
static std::string GetStandIn() {
  llvm::SmallString<256> path(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", "libwavelane-kfd.so");
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(path, real))
    return {};
  return real.str().str();
}

void StandInForDeviceFile(char *argv[]) {
  const char *library = ::getenv(packets::LibraryVariable);
  const char *device = ::getenv(packets::DeviceVariable);
  if (!library || !*library || ::access("/dev/kfd", F_OK) == 0 ||
      ::getenv("LD_PRELOAD") || (device && StringRef(device) == "hardware"))
    return;
  const std::string path = GetStandIn();
  if (path.empty())
    return;
  ::setenv("LD_PRELOAD", path.c_str(), 1);
  // By its path, so that it keeps its name.
  const std::string self = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  ::execv(self.c_str(), argv);
  ::unsetenv("LD_PRELOAD");
}

void SetEnvironment(Environment &environment, dbgapi::Device device) {
  environment["HSA_ENABLE_DEBUG"] = "1";
  auto preload = environment.find("LD_PRELOAD");
  if (preload != environment.end() && preload->second == GetStandIn())
    environment.erase(preload);
  if (device == dbgapi::Device::Hardware ||
      (device == dbgapi::Device::Auto && HaveHardware()))
    return;
  std::string folder = GetRuntimeFolder();
  if (folder.empty())
    return;
  std::string &path = environment["LD_LIBRARY_PATH"];
  path = path.empty() ? folder : folder + ":" + path;
}

llvm::Expected<std::shared_ptr<dbgapi::Library>>
OpenLibrary(dbgapi::Device device) {
  const char *path = ::getenv(packets::LibraryVariable);
  // Without hardware there is nothing for any library to open.
  if (path && *path &&
      (device != dbgapi::Device::Hardware || ::access("/dev/kfd", F_OK) == 0))
    return dbgapi::Library::open(path);
  return dbgapi::Library::openFor(device);
}

} // namespace wavelane::server
