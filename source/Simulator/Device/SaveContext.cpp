//===-- SaveContext.cpp - waves in the queue's context save area ----------===//
//
// gfx90a's layout: a header; a control stack of words that say which waves
// follow; the waves' records, from wave_state_offset downwards in the stack's
// order. The stack ends where the records end, so both are laid out from the top.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstring>

using namespace wavelane;
using namespace wavelane::simulator;
using isa::Access;

static constexpr unsigned SavedSgprs = 112;

namespace {
/// Moves values between waves and records; the walk is the same both ways.
class RecordCursor {
public:
  RecordCursor(uint8_t *Top, uint8_t *Bottom, bool Save)
      : At(Top), Bottom(Bottom), Save(Save) {}

  void skip(size_t Size) { take(Size); }
  void bytes(void *Data, size_t Size) {
    if (!take(Size))
      return;
    if (Save)
      memcpy(At, Data, Size);
    else
      memcpy(Data, At, Size);
  }
  bool good() const { return Good; }
  uint8_t *position() const { return At; }

private:
  bool take(size_t Size) {
    if (!Good || size_t(At - Bottom) < Size)
      return Good = false;
    At -= Size;
    return true;
  }
  uint8_t *At, *Bottom;
  bool Save, Good = true;
};
} // namespace

static void transferWave(RecordCursor &C, Wave &W, bool First) {
  isa::WaveState &S = W.State;
  C.skip(64);
  if (First)
    C.bytes(W.Group->LDS.data(), W.Group->LDS.size());
  C.bytes(S.ttmp(), 16 * 4);
  uint32_t Block[16] = {S.m0(),
                        uint32_t(S.PC),
                        uint32_t(S.PC >> 32),
                        S.Scalar[isa::scalar::ExecLo],
                        S.Scalar[isa::scalar::ExecHi],
                        S.Status,
                        S.TrapSts,
                        S.Scalar[isa::scalar::XnackMaskLo],
                        S.Scalar[isa::scalar::XnackMaskHi],
                        S.Mode};
  C.bytes(Block, sizeof(Block));
  S.Scalar[isa::scalar::M0] = Block[0];
  S.PC = Block[1] | uint64_t(Block[2]) << 32;
  S.Scalar[isa::scalar::ExecLo] = Block[3];
  S.Scalar[isa::scalar::ExecHi] = Block[4];
  S.Status = Block[5] | isa::status::Valid;
  S.TrapSts = Block[6];
  S.Mode = Block[9];
  uint32_t Sgprs[SavedSgprs] = {};
  memcpy(Sgprs, S.Scalar, 108 * 4);
  C.bytes(Sgprs, sizeof(Sgprs));
  memcpy(S.Scalar, Sgprs, 108 * 4);
  const size_t Row = size_t(S.LaneCount) * 4;
  C.bytes(S.VGPR.data() + size_t(S.AccumOffset) * S.LaneCount,
          (S.VGPRCount - S.AccumOffset) * Row);
  C.bytes(S.VGPR.data(), S.AccumOffset * Row);
}

bool Device::saveContext(Queue &Q) {
  const uint64_t Size = describe().save_area_size;
  uint8_t *Area = Memory.get(Q.Request.save_area, Size, Access::Write);
  if (!Area)
    return false;
  const uint64_t DebugSize =
      (uint64_t(Engines) * SlotsPerEngine * 32 + PageSize - 1) / PageSize *
          PageSize +
      PageSize;
  const uint64_t Top = Size - DebugSize;
  RecordCursor Cursor(Area + Top, Area + PageSize, /*Save=*/true);
  std::vector<uint32_t> Stack;
  if (Q.Current) {
    const KernelSetup &K = Q.Current->Kernel;
    for (Workgroup &G : Q.Current->Resident) {
      std::vector<Wave *> Alive;
      for (auto &W : G.Waves)
        if (!W->Ended)
          Alive.push_back(W.get());
      if (Alive.empty())
        continue;
      if (Stack.empty())
        Stack.assign(2, 0);
      Stack.push_back(1u << 31 | ((K.ArchVgprs + K.AccVgprs) / 8 - 1) |
                      (SavedSgprs / 16) << 6 |
                      uint32_t(G.LDS.size() / 512) << 9 |
                      (K.ArchVgprs / 4 - 1) << 24);
      for (Wave *W : Alive) {
        const bool First = W == Alive.front(), Last = W == Alive.back();
        Stack.push_back(W->Slot | W->Engine << 9 |
                        (K.Scratch ? 1u << 15 : 0u) | (Last ? 1u << 16 : 0u) |
                        (First ? 1u << 17 : 0u));
        transferWave(Cursor, *W, First);
      }
    }
  }
  const size_t StackBytes = Stack.size() * 4;
  uint8_t *Bottom = Cursor.position() - StackBytes;
  if (!Cursor.good() || Bottom < Area + sizeof(kfd::ContextSaveAreaHeader))
    return false;
  if (StackBytes)
    memcpy(Bottom, Stack.data(), StackBytes);
  kfd::ContextSaveAreaHeader Header = {};
  Header.control_stack_offset = uint32_t(Bottom - Area);
  Header.control_stack_size = uint32_t(StackBytes);
  Header.wave_state_offset = uint32_t(Top);
  Header.wave_state_size = uint32_t(Area + Top - Cursor.position());
  Header.debug_offset = uint32_t(Top);
  Header.debug_size = uint32_t(DebugSize);
  memcpy(Area, &Header, sizeof(Header));
  return true;
}

bool Device::loadContext(Queue &Q) {
  if (!Q.Current)
    return true;
  const uint64_t Size = describe().save_area_size;
  uint8_t *Area = Memory.get(Q.Request.save_area, Size, Access::Write);
  if (!Area)
    return false;
  kfd::ContextSaveAreaHeader Header;
  memcpy(&Header, Area, sizeof(Header));
  if (Header.wave_state_offset > Size)
    return false;
  RecordCursor Cursor(Area + Header.wave_state_offset, Area, /*Save=*/false);
  for (Workgroup &G : Q.Current->Resident) {
    bool First = true;
    for (auto &W : G.Waves) {
      if (W->Ended)
        continue;
      transferWave(Cursor, *W, First);
      First = false;
      if (!(W->State.Status & isa::status::Halt))
        W->Fault = QueueErrorEvent();
    }
  }
  return Cursor.good();
}
