/* Not compiled: masked.S holds what a compiler that widens by 8 with AVX2 could make
   of the function. */
int masked(void) {
  /* a: eight ints in ymm0. b: eight in ymm1. The sign bits of ymm5's elements say
     which lanes are active. */
  return 0; /* break here */
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
