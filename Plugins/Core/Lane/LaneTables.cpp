//===-- LaneTables.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneTables.h"
#include "WindowAddress.h"

using namespace lldb;
using namespace lldb_private::wavelane;

using Guard = std::lock_guard<std::mutex>;

std::optional<uint32_t> LaneTables::GetFocus(tid_t tid) const {
  Guard guard(m_mutex);
  auto found = m_focus.find(tid);
  if (found == m_focus.end())
    return std::nullopt;
  return found->second;
}

bool LaneTables::SetFocus(tid_t tid, std::optional<uint32_t> lane) {
  Guard guard(m_mutex);
  m_doubtful.erase(tid);
  if (!lane) {
    m_focus.erase(tid);
    return false;
  }
  const bool is_new = m_focus.insert_or_assign(tid, *lane).second;
  // Forget ended waves now and then: thousands of them come and go.
  return is_new && m_focus.size() % 1024 == 0;
}

uint32_t LaneTables::SetFirstFocus(tid_t tid, uint32_t lane) {
  Guard guard(m_mutex);
  return m_focus.emplace(tid, lane).first->second;
}

void LaneTables::DoubtFocus(tid_t tid) {
  Guard guard(m_mutex);
  if (m_focus.count(tid))
    m_doubtful.insert(tid);
}

bool LaneTables::IsDoubtful(tid_t tid) const {
  Guard guard(m_mutex);
  return m_doubtful.count(tid);
}

void LaneTables::EndDoubt(tid_t tid) {
  Guard guard(m_mutex);
  m_doubtful.erase(tid);
}

std::string LaneTables::GetName(tid_t tid, std::optional<uint32_t> lane) const {
  Guard guard(m_mutex);
  auto found = m_names.find({tid, lane});
  return found == m_names.end() ? "" : found->second;
}

void LaneTables::SetName(tid_t tid, std::optional<uint32_t> lane,
                         std::string name) {
  Guard guard(m_mutex);
  if (name.empty())
    m_names.erase({tid, lane});
  else
    m_names[{tid, lane}] = std::move(name);
}

std::vector<NamedLane> LaneTables::GetLaneNames() const {
  Guard guard(m_mutex);
  std::vector<NamedLane> names;
  for (const auto &[named, name] : m_names)
    if (named.second)
      names.push_back({named.first, *named.second, name});
  return names;
}

std::set<tid_t> LaneTables::GetThreads() const {
  Guard guard(m_mutex);
  std::set<tid_t> tids;
  for (const auto &[tid, lane] : m_focus)
    tids.insert(tid);
  for (const auto &[named, name] : m_names)
    tids.insert(named.first);
  return tids;
}

void LaneTables::Forget(const std::set<tid_t> &tids) {
  Guard guard(m_mutex);
  for (tid_t tid : tids) {
    m_focus.erase(tid);
    m_doubtful.erase(tid);
  }
  for (auto it = m_names.begin(); it != m_names.end();)
    it = tids.count(it->first.first) ? m_names.erase(it) : std::next(it);
}

std::optional<uint32_t> LaneTables::GetSlot(tid_t tid) {
  Guard guard(m_mutex);
  auto found = m_slot_of.find(tid);
  if (found != m_slot_of.end())
    return found->second;
  if (m_slots.size() > SpaceAddress::kMaxSlot)
    return std::nullopt;
  const auto slot = uint32_t(m_slots.size());
  m_slot_of[tid] = slot;
  m_slots.push_back(tid);
  return slot;
}

std::optional<tid_t> LaneTables::FindThreadOfSlot(uint32_t slot) const {
  Guard guard(m_mutex);
  if (slot >= m_slots.size())
    return std::nullopt;
  return m_slots[slot];
}

std::optional<uint32_t>
LaneTables::AddObject(uint32_t stop_id, std::string key,
                      std::shared_ptr<WindowObject> object) {
  // Destroy objects without holding the lock.
  std::map<uint32_t, std::shared_ptr<WindowObject>> dropped;
  Guard guard(m_mutex);
  if (m_objects_stop_id != stop_id) {
    m_objects_stop_id = stop_id;
    dropped.swap(m_objects);
    m_ids.clear();
  }
  auto found = m_ids.find(key);
  if (found == m_ids.end()) {
    if (m_next_id >= EntryAddress::kMaxId)
      return std::nullopt;
    found = m_ids.emplace(std::move(key), m_next_id++).first;
  }
  std::swap(m_objects[found->second], object);
  return found->second;
}

std::shared_ptr<WindowObject> LaneTables::FindObject(uint32_t stop_id,
                                                     uint32_t id) const {
  Guard guard(m_mutex);
  auto found = m_objects.find(id);
  return found == m_objects.end() || m_objects_stop_id != stop_id
             ? nullptr
             : found->second;
}
