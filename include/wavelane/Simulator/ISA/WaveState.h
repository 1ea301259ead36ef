//===-- WaveState.h - a wave between two instructions -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a wave, the memory that it sees, and why a run of it ends.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_WAVESTATE_H
#define WAVELANE_SIMULATOR_ISA_WAVESTATE_H

#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/GPU/Features.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wavelane::isa {

/// The processor whose instructions are executed. Code of every processor in
/// the table is decoded; an instruction that isn't modeled ends a run with
/// StepResult::IllegalInstruction.
using Target = gpu::ProcessorId;

constexpr bool hasWave32(Target T) { return gpu::get(T).hasWave32(); }

/// \return The processor's name ("gfx90a").
constexpr const char *getProcessorName(Target T) { return gpu::get(T).Name; }

/// Indices of WaveState::Scalar: gfx9's scalar operand numbers, on every GPU.
/// From gfx10 on, 102 to 105 are SGPRs.
namespace scalar {
enum : unsigned {
  SGPR0 = 0,
  FlatScratchLo = 102,
  FlatScratchHi = 103,
  XnackMaskLo = 104,
  XnackMaskHi = 105,
  VccLo = 106,
  VccHi = 107,
  TTMP0 = 108,
  M0 = 124,
  ExecLo = 126,
  ExecHi = 127,
  Null = 128, ///< The destination of writes to `null`; never read.
  Count = 144,
};
} // namespace scalar

/// Bits of WaveState::Status, WaveState::Mode and WaveState::TrapSts.
namespace status {
enum : uint32_t {
  SCC = 1u << 0,
  Priv = 1u << 5, ///< A trap handler runs.
  TrapEn = 1u << 6,
  ExecZ = 1u << 9,
  VccZ = 1u << 10,
  InThreadgroup = 1u << 11,
  InBarrier = 1u << 12,
  Halt = 1u << 13,
  Valid = 1u << 16,
  SkipExport = 1u << 18,
};
} // namespace status
namespace mode {
enum : uint32_t {
  RoundF32Shift = 0,  ///< 2 bits: 0 nearest even, 1 +inf, 2 -inf, 3 zero.
  RoundF64Shift = 2,  ///< 2 bits, as above, for f64 and f16.
  DenormF32Shift = 4, ///< Bit 0: denormal inputs kept, bit 1: outputs kept.
  DenormF64Shift = 6,
  DX10Clamp = 1u << 8,
  IEEE = 1u << 9,
  DebugEn = 1u << 11, ///< Trap after each instruction.
  ExcpEnShift = 12,   ///< 7 bits, in the order of TRAPSTS bits 0-6.
  FP16Ovfl = 1u << 23,
  GprIdxEn = 1u << 27,
  Default = 0xf0 | DX10Clamp | IEEE,
};
} // namespace mode
namespace trapsts {
enum : uint32_t {
  ExcpMask = 0x7f, ///< invalid, input denormal, div 0, overflow, underflow,
                   ///< inexact, integer div 0.
  MemViol = 1u << 8,
  IllegalInst = 1u << 11,
  XnackError = 1u << 28,
  /// Address watches 0-3 have bits 7, 12, 13 and 14.
};
} // namespace trapsts

/// The whole state of a wave between two instructions.
///
/// The device owns it, as plain data that can be written to a save area and
/// read back. The executor keeps no copy, so others may change it between runs.
struct WaveState {
  Target Processor = gpu::DefaultDevice;
  uint8_t LaneCount = 64; ///< Can be 32 if the GPU has such waves.

  /// SGPRs, then the special registers (see scalar::). SGPRs beyond those that
  /// the kernel asked for have undefined values.
  uint32_t Scalar[scalar::Count] = {};

  /// Byte address of the next instruction.
  uint64_t PC = 0;
  /// In the layout of gfx9 to gfx11, like Status and TrapSts; gfx12's registers
  /// are computed from them when read.
  uint32_t Mode = mode::Default;
  /// ExecZ and VccZ are updated when run() or step() returns.
  uint32_t Status = status::Valid | status::TrapEn;
  uint32_t TrapSts = 0;
  /// Registers that the executor doesn't use: s_getreg_b32 reads them.
  uint32_t HwId = 0;
  uint32_t GprAlloc = 0;
  uint32_t LdsAlloc = 0;
  uint32_t IbSts = 0;
  uint64_t TBA = 0;
  uint64_t TMA = 0;
  /// What trap handlers get by a message: the number of the queue's doorbell.
  uint32_t Doorbell = 0;
  /// FLAT_SCRATCH of gfx10 and later, if it isn't a pair of SGPRs.
  uint64_t ScratchBase = 0;

  /// Vector registers, register-major: register r, lane l at
  /// [r * LaneCount + l]. Arch VGPRs come first, AccVGPR n is register
  /// AccumOffset + n. Use allocateVGPRs() to size it.
  std::vector<uint32_t> VGPR;
  /// The number of arch VGPRs (a multiple of 4), which is the index of AccVGPR
  /// 0.
  uint32_t AccumOffset = 0;
  /// The number of all vector registers, arch and acc.
  uint32_t VGPRCount = 0;

  /// For the device and its observers; the executor doesn't use it.
  void *Owner = nullptr;

  /// The workgroup's LDS (shared by its waves, owned by the device) in bytes.
  uint8_t *LDS = nullptr;
  uint32_t LDSSize = 0;

  /// The size of one lane's private memory in bytes: accesses at or beyond it,
  /// through the private aperture or scratch_*, are memory violations. The base
  /// itself is in FLAT_SCRATCH, as on the hardware: lane l's byte a is at
  /// FLAT_SCRATCH + (a / 4) * LaneCount * 4 + l * 4 + a % 4.
  uint32_t ScratchLaneSize = 0;

  uint64_t exec() const { return pair(scalar::ExecLo); }
  uint64_t vcc() const { return pair(scalar::VccLo); }
  uint64_t flatScratch() const {
    return gpu::features(Processor).HasScratchSgprs
               ? pair(scalar::FlatScratchLo)
               : ScratchBase;
  }
  uint32_t m0() const { return Scalar[scalar::M0]; }
  uint32_t *ttmp() { return Scalar + scalar::TTMP0; }
  void setExec(uint64_t V) { setPair(scalar::ExecLo, V); }
  void setVcc(uint64_t V) { setPair(scalar::VccLo, V); }
  void setFlatScratch(uint64_t V) {
    if (gpu::features(Processor).HasScratchSgprs)
      setPair(scalar::FlatScratchLo, V);
    else
      ScratchBase = V;
  }

  uint64_t pair(unsigned N) const {
    return Scalar[N] | uint64_t(Scalar[N + 1]) << 32;
  }
  void setPair(unsigned N, uint64_t V) {
    Scalar[N] = uint32_t(V);
    Scalar[N + 1] = uint32_t(V >> 32);
  }

  /// Allocates zeroed vector registers: \a Arch (rounded up to a multiple of 4)
  /// and \a Acc of them.
  void allocateVGPRs(unsigned Arch, unsigned Acc);
  uint32_t &vgpr(unsigned Reg, unsigned Lane) {
    return VGPR[size_t(Reg) * LaneCount + Lane];
  }
  uint32_t &acc(unsigned Reg, unsigned Lane) {
    return vgpr(AccumOffset + Reg, Lane);
  }
};

/// The kind of a memory access.
enum class Access : uint8_t { Read, Write, Atomic, Execute };

/// Part of global memory that the executor may use directly.
struct MemorySpan {
  /// The address of byte Begin in this process; null if there is no such
  /// memory.
  uint8_t *Host = nullptr;
  /// The addresses [Begin, End) are accessible, and contiguous from Host on.
  uint64_t Begin = 0;
  uint64_t End = 0;
};

/// Global memory as a wave sees it, and the clocks.
///
/// The executor resolves the local (0x0001...) and private (0x0002...)
/// apertures itself, and only asks for global addresses. It executes atomic
/// instructions with the host's atomic operations on that memory.
class MemoryAccess {
public:
  virtual ~MemoryAccess();

  /// The largest span around \a Address that allows \a Kind. The executor
  /// keeps the last spans until run() returns, so memory may only be unmapped
  /// while no wave runs; and until epoch() changes. It keeps code spans until
  /// Executor::invalidate().
  virtual MemorySpan resolve(uint64_t Address, Access Kind) = 0;

  /// While this number is the same, spans hold in later runs as well, and runs
  /// needn't look whether code has changed. 0 if they hold for one run only.
  virtual uint64_t epoch() const { return 0; }

  /// s_memtime (\a RealTime false: core clocks) and s_memrealtime (100 MHz).
  virtual uint64_t clock(bool RealTime);
};

/// A hardware watchpoint (KFD's SET_NODE_ADDRESS_WATCH, <linux/kfd_ioctl.h>).
struct AddressWatch {
  enum Mode : uint8_t { Read = 0, NonRead = 1, Atomic = 2, All = 3 };
  bool Enabled = false;
  Mode Kind = All;
  /// Local memory is given by its address in the aperture, and is watched in
  /// every workgroup.
  uint64_t Address = 0;
  /// An access of address A hits if (A & Mask) == (Address & Mask).
  uint64_t Mask = ~uint64_t(0);
};

/// Why run() or step() returned.
struct StepResult {
  enum Kind : uint8_t {
    Continued,     ///< The budget is used up.
    Barrier,       ///< s_barrier done; PC is after it. Wait for the workgroup.
    BarrierSignal, ///< s_barrier_signal -1 done; PC is after it.
    BarrierWait,   ///< s_barrier_wait -1 done; PC is after it. Wait until all
                   ///< waves of the workgroup have signaled.
    GridBarrier,   ///< ds_gws_barrier of resource 0 done; PC is after it. Wait
                   ///< for the grid; Code is the counter's next initial value.
    GridInit,      ///< ds_gws_init of resource 0 done; Code is its value.
    GridAcquire,   ///< ds_gws_sema_p of resource 0; PC is after it. If the
                   ///< semaphore is 0, the wave must do it again.
    GridRelease,   ///< ds_gws_sema_v of resource 0 done; PC is after it.
    Sleep,         ///< s_sleep; Code is its operand (64 clocks each).
    EndPgm,        ///< s_endpgm; PC is after it.
    Trap,          ///< s_trap; Code is the trap id. PC is AT the s_trap.
    SendMsg,       ///< s_sendmsg; Code is its 16-bit operand, M0 the other.
    Halt,          ///< s_sethalt 1; STATUS.HALT is set.
    SingleStep,    ///< MODE.DEBUG_EN: one instruction was executed.
    IllegalInstruction, ///< Text names it. PC is at it; it had no effect.
    MemoryViolation,    ///< FaultAddress, LaneMask. PC is at the instruction;
                        ///< lanes not in LaneMask have done their access.
    FPException, ///< Code: TRAPSTS bits 0-6 that are enabled and were raised,
                 ///< in LaneMask. PC is after the instruction.
    Watch,    ///< Code: mask of the address watches that the lanes of LaneMask
              ///< hit. PC is after the instruction.
    Observed, ///< The observer stopped the wave. PC is at the instruction,
              ///< which had no effect.
    Break,    ///< An address of setBreaks(). PC is at the instruction, which
              ///< had no effect.
    Ordered,  ///< An atomic of global memory, with setUnordered(). PC is at the
              ///< instruction, which had no effect.
  };
  Kind Reason = Continued;
  /// DEBUG_EN was on: after handling Reason (a barrier, say), let the wave take
  /// the step trap.
  bool StepTrap = false;
  uint32_t Code = 0;
  /// Address of the instruction that ended the run (not for Continued), and of
  /// the next one.
  uint64_t Address = 0;
  uint64_t NextAddress = 0;
  /// The first byte that couldn't be accessed.
  uint64_t FaultAddress = 0;
  /// The lanes whose access failed (all ones for a scalar access or an
  /// instruction fetch), that hit a watch, or that raised an exception.
  uint64_t LaneMask = 0;
  Access FaultAccess = Access::Read;
  /// IllegalInstruction: what is wrong, with the instruction's mnemonic if it
  /// has one ("v_foo_e32: not modeled on gfx90a").
  std::string Text;
  /// IllegalInstruction: hardware may execute it, but this library lacks it.
  bool IsUnmodeled = false;
  /// How many instructions this call executed.
  uint64_t Executed = 0;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_WAVESTATE_H
