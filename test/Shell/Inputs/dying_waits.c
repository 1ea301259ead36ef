// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to preload: the process is killed before (DIES=before N) or after
// (DIES=after N) its Nth waitpid().
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

pid_t waitpid(pid_t pid, int *status, int options) {
  static int count;
  const char *dies = getenv("DIES");
  char place[64];
  ++count;
  snprintf(place, sizeof(place), "before %d", count);
  if (dies && !strcmp(dies, place))
    raise(SIGKILL);
  const pid_t result = ((pid_t(*)(pid_t, int *, int))dlsym(RTLD_NEXT, "waitpid"))(pid, status, options);
  snprintf(place, sizeof(place), "after %d", count);
  if (dies && !strcmp(dies, place))
    raise(SIGKILL);
  return result;
}
