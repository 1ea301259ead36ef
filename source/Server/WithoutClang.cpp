//===-- WithoutClang.cpp - What LLDB's libraries ask clang for ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server needs no compiler. LLDB's libraries ask clang for its version and
// for the folder of its modules, which a server has no use for. Without
// libclang-cpp, AMD's debugger library can bring a clang of its own: two of
// them register the same options with one libLLVM, which ends the process.

#include <clang/Basic/Version.h>
#include <clang/Driver/Driver.h>

std::string clang::getLLVMRevision() { return {}; }

std::string clang::getClangRevision() { return {}; }

bool clang::driver::Driver::getDefaultModuleCachePath(
    llvm::SmallVectorImpl<char> &) {
  return false;
}
