// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that stay scalar take nothing from the heap.
#include "TestContext.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <new>

using namespace llvm;
using namespace wavelane::location;

static size_t Allocations;
void *operator new(size_t Size) {
  ++Allocations;
  if (void *P = malloc(Size ? Size : 1))
    return P;
  abort();
}
void operator delete(void *P) noexcept { free(P); }
void operator delete(void *P, size_t) noexcept { free(P); }

namespace {
TEST(Allocation, ScalarsNeedNone) {
  TestContext C;
  C.Lane = 17;
  C.LaneCount = 64;
  C.Registers[3] = {0, 0x10, 0, 0, 0, 0, 0, 0};
  C.Registers[2560] = std::vector<uint8_t>(256);
  C.FrameBase = Location::memory(0, 0x1000);
  for (const char *Text :
       {"fbreg 16", "breg3 8", "regx 3",
        "lit4; lit5; mul; lit3; plus; stack_value",
        "regx 2560; push_lane; lit4; mul; offset", "breg3 0; deref; lit1; plus",
        "lit3; lit0; bra 1; lit1; plus",
        "regx 3; deref_size 4; lit5; "
        "LLVM_form_aspace_address",
        "implicit_value 0102030405060708"}) {
    const std::vector<uint8_t> Bytes = cantFail(assembleText(Text));
    uint8_t Buffer[4];
    // Tables are created on first use.
    consumeError(evaluate(Bytes, C, ResultKind::Any).takeError());
    const size_t Before = Allocations;
    {
      Expected<Entry> E = evaluate(Bytes, C, ResultKind::Any);
      ASSERT_TRUE(bool(E)) << Text;
      if (!E->IsValue && E->Location.Number != 5) {
        Error Bad = E->Location.read(C, 32, Buffer);
        EXPECT_FALSE(Bad) << Text;
        consumeError(std::move(Bad));
      }
    }
    EXPECT_EQ(Allocations - Before, 0u) << Text;
  }
}
} // namespace
