//===-- LogOnce.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LogOnce.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

void wavelane::driver::logOnce(const std::string &What) {
  static std::mutex Lock;
  static std::set<std::string> Logged;
  const char *Wanted = secure_getenv("WAVELANE_LOG");
  if (!Wanted || strcmp(Wanted, "1") != 0)
    return;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Logged.insert(What).second)
    fprintf(stderr, "wavelane: %s\n", What.c_str());
}
