//===-- CaseResult.h - results in JSON --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASERESULT_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASERESULT_H

#include "wavelane/Location/CaseFile.h"

namespace wavelane::location {

/// Evaluates \a Case.
/// \return The same as evaluateCase.
/// \param[out] C, Result  The evaluated entry, and its context.
llvm::json::Object runCase(const llvm::json::Object &Case, bool &IsRun,
                           std::unique_ptr<CaseContext> &C, Entry &Result);

} // namespace wavelane::location

#endif
