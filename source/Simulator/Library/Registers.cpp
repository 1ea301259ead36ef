//===-- Registers.cpp - The registers of each GPU -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Registers.h"

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
  const char *mode, *trapsts, *status;
};

Types typesOf(gpu::FamilyId family) {
  switch (family) {
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
  explicit Builder(const Architecture &arch) {
    info.arch = &arch;
    const bool statePriv = arch.family().HasStatePriv;
    info.breakpoint = arch.family().TrapWord;
    info.largestInstruction = arch.family().LargestInstruction;
    const Types types = typesOf(arch.Group);

    for (unsigned i = 0; i < 256; ++i)
      add({"v" + std::to_string(i), RegisterKind::Vector, uint16_t(i), 64,
           GeneralClass | VectorClass, 256, "int32_t[64]", dwarf::vector(i, 64),
           0});
    if (arch.hasAcc())
      for (unsigned i = 0; i < 256; ++i)
        add({"a" + std::to_string(i), RegisterKind::AccVector, uint16_t(i), 64,
             GeneralClass | VectorClass, 256, "int32_t[64]",
             dwarf::accumulation(i, 64), 0});
    if (arch.hasWave32())
      for (unsigned i = 0; i < 256; ++i)
        add({"v" + std::to_string(i), RegisterKind::Vector, uint16_t(i), 32,
             GeneralClass | VectorClass, 128, "int32_t[32]",
             dwarf::vector(i, 32), 0});
    const unsigned scalars = arch.family().Sgprs;
    info.firstScalar = unsigned(info.registers.size());
    for (unsigned i = 0; i < scalars; ++i)
      add({"s" + std::to_string(i), RegisterKind::Scalar, uint16_t(i), 0,
           GeneralClass | ScalarClass, 4, "int32_t", dwarf::scalar(i), 0});
    for (unsigned i = 0; i < scalars; ++i)
      add({"s" + std::to_string(i), RegisterKind::ScalarAlias, uint16_t(i), 0,
           ScalarClass, 4, "int32_t", -1, Volatile | Invalidates});
    for (unsigned i : {4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 13u})
      add({"ttmp" + std::to_string(i), RegisterKind::Trap, uint16_t(i), 0,
           TrapClass, 4, "uint32_t", -1, 0});
    hardware("m0", HwReg::M0, "uint32_t", GeneralClass, 0);
    info.pcRegister = unsigned(info.registers.size());
    add({"pc", RegisterKind::PC, 0, 0, GeneralClass, 8, "void (*)()", dwarf::PC,
         ReadOnlyBits});
    hardware("mode", HwReg::Mode, types.mode, SystemClass, ReadOnlyBits);
    if (statePriv) {
      hardware("trap_ctrl", HwReg::TrapCtrl, GFX12_trapctrl, SystemClass,
               ReadOnlyBits);
      hardware("excp_flag_priv", HwReg::TrapSts, GFX12_excp_flag_priv,
               SystemClass, ReadOnlyBits);
      hardware("excp_flag_user", HwReg::ExcpFlagUser, GFX12_excp_flag_user,
               SystemClass, ReadOnlyBits);
    } else {
      hardware("trapsts", HwReg::TrapSts, types.trapsts, SystemClass,
               ReadOnlyBits);
    }
    const bool wideXnack = arch.generation() == 9;
    add({"xnack_mask", RegisterKind::XnackMask, 0, 0, SystemClass,
         wideXnack ? 8u : 4u, wideXnack ? "uint64_t" : "uint32_t", -1,
         Volatile | Invalidates});
    add({statePriv ? "scratch_base" : "flat_scratch", RegisterKind::FlatScratch,
         0, 0, SystemClass, 8, "uint64_t", -1, Volatile | Invalidates});
    add({"status", RegisterKind::Status, 0, 0, SystemClass, 4, types.status,
         dwarf::Status, ReadOnlyBits | Volatile});
    if (statePriv)
      hardware("state_priv", HwReg::StatePriv, GFX12_state_priv, SystemClass,
               ReadOnlyBits);
    if (arch.hasWave32())
      add({"exec", RegisterKind::Exec, 0, 32, GeneralClass, 4, "uint32_t",
           dwarf::Exec32, Invalidates});
    add({"exec", RegisterKind::Exec, 0, 64, GeneralClass, 8, "uint64_t",
         dwarf::Exec64, Invalidates});
    if (arch.hasWave32())
      add({"vcc", RegisterKind::Vcc, 0, 32, GeneralClass, 4, "uint32_t",
           dwarf::VCC32, Volatile | Invalidates});
    add({"vcc", RegisterKind::Vcc, 0, 64, GeneralClass, 8, "uint64_t",
         dwarf::VCC64, Volatile | Invalidates});
  }

  ArchitectureInfo info;

private:
  void add(Register reg) {
    if (reg.dwarf >= 0)
      info.byDwarf[uint64_t(reg.dwarf)] = unsigned(info.registers.size());
    info.registers.push_back(std::move(reg));
  }
  void hardware(const char *name, HwReg reg, const char *type, uint8_t classes,
                uint32_t properties) {
    add({name, RegisterKind::Hardware, uint16_t(reg), 0, classes, 4, type, -1,
         properties});
  }
};

} // namespace

const char *const RegisterClassNames[RegisterClassCount] = {
    "general", "system", "trap", "vector", "scalar"};

const std::vector<ArchitectureInfo> &allArchitectures() {
  static const std::vector<ArchitectureInfo> all = [] {
    std::vector<ArchitectureInfo> list;
    for (const Architecture &arch : architectures())
      list.push_back(std::move(Builder(arch).info));
    return list;
  }();
  return all;
}

} // namespace wavelane::library
