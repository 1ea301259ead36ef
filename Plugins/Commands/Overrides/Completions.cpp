//===-- Completions.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Completions.h"
#include "Commands/Base/CommandUtil.h"
#include "Core/Support/OtherSide.h"
#include "SymbolFile/LaneDWARF/Builtins.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObjectMultiword.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/CompletionRequest.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static bool IsWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// Completes the built-in, or its member, at the end of an expression.
static void CompleteBuiltins(CompletionRequest &request,
                             llvm::StringRef expression) {
  size_t begin = expression.size();
  while (begin &&
         (IsWord(expression[begin - 1]) || expression[begin - 1] == '.'))
    --begin;
  const llvm::StringRef before = expression.take_front(begin);
  const llvm::StringRef word = expression.drop_front(begin);
  auto complete = [&](llvm::StringRef name) {
    if (!word.empty() && name.starts_with(word))
      request.AddCompletion((before + name).str(), "", CompletionMode::Partial);
  };
  for (const BuiltinVariable &builtin : GetBuiltinVariables()) {
    if (word.contains('.') && GetByteSize(builtin) == 12)
      for (const char *member : {".x", ".y", ".z"})
        complete(std::string(builtin.name) + member);
    else if (!word.contains('.'))
      complete(builtin.name);
  }
}

/// Completes a function's name by those of the program's other side.
static void CompleteFunctions(CommandInterpreter &interpreter,
                              CompletionRequest &request,
                              llvm::StringRef prefix) {
  constexpr size_t kMostNames = 1000;
  Target *target = interpreter.GetExecutionContext().GetTargetPtr();
  TargetSP other_sp = target ? GetOtherSide(*target) : nullptr;
  if (!other_sp || prefix.empty())
    return;
  ModuleFunctionSearchOptions options;
  options.include_symbols = true;
  SymbolContextList found;
  ModuleSP program_sp = other_sp->GetExecutableModule();
  const RegularExpression regex("^" + llvm::Regex::escape(prefix));
  for (const ModuleSP &module_sp : other_sp->GetImages().Modules())
    // Libraries of the host have too many.
    if (!program_sp || module_sp == program_sp ||
        module_sp->GetArchitecture().GetMachine() == llvm::Triple::amdgcn)
      module_sp->FindFunctions(regex, options, found);
  for (size_t i = 0; i < std::min<size_t>(found.GetSize(), kMostNames); ++i) {
    const llvm::StringRef name =
        found[i]
            .GetFunctionName(Mangled::ePreferDemangledWithoutArguments)
            .GetStringRef();
    if (name.starts_with(prefix))
      request.AddCompletion(name);
  }
}

namespace {

/// A command of LLDB's with more completions.
class CompletedCommand : public CommandObjectProxy {
public:
  CompletedCommand(CommandInterpreter &interpreter, CommandObjectSP command_sp)
      : CommandObjectProxy(interpreter,
                           command_sp->GetCommandName().str().c_str()),
        m_command_sp(std::move(command_sp)) {}

  CommandObject *GetProxyCommandObject() override { return m_command_sp.get(); }

  /// A script's callback for the command is this object's.
  void Execute(const char *words, CommandReturnObject &result) override {
    if (HasOverrideCallback()) {
      Args command(GetCommandName());
      command.AppendArguments(Args(words));
      if (InvokeOverrideCallback(command.GetConstArgumentVector(), result))
        return;
    }
    CommandObjectProxy::Execute(words, result);
  }

  void HandleCompletion(CompletionRequest &request) override {
    CommandObjectProxy::HandleCompletion(request);
    const llvm::StringRef prefix = request.GetCursorArgumentPrefix();
    const size_t cursor = request.GetCursorIndex();
    const Args &words = request.GetParsedLine();
    const llvm::StringRef option = cursor && cursor <= words.GetArgumentCount()
                                       ? words[cursor - 1].ref()
                                       : llvm::StringRef();
    if (option == "-c" || option == "--condition")
      CompleteBuiltins(request, prefix);
    else if (option == "-n" || option == "--name")
      CompleteFunctions(m_interpreter, request, prefix);
  }

private:
  const CommandObjectSP m_command_sp;
};

} // namespace

void lldb_private::wavelane::ExtendCompletions(
    CommandInterpreter &interpreter) {
  CommandObject *breakpoint = interpreter.GetCommandObject("breakpoint");
  CommandObjectMultiword *group =
      breakpoint ? breakpoint->GetAsMultiwordCommand() : nullptr;
  if (!group)
    return;
  CommandObject::CommandMap &commands = GetSubcommands(*group);
  if (auto set = commands.find("set"); set != commands.end())
    set->second = std::make_shared<CompletedCommand>(interpreter, set->second);
}
