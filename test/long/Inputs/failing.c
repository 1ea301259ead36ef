// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preloaded: the n-th call of a function in a program fails. WAVELANE_FAIL is "PROGRAM CALL N ERRNO FILE"; the file is made when it has happened.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char call[32], mark[256];
static int wanted, code;
static atomic_int seen;

__attribute__((constructor)) static void begin(void) {
  char program[64];
  const char *how = getenv("WAVELANE_FAIL");
  if (!how || sscanf(how, "%63s %31s %d %d %255s", program, call, &wanted, &code, mark) != 5 ||
      strncmp(program_invocation_short_name, program, strlen(program)))
    call[0] = 0;
}

static int fails(const char *name) {
  if (!call[0] || strcmp(call, name) || atomic_fetch_add(&seen, 1) + 1 != wanted)
    return 0;
  const int file = creat(mark, 0600);
  if (file >= 0)
    close(file);
  errno = code;
  return 1;
}

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define WRAP(type, name, failed, parameters, arguments)                        \
  type name parameters {                                                       \
    NEXT(name);                                                                \
    if (fails(#name))                                                          \
      return failed;                                                           \
    return next arguments;                                                     \
  }
#define OPEN(name)                                                             \
  int name(const char *path, int flags, ...) {                                 \
    NEXT(name);                                                                \
    va_list list;                                                              \
    va_start(list, flags);                                                     \
    const mode_t mode = va_arg(list, mode_t);                                  \
    va_end(list);                                                              \
    return fails("open") ? -1 : next(path, flags, mode);                       \
  }
OPEN(open)
OPEN(open64)
int openat(int folder, const char *path, int flags, ...) {
  NEXT(openat);
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return fails("open") ? -1 : next(folder, path, flags, mode);
}
int fcntl64(int fd, int command, ...) {
  NEXT(fcntl64);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fails("fcntl") ? -1 : next(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  NEXT(fcntl);
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  return fails("fcntl") ? -1 : next(fd, command, argument);
}
WRAP(ssize_t, read, -1, (int fd, void *to, size_t size), (fd, to, size))
WRAP(ssize_t, write, -1, (int fd, const void *from, size_t size), (fd, from, size))
WRAP(ssize_t, pread, -1, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
WRAP(ssize_t, pwrite, -1, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
WRAP(ssize_t, pread64, -1, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
WRAP(ssize_t, pwrite64, -1, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
WRAP(int, ftruncate, -1, (int fd, off_t size), (fd, size))
WRAP(int, ftruncate64, -1, (int fd, off64_t size), (fd, size))
WRAP(int, rename, -1, (const char *from, const char *to), (from, to))
WRAP(int, linkat, -1, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
WRAP(int, mkdir, -1, (const char *path, mode_t mode), (path, mode))
WRAP(char *, mkdtemp, NULL, (char *path), (path))
WRAP(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
WRAP(void *, mmap, MAP_FAILED, (void *at, size_t size, int access, int flags, int fd, off_t offset), (at, size, access, flags, fd, offset))
WRAP(void *, mmap64, MAP_FAILED, (void *at, size_t size, int access, int flags, int fd, off64_t offset), (at, size, access, flags, fd, offset))
WRAP(int, mprotect, -1, (void *at, size_t size, int access), (at, size, access))
WRAP(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
WRAP(int, socket, -1, (int a, int b, int c), (a, b, c))
WRAP(int, socketpair, -1, (int a, int b, int c, int pair[2]), (a, b, c, pair))
WRAP(int, connect, -1, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
WRAP(int, bind, -1, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
WRAP(int, listen, -1, (int fd, int most), (fd, most))
WRAP(int, accept4, -1, (int fd, struct sockaddr *from, socklen_t *size, int flags), (fd, from, size, flags))
WRAP(int, accept, -1, (int fd, struct sockaddr *from, socklen_t *size), (fd, from, size))
WRAP(ssize_t, send, -1, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags))
WRAP(ssize_t, recv, -1, (int fd, void *to, size_t size, int flags), (fd, to, size, flags))
WRAP(ssize_t, sendmsg, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
WRAP(ssize_t, recvmsg, -1, (int fd, struct msghdr *message, int flags), (fd, message, flags))
WRAP(int, pipe, -1, (int ends[2]), (ends))
WRAP(int, pipe2, -1, (int ends[2], int flags), (ends, flags))
WRAP(int, dup2, -1, (int from, int to), (from, to))
WRAP(pid_t, fork, -1, (void), ())
WRAP(int, pthread_create, code, (pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with), (thread, how, run, with))
WRAP(ssize_t, getrandom, -1, (void *to, size_t size, unsigned flags), (to, size, flags))
WRAP(ssize_t, process_vm_readv, -1, (pid_t pid, const struct iovec *here, unsigned long a, const struct iovec *there, unsigned long b, unsigned long flags),
     (pid, here, a, there, b, flags))
WRAP(ssize_t, process_vm_writev, -1, (pid_t pid, const struct iovec *here, unsigned long a, const struct iovec *there, unsigned long b, unsigned long flags),
     (pid, here, a, there, b, flags))
WRAP(ssize_t, readlink, -1, (const char *path, char *to, size_t size), (path, to, size))
