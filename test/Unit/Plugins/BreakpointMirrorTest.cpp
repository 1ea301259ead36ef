//===-- BreakpointMirrorTest.cpp - breakpoints of two targets as one ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session/Coupling/BreakpointMirror.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Utility/StringList.h"
#include "llvm/Support/MemoryBuffer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// The number of the source line that contains \a text.
uint32_t FindLine(llvm::StringRef text) {
  auto file = llvm::MemoryBuffer::getFile(MIRROR_SOURCE);
  if (!file)
    return 0;
  const llvm::StringRef source = (*file)->getBuffer();
  return uint32_t(source.take_front(source.find(text)).count('\n')) + 1;
}

class BreakpointMirrorTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    SBDebugger::Initialize();
    PlatformAMDGPU::Initialize();
  }

  void SetUp() override {
    m_debugger_sp = Debugger::CreateInstance();
    m_host_sp = Create(MIRROR_HOST, "x86_64-pc-linux");
    m_gpu_sp = Create(MIRROR_GPU, "amdgcn-amd-amdhsa");
    ASSERT_TRUE(m_host_sp && m_gpu_sp);
  }
  void TearDown() override {
    m_host_sp.reset();
    m_gpu_sp.reset();
    Debugger::Destroy(m_debugger_sp);
  }

  TargetSP Create(const char *path, const char *triple) {
    TargetSP target_sp;
    PlatformSP platform_sp;
    Status error = m_debugger_sp->GetTargetList().CreateTarget(
        *m_debugger_sp, path, ArchSpec(triple), eLoadDependentsNo, platform_sp,
        target_sp);
    EXPECT_TRUE(target_sp) << error.AsCString();
    return target_sp;
  }

  static BreakpointSP SetAtLine(Target &target, llvm::StringRef text) {
    return target.CreateBreakpoint(
        nullptr, FileSpec("Mirror.cpp"), FindLine(text), /*column=*/0,
        /*offset=*/0, /*check_inlines=*/eLazyBoolNo,
        /*skip_prologue=*/eLazyBoolNo, /*internal=*/false,
        /*request_hardware=*/false, /*move_to_nearest_code=*/eLazyBoolYes);
  }
  static BreakpointSP SetAtName(Target &target, const char *name) {
    return target.CreateBreakpoint(
        nullptr, nullptr, name, eFunctionNameTypeAuto, eLanguageTypeUnknown,
        /*offset=*/0, /*offset_is_insn_count=*/false,
        /*skip_prologue=*/eLazyBoolNo, /*internal=*/false,
        /*request_hardware=*/false);
  }
  static BreakpointSP SetAtAddress(Target &target, addr_t address) {
    return target.CreateBreakpoint(address, /*internal=*/false,
                                   /*request_hardware=*/false);
  }

  static std::vector<break_id_t> GetNumbers(Target &target) {
    std::vector<break_id_t> numbers;
    for (const BreakpointSP &breakpoint_sp :
         target.GetBreakpointList().Breakpoints())
      numbers.push_back(breakpoint_sp->GetID());
    return numbers;
  }
  void Synchronize() { m_mirror.Synchronize(*m_host_sp, *m_gpu_sp); }
  Breakpoint &OfHost(break_id_t id) {
    return *m_host_sp->GetBreakpointByID(id);
  }
  Breakpoint &OfGPU(break_id_t id) { return *m_gpu_sp->GetBreakpointByID(id); }

  DebuggerSP m_debugger_sp;
  TargetSP m_host_sp, m_gpu_sp;
  BreakpointMirror m_mirror;
};

TEST_F(BreakpointMirrorTest, NewOnesAreCopiedBothWays) {
  SetAtName(*m_host_sp, "work");
  Synchronize();
  SetAtLine(*m_gpu_sp, "// on both");
  Synchronize();
  EXPECT_THAT(GetNumbers(*m_host_sp), ElementsAre(1, 2));
  EXPECT_THAT(GetNumbers(*m_gpu_sp), ElementsAre(1, 2));
  EXPECT_EQ(OfGPU(1).GetNumLocations(), 1u);
  EXPECT_EQ(OfHost(2).GetNumLocations(), 1u);
  // Nothing has changed.
  Synchronize();
  EXPECT_THAT(GetNumbers(*m_host_sp), ElementsAre(1, 2));
}

TEST_F(BreakpointMirrorTest, CopiesHaveTheSameNumber) {
  // The host has used two numbers before there was a GPU target.
  for (int i = 0; i < 2; ++i)
    m_host_sp->RemoveBreakpointByID(SetAtName(*m_host_sp, "gone")->GetID());
  SetAtName(*m_host_sp, "work");
  Synchronize();
  EXPECT_THAT(GetNumbers(*m_host_sp), ElementsAre(3));
  EXPECT_THAT(GetNumbers(*m_gpu_sp), ElementsAre(3));
}

TEST_F(BreakpointMirrorTest, ADeletedOneIsDeletedOnBothSides) {
  SetAtName(*m_host_sp, "work");
  SetAtLine(*m_host_sp, "// on both");
  Synchronize();
  m_gpu_sp->RemoveBreakpointByID(1);
  Synchronize();
  EXPECT_THAT(GetNumbers(*m_host_sp), ElementsAre(2));
  m_host_sp->RemoveBreakpointByID(2);
  Synchronize();
  EXPECT_THAT(GetNumbers(*m_gpu_sp), IsEmpty());
}

TEST_F(BreakpointMirrorTest, ChangesAreCopiedBothWays) {
  SetAtName(*m_host_sp, "work")->SetCondition(StopCondition("value == 1"));
  Synchronize();
  EXPECT_EQ(OfGPU(1).GetCondition().GetText(), "value == 1");

  OfGPU(1).SetCondition(StopCondition("value == 2"));
  OfGPU(1).SetIgnoreCount(3);
  OfGPU(1).SetAutoContinue(true);
  OfGPU(1).SetOneShot(true);
  Synchronize();
  EXPECT_EQ(OfHost(1).GetCondition().GetText(), "value == 2");
  EXPECT_EQ(OfHost(1).GetIgnoreCount(), 3u);
  EXPECT_TRUE(OfHost(1).IsAutoContinue());
  EXPECT_TRUE(OfHost(1).IsOneShot());

  OfHost(1).SetEnabled(false);
  OfHost(1).SetCondition(StopCondition(""));
  Synchronize();
  EXPECT_FALSE(OfGPU(1).IsEnabled());
  EXPECT_EQ(OfGPU(1).GetCondition().GetText(), "");
  EXPECT_EQ(OfGPU(1).GetIgnoreCount(), 3u);
}

TEST_F(BreakpointMirrorTest, ADisabledOneIsCopiedAsOne) {
  SetAtName(*m_host_sp, "work")->SetEnabled(false);
  Synchronize();
  EXPECT_FALSE(OfGPU(1).IsEnabled());
  OfGPU(1).SetEnabled(true);
  Synchronize();
  EXPECT_TRUE(OfHost(1).IsEnabled());
}

TEST_F(BreakpointMirrorTest, CommandsAreCopied) {
  auto commands_up = std::make_unique<BreakpointOptions::CommandData>();
  commands_up->user_source.AppendString("frame variable value");
  commands_up->interpreter = eScriptLanguageNone;
  SetAtName(*m_host_sp, "work");
  Synchronize();
  OfHost(1).GetOptions().SetCommandDataCallback(commands_up);
  Synchronize();
  StringList commands;
  ASSERT_TRUE(OfGPU(1).GetOptions().GetCommandLineCallbacks(commands));
  EXPECT_STREQ(commands.GetStringAtIndex(0), "frame variable value");
  OfGPU(1).GetOptions().ClearCallback();
  Synchronize();
  EXPECT_FALSE(OfHost(1).GetOptions().HasCallback());
}

TEST_F(BreakpointMirrorTest, CallbacksAreCopied) {
  static int g_baton = 0;
  BreakpointHitCallback callback = [](void *, StoppointCallbackContext *,
                                      break_id_t, break_id_t) { return true; };
  SetAtName(*m_host_sp, "work");
  Synchronize();
  OfHost(1).SetCallback(callback, &g_baton, /*is_synchronous=*/false);
  Synchronize();
  EXPECT_TRUE(OfGPU(1).GetOptions().HasCallback());
  OfHost(1).GetOptions().ClearCallback();
  Synchronize();
  EXPECT_FALSE(OfGPU(1).GetOptions().HasCallback());
}

TEST_F(BreakpointMirrorTest, AHostLocationYieldsToTheGPUsExactLine) {
  SetAtLine(*m_host_sp, "// on the GPU");
  SetAtLine(*m_host_sp, "// on both");
  Synchronize();
  ASSERT_EQ(OfGPU(1).GetNumLocations(), 1u);
  EXPECT_TRUE(OfGPU(1).GetLocationAtIndex(0)->IsEnabled());
  // LLDB has moved it to the next line with host code.
  ASSERT_EQ(OfHost(1).GetNumLocations(), 1u);
  EXPECT_FALSE(OfHost(1).GetLocationAtIndex(0)->IsEnabled());
  ASSERT_EQ(OfHost(2).GetNumLocations(), 1u);
  EXPECT_TRUE(OfHost(2).GetLocationAtIndex(0)->IsEnabled());
}

TEST_F(BreakpointMirrorTest, AnAddressIsTheSidesThatHasCodeThere) {
  constexpr addr_t kCode = 0x10000;
  ModuleSP module_sp = m_gpu_sp->GetExecutableModule();
  SectionSP text_sp =
      module_sp->GetSectionList()->FindSectionByName(ConstString(".text"));
  ASSERT_TRUE(text_sp);
  m_gpu_sp->SetSectionLoadAddress(text_sp, kCode);
  SetAtAddress(*m_host_sp, kCode);
  SetAtAddress(*m_gpu_sp, kCode + 4);
  SetAtAddress(*m_host_sp, 0x50);
  Synchronize();
  // The host has no code at the second line, and neither side has any at the
  // last.
  EXPECT_EQ(m_host_sp->GetBreakpointList().GetSize(), 2u);
  EXPECT_EQ(m_gpu_sp->GetBreakpointList().GetSize(), 2u);
}

} // namespace
