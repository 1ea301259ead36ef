//===-- LateStores.cpp - stores that others see later ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LateStores.h"

#include "Simulator/Check/WaitCheck.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using check::WaitCheck;
using isa::Access;
using isa::InstClass;
using isa::LaneAccess;
using isa::ObservedInstruction;

/// A late store arrives after at most so many memory instructions.
static constexpr uint64_t LongestDelay = 16;

void LateStores::runs(Agent &A, WaveParts &W) {
  On = &A;
  Running = &W;
}

/// The bytes of two pages may not be contiguous in the host.
static bool isOnOnePage(const LaneAccess &A) {
  return A.Address / PageSize == (A.Address + A.Size - 1) / PageSize;
}

bool LateStores::concerns(const LaneAccess &A) const {
  return A.In == LaneAccess::Global &&
         llvm::any_of(Running->Late.Stores, [&](const LateStore &S) {
           return S.Address < A.Address + A.Size &&
                  A.Address < S.Address + S.Size;
         });
}

static void arrive(Agent &A, const LateStore &S) {
  const isa::MemorySpan Span = A.Memory.resolve(S.Address, Access::Write);
  // The program may have freed it.
  if (Span.Host && S.Address >= Span.Begin && S.Address < Span.End &&
      Span.End - S.Address >= S.Size)
    memcpy(Span.Host + (S.Address - Span.Begin), S.Bytes, S.Size);
}

void LateStores::arriveAll(Agent &A, WaveParts &W) {
  for (const LateStore &S : W.Late.Stores)
    arrive(A, S);
  W.Late.Stores.clear();
}

/// Whether the wave goes on only when its stores have arrived.
static bool waitsForStores(gpu::WaitEncoding In, const ObservedInstruction &I) {
  switch (I.Class) {
  case InstClass::Barrier:
  case InstClass::End:
    return true;
  case InstClass::Wait:
    return WaitCheck::decodeWait(In, I).Limit[WaitCheck::storeCounter(In)] == 0;
  default:
    return false;
  }
}

bool LateStores::before(const isa::WaveState &State,
                        const ObservedInstruction &I) {
  if (!Running->Late.Stores.empty() &&
      (waitsForStores(gpu::features(State.Processor).Waits, I) ||
       llvm::any_of(I.Accesses,
                    [&](const LaneAccess &A) { return concerns(A); })))
    arriveAll(*On, *Running);
  Old.clear();
  if (I.Class != InstClass::VectorMemory || !I.IsStore || I.IsAtomic)
    return true;
  Old.resize(I.Accesses.size());
  for (size_t N = 0; N < Old.size(); ++N) {
    const LaneAccess &A = I.Accesses[N];
    if (A.In == LaneAccess::Global && A.Host && isOnOnePage(A) &&
        A.Size <= LateStore::MostBytes)
      memcpy(Old[N].Bytes, A.Host, A.Size);
  }
  return true;
}

/// Takes a store back, and keeps it for later.
void LateStores::delay(const ObservedInstruction &I) {
  LateWave &Late = Running->Late;
  const auto Left = uint8_t(1 + Late.Chance.below(LongestDelay));
  const auto IsDelayed = [&](const LaneAccess &A) {
    return A.In == LaneAccess::Global && A.Kind == Access::Write && A.Host &&
           isOnOnePage(A) && A.Size <= LateStore::MostBytes;
  };
  for (const LaneAccess &A : I.Accesses) {
    if (!IsDelayed(A))
      continue;
    LateStore S = {};
    S.Address = A.Address;
    S.Size = A.Size;
    S.Left = Left;
    memcpy(S.Bytes, A.Host, A.Size);
    Late.Stores.push_back(S);
  }
  for (size_t N = 0; N < Old.size(); ++N)
    if (IsDelayed(I.Accesses[N]))
      memcpy(I.Accesses[N].Host, Old[N].Bytes, I.Accesses[N].Size);
}

void LateStores::after(const isa::WaveState &, const ObservedInstruction &I) {
  if (!I.IsLoad && !I.IsStore && !I.IsAtomic)
    return;
  LateWave &Late = Running->Late;
  llvm::erase_if(Late.Stores, [&](LateStore &S) {
    if (--S.Left)
      return false;
    arrive(*On, S);
    return true;
  });
  if (!Old.empty() && Late.Chance.below(2))
    delay(I);
}
