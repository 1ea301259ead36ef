//===-- AMDLibrary.h - Tests with AMD's debugger library --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WAVELANE_TEST_DBGAPI names a library to test instead of ours. Tests that
// can't run with AMD's are listed in test/amd-library.exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TEST_AMDLIBRARY_H
#define WAVELANE_TEST_AMDLIBRARY_H

#include "gtest/gtest.h"
#include <cstdlib>
#include <fnmatch.h>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::test {

/// The library under test.
inline const char *libraryPath() {
  const char *other = getenv("WAVELANE_TEST_DBGAPI");
  return other ? other : WAVELANE_TEST_LIBRARY;
}

/// Names, and the reason of each.
inline std::vector<std::pair<std::string, std::string>> readExceptions() {
  std::vector<std::pair<std::string, std::string>> all;
  std::ifstream file(WAVELANE_TEST_EXCEPTIONS);
  for (std::string line; std::getline(file, line);)
    if (const size_t tab = line.find('\t');
        line[0] != '#' && tab != std::string::npos)
      all.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  EXPECT_FALSE(all.empty()) << WAVELANE_TEST_EXCEPTIONS;
  return all;
}

inline bool matches(const std::string &name, const ::testing::TestInfo &test) {
  const std::string whole =
      std::string(test.test_suite_name()) + "." + test.name();
  return fnmatch(name.c_str(), whole.c_str(), 0) == 0;
}

/// Why the test that runs can't run over that library; empty if it can.
inline std::string reasonToSkip() {
  if (getenv("WAVELANE_TEST_DBGAPI"))
    for (const auto &[name, reason] : readExceptions())
      if (matches(name,
                  *::testing::UnitTest::GetInstance()->current_test_info()))
        return reason;
  return "";
}

/// Exceptions that begin with \p prefix are tests of this program.
inline void expectTests(const std::string &prefix) {
  const ::testing::UnitTest &all = *::testing::UnitTest::GetInstance();
  for (const auto &[name, reason] : readExceptions()) {
    bool found = name.rfind(prefix, 0) != 0;
    for (int i = 0; i < all.total_test_suite_count() && !found; ++i)
      for (int k = 0; k < all.GetTestSuite(i)->total_test_count(); ++k)
        found |= matches(name, *all.GetTestSuite(i)->GetTestInfo(k));
    EXPECT_TRUE(found) << "there is no " << name;
  }
}

} // namespace wavelane::test

#endif // WAVELANE_TEST_AMDLIBRARY_H
