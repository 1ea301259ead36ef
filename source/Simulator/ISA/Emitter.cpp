//===-- Emitter.cpp - LLVM's code for a trace -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emitter.h"
#include "LaneLoop.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstddef>
#include <utility>

// Machine and WaveState are no standard layouts, but of one class.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

using llvm::ConstantInt;
using llvm::Type;
using llvm::Value;

namespace wavelane::isa {

static const gpu::InstructionFacts &factsOf(const Inst &I) {
  return gpu::InstructionFacts::get(I.Text);
}

Flow flowOf(const Inst &I) {
  if (!I.O)
    return Flow::Apart;
  const gpu::InstructionFacts &F = factsOf(I);
  switch (F.Flow) {
  case gpu::ControlFlow::Branch:
  case gpu::ControlFlow::Call:
    return Flow::Branch;
  case gpu::ControlFlow::ConditionalBranch:
    return Flow::Conditional;
  case gpu::ControlFlow::Jump:
  case gpu::ControlFlow::IndirectCall:
    return Flow::Indirect;
  case gpu::ControlFlow::Next:
    break;
  default:
    return Flow::Apart;
  }
  return F.IsTrap || F.IsHalt || F.MeetsWaves || F.WritesHardwareRegisters ||
                 F.SetsIndexing || F.Class == InstClass::Message
             ? Flow::Apart
             : Flow::Straight;
}

static llvm::FunctionType *entryType(llvm::LLVMContext &C) {
  Type *P = llvm::PointerType::getUnqual(C);
  Type *Long = Type::getInt64Ty(C);
  return llvm::FunctionType::get(Type::getInt32Ty(C), {P, P, P, P, Long, Long},
                                 false);
}

Emitter::Emitter(llvm::Module &M, const Trace &T, const std::string &Name)
    : B(M.getContext()), T(T) {
  F = llvm::Function::Create(entryType(M.getContext()),
                             llvm::GlobalValue::ExternalLinkage, Name, M);
  F->addFnAttr(llvm::Attribute::NoUnwind);
  F->addFnAttr(llvm::Attribute::StrictFP);
  TheMachine = F->getArg(0);
  Wave = F->getArg(1);
  Vectors = F->getArg(2);
  Done = F->getArg(3);
  Budget = F->getArg(4);
  Limit = F->getArg(5);
}

void Emitter::emit() {
  auto *Entry = newBlock();
  Head = newBlock();
  Out = newBlock();
  B.SetInsertPoint(Entry);
  makeHost();
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  // Nothing may be assumed about numbers: not their rounding, nor that
  // operations without effect have none on signaling NaNs.
  B.setIsFPConstrained(true);
  B.setDefaultConstrainedExcept(llvm::fp::ebIgnore);
  B.setDefaultConstrainedRounding(llvm::RoundingMode::Dynamic);
  emitSteps();
  emitExit();
}

/// At the function's beginning.
void Emitter::makeHost() {
  Host.F = F;
  Host.Vectors = Vectors;
  Host.Env = field(TheMachine, offsetof(Machine, E));
  Host.Room =
      B.CreateAlloca(llvm::ArrayType::get(B.getInt8Ty(), LoopHost::RoomBytes));
  llvm::cast<llvm::AllocaInst>(Host.Room)->setAlignment(llvm::Align(64));
  if (llvm::none_of(T.Steps, [](const Trace::Step &S) {
        return S.I.Enc == Encoding::DS;
      }))
    return;
  Host.Local = B.CreateAlignedLoad(
      B.getPtrTy(), field(Wave, offsetof(WaveState, LDS)), llvm::Align(8));
  Host.LocalSize = B.CreateAlignedLoad(
      B.getInt32Ty(), field(Wave, offsetof(WaveState, LDSSize)),
      llvm::Align(4));
}

void Emitter::emitSteps() {
  size_t NextPart = 0;
  for (size_t N = 0; N < T.Steps.size(); ++N) {
    At = &T.Steps[N];
    const Inst &I = At->I;
    if (NextPart < T.Parts.size() && T.Parts[NextPart].First == N) {
      Part = &T.Parts[NextPart++];
      enterPart(N);
    }
    if (emitBranch(I, N))
      return; // the trace always ends here
    if (flowOf(I) != Flow::Straight)
      continue;
    if (At->IsObserved
            ? At->ObservesRows || !collectRow(I, N)
            : !emitScalar(I) && !emitLaneMove(I) && !collectRow(I, N) &&
                  !collectLocal(I) && !loadScalars(I, N) && !collect(I))
      call(I, N);
  }
  const Inst &Last = T.Steps.back().I;
  leave(B.getInt64(T.End), T.Steps.size(),
        flowOf(Last) == Flow::Branch && goesBack(Last));
}

//===-- Scalar registers --------------------------------------------------===//

Value *Emitter::field(Value *Base, ptrdiff_t Offset) {
  return B.CreateConstGEP1_64(B.getInt8Ty(), Base, uint64_t(Offset));
}

Value *Emitter::pointer(const void *To) {
  return B.CreateIntToPtr(B.getInt64(reinterpret_cast<uintptr_t>(To)),
                          B.getPtrTy());
}

Value *Emitter::load64(Value *Base, ptrdiff_t Offset) {
  return B.CreateAlignedLoad(B.getInt64Ty(), field(Base, Offset),
                             llvm::Align(8));
}

Value *Emitter::scalarAt(unsigned Reg) {
  return field(Wave, ptrdiff_t(offsetof(WaveState, Scalar) + 4 * size_t(Reg)));
}

/// A scalar register is about to be read whose lanes aren't computed yet.
void Emitter::needMask(unsigned Reg, unsigned Count) {
  const unsigned Width = T.Lanes / 32;
  for (const auto &Entry : Masks)
    if (Entry.first < Reg + Count && Reg < Entry.first + Width)
      return flushVectors();
}

void Emitter::dropMask(unsigned Reg, unsigned Count) {
  const unsigned Width = T.Lanes / 32;
  llvm::SmallVector<unsigned, 2> Covered;
  for (const auto &Entry : Masks) {
    if (Entry.first >= Reg + Count || Reg >= Entry.first + Width)
      continue;
    if (Entry.first < Reg || Entry.first + Width > Reg + Count)
      return flushVectors();
    Covered.push_back(Entry.first);
  }
  for (unsigned R : Covered)
    Masks.erase(R);
}

/// Replaces what is known of the pair that begins at \a Reg by its halves.
void Emitter::split(unsigned Reg) {
  Value *Both = std::exchange(Pair[Reg], nullptr);
  if (!Both)
    return;
  if (!Single[Reg])
    Single[Reg] = B.CreateTrunc(Both, B.getInt32Ty());
  if (!Single[Reg + 1])
    Single[Reg + 1] =
        B.CreateTrunc(B.CreateLShr(Both, uint64_t(32)), B.getInt32Ty());
}

Value *Emitter::read32(unsigned Reg) {
  needMask(Reg, 1);
  Value *&V = Single[Reg];
  if (V)
    return V;
  if (Pair[Reg])
    return V = B.CreateTrunc(Pair[Reg], B.getInt32Ty());
  if (Reg && Pair[Reg - 1])
    return V = B.CreateTrunc(B.CreateLShr(Pair[Reg - 1], uint64_t(32)),
                             B.getInt32Ty());
  return V = B.CreateAlignedLoad(B.getInt32Ty(), scalarAt(Reg), llvm::Align(4));
}

Value *Emitter::read64(unsigned Reg) {
  needMask(Reg, 2);
  if (Pair[Reg])
    return Pair[Reg];
  const auto IsKnown = [&](unsigned R) {
    return Single[R] || Pair[R] || (R && Pair[R - 1]);
  };
  if (!IsKnown(Reg) && !IsKnown(Reg + 1))
    return Pair[Reg] = B.CreateAlignedLoad(B.getInt64Ty(), scalarAt(Reg),
                                           llvm::Align(4));
  Value *Low = B.CreateZExt(read32(Reg), B.getInt64Ty());
  Value *High = B.CreateZExt(read32(Reg + 1), B.getInt64Ty());
  return Pair[Reg] = B.CreateOr(Low, B.CreateShl(High, uint64_t(32)));
}

void Emitter::write32(unsigned Reg, Value *V) {
  dropMask(Reg, 1);
  split(Reg);
  if (Reg)
    split(Reg - 1);
  Single[Reg] = V;
  IsDirty[Reg] = true;
}

void Emitter::write64(unsigned Reg, Value *V) {
  dropMask(Reg, 2);
  split(Reg + 1);
  if (Reg)
    split(Reg - 1);
  Pair[Reg] = V;
  Single[Reg] = Single[Reg + 1] = nullptr;
  IsDirty[Reg] = IsDirty[Reg + 1] = true;
}

Value *Emitter::scc() {
  if (!Scc)
    Scc = B.CreateTrunc(
        B.CreateAlignedLoad(B.getInt32Ty(),
                            field(Wave, offsetof(WaveState, Status)),
                            llvm::Align(4)),
        B.getInt1Ty());
  return Scc;
}

void Emitter::setScc(Value *Bit) {
  Scc = Bit;
  IsSccDirty = true;
}

void Emitter::flushScalars() {
  for (unsigned R = 0; R < scalar::Count; ++R) {
    if (!IsDirty[R])
      continue;
    if (IsDirty[R + 1] && Pair[R]) {
      B.CreateAlignedStore(Pair[R], scalarAt(R), llvm::Align(4));
      IsDirty[R] = IsDirty[R + 1] = false;
      continue;
    }
    B.CreateAlignedStore(read32(R), scalarAt(R), llvm::Align(4));
    IsDirty[R] = false;
  }
  if (std::exchange(IsSccDirty, false)) {
    Value *Word = field(Wave, offsetof(WaveState, Status));
    Value *Old = B.CreateAlignedLoad(B.getInt32Ty(), Word, llvm::Align(4));
    B.CreateAlignedStore(B.CreateOr(B.CreateAnd(Old, ~uint64_t(status::SCC)),
                                    B.CreateZExt(Scc, B.getInt32Ty())),
                         Word, llvm::Align(4));
  }
}

void Emitter::forgetScalars() {
  std::fill(std::begin(Single), std::end(Single), nullptr);
  std::fill(std::begin(Pair), std::end(Pair), nullptr);
  Scc = nullptr;
}

Value *Emitter::source32(const Operand &S) {
  return S.At == Operand::Where::Scalar ? read32(S.Reg)
                                        : B.getInt32(uint32_t(S.Const));
}

static uint64_t aperture(unsigned Code) {
  const uint64_t Base = Code < 237 ? gpu::LocalAperture : gpu::PrivateAperture;
  return Code % 2 ? Base : Base | 0xffffffffu;
}

Value *Emitter::source64(const Operand &S) {
  if (S.At == Operand::Where::Scalar)
    return read64(S.Reg);
  return B.getInt64(S.At == Operand::Where::Special ? aperture(S.Reg)
                                                    : S.Const);
}

/// Whether source32() or source64() can give it.
static bool isScalarSource(const Operand &S, Kind K) {
  switch (S.At) {
  case Operand::Where::Scalar:
  case Operand::Where::Const:
    return true;
  case Operand::Where::Special:
    return S.Reg >= 235 && S.Reg <= 238 && dwordsOf(K) == 2;
  default:
    return false;
  }
}

Value *Emitter::source(unsigned N) {
  const Inst &I = At->I;
  return dwordsOf(I.O->Args[N]) == 2 ? source64(I.Src[N]) : source32(I.Src[N]);
}

bool Emitter::emitScalar(const Inst &I) {
  const ScalarRule Rule = findScalarRule(I);
  if (!Rule)
    return false;
  for (unsigned N = 0; N < I.NumSrc; ++N)
    if (!isScalarSource(I.Src[N], I.O->Args[N]))
      return false;
  return Rule(*this, I);
}

//===-- Leaving -----------------------------------------------------------===//

void Emitter::leave(Value *PC, size_t Steps, bool IsBack) {
  flush();
  Value *Sum = addDone(B.getInt64(Steps));
  const auto *Constant = llvm::dyn_cast<ConstantInt>(PC);
  if (Constant && Constant->getZExtValue() == T.begin()) {
    auto *Out = newBlock();
    Value *Next = B.CreateAdd(Sum, B.getInt64(T.Steps.size()));
    Value *GoesOn = B.CreateICmpULE(Next, Limit);
    if (IsBack)
      GoesOn = B.CreateAnd(GoesOn, B.CreateICmpULT(Sum, Budget));
    B.CreateCondBr(GoesOn, Head, Out);
    B.SetInsertPoint(Out);
  }
  leaveAt({B.GetInsertBlock(), 0, PC, IsBack ? Trace::Back : Trace::Left});
}

void Emitter::leaveIf(Value *Taken, uint64_t PC, size_t Steps, bool IsBack) {
  flush();
  auto *Out = newBlock();
  auto *On = newBlock();
  B.CreateCondBr(Taken, Out, On);
  B.SetInsertPoint(Out);
  leave(B.getInt64(PC), Steps, IsBack);
  B.SetInsertPoint(On);
}

/// \return Whether the trace ends with this instruction.
bool Emitter::emitBranch(const Inst &I, size_t Number) {
  const Flow Goes = flowOf(I);
  if (Goes == Flow::Straight)
    return false;
  const gpu::InstructionFacts &Facts = factsOf(I);
  if (Goes == Flow::Branch) {
    if (Facts.Flow == gpu::ControlFlow::Call)
      write64(I.Dst, pc(4));
    if (goesBack(I) && Number + 1 < T.Steps.size()) {
      Value *Sum =
          B.CreateAdd(B.CreateAlignedLoad(B.getInt64Ty(), Done, llvm::Align(8)),
                      B.getInt64(Number + 1));
      leaveIf(B.CreateICmpUGE(Sum, Budget), branchTarget(I, At->PC), Number + 1,
              /*IsBack=*/true);
    }
    return false; // the next step is its target, or T.End
  }
  if (Goes == Flow::Indirect && At->IsObserved) {
    flush();
    setPCs(I);
    execute(I, Number);
    leaveNow(Number + 1, load64(TheMachine, offsetof(Machine, NextPC)),
             Trace::Left);
    return true;
  }
  if (Goes == Flow::Indirect) {
    Value *To = source64(I.Src[0]);
    if (Facts.Flow == gpu::ControlFlow::IndirectCall)
      write64(I.Dst, pc(4));
    leave(To, Number + 1);
    return true;
  }
  Value *Taken;
  using Condition = gpu::BranchCondition;
  if (Facts.Condition == Condition::Scc0 ||
      Facts.Condition == Condition::Scc1) {
    Taken = Facts.Condition == Condition::Scc1 ? scc() : B.CreateNot(scc());
  } else {
    const bool IsVcc = Facts.Condition == Condition::VccZ ||
                       Facts.Condition == Condition::VccNZ;
    Value *V = IsVcc ? readMask(scalar::VccLo) : exec();
    Value *IsZero = B.CreateIsNull(V);
    Taken = Facts.Condition == Condition::VccNZ ||
                    Facts.Condition == Condition::ExecNZ
                ? B.CreateNot(IsZero)
                : IsZero;
  }
  leaveIf(Taken, branchTarget(I, At->PC), Number + 1, goesBack(I));
  return false;
}

/// Goes on if the observer allows the present part, or has for the same EXEC
/// and state. Otherwise it leaves the trace, before step \a Number.
void Emitter::enterPart(size_t Number) {
  flush();
  Type *Pointer = B.getPtrTy();
  const ptrdiff_t State = offsetof(Machine, ObserverState);
  Value *Known = pointer(Part);
  Value *X = B.CreateZExt(exec(), B.getInt64Ty());
  Value *IsKnown = B.CreateIsNotNull(B.CreateAlignedLoad(
      B.getInt8Ty(), field(Known, offsetof(TracePart, IsAllowed)),
      llvm::Align(1)));
  IsKnown = B.CreateAnd(
      IsKnown, B.CreateICmpEQ(load64(Known, offsetof(TracePart, Exec)), X));
  IsKnown = B.CreateAnd(
      IsKnown, B.CreateICmpEQ(load64(Known, offsetof(TracePart, State)),
                              load64(TheMachine, State)));
  auto *Asks = newBlock();
  auto *Out = newBlock();
  auto *On = newBlock();
  B.CreateCondBr(IsKnown, On, Asks);
  B.SetInsertPoint(Asks);
  auto *Answers =
      llvm::FunctionType::get(B.getInt32Ty(), {Pointer, Pointer}, false);
  Value *Answer =
      B.CreateCall(Answers, pointer(reinterpret_cast<const void *>(T.Ask)),
                   {TheMachine, Known});
  B.CreateCondBr(B.CreateIsNotNull(Answer), On, Out);
  B.SetInsertPoint(Out);
  leaveAt({B.GetInsertBlock(), Number, pc(), Trace::Left});
  B.SetInsertPoint(On);
  B.CreateAlignedStore(load64(Known, offsetof(TracePart, Next)),
                       field(TheMachine, State), llvm::Align(8));
  B.CreateAlignedStore(Known, field(TheMachine, offsetof(Machine, InPart)),
                       llvm::Align(8));
}

void Emitter::call(const Inst &I, size_t Number) {
  flush();
  callHandler(I, Number);
  // Vector memory instructions write no scalar register.
  if (!(I.O->Flags & Op::Accesses) || I.Enc == Encoding::SMEM)
    forgetScalars();
}

/// Loads of scalar registers from memory that was found before.
bool Emitter::loadScalars(const Inst &I, size_t Number) {
  constexpr unsigned Most = 16;
  if (!I.O || I.Enc != Encoding::SMEM || I.Fn != I.O->Fn || I.O->Data2)
    return false;
  const std::string Whole = baseMnemonic(I.Text);
  const unsigned Count = I.O->Data, First = I.Memory.VData;
  if (!llvm::StringRef(Whole).starts_with("s_load_dword") || !Count ||
      Count > Most || First + Count > scalar::TTMP0)
    return false;
  flush();
  Value *Address =
      B.CreateAdd(read64(I.Memory.SAddr), B.getInt64(uint64_t(int64_t(I.Imm))));
  if (I.Memory.HasSAddr)
    Address = B.CreateAdd(
        Address, B.CreateZExt(read32(I.Memory.SOffset), B.getInt64Ty()));
  Address = B.CreateAnd(Address, ~uint64_t(3));
  Value *Good = B.getTrue();
  Value *Memory =
      rowMemory(Address, uint64_t(Count) * 4, pointer(&At->Span), 4, Good);
  llvm::BasicBlock *Quick = newBlock(), *Slow = newBlock(), *Join = newBlock();
  B.CreateCondBr(Good, Quick, Slow);
  const auto Load = [&](Value *From) {
    llvm::SmallVector<Value *, Most> V;
    for (unsigned N = 0; N < Count; ++N)
      V.push_back(B.CreateAlignedLoad(
          B.getInt32Ty(), field(From, ptrdiff_t(4) * N), llvm::Align(4)));
    return V;
  };
  B.SetInsertPoint(Quick);
  const auto Found = Load(Memory);
  B.CreateBr(Join);
  B.SetInsertPoint(Slow);
  callHandler(I, Number);
  noteSpan(/*IsStore=*/false);
  const auto Done = Load(scalarAt(First));
  Slow = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  llvm::SmallVector<llvm::PHINode *, Most> Results;
  for (unsigned N = 0; N < Count; ++N) {
    Results.push_back(B.CreatePHI(B.getInt32Ty(), 2));
    Results.back()->addIncoming(Found[N], Quick);
    Results.back()->addIncoming(Done[N], Slow);
  }
  for (unsigned N = 0; N < Count; ++N)
    write32(First + N, Results[N]);
  return true;
}

/// Leaves the trace if \a Flag is set. There is nothing to be flushed.
void Emitter::leaveIfSet(Value *Flag, size_t Steps, Trace::Exit How) {
  Value *Is = B.CreateAlignedLoad(B.getInt8Ty(), Flag, llvm::Align(1));
  auto *Out = newBlock();
  auto *On = newBlock();
  B.CreateCondBr(B.CreateIsNotNull(Is), Out, On);
  B.SetInsertPoint(Out);
  leaveNow(Steps, pc(At->I.Size), How);
  B.SetInsertPoint(On);
}

/// Leaves the trace after \a Steps, for \a PC unless it has stopped the wave.
/// There is nothing to be flushed.
void Emitter::leaveNow(size_t Steps, Value *PC, Trace::Exit How) {
  leaveAt({B.GetInsertBlock(), Steps, PC, How, /*InPart=*/true});
}

/// \return How many instructions have been executed.
Value *Emitter::addDone(Value *Steps) {
  Value *Sum = B.CreateAdd(
      B.CreateAlignedLoad(B.getInt64Ty(), Done, llvm::Align(8)), Steps);
  B.CreateAlignedStore(Sum, Done, llvm::Align(8));
  return Sum;
}

void Emitter::leaveAt(const Exit &E) {
  Exits.push_back(E);
  B.CreateBr(Out);
}

/// The one place where the trace is left: there are many ways to it.
void Emitter::emitExit() {
  B.SetInsertPoint(Out);
  const auto Count = unsigned(Exits.size());
  Type *Long = B.getInt64Ty();
  llvm::PHINode *Steps = B.CreatePHI(Long, Count),
                *PC = B.CreatePHI(Long, Count),
                *How = B.CreatePHI(B.getInt32Ty(), Count),
                *After = B.CreatePHI(Long, Count);
  for (const Exit &E : Exits) {
    Steps->addIncoming(B.getInt64(E.Steps), E.From);
    PC->addIncoming(E.PC, E.From);
    How->addIncoming(B.getInt32(E.How), E.From);
    After->addIncoming(B.getInt64(E.InPart ? E.Steps : Machine::AllSteps),
                       E.From);
  }
  addDone(Steps);
  B.CreateAlignedStore(PC, field(Wave, offsetof(WaveState, PC)),
                       llvm::Align(8));
  if (!T.Parts.empty())
    B.CreateAlignedStore(After, field(TheMachine, offsetof(Machine, LeftAfter)),
                         llvm::Align(8));
  B.CreateRet(How);
}

void Emitter::setPCs(const Inst &I) {
  B.CreateAlignedStore(pc(), field(TheMachine, offsetof(Machine, InstPC)),
                       llvm::Align(8));
  B.CreateAlignedStore(pc(I.Size), field(TheMachine, offsetof(Machine, NextPC)),
                       llvm::Align(8));
}

/// After flush(): executes \a I as the interpreter does, and leaves the trace
/// if that has stopped the wave, or if reporting it has changed what the
/// observer wants.
void Emitter::callHandler(const Inst &I, size_t Number) {
  setPCs(I);
  execute(I, Number);
  if (At->IsObserved)
    leaveIfSet(field(TheMachine, offsetof(Machine, LeavesTrace)), Number + 1,
               Trace::Left);
}

void Emitter::execute(const Inst &I, size_t Number) {
  Type *Pointer = B.getPtrTy();
  auto *Handles =
      llvm::FunctionType::get(B.getVoidTy(), {Pointer, Pointer}, false);
  const Handler Does = At->IsObserved ? T.Notify : I.Fn;
  B.CreateCall(Handles, pointer(reinterpret_cast<const void *>(Does)),
               {TheMachine, pointer(&I)});
  leaveIfSet(field(TheMachine, offsetof(Machine, Stop)), Number,
             Trace::Stopped);
}

//===-- Vectors -----------------------------------------------------------===//

Value *Emitter::laneAt(unsigned Reg, Value *Lane) {
  Value *Index = B.CreateAdd(B.CreateZExt(Lane, B.getInt64Ty()),
                             B.getInt64(uint64_t(Reg) * T.Lanes));
  return B.CreateGEP(B.getInt32Ty(), Vectors, Index);
}

/// Moves between one lane and a scalar register.
bool Emitter::emitLaneMove(const Inst &I) {
  const gpu::MoveKind Move = factsOf(I).Move;
  const auto Touches = [&](unsigned Reg, bool Reads) {
    for (const Pending &P : Collected)
      if (P.writes(Reg) || (Reads && P.reads(Reg)))
        return true;
    return false;
  };
  if (Move == gpu::MoveKind::WriteLane) {
    if (!isScalarSource(I.Src[0], Kind::B32) ||
        !isScalarSource(I.Src[1], Kind::B32) || I.Matrix.AccDst)
      return false;
    Value *V = source32(I.Src[0]);
    Value *Lane = B.CreateAnd(source32(I.Src[1]), T.Lanes - 1);
    if (Touches(I.Dst, /*Reads=*/true))
      flushVectors();
    B.CreateAlignedStore(V, laneAt(I.Dst, Lane), llvm::Align(4));
    return true;
  }
  const bool IsFirst = Move == gpu::MoveKind::ReadFirstLane;
  if ((!IsFirst && Move != gpu::MoveKind::ReadLane) || I.Dpp.IsOn ||
      I.Out.Sdwa || I.Src[0].At != Operand::Where::VGPR)
    return false;
  Value *Lane;
  if (IsFirst) {
    Value *X = exec();
    Value *First = B.CreateTrunc(
        B.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, X, B.getFalse()),
        B.getInt32Ty());
    Lane = B.CreateSelect(B.CreateIsNull(X), B.getInt32(0), First);
  } else {
    if (!isScalarSource(I.Src[1], Kind::B32))
      return false;
    Lane = B.CreateAnd(source32(I.Src[1]), T.Lanes - 1);
  }
  if (Touches(I.Src[0].Reg, /*Reads=*/false))
    flushVectors();
  write32(I.Dst, B.CreateAlignedLoad(B.getInt32Ty(), laneAt(I.Src[0].Reg, Lane),
                                     llvm::Align(4)));
  return true;
}

/// Whether a loop over lanes can execute \a I, apart from its operands. The
/// other half of a pair doesn't matter.
static bool isLanewise(const Inst &I, const Trace &T) {
  if (I.Dpp.IsOn || I.Out.Omod || I.Out.Clamp || I.Out.High ||
      I.Out.KeepsHigh || (I.Out.Sdwa && I.Out.Sel != 6) ||
      (I.Fn != I.O->Fn && !I.Other) || (I.O->Flags & Op::ScalarDst) ||
      I.NumSrc > 5)
    return false;
  if (I.O->Flags & Op::Acc) {
    for (unsigned N = 0; N < I.NumSrc; ++N)
      if (I.Src[N].At == Operand::Where::AccVGPR &&
          T.AccumOffset + I.Src[N].Reg >= T.VGPRCount)
        return false;
    if (I.Matrix.AccDst && T.AccumOffset + I.Dst >= T.VGPRCount)
      return false;
  }
  return true;
}

/// Whether collectSource() can give operand \a N.
static bool hasSource(const Inst &I, unsigned N) {
  const Operand &From = I.Src[N];
  const Kind K = I.O->Args[N];
  const bool IsScalar = From.At == Operand::Where::Scalar;
  switch (K) {
  case Kind::B32:
  case Kind::F32:
  case Kind::B64:
  case Kind::I64:
  case Kind::F64:
    break;
  case Kind::PF32: {
    // Two words, or of a move the one that op_sel selects.
    const unsigned Upper =
        I.Packed.OpSel | (I.O->Flags & Op::Packed ? I.Packed.OpSelHi : 0);
    return From.At == Operand::Where::VGPR || IsScalar ||
           (From.At == Operand::Where::Const && !(Upper >> N & 1));
  }
  case Kind::Mask:
    return IsScalar;
  default:
    return false;
  }
  if (From.High || (dwordsOf(K) == 2 && From.Sel != 6))
    return false;
  return From.At == Operand::Where::VGPR ||
         From.At == Operand::Where::AccVGPR || isScalarSource(From, K);
}

/// Whether there is code for \a I, or of a pair for its first half.
bool Emitter::hasForm(const Inst &I) const {
  if (!findLaneRule(I) || !isLanewise(I, T))
    return false;
  for (unsigned N = 0; N < I.NumSrc; ++N)
    if (!hasSource(I, N))
      return false;
  return true;
}

/// Each lane's bit of a scalar register.
void Emitter::collectMask(unsigned Reg, Pending::Source &S) {
  if (auto It = Masks.find(Reg); It != Masks.end()) {
    S.Is = Pending::Source::Segment;
    S.Number = It->second;
    return;
  }
  S.Is = Pending::Source::Bits;
  S.V = readMask(Reg);
}

void Emitter::collectSource(const Inst &I, unsigned N, Pending::Source &S) {
  const Operand &From = I.Src[N];
  const Kind K = I.O->Args[N];
  if (K == Kind::Mask)
    return collectMask(From.Reg, S);
  const bool IsPair = K == Kind::PF32;
  const unsigned Half = IsPair ? I.Packed.OpSel >> N & 1 : 0,
                 Upper = IsPair ? I.Packed.OpSelHi >> N & 1 : 0;
  if (From.At == Operand::Where::VGPR || From.At == Operand::Where::AccVGPR) {
    const unsigned First =
        From.Reg + (From.At == Operand::Where::AccVGPR ? T.AccumOffset : 0);
    S.Is = Pending::Source::Vector;
    S.Reg = First + Half;
    S.UpperReg = First + Upper;
    return;
  }
  S.Is = Pending::Source::Value;
  if (!IsPair) {
    S.V = dwordsOf(K) == 2 ? source64(From) : source32(From);
    return;
  }
  const auto Word = [&](unsigned Is) -> Value * {
    return From.At == Operand::Where::Scalar ? read32(From.Reg + Is)
                                             : B.getInt32(uint32_t(From.Const));
  };
  S.V = Word(Half);
  if (I.O->Flags & Op::Packed)
    S.UpperV = Word(Upper);
}

bool Emitter::collect(const Inst &I) {
  return I.Other ? collectDual(I) : hasForm(I) && collectHalf(I);
}

/// Both halves read their operands before one writes.
bool Emitter::collectDual(const Inst &I) {
  const Inst &Other = *I.Other;
  if (!hasForm(I) || !hasForm(Other) || writesMask(I) || writesMask(Other))
    return false;
  if (!I.OtherReadsDst)
    return collectHalf(I) && collectHalf(Other);
  for (unsigned N = 0; N < I.NumSrc; ++N)
    if (I.Src[N].At == Operand::Where::VGPR &&
        I.Src[N].Reg < Other.Dst + dwordsOf(Other.O->Result) &&
        Other.Dst < I.Src[N].Reg + dwordsOf(I.O->Args[N]))
      return false;
  return collectHalf(Other) && collectHalf(I);
}

/// Collects \a I, which hasForm().
bool Emitter::collectHalf(const Inst &I) {
  Pending P = {};
  P.I = &I;
  P.Rule = findLaneRule(I);
  P.Exec = exec();
  P.Dst = I.Dst + (I.Matrix.AccDst ? T.AccumOffset : 0);
  // A value's computation may need those that are already collected.
  size_t Before;
  do {
    Before = Collected.size();
    for (unsigned N = 0; N < I.NumSrc; ++N)
      collectSource(I, N, P.Sources[N]);
    if (I.O->Flags & Op::ReadsVcc)
      collectMask(scalar::VccLo, P.Vcc);
  } while (Collected.size() != Before);
  const bool HasMask = writesMask(I);
  const bool IsExec = HasMask && writesExec(I);
  if (HasMask)
    dropMask(I.SDst, T.Lanes / 32);
  if (Collected.size() != Before)
    return collectHalf(I);
  Collected.push_back(P);
  if (!HasMask)
    return true;
  // What was known of these registers isn't true any more.
  const unsigned Width = T.Lanes / 32;
  for (unsigned R = I.SDst; R < I.SDst + Width; ++R) {
    split(R);
    if (R)
      split(R - 1);
  }
  for (unsigned R = I.SDst; R < I.SDst + Width; ++R) {
    Single[R] = nullptr;
    IsDirty[R] = false;
  }
  Masks[I.SDst] = unsigned(Collected.size() - 1);
  if (IsExec) {
    flushVectors();
    if (I.SDst != scalar::ExecLo)
      write64(scalar::ExecLo, read64(I.SDst));
  }
  return true;
}

/// Loads and stores of local memory. In a loop, lanes are ahead of others, so
/// it mustn't store what others still have to load or to store.
bool Emitter::collectLocal(const Inst &I) {
  if (!I.O || I.Enc != Encoding::DS || I.Fn != I.O->Fn || I.Memory.Gds ||
      T.LocalRangeFaults || T.LanesReversed)
    return false;
  const std::string Whole = baseMnemonic(I.Text);
  llvm::StringRef Name = Whole;
  Pending P = {};
  P.IsStore = Name.consume_front("ds_write");
  if (!P.IsStore && !Name.consume_front("ds_read"))
    return false;
  const bool IsPair = Name.consume_front("2");
  unsigned Scale = Name.consume_front("st64") ? 64 : 1;
  P.Words = llvm::StringSwitch<unsigned>(Name)
                .Case("_b32", 1)
                .Case("_b64", 2)
                .Case("_b96", 3)
                .Case("_b128", 4)
                .Default(0);
  if (!P.Words || I.Memory.VAddr >= T.AccumOffset)
    return false;
  P.Places = IsPair ? 2 : 1;
  const auto Imm = uint32_t(I.Imm);
  P.Offset[0] = Imm;
  if (IsPair) {
    Scale *= 4 * P.Words;
    P.Offset[0] = (Imm & 0xff) * Scale;
    P.Offset[1] = (Imm >> 8 & 0xff) * Scale;
  }
  const unsigned Base = I.Memory.AccData ? T.AccumOffset : 0,
                 Limit = I.Memory.AccData ? T.VGPRCount : T.AccumOffset;
  for (unsigned K = 0; K < P.Places; ++K) {
    P.Data[K] = Base + (!P.IsStore ? I.Dst + K * P.Words
                        : K        ? I.Memory.VData1
                                   : I.Memory.VData);
    if (P.Data[K] + P.Words > Limit)
      return false;
  }
  if (llvm::any_of(Collected, [&](const Pending &Other) {
        return Other.Places && (P.IsStore || Other.IsStore);
      }))
    flushVectors();
  P.I = &I;
  P.Address = I.Memory.VAddr;
  P.Exec = exec();
  Collected.push_back(P);
  return true;
}

void Emitter::flushVectors() {
  if (Collected.empty())
    return;
  llvm::DenseMap<unsigned, unsigned> Wanted;
  Wanted.swap(Masks);
  llvm::SmallVector<Pending, 32> Now;
  Now.swap(Collected);
  llvm::SmallVector<std::pair<unsigned, unsigned>, 8> Results(Wanted.begin(),
                                                              Wanted.end());
  llvm::sort(Results);
  for (const auto &R : Results)
    Now[R.second].IsNeeded = true;
  LaneLoop L(B, T, Now, Host);
  L.emit();
  for (const auto &R : Results)
    writeMask(R.first, L.mask(R.second));
}

} // namespace wavelane::isa
