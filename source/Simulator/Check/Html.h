//===-- Html.h - text in a page of HTML -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_HTML_H
#define WAVELANE_SIMULATOR_CHECK_HTML_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace wavelane::check {

/// \a Text as the text of an element. Invalid UTF-8 is replaced.
inline std::string escape(llvm::StringRef Text) {
  std::string Out;
  llvm::raw_string_ostream Stream(Out);
  llvm::printHTMLEscaped(llvm::json::fixUTF8(Text), Stream);
  return Out;
}

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_HTML_H
