//===-- SIMDLayout.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SIMDLayout.h"

#include "lldb/Symbol/CompilerType.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Status.h"
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// Deeper than any of the libraries nests; stops at a class that contains itself
// in wrong debug information.
static constexpr unsigned kMaxDepth = 32;
// More elements than in any machine's vectors.
static constexpr uint32_t kMaxSize = 1u << 16;

/// The name of the class template, "simd" for "std::experimental::simd<int,
/// X>".
static llvm::StringRef GetTemplateName(llvm::StringRef name) {
  name = name.take_until([](char c) { return c == '<'; });
  return name.substr(name.rfind(':') + 1);
}

static std::optional<uint64_t> GetIntegralArgument(const CompilerType &type,
                                                   size_t index) {
  std::optional<CompilerType::IntegralTemplateArgument> argument =
      type.GetIntegralTemplateArgument(index, /*expand_pack=*/true);
  if (!argument)
    return std::nullopt;
  const int64_t value = argument->value.GetAPSInt().getSExtValue();
  if (value < 0)
    return std::nullopt;
  return uint64_t(value);
}

/// The number of elements of a vector of \a element with std::experimental's
/// ABI tag \a abi: _Scalar, _Fixed<N>, _VecBuiltin<bytes>,
/// _VecBltnBtmsk<bytes>.
static std::optional<uint64_t> GetSizeOfAbi(const CompilerType &abi,
                                            const CompilerType &element) {
  llvm::StringRef name = GetTemplateName(abi.GetTypeName().GetStringRef());
  if (name == "_Scalar")
    return 1;
  std::optional<uint64_t> argument = GetIntegralArgument(abi, 0);
  if (!argument)
    return std::nullopt;
  if (name == "_Fixed")
    return argument;
  std::optional<uint64_t> bytes =
      llvm::expectedToOptional(element.GetByteSize(nullptr));
  if (!name.starts_with("_Vec") || !bytes || *bytes == 0)
    return std::nullopt;
  return *argument / *bytes;
}

void SIMDLayout::Collect(ValueObject &value, unsigned depth,
                         const std::string &path) {
  if (depth > kMaxDepth)
    return;
  CompilerType type = value.GetCompilerType().GetCanonicalType();
  Run run;
  run.storage_sp = value.GetSP();
  run.path = path;
  uint64_t count = 0;
  if (type.IsVectorType(&run.element_type, &count)) {
    run.count = std::min<uint64_t>(count, kMaxSize);
    m_runs.push_back(run);
    return;
  }
  if (type.IsArrayType(&run.element_type, &count, nullptr)) {
    run.count = std::min<uint64_t>(count, kMaxSize);
    m_runs.push_back(run);
    return;
  }
  if (type.IsScalarType()) {
    run.element_type = type;
    run.count = 1;
    run.is_scalar = true;
    m_runs.push_back(run);
    return;
  }
  // A union has the same elements in several forms, so take the first.
  const bool is_union = type.GetTypeClass() == eTypeClassUnion;
  const uint32_t children = value.GetNumChildrenIgnoringErrors();
  for (uint32_t i = 0; i < children; ++i) {
    ValueObjectSP child_sp = value.GetChildAtIndex(i);
    if (!child_sp)
      continue;
    const size_t before = m_runs.size();
    // A member of a base is called as one of the object, unless it hides it.
    Collect(*child_sp, depth + 1,
            child_sp->IsBaseClass()
                ? path
                : path + "." + child_sp->GetName().GetStringRef().str());
    if (is_union && m_runs.size() != before)
      break;
  }
}

bool SIMDLayout::TakeRegion(ValueObject &region, unsigned depth) {
  CompilerType type = region.GetCompilerType().GetCanonicalType();
  llvm::StringRef name = GetTemplateName(type.GetTypeName().GetStringRef());
  if (depth > kMaxDepth)
    return false;
  if (name == "pair") {
    // A region of a region.
    ValueObjectSP first_sp = region.GetChildMemberWithName("first");
    ValueObjectSP second_sp = region.GetChildMemberWithName("second");
    SIMDLayout outer;
    if (!first_sp || !second_sp || !outer.TakeRegion(*second_sp, depth + 1))
      return false;
    m_row = outer.m_width;
    if (!TakeRegion(*first_sp, depth + 1))
      return false;
    std::optional<uint64_t> held =
        llvm::expectedToOptional(outer.m_view_type.GetByteSize(nullptr));
    if (!held ||
        held != llvm::expectedToOptional(m_view_type.GetByteSize(nullptr)))
      return false;
    for (uint32_t &index : m_view) {
      if (index >= outer.m_view.size())
        return false;
      index = outer.m_view[index];
    }
    return true;
  }
  // region_base<is 2-D, element, height, vertical stride, width, stride>
  std::optional<uint64_t> numbers[4];
  for (unsigned i = 0; i < 4; ++i)
    numbers[i] = GetIntegralArgument(type, 2 + i);
  if (name != "region_base" || !numbers[0] || !numbers[1] || !numbers[2] ||
      !numbers[3])
    return false;
  const auto [height, row_step, width, step] =
      std::tuple(*numbers[0], *numbers[1], *numbers[2], *numbers[3]);
  if (height == 0 || width == 0 || height > kMaxSize || width > kMaxSize ||
      height * width > kMaxSize || row_step > kMaxSize || step > kMaxSize)
    return false;
  m_view_type = type.GetTypeTemplateArgument(1);
  ValueObjectSP x_sp = region.GetChildMemberWithName("M_offset_x");
  ValueObjectSP y_sp = region.GetChildMemberWithName("M_offset_y");
  if (!m_view_type || !x_sp || !y_sp)
    return false;
  const uint64_t x = x_sp->GetValueAsUnsigned(0),
                 y = y_sp->GetValueAsUnsigned(0);
  // Rows are as long as those of the surrounding region, or as the region
  // itself.
  const uint64_t row = m_row ? m_row : width;
  m_width = width;
  for (uint64_t j = 0; j < height; ++j)
    for (uint64_t i = 0; i < width; ++i)
      m_view.push_back(uint32_t(
          (height > 1 || y ? (y + j * row_step) * row : 0) + x + i * step));
  return true;
}

std::optional<SIMDLayout> SIMDLayout::Create(ValueObject &value) {
  ValueObjectSP object_sp = value.GetNonSyntheticValue();
  if (!object_sp)
    return std::nullopt;
  CompilerType type = object_sp->GetCompilerType().GetCanonicalType();
  if (type.IsReferenceType()) {
    Status error;
    object_sp = object_sp->Dereference(error);
    if (error.Fail() || !object_sp)
      return std::nullopt;
    type = object_sp->GetCompilerType().GetCanonicalType();
  }
  SIMDLayout layout;
  if (type.IsVectorType(nullptr, nullptr)) {
    layout.Collect(*object_sp, 0, "");
    layout.m_size = layout.m_runs.front().count;
    return layout;
  }
  llvm::StringRef full_name = type.GetTypeName().GetStringRef();
  llvm::StringRef name = GetTemplateName(full_name);
  const bool is_esimd = full_name.starts_with("sycl::");
  layout.m_is_mask = name.starts_with("simd_mask");

  if (name == "simd_view") {
    ValueObjectSP base_sp = object_sp->GetChildMemberWithName("M_base");
    ValueObjectSP region_sp = object_sp->GetChildMemberWithName("M_region");
    std::optional<SIMDLayout> base = base_sp ? Create(*base_sp) : std::nullopt;
    if (!base || base->m_runs.size() != 1 || !region_sp ||
        !layout.TakeRegion(*region_sp, /*depth=*/0))
      return std::nullopt;
    // A view may reinterpret the vector's bytes as elements of another type.
    Run run = base->m_runs.front();
    std::optional<uint64_t> held =
        llvm::expectedToOptional(run.element_type.GetByteSize(nullptr));
    std::optional<uint64_t> wanted =
        llvm::expectedToOptional(layout.m_view_type.GetByteSize(nullptr));
    if (!held || !wanted || *wanted == 0)
      return std::nullopt;
    run.count = *held * run.count / *wanted;
    run.element_type = layout.m_view_type;
    for (uint32_t index : layout.m_view)
      if (index >= run.count)
        return std::nullopt;
    layout.m_size = layout.m_view.size();
    layout.m_runs.push_back(run);
    return layout;
  }

  std::optional<uint64_t> size;
  CompilerType element = type.GetTypeTemplateArgument(0);
  if (is_esimd)
    size = GetIntegralArgument(type, name == "simd_mask" ? 0 : 1);
  else if (name == "HIP_vector_type")
    size = GetIntegralArgument(type, 1);
  else if (name == "__half2")
    size = 2;
  else
    size = GetSizeOfAbi(type.GetTypeTemplateArgument(1), element);
  if (!size || *size == 0 || *size > kMaxSize)
    return std::nullopt;
  layout.m_size = *size;
  layout.Collect(*object_sp, 0, "");
  uint64_t held = 0;
  for (const Run &run : layout.m_runs)
    held += run.count;
  // libstdc++ stores masks as bits if the machine does (AVX-512), and for sizes
  // that the machine doesn't support.
  if (layout.m_is_mask && held < layout.m_size) {
    layout.m_is_bits = true;
    uint64_t bits = 0;
    for (const Run &run : layout.m_runs)
      bits += uint64_t(run.count) *
              llvm::expectedToOptional(run.element_type.GetByteSize(nullptr))
                  .value_or(0) *
              8;
    held = bits;
  }
  if (held < layout.m_size)
    return std::nullopt;
  return layout;
}

ValueObjectSP SIMDLayout::GetElement(uint32_t index) const {
  if (index >= m_size || m_is_bits)
    return nullptr;
  const std::string name = "[" + std::to_string(index) + "]";
  for (const Run &run : m_runs) {
    const uint64_t place = m_view.empty() ? index : m_view[index];
    if (m_runs.size() > 1 && index >= run.count) {
      index -= run.count;
      continue;
    }
    if (place >= run.count)
      return nullptr;
    const uint64_t bytes =
        llvm::expectedToOptional(run.element_type.GetByteSize(nullptr))
            .value_or(0);
    ValueObjectSP element_sp = run.storage_sp->GetSyntheticChildAtOffset(
        place * bytes, run.element_type, /*can_create=*/true,
        ConstString(name));
    // Bytes of a vector are numbers, not characters.
    if (element_sp && bytes == 1 && element_sp->GetFormat() == eFormatDefault)
      element_sp->SetFormat(run.element_type.IsSigned() ? eFormatDecimal
                                                        : eFormatUnsigned);
    return element_sp;
  }
  return nullptr;
}

std::string SIMDLayout::Run::GetElementExpression(llvm::StringRef object,
                                                  llvm::StringRef index) const {
  const std::string member = object.str() + path;
  return is_scalar ? member : member + "[" + index.str() + "]";
}

std::string SIMDLayout::GetElementExpression(llvm::StringRef index,
                                             llvm::StringRef index_expression,
                                             llvm::StringRef object) const {
  if (m_is_bits || !m_view.empty() || m_runs.empty())
    return "";
  std::string element;
  uint64_t number = 0;
  if (!index.getAsInteger(0, number)) {
    if (number >= m_size)
      return "({ static_assert(false, \"" + object.str() + " has " +
             std::to_string(m_size) + " elements\"); 0; })";
    auto run = m_runs.begin();
    for (; number >= run->count; ++run)
      number -= run->count;
    element = run->GetElementExpression(object, std::to_string(number));
  } else {
    // Where the index is in the last member, in the one before it, ...
    uint64_t first = m_size;
    for (const Run &run : llvm::reverse(m_runs)) {
      first -= std::min<uint64_t>(run.count, first);
      const std::string start = std::to_string(first);
      const std::string place = "(" + index_expression.str() + ")";
      const std::string own = run.GetElementExpression(
          object, first ? place + " - " + start : index_expression.str());
      element = element.empty()
                    ? own
                    : "(" + place + " < " + std::to_string(first + run.count) +
                          " ? " + own + " : " + element + ")";
    }
  }
  return m_is_mask ? "(" + element + " != 0)" : element;
}

std::optional<llvm::BitVector> SIMDLayout::GetSetElements() const {
  llvm::BitVector set(m_size);
  if (!m_is_bits) {
    for (uint32_t i = 0; i < m_size; ++i) {
      ValueObjectSP element_sp = GetElement(i);
      bool read = false;
      if (!element_sp)
        return std::nullopt;
      if (element_sp->GetValueAsUnsigned(0, &read))
        set.set(i);
      if (!read)
        return std::nullopt;
    }
    return set;
  }
  uint32_t index = 0;
  for (const Run &run : m_runs) {
    DataExtractor data;
    Status error;
    run.storage_sp->GetData(data, error);
    if (error.Fail())
      return std::nullopt;
    for (uint64_t byte = 0; byte < data.GetByteSize(); ++byte) {
      offset_t offset = byte;
      const uint8_t bits = data.GetU8(&offset);
      for (unsigned bit = 0; bit < 8 && index < m_size; ++bit, ++index)
        if (bits >> bit & 1)
          set.set(index);
    }
  }
  if (index < m_size)
    return std::nullopt;
  return set;
}
