//===-- CommandUtil.cpp -----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandUtil.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/Record/JSONSchema.h"
#include "lldb/Interpreter/CommandCompletions.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/CompletionRequest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

void lldb_private::wavelane::SimpleOptions::HandleOptionArgumentCompletion(
    CompletionRequest &request, OptionElementVector &options, int index,
    CommandInterpreter &interpreter) {
  const int definition = options[index].opt_defs_index;
  if (definition >= 0 && llvm::StringRef(m_definitions[definition].long_option)
                             .starts_with("lane"))
    return CompleteLanes(interpreter.GetExecutionContext(), request,
                         /*with_words=*/false);
  Options::HandleOptionArgumentCompletion(request, options, index, interpreter);
}

lldb_private::wavelane::CommandGroup::CommandGroup(
    CommandInterpreter &interpreter, const std::string &name,
    const std::string &help, const std::string &long_help)
    : CommandObjectMultiword(
          interpreter, name.c_str(), help.c_str(),
          (name + " <subcommand> [<subcommand-options>]").c_str()) {
  SetHelpLong("\n" + llvm::StringRef(long_help).trim().str() + "\n");
}

namespace {
struct Access : CommandObjectMultiword {
  static constexpr auto Subcommands = &Access::m_subcommand_dict;
};
} // namespace

CommandObject::CommandMap &
lldb_private::wavelane::GetSubcommands(CommandObjectMultiword &group) {
  return group.*Access::Subcommands;
}

void lldb_private::wavelane::CommandGroup::Execute(
    const char *args_string, CommandReturnObject &result) {
  Args words(args_string);
  if (!words.empty()) {
    StringList matches;
    if (!GetSubcommandObject(words[0].ref(), &matches) &&
        matches.GetSize() == 0) {
      result.AppendErrorWithFormat(
          "'%s' has no subcommand '%s': `help %s` lists its subcommands\n",
          GetCommandName().str().c_str(), words[0].c_str(),
          GetCommandName().str().c_str());
      return;
    }
  }
  CommandObjectMultiword::Execute(args_string, result);
}

void lldb_private::wavelane::CompleteLanes(const ExecutionContext &exe_ctx,
                                           CompletionRequest &request,
                                           bool with_words) {
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
    request.TryCompleteCurrentArg(
        std::to_string(lane), lanes->active.test(lane) ? "active" : "inactive");
}

void lldb_private::wavelane::CompleteLaneNames(const ExecutionContext &exe_ctx,
                                               CompletionRequest &request) {
  Process *process = exe_ctx.GetProcessPtr();
  std::shared_ptr<ProcessLanes> lanes =
      process ? ProcessLanes::Get(*process) : nullptr;
  if (!lanes)
    return;
  for (const NamedLane &named : lanes->GetLaneNames(*process))
    request.TryCompleteCurrentArg(named.name,
                                  llvm::formatv("lane {0}", named.lane).str());
}

void lldb_private::wavelane::CompleteVariables(CommandInterpreter &interpreter,
                                               CompletionRequest &request) {
  CommandCompletions::InvokeCommonCompletionCallbacks(
      interpreter, eVariablePathCompletion, request, nullptr);
}

bool lldb_private::wavelane::CheckName(const Args &command,
                                       CommandReturnObject &result) {
  if (command.GetArgumentCount() > 1) {
    result.AppendError("a name must be one word");
    return false;
  }
  if (command.empty())
    return true;
  llvm::StringRef name = command[0].ref();
  if (name.empty() || name.size() > 64 || !llvm::all_of(name, llvm::isPrint) ||
      name.contains('\'')) {
    result.AppendError(
        "a name must have 1 to 64 printable characters and no quotes");
    return false;
  }
  return true;
}

llvm::Expected<uint32_t>
lldb_private::wavelane::ParseLane(llvm::StringRef text, const LaneView &view) {
  uint32_t lane;
  if (text.getAsInteger(0, lane))
    return llvm::createStringError(
        "invalid lane number '" + text +
        "': `thread lane list` shows the lanes, `thread lane select --where " +
        text + "` selects the first lane for which it holds");
  if (llvm::Error error = view.CheckExists(lane))
    return std::move(error);
  return lane;
}

llvm::Expected<llvm::BitVector>
lldb_private::wavelane::ParseLanes(llvm::StringRef text, const LaneView &view) {
  llvm::BitVector lanes = view.GetActive();
  if (text == "active")
    return lanes;
  if (text == "inactive" || text == "all") {
    text == "all" ? lanes.set() : lanes.flip();
    // A partial wave has lanes without work-items. If the work-items of none
    // are known, all of them count.
    llvm::BitVector existing = lanes;
    for (uint32_t lane : lanes.set_bits())
      if (view.IsIdle(lane))
        existing.reset(lane);
    return existing.any() || view.GetActive().any() ? existing : lanes;
  }
  lanes.reset();
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
          "invalid lanes '%s': expected numbers and ranges such as 0-7,12, or "
          "all, active, inactive",
          part.str().c_str());
    if (llvm::Error error = view.CheckExists(last))
      return std::move(error);
    lanes.set(first, last + 1);
  }
  return lanes;
}

std::string lldb_private::wavelane::QuoteCommand(const char *const *argv) {
  std::string line = argv[0];
  for (const char *const *argument = argv + 1; *argument; ++argument) {
    line += " \"";
    for (const char *c = *argument; *c; ++c) {
      // Only these characters are special between double quotes.
      if (*c == '"' || *c == '\\' || *c == '`')
        line += '\\';
      line += *c;
    }
    line += '"';
  }
  return line;
}

void lldb_private::wavelane::NoteInactive(CommandReturnObject &result,
                                          uint32_t lane) {
  result.AppendMessageWithFormat(
      "lane %u is inactive: it doesn't execute here, "
      "and its values may be stale\n",
      lane);
}

void lldb_private::wavelane::NoteStale(CommandReturnObject &result,
                                       const std::string &stale) {
  result.AppendNoteWithFormat("stale: %s; it may have changed since\n",
                              stale.c_str());
}

void lldb_private::wavelane::AppendJSON(CommandReturnObject &result,
                                        llvm::json::Value value) {
  const auto add_schema = [](llvm::json::Value &to) {
    if (llvm::json::Object *object = to.getAsObject())
      (*object)[kSchemaKey] = kSchemaVersion;
  };
  add_schema(value);
  if (llvm::json::Array *array = value.getAsArray())
    llvm::for_each(*array, add_schema);
  AppendJSON(result, [&](llvm::json::OStream &stream) { stream.value(value); });
}

void lldb_private::wavelane::AppendJSON(
    CommandReturnObject &result,
    llvm::function_ref<void(llvm::json::OStream &)> write) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  // The writer writes single characters.
  stream.SetBufferSize(1 << 12);
  {
    llvm::json::OStream json(stream, /*IndentSize=*/2);
    write(json);
  }
  stream.flush();
  result.AppendMessage(text);
  result.SetStatus(eReturnStatusSuccessFinishResult);
}

std::optional<LaneView>
lldb_private::wavelane::GetLaneView(const ExecutionContext &exe_ctx,
                                    CommandReturnObject &result) {
  if (!exe_ctx.GetFramePtr()) {
    result.AppendError("no thread is selected, or it has no frame");
    return std::nullopt;
  }
  llvm::Expected<LaneView> view = LaneView::Get(exe_ctx.GetFrameRef());
  if (view)
    return std::move(*view);
  result.AppendError(llvm::toString(view.takeError()));
  return std::nullopt;
}

/// Splits off the first word, which may be in quotes.
static std::pair<llvm::StringRef, llvm::StringRef>
SplitArgument(llvm::StringRef text) {
  if (text.starts_with("'") || text.starts_with("\""))
    if (const size_t end = text.find(text.front(), 1);
        end != llvm::StringRef::npos)
      return {text.slice(1, end), text.substr(end + 1)};
  return text.split(' ');
}

/// Finds options behind an expression, as in `x[i] --lanes 0-3`. An operand is
/// never followed by `--` and a name in C++, so these aren't the expression's.
/// \return The text from the first of them on; empty if there are none.
static llvm::StringRef
FindTrailingOptions(llvm::StringRef text,
                    llvm::ArrayRef<OptionDefinition> definitions) {
  for (size_t at = text.find(" --"); at != llvm::StringRef::npos;
       at = text.find(" --", at + 1)) {
    const llvm::StringRef before = text.take_front(at).rtrim();
    const llvm::StringRef word = text.drop_front(at + 3).split(' ').first;
    const bool is_operand =
        !before.empty() && (llvm::isAlnum(before.back()) ||
                            llvm::StringRef("_)]'\"").contains(before.back()));
    if (is_operand &&
        llvm::any_of(definitions, [&](const OptionDefinition &known) {
          return word == known.long_option;
        }))
      return text.drop_front(at + 1);
  }
  return {};
}

/// Takes options from the beginning of \a left.
/// \return False after an error.
static bool TakeLeadingOptions(CommandObject &command_object,
                               SimpleOptions &options, llvm::StringRef &left,
                               ExecutionContext &exe_ctx,
                               CommandReturnObject &result) {
  llvm::ArrayRef<OptionDefinition> definitions = options.GetDefinitions();
  while (left.starts_with("-")) {
    auto [word, after] = left.split(' ');
    if (word == "--") {
      left = after;
      break;
    }
    const auto *definition = llvm::find_if(
        definitions, [&, word = word](const OptionDefinition &known) {
          return word == std::string("--") + known.long_option ||
                 (word.size() == 2 && word[1] == known.short_option);
        });
    if (definition == definitions.end()) {
      // A word such as -1 or --i is an expression, not an option.
      if (word.size() <= 2 || !word.starts_with("--") ||
          !llvm::isAlpha(word[2]) || !after.empty())
        break;
      result.AppendErrorWithFormat(
          "%s has no option '%s' (write -- before an expression)\n",
          command_object.GetCommandName().str().c_str(), word.str().c_str());
      return false;
    }
    llvm::StringRef argument;
    if (definition->option_has_arg != OptionParser::eNoArgument)
      std::tie(argument, after) = SplitArgument(after.ltrim());
    options.SetOptionValue(uint32_t(definition - definitions.begin()), argument,
                           &exe_ctx);
    left = after.trim();
  }
  left = left.trim();
  return true;
}

std::optional<std::string> lldb_private::wavelane::TakeOptions(
    CommandObject &command_object, SimpleOptions &options,
    llvm::StringRef command, llvm::StringRef needed, ExecutionContext &exe_ctx,
    CommandReturnObject &result) {
  options.NotifyOptionParsingStarting(&exe_ctx);
  llvm::StringRef left = command.trim();
  if (!TakeLeadingOptions(command_object, options, left, exe_ctx, result))
    return std::nullopt;
  llvm::StringRef behind = FindTrailingOptions(left, options.GetDefinitions());
  if (!behind.empty()) {
    left = left.drop_back(behind.size()).rtrim();
    if (!TakeLeadingOptions(command_object, options, behind, exe_ctx, result))
      return std::nullopt;
    if (!behind.empty()) {
      result.AppendErrorWithFormatv(
          "'{0}' follows an option; put options before the expression", behind);
      return std::nullopt;
    }
  }
  if (!left.empty())
    return left.str();
  result.AppendErrorWithFormatv("give {0}: {1}", needed,
                                command_object.GetSyntax());
  return std::nullopt;
}
