//===-- LaneProcessTest.cpp - a process whose memory has a window ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Lane/LaneProcess.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Target/Target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Ranges = std::vector<Range<lldb::addr_t, size_t>>;

/// 256 bytes of memory from 0x1000 on; each byte is the low byte of its
/// address.
class FakeProcess : public Process {
public:
  FakeProcess(lldb::TargetSP target_sp, lldb::ListenerSP listener_sp)
      : Process(target_sp, listener_sp) {}
  ~FakeProcess() override { Finalize(/*destructing=*/true); }
  bool CanDebug(lldb::TargetSP, bool) override { return true; }
  Status DoDestroy() override { return {}; }
  void RefreshStateAfterStop() override {}
  bool DoUpdateThreadList(ThreadList &, ThreadList &) override { return false; }
  llvm::StringRef GetPluginName() override { return "fake"; }
  size_t DoReadMemory(lldb::addr_t addr, void *buf, size_t size,
                      Status &) override {
    if (addr < 0x1000 || addr >= 0x1100)
      return 0;
    size = std::min<size_t>(size, 0x1100 - addr);
    std::iota(static_cast<uint8_t *>(buf), static_cast<uint8_t *>(buf) + size,
              uint8_t(addr));
    return size;
  }
  llvm::SmallVector<llvm::MutableArrayRef<uint8_t>>
  ReadMemoryRanges(llvm::ArrayRef<Range<lldb::addr_t, size_t>> ranges,
                   llvm::MutableArrayRef<uint8_t> buffer) override {
    m_asked.assign(ranges.begin(), ranges.end());
    return Process::ReadMemoryRanges(ranges, buffer);
  }

  /// The reads that a server would have received.
  Ranges m_asked;
};

/// 4 bytes outside of memory.
class Object : public WindowObject {
public:
  size_t Read(Process &, uint64_t offset, void *buf, size_t size,
              Status &) override {
    if (offset >= 4)
      return 0;
    size = std::min<size_t>(size, 4 - offset);
    memset(buf, 0xaa, size);
    return size;
  }
  size_t Write(Process &, uint64_t, const void *, size_t, Status &) override {
    return 0;
  }
  uint64_t GetSize() override { return 4; }
};

class LaneProcessTest : public testing::Test {
protected:
  static void SetUpTestSuite() { lldb::SBDebugger::Initialize(); }
  static void TearDownTestSuite() { lldb::SBDebugger::Terminate(); }

  void SetUp() override {
    m_debugger_sp = Debugger::CreateInstance();
    ASSERT_TRUE(m_debugger_sp);
    lldb::TargetSP target_sp;
    lldb::PlatformSP platform_sp =
        m_debugger_sp->GetPlatformList().GetSelectedPlatform();
    Status error = m_debugger_sp->GetTargetList().CreateTarget(
        *m_debugger_sp, "", ArchSpec("x86_64-pc-linux"), eLoadDependentsNo,
        platform_sp, target_sp);
    ASSERT_TRUE(target_sp) << error.AsCString();
    m_process_sp = std::make_shared<LaneProcess<FakeProcess>>(
        target_sp, Listener::MakeListener("lane-process-test"));
    m_window =
        llvm::cantFail(ProcessLanes::GetOrCreate(*m_process_sp)
                           ->GetObjectAddress(*m_process_sp, "object",
                                              std::make_shared<Object>()));
  }
  void TearDown() override {
    m_process_sp.reset();
    Debugger::Destroy(m_debugger_sp);
  }

  std::vector<std::vector<uint8_t>> Read(Ranges ranges,
                                         size_t buffer_size = 64) {
    std::vector<uint8_t> buffer(buffer_size, 0xee);
    std::vector<std::vector<uint8_t>> result;
    m_process_sp->m_asked.clear();
    for (auto bytes : m_process_sp->ReadMemoryRanges(ranges, buffer))
      result.emplace_back(bytes.begin(), bytes.end());
    return result;
  }

  lldb::DebuggerSP m_debugger_sp;
  std::shared_ptr<LaneProcess<FakeProcess>> m_process_sp;
  lldb::addr_t m_window = 0;
};

TEST_F(LaneProcessTest, ServersAreNotAskedForTheWindow) {
  const std::vector<uint8_t> object(4, 0xaa);
  EXPECT_THAT(
      Read({{m_window, 4}, {0x1010, 2}, {m_window + 2, 8}, {0x1020, 3}}),
      ElementsAre(object, ElementsAre(0x10, 0x11), ElementsAre(0xaa, 0xaa),
                  ElementsAre(0x20, 0x21, 0x22)));
  ASSERT_EQ(m_process_sp->m_asked.size(), 2u);
  EXPECT_EQ(m_process_sp->m_asked[0].base, 0x1010u);
  EXPECT_EQ(m_process_sp->m_asked[1].base, 0x1020u);
  // Alone, with other ranges, empty, and out of range.
  EXPECT_THAT(Read({{m_window, 4}}), ElementsAre(object));
  EXPECT_TRUE(m_process_sp->m_asked.empty());
  EXPECT_THAT(
      Read({{0x10fe, 4}, {0x2000, 1}, {m_window + 4, 1}, {m_window, 0}}),
      ElementsAre(ElementsAre(0xfe, 0xff), IsEmpty(), IsEmpty(), IsEmpty()));
  EXPECT_THAT(Read({}), IsEmpty());
}

TEST_F(LaneProcessTest, AShortBufferIsNotOverrun) {
  EXPECT_THAT(Read({{m_window, 4}, {m_window, 4}}, 4),
              ElementsAre(std::vector<uint8_t>(4, 0xaa), IsEmpty()));
}

} // namespace
