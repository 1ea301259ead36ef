//===-- Complain.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Complain.h"

#include <cstdarg>
#include <cstdio>

void wavelane::runtime::complain(const char *Format, ...) {
  char Text[1024];
  va_list List;
  va_start(List, Format);
  vsnprintf(Text, sizeof(Text), Format, List);
  va_end(List);
  fprintf(stderr, "wavelane: %s\n", Text);
}
