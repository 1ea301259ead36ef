//===-- HostAccesses.h - the host's own accesses ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of races must know when the program itself reads and writes memory
// that kernels use. While it is watched, the program loses its mapping of these
// pages (not their content) whenever the device gets work. The next access of a
// page is a fault of a userfaultfd, which the device answers. So neither a
// signal nor a system call of the program sees anything of it.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_RUNTIME_HOSTACCESSES_H
#define WAVELANE_SIMULATOR_RUNTIME_HOSTACCESSES_H

#include <cstdint>
#include <map>
#include <mutex>

namespace wavelane::runtime {

class HostWatch {
public:
  /// \param ArenaFile The file that is mapped at ArenaBase.
  /// \return A userfaultfd for the device, which the caller closes; -1 if the
  ///     system doesn't allow it. Then nothing is watched.
  int start(int ArenaFile);
  /// Memory of the arena that the host may use.
  void add(uint64_t Address, uint64_t Size);
  void remove(uint64_t Address);
  /// The device gets work: accesses from now on are to be seen.
  void arm();
  /// The same memory, for the runtime's own accesses, which aren't to be seen.
  /// \param Address Any address of the program.
  void *unseen(const void *Address) const;

private:
  std::mutex Lock;
  std::map<uint64_t, uint64_t> Ranges; ///< whole pages: sizes by address
  uint8_t *Alias = nullptr;            ///< the arena's second mapping
};

} // namespace wavelane::runtime

#endif // WAVELANE_SIMULATOR_RUNTIME_HOSTACCESSES_H
