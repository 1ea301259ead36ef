//===-- WaveSubject.h - a stopped wave, as conditions see it ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_WAVE_WAVESUBJECT_H
#define WAVELANE_SERVER_WAVE_WAVESUBJECT_H

#include "GPUMemory.h"
#include "Server/Condition/ClientExpression.h"
#include <map>

namespace wavelane::server {

/// Registers, memory and position of one stopped wave. Caches what it reads, so
/// use it for a single stop only.
class WaveSubject : public ExpressionSubject {
public:
  WaveSubject(GPUSession &session, WaveReader &reader, GPUMemory &memory,
              Wave &wave);

  uint64_t GetActiveLanes() override;
  std::optional<uint64_t> GetNumber(llvm::StringRef kind, unsigned dimension,
                                    uint32_t lane) override;
  void SetLane(uint32_t lane) override { m_lane = lane; }

  std::optional<location::AddressSpace>
  getAddressSpace(uint64_t number) override;
  llvm::Expected<uint64_t> getRegisterSize(uint64_t number) override;
  llvm::Error readRegister(uint64_t number, uint64_t thread, uint64_t offset,
                           llvm::MutableArrayRef<uint8_t> into) override;
  llvm::Error readMemory(uint64_t space, std::optional<uint32_t> lane,
                         uint64_t thread, uint64_t address,
                         llvm::MutableArrayRef<uint8_t> into) override;
  llvm::Error readMemoryInLanes(uint64_t space, uint32_t lanes, uint64_t thread,
                                uint64_t address,
                                llvm::MutableArrayRef<uint8_t> into) override;
  uint64_t getThread() override { return m_wave.id.handle; }
  std::optional<uint32_t> getLane() override { return m_lane; }
  uint32_t getLaneCount() override { return uint32_t(m_facts.lane_count); }
  bool isVectorRegister(uint64_t number, unsigned &element_size) override;
  unsigned getPrivateFrameScale() override;

private:
  const std::vector<uint8_t> *GetRegister(uint64_t number);
  /// A row of private memory: the words of all lanes at one address, which are
  /// contiguous in the wave's memory.
  const std::vector<uint8_t> *GetPrivateRow(uint64_t row);
  /// Reads memory that is the same for all lanes, whose elements are often
  /// neighbors. \return False if it must be read by itself.
  bool ReadBlock(uint64_t space, uint64_t address,
                 llvm::MutableArrayRef<uint8_t> into);
  static constexpr uint64_t BlockSize = 64;

  GPUSession &m_session;
  WaveReader &m_reader;
  GPUMemory &m_memory;
  Wave &m_wave;
  const WaveFacts &m_facts;
  uint32_t m_lane = 0;
  std::map<uint64_t, std::vector<uint8_t>> m_registers;
  std::map<uint64_t, std::vector<uint8_t>> m_rows;
  /// By space and address; empty for one that can't be read.
  std::map<std::pair<uint64_t, uint64_t>, std::vector<uint8_t>> m_blocks;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_WAVE_WAVESUBJECT_H
