//===-- DynamicLoaderAMDGPU.h - code objects as modules ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_DYNAMICLOADER_AMDGPU_DYNAMICLOADERAMDGPU_H
#define WAVELANE_PLUGINS_DYNAMICLOADER_AMDGPU_DYNAMICLOADERAMDGPU_H

#include "lldb/Core/ModuleList.h"
#include "lldb/Target/DynamicLoader.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace lldb_private {
namespace wavelane {

class ProcessAMDGPU;

/// Asks the server which code objects the GPU has loaded, and creates modules
/// for them.
class DynamicLoaderAMDGPU : public DynamicLoader {
public:
  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "amdgpu"; }
  static DynamicLoader *CreateInstance(Process *process, bool force);

  explicit DynamicLoaderAMDGPU(ProcessAMDGPU &process);

  void DidAttach() override;
  void DidLaunch() override {}
  lldb::ThreadPlanSP GetStepThroughTrampolinePlan(Thread &thread,
                                                  bool stop_others) override {
    return nullptr;
  }
  Status CanLoadImage() override;
  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }

  /// Reads the list again. Modules that are gone are removed, new ones added,
  /// and breakpoints resolved. Unreadable ones are reported and left out.
  void Refresh();

  /// How often code objects have been loaded or unloaded, and the last change.
  unsigned GetChanges() const { return m_changes; }
  const std::string &GetLastChange() const { return m_last_change; }

private:
  /// A code object as the server describes it.
  struct Object {
    std::string path; ///< A URI (file://, memory://) or a path.
    /// The file that the program read it from; empty if that isn't known.
    std::string name;
    uint64_t load_address = 0;
    std::optional<uint64_t> memory_address;
    std::optional<uint64_t> memory_size;
    std::optional<uint64_t> file_offset;
    std::optional<uint64_t> file_size;
    bool loaded_image = false; ///< Its file is missing, or another one.
    std::string warning;       ///< For the user, or empty.
    std::string GetKey() const;
  };
  static Object
  MakeObject(const ::wavelane::protocol::AcceleratorLibrary &library);
  llvm::Expected<lldb::ModuleSP> MakeModule(const Object &object);
  llvm::Expected<std::shared_ptr<DataBufferHeap>> ReadMemory(uint64_t address,
                                                             uint64_t size);
  /// The name of a module without its own file, after the file or program that
  /// contains it: "saxpy.co", "libsparse.so.1.co". Further ones from the same
  /// file have a number: "saxpy.1.co".
  std::string MakeName(const Object &object);
  /// Warns of structs that host and kernels know differently.
  void CheckStructs(const ModuleList &added);

  ProcessAMDGPU &m_gpu;
  std::map<std::string, lldb::ModuleSP> m_loaded;
  unsigned m_changes = 0;
  std::string m_last_change;
  /// How many names were created, by their first part.
  std::map<std::string, unsigned> m_made;
  std::set<std::string> m_reported_structs;
};

} // namespace wavelane
} // namespace lldb_private

#endif
