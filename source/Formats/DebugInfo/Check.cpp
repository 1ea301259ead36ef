//===-- Check.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/DebugInfo/Check.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFFormValue.h"
#include "llvm/Object/ELFObjectFile.h"
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

llvm::Error wavelane::debuginfo::check(const llvm::object::ObjectFile &Object) {
  if (llvm::Error E = checkSymbols(Object))
    return E;
  const std::unique_ptr<llvm::DWARFContext> Context =
      llvm::DWARFContext::create(
          Object, llvm::DWARFContext::ProcessDebugRelocations::Ignore);
  const llvm::DWARFDataExtractor Lines(Context->getDWARFObj(),
                                       Context->getDWARFObj().getLineSection(),
                                       Context->isLittleEndian(), 0);
  for (const auto &Unit : Context->compile_units()) {
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
