//===-- ShortFiles.h - mapped files that become shorter ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_DEVICE_SHORTFILES_H
#define WAVELANE_SIMULATOR_DEVICE_SHORTFILES_H

namespace wavelane::simulator {

/// From now on, pages of mapped files that are beyond the file's end are zeros
/// for this process, and it says so once. A program may truncate a file that it
/// shares with its GPU at any time, and a core file may be overwritten.
void surviveShortFiles();

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_SHORTFILES_H
