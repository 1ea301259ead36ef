//===-- AccessedArray.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AccessedArray.h"

using namespace wavelane;
using namespace wavelane::check;
using isa::LaneAccess;

const ArrayObject *ArrayBounds::find(const Launch &Kernel, uint64_t PC,
                                     LaneAccess::Space In) {
  const Key Of = {PC << 2 | unsigned(In), Kernel.Entry};
  if (Of == LastKey)
    return Last;
  const auto [It, IsNew] = Known.try_emplace(Of);
  if (IsNew) {
    const Space Where = spaceOf(In);
    if (std::optional<ArrayObject> Found = Names.array(Kernel, PC, Where))
      It->second = std::make_unique<ArrayObject>(std::move(*Found));
  }
  LastKey = Of;
  return Last = It->second.get();
}

uint64_t ArrayBounds::begin(const ArrayObject &Of, const isa::WaveState &Wave) {
  if (Of.FrameRegister == ArrayObject::NoRegister)
    return Of.Begin;
  const uint64_t Frame = Wave.Scalar[Of.FrameRegister];
  // Without architected scratch, the stack pointer counts the bytes of all
  // lanes.
  const bool IsOfLane = gpu::get(Wave.Processor).family().HasArchitectedScratch;
  return Of.Begin + (IsOfLane ? Frame : Frame / Wave.LaneCount);
}

std::string ArrayBounds::nameOf(const Finding &F, const ArrayObject &Of,
                                uint64_t Begin) {
  return Of.In == Space::Private
             ? Names.inFrame(F.Here.PC, int64_t(F.Address - Begin + Of.Begin))
             : Names.variable(F);
}
