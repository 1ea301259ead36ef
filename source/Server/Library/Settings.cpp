//===-- Settings.cpp - How a user wants GPUs debugged ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdlib>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

/// Reads the value of a variable.
template <typename T>
static llvm::Expected<T> ReadVariable(StringRef name, StringRef text) {
  T value{};
  if (llvm::Error why = protocol::readText(text, value)) {
    const protocol::WrongSetting wrong{
        name.str(), protocol::explainWrong(text, std::move(why))};
    return protocol::toError(wrong);
  }
  return value;
}

/// Sets what isn't set by the variable \p name.
template <typename T, typename Read>
static llvm::Error Complete(std::optional<T> &setting, const char *name,
                            Read read) {
  const char *text = ::getenv(name);
  if (setting || !text || !*text)
    return llvm::Error::success();
  llvm::Expected<T> value = read(name, text);
  if (!value)
    return value.takeError();
  setting = std::move(*value);
  return llvm::Error::success();
}

static llvm::Expected<std::vector<Exception>> ReadExceptions(StringRef name,
                                                             StringRef text) {
  llvm::SmallVector<StringRef, 3> words;
  text.split(words, ',', -1, /*KeepEmpty=*/false);
  std::vector<Exception> exceptions;
  for (StringRef word : words) {
    llvm::Expected<Exception> exception = ReadVariable<Exception>(name, word);
    if (!exception)
      return exception.takeError();
    exceptions.push_back(*exception);
  }
  return exceptions;
}

llvm::Expected<Settings> CompleteByEnvironment(const Settings &settings) {
  Settings all = settings;
  llvm::Error wrong = llvm::joinErrors(
      llvm::joinErrors(Complete(all.Device, packets::DeviceVariable,
                                ReadVariable<protocol::WantedDevice>),
                       Complete(all.Runtime, runtimechoice::Variable,
                                ReadVariable<protocol::WantedRuntime>)),
      llvm::joinErrors(Complete(all.Library, packets::LibraryVariable,
                                ReadVariable<protocol::ServerPath>),
                       Complete(all.Exceptions, packets::ExceptionsVariable,
                                ReadExceptions)));
  std::optional<protocol::PortRange> ports;
  wrong = llvm::joinErrors(std::move(wrong),
                           Complete(ports, packets::PortVariable,
                                    ReadVariable<protocol::PortRange>));
  if (wrong)
    return std::move(wrong);
  return all;
}

llvm::json::Object GetCheckOptions(const Settings &settings) {
  llvm::json::Object options;
  if (settings.Check)
    options["checks"] = toJSON(*settings.Check);
  if (settings.CheckKernel)
    options["kernel"] = settings.CheckKernel->Text;
  if (settings.CheckLaunches) {
    llvm::json::Array launches;
    for (const auto &[first, last] : settings.CheckLaunches->Ranges)
      launches.push_back(llvm::json::Array{first, last});
    options["launches"] = std::move(launches);
  }
  if (settings.CheckLeaks.value_or(false))
    options["leaks"] = true;
  if (settings.CheckShadowLimit)
    options["shadowLimit"] = settings.CheckShadowLimit->Value;
  return options;
}

bool IsCheckOption(StringRef key) {
  namespace setting = packets::setting;
  return key == setting::Check || key == setting::CheckKernel ||
         key == setting::CheckLaunches || key == setting::CheckLeaks ||
         key == setting::CheckShadowLimit;
}

/// The value of a variable in the program's environment, or else \p other.
template <typename T>
static llvm::Expected<T> OfProgram(const Environment &program, const char *name,
                                   const std::optional<T> &other) {
  auto found = program.find(name);
  if (found != program.end() && !found->second.empty())
    return ReadVariable<T>(name, found->second);
  return other.value_or(T::Auto);
}

llvm::Expected<debugapi::Device> GetDevice(const Environment &program,
                                           const Settings &settings) {
  llvm::Expected<protocol::WantedDevice> wanted =
      OfProgram(program, packets::DeviceVariable, settings.Device);
  if (!wanted)
    return wanted.takeError();
  switch (*wanted) {
  case protocol::WantedDevice::Auto:
    return debugapi::Device::Auto;
  case protocol::WantedDevice::Simulated:
    return debugapi::Device::Simulated;
  case protocol::WantedDevice::Hardware:
    return debugapi::Device::Hardware;
  }
  llvm_unreachable("every device has a case");
}

llvm::Expected<runtimechoice::Runtime> GetRuntime(const Environment &program,
                                                  const Settings &settings) {
  llvm::Expected<protocol::WantedRuntime> wanted =
      OfProgram(program, runtimechoice::Variable, settings.Runtime);
  if (!wanted)
    return wanted.takeError();
  switch (*wanted) {
  case protocol::WantedRuntime::Auto:
    return runtimechoice::Runtime::Auto;
  case protocol::WantedRuntime::Amd:
    return runtimechoice::Runtime::Amd;
  case protocol::WantedRuntime::Wavelane:
    return runtimechoice::Runtime::Wavelane;
  }
  llvm_unreachable("every runtime has a case");
}

} // namespace wavelane::server
