//===-- OperationTable.cpp - all operations, and their encoding -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/OperationTable.h"

#include "llvm/ADT/StringMap.h"
#include <array>
#include <deque>
#include <string>
#include <vector>

using namespace llvm;
using namespace wavelane::location;

// Aliases: DWARF 6's names, and the extension's without LLVM.
static constexpr struct {
  const char *Alias;
  const char *Name;
} Aliases[] = {
    {"DW_OP_push_object_location", "DW_OP_push_object_address"},
    {"DW_OP_form_tls_location", "DW_OP_form_tls_address"},
    {"DW_OP_offset", "DW_OP_LLVM_offset"},
    {"DW_OP_offset_uconst", "DW_OP_LLVM_offset_uconst"},
    {"DW_OP_bit_offset", "DW_OP_LLVM_bit_offset"},
    {"DW_OP_undefined", "DW_OP_LLVM_undefined"},
    {"DW_OP_push_lane", "DW_OP_LLVM_push_lane"},
    {"DW_OP_push_iteration", "DW_OP_LLVM_push_iteration"},
    {"DW_OP_aspace_bregx", "DW_OP_LLVM_aspace_bregx"},
    {"DW_OP_form_aspace_address", "DW_OP_LLVM_form_aspace_address"},
    {"DW_OP_piece_end", "DW_OP_LLVM_piece_end"},
    {"DW_OP_extend", "DW_OP_LLVM_extend"},
    {"DW_OP_select_bit_piece", "DW_OP_LLVM_select_bit_piece"},
    {"DW_OP_call_frame_entry_reg", "DW_OP_LLVM_call_frame_entry_reg"},
    {"DW_OP_aspace_implicit_pointer", "DW_OP_LLVM_aspace_implicit_pointer"},
    {"DW_OP_aspace_deref", "DW_OP_xderef"},
    {"DW_OP_aspace_deref_size", "DW_OP_xderef_size"},
    {"DW_OP_aspace_deref_type", "DW_OP_xderef_type"},
    {"DW_OP_call", "DW_OP_call4"},
    {"DW_OP_LLVM_mem", "DW_OP_mem"},
};

namespace {
struct OperationTable {
  /// In the order of Operations.def; lit, reg and breg are 32 operations each.
  std::vector<OperationInfo> Infos;
  std::deque<std::string> Names;
  std::vector<const OperationInfo *> Listed;
  std::array<const OperationInfo *, 256> Byte = {};
  /// The extension's own codes are dense, and looked up as often as any.
  std::array<const OperationInfo *, 16> DenseUser = {};
  std::array<OperationCode, 256> Direct = {};
  StringMap<const OperationInfo *> ByName;

  OperationTable() {
    uint8_t Row = 0;
#define OPERATION(Code, Name, First, Second, Function)                         \
  add(Code, "DW_OP_" #Name, OperandKind::First, OperandKind::Second, Row++);
#define OPERATIONS(Code, Name, First, Function)                                \
  for (unsigned I = 0; I < 32; ++I)                                            \
    add(Code + I,                                                              \
        Names.emplace_back("DW_OP_" #Name + std::to_string(I)).c_str(),        \
        OperandKind::First, OperandKind::None, Row);                           \
  ++Row;
#define USER_OPERATION(SubOpcode, DirectCode, Id, Name, First, Second,         \
                       Function)                                               \
  Direct[DirectCode] = OP_##Id;                                                \
  add(OP_##Id, "DW_OP_" #Name, OperandKind::First, OperandKind::Second, Row++);
#include "wavelane/Location/Operations.def"
    Direct[0] = 0;
    for (const OperationInfo &Info : Infos) {
      const OperationCode Sub = Info.Code & ~UserBit;
      if (!(Info.Code & UserBit))
        Byte[Info.Code] = &Info;
      else if (Sub < DenseUser.size())
        DenseUser[Sub] = &Info;
      ByName[Info.Name] = &Info;
      Listed.push_back(&Info);
    }
    for (const auto &Alias : Aliases)
      ByName[Alias.Alias] = ByName[Alias.Name];
  }

private:
  void add(OperationCode Code, const char *Name, OperandKind First,
           OperandKind Second, uint8_t Row) {
    Infos.push_back({Code, Name, {First, Second}, Row});
  }
};
} // namespace

static const OperationTable &getTable() {
  static const OperationTable T;
  return T;
}

const OperationInfo *wavelane::location::findOperation(OperationCode Code) {
  const OperationTable &T = getTable();
  if (Code < T.Byte.size())
    return T.Byte[Code];
  const OperationCode Sub = Code & ~UserBit;
  if (Sub < T.DenseUser.size())
    return T.DenseUser[Sub];
  for (const OperationInfo &Info : T.Infos)
    if (Info.Code == Code)
      return &Info;
  return nullptr;
}

const OperationInfo *wavelane::location::findOperation(StringRef Name) {
  const OperationTable &T = getTable();
  auto It = T.ByName.find(Name);
  return It == T.ByName.end() ? nullptr : It->second;
}

ArrayRef<const OperationInfo *> wavelane::location::getOperations() {
  return getTable().Listed;
}

OperationCode
wavelane::location::getDirectOperation(uint8_t Code,
                                       const DecodeOptions &Options) {
  if (Code < 0xe1 || !Options.DirectCodes ||
      (Code == LLVMUser && !Options.DirectE9))
    return 0;
  return getTable().Direct[Code];
}
