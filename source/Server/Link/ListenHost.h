//===-- ListenHost.h - Where a server listens -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SERVER_LINK_LISTENHOST_H
#define WAVELANE_SERVER_LINK_LISTENHOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace wavelane::server {

/// The host part of the address at which the arguments make LLDB's server
/// listen, empty if there is none; \p separate are names of options whose
/// value is an argument of its own. It is the value of one of \p options, or if
/// there are none, the first argument that isn't an option.
std::string FindHost(llvm::ArrayRef<const char *> arguments,
                     llvm::ArrayRef<llvm::StringRef> separate,
                     llvm::ArrayRef<llvm::StringRef> options);

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LINK_LISTENHOST_H
