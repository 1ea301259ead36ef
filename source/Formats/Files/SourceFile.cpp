//===-- SourceFile.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/Files/SourceFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

std::string wavelane::files::findSourceFolder(StringRef Name,
                                              StringRef Program) {
  if (Name.empty() || sys::path::is_absolute(Name))
    return std::string();
  const StringRef Beside = sys::path::parent_path(Program);
  for (const StringRef Relative : {Beside, StringRef()}) {
    SmallString<256> Folder(Relative);
    if (Folder.empty() ? sys::fs::current_path(Folder)
                       : sys::fs::make_absolute(Folder))
      continue;
    SmallString<256> Path(Folder);
    sys::path::append(Path, Name);
    if (sys::fs::is_regular_file(Path))
      return Folder.str().str();
  }
  return std::string();
}

std::string wavelane::files::findSource(StringRef Name, StringRef Program) {
  const std::string Folder = findSourceFolder(Name, Program);
  if (Folder.empty())
    return Name.str();
  SmallString<256> Path(Folder);
  sys::path::append(Path, Name);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}
