//===-- FindingObjects.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindingObjects.h"
#include "Commands/Base/FindGPU.h"
#include "Commands/GPU/GPUObjects.h"
#include "Core/Support/LibraryCode.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Session/Coupling/GPUCoupling.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/CompletionRequest.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;
namespace packets = ::wavelane::server::packets;

static bool HasEnded(CommandInterpreter &interpreter) {
  TargetSP target_sp =
      interpreter.GetDebugger().GetTargetList().GetSelectedTarget();
  ProcessSP process_sp = target_sp ? target_sp->GetProcessSP() : nullptr;
  return process_sp && process_sp->GetState() == eStateExited;
}

/// The GPU's process of the selected program's last run, if it has ended.
static ProcessAMDGPU *FindEnded(CommandInterpreter &interpreter) {
  TargetSP target_sp =
      interpreter.GetDebugger().GetTargetList().GetSelectedTarget();
  std::shared_ptr<GPUCoupling> coupling_sp =
      target_sp ? GPUCoupling::Find(*target_sp) : nullptr;
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  ProcessSP process_sp = host_sp ? host_sp->GetProcessSP() : nullptr;
  const bool is_older =
      gpu_sp && process_sp && process_sp->GetID() != gpu_sp->GetID();
  return gpu_sp && !gpu_sp->IsAlive() && !is_older && gpu_sp->GetLastFindings()
             ? gpu_sp.get()
             : nullptr;
}

ProcessAMDGPU *
lldb_private::wavelane::FindCheckedProcess(CommandInterpreter &interpreter,
                                           CommandReturnObject &result) {
  ProcessAMDGPU *live = FindGPUProcess(interpreter, nullptr);
  ProcessAMDGPU *ended =
      live && live->IsAlive() ? nullptr : FindEnded(interpreter);
  if (ended)
    return ended;
  return FindGPUProcess(
      interpreter, &result,
      GetProcessAMDGPUProperties().GetChecks().empty()
          ? "no checks are enabled; set plugin.process.amdgpu.check before "
            "'run'"
      : HasEnded(interpreter)
          ? "the program has ended, and what was found in it isn't known: "
            "'wavelane check' reports the findings of a whole run"
          : "nothing has been checked yet: 'gpu check list' works from the "
            "program's first kernel on");
}

StructuredData::ArraySP
lldb_private::wavelane::GetFindings(ProcessAMDGPU &process,
                                    CommandReturnObject &result) {
  if (StructuredData::ArraySP last_sp =
          process.IsAlive() ? nullptr : process.GetLastFindings())
    return last_sp;
  llvm::Expected<StructuredData::ArraySP> findings =
      ListObjects(process, packets::objects::Finding);
  if (findings)
    return *findings;
  result.AppendErrorWithFormat("the findings can't be listed: %s\n",
                               llvm::toString(findings.takeError()).c_str());
  return nullptr;
}

Dictionary *
lldb_private::wavelane::FindFinding(const StructuredData::Array &findings,
                                    const Args &command,
                                    CommandReturnObject &result) {
  uint64_t wanted = 0;
  if (command.GetArgumentCount() != 1 ||
      command[0].ref().getAsInteger(10, wanted)) {
    result.AppendError(
        "the number of one finding is required: 'gpu check list' shows them");
    return nullptr;
  }
  Dictionary *found = nullptr;
  ForEachObject(findings, [&](Dictionary &finding) {
    if (GetNumber(finding, "id") == wanted)
      found = &finding;
  });
  if (!found)
    result.AppendErrorWithFormat("there is no finding %" PRIu64
                                 ": 'gpu check list' shows them\n",
                                 wanted);
  return found;
}

Dictionary *lldb_private::wavelane::GetSide(const Dictionary &finding,
                                            bool is_other) {
  Dictionary *side = nullptr;
  return finding.GetValueForKeyAsDictionary(is_other ? "other" : "here", side)
             ? side
             : nullptr;
}

/// The innermost frame of a stack that is in the user's code, or else that has
/// a line, or else the innermost.
static Dictionary *FindFrame(const Dictionary &object,
                             llvm::StringRef key = "frames") {
  StructuredData::Array *frames = nullptr;
  Dictionary *first = nullptr, *found = nullptr, *own = nullptr;
  if (!object.GetValueForKeyAsArray(key, frames))
    return nullptr;
  ForEachObject(*frames, [&](Dictionary &frame) {
    first = first ? first : &frame;
    if (!found && GetNumber(frame, "line"))
      found = &frame;
    const std::string file = GetText(frame, "file");
    if (!own && !file.empty() && !IsLibraryFile(FileSpec(file)))
      own = &frame;
  });
  return own ? own : found ? found : first;
}

/// "saxpy.hip:12" of a frame; empty without a line.
static std::string FormatLine(const Dictionary &frame, bool with_column) {
  const std::string file = GetText(frame, "file");
  const std::optional<uint64_t> line = GetNumber(frame, "line");
  if (!line)
    return "";
  std::string text =
      llvm::formatv("{0}:{1}",
                    llvm::StringRef(file).rsplit('/').second.empty()
                        ? llvm::StringRef(file)
                        : llvm::StringRef(file).rsplit('/').second,
                    *line);
  const uint64_t column = GetNumber(frame, "column").value_or(0);
  if (with_column && column)
    text += ":" + std::to_string(column);
  return text;
}

std::string lldb_private::wavelane::GetPlace(const Dictionary &finding) {
  const Dictionary *here = GetSide(finding, /*is_other=*/false);
  const Dictionary *frame =
      here ? FindFrame(*here) : FindFrame(finding, "hostStack");
  return frame ? FormatLine(*frame, /*with_column=*/false) : "";
}

std::string lldb_private::wavelane::DescribePlace(const Dictionary &side) {
  const Dictionary *frame = FindFrame(side);
  if (!frame)
    return GetText(side, "pc");
  std::string text = GetText(*frame, "function");
  if (text.empty())
    text = GetText(*frame, "address");
  const std::string line = FormatLine(*frame, /*with_column=*/true);
  if (!line.empty())
    text += " at " + line;
  const std::string source = GetText(*frame, "source");
  if (!source.empty())
    text += llvm::formatv("\n   {0,-4} {1}",
                          GetNumber(*frame, "line").value_or(0), source);
  return text;
}

std::string lldb_private::wavelane::GetSummary(const Dictionary &finding) {
  const std::string variable = GetText(finding, "variable");
  return GetText(finding, "text") + (variable.empty() ? "" : ", " + variable);
}

/// The dispatches that may be a side's launch.
static std::set<uint64_t> FindDispatches(ProcessAMDGPU &process,
                                         const Dictionary &side) {
  std::set<uint64_t> queues, found;
  auto each = [&](const char *kind,
                  llvm::function_ref<void(Dictionary &)> function) {
    llvm::Expected<StructuredData::ArraySP> objects =
        ListObjects(process, kind);
    if (objects)
      ForEachObject(**objects, function);
    else
      llvm::consumeError(objects.takeError());
  };
  const std::optional<uint64_t> queue = GetNumber(side, "queue");
  each(packets::objects::Queue, [&](Dictionary &object) {
    if (GetNumber(object, "os_id") == queue)
      queues.insert(GetNumber(object, "id").value_or(0));
  });
  each(packets::objects::Dispatch, [&](Dictionary &object) {
    if (GetNumber(object, "packet") == GetNumber(side, "packet") &&
        queues.count(GetNumber(object, "queue").value_or(0)))
      found.insert(GetNumber(object, "id").value_or(0));
  });
  return found;
}

std::optional<FindingWave>
lldb_private::wavelane::FindWave(ProcessAMDGPU &process,
                                 const Dictionary &side) {
  namespace key = packets::wave;
  const std::optional<Triple> workgroup = GetTriple(side, "workgroup");
  const std::optional<uint64_t> number = GetNumber(side, "wave");
  if (!workgroup || !number)
    return std::nullopt;
  llvm::Expected<StructuredData::ArraySP> waves =
      ListObjects(process, packets::objects::Wave);
  if (!waves) {
    llvm::consumeError(waves.takeError());
    return std::nullopt;
  }
  const std::set<uint64_t> dispatches = FindDispatches(process, side);
  uint64_t pc = 0;
  (void)llvm::StringRef(GetText(side, "pc")).getAsInteger(0, pc);
  std::optional<FindingWave> found;
  ForEachObject(**waves, [&](Dictionary &wave) {
    if (found || GetTriple(wave, key::Workgroup) != workgroup ||
        GetNumber(wave, key::WaveInWorkgroup) != number ||
        !dispatches.count(GetNumber(wave, key::Dispatch).value_or(0)))
      return;
    ThreadSP thread_sp = process.GetThreadList().FindThreadByProtocolID(
        GetNumber(wave, key::Thread).value_or(0));
    if (!thread_sp)
      return;
    found.emplace();
    found->thread_sp = thread_sp;
    found->has_moved = GetNumber(wave, key::Pc) != pc;
    StructuredData::Array *lanes = nullptr;
    if (side.GetValueForKeyAsArray("lanes", lanes) && lanes->GetSize())
      found->lane = lanes->GetItemAtIndexAsInteger<uint64_t>(0);
  });
  return found;
}

void lldb_private::wavelane::CompleteFindings(CommandInterpreter &interpreter,
                                              CompletionRequest &request) {
  CommandReturnObject unsaid(/*colors=*/false);
  ProcessAMDGPU *process = FindCheckedProcess(interpreter, unsaid);
  StructuredData::ArraySP findings_sp =
      process ? GetFindings(*process, unsaid) : nullptr;
  if (!findings_sp)
    return;
  ForEachObject(*findings_sp, [&](Dictionary &finding) {
    request.TryCompleteCurrentArg(
        std::to_string(GetNumber(finding, "id").value_or(0)),
        GetSummary(finding));
  });
}
