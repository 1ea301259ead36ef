//===-- RegisterFieldsTest.cpp --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Server/Library/RegisterFields.h"
#include "gtest/gtest.h"

using wavelane::server::RegisterFields;

TEST(RegisterFields, NamesValuesAndPlaces) {
  auto fields = RegisterFields::Parse(
      "flags32_t mode {  enum fp_round {    NEAREST_EVEN = 0,    PLUS_INF  = 1 "
      " "
      "} FP_ROUND.32 @0-1;  enum fp_round FP_ROUND.64_16 @2-3;  bool IEEE @9;  "
      "uint32_t CSP @29-31;}");
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->bits, 32u);
  ASSERT_EQ(fields->fields.size(), 4u);
  ASSERT_EQ(fields->enums.size(), 1u);
  EXPECT_EQ(fields->enums[0].name, "fp_round");
  ASSERT_EQ(fields->enums[0].values.size(), 2u);
  EXPECT_EQ(fields->enums[0].values[1].first, "PLUS_INF");
  EXPECT_EQ(fields->enums[0].values[1].second, 1u);
  EXPECT_EQ(fields->fields[1].name, "FP_ROUND.64_16");
  EXPECT_EQ(fields->fields[1].enum_name, "fp_round");
  EXPECT_EQ(fields->fields[1].first_bit, 2u);
  EXPECT_EQ(fields->fields[2].first_bit, 9u);
  EXPECT_EQ(fields->fields[2].last_bit, 9u);
  EXPECT_EQ(fields->fields[2].enum_name, "");
  EXPECT_EQ(fields->fields[3].last_bit, 31u);
}

TEST(RegisterFields, XML) {
  auto fields = RegisterFields::Parse(
      "flags32_t mode { enum round { UP = 1 } ROUND @0-1; bool IEEE @9; }");
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->GetXML("mode_flags"),
            "    <enum id=\"mode_flags.round\" size=\"4\">\n"
            "      <evalue name=\"UP\" value=\"1\"/>\n"
            "    </enum>\n"
            "    <flags id=\"mode_flags\" size=\"4\">\n"
            "      <field name=\"ROUND\" start=\"0\" end=\"1\" "
            "type=\"mode_flags.round\"/>\n"
            "      <field name=\"IEEE\" start=\"9\" end=\"9\"/>\n"
            "    </flags>\n");
}

TEST(RegisterFields, OtherTypesAndIllFormedOnes) {
  for (const char *type :
       {"", "uint32_t", "int32_t[64]", "void (*)()", "flags32_t mode {}",
        "flags32_t mode", "flags32_t {bool A @0;}", "flags16_t m {bool A @0;}",
        "flags32_t m {bool A @32;}", "flags32_t m {bool A @3-1;}",
        "flags32_t m {bool A @0}", "flags32_t m {bool A;}",
        "flags32_t m {bool @0;}", "flags32_t m {bool A @0;",
        "flags32_t m {enum e {} A @0;}", "flags32_t m {enum e {X} A @0;}",
        "flags32_t m {enum e {X = 1 A @0;}", "flags32_t m {bool <A> @0;}",
        "flags32_t m {bool A @99999999999999999999999;}"})
    EXPECT_FALSE(RegisterFields::Parse(type)) << type;
}
