//===-- LineTableCheck.cpp --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineTableCheck.h"
#include "Plugins/SymbolFile/DWARF/DWARFBaseDIE.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"
#include "llvm/DebugInfo/DWARF/DWARFFormValue.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

/// Skips a table of directories or files at \a cursor: its entry formats and
/// entries.
static llvm::Error SkipEntries(const llvm::DWARFDataExtractor &data,
                               llvm::DataExtractor::Cursor &cursor,
                               const dw::FormParams &params) {
  std::vector<dw::Form> forms;
  for (unsigned left = data.getU8(cursor); cursor && left; --left) {
    data.getULEB128(cursor);
    const uint64_t form = data.getULEB128(cursor);
    if (cursor &&
        (form > UINT16_MAX || dw::FormEncodingString(unsigned(form)).empty()))
      return llvm::createStringError("unknown form 0x%" PRIx64, form);
    forms.push_back(dw::Form(form));
  }
  const uint64_t count = data.getULEB128(cursor);
  if (!cursor || forms.empty())
    return llvm::Error::success();
  for (uint64_t entry = 0; entry < count; ++entry)
    for (dw::Form form : forms) {
      uint64_t offset = cursor.tell();
      // LLVM handles truncated data itself.
      if (!llvm::DWARFFormValue::skipValue(form, data, &offset, params) ||
          offset <= cursor.tell() || !data.isValidOffset(offset))
        return llvm::Error::success();
      cursor.seek(offset);
    }
  return llvm::Error::success();
}

llvm::Error lldb_private::wavelane::CheckLineTable(
    const DWARFUnit &unit, const lldb_private::DataExtractor &lines) {
  DWARFBaseDIE die = const_cast<DWARFUnit &>(unit).GetUnitDIEOnly();
  const uint64_t begin = die ? die.GetAttributeValueAsUnsigned(
                                   dw::DW_AT_stmt_list, DW_INVALID_OFFSET)
                             : DW_INVALID_OFFSET;
  const llvm::DWARFDataExtractor data(
      llvm::StringRef(reinterpret_cast<const char *>(lines.GetDataStart()),
                      lines.GetByteSize()),
      lines.GetByteOrder() == eByteOrderLittle,
      uint8_t(unit.GetAddressByteSize()));
  llvm::DataExtractor::Cursor cursor(begin);
  const auto [length, format] = data.getInitialLength(cursor);
  const uint16_t version = data.getU16(cursor);
  if (!cursor || version < 5) {
    llvm::consumeError(cursor.takeError());
    return llvm::Error::success();
  }
  const uint8_t address_size = data.getU8(cursor);
  data.getU8(cursor);
  // The header's length.
  data.getRelocatedValue(cursor, dw::getDwarfOffsetByteSize(format));
  // From the shortest instruction's length to the line range.
  data.skip(cursor, 5);
  const uint8_t opcode_base = data.getU8(cursor);
  data.skip(cursor, opcode_base ? opcode_base - 1 : 0);
  const dw::FormParams params{version, address_size, format};
  llvm::Error error = SkipEntries(data, cursor, params);
  if (!error)
    error = SkipEntries(data, cursor, params);
  llvm::consumeError(cursor.takeError());
  return error;
}
