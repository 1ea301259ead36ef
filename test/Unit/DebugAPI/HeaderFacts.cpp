//===-- HeaderFacts.cpp - compiled once with each header ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HEADER is the header to include, READ the function to define. HeaderNames.inc
// lists the names that the project's header declares.
//
//===----------------------------------------------------------------------===//

#include HEADER
#include "HeaderFacts.h"

template <typename T> static std::string nameOf() {
  return __PRETTY_FUNCTION__;
}

HeaderFacts READ() {
  HeaderFacts facts;
#define NUMBER(name) facts.numbers[#name] = static_cast<long long>(name);
#define TYPE(name) facts.numbers["sizeof " #name] = sizeof(name);
#define FUNCTION(name) facts.functions[#name] = nameOf<decltype(&name)>();
#include "HeaderNames.inc"
  return facts;
}
