//===-- AddressSpaces.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AddressSpaces.h"
#include "Core/Lane/ProcessLanes.h"
#include "GPUObjects.h"
#include "Process/AMDGPU/JSONPackets.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/WaveMessages.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

llvm::Expected<std::vector<AddressSpaceInfo>>
AddressSpaceInfo::GetAll(ProcessAMDGPU &process) {
  using ::wavelane::protocol::AddressSpace;
  auto answer = AskServer<std::vector<AddressSpace>>(
      process.GetGDBRemote(), ::wavelane::server::packets::AddressSpacesInfo,
      nullptr);
  if (!answer)
    return answer.takeError();
  std::vector<AddressSpaceInfo> spaces;
  for (AddressSpace &one : *answer) {
    AddressSpaceInfo &space = spaces.emplace_back();
    space.name = std::move(one.Name);
    space.number = one.Number;
    space.address_bits = one.AddressBits;
    space.null = one.Null;
    space.depends_on = std::move(one.DependsOn);
    if (space.depends_on.empty()) // an upstream server
      space.depends_on = one.IsThreadSpecific ? "wave" : "process";
  }
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
