//===-- AttachStarts.h - programs that bring running ranks ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_JOB_ATTACHSTARTS_H
#define WAVELANE_SESSION_JOB_ATTACHSTARTS_H

#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// The programs by which the debugger attaches to ranks: wavelane-rank, which
/// becomes a rank's lldb-server, or ssh or srun, which start it on another host
/// and stay until it ends. One that ends before its rank has come has failed.
class AttachStarts {
public:
  AttachStarts();
  ~AttachStarts();

  /// \param[in] input What the program gets as its input.
  llvm::Error Start(uint32_t rank, const std::vector<std::string> &words,
                    const std::string &input);
  /// How the program of a rank has ended, and what it has said: "ssh exited
  /// with status 255: Permission denied"; empty while it runs.
  std::string FindEnd(uint32_t rank) const;

private:
  struct Ends;
  /// Programs may outlive the job.
  std::shared_ptr<Ends> m_ends;
};

} // namespace wavelane
} // namespace lldb_private

#endif
