//===-- SIMDFormatters.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SIMDFormatters.h"
#include "SIMDLayout.h"

#include "lldb/Core/DumpDataExtractor.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/TypeCategory.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/DataFormatters/TypeSynthetic.h"
#include "lldb/DataFormatters/VectorType.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/Status.h"
#include "lldb/Utility/Stream.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Prints the set elements of a mask: "[0-2 5] of 8".
static void PrintSet(Stream &stream, const llvm::BitVector &set) {
  stream.PutChar('[');
  const char *separator = "";
  for (int first = set.find_first(); first != -1;) {
    int end = set.find_next_unset(first);
    if (end == -1)
      end = set.size();
    stream.Format("{0}{1}", separator, first);
    if (end - first > 1)
      stream.Format("-{0}", end - 1);
    separator = " ";
    first = end == int(set.size()) ? -1 : set.find_next(end - 1);
  }
  stream.Format("] of {0}", set.size());
}

static bool PrintSummary(ValueObject &value, Stream &stream,
                         const TypeSummaryOptions &) {
  std::optional<SIMDLayout> layout = SIMDLayout::Create(value);
  if (!layout)
    return false;
  if (layout->IsMask()) {
    std::optional<llvm::BitVector> set = layout->GetSetElements();
    if (!set)
      return false;
    PrintSet(stream, *set);
    return true;
  }
  uint32_t shown = layout->GetSize();
  if (TargetSP target_sp = value.GetTargetSP())
    shown = std::min<uint32_t>(
        shown, target_sp->GetMaximumNumberOfChildrenToDisplay());
  stream.PutChar('(');
  for (uint32_t i = 0; i < shown; ++i) {
    ValueObjectSP element_sp = layout->GetElement(i);
    if (!element_sp)
      return false;
    std::string text;
    const Format format = value.GetFormat();
    if (format == eFormatDefault) {
      const char *c_str = element_sp->GetValueAsCString();
      text = c_str ? c_str : "<unreadable>";
    } else if (!element_sp->GetValueAsCString(format, text)) {
      text = "<unreadable>";
    }
    stream.Format("{0}{1}", i ? ", " : "", text);
  }
  stream.PutCString(shown < layout->GetSize() ? ", ...)" : ")");
  return true;
}

/// The elements of a vector's bytes in a format such as float32[].
struct ElementFormat {
  Format format;
  uint32_t size;
};

static std::optional<ElementFormat> GetElementFormat(Format format) {
  switch (format) {
  case eFormatVectorOfChar:
    return ElementFormat{eFormatChar, 1};
  case eFormatVectorOfSInt8:
    return ElementFormat{eFormatDecimal, 1};
  case eFormatVectorOfUInt8:
    return ElementFormat{eFormatUnsigned, 1};
  case eFormatVectorOfSInt16:
    return ElementFormat{eFormatDecimal, 2};
  case eFormatVectorOfUInt16:
    return ElementFormat{eFormatUnsigned, 2};
  case eFormatVectorOfSInt32:
    return ElementFormat{eFormatDecimal, 4};
  case eFormatVectorOfUInt32:
    return ElementFormat{eFormatUnsigned, 4};
  case eFormatVectorOfSInt64:
    return ElementFormat{eFormatDecimal, 8};
  case eFormatVectorOfUInt64:
    return ElementFormat{eFormatUnsigned, 8};
  case eFormatVectorOfUInt128:
    return ElementFormat{eFormatUnsigned, 16};
  case eFormatVectorOfFloat16:
    return ElementFormat{eFormatFloat, 2};
  case eFormatVectorOfFloat32:
    return ElementFormat{eFormatFloat, 4};
  case eFormatVectorOfFloat64:
    return ElementFormat{eFormatFloat, 8};
  default:
    return std::nullopt;
  }
}

/// The compilers' own vector types: shown by LLDB's list if no format is given.
/// For another format, LLDB would keep the elements that it has shown before.
static bool PrintVector(ValueObject &value, Stream &stream,
                        const TypeSummaryOptions &options) {
  if (value.GetFormat() == eFormatDefault)
    return formatters::VectorTypeSummaryProvider(value, stream, options);
  std::optional<ElementFormat> element = GetElementFormat(value.GetFormat());
  if (!element)
    return PrintSummary(value, stream, options);
  DataExtractor data;
  Status error;
  value.GetData(data, error);
  if (error.Fail())
    return false;
  stream.PutChar('(');
  for (uint64_t at = 0; at + element->size <= data.GetByteSize();
       at += element->size) {
    if (at)
      stream.PutCString(", ");
    DumpDataExtractor(data, &stream, at, element->format, element->size,
                      /*item_count=*/1, /*num_per_line=*/UINT64_MAX,
                      LLDB_INVALID_ADDRESS, /*item_bit_size=*/0,
                      /*item_bit_offset=*/0);
  }
  stream.PutChar(')');
  return true;
}

namespace {
class SIMDChildren : public SyntheticChildrenFrontEnd {
public:
  explicit SIMDChildren(ValueObject &backend)
      : SyntheticChildrenFrontEnd(backend) {
    Update();
  }

  llvm::Expected<uint32_t> CalculateNumChildren() override {
    // An object that isn't laid out like its class is shown unformatted.
    if (!m_layout)
      return m_backend.GetNumChildren();
    // The bits of a mask aren't objects; its summary shows them all.
    if (!m_layout->GetElement(0))
      return 0;
    return m_layout->GetSize();
  }

  ValueObjectSP GetChildAtIndex(uint32_t index) override {
    return m_layout ? m_layout->GetElement(index)
                    : m_backend.GetChildAtIndex(index);
  }

  llvm::Expected<size_t> GetIndexOfChildWithName(ConstString name) override {
    if (!m_layout)
      return m_backend.GetIndexOfChildWithName(name);
    llvm::StringRef text = name.GetStringRef();
    uint32_t index;
    if (text.consume_front("[") && text.consume_back("]") &&
        !text.getAsInteger(10, index) && m_layout &&
        index < m_layout->GetSize())
      return index;
    // HIP's vector classes call their elements x, y, z and w.
    static constexpr llvm::StringLiteral xyzw("xyzw");
    const size_t place = text.size() == 1 ? xyzw.find(text) : xyzw.npos;
    if (m_layout && place < m_layout->GetSize() &&
        m_backend.GetCompilerType()
            .GetCanonicalType()
            .GetTypeName()
            .GetStringRef()
            .contains("HIP_vector_type"))
      return place;
    return UINT32_MAX;
  }

  ChildCacheState Update() override {
    m_layout = SIMDLayout::Create(m_backend);
    return ChildCacheState::eRefetch;
  }

  bool MightHaveChildren() override { return true; }

private:
  std::optional<SIMDLayout> m_layout;
};
} // namespace

static SyntheticChildrenFrontEnd *CreateSIMDChildren(CXXSyntheticChildren *,
                                                     ValueObjectSP value_sp) {
  return value_sp ? new SIMDChildren(*value_sp) : nullptr;
}

void lldb_private::wavelane::InitializeSIMDFormatters() {
  static constexpr const char *kTypes[] = {
      R"(^std::experimental::(parallelism_v2::)?simd(_mask)?<.+>$)",
      R"(^sycl::(_V1::)?ext::intel::esimd::(simd|simd_mask|simd_mask_impl|simd_view)<.+>$)",
      R"(^HIP_vector_type<.+>$)",
      R"(^__half2$)",
  };
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("simd"), category_sp);

  TypeSummaryImpl::Flags summary_flags;
  summary_flags.SetCascades(true)
      .SetSkipPointers(false)
      .SetSkipReferences(false)
      .SetDontShowChildren(true)
      .SetDontShowValue(true)
      .SetShowMembersOneLiner(false)
      .SetHideItemNames(false);
  SyntheticChildren::Flags children_flags;
  children_flags.SetCascades(true).SetSkipPointers(false).SetSkipReferences(
      false);
  for (const char *type : kTypes) {
    category_sp->AddTypeSummary(
        type, eFormatterMatchRegex,
        std::make_shared<CXXFunctionSummaryFormat>(
            summary_flags, PrintSummary, "vector of an explicit SIMD type"));
    category_sp->AddTypeSynthetic(type, eFormatterMatchRegex,
                                  std::make_shared<CXXSyntheticChildren>(
                                      children_flags,
                                      "elements of an explicit SIMD type",
                                      CreateSIMDChildren));
  }
  // LLDB shows a pointer to a vector as a pointer.
  summary_flags.SetSkipPointers(true).SetSkipReferences(true);
  category_sp->AddTypeSummary(
      R"(^[^*&\[]+ __attribute__\(\(ext_vector_type\([0-9]+\)\)\)$)",
      eFormatterMatchRegex,
      std::make_shared<CXXFunctionSummaryFormat>(summary_flags, PrintVector,
                                                 "vector type"));
  // Of a reference to one LLDB's paths know no elements.
  category_sp->AddTypeSynthetic(
      R"(^[^*&\[(]+ & __attribute__\(\(ext_vector_type\([0-9]+\)\)\)$)",
      eFormatterMatchRegex,
      std::make_shared<CXXSyntheticChildren>(
          children_flags, "elements of a vector type", CreateSIMDChildren));
}
