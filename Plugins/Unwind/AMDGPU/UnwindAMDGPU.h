//===-- UnwindAMDGPU.h - the frames of a wave -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDAMDGPU_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_UNWINDAMDGPU_H

#include "CallFrameSection.h"
#include "FunctionUnwind.h"
#include "LaneFlow.h"

#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Unwind.h"

#include <memory>
#include <vector>

namespace lldb_private {
namespace wavelane {

class EntryLanes;
class UnwindCache;
class Wave;

/// Finds the frames of a wave from its registers and its code. The kernel's
/// frame is the last one. See FunctionUnwind for how callers are found.
class UnwindAMDGPU : public Unwind {
public:
  /// \param[in] cache_sp  Of the wave's process.
  UnwindAMDGPU(Wave &wave, std::shared_ptr<UnwindCache> cache_sp);
  ~UnwindAMDGPU() override;

  /// Whether the frame was found by a rule of thumb (no symbol tells where its
  /// callee begins, or not all of that can be followed), so that it may not
  /// exist.
  bool IsGuess(uint32_t frame_idx) override;

  /// See EarlyReturn.
  std::optional<Status> ReturnFrom(StackFrame &frame,
                                   ValueObject *value) override;

  /// What becomes of each lane that isn't active.
  std::vector<LaneFlow::Fate> GetFates();

  /// The value of a register in a frame.
  /// \return nullopt when it isn't known there.
  std::optional<std::vector<uint8_t>> ReadRegister(uint32_t frame_idx,
                                                   const RegisterInfo &info);

  /// The value that a register had when the function of a frame was entered.
  /// \return nullopt when it isn't kept.
  std::optional<std::vector<uint8_t>> ReadAtEntry(uint32_t frame_idx,
                                                  FunctionUnwind::Register reg);

  /// See LaneSource::IsFrameRegister.
  bool IsFrameRegister(uint32_t frame_idx, llvm::StringRef name);

  /// Changes the value of a register in a frame, where that is kept.
  bool WriteRegister(uint32_t frame_idx, const RegisterInfo &info,
                     llvm::ArrayRef<uint8_t> bytes);

protected:
  void DoClear() override;
  uint32_t DoGetFrameCount() override;
  bool DoGetFrameInfoAtIndex(uint32_t frame_idx, lldb::addr_t &cfa,
                             lldb::addr_t &pc,
                             bool &behaves_like_zeroth_frame) override;
  lldb::RegisterContextSP
  DoCreateRegisterContextForFrame(StackFrame *frame) override;

private:
  friend class EarlyReturn;
  friend class EntryLanes;
  using Register = FunctionUnwind::Register;

  struct Frame {
    lldb::addr_t pc = 0;
    lldb::addr_t cfa = 0;
    bool guess = false;
    bool caller_is_guess = false;
    bool is_kernel = false;
    /// What call-frame information says of it, where there is any; it counts.
    std::shared_ptr<CallFrameSection> call_frames;
    std::optional<::wavelane::location::CallFrameRow> rules;
    /// Whether its code tells what follows.
    bool has_row = false;
    /// How this frame keeps its caller's registers.
    FunctionUnwind::Row row;
    /// The function's stack pointer at its entry, in the unit of s32.
    std::optional<uint64_t> entry_sp;
  };

  bool AddFrame();
  /// The likely start of the function around \a pc, which has no symbol.
  std::optional<lldb::addr_t> GuessFunctionStart(lldb::addr_t pc);
  void Describe(Frame &frame, uint32_t index);
  std::shared_ptr<FunctionUnwind> GetFunction(lldb::addr_t start,
                                              lldb::addr_t end);
  /// \param[in] trust Take values that a function itself relies on to have
  ///     survived its calls; else only what the calling convention promises.
  /// \param[in] needed
  ///     Lanes, a bit each. The others' elements may be wrong.
  std::optional<std::vector<uint8_t>> Read(uint32_t frame_idx, Register reg,
                                           bool trust, uint64_t needed);
  std::optional<uint32_t> ReadScalar(uint32_t frame_idx, Register reg);
  /// By call-frame information.
  std::optional<std::vector<uint8_t>> ReadByRules(uint32_t frame_idx,
                                                  const RegisterInfo &info);
  /// \param[in] value  The register whose value at entry the place has.
  std::optional<std::vector<uint8_t>>
  ReadPlace(uint32_t frame_idx, Register value,
            const FunctionUnwind::Place &place, bool trust, uint64_t needed);
  std::optional<std::vector<uint8_t>>
  ReadWholePlace(uint32_t frame_idx, const FunctionUnwind::Place &place,
                 bool trust, uint64_t needed);
  bool Write(uint32_t frame_idx, Register reg, llvm::ArrayRef<uint8_t> bytes);
  bool WriteLive(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes);
  /// \return An address of private_wave.
  std::optional<uint64_t> GetStackAddress(const Frame &frame,
                                          const FunctionUnwind::Place &place);
  /// The slot of each lane at an address of private_wave.
  std::optional<std::vector<uint8_t>> ReadSlot(std::optional<uint64_t> address);
  /// The rules of a frame.
  CallFrameEvaluation Evaluate(uint32_t frame_idx,
                               const ::wavelane::location::CallFrameRow &rules);
  std::optional<std::vector<uint8_t>> ReadLive(const RegisterInfo &info);
  /// The lane whose values are shown, as a mask.
  uint64_t GetShownLane();

  /// As "s33".
  static std::string GetName(Register reg);

  Wave &m_wave;
  const std::shared_ptr<UnwindCache> m_cache_sp;
  std::vector<Frame> m_frames;
  const std::unique_ptr<EntryLanes> m_lanes_up;
  bool m_complete = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
