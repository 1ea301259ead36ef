//===-- FindGPU.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FindGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Session/Coupling/GPUCoupling.h"
#include "Session/Job/Job.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

ProcessAMDGPU *
lldb_private::wavelane::FindGPUProcess(CommandInterpreter &interpreter,
                                       CommandReturnObject *result,
                                       const char *none) {
  TargetList &targets = interpreter.GetDebugger().GetTargetList();
  if (auto *process = dynamic_cast<ProcessAMDGPU *>(
          interpreter.GetExecutionContext().GetProcessPtr()))
    return process;
  if (TargetSP target_sp = targets.GetSelectedTarget()) {
    if (auto *process =
            dynamic_cast<ProcessAMDGPU *>(target_sp->GetProcessSP().get()))
      return process;
    // The host of one of several programs.
    std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(*target_sp);
    std::shared_ptr<ProcessAMDGPU> process_sp =
        coupling_sp ? coupling_sp->GetGPU() : nullptr;
    if (process_sp && process_sp->IsAlive())
      return process_sp.get();
    std::shared_ptr<Job> job = Job::Find(interpreter.GetDebugger());
    if (RankSP rank = job ? job->FindRank(*target_sp) : nullptr) {
      if (result)
        result->AppendErrorWithFormatv("rank {0} doesn't use a GPU now",
                                       rank->GetNumber());
      return nullptr;
    }
  }
  ProcessAMDGPU *found = nullptr;
  for (size_t i = 0, e = targets.GetNumTargets(); i < e; ++i) {
    TargetSP target_sp = targets.GetTargetAtIndex(i);
    auto *process =
        target_sp
            ? dynamic_cast<ProcessAMDGPU *>(target_sp->GetProcessSP().get())
            : nullptr;
    if (!process || !process->IsAlive())
      continue;
    if (found) {
      if (result)
        result->AppendError("several programs use GPUs: `target list` shows "
                            "them, `target select` selects one");
      return nullptr;
    }
    found = process;
  }
  if (!found && result)
    result->AppendError(none ? none
                             : "no program under the debugger uses a GPU now: "
                               "a program uses it from "
                               "its first call of HIP until it ends; "
                               "`breakpoint set -n KERNEL` and "
                               "`run` stop it in a kernel");
  return found;
}

bool lldb_private::wavelane::MissesWave(CommandInterpreter &interpreter,
                                        CommandReturnObject &result) {
  auto *process = dynamic_cast<ProcessAMDGPU *>(
      interpreter.GetExecutionContext().GetProcessPtr());
  if (process && process->GetState() == eStateExited) {
    result.AppendError("the program has ended, and its waves with it: 'run' "
                       "starts it again");
    return true;
  }
  if (!process || process->GetState() != eStateStopped ||
      process->GetThreadList().GetSize() != 0)
    return false;
  result.AppendError(
      process->HasEndedSimulation()
          ? "all waves have finished; 'reverse-continue' goes back to them"
          : "no wave is on the GPU: 'continue' resumes the program, and "
            "'target select 0' "
            "selects the program's own threads");
  return true;
}
