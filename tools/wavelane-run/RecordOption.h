//===-- RecordOption.h - keeps a run in a file ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_TOOLS_WAVELANE_RUN_RECORDOPTION_H
#define WAVELANE_TOOLS_WAVELANE_RUN_RECORDOPTION_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <sys/types.h>

/// The options --record and --record-limit.
class RecordOption {
public:
  bool isWanted() const { return !File.empty(); }
  bool isComplete() const { return isWanted() || Limit.empty(); }
  llvm::Error take(llvm::StringRef Name, llvm::StringRef Value);
  /// Creates the file unless it is there, and passes it to the device.
  llvm::Error begin();
  /// Waits until the device has written it.
  void end() const;

private:
  std::string File; ///< absolute
  std::string Limit;
  ino_t Before = 0; ///< the file that a recording replaces
};

#endif // WAVELANE_TOOLS_WAVELANE_RUN_RECORDOPTION_H
