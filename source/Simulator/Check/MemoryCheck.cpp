//===-- MemoryCheck.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace wavelane;
using namespace wavelane::check;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;
using llvm::StringRef;

std::string check::bytes(uint64_t Count) {
  return std::to_string(Count) + (Count == 1 ? " byte" : " bytes");
}

std::string check::describe(Allocation::Kind What) {
  switch (What) {
  case Allocation::Device:
    return "device memory";
  case Allocation::Host:
    return "host memory";
  case Allocation::Managed:
    return "managed memory";
  case Allocation::Registered:
    return "registered host memory";
  case Allocation::Internal:
    break;
  }
  return "the runtime's memory";
}

std::string check::whereFrom(const Allocation &Block, uint64_t Address) {
  const uint64_t End = Block.Address + Block.Size;
  std::string Text =
      Address == Block.Address  ? "at the start of"
      : Address < Block.Address ? bytes(Block.Address - Address) + " before"
      : Address >= End          ? bytes(Address - End) + " after the end of"
                                : bytes(Address - Block.Address) + " inside of";
  return Text + " " + bytes(Block.Size) + " of " + describe(Block.What) +
         " at " + hex(Block.Address);
}

bool MemoryCheck::isGoodGlobal(const LaneAccess &A) const {
  const Allocation *Block = Memory.find(A.Address);
  if (!Block)
    return false;
  const uint64_t Room = Block->Size - (A.Address - Block->Address);
  if (A.Size > Room) {
    // The compiler widens scalar loads up to their alignment.
    const uint64_t Whole = llvm::PowerOf2Ceil(A.Size);
    if (A.Lane != LaneAccess::Scalar || A.Address % Whole)
      return false;
  }
  if (A.Kind == isa::Access::Read)
    return true;
  const auto *Of =
      Block->What == Allocation::Internal ? findVariable(A.Address) : nullptr;
  return A.InRange && !(Of && Of->second.IsConstant);
}

const std::pair<const uint64_t, MemoryCheck::Variable> *
MemoryCheck::findVariable(uint64_t Address) const {
  const auto It = Variables.upper_bound(Address);
  if (It == Variables.begin())
    return nullptr;
  const auto &Last = *std::prev(It);
  return Address - Last.first < Last.second.Size ? &Last : nullptr;
}

void MemoryCheck::freed(const AllocationRef &Block) {
  Variables.erase(Variables.lower_bound(Block->Address),
                  Variables.lower_bound(Block->Address + Block->Size));
}

bool MemoryCheck::isGood(const LaneAccess &A) const {
  if (A.IsDropped)
    return true;
  switch (A.In) {
  case LaneAccess::Global:
    return isGoodGlobal(A);
  case LaneAccess::Local:
    return A.InRange && A.Address + A.Size <= Now->Kernel->LocalBytes;
  case LaneAccess::Private:
    return A.InRange;
  }
  return true;
}

/// Vector loads and stores may be unaligned. Atomics may not, and scalar loads
/// ignore the lowest bits of the address.
bool MemoryCheck::isMisaligned(const ObservedInstruction &I,
                               const LaneAccess &A) const {
  if (A.IsDropped)
    return false;
  if (A.Lane == LaneAccess::Scalar)
    return A.Size >= 4 && A.Address % 4;
  return I.IsAtomic && A.Size && A.Address % A.Size;
}

static bool does(const ArrayObject &Of, isa::Access Kind) {
  return Kind == isa::Access::Read    ? Of.Reads
         : Kind == isa::Access::Write ? Of.Writes
                                      : Of.Reads || Of.Writes;
}

/// Whether [First, End) is within an array.
static bool isWithin(uint64_t First, uint64_t End, const ArrayObject &Of,
                     const isa::WaveState &Wave) {
  const uint64_t Begin = ArrayBounds::begin(Of, Wave);
  return Of.contains(int64_t(First - Begin), int64_t(End - Begin));
}

bool MemoryCheck::needsAccesses(const isa::AccessBounds &B) {
  if (B.Kind == isa::Access::Atomic && B.Bits % B.Size)
    return true;
  switch (B.In) {
  case LaneAccess::Global: {
    // The program's blocks may lie within those of the runtime.
    const Allocation *Block = Memory.find(B.First);
    return !Block || Block->What == Allocation::Internal ||
           B.End - Block->Address > Block->Size;
  }
  case LaneAccess::Local:
    if (B.End > Now->Kernel->LocalBytes)
      return true;
    break;
  case LaneAccess::Private:
    break;
  }
  const ArrayObject *Meant = arrayOf(B.In, Now->State->PC);
  return Meant && does(*Meant, B.Kind) &&
         !isWithin(B.First, B.End, *Meant, *Now->State);
}

bool MemoryCheck::before(const isa::WaveState &Wave,
                         const ObservedInstruction &I) {
  for (const LaneAccess &A : I.Accesses)
    if (LLVM_UNLIKELY(!isGood(A) || isMisaligned(I, A)))
      return report(I, A);
  return !Arrays || I.Accesses.empty() || compareArray(Wave, I);
}

static uint64_t lanesOf(const LaneAccess &A, uint64_t Exec) {
  return A.Lane == LaneAccess::Scalar ? Exec : uint64_t(1) << A.Lane;
}

static AccessKind accessKind(isa::Access Kind) {
  switch (Kind) {
  case isa::Access::Write:
    return AccessKind::Write;
  case isa::Access::Atomic:
    return AccessKind::Atomic;
  case isa::Access::Read:
  case isa::Access::Execute:
    break;
  }
  return AccessKind::Read;
}

Finding MemoryCheck::describe(const ObservedInstruction &I, const LaneAccess &A,
                              Kind What, uint64_t Lanes, AllocationRef Block) {
  Finding F;
  const AccessKind Access = accessKind(A.Kind);
  const char *Verb = Access == AccessKind::Read    ? "read"
                     : Access == AccessKind::Write ? "write"
                                                   : "atomic access";
  F.What = (What == Kind::MisalignedAccess ? "Misaligned " : "Invalid ") +
           spaceName(spaceOf(A.In)).str() + " " + Verb + " of size " +
           bytes(A.Size);
  F.Here = Now->at(I.PC, Lanes, Access);
  F.Memory = spaceOf(A.In);
  F.Address = A.Address;
  F.Size = A.Size;
  F.Block = std::move(Block);
  if (What == Kind::MisalignedAccess) {
    const unsigned Wanted = A.Lane == LaneAccess::Scalar ? 4 : A.Size;
    F.Notes.push_back("the address isn't a multiple of " + bytes(Wanted));
    return F;
  }
  if (What != Kind::ReadOnlyWrite)
    nameMeant(A, F);
  if (A.In == LaneAccess::Local) {
    F.Notes.push_back("the workgroup has " + bytes(Now->Kernel->LocalBytes) +
                      " of local memory");
  } else if (A.In == LaneAccess::Private) {
    F.Notes.push_back("a lane has " + bytes(Now->Kernel->PrivateBytes) +
                      " of private memory");
  } else if (What == Kind::UseAfterFree) {
    F.Notes.push_back("the address is " + whereFrom(*F.Block, A.Address) +
                      " that has been freed");
  } else if (What == Kind::ReadOnlyWrite) {
    const bool IsVariable = F.Block->What == Allocation::Internal;
    F.Notes.push_back(IsVariable
                          ? "kernels may only read a __constant__ variable"
                          : "the memory may only be read by the device");
    if (IsVariable)
      F.Block = nullptr;
  } else if (F.Block && A.Address - F.Block->Address < F.Block->Size) {
    F.Notes.push_back("the access begins " + whereFrom(*F.Block, A.Address) +
                      " and goes beyond its end");
  } else if (A.Address < 4096) {
    F.Notes.push_back(A.Address ? "the address is a null pointer and " +
                                      bytes(A.Address)
                                : std::string("the address is a null pointer"));
    F.Block = nullptr;
  } else if (F.Block) {
    F.Notes.push_back(
        "the address is out of bounds: " + whereFrom(*F.Block, A.Address) +
        ", the nearest allocation");
  } else {
    F.Notes.push_back("nothing is allocated near the address");
  }
  return F;
}

/// \return false to stop the wave.
bool MemoryCheck::report(const ObservedInstruction &I,
                         const LaneAccess &First) {
  // Which accesses are like the first one.
  auto KindOf = [&](const LaneAccess &A, AllocationRef &Block) {
    if (isGood(A))
      return Kind::MisalignedAccess;
    if (A.In == LaneAccess::Local)
      return Kind::InvalidLocalAccess;
    if (A.In == LaneAccess::Private)
      return Kind::InvalidPrivateAccess;
    Block = Memory.findLive(A.Address);
    if (Block && A.Size <= Block->Size - (A.Address - Block->Address))
      return Kind::ReadOnlyWrite;
    if (Block)
      return Kind::InvalidGlobalAccess;
    if ((Block = Memory.findFreed(A.Address)))
      return Kind::UseAfterFree;
    return Kind::InvalidGlobalAccess;
  };
  AllocationRef Block;
  if (First.In == LaneAccess::Global)
    Block = Memory.findLive(First.Address);
  const Kind What = KindOf(First, Block);
  uint64_t Lanes = 0;
  for (const LaneAccess &A : I.Accesses) {
    AllocationRef Ignored;
    if ((!isGood(A) || isMisaligned(I, A)) && KindOf(A, Ignored) == What)
      Lanes |= lanesOf(A, I.Exec);
  }
  return !R.report({What, I.PC, 0, Now->Stack}, unsigned(llvm::popcount(Lanes)),
                   [&] {
                     if (!Block && First.In == LaneAccess::Global)
                       Block = Memory.nearest(First.Address);
                     return describe(I, First, What, Lanes, Block);
                   });
}

//===----------------------------------------------------------------------===//
// Arrays within a block
//===----------------------------------------------------------------------===//

/// Whether it could be a compiler's own access of the frame: of one place, not
/// by a pointer.
static bool isFrameAccess(const ObservedInstruction &I) {
  return llvm::all_of(I.Accesses, [&](const LaneAccess &A) {
    return !A.IsFlat && A.Address == I.Accesses.front().Address;
  });
}

/// Compilers join accesses of neighbors, and give them the line of one. So
/// a lane is only reported if nothing that it accesses is in the array.
bool MemoryCheck::compareArray(const isa::WaveState &Wave,
                               const ObservedInstruction &I) {
  const LaneAccess &Any = I.Accesses.front();
  if (Any.In == LaneAccess::Global) {
    const Allocation *Block = Memory.find(Any.Address);
    if (!Block || Block->What != Allocation::Internal)
      return true;
  }
  // It may be a spilled register's.
  if (Any.In == LaneAccess::Private && isFrameAccess(I))
    return true;
  const ArrayObject *Meant = arrayOf(Any.In, I.PC);
  if (!Meant || !does(*Meant, Any.Kind))
    return true;
  const uint64_t Begin = ArrayBounds::begin(*Meant, Wave);
  uint64_t In = 0, Out = 0;
  const LaneAccess *First = nullptr;
  for (const LaneAccess &A : I.Accesses) {
    if (A.IsDropped)
      continue;
    const int64_t From = int64_t(A.Address - Begin);
    const bool Touches = A.In != Any.In || Meant->touches(From, From + A.Size);
    (Touches ? In : Out) |= lanesOf(A, I.Exec);
    if (!Touches && !First)
      First = &A;
  }
  const uint64_t Lanes = Out & ~In;
  if (!Lanes)
    return true;
  while (!(lanesOf(*First, I.Exec) & Lanes))
    ++First;
  const Kind What = Any.In == LaneAccess::Global  ? Kind::InvalidGlobalAccess
                    : Any.In == LaneAccess::Local ? Kind::InvalidLocalAccess
                                                  : Kind::InvalidPrivateAccess;
  return !R.report(
      {What, I.PC, 0, Now->Stack}, unsigned(llvm::popcount(Lanes)),
      [&] { return describeArray(Wave, I, *First, *Meant, Lanes); });
}

Finding MemoryCheck::describeArray(const isa::WaveState &Wave,
                                   const ObservedInstruction &I,
                                   const LaneAccess &A,
                                   const ArrayObject &Meant, uint64_t Lanes) {
  Finding F = describe(I, A, Kind::InvalidLocalAccess, Lanes, nullptr);
  const uint64_t Begin = ArrayBounds::begin(Meant, Wave);
  F.Variable.clear();
  const std::string There = Arrays->nameOf(F, Meant, Begin);
  const int64_t Offset = int64_t(A.Address - Begin);
  F.Variable = Meant.element(Offset);
  const int64_t In = Meant.elementOf(Offset);
  const int64_t After =
      Offset - In * int64_t(Meant.Stride) - int64_t(Meant.Size);
  if (Meant.Stride && (In < 0 || In >= int64_t(Meant.Elements)))
    F.Notes = {StringRef(Meant.Name).split("[]").first.str() + " has " +
               std::to_string(Meant.Elements) + " elements"};
  else
    F.Notes = {"it is " +
               (Offset < 0 ? bytes(uint64_t(-Offset)) + "before the start of "
                           : bytes(uint64_t(After)) + " after the end of ") +
               Meant.nameIn(In) + ", which has " + bytes(Meant.Size)};
  if (!There.empty())
    F.Notes.push_back(There + " is there");
  return F;
}

/// For an access beyond a whole memory, or of freed memory: what was meant.
void MemoryCheck::nameMeant(const LaneAccess &A, Finding &F) const {
  if (A.In == LaneAccess::Global) {
    if (Arrays)
      F.Variable = Arrays->meantElement(*Now, F.Here.PC, A);
  } else if (const ArrayObject *Meant = arrayOf(A.In, F.Here.PC))
    F.Variable = Meant->element(
        int64_t(A.Address - ArrayBounds::begin(*Meant, *Now->State)));
}

//===----------------------------------------------------------------------===//
// Calls of the host
//===----------------------------------------------------------------------===//

Finding MemoryCheck::describeCopy(const HostMistake &M) {
  Finding F;
  F.What = std::string("Invalid ") + (M.From ? "copy" : "fill") + " of " +
           bytes(M.Size);
  F.Memory = Space::Global;
  F.HostStack = M.Stack;
  F.Address = M.Address;
  F.Size = uint32_t(std::min<uint64_t>(M.Size, UINT32_MAX));
  for (uint64_t Side : {M.Address, M.From}) {
    if (!Side || F.Block)
      continue;
    const AllocationRef Block = Memory.findLive(Side);
    const char *Verb = Side == M.Address ? "writes " : "reads ";
    // An offset may lead beyond the variable that is meant.
    if (const auto *Of = findVariable(Side);
        Of && M.Size > Of->second.Size - (Side - Of->first)) {
      F.Address = Side;
      F.Notes.push_back("it " + std::string(Verb) +
                        bytes(M.Size - (Of->second.Size - (Side - Of->first))) +
                        " beyond the end of a variable of " +
                        bytes(Of->second.Size));
      continue;
    }
    if (Block && M.Size <= Block->Size - (Side - Block->Address))
      continue;
    if (Block) {
      F.Block = Block;
      F.Address = Side;
      F.Notes.push_back(
          "it " + std::string(Verb) +
          bytes(M.Size - (Block->Size - (Side - Block->Address))) +
          " beyond the end of " + bytes(Block->Size) + " of " +
          check::describe(Block->What) + " at " + hex(Block->Address));
    } else if ((F.Block = Memory.findFreed(Side))) {
      F.Address = Side;
      F.Notes.push_back("it " + std::string(Verb) + "memory that has been " +
                        "freed, " + whereFrom(*F.Block, Side));
    }
  }
  if (F.Notes.empty())
    F.Notes.push_back("nothing is allocated there");
  return F;
}

void MemoryCheck::mistake(const HostMistake &M) {
  const uint64_t Caller = M.Stack.empty() ? 0 : hash(M.Stack);
  if (M.What == HostMistake::NotCopied) {
    R.report({Kind::InvalidCopy, 0, Caller}, 0,
             [&] { return describeCopy(M); });
    return;
  }
  const AllocationRef Live = Memory.findLive(M.Address);
  const AllocationRef Freed = Live ? nullptr : Memory.findFreed(M.Address);
  const bool IsDouble = Freed && Freed->Address == M.Address;
  R.report(
      {IsDouble ? Kind::DoubleFree : Kind::InvalidFree, 0, Caller}, 0, [&] {
        Finding F;
        F.What = IsDouble ? "Double free" : "Invalid free";
        F.Memory = Space::Global;
        F.Address = M.Address;
        F.HostStack = M.Stack;
        F.Block = Live ? Live : Freed;
        if (IsDouble)
          F.Notes.push_back("the memory has already been freed");
        else if (Live && Live->Address == M.Address)
          F.Notes.push_back(
              std::string(M.IsHostFree ? "hipHostFree" : "hipFree") +
              " doesn't free " + check::describe(Live->What));
        else if (F.Block)
          F.Notes.push_back("the address is " + whereFrom(*F.Block, M.Address));
        else
          F.Notes.push_back("the address is not that of an allocation");
        return F;
      });
}

void MemoryCheck::frees(uint64_t Address, std::optional<bool> IsHostFree,
                        const std::vector<uint64_t> &Stack) {
  const AllocationRef Block = Memory.findLive(Address);
  if (!Block || Block->What == Allocation::Internal ||
      Block->What == Allocation::Registered)
    return;
  const bool IsHost = Block->What == Allocation::Host;
  if (Block->Address != Address || IsHostFree.value_or(IsHost) != IsHost)
    mistake({HostMistake::NotFreed, Address, 0, 0, IsHostFree.value_or(IsHost),
             Stack});
}

void MemoryCheck::willCopy(const CopyInfo &C) {
  const auto Bad = [&](uint64_t Address, uint64_t Pitch) {
    const uint64_t Size = C.Rows > 1 ? (C.Rows - 1) * Pitch + C.Size : C.Size;
    const AllocationRef Block = Memory.findLive(Address);
    const auto *Of = findVariable(Address);
    const bool IsBad = Of ? Size > Of->second.Size - (Address - Of->first)
                       : Block
                           ? Block->What != Allocation::Internal &&
                                 Size > Block->Size - (Address - Block->Address)
                           : Memory.findFreed(Address) != nullptr;
    if (IsBad)
      mistake({HostMistake::NotCopied, C.To, C.From, Size, false, C.HostStack});
    return IsBad;
  };
  if (!Bad(C.To, C.ToPitch) && C.From)
    Bad(C.From, C.FromPitch);
}

void MemoryCheck::reportLeaks() {
  for (const auto &Entry : Memory.live()) {
    const AllocationRef &Block = Entry.second;
    if (Block->What == Allocation::Internal || Block->Made.empty() ||
        Block->What == Allocation::Registered)
      continue;
    R.report({Kind::Leak, 0, hash(Block->Made)}, 0, [&] {
      Finding F;
      F.What = "Leaked " + bytes(Block->Size) + " of " +
               check::describe(Block->What);
      F.Memory = Space::Global;
      F.Address = Block->Address;
      F.HostStack = Block->Made;
      F.Block = Block;
      return F;
    });
  }
}
