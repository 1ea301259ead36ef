#include <stdio.h>

void add_1000(int dst[]);

int main(void) {
  int dst[24];
  for (int k = 0; k < 24; ++k)
    dst[k] = k;
  add_1000(dst);
  printf("dst[7] %d, dst[10] %d, dst[20] %d\n", dst[7], dst[10], dst[20]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
