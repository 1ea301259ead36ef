// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as an expression: decoded, disassembled and evaluated.
#include "FuzzContext.h"

using namespace llvm;
using namespace wavelane::location;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 4)
    return 0;
  FuzzContext C;
  C.Facts = uint16_t(Data[0] | Data[1] << 8);
  C.Seed = Data[2];
  const uint8_t How = Data[3];
  const ArrayRef<uint8_t> Expression(Data + 4, Size - 4);
  C.Entries = Expression;
  DecodeOptions Options;
  Options.AddressSize = uint8_t(C.getAddressSize());
  // Text that names the same operations comes back as bytes.
  Expected<std::string> Text = disassemble(Expression, Options);
  if (Text)
    consumeError(assembleText(*Text, Options).takeError());
  else
    consumeError(Text.takeError());
  use(Expression, C, How);
  return 0;
}
