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

/// A file of compressed sections that say that they have so many bytes each;
/// what checkCompressed() says to it.
std::string checkCompressed(uint64_t First, uint64_t Second) {
  struct {
    ELF::Elf64_Ehdr Header = {};
    ELF::Elf64_Shdr Sections[3] = {};
    ELF::Elf64_Chdr Compressed[2] = {};
  } File;
  memcpy(File.Header.e_ident, ELF::ElfMagic, 4);
  File.Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  File.Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  File.Header.e_shoff = sizeof(File.Header);
  File.Header.e_shentsize = sizeof(File.Sections[0]);
  File.Header.e_shnum = 3;
  for (unsigned I = 0; I < 2; ++I) {
    File.Sections[I + 1].sh_type = ELF::SHT_PROGBITS;
    File.Sections[I + 1].sh_flags = ELF::SHF_COMPRESSED;
    File.Sections[I + 1].sh_offset =
        offsetof(decltype(File), Compressed) + I * sizeof(File.Compressed[0]);
    File.Sections[I + 1].sh_size = sizeof(File.Compressed[0]);
    File.Compressed[I].ch_type = ELF::ELFCOMPRESS_ZLIB;
    File.Compressed[I].ch_size = I ? Second : First;
  }
  auto Object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(
      StringRef(reinterpret_cast<const char *>(&File), sizeof(File)), ""));
  if (!Object)
    return toString(Object.takeError());
  return toString(wavelane::debuginfo::checkCompressed(**Object));
}

TEST(Compressed, SizesAreNoMoreThanAnyCodeObjectHas) {
  constexpr uint64_t Most = wavelane::debuginfo::MostDecompressed;
  EXPECT_EQ(checkCompressed(100, 1000), "");
  EXPECT_EQ(checkCompressed(Most / 2, Most / 2), "");
  EXPECT_NE(checkCompressed(Most / 2, Most / 2 + 1), "");
  EXPECT_NE(checkCompressed(0, Most + 1), "");
  EXPECT_NE(checkCompressed(1, ~uint64_t(0)), "");
}

/// A unit whose only entry has a block that says that it has \p Size bytes, and
/// a number; what check() says to it.
std::string checkUnit(uint32_t Size) {
  constexpr char Names[] = "\0.debug_info\0.debug_abbrev";
  struct {
    ELF::Elf64_Ehdr Header = {};
    ELF::Elf64_Shdr Sections[4] = {};
    char Names[32] = {};
    // An entry without children: a block with a size of four bytes, a number.
    uint8_t Abbreviations[9] = {1,
                                dwarf::DW_TAG_compile_unit,
                                0,
                                dwarf::DW_AT_location,
                                dwarf::DW_FORM_block4,
                                dwarf::DW_AT_name,
                                dwarf::DW_FORM_udata,
                                0,
                                0};
    uint8_t End = 0;
    // Version 4, abbreviations at 0, addresses of 8 bytes.
    uint8_t Unit[20] = {16, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1};
  } File;
  memcpy(File.Names, Names, sizeof(Names));
  for (unsigned I = 0; I < 4; ++I)
    File.Unit[12 + I] = uint8_t(Size >> 8 * I);
  memcpy(File.Header.e_ident, ELF::ElfMagic, 4);
  File.Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  File.Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  File.Header.e_shoff = sizeof(File.Header);
  File.Header.e_shentsize = sizeof(File.Sections[0]);
  File.Header.e_shnum = 4;
  File.Header.e_shstrndx = 3;
  const auto Set = [&](unsigned I, uint32_t Name, const void *Content,
                       uint64_t Bytes) {
    File.Sections[I].sh_name = Name;
    File.Sections[I].sh_type = I == 3 ? ELF::SHT_STRTAB : ELF::SHT_PROGBITS;
    File.Sections[I].sh_offset = uint64_t(static_cast<const char *>(Content) -
                                          reinterpret_cast<char *>(&File));
    File.Sections[I].sh_size = Bytes;
  };
  Set(1, 1, File.Unit, sizeof(File.Unit));
  Set(2, 13, File.Abbreviations, sizeof(File.Abbreviations) + 1);
  Set(3, 0, File.Names, sizeof(File.Names));
  auto Object = object::ObjectFile::createELFObjectFile(MemoryBufferRef(
      StringRef(reinterpret_cast<const char *>(&File), sizeof(File)), ""));
  if (!Object)
    return toString(Object.takeError());
  return toString(wavelane::debuginfo::check(**Object));
}

TEST(Entries, AreInTheirUnit) {
  EXPECT_EQ(checkUnit(0), "");
  EXPECT_EQ(checkUnit(3), "");
  EXPECT_EQ(checkUnit(5), "an entry goes beyond its unit");
  EXPECT_EQ(checkUnit(0x7fffffff), "an entry goes beyond its unit");
}

} // namespace
