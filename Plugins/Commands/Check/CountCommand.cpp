//===-- CountCommand.cpp - gpu count --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckCommands.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Commands/Base/PrintJSON.h"
#include "Commands/GPU/GPUObjects.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("all", 'a', "Show all lines, not only the 20 most costly."),
    WordOption("file", 'f', eArgTypeFilename,
               "Show lines of the files whose paths contain this."),
    WordOption("function", 'n', eArgTypeFunctionName,
               "Show lines of the functions whose names contain this."),
    Switch("json", 'j', "Print JSON, with all fields of all lines."),
};

class CountCommand : public CommandObjectParsed {
public:
  explicit CountCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "gpu count",
            "Show what each source line of the kernels has cost so far.",
            "gpu count [--all] [--file <part>] [--function <part>] [--json]",
            eCommandTryTargetAPILock),
        m_options(g_options) {
    SetHelpLong(R"(
For each source line: how many instructions waves have executed, the mean of
active lanes, bytes of global memory, the transactions that its accesses need
and, in parentheses, the fewest, conflicts of local memory's banks, and how
often lanes diverged. The setting plugin.process.amdgpu.check must have
`count`.

Examples:

(lldb) settings set plugin.process.amdgpu.check count
(lldb) run
(lldb) gpu count
(lldb) gpu count --function reduce --all
)");
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    if (!process)
      return;
    llvm::json::Object request{{"lines", true}};
    if (m_options.Has('f'))
      request["file"] = m_options.Get('f');
    if (m_options.Has('n'))
      request["function"] = m_options.Get('n');
    if (m_options.Has('a'))
      request["most"] = int64_t(INT32_MAX);
    llvm::Expected<StructuredData::ObjectSP> answer =
        AskChecks(*process, std::move(request));
    if (!answer) {
      result.AppendErrorWithFormatv("{0}", llvm::toString(answer.takeError()));
      return;
    }
    StructuredData::Dictionary *reply =
        *answer ? (*answer)->GetAsDictionary() : nullptr;
    if (!reply) {
      result.AppendError("the server's answer isn't an object");
      return;
    }
    StructuredData::Array *lines = nullptr;
    if (m_options.Has('j') && reply->GetValueForKeyAsArray("lines", lines))
      return AppendJSON(result, *lines);
    if (!m_options.Has('j'))
      result.AppendMessage(llvm::StringRef(GetText(*reply, "table")).rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeCountCommand(CommandInterpreter &interpreter) {
  return std::make_shared<CountCommand>(interpreter);
}
