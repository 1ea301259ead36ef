//===-- StopReasons.cpp - Why a wave has stopped --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopReasons.h"
#include "CheckFindings.h"
#include "MemoryInstruction.h"
#include "StopKinds.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>

using namespace lldb_private;
using llvm::StringRef;

namespace wavelane::server {

std::string StopReasons::DescribeInstruction(Wave &wave) {
  std::optional<uint64_t> pc = m_reader.GetPC(wave);
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

/// " (lanes 0-3)"; empty without lanes.
static std::string ListLanes(uint64_t lanes) {
  if (!lanes)
    return {};
  return llvm::formatv(" (lane{0} {1})", llvm::has_single_bit(lanes) ? "" : "s",
                       FormatLanes(lanes));
}

/// " at 0x10 (lanes 0-3), 'global_load_dword ...'", without unknown parts.
std::string StopReasons::DescribeViolation(Wave &wave) {
  using llvm::support::endian::read32le;
  const std::string text = DescribeInstruction(wave);
  const std::string quoted = text.empty() ? "" : ", '" + text + "'";
  uint64_t told;
  if (m_session.fn().stop_address &&
      m_session.fn().stop_address(wave.id, &told) == AMD_DBGAPI_STATUS_SUCCESS)
    return " at " + FormatAddress(told) + ListLanes(wave.stop_lanes) + quoted;
  std::optional<MemoryInstruction> instruction = MemoryInstruction::Parse(text);
  auto exec = m_reader.GetExec(wave);
  if (!instruction || !exec)
    return {};
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
  uint64_t base = uint64_t(instruction->offset);
  if (instruction->scalar)
    base += scalar_value(*instruction->scalar) |
            scalar_value(*instruction->scalar + 1) << 32;
  if (instruction->scalar_offset)
    base += scalar_value(*instruction->scalar_offset);
  uint64_t lanes = 0;
  std::optional<uint64_t> address;
  std::map<uint64_t, bool> pages;
  for (unsigned lane = 0; known && lane < 64; ++lane) {
    if (instruction->vector && !(*exec >> lane & 1))
      continue;
    uint64_t place = base;
    if (instruction->vector) {
      place += lane_value(*instruction->vector, lane);
      if (instruction->is_vector_pair)
        place += lane_value(*instruction->vector + 1, lane) << 32;
    }
    auto [page, is_new] = pages.try_emplace(place >> 12);
    if (is_new) {
      uint8_t byte;
      amd_dbgapi_size_t size = 1;
      page->second = m_session.fn().read_memory(
                         m_session.id(), AMD_DBGAPI_WAVE_NONE,
                         AMD_DBGAPI_LANE_NONE, AMD_DBGAPI_ADDRESS_SPACE_GLOBAL,
                         place, &size, &byte) == AMD_DBGAPI_STATUS_SUCCESS &&
                     size == 1;
    }
    if (!page->second) {
      lanes |= uint64_t(1) << lane;
      if (!address)
        address = place;
    }
    if (!instruction->vector)
      break;
  }
  std::string result;
  if (known && address) {
    result = " at " + FormatAddress(*address);
    if (instruction->vector)
      result += ListLanes(lanes);
  }
  return result + quoted;
}

std::string StopReasons::Describe(Wave &wave) {
  const StopKind *kind = GetStopKind(wave.reasons);
  if (!kind)
    return {};
  if (wave.finding)
    return llvm::formatv("{0} {1}: {2}{3}", packets::Finding, *wave.finding,
                         DescribeFinding(m_session, *wave.finding),
                         ListLanes(wave.stop_lanes));
  std::string text = kind->text;
  if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_ILLEGAL_INSTRUCTION &&
      kind->signal == SIGILL) {
    const std::string instruction = DescribeInstruction(wave);
    if (!instruction.empty())
      text += " '" + instruction + "'";
    if (auto pc = m_reader.GetPC(wave))
      text += llvm::formatv(" at {0:x}", *pc);
    const WaveFacts &facts = m_reader.GetFacts(wave);
    if (!facts.kernel.empty())
      text += " in kernel " + facts.kernel;
    const std::string processor = m_reader.GetProcessor(wave);
    if (!processor.empty())
      text += " on " + processor;
    text += ListLanes(m_reader.GetExec(wave).value_or(0));
  }
  if (kind->reasons & (AMD_DBGAPI_WAVE_STOP_REASON_MEMORY_VIOLATION |
                       AMD_DBGAPI_WAVE_STOP_REASON_ADDRESS_ERROR))
    text += DescribeViolation(wave);
  if (kind->signal == SIGFPE || kind->signal == SIGABRT ||
      kind->signal == SIGTRAP) {
    // A trap belongs to every active lane, an arithmetic exception to the lanes
    // of some operands.
    const uint64_t lanes = kind->signal == SIGFPE
                               ? wave.stop_lanes
                               : m_reader.GetExec(wave).value_or(0);
    if (auto pc = m_reader.GetPC(wave))
      text += llvm::formatv(
          kind->signal == SIGFPE ? " before {0:x}" : " at {0:x}", *pc);
    text += ListLanes(lanes);
  }
  return text;
}

bool StopReasons::IsAtTrap(Wave &wave) {
  std::optional<uint64_t> pc =
      m_memory.HasTraps() ? m_reader.GetPC(wave) : std::nullopt;
  return pc && m_memory.FindTrap(*pc);
}

void StopReasons::Get(Wave &wave, ThreadStopInfo &info,
                      std::string &description) {
  info = {};
  info.reason = lldb::eStopReasonNone;
  description.clear();
  if (!wave.boundary.empty()) {
    // LLDB's server has no word for it; the plugin knows the text.
    info.reason = lldb::eStopReasonException;
    info.signo = SIGTRAP;
    description = packets::HistoryBoundary + (": " + wave.boundary);
  } else if (wave.interrupted) {
    info.reason = lldb::eStopReasonSignal;
    info.signo = SIGINT;
  } else if (const StopKind *kind = GetStopKind(wave.reasons)) {
    info.reason = lldb::eStopReasonException;
    info.signo = kind->signal;
    if (!wave.description)
      wave.description = Describe(wave);
    description = *wave.description;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_WATCHPOINT) {
    if (m_session.GetCore()) {
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "watchpoint";
      return;
    }
    info.reason = lldb::eStopReasonWatchpoint;
    info.signo = SIGTRAP;
    if (wave.watch_address)
      description = llvm::formatv("{0} 0 {0}", *wave.watch_address);
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_BREAKPOINT) {
    // A wave that hasn't run keeps its reason while the breakpoint exists.
    if (!wave.stopped_now && !IsAtTrap(wave))
      return;
    if (m_session.GetCore()) {
      // Otherwise, a client would take it for one of its own breakpoints.
      info.reason = lldb::eStopReasonException;
      info.signo = SIGTRAP;
      description = "breakpoint";
      return;
    }
    info.reason = lldb::eStopReasonBreakpoint;
    info.signo = SIGTRAP;
  } else if (wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_SINGLE_STEP) {
    info.reason = lldb::eStopReasonTrace;
    info.signo = SIGTRAP;
  }
}

} // namespace wavelane::server
