//===-- GPUObjects.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUObjects.h"
#include "Core/Lane/ProcessLanes.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/State.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/JSON.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

void lldb_private::wavelane::ForEachObject(
    const StructuredData::Array &objects,
    llvm::function_ref<void(Dictionary &)> function) {
  objects.ForEach([&](StructuredData::Object *object) {
    if (Dictionary *dictionary = object->GetAsDictionary())
      function(*dictionary);
    return true;
  });
}

/// Only the debugger knows the names that the user gave, and what was a step:
/// the server knows a breakpoint at its end.
static void AddOwnFacts(ProcessAMDGPU &process, Dictionary &wave) {
  namespace key = ::wavelane::server::packets::wave;
  const std::optional<uint64_t> tid = GetNumber(wave, key::Thread);
  if (!tid)
    return;
  if (std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process))
    if (std::string name = lanes->GetName(*tid, std::nullopt); !name.empty())
      wave.AddStringItem("label", name);
  const bool is_stopped =
      StateIsStoppedState(process.GetState(), /*must_exist=*/true);
  ThreadSP thread_sp =
      is_stopped ? process.GetThreadList().FindThreadByID(*tid) : nullptr;
  StopInfoSP info_sp = thread_sp ? thread_sp->GetStopInfo() : nullptr;
  if (info_sp && info_sp->GetStopReason() == eStopReasonPlanComplete)
    wave.AddStringItem(key::StopReason, info_sp->GetDescription());
}

llvm::Expected<StructuredData::ArraySP> lldb_private::wavelane::ListObjects(
    ProcessAMDGPU &process, llvm::StringRef kind,
    llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ids, bool *is_sample) {
  llvm::json::Object arguments{{"kind", kind}};
  if (!ids.empty()) {
    llvm::json::Array ranges;
    for (auto [first, last] : ids) {
      ranges.push_back(first);
      ranges.push_back(last);
    }
    arguments["ids"] = std::move(ranges);
  }
  const std::string packet = ::wavelane::server::packets::Make(
      ::wavelane::server::packets::Objects, std::move(arguments));
  llvm::Expected<StructuredData::ObjectSP> answer =
      is_sample ? process.SendWhileRunning(packet, *is_sample)
                : process.SendJSONPacket(packet);
  if (!answer)
    return answer.takeError();
  StructuredData::Array *objects = *answer ? (*answer)->GetAsArray() : nullptr;
  if (!objects)
    return llvm::createStringError("the server's answer isn't an array");
  if (kind == "wave")
    ForEachObject(*objects, [&](Dictionary &wave) {
      AddOwnFacts(process, wave);
      // For a sample all are held for a moment, unless others run on.
      if (is_sample && *is_sample && !process.IsNonStop()) {
        namespace key = ::wavelane::server::packets::wave;
        wave.AddStringItem(key::State, "running");
        wave.AddStringItem(key::StopReason, "");
      }
    });
  return std::static_pointer_cast<StructuredData::Array>(*answer);
}

std::string lldb_private::wavelane::GetText(const Dictionary &object,
                                            llvm::StringRef key) {
  llvm::StringRef text;
  object.GetValueForKeyAsString(key, text);
  return text.str();
}

std::optional<uint64_t>
lldb_private::wavelane::GetNumber(const Dictionary &object,
                                  llvm::StringRef key) {
  uint64_t number = 0;
  return object.GetValueForKeyAsInteger(key, number) ? std::optional(number)
                                                     : std::nullopt;
}

std::optional<Triple>
lldb_private::wavelane::GetTriple(const Dictionary &object,
                                  llvm::StringRef key) {
  StructuredData::Array *array = nullptr;
  Triple triple;
  if (!object.GetValueForKeyAsArray(key, array) || array->GetSize() != 3)
    return std::nullopt;
  for (size_t i = 0; i < 3; ++i) {
    std::optional<uint64_t> number =
        array->GetItemAtIndexAsInteger<uint64_t>(i);
    if (!number)
      return std::nullopt;
    triple[i] = uint32_t(*number);
  }
  return triple;
}

std::optional<DispatchProgress>
lldb_private::wavelane::GetProgress(const Dictionary &object) {
  Dictionary *counts = nullptr;
  if (!object.GetValueForKeyAsDictionary("progress", counts))
    return std::nullopt;
  DispatchProgress progress;
  progress.workgroups = GetNumber(*counts, "workgroups").value_or(0);
  progress.done = GetNumber(*counts, "done").value_or(0);
  progress.running = GetNumber(*counts, "running").value_or(0);
  progress.waiting = GetNumber(*counts, "waiting").value_or(0);
  counts->GetValueForKeyAsBoolean("exact", progress.exact);
  return progress;
}
