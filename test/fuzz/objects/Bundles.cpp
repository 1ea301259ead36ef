// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as an offload bundle, compressed or not, and as a program that has
// some.
#include "Simulator/Runtime/CodeObject.h"
#include "fuzz/Input.h"
#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"

using namespace llvm;
using namespace wavelane;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (!Size)
    return 0;
  // Half of the inputs begin with a magic number.
  std::string Bytes(reinterpret_cast<const char *>(Data) + 1, Size - 1);
  if (Data[0] & 1)
    Bytes.insert(0, Data[0] & 2 ? "CCOB" : "__CLANG_OFFLOAD_BUNDLE__");
  offload::readBundles(Bytes, [](uint64_t, Expected<offload::Bundle> B) {
    if (!B)
      return consumeError(B.takeError());
    B->getTargetIds();
    for (const offload::Entry &E : B->entries())
      E.getTargetId();
  });
  offload::readTargets(Bytes);
  const auto *Image = reinterpret_cast<const uint8_t *>(Bytes.data());
  runtime::readTargets(Image, Bytes.size());
  runtime::ChosenCode Chosen;
  std::string Why;
  (void)runtime::selectCodeObject(Image, Bytes.size(), "gfx90a:sramecc+:xnack-",
                                  Chosen, Why);
  return 0;
}
