//===-- LaneLoop.cpp - several vector instructions in one loop ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneLoop.h"

using llvm::Type;
using llvm::Value;

namespace wavelane::isa {

void LaneLoop::emit() {
  Value *Exec = Code.front().Exec;
  if (llvm::isa<llvm::Constant>(Exec) ||
      llvm::any_of(Code, [&](const Pending &P) { return P.Exec != Exec; })) {
    emitLoop();
    return;
  }
  // Usually, all lanes are active. Then, none has to be kept.
  auto *Full = llvm::BasicBlock::Create(B.getContext(), "", F),
       *Masked = llvm::BasicBlock::Create(B.getContext(), "", F),
       *Join = llvm::BasicBlock::Create(B.getContext(), "", F);
  LaneLoop Other(B, T, Code, Vectors, F);
  B.CreateCondBr(B.CreateIsNull(B.CreateNot(Exec)), Full, Masked);
  B.SetInsertPoint(Masked);
  Other.emitLoop();
  B.CreateBr(Join);
  Masked = B.GetInsertBlock();
  B.SetInsertPoint(Full);
  AllActive = Exec;
  emitLoop();
  B.CreateBr(Join);
  Full = B.GetInsertBlock();
  B.SetInsertPoint(Join);
  for (auto &[Number, Result] : Results) {
    llvm::PHINode *Either = B.CreatePHI(Result->getType(), 2);
    Either->addIncoming(Result, Full);
    Either->addIncoming(Other.mask(Number), Masked);
    Result = Either;
  }
}

void LaneLoop::emitLoop() {
  llvm::BasicBlock *Before = B.GetInsertBlock();
  auto *Body = llvm::BasicBlock::Create(B.getContext(), "", F);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  llvm::PHINode *Phi = B.CreatePHI(B.getInt64Ty(), 2);
  Phi->addIncoming(B.getInt64(0), Before);
  Index = Phi;
  Type *MaskType = T.Lanes == 64 ? B.getInt64Ty() : B.getInt32Ty();
  llvm::SmallVector<std::pair<unsigned, llvm::PHINode *>, 4> Sums;
  for (unsigned N = 0; N < Code.size(); ++N)
    if (Code[N].IsNeeded) {
      Sums.push_back({N, B.CreatePHI(MaskType, 2)});
      Sums.back().second->addIncoming(llvm::ConstantInt::get(MaskType, 0),
                                      Before);
    }
  Value *Next = B.CreateAdd(Index, B.getInt64(1));
  Phi->addIncoming(Next, Body);
  FirstLane = B.CreateTrunc(B.CreateShl(Index, uint64_t(3)), B.getInt32Ty());
  for (unsigned N = 0; N < Code.size(); ++N)
    execute(N);
  for (auto &[Reg, L] : Registers)
    if (L.IsChanged) {
      complete(Reg, L);
      B.CreateAlignedStore(L.V, address(Reg), llvm::Align(4));
    }
  for (auto &[N, Sum] : Sums) {
    Value *Lanes =
        B.CreateZExt(B.CreateBitCast(Masks.lookup(N), B.getInt8Ty()), MaskType);
    Value *New = B.CreateOr(
        Sum, B.CreateShl(Lanes, B.CreateZExtOrTrunc(FirstLane, MaskType)));
    Sum->addIncoming(New, Body);
    Results[N] = New;
  }
  auto *After = llvm::BasicBlock::Create(B.getContext(), "", F);
  B.CreateCondBr(B.CreateICmpULT(Next, B.getInt64(T.Lanes / Width)), Body,
                 After);
  B.SetInsertPoint(After);
}

Value *LaneLoop::address(unsigned Reg) {
  Value *First =
      B.CreateConstGEP1_64(B.getInt32Ty(), Vectors, uint64_t(Reg) * T.Lanes);
  return B.CreateGEP(B.getInt32Ty(), First, B.CreateShl(Index, uint64_t(3)));
}

Value *LaneLoop::load(unsigned Reg) {
  // Volatile, so that LLVM doesn't make a masked store of a load, a select and
  // a store, which takes much more time with AMD's processors.
  return B.CreateAlignedLoad(vector(B.getInt32Ty()), address(Reg),
                             llvm::Align(4), /*isVolatile=*/true);
}

Value *LaneLoop::bits(Value *Mask) {
  Value *&V = Bits[Mask];
  if (V)
    return V;
  Type *Word = B.getInt32Ty();
  Value *Shift = B.CreateZExtOrTrunc(FirstLane, Mask->getType());
  Value *Low = B.CreateTrunc(B.CreateLShr(Mask, Shift), Word);
  llvm::SmallVector<llvm::Constant *, Width> Each;
  for (unsigned N = 0; N < Width; ++N)
    Each.push_back(B.getInt32(1u << N));
  Value *Bit = llvm::ConstantVector::get(Each);
  V = B.CreateICmpEQ(B.CreateAnd(B.CreateVectorSplat(Width, Low), Bit), Bit);
  return V;
}

Value *LaneLoop::active(Value *Exec) {
  const auto *Known = llvm::dyn_cast<llvm::ConstantInt>(Exec);
  return Exec == AllActive || (Known && Known->isMinusOne()) ? nullptr
                                                             : bits(Exec);
}

void LaneLoop::complete(unsigned Reg, Lanes &L) {
  if (!L.Active)
    return;
  L.V = B.CreateSelect(L.Active, L.V, load(Reg));
  L.Active = L.Exec = nullptr;
}

Value *LaneLoop::read(unsigned Reg, Value *Exec) {
  Lanes &L = Registers[Reg];
  if (!L.V)
    L.V = load(Reg);
  else if (L.Active && L.Exec != Exec)
    complete(Reg, L);
  return L.V;
}

void LaneLoop::write(unsigned Reg, Value *V, Value *Exec) {
  Lanes &L = Registers[Reg];
  Value *Active = active(Exec);
  L.IsChanged = true;
  if (!Active || !L.V || (L.Active && L.Exec == Exec)) {
    L.V = V;
    L.Active = Active;
    L.Exec = Exec;
    return;
  }
  complete(Reg, L);
  L.V = B.CreateSelect(Active, V, L.V);
}

/// An operand's selection and sign.
Value *LaneLoop::modified(Value *V, const Operand &S, Kind K) {
  const auto All = [&](uint32_t N) {
    return B.CreateVectorSplat(Width, B.getInt32(N));
  };
  if (S.Sel != 6) {
    const unsigned Size = S.Sel < 4 ? 8 : 16,
                   Shift = S.Sel < 4 ? S.Sel * 8 : (S.Sel - 4) * 16;
    V = B.CreateShl(V, All(32 - Size - Shift));
    V = S.Sext ? B.CreateAShr(V, All(32 - Size))
               : B.CreateLShr(V, All(32 - Size));
  }
  if (K != Kind::F32)
    return V;
  if (S.Abs)
    V = B.CreateAnd(V, All(0x7fffffff));
  if (S.Neg)
    V = B.CreateXor(V, All(0x80000000));
  return B.CreateBitCast(V, vector(B.getFloatTy()));
}

Value *LaneLoop::operand(const Pending &P, unsigned N) {
  const Pending::Source &S = P.Sources[N];
  const Operand &From = P.I->Src[N];
  const Kind K = P.I->O->Args[N];
  if (S.Is == Pending::Source::Segment)
    return Masks.lookup(S.Number);
  if (S.Is == Pending::Source::Bits)
    return bits(S.V);
  const bool IsWide = dwordsOf(K) == 2 && K != Kind::PF32;
  Value *V;
  if (S.Is == Pending::Source::Value) {
    V = B.CreateVectorSplat(Width, S.V);
  } else if (!IsWide) {
    V = read(S.Reg, P.Exec);
  } else {
    llvm::FixedVectorType *Wide = vector(B.getInt64Ty());
    Value *Low = B.CreateZExt(read(S.Reg, P.Exec), Wide),
          *High = B.CreateZExt(read(S.Reg + 1, P.Exec), Wide);
    V = B.CreateOr(Low, B.CreateShl(High, uint64_t(32)));
  }
  if (!IsWide)
    return modified(V, From, K);
  if (K != Kind::F64)
    return V;
  const auto All = [&](uint64_t Bits) {
    return B.CreateVectorSplat(Width, B.getInt64(Bits));
  };
  if (From.Abs)
    V = B.CreateAnd(V, All(~(uint64_t(1) << 63)));
  if (From.Neg)
    V = B.CreateXor(V, All(uint64_t(1) << 63));
  return B.CreateBitCast(V, vector(B.getDoubleTy()));
}

void LaneLoop::writePair(const Pending &P, Value *Low, Value *High) {
  write(P.Dst, Low, P.Exec);
  write(P.Dst + 1, High, P.Exec);
}

void LaneLoop::moveRow(const Pending &P) {
  llvm::FixedVectorType *Words = vector(B.getInt32Ty());
  for (unsigned N = 0; N < P.Words; ++N) {
    Value *First =
        B.CreateConstGEP1_64(B.getInt32Ty(), P.Row, uint64_t(N) * T.Lanes);
    Value *At =
        B.CreateGEP(B.getInt32Ty(), First, B.CreateShl(Index, uint64_t(3)));
    if (!P.IsStore) {
      write(P.Dst + N, B.CreateAlignedLoad(Words, At, llvm::Align(4)), P.Exec);
      continue;
    }
    Value *V = read(P.Dst + N, P.Exec);
    // Only this wave uses its private memory. Volatile as in load().
    if (Value *Active = active(P.Exec))
      V = B.CreateSelect(Active, V,
                         B.CreateAlignedLoad(Words, At, llvm::Align(4),
                                             /*isVolatile=*/true));
    B.CreateAlignedStore(V, At, llvm::Align(4));
  }
}

void LaneLoop::execute(unsigned Number) {
  const Pending &P = Code[Number];
  if (P.Row)
    return moveRow(P);
  LaneCode C{B, *P.I, T, FirstLane, {}};
  for (unsigned N = 0; N < P.I->NumSrc; ++N)
    C.Source[N] = operand(P, N);
  const Kind Result = P.I->O->Result;
  if (Result == Kind::PF32)
    return writePair(P, C.Source[0], C.Source[1]);
  Value *V = P.Rule(C);
  Value *Mask = Result == Kind::None ? V : C.Carry;
  if (Mask) {
    Value *Active = active(P.Exec);
    Masks[Number] = Active ? B.CreateAnd(Mask, Active) : Mask;
  }
  if (Result == Kind::None)
    return;
  if (dwordsOf(Result) == 1) {
    write(P.Dst, B.CreateBitCast(V, vector(B.getInt32Ty())), P.Exec);
    return;
  }
  V = B.CreateBitCast(V, vector(B.getInt64Ty()));
  llvm::FixedVectorType *Words = vector(B.getInt32Ty());
  writePair(P, B.CreateTrunc(V, Words),
            B.CreateTrunc(B.CreateLShr(V, uint64_t(32)), Words));
}

} // namespace wavelane::isa
