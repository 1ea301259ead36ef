//===-- Device.cpp - Which GPU a program is debugged on -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
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

/// The GPUs that \p environment asks for.
static std::vector<const gpu::Processor *>
GetProcessors(const Environment &environment) {
  std::vector<const gpu::Processor *> processors;
  llvm::SmallVector<StringRef, 8> names;
  StringRef(environment.lookup("WAVELANE_PROCESSOR"))
      .split(names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef name : names)
    if (const gpu::Processor *processor =
            gpu::findByName({name.data(), name.size()}))
      processors.push_back(processor);
  return processors;
}

void SetEnvironment(Environment &environment, debugapi::Device device,
                    runtimechoice::Runtime runtime, StringRef program) {
  environment["HSA_ENABLE_DEBUG"] = "1";
  if (!RunsSimulated(device))
    return;
  std::string folder = GetRuntimeFolder();
  if (folder.empty())
    return;
  const runtimechoice::Choice choice =
      runtimechoice::choose(runtime, program, GetProcessors(environment),
                            environment.lookup("LD_LIBRARY_PATH"), folder);
  LLDB_LOG(GetLog(LLDBLog::Process), "the program's runtime is {0}: {1}",
           choice.runtime == runtimechoice::Runtime::Amd ? "AMD's"
                                                         : "Wavelane's",
           choice.why);
  llvm::Error error = runtimechoice::setUp(
      choice.runtime, folder, [&](StringRef variable, StringRef path) {
        std::string &value = environment[variable];
        value = value.empty() ? path.str() : path.str() + ":" + value;
      });
  LLDB_LOG_ERROR(GetLog(LLDBLog::Process), std::move(error), "{0}");
  if (choice.runtime == runtimechoice::Runtime::Amd &&
      !choice.processor.empty())
    environment.try_emplace("WAVELANE_PROCESSOR", choice.processor);
}

llvm::Expected<std::shared_ptr<debugapi::Library>>
OpenLibrary(debugapi::Device device, StringRef path) {
  // Without hardware no library has anything to open.
  if (!path.empty() &&
      (device != debugapi::Device::Hardware || ::access("/dev/kfd", F_OK) == 0))
    return debugapi::Library::open(path);
  return debugapi::Library::openFor(device);
}

} // namespace wavelane::server
