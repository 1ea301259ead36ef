//===-- DwarfExpressionCommand.cpp - dwarf expression ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DwarfCommands.h"
#include "DwarfEvaluation.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "SymbolFile/LaneDWARF/FunctionEntry.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Utility/StreamString.h"
#include "wavelane/Location/Operation.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace engine = ::wavelane::location;

namespace {

/// Reads hexadecimal bytes, or operations.
llvm::Expected<std::vector<uint8_t>> ReadExpression(llvm::StringRef text,
                                                    uint8_t address_size) {
  std::string hex;
  for (char c : text)
    if (!llvm::isSpace(c))
      hex += c;
  if (!llvm::all_of(hex, llvm::isHexDigit)) {
    engine::DecodeOptions options;
    options.AddressSize = address_size;
    return engine::assembleText(text, options);
  }
  if (hex.size() % 2)
    return llvm::createStringError(
        "'%s' isn't a whole number of bytes in hexadecimal",
        text.str().c_str());
  const std::string bytes = llvm::fromHex(hex);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

class DwarfExpressionCommand : public StoppedCommand<CommandObjectRaw> {
public:
  DwarfExpressionCommand(CommandInterpreter &interpreter, bool explain)
      : StoppedCommand(
            interpreter,
            explain ? "dwarf expression explain" : "dwarf expression evaluate",
            explain ? "Evaluate a DWARF expression in the selected frame and "
                      "lane, showing the stack after every operation."
                    : "Evaluate a DWARF expression in the selected frame and "
                      "lane.",
            explain ? "dwarf expression explain <operations or hex bytes>"
                    : "dwarf expression evaluate <operations or hex bytes>",
            FrameCommandFlags),
        m_explain(explain) {
    SetHelpLong(R"(
Give the expression as hexadecimal bytes, or as operations separated by
semicolons, with or without DW_OP_. The result is the location, and as many
bytes there as an address has.

Examples:

(lldb) dwarf expression evaluate bregx 8 0; push_lane; plus; stack_value
(lldb) dwarf expression explain 92 08 00 e9 03 22 9f
)");
  }

  bool WantsCompletion() override { return true; }

  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    for (const engine::OperationInfo *info : engine::getOperations()) {
      llvm::StringRef name = info->Name;
      // Accept names with and without DW_OP_, and with or without LLVM for the
      // extension's.
      const std::string standard =
          name.consume_front("DW_OP_LLVM_") ? "DW_OP_" + name.str() : "";
      if (!standard.empty() && engine::findOperation(standard)) {
        request.TryCompleteCurrentArg(standard);
        request.TryCompleteCurrentArg(name);
      }
      name = info->Name;
      request.TryCompleteCurrentArg(name);
      if (name.consume_front("DW_OP_"))
        request.TryCompleteCurrentArg(name);
    }
  }

protected:
  void DoExecute(llvm::StringRef command,
                 CommandReturnObject &result) override {
    if (command.trim().empty()) {
      result.AppendErrorWithFormatv("an expression is required: {0}",
                                    GetSyntax());
      return;
    }
    llvm::Expected<std::vector<uint8_t>> bytes =
        ReadExpression(command.trim(),
                       uint8_t(m_exe_ctx.GetProcessRef().GetAddressByteSize()));
    if (!bytes) {
      result.AppendError(llvm::toString(bytes.takeError()));
      return;
    }
    StackFrame &frame = m_exe_ctx.GetFrameRef();
    DWARFDIE die = GetFunctionDIE(frame);
    DwarfEvaluation evaluation;
    llvm::Error error = evaluation.Run(frame, die ? die.GetCU() : nullptr,
                                       *bytes, std::nullopt, m_explain);
    StreamString text;
    evaluation.Print(text);
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

class DwarfExpressionGroup : public CommandGroup {
public:
  explicit DwarfExpressionGroup(CommandInterpreter &interpreter)
      : CommandGroup(
            interpreter, "dwarf expression",
            "Commands for DWARF expressions, given as operations or bytes.", R"(
Expressions run in the selected frame, with the focus lane. They may use all
of DWARF 5 and its extensions for GPUs and SIMD: lanes, address spaces,
locations on the stack, overlays.

Examples:

(lldb) dwarf expression evaluate breg7 8
(lldb) dwarf expression explain 91 2c
)") {
    LoadSubCommand("evaluate", std::make_shared<DwarfExpressionCommand>(
                                   interpreter, /*explain=*/false));
    LoadSubCommand("explain", std::make_shared<DwarfExpressionCommand>(
                                  interpreter, /*explain=*/true));
  }
};

} // namespace

CommandObjectSP lldb_private::wavelane::MakeDwarfExpressionCommand(
    CommandInterpreter &interpreter) {
  return std::make_shared<DwarfExpressionGroup>(interpreter);
}
