//===-- LaneRecord.h - the lanes as records ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands `thread lane ...` gather these records and print them as JSON
// (--json) or text. lldb-dap and the Python package read the JSON, whose keys
// are described in docs/json.md. Depends on LLVM only, because lldb-dap uses
// it, too.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_RECORD_LANERECORD_H
#define WAVELANE_CORE_RECORD_LANERECORD_H

#include "LaneText.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// A lane at a frame.
struct LaneRecord {
  uint32_t lane = 0;
  bool is_active = false;
  /// It is the focus lane of its thread.
  bool has_focus = false;
  /// Its thread has stopped because of what it did: a finding of a check, a
  /// watchpoint, an exception.
  bool caused_stop = false;
  /// The position of its work-item in the workgroup and in the grid, in
  /// work-items; nullopt if it has none or it isn't known.
  std::optional<Triple> work_item = std::nullopt, grid = std::nullopt;
  /// The name given by the user.
  std::string name = {};

  enum Progress {
    eUnknown,
    eStands, ///< It executes at `line`.
    eGoesOn, ///< It is inactive and continues at `line`.
    eDone,   ///< It is inactive until its thread ends.
  };
  Progress progress = eUnknown;
  /// "saxpy.hip:13:5", or an address if there is no line.
  std::string line = {};

  /// " at saxpy.hip:13:5", " continues at ...", " has finished" or "".
  std::string FormatProgress() const;
  /// "active, work-item (17,0,0), saxpy.hip:13:5".
  std::string Describe() const;
};

/// The lanes at a frame.
struct LaneList {
  /// LLDB's number of the thread ("thread #3"), and its id.
  uint32_t thread = 0;
  uint64_t tid = 0;
  uint32_t frame = 0;
  uint32_t focus = 0;
  /// "saxpy (1,0,0)/2"; empty for a thread that isn't a wave.
  std::string wave;
  /// The thread's lanes at the frame, by number.
  std::vector<LaneRecord> lanes;

  /// "thread #3 'saxpy (1,0,0)/2'".
  std::string FormatThread() const;
};

/// A thread as text; \a wave may be empty.
std::string FormatThread(uint32_t thread, llvm::StringRef wave);

/// The value of an expression in a lane.
struct LaneValue {
  uint32_t lane = 0;
  bool is_active = false;
  /// The value as text, or the reason why there is none.
  std::string text = {};
  bool is_error = false;
  /// The object's bytes, lowest first, in hexadecimal; empty if not requested
  /// or more than 64 KiB.
  std::string bytes = {};
  /// The stale variables that it depends on: "t [value at line 12]".
  std::string stale = {};
  /// Set if the value is a finite number. Not in the JSON.
  std::optional<double> number = {};

  /// The text with what of it is stale, for where there is no other place to
  /// say so. A variable's own text says it.
  std::string FormatText() const;

  /// Whether both have the same text.
  bool IsSame(const LaneValue &other) const {
    return text == other.text && is_error == other.is_error;
  }
};

/// The values of an expression in lanes of a thread.
struct LaneValues {
  std::string expression;
  /// The name of its type; for a reference, that of the object.
  std::string type;
  uint32_t thread = 0;
  uint64_t tid = 0;
  std::string wave;
  std::vector<LaneValue> values;
};

/// The lanes of a thread in which an expression holds.
struct LanesFound {
  uint32_t thread = 0;
  uint64_t tid = 0;
  std::string wave;
  std::vector<uint32_t> lanes;
  /// Lanes in which it can't be evaluated.
  std::vector<uint32_t> unknown;
  /// The stale variables that decided it: "t [value at line 12]".
  std::string stale = {};
};

/// A frame of a lane.
struct LaneFrame {
  /// LLDB's number of the frame. Inlined functions where an inactive lane
  /// continues have the number of the function that contains them.
  uint32_t frame = 0;
  uint64_t pc = 0;
  std::string function;
  /// "saxpy.hip:13:5", or empty.
  std::string line;
  /// The unwinder isn't certain of it.
  bool is_guess = false;
};

/// The stack of a lane.
struct LaneStack {
  uint32_t thread = 0;
  uint64_t tid = 0;
  std::string wave;
  LaneRecord lane;
  /// Innermost first; empty if the lane has finished.
  std::vector<LaneFrame> frames;
};

llvm::json::Value toJSON(const LaneRecord &lane);
llvm::json::Value toJSON(const LaneList &list);
llvm::json::Value toJSON(const LanesFound &found);
llvm::json::Value toJSON(const LaneFrame &frame);
llvm::json::Value toJSON(const LaneStack &stack);
/// The focus lane, with its thread and frame: `thread lane info`.
llvm::json::Value FocusToJSON(const LaneList &list);

/// Writes the values of all lanes without an object in memory for each.
void WriteJSON(const LaneValues &values, llvm::json::OStream &stream);

bool fromJSON(const llvm::json::Value &value, LaneRecord &lane,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LaneList &list,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LaneValue &lane_value,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LaneValues &values,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LanesFound &found,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LaneFrame &frame,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, LaneStack &stack,
              llvm::json::Path path);

} // namespace wavelane
} // namespace lldb_private

#endif
