//===-- WhyNotCommand.cpp - wavelane why-not ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WhyNotCommand.h"
#include "Commands/Base/CommandUtil.h"
#include "LineFacts.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandCompletions.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print a JSON object."),
    WordOption("program", 'p', eArgTypeFilename,
               "Make a target of this program first."),
};

/// "saxpy(float*) (saxpy.co, gfx90a)".
std::string NameOf(const LineCode &code) {
  return llvm::formatv("{0}{1}({2}{3}{4})", code.function,
                       code.function.empty() ? "" : " ", code.module,
                       code.gpu.empty() ? "" : ", ", code.gpu)
      .str();
}

void PrintBreakpoints(const LineFacts &facts, Stream &out) {
  if (facts.breakpoints.empty())
    out.Format("No breakpoint is there: `breakpoint set -f {0} -l {1}` sets "
               "one.\n",
               facts.file, facts.line);
  for (const LineBreakpoint &one : facts.breakpoints) {
    if (!one.moved.empty()) {
      out.Format("Breakpoint {0}: {1}.\n", one.id, one.moved);
      continue;
    }
    out.Format("Breakpoint {0} is there: ", one.id);
    if (!one.enabled)
      out.Format("it is disabled; `breakpoint enable {0}` enables it.\n",
                 one.id);
    else if (one.hits)
      out.Format("{0} hit{1} so far.\n", one.hits, one.hits == 1 ? "" : "s");
    else if (one.ignore_count)
      out.Format("it ignores the next {0} hits.\n", one.ignore_count);
    else if (!one.condition.empty())
      out.Format("no hit so far; its condition is `{0}`.\n", one.condition);
    else
      out.PutCString("no hit so far: no lane has come there since it was "
                     "set.\n");
    if (!one.missing.empty())
      out.Format("Breakpoint {0}: {1}.\n", one.id, one.missing);
  }
}

std::string ProgressOf(const LaneRecord &first, bool is_one) {
  switch (first.progress) {
  case LaneRecord::eStands:
    return (is_one ? " is at " : " are at ") + first.line;
  case LaneRecord::eGoesOn:
    return (is_one ? " is inactive, and continues at "
                   : " are inactive, and continue at ") +
           first.line;
  case LaneRecord::eDone:
    return is_one ? " has finished" : " have finished";
  case LaneRecord::eUnknown:
    return is_one ? " is elsewhere" : " are elsewhere";
  }
  llvm_unreachable("all are handled");
}

void PrintLanes(const LanesAtLine &lanes, Stream &out) {
  out.Format("{0}: ", FormatThread(lanes.thread, lanes.wave));
  if (lanes.there.empty())
    out.PutCString("no lane is there");
  else
    out.Format("{0} {1} there", NameLanes(lanes.there),
               lanes.there.size() == 1 ? "is" : "are");
  for (const auto &[first, others] : lanes.elsewhere)
    out.Format("; {0}{1}", NameLanes(others),
               ProgressOf(first, others.size() == 1));
  out.PutCString(".\n");
}

void PrintCode(const LineFacts &facts, Stream &out) {
  std::set<std::string> waiting;
  for (const LineCode &code : facts.code) {
    out.Format("{0}:{1} has code in {2}.\n", facts.file, facts.line,
               NameOf(code));
    if (!code.loaded && !code.gpu.empty())
      waiting.insert(code.gpu);
  }
  if (!waiting.empty())
    out.Format("The program hasn't loaded GPU code yet. It will load the code "
               "for its own GPU; there is code for {0}.\n",
               llvm::join(waiting, ", "));
  PrintBreakpoints(facts, out);
  if (facts.lanes)
    PrintLanes(*facts.lanes, out);
  for (const MissingVariable &one : facts.missing)
    out.Format("'{0}' has no value there: {1}.\n", one.name,
               llvm::StringRef(one.reason).rtrim(".\n"));
}

void PrintNoCode(const LineFacts &facts, Stream &out) {
  out.Format("{0}:{1} has no code.\n", facts.file, facts.line);
  // A line of a module without code before it is another function's.
  std::set<std::string> lines, modules;
  for (const LineCode &code : facts.before) {
    lines.insert(llvm::formatv("The line before it with code is {0}, in {1}.\n",
                               code.line, NameOf(code)));
    modules.insert(code.module);
  }
  for (const LineCode &code : facts.after)
    if (modules.empty() || modules.count(code.module))
      lines.insert(llvm::formatv("The next line with code is {0}, in {1}.\n",
                                 code.line, NameOf(code)));
  for (const std::string &line : lines)
    out.PutCString(line);
  if (!facts.breakpoints.empty())
    PrintBreakpoints(facts, out);
  out.PutCString("Comments, declarations, code that the compiler removed, code "
                 "of an #if for another GPU, and templates that nothing uses "
                 "have no code.\n");
}

void PrintBare(const LineFacts &facts, Stream &out) {
  if (!facts.bare.empty())
    out.Format("GPU code without debug information: {0}. Compile it with -g; "
               "until then, a breakpoint on a kernel's name works.\n",
               llvm::join(facts.bare, ", "));
}

void Print(const LineFacts &facts, Stream &out) {
  switch (facts.kind) {
  case LineFacts::Kind::NoProgram:
    out.PutCString("There is no program: `file PROGRAM` names one.\n");
    return;
  case LineFacts::Kind::NoDebugInfo:
    out.PutCString("No code of the program has debug information: compile it "
                   "with -g.\n");
    return;
  case LineFacts::Kind::NoFile:
    out.Format("No code with debug information was compiled from {0}.\n",
               facts.file);
    if (!facts.similar.empty())
      out.Format("Similar names: {0}.\n", llvm::join(facts.similar, ", "));
    PrintBare(facts, out);
    if (facts.similar.empty() && facts.bare.empty())
      out.PutCString("Code that the program loads later isn't known yet: a "
                     "pending breakpoint finds it.\n");
    return;
  case LineFacts::Kind::OtherPath:
    out.Format("The code was compiled from {0}.\nGive that path, or the "
               "file's name alone; `settings set target.source-map FROM TO` "
               "maps folders.\n",
               llvm::join(facts.paths, ", "));
    return;
  case LineFacts::Kind::NoCode:
    PrintNoCode(facts, out);
    return;
  case LineFacts::Kind::Code:
    PrintCode(facts, out);
    return;
  }
}

class WhyNotCommand : public CommandObjectParsed {
public:
  explicit WhyNotCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(
            interpreter, "wavelane why-not",
            "Say why a breakpoint on a source line stops nothing, and which "
            "lanes and variables aren't there.",
            "wavelane why-not <file>:<line> [--json] [--program <file>]"),
        m_options(g_options) {
    AddSimpleArgumentList(eArgTypeFilename);
    SetHelpLong(R"(
Looks for the line's code in the host's code and in that of each GPU, loaded or
not, at the breakpoints on it, and at the lanes of the selected thread.
If the selected frame stands on the line, also at its variables.

Example:

(lldb) wavelane why-not saxpy.hip:14
)");
  }

  Options *GetOptions() override { return &m_options; }

  void
  HandleArgumentCompletion(CompletionRequest &request,
                           OptionElementVector &opt_element_vector) override {
    CommandCompletions::InvokeCommonCompletionCallbacks(
        GetCommandInterpreter(), eSourceFileCompletion, request, nullptr);
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    uint32_t line = 0;
    auto [file, number] = command.GetArgumentCount() == 1
                              ? command[0].ref().rsplit(':')
                              : std::pair<llvm::StringRef, llvm::StringRef>();
    // A column, as compilers print it, is of no use.
    uint32_t column;
    if (auto [name, middle] = file.rsplit(':');
        !middle.getAsInteger(10, column)) {
      file = name;
      number = middle;
    }
    if (file.empty() || number.getAsInteger(10, line) || !line) {
      result.AppendError("a file and a line are required, as in `wavelane "
                         "why-not saxpy.hip:14`");
      return;
    }
    if (m_options.Has('p')) {
      TargetSP target_sp;
      Status error = GetDebugger().GetTargetList().CreateTarget(
          GetDebugger(), m_options.Get('p'), "", eLoadDependentsNo,
          /*platform_options=*/nullptr, target_sp);
      if (error.Fail()) {
        result.SetError(std::move(error));
        return;
      }
    }
    const LineFacts facts = FindLineFacts(GetDebugger(), FileSpec(file), line,
                                          m_exe_ctx.GetFramePtr());
    if (m_options.Has('j'))
      AppendJSON(result, toJSON(facts));
    else
      Print(facts, result.GetOutputStream());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeWhyNotCommand(CommandInterpreter &interpreter) {
  return std::make_shared<WhyNotCommand>(interpreter);
}
