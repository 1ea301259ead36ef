//===-- CodeObjectModule.h - a code object and its file's time --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_SUPPORT_CODEOBJECTMODULE_H
#define WAVELANE_CORE_SUPPORT_CODEOBJECTMODULE_H

#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Host/FileSystem.h"

namespace lldb_private {
namespace wavelane {

/// The module of a GPU's code object, whose data was copied from a file, such
/// as the program's. LLDB knows no time for a module with data.
class CodeObjectModule : public Module {
public:
  /// \param file  What its data was copied from; empty if that is no file.
  CodeObjectModule(const ModuleSpec &spec, const FileSpec &file)
      : Module(spec), m_file(file),
        m_time(file ? FileSystem::Instance().GetModificationTime(file)
                    : llvm::sys::TimePoint<>()) {}

  const FileSpec &GetFile() const { return m_file; }
  /// When the file was written; zero if there is no file.
  const llvm::sys::TimePoint<> &GetTime() const { return m_time; }

private:
  const FileSpec m_file;
  const llvm::sys::TimePoint<> m_time;
};

} // namespace wavelane
} // namespace lldb_private

#endif
