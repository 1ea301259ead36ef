//===-- DispatchCounts.cpp - how far kernels have come --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchCounts.h"

namespace wavelane::server {

DispatchProgress::DispatchProgress(GPUSession &session) : m_session(session) {
  auto ids = session.List<amd_dbgapi_workgroup_id_t>(
      "listing workgroups",
      [&](size_t *count, amd_dbgapi_workgroup_id_t **items) {
        return session.fn().process_workgroup_list(session.id(), count, items,
                                                   nullptr);
      });
  if (!ids) {
    llvm::consumeError(ids.takeError());
    return;
  }
  m_is_known = true;
  auto get = session.fn().workgroup_get_info;
  for (amd_dbgapi_workgroup_id_t id : *ids) {
    auto dispatch =
        session.Get<uint64_t>(get, id, AMD_DBGAPI_WORKGROUP_INFO_DISPATCH);
    auto place = session.Get<std::array<uint32_t, 3>>(
        get, id, AMD_DBGAPI_WORKGROUP_INFO_WORKGROUP_COORD);
    if (dispatch && place)
      m_workgroups[*dispatch].push_back(*place);
  }
}

std::optional<llvm::json::Object>
DispatchProgress::Get(amd_dbgapi_dispatch_id_t dispatch) {
  auto get = m_session.fn().dispatch_get_info;
  auto grid = m_session.Get<std::array<uint32_t, 3>>(
      get, dispatch, AMD_DBGAPI_DISPATCH_INFO_GRID_SIZES);
  auto size = m_session.Get<std::array<uint16_t, 3>>(
      get, dispatch, AMD_DBGAPI_DISPATCH_INFO_WORKGROUP_SIZES);
  if (!m_is_known || !grid || !size)
    return std::nullopt;
  std::array<uint64_t, 3> groups;
  uint64_t total = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (!(*size)[i])
      return std::nullopt;
    groups[i] = ((*grid)[i] + uint64_t((*size)[i]) - 1) / (*size)[i];
    if (!groups[i] || total > UINT64_MAX / groups[i])
      return std::nullopt;
    total *= groups[i];
  }
  const auto &running = m_workgroups[dispatch.handle];
  // The first coordinate varies fastest.
  uint64_t begun = running.size();
  for (const std::array<uint32_t, 3> &place : running)
    begun = std::max(
        begun, place[0] + groups[0] * (place[1] + groups[1] * place[2]) + 1);
  begun = std::min(begun, total);
  uint64_t started = 0;
  const bool exact = m_session.fn().dispatch_started &&
                     m_session.fn().dispatch_started(dispatch, &started) ==
                         AMD_DBGAPI_STATUS_SUCCESS &&
                     started >= begun && started <= total;
  if (exact)
    begun = started;
  return llvm::json::Object{
      {"workgroups", total},
      {"done", begun - std::min<uint64_t>(begun, running.size())},
      {"running", uint64_t(running.size())},
      {"waiting", total - begun},
      {"exact", exact}};
}

} // namespace wavelane::server
