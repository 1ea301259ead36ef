//===-- Fields.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Fields.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace wavelane::protocol {

json::Value toJSON(const Bytes &Value) {
  return toHex(Value.Data, /*LowerCase=*/true);
}

bool fromJSON(const json::Value &Value, Bytes &Result, json::Path At) {
  std::optional<StringRef> Text = Value.getAsString();
  // LLVM takes an odd number of digits as if a 0 came before them.
  if (Text && Text->size() % 2 == 0 && tryGetFromHex(*Text, Result.Data))
    return true;
  At.report("expected bytes in hexadecimal digits");
  return false;
}

json::Value toJSON(const LaneMask &Value) {
  return utohexstr(Value.Bits, /*LowerCase=*/true);
}

bool fromJSON(const json::Value &Value, LaneMask &Result, json::Path At) {
  std::optional<StringRef> Text = Value.getAsString();
  if (Text && !Text->getAsInteger(16, Result.Bits))
    return true;
  At.report("expected a mask of 64 bits in hexadecimal digits");
  return false;
}

std::string getText(const json::Value &Value) {
  std::string Text;
  raw_string_ostream(Text) << Value;
  return Text;
}

} // namespace wavelane::protocol
