//===-- Processor.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Processor.h"

#include "lldb/Core/Address.h"
#include "lldb/Core/Module.h"
#include "lldb/Target/Target.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lldb_private;

const ::wavelane::gpu::Processor *
lldb_private::wavelane::GetProcessor(const ArchSpec &arch) {
  if (arch.GetMachine() != llvm::Triple::amdgcn)
    return nullptr;
  return ::wavelane::gpu::findByElfFlags(arch.GetFlags() &
                                         llvm::ELF::EF_AMDGPU_MACH);
}

llvm::StringRef lldb_private::wavelane::GetProcessorName(const ArchSpec &arch) {
  const ::wavelane::gpu::Processor *processor = GetProcessor(arch);
  return processor ? processor->Name : "";
}

ArchSpec lldb_private::wavelane::MakeArchitecture(llvm::StringRef processor) {
  ArchSpec arch("amdgcn-amd-amdhsa");
  if (const auto *found = ::wavelane::gpu::findByName(
          std::string_view(processor.data(), processor.size())))
    arch.SetFlags(found->ElfMachine);
  return arch;
}

ArchSpec lldb_private::wavelane::GetArchitectureAt(Target &target,
                                                   lldb::addr_t address) {
  Address resolved;
  if (target.ResolveLoadAddress(address, resolved))
    if (lldb::ModuleSP module_sp = resolved.GetModule())
      if (module_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn)
        return module_sp->GetArchitecture();
  return target.GetArchitecture();
}
