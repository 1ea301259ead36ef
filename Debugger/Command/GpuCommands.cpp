//===-- GpuCommands.cpp - gpu ... -----------------------------*- C++ -*-===//

#include "CommandUtil.h"
#include "Commands.h"
#include "FindGPU.h"
#include "Lane/LaneFocus.h"
#include "Lane/LaneSource.h"
#include "Lane/ProcessLanes.h"
#include "Lane/WindowAddress.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Progress/SlowProgress.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/DumpDataExtractor.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/DataExtractor.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "wavelane/Server/Packets.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

ProcessAMDGPU *
lldb_private::wavelane::FindGPUProcess(CommandInterpreter &interpreter,
                                       CommandReturnObject *result) {
  TargetList &targets = interpreter.GetDebugger().GetTargetList();
  if (auto *process = dynamic_cast<ProcessAMDGPU *>(
          interpreter.GetExecutionContext().GetProcessPtr()))
    return process;
  if (TargetSP target_sp = targets.GetSelectedTarget())
    if (auto *process =
            dynamic_cast<ProcessAMDGPU *>(target_sp->GetProcessSP().get()))
      return process;
  ProcessAMDGPU *found = nullptr;
  for (size_t i = 0, e = targets.GetNumTargets(); i < e; ++i) {
    TargetSP target_sp = targets.GetTargetAtIndex(i);
    auto *process =
        target_sp
            ? dynamic_cast<ProcessAMDGPU *>(target_sp->GetProcessSP().get())
            : nullptr;
    if (!process || !process->IsAlive())
      continue;
    if (found) {
      if (result)
        result->AppendError("several programs use GPUs: `target list` shows "
                            "them, `target select` selects one");
      return nullptr;
    }
    found = process;
  }
  if (!found && result)
    result->AppendError(
        "no program that is being debugged uses a GPU now: a program does so "
        "from its first call of HIP until it ends; `breakpoint set -n KERNEL` "
        "and `run` stop it in a kernel");
  return found;
}

namespace {

std::string FormatCell(const StructuredData::ObjectSP &object) {
  if (!object)
    return {};
  switch (object->GetType()) {
  case eStructuredDataTypeString:
    return object->GetStringValue().str();
  case eStructuredDataTypeInteger:
    return std::to_string(object->GetUnsignedIntegerValue());
  case eStructuredDataTypeSignedInteger:
    return std::to_string(object->GetSignedIntegerValue());
  case eStructuredDataTypeBoolean:
    return object->GetBooleanValue() ? "yes" : "no";
  case eStructuredDataTypeFloat:
    return llvm::formatv("{0}", object->GetFloatValue()).str();
  case eStructuredDataTypeArray: {
    std::string text = "(";
    object->GetAsArray()->ForEach([&](StructuredData::Object *item) {
      if (text.size() > 1)
        text += ',';
      text += FormatCell(item->shared_from_this());
      return true;
    });
    return text + ")";
  }
  case eStructuredDataTypeNull:
    return "-";
  default: {
    StreamString text;
    object->Dump(text, /*pretty_print=*/false);
    return text.GetString().str();
  }
  }
}

/// "3 of 40 workgroups done, 16 running, 21 waiting [=---------....]".
std::string FormatProgress(const StructuredData::Dictionary &progress) {
  uint64_t total = 0, done = 0, running = 0, waiting = 0;
  bool exact = false;
  progress.GetValueForKeyAsInteger("workgroups", total);
  progress.GetValueForKeyAsInteger("done", done);
  progress.GetValueForKeyAsInteger("running", running);
  progress.GetValueForKeyAsInteger("waiting", waiting);
  progress.GetValueForKeyAsBoolean("exact", exact);
  std::string text = llvm::formatv(
      "{0}{1} of {2} workgroups done, {3} running, {4}{5} waiting",
      exact ? "" : "at least ", done, total, running,
      exact || !waiting ? "" : "at most ", waiting);
  constexpr unsigned Width = 20;
  // Whatever there is has a mark in the bar, however little it is.
  auto part = [&](uint64_t count) -> unsigned {
    return total && count ? std::max(1u, unsigned(double(count) / double(total) *
                                                  Width))
                          : 0;
  };
  const unsigned ended = std::min(part(done), Width - (running ? 1 : 0) -
                                                  (waiting ? 1 : 0));
  const unsigned left =
      std::min(part(waiting), Width - ended - (running ? 1 : 0));
  const unsigned now = running ? Width - ended - left : 0;
  return text + " [" + std::string(ended, '=') + std::string(now, '-') +
         std::string(Width - ended - now, '.') + "]";
}

/// Addresses are easier to read in hexadecimal.
bool IsAddressKey(llvm::StringRef key) {
  return key == "exec" || key == "pc" || key == "entry" || key == "kernarg" ||
         key == "completion" || key == "descriptor" || key.ends_with("address") ||
         key.ends_with("_base");
}

/// What a cell shows, which is what filters compare.
std::string FormatValue(llvm::StringRef key,
                        const StructuredData::ObjectSP &value) {
  if (value && key == "progress" && value->GetAsDictionary())
    return FormatProgress(*value->GetAsDictionary());
  if (value && IsAddressKey(key) &&
      (value->GetType() == eStructuredDataTypeInteger ||
       value->GetType() == eStructuredDataTypeSignedInteger))
    return llvm::formatv("{0:x}", value->GetUnsignedIntegerValue());
  return value ? FormatCell(value) : "-";
}

/// Which objects to show: ids, ranges of them, and columns with the value that
/// they are to have, as "2-5 kernel=saxpy".
class Filter {
public:
  static llvm::Expected<Filter> Parse(const Args &words) {
    Filter filter;
    for (const Args::ArgEntry &word : words) {
      auto [left, right] = word.ref().split('=');
      if (word.ref().contains('=')) {
        filter.m_columns.emplace_back(left.trim().str(), right.trim().str());
        continue;
      }
      auto [first_text, last_text] = word.ref().split('-');
      uint64_t first = 0, last = 0;
      const bool range = word.ref().contains('-');
      if (first_text.getAsInteger(10, first) ||
          (range && last_text.getAsInteger(10, last)) || (range && last < first))
        return llvm::createStringError(
            llvm::inconvertibleErrorCode(),
            "'" + word.ref() +
                "' is no filter: give ids and ranges of them, as 2-5, and "
                "columns with a value, as kernel=saxpy");
      filter.m_ids.emplace_back(first, range ? last : first);
    }
    return filter;
  }

  /// \return The objects that pass; an error for a column that none has.
  llvm::Expected<StructuredData::ArraySP>
  Apply(const StructuredData::Array &objects) const {
    auto kept_sp = std::make_shared<StructuredData::Array>();
    std::vector<bool> known(m_columns.size());
    objects.ForEach([&](StructuredData::Object *object) {
      StructuredData::Dictionary *entry = object->GetAsDictionary();
      if (!entry)
        return true;
      bool keep = Passes(*entry);
      for (size_t i = 0; i < m_columns.size(); ++i) {
        StructuredData::ObjectSP value = entry->GetValueForKey(m_columns[i].first);
        known[i] = known[i] || value;
        keep &= value && Matches(FormatValue(m_columns[i].first, value),
                                 m_columns[i].second);
      }
      if (keep)
        kept_sp->AddItem(entry->shared_from_this());
      return true;
    });
    for (size_t i = 0; i < m_columns.size(); ++i)
      if (!known[i] && objects.GetSize())
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "there is no column '" +
                                           m_columns[i].first + "'");
    return kept_sp;
  }

private:
  /// Whether that value is wanted: blanks and the brackets of a position don't
  /// matter, and a template's name without arguments stands for all of them.
  static bool Matches(std::string shown, std::string wanted) {
    llvm::erase(shown, ' ');
    llvm::erase(wanted, ' ');
    return shown == wanted || shown == "(" + wanted + ")" ||
           llvm::StringRef(shown).split('<').first == wanted;
  }

  bool Passes(StructuredData::Dictionary &entry) const {
    uint64_t id = 0;
    return m_ids.empty() ||
           (entry.GetValueForKeyAsInteger("id", id) &&
            llvm::any_of(m_ids, [&](const auto &range) {
              return range.first <= id && id <= range.second;
            }));
  }

  std::vector<std::pair<uint64_t, uint64_t>> m_ids;
  std::vector<std::pair<std::string, std::string>> m_columns;
};

void PrintTable(const StructuredData::Array &objects, Stream &text) {
  // Columns in the order in which the server tells them.
  std::vector<std::string> keys;
  objects.ForEach([&](StructuredData::Object *object) {
    if (StructuredData::Dictionary *entry = object->GetAsDictionary())
      entry->ForEach([&](llvm::StringRef key, StructuredData::Object *) {
        if (!llvm::is_contained(keys, key.str()))
          keys.push_back(key.str());
        return true;
      });
    return true;
  });
  // The id first, names before numbers that only say where.
  auto rank = [](const std::string &key) {
    static const char *const g_first[] = {
        "id",        "thread",         "label",  "name",     "state",
        "stop_reason", "agent",        "queue",             "dispatch",
        "wave",      "workgroup",      "type",              "packet",
        "kernel",    "progress",       "grid_size",         "workgroup_size",
        "wave_in_workgroup", "waves",  "at_barrier",        "not_arrived",
        "at_grid_barrier",
        "architecture", "pci_domain",  "pci_slot",          "size",
        "read_packet", "write_packet", "address",           "pc",
        "entry"};
    for (size_t i = 0; i < std::size(g_first); ++i)
      if (key == g_first[i])
        return i;
    return std::size(g_first);
  };
  std::vector<std::pair<size_t, size_t>> order;
  for (size_t i = 0; i < keys.size(); ++i)
    order.emplace_back(rank(keys[i]), i);
  llvm::sort(order);
  std::vector<std::string> sorted;
  for (const auto &entry : order)
    sorted.push_back(keys[entry.second]);
  keys = std::move(sorted);
  std::vector<std::vector<std::string>> rows(1, keys);
  objects.ForEach([&](StructuredData::Object *object) {
    StructuredData::Dictionary *entry = object->GetAsDictionary();
    if (!entry)
      return true;
    std::vector<std::string> row;
    for (const std::string &key : keys)
      row.push_back(FormatValue(key, entry->GetValueForKey(key)));
    rows.push_back(std::move(row));
    return true;
  });
  std::vector<size_t> widths(keys.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    text.PutCString(llvm::StringRef(line).rtrim());
    text.EOL();
  }
}

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_list_options[] = {
    Switch("json", 'j', "Print JSON."),
};

/// A kind of the GPU's objects, as a person calls it.
struct ObjectKindInfo {
  const char *name;
  const char *plural;
  /// What `list` does.
  const char *list;
  /// What such an object is, and what the columns mean.
  const char *help;
};

constexpr ObjectKindInfo g_kinds[] = {
    {"agent", "agents", "List the agents (GPUs) of the program.",
     R"(An agent is a GPU. Its state says whether the debug library can debug it;
`settings set plugin.process.amdgpu.device` says which GPUs are used.)"},
    {"queue", "queues", "List the queues of the program's GPUs.",
     R"(A queue takes the packets that tell the GPU what to do: a program has one for
each stream, more or less. read_packet and write_packet count what the GPU has
taken and what the program has put in.)"},
    {"dispatch", "dispatches",
     "List the dispatches, the launches of kernels, of the program's GPUs.",
     R"(A dispatch is one launch of a kernel. Its progress is how many of its
workgroups are done, on the GPU, and waiting for room there: "=", "-" and "." in
the bar. Where the GPU tells only which are running, the others are what follows
from their order. Sizes are given in work-items. barrier and the fences say what
the dispatch waits for, and what it makes visible.)"},
    {"workgroup", "workgroups",
     "List the workgroups, and which of their waves wait at barriers.",
     R"(A workgroup's work-items share local memory and barriers. at_barrier are the
waves of it that wait at the barrier, not_arrived those for which they wait.
at_grid_barrier are the waves that wait for the whole grid (grid.sync() of a
cooperative launch): it waits for the workgroups that have none.)"},
    {"wave", "waves", "List the waves of the program's GPUs.",
     R"(A wave is what the GPU runs: up to 64 work-items of a workgroup, one for each
lane. Each is a thread of the debugger (`thread list`). exec has a bit for each
active lane; wave_in_workgroup is its place in the workgroup.)"},
};

/// gpu agent|queue|dispatch|workgroup|wave list
class ObjectList : public CommandObjectParsed {
public:
  ObjectList(CommandInterpreter &interpreter, const ObjectKindInfo &kind)
      : CommandObjectParsed(
            interpreter, ("gpu " + std::string(kind.name) + " list").c_str(),
            kind.list,
            ("gpu " + std::string(kind.name) +
             " list [--json] [ID[-ID] | COLUMN=VALUE]...")
                .c_str(),
            eCommandTryTargetAPILock),
        m_kind(kind.name), m_plural(kind.plural), m_options(g_list_options) {
    SetHelpLong("\n" + std::string(kind.help) +
                "\n\nIds, ranges of them and columns with a value as it is shown "
                "choose what is\nlisted; kernel=scale are those of the template "
                "scale, too.\n\nExamples:\n\n(lldb) gpu " +
                m_kind + " list\n(lldb) gpu " + m_kind +
                " list 2-5 agent=1\n(lldb) gpu " + m_kind + " list --json\n");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatStar);
  }
  Options *GetOptions() override { return &m_options; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, nullptr);
    if (!process)
      return;
    llvm::Expected<StructuredData::ObjectSP> answer = Ask(*process);
    if (!answer) {
      llvm::consumeError(answer.takeError());
      return;
    }
    StructuredData::Array *all = *answer ? (*answer)->GetAsArray() : nullptr;
    if (!all)
      return;
    // Ids and columns; after "column=" the values that there are.
    const bool has_column = request.GetCursorArgumentPrefix().contains('=');
    all->ForEach([&](StructuredData::Object *object) {
      StructuredData::Dictionary *entry = object->GetAsDictionary();
      if (!entry)
        return true;
      if (!has_column)
        request.TryCompleteCurrentArg(FormatCell(entry->GetValueForKey("id")),
                                      FormatCell(entry->GetValueForKey("name")));
      entry->ForEach([&](llvm::StringRef key, StructuredData::Object *value) {
        if (!value->GetAsDictionary())
          request.TryCompleteCurrentArg(
              key.str() + "=" +
              (has_column ? FormatValue(key, value->shared_from_this()) : ""));
        return true;
      });
      return true;
    });
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    llvm::Expected<Filter> filter = Filter::Parse(words);
    if (!filter) {
      result.AppendError(llvm::toString(filter.takeError()));
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    SlowCall call(m_interpreter.GetDebugger(), "Listing " + m_plural);
    llvm::Expected<StructuredData::ObjectSP> answer = Ask(*process);
    if (!answer) {
      result.AppendErrorWithFormat("the %s can't be listed: %s\n",
                                   m_plural.c_str(),
                                   llvm::toString(answer.takeError()).c_str());
      return;
    }
    StructuredData::Array *all = *answer ? (*answer)->GetAsArray() : nullptr;
    if (!all) {
      result.AppendErrorWithFormat(
          "the %s can't be listed: the server's answer is no array\n",
          m_plural.c_str());
      return;
    }
    llvm::Expected<StructuredData::ArraySP> objects = filter->Apply(*all);
    if (!objects) {
      result.AppendErrorWithFormat("%s: `gpu %s list` shows them\n",
                                   llvm::toString(objects.takeError()).c_str(),
                                   m_kind.c_str());
      return;
    }
    StreamString text;
    if (m_options.Has('j')) {
      (*objects)->Dump(text, /*pretty_print=*/true);
    } else if ((*objects)->GetSize() == 0) {
      text.Printf("no %s%s", all->GetSize() ? "such " : "", m_plural.c_str());
    } else {
      PrintTable(**objects, text);
    }
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  llvm::Expected<StructuredData::ObjectSP> Ask(ProcessAMDGPU &process) {
    llvm::Expected<StructuredData::ObjectSP> answer =
        process.SendJSONPacket(std::string(::wavelane::packets::Objects) +
                               "{\"kind\":\"" + m_kind + "\"}");
    std::shared_ptr<ProcessLanes> lanes = ProcessLanes::Get(process);
    StructuredData::Array *all =
        answer && *answer && lanes ? (*answer)->GetAsArray() : nullptr;
    // The names that the user has given are known here alone.
    if (all && m_kind == "wave")
      all->ForEach([&](StructuredData::Object *object) {
        StructuredData::Dictionary *entry = object->GetAsDictionary();
        tid_t tid = LLDB_INVALID_THREAD_ID;
        if (entry && entry->GetValueForKeyAsInteger("thread", tid))
          if (std::string name = lanes->GetName(tid, std::nullopt); !name.empty())
            entry->AddStringItem("label", name);
        return true;
      });
    return answer;
  }

  const std::string m_kind, m_plural;
  SimpleOptions m_options;
};

/// gpu wave name
class WaveName : public StoppedCommand<CommandObjectParsed> {
public:
  explicit WaveName(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "gpu wave name",
                       "Give the selected wave a name.", "gpu wave name [<name>]",
                       eCommandRequiresThread | eCommandTryTargetAPILock |
                           eCommandProcessMustBeLaunched |
                           eCommandProcessMustBePaused) {
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
    SetHelpLong(R"(
The name stands before the wave's own in `thread list`, at stops and wherever else
threads are shown, and as the label in `gpu wave list`. It is kept while the wave
lives. Without a name, the wave loses its own. `thread lane name` names lanes.

Examples:

(lldb) gpu wave name producer
(lldb) gpu wave list label=producer
(lldb) gpu wave name
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    Thread &thread = m_exe_ctx.GetThreadRef();
    if (!dynamic_cast<LaneSource *>(&thread)) {
      result.AppendErrorWithFormat("thread #%u is no wave of a GPU: `gpu wave list` "
                                   "shows those, `target select` the GPU's target\n",
                                   thread.GetIndexID());
      return;
    }
    if (!CheckName(command, result))
      return;
    Process &process = m_exe_ctx.GetProcessRef();
    ProcessLanes::GetOrCreate(process)->SetName(
        process, thread.GetID(), std::nullopt,
        command.empty() ? "" : command[0].ref().str());
    result.AppendMessageWithFormat("thread #%u: %s\n", thread.GetIndexID(),
                                   thread.GetName());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

class ObjectKind : public CommandGroup {
public:
  ObjectKind(CommandInterpreter &interpreter, const ObjectKindInfo &kind)
      : CommandGroup(interpreter, "gpu " + std::string(kind.name),
                     "Commands for the " + std::string(kind.plural) +
                         " of GPUs.",
                     std::string(kind.help) + "\n\nExample:\n\n(lldb) gpu " +
                         kind.name + " list\n") {
    LoadSubCommand("list", std::make_shared<ObjectList>(interpreter, kind));
    if (llvm::StringRef(kind.name) == "wave")
      LoadSubCommand("name", std::make_shared<WaveName>(interpreter));
  }
};

//===----------------------------------------------------------------------===//

struct SpaceInfo {
  uint64_t number = 0;
  std::string name;
  /// "lane", "wave", "workgroup", "agent" or "process".
  std::string depends_on;
  /// Of an address; what no address is.
  std::optional<uint64_t> bits, null;
};

/// The address spaces as the server tells them.
llvm::Expected<std::vector<SpaceInfo>> GetSpaces(ProcessAMDGPU &process) {
  llvm::Expected<StructuredData::ObjectSP> answer =
      process.SendJSONPacket(::wavelane::packets::AddressSpacesInfo);
  if (!answer)
    return answer.takeError();
  StructuredData::Array *array = *answer ? (*answer)->GetAsArray() : nullptr;
  if (!array)
    return llvm::createStringError("the server tells no address spaces");
  std::vector<SpaceInfo> spaces;
  array->ForEach([&](StructuredData::Object *object) {
    if (StructuredData::Dictionary *entry = object->GetAsDictionary()) {
      SpaceInfo space;
      llvm::StringRef text;
      entry->GetValueForKeyAsString("name", text);
      space.name = text.str();
      entry->GetValueForKeyAsInteger("space_id", space.number);
      bool is_thread_specific = false;
      entry->GetValueForKeyAsBoolean("is_thread_specific", is_thread_specific);
      // Upstream's servers tell no more than that.
      space.depends_on = is_thread_specific ? "wave" : "process";
      if (entry->GetValueForKeyAsString("depends_on", text))
        space.depends_on = text.str();
      uint64_t number;
      if (entry->GetValueForKeyAsInteger("address_bits", number))
        space.bits = number;
      if (entry->GetValueForKeyAsInteger("null", number))
        space.null = number;
      spaces.push_back(std::move(space));
    }
    return true;
  });
  return spaces;
}

llvm::Expected<SpaceInfo> FindSpace(ProcessAMDGPU &process,
                                    llvm::StringRef name) {
  llvm::Expected<std::vector<SpaceInfo>> spaces = GetSpaces(process);
  if (!spaces)
    return spaces.takeError();
  uint64_t number;
  const bool is_number = !name.getAsInteger(0, number);
  std::string known;
  for (const SpaceInfo &space : *spaces) {
    if (is_number ? space.number == number : space.name == name)
      return space;
    known += (known.empty() ? "" : ", ") + space.name;
  }
  if (is_number ? number == eSpaceRegion : name == GetSpaceName(eSpaceRegion))
    return llvm::createStringError(
        "region memory (GDS) can't be reached on this GPU: its debug library "
        "has no such address space; there are %s",
        known.c_str());
  return llvm::createStringError("there is no address space '%s': there are %s",
                                 name.str().c_str(), known.c_str());
}

class SpaceList : public CommandObjectParsed {
public:
  explicit SpaceList(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "gpu address-space list",
                            "List the address spaces of the GPU.",
                            "gpu address-space list [--json]",
                            eCommandTryTargetAPILock),
        m_options(g_list_options) {
    SetHelpLong(R"(
Numbers are those that debug information uses. An address of a space that
depends on the wave or lane means another place for each.

Example:

(lldb) gpu address-space list
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    llvm::Expected<std::vector<SpaceInfo>> spaces = GetSpaces(*process);
    if (!spaces) {
      result.AppendErrorWithFormat("the address spaces can't be listed: %s\n",
                                   llvm::toString(spaces.takeError()).c_str());
      return;
    }
    if (m_options.Has('j')) {
      llvm::json::Array array;
      for (const SpaceInfo &space : *spaces) {
        llvm::json::Object entry{{"number", int64_t(space.number)},
                                 {"name", space.name},
                                 {"depends_on", space.depends_on}};
        if (space.bits)
          entry["address_bits"] = int64_t(*space.bits);
        if (space.null)
          entry["null"] = int64_t(*space.null);
        array.push_back(std::move(entry));
      }
      return AppendJSON(result, std::move(array));
    }
    StreamString text;
    text.Printf("%-6s  %-12s  %-10s  %-4s  %s\n", "number", "name", "depends on",
                "bits", "null");
    for (const SpaceInfo &space : *spaces)
      text.Printf(
          "%-6" PRIu64 "  %-12s  %-10s  %-4s  %s\n", space.number,
          space.name.c_str(), space.depends_on.c_str(),
          space.bits ? std::to_string(*space.bits).c_str() : "-",
          space.null ? llvm::formatv("{0:x}", *space.null).str().c_str() : "-");
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_read_options[] = {
    WordOption("space", 's', eArgTypeName,
               "The address space, by name or number (default: global)."),
    WordOption("lane", 'l', eArgTypeUnsignedInteger,
               "The lane (default: the focus lane)."),
    WordOption("count", 'c', eArgTypeCount,
               "How many units are read (default: 8)."),
    WordOption("size", 'z', eArgTypeByteSize,
               "Bytes of a unit: 1, 2, 4 or 8 (default: 4)."),
    Switch("json", 'j', "Print JSON: the bytes in hexadecimal."),
};

constexpr OptionDefinition g_write_options[] = {
    WordOption("space", 's', eArgTypeName,
               "The address space, by name or number (default: global)."),
    WordOption("lane", 'l', eArgTypeUnsignedInteger,
               "The lane (default: the focus lane)."),
    WordOption("size", 'z', eArgTypeByteSize,
               "Bytes of a unit: 1, 2, 4 or 8 (default: 4)."),
};

void CompleteSpaces(CommandInterpreter &interpreter, CompletionRequest &request,
                    llvm::StringRef after) {
  ProcessAMDGPU *process = FindGPUProcess(interpreter, nullptr);
  if (!process)
    return;
  llvm::Expected<std::vector<SpaceInfo>> spaces = GetSpaces(*process);
  if (!spaces) {
    llvm::consumeError(spaces.takeError());
    return;
  }
  for (const SpaceInfo &space : *spaces)
    request.TryCompleteCurrentArg(space.name + after.str());
}

class SpaceOptions : public SimpleOptions {
public:
  using SimpleOptions::SimpleOptions;
  void HandleOptionArgumentCompletion(CompletionRequest &request,
                                      OptionElementVector &options, int index,
                                      CommandInterpreter &interpreter) override {
    const int definition = options[index].opt_defs_index;
    if (definition >= 0 &&
        GetDefinitions()[definition].short_option == 's')
      return CompleteSpaces(interpreter, request, "");
    SimpleOptions::HandleOptionArgumentCompletion(request, options, index,
                                                  interpreter);
  }
};

/// What read and write share: whose memory it is.
class SpaceMemoryCommand : public CommandObjectParsed {
public:
  SpaceMemoryCommand(CommandInterpreter &interpreter, const char *name,
                     const char *help, const char *syntax,
                     llvm::ArrayRef<OptionDefinition> options)
      : CommandObjectParsed(interpreter, name, help, syntax,
                            eCommandTryTargetAPILock),
        m_options(options) {}
  Options *GetOptions() override { return &m_options; }

protected:
  struct Place {
    ProcessAMDGPU &process;
    SpaceInfo space;
    tid_t tid;
    uint32_t lane;
    uint64_t address;
    uint32_t unit;
  };

  std::optional<Place> GetPlace(Args &command, CommandReturnObject &result) {
    if (command.empty()) {
      result.AppendErrorWithFormat("give an address: %s\n",
                                   GetSyntax().str().c_str());
      return std::nullopt;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return std::nullopt;
    if (process->GetState() != eStateStopped) {
      result.AppendError("the GPU's process is not stopped: `process interrupt` "
                         "stops it");
      return std::nullopt;
    }
    llvm::StringRef name = m_options.Has('s') ? m_options.Get('s') : "global";
    llvm::StringRef address_text = command[0].ref();
    // ROCgdb writes space#address.
    if (address_text.contains('#'))
      std::tie(name, address_text) = address_text.split('#');
    llvm::Expected<SpaceInfo> space = FindSpace(*process, name);
    if (!space) {
      result.AppendError(llvm::toString(space.takeError()));
      return std::nullopt;
    }
    uint64_t address;
    if (address_text.getAsInteger(0, address)) {
      Status error;
      ExecutionContext exe_ctx(process);
      address = OptionArgParser::ToAddress(&exe_ctx, address_text,
                                           LLDB_INVALID_ADDRESS, &error);
      if (error.Fail()) {
        result.AppendErrorWithFormat(
            "'%s' is no address: give a number, an expression without spaces, or "
            "space#address\n",
            address_text.str().c_str());
        return std::nullopt;
      }
    }
    tid_t tid = LLDB_INVALID_THREAD_ID;
    uint32_t lane = 0;
    ThreadSP thread_sp = m_exe_ctx.GetThreadSP();
    if (!thread_sp || m_exe_ctx.GetProcessPtr() != process)
      thread_sp = process->GetThreadList().GetSelectedThread();
    if (thread_sp) {
      tid = thread_sp->GetID();
      lane = GetFocusLane(*thread_sp);
      if (m_options.Has('l')) {
        auto *source = dynamic_cast<LaneSource *>(thread_sp.get());
        const uint32_t count = source ? source->GetLaneCount() : 1;
        if (m_options.Get('l').getAsInteger(0, lane)) {
          result.AppendErrorWithFormat(
              "'%s' is no lane number: `thread lane list` shows the lanes\n",
              m_options.Get('l').str().c_str());
          return std::nullopt;
        }
        if (lane >= count) {
          result.AppendErrorWithFormat(
              "lane %u does not exist: the wave has lanes 0-%u\n", lane,
              count - 1);
          return std::nullopt;
        }
      }
    } else if (space->number != eSpaceGlobal) {
      result.AppendErrorWithFormat(
          "%s memory is a wave's, and no wave is selected: `thread list` shows "
          "the waves, `thread select` selects one\n",
          space->name.c_str());
      return std::nullopt;
    }
    uint32_t unit = 4;
    if (m_options.Has('z') && (m_options.Get('z').getAsInteger(0, unit) ||
                               (unit != 1 && unit != 2 && unit != 4 &&
                                unit != 8))) {
      result.AppendError("the size of a unit is 1, 2, 4 or 8");
      return std::nullopt;
    }
    return Place{*process, *space, tid, lane, address, unit};
  }

  static size_t Access(const Place &place, bool write, void *data, size_t size,
                       Status &error) {
    if (place.space.number == eSpaceGlobal)
      return write ? place.process.WriteMemory(place.address, data, size, error)
                   : place.process.ReadMemory(place.address, data, size, error);
    return write ? place.process.WriteAddressSpace(place.tid, place.lane,
                                                   place.space.number,
                                                   place.address, data, size,
                                                   error)
                 : place.process.ReadAddressSpace(place.tid, place.lane,
                                                  place.space.number,
                                                  place.address, data, size,
                                                  error);
  }

  SpaceOptions m_options;

public:
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteSpaces(m_interpreter, request, "#");
  }
};

class MemoryRead : public SpaceMemoryCommand {
public:
  explicit MemoryRead(CommandInterpreter &interpreter)
      : SpaceMemoryCommand(interpreter, "gpu memory read",
                           "Read memory of one of the GPU's address spaces, "
                           "some of which each lane or wave has for itself.",
                           "gpu memory read [--space <space>] [--lane <lane>] "
                           "[--count <n>] [--size <bytes>] [--json] <address>",
                           g_read_options) {
    AddSimpleArgumentList(eArgTypeAddress);
    SetHelpLong(R"(
The memory is the selected wave's and, where the space depends on it, the focus
lane's. The space may also stand before the address, as in local#0x40.

Examples:

(lldb) gpu memory read --space local 0x40
(lldb) gpu memory read --space private_lane --lane 3 --count 16 0
(lldb) gpu memory read local#0x40
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    std::optional<Place> place = GetPlace(command, result);
    if (!place)
      return;
    if (command.GetArgumentCount() != 1) {
      result.AppendError("give one address");
      return;
    }
    uint32_t count = 8;
    if (m_options.Has('c') &&
        (m_options.Get('c').getAsInteger(0, count) || count == 0 ||
         count > 65536)) {
      result.AppendError("the count is a number from 1 to 65536");
      return;
    }
    std::vector<uint8_t> data(size_t(count) * place->unit);
    Status error;
    size_t done = Access(*place, false, data.data(), data.size(), error);
    done -= done % place->unit;
    if (done == 0) {
      result.AppendErrorWithFormat(
          "%s memory at 0x%" PRIx64 " can't be read: %s\n",
          place->space.name.c_str(), place->address,
          error.AsCString("it has no bytes there"));
      return;
    }
    if (m_options.Has('j'))
      return AppendJSON(
          result, llvm::json::Object{
                      {"space", place->space.name},
                      {"address", place->address},
                      {"bytes", llvm::toHex(llvm::ArrayRef(data).take_front(done),
                                            /*LowerCase=*/true)}});
    StreamString text;
    DataExtractor extractor(data.data(), done, eByteOrderLittle, 8);
    offset_t offset = 0;
    const size_t per_line = 16 / place->unit ? 16 / place->unit : 1;
    for (size_t i = 0; i < done / place->unit; ++i) {
      if (i % per_line == 0)
        text.Printf("%s%s#0x%" PRIx64 ":", i ? "\n" : "",
                    place->space.name.c_str(),
                    place->address + i * place->unit);
      text.Printf(" 0x%0*" PRIx64, int(place->unit * 2),
                  extractor.GetMaxU64(&offset, place->unit));
    }
    result.AppendMessage(text.GetString());
    if (done < data.size())
      result.AppendWarningWithFormat("only %zu of %zu bytes can be read: %s\n",
                                     done, data.size(),
                                     error.AsCString("end of the memory"));
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

class MemoryWrite : public SpaceMemoryCommand {
public:
  explicit MemoryWrite(CommandInterpreter &interpreter)
      : SpaceMemoryCommand(interpreter, "gpu memory write",
                           "Write memory of one of the GPU's address spaces.",
                           "gpu memory write [--space <space>] [--lane <lane>] "
                           "[--size <bytes>] <address> <value> [<value> ...]",
                           g_write_options) {
    CommandArgumentEntry address, value;
    address.push_back(CommandArgumentData(eArgTypeAddress));
    value.push_back(CommandArgumentData(eArgTypeValue, eArgRepeatPlus));
    m_arguments.push_back(address);
    m_arguments.push_back(value);
    SetHelpLong(R"(
Examples:

(lldb) gpu memory write --space local 0x40 7
(lldb) gpu memory write --space private_lane --lane 3 --size 8 16 0x1122334455
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    std::optional<Place> place = GetPlace(command, result);
    if (!place)
      return;
    if (command.GetArgumentCount() < 2) {
      result.AppendError("give an address and values");
      return;
    }
    std::vector<uint8_t> data;
    for (size_t i = 1; i < command.GetArgumentCount(); ++i) {
      uint64_t value;
      int64_t negative;
      if (!command[i].ref().getAsInteger(0, negative))
        value = uint64_t(negative);
      else if (command[i].ref().getAsInteger(0, value)) {
        result.AppendErrorWithFormat("'%s' is no number\n",
                                     command[i].c_str());
        return;
      }
      const uint32_t bits = place->unit * 8;
      if (bits < 64 && value >> bits != 0 &&
          (int64_t(value) >= 0 || int64_t(value) >> (bits - 1) != -1)) {
        result.AppendErrorWithFormat("%s does not fit into %u bytes\n",
                                     command[i].c_str(), place->unit);
        return;
      }
      for (uint32_t byte = 0; byte < place->unit; ++byte)
        data.push_back(uint8_t(value >> (8 * byte)));
    }
    Status error;
    const size_t done = Access(*place, true, data.data(), data.size(), error);
    if (done != data.size()) {
      result.AppendErrorWithFormat(
          "%s memory at 0x%" PRIx64 " can't be written: %s\n",
          place->space.name.c_str(), place->address + done,
          error.AsCString("it has no bytes there"));
      return;
    }
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  }
};

//===----------------------------------------------------------------------===//

class Gpu : public CommandGroup {
public:
  explicit Gpu(CommandInterpreter &interpreter)
      : CommandGroup(
            interpreter, "gpu",
            "Commands for the GPUs that a program uses: agents, queues, "
            "dispatches, workgroups, waves, memory.",
            R"(
A program that uses a GPU is debugged as two targets, its host code and its GPU
code (`target list`); the waves on the GPU are the threads of the second. All
commands that you know work on them: set breakpoints in kernels by function or
line before the program runs, then `run`, `thread list`, `thread select`, `bt`,
`frame variable`, `register read`, `step`, `continue`. `help thread lane` tells
about the lanes of a wave. The commands here show what only a GPU has.

Examples:

(lldb) breakpoint set -n saxpy                a kernel, or what it calls
(lldb) run
(lldb) gpu wave list                          all waves, where each stands
(lldb) gpu dispatch list                      the kernels that run
(lldb) gpu workgroup list                     who waits at a barrier, for whom
(lldb) gpu memory read --space local 0x40     memory of the workgroup
(lldb) settings list plugin.process.amdgpu    what can be set
)") {
    for (const ObjectKindInfo &kind : g_kinds)
      LoadSubCommand(kind.name,
                     std::make_shared<ObjectKind>(interpreter, kind));
    auto space_sp = std::make_shared<CommandGroup>(
        interpreter, "gpu address-space",
        "Commands for the address spaces of GPUs.", R"(
A GPU's memory has several address spaces: global, shared by all; local, one
for each workgroup; private, one for each lane or wave; and generic, whose
addresses lead to one of the others.

Example:

(lldb) gpu address-space list
)");
    space_sp->LoadSubCommand("list", std::make_shared<SpaceList>(interpreter));
    LoadSubCommand("address-space", space_sp);
    auto memory_sp = std::make_shared<CommandGroup>(
        interpreter, "gpu memory",
        "Commands for the memory of the GPU's address spaces.", R"(
`gpu address-space list` shows the spaces. Global memory is what `memory read`
shows, too.

Examples:

(lldb) gpu memory read --space local 0x40
(lldb) gpu memory write --space private_lane --lane 3 16 7
)");
    memory_sp->LoadSubCommand("read", std::make_shared<MemoryRead>(interpreter));
    memory_sp->LoadSubCommand("write",
                              std::make_shared<MemoryWrite>(interpreter));
    LoadSubCommand("memory", memory_sp);
    LoadSubCommand("matrix", MakeMatrixCommand(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeGpuCommand(CommandInterpreter &interpreter) {
  return std::make_shared<Gpu>(interpreter);
}
