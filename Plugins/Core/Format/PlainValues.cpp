//===-- PlainValues.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlainValues.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/StreamString.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::optional<PlainValues> PlainValues::Make(ValueObject &value,
                                             const LaneValue &known) {
  const CompilerType type = value.GetCompilerType();
  const uint32_t info = type.GetTypeInfo();
  const uint64_t size =
      llvm::expectedToOptional(value.GetByteSize()).value_or(0);
  if (known.is_error || !(info & eTypeHasValue) ||
      (info & (eTypeIsReference | eTypeIsComplex | eTypeIsVector)) ||
      size == 0 || size > sizeof(uint64_t) || value.IsBitfield() ||
      value.GetFormat() != eFormatDefault || value.GetValueFormat() ||
      value.GetSummaryFormat() || value.GetSyntheticChildren())
    return std::nullopt;
  DataExtractor data;
  Status error;
  if (value.GetData(data, error) != size || error.Fail())
    return std::nullopt;
  uint64_t bits = 0;
  memcpy(&bits, data.GetDataStart(), size);
  // Whatever else may change a text is the same for all values of the type.
  PlainValues plain(type, size);
  const ExecutionContext exe_ctx(value.GetExecutionContextRef());
  const LaneValue same = plain.Describe(bits, /*with_bytes=*/false,
                                        exe_ctx.GetBestExecutionContextScope());
  if (same.text != known.text || same.number != known.number)
    return std::nullopt;
  return plain;
}

std::optional<double> PlainValues::GetNumber(uint64_t bits) const {
  double number;
  switch (m_encoding) {
  case eEncodingUint:
    return double(bits);
  case eEncodingSint:
    return double(llvm::SignExtend64(bits, unsigned(8 * m_size)));
  case eEncodingIEEE754:
    if (m_size == sizeof(float))
      number = llvm::bit_cast<float>(uint32_t(bits));
    else if (m_size == sizeof(double))
      number = llvm::bit_cast<double>(bits);
    else
      return std::nullopt;
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  default:
    return std::nullopt;
  }
}

LaneValue PlainValues::Describe(uint64_t bits, bool with_bytes,
                                ExecutionContextScope *exe_scope) {
  const DataExtractor data(&bits, m_size, endian::InlHostByteOrder(),
                           sizeof(addr_t));
  LaneValue result;
  StreamString text;
  m_type.DumpTypeValue(&text, m_format, data, 0, m_size,
                       /*bitfield_bit_size=*/0, /*bitfield_bit_offset=*/0,
                       exe_scope);
  result.text = text.GetString().str();
  result.number = GetNumber(bits);
  if (with_bytes)
    result.bytes = llvm::toHex(data.GetData(), /*LowerCase=*/true);
  return result;
}
