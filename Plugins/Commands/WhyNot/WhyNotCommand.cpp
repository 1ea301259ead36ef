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
#include <algorithm>
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

std::string Count(uint32_t count, llvm::StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s").str();
}

/// What has become of a breakpoint, without its options.
std::string StateOf(const LineFacts &facts, const LineBreakpoint &one) {
  using Program = LineFacts::Program;
  using State = LineBreakpoint::State;
  const bool may_pass = !one.enabled || !one.condition.empty() ||
                        !one.threads.empty() || !one.moved.empty();
  const std::string hits =
      one.hits                  ? Count(one.hits, "hit")
      : !one.is_gpu || may_pass ? "no hit"
      : one.state == State::Loaded && facts.program == Program::Runs
          ? "no hit so far: no lane has come there while it was enabled"
          : "no hit: its kernel wasn't launched, or no lane came there, while "
            "it was enabled";
  switch (one.state) {
  case State::Waits:
    return facts.program == Program::NotStarted
               ? "it waits for the program to run and load its GPU code"
               : "it waits for its GPU code, which isn't loaded yet";
  case State::Pending:
    return "no code is known for it; it waits for code that the program loads "
           "later";
  case State::Unloaded:
    return hits + "; its GPU code isn't loaded any more";
  case State::Ended: {
    const std::string end = facts.program == Program::Detached
                                ? "LLDB has detached from the program"
                                : "the program has ended";
    if (!facts.uses_gpu)
      return end + (facts.program == Program::Detached
                        ? ", which hadn't used a GPU"
                        : " without using a GPU");
    return one.was_loaded
               ? llvm::formatv("{0}; {1}", end, hits).str()
               : end + "; its GPU code wasn't loaded while it was set";
  }
  case State::Loaded:
    break;
  }
  switch (facts.program) {
  case Program::NotStarted:
    return "it waits for the program to run";
  case Program::Runs:
    if (one.enabled && !one.is_set)
      return "it couldn't be set in the program";
    return one.is_gpu && !one.hits && !may_pass ? hits : hits + " so far";
  case Program::Ended:
    return "the program has ended; " + hits;
  case Program::Detached:
    return "LLDB has detached from the program; " + hits;
  }
  llvm_unreachable("all are handled");
}

/// Options that let a breakpoint pass what comes there.
void AddOptions(const LineBreakpoint &one, std::vector<std::string> &texts) {
  if (one.ignore_count)
    texts.push_back("it ignores the next " + Count(one.ignore_count, "hit"));
  if (!one.condition.empty())
    texts.push_back("its condition is `" + one.condition + "`");
  if (!one.threads.empty())
    texts.push_back("it is only for " + one.threads);
  if (one.auto_continue)
    texts.push_back("it lets the program continue by itself");
  if (one.one_shot)
    texts.push_back("it is deleted at its first stop");
  if (!one.enabled)
    texts.push_back(
        llvm::formatv("it is disabled; `breakpoint enable {0}` "
                      "enables it",
                      one.breakpoint_enabled
                          ? llvm::StringRef(one.id)
                          : llvm::StringRef(one.id).split('.').first)
            .str());
}

void PrintBreakpoint(const LineFacts &facts, const LineBreakpoint &one,
                     Stream &out) {
  std::vector<std::string> texts = {StateOf(facts, one)};
  AddOptions(one, texts);
  const std::string place =
      !one.moved.empty() ? ": " + one.moved
      : !one.stops_in.empty()
          ? llvm::formatv(" is at {0}:{1}", one.stops_in, one.stops_at).str()
      : one.stops_at && one.stops_at != facts.line
          ? llvm::formatv(" is at line {0}", one.stops_at).str()
      : one.stops_at ? " is there"
                     : "";
  out.Format("Breakpoint {0}{1}{2} {3}.\n", one.id, place,
             one.moved.empty() ? ":" : ";", llvm::join(texts, "; "));
  if (!one.missing.empty())
    out.Format("Breakpoint {0}: {1}.\n", one.id, one.missing);
}

/// \param is_alone  The program has just been named: nobody has set one.
void PrintBreakpoints(const LineFacts &facts, bool is_alone, Stream &out) {
  if (facts.breakpoints.empty() && !is_alone)
    out.Format("No breakpoint is there: `breakpoint set -f {0} -l {1}` sets "
               "one.\n",
               facts.file, facts.line);
  for (const LineBreakpoint &one : facts.breakpoints)
    PrintBreakpoint(facts, one, out);
}

/// Why GPU code that the program brings along isn't loaded.
std::string WhyUnloaded(const LineFacts &facts) {
  using Program = LineFacts::Program;
  switch (facts.program) {
  case Program::NotStarted:
    return "The program hasn't loaded GPU code yet. It will load the code for "
           "its own GPU";
  case Program::Runs:
    return facts.uses_gpu ? "The program runs, and this code isn't loaded"
                          : "The program hasn't loaded GPU code yet. It will "
                            "load the code for its own GPU";
  case Program::Ended:
    return facts.uses_gpu ? "The program has ended, and no GPU code is loaded"
                          : "The program has ended without using a GPU";
  case Program::Detached:
    return "LLDB has detached from the program";
  }
  llvm_unreachable("all are handled");
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

void PrintCode(const LineFacts &facts, bool is_alone, Stream &out) {
  std::set<std::string> waiting;
  for (const LineCode &code : facts.code) {
    out.Format("{0}:{1} has code in {2}.\n", facts.file, facts.line,
               NameOf(code));
    if (!code.loaded && !code.gpu.empty())
      waiting.insert(code.gpu);
  }
  if (!waiting.empty())
    out.Format("{0}; there is code for {1}.\n", WhyUnloaded(facts),
               llvm::join(waiting, ", "));
  PrintBreakpoints(facts, is_alone, out);
  if (facts.lanes)
    PrintLanes(*facts.lanes, out);
  for (const MissingVariable &one : facts.missing)
    out.Format("'{0}' has no value there: {1}.\n", one.name,
               llvm::StringRef(one.reason).rtrim(".\n"));
}

/// One line, in each function that has it.
void PrintNearest(llvm::StringRef text, uint32_t line,
                  llvm::ArrayRef<LineCode> codes, Stream &out) {
  std::set<std::string> names;
  for (const LineCode &code : codes)
    if (code.line == line && names.insert(NameOf(code)).second)
      out.Format("{0} {1}, in {2}.\n", text, line, NameOf(code));
}

void PrintNoCode(const LineFacts &facts, Stream &out) {
  out.Format("{0}:{1} has no code.\n", facts.file, facts.line);
  uint32_t before = 0, after = UINT32_MAX;
  for (const LineCode &code : facts.before)
    before = std::max(before, code.line);
  for (const LineCode &code : facts.after)
    after = std::min(after, code.line);
  PrintNearest("The line before it with code is", before, facts.before, out);
  PrintNearest("The next line with code is", after, facts.after, out);
  PrintBreakpoints(facts, /*is_alone=*/true, out);
  if (facts.lines_in_file)
    out.Format("{0} has only {1}.\n", facts.source,
               Count(*facts.lines_in_file, "line"));
  else
    out.PutCString(
        "Comments, declarations, code that the compiler removed, code "
        "of an #if for another GPU, and templates that nothing uses "
        "have no code.\n");
}

void PrintBare(const LineFacts &facts, Stream &out) {
  if (!facts.bare.empty())
    out.Format("GPU code without debug information: {0}. Compile it with -g; "
               "until then, a breakpoint on a kernel's name works.\n",
               llvm::join(facts.bare, ", "));
}

void Print(const LineFacts &facts, bool is_alone, Stream &out) {
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
    PrintBreakpoints(facts, /*is_alone=*/true, out);
    return;
  case LineFacts::Kind::OtherPath:
    out.Format("The code was compiled from {0}.\nGive that path, or the "
               "file's name alone; `settings set target.source-map FROM TO` "
               "maps folders.\n",
               llvm::join(facts.paths, ", "));
    PrintBreakpoints(facts, /*is_alone=*/true, out);
    return;
  case LineFacts::Kind::NoCode:
    PrintNoCode(facts, out);
    return;
  case LineFacts::Kind::Code:
    PrintCode(facts, is_alone, out);
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
If the selected frame is at the line, it also looks at the frame's variables.

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
    if (!file.empty() && !number.getAsInteger(10, line) && !line) {
      result.AppendError("lines are counted from 1");
      return;
    }
    if (file.empty() || !line) {
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
      Print(facts, /*is_alone=*/m_options.Has('p'), result.GetOutputStream());
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
