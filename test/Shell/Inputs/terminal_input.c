#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *tick(void *unused) {
  for (;; usleep(20000))
    if (write(1, "tick\n", 5) != 5)
      return unused;
}

int main() {
  pthread_t thread;
  char line[100];
  pthread_create(&thread, 0, tick, 0);
  while (fgets(line, sizeof line, stdin))
    printf("read: %s", line), fflush(stdout);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
