/* The loop of figure D.73. It is not compiled: vec_add.S holds what a compiler
   that widens by 8 could make of it, with the description of figure D.75. */

void vec_add (int dst[], int src[], int len) {
  #pragma omp simd
  for (int i = 0; i < len; ++i)
    dst[i] += src[i];
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
