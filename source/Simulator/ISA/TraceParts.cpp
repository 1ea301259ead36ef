//===-- TraceParts.cpp - what an observer allows at once ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Observe.h"
#include "Trace.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>

namespace wavelane::isa {

/// Whether what follows \a S need not be executed when it is, or not with the
/// same EXEC.
static bool endsPart(const Trace::Step &S) {
  const Flow Goes = flowOf(S.I);
  return Goes == Flow::Conditional || (Goes == Flow::Branch && goesBack(S.I)) ||
         llvm::any_of(S.I.Observed->Writes, [](const RegisterRange &R) {
           return R.In == RegisterRange::Scalar && R.First <= scalar::ExecHi &&
                  R.First + R.Count > scalar::ExecLo;
         });
}

void makeParts(Trace &T) {
  static std::atomic<uint64_t> NextId = 1;
  bool Begins = true;
  for (const Trace::Step &S : T.Steps) {
    if (Begins) {
      T.Parts.emplace_back();
      T.Parts.back().First = size_t(&S - T.Steps.data());
      T.Parts.back().Code.Id = NextId++;
    }
    addRow(T.Parts.back().Code, S, T);
    T.Parts.back().Code.Steps.push_back(describeAhead(S.I, S.PC, T.Lanes));
    Begins = endsPart(S);
  }
}

} // namespace wavelane::isa
