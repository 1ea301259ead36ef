//===-- FindingObjects.h - what checks have found ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of a program's checks, for commands. docs/checks.md describes
// their JSON.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDS_CHECK_FINDINGOBJECTS_H
#define WAVELANE_COMMANDS_CHECK_FINDINGOBJECTS_H

#include "lldb/Utility/StructuredData.h"
#include "lldb/lldb-forward.h"
#include <optional>
#include <string>

namespace lldb_private {
class Args;
class CommandInterpreter;
class CommandReturnObject;
class CompletionRequest;

namespace wavelane {

class ProcessAMDGPU;

/// The GPU's process, whose findings a command is about.
/// \return Null after an error, which says whether something is checked.
ProcessAMDGPU *FindCheckedProcess(CommandInterpreter &interpreter,
                                  CommandReturnObject &result);

/// \return Null after an error, which is in \a result.
StructuredData::ArraySP GetFindings(ProcessAMDGPU &process,
                                    CommandReturnObject &result);

/// The finding whose number is the command's only argument.
/// \return Null after an error, which is in \a result.
StructuredData::Dictionary *FindFinding(const StructuredData::Array &findings,
                                        const Args &command,
                                        CommandReturnObject &result);

/// What a side of a finding is in JSON: the wave that did it, or the other.
StructuredData::Dictionary *GetSide(const StructuredData::Dictionary &finding,
                                    bool is_other);

/// Where a finding is, in a kernel or in a call of the host: "saxpy.hip:12",
/// or empty without a line.
std::string GetPlace(const StructuredData::Dictionary &finding);

/// "f(int) at saxpy.hip:12:5", and the line of source below if it is known.
std::string DescribePlace(const StructuredData::Dictionary &side);

/// "Invalid global write of size 4 bytes, out[64]".
std::string GetSummary(const StructuredData::Dictionary &finding);

/// The wave of a side, if it is still there.
struct FindingWave {
  lldb::ThreadSP thread_sp;
  std::optional<uint32_t> lane; ///< the first that did it
  bool has_moved = false;       ///< it has executed something since
};
std::optional<FindingWave> FindWave(ProcessAMDGPU &process,
                                    const StructuredData::Dictionary &side);

/// Completes the word with a finding's number.
void CompleteFindings(CommandInterpreter &interpreter,
                      CompletionRequest &request);

} // namespace wavelane
} // namespace lldb_private

#endif
