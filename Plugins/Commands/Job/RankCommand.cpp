//===-- RankCommand.cpp - rank list, select, apply, print, backtrace ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/LazyGroup.h"
#include "Commands/GPU/ObjectTable.h"
#include "Core/Format/LaneExpression.h"
#include "Core/Progress/SlowProgress.h"
#include "Core/Record/LaneText.h"
#include "JobCommands.h"
#include "RankObjects.h"
#include "RankScope.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_list_options[] = {
    Switch("json", 'j', "Print JSON, with all fields."),
    Switch("verbose", 'v', "Show all columns."),
};

constexpr OptionDefinition g_json_options[] = {
    Switch("json", 'j', "Print JSON."),
};

constexpr OptionDefinition g_print_options[] = {
    Switch("json", 'j', "Print JSON."),
    WordOption("ranks", 'r', eArgTypeName, "The ranks (all), as 0-3,7."),
};

constexpr OptionDefinition g_select_options[] = {
    Switch("gpu", 'g', "Select its GPU."),
    Switch("host", 'o', "Select its host."),
};

constexpr llvm::StringLiteral
    NoJob("there are no ranks: `job launch -- mpirun -n 4 ./app` starts a job");

std::shared_ptr<Job> FindJob(CommandInterpreter &interpreter,
                             CommandReturnObject &result) {
  std::shared_ptr<Job> job = Job::Find(interpreter.GetDebugger());
  if (job && !job->GetRanks().empty())
    return job;
  result.AppendError(job ? "no rank has reported yet" : NoJob);
  return nullptr;
}

/// The ranks that \a text names; all if it is empty.
std::optional<std::vector<RankSP>>
GetRanks(const Job &job, llvm::StringRef text, CommandReturnObject &result) {
  auto ranks = job.ParseRanks(text.empty() ? "all" : text);
  if (ranks)
    return std::move(*ranks);
  result.AppendError(llvm::toString(ranks.takeError()));
  return std::nullopt;
}

std::vector<uint32_t> GetNumbers(llvm::ArrayRef<RankSP> ranks) {
  std::vector<uint32_t> numbers;
  for (const RankSP &rank : ranks)
    numbers.push_back(rank->GetNumber());
  return numbers;
}

void CompleteRanks(CommandInterpreter &interpreter,
                   CompletionRequest &request) {
  if (std::shared_ptr<Job> job = Job::Find(interpreter.GetDebugger()))
    for (const RankSP &rank : job->GetRanks())
      request.TryCompleteCurrentArg(std::to_string(rank->GetNumber()),
                                    rank->registration.Host);
}

/// The selected frame of a side of a rank; none while it runs.
ExecutionContext GetContext(const TargetSP &target_sp) {
  ExecutionContext context(target_sp.get(),
                           /*fill_current_process_thread_frame=*/true);
  return context;
}

class ListCommand : public CommandObjectParsed {
public:
  explicit ListCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "rank list",
                            "List the ranks of the job.",
                            "rank list [--verbose] [--json] [RANKS]"),
        m_options(g_list_options) {
    SetHelpLong(R"(
A line for each rank: its process, its state, and where its waves are or,
without waves, where its host thread is. --verbose shows both.

Examples:

(lldb) rank list
(lldb) rank list --json 0-1
)");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
  }
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteRanks(m_interpreter, request);
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    auto ranks =
        GetRanks(*job, words.GetArgumentCount() ? words[0].ref() : "", result);
    if (!ranks)
      return;
    SlowCall call(m_interpreter.GetDebugger(), "Looking at each rank");
    LookAtRanks(*ranks);
    llvm::json::Array array;
    for (const RankSP &rank : *ranks)
      array.push_back(DescribeRank(*job, *rank));
    if (m_options.Has('j'))
      AppendJSON(result, std::move(array));
    else
      PrintTable(std::move(array), result);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  void PrintTable(llvm::json::Array array, CommandReturnObject &result) {
    // What has no place has ended.
    for (llvm::json::Value &value : array)
      if (llvm::json::Object &object = *value.getAsObject();
          object.get("end") && !object.get("where"))
        object["where"] = *object.get("end");
    StructuredData::ObjectSP objects_sp = StructuredData::ParseJSON(
        llvm::formatv("{0}", llvm::json::Value(std::move(array))).str());
    StreamString text;
    llvm::SmallVector<llvm::StringRef> columns;
    if (!m_options.Has('v'))
      columns = {"rank", "host", "pid", "state", "reason", "where"};
    if (objects_sp && objects_sp->GetAsArray())
      PrintObjects(*objects_sp->GetAsArray(), columns,
                   /*short_names=*/!m_options.Has('v'), text);
    result.AppendMessage(text.GetString().rtrim());
  }

  SimpleOptions m_options;
};

class SelectCommand : public CommandObjectParsed {
public:
  explicit SelectCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "rank select",
            "Select a rank: commands apply to its threads, or its waves.",
            "rank select [--gpu | --host] RANK"),
        m_options(g_select_options) {
    SetHelpLong("\nExamples:\n\n(lldb) rank select 1\n(lldb) rank select "
                "--host 0\n");
    AddSimpleArgumentList(eArgTypeName);
  }
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteRanks(m_interpreter, request);
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    uint32_t number;
    if (words.GetArgumentCount() != 1 ||
        words[0].ref().getAsInteger(10, number)) {
      result.AppendError(
          "the number of a rank is required: `rank list` shows them");
      return;
    }
    RankSP rank = job->FindRank(number);
    if (!rank) {
      result.AppendErrorWithFormatv(
          "there is no rank {0}: `rank list` shows them", number);
      return;
    }
    if (m_options.Has('g') && !rank->GetGPU()) {
      result.AppendErrorWithFormatv("rank {0} doesn't use a GPU now", number);
      return;
    }
    if (m_options.Has('g') || m_options.Has('o'))
      rank->shows_gpu = m_options.Has('g');
    job->Select(*rank);
    TargetSP target_sp = rank->GetShownTarget();
    ProcessSP process_sp = target_sp ? target_sp->GetProcessSP() : nullptr;
    Stream &out = result.GetOutputStream();
    out.Format("rank {0} of {1}", number, job->GetRanks().size());
    if (rank->state == Rank::State::Stopped && process_sp) {
      out << ": ";
      ExecutionContext context = GetContext(target_sp);
      if (Thread *thread = context.GetThreadPtr())
        thread->GetStatus(out, /*start_frame=*/0, /*num_frames=*/1,
                          /*num_frames_with_source=*/1, /*stop_format=*/true,
                          /*show_hidden=*/false, /*only_stacks=*/false);
      else
        out << "no wave is on its GPU\n";
    } else {
      out << (rank->state == Rank::State::Ended ? " " + rank->end
                                                : std::string(" is running"))
          << "\n";
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

/// Texts of ranks, equal ones together.
class FoldedTexts {
public:
  void Add(uint32_t rank, const std::string &text) {
    auto [at, is_new] = m_known.try_emplace(text, m_texts.size());
    if (is_new)
      m_texts.push_back({text, {}});
    m_texts[at->second].second.push_back(rank);
  }
  const std::vector<std::pair<std::string, std::vector<uint32_t>>> &
  Get() const {
    return m_texts;
  }

private:
  std::map<std::string, size_t> m_known;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> m_texts;
};

class ApplyCommand : public CommandObjectRaw {
public:
  explicit ApplyCommand(CommandInterpreter &interpreter)
      : CommandObjectRaw(interpreter, "rank apply",
                         "Run a command in several ranks.",
                         "rank apply <ranks> <command>") {
    SetHelpLong(R"(
<ranks> is a list of numbers and ranges without spaces (0-3,7), or all. Ranks
whose output is the same are shown together. Afterwards, the same rank is
selected as before. Breakpoints and watchpoints that the command sets are only
theirs.

Examples:

(lldb) rank apply all bt
(lldb) rank apply 0-1 frame variable
(lldb) rank apply 1 breakpoint set -n main
)");
  }
  bool WantsCompletion() override { return true; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    if (request.GetCursorIndex() == 0)
      return CompleteRanks(m_interpreter, request);
    request.ShiftArguments();
    m_interpreter.HandleCompletionMatches(request);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    auto [list, line] = command.trim().split(' ');
    line = line.trim();
    if (list.empty() || line.empty()) {
      result.AppendErrorWithFormatv("ranks and a command are required: {0}",
                                    GetSyntax());
      return;
    }
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    auto ranks = GetRanks(*job, list, result);
    if (!ranks)
      return;
    Debugger &debugger = m_interpreter.GetDebugger();
    TargetSP selected_sp = debugger.GetTargetList().GetSelectedTarget();
    FoldedTexts texts;
    bool failed = false;
    RankScope scope(GetNumbers(*ranks));
    SlowProgress progress(debugger, "Running a command in each rank",
                          ranks->size());
    for (const RankSP &rank : *ranks) {
      TargetSP target_sp = rank->GetShownTarget();
      if (!target_sp || !rank->IsAlive()) {
        texts.Add(rank->GetNumber(), "it has ended\n");
        continue;
      }
      debugger.GetTargetList().SetSelectedTarget(target_sp);
      CommandReturnObject own(debugger.GetUseColor());
      m_interpreter.HandleCommand(line.str().c_str(), eLazyBoolNo,
                                  GetContext(target_sp), own);
      std::string text = own.GetOutputString().str();
      if (!own.Succeeded()) {
        failed = true;
        text += own.GetErrorString();
      }
      texts.Add(rank->GetNumber(), text);
      if (!progress.Step()) {
        result.AppendError(
            "interrupted: the command was not run in the remaining ranks");
        break;
      }
    }
    if (selected_sp)
      debugger.GetTargetList().SetSelectedTarget(selected_sp);
    for (const auto &[text, numbers] : texts.Get()) {
      result.AppendMessage(NameRanks(numbers) + ":");
      if (!text.empty())
        result.AppendMessage(llvm::StringRef(text).rtrim());
    }
    result.SetStatus(failed ? eReturnStatusFailed
                            : eReturnStatusSuccessFinishResult);
  }
};

std::string FormatNumber(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%g", number);
  return text;
}

class PrintCommand : public CommandObjectRaw {
public:
  explicit PrintCommand(CommandInterpreter &interpreter)
      : CommandObjectRaw(interpreter, "rank print",
                         "Print an expression's value in every rank.",
                         "rank print [--ranks <ranks>] [--json] <expression>"),
        m_options(g_print_options) {
    SetHelpLong(R"(
The expression's value in each rank's selected frame: of its host thread, or
of its wave's focus lane. Equal values are shown together; of numbers, the
smallest and the largest.

Examples:

(lldb) rank print argc
(lldb) rank print --ranks 0-1 argc
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    std::optional<std::string> text = TakeOptions(
        *this, m_options, command, "an expression", m_exe_ctx, result);
    if (!text)
      return;
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    auto ranks = GetRanks(*job, m_options.Get('r'), result);
    if (!ranks)
      return;
    FoldedTexts texts;
    llvm::json::Array values;
    std::set<std::string> stale;
    std::map<double, std::vector<uint32_t>> numbers;
    bool failed = true;
    SlowProgress progress(m_interpreter.GetDebugger(),
                          "Reading a value in each rank", ranks->size());
    for (const RankSP &rank : *ranks) {
      const LaneValue value = Read(*rank, *text);
      failed &= value.is_error;
      texts.Add(rank->GetNumber(), value.text);
      if (value.number)
        numbers[*value.number].push_back(rank->GetNumber());
      llvm::json::Object object{{"rank", rank->GetNumber()}};
      object[value.is_error ? "error" : "value"] = value.text;
      if (value.number)
        object["number"] = *value.number;
      if (!value.stale.empty()) {
        object["stale"] = value.stale;
        stale.insert(value.stale);
      }
      values.push_back(std::move(object));
      if (!progress.Step()) {
        result.AppendError("interrupted: the remaining ranks weren't read");
        break;
      }
    }
    if (m_options.Has('j')) {
      AppendJSON(result, std::move(values));
    } else {
      for (const auto &[shown, of] : texts.Get())
        result.AppendMessage(NameRanks(of) + ": " + shown);
      if (numbers.size() > 2)
        result.AppendMessage(
            llvm::formatv("minimum {0} in {1}, maximum {2} in {3}",
                          FormatNumber(numbers.begin()->first),
                          NameRanks(numbers.begin()->second),
                          FormatNumber(numbers.rbegin()->first),
                          NameRanks(numbers.rbegin()->second))
                .str());
      if (!stale.empty())
        NoteStale(result, llvm::join(stale, ", "));
    }
    result.SetStatus(failed ? eReturnStatusFailed
                            : eReturnStatusSuccessFinishResult);
  }

private:
  static LaneValue Read(const Rank &rank, const std::string &text) {
    LaneValue value;
    value.is_error = true;
    TargetSP target_sp = rank.GetShownTarget();
    if (rank.state != Rank::State::Stopped || !target_sp) {
      value.text = rank.state == Rank::State::Running ? "<it is running>"
                                                      : "<it has ended>";
      return value;
    }
    ExecutionContext context = GetContext(target_sp);
    StackFrame *frame = context.GetFramePtr();
    if (!frame) {
      value.text = "<no wave is on its GPU>";
      return value;
    }
    LaneExpression expression(text);
    value = expression.Read(*frame, /*with_bytes=*/false);
    // "<user expression 3>:1:1: why", and the expression again: the number
    // would make equal ones differ.
    if (value.is_error &&
        llvm::StringRef(value.text).starts_with("<user expression ")) {
      llvm::StringRef why = llvm::StringRef(value.text).split('\n').first;
      why = why.split('>').second;
      value.text = why.ltrim(":0123456789").trim().str();
    }
    return value;
  }

  SimpleOptions m_options;
};

/// Prints a node's children, each indented below it.
void PrintTree(Stream &out, const llvm::json::Array &nodes, unsigned depth) {
  for (const llvm::json::Value &value : nodes) {
    const llvm::json::Object &node = *value.getAsObject();
    out << std::string(depth * 2, ' ') << FormatBranch(node) << "\n";
    PrintTree(out, *node.getArray("children"), depth + 1);
  }
}

class BacktraceCommand : public CommandObjectParsed {
public:
  explicit BacktraceCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "rank backtrace",
                            "Show the stacks of all ranks as one tree.",
                            "rank backtrace [--json] [RANKS]"),
        m_options(g_json_options) {
    SetHelpLong(R"(
Each branch names the ranks whose threads are in it. A stack ends at the call
of MPI or HIP that the program is in; waves are below GPU. Threads of
libraries are left out. A rank that runs or has ended is shown in brackets.

Examples:

(lldb) rank backtrace
(lldb) rank backtrace --json 0-1
)");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    auto ranks =
        GetRanks(*job, words.GetArgumentCount() ? words[0].ref() : "", result);
    if (!ranks)
      return;
    llvm::json::Array tree = MakeStackTree(*ranks);
    if (m_options.Has('j'))
      AppendJSON(result, std::move(tree));
    else
      PrintTree(result.GetOutputStream(), tree, 0);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

class ThreadsCommand : public CommandObjectParsed {
public:
  explicit ThreadsCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "rank threads",
                            "List what the threads and waves of all ranks do.",
                            "rank threads [--json] [RANKS]"),
        m_options(g_json_options) {
    SetHelpLong(R"(
A line for all ranks whose waves are in the same kernel at the same line, or
whose host threads are in the same call. `thread list` shows the selected
rank's.

Examples:

(lldb) rank threads
(lldb) rank threads --json 0-1
)");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    auto ranks =
        GetRanks(*job, words.GetArgumentCount() ? words[0].ref() : "", result);
    if (!ranks)
      return;
    llvm::json::Array folds = FoldRanks(*ranks);
    if (m_options.Has('j')) {
      AppendJSON(result, std::move(folds));
    } else {
      for (const llvm::json::Value &value : folds)
        result.AppendMessage(FormatFold(*value.getAsObject()));
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

class WaitsCommand : public CommandObjectParsed {
public:
  explicit WaitsCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "rank waits",
                            "Show which calls of MPI, or which memory, the "
                            "ranks wait for, and for whom.",
                            "rank waits [--json]"),
        m_options(g_json_options) {
    SetHelpLong(R"(
Each call is shown with the rank that it names, the tag and the communicator,
as far as the program's code shows them; a collective call is shown with the
ranks that haven't reached it. Waves that read memory until it changes are shown
with its value, and with the other ranks that can write it. Ranks in no call of
MPI follow, and those that wait for each other, unless messages are on their
way.

Examples:

(lldb) rank waits
(lldb) rank waits --json
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    if (!words.empty()) {
      result.AppendError(
          "'rank waits' takes no arguments: it covers all ranks");
      return;
    }
    std::shared_ptr<Job> job = FindJob(m_interpreter, result);
    if (!job)
      return;
    SlowCall call(m_interpreter.GetDebugger(), "Looking at each rank");
    llvm::json::Array waits = DescribeWaits(job->GetRanks(), job->GetSize());
    if (m_options.Has('j'))
      AppendJSON(result, std::move(waits));
    else
      for (const llvm::json::Value &value : waits)
        Print(*value.getAsObject(), result.GetOutputStream());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  static void Print(const llvm::json::Object &wait, Stream &out) {
    out << NameRanks(ReadRanks(wait, "ranks")) << ": "
        << wait.getString("what").value_or("").str();
    if (auto caller = wait.getString("called_by"); caller && !caller->empty())
      out << ", called by " << caller->str();
    const std::vector<uint32_t> missing = ReadRanks(wait, "missing");
    if (!missing.empty())
      out << "; " << NameRanks(missing)
          << (missing.size() == 1 ? " hasn't come" : " haven't come");
    out << "\n";
  }

  SimpleOptions m_options;
};

class RankCommand : public LazyGroup {
public:
  explicit RankCommand(CommandInterpreter &interpreter)
      : LazyGroup(interpreter, "rank",
                  "Commands for the ranks of a job, all of them or one.",
                  R"(
`help job` says how a job is started.

Examples:

(lldb) rank list
(lldb) rank select 1
(lldb) rank apply all frame variable
)") {}

protected:
  void LoadSubcommands() override {
    CommandInterpreter &interpreter = GetCommandInterpreter();
    LoadSubCommand("apply", std::make_shared<ApplyCommand>(interpreter));
    LoadSubCommand("backtrace",
                   std::make_shared<BacktraceCommand>(interpreter));
    LoadSubCommand("list", std::make_shared<ListCommand>(interpreter));
    LoadSubCommand("print", std::make_shared<PrintCommand>(interpreter));
    LoadSubCommand("select", std::make_shared<SelectCommand>(interpreter));
    LoadSubCommand("threads", std::make_shared<ThreadsCommand>(interpreter));
    LoadSubCommand("waits", std::make_shared<WaitsCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeRankCommand(CommandInterpreter &interpreter) {
  return std::make_shared<RankCommand>(interpreter);
}
