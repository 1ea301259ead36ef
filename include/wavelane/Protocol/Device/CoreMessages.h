//===-- CoreMessages.h - a core file that runs on ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What simulator::MessageType::LoadCore carries: a device gets what a core file
// has, and simulates it from there.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_DEVICE_COREMESSAGES_H
#define WAVELANE_PROTOCOL_DEVICE_COREMESSAGES_H

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Fields.h"
#include <cstring>

namespace wavelane::protocol {

/// One of KFD's structs, in hexadecimal digits.
template <typename T> struct Entry {
  T Value{};
};
template <typename T> llvm::json::Value toJSON(const Entry<T> &From) {
  Bytes Raw;
  Raw.Data.assign(reinterpret_cast<const char *>(&From.Value), sizeof(T));
  return toJSON(Raw);
}
template <typename T>
bool fromJSON(const llvm::json::Value &From, Entry<T> &To,
              llvm::json::Path At) {
  Bytes Raw;
  if (!fromJSON(From, Raw, At))
    return false;
  if (Raw.Data.size() != sizeof(T)) {
    At.report("entry of another size");
    return false;
  }
  memcpy(&To.Value, Raw.Data.data(), sizeof(T));
  return true;
}

/// A part of one of CoreFiles::Paths.
struct CorePart {
  uint64_t File = 0; ///< its index
  uint64_t Offset = 0, Size = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("file", S.File);
    F("offset", S.Offset);
    F("size", S.Size);
  }
};

/// Memory that a core file has.
struct CoreRange : CorePart {
  uint64_t Address = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    CorePart::map(S, F);
    F("address", S.Address);
  }
};

/// What the server knows of the core's files, for the debugger library.
struct CoreFiles {
  std::vector<std::string> Paths;
  std::vector<CoreRange> Ranges;
  std::optional<CorePart> Recording; ///< of what was before

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("files", S.Paths);
    F("ranges", S.Ranges);
    F("recording", S.Recording);
  }
};

struct CoreQueue {
  Entry<kfd::QueueSnapshotEntry> Queue;
  /// The debugger's ids, in the order of the save areas and their records.
  std::vector<uint64_t> Waves;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("entry", S.Queue);
    F("waves", S.Waves);
  }
};

/// The request of the debugger library. Waves are stopped and queues suspended
/// then.
struct LoadCoreRequest : CoreFiles {
  Entry<kfd::RuntimeInfo> Runtime;
  std::vector<Entry<kfd::DeviceSnapshotEntry>> Agents;
  std::vector<CoreQueue> Queues;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    CoreFiles::map(S, F);
    F("runtime", S.Runtime);
    F("agents", S.Agents);
    F("queues", S.Queues);
  }
};

/// The answer, or a Failure.
struct LoadCoreAnswer {
  std::vector<Entry<kfd::QueueSnapshotEntry>> Queues; ///< as they are now
  /// Why the recording couldn't be read, or what it lacks.
  std::string Warning;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("queues", S.Queues);
    F("warning", S.Warning, "");
  }
};

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_DEVICE_COREMESSAGES_H
