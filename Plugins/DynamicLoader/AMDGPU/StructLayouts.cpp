//===-- StructLayouts.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StructLayouts.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Symtab.h"
#include "lldb/Symbol/Type.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;

// A library of kernels isn't searched: it would take seconds.
static constexpr size_t kMaxKernels = 256;

/// The names of the kernels: each has a descriptor, "NAME.kd".
static std::vector<ConstString> GetKernels(Module &gpu) {
  std::vector<ConstString> kernels;
  Symtab *symtab = gpu.GetSymtab();
  for (size_t i = 0; symtab && i < symtab->GetNumSymbols(); ++i) {
    llvm::StringRef name =
        symtab->SymbolAtIndex(i)->GetMangled().GetMangledName().GetStringRef();
    if (name.consume_back(".kd"))
      kernels.push_back(ConstString(name));
  }
  return kernels;
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

/// The size of the struct of this name in \a host; 0 if there is none, or if
/// there are several.
static uint64_t FindHostSize(Module &host, llvm::StringRef name) {
  TypeResults results;
  host.FindTypes(TypeQuery(name, TypeQueryOptions::e_exact_match), results);
  uint64_t found = 0;
  for (const TypeSP &type_sp : results.GetTypeMap().Types()) {
    const uint64_t size = GetSize(type_sp->GetFullCompilerType());
    if (found && size != found)
      return 0;
    found = size;
  }
  return found;
}

std::vector<std::string>
wavelane::FindLayoutMismatches(Module &gpu, Module &host,
                               std::set<std::string> &reported) {
  std::vector<std::string> found;
  const std::vector<ConstString> kernels = GetKernels(gpu);
  if (kernels.size() > kMaxKernels)
    return found;
  for (ConstString kernel : kernels) {
    SymbolContextList functions;
    ModuleFunctionSearchOptions options;
    options.include_symbols = false;
    options.include_inlines = false;
    gpu.FindFunctions(kernel, CompilerDeclContext(), eFunctionNameTypeFull,
                      options, functions);
    SymbolContext context;
    if (!functions.GetContextAtIndex(0, context) || !context.function)
      continue;
    const CompilerType type = context.function->GetCompilerType();
    const int count = type.GetFunctionArgumentCount();
    for (int i = 0; i < count; ++i) {
      const CompilerType argument =
          GetStruct(type.GetFunctionArgumentTypeAtIndex(i));
      if (!argument)
        continue;
      const std::string name = argument.GetTypeName().GetString();
      const uint64_t size = GetSize(argument);
      const uint64_t host_size =
          size && !reported.count(name) ? FindHostSize(host, name) : 0;
      if (!host_size || host_size == size)
        continue;
      reported.insert(name);
      found.push_back(llvm::formatv(
          "struct {0}, which kernel {1} takes, has {2} bytes in "
          "the GPU's code and {3} in the host's: the two were "
          "compiled from different definitions",
          name, context.function->GetNameNoArguments(), size, host_size));
    }
  }
  return found;
}
