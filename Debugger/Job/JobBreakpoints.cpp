//===-- JobBreakpoints.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JobBreakpoints.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void JobBreakpoints::Add(const TargetSP &target_sp) {
  std::lock_guard<std::mutex> guard(m_mutex);
  TargetSP hub_sp = m_hub_wp.lock();
  if (!hub_sp || hub_sp == target_sp)
    return;
  Spoke &spoke = m_spokes.emplace_back();
  spoke.target_wp = target_sp;
  spoke.mirror.Adopt(*hub_sp, *target_sp);
  spoke.mirror.Synchronize(*hub_sp, *target_sp);
}

void JobBreakpoints::Synchronize() {
  std::lock_guard<std::mutex> guard(m_mutex);
  TargetSP hub_sp = m_hub_wp.lock();
  if (!hub_sp || !hub_sp->IsValid())
    return;
  m_spokes.remove_if([](const Spoke &spoke) {
    TargetSP target_sp = spoke.target_wp.lock();
    return !target_sp || !target_sp->IsValid();
  });
  // First what a rank has changed, and then what another one lacks.
  for (int round = 0; round < 2; ++round)
    for (Spoke &spoke : m_spokes)
      if (TargetSP target_sp = spoke.target_wp.lock())
        spoke.mirror.Synchronize(*hub_sp, *target_sp);
}
