//===-- Overrides.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Overrides.h"
#include "BreakpointBinding.h"
#include "CommandUtil.h"
#include "Commands.h"
#include "Coupling/GPUCoupling.h"
#include "Job/Job.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/STLExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Runs commands on the whole program in the host target, whichever of the two
/// is selected.
static bool RunOnHostTarget(void *baton, const char **argv,
                            CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  lldb::TargetSP selected_sp = debugger->GetTargetList().GetSelectedTarget();
  std::shared_ptr<GPUCoupling> coupling_sp =
      selected_sp ? GPUCoupling::Find(*selected_sp) : nullptr;
  lldb::TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  if (!host_sp || host_sp == selected_sp || !argv || !argv[0])
    return false; // run the command itself
  coupling_sp->SelectHostTarget();
  // The running command's context can't change: run it again in another.
  const std::string line = QuoteCommand(argv);
  debugger->GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo, debugger->GetSelectedExecutionContext(),
      result);
  return true;
}

/// Runs `continue` for all ranks if a rank of a job is selected.
static bool ContinueJob(void *baton, const char **argv,
                        CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  std::shared_ptr<Job> job = Job::Find(*debugger);
  lldb::TargetSP selected_sp = debugger->GetTargetList().GetSelectedTarget();
  // With arguments, it is about a thread's breakpoint.
  if (!job || !job->IsAlive() || !selected_sp ||
      (argv && argv[0] && argv[1] && argv[2]) ||
      !(job->FindRank(*selected_sp) || job->GetHub() == selected_sp) ||
      !GetProcessAMDGPUProperties().RunsJobAsOne())
    return false; // run the command itself
  ContinueWithJob(*job, result);
  return true;
}

/// Whether a setting is about starting or following the program: the GPU's
/// target has it, too, but doesn't use it.
static bool IsProgramSetting(llvm::StringRef name) {
  static constexpr llvm::StringLiteral g_names[] = {
      "target.arg0",
      "target.run-args",
      "target.env-vars",
      "target.unset-env-vars",
      "target.inherit-env",
      "target.input-path",
      "target.output-path",
      "target.error-path",
      "target.detach-on-error",
      "target.disable-aslr",
      "target.disable-stdio",
      "target.launch-working-dir",
      "target.process.follow-fork-mode",
      "target.process.stop-on-exec",
      "target.process.detach-keeps-stopped",
  };
  // An element of a list or a dictionary is "target.env-vars[NAME]".
  return llvm::is_contained(g_names, name.split('[').first);
}

/// Applies `settings set target.env-vars ...` to the program even if a wave is
/// selected.
static bool SetOnHostTarget(void *baton, const char **argv,
                            CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  CommandInterpreter &interpreter = debugger->GetCommandInterpreter();
  Target *target = interpreter.GetExecutionContext().GetTargetPtr();
  std::shared_ptr<GPUCoupling> coupling_sp =
      target ? GPUCoupling::Find(*target) : nullptr;
  lldb::TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  if (!host_sp || host_sp.get() == target || !argv || !argv[0])
    return false; // run the command itself
  // A raw command comes as one string.
  const std::string line = argv[1] ? QuoteCommand(argv) : argv[0];
  const Args words(line);
  bool is_of_program = false;
  for (size_t i = 2; i < words.GetArgumentCount(); ++i) {
    llvm::StringRef word = words[i].ref();
    if (word.starts_with("-"))
      continue;
    is_of_program = IsProgramSetting(word);
    break;
  }
  if (!is_of_program)
    return false;
  interpreter.HandleCommand(
      line.c_str(), eLazyBoolNo,
      ExecutionContext(host_sp.get(), /*fill_current_process_thread_frame=*/
                       false),
      result);
  return true;
}

/// Runs `breakpoint set` in a program that doesn't use its GPU yet: finds the
/// places in GPU code in the program's file, and removes host locations that
/// only stand in for a kernel's line.
static bool SetBreakpoint(void *baton, const char **argv,
                          CommandReturnObject &result) {
  static thread_local bool is_nested = false;
  auto *debugger = static_cast<Debugger *>(baton);
  lldb::TargetSP target_sp = debugger->GetTargetList().GetSelectedTarget();
  Module *program =
      target_sp ? target_sp->GetExecutableModulePointer() : nullptr;
  if (is_nested || !program || !argv || !argv[0] ||
      ObjectContainerFatBinary::GetCodeObjects(*program).empty())
    return false; // run the command itself
  if (std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(*target_sp))
    if (coupling_sp->GetGPU() && coupling_sp->GetGPU()->IsAlive())
      return false;
  const std::string line = QuoteCommand(argv);
  const lldb::break_id_t last =
      target_sp->GetLastCreatedBreakpoint()
          ? target_sp->GetLastCreatedBreakpoint()->GetID()
          : 0;
  CommandReturnObject own(/*colors=*/false);
  is_nested = true;
  debugger->GetCommandInterpreter().HandleCommand(
      line.c_str(), eLazyBoolNo, debugger->GetSelectedExecutionContext(), own);
  is_nested = false;
  lldb::BreakpointSP breakpoint_sp = target_sp->GetLastCreatedBreakpoint();
  std::vector<std::string> bound;
  if (own.Succeeded() && breakpoint_sp && breakpoint_sp->GetID() != last)
    bound = BindToGPUCode(*target_sp, *breakpoint_sp);
  bool is_on_host = bound.empty();
  for (size_t i = 0; breakpoint_sp && i < breakpoint_sp->GetNumLocations(); ++i)
    is_on_host |= breakpoint_sp->GetLocationAtIndex(i)->IsEnabled();
  if (is_on_host && !own.GetOutputString().empty()) {
    // The program has GPU code, but none for this breakpoint.
    const bool is_host_only = bound.empty() && breakpoint_sp &&
                              breakpoint_sp->GetNumResolvedLocations();
    result.AppendMessage(own.GetOutputString().rtrim().str() +
                         (is_host_only ? " (host code only)" : ""));
  }
  for (const std::string &text : bound)
    result.AppendMessage(text);
  // Drop LLDB's warning about a breakpoint without host code if it has GPU
  // code.
  if (const std::string text = own.GetErrorString();
      !text.empty() && !(own.Succeeded() && !bound.empty()))
    result.GetErrorStream() << text;
  result.SetStatus(own.GetStatus());
  return true;
}

void lldb_private::wavelane::OverrideCommands(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  for (const char *name : {"launch", "attach", "detach", "kill"}) {
    llvm::StringRef rest = name;
    CommandObject *process = interpreter.GetCommandObject("process");
    if (CommandObject *command =
            process ? process->GetSubcommandObject(rest) : nullptr)
      command->SetOverrideCallback(RunOnHostTarget, &debugger);
  }
  llvm::StringRef go_on = "continue";
  CommandObject *process = interpreter.GetCommandObject("process");
  if (CommandObject *command =
          process ? process->GetSubcommandObject(go_on) : nullptr)
    command->SetOverrideCallback(ContinueJob, &debugger);
  for (const char *name : {"set", "show", "append", "clear", "insert-after",
                           "insert-before", "remove", "replace"}) {
    llvm::StringRef rest = name;
    CommandObject *settings = interpreter.GetCommandObject("settings");
    if (CommandObject *command =
            settings ? settings->GetSubcommandObject(rest) : nullptr)
      command->SetOverrideCallback(SetOnHostTarget, &debugger);
  }
  llvm::StringRef set = "set";
  CommandObject *breakpoint = interpreter.GetCommandObject("breakpoint");
  if (CommandObject *command =
          breakpoint ? breakpoint->GetSubcommandObject(set) : nullptr)
    command->SetOverrideCallback(SetBreakpoint, &debugger);
}
