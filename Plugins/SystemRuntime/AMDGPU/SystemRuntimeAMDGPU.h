//===-- SystemRuntimeAMDGPU.h - how a GPU comes to a process ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_SYSTEMRUNTIME_AMDGPU_SYSTEMRUNTIMEAMDGPU_H
#define WAVELANE_PLUGINS_SYSTEMRUNTIME_AMDGPU_SYSTEMRUNTIMEAMDGPU_H

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Target/SystemRuntime.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <utility>

namespace lldb_private {
namespace wavelane {

class ProcessGPUHost;

/// The client's part of the protocol about a program's GPU runtime, with
/// upstream LLDB's packets: the server names host functions, the client sets
/// breakpoints there and reports hits, and performs the actions in the answers:
/// connect to the GPU, read its modules again.
class SystemRuntimeAMDGPU : public SystemRuntime {
public:
  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static SystemRuntime *CreateInstance(Process *process);

  explicit SystemRuntimeAMDGPU(ProcessGPUHost &process);
  ~SystemRuntimeAMDGPU() override;

  void DidAttach() override { Start(); }
  void DidLaunch() override { Start(); }
  void ModulesDidLoad(const ModuleList &module_list) override;
  void Detach() override { Clear(); }
  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

private:
  void Start();
  void Clear();
  void Perform(const ::wavelane::protocol::AcceleratorActions &actions);
  /// Says which GPU a program is on that has code for several.
  void ReportChoice(llvm::StringRef processor);
  void SetBreakpoint(const std::string &plugin_name,
                     const ::wavelane::protocol::AcceleratorBreakpoint &wanted);
  void Report(llvm::StringRef what, llvm::Error error);

  struct Baton {
    std::string plugin_name;
    ::wavelane::protocol::AcceleratorBreakpoint breakpoint;
  };
  static bool BreakpointHit(void *baton, StoppointCallbackContext *context,
                            lldb::user_id_t break_id,
                            lldb::user_id_t break_loc_id);
  bool HandleHit(const Baton &baton, lldb::user_id_t break_id);

  ProcessGPUHost &m_host;
  /// The reason why GPU debugging is off, for programs that need it.
  std::string m_refusal;
  /// By plugin and identifier.
  std::map<std::pair<std::string, int64_t>, lldb::break_id_t> m_breakpoints;
};

} // namespace wavelane
} // namespace lldb_private

#endif
