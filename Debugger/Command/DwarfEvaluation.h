//===-- DwarfEvaluation.h - where a DWARF expression leads ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_DEBUGGER_COMMAND_DWARFEVALUATION_H
#define WAVELANE_DEBUGGER_COMMAND_DWARFEVALUATION_H

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

/// What a DWARF expression gives at a frame, for its focus lane.
struct DwarfEvaluation {
  struct Step {
    std::string operation;
    /// Afterwards, the top last.
    std::vector<std::string> stack;
  };
  /// Only where they are wanted.
  std::vector<Step> steps;
  /// Set if the expression gives a value.
  std::string value;
  /// In words and for scripts (LocationJSON.h); nothing where a value isn't an
  /// address.
  std::string location;
  std::optional<llvm::json::Value> place;
  /// The bytes there, and which of them (0xff) have no value.
  std::vector<uint8_t> bytes, undefined;
  /// How many bytes the object has that the location lacks.
  uint64_t missing = 0;
  std::string read_error;

  /// Evaluates \a bytes. What is found before an error stays.
  /// \param unit  What the expression is part of; may be null.
  /// \param size  The object's in bytes; nullopt: an address's.
  /// \param with_steps  Whether the steps are wanted.
  llvm::Error Run(StackFrame &frame, const plugin::dwarf::DWARFUnit *unit,
                  llvm::ArrayRef<uint8_t> bytes, std::optional<uint64_t> size,
                  bool with_steps);

  void Print(Stream &text) const;
  void AddTo(llvm::json::Object &object) const;
};

} // namespace wavelane
} // namespace lldb_private

#endif
