//===-- RegularFiles.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegularFiles.h"

using namespace llvm;
using namespace wavelane::source;

namespace {
class RegularFiles : public vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  ErrorOr<vfs::Status> status(const Twine &Path) override {
    ErrorOr<vfs::Status> Found = ProxyFileSystem::status(Path);
    if (Found && !Found->isRegularFile() && !Found->isDirectory())
      return std::make_error_code(std::errc::no_such_file_or_directory);
    return Found;
  }

  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    ErrorOr<vfs::Status> Found = status(Path);
    if (!Found)
      return Found.getError();
    return ProxyFileSystem::openFileForRead(Path);
  }
};
} // namespace

IntrusiveRefCntPtr<vfs::FileSystem> wavelane::source::makeRegularFiles() {
  return makeIntrusiveRefCnt<RegularFiles>(IntrusiveRefCntPtr<vfs::FileSystem>(
      vfs::createPhysicalFileSystem().release()));
}
