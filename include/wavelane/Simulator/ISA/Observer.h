//===-- Observer.h - observes the execution of waves ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The single hook for everything that watches execution: checks, counting,
// coverage, recording. An executor with an observer calls it for each
// instruction before anything changes and after it is done: what the
// instruction reads and writes, and which memory each lane accesses.
//
// Registers come from LLVM's description of the instruction, accesses from the
// executor's own address computation, so an instruction is observed as soon as
// it is modeled. An executor without an observer pays nothing.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_OBSERVER_H
#define WAVELANE_SIMULATOR_ISA_OBSERVER_H

#include "WaveState.h"
#include "wavelane/GPU/InstructionFacts.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::isa {

using InstClass = gpu::InstructionClass;

/// A run of registers that an instruction reads or writes.
struct RegisterRange {
  enum File : uint8_t {
    Scalar,      ///< First is an index of WaveState::Scalar: SGPRs, VCC, EXEC,
                 ///< M0, ttmps, and gfx9's FLAT_SCRATCH and XNACK_MASK.
    Vector,      ///< Arch VGPRs.
    Acc,         ///< AccVGPRs, from AccVGPR 0.
    SCC,         ///< STATUS.SCC.
    Mode,        ///< MODE: rounding, denormals, GPR indexing.
    FlatScratch, ///< WaveState::ScratchBase of gfx10 and later.
  };
  File In = Scalar;
  uint16_t First = 0; ///< 0 for SCC, Mode and FlatScratch.
  uint16_t Count = 1; ///< Dwords; 1 for SCC and Mode, 2 for FlatScratch.
  /// Vector and Acc: a bit for each lane that is read or written.
  uint64_t Lanes = 0;
  /// The bits of each register that are read or written. An instruction that
  /// changes a half (op_sel, d16) writes only that half.
  uint32_t Bits = ~0u;
  /// How lanes of a source become lanes of the result.
  enum Flow : uint8_t {
    SameLane, ///< Lane l of the result depends on lane l.
    FromLane, ///< It depends on lane Source[l] (DPP, permutes, swizzles).
    AnyLane,  ///< Each lane of the result (or a scalar result) may depend on
              ///< all of Lanes (readlane, matrices).
  };
  Flow How = SameLane;
  /// FromLane: the lane that each lane gets, or NoLane. Valid during the call.
  const uint8_t *Source = nullptr;
  static constexpr uint8_t NoLane = 0xff;

  bool isVector() const { return In == Vector || In == Acc; }
};

/// One lane's access of memory, or a scalar one. An instruction that accesses
/// two places (ds_read2, loads into local memory) has two for each lane, in
/// lane order.
struct LaneAccess {
  enum Space : uint8_t {
    Global,  ///< Address is global, as in the program.
    Local,   ///< Address is a byte offset in the workgroup's LDS.
    Private, ///< Address is a byte offset in the lane's private memory.
  };
  static constexpr uint8_t Scalar = 0xff;

  uint64_t Address = 0;
  /// The host address of the first byte; null if it can't be accessed. It holds
  /// the old bytes in before() and the new ones in after(). Global memory is
  /// contiguous from there to the end of its page, private memory to the end of
  /// the aligned dword.
  uint8_t *Host = nullptr;
  uint8_t Size = 0; ///< In bytes: 1 to 64.
  uint8_t Lane = 0; ///< Or Scalar.
  Space In = Global;
  Access Kind = Access::Read;
  /// False if the hardware doesn't perform it: beyond the LDS or a buffer's
  /// records (loads return 0, stores do nothing), or a memory violation. Host
  /// is then null.
  bool InRange = true;
  /// It is beyond the records of the program's buffer descriptor, which
  /// programs use to leave out what is beyond an array.
  bool IsDropped = false;
  /// The instruction was a flat one (the address decided about the space).
  bool IsFlat = false;
  /// The register that is stored, or into which is loaded (for an atomic: its
  /// data); the following registers have the following dwords. For
  /// LaneAccess::NoRegister, the data doesn't go through registers (loads into
  /// local memory: the first access is read, the second written).
  uint16_t Register = 0;
  RegisterRange::File File = RegisterRange::Vector;
  static constexpr uint16_t NoRegister = 0xffff;
  /// The value is in (or goes into) the upper half of the register.
  bool High = false;
};

/// Cache bits of a memory instruction, as written in assembly.
namespace cache {
enum : uint8_t {
  GLC = 1 << 0,
  SLC = 1 << 1,
  DLC = 1 << 2,
  SC0 = 1 << 3, ///< gfx942 and later.
  SC1 = 1 << 4,
  NT = 1 << 5,
};
} // namespace cache

/// An instruction that is about to be executed, or was.
struct ObservedInstruction {
  uint64_t PC = 0;
  uint8_t Size = 0; ///< In bytes.
  InstClass Class = InstClass::Other;
  /// What it is; kept until the process ends.
  const gpu::InstructionFacts *Facts = &gpu::InstructionFacts::none();
  /// As printed by LLVM, with the suffix of its encoding ("v_add_u32_e32").
  /// Valid as long as the executor's decoded code.
  const char *Mnemonic = "";
  /// gfx9's name without suffix: one for all GPUs ("global_load_dword").
  const char *Name = "";
  /// A number that is the same for equal instructions at one address, and
  /// different otherwise, during the life of the executor.
  uint64_t Id = 0;
  /// Its machine code, Size bytes.
  const uint32_t *Words = nullptr;
  uint64_t Exec = 0; ///< Before the instruction; only lanes that exist.
  /// SIMM16 (waits, branches), the offset field of memory instructions.
  int32_t Immediate = 0;
  uint8_t Cache = 0; ///< Bits of cache::
  /// gfx12's scope: 0 compute unit, 1 shader engine, 2 device, 3 system.
  uint8_t Scope = 0;
  /// The instruction accesses memory (Accesses may still be empty if no lane is
  /// active), and what its accesses do.
  bool IsLoad = false, IsStore = false, IsAtomic = false;
  /// An atomic that returns the old value.
  bool Returns = false;
  bool IsFlat = false; ///< An access's address decides about the space.
  /// It is reported by translated code that Observer::enters() has allowed;
  /// State is what that has said.
  bool IsTranslated = false;
  uint64_t State = 0;

  /// Filled in if the observer wants registers.
  std::vector<RegisterRange> Reads, Writes;
  /// Filled in if the observer wants accesses: those that the instruction will
  /// make with the wave's present state. An access that faults is among them.
  std::vector<LaneAccess> Accesses;
};

/// What all lanes of an instruction access, in one memory.
struct AccessBounds {
  LaneAccess::Space In = LaneAccess::Global;
  Access Kind = Access::Read;
  uint8_t Size = 0; ///< of a lane's access, in bytes
  /// The accesses are in [First, End), which can be accessed.
  uint64_t First = 0, End = 0;
  uint64_t Bits = 0; ///< of an atomic: those that are set in any address
};

/// What an observer says ahead of the rows of private memory that code accesses
/// (StraightCode::Rows).
struct PlannedRows {
  static constexpr unsigned Most = 4;
  struct Row {
    uint64_t Dword = 0; ///< the offset in a lane's private memory, in dwords
    /// Of EXEC: a load must find these quiet (QuietRows) and no others; a store
    /// leaves these quiet and no others.
    uint64_t Lanes = 0;
  };
  /// Those with MayBePlanned aren't reported, but are as the elements say.
  uint8_t IsSet = false;
  Row At[Most];
  /// By index of StraightCode::Rows: flat ones that are rows of private memory,
  /// of which all active lanes access the same dwords.
  uint64_t AreRows = 0;
};

/// Instructions of translated code that are executed one after the other, all
/// with the same EXEC. Only the last one can branch or write EXEC.
struct StraightCode {
  /// A load or store that may access a row of private memory.
  struct Row {
    size_t Step = 0;
    /// Its data: an index of WaveState's vector registers.
    unsigned Register = 0;
    unsigned Words = 0;
    bool IsStore = false;
    /// It is one of PlannedRows::At, with the same index: it is of one dword,
    /// and reported with observe::QuietRows.
    bool MayBePlanned = false;
  };

  uint64_t Id = 0; ///< unique
  /// What is known of them before they are executed: without Exec and Accesses.
  /// Lanes of vector registers are 0 for those of EXEC. Others have, with
  /// AnyLane, lanes that may be accessed; of a write of one lane, that one.
  std::vector<ObservedInstruction> Steps;
  std::vector<Row> Rows;
};

/// Private memory whose rows needn't be reported.
struct QuietRows {
  /// For each dword of a lane's private memory: the lanes that may load it
  /// unreported. Translated code adds those that store to it, if rows needn't
  /// be reported for anything else. At least four can be read.
  uint64_t *Lanes = nullptr;
  uint64_t Count = 0;
};

/// Observes the waves of an executor. Called in the executor's thread.
class Observer {
public:
  virtual ~Observer();

  /// With observe::FilterAccesses: whether an instruction must be reported, by
  /// the bounds of its accesses.
  virtual bool needsAccesses(const AccessBounds &) { return true; }
  /// Without observe::Rows: whether an instruction at \a PC is reported when
  /// all of its active lanes access one aligned offset of private memory within
  /// its bounds, as for variables and spilled registers, or when none is
  /// active. Others always are. Asked once; the answer holds for the code.
  virtual bool needsRows(uint64_t /*PC*/) { return true; }
  /// With observe::FilterRegisters: whether an instruction that accesses no
  /// memory must be reported, by the registers that it may use in any lane.
  virtual bool needsRegisters(InstClass,
                              const std::vector<RegisterRange> & /*Reads*/,
                              const std::vector<RegisterRange> & /*Writes*/) {
    return true;
  }

  // With observe::Guards, for translated code. The executor remembers answers.

  /// A number for all that enters() depends on, other than EXEC.
  virtual uint64_t state() { return 0; }
  /// Whether \a Code may be executed without reporting what it does with
  /// registers. If so, all of it will be, unless the wave stops for good.
  /// \param State  The number before it, and what it will be behind it.
  /// \param Rows  What may be said of its rows. Where that turns out to be
  ///     wrong, the code is left in front of the instruction.
  virtual bool enters(const StraightCode & /*Code*/, uint64_t /*Exec*/,
                      uint64_t & /*State*/, PlannedRows & /*Rows*/) {
    return false;
  }
  /// After an instruction was reported in it: whether it may still be executed.
  virtual bool mayGoOn(uint64_t /*State*/) { return true; }
  /// Translated code is left behind the first \a Steps of \a Last, which it
  /// has entered with \a Exec and \a State. The number behind all is \a Next.
  virtual void left(const StraightCode & /*Last*/, size_t /*Steps*/,
                    uint64_t /*Exec*/, uint64_t /*State*/, uint64_t /*Next*/,
                    const PlannedRows & /*Rows*/) {}
  /// With observe::QuietRows; asked again after each instruction that is
  /// reported.
  virtual QuietRows quietRows() { return {}; }

  /// The wave is about to execute \a I: nothing has changed yet, the PC is at
  /// the instruction.
  /// \return False to stop the wave there, with StepResult::Observed. When the
  ///     wave is run again, before() is called again.
  virtual bool before(const WaveState &Wave, const ObservedInstruction &I);

  /// The wave has executed \a I, whose ranges and accesses are those that
  /// before() was given. Not called if the instruction had no effect (illegal,
  /// or Observed). After a memory violation it isn't called either, though
  /// lanes whose access succeeded have done it.
  virtual void after(const WaveState &Wave, const ObservedInstruction &I);
};

/// What is reported to an observer; bits.
namespace observe {
enum : unsigned {
  Accesses = 1 << 0,       ///< Fill in Accesses.
  FlatAccesses = 1 << 2,   ///< Fill in Accesses of flat instructions.
  Registers = 1 << 1,      ///< Fill in Reads and Writes, and report all
                           ///< instructions. Without it, scalar and vector
                           ///< arithmetic and branches aren't reported.
  OtherRegisters = 1 << 4, ///< Fill in Reads and Writes of the instructions
                           ///< that are reported without Registers.
  Calls = 1 << 3,          ///< Report calls and returns (s_swappc_b64,
                           ///< s_call_b64, s_setpc_b64), and of nothing else if
                           ///< it is the only one.
  Rows = 1 << 7,           ///< Report each row of private memory, without
                           ///< asking needsRows().
  Guards = 1 << 8,         ///< Ask Observer::enters().
  QuietRows = 1 << 9,      ///< Ask Observer::quietRows().
  // With these, the observer is asked before an instruction is described.
  FilterAccesses = 1 << 5,  ///< Only for Accesses; without OtherRegisters but
                            ///< in translated code.
  FilterRegisters = 1 << 6, ///< For what is reported for Registers alone, and
                            ///< without Accesses for OtherRegisters.
};
} // namespace observe

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_OBSERVER_H
