//===-- ObjectTable.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectTable.h"
#include "GPUObjects.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

//===-- Cells -------------------------------------------------------------===//

/// Addresses are easier to read in hexadecimal.
static bool IsAddress(llvm::StringRef column) {
  return column == "exec" || column == "pc" || column == "entry" ||
         column == "kernarg" || column == "completion" ||
         column == "descriptor" || column.ends_with("address") ||
         column.ends_with("_base");
}

static std::string FormatObject(StructuredData::Object &object,
                                bool is_address) {
  switch (object.GetType()) {
  case eStructuredDataTypeString:
    return object.GetStringValue().str();
  case eStructuredDataTypeInteger:
    return is_address
               ? llvm::formatv("{0:x}", object.GetUnsignedIntegerValue()).str()
               : std::to_string(object.GetUnsignedIntegerValue());
  case eStructuredDataTypeSignedInteger:
    return is_address
               ? llvm::formatv("{0:x}", object.GetUnsignedIntegerValue()).str()
               : std::to_string(object.GetSignedIntegerValue());
  case eStructuredDataTypeBoolean:
    return object.GetBooleanValue() ? "yes" : "no";
  case eStructuredDataTypeFloat:
    return llvm::formatv("{0}", object.GetFloatValue());
  case eStructuredDataTypeArray: {
    std::string text;
    object.GetAsArray()->ForEach([&](StructuredData::Object *item) {
      text += (text.empty() ? "" : ",") + FormatObject(*item, is_address);
      return true;
    });
    return "(" + text + ")";
  }
  case eStructuredDataTypeNull:
    return "-";
  default: {
    StreamString text;
    object.Dump(text, /*pretty_print=*/false);
    return text.GetString().str();
  }
  }
}

std::string lldb_private::wavelane::FormatCell(Dictionary &object,
                                               llvm::StringRef column) {
  if (column == "progress")
    if (std::optional<DispatchProgress> progress = GetProgress(object))
      return progress->Format() + " " + progress->DrawBar();
  StructuredData::ObjectSP value_sp = object.GetValueForKey(column);
  return value_sp ? FormatObject(*value_sp, IsAddress(column)) : "-";
}

//===-- Filters -----------------------------------------------------------===//

llvm::Expected<ObjectFilter> ObjectFilter::Parse(const Args &words) {
  ObjectFilter filter;
  for (const Args::ArgEntry &word : words) {
    auto [column, value] = word.ref().split('=');
    if (word.ref().contains('=')) {
      filter.m_columns.emplace_back(column.trim().str(), value.trim().str());
      continue;
    }
    auto [first_text, last_text] = word.ref().split('-');
    uint64_t first = 0, last = 0;
    const bool is_range = word.ref().contains('-');
    if (first_text.getAsInteger(10, first) ||
        (is_range && last_text.getAsInteger(10, last)) ||
        (is_range && last < first))
      return llvm::createStringError("invalid filter '" + word.ref() +
                                     "': expected ids, ranges such as 2-5, or "
                                     "COLUMN=VALUE filters such as "
                                     "kernel=saxpy");
    filter.m_ids.emplace_back(first, is_range ? last : first);
  }
  return filter;
}

/// Whether a cell matches a filter: blanks and the brackets of a position don't
/// matter, and a function's short name matches all instances of a template.
static bool Matches(std::string shown, std::string wanted) {
  if (ShortenName(shown) == wanted)
    return true;
  llvm::erase(shown, ' ');
  llvm::erase(wanted, ' ');
  return shown == wanted || shown == "(" + wanted + ")" ||
         llvm::StringRef(shown).split('<').first == wanted;
}

bool ObjectFilter::HasID(const Dictionary &object) const {
  const std::optional<uint64_t> id = GetNumber(object, "id");
  return m_ids.empty() || (id && llvm::any_of(m_ids, [&](const auto &range) {
                             return range.first <= *id && *id <= range.second;
                           }));
}

llvm::Expected<StructuredData::ArraySP>
ObjectFilter::Apply(const StructuredData::Array &objects) const {
  auto kept_sp = std::make_shared<StructuredData::Array>();
  std::vector<bool> known(m_columns.size());
  ForEachObject(objects, [&](Dictionary &object) {
    bool keep = HasID(object);
    for (size_t i = 0; i < m_columns.size(); ++i) {
      const auto &[column, wanted] = m_columns[i];
      const bool has = object.HasKey(column);
      known[i] = known[i] || has;
      keep &= has && Matches(FormatCell(object, column), wanted);
    }
    if (keep)
      kept_sp->AddItem(object.shared_from_this());
  });
  for (size_t i = 0; i < m_columns.size(); ++i)
    if (!known[i] && objects.GetSize())
      return llvm::createStringError("there is no column '" +
                                     m_columns[i].first + "'");
  return kept_sp;
}

//===-- Tables ------------------------------------------------------------===//

/// The id comes first, and names before numbers that only locate something.
static size_t GetRank(llvm::StringRef column) {
  static constexpr llvm::StringLiteral g_first[] = {"rank",
                                                    "host",
                                                    "pid",
                                                    "id",
                                                    "thread",
                                                    "label",
                                                    "name",
                                                    "state",
                                                    "stop_reason",
                                                    "reason",
                                                    "where",
                                                    "agent",
                                                    "queue",
                                                    "dispatch",
                                                    "wave",
                                                    "workgroup",
                                                    "type",
                                                    "packet",
                                                    "kernel",
                                                    "progress",
                                                    "grid_size",
                                                    "workgroup_size",
                                                    "wave_in_workgroup",
                                                    "line",
                                                    "waves",
                                                    "at_barrier",
                                                    "not_arrived",
                                                    "at_grid_barrier",
                                                    "architecture",
                                                    "pci_domain",
                                                    "pci_slot",
                                                    "size",
                                                    "read_packet",
                                                    "write_packet",
                                                    "address",
                                                    "pc",
                                                    "entry"};
  return llvm::find(g_first, column) - std::begin(g_first);
}

/// The columns with a value, by rank, then in the objects' order.
static std::vector<std::string>
GetColumns(const StructuredData::Array &objects,
           llvm::ArrayRef<llvm::StringRef> wanted) {
  std::vector<std::string> keys;
  ForEachObject(objects, [&](Dictionary &object) {
    object.ForEach([&](llvm::StringRef key, StructuredData::Object *value) {
      // Don't show a stop reason that no wave has.
      const bool is_empty = value->GetType() == eStructuredDataTypeString &&
                            value->GetStringValue().empty();
      if (!is_empty && !llvm::is_contained(keys, key) &&
          (wanted.empty() || llvm::is_contained(wanted, key)))
        keys.push_back(key.str());
      return true;
    });
  });
  std::map<std::pair<size_t, size_t>, std::string> order;
  for (size_t i = 0; i < keys.size(); ++i)
    order.try_emplace({GetRank(keys[i]), i}, keys[i]);
  std::vector<std::string> columns;
  for (const auto &entry : order)
    columns.push_back(entry.second);
  return columns;
}

/// Shortens the name of a kernel or, in "scale<int> (1,0,0)/2", of a wave.
static std::string ShortenCell(llvm::StringRef column,
                               const std::string &shown) {
  if (column == "kernel")
    return ShortenName(shown);
  const size_t place = column == "name" ? shown.rfind(" (") : std::string::npos;
  return place == std::string::npos
             ? shown
             : ShortenName(shown.substr(0, place)) + shown.substr(place);
}

void lldb_private::wavelane::PrintObjects(
    const StructuredData::Array &objects,
    llvm::ArrayRef<llvm::StringRef> wanted, bool short_names, Stream &text) {
  const std::vector<std::string> columns = GetColumns(objects, wanted);
  std::vector<std::vector<std::string>> rows(1, columns);
  ForEachObject(objects, [&](Dictionary &object) {
    std::vector<std::string> row;
    for (const std::string &column : columns)
      row.push_back(short_names
                        ? ShortenCell(column, FormatCell(object, column))
                        : FormatCell(object, column));
    rows.push_back(std::move(row));
  });
  std::vector<size_t> widths(columns.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text.PutCString(llvm::StringRef(line).rtrim());
    text.EOL();
  }
}
