//===-- SourceTokens.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceTokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace lldb_private::wavelane;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

static bool IsNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

SourceTokens::SourceTokens(std::string text) : m_text(std::move(text)) {
  Tokenise();
}

void SourceTokens::Tokenise() {
  // Longest first.
  static constexpr llvm::StringLiteral punctuation[] = {
      "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++", "--",
      "<<",  ">>",  "<=",  ">=",  "==",  "!=", "&&", "||", "+=",
      "-=",  "*=",  "/=",  "%=",  "&=",  "|=", "^=", "##"};
  llvm::StringRef rest = m_text;
  const char *line_begin = rest.data();
  unsigned line = 1;
  bool begins_line = true, in_directive = false, in_include = false;
  auto take = [&](size_t size) {
    llvm::StringRef taken = rest.take_front(size);
    line += unsigned(taken.count('\n'));
    if (const size_t last = taken.rfind('\n'); last != llvm::StringRef::npos)
      line_begin = taken.data() + last + 1;
    rest = rest.drop_front(taken.size());
    return taken;
  };
  auto add = [&](Token::Kind kind, size_t size) {
    Token token;
    token.kind = kind;
    token.line = line;
    token.column = unsigned(rest.data() - line_begin) + 1;
    token.text = take(size);
    begins_line = false;
    if (!in_directive)
      m_tokens.push_back(token);
    else if (kind == Token::eName)
      m_in_directives.insert(token.text);
    else if (kind == Token::eText && in_include)
      m_includes.push_back(token.text.trim('"').str());
    in_include = in_directive && token.text == "include";
  };
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '\n') {
      take(1);
      begins_line = true;
      in_directive = false;
    } else if (llvm::isSpace(c)) {
      take(1);
    } else if (c == '\\' &&
               (rest.starts_with("\\\n") || rest.starts_with("\\\r\n"))) {
      take(rest.find('\n') + 1);
    } else if (rest.starts_with("//")) {
      take(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      take(end == llvm::StringRef::npos ? rest.size() : end + 2);
    } else if (c == '#' && begins_line) {
      in_directive = true;
      take(1);
    } else if (rest.starts_with("R\"")) {
      const std::string close =
          (")" +
           rest.drop_front(2).take_until([](char d) { return d == '('; }) +
           "\"")
              .str();
      const size_t end = rest.find(close);
      add(Token::eText,
          end == llvm::StringRef::npos ? rest.size() : end + close.size());
    } else if (c == '"' || c == '\'') {
      size_t end = 1;
      while (end < rest.size() && rest[end] != c && rest[end] != '\n')
        end += rest[end] == '\\' ? 2 : 1;
      add(Token::eText, std::min(end + 1, rest.size()));
    } else if (llvm::isDigit(c) ||
               (c == '.' && rest.size() > 1 && llvm::isDigit(rest[1]))) {
      size_t end = 1;
      while (end < rest.size() &&
             (IsNameCharacter(rest[end]) || rest[end] == '.' ||
              (rest[end] == '\'' && end + 1 < rest.size() &&
               llvm::isAlnum(rest[end + 1])) ||
              ((rest[end] == '+' || rest[end] == '-') &&
               llvm::StringRef("eEpP").contains(rest[end - 1]) &&
               !rest.starts_with_insensitive("0x"))))
        ++end;
      add(Token::eNumber, end);
    } else if (IsNameCharacter(c)) {
      add(Token::eName, rest.take_while(IsNameCharacter).size());
    } else {
      const auto *found = llvm::find_if(
          punctuation, [&](llvm::StringRef p) { return rest.starts_with(p); });
      add(Token::ePunctuation,
          found == std::end(punctuation) ? 1 : found->size());
    }
  }
}

bool SourceTokens::IsOneOf(size_t at,
                           llvm::ArrayRef<llvm::StringLiteral> texts) const {
  return at < m_tokens.size() && llvm::is_contained(texts, m_tokens[at].text);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

size_t SourceTokens::FindLine(unsigned line) const {
  return size_t(
      llvm::partition_point(
          m_tokens, [&](const Token &token) { return token.line < line; }) -
      m_tokens.begin());
}

std::optional<size_t> SourceTokens::FindDeclaration(llvm::StringRef name,
                                                    unsigned line) const {
  std::optional<size_t> found;
  for (size_t at = FindLine(line);
       at < m_tokens.size() && m_tokens[at].line == line; ++at) {
    if (m_tokens[at].text != name)
      continue;
    // A type, or a declaration before it, comes first.
    const bool declares =
        at > 0 && (IsName(at - 1) || IsOneOf(at - 1, {"*", "&", ",", ">"}));
    if (!declares || Is(at + 1, "("))
      continue;
    if (found)
      return std::nullopt;
    found = at;
  }
  return found;
}

std::optional<SourceTokens::Range>
SourceTokens::FindInitialiser(llvm::StringRef name, unsigned line) const {
  std::optional<size_t> declared = FindDeclaration(name, line);
  if (!declared || !Is(*declared + 1, "="))
    return std::nullopt;
  const size_t begin = *declared + 2;
  unsigned depth = 0;
  for (size_t at = begin; at < m_tokens.size(); ++at) {
    if (IsOneOf(at, {"(", "[", "{"}))
      ++depth;
    else if (depth && IsOneOf(at, {")", "]", "}"}))
      --depth;
    else if (!depth && IsOneOf(at, {";", ",", ")", "}"}))
      return Range(begin, at);
  }
  return std::nullopt;
}

bool SourceTokens::PassesValue(size_t open, size_t index,
                               SourceFunctions &functions) const {
  if (open == 0)
    return false;
  size_t before = open - 1;
  // static_cast<float>(n), f<Size>(n)
  if (Is(before, ">")) {
    const size_t last = before;
    while (before > 0 && !Is(before, "<") && last - before < 8)
      --before;
    if (before == 0 || !Is(before, "<"))
      return false;
    --before;
    if (IsOneOf(before, {"static_cast"}))
      return true;
    return IsName(before) && !m_in_directives.contains(m_tokens[before].text) &&
           functions.TakeValue(m_tokens[before].text, index);
  }
  if (!IsName(before))
    return Is(before, "(") || (m_tokens[before].kind == Token::ePunctuation &&
                               !IsOneOf(before, {")", "]", "}"}));
  const llvm::StringRef name = m_tokens[before].text;
  // HIP's functions that take values.
  if (name.starts_with("__shfl") || name.starts_with("atomic") ||
      IsOneOf(before, {"if", "while", "switch", "for", "return", "sizeof",
                       "min", "max", "abs", "int", "float", "double", "size_t",
                       "unsigned", "sqrtf", "dim3", "uint32_t"}))
    return true;
  return !m_in_directives.contains(name) &&
         (functions.TakeValue(name, index) || IsLambdaOfValue(name, index));
}

static constexpr llvm::StringLiteral kNumbers[] = {
    "bool",   "char",   "short",    "int",     "unsigned", "long",   "float",
    "double", "size_t", "uint32_t", "int32_t", "uint64_t", "int64_t"};

bool SourceTokens::IsLambdaOfValue(llvm::StringRef name, size_t index) const {
  bool found = false;
  // `auto name = [...](int v) {`
  for (size_t at = 1; at + 2 < m_tokens.size(); ++at) {
    if (!IsName(at) || m_tokens[at].text != name || !Is(at + 1, "=") ||
        !Is(at + 2, "["))
      continue;
    size_t token = SkipBrackets(at + 2);
    if (!IsOneOf(at - 1, {"auto"}) || !Is(token, "("))
      return false;
    const size_t end = SkipBrackets(token);
    for (size_t parameter = 0; parameter < index && token < end; ++token)
      parameter += Is(token + 1, ",");
    if (!IsOneOf(token + 1, kNumbers))
      return false;
    for (++token; token + 1 < end && !Is(token, ","); ++token)
      if (IsOneOf(token, {"&", "&&", "..."}))
        return false;
    found = true;
  }
  return found;
}

bool SourceTokens::IsArrayOfNumbers(size_t open) const {
  // `int name[3] = {`
  if (open < 5 || !Is(open - 1, "=") || !Is(open - 2, "]"))
    return false;
  size_t at = open - 2;
  while (at > 2 && Is(at, "]")) {
    while (at > 2 && !Is(at, "["))
      --at;
    --at;
  }
  return IsName(at) && IsOneOf(at - 1, kNumbers);
}

bool SourceTokens::IsChangedAt(size_t at, bool is_pointer,
                               SourceFunctions &functions) const {
  const size_t before = at - 1; // a declaration comes before
  if (IsOneOf(before, {".", "->", "::"}))
    return false; // something else
  // What a pointer points to.
  if (is_pointer && IsOneOf(at + 1, {"[", "->"}))
    return false;
  if (is_pointer && Is(before, "*") && !IsOneOf(at + 1, {"++", "--"}) &&
      (IsOneOf(before - 1, {"return"}) ||
       (!IsName(before - 1) && !Is(before - 1, ">"))))
    return false;
  // A structure's member.
  const size_t name = at;
  while (Is(at + 1, ".") && IsName(at + 2))
    at += 2;
  if (IsOneOf(at + 1, {".", "["}) || (at > name && Is(at + 1, "(")))
    return true;
  if (IsOneOf(at + 1, {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=",
                       "|=", "^=", "++", "--"}) ||
      IsOneOf(before, {"++", "--", "&"}))
    return true;
  // Another variable of that name.
  if (IsName(before) &&
      !IsOneOf(before, {"return", "else", "case", "sizeof", "do"}))
    return true;
  // A whole argument may be passed by reference.
  if (!IsOneOf(before, {"(", ",", "{"}) || !IsOneOf(at + 1, {")", ",", "}"}))
    return false;
  unsigned depth = 0;
  size_t index = 0;
  for (size_t open = name; open-- > 0;) {
    if (IsOneOf(open, {")", "]", "}"}))
      ++depth;
    else if (depth && IsOneOf(open, {"(", "[", "{"}))
      --depth;
    else if (!depth && Is(open, "{"))
      return !IsArrayOfNumbers(open);
    else if (!depth && IsOneOf(open, {"(", "[", ";"}))
      return !Is(open, "(") || !PassesValue(open, index, functions);
    else if (!depth && Is(open, ","))
      ++index;
  }
  return true;
}

bool SourceTokens::MayChange(llvm::StringRef name, unsigned line,
                             bool is_pointer,
                             SourceFunctions &functions) const {
  std::optional<size_t> declared = FindDeclaration(name, line);
  // A macro may change it, and so may what refers to it.
  if (!declared || m_in_directives.contains(name) ||
      IsOneOf(*declared - 1, {"&", "&&"}))
    return true;
  // Until the end of the block that contains it; for a parameter, that is the
  // first one behind the parenthesis that closes the list.
  int depth = 0, parentheses = 0;
  bool is_parameter = false;
  for (size_t at = *declared + 1; at < m_tokens.size(); ++at) {
    depth += Is(at, "{");
    parentheses += Is(at, "(");
    if (Is(at, ")"))
      is_parameter |= --parentheses < 0;
    if (Is(at, "}") && --depth <= (is_parameter ? 0 : -1) &&
        !IsOneOf(at + 1, {"else"}))
      return false;
    if (m_tokens[at].text == name && m_tokens[at].kind == Token::eName) {
      if (IsChangedAt(at, is_pointer, functions))
        return true;
      // `auto &alias = name;`
      if (Is(at - 1, "=") && at >= 3 && IsOneOf(at - 3, {"&", "&&"}))
        return true;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::optional<SourceTokens::Range>
SourceTokens::FindArgument(unsigned line, unsigned column,
                           llvm::StringRef function, size_t index,
                           size_t count) const {
  size_t at = FindLine(line);
  while (at < m_tokens.size() && m_tokens[at].line == line &&
         m_tokens[at].column < column)
    ++at;
  if (!IsName(at) || m_tokens[at].line != line || m_tokens[at].column != column)
    return std::nullopt;
  while (Is(at + 1, "::") && IsName(at + 2))
    at += 2;
  if (m_tokens[at].text != function || m_in_directives.contains(function))
    return std::nullopt;
  ++at;
  if (Is(at, "<")) {
    // Only plain template arguments: a comparison doesn't end in `>(`.
    for (++at; IsName(at) || IsOneOf(at, {",", "::", "*"}) ||
               (at < m_tokens.size() && m_tokens[at].kind == Token::eNumber);
         ++at)
      ;
    if (!Is(at++, ">"))
      return std::nullopt;
  }
  if (!Is(at, "("))
    return std::nullopt;
  std::vector<Range> arguments;
  size_t begin = ++at;
  bool may_be_template = false;
  for (unsigned depth = 0;; ++at) {
    if (at >= m_tokens.size() || IsOneOf(at, {";"}))
      return std::nullopt;
    // `f(g<a, b>(c))` has one argument.
    if (IsOneOf(at, {">", ">>"}) && may_be_template)
      return std::nullopt;
    if (IsOneOf(at, {"(", "[", "{"})) {
      ++depth;
    } else if (depth && IsOneOf(at, {")", "]", "}"})) {
      --depth;
    } else if (!depth && IsOneOf(at, {")", ","})) {
      if (at > begin)
        arguments.emplace_back(begin, at);
      if (Is(at, ")"))
        break;
      for (size_t in = begin; in < at; ++in)
        may_be_template |= Is(in, "<");
      begin = at + 1;
    }
  }
  if (index >= arguments.size() || arguments.size() > count)
    return std::nullopt;
  return arguments[index];
}

bool SourceTokens::MayCallItself(llvm::StringRef function) const {
  std::vector<llvm::StringRef> names{function};
  llvm::StringSet<> seen;
  while (!names.empty()) {
    const llvm::StringRef name = names.back();
    names.pop_back();
    for (size_t at = 0; at + 1 < m_tokens.size(); ++at) {
      if (m_tokens[at].text != name || !IsName(at) || !Is(at + 1, "("))
        continue;
      // A definition has a body behind its parameters.
      int depth = 0;
      do {
        ++at;
        depth += Is(at, "(") - Is(at, ")");
      } while (depth > 0 && at < m_tokens.size());
      for (++at; IsName(at); ++at)
        ;
      if (!Is(at, "{"))
        continue;
      do {
        depth += Is(at, "{") - Is(at, "}");
        if (IsName(at) && (Is(at + 1, "(") || Is(at + 1, "<"))) {
          if (m_tokens[at].text == function)
            return true;
          if (seen.insert(m_tokens[at].text).second)
            names.push_back(m_tokens[at].text);
        }
        ++at;
      } while (depth > 0 && at < m_tokens.size());
    }
  }
  return false;
}

std::optional<llvm::StringRef> SourceTokens::GetName(Range initialiser) const {
  if (initialiser.second - initialiser.first != 1 || !IsName(initialiser.first))
    return std::nullopt;
  return m_tokens[initialiser.first].text;
}

std::optional<llvm::APFloat> SourceTokens::GetFloat(Range initialiser) const {
  auto [at, end] = initialiser;
  const bool is_negative = at < end && Is(at, "-");
  at += is_negative;
  if (end - at != 1 || m_tokens[at].kind != Token::eNumber)
    return std::nullopt;
  llvm::StringRef text = m_tokens[at].text;
  if (text.starts_with_insensitive("0x") || text.contains('\'') ||
      text.find_first_of(".eE") == llvm::StringRef::npos)
    return std::nullopt;
  const bool is_float = text.consume_back("f") || text.consume_back("F");
  llvm::APFloat number(is_float ? llvm::APFloat::IEEEsingle()
                                : llvm::APFloat::IEEEdouble());
  auto status =
      number.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return std::nullopt;
  }
  if (is_negative)
    number.changeSign();
  return number;
}

std::optional<std::pair<llvm::StringRef, SourceTokens::Range>>
SourceTokens::GetElement(Range initialiser) const {
  auto [at, end] = initialiser;
  const bool is_address = at < end && Is(at, "&");
  at += is_address;
  if (at >= end || !IsName(at))
    return std::nullopt;
  const llvm::StringRef name = m_tokens[at++].text;
  if (!is_address && at == end)
    return std::pair(name, Range(end, end));
  if (!is_address)
    return Is(at, "+") && at + 1 < end
               ? std::optional(std::pair(name, Range(at + 1, end)))
               : std::nullopt;
  if (end - at < 3 || !Is(at, "[") || !Is(end - 1, "]"))
    return std::nullopt;
  return std::pair(name, Range(at + 1, end - 1));
}

std::string SourceTokens::GetText(Range initialiser) const {
  std::string text;
  for (size_t at = initialiser.first; at < initialiser.second; ++at) {
    const bool has_gap =
        at > initialiser.first &&
        m_tokens[at].text.begin() != m_tokens[at - 1].text.end();
    text += (has_gap ? " " : "") + m_tokens[at].text.str();
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Dynamic local memory
//===----------------------------------------------------------------------===//

size_t SourceTokens::SkipBrackets(size_t open) const {
  unsigned depth = 0;
  size_t at = open;
  do {
    if (IsOneOf(at, {"(", "[", "{"}))
      ++depth;
    else if (IsOneOf(at, {")", "]", "}"}))
      --depth;
    ++at;
  } while (depth > 0 && at < m_tokens.size());
  return at;
}

SourceTokens::Range SourceTokens::FindBody(llvm::StringRef function,
                                           unsigned line) const {
  size_t at = FindLine(line);
  for (size_t name = at; name < m_tokens.size() && m_tokens[name].line == line;
       ++name)
    if (m_tokens[name].text == function) {
      at = name;
      break;
    }
  while (at < m_tokens.size() && !IsOneOf(at, {"{", ";", "}"}))
    at = Is(at, "(") ? SkipBrackets(at) : at + 1;
  if (!Is(at, "{"))
    return {0, 0};
  const size_t end = SkipBrackets(at);
  return {at + 1, std::max(end - 1, at + 1)};
}

std::optional<SourceTokens::DynamicArray>
SourceTokens::ParseDynamicArray(size_t at) const {
  DynamicArray array;
  if (IsOneOf(at, {"HIP_DYNAMIC_SHARED", "HIP_DYNAMIC_SHARED_ATTRIBUTE"})) {
    if (!Is(at + 1, "("))
      return std::nullopt;
    for (at += 2; at < m_tokens.size() && !Is(at, ","); ++at)
      array.type.push_back(m_tokens[at].text.str());
    if (!IsName(at + 1) || array.type.empty())
      return std::nullopt;
    array.name = m_tokens[at + 1].text.str();
    array.line = m_tokens[at + 1].line;
    return array;
  }
  while (at > 0 && !IsOneOf(at - 1, {";", "{", "}"}) &&
         m_tokens[at - 1].kind != Token::eText)
    --at;
  bool is_extern = false;
  for (; at < m_tokens.size() && !IsOneOf(at, {"[", ";", "="}); ++at) {
    if (IsOneOf(at, {"__align__", "alignas", "__attribute__"}) &&
        Is(at + 1, "(")) {
      at = SkipBrackets(at + 1) - 1;
      continue;
    }
    if (IsOneOf(at, {"extern"}))
      is_extern = true;
    else if (!IsOneOf(at, {"__shared__", "const", "volatile", "struct", "class",
                           "union", "enum", "typename", "static"}))
      array.type.push_back(m_tokens[at].text.str());
  }
  if (!is_extern || !Is(at, "[") || !Is(at + 1, "]") || !IsName(at - 1) ||
      array.type.size() < 2)
    return std::nullopt;
  array.name = std::move(array.type.back());
  array.type.pop_back();
  array.line = m_tokens[at - 1].line;
  for (at += 2; Is(at, "["); at = SkipBrackets(at)) {
    std::optional<SourceInteger> count =
        Evaluate({at + 1, SkipBrackets(at) - 1},
                 [](llvm::StringRef) { return std::nullopt; });
    if (!count || !count->bits)
      return std::nullopt;
    array.counts.push_back(count->bits);
  }
  return array;
}

std::vector<SourceTokens::DynamicArray>
SourceTokens::FindDynamicArrays(llvm::StringRef function, unsigned line) const {
  std::vector<DynamicArray> arrays;
  auto [at, end] = line ? FindBody(function, line) : Range(0, m_tokens.size());
  for (; at < end; ++at) {
    if (IsName(at) && IsOneOf(at, {"__shared__", "HIP_DYNAMIC_SHARED",
                                   "HIP_DYNAMIC_SHARED_ATTRIBUTE"}))
      if (std::optional<DynamicArray> array = ParseDynamicArray(at))
        arrays.push_back(std::move(*array));
    // A namespace, or `extern "C"`, has no memory of its own.
    const bool is_namespace =
        at > 0 &&
        (IsOneOf(at - 1, {"namespace"}) ||
         m_tokens[at - 1].kind == Token::eText ||
         (at > 1 && IsName(at - 1) && IsOneOf(at - 2, {"namespace", "::"})));
    if (!line && Is(at, "{") && !is_namespace)
      at = SkipBrackets(at) - 1;
  }
  return arrays;
}

bool SourceTokens::IsShared(llvm::StringRef name, unsigned line) const {
  std::optional<size_t> declared = FindDeclaration(name, line);
  for (size_t at = declared.value_or(0);
       at > 0 && !IsOneOf(at - 1, {";", "{", "}"}); --at)
    if (IsOneOf(at - 1, {"__shared__"}))
      return true;
  return false;
}

bool SourceTokens::Uses(llvm::StringRef function, unsigned line,
                        llvm::StringRef name) const {
  auto [begin, end] = FindBody(function, line);
  for (size_t at = begin; at < end; ++at)
    if (IsName(at) && m_tokens[at].text == name &&
        !IsOneOf(at - 1, {".", "->"}))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

SourceInteger SourceInteger::Make(uint64_t bits, unsigned size,
                                  bool is_signed) {
  SourceInteger value{bits, std::max(size, 4u), is_signed || size < 4};
  if (size < 8) {
    const unsigned unused = 64 - 8 * size;
    value.bits = is_signed ? uint64_t(int64_t(bits << unused) >> unused)
                           : bits << unused >> unused;
  }
  return value;
}

namespace {
using Maybe = std::optional<SourceInteger>;
} // namespace

static SourceInteger MakeInt(bool value) {
  return SourceInteger::Make(value, 4, true);
}

/// The usual arithmetic conversions.
static void Convert(SourceInteger &a, SourceInteger &b) {
  const unsigned size = std::max(a.size, b.size);
  const bool is_unsigned =
      (a.size == size && !a.is_signed) || (b.size == size && !b.is_signed);
  a = SourceInteger::Make(a.bits, size, !is_unsigned);
  b = SourceInteger::Make(b.bits, size, !is_unsigned);
}

static Maybe Divide(const SourceInteger &a, const SourceInteger &b,
                    bool remainder) {
  if (b.bits == 0)
    return std::nullopt;
  uint64_t result = 0;
  if (!a.is_signed) {
    result = remainder ? a.bits % b.bits : a.bits / b.bits;
  } else {
    const int64_t x = int64_t(a.bits), y = int64_t(b.bits);
    if (y == -1)
      result = remainder ? 0 : 0 - a.bits;
    else
      result = uint64_t(remainder ? x % y : x / y);
  }
  return SourceInteger::Make(result, a.size, a.is_signed);
}

static Maybe Shift(const SourceInteger &a, const SourceInteger &b, bool left) {
  if (b.bits >= 8 * a.size)
    return std::nullopt;
  const uint64_t result = left          ? a.bits << b.bits
                          : a.is_signed ? uint64_t(int64_t(a.bits) >> b.bits)
                                        : a.bits >> b.bits;
  return SourceInteger::Make(result, a.size, a.is_signed);
}

static Maybe Apply(llvm::StringRef op, SourceInteger a, SourceInteger b) {
  if (op == "<<" || op == ">>")
    return Shift(a, b, op == "<<");
  if (op == "&&" || op == "||")
    return MakeInt(op == "&&" ? a.bits && b.bits : a.bits || b.bits);
  Convert(a, b);
  auto make = [&](uint64_t bits) {
    return SourceInteger::Make(bits, a.size, a.is_signed);
  };
  const bool is_less =
      a.is_signed ? int64_t(a.bits) < int64_t(b.bits) : a.bits < b.bits;
  if (op == "/" || op == "%")
    return Divide(a, b, op == "%");
  if (op == "*")
    return make(a.bits * b.bits);
  if (op == "+")
    return make(a.bits + b.bits);
  if (op == "-")
    return make(a.bits - b.bits);
  if (op == "&")
    return make(a.bits & b.bits);
  if (op == "|")
    return make(a.bits | b.bits);
  if (op == "^")
    return make(a.bits ^ b.bits);
  if (op == "<")
    return MakeInt(is_less);
  if (op == ">=")
    return MakeInt(!is_less);
  if (op == ">")
    return MakeInt(!is_less && a.bits != b.bits);
  if (op == "<=")
    return MakeInt(is_less || a.bits == b.bits);
  if (op == "==")
    return MakeInt(a.bits == b.bits);
  return MakeInt(a.bits != b.bits); // !=
}

/// A recursive descent that computes as it goes.
class SourceTokens::Parser {
public:
  Parser(const SourceTokens &tokens, Range range, Lookup lookup)
      : m_tokens(tokens), m_at(range.first), m_end(range.second),
        m_lookup(lookup) {}

  Maybe Parse() {
    Maybe value = ParseBinary(0);
    return m_at == m_end ? value : std::nullopt;
  }

private:
  bool Is(llvm::StringRef text) const {
    return m_at < m_end && m_tokens.Is(m_at, text);
  }
  bool Take(llvm::StringRef text) {
    const bool is_it = Is(text);
    m_at += is_it;
    return is_it;
  }
  bool TakeName(llvm::StringRef name) {
    const bool is_it = m_at < m_end && m_tokens.IsName(m_at) &&
                       m_tokens.m_tokens[m_at].text == name;
    m_at += is_it;
    return is_it;
  }

  /// The precedence of the operator here; 0 if there is none.
  unsigned GetPrecedence() const {
    static constexpr std::pair<llvm::StringLiteral, unsigned> operators[] = {
        {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
        {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
        {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
    for (const auto &[text, precedence] : operators)
      if (Is(text))
        return precedence;
    return 0;
  }

  Maybe ParseBinary(unsigned above) {
    Maybe left = ParseUnary();
    while (left) {
      const unsigned precedence = GetPrecedence();
      if (precedence <= above)
        break;
      const llvm::StringRef op = m_tokens.m_tokens[m_at++].text;
      Maybe right = ParseBinary(precedence);
      left = right ? Apply(op, *left, *right) : std::nullopt;
    }
    return left;
  }

  Maybe ParseUnary() {
    if (++m_depth > 100)
      return std::nullopt;
    if (Take("+"))
      return ParseUnary();
    if (Take("-")) {
      Maybe value = ParseUnary();
      return value ? Maybe(SourceInteger::Make(0 - value->bits, value->size,
                                               value->is_signed))
                   : value;
    }
    if (Take("~")) {
      Maybe value = ParseUnary();
      return value ? Maybe(SourceInteger::Make(~value->bits, value->size,
                                               value->is_signed))
                   : value;
    }
    if (Take("!")) {
      Maybe value = ParseUnary();
      return value ? Maybe(MakeInt(!value->bits)) : value;
    }
    return ParsePrimary();
  }

  /// An integer type's name.
  Maybe ParseType() {
    const size_t begin = m_at;
    TakeName("const");
    if (TakeName("unsigned")) {
      const bool is_long = TakeName("long");
      TakeName("int");
      return SourceInteger::Make(0, is_long ? 8 : 4, false);
    }
    if (TakeName("int") || TakeName("int32_t"))
      return SourceInteger::Make(0, 4, true);
    if (TakeName("uint") || TakeName("uint32_t"))
      return SourceInteger::Make(0, 4, false);
    if (TakeName("size_t") || TakeName("uint64_t"))
      return SourceInteger::Make(0, 8, false);
    if (TakeName("int64_t") || TakeName("long")) {
      TakeName("long");
      TakeName("int");
      return SourceInteger::Make(0, 8, true);
    }
    m_at = begin;
    return std::nullopt;
  }

  static Maybe Cast(const Maybe &type, const Maybe &value) {
    return type && value ? Maybe(SourceInteger::Make(value->bits, type->size,
                                                     type->is_signed))
                         : std::nullopt;
  }

  Maybe ParsePrimary() {
    if (Take("(")) {
      if (Maybe type = ParseType())
        return Take(")") ? Cast(type, ParseUnary()) : std::nullopt;
      Maybe value = ParseBinary(0);
      return Take(")") ? value : std::nullopt;
    }
    if (TakeName("static_cast")) {
      if (!Take("<"))
        return std::nullopt;
      Maybe type = ParseType();
      if (!type || !Take(">") || !Take("("))
        return std::nullopt;
      Maybe value = ParseBinary(0);
      return Take(")") ? Cast(type, value) : std::nullopt;
    }
    if (m_at >= m_end)
      return std::nullopt;
    if (m_tokens.m_tokens[m_at].kind == Token::eNumber)
      return ParseNumber(m_tokens.m_tokens[m_at++].text);
    if (!m_tokens.IsName(m_at))
      return std::nullopt;
    std::string name = m_tokens.m_tokens[m_at++].text.str();
    if (Take(".")) {
      if (!m_tokens.IsName(m_at) || m_at >= m_end)
        return std::nullopt;
      name += "." + m_tokens.m_tokens[m_at++].text.str();
    }
    // Calls, elements and members have no value here.
    if (m_tokens.IsOneOf(m_at, {"(", "[", ".", "->", "::", "{"}) &&
        m_at < m_end)
      return std::nullopt;
    return m_lookup(name);
  }

  static Maybe ParseNumber(llvm::StringRef text) {
    std::string digits = text.lower();
    llvm::erase(digits, '\'');
    llvm::StringRef number = digits;
    const bool is_hex = number.starts_with("0x");
    bool is_unsigned = false, is_long = false;
    while (number.ends_with("u") || number.ends_with("l")) {
      (number.back() == 'u' ? is_unsigned : is_long) = true;
      number = number.drop_back();
    }
    uint64_t bits = 0;
    if (number.getAsInteger(0, bits))
      return std::nullopt;
    const bool is_decimal = !is_hex && !(number.size() > 1 && number[0] == '0');
    unsigned size = is_long ? 8 : 4;
    // The first type that it fits in.
    if (size == 4 && (bits >> 32 || (is_decimal && !is_unsigned && bits >> 31)))
      size = 8;
    if (!is_decimal && !is_unsigned && bits >> (8 * size - 1))
      is_unsigned = true;
    return SourceInteger::Make(bits, size, !is_unsigned);
  }

  const SourceTokens &m_tokens;
  size_t m_at, m_end;
  Lookup m_lookup;
  unsigned m_depth = 0;
};

std::optional<SourceInteger> SourceTokens::Evaluate(Range initialiser,
                                                    Lookup lookup) const {
  return Parser(*this, initialiser, lookup).Parse();
}
