//===-- CallFrameSection.h - frames by call-frame information ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ROCm's compiler describes in .debug_frame where a function keeps its caller's
// registers: parts of several registers, lanes of vector registers, memory of
// an address space, elements chosen by a mask. LLDB's own rules can't express
// these; the location engine evaluates them. Upstream clang writes entries
// without rules.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLFRAMESECTION_H
#define WAVELANE_PLUGINS_UNWIND_AMDGPU_CALLFRAMESECTION_H

#include "wavelane/Location/CallFrame.h"

#include "lldb/lldb-forward.h"
#include "lldb/lldb-private-types.h"
#include "lldb/lldb-types.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

class Wave;

/// The DWARF number of the program counter; the caller's is the return address.
constexpr uint64_t kReturnAddressNumber = 16;

/// The call-frame information of one module. Rows refer to it, so keep it with
/// them.
class CallFrameSection {
public:
  /// \return Null if the module has none, or it is malformed.
  static std::shared_ptr<CallFrameSection> Create(Module &module);

  /// The row for a file address; nullopt if no row with rules covers it.
  std::optional<::wavelane::location::CallFrameRow>
  FindRow(lldb::addr_t file_address) const;

private:
  std::vector<uint8_t> m_bytes;
  std::vector<::wavelane::location::FrameDescription> m_frames;
};

/// Evaluates the rules of one frame.
class CallFrameEvaluation {
public:
  /// Returns the bytes of a register in the frame; nullopt if unknown.
  using RegisterReader = std::function<std::optional<std::vector<uint8_t>>(
      const RegisterInfo &info)>;

  /// \param read_register Reads registers of the frame that \a row
  ///     describes.
  CallFrameEvaluation(Wave &wave, RegisterReader read_register,
                      const ::wavelane::location::CallFrameRow &row);
  ~CallFrameEvaluation();

  /// Reads \a size bytes of the caller's register.
  /// \return nullopt if it isn't saved.
  std::optional<std::vector<uint8_t>> ReadCallersRegister(uint64_t number,
                                                          size_t size);
  /// The canonical frame address in private_wave.
  std::optional<uint64_t> GetCFA();

private:
  class Context;
  std::unique_ptr<Context> m_context;
  ::wavelane::location::FrameUnwinder m_unwinder;
};

} // namespace wavelane
} // namespace lldb_private

#endif
