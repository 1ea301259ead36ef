//===-- UserVariablesTest.cpp - what users' variables can be --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/UserVariables.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <map>
#include <set>

using namespace wavelane::protocol;

static std::string check(const std::map<std::string, std::string> &Variables,
                         llvm::StringRef Folder = "") {
  return llvm::toString(checkVariables(
      [&](llvm::StringRef Name) {
        auto Found = Variables.find(Name.str());
        return Found == Variables.end() ? "" : Found->second;
      },
      Folder));
}

TEST(UserVariables, HaveDifferentNames) {
  std::set<llvm::StringRef> Names;
  for (const Variable &Each : getVariables()) {
    EXPECT_TRUE(Each.Name.starts_with("WAVELANE_")) << Each.Name.str();
    EXPECT_FALSE(Each.Meaning.empty()) << Each.Name.str();
    EXPECT_TRUE(Names.insert(Each.Name).second) << Each.Name.str();
  }
}

TEST(UserVariables, ReportEachWrongOne) {
  EXPECT_EQ(check({}), "");
  EXPECT_EQ(check({{"WAVELANE_CUS", ""}, {"WAVELANE_LOG", ""}}), "");
  EXPECT_EQ(check({{"WAVELANE_CUS", "0x10"},
                   {"WAVELANE_THREADS", "2"},
                   {"WAVELANE_LOG", "on"}}),
            "WAVELANE_CUS is '0x10': it must be a number from 1 to 512; "
            "WAVELANE_LOG is 'on': it must be 0 or 1");
}

TEST(UserVariables, AreReadAsDecimal) {
  EXPECT_EQ(check({{"WAVELANE_CUS", "008"}}), "");
  EXPECT_EQ(check({{"WAVELANE_SCHEDULE", "000"}}), "");
  for (const char *Text : {"0", "000", "+8", " 8", "8 ", "-8", "0b1", "1e2",
                           "99999999999999999999"})
    EXPECT_NE(check({{"WAVELANE_CUS", Text}}), "") << Text;
}

TEST(UserVariables, RelativePathsBeginInTheFolder) {
  EXPECT_EQ(check({{"WAVELANE_RECORD", "x.rec"}}, "/tmp"), "");
  EXPECT_EQ(check({{"WAVELANE_RECORD", "none/x.rec"}}, "/tmp/"),
            "WAVELANE_RECORD is 'none/x.rec': there is no folder /tmp/none");
  EXPECT_EQ(check({{"WAVELANE_HIP_COMPILER", "bin/sh"}}, "/"), "");
}

TEST(UserVariables, ReadPorts) {
  PortRange Ports;
  EXPECT_FALSE(llvm::errorToBool(readText("4001", Ports)));
  EXPECT_EQ(Ports.First, 4001);
  EXPECT_EQ(Ports.Last, 4001);
  EXPECT_FALSE(llvm::errorToBool(readText("4001-4010", Ports)));
  EXPECT_EQ(Ports.Last, 4010);
  for (const char *Text : {"", "0", "x", "4010-4001", "4001-", "-4001",
                           "4001-65536", "4001-4002-4003"})
    EXPECT_TRUE(llvm::errorToBool(readText(Text, Ports))) << Text;
}

TEST(UserVariables, OnlyOneIsOn) {
  setenv("WAVELANE_LOG", "1", 1);
  EXPECT_TRUE(isOn("WAVELANE_LOG"));
  setenv("WAVELANE_LOG", "0", 1);
  EXPECT_FALSE(isOn("WAVELANE_LOG"));
  unsetenv("WAVELANE_LOG");
  EXPECT_FALSE(isOn("WAVELANE_LOG"));
}

TEST(UserVariables, MistypedNamesAreReported) {
  EXPECT_EQ(explainMistyped("WAVELANE_CU"),
            "WAVELANE_CU has no effect: did you mean WAVELANE_CUS?");
  EXPECT_EQ(explainMistyped("WAVELAN_CUS"),
            "WAVELAN_CUS has no effect: did you mean WAVELANE_CUS?");
  EXPECT_EQ(explainMistyped("WAVELANE_SERVER_MEMORY_LIMT"),
            "WAVELANE_SERVER_MEMORY_LIMT has no effect: did you mean "
            "WAVELANE_SERVER_MEMORY_LIMIT?");
  for (const char *Name : {"WAVELANE_GUP", "WAVELANE_GPUS"})
    EXPECT_EQ(explainMistyped(Name),
              std::string(Name) +
                  " has no effect: did you mean WAVELANE_PROCESSOR?");
  for (const Variable &Each : getVariables())
    EXPECT_EQ(explainMistyped(Each.Name), "") << Each.Name.str();
  // Those of Wavelane's own programs, of its build and tests, and of others.
  for (const char *Name :
       {"WAVELANE_CHECK", "WAVELANE_CHECK_FOLDER", "WAVELANE_GPU",
        "WAVELANE_WARNED", "WAVELANE_BUILD", "WAVELANE_LLVM", "WAVELANE_CASES",
        "WAVELANE_LLDB_CACHE", "WAVELANE_TEST_LIBRARY", "WAVELANE_FAKE_LOG",
        "WAVELANE", "WAVELANE_", "WAYLAND_DISPLAY", "PATH", "CUS", ""})
    EXPECT_EQ(explainMistyped(Name), "") << Name;
}
