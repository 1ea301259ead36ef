//===-- WaveSubject.cpp - a stopped wave, as conditions see it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveSubject.h"
#include "wavelane/GPU/AddressSpaces.h"

using llvm::StringRef;

namespace wavelane::server {

WaveSubject::WaveSubject(GPUSession &session, WaveReader &reader,
                         GPUMemory &memory, Wave &wave)
    : m_session(session), m_reader(reader), m_memory(memory), m_wave(wave),
      m_facts(reader.GetFacts(wave)) {}

uint64_t WaveSubject::GetActiveLanes() {
  return m_reader.GetActiveLanes(m_wave).value_or(0);
}

std::optional<uint64_t>
WaveSubject::GetNumber(StringRef kind, unsigned dimension, uint32_t lane) {
  if (kind == "lane")
    return lane;
  if (kind == "lanes")
    return m_facts.lane_count;
  if (kind == "dispatch")
    return m_facts.dispatch ? std::optional(m_facts.dispatch) : std::nullopt;
  if (kind == "arguments") {
    const std::optional<DispatchShape> shape =
        m_reader.GetDispatchShape(m_wave);
    return shape ? shape->arguments : std::nullopt;
  }
  if (!m_facts.has_position)
    return std::nullopt;
  if (kind == "wave_in_group")
    return m_facts.wave_in_workgroup;
  if (kind == "group")
    return m_facts.workgroup[dimension];
  std::optional<DispatchShape> shape = m_reader.GetDispatchShape(m_wave);
  if (!shape || !shape->workgroup[dimension])
    return std::nullopt;
  if (kind == "group_size")
    return shape->workgroup[dimension];
  if (kind == "groups")
    return (uint64_t(shape->grid[dimension]) + shape->workgroup[dimension] -
            1) /
           shape->workgroup[dimension];
  if (kind != "item")
    return std::nullopt;
  // The last workgroup in a dimension may be smaller.
  uint64_t flat = m_facts.wave_in_workgroup * m_facts.lane_count + lane;
  for (unsigned i = 0; i < 3; ++i) {
    if (!shape->workgroup[i])
      return std::nullopt;
    const uint64_t start = uint64_t(m_facts.workgroup[i]) * shape->workgroup[i];
    if (start >= shape->grid[i])
      return std::nullopt;
    const uint64_t size =
        std::min<uint64_t>(shape->workgroup[i], shape->grid[i] - start);
    if (i == dimension)
      return flat % size;
    flat /= size;
  }
  return std::nullopt;
}

std::optional<location::AddressSpace>
WaveSubject::getAddressSpace(uint64_t number) {
  const gpu::AddressSpace *space = gpu::findSpace(number);
  if (!space)
    return std::nullopt;
  return location::AddressSpace{space->Name, space->Bits, space->Null,
                                space->PerLane, space->PerWorkgroup};
}

const std::vector<uint8_t> *WaveSubject::GetRegister(uint64_t number) {
  auto [found, is_new] = m_registers.try_emplace(number);
  std::vector<uint8_t> &bytes = found->second;
  if (is_new) {
    amd_dbgapi_register_id_t id;
    if (m_session.fn().dwarf_register_to_register(
            m_reader.GetArchitecture(m_wave), number, &id) ==
        AMD_DBGAPI_STATUS_SUCCESS) {
      constexpr uint64_t MaxSize = 64 * 8;
      const uint64_t size =
          m_session
              .Get<uint64_t>(m_session.fn().register_get_info, id,
                             AMD_DBGAPI_REGISTER_INFO_SIZE)
              .value_or(0);
      bytes.resize(std::min(size, MaxSize));
      if (bytes.empty() || m_session.fn().read_register(
                               m_wave.id, id, 0, bytes.size(), bytes.data()) !=
                               AMD_DBGAPI_STATUS_SUCCESS)
        bytes.clear();
    }
  }
  return bytes.empty() ? nullptr : &bytes;
}

llvm::Expected<uint64_t> WaveSubject::getRegisterSize(uint64_t number) {
  const std::vector<uint8_t> *bytes = GetRegister(number);
  if (!bytes)
    return location::missing("register " + std::to_string(number));
  return bytes->size();
}

llvm::Error WaveSubject::readRegister(uint64_t number, uint64_t,
                                      uint64_t offset,
                                      llvm::MutableArrayRef<uint8_t> into) {
  const std::vector<uint8_t> *bytes = GetRegister(number);
  if (!bytes || offset > bytes->size() || into.size() > bytes->size() - offset)
    return location::missing("register " + std::to_string(number));
  std::copy_n(bytes->begin() + offset, into.size(), into.begin());
  return llvm::Error::success();
}

const std::vector<uint8_t> *WaveSubject::GetPrivateRow(uint64_t row) {
  auto [found, is_new] = m_rows.try_emplace(row);
  std::vector<uint8_t> &bytes = found->second;
  if (is_new) {
    const size_t size = m_facts.lane_count * 4;
    bytes.resize(size);
    llvm::Expected<size_t> done = m_memory.TransferSpace(
        gpu::space::PrivateWave, &m_wave, AMD_DBGAPI_LANE_NONE, row * size,
        size, bytes.data(), nullptr);
    if (!done || *done != size)
      bytes.clear();
    if (!done)
      llvm::consumeError(done.takeError());
  }
  return bytes.empty() ? nullptr : &bytes;
}

bool WaveSubject::ReadBlock(uint64_t space, uint64_t address,
                            llvm::MutableArrayRef<uint8_t> into) {
  const uint64_t offset = address % BlockSize;
  if (into.size() > BlockSize - offset)
    return false;
  auto [found, is_new] = m_blocks.try_emplace({space, address - offset});
  std::vector<uint8_t> &bytes = found->second;
  if (is_new) {
    bytes.resize(BlockSize);
    llvm::Expected<size_t> done = m_memory.TransferSpace(
        space, &m_wave, AMD_DBGAPI_LANE_NONE, address - offset, BlockSize,
        bytes.data(), nullptr);
    if (!done || *done != BlockSize)
      bytes.clear();
    if (!done)
      llvm::consumeError(done.takeError());
  }
  if (bytes.empty())
    return false;
  std::copy_n(bytes.begin() + offset, into.size(), into.begin());
  return true;
}

llvm::Error WaveSubject::readMemory(uint64_t space,
                                    std::optional<uint32_t> lane, uint64_t,
                                    uint64_t address,
                                    llvm::MutableArrayRef<uint8_t> into) {
  const uint32_t of = lane.value_or(m_lane);
  if (space == gpu::space::Generic) {
    space = gpu::apertureSpace(address).value_or(gpu::space::Global);
    if (space != gpu::space::Global)
      address = uint32_t(address);
  }
  if (space == gpu::space::PrivateLane && of < m_facts.lane_count) {
    for (size_t i = 0; i < into.size(); ++i) {
      const uint64_t at = address + i;
      const std::vector<uint8_t> *row = GetPrivateRow(at / 4);
      if (!row)
        return location::failed("no private memory at " + std::to_string(at));
      into[i] = (*row)[of * 4 + at % 4];
    }
    return llvm::Error::success();
  }
  if ((space == gpu::space::Global || space == gpu::space::Local) &&
      ReadBlock(space, address, into))
    return llvm::Error::success();
  llvm::Expected<size_t> done = m_memory.TransferSpace(
      space, &m_wave,
      space == gpu::space::PrivateLane ? of : AMD_DBGAPI_LANE_NONE, address,
      into.size(), into.data(), nullptr);
  if (!done)
    return done.takeError();
  if (*done != into.size())
    return location::failed("no memory at " + std::to_string(address));
  return llvm::Error::success();
}

llvm::Error
WaveSubject::readMemoryInLanes(uint64_t space, uint32_t lanes, uint64_t thread,
                               uint64_t address,
                               llvm::MutableArrayRef<uint8_t> into) {
  const size_t size = into.size() / lanes;
  if (space != gpu::space::PrivateLane || address % 4 != 0 || size % 4 != 0 ||
      lanes > m_facts.lane_count)
    return Context::readMemoryInLanes(space, lanes, thread, address, into);
  for (size_t word = 0; word < size; word += 4) {
    const std::vector<uint8_t> *row = GetPrivateRow((address + word) / 4);
    if (!row)
      return location::failed("no private memory at " +
                              std::to_string(address + word));
    for (uint32_t lane = 0; lane < lanes; ++lane)
      std::copy_n(row->data() + lane * 4, 4, &into[lane * size + word]);
  }
  return llvm::Error::success();
}

bool WaveSubject::isVectorRegister(uint64_t number, unsigned &element_size) {
  element_size = 4;
  return gpu::dwarf::isVector(number);
}

unsigned WaveSubject::getPrivateFrameScale() {
  // If scratch memory is addressed flat, the stack pointer is the lane's.
  const gpu::Processor *processor =
      gpu::findByName(m_reader.GetProcessor(m_wave));
  return processor && processor->family().HasArchitectedScratch
             ? 1
             : unsigned(m_facts.lane_count);
}

} // namespace wavelane::server
