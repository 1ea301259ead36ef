//===-- CommandUtil.cpp ---------------------------------------*- C++ -*-===//

#include "CommandUtil.h"
#include "Lane/LaneFocus.h"
#include "lldb/Interpreter/CommandCompletions.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/CompletionRequest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;

void wavelane::SimpleOptions::HandleOptionArgumentCompletion(
    CompletionRequest &request, OptionElementVector &options, int index,
    CommandInterpreter &interpreter) {
  const int definition = options[index].opt_defs_index;
  if (definition >= 0 &&
      llvm::StringRef(m_definitions[definition].long_option)
          .starts_with("lane"))
    return CompleteLanes(interpreter.GetExecutionContext(), request,
                         /*with_words=*/false);
  Options::HandleOptionArgumentCompletion(request, options, index, interpreter);
}

wavelane::CommandGroup::CommandGroup(CommandInterpreter &interpreter,
                                     const std::string &name,
                                     const std::string &help,
                                     const std::string &long_help)
    : CommandObjectMultiword(
          interpreter, name.c_str(), help.c_str(),
          (name + " <subcommand> [<subcommand-options>]").c_str()) {
  SetHelpLong("\n" + llvm::StringRef(long_help).trim().str() + "\n");
}

void wavelane::CommandGroup::Execute(const char *args_string,
                                     CommandReturnObject &result) {
  Args words(args_string);
  if (!words.empty()) {
    StringList matches;
    if (!GetSubcommandObject(words[0].ref(), &matches) &&
        matches.GetSize() == 0) {
      result.AppendErrorWithFormat(
          "'%s' has no subcommand '%s': `help %s` lists those that it has\n",
          GetCommandName().str().c_str(), words[0].c_str(),
          GetCommandName().str().c_str());
      return;
    }
  }
  CommandObjectMultiword::Execute(args_string, result);
}

void wavelane::CompleteLanes(const ExecutionContext &exe_ctx,
                             CompletionRequest &request, bool with_words) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (!frame)
    return;
  llvm::Expected<LaneSet> lanes = GetLanes(*frame);
  if (!lanes) {
    llvm::consumeError(lanes.takeError());
    return;
  }
  if (with_words)
    for (const char *word : {"all", "active", "inactive"})
      request.TryCompleteCurrentArg(word);
  for (uint32_t lane = 0; lane < lanes->count; ++lane)
    request.TryCompleteCurrentArg(std::to_string(lane), lanes->active.test(lane)
                                                            ? "active"
                                                            : "inactive");
}

void wavelane::CompleteVariables(CommandInterpreter &interpreter,
                                 CompletionRequest &request) {
  CommandCompletions::InvokeCommonCompletionCallbacks(
      interpreter, eVariablePathCompletion, request, nullptr);
}

bool lldb_private::wavelane::CheckName(const Args &command,
                                       CommandReturnObject &result) {
  if (command.GetArgumentCount() > 1) {
    result.AppendError("a name is one word");
    return false;
  }
  if (command.empty())
    return true;
  llvm::StringRef name = command[0].ref();
  if (name.empty() || name.size() > 64 || !llvm::all_of(name, llvm::isPrint) ||
      name.contains('\'')) {
    result.AppendError("a name has 1 to 64 printable characters and no quotes");
    return false;
  }
  return true;
}

std::string lldb_private::wavelane::FormatLanes(const llvm::BitVector &lanes) {
  std::string text;
  for (int first = lanes.find_first(); first >= 0;) {
    int end = lanes.find_next_unset(first);
    if (end < 0)
      end = int(lanes.size());
    if (!text.empty())
      text += ',';
    text += std::to_string(first);
    if (end - first > 1)
      text += '-' + std::to_string(end - 1);
    first = end < int(lanes.size()) ? lanes.find_next(end - 1) : -1;
  }
  return text;
}

llvm::Expected<llvm::BitVector>
wavelane::ParseLanes(llvm::StringRef text, uint32_t count,
                     const llvm::BitVector &active) {
  if (text == "all")
    return llvm::BitVector(count, true);
  if (text == "active")
    return active;
  if (text == "inactive") {
    llvm::BitVector lanes = active;
    lanes.flip();
    return lanes;
  }
  llvm::BitVector lanes(count);
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [from, to] = part.trim().split('-');
    uint32_t first, last;
    if (from.getAsInteger(10, first) ||
        (part.contains('-') ? to.getAsInteger(10, last)
                            : (last = first, false)) ||
        last < first)
      return llvm::createStringError(
          "'%s' names no lanes: give numbers and ranges as 0-7,12, or all, "
          "active, inactive",
          part.str().c_str());
    if (last >= count)
      return llvm::createStringError(
          count == 1 ? "lane %u does not exist: there is one lane, 0"
                     : "lane %u does not exist: there are lanes 0-%u",
          last, count - 1);
    lanes.set(first, last + 1);
  }
  return lanes;
}

void wavelane::AppendJSON(CommandReturnObject &result,
                          llvm::json::Value value) {
  result.AppendMessage(llvm::formatv("{0:2}", value).str());
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

static std::string FormatLineEntry(const LineEntry &entry) {
  if (!entry.IsValid())
    return {};
  std::string text = entry.GetFile().GetFilename().GetString();
  text += ':' + std::to_string(entry.line);
  if (entry.column)
    text += ':' + std::to_string(entry.column);
  return text;
}

std::string wavelane::FormatLine(StackFrame &frame) {
  return FormatLineEntry(
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry);
}

std::string wavelane::FormatPlace(Target &target, addr_t pc) {
  Address address;
  const SymbolContextItem scope =
      eSymbolContextLineEntry | eSymbolContextFunction | eSymbolContextSymbol;
  SymbolContext sc;
  if (!target.ResolveLoadAddress(pc, address))
    return llvm::formatv("{0:x}", pc).str();
  address.CalculateSymbolContext(&sc, scope);
  // What the compiler has put in between has line 0.
  const Function *function = sc.function;
  for (addr_t at = pc; sc.line_entry.IsValid() && sc.function == function;) {
    if (sc.line_entry.line)
      return FormatLineEntry(sc.line_entry);
    at += std::max<addr_t>(
        sc.line_entry.range.GetBaseAddress().GetLoadAddress(&target) +
            sc.line_entry.range.GetByteSize() - at,
        1);
    sc = SymbolContext();
    if (!target.ResolveLoadAddress(at, address))
      break;
    address.CalculateSymbolContext(&sc, scope);
  }
  StreamString text;
  target.ResolveLoadAddress(pc, address);
  address.Dump(&text, &target, Address::DumpStyleResolvedDescriptionNoModule);
  return text.GetString().empty() ? llvm::formatv("{0:x}", pc).str()
                                  : text.GetString().str();
}
