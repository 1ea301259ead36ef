// Programs that do what debuggers and runtimes don't expect, by the first argument. What they compute stays right.
#include "check.h"
#include <cassert>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    out[i] += i;
}
__global__ void say(int n) {
  for (int k = 0; k < n; ++k)
    printf("line %d of lane %d\n", k, int(threadIdx.x));
}
__global__ void failing(int n) { assert(n == 1 && "n is one"); }

static const int Lanes = 256;

/// Whether kernels still compute what they should.
static bool computes(int rounds = 1) {
  int *out;
  if (hipMalloc((void **)&out, Lanes * sizeof(int)) != hipSuccess || hipMemset(out, 0, Lanes * sizeof(int)) != hipSuccess)
    return false;
  for (int i = 0; i < rounds; ++i)
    add<<<Lanes / 64, 64>>>(out, 10);
  std::vector<int> got(Lanes);
  if (hipMemcpy(got.data(), out, Lanes * sizeof(int), hipMemcpyDeviceToHost) != hipSuccess || hipFree(out) != hipSuccess)
    return false;
  for (int i = 0; i < Lanes; ++i)
    if (got[i] != i * 10 * rounds)
      return false;
  return true;
}

static void waitForAll() {
  while (wait(nullptr) > 0 || errno == EINTR)
    ;
}

/// Children that have children, while kernels run.
static bool forks() {
  if (!computes())
    return false;
  for (int i = 0; i < 64; ++i)
    if (fork() == 0) {
      for (int k = 0; k < 2; ++k)
        if (fork() == 0)
          _exit(0);
      waitForAll();
      _exit(0);
    }
  const bool good = computes(20);
  waitForAll();
  return good && computes();
}

/// The program that was started ends; its grandchild works in a session of its own.
static bool daemonize() {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  if (fork() == 0) {
    setsid();
    if (fork() != 0)
      _exit(0);
    const char good = computes();
    (void)!write(ends[1], &good, 1);
    _exit(0);
  }
  close(ends[1]);
  char good = 0;
  return read(ends[0], &good, 1) == 1 && good;
}

static bool vforks() {
  if (!computes())
    return false;
  for (int i = 0; i < 32; ++i) {
    const pid_t child = vfork();
    if (child == 0)
      _exit(0);
    waitpid(child, nullptr, 0);
  }
  return system("true") == 0 && computes();
}

/// A program for another processor isn't executed; this one goes on.
static bool otherArchitecture() {
  if (!computes())
    return false;
  char name[] = "/tmp/wavelane-odd-XXXXXX";
  const int file = mkstemp(name);
  // An ELF header for RISC-V.
  unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  header[16] = 2, header[18] = 243, header[20] = 1, header[52] = 64;
  (void)!write(file, header, sizeof(header));
  fchmod(file, 0700);
  close(file);
  execl(name, name, nullptr);
  const bool refused = errno == ENOEXEC;
  unlink(name);
  return refused && computes();
}

static volatile sig_atomic_t Traps, Ticks;
static sigjmp_buf Back;

/// The program has handlers of its own for what debuggers use.
static bool handlers() {
  signal(SIGTRAP, [](int) { ++Traps; });
  signal(SIGSEGV, [](int) { siglongjmp(Back, 1); });
  signal(SIGPROF, [](int) { ++Ticks; });
  const itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
  bool good = computes(50);
  for (int i = 0; i < 10; ++i) {
    raise(SIGTRAP);
    if (sigsetjmp(Back, 1) == 0) {
      *(volatile int *)nullptr = 1;
      good = false;
    }
    good &= computes();
  }
  return good && Traps == 10;
}

/// All that it knows nothing of is closed, as daemons do.
static bool closed() {
  for (int fd = 3; fd < 1024; ++fd)
    close(fd);
  return computes();
}

/// The runtime's own descriptors, too: whatever the calls answer, they answer.
static bool closedLate() {
  const bool good = computes();
  for (int fd = 3; fd < 1024; ++fd)
    close(fd);
  (void)computes();
  return good;
}

static bool otherRoot(bool late) {
  if (late && !computes())
    return false;
  char folder[] = "/tmp/wavelane-odd-XXXXXX";
  // The folder is gone when the program is.
  if (!mkdtemp(folder) || chdir(folder) != 0 || rmdir(folder) != 0 || chroot(".") != 0)
    return false;
  return computes();
}

static bool otherUser() {
  return computes() && setgroups(0, nullptr) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0 &&
         computes();
}

/// After its beginning it may open nothing and make no sockets.
static bool sandboxed() {
  if (!computes())
    return false;
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_open, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 && computes();
}

/// All new memory shall stay in RAM, of which a user may lock little: the device's addresses don't fit.
static bool locked() {
  const rlimit little = {1 << 20, 1 << 20};
  if (setrlimit(RLIMIT_MEMLOCK, &little) != 0 || setresuid(65534, 65534, 65534) != 0 || mlockall(MCL_FUTURE) != 0) {
    perror("locked");
    return false;
  }
  return computes();
}

/// Threads that end right after a launch.
static bool threads() {
  int *out;
  HIP(hipMalloc((void **)&out, Lanes * sizeof(int)));
  HIP(hipMemset(out, 0, Lanes * sizeof(int)));
  for (int i = 0; i < 100; ++i)
    std::thread([out] { add<<<Lanes / 64, 64>>>(out, 1); }).detach();
  for (int i = 0; i < 20; ++i)
    std::thread([] { computes(); }).join();
  return hipDeviceSynchronize() == hipSuccess && computes();
}

static bool modules(const char *path) {
  std::ifstream in(path, std::ios::binary);
  const std::string code((std::istreambuf_iterator<char>(in)), {});
  for (int i = 0; i < 1000; ++i) {
    hipModule_t module;
    if (hipModuleLoadData(&module, code.data()) != hipSuccess || hipModuleUnload(module) != hipSuccess)
      return false;
  }
  return !code.empty() && computes();
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  bool good = false;
  if (what == "forks")
    good = forks();
  else if (what == "daemon")
    good = daemonize();
  else if (what == "vfork")
    good = vforks();
  else if (what == "other-architecture")
    good = otherArchitecture();
  else if (what == "handlers")
    good = handlers();
  else if (what == "closed")
    good = closed();
  else if (what == "closed-late")
    good = closedLate();
  else if (what == "chroot")
    good = otherRoot(false);
  else if (what == "chroot-late")
    good = otherRoot(true);
  else if (what == "other-user")
    good = otherUser();
  else if (what == "sandboxed")
    good = sandboxed();
  else if (what == "locked")
    good = locked();
  else if (what == "threads")
    good = threads();
  else if (what == "modules" && argc > 2)
    good = modules(argv[2]);
  else if (what == "lines") {
    say<<<1, 64>>>(1000);
    good = hipDeviceSynchronize() == hipSuccess;
  } else if (what == "asserts") {
    failing<<<2500, 256>>>(2);
    printf("asserts: %s\n", hipGetErrorString(hipDeviceSynchronize()));
    return 0;
  }
  printf("%s: %s\n", what.c_str(), good ? "PASSED" : "FAILED");
  return good ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
