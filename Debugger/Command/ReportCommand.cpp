//===-- ReportCommand.cpp - wavelane report -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandUtil.h"
#include "Commands.h"
#include "FindGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "WaveReport.h"
#include "lldb/Host/FileSystem.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Utility/Args.h"
#include "llvm/Support/raw_ostream.h"

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
};

class ReportOptions : public Options {
public:
  Status SetOptionValue(uint32_t option_idx, llvm::StringRef option_arg,
                        ExecutionContext *) override {
    if (g_options[option_idx].short_option == 'v')
      variables.push_back(option_arg.str());
    else if (option_arg.getAsInteger(0, waves) || !waves)
      return Status::FromErrorStringWithFormatv("invalid number of waves '{0}'",
                                                option_arg);
    return Status();
  }
  void OptionParsingStarting(ExecutionContext *) override {
    variables.clear();
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
  uint32_t waves = UsualWaves;
};

class ReportCommand : public CommandObjectParsed {
public:
  explicit ReportCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "wavelane report",
            "Write an HTML page that shows where the GPU's waves are, which "
            "lanes are active, and the values of variables.",
            "wavelane report <file> [--variable <expression>]... [--waves <n>]",
            eCommandTryTargetAPILock) {
    AddSimpleArgumentList(eArgTypeFilename);
    SetHelpLong(R"(
The page is a single file: mail it, or attach it to a bug. It shows the
progress of each kernel, how many waves are at each line and why, which lanes
are active, and the values of variables as a map: a row for each wave, a cell
for each lane, brighter for higher numbers, with the value in a tooltip.
Values are from waves in the selected wave's function, or, if no wave is
selected, in the function with the most waves.

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
      result.AppendError(
          "the GPU's process is not stopped: `process interrupt` "
          "stops it");
      return;
    }
    FileSpec file(command[0].ref());
    FileSystem::Instance().Resolve(file);
    // Check this before the slow work.
    std::error_code code;
    llvm::raw_fd_ostream out(file.GetPath(), code);
    if (code) {
      result.AppendErrorWithFormat("'%s' can't be written: %s\n",
                                   file.GetPath().c_str(),
                                   code.message().c_str());
      return;
    }
    WaveReport maker(*process, m_interpreter.GetDebugger());
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
    result.AppendMessageWithFormatv(
        "{0} at {1}: {2}", FormatCount(report->waves, "wave"),
        FormatCount(report->lines.size(), "place"), file.GetPath());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  ReportOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeReportCommand(CommandInterpreter &interpreter) {
  return std::make_shared<ReportCommand>(interpreter);
}
