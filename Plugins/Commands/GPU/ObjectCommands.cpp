//===-- ObjectCommands.cpp - gpu agent, queue, dispatch, workgroup, wave --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/FindGPU.h"
#include "Commands/Base/PrintJSON.h"
#include "Core/Format/SourcePlace.h"
#include "Core/MachineCode/StopInstruction.h"
#include "Core/Progress/SlowProgress.h"
#include "Core/Support/LibraryCode.h"
#include "GPUCommands.h"
#include "GPUObjects.h"
#include "ObjectTable.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON, with all fields."),
    Switch("verbose", 'v', "Show all columns, and full function names."),
};

/// A kind of GPU objects, as shown to users.
struct ObjectKind {
  const char *name;
  const char *plural;
  /// The help of `list`.
  const char *list;
  /// The columns that are shown without --verbose; all if empty.
  const char *columns;
  /// A description of these objects and their columns.
  const char *help;
};

constexpr ObjectKind g_kinds[] = {
    {"agent", "agents", "List the agents (GPUs) of the program.",
     "id name state architecture execution_units waves_per_execution_unit",
     R"(An agent is a GPU. Its state says whether the debug library can debug it;
`settings set plugin.process.amdgpu.device` says which GPUs are used.)"},
    {"queue", "queues", "List the queues of the program's GPUs.", "",
     R"(A queue holds the packets with the GPU's work: a program has about
one for each stream. read_packet counts the packets that the GPU has taken,
and write_packet those that the program has written.)"},
    {"dispatch", "dispatches",
     "List the dispatches, the launches of kernels, of the program's GPUs.",
     "id agent queue kernel progress grid_size workgroup_size",
     R"(A dispatch is one launch of a kernel. Its progress is how many of its
workgroups are done, running on the GPU, and waiting for room there: "=", "-"
and "." in the bar. If the GPU only reports which are running, the other
numbers follow from the order of workgroups. Sizes are in work-items. barrier
and the fences say what the dispatch waits for, and what it makes visible.)"},
    {"workgroup", "workgroups",
     "List the workgroups, and which of their waves wait at barriers.", "",
     R"(A workgroup's work-items share local memory and barriers. at_barrier lists its
waves that wait at the barrier, not_arrived the waves that they wait for.
at_grid_barrier lists the waves that wait for the whole grid (grid.sync() of a
cooperative launch): they wait for the workgroups without such waves.)"},
    {"wave", "waves", "List the waves of the program's GPUs.",
     "id thread label name state stop_reason line exec",
     R"(A wave is the GPU's unit of execution: up to 64 work-items of a workgroup, one
for each lane. Each wave is a thread of the debugger (`thread list`). exec has
a bit for each active lane; wave_in_workgroup is the wave's number in its
workgroup.)"},
};

/// gpu agent|queue|dispatch|workgroup|wave list
class ObjectListCommand : public CommandObjectParsed {
public:
  ObjectListCommand(CommandInterpreter &interpreter, const ObjectKind &kind)
      : CommandObjectParsed(
            interpreter, ("gpu " + std::string(kind.name) + " list").c_str(),
            kind.list,
            ("gpu " + std::string(kind.name) +
             " list [--verbose] [--json] [ID[-ID] | COLUMN=VALUE]...")
                .c_str(),
            eCommandTryTargetAPILock),
        m_kind(kind), m_options(g_options) {
    const std::string name = kind.name;
    SetHelpLong("\n" + std::string(kind.help) +
                "\n\nIds, ranges of ids and columns with a value as it is "
                "shown choose what is\nlisted; kernel=scale are those of the "
                "template scale, too.\n\nExamples:\n\n(lldb) gpu " +
                name + " list\n(lldb) gpu " + name +
                " list 2-5 agent=1\n(lldb) gpu " + name + " list --verbose\n" +
                "(lldb) gpu " + name + " list --json\n");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatStar);
  }
  Options *GetOptions() override { return &m_options; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, nullptr);
    if (!process)
      return;
    llvm::Expected<StructuredData::ArraySP> objects =
        ListObjects(*process, m_kind.name);
    if (!objects) {
      llvm::consumeError(objects.takeError());
      return;
    }
    // Complete ids and columns; after "column=" its values.
    const bool has_column = request.GetCursorArgumentPrefix().contains('=');
    ForEachObject(**objects, [&](StructuredData::Dictionary &object) {
      if (!has_column)
        request.TryCompleteCurrentArg(FormatCell(object, "id"),
                                      FormatCell(object, "name"));
      object.ForEach([&](llvm::StringRef key, StructuredData::Object *value) {
        if (!value->GetAsDictionary())
          request.TryCompleteCurrentArg(
              key.str() + "=" + (has_column ? FormatCell(object, key) : ""));
        return true;
      });
    });
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    llvm::Expected<ObjectFilter> filter = ObjectFilter::Parse(words);
    if (!filter) {
      result.AppendError(llvm::toString(filter.takeError()));
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    SlowCall call(m_interpreter.GetDebugger(),
                  "Listing " + std::string(m_kind.plural));
    bool is_sample = false;
    llvm::Expected<StructuredData::ArraySP> all =
        ListObjects(*process, m_kind.name, filter->GetIDs(), &is_sample);
    if (!all) {
      result.AppendErrorWithFormat("the %s can't be listed: %s\n",
                                   m_kind.plural,
                                   llvm::toString(all.takeError()).c_str());
      return;
    }
    const ThreadsByID threads = GetThreads(*process);
    // A running wave has no frames.
    AddLines(*process, is_sample ? ThreadsByID() : threads, **all);
    if (!m_options.Has('j'))
      SetNumbers(threads, **all);
    llvm::Expected<StructuredData::ArraySP> objects = filter->Apply(**all);
    if (!objects) {
      result.AppendErrorWithFormat("%s: `gpu %s list --verbose` shows them\n",
                                   llvm::toString(objects.takeError()).c_str(),
                                   m_kind.name);
      return;
    }
    if (m_options.Has('j'))
      return AppendJSON(result, **objects);
    StreamString text;
    if ((*objects)->GetSize() == 0) {
      text.Printf("no %s%s",
                  (*all)->GetSize() || !filter->GetIDs().empty() ? "such " : "",
                  m_kind.plural);
    } else {
      llvm::SmallVector<llvm::StringRef> columns;
      if (!m_options.Has('v'))
        llvm::StringRef(m_kind.columns)
            .split(columns, ' ', -1, /*KeepEmpty=*/false);
      PrintObjects(**objects, columns, /*short_names=*/!m_options.Has('v'),
                   text);
    }
    result.AppendMessage(text.GetString().rtrim());
    if (is_sample && llvm::StringRef(m_kind.name) != "agent")
      result.AppendMessage(SampleNote);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// The threads by their ids.
  using ThreadsByID = llvm::DenseMap<tid_t, ThreadSP>;
  static ThreadsByID GetThreads(ProcessAMDGPU &process) {
    ThreadsByID threads;
    for (const ThreadSP &thread_sp : process.GetThreadList().Threads())
      threads[thread_sp->GetProtocolID()] = thread_sp;
    return threads;
  }

  /// People get these numbers, programs the ids. A wave that has begun since
  /// the last stop has none yet.
  static void SetNumbers(const ThreadsByID &threads,
                         StructuredData::Array &objects) {
    namespace key = ::wavelane::server::packets::wave;
    ForEachObject(objects, [&](StructuredData::Dictionary &object) {
      const std::optional<uint64_t> id = GetNumber(object, key::Thread);
      auto thread = threads.find(id.value_or(0));
      if (thread != threads.end())
        object.AddIntegerItem(key::Thread,
                              uint64_t(thread->second->GetIndexID()));
      else if (id)
        object.AddStringItem(key::Thread, "-");
    });
  }

  /// The address whose line says where a wave at \p pc is.
  static addr_t GetShownAddress(ProcessAMDGPU &process, Thread &wave,
                                addr_t pc) {
    StopInfoSP info_sp = wave.GetPrivateStopInfo(/*calculate=*/false);
    std::optional<StopInstruction> stop =
        info_sp ? FindStopInstruction(process.GetTarget(), *info_sp, pc)
                : std::nullopt;
    return stop ? stop->address : pc;
  }

  /// Adds the lines where waves are.
  static void AddLines(ProcessAMDGPU &process, const ThreadsByID &threads,
                       StructuredData::Array &objects) {
    namespace key = ::wavelane::server::packets::wave;
    std::map<addr_t, std::string> lines;
    // Unwinding a wave takes a while.
    constexpr size_t kMaxUnwound = 64;
    std::set<addr_t> libraries;
    size_t unwound = 0;
    ForEachObject(objects, [&](StructuredData::Dictionary &object) {
      auto thread = threads.find(GetNumber(object, key::Thread).value_or(0));
      std::optional<uint64_t> pc = GetNumber(object, key::Pc);
      if (!pc)
        return;
      const uint64_t is_at = *pc;
      if (thread != threads.end())
        pc = GetShownAddress(process, *thread->second, is_at);
      auto [line, is_new] = lines.try_emplace(*pc);
      if (is_new)
        line->second =
            SourcePlace::Find(process.GetTarget(), *pc)
                .Format(process.GetTarget(), *pc, /*with_column=*/false);
      // A function of the libraries may have been called from several lines.
      const bool may_be_library =
          pc == is_at && (is_new || libraries.count(*pc));
      ThreadSP thread_sp =
          !may_be_library || thread == threads.end() || unwound == kMaxUnwound
              ? nullptr
              : thread->second;
      StackFrameSP inner_sp =
          thread_sp ? thread_sp->GetStackFrameAtIndex(0) : nullptr;
      StackFrameSP own_sp;
      if (inner_sp && IsLibraryCode(*inner_sp)) {
        libraries.insert(*pc);
        ++unwound;
        own_sp = GetOwnFrame(*thread_sp);
      }
      const std::string own =
          own_sp && own_sp != inner_sp
              ? FormatLine(own_sp->GetSymbolContext(eSymbolContextLineEntry)
                               .line_entry,
                           /*with_column=*/false)
              : "";
      object.AddStringItem("line", own.empty() ? line->second : own);
    });
  }

  const ObjectKind &m_kind;
  SimpleOptions m_options;
};

class ObjectCommand : public CommandGroup {
public:
  ObjectCommand(CommandInterpreter &interpreter, const ObjectKind &kind)
      : CommandGroup(interpreter, "gpu " + std::string(kind.name),
                     "Commands for the " + std::string(kind.plural) +
                         " of GPUs.",
                     std::string(kind.help) + "\n\nExample:\n\n(lldb) gpu " +
                         kind.name + " list\n") {
    LoadSubCommand("list",
                   std::make_shared<ObjectListCommand>(interpreter, kind));
    if (llvm::StringRef(kind.name) == "wave") {
      LoadSubCommand("name", MakeWaveNameCommand(interpreter));
      LoadSubCommand("summary", MakeWaveSummaryCommand(interpreter));
    }
  }
};

} // namespace

void lldb_private::wavelane::AddObjectCommands(
    CommandGroup &gpu, CommandInterpreter &interpreter) {
  for (const ObjectKind &kind : g_kinds)
    gpu.LoadSubCommand(kind.name,
                       std::make_shared<ObjectCommand>(interpreter, kind));
}
