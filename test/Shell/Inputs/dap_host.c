#include <stdio.h>
#include <stdlib.h>

int work(int count) {
  int sum = 0, *last = malloc(sizeof(int));
  for (int i = 0; i < count; ++i) sum += *last = i; // loop
  free(last);
  return sum;
}

int main(int argc, char **argv) {
  int sum = work(argc > 1 ? atoi(argv[1]) : 5);
  printf("sum %d\n", sum);
  return sum == 10 ? 7 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
