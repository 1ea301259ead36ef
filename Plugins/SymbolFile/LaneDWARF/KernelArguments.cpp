//===-- KernelArguments.cpp -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelArguments.h"
#include "lldb/Core/Section.h"
#include "lldb/Symbol/ObjectFile.h"
#include "lldb/Utility/DataExtractor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace msgpack = llvm::msgpack;

/// \return nullopt unless the node is a non-negative number.
static std::optional<uint64_t> GetNumber(msgpack::MapDocNode &map,
                                         llvm::StringRef key) {
  auto found = map.find(key);
  if (found == map.end())
    return std::nullopt;
  msgpack::DocNode &node = found->second;
  // Small numbers are parsed as signed.
  if (node.getKind() == msgpack::Type::Int && node.getInt() >= 0)
    return uint64_t(node.getInt());
  if (node.getKind() == msgpack::Type::UInt)
    return node.getUInt();
  return std::nullopt;
}

static llvm::StringRef GetText(msgpack::MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  return found != map.end() && found->second.isString()
             ? found->second.getString()
             : llvm::StringRef();
}

static std::optional<KernelArguments> ReadArguments(msgpack::MapDocNode &map) {
  KernelArguments arguments;
  auto found = map.find(".args");
  if (found == map.end())
    return arguments;
  if (!found->second.isArray())
    return std::nullopt;
  for (msgpack::DocNode node : found->second.getArray()) {
    if (!node.isMap())
      return std::nullopt;
    msgpack::MapDocNode &argument = node.getMap();
    std::optional<uint64_t> offset = GetNumber(argument, ".offset");
    std::optional<uint64_t> size = GetNumber(argument, ".size");
    if (!offset || !size)
      return std::nullopt;
    if (!GetText(argument, ".value_kind").starts_with("hidden_"))
      arguments.push_back({*offset, *size});
  }
  return arguments;
}

using Visit = llvm::function_ref<void(msgpack::MapDocNode &kernel)>;

static void ReadMetadata(llvm::StringRef blob, Visit visit) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return;
  msgpack::MapDocNode &root = document.getRoot().getMap();
  auto found = root.find("amdhsa.kernels");
  if (found == root.end() || !found->second.isArray())
    return;
  for (msgpack::DocNode node : found->second.getArray()) {
    if (node.isMap())
      visit(node.getMap());
  }
}

static void ForEachKernel(ObjectFile &object_file, Visit visit) {
  SectionList *sections = object_file.GetSectionList();
  SectionSP notes_sp =
      sections ? sections->FindSectionByName(ConstString(".note")) : nullptr;
  lldb_private::DataExtractor data;
  if (!notes_sp || !object_file.ReadSectionData(notes_sp.get(), data))
    return;
  for (offset_t at = 0; data.ValidOffsetForDataOfSize(at, 12);) {
    const uint32_t name_size = data.GetU32(&at);
    const uint32_t size = data.GetU32(&at);
    const uint32_t type = data.GetU32(&at);
    const char *name = data.PeekCStr(at);
    at += llvm::alignTo<4>(uint64_t(name_size));
    if (!data.ValidOffsetForDataOfSize(at, size))
      break;
    if (type == llvm::ELF::NT_AMDGPU_METADATA && name &&
        llvm::StringRef(name) == "AMDGPU")
      ReadMetadata(llvm::toStringRef(data.GetData().slice(at, size)), visit);
    at += llvm::alignTo<4>(uint64_t(size));
  }
}

llvm::StringMap<KernelArguments>
lldb_private::wavelane::ReadKernelArguments(ObjectFile &object_file) {
  llvm::StringMap<KernelArguments> kernels;
  ForEachKernel(object_file, [&](msgpack::MapDocNode &kernel) {
    if (std::optional<KernelArguments> arguments = ReadArguments(kernel))
      kernels[GetText(kernel, ".name")] = std::move(*arguments);
  });
  return kernels;
}

llvm::StringMap<KernelMemory>
lldb_private::wavelane::ReadKernelMemory(ObjectFile &object_file) {
  llvm::StringMap<KernelMemory> kernels;
  ForEachKernel(object_file, [&](msgpack::MapDocNode &kernel) {
    KernelMemory memory;
    memory.local = GetNumber(kernel, ".group_segment_fixed_size").value_or(0);
    memory.private_memory =
        GetNumber(kernel, ".private_segment_fixed_size").value_or(0);
    memory.largest_workgroup =
        GetNumber(kernel, ".max_flat_workgroup_size").value_or(1);
    kernels[GetText(kernel, ".name")] = memory;
  });
  return kernels;
}

llvm::StringMap<uint64_t>
lldb_private::wavelane::ReadWorkgroupLimits(ObjectFile &object_file) {
  llvm::StringMap<uint64_t> kernels;
  ForEachKernel(object_file, [&](msgpack::MapDocNode &kernel) {
    if (std::optional<uint64_t> limit =
            GetNumber(kernel, ".max_flat_workgroup_size"))
      kernels[GetText(kernel, ".name")] = *limit;
  });
  return kernels;
}
