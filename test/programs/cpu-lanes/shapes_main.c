#include <stdio.h>

void shapes(void);
extern int shapes_out[8];

int main(void) {
  shapes();
  for (int i = 0; i < 8; ++i)
    printf("%d ", shapes_out[i]);
  puts("end");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
