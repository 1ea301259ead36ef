/* Loads the GPU's runtime late, as a part of a library, and unloads it. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static void step(const char *what) {
  char c;
  puts(what);
  fflush(stdout);
  while (read(0, &c, 1) == 1 && c != '\n')
    ;
}

int main(int argc, char **argv) {
  step("started");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    puts(dlerror());
    return 2;
  }
  int result = ((int (*)(void))dlsym(library, "attach"))();
  dlclose(library);
  step("unloaded");
  return result;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
