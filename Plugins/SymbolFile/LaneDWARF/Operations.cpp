//===-- Operations.cpp ----------------------------------------*- C++ -*-===//

#include "Operations.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <array>

using namespace lldb;
using namespace lldb_private;
using namespace llvm::dwarf;

namespace {

enum Operand : uint8_t {
  eEnd,
  eFixed1,
  eFixed2,
  eFixed4,
  eFixed8,
  eAddress,
  eOffset, ///< 4 bytes in the 32-bit format, which is all that LLDB reads
  eLEB,
  eBlock,      ///< length as LEB128, then so many bytes
  eShortBlock, ///< length in a byte, then so many bytes
  eVendor,
  eUnknown,
};

struct Operation {
  Operand operands[2] = {eUnknown, eEnd};
  /// LLDB 19's evaluator has it.
  bool in_lldb = false;
};

std::array<Operation, 256> MakeTable() {
  std::array<Operation, 256> table;
  auto set = [&](unsigned first, unsigned last, Operand a, Operand b,
                 bool in_lldb = true) {
    for (unsigned op = first; op <= last; ++op)
      table[op] = {{a, b}, in_lldb};
  };
  set(0x03, 0x03, eAddress, eEnd);
  set(0x06, 0x06, eEnd, eEnd);
  set(0x08, 0x09, eFixed1, eEnd);
  set(0x0a, 0x0b, eFixed2, eEnd);
  set(0x0c, 0x0d, eFixed4, eEnd);
  set(0x0e, 0x0f, eFixed8, eEnd);
  set(0x10, 0x11, eLEB, eEnd);
  set(0x12, 0x14, eEnd, eEnd);
  set(0x15, 0x15, eFixed1, eEnd);
  set(0x16, 0x22, eEnd, eEnd);
  set(DW_OP_xderef, DW_OP_xderef, eEnd, eEnd, false);
  set(DW_OP_plus_uconst, DW_OP_plus_uconst, eLEB, eEnd);
  set(0x24, 0x27, eEnd, eEnd);
  set(DW_OP_bra, DW_OP_bra, eFixed2, eEnd);
  set(0x29, 0x2e, eEnd, eEnd);
  set(DW_OP_skip, DW_OP_skip, eFixed2, eEnd);
  set(DW_OP_lit0, DW_OP_reg31, eEnd, eEnd);
  set(DW_OP_breg0, DW_OP_regx, eLEB, eEnd);
  set(DW_OP_fbreg, DW_OP_fbreg, eLEB, eEnd);
  set(DW_OP_bregx, DW_OP_bregx, eLEB, eLEB);
  set(DW_OP_piece, DW_OP_piece, eLEB, eEnd);
  set(DW_OP_deref_size, DW_OP_deref_size, eFixed1, eEnd);
  set(DW_OP_xderef_size, DW_OP_xderef_size, eFixed1, eEnd, false);
  set(DW_OP_nop, DW_OP_push_object_address, eEnd, eEnd);
  set(DW_OP_call2, DW_OP_call2, eFixed2, eEnd, false);
  set(DW_OP_call4, DW_OP_call4, eFixed4, eEnd, false);
  set(DW_OP_call_ref, DW_OP_call_ref, eOffset, eEnd, false);
  set(DW_OP_form_tls_address, DW_OP_call_frame_cfa, eEnd, eEnd);
  set(DW_OP_bit_piece, DW_OP_bit_piece, eLEB, eLEB);
  set(DW_OP_implicit_value, DW_OP_implicit_value, eBlock, eEnd);
  set(DW_OP_stack_value, DW_OP_stack_value, eEnd, eEnd);
  // LLDB knows of implicit pointers that they have no address, which is all that
  // most consumers want to hear.
  set(DW_OP_implicit_pointer, DW_OP_implicit_pointer, eOffset, eLEB);
  set(DW_OP_addrx, DW_OP_constx, eLEB, eEnd);
  set(DW_OP_entry_value, DW_OP_entry_value, eBlock, eEnd);
  set(DW_OP_const_type, DW_OP_const_type, eLEB, eShortBlock, false);
  set(DW_OP_regval_type, DW_OP_regval_type, eLEB, eLEB, false);
  set(DW_OP_deref_type, DW_OP_xderef_type, eFixed1, eLEB, false);
  set(DW_OP_convert, DW_OP_convert, eLEB, eEnd);
  set(DW_OP_reinterpret, DW_OP_reinterpret, eLEB, eEnd, false);
  set(DW_OP_GNU_push_tls_address, DW_OP_GNU_push_tls_address, eEnd, eEnd);
  set(0xf0, 0xf0, eEnd, eEnd);  // GNU_uninit
  set(0xf2, 0xf2, eOffset, eLEB); // GNU_implicit_pointer
  set(DW_OP_GNU_entry_value, DW_OP_GNU_entry_value, eBlock, eEnd);
  set(DW_OP_GNU_addr_index, DW_OP_GNU_const_index, eLEB, eEnd);
  for (unsigned op : {0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9,
                      0xea, 0xeb, 0xec})
    set(op, op, eVendor, eEnd, false);
  return table;
}

const std::array<Operation, 256> &Table() {
  static const std::array<Operation, 256> g_table = MakeTable();
  return g_table;
}

bool SkipBytes(const DataExtractor &data, offset_t &offset, uint64_t size) {
  if (offset > data.GetByteSize() || size > data.GetByteSize() - offset)
    return false;
  offset += size;
  return true;
}

bool SkipLEB(const DataExtractor &data, offset_t &offset) {
  // What Skip_LEB128 returns is one byte short.
  const offset_t before = offset;
  data.Skip_LEB128(&offset);
  return offset != before;
}

bool SkipOperand(const DataExtractor &data, offset_t &offset, Operand operand) {
  switch (operand) {
  case eEnd:
    return true;
  case eFixed1:
    return SkipBytes(data, offset, 1);
  case eFixed2:
    return SkipBytes(data, offset, 2);
  case eFixed4:
  case eOffset:
    return SkipBytes(data, offset, 4);
  case eFixed8:
    return SkipBytes(data, offset, 8);
  case eAddress:
    return SkipBytes(data, offset, data.GetAddressByteSize());
  case eLEB:
    return SkipLEB(data, offset);
  case eBlock:
    return SkipBytes(data, offset, data.GetULEB128(&offset));
  case eShortBlock:
    return SkipBytes(data, offset, data.GetU8(&offset));
  case eVendor:
  case eUnknown:
    break;
  }
  return false;
}

} // namespace

/// Those of DW_OP_LLVM_user and the older direct codes of the AMD extension.
static std::optional<offset_t> GetVendorOperandSize(const DataExtractor &data,
                                                    offset_t offset,
                                                    uint8_t op) {
  const offset_t start = offset;
  unsigned lebs = 0;
  switch (op) {
  case 0xe9: // DW_OP_LLVM_user
    switch (data.GetULEB128(&offset)) {
    case 0x05: // offset_uconst
    case 0x07: // call_frame_entry_reg
      lebs = 1;
      break;
    case 0x09: // aspace_bregx
    case 0x0b: // extend
    case 0x0c: // select_bit_piece
      lebs = 2;
      break;
    case 0x2004: // aspace_implicit_pointer
      if (!SkipBytes(data, offset, 4))
        return std::nullopt;
      lebs = 1;
      break;
    case 0x2020: // object_map
      if (!SkipBytes(data, offset, 4))
        return std::nullopt;
      break;
    case 0:
      return std::nullopt;
    }
    break;
  case 0xe4: // offset_uconst
    lebs = 1;
    break;
  case 0xe8: // aspace_bregx
  case 0xeb: // extend
  case 0xec: // select_bit_piece
    lebs = 2;
    break;
  case 0xe6: // call_frame_entry_reg
    lebs = 1;
    break;
  case 0xe1:
  case 0xe2:
  case 0xe3:
  case 0xe5:
  case 0xe7:
  case 0xea:
    break;
  default:
    return std::nullopt;
  }
  for (; lebs; --lebs)
    if (!SkipLEB(data, offset))
      return std::nullopt;
  return offset - start;
}

std::optional<offset_t> wavelane::GetOperandSize(const DataExtractor &data,
                                                 offset_t offset, uint8_t op) {
  const offset_t start = offset;
  const Operation &operation = Table()[op];
  if (operation.operands[0] == eVendor)
    return GetVendorOperandSize(data, offset, op);
  for (Operand operand : operation.operands)
    if (!SkipOperand(data, offset, operand))
      return std::nullopt;
  return offset - start;
}

/// Whether \a expression has an operation that \a wanted says yes to; false where
/// it becomes malformed.
template <typename Wanted>
static bool HasOperation(const DataExtractor &expression, Wanted wanted) {
  const std::array<Operation, 256> &table = Table();
  // Most expressions have no byte that could be such an operation.
  const uint8_t *bytes = expression.GetDataStart();
  const offset_t size = expression.GetByteSize();
  bool possible = false;
  for (offset_t i = 0; i < size && !possible; ++i)
    possible = wanted(table[bytes[i]]);
  if (!possible)
    return false;
  for (offset_t offset = 0; offset < size;) {
    const uint8_t op = expression.GetU8(&offset);
    const Operation &operation = table[op];
    if (operation.operands[0] == eUnknown)
      return false;
    if (wanted(operation))
      return true;
    std::optional<offset_t> operand_size =
        wavelane::GetOperandSize(expression, offset, op);
    if (!operand_size || !SkipBytes(expression, offset, *operand_size))
      return false;
  }
  return false;
}

bool wavelane::NeedsEngine(const DataExtractor &expression) {
  return HasOperation(expression, [](const Operation &operation) {
    return !operation.in_lldb && operation.operands[0] != eUnknown;
  });
}

bool wavelane::HasAMDOperation(const DataExtractor &expression) {
  return HasOperation(expression, [](const Operation &operation) {
    return operation.operands[0] == eVendor;
  });
}

bool wavelane::GivesAddressSpace(const DataExtractor &expression) {
  return HasOperation(expression, [](const Operation &operation) {
    return operation.operands[0] == eVendor ||
           &operation == &Table()[DW_OP_xderef];
  });
}
