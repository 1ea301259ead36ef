# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The LLDB headers we compile against, and the parts of libwavelane.so.
set(lldb_source ${WAVELANE_LLDB}/source/lldb)
set(lldb_build ${WAVELANE_LLDB}/build)
if(NOT EXISTS ${lldb_source}/include/lldb/lldb-types.h)
  message(FATAL_ERROR "WAVELANE_LLDB (${WAVELANE_LLDB}) holds no LLDB source: run utils/build-lldb")
endif()

# Flags for every part. Warnings in LLDB's headers are ignored.
add_library(wavelane-lldb INTERFACE)
target_include_directories(wavelane-lldb INTERFACE ${CMAKE_SOURCE_DIR}/Plugins)
# LLDB's classes have more virtual functions without NDEBUG, which LLDB is built with.
target_compile_definitions(wavelane-lldb INTERFACE NDEBUG)
# Functions of LLDB's classes are overridden with the parameters' names kept.
target_compile_options(wavelane-lldb INTERFACE -Wno-unused-parameter)
target_include_directories(wavelane-lldb SYSTEM INTERFACE
  ${lldb_source}/include ${lldb_build}/include ${lldb_source}/source ${lldb_source}/source/Plugins/Process/gdb-remote)

# LLDB's headers take seconds to parse, and are compiled once for all parts.
file(WRITE ${CMAKE_BINARY_DIR}/wavelane-headers.cpp.new "")
configure_file(${CMAKE_BINARY_DIR}/wavelane-headers.cpp.new ${CMAKE_BINARY_DIR}/wavelane-headers.cpp COPYONLY)
add_library(wavelane-headers OBJECT ${CMAKE_BINARY_DIR}/wavelane-headers.cpp)
target_link_libraries(wavelane-headers PUBLIC wavelane-lldb)
if(WAVELANE_SANITIZE_THREADS)
  target_compile_options(wavelane-headers PRIVATE ${wavelane_threads} -g1)
endif()
target_precompile_headers(wavelane-headers PRIVATE
  <algorithm> <atomic> <functional> <map> <memory> <mutex> <optional> <set> <string> <thread> <tuple> <vector>
  <llvm/Support/FormatVariadic.h> <llvm/Support/JSON.h>
  <lldb/Core/Debugger.h> <lldb/Core/Module.h> <lldb/Core/PluginManager.h> <lldb/Core/Section.h>
  <lldb/Interpreter/CommandInterpreter.h> <lldb/Interpreter/CommandObject.h> <lldb/Interpreter/CommandReturnObject.h>
  <lldb/Symbol/Block.h> <lldb/Symbol/CompileUnit.h> <lldb/Symbol/Function.h> <lldb/Symbol/ObjectFile.h>
  <lldb/Symbol/SymbolContext.h> <lldb/Symbol/Type.h> <lldb/Symbol/Variable.h> <lldb/Symbol/VariableList.h>
  <lldb/Target/Process.h> <lldb/Target/RegisterContext.h> <lldb/Target/StackFrame.h> <lldb/Target/StopInfo.h>
  <lldb/Target/Target.h> <lldb/Target/Thread.h> <lldb/ValueObject/ValueObject.h>)

set_property(GLOBAL PROPERTY WAVELANE_PLUGIN_PARTS "")
set_property(GLOBAL PROPERTY WAVELANE_PLUGIN_LIBS "")
# wavelane_plugin(NAME SOURCES... LINK LIBS...) is one part of libwavelane.so.
function(wavelane_plugin name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_library(${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC wavelane-lldb PRIVATE ${arg_LINK})
  target_precompile_headers(${name} REUSE_FROM wavelane-headers)
  set_property(GLOBAL APPEND PROPERTY WAVELANE_PLUGIN_PARTS ${name})
  set_property(GLOBAL APPEND PROPERTY WAVELANE_PLUGIN_LIBS ${arg_LINK})
endfunction()

# wavelane_plugins() adds the parts below the current folder: those in folders with a CMakeLists.txt.
macro(wavelane_plugins)
  file(GLOB parts RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS */CMakeLists.txt */*/CMakeLists.txt)
  foreach(part ${parts})
    get_filename_component(folder ${part} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endmacro()

# wavelane_plugin_unittest(NAME SOURCES...) is a GoogleTest program over the parts of libwavelane.so and LLDB.
function(wavelane_plugin_unittest name)
  get_property(parts GLOBAL PROPERTY WAVELANE_PLUGIN_PARTS)
  get_property(part_libs GLOBAL PROPERTY WAVELANE_PLUGIN_LIBS)
  list(REMOVE_DUPLICATES part_libs)
  find_library(CLANG_CPP clang-cpp HINTS ${LLVM_LIBRARY_DIRS} NO_DEFAULT_PATH REQUIRED)
  wavelane_unittest(${name} ${ARGN}
    LINK wavelane-lldb ${parts} ${part_libs} ${lldb_build}/lib/liblldb.so ${CLANG_CPP} LLVM)
  set_target_properties(${name} PROPERTIES BUILD_RPATH ${lldb_build}/lib)
endfunction()
