//===-- LoaderList.h - the loader's list of code objects --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's runtime doesn't report the code that it loads; it keeps a list for
// debuggers, which is read here for checks.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_LOADERLIST_H
#define WAVELANE_SIMULATOR_DEVICE_LOADERLIST_H

#include "wavelane/Simulator/ProgramMemory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wavelane::simulator {

class LoadedCode {
public:
  using Entry = std::pair<uint64_t, std::string>; ///< base and URI

  explicit LoadedCode(ReadMemory Read) : Read(std::move(Read)) {}
  /// Reads the list again.
  /// \param Debug The address of the runtime's r_debug.
  /// \return What is new in it.
  std::vector<Entry> update(uint64_t Debug);

private:
  template <typename T> bool read(uint64_t Address, T &Out) const {
    return Read(Address, &Out, sizeof(Out));
  }
  std::string text(uint64_t Address) const;

  const ReadMemory Read;
  std::vector<std::pair<uint64_t, Entry>> Known; ///< by the list's nodes
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_LOADERLIST_H
