//===-- Features.h - in what GPUs' families differ --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code outside of this folder asks instead of comparing the numbers of
// generations. The names are those of LLVM's subtarget features where it has
// one. Sources: LLVM's AMDGPU target, AMD's instruction set documents.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_FEATURES_H
#define WAVELANE_GPU_FEATURES_H

#include "wavelane/GPU/Processors.h"

#include <iterator>
#include <utility>

namespace wavelane::gpu {

/// How image and buffer descriptors, and their formats, are encoded.
enum class Descriptors : uint8_t { GFX9, GFX10, GFX11 };

/// How instructions wait for counters of memory operations.
enum class WaitEncoding : uint8_t {
  GFX9,  ///< s_waitcnt; stores count as loads
  GFX10, ///< s_waitcnt and s_waitcnt_vscnt
  GFX11, ///< the same, with other fields
  GFX12, ///< an instruction for each counter
};

struct Features {
  //===-- Encodings -------------------------------------------------------===//
  uint16_t Vop3Prefix = 0x35;   ///< bits 31:26 of VOP3
  uint16_t Vop3pPrefix = 0x198; ///< bits 31:23 of VOP3P
  /// The scalar operand that is null, and M0; there may be no null.
  uint16_t NullOperand = 124, M0Operand = 125;
  static constexpr uint16_t NoOperand = 0xffff;
  uint16_t ClausePrefix = 0xbf85; ///< bits 31:16 of s_clause; 0: none
  Descriptors Descriptor = Descriptors::GFX11;
  WaitEncoding Waits = WaitEncoding::GFX11;
  /// Images have the MIMG encoding, which gfx12 has replaced.
  bool HasMimg = true;

  //===-- Instructions ----------------------------------------------------===//
  /// v_cmpx_* writes EXEC alone, without a scalar destination (NoSdstCMPX).
  bool HasNoSdstCmpx = true;
  /// A 16-bit result leaves the other half of its register; otherwise that is
  /// cleared, but by a few instructions.
  bool Keeps16BitHalves = true;
  /// MODE has the bits; otherwise there is no IEEE mode, and clamp makes 0 of
  /// NaN.
  bool HasIeeeMode = true, HasDx10ClampMode = true;
  /// ds_permute_* exchanges within each half of a wave of 64 lanes.
  bool PermutesHalves = true;
  /// Matrices of v_wmma_* with 16-bit elements are in both halves of a wave,
  /// and such a result is in one half of each register.
  bool HasReplicatedWmma = false;
  /// v_cvt_* of 8-bit and narrower floats that are modeled.
  bool HasModeledNarrowFloats = false;
  /// s_sendmsg 10 deallocates nothing: it asks for the doorbell's number.
  bool HasGetDoorbellMessage = true;

  //===-- Registers -------------------------------------------------------===//
  /// FLAT_SCRATCH is a pair of SGPRs, and XNACK_MASK of 64 bits another; wave
  /// state in memory has them behind the general SGPRs.
  bool HasScratchSgprs = false;
  /// HW_REG_FLAT_SCR_* can be written.
  bool HasWritableScratch = false;
  /// HW_REG_HW_ID and the trap handler's registers can be read by number.
  bool HasTrapHwRegs = false;
  unsigned ShaderCycleBits = 20; ///< of HW_REG_SHADER_CYCLES
  /// STATUS bit 24 says that a wave has no VGPRs any more.
  bool HasNoVgprsStatus = true;
  /// A kernel's workgroup position is in SGPRs; otherwise in ttmps.
  bool HasWorkgroupIdSgprs = true;
  /// Kernels may share VGPRs between the halves of a wave (COMPUTE_PGM_RSRC3).
  bool HasSharedVgprs = true;

  //===-- The kernel driver -----------------------------------------------===//
  uint16_t DriverFamily = 152; ///< AMDGPU_FAMILY_*
  /// The last word's bits of the descriptor of private memory that say how it
  /// is formatted and checked.
  uint32_t ScratchFormat = 20u << 12 | 1u << 24 | 2u << 28;
  /// A save area has room between two waves.
  bool PadsSavedWaves = false;
  /// The trap handler gets IB_STS in its flags.
  bool HasIbStsInTtmps = false;
  /// COMPUTE_PGM_RSRC3 has the place among the registers that gfx90a gave it.
  bool HasRsrc3OfGfx9 = false;
  bool HasPcSampling = false;
  uint8_t SinglesPerDouble = 16; ///< how much faster operations of floats are
};

namespace detail {
constexpr Features featuresOf(const Family &F) {
  Features R;
  switch (F.Generation) {
  case 9:
    R.Vop3Prefix = 0x34;
    R.Vop3pPrefix = 0x1a7;
    R.NullOperand = Features::NoOperand;
    R.M0Operand = 124;
    R.ClausePrefix = 0;
    R.Descriptor = Descriptors::GFX9;
    R.Waits = WaitEncoding::GFX9;
    R.HasNoSdstCmpx = false;
    R.Keeps16BitHalves = false;
    R.PermutesHalves = false;
    R.HasModeledNarrowFloats = true;
    R.HasScratchSgprs = true;
    R.HasTrapHwRegs = true;
    R.HasNoVgprsStatus = false;
    R.HasSharedVgprs = false;
    R.DriverFamily = 141;
    R.ScratchFormat = 4u << 12;
    R.PadsSavedWaves = R.HasIbStsInTtmps = R.HasRsrc3OfGfx9 = true;
    R.HasPcSampling = true;
    R.SinglesPerDouble = F.Acc == AccRegisters::Unified ? 1 : 2;
    break;
  case 10:
    R.DriverFamily = 143;
    R.NullOperand = 125;
    R.M0Operand = 124;
    R.ClausePrefix = 0xbfa1;
    R.Descriptor = Descriptors::GFX10;
    R.Waits = WaitEncoding::GFX10;
    R.HasWritableScratch = true;
    R.HasTrapHwRegs = true;
    R.HasNoVgprsStatus = false;
    break;
  case 11:
    R.DriverFamily = 145;
    R.HasReplicatedWmma = true;
    R.HasGetDoorbellMessage = false;
    break;
  default:
    R.Waits = WaitEncoding::GFX12;
    R.HasMimg = false;
    R.HasIeeeMode = R.HasDx10ClampMode = false;
    R.PermutesHalves = false;
    R.HasGetDoorbellMessage = false;
    R.ShaderCycleBits = 32;
    R.HasWorkgroupIdSgprs = false;
    R.HasSharedVgprs = false;
    break;
  }
  return R;
}
template <size_t... Each>
constexpr auto allFeatures(std::index_sequence<Each...>) {
  struct All {
    Features Of[sizeof...(Each)];
  };
  return All{{featuresOf(Families[Each])...}};
}
inline constexpr auto AllFeatures =
    allFeatures(std::make_index_sequence<std::size(Families)>());
} // namespace detail

constexpr const Features &features(const Processor &P) {
  return detail::AllFeatures.Of[unsigned(P.Group)];
}
constexpr const Features &features(ProcessorId Id) { return features(get(Id)); }

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_FEATURES_H
