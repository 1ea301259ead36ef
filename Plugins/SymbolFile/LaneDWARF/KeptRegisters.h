//===-- KeptRegisters.h - values that outlive their location ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler often ends a variable's location where paths join, although the
// register still has the value. The code shows it: a register keeps its value
// behind a location as long as no instruction, on any path, may write it.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_KEPTREGISTERS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_KEPTREGISTERS_H

#include "CalledFunctions.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The instructions of a function, as far as they concern what registers keep.
class KeptRegisters {
public:
  using Register = RegisterStep::Register;

  /// \param[in] read  Reads the functions that this one calls.
  /// \param[in] bytes  The function's code, which begins at \a start.
  KeptRegisters(std::shared_ptr<AMDGPUMachineCode> code,
                CalledFunctions::Reader read, lldb::addr_t start,
                llvm::ArrayRef<uint8_t> bytes);

  /// What holds while an instruction executes.
  enum class Place {
    eHere,      ///< the registers have the value
    eElsewhere, ///< the value is another one, or unknown
    eGap        ///< the registers may have kept it
  };
  /// The instructions in gaps, from begin to end, before which \a registers
  /// still have the value, on all paths. Empty if the code can't be followed.
  using Range = std::pair<lldb::addr_t, lldb::addr_t>;
  std::vector<Range> Find(llvm::ArrayRef<Register> registers,
                          llvm::function_ref<Place(lldb::addr_t)> place) const;

  /// The instructions, for other questions.
  llvm::ArrayRef<RegisterStep> GetSteps() const { return m_steps; }

private:
  std::shared_ptr<AMDGPUMachineCode> m_code;
  /// Empty if the code can't be followed.
  std::vector<RegisterStep> m_steps;
  CalledFunctions m_called;
};

} // namespace wavelane
} // namespace lldb_private

#endif
