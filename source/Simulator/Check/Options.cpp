//===-- Options.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Regex.h"

using namespace wavelane::check;
using namespace llvm;

json::Value Options::toJSON() const {
  json::Array Ranges;
  for (const auto &[First, Last] : Launches)
    Ranges.push_back(json::Array{int64_t(First), int64_t(Last)});
  return json::Object{{"kernel", Kernel},
                      {"launches", std::move(Ranges)},
                      {"max", int64_t(Max)},
                      {"shadowLimit", int64_t(ShadowLimit)},
                      {"leaks", FindsLeaks},
                      {"firstId", int64_t(FirstId)},
                      {"suppressions", Suppressed.text()}};
}

Error Options::fromJSON(const json::Value &From) {
  const json::Object *O = From.getAsObject();
  if (!O)
    return createStringError("the options aren't an object");
  if (auto List = O->getString("checks")) {
    Expected<unsigned> Chosen = List->empty() ? 0 : parseList(*List);
    if (!Chosen)
      return Chosen.takeError();
    Checks = *Chosen;
  }
  Kernel = O->getString("kernel").value_or("").str();
  if (std::string Why; !Kernel.empty() && !Regex(Kernel).isValid(Why))
    return createStringError("invalid regular expression '" + Kernel +
                             "': " + Why);
  Launches.clear();
  if (const json::Array *Ranges = O->getArray("launches"))
    for (const json::Value &Range : *Ranges)
      if (const json::Array *Pair = Range.getAsArray();
          Pair && Pair->size() == 2)
        Launches.emplace_back(uint64_t((*Pair)[0].getAsInteger().value_or(1)),
                              uint64_t((*Pair)[1].getAsInteger().value_or(0)));
  Max = uint64_t(O->getInteger("max").value_or(int64_t(Max)));
  ShadowLimit =
      uint64_t(O->getInteger("shadowLimit").value_or(int64_t(ShadowLimit)));
  FindsLeaks = O->getBoolean("leaks").value_or(false);
  FirstId = unsigned(O->getInteger("firstId").value_or(1));
  return Suppressed.parse(O->getString("suppressions").value_or(""), "options");
}
