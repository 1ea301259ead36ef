//===-- Evaluation.h - from a DWARF expression to an LLDB value -*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_EVALUATION_H

#include "Lane/FrameFacts.h"
#include "Lane/ProcessLanes.h"
#include "lldb/Core/Value.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace lldb_private {
namespace plugin::dwarf {
class DWARFUnit;
}
namespace wavelane {

/// An expression and where it is evaluated.
struct EvaluationRequest {
  const FrameFacts &facts;
  lldb::ModuleSP module_sp;
  llvm::ArrayRef<uint8_t> expression;
  uint8_t address_size;
  /// Null for expressions typed by a person outside any unit.
  const plugin::dwarf::DWARFUnit *unit;
  const Value *initial_value = nullptr;
  const Value *object_address = nullptr;
};

/// Evaluates an expression as a location and gives what LLDB needs to show, read
/// and write the object: a load address, a host buffer or an address of the
/// window. An object that is optimised out is an error in LLDB's words.
llvm::Expected<Value> EvaluateToValue(const EvaluationRequest &request);

} // namespace wavelane
} // namespace lldb_private

#endif
