//===-- ListenHost.cpp - Where a server listens ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ListenHost.h"
#include "llvm/ADT/STLExtras.h"

namespace wavelane::server {

std::string FindHost(llvm::ArrayRef<const char *> arguments,
                     llvm::ArrayRef<llvm::StringRef> separate,
                     llvm::ArrayRef<llvm::StringRef> options) {
  llvm::StringRef found;
  for (size_t i = 0; i < arguments.size() && found.empty(); ++i) {
    llvm::StringRef text = arguments[i];
    if (text == "--")
      break;
    if (!text.starts_with("-")) {
      if (options.empty())
        found = text;
      continue;
    }
    const bool has_value = text.contains('=');
    auto [name, value] = text.ltrim('-').split('=');
    if (!has_value && i + 1 < arguments.size() &&
        (llvm::is_contained(options, name) ||
         llvm::is_contained(separate, name)))
      value = arguments[++i];
    if (llvm::is_contained(options, name))
      found = value;
  }
  // SCHEME://[HOST]:PORT, of which the brackets may be missing.
  if (const size_t at = found.find("://"); at != llvm::StringRef::npos)
    found = found.drop_front(at + 3);
  if (!found.contains(':'))
    return "";
  return found.rsplit(':').first.trim("[]").str();
}

} // namespace wavelane::server
