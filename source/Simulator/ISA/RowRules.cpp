//===-- RowRules.cpp - LLVM's code for rows of memory ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where all active lanes access the same offset of private memory, as they do
// for variables and spilled registers, the dwords are a row in memory, like a
// vector register. So are the dwords of an array of which each lane accesses
// the one after that of the lane before. The code checks which it is, and then
// moves the row in a loop over lanes; the handler executes everything else.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LaneLoop.h"
#include "MemoryRows.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstddef>

// Machine and WaveState are no standard layouts, but of one class.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

using llvm::Type;
using llvm::Value;

namespace wavelane::isa {
namespace {

/// A load or store of whole dwords.
struct Move {
  enum { None, Flat, Scratch, Buffer, Global } Family = None;
  bool IsStore = false;
  unsigned Words = 0;
  unsigned First = 0; ///< the data's register
};

Move describe(const Inst &I, const Trace &T) {
  Move M;
  if (!I.O || !(I.O->Flags & Op::Accesses) || I.Memory.Lds || I.Fn != I.O->Fn)
    return M;
  const std::string Whole = baseMnemonic(I.Text);
  llvm::StringRef Name = Whole;
  const auto Family = Name.consume_front("flat_")      ? Move::Flat
                      : Name.consume_front("scratch_") ? Move::Scratch
                      : Name.consume_front("buffer_")  ? Move::Buffer
                      : Name.consume_front("global_")  ? Move::Global
                                                       : Move::None;
  M.IsStore = Name.consume_front("store_");
  if (!M.IsStore && !Name.consume_front("load_"))
    return M;
  M.Words = llvm::StringSwitch<unsigned>(Name)
                .Case("dword", 1)
                .Case("dwordx2", 2)
                .Case("dwordx3", 3)
                .Case("dwordx4", 4)
                .Default(0);
  M.First = (M.IsStore ? I.Memory.VData : I.Dst) +
            (I.Memory.AccData ? T.AccumOffset : 0);
  const unsigned Limit = I.Memory.AccData ? T.VGPRCount : T.AccumOffset;
  const bool HasAddress =
      Family == Move::Buffer
          ? !I.Memory.OffEn && !I.Memory.IdxEn && !(I.Imm & 3) &&
                (I.Src[2].At == Operand::Where::Scalar ||
                 I.Src[2].At == Operand::Where::Const)
          : I.Memory.VAddr + I.Memory.AddrCount <= T.AccumOffset;
  if (!M.Words || M.First + M.Words > Limit || !HasAddress)
    return M;
  M.Family = Family;
  // An observer is notified of global memory; registers of several words aren't
  // rows there.
  const bool IsGlobal =
      Family == Move::Global ||
      (Family == Move::Flat && I.Memory.SeenRows == MemoryFields::GlobalRow);
  if (IsGlobal && !T.Wants)
    M.Family = M.Words == 1 && I.Memory.AddrCount ? Move::Global : Move::None;
  else if (Family == Move::Global)
    M.Family = Move::None;
  return M;
}

} // namespace

void addRow(StraightCode &Code, const Trace::Step &S, const Trace &T) {
  if (S.IsObserved && S.ObservesRows)
    return;
  const Move M = describe(S.I, T);
  if (M.Family == Move::None)
    return;
  const bool MayBePlanned = S.IsObserved && (T.Wants & observe::QuietRows) &&
                            M.Words == 1 &&
                            Code.Rows.size() < PlannedRows::Most;
  Code.Rows.push_back(
      {Code.Steps.size(), M.First, M.Words, M.IsStore, MayBePlanned});
}

/// Whether the active lanes of an address have the same values plus their
/// numbers times \a Step. \a V is set to those that lane 0 has or would have.
Value *Emitter::areInSteps(const Inst &I, unsigned Step,
                           llvm::MutableArrayRef<Value *> V) {
  Type *Int = B.getInt32Ty(), *Pointer = B.getPtrTy();
  auto *Row = llvm::FixedVectorType::get(Int, T.Lanes);
  Value *X = exec();
  // Without active lanes, the handler has nothing to do.
  Value *First =
      B.CreateTrunc(B.CreateAnd(B.CreateBinaryIntrinsic(llvm::Intrinsic::cttz,
                                                        X, B.getFalse()),
                                T.Lanes - 1),
                    Int);
  Value *Registers[2] = {}, *Differs = nullptr;
  for (unsigned N = 0; N < I.Memory.AddrCount; ++N) {
    V[N] = B.CreateAlignedLoad(Int, laneAt(I.Memory.VAddr + N, First),
                               llvm::Align(4));
    Value *Want;
    if (Step && !N) {
      V[N] = B.CreateSub(V[N], B.CreateMul(First, B.getInt32(Step)));
      llvm::SmallVector<llvm::Constant *, MaxLanes> Steps;
      for (unsigned L = 0; L < T.Lanes; ++L)
        Steps.push_back(B.getInt32(L * Step));
      Want = B.CreateAdd(B.CreateVectorSplat(T.Lanes, V[N]),
                         llvm::ConstantVector::get(Steps));
    } else {
      Want = B.CreateVectorSplat(T.Lanes, V[N]);
    }
    Registers[N] = laneAt(I.Memory.VAddr + N, B.getInt32(0));
    Value *D = B.CreateXor(
        B.CreateAlignedLoad(Row, Registers[N], llvm::Align(4)), Want);
    Differs = Differs ? B.CreateOr(Differs, D) : D;
  }
  Value *All = B.CreateIsNull(B.CreateOrReduce(Differs));
  // Other lanes seldom have another address.
  llvm::BasicBlock *Before = B.GetInsertBlock(), *Seldom = newBlock(),
                   *Join = newBlock();
  B.CreateCondBr(All, Join, Seldom);
  B.SetInsertPoint(Seldom);
  const auto Function =
      T.Lanes == 64 ? memory::areInSteps<64> : memory::areInSteps<32>;
  Value *Active = B.CreateIsNotNull(B.CreateCall(
      llvm::FunctionType::get(
          Int, {Pointer, Pointer, Int, Int, Int, B.getInt64Ty()}, false),
      pointer(reinterpret_cast<const void *>(Function)),
      {Registers[0], Registers[1] ? Registers[1] : Registers[0], V[0],
       V[1] ? V[1] : V[0], B.getInt32(Step), B.CreateZExt(X, B.getInt64Ty())}));
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  llvm::PHINode *Are = B.CreatePHI(B.getInt1Ty(), 2);
  Are->addIncoming(B.getTrue(), Before);
  Are->addIncoming(Active, Seldom);
  return Are;
}

/// The global address of private byte \a Offset, 64 bits, of lane 0.
Value *Emitter::privateAddress(Value *Offset) {
  Value *Base =
      gpu::features(T.Which).HasScratchSgprs
          ? read64(scalar::FlatScratchLo)
          : B.CreateAlignedLoad(B.getInt64Ty(),
                                field(Wave, offsetof(WaveState, ScratchBase)),
                                llvm::Align(8));
  return B.CreateAdd(Base, B.CreateMul(Offset, B.getInt64(T.Lanes)));
}

/// The number of bytes at which a lane may access \a Size bytes of private
/// memory.
Value *Emitter::privateRoom(unsigned Size) {
  Value *&Room = PrivateRooms[Size];
  if (!Room)
    Room =
        B.CreateZExt(B.CreateBinaryIntrinsic(
                         llvm::Intrinsic::usub_sat,
                         B.CreateAlignedLoad(
                             B.getInt32Ty(),
                             field(Wave, offsetof(WaveState, ScratchLaneSize)),
                             llvm::Align(4)),
                         B.getInt32(Size - 1)),
                     B.getInt64Ty());
  return Room;
}

/// Where a flat or scratch instruction accesses private memory. \a Good is set
/// to whether all lanes access that place, \a Dword to its number in a lane's
/// memory.
Value *Emitter::flatRow(const Inst &I, unsigned Size, Value *&Good,
                        Value *&Dword) {
  const bool IsScratch = I.Memory.Seg == 1;
  Type *Long = B.getInt64Ty();
  Good = B.getTrue();
  Value *A = B.getInt64(uint64_t(int64_t(I.Imm)));
  if (I.Memory.HasSAddr)
    A = B.CreateAdd(A, IsScratch ? B.CreateZExt(read32(I.Memory.SAddr), Long)
                                 : read64(I.Memory.SAddr));
  if (I.Memory.AddrCount) {
    Value *Same[2] = {};
    Good = areInSteps(I, 0, Same);
    A = B.CreateAdd(A, B.CreateZExt(Same[0], Long));
    if (Same[1])
      A = B.CreateAdd(A,
                      B.CreateShl(B.CreateZExt(Same[1], Long), uint64_t(32)));
  }
  // Below the aperture, there is a high offset.
  Value *Offset = IsScratch ? B.CreateAnd(A, 0xffffffff)
                            : B.CreateSub(A, B.getInt64(gpu::PrivateAperture));
  Good = B.CreateAnd(Good, B.CreateICmpULT(Offset, privateRoom(Size)));
  Good = B.CreateAnd(Good, B.CreateIsNull(B.CreateAnd(Offset, B.getInt64(3))));
  Dword = B.CreateLShr(Offset, uint64_t(2));
  return privateAddress(Offset);
}

/// Where an instruction accesses dwords of global memory, one lane's after
/// that of the lane before. \a Good is set to whether it does.
Value *Emitter::globalRow(const Inst &I, bool IsStore, Value *&Good) {
  constexpr unsigned Step = 4;
  const unsigned Behind = Step * (T.Lanes - 1); // the last lane's offset
  Value *First[2] = {};
  Good = areInSteps(I, Step, First);
  // Then the sum of all parts doesn't carry between two lanes.
  Good = B.CreateAnd(Good,
                     B.CreateICmpULE(First[0], B.getInt32(~uint32_t(Behind))));
  Type *Long = B.getInt64Ty();
  Value *A = B.CreateAdd(B.getInt64(uint64_t(int64_t(I.Imm))),
                         B.CreateZExt(First[0], Long));
  if (First[1])
    A = B.CreateAdd(A, B.CreateShl(B.CreateZExt(First[1], Long), uint64_t(32)));
  if (I.Memory.HasSAddr)
    A = B.CreateAdd(A, read64(I.Memory.SAddr));
  // Memory of other lanes mustn't be written.
  if (IsStore)
    Good = B.CreateAnd(Good, B.CreateIsNull(B.CreateNot(exec())));
  return A;
}

/// Describes the buffer descriptor \a D.
void Emitter::describeBuffer(llvm::ArrayRef<Value *> D) {
  // Swizzled; the lane added, and as many lanes as the wave has.
  Value *Good = B.CreateICmpSLT(D[1], B.getInt32(0));
  const uint32_t Added = 1u << 23, Stride = (T.Lanes == 64 ? 3u : 2u) << 21;
  Good = B.CreateAnd(Good, B.CreateICmpEQ(B.CreateAnd(D[3], Added | 3u << 21),
                                          B.getInt32(Added | Stride)));
  if (gpu::features(T.Which).Descriptor == gpu::Descriptors::GFX9) {
    Good = B.CreateAnd(
        Good, B.CreateIsNull(B.CreateOr(B.CreateAnd(D[1], 0x3fff0000),
                                        B.CreateAnd(D[3], 15u << 15))));
  } else {
    Good = B.CreateAnd(
        Good, B.CreateICmpEQ(B.CreateLShr(D[3], uint64_t(28)), B.getInt32(2)));
    Good = B.CreateAnd(Good, B.CreateIsNotNull(D[2]));
  }
  Type *Long = B.getInt64Ty();
  Descriptor.IsUsual = Good;
  Descriptor.Base = B.CreateOr(
      B.CreateZExt(D[0], Long),
      B.CreateShl(B.CreateZExt(B.CreateAnd(D[1], 0xffff), Long), uint64_t(32)));
  llvm::copy(D, Descriptor.Words);
}

/// The same for a buffer instruction: what BufferMemory.cpp's scratchRow
/// accepts, for the usual descriptors.
Value *Emitter::bufferRow(const Inst &I, unsigned Size, Value *&Good,
                          Value *&Dword) {
  Value *D[4];
  for (unsigned N = 0; N < 4; ++N)
    D[N] = read32(I.Memory.SAddr + N);
  Type *Long = B.getInt64Ty();
  Value *Offset = B.CreateZExt(source32(I.Src[2]), Long);
  if (!std::equal(D, D + 4, Descriptor.Words))
    describeBuffer(D);
  Good = Descriptor.IsUsual;
  if (gpu::features(T.Which).Descriptor == gpu::Descriptors::GFX9) {
    // Without a stride, the offset is compared with the size.
    Value *End =
        B.CreateAdd(Offset, B.getInt64(uint64_t(uint32_t(I.Imm)) + Size));
    Good = B.CreateAnd(Good, B.CreateICmpULE(End, B.CreateZExt(D[2], Long)));
  }
  Offset = B.CreateAdd(Offset, B.getInt64(uint64_t(uint32_t(I.Imm)) * T.Lanes));
  Dword = B.CreateLShr(Offset, uint64_t(T.Lanes == 64 ? 8 : 7));
  return B.CreateAdd(Descriptor.Base, Offset);
}

/// Where the machine has the span that a handler has found last.
Value *Emitter::lastSpan(size_t Spans, bool IsStore) {
  return field(TheMachine, ptrdiff_t(Spans + unsigned(IsStore ? Access::Write
                                                              : Access::Read) *
                                                 sizeof(MemorySpan)));
}

/// A handler has executed the instruction: the next time, it probably accesses
/// the same memory.
void Emitter::noteSpan(bool IsStore) {
  Value *From = lastSpan(offsetof(Machine, Spans), IsStore),
        *To = pointer(&At->Span);
  for (unsigned N = 0; N < sizeof(MemorySpan); N += 8)
    B.CreateAlignedStore(load64(From, N), field(To, N), llvm::Align(8));
}

/// The host's memory of a row at \a Address, a multiple of \a Alignment, which
/// must be in \a Span. \a Good is restricted to that.
Value *Emitter::rowMemory(Value *Address, uint64_t Bytes, Value *Span,
                          uint64_t Alignment, Value *&Good) {
  const auto Load = [&](size_t Offset) {
    return load64(Span, ptrdiff_t(Offset));
  };
  Value *Begin = Load(offsetof(MemorySpan, Begin)),
        *At = B.CreateSub(Address, Begin),
        *Length = B.CreateSub(Load(offsetof(MemorySpan, End)), Begin);
  // No row is in an empty span, whatever its address is.
  Value *Room = B.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, Length,
                                        B.getInt64(Bytes - 1));
  Good = B.CreateAnd(Good, B.CreateICmpULT(At, Room));
  Good = B.CreateAnd(Good, B.CreateIsNull(B.CreateAnd(Address, Alignment - 1)));
  return B.CreateIntToPtr(B.CreateAdd(Load(offsetof(MemorySpan, Host)), At),
                          B.getPtrTy());
}

/// For a row that is reported: restricts \a Good to those that needn't be.
/// \return Where the lanes are noted for which the first dword needn't.
Value *Emitter::quietLanes(Value *Dword, unsigned Words, bool IsStore,
                           Value *&Good) {
  Type *Long = B.getInt64Ty();
  Value *Count = load64(TheMachine, offsetof(Machine, QuietCount));
  Value *IsIn = B.CreateICmpULE(B.CreateAdd(Dword, B.getInt64(Words)), Count);
  // A few can always be read.
  Value *First = B.CreateGEP(
      Long,
      B.CreateAlignedLoad(B.getPtrTy(),
                          field(TheMachine, offsetof(Machine, QuietLanes)),
                          llvm::Align(8)),
      B.CreateSelect(IsIn, Dword, B.getInt64(0)));
  Good = B.CreateAnd(Good, IsIn);
  Value *X = B.CreateZExt(exec(), Long);
  for (unsigned N = 0; N < Words && !IsStore; ++N)
    Good = B.CreateAnd(Good, B.CreateIsNull(B.CreateAnd(
                                 X, B.CreateNot(load64(First, 8 * N)))));
  return First;
}

/// A row is stored unreported: from now on, its lanes may load it.
void Emitter::noteQuiet(Value *First, unsigned Words) {
  Value *X = B.CreateZExt(exec(), B.getInt64Ty());
  for (unsigned N = 0; N < Words; ++N)
    B.CreateAlignedStore(B.CreateOr(load64(First, 8 * N), X),
                         field(First, 8 * N), llvm::Align(8));
}

/// Step \a Number among the rows of the present part; null if there is none.
const StraightCode::Row *Emitter::rowOfPart(size_t Number) const {
  if (!Part)
    return nullptr;
  const auto It = llvm::find_if(Part->Code.Rows, [&](const auto &R) {
    return Part->First + R.Step == Number;
  });
  return It == Part->Code.Rows.end() ? nullptr : &*It;
}

/// Goes to \a Quick if \a Good and the row needn't be reported, and to \a Slow
/// otherwise, or if it may be planned.
void Emitter::checkQuiet(const StraightCode::Row &R, Value *Dword, Value *Good,
                         llvm::BasicBlock *Quick, llvm::BasicBlock *Slow) {
  Value *Quiet = quietLanes(Dword, R.Words, R.IsStore, Good);
  if (R.MayBePlanned) {
    const ptrdiff_t IsSet =
        ptrdiff_t(offsetof(TracePart, Rows) + offsetof(PlannedRows, IsSet));
    Good = B.CreateAnd(
        Good, B.CreateIsNull(B.CreateAlignedLoad(
                  B.getInt8Ty(), field(pointer(Part), IsSet), llvm::Align(1))));
  }
  B.CreateCondBr(Good, Quick, Slow);
  B.SetInsertPoint(Quick);
  if (R.IsStore)
    noteQuiet(Quiet, R.Words);
}

/// Executes \a I, row \a R of the present part, as Trace::Row does.
void Emitter::callRow(const Inst &I, const StraightCode::Row &R, size_t Number,
                      Value *IsRow, Value *Dword) {
  setPCs(I);
  Type *Pointer = B.getPtrTy(), *Int = B.getInt32Ty();
  auto *Executes = llvm::FunctionType::get(
      Int, {Pointer, Pointer, Pointer, Int, B.getInt64Ty()}, false);
  Value *How = B.CreateCall(
      Executes, pointer(reinterpret_cast<const void *>(T.Row)),
      {TheMachine, pointer(At), pointer(&R), B.CreateZExt(IsRow, Int), Dword});
  llvm::BasicBlock *On = newBlock(), *Before = newBlock(), *Behind = newBlock(),
                   *Stops = newBlock();
  llvm::SwitchInst *To = B.CreateSwitch(How, On);
  To->addCase(B.getInt32(Trace::LeavesBefore), Before);
  To->addCase(B.getInt32(Trace::LeavesBehind), Behind);
  To->addCase(B.getInt32(Trace::StopsWave), Stops);
  B.SetInsertPoint(Before);
  leaveNow(Number, pc(), Trace::Left);
  B.SetInsertPoint(Behind);
  leaveNow(Number + 1, pc(I.Size), Trace::Left);
  B.SetInsertPoint(Stops);
  leaveNow(Number, pc(), Trace::Stopped);
  B.SetInsertPoint(On);
}

/// Whether what is collected can wait while \a I loads a row: then several of
/// them are one loop. It has to be harmless to execute that twice.
bool Emitter::canWait(const Inst &I, bool IsBuffer) const {
  constexpr size_t Most = 6;
  const unsigned Addresses = IsBuffer ? 0 : I.Memory.AddrCount;
  const auto MayWait = [&](const Pending &P) {
    if (!P.Row || P.IsStore)
      return false;
    for (unsigned N = 0; N < Addresses; ++N)
      if (P.writes(I.Memory.VAddr + N))
        return false;
    return true;
  };
  return Collected.size() <= Most && llvm::all_of(Collected, MayWait);
}

bool Emitter::collectRow(const Inst &I, size_t Number) {
  const Move M = describe(I, T);
  if (M.Family == Move::None)
    return false;
  const bool IsBuffer = M.Family == Move::Buffer;
  if (M.IsStore || !canWait(I, IsBuffer))
    flushVectors();
  flushScalars();
  Value *IsRow = nullptr;
  Value *Dword = nullptr;
  const bool IsGlobal = M.Family == Move::Global;
  Value *Address = IsGlobal   ? globalRow(I, M.IsStore, IsRow)
                   : IsBuffer ? bufferRow(I, M.Words * 4, IsRow, Dword)
                              : flatRow(I, M.Words * 4, IsRow, Dword);
  Value *Good = IsRow;
  // Aligned like this, two rows of private memory in a loop are the same, or
  // have nothing in common.
  Value *Memory =
      rowMemory(Address, uint64_t(M.Words) * T.Lanes * 4,
                IsGlobal ? pointer(&At->Span)
                         : lastSpan(offsetof(Machine, Rows), M.IsStore),
                IsGlobal ? 4 : T.Lanes * 4, Good);
  llvm::BasicBlock *Quick = B.GetInsertBlock(), *Slow = newBlock(),
                   *Join = newBlock();
  const StraightCode::Row *InPart = rowOfPart(Number);
  if (InPart && At->IsObserved && (T.Wants & observe::QuietRows)) {
    checkQuiet(*InPart, Dword, Good, Quick = newBlock(), Slow);
    B.CreateBr(Join);
  } else {
    B.CreateCondBr(Good, Join, Slow);
  }
  B.SetInsertPoint(Slow);
  if (!Collected.empty())
    LaneLoop(B, T, Collected, Host).emitLoop();
  if (InPart)
    callRow(I, *InPart, Number, IsRow, Dword);
  else
    callHandler(I, Number);
  if (IsGlobal)
    noteSpan(M.IsStore);
  // There is nothing left to do: a row that is moved to itself.
  Value *Same = M.IsStore ? field(TheMachine, offsetof(Machine, Tmp))
                          : laneAt(M.First, B.getInt32(0));
  llvm::BasicBlock *Called = B.GetInsertBlock();
  B.CreateBr(Join);
  B.SetInsertPoint(Join);
  llvm::PHINode *Row = B.CreatePHI(B.getPtrTy(), 2);
  Row->addIncoming(Memory, Quick);
  Row->addIncoming(Same, Called);
  Pending P = {};
  P.I = &I;
  P.Row = Row;
  P.Words = M.Words;
  P.IsStore = M.IsStore;
  P.Exec = exec();
  P.Dst = M.First;
  Collected.push_back(P);
  return true;
}

} // namespace wavelane::isa
