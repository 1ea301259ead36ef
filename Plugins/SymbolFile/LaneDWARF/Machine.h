//===-- Machine.h - runs a DWARF expression --------------------*- C++ -*-===//
//
// The stack machine of DWARF 5 with locations on its stack, as far as debug
// information in the field uses it: generic and typed integral values, memory of
// address spaces, registers, implicit values, composites of whole bytes, lanes,
// and the AMD extension. What it does not know it refuses by name.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_MACHINE_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_MACHINE_H

#include "Evaluation.h"
#include "Places.h"
#include <functional>

namespace lldb_private {
namespace wavelane {

/// A value, or a location.
struct StackEntry {
  bool is_value = false;
  /// Value: its bits, and what they are; size 0 is the generic type.
  uint64_t value = 0;
  uint8_t size = 0;
  bool is_signed = false;

  Places places;
  /// A composite that `piece` goes on with.
  bool is_open = false;
  /// Made by DW_OP_addr: the address before the loader moved it.
  std::optional<uint64_t> file_address;

  static StackEntry Value(uint64_t value, uint8_t size = 0,
                          bool is_signed = false) {
    StackEntry entry;
    entry.is_value = true;
    entry.value = value;
    entry.size = size;
    entry.is_signed = is_signed;
    return entry;
  }
  static StackEntry Location(Place place) {
    StackEntry entry;
    entry.places = Places::Single(std::move(place));
    return entry;
  }
  std::string Describe(const FrameFacts &facts) const;
};

/// Called after every operation with its text and the stack.
using MachineTrace =
    std::function<void(llvm::StringRef operation,
                       llvm::ArrayRef<StackEntry> stack)>;

/// Evaluates \a request and gives a location.
llvm::Expected<Places> EvaluateToPlaces(const EvaluationRequest &request,
                                        MachineTrace trace = {});

} // namespace wavelane
} // namespace lldb_private

#endif
