// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One variable in all lanes: the short way gives what the long way gives.
#include "wavelane/Location/Lanes.h"
#include "TestContext.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace wavelane::location;

namespace {
class LanesContext : public TestContext {
public:
  unsigned Evaluations = 0;
  LanesContext() {
    LaneCount = 64;
    FrameBase = Location::memory(0, 16 * 64);
    for (unsigned R = 0; R < 3; ++R)
      for (unsigned I = 0; I < 256; ++I)
        Registers[2560 + R].push_back(uint8_t(I * 3 + R * 100));
    Registers[32] = {8, 0, 0, 0};
    for (uint32_t L = 0; L < 64; ++L)
      for (unsigned I = 0; I < 64; ++I)
        Private[L].push_back(uint8_t(L * 5 + I));
  }
  unsigned getPrivateFrameScale() override { return 64; }
  uint32_t getLaneCount() override {
    ++Evaluations;
    return LaneCount;
  }
};

/// Reads both ways and compares;
/// \return how often the lane was read.
unsigned compare(StringRef Text, size_t Size, bool IsUpstream = false) {
  const std::vector<uint8_t> Expression = cantFail(assembleText(Text));
  EvaluationOptions Options;
  Options.Upstream.Enabled = IsUpstream;
  LanesContext C;
  auto At = [&](uint32_t Lane) -> Context & {
    C.Lane = Lane;
    return C;
  };
  std::vector<std::string> Short;
  readLanes(
      Expression, 64, At, Size,
      [&](uint32_t, Expected<ArrayRef<uint8_t>> Bytes) {
        Short.push_back(Bytes ? std::string(Bytes->begin(), Bytes->end())
                              : toString(Bytes.takeError()));
      },
      Options);
  const unsigned Asked = C.Evaluations;
  EXPECT_EQ(Short.size(), 64u);
  for (uint32_t Lane = 0; Lane < 64; ++Lane) {
    std::vector<uint8_t> Bytes(Size);
    Expected<Entry> E =
        evaluate(Expression, At(Lane), ResultKind::Location, Options);
    std::string Long;
    if (!E)
      Long = toString(E.takeError());
    else if (Error Bad = E->Location.read(C, BitCount(Size) * 8, Bytes))
      Long = toString(std::move(Bad));
    else
      Long.assign(Bytes.begin(), Bytes.end());
    EXPECT_EQ(Short[Lane], Long) << Text.str() << " in lane " << Lane;
  }
  return Asked;
}

TEST(Lanes, Element) {
  EXPECT_LE(compare("regx 2560; push_lane; lit4; mul; offset", 4), 4u);
  EXPECT_LE(compare("regx 2560; push_lane; lit2; shl; offset", 2), 4u);
}
TEST(Lanes, PairOfRegisters) {
  EXPECT_LE(compare("regx 2560; push_lane; lit4; mul; offset; piece 4; "
                    "regx 2561; push_lane; lit4; mul; offset; piece 4",
                    8),
            8u);
}
TEST(Lanes, PrivateMemory) {
  compare("regx 32; deref_size 4; lit4; plus; lit5; form_aspace_address", 4);
  compare("push_lane; lit5; form_aspace_address", 4);
}
TEST(Lanes, Uniform) { compare("regx 32", 4); }
TEST(Lanes, OthersGoLaneByLane) {
  compare("push_lane; push_lane; mul; stack_value", 8);
  compare("regx 2560; push_lane; lit3; and; offset", 4);
  compare("push_lane; lit1; and; bra 3; regx 2560; skip 1; regx 2561", 4);
}
TEST(Lanes, ErrorsAreEachLanesOwn) {
  // Lanes from 32 on are out of the register's range.
  compare("regx 2560; push_lane; lit8; mul; offset", 4);
  compare("regx 99", 4);
}
TEST(Lanes, Upstream) {
  // More than an element is an error in every lane, instead of the next lane's
  // bytes.
  compare("regx 2560", 8, true);
  // The lane count is read when a location of one lane is formed.
  EXPECT_LE(compare("regx 2560", 4, true), 3u);
  EXPECT_LE(compare("bregx 2560 0; lit1; swap; xderef", 4, true), 3u);
  EXPECT_LE(compare("regx 2560; piece 4; regx 2561; piece 4", 8, true), 6u);
  EXPECT_LE(compare("fbreg 8; lit1; swap; xderef", 4, true), 3u);
  EXPECT_LE(compare("fbreg 8", 4, true), 3u);
  compare("regx 32", 4, true);
  compare("bregx 32 4; lit1; swap; xderef", 4, true);
  // Addresses that are different for each lane.
  compare("bregx 2560 4; lit1; swap; xderef", 4, true);
  compare("bregx 2560 0", 4, true);
}
TEST(Lanes, Linearity) {
  auto IsLinear = [](StringRef Text) {
    return isLinearInLane(cantFail(assembleText(Text)));
  };
  EXPECT_TRUE(IsLinear("regx 2560; push_lane; lit4; mul; offset"));
  EXPECT_FALSE(IsLinear("regx 2560; push_lane; push_lane; mul; offset"));
  EXPECT_FALSE(IsLinear("regx 2560; push_lane; lit1; shr; offset"));
  EXPECT_FALSE(IsLinear("push_lane"));
  EXPECT_FALSE(IsLinear("regx 2560; push_lane; lit4; mul; offset; deref"));
}
} // namespace
