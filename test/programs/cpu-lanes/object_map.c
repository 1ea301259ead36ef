/* Not compiled: object_map.S holds what a compiler could make of it. Between the
   load of eight elements and their store, dst[k] of that chunk is in ymm0. */
void add_1000(int dst[24]) {
  for (int i = 0; i < 24; ++i)
    dst[i] += 1000;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
