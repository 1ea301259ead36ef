//===-- LocationObject.cpp --------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocationObject.h"
#include "UsedBits.h"
#include "lldb/Target/Process.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

llvm::Expected<location::Location> LocationObject::At(uint64_t offset,
                                                      uint64_t size) const {
  location::Location location = m_location;
  // A composite may be shorter than its object; the rest has no location.
  if (location.Kind == location::StorageKind::Composite &&
      location.getComposite() &&
      location.Offset + location::BitCount(offset) + location::BitCount(size) >
          location.getComposite()->getSize())
    return location::failed("no location, value may have been optimized out");
  if (offset)
    if (llvm::Error error =
            location.move(*m_context, location::BitCount(offset)))
      return std::move(error);
  return location;
}

llvm::Error LocationObject::ReadBits(uint64_t offset, uint64_t size,
                                     llvm::MutableArrayRef<uint8_t> into) {
  llvm::Expected<location::Location> location = At(offset, size);
  return location ? location->read(*m_context, location::BitCount(size), into)
                  : location.takeError();
}

bool LocationObject::ReadMembers(uint64_t offset,
                                 llvm::MutableArrayRef<uint8_t> into) {
  const llvm::BitVector used =
      FindUsedBits(m_type, 8 * offset, 8 * uint64_t(into.size()));
  if (used.all() || used.none())
    return false;
  llvm::fill(into, uint8_t(0));
  for (int first = used.find_first(); first != -1;) {
    const int next = used.find_next_unset(unsigned(first));
    const unsigned end = next == -1 ? used.size() : unsigned(next);
    std::vector<uint8_t> run((end - unsigned(first) + 7) / 8);
    if (llvm::Error error = ReadBits(8 * offset + uint64_t(first),
                                     end - unsigned(first), run)) {
      llvm::consumeError(std::move(error));
      return false;
    }
    for (unsigned bit = unsigned(first); bit < end; ++bit) {
      const unsigned from = bit - unsigned(first);
      into[bit / 8] |= uint8_t((run[from / 8] >> from % 8 & 1) << bit % 8);
    }
    first = end == used.size() ? -1 : used.find_next(end - 1);
  }
  return true;
}

size_t LocationObject::Read(Process &, uint64_t offset, void *buf, size_t size,
                            Status &error) {
  EvaluationContext::PointerScope pointers(*m_context);
  const llvm::MutableArrayRef<uint8_t> into(static_cast<uint8_t *>(buf), size);
  llvm::Error failure = ReadBits(8 * offset, 8 * uint64_t(size), into);
  if (!failure)
    return size;
  if (m_type && ReadMembers(offset, into)) {
    llvm::consumeError(std::move(failure));
    return size;
  }
  error = Status::FromError(std::move(failure));
  return 0;
}

size_t LocationObject::Write(Process &, uint64_t offset, const void *buf,
                             size_t size, Status &error) {
  llvm::Expected<location::Location> location =
      At(8 * offset, 8 * uint64_t(size));
  llvm::Error failure =
      location ? location->write(*m_context, location::BitCount(size) * 8,
                                 llvm::ArrayRef<uint8_t>(
                                     static_cast<const uint8_t *>(buf), size))
               : location.takeError();
  if (!failure)
    return size;
  error = Status::FromError(std::move(failure));
  return 0;
}

/// Adds the parts of \a size bytes at a location.
static llvm::Error AddParts(EvaluationContext &context,
                            const location::Location &place, uint64_t size,
                            std::vector<ObjectPart> &parts) {
  using location::StorageKind;
  ObjectPart part;
  part.size = size;
  part.offset = uint64_t(place.Offset / 8);
  switch (place.Kind) {
  case StorageKind::Memory:
    part.space = place.Number;
    part.lane = place.Lane;
    break;
  case StorageKind::Register:
    part.register_name = context.getRegisterName(place.Number).value_or("");
    break;
  case StorageKind::Multi:
    return AddParts(context, place.getComposite()->Parts.front().Place, size,
                    parts);
  case StorageKind::Composite: {
    location::BitCount at = place.Offset,
                       end = at + location::BitCount(size) * 8;
    for (const auto &each : place.getComposite()->Parts) {
      const location::BitCount from = std::max(at, each.Begin);
      const location::BitCount to = std::min(end, each.End);
      if (from >= to)
        continue;
      location::Location inner = each.Place;
      if (llvm::Error error = inner.move(context, from - each.Begin))
        return error;
      if (llvm::Error error =
              AddParts(context, inner, uint64_t((to - from + 7) / 8), parts))
        return error;
    }
    return llvm::Error::success();
  }
  case StorageKind::Undefined:
    return llvm::createStringError("it has been optimized out here");
  case StorageKind::Implicit:
  case StorageKind::ImplicitPointer:
    return llvm::createStringError(
        "it is stored nowhere: debug information computes it");
  }
  parts.push_back(std::move(part));
  return llvm::Error::success();
}

llvm::Expected<std::vector<ObjectPart>>
LocationObject::FindParts(uint64_t offset, uint64_t size) {
  llvm::Expected<location::Location> place = At(8 * offset, 8 * size);
  if (!place)
    return place.takeError();
  std::vector<ObjectPart> parts;
  if (llvm::Error error = AddParts(*m_context, *place, size, parts))
    return std::move(error);
  return parts;
}

uint64_t LocationObject::GetSize() {
  llvm::Expected<std::optional<location::BitCount>> bits =
      m_location.getStorageSize(*m_context);
  if (!bits) {
    llvm::consumeError(bits.takeError());
    return 0;
  }
  return *bits && **bits > m_location.Offset
             ? uint64_t((**bits - m_location.Offset) / 8)
             : 0;
}

llvm::Expected<addr_t> lldb_private::wavelane::GetWindowAddress(
    const std::shared_ptr<EvaluationContext> &context,
    const location::Location &place, const CompilerType &type) {
  const FrameFacts &facts = context->GetFacts();
  ProcessSP process_sp = facts.GetProcess();
  if (!process_sp)
    return llvm::createStringError("the process is gone");
  std::string key =
      llvm::formatv("{0:x} {1} {2:x} {3:x} {4} {5} {6}", facts.GetThreadID(),
                    facts.GetFrameIndex(), facts.GetFrameID().GetPC(),
                    facts.GetFrameID().GetCallFrameAddressWithoutMetadata(),
                    facts.GetLane(), place.describe(nullptr, UINT_MAX),
                    type.GetOpaqueQualType())
          .str();
  return ProcessLanes::GetOrCreate(*process_sp)
      ->GetObjectAddress(
          *process_sp, std::move(key),
          std::make_shared<LocationObject>(context, place, type));
}

llvm::Expected<addr_t> lldb_private::wavelane::GetAddress(
    const std::shared_ptr<EvaluationContext> &context,
    const location::Location &place, const CompilerType &type) {
  if (place.Kind != location::StorageKind::Memory || place.Offset < 0 ||
      place.Offset % 8 != 0)
    return GetWindowAddress(context, place, type);
  const FrameFacts &facts = context->GetFacts();
  const uint64_t address = uint64_t(place.Offset / 8);
  uint64_t space = place.Number;
  if (space == eSpaceGeneric)
    space = ApertureSpace(address).value_or(eSpaceGlobal);
  if (space == eSpaceGlobal)
    return address;
  ProcessSP process_sp = facts.GetProcess();
  if (!process_sp)
    return llvm::createStringError("the process is gone");
  return ProcessLanes::GetOrCreate(*process_sp)
      ->GetSpaceAddress(facts.GetThreadID(),
                        place.Lane.value_or(facts.GetLane()), space,
                        uint32_t(address));
}
