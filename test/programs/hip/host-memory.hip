// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the program that is copied to and from the GPU, while the program and its C library unmap it, map it again,
// move it and discard it.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>
#define TRY(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { printf("%s: %s\n", #x, hipGetErrorName(e_)); exit(1); } } while (0)
static const size_t size = 2 << 20;
static unsigned char *device;
// Pages of the program's file, which nobody has read before they are copied.
#define SIXTEEN(v) v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v
#define FOUR_K(v) SIXTEEN(SIXTEEN(SIXTEEN(v)))
struct Table { unsigned words[size / 4]; };
static const Table constants = {{SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7)), SIXTEEN(FOUR_K(7))}};
static Table data = {{SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9)), SIXTEEN(FOUR_K(9))}};
static void report(const char *what, bool good) { printf("%s: %s\n", what, good ? "PASSED" : "FAILED"); fflush(stdout); }
static unsigned char *map(void *at, size_t n) {
  // As a C library does it: nobody sees the call.
  return (unsigned char *)syscall(SYS_mmap, at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}
static bool is(const void *p, size_t n, unsigned char value) {
  for (size_t i = 0; i < n; ++i)
    if (((const unsigned char *)p)[i] != value)
      return false;
  return true;
}
// Whether the GPU has this value from a byte on.
static bool gpu(size_t at, size_t n, unsigned char value) {
  std::vector<unsigned char> back(n);
  TRY(hipMemcpy(back.data(), device + at, n, hipMemcpyDeviceToHost));
  return is(back.data(), n, value);
}
static bool table(const unsigned *words, unsigned value) {
  std::vector<unsigned> back(size / 4);
  TRY(hipMemcpy(device, words, size, hipMemcpyHostToDevice));
  TRY(hipMemcpy(back.data(), device, size, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < size / 4; ++i)
    if (back[i] != value || words[i] != value)
      return false;
  return true;
}
// The C library's heap, in which the runtime's own objects are.
static bool wholeHeap() {
  std::vector<unsigned char *> blocks;
  for (int i = 0; i < 400; ++i) {
    blocks.push_back((unsigned char *)malloc(256));
    memset(blocks.back(), i, 256);
    if (i % 2) // room for others between them
      free(blocks.back()), blocks.pop_back();
  }
  unsigned long begin = 0, end = 0;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof(line), maps))
    if (strstr(line, "[heap]"))
      sscanf(line, "%lx-%lx", &begin, &end);
  fclose(maps);
  TRY(hipHostRegister((void *)begin, end - begin, hipHostRegisterDefault));
  TRY(hipHostUnregister((void *)begin));
  bool good = begin != 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    good &= is(blocks[i], 256, (unsigned char)(2 * i));
    free(blocks[i]);
  }
  return good;
}
// Calls of the program's own that a driver can follow.
static void calls(unsigned char *p, unsigned char *other) {
  // What realloc() does with large blocks.
  TRY(hipHostRegister(other, size, hipHostRegisterDefault));
  auto *moved = (unsigned char *)mremap(other, size, 2 * size, MREMAP_MAYMOVE);
  TRY(hipHostUnregister(other));
  bool good = true;
  if (moved == MAP_FAILED) { // as for other mappings of two kinds
    puts("moved: REFUSED");
  } else {
    good = is(moved, size, 4) && is(moved + size, size, 0);
    memset(moved, 5, 2 * size);
    TRY(hipMemcpy(device, moved, 2 * size, hipMemcpyHostToDevice));
    report("moved", good && gpu(0, 2 * size, 5));
  }
  TRY(hipHostRegister(p, size, hipHostRegisterDefault));
  good = madvise(p, size / 2, MADV_DONTNEED) == 0 && is(p, size / 2, 0) && is(p + size / 2, size / 2, 2);
  TRY(hipHostUnregister(p));
  report("discarded", good && is(p, size / 2, 0) && is(p + size / 2, size / 2, 2));
}
int main(int argc, char **) {
  TRY(hipMalloc(&device, 4 * size));
  report("constants", table(constants.words, 7));
  report("data", table(data.words, 9));
  unsigned char *p = map(nullptr, size);
  memset(p, 1, size);
  TRY(hipMemcpy(device, p, size, hipMemcpyHostToDevice));
  syscall(SYS_munmap, p + size / 2, size / 2);
  map(p + size / 2, size / 2);
  memset(p + size / 2, 2, size / 2);
  TRY(hipMemcpy(device, p, size, hipMemcpyHostToDevice));
  report("half replaced", is(p, size / 2, 1) && is(p + size / 2, size / 2, 2) && gpu(0, 4096, 1) && gpu(size / 2, 4096, 2));
  // Registered memory, of which the program replaces a part.
  TRY(hipHostRegister(p, size, hipHostRegisterDefault));
  map(p, size / 2);
  memset(p, 3, size / 2);
  unsigned char *other = map(nullptr, size);
  memset(other, 4, size);
  TRY(hipMemcpy(device, other, size, hipMemcpyHostToDevice));
  TRY(hipHostUnregister(p));
  report("registered and replaced", is(p, size / 2, 3) && is(p + size / 2, size / 2, 2) && is(other, size, 4) && gpu(0, size, 4));
  if (argc > 1)
    calls(p, other);
  report("whole heap", wholeHeap());
  // The C library's heap grows and shrinks.
  std::minstd_rand random(1);
  bool good = true;
  for (int round = 0; round < 30; ++round) {
    std::vector<unsigned char> lives[3];
    size_t sizes[3];
    for (int i = 0; i < 3; ++i) {
      sizes[i] = 4096 + random() % size;
      lives[i].assign(sizes[i], (unsigned char)(3 * round + i));
      TRY(hipMemcpy(device + i * size, lives[i].data(), sizes[i], hipMemcpyHostToDevice));
      if (random() % 2)
        std::vector<unsigned char>().swap(lives[i]);
    }
    for (int i = 0; i < 3; ++i) {
      std::vector<unsigned char> back(sizes[i]);
      TRY(hipMemcpy(back.data(), device + i * size, sizes[i], hipMemcpyDeviceToHost));
      good &= is(back.data(), sizes[i], (unsigned char)(3 * round + i)) && is(lives[i].data(), lives[i].size(), (unsigned char)(3 * round + i));
    }
  }
  report("heap", good);
}
