//===-- SourceText.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceText.h"

#include "llvm/ADT/StringExtras.h"

using namespace wavelane::check;
using namespace llvm;

static constexpr StringRef WordCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
static bool isWord(char C) { return WordCharacters.contains(C); }

/// The end of the brackets that \a Text ends with, "tile" for "tile[i][0]";
/// empty if they have no begin.
static StringRef beforeBrackets(StringRef Text) {
  Text = Text.rtrim();
  while (Text.ends_with("]")) {
    size_t At = Text.size();
    unsigned Depth = 0;
    while (At) {
      const char C = Text[--At];
      // Where a text or a character begins can't be known from its end.
      if (C == '"' || C == '\'')
        return StringRef();
      Depth += C == ']';
      Depth -= C == '[';
      if (!Depth)
        break;
    }
    if (Depth)
      return StringRef();
    Text = Text.take_front(At).rtrim();
  }
  return Text;
}

/// The name that \a Text ends with, "tile", "parts.tile" or "parts[].tile", if
/// it is a variable's or a member's of one: not by a pointer, not qualified.
static std::string lastName(StringRef Text) {
  std::string Out;
  const auto TakeWord = [&] {
    const size_t Length = Text.size() - Text.rtrim(WordCharacters).size();
    const StringRef Word = Text.take_back(Length);
    Text = Text.drop_back(Length);
    Out = Word.str() + Out;
    return !Word.empty() && !isDigit(Word.front());
  };
  if (!TakeWord())
    return std::string();
  while (Text.consume_back(".")) {
    const bool IsOfElement = Text.ends_with("]");
    if (IsOfElement)
      Text = beforeBrackets(Text);
    Out = (IsOfElement ? "[]." : ".") + Out;
    if (!TakeWord())
      return std::string();
  }
  const StringRef Before = Text.rtrim();
  if (Before.ends_with(".") || Before.ends_with("->") || Before.ends_with("::"))
    return std::string();
  return Out;
}

static bool isOfElement(StringRef Name) { return Name.contains("[]"); }

std::string wavelane::check::readVariable(StringRef Line, unsigned Column) {
  const ArrayAccess Element = accessedArray(Line, Column);
  if (Element.Reads || !Column || Column > Line.size())
    return Element.Name;
  StringRef At = Line.drop_front(Column - 1);
  if (!At.consume_front("*"))
    return std::string();
  const StringRef Name = At.take_while(isWord);
  const StringRef Behind = At.drop_front(Name.size()).ltrim();
  const bool IsAlone = !Behind.starts_with("[") && !Behind.starts_with("(") &&
                       !Behind.starts_with(".") && !Behind.starts_with("->") &&
                       !Behind.starts_with("::");
  return Name.empty() || isDigit(Name.front()) || !IsAlone ? std::string()
                                                           : Name.str();
}

std::string wavelane::check::writtenVariable(StringRef Line, unsigned Column) {
  const ArrayAccess Element = accessedArray(Line, Column);
  if (Element.Writes || !Column || Column > Line.size() ||
      Line[Column - 1] != '=')
    return Element.Writes ? Element.Name : std::string();
  const StringRef Before = Line.take_front(Column - 1).rtrim();
  const std::string Name = lastName(Before);
  const StringRef Star = Before.drop_back(Name.size()).rtrim();
  return !isOfElement(Name) && Star.ends_with("*") &&
                 !Star.drop_back().rtrim().ends_with("*")
             ? Name
             : std::string();
}

ArrayAccess wavelane::check::accessedArray(StringRef Line, unsigned Column) {
  if (!Column || Column > Line.size())
    return {};
  const StringRef Before = Line.take_front(Column - 1);
  StringRef At = Line.drop_front(Column - 1);
  if (isWord(At.front())) {
    // The column is the name's.
    if (!Before.empty() && isWord(Before.back()))
      return {};
    size_t Length = At.take_while(isWord).size();
    // Or that of the structure which the array is a member of.
    while (At.drop_front(Length).starts_with("."))
      Length += 1 + At.drop_front(Length + 1).take_while(isWord).size();
    std::string Name = lastName(Line.take_front(Column - 1 + Length));
    const StringRef Behind = At.drop_front(Length).ltrim();
    if (!Behind.starts_with("[") &&
        (!isOfElement(Name) || Behind.starts_with("(")))
      return {};
    return {std::move(Name), true, false};
  }
  // "++tile[i]"
  const StringRef Target = Before.rtrim();
  std::string Name =
      lastName(Target.ends_with("]") ? beforeBrackets(Target) : Target);
  if (!Target.ends_with("]") && !isOfElement(Name)) {
    if (!At.consume_front("++") && !At.consume_front("--"))
      return {};
    At = At.ltrim();
    if (At.empty() || !isWord(At.front()))
      return {};
    return {accessedArray(Line, unsigned(At.data() - Line.data()) + 1).Name,
            true, true};
  }
  // "tile[i] = ", "tile[i] += ", "tile[i]++"
  static constexpr StringRef Operators[] = {
      "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
  if (At.starts_with("=") && !At.starts_with("=="))
    // What is copied from is read at the same place.
    return {std::move(Name), false, true};
  if (any_of(Operators, [&](StringRef O) { return At.starts_with(O); }))
    return {std::move(Name), true, true};
  return {};
}
