//===-- GPUCommand.cpp - gpu ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Commands/Base/LazyGroup.h"
#include "Commands/Check/CheckCommands.h"
#include "Commands/GPU/GPUCommands.h"
#include "Commands/Time/TimeCommands.h"
#include "lldb/Interpreter/CommandInterpreter.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

class GPUCommand : public LazyGroup {
public:
  explicit GPUCommand(CommandInterpreter &interpreter)
      : LazyGroup(interpreter, "gpu",
                  "Commands for the GPUs that a program uses: agents, queues, "
                  "dispatches, workgroups, waves, memory.",
                  R"(
A program that uses a GPU is debugged as two targets, its host code and its
GPU code (`target list`); the waves on the GPU are the threads of the second.
LLDB's usual commands work on them: set breakpoints in kernels by function or
line before the program runs, then `run`, `thread list`, `thread select`,
`bt`, `frame variable`, `register read`, `step`, `continue`. `help thread
lane` describes the lanes of a wave. The commands here show what only a GPU
has.

Examples:

(lldb) breakpoint set -n saxpy                a kernel, or what it calls
(lldb) run
(lldb) gpu wave list                          all waves, and where each is
(lldb) gpu dispatch list                      the running kernels
(lldb) gpu workgroup list                     which waves wait at barriers
(lldb) gpu memory read --space local 0x40     memory of the workgroup
(lldb) settings list plugin.process.amdgpu    what can be set
)") {}

protected:
  void LoadSubcommands() override {
    CommandInterpreter &interpreter = GetCommandInterpreter();
    AddObjectCommands(*this, interpreter);
    LoadSubCommand("address-space", MakeAddressSpaceCommand(interpreter));
    LoadSubCommand("check", MakeCheckCommand(interpreter));
    LoadSubCommand("count", MakeCountCommand(interpreter));
    LoadSubCommand("memory", MakeGPUMemoryCommand(interpreter));
    LoadSubCommand("matrix", MakeMatrixCommand(interpreter));
    LoadSubCommand("time", MakeTimeCommand(interpreter));
  }
};

} // namespace

CommandObjectSP
lldb_private::wavelane::MakeGPUCommand(CommandInterpreter &interpreter) {
  return std::make_shared<GPUCommand>(interpreter);
}
