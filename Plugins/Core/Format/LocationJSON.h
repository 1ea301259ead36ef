//===-- LocationJSON.h - locations for scripts ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_FORMAT_LOCATIONJSON_H
#define WAVELANE_CORE_FORMAT_LOCATIONJSON_H

#include "wavelane/Location/Context.h"
#include "wavelane/Location/Location.h"
#include "llvm/Support/JSON.h"

namespace lldb_private {
namespace wavelane {

/// "kind" is "undefined", "memory", "register", "implicit", "implicit pointer",
/// "composite" or "multi"; it is followed by "space", "space_name", "address"
/// and, for a space with memory for each lane, "lane"; "register"; "bytes" in
/// hexadecimal; "entry" and "displacement"; "parts", each a location with
/// "begin" and "end", its range of bytes in the whole (an open end is left
/// out). "offset" is in bytes from the start of the storage, "bit" in further
/// bits. A composite of thousands of parts ends with "omitted", the number of
/// parts left out.
llvm::json::Value ToJSON(const ::wavelane::location::Location &location,
                         ::wavelane::location::Context &context);

} // namespace wavelane
} // namespace lldb_private

#endif
