//===-- RegisterFields.h - The bit fields of a register ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_REGISTERFIELDS_H
#define WAVELANE_SERVER_LIBRARY_REGISTERFIELDS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::server {

/// The fields of a register, whose type in ROCdbgapi is like `flags32_t mode {
/// enum round { NEAREST = 0, UP = 1 } ROUND @0-1; bool IEEE @9; }` (an enum's
/// values are listed at its first use).
struct RegisterFields {
  struct Field {
    std::string name;
    unsigned first_bit = 0, last_bit = 0;
    /// Empty if the field's values have no names.
    std::string enum_name;
  };
  struct Enum {
    std::string name;
    std::vector<std::pair<std::string, uint64_t>> values;
  };
  unsigned bits = 0;
  std::vector<Field> fields;
  std::vector<Enum> enums;

  /// \return nullopt for types without fields, and for malformed ones.
  static std::optional<RegisterFields> Parse(llvm::StringRef type);

  /// The elements <enum> and <flags> of a target description; the latter is
  /// called \p id.
  std::string GetXML(llvm::StringRef id) const;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_REGISTERFIELDS_H
