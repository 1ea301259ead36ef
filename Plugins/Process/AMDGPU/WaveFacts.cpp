//===-- WaveFacts.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveFacts.h"
#include "Core/Support/WavelaneLog.h"
#include "JSONPackets.h"
#include "WaveThread.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "ProcessGDBRemote.h"
#include "llvm/ADT/DenseMap.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

StructuredData::ObjectSP WaveFacts::GetInfo(lldb::tid_t tid) {
  std::lock_guard<std::mutex> guard(m_mutex);
  if (m_stop_id != m_process.GetStopID()) {
    m_infos.clear();
    m_stop_id = m_process.GetStopID();
  }
  auto found = m_infos.find(tid);
  if (found != m_infos.end())
    return found->second;
  llvm::Expected<StructuredData::ObjectSP> info = SendJSONPacket(
      m_process.GetGDBRemote(),
      ::wavelane::server::packets::Make(
          ::wavelane::server::packets::WaveInfo,
          llvm::json::Object{
              {::wavelane::server::packets::wave::Thread, tid}}));
  StructuredData::ObjectSP info_sp;
  if (info)
    info_sp = *info;
  else
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), info.takeError(),
                   "no information on a wave: {0}");
  m_infos[tid] = info_sp;
  return info_sp;
}

void WaveFacts::ReadOfAll(llvm::StringRef kind,
                          llvm::function_ref<void(StructuredData::Dictionary &,
                                                  llvm::ArrayRef<WaveThread *>)>
                              take) {
  llvm::Expected<StructuredData::ObjectSP> answer = SendJSONPacket(
      m_process.GetGDBRemote(),
      ::wavelane::server::packets::Make(::wavelane::server::packets::Objects,
                                        llvm::json::Object{{"kind", kind}}));
  if (!answer) {
    LLDB_LOG_ERROR(GetLog(WavelaneLog::Waves), answer.takeError(),
                   "can't read the names of all waves: {0}");
    return;
  }
  llvm::DenseMap<lldb::tid_t, WaveThread *> known;
  for (const ThreadSP &thread_sp : m_process.GetThreadList().Threads())
    if (auto *wave = dynamic_cast<WaveThread *>(thread_sp.get()))
      known[wave->GetProtocolID()] = wave;
  StructuredData::Array *objects = (*answer)->GetAsArray();
  for (size_t i = 0; objects && i < objects->GetSize(); ++i) {
    StructuredData::ObjectSP item_sp = objects->GetItemAtIndex(i);
    StructuredData::Dictionary *object = item_sp->GetAsDictionary();
    if (!object)
      continue;
    std::vector<WaveThread *> waves;
    for (lldb::tid_t tid : ExpandThreads(*object, known.size()))
      waves.push_back(known.lookup(tid));
    take(*object, waves);
  }
}

void WaveFacts::FindOrigins() {
  namespace key = ::wavelane::server::packets::wave;
  ReadOfAll("wave_kernel", [](StructuredData::Dictionary &object,
                              llvm::ArrayRef<WaveThread *> waves) {
    llvm::StringRef text;
    object.GetValueForKeyAsString(key::Kernel, text);
    auto origin_sp = std::make_shared<WaveOrigin>();
    origin_sp->kernel = text.empty() ? "wave" : text.str();
    object.GetValueForKeyAsInteger(key::Agent, origin_sp->agent);
    object.GetValueForKeyAsInteger(key::Queue, origin_sp->queue);
    object.GetValueForKeyAsInteger(key::Dispatch, origin_sp->dispatch);
    for (WaveThread *wave : waves)
      if (wave)
        wave->GetNames().SetOrigin(origin_sp);
  });
  // Don't ask again for waves that the server left out.
  const auto unknown_sp =
      std::make_shared<const WaveOrigin>(WaveOrigin{"wave"});
  for (const ThreadSP &thread_sp : m_process.GetThreadList().Threads())
    if (auto *wave = dynamic_cast<WaveThread *>(thread_sp.get());
        wave && !wave->GetNames().GetOrigin())
      wave->GetNames().SetOrigin(unknown_sp);
}

void WaveFacts::Name(WaveThread &wave) {
  constexpr unsigned kOneByOne = 4;
  bool asks_for_all = false;
  {
    std::lock_guard<std::mutex> guard(m_mutex);
    if (m_named.first != m_process.GetStopID())
      m_named = {m_process.GetStopID(), 0};
    asks_for_all = ++m_named.second == kOneByOne;
  }
  if (!asks_for_all) {
    StructuredData::ObjectSP info_sp = GetInfo(wave.GetProtocolID());
    StructuredData::Dictionary *info =
        info_sp ? info_sp->GetAsDictionary() : nullptr;
    llvm::StringRef name;
    if (info && info->GetValueForKeyAsString("name", name))
      wave.SetName(name.str().c_str());
    return;
  }
  ReadOfAll("wave_name", [](StructuredData::Dictionary &object,
                            llvm::ArrayRef<WaveThread *> waves) {
    llvm::StringRef names;
    object.GetValueForKeyAsString("names", names);
    for (WaveThread *wave : waves) {
      auto [name, rest] = names.split('\n');
      if (wave && !name.empty())
        wave->SetName(name.str().c_str());
      names = rest;
    }
  });
}

void WaveFacts::Clear() {
  std::lock_guard<std::mutex> guard(m_mutex);
  m_infos.clear();
}
