// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One variable in all lanes: the short way gives what the long way gives.
#include "wavelane/Location/Lanes.h"
#include "TestContext.h"
#include "Unit/Rounds.h"
#include "gtest/gtest.h"
#include <random>

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
    Registers[31] = {0, 0x10, 0, 0, 0, 0, 0, 0};
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
  std::vector<uint8_t> Bytes(64 * Size);
  std::vector<std::string> Short(64);
  std::vector<uint32_t> Failed;
  readLanes(
      Expression, 64, At, Size, Bytes,
      [&](uint32_t Lane, Error Reason) {
        Failed.push_back(Lane);
        Short[Lane] = toString(std::move(Reason));
      },
      Options);
  EXPECT_TRUE(is_sorted(Failed));
  for (uint32_t Lane = 0; Lane < 64; ++Lane)
    if (!is_contained(Failed, Lane))
      Short[Lane].assign(Bytes.begin() + Lane * Size,
                         Bytes.begin() + (Lane + 1) * Size);
  const unsigned Asked = C.Evaluations;
  for (uint32_t Lane = 0; Lane < 64; ++Lane) {
    std::vector<uint8_t> Own(Size);
    Expected<Entry> E =
        evaluate(Expression, At(Lane), ResultKind::Location, Options);
    std::string Long;
    if (!E)
      Long = toString(E.takeError());
    else if (Error Bad = E->Location.read(C, BitCount(Size) * 8, Own))
      Long = toString(std::move(Bad));
    else
      Long.assign(Own.begin(), Own.end());
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
  // The last lane's second piece is beyond its register.
  compare("regx 2560; piece 4; regx 2561; push_lane; lit4; mul; lit2; plus; "
          "offset; piece 4",
          4);
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
/// Random expressions of the kinds that compilers write, and similar ones.
class Writer {
public:
  explicit Writer(unsigned Seed) : Random(Seed) {}

  std::string upstream() {
    return parts(1 + below(3), [&] {
      return pick({"regx 2560", "regx 2562", "regx 32", "fbreg 8",
                   "fbreg 8; lit5; swap; xderef", "addr 0x1010",
                   "addr 0x1010; lit1; swap; xderef",
                   "bregx 2561 0; lit1; swap; xderef", "bregx 2561 0",
                   "bregx 32 0; lit5; swap; xderef", "lit7"});
    });
  }
  std::string standard() {
    return parts(1 + below(2), [&] { return place(); });
  }

private:
  unsigned below(unsigned N) { return unsigned(Random() % N); }
  std::string pick(std::initializer_list<const char *> From) {
    return From.begin()[below(unsigned(From.size()))];
  }
  std::string value() {
    std::string Text =
        below(4) ? "push_lane"
                 : pick({"lit8", "regx 32; deref_size 4", "breg31 0; deref",
                         "addr 0x1008; deref_size 2"});
    for (unsigned Left = below(4); Left; --Left)
      Text += pick(
          {"; lit4; mul", "; lit4; mul", "; lit2; shl", "; lit8; plus",
           "; lit2; plus", "; lit8; minus", "; plus_uconst 4",
           "; const1s -4; mul", "; lit3; and", "; lit1; shr",
           "; push_lane; minus", "; push_lane; plus", "; push_lane; mul",
           "; const1u 252; swap; minus", "; lit4; push_lane; mul; plus",
           "; const8u 0x400000000000000; mul", "; const4u 0xfffffff8; plus"});
    return Text;
  }
  std::string place() {
    if (below(3) == 0)
      return value() + pick({"; lit5; form_aspace_address",
                             "; lit5; form_aspace_address; offset_uconst 4",
                             "; lit0; form_aspace_address"});
    std::string Text = pick({"regx 2560", "regx 2561", "regx 32", "breg31 8",
                             "addr 0x1010", "bregx 31 4"});
    for (unsigned Left = below(3); Left; --Left)
      Text += "; " + value() + pick({"; offset", "; offset", "; bit_offset"});
    return Text + pick({"", "", "; offset_uconst 4", "; lit1; plus"});
  }
  std::string parts(unsigned Count, function_ref<std::string()> Part) {
    std::string Text = Part();
    if (Count == 1 && below(2))
      return Text;
    for (unsigned I = 0; I < Count; ++I)
      Text += (I ? "; " + Part() : "") + pick({"; piece 4", "; piece 2"});
    return Text + pick({"", "", "; piece_end"});
  }

  std::mt19937 Random;
};

TEST(Lanes, AnyExpression) {
  Writer W(23);
  for (unsigned Round = 0;
       Round < wavelane::test::rounds(5000) && !HasFailure(); ++Round)
    compare(Round % 4 ? W.standard() : W.upstream(), 1 + Round % 8,
            Round % 4 == 0);
}
} // namespace
