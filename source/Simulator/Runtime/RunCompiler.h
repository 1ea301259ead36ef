//===-- RunCompiler.h - compiling kernels at run time -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hiprtc's programs are compiled by the clang++ that is installed.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_RUNTIME_RUNCOMPILER_H
#define WAVELANE_SIMULATOR_RUNTIME_RUNCOMPILER_H

#include <string>
#include <vector>

namespace wavelane {
namespace runtime {

/// A new folder for a program's sources, with a slash at its end. It exists
/// until this process exits, so that a debugger can show the sources; those of
/// processes that have died are removed.
/// \return Empty, with \a Error set, if it can't be created.
std::string makeSourceFolder(std::string &Error);

/// Writes a file, and the folders in \a Name, into \a Folder.
/// \return false with \a Error set; also for a name that leads out of \a
/// Folder.
bool writeSource(const std::string &Folder, const std::string &Name,
                 const std::string &Text, std::string &Error);

/// Compiles HIP for a GPU, with debug information and without host code.
/// \param Processor The GPU unless \a Options name one: "gfx90a".
/// \param Options The program's own, after ours.
/// \param Log What the compiler has printed, or why it can't be run.
/// \return Whether \a Output was written.
bool runCompiler(const std::string &Folder, const std::string &Source,
                 const std::string &Output, const std::string &Processor,
                 const std::vector<std::string> &Options, std::string &Log);

/// The symbol of a code object whose address is the initial value of the
/// pointer \a Variable.
/// \return Empty if there is none.
std::string findPointee(const std::vector<char> &CodeObject,
                        const std::string &Variable);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_RUNCOMPILER_H
