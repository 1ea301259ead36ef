//===-- CheckIgnoreCommand.cpp - gpu check ignore -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckCommands.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Commands/GPU/GPUObjects.h"
#include "FindingObjects.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("list", 'l', "List what is ignored."),
    WordOption("delete", 'd', eArgTypeUnsignedInteger,
               "Stop again at what this number of the list ignores."),
    Switch("clear", 'c', "Stop again at all findings."),
    Switch("json", 'j', "With --list, print JSON."),
};

class CheckIgnoreCommand : public CommandObjectParsed {
public:
  explicit CheckIgnoreCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "gpu check ignore",
            "Don't stop at findings like one that was seen, or at those that "
            "a suppression matches.",
            "gpu check ignore <number> | <suppression> | --list [--json] | "
            "--delete <n> | --clear",
            eCommandTryTargetAPILock),
        m_options(g_options) {
    AddSimpleArgumentList(eArgTypeNone, eArgRepeatStar);
    SetHelpLong(R"(
From now on, findings of the same kind at the same line, or those that a
suppression of wavelane-run matches, no longer stop waves. They are still
listed. A suppression is a kind of finding, a check or *, then any of kernel=,
function=, file= and line=. They are kept in the setting
plugin.process.amdgpu.check-ignore.

Examples:

(lldb) gpu check ignore 1
(lldb) gpu check ignore memory kernel="vendor::*"
(lldb) gpu check ignore --list
(lldb) gpu check ignore --delete 1
)");
  }
  Options *GetOptions() override { return &m_options; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteFindings(m_interpreter, request);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    ProcessAMDGPUProperties &properties = GetProcessAMDGPUProperties();
    std::vector<std::string> lines = properties.GetIgnoredFindings();
    const bool has_words = command.GetArgumentCount() != 0;
    const int choices = int(m_options.Has('l')) + int(m_options.Has('d')) +
                        int(m_options.Has('c')) + int(has_words);
    if (choices > 1) {
      result.AppendError(
          "expected a finding, a suppression, --list, --delete or --clear");
    } else if (m_options.Has('c')) {
      properties.SetIgnoredFindings({});
      result.SetStatus(eReturnStatusSuccessFinishNoResult);
    } else if (m_options.Has('d')) {
      Delete(lines, result);
    } else if (has_words) {
      Add(command, std::move(lines), result);
    } else {
      List(lines, result);
    }
  }

private:
  void List(const std::vector<std::string> &lines,
            CommandReturnObject &result) {
    if (m_options.Has('j'))
      return AppendJSON(result, llvm::json::Array(lines));
    StreamString text;
    for (size_t i = 0; i < lines.size(); ++i)
      text.Format("{0,3}  {1}\n", i + 1, lines[i]);
    if (lines.empty())
      text << "nothing is ignored";
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

  void Delete(std::vector<std::string> &lines, CommandReturnObject &result) {
    size_t number = 0;
    if (m_options.Get('d').getAsInteger(10, number) || !number ||
        number > lines.size()) {
      result.AppendErrorWithFormatv(
          "nothing has the number {0}: 'gpu check ignore --list' shows what is "
          "ignored",
          m_options.Get('d'));
      return;
    }
    lines.erase(lines.begin() + ptrdiff_t(number - 1));
    GetProcessAMDGPUProperties().SetIgnoredFindings(lines);
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  }

  /// The words as a suppression, with quotes where the shell's were.
  static std::string Join(const Args &command) {
    std::string line;
    for (const Args::ArgEntry &word : command) {
      auto [key, value] = word.ref().split('=');
      line += line.empty() ? "" : " ";
      if (!value.empty() && value.contains(' '))
        line += (key + "=\"" + value + "\"").str();
      else
        line += word.ref();
    }
    return line;
  }

  void Add(const Args &command, std::vector<std::string> lines,
           CommandReturnObject &result) {
    uint64_t number = 0;
    const bool is_number = command.GetArgumentCount() == 1 &&
                           !command[0].ref().getAsInteger(10, number);
    ProcessAMDGPU *process = is_number
                                 ? FindCheckedProcess(m_interpreter, result)
                                 : FindGPUProcess(m_interpreter, nullptr);
    std::string line = Join(command);
    if (is_number) {
      StructuredData::ArraySP findings =
          process ? GetFindings(*process, result) : nullptr;
      StructuredData::Dictionary *finding =
          findings ? FindFinding(*findings, command, result) : nullptr;
      if (!finding)
        return;
      line = GetText(*finding, "suppression");
    }
    if (llvm::is_contained(lines, line)) {
      result.AppendMessageWithFormatv("already ignored: {0}", line);
      result.SetStatus(eReturnStatusSuccessFinishResult);
      return;
    }
    lines.push_back(line);
    // Now, rather than when the program goes on, so that mistakes are reported.
    if (process && process->IsAlive() && process->IsLiveDebugSession()) {
      llvm::Expected<StructuredData::ObjectSP> answer = AskChecks(
          *process, llvm::json::Object{{"ignore", llvm::join(lines, "\n")}});
      if (!answer) {
        result.AppendErrorWithFormatv("{0}",
                                      llvm::toString(answer.takeError()));
        return;
      }
    }
    GetProcessAMDGPUProperties().SetIgnoredFindings(lines);
    result.AppendMessageWithFormatv(
        "ignored: {0} ('gpu check ignore --delete {1}' undoes this)", line,
        lines.size());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeCheckIgnoreCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<CheckIgnoreCommand>(interpreter);
}
