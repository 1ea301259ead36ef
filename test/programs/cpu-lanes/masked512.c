/* Not compiled: masked512.S holds what a compiler that widens by 16 with AVX-512
   could make of the function. */
int masked512(void) {
  /* Sixteen lanes. */
  /* high: sixteen ints in zmm17. low: in zmm0. two: doubles in zmm20 and zmm21.
     half: shorts in ymm3. k1 says which lanes are active; it is returned. */
  return 0; /* break here */
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
