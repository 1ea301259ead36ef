//===-- LineTableCheck.cpp --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineTableCheck.h"
#include "Plugins/SymbolFile/DWARF/DWARFBaseDIE.h"
#include "wavelane/Formats/DebugInfo/Check.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFDataExtractor.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

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
  return ::wavelane::debuginfo::checkLineTable(data, begin);
}
