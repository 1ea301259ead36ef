//===-- CodeObjects.h - GPU code that a program has loaded ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SERVER_CODEOBJECTS_H
#define WAVELANE_SERVER_CODEOBJECTS_H

#include "Barriers.h"
#include "GPUSession.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace wavelane::server {

/// Where a code object is: a file or memory of the program, from its URI.
struct CodeObjectPlace {
  bool in_memory = false;
  std::string path;     ///< of a file
  uint64_t address = 0; ///< in memory
  std::optional<uint64_t> offset, size;

  /// "file:///path#offset=N&size=N" or "memory://PID#offset=N&size=N".
  static std::optional<CodeObjectPlace> Parse(llvm::StringRef uri);
};

class CodeObjects {
public:
  explicit CodeObjects(GPUSession &session) : m_session(session) {}

  /// Forgets what was read, where the list has changed.
  void Changed() { m_read = false; }
  /// Tells the session which code objects of a core file can't be had, and why.
  void DescribeCore();
  /// The answer to jAcceleratorPluginGetDynamicLoaderLibraryInfo: all, or what
  /// has changed since the last answer.
  llvm::json::Array GetLibraryInfos(bool full);
  /// One object of jWavelaneObjects each.
  llvm::json::Array GetObjects();
  /// The symbol that covers \p address: demangled, without parameters. Empty
  /// where there is none.
  std::string GetFunction(uint64_t address);
  /// The GPU that the code at \p address is for, by its number in ELF flags; 0
  /// if there is no code.
  uint32_t GetMachine(uint64_t address);
  /// The barriers that a wave may come to, which is at \p pc of a dispatch
  /// whose code begins at \p entry (nullopt: any), in the code object that it
  /// is in.
  std::vector<uint64_t> GetBarriers(uint64_t pc, std::optional<uint64_t> entry);
  /// The bias of the code object of \p name (a path or URI).
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
    /// Its file isn't at hand: it is read from where it is loaded.
    bool from_image = false;
    /// It can't be had, or isn't what was loaded.
    bool left_out = false;
    std::vector<Symbol> symbols; ///< by address
    /// Looked for when they are first asked for.
    std::optional<std::vector<BarrierInstruction>> barriers;
  };

  void Read();
  void ReadSymbols(Object &object);
  std::string GetContents(const Object &object);
  std::string GetContents(const CodeObjectPlace &place);
  /// Finds what stands for a core file's code object on this machine.
  void FindForCore(Object &object);
  std::string FindByBuildID(llvm::StringRef build_id);
  llvm::json::Object GetLibraryInfo(const Object &object, bool load);

  GPUSession &m_session;
  bool m_read = false;
  std::map<uint64_t, Object> m_objects;
  /// What the client knows.
  std::map<uint64_t, Object> m_told;
};

} // namespace wavelane::server

#endif // WAVELANE_SERVER_CODEOBJECTS_H
