// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a .debug_frame section: each row of it is unwound.
#include "FuzzContext.h"
#include "wavelane/Location/CallFrame.h"

using namespace llvm;
using namespace wavelane::location;

static void unwind(const FrameDescription &Frame, FuzzContext &C) {
  Expected<std::vector<CallFrameRow>> Rows = getRows(Frame);
  if (!Rows) {
    consumeError(Rows.takeError());
    return;
  }
  if (Rows->size() > 16)
    Rows->resize(16);
  for (const CallFrameRow &Row : *Rows) {
    FrameUnwinder Unwinder(Row, C, C.has(11));
    consumeError(Unwinder.getCallFrameAddress().takeError());
    for (uint64_t Number = 0; Number < 20; ++Number)
      if (Expected<Location> L = Unwinder.getRegister(Number)) {
        uint8_t Bytes[8];
        consumeError(L->read(C, 64, Bytes));
      } else {
        consumeError(L.takeError());
      }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size < 3)
    return 0;
  FuzzContext C;
  C.Facts = uint16_t(Data[0] | Data[1] << 8);
  C.Seed = Data[2];
  const ArrayRef<uint8_t> Bytes(Data + 3, Size - 3);
  // As instructions, and as a whole section.
  FrameDescription Frame;
  Frame.Common.CodeAlignment = C.has(12) ? 4 : 1;
  Frame.Common.DataAlignment = C.has(13) ? 4 : -8;
  Frame.Size = 0x1000;
  Frame.Instructions = Bytes;
  unwind(Frame, C);
  Expected<std::vector<FrameDescription>> Frames = readFrameSection(Bytes);
  if (!Frames) {
    consumeError(Frames.takeError());
    return 0;
  }
  for (const FrameDescription &F : *Frames)
    unwind(F, C);
  return 0;
}
