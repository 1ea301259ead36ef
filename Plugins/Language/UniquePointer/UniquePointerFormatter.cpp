//===-- UniquePointerFormatter.cpp ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UniquePointerFormatter.h"
#include "Plugins/Language/CPlusPlus/LibStdcpp.h"
#include "Plugins/Language/CPlusPlus/MsvcStl.h"
#include "lldb/DataFormatters/DataVisualization.h"
#include "lldb/DataFormatters/TypeCategory.h"
#include "lldb/DataFormatters/TypeSummary.h"
#include "lldb/DataFormatters/TypeSynthetic.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::formatters;
using namespace lldb_private::wavelane;

/// Whether libstdc++'s tuple in \a value has an element where LLDB expects it:
/// in the base _Head_base of the base _Tuple_impl.
static bool HasElement(ValueObjectSP value_sp) {
  constexpr unsigned max_depth = 64;
  for (unsigned depth = 0; value_sp && depth < max_depth; ++depth) {
    ValueObjectSP next_sp;
    for (uint32_t i = 0; i < value_sp->GetNumChildrenIgnoringErrors(); ++i) {
      ValueObjectSP child_sp = value_sp->GetChildAtIndex(i);
      if (!child_sp)
        return false;
      const llvm::StringRef name = child_sp->GetName().GetStringRef();
      if (name.starts_with("std::_Head_base<") &&
          child_sp->GetChildMemberWithName("_M_head_impl"))
        return true;
      if (name.starts_with("std::_Tuple_impl<"))
        next_sp = child_sp;
    }
    value_sp = next_sp;
  }
  return false;
}

/// Whether LLDB's formatter survives \a value.
static bool IsReadable(ValueObject &value) {
  ValueObjectSP value_sp = value.GetSP()->GetNonSyntheticValue();
  ValueObjectSP outer_sp =
      value_sp ? value_sp->GetChildMemberWithName("_M_t") : nullptr;
  ValueObjectSP inner_sp =
      outer_sp ? outer_sp->GetChildMemberWithName("_M_t") : nullptr;
  ValueObjectSP tuple_sp = inner_sp ? inner_sp : outer_sp;
  return !tuple_sp || HasElement(tuple_sp->GetNonSyntheticValue());
}

static SyntheticChildrenFrontEnd *CreateChildren(CXXSyntheticChildren *children,
                                                 ValueObjectSP value_sp) {
  if (!value_sp || !IsReadable(*value_sp))
    return nullptr;
  return IsMsvcStlUniquePtr(*value_sp)
             ? MsvcStlUniquePtrSyntheticFrontEndCreator(value_sp)
             : LibStdcppUniquePtrSyntheticFrontEndCreator(children, value_sp);
}

static bool PrintSummary(ValueObject &value, Stream &stream,
                         const TypeSummaryOptions &options) {
  if (!IsReadable(value))
    return false;
  return IsMsvcStlUniquePtr(value)
             ? MsvcStlUniquePtrSummaryProvider(value, stream, options)
             : LibStdcppUniquePointerSummaryProvider(value, stream, options);
}

void lldb_private::wavelane::InitializeUniquePointerFormatter() {
  TypeCategoryImplSP category_sp;
  DataVisualization::Categories::GetCategory(ConstString("unique-pointers"),
                                             category_sp);
  // The name and the flags of LLDB's own.
  static constexpr char g_name[] = "^std::unique_ptr<.+>(( )?&)?$";
  SyntheticChildren::Flags children_flags;
  children_flags.SetCascades(true).SetSkipPointers(false).SetSkipReferences(
      false);
  category_sp->AddTypeSynthetic(g_name, eFormatterMatchRegex,
                                std::make_shared<CXXSyntheticChildren>(
                                    children_flags,
                                    "std::unique_ptr synthetic children",
                                    CreateChildren));
  TypeSummaryImpl::Flags summary_flags;
  summary_flags.SetCascades(true)
      .SetSkipPointers(false)
      .SetSkipReferences(false)
      .SetDontShowChildren(false)
      .SetDontShowValue(false)
      .SetShowMembersOneLiner(false)
      .SetHideItemNames(false);
  category_sp->AddTypeSummary(
      g_name, eFormatterMatchRegex,
      std::make_shared<CXXFunctionSummaryFormat>(
          summary_flags, PrintSummary, "std::unique_ptr summary provider"));
}
