//===-- WordActions.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WordActions.h"
#include "Commands/Base/CommandUtil.h"

#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Host/common/DiagnosticsRendering.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

#include <array>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static void Run(CommandInterpreter &interpreter,
                llvm::ArrayRef<std::string> words,
                CommandReturnObject &result) {
  std::vector<const char *> argv;
  for (const std::string &word : words)
    argv.push_back(word.c_str());
  argv.push_back(nullptr);
  interpreter.HandleCommand(QuoteCommand(argv.data()).c_str(), eLazyBoolNo,
                            result);
}

/// Runs a raw command, whose arguments aren't quoted.
static void RunRaw(CommandInterpreter &interpreter, const std::string &line,
                   CommandReturnObject &result) {
  interpreter.HandleCommand(line.c_str(), eLazyBoolNo, result);
}

/// The numbers of "1-3 5"; nullopt if \a text has another word.
static std::optional<std::set<uint32_t>> ParseNumbers(llvm::StringRef text) {
  std::set<uint32_t> numbers;
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    auto [first_text, last_text] = word.split('-');
    uint32_t first, last;
    if (first_text.getAsInteger(10, first) ||
        (last_text.empty() ? first_text : last_text).getAsInteger(10, last) ||
        last < first || last - first > 100000)
      return std::nullopt;
    for (uint32_t number = first; number <= last; ++number)
      numbers.insert(number);
  }
  return numbers;
}

void lldb_private::wavelane::ApplyToThreads(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  static const llvm::Regex g_form(
      "^apply +(all|[0-9][0-9 -]*) +((-[qsc] +)*)([^ 0-9-].*)$");
  llvm::SmallVector<llvm::StringRef, 5> parts;
  if (!g_form.match(groups[0], &parts)) {
    result.AppendError(
        "usage: thread apply all|NUMBERS COMMAND, such as 'thread apply 1-3 5 "
        "frame variable'; 'thread lane apply' is for lanes");
    return;
  }
  const std::optional<std::set<uint32_t>> numbers =
      ParseNumbers(parts[1] == "all" ? "" : parts[1]);
  Process *process = interpreter.GetExecutionContext().GetProcessPtr();
  if (!numbers || !process || !process->IsAlive()) {
    result.AppendError(numbers ? "the program isn't running"
                               : "invalid thread numbers");
    return;
  }
  const std::string command = parts[4].str();
  size_t count = 0;
  for (ThreadSP thread_sp : process->Threads()) {
    if (!numbers->empty() && !numbers->count(thread_sp->GetIndexID()))
      continue;
    ++count;
    const char *name = thread_sp->GetName();
    result.AppendMessage(
        llvm::formatv("thread #{0}{1}{2}:", thread_sp->GetIndexID(),
                      name ? ", " : "", name ? name : "")
            .str());
    ExecutionContext context(thread_sp);
    context.SetFrameSP(
        thread_sp->GetSelectedFrame(DoNoSelectMostRelevantFrame));
    CommandReturnObject own(/*colors=*/false);
    interpreter.HandleCommand(command.c_str(), eLazyBoolNo, context, own);
    if (const std::string text = own.GetOutputString().rtrim().str();
        !text.empty())
      result.AppendMessage(text);
    if (const std::string text = own.GetErrorString(); !text.empty())
      result.AppendMessage(llvm::StringRef(text).rtrim());
  }
  if (!count) {
    result.AppendError(
        "no thread has one of these numbers: 'thread list' shows "
        "them");
    return;
  }
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

void lldb_private::wavelane::SelectInferior(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  uint32_t number;
  if (groups[1].getAsInteger(10, number) || number == 0) {
    result.AppendError("inferiors count from 1: 'target list' lists them, from "
                       "0");
    return;
  }
  Run(interpreter, {"target", "select", std::to_string(number - 1)}, result);
}

void lldb_private::wavelane::SetCondition(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  Run(interpreter,
      {"breakpoint", "modify", "--condition", groups[2].trim().str(),
       groups[1].str()},
      result);
}

/// The setting for what is a wave's exception where a thread of the host gets
/// the signal; empty for other signals.
static llvm::StringRef GetWaveSetting(llvm::StringRef signal) {
  return llvm::StringSwitch<llvm::StringRef>(signal)
      .Case("SIGSEGV", "stop-on-memory-violation")
      .Case("SIGILL", "stop-on-illegal-instruction")
      .Case("SIGFPE", "stop-on-arithmetic-exception")
      .Case("SIGABRT", "stop-on-abort")
      .Case("SIGTRAP", "stop-on-trap")
      .Default("");
}

void lldb_private::wavelane::HandleSignals(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  std::vector<std::string> signals, command = {"process", "handle"};
  std::optional<bool> stop;
  llvm::SmallVector<llvm::StringRef, 8> words;
  groups[0].split(words, ' ', -1, /*KeepEmpty=*/false);
  bool is_all = false;
  for (llvm::StringRef word : words) {
    auto add = [&](const char *option, bool value) {
      command.insert(command.end(), {option, value ? "true" : "false"});
    };
    const bool is_no = word.starts_with("no");
    const llvm::StringRef action = is_no ? word.drop_front(2) : word;
    // In gdb, a signal that stops is printed, too.
    if (action == "stop") {
      add("--stop", !is_no);
      stop = !is_no;
      if (!is_no)
        add("--notify", true);
    } else if (action == "print") {
      add("--notify", !is_no);
      if (is_no) {
        add("--stop", false);
        stop = false;
      }
    } else if (action == "pass" || action == "ignore") {
      add("--pass", (action == "pass") != is_no);
    } else if (word == "all") {
      is_all = true;
    } else {
      signals.push_back(word.str());
    }
  }
  const bool only_shows = command.size() == 2;
  command.insert(command.end(), signals.begin(), signals.end());
  if ((signals.empty() && !is_all) || (is_all && !only_shows)) {
    result.AppendError(
        "usage: handle SIGNAL ... [stop|nostop] [print|noprint] [pass|nopass]; "
        "'process handle' lists the signals");
    return;
  }
  Run(interpreter, command, result);
  if (!stop || !result.Succeeded())
    return;
  for (const std::string &signal : signals)
    if (const llvm::StringRef setting = GetWaveSetting(signal);
        !setting.empty()) {
      const std::string name = "plugin.process.amdgpu." + setting.str();
      Run(interpreter, {"settings", "set", name, *stop ? "true" : "false"},
          result);
      result.AppendMessage("for waves: settings set " + name +
                           (*stop ? " true" : " false"));
    }
}

/// Stops where the runtime reports failed calls, if a condition holds or once.
static void CatchHIPError(CommandInterpreter &interpreter,
                          llvm::StringRef condition, bool once,
                          CommandReturnObject &result) {
  std::vector<std::string> command = {"breakpoint", "set", "--name",
                                      "__hipOnError"};
  if (!condition.empty())
    command.insert(command.end(), {"--condition", condition.str()});
  if (once)
    command.insert(command.end(), {"--one-shot", "true"});
  Run(interpreter, command, result);
}

void lldb_private::wavelane::CatchHIPErrors(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  CatchHIPError(interpreter, groups[1], /*once=*/false, result);
}

void lldb_private::wavelane::CatchHIPErrorOnce(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  CatchHIPError(interpreter, groups.size() > 2 ? groups[2] : "", /*once=*/true,
                result);
}

/// Whether \a name, with its '$', is that of a register or of an expression's
/// variable.
static bool IsKnown(const ExecutionContext &context, llvm::StringRef name) {
  RegisterContext *registers = context.GetRegisterContext();
  if (registers && registers->GetRegisterInfoByName(name.drop_front()))
    return true;
  Target *target = context.GetTargetPtr();
  return target && target->GetPersistentVariable(ConstString(name));
}

void lldb_private::wavelane::SetVariable(CommandInterpreter &interpreter,
                                         llvm::ArrayRef<llvm::StringRef> groups,
                                         CommandReturnObject &result) {
  llvm::StringRef text = groups[2].trim();
  const auto [name, value] = text.split('=');
  const ExecutionContext context = interpreter.GetExecutionContext();
  const bool is_new =
      name.starts_with("$") && !value.empty() && value.front() != '=' &&
      llvm::all_of(name.rtrim().drop_front(),
                   [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
      !IsKnown(context, name.rtrim());
  RunRaw(interpreter,
         (is_new ? "expression -- auto " : "expression -- ") + text.str(),
         result);
}

/// The first error of the compiler, or what else is wrong with a value.
static std::string GetFirstError(const ValueObjectSP &value_sp) {
  std::string text;
  if (value_sp)
    llvm::handleAllErrors(
        value_sp->GetError().Clone().takeError(),
        [&](const DiagnosticError &error) {
          for (const DiagnosticDetail &detail : error.GetDetails())
            if (detail.severity == eSeverityError && text.empty())
              text = detail.message;
        },
        [&](const llvm::ErrorInfoBase &error) { text = error.message(); });
  return text.empty() ? "it has no value" : text;
}

/// The type of an expression, which isn't evaluated, or of a type's name; none
/// with an error in \a result.
static CompilerType FindType(CommandInterpreter &interpreter,
                             llvm::StringRef expression,
                             CommandReturnObject &result) {
  ExecutionContext context = interpreter.GetExecutionContext();
  Target *target = context.GetTargetPtr();
  if (!target) {
    result.AppendError(
        "there is no program: 'file PROGRAM' names one, 'run' starts it");
    return {};
  }
  // A variable's type has the names that the source has for it.
  if (StackFrame *frame = context.GetFramePtr()) {
    VariableSP variable_sp;
    Status error;
    if (ValueObjectSP value_sp = frame->GetValueForVariableExpressionPath(
            expression, eNoDynamicValues,
            StackFrame::eExpressionPathOptionCheckPtrVsMember, variable_sp,
            error))
      if (error.Success() && value_sp->GetError().Success())
        if (CompilerType type = value_sp->GetCompilerType())
          return type;
  }
  ValueObjectSP value_sp;
  const std::string pointer = "(__typeof__(" + expression.str() + ") *)nullptr";
  target->EvaluateExpression(pointer, context.GetFramePtr(), value_sp,
                             EvaluateExpressionOptions());
  if (!value_sp || value_sp->GetError().Fail()) {
    result.AppendErrorWithFormatv("'{0}': {1}", expression,
                                  GetFirstError(value_sp));
    return {};
  }
  return value_sp->GetCompilerType().GetCanonicalType().GetPointeeType();
}

/// Watches what an expression refers to. `watchpoint set expression` would take
/// its address for the value, and a pointer's size.
static void WatchLocation(CommandInterpreter &interpreter,
                          llvm::StringRef expression, const CompilerType &type,
                          uint32_t kind, CommandReturnObject &result) {
  ExecutionContext context = interpreter.GetExecutionContext();
  Target &target = context.GetTargetRef();
  ValueObjectSP value_sp;
  target.EvaluateExpression("&(" + expression.str() + ")",
                            context.GetFramePtr(), value_sp,
                            EvaluateExpressionOptions());
  bool success = false;
  const addr_t address =
      value_sp ? value_sp->GetValueAsUnsigned(0, &success) : 0;
  if (!success) {
    result.AppendErrorWithFormatv("'{0}' isn't in memory: {1}", expression,
                                  GetFirstError(value_sp));
    return;
  }
  Status error;
  WatchpointSP watchpoint_sp = target.CreateWatchpoint(
      address, llvm::expectedToOptional(type.GetByteSize(nullptr)).value_or(0),
      &type, kind, error);
  if (!watchpoint_sp) {
    result.AppendErrorWithFormatv("'{0}' can't be watched: {1}", expression,
                                  error.AsCString(""));
    return;
  }
  watchpoint_sp->SetWatchSpec(expression.str());
  Stream &stream = result.GetOutputStream();
  stream << "Watchpoint created: ";
  watchpoint_sp->GetDescription(&stream, eDescriptionLevelFull);
  stream.EOL();
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

/// \param name  The kind as `watchpoint set` has it.
static void Watch(CommandInterpreter &interpreter, llvm::StringRef expression,
                  uint32_t kind, const char *name,
                  CommandReturnObject &result) {
  static const llvm::Regex g_path(
      "^[A-Za-z_][A-Za-z0-9_]*((\\.|->)[A-Za-z_][A-Za-z0-9_]*|\\[[0-9]+\\])*$");
  static const llvm::Regex g_location("^-l(ocation)? +(.+)$");
  llvm::SmallVector<llvm::StringRef, 3> parts;
  const bool is_location = g_location.match(expression, &parts);
  if (is_location)
    expression = parts[2];
  expression = expression.trim();
  const CompilerType type = FindType(interpreter, expression, result);
  if (!type)
    return;
  if (is_location || !g_path.match(expression))
    WatchLocation(interpreter, expression, type, kind, result);
  else
    Run(interpreter,
        {"watchpoint", "set", "variable", "--watch", name, expression.str()},
        result);
}

void lldb_private::wavelane::WatchWrites(CommandInterpreter &interpreter,
                                         llvm::ArrayRef<llvm::StringRef> groups,
                                         CommandReturnObject &result) {
  Watch(interpreter, groups[1], LLDB_WATCH_TYPE_MODIFY, "modify", result);
}
void lldb_private::wavelane::WatchReads(CommandInterpreter &interpreter,
                                        llvm::ArrayRef<llvm::StringRef> groups,
                                        CommandReturnObject &result) {
  Watch(interpreter, groups[1], LLDB_WATCH_TYPE_READ, "read", result);
}
void lldb_private::wavelane::WatchAccesses(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  Watch(interpreter, groups[1], LLDB_WATCH_TYPE_READ | LLDB_WATCH_TYPE_WRITE,
        "read_write", result);
}

void lldb_private::wavelane::PrintTypeName(
    CommandInterpreter &interpreter, llvm::ArrayRef<llvm::StringRef> groups,
    CommandReturnObject &result) {
  const CompilerType type = FindType(interpreter, groups[1], result);
  if (!type)
    return;
  result.AppendMessage("type = " +
                       type.GetDisplayTypeName().GetStringRef().str());
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

void lldb_private::wavelane::PrintType(CommandInterpreter &interpreter,
                                       llvm::ArrayRef<llvm::StringRef> groups,
                                       CommandReturnObject &result) {
  CompilerType type = FindType(interpreter, groups[1], result);
  if (!type)
    return;
  // As gdb has it: the definition that is behind pointers and names.
  std::string pointers;
  CompilerType pointee = type.GetCanonicalType();
  for (; pointee.IsPointerType(); pointee = pointee.GetPointeeType())
    pointers += "*";
  std::string text = type.GetDisplayTypeName().GetStringRef().str();
  if (pointee.IsAggregateType() && !pointee.IsArrayType(nullptr)) {
    StreamString stream;
    pointee.DumpTypeDescription(&stream, eDescriptionLevelFull);
    text = stream.GetString().rtrim().str();
    if (!pointers.empty())
      text += " " + pointers;
  }
  result.AppendMessage("type = " + text);
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

//===----------------------------------------------------------------------===//
// cuda
//===----------------------------------------------------------------------===//

namespace {
/// A coordinate of cuda-gdb's focus.
struct Coordinate {
  llvm::StringRef name;
  std::vector<uint32_t> numbers; ///< none: it is to be shown
};
} // namespace

/// Parses "block (1,0) thread 17"; nullopt for other text.
static std::optional<std::vector<Coordinate>>
ParseCoordinates(llvm::StringRef text) {
  static const llvm::Regex g_one("^(kernel|grid|block|thread|device|sm|warp|"
                                 "lane)( *\\(? *([0-9][0-9, ]*)\\)?)?( +|$)");
  std::vector<Coordinate> coordinates;
  while (!(text = text.trim()).empty()) {
    llvm::SmallVector<llvm::StringRef, 5> parts;
    if (!g_one.match(text, &parts))
      return std::nullopt;
    Coordinate one{parts[1], {}};
    llvm::SmallVector<llvm::StringRef, 3> numbers;
    parts[3].split(numbers, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef number : numbers)
      if (number.trim().getAsInteger(10, one.numbers.emplace_back()))
        return std::nullopt;
    if (one.numbers.size() > 3)
      return std::nullopt;
    coordinates.push_back(std::move(one));
    text = text.drop_front(parts[0].size());
  }
  return coordinates;
}

/// Adds "blockIdx.x == 1 && ..." to a condition.
static void AddEqualities(std::string &condition, llvm::StringRef variable,
                          llvm::ArrayRef<uint32_t> numbers) {
  for (size_t i = 0; i < 3; ++i)
    condition +=
        llvm::formatv("{0}{1}.{2} == {3}", condition.empty() ? "" : " && ",
                      variable, "xyz"[i], i < numbers.size() ? numbers[i] : 0);
}

/// The focus lane's block.
static std::optional<std::vector<uint32_t>>
GetBlock(CommandInterpreter &interpreter) {
  ExecutionContext context = interpreter.GetExecutionContext();
  std::vector<uint32_t> numbers;
  for (const char *name : {"blockIdx.x", "blockIdx.y", "blockIdx.z"}) {
    ValueObjectSP value_sp;
    if (!context.GetTargetPtr() || !context.GetFramePtr())
      return std::nullopt;
    context.GetTargetPtr()->EvaluateExpression(
        name, context.GetFramePtr(), value_sp, EvaluateExpressionOptions());
    bool success = false;
    const uint64_t number =
        value_sp ? value_sp->GetValueAsUnsigned(0, &success) : 0;
    if (!success)
      return std::nullopt;
    numbers.push_back(uint32_t(number));
  }
  return numbers;
}

void lldb_private::wavelane::SelectCUDA(CommandInterpreter &interpreter,
                                        llvm::ArrayRef<llvm::StringRef> groups,
                                        CommandReturnObject &result) {
  const std::optional<std::vector<Coordinate>> coordinates =
      ParseCoordinates(groups[0]);
  if (!coordinates) {
    result.AppendError("usage: cuda [block X[,Y[,Z]]] [thread X[,Y[,Z]]] [warp "
                       "NUMBER] [lane NUMBER]");
    return;
  }
  std::optional<std::vector<uint32_t>> block, thread;
  std::optional<uint32_t> warp, lane;
  for (const Coordinate &one : *coordinates) {
    if (one.numbers.empty())
      continue;
    if (one.name == "block")
      block = one.numbers;
    else if (one.name == "thread")
      thread = one.numbers;
    else if (one.name == "warp")
      warp = one.numbers[0];
    else if (one.name == "lane")
      lane = one.numbers[0];
    else {
      result.AppendErrorWithFormatv(
          "'cuda {0}' isn't known here: 'gpu dispatch list' lists kernels, "
          "'gpu "
          "wave list dispatch=NUMBER' the waves of one",
          one.name);
      return;
    }
  }
  if (block || thread) {
    if (!block && !(block = GetBlock(interpreter))) {
      result.AppendError(
          "no wave is selected: 'thread list' shows the threads");
      return;
    }
    std::string condition;
    AddEqualities(condition, "blockIdx", *block);
    if (thread)
      AddEqualities(condition, "threadIdx", *thread);
    RunRaw(interpreter, "thread lane select --where --all-waves " + condition,
           result);
    return;
  }
  if (warp)
    Run(interpreter, {"thread", "select", std::to_string(*warp)}, result);
  if (lane && (!warp || result.Succeeded()))
    Run(interpreter, {"thread", "lane", "select", std::to_string(*lane)},
        result);
  if (!warp && !lane)
    Run(interpreter, {"thread", "lane", "info"}, result);
}
