//===-- LocationJSON.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LocationJSON.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_private;
using namespace ::wavelane::location;

/// Composites share parts, so a small one can be huge when written out.
static constexpr unsigned MaxParts = 4096;

static llvm::json::Value Convert(const Location &location, Context &context,
                                 unsigned &left) {
  llvm::json::Object object;
  auto put_offset = [&](const char *key) {
    object[key] = uint64_t(location.Offset / 8);
    if (location.Offset % 8)
      object["bit"] = unsigned(location.Offset % 8);
  };
  switch (location.Kind) {
  case StorageKind::Undefined:
    object["kind"] = "undefined";
    break;
  case StorageKind::Memory: {
    object["kind"] = "memory";
    object["space"] = location.Number;
    std::optional<AddressSpace> space =
        context.getAddressSpace(location.Number);
    if (space)
      object["space_name"] = space->Name;
    if (location.Lane && space && space->IsPerLane)
      object["lane"] = *location.Lane;
    put_offset("address");
    break;
  }
  case StorageKind::Register:
    object["kind"] = "register";
    if (std::optional<std::string> name =
            context.getRegisterName(location.Number))
      object["register"] = *name;
    else
      object["register"] = std::to_string(location.Number);
    put_offset("offset");
    break;
  case StorageKind::Implicit:
    object["kind"] = "implicit";
    object["bytes"] = llvm::toHex(location.getBytes(), /*LowerCase=*/true);
    put_offset("offset");
    break;
  case StorageKind::ImplicitPointer:
    object["kind"] = "implicit pointer";
    object["entry"] = location.getPointee().Offset;
    object["displacement"] = location.getDisplacement();
    break;
  case StorageKind::Composite:
  case StorageKind::Multi: {
    const bool is_composite = location.Kind == StorageKind::Composite;
    object["kind"] = is_composite ? "composite" : "multi";
    put_offset("offset");
    llvm::json::Array parts;
    const auto &all = location.getComposite()->Parts;
    for (const CompositeStorage::Part &part : all) {
      if (left == 0) {
        object["omitted"] = int64_t(all.size() - parts.size());
        break;
      }
      --left;
      llvm::json::Value value = Convert(part.Place, context, left);
      if (is_composite) {
        llvm::json::Object &place = *value.getAsObject();
        place["begin"] = uint64_t(part.Begin / 8);
        if (part.Begin % 8)
          place["begin_bit"] = unsigned(part.Begin % 8);
        if (part.End < CompositeStorage::Unbounded) {
          place["end"] = uint64_t(part.End / 8);
          if (part.End % 8)
            place["end_bit"] = unsigned(part.End % 8);
        }
      }
      parts.push_back(std::move(value));
    }
    object["parts"] = std::move(parts);
    break;
  }
  }
  return object;
}

llvm::json::Value lldb_private::wavelane::ToJSON(const Location &location,
                                                 Context &context) {
  unsigned left = MaxParts;
  return Convert(location, context, left);
}
