# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What was compiled once, in this folder or in another clone at the same path, is taken from ccache's store, if ccache is installed.
# A precompiled header has no times in it then.
option(WAVELANE_CCACHE "Compile through ccache, if it is installed" ON)
if(wavelane_ccache AND NOT EXISTS ${wavelane_ccache})
  unset(wavelane_ccache CACHE) # It was removed since then.
endif()
find_program(wavelane_ccache ccache)
if(WAVELANE_CCACHE AND wavelane_ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${wavelane_ccache})
  add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
