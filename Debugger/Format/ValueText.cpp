//===-- ValueText.cpp -----------------------------------------------------===//

#include "ValueText.h"
#include "lldb/Target/Target.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/Support/Errc.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static CompilerType GetElement(const CompilerType &type) {
  CompilerType element;
  return type.IsArrayType(&element) ? element : CompilerType();
}

static std::string FormatObject(ValueObject &raw, unsigned column);

/// The children of an aggregate. Those of an array of arrays stand below each other.
static std::string FormatChildren(ValueObject &value, unsigned column) {
  const CompilerType element = GetElement(value.GetCompilerType());
  const bool has_names = !element && !value.GetCompilerType().IsVectorType();
  const char *separator = ", ";
  std::string indent;
  if (element && GetElement(element)) {
    indent = ",\n" + std::string(column + 1, ' ');
    separator = indent.c_str();
  }
  TargetSP target_sp = value.GetTargetSP();
  const uint32_t most =
      target_sp ? target_sp->GetMaximumNumberOfChildrenToDisplay() : 256;
  const uint32_t count = value.GetNumChildrenIgnoringErrors(most + 1);
  std::string text;
  for (uint32_t i = 0; i < count && i < most; ++i) {
    ValueObjectSP child_sp = value.GetChildAtIndex(i);
    if (!child_sp)
      continue;
    if (!text.empty())
      text += separator;
    if (has_names && child_sp->GetName())
      text += child_sp->GetName().GetString() + " = ";
    text += FormatObject(*child_sp, column + 1);
  }
  if (count > most)
    text += ", ...";
  return element ? "{" + text + "}" : "(" + text + ")";
}

/// \param column  Where the text begins in its line.
static std::string FormatObject(ValueObject &raw, unsigned column) {
  raw.UpdateValueIfNeeded(/*update_format=*/false);
  // What debug information says lacks what formatters of the type show.
  ValueObjectSP synthetic_sp = raw.GetSyntheticValue();
  ValueObject &value = synthetic_sp ? *synthetic_sp : raw;
  if (value.GetError().Fail())
    return std::string("<") + value.GetError().AsCString() + ">";
  const char *summary = value.GetSummaryAsCString();
  const char *shown = value.GetValueAsCString();
  if (shown && *shown)
    return std::string(shown) + (summary ? std::string(" ") + summary : "");
  if (summary)
    return summary;
  return FormatChildren(value, column);
}

llvm::Expected<std::string> wavelane::FormatValue(ValueObject &value) {
  ValueObjectSP object_sp = value.GetSP();
  if (value.GetCompilerType().IsReferenceType()) {
    Status error;
    object_sp = value.Dereference(error);
    if (error.Fail())
      return error.takeError();
  }
  if (!object_sp)
    return llvm::createStringError("the reference refers to nothing");
  // What can't be read is told by the reading.
  std::string text = FormatObject(*object_sp, 0);
  if (object_sp->GetError().Fail())
    return object_sp->GetError().ToError();
  return text;
}
