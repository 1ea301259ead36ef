//===-- SIMDLayout.cpp ----------------------------------------------------===//

#include "SIMDLayout.h"

#include "lldb/Symbol/CompilerType.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Status.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// Deeper than any of the libraries nests, so that a class that contains itself by
// a lie of its debug information ends.
static constexpr unsigned kMaxDepth = 32;
// More elements than any machine's vectors have.
static constexpr uint32_t kMaxSize = 1u << 16;

/// The name of the class template, "simd" for "std::experimental::simd<int, X>".
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
  const int64_t value = argument->value.getSExtValue();
  if (value < 0)
    return std::nullopt;
  return uint64_t(value);
}

/// The number of elements that std::experimental's ABI tag \a abi gives vectors
/// of \a element: _Scalar, _Fixed<N>, _VecBuiltin<bytes>, _VecBltnBtmsk<bytes>.
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
  std::optional<uint64_t> bytes = element.GetByteSize(nullptr);
  if (!name.starts_with("_Vec") || !bytes || *bytes == 0)
    return std::nullopt;
  return *argument / *bytes;
}

void SIMDLayout::Collect(ValueObject &value, unsigned depth) {
  if (depth > kMaxDepth)
    return;
  CompilerType type = value.GetCompilerType().GetCanonicalType();
  Run run;
  run.storage_sp = value.GetSP();
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
    m_runs.push_back(run);
    return;
  }
  // A union holds the same elements in several ways: the first one does.
  const bool is_union = type.GetTypeClass() == eTypeClassUnion;
  const uint32_t children = value.GetNumChildrenIgnoringErrors();
  for (uint32_t i = 0; i < children; ++i) {
    ValueObjectSP child_sp = value.GetChildAtIndex(i);
    if (!child_sp)
      continue;
    const size_t before = m_runs.size();
    Collect(*child_sp, depth + 1);
    if (is_union && m_runs.size() != before)
      break;
  }
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
  llvm::StringRef full_name = type.GetTypeName().GetStringRef();
  llvm::StringRef name = GetTemplateName(full_name);
  const bool is_esimd = full_name.starts_with("sycl::");
  SIMDLayout layout;
  layout.m_is_mask = name.starts_with("simd_mask");

  if (name == "simd_view") {
    // A reference to a region <is 2-D, height, vertical stride, width, horizontal
    // stride> or, in one dimension, region1d_t<T, size, stride> of another vector.
    ValueObjectSP base_sp = object_sp->GetChildMemberWithName("M_base");
    ValueObjectSP region_sp = object_sp->GetChildMemberWithName("M_region");
    if (!base_sp || !region_sp)
      return std::nullopt;
    std::optional<SIMDLayout> base = Create(*base_sp);
    CompilerType region = region_sp->GetCompilerType().GetCanonicalType();
    std::optional<uint64_t> size = GetIntegralArgument(region, 1);
    std::optional<uint64_t> stride = GetIntegralArgument(region, 2);
    if (!base || base->m_runs.size() != 1 || !size || !stride ||
        !GetTemplateName(region.GetTypeName().GetStringRef())
             .starts_with("region1d"))
      return std::nullopt;
    const uint64_t offset =
        region_sp->GetChildMemberWithName("M_offset")
            ? region_sp->GetChildMemberWithName("M_offset")
                  ->GetValueAsUnsigned(0)
            : 0;
    Run run = base->m_runs.front();
    if (*size == 0 || offset >= run.count ||
        (*stride && (*size - 1) > (run.count - 1 - offset) / *stride))
      return std::nullopt;
    run.first = offset;
    run.stride = *stride;
    layout.m_size = *size;
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
  layout.Collect(*object_sp, 0);
  uint64_t held = 0;
  for (const Run &run : layout.m_runs)
    held += run.count;
  // libstdc++ keeps masks as bits where the machine does (AVX-512) and for sizes
  // that are not the machine's.
  if (layout.m_is_mask && held < layout.m_size) {
    layout.m_is_bits = true;
    uint64_t bits = 0;
    for (const Run &run : layout.m_runs)
      bits += uint64_t(run.count) *
              run.element_type.GetByteSize(nullptr).value_or(0) * 8;
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
    const uint64_t place = run.first + uint64_t(index) * run.stride;
    if (m_runs.size() > 1 && index >= run.count) {
      index -= run.count;
      continue;
    }
    if (place >= run.count)
      return nullptr;
    const uint64_t bytes = run.element_type.GetByteSize(nullptr).value_or(0);
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
