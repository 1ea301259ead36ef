//===-- CoreFile.h - A core file with GPU state -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a core file that a debugger library needs: the GPU core state,
// which is in a note, and the memory that it points to. There are two kinds of
// file: cores of the GPU alone, written by AMD's runtime (gpucore.PID), and
// cores of host and GPU, written by debuggers. The note is NT_AMDGPU_CORE_STATE
// of ROCr's amd_hsa_elf.h; its content is made of KFD's snapshots
// (<linux/kfd_ioctl.h>), and only a debugger library interprets it.
//
// A file may be damaged: every offset and size is checked before use, and a
// truncated file is read as far as it goes. All addresses, offsets and sizes
// are in bytes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_FORMATS_COREFILE_COREFILE_H
#define WAVELANE_FORMATS_COREFILE_COREFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::corefile {

/// Owner and type of the note that holds the GPU core state.
inline constexpr char NoteOwner[] = "AMDGPU";
inline constexpr uint32_t NoteType = 33;
/// And of the note that holds what checks have found, a JSON object in each
/// line; in cores written by Wavelane's server only.
inline constexpr char FindingsNoteOwner[] = "WAVELANE";
inline constexpr uint32_t FindingsNoteType = 1;
/// The type of the program header of a recording of the simulated GPU.
inline constexpr uint32_t RecordingSegment = 0x60574c52;

class CoreFile {
public:
  /// Opens \p path, which stays open as long as the object exists.
  /// \return An error that names the path and says why it isn't a core file,
  ///     with the code std::errc::executable_format_error if nothing in it can
  ///     be read. A core without GPU state is fine: it may hold another core's
  ///     host memory.
  static llvm::Expected<std::shared_ptr<CoreFile>> open(llvm::StringRef Path);
  ~CoreFile();
  CoreFile(const CoreFile &) = delete;
  CoreFile &operator=(const CoreFile &) = delete;

  const std::string &getPath() const { return Path; }
  /// The GPU core state, owned by this object; empty if there is none.
  llvm::ArrayRef<uint8_t> getGpuState() const { return State; }
  /// What checks had found; empty if there is no such note.
  llvm::StringRef getFindings() const { return Findings; }
  /// Whether the core has no host part (EM_AMDGPU).
  bool isGpuOnly() const { return GPUOnly; }
  /// The program's process id, from a note or from the name gpucore.PID; 0 if
  /// neither has it.
  uint32_t getPid() const { return PID; }

  /// A range of memory in the file.
  struct Range {
    uint64_t Address, Size; ///< size: how much of it the file really contains
    uint64_t Offset;        ///< in the file
  };
  /// Sorted by address, without overlaps.
  llvm::ArrayRef<Range> getRanges() const { return Ranges; }
  /// Where the file has a recording of the simulated GPU; no size if it has
  /// none. Its address means nothing.
  const Range &getRecording() const { return Recording; }
  /// How many bytes the file's headers promise but the file lacks.
  uint64_t getMissingBytes() const { return Missing; }
  /// How many bytes before the place that its headers name memory really is in
  /// the file; 0 in a core whose headers are right. getRanges() is right.
  uint64_t getShift() const { return Shift; }

  /// Reads memory up to the first byte that the file lacks.
  /// \return The number of bytes read, 0 to \p size.
  size_t read(uint64_t Address, void *Buffer, size_t Size) const;
  /// Adds memory that the file lacks, replacing any that was added at \p
  /// address before.
  void add(uint64_t Address, llvm::ArrayRef<uint8_t> Bytes);

private:
  CoreFile() = default;
  llvm::Error parse();
  llvm::Error parseNotes(uint64_t Offset, uint64_t Size);
  uint64_t findShift(llvm::ArrayRef<llvm::ELF::Elf64_Phdr> Headers) const;
  bool isSaveArea(uint64_t Offset, uint64_t Size) const;
  bool readFile(uint64_t Offset, void *Buffer, size_t Size) const;

  struct Added {
    uint64_t Address;
    std::vector<uint8_t> Bytes;
  };
  std::string Path;
  int Fd = -1;
  uint64_t FileSize = 0;
  bool GPUOnly = false;
  uint32_t PID = 0;
  std::vector<uint8_t> State;
  std::string Findings;
  std::vector<Range> Ranges;
  std::vector<Added> Added;
  Range Recording = {};
  uint64_t Missing = 0, Shift = 0;
};

/// Where a queue's waves are saved.
struct SaveAreaPlace {
  uint64_t Address, Size;
};
/// The save areas of the queues in a GPU core state; as many as a damaged one
/// has.
std::vector<SaveAreaPlace> findSaveAreas(llvm::ArrayRef<uint8_t> State);

/// The header of a GPU core state, for messages.
struct StateSummary {
  uint64_t Version = 0;                      ///< of the note
  uint32_t DriverMajor = 0, DriverMinor = 0; ///< of KFD's interface
  uint64_t RDebug = 0; ///< address of the loader's list of code objects
  uint32_t RuntimeState = 0, TtmpSetup = 0; ///< as in KFD's runtime info
  uint32_t Agents = 0, Queues = 0;          ///< how many
};
/// \return nullopt if \p state is damaged.
std::optional<StateSummary> summarize(llvm::ArrayRef<uint8_t> State);

} // namespace wavelane::corefile

#endif // WAVELANE_FORMATS_COREFILE_COREFILE_H
