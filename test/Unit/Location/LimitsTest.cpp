// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests of hostile files end with an error that says so.
#include "TestContext.h"
#include "wavelane/Location/Attributes.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
std::string getError(StringRef Text, const EvaluationOptions &O = {}) {
  TestContext C;
  C.Registers[3] = {1, 2, 3, 4};
  Expected<Entry> E = run(C, Text, ResultKind::Any, O);
  return E ? std::string() : toString(E.takeError());
}

std::string getErrorOfBytes(ArrayRef<uint8_t> Bytes) {
  TestContext C;
  Expected<Entry> E = evaluate(Bytes, C, ResultKind::Any);
  return E ? std::string() : toString(E.takeError());
}

TEST(Limits, Steps) {
  EXPECT_NE(getError("skip -1").find("operations"), std::string::npos);
}
TEST(Limits, Stack) {
  EvaluationOptions O;
  O.MaxStack = 8;
  EXPECT_NE(getError("lit0; skip -2", O).find("entries"), std::string::npos);
}
TEST(Limits, Parts) {
  EXPECT_NE(getError("reg3; extend 8 100000000").find("parts"),
            std::string::npos);
}
TEST(Limits, HugePieces) {
  EXPECT_EQ(getError("piece 0xffffffffffffffff; piece 0xffffffffffffffff"), "");
}
TEST(Limits, CutOperands) {
  EXPECT_NE(getErrorOfBytes({0x0c, 1, 2}).find("cut off"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x10, 0x80}).find("cut off"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x9e, 0x7f, 1}).find("cut off"),
            std::string::npos);
  EXPECT_NE(getErrorOfBytes({0xe9}).find("cut off"), std::string::npos);
}
TEST(Limits, NumbersBeyond64Bits) {
  EXPECT_NE(getErrorOfBytes({0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0x7f, 0x96})
                .find("64 bits"),
            std::string::npos);
}
TEST(Limits, BranchIntoAnOperation) {
  EXPECT_NE(getErrorOfBytes({0x2f, 1, 0, 0x08, 0x96, 0x96}).find("begins"),
            std::string::npos);
  EXPECT_NE(getErrorOfBytes({0x2f, 0xff, 0x7f}).find("begins"),
            std::string::npos);
}
TEST(Limits, UnknownOperations) {
  EXPECT_NE(getErrorOfBytes({0xff}).find("0xFF"), std::string::npos);
  EXPECT_NE(getErrorOfBytes({0xe9, 0x7e}).find("0x7E"), std::string::npos);
}
/// Entries that refer to each other by offset.
class EntriesContext : public TestContext {
public:
  std::map<uint64_t, std::vector<uint8_t>> Entries;
  void add(uint64_t Offset, StringRef Text) {
    Entries[Offset] = cantFail(assembleText(Text));
  }
  std::string getError(StringRef Text) {
    Expected<Entry> E = run(*this, Text, ResultKind::Location);
    return E ? std::string() : toString(E.takeError());
  }
  Expected<DieLocation> getDie(DieReference Die) override {
    DieLocation L;
    L.Expression = ArrayRef<uint8_t>(Entries.at(Die.Offset));
    return L;
  }
  Expected<ObjectMap> getObjectMap(DieReference Die,
                                   const EvaluationOptions &O) override {
    ObjectMapAttributes Map;
    Map.Memory.Expression = Map.Vector.Expression =
        ArrayRef<uint8_t>(Entries.at(Die.Offset));
    Map.ElementSize.Constant = Map.ElementCount.Constant =
        Map.ControlOrdinal.Constant = 4;
    return evaluateObjectMap(Map, *this, O);
  }
};

bool contains(const std::string &Text, StringRef Part) {
  return StringRef(Text).contains(Part);
}

TEST(Limits, CirclesNameTheEntry) {
  EntriesContext C;
  C.add(0x2a, "lit0; object_map 0x2a");
  EXPECT_PRED2(contains, C.getError("lit0; object_map 0x2a"), "entry at 0x2a");
  C.add(0x30, "call4 0x34");
  C.add(0x34, "call4 0x30");
  EXPECT_PRED2(contains, C.getError("call4 0x30"), "entry at 0x3");
  C.add(0x40, "implicit_pointer 0x40 0; deref; lit0; form_aspace_address");
  EXPECT_PRED2(contains,
               C.getError("implicit_pointer 0x40 0; deref; lit0; "
                          "form_aspace_address"),
               "entry at 0x40");
  // Each through the other.
  C.add(0x50, "lit0; object_map 0x54");
  C.add(0x54, "call_ref 0x50");
  EXPECT_PRED2(contains, C.getError("call_ref 0x50"), "entry at 0x5");
}
TEST(Limits, CallsThatFanOut) {
  // 2^40 operations without a limit.
  EntriesContext C;
  for (unsigned I = 0; I < 40; ++I)
    C.add(I, "call4 " + std::to_string(I + 1) + "; call4 " +
                 std::to_string(I + 1) + "; drop");
  C.add(40, "lit1");
  EXPECT_PRED2(contains, C.getError("call4 0"), "operations");
}
TEST(Limits, ObjectMapsOfBillions) {
  TestContext C;
  C.Registers[17] = std::vector<uint8_t>(32);
  C.Registers[18] = std::vector<uint8_t>(32);
  auto Evaluate = [&](uint64_t Size, uint64_t Count, uint64_t Chunk) {
    const std::vector<uint8_t> Memory = {0x30}, Vector = {0x61};
    ObjectMapAttributes Map;
    Map.Memory.Expression = ArrayRef<uint8_t>(Memory);
    Map.Vector.Expression = ArrayRef<uint8_t>(Vector);
    Map.ElementSize.Constant = Size;
    Map.ElementCount.Constant = Count;
    Map.Chunk.Constant = Chunk;
    Expected<ObjectMap> Result = evaluateObjectMap(Map, C);
    return Result ? std::string() : toString(Result.takeError());
  };
  EXPECT_EQ(Evaluate(4, 16, 1), "");
  EXPECT_PRED2(contains, Evaluate(4, 12, 1), "doesn't fill");
  EXPECT_PRED2(contains, Evaluate(0, 8, 1), "element size is 0");
  EXPECT_PRED2(contains, Evaluate(1ull << 40, 8, 1), "element size");
  EXPECT_PRED2(contains, Evaluate(4, 1ull << 31, 1), "doesn't fill");
  EXPECT_PRED2(contains, Evaluate(4, 8, ~0ull), "number");
}
TEST(Limits, MissingContextIsNamed) {
  EXPECT_NE(getError("fbreg 1").find("frame base"), std::string::npos);
  EXPECT_NE(getError("call_frame_cfa").find("canonical frame address"),
            std::string::npos);
  EXPECT_NE(getError("regx 99; deref").find("register 99"), std::string::npos);
  EXPECT_NE(getError("addrx 1").find(".debug_addr"), std::string::npos);
  EXPECT_NE(getError("push_iteration").find("iteration"), std::string::npos);
  EXPECT_NE(getError("form_tls_address").find("on the stack"),
            std::string::npos);
}
} // namespace
