//===-- WaveRegisters.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveRegisters.h"
#include "Core/Lane/LaneFocus.h"
#include "WaveProcess.h"
#include "WaveThread.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/DataBuffer.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <mutex>
#include <sys/mman.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

namespace {
struct Description {
  const char *name;
  uint32_t size; ///< In bytes; three 4-byte numbers are shown as a vector.
  Format format;
};
} // namespace

// In the order of WaveRegisters::Pseudo.
static const Description g_pseudo[] = {
    {"lane", 4, eFormatUnsigned},
    {"active", 8, eFormatHex},
    {"workitem", 12, eFormatVectorOfUInt32},
    {"workgroup", 12, eFormatVectorOfUInt32},
    {"wave_in_group", 4, eFormatUnsigned},
    {"dispatch", 8, eFormatUnsigned},
    {"_lane", 4, eFormatUnsigned},
    {"_thread", 4, eFormatUnsigned},
    {"_agent", 8, eFormatUnsigned},
    {"_queue", 8, eFormatUnsigned},
    {"_dispatch", 8, eFormatUnsigned},
    {"_wave", 8, eFormatUnsigned},
    {"_lane_count", 4, eFormatUnsigned},
    {"_wave_size", 4, eFormatUnsigned},
    {"_workgroup_size", 12, eFormatVectorOfUInt32},
    {"_workgroup_count", 12, eFormatVectorOfUInt32},
};

static std::optional<size_t> GetPseudo(const RegisterInfo &info) {
  for (size_t i = 0; i < std::size(g_pseudo); ++i)
    if (info.name == g_pseudo[i].name)
      return i;
  return std::nullopt;
}

namespace {
/// Zeros that take no memory until they are touched.
class ZeroBuffer : public WritableDataBuffer {
public:
  static std::shared_ptr<ZeroBuffer> Create(size_t size) {
    void *bytes = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
      return nullptr;
    return std::make_shared<ZeroBuffer>(static_cast<uint8_t *>(bytes), size);
  }
  ZeroBuffer(uint8_t *bytes, size_t size) : m_bytes(bytes), m_size(size) {}
  ~ZeroBuffer() override { ::munmap(m_bytes, m_size); }

  const uint8_t *GetBytesImpl() const override { return m_bytes; }
  lldb::offset_t GetByteSize() const override { return m_size; }
  static char ID;
  bool isA(const void *id) const override {
    return id == &ID || WritableDataBuffer::isA(id);
  }

private:
  uint8_t *m_bytes;
  const size_t m_size;
};
char ZeroBuffer::ID;
} // namespace

bool WaveRegisters::IsPseudo(const RegisterInfo &info) {
  return GetPseudo(info).has_value();
}

WaveRegisters::WaveRegisters(WaveThread &wave,
                             GDBRemoteDynamicRegisterInfoSP info_sp,
                             bool read_all_at_once, bool write_all_at_once)
    : GDBRemoteRegisterContext(wave, 0, info_sp, read_all_at_once,
                               write_all_at_once),
      m_wave(wave), m_info_sp(info_sp),
      m_machine_count(info_sp->GetNumRegisters()) {
  // Free them: a wave's registers take a hundred kilobytes, and there are
  // thousands of waves.
  if (const size_t size = m_reg_data.GetByteSize())
    if (auto buffer_sp = ZeroBuffer::Create(size))
      m_reg_data.SetData(buffer_sp);
  for (size_t i = 0; i < Count; ++i) {
    RegisterInfo &info = m_infos[i];
    info = RegisterInfo();
    info.name = g_pseudo[i].name;
    info.byte_size = g_pseudo[i].size;
    info.encoding = info.byte_size == 12 ? eEncodingVector : eEncodingUint;
    info.format = g_pseudo[i].format;
    for (uint32_t &kind : info.kinds)
      kind = LLDB_INVALID_REGNUM;
    m_numbers[i] = m_machine_count + i;
    info.kinds[eRegisterKindLLDB] = m_numbers[i];
  }
  m_set = {"Wave", "wave", LastShown + 1, m_numbers.data()};
}

static constexpr llvm::StringLiteral WideSuffix("_w64");

RegisterForms::RegisterForms(const DynamicRegisterInfo &registers,
                             bool is_wide) {
  llvm::StringMap<bool> has_wide;
  const size_t count = registers.GetNumRegisters();
  for (size_t i = 0; i < count; ++i) {
    llvm::StringRef name = registers.GetRegisterInfoAtIndex(i)->name;
    if (name.consume_back(WideSuffix))
      has_wide[name] = true;
  }
  std::vector<bool> is_other(count);
  for (size_t i = 0; i < count; ++i) {
    m_infos.push_back(*registers.GetRegisterInfoAtIndex(i));
    llvm::StringRef name = m_infos.back().name;
    const bool is_narrow_form = has_wide.count(name);
    const bool is_wide_form = name.consume_back(WideSuffix);
    is_other[i] = is_wide ? is_narrow_form : is_wide_form;
    if (!is_wide)
      continue;
    if (is_wide_form)
      m_infos.back().name = ConstString(name).GetCString();
    else if (is_narrow_form)
      m_infos.back().name = ConstString((name + "_w32").str()).GetCString();
  }
  for (size_t i = 0; i < registers.GetNumRegisterSets(); ++i) {
    const RegisterSet &set = *registers.GetRegisterSet(i);
    std::vector<uint32_t> &members = m_members.emplace_back();
    for (uint32_t number : llvm::ArrayRef(set.registers, set.num_registers))
      if (number < count && !is_other[number])
        members.push_back(number);
    m_sets.push_back(
        {set.name, set.short_name, members.size(), members.data()});
  }
}

std::shared_ptr<const RegisterForms>
RegisterForms::Get(const GDBRemoteDynamicRegisterInfoSP &info_sp,
                   bool is_wide) {
  struct Known {
    std::weak_ptr<GDBRemoteDynamicRegisterInfo> registers;
    std::shared_ptr<const RegisterForms> forms;
  };
  static std::mutex mutex;
  static std::map<std::pair<const void *, bool>, Known> known;
  std::lock_guard<std::mutex> guard(mutex);
  Known &entry = known[{info_sp.get(), is_wide}];
  if (entry.registers.lock() == info_sp)
    return entry.forms;
  for (auto it = known.begin(); it != known.end();)
    it = it->second.registers.expired() && &it->second != &entry
             ? known.erase(it)
             : std::next(it);
  entry.registers = info_sp;
  const bool has_forms = llvm::any_of(
      llvm::seq<size_t>(0, info_sp->GetNumRegisters()), [&](size_t i) {
        return llvm::StringRef(info_sp->GetRegisterInfoAtIndex(i)->name)
            .ends_with(WideSuffix);
      });
  entry.forms =
      has_forms ? std::make_shared<RegisterForms>(*info_sp, is_wide) : nullptr;
  return entry.forms;
}

const RegisterForms *WaveRegisters::GetForms() {
  if (!m_forms) {
    m_forms = RegisterForms::Get(m_info_sp, /*is_wide=*/false);
    // Ask for the wave's size only if there are two forms.
    if (*m_forms)
      if (std::optional<std::vector<uint64_t>> lanes =
              m_wave.GetWaveFact("lane_count"))
        m_forms = RegisterForms::Get(m_info_sp, lanes->front() == 64);
  }
  return m_forms->get();
}

size_t WaveRegisters::GetRegisterCount() { return m_machine_count + Count; }

const RegisterInfo *WaveRegisters::GetRegisterInfoAtIndex(size_t reg) {
  if (reg >= GetRegisterCount())
    return nullptr;
  if (reg >= m_machine_count)
    return &m_infos[reg - m_machine_count];
  if (const RegisterForms *forms = GetForms())
    return forms->GetInfo(reg);
  return GDBRemoteRegisterContext::GetRegisterInfoAtIndex(reg);
}

// The wave's own set comes first: it is short and the most useful.
size_t WaveRegisters::GetRegisterSetCount() {
  return GDBRemoteRegisterContext::GetRegisterSetCount() + 1;
}

const RegisterSet *WaveRegisters::GetRegisterSet(size_t reg_set) {
  if (reg_set == 0)
    return &m_set;
  const RegisterForms *forms = GetForms();
  if (forms && reg_set < GetRegisterSetCount())
    return forms->GetSet(reg_set - 1);
  return GDBRemoteRegisterContext::GetRegisterSet(reg_set - 1);
}

std::optional<std::vector<uint64_t>> WaveRegisters::Read(Pseudo which) {
  auto extent =
      [&](LaneSource::Extent which) -> std::optional<std::vector<uint64_t>> {
    if (auto numbers = m_wave.GetExtent(which, m_wave.GetFocusLane()))
      return std::vector<uint64_t>(numbers->begin(), numbers->end());
    return std::nullopt;
  };
  switch (which) {
  case Lane:
  case OwnLane:
    return std::vector<uint64_t>{m_wave.GetFocusLane()};
  case Thread:
    return std::vector<uint64_t>{m_wave.GetIndexID()};
  case Agent:
    return m_wave.GetWaveFact("agent");
  case Queue:
    return m_wave.GetWaveFact("queue");
  case Wave:
    return m_wave.GetWaveFact("wave");
  case LaneCount: {
    uint64_t count = 0;
    for (uint32_t lane = 0; lane < m_wave.GetLaneCount(); ++lane)
      count += m_wave.GetWorkItem(lane).has_value();
    return count ? std::optional(std::vector<uint64_t>{count}) : std::nullopt;
  }
  case WaveSize:
    return std::vector<uint64_t>{m_wave.GetLaneCount()};
  case WorkgroupSize:
    return extent(LaneSource::eWorkgroupSize);
  case WorkgroupCount:
    return extent(LaneSource::eWorkgroupCount);
  case Active: {
    uint64_t mask = 0;
    llvm::BitVector lanes = m_wave.GetActiveLanes();
    for (unsigned lane : lanes.set_bits())
      mask |= uint64_t(1) << lane;
    return std::vector<uint64_t>{mask};
  }
  case WorkItem:
    if (std::optional<wavelane::WorkItem> item =
            m_wave.GetWorkItem(m_wave.GetFocusLane()))
      return std::vector<uint64_t>(item->in_workgroup.begin(),
                                   item->in_workgroup.end());
    return std::nullopt;
  case Workgroup:
    return m_wave.GetWaveFact("workgroup");
  case WaveInGroup:
    return m_wave.GetWaveFact("wave_in_workgroup");
  case Dispatch:
  case OwnDispatch:
    return m_wave.GetWaveFact("dispatch");
  case Count:
    break;
  }
  return std::nullopt;
}

bool WaveRegisters::ReadRegister(const RegisterInfo *info,
                                 RegisterValue &value) {
  std::optional<size_t> which = info ? GetPseudo(*info) : std::nullopt;
  if (!which)
    return GDBRemoteRegisterContext::ReadRegister(info, value);
  std::optional<std::vector<uint64_t>> numbers = Read(Pseudo(*which));
  if (!numbers || numbers->empty())
    return false;
  if (info->encoding != eEncodingVector)
    return value.SetUInt(numbers->front(), info->byte_size);
  if (numbers->size() * 4 != info->byte_size)
    return false;
  std::vector<uint8_t> bytes;
  for (uint64_t number : *numbers)
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(uint8_t(number >> (8 * i)));
  value.SetBytes(bytes.data(), bytes.size(), eByteOrderLittle);
  return true;
}

bool WaveRegisters::WriteRegister(const RegisterInfo *info,
                                  const RegisterValue &value) {
  std::optional<size_t> which = info ? GetPseudo(*info) : std::nullopt;
  if (!which) {
    Target &target = m_wave.GetProcess()->GetTarget();
    if (m_wave.GetProcess()->IsLiveDebugSession()) {
      auto &process = static_cast<WaveProcess &>(*m_wave.GetProcess());
      if (Status error = process.PrepareWrite(); error.Fail()) {
        Debugger::ReportError(error.AsCString(), target.GetDebugger().GetID());
        return false;
      }
      return GDBRemoteRegisterContext::WriteRegister(info, value);
    }
    Debugger::ReportError("registers of a core file can't be written",
                          target.GetDebugger().GetID());
    return false;
  }
  bool ok = false;
  const uint64_t lane = value.GetAsUInt64(0, &ok);
  if (*which != Lane || !ok || lane >= m_wave.GetLaneCount())
    return false;
  SetFocusLane(m_wave, uint32_t(lane));
  return true;
}
