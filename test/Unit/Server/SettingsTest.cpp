//===-- SettingsTest.cpp - Settings, from a packet and the environment ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Library/Settings.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace wavelane;
using namespace wavelane::server;
using debugapi::Device;
using testing::ElementsAre;

namespace {

Settings parse(llvm::StringRef text) {
  auto value = llvm::json::parse(text);
  EXPECT_TRUE(bool(value)) << text.str();
  auto settings = Settings::Parse(*value->getAsObject());
  EXPECT_TRUE(bool(settings)) << llvm::toString(settings.takeError());
  return *settings;
}

std::string whyNot(llvm::StringRef text) {
  auto settings =
      Settings::Parse(*llvm::cantFail(llvm::json::parse(text)).getAsObject());
  return settings ? "" : llvm::toString(settings.takeError());
}

TEST(Settings, OfAPacket) {
  const Settings none = parse("{}");
  EXPECT_FALSE(none.device || none.library || none.exceptions);
  EXPECT_EQ(none, Settings());
  const Settings all = parse(R"({"device":"hardware","library":"/a/b.so",
                                 "exceptions":["local-range","memory","alu"]})");
  EXPECT_EQ(all.device, Device::Hardware);
  EXPECT_EQ(all.library, "/a/b.so");
  EXPECT_THAT(*all.exceptions, ElementsAre(Exception::LocalRange,
                                           Exception::Memory, Exception::Alu));
  EXPECT_EQ(parse(R"({"device":"auto"})").device, Device::Auto);
}

TEST(Settings, InvalidOnesAreNamed) {
  EXPECT_EQ(whyNot(R"({"device":"gpu"})"),
            "device is 'gpu': it must be auto, simulated or hardware");
  EXPECT_EQ(whyNot(R"({"device":1})"),
            "device is '': it must be auto, simulated or hardware");
  EXPECT_EQ(whyNot(R"({"library":""})"), "library is '': it must be a path");
  EXPECT_EQ(whyNot(R"({"library":{}})"), "library is '': it must be a path");
  EXPECT_EQ(whyNot(R"({"exceptions":"memory"})"),
            "exceptions is 'memory': it must be an array");
  EXPECT_EQ(whyNot(R"({"exceptions":["memory","fpu"]})"),
            "exceptions is 'fpu': it must be memory, alu or local-range");
}

TEST(Settings, TheEnvironmentIsTheFallback) {
  ::setenv(packets::DeviceVariable, "simulated", 1);
  ::setenv(packets::LibraryVariable, "/environment.so", 1);
  ::setenv(packets::ExceptionsVariable, "alu,memory", 1);
  auto environment = Settings::ReadEnvironment();
  ASSERT_TRUE(bool(environment));
  EXPECT_EQ(environment->device, Device::Simulated);
  EXPECT_EQ(environment->library, "/environment.so");
  EXPECT_THAT(*environment->exceptions,
              ElementsAre(Exception::Alu, Exception::Memory));

  const Settings both =
      parse(R"({"device":"hardware","exceptions":[]})").Or(*environment);
  EXPECT_EQ(both.device, Device::Hardware);
  EXPECT_EQ(both.library, "/environment.so");
  EXPECT_THAT(*both.exceptions, ElementsAre());

  ::setenv(packets::ExceptionsVariable, "alu,none", 1);
  auto invalid = Settings::ReadEnvironment();
  ASSERT_FALSE(bool(invalid));
  EXPECT_EQ(llvm::toString(invalid.takeError()),
            "WAVELANE_EXCEPTIONS is 'none': it must be memory, alu or "
            "local-range");
  for (const char *name : {packets::DeviceVariable, packets::LibraryVariable,
                           packets::ExceptionsVariable})
    ::unsetenv(name);
  auto nothing = Settings::ReadEnvironment();
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
  settings.device = Device::Hardware;
  EXPECT_EQ(get(), std::to_string(int(Device::Hardware)));
  program[packets::DeviceVariable] = "simulated";
  EXPECT_EQ(get(), std::to_string(int(Device::Simulated)));
  program[packets::DeviceVariable] = "both";
  EXPECT_EQ(get(), "WAVELANE_DEVICE is 'both': it must be auto, simulated or "
                   "hardware");
}

TEST(Settings, RuntimeOfProgram) {
  using runtimechoice::Runtime;
  lldb_private::Environment program;
  auto parsed = Settings::Parse(llvm::json::Object{{"runtime", "amd"}});
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  auto get = [&](const Settings &settings) -> std::string {
    auto runtime = GetRuntime(program, settings);
    return runtime ? std::to_string(int(*runtime))
                   : llvm::toString(runtime.takeError());
  };
  EXPECT_EQ(get(Settings()), std::to_string(int(Runtime::Auto)));
  EXPECT_EQ(get(*parsed), std::to_string(int(Runtime::Amd)));
  EXPECT_EQ(get(Settings().Or(*parsed)), std::to_string(int(Runtime::Amd)));
  program[runtimechoice::Variable] = "wavelane";
  EXPECT_EQ(get(*parsed), std::to_string(int(Runtime::Wavelane)));
  program[runtimechoice::Variable] = "rocm";
  EXPECT_EQ(get(*parsed),
            "WAVELANE_RUNTIME is 'rocm': it must be auto, amd or wavelane");
  auto wrong = Settings::Parse(llvm::json::Object{{"runtime", 1}});
  EXPECT_EQ(llvm::toString(wrong.takeError()),
            "runtime is '': it must be auto, amd or wavelane");
}

} // namespace
