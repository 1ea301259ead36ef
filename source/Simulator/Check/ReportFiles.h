//===-- ReportFiles.h - what a device leaves in its run's folder -*- C++ -*-==//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_REPORTFILES_H
#define WAVELANE_SIMULATOR_CHECK_REPORTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace wavelane::check {

/// Writes all of \a Text at once, so that it isn't mixed with what others
/// write. Errors are ignored.
void writeAll(int Fd, llvm::StringRef Text);

/// The files of a device in the folder of its run: the report, which is locked
/// until it is written, and each finding for a debugger. Without a folder, or
/// in one that can't be written, nothing is.
class ReportFiles {
public:
  /// \param In The folder; may be empty.
  explicit ReportFiles(std::string In);
  ReportFiles(const ReportFiles &) = delete;
  ReportFiles &operator=(const ReportFiles &) = delete;
  ~ReportFiles();

  /// Adds a line to simulator::CheckFindingsFile.
  void append(llvm::json::Value Finding) const;
  /// Whether a report is awaited.
  bool isAwaited() const { return Report >= 0; }
  /// Once.
  void write(llvm::json::Value Whole);

private:
  std::string Folder;
  int Report = -1;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_REPORTFILES_H
