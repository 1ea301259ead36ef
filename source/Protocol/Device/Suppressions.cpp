//===-- Suppressions.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Device/Suppressions.h"

#include "wavelane/CommandLine/Words.h"

#include "llvm/ADT/SmallVector.h"

using namespace wavelane::check;
using namespace llvm;

/// Whether \a Text is \a Pattern, in which * is any text.
static bool matchesPattern(StringRef Pattern, StringRef Text) {
  size_t P = 0, T = 0, Star = StringRef::npos, Resume = 0;
  while (T < Text.size()) {
    if (P < Pattern.size() && Pattern[P] == '*') {
      Star = P++;
      Resume = T;
    } else if (P < Pattern.size() && Pattern[P] == Text[T]) {
      ++P;
      ++T;
    } else if (Star != StringRef::npos) {
      P = Star + 1;
      T = ++Resume;
    } else {
      return false;
    }
  }
  while (P < Pattern.size() && Pattern[P] == '*')
    ++P;
  return P == Pattern.size();
}

static bool matchesFile(StringRef Pattern, StringRef File) {
  return matchesPattern(Pattern, File) ||
         matchesPattern(("*/" + Pattern).str(), File);
}

/// A bit for each kind that \a Word names; 0 if it names none.
static unsigned parseKinds(StringRef Word) {
  unsigned Out = 0;
  for (Kind K : AllKinds)
    if (Word == "*" || Word == name(K) || Word == name(checkOf(K)))
      Out |= 1u << unsigned(K);
  return Out;
}

static std::vector<StringRef> kindWords() {
  std::vector<StringRef> Out;
  for (Kind K : AllKinds)
    Out.push_back(name(K));
  for (CheckId Id : AllChecks)
    Out.push_back(name(Id));
  return Out;
}

/// Takes the next word of \a Rest: KIND, or NAME=VALUE with an optional value
/// in quotes.
static Error takeWord(StringRef &Rest, StringRef &Name, std::string &Value) {
  const size_t End = Rest.find_first_of("= \t");
  Name = Rest.substr(0, End);
  Rest = Rest.substr(Name.size());
  Value.clear();
  if (!Rest.consume_front("=")) {
    Rest = Rest.ltrim();
    return Error::success();
  }
  if (!Rest.consume_front("\"")) {
    const StringRef Plain = Rest.substr(0, Rest.find_first_of(" \t"));
    Value = Plain.str();
    Rest = Rest.substr(Plain.size()).ltrim();
    return Error::success();
  }
  while (!Rest.empty() && Rest[0] != '"') {
    if (Rest[0] == '\\' && Rest.size() > 1)
      Rest = Rest.drop_front();
    Value += Rest[0];
    Rest = Rest.drop_front();
  }
  if (!Rest.consume_front("\""))
    return createStringError("the value of '" + Name + "' has no end quote");
  Rest = Rest.ltrim();
  return Error::success();
}

Error Suppressions::parseLine(StringRef Line, Rule &Out) {
  StringRef Rest = Line, Name;
  std::string Value;
  if (Error E = takeWord(Rest, Name, Value))
    return E;
  Out.Kinds = parseKinds(Name);
  if (!Out.Kinds || !Value.empty())
    return createStringError("unknown kind of finding '" + Name + "'" +
                             words::didYouMean(Name, kindWords()));
  while (!Rest.empty()) {
    if (Error E = takeWord(Rest, Name, Value))
      return E;
    if (Value.empty())
      return createStringError("'" + Name + "' needs a value, as " + Name +
                               "=...");
    if (Name == "kernel") {
      Out.Kernel = Value;
    } else if (Name == "function") {
      Out.Function = Value;
    } else if (Name == "file") {
      Out.File = Value;
    } else if (Name == "line") {
      uint32_t Number;
      if (StringRef(Value).getAsInteger(10, Number))
        return createStringError("'" + Value + "' is not a line number");
      Out.Line = Number;
    } else {
      return createStringError(
          "unknown word '" + Name +
          "'; it can be kernel, function, file or line" +
          words::didYouMean(Name, {"kernel", "function", "file", "line"}));
    }
  }
  return Error::success();
}

Error Suppressions::check(StringRef Line) {
  Rule R;
  return parseLine(Line, R);
}

Error Suppressions::parse(StringRef From, StringRef Name) {
  std::string First;
  unsigned Number = 0, Wrong = 0;
  Text += From;
  while (!From.empty()) {
    StringRef Line;
    std::tie(Line, From) = From.split('\n');
    ++Number;
    Line = Line.trim();
    if (Line.empty() || Line[0] == '#')
      continue;
    Rule R;
    if (Error E = parseLine(Line, R)) {
      const std::string Why = toString(std::move(E));
      if (!Wrong++)
        First = (Name + ":" + Twine(Number) + ": " + Why).str();
      continue;
    }
    Rules.push_back(std::move(R));
  }
  if (!Text.empty() && Text.back() != '\n')
    Text += '\n';
  if (!Wrong)
    return Error::success();
  if (Wrong > 1)
    First += " (wrong lines: " + std::to_string(Wrong) + ")";
  return createStringError(First);
}

bool Suppressions::matches(const FindingPlace &Place) const {
  for (const Rule &R : Rules)
    if ((R.Kinds & 1u << unsigned(Place.What)) &&
        (!R.Kernel || matchesPattern(*R.Kernel, Place.Kernel)) &&
        (!R.Function || matchesPattern(*R.Function, Place.Function)) &&
        (!R.File || matchesFile(*R.File, Place.File)) &&
        (!R.Line || *R.Line == Place.Line))
      return true;
  return false;
}

static std::string quote(StringRef Text) {
  std::string Out = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out + "\"";
}

std::string Suppressions::suggest(const FindingPlace &Place) {
  std::string Line = name(Place.What).str();
  if (!Place.Function.empty())
    Line += " function=" + quote(Place.Function);
  if (!Place.File.empty())
    Line += " file=" +
            quote(StringRef(Place.File).substr(Place.File.rfind('/') + 1));
  if (Place.Line)
    Line += " line=" + std::to_string(Place.Line);
  return Line;
}
