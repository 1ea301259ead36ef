//===-- Case.h - evaluation cases ------------------------------*- C++ -*-===//
//
// A case is an expression, its context and the wanted result, as JSON.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TOOLS_DWARF_CASE_H
#define WAVELANE_TOOLS_DWARF_CASE_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace wavelane::location {

/// Evaluates a case; \return its result with the keys of `want`, or {"error"}.
/// Fails when the case itself can't be understood.
llvm::Expected<llvm::json::Object> runCase(const llvm::json::Object &Case);

/// Compares \a Result, of runCase, with what the case wants.
/// \return What differs; nullopt when nothing does.
std::optional<std::string> compareCase(const llvm::json::Object &Case,
                                       const llvm::json::Object &Result);

/// Prints the stack after every operation, in words.
llvm::Error explainCase(const llvm::json::Object &Case, llvm::raw_ostream &OS);

/// Reads a file of cases: an array of objects.
llvm::Expected<llvm::json::Array> readCases(llvm::StringRef Path);

} // namespace wavelane::location

#endif
