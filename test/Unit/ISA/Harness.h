//===-- Harness.h - assembles GPU code and runs a wave on it --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TEST_UNIT_ISA_HARNESS_H
#define WAVELANE_TEST_UNIT_ISA_HARNESS_H

#include "wavelane/Simulator/ISA/ISA.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace isatest {

using namespace wavelane::isa;

/// 9 for gfx90a, 12 for gfx1201.
constexpr unsigned generation(wavelane::isa::Target T) {
  return wavelane::gpu::get(T).generation();
}

/// Machine code of assembly text; on errors, the test fails and there is no
/// code.
std::vector<uint8_t>
assemble(const std::string &Text,
         wavelane::isa::Target T = wavelane::isa::Target::GFX90A,
         unsigned Lanes = 64);

/// Memory made of separate regions.
class RegionMemory : public MemoryAccess {
public:
  uint8_t *add(uint64_t Address, size_t Size);
  MemorySpan resolve(uint64_t Address, Access Kind) override;
  uint8_t *at(uint64_t Address);

private:
  std::map<uint64_t, std::vector<uint8_t>> Regions;
};

/// A wave with 64 arch registers, acc registers if the GPU has them, 4 KiB of
/// LDS, 64 KiB of data memory and a program.
class Wave {
public:
  static constexpr uint64_t Code = 0x100000, Data = 0x200000,
                            Scratch = 0x400000;
  RegionMemory Memory;
  WaveState S;
  std::vector<uint8_t> LDS;
  Executor Exec;

  explicit Wave(wavelane::isa::Target T = wavelane::isa::Target::GFX90A,
                unsigned Lanes = 64);
  /// Assembles the text with s_endpgm appended, and runs it. Fails the test if
  /// it ends differently.
  void run(const std::string &Text);
  /// Assembles the text (nothing appended) and sets the PC.
  void load(const std::string &Text);

  void setV(unsigned Reg, const std::function<uint32_t(unsigned)> &F) {
    for (unsigned L = 0; L < S.LaneCount; ++L)
      S.vgpr(Reg, L) = F(L);
  }
  void setV64(unsigned Reg, const std::function<uint64_t(unsigned)> &F) {
    for (unsigned L = 0; L < S.LaneCount; ++L) {
      S.vgpr(Reg, L) = uint32_t(F(L));
      S.vgpr(Reg + 1, L) = uint32_t(F(L) >> 32);
    }
  }
  uint32_t v(unsigned Reg, unsigned L) { return S.vgpr(Reg, L); }
  uint64_t v64(unsigned Reg, unsigned L) {
    return S.vgpr(Reg, L) | uint64_t(S.vgpr(Reg + 1, L)) << 32;
  }
  template <class T> T &data(uint64_t Offset) {
    return *reinterpret_cast<T *>(Memory.at(Data + Offset));
  }
};

inline uint32_t bits(float F) {
  uint32_t B;
  std::memcpy(&B, &F, 4);
  return B;
}
inline uint64_t bits(double F) {
  uint64_t B;
  std::memcpy(&B, &F, 8);
  return B;
}
inline float asFloat(uint32_t B) {
  float F;
  std::memcpy(&F, &B, 4);
  return F;
}
inline double asDouble(uint64_t B) {
  double F;
  std::memcpy(&F, &B, 8);
  return F;
}

/// Interesting 32-bit patterns, one for each lane and round.
uint32_t pattern(unsigned Lane, unsigned Salt);
uint64_t pattern64(unsigned Lane, unsigned Salt);
/// The same, with more edge cases of floats.
uint32_t floatPattern(unsigned Lane, unsigned Salt);
uint64_t doublePattern(unsigned Lane, unsigned Salt);

} // namespace isatest

#endif
