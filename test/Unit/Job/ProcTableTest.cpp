//===-- ProcTableTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Job/ProcTable.h"
#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"
#include <unistd.h>

using namespace wavelane::job;

// As a launcher has them; the linker exports them (see CMakeLists.txt).
extern "C" {
struct Description {
  const char *Host, *Program;
  int Pid;
};
__attribute__((visibility("default"), used)) Description *MPIR_proctable;
__attribute__((visibility("default"), used)) int MPIR_proctable_size;
}

static std::string read() {
  auto Found = readProcTable(uint64_t(getpid()));
  if (!Found) {
    const std::string Why = llvm::toString(Found.takeError());
    return Why.substr(Why.find(": ") + 2);
  }
  std::string Text;
  for (const Started &One : *Found)
    Text += One.Host + ":" + std::to_string(One.Pid) + " ";
  return Text;
}

TEST(ProcTableTest, ReadsALaunchersTable) {
  Description Two[] = {{"node1", "./app", 12}, {"node2.example.org", "", 7}};
  MPIR_proctable = Two;
  MPIR_proctable_size = 2;
  EXPECT_EQ(read(), "node1:12 node2.example.org:7 ");
}

TEST(ProcTableTest, RefusesABadTable) {
  MPIR_proctable = nullptr;
  MPIR_proctable_size = 0;
  EXPECT_EQ(read(), "its table has 0 ranks");
  MPIR_proctable_size = 1000;
  EXPECT_EQ(read(), "its table has 1000 ranks");
  Description Two[] = {{"node1", "./app", 12}, {"node2", "", 0}};
  MPIR_proctable = Two;
  MPIR_proctable_size = -1;
  EXPECT_EQ(read(), "its table has -1 ranks");
  MPIR_proctable_size = 2000000;
  EXPECT_EQ(read(), "its table has 2000000 ranks");
  MPIR_proctable_size = 2;
  EXPECT_EQ(read(), "its table isn't complete yet");
  const std::string Long(300, 'a');
  Two[1] = {Long.c_str(), "", 7};
  EXPECT_EQ(read(), "a host's name in its table is too long");
  // What would be an option or a command of ssh's.
  Two[1] = {"-oProxyCommand=touch it-ran", "", 7};
  EXPECT_EQ(read(), "its table names a host that can't be one: "
                    "'-oProxyCommand=touch it-ran'");
  for (const char *Name : {"a b", "a;b", "$(a)", "a\nb", "../a", "a@b"}) {
    Two[1] = {Name, "", 7};
    EXPECT_TRUE(llvm::StringRef(read()).starts_with("its table names a host"))
        << Name;
  }
  Two[1] = {nullptr, "", 7};
  EXPECT_EQ(read(), "its memory can't be read: Bad address");
}

static std::string parse(llvm::StringRef Text) {
  auto Found = parseStarted(Text);
  return Found ? Found->Host + " " + std::to_string(Found->Pid)
               : llvm::toString(Found.takeError());
}

TEST(ProcTableTest, ParsesProcesses) {
  EXPECT_EQ(parse("12"), " 12");
  EXPECT_EQ(parse("node1:12"), "node1 12");
  EXPECT_EQ(parse("me@node1:12"), "me@node1 12");
  EXPECT_EQ(parse("[fe80::1]:12"), "fe80::1 12");
  for (llvm::StringRef Text :
       {"x", "", "0", "-1", "node:", ":12", "node:x", "-oX:1", "4294967296"})
    EXPECT_EQ(parse(Text),
              ("'" + Text + "' isn't a process: give PID or HOST:PID").str());
}
