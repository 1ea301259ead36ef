//===-- RecordedRun.h - keeps a run in a file -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file is a core of the GPU, as AMD's runtime writes them, at the end of
// what the program's kernels did; a segment has what is recorded before. The
// code objects, with their debug information, are in it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_RECORDEDRUN_H
#define WAVELANE_SIMULATOR_DEVICE_RECORDEDRUN_H

#include "DeviceMemory.h"
#include "History.h"
#include "LoaderList.h"
#include "ProgramRuntime.h"
#include "Queue.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::simulator {

class RecordedRun {
public:
  /// \param Program Its process ID.
  RecordedRun(std::string Path, uint32_t Program, DeviceMemory &Memory,
              const Agents &All, Queues &TheQueues,
              const ProgramRuntime &Runtime, History &TheHistory)
      : Path(std::move(Path)), Program(Program), Memory(Memory), All(All),
        TheQueues(TheQueues), Runtime(Runtime), TheHistory(TheHistory),
        Read(memoryOf(pid_t(Program))), Code(Read) {}

  ~RecordedRun();
  /// Opens or makes the file, whose lock is held until the new one has replaced
  /// it.
  /// \return false with \a Error set.
  bool open(std::string &Error);
  /// A kernel is about to begin: learns of new code objects.
  void noteCode();
  /// The program destroys a queue, which is still in the recording.
  void retire(std::unique_ptr<Queue> Q);
  /// The program has ended: writes the file, or leaves an older one as it is.
  /// The waves are at its end then.
  void save();

private:
  struct Object {
    uint64_t Base;
    std::string Uri;
    std::vector<uint8_t> Bytes; ///< empty: they are in the URI's file
  };
  struct Segment {
    uint64_t Address, Size;
    const uint8_t *Host;
  };
  llvm::Error goToEnd();
  /// Lets the device access the queue's memory, which the program may have
  /// freed.
  void allow(const Queue &Q);
  llvm::Error write(int Fd);
  llvm::Error writeAndKeep();
  std::vector<Segment> collect();
  /// The loader's list and the code objects, at addresses that are free.
  void putList(std::vector<Segment> &Segments);
  std::vector<uint8_t> makeNotes() const;
  bool readObject(const Object &O, std::vector<uint8_t> &Out) const;

  const std::string Path;
  int Lock = -1;
  const uint32_t Program;
  DeviceMemory &Memory;
  const Agents &All;
  Queues &TheQueues;
  const ProgramRuntime &Runtime;
  History &TheHistory;
  const ReadMemory Read;
  LoadedCode Code;
  std::vector<Object> Objects;
  uint32_t ListVersion = 10;
  struct RetiredQueue {
    std::unique_ptr<Queue> Q;
    std::vector<uint8_t> AmdQueue; ///< its content; the program frees it
  };
  std::vector<RetiredQueue> Retired;
  std::vector<uint8_t> List; ///< what putList() has made
  uint64_t ListAddress = 0;  ///< of r_debug
  uint64_t EmptyArea = 0;    ///< the address of a save area without waves
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_RECORDEDRUN_H
