//===-- ReportPage.h - a stop as a page of HTML -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page is self-contained: no scripts, nothing from elsewhere, and a policy
// in it that forbids both. All text from the program is escaped.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_DEBUGGER_REPORT_REPORTPAGE_H
#define WAVELANE_DEBUGGER_REPORT_REPORTPAGE_H

#include "Record/DispatchProgress.h"
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
  /// When it was made.
  std::string time;
  /// What has stopped, in the debugger's words.
  std::string stop;
  /// A short description of each GPU.
  std::vector<std::string> agents;

  struct Kernel {
    std::string name, grid, workgroup;
    DispatchProgress progress;
  };
  std::vector<Kernel> kernels;

  /// The waves at a line.
  struct Line {
    /// "saxpy.hip:13", or an address.
    std::string place;
    std::string function;
    /// The line itself; may be empty.
    std::string source;
    /// How many are in each state ("breakpoint", "at a barrier", ...).
    std::map<std::string, uint64_t> states;
    uint64_t waves = 0;
  };
  std::vector<Line> lines;
  uint64_t waves = 0;

  /// The waves at a line that have the same lanes active.
  struct Divergence {
    std::string place;
    llvm::BitVector active;
    uint64_t waves = 0;
    /// One of them.
    std::string example;
  };
  /// Those that aren't shown are counted.
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
    /// One for each lane.
    std::vector<Value> values;
  };
  struct Variable {
    std::string expression;
    /// The function of the waves whose values are shown.
    std::string function;
    std::vector<Row> rows;
    /// Waves of that function that aren't shown.
    uint64_t more_waves = 0;
    /// Why there are no values.
    std::string error;
  };
  std::vector<Variable> variables;
};

/// Text for an HTML page, also within an attribute's quotes. What isn't UTF-8,
/// or isn't a character allowed in a page, becomes U+FFFD.
std::string EscapeHTML(llvm::StringRef text);

/// The page.
std::string WritePage(const Report &report);

} // namespace wavelane
} // namespace lldb_private

#endif
