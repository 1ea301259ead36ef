//===-- StopReasons.cpp - Why a wave has stopped --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopReasons.h"
#include "CheckFindings.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

std::string StopReasons::DescribeInstruction(Wave &wave,
                                             std::optional<uint64_t> pc) {
  if (!pc)
    return {};
  uint8_t bytes[32];
  size_t read = 0;
  if (m_memory.Read(*pc, bytes, sizeof(bytes), read).Fail())
    return {};
  amd_dbgapi_size_t size = read;
  char *text = nullptr;
  std::string result;
  if (m_session.fn().disassemble_instruction(
          m_reader.GetArchitecture(wave), *pc, &size, bytes, &text, nullptr,
          nullptr) == AMD_DBGAPI_STATUS_SUCCESS &&
      text)
    result = StringRef(text).trim().str();
  else if (read >= 4)
    result = llvm::formatv(
        "{0:x-8} {1:x-8}", llvm::support::endian::read32le(bytes),
        read >= 8 ? llvm::support::endian::read32le(bytes + 4) : 0);
  std::free(text);
  return result;
}

std::optional<std::vector<StopReasons::LaneAddress>>
StopReasons::GetAddresses(Wave &wave, const MemoryInstruction &instruction) {
  using llvm::support::endian::read32le;
  auto exec = m_reader.GetExec(wave);
  if (!exec)
    return std::nullopt;
  bool known = true;
  auto lane_value = [&](unsigned number, unsigned lane) -> uint64_t {
    const std::vector<uint8_t> bytes =
        m_reader.ReadRegister(wave, "v" + std::to_string(number));
    if (bytes.size() < (lane + 1) * 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data() + lane * 4);
  };
  auto scalar_value = [&](unsigned number) -> uint64_t {
    const std::vector<uint8_t> bytes =
        m_reader.ReadRegister(wave, "s" + std::to_string(number));
    if (bytes.size() < 4) {
      known = false;
      return 0;
    }
    return read32le(bytes.data());
  };
  uint64_t base = uint64_t(instruction.offset);
  if (instruction.scalar)
    base += scalar_value(*instruction.scalar) |
            scalar_value(*instruction.scalar + 1) << 32;
  if (instruction.scalar_offset)
    base += scalar_value(*instruction.scalar_offset);
  std::vector<LaneAddress> addresses;
  for (unsigned lane = 0; known && lane < 64; ++lane) {
    if (instruction.vector && !(*exec >> lane & 1))
      continue;
    uint64_t place = base;
    if (instruction.vector) {
      place += lane_value(*instruction.vector, lane);
      if (instruction.is_vector_pair)
        place += lane_value(*instruction.vector + 1, lane) << 32;
    }
    addresses.push_back({lane, place});
    if (!instruction.vector)
      break;
  }
  return known ? std::optional(std::move(addresses)) : std::nullopt;
}

bool StopReasons::FindFailedAccess(Wave &wave, const std::string &text,
                                   protocol::Stop &stop) {
  std::optional<MemoryInstruction> instruction = MemoryInstruction::Parse(text);
  const auto addresses =
      instruction ? GetAddresses(wave, *instruction) : std::nullopt;
  if (!addresses)
    return false;
  uint64_t lanes = 0;
  std::optional<uint64_t> address;
  std::map<uint64_t, bool> pages;
  for (auto [lane, place] : *addresses) {
    auto [page, is_new] = pages.try_emplace(place >> 12);
    if (is_new) {
      uint8_t byte;
      amd_dbgapi_size_t size = 1;
      page->second = m_session.fn().read_memory(
                         m_session.id(), AMD_DBGAPI_WAVE_NONE,
                         AMD_DBGAPI_LANE_NONE, AMD_DBGAPI_ADDRESS_SPACE_GLOBAL,
                         place, &size, &byte) == AMD_DBGAPI_STATUS_SUCCESS &&
                     size == 1 && !m_session.IsUnallocated(place);
    }
    if (!page->second) {
      lanes |= uint64_t(1) << lane;
      if (!address)
        address = place;
    }
  }
  if (!address)
    return false;
  stop.Address = address;
  if (instruction->vector)
    stop.Lanes.Bits = lanes;
  return true;
}

void StopReasons::FindLanesOfWatched(Wave &wave,
                                     const Watchpoints &watchpoints) {
  if (wave.all_watched.empty())
    return;
  std::optional<MemoryInstruction> instruction = MemoryInstruction::Parse(
      DescribeInstruction(wave, m_reader.GetInstructionBefore(wave)));
  if (!instruction || !instruction->vector || !instruction->size ||
      instruction->overwrites_address)
    return;
  const auto addresses = GetAddresses(wave, *instruction);
  if (!addresses)
    return;
  std::vector<protocol::WatchedAccess> all = wave.all_watched;
  uint64_t lanes = 0;
  for (protocol::WatchedAccess &one : all) {
    const uint64_t size = watchpoints.GetSize(one.Watched);
    for (auto [lane, address] : *addresses)
      if (address < one.Watched + size &&
          one.Watched < address + instruction->size)
        one.Lanes.Bits |= uint64_t(1) << lane;
    // The wave may have gone on since.
    if (!one.Lanes.Bits)
      return;
    lanes |= one.Lanes.Bits;
  }
  if (wave.stop_lanes ? wave.stop_lanes != lanes : !m_session.IsMemoryPrecise())
    return;
  wave.stop_lanes = lanes;
  wave.all_watched = std::move(all);
}

void StopReasons::AddViolation(Wave &wave, protocol::Stop &stop) {
  uint64_t address;
  if (m_session.fn().stop_address &&
      m_session.fn().stop_address(wave.id, &address) ==
          AMD_DBGAPI_STATUS_SUCCESS) {
    stop.Address = address;
    stop.Lanes.Bits = wave.stop_lanes;
    uint64_t pc;
    if (m_session.fn().stop_pc &&
        m_session.fn().stop_pc(wave.id, &pc) == AMD_DBGAPI_STATUS_SUCCESS)
      stop.PC = pc;
    stop.Instruction = DescribeInstruction(wave, stop.PC);
    return;
  }
  // The wave is after the instruction, and without precise memory it may have
  // gone on: then the registers must show that the access fails.
  const std::optional<uint64_t> before = m_reader.GetInstructionBefore(wave);
  const std::string text = DescribeInstruction(wave, before);
  if (FindFailedAccess(wave, text, stop))
    wave.stop_lanes = stop.Lanes.Bits; // the library doesn't know them
  else if (!m_session.IsMemoryPrecise())
    return;
  stop.PC = before;
  stop.Instruction = text;
}

protocol::Stop StopReasons::MakeException(Wave &wave, const StopKind &kind) {
  protocol::Stop stop;
  stop.Kind = kind.kind;
  stop.Signal = uint8_t(kind.signal);
  stop.Detail = kind.detail;
  if (wave.finding) {
    stop.Kind = protocol::StopKind::Finding;
    stop.Finding = wave.finding;
    stop.Lanes.Bits = wave.stop_lanes;
    AddFinding(m_session, stop);
    return stop;
  }
  switch (kind.kind) {
  case protocol::StopKind::IllegalInstruction:
    stop.PC = m_reader.GetPC(wave);
    stop.Instruction = DescribeInstruction(wave, stop.PC);
    stop.Kernel = m_reader.GetFacts(wave).kernel;
    stop.Processor = m_reader.GetProcessor(wave);
    stop.Lanes.Bits = m_reader.GetActiveLanes(wave).value_or(0);
    break;
  case protocol::StopKind::MemoryViolation:
  case protocol::StopKind::AddressError:
    AddViolation(wave, stop);
    break;
  case protocol::StopKind::MemoryError:
    break;
  case protocol::StopKind::FloatingPointException:
  case protocol::StopKind::DivisionByZero:
    stop.PC = m_reader.GetPC(wave);
    stop.Lanes.Bits = wave.stop_lanes; // those of some operands
    break;
  default: // a trap belongs to every active lane
    stop.PC = m_reader.GetPC(wave);
    stop.Lanes.Bits = m_reader.GetActiveLanes(wave).value_or(0);
    break;
  }
  return stop;
}

bool StopReasons::IsAtTrap(Wave &wave) {
  std::optional<uint64_t> pc =
      m_memory.HasTraps() ? m_reader.GetPC(wave) : std::nullopt;
  return pc && m_memory.FindTrap(*pc);
}

std::optional<protocol::Stop> StopReasons::Get(Wave &wave) {
  protocol::Stop stop;
  stop.Signal = SIGTRAP;
  if (!wave.boundary.empty()) {
    stop.Kind = protocol::StopKind::HistoryBoundary;
    stop.Explanation = wave.boundary;
  } else if (wave.interrupted) {
    stop.Kind = protocol::StopKind::Interrupt;
    stop.Signal = SIGINT;
  } else if (const StopKind *kind = GetStopKind(wave.reasons)) {
    if (!wave.stop)
      wave.stop = MakeException(wave, *kind);
    return wave.stop;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    stop.Kind = protocol::StopKind::Watchpoint;
    stop.Watched = wave.watch_address;
    stop.AllWatched = wave.all_watched;
    stop.Lanes.Bits = wave.stop_lanes;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    // A wave that hasn't run keeps its reason while the breakpoint exists.
    if (!wave.stopped_now && !IsAtTrap(wave))
      return std::nullopt;
    stop.Kind = protocol::StopKind::Breakpoint;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    stop.Kind = protocol::StopKind::Trace;
  } else {
    return std::nullopt;
  }
  return stop;
}

void StopReasons::Get(Wave &wave, ThreadStopInfo &info,
                      std::string &description) {
  info = {};
  info.reason = lldb::eStopReasonNone;
  description.clear();
  const std::optional<protocol::Stop> stop = Get(wave);
  if (!stop)
    return;
  info.signo = stop->Signal;
  switch (stop->Kind) {
  case protocol::StopKind::Trace:
    info.reason = lldb::eStopReasonTrace;
    return;
  case protocol::StopKind::Interrupt:
    info.reason = lldb::eStopReasonSignal;
    return;
  case protocol::StopKind::Watchpoint:
    if (m_session.GetCore())
      break;
    info.reason = lldb::eStopReasonWatchpoint;
    if (stop->Watched)
      description = llvm::formatv("{0} 0 {0}", *stop->Watched);
    return;
  case protocol::StopKind::Breakpoint:
    // In a core, a client would take it for one of its own breakpoints.
    if (m_session.GetCore())
      break;
    info.reason = lldb::eStopReasonBreakpoint;
    return;
  default:
    break;
  }
  info.reason = lldb::eStopReasonException;
  description = protocol::describe(*stop);
}

} // namespace wavelane::server
