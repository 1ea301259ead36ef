//===-- JobBreakpoints.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JobBreakpoints.h"
#include "Rank.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr llvm::StringLiteral kNamePrefix("ranks_");
static constexpr llvm::StringLiteral kTo("to");

std::string JobBreakpoints::MakeName(llvm::ArrayRef<uint32_t> ranks) {
  // LLDB's names have neither '-' nor '.'.
  std::string name = kNamePrefix.str();
  for (char c : FormatRanks(ranks.vec()))
    name += c == '-' ? kTo.str() : std::string(1, c == ',' ? '_' : c);
  return name;
}

bool JobBreakpoints::IsOf(Breakpoint &breakpoint, uint32_t rank) {
  std::vector<std::string> names;
  breakpoint.GetNames(names);
  bool is_of_some = false;
  for (llvm::StringRef name : names) {
    if (!name.consume_front(kNamePrefix))
      continue;
    llvm::SmallVector<llvm::StringRef> runs;
    name.split(runs, '_');
    bool is_range = true, is_in = false;
    for (llvm::StringRef run : runs) {
      uint32_t first = 0, last = 0;
      auto [from, to] = run.split(kTo);
      is_range &= !from.getAsInteger(10, first) &&
                  !(to.empty() ? from : to).getAsInteger(10, last);
      is_in |= first <= rank && rank <= last;
    }
    // Another name of the user's may begin like that.
    if (is_range && is_in)
      return true;
    is_of_some |= is_range;
  }
  return !is_of_some;
}

void JobBreakpoints::Hold(bool holds) {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_is_held = holds;
}

void JobBreakpoints::Add(const TargetSP &target_sp, uint32_t rank) {
  std::lock_guard<std::mutex> guard(m_mutex);
  TargetSP hub_sp = m_hub_wp.lock();
  if (!hub_sp || hub_sp == target_sp)
    return;
  RankTarget &rank_target = m_rank_targets.emplace_back();
  rank_target.target_wp = target_sp;
  rank_target.mirror.SetFilter(
      [rank](Breakpoint &breakpoint) { return IsOf(breakpoint, rank); });
  rank_target.mirror.Adopt(*hub_sp, *target_sp);
  rank_target.mirror.Synchronize(*hub_sp, *target_sp);
}

void JobBreakpoints::Synchronize() {
  std::lock_guard<std::mutex> guard(m_mutex);
  TargetSP hub_sp = m_hub_wp.lock();
  if (m_is_held || !hub_sp || !hub_sp->IsValid())
    return;
  m_rank_targets.remove_if([](const RankTarget &rank_target) {
    TargetSP target_sp = rank_target.target_wp.lock();
    return !target_sp || !target_sp->IsValid();
  });
  // First what a rank has changed, and then what another one lacks.
  for (int round = 0; round < 2; ++round)
    for (RankTarget &rank_target : m_rank_targets)
      if (TargetSP target_sp = rank_target.target_wp.lock())
        rank_target.mirror.Synchronize(*hub_sp, *target_sp);
}
