//===-- CaseJSON.h - what cases are written in ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASEJSON_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASEJSON_H

#include "wavelane/Location/Error.h"
#include "wavelane/Location/Value.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace wavelane::location {

/// A number, or a string that contains one ("0x10").
std::optional<uint64_t> getNumber(const llvm::json::Value &V);
/// The number at \a Key.
std::optional<uint64_t> getNumber(const llvm::json::Object &O,
                                  llvm::StringRef Key);

/// The text at \a Key: a string, or an array of strings, which are joined.
std::optional<std::string> getText(const llvm::json::Object &O,
                                   llvm::StringRef Key);

/// Parses bytes in hexadecimal, with or without blanks.
/// \param What The name for errors.
llvm::Expected<std::vector<uint8_t>> getHex(llvm::StringRef Text,
                                            const llvm::Twine &What);

/// Parses a register's bytes: hex, or {"first", "count"} for ascending 4-byte
/// numbers.
/// \param What The name for errors.
llvm::Expected<std::vector<uint8_t>> getRegister(const llvm::json::Value &V,
                                                 const llvm::Twine &What);

/// The offset that a unit would give a base type ("u32", 0 for "generic"), and
/// back.
std::optional<uint64_t> findType(llvm::StringRef Name);
std::optional<Type> getType(uint64_t Offset);
const char *getTypeName(Type T);

} // namespace wavelane::location

#endif
