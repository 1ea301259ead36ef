//===-- Core.h - decoded instructions and the machine that runs them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the ISA library. An instruction is decoded once: its operands are
// resolved to register numbers or constants, and its meaning to a handler found
// by mnemonic in the OpTable. Handlers are grouped by family (Vector*.cpp,
// Scalar.cpp, *Memory.cpp); encodings, lanes, EXEC and modifiers are handled
// here and in Lanes.h, separately from the handlers.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_ISA_CORE_H
#define WAVELANE_SIMULATOR_ISA_CORE_H

#include "wavelane/GPU/InstructionFacts.h"
#include "wavelane/Simulator/ISA/WaveState.h"

#include <cstring>
#include <memory>

namespace wavelane::isa {

constexpr unsigned MaxLanes = 64;

class Observer;
struct Machine;
struct Inst;
struct LaneAccess;
struct Uses;
struct TracePart;
struct Env;
using Handler = void (*)(Machine &, const Inst &);

/// The type of an operand. It determines the number of registers, the meaning
/// of inline constants and literals, and which modifiers apply. PF32 is a pair
/// of f32 (or of any words). Mask is a bit for each lane: a dword for every 32
/// lanes of the wave.
enum class Kind : uint8_t {
  None,
  B32,
  B16,
  F32,
  F16,
  BF16,
  Mask,
  B64,
  I64,
  F64,
  PF32
};

/// The number of vector registers for an operand.
inline unsigned dwordsOf(Kind K) {
  return K == Kind::None ? 0 : K >= Kind::B64 ? 2 : 1;
}

/// How an instruction uses the MODE register's rounding.
enum class FpClass : uint8_t {
  None,
  F32,
  F64,  ///< The mode that f64 and f16 share.
  Near, ///< Rounded to nearest even regardless of the mode.
};

enum class Encoding : uint8_t {
  SOP2,
  SOPK,
  SOP1,
  SOPC,
  SOPP,
  SMEM,
  VOP2,
  VOP1,
  VOPC,
  VOP3,
  VOP3P,
  MAI,
  VINTRP,
  DS,
  MUBUF,
  MTBUF,
  MIMG,
  FLAT,
  EXP,
};

/// The implementation of a mnemonic.
struct Op {
  enum : uint32_t {
    ReadsDst = 1 << 0,    ///< The destination is the third source (v_mac).
    HasDst = 1 << 1,      ///< Memory: the first register is the result.
    KeepsHigh16 = 1 << 3, ///< A 16-bit result doesn't change the other half.
    ScalarDst = 1 << 4,   ///< vdst is an SGPR (v_readlane).
    Packed = 1 << 5,      ///< The handler itself implements op_sel and clamp.
    Acc = 1 << 6,         ///< Moves between arch and acc registers.
    OwnOpSel =
        1 << 7, ///< The handler itself implements op_sel (I.Packed.OpSel).
    IntegerFlags = 1 << 8, ///< Division by zero is an integer division's; other
                           ///< exceptions are ignored.
    Accesses = 1 << 9,     ///< It accesses memory, and heeds Machine::Probe.
    IsAtomic = 1 << 10,
    MovesLanes = 1 << 11,  ///< Each lane of the result is a lane of one source
                           ///< register, or 0.
    MixesHalves = 1 << 12, ///< A source is a half where op_sel_hi is set.
    ReadsVcc = 1 << 13,    ///< Each lane's bit, which isn't among its operands.
  };
  Handler Fn = nullptr;
  /// For integer results with the clamp bit; if null, clamp isn't modeled.
  Handler ClampFn = nullptr;
  Kind Args[5] = {Kind::None, Kind::None, Kind::None, Kind::None, Kind::None};
  Kind Result = Kind::None;
  uint8_t NumArgs = 0;
  FpClass Fp = FpClass::None;
  uint32_t Flags = 0;
  /// For the handler: the access size in bytes, a count, or a sub-operation.
  uint32_t Data = 0;
  uint32_t Data2 = 0;
  const void *Table = nullptr; ///< Specific to a family.
  /// For translated code: the same for eight lanes, of operands without
  /// modifiers and with the usual MODE. Operand N begins at 64 * N in \a Lanes,
  /// and the result at ResultAt, each as an array of eight dwords or pairs.
  /// \param Mask  With ReadsVcc: VCC's bits of these lanes.
  /// \return The bits of the mask that the instruction writes.
  uint32_t (*Eight)(const Env &E, void *Lanes, uint32_t Mask) = nullptr;
  static constexpr unsigned EightStep = 64, ResultAt = 4 * EightStep;
};

struct Operand {
  enum class Where : uint8_t { None, VGPR, AccVGPR, Scalar, Const, Special };
  Where At = Where::None;
  bool Neg = false;
  bool Abs = false;
  bool Sext = false; ///< SDWA with integers.
  uint8_t Sel = 6;   ///< SDWA: 0-3 byte, 4-5 word, 6 dword.
  bool High = false; ///< op_sel: the upper half of a 16-bit operand.
  /// No modifiers or selection: a VGPR's lanes can be used in place.
  bool Plain = false;
  uint16_t Reg = 0; ///< A VGPR or a scalar operand number.
  uint64_t Const = 0;
};

/// What becomes of a vector result.
struct OutputModifiers {
  bool Clamp = false;
  uint8_t Omod = 0;
  bool High = false; ///< op_sel bit 3.
  bool Sdwa = false;
  uint8_t Sel = 6;    ///< SDWA, as Operand::Sel
  uint8_t Unused = 0; ///< SDWA: 0 pad, 1 sign-extend, 2 preserve.
  /// A 16-bit result doesn't change the other half.
  bool KeepsHigh = false;
  bool IsPlain = true; ///< There is none.
};

/// Which lane's first operand a lane takes (Dpp.h).
struct DppControl {
  bool IsOn = false, Is8 = false;
  bool FetchInactive = false;
  uint16_t Ctrl = 0;
  uint32_t Sel8 = 0; ///< Is8: 3 bits per lane.
  bool BoundCtrl = false;
  uint8_t RowMask = 15, BankMask = 15;
};

/// VOP3P: bit n is source n.
struct PackedModifiers {
  uint8_t OpSel = 0, OpSelHi = 0, NegLo = 0, NegHi = 0;
};

/// Matrix instructions: how to read A and B, and where D is.
struct MatrixModifiers {
  uint8_t Cbsz = 0, Abid = 0, Blgp = 0;
  bool AccDst = false;
};

/// The fields of an instruction that accesses memory.
struct MemoryFields {
  uint16_t VAddr = 0, VData = 0, VData1 = 0, SAddr = 0, SOffset = 0;
  bool HasSAddr = false, Glc = false, AccData = false, IdxEn = false,
       OffEn = false, Lds = false, Gds = false;
  uint8_t Seg = 0; ///< FLAT: 0 flat, 1 scratch, 2 global.
  /// FLAT: what its handler has moved rows of (MemoryRows.h).
  enum : uint8_t { PrivateRow = 1, GlobalRow = 2 };
  mutable uint8_t SeenRows = 0;
  uint8_t AddrCount = 0; ///< The number of vector registers of the address.
};

struct Inst {
  const Op *O = nullptr; ///< Null if it isn't modeled or isn't an instruction.
  Handler Fn = nullptr;
  uint32_t Words[4] = {0, 0, 0, 0};
  uint8_t Size = 0;      ///< In bytes: 4, 8, 12 or 16.
  bool IsBranch = false; ///< s_branch and s_cbranch_*: Imm says where to.
  Encoding Enc = Encoding::SOPP;
  uint8_t NumSrc = 0;
  FpClass Fp = FpClass::None;

  Operand Src[5];
  uint16_t Dst = 0;       ///< A VGPR or a scalar operand number.
  uint16_t SDst = 0;      ///< Scalar destination of VOP3B, VOPC.
  uint16_t NeedVGPRs = 0; ///< The number of arch VGPRs that must exist.

  OutputModifiers Out;
  DppControl Dpp;
  PackedModifiers Packed;
  MatrixModifiers Matrix;
  int32_t Imm = 0; ///< SIMM16, or the offset of an access
  MemoryFields Memory;

  /// What observers get, once there is one.
  mutable std::shared_ptr<const Uses> Observed;

  /// The other half of a dual-issue pair. Its sources are read before the
  /// first half writes.
  std::shared_ptr<Inst> Other;
  bool OtherReadsDst = false;

  std::string Text; ///< The mnemonic as printed, or the reason why there is
                    ///< none.
  /// Without O: LLVM knows the instruction.
  bool IsUnmodeled = false;
};

/// The mode bits that lane functions need, unpacked.
struct Env {
  bool IEEE = true;
  bool DX10Clamp = true;
  bool FP16Ovfl = false;
  bool FlushInF32 = false, FlushOutF32 = false;
  bool FlushInF64 = false, FlushOutF64 = false; ///< Also for f16.
  uint8_t RoundF32 = 0, RoundF64 = 0;
};

/// Memory that has been resolved in this epoch (MemoryAccess::epoch()).
struct ResolvedSpans {
  MemorySpan Spans[3]; ///< by Access (Read, Write, Atomic)
  MemorySpan OldSpans[3];
  /// Where rows of private memory were read and written last (MemoryRows.h).
  MemorySpan Rows[2];
};

/// A running wave.
struct Machine : ResolvedSpans {
  WaveState &W;
  MemoryAccess &Mem;
  uint32_t *V; ///< Vector registers.
  unsigned Lanes;
  uint64_t LaneMask;   ///< A bit for each existing lane.
  uint64_t InstPC = 0; ///< The address of the current instruction.
  uint64_t NextPC = 0;
  bool Stop = false; ///< The handler has filled Result.
  StepResult Result;
  Env E;
  uint32_t EnvMode = ~0u; ///< The MODE that E was computed from.
  unsigned Csr[4] = {};   ///< MXCSR by FpClass.
  unsigned CurCsr = 0;
  bool FpTraps = false; ///< Whether any arithmetic exception is enabled.

  // EXEC as full-width masks, computed on demand when EXEC has changed.
  uint64_t MaskOf = 0;
  bool MaskValid = false;
  alignas(64) uint32_t Mask[MaxLanes];
  alignas(64) uint32_t DppMask[MaxLanes];

  // Buffers for operands that aren't unmodified VGPRs.
  alignas(64) uint32_t Tmp[4][MaxLanes];
  alignas(64) uint64_t Tmp64[4][MaxLanes];

  const std::vector<AddressWatch> *Watches = nullptr;
  bool Retries = false;       ///< An access that faults may be tried again.
  bool Unordered = false;     ///< Executor::setUnordered()
  bool LanesReversed = false; ///< stores and atomics begin with the last lane
  bool LocalRangeFaults = false; ///< ds_* outside of local memory is a fault.
  /// Instead of accessing memory, handlers add what they would access.
  std::vector<LaneAccess> *Probe = nullptr;
  /// While probing: who is asked first whether the accesses matter, and whether
  /// they don't.
  Observer *Filter = nullptr;
  bool IsFiltered = false;
  void *Run = nullptr; ///< of the executor, for Trace::Notify
  /// Trace::Notify has learnt that the observer wants something else from now
  /// on.
  bool LeavesTrace = false;
  /// With observe::Guards: the part of a trace that was entered last, the
  /// observer's state after it, and how many steps of the trace were executed
  /// when it was left; AllSteps if all of the part.
  TracePart *InPart = nullptr;
  uint64_t ObserverState = 0;
  static constexpr uint64_t AllSteps = ~uint64_t(0);
  uint64_t LeftAfter = AllSteps;
  /// With observe::QuietRows.
  uint64_t *QuietLanes = nullptr;
  uint64_t QuietCount = 0;
  uint32_t WatchHits = 0;
  uint64_t WatchLanes = 0; ///< Lanes whose access hit a watch.

  Machine(WaveState &W, MemoryAccess &Mem)
      : W(W), Mem(Mem), V(W.VGPR.data()), Lanes(W.LaneCount),
        LaneMask(W.LaneCount == 64 ? ~uint64_t(0) : 0xffffffffu) {}

  const gpu::Family &family() const { return gpu::get(W.Processor).family(); }
  const gpu::Features &features() const { return gpu::features(W.Processor); }
  /// With 32 lanes, a load of both halves would wait until the store of one is
  /// in the cache.
  uint64_t exec() const {
    return Lanes == 64 ? W.exec() : W.Scalar[scalar::ExecLo];
  }
  uint64_t vcc() const {
    return Lanes == 64 ? W.vcc() : W.Scalar[scalar::VccLo];
  }
  /// Writes a bit for each lane to a scalar destination.
  void writeMask(unsigned Dst, uint64_t Bits) {
    W.Scalar[Dst] = uint32_t(Bits);
    if (Lanes == 64)
      W.Scalar[Dst + 1] = uint32_t(Bits >> 32);
  }
  uint64_t mask(const Operand &S) {
    return Lanes == 64 ? scalar64(S) : scalar32(S);
  }
  uint32_t *vgpr(unsigned R) { return V + size_t(R) * Lanes; }
  bool scc() const { return W.Status & status::SCC; }
  void setScc(bool B) {
    W.Status = (W.Status & ~uint32_t(status::SCC)) | uint32_t(B);
  }

  void stop(StepResult::Kind Reason, uint32_t Code = 0) {
    Stop = true;
    Result.Reason = Reason;
    Result.Code = Code;
  }
  /// Ends the run at this instruction.
  void illegal(const Inst &I, const char *Why) {
    stop(StepResult::IllegalInstruction);
    Result.Text = I.Text + ": " + Why;
    NextPC = InstPC;
  }
  /// The same for what hardware executes.
  void unmodeled(const Inst &I, const char *Why) {
    illegal(I, Why);
    Result.IsUnmodeled = true;
  }
  /// Leaves the instruction to a run without Unordered.
  void waitForOrder() {
    stop(StepResult::Ordered);
    NextPC = InstPC;
  }
  void memoryViolation(uint64_t Address, uint64_t Mask, Access Kind) {
    stop(StepResult::MemoryViolation);
    Result.FaultAddress = Address;
    Result.LaneMask = Mask;
    Result.FaultAccess = Kind;
    NextPC = InstPC;
  }

  /// The host pointer to \a Size bytes at a global address, or null.
  uint8_t *global(uint64_t Address, unsigned Size, Access Kind) {
    MemorySpan &S = Spans[unsigned(Kind)];
    if (Address - S.Begin < S.End - S.Begin && S.End - Address >= Size)
      return S.Host + (Address - S.Begin);
    return globalSlow(Address, Size, Kind);
  }
  uint8_t *globalSlow(uint64_t Address, unsigned Size, Access Kind);

  /// The value of a scalar operand.
  uint32_t scalar32(const Operand &S) {
    if (S.At == Operand::Where::Scalar)
      return W.Scalar[S.Reg];
    if (S.At == Operand::Where::Const)
      return uint32_t(S.Const);
    return uint32_t(special(S));
  }
  uint64_t scalar64(const Operand &S) {
    if (S.At == Operand::Where::Scalar)
      return W.pair(S.Reg);
    if (S.At == Operand::Where::Const)
      return S.Const;
    return special(S);
  }
  uint64_t special(const Operand &S);

  /// MODE has changed.
  void updateEnv();
};

/// Implementations by mnemonic without encoding suffix.
class OpTable {
public:
  OpTable();
  ~OpTable();
  OpTable(const OpTable &) = delete;
  OpTable &operator=(const OpTable &) = delete;
  void add(const char *Name, const Op &O);
  /// Null if there is none. \a Name has no suffix.
  const Op *find(const std::string &Name) const;

private:
  struct Impl;
  Impl *P;
};

/// The name under which an instruction is registered.
using gpu::baseMnemonic;

void addScalarOps(OpTable &T);
void addScalarFloatOps(OpTable &T);
void addFlatMemoryOps(OpTable &T);
void addBufferMemoryOps(OpTable &T);
void addLocalMemoryOps(OpTable &T);
void addMatrixOps(OpTable &T);

template <class To, class From> inline To bitCast(From V) {
  static_assert(sizeof(To) == sizeof(From), "size");
  To R;
  std::memcpy(&R, &V, sizeof(R));
  return R;
}

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_CORE_H
