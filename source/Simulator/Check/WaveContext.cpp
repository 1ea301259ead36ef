//===-- WaveContext.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveContext.h"

#include "wavelane/GPU/AddressSpaces.h"
#include "wavelane/Location/Attributes.h"

#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

#include <cstring>

using namespace wavelane;
using namespace wavelane::check;
using namespace llvm;

/// Whether a unit's expressions use AMD's extension.
static bool isAMDUnit(DWARFDie Unit) {
  return any_of(
      location::getAttributeCodes(location::LaneAttribute::Augmentation),
      [&](uint16_t Code) {
        return location::isAMDAugmentation(
            dwarf::toStringRef(Unit.find(dwarf::Attribute(Code))));
      });
}

WaveContext::WaveContext(const isa::WaveState &Wave, unsigned Lane,
                         DWARFDie Function, uint64_t Base,
                         const simulator::ReadMemory &Read, bool IsKernelsFrame)
    : Wave(Wave), Lane(Lane), Function(Function), Base(Base), Read(Read),
      IsKernelsFrame(IsKernelsFrame),
      Machine(*location::Architecture::find(
          Wave.LaneCount == 32 ? "amdgpu-wave32" : "amdgpu-wave64")) {
  const DWARFDie Unit = Function.getDwarfUnit()->getUnitDIE();
  Options.Upstream.Enabled = !isAMDUnit(Unit);
  Options.IsLenient = Options.Upstream.Enabled;
  Options.Upstream.OldNumbers =
      location::hasOldAddressSpaceNumbers(location::getClangVersion(
          dwarf::toStringRef(Unit.find(dwarf::DW_AT_producer))));
}

std::optional<location::AddressSpace>
WaveContext::getAddressSpace(uint64_t Number) {
  return Machine.getAddressSpace(Number);
}

Expected<uint64_t> WaveContext::getRegisterSize(uint64_t Number) {
  const location::RegisterRange *Range = Machine.findRegister(Number);
  if (!Range)
    return location::missing("register of that number");
  return Range->Size;
}

bool WaveContext::isVectorRegister(uint64_t Number, unsigned &ElementSize) {
  const location::RegisterRange *Range = Machine.findRegister(Number);
  if (!Range || !Range->ElementSize)
    return false;
  ElementSize = Range->ElementSize;
  return true;
}

Error WaveContext::readRegister(uint64_t Number, uint64_t, uint64_t Offset,
                                MutableArrayRef<uint8_t> Into) {
  if (IsKernelsFrame)
    return location::missing("register, since the function has called another");
  using namespace gpu::dwarf;
  const unsigned Lanes = Wave.LaneCount;
  const uint32_t *From = nullptr;
  uint64_t Bytes = 4;
  if (Number >= SGPR0 && Number - SGPR0 < 64) {
    From = &Wave.Scalar[Number - SGPR0];
  } else if (Number >= SGPR64 && Number - SGPR64 < 106 - 64) {
    From = &Wave.Scalar[64 + Number - SGPR64];
  } else if (Number == exec(Lanes) || Number == vcc(Lanes)) {
    From = &Wave.Scalar[Number == exec(Lanes) ? isa::scalar::ExecLo
                                              : isa::scalar::VccLo];
    Bytes = Lanes / 8;
  } else {
    const bool IsArch = Number >= vector(0, Lanes) &&
                        Number - vector(0, Lanes) < Wave.AccumOffset;
    const uint64_t Index =
        IsArch ? Number - vector(0, Lanes)
               : Wave.AccumOffset + Number - accumulation(0, Lanes);
    if (!isVector(Number) || Index >= Wave.VGPRCount ||
        (Index + 1) * Lanes > Wave.VGPR.size())
      return location::missing("register of that number");
    From = &Wave.VGPR[size_t(Index) * Lanes];
    Bytes = uint64_t(Lanes) * 4;
  }
  if (Offset > Bytes || Into.size() > Bytes - Offset)
    return location::failed("the object goes past the end of a register");
  std::memcpy(Into.data(), reinterpret_cast<const uint8_t *>(From) + Offset,
              Into.size());
  return Error::success();
}

Error WaveContext::readMemory(uint64_t Space, std::optional<uint32_t> Of,
                              uint64_t, uint64_t Address,
                              MutableArrayRef<uint8_t> Into) {
  if (Space == gpu::space::Local && Wave.LDS && Address <= Wave.LDSSize &&
      Into.size() <= Wave.LDSSize - Address) {
    std::memcpy(Into.data(), Wave.LDS + Address, Into.size());
    return Error::success();
  }
  const uint64_t Private = Space == gpu::space::PrivateLane
                               ? Wave.ScratchLaneSize
                           : Space == gpu::space::PrivateWave
                               ? uint64_t(Wave.ScratchLaneSize) * Wave.LaneCount
                               : 0;
  const bool IsPrivate =
      Private && Address <= Private && Into.size() <= Private - Address;
  if (Space != gpu::space::Global && !IsPrivate)
    return location::failed("there is no such memory");
  for (size_t I = 0; I < Into.size(); ++I) {
    const uint64_t At = Address + I;
    const uint64_t Place =
        Space == gpu::space::Global ? At
        : Space == gpu::space::PrivateWave
            ? Wave.flatScratch() + At
            : Wave.flatScratch() + location::getPrivateWaveAddress(
                                       At, Of.value_or(Lane), Wave.LaneCount);
    if (!Read(Place, &Into[I], 1))
      return location::failed("memory can't be read");
  }
  return Error::success();
}

Expected<location::Location> WaveContext::getFrameBase() {
  const auto Value = Function.find(dwarf::DW_AT_frame_base);
  const std::optional<ArrayRef<uint8_t>> Block =
      Value ? Value->getAsBlock() : std::nullopt;
  if (Block && !IsKernelsFrame)
    return location::evaluateFrameBase(*Block, *this, Options);
  if (Value && !IsKernelsFrame)
    return location::missing("frame base");
  // Kernels are the outermost functions. Upstream clang gives those without a
  // frame pointer no frame base.
  location::Location Begin =
      location::Location::memory(gpu::space::PrivateLane, 0);
  Begin.Lane = Lane;
  return Begin;
}

Expected<uint64_t> WaveContext::getIndexedAddress(uint64_t Index) {
  const auto Address =
      Function.getDwarfUnit()->getAddrOffsetSectionItem(uint32_t(Index));
  if (!Address)
    return location::missing("address of that index");
  return Address->Address;
}

unsigned WaveContext::getPrivateFrameScale() {
  return gpu::get(Wave.Processor).family().HasArchitectedScratch
             ? 1
             : Wave.LaneCount;
}
