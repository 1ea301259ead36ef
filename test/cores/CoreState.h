//===-- CoreState.h - GPU core states made for tests ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU core state of some waves of any GPU, with values that encode their
// places, written with the save-area writer.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TEST_CORES_CORESTATE_H
#define WAVELANE_TEST_CORES_CORESTATE_H

#include "wavelane/Formats/SaveArea/SaveArea.h"
#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace wavelane::test {

using namespace wavelane::savearea;

constexpr uint64_t RDebug = 0x10000, Links = 0x11000, Ring = 0x20000,
                   AmdQueue = 0x30000, Code = 0x40000, Area = 0x1000000,
                   Scratch = 0x40000000;
constexpr uint64_t QueueDistance = uint64_t(1) << 36, ScratchSize = 1 << 24;
constexpr uint32_t ScratchWave = 4096;
constexpr unsigned Engines = 2, SlotsPerEngine = 32;

/// A value that encodes its place.
inline uint32_t mix(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t x = a * 0x9e3779b1u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;
  x ^= x >> 15;
  return x * 0x2c1b3c6du;
}

/// One core: memory, and the note. Change any members, then build it.
struct Core {
  /// Groups of three waves; wave i is at pc + i * pcStep.
  struct Where {
    unsigned groups = 2;
    uint64_t pc = Code + 0x100;
    unsigned pcStep = 8;
    /// The second of two queues has its own memory, and waves with different
    /// values.
    unsigned queue = 0;
    /// The groups are distributed equally among the XCCs.
    unsigned xccs = 1;
    /// The queue states how much private memory it has in an XCC. ROCr has left
    /// that 0 since version 11 of r_debug: then the waves' memory lies without
    /// gaps.
    bool statesScratch = true;
  };
  explicit Core(const Architecture &arch, unsigned lanes = 64)
      : Core(arch, lanes, Where()) {}
  Core(const Architecture &arch, unsigned lanes, Where where)
      : arch(arch), lanes(lanes), xccs(where.xccs),
        statesScratch(where.statesScratch), shift(where.queue * QueueDistance),
        seed(where.queue * 1000) {
    agent.lds_base = gpu::LocalAperture;
    agent.lds_limit = gpu::LocalAperture + gpu::ApertureLimit;
    agent.scratch_base = gpu::PrivateAperture;
    agent.scratch_limit = gpu::PrivateAperture + gpu::ApertureLimit;
    agent.gpu_id = 0x1234;
    agent.location_id = 0x300;
    agent.vendor_id = 0x1002;
    agent.device_id = 0x740f;
    agent.gfx_target_version = arch.TargetVersion;
    agent.simd_count = 8;
    agent.max_waves_per_simd = 8;
    agent.array_count = Engines;
    agent.simd_arrays_per_engine = 1;
    agent.num_xcc = xccs;
    agent.capability = 1u << 15 | 1u << 29 | 1u << 7 | 2u << 8;
    agent.debug_prop = 7 | 29 << 4 | 1u << 10;
    queue.exception_status = 1u << 30;
    queue.ring_base_address = Ring + shift;
    queue.write_pointer_address =
        AmdQueue + shift + simulator::AmdQueueWriteDispatchId;
    queue.read_pointer_address =
        AmdQueue + shift + simulator::AmdQueueReadDispatchId;
    queue.ctx_save_restore_address = Area + shift;
    queue.queue_id = 7 + where.queue;
    queue.gpu_id = agent.gpu_id;
    queue.ring_size = 64 * 64;
    queue.queue_type = kfd::QueueTypeComputeAql;
    runtime = {RDebug, kfd::RuntimeEnabled, 1};
    makeWaves(where);
  }

  bool gfx12() const { return arch.family().HasStatePriv; }

  /// Each group has LDS with different values. Waves beyond the available slots
  /// have no private memory.
  void makeWaves(Where where) {
    const unsigned words = 64;
    groupCount = where.groups;
    for (unsigned i = 0; i < 3 * where.groups; ++i) {
      WaveState w;
      WaveShape &s = w.Shape;
      s.Lanes = lanes;
      s.Vgprs = 24;
      s.AccVgprs = arch.family().Acc == wavelane::gpu::AccRegisters::Twin ? 24
                   : arch.hasAcc()                                        ? 8
                                                                          : 0;
      s.Sgprs = arch.generation() == 9 ? 112 : 128;
      // 1024 bytes of it are filled in.
      s.LdsBytes =
          (1024 + arch.LocalUnit - 1) / arch.LocalUnit * arch.LocalUnit;
      s.First = i % 3 == 0;
      s.Last = i % 3 == 2;
      s.Scratch = i + 1 < SlotsPerEngine;
      s.ShaderEngine = i % Engines;
      s.TheScratchSlot = s.Scratch ? 1 + i : 0;
      std::vector<uint32_t> &sgprs = storage.emplace_back();
      for (unsigned r = 0; r < s.Sgprs; ++r)
        sgprs.push_back(mix(seed + i, r, 1));
      const uint64_t base = scratchBase(i);
      if (arch.generation() == 9) {
        sgprs[102] = uint32_t(base);
        sgprs[103] = uint32_t(base >> 32);
      } else {
        w.hw(HwReg::FlatScratchLo) = uint32_t(base);
        w.hw(HwReg::FlatScratchHi) = uint32_t(base >> 32);
      }
      std::vector<uint32_t> &vgprs = storage.emplace_back();
      for (unsigned r = 0; r < s.Vgprs; ++r)
        for (unsigned l = 0; l < lanes; ++l)
          vgprs.push_back(mix(seed + i, r, 100 + l));
      std::vector<uint32_t> &acc = storage.emplace_back();
      for (unsigned r = 0; r < s.AccVgprs; ++r)
        for (unsigned l = 0; l < lanes; ++l)
          acc.push_back(mix(seed + i, r, 200 + l));
      std::vector<uint32_t> &lds = storage.emplace_back();
      for (unsigned b = 0; b < s.LdsBytes / 4; ++b)
        lds.push_back(mix(seed + i / 3, b, 300));
      for (unsigned word = 0; word < words * lanes && s.Scratch; ++word) {
        const uint32_t v = mix(seed + i, word, 400);
        poke(base + word * 4, &v, 4);
      }
      const uint64_t pc = where.pc + i * where.pcStep;
      w.setPC(pc);
      w.setExec(lanes == 64 ? 0xff00ff00ff00ff00 | i : 0xff00ff00 | i);
      w.hw(HwReg::M0) = 0x55 + i;
      w.hw(HwReg::Mode) = 0x2f0;
      w.hw(gfx12() ? HwReg::StatePriv : HwReg::Status) =
          gfx12() ? (i % 2 ? 1u << 14 : 0)
                  : 1u << 16 | (i % 2 ? 1u << 13 | 1u << 18 : 0);
      if (gfx12())
        w.hw(HwReg::Status) = 1u << 16;
      auto &t = w.Ttmps;
      // Every other wave is at a breakpoint.
      t[6] = i % 2 ? 1u << 30 | 1u << 25 : 0;
      if (gfx12()) {
        t[8] = 1u << 31 | 1u << 30 | (i % 3) << 25;
        t[9] = i / 3;
        t[7] = 2 | 3u << 16;
        t[10] = uint32_t(pc);
      } else {
        t[7] = uint32_t(pc);
        t[8] = i / 3, t[9] = 2, t[10] = 3;
        t[11] = i % 3 | (arch.family().PacketInTtmp11 ? 1u << 31 : 0);
      }
      waves.push_back(w);
    }
    attachStorage();
  }

  void attachStorage() {
    for (unsigned i = 0; i < waves.size(); ++i) {
      auto at = storage.begin();
      std::advance(at, i * 4);
      waves[i].Sgprs = *at++;
      waves[i].Vgprs = *at++;
      waves[i].AccVgprs = *at++;
      waves[i].Lds = llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(at->data()), at->size() * 4);
    }
  }

  /// Groups are kept together.
  unsigned xccOf(unsigned i) const {
    const unsigned groups = groupCount ? groupCount : 1;
    return i / 3 * xccs / groups;
  }
  uint64_t scratchBase(unsigned i) const {
    const unsigned slot = i + 1 < SlotsPerEngine ? 1 + i : 0;
    return scratchSlot(arch, tmpring(),
                       Scratch + shift + xccOf(i) * scratchOfXcc(), Engines,
                       i % Engines, slot)
        ->Address;
  }
  uint64_t scratchOfXcc() const {
    return statesScratch ? ScratchSize
                         : uint64_t(Engines) * SlotsPerEngine * ScratchWave * 4;
  }
  uint32_t tmpring() const {
    return arch.family().CountsScratchPerEngine
               ? SlotsPerEngine | ScratchWave * 4 / 256 << 12
               : Engines * SlotsPerEngine | ScratchWave * 4 / 1024 << 12;
  }

  void poke(uint64_t address, const void *data, size_t size) {
    const uint8_t *p = static_cast<const uint8_t *>(data);
    while (size) {
      auto &page = memory[address / 4096];
      page.resize(4096);
      const size_t n = std::min<size_t>(size, 4096 - address % 4096);
      memcpy(page.data() + address % 4096, p, n);
      address += n, p += n, size -= n;
    }
  }
  bool peek(uint64_t address, void *data, size_t size) const {
    uint8_t *p = static_cast<uint8_t *>(data);
    while (size) {
      auto page = memory.find(address / 4096);
      if (page == memory.end())
        return false;
      const size_t n = std::min<size_t>(size, 4096 - address % 4096);
      memcpy(p, page->second.data() + address % 4096, n);
      address += n, p += n, size -= n;
    }
    return true;
  }
  template <typename T> void put(uint64_t address, T value) {
    poke(address, &value, sizeof(value));
  }

  /// Lays out everything; call once.
  /// \return An error, or an empty string.
  std::string build() {
    put<int32_t>(RDebug, rdebugVersion);
    put<uint64_t>(RDebug + 8, Links);
    put<uint64_t>(RDebug + 16, Code);
    put<int32_t>(RDebug + 24, rstate);
    put<uint64_t>(Links, bias);
    put<uint64_t>(Links + 8, Links + 0x100);
    put<uint64_t>(Links + 24, 0);
    poke(Links + 0x100, uri.c_str(), uri.size() + 1);
    put<uint64_t>(AmdQueue + shift + simulator::AmdQueueWriteDispatchId,
                  writeId);
    put<uint64_t>(AmdQueue + shift + simulator::AmdQueueReadDispatchId, readId);
    put<uint32_t>(AmdQueue + shift + simulator::AmdQueueComputeTmpringSize,
                  tmpring());
    put<uint64_t>(AmdQueue + shift + simulator::AmdQueueScratchLocation,
                  Scratch + shift);
    put<uint64_t>(AmdQueue + shift + simulator::AmdQueueScratchSize,
                  statesScratch ? ScratchSize : 0);
    put<uint16_t>(Ring + shift, 2 | 1 << 8 | 1 << 9 | 2 << 11);
    put<uint16_t>(Ring + shift + 2, 3);
    for (unsigned i = 0; i < 3; ++i) {
      put<uint16_t>(Ring + shift + 4 + 2 * i, uint16_t(i ? 1 : 3 * lanes));
      put<uint32_t>(Ring + shift + 12 + 4 * i, i ? 4 : 6 * lanes);
    }
    put<uint32_t>(Ring + shift + 24, 64);
    put<uint32_t>(Ring + shift + 28, 1024);
    put<uint64_t>(Ring + shift + 32, kernelObject);
    put<uint64_t>(Ring + shift + 40, 0x77000);
    put<uint64_t>(Ring + shift + 56, 0x88000);
    if (kernelObject == Code + 0x40)
      put<int64_t>(kernelObject + 16, 0xc0);
    // One area for each XCC, a stride apart.
    std::vector<std::vector<WaveState>> parts(xccs);
    for (size_t i = 0; i < waves.size(); ++i)
      parts[xccOf(unsigned(i))].push_back(waves[i]);
    uint64_t size = 0;
    for (const auto &part : parts)
      size = std::max(size, llvm::alignTo(areaSize(arch, part, 4096), 4096));
    std::vector<uint8_t> area(size * xccs);
    for (unsigned x = 0; x < xccs; ++x)
      if (llvm::Error error = savearea::write(
              arch, parts[x], 4096,
              llvm::MutableArrayRef<uint8_t>(area).slice(x * size, size)))
        return llvm::toString(std::move(error));
    if (editArea)
      editArea(area);
    poke(Area + shift, area.data(), area.size());
    queue.ctx_save_restore_area_size = uint32_t(size);

    auto bytes = [&](const void *p, size_t n) {
      note.insert(note.end(), static_cast<const uint8_t *>(p),
                  static_cast<const uint8_t *>(p) + n);
    };
    auto u32 = [&](uint32_t v) { bytes(&v, 4); };
    auto u64 = [&](uint64_t v) { bytes(&v, 8); };
    u64(noteVersion), u32(1), u32(driverMinor), u64(16);
    u32(1), u32(120), u32(1), u32(64);
    bytes(&runtime, 16), bytes(&agent, 120), bytes(&queue, 64);
    return {};
  }

  const Architecture &arch;
  unsigned lanes, xccs, groupCount = 0;
  bool statesScratch;
  uint64_t shift;
  unsigned seed; ///< what the values of wave i are made of, less i
  kfd::DeviceSnapshotEntry agent = {};
  kfd::QueueSnapshotEntry queue = {};
  kfd::RuntimeInfo runtime = {};
  int32_t rdebugVersion = 10, rstate = 0;
  uint64_t noteVersion = 1, readId = 0, writeId = 1;
  uint32_t driverMinor = 16;
  /// Of the one code object: where it is, by how much it is moved; the kernel's
  /// descriptor.
  std::string uri = "file:///nowhere/kernel.co#offset=64&size=128";
  uint64_t bias = Code, kernelObject = Code + 0x40;
  std::vector<WaveState> waves;
  std::deque<std::vector<uint32_t>> storage;
  std::map<uint64_t, std::vector<uint8_t>> memory;
  std::vector<uint8_t> note;
  std::function<void(std::vector<uint8_t> &)> editArea;
};

} // namespace wavelane::test

#endif // WAVELANE_TEST_CORES_CORESTATE_H
