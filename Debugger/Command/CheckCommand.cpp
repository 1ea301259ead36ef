//===-- CheckCommand.cpp - gpu check --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindGPU.h"
#include "GPUCommands.h"
#include "GPUObjects.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "wavelane/Server/Packets.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

namespace packets = ::wavelane::server::packets;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON, with all fields."),
};

/// What both subcommands do: get the findings.
class FindingsCommand : public CommandObjectParsed {
public:
  FindingsCommand(CommandInterpreter &interpreter, const char *name,
                  const char *help, const char *syntax)
      : CommandObjectParsed(interpreter, name, help, syntax,
                            eCommandTryTargetAPILock),
        m_options(g_options) {}
  Options *GetOptions() override { return &m_options; }

protected:
  /// \return Null after an error, which is in \a result.
  StructuredData::ArraySP GetFindings(ProcessAMDGPU &process,
                                      CommandReturnObject &result) {
    llvm::Expected<StructuredData::ArraySP> findings =
        ListObjects(process, packets::objects::Finding);
    if (findings)
      return *findings;
    result.AppendErrorWithFormat("the findings can't be listed: %s\n",
                                 llvm::toString(findings.takeError()).c_str());
    return nullptr;
  }

  SimpleOptions m_options;
};

/// The line of the first frame that has one: "saxpy.hip:12".
std::string GetPlace(const Dictionary &side) {
  StructuredData::Array *frames = nullptr;
  std::string place;
  if (!side.GetValueForKeyAsArray("frames", frames))
    return place;
  ForEachObject(*frames, [&](Dictionary &frame) {
    const std::string file = GetText(frame, "file");
    if (place.empty() && !file.empty())
      place = llvm::formatv("{0}:{1}", llvm::StringRef(file).rsplit('/').second,
                            GetNumber(frame, "line").value_or(0))
                  .str();
  });
  return place;
}

/// gpu check list
class CheckListCommand : public FindingsCommand {
public:
  explicit CheckListCommand(CommandInterpreter &interpreter)
      : FindingsCommand(interpreter, "gpu check list",
                        "List what the checks have found so far.",
                        "gpu check list [--json]") {
    SetHelpLong(R"(
Shows each finding's number, its check, what was found, and where. Findings at one
instruction are one; `continue` goes on to the next.

Example:

(lldb) gpu check list
)");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    StructuredData::ArraySP findings =
        process ? GetFindings(*process, result) : nullptr;
    if (!findings)
      return;
    StreamString text;
    if (m_options.Has('j')) {
      findings->Dump(text, /*pretty_print=*/true);
    } else if (findings->GetSize() == 0) {
      text << "no findings ('settings show plugin.process.amdgpu.check' tells "
              "what is checked)";
    }
    if (!m_options.Has('j'))
      ForEachObject(*findings, [&](Dictionary &finding) {
        const std::string variable = GetText(finding, "variable");
        Dictionary *here = nullptr;
        finding.GetValueForKeyAsDictionary("here", here);
        const std::string place = here ? GetPlace(*here) : "";
        text.Format("{0,3}  {1,-6}  {2}{3}{4}\n",
                    GetNumber(finding, "id").value_or(0),
                    GetText(finding, "check"), GetText(finding, "text"),
                    variable.empty() ? "" : ", " + variable,
                    place.empty() ? "" : ", at " + place);
      });
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

/// gpu check info
class CheckInfoCommand : public FindingsCommand {
public:
  explicit CheckInfoCommand(CommandInterpreter &interpreter)
      : FindingsCommand(interpreter, "gpu check info",
                        "Describe a finding: both sides, with the commands "
                        "that go there.",
                        "gpu check info [--json] <number>") {
    AddSimpleArgumentList(eArgTypeUnsignedInteger);
    SetHelpLong(R"(
Shows the report of a finding: its line, lanes, variable and values, the other access
of a race, and where the memory was made and freed. For each side whose wave is still
there, a last line says how to select it.

Example:

(lldb) gpu check info 1
)");
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    uint64_t wanted = 0;
    if (command.GetArgumentCount() != 1 ||
        command[0].ref().getAsInteger(10, wanted)) {
      result.AppendError("name one finding by its number: 'gpu check list' "
                         "shows them");
      return;
    }
    ProcessAMDGPU *process = FindGPUProcess(m_interpreter, &result);
    StructuredData::ArraySP findings =
        process ? GetFindings(*process, result) : nullptr;
    if (!findings)
      return;
    bool found = false;
    StreamString text;
    ForEachObject(*findings, [&](Dictionary &finding) {
      if (GetNumber(finding, "id") != wanted)
        return;
      found = true;
      if (m_options.Has('j')) {
        finding.Dump(text, /*pretty_print=*/true);
        return;
      }
      llvm::SmallVector<llvm::StringRef, 32> lines;
      const std::string report = GetText(finding, "report");
      llvm::StringRef(report).trim('\n').split(lines, '\n');
      for (llvm::StringRef line : lines) {
        line.consume_front("========= ");
        line.consume_front("=========");
        if (!line.trim().empty())
          text << line << '\n';
      }
      for (const char *side : {"here", "other"})
        DescribeWave(*process, finding, side, text);
    });
    if (!found) {
      result.AppendErrorWithFormat("there is no finding %" PRIu64
                                   ": 'gpu check list' shows them\n",
                                   wanted);
      return;
    }
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// Says how to select the wave and the lane of a side, if it is stopped.
  static void DescribeWave(ProcessAMDGPU &process, Dictionary &finding,
                           const char *side, Stream &text) {
    Dictionary *place = nullptr;
    StructuredData::Array *lanes = nullptr;
    if (!finding.GetValueForKeyAsDictionary(side, place))
      return;
    const std::optional<Triple> workgroup = GetTriple(*place, "workgroup");
    const std::optional<uint64_t> number = GetNumber(*place, "wave");
    if (!workgroup || !number)
      return;
    llvm::Expected<StructuredData::ArraySP> waves =
        ListObjects(process, packets::objects::Wave);
    if (!waves) {
      llvm::consumeError(waves.takeError());
      return;
    }
    std::optional<uint64_t> lane;
    if (place->GetValueForKeyAsArray("lanes", lanes) && lanes->GetSize())
      lane = lanes->GetItemAtIndexAsInteger<uint64_t>(0);
    namespace key = packets::wave;
    const llvm::StringRef who =
        llvm::StringRef(side) == "here" ? "its wave" : "the other's wave";
    bool is_there = false;
    ForEachObject(**waves, [&](Dictionary &wave) {
      if (is_there || GetTriple(wave, key::Workgroup) != workgroup ||
          GetNumber(wave, key::WaveInWorkgroup) != number)
        return;
      ThreadSP thread_sp = process.GetThreadList().FindThreadByProtocolID(
          GetNumber(wave, key::Thread).value_or(0));
      if (!thread_sp)
        return;
      is_there = true;
      text.Format("{0}: 'thread select {1}'", who, thread_sp->GetIndexID());
      if (lane)
        text.Format(", 'thread lane select {0}'", *lane);
      text << '\n';
    });
    if (!is_there)
      text.Format("{0} has ended\n", who);
  }
};

class CheckCommand : public CommandGroup {
public:
  explicit CheckCommand(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "gpu check",
                     "Commands for what the checks of kernels have found.",
                     R"(
`settings set plugin.process.amdgpu.check memory,race` before `run` makes the
simulated GPU check each access: a wave stops in front of one that is wrong.

Examples:

(lldb) settings set plugin.process.amdgpu.check all
(lldb) run
(lldb) gpu check list
(lldb) gpu check info 1
)") {
    LoadSubCommand("info", std::make_shared<CheckInfoCommand>(interpreter));
    LoadSubCommand("list", std::make_shared<CheckListCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeCheckCommand(CommandInterpreter &interpreter) {
  return std::make_shared<CheckCommand>(interpreter);
}
