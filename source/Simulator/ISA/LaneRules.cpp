//===-- LaneRules.cpp - LLVM's code for vector instructions ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction without a rule is executed by its handler, or, if that has the
// same for a few lanes, by a function. Each rule must have exactly the
// handler's results (TranslationTest.cpp compares them).
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"

using llvm::Value;

namespace wavelane::isa {

constexpr unsigned Width = 8;

llvm::Type *LaneCode::typeOf(Kind K) const {
  switch (K) {
  case Kind::F32:
    return llvm::FixedVectorType::get(B.getFloatTy(), Width);
  case Kind::F64:
    return llvm::FixedVectorType::get(B.getDoubleTy(), Width);
  case Kind::B64:
  case Kind::I64:
    return llvm::FixedVectorType::get(B.getInt64Ty(), Width);
  default:
    return llvm::FixedVectorType::get(B.getInt32Ty(), Width);
  }
}

Value *LaneCode::all(Kind K, uint64_t N) const {
  llvm::Type *T =
      llvm::cast<llvm::FixedVectorType>(typeOf(K))->getElementType();
  if (T->isIntegerTy())
    return B.CreateVectorSplat(Width, llvm::ConstantInt::get(T, N));
  const llvm::APFloat F = T->isFloatTy()
                              ? llvm::APFloat(bitCast<float>(uint32_t(N)))
                              : llvm::APFloat(bitCast<double>(N));
  return B.CreateVectorSplat(Width, llvm::ConstantFP::get(T, F));
}

bool writesExec(const Inst &I) {
  return I.Enc == Encoding::VOPC &&
         gpu::InstructionFacts::get(I.Text).WritesExec;
}

bool writesMask(const Inst &I) {
  return I.Enc == Encoding::VOPC ||
         gpu::InstructionFacts::get(I.Text).WritesLaneMask;
}

namespace {

using Map = llvm::StringMap<LaneRule>;

Value *words(LaneCode &C, uint32_t N) { return C.all(Kind::B32, N); }
Value *longs(LaneCode &C, uint64_t N) { return C.all(Kind::B64, N); }
Value *amount(LaneCode &C, Value *V) { return C.B.CreateAnd(V, words(C, 31)); }
Value *widen(LaneCode &C, Value *V) {
  return C.B.CreateZExt(V, C.typeOf(Kind::B64));
}
Value *widenSigned(LaneCode &C, Value *V) {
  return C.B.CreateSExt(V, C.typeOf(Kind::B64));
}
Value *low(LaneCode &C, Value *V) {
  return C.B.CreateTrunc(V, C.typeOf(Kind::B32));
}
Value *high(LaneCode &C, Value *V) {
  return low(C, C.B.CreateLShr(V, longs(C, 32)));
}
Value *smaller(LaneCode &C, Value *A, Value *D) {
  return C.B.CreateBinaryIntrinsic(llvm::Intrinsic::smin, A, D);
}
Value *low24(LaneCode &C, Value *V) {
  return C.B.CreateAnd(V, words(C, 0xffffff));
}
Value *low24Signed(LaneCode &C, Value *V) {
  return C.B.CreateAShr(C.B.CreateShl(V, words(C, 8)), words(C, 8));
}
Value *notOf(LaneCode &C, Value *V) { return C.B.CreateXor(V, words(C, ~0u)); }

// The operands are A, D and X; B is the builder.
#define RULE(NAME, EXPR)                                                       \
  Rules[NAME] = [](LaneCode &C) -> Value * {                                   \
    [[maybe_unused]] Builder &B = C.B;                                         \
    [[maybe_unused]] Value *A = C.Source[0], *D = C.Source[1],                 \
                           *X = C.Source[2];                                   \
    return EXPR;                                                               \
  }

void addBits(Map &Rules) {
  for (const char *Name :
       {"v_mov_b32", "v_mov_b64", "v_accvgpr_read_b32", "v_accvgpr_write_b32",
        "v_accvgpr_mov_b32", "v_pk_mov_b32"})
    RULE(Name, A);
  RULE("v_not_b32", notOf(C, A));
  RULE("v_and_b32", B.CreateAnd(A, D));
  RULE("v_or_b32", B.CreateOr(A, D));
  RULE("v_xor_b32", B.CreateXor(A, D));
  RULE("v_xnor_b32", notOf(C, B.CreateXor(A, D)));
  RULE("v_and_or_b32", B.CreateOr(B.CreateAnd(A, D), X));
  RULE("v_or3_b32", B.CreateOr(B.CreateOr(A, D), X));
  RULE("v_xor3_b32", B.CreateXor(B.CreateXor(A, D), X));
  RULE("v_bfi_b32", B.CreateOr(B.CreateAnd(A, D), B.CreateAnd(notOf(C, A), X)));
  RULE("v_lshlrev_b32", B.CreateShl(D, amount(C, A)));
  RULE("v_lshrrev_b32", B.CreateLShr(D, amount(C, A)));
  RULE("v_ashrrev_i32", B.CreateAShr(D, amount(C, A)));
  RULE("v_lshl_or_b32", B.CreateOr(B.CreateShl(A, amount(C, D)), X));
  RULE("v_lshlrev_b64", B.CreateShl(D, B.CreateAnd(widen(C, A), longs(C, 63))));
  RULE("v_lshrrev_b64",
       B.CreateLShr(D, B.CreateAnd(widen(C, A), longs(C, 63))));
  RULE("v_ashrrev_i64",
       B.CreateAShr(D, B.CreateAnd(widen(C, A), longs(C, 63))));
  RULE("v_bfrev_b32", B.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, A));
  RULE("v_bcnt_u32_b32",
       B.CreateAdd(B.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, A), D));
  RULE("v_bfe_u32",
       B.CreateAnd(
           B.CreateLShr(A, amount(C, D)),
           B.CreateSub(B.CreateShl(words(C, 1), amount(C, X)), words(C, 1))));
  Rules["v_bfe_i32"] = [](LaneCode &C) -> Value * {
    Builder &B = C.B;
    Value *Size = amount(C, C.Source[2]);
    // Bits above the register's top are copies of its sign.
    Value *V = B.CreateAShr(widenSigned(C, C.Source[0]),
                            widen(C, amount(C, C.Source[1])));
    Value *Up =
        B.CreateAnd(widen(C, B.CreateSub(words(C, 64), Size)), longs(C, 63));
    Value *R = low(C, B.CreateAShr(B.CreateShl(V, Up), Up));
    return B.CreateSelect(B.CreateICmpEQ(Size, words(C, 0)), words(C, 0), R);
  };
  RULE("v_bfm_b32",
       B.CreateShl(
           B.CreateSub(B.CreateShl(words(C, 1), amount(C, A)), words(C, 1)),
           amount(C, D)));
  RULE("v_alignbit_b32",
       low(C, B.CreateLShr(B.CreateOr(B.CreateShl(widen(C, A), longs(C, 32)),
                                      widen(C, D)),
                           widen(C, amount(C, X)))));
  Rules["v_cndmask_b32"] = [](LaneCode &C) -> Value * {
    Value *V[2];
    for (unsigned N = 0; N < 2; ++N) {
      const Operand &S = C.I.Src[N];
      V[N] = C.Source[N];
      if (S.Abs)
        V[N] = C.B.CreateAnd(V[N], words(C, 0x7fffffff));
      if (S.Neg)
        V[N] = C.B.CreateXor(V[N], words(C, 0x80000000));
    }
    return C.B.CreateSelect(C.Source[2], V[1], V[0]);
  };
}

/// By a function of the host for eight lanes (Op::Eight).
Value *byFunction(LaneCode &C) {
  Builder &B = C.B;
  const Op &O = *C.I.O;
  llvm::Type *Byte = B.getInt8Ty(), *Pointer = B.getPtrTy(),
             *Int = B.getInt32Ty();
  for (unsigned N = 0; N < C.I.NumSrc; ++N)
    B.CreateAlignedStore(
        C.Source[N],
        B.CreateConstGEP1_64(Byte, C.Host.Room, uint64_t(Op::EightStep) * N),
        llvm::Align(32));
  Value *Vcc =
      C.Vcc ? B.CreateZExt(B.CreateBitCast(C.Vcc, Byte), Int) : B.getInt32(0);
  Value *Bits = B.CreateCall(
      llvm::FunctionType::get(Int, {Pointer, Pointer, Int}, false),
      B.CreateIntToPtr(B.getInt64(reinterpret_cast<uintptr_t>(O.Eight)),
                       Pointer),
      {C.Host.Env, C.Host.Room, Vcc});
  Value *Mask =
      B.CreateBitCast(B.CreateTrunc(Bits, Byte),
                      llvm::FixedVectorType::get(B.getInt1Ty(), Width));
  if (O.Result == Kind::None)
    return Mask;
  if (writesMask(C.I))
    C.Carry = Mask;
  return B.CreateAlignedLoad(
      C.typeOf(O.Result),
      B.CreateConstGEP1_64(Byte, C.Host.Room, uint64_t(Op::ResultAt)),
      llvm::Align(32));
}

template <bool High> Value *countBelow(LaneCode &C) {
  Builder &B = C.B;
  llvm::SmallVector<llvm::Constant *, Width> Each;
  for (unsigned N = 0; N < Width; ++N)
    Each.push_back(B.getInt64(N));
  Value *Lane = B.CreateAdd(
      B.CreateVectorSplat(Width, B.CreateZExt(C.FirstLane, B.getInt64Ty())),
      llvm::ConstantVector::get(Each));
  Value *Below = B.CreateSub(B.CreateShl(longs(C, 1), Lane), longs(C, 1));
  Value *Mask = High ? high(C, Below) : low(C, Below);
  return B.CreateAdd(B.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop,
                                            B.CreateAnd(C.Source[0], Mask)),
                     C.Source[1]);
}

/// The sum of two operands and perhaps a mask, or their difference.
template <bool Adds, bool Swaps, bool In> Value *carry(LaneCode &C) {
  Builder &B = C.B;
  Value *X = C.Source[Swaps ? 1 : 0], *Y = C.Source[Swaps ? 0 : 1];
  Value *R = Adds ? B.CreateAdd(X, Y) : B.CreateSub(X, Y);
  C.Carry = Adds ? B.CreateICmpULT(R, X) : B.CreateICmpULT(X, Y);
  if (!In)
    return R;
  Value *One = B.CreateZExt(C.Source[2], C.typeOf(Kind::B32));
  Value *R2 = Adds ? B.CreateAdd(R, One) : B.CreateSub(R, One);
  Value *Again = Adds ? B.CreateICmpULT(R2, R) : B.CreateICmpULT(R, One);
  C.Carry = B.CreateOr(C.Carry, Again);
  return R2;
}

void addIntegers(Map &Rules) {
  RULE("v_add_u32", B.CreateAdd(A, D));
  RULE("v_sub_u32", B.CreateSub(A, D));
  RULE("v_subrev_u32", B.CreateSub(D, A));
  RULE("v_add_i32", B.CreateAdd(A, D));
  RULE("v_sub_i32", B.CreateSub(A, D));
  RULE("v_min_i32", smaller(C, A, D));
  RULE("v_max_i32", B.CreateBinaryIntrinsic(llvm::Intrinsic::smax, A, D));
  RULE("v_min_u32", B.CreateBinaryIntrinsic(llvm::Intrinsic::umin, A, D));
  RULE("v_max_u32", B.CreateBinaryIntrinsic(llvm::Intrinsic::umax, A, D));
  RULE("v_mul_lo_u32", B.CreateMul(A, D));
  RULE("v_mul_lo_i32", B.CreateMul(A, D));
  RULE("v_mul_hi_u32", high(C, B.CreateMul(widen(C, A), widen(C, D))));
  RULE("v_mul_hi_i32",
       high(C, B.CreateMul(widenSigned(C, A), widenSigned(C, D))));
  RULE("v_mul_u32_u24", B.CreateMul(low24(C, A), low24(C, D)));
  RULE("v_mad_u32_u24", B.CreateAdd(B.CreateMul(low24(C, A), low24(C, D)), X));
  RULE("v_mul_i32_i24", B.CreateMul(low24Signed(C, A), low24Signed(C, D)));
  RULE("v_mad_i32_i24",
       B.CreateAdd(B.CreateMul(low24Signed(C, A), low24Signed(C, D)), X));
  RULE("v_add3_u32", B.CreateAdd(B.CreateAdd(A, D), X));
  RULE("v_lshl_add_u32", B.CreateAdd(B.CreateShl(A, amount(C, D)), X));
  RULE("v_add_lshl_u32", B.CreateShl(B.CreateAdd(A, D), amount(C, X)));
  RULE("v_xad_u32", B.CreateAdd(B.CreateXor(A, D), X));
  RULE("v_lshl_add_u64",
       B.CreateAdd(B.CreateShl(A, B.CreateAnd(widen(C, D), longs(C, 7))), X));
  Rules["v_add_co_u32"] = carry<true, false, false>;
  Rules["v_sub_co_u32"] = carry<false, false, false>;
  Rules["v_subrev_co_u32"] = carry<false, true, false>;
  Rules["v_addc_co_u32"] = carry<true, false, true>;
  Rules["v_subb_co_u32"] = carry<false, false, true>;
  Rules["v_subbrev_co_u32"] = carry<false, true, true>;
  Rules["v_mbcnt_lo_u32_b32"] = countBelow<false>;
  Rules["v_mbcnt_hi_u32_b32"] = countBelow<true>;
  Rules["v_mad_u64_u32"] = [](LaneCode &C) -> Value * {
    Builder &B = C.B;
    Value *R = B.CreateAdd(
        B.CreateMul(widen(C, C.Source[0]), widen(C, C.Source[1])), C.Source[2]);
    C.Carry = B.CreateICmpULT(R, C.Source[2]);
    return R;
  };
}

//===-- Floating point ----------------------------------------------------===//

/// v_min_f32 and v_max_f32 on bits, as extremum() of VectorFloat.cpp.
template <bool Larger> Value *extremum(LaneCode &C, Value *A, Value *D) {
  Builder &B = C.B;
  llvm::Type *T = C.typeOf(Kind::B32);
  Value *P = B.CreateBitCast(A, T), *Q = B.CreateBitCast(D, T);
  const auto IsNaN = [&](Value *V) {
    return B.CreateICmpUGT(B.CreateAnd(V, words(C, 0x7fffffff)),
                           words(C, 0x7f800000));
  };
  const auto IsSignaling = [&](Value *V, Value *NaN) {
    return B.CreateAnd(
        NaN, B.CreateICmpEQ(B.CreateAnd(V, words(C, 0x400000)), words(C, 0)));
  };
  Value *NaNP = IsNaN(P), *NaNQ = IsNaN(Q);
  Value *Negative = B.CreateICmpSLT(P, words(C, 0));
  Value *R =
      Larger ? B.CreateSelect(Negative, Q, P) : B.CreateSelect(Negative, P, Q);
  R = B.CreateSelect(B.CreateFCmpOLT(D, A), Larger ? P : Q, R);
  R = B.CreateSelect(B.CreateFCmpOLT(A, D), Larger ? Q : P, R);
  R = B.CreateSelect(NaNQ, P, R);
  R = B.CreateSelect(NaNP, Q, R);
  if (C.T.Mode & mode::IEEE) {
    const auto Quiet = [&](Value *V) {
      return B.CreateOr(V, words(C, 0x400000));
    };
    R = B.CreateSelect(IsSignaling(Q, NaNQ), Quiet(Q), R);
    R = B.CreateSelect(IsSignaling(P, NaNP), Quiet(P), R);
  }
  return B.CreateBitCast(R, C.typeOf(Kind::F32));
}

Value *round32(LaneCode &C, Value *V, unsigned How) {
  return C.B.CreateIntrinsic(llvm::Intrinsic::x86_avx_round_ps_256, {},
                             {V, C.B.getInt32(How | 8)});
}

/// Truncates; all bits but the sign's are 0 if the result isn't an i32.
Value *toInteger(LaneCode &C, Value *V) {
  return C.B.CreateIntrinsic(llvm::Intrinsic::x86_avx_cvtt_ps2dq_256, {}, {V});
}

Value *toSigned(LaneCode &C) {
  Builder &B = C.B;
  Value *V = C.Source[0];
  Value *R = toInteger(C, V);
  R = B.CreateSelect(B.CreateFCmpOGE(V, C.all(Kind::F32, 0x4f000000)),
                     words(C, 0x7fffffff), R);
  return B.CreateSelect(B.CreateFCmpUNO(V, V), words(C, 0), R);
}

Value *toUnsigned(LaneCode &C) {
  Builder &B = C.B;
  Value *V = C.Source[0], *Half = C.all(Kind::F32, 0x4f000000);
  Value *Upper =
      B.CreateXor(toInteger(C, B.CreateFSub(V, Half)), words(C, 0x80000000));
  Value *R = B.CreateSelect(B.CreateFCmpOGE(V, Half), Upper, toInteger(C, V));
  R = B.CreateSelect(B.CreateFCmpOGE(V, C.all(Kind::F32, 0x4f800000)),
                     words(C, ~0u), R);
  return B.CreateSelect(B.CreateFCmpOGT(V, C.all(Kind::F32, 0)), R,
                        words(C, 0));
}

Value *fromUnsigned(LaneCode &C, Value *V) {
  Builder &B = C.B;
  llvm::Type *T = C.typeOf(Kind::F32);
  Value *High = B.CreateSIToFP(B.CreateLShr(V, words(C, 16)), T),
        *Low = B.CreateSIToFP(B.CreateAnd(V, words(C, 0xffff)), T);
  // Only the sum is rounded.
  return B.CreateFAdd(B.CreateFMul(High, C.all(Kind::F32, 0x47800000)), Low);
}

/// A sum or product by the host's instruction \a Name, without ps or pd. Of
/// LLVM's own operations, the code generator and even the assembler exchange
/// operands (for a shorter encoding, hence vex3), or take their signs into the
/// operation, and so change which of two NaNs is the result. This instruction's
/// is the first one, as Arithmetic.h demands.
/// \param Text  The operands after the name.
Value *host(LaneCode &C, const std::string &Name,
            llvm::ArrayRef<Value *> Values, const char *Text,
            const char *Constraints) {
  Builder &B = C.B;
  llvm::Type *T = Values[0]->getType();
  const bool IsDouble = T->getScalarType()->isDoubleTy();
  constexpr unsigned Bytes = 32;
  const unsigned Count = Bytes / (IsDouble ? 8 : 4);
  llvm::Type *Part = llvm::FixedVectorType::get(T->getScalarType(), Count);
  const llvm::SmallVector<llvm::Type *, 3> Types(Values.size(), Part);
  llvm::InlineAsm *Code = llvm::InlineAsm::get(
      llvm::FunctionType::get(Part, Types, false),
      Name + (IsDouble ? "pd " : "ps ") + Text, Constraints,
      /*hasSideEffects=*/false);
  llvm::SmallVector<Value *, 2> Results;
  for (unsigned First = 0; First < Width; First += Count) {
    const auto Lanes = llvm::to_vector(llvm::map_range(
        llvm::seq(First, First + Count), [](unsigned N) { return int(N); }));
    llvm::SmallVector<Value *, 3> Parts;
    for (Value *V : Values)
      Parts.push_back(Count == Width ? V : B.CreateShuffleVector(V, Lanes));
    Results.push_back(B.CreateCall(Code, Parts));
  }
  if (Results.size() == 1)
    return Results[0];
  const auto All = llvm::to_vector(
      llvm::map_range(llvm::seq(0u, Width), [](unsigned N) { return int(N); }));
  return B.CreateShuffleVector(Results[0], Results[1], All);
}

Value *host(LaneCode &C, const char *Name, Value *A, Value *D) {
  return host(C, std::string("{vex3} ") + Name, {A, D}, "$2, $1, $0", "=x,x,x");
}

/// The form whose first operand is the multiplicand, and the last the sum.
Value *fused(LaneCode &C) {
  return host(C, "{vex3} vfmadd231", {C.Source[2], C.Source[0], C.Source[1]},
              "$3, $2, $0", "=x,0,x,x");
}

Value *squareRoot(LaneCode &C, Value *V) {
  return C.B.CreateConstrainedFPIntrinsic(
      llvm::Intrinsic::experimental_constrained_sqrt, {V->getType()}, {V}, {},
      "");
}

void addFloats(Map &Rules) {
  for (const char *Name : {"v_add_f32", "v_add_f64"})
    RULE(Name, host(C, "vadd", A, D));
  for (const char *Name : {"v_mul_f32", "v_mul_f64"})
    RULE(Name, host(C, "vmul", A, D));
  // Of a pair, each half.
  RULE("v_pk_add_f32", host(C, "vadd", A, D));
  RULE("v_pk_mul_f32", host(C, "vmul", A, D));
  Rules["v_pk_fma_f32"] = fused;
  RULE("v_sub_f32", host(C, "vsub", A, D));
  RULE("v_subrev_f32", host(C, "vsub", D, A));
  for (const char *Name : {"v_fma_f32", "v_fmac_f32", "v_fmaak_f32",
                           "v_fmamk_f32", "v_fma_f64", "v_fmac_f64"})
    Rules[Name] = fused;
  RULE("v_min_f32", extremum<false>(C, A, D));
  RULE("v_max_f32", extremum<true>(C, A, D));
  RULE("v_floor_f32", round32(C, A, 1));
  RULE("v_ceil_f32", round32(C, A, 2));
  RULE("v_trunc_f32", round32(C, A, 3));
  RULE("v_rndne_f32", round32(C, A, 0));
  for (const char *Name : {"v_rcp_f32", "v_rcp_iflag_f32"})
    RULE(Name, B.CreateFDiv(C.all(Kind::F32, 0x3f800000), A));
  RULE("v_rcp_f64", B.CreateFDiv(C.all(Kind::F64, 0x3ff0000000000000), A));
  RULE("v_sqrt_f32", squareRoot(C, A));
  RULE("v_rsq_f32",
       B.CreateFPTrunc(
           B.CreateFDiv(C.all(Kind::F64, 0x3ff0000000000000),
                        squareRoot(C, B.CreateFPExt(A, C.typeOf(Kind::F64)))),
           C.typeOf(Kind::F32)));
  RULE("v_sqrt_f64", squareRoot(C, A));
  Rules["v_cvt_i32_f32"] = toSigned;
  Rules["v_cvt_u32_f32"] = toUnsigned;
  RULE("v_cvt_f32_i32", B.CreateSIToFP(A, C.typeOf(Kind::F32)));
  RULE("v_cvt_f64_i32", B.CreateSIToFP(A, C.typeOf(Kind::F64)));
  RULE("v_cvt_f32_u32", fromUnsigned(C, A));
  RULE("v_cvt_f64_f32", B.CreateFPExt(A, C.typeOf(Kind::F64)));
  RULE("v_cvt_f32_f64", B.CreateFPTrunc(A, C.typeOf(Kind::F32)));
}

//===-- Compares ----------------------------------------------------------===//

void addCompares(Map &Rules) {
#define COMPARE(TYPE, NAME, EXPR)                                              \
  RULE("v_cmp_" NAME "_" TYPE, EXPR);                                          \
  RULE("v_cmpx_" NAME "_" TYPE, EXPR)
#define INTEGERS(TYPE, SIGN)                                                   \
  COMPARE(TYPE, "lt", B.CreateICmp##SIGN##LT(A, D));                           \
  COMPARE(TYPE, "eq", B.CreateICmpEQ(A, D));                                   \
  COMPARE(TYPE, "le", B.CreateICmp##SIGN##LE(A, D));                           \
  COMPARE(TYPE, "gt", B.CreateICmp##SIGN##GT(A, D));                           \
  COMPARE(TYPE, "ne", B.CreateICmpNE(A, D));                                   \
  COMPARE(TYPE, "ge", B.CreateICmp##SIGN##GE(A, D))
  INTEGERS("i32", S);
  INTEGERS("u32", U);
  INTEGERS("i64", S);
  INTEGERS("u64", U);
#define FLOATS(TYPE)                                                           \
  COMPARE(TYPE, "lt", B.CreateFCmpOLT(A, D));                                  \
  COMPARE(TYPE, "eq", B.CreateFCmpOEQ(A, D));                                  \
  COMPARE(TYPE, "le", B.CreateFCmpOLE(A, D));                                  \
  COMPARE(TYPE, "gt", B.CreateFCmpOGT(A, D));                                  \
  COMPARE(TYPE, "lg", B.CreateFCmpONE(A, D));                                  \
  COMPARE(TYPE, "ge", B.CreateFCmpOGE(A, D));                                  \
  COMPARE(TYPE, "o", B.CreateFCmpORD(A, D));                                   \
  COMPARE(TYPE, "u", B.CreateFCmpUNO(A, D));                                   \
  COMPARE(TYPE, "nge", B.CreateFCmpULT(A, D));                                 \
  COMPARE(TYPE, "nlg", B.CreateFCmpUEQ(A, D));                                 \
  COMPARE(TYPE, "ngt", B.CreateFCmpULE(A, D));                                 \
  COMPARE(TYPE, "nle", B.CreateFCmpUGT(A, D));                                 \
  COMPARE(TYPE, "neq", B.CreateFCmpUNE(A, D));                                 \
  COMPARE(TYPE, "nlt", B.CreateFCmpUGE(A, D))
  FLOATS("f32");
  FLOATS("f64");
#undef FLOATS
#undef INTEGERS
#undef COMPARE
}

} // namespace

static Map &replacedRules() {
  static Map Rules;
  return Rules;
}

void replaceLaneRule(llvm::StringRef Name, LaneRule Rule) {
  if (Rule)
    replacedRules()[Name] = Rule;
  else
    replacedRules().erase(Name);
}

LaneRule findLaneRule(const Inst &I) {
  static const Map Rules = [] {
    Map R;
    addBits(R);
    addIntegers(R);
    addFloats(R);
    addCompares(R);
    return R;
  }();
  // Half of a pair is what it is alone.
  llvm::StringRef Text = I.Text;
  const std::string Name = baseMnemonic(
      Text.consume_front("v_dual_") ? ("v_" + Text).str() : I.Text);
  if (const LaneRule Other = replacedRules().lookup(Name))
    return Other;
  if (const LaneRule Own = Rules.lookup(Name))
    return Own;
  return I.O && I.O->Eight ? byFunction : nullptr;
}

} // namespace wavelane::isa
