#include <stdio.h>

int FUNCTION(void);

int main(void) {
  printf("mask %x\n", FUNCTION());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
