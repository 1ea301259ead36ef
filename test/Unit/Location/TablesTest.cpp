// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of operations and attributes agree with LLVM's.
#include "wavelane/Location/Attributes.h"
#include "wavelane/Location/Operation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;
using namespace wavelane::location;

namespace {
TEST(Tables, OperationsHaveTheNamesThatLLVMGivesThem) {
  for (const OperationInfo *Info : getOperations()) {
    if (Info->Code & UserBit)
      continue;
    StringRef Name = dwarf::OperationEncodingString(Info->Code);
    if (Info->Code == 0xf0)
      Name = "DW_OP_GNU_uninit"; // LLVM only knows Apple's name.
    if (!Name.empty())
      EXPECT_EQ(Name, Info->Name) << Info->Code;
  }
}

TEST(Tables, StandardOperationsAreAllThere) {
  for (unsigned Code = 1; Code < 0xe0; ++Code) {
    const StringRef Name = dwarf::OperationEncodingString(Code);
    if (!Name.empty() && !Name.contains("_LLVM_"))
      EXPECT_NE(findOperation(Code), nullptr) << Name.str();
  }
}

TEST(Tables, LLVMsUserOperationsAreAllThere) {
#define HANDLE_DW_OP_LLVM_USEROP(ID, NAME)                                     \
  {                                                                            \
    const OperationInfo *Info = findOperation(UserBit | ID);                   \
    ASSERT_NE(Info, nullptr) << #NAME;                                         \
    EXPECT_STREQ(Info->Name, "DW_OP_LLVM_" #NAME);                             \
  }
#include "llvm/BinaryFormat/Dwarf.def"
}

TEST(Tables, OperationsAreListedOnce) {
  StringSet<> Names;
  std::map<OperationCode, const char *> Codes;
  for (const OperationInfo *Info : getOperations()) {
    EXPECT_TRUE(Names.insert(Info->Name).second) << Info->Name;
    EXPECT_TRUE(Codes.emplace(Info->Code, Info->Name).second) << Info->Name;
    EXPECT_EQ(findOperation(Info->Code), Info);
    EXPECT_EQ(findOperation(StringRef(Info->Name)), Info);
  }
}

/// This LLVM's names of the extension's attributes. Later versions know the
/// rest.
TEST(Tables, AttributesHaveTheNamesThatLLVMGivesThem) {
  const std::pair<uint16_t, const char *> Ours[] = {
#define ATTRIBUTE(Code, Name, Meaning, Forms, Units) {Code, "DW_AT_" #Name},
#include "wavelane/Location/Attributes.def"
  };
  for (auto [Code, Name] : Ours)
    if (Code >= 0x3e0f && Code <= 0x3e15)
      EXPECT_EQ(dwarf::AttributeString(Code), Name) << Code;
}

/// Private codes don't clash with those that LLVM knows.
TEST(Tables, PrivateCodesAreFree) {
  const std::pair<uint16_t, const char *> Ours[] = {
#define ATTRIBUTE(Code, Name, Meaning, Forms, Units) {Code, "DW_AT_" #Name},
#include "wavelane/Location/Attributes.def"
  };
  for (auto [Code, Name] : Ours)
    if (Code >= 0x3ec0)
      EXPECT_EQ(dwarf::AttributeString(Code), "") << Name;
  EXPECT_EQ(dwarf::TagString(TagObjectMap), "");
  for (const OperationInfo *Info : getOperations())
    if ((Info->Code & UserBit) && (Info->Code & ~UserBit) > 0x0d)
      EXPECT_GE(Info->Code & ~UserBit, 0x2001u) << Info->Name;
}

TEST(Tables, CodesOfAnAttribute) {
  EXPECT_EQ(getAttributeCodes(LaneAttribute::AddressSpace),
            (SmallVector<uint16_t, 4>{0x3e10}));
  EXPECT_EQ(getAttributeCodes(LaneAttribute::NumLanes),
            (SmallVector<uint16_t, 4>{0x3e0a, 0x3e11, 0x3ec0, 0x3f0a}));
}
} // namespace
