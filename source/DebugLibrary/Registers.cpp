//===-- Registers.cpp - The registers of each GPU -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registers.h"

#include "wavelane/GPU/Features.h"

using namespace wavelane::savearea;
namespace dwarf = wavelane::gpu::dwarf;

namespace wavelane::library {

namespace {

#include "RegisterTypes.inc"

constexpr uint32_t ReadOnlyBits = AMD_DBGAPI_REGISTER_PROPERTY_READONLY_BITS;
constexpr uint32_t Volatile = AMD_DBGAPI_REGISTER_PROPERTY_VOLATILE;
constexpr uint32_t Invalidates =
    AMD_DBGAPI_REGISTER_PROPERTY_INVALIDATE_VOLATILE;

struct Types {
  const char *Mode, *Trapsts, *Outcome;
};

Types typesOf(gpu::FamilyId Family) {
  switch (Family) {
  case gpu::FamilyId::GFX9:
  case gpu::FamilyId::GFX908:
  case gpu::FamilyId::GFX90A:
    return {GFX9_mode, GFX9_trapsts, GFX9_status};
  case gpu::FamilyId::GFX940:
  case gpu::FamilyId::GFX950:
    return {GFX94X_mode, GFX94X_trapsts, GFX94X_status};
  case gpu::FamilyId::GFX10_1:
  case gpu::FamilyId::GFX10_3:
    return {GFX10_mode, GFX10_trapsts, GFX10_status};
  case gpu::FamilyId::GFX11:
    return {GFX11_mode, GFX11_trapsts, GFX11_status};
  case gpu::FamilyId::GFX12:
  case gpu::FamilyId::GFX1250:
    return {GFX12_mode, GFX12_excp_flag_priv, GFX12_status};
  }
  return {};
}

class Builder {
public:
  explicit Builder(const Architecture &Arch) {
    Info.Arch = &Arch;
    const bool StatePriv = Arch.family().HasStatePriv;
    Info.Breakpoint = Arch.family().TrapWord;
    Info.LargestInstruction = Arch.family().LargestInstruction;
    const Types TheTypes = typesOf(Arch.Group);

    for (unsigned I = 0; I < 256; ++I)
      add({"v" + std::to_string(I), RegisterKind::Vector, uint16_t(I), 64,
           GeneralClass | VectorClass, 256, "int32_t[64]", dwarf::vector(I, 64),
           0});
    if (Arch.hasAcc())
      for (unsigned I = 0; I < 256; ++I)
        add({"a" + std::to_string(I), RegisterKind::AccVector, uint16_t(I), 64,
             GeneralClass | VectorClass, 256, "int32_t[64]",
             dwarf::accumulation(I, 64), 0});
    if (Arch.hasWave32())
      for (unsigned I = 0; I < 256; ++I)
        add({"v" + std::to_string(I), RegisterKind::Vector, uint16_t(I), 32,
             GeneralClass | VectorClass, 128, "int32_t[32]",
             dwarf::vector(I, 32), 0});
    const unsigned Scalars = Arch.family().Sgprs;
    Info.FirstScalar = unsigned(Info.Registers.size());
    for (unsigned I = 0; I < Scalars; ++I)
      add({"s" + std::to_string(I), RegisterKind::Scalar, uint16_t(I), 0,
           GeneralClass | ScalarClass, 4, "int32_t", dwarf::scalar(I), 0});
    for (unsigned I = 0; I < Scalars; ++I)
      add({"s" + std::to_string(I), RegisterKind::ScalarAlias, uint16_t(I), 0,
           ScalarClass, 4, "int32_t", -1, Volatile | Invalidates});
    for (unsigned I : {4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 13u})
      add({"ttmp" + std::to_string(I), RegisterKind::Trap, uint16_t(I), 0,
           TrapClass, 4, "uint32_t", -1, 0});
    hardware("m0", HwReg::M0, "uint32_t", GeneralClass, 0);
    Info.PcRegister = unsigned(Info.Registers.size());
    add({"pc", RegisterKind::PC, 0, 0, GeneralClass, 8, "void (*)()", dwarf::PC,
         ReadOnlyBits});
    hardware("mode", HwReg::Mode, TheTypes.Mode, SystemClass, ReadOnlyBits);
    if (StatePriv) {
      hardware("trap_ctrl", HwReg::TrapCtrl, GFX12_trapctrl, SystemClass,
               ReadOnlyBits);
      hardware("excp_flag_priv", HwReg::TrapSts, GFX12_excp_flag_priv,
               SystemClass, ReadOnlyBits);
      hardware("excp_flag_user", HwReg::ExcpFlagUser, GFX12_excp_flag_user,
               SystemClass, ReadOnlyBits);
    } else {
      hardware("trapsts", HwReg::TrapSts, TheTypes.Trapsts, SystemClass,
               ReadOnlyBits);
    }
    const bool WideXnack = gpu::features(Arch).HasScratchSgprs;
    add({"xnack_mask", RegisterKind::XnackMask, 0, 0, SystemClass,
         WideXnack ? 8u : 4u, WideXnack ? "uint64_t" : "uint32_t", -1,
         Volatile | Invalidates});
    add({StatePriv ? "scratch_base" : "flat_scratch", RegisterKind::FlatScratch,
         0, 0, SystemClass, 8, "uint64_t", -1, Volatile | Invalidates});
    add({"status", RegisterKind::Status, 0, 0, SystemClass, 4, TheTypes.Outcome,
         dwarf::Status, ReadOnlyBits | Volatile});
    if (StatePriv)
      hardware("state_priv", HwReg::StatePriv, GFX12_state_priv, SystemClass,
               ReadOnlyBits);
    if (Arch.hasWave32())
      add({"exec", RegisterKind::Exec, 0, 32, GeneralClass, 4, "uint32_t",
           dwarf::Exec32, Invalidates});
    add({"exec", RegisterKind::Exec, 0, 64, GeneralClass, 8, "uint64_t",
         dwarf::Exec64, Invalidates});
    if (Arch.hasWave32())
      add({"vcc", RegisterKind::Vcc, 0, 32, GeneralClass, 4, "uint32_t",
           dwarf::VCC32, Volatile | Invalidates});
    add({"vcc", RegisterKind::Vcc, 0, 64, GeneralClass, 8, "uint64_t",
         dwarf::VCC64, Volatile | Invalidates});
  }

  ArchitectureInfo Info;

private:
  void add(Register Reg) {
    if (Reg.Dwarf >= 0)
      Info.ByDwarf[uint64_t(Reg.Dwarf)] = unsigned(Info.Registers.size());
    Info.Registers.push_back(std::move(Reg));
  }
  void hardware(const char *Name, HwReg Reg, const char *Type, uint8_t Classes,
                uint32_t Properties) {
    add({Name, RegisterKind::Hardware, uint16_t(Reg), 0, Classes, 4, Type, -1,
         Properties});
  }
};

} // namespace

const char *const RegisterClassNames[RegisterClassCount] = {
    "general", "system", "trap", "vector", "scalar"};

const std::vector<ArchitectureInfo> &allArchitectures() {
  static const std::vector<ArchitectureInfo> All = [] {
    std::vector<ArchitectureInfo> List;
    for (const Architecture &Arch : architectures())
      List.push_back(std::move(Builder(Arch).Info));
    return List;
  }();
  return All;
}

} // namespace wavelane::library
