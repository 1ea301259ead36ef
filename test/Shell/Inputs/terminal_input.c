#include <poll.h>
#include <stdio.h>
#include <unistd.h>

// One thread: a stop comes as soon as it can.
int main() {
  char line[100];
  setvbuf(stdin, 0, _IONBF, 0);
  for (;;) {
    struct pollfd input = {0, POLLIN, 0};
    if (poll(&input, 1, 20) == 0) {
      if (write(1, "tick\n", 5) != 5)
        return 1;
    } else if (fgets(line, sizeof line, stdin)) {
      printf("read: %s", line);
      fflush(stdout);
    } else {
      return 0;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
