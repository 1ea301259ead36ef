//===-- SourceText.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceText.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace wavelane::check;
using namespace llvm;

static constexpr StringRef WordCharacters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$";
static bool isWord(char C) { return WordCharacters.contains(C); }

/// What is in front of the brackets that \a Text ends with, "tile" for
/// "tile[i][0]"; empty if they have no begin.
/// \param[out] Count  Of the brackets.
static StringRef beforeBrackets(StringRef Text, unsigned *Count = nullptr) {
  Text = Text.rtrim();
  while (Text.ends_with("]")) {
    if (Count)
      ++*Count;
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

static bool isAssignment(StringRef At) {
  return At.starts_with("=") && !At.starts_with("==");
}

/// Whether an operator that reads and writes an object is there.
static bool isChange(StringRef At) {
  static constexpr StringRef Operators[] = {
      "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
  return any_of(Operators, [&](StringRef O) { return At.starts_with(O); });
}

static bool isOfElement(StringRef Name) { return Name.contains("[]"); }

/// The name and the rest of a text that begins with a name or with members:
/// "a.b" of "a.b + 1". Empty if it begins with something else.
static StringRef firstName(StringRef Text, StringRef &Rest) {
  const auto WordAt = [&](size_t At) {
    return Text.drop_front(At).take_while(isWord).size();
  };
  size_t Length = WordAt(0);
  while (Length && Text.drop_front(Length).starts_with(".") &&
         WordAt(Length + 1))
    Length += 1 + WordAt(Length + 1);
  Rest = Text.drop_front(Length).ltrim();
  return Length && !isDigit(Text.front()) ? Text.take_front(Length)
                                          : StringRef();
}

/// How many brackets \a Text begins with; nullopt if one has no end.
static std::optional<unsigned> countBrackets(StringRef Text, StringRef &Rest) {
  unsigned Count = 0, Depth = 0;
  for (Rest = Text; Depth || Rest.starts_with("[");
       Rest = Depth ? Rest : Rest.ltrim()) {
    if (Rest.empty() || Rest.front() == '"' || Rest.front() == '\'')
      return std::nullopt;
    Count += !Depth;
    Depth += Rest.front() == '[';
    Depth -= Rest.front() == ']';
    Rest = Rest.drop_front();
  }
  return Count;
}

/// The pointer in "data)", "data + 1)", "data - 1)" and "data, 1)".
static PointerAccess sumsPointer(StringRef Text) {
  StringRef Rest;
  const StringRef Name = firstName(Text.ltrim(), Rest);
  const bool IsSum = (Rest.starts_with("+") && !Rest.starts_with("++")) ||
                     (Rest.starts_with("-") && !Rest.starts_with("--") &&
                      !Rest.starts_with("->"));
  if (Name.empty() ||
      !(IsSum || Rest.starts_with(")") || Rest.starts_with(",")))
    return {};
  return {Name.str(), 1};
}

/// \a Of, if what \a Text ends with is an array.
static PointerAccess withArray(PointerAccess Of, StringRef Text) {
  if (Of.Name.empty() || !Of.Array.empty())
    return {};
  Of.Array = Text.drop_front(Text.rtrim(WordCharacters).size()).str();
  return Of;
}

/// The pointer of what \a Text ends with, which is an object: "data[i]",
/// "data[i].x", "data->x", "*data", "*(data + i)".
static PointerAccess pointerOf(StringRef Text) {
  Text = Text.rtrim();
  if (Text.ends_with("++") || Text.ends_with("--")) {
    PointerAccess Moved = pointerOf(Text.drop_back(2));
    Moved.Moves = true;
    return Moved;
  }
  if (Text.ends_with("]")) {
    unsigned Count = 0;
    const StringRef Whole = beforeBrackets(Text, &Count);
    std::string Name = lastName(Whole);
    return Name.empty() || isOfElement(Name)
               ? withArray(pointerOf(Whole), Whole)
               : PointerAccess{std::move(Name), Count};
  }
  if (Text.ends_with(")")) {
    const size_t Begin = Text.rfind("*(");
    return Begin != StringRef::npos && Text.find(')', Begin) + 1 == Text.size()
               ? sumsPointer(Text.drop_front(Begin + 2))
               : PointerAccess();
  }
  if (std::string Name = lastName(Text); !Name.empty() && !isOfElement(Name)) {
    StringRef Star = Text.drop_back(Name.size()).rtrim();
    return Star.consume_back("*") && !Star.rtrim().ends_with("*")
               ? PointerAccess{std::move(Name), 1}
               : PointerAccess();
  }
  StringRef Before = Text.rtrim(WordCharacters);
  if (Before.size() == Text.size())
    return {};
  if (Before.consume_back("->")) {
    std::string Name = lastName(Before);
    return isOfElement(Name) || Before.ends_with("]")
               ? PointerAccess()
               : PointerAccess{std::move(Name), 1, false, true};
  }
  return Before.consume_back(".") ? pointerOf(Before) : PointerAccess();
}

PointerAccess wavelane::check::readPointer(StringRef Line, unsigned Column) {
  if (!Column || Column > Line.size())
    return {};
  const StringRef Before = Line.take_front(Column - 1);
  StringRef At = Line.drop_front(Column - 1), Rest;
  if (isWord(At.front())) {
    if (!Before.empty() && isWord(Before.back()))
      return {};
    const StringRef Name = firstName(At, Rest);
    // In "s->data[i]" and "s[i].data[j]", the pointer itself is read there,
    // too.
    if (Before.ends_with("->") || Before.ends_with(".")) {
      const StringRef Member = Line.take_front(Column - 1 + Name.size());
      if (Rest.starts_with("(") || Name.contains('.'))
        return {};
      return Rest.starts_with("[") ? withArray(pointerOf(Member), Member)
                                   : pointerOf(Member);
    }
    const std::optional<unsigned> Count = countBrackets(Rest, Rest);
    if (Name.empty() || !Count || Before.ends_with("::"))
      return {};
    // "data->x[1]", "data[0].x[1]"
    const bool IsArrow = !*Count && Rest.consume_front("->");
    if (IsArrow || (*Count && Rest.consume_front("."))) {
      const StringRef Member = firstName(Rest.ltrim(), Rest);
      if (Rest.starts_with("[") && !Member.contains('.'))
        return {Name.str(), *Count, false, IsArrow, Member.str()};
    }
    return *Count ? PointerAccess{Name.str(), *Count} : PointerAccess();
  }
  if (At.consume_front("*")) {
    if (At.consume_front("("))
      return sumsPointer(At);
    const StringRef Name = firstName(At, Rest);
    const bool IsAlone = !Rest.starts_with("[") && !Rest.starts_with("(") &&
                         !Rest.starts_with("->") && !Rest.starts_with("::");
    const bool Moves = Rest.starts_with("++") || Rest.starts_with("--");
    return !Name.empty() && IsAlone ? PointerAccess{Name.str(), 1, Moves}
                                    : PointerAccess();
  }
  return isChange(At) ? writtenPointer(Line, Column) : PointerAccess();
}

PointerAccess wavelane::check::writtenPointer(StringRef Line, unsigned Column) {
  if (!Column || Column > Line.size())
    return {};
  StringRef At = Line.drop_front(Column - 1), Rest;
  const StringRef Before = Line.take_front(Column - 1).rtrim();
  const bool IsPrefix = At.starts_with("++") || At.starts_with("--");
  if (PointerAccess Of = pointerOf(Before);
      !Of.Name.empty() && (isAssignment(At) || isChange(At)))
    return Of;
  if (!IsPrefix)
    return {};
  At = At.drop_front(2).ltrim();
  const StringRef Name = firstName(At, Rest);
  const std::optional<unsigned> Count = countBrackets(Rest, Rest);
  return Name.empty() || !Count || !*Count || Rest.starts_with("->") ||
                 Rest.starts_with(".")
             ? PointerAccess()
             : PointerAccess{Name.str(), *Count};
}

PointerAccess wavelane::check::passedPointer(StringRef Line, unsigned Column) {
  if (!Column || Column > Line.size())
    return {};
  StringRef Rest;
  if (firstName(Line.drop_front(Column - 1), Rest).empty() ||
      !Rest.consume_front("("))
    return {};
  Rest = Rest.ltrim();
  if (!Rest.consume_front("&"))
    return sumsPointer(Rest);
  const StringRef Name = firstName(Rest.ltrim(), Rest);
  const std::optional<unsigned> Count = countBrackets(Rest, Rest);
  if (Name.empty() || !Count)
    return {};
  if (*Count)
    return Rest.starts_with("->") ? PointerAccess()
                                  : PointerAccess{Name.str(), *Count};
  return Rest.starts_with("->") ? PointerAccess{Name.str(), 1, false, true}
                                : PointerAccess();
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
  if (isAssignment(At))
    // What is copied from is read at the same place.
    return {std::move(Name), false, true};
  if (isChange(At))
    return {std::move(Name), true, true};
  return {};
}
