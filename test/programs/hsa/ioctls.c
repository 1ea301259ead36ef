// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program does wrong with /dev/kfd: ioctls that nobody knows, or with nonsense, memory that isn't there, forks.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct alloc {
  uint64_t address, size, handle, offset;
  uint32_t gpu, flags;
};

static const char *try(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument) ? strerrorname_np(errno) : "0";
}

int main(void) {
  int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC), render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  unsigned char junk[1024];
  if (kfd < 0 || render < 0)
    return 2;
  memset(junk, 0, sizeof(junk));
  // Numbers that no kernel has yet, and those between a device and its driver.
  printf("unknown: %s %s %s %s\n", try(kfd, _IOWR('K', 0x5e, char[64]), junk), try(kfd, _IOWR('K', 0xf0, char[24]), junk),
         try(kfd, _IOWR('K', 0xff, char[1000]), junk), try(render, _IOWR('d', 0x9e, char[64]), junk));
  uint32_t gpu = 0;
  FILE *id = fopen("/sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id", "r");
  if (!id || fscanf(id, "%u", &gpu) != 1)
    return 3;
  // More memory than there is.
  struct alloc a = {0x700000000000, (uint64_t)1 << 44, 0, 0, gpu, 1u | 1u << 31};
  printf("too much: %s\n", try(kfd, _IOWR('K', 0x16, struct alloc), &a));
  // Events at addresses without memory, and more of them than there can be.
  struct { uint64_t place; uint32_t count, all, timeout, result; } events = {0x5000, 3, 0, 0, 0};
  printf("events nowhere: %s", try(kfd, _IOWR('K', 0x0c, events), &events));
  events.place = 0, events.count = 1;
  printf(" %s", try(kfd, _IOWR('K', 0x0c, events), &events));
  events.place = (uintptr_t)junk, events.count = ~0u;
  printf(" %s\n", try(kfd, _IOWR('K', 0x0c, events), &events));
  // The same of a render node: its version's texts, a fact, a job.
  uint64_t version[8] = {0, 0, 20, 0x5000}, fact[4] = {0x5000, 64, 0, 0}, drm[3] = {1, 0, 0};
  fact[1] |= (uint64_t)0x16 << 32;
  printf("render nowhere: %s %s", try(render, _IOWR('d', 0x00, version), version), try(render, _IOW('d', 0x45, fact), fact));
  ioctl(render, _IOWR('d', 0x42, uint64_t[2]), drm);
  uint64_t job[3] = {(uint32_t)drm[0], 1, 0x5000};
  printf(" %s", try(render, _IOWR('d', 0x44, job), job));
  uint64_t places[1] = {0x5000};
  job[0] = (uint32_t)drm[0], job[1] = 1, job[2] = (uintptr_t)places;
  printf(" %s\n", try(render, _IOWR('d', 0x44, job), job));
  a.size = 0;
  printf("nothing: %s\n", try(kfd, _IOWR('K', 0x16, struct alloc), &a));
  // Every ioctl with nonsense, of every size; events and jobs that nobody signals would wait forever.
  srand(1);
  for (unsigned number = 0; number < 0x100; ++number)
    for (unsigned turn = 0; turn < 40; ++turn) {
      for (unsigned i = 0; i < sizeof(junk); ++i)
        junk[i] = turn % 2 ? rand() : rand() % 8 ? 0 : rand();
      // Pointers of an argument are the program's own business: these lead nowhere, or here.
      for (unsigned i = 0; i + 8 <= 64; i += 8)
        if (turn % 4 < 3)
          memset(junk + i, 0, 8);
      if (number && number != 0x0c && number != 0x25)
        ioctl(kfd, _IOC(3, 'K', number, 8 + turn % 16 * 8), junk);
      if (number != 0x49)
        ioctl(render, _IOC(3, 'd', number, 8 + turn % 16 * 24), junk);
    }
  a.size = 4096;
  printf("afterwards: %s\n", try(kfd, _IOWR('K', 0x16, struct alloc), &a));
  fflush(stdout);
  if (!fork()) {
    struct alloc b = {0x700000100000, 4096, 0, 0, gpu, 1u | 1u << 31};
    int own = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    printf("child: %s\n", try(own, _IOWR('K', 0x16, struct alloc), &b));
    fflush(stdout);
    abort();
  }
  int status;
  wait(&status);
  a.address += 0x10000000;
  printf("child's signal: %d, parent: %s\n", WTERMSIG(status), try(kfd, _IOWR('K', 0x16, struct alloc), &a));
  return 0;
}
