//===-- BreakpointMirror.h - breakpoints of two targets as one --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SESSION_COUPLING_BREAKPOINTMIRROR_H
#define WAVELANE_SESSION_COUPLING_BREAKPOINTMIRROR_H

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Target/Target.h"

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// Keeps the user's breakpoints of the host target and of its GPU target equal:
/// one that is created, changed or deleted on one side is also changed on the
/// other, under the same number if that is free.
class BreakpointMirror {
public:
  /// What the two targets are: a program's host and its GPU, or the hosts of
  /// two ranks, called host and GPU here as well.
  enum class Sides { HostAndGPU, Alike };

  BreakpointMirror() = default;
  explicit BreakpointMirror(Sides sides) : m_sides(sides) {}

  /// \param[in] takes Whether the GPU's side gets a new breakpoint of the
  /// other.
  void SetFilter(std::function<bool(Breakpoint &)> takes) {
    m_takes = std::move(takes);
  }
  /// For a new \p gpu target, which has copies of the breakpoints that were set
  /// without a target, as \p host has: those of \p host stay.
  void Adopt(Target &host, Target &gpu);
  /// Makes both sides equal. Cheap when nothing has changed.
  void Synchronize(Target &host, Target &gpu);

private:
  /// The options of a breakpoint that the user can change after its creation.
  struct Options {
    std::string condition;
    bool enabled = true;
    bool one_shot = false;
    bool auto_continue = false;
    uint32_t ignore_count = 0;
    /// Its commands, or its script, in the form that LLDB writes to a file.
    std::string commands;
    /// A callback that a program has set, identified by its baton.
    const void *callback = nullptr;
    bool operator==(const Options &other) const;
  };
  struct Pair {
    lldb::break_id_t host = LLDB_INVALID_BREAK_ID;
    lldb::break_id_t gpu = LLDB_INVALID_BREAK_ID;
    Options options;
  };

  static Options GetOptions(Breakpoint &breakpoint);
  /// Sets the \a options of \a to.
  static void SetOptions(Breakpoint &to, const Options &options,
                         Breakpoint &from);
  static void SetCommands(Breakpoint &breakpoint, llvm::StringRef commands);
  lldb::BreakpointSP Copy(Breakpoint &from, Target &to);
  /// Disables the locations that are disabled in the other program.
  static void CopyDisabled(Breakpoint &from, Breakpoint &to);
  bool IsPaired(lldb::break_id_t id, bool host) const;
  void CopyNew(Target &from, Target &to, bool from_host);
  static void YieldHostLocations(Breakpoint &host, Breakpoint &gpu);

  const Sides m_sides = Sides::HostAndGPU;
  std::recursive_mutex m_mutex;
  std::vector<Pair> m_pairs;
  bool m_busy = false;
  std::function<bool(Breakpoint &)> m_takes;
  /// The last one that it hasn't taken.
  lldb::break_id_t m_refused = 0;
};

} // namespace wavelane
} // namespace lldb_private

#endif
