//===-- ScalarRules.cpp - LLVM's code for scalar instructions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As LaneRules.cpp, for the instructions of Scalar.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/StringMap.h"

using llvm::Value;

namespace wavelane::isa {
namespace {

using Map = llvm::StringMap<ScalarRule>;

void writeResult(Emitter &E, const Inst &I, Value *V) {
  if (V->getType()->isIntegerTy(64))
    E.write64(I.Dst, V);
  else
    E.write32(I.Dst, V);
}
void writeAndTest(Emitter &E, const Inst &I, Value *V) {
  E.setScc(E.B.CreateIsNotNull(V));
  writeResult(E, I, V);
}
Value *notOf(Emitter &E, Value *V) { return E.B.CreateNot(V); }
/// A shift's amount for a value of the type of \a V.
Value *amount(Emitter &E, Value *N, Value *V) {
  const unsigned Bits = V->getType()->getIntegerBitWidth();
  return E.B.CreateZExt(E.B.CreateAnd(N, Bits - 1), V->getType());
}
Value *half(Emitter &E, Value *V, bool High) {
  return High ? E.B.CreateLShr(V, uint64_t(16)) : E.B.CreateAnd(V, 0xffff);
}

/// All lanes are often made active by this.
Value *orOf(Emitter &E, Value *A, Value *D) {
  for (Value *V : {A, D})
    if (const auto *N = llvm::dyn_cast<llvm::ConstantInt>(V))
      if (N->isMinusOne())
        return V;
  return E.B.CreateOr(A, D);
}

// The operands are A and D; B is the builder.
#define STATEMENT(NAME, ...)                                                   \
  Rules[NAME] = [](Emitter &E, const Inst &I) -> bool {                        \
    [[maybe_unused]] Builder &B = E.B;                                         \
    [[maybe_unused]] Value *A = I.NumSrc > 0 ? E.source(0) : nullptr,          \
                           *D = I.NumSrc > 1 ? E.source(1) : nullptr;          \
    __VA_ARGS__;                                                               \
    return true;                                                               \
  }
#define PLAIN(NAME, EXPR) STATEMENT(NAME, writeResult(E, I, EXPR))
#define LOGIC(NAME, EXPR) STATEMENT(NAME, writeAndTest(E, I, EXPR))
#define TEST(NAME, EXPR) STATEMENT(NAME, E.setScc(EXPR))

/// A sum or difference with its carry or overflow in SCC.
template <llvm::Intrinsic::ID Id> bool overflow(Emitter &E, const Inst &I) {
  Value *R = E.B.CreateBinaryIntrinsic(Id, E.source(0), E.source(1));
  E.setScc(E.B.CreateExtractValue(R, 1));
  E.write32(I.Dst, E.B.CreateExtractValue(R, 0));
  return true;
}

template <bool Adds> bool withCarry(Emitter &E, const Inst &I) {
  Builder &B = E.B;
  llvm::Type *T = B.getInt64Ty();
  Value *A = B.CreateZExt(E.source(0), T), *D = B.CreateZExt(E.source(1), T),
        *Carry = B.CreateZExt(E.scc(), T);
  Value *R = Adds ? B.CreateAdd(B.CreateAdd(A, D), Carry)
                  : B.CreateSub(B.CreateSub(A, D), Carry);
  E.setScc(B.CreateTrunc(B.CreateLShr(R, uint64_t(32)), B.getInt1Ty()));
  E.write32(I.Dst, B.CreateTrunc(R, B.getInt32Ty()));
  return true;
}

template <llvm::CmpInst::Predicate P> bool choose(Emitter &E, const Inst &I) {
  Value *A = E.source(0), *D = E.source(1);
  Value *First = E.B.CreateICmp(P, A, D);
  E.setScc(First);
  E.write32(I.Dst, E.B.CreateSelect(First, A, D));
  return true;
}

template <llvm::CmpInst::Predicate P> bool compare(Emitter &E, const Inst &) {
  Value *A = E.source(0);
  E.setScc(E.B.CreateICmp(P, A, E.source(1)));
  return true;
}
/// With the instruction's constant.
template <llvm::CmpInst::Predicate P> bool compareK(Emitter &E, const Inst &I) {
  const bool IsUnsigned = llvm::StringRef(I.Text).ends_with("_u32");
  const uint32_t N = uint32_t(I.Imm);
  E.setScc(E.B.CreateICmp(P, E.read32(I.Dst),
                          E.B.getInt32(IsUnsigned ? N & 0xffff : N)));
  return true;
}

void addArithmetic(Map &Rules) {
  Rules["s_add_u32"] = overflow<llvm::Intrinsic::uadd_with_overflow>;
  Rules["s_sub_u32"] = overflow<llvm::Intrinsic::usub_with_overflow>;
  Rules["s_add_i32"] = overflow<llvm::Intrinsic::sadd_with_overflow>;
  Rules["s_sub_i32"] = overflow<llvm::Intrinsic::ssub_with_overflow>;
  Rules["s_addc_u32"] = withCarry<true>;
  Rules["s_subb_u32"] = withCarry<false>;
  Rules["s_min_i32"] = choose<llvm::CmpInst::ICMP_SLT>;
  Rules["s_min_u32"] = choose<llvm::CmpInst::ICMP_ULT>;
  Rules["s_max_i32"] = choose<llvm::CmpInst::ICMP_SGT>;
  Rules["s_max_u32"] = choose<llvm::CmpInst::ICMP_UGT>;
  PLAIN("s_mul_i32", B.CreateMul(A, D));
  STATEMENT("s_mul_hi_u32", {
    Value *R = B.CreateMul(B.CreateZExt(A, B.getInt64Ty()),
                           B.CreateZExt(D, B.getInt64Ty()));
    E.write32(I.Dst,
              B.CreateTrunc(B.CreateLShr(R, uint64_t(32)), B.getInt32Ty()));
  });
  STATEMENT("s_mul_hi_i32", {
    Value *R = B.CreateMul(B.CreateSExt(A, B.getInt64Ty()),
                           B.CreateSExt(D, B.getInt64Ty()));
    E.write32(I.Dst,
              B.CreateTrunc(B.CreateLShr(R, uint64_t(32)), B.getInt32Ty()));
  });
  PLAIN("s_mul_u64", B.CreateMul(A, D));
  PLAIN("s_add_nc_u64", B.CreateAdd(A, D));
  PLAIN("s_sub_nc_u64", B.CreateSub(A, D));
  STATEMENT("s_addk_i32", {
    Value *R =
        B.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_with_overflow,
                                E.read32(I.Dst), B.getInt32(uint32_t(I.Imm)));
    E.setScc(B.CreateExtractValue(R, 1));
    E.write32(I.Dst, B.CreateExtractValue(R, 0));
  });
  STATEMENT("s_mulk_i32",
            E.write32(I.Dst, B.CreateMul(E.read32(I.Dst),
                                         B.getInt32(uint32_t(I.Imm)))));
  LOGIC("s_abs_i32",
        B.CreateSelect(B.CreateICmpSLT(A, B.getInt32(0)), B.CreateNeg(A), A));
}

template <unsigned N> bool shiftAdd(Emitter &E, const Inst &I) {
  Builder &B = E.B;
  llvm::Type *T = B.getInt64Ty();
  Value *A = B.CreateShl(B.CreateZExt(E.source(0), T), uint64_t(N));
  Value *R = B.CreateAdd(A, B.CreateZExt(E.source(1), T));
  E.setScc(B.CreateIsNotNull(B.CreateLShr(R, uint64_t(32))));
  E.write32(I.Dst, B.CreateTrunc(R, B.getInt32Ty()));
  return true;
}

/// A bit field whose place is constant.
template <bool Signed> bool bitField(Emitter &E, const Inst &I) {
  Value *A = E.source(0);
  const auto *Control = llvm::dyn_cast<llvm::ConstantInt>(E.source(1));
  const unsigned Bits = A->getType()->getIntegerBitWidth();
  if (!Control)
    return false;
  const unsigned Offset = Control->getZExtValue() & (Bits - 1);
  const unsigned Size = Control->getZExtValue() >> 16 & 0x7f;
  if (!Size || Offset + Size > Bits)
    return false;
  Value *V = E.B.CreateShl(A, uint64_t(Bits - Offset - Size));
  V = Signed ? E.B.CreateAShr(V, uint64_t(Bits - Size))
             : E.B.CreateLShr(V, uint64_t(Bits - Size));
  writeAndTest(E, I, V);
  return true;
}

void addBits(Map &Rules) {
#define BOTH(NAME, EXPR)                                                       \
  LOGIC("s_" NAME "_b32", EXPR);                                               \
  LOGIC("s_" NAME "_b64", EXPR)
  BOTH("and", B.CreateAnd(A, D));
  BOTH("or", orOf(E, A, D));
  BOTH("xor", B.CreateXor(A, D));
  BOTH("andn2", B.CreateAnd(A, notOf(E, D)));
  BOTH("orn2", B.CreateOr(A, notOf(E, D)));
  BOTH("nand", notOf(E, B.CreateAnd(A, D)));
  BOTH("nor", notOf(E, B.CreateOr(A, D)));
  BOTH("xnor", notOf(E, B.CreateXor(A, D)));
  BOTH("not", notOf(E, A));
  BOTH("lshl", B.CreateShl(A, amount(E, D, A)));
  BOTH("lshr", B.CreateLShr(A, amount(E, D, A)));
#undef BOTH
  LOGIC("s_ashr_i32", B.CreateAShr(A, amount(E, D, A)));
  LOGIC("s_ashr_i64", B.CreateAShr(A, amount(E, D, A)));
  PLAIN("s_mov_b32", A);
  PLAIN("s_mov_b64", A);
  PLAIN("s_bfm_b32",
        B.CreateShl(B.CreateSub(B.CreateShl(B.getInt32(1), amount(E, A, A)),
                                B.getInt32(1)),
                    amount(E, D, A)));
  PLAIN("s_brev_b32", B.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, A));
  PLAIN("s_cselect_b32", B.CreateSelect(E.scc(), A, D));
  PLAIN("s_cselect_b64", B.CreateSelect(E.scc(), A, D));
  PLAIN("s_pack_ll_b32_b16",
        B.CreateOr(half(E, A, false), B.CreateShl(D, uint64_t(16))));
  PLAIN("s_pack_lh_b32_b16",
        B.CreateOr(half(E, A, false), B.CreateAnd(D, 0xffff0000)));
  PLAIN("s_pack_hh_b32_b16",
        B.CreateOr(half(E, A, true), B.CreateAnd(D, 0xffff0000)));
  PLAIN("s_sext_i32_i8",
        B.CreateSExt(B.CreateTrunc(A, B.getInt8Ty()), B.getInt32Ty()));
  PLAIN("s_sext_i32_i16",
        B.CreateSExt(B.CreateTrunc(A, B.getInt16Ty()), B.getInt32Ty()));
  LOGIC("s_bcnt1_i32_b32", B.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, A));
  LOGIC("s_bcnt1_i32_b64",
        B.CreateTrunc(B.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, A),
                      B.getInt32Ty()));
  for (const char *Name : {"s_ff1_i32_b32", "s_ff1_i32_b64"})
    PLAIN(Name, B.CreateSelect(
                    B.CreateIsNull(A), B.getInt32(~0u),
                    B.CreateTrunc(B.CreateBinaryIntrinsic(llvm::Intrinsic::cttz,
                                                          A, B.getFalse()),
                                  B.getInt32Ty())));
  Rules["s_bfe_u32"] = Rules["s_bfe_u64"] = bitField<false>;
  Rules["s_bfe_i32"] = Rules["s_bfe_i64"] = bitField<true>;
  Rules["s_lshl1_add_u32"] = shiftAdd<1>;
  Rules["s_lshl2_add_u32"] = shiftAdd<2>;
  Rules["s_lshl3_add_u32"] = shiftAdd<3>;
  Rules["s_lshl4_add_u32"] = shiftAdd<4>;
  STATEMENT("s_movk_i32", E.write32(I.Dst, B.getInt32(uint32_t(I.Imm))));
  STATEMENT(
      "s_cmovk_i32",
      E.write32(I.Dst, B.CreateSelect(E.scc(), B.getInt32(uint32_t(I.Imm)),
                                      E.read32(I.Dst))));
  STATEMENT("s_cmov_b32",
            E.write32(I.Dst, B.CreateSelect(E.scc(), A, E.read32(I.Dst))));
  STATEMENT("s_cmov_b64",
            E.write64(I.Dst, B.CreateSelect(E.scc(), A, E.read64(I.Dst))));
}

void addCompares(Map &Rules) {
#define COMPARE(NAME, SIGNED, UNSIGNED)                                        \
  Rules["s_cmp_" NAME "_i32"] = compare<llvm::CmpInst::SIGNED>;                \
  Rules["s_cmp_" NAME "_u32"] = compare<llvm::CmpInst::UNSIGNED>;              \
  Rules["s_cmpk_" NAME "_i32"] = compareK<llvm::CmpInst::SIGNED>;              \
  Rules["s_cmpk_" NAME "_u32"] = compareK<llvm::CmpInst::UNSIGNED>
  COMPARE("eq", ICMP_EQ, ICMP_EQ);
  COMPARE("lg", ICMP_NE, ICMP_NE);
  COMPARE("gt", ICMP_SGT, ICMP_UGT);
  COMPARE("ge", ICMP_SGE, ICMP_UGE);
  COMPARE("lt", ICMP_SLT, ICMP_ULT);
  COMPARE("le", ICMP_SLE, ICMP_ULE);
#undef COMPARE
  Rules["s_cmp_eq_u64"] = compare<llvm::CmpInst::ICMP_EQ>;
  Rules["s_cmp_lg_u64"] = compare<llvm::CmpInst::ICMP_NE>;
  for (const char *Name : {"s_bitcmp1_b32", "s_bitcmp1_b64"})
    TEST(Name, B.CreateTrunc(B.CreateLShr(A, amount(E, D, A)), B.getInt1Ty()));
  for (const char *Name : {"s_bitcmp0_b32", "s_bitcmp0_b64"})
    TEST(Name, B.CreateNot(B.CreateTrunc(B.CreateLShr(A, amount(E, D, A)),
                                         B.getInt1Ty())));
}

/// EXEC is kept in the destination, and changed.
#define SAVE(NAME, EXPR)                                                       \
  STATEMENT("s_" NAME "_saveexec_b64", {                                       \
    Value *X = E.read64(scalar::ExecLo);                                       \
    Value *New = EXPR;                                                         \
    E.write64(I.Dst, X);                                                       \
    E.write64(scalar::ExecLo, New);                                            \
    E.setScc(B.CreateIsNotNull(New));                                          \
  });                                                                          \
  STATEMENT("s_" NAME "_saveexec_b32", {                                       \
    Value *X = E.read32(scalar::ExecLo);                                       \
    Value *New = EXPR;                                                         \
    E.write32(I.Dst, X);                                                       \
    E.write32(scalar::ExecLo, New);                                            \
    E.setScc(B.CreateIsNotNull(New));                                          \
  })
void addExec(Map &Rules) {
  SAVE("and", B.CreateAnd(A, X));
  SAVE("or", orOf(E, A, X));
  SAVE("xor", B.CreateXor(A, X));
  SAVE("andn2", B.CreateAnd(A, notOf(E, X)));
  SAVE("orn2", B.CreateOr(A, notOf(E, X)));
  SAVE("andn1", B.CreateAnd(notOf(E, A), X));
  SAVE("orn1", B.CreateOr(notOf(E, A), X));
  SAVE("nand", notOf(E, B.CreateAnd(A, X)));
  SAVE("nor", notOf(E, B.CreateOr(A, X)));
  SAVE("xnor", notOf(E, B.CreateXor(A, X)));
  STATEMENT("s_getpc_b64", E.write64(I.Dst, E.pc(4)));
}
#undef SAVE

/// What this simulator has no need for.
void addInert(Map &Rules) {
  for (const char *Name : {"s_nop",
                           "s_waitcnt",
                           "s_setprio",
                           "s_clause",
                           "s_inst_prefetch",
                           "s_set_inst_prefetch_distance",
                           "s_delay_alu",
                           "s_waitcnt_vscnt",
                           "s_waitcnt_vmcnt",
                           "s_waitcnt_expcnt",
                           "s_waitcnt_lgkmcnt",
                           "s_waitcnt_depctr",
                           "s_wait_idle",
                           "s_wait_event",
                           "s_wait_loadcnt",
                           "s_wait_storecnt",
                           "s_wait_samplecnt",
                           "s_wait_bvhcnt",
                           "s_wait_expcnt",
                           "s_wait_dscnt",
                           "s_wait_kmcnt",
                           "s_wait_loadcnt_dscnt",
                           "s_wait_storecnt_dscnt",
                           "s_wait_alu",
                           "v_nop"})
    Rules[Name] = [](Emitter &, const Inst &) { return true; };
}

} // namespace

ScalarRule findScalarRule(const Inst &I) {
  static const Map Rules = [] {
    Map R;
    addArithmetic(R);
    addBits(R);
    addCompares(R);
    addExec(R);
    addInert(R);
    return R;
  }();
  return Rules.lookup(baseMnemonic(I.Text));
}

} // namespace wavelane::isa
