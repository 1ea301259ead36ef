//===-- Architecture.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Architecture.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace wavelane;
using namespace wavelane::location;

//===-- AMDGPU ------------------------------------------------------------===//

namespace dwarf = gpu::dwarf;

// Wave32 and wave64 number their vector registers differently, and a wave only
// has its own.
template <unsigned Lanes>
static constexpr RegisterRange WaveRegisters[] = {
    {dwarf::PC32, 1, 4, 0, "pc_32", 0},
    {dwarf::Exec32, 1, 4, 0, "exec_32", 0},
    {dwarf::PC, 1, 8, 0, "pc", 0},
    {dwarf::Exec64, 1, 8, 0, "exec", 0},
    {dwarf::SGPR0, 64, 4, 0, "s", 0},
    {dwarf::Status, 1, 4, 0, "status", 0},
    {dwarf::VCC32, 1, 4, 0, "vcc_32", 0},
    {dwarf::VCC64, 1, 8, 0, "vcc", 0},
    {dwarf::SGPR64, 42, 4, 0, "s", 64},
    {dwarf::vector(0, Lanes), dwarf::VectorCount, 4 * Lanes, 4, "v", 0},
    {dwarf::accumulation(0, Lanes), dwarf::VectorCount, 4 * Lanes, 4, "a", 0},
};

static std::vector<NumberedSpace> makeGPUSpaces() {
  std::vector<NumberedSpace> Spaces;
  for (const gpu::AddressSpace &S : gpu::AddressSpaces)
    Spaces.push_back(
        {S.Number, {S.Name, S.Bits, S.Null, S.PerLane, S.PerWorkgroup}});
  return Spaces;
}

//===-- x86-64 ------------------------------------------------------------===//

static constexpr RegisterRange SSERegisters[] = {
    {0, 1, 8, 0, "rax", 0},      {1, 1, 8, 0, "rdx", 0},
    {2, 1, 8, 0, "rcx", 0},      {3, 1, 8, 0, "rbx", 0},
    {4, 1, 8, 0, "rsi", 0},      {5, 1, 8, 0, "rdi", 0},
    {6, 1, 8, 0, "rbp", 0},      {7, 1, 8, 0, "rsp", 0},
    {8, 8, 8, 0, "r", 8},        {16, 1, 8, 0, "rip", 0},
    {17, 16, 16, 0, "xmm", 0},   {33, 8, 10, 0, "st", 0},
    {41, 8, 8, 0, "mm", 0},      {49, 1, 8, 0, "rflags", 0},
    {50, 1, 2, 0, "es", 0},      {51, 1, 2, 0, "cs", 0},
    {52, 1, 2, 0, "ss", 0},      {53, 1, 2, 0, "ds", 0},
    {54, 1, 2, 0, "fs", 0},      {55, 1, 2, 0, "gs", 0},
    {58, 1, 8, 0, "fs_base", 0}, {59, 1, 8, 0, "gs_base", 0},
    {62, 1, 2, 0, "tr", 0},      {63, 1, 2, 0, "ldtr", 0},
    {64, 1, 4, 0, "mxcsr", 0},   {65, 1, 2, 0, "fcw", 0},
    {66, 1, 2, 0, "fsw", 0},
};

// The wider registers have the numbers of the narrower ones that they contain.
static std::vector<RegisterRange> widen(const char *Name, unsigned Size,
                                        bool HasAVX512) {
  std::vector<RegisterRange> Registers(std::begin(SSERegisters),
                                       std::end(SSERegisters));
  for (RegisterRange &Range : Registers)
    if (Range.First == 17) {
      Range.Name = Name;
      Range.Size = Size;
    }
  if (HasAVX512) {
    Registers.push_back({67, 16, Size, 0, Name, 16});
    Registers.push_back({118, 8, 8, 0, "k", 0});
  }
  return Registers;
}

static constexpr NumberedSpace FlatSpaces[] = {
    {0, {"default", 64, 0, false, false}},
};

//===-- Looking up --------------------------------------------------------===//

ArrayRef<Architecture> Architecture::getAll() {
  static const std::vector<RegisterRange> AVX = widen("ymm", 32, false);
  static const std::vector<RegisterRange> AVX512 = widen("zmm", 64, true);
  static const std::vector<NumberedSpace> GPUSpaces = makeGPUSpaces();
  static const Architecture All[] = {
      {"amdgpu-wave64", 8, 64, 64, 16, true, WaveRegisters<64>, GPUSpaces},
      {"amdgpu-wave32", 8, 32, 64, 16, true, WaveRegisters<32>, GPUSpaces},
      {"x86_64", 8, 1, 7, 16, false, SSERegisters, FlatSpaces},
      {"x86_64-avx", 8, 1, 7, 16, false, AVX, FlatSpaces},
      {"x86_64-avx512", 8, 1, 7, 16, false, AVX512, FlatSpaces},
  };
  return All;
}

const Architecture *Architecture::find(StringRef Name) {
  for (const Architecture &A : getAll())
    if (Name == A.Name)
      return &A;
  return nullptr;
}

const RegisterRange *Architecture::findRegister(uint64_t Number) const {
  for (const RegisterRange &Range : Registers)
    if (Number >= Range.First && Number - Range.First < Range.Count)
      return &Range;
  return nullptr;
}

std::optional<std::string>
Architecture::getRegisterName(uint64_t Number) const {
  const RegisterRange *Range = findRegister(Number);
  if (!Range)
    return std::nullopt;
  if (Range->Count == 1)
    return std::string(Range->Name);
  return Range->Name + utostr(Number - Range->First + Range->FirstIndex);
}

std::optional<uint64_t> Architecture::getRegisterNumber(StringRef Name) const {
  for (const RegisterRange &Range : Registers) {
    if (Range.Count == 1) {
      if (Name == Range.Name)
        return Range.First;
      continue;
    }
    StringRef Index = Name;
    unsigned N;
    if (Index.consume_front(Range.Name) && !Index.getAsInteger(10, N) &&
        N >= Range.FirstIndex && N - Range.FirstIndex < Range.Count)
      return Range.First + N - Range.FirstIndex;
  }
  return std::nullopt;
}

std::optional<AddressSpace>
Architecture::getAddressSpace(uint64_t Number) const {
  for (const NumberedSpace &S : Spaces)
    if (S.Number == Number)
      return S.Space;
  return std::nullopt;
}
