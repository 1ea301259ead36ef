//===-- PlatformAMDGPU.cpp ------------------------------------------------===//

#include "PlatformAMDGPU.h"

#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/Status.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

PlatformAMDGPU::PlatformAMDGPU() : Platform(/*is_host=*/false) {
  ArchSpec any("amdgcn-amd-amdhsa");
  m_architectures.push_back(any);
}

void PlatformAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Waves and code objects of an AMD GPU.",
                                CreateInstance);
}

void PlatformAMDGPU::Terminate() {
  PluginManager::UnregisterPlugin(CreateInstance);
}

PlatformSP PlatformAMDGPU::CreateInstance(bool force, const ArchSpec *arch) {
  if (force ||
      (arch && arch->GetTriple().getArch() == llvm::Triple::amdgcn))
    return std::make_shared<PlatformAMDGPU>();
  return nullptr;
}

std::vector<ArchSpec>
PlatformAMDGPU::GetSupportedArchitectures(const ArchSpec &process_host_arch) {
  return m_architectures;
}

size_t PlatformAMDGPU::GetSoftwareBreakpointTrapOpcode(Target &target,
                                                       BreakpointSite *bp_site) {
  // s_trap 1, whose opcode moved with gfx11. The server inserts breakpoints by
  // the debug library, which knows the GPU; LLDB only wants the size and hides
  // these bytes from what it reads.
  static const uint8_t gfx9[] = {0x01, 0x00, 0x92, 0xbf};
  static const uint8_t gfx11[] = {0x01, 0x00, 0x90, 0xbf};
  const ArchSpec::Core core = target.GetArchitecture().GetCore();
  const bool newer = (core >= ArchSpec::eCore_amdgcn_gfx1100 &&
                      core <= ArchSpec::eCore_amdgcn_gfx1201) ||
                     core == ArchSpec::eCore_amdgcn_gfx11_generic ||
                     core == ArchSpec::eCore_amdgcn_gfx12_generic;
  if (bp_site->SetTrapOpcode(newer ? gfx11 : gfx9, sizeof(gfx9)))
    return sizeof(gfx9);
  return 0;
}

ProcessSP PlatformAMDGPU::Attach(ProcessAttachInfo &attach_info,
                                 Debugger &debugger, Target *target,
                                 Status &error) {
  error.SetErrorString("a GPU target comes with its host program: attach to "
                       "the program in a host target");
  return nullptr;
}

const UnixSignalsSP &PlatformAMDGPU::GetRemoteUnixSignals() {
  // A fault of a wave is told by the number that the host has for it.
  if (!m_signals_sp)
    m_signals_sp = UnixSignals::Create(ArchSpec("x86_64-unknown-linux-gnu"));
  return m_signals_sp;
}

UserIDResolver &PlatformAMDGPU::GetUserIDResolver() {
  return HostInfo::GetUserIDResolver();
}

ArchSpec PlatformAMDGPU::MakeArch(llvm::StringRef triple,
                                  llvm::StringRef processor) {
  llvm::SmallVector<llvm::StringRef, 6> parts;
  triple.split(parts, '-');
  if (processor.empty())
    for (llvm::StringRef part : parts)
      if (part.starts_with("gfx"))
        processor = part;
  processor = processor.take_until([](char c) { return c == ':'; });
  ArchSpec arch("amdgcn-amd-amdhsa");
  for (uint32_t machine = llvm::ELF::EF_AMDGPU_MACH_AMDGCN_FIRST;
       !processor.empty() && machine <= llvm::ELF::EF_AMDGPU_MACH; ++machine) {
    ArchSpec candidate;
    if (!candidate.SetArchitecture(eArchTypeELF, llvm::ELF::EM_AMDGPU, machine))
      continue;
    if (processor != candidate.GetArchitectureName())
      continue;
    candidate.GetTriple().setVendor(llvm::Triple::AMD);
    candidate.GetTriple().setOS(llvm::Triple::AMDHSA);
    return candidate;
  }
  return arch;
}
