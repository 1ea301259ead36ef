//===-- ObjectContainerFatBinary.cpp --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectContainerFatBinary.h"
#include "Core/Support/Processor.h"

#include "Core/Support/CodeObjectModule.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleSpec.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Utility/DataBufferHeap.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"

#include <map>
#include <mutex>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace offload = ::wavelane::offload;

static llvm::StringRef ToString(llvm::ArrayRef<uint8_t> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

static DataBufferSP Copy(llvm::StringRef bytes) {
  return std::make_shared<DataBufferHeap>(bytes.data(), bytes.size());
}

/// A code object for an AMD GPU; others are the host's, empty, or of another
/// kind.
static bool IsCodeObject(const offload::Entry &entry) {
  return !entry.getTargetId().empty() && entry.Contents.starts_with("\x7f"
                                                                    "ELF");
}

/// All bytes of the bundle if \a data_sp begins like one: LLDB shows plugins
/// only the first bytes of a file.
static DataBufferSP GetBundle(const DataBufferSP &data_sp, offset_t data_offset,
                              const FileSpec &file, offset_t file_offset,
                              offset_t length) {
  if (!data_sp || data_offset > data_sp->GetByteSize())
    return nullptr;
  const llvm::StringRef bytes =
      ToString(data_sp->GetData()).drop_front(data_offset);
  if (!offload::isBundle(bytes))
    return nullptr;
  if (bytes.size() >= length)
    return data_offset ? Copy(bytes) : data_sp;
  return ObjectFile::MapFileData(file, length, file_offset);
}

void ObjectContainerFatBinary::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(),
                                "Offload bundles with code of AMD GPUs.",
                                CreateInstance, GetModuleSpecifications);
}

ObjectContainer *ObjectContainerFatBinary::CreateInstance(
    const ModuleSP &module_sp, DataBufferSP &data_sp, offset_t data_offset,
    const FileSpec *file, offset_t file_offset, offset_t length) {
  DataBufferSP bundle_sp = GetBundle(
      data_sp, data_offset, file ? *file : FileSpec(), file_offset, length);
  if (!bundle_sp)
    return nullptr;
  auto container_up = std::make_unique<ObjectContainerFatBinary>(
      module_sp, file, file_offset, bundle_sp->GetByteSize(), bundle_sp,
      /*data_offset=*/0);
  return container_up->ParseHeader() ? container_up.release() : nullptr;
}

size_t ObjectContainerFatBinary::GetModuleSpecifications(
    const FileSpec &file, DataBufferSP &data_sp, offset_t data_offset,
    offset_t file_offset, offset_t length, ModuleSpecList &specs) {
  DataBufferSP bundle_sp =
      GetBundle(data_sp, data_offset, file, file_offset, length);
  if (!bundle_sp)
    return 0;
  llvm::Expected<offload::Bundle> bundle =
      offload::Bundle::read(ToString(bundle_sp->GetData()));
  if (!bundle) {
    LLDB_LOG_ERROR(GetLog(LLDBLog::Modules), bundle.takeError(),
                   "offload bundle {1}: {0}", file.GetPath());
    return 0;
  }
  const size_t count = specs.GetSize();
  for (const offload::Entry &entry : bundle->entries()) {
    ModuleSpecList found;
    if (!IsCodeObject(entry) ||
        !ObjectFile::GetModuleSpecifications(file, 0, entry.Contents.size(),
                                             found, Copy(entry.Contents)))
      continue;
    ModuleSpec spec = found.GetModuleSpecRefAtIndex(0);
    spec.GetFileSpec() = file;
    spec.GetObjectName() = ConstString(entry.getTargetId());
    spec.SetObjectOffset(file_offset);
    specs.Append(spec);
  }
  return specs.GetSize() - count;
}

bool ObjectContainerFatBinary::ParseHeader() {
  llvm::Expected<offload::Bundle> bundle =
      offload::Bundle::read(ToString(m_extractor_sp->GetData()));
  if (!bundle) {
    LLDB_LOG_ERROR(GetLog(LLDBLog::Modules), bundle.takeError(),
                   "offload bundle {1}: {0}", m_file.GetPath());
    return false;
  }
  m_bundle = std::move(*bundle);
  return true;
}

std::vector<offload::Entry> ObjectContainerFatBinary::GetEntries() const {
  std::vector<offload::Entry> entries;
  if (m_bundle)
    llvm::copy_if(m_bundle->entries(), std::back_inserter(entries),
                  IsCodeObject);
  return entries;
}

size_t ObjectContainerFatBinary::GetNumObjects() const {
  return GetEntries().size();
}

bool ObjectContainerFatBinary::GetArchitectureAtIndex(uint32_t idx,
                                                      ArchSpec &arch) const {
  const std::vector<offload::Entry> entries = GetEntries();
  if (idx >= entries.size())
    return false;
  arch = MakeArchitecture(entries[idx].getTargetId());
  return true;
}

ObjectFileSP ObjectContainerFatBinary::GetObjectFile(const FileSpec *file) {
  ModuleSP module_sp = GetModule();
  if (!module_sp)
    return nullptr;
  std::vector<offload::Entry> entries = GetEntries();
  if (ConstString name = module_sp->GetObjectName())
    llvm::erase_if(entries, [&](const offload::Entry &entry) {
      return entry.getTargetId() != name.GetStringRef();
    });
  else if (const auto *processor = GetProcessor(module_sp->GetArchitecture()))
    llvm::erase_if(entries, [&](const offload::Entry &entry) {
      return GetProcessor(MakeArchitecture(entry.getTargetId())) != processor;
    });
  if (entries.size() != 1)
    return nullptr;
  const llvm::StringRef contents = entries.front().Contents;
  auto data_sp =
      std::make_shared<DataExtractor>(Copy(contents), eByteOrderLittle, 8);
  offset_t data_offset = 0;
  return ObjectFile::FindPlugin(module_sp, file, /*file_offset=*/0,
                                contents.size(), data_sp, data_offset);
}

/// The code objects of all bundles in a section.
static std::vector<ObjectContainerFatBinary::CodeObject>
ReadSection(llvm::StringRef section, const FileSpec &program) {
  std::vector<ObjectContainerFatBinary::CodeObject> objects;
  offload::readBundles(
      section, [&](uint64_t offset, llvm::Expected<offload::Bundle> bundle) {
        if (!bundle) {
          LLDB_LOG_ERROR(GetLog(LLDBLog::Modules), bundle.takeError(),
                         "offload bundle at {1:x} of .hip_fatbin in {2}: {0}",
                         offset, program.GetPath());
          return;
        }
        for (const offload::Entry &entry : bundle->entries()) {
          if (!IsCodeObject(entry))
            continue;
          auto module_sp = std::make_shared<CodeObjectModule>(
              ModuleSpec(
                  FileSpec(program.GetFilename().GetStringRef().str() + ".co"),
                  UUID(), Copy(entry.Contents)),
              program);
          if (module_sp->GetObjectFile())
            objects.push_back({entry.getTargetId().str(), module_sp});
        }
      });
  return objects;
}

std::vector<ObjectContainerFatBinary::CodeObject>
ObjectContainerFatBinary::GetCodeObjects(Module &program) {
  struct Known {
    ModuleWP program_wp;
    std::vector<CodeObject> objects;
  };
  static std::mutex &mutex = *new std::mutex;
  static auto &known = *new std::map<Module *, Known>;
  std::lock_guard<std::mutex> guard(mutex);
  for (auto it = known.begin(); it != known.end();)
    it = it->second.program_wp.expired() ? known.erase(it) : std::next(it);
  auto found = known.find(&program);
  if (found != known.end())
    return found->second.objects;
  Known &entry = known[&program];
  entry.program_wp = program.shared_from_this();
  SectionList *sections = program.GetSectionList();
  SectionSP section_sp =
      sections ? sections->FindSectionByName(ConstString(".hip_fatbin"))
               : nullptr;
  DataExtractor data;
  if (section_sp && section_sp->GetSectionData(data))
    entry.objects =
        ReadSection(ToString(data.GetData()), program.GetFileSpec());
  return entry.objects;
}
