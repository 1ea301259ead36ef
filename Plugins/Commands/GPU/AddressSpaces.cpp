//===-- AddressSpaces.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddressSpaces.h"
#include "Core/Lane/ProcessLanes.h"
#include "GPUObjects.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

llvm::Expected<std::vector<AddressSpaceInfo>>
AddressSpaceInfo::GetAll(ProcessAMDGPU &process) {
  llvm::Expected<StructuredData::ObjectSP> answer =
      process.SendJSONPacket(::wavelane::server::packets::AddressSpacesInfo);
  if (!answer)
    return answer.takeError();
  StructuredData::Array *array = *answer ? (*answer)->GetAsArray() : nullptr;
  if (!array)
    return llvm::createStringError("the server doesn't list address spaces");
  std::vector<AddressSpaceInfo> spaces;
  ForEachObject(*array, [&](StructuredData::Dictionary &entry) {
    AddressSpaceInfo space;
    space.name = GetText(entry, "name");
    space.number = GetNumber(entry, "space_id").value_or(0);
    space.address_bits = GetNumber(entry, "address_bits");
    space.null = GetNumber(entry, "null");
    space.depends_on = GetText(entry, "depends_on");
    // Upstream's servers don't send "depends_on".
    bool is_thread_specific = false;
    entry.GetValueForKeyAsBoolean("is_thread_specific", is_thread_specific);
    if (space.depends_on.empty())
      space.depends_on = is_thread_specific ? "wave" : "process";
    spaces.push_back(std::move(space));
  });
  return spaces;
}

llvm::Expected<AddressSpaceInfo> AddressSpaceInfo::Find(ProcessAMDGPU &process,
                                                        llvm::StringRef name) {
  llvm::Expected<std::vector<AddressSpaceInfo>> spaces = GetAll(process);
  if (!spaces)
    return spaces.takeError();
  uint64_t number;
  const bool is_number = !name.getAsInteger(0, number);
  std::vector<llvm::StringRef> known;
  for (const AddressSpaceInfo &space : *spaces) {
    if (is_number ? space.number == number : space.name == name)
      return space;
    known.push_back(space.name);
  }
  if (is_number ? number == eSpaceRegion : name == GetSpaceName(eSpaceRegion))
    return llvm::createStringError("region memory (GDS) can't be reached on "
                                   "this GPU: its debug library has no "
                                   "such address space; there are " +
                                   llvm::join(known, ", "));
  return llvm::createStringError("there is no address space '" + name +
                                 "': there are " + llvm::join(known, ", "));
}

llvm::Expected<SpaceAndAddress>
SpaceAndAddress::Parse(ProcessAMDGPU &process, llvm::StringRef text,
                       llvm::StringRef otherwise) {
  llvm::StringRef name = otherwise, address_text = text;
  if (text.contains('#'))
    std::tie(name, address_text) = text.split('#');
  llvm::Expected<AddressSpaceInfo> space =
      AddressSpaceInfo::Find(process, name);
  if (!space)
    return space.takeError();
  uint64_t address;
  if (address_text.getAsInteger(0, address)) {
    Status error;
    ExecutionContext exe_ctx(&process);
    address = OptionArgParser::ToAddress(&exe_ctx, address_text,
                                         LLDB_INVALID_ADDRESS, &error);
    if (error.Fail())
      return llvm::createStringError("invalid address '" + address_text +
                                     "': expected a number, an expression "
                                     "without spaces, or space#address");
  }
  return SpaceAndAddress{std::move(*space), address};
}

llvm::json::Value
lldb_private::wavelane::toJSON(const AddressSpaceInfo &space) {
  llvm::json::Object object{{"number", space.number},
                            {"name", space.name},
                            {"depends_on", space.depends_on}};
  if (space.address_bits)
    object["address_bits"] = *space.address_bits;
  if (space.null)
    object["null"] = *space.null;
  return object;
}
