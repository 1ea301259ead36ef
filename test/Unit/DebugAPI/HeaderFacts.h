//===-- HeaderFacts.h - what a ROCdbgapi header declares ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TEST_UNIT_DEBUGAPI_HEADERFACTS_H
#define WAVELANE_TEST_UNIT_DEBUGAPI_HEADERFACTS_H

#include <map>
#include <string>

/// Numbers by name (enumerators, "sizeof" of types) and function types as text.
struct HeaderFacts {
  std::map<std::string, long long> numbers;
  std::map<std::string, std::string> functions;
};

HeaderFacts readOwnHeader();
HeaderFacts readAMDHeader();

#endif
