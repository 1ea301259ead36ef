//===-- MemoryRegions.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryRegions.h"
#include "Core/Format/SourcePlace.h"
#include "Core/Lane/ProcessLanes.h"
#include "DispatchFact.h"
#include "WaveProcess.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static MemoryRegionInfo MakeRegion(addr_t begin, addr_t size, bool is_mapped,
                                   bool is_code, llvm::StringRef name) {
  MemoryRegionInfo region;
  region.GetRange().SetRangeBase(begin);
  region.GetRange().SetByteSize(size);
  auto flag = [](bool value) {
    return value ? MemoryRegionInfo::eYes : MemoryRegionInfo::eNo;
  };
  region.SetMapped(flag(is_mapped));
  region.SetReadable(flag(is_mapped));
  region.SetWritable(flag(is_mapped && !is_code));
  region.SetExecutable(flag(is_code));
  region.SetName(name.str().c_str());
  return region;
}

//===-- Local and private memory ------------------------------------------===//

static std::optional<uint64_t> GetSpaceSize(WaveProcess &process,
                                            WaveThread &wave, uint64_t space) {
  const char *key = space == eSpaceLocal         ? "group_size"
                    : space == eSpacePrivateLane ? "private_size"
                                                 : nullptr;
  return key ? GetDispatchFact(process, wave, key) : std::nullopt;
}

/// \param address Its low 32 bits are the address in the space.
static MemoryRegionInfo DescribeSpace(WaveProcess &process, WaveThread &wave,
                                      addr_t address,
                                      const ProcessLanes::SpacePlace &place) {
  constexpr uint64_t Whole = uint64_t(1) << 32;
  const addr_t begin = address & ~(Whole - 1);
  const uint64_t size =
      GetSpaceSize(process, wave, place.space).value_or(Whole);
  const std::string kind = GetSpaceName(place.space)
                               ? GetSpaceName(place.space)
                               : std::to_string(place.space);
  std::string name = kind + " memory of " + wave.GetWaveName();
  if (place.space == eSpacePrivateLane)
    name += llvm::formatv(", lane {0}", place.lane);
  else if (place.space == eSpaceLocal)
    if (auto group =
            wave.GetWaveFact(::wavelane::server::packets::wave::Workgroup))
      name = llvm::formatv("{0} memory of workgroup ({1},{2},{3})", kind,
                           (*group)[0], (*group)[1], (*group)[2]);
  if (address - begin < size)
    return MakeRegion(begin, size, true, false, name);
  return MakeRegion(begin + size, Whole - size, false, false, "beyond " + name);
}

/// \param address In the window of addresses that \a lanes has made.
static MemoryRegionInfo DescribeWindow(WaveProcess &process,
                                       const ProcessLanes &lanes,
                                       addr_t address) {
  Status error;
  const addr_t begin = address & ~addr_t(UINT32_MAX);
  if (std::optional<EntryAddress> entry = EntryAddress::Decode(address)) {
    if (lanes.FindObject(process, entry->id, error))
      return MakeRegion(begin, addr_t(1) << 32, true, false,
                        lanes.Describe(process, address));
  } else if (auto place = lanes.FindSpacePlace(process, address, error)) {
    ThreadSP thread_sp = process.GetThreadList().FindThreadByID(place->tid);
    if (auto *wave = dynamic_cast<WaveThread *>(thread_sp.get()))
      return DescribeSpace(process, *wave, address, *place);
  }
  // In one piece, since there are too many pieces to walk through.
  const addr_t end =
      IsWindowAddress(address) ? WindowEnd : begin + (addr_t(1) << 32);
  return MakeRegion(begin, end - begin, false, false, "");
}

//===-- Allocations -------------------------------------------------------===//

namespace {
/// The layout of AllocationRecord of Wavelane's HIP runtime.
struct Allocation {
  static constexpr unsigned Depth = 6;
  static constexpr size_t Size = 8 * (2 + Depth);
  addr_t address = 0, size = 0;
  std::vector<addr_t> callers;
};
} // namespace

/// The program's allocation that contains \a address; nullopt if there is none,
/// or the runtime keeps no table of allocations.
static std::optional<Allocation> FindAllocation(Process &host, addr_t address) {
  using llvm::support::endian::read64le;
  constexpr uint64_t MaxCount = 1 << 20;
  Target &target = host.GetTarget();
  SymbolContextList symbols;
  target.GetImages().FindSymbolsWithNameAndType(
      ConstString("wavelane_allocations"), eSymbolTypeData, symbols);
  Status error;
  uint8_t head[16];
  if (symbols.IsEmpty() ||
      host.ReadMemory(symbols[0].symbol->GetLoadAddress(&target), head,
                      sizeof(head), error) != sizeof(head))
    return std::nullopt;
  const uint64_t count = read64le(head);
  if (count > MaxCount)
    return std::nullopt;
  std::vector<uint8_t> table(count * Allocation::Size);
  if (host.ReadMemory(read64le(head + 8), table.data(), table.size(), error) !=
      table.size())
    return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    const uint8_t *record = table.data() + i * Allocation::Size;
    Allocation found{read64le(record), read64le(record + 8), {}};
    if (address < found.address || address - found.address >= found.size)
      continue;
    for (unsigned n = 0; n < Allocation::Depth; ++n)
      if (const addr_t caller = read64le(record + 16 + 8 * n))
        found.callers.push_back(caller);
    return found;
  }
  return std::nullopt;
}

/// The line of the program, rather than of HIP, that made the allocation.
static std::string FindMaker(Target &host, const Allocation &allocation) {
  for (addr_t caller : allocation.callers) {
    Address resolved;
    if (!host.ResolveLoadAddress(caller - 1, resolved) ||
        !resolved.GetModule() ||
        resolved.GetModule()
            ->GetFileSpec()
            .GetFilename()
            .GetStringRef()
            .starts_with("libamdhip64"))
      continue;
    const SourcePlace place = SourcePlace::Find(host, caller - 1);
    if (place.line.IsValid() &&
        !place.line.GetFile().GetDirectory().GetStringRef().contains(
            "/include/hip"))
      return place.Format(host, caller - 1, /*with_column=*/false);
  }
  return "";
}

//===-- All ---------------------------------------------------------------===//

static std::optional<MemoryRegionInfo> DescribeCode(WaveProcess &process,
                                                    addr_t address) {
  Address resolved;
  Target &target = process.GetTarget();
  if (!target.ResolveLoadAddress(address, resolved) || !resolved.GetSection())
    return std::nullopt;
  SectionSP section_sp = resolved.GetSection();
  const addr_t begin = section_sp->GetLoadBaseAddress(&target);
  ModuleSP module_sp = resolved.GetModule();
  if (begin == LLDB_INVALID_ADDRESS || !module_sp)
    return std::nullopt;
  return MakeRegion(begin, section_sp->GetByteSize(), true,
                    section_sp->GetPermissions() & ePermissionsExecutable,
                    "code object " +
                        module_sp->GetFileSpec().GetFilename().GetString());
}

std::optional<MemoryRegionInfo>
lldb_private::wavelane::DescribeMemory(WaveProcess &process, addr_t address) {
  std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process);
  if (lanes && lanes->Contains(address))
    return DescribeWindow(process, *lanes, address);
  if (std::optional<MemoryRegionInfo> code = DescribeCode(process, address))
    return code;
  std::shared_ptr<HostCoupling> coupling_sp = process.GetCoupling();
  ProcessSP host_sp = coupling_sp ? coupling_sp->GetHost() : nullptr;
  MemoryRegionInfo region;
  if (!host_sp || host_sp->GetMemoryRegionInfo(address, region).Fail())
    return std::nullopt;
  if (region.GetMapped() == MemoryRegionInfo::eNo)
    return region;
  std::optional<Allocation> found = FindAllocation(*host_sp, address);
  if (!found)
    return region;
  const std::string maker = FindMaker(host_sp->GetTarget(), *found);
  return MakeRegion(found->address, found->size, true, false,
                    llvm::formatv("allocation of {0} bytes{1}", found->size,
                                  maker.empty() ? "" : ", made at " + maker)
                        .str());
}
