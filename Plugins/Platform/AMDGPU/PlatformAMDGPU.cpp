//===-- PlatformAMDGPU.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PlatformAMDGPU.h"
#include "Core/Support/Processor.h"

#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/UnixSignals.h"
#include "lldb/Utility/Status.h"
#include "llvm/Support/Endian.h"

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

PlatformSP PlatformAMDGPU::CreateInstance(bool force, const ArchSpec *arch) {
  if (force || (arch && arch->GetTriple().getArch() == llvm::Triple::amdgcn))
    return std::make_shared<PlatformAMDGPU>();
  return nullptr;
}

std::vector<ArchSpec>
PlatformAMDGPU::GetSupportedArchitectures(const ArchSpec &process_host_arch) {
  return m_architectures;
}

size_t
PlatformAMDGPU::GetSoftwareBreakpointTrapOpcode(Target &target,
                                                BreakpointSite *bp_site) {
  // The server inserts breakpoints through the debug library, which knows the
  // GPU; LLDB only needs the size, and hides these bytes from reads.
  const ::wavelane::gpu::Processor *processor =
      GetProcessor(target.GetArchitecture());
  uint8_t trap[4];
  llvm::support::endian::write32le(
      trap, processor ? processor->family().TrapWord
                      : ::wavelane::gpu::Family{}.TrapWord);
  return bp_site->SetTrapOpcode(trap, sizeof(trap)) ? sizeof(trap) : 0;
}

ProcessSP PlatformAMDGPU::Attach(ProcessAttachInfo &attach_info,
                                 Debugger &debugger, Target *target,
                                 Status &error) {
  error = Status::FromErrorString(
      "a GPU target comes with its host program: attach to "
      "the program in a host target");
  return nullptr;
}

const UnixSignalsSP &PlatformAMDGPU::GetRemoteUnixSignals() {
  // A wave's fault is reported with the host's signal number.
  static const UnixSignalsSP g_signals_sp =
      UnixSignals::Create(ArchSpec("x86_64-unknown-linux-gnu"));
  return g_signals_sp;
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
  return MakeArchitecture(processor);
}
