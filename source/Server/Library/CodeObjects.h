//===-- CodeObjects.h - GPU code that a program has loaded ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_LIBRARY_CODEOBJECTS_H
#define WAVELANE_SERVER_LIBRARY_CODEOBJECTS_H

#include "Agents.h"
#include "Barriers.h"
#include "GPUSession.h"
#include "wavelane/GPU/ExecutingLanes.h"
#include "wavelane/GPU/MachineCode.h"
#include "wavelane/Protocol/Server/AcceleratorMessages.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <utility>

namespace wavelane::server {

/// The location of a code object in a file or in the program's memory, from its
/// URI.
struct CodeObjectPlace {
  bool in_memory = false;
  std::string path;     ///< in a file
  uint64_t address = 0; ///< in memory
  std::optional<uint64_t> offset, size;

  /// "file:///path#offset=N&size=N" or "memory://PID#offset=N&size=N".
  static std::optional<CodeObjectPlace> Parse(llvm::StringRef uri);
};

class CodeObjects {
public:
  CodeObjects(GPUSession &session, Agents &agents)
      : m_session(session), m_agents(agents) {}

  /// The list has changed: forgets the old one.
  void Changed() { m_read = false; }
  /// Reports to the session which code objects of a core file are missing, and
  /// why.
  void DescribeCore();
  /// The answer to jAcceleratorPluginGetDynamicLoaderLibraryInfo: all code
  /// objects, or the changes since the last answer.
  llvm::Expected<std::vector<protocol::AcceleratorLibrary>>
  GetLibraries(bool full);
  /// The code of the program's own file, or else the first that can be read:
  /// its file and load address.
  std::optional<std::pair<std::string, int64_t>> GetExecutable();
  /// Code objects for jWavelaneObjects.
  llvm::Expected<llvm::json::Value> GetObjects();
  /// The symbol at \p address, demangled, without parameters. Empty if there is
  /// none.
  std::string GetFunction(uint64_t address);
  /// The machine in ELF flags of the code at \p address; 0 if there is no code.
  uint32_t GetMachine(uint64_t address);
  /// The barriers that a wave may reach from \p pc, in that code object. \p
  /// entry is where its dispatch's code begins; nullopt if unknown.
  std::vector<uint64_t> GetBarriers(uint64_t pc, std::optional<uint64_t> entry);
  /// Where waves of the kernel at \p entry may end.
  std::vector<uint64_t> GetEnds(uint64_t entry);
  /// Where the mask of the lanes is that really execute the instruction at \p
  /// address.
  gpu::ExecutingMask GetExecutingMask(uint64_t address);
  /// The address of the instruction that ends at \p address; nullopt if
  /// unknown.
  std::optional<uint64_t> GetInstructionBefore(uint64_t address);
  /// The load bias of the code object \p name (a path or URI).
  std::optional<int64_t> GetLoadAddress(llvm::StringRef name);

private:
  struct Symbol {
    uint64_t address, size; ///< in the ELF file
    std::string name;
  };
  struct Object {
    std::string uri;
    CodeObjectPlace place;
    int64_t load_address = 0;
    std::string build_id;
    uint32_t machine = 0;
    uint64_t memory_size = 0; ///< from the load address on
    bool symbols_read = false;
    /// Its file is missing or another one, so it is read from the memory where
    /// it is loaded.
    bool from_image = false;
    /// What is wrong with the file of a live program's, for the user; or empty.
    std::string warning;
    /// Its file is missing, or differs from what was loaded.
    bool left_out = false;
    std::vector<Symbol> symbols; ///< by address
    /// Computed on demand.
    std::optional<std::vector<BarrierInstruction>> barriers;
    std::map<uint64_t, std::vector<uint64_t>> ends; ///< by kernel's entry
    /// Of the functions at which waves have stopped, by address in the file.
    std::map<uint64_t, gpu::ExecutingLanes> executing_lanes;
  };

  /// If the library fails, the objects that it has listed before stay, and the
  /// next call asks again.
  llvm::Error Read();
  /// For answers that can be unknown.
  void ReadIfPossible() { llvm::consumeError(Read()); }
  void ReadSymbols(Object &object);
  /// The symbol with the code at \p in_file; null if there is none.
  static const Symbol *FindSymbol(const Object &object, uint64_t in_file);
  using UseCode = llvm::function_ref<void(const gpu::MachineCode &code,
                                          llvm::ArrayRef<uint8_t> bytes)>;
  /// Calls \p use with the instructions of a function, if they can be read.
  void WithCode(const Object &object, const Symbol &function, UseCode use);
  std::string GetContents(const Object &object);
  std::string GetContents(const CodeObjectPlace &place);
  /// Reads memory through the library.
  /// \return The number of bytes available from \p address on.
  size_t ReadMemory(uint64_t address, void *buffer, size_t size);
  /// Checks that the file of a live program's code object is still the one that
  /// was loaded; otherwise, its code is read from memory.
  void CheckFile(Object &object);
  /// Finds the file of a core file's code object on this machine.
  void FindForCore(Object &object);
  std::string FindByBuildID(llvm::StringRef build_id);
  static protocol::AcceleratorLibrary DescribeLibrary(const Object &object,
                                                      bool load);

  GPUSession &m_session;
  Agents &m_agents;
  bool m_read = false;
  std::map<uint64_t, Object> m_objects;
  /// The code objects that the client knows.
  std::map<uint64_t, Object> m_reported;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_LIBRARY_CODEOBJECTS_H
