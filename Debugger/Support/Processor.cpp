//===-- Processor.cpp -----------------------------------------------------===//

#include "Processor.h"

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

ArchSpec
lldb_private::wavelane::MakeArchitecture(llvm::StringRef processor) {
  ArchSpec arch("amdgcn-amd-amdhsa");
  if (const auto *found = ::wavelane::gpu::findByName(
          std::string_view(processor.data(), processor.size())))
    arch.SetFlags(found->ElfMachine);
  return arch;
}
