//===-- ProgramMessages.h - about a program and its core files --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and answers of packets (Packets.h) about a whole program.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_PROGRAMMESSAGES_H
#define WAVELANE_PROTOCOL_SERVER_PROGRAMMESSAGES_H

#include "wavelane/Protocol/Fields.h"

namespace wavelane::protocol {

/// packets::SaveCore: where the core is to be written, or was, on the server's
/// machine.
struct CorePath {
  std::string Path;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("path", S.Path);
  }
};

/// packets::SharedFiles answers a list of these: a part of a file that the
/// program shares with other processes.
struct SharedFile {
  uint64_t Begin = 0, End = 0; ///< addresses
  uint64_t Offset = 0;         ///< in the file
  std::string Device;          ///< with Inode, identifies the file
  uint64_t Inode = 0;
  std::string File;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("begin", S.Begin);
    F("end", S.End);
    F("offset", S.Offset);
    F("device", S.Device);
    F("inode", S.Inode);
    F("file", S.File);
  }
};

/// The answer of packets::CoreInfo.
struct CoreFacts {
  std::string Processor; ///< "" if there is no GPU
  /// What the core file lacks or what is wrong with it, each reported once.
  std::vector<std::string> Warnings;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("processor", S.Processor);
    F("warnings", S.Warnings);
  }
};

/// The answer of packets::Simulate.
struct Simulation : CoreFacts {
  bool Recording = false; ///< its past is known

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    CoreFacts::map(S, F);
    F("recording", S.Recording);
  }
};

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_PROGRAMMESSAGES_H
