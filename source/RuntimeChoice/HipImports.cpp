//===-- HipImports.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipImports.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace wavelane::runtimechoice {

/// Calls \a Do with the names of the dynamic symbols that a file defines, or of
/// those that it imports.
static void forEachSymbol(StringRef Path, bool AreImports,
                          function_ref<void(StringRef)> Do) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return;
  auto File = object::ELF64LEObjectFile::create(**Buffer);
  if (!File)
    return consumeError(File.takeError());
  for (const object::ELFSymbolRef &Symbol : File->getDynamicSymbolIterators()) {
    auto Name = expectedToOptional(Symbol.getName());
    auto Flags = expectedToOptional(Symbol.getFlags());
    if (Name && Flags &&
        AreImports == bool(*Flags & object::SymbolRef::SF_Undefined))
      Do(*Name);
  }
}

static StringSet<> exports(StringRef Path) {
  StringSet<> Names;
  forEachSymbol(Path, /*AreImports=*/false,
                [&](StringRef Name) { Names.insert(Name); });
  return Names;
}

std::optional<HipImport> findUnsupported(ArrayRef<std::string> Files,
                                         StringRef Theirs, StringRef Ours) {
  StringSet<> Lacking = exports(Theirs);
  const StringSet<> Own = exports(Ours);
  if (Own.empty())
    return std::nullopt;
  for (const auto &Name : Own)
    Lacking.erase(Name.getKey());
  static const StringRef Refused[] = {
#define WAVELANE_HIP_UNSUPPORTED(Name) #Name,
#include "wavelane/RuntimeChoice/UnsupportedHip.def"
  };
  for (StringRef Name : Refused)
    Lacking.insert(Name);
  std::optional<HipImport> Found;
  for (const std::string &File : Files) {
    forEachSymbol(File, /*AreImports=*/true, [&](StringRef Name) {
      if (!Found && Lacking.contains(Name))
        Found = HipImport{Name.str(), File};
    });
    if (Found)
      break;
  }
  return Found;
}

} // namespace wavelane::runtimechoice
