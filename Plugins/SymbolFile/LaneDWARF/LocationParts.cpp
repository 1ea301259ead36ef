//===-- LocationParts.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocationParts.h"
#include "lldb/Core/Value.h"
#include "lldb/Expression/DWARFExpression.h"
#include "wavelane/Location/Architecture.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace llvm::dwarf;
namespace location = ::wavelane::location;

std::optional<LocationPart::Register>
lldb_private::wavelane::GetLocationRegister(uint64_t number) {
  for (const char *name : {"amdgpu-wave64", "amdgpu-wave32"}) {
    const location::RegisterRange *range =
        location::Architecture::find(name)->findRegister(number);
    const llvm::StringRef file = range ? range->Name : "";
    if (file == "v" || file == "s" || file == "a")
      return LocationPart::Register{
          file[0], unsigned(range->FirstIndex + (number - range->First))};
  }
  return std::nullopt;
}

namespace {

/// Reads the operations of a location, part by part.
class Reader {
public:
  Reader(llvm::ArrayRef<uint8_t> bytes, uint64_t size)
      : m_data(bytes, /*IsLittleEndian=*/true, /*AddressSize=*/8),
        m_size(size) {}

  /// \return Whether each operation is understood.
  bool Read() {
    const llvm::DWARFExpression expression(m_data, /*AddressSize=*/8);
    for (const llvm::DWARFExpression::Operation &operation : expression)
      if (operation.isError() || !Add(operation))
        return false;
    if (m_state == State::eEmpty)
      return true;
    AddComputed();
    m_part.bits = {0, m_size};
    parts.push_back(m_part);
    return parts.size() == 1 && (IsComplete() || !m_part.computed_from.empty());
  }

  std::vector<LocationPart> parts;

private:
  using Operation = llvm::DWARFExpression::Operation;
  /// What a part's operations are so far.
  enum class State {
    eEmpty,
    ePlace,    ///< a register, or an implicit value
    eAddress,  ///< a register's value, which may be an address
    eNumber,   ///< a constant, which may be an address
    eSpace,    ///< ... and the number of a space
    eSwap,     ///< ... `swap`
    eElement,  ///< ... `xderef`: a register
    eUnstored, ///< ... `xderef`: a value, if it isn't stored
    eOther     ///< memory, or computed
  };

  bool IsComplete() const {
    return m_state == State::ePlace || m_state == State::eElement;
  }
  bool Add(const Operation &operation);
  bool AddToPart(const Operation &operation);
  void ForgetPlace() {
    m_part.reg.reset();
    m_part.constant.reset();
    m_state = State::eOther;
  }
  void ReadComputed(const Operation &operation);
  /// Ends a part that isn't complete otherwise.
  void AddComputed() {
    if (IsComplete() || !m_computes || !m_is_value)
      return;
    m_part.computed_from = m_read;
    if (m_read.empty() && !m_converts)
      FoldConstant();
  }
  void FoldConstant();
  bool AddPlace(const Operation &operation);
  bool AddPiece(const Operation &operation);

  const llvm::DataExtractor m_data;
  const uint64_t m_size;
  LocationPart m_part;
  State m_state = State::eEmpty;
  /// What a part reads, if it only computes numbers, and whether it is one.
  std::vector<LocationPart::Register> m_read;
  bool m_computes = true, m_is_value = false;
  bool m_converts = false; ///< to a type, which is read elsewhere
  uint64_t m_begin = 0;    // bits
};

} // namespace

static std::optional<uint64_t>
GetConstant(const llvm::DWARFExpression::Operation &operation) {
  const uint8_t code = operation.getCode();
  if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
    return code - DW_OP_lit0;
  if (code >= DW_OP_const1u && code <= DW_OP_consts)
    return operation.getRawOperand(0);
  return std::nullopt;
}

bool Reader::AddPlace(const Operation &operation) {
  const uint8_t code = operation.getCode();
  if ((m_part.constant = GetConstant(operation))) {
    m_state = State::eNumber;
    return true;
  }
  if (code == DW_OP_implicit_value) {
    constexpr uint64_t largest = 8;
    const uint64_t size = operation.getRawOperand(0);
    // The second operand is where its bytes are.
    uint64_t at = operation.getRawOperand(1);
    if (size == 0 || size > largest)
      return false;
    uint64_t value = 0;
    for (uint64_t i = 0; i < size; ++i)
      value |= uint64_t(m_data.getU8(&at)) << 8 * i;
    m_part.constant = uint64_t(llvm::SignExtend64(value, unsigned(8 * size)));
    m_state = State::ePlace;
    return true;
  }
  if ((code >= DW_OP_reg0 && code <= DW_OP_reg31) || code == DW_OP_regx) {
    m_part.reg = GetLocationRegister(
        code == DW_OP_regx ? operation.getRawOperand(0) : code - DW_OP_reg0);
    m_state = State::ePlace;
    return true;
  }
  if (code == DW_OP_bregx && operation.getRawOperand(1) == 0) {
    m_part.reg = GetLocationRegister(operation.getRawOperand(0));
    m_state = State::eAddress;
    return m_part.reg.has_value();
  }
  return false;
}

bool Reader::AddPiece(const Operation &operation) {
  const bool is_bytes = operation.getCode() == DW_OP_piece;
  if (!is_bytes && operation.getRawOperand(1) != 0)
    return false;
  AddComputed();
  if (m_state != State::eEmpty && !IsComplete())
    ForgetPlace();
  m_read.clear();
  m_computes = true;
  m_is_value = false;
  m_converts = false;
  m_part.place_end = std::max(m_part.place_end, m_part.begin);
  m_part.end = operation.getEndOffset();
  const uint64_t bits = operation.getRawOperand(0) * (is_bytes ? 8 : 1);
  m_part.bits = {m_begin, bits};
  m_begin += bits;
  parts.push_back(std::exchange(m_part, LocationPart()));
  m_part.begin = operation.getEndOffset();
  m_state = State::eEmpty;
  return true;
}

void Reader::ReadComputed(const Operation &operation) {
  const uint8_t code = operation.getCode();
  m_is_value = code == DW_OP_stack_value;
  m_converts |= code == DW_OP_convert;
  if (code == DW_OP_bregx || (code >= DW_OP_breg0 && code <= DW_OP_breg31)) {
    if (const auto reg =
            GetLocationRegister(code == DW_OP_bregx ? operation.getRawOperand(0)
                                                    : code - DW_OP_breg0))
      m_read.push_back(*reg);
    else
      m_computes = false;
    return;
  }
  const bool is_known =
      m_is_value || code == DW_OP_convert || GetConstant(operation) ||
      // Stack operations but `over`, `pick` and those of memory.
      code == DW_OP_dup || code == DW_OP_swap ||
      (code >= DW_OP_abs && code <= DW_OP_xor) ||
      (code >= DW_OP_eq && code <= DW_OP_ne);
  m_computes &= is_known;
}

void Reader::FoldConstant() {
  const llvm::ArrayRef<uint8_t> bytes(m_data.getData().bytes_begin() +
                                          m_part.begin,
                                      m_part.place_end - m_part.begin);
  llvm::Expected<lldb_private::Value> value = DWARFExpression::Evaluate(
      /*exe_ctx=*/nullptr, /*reg_ctx=*/nullptr, /*module_sp=*/nullptr,
      lldb_private::DataExtractor(bytes.data(), bytes.size(),
                                  lldb::eByteOrderLittle, /*addr_size=*/8),
      /*dwarf_cu=*/nullptr, lldb::eRegisterKindDWARF,
      /*initial_value_ptr=*/nullptr, /*object_address_ptr=*/nullptr);
  if (!value) {
    llvm::consumeError(value.takeError());
    return;
  }
  m_part.constant = value->GetScalar().ULongLong();
  m_state = State::ePlace;
}

bool Reader::Add(const Operation &operation) {
  const uint8_t code = operation.getCode();
  if (code == DW_OP_piece || code == DW_OP_bit_piece)
    return AddPiece(operation);
  m_part.place_end = operation.getEndOffset();
  ReadComputed(operation);
  if (m_state != State::eOther && !AddToPart(operation))
    ForgetPlace();
  return true;
}

bool Reader::AddToPart(const Operation &operation) {
  const uint8_t code = operation.getCode();
  switch (m_state) {
  case State::eEmpty:
    return AddPlace(operation);
  case State::eAddress:
    // A part of the register.
    if (code == DW_OP_convert)
      return true;
    [[fallthrough]];
  case State::eNumber:
  case State::eElement:
  case State::eUnstored:
    if (code == DW_OP_stack_value) {
      m_state = State::ePlace;
      return true;
    }
    if (m_state == State::eElement || m_state == State::eUnstored ||
        !GetConstant(operation))
      return false;
    m_state = State::eSpace;
    return true;
  case State::eSpace:
    m_state = State::eSwap;
    return code == DW_OP_swap;
  case State::eSwap:
    // What a scalar register has is an address.
    m_state = m_part.reg && m_part.reg->file != 's' ? State::eElement
                                                    : State::eUnstored;
    return code == DW_OP_xderef;
  case State::ePlace:
  case State::eOther:
    return false;
  }
  return false;
}

std::vector<LocationPart>
lldb_private::wavelane::ReadLocationParts(llvm::ArrayRef<uint8_t> bytes,
                                          uint64_t size) {
  Reader reader(bytes, size);
  return reader.Read() ? std::move(reader.parts) : std::vector<LocationPart>();
}

std::vector<uint8_t>
lldb_private::wavelane::DropLocationParts(llvm::ArrayRef<uint8_t> bytes,
                                          const llvm::SmallBitVector &dropped) {
  const std::vector<LocationPart> parts = ReadLocationParts(bytes, /*size=*/0);
  std::vector<uint8_t> result;
  for (size_t i = 0; i < parts.size(); ++i) {
    const llvm::ArrayRef<uint8_t> kept = bytes.slice(
        dropped.test(unsigned(i)) ? parts[i].place_end : parts[i].begin);
    result.insert(result.end(), kept.begin(),
                  kept.end() - (bytes.size() - parts[i].end));
  }
  return result;
}

std::vector<LocationPart::Register>
lldb_private::wavelane::GetLocationRegisters(llvm::ArrayRef<uint8_t> bytes) {
  constexpr uint64_t bits = 32; // of a register
  std::vector<LocationPart::Register> registers;
  for (const LocationPart &part : ReadLocationParts(bytes, bits)) {
    if (!part.reg || part.bits.Size != bits)
      return {};
    registers.push_back(*part.reg);
  }
  return registers;
}

std::optional<int64_t>
lldb_private::wavelane::GetLocationConstant(llvm::ArrayRef<uint8_t> bytes) {
  const std::vector<LocationPart> parts = ReadLocationParts(bytes, /*size=*/0);
  return parts.size() == 1 && parts.front().constant && !parts.front().end
             ? std::optional<int64_t>(*parts.front().constant)
             : std::nullopt;
}

bool lldb_private::wavelane::IsFrameAddress(llvm::ArrayRef<uint8_t> bytes) {
  const llvm::DataExtractor data(bytes, /*IsLittleEndian=*/true,
                                 /*AddressSize=*/8);
  bool is_address = false;
  for (const auto &operation : llvm::DWARFExpression(data, /*AddressSize=*/8)) {
    if (operation.isError())
      return false;
    const uint8_t code = operation.getCode();
    if (code == DW_OP_bregx) {
      constexpr unsigned stack_pointer = 32, frame_pointer = 33;
      const auto reg = GetLocationRegister(operation.getRawOperand(0));
      is_address =
          reg && reg->file == 's' &&
          (reg->number == stack_pointer || reg->number == frame_pointer);
    } else if (code == DW_OP_stack_value && is_address) {
      return true;
    } else if (code != DW_OP_convert) {
      is_address = false;
    }
  }
  return false;
}

bool lldb_private::wavelane::IsInMemory(llvm::ArrayRef<uint8_t> bytes) {
  const llvm::DataExtractor data(bytes, /*IsLittleEndian=*/true,
                                 /*AddressSize=*/8);
  bool is_first = true;
  for (const auto &operation : llvm::DWARFExpression(data, /*AddressSize=*/8)) {
    const uint8_t code = operation.getCode();
    const bool is_address = code == DW_OP_fbreg || code == DW_OP_bregx;
    if (operation.isError() || code == DW_OP_stack_value ||
        code == DW_OP_piece || code == DW_OP_bit_piece ||
        (std::exchange(is_first, false) && !is_address))
      return false;
  }
  return !is_first && ReadLocationParts(bytes, /*size=*/0).empty();
}
