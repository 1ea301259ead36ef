// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled for the host and for the GPU: a line of it is the GPU's alone.
extern "C" int work(int value) {
  value += 1;
#ifdef __AMDGCN__
  value *= 2; // on the GPU
#endif
  value -= 3; // on both
  return value;
}
