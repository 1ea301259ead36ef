//===-- Page.cpp - findings as a page of HTML -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Self-contained, without scripts; its content security policy forbids them.
//
//===----------------------------------------------------------------------===//

#include "CountReport.h"
#include "Html.h"
#include "RunReport.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace wavelane::check;
using namespace llvm;

static constexpr char Head[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Findings</title>
<style>
body { font-family: sans-serif; margin: 2em; max-width: 75em; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: 0.2em 0.8em; border-bottom: 1px solid #ccc; vertical-align: top; }
pre { background: #f4f4f4; padding: 0.8em; overflow-x: auto; }
.check { color: #666; }
.heat td { border: 0; padding: 0 0.8em; text-align: right; white-space: pre; }
.heat td:last-child { text-align: left; }
.missed { color: #c00; }
</style></head><body>
)";

std::string RunReport::html() const {
  std::string Out = Head;
  raw_string_ostream OS(Out);
  OS << "<h1>" << count() << (count() == 1 ? " finding" : " findings")
     << "</h1>\n<pre>" << escape(summary()) << "</pre>\n";
  unsigned Number = 0;
  for (const json::Value &Device : Devices) {
    const json::Object &O = *Device.getAsObject();
    const json::Array *List = O.getArray("findings");
    ++Number;
    OS << "<h2>" << escape(O.getString("program").value_or("")) << "</h2>\n";
    if (!List || List->empty())
      continue;
    OS << "<table><tr><th>#</th><th>check</th><th>finding</th><th>place</th>"
          "<th>kernel</th><th>seen</th></tr>\n";
    for (const json::Value &V : *List) {
      const json::Object *F = V.getAsObject();
      if (!F)
        continue;
      const json::Object *Here = F->getObject("here");
      const int64_t Id = F->getInteger("id").value_or(0);
      OS << formatv("<tr><td><a href=\"#f{0}-{1}\">{1}</a></td>"
                    "<td class=\"check\">{2}</td><td>{3}</td><td>{4}</td>"
                    "<td>{5}</td><td>{6}</td></tr>\n",
                    Number, Id, escape(F->getString("check").value_or("")),
                    escape(F->getString("text").value_or("")),
                    escape(placeText(*F)),
                    escape(Here ? Here->getString("kernel").value_or("") : ""),
                    F->getInteger("count").value_or(0));
    }
    OS << "</table>\n";
    for (const json::Value &V : *List)
      if (const json::Object *F = V.getAsObject())
        OS << formatv("<h3 id=\"f{0}-{1}\">{1}. {2}</h3>\n<pre>{3}</pre>\n",
                      Number, F->getInteger("id").value_or(0),
                      escape(F->getString("text").value_or("")),
                      escape(F->getString("report").value_or("")));
  }
  OS << CountReport(Devices).heatMap() << "</body></html>\n";
  return Out;
}
