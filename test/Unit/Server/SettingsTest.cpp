//===-- SettingsTest.cpp - Settings, from a packet and the environment ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Library/Settings.h"
#include "wavelane/CommandLine/Words.h"
#include "wavelane/Protocol/Device/Checks.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace wavelane;
using namespace wavelane::server;
using debugapi::Device;
using protocol::WantedDevice;
using testing::ElementsAre;

namespace {

/// Why each wrong one is refused.
Settings parse(llvm::StringRef text, std::string *why = nullptr) {
  llvm::json::Value value = llvm::cantFail(llvm::json::parse(text));
  std::vector<protocol::WrongSetting> wrong;
  const Settings settings = protocol::readSettings(*value.getAsObject(), wrong);
  const std::string all = llvm::toString(protocol::toError(wrong));
  if (why)
    *why = all;
  else
    EXPECT_EQ(all, "") << text.str();
  return settings;
}

std::string whyNot(llvm::StringRef text) {
  std::string why;
  parse(text, &why);
  return why;
}

TEST(Settings, OfAPacket) {
  const Settings none = parse("{}");
  EXPECT_FALSE(none.Device || none.Library || none.Exceptions);
  EXPECT_EQ(none, Settings());
  const Settings all = parse(R"({"device":"hardware","library":"/a/b.so",
                                 "exceptions":["local-range","memory","alu"]})");
  EXPECT_EQ(all.Device, WantedDevice::Hardware);
  EXPECT_EQ(all.Library->Path, "/a/b.so");
  EXPECT_THAT(*all.Exceptions, ElementsAre(Exception::LocalRange,
                                           Exception::Memory, Exception::Alu));
  EXPECT_EQ(parse(R"({"device":"auto"})").Device, WantedDevice::Auto);
}

/// A right value of each setting, and a wrong one with what is said of it.
const struct {
  const char *name, *right, *wrong;
  std::string why;
} kEach[] = {
    {"device", R"("simulated")", R"("hardwear")",
     "device is 'hardwear': it must be auto, simulated or hardware; did you "
     "mean 'hardware'?"},
    {"runtime", R"("amd")", "1", "runtime is '1': it must be text"},
    {"leave-environment", "true", R"("yes")",
     "leave-environment is 'yes': it must be true or false"},
    {"library", R"("/a")", R"("")", "library is '': it must be a path"},
    {"exceptions", R"(["alu"])", R"(["memory","fpu"])",
     "exceptions is '[\"memory\",\"fpu\"]': it must be memory, alu or "
     "local-range"},
    {"check", R"("memory,race")", R"("memory,rcae")",
     "check is 'memory,rcae': unknown check 'rcae'; the checks are " +
         words::join(check::listWords(), "and") + "; did you mean 'race'?"},
    {"check-kernel", R"("^a")", R"x("(a")x",
     "check-kernel is '(a': it must be a regular expression (parentheses not "
     "balanced)"},
    {"check-launches", R"("3-5,8")", R"("5-3")",
     "check-launches is '5-3': invalid launches '5-3'; they are numbers from "
     "1, as 3-5,8"},
    {"check-leaks", "true", "0",
     "check-leaks is '0': it must be true or false"},
    {"check-shadow-limit", "16", "1048577",
     "check-shadow-limit is '1048577': it must be a number from 0 to 1048576"},
    {"schedule", "7", "-1",
     "schedule is '-1': it must be a number from 0 to 999999999"},
    {"memory-limit", "500", "16777217",
     "memory-limit is '16777217': it must be a number from 0 to 16777216"},
};

TEST(Settings, AWrongOneIsReportedAndTheOthersHold) {
  llvm::json::Object right;
  for (const auto &each : kEach)
    right[each.name] = llvm::cantFail(llvm::json::parse(each.right));
  const llvm::json::Value all = llvm::json::Object(right);
  EXPECT_EQ(toJSON(parse(protocol::getText(all))), all);
  // All of them are tried here.
  EXPECT_EQ(toJSON(parse(protocol::getText(all))).getAsObject()->size(),
            std::size(kEach));
  for (const auto &each : kEach) {
    llvm::json::Object others = right, mixed = right;
    others.erase(each.name);
    mixed[each.name] = llvm::cantFail(llvm::json::parse(each.wrong));
    std::string why;
    const Settings settings =
        parse(protocol::getText(llvm::json::Value(std::move(mixed))), &why);
    EXPECT_EQ(why, each.why);
    EXPECT_EQ(toJSON(settings), llvm::json::Value(std::move(others)));
  }
  EXPECT_EQ(whyNot(R"({"devise":"auto"})"), "devise is unknown to lldb-server");
  EXPECT_EQ(whyNot(R"({"exceptions":"memory"})"),
            "exceptions is 'memory': it must be a list");
}

TEST(Settings, TheEnvironmentIsTheFallback) {
  ::setenv(packets::DeviceVariable, "simulated", 1);
  ::setenv(packets::LibraryVariable, "/environment.so", 1);
  ::setenv(packets::ExceptionsVariable, "alu,memory", 1);
  auto environment = CompleteByEnvironment(Settings());
  ASSERT_TRUE(bool(environment));
  EXPECT_EQ(environment->Device, WantedDevice::Simulated);
  EXPECT_EQ(environment->Library->Path, "/environment.so");
  EXPECT_THAT(*environment->Exceptions,
              ElementsAre(Exception::Alu, Exception::Memory));

  auto both =
      CompleteByEnvironment(parse(R"({"device":"hardware","exceptions":[]})"));
  ASSERT_TRUE(bool(both));
  EXPECT_EQ(both->Device, WantedDevice::Hardware);
  EXPECT_EQ(both->Library->Path, "/environment.so");
  EXPECT_THAT(*both->Exceptions, ElementsAre());

  // Each wrong one is reported; one that doesn't count does no harm.
  ::setenv(packets::DeviceVariable, "hardwear", 1);
  ::setenv(packets::ExceptionsVariable, "alu,none", 1);
  auto invalid = CompleteByEnvironment(Settings());
  ASSERT_FALSE(bool(invalid));
  EXPECT_EQ(llvm::toString(invalid.takeError()),
            "WAVELANE_DEVICE is 'hardwear': it must be auto, simulated or "
            "hardware; did you mean 'hardware'?\n"
            "WAVELANE_EXCEPTIONS is 'none': it must be memory, alu or "
            "local-range");
  auto overridden =
      CompleteByEnvironment(parse(R"({"device":"hardware","exceptions":[]})"));
  ASSERT_TRUE(bool(overridden)) << llvm::toString(overridden.takeError());
  EXPECT_EQ(overridden->Library->Path, "/environment.so");
  for (const char *name : {packets::DeviceVariable, packets::LibraryVariable,
                           packets::ExceptionsVariable})
    ::unsetenv(name);
  auto nothing = CompleteByEnvironment(Settings());
  ASSERT_TRUE(bool(nothing));
  EXPECT_EQ(*nothing, Settings());
}

TEST(Settings, TheProgramsDeviceCountsFirst) {
  lldb_private::Environment program;
  Settings settings;
  auto get = [&]() -> std::string {
    auto device = GetDevice(program, settings);
    return device ? std::to_string(int(*device))
                  : llvm::toString(device.takeError());
  };
  EXPECT_EQ(get(), std::to_string(int(Device::Auto)));
  settings.Device = WantedDevice::Hardware;
  EXPECT_EQ(get(), std::to_string(int(Device::Hardware)));
  program[packets::DeviceVariable] = "simulated";
  EXPECT_EQ(get(), std::to_string(int(Device::Simulated)));
  program[packets::DeviceVariable] = "both";
  EXPECT_EQ(get(), "WAVELANE_DEVICE is 'both': it must be auto, simulated or "
                   "hardware");
}

TEST(Settings, PortsThatAreNoneAreNamed) {
  ::setenv(packets::PortVariable, "4000-x", 1);
  EXPECT_EQ(llvm::toString(CompleteByEnvironment(Settings()).takeError()),
            "WAVELANE_GPU_PORT is '4000-x': it must be a port, or a range as "
            "4000-4010");
  ::setenv(packets::PortVariable, "4000-4001", 1);
  EXPECT_TRUE(llvm::cantFail(CompleteByEnvironment(Settings())) == Settings());
  ::unsetenv(packets::PortVariable);
}

TEST(Settings, RuntimeOfProgram) {
  using runtimechoice::Runtime;
  lldb_private::Environment program;
  const Settings amd = parse(R"({"runtime":"amd"})");
  auto get = [&](const Settings &settings) -> std::string {
    auto runtime = GetRuntime(program, settings);
    return runtime ? std::to_string(int(*runtime))
                   : llvm::toString(runtime.takeError());
  };
  EXPECT_EQ(get(Settings()), std::to_string(int(Runtime::Auto)));
  EXPECT_EQ(get(amd), std::to_string(int(Runtime::Amd)));
  program[runtimechoice::Variable] = "wavelane";
  EXPECT_EQ(get(amd), std::to_string(int(Runtime::Wavelane)));
  program[runtimechoice::Variable] = "rocm";
  EXPECT_EQ(get(amd),
            "WAVELANE_RUNTIME is 'rocm': it must be auto, amd or wavelane");
}

} // namespace
