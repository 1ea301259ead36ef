//===-- AcceleratorMessages.h - how a program's GPU is found ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and answers of upstream LLDB's accelerator packets (Packets.h).
// Keys and forms are those that LLDB 23 and later read; they ignore the keys
// that are marked as ours.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H
#define WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H

#include "wavelane/Protocol/Fields.h"

namespace wavelane::protocol {

/// The arguments of packets::AcceleratorInitialize, which are ours: LLDB's
/// client sends none.
struct AcceleratorClient {
  /// It connects before there is code, asks for the code objects each time that
  /// they change, and resumes host and GPU together. For others the connection
  /// waits for the first code object, which is the target's executable, and the
  /// program stops there: its GPU stands still until the user continues it.
  bool ListsLibraries = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("lists_libraries", S.ListsLibraries, false);
  }
};

/// A breakpoint in the host program that the server wants: at a function or at
/// an address.
struct AcceleratorBreakpoint {
  struct Name {
    std::optional<std::string> Library; ///< the only one that is searched
    std::string Function;

    template <typename Self, typename Fields>
    static void map(Self &S, Fields &F) {
      F("shlib", S.Library);
      F("function_name", S.Function);
    }
  };
  struct Address {
    uint64_t Load = 0;

    template <typename Self, typename Fields>
    static void map(Self &S, Fields &F) {
      F("load_address", S.Load);
    }
  };

  int64_t Identifier = 0;
  std::optional<Name> ByName;
  std::optional<Address> ByAddress;
  /// Symbols of the program whose values the hit is to have.
  std::vector<std::string> SymbolNames;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("identifier", S.Identifier);
    F("by_name", S.ByName);
    F("by_address", S.ByAddress);
    F("symbol_names", S.SymbolNames);
  }
};

/// Where the GPU connection is taken, and what its target is.
struct AcceleratorConnection {
  std::string URL;
  /// No platform of LLDB's own is for GPUs: "" leaves the choice to the client.
  std::string Platform;
  /// With LLVM's names since 23, in which the processor is the environment.
  std::string Triple;
  /// The target's executable, for a client that doesn't list code objects.
  std::optional<std::string> Executable;
  bool Synchronous = true;
  bool Simulated = false;               ///< ours
  std::optional<std::string> Processor; ///< ours: "gfx90a"
  /// Ours: the process that simulates the GPU, if any.
  std::optional<uint64_t> DeviceProcess;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("connect_url", S.URL);
    F("platform_name", S.Platform);
    F("triple", S.Triple);
    F("exe_path", S.Executable);
    F("synchronous", S.Synchronous);
    F("simulated", S.Simulated, false);
    F("processor", S.Processor);
    F("device_process", S.DeviceProcess);
  }
};

/// What the client is to do. packets::AcceleratorInitialize answers a list of
/// these with one.
struct AcceleratorActions {
  std::string PluginName;
  std::string SessionName;
  /// Another one each time: a client performs the actions of one number once.
  int64_t Identifier = 0;
  std::vector<AcceleratorBreakpoint> Breakpoints;
  /// The runtime is up; sent once.
  std::optional<AcceleratorConnection> Connection;
  /// Ours: the GPU's code objects have changed, ask for them.
  bool LoadLibraries = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("plugin_name", S.PluginName);
    F("session_name", S.SessionName);
    F("identifier", S.Identifier);
    F("breakpoints", S.Breakpoints);
    F("connect_info", S.Connection);
    F("load_libraries", S.LoadLibraries, false);
  }
};

/// The arguments of packets::AcceleratorBreakpointHit.
struct AcceleratorHit {
  struct Symbol {
    std::string Name;
    std::optional<uint64_t> Value; ///< a load address

    template <typename Self, typename Fields>
    static void map(Self &S, Fields &F) {
      F("name", S.Name);
      F("value", S.Value);
    }
  };

  std::string PluginName;
  AcceleratorBreakpoint Breakpoint;
  std::vector<Symbol> SymbolValues;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("plugin_name", S.PluginName);
    F("breakpoint", S.Breakpoint);
    F("symbol_values", S.SymbolValues);
  }
};

/// Its answer.
struct AcceleratorHitAnswer {
  bool DisableBreakpoint = false;
  bool ResumeProgram = true;
  std::optional<AcceleratorActions> Actions;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("disable_bp", S.DisableBreakpoint);
    F("auto_resume_native", S.ResumeProgram);
    F("actions", S.Actions);
  }
};

/// The arguments of packets::AcceleratorLibraryInfo.
struct AcceleratorLibraryRequest {
  std::string PluginName;
  /// False: only the changes since the last answer.
  bool Full = true;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("plugin_name", S.PluginName);
    F("full", S.Full);
  }
};

/// A code object that is loaded on the GPU, or no longer.
struct AcceleratorLibrary {
  std::string Path; ///< or a URI
  std::optional<std::string> UUID;
  bool Load = true;
  std::optional<uint64_t> LoadAddress;
  /// Upstream's sections with addresses of their own: code objects have none.
  std::vector<uint64_t> LoadedSections;
  /// In the program's memory.
  std::optional<uint64_t> MemoryAddress, MemorySize;
  /// The part of a file.
  std::optional<uint64_t> FileOffset, FileSize;
  /// Ours: its file is missing, or another one: read it from where it is
  /// loaded.
  bool LoadedImage = false;
  std::optional<std::string> Warning; ///< ours, for the user

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("pathname", S.Path);
    F("uuid", S.UUID);
    F("load", S.Load);
    F("load_address", S.LoadAddress);
    F("loaded_sections", S.LoadedSections);
    F("native_memory_address", S.MemoryAddress);
    F("native_memory_size", S.MemorySize);
    F("file_offset", S.FileOffset);
    F("file_size", S.FileSize);
    F("loaded_image", S.LoadedImage, false);
    F("warning", S.Warning);
  }
};

/// The answer of packets::AcceleratorLibraryInfo.
struct AcceleratorLibraries {
  std::vector<AcceleratorLibrary> Libraries;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("library_infos", S.Libraries);
  }
};

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H
