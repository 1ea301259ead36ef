//===-- Settings.cpp - How a user wants GPUs debugged ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Simulator/ScheduleNumber.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

static llvm::Error Invalid(StringRef what, StringRef value,
                           const llvm::Twine &valid) {
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

static llvm::Expected<runtimechoice::Runtime> ParseRuntime(StringRef what,
                                                           StringRef name) {
  if (std::optional<runtimechoice::Runtime> runtime =
          runtimechoice::parse(name))
    return *runtime;
  return Invalid(what, name, "auto, amd or wavelane");
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

static llvm::Expected<std::string> ParseCheck(StringRef what, StringRef list) {
  llvm::SmallVector<StringRef, 8> names;
  list.split(names, ',');
  for (StringRef name : names)
    if (!llvm::is_contained(
            {"memory", "race", "init", "sync", "wait", "all", "count"}, name))
      return Invalid(what, name,
                     "memory, race, init, sync, wait, all or count, or several "
                     "of them separated by commas");
  return list.str();
}

static llvm::Expected<llvm::json::Array> ParseLaunches(StringRef what,
                                                       StringRef list) {
  llvm::json::Array launches;
  llvm::SmallVector<StringRef, 8> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    auto [first, last] = part.split('-');
    int64_t from = 0, to = 0;
    if (first.getAsInteger(10, from) ||
        (part.contains('-') ? last : first).getAsInteger(10, to) || from < 1 ||
        to < from)
      return Invalid(what, part, "numbers of launches from 1, as 3-5,8");
    launches.push_back(llvm::json::Array{from, to});
  }
  return launches;
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
  if (const llvm::json::Value *value = object.get(key::Runtime)) {
    auto runtime =
        ParseRuntime(key::Runtime, value->getAsString().value_or(""));
    if (!runtime)
      return runtime.takeError();
    settings.runtime = *runtime;
  }
  settings.leave_environment = object.getBoolean(key::LeaveEnvironment);
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
  if (const llvm::json::Value *value = object.get(key::Check)) {
    auto check = ParseCheck(key::Check, value->getAsString().value_or(""));
    if (!check)
      return check.takeError();
    settings.check = llvm::json::Object{{"checks", std::move(*check)}};
  }
  auto option = [&](StringRef name, llvm::json::Value value) {
    if (!settings.check)
      settings.check.emplace();
    (*settings.check)[name] = std::move(value);
  };
  if (auto kernel = object.getString(key::CheckKernel)) {
    std::string why;
    if (!llvm::Regex(*kernel).isValid(why))
      return Invalid(key::CheckKernel, *kernel,
                     "a regular expression (" + why + ")");
    option("kernel", kernel->str());
  }
  if (auto list = object.getString(key::CheckLaunches)) {
    auto launches = ParseLaunches(key::CheckLaunches, *list);
    if (!launches)
      return launches.takeError();
    option("launches", std::move(*launches));
  }
  if (object.getBoolean(key::CheckLeaks).value_or(false))
    option("leaks", true);
  if (const llvm::json::Value *value = object.get(key::CheckShadowLimit)) {
    constexpr int64_t Most = 1 << 20;
    const int64_t limit = value->getAsInteger().value_or(-1);
    if (limit < 0 || limit > Most)
      return Invalid(key::CheckShadowLimit, std::to_string(limit),
                     "a number up to 1048576");
    option("shadowLimit", limit);
  }
  if (const llvm::json::Value *value = object.get(key::Schedule)) {
    const int64_t number = value->getAsInteger().value_or(-1);
    if (number < 0 || uint64_t(number) > simulator::ScheduleLimit)
      return Invalid(key::Schedule, std::to_string(number),
                     "a number up to 999999999");
    settings.schedule = uint64_t(number);
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
  if (StringRef name = get(runtimechoice::Variable); !name.empty()) {
    auto runtime = ParseRuntime(runtimechoice::Variable, name);
    if (!runtime)
      return runtime.takeError();
    settings.runtime = *runtime;
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
  if (!settings.runtime)
    settings.runtime = fallback.runtime;
  if (!settings.leave_environment)
    settings.leave_environment = fallback.leave_environment;
  if (!settings.library)
    settings.library = fallback.library;
  if (!settings.exceptions)
    settings.exceptions = fallback.exceptions;
  if (!settings.check)
    settings.check = fallback.check;
  if (!settings.schedule)
    settings.schedule = fallback.schedule;
  return settings;
}

llvm::Expected<debugapi::Device> GetDevice(const Environment &program,
                                           const Settings &settings) {
  auto found = program.find(packets::DeviceVariable);
  if (found != program.end() && !found->second.empty())
    return ParseDevice(packets::DeviceVariable, found->second);
  return settings.device.value_or(debugapi::Device::Auto);
}

llvm::Expected<runtimechoice::Runtime> GetRuntime(const Environment &program,
                                                  const Settings &settings) {
  auto found = program.find(runtimechoice::Variable);
  if (found != program.end() && !found->second.empty())
    return ParseRuntime(runtimechoice::Variable, found->second);
  return settings.runtime.value_or(runtimechoice::Runtime::Auto);
}

} // namespace wavelane::server
