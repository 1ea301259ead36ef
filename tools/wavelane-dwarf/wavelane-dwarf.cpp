//===-- wavelane-dwarf.cpp - DWARF expressions on the command line --------===//

#include "Case.h"
#include "wavelane/Location/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace wavelane::location;

static int usage() {
  errs() << R"(usage: wavelane-dwarf COMMAND ARGUMENTS
  eval FILE.json...          evaluates cases and prints one JSON result for each
  check FILE.json...         compares with what the cases want; prints failures, totals
  disassemble HEX...         prints operations of encoded expressions ('-' reads hex)
  assemble TEXT...           encodes "DW_OP_regx 3; DW_OP_piece 4" as hex
  explain FILE.json [ID...]  prints the stack after every operation, in words
  explain TEXT               the same for operations, without a context
)";
  return 2;
}

static bool report(Error E) {
  if (!E)
    return false;
  errs() << "wavelane-dwarf: " << toString(std::move(E)) << "\n";
  return true;
}

/// Calls \a Run for each case of the files. \return False when a file or a case
/// can't be read.
template <typename Function>
static bool forEachCase(ArrayRef<StringRef> Files, Function Run) {
  bool Good = true;
  for (StringRef File : Files) {
    Expected<json::Array> Cases = readCases(File);
    if (!Cases) {
      report(Cases.takeError());
      Good = false;
      continue;
    }
    for (const json::Value &Item : *Cases) {
      const json::Object *Case = Item.getAsObject();
      if (!Case) {
        errs() << "wavelane-dwarf: " << File << ": a case is no object\n";
        Good = false;
        continue;
      }
      if (Error E = Run(File, *Case)) {
        errs() << "wavelane-dwarf: " << File << ": case "
               << Case->getString("id").value_or("?") << ": "
               << toString(std::move(E)) << "\n";
        Good = false;
      }
    }
  }
  return Good;
}

static int evaluateFiles(ArrayRef<StringRef> Files) {
  return !forEachCase(Files, [](StringRef, const json::Object &Case) -> Error {
    Expected<json::Object> Result = runCase(Case);
    if (!Result)
      return Result.takeError();
    outs() << json::Value(std::move(*Result)) << "\n";
    return Error::success();
  });
}

static int checkFiles(ArrayRef<StringRef> Files) {
  unsigned Passed = 0, Failed = 0;
  const bool Good =
      forEachCase(Files, [&](StringRef, const json::Object &Case) -> Error {
        Expected<json::Object> Result = runCase(Case);
        if (!Result) {
          ++Failed;
          return Result.takeError();
        }
        std::optional<std::string> Difference = compareCase(Case, *Result);
        if (!Difference) {
          ++Passed;
          return Error::success();
        }
        ++Failed;
        outs() << Case.getString("id").value_or("?") << ": " << *Difference
               << "\n";
        if (const json::Object *Want = Case.getObject("want"))
          outs() << "  want " << json::Value(json::Object(*Want)) << "\n";
        outs() << "  got  " << json::Value(std::move(*Result)) << "\n";
        return Error::success();
      });
  outs() << Passed << " passed, " << Failed << " failed\n";
  return !Good || Failed;
}

static int disassembleAll(ArrayRef<StringRef> Arguments) {
  for (StringRef Argument : Arguments) {
    std::string Digits, Bytes;
    for (char C : Argument)
      if (isAlnum(C))
        Digits += C;
    if (!tryGetFromHex(StringRef(Digits), Bytes)) {
      errs() << "wavelane-dwarf: '" << Argument << "' is not hex\n";
      return 1;
    }
    Expected<std::string> Text =
        disassemble(ArrayRef<uint8_t>(
            reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()));
    if (!Text)
      return report(Text.takeError());
    outs() << *Text;
  }
  return 0;
}

static int assembleAll(ArrayRef<StringRef> Arguments) {
  for (StringRef Argument : Arguments) {
    Expected<std::vector<uint8_t>> Bytes = assembleText(Argument);
    if (!Bytes)
      return report(Bytes.takeError());
    outs() << toHex(*Bytes, /*LowerCase=*/true) << "\n";
  }
  return 0;
}

static int explain(ArrayRef<StringRef> Arguments) {
  StringRef First = Arguments.front();
  if (!First.ends_with(".json")) {
    Expected<std::vector<uint8_t>> Bytes = assembleText(First);
    if (!Bytes)
      return report(Bytes.takeError());
    return report(explainCase(
        json::Object{{"encoded", toHex(*Bytes, true)}}, outs()));
  }
  ArrayRef<StringRef> Ids = Arguments.drop_front();
  unsigned Found = 0;
  const bool Good = forEachCase(First, [&](StringRef, const json::Object &Case) -> Error {
    StringRef Id = Case.getString("id").value_or("?");
    if (!Ids.empty() && !is_contained(Ids, Id))
      return Error::success();
    outs() << (Found++ ? "\n" : "") << Id << "\n";
    return explainCase(Case, outs());
  });
  if (Good && Found == 0 && !Ids.empty()) {
    errs() << "wavelane-dwarf: " << First << " has no such case\n";
    return 1;
  }
  return !Good;
}

int main(int Count, char **Words) {
  if (Count < 3)
    return usage();
  const StringRef Command = Words[1];
  SmallVector<StringRef, 8> Arguments(Words + 2, Words + Count);
  if (Command == "eval")
    return evaluateFiles(Arguments);
  if (Command == "check")
    return checkFiles(Arguments);
  if (Command == "disassemble")
    return disassembleAll(Arguments);
  if (Command == "assemble")
    return assembleAll(Arguments);
  if (Command == "explain")
    return explain(Arguments);
  return usage();
}
