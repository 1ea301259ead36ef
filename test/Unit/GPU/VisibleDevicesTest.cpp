//===-- VisibleDevicesTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/VisibleDevices.h"

#include "gtest/gtest.h"

#include <map>

using namespace wavelane::gpu;

namespace {
using Numbers = std::vector<unsigned>;

/// Four GPUs with the unique numbers 0xa0 to 0xa3.
Numbers see(std::map<std::string, std::string> Variables) {
  return visibleDevices({0xa0, 0xa1, 0xa2, 0xa3},
                        [&](const char *Name) -> std::optional<std::string> {
                          auto It = Variables.find(Name);
                          return It == Variables.end()
                                     ? std::nullopt
                                     : std::optional(It->second);
                        });
}

std::string enough(const char *List) {
  return enoughDevices(
      "gfx90a", [&](const char *) { return std::optional<std::string>(List); });
}

TEST(VisibleDevices, AllWithoutLists) {
  EXPECT_EQ(see({}), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", ""}}), (Numbers{0, 1, 2, 3}));
}

TEST(VisibleDevices, OrderIsTheLists) {
  EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", "2,0"}}), (Numbers{2, 0}));
  EXPECT_EQ(see({{"CUDA_VISIBLE_DEVICES", "3"}}), (Numbers{3}));
  EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", "1"}, {"CUDA_VISIBLE_DEVICES", "3"}}),
            (Numbers{1}));
}

TEST(VisibleDevices, HipChoosesAmongThoseOfRocr) {
  EXPECT_EQ(
      see({{"ROCR_VISIBLE_DEVICES", "3,1"}, {"HIP_VISIBLE_DEVICES", "1"}}),
      (Numbers{1}));
  EXPECT_EQ(
      see({{"ROCR_VISIBLE_DEVICES", "3,1"}, {"HIP_VISIBLE_DEVICES", "2"}}),
      Numbers{});
}

TEST(VisibleDevices, UniqueNumbers) {
  EXPECT_EQ(see({{"ROCR_VISIBLE_DEVICES", "GPU-00000000000000A2,0"}}),
            (Numbers{2, 0}));
  EXPECT_EQ(see({{"ROCR_VISIBLE_DEVICES", "GPU-0"}}), Numbers{});
}

TEST(VisibleDevices, EndsAtTheFirstInvalidWord) {
  for (const char *List : {"1,4,0", "1,-1,0", "1,x", "1,,0", "1, 0", "1,00",
                           "1,99999999999999999999"})
    EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", List}}), (Numbers{1})) << List;
  EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", "-1"}}), Numbers{});
}

TEST(VisibleDevices, OneGPUTwice) {
  EXPECT_EQ(see({{"HIP_VISIBLE_DEVICES", "1,1,0"}}), (Numbers{1, 0}));
  EXPECT_EQ(see({{"ROCR_VISIBLE_DEVICES", "1,1,0"}}), (Numbers{1}));
}

TEST(VisibleDevices, SpacesAndZerosForRocr) {
  EXPECT_EQ(see({{"ROCR_VISIBLE_DEVICES", "02, 1"}}), (Numbers{2, 1}));
}

TEST(VisibleDevices, EnoughForTheNumbers) {
  EXPECT_EQ(enough(""), "gfx90a");
  EXPECT_EQ(enough("0"), "gfx90a");
  EXPECT_EQ(enough("2,1"), "gfx90a,gfx90a,gfx90a");
  EXPECT_EQ(enough("GPU-7,x,-3,99999999999"), "gfx90a");
  EXPECT_EQ(enough("100").size(), 8 * 7 - 1);
}
} // namespace
