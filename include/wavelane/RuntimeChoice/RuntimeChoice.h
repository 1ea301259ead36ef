//===-- RuntimeChoice.h - a program's runtime -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the simulated GPU a program can use the runtime that it was linked for,
// AMD's, over libwavelane-driver, or Wavelane's own small libamdhip64. This
// says which one it uses, and why.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_RUNTIMECHOICE_RUNTIMECHOICE_H
#define WAVELANE_RUNTIMECHOICE_RUNTIMECHOICE_H

#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace wavelane::runtimechoice {

enum class Runtime { Auto, Amd, Wavelane };

/// The variable that names a runtime, where no option or setting does.
inline constexpr char Variable[] = "WAVELANE_RUNTIME";

/// "auto", "amd" or "wavelane"; nullopt for anything else.
std::optional<Runtime> parse(llvm::StringRef name);

struct Choice {
  Runtime runtime = Runtime::Wavelane; ///< never Auto
  std::string why;                     ///< "libamdhip64.so.6 isn't installed"
  /// The GPU that the program has code for, where none was asked for. AMD's
  /// runtime has to be told.
  std::string processor;
};

/// Chooses for a program.
/// \param wanted What was asked for.
/// \param program Its path, or a name to be searched in PATH.
/// \param gpus The simulated GPUs; none: one that the program has code for.
/// \param search Its LD_LIBRARY_PATH.
/// \param own The folder of Wavelane's libamdhip64.
Choice choose(Runtime wanted, llvm::StringRef program,
              llvm::ArrayRef<const gpu::Processor *> gpus,
              llvm::StringRef search, llvm::StringRef own);

/// Calls \p prepend with each variable and the path that is to come first in
/// it. The error says what isn't installed.
/// \param own As for choose(); libwavelane-driver.so is beside the folder.
llvm::Error
setUp(Runtime runtime, llvm::StringRef own,
      llvm::function_ref<void(llvm::StringRef variable, llvm::StringRef path)>
          prepend);

} // namespace wavelane::runtimechoice

#endif // WAVELANE_RUNTIMECHOICE_RUNTIMECHOICE_H
