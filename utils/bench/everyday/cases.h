// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels are executed with, and what their results add up to.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

struct Case {
  const char *Name;
  unsigned Groups, N;
  size_t Sizes[3];    ///< of a, b and c, in words
  const char *Begins; ///< f: numbers from 0 to 1, u: any words, 0
  int Result;         ///< its index
  bool IsFloat;
};
static const Case Cases[] = {
    {"axpy", 4096, 1 << 20, {1 << 20, 1 << 20, 1}, "ff0", 1, true},
    {"matmul", 256, 256, {65536, 65536, 65536}, "ff0", 2, true},
    {"total", 1024, 0, {1 << 20, 1024, 1}, "f00", 1, true},
    {"buckets", 128, 0, {1 << 19, 256, 1}, "u00", 1, false},
    {"prefix", 512, 0, {1 << 17, 1 << 17, 1}, "u00", 1, false},
    {"neighbors", 1024, 512, {1 << 18, 1 << 18, 1}, "f00", 1, true},
    {"bodies", 4, 1024, {4096, 4096, 1}, "f00", 1, true},
    {"option", 512, 0, {1 << 17, 1 << 17, 1 << 17}, "ff0", 2, true},
    {"escape", 256, 256, {1, 1 << 16, 1}, "000", 1, false},
    {"bytes", 16, 4096, {1 << 20, 4096, 256}, "u0u", 1, false},
    {"shares", 256, 0, {1 << 18, 1 << 18, 1}, "f00", 1, true},
    {"digits", 512, 8, {1 << 19, 1 << 19, 1}, "u00", 1, false},
    {"hashes", 64, 0, {16, 1 << 14, 1}, "u00", 1, false},
};

inline std::vector<uint32_t> beginning(size_t Size, char How) {
  std::vector<uint32_t> Words(Size, 0);
  uint32_t State = 12345;
  for (uint32_t &W : Words) {
    if (How == '0')
      break;
    State = State * 1664525u + 1013904223u;
    W = State ^ State >> 16;
    if (How == 'f') {
      const float F = float(W >> 8) / float(1 << 24);
      std::memcpy(&W, &F, 4);
    }
  }
  return Words;
}

/// Of words, regardless of their order.
inline double sumOf(const Case &C, const std::vector<uint32_t> &Words) {
  double Sum = 0;
  for (uint32_t W : Words) {
    float F;
    std::memcpy(&F, &W, 4);
    Sum += C.IsFloat ? double(F) : double(W);
  }
  return Sum;
}
