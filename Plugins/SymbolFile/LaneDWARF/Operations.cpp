//===-- Operations.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operations.h"
#include "wavelane/Location/Operation.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include <bitset>

using namespace lldb;
using namespace lldb_private;
using namespace llvm::dwarf;
namespace location = ::wavelane::location;

static location::DecodeOptions GetDecodeOptions(const DataExtractor &data) {
  location::DecodeOptions options;
  options.AddressSize = uint8_t(data.GetAddressByteSize());
  return options;
}

using Codes = std::bitset<256>;

static Codes MakeCodes(std::initializer_list<unsigned> list) {
  Codes codes;
  for (unsigned code : list)
    codes.set(code);
  return codes;
}

static const Codes g_measured_wrongly =
    MakeCodes({DW_OP_implicit_value, DW_OP_implicit_pointer, DW_OP_deref_type,
               DW_OP_xderef_type, DW_OP_call_ref});

/// Where the operation ends that has the byte at \a place among its operands:
/// LLDB takes it for an operation behind one whose operands it measures
/// wrongly. \return nullopt for an operation's own byte.
static std::optional<offset_t> FindOperandEnd(const DataExtractor &data,
                                              offset_t place) {
  const llvm::ArrayRef<uint8_t> bytes = data.GetData();
  if (llvm::none_of(bytes.take_front(place),
                    [](uint8_t byte) { return g_measured_wrongly[byte]; }))
    return std::nullopt;
  const location::DecodeOptions options = GetDecodeOptions(data);
  for (size_t at = 0; at < place;) {
    location::Operation operation;
    if (llvm::Error error = location::decode(bytes, at, options, operation)) {
      llvm::consumeError(std::move(error));
      return std::nullopt;
    }
    if (place < operation.End)
      return operation.End;
    at = operation.End;
  }
  return std::nullopt;
}

std::optional<offset_t>
lldb_private::wavelane::GetOperandSize(const DataExtractor &data,
                                       offset_t offset) {
  location::Operation operation;
  if (offset == 0 || offset > data.GetByteSize())
    return std::nullopt;
  if (std::optional<offset_t> end = FindOperandEnd(data, offset - 1))
    return *end - offset;
  if (llvm::Error error = location::decode(data.GetData(), size_t(offset - 1),
                                           GetDecodeOptions(data), operation)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return operation.End - offset;
}

/// Whether \a expression has an operation whose first byte is \a wanted;
/// ignores operations after a malformed one.
static bool HasOperation(const DataExtractor &expression, const Codes &wanted) {
  const llvm::ArrayRef<uint8_t> bytes = expression.GetData();
  // Most expressions don't contain any of these bytes at all.
  if (llvm::none_of(bytes, [&](uint8_t byte) { return wanted[byte]; }))
    return false;
  const location::DecodeOptions options = GetDecodeOptions(expression);
  for (size_t at = 0; at < bytes.size();) {
    if (wanted[bytes[at]])
      return true;
    location::Operation operation;
    if (llvm::Error error = location::decode(bytes, at, options, operation)) {
      llvm::consumeError(std::move(error));
      return false;
    }
    at = operation.End;
  }
  return false;
}

/// The extension's operations: DW_OP_LLVM_user and the older direct codes.
static const Codes g_extension = MakeCodes(
    {0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec});

bool lldb_private::wavelane::HasAMDOperation(const DataExtractor &expression) {
  return HasOperation(expression, g_extension);
}

bool lldb_private::wavelane::GivesAddressSpace(
    const DataExtractor &expression) {
  static const Codes g_with_xderef = g_extension | MakeCodes({DW_OP_xderef});
  return HasOperation(expression, g_with_xderef);
}

bool lldb_private::wavelane::IsStaticPlace(const DataExtractor &expression) {
  static const Codes g_address =
      MakeCodes({DW_OP_addr, DW_OP_addrx, DW_OP_GNU_addr_index});
  static const Codes g_value = MakeCodes({DW_OP_stack_value});
  static const Codes g_deref =
      MakeCodes({DW_OP_deref, DW_OP_deref_size, DW_OP_deref_type, DW_OP_xderef,
                 DW_OP_xderef_size, DW_OP_xderef_type});
  // A global that the compiler narrowed is a value computed from its memory.
  return HasOperation(expression, g_address) &&
         (!HasOperation(expression, g_value) ||
          HasOperation(expression, g_deref));
}
