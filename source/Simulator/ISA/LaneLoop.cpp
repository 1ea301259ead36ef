//===-- LaneLoop.cpp - several vector instructions in one loop ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicsX86.h"

#include <cstring>

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
  LaneLoop Other(B, T, Code, Host);
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
    Sum->addIncoming(New, B.GetInsertBlock());
    Results[N] = New;
  }
  Phi->addIncoming(Next, B.GetInsertBlock());
  auto *After = llvm::BasicBlock::Create(B.getContext(), "", F);
  B.CreateCondBr(B.CreateICmpULT(Next, B.getInt64(T.Lanes / Width)), Body,
                 After);
  B.SetInsertPoint(After);
}

Value *LaneLoop::address(unsigned Reg) {
  Value *First = B.CreateConstGEP1_64(B.getInt32Ty(), Host.Vectors,
                                      uint64_t(Reg) * T.Lanes);
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

Value *LaneLoop::mask(const Pending::Source &S) {
  return S.Is == Pending::Source::Segment ? Masks.lookup(S.Number) : bits(S.V);
}

Value *LaneLoop::operand(const Pending &P, unsigned N) {
  const Pending::Source &S = P.Sources[N];
  const Operand &From = P.I->Src[N];
  const Kind K = P.I->O->Args[N];
  if (K == Kind::Mask)
    return mask(S);
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

Value *LaneLoop::floats(Value *V, bool Negates) {
  if (Negates)
    V = B.CreateXor(V, B.CreateVectorSplat(Width, B.getInt32(0x80000000)));
  return B.CreateBitCast(V, vector(B.getFloatTy()));
}

/// Two results of one rule, or two words that are moved. Both halves are read
/// before one is written.
void LaneLoop::executePair(const Pending &P, LaneCode &C) {
  if (!(P.I->O->Flags & Op::Packed))
    return writePair(P, C.Source[0], C.Source[1]);
  Value *Upper[3] = {};
  for (unsigned N = 0; N < P.I->NumSrc; ++N) {
    const Pending::Source &S = P.Sources[N];
    const PackedModifiers &M = P.I->Packed;
    Upper[N] = floats(S.Is == Pending::Source::Vector
                          ? read(S.UpperReg, P.Exec)
                          : B.CreateVectorSplat(Width, S.UpperV),
                      M.NegHi >> N & 1);
    C.Source[N] = floats(C.Source[N], M.NegLo >> N & 1);
  }
  llvm::FixedVectorType *Words = vector(B.getInt32Ty());
  Value *Low = B.CreateBitCast(P.Rule(C), Words);
  std::copy(std::begin(Upper), std::end(Upper), C.Source);
  writePair(P, Low, B.CreateBitCast(P.Rule(C), Words));
}

//===-- Local memory ------------------------------------------------------===//

/// Whether a mask has all lanes.
Value *LaneLoop::all(Value *Bits) {
  return B.CreateICmpEQ(B.CreateBitCast(Bits, B.getInt8Ty()), B.getInt8(0xff));
}

Value *LaneLoop::isInSteps(Value *Address, Value *First, unsigned Step) {
  Value *Want = B.CreateVectorSplat(Width, First);
  if (Step) {
    llvm::SmallVector<llvm::Constant *, Width> Steps;
    for (unsigned N = 0; N < Width; ++N)
      Steps.push_back(B.getInt32(N * Step));
    Want = B.CreateAdd(Want, llvm::ConstantVector::get(Steps));
  }
  return all(B.CreateICmpEQ(Address, Want));
}

/// Whether \a Bytes from \a First on are in local memory.
Value *LaneLoop::localFits(Value *First, unsigned Bytes) {
  return B.CreateICmpULT(
      First, B.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, Host.LocalSize,
                                     B.getInt32(Bytes - 1)));
}

Value *LaneLoop::localAt(Value *Offset) {
  return B.CreateGEP(B.getInt8Ty(), Host.Local,
                     B.CreateZExt(Offset, B.getInt64Ty()));
}

/// Dwords from an address on: usually neighbors of those of the lane before, or
/// the same in all lanes. Beyond local memory, there is 0.
LaneLoop::Values LaneLoop::loadLocal(Value *Address, unsigned Words) {
  llvm::FixedVectorType *Row = vector(B.getInt32Ty());
  const unsigned Bytes = 4 * Words;
  // The places of three dwords aren't a whole number of rows.
  const bool MayBeRow = llvm::has_single_bit(Words);
  llvm::BasicBlock *IsRow = newBlock(), *NoRow = newBlock(),
                   *IsSame = newBlock(), *Others = newBlock(),
                   *Join = newBlock();
  Value *First = B.CreateExtractElement(Address, uint64_t(0));
  B.CreateCondBr(MayBeRow ? B.CreateAnd(isInSteps(Address, First, Bytes),
                                        localFits(First, Width * Bytes))
                          : B.getFalse(),
                 IsRow, NoRow);

  B.SetInsertPoint(IsRow);
  Values Rows, Same, Each;
  for (unsigned N = 0; N < Words; ++N)
    Rows.push_back(B.CreateAlignedLoad(
        Row, localAt(B.CreateAdd(First, B.getInt32(N * Width * 4))),
        llvm::Align(1)));
  // Every other dword is another register's.
  for (unsigned Count = MayBeRow ? Words : 1; Count > 1; Count /= 2) {
    Values Half(Words);
    const auto Pick = [&](unsigned From) {
      return llvm::to_vector(llvm::map_range(
          llvm::seq(0u, Width), [=](unsigned N) { return int(2 * N + From); }));
    };
    for (unsigned N = 0; N < Words; N += 2)
      for (unsigned Odd = 0; Odd < 2; ++Odd)
        Half[N / 2 + Odd * Words / 2] =
            B.CreateShuffleVector(Rows[N], Rows[N + 1], Pick(Odd));
    Rows = Half;
  }
  B.CreateBr(Join);

  B.SetInsertPoint(NoRow);
  B.CreateCondBr(
      B.CreateAnd(isInSteps(Address, First, 0), localFits(First, Bytes)),
      IsSame, Others);
  B.SetInsertPoint(IsSame);
  for (unsigned N = 0; N < Words; ++N)
    Same.push_back(B.CreateVectorSplat(
        Width,
        B.CreateAlignedLoad(B.getInt32Ty(),
                            localAt(B.CreateAdd(First, B.getInt32(4 * N))),
                            llvm::Align(1))));
  B.CreateBr(Join);

  B.SetInsertPoint(Others);
  Value *Limit = B.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat,
                                         Host.LocalSize, B.getInt32(Bytes - 1));
  Value *IsIn = B.CreateSExt(
      B.CreateICmpULT(Address, B.CreateVectorSplat(Width, Limit)), Row);
  for (unsigned N = 0; N < Words; ++N)
    Each.push_back(B.CreateIntrinsic(
        llvm::Intrinsic::x86_avx2_gather_d_d_256, {},
        {llvm::Constant::getNullValue(Row), Host.Local,
         B.CreateAdd(Address, B.CreateVectorSplat(Width, B.getInt32(4 * N))),
         IsIn, B.getInt8(1)}));
  B.CreateBr(Join);

  B.SetInsertPoint(Join);
  Values Result;
  for (unsigned N = 0; N < Words; ++N) {
    llvm::PHINode *V = B.CreatePHI(Row, 3);
    V->addIncoming(Rows[N], IsRow);
    V->addIncoming(Same[N], IsSame);
    V->addIncoming(Each[N], Others);
    Result.push_back(V);
  }
  return Result;
}

/// Stores the dwords of active lanes, in the lanes' order.
/// \param Lanes  Eight addresses of each place, then eight of each dword.
static void storeLanes(uint8_t *Local, uint32_t Size, const uint32_t *Lanes,
                       uint32_t Active, uint32_t Places, uint32_t Words) {
  constexpr unsigned Width = LaneLoop::Width;
  for (; Active; Active &= Active - 1) {
    const auto L = unsigned(llvm::countr_zero(Active));
    for (unsigned K = 0; K < Places; ++K) {
      const uint32_t Address = Lanes[Width * K + L];
      if (uint64_t(Address) + 4 * Words > Size)
        continue;
      const uint32_t *Data = &Lanes[Width * (Places + K * Words) + L];
      for (unsigned N = 0; N < Words; ++N)
        std::memcpy(Local + Address + 4 * N, &Data[Width * N], 4);
    }
  }
}

void LaneLoop::storeLocal(const Pending &P, Value *Address,
                          llvm::ArrayRef<Value *> Data) {
  Type *Int = B.getInt32Ty(), *Pointer = B.getPtrTy();
  llvm::SmallVector<Value *, 2> At;
  for (unsigned K = 0; K < P.Places; ++K)
    At.push_back(B.CreateAdd(
        Address, B.CreateVectorSplat(Width, B.getInt32(P.Offset[K]))));
  Value *Active = active(P.Exec);
  llvm::BasicBlock *IsRow = nullptr, *Others = newBlock(), *Join = newBlock();
  // Rows that have nothing in common have no order.
  const unsigned Bytes = Width * 4;
  const bool AreApart =
      P.Places == 1 ||
      std::max(P.Offset[0], P.Offset[1]) - std::min(P.Offset[0], P.Offset[1]) >=
          Bytes;
  if (P.Words == 1 && AreApart) {
    IsRow = newBlock();
    Value *Good = Active ? all(Active) : B.getTrue();
    llvm::SmallVector<Value *, 2> First;
    for (Value *V : At) {
      First.push_back(B.CreateExtractElement(V, uint64_t(0)));
      Good = B.CreateAnd(Good, localFits(First.back(), Bytes));
    }
    Good = B.CreateAnd(Good, isInSteps(At[0], First[0], 4));
    B.CreateCondBr(Good, IsRow, Others);
    B.SetInsertPoint(IsRow);
    for (unsigned K = 0; K < P.Places; ++K)
      B.CreateAlignedStore(Data[K], localAt(First[K]), llvm::Align(1));
    B.CreateBr(Join);
  } else {
    B.CreateBr(Others);
  }
  B.SetInsertPoint(Others);
  uint64_t Number = 0;
  for (llvm::ArrayRef<Value *> Some : {llvm::ArrayRef<Value *>(At), Data})
    for (Value *V : Some)
      B.CreateAlignedStore(
          V, B.CreateConstGEP1_64(V->getType(), Host.Room, Number++),
          llvm::Align(32));
  Value *Bits = Active
                    ? B.CreateZExt(B.CreateBitCast(Active, B.getInt8Ty()), Int)
                    : B.getInt32(0xff);
  B.CreateCall(
      llvm::FunctionType::get(B.getVoidTy(),
                              {Pointer, Int, Pointer, Int, Int, Int}, false),
      B.CreateIntToPtr(B.getInt64(reinterpret_cast<uintptr_t>(&storeLanes)),
                       Pointer),
      {Host.Local, Host.LocalSize, Host.Room, Bits, B.getInt32(P.Places),
       B.getInt32(P.Words)});
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
}

void LaneLoop::moveLocal(const Pending &P) {
  Value *Address = read(P.Address, P.Exec);
  Values All;
  if (P.IsStore) {
    for (unsigned K = 0; K < P.Places; ++K)
      for (unsigned N = 0; N < P.Words; ++N)
        All.push_back(read(P.Data[K] + N, P.Exec));
    return storeLocal(P, Address, All);
  }
  for (unsigned K = 0; K < P.Places; ++K)
    All.append(loadLocal(
        B.CreateAdd(Address,
                    B.CreateVectorSplat(Width, B.getInt32(P.Offset[K]))),
        P.Words));
  for (unsigned K = 0; K < P.Places; ++K)
    for (unsigned N = 0; N < P.Words; ++N)
      write(P.Data[K] + N, All[K * P.Words + N], P.Exec);
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
  if (P.Places)
    return moveLocal(P);
  LaneCode C{B, *P.I, T, Host, FirstLane, {}};
  for (unsigned N = 0; N < P.I->NumSrc; ++N)
    C.Source[N] = operand(P, N);
  if (P.Vcc.Is != Pending::Source::None)
    C.Vcc = mask(P.Vcc);
  const Kind Result = P.I->O->Result;
  if (Result == Kind::PF32)
    return executePair(P, C);
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
