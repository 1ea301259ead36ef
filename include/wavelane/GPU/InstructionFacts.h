//===-- InstructionFacts.h - what an instruction is -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows instructions by name, for all that ask what one is:
// checks, origins, unwinding, the debugger library, the server. What an
// instruction computes is in source/Simulator/ISA.
//
// Facts are found by the mnemonic that LLVM prints. InstructionFactsTest
// compares them with LLVM's tables, over all instructions of all GPUs.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_GPU_INSTRUCTIONFACTS_H
#define WAVELANE_GPU_INSTRUCTIONFACTS_H

#include "wavelane/GPU/Features.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace wavelane::gpu {

/// What an instruction is for, for those who treat instructions by kind.
enum class InstructionClass : uint8_t {
  ScalarALU,
  VectorALU,    ///< Also readlane, writelane, DPP and matrices.
  ScalarMemory, ///< s_load_*, s_store_*, s_memtime.
  VectorMemory, ///< flat_*, global_*, scratch_*, buffer_*, image_*.
  Local,        ///< ds_*, also those that only exchange lanes.
  Branch,       ///< Branches, calls, s_setpc_b64.
  Barrier,      ///< s_barrier*, ds_gws_barrier.
  Wait,         ///< s_waitcnt* and gfx12's s_wait_*.
  Cache,   ///< Writes back or invalidates caches (buffer_wbl2, s_dcache_inv,
           ///< buffer_gl0_inv, global_wb...).
  Message, ///< s_sendmsg*.
  End,     ///< s_endpgm*.
  Other,   ///< s_nop, s_sleep, s_setreg, s_trap...
};

/// Which unit executes an instruction, by its encoding.
enum class InstructionUnit : uint8_t {
  Unknown,
  Scalar,
  ScalarMemory,
  Vector,
  Local,
  Flat,
  Global,
  Scratch,
  Buffer,
  Image,
  Export,
};

enum class MemoryOperation : uint8_t { None, Load, Store, Atomic };

/// Where a wave goes on.
enum class ControlFlow : uint8_t {
  Next,
  Branch,
  ConditionalBranch,
  Loop,         ///< s_subvector_loop_*
  Fork,         ///< s_cbranch_g_fork, s_cbranch_join...
  Jump,         ///< to the address in a register pair
  RelativeJump, ///< s_add_pc_i64
  TrapReturn,   ///< s_rfe_b64
  Call,
  IndirectCall,
  End,
  CodeEnd, ///< s_code_end, which pads code
};

enum class BranchCondition : uint8_t {
  None,
  Scc0,
  Scc1,
  VccZ,
  VccNZ,
  ExecZ,
  ExecNZ,
  Debugger, ///< s_cbranch_cdbg*
};

/// What a wave does at a barrier.
enum class BarrierStep : uint8_t {
  None,
  SignalAndWait,
  Signal,
  Wait,
  Grid,  ///< Signals and waits, for the whole grid.
  Other, ///< s_barrier_init, s_get_barrier_state...
};

/// Which counters an instruction waits for.
enum class WaitKind : uint8_t {
  None,
  Packed, ///< s_waitcnt; its fields depend on the GPU (WaitEncoding).
  Store,
  Load,
  Local,
  Scalar,
  LoadAndLocal,
  StoreAndLocal,
  All,
  Other, ///< exports, samples...
};

/// Whose writes loads see after an instruction that invalidates caches.
enum class Invalidation : uint8_t {
  None,
  Device,
  DeviceIfSc1,     ///< with the cache bit sc1; otherwise the workgroup's
  DeviceIfInScope, ///< with a scope of the device or the system
};

/// Each bit of the result only depends on the operands' bits in its place.
enum class LogicOperation : uint8_t {
  None,
  Not,
  And,
  AndNot2, ///< a & ~b
  AndNot1, ///< ~a & b
  Or,
  OrNot2,
  OrNot1,
  Xor,
  Nand,
  Nor,
  Xnor,
};

/// Its result is one of its operands.
enum class MoveKind : uint8_t {
  None,
  Scalar,
  Vector,      ///< also to and from accumulation registers
  Conditional, ///< of a scalar (s_cmov)
  Select,      ///< one of two (v_cndmask, s_cselect)
  ReadLane,
  ReadFirstLane,
  WriteLane,
  Permute, ///< lanes
  Swap,    ///< two registers
};

/// A sum of scalars of 32 bits.
enum class ScalarSum : uint8_t { None, Add, Subtract, AddShort };

/// Moves a half of 64 bits, if its operands have certain values.
enum class HalfMove : uint8_t { None, Shift, Pair };

struct InstructionFacts {
  /// As LLVM prints it, with the suffix of its encoding ("v_add_u32_e32").
  std::string Mnemonic;
  /// gfx9's name without suffix: one for all GPUs ("global_load_dword").
  std::string Name;
  InstructionClass Class = InstructionClass::Other;
  InstructionUnit Unit = InstructionUnit::Unknown;

  //===-- Control flow ----------------------------------------------------===//
  ControlFlow Flow = ControlFlow::Next;
  BranchCondition Condition = BranchCondition::None;
  bool ReadsPC = false; ///< s_getpc_b64
  bool IsTrap = false, IsHalt = false, IsSleep = false, IsNop = false;

  //===-- Other waves and the memory that they see ------------------------===//
  BarrierStep Barrier = BarrierStep::None;
  /// Waits for other waves or lets them go on: a barrier, a sleep.
  bool MeetsWaves = false;
  bool IsWaveSync = false; ///< ds_gws_*
  WaitKind Wait = WaitKind::None;
  Invalidation Invalidates = Invalidation::None;

  //===-- Memory ----------------------------------------------------------===//
  MemoryOperation Memory = MemoryOperation::None;
  bool IsSigned = false; ///< A load extends a short value with its sign.
  bool IsHalf = false;   ///< The value is in half a register (d16).
  /// Of scalar memory: the address is a global one in registers, neither a
  /// descriptor's nor one in scratch memory.
  bool HasGlobalAddress = false;

  //===-- Results ---------------------------------------------------------===//
  MoveKind Move = MoveKind::None;
  LogicOperation Logic = LogicOperation::None;
  ScalarSum Sum = ScalarSum::None;
  HalfMove Halves = HalfMove::None;
  /// Each bit of the result only depends on the same bits of the operands.
  bool IsBitwise = false;
  /// Adds or subtracts 32 bits and a carry, or gives one to the next 32.
  bool IsCarry = false;
  /// A lane's bit of a scalar operand chooses, or is its carry.
  bool ReadsLaneMask = false;
  /// It has a second result, with a bit for each lane: a carry.
  bool WritesLaneMask = false;
  bool IsCompare = false;
  bool IsMatrix = false; ///< v_mfma_*, v_smfmac_*, v_wmma_*, v_swmmac_*
  bool IsDual = false;   ///< two operations in one instruction
  /// A register whose number is in another one is read or written.
  bool IsRelative = false;
  bool SetsIndexing = false; ///< s_set_gpr_idx_*
  /// s_setreg_*, s_round_mode, s_denorm_mode.
  bool WritesHardwareRegisters = false;
  unsigned Bits = 0; ///< of moves, logic and sums

  //===-- Execution masks -------------------------------------------------===//
  bool WritesExec = false; ///< whatever its operands are
  bool SavesExec = false;  ///< s_*_saveexec_*: the old EXEC is a result
  bool CopiesExec = false; ///< s_*_wrexec_*: the new EXEC also goes elsewhere

  //===-- Types -----------------------------------------------------------===//
  /// "f32" and "i32" in v_cvt_f32_i32; empty if the mnemonic doesn't say.
  std::string ResultType, OperandType;
  /// "f16" in v_pk_add_f16: operands and results are two each.
  std::string PackedType;
  bool IsDivision = false; ///< v_rcp_*, v_rsq_*, and v_div_scale_*, its begin

  /// It works on all bits of each lane's own registers: neither DPP nor SDWA.
  bool IsPlain = true;

  bool isMoveOf(MoveKind Kind, unsigned OfBits) const {
    return Move == Kind && Bits == OfBits && IsPlain;
  }
  bool isScalar() const {
    return Unit == InstructionUnit::Scalar ||
           Unit == InstructionUnit::ScalarMemory;
  }
  bool accessesOneLane() const {
    return Move == MoveKind::ReadLane || Move == MoveKind::ReadFirstLane ||
           Move == MoveKind::WriteLane;
  }

  /// The facts of an instruction by its mnemonic, which may be any text.
  static InstructionFacts of(llvm::StringRef Mnemonic);
  /// The same, kept until the process ends. Thread-safe.
  static const InstructionFacts &get(llvm::StringRef Mnemonic);
  /// Facts of no instruction.
  static const InstructionFacts &none();
};

/// gfx9's name of an instruction, without the suffix of its encoding. Later
/// GPUs have renamed most memory instructions and some arithmetic ones without
/// changing them.
std::string baseMnemonic(llvm::StringRef Mnemonic);

/// The counters of memory operations. GPUs before gfx12 have the first three.
enum class WaitCounter : uint8_t { Load, Local, Store, Scalar };

/// The instruction that waits until at most \p Limit operations are
/// outstanding, as in assembly.
std::string waitInstruction(WaitEncoding In, WaitCounter For, unsigned Limit);

/// The matrices of a v_mfma_* instruction: D (rows x columns) = A B + C.
struct MatrixShape {
  unsigned Rows = 0, Columns = 0;
  unsigned Depth = 0;     ///< the columns of A
  std::string ResultType; ///< "f32"
  std::string SourceType; ///< "bf16"
};
/// \return None for other instructions.
std::optional<MatrixShape> getMatrixShape(llvm::StringRef Mnemonic);

} // namespace wavelane::gpu

#endif // WAVELANE_GPU_INSTRUCTIONFACTS_H
