// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that need no machine have the machine's results, and those that
// fail have its errors.
#include "TestContext.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace llvm::dwarf;
using namespace wavelane::location;

namespace {
class NarrowContext : public TestContext {
public:
  unsigned Size = 8;
  unsigned getAddressSize() override { return Size; }
};

std::string describe(Expected<Entry> E, Context &C) {
  if (!E)
    return toString(E.takeError());
  const Location &L = E->Location;
  return E->describe(&C) + " lane " + std::to_string(L.Lane.value_or(99));
}

TEST(Straight, IsWhatTheMachineDoes) {
  const uint8_t Plain[] = {DW_OP_lit0, DW_OP_lit3, DW_OP_lit31,       DW_OP_dup,
                           DW_OP_swap, DW_OP_plus, DW_OP_minus,       DW_OP_mul,
                           DW_OP_and,  DW_OP_or,   DW_OP_xor,         DW_OP_shl,
                           DW_OP_shr,  DW_OP_drop, DW_OP_stack_value, DW_OP_nop,
                           DW_OP_eq};
  const struct {
    uint8_t Code;
    unsigned Bytes;
  } WithOperand[] = {
      {DW_OP_const1u, 1}, {DW_OP_const1s, 1},     {DW_OP_const2u, 2},
      {DW_OP_const2s, 2}, {DW_OP_const4u, 4},     {DW_OP_const4s, 4},
      {DW_OP_const8u, 8}, {DW_OP_const8s, 8},     {DW_OP_constu, 1},
      {DW_OP_consts, 1},  {DW_OP_plus_uconst, 1}, {DW_OP_breg3, 1}};
  std::mt19937 Random(20);
  NarrowContext C;
  C.Lane = 17;
  C.LaneCount = 64;
  C.Registers[3] = {0, 0x10, 0, 0, 0, 0, 0, 0xff};
  unsigned Good = 0;
  for (unsigned Round = 0; Round < 200000; ++Round) {
    C.Size = Round % 3 == 0 ? 4 : Round % 3 == 1 ? 2 : 8;
    std::vector<uint8_t> Bytes;
    for (unsigned Left = 1 + Random() % 12; Left; --Left) {
      if (Random() % 2) {
        Bytes.push_back(Plain[Random() % std::size(Plain)]);
        continue;
      }
      const auto &One = WithOperand[Random() % std::size(WithOperand)];
      Bytes.push_back(One.Code);
      for (unsigned I = 0; I < One.Bytes; ++I)
        Bytes.push_back(uint8_t(Random()));
    }
    if (Random() % 2)
      Bytes.push_back(DW_OP_stack_value);
    auto Look = [](const Operation &, ArrayRef<Entry>) {};
    TraceFunction Trace = Look;
    Expected<Entry> Machine =
        evaluate(Bytes, C, ResultKind::Location, {}, {}, &Trace);
    Good += bool(Machine);
    EXPECT_EQ(describe(evaluate(Bytes, C, ResultKind::Location), C),
              describe(std::move(Machine), C));
    if (HasFailure())
      break;
  }
  EXPECT_GT(Good, 20000u);
}

/// Registers and memory that point into memory.
class PointingContext : public NarrowContext {
public:
  std::optional<Location> FrameAddress;
  PointingContext *Caller = nullptr;
  bool IsPerLane = false;

  Expected<Location> getCallFrameAddress() override {
    if (!FrameAddress)
      return Context::getCallFrameAddress();
    return *FrameAddress;
  }
  Expected<Context *> getCallerContext() override {
    if (!Caller)
      return Context::getCallerContext();
    return Caller;
  }
  Expected<uint64_t> getLoadAddress(uint64_t FileAddress) override {
    return FileAddress + 8;
  }
  Error readMemory(uint64_t Space, std::optional<uint32_t> L, uint64_t Thread,
                   uint64_t Address, MutableArrayRef<uint8_t> Into) override {
    if (L == 5u)
      return failed("no memory of lane 5");
    return TestContext::readMemory(Space, L, Thread, Address, Into);
  }
  std::optional<wavelane::location::AddressSpace>
  getAddressSpace(uint64_t N) override {
    auto Space = TestContext::getAddressSpace(N);
    if (Space && N == 0)
      Space->IsPerLane = IsPerLane;
    return Space;
  }
};

TEST(Straight, ReadsWhatTheMachineReads) {
  const char *Operations[] = {"breg3 8",
                              "breg3 -16",
                              "bregx 3 0",
                              "breg4 0",
                              "fbreg 16",
                              "fbreg -8",
                              "call_frame_cfa",
                              "addr 0x1010",
                              "deref",
                              "deref",
                              "deref",
                              "deref_size 1",
                              "deref_size 2",
                              "deref_size 4",
                              "deref_size 9",
                              "plus_uconst 8",
                              "lit8",
                              "plus",
                              "const1s -8",
                              "mul",
                              "shr",
                              "dup",
                              "drop",
                              "over",
                              "swap",
                              "entry_value { reg3 }",
                              "entry_value { regx 3 }",
                              "entry_value { breg3 0 }",
                              "entry_value { reg9 }",
                              "reg3",
                              "implicit_value 0010",
                              "stack_value",
                              "piece 4"};
  std::mt19937 Random(22);
  PointingContext C, Caller;
  C.LaneCount = 64;
  C.Registers[3] = {0x20, 0x10, 0, 0, 0, 0, 0, 0};
  C.Registers[4] = {0xfc, 0x10, 0, 0};
  Caller.Registers[3] = {0x40, 0x10, 0, 0, 0, 0, 0, 0};
  for (size_t I = 0; I < C.Memory.size(); I += 8) {
    C.Memory[I] = uint8_t(I + 24);
    C.Memory[I + 1] = 0x10;
  }
  unsigned Good = 0;
  for (unsigned Round = 0; Round < 100000; ++Round) {
    C.Size = Round % 5 == 0 ? 4 : 8;
    C.Lane = Random() % 8 ? std::optional<uint32_t>(17) : std::nullopt;
    C.IsPerLane = Random() % 16 == 0;
    C.Caller = Random() % 8 ? &Caller : nullptr;
    for (std::optional<Location> *L : {&C.FrameBase, &C.FrameAddress}) {
      *L = Location::memory(Random() % 8 ? 0 : 5, 0x1030);
      (*L)->Lane = Random() % 4 ? C.Lane : 5;
      if (Random() % 8 == 0)
        *L = Random() % 2 ? std::nullopt : std::optional(Location::reg(3));
    }
    std::string Text;
    for (unsigned Left = 1 + Random() % 6; Left; --Left)
      Text += std::string(Text.empty() ? "" : "; ") +
              Operations[Random() % std::size(Operations)];
    DecodeOptions Decode;
    Decode.AddressSize = uint8_t(C.Size);
    const std::vector<uint8_t> Bytes = cantFail(assembleText(Text, Decode));
    EvaluationOptions O;
    O.Dialect = Round % 7 == 0 ? Dialect::Strict : Dialect::Default;
    O.Upstream.Enabled = Round % 9 == 0;
    O.MaxDepth = Round % 11 == 0 ? 0 : 64;
    auto Look = [](const Operation &, ArrayRef<Entry>) {};
    TraceFunction Trace = Look;
    const ResultKind Kind =
        Round % 13 == 0 ? ResultKind::Any : ResultKind::Location;
    Expected<Entry> Machine = evaluate(Bytes, C, Kind, O, {}, &Trace);
    Good += bool(Machine);
    EXPECT_EQ(describe(evaluate(Bytes, C, Kind, O), C),
              describe(std::move(Machine), C))
        << Text;
    if (HasFailure())
      break;
  }
  EXPECT_GT(Good, 10000u);
}

TEST(Straight, PiecesAreWhatTheMachineMakes) {
  const char *Places[] = {"reg3",     "regx 2560", "breg3 16",
                          "fbreg -8", "bregx 3 4", "implicit_value 01020304",
                          "addr 8",   "lit1",      "reg9",
                          ""};
  std::mt19937 Random(21);
  TestContext C;
  C.Lane = 17;
  C.LaneCount = 64;
  C.Registers[3] = {0, 0x10, 0, 0, 0, 0, 0, 0};
  C.Registers[2560] = std::vector<uint8_t>(256);
  C.FrameBase = Location::memory(0, 0x1010);
  unsigned Good = 0;
  for (unsigned Round = 0; Round < 20000; ++Round) {
    std::string Text;
    for (unsigned Left = 1 + Random() % 4; Left; --Left) {
      const std::string Place = Places[Random() % std::size(Places)];
      Text += (Text.empty() ? "" : "; ") + Place + (Place.empty() ? "" : "; ") +
              "piece " + std::to_string(Random() % 10);
    }
    const std::vector<uint8_t> Bytes = cantFail(assembleText(Text));
    EvaluationOptions O;
    O.Upstream.Enabled = Round % 2;
    O.IsLenient = Round % 5 == 0;
    if (Round % 3 == 0)
      O.MaxParts = 2;
    auto Look = [](const Operation &, ArrayRef<Entry>) {};
    TraceFunction Trace = Look;
    Expected<Entry> Machine =
        evaluate(Bytes, C, ResultKind::Location, O, {}, &Trace);
    Good += bool(Machine);
    EXPECT_EQ(describe(evaluate(Bytes, C, ResultKind::Location, O), C),
              describe(std::move(Machine), C))
        << Text;
    if (HasFailure())
      break;
  }
  EXPECT_GT(Good, 2000u);
}
} // namespace
