//===-- CaseResult.h - results in JSON --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SOURCE_LOCATION_CASES_CASERESULT_H
#define WAVELANE_SOURCE_LOCATION_CASES_CASERESULT_H

#include "wavelane/Location/CaseFile.h"

namespace wavelane::location {

/// Evaluates \a Case.
/// \return What evaluateCase does.
/// \param[out] C, Result  What was evaluated, where it was.
llvm::json::Object runCase(const llvm::json::Object &Case, bool &IsRun,
                           std::unique_ptr<CaseContext> &C, Entry &Result);

} // namespace wavelane::location

#endif
