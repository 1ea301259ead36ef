//===-- CalledFunctions.h - what calls do to registers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler that has both functions knows which registers the called one
// leaves alone, and keeps values there, beside those that the calling
// convention preserves. The code of the called function shows it.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CALLEDFUNCTIONS_H
#define WAVELANE_PLUGINS_SYMBOLFILE_LANEDWARF_CALLEDFUNCTIONS_H

#include "RegisterSteps.h"
#include <functional>
#include <map>
#include <memory>

namespace lldb_private {
namespace wavelane {

/// The functions that code calls directly, and those that these call. Each is
/// read when it is asked for.
class CalledFunctions {
public:
  /// The code of the function that begins at a file address.
  /// \return Empty if there is none.
  using Reader = std::function<std::vector<uint8_t>(lldb::addr_t)>;

  CalledFunctions(AMDGPUMachineCode &code, Reader read);
  ~CalledFunctions();

  /// Gives the calls among a function's instructions their callees, which use
  /// \a steps and belong to this object.
  void Add(std::vector<RegisterStep> &steps);

private:
  class Caller;
  class Call;
  class Function;

  /// \return Null if it is too deep among the others.
  Function *Find(lldb::addr_t address);

  AMDGPUMachineCode &m_code;
  const Reader m_read;
  std::map<lldb::addr_t, std::unique_ptr<Function>> m_functions;
  std::vector<std::unique_ptr<Caller>> m_callers;
  unsigned m_depth = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
