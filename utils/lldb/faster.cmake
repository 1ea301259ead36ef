# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes LLDB's build faster, from outside: included at the end of its project() (CMAKE_PROJECT_INCLUDE).
# Sources are compiled in groups (unity builds), with LLDB's common headers compiled once.
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# Libraries whose files can't share a translation unit: their register tables use the same names.
set(wavelane_no_unity lldbPluginProcessLinux lldbPluginProcessMinidump lldbPluginProcessUtility lldb-server
  lldbPluginScriptInterpreterPython)
# Files that open LLVM's namespace, and so can't stand before others, or define what another file of theirs does.
set(wavelane_single_files "using namespace (llvm|clang);|createInvalidPlugInError|IsStructOrClassTag|DataDescriptor_32|g_option_table|FormatterBytecode.h|pid_t pid = ::fork|UDPSocket::UDPSocket|formatStringViewImpl|TupleFrontEnd|VariantFrontEnd|g_initialize_count|include .ProtocolUtils.h")

function(wavelane_make_faster)
  add_library(wavelane-headers OBJECT ${CMAKE_BINARY_DIR}/wavelane-headers.cpp)
  file(WRITE ${CMAKE_BINARY_DIR}/wavelane-headers.cpp.new "")
  configure_file(${CMAKE_BINARY_DIR}/wavelane-headers.cpp.new ${CMAKE_BINARY_DIR}/wavelane-headers.cpp COPYONLY)
  set_target_properties(wavelane-headers PROPERTIES UNITY_BUILD OFF)
  # As LLVM compiles its libraries.
  target_compile_options(wavelane-headers PRIVATE -fno-exceptions -funwind-tables)
  target_precompile_headers(wavelane-headers PRIVATE
    <sys/socket.h> <sys/uio.h> <spawn.h> <csignal> <algorithm> <functional> <map> <memory> <mutex> <optional> <string> <vector>
    <lldb/Core/Debugger.h> <lldb/Core/Module.h> <lldb/Core/PluginManager.h> <lldb/Interpreter/CommandReturnObject.h>
    <lldb/Target/Process.h> <lldb/Target/StackFrame.h> <lldb/Target/Target.h> <lldb/Target/Thread.h>
    <lldb/Utility/LLDBLog.h> <lldb/Utility/Log.h> <lldb/ValueObject/ValueObject.h>)

  get_property(folders DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTY SUBDIRECTORIES)
  while(folders)
    list(POP_FRONT folders folder)
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    list(APPEND folders ${below})
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target ${targets})
      get_target_property(type ${target} TYPE)
      if(target STREQUAL liblldb OR (type STREQUAL STATIC_LIBRARY AND target MATCHES "^lldb" AND NOT target MATCHES "Python"))
        target_precompile_headers(${target} REUSE_FROM wavelane-headers)
      endif()
      if(target IN_LIST wavelane_no_unity OR target MATCHES "^lldbPluginABI")
        set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
        continue()
      endif()
      if(NOT type MATCHES "LIBRARY|EXECUTABLE" OR type STREQUAL INTERFACE_LIBRARY)
        continue()
      endif()
      get_target_property(sources ${target} SOURCES)
      foreach(source ${sources})
        get_filename_component(file ${source} ABSOLUTE BASE_DIR ${folder})
        if(source MATCHES "[.]cpp$" AND EXISTS ${file})
          file(STRINGS ${file} single REGEX "${wavelane_single_files}" LIMIT_COUNT 1)
          if(single)
            set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
          endif()
        endif()
      endforeach()
    endforeach()
  endwhile()
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL wavelane_make_faster)
