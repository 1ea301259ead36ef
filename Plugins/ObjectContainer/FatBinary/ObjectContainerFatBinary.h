//===-- ObjectContainerFatBinary.h - offload bundles ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_PLUGINS_OBJECTCONTAINER_FATBINARY_OBJECTCONTAINERFATBINARY_H
#define WAVELANE_PLUGINS_OBJECTCONTAINER_FATBINARY_OBJECTCONTAINERFATBINARY_H

#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"

#include "lldb/Symbol/ObjectContainer.h"
#include "lldb/Utility/ArchSpec.h"
#include "lldb/Utility/FileSpec.h"

#include <optional>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {

/// An offload bundle: a file (or a part of one) with a code object for each GPU
/// that a program was compiled for, compressed or not. A code object is named
/// by the file and its target ID, "gfx90a:xnack+", like a member of an archive.
/// LLDB uses the first if none is named.
class ObjectContainerFatBinary : public ObjectContainer {
public:
  static void Initialize();
  static llvm::StringRef GetPluginNameStatic() { return "fat-binary"; }
  static ObjectContainer *
  CreateInstance(const lldb::ModuleSP &module_sp, lldb::DataBufferSP &data_sp,
                 lldb::offset_t data_offset, const FileSpec *file,
                 lldb::offset_t file_offset, lldb::offset_t length);
  static size_t GetModuleSpecifications(const FileSpec &file,
                                        lldb::DataBufferSP &data_sp,
                                        lldb::offset_t data_offset,
                                        lldb::offset_t file_offset,
                                        lldb::offset_t length,
                                        ModuleSpecList &specs);

  struct CodeObject {
    std::string target_id; ///< The target ID, "gfx90a:xnack+".
    lldb::ModuleSP module_sp;
  };
  /// The code objects in section .hip_fatbin of \a program: a program has a
  /// bundle for each of its source files. Read once. Unreadable bundles are
  /// left out.
  static std::vector<CodeObject> GetCodeObjects(Module &program);

  using ObjectContainer::ObjectContainer;

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }
  bool ParseHeader() override;
  size_t GetNumObjects() const override;
  size_t GetNumArchitectures() const override { return GetNumObjects(); }
  bool GetArchitectureAtIndex(uint32_t idx, ArchSpec &arch) const override;
  /// The code object that the module names, else the one for the module's
  /// processor, else the only one.
  lldb::ObjectFileSP GetObjectFile(const FileSpec *file) override;

private:
  /// The code objects for AMD GPUs.
  std::vector<::wavelane::offload::Entry> GetEntries() const;

  std::optional<::wavelane::offload::Bundle> m_bundle;
};

} // namespace wavelane
} // namespace lldb_private

#endif
