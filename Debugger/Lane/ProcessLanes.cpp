//===-- ProcessLanes.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessLanes.h"
#include "LaneFocus.h"
#include "LaneSource.h"
#include "lldb/Target/Thread.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::shared_ptr<ProcessLanes> ProcessLanes::Get(Process &process) {
  auto *owner = dynamic_cast<LaneOwner *>(&process);
  return owner ? owner->GetLanes() : nullptr;
}

std::shared_ptr<ProcessLanes> ProcessLanes::GetOrCreate(Process &process) {
  // Commands and the handler of events may come at once.
  static std::mutex g_mutex;
  std::lock_guard<std::mutex> guard(g_mutex);
  if (auto lanes = Get(process))
    return lanes;
  auto lanes = std::make_shared<ProcessLanes>(
      dynamic_cast<AddressSpaceMemory *>(&process) != nullptr);
  if (auto *owner = dynamic_cast<LaneOwner *>(&process))
    std::atomic_store(&owner->m_lanes_sp, lanes);
  return lanes;
}

std::optional<uint32_t> ProcessLanes::GetFocus(tid_t tid) const {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  auto found = m_focus.find(tid);
  if (found == m_focus.end())
    return std::nullopt;
  return found->second;
}

void ProcessLanes::SetFocus(Process &process, tid_t tid,
                            std::optional<uint32_t> lane) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (!lane) {
    m_focus.erase(tid);
    return;
  }
  const bool is_new = m_focus.find(tid) == m_focus.end();
  m_focus[tid] = *lane;
  // Threads come and go by the thousand on a GPU.
  if (is_new && m_focus.size() >= 1024 && (m_focus.size() & 1023) == 0) {
    for (auto it = m_focus.begin(); it != m_focus.end();)
      if (!process.GetThreadList().FindThreadByID(it->first, false))
        it = m_focus.erase(it);
      else
        ++it;
  }
}

uint32_t ProcessLanes::SetFirstFocus(Process &process, tid_t tid,
                                     uint32_t lane) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (std::optional<uint32_t> focus = GetFocus(tid))
    return *focus;
  SetFocus(process, tid, lane);
  return lane;
}

std::string ProcessLanes::GetName(tid_t tid,
                                  std::optional<uint32_t> lane) const {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  auto found = m_names.find({tid, lane});
  return found == m_names.end() ? "" : found->second;
}

void ProcessLanes::SetName(Process &process, tid_t tid,
                           std::optional<uint32_t> lane, std::string name) {
  {
    std::lock_guard<std::recursive_mutex> guard(m_mutex);
    for (auto it = m_names.begin(); it != m_names.end();)
      if (!process.GetThreadList().FindThreadByID(it->first.first, false))
        it = m_names.erase(it);
      else
        ++it;
    if (name.empty())
      m_names.erase({tid, lane});
    else
      m_names[{tid, lane}] = std::move(name);
  }
  ThreadSP thread_sp = process.GetThreadList().FindThreadByID(tid, false);
  if (auto *source = dynamic_cast<LaneSource *>(thread_sp.get()))
    source->FocusLaneDidChange(GetFocusLane(*thread_sp));
}

std::vector<ProcessLanes::LaneName>
ProcessLanes::GetLaneNames(Process &process) const {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  std::vector<LaneName> names;
  for (const auto &[place, name] : m_names)
    if (place.second &&
        process.GetThreadList().FindThreadByID(place.first, false))
      names.push_back({place.first, *place.second, name});
  return names;
}

void ProcessLanes::InvalidateValues(Process &process) {
  if (auto *owner = dynamic_cast<LaneOwner *>(&process))
    owner->InvalidateValues();
}

llvm::Expected<addr_t> ProcessLanes::GetSpaceAddress(tid_t tid, uint32_t lane,
                                                     uint64_t space,
                                                     uint32_t offset) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (lane > SpaceAddress::kMaxLane)
    return llvm::createStringError("lane %u is beyond the 64 that an address "
                                   "space's memory can be shown for",
                                   lane);
  auto found = m_slot_of.find(tid);
  if (found == m_slot_of.end()) {
    if (m_slots.size() > SpaceAddress::kMaxSlot)
      return llvm::createStringError(
          "memory of more than 65536 waves was looked at in this process");
    found = m_slot_of.emplace(tid, uint32_t(m_slots.size())).first;
    m_slots.push_back(tid);
  }
  SpaceAddress address;
  address.space = space;
  address.slot = found->second;
  address.lane = lane;
  address.offset = offset;
  return address.Encode();
}

void ProcessLanes::DropStaleObjects(Process &process) {
  const uint32_t stop_id = process.GetStopID();
  if (stop_id == m_objects_stop_id)
    return;
  m_objects_stop_id = stop_id;
  m_objects.clear();
  m_ids.clear();
}

llvm::Expected<addr_t>
ProcessLanes::GetObjectAddress(Process &process, std::string key,
                               std::shared_ptr<WindowObject> object) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  DropStaleObjects(process);
  auto found = m_ids.find(key);
  if (found == m_ids.end()) {
    if (m_next_id >= EntryAddress::kMaxId)
      return llvm::createStringError("too many objects without an address were "
                                     "looked at in this process");
    found = m_ids.emplace(std::move(key), m_next_id++).first;
  }
  m_objects[found->second] = std::move(object);
  return EntryAddress{found->second, 0}.Encode();
}

bool ProcessLanes::Contains(addr_t addr) const {
  return IsWindowAddress(addr) || (m_has_apertures && ApertureSpace(addr));
}

std::optional<ProcessLanes::SpacePlace>
ProcessLanes::FindSpacePlace(Process &process, addr_t addr,
                             Status &error) const {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  if (std::optional<SpaceAddress> space = SpaceAddress::Decode(addr)) {
    if (space->slot >= m_slots.size()) {
      error = Status::FromErrorStringWithFormat(
          "0x%" PRIx64 " is no address of a wave", addr);
      return std::nullopt;
    }
    if (!GetSpaceName(space->space)) {
      error = Status::FromErrorString("there is no such address space");
      return std::nullopt;
    }
    return SpacePlace{m_slots[space->slot], space->lane, space->space,
                      space->offset};
  }
  if (m_has_apertures && ApertureSpace(addr)) {
    // A bare generic address doesn't say whose: the selected wave's.
    ThreadSP thread_sp = process.GetThreadList().GetSelectedThread();
    if (!thread_sp) {
      error = Status::FromErrorStringWithFormat(
          "0x%" PRIx64 " lies in an aperture and no wave is selected", addr);
      return std::nullopt;
    }
    return SpacePlace{thread_sp->GetID(), GetFocusLane(*thread_sp),
                      *ApertureSpace(addr), uint32_t(addr)};
  }
  error = Status::FromErrorStringWithFormat(
      "0x%" PRIx64 " lies outside its address space", addr);
  return std::nullopt;
}

std::shared_ptr<WindowObject>
ProcessLanes::FindObject(Process &process, uint32_t id, Status &error) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  auto found = m_objects.find(id);
  if (found == m_objects.end() || m_objects_stop_id != process.GetStopID()) {
    error = Status::FromErrorString(
        "the process has run since this object's place was "
        "found: look the object up again");
    return nullptr;
  }
  return found->second;
}

size_t ProcessLanes::Read(Process &process, addr_t addr, void *buf, size_t size,
                          Status &error) {
  if (size == 0)
    return 0;
  if (std::optional<EntryAddress> entry = EntryAddress::Decode(addr)) {
    if (auto object = FindObject(process, entry->id, error))
      return object->Read(process, entry->offset, buf, size, error);
    return 0;
  }
  std::optional<SpacePlace> place = FindSpacePlace(process, addr, error);
  if (!place)
    return 0;
  auto *memory = dynamic_cast<AddressSpaceMemory *>(&process);
  if (!memory) {
    error = Status::FromErrorString("this process has no address spaces");
    return 0;
  }
  return memory->ReadAddressSpace(place->tid, place->lane, place->space,
                                  place->offset, buf, size, error);
}

size_t ProcessLanes::Write(Process &process, addr_t addr, const void *buf,
                           size_t size, Status &error) {
  if (size == 0)
    return 0;
  if (std::optional<EntryAddress> entry = EntryAddress::Decode(addr)) {
    if (auto object = FindObject(process, entry->id, error))
      return object->Write(process, entry->offset, buf, size, error);
    return 0;
  }
  std::optional<SpacePlace> place = FindSpacePlace(process, addr, error);
  if (!place)
    return 0;
  auto *memory = dynamic_cast<AddressSpaceMemory *>(&process);
  if (!memory) {
    error = Status::FromErrorString("this process has no address spaces");
    return 0;
  }
  return memory->WriteAddressSpace(place->tid, place->lane, place->space,
                                   place->offset, buf, size, error);
}

const char *lldb_private::wavelane::GetSpaceName(uint64_t space) {
  switch (space) {
  case eSpaceGlobal:
    return "global";
  case eSpaceGeneric:
    return "generic";
  case eSpaceRegion:
    return "region";
  case eSpaceLocal:
    return "local";
  case eSpacePrivateLane:
    return "private_lane";
  case eSpacePrivateWave:
    return "private_wave";
  default:
    return nullptr;
  }
}

std::string ProcessLanes::Describe(Process &process, addr_t addr) const {
  if (!Contains(addr))
    return {};
  if (EntryAddress::Decode(addr))
    return "an object that is not in memory";
  Status error;
  std::optional<SpacePlace> place = FindSpacePlace(process, addr, error);
  if (!place)
    return error.AsCString();
  const char *name = GetSpaceName(place->space);
  std::string result =
      name ? std::string(name) : llvm::formatv("space {0}", place->space).str();
  result += llvm::formatv("#{0:x}", place->offset).str();
  if (place->space == eSpacePrivateLane)
    result += llvm::formatv(" (lane {0})", place->lane).str();
  return result;
}
