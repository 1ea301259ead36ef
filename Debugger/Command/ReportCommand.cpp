//===-- ReportCommand.cpp - wavelane report --------------------*- C++ -*-===//

#include "CommandUtil.h"
#include "Commands.h"
#include "FindGPU.h"
#include "Lane/LaneFocus.h"
#include "Lane/LaneSource.h"
#include "Format/LaneValue.h"
#include "Coupling/GPUCoupling.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Progress/SlowProgress.h"
#include "Report/ReportPage.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "wavelane/Server/Packets.h"
#include <algorithm>
#include <ctime>
#include <set>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

namespace {

/// A page of more isn't looked at.
constexpr size_t g_most_masks = 200;
constexpr size_t g_most_text = 200;
constexpr uint32_t g_usual_waves = 64;

/// A wave as the server tells it.
struct WaveFacts {
  tid_t tid = LLDB_INVALID_THREAD_ID;
  std::string name, state;
  uint64_t pc = LLDB_INVALID_ADDRESS, exec = 0, lanes = 0;
  uint64_t workgroup = 0, in_workgroup = 0;
  bool stopped = false;
};

/// What stands at an address; found once for all waves there.
struct Place {
  std::string name, function, source;
  Function *in = nullptr;
};

std::string GetText(const Dictionary &entry, llvm::StringRef key) {
  llvm::StringRef text;
  entry.GetValueForKeyAsString(key, text);
  return text.str();
}

uint64_t GetNumber(const Dictionary &entry, llvm::StringRef key,
                   uint64_t otherwise = 0) {
  uint64_t number = otherwise;
  return entry.GetValueForKeyAsInteger(key, number) ? number : otherwise;
}

/// "(4, 1, 1)" of an array.
std::string GetSizes(const Dictionary &entry, llvm::StringRef key) {
  StructuredData::Array *array = nullptr;
  if (!entry.GetValueForKeyAsArray(key, array))
    return "-";
  std::string text;
  for (size_t i = 0; i < array->GetSize(); ++i)
    text += (i ? ", " : "") +
            std::to_string(
                array->GetItemAtIndex(i)->GetUnsignedIntegerValue());
  return "(" + text + ")";
}

class ReportMaker {
public:
  ReportMaker(ProcessAMDGPU &process, Debugger &debugger)
      : m_process(process), m_debugger(debugger) {}

  llvm::Expected<Report> Make(const std::vector<std::string> &variables,
                              uint32_t most_waves) {
    DescribeProgram();
    if (llvm::Error error = ReadObjects())
      return std::move(error);
    AddLines();
    AddDivergence();
    for (const std::string &expression : variables)
      AddVariable(expression, most_waves);
    return std::move(m_report);
  }

  bool WasInterrupted() const { return m_interrupted; }

private:
  void DescribeProgram() {
    std::shared_ptr<GPUCoupling> coupling_sp = m_process.GetCoupling();
    TargetSP target_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
    if (!target_sp)
      target_sp = m_process.GetTarget().shared_from_this();
    if (ModuleSP module_sp = target_sp->GetExecutableModule())
      m_report.program = module_sp->GetFileSpec().GetFilename().GetString();
    if (m_report.program.empty())
      m_report.program = "GPU";
    const time_t now = time(nullptr);
    tm local = {};
    char text[64];
    if (localtime_r(&now, &local) &&
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &local))
      m_report.time = text;
    if (ThreadSP thread_sp = m_process.GetThreadList().GetSelectedThread()) {
      m_report.stop = thread_sp->GetName() ? thread_sp->GetName() : "a wave";
      const std::string why = thread_sp->GetStopDescription();
      m_report.stop += why.empty() ? "" : ": " + why;
    } else {
      m_report.stop = "No wave is on the GPU.";
    }
  }

  /// Calls \a add with each object of a kind.
  template <typename F> llvm::Error ForEach(const char *kind, F add) {
    SlowCall call(m_debugger, std::string("Asking for each ") + kind);
    llvm::Expected<StructuredData::ObjectSP> answer = m_process.SendJSONPacket(
        std::string(::wavelane::packets::Objects) + "{\"kind\":\"" + kind +
        "\"}");
    if (!answer)
      return answer.takeError();
    StructuredData::Array *objects = *answer ? (*answer)->GetAsArray() : nullptr;
    if (!objects)
      return llvm::createStringError("the server's answer is no array");
    objects->ForEach([&](StructuredData::Object *object) {
      if (Dictionary *entry = object->GetAsDictionary())
        add(*entry);
      return true;
    });
    return llvm::Error::success();
  }

  llvm::Error ReadObjects() {
    if (llvm::Error error = ForEach("agent", [&](const Dictionary &entry) {
          m_report.agents.push_back(GetText(entry, "name"));
        }))
      return error;
    if (llvm::Error error = ForEach("dispatch", [&](const Dictionary &entry) {
          Report::Kernel kernel;
          kernel.name = GetText(entry, "kernel");
          kernel.grid = GetSizes(entry, "grid_size");
          kernel.workgroup = GetSizes(entry, "workgroup_size");
          Dictionary *progress = nullptr;
          if (entry.GetValueForKeyAsDictionary("progress", progress)) {
            kernel.workgroups = GetNumber(*progress, "workgroups");
            kernel.done = GetNumber(*progress, "done");
            kernel.running = GetNumber(*progress, "running");
            kernel.waiting = GetNumber(*progress, "waiting");
            progress->GetValueForKeyAsBoolean("exact", kernel.exact);
          }
          m_report.kernels.push_back(std::move(kernel));
        }))
      return error;
    // Who waits at a barrier: numbers within the workgroup.
    std::map<uint64_t, std::set<uint64_t>> waiting;
    if (llvm::Error error = ForEach("workgroup", [&](const Dictionary &entry) {
          StructuredData::Array *array = nullptr;
          for (const char *barrier : {"at_barrier", "at_grid_barrier"})
            if (entry.GetValueForKeyAsArray(barrier, array))
              for (size_t i = 0; i < array->GetSize(); ++i)
                waiting[GetNumber(entry, "id")].insert(
                    array->GetItemAtIndex(i)->GetUnsignedIntegerValue());
        }))
      return error;
    namespace key = ::wavelane::packets::wave;
    return ForEach("wave", [&](const Dictionary &entry) {
      WaveFacts wave;
      wave.tid = GetNumber(entry, key::Thread, LLDB_INVALID_THREAD_ID);
      wave.name = GetText(entry, key::Name);
      wave.pc = GetNumber(entry, key::Pc, LLDB_INVALID_ADDRESS);
      wave.exec = GetNumber(entry, key::Exec);
      wave.lanes = std::min<uint64_t>(64, GetNumber(entry, key::LaneCount));
      wave.workgroup = GetNumber(entry, key::WorkgroupId);
      wave.in_workgroup = GetNumber(entry, key::WaveInWorkgroup);
      wave.stopped = GetText(entry, key::State) == "stopped";
      wave.state = GetText(entry, key::StopReason);
      if (!wave.stopped)
        wave.state = "running";
      else if (wave.state.empty())
        wave.state = "halted";
      auto group = waiting.find(wave.workgroup);
      if (group != waiting.end() && group->second.count(wave.in_workgroup))
        wave.state = "at a barrier";
      m_waves.push_back(std::move(wave));
    });
  }

  const Place &GetPlace(uint64_t pc) {
    auto [it, is_new] = m_places.try_emplace(pc);
    Place &place = it->second;
    if (!is_new)
      return place;
    place.name = pc == LLDB_INVALID_ADDRESS
                     ? "unknown"
                     : llvm::formatv("{0:x}", pc).str();
    Target &target = m_process.GetTarget();
    Address address;
    SymbolContext sc;
    if (pc == LLDB_INVALID_ADDRESS || !target.ResolveLoadAddress(pc, address))
      return place;
    address.CalculateSymbolContext(&sc, eSymbolContextEverything);
    place.in = sc.function;
    place.function =
        sc.GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
            .GetString();
    if (!sc.line_entry.IsValid())
      return place;
    place.name = llvm::formatv("{0}:{1}",
                               sc.line_entry.GetFile().GetFilename(),
                               sc.line_entry.line)
                     .str();
    if (SourceManager::FileSP file_sp =
            target.GetSourceManager().GetFile(sc.line_entry.file_sp))
      if (file_sp->GetLine(sc.line_entry.line, place.source))
        place.source =
            llvm::StringRef(place.source).trim().take_front(g_most_text).str();
    return place;
  }

  void AddLines() {
    std::map<std::pair<std::string, std::string>, Report::Line> lines;
    for (const WaveFacts &wave : m_waves) {
      const Place &place = GetPlace(wave.pc);
      Report::Line &line = lines[{place.name, place.function}];
      line.place = place.name;
      line.function = place.function;
      line.source = place.source;
      ++line.states[wave.state];
      ++line.waves;
    }
    for (auto &entry : lines)
      m_report.lines.push_back(std::move(entry.second));
    llvm::sort(m_report.lines, [](const auto &a, const auto &b) {
      return std::tie(b.waves, a.place, a.function) <
             std::tie(a.waves, b.place, b.function);
    });
    m_report.waves = m_waves.size();
  }

  void AddDivergence() {
    std::map<std::tuple<std::string, uint64_t, uint64_t>, Report::Divergence> sets;
    for (const WaveFacts &wave : m_waves) {
      if (!wave.stopped || !wave.lanes)
        continue;
      const std::string &place = GetPlace(wave.pc).name;
      Report::Divergence &entry = sets[{place, wave.lanes, wave.exec}];
      if (entry.waves++)
        continue;
      entry.place = place;
      entry.example = wave.name;
      entry.active.resize(unsigned(wave.lanes));
      for (unsigned lane = 0; lane < wave.lanes; ++lane)
        if (wave.exec >> lane & 1)
          entry.active.set(lane);
    }
    for (auto &entry : sets)
      m_report.divergence.push_back(std::move(entry.second));
    llvm::sort(m_report.divergence, [](const auto &a, const auto &b) {
      return std::tie(b.waves, a.place, a.example) <
             std::tie(a.waves, b.place, b.example);
    });
    if (m_report.divergence.size() > g_most_masks) {
      m_report.more_divergence = m_report.divergence.size() - g_most_masks;
      m_report.divergence.resize(g_most_masks);
    }
  }

  /// Where the selected wave is, else where most are.
  Function *ChooseFunction() {
    if (ThreadSP thread_sp = m_process.GetThreadList().GetSelectedThread())
      for (const WaveFacts &wave : m_waves)
        if (wave.tid == thread_sp->GetProtocolID() && GetPlace(wave.pc).in)
          return GetPlace(wave.pc).in;
    std::map<Function *, size_t> counts;
    Function *most = nullptr;
    for (const WaveFacts &wave : m_waves)
      if (Function *function = GetPlace(wave.pc).in)
        if (++counts[function] > counts[most] || !most)
          most = function;
    return most;
  }

  void AddVariable(const std::string &expression, uint32_t most_waves) {
    Report::Variable variable;
    variable.expression = expression;
    Function *function = ChooseFunction();
    if (!function) {
      variable.error = "No wave is in a function with debug information.";
      m_report.variables.push_back(std::move(variable));
      return;
    }
    variable.function =
        function->GetMangled()
            .GetName(Mangled::ePreferDemangledWithoutArguments)
            .GetString();
    std::vector<const WaveFacts *> waves;
    for (const WaveFacts &wave : m_waves)
      if (wave.stopped && GetPlace(wave.pc).in == function)
        waves.push_back(&wave);
    const size_t count = std::min<size_t>(waves.size(), most_waves);
    variable.more_waves = waves.size() - count;
    SlowProgress progress(m_debugger, "Reading " + expression, count);
    for (size_t i = 0; i < count; ++i) {
      ThreadSP thread_sp =
          m_process.GetThreadList().FindThreadByProtocolID(waves[i]->tid);
      StackFrameSP frame_sp =
          thread_sp ? thread_sp->GetStackFrameAtIndex(0) : nullptr;
      if (!frame_sp)
        continue;
      if (!AddRow(*thread_sp, *frame_sp, *waves[i], variable))
        break;
      if (!progress.Step()) {
        m_interrupted = true;
        variable.more_waves += count - i - 1;
        break;
      }
    }
    m_report.variables.push_back(std::move(variable));
  }

  /// \return False if no other wave can do better.
  bool AddRow(Thread &thread, StackFrame &frame, const WaveFacts &wave,
              Report::Variable &variable) {
    Report::Row row;
    row.wave = wave.name;
    llvm::Expected<LaneSet> lanes = GetLanes(frame);
    if (!lanes) {
      llvm::consumeError(lanes.takeError());
      return true;
    }
    row.values.resize(lanes->count);
    FocusLaneScope scope(thread);
    for (uint32_t lane = 0; lane < lanes->count; ++lane) {
      Report::Value &value = row.values[lane];
      value.kind = Report::Value::eInactive;
      if (!lanes->active.test(lane))
        continue;
      scope.Select(lane);
      StackFrameSP frame_sp = thread.GetStackFrameAtIndex(0);
      if (!frame_sp)
        return true;
      bool hopeless = false;
      LaneValue read = ReadLaneValue(*frame_sp, variable.expression,
                                     /*with_bytes=*/false, hopeless);
      if (hopeless && variable.rows.empty()) {
        variable.error = read.text;
        return false;
      }
      value.kind = read.is_error ? Report::Value::eError : Report::Value::eShown;
      value.number = read.number;
      value.text = read.text.size() > g_most_text
                       ? read.text.substr(0, g_most_text) + " ..."
                       : read.text;
    }
    variable.rows.push_back(std::move(row));
    return true;
  }

  ProcessAMDGPU &m_process;
  Debugger &m_debugger;
  Report m_report;
  std::vector<WaveFacts> m_waves;
  std::map<uint64_t, Place> m_places;
  bool m_interrupted = false;
};

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_report_options[] = {
    WordOption("variable", 'v', eArgTypeExpression,
               "Show the values of a variable or expression in each lane of the "
               "waves. May be given several times."),
    WordOption("waves", 'w', eArgTypeCount,
               "Of how many waves values are shown (default: 64)."),
};

class ReportOptions : public Options {
public:
  Status SetOptionValue(uint32_t option_idx, llvm::StringRef option_arg,
                        ExecutionContext *) override {
    if (g_report_options[option_idx].short_option == 'v')
      variables.push_back(option_arg.str());
    else if (option_arg.getAsInteger(0, waves) || !waves)
      return Status::FromErrorStringWithFormat("'%s' is no number of waves", option_arg.str().c_str());
    return Status();
  }
  void OptionParsingStarting(ExecutionContext *) override {
    variables.clear();
    waves = g_usual_waves;
  }
  llvm::ArrayRef<OptionDefinition> GetDefinitions() override {
    return g_report_options;
  }
  void HandleOptionArgumentCompletion(CompletionRequest &request,
                                      OptionElementVector &options, int index,
                                      CommandInterpreter &interpreter) override {
    const int definition = options[index].opt_defs_index;
    if (definition >= 0 && g_report_options[definition].short_option == 'v')
      CompleteVariables(interpreter, request);
  }

  std::vector<std::string> variables;
  uint32_t waves = g_usual_waves;
};

class ReportCommand : public CommandObjectParsed {
public:
  explicit ReportCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "wavelane report",
            "Write a page of HTML that shows where the waves of the GPU are, which "
            "lanes run, and values in them.",
            "wavelane report <file> [--variable <expression>]... [--waves <n>]",
            eCommandTryTargetAPILock) {
    AddSimpleArgumentList(eArgTypeFilename);
    SetHelpLong(R"(
The page needs nothing but itself: send it to someone, or keep it beside a bug.
It shows how far each kernel is, how many waves stand at each line and why, which
lanes are active, and the values of variables as a map: a row for each wave, a
cell for each lane, brighter for higher numbers, with the value in a tooltip.
Values are those of the waves in the selected wave's function; where the GPU's
target isn't selected, of the function with the most waves.

Examples:

(lldb) wavelane report out.html
(lldb) wavelane report out.html --variable i --variable x[i] --waves 16
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount() != 1) {
      result.AppendError("give the name of one file, as in `wavelane report "
                         "out.html`");
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    if (process->GetState() != eStateStopped) {
      result.AppendError("the GPU's process is not stopped: `process interrupt` "
                         "stops it");
      return;
    }
    FileSpec file(command[0].ref());
    FileSystem::Instance().Resolve(file);
    // Before the work that may be for nothing.
    std::error_code code;
    llvm::raw_fd_ostream out(file.GetPath(), code);
    if (code) {
      result.AppendErrorWithFormat("'%s' can't be written: %s\n",
                                   file.GetPath().c_str(),
                                   code.message().c_str());
      return;
    }
    ReportMaker maker(*process, m_interpreter.GetDebugger());
    llvm::Expected<Report> report =
        maker.Make(m_options.variables, m_options.waves);
    if (!report) {
      result.AppendErrorWithFormat("the waves can't be listed: %s\n",
                                   llvm::toString(report.takeError()).c_str());
      return;
    }
    out << WritePage(*report);
    out.close();
    if (out.has_error()) {
      result.AppendErrorWithFormat("'%s' can't be written: %s\n",
                                   file.GetPath().c_str(),
                                   out.error().message().c_str());
      out.clear_error();
      return;
    }
    for (const Report::Variable &variable : report->variables)
      if (!variable.error.empty())
        result.AppendWarningWithFormat("%s: %s\n", variable.expression.c_str(),
                                       variable.error.c_str());
    if (maker.WasInterrupted())
      result.AppendWarning("interrupted: the page says what it leaves out");
    result.AppendMessageWithFormat(
        "%" PRIu64 " wave%s at %zu place%s: %s\n", report->waves,
        report->waves == 1 ? "" : "s", report->lines.size(),
        report->lines.size() == 1 ? "" : "s", file.GetPath().c_str());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  ReportOptions m_options;
};

class Wavelane : public CommandGroup {
public:
  explicit Wavelane(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "wavelane",
                     "Commands for all of a program's waves and lanes at once.",
                     R"(
`help gpu`, `help thread lane` and `help dwarf` tell about Wavelane's other
commands.

Example:

(lldb) wavelane report out.html --variable i
)") {
    LoadSubCommand("report", std::make_shared<ReportCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeWavelaneCommand(CommandInterpreter &interpreter) {
  return std::make_shared<Wavelane>(interpreter);
}
