//===-- DwarfCommands.cpp - dwarf ... -------------------------*- C++ -*-===//

#include "CommandUtil.h"
#include "Commands.h"
#include "Lane/LaneFocus.h"
#include "Format/LocationJSON.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "SymbolFile/LaneDWARF/LaneAttributes.h"
#include "SymbolFile/LaneDWARF/FrameContext.h"
#include "lldb/Core/Module.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

namespace {

const uint32_t g_flags = eCommandRequiresFrame | eCommandTryTargetAPILock |
                         eCommandProcessMustBeLaunched |
                         eCommandProcessMustBePaused;

std::string ToHex(llvm::ArrayRef<uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    text += (text.empty() ? "" : " ") + llvm::toHex({byte}, /*LowerCase=*/true);
  return text;
}

/// What an expression leads to.
struct Outcome {
  struct Step {
    std::string operation;
    /// Afterwards, the top last.
    std::vector<std::string> stack;
  };
  std::vector<Step> steps;
  /// Set if the expression gives a value.
  std::string value;
  /// In words and for scripts; nothing where a value is no address.
  std::string location;
  std::optional<llvm::json::Value> place;
  /// The bytes there, and which of them (0xff) have no value.
  std::vector<uint8_t> bytes, undefined;
  /// Bytes that the object has, and the location lacks.
  uint64_t missing = 0;
  std::string read_error;
};

/// Runs \a bytes at \a frame. What was found before an error is in \a outcome.
llvm::Error Evaluate(StackFrame &frame, const DWARFUnit *unit,
                     llvm::ArrayRef<uint8_t> bytes,
                     std::optional<uint64_t> size, bool explain,
                     Outcome &outcome) {
  ThreadSP thread_sp = frame.GetThread();
  ProcessSP process_sp = thread_sp->GetProcess();
  FrameFacts facts(*process_sp, thread_sp.get(), &frame, GetFocusLane(frame));
  FrameContext context(facts,
                       frame.GetSymbolContext(eSymbolContextModule).module_sp,
                       unit, uint8_t(process_sp->GetAddressByteSize()));
  const location::EvaluationOptions options = context.GetOptions(bytes);
  auto note = [&](const location::Operation &operation,
                  llvm::ArrayRef<location::Entry> stack) {
    const std::string described = operation.describe(options.Decode);
    llvm::StringRef name = described;
    name.consume_front("DW_OP_");
    Outcome::Step step{name.str(), {}};
    for (const location::Entry &entry : stack)
      step.stack.push_back(entry.describe(&context));
    outcome.steps.push_back(std::move(step));
  };
  location::TraceFunction trace = note;
  llvm::Expected<location::Entry> entry =
      location::evaluate(bytes, context, location::ResultKind::Any, options, {},
                         explain ? &trace : nullptr);
  if (!entry)
    return entry.takeError();
  if (entry->IsValue)
    outcome.value = entry->describe(&context);
  llvm::Expected<location::Location> place =
      location::toLocation(*entry, context, options);
  if (!place) {
    // A value that is no address is a result as well.
    llvm::consumeError(place.takeError());
    return llvm::Error::success();
  }
  outcome.location = place->describe(&context);
  outcome.place = ToJSON(*place, context);
  if (place->Kind == location::StorageKind::Undefined || (size && *size == 0))
    return llvm::Error::success();
  // As many as the object has, or a person who types an expression wants to see
  // (up to an address); of these, as many as the location has.
  const uint64_t wanted = std::min<uint64_t>(
      size.value_or(process_sp->GetAddressByteSize()), 4096);
  uint64_t count = wanted;
  llvm::Expected<std::optional<location::BitCount>> bits =
      place->getStorageSize(context);
  if (!bits)
    llvm::consumeError(bits.takeError());
  else if (*bits && **bits > place->Offset)
    count = std::min<uint64_t>(
        count, std::max<uint64_t>(1, uint64_t((**bits - place->Offset) / 8)));
  std::vector<uint8_t> data(count), undefined(count);
  if (llvm::Error error = place->read(context, location::BitCount(count) * 8,
                                      data, undefined)) {
    outcome.read_error = llvm::toString(std::move(error));
    return llvm::Error::success();
  }
  outcome.bytes = std::move(data);
  outcome.undefined = std::move(undefined);
  outcome.missing = size ? wanted - count : 0;
  return llvm::Error::success();
}

void Print(const Outcome &outcome, bool explain, Stream &text) {
  if (explain)
    text.Printf("%-36s  %s\n", "operation", "stack afterwards, top last");
  for (const Outcome::Step &step : outcome.steps) {
    text.Printf("%-36s ", step.operation.c_str());
    for (size_t i = 0; i < step.stack.size(); ++i)
      text.Printf("%s [%s]", i ? "," : "", step.stack[i].c_str());
    text.EOL();
  }
  if (!outcome.value.empty())
    text.Printf("value: %s\n", outcome.value.c_str());
  if (!outcome.location.empty())
    text.Printf("location: %s\n", outcome.location.c_str());
  if (!outcome.read_error.empty())
    text.Printf("bytes: %s\n", outcome.read_error.c_str());
  if (outcome.bytes.empty())
    return;
  text.PutCString("bytes:");
  for (size_t i = 0; i < outcome.bytes.size(); ++i)
    text.Printf(outcome.undefined[i] ? " ??" : " %02x", outcome.bytes[i]);
  for (uint64_t i = 0; i < outcome.missing; ++i)
    text.PutCString(" ??");
  text.EOL();
}

void AddToJSON(const Outcome &outcome, llvm::json::Object &object) {
  llvm::json::Array steps;
  for (const Outcome::Step &step : outcome.steps)
    steps.push_back(llvm::json::Object{{"operation", step.operation},
                                       {"stack", llvm::json::Array(step.stack)}});
  object["steps"] = std::move(steps);
  if (!outcome.value.empty())
    object["value"] = outcome.value;
  if (!outcome.location.empty())
    object["location"] = outcome.location;
  if (outcome.place)
    object["place"] = *outcome.place;
  if (!outcome.read_error.empty())
    object["error"] = outcome.read_error;
  if (outcome.bytes.empty())
    return;
  object["bytes"] = llvm::toHex(outcome.bytes, /*LowerCase=*/true);
  llvm::json::Array undefined;
  for (size_t i = 0; i < outcome.bytes.size() + outcome.missing; ++i)
    if (i >= outcome.bytes.size() || outcome.undefined[i])
      undefined.push_back(int64_t(i));
  object["undefined_bytes"] = std::move(undefined);
}

/// Reads hexadecimal bytes, or operations.
llvm::Expected<std::vector<uint8_t>> ReadExpression(llvm::StringRef text,
                                                    uint8_t address_size) {
  std::string hex;
  for (char c : text)
    if (!llvm::isSpace(c))
      hex += c;
  if (!llvm::all_of(hex, llvm::isHexDigit)) {
    location::DecodeOptions options;
    options.AddressSize = address_size;
    return location::assembleText(text, options);
  }
  if (hex.size() % 2)
    return llvm::createStringError(
        "'%s' is no whole number of bytes in hexadecimal", text.str().c_str());
  const std::string bytes = llvm::fromHex(hex);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

//===----------------------------------------------------------------------===//

class ExpressionCommand : public StoppedCommand<CommandObjectRaw> {
public:
  ExpressionCommand(CommandInterpreter &interpreter, bool explain)
      : StoppedCommand(
            interpreter,
            explain ? "dwarf expression explain" : "dwarf expression evaluate",
            explain ? "Evaluate a DWARF expression in the selected frame and "
                      "lane, showing the stack after every operation."
                    : "Evaluate a DWARF expression in the selected frame and "
                      "lane.",
            explain ? "dwarf expression explain <operations or hex bytes>"
                    : "dwarf expression evaluate <operations or hex bytes>",
            g_flags),
        m_explain(explain) {
    SetHelpLong(R"(
The expression is given in hexadecimal or as operations, separated by
semicolons, with or without DW_OP_. The result is the location, and the bytes
there: as many as an address has.

Examples:

(lldb) dwarf expression evaluate bregx 8 0; push_lane; plus; stack_value
(lldb) dwarf expression explain 92 08 00 e9 03 22 9f
)");
  }

  bool WantsCompletion() override { return true; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    auto complete = [&](location::OperationCode code) {
      if (const location::OperationInfo *info = location::findOperation(code)) {
        llvm::StringRef name = info->Name;
        // People write names with or without DW_OP_, and the extension's with or
        // without LLVM.
        const std::string standard =
            name.consume_front("DW_OP_LLVM_") ? "DW_OP_" + name.str() : "";
        if (!standard.empty() && location::findOperation(standard)) {
          request.TryCompleteCurrentArg(standard);
          request.TryCompleteCurrentArg(name);
        }
        name = info->Name;
        request.TryCompleteCurrentArg(name);
        if (name.consume_front("DW_OP_"))
          request.TryCompleteCurrentArg(name);
      }
    };
    for (location::OperationCode code = 0; code < 0x100; ++code)
      complete(code);
    for (location::OperationCode code = 1; code <= 0x2020; ++code)
      complete(location::UserBit | code);
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    if (command.trim().empty()) {
      result.AppendErrorWithFormat("give an expression: %s\n",
                                   GetSyntax().str().c_str());
      return;
    }
    llvm::Expected<std::vector<uint8_t>> bytes = ReadExpression(
        command.trim(), uint8_t(m_exe_ctx.GetProcessRef().GetAddressByteSize()));
    if (!bytes) {
      result.AppendError(llvm::toString(bytes.takeError()));
      return;
    }
    StackFrame &frame = m_exe_ctx.GetFrameRef();
    DWARFDIE die = GetFunctionDIE(frame);
    Outcome outcome;
    llvm::Error error = Evaluate(frame, die ? die.GetCU() : nullptr, *bytes,
                                 std::nullopt, m_explain, outcome);
    StreamString text;
    Print(outcome, m_explain, text);
    if (!text.Empty())
      result.AppendMessage(text.GetString().rtrim());
    if (error)
      result.AppendError(llvm::toString(std::move(error)));
    else
      result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  const bool m_explain;
};

//===----------------------------------------------------------------------===//

constexpr OptionDefinition g_variable_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class VariableCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit VariableCommand(CommandInterpreter &interpreter)
      : StoppedCommand(
            interpreter, "dwarf variable",
            "Show where DWARF says that a variable is, step by step for the "
            "selected frame and lane, and its bytes there.",
            "dwarf variable [--json] <name>", g_flags),
        m_options(g_variable_options) {
    AddSimpleArgumentList(eArgTypeVarName);
    SetHelpLong(R"(
Each line shows an operation of the variable's expression and the stack after
it; below stand the location that results and the bytes there, lowest address
first.

Examples:

(lldb) dwarf variable i
(lldb) dwarf variable --json i
)");
  }
  Options *GetOptions() override { return &m_options; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    StackFrame *frame = m_interpreter.GetExecutionContext().GetFramePtr();
    if (!frame || request.GetCursorIndex() != 0)
      return;
    if (VariableListSP variables = frame->GetInScopeVariableList(true))
      for (const VariableSP &variable : *variables)
        request.TryCompleteCurrentArg(variable->GetName().GetStringRef());
  }

protected:
  void DoExecute(Args &command, CommandReturnObject &result) override {
    if (command.GetArgumentCount() != 1) {
      result.AppendError("give the name of one variable: `frame variable` lists "
                         "those of this frame");
      return;
    }
    StackFrame &frame = m_exe_ctx.GetFrameRef();
    VariableListSP variables = frame.GetInScopeVariableList(true);
    VariableSP variable;
    if (variables)
      variable = variables->FindVariable(ConstString(command[0].ref()));
    if (!variable) {
      result.AppendErrorWithFormat(
          "there is no variable '%s' in this frame: `frame variable` lists those "
          "that there are, `up` goes to the caller\n",
          command[0].c_str());
      return;
    }
    StreamString text;
    Type *type = variable->GetType();
    const uint64_t size =
        type ? llvm::expectedToOptional(type->GetByteSize(&frame)).value_or(0) : 0;
    text.Printf("%s: %s, %" PRIu64 " bytes\n", variable->GetName().AsCString(),
                type ? type->GetName().AsCString("") : "no type", size);
    llvm::json::Object object{
        {"name", variable->GetName().AsCString("")},
        {"type", type ? type->GetName().AsCString("") : ""},
        {"size", size},
        {"lane", GetFocusLane(frame)}};

    DWARFExpressionList &list = variable->LocationExpressionList();
    if (variable->GetLocationIsConstantValueData()) {
      text.PutCString("location: a constant in the debug information\n");
      object["location"] = "a constant in the debug information";
    } else if (!list.IsValid()) {
      text.PutCString("location: none (optimized out)\n");
      object["location"] = "none (optimized out)";
    } else {
      Target &target = m_exe_ctx.GetTargetRef();
      addr_t function_load_addr = LLDB_INVALID_ADDRESS;
      llvm::Expected<uint64_t> frame_pc =
          FrameFacts(*frame.CalculateProcess(), frame.CalculateThread().get(),
                     &frame, /*lane=*/0)
              .GetPC();
      const addr_t pc =
          frame_pc ? GetProgramLocation(frame, GetFocusLane(frame))
                         .value_or(*frame_pc)
                   : LLDB_INVALID_ADDRESS;
      if (!frame_pc)
        llvm::consumeError(frame_pc.takeError());
      SymbolContext sc;
      variable->CalculateSymbolContext(&sc);
      if (sc.function)
        function_load_addr =
            sc.function->GetAddress().GetLoadAddress(
                &target);
      lldb_private::DataExtractor data;
      if (!list.GetExpressionData(data, function_load_addr, pc)) {
        text.Printf("location: none at 0x%" PRIx64
                    " (optimized out here); elsewhere:\n",
                    pc);
        object["location"] = "none (optimized out here)";
        list.DumpLocations(&text, eDescriptionLevelBrief, function_load_addr,
                           LLDB_INVALID_ADDRESS,
                           m_exe_ctx.GetProcessRef().GetABI().get());
        text.EOL();
      } else {
        text.Printf("expression: %s\n", ToHex(data.GetData()).c_str());
        object["expression"] = llvm::toHex(data.GetData(), /*LowerCase=*/true);
        Outcome outcome;
        llvm::Error error = Evaluate(frame, FindUnit(sc, *variable),
                                     data.GetData(), size, /*explain=*/true,
                                     outcome);
        Print(outcome, /*explain=*/true, text);
        AddToJSON(outcome, object);
        if (error) {
          const std::string message = llvm::toString(std::move(error));
          text.Printf("error: %s\n", message.c_str());
          object["error"] = message;
        }
      }
    }
    if (m_options.Has('j'))
      return AppendJSON(result, std::move(object));
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  SimpleOptions m_options;

  static const DWARFUnit *FindUnit(const SymbolContext &sc,
                                   const Variable &variable) {
    SymbolFile *symbol_file =
        sc.module_sp ? sc.module_sp->GetSymbolFile() : nullptr;
    if (!symbol_file)
      return nullptr;
    auto *dwarf = llvm::dyn_cast_or_null<SymbolFileDWARF>(
        symbol_file->GetBackingSymbolFile());
    if (!dwarf)
      return nullptr;
    DWARFDIE die = dwarf->GetDIE(variable.GetID());
    return die ? die.GetCU() : nullptr;
  }
};

//===----------------------------------------------------------------------===//

class Dwarf : public CommandGroup {
public:
  explicit Dwarf(CommandInterpreter &interpreter)
      : CommandGroup(interpreter, "dwarf",
                     "Commands for DWARF expressions and where variables are in "
                     "the selected lane.",
                     R"(
Debug information says where a variable is with an expression, a small program
whose result is a location: memory of an address space, a register, a lane's
part of a vector register, or pieces of these. When a variable shows a value
that you don't believe, or none, these commands show how it was found.

Examples:

(lldb) dwarf variable i
(lldb) dwarf expression explain 92 08 00 e9 03 22 9f
(lldb) dwarf expression evaluate bregx 8 0; push_lane; plus; stack_value
)") {
    auto expression_sp = std::make_shared<CommandGroup>(
        interpreter, "dwarf expression",
        "Commands for DWARF expressions, given as operations or bytes.", R"(
Expressions run in the selected frame, with the focus lane. All of DWARF 5 is
known, and what its extensions for GPUs and SIMD add: lanes, address spaces,
locations on the stack, overlays.

Examples:

(lldb) dwarf expression evaluate breg7 8
(lldb) dwarf expression explain 91 2c
)");
    expression_sp->LoadSubCommand(
        "evaluate", std::make_shared<ExpressionCommand>(interpreter, false));
    expression_sp->LoadSubCommand(
        "explain", std::make_shared<ExpressionCommand>(interpreter, true));
    LoadSubCommand("expression", expression_sp);
    LoadSubCommand("variable", std::make_shared<VariableCommand>(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeDwarfCommand(CommandInterpreter &interpreter) {
  return std::make_shared<Dwarf>(interpreter);
}
