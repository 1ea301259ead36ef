//===-- DisassemblerAMDGPU.h - amdgcn code through LLVM MC ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_DISASSEMBLER_AMDGPU_DISASSEMBLERAMDGPU_H
#define WAVELANE_PLUGINS_DISASSEMBLER_AMDGPU_DISASSEMBLERAMDGPU_H

#include "lldb/Core/Disassembler.h"

#include <memory>

namespace lldb_private {
namespace wavelane {

class AMDGPUMachineCode;

/// Disassembles amdgcn code. LLDB's own disassembler gives LLVM no processor
/// for amdgcn, on which LLVM aborts; so this one is asked first.
class DisassemblerAMDGPU : public Disassembler {
public:
  DisassemblerAMDGPU(const ArchSpec &arch, const char *flavor);
  ~DisassemblerAMDGPU() override;

  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "llvm-mc-amdgpu"; }
  static lldb::DisassemblerSP CreateInstance(const ArchSpec &arch,
                                             const char *flavor,
                                             const char *cpu,
                                             const char *features);

  size_t DecodeInstructions(const Address &base_addr, const DataExtractor &data,
                            lldb::offset_t data_offset, size_t num_instructions,
                            bool append, bool data_from_file) override;

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

protected:
  bool FlavorValidForArchSpec(const ArchSpec &arch,
                              const char *flavor) override;

private:
  std::shared_ptr<AMDGPUMachineCode> m_code_sp;
};

} // namespace wavelane
} // namespace lldb_private

#endif
