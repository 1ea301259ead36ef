//===-- Processors.h - the GPUs that Wavelane knows -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that knows processors by name or number. A processor is a line
// of Processors.def; the facts of its family are here. The rest of Wavelane
// uses these facts instead of comparing names. This file doesn't use LLVM or
// LLDB, because the HIP runtime doesn't have them.
//
// Sources: LLVM's AMDGPUUsage ("Processors", "Register Identifier", "Address
// Space Identifier", "Initial Kernel Execution State"), LLVM's subtarget
// features, AMD's instruction set documents, and the Linux kernel's context
// save handlers.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_PROCESSORS_H
#define WAVELANE_GPU_PROCESSORS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wavelane::gpu {

//===-- DWARF -------------------------------------------------------------===//

/// DWARF's register numbers (AMDGPUUsage, "Register Identifier"). Vector
/// registers, EXEC and VCC have different numbers in waves of 32 and of 64
/// lanes.
namespace dwarf {
enum : unsigned {
  PC32 = 0,    ///< 4 bytes
  Exec32 = 1,  ///< EXEC of 32 lanes
  PC = 16,     ///< 8 bytes
  Exec64 = 17, ///< EXEC of 64 lanes
  SGPR0 = 32,  ///< to SGPR63
  Status = 128,
  VCC32 = 512,
  VCC64 = 768,
  SGPR64 = 1088, ///< to SGPR105
  VGPR32 = 1536, ///< 256 registers of 32 lanes
  AGPR32 = 2048,
  VGPR64 = 2560, ///< 256 registers of 64 lanes
  AGPR64 = 3072,
  /// The number of registers in each vector register file.
  VectorCount = 256,
};
constexpr unsigned scalar(unsigned Index) {
  return Index < 64 ? SGPR0 + Index : SGPR64 + Index - 64;
}
constexpr unsigned vector(unsigned Index, unsigned Lanes) {
  return (Lanes == 32 ? VGPR32 : VGPR64) + Index;
}
constexpr unsigned accumulation(unsigned Index, unsigned Lanes) {
  return (Lanes == 32 ? AGPR32 : AGPR64) + Index;
}
constexpr unsigned exec(unsigned Lanes) {
  return Lanes == 32 ? Exec32 : Exec64;
}
constexpr unsigned vcc(unsigned Lanes) { return Lanes == 32 ? VCC32 : VCC64; }
/// Whether register \a Number has an element of 4 bytes for each lane.
constexpr bool isVector(uint64_t Number) {
  for (unsigned First : {VGPR32, AGPR32, VGPR64, AGPR64})
    if (Number >= First && Number - First < VectorCount)
      return true;
  return false;
}
} // namespace dwarf

/// An address space by its DWARF number (AMDGPUUsage, "Address Space
/// Identifier"). All GPUs have the same ones. A generic address is one in
/// global, local or private_lane memory.
struct AddressSpace {
  uint8_t Number;
  const char *Name;
  uint8_t Bits;      ///< of an address
  uint64_t Null;     ///< the null pointer's value
  bool PerLane;      ///< Each lane has its own memory.
  bool PerWorkgroup; ///< Each workgroup or wave has its own memory.
};
inline constexpr AddressSpace AddressSpaces[] = {
    {0, "global", 64, 0, false, false},
    {1, "generic", 64, 0, true, true},
    {2, "region", 32, 0, false, false},
    {3, "local", 32, 0xffffffff, false, true},
    {5, "private_lane", 32, 0xffffffff, true, true},
    {6, "private_wave", 32, 0xffffffff, false, true},
};

//===-- Families ----------------------------------------------------------===//

/// Bits [Low, Low + Width) of a word.
struct BitField {
  uint8_t Low = 0, Width = 0;
  constexpr uint32_t mask() const {
    return uint32_t(((uint64_t(1) << Width) - 1) << Low);
  }
  constexpr uint32_t get(uint32_t Word) const { return (Word & mask()) >> Low; }
  constexpr uint32_t put(uint32_t Value) const {
    return (Value << Low) & mask();
  }
};

/// The fields of a save area's control stack, which lists its waves and their
/// registers.
struct ControlStack {
  BitField Vgprs;       ///< in units of Family::VgprUnit, less one
  BitField Sgprs;       ///< in 16; width 0: every wave has 128
  BitField Local;       ///< in units of Processor::LocalUnit
  BitField AccumOffset; ///< architectural VGPRs / 4 - 1
  BitField Wave32, SharedVgprs;
  BitField Slot, Engine, Scratch, Last, First; ///< of a wave's own word
};

/// The accumulation registers (AGPRs) of matrix instructions.
enum class AccRegisters : uint8_t {
  None,
  Twin,   ///< a separate file; a wave has as many as VGPRs
  Unified ///< the upper part of a wave's vector registers
};

enum class FamilyId : uint8_t {
  GFX9,
  GFX908,
  GFX90A,
  GFX940,
  GFX950,
  GFX10_1,
  GFX10_3,
  GFX11,
  GFX12,
  GFX1250
};

/// The common facts of one family's GPUs.
struct Family {
  FamilyId Id;
  uint8_t Generation; ///< 9 to 12: the encoding of instructions

  //===-- Waves and registers ---------------------------------------------===//
  bool HasWave32 = false; ///< besides waves of 64 lanes, which every GPU has
  AccRegisters Acc = AccRegisters::None;
  /// The number of SGPRs that instructions can name. After 102, the next ones
  /// are FLAT_SCRATCH and XNACK_MASK.
  uint8_t Sgprs = 102;
  /// The unit in which a kernel descriptor and a save area count the vector
  /// registers of a wave of 64 and of 32 lanes.
  uint8_t VgprUnit64 = 4, VgprUnit32 = 8;

  //===-- Compute units ---------------------------------------------------===//
  uint8_t SimdsPerUnit = 4;
  uint8_t WavesPerSimd = 10;
  uint8_t CacheLine = 64;  ///< bytes, of the vector cache of a compute unit
  uint8_t LocalBanks = 32; ///< of local memory, a dword wide

  //===-- How a wave begins -----------------------------------------------===//
  /// Hardware gives a wave the address of its scratch memory, and the stack
  /// pointer counts the bytes of one lane. Otherwise SGPRs have the address,
  /// and the stack pointer counts the wave's bytes: a lane's times the number
  /// of lanes.
  bool HasArchitectedScratch = false;
  /// v0 holds all three work-item ids, 10 bits each; otherwise v0 to v2 hold
  /// one each.
  bool PacksWorkItemIds = false;
  /// COMPUTE_TMPRING_SIZE counts the waves of one shader engine, and scratch in
  /// units of 256 bytes; otherwise the waves of the GPU, and units of 1024
  /// bytes.
  bool CountsScratchPerEngine = false;

  //===-- Instructions ----------------------------------------------------===//
  /// s_trap 1: the breakpoint that a debugger writes.
  uint32_t TrapWord = 0xbf920001;
  uint8_t LargestInstruction = 8; ///< bytes
  bool HasWaveSync = true;        ///< ds_gws_*
  bool RetriesFaults = false; ///< page faults, if a program wants it (xnack)
  bool HasXccId = false;      ///< HW_REG_XCC_ID
  /// f32 atomics in memory keep denormals.
  bool AtomicsKeepDenormals = false;
  /// Matrix instructions with 16-bit inputs flush denormals.
  bool MatricesFlush = false;
  /// 8-bit floats have no infinities, and NaN instead of negative zero (FNUZ);
  /// otherwise they are the OCP's.
  bool HasOldFloat8 = false;

  //===-- What a debugger reads -------------------------------------------===//
  /// STATE_PRIV, EXCP_FLAG_PRIV and TRAP_CTRL replace STATUS, TRAPSTS and MODE.
  bool HasStatePriv = false;
  /// The number of the TRAPSTS bit that a single step sets; -1 if none.
  int8_t StepFlag = -1;
  /// The dispatch packet's number is in ttmp11 (gfx12: see HasStatePriv), not
  /// ttmp6.
  bool PacketInTtmp11 = false;
  /// The trap handler parks a stopped wave, and keeps its PC in ttmps, if the
  /// loader's r_debug version is at least this. 0: always, -1: never.
  int8_t ParksSince = -1;
  bool HasControlStack = true; ///< Whether the layout below is known.
  ControlStack Stack;

  /// What the simulated device lacks for this family; null if it can be
  /// simulated.
  const char *NotModeled = nullptr;

  /// The first release of HIP that knows GPUs of the family, 605 for 6.5; 0 for
  /// all releases of version 5.
  uint16_t FirstHip = 0;

  constexpr unsigned vgprUnit(unsigned Lanes) const {
    return Lanes == 32 ? VgprUnit32 : VgprUnit64;
  }
  constexpr bool parks(uint32_t RDebugVersion) const {
    return ParksSince >= 0 && RDebugVersion >= uint32_t(ParksSince);
  }
  /// The number of lanes of a wave, unless the code object says otherwise.
  constexpr unsigned defaultLanes() const { return HasWave32 ? 32 : 64; }
  constexpr unsigned wavesPerUnit() const {
    return SimdsPerUnit * WavesPerSimd;
  }
  /// The maximum number of shader engines, and of compute units per engine,
  /// that a save area can distinguish.
  constexpr unsigned maxEngines() const { return 1u << Stack.Engine.Width; }
  constexpr unsigned maxUnitsPerEngine() const {
    return (1u << Stack.Slot.Width) / wavesPerUnit();
  }
};

namespace detail {
constexpr Family gfx9() {
  Family F{};
  F.Id = FamilyId::GFX9;
  F.Generation = 9;
  F.ParksSince = 0;
  F.Stack.Vgprs = {0, 6};
  F.Stack.Sgprs = {6, 3};
  F.Stack.Local = {9, 9};
  F.Stack.Slot = {0, 9};
  F.Stack.Engine = {11, 2};
  F.Stack.Scratch = {15, 1};
  F.Stack.Last = {16, 1};
  F.Stack.First = {17, 1};
  return F;
}
constexpr Family gfx908() {
  Family F = gfx9();
  F.Id = FamilyId::GFX908;
  F.Acc = AccRegisters::Twin;
  F.Stack.Engine = {11, 3};
  return F;
}
constexpr Family gfx90a() {
  Family F = gfx908();
  F.Id = FamilyId::GFX90A;
  F.RetriesFaults = true;
  F.Acc = AccRegisters::Unified;
  F.VgprUnit64 = 8;
  F.WavesPerSimd = 8;
  F.PacksWorkItemIds = true;
  F.MatricesFlush = true;
  F.Stack.Local = {9, 8};
  F.Stack.AccumOffset = {24, 6};
  F.Stack.Engine = {9, 3};
  return F;
}
constexpr Family gfx940() {
  Family F = gfx90a();
  F.Id = FamilyId::GFX940;
  F.FirstHip = 600;
  F.CacheLine = 128;
  F.HasArchitectedScratch = true;
  F.HasXccId = true;
  F.AtomicsKeepDenormals = true;
  F.MatricesFlush = false;
  F.HasOldFloat8 = true;
  F.StepFlag = 25;
  F.PacketInTtmp11 = true;
  F.ParksSince = -1;
  F.Stack.Engine = {9, 2};
  return F;
}
constexpr Family gfx950() {
  Family F = gfx940();
  F.Id = FamilyId::GFX950;
  F.FirstHip = 604;
  F.LocalBanks = 64;
  F.HasOldFloat8 = false;
  F.LargestInstruction = 16;
  return F;
}
constexpr Family gfx10_1() {
  Family F{};
  F.Id = FamilyId::GFX10_1;
  F.Generation = 10;
  F.CacheLine = 128;
  F.HasWave32 = true;
  F.Sgprs = 106;
  F.SimdsPerUnit = 2;
  F.WavesPerSimd = 20;
  F.LargestInstruction = 20;
  F.ParksSince = 0;
  F.Stack.Vgprs = {0, 6};
  F.Stack.Local = {10, 8};
  F.Stack.Wave32 = {24, 1};
  F.Stack.SharedVgprs = {26, 4};
  F.Stack.Slot = {0, 10};
  F.Stack.Engine = {24, 2};
  F.Stack.Scratch = {11, 1};
  F.Stack.Last = {29, 1};
  F.Stack.First = {12, 1};
  return F;
}
constexpr Family gfx10_3() {
  Family F = gfx10_1();
  F.Id = FamilyId::GFX10_3;
  F.WavesPerSimd = 16;
  F.ParksSince = -1;
  return F;
}
constexpr Family gfx11() {
  Family F = gfx10_3();
  F.Id = FamilyId::GFX11;
  F.FirstHip = 505;
  F.Generation = 11;
  F.HasArchitectedScratch = true;
  F.PacksWorkItemIds = true;
  F.CountsScratchPerEngine = true;
  F.TrapWord = 0xbf900001;
  F.StepFlag = 20;
  F.ParksSince = 9;
  F.Stack.Engine = {24, 3};
  return F;
}
constexpr Family gfx12() {
  Family F = gfx11();
  F.Id = FamilyId::GFX12;
  F.FirstHip = 603;
  F.Generation = 12;
  F.LargestInstruction = 24;
  F.HasWaveSync = false;
  F.AtomicsKeepDenormals = true;
  F.HasStatePriv = true;
  F.ParksSince = 0;
  return F;
}
constexpr Family gfx1250() {
  Family F = gfx12();
  F.Id = FamilyId::GFX1250;
  F.FirstHip = 700;
  F.LocalBanks = 64;
  F.VgprUnit64 = 8;
  F.VgprUnit32 = 16;
  F.SimdsPerUnit = 4;
  F.HasControlStack = false;
  F.Stack = {};
  F.NotModeled =
      "1024 vector registers by MODE's upper bits, 64-bit literals, its "
      "matrix, tensor and transposing instructions, clusters of "
      "workgroups, and the layout of its save area";
  return F;
}
} // namespace detail

/// By FamilyId.
inline constexpr Family Families[] = {
    detail::gfx9(),   detail::gfx908(),  detail::gfx90a(),  detail::gfx940(),
    detail::gfx950(), detail::gfx10_1(), detail::gfx10_3(), detail::gfx11(),
    detail::gfx12(),  detail::gfx1250()};

//===-- Processors --------------------------------------------------------===//

/// A line of the table.
enum class ProcessorId : uint8_t {
// clang-format off
#define WAVELANE_GPU(ID, ...) ID,
#define WAVELANE_GENERIC_GPU(ID, ...) ID,
#include "Processors.def"
  // clang-format on
  NONE
};

/// A GPU, or a generic target: code for several GPUs.
struct Processor {
  ProcessorId Id;
  const char *Name; ///< "gfx90a", "gfx9-generic"
  FamilyId Group;
  uint32_t ElfMachine; ///< EF_AMDGPU_MACH
  /// KFD's gfx_target_version, such as gfx90a's 90010; 0 for a generic target.
  uint32_t TargetVersion;
  ProcessorId Generic; ///< its generic target, or NONE
  const char
      *Features; ///< default features of the target ID: ":sramecc+:xnack-"
  /// The number of vector registers per lane in a SIMD for waves of
  /// Family::defaultLanes(), architectural and accumulation registers together.
  unsigned VectorRegisters;
  uint32_t LocalBytes; ///< the most local memory that a workgroup can have
  uint32_t LocalUnit;  ///< allocation unit of local memory, in bytes
  uint32_t PciDevice;  ///< 0 if unknown
  const char *Product; ///< "AMD Instinct MI200"; null for a generic target

  constexpr const Family &family() const { return Families[unsigned(Group)]; }
  constexpr bool isGeneric() const { return TargetVersion == 0; }
  /// Whether it can be simulated. \see Family::NotModeled
  constexpr bool isModeled() const {
    return !isGeneric() && !family().NotModeled;
  }

  /// \see Family::FirstHip. Later GPUs of a family have later releases.
  constexpr unsigned firstHip() const {
    return TargetVersion >= 110500 && TargetVersion < 120000
               ? 601
               : family().FirstHip;
  }
  constexpr unsigned generation() const { return family().Generation; }
  constexpr bool hasWave32() const { return family().HasWave32; }
  constexpr bool hasAcc() const { return family().Acc != AccRegisters::None; }
  /// Whether code can be compiled with \a Feature ("xnack", "sramecc") on and
  /// off.
  constexpr bool hasFeature(std::string_view Feature) const {
    return std::string_view(Features).find(Feature) != std::string_view::npos;
  }
  /// The name in ROCm: "gfx90a:sramecc+:xnack-".
  std::string targetId() const { return std::string(Name) + Features; }
  /// LLVM's name; LLVM no longer has the first steppings of gfx942.
  constexpr const char *llvmName() const {
    return Group == FamilyId::GFX940 && !isGeneric() && TargetVersion < 90402
               ? "gfx942"
               : Name;
  }
  /// Whether code for this processor runs on \a Device: it is the same GPU, or
  /// the device's generic target.
  constexpr bool runsOn(const Processor &Device) const {
    return Id == Device.Id || (isGeneric() && Device.Generic == Id);
  }
};

/// By ProcessorId. \see devices(), debuggable()
inline constexpr Processor Processors[] = {
// clang-format off
#define WAVELANE_GPU(ID, NAME, FAMILY, MACHINE, VERSION, GENERIC, FEATURES,        \
                     VECTORS, LOCAL, UNIT, DEVICE, PRODUCT)                        \
  {ProcessorId::ID, NAME, FamilyId::FAMILY, MACHINE, VERSION, ProcessorId::GENERIC, \
   FEATURES, VECTORS, LOCAL * 1024, UNIT, DEVICE, PRODUCT},
#define WAVELANE_GENERIC_GPU(ID, NAME, FAMILY, MACHINE, FEATURES)                  \
  {ProcessorId::ID, NAME, FamilyId::FAMILY, MACHINE, 0, ProcessorId::NONE,         \
   FEATURES, 0, 65536, 512, 0, nullptr},
#include "Processors.def"
    // clang-format on
};
inline constexpr size_t ProcessorCount = size_t(ProcessorId::NONE);

/// A range of processors in the table.
struct ProcessorRange {
  const Processor *First;
  size_t Count;
  constexpr const Processor *begin() const { return First; }
  constexpr const Processor *end() const { return First + Count; }
  constexpr size_t size() const { return Count; }
};

namespace detail {
constexpr size_t countDebuggable() {
  size_t N = 0;
  while (!Processors[N].isGeneric() && Processors[N].family().HasControlStack)
    ++N;
  return N;
}
constexpr size_t countDevices() {
  size_t N = 0;
  while (!Processors[N].isGeneric())
    ++N;
  return N;
}
} // namespace detail

/// All lines of the table.
constexpr ProcessorRange processors() { return {Processors, ProcessorCount}; }
/// The GPUs, without generic targets.
constexpr ProcessorRange devices() {
  return {Processors, detail::countDevices()};
}
/// The GPUs whose save area a debugger can read.
constexpr ProcessorRange debuggable() {
  return {Processors, detail::countDebuggable()};
}

constexpr const Processor &get(ProcessorId Id) {
  return Processors[unsigned(Id)];
}

/// The GPU that is simulated by default.
inline constexpr ProcessorId DefaultDevice = ProcessorId::GFX90A;

/// \param Name "gfx90a"; features after it ("gfx90a:xnack+") are ignored.
/// \return Null for a processor that isn't in the table.
const Processor *findByName(std::string_view Name);
/// Finds a processor by an ELF header's e_flags: by EF_AMDGPU_MACH, ignoring
/// the rest (AMDGPUUsage, "ELF Header").
/// \return Like findByName().
const Processor *findByElfFlags(uint32_t Flags);
/// Finds a processor by KFD's gfx_target_version.
/// \return Like findByName(); never a generic target.
const Processor *findByTargetVersion(uint32_t Version);

/// Whether code for target ID \p TargetId ("gfx90a:xnack-") runs on \p Device:
/// it is for that GPU or its generic target, and each feature that it names has
/// the same setting in Device.targetId().
bool canRun(std::string_view TargetId, const Processor &Device);

/// The GPU to simulate for a program. Each element of \p Bundles has the target
/// IDs that one of the program's offload bundles has code for. Chooses a GPU
/// that runs code of as many bundles as possible: the default device if it is
/// as good as any, else the one that the program names first.
const Processor &
chooseDevice(const std::vector<std::vector<std::string>> &Bundles);

/// Why a processor can't be simulated: it is unknown, a generic target, or the
/// simulator lacks something. \return Empty if it can be simulated.
std::string whyNotModeled(std::string_view Name);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_PROCESSORS_H
