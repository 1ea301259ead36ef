//===-- DispatchFact.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchFact.h"
#include "WaveProcess.h"
#include "wavelane/Protocol/Server/Packets.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

std::optional<uint64_t>
lldb_private::wavelane::GetDispatchFact(WaveProcess &process, WaveThread &wave,
                                        const char *key) {
  const auto id = wave.GetWaveFact(::wavelane::server::packets::wave::Dispatch);
  if (!id)
    return std::nullopt;
  namespace packets = ::wavelane::server::packets;
  llvm::Expected<StructuredData::ObjectSP> answer = process.SendJSONPacket(
      packets::Make(packets::Objects,
                    llvm::json::Object{{"kind", packets::objects::Dispatch}}));
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return std::nullopt;
  }
  StructuredData::Array *dispatches =
      *answer ? (*answer)->GetAsArray() : nullptr;
  for (size_t i = 0; dispatches && i < dispatches->GetSize(); ++i) {
    StructuredData::Dictionary *dispatch =
        dispatches->GetItemAtIndex(i)->GetAsDictionary();
    uint64_t number = 0, fact = 0;
    if (dispatch && dispatch->GetValueForKeyAsInteger("id", number) &&
        number == id->front() && dispatch->GetValueForKeyAsInteger(key, fact))
      return fact;
  }
  return std::nullopt;
}

/// The size of a space for a wave's dispatch in bytes; nullopt if unknown.
