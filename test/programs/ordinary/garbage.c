// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable holds what an earlier call has left on the stack, which differs in each run.
#include <sys/auxv.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static long leave(void) {
  volatile long secrets[4];
  for (int i = 0; i < 4; ++i)
    secrets[i] = *(const long *)getauxval(AT_RANDOM) + i;
  return secrets[3];
}

NOINLINE static long find(int count) {
  volatile long found[4];
  for (int i = 0; i < count; ++i)
    found[i] = i;
  return found[0];
}

int main(int argc, char **argv) {
  (void)argv;
  const long left = leave();
  const long first = find(argc);
  return first == left;
}
