//===-- CodeObjectModule.h - a code object and its file's time --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_CODEOBJECTMODULE_H
#define WAVELANE_CORE_SUPPORT_CODEOBJECTMODULE_H

#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"

namespace lldb_private {
namespace wavelane {

/// The module of a GPU's code object, whose data was copied from a file, such
/// as the program's. LLDB knows no time for a module with data.
class CodeObjectModule : public Module {
public:
  /// \param time When the file was written; zero if there is no file.
  CodeObjectModule(const ModuleSpec &spec, const llvm::sys::TimePoint<> &time)
      : Module(spec), m_time(time) {}

  const llvm::sys::TimePoint<> &GetTime() const { return m_time; }

private:
  const llvm::sys::TimePoint<> m_time;
};

} // namespace wavelane
} // namespace lldb_private

#endif
