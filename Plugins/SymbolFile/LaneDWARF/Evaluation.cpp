//===-- Evaluation.cpp ------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Evaluation.h"
#include "lldb/Target/Process.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static llvm::Expected<Value> WindowValue(llvm::Expected<addr_t> address) {
  if (!address)
    return address.takeError();
  Value value{Scalar(*address)};
  value.SetValueType(Value::ValueType::LoadAddress);
  return value;
}

/// The size of a location that consists of implicit values alone.
static std::optional<uint64_t>
GetImplicitSize(const location::Location &place) {
  switch (place.Kind) {
  case location::StorageKind::Implicit: {
    const uint64_t bits = place.getBytes().size() * 8;
    return place.Offset >= 0 && place.Offset < bits
               ? std::optional<uint64_t>(bits - uint64_t(place.Offset))
               : std::nullopt;
  }
  case location::StorageKind::Composite: {
    const auto &storage = place.getComposite();
    if (!storage || storage->Parts.empty() || place.Offset < 0 ||
        place.Offset >= storage->getSize() || storage->getSize() > 8 * 65536)
      return std::nullopt;
    for (const auto &part : storage->Parts)
      if (part.Place.Kind != location::StorageKind::Implicit)
        return std::nullopt;
    return uint64_t(storage->getSize() - place.Offset);
  }
  default:
    return std::nullopt;
  }
}

static bool IsUndefined(const location::Location &place) {
  if (place.Kind == location::StorageKind::Undefined)
    return true;
  if (place.Kind != location::StorageKind::Composite)
    return false;
  const auto &storage = place.getComposite();
  if (!storage)
    return true;
  for (const auto &part : storage->Parts)
    if (part.Place.Kind != location::StorageKind::Undefined)
      return false;
  return true;
}

llvm::Expected<Value> lldb_private::wavelane::EvaluateToValue(
    const std::shared_ptr<FrameContext> &context,
    llvm::ArrayRef<uint8_t> expression, const Value *initial) {
  const FrameFacts &facts = context->GetFacts();
  const location::EvaluationOptions options = context->GetOptions(expression);
  llvm::SmallVector<location::Entry, 1> stack;
  if (initial)
    stack.emplace_back(location::Location::memory(
        eSpaceGlobal, initial->GetScalar().ULongLong()));
  llvm::Expected<location::Entry> entry = location::evaluate(
      expression, *context, location::ResultKind::Location, options, stack);
  if (!entry)
    return entry.takeError();
  location::Location &place = entry->Location;
  if (IsUndefined(place))
    return llvm::createStringError(
        "no location, value may have been optimized out");

  ProcessSP process_sp = facts.GetProcess();
  if (!process_sp)
    return llvm::createStringError("the process is gone");
  auto lanes = ProcessLanes::GetOrCreate(*process_sp);

  if (place.Kind == location::StorageKind::Memory && place.Offset >= 0 &&
      place.Offset % 8 == 0) {
    uint64_t space = place.Number;
    const uint64_t address = uint64_t(place.Offset / 8);
    if (space == eSpaceGeneric)
      space = ApertureSpace(address).value_or(eSpaceGlobal);
    if (space == eSpaceGlobal) {
      Value value{Scalar(address)};
      value.SetValueType(Value::ValueType::LoadAddress);
      return value;
    }
    return WindowValue(lanes->GetSpaceAddress(
        facts.GetThreadID(), place.Lane.value_or(facts.GetLane()), space,
        uint32_t(address)));
  }
  // Bytes that are nowhere in the program are LLDB's own copy on a CPU, where
  // compiled expressions may need them. A GPU's expressions are interpreted:
  // there the window refuses what would otherwise be written into thin air.
  if (std::optional<uint64_t> bits =
          facts.IsGPU() ? std::nullopt : GetImplicitSize(place)) {
    std::vector<uint8_t> bytes((*bits + 7) / 8);
    if (llvm::Error error = place.read(*context, *bits, bytes))
      return std::move(error);
    return Value(bytes.data(), int(bytes.size()));
  }
  std::string key =
      llvm::formatv("{0:x} {1} {2:x} {3:x} {4} {5}", facts.GetThreadID(),
                    facts.GetFrameIndex(), facts.GetFrameID().GetPC(),
                    facts.GetFrameID().GetCallFrameAddressWithoutMetadata(),
                    facts.GetLane(), place.describe())
          .str();
  return WindowValue(lanes->GetObjectAddress(
      *process_sp, std::move(key),
      std::make_shared<LocationObject>(context, std::move(place))));
}
