//===-- FrameRegisters.h - the registers of a wave's frames -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_FRAMEREGISTERS_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_FRAMEREGISTERS_H

#include "WaveFrame.h"

#include "lldb/Utility/ArchSpec.h"
#include "lldb/lldb-private-types.h"
#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <string>

namespace lldb_private {
namespace wavelane {

class Wave;

/// Reads and writes registers of the frames found so far: a caller's registers
/// are wherever its callees saved them. The unwinder's lock must be held.
class FrameRegisters {
public:
  using Register = FunctionUnwind::Register;
  using Bytes = std::vector<uint8_t>;

  /// \param[in] get_entered Returns the lanes with which the function of a
  ///     frame was entered.
  FrameRegisters(Wave &wave, const WaveFrames &frames,
                 std::function<LaneMask(uint32_t frame_idx)> get_entered)
      : m_wave(wave), m_frames(frames), m_get_entered(std::move(get_entered)) {}

  /// A register in a frame; nullopt if its value is unknown.
  std::optional<Bytes> ReadRegister(uint32_t frame_idx,
                                    const RegisterInfo &info);
  /// \return False if its value isn't saved anywhere.
  bool WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                     llvm::ArrayRef<uint8_t> bytes);

  /// \param[in] trust Also use values that a function itself expects to survive
  /// its
  ///     calls, rather than only those that the calling convention preserves.
  /// \param[in] needed
  ///     Lanes, a bit each. The elements of other lanes may be wrong.
  std::optional<Bytes> Read(uint32_t frame_idx, Register reg, bool trust,
                            uint64_t needed);
  std::optional<uint32_t> ReadScalar(uint32_t frame_idx, Register reg);
  /// Reads a register by call-frame information.
  std::optional<Bytes> ReadByRules(uint32_t frame_idx,
                                   const RegisterInfo &info);
  /// \param[in] value The register whose entry value is in the place.
  std::optional<Bytes> ReadPlace(uint32_t frame_idx, Register value,
                                 const FunctionUnwind::Place &place, bool trust,
                                 uint64_t needed);
  /// A live register of the wave, which is the youngest frame's.
  std::optional<Bytes> ReadLive(const RegisterInfo &info);
  bool WriteLive(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes);

  /// \return An address of private_wave.
  std::optional<uint64_t> GetStackAddress(const WaveFrame &frame,
                                          const FunctionUnwind::Place &place);
  /// Each lane's slot at an address of private_wave.
  std::optional<Bytes> ReadSlot(std::optional<uint64_t> address);
  /// The rules of a frame.
  CallFrameEvaluation Evaluate(uint32_t frame_idx,
                               const ::wavelane::location::CallFrameRow &rules);

  /// The mask of the lane whose values are shown.
  uint64_t GetShownLane();
  /// "s33".
  static std::string GetName(Register reg);
  /// Whether s32 counts the bytes of one lane (scratch instructions) or of the
  /// wave (buffer instructions).
  static bool StackCountsLaneBytes(const ArchSpec &arch);

private:
  std::optional<Bytes> ReadWholePlace(uint32_t frame_idx,
                                      const FunctionUnwind::Place &place,
                                      bool trust, uint64_t needed);
  bool Write(uint32_t frame_idx, Register reg, llvm::ArrayRef<uint8_t> bytes);

  Wave &m_wave;
  const WaveFrames &m_frames;
  const std::function<LaneMask(uint32_t frame_idx)> m_get_entered;
};

} // namespace wavelane
} // namespace lldb_private

#endif
