//===-- ABIAMDGPU.cpp -----------------------------------------------------===//

#include "ABIAMDGPU.h"

#include "Process/AMDGPU/ThreadAMDGPU.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Value.h"
#include "lldb/Core/ValueObjectConstResult.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/RegisterValue.h"
#include "llvm/ADT/StringSwitch.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void ABIAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Calling convention of AMD GPU code.",
                                CreateInstance);
}

void ABIAMDGPU::Terminate() { PluginManager::UnregisterPlugin(CreateInstance); }

ABISP ABIAMDGPU::CreateInstance(ProcessSP process_sp, const ArchSpec &arch) {
  if (arch.GetTriple().getArch() != llvm::Triple::amdgcn)
    return nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers = MakeMCRegisterInfo(arch);
  if (!registers)
    return nullptr;
  return ABISP(new ABIAMDGPU(process_sp, std::move(registers)));
}

Status ABIAMDGPU::SetReturnValueObject(StackFrameSP &frame_sp,
                                       ValueObjectSP &new_value) {
  Status error;
  error.SetErrorString(
      "returning early with a value isn't supported for GPU code");
  return error;
}

bool ABIAMDGPU::IsCalleeSaved(llvm::StringRef name) {
  unsigned number;
  if (name.size() < 2 || name.drop_front().getAsInteger(10, number))
    return false;
  switch (name.front()) {
  case 's':
    return number >= 30 && number <= 105;
  case 'v':
    return number >= 40 && number % 16 >= 8;
  case 'a':
    return number >= 32;
  }
  return false;
}

bool ABIAMDGPU::RegisterIsVolatile(const RegisterInfo *reg_info) {
  return !reg_info || !IsCalleeSaved(reg_info->name);
}

uint32_t ABIAMDGPU::GetGenericNum(llvm::StringRef reg) {
  return llvm::StringSwitch<uint32_t>(reg)
      .Case("pc", LLDB_REGNUM_GENERIC_PC)
      .Case("s32", LLDB_REGNUM_GENERIC_SP)
      .Case("s33", LLDB_REGNUM_GENERIC_FP)
      .Default(LLDB_INVALID_REGNUM);
}

void ABIAMDGPU::AugmentRegisterInfo(
    std::vector<DynamicRegisterInfo::Register> &regs) {
  // DWARF numbers are the server's business: they depend on the wave's size.
  for (DynamicRegisterInfo::Register &reg : regs)
    if (reg.regnum_generic == LLDB_INVALID_REGNUM)
      reg.regnum_generic = GetGenericNum(reg.name.GetStringRef());
}

ValueObjectSP ABIAMDGPU::GetReturnValueObjectImpl(Thread &thread,
                                                  CompilerType &type) const {
  auto *wave = dynamic_cast<ThreadAMDGPU *>(&thread);
  if (!wave || !type)
    return nullptr;
  std::optional<uint64_t> size = type.GetByteSize(&thread);
  bool is_signed = false;
  // Scalars and pointers, and aggregates that fit a pair of registers, come
  // packed into v0 and up. Larger aggregates come field by field.
  const bool scalar = type.IsScalarType() || type.IsPointerOrReferenceType() ||
                      type.IsEnumerationType(is_signed);
  if (!size || *size == 0 || *size > 64 || (!scalar && *size > 8 &&
                                            !type.IsVectorType(nullptr, nullptr)))
    return nullptr;

  RegisterContextSP reg_ctx_sp = thread.GetRegisterContext();
  const uint32_t lane = wave->GetFocusLane();
  auto data_sp = std::make_shared<DataBufferHeap>((*size + 3) / 4 * 4, 0);
  for (uint64_t i = 0; i * 4 < *size; ++i) {
    const RegisterInfo *info =
        wave->FindRegister(llvm::formatv("v{0}", i).str());
    RegisterValue value;
    if (!info || !reg_ctx_sp->ReadRegister(info, value) ||
        value.GetByteSize() < (lane + 1) * 4)
      return nullptr;
    memcpy(data_sp->GetBytes() + i * 4,
           static_cast<const uint8_t *>(value.GetBytes()) + lane * 4, 4);
  }
  DataExtractor data(data_sp, eByteOrderLittle, 8);
  return ValueObjectConstResult::Create(&thread, type, ConstString(""), data);
}
