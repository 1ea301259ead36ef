//===-- FatBinary.h - GPU code in a program's file -------------*- C++ -*-===//

#ifndef WAVELANE_PLUGINS_PROCESS_AMDGPU_FATBINARY_H
#define WAVELANE_PLUGINS_PROCESS_AMDGPU_FATBINARY_H

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Core/Module.h"

#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The code objects that clang has put into a HIP program's file, one for each GPU
/// that it was compiled for.
class FatBinary {
public:
  struct CodeObject {
    std::string processor; ///< As "gfx90a:xnack+".
    lldb::ModuleSP module_sp;
  };

  /// What \a program holds; empty where it holds nothing, or something compressed,
  /// which is known when the program has loaded it. Read once.
  static std::vector<CodeObject> Get(Module &program);

  /// Finds where a breakpoint of a program that doesn't run yet will be in its GPU
  /// code. Where that is on the breakpoint's own line, places of the host that are
  /// on other lines are disabled: they were only next to it.
  /// \return For each place a line, as `breakpoint set` prints it.
  static std::vector<std::string> Bind(Target &host, Breakpoint &breakpoint);
};

} // namespace wavelane
} // namespace lldb_private

#endif
