//===-- ReportPage.h - a stop as a page of HTML -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is self-contained: it has no scripts and no external resources, and
// its content security policy forbids both. All text from the program is
// escaped.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_COMMANDS_REPORT_REPORTPAGE_H
#define WAVELANE_COMMANDS_REPORT_REPORTPAGE_H

#include "Core/Record/DispatchProgress.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

struct Report {
  std::string program;
  /// When the page was written.
  std::string time;
  /// The reason of the stop, in the debugger's words.
  std::string stop;
  /// A short description of each GPU.
  std::vector<std::string> agents;

  struct Kernel {
    std::string name, grid, workgroup;
    DispatchProgress progress;
  };
  std::vector<Kernel> kernels;

  /// What a check has found.
  struct Finding {
    uint64_t number = 0;
    std::string check; ///< "memory"
    /// What happened, and "saxpy.hip:13", which may be empty.
    std::string summary, place;
    /// The whole report, several lines.
    std::string text;
  };
  std::vector<Finding> findings;

  /// The waves at a line.
  struct Line {
    /// "saxpy.hip:13", or an address.
    std::string place;
    std::string function;
    /// The source text of the line; may be empty.
    std::string source;
    /// The number of waves in each state ("breakpoint", "at a barrier", ...).
    std::map<std::string, uint64_t> states;
    uint64_t waves = 0;
  };
  std::vector<Line> lines;
  uint64_t waves = 0;

  /// The waves at a line with the same active lanes.
  struct Divergence {
    std::string place;
    llvm::BitVector active;
    uint64_t waves = 0;
    /// The name of one of them.
    std::string example;
  };
  /// The number of sets that aren't shown.
  std::vector<Divergence> divergence;
  uint64_t more_divergence = 0;

  struct Value {
    enum Kind { eNone, eInactive, eShown, eError };
    Kind kind = eNone;
    std::string text;
    std::optional<double> number;
  };
  struct Row {
    std::string wave;
    /// A value for each lane.
    std::vector<Value> values;
  };
  struct Variable {
    std::string expression;
    /// The function of the waves whose values are shown.
    std::string function;
    std::vector<Row> rows;
    /// The number of waves of that function that aren't shown.
    uint64_t more_waves = 0;
    /// The reason why there are no values.
    std::string error;
    /// LaneExpression::GetStale().
    std::string stale = "";
  };
  std::vector<Variable> variables;
};

/// A stop of a job's ranks: an overview, and a part for each rank with waves.
struct JobReport {
  /// The launcher's command, or the program.
  std::string title;
  /// When the page was written.
  std::string time;

  struct Rank {
    uint32_t number = 0;
    uint64_t pid = 0, waves = 0;
    std::string host, state;
    /// Why it has stopped, and where it is; may be empty.
    std::string reason, where;
  };
  std::vector<Rank> ranks;

  /// What ranks do that do the same: "ranks 0,2: host in MPI_Allreduce".
  std::vector<std::string> activities;

  /// The tree of all stacks: a line for each function, indented by its depth.
  std::vector<std::string> stacks;

  struct Part {
    uint32_t rank = 0;
    /// Its waves, or why they can't be determined.
    std::optional<Report> report;
    std::string error;
  };
  std::vector<Part> parts;
};

/// Escapes text for an HTML page or an attribute in quotes. Invalid UTF-8 and
/// characters that aren't allowed in a page become U+FFFD.
std::string EscapeHTML(llvm::StringRef text);

/// The page.
std::string WritePage(const Report &report);
std::string WritePage(const JobReport &report);

} // namespace wavelane
} // namespace lldb_private

#endif
