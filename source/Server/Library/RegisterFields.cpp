//===-- RegisterFields.cpp - The bit fields of a register -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegisterFields.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace wavelane::server {

/// Takes a word of the characters in names; empty if there is none.
static StringRef TakeWord(StringRef &text) {
  text = text.ltrim();
  const StringRef word = text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  text = text.drop_front(word.size());
  return word;
}

static bool Take(StringRef &text, StringRef token) {
  text = text.ltrim();
  return text.consume_front(token);
}

static bool TakeNumber(StringRef &text, uint64_t &number) {
  text = text.ltrim();
  return !text.consumeInteger(0, number);
}

/// Parses "{ NAME = 0, ... }".
static bool TakeValues(StringRef &text, RegisterFields::Enum &into) {
  do {
    const StringRef name = TakeWord(text);
    uint64_t value;
    if (name.empty() || !Take(text, "=") || !TakeNumber(text, value))
      return false;
    into.values.emplace_back(name.str(), value);
  } while (Take(text, ","));
  return Take(text, "}");
}

std::optional<RegisterFields> RegisterFields::Parse(StringRef type) {
  RegisterFields result;
  uint64_t bits;
  if (!Take(type, "flags") || !TakeNumber(type, bits) ||
      (bits != 32 && bits != 64) || !Take(type, "_t") ||
      TakeWord(type).empty() || !Take(type, "{"))
    return std::nullopt;
  result.bits = unsigned(bits);
  while (!Take(type, "}")) {
    Field field;
    StringRef word = TakeWord(type);
    if (word == "enum") {
      field.enum_name = TakeWord(type).str();
      Enum values{field.enum_name, {}};
      if (field.enum_name.empty() ||
          (Take(type, "{") && !TakeValues(type, values)))
        return std::nullopt;
      if (!values.values.empty())
        result.enums.push_back(std::move(values));
    } else if (word.empty()) {
      return std::nullopt;
    }
    field.name = TakeWord(type).str();
    uint64_t first, last;
    if (field.name.empty() || !Take(type, "@") || !TakeNumber(type, first))
      return std::nullopt;
    last = first;
    if (Take(type, "-") && !TakeNumber(type, last))
      return std::nullopt;
    if (first > last || last >= bits || !Take(type, ";"))
      return std::nullopt;
    field.first_bit = unsigned(first);
    field.last_bit = unsigned(last);
    result.fields.push_back(std::move(field));
  }
  if (result.fields.empty())
    return std::nullopt;
  return result;
}

std::string RegisterFields::GetXML(StringRef id) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  // Names consist of letters, digits, '_' and '.', so they need no escaping.
  for (const Enum &item : enums) {
    out << "    <enum id=\"" << id << '.' << item.name << "\" size=\""
        << bits / 8 << "\">\n";
    for (const auto &[name, value] : item.values)
      out << "      <evalue name=\"" << name << "\" value=\"" << value
          << "\"/>\n";
    out << "    </enum>\n";
  }
  out << "    <flags id=\"" << id << "\" size=\"" << bits / 8 << "\">\n";
  for (const Field &field : fields) {
    out << "      <field name=\"" << field.name << "\" start=\""
        << field.first_bit << "\" end=\"" << field.last_bit << "\"";
    if (!field.enum_name.empty())
      out << " type=\"" << id << '.' << field.enum_name << "\"";
    out << "/>\n";
  }
  out << "    </flags>\n";
  return text;
}

} // namespace wavelane::server
