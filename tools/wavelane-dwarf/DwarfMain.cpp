//===-- DwarfMain.cpp - wavelane-dwarf, the location engine by hand -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DwarfOptionTable.h"

#include "wavelane/CommandLine/CommandLine.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "wavelane/Location/CaseFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <map>

using namespace llvm;
using namespace wavelane::location;
namespace dwarfoptions = wavelane::dwarfoptions;

static cl::OptionCategory Category("wavelane-dwarf options");
static cl::SubCommand Eval("eval", "Evaluate cases and print their results");
static cl::SubCommand Check("check",
                            "Compare cases with their expected results");
static cl::SubCommand Disassemble("disassemble",
                                  "Turn an expression's bytes into operations");
static cl::SubCommand Assemble("assemble",
                               "Turn operations into an expression's bytes");
static cl::SubCommand
    Explain("explain", "Print the stack after every operation, in words");

static cl::list<std::string> Inputs(cl::Positional, cl::desc("FILE.json..."),
                                    cl::OneOrMore, cl::sub(Eval),
                                    cl::sub(Check), cl::cat(Category));
static cl::list<std::string> Words(cl::Positional,
                                   cl::desc("bytes in hex, or operations"),
                                   cl::sub(Disassemble), cl::sub(Assemble),
                                   cl::cat(Category));
static cl::list<std::string>
    Explained(cl::Positional,
              cl::desc("FILE.json..., or bytes in hex for an empty context"),
              cl::OneOrMore, cl::sub(Explain), cl::cat(Category));
static cl::list<std::string> OnlyIds(dwarfoptions::Id.Name,
                                     cl::desc(dwarfoptions::Id.Text),
                                     cl::value_desc(dwarfoptions::Id.Value),
                                     cl::sub(Eval), cl::sub(Check),
                                     cl::sub(Explain), cl::cat(Category));
static cl::opt<bool> Address4(dwarfoptions::Address4.Name,
                              cl::desc(dwarfoptions::Address4.Text),
                              cl::sub(Disassemble), cl::sub(Assemble),
                              cl::cat(Category));
static cl::opt<bool> DirectE9(dwarfoptions::DirectE9.Name,
                              cl::desc(dwarfoptions::DirectE9.Text),
                              cl::sub(Disassemble), cl::cat(Category));

static bool report(Error E, const Twine &What) {
  if (!E)
    return false;
  WithColor::error(errs(), "wavelane-dwarf")
      << What << toString(std::move(E)) << "\n";
  return true;
}

/// Calls \a Function with each selected case.
/// \return False if a file can't be read.
static bool forEachCase(ArrayRef<std::string> Files,
                        function_ref<void(const json::Object &)> Function) {
  bool IsFine = true;
  for (const std::string &File : Files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
        MemoryBuffer::getFileOrSTDIN(File, /*IsText=*/true);
    if (!Text) {
      report(errorCodeToError(Text.getError()), File + ": ");
      IsFine = false;
      continue;
    }
    Expected<json::Value> Parsed = wavelane::parseJSON((*Text)->getBuffer());
    if (!Parsed) {
      report(Parsed.takeError(), File + ": ");
      IsFine = false;
      continue;
    }
    const json::Array *Cases = Parsed->getAsArray();
    if (!Cases) {
      report(createStringError(inconvertibleErrorCode(), "not a list of cases"),
             File + ": ");
      IsFine = false;
      continue;
    }
    for (const json::Value &V : *Cases) {
      const json::Object *Case = V.getAsObject();
      if (!Case) {
        report(createStringError(inconvertibleErrorCode(),
                                 "a case is not an object"),
               File + ": ");
        IsFine = false;
      } else if (OnlyIds.empty() ||
                 is_contained(OnlyIds, Case->getString("id").value_or(""))) {
        Function(*Case);
      }
    }
  }
  return IsFine;
}

static int runEval() {
  bool AreRun = true;
  const bool IsFine = forEachCase(Inputs, [&](const json::Object &Case) {
    bool IsRun;
    json::Object Result = evaluateCase(Case, IsRun);
    AreRun &= IsRun;
    outs() << json::Value(std::move(Result)) << "\n";
  });
  return IsFine && AreRun ? 0 : 1;
}

static int runCheck() {
  struct Total {
    unsigned Passed = 0;
    unsigned Failed = 0;
  };
  std::map<std::string, Total> Totals;
  Total All;
  const bool IsFine = forEachCase(Inputs, [&](const json::Object &Case) {
    json::Object Result;
    const std::string Problem = checkCase(Case, Result);
    Total &T = Totals[Case.getString("semantics").value_or("any").str()];
    if (Problem.empty()) {
      ++T.Passed;
      ++All.Passed;
      return;
    }
    ++T.Failed;
    ++All.Failed;
    outs() << Case.getString("id").value_or("(no id)") << ": " << Problem
           << "\n  want ";
    if (const json::Value *Want = Case.get("want"))
      outs() << *Want;
    outs() << "\n  have " << json::Value(std::move(Result)) << "\n";
  });
  for (const auto &[Name, T] : Totals)
    outs() << Name << ": " << T.Passed << " passed, " << T.Failed
           << " failed\n";
  outs() << "total: " << All.Passed << " passed, " << All.Failed << " failed\n";
  return IsFine && All.Failed == 0 ? 0 : 1;
}

static Expected<std::vector<uint8_t>> parseHex(StringRef Text) {
  std::string Clean, Bytes;
  Text.consume_front("0x");
  for (char C : Text)
    if (!isSpace(C) && C != '|')
      Clean.push_back(C);
  if (Clean.size() % 2 || !tryGetFromHex(Clean, Bytes))
    return illFormed("'" + Text + "' is not bytes in hex");
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

/// The words of the command line, or the standard input's text.
static std::string getText() {
  if (!Words.empty() && !(Words.size() == 1 && Words[0] == "-"))
    return join(Words, " ");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text = MemoryBuffer::getSTDIN();
  return Text ? (*Text)->getBuffer().str() : std::string();
}

static int runDisassemble() {
  DecodeOptions Options;
  Options.AddressSize = Address4 ? 4 : 8;
  Options.DirectE9 = DirectE9;
  Expected<std::vector<uint8_t>> Bytes = parseHex(getText());
  if (!Bytes)
    return report(Bytes.takeError(), "");
  // Print the operations that can be decoded before the error about the rest.
  for (size_t At = 0; At < Bytes->size();) {
    Expected<Operation> Op = decode(*Bytes, At, Options);
    if (!Op)
      return report(Op.takeError(), "");
    outs() << Op->describe(Options) << "\n";
    At = Op->End;
  }
  return 0;
}

static int runAssemble() {
  DecodeOptions Options;
  Options.AddressSize = Address4 ? 4 : 8;
  Expected<std::vector<uint8_t>> Bytes = assembleText(getText(), Options);
  if (!Bytes)
    return report(Bytes.takeError(), "");
  outs() << toHex(*Bytes, /*LowerCase=*/true) << "\n";
  return 0;
}

static bool explainCase(const json::Object &Case) {
  Expected<std::unique_ptr<CaseContext>> C = CaseContext::create(Case, {});
  if (!C)
    return !report(C.takeError(), "");
  outs() << Case.getString("id").value_or("expression") << ":\n";
  auto Print = [&](const Operation &Op, ArrayRef<Entry> Stack) {
    outs() << "  " << Op.describe((*C)->getOptions().Decode) << "\n";
    if (Stack.empty())
      outs() << "      (nothing on the stack)\n";
    for (size_t I = Stack.size(); I-- > 0;)
      outs() << "      " << (I + 1 == Stack.size() ? "top: " : "     ")
             << Stack[I].describe(C->get()) << "\n";
  };
  TraceFunction Trace = Print;
  Expected<Entry> Result = (*C)->evaluateExpression(&Trace);
  if (!Result) {
    outs() << "  error: " << toString(Result.takeError()) << "\n";
    return true;
  }
  outs() << "  result: " << Result->describe(C->get()) << "\n";
  return true;
}

static int runExplain() {
  SmallVector<std::string, 4> Files;
  bool IsFine = true;
  for (const std::string &Text : Explained) {
    if (StringRef(Text).ends_with(".json") || Text == "-") {
      Files.push_back(Text);
      continue;
    }
    json::Object Case;
    Case["id"] = Text;
    Case["encoded"] = Text;
    IsFine &= explainCase(Case);
  }
  IsFine &= forEachCase(
      Files, [&](const json::Object &Case) { IsFine &= explainCase(Case); });
  return IsFine ? 0 : 1;
}

int main(int argc, char **argv) {
  InitLLVM Init(argc, argv);
  cl::HideUnrelatedOptions(Category);
  const std::string Name = sys::path::filename(argv[0]).str();
  std::vector<const char *> Words(argv, argv + argc);
  Words[0] = Name.c_str();
  if (!wavelane::commandline::parse(
          Words, "DWARF locations: expressions evaluated outside a debugger\n"))
    return 2;
  if (Eval)
    return runEval();
  if (Check)
    return runCheck();
  if (Disassemble)
    return runDisassemble();
  if (Assemble)
    return runAssemble();
  if (Explain)
    return runExplain();
  cl::PrintHelpMessage();
  return 2;
}
