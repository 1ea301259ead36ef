//===-- CountReport.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CountReport.h"
#include "Html.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Formats/Files/SourceFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <set>
#include <tuple>

using namespace wavelane::check;
using namespace llvm;

CountReport::CountReport(const json::Array &Devices) {
  for (const json::Value &Device : Devices) {
    const json::Object *O = Device.getAsObject();
    const json::Array *Lines = O ? O->getArray("lines") : nullptr;
    if (!Lines)
      continue;
    const StringRef Program = O->getString("program").value_or("");
    for (const json::Value &V : *Lines) {
      const json::Object *Line = V.getAsObject();
      if (!Line)
        continue;
      auto Number = [&](StringRef Name) {
        return uint64_t(Line->getInteger(Name).value_or(0));
      };
      Counts C;
      C.Instructions = Number("instructions");
      C.VectorInstructions = Number("vectorInstructions");
      C.ActiveLanes = Number("activeLanes");
      C.Bytes = Number("bytes");
      C.Transactions = Number("transactions");
      C.FewestTransactions = Number("fewestTransactions");
      C.BankConflicts = Number("bankConflicts");
      C.Divergences = Number("divergences");
      const std::string File = Line->getString("file").value_or("").str();
      ByLine[{File, uint32_t(Number("line"))}].add(C);
      if (auto [It, IsNew] = Sources.try_emplace(File); IsNew)
        It->second = files::findSource(File, Program);
    }
  }
}

/// "1,234,567".
static std::string grouped(uint64_t Number) {
  std::string Text = std::to_string(Number);
  for (size_t I = Text.size(); I > 3; I -= 3)
    Text.insert(I - 3, ",");
  return Text;
}

/// "63.5" of 64 lanes; empty without vector instructions.
static std::string meanLanes(const Counts &C) {
  return C.VectorInstructions
             ? formatv("{0:F1}",
                       double(C.ActiveLanes) / double(C.VectorInstructions))
                   .str()
             : "";
}

/// "12 (4)": the fewest are reported if they are fewer.
static std::string transactions(const Counts &C) {
  if (!C.Transactions)
    return "";
  return C.Transactions == C.FewestTransactions
             ? grouped(C.Transactions)
             : formatv("{0} ({1})", grouped(C.Transactions),
                       grouped(C.FewestTransactions))
                   .str();
}

static std::string orNothing(uint64_t Number) {
  return Number ? grouped(Number) : "";
}

static constexpr char RowFormat[] =
    "{0,12}  {1,5}  {2,13}  {3,18}  {4,9}  {5,9}  {6}\n";

std::string CountReport::table(size_t Most, StringRef Others) const {
  std::vector<const std::pair<const Place, Counts> *> Rows;
  size_t Ran = 0, Known = 0;
  for (const auto &Row : ByLine) {
    Known += Row.first.second != 0;
    if (!Row.second.Instructions)
      continue;
    Ran += Row.first.second != 0;
    Rows.push_back(&Row);
  }
  llvm::sort(Rows, [](const auto *A, const auto *B) {
    return std::tie(B->second.Instructions, A->first) <
           std::tie(A->second.Instructions, B->first);
  });
  std::string Out = formatv(RowFormat, "instructions", "lanes", "bytes",
                            "transactions", "conflicts", "divergent", "line")
                        .str();
  for (const auto *Row : ArrayRef(Rows).take_front(Most)) {
    const auto &[At, C] = *Row;
    const std::string Line =
        At.second ? formatv("{0}:{1}", StringRef(At.first).rsplit('/').second,
                            At.second)
                        .str()
                  : "code without lines";
    Out += formatv(RowFormat, grouped(C.Instructions), meanLanes(C),
                   orNothing(C.Bytes), transactions(C),
                   orNothing(C.BankConflicts), orNothing(C.Divergences), Line)
               .str();
  }
  if (Rows.size() > Most)
    Out += formatv("{0} more lines ({1})\n", Rows.size() - Most, Others).str();
  return Out + formatv("{0} of {1} lines ran\n", Ran, Known).str();
}

std::string CountReport::lcov() const {
  std::string Out = "TN:\n", File;
  unsigned Found = 0, Hit = 0;
  auto End = [&] {
    if (!File.empty())
      Out += formatv("LF:{0}\nLH:{1}\nend_of_record\n", Found, Hit).str();
    Found = Hit = 0;
  };
  for (const auto &[At, C] : ByLine) {
    if (At.first.empty() || !At.second)
      continue;
    if (At.first != File) {
      End();
      File = At.first;
      Out += "SF:" + File + "\n";
    }
    Out += formatv("DA:{0},{1}\n", At.second, C.Instructions).str();
    ++Found;
    Hit += C.Instructions != 0;
  }
  End();
  return Out;
}

std::string CountReport::heatMap() const {
  uint64_t Most = 1;
  std::set<std::string> Files;
  for (const auto &[At, C] : ByLine) {
    Most = std::max(Most, C.Instructions);
    if (C.Instructions)
      Files.insert(At.first);
  }
  std::string Out;
  for (const std::string &File : Files) {
    auto Text = files::readRegular(Sources.at(File));
    if (File.empty() || !Text)
      continue;
    Out += "<h2>" + escape(File) +
           "</h2>\n<table class=\"heat\"><tr><th>line</th><th>instructions"
           "</th><th>lanes</th><th>bytes</th><th>transactions (fewest)</th>"
           "<th>bank conflicts</th><th>divergent</th><th></th></tr>\n";
    for (line_iterator Line(**Text, /*SkipBlanks=*/false); !Line.is_at_eof();
         ++Line) {
      const uint32_t Number = uint32_t(Line.line_number());
      const auto It = ByLine.find({File, Number});
      Counts C;
      std::string Style;
      if (It != ByLine.end()) {
        C = It->second;
        // By the logarithm: the loops of a kernel differ by orders of
        // magnitude.
        Style =
            C.Instructions
                ? formatv(" style=\"background: rgba(255, 120, 0, {0:F2})\"",
                          0.1 + 0.7 * std::log(double(C.Instructions)) /
                                    std::max(1.0, std::log(double(Most))))
                      .str()
                : " class=\"missed\"";
      }
      Out += formatv("<tr{0}><td>{1}</td><td>{2}</td><td>{3}</td><td>{4}</td>"
                     "<td>{5}</td><td>{6}</td><td>{7}</td><td><code>{8}</code>"
                     "</td></tr>\n",
                     Style, Number, orNothing(C.Instructions), meanLanes(C),
                     orNothing(C.Bytes), transactions(C),
                     orNothing(C.BankConflicts), orNothing(C.Divergences),
                     escape(*Line))
                 .str();
    }
    Out += "</table>\n";
  }
  return Out;
}
