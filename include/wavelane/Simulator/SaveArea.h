//===-- SaveArea.h - GPU waves in a context save area -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a queue is suspended, its waves' state is in memory: a header, a
// control stack (words that list the waves and their registers), and the waves'
// records. This library reads and writes that layout for every GPU that
// Wavelane debugs, and checks every size and offset. It doesn't know how
// instructions execute. Sizes and offsets are in bytes.
//
// A record, from its top (highest address) downwards: 64 bytes of padding (gfx9
// family), the workgroup's LDS (in its first wave's record), 16 ttmps, 16
// hardware registers, SGPRs, accumulation or shared VGPRs, VGPRs. Records
// follow each other downwards in the order of the control stack.
//
// Source: the context save handlers of Linux's amdkfd
// (cwsr_trap_handler_*.asm).
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_SAVEAREA_H
#define WAVELANE_SIMULATOR_SAVEAREA_H

#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace wavelane::savearea {

/// Hardware registers of a wave. wordOf() says where each is in the record's
/// block of hardware registers.
enum class HwReg : uint8_t {
  M0,
  PCLo,
  PCHi,
  ExecLo,
  ExecHi,
  Status,    ///< STATUS (also of gfx12, where it holds few bits)
  StatePriv, ///< gfx12
  TrapSts,   ///< gfx12: EXCP_FLAG_PRIV
  XnackMaskLo,
  XnackMaskHi,
  Mode,
  FlatScratchLo,
  FlatScratchHi, ///< gfx10 and later; gfx9: in SGPRs
  ExcpFlagUser,
  TrapCtrl ///< gfx12
};
constexpr unsigned HwRegCount = 15;

/// The layout depends on the GPU's family only.
using Architecture = gpu::Processor;

/// The GPUs whose layout is known (gpu::debuggable()).
llvm::ArrayRef<Architecture> architectures();
/// \return Null for a GPU whose layout isn't known.
const Architecture *findByName(llvm::StringRef name);
const Architecture *findByElfMachine(uint32_t machine);
const Architecture *findByTargetVersion(uint32_t version);

/// The index of a register's word in the hardware block; nullopt if the GPU has
/// no such register.
std::optional<unsigned> wordOf(const Architecture &arch, HwReg reg);

/// A wave as the control stack describes it. Counts are of whole registers.
struct WaveShape {
  unsigned lanes = 64;
  unsigned vgprs = 0;       ///< architectural VGPRs
  unsigned accVgprs = 0;    ///< accumulation VGPRs, if the GPU has them
  unsigned sharedVgprs = 0; ///< gfx10 and later
  unsigned sgprs = 0;       ///< 128 on gfx10 and later
  uint32_t ldsBytes = 0;    ///< of the wave's workgroup, a multiple of 512
  bool first = true, last = true; ///< in its workgroup
  bool scratch = false;           ///< has private memory
  unsigned shaderEngine = 0, scratchSlot = 0;
};

/// Where the parts of a wave are: offsets from the save area's start.
struct WaveRecord {
  WaveShape shape;
  uint64_t lds = 0; ///< in the record of the workgroup's first wave
  uint64_t ttmps = 0, hwregs = 0, sgprs = 0;
  uint64_t accVgprs = 0, sharedVgprs = 0, vgprs = 0;
  uint64_t bottom = 0, top = 0; ///< [bottom, top) is the record
};

/// The start of a save area, as in memory.
struct Header {
  uint32_t controlStackOffset = 0, controlStackSize = 0;
  uint32_t waveStateOffset = 0, waveStateSize = 0; ///< offset of the END
  uint32_t debuggerMemoryOffset = 0, debuggerMemorySize = 0;
};
static_assert(sizeof(Header) == 24, "as in memory");

/// Success, or an error that says why \p header is invalid in an area of
/// \p areaSize bytes.
llvm::Error check(const Header &header, uint64_t areaSize);

/// Reads a control stack: the words that \p header points to. The error says
/// which word is wrong, or by how much the records and wave_state_size differ.
llvm::Expected<std::vector<WaveRecord>>
parse(const Architecture &arch, const Header &header,
      llvm::ArrayRef<uint32_t> controlStack);

/// The index among the saved SGPRs at which VCC is, for a wave with \p sgprs of
/// them.
unsigned vccIndex(const Architecture &arch, unsigned sgprs);
/// The same for FLAT_SCRATCH, in the gfx9 family only.
unsigned flatScratchIndex(const Architecture &arch, unsigned sgprs);

/// A wave to write. Its arrays are the caller's, and may be shorter than the
/// shape says: the rest is written as zero.
struct WaveState {
  WaveShape shape;
  std::array<uint32_t, 16> ttmps{};
  std::array<uint32_t, HwRegCount> hwregs{}; ///< by HwReg
  llvm::ArrayRef<uint32_t> sgprs, vgprs, accVgprs, sharedVgprs;
  llvm::ArrayRef<uint8_t> lds; ///< of the first wave of a group
  uint32_t &hw(HwReg reg) { return hwregs[unsigned(reg)]; }
  void setPC(uint64_t pc) {
    hw(HwReg::PCLo) = pc;
    hw(HwReg::PCHi) = pc >> 32;
  }
  void setExec(uint64_t e) {
    hw(HwReg::ExecLo) = e;
    hw(HwReg::ExecHi) = e >> 32;
  }
};

/// Bytes of a wave's record.
uint64_t recordSize(const Architecture &arch, const WaveShape &shape);
/// Bytes of an area for these waves with \p debuggerMemory bytes after them.
uint64_t areaSize(const Architecture &arch, llvm::ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory);
/// Writes header, control stack and records into \p area. Fails if a shape
/// can't be encoded or the area is too small.
/// \param[out] records  If given, where each wave's parts are.
llvm::Error write(const Architecture &arch, llvm::ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory, llvm::MutableArrayRef<uint8_t> area,
                  std::vector<WaveRecord> *records = nullptr);
/// Rewrites parts of a wave whose record is already in \p area: its ttmps and
/// hardware registers.
/// \param[in] vectors
///     Also its SGPRs and VGPRs.
/// \param[in] lds
///     Also its workgroup's LDS. The wave must be the first of the workgroup.
void rewrite(const Architecture &arch, const WaveRecord &record,
             const WaveState &wave, bool vectors, bool lds,
             llvm::MutableArrayRef<uint8_t> area);

/// Address of a wave's private memory, and its size in bytes, for all lanes
/// together.
struct ScratchSlot {
  uint64_t address = 0, size = 0;
};
/// \return nullopt if the queue's scratch registers are invalid for the GPU.
std::optional<ScratchSlot> scratchSlot(const Architecture &arch,
                                       uint32_t computeTmpringSize,
                                       uint64_t backingLocation,
                                       unsigned shaderEngines,
                                       unsigned shaderEngine, unsigned slot);

} // namespace wavelane::savearea

#endif // WAVELANE_SIMULATOR_SAVEAREA_H
