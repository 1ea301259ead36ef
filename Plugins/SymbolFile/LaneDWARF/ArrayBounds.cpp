//===-- ArrayBounds.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayBounds.h"
#include "Core/Lane/WindowAddress.h"
#include "Plugins/SymbolFile/DWARF/DWARFAttribute.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

// How many typedefs and qualifiers to look through; those of a damaged file may
// be circular.
static constexpr unsigned g_max_depth = 64;

/// Fortran's arrays begin at 1, and their first dimension varies fastest.
static bool IsFortran(DWARFUnit &unit) {
  switch (unit.GetDWARFLanguageType()) {
  case dw::DW_LANG_Fortran77:
  case dw::DW_LANG_Fortran90:
  case dw::DW_LANG_Fortran95:
  case dw::DW_LANG_Fortran03:
  case dw::DW_LANG_Fortran08:
  case dw::DW_LANG_Fortran18:
    return true;
  default:
    return false;
  }
}

/// DW_OP_GNU_variable_value, which LLVM has no name for.
static constexpr uint8_t g_variable_value = 0xfd;

/// A bound that refers to another entry: the expression of that entry's value.
static llvm::ArrayRef<uint8_t> MakeValueOf(const DWARFDIE &die,
                                           AttributeBytes &bytes) {
  std::vector<uint8_t> expression(5, g_variable_value);
  llvm::support::endian::write32le(&expression[1], uint32_t(die.GetOffset()));
  return bytes.emplace_back(std::move(expression));
}

static llvm::Error ReadBound(const DWARFDIE &die, dw_attr_t code,
                             AttributeBytes &bytes,
                             location::AttributeValue &bound) {
  DWARFFormValue value;
  if (!die.GetDIE()->GetAttributeValue(die.GetCU(), code, value))
    return llvm::Error::success();
  if (value.Form() == dw::DW_FORM_sdata ||
      value.Form() == dw::DW_FORM_implicit_const) {
    bound.Constant = uint64_t(value.Signed());
    return llvm::Error::success();
  }
  if (DWARFDIE other = die.GetReferencedDIE(code)) {
    bound.Expression = MakeValueOf(other, bytes);
    return llvm::Error::success();
  }
  return ReadAttribute(*die.GetCU(), value, bytes).moveInto(bound);
}

llvm::Error ArrayBounds::ReadDimension(const DWARFDIE &subrange) {
  Dimension dimension;
  for (auto [code, bound] :
       {std::pair(dw::DW_AT_count, &dimension.count),
        std::pair(dw::DW_AT_lower_bound, &dimension.lower),
        std::pair(dw::DW_AT_upper_bound, &dimension.upper),
        std::pair(dw::DW_AT_byte_stride, &dimension.stride),
        std::pair(dw::DW_AT_bit_stride, &dimension.bit_stride)}) {
    if (llvm::Error error = ReadBound(subrange, code, *m_bytes, *bound))
      return error;
    if (*bound && !bound->Constant)
      dimension.is_constant = false;
  }
  if (!dimension.lower)
    dimension.lower.Constant = m_default_lower;
  m_is_dynamic |= !dimension.IsPlain();
  m_dimensions.push_back(std::move(dimension));
  return llvm::Error::success();
}

llvm::Error ArrayBounds::Read() {
  for (auto [code, into] :
       {std::pair(dw::DW_AT_data_location, &m_data_location),
        std::pair(dw::DW_AT_allocated, &m_allocated),
        std::pair(dw::DW_AT_associated, &m_associated)}) {
    if (llvm::Error error = ReadBound(m_array, code, *m_bytes, *into))
      return error;
    m_is_dynamic |= bool(*into);
  }
  for (DWARFDIE child : m_array.children())
    if (child.Tag() == dw::DW_TAG_subrange_type)
      if (llvm::Error error = ReadDimension(child))
        return error;
  if (m_is_reversed)
    std::reverse(m_dimensions.begin(), m_dimensions.end());
  if (m_dimensions.empty())
    return llvm::Error::success();
  // The array's own stride is that of its elements.
  Dimension &fastest = m_dimensions.back();
  for (auto [code, into] :
       {std::pair(dw::DW_AT_byte_stride, &fastest.stride),
        std::pair(dw::DW_AT_bit_stride, &fastest.bit_stride)})
    if (!*into)
      if (llvm::Error error = ReadBound(m_array, code, *m_bytes, *into))
        return error;
  m_is_dynamic |= !fastest.IsPlain();
  return llvm::Error::success();
}

std::optional<ArrayBounds> ArrayBounds::Find(const DWARFDIE &die) {
  ArrayBounds bounds;
  DWARFDIE type = die;
  for (unsigned depth = 0; type && depth < g_max_depth; ++depth) {
    // The type of an inlined variable is at its abstract origin.
    if (DWARFDIE origin = type.GetReferencedDIE(dw::DW_AT_abstract_origin)) {
      type = origin;
      continue;
    }
    switch (type.Tag()) {
    case dw::DW_TAG_array_type:
      bounds.m_array = type;
      break;
    case dw::DW_TAG_reference_type:
      // No language has references to references.
      if (bounds.m_is_reference)
        return std::nullopt;
      bounds.m_is_reference = true;
      [[fallthrough]];
    case dw::DW_TAG_variable:
    case dw::DW_TAG_formal_parameter:
    case dw::DW_TAG_typedef:
    case dw::DW_TAG_const_type:
    case dw::DW_TAG_volatile_type:
    case dw::DW_TAG_restrict_type:
      type = type.GetReferencedDIE(dw::DW_AT_type);
      continue;
    default:
      return std::nullopt;
    }
    break;
  }
  if (!bounds.m_array ||
      bounds.m_array.GetAttributeValueAsUnsigned(dw::DW_AT_GNU_vector, 0))
    return std::nullopt;
  DWARFUnit &unit = *bounds.m_array.GetCU();
  const bool is_fortran = IsFortran(unit);
  bounds.m_is_reversed =
      bounds.m_array.GetAttributeValueAsUnsigned(
          dw::DW_AT_ordering,
          is_fortran ? dw::DW_ORD_col_major : dw::DW_ORD_row_major) ==
      dw::DW_ORD_col_major;
  bounds.m_default_lower = is_fortran;
  if (llvm::Error error = bounds.Read()) {
    bounds.m_problem = llvm::toString(std::move(error));
    bounds.m_is_dynamic = true;
  }
  if (!bounds.m_is_dynamic && !bounds.m_is_reversed)
    return std::nullopt;
  return bounds;
}

std::vector<std::optional<uint64_t>> ArrayBounds::GetCounts() const {
  std::vector<std::optional<uint64_t>> counts;
  for (const Dimension &dimension : m_dimensions) {
    std::optional<uint64_t> count;
    if (dimension.is_constant && dimension.count)
      count = dimension.count.Constant;
    else if (dimension.is_constant && dimension.upper) {
      const int64_t lower =
          int64_t(dimension.lower.Constant.value_or(m_default_lower));
      const int64_t upper = int64_t(*dimension.upper.Constant);
      count = upper < lower ? 0 : uint64_t(upper) - uint64_t(lower) + 1;
    }
    counts.push_back(count);
  }
  return counts;
}

size_t ArrayBounds::CountDynamicDimensions() const {
  for (size_t count = m_dimensions.size(); count > 0; --count)
    if (!m_dimensions[count - 1].IsPlain() || !GetCounts()[count - 1])
      return count;
  // Where the elements are depends on the frame.
  return m_is_dynamic ? 1 : 0;
}

static llvm::Expected<std::optional<int64_t>>
Evaluate(FrameContext &context, const location::AttributeValue &value) {
  if (!value)
    return std::nullopt;
  llvm::Expected<std::optional<uint64_t>> number = location::evaluateCount(
      value, context,
      context.GetOptions(value.Expression.value_or(llvm::ArrayRef<uint8_t>())));
  if (!number)
    return number.takeError();
  if (!*number)
    return location::failed("a bound of the array has been optimized out");
  return std::optional<int64_t>(int64_t(**number));
}

/// The location of the array, or of its descriptor.
llvm::Expected<location::Location>
ArrayBounds::FindObject(FrameContext &context,
                        const location::Location &place) const {
  if (!m_is_reference)
    return place;
  uint8_t bytes[8] = {};
  const unsigned size = context.getAddressSize();
  if (llvm::Error error =
          place.read(context, location::BitCount(size) * 8,
                     llvm::MutableArrayRef<uint8_t>(bytes, size)))
    return std::move(error);
  return location::Location::memory(eSpaceGlobal,
                                    llvm::support::endian::read64le(bytes));
}

llvm::Expected<ArrayExtent>
ArrayBounds::Measure(FrameContext &context, size_t dimension,
                     const std::optional<location::Location> &place) const {
  if (!m_problem.empty())
    return location::illFormed(m_problem);
  if (m_dimensions.empty())
    return location::failed("the debug information doesn't say how many "
                            "elements the array has");
  if (place) {
    llvm::Expected<location::Location> object = FindObject(context, *place);
    if (!object)
      return object.takeError();
    context.SetObject(std::move(*object));
  }
  const Dimension &of = m_dimensions[dimension];
  std::optional<int64_t> count, lower, upper, stride, bit_stride;
  for (auto [value, into] :
       {std::pair(&of.count, &count), std::pair(&of.lower, &lower),
        std::pair(&of.upper, &upper), std::pair(&of.stride, &stride),
        std::pair(&of.bit_stride, &bit_stride)})
    if (llvm::Error error = Evaluate(context, *value).moveInto(*into))
      return std::move(error);
  ArrayExtent extent;
  extent.lower = lower.value_or(0);
  if (!count && upper)
    count = *upper < extent.lower
                ? 0
                : int64_t(uint64_t(*upper) - uint64_t(extent.lower) + 1);
  if (!count)
    return location::failed("the debug information doesn't say how many "
                            "elements the array has");
  if (*count < 0 || *count > UINT32_MAX)
    return location::failed("the array has " + llvm::Twine(*count) +
                            " elements");
  extent.count = uint64_t(*count);
  if (!stride && bit_stride && *bit_stride % 8 != 0)
    return location::failed("the array's elements are " +
                            llvm::Twine(*bit_stride) + " bits apart");
  if (stride || bit_stride)
    extent.stride = stride ? *stride : *bit_stride / 8;
  return extent;
}

llvm::Expected<location::Location>
ArrayBounds::FindElements(FrameContext &context,
                          const location::Location &place) const {
  if (!m_problem.empty())
    return location::illFormed(m_problem);
  llvm::Expected<location::Location> object = FindObject(context, place);
  if (!object)
    return object.takeError();
  if (!m_data_location)
    return object;
  context.SetObject(*object);
  for (auto [value, problem] :
       {std::pair(&m_allocated, "the array isn't allocated"),
        std::pair(&m_associated, "the pointer to an array isn't associated")}) {
    llvm::Expected<std::optional<int64_t>> is = Evaluate(context, *value);
    if (!is)
      return is.takeError();
    if (*is == 0)
      return location::failed(problem);
  }
  return location::evaluateLocation(m_data_location, context,
                                    context.GetOptions({}));
}
