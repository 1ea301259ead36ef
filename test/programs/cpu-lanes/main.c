/* Calls vec_add and checks what it did: 20 elements are two rounds of the
   8-wide loop and four of the scalar one. */
#include <stdio.h>

void vec_add(int dst[], int src[], int len);

enum { N = 20 };

static int dst[N], src[N];

int main(void) {
  int wrong = 0;
  for (int k = 0; k < N; ++k) {
    dst[k] = 100 + k;
    src[k] = 1000 * k;
  }
  vec_add(dst, src, N);
  for (int k = 0; k < N; ++k)
    wrong += dst[k] != 100 + k + 1000 * k;
  printf("%d wrong, dst[5] %d, dst[13] %d, dst[17] %d\n", wrong, dst[5],
         dst[13], dst[17]);
  return wrong != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
