# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D FILE=<file> -D LLVM=<LLVM's folder of libraries> -P SetRunpath.cmake
# Sets where the dynamic linker looks for a file's libraries. LLDB's build leaves empty folders at the end, which mean the current one.
file(RPATH_SET FILE ${FILE} NEW_RPATH "$ORIGIN/../lib:${LLVM}")
