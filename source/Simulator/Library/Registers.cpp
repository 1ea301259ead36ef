//===-- Registers.cpp - The registers of each GPU -------------------------===//

#include "Registers.h"

using namespace wavelane::savearea;

namespace wavelane::embedded {

namespace {

#include "RegisterTypes.inc"

constexpr uint32_t ReadOnlyBits = AMD_DBGAPI_REGISTER_PROPERTY_READONLY_BITS;
constexpr uint32_t Volatile = AMD_DBGAPI_REGISTER_PROPERTY_VOLATILE;
constexpr uint32_t Invalidates =
    AMD_DBGAPI_REGISTER_PROPERTY_INVALIDATE_VOLATILE;

struct Types {
  const char *mode, *trapsts, *status;
};

Types typesOf(Family family) {
  switch (family) {
  case Family::GFX900:
  case Family::GFX908:
  case Family::GFX90A:
    return {GFX9_mode, GFX9_trapsts, GFX9_status};
  case Family::GFX94X:
    return {GFX94X_mode, GFX94X_trapsts, GFX94X_status};
  case Family::GFX10:
    return {GFX10_mode, GFX10_trapsts, GFX10_status};
  case Family::GFX11:
    return {GFX11_mode, GFX11_trapsts, GFX11_status};
  case Family::GFX12:
    return {GFX12_mode, GFX12_excp_flag_priv, GFX12_status};
  }
  return {};
}

class Builder {
public:
  explicit Builder(const Architecture &arch) {
    info.arch = &arch;
    const bool gfx12 = arch.family == Family::GFX12;
    info.breakpoint =
        arch.family >= Family::GFX11 ? 0xbf900001 : 0xbf920001;
    info.largestInstruction = arch.isGFX9() ? 8 : gfx12 ? 24 : 20;
    const Types types = typesOf(arch.family);

    for (unsigned i = 0; i < 256; ++i)
      add({"v" + std::to_string(i), RegisterKind::Vector, uint16_t(i), 64,
           GeneralClass | VectorClass, 256, "int32_t[64]", 2560 + i, 0});
    if (arch.hasAccVgprs())
      for (unsigned i = 0; i < 256; ++i)
        add({"a" + std::to_string(i), RegisterKind::AccVector, uint16_t(i), 64,
             GeneralClass | VectorClass, 256, "int32_t[64]", 3072 + i, 0});
    if (arch.hasWave32())
      for (unsigned i = 0; i < 256; ++i)
        add({"v" + std::to_string(i), RegisterKind::Vector, uint16_t(i), 32,
             GeneralClass | VectorClass, 128, "int32_t[32]", 1536 + i, 0});
    const unsigned scalars = arch.isGFX9() ? 102 : 106;
    info.firstScalar = unsigned(info.registers.size());
    for (unsigned i = 0; i < scalars; ++i)
      add({"s" + std::to_string(i), RegisterKind::Scalar, uint16_t(i), 0,
           GeneralClass | ScalarClass, 4, "int32_t",
           i < 64 ? 32 + i : 1088 + i - 64, 0});
    for (unsigned i = 0; i < scalars; ++i)
      add({"s" + std::to_string(i), RegisterKind::ScalarAlias, uint16_t(i), 0,
           ScalarClass, 4, "int32_t", -1, Volatile | Invalidates});
    for (unsigned i : {4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 13u})
      add({"ttmp" + std::to_string(i), RegisterKind::Trap, uint16_t(i), 0,
           TrapClass, 4, "uint32_t", -1, 0});
    hardware("m0", HwReg::M0, "uint32_t", GeneralClass, 0);
    info.pcRegister = unsigned(info.registers.size());
    add({"pc", RegisterKind::PC, 0, 0, GeneralClass, 8, "void (*)()", 16,
         ReadOnlyBits});
    hardware("mode", HwReg::Mode, types.mode, SystemClass, ReadOnlyBits);
    if (gfx12) {
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
    const bool wideXnack = arch.isGFX9();
    add({"xnack_mask", RegisterKind::XnackMask, 0, 0, SystemClass,
         wideXnack ? 8u : 4u, wideXnack ? "uint64_t" : "uint32_t", -1,
         Volatile | Invalidates});
    add({gfx12 ? "scratch_base" : "flat_scratch", RegisterKind::FlatScratch, 0,
         0, SystemClass, 8, "uint64_t", -1, Volatile | Invalidates});
    add({"status", RegisterKind::Status, 0, 0, SystemClass, 4, types.status,
         128, ReadOnlyBits | Volatile});
    if (gfx12)
      hardware("state_priv", HwReg::StatePriv, GFX12_state_priv, SystemClass,
               ReadOnlyBits);
    if (arch.hasWave32())
      add({"exec", RegisterKind::Exec, 0, 32, GeneralClass, 4, "uint32_t", 1,
           Invalidates});
    add({"exec", RegisterKind::Exec, 0, 64, GeneralClass, 8, "uint64_t", 17,
         Invalidates});
    if (arch.hasWave32())
      add({"vcc", RegisterKind::Vcc, 0, 32, GeneralClass, 4, "uint32_t", 512,
           Volatile | Invalidates});
    add({"vcc", RegisterKind::Vcc, 0, 64, GeneralClass, 8, "uint64_t", 768,
         Volatile | Invalidates});
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

} // namespace wavelane::embedded
