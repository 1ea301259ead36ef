//===-- SaveArea.h - GPU waves in a context save area -----------*- C++ -*-===//
//
// When a queue is suspended, its waves' state stands in memory: a header, a
// control stack (words that say which waves there are and what they have), and
// the waves' records. This library knows the layout for every GPU that Wavelane
// debugs; it reads and writes it with every size and offset checked. It knows
// nothing of how instructions execute.
//
// A record, from its top (highest address) downwards: 64 bytes of padding (gfx9
// family), the group's LDS (first wave of a group), 16 ttmps, 16 hardware
// registers, SGPRs, accumulation or shared VGPRs, VGPRs. Records follow each
// other downwards in the order of the control stack.
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

/// Hardware registers of a wave, by the word of the block that holds them.
enum class HwReg : uint8_t {
  M0, PCLo, PCHi, ExecLo, ExecHi,
  Status,      ///< STATUS (also of gfx12, where it holds few bits)
  StatePriv,   ///< gfx12
  TrapSts,     ///< gfx12: EXCP_FLAG_PRIV
  XnackMaskLo, XnackMaskHi, Mode,
  FlatScratchLo, FlatScratchHi, ///< gfx10 and later; gfx9: in SGPRs
  ExcpFlagUser, TrapCtrl        ///< gfx12
};
constexpr unsigned HwRegCount = 15;

/// Where registers and counts stand is a fact of the GPU's family.
using Architecture = gpu::Processor;

/// The GPUs whose layout is known (gpu::debuggable()).
llvm::ArrayRef<Architecture> architectures();
/// Null if unknown.
const Architecture *findByName(llvm::StringRef name);
const Architecture *findByElfMachine(uint32_t machine);
const Architecture *findByTargetVersion(uint32_t version);

/// Word of the hardware block, or none where the GPU has no such register.
std::optional<unsigned> wordOf(const Architecture &arch, HwReg reg);

/// What the control stack says of one wave. Counts are of whole registers.
struct WaveShape {
  unsigned lanes = 64;
  unsigned vgprs = 0;       ///< architectural VGPRs
  unsigned accVgprs = 0;    ///< where the GPU has them
  unsigned sharedVgprs = 0; ///< gfx10 and later
  unsigned sgprs = 0;       ///< 128 on gfx10 and later
  uint32_t ldsBytes = 0;    ///< of the wave's group, a multiple of 512
  bool first = true, last = true; ///< in its group
  bool scratch = false;           ///< has private memory
  unsigned shaderEngine = 0, scratchSlot = 0;
};

/// Where the parts of a wave stand: offsets from the save area's start.
struct WaveRecord {
  WaveShape shape;
  uint64_t lds = 0;  ///< of the first wave of the group (also for the others)
  uint64_t ttmps = 0, hwregs = 0, sgprs = 0;
  uint64_t accVgprs = 0, sharedVgprs = 0, vgprs = 0;
  uint64_t bottom = 0, top = 0; ///< [bottom, top) is the record
};

/// The start of a save area.
struct Header {
  uint32_t controlStackOffset = 0, controlStackSize = 0;
  uint32_t waveStateOffset = 0, waveStateSize = 0; ///< offset of the END
  uint32_t debuggerMemoryOffset = 0, debuggerMemorySize = 0;
};
static_assert(sizeof(Header) == 24, "as in memory");

/// Success, or what is wrong with a header in an area of \p areaSize bytes.
llvm::Error check(const Header &header, uint64_t areaSize);

/// Reads a control stack (the bytes that \p header points to). The error says
/// which word is wrong, or by how much records and wave_state_size differ.
llvm::Expected<std::vector<WaveRecord>>
parse(const Architecture &arch, const Header &header,
      llvm::ArrayRef<uint32_t> controlStack);

/// SGPR numbers where the save area keeps special registers, for a wave that has
/// \p sgprs of them.
unsigned vccIndex(const Architecture &arch, unsigned sgprs);
/// gfx9 family only.
unsigned flatScratchIndex(const Architecture &arch, unsigned sgprs);

/// A wave to write. Spans are the caller's, and may be shorter than the shape
/// says: the rest is zero.
struct WaveState {
  WaveShape shape;
  std::array<uint32_t, 16> ttmps{};
  std::array<uint32_t, HwRegCount> hwregs{}; ///< by HwReg
  llvm::ArrayRef<uint32_t> sgprs, vgprs, accVgprs, sharedVgprs;
  llvm::ArrayRef<uint8_t> lds; ///< of the first wave of a group
  uint32_t &hw(HwReg reg) { return hwregs[unsigned(reg)]; }
  void setPC(uint64_t pc) { hw(HwReg::PCLo) = pc; hw(HwReg::PCHi) = pc >> 32; }
  void setExec(uint64_t e) { hw(HwReg::ExecLo) = e; hw(HwReg::ExecHi) = e >> 32; }
};

/// Bytes of the record of a wave.
uint64_t recordSize(const Architecture &arch, const WaveShape &shape);
/// Bytes of an area that holds these waves and \p debuggerMemory bytes behind.
uint64_t areaSize(const Architecture &arch, llvm::ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory);
/// Writes header, control stack and records into \p area. Fails if a shape
/// cannot be expressed, or if the area is too small.
/// \param[out] records  Where each wave stands then, if wanted.
llvm::Error write(const Architecture &arch, llvm::ArrayRef<WaveState> waves,
                  uint64_t debuggerMemory, llvm::MutableArrayRef<uint8_t> area,
                  std::vector<WaveRecord> *records = nullptr);
/// Writes parts of a wave whose record stands in \p area already.
/// \param[in] vectors
///     Its general registers, too: else ttmps and hardware registers alone.
/// \param[in] lds
///     Its group's LDS, too. The wave must be the first of the group.
void rewrite(const Architecture &arch, const WaveRecord &record,
             const WaveState &wave, bool vectors, bool lds,
             llvm::MutableArrayRef<uint8_t> area);

/// Address of a wave's private memory, and its size in bytes per wave; none when
/// the queue's scratch registers do not fit the GPU.
struct ScratchSlot {
  uint64_t address = 0, size = 0;
};
std::optional<ScratchSlot>
scratchSlot(const Architecture &arch, uint32_t computeTmpringSize,
            uint64_t backingLocation, unsigned shaderEngines,
            unsigned shaderEngine, unsigned slot);

} // namespace wavelane::savearea

#endif // WAVELANE_SIMULATOR_SAVEAREA_H
