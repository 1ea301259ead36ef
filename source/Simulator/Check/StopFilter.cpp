//===-- StopFilter.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopFilter.h"

using namespace wavelane::check;

llvm::Error StopFilter::choose(const llvm::json::Object &Request) {
  unsigned Wished = On;
  if (auto List = Request.getString("stopOn")) {
    Wished = 0;
    if (!List->empty()) {
      llvm::Expected<unsigned> Checks = parseList(*List);
      if (!Checks)
        return Checks.takeError();
      Wished = *Checks;
    }
  }
  if (auto Lines = Request.getString("ignore")) {
    Suppressions New;
    if (llvm::Error Bad = New.parse(*Lines, "ignore"))
      return Bad;
    if (auto More = Request.getString("suppressions"))
      if (llvm::Error Bad = New.parse(
              *More, Request.getString("name").value_or("suppressions")))
        return Bad;
    Ignored = std::move(New);
  }
  On = Wished;
  return llvm::Error::success();
}

bool StopFilter::stops(const ReportedFinding &T) {
  if (!IsActive || !(On >> unsigned(checkOf(T.What)) & 1) ||
      Ignored.matches(Findings::place(T)))
    return false;
  Last = &T;
  return true;
}
