//===-- Render.cpp - DRM's ioctls on a simulated GPU ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Render.h"
#include "KfdProcess.h"
#include "LogOnce.h"
#include "Tree.h"
#include "UserMemory.h"

#include "Simulator/Common/Agent.h"
#include "wavelane/GPU/Features.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/ioctl.h>
#include <time.h>
#include <vector>

using namespace wavelane;
using namespace wavelane::driver;

namespace {

enum Number : unsigned {
  Version = 0x00,
  GetClient = 0x05,
  GetCapability = 0x0c,
  AmdgpuInfo = 0x45,
};

struct VersionArguments {
  int32_t Major, Minor, Patch;
  uint64_t NameLength;
  char *Name;
  uint64_t DateLength;
  char *Date;
  uint64_t DescriptionLength;
  char *Description;
};
static_assert(sizeof(VersionArguments) == 64);

struct CapabilityArguments {
  uint64_t Capability, Value;
};

struct InfoArguments {
  uint64_t ReturnPointer;
  uint32_t ReturnSize;
  uint32_t Query;
  uint32_t Detail[4]; ///< READ_MMR_REG: offset, count; engines: type
};

enum Query : uint32_t {
  AccelWorking = 0x00,
  EngineInfo = 0x02,
  EngineCount = 0x03,
  Timestamp = 0x05,
  FirmwareVersion = 0x0e,
  VramUsage = 0x10,
  GttUsage = 0x11,
  VramGtt = 0x14,
  ReadRegister = 0x15,
  DeviceInfo = 0x16,
  VisibleVramUsage = 0x17,
  MemoryInfo = 0x19,
};

struct Device {
  uint32_t DeviceId, ChipRevision, ExternalRevision, PciRevision, Family;
  uint32_t ShaderEngines, ArraysPerEngine;
  uint32_t CounterFrequency; ///< kHz
  uint64_t MaxEngineClock, MaxMemoryClock;
  uint32_t ActiveUnits, AlwaysOnMask, UnitBitmap[4][4];
  uint32_t RenderBackendMask, RenderBackends, HardwareContexts, PcieGeneration;
  uint64_t IdFlags;
  uint64_t AddressOffset, AddressMax;
  uint32_t AddressAlignment, FragmentSize, GartPageSize, CeRamSize;
  uint32_t VramType, VramBits;
  uint32_t VceHarvest, DoubleOffchip;
  uint64_t Unused[7];
  uint32_t WaveFrontSize, VisibleVgprs, UnitsPerArray, TccBlocks;
  uint32_t GsTable, GsDepth, MaxGsWaves, Reserved;
  uint32_t AlwaysOnBitmap[4][4];
  uint64_t HighAddressOffset, HighAddressMax;
};

/// The engines that execute jobs (DrmJobs.h).
constexpr uint32_t EngineDma = 2;

struct Engine {
  uint32_t Major, Minor;
  uint64_t Flags;
  uint32_t StartAlignment, SizeAlignment, Rings, Version;
};

struct Heap {
  uint64_t Total, Usable, Usage, MaxAllocation;
};

/// \return 0 or -EFAULT.
int putText(uint64_t &Length, const char *Room, const char *Text) {
  const uint64_t Full = strlen(Text);
  const bool IsGood = !Room || copyToUser(reinterpret_cast<uint64_t>(Room),
                                          Text, std::min(Length, Full));
  Length = Full;
  return IsGood ? 0 : -EFAULT;
}

Device describeDevice(const gpu::Processor &Gpu, unsigned Units,
                      unsigned Index) {
  const kfd::DeviceSnapshotEntry E =
      simulator::describeAgent(Gpu, Units, Index);
  Device D = {};
  D.DeviceId = E.device_id;
  D.PciRevision = E.revision_id;
  D.Family = gpu::features(Gpu).DriverFamily;
  D.ShaderEngines = E.array_count;
  D.ArraysPerEngine = E.simd_arrays_per_engine;
  D.CounterFrequency = 100000;
  D.MaxEngineClock = 1700000;
  D.MaxMemoryClock = 1600000;
  D.ActiveUnits = Units;
  for (unsigned I = 0; I < Units; ++I)
    D.UnitBitmap[I % E.array_count % 4][0] |= 1u << I / E.array_count;
  D.AddressOffset = 0x200000;
  D.AddressMax = uint64_t(1) << 47;
  D.AddressAlignment = D.GartPageSize = 4096;
  D.VramType = 6; // HBM
  D.VramBits = 4096;
  D.WaveFrontSize = Gpu.family().defaultLanes();
  D.UnitsPerArray = (Units + E.array_count - 1) / E.array_count;
  D.HighAddressOffset = uint64_t(0xffff8) << 44;
  D.HighAddressMax = ~uint64_t(0);
  return D;
}

unsigned indexOf(int Minor) {
  return unsigned(Minor) >= FirstRenderMinor
             ? unsigned(Minor) - FirstRenderMinor
             : unsigned(Minor);
}

int info(int Minor, const InfoArguments &A) {
  const Selection S = selection();
  const unsigned Index = indexOf(Minor);
  if (Index >= S.Gpus.size())
    return -ENODEV;
  auto Put = [&](const void *Data, size_t Size) {
    const bool IsGood =
        A.ReturnPointer &&
        copyToUser(A.ReturnPointer, Data, std::min<size_t>(Size, A.ReturnSize));
    return IsGood ? 0 : -EFAULT;
  };
  switch (A.Query) {
  case AccelWorking: {
    const uint32_t Yes = 1;
    return Put(&Yes, sizeof(Yes));
  }
  case EngineInfo: {
    const bool IsThere = A.Detail[0] == EngineDma && !A.Detail[1];
    const Engine E = {
        S.Gpus[Index]->family().Generation, 0, 0, 256, 4, IsThere, 0};
    return IsThere ? Put(&E, sizeof(E)) : -EINVAL;
  }
  case EngineCount: {
    const uint32_t Count = A.Detail[0] == EngineDma;
    return Put(&Count, sizeof(Count));
  }
  case Timestamp: {
    timespec T;
    clock_gettime(CLOCK_MONOTONIC, &T);
    const uint64_t Now =
        (uint64_t(T.tv_sec) * 1000000000 + uint64_t(T.tv_nsec)) / 10;
    return Put(&Now, sizeof(Now));
  }
  case FirmwareVersion: {
    const uint32_t Versions[2] = {71, 0};
    return Put(Versions, sizeof(Versions));
  }
  case VramUsage:
  case GttUsage:
  case VisibleVramUsage: {
    const uint64_t None = 0;
    return Put(&None, sizeof(None));
  }
  case VramGtt: {
    const uint64_t Sizes[] = {simulator::VideoMemory, simulator::VideoMemory,
                              simulator::VideoMemory};
    return Put(Sizes, sizeof(Sizes));
  }
  case MemoryInfo: {
    const Heap One = {simulator::VideoMemory, simulator::VideoMemory, 0,
                      simulator::VideoMemory};
    const Heap All[] = {One, One, One};
    return Put(All, sizeof(All));
  }
  case ReadRegister: {
    // These registers describe the layout of images, which aren't supported.
    const std::vector<uint32_t> Values(std::min(A.Detail[1], 128u));
    return Put(Values.data(), Values.size() * 4);
  }
  case DeviceInfo: {
    const Device D = describeDevice(*S.Gpus[Index], S.ComputeUnits, Index);
    return Put(&D, sizeof(D));
  }
  default:
    logOnce("DRM's information " + std::to_string(A.Query) + " isn't modeled");
    return -EINVAL;
  }
}

/// \param Argument A copy of the program's, with room for the largest.
/// \return 0 or -errno.
int perform(int Minor, unsigned Number, void *Argument) {
  switch (Number) {
  case Version: {
    auto &A = *static_cast<VersionArguments *>(Argument);
    A.Major = 3;
    A.Minor = 61;
    A.Patch = 0;
    int Result = putText(A.NameLength, A.Name, "amdgpu");
    if (!Result)
      Result = putText(A.DateLength, A.Date, "20150101");
    return Result ? Result
                  : putText(A.DescriptionLength, A.Description, "AMD GPU");
  }
  case GetClient:
    // Anyone who can open a render node may use it.
    static_cast<uint32_t *>(Argument)[1] = 1;
    return 0;
  case GetCapability:
    static_cast<CapabilityArguments *>(Argument)->Value = 0;
    return 0;
  case AmdgpuInfo:
    return info(Minor, *static_cast<const InfoArguments *>(Argument));
  default:
    break;
  }
  Process *P = Process::current();
  if (const std::optional<int> R =
          P ? P->buffers().call(indexOf(Minor), Number, Argument)
            : std::nullopt)
    return *R;
  if (const std::optional<int> R =
          P ? P->jobs().call(indexOf(Minor), Number, Argument) : std::nullopt)
    return *R;
  char Text[64];
  snprintf(Text, sizeof(Text), "DRM's ioctl 0x%02x isn't modeled", Number);
  logOnce(Text);
  return -EINVAL;
}

} // namespace

int driver::drmCall(int Minor, unsigned long Request, void *Argument) {
  // As the kernel does: callers with older structures have shorter ones.
  static constexpr size_t Room = 1024;
  const size_t Size = _IOC_SIZE(Request);
  std::vector<uint8_t> Bytes;
  int Result = -EFAULT;
  if (copyFromUser(Bytes, reinterpret_cast<uint64_t>(Argument), Size)) {
    Bytes.resize(std::max(Size, Room));
    Result = perform(Minor, unsigned(_IOC_NR(Request)), Bytes.data());
    // Written here, a page that is being moved is waited for.
    if (_IOC_DIR(Request) & _IOC_READ)
      memcpy(Argument, Bytes.data(), Size);
  }
  if (Result < 0) {
    errno = -Result;
    return -1;
  }
  return 0;
}
