//===-- ProcessLanes.cpp ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessLanes.h"
#include "LaneSource.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static std::atomic<bool> g_has_used_lanes = false;

bool lldb_private::wavelane::HasUsedLanes() {
  return g_has_used_lanes.load(std::memory_order_relaxed);
}

static void (*g_on_first_use)() = nullptr;

void lldb_private::wavelane::OnFirstUseOfLanes(void (*function)()) {
  g_on_first_use = function;
}

void lldb_private::wavelane::UseLanes() {
  if (!g_has_used_lanes.exchange(true) && g_on_first_use)
    g_on_first_use();
}

std::shared_ptr<ProcessLanes> ProcessLanes::Get(Process &process) {
  auto *owner = dynamic_cast<LaneOwner *>(&process);
  return owner ? owner->GetLanes() : nullptr;
}

std::shared_ptr<ProcessLanes> ProcessLanes::GetOrCreate(Process &process) {
  // Commands and the event handler may run concurrently.
  static std::mutex g_mutex;
  std::lock_guard<std::mutex> guard(g_mutex);
  if (auto lanes = Get(process))
    return lanes;
  UseLanes();
  auto lanes = std::make_shared<ProcessLanes>(
      dynamic_cast<AddressSpaceMemory *>(&process) != nullptr);
  if (auto *owner = dynamic_cast<LaneOwner *>(&process))
    std::atomic_store(&owner->m_lanes_sp, lanes);
  return lanes;
}

uint32_t ProcessLanes::GetFocusLane(Thread &thread) {
  ProcessSP process_sp = thread.GetProcess();
  if (!process_sp)
    return 0;
  auto *source = dynamic_cast<LaneSource *>(&thread);
  if (std::shared_ptr<ProcessLanes> lanes = Get(*process_sp))
    if (std::optional<uint32_t> lane = lanes->GetFocus(thread.GetID())) {
      const tid_t tid = thread.GetID();
      std::optional<bool> is_hit;
      if (source && lanes->m_tables.IsDoubtful(tid))
        is_hit = source->HasHitBreakpoint();
      if (!is_hit)
        return *lane;
      lanes->m_tables.EndDoubt(tid);
      if (!*is_hit)
        return *lane;
      const llvm::BitVector active = source->GetActiveLanes();
      if (active.none() || (*lane < active.size() && active.test(*lane)))
        return *lane;
      lane = uint32_t(active.find_first());
      lanes->SetFocus(*process_sp, tid, lane);
      return *lane;
    }
  if (!source)
    return 0;
  // The first access to a wave sets its focus lane, unless no lane is active
  // yet.
  const int first = source->GetActiveLanes().find_first();
  if (first < 0)
    return 0;
  return GetOrCreate(*process_sp)
      ->SetFirstFocus(thread.GetID(), uint32_t(first));
}

void ProcessLanes::ForgetEndedThreads(Process &process) {
  std::set<tid_t> ended = m_tables.GetThreads();
  for (const ThreadSP &thread_sp : process.GetThreadList().Threads())
    ended.erase(thread_sp->GetID());
  m_tables.Forget(ended);
}

void ProcessLanes::SetFocus(Process &process, tid_t tid,
                            std::optional<uint32_t> lane) {
  if (m_tables.SetFocus(tid, lane))
    ForgetEndedThreads(process);
}

void ProcessLanes::SetName(Process &process, tid_t tid,
                           std::optional<uint32_t> lane, std::string name) {
  ForgetEndedThreads(process);
  m_tables.SetName(tid, lane, std::move(name));
  ThreadSP thread_sp = process.GetThreadList().FindThreadByID(tid, false);
  if (auto *source = dynamic_cast<LaneSource *>(thread_sp.get()))
    source->FocusLaneDidChange(GetFocusLane(*thread_sp));
}

std::vector<NamedLane> ProcessLanes::GetLaneNames(Process &process) const {
  std::vector<NamedLane> names = m_tables.GetLaneNames();
  llvm::erase_if(names, [&](const NamedLane &named) {
    return !process.GetThreadList().FindThreadByID(named.tid, false);
  });
  return names;
}

void ProcessLanes::InvalidateValues(Process &process) {
  if (auto *owner = dynamic_cast<LaneOwner *>(&process))
    owner->InvalidateValues();
}

llvm::Expected<addr_t> ProcessLanes::GetSpaceAddress(tid_t tid, uint32_t lane,
                                                     uint64_t space,
                                                     uint32_t offset) {
  if (lane > SpaceAddress::kMaxLane)
    return llvm::createStringError("lane %u is out of range: memory of address "
                                   "spaces is shown for lanes 0-63",
                                   lane);
  const std::optional<uint32_t> slot = m_tables.GetSlot(tid);
  if (!slot)
    return llvm::createStringError(
        "memory of more than 65536 waves was accessed in this process");
  SpaceAddress address;
  address.space = space;
  address.slot = *slot;
  address.lane = lane;
  address.offset = offset;
  return address.Encode();
}

llvm::Expected<addr_t>
ProcessLanes::GetObjectAddress(Process &process, std::string key,
                               std::shared_ptr<WindowObject> object) {
  const std::optional<uint32_t> id = m_tables.AddObject(
      process.GetStopID(), std::move(key), std::move(object));
  if (!id)
    return llvm::createStringError(
        "too many objects without an address were accessed in this process");
  return EntryAddress{*id, 0}.Encode();
}

bool ProcessLanes::Contains(addr_t addr) const {
  return IsWindowAddress(addr) || (m_has_apertures && ApertureSpace(addr));
}

std::optional<ProcessLanes::SpacePlace>
ProcessLanes::FindSpacePlace(Process &process, addr_t addr,
                             Status &error) const {
  if (std::optional<SpaceAddress> space = SpaceAddress::Decode(addr)) {
    const std::optional<tid_t> tid = m_tables.FindThreadOfSlot(space->slot);
    if (!tid) {
      error = Status::FromErrorStringWithFormat(
          "0x%" PRIx64 " isn't an address of a wave", addr);
      return std::nullopt;
    }
    if (!GetSpaceName(space->space)) {
      error = Status::FromErrorString("invalid address space");
      return std::nullopt;
    }
    return SpacePlace{*tid, space->lane, space->space, space->offset};
  }
  if (m_has_apertures && ApertureSpace(addr)) {
    // A generic address doesn't name its wave, so take the selected one.
    ThreadSP thread_sp = process.GetThreadList().GetSelectedThread();
    if (!thread_sp) {
      error = Status::FromErrorStringWithFormat(
          "0x%" PRIx64 " is in an aperture and no wave is selected", addr);
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
ProcessLanes::FindObject(Process &process, uint32_t id, Status &error) const {
  auto object = m_tables.FindObject(process.GetStopID(), id);
  if (!object)
    error = Status::FromErrorString(
        "this isn't an address of the process, or it was of an object that has "
        "to be looked up again, since the process has run");
  return object;
}

size_t ProcessLanes::Transfer(
    Process &process, addr_t addr, Status &error,
    llvm::function_ref<size_t(WindowObject &, uint64_t offset)> object_transfer,
    llvm::function_ref<size_t(AddressSpaceMemory &, const SpacePlace &)>
        space_transfer) {
  if (std::optional<EntryAddress> entry = EntryAddress::Decode(addr)) {
    auto object = FindObject(process, entry->id, error);
    return object ? object_transfer(*object, entry->offset) : 0;
  }
  std::optional<SpacePlace> place = FindSpacePlace(process, addr, error);
  if (!place)
    return 0;
  if (auto *memory = dynamic_cast<AddressSpaceMemory *>(&process))
    return space_transfer(*memory, *place);
  error = Status::FromErrorString("this process has no address spaces");
  return 0;
}

size_t ProcessLanes::Read(Process &process, addr_t addr, void *buf, size_t size,
                          Status &error) {
  if (size == 0)
    return 0;
  return Transfer(
      process, addr, error,
      [&](WindowObject &object, uint64_t offset) {
        return object.Read(process, offset, buf, size, error);
      },
      [&](AddressSpaceMemory &memory, const SpacePlace &place) {
        return memory.ReadAddressSpace(place.tid, place.lane, place.space,
                                       place.offset, buf, size, error);
      });
}

size_t ProcessLanes::Write(Process &process, addr_t addr, const void *buf,
                           size_t size, Status &error) {
  if (size == 0)
    return 0;
  return Transfer(
      process, addr, error,
      [&](WindowObject &object, uint64_t offset) {
        return object.Write(process, offset, buf, size, error);
      },
      [&](AddressSpaceMemory &memory, const SpacePlace &place) {
        return memory.WriteAddressSpace(place.tid, place.lane, place.space,
                                        place.offset, buf, size, error);
      });
}

const char *lldb_private::wavelane::GetSpaceName(uint64_t space) {
  const ::wavelane::gpu::AddressSpace *known =
      ::wavelane::gpu::findSpace(space);
  return known ? known->Name : nullptr;
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
