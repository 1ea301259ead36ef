//===-- InstructionFactsTest.cpp - what instructions are ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the facts with LLVM's tables, which are made from its definitions of
// the instructions, and with lists that were checked by hand.
//
//===----------------------------------------------------------------------===//

#include "wavelane/GPU/InstructionFacts.h"
#include "wavelane/GPU/MachineCode.h"
#include "wavelane/GPU/MemoryBits.h"
#include "wavelane/GPU/Sums.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

using namespace wavelane::gpu;
using llvm::MCInst;
using llvm::MCInstrDesc;
using llvm::StringRef;

namespace {

/// Bits of MCInstrDesc::TSFlags: SIInstrFlags, which none of LLVM's installed
/// headers has.
enum : uint64_t {
  SALU = 1 << 0,
  VALU = 1 << 1,
  SOPP = 1 << 6,
  VOP3 = 1 << 10,
  MUBUF = 1 << 17,
  MTBUF = 1 << 18,
  SMRD = 1 << 19,
  MIMG = 1 << 20,
  VIMAGE = 1 << 21,
  VSAMPLE = 1 << 22,
  EXP = 1 << 23,
  FLAT = 1 << 24,
  DS = 1 << 25,
};

const MachineCode &anyCode() {
  static const std::unique_ptr<MachineCode> Code =
      llvm::cantFail(MachineCode::create("gfx90a"));
  return *Code;
}

/// Calls \p Do with all instructions of all GPUs.
void forEachInstruction(
    std::function<void(const InstructionFacts &, const MCInstrDesc &)> Do) {
  const MachineCode &Code = anyCode();
  size_t Count = 0;
  for (unsigned Opcode = 0; Opcode < Code.instructions().getNumOpcodes();
       ++Opcode) {
    const MCInstrDesc &D = Code.instructions().get(Opcode);
    MCInst Inst;
    Inst.setOpcode(Opcode);
    if (D.isPseudo())
      continue;
    const InstructionFacts &F = Code.facts(Inst);
    if (F.Mnemonic.empty())
      continue;
    SCOPED_TRACE(Code.instructions().getName(Opcode).str());
    Do(F, D);
    ++Count;
  }
  EXPECT_GT(Count, 30000u);
}

/// The names of all instructions for which something holds.
std::string namesOf(std::function<bool(const InstructionFacts &)> Holds) {
  std::set<std::string> Names;
  forEachInstruction([&](const InstructionFacts &F, const MCInstrDesc &) {
    if (Holds(F))
      Names.insert(F.Name);
  });
  return llvm::join(Names, " ");
}

bool writes(const MCInstrDesc &D, StringRef Register) {
  return llvm::any_of(D.implicit_defs(), [&](llvm::MCPhysReg R) {
    return StringRef(anyCode().registers().getName(R)).starts_with(Register);
  });
}

/// The opcodes that a GPU decodes, and their mnemonics as printed.
using Decodable = std::map<unsigned, std::string>;

/// Calls \p Do with one GPU of each family in the table.
void forEachGPU(std::function<void(const Processor &, const MachineCode &,
                                   const Decodable &)>
                    Do) {
  struct GPU {
    const Processor *Which;
    std::unique_ptr<MachineCode> Code;
    Decodable Instructions;
  };
  static const std::vector<GPU> All = [] {
    std::vector<GPU> All;
    std::set<FamilyId> Done;
    for (const Processor &P : processors())
      if (Done.insert(P.Group).second)
        All.push_back({&P, llvm::cantFail(MachineCode::create(P.Name)), {}});
    for (GPU &G : All) {
      const auto Look = [&](uint32_t First) {
        uint8_t Bytes[16] = {};
        memcpy(Bytes, &First, sizeof(First));
        MCInst Inst;
        uint64_t Size = 0;
        if (G.Code->decode(Inst, Size, Bytes, 0) ==
                llvm::MCDisassembler::Fail ||
            G.Instructions.count(Inst.getOpcode()))
          return;
        std::string Text;
        llvm::raw_string_ostream Stream(Text);
        G.Code->printer().printInst(&Inst, 0, "", G.Code->subtarget(), Stream);
        G.Instructions[Inst.getOpcode()] =
            StringRef(Stream.str()).trim().split(' ').first.str();
      };
      for (uint32_t High = 0; High < 1 << 16; ++High) {
        for (uint32_t Low : {0x00u, 0xf9u, 0xfau}) // also SDWA and DPP
          Look(High << 16 | Low);
        if (High >> 10 == 0x37 || High >> 10 == 0x3b) // FLAT
          for (uint32_t Low : {0x7cu, 0x407cu, 0x807cu, 0xc07cu})
            Look(High << 16 | Low);
      }
      // SOP1 and VOP1 have the number of their operation in the lower half.
      for (uint32_t Low = 0; Low < 1 << 16; Low += 1 << 8)
        for (uint32_t High : {0xbe80u, 0x7e00u, 0x7e01u})
          for (uint32_t Source : {0x00u, 0xf9u, 0xfau})
            Look(High << 16 | Low | Source);
    }
    return All;
  }();
  for (const GPU &G : All)
    Do(*G.Which, *G.Code, G.Instructions);
}

} // namespace

//===-- LLVM's tables -----------------------------------------------------===//

TEST(InstructionFacts, UnitsAreLLVMsEncodings) {
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &D) {
    const uint64_t Is = D.TSFlags;
    const auto OfFlat = [](StringRef Name) {
      return Name.starts_with("flat_")      ? InstructionUnit::Flat
             : Name.starts_with("scratch_") ? InstructionUnit::Scratch
             : Name.starts_with("global_") || Name.starts_with("cluster_")
                 ? InstructionUnit::Global
                 : InstructionUnit::Unknown;
    };
    const InstructionUnit Unit =
        Is & SMRD                         ? InstructionUnit::ScalarMemory
        : Is & SALU                       ? InstructionUnit::Scalar
        : Is & DS                         ? InstructionUnit::Local
        : Is & FLAT                       ? OfFlat(F.Mnemonic)
        : Is & (MUBUF | MTBUF)            ? InstructionUnit::Buffer
        : Is & (MIMG | VIMAGE | VSAMPLE)  ? InstructionUnit::Image
        : Is & EXP                        ? InstructionUnit::Export
        : (Is & VALU) && F.Name[0] == 'v' ? InstructionUnit::Vector
                                          : InstructionUnit::Unknown;
    if (Unit != InstructionUnit::Unknown)
      EXPECT_EQ(F.Unit, Unit) << F.Mnemonic;
  });
}

TEST(InstructionFacts, ClassesAgreeWithEncodings) {
  using Class = InstructionClass;
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &D) {
    std::set<Class> May;
    if (D.TSFlags & SOPP)
      May = {Class::Branch,  Class::Barrier, Class::Wait, Class::Cache,
             Class::Message, Class::End,     Class::Other};
    else if (D.TSFlags & SMRD)
      May = {Class::ScalarMemory, Class::Cache};
    else if (D.TSFlags & SALU)
      May = {Class::ScalarALU, Class::Branch,  Class::Barrier,
             Class::Wait,      Class::Message, Class::Other};
    else if (D.TSFlags & DS)
      May = {Class::Local, Class::Barrier, Class::Cache};
    else if (D.TSFlags & (MUBUF | MTBUF | FLAT | MIMG | VIMAGE | VSAMPLE))
      May = {Class::VectorMemory, Class::Cache, Class::Other};
    else if (D.TSFlags & VALU)
      May = {Class::VectorALU, Class::Other};
    else
      return;
    EXPECT_TRUE(May.count(F.Class)) << F.Mnemonic << ": " << int(F.Class);
  });
}

TEST(InstructionFacts, ControlFlowIsLLVMs) {
  using Flow = ControlFlow;
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &D) {
    const Flow Is = F.Flow;
    EXPECT_EQ(D.isCall(), Is == Flow::Call || Is == Flow::IndirectCall)
        << F.Mnemonic;
    EXPECT_EQ(D.isReturn(), Is == Flow::End || Is == Flow::CodeEnd)
        << F.Mnemonic;
    EXPECT_EQ(D.isConditionalBranch(),
              Is == Flow::ConditionalBranch || Is == Flow::Loop)
        << F.Mnemonic;
    EXPECT_EQ(D.isUnconditionalBranch(), Is == Flow::Branch ||
                                             Is == Flow::Jump ||
                                             Is == Flow::RelativeJump)
        << F.Mnemonic;
    EXPECT_EQ(F.Condition != BranchCondition::None,
              Is == Flow::ConditionalBranch)
        << F.Mnemonic;
  });
}

TEST(InstructionFacts, MemoryIsLLVMs) {
  using Operation = MemoryOperation;
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &D) {
    // LLVM has these flags for other reasons, such as to keep an order.
    if (F.Class == InstructionClass::Cache || F.IsWaveSync ||
        F.Class == InstructionClass::Barrier)
      return;
    switch (F.Memory) {
    case Operation::Load:
      EXPECT_TRUE(D.mayLoad()) << F.Mnemonic;
      break;
    case Operation::Store:
      EXPECT_TRUE(D.mayStore()) << F.Mnemonic;
      break;
    case Operation::Atomic:
      EXPECT_TRUE(D.mayStore() && D.mayLoad()) << F.Mnemonic;
      break;
    case Operation::None:
      break;
    }
  });
}

TEST(InstructionFacts, ExecIsWrittenByThoseThatSaySo) {
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &D) {
    EXPECT_EQ(F.WritesExec, writes(D, "EXEC")) << F.Mnemonic;
  });
}

TEST(InstructionFacts, ScalarResultsOfVectorInstructions) {
  // Of the VOP3 encoding, which names them.
  forEachGPU([](const Processor &P, const MachineCode &Code,
                const Decodable &Instructions) {
    for (const auto &[Opcode, Text] : Instructions) {
      const MCInstrDesc &D = Code.instructions().get(Opcode);
      const InstructionFacts &F = InstructionFacts::get(Text);
      if (!(D.TSFlags & VOP3) || F.IsDual || D.getNumDefs() == 0)
        continue;
      const bool IsSwap =
          F.Move == MoveKind::Swap || StringRef(F.Name).ends_with("_swap_b32");
      EXPECT_EQ(F.WritesLaneMask && !IsSwap, D.getNumDefs() == 2 && !IsSwap)
          << P.Name << " " << Text;
    }
  });
}

TEST(InstructionFacts, EachGPUPrintsTheMnemonicsOfItsOpcodes) {
  forEachGPU([](const Processor &P, const MachineCode &Code,
                const Decodable &Instructions) {
    EXPECT_GT(Instructions.size(), 800u) << P.Name;
    for (const auto &[Opcode, Text] : Instructions) {
      MCInst Inst;
      Inst.setOpcode(Opcode);
      const InstructionFacts &F = Code.facts(Inst);
      const InstructionFacts &Printed = InstructionFacts::get(Text);
      EXPECT_EQ(F.Name, Printed.Name) << P.Name;
      // Some are printed without a suffix.
      if (!Printed.IsPlain)
        EXPECT_FALSE(F.IsPlain) << P.Name << " " << Text;
    }
  });
}

TEST(InstructionFacts, EachGPUHasTheInstructionsThatAreAskedFor) {
  forEachGPU([](const Processor &P, const MachineCode &,
                const Decodable &Instructions) {
    std::map<std::string, int> Has;
    std::set<BranchCondition> Conditions;
    for (const auto &[Opcode, Text] : Instructions) {
      const InstructionFacts &F = InstructionFacts::get(Text);
      Conditions.insert(F.Condition);
      Has["end"] += F.Flow == ControlFlow::End;
      Has["branch"] += F.Flow == ControlFlow::Branch;
      Has["jump"] += F.Flow == ControlFlow::Jump;
      Has["call"] += F.Flow == ControlFlow::Call;
      Has["indirect call"] += F.Flow == ControlFlow::IndirectCall;
      Has["trap"] += F.IsTrap;
      Has["halt"] += F.IsHalt;
      Has["sleep"] += F.IsSleep;
      Has["reads PC"] += F.ReadsPC;
      Has["barrier"] += F.Barrier == BarrierStep::SignalAndWait ||
                        F.Barrier == BarrierStep::Wait;
      Has["wait for all loads"] +=
          F.Wait == WaitKind::Packed || F.Wait == WaitKind::Load;
      Has["scalar move"] += F.Move == MoveKind::Scalar;
      Has["vector move"] += F.Move == MoveKind::Vector;
      Has["selection"] += F.Move == MoveKind::Select;
      Has["lane read"] += F.Move == MoveKind::ReadLane;
      Has["first lane read"] += F.Move == MoveKind::ReadFirstLane;
      Has["lane written"] += F.Move == MoveKind::WriteLane;
      Has["permutation"] += F.Move == MoveKind::Permute;
      Has["sum"] += F.Sum == ScalarSum::Add;
      Has["difference"] += F.Sum == ScalarSum::Subtract;
      Has["short sum"] += F.Sum == ScalarSum::AddShort;
      Has["vector carry"] += F.IsCarry && !F.isScalar();
      Has["scalar carry"] += F.IsCarry && F.isScalar();
      Has["carry that is read"] += F.ReadsLaneMask;
      Has["exec saved"] += F.SavesExec && F.Logic == LogicOperation::Or;
      Has["compare to exec"] += F.IsCompare && F.WritesExec;
      Has["invalidation"] += F.Invalidates != Invalidation::None;
    }
    for (const auto &[What, Count] : Has)
      EXPECT_GT(Count, 0) << P.Name << " has no " << What;
    for (const BranchCondition C :
         {BranchCondition::Scc0, BranchCondition::Scc1, BranchCondition::VccZ,
          BranchCondition::VccNZ, BranchCondition::ExecZ,
          BranchCondition::ExecNZ})
      EXPECT_TRUE(Conditions.count(C)) << P.Name << ": condition " << int(C);
  });
}

//===-- Lists that were checked by hand -----------------------------------===//

TEST(InstructionFacts, BarriersAndWaits) {
  const auto Barriers = [](BarrierStep Step) {
    return namesOf([=](const auto &F) { return F.Barrier == Step; });
  };
  EXPECT_EQ(Barriers(BarrierStep::SignalAndWait), "s_barrier");
  EXPECT_EQ(Barriers(BarrierStep::Signal),
            "s_barrier_signal s_barrier_signal_isfirst");
  EXPECT_EQ(Barriers(BarrierStep::Wait), "s_barrier_wait");
  EXPECT_EQ(Barriers(BarrierStep::Grid), "ds_gws_barrier");
  EXPECT_EQ(Barriers(BarrierStep::Other),
            "s_barrier_init s_barrier_join s_barrier_leave "
            "s_get_barrier_state s_wakeup_barrier");
  EXPECT_EQ(namesOf([](const auto &F) { return F.IsSleep; }),
            "s_monitor_sleep s_sleep s_sleep_var");
  EXPECT_EQ(namesOf([](const auto &F) {
              return F.MeetsWaves && !F.IsSleep && !F.IsWaveSync;
            }),
            "s_barrier s_barrier_init s_barrier_join s_barrier_leave "
            "s_barrier_signal s_barrier_signal_isfirst s_barrier_wait "
            "s_sendmsghalt");
  const auto Waits = [](WaitKind Kind) {
    return namesOf([=](const auto &F) { return F.Wait == Kind; });
  };
  EXPECT_EQ(Waits(WaitKind::Packed), "s_waitcnt");
  EXPECT_EQ(Waits(WaitKind::Store), "s_wait_storecnt s_waitcnt_vscnt");
  EXPECT_EQ(Waits(WaitKind::Load), "s_wait_loadcnt s_waitcnt_vmcnt");
  EXPECT_EQ(Waits(WaitKind::Local), "s_wait_dscnt s_waitcnt_lgkmcnt");
  EXPECT_EQ(Waits(WaitKind::Scalar), "s_wait_kmcnt");
  EXPECT_EQ(Waits(WaitKind::LoadAndLocal), "s_wait_loadcnt_dscnt");
  EXPECT_EQ(Waits(WaitKind::StoreAndLocal), "s_wait_storecnt_dscnt");
  EXPECT_EQ(Waits(WaitKind::All), "s_wait_idle");
  EXPECT_EQ(Waits(WaitKind::Other),
            "s_wait_alu s_wait_asynccnt s_wait_bvhcnt s_wait_event "
            "s_wait_expcnt s_wait_samplecnt s_wait_tensorcnt s_wait_xcnt "
            "s_waitcnt_depctr s_waitcnt_expcnt");
}

TEST(InstructionFacts, WaitsAsTheyAreWritten) {
  using In = WaitEncoding;
  EXPECT_EQ(waitInstruction(In::GFX9, WaitCounter::Load, 1),
            "s_waitcnt vmcnt(1)");
  EXPECT_EQ(waitInstruction(In::GFX10, WaitCounter::Store, 0),
            "s_waitcnt vscnt(0)");
  EXPECT_EQ(waitInstruction(In::GFX11, WaitCounter::Scalar, 0),
            "s_waitcnt lgkmcnt(0)");
  EXPECT_EQ(waitInstruction(In::GFX12, WaitCounter::Scalar, 0),
            "s_wait_kmcnt 0");
}

TEST(InstructionFacts, CachesThatAreInvalidated) {
  const auto Names = [](Invalidation Kind) {
    return namesOf([=](const auto &F) { return F.Invalidates == Kind; });
  };
  EXPECT_EQ(Names(Invalidation::Device),
            "buffer_gl1_inv buffer_wbinvl1 buffer_wbinvl1_sc "
            "buffer_wbinvl1_vol s_gl1_inv");
  EXPECT_EQ(Names(Invalidation::DeviceIfSc1), "buffer_inv");
  EXPECT_EQ(Names(Invalidation::DeviceIfInScope), "global_inv global_wbinv");
}

TEST(InstructionFacts, Moves) {
  const auto Names = [](MoveKind Kind) {
    return namesOf([=](const auto &F) { return F.Move == Kind; });
  };
  EXPECT_EQ(Names(MoveKind::Scalar), "s_mov_b32 s_mov_b64");
  EXPECT_EQ(Names(MoveKind::Vector),
            "v_accvgpr_mov_b32 v_accvgpr_read_b32 v_accvgpr_write_b32 "
            "v_mov_b16 v_mov_b32 v_mov_b64");
  EXPECT_EQ(Names(MoveKind::Conditional), "s_cmov_b32 s_cmov_b64");
  EXPECT_EQ(Names(MoveKind::Select),
            "s_cselect_b32 s_cselect_b64 v_cndmask_b16 v_cndmask_b32");
  EXPECT_EQ(Names(MoveKind::ReadLane), "v_readlane_b32");
  EXPECT_EQ(Names(MoveKind::ReadFirstLane), "v_readfirstlane_b32");
  EXPECT_EQ(Names(MoveKind::WriteLane), "v_writelane_b32");
  EXPECT_EQ(Names(MoveKind::Permute),
            "ds_bpermute_b32 ds_bpermute_fi_b32 ds_permute_b32 ds_swizzle_b32 "
            "v_permlane16_b32 v_permlane16_swap_b32 v_permlane16_var_b32 "
            "v_permlane32_swap_b32 v_permlane64_b32 v_permlane_bcast_b32 "
            "v_permlane_down_b32 v_permlane_up_b32 v_permlane_xor_b32 "
            "v_permlanex16_b32 v_permlanex16_var_b32");
  EXPECT_EQ(Names(MoveKind::Swap), "v_swap_b16 v_swap_b32");
  EXPECT_EQ(namesOf([](const auto &F) { return F.Halves != HalfMove::None; }),
            "s_lshr_b64 v_lshrrev_b64 v_pk_mov_b32");
  EXPECT_EQ(namesOf([](const auto &F) { return F.IsRelative; }),
            "s_movreld_b32 s_movreld_b64 s_movrels_b32 s_movrels_b64 "
            "s_movrelsd_2_b32 v_movreld_b32 v_movrels_b32 v_movrelsd_2_b32 "
            "v_movrelsd_b32 v_swaprel_b32");
  EXPECT_TRUE(InstructionFacts::get("v_mov_b32_e32").IsPlain);
  EXPECT_TRUE(InstructionFacts::get("v_mov_b32_e64").IsPlain);
  EXPECT_FALSE(InstructionFacts::get("v_mov_b32_dpp").IsPlain);
  EXPECT_FALSE(InstructionFacts::get("v_mov_b32_sdwa").IsPlain);
  EXPECT_FALSE(InstructionFacts::get("v_mov_b32_e64_dpp").IsPlain);
}

TEST(InstructionFacts, SumsAndCarries) {
  const auto Names = [](ScalarSum Kind) {
    return namesOf([=](const auto &F) { return F.Sum == Kind; });
  };
  EXPECT_EQ(Names(ScalarSum::Add), "s_add_i32 s_add_u32");
  EXPECT_EQ(Names(ScalarSum::Subtract), "s_sub_i32 s_sub_u32");
  EXPECT_EQ(Names(ScalarSum::AddShort), "s_addk_i32");
  EXPECT_EQ(namesOf([](const auto &F) { return F.IsCarry; }),
            "s_add_u32 s_addc_u32 s_sub_u32 s_subb_u32 v_add_co_u32 "
            "v_addc_co_u32 v_sub_co_u32 v_subb_co_u32 v_subbrev_co_u32 "
            "v_subrev_co_u32");
  EXPECT_EQ(namesOf([](const auto &F) { return addsScalarCarry(F); }),
            "s_addc_u32");
  EXPECT_TRUE(addsScalarCarry(InstructionFacts::get("s_add_co_ci_u32")));
  // gfx8's names aren't followed by "_co".
  EXPECT_EQ(namesOf([](const auto &F) { return F.ReadsLaneMask; }),
            "v_addc_co_u32 v_addc_u32 v_cndmask_b16 v_cndmask_b32 "
            "v_div_fmas_f32 v_div_fmas_f64 v_subb_co_u32 v_subb_u32 "
            "v_subbrev_co_u32 v_subbrev_u32");
  // Later names of the same.
  EXPECT_TRUE(InstructionFacts::get("v_add_co_ci_u32_e64").ReadsLaneMask);
  EXPECT_TRUE(InstructionFacts::get("s_add_co_u32").IsCarry);
  EXPECT_TRUE(InstructionFacts::get("s_sub_co_ci_u32").IsCarry);
  EXPECT_EQ(InstructionFacts::get("s_addk_co_i32").Sum, ScalarSum::AddShort);
}

TEST(InstructionFacts, Logic) {
  const auto Names = [](LogicOperation Kind) {
    return namesOf([=](const auto &F) {
      return F.Logic == Kind && !F.SavesExec && !F.CopiesExec;
    });
  };
  using Op = LogicOperation;
  EXPECT_EQ(Names(Op::Not), "s_not_b32 s_not_b64 v_not_b16 v_not_b32");
  EXPECT_EQ(Names(Op::And), "s_and_b32 s_and_b64 v_and_b16 v_and_b32");
  EXPECT_EQ(Names(Op::AndNot2), "s_andn2_b32 s_andn2_b64");
  EXPECT_EQ(Names(Op::AndNot1), "");
  EXPECT_EQ(Names(Op::Or), "s_or_b32 s_or_b64 v_or_b16 v_or_b32");
  EXPECT_EQ(Names(Op::OrNot2), "s_orn2_b32 s_orn2_b64");
  EXPECT_EQ(Names(Op::OrNot1), "");
  EXPECT_EQ(Names(Op::Xor), "s_xor_b32 s_xor_b64 v_xor_b16 v_xor_b32");
  EXPECT_EQ(Names(Op::Nand), "s_nand_b32 s_nand_b64");
  EXPECT_EQ(Names(Op::Nor), "s_nor_b32 s_nor_b64");
  EXPECT_EQ(Names(Op::Xnor), "s_xnor_b32 s_xnor_b64 v_xnor_b32");
  const InstructionFacts &Saves =
      InstructionFacts::get("s_and_not1_saveexec_b64");
  EXPECT_EQ(Saves.Logic, Op::AndNot2);
  EXPECT_TRUE(Saves.SavesExec && Saves.WritesExec && !Saves.CopiesExec);
  EXPECT_EQ(Saves.Bits, 64u);
  const InstructionFacts &Both = InstructionFacts::get("s_and_not0_wrexec_b32");
  EXPECT_EQ(Both.Logic, Op::AndNot1);
  EXPECT_TRUE(Both.CopiesExec && Both.WritesExec && !Both.SavesExec);
  // Those that are bitwise, but no operation with a name.
  EXPECT_EQ(namesOf([](const auto &F) {
              return F.IsBitwise && F.Logic == Op::None &&
                     F.Move == MoveKind::None;
            }),
            "v_and_or_b32 v_bfi_b32 v_bitop3_b16 v_bitop3_b32 v_or3_b32 "
            "v_xor3_b32");
}

TEST(InstructionFacts, MemoryOfText) {
  struct {
    const char *Mnemonic;
    InstructionUnit Unit;
    MemoryOperation Memory;
    bool IsSigned;
  } const Cases[] = {
      {"global_load_dword", InstructionUnit::Global, MemoryOperation::Load,
       false},
      {"global_load_i8", InstructionUnit::Global, MemoryOperation::Load, true},
      {"flat_store_b32", InstructionUnit::Flat, MemoryOperation::Store, false},
      {"flat_atomic_add", InstructionUnit::Flat, MemoryOperation::Atomic,
       false},
      {"s_load_b64", InstructionUnit::ScalarMemory, MemoryOperation::Load,
       false},
      {"scratch_store_dword", InstructionUnit::Scratch, MemoryOperation::Store,
       false},
      {"buffer_load_sshort", InstructionUnit::Buffer, MemoryOperation::Load,
       true},
      {"ds_add_rtn_u32", InstructionUnit::Local, MemoryOperation::Atomic,
       false},
      {"ds_load_i16", InstructionUnit::Local, MemoryOperation::Load, true},
      {"ds_bpermute_b32", InstructionUnit::Local, MemoryOperation::None, false},
      {"v_mov_b32_e32", InstructionUnit::Vector, MemoryOperation::None, false},
      {"no such instruction", InstructionUnit::Unknown, MemoryOperation::None,
       false},
      {"", InstructionUnit::Unknown, MemoryOperation::None, false},
  };
  for (const auto &C : Cases) {
    const InstructionFacts F = InstructionFacts::of(C.Mnemonic);
    EXPECT_EQ(F.Unit, C.Unit) << C.Mnemonic;
    EXPECT_EQ(F.Memory, C.Memory) << C.Mnemonic;
    EXPECT_EQ(F.IsSigned, C.IsSigned) << C.Mnemonic;
  }
  EXPECT_TRUE(InstructionFacts::of("global_load_d16_hi_u8").IsHalf);
  EXPECT_FALSE(InstructionFacts::of("global_load_u8").IsHalf);
  EXPECT_TRUE(InstructionFacts::of("s_load_dword").HasGlobalAddress);
  EXPECT_FALSE(InstructionFacts::of("s_buffer_load_dword").HasGlobalAddress);
  EXPECT_FALSE(InstructionFacts::of("s_scratch_load_dword").HasGlobalAddress);
}

TEST(InstructionFacts, MemoryThatIsAccessed) {
  struct {
    const char *Mnemonic;
    unsigned Bits;
  } const Cases[] = {
      {"buffer_store_byte", 8},
      {"buffer_store_byte_d16_hi", 8},
      {"scratch_store_b16", 16},
      {"scratch_store_d16_hi_b16", 16},
      {"flat_store_dword", 32},
      {"scratch_store_dwordx3", 96},
      {"global_store_b128", 128},
      {"global_load_sbyte_d16", 8},
      {"buffer_load_ushort", 16},
      {"s_load_dwordx16", 512},
      {"s_load_b96", 96},
      {"s_buffer_load_dwordx8", 256},
      {"s_load_u16", 16},
      {"ds_write_b8_d16_hi", 8},
      {"ds_store_b64", 64},
      {"ds_store_2addr_b32", 64},
      {"ds_write2st64_b64", 128},
      {"ds_read_u16_d16", 16},
      {"ds_read_b64_tr_b16", 64},
      {"ds_wrxchg2_rtn_b32", 64},
      {"ds_add_rtn_u64", 64},
      {"ds_pk_add_rtn_bf16", 32},
      {"global_atomic_add", 32},
      {"global_atomic_add_u64", 64},
      {"flat_atomic_cmpswap_x2", 64},
      {"global_atomic_pk_add_f16", 32},
      {"global_atomic_add_f64", 64},
      {"s_atomic_add_x2", 64},
      // How many depends on more than the mnemonic, or nothing is accessed.
      {"buffer_store_format_xy", 0},
      {"image_store", 0},
      {"scratch_store_block", 0},
      {"ds_bpermute_b32", 0},
      {"v_mov_b32_e32", 0},
      {"", 0},
  };
  for (const auto &C : Cases)
    EXPECT_EQ(getMemoryBits(InstructionFacts::of(C.Mnemonic)), C.Bits)
        << C.Mnemonic;
  // Others don't say it.
  EXPECT_EQ(namesOf([](const auto &F) {
              return F.Memory != MemoryOperation::None && !getMemoryBits(F) &&
                     F.Unit != InstructionUnit::Image &&
                     !StringRef(F.Name).contains("_format_");
            }),
            "ds_add_gs_reg_rtn ds_append ds_consume ds_sub_gs_reg_rtn "
            "global_load_block global_store_block scratch_load_block "
            "scratch_store_block");
}

TEST(InstructionFacts, Types) {
  const InstructionFacts &F = InstructionFacts::get("v_cvt_f32_i32_e32");
  EXPECT_EQ(F.ResultType, "f32");
  EXPECT_EQ(F.OperandType, "i32");
  EXPECT_EQ(InstructionFacts::get("v_pk_add_f16").ResultType, "");
  EXPECT_EQ(InstructionFacts::get("v_mov_b32_e32").ResultType, "");
  EXPECT_EQ(InstructionFacts::get("v_add_f64").ResultType, "f64");
}

TEST(InstructionFacts, SlotsOfTheStack) {
  std::set<std::string> Forms;
  const MachineCode &Code = anyCode();
  for (unsigned Opcode = 0; Opcode < Code.instructions().getNumOpcodes();
       ++Opcode) {
    MCInst Inst;
    Inst.setOpcode(Opcode);
    const MCInstrDesc &D = Code.instructions().get(Opcode);
    if (D.isPseudo())
      continue;
    const std::optional<SlotAccess> Slot = Code.getSlotAccess(Inst);
    if (!Slot)
      continue;
    StringRef Name = Code.instructions().getName(Opcode);
    SCOPED_TRACE(Name.str());
    EXPECT_EQ(D.mayLoad(), Slot->IsLoad);
    EXPECT_EQ(D.mayStore(), !Slot->IsLoad);
    // The last part is the GPU's.
    Name = Name.take_front(Name.find("_gfx"));
    Name.consume_back("_vi");
    Forms.insert(Name.str());
    // An operand without a register class is a number.
    const auto IsRegister = [&](unsigned N) {
      return D.operands()[N].OperandType == llvm::MCOI::OPERAND_REGISTER ||
             D.operands()[N].RegClass >= 0;
    };
    ASSERT_LT(Slot->Offset, D.getNumOperands());
    EXPECT_TRUE(IsRegister(Slot->Data));
    EXPECT_FALSE(IsRegister(Slot->Offset));
    if (Slot->Base)
      EXPECT_TRUE(IsRegister(*Slot->Base));
  }
  EXPECT_EQ(llvm::join(Forms, " "),
            "BUFFER_LOAD_DWORD_OFFSET BUFFER_LOAD_DWORD_VBUFFER_OFFSET "
            "BUFFER_STORE_DWORD_OFFSET BUFFER_STORE_DWORD_VBUFFER_OFFSET "
            "SCRATCH_LOAD_DWORD_SADDR SCRATCH_LOAD_DWORD_ST "
            "SCRATCH_STORE_DWORD_SADDR SCRATCH_STORE_DWORD_ST");
}

TEST(InstructionFacts, MatrixShapes) {
  const auto Shape = getMatrixShape("v_mfma_f32_32x32x8f16");
  ASSERT_TRUE(Shape);
  EXPECT_EQ(Shape->Rows, 32u);
  EXPECT_EQ(Shape->Columns, 32u);
  EXPECT_EQ(Shape->Depth, 8u);
  EXPECT_EQ(Shape->ResultType, "f32");
  EXPECT_EQ(Shape->SourceType, "f16");
  EXPECT_EQ(getMatrixShape("v_mfma_f32_32x32x4_2b_f32")->SourceType, "f32");
  EXPECT_EQ(getMatrixShape("v_mfma_f32_16x16x16bf16_1k")->SourceType, "bf16");
  EXPECT_EQ(getMatrixShape("v_mfma_i32_32x32x16_i8")->SourceType, "i8");
  EXPECT_FALSE(getMatrixShape("v_smfmac_f32_16x16x32_f16"));
  // Every one has a shape.
  forEachInstruction([](const InstructionFacts &F, const MCInstrDesc &) {
    if (StringRef(F.Name).starts_with("v_mfma_f32") ||
        StringRef(F.Name).starts_with("v_mfma_i32"))
      EXPECT_TRUE(getMatrixShape(F.Name)) << F.Name;
  });
}
