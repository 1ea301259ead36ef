//===-- DeviceChoice.cpp - Which GPU a program is debugged on -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceChoice.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

/// The folder of the runtime for programs on the simulated device.
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
  llvm::Expected<std::shared_ptr<debugapi::Library>> library =
      debugapi::Library::openAMD();
  if (library)
    return true;
  llvm::consumeError(library.takeError());
  return false;
}

bool RunsSimulated(debugapi::Device device) {
  return device == debugapi::Device::Simulated ||
         (device == debugapi::Device::Auto && !HaveHardware());
}

std::string SetEnvironment(Environment &environment, debugapi::Device device,
                           runtimechoice::Runtime runtime, StringRef program) {
  environment["HSA_ENABLE_DEBUG"] = "1";
  if (!RunsSimulated(device))
    return {};
  std::string folder = GetRuntimeFolder();
  if (folder.empty())
    return {};
  llvm::Expected<runtimechoice::Choice> choice = runtimechoice::setUpDebugging(
      runtime, program, folder,
      [&](StringRef variable) { return environment.lookup(variable); },
      [&](StringRef variable, const std::string &value) {
        environment[variable] = value;
      });
  Log *log = GetLog(LLDBLog::Process);
  if (!choice) {
    LLDB_LOG_ERROR(log, choice.takeError(), "{0}");
    return {};
  }
  LLDB_LOG(log, "the program's runtime is {0}: {1}",
           choice->TheRuntime == runtimechoice::Runtime::Amd ? "AMD's"
                                                             : "Wavelane's",
           choice->Why);
  return choice->TheRuntime == runtimechoice::Runtime::Amd ? choice->Trouble
                                                           : "";
}

std::optional<lldb::pid_t> FindDeviceProcess(lldb::pid_t program) {
  std::error_code error;
  const std::string number = std::to_string(program);
  llvm::sys::fs::file_status own, status;
  if (llvm::sys::fs::status("/proc/" + number, own))
    return std::nullopt;
  for (llvm::sys::fs::directory_iterator it("/proc", error), end;
       it != end && !error; it.increment(error)) {
    lldb::pid_t pid;
    if (llvm::sys::path::filename(it->path()).getAsInteger(10, pid))
      continue;
    // Another user's process may have any name.
    if (llvm::sys::fs::status(it->path(), status) ||
        status.getUser() != own.getUser())
      continue;
    auto line = llvm::MemoryBuffer::getFileAsStream(it->path() + "/cmdline");
    if (!line)
      continue;
    llvm::SmallVector<StringRef, 16> words;
    (*line)->getBuffer().split(words, '\0');
    if (llvm::sys::path::filename(words.front()) != "wavelane-gpu")
      continue;
    for (size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i] == "--pid" && words[i + 1] == number)
        return pid;
  }
  return std::nullopt;
}

std::string GetCheckFolder(lldb::pid_t program) {
  if (program == lldb::pid_t(::getpid())) {
    // What was set since it began.
    const char *folder = ::getenv(simulator::CheckFolderVariable);
    return folder ? folder : "";
  }
  auto environment = llvm::MemoryBuffer::getFileAsStream(
      "/proc/" + std::to_string(program) + "/environ");
  if (!environment)
    return {};
  llvm::SmallVector<StringRef, 64> entries;
  (*environment)->getBuffer().split(entries, '\0');
  const std::string name = std::string(simulator::CheckFolderVariable) + "=";
  for (StringRef entry : entries)
    if (entry.consume_front(name) && !entry.empty())
      return entry.str();
  return {};
}

llvm::Expected<std::shared_ptr<debugapi::Library>>
OpenLibrary(debugapi::Device device, StringRef path) {
  // Without hardware, there is nothing for a library to open.
  if (!path.empty() &&
      (device != debugapi::Device::Hardware || ::access("/dev/kfd", F_OK) == 0))
    return debugapi::Library::open(path);
  return debugapi::Library::openFor(device);
}

} // namespace wavelane::server
