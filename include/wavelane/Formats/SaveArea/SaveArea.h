//===-- SaveArea.h - GPU waves in a context save area -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a queue is suspended, its waves' state is in memory: a header, a
// control stack (words that list the waves and their registers), and the waves'
// records. This library reads and writes that layout for every GPU that
// Wavelane debugs, and checks every size and offset. It is independent of how
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

#ifndef WAVELANE_FORMATS_SAVEAREA_SAVEAREA_H
#define WAVELANE_FORMATS_SAVEAREA_SAVEAREA_H

#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace wavelane::savearea {

/// A wave's hardware registers. wordOf() returns the position of each in the
/// record's block of hardware registers.
enum class HwReg : uint8_t {
  M0,
  PCLo,
  PCHi,
  ExecLo,
  ExecHi,
  Status,    ///< STATUS (also on gfx12, where it has few bits)
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

/// The layout only depends on the GPU's family.
using Architecture = gpu::Processor;

/// The GPUs whose layout is known (gpu::debuggable()).
llvm::ArrayRef<Architecture> architectures();
/// \return Null for a GPU with an unknown layout.
const Architecture *findByName(llvm::StringRef Name);
const Architecture *findByTargetVersion(uint32_t Version);

/// The index of a register's word in the hardware block; nullopt if the GPU has
/// no such register.
std::optional<unsigned> wordOf(const Architecture &Arch, HwReg Reg);

/// A wave as described by the control stack. Counts are of whole registers.
struct WaveShape {
  unsigned Lanes = 64;
  unsigned Vgprs = 0;       ///< architectural VGPRs
  unsigned AccVgprs = 0;    ///< accumulation VGPRs, if the GPU has them
  unsigned SharedVgprs = 0; ///< gfx10 and later
  unsigned Sgprs = 0;       ///< 128 on gfx10 and later
  uint32_t LdsBytes = 0;    ///< of the wave's workgroup, a multiple of 512
  bool First = true, Last = true; ///< in its workgroup
  bool Scratch = false;           ///< has private memory
  unsigned ShaderEngine = 0, TheScratchSlot = 0;
};

/// The parts of a wave, as offsets from the save area's start.
struct WaveRecord {
  WaveShape Shape;
  uint64_t Lds = 0; ///< in the record of the workgroup's first wave
  uint64_t Ttmps = 0, Hwregs = 0, Sgprs = 0;
  uint64_t AccVgprs = 0, SharedVgprs = 0, Vgprs = 0;
  uint64_t Bottom = 0, Top = 0; ///< [bottom, top) is the record
};

/// The start of a save area, as in memory.
struct Header {
  uint32_t ControlStackOffset = 0, ControlStackSize = 0;
  uint32_t WaveStateOffset = 0, WaveStateSize = 0; ///< offset of the end
  uint32_t DebuggerMemoryOffset = 0, DebuggerMemorySize = 0;
};
static_assert(sizeof(Header) == 24, "as in memory");

/// Success, or an error that says why \p header is invalid in an area of
/// \p areaSize bytes.
llvm::Error check(const Header &TheHeader, uint64_t AreaSize);

/// Reads a control stack: the words that \p header points to. The error says
/// which word is wrong, or by how much the records and wave_state_size differ.
llvm::Expected<std::vector<WaveRecord>>
parse(const Architecture &Arch, const Header &TheHeader,
      llvm::ArrayRef<uint32_t> TheControlStack);

/// The index of VCC among the saved SGPRs, for a wave with \p sgprs of them.
unsigned vccIndex(const Architecture &Arch, unsigned Sgprs);
/// The index of FLAT_SCRATCH; only in the gfx9 family.
unsigned flatScratchIndex(const Architecture &Arch, unsigned Sgprs);

/// A wave to write. The caller owns its arrays, which may be shorter than the
/// shape says: the rest is written as zeros.
struct WaveState {
  WaveShape Shape;
  std::array<uint32_t, 16> Ttmps{};
  std::array<uint32_t, HwRegCount> Hwregs{}; ///< indexed by HwReg
  llvm::ArrayRef<uint32_t> Sgprs, Vgprs, AccVgprs, SharedVgprs;
  llvm::ArrayRef<uint8_t> Lds; ///< for the first wave of a group
  uint32_t &hw(HwReg Reg) { return Hwregs[unsigned(Reg)]; }
  void setPC(uint64_t Pc) {
    hw(HwReg::PCLo) = Pc;
    hw(HwReg::PCHi) = Pc >> 32;
  }
  void setExec(uint64_t E) {
    hw(HwReg::ExecLo) = E;
    hw(HwReg::ExecHi) = E >> 32;
  }
};

/// The size of a wave's record in bytes.
uint64_t recordSize(const Architecture &Arch, const WaveShape &Shape);
/// The size in bytes of an area for these waves, with \p debuggerMemory bytes
/// after them.
uint64_t areaSize(const Architecture &Arch, llvm::ArrayRef<WaveState> Waves,
                  uint64_t DebuggerMemory);
/// Writes header, control stack and records into \p area. Fails if a shape
/// can't be encoded or the area is too small.
llvm::Error write(const Architecture &Arch, llvm::ArrayRef<WaveState> Waves,
                  uint64_t DebuggerMemory, llvm::MutableArrayRef<uint8_t> Area);
/// The same without the records, whose contents stay what they are.
/// \param[out] Records  The location of each wave's parts.
llvm::Error writeLayout(const Architecture &Arch,
                        llvm::ArrayRef<WaveState> Waves,
                        uint64_t DebuggerMemory,
                        llvm::MutableArrayRef<uint8_t> Area,
                        std::vector<WaveRecord> &Records);
/// The parts of a record besides ttmps and hardware registers.
struct RecordParts {
  bool Sgprs = true, Vgprs = true;
  bool Lds = true; ///< the workgroup's
};
/// Writes these parts of a wave whose layout is already in \p area.
void writeRegisters(const WaveRecord &Record, const WaveState &Wave,
                    RecordParts Parts, llvm::MutableArrayRef<uint8_t> Area);
/// Also its ttmps and hardware registers.
void writeRecord(const Architecture &Arch, const WaveRecord &Record,
                 const WaveState &Wave, RecordParts Parts,
                 llvm::MutableArrayRef<uint8_t> Area);

/// The address and size in bytes of a wave's private memory, for all lanes
/// together.
struct ScratchSlot {
  uint64_t Address = 0, Size = 0;
};
/// The private memory of a queue in one XCC, in bytes, for all its waves.
/// \param Tmpring COMPUTE_TMPRING_SIZE.
/// \param Engines The number of shader engines of an XCC.
/// \param Stated What the queue says of it, which ROCr has left 0 since version
///     11 of r_debug.
uint64_t scratchSize(const Architecture &Arch, uint32_t Tmpring,
                     unsigned Engines, uint64_t Stated);
/// \return nullopt if the queue's scratch registers are invalid for the GPU.
std::optional<ScratchSlot> scratchSlot(const Architecture &Arch,
                                       uint32_t ComputeTmpringSize,
                                       uint64_t BackingLocation,
                                       unsigned ShaderEngines,
                                       unsigned ShaderEngine, unsigned Slot);

} // namespace wavelane::savearea

#endif // WAVELANE_FORMATS_SAVEAREA_SAVEAREA_H
