//===-- Targets.cpp - The targets of one session --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Targets.h"
#include "Core/Record/HostTarget.h"
#include "DAP.h"
#include "DAPSessionManager.h"
#include "Ids.h"
#include "lldb/API/SBAddress.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBLaunchInfo.h"
#include "lldb/API/SBSection.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

bool Targets::Owns(lldb::SBTarget target) const {
  if (!target.IsValid())
    return false;
  if (target == m_dap.target)
    return true;
  if (m_is_alone || target.GetDebugger().GetID() != m_dap.debugger.GetID())
    return false;
  if (!m_is_child)
    return !DAPSessionManager::FindDAP(target);
  const char *data = target.GetLaunchInfo().GetLaunchEventData();
  return data && data == lldb_private::wavelane::GetHostTargetData(
                             m_dap.target.GetGloballyUniqueID());
}

std::vector<lldb::SBTarget> Targets::GetAll() const {
  std::vector<lldb::SBTarget> targets = {m_dap.target};
  for (uint32_t i = 0; i < m_dap.debugger.GetNumTargets(); ++i) {
    lldb::SBTarget other = m_dap.debugger.GetTargetAtIndex(i);
    if (other != m_dap.target && other.GetProcess().IsValid() && Owns(other))
      targets.push_back(other);
  }
  return targets;
}

uint32_t Targets::GetNumber(lldb::SBTarget target) {
  if (target == m_dap.target)
    return 0;
  const auto known = llvm::find(m_others, target);
  if (known != m_others.end())
    return known - m_others.begin() + 1;
  // The number of a target that is gone is free.
  const auto gone = llvm::find_if(m_others, [](lldb::SBTarget other) {
    return !other.GetProcess().IsValid();
  });
  if (gone != m_others.end()) {
    *gone = target;
    return gone - m_others.begin() + 1;
  }
  if (m_others.size() < ClientId::MaxTarget)
    m_others.push_back(target);
  return m_others.size();
}

lldb::SBTarget Targets::Get(uint32_t number) const {
  if (number == 0)
    return m_dap.target;
  return number <= m_others.size() ? m_others[number - 1] : lldb::SBTarget();
}

lldb::SBTarget Targets::GetSelected() const {
  lldb::SBTarget selected = m_dap.debugger.GetSelectedTarget();
  if (Owns(selected))
    return selected;
  return Owns(m_shown) ? m_shown : m_dap.target;
}

void Targets::SelectShown() {
  lldb::SBTarget shown = GetSelected();
  m_dap.debugger.SetSelectedTarget(shown);
}

lldb::SBTarget Targets::GetAt(lldb::addr_t address) const {
  std::vector<lldb::SBTarget> targets = GetAll();
  targets.insert(targets.begin(), GetSelected());
  for (lldb::SBTarget &candidate : targets)
    if (candidate.ResolveLoadAddress(address).GetSection().IsValid())
      return candidate;
  return m_dap.target;
}

bool Targets::IsAnyRunning() const {
  return llvm::any_of(GetAll(), [](lldb::SBTarget target) {
    const lldb::StateType state = target.GetProcess().GetState();
    return state == lldb::eStateRunning || state == lldb::eStateStepping;
  });
}

lldb::SBProcess Targets::GetStoppedProcess() const {
  lldb::SBProcess selected = GetSelected().GetProcess();
  if (selected.GetState() == lldb::eStateStopped)
    return selected;
  return lldb::SBTarget(m_dap.target).GetProcess();
}
