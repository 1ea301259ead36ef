//===-- RuntimeChoice.h - a program's runtime -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On the simulated GPU a program can use the runtime that it was linked for,
// AMD's, over libwavelane-driver, or Wavelane's own small libamdhip64. This
// library chooses between them, and explains the choice.
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

/// The variable that names a runtime, if no option or setting does.
inline constexpr char Variable[] = "WAVELANE_RUNTIME";

/// ROCr's variable for checks: if it is 1, each allocation has pages of its
/// own.
inline constexpr char SeparateAllocations[] = "HSA_DISABLE_FRAGMENT_ALLOCATOR";

/// "auto", "amd" or "wavelane"; nullopt for anything else.
std::optional<Runtime> parse(llvm::StringRef Name);

struct Choice {
  Runtime TheRuntime = Runtime::Wavelane; ///< never Auto
  std::string Why; ///< "libamdhip64.so.6 isn't installed"
  /// The GPU that the program has code for, where none was asked for. AMD's
  /// runtime needs it.
  std::string TheProcessor;
  /// Why AMD's runtime will fail with the program, if that is known:
  /// "/usr/lib/libamdhip64.so.5 (HIP 5.2) doesn't know gfx1100".
  std::string Trouble = {};
  /// The folder in which the program finds AMD's runtime; empty if the loader
  /// knows it.
  std::string Folder = {};
};

/// The variable that names the folder of a ROCm that isn't in DefaultRocm.
inline constexpr char RocmVariable[] = "ROCM_PATH";
inline constexpr char DefaultRocm[] = "/opt/rocm";

/// Chooses the runtime of a program. \param wanted The requested runtime.
/// \param program Its path, or a name to be searched in PATH.
/// \param gpus The simulated GPUs; none: one that the program has code for.
/// \param search Its LD_LIBRARY_PATH.
/// \param own The folder of Wavelane's libamdhip64.
/// \param rocm The value of RocmVariable.
Choice choose(Runtime Wanted, llvm::StringRef Program,
              llvm::ArrayRef<const gpu::Processor *> Gpus,
              llvm::StringRef Search, llvm::StringRef Own,
              llvm::StringRef Rocm);

/// Whether a program may use a GPU, or start one that does: by its file and the
/// libraries that it is linked with. Unknown files may.
/// \param Program, Search As for choose().
bool mayUseGpu(llvm::StringRef Program, llvm::StringRef Search);

/// Calls \p prepend with each variable and the path that must come first in it.
/// The error says what isn't installed.
/// \param own As for choose(); libwavelane-driver.so is beside the folder.
llvm::Error
setUp(const Choice &TheChoice, llvm::StringRef Own,
      llvm::function_ref<void(llvm::StringRef Variable, llvm::StringRef Path)>
          Prepend);

/// Chooses, and changes the variables of a program so that its GPU code can be
/// debugged on the simulated GPU.
/// \param Get The value of a variable; empty without one.
/// \return Why the runtime was chosen. The error says what isn't installed.
llvm::Expected<Choice> setUpDebugging(
    Runtime Wanted, llvm::StringRef Program, llvm::StringRef Own,
    llvm::function_ref<std::string(llvm::StringRef Variable)> Get,
    llvm::function_ref<void(llvm::StringRef Variable, const std::string &Value)>
        Set);

} // namespace wavelane::runtimechoice

#endif // WAVELANE_RUNTIMECHOICE_RUNTIMECHOICE_H
