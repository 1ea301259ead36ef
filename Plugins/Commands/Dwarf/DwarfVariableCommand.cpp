//===-- DwarfVariableCommand.cpp - dwarf variable -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Lane/FrameFacts.h"
#include "Core/Lane/Provenance.h"
#include "DwarfCommands.h"
#include "DwarfEvaluation.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "SymbolFile/LaneDWARF/MissingLocations.h"
#include "lldb/Core/Module.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandOptionArgumentTable.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/Type.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/ABI.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/StreamString.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;

namespace {

constexpr OptionDefinition g_options[] = {
    Switch("json", 'j', "Print JSON."),
};

class DwarfVariableCommand : public StoppedCommand<CommandObjectParsed> {
public:
  explicit DwarfVariableCommand(CommandInterpreter &interpreter)
      : StoppedCommand(interpreter, "dwarf variable",
                       "Show how DWARF locates a variable, step by step for "
                       "the selected frame and lane, and its bytes there.",
                       "dwarf variable [--json] <name>", FrameCommandFlags),
        m_options(g_options) {
    AddSimpleArgumentList(eArgTypeVarName);
    SetHelpLong(R"(
Each line shows an operation of the variable's expression and the stack after
it, followed by the resulting location and the bytes there, lowest address
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
      result.AppendError(
          "the name of one variable is required: `frame variable` lists "
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
          "there is no variable '%s' in this frame: `frame variable` lists its "
          "variables, `up` goes to the caller\n",
          command[0].c_str());
      return;
    }
    llvm::json::Object object;
    StreamString text;
    Describe(frame, *variable, object, text);
    AddProvenance(frame, variable, object, text);
    if (m_options.Has('j'))
      return AppendJSON(result, std::move(object));
    result.AppendMessage(text.GetString().rtrim());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

private:
  /// Describes the variable as JSON and as text.
  static void Describe(StackFrame &frame, Variable &variable,
                       llvm::json::Object &object, Stream &text) {
    Type *type = variable.GetType();
    const char *type_name = type ? type->GetName().AsCString("") : "";
    const uint64_t size =
        type ? llvm::expectedToOptional(type->GetByteSize(&frame)).value_or(0)
             : 0;
    object["name"] = variable.GetName().AsCString("");
    object["type"] = type_name;
    object["size"] = size;
    object["lane"] = GetFocusLane(frame);
    text.Format("{0}: {1}, {2} bytes\n", variable.GetName(),
                type ? type_name : "no type", size);
    DWARFExpressionList &list = variable.LocationExpressionList();
    const char *nowhere = nullptr;
    if (variable.GetLocationIsConstantValueData())
      nowhere = "a constant in the debug information";
    else if (!list.IsValid())
      nowhere = "none (optimized out)";
    else
      return DescribeList(frame, variable, size, object, text);
    object["location"] = nowhere;
    text.Format("location: {0}\n", nowhere);
  }

  /// Whether the value is the current one, and if not, where it is from, or
  /// why there is none.
  static void AddProvenance(StackFrame &frame, const VariableSP &variable_sp,
                            llvm::json::Object &object, Stream &text) {
    ValueObjectSP value_sp =
        frame.GetValueObjectForFrameVariable(variable_sp, eNoDynamicValues);
    if (!value_sp)
      return;
    value_sp->UpdateValueIfNeeded(/*update_format=*/false);
    std::string why;
    if (value_sp->GetError().Fail()) {
      object["provenance"] =
          IsAmbiguous(*value_sp) ? "ambiguous" : "unavailable";
      why = value_sp->GetError().AsCString();
    } else if (std::optional<Provenance> from = GetProvenance(*value_sp)) {
      object["provenance"] = from->GetName();
      why = from->text;
    } else {
      object["provenance"] = "current";
      return;
    }
    object["note"] = why;
    text.Format("{0}: {1}\n", object["provenance"].getAsString()->str(), why);
  }

  /// The address to look up in location lists.
  static addr_t GetPC(StackFrame &frame) {
    llvm::Expected<uint64_t> frame_pc =
        FrameFacts(*frame.CalculateProcess(), frame.CalculateThread().get(),
                   &frame, /*lane=*/0)
            .GetPC();
    if (frame_pc)
      return GetProgramLocation(frame, GetFocusLane(frame)).value_or(*frame_pc);
    llvm::consumeError(frame_pc.takeError());
    return LLDB_INVALID_ADDRESS;
  }

  static void DescribeList(StackFrame &frame, Variable &variable, uint64_t size,
                           llvm::json::Object &object, Stream &text) {
    DWARFExpressionList &list = variable.LocationExpressionList();
    const addr_t pc = GetPC(frame);
    addr_t function_address = LLDB_INVALID_ADDRESS;
    SymbolContext sc;
    variable.CalculateSymbolContext(&sc);
    if (sc.function)
      function_address = sc.function->GetAddress().GetLoadAddress(
          frame.CalculateTarget().get());
    lldb_private::DataExtractor data;
    std::optional<lldb_private::DataExtractor> emitted;
    if (list.GetExpressionData(data, function_address, pc))
      emitted = GetEmittedLocation(data);
    if (!emitted) {
      object["location"] = "none (optimized out here)";
      text.Format("location: none at {0:x} (optimized out here); elsewhere:\n",
                  pc);
      if (sc.function)
        WithoutMissingLocations(list, *sc.function)
            .DumpLocations(&text, eDescriptionLevelBrief, function_address,
                           LLDB_INVALID_ADDRESS,
                           frame.CalculateProcess()->GetABI().get());
      text.EOL();
      return;
    }
    data = *emitted;
    const std::string hex = llvm::toHex(data.GetData(), /*LowerCase=*/true);
    object["expression"] = hex;
    text.PutCString("expression:");
    for (size_t i = 0; i < hex.size(); i += 2)
      text.Format(" {0}", llvm::StringRef(hex).substr(i, 2));
    text.EOL();
    DwarfEvaluation evaluation;
    llvm::Error error =
        evaluation.Run(frame, FindUnit(sc, variable), data.GetData(), size,
                       /*with_steps=*/true);
    evaluation.Print(text);
    evaluation.AddTo(object);
    if (!error)
      return;
    const std::string message = llvm::toString(std::move(error));
    object["error"] = message;
    text.Format("error: {0}\n", message);
  }

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

  SimpleOptions m_options;
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeDwarfVariableCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<DwarfVariableCommand>(interpreter);
}
