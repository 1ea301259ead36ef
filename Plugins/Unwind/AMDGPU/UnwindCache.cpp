//===-- UnwindCache.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnwindCache.h"
#include "Core/MachineCode/LoadedCode.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Target/Target.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::shared_ptr<FunctionUnwind>
UnwindCache::GetFunction(Target &target, addr_t start, addr_t end) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto found = m_functions.find(start);
  if (found != m_functions.end() && found->second.first >= end)
    return found->second.second;
  std::shared_ptr<FunctionUnwind> result;
  std::shared_ptr<AMDGPUMachineCode> code = GetMachineCodeAt(target, start);
  Address address;
  if (code && end > start && target.ResolveLoadAddress(start, address))
    if (const std::vector<uint8_t> bytes =
            ReadCode(target, address, end - start);
        !bytes.empty())
      result = std::make_shared<FunctionUnwind>(*code, start, bytes);
  m_functions[start] = {end, result};
  return result;
}

std::shared_ptr<CallFrameSection>
UnwindCache::GetCallFrames(const ModuleSP &module_sp) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto [it, is_new] = m_call_frames.try_emplace(module_sp);
  if (is_new && module_sp)
    it->second = CallFrameSection::Create(*module_sp);
  return it->second;
}

/// The code to follow to \a pc: that of its symbol, or, if the program is
/// stripped, that of its section.
static std::optional<AddressRange> GetCodeRange(Target &target, addr_t pc) {
  // Following a larger section would take too long.
  constexpr addr_t kMaxSection = 1 << 20;
  if (std::optional<AddressRange> range = GetSymbolRange(target, pc))
    return range;
  Address address;
  if (!target.ResolveLoadAddress(pc, address))
    return std::nullopt;
  SectionSP section_sp = address.GetSection();
  if (!section_sp || section_sp->GetByteSize() > kMaxSection)
    return std::nullopt;
  return AddressRange(section_sp, 0, section_sp->GetByteSize());
}

::wavelane::gpu::ExecutingMask UnwindCache::GetExecutingMask(Target &target,
                                                             addr_t pc) {
  std::lock_guard<std::mutex> guard(m_mutex);
  auto next = m_executing_lanes.upper_bound(pc);
  if (next != m_executing_lanes.begin()) {
    const auto &[end, lanes] = std::prev(next)->second;
    if (pc < end)
      return lanes.get(pc);
  }
  const std::optional<AddressRange> range = GetCodeRange(target, pc);
  std::shared_ptr<AMDGPUMachineCode> code =
      range ? GetMachineCodeAt(target, pc) : nullptr;
  if (!code)
    return {};
  const addr_t start = range->GetBaseAddress().GetLoadAddress(&target);
  const std::vector<uint8_t> bytes =
      ReadCode(target, range->GetBaseAddress(), range->GetByteSize());
  auto [entry, is_new] = m_executing_lanes.insert_or_assign(
      start, std::pair(start + range->GetByteSize(),
                       code->FindExecutingLanes(start, bytes)));
  return entry->second.second.get(pc);
}

void UnwindCache::Clear() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_executing_lanes.clear();
  m_functions.clear();
  m_call_frames.clear();
}
