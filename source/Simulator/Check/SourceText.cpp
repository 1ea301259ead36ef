//===-- SourceText.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceText.h"

#include "llvm/ADT/StringExtras.h"

using namespace wavelane::check;
using namespace llvm;

static bool isWord(char C) { return isAlnum(C) || C == '_' || C == '$'; }

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

/// The name that \a Text ends with, "tile" or "parts.tile", if it is a
/// variable's or its member's: not by a pointer, not qualified.
static StringRef lastName(StringRef Text) {
  size_t Begin = Text.size();
  const auto SkipWord = [&] {
    const size_t End = Begin;
    while (Begin && isWord(Text[Begin - 1]))
      --Begin;
    return Begin != End && !isDigit(Text[Begin]);
  };
  if (!SkipWord())
    return StringRef();
  while (Begin && Text[Begin - 1] == '.') {
    --Begin;
    if (!SkipWord())
      return StringRef();
  }
  const StringRef Before = Text.take_front(Begin).rtrim();
  if (Before.ends_with(".") || Before.ends_with("->") || Before.ends_with("::"))
    return StringRef();
  return Text.drop_front(Begin);
}

StringRef wavelane::check::readVariable(StringRef Line, unsigned Column) {
  const ArrayAccess Element = accessedArray(Line, Column);
  if (Element.Reads || !Column || Column > Line.size())
    return Element.Name;
  StringRef At = Line.drop_front(Column - 1);
  if (!At.consume_front("*"))
    return StringRef();
  const StringRef Name = At.take_while(isWord);
  const StringRef Behind = At.drop_front(Name.size()).ltrim();
  const bool IsAlone = !Behind.starts_with("[") && !Behind.starts_with("(") &&
                       !Behind.starts_with(".") && !Behind.starts_with("->") &&
                       !Behind.starts_with("::");
  return Name.empty() || isDigit(Name.front()) || !IsAlone ? StringRef() : Name;
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
    if (!At.drop_front(Length).ltrim().starts_with("["))
      return {};
    return {lastName(Line.take_front(Column - 1 + Length)), true, false};
  }
  // "++tile[i]"
  if (!Before.rtrim().ends_with("]")) {
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
    return {lastName(beforeBrackets(Before)), false, true};
  if (any_of(Operators, [&](StringRef O) { return At.starts_with(O); }))
    return {lastName(beforeBrackets(Before)), true, true};
  return {};
}
