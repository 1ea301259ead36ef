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

#ifndef WAVELANE_COREFILE_COREFILE_H
#define WAVELANE_COREFILE_COREFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
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

class CoreFile {
public:
  /// Opens \p path, which stays open as long as the object exists.
  /// \return An error that names the path and says why it isn't a core file,
  ///     with the code std::errc::executable_format_error if nothing in it can
  ///     be read. A core without GPU state is fine: it may hold another core's
  ///     host memory.
  static llvm::Expected<std::shared_ptr<CoreFile>> Open(llvm::StringRef path);
  ~CoreFile();
  CoreFile(const CoreFile &) = delete;
  CoreFile &operator=(const CoreFile &) = delete;

  const std::string &GetPath() const { return m_path; }
  /// The GPU core state, owned by this object; empty if there is none.
  llvm::ArrayRef<uint8_t> GetGPUState() const { return m_state; }
  /// Whether the core has no host part (EM_AMDGPU).
  bool IsGPUOnly() const { return m_gpu_only; }
  /// The program's process id, from a note or from the name gpucore.PID; 0 if
  /// neither has it.
  uint32_t GetPID() const { return m_pid; }

  /// A range of memory that the file holds.
  struct Range {
    uint64_t address, size; ///< size: how much of it the file really has
    uint64_t offset;        ///< in the file
  };
  /// Sorted by address, without overlaps.
  llvm::ArrayRef<Range> GetRanges() const { return m_ranges; }
  /// How many bytes the file's headers promise that the file doesn't have.
  uint64_t GetMissingBytes() const { return m_missing; }

  /// Reads memory up to the first byte that the file doesn't have.
  /// \return How many bytes were read, 0 to \p size.
  size_t Read(uint64_t address, void *buffer, size_t size) const;
  /// Adds memory that the file lacks. It replaces what was added at \p address
  /// before.
  void Add(uint64_t address, llvm::ArrayRef<uint8_t> bytes);

private:
  CoreFile() = default;
  llvm::Error Parse();
  llvm::Error ParseNotes(uint64_t offset, uint64_t size);
  bool ReadFile(uint64_t offset, void *buffer, size_t size) const;

  struct Added {
    uint64_t address;
    std::vector<uint8_t> bytes;
  };
  std::string m_path;
  int m_fd = -1;
  uint64_t m_file_size = 0;
  bool m_gpu_only = false;
  uint32_t m_pid = 0;
  std::vector<uint8_t> m_state;
  std::vector<Range> m_ranges;
  std::vector<Added> m_added;
  uint64_t m_missing = 0;
};

/// The header of a GPU core state, for messages.
struct StateSummary {
  uint64_t version = 0;                        ///< of the note
  uint32_t driver_major = 0, driver_minor = 0; ///< of KFD's interface
  uint64_t r_debug = 0; ///< address of the loader's list of code objects
  uint32_t runtime_state = 0, ttmp_setup = 0; ///< as in KFD's runtime info
  uint32_t agents = 0, queues = 0;            ///< how many
};
/// \return nullopt if \p state is damaged.
std::optional<StateSummary> Summarize(llvm::ArrayRef<uint8_t> state);

} // namespace wavelane::corefile

#endif // WAVELANE_COREFILE_COREFILE_H
