//===-- StructLayouts.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StructLayouts.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Symbol.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Symbol/Type.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;

// A library of kernels isn't searched: it would take seconds.
static constexpr size_t kMaxKernels = 256;

/// The kernels: each has a descriptor, "NAME.kd".
static std::vector<Function *> GetKernels(Module &gpu) {
  std::vector<ConstString> names;
  Symtab *symtab = gpu.GetSymtab();
  for (size_t i = 0; symtab && i < symtab->GetNumSymbols(); ++i) {
    llvm::StringRef name = symtab->SymbolAtIndex(i)
                               ->GetMangled()
                               .GetName(Mangled::ePreferMangled)
                               .GetStringRef();
    if (name.consume_back(".kd"))
      names.push_back(ConstString(name));
  }
  std::vector<Function *> kernels;
  if (names.size() > kMaxKernels)
    return kernels;
  for (ConstString name : names) {
    // Of C functions, debug information has no linkage name to look for.
    const Symbol *code = symtab->FindFirstSymbolWithNameAndType(
        name, eSymbolTypeCode, Symtab::eDebugAny, Symtab::eVisibilityAny);
    Function *kernel =
        code ? code->GetAddress().CalculateSymbolContextFunction() : nullptr;
    if (kernel)
      kernels.push_back(kernel);
  }
  return kernels;
}

/// Its name without arguments; LLDB adds those of C functions.
static llvm::StringRef GetShortName(const Function &kernel) {
  const llvm::StringRef linked =
      kernel.GetMangled().GetMangledName().GetStringRef();
  return Mangled::GetManglingScheme(linked) == Mangled::eManglingSchemeNone &&
                 !linked.empty()
             ? linked
             : kernel.GetNameNoArguments().GetStringRef();
}

/// The struct that \a type is, or that it points to.
static CompilerType GetStruct(CompilerType type) {
  constexpr unsigned kMaxLevels = 8;
  for (unsigned level = 0; level < kMaxLevels; ++level) {
    type = type.GetCanonicalType().GetFullyUnqualifiedType();
    CompilerType inner;
    if (!type.IsPointerOrReferenceType(&inner) &&
        !type.IsArrayType(&inner, /*size=*/nullptr, /*is_incomplete=*/nullptr))
      break;
    type = inner;
  }
  const bool is_struct =
      (type.GetTypeInfo() & (eTypeIsStructUnion | eTypeIsClass)) != 0;
  return is_struct ? type : CompilerType();
}

/// 0 if it isn't known.
static uint64_t GetSize(CompilerType type) {
  type.GetCompleteType();
  llvm::Expected<uint64_t> size = type.GetByteSize(/*exe_scope=*/nullptr);
  if (size)
    return *size;
  llvm::consumeError(size.takeError());
  return 0;
}

/// The struct of this name in \a host; none if there are several.
static CompilerType FindHostStruct(Module &host, llvm::StringRef name) {
  TypeResults results;
  host.FindTypes(TypeQuery(name, TypeQueryOptions::e_exact_match), results);
  CompilerType found;
  for (const TypeSP &type_sp : results.GetTypeMap().Types()) {
    const CompilerType type = type_sp->GetFullCompilerType();
    if (found && GetSize(type) != GetSize(found))
      return CompilerType();
    found = type;
  }
  return found;
}

/// Where the members of a struct are, by name, in bits.
static llvm::StringMap<uint64_t> GetOffsets(CompilerType type) {
  llvm::StringMap<uint64_t> offsets;
  for (uint32_t i = 0; i < type.GetNumFields(); ++i) {
    std::string name;
    uint64_t bit = 0;
    type.GetFieldAtIndex(i, name, &bit, nullptr, nullptr);
    if (!name.empty())
      offsets.try_emplace(name, bit);
  }
  return offsets;
}

/// How the two differ, as "has 8 bytes in the GPU's code and 24 in the host's";
/// empty if they don't.
static std::string DescribeMismatch(CompilerType gpu, CompilerType host) {
  const uint64_t gpu_size = GetSize(gpu), host_size = GetSize(host);
  if (!gpu_size || !host_size)
    return std::string();
  if (gpu_size != host_size)
    return llvm::formatv("has {0} bytes in the GPU's code and {1} in the "
                         "host's",
                         gpu_size, host_size);
  const llvm::StringMap<uint64_t> in_host = GetOffsets(host);
  for (uint32_t i = 0; i < gpu.GetNumFields(); ++i) {
    std::string name;
    uint64_t bit = 0;
    gpu.GetFieldAtIndex(i, name, &bit, nullptr, nullptr);
    const auto other = in_host.find(name);
    if (other != in_host.end() && other->second != bit)
      return llvm::formatv("has its member {0} at byte {1} in the GPU's code "
                           "and at byte {2} in the host's",
                           name, bit / 8, other->second / 8);
  }
  return std::string();
}

std::vector<std::string>
wavelane::FindLayoutMismatches(Module &gpu, Module &host,
                               std::set<std::string> &reported) {
  std::vector<std::string> found;
  for (Function *kernel : GetKernels(gpu)) {
    const CompilerType type = kernel->GetCompilerType();
    const int count = type.GetFunctionArgumentCount();
    for (int i = 0; i < count; ++i) {
      const CompilerType argument =
          GetStruct(type.GetFunctionArgumentTypeAtIndex(i));
      if (!argument)
        continue;
      const std::string name = argument.GetTypeName().GetString();
      if (reported.count(name))
        continue;
      const CompilerType in_host = FindHostStruct(host, name);
      const std::string mismatch =
          in_host ? DescribeMismatch(argument, in_host) : std::string();
      if (mismatch.empty())
        continue;
      reported.insert(name);
      found.push_back(llvm::formatv(
          "struct {0}, which kernel {1} takes, {2}: the two were compiled from "
          "different definitions",
          name, GetShortName(*kernel), mismatch));
    }
  }
  return found;
}
