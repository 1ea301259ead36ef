//===-- Stop.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/Stop.h"
#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <tuple>

using namespace llvm;

namespace wavelane::protocol {

static constexpr Word<StopKind> Kinds[] = {
    {StopKind::Breakpoint, "breakpoint"},
    {StopKind::Trace, "trace"},
    {StopKind::Watchpoint, "watchpoint"},
    {StopKind::Interrupt, "interrupt"},
    {StopKind::HistoryBoundary, "history boundary"},
    {StopKind::Finding, "finding"},
    {StopKind::MemoryViolation, "memory violation"},
    {StopKind::AddressError, "address error"},
    {StopKind::MemoryError, "memory ECC error"},
    {StopKind::IllegalInstruction, "illegal instruction"},
    {StopKind::FloatingPointException, "floating-point exception"},
    {StopKind::DivisionByZero, "integer division by zero"},
    {StopKind::AssertionOrAbort, "assertion or abort"},
    {StopKind::FatalHalt, "fatal halt"},
    {StopKind::DebugTrap, "debug trap"},
    {StopKind::Trap, "trap"},
    {StopKind::WithGPU, "stopped with the GPU"},
};

ArrayRef<Word<StopKind>> getWords(StopKind) { return Kinds; }

static auto getAll(const Stop &S) {
  return std::tie(S.Kind, S.Signal, S.Detail, S.Finding, S.Watchpoint,
                  S.Watched, S.AllWatched, S.Address, S.Lanes.Bits,
                  S.OtherLanes.Bits, S.PC, S.Instruction, S.Kernel, S.Processor,
                  S.Explanation, S.WaitsAtBarrier);
}

bool Stop::operator==(const Stop &Other) const {
  return getAll(*this) == getAll(Other);
}

bool Stop::operator<(const Stop &Other) const {
  return getAll(*this) < getAll(Other);
}

bool isException(StopKind Kind) {
  switch (Kind) {
  case StopKind::Breakpoint:
  case StopKind::Trace:
  case StopKind::Watchpoint:
  case StopKind::Interrupt:
  case StopKind::HistoryBoundary:
  case StopKind::WithGPU:
    return false;
  default:
    return true;
  }
}

static std::string formatAddress(uint64_t Address) {
  const uint32_t Offset = uint32_t(Address);
  if (const std::optional<uint64_t> Space = gpu::apertureSpace(Address))
    return formatv("{0}#{1:x}", gpu::findSpace(*Space)->Name, Offset);
  return formatv("{0:x}", Address);
}

std::string formatLanes(uint64_t Lanes) {
  std::string Text;
  for (unsigned Lane = 0; Lane < 64;) {
    if (!(Lanes >> Lane & 1)) {
      ++Lane;
      continue;
    }
    unsigned End = Lane;
    while (End + 1 < 64 && Lanes >> (End + 1) & 1)
      ++End;
    Text += (Text.empty() ? "" : ",") + std::to_string(Lane);
    if (End > Lane)
      Text += "-" + std::to_string(End);
    Lane = End + 1;
  }
  return Text;
}

/// " (lanes 0-3)"; empty without lanes.
static std::string listLanes(const LaneMask &Lanes) {
  if (!Lanes.Bits)
    return {};
  return formatv(" (lane{0} {1})", has_single_bit(Lanes.Bits) ? "" : "s",
                 formatLanes(Lanes.Bits));
}

std::string describeKind(const Stop &Stop) {
  std::string Text = getWord(Stop.Kind).str();
  if (Stop.Kind == StopKind::Finding && Stop.Finding)
    Text += " " + std::to_string(*Stop.Finding);
  if (!Stop.Detail.empty())
    Text += ": " + Stop.Detail;
  return Text;
}

std::string describe(const Stop &Stop) {
  std::string Text = describeKind(Stop);
  if (!Stop.Explanation.empty())
    Text += ": " + Stop.Explanation;
  const std::string Quoted =
      Stop.Instruction.empty() ? "" : "'" + Stop.Instruction + "'";
  switch (Stop.Kind) {
  case StopKind::Interrupt:
    return Stop.WaitsAtBarrier ? "interrupted, waits at a barrier"
                               : "interrupted";
  case StopKind::WithGPU:
    return "stopped with the program's GPU";
  case StopKind::MemoryViolation:
  case StopKind::AddressError:
    if (Stop.Address)
      Text += " at " + formatAddress(*Stop.Address) + listLanes(Stop.Lanes);
    return Quoted.empty() ? Text : Text + ", " + Quoted;
  case StopKind::IllegalInstruction:
    if (!Quoted.empty())
      Text += " " + Quoted;
    if (Stop.PC)
      Text += formatv(" at {0:x}", *Stop.PC);
    if (!Stop.Kernel.empty())
      Text += " in kernel " + Stop.Kernel;
    if (!Stop.Processor.empty())
      Text += " on " + Stop.Processor;
    break;
  case StopKind::FloatingPointException:
  case StopKind::DivisionByZero:
    if (Stop.PC)
      Text += formatv(" before {0:x}", *Stop.PC);
    break;
  case StopKind::AssertionOrAbort:
  case StopKind::FatalHalt:
  case StopKind::DebugTrap:
  case StopKind::Trap:
    if (Stop.PC)
      Text += formatv(" at {0:x}", *Stop.PC);
    break;
  case StopKind::Finding:
    break;
  default:
    return Text;
  }
  return Text + listLanes(Stop.Lanes);
}

} // namespace wavelane::protocol
