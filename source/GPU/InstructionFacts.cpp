//===-- InstructionFacts.cpp - what an instruction is ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/GPU/InstructionFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <mutex>

using llvm::StringRef;
using llvm::StringSwitch;

namespace wavelane::gpu {

static bool startsWithAny(StringRef Name,
                          std::initializer_list<StringRef> Starts) {
  return llvm::any_of(Starts,
                      [&](StringRef Start) { return Name.starts_with(Start); });
}

//===----------------------------------------------------------------------===//
// Units and classes
//===----------------------------------------------------------------------===//

/// Loads and stores of scalars, the caches that these use, and clocks, which
/// have the same encoding.
static bool isScalarMemory(StringRef Name) {
  return startsWithAny(Name, {"s_load_", "s_store_", "s_atomic_", "s_scratch_",
                              "s_buffer_", "s_dcache_", "s_gl1_inv",
                              "s_memtime", "s_memrealtime", "s_atc_probe",
                              "s_prefetch_", "s_get_waveid_in_workgroup"});
}

static InstructionUnit unitOf(StringRef Name) {
  if (isScalarMemory(Name))
    return InstructionUnit::ScalarMemory;
  return StringSwitch<InstructionUnit>(Name.split('_').first)
      .Case("s", InstructionUnit::Scalar)
      .Case("v", InstructionUnit::Vector)
      .Case("ds", InstructionUnit::Local)
      .Case("flat", InstructionUnit::Flat)
      .Cases({"global", "cluster"}, InstructionUnit::Global)
      .Case("scratch", InstructionUnit::Scratch)
      .Cases({"buffer", "tbuffer"}, InstructionUnit::Buffer)
      .Case("image", InstructionUnit::Image)
      .Cases({"exp", "export"}, InstructionUnit::Export)
      .Default(InstructionUnit::Unknown);
}

static bool isCacheOperation(StringRef Name) {
  return Name.contains("cache_") || Name.contains("_inv") ||
         Name.contains("_wbinv") ||
         startsWithAny(Name, {"global_wb", "buffer_wb"});
}

/// Instructions of the scalar unit that neither compute nor branch.
static bool isScalarOther(StringRef Name) {
  return startsWithAny(Name, {"s_nop",
                              "s_sleep",
                              "s_monitor_sleep",
                              "s_trap",
                              "s_sethalt",
                              "s_setkill",
                              "s_setprio",
                              "s_setreg_",
                              "s_set_gpr_idx_mode",
                              "s_set_gpr_idx_off",
                              "s_set_inst_prefetch",
                              "s_inst_prefetch",
                              "s_set_vgpr_msb",
                              "s_incperflevel",
                              "s_decperflevel",
                              "s_ttracedata",
                              "s_code_end",
                              "s_wakeup",
                              "s_clause",
                              "s_delay_alu",
                              "s_round_mode",
                              "s_denorm_mode"});
}

static BarrierStep barrierOf(StringRef Name) {
  return StringSwitch<BarrierStep>(Name)
      .Case("s_barrier", BarrierStep::SignalAndWait)
      .StartsWith("s_barrier_signal", BarrierStep::Signal)
      .Case("s_barrier_wait", BarrierStep::Wait)
      .Case("ds_gws_barrier", BarrierStep::Grid)
      .StartsWith("s_barrier_", BarrierStep::Other)
      .Cases({"s_wakeup_barrier", "s_get_barrier_state"}, BarrierStep::Other)
      .Default(BarrierStep::None);
}

static InstructionClass classOf(StringRef Name, const InstructionFacts &F) {
  switch (F.Unit) {
  case InstructionUnit::Vector:
    return InstructionClass::VectorALU;
  case InstructionUnit::Unknown:
  case InstructionUnit::Export:
    return InstructionClass::Other;
  default:
    break;
  }
  if (F.Barrier != BarrierStep::None)
    return InstructionClass::Barrier;
  if (startsWithAny(Name, {"s_waitcnt", "s_wait_"}))
    return InstructionClass::Wait;
  if (isCacheOperation(Name))
    return InstructionClass::Cache;
  switch (F.Unit) {
  case InstructionUnit::ScalarMemory:
    return InstructionClass::ScalarMemory;
  case InstructionUnit::Local:
    return InstructionClass::Local;
  case InstructionUnit::Scalar:
    break;
  default:
    return InstructionClass::VectorMemory;
  }
  if (F.Flow == ControlFlow::End)
    return InstructionClass::End;
  if (F.Flow != ControlFlow::Next && F.Flow != ControlFlow::CodeEnd)
    return InstructionClass::Branch;
  if (Name.starts_with("s_sendmsg"))
    return InstructionClass::Message;
  return isScalarOther(Name) ? InstructionClass::Other
                             : InstructionClass::ScalarALU;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static void setFlow(StringRef Name, InstructionFacts &F) {
  Name.consume_back("_pad_s_nop"); // where a GPU needs an s_nop after it
  F.Flow =
      StringSwitch<ControlFlow>(Name)
          .Case("s_branch", ControlFlow::Branch)
          .Cases({"s_cbranch_g_fork", "s_cbranch_i_fork", "s_cbranch_join"},
                 ControlFlow::Fork)
          .StartsWith("s_cbranch_", ControlFlow::ConditionalBranch)
          .StartsWith("s_subvector_loop_", ControlFlow::Loop)
          .Case("s_setpc_b64", ControlFlow::Jump)
          .Case("s_add_pc_i64", ControlFlow::RelativeJump)
          .StartsWith("s_rfe_", ControlFlow::TrapReturn)
          .Case("s_call_b64", ControlFlow::Call)
          .Case("s_swappc_b64", ControlFlow::IndirectCall)
          .StartsWith("s_endpgm", ControlFlow::End)
          .Case("s_code_end", ControlFlow::CodeEnd)
          .Default(ControlFlow::Next);
  F.Condition = StringSwitch<BranchCondition>(Name)
                    .Case("s_cbranch_scc0", BranchCondition::Scc0)
                    .Case("s_cbranch_scc1", BranchCondition::Scc1)
                    .Case("s_cbranch_vccz", BranchCondition::VccZ)
                    .Case("s_cbranch_vccnz", BranchCondition::VccNZ)
                    .Case("s_cbranch_execz", BranchCondition::ExecZ)
                    .Case("s_cbranch_execnz", BranchCondition::ExecNZ)
                    .StartsWith("s_cbranch_cdbg", BranchCondition::Debugger)
                    .Default(BranchCondition::None);
  F.ReadsPC = Name == "s_getpc_b64";
  F.IsTrap = Name == "s_trap";
  F.IsHalt = Name == "s_sethalt";
  F.IsSleep = startsWithAny(Name, {"s_sleep", "s_monitor_sleep"});
  F.IsNop = Name == "s_nop";
}

//===----------------------------------------------------------------------===//
// Other waves and the memory that they see
//===----------------------------------------------------------------------===//

static void setWaits(StringRef Name, InstructionFacts &F) {
  F.IsWaveSync = Name.starts_with("ds_gws_");
  F.MeetsWaves = F.IsWaveSync || F.IsSleep ||
                 startsWithAny(Name, {"s_barrier", "s_sendmsghalt"});
  F.Wait = StringSwitch<WaitKind>(Name)
               .Case("s_waitcnt", WaitKind::Packed)
               .Cases({"s_waitcnt_vscnt", "s_wait_storecnt"}, WaitKind::Store)
               .Cases({"s_waitcnt_vmcnt", "s_wait_loadcnt"}, WaitKind::Load)
               .Cases({"s_waitcnt_lgkmcnt", "s_wait_dscnt"}, WaitKind::Local)
               .Case("s_wait_kmcnt", WaitKind::Scalar)
               .Case("s_wait_loadcnt_dscnt", WaitKind::LoadAndLocal)
               .Case("s_wait_storecnt_dscnt", WaitKind::StoreAndLocal)
               .Case("s_wait_idle", WaitKind::All)
               .Default(F.Class == InstructionClass::Wait ? WaitKind::Other
                                                          : WaitKind::None);
  F.Invalidates =
      StringSwitch<Invalidation>(Name)
          .StartsWith("buffer_wbinvl1", Invalidation::Device)
          .Cases({"buffer_gl1_inv", "s_gl1_inv"}, Invalidation::Device)
          .Case("buffer_inv", Invalidation::DeviceIfSc1)
          .Cases({"global_inv", "global_wbinv"}, Invalidation::DeviceIfInScope)
          .Default(Invalidation::None);
}

std::string waitInstruction(WaitEncoding In, WaitCounter For, unsigned Limit) {
  static const char *const Old[] = {"vmcnt", "lgkmcnt", "vscnt", "lgkmcnt"},
                           *const New[] = {"loadcnt", "dscnt", "storecnt",
                                           "kmcnt"};
  const std::string Number = std::to_string(Limit);
  return In == WaitEncoding::GFX12
             ? std::string("s_wait_") + New[unsigned(For)] + " " + Number
             : std::string("s_waitcnt ") + Old[unsigned(For)] + "(" + Number +
                   ")";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// What ds_* instructions do that access local memory, by the word after "ds_".
static MemoryOperation localOperation(StringRef Rest) {
  if (startsWithAny(Rest, {"read", "load_"}))
    return MemoryOperation::Load;
  // The exchanges begin like stores.
  if (startsWithAny(Rest, {"wrxchg", "write_rtn"}))
    return MemoryOperation::Atomic;
  if (startsWithAny(Rest, {"write", "store_"}))
    return MemoryOperation::Store;
  if (startsWithAny(Rest, {"gws_", "permute_", "bpermute_", "swizzle_", "nop",
                           "bvh_", "ordered_count", "param_", "direct_"}))
    return MemoryOperation::None;
  return MemoryOperation::Atomic;
}

static void setMemory(StringRef Name, InstructionFacts &F) {
  using Unit = InstructionUnit;
  using Operation = MemoryOperation;
  const StringRef Rest = Name.split('_').second;
  F.HasGlobalAddress =
      startsWithAny(Name, {"s_load_", "s_store_", "s_atomic_"});
  switch (F.Unit) {
  case Unit::Local:
    F.Memory = localOperation(Rest);
    break;
  case Unit::ScalarMemory:
  case Unit::Flat:
  case Unit::Global:
  case Unit::Scratch:
  case Unit::Buffer:
  case Unit::Image:
    F.Memory = Name.contains("_atomic_")  ? Operation::Atomic
               : Name.contains("_store_") ? Operation::Store
               : Name.contains("_load_")  ? Operation::Load
                                          : Operation::None;
    break;
  default:
    return;
  }
  F.IsHalf = F.Memory != Operation::None && Name.contains("_d16");
  F.IsSigned = F.Memory == Operation::Load &&
               (Name.contains("_sbyte") || Name.contains("_sshort") ||
                Name.contains("_i8") || Name.contains("_i16"));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The width in the last type of a name, "b64".
static unsigned bitsOf(StringRef Name) {
  const StringRef Type = Name.rsplit('_').second;
  unsigned Bits = 0;
  return Type.size() > 1 && !Type.drop_front().getAsInteger(10, Bits) ? Bits
                                                                      : 0;
}

static MoveKind moveOf(StringRef Name) {
  return StringSwitch<MoveKind>(Name)
      .Cases({"s_mov_b32", "s_mov_b64"}, MoveKind::Scalar)
      .Cases({"v_mov_b16", "v_mov_b32", "v_mov_b64"}, MoveKind::Vector)
      .StartsWith("v_accvgpr_", MoveKind::Vector)
      .Cases({"s_cmov_b32", "s_cmov_b64"}, MoveKind::Conditional)
      .StartsWith("v_cndmask_", MoveKind::Select)
      .StartsWith("s_cselect_", MoveKind::Select)
      .Case("v_readlane_b32", MoveKind::ReadLane)
      .Case("v_readfirstlane_b32", MoveKind::ReadFirstLane)
      .Case("v_writelane_b32", MoveKind::WriteLane)
      .Case("v_permlane_idx_gen_b32", MoveKind::None)
      .StartsWith("v_permlane", MoveKind::Permute)
      .StartsWith("ds_permute_", MoveKind::Permute)
      .StartsWith("ds_bpermute_", MoveKind::Permute)
      .StartsWith("ds_swizzle_", MoveKind::Permute)
      .StartsWith("v_swap_", MoveKind::Swap)
      .Default(MoveKind::None);
}

/// The operation in "s_and_b64" or "v_xor_b32", or of s_*_saveexec_*.
static LogicOperation logicOf(StringRef Name) {
  if (!Name.consume_front("s_") && !Name.consume_front("v_"))
    return LogicOperation::None;
  const auto [Word, Rest] = Name.split('_');
  if (!startsWithAny(Rest, {"saveexec_", "wrexec_"}) &&
      !StringSwitch<bool>(Rest)
           .Cases({"b16", "b32", "b64"}, true)
           .Default(false))
    return LogicOperation::None;
  return StringSwitch<LogicOperation>(Word)
      .Case("not", LogicOperation::Not)
      .Case("and", LogicOperation::And)
      .Case("andn2", LogicOperation::AndNot2)
      .Case("andn1", LogicOperation::AndNot1)
      .Case("or", LogicOperation::Or)
      .Case("orn2", LogicOperation::OrNot2)
      .Case("orn1", LogicOperation::OrNot1)
      .Case("xor", LogicOperation::Xor)
      .Case("nand", LogicOperation::Nand)
      .Case("nor", LogicOperation::Nor)
      .Case("xnor", LogicOperation::Xnor)
      .Default(LogicOperation::None);
}

/// The first type in a mnemonic, or the last one.
static std::string typeIn(StringRef Mnemonic, bool First) {
  std::string Found;
  if (Mnemonic.contains("pk_") || Mnemonic.contains("_mix"))
    return Found;
  llvm::SmallVector<StringRef, 8> Parts;
  Mnemonic.split(Parts, '_');
  for (StringRef Part : Parts) {
    StringRef Bits = Part;
    if (!Bits.consume_front("f") && !Bits.consume_front("i") &&
        !Bits.consume_front("u"))
      continue;
    if (Bits != "16" && Bits != "32" && Bits != "64")
      continue;
    Found = Part.str();
    if (First)
      break;
  }
  return Found;
}

static void setResults(StringRef Name, InstructionFacts &F) {
  F.Move = moveOf(Name);
  F.Logic = logicOf(Name);
  F.Sum = StringSwitch<ScalarSum>(Name)
              .Cases({"s_add_i32", "s_add_u32"}, ScalarSum::Add)
              .Cases({"s_sub_i32", "s_sub_u32"}, ScalarSum::Subtract)
              .Case("s_addk_i32", ScalarSum::AddShort)
              .Default(ScalarSum::None);
  F.Halves = StringSwitch<HalfMove>(Name)
                 .Cases({"v_lshrrev_b64", "s_lshr_b64"}, HalfMove::Shift)
                 .Case("v_pk_mov_b32", HalfMove::Pair)
                 .Default(HalfMove::None);
  if (F.Move != MoveKind::None || F.Logic != LogicOperation::None ||
      F.Sum != ScalarSum::None)
    F.Bits = bitsOf(Name);
  F.IsBitwise = F.Logic != LogicOperation::None || F.Move == MoveKind::Scalar ||
                F.Move == MoveKind::Vector ||
                startsWithAny(Name, {"v_or3_b", "v_xor3_b", "v_and_or_b",
                                     "v_bfi_b", "v_bitop3_b"});
  F.IsCarry =
      StringSwitch<bool>(Name)
          .Cases({"v_add_co_u32", "v_addc_co_u32", "v_sub_co_u32",
                  "v_subb_co_u32", "v_subrev_co_u32", "v_subbrev_co_u32"},
                 true)
          .Cases({"s_add_u32", "s_addc_u32", "s_sub_u32", "s_subb_u32"}, true)
          .Default(false);
  F.ReadsLaneMask = startsWithAny(
      Name, {"v_cndmask_", "v_addc_", "v_subb_", "v_subbrev_", "v_div_fmas_"});
  F.WritesLaneMask =
      F.Unit == InstructionUnit::Vector &&
      (Name.contains("_co_") ||
       startsWithAny(Name, {"v_div_scale_", "v_mad_u64_u32", "v_mad_i64_i32"}));
  F.IsCompare = startsWithAny(Name, {"v_cmp", "s_cmp", "s_bitcmp"});
  F.IsMatrix =
      startsWithAny(Name, {"v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_"});
  F.IsDual = Name.starts_with("v_dual_");
  F.IsRelative = Name.contains("_movrel") || Name.contains("_swaprel");
  F.SetsIndexing = Name.starts_with("s_set_gpr_idx_");
  F.WritesHardwareRegisters =
      startsWithAny(Name, {"s_setreg_", "s_round_mode", "s_denorm_mode"});
  F.SavesExec = Name.contains("_saveexec_");
  F.CopiesExec = Name.contains("_wrexec_");
  F.WritesExec = F.SavesExec || F.CopiesExec || F.Flow == ControlFlow::Loop ||
                 startsWithAny(Name, {"v_cmpx_", "v_cmpsx_"});
}

static std::string packedTypeIn(StringRef Name) {
  const StringRef Type = Name.rsplit('_').second;
  return Name.starts_with("v_pk_") && is_contained({"f16", "bf16", "f32"}, Type)
             ? Type.str()
             : std::string();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

InstructionFacts InstructionFacts::of(StringRef Mnemonic) {
  InstructionFacts F;
  F.Mnemonic = Mnemonic.str();
  F.Name = baseMnemonic(Mnemonic);
  const StringRef Name = F.Name;
  F.Unit = unitOf(Name);
  setFlow(Name, F);
  F.Barrier = barrierOf(Name);
  F.Class = classOf(Name, F);
  setWaits(Name, F);
  setMemory(Name, F);
  setResults(Name, F);
  F.ResultType = typeIn(Mnemonic, /*First=*/true);
  F.OperandType = typeIn(Mnemonic, /*First=*/false);
  F.PackedType = packedTypeIn(Name);
  F.IsDivision = startsWithAny(Name, {"v_rcp_", "v_rsq_", "v_div_scale_"});
  F.IsPlain = !Mnemonic.contains("_dpp") && !Mnemonic.contains("_sdwa");
  return F;
}

const InstructionFacts &InstructionFacts::get(StringRef Mnemonic) {
  // Neither is destroyed: threads may outlive main.
  static std::mutex &Mutex = *new std::mutex;
  static auto &Known =
      *new llvm::StringMap<std::unique_ptr<const InstructionFacts>>;
  const std::lock_guard<std::mutex> Guard(Mutex);
  auto &Slot = Known[Mnemonic];
  if (!Slot)
    Slot = std::make_unique<const InstructionFacts>(of(Mnemonic));
  return *Slot;
}

const InstructionFacts &InstructionFacts::none() {
  static const InstructionFacts &None = get("");
  return None;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

std::optional<MatrixShape> getMatrixShape(StringRef Mnemonic) {
  if (!Mnemonic.consume_front("v_mfma_"))
    return std::nullopt;
  Mnemonic.consume_back("_e64");
  MatrixShape S;
  auto [Type, Rest] = Mnemonic.split('_');
  S.ResultType = Type.str();
  // Examples: "32x32x8f16", "32x32x4_2b_f32", "16x16x16bf16_1k".
  if (Rest.consumeInteger(10, S.Rows) || !Rest.consume_front("x") ||
      Rest.consumeInteger(10, S.Columns) || !Rest.consume_front("x") ||
      Rest.consumeInteger(10, S.Depth))
    return std::nullopt;
  Rest.consume_front("_");
  unsigned Blocks = 0;
  StringRef WithBlocks = Rest;
  if (!WithBlocks.consumeInteger(10, Blocks) && WithBlocks.consume_front("b_"))
    Rest = WithBlocks;
  Rest.consume_back("_1k");
  Rest.consume_front("_");
  S.SourceType = Rest.str();
  return S;
}

} // namespace wavelane::gpu
