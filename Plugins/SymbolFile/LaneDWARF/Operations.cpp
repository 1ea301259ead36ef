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

/// Where the bytes of a DW_OP_implicit_value end that the byte at \a place is
/// one of: LLDB takes these bytes for operations. \return nullopt for bytes of
/// other operations.
static std::optional<offset_t> FindValueEnd(const DataExtractor &data,
                                            offset_t place) {
  const llvm::ArrayRef<uint8_t> bytes = data.GetData();
  if (!llvm::is_contained(bytes.take_front(place), DW_OP_implicit_value))
    return std::nullopt;
  const location::DecodeOptions options = GetDecodeOptions(data);
  for (size_t at = 0; at < place;) {
    location::Operation operation;
    if (llvm::Error error = location::decode(bytes, at, options, operation)) {
      llvm::consumeError(std::move(error));
      return std::nullopt;
    }
    if (place < operation.End)
      return bytes[at] == DW_OP_implicit_value
                 ? std::optional<offset_t>(operation.End)
                 : std::nullopt;
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
  if (std::optional<offset_t> end = FindValueEnd(data, offset - 1))
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
static bool HasOperation(const DataExtractor &expression,
                         const std::bitset<256> &wanted) {
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
static std::bitset<256> MakeExtension() {
  std::bitset<256> extension;
  for (unsigned code = 0xe1; code <= 0xec; ++code)
    extension.set(code);
  return extension;
}
static const std::bitset<256> g_extension = MakeExtension();

bool lldb_private::wavelane::HasAMDOperation(const DataExtractor &expression) {
  return HasOperation(expression, g_extension);
}

bool lldb_private::wavelane::GivesAddressSpace(
    const DataExtractor &expression) {
  static const std::bitset<256> g_with_xderef = [] {
    std::bitset<256> giving = g_extension;
    giving.set(DW_OP_xderef);
    return giving;
  }();
  return HasOperation(expression, g_with_xderef);
}
