//===-- SourceFiles.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceFiles.h"

#include "lldb/Host/FileSystem.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;
using namespace lldb_private;

namespace {
/// LLDB reads a source file if it has a time of modification. Here, those that
/// can't be source files have none.
class SourceFileSystem : public vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  ErrorOr<vfs::Status> status(const Twine &path) override {
    ErrorOr<vfs::Status> found = ProxyFileSystem::status(path);
    if (!found || found->isDirectory() ||
        (found->isRegularFile() &&
         (found->getSize() <= ::wavelane::files::MostBytes || IsObject(path))))
      return found;
    return vfs::Status(found->getName(), found->getUniqueID(),
                       sys::TimePoint<>(), found->getUser(), found->getGroup(),
                       found->getSize(), found->getType(),
                       found->getPermissions());
  }

private:
  /// A program or a core, which LLDB knows by its time, too.
  static bool IsObject(const Twine &path) {
    file_magic magic;
    // Zeros are objects of another format to LLVM.
    return !identify_magic(path, magic) &&
           (magic == file_magic::archive ||
            (magic >= file_magic::elf && magic <= file_magic::elf_core));
  }
};
} // namespace

void lldb_private::wavelane::LimitSourceFiles() {
  auto files = FileSystem::Instance().GetVirtualFileSystem();
  FileSystem::Terminate();
  FileSystem::Initialize(IntrusiveRefCntPtr<vfs::FileSystem>(
      makeIntrusiveRefCnt<SourceFileSystem>(std::move(files))));
}
