// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// deny CALLS ERRNO PROGRAM...: runs a program whose system calls of these numbers fail, as under a container's seccomp profile.
// CALLS is 101,310 or, only if the first argument has that value, 101=16.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  struct sock_filter filter[256];
  unsigned short size = 0;
  const struct sock_filter fail = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(argv[2]));
  for (char *at = argv[1]; *at && size < 250; at += *at == ',') {
    const unsigned number = strtoul(at, &at, 10);
    const int has_value = *at == '=';
    filter[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    filter[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, has_value ? 3 : 1);
    if (has_value) {
      const unsigned value = strtoul(at + 1, &at, 10);
      filter[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
      filter[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    }
    filter[size++] = fail;
  }
  filter[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {size, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("seccomp");
    return 3;
  }
  execv(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}
