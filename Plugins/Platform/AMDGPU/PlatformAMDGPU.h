//===-- PlatformAMDGPU.h - where GPU targets live ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_PLATFORM_AMDGPU_PLATFORMAMDGPU_H
#define WAVELANE_PLUGINS_PLATFORM_AMDGPU_PLATFORMAMDGPU_H

#include "lldb/Target/Platform.h"

namespace lldb_private {
namespace wavelane {

/// The platform of amdgcn targets. It can't launch or attach: its processes
/// come with the host program that uses the GPU.
class PlatformAMDGPU : public Platform {
public:
  PlatformAMDGPU();

  static void Initialize();
  /// The architecture of "amdgcn-amd-amdhsa" with the processor from a server:
  /// "gfx90a", as a fourth part of the triple or by itself.
  static ArchSpec MakeArch(llvm::StringRef triple, llvm::StringRef processor);
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static lldb::PlatformSP CreateInstance(bool force, const ArchSpec *arch);

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }
  llvm::StringRef GetDescription() override {
    return "Waves and code objects of an AMD GPU.";
  }
  bool IsConnected() const override { return true; }
  std::vector<ArchSpec>
  GetSupportedArchitectures(const ArchSpec &process_host_arch) override;
  size_t GetSoftwareBreakpointTrapOpcode(Target &target,
                                         BreakpointSite *bp_site) override;
  bool CanDebugProcess() override { return false; }
  lldb::ProcessSP Attach(ProcessAttachInfo &attach_info, Debugger &debugger,
                         Target *target, Status &error) override;
  void CalculateTrapHandlerSymbolNames() override {}
  UserIDResolver &GetUserIDResolver() override;
  const lldb::UnixSignalsSP &GetRemoteUnixSignals() override;

private:
  std::vector<ArchSpec> m_architectures;
};

} // namespace wavelane
} // namespace lldb_private

#endif
