//===-- OutputFile.h - files that people ask for ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports, cores and recordings are written where a person says. A regular file
// is replaced by a complete one or not at all. Anything else, such as
// /dev/null, /dev/stdout or a named pipe, is written into and stays what it is.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_FILES_OUTPUTFILE_H
#define WAVELANE_FORMATS_FILES_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace wavelane::files {

/// An output under construction. Nothing is left of it unless keep() succeeds.
/// It has no name while it is written, so a killed process leaves nothing
/// either, except on file systems without unnamed files.
class OutputFile {
public:
  /// Opens the output for \p Path. A link is followed. A new file can be read
  /// by its owner alone; one that replaces the user's own file has its
  /// permissions.
  /// \return An error that begins with \p Path: no permission, a folder, a
  ///     link to nothing, a pipe that nobody reads, a full disk.
  static llvm::Expected<OutputFile> create(llvm::StringRef Path);

  OutputFile(OutputFile &&Other);
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// Where to write; this object keeps it.
  int descriptor() const { return Fd; }

  /// Ends the output and gives a regular file its name.
  /// \return An error that begins with the path; then an older file is still
  ///     there.
  llvm::Error keep();

  /// Writes what \p Write prints, then keep().
  llvm::Error writeAndKeep(llvm::function_ref<void(llvm::raw_ostream &)> Write);

private:
  OutputFile() = default;
  llvm::Error fail(int Error) const;

  /// As the user wrote it.
  std::string Path;
  /// The regular file to replace or make; empty for anything else.
  std::string Target;
  /// The name of the file until it is complete; empty if it has none.
  std::string Partial;
  int Fd = -1;
};

/// Writes what \p Write prints to \p Path.
llvm::Error writeOutput(llvm::StringRef Path,
                        llvm::function_ref<void(llvm::raw_ostream &)> Write);

} // namespace wavelane::files

#endif // WAVELANE_FORMATS_FILES_OUTPUTFILE_H
