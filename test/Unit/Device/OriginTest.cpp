//===-- OriginTest.cpp - where values come from ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceFixture.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace wavelane;
using namespace wavelane::simulator;
using llvm::json::Array;
using llvm::json::Object;

namespace {

constexpr uint32_t Nop = 0xbf800000, Trap1 = 0xbf920001;
constexpr uint64_t Data = DataAt + 0x1000, DataBytes = 0x1000;
constexpr unsigned TrapWord = 35; // of the code

class OriginTest : public DeviceTest {
protected:
  OriginTest() { SnapshotInterval = 10; }

  /// Two waves of one workgroup, at a breakpoint at the end of the kernel.
  void run() {
    connectDebugger();
    enableRuntime();
    enableDebugging();
    createQueue();
    snapshot();
    setPages(Data, DataBytes, PageRead | PageWrite);
    ask(Object{{"do", "record"}});
    putKernel({
        0xc0060180, 0x00000000, // s_load_dwordx2 s[6:7], s[0:1], 0x0
        0xbf8c0000,             // s_waitcnt 0
        0x24080082,             // v_lshlrev_b32_e32 v4, 2, v0
        0xdc508000, 0x03060004, // global_load_dword v3, v4, s[6:7]
        0xbf8c0000,             // s_waitcnt 0
        0x7e040287,             // v_mov_b32_e32 v2, 7
        0x68060503,             // v_add_u32_e32 v3, v3, v2
        0xbf800001,             // s_nop 1
        0x7e0a02fa, 0xff00b103, // v_mov_b32_dpp v5, v3 quad_perm:[1,0,3,2]
        0xd81a0000, 0x00000504, // ds_write_b32 v4, v5
        0xbf8c0000,             // s_waitcnt 0
        0xd86c0000, 0x06000004, // ds_read_b32 v6, v4
        0xbf8c0000,             // s_waitcnt 0
        0x7d940085,             // v_cmp_eq_u32_e32 vcc, 5, v0
        0x000e0d02,             // v_cndmask_b32_e32 v7, v2, v6, vcc
        0x7e100280,             // v_mov_b32_e32 v8, 0
        0x7e124508,             // v_rcp_f32_e32 v9, v8
        0x0a141308,             // v_mul_f32_e32 v10, v8, v9
        0x0216050a,             // v_add_f32_e32 v11, v10, v2
        0xbe880089,             // s_mov_b32 s8, 9
        0xd2890009, 0x00010b07, // v_readlane_b32 s9, v7, 5
        0x800a0908,             // s_add_u32 s10, s8, s9
        0xdc708400, 0x00060704, // global_store_dword v4, v7, s[6:7] offset:1024
        0xbf8c0000,             // s_waitcnt 0
        0xbf8a0000,             // s_barrier
        0xdc508300, 0x0c060004, // global_load_dword v12, v4, s[6:7] offset:768
        0xbf8c0000,             // s_waitcnt 0
        Trap1,                  //
        0xbf810000,             // s_endpgm
    });
    at<KernelDescriptor>(CodeAt).Rsrc1 |= 1; // 16 registers
    at<KernelDescriptor>(CodeAt).Rsrc3 = 3;
    at<KernelDescriptor>(CodeAt).KernargSize = 8;
    at<uint64_t>(DataAt) = Data;
    for (unsigned I = 0; I < 128; ++I)
      at<uint32_t>(Data + 4 * I) = 100 + I;
    note(MemoryNote::Copied, Data, 512, 0x1234000);
    dispatch(128, 128, /*LDS=*/512);
    ASSERT_EQ(suspendAt(2, TrapWord + 1).size(), 2u);
    for (const savearea::WaveRecord &R : records())
      hw(R, 1) = uint32_t(CodeAt + 256 + 4 * TrapWord);
  }

  void note(MemoryNote::What What, uint64_t To, uint64_t Size, uint64_t From) {
    MemoryNote N = {};
    N.what = What;
    N.address = To;
    N.size = Size;
    N.from = From;
    N.rows = 1;
    Message M;
    EXPECT_EQ(request(Program, MessageType::MemoryNote, &N, sizeof(N), M), 0);
  }

  static Array cell(const char *Space, int64_t Index, int64_t Lane = 0) {
    return Array{Object{{"space", Space}, {"index", Index}, {"lane", Lane}}};
  }

  /// The nodes of an origin.
  void find(int64_t Number, Array Cells, Object Request = {}) {
    Request["do"] = "origin";
    Request["number"] = Number;
    Request["cells"] = std::move(Cells);
    Request["breakpoints"] =
        Array{Object{{"address", int64_t(CodeAt + 256 + 4 * TrapWord)},
                     {"bytes", "000080bf"}}};
    Answer = ask(std::move(Request));
    ASSERT_FALSE(Answer.getString("error")) << Answer.getString("error")->str();
    ASSERT_EQ(Answer.getBoolean("done"), true);
    ASSERT_TRUE(Answer.getArray("nodes"));
    ask(Object{{"do", "go"}, {"position", *Answer.getInteger("now")}});
  }
  const Object &node(size_t Index) {
    static const Object None;
    const Array &Nodes = *Answer.getArray("nodes");
    return Index < Nodes.size() ? *Nodes[Index].getAsObject() : None;
  }
  /// A node and its inputs as "v_add_u32_e32 5 = 0x6b (... , ...)".
  std::string text(size_t Index = 0) {
    const Object &N = node(Index);
    std::string R;
    if (Index) {
      R = N.getString("instruction")
              .value_or(N.getString("kind").value_or("?"))
              .str();
      if (N.getString("kind") == "store")
        R = "store " + R;
      if (auto Lane = N.getInteger("lane"))
        R += llvm::formatv("@{0}", *Lane);
      uint64_t Value = 0;
      if (auto V = N.getString("value"); V && !V->getAsInteger(16, Value))
        R += llvm::formatv("={0:x-}", Value);
      if (N.getBoolean("other").value_or(false))
        R += "!";
    }
    const Array *Inputs = N.getArray("inputs");
    if (!Inputs || Inputs->empty())
      return R;
    if (Index)
      R += "(";
    for (size_t I = 0; I < Inputs->size(); ++I)
      R += (I ? ", " : "") + text(size_t(*(*Inputs)[I].getAsInteger()));
    return Index ? R + ")" : R;
  }

  Object Answer;
};

TEST_F(OriginTest, FollowsLanesThroughMemoryAndRegisters) {
  ASSERT_NO_FATAL_FAILURE(run());
  // Lane 5 took the other side, which lane 4 has computed, from local memory.
  ASSERT_NO_FATAL_FAILURE(find(0, cell("vector", 7, 5)));
  EXPECT_EQ(text(), "v_cndmask_b32_e32@5=6f(ds_read_b32@5=6f(ds_write_b32@5=6f("
                    "v_mov_b32_dpp@5=6f(v_add_u32_e32@4=6f("
                    "global_load_dword@4=68(host), v_mov_b32_e32@4=7)))))");
  EXPECT_EQ(node(1).getBoolean("copy"), true);
  // Lane 6 took the constant.
  ASSERT_NO_FATAL_FAILURE(find(0, cell("vector", 7, 6)));
  EXPECT_EQ(text(), "v_cndmask_b32_e32@6=7(v_mov_b32_e32@6=7)");
  // From a lane to a scalar.
  ASSERT_NO_FATAL_FAILURE(find(0, cell("scalar", 10)));
  EXPECT_TRUE(llvm::StringRef(text()).starts_with(
      "s_add_u32=78(s_mov_b32=9, v_readlane_b32=6f(v_cndmask_b32_e32@5=6f("))
      << text();
}

TEST_F(OriginTest, EndsWhereTheWaveBegan) {
  ASSERT_NO_FATAL_FAILURE(run());
  ASSERT_NO_FATAL_FAILURE(find(1, cell("vector", 4, 3)));
  EXPECT_EQ(text(), "v_lshlrev_b32_e32@3=10c(start@3=43)");
  // An argument has two dwords.
  ASSERT_NO_FATAL_FAILURE(
      find(0, Array{Object{{"space", "scalar"}, {"index", 6}},
                    Object{{"space", "scalar"}, {"index", 7}}}));
  EXPECT_EQ(text(),
            llvm::formatv("s_load_dwordx2={0:x-}(argument)", Data).str());
  ASSERT_NO_FATAL_FAILURE(find(0, cell("scalar", 0)));
  EXPECT_EQ(node(1).getString("what"), "address of the kernel's arguments");
}

TEST_F(OriginTest, HalvesShowTheWholeValue) {
  ASSERT_NO_FATAL_FAILURE(run());
  const Array Both{Object{{"space", "scalar"}, {"index", 8}},
                   Object{{"space", "scalar"}, {"index", 9}}};
  ASSERT_NO_FATAL_FAILURE(find(0, Array(Both), Object{{"type", "i64"}}));
  ASSERT_TRUE(llvm::StringRef(text()).starts_with(
      "v_readlane_b32=6f(v_cndmask_b32_e32@5=6f("))
      << text();
  EXPECT_TRUE(llvm::StringRef(text()).ends_with(", s_mov_b32=9")) << text();
  const Array &Inputs = *node(0).getArray("inputs");
  const Object &Upper = node(size_t(*Inputs[0].getAsInteger())),
               &Lower = node(size_t(*Inputs[1].getAsInteger()));
  for (const Object *Half : {&Upper, &Lower}) {
    EXPECT_EQ(Half->getString("whole"), "0000006f00000009");
    EXPECT_EQ(Half->getString("whole_type"), "i64");
    EXPECT_EQ(Half->getInteger("half"), Half == &Upper);
    EXPECT_EQ(Half->getInteger("other_half"),
              Inputs[Half == &Upper].getAsInteger());
  }
  // So do those that are copied, but not what they were computed from.
  std::vector<std::string> Halves;
  for (size_t I = 1; I < Answer.getArray("nodes")->size(); ++I)
    if (node(I).getString("whole") == "0000006f00000009")
      Halves.push_back(node(I).getString("instruction")->str());
  EXPECT_EQ(llvm::join(Halves, " "),
            "v_readlane_b32 s_mov_b32 v_cndmask_b32_e32 ds_read_b32 "
            "ds_write_b32 v_mov_b32_dpp v_add_u32_e32");
  // The whole value decides about a condition.
  ASSERT_NO_FATAL_FAILURE(
      find(0, Array(Both),
           Object{{"type", "i64"},
                  {"until", Object{{"is", "<"}, {"number", 100}}}}));
  EXPECT_TRUE(llvm::StringRef(text()).starts_with(
      "v_readlane_b32=6f!(v_cndmask_b32_e32@5=6f!("))
      << text();
  EXPECT_TRUE(llvm::StringRef(text()).ends_with(", s_mov_b32=9!")) << text();
  // What a place had before is another value.
  ASSERT_NO_FATAL_FAILURE(
      find(0, Array(Both), Object{{"type", "i64"}, {"history", true}}));
  EXPECT_EQ(node(1).getString("whole"), "0000006f00000009");
  EXPECT_EQ(node(3).getString("whole"), std::nullopt) << text();
}

TEST_F(OriginTest, ReportsOtherWavesStores) {
  ASSERT_NO_FATAL_FAILURE(run());
  ASSERT_NO_FATAL_FAILURE(find(1, cell("vector", 12, 3)));
  EXPECT_EQ(text(), "global_load_dword@3=7(store global_store_dword@3=7)");
  EXPECT_EQ(node(2).getInteger("number"), 0);
  // Its own store, asked for by the address.
  ASSERT_NO_FATAL_FAILURE(find(0, cell("global", (Data + 1024 + 20) / 4)));
  EXPECT_TRUE(llvm::StringRef(text()).starts_with(
      "global_store_dword@5=6f(v_cndmask_b32_e32@5=6f("))
      << text();
}

TEST_F(OriginTest, FindsWhereAConditionBeganToHold) {
  ASSERT_NO_FATAL_FAILURE(run());
  ASSERT_NO_FATAL_FAILURE(
      find(0, cell("vector", 11, 9),
           Object{{"type", "f32"}, {"until", Object{{"is", "isnan"}}}}));
  EXPECT_EQ(text(), "v_add_f32_e32@9=ffc00000(v_mul_f32_e32@9=ffc00000("
                    "v_mov_b32_e32@9=0!, v_rcp_f32_e32@9=7f800000!), "
                    "v_mov_b32_e32@9=7!)");
  EXPECT_EQ(ask(Object{{"do", "origin"},
                       {"number", 0},
                       {"cells", cell("vector", 1)},
                       {"until", Object{{"is", "odd"}}}})
                .getString("error"),
            "unknown word at request.until.is");
}

TEST_F(OriginTest, ListsWhatAPlaceHad) {
  ASSERT_NO_FATAL_FAILURE(run());
  ASSERT_NO_FATAL_FAILURE(
      find(0, cell("vector", 3, 4), Object{{"history", true}}));
  EXPECT_EQ(text(), "v_add_u32_e32@4=6f(global_load_dword@4=68(start@4=0))");
}

TEST_F(OriginTest, ReportsHostAndDebugger) {
  ASSERT_NO_FATAL_FAILURE(run());
  ASSERT_NO_FATAL_FAILURE(find(0, cell("vector", 3, 4)));
  const Object *Action = nullptr;
  for (size_t I = 0; !node(I).empty(); ++I)
    if (node(I).getString("kind") == "host")
      Action = node(I).getObject("action");
  ASSERT_TRUE(Action) << text();
  EXPECT_EQ(Action->getString("what"), "copy");
  EXPECT_EQ(Action->getInteger("from"), 0x1234000);
  // What was crossed: the copy, before the first instruction, isn't.
  Object R = ask(Object{{"do", "crossed"}, {"from", 0}, {"to", 1000}});
  EXPECT_EQ(R.getInteger("count"), 0);
  note(MemoryNote::Copied, 0x1234000, 512, Data);
  note(MemoryNote::Copies, 0x1234000, 512, Data); // of no interest
  R = ask(Object{{"do", "crossed"}, {"from", 0}, {"to", 1000}});
  ASSERT_EQ(R.getInteger("count"), 1);
  EXPECT_EQ((*R.getArray("actions"))[0].getAsObject()->getInteger("size"), 512);
  EXPECT_EQ(
      ask(Object{{"do", "covers"}, {"address", int64_t(Data)}, {"size", 4}})
          .getBoolean("covers"),
      true);
  EXPECT_EQ(ask(Object{{"do", "covers"}, {"address", 0x1234000}, {"size", 4}})
                .getBoolean("covers"),
            false);
  // The debugger's value is an origin.
  auto Waves = records();
  at<uint32_t>(SaveAt + Waves[0].Vgprs + 3 * 256 + 4 * 4) = 42;
  at<uint32_t>(CodeAt + 256 + 4 * TrapWord) = Nop;
  at<uint32_t>(CodeAt + 256 + 4 * (TrapWord + 1)) = Trap1;
  for (const savearea::WaveRecord &W : Waves) {
    ttmp(W, 6) &= ~(0x3fu << 25);
    hw(W, 5) &= ~(isa::status::Halt | isa::status::SkipExport);
  }
  ASSERT_EQ(suspendOrResume(kfd::ResumeQueues), 1);
  ASSERT_EQ(suspendAt(2, TrapWord + 2).size(), 2u);
  ASSERT_NO_FATAL_FAILURE(find(0, cell("vector", 3, 4)));
  EXPECT_EQ(text(), "debugger@4=2a");
}

TEST_F(OriginTest, WrongRequestsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(run());
  auto Fail = [&](Object Request) {
    Request["do"] = "origin";
    return ask(std::move(Request)).getString("error").value_or("").str();
  };
  EXPECT_EQ(Fail({}), "no search has begun");
  EXPECT_EQ(Fail(Object{{"number", 0}, {"cells", Array{}}}),
            "no search has begun");
  EXPECT_EQ(Fail(Object{{"number", 99}, {"cells", cell("scalar", 1)}}),
            "the wave has ended");
  for (Array Cells :
       {cell("vector", 512), cell("scalar", 1000), cell("vector", 1, 64)})
    EXPECT_EQ(Fail(Object{{"number", 0}, {"cells", std::move(Cells)}}),
              "malformed cell");
  EXPECT_EQ(Fail(Object{{"number", 0}, {"cells", cell("global", -1)}}),
            "expected uint64_t at request.cells[0].index");
  EXPECT_EQ(Fail(Object{{"number", 0}, {"cells", cell("moon", 1)}}),
            "unknown word at request.cells[0].space");
}

} // namespace
