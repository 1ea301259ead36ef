//===-- ReportCommand.cpp - wavelane report -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportCommand.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "RankReport.h"
#include "Session/Job/Job.h"
#include "WaveReport.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Utility/Args.h"
#include "wavelane/Formats/Files/OutputFile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr uint32_t UsualWaves = 64;

constexpr OptionDefinition g_options[] = {
    WordOption("variable", 'v', eArgTypeExpression,
               "Show the values of a variable or expression in each lane of "
               "the waves. Can be repeated."),
    WordOption("waves", 'w', eArgTypeCount,
               "The number of waves whose values are shown (default: 64)."),
    WordOption("ranks", 'r', eArgTypeName,
               "The ranks of a job that are shown (default: all), as 0-3,7."),
};

class ReportOptions : public Options {
public:
  Status SetOptionValue(uint32_t option_idx, llvm::StringRef option_arg,
                        ExecutionContext *) override {
    if (g_options[option_idx].short_option == 'v')
      variables.push_back(option_arg.str());
    else if (g_options[option_idx].short_option == 'r')
      ranks = option_arg.str();
    else if (option_arg.getAsInteger(0, waves) || !waves)
      return Status::FromErrorStringWithFormatv("invalid number of waves '{0}'",
                                                option_arg);
    return Status();
  }
  void OptionParsingStarting(ExecutionContext *) override {
    variables.clear();
    ranks.clear();
    waves = UsualWaves;
  }
  llvm::ArrayRef<OptionDefinition> GetDefinitions() override {
    return g_options;
  }
  void
  HandleOptionArgumentCompletion(CompletionRequest &request,
                                 OptionElementVector &options, int index,
                                 CommandInterpreter &interpreter) override {
    const int definition = options[index].opt_defs_index;
    if (definition >= 0 && g_options[definition].short_option == 'v')
      CompleteVariables(interpreter, request);
  }

  std::vector<std::string> variables;
  std::string ranks;
  uint32_t waves = UsualWaves;
};

class ReportCommand : public CommandObjectParsed {
public:
  explicit ReportCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "wavelane report",
            "Write an HTML page that shows where the GPU's waves are, which "
            "lanes are active, and the values of variables.",
            "wavelane report <file> [--variable <expression>]... [--waves <n>] "
            "[--ranks <ranks>]",
            eCommandTryTargetAPILock) {
    AddSimpleArgumentList(eArgTypeFilename);
    SetHelpLong(R"(
The page is a single file: mail it, or attach it to a bug. It shows the
progress of each kernel, how many waves are at each line and why, which lanes
are active, and the values of variables as a map: a row for each wave, a cell
for each lane, brighter for higher numbers, with the value in a tooltip.
Values are from waves in the selected wave's function, or, if no wave is
selected, in the function with the most waves.
While the GPU runs, the page shows where the waves were, without values.
If a rank of a job is selected, the page is about all its ranks.

Examples:

(lldb) wavelane report out.html
(lldb) wavelane report out.html --variable i --variable x[i] --waves 16
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount() != 1) {
      result.AppendError(
          "the name of one file is required, as in `wavelane report "
          "out.html`");
      return;
    }
    std::shared_ptr<Job> job = FindJobOfSelection();
    if (!m_options.ranks.empty() && !job) {
      result.AppendError(
          "--ranks is for a job: `job launch` starts one, and `rank select` "
          "selects one of its ranks");
      return;
    }
    FileSpec file(command[0].ref());
    FileSystem::Instance().Resolve(file);
    if (job)
      ReportJob(*job, file, result);
    else if (ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result))
      ReportWaves(*process, file, result);
  }

private:
  /// The job of which the selected target is a rank, or null.
  std::shared_ptr<Job> FindJobOfSelection() {
    Debugger &debugger = m_interpreter.GetDebugger();
    std::shared_ptr<Job> job = Job::Find(debugger);
    TargetSP target_sp = debugger.GetSelectedTarget();
    return job && target_sp && job->FindRank(*target_sp) ? job : nullptr;
  }

  void ReportWaves(ProcessAMDGPU &process, const FileSpec &file,
                   CommandReturnObject &result) {
    if (!process.IsAlive()) {
      result.AppendError("the GPU's process has ended");
      return;
    }
    WaveReport maker(process, m_interpreter.GetDebugger());
    Write(file, result, [&]() -> std::optional<Page> {
      llvm::Expected<Report> report =
          maker.Make(m_options.variables, m_options.waves);
      if (!report) {
        result.AppendErrorWithFormat(
            "the waves can't be listed: %s\n",
            llvm::toString(report.takeError()).c_str());
        return std::nullopt;
      }
      WarnOfVariables(*report, "", result);
      if (maker.WasInterrupted())
        result.AppendWarning("interrupted: the page says what it leaves out");
      return Page{FormatCount(report->waves, "wave") + " at " +
                      FormatCount(report->lines.size(), "place"),
                  WritePage(*report)};
    });
  }

  void ReportJob(Job &job, const FileSpec &file, CommandReturnObject &result) {
    llvm::Expected<std::vector<RankSP>> ranks =
        job.ParseRanks(m_options.ranks.empty() ? "all" : m_options.ranks);
    if (!ranks) {
      result.AppendError(llvm::toString(ranks.takeError()));
      return;
    }
    if (job.IsRunning()) {
      result.AppendError("the job is running: `job interrupt` stops it");
      return;
    }
    Write(file, result, [&]() -> std::optional<Page> {
      bool was_interrupted = false;
      const JobReport report = MakeJobReport(job, *ranks, m_options.variables,
                                             m_options.waves, was_interrupted);
      uint64_t waves = 0;
      for (const JobReport::Part &part : report.parts) {
        if (!part.report)
          continue;
        waves += part.report->waves;
        WarnOfVariables(*part.report, llvm::formatv("rank {0}: ", part.rank),
                        result);
      }
      if (was_interrupted)
        result.AppendWarning("interrupted: the remaining ranks are left out");
      return Page{FormatCount(report.ranks.size(), "rank") + ", " +
                      FormatCount(waves, "wave"),
                  WritePage(report)};
    });
  }

  static void WarnOfVariables(const Report &report, const std::string &where,
                              CommandReturnObject &result) {
    for (const Report::Variable &variable : report.variables)
      if (!variable.error.empty())
        result.AppendWarningWithFormat("%s%s: %s\n", where.c_str(),
                                       variable.expression.c_str(),
                                       variable.error.c_str());
  }

  struct Page {
    /// What it shows, in a few words.
    std::string summary;
    std::string html;
  };

  /// Writes what \a make returns; nothing if it fails.
  static void Write(const FileSpec &file, CommandReturnObject &result,
                    llvm::function_ref<std::optional<Page>()> make) {
    const std::string path = file.GetPath();
    auto fail = [&](llvm::Error error) {
      result.AppendErrorWithFormat("can't write %s\n",
                                   llvm::toString(std::move(error)).c_str());
    };
    // Check this before the slow work.
    auto output = ::wavelane::files::OutputFile::create(path);
    if (!output)
      return fail(output.takeError());
    const std::optional<Page> page = make();
    if (!page)
      return;
    if (llvm::Error error = output->writeAndKeep(
            [&](llvm::raw_ostream &out) { out << page->html; }))
      return fail(std::move(error));
    result.AppendMessage(page->summary + ": " + path);
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

  ReportOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeReportCommand(CommandInterpreter &interpreter) {
  return std::make_shared<ReportCommand>(interpreter);
}
