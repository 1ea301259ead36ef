# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler settings and the LLVM that all targets share.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

include(Ccache)

find_package(LLVM ${wavelane_llvm} REQUIRED CONFIG HINTS ${wavelane_llvm_folder}/lib/cmake/llvm)
add_compile_options(-Wall -Wextra -Werror)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
add_compile_definitions(_GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
add_link_options(-fuse-ld=lld -Wl,-z,defs)
if(WAVELANE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined -Wl,-z,undefs)
endif()
if(WAVELANE_FUZZ AND WAVELANE_FUZZ_COVERAGE)
  add_compile_options(-fsanitize=fuzzer-no-link -g1)
endif()
# wavelane_sanitize_threads(): what the current folder builds runs under ThreadSanitizer, where that is asked for. The runtime is a library:
# the plugin and programs around it share it, and LLDB isn't instrumented.
set(wavelane_threads)
if(WAVELANE_SANITIZE_THREADS)
  set(wavelane_threads -fsanitize=thread -shared-libsan)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-runtime-dir OUTPUT_VARIABLE wavelane_runtime_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
macro(wavelane_sanitize_threads)
  if(WAVELANE_SANITIZE_THREADS)
    add_compile_options(${wavelane_threads} -g1)
    add_link_options(${wavelane_threads} -Wl,-rpath,${wavelane_runtime_dir})
  endif()
endmacro()
# Loading libLLVM takes 10 ms, nearly all of it for relocations. Programs that start often have what they use of it in
# themselves: wavelane_static_llvm(TARGET). The libraries that they have in common with others link wavelane-llvm.
llvm_map_components_to_libnames(wavelane_llvm_parts AMDGPUDesc AMDGPUDisassembler AMDGPUInfo DebugInfoDWARF Object OrcJIT
  Support Symbolize X86AsmParser X86CodeGen X86Desc X86Info)
add_library(wavelane-llvm-parts INTERFACE)
target_link_libraries(wavelane-llvm-parts INTERFACE ${wavelane_llvm_parts})
add_library(wavelane-llvm INTERFACE)
target_link_libraries(wavelane-llvm INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:WAVELANE_STATIC_LLVM>>,wavelane-llvm-parts,LLVM>)
function(wavelane_static_llvm target)
  if(WAVELANE_SANITIZE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES WAVELANE_STATIC_LLVM ON)
  target_link_options(${target} PRIVATE -Wl,--gc-sections -Wl,--as-needed)
endfunction()
include_directories(${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/source)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS})
find_package(GTest REQUIRED)

# Headers that most files include take longer to parse than what follows them, and are compiled once: wavelane-common-headers
# for libraries over LLVM, wavelane-test-headers for unit tests.
file(WRITE ${CMAKE_BINARY_DIR}/common-headers.cpp.new "")
configure_file(${CMAKE_BINARY_DIR}/common-headers.cpp.new ${CMAKE_BINARY_DIR}/common-headers.cpp COPYONLY)
set(wavelane_common_headers
  <algorithm> <functional> <map> <memory> <mutex> <optional> <set> <string> <vector>
  <llvm/ADT/DenseMap.h> <llvm/ADT/StringExtras.h> <llvm/Support/Error.h> <llvm/Support/FileSystem.h>
  <llvm/Support/FormatVariadic.h> <llvm/Support/JSON.h> <llvm/Support/MemoryBuffer.h>)
add_library(wavelane-common-headers OBJECT ${CMAKE_BINARY_DIR}/common-headers.cpp)
target_precompile_headers(wavelane-common-headers PRIVATE ${wavelane_common_headers})
add_library(wavelane-test-headers OBJECT ${CMAKE_BINARY_DIR}/common-headers.cpp)
target_link_libraries(wavelane-test-headers PRIVATE GTest::gmock)
target_precompile_headers(wavelane-test-headers PRIVATE ${wavelane_common_headers} <gtest/gtest.h> <gmock/gmock.h>)
# As programs are compiled, some of which don't link LLVM.
target_compile_options(wavelane-test-headers PRIVATE -fPIE)
target_compile_definitions(wavelane-test-headers PRIVATE LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)

# wavelane_add_tests(NAME PROGRAM [SHARDS N] [ENVIRONMENT VARIABLE=VALUE...]): ctest runs the GoogleTest program as the test
# NAME, or as N tests that share its cases. A process for each case costs more than most of the cases. Each leaves its
# results in test/Unit/results, where utils/test counts them.
function(wavelane_add_tests name program)
  cmake_parse_arguments(arg "" "SHARDS" "ENVIRONMENT" ${ARGN})
  set(shards 1)
  if(arg_SHARDS)
    set(shards ${arg_SHARDS})
  endif()
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(test ${name})
    if(shards GREATER 1)
      string(APPEND test "-${shard}")
    endif()
    add_test(NAME ${test} COMMAND ${program} --gtest_brief=1)
    # The long ones begin first.
    set_tests_properties(${test} PROPERTIES COST ${shards} ENVIRONMENT
      "GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/test/Unit/results/${test}.json;GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard};${arg_ENVIRONMENT}")
  endforeach()
endfunction()

# wavelane_unittest(NAME SOURCES... LINK LIBS... INCLUDE FOLDERS... [THREADS] [SHARDS N]) is a GoogleTest program that
# ctest runs. With THREADS there is a second one, NAME-tsan, with ThreadSanitizer: only its SOURCES are instrumented.
function(wavelane_unittest name)
  cmake_parse_arguments(arg "THREADS" "SHARDS" "LINK;INCLUDE" ${ARGN})
  set(programs ${name})
  if(arg_THREADS AND NOT WAVELANE_SANITIZE)
    list(APPEND programs ${name}-tsan)
  endif()
  foreach(program ${programs})
    add_executable(${program} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${program} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main)
    target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/test ${arg_INCLUDE})
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/Unit)
    if(NOT "wavelane-lldb" IN_LIST arg_LINK AND NOT "wavelaneServer" IN_LIST arg_LINK)
      target_precompile_headers(${program} REUSE_FROM wavelane-test-headers)
      target_compile_definitions(${program} PRIVATE LLVM_DISABLE_ABI_BREAKING_CHECKS_ENFORCING=1)
    endif()
    if(program MATCHES "-tsan$")
      set_target_properties(${program} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
      target_compile_options(${program} PRIVATE -fsanitize=thread)
      target_link_options(${program} PRIVATE -fsanitize=thread -Wl,-z,undefs)
    endif()
    wavelane_add_tests(${program} ${program} SHARDS "${arg_SHARDS}")
  endforeach()
endfunction()
