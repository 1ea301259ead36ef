//===-- Symbols.h - functions and lines of addresses ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the program's code objects on the GPU, and for its code on the host.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_CHECK_SYMBOLS_H
#define WAVELANE_SIMULATOR_CHECK_SYMBOLS_H

#include "SourceText.h"
#include "Variables.h"

#include "wavelane/GPU/ExecutingLanes.h"
#include "wavelane/Simulator/ISA/Observer.h"
#include "wavelane/Simulator/ProgramMemory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wavelane::check {

/// A function of a stack. What isn't known is empty or 0.
struct Frame {
  uint64_t Address = 0;
  std::string Function, File;
  std::string Source; ///< where the file can be read
  uint32_t Line = 0, Column = 0;
  bool IsInlined = false; ///< into the next frame
};

/// Whether \a File is one of HIP's own headers, which have wrappers of its
/// functions.
bool isHipHeader(llvm::StringRef File);
/// The text of a source line; empty if it can't be read.
std::string sourceLine(const Frame &F);
/// The first frame of the program's own, whose source can be shown: not of
/// HIP's headers. Null if \a Frames is empty.
const Frame *programFrame(const std::vector<Frame> &Frames);

class Symbols {
public:
  /// \param Read  The program's memory.
  /// \param ReadGlobal  Memory as the GPU sees it.
  Symbols(pid_t Program, simulator::ReadMemory Read,
          simulator::ReadMemory ReadGlobal);
  ~Symbols();

  /// A code object is loaded with its address 0 at \a Base.
  /// \param Size If it is 0, as the object says.
  /// \param Uri As in the loader's list: "file://PATH#offset=..&size=.." or
  ///     "memory://PID#...".
  void addCode(uint64_t Base, uint64_t Size, llvm::StringRef Uri);
  /// Addresses on the host can only be related to files while the program
  /// lives: notes what is necessary for \a Addresses.
  void seeHost(llvm::ArrayRef<uint64_t> Addresses);

  /// The host's return addresses, innermost first, of a thread that is at
  /// \a PC: its caller in the program itself is guessed from the stack at
  /// \a SP. Empty if the thread is in a function of the HIP runtime.
  std::vector<uint64_t> hostStack(uint64_t PC, uint64_t SP);

  bool hasCode(uint64_t Address) { return findCode(Address) != nullptr; }

  /// The functions at \a PC: the innermost inlined one first. With neither
  /// symbols nor debug information, a frame with the address alone.
  std::vector<Frame> frames(uint64_t PC);
  /// A stack of return addresses, without the HIP runtime's own functions;
  /// the first frame is the function of the runtime that the program called.
  std::vector<Frame> hostFrames(llvm::ArrayRef<uint64_t> Returns);

  /// The name of a kernel by its descriptor's address; "an unknown kernel".
  std::string kernelName(uint64_t KernelObject);
  /// The lines that the program's code on GPUs was compiled from: each once.
  std::vector<std::pair<std::string, uint32_t>> lines() const;
  /// Where the mask of the lanes is that really execute the instruction at
  /// \a PC.
  gpu::ExecutingMask executingMask(uint64_t PC);
  /// The variable and element that a finding accesses ("out[64]"); empty if it
  /// isn't known.
  std::string variable(const Finding &F);
  /// What the source says that a lane's access of global memory at \a PC means:
  /// "in[64]" for "in[i]", whatever is at that address. Empty if it isn't
  /// known.
  /// \param Wave  The wave, in front of the instruction.
  /// \param Returns  Of its functions, innermost first.
  std::string meantElement(const Launch &Kernel, const isa::WaveState &Wave,
                           uint64_t PC, llvm::ArrayRef<uint64_t> Returns,
                           const isa::LaneAccess &A);
  /// The names of the kernel's arguments that point into \a Block.
  std::vector<std::string> argumentsInto(const Launch &Kernel,
                                         const Allocation &Block);
  /// The array that the source names for the access in \a In at \a PC. It must
  /// be as old as the program.
  std::optional<ArrayObject> array(const Launch &Kernel, uint64_t PC, Space In);
  /// Whether the source says that the instruction at \a PC reads, or writes, a
  /// volatile object. It must be as old as the program.
  bool readsVolatile(uint64_t PC) { return ofVolatile(PC, readPointer); }
  bool writesVolatile(uint64_t PC) { return ofVolatile(PC, writtenPointer); }
  /// Whether the instruction at \a PC is of an atomic function of HIP's that
  /// isn't one with the host: atomicAdd, not atomicAdd_system.
  bool isAtomicOfDevice(uint64_t PC);
  /// The variable at an offset in the frame of the function at \a PC.
  std::string inFrame(uint64_t PC, int64_t Offset);

private:
  struct Code;
  struct Module {
    uint64_t End, Offset;
    std::string Path;
  };
  Code *findCode(uint64_t Address);
  std::string lineAt(Code &Of, const Frame &At);
  using FindPointer = PointerAccess(llvm::StringRef Line, unsigned Column);
  bool ofVolatile(uint64_t PC, FindPointer *Find);
  void readModules();
  const Module *findModule(uint64_t Address);
  bool fileAddress(const Module &M, uint64_t Begin, uint64_t Address,
                   uint64_t &Out);
  /// \param Program  The file that the code is of.
  void append(std::vector<Frame> &To, llvm::Expected<llvm::DIInliningInfo> From,
              uint64_t Address, llvm::StringRef Program);

  pid_t Program;
  const simulator::ReadMemory Read, ReadGlobal;
  std::map<uint64_t, std::unique_ptr<Code>> Codes; ///< by begin
  std::map<uint64_t, Module> Modules;              ///< by begin
  llvm::symbolize::LLVMSymbolizer Symbolizer;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_SYMBOLS_H
