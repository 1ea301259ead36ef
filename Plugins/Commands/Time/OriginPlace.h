//===-- OriginPlace.h - where an expression's value is ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_TIME_ORIGINPLACE_H
#define WAVELANE_COMMANDS_TIME_ORIGINPLACE_H

#include "lldb/lldb-forward.h"
#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// The registers or the memory of a value in the focus lane, as the device's
/// recording names them.
struct OriginPlace {
  std::vector<::wavelane::protocol::OriginCell> cells;
  /// How instructions call its type, such as "f32"; empty if they have no name
  /// for it.
  std::string type;
  /// The value as LLDB shows it.
  std::string text;
  /// The name of its type.
  std::string type_name;

  /// \param text  A variable or an expression with a place, a register (v3,
  ///     s[4:5], vcc), or an address of a space (local#0x40).
  static llvm::Expected<OriginPlace>
  Find(ProcessAMDGPU &process, StackFrame &frame, llvm::StringRef text);
};

} // namespace wavelane
} // namespace lldb_private

#endif
