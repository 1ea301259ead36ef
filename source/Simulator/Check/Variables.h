//===-- Variables.h - names for addresses -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_CHECK_VARIABLES_H
#define WAVELANE_SIMULATOR_CHECK_VARIABLES_H

#include "ArrayObject.h"
#include "SourceText.h"

#include "wavelane/GPU/MachineCode.h"
#include "wavelane/Simulator/ISA/Observer.h"
#include "wavelane/Simulator/ProgramMemory.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

namespace wavelane::check {

/// Where the source names a pointer.
struct PointerPlace {
  PointerAccess Pointer;
  uint64_t Base = 0; ///< where the code object's address 0 is
  uint64_t PC = 0;   ///< of an instruction there
  /// The number of inlined functions between the one with the pointer and the
  /// instruction.
  unsigned Depth = 0;
  /// The wave is in another function, which has been called there.
  bool IsCaller = false;
};

/// What a code object's debug information says of variables.
class Variables {
public:
  explicit Variables(const llvm::object::ObjectFile &Object);

  /// The memory at \a Address, which is in \a Block, as seen by the kernel's
  /// arguments: "out[64]", or "a[70] or b[6]". Empty if none points into it.
  /// \param Base Where the code object's address 0 is.
  std::string nameByArgument(const Launch &Kernel, uint64_t Base,
                             uint64_t Address, const Allocation &Block);
  /// The names of the kernel's arguments that point into \a Block.
  std::vector<std::string> argumentsInto(const Launch &Kernel, uint64_t Base,
                                         const Allocation &Block);
  /// What \a A accesses by \a Pointer: "in[64]", "list->next". "an element of
  /// in" if the pointer's value isn't known. Empty if the pointer isn't.
  /// \param Wave The wave, in front of the instruction.
  std::string nameByPointer(const Launch &Kernel, const isa::WaveState &Wave,
                            const simulator::ReadMemory &Read,
                            const PointerPlace &Of, const isa::LaneAccess &A);
  /// A __shared__ variable: "tile[68]". Only known for a kernel with one that
  /// begins its local memory.
  std::string nameLocal(const Launch &Kernel, uint64_t Base, uint64_t Offset);
  /// A variable of global memory: "table[3]".
  /// \param At The address in the code object.
  std::string nameGlobal(uint64_t At);
  /// The array that \a Name means at \a PC, if it is in \a In.
  std::optional<ArrayObject> findArray(const Launch &Kernel, uint64_t Base,
                                       uint64_t PC, llvm::StringRef Name,
                                       Space In);
  /// Whether \a Name means a pointer to, or an array of, volatile objects at \a
  /// PC.
  bool isOfVolatile(uint64_t Base, uint64_t PC, llvm::StringRef Name);
  /// Whether the line and column of the instruction at \a At, an address in the
  /// code object, are its own. In a clause of loads, LLVM gives all of them the
  /// first's.
  bool hasOwnLine(uint64_t At);
  /// The variable at an offset in the frame of the function at \a PC, with its
  /// element; empty if there is none.
  std::string nameInFrame(uint64_t Base, uint64_t PC, int64_t Offset);

private:
  /// A variable in a kernel's local memory.
  struct LocalPlace {
    llvm::DWARFDie Die;
    uint64_t Offset = 0;
  };
  std::vector<LocalPlace> layOutLocal(const Launch &Kernel, uint64_t Base);
  llvm::DWARFDie findVariable(llvm::DWARFUnit &Unit, llvm::DWARFDie Function,
                              uint64_t At, llvm::StringRef Name, Space In);
  struct Argument {
    llvm::DWARFDie Die;
    uint64_t Offset = 0; ///< in the block that the program has passed
  };
  /// The kernel's arguments.
  std::vector<Argument> arguments(const Launch &Kernel, uint64_t Base);
  bool findFrame(llvm::DWARFDie Function, const Launch &Kernel, uint64_t Base,
                 ArrayObject &Out);
  llvm::DWARFDie kernel(const Launch &Kernel, uint64_t Base);
  /// The offsets of the arguments in the block that the program has passed.
  std::vector<uint64_t> argumentOffsets(llvm::StringRef Symbol) const;

  /// Null if LLVM doesn't know the GPU.
  gpu::MachineCode *machine(const gpu::Processor &Of);

  const llvm::object::ObjectFile &Object;
  std::unique_ptr<gpu::MachineCode> Machine; ///< made on demand
  std::unique_ptr<llvm::DWARFContext> Context;
};

} // namespace wavelane::check

#endif // WAVELANE_SIMULATOR_CHECK_VARIABLES_H
