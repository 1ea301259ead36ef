//===-- DwarfEvaluation.h - where a DWARF expression leads ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_DWARF_DWARFEVALUATION_H
#define WAVELANE_COMMANDS_DWARF_DWARFEVALUATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
class StackFrame;
class Stream;
namespace plugin::dwarf {
class DWARFUnit;
}

namespace wavelane {

/// The result of a DWARF expression at a frame, for its focus lane.
struct DwarfEvaluation {
  struct Step {
    std::string operation;
    /// After the operation, the top last.
    std::vector<std::string> stack;
  };
  /// Only if requested.
  std::vector<Step> steps;
  /// Set if the result is a value.
  std::string value;
  /// As text and as JSON (LocationJSON.h); empty if the value isn't an address.
  std::string location;
  std::optional<llvm::json::Value> place;
  /// The bytes at the location, and a mask of those without a value (0xff).
  std::vector<uint8_t> bytes, undefined;
  /// How many bytes of the object the location lacks.
  uint64_t missing = 0;
  std::string read_error;

  /// Evaluates \a bytes. Results found before an error are kept.
  /// \param unit  The unit that contains the expression; may be null.
  /// \param size  The object's size in bytes; nullopt: that of an address.
  /// \param with_steps  Whether to record the steps.
  llvm::Error Run(StackFrame &frame, const plugin::dwarf::DWARFUnit *unit,
                  llvm::ArrayRef<uint8_t> bytes, std::optional<uint64_t> size,
                  bool with_steps);

  void Print(Stream &text) const;
  void AddTo(llvm::json::Object &object) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
