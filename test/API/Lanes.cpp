//===-- Lanes.cpp - waves and lanes through LLDB's API alone --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debugs a kernel as described in docs/scripting.md: the focus lane is the
// register `lane`, a wave's facts are its thread's information, and the rest
// are commands.
//
//===----------------------------------------------------------------------===//

#include "lldb/API/LLDB.h"
#include <cstdio>
#include <string>

using namespace lldb;

/// The server's information on a wave; empty if unknown.
static std::string getFact(SBThread Wave, const char *Path) {
  SBStream Text;
  if (!Wave.GetInfoItemByPathAsString(Path, Text) || !Text.GetData())
    return {};
  return Text.GetData();
}

/// Makes \p Lane the wave's focus lane. Get its frames again afterwards.
static bool selectLane(SBThread Wave, unsigned Lane) {
  SBError Error;
  return Wave.GetFrameAtIndex(0).FindRegister("lane").SetValueFromCString(
             std::to_string(Lane).c_str(), Error) &&
         Error.Success();
}

static std::string runCommand(SBDebugger Debugger, SBThread Wave,
                              const char *Command) {
  SBExecutionContext Context(Wave.GetFrameAtIndex(0));
  SBCommandReturnObject Result;
  Debugger.GetCommandInterpreter().HandleCommand(Command, Context, Result);
  const char *Text =
      Result.Succeeded() ? Result.GetOutput() : Result.GetError();
  return Text ? Text : "";
}

static int debug(SBDebugger Debugger, const char *Program) {
  SBTarget Host = Debugger.CreateTarget(Program);
  SBBreakpoint Store =
      Host.BreakpointCreateBySourceRegex("y.i. .= t", SBFileSpec("saxpy.hip"));
  SBProcess HostProcess = Host.LaunchSimple(nullptr, nullptr, ".");

  // The GPU is a separate target, which is selected when a wave has stopped.
  SBTarget GPU = Debugger.GetSelectedTarget();
  SBProcess Waves = GPU.GetProcess();
  std::printf("%s, %u waves\n", GPU.GetTriple(), Waves.GetNumThreads());

  SBThread Wave = Waves.GetSelectedThread();
  std::printf("%s: kernel %s, workgroup %s of size %s, wave %s, %s lanes\n",
              getFact(Wave, "name").c_str(), getFact(Wave, "kernel").c_str(),
              getFact(Wave, "workgroup.x").c_str(),
              getFact(Wave, "workgroup_size.x").c_str(),
              getFact(Wave, "wave_in_workgroup").c_str(),
              getFact(Wave, "lane_count").c_str());
  std::printf("nothing: '%s'\n", getFact(Wave, "nothing").c_str());

  SBFrame Frame = Wave.GetFrameAtIndex(0);
  std::printf("lane %s of active %s: i = %s\n",
              Frame.FindRegister("lane").GetValue(),
              Frame.FindRegister("active").GetValue(),
              Frame.FindVariable("i").GetValue());
  if (!selectLane(Wave, 17))
    return 1;
  Frame = Wave.GetFrameAtIndex(0);
  // Positions are vectors of three numbers.
  SBError Error;
  SBData Position = Frame.FindRegister("workitem").GetData();
  std::printf("work-item (%u,%u,%u)\n", Position.GetUnsignedInt32(Error, 0),
              Position.GetUnsignedInt32(Error, 4),
              Position.GetUnsignedInt32(Error, 8));
  SBValue Product = Frame.FindVariable("t");
  std::printf("%s: i = %s, t = %s, a * i = %s\n", Wave.GetName(),
              Frame.FindVariable("i").GetValue(), Product.GetValue(),
              Frame.EvaluateExpression("a * i").GetValue());
  std::printf("lane 64: %s\n",
              selectLane(Wave, 64) ? "there is one" : "refused");

  // Writing a variable changes it for the focus lane.
  Product.SetValueFromCString("0", Error);
  std::printf(
      "%s",
      runCommand(Debugger, Wave, "thread lane print --lanes 16-18 t").c_str());
  const std::string JSON =
      runCommand(Debugger, Wave, "thread lane print --json i");
  std::printf("as JSON: %s\n",
              JSON.find("\"bytes\": \"3f000000\"") != std::string::npos ? "yes"
                                                                        : "no");
  std::printf(
      "%s", runCommand(Debugger, Waves.GetThreadAtIndex(4), "thread lane info")
                .c_str());

  Host.BreakpointDelete(Store.GetID());
  Waves.Continue();
  char Output[256];
  Output[HostProcess.GetSTDOUT(Output, sizeof(Output) - 1)] = 0;
  std::printf("ended with %d: %s", HostProcess.GetExitStatus(), Output);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fprintf(stderr, "usage: %s PROGRAM\n", argv[0]), 2;
  SBDebugger::Initialize();
  SBDebugger Debugger = SBDebugger::Create();
  Debugger.SetAsync(false);
  const int Status = debug(Debugger, argv[1]);
  SBDebugger::Destroy(Debugger);
  SBDebugger::Terminate();
  return Status;
}
