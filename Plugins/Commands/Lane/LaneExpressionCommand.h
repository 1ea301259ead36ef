//===-- LaneExpressionCommand.h - thread lane print and the like *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_LANE_LANEEXPRESSIONCOMMAND_H
#define WAVELANE_COMMANDS_LANE_LANEEXPRESSIONCOMMAND_H

#include "Commands/Base/CommandUtil.h"

namespace lldb_private {
namespace wavelane {

/// A command that takes options and an expression in the selected frame.
class LaneExpressionCommand : public StoppedCommand<CommandObjectRaw> {
public:
  LaneExpressionCommand(CommandInterpreter &interpreter, const char *name,
                        const char *help, const char *syntax,
                        llvm::ArrayRef<OptionDefinition> options)
      : StoppedCommand(interpreter, name, help, syntax, FrameCommandFlags),
        m_options(options) {}

  Options *GetOptions() override { return &m_options; }
  bool WantsCompletion() override { return true; }
  void HandleArgumentCompletion(CompletionRequest &request,
                                OptionElementVector &) override {
    CompleteVariables(m_interpreter, request);
  }

protected:
  virtual void Run(const std::string &expression,
                   CommandReturnObject &result) = 0;

  SimpleOptions m_options;

private:
  void DoExecute(llvm::StringRef command, CommandReturnObject &result) final {
    if (std::optional<std::string> expression = TakeOptions(
            *this, m_options, command, "an expression", m_exe_ctx, result))
      Run(*expression, result);
  }
};

} // namespace wavelane
} // namespace lldb_private

#endif
