//===-- CheckTest.cpp - damage that LLVM doesn't survive ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/DebugInfo/Check.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

#include <cstddef>
#include <cstring>
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

/// A file of one table with one symbol; what checkSymbols() says to it.
std::string checkTable(uint64_t Offset, uint64_t Size, uint64_t EntrySize) {
  struct {
    ELF::Elf64_Ehdr Header = {};
    ELF::Elf64_Shdr Sections[2] = {};
    ELF::Elf64_Sym Symbol = {};
  } File;
  memcpy(File.Header.e_ident, ELF::ElfMagic, 4);
  File.Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  File.Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  File.Header.e_shoff = sizeof(File.Header);
  File.Header.e_shentsize = sizeof(File.Sections[0]);
  File.Header.e_shnum = 2;
  File.Sections[1].sh_type = ELF::SHT_DYNSYM;
  File.Sections[1].sh_offset = offsetof(decltype(File), Symbol) + Offset;
  File.Sections[1].sh_size = Size;
  File.Sections[1].sh_entsize = EntrySize;
  auto Object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(
      StringRef(reinterpret_cast<const char *>(&File), sizeof(File)), ""));
  if (!Object)
    return toString(Object.takeError());
  return toString(wavelane::debuginfo::checkSymbols(**Object));
}

TEST(Symbols, TablesOfSymbolsAreRead) {
  EXPECT_EQ(checkTable(0, sizeof(ELF::Elf64_Sym), sizeof(ELF::Elf64_Sym)), "");
  EXPECT_EQ(checkTable(0, 0, sizeof(ELF::Elf64_Sym)), "");
}

TEST(Symbols, OtherTablesAreErrors) {
  constexpr uint64_t Size = sizeof(ELF::Elf64_Sym);
  EXPECT_NE(checkTable(0, Size, Size - 1), "");
  EXPECT_NE(checkTable(0, Size - 1, Size), "");
  EXPECT_NE(checkTable(0, 2 * Size, Size), "");
  EXPECT_NE(checkTable(1, Size, Size), "");
  EXPECT_NE(checkTable(~uint64_t(0) / 2, Size, Size), "");
}

} // namespace
