//===-- LocationJSON.h - locations for scripts ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_FORMAT_LOCATIONJSON_H
#define WAVELANE_DEBUGGER_FORMAT_LOCATIONJSON_H

#include "wavelane/Location/Context.h"
#include "wavelane/Location/Location.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// "kind" is "undefined", "memory", "register", "implicit", "implicit pointer",
/// "composite" or "multi"; with it go "space", "space_name", "address" and,
/// where the space has one for each lane, "lane"; "register"; "bytes" in
/// hexadecimal; "entry" and "displacement"; "parts", each a location with the
/// bytes "begin" and "end" that it is of the whole (an open end is left out).
/// "offset" counts bytes from the storage's first, "bit" further bits. A
/// composite of thousands of parts ends with "omitted", the number of those
/// that aren't told.
llvm::json::Value ToJSON(const ::wavelane::location::Location &location,
                         ::wavelane::location::Context &context);

} // namespace wavelane
} // namespace lldb_private

#endif
