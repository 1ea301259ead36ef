#include <stdio.h>
#include <string.h>

extern char **environ;
int main(int argc, char **argv) {
  char here;
  for (char **at = environ; *at; ++at)
    if (!strncmp(*at, "LD_", 3) || !strncmp(*at, "HSA_", 4) || !strncmp(*at, "WAVELANE_", 9))
      printf("%s\n", *at);
  printf("stack: %p\n", (void *)&here);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
