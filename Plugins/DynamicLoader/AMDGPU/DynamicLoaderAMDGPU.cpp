//===-- DynamicLoaderAMDGPU.cpp -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DynamicLoaderAMDGPU.h"
#include "Core/Support/Processor.h"
#include "Process/AMDGPU/HostCoupling.h"
#include "Process/AMDGPU/JSONPackets.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "StructLayouts.h"
#include "wavelane/Formats/CoreFile/LoadedImage.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "Core/Support/CodeObjectModule.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Target/Target.h"
#include "llvm/Support/Path.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

// A code object with a larger size is an error.
static constexpr uint64_t kMaxCodeObject = uint64_t(4) << 30;

void DynamicLoaderAMDGPU::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Code objects loaded on AMD GPUs.",
                                CreateInstance);
}

DynamicLoader *DynamicLoaderAMDGPU::CreateInstance(Process *process,
                                                   bool force) {
  if (auto *gpu = dynamic_cast<ProcessAMDGPU *>(process))
    return new DynamicLoaderAMDGPU(*gpu);
  return nullptr;
}

DynamicLoaderAMDGPU::DynamicLoaderAMDGPU(ProcessAMDGPU &process)
    : DynamicLoader(&process), m_gpu(process) {
  // Left over from an earlier run.
  Target &target = process.GetTarget();
  ModuleList old(target.GetImages());
  if (old.GetSize()) {
    target.GetImages().Remove(old);
    target.ModulesDidUnload(old, /*delete_locations=*/true);
    target.ClearAllLoadedSections();
  }
}

Status DynamicLoaderAMDGPU::CanLoadImage() {
  return Status::FromErrorString(
      "code objects are loaded by the program, not by the debugger");
}

void DynamicLoaderAMDGPU::DidAttach() { Refresh(); }

std::string DynamicLoaderAMDGPU::Object::GetKey() const {
  return llvm::formatv("{0}@{1:x}", path, load_address).str();
}

/// Unusual characters are written as %xx.
static std::string DecodePercents(llvm::StringRef text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte;
    if (text[i] == '%' && !text.substr(i + 1, 2).getAsInteger(16, byte) &&
        i + 2 < text.size()) {
      decoded.push_back(byte);
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

DynamicLoaderAMDGPU::Object DynamicLoaderAMDGPU::MakeObject(
    const ::wavelane::protocol::AcceleratorLibrary &library) {
  Object object;
  object.path = library.Path;
  object.load_address = library.LoadAddress.value_or(0);
  object.memory_address = library.MemoryAddress;
  object.memory_size = library.MemorySize;
  object.file_offset = library.FileOffset;
  object.file_size = library.FileSize;
  object.loaded_image = library.LoadedImage;
  object.warning = library.Warning.value_or("");

  // A URI: <scheme>://<path>#offset=<n>&size=<n>, numbers in decimal or with
  // 0x.
  auto [place, arguments] = llvm::StringRef(object.path).split('#');
  std::optional<uint64_t> offset, size;
  while (!arguments.empty()) {
    llvm::StringRef argument;
    std::tie(argument, arguments) = arguments.split('&');
    auto [key, value] = argument.split('=');
    uint64_t number;
    if (key == "name")
      object.name = llvm::sys::path::filename(DecodePercents(value)).str();
    if (value.getAsInteger(0, number))
      continue;
    if (key == "offset")
      offset = number;
    else if (key == "size")
      size = number;
  }
  if (place.consume_front("memory://")) {
    if (!object.memory_address)
      object.memory_address = offset;
    if (!object.memory_size)
      object.memory_size = size;
  } else if (place.consume_front("file://")) {
    object.path = DecodePercents(place);
    if (!object.file_offset)
      object.file_offset = offset;
    if (!object.file_size)
      object.file_size = size;
  }
  return object;
}

llvm::Expected<std::shared_ptr<DataBufferHeap>>
DynamicLoaderAMDGPU::ReadMemory(uint64_t address, uint64_t size) {
  if (size == 0 || size > kMaxCodeObject)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "its size, %" PRIu64 ", is implausible",
                                   size);
  auto data_sp = std::make_shared<DataBufferHeap>(size, 0);
  Status error;
  if (m_gpu.ReadMemoryFromInferior(address, data_sp->GetBytes(), size, error) !=
      size)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(), "memory at 0x%" PRIx64 ": %s", address,
        error.AsCString("fewer bytes than asked for"));
  return data_sp;
}

std::string DynamicLoaderAMDGPU::MakeName(const Object &object) {
  std::string stem;
  // A module's own file; or that of the program or library that contains the
  // code object.
  std::string extension = ".co";
  if (!object.name.empty()) {
    stem = llvm::sys::path::stem(object.name).str();
    extension = llvm::sys::path::extension(object.name).str();
  } else if (!object.memory_address && !object.loaded_image)
    stem = llvm::sys::path::filename(object.path).str();
  if (stem.empty())
    if (std::shared_ptr<HostCoupling> coupling_sp = m_gpu.GetCoupling())
      if (TargetSP host_sp = coupling_sp->GetHostTarget())
        if (Module *module = host_sp->GetExecutableModulePointer())
          stem = module->GetFileSpec().GetFilename().GetString();
  if (stem.empty())
    stem = "code-object";
  const unsigned number = m_made[stem + extension]++;
  if (number)
    stem += llvm::formatv(".{0}", number).str();
  return stem + extension;
}

llvm::Expected<ModuleSP> DynamicLoaderAMDGPU::MakeModule(const Object &object) {
  std::shared_ptr<DataBuffer> data_sp;
  FileSpec name, source;
  if (object.loaded_image) {
    auto image = ::wavelane::corefile::rebuildImage(
        object.load_address,
        [this](uint64_t address, void *buffer, size_t size) {
          Status error;
          return m_gpu.ReadMemoryFromInferior(address, buffer, size, error);
        });
    if (!image)
      return image.takeError();
    data_sp = std::make_shared<DataBufferHeap>(image->data(), image->size());
  } else if (object.memory_address && object.memory_size) {
    auto data = ReadMemory(*object.memory_address, *object.memory_size);
    if (!data)
      return data.takeError();
    data_sp = *data;
  } else {
    FileSpec file(object.path);
    source = file;
    const uint64_t offset = object.file_offset.value_or(0);
    const uint64_t file_size = FileSystem::Instance().GetByteSize(file);
    const uint64_t size =
        object.file_size.value_or(file_size > offset ? file_size - offset : 0);
    if (offset > file_size || size > file_size - offset || size == 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no %" PRIu64 " bytes at offset %" PRIu64
                                     " of a file of %" PRIu64,
                                     size, offset, file_size);
    // Copy it, so rebuilding the program meanwhile does no harm.
    data_sp =
        FileSystem::Instance().CreateWritableDataBuffer(file, size, offset);
    if (!data_sp || data_sp->GetByteSize() != size)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the file can't be read");
    if (offset == 0 && size == file_size)
      name = file;
  }

  ModuleSpecList found;
  if (ObjectFile::GetModuleSpecifications(FileSpec(), 0, data_sp->GetByteSize(),
                                          found, data_sp) == 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "it isn't an ELF file");
  ModuleSpec first;
  found.GetModuleSpecAtIndex(0, first);
  if (first.GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "it has no AMD GPU code");
  if (!name)
    name = FileSpec(MakeName(object));
  ModuleSpec spec(name, UUID(), data_sp);
  auto module_sp = std::make_shared<CodeObjectModule>(spec, source);
  if (!module_sp->GetObjectFile())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "LLDB can't read the ELF file");
  return module_sp;
}

void DynamicLoaderAMDGPU::Refresh() {
  Target &target = m_gpu.GetTarget();
  auto report = [&](llvm::StringRef what, llvm::Error error) {
    Debugger::ReportWarning(
        llvm::formatv("{0}: {1}", what, llvm::toString(std::move(error))).str(),
        target.GetDebugger().GetID());
  };
  auto response = AskServer<::wavelane::protocol::AcceleratorLibraries>(
      m_gpu.GetGDBRemote(), ::wavelane::server::packets::AcceleratorLibraryInfo,
      toJSON(::wavelane::protocol::AcceleratorLibraryRequest{
          ::wavelane::server::packets::PluginName, /*Full=*/true}));
  if (!response) {
    report("can't list GPU code objects", response.takeError());
    return;
  }

  std::map<std::string, ModuleSP> loaded;
  ModuleList added;
  for (const ::wavelane::protocol::AcceleratorLibrary &library :
       response->Libraries) {
    if (!library.Load)
      continue;
    const Object object = MakeObject(library);
    const std::string key = object.GetKey();
    auto known = m_loaded.find(key);
    if (known != m_loaded.end()) {
      loaded[key] = known->second;
      continue;
    }
    if (!object.warning.empty())
      Debugger::ReportWarning(object.warning, target.GetDebugger().GetID());
    llvm::Expected<ModuleSP> module = MakeModule(object);
    if (!module) {
      report(
          llvm::formatv("GPU code object {0} is left out", object.path).str(),
          module.takeError());
      loaded[key] = nullptr;
      continue;
    }
    // The code names its processor exactly. LLDB treats another processor as a
    // change of architecture, for which it forgets modules.
    const ArchSpec &arch = (*module)->GetArchitecture();
    if (!GetProcessor(target.GetArchitecture()) && GetProcessor(arch))
      target.SetArchitecture(arch, /*set_platform=*/false, /*merge=*/false);
    bool changed = false;
    (*module)->SetLoadAddress(target, object.load_address,
                              /*value_is_offset=*/true, changed);
    target.GetImages().Append(*module, /*notify=*/false);
    added.Append(*module);
    loaded[key] = *module;
  }

  ModuleList removed;
  for (auto &[key, module_sp] : m_loaded)
    if (module_sp && !loaded.count(key))
      removed.Append(module_sp);
  m_loaded = std::move(loaded);
  if (added.GetSize() || removed.GetSize()) {
    ++m_changes;
    m_last_change.clear();
    for (const auto &[what, list] : {std::make_pair("loaded", &added),
                                     std::make_pair("unloaded", &removed)})
      for (const ModuleSP &module_sp : list->Modules())
        m_last_change +=
            llvm::formatv("{0}{1} {2}", m_last_change.empty() ? "" : ", ", what,
                          module_sp->GetFileSpec().GetFilename());
  }
  if (removed.GetSize()) {
    for (const ModuleSP &module_sp : removed.Modules())
      UnloadSections(module_sp);
    target.GetImages().Remove(removed);
    target.ModulesDidUnload(removed, /*delete_locations=*/false);
  }
  if (added.GetSize()) {
    target.ModulesDidLoad(added);
    CheckStructs(added);
  }
}

void DynamicLoaderAMDGPU::CheckStructs(const ModuleList &added) {
  std::shared_ptr<HostCoupling> coupling_sp = m_gpu.GetCoupling();
  TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  ModuleSP program_sp = host_sp ? host_sp->GetExecutableModule() : nullptr;
  if (!program_sp)
    return;
  for (const ModuleSP &module_sp : added.Modules())
    for (const std::string &text :
         FindLayoutMismatches(*module_sp, *program_sp, m_reported_structs))
      Debugger::ReportWarning(text, host_sp->GetDebugger().GetID());
}
