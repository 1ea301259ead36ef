//===-- CheckTest.cpp - line tables that LLVM doesn't survive -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/DebugInfo/Check.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "gtest/gtest.h"

#include <string>

using namespace llvm;
using wavelane::debuginfo::checkLineTable;

namespace {

/// The header of a line table of DWARF 5 with one directory and one file, whose
/// names have these forms.
std::string table(uint8_t Directories, uint8_t Files) {
  const char Entries[] = {1, 1, char(Directories), 1, '/', 0,
                          1, 1, char(Files),       1, 'f', 0};
  std::string Header = {5, 0, 8, 0, 24, 0, 0, 0, 4, 1, 1, -5, 14, 1};
  Header.append(Entries, sizeof(Entries));
  return std::string({char(Header.size()), 0, 0, 0}) + Header;
}

std::string check(const std::string &Bytes, uint64_t Begin = 0) {
  return toString(checkLineTable(
      DWARFDataExtractor(Bytes, /*IsLittleEndian=*/true, 8), Begin));
}

TEST(LineTable, KnownFormsAreRead) {
  EXPECT_EQ(check(table(dwarf::DW_FORM_string, dwarf::DW_FORM_string)), "");
}

TEST(LineTable, UnknownFormsAreErrors) {
  EXPECT_EQ(check(table(0x7f, dwarf::DW_FORM_string)), "unknown form 0x7f");
  EXPECT_EQ(check(table(dwarf::DW_FORM_string, 0x7d)), "unknown form 0x7d");
}

TEST(LineTable, WhatEndsEarlyIsLeftToLLVM) {
  const std::string Whole = table(dwarf::DW_FORM_string, dwarf::DW_FORM_string);
  for (size_t Size = 0; Size < Whole.size(); ++Size)
    EXPECT_EQ(check(Whole.substr(0, Size)), "") << Size;
  EXPECT_EQ(check(Whole, 1000), "");
  EXPECT_EQ(check(Whole, ~uint64_t(0)), "");
}

} // namespace
