//===-- ValueText.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ValueText.h"
#include "lldb/Target/Target.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static CompilerType GetElement(const CompilerType &type) {
  CompilerType element;
  return type.IsArrayType(&element) ? element : CompilerType();
}

static std::string FormatObject(ValueObject &raw);

static uint32_t GetMostChildren(ValueObject &value) {
  TargetSP target_sp = value.GetTargetSP();
  return target_sp ? target_sp->GetMaximumNumberOfChildrenToDisplay() : 256;
}

/// The children's texts; "..." replaces those beyond the limit.
static std::vector<std::string> FormatChildren(ValueObject &value,
                                               bool has_names) {
  const uint32_t most = GetMostChildren(value);
  const uint32_t count = value.GetNumChildrenIgnoringErrors(most + 1);
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < count && i < most; ++i)
    if (ValueObjectSP child_sp = value.GetChildAtIndex(i)) {
      const std::string name = has_names && child_sp->GetName()
                                   ? child_sp->GetName().GetString() + " = "
                                   : "";
      texts.push_back(name + FormatObject(*child_sp));
    }
  if (count > most)
    texts.push_back("...");
  return texts;
}

std::vector<std::string>
lldb_private::wavelane::FormatRows(ValueObject &value) {
  const CompilerType row_type = GetElement(value.GetCompilerType());
  if (!row_type || !GetElement(row_type))
    return {};
  const uint32_t most = GetMostChildren(value);
  const uint32_t count = value.GetNumChildrenIgnoringErrors(most + 1);
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
  for (uint32_t i = 0; i < count && i < most; ++i) {
    ValueObjectSP row_sp = value.GetChildAtIndex(i);
    if (!row_sp)
      continue;
    // Show a row of characters as a string.
    rows.push_back(row_sp->GetSummaryAsCString()
                       ? std::vector<std::string>{FormatObject(*row_sp)}
                       : FormatChildren(*row_sp, /*has_names=*/false));
    for (size_t n = 0; n < rows.back().size(); ++n) {
      widths.resize(std::max(widths.size(), n + 1));
      // An error says the same in each row, and isn't a number to align.
      if (!llvm::StringRef(rows.back()[n]).starts_with("<"))
        widths[n] = std::max(widths[n], rows.back()[n].size());
    }
  }
  std::vector<std::string> lines;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t n = 0; n < row.size(); ++n)
      line += (n ? ", " : "") +
              std::string(widths[n] - std::min(widths[n], row[n].size()), ' ') +
              row[n];
    lines.push_back("{" + line + "}");
  }
  if (count > most)
    lines.push_back("...");
  return lines;
}

static std::string FormatObject(ValueObject &raw) {
  raw.UpdateValueIfNeeded(/*update_format=*/false);
  // The raw value lacks the children that a formatter of its type provides.
  ValueObjectSP synthetic_sp = raw.GetSyntheticValue();
  ValueObject &value = synthetic_sp ? *synthetic_sp : raw;
  if (value.GetError().Fail())
    return std::string("<") + value.GetError().AsCString() + ">";
  if (std::vector<std::string> rows = FormatRows(value); !rows.empty())
    return "{" + llvm::join(rows, ",\n ") + "}";
  const char *found = value.GetSummaryAsCString();
  const bool has_summary = found;
  // A copy: LLDB forgets the summary when it is asked for the value.
  const std::string summary = found ? found : "";
  const char *shown = value.GetValueAsCString();
  if (shown && *shown)
    return std::string(shown) + (summary.empty() ? "" : " " + summary);
  if (has_summary)
    return summary;
  const bool is_array = bool(GetElement(value.GetCompilerType()));
  const std::string text = llvm::join(
      FormatChildren(value,
                     !is_array && !value.GetCompilerType().IsVectorType()),
      ", ");
  return is_array ? "{" + text + "}" : "(" + text + ")";
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
  // Read errors are only known after formatting.
  std::string text = FormatObject(*object_sp);
  if (object_sp->GetError().Fail())
    return object_sp->GetError().ToError();
  return text;
}
