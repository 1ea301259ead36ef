// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU core states with damage anywhere in the note, control stack, save area
// and queue memory.
#include "cores/CoreState.h"
#include "cores/WalkCore.h"

using namespace wavelane;
using namespace wavelane::test;

static debugapi::Functions library() {
  debugapi::Functions functions;
#define WAVELANE_FUNCTION(name) functions.name = &::amd_dbgapi_##name;
  WAVELANE_DBGAPI_FUNCTIONS(WAVELANE_FUNCTION)
#undef WAVELANE_FUNCTION
  return functions;
}

namespace {
/// The input, taken from the front; zeros behind its end.
struct Input {
  const uint8_t *data;
  size_t size;
  uint8_t byte() { return size ? (--size, *data++) : 0; }
  uint32_t word() {
    return byte() | byte() << 8 | byte() << 16 | uint32_t(byte()) << 24;
  }
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const debugapi::Functions functions = library();
  Input in{data, size};
  const auto gpus = architectures();
  const Architecture &gpu = gpus[in.byte() % gpus.size()];
  const uint8_t how = in.byte();
  Core core(gpu, gpu.hasWave32() && how & 1 ? 32 : 64);
  // Other wave shapes have other save records.
  if (how & 2)
    for (WaveState &wave : core.waves) {
      WaveShape &shape = wave.Shape;
      shape.Vgprs = 8 * (1 + in.byte() % 32);
      if (gpu.hasAcc())
        shape.AccVgprs = gpu.family().Acc == wavelane::gpu::AccRegisters::Twin
                             ? shape.Vgprs
                             : 8 * (in.byte() % 16);
      if (gpu.generation() == 9)
        shape.Sgprs = 16 * (1 + in.byte() % 7);
      else
        shape.SharedVgprs = 8 * (in.byte() % 16);
      const uint8_t bits = in.byte();
      shape.LdsBytes = gpu.LocalUnit * (bits & 15);
      shape.Scratch = bits & 16;
      shape.TheScratchSlot = in.byte();
      shape.ShaderEngine = bits >> 5 & 3;
      wave.Ttmps[6] ^= in.word();
      wave.hw(HwReg::TrapSts) = in.word();
    }
  if (how & 4) {
    core.agent.num_xcc = in.byte() % 5;
    core.agent.array_count = in.byte() % 9;
    core.agent.simd_arrays_per_engine = in.byte() % 5;
  }
  core.rdebugVersion = 8 + how % 3;
  if (!core.build().empty())
    return 0; // a shape that can't be written
  // Random bytes at random places.
  static constexpr uint64_t places[] = {0,    Area,   Area,  AmdQueue + 128,
                                        Ring, RDebug, Links, Area + 4096};
  while (in.size >= 4) {
    const uint64_t place = places[in.byte() % 8];
    const uint32_t offset = in.byte() | in.byte() << 8;
    for (uint8_t count = 1 + in.byte() % 8; count; --count) {
      const uint8_t value = in.byte();
      if (place)
        core.put<uint8_t>(place + offset % 8192 + count, value);
      else
        core.note[(offset + count) % core.note.size()] = value;
    }
  }
  if (how & 8)
    core.note.resize(core.note.size() - how % 16);
  if (how & 16)
    core.memory.erase(std::next(core.memory.begin(), how % core.memory.size()));
  CoreSource source;
  source.note = core.note;
  source.read = [&core](uint64_t address, void *buffer, size_t size) -> size_t {
    // A short read at the end of memory.
    const uint64_t first = 4096 - address % 4096;
    if (core.peek(address, buffer, size))
      return size;
    return size > first && core.peek(address, buffer, first) ? first : 0;
  };
  CoreWalker(functions).run(source);
  return 0;
}
