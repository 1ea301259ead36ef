//===-- Parse.h - JSON that somebody else has written -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_FORMATS_JSON_PARSE_H
#define WAVELANE_FORMATS_JSON_PARSE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace wavelane {

/// More than any text of ours needs; LLVM's parser calls itself for each level,
/// so thousands would end the thread's stack.
inline constexpr unsigned MaxJSONDepth = 500;

/// Whether arrays and objects (RFC 8259, 4 and 5) are nested deeper than that.
inline bool isJSONTooDeep(llvm::StringRef Text) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    if (InString) {
      if (C == '\\')
        ++I;
      else if (C == '"')
        InString = false;
    } else if (C == '"') {
      InString = true;
    } else if (C == '[' || C == '{') {
      if (++Depth > MaxJSONDepth)
        return true;
    } else if ((C == ']' || C == '}') && Depth) {
      --Depth;
    }
  }
  return false;
}

/// As llvm::json::parse, for text of any origin.
inline llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef Text) {
  if (isJSONTooDeep(Text))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the JSON text is nested too deeply");
  return llvm::json::parse(Text);
}

} // namespace wavelane

#endif
