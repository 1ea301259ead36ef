//===-- Settings.cpp - How a user wants GPUs debugged ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include "wavelane/Server/Packets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

static llvm::Error Invalid(StringRef what, StringRef value, StringRef valid) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 what + " is '" + value + "': it must be " +
                                     valid);
}

static llvm::Expected<debugapi::Device> ParseDevice(StringRef what,
                                                    StringRef name) {
  if (name == "auto")
    return debugapi::Device::Auto;
  if (name == "simulated")
    return debugapi::Device::Simulated;
  if (name == "hardware")
    return debugapi::Device::Hardware;
  return Invalid(what, name, "auto, simulated or hardware");
}

static llvm::Expected<std::vector<Exception>>
ParseExceptions(StringRef what, llvm::ArrayRef<StringRef> names) {
  std::vector<Exception> exceptions;
  for (StringRef name : names) {
    auto exception = llvm::StringSwitch<std::optional<Exception>>(name)
                         .Case("memory", Exception::Memory)
                         .Case("alu", Exception::Alu)
                         .Case("local-range", Exception::LocalRange)
                         .Default(std::nullopt);
    if (!exception)
      return Invalid(what, name, "memory, alu or local-range");
    exceptions.push_back(*exception);
  }
  return exceptions;
}

llvm::Expected<Settings> Settings::Parse(const llvm::json::Object &object) {
  namespace key = packets::setting;
  Settings settings;
  if (const llvm::json::Value *value = object.get(key::Device)) {
    auto device = ParseDevice(key::Device, value->getAsString().value_or(""));
    if (!device)
      return device.takeError();
    settings.device = *device;
  }
  if (const llvm::json::Value *value = object.get(key::Library)) {
    if (!value->getAsString() || value->getAsString()->empty())
      return Invalid(key::Library, value->getAsString().value_or(""), "a path");
    settings.library = value->getAsString()->str();
  }
  if (const llvm::json::Value *value = object.get(key::Exceptions)) {
    const llvm::json::Array *array = value->getAsArray();
    if (!array)
      return Invalid(key::Exceptions, value->getAsString().value_or(""),
                     "an array");
    std::vector<StringRef> names;
    for (const llvm::json::Value &name : *array)
      names.push_back(name.getAsString().value_or(""));
    auto exceptions = ParseExceptions(key::Exceptions, names);
    if (!exceptions)
      return exceptions.takeError();
    settings.exceptions = std::move(*exceptions);
  }
  return settings;
}

llvm::Expected<Settings> Settings::ReadEnvironment() {
  auto get = [](const char *name) {
    const char *value = ::getenv(name);
    return StringRef(value ? value : "");
  };
  Settings settings;
  if (StringRef name = get(packets::DeviceVariable); !name.empty()) {
    auto device = ParseDevice(packets::DeviceVariable, name);
    if (!device)
      return device.takeError();
    settings.device = *device;
  }
  if (StringRef path = get(packets::LibraryVariable); !path.empty())
    settings.library = path.str();
  llvm::SmallVector<StringRef, 3> names;
  get(packets::ExceptionsVariable).split(names, ',', -1, /*KeepEmpty=*/false);
  if (!names.empty()) {
    auto exceptions = ParseExceptions(packets::ExceptionsVariable, names);
    if (!exceptions)
      return exceptions.takeError();
    settings.exceptions = std::move(*exceptions);
  }
  return settings;
}

Settings Settings::Or(const Settings &fallback) const {
  Settings settings = *this;
  if (!settings.device)
    settings.device = fallback.device;
  if (!settings.library)
    settings.library = fallback.library;
  if (!settings.exceptions)
    settings.exceptions = fallback.exceptions;
  return settings;
}

llvm::Expected<debugapi::Device> GetDevice(const Environment &program,
                                           const Settings &settings) {
  auto found = program.find(packets::DeviceVariable);
  if (found != program.end() && !found->second.empty())
    return ParseDevice(packets::DeviceVariable, found->second);
  return settings.device.value_or(debugapi::Device::Auto);
}

} // namespace wavelane::server
