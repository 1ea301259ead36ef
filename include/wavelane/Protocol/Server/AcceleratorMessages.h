//===-- AcceleratorMessages.h - how a GPU comes to a process ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and answers of upstream LLDB's packets about accelerators
// (Packets.h). What upstream's servers don't send is optional.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H
#define WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H

#include "wavelane/Protocol/Fields.h"

namespace wavelane::protocol {

struct BreakpointByName {
  std::string Function;
  std::optional<std::string> Library;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("function_name", S.Function);
    F("shlib", S.Library);
  }
};

struct BreakpointByAddress {
  uint64_t Address = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("load_address", S.Address);
  }
};

/// A breakpoint in the host's code that a server asks for.
struct AcceleratorBreakpoint {
  int64_t Identifier = 0;
  std::optional<BreakpointByName> ByName;
  std::optional<BreakpointByAddress> ByAddress;
  /// Symbols whose values the server wants to know at a hit.
  std::vector<std::string> Symbols;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("identifier", S.Identifier);
    F("by_name", S.ByName);
    F("by_address", S.ByAddress);
    F("symbol_names", S.Symbols, std::vector<std::string>());
  }
};

/// How to connect to a GPU.
struct AcceleratorConnection {
  /// unix-connect://<path> if the host connection is local, else
  /// connect://[<address that the client reached>]:<port>. Only the client's
  /// address is accepted, once; if that is this machine, only the client's
  /// user.
  std::string URL;
  std::string Platform, Triple;
  bool Synchronous = true;
  // Ours:
  std::string Processor; ///< "gfx90a"
  std::optional<bool> Simulated;
  /// The process that simulates the GPU, if any.
  std::optional<uint64_t> DeviceProcess;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("connect_url", S.URL);
    F("platform_name", S.Platform, "");
    F("triple", S.Triple, "");
    F("synchronous", S.Synchronous);
    F("processor", S.Processor, "");
    F("simulated", S.Simulated);
    F("device_process", S.DeviceProcess);
  }
};

struct AcceleratorAction {
  std::string Plugin;  ///< packets::PluginName
  std::string Session; ///< a label
  int64_t Identifier = 0;
  std::vector<AcceleratorBreakpoint> Breakpoints;
  std::optional<AcceleratorConnection> Connection;
  /// The GPU's code objects have changed: ask for them. Ours.
  bool LoadLibraries = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("plugin_name", S.Plugin);
    F("session_name", S.Session, "");
    F("identifier", S.Identifier, 0);
    F("breakpoints", S.Breakpoints, std::vector<AcceleratorBreakpoint>());
    F("connect_info", S.Connection);
    F("load_libraries", S.LoadLibraries, false);
  }
};

/// The answer to packets::AcceleratorInitialize.
using AcceleratorActions = std::vector<AcceleratorAction>;

struct SymbolValue {
  std::string Name;
  std::optional<uint64_t> Value; ///< not set if there is no such symbol

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("name", S.Name);
    F("value", S.Value);
  }
};

/// The arguments of packets::AcceleratorBreakpointHit.
struct BreakpointHitRequest {
  std::string Plugin;
  AcceleratorBreakpoint Breakpoint;
  std::vector<SymbolValue> Symbols;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("plugin_name", S.Plugin);
    F("breakpoint", S.Breakpoint);
    F("symbol_values", S.Symbols);
  }
};

/// The answer.
struct BreakpointHitAnswer {
  bool Disable = false;
  bool Resumes = true;
  AcceleratorActions Actions;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("disable_bp", S.Disable);
    F("auto_resume_native", S.Resumes);
    F("actions", S.Actions, AcceleratorActions());
  }
};

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_ACCELERATORMESSAGES_H
