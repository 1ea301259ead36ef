//===-- LineFacts.h - What is known about a source line ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a breakpoint on a line stops nothing: whether the line has code, in which
// code objects, and what becomes of the breakpoints there; and which lanes and
// which variables' values aren't there.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDS_WHYNOT_LINEFACTS_H
#define WAVELANE_COMMANDS_WHYNOT_LINEFACTS_H

#include "Core/Record/LaneRecord.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
class Debugger;
class FileSpec;
class StackFrame;

namespace wavelane {

/// Code of a line, in one module.
struct LineCode {
  std::string module;   ///< the file's name
  std::string gpu;      ///< the processor or target ID; empty for the host
  bool loaded = false;  ///< into the program that runs
  std::string function; ///< that it is in; empty if that isn't known
  uint32_t line = 0;
};

/// The lanes of a stopped thread that are at the line.
struct LanesAtLine {
  uint32_t thread = 0;
  std::string wave; ///< "saxpy (1,0,0)/2"
  std::vector<uint32_t> there;
  /// The others: those that do the same, with the first of them.
  std::vector<std::pair<LaneRecord, std::vector<uint32_t>>> elsewhere;
};

/// A location of a breakpoint that is on the line or was set on it; or such a
/// breakpoint without a location, as its code isn't loaded.
struct LineBreakpoint {
  enum class State {
    Loaded,   ///< it has a location
    Waits,    ///< its code is known, and isn't loaded yet
    Pending,  ///< no code of it is known
    Unloaded, ///< its code isn't loaded any more
    Ended,    ///< as the program has ended
  };
  std::string id; ///< "1.2", or "1" without a location
  State state = State::Loaded;
  bool enabled = false;            ///< it and its breakpoint
  bool breakpoint_enabled = false; ///< its breakpoint
  std::string condition;           ///< empty if there is none
  uint32_t hits = 0;               ///< of the location, in this run
  uint32_t ignore_count = 0;       ///< hits that it will still ignore
  bool one_shot = false;           ///< it goes at its first stop
  bool auto_continue = false;      ///< the program continues at its stops
  /// The threads that it is for, as "thread 3"; empty if it is for all.
  std::string threads;
  bool is_gpu = false;     ///< is in GPU code
  bool is_set = false;     ///< LLDB has put it into the running program
  bool was_loaded = false; ///< its GPU code was, in this run, while it was set
  /// The line where it stops; 0 if that isn't known.
  uint32_t stops_at = 0;
  /// The file of that line if it is another one, as for a call that is inlined.
  std::string stops_in;
  /// Where it went, and whether it stops there; empty if it is on the line.
  std::string moved;
  /// That copies of the line's loop have no code of it; empty if each has some.
  std::string missing;
};

/// A variable that has no value where the selected frame stands.
struct MissingVariable {
  std::string name, reason;
};

struct LineFacts {
  enum class Kind {
    NoProgram,   ///< there is no target with a file
    NoDebugInfo, ///< no code has debug information
    NoFile,      ///< none was compiled from a file of that name
    OtherPath,   ///< files of that name are in other folders
    NoCode,      ///< the file has code, but not on the line
    Code,
  };
  /// Of several programs, the last one of these.
  enum class Program { NotStarted, Detached, Ended, Runs };
  Kind kind = Kind::NoProgram;
  Program program = Program::NotStarted;
  bool uses_gpu = false; ///< in this run, or in the one that has ended
  std::string file;      ///< as it was asked for
  uint32_t line = 0;
  std::vector<LineCode> code; ///< on the line itself
  /// The nearest lines of the file with code, one of each module.
  std::vector<LineCode> before, after;
  std::vector<std::string> paths;   ///< the files of that name
  std::vector<std::string> similar; ///< names of other files, like this one
  /// GPU code without debug information.
  std::vector<std::string> bare;
  std::vector<LineBreakpoint> breakpoints;
  /// The file's lines, if it ends before the line.
  std::optional<uint32_t> lines_in_file;
  std::string source; ///< the file that has so many
  /// Of the selected thread, if it has lanes and stands in a function with code
  /// on the line.
  std::optional<LanesAtLine> lanes;
  /// Of the selected frame, if it is at the line.
  std::vector<MissingVariable> missing;
};

/// Looks in all targets of a debugger, and in GPU code that isn't loaded.
/// \param line  Counted from 1.
/// \param frame  The selected one, or null.
LineFacts FindLineFacts(Debugger &debugger, const FileSpec &file, uint32_t line,
                        StackFrame *frame);

llvm::json::Value toJSON(const LineFacts &facts);

} // namespace wavelane
} // namespace lldb_private

#endif // WAVELANE_COMMANDS_WHYNOT_LINEFACTS_H
