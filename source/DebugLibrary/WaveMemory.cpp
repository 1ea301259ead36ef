//===-- WaveMemory.cpp - Local and private memory of waves ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveMemory.h"
#include <algorithm>
#include <utility>

using namespace wavelane::savearea;

namespace wavelane::library {

std::optional<ScratchSlot> scratch(const Wave &W) {
  const kfd::DeviceSnapshotEntry &E = W.Q->A->Entry;
  if (!W.Record.Shape.Scratch)
    return std::nullopt;
  unsigned Engines = 1;
  if (E.simd_arrays_per_engine)
    Engines = E.array_count / E.simd_arrays_per_engine;
  const uint32_t Xccs = std::max(1u, E.num_xcc);
  const uint64_t Xcc = W.Q->Entry.ctx_save_restore_area_size
                           ? (W.Area - W.Q->Entry.ctx_save_restore_address) /
                                 W.Q->Entry.ctx_save_restore_area_size
                           : 0;
  const uint64_t Location =
      W.Q->ScratchLocation +
      (Xcc < Xccs ? Xcc : 0) * scratchSize(*archOf(W).Arch, W.Q->Tmpring,
                                           Engines, W.Q->ScratchBytes);
  return scratchSlot(*archOf(W).Arch, W.Q->Tmpring, Location, Engines,
                     W.Record.Shape.ShaderEngine,
                     W.Record.Shape.TheScratchSlot);
}

Status transferSegment(ProgramMemory &Memory, const Wave &W, uint32_t Lane,
                       Space AS, uint64_t Address, uint64_t &Size, void *Read,
                       const void *Write, NoteWrite Note) {
  const uint64_t Wanted = std::exchange(Size, 0);
  uint64_t Limit, Base;
  if (AS == Local) {
    Base = W.Group->Lds;
    Limit = W.Group->LdsBytes;
  } else {
    std::optional<ScratchSlot> Slot = scratch(W);
    if (!Slot)
      return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
    Base = Slot->Address;
    Limit = AS == PrivateLane ? Slot->Size / W.Record.Shape.Lanes : Slot->Size;
  }
  if (Address >= Limit)
    return AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS;
  const uint64_t Todo = std::min(Wanted, Limit - Address);

  uint64_t Done = 0;
  while (Done < Todo) {
    const uint64_t At = Address + Done;
    uint64_t Place = Base + At, Piece = Todo - Done;
    if (AS == PrivateLane) {
      // A lane's words are a wave's width apart.
      Place = Base + At / 4 * W.Record.Shape.Lanes * 4 + uint64_t(Lane) * 4 +
              At % 4;
      Piece = std::min(Piece, 4 - At % 4);
    }
    if (Write)
      Note(Place, Piece, static_cast<const uint8_t *>(Write) + Done);
    Status Outcome =
        Read ? Memory.readAll(Place, static_cast<uint8_t *>(Read) + Done, Piece)
             : Memory.writeAll(
                   Place, static_cast<const uint8_t *>(Write) + Done, Piece);
    if (Outcome == AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS && Done)
      break;
    if (Outcome)
      return Outcome;
    Done += Piece;
  }
  Size = Done;
  return Success;
}

} // namespace wavelane::library
