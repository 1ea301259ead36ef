/* Not compiled: shapes.S holds what a compiler that widens by 8 could make of the
   function, with each variable in another kind of place. */
void shapes(void) {
  /* a: eight ints in ymm0. wide: eight longs in ymm1 and ymm2. small: eight chars
     in xmm3. strided: shorts 8 bytes apart in memory. uniform: eax. linear:
     eax + lane. Lanes 0, 1, 4, 5, 6 and 7 are active: ecx. */
  return; /* break here */
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
