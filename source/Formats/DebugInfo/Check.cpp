//===-- Check.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/DebugInfo/Check.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugAbbrev.h"
#include "llvm/DebugInfo/DWARF/DWARFFormValue.h"
#include "llvm/Object/Decompressor.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <cinttypes>
#include <vector>

namespace dw = llvm::dwarf;

/// Skips a table of directories or files at \p Cursor: its entry formats and
/// entries.
static llvm::Error skipEntries(const llvm::DWARFDataExtractor &Data,
                               llvm::DataExtractor::Cursor &Cursor,
                               const dw::FormParams &Params) {
  std::vector<dw::Form> Forms;
  for (unsigned Left = Data.getU8(Cursor); Cursor && Left; --Left) {
    Data.getULEB128(Cursor);
    const uint64_t Form = Data.getULEB128(Cursor);
    if (Cursor &&
        (Form > UINT16_MAX || dw::FormEncodingString(unsigned(Form)).empty()))
      return llvm::createStringError("unknown form 0x%" PRIx64, Form);
    Forms.push_back(dw::Form(Form));
  }
  const uint64_t Count = Data.getULEB128(Cursor);
  if (!Cursor || Forms.empty())
    return llvm::Error::success();
  for (uint64_t Entry = 0; Entry < Count; ++Entry)
    for (dw::Form F : Forms) {
      uint64_t Offset = Cursor.tell();
      // LLVM handles truncated data itself.
      if (!llvm::DWARFFormValue::skipValue(F, Data, &Offset, Params) ||
          Offset <= Cursor.tell() || !Data.isValidOffset(Offset))
        return llvm::Error::success();
      Cursor.seek(Offset);
    }
  return llvm::Error::success();
}

llvm::Error
wavelane::debuginfo::checkLineTable(const llvm::DWARFDataExtractor &Lines,
                                    uint64_t Begin) {
  llvm::DataExtractor::Cursor Cursor(Begin);
  const auto [Length, Format] = Lines.getInitialLength(Cursor);
  const uint16_t Version = Lines.getU16(Cursor);
  if (!Cursor || Version < 5) {
    llvm::consumeError(Cursor.takeError());
    return llvm::Error::success();
  }
  const uint8_t AddressSize = Lines.getU8(Cursor);
  Lines.getU8(Cursor);
  // The header's length.
  Lines.getRelocatedValue(Cursor, dw::getDwarfOffsetByteSize(Format));
  // From the shortest instruction's length to the line range.
  Lines.skip(Cursor, 5);
  const uint8_t OpcodeBase = Lines.getU8(Cursor);
  Lines.skip(Cursor, OpcodeBase ? OpcodeBase - 1 : 0);
  const dw::FormParams Params{Version, AddressSize, Format};
  llvm::Error E = skipEntries(Lines, Cursor, Params);
  if (!E)
    E = skipEntries(Lines, Cursor, Params);
  llvm::consumeError(Cursor.takeError());
  return E;
}

llvm::Error
wavelane::debuginfo::checkSymbols(const llvm::object::ObjectFile &Object) {
  const auto *Elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(&Object);
  if (!Elf)
    return llvm::Error::success();
  auto Sections = Elf->getELFFile().sections();
  if (!Sections)
    return Sections.takeError();
  for (const auto &Section : *Sections) {
    if (Section.sh_type != llvm::ELF::SHT_SYMTAB &&
        Section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    if (auto Symbols = Elf->getELFFile().symbols(&Section); !Symbols)
      return Symbols.takeError();
  }
  return llvm::Error::success();
}

llvm::Error
wavelane::debuginfo::checkCompressed(const llvm::object::ObjectFile &Object) {
  uint64_t All = 0;
  for (const llvm::object::SectionRef &Section : Object.sections()) {
    if (!Section.isCompressed())
      continue;
    auto Content = Section.getContents();
    if (!Content)
      return Content.takeError();
    auto Opened = llvm::object::Decompressor::create(
        "a section", *Content, Object.isLittleEndian(), Object.is64Bit());
    if (!Opened)
      return Opened.takeError();
    const uint64_t Size = Opened->getDecompressedSize();
    if (Size > MostDecompressed || (All += Size) > MostDecompressed)
      return llvm::createStringError(
          "compressed sections say that they have %" PRIu64 " bytes",
          std::max(All, Size));
  }
  return llvm::Error::success();
}

/// Reads the entries of a unit as LLVM does, which trusts the sizes of their
/// values and reads what is after the section.
/// \return An error if an entry goes beyond the unit, or can't be read to its
///     end: what LLVM has read until there has lists without an end.
static llvm::Error checkEntries(llvm::DWARFUnit &Unit) {
  const llvm::DWARFDataExtractor Data = Unit.getDebugInfoExtractor();
  const uint64_t End =
      std::min<uint64_t>(Unit.getNextUnitOffset(), Data.size());
  uint64_t Offset = Unit.getOffset() + Unit.getHeaderSize();
  for (uint64_t Depth = 0; Offset < End;) {
    llvm::Error Bad = llvm::Error::success();
    const uint64_t Code = Data.getULEB128(&Offset, &Bad);
    if (Bad)
      return Bad;
    if (!Code) {
      if (Depth <= 1)
        return llvm::Error::success();
      --Depth;
      continue;
    }
    const auto *Abbreviations = Unit.getAbbreviations();
    const auto *Abbreviation =
        Abbreviations
            ? Abbreviations->getAbbreviationDeclaration(uint32_t(Code))
            : nullptr;
    if (!Abbreviation)
      return llvm::createStringError("an entry's abbreviation doesn't exist");
    for (const auto &Attribute : Abbreviation->attributes()) {
      if (Attribute.isImplicitConst())
        continue;
      if (!llvm::DWARFFormValue::skipValue(Attribute.Form, Data, &Offset,
                                           Unit.getFormParams()))
        return llvm::createStringError("an attribute's form is unknown");
      if (Offset > End)
        return llvm::createStringError("an entry goes beyond its unit");
    }
    Depth += Abbreviation->hasChildren();
    if (!Depth)
      return llvm::Error::success();
  }
  return llvm::createStringError("a list of entries has no end");
}

llvm::Error wavelane::debuginfo::check(const llvm::object::ObjectFile &Object) {
  if (llvm::Error E = checkSymbols(Object))
    return E;
  if (llvm::Error E = checkCompressed(Object))
    return E;
  const std::unique_ptr<llvm::DWARFContext> Context =
      llvm::DWARFContext::create(
          Object, llvm::DWARFContext::ProcessDebugRelocations::Ignore);
  const llvm::DWARFDataExtractor Lines(Context->getDWARFObj(),
                                       Context->getDWARFObj().getLineSection(),
                                       Context->isLittleEndian(), 0);
  for (const auto &Unit : Context->compile_units()) {
    if (llvm::Error E = checkEntries(*Unit))
      return E;
    if (llvm::Error E = Unit->tryExtractDIEsIfNeeded(/*CUDieOnly=*/false))
      return E;
    const auto Begin = llvm::dwarf::toSectionOffset(
        Unit->getUnitDIE().find(dw::DW_AT_stmt_list));
    if (Begin)
      if (llvm::Error E = checkLineTable(Lines, *Begin))
        return E;
  }
  return llvm::Error::success();
}
