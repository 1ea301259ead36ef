//===-- RelativeSources.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RelativeSources.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Target/Target.h"
#include "wavelane/Formats/Files/SourceFile.h"

using namespace lldb;
using namespace lldb_private;

static bool HasRelative(const PathMappingList &map) {
  ConstString from, to;
  for (size_t i = 0; map.GetPathsAtIndex(uint32_t(i), from, to); ++i)
    if (FileSpec(from.GetStringRef()).IsRelative())
      return true;
  return false;
}

void lldb_private::wavelane::MapRelativeSources(Target &target) {
  const ModuleSP program_sp = target.GetExecutableModule();
  PathMappingList &map = target.GetSourcePathMap();
  // All units of a program are compiled in one way: reading the first one is
  // fast.
  const CompUnitSP unit_sp = program_sp && program_sp->GetNumCompileUnits()
                                 ? program_sp->GetCompileUnitAtIndex(0)
                                 : nullptr;
  if (!unit_sp || HasRelative(map))
    return;
  const std::string folder = ::wavelane::files::findSourceFolder(
      unit_sp->GetPrimaryFile().GetPath(), program_sp->GetFileSpec().GetPath());
  if (!folder.empty())
    map.Append(".", folder, /*notify=*/true);
}

void lldb_private::wavelane::CopySourceMap(Target &from, Target &to) {
  PathMappingList &map = to.GetSourcePathMap();
  map.Clear(/*notify=*/false);
  map.Append(from.GetSourcePathMap(), /*notify=*/true);
}
