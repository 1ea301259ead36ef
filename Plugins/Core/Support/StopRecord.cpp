//===-- StopRecord.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StopRecord.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Utility/StructuredData.h"

using namespace lldb;
using namespace lldb_private;
using ::wavelane::protocol::Stop;
using ::wavelane::protocol::StopInformation;

namespace {
class StopRecord : public StructuredData::Dictionary {
public:
  explicit StopRecord(const Stop &stop) : stop(stop) {
    StructuredData::ObjectSP all_sp = StructuredData::ParseJSON(
        ::wavelane::protocol::getText(StopInformation{stop}));
    all_sp->GetAsDictionary()->ForEach(
        [this](llvm::StringRef key, StructuredData::Object *item) {
          AddItem(key, item->shared_from_this());
          return true;
        });
  }
  const Stop stop;
};

/// Only LLDB's own classes of reasons set their information; each has the room.
struct ExtendedInfo : StopInfo {
  static StructuredData::ObjectSP &Get(StopInfo &info) {
    return info.*(&ExtendedInfo::m_extended_info);
  }
};
} // namespace

void lldb_private::wavelane::SetStopRecord(StopInfo &info, const Stop &stop) {
  ExtendedInfo::Get(info) = std::make_shared<StopRecord>(stop);
}

const Stop *lldb_private::wavelane::GetStopRecord(StopInfo &info) {
  const StructuredData::ObjectSP information_sp = info.GetExtendedInfo();
  auto *record = dynamic_cast<const StopRecord *>(information_sp.get());
  return record ? &record->stop : nullptr;
}
