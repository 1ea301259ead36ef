//===-- CoreFile.h - A core file with GPU state -----------------*- C++ -*-===//
//
// What a debug library needs of a core file: the GPU core state, which stands in a
// note, and the memory that it points into. Two kinds are known: cores of the GPU
// alone, as AMD's runtime writes them (gpucore.PID), and cores of host and GPU, as
// debuggers write them.
//
// A file may be damaged: every offset and size is checked before use, and a file
// that ends too early is read as far as it goes.
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

/// The note that holds the GPU core state.
inline constexpr char NoteOwner[] = "AMDGPU";
inline constexpr uint32_t NoteType = 33;

class CoreFile {
public:
  /// Opens \p path. The error says why it is no core file; its code is
  /// std::errc::executable_format_error where it is one of which nothing can be
  /// read. A core without GPU state opens: it may have another one's host memory.
  static llvm::Expected<std::shared_ptr<CoreFile>> Open(llvm::StringRef path);
  ~CoreFile();
  CoreFile(const CoreFile &) = delete;
  CoreFile &operator=(const CoreFile &) = delete;

  const std::string &GetPath() const { return m_path; }
  /// The GPU core state; empty where there is none.
  llvm::ArrayRef<uint8_t> GetGPUState() const { return m_state; }
  /// Of a core that has no host part (EM_AMDGPU).
  bool IsGPUOnly() const { return m_gpu_only; }
  /// The program's process id: from a note, else from a name gpucore.PID, else 0.
  uint32_t GetPID() const { return m_pid; }

  /// Memory as the file describes it.
  struct Range {
    uint64_t address, size; ///< size: what the file holds of it
    uint64_t offset;        ///< in the file
  };
  /// By address; no two overlap.
  llvm::ArrayRef<Range> GetRanges() const { return m_ranges; }
  /// Bytes that the file's headers promise, and the file doesn't have.
  uint64_t GetMissingBytes() const { return m_missing; }

  /// Reads up to the first byte that isn't there.
  /// \return How many bytes were read.
  size_t Read(uint64_t address, void *buffer, size_t size) const;
  /// Gives memory that the file has not, in place of what was given for \p address
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

/// What a GPU core state says of itself, for messages. Nothing where it is damaged.
struct StateSummary {
  uint64_t version = 0;
  uint32_t driver_major = 0, driver_minor = 0;
  uint64_t r_debug = 0;
  uint32_t runtime_state = 0, ttmp_setup = 0;
  uint32_t agents = 0, queues = 0;
};
std::optional<StateSummary> Summarize(llvm::ArrayRef<uint8_t> state);

} // namespace wavelane::corefile

#endif // WAVELANE_COREFILE_COREFILE_H
