//===-- Overrides.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Overrides.h"
#include "BreakpointBinding.h"
#include "Commands/Base/CommandOverrides.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Job/JobCommands.h"
#include "Commands/Job/RankStops.h"
#include "Core/Support/OtherSide.h"
#include "Core/Support/RelativeSources.h"
#include "CoreFiles.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/GPUHost/BreakpointMoves.h"
#include "Session/Coupling/GPUCoupling.h"
#include "Session/Job/Job.h"
#include "SymbolFile/LaneDWARF/LinePlaces.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandObject.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

#include <set>

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

bool lldb_private::wavelane::RunProgram(Debugger &debugger, const char **argv,
                                        CommandReturnObject &result) {
  static thread_local bool is_nested = false;
  if (is_nested || debugger.GetAsyncExecution() || !argv || !argv[0])
    return false; // run the command itself
  auto find_coupling = [&debugger] {
    lldb::TargetSP selected_sp = debugger.GetTargetList().GetSelectedTarget();
    return selected_sp ? GPUCoupling::Find(*selected_sp) : nullptr;
  };
  auto take_stop = [&]() -> std::string {
    std::shared_ptr<GPUCoupling> coupling_sp = find_coupling();
    return coupling_sp ? coupling_sp->TakeShownStop() : "";
  };
  take_stop();
  {
    llvm::SaveAndRestore nested(is_nested, true);
    RunOverridden(argv, result);
  }
  // The program may end while a wave's stop is being shown.
  if (std::shared_ptr<GPUCoupling> coupling_sp = find_coupling())
    coupling_sp->WaitForEnd();
  if (const std::string stop = take_stop(); !stop.empty())
    result.AppendMessage(llvm::StringRef(stop).rtrim());
  return true;
}

static bool LaunchProgram(void *baton, const char **argv,
                          CommandReturnObject &result) {
  return RunOnHostTarget(baton, argv, result) ||
         RunProgram(*static_cast<Debugger *>(baton), argv, result);
}

/// Runs `continue` for all ranks if a rank of a job is selected, and `continue
/// 3`, as other debuggers have it: a breakpoint's next two hits don't stop.
static bool ContinueJob(void *baton, const char **argv,
                        CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  uint32_t hits;
  if (argv && argv[0] && argv[1] && argv[2] && !argv[3] &&
      !llvm::StringRef(argv[2]).getAsInteger(10, hits) && hits > 0) {
    const std::string line =
        "process continue --ignore-count " + std::to_string(hits - 1);
    debugger->GetCommandInterpreter().HandleCommand(line.c_str(), eLazyBoolNo,
                                                    result);
    return true;
  }
  std::shared_ptr<Job> job = Job::Find(*debugger);
  lldb::TargetSP selected_sp = debugger->GetTargetList().GetSelectedTarget();
  // With arguments, it is about a thread's breakpoint.
  if (!job || !job->IsAlive() || !selected_sp ||
      (argv && argv[0] && argv[1] && argv[2]) ||
      !(job->FindRank(*selected_sp) || job->GetHub() == selected_sp) ||
      !GetProcessAMDGPUProperties().RunsJobAsOne())
    return RunProgram(*debugger, argv, result);
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

static bool CreateTarget(void *baton, const char **argv,
                         CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  if (!argv || !argv[0])
    return false; // run the command itself
  if (!CreateTargetOfCores(*debugger, QuoteCommand(argv), result))
    RunOverridden(argv, result);
  if (lldb::TargetSP target_sp =
          result.Succeeded() ? debugger->GetSelectedTarget() : nullptr)
    MapRelativeSources(*target_sp);
  return true;
}

/// The name in a line of `settings set` and its like.
static llvm::StringRef GetSettingName(const Args &words) {
  for (size_t i = 2; i < words.GetArgumentCount(); ++i)
    if (llvm::StringRef word = words[i].ref(); !word.starts_with("-"))
      return word;
  return "";
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
  if (!IsProgramSetting(GetSettingName(Args(line))))
    return false;
  interpreter.HandleCommand(
      line.c_str(), eLazyBoolNo,
      ExecutionContext(host_sp.get(), /*fill_current_process_thread_frame=*/
                       false),
      result);
  return true;
}

/// Runs a command that changes a setting: where sources are, both sides of a
/// program know.
static bool ChangeSetting(void *baton, const char **argv,
                          CommandReturnObject &result) {
  static thread_local bool is_again = false;
  if (is_again || !argv || !argv[0])
    return false; // run the command itself
  CommandInterpreter &interpreter =
      static_cast<Debugger *>(baton)->GetCommandInterpreter();
  Target *target = interpreter.GetExecutionContext().GetTargetPtr();
  lldb::TargetSP other_sp = target ? GetOtherSide(*target) : nullptr;
  // A raw command comes as one string.
  const std::string line = argv[1] ? QuoteCommand(argv) : argv[0];
  const Args words(line);
  if (!other_sp ||
      GetSettingName(words).split('[').first != "target.source-map")
    return SetOnHostTarget(baton, argv, result);
  llvm::SaveAndRestore again(is_again, true);
  interpreter.HandleCommand(line.c_str(), eLazyBoolNo, result);
  if (result.Succeeded())
    CopySourceMap(*target, *other_sp);
  return true;
}

/// Runs `settings set`.
static bool SetSetting(void *baton, const char **argv,
                       CommandReturnObject &result) {
  // A raw command comes as one string.
  return (argv && argv[0] &&
          AddCores(*static_cast<Debugger *>(baton), argv[0], result)) ||
         ChangeSetting(baton, argv, result);
}

static bool IsGPUAlive(Target &target) {
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(target);
  return coupling_sp && coupling_sp->GetGPU() &&
         coupling_sp->GetGPU()->IsAlive();
}

/// Whether the target's program has GPU code.
static bool HasGPUCode(Target &target) {
  Module *program = target.GetExecutableModulePointer();
  return program && !ObjectContainerFatBinary::GetCodeObjects(*program).empty();
}

static bool HasEnabledLocation(Breakpoint &breakpoint) {
  for (size_t i = 0; i < breakpoint.GetNumLocations(); ++i)
    if (breakpoint.GetLocationAtIndex(i)->IsEnabled())
      return true;
  return false;
}

/// "(in the GPU's code: k(float*) at a.hip:12)" for a breakpoint that has its
/// places on the program's other side; empty for others.
static std::string DescribeOtherSide(Target &target, lldb::break_id_t id) {
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(target);
  lldb::TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  lldb::TargetSP gpu_sp = coupling_sp ? coupling_sp->GetGPUTarget() : nullptr;
  const bool is_host = host_sp.get() == &target;
  lldb::TargetSP other_sp = is_host ? gpu_sp : host_sp;
  lldb::BreakpointSP breakpoint_sp = other_sp && IsGPUAlive(target)
                                         ? other_sp->GetBreakpointByID(id)
                                         : nullptr;
  lldb::BreakpointLocationSP location_sp =
      breakpoint_sp && breakpoint_sp->GetNumResolvedLocations()
          ? breakpoint_sp->GetLocationAtIndex(0)
          : nullptr;
  SymbolContext context;
  if (!location_sp)
    return "";
  location_sp->GetAddress().CalculateSymbolContext(
      &context, lldb::eSymbolContextFunction | lldb::eSymbolContextLineEntry);
  std::string place = is_host ? "(in the GPU's code" : "(in the host's code";
  if (llvm::StringRef function = context.GetFunctionName().GetStringRef();
      !function.empty())
    place += ": " + function.str();
  if (context.line_entry.IsValid())
    place +=
        llvm::formatv(" at {0}:{1}", context.line_entry.GetFile().GetFilename(),
                      context.line_entry.line);
  return place + ")";
}

/// The breakpoints of one number in the target and on its other side.
static std::vector<lldb::BreakpointSP> GetSides(Target &target,
                                                lldb::break_id_t id) {
  std::vector<lldb::BreakpointSP> sides;
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(target);
  for (const lldb::TargetSP &side_sp :
       {target.shared_from_this(),
        coupling_sp ? coupling_sp->GetHostTarget() : nullptr,
        coupling_sp ? coupling_sp->GetGPUTarget() : nullptr})
    if (lldb::BreakpointSP breakpoint_sp =
            side_sp ? side_sp->GetBreakpointByID(id) : nullptr;
        breakpoint_sp && !llvm::is_contained(sides, breakpoint_sp))
      sides.push_back(breakpoint_sp);
  return sides;
}

/// Does with the places of a new breakpoint that aren't on its line as the
/// setting asks.
/// \param is_bound  It will have places in the GPU's code.
/// \return What to say about them.
static std::set<std::string> HandleMoves(Target &target, lldb::break_id_t id,
                                         bool is_bound) {
  std::vector<LineMove> enabled, disabled;
  std::vector<MissingCopies> missing;
  for (const lldb::BreakpointSP &breakpoint_sp : GetSides(target, id)) {
    for (const BreakpointMove &move : FindMoves(*breakpoint_sp))
      (move.location_sp->IsEnabled() ? enabled : disabled).push_back(move.move);
    RefuseMoves(*breakpoint_sp);
    is_bound |= HasEnabledLocation(*breakpoint_sp);
    for (const MissingCopies &each : FindMissingCopies(*breakpoint_sp))
      missing.push_back(each);
  }
  // Places that only stand in for code on the other side are disabled, and so
  // are those that have been refused already.
  if (!is_bound)
    llvm::append_range(enabled, disabled);
  std::set<std::string> texts;
  for (const LineMove &move : enabled)
    texts.insert(
        llvm::formatv("Breakpoint {0}: {1}", id, Describe(move)).str());
  for (const MissingCopies &each : missing)
    texts.insert(
        llvm::formatv("Breakpoint {0}: {1}", id, each.Describe()).str());
  return texts;
}

/// Runs `breakpoint set`. In a program that doesn't use its GPU yet, finds the
/// places in GPU code in the program's file, and removes host locations that
/// only stand in for a kernel's line; in one that does, looks at both sides.
/// Says where a line without code went.
static bool SetBreakpoint(void *baton, const char **argv,
                          CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  if (argv && argv[0] &&
      SetBreakpointOfRanks(*debugger, QuoteCommand(argv), result))
    return true;
  lldb::TargetSP target_sp = debugger->GetTargetList().GetSelectedTarget();
  const bool is_alive = target_sp && IsGPUAlive(*target_sp);
  if (!target_sp || !argv || !argv[0])
    return false; // run the command itself
  const lldb::break_id_t last =
      target_sp->GetLastCreatedBreakpoint()
          ? target_sp->GetLastCreatedBreakpoint()->GetID()
          : 0;
  CommandReturnObject own(/*colors=*/false);
  RunOverridden(argv, own);
  lldb::BreakpointSP breakpoint_sp = target_sp->GetLastCreatedBreakpoint();
  std::vector<std::string> bound;
  const bool is_new =
      own.Succeeded() && breakpoint_sp && breakpoint_sp->GetID() != last;
  // LLDB notifies listeners of the new breakpoint before it sets its options.
  if (std::shared_ptr<Job> job = is_new ? Job::Find(*debugger) : nullptr)
    job->SynchronizeBreakpoints();
  if (is_new && is_alive) {
    GPUCoupling::Find(*target_sp)->SynchronizeBreakpoints();
    const lldb::break_id_t id = breakpoint_sp->GetID();
    const std::string place = DescribeOtherSide(*target_sp, id);
    if (!HasEnabledLocation(*breakpoint_sp) && !place.empty())
      bound.push_back(llvm::formatv("Breakpoint {0}: {1}", id, place));
  } else if (is_new) {
    bound = BindToGPUCode(*target_sp, *breakpoint_sp);
  }
  std::set<std::string> moves;
  if (is_new)
    moves = HandleMoves(*target_sp, breakpoint_sp->GetID(), !bound.empty());
  const bool is_on_host = (bound.empty() && moves.empty()) ||
                          (breakpoint_sp && HasEnabledLocation(*breakpoint_sp));
  if (is_on_host && !own.GetOutputString().empty()) {
    // The program has GPU code, but none for this breakpoint.
    const bool is_host_only = bound.empty() && !is_alive && breakpoint_sp &&
                              breakpoint_sp->GetNumResolvedLocations() &&
                              HasGPUCode(*target_sp);
    result.AppendMessage(own.GetOutputString().rtrim().str() +
                         (is_host_only ? " (host code only)" : ""));
  }
  for (const std::string &text : bound)
    result.AppendMessage(text);
  for (const std::string &text : moves)
    if (!llvm::is_contained(bound, text))
      result.AppendMessage(text);
  // Drop LLDB's warning about a breakpoint without host code if it has GPU
  // code.
  if (const std::string text = own.GetErrorString();
      !text.empty() && !(own.Succeeded() && !bound.empty()))
    result.GetErrorStream() << text;
  result.SetStatus(own.GetStatus());
  return true;
}

/// Says which copy of its line each location is, for lines that have copies,
/// and which locations aren't on their breakpoint's line.
static void ListLines(Target &target, CommandReturnObject &result) {
  std::unique_lock<std::recursive_mutex> lock;
  target.GetBreakpointList().GetListMutex(lock);
  std::vector<std::string> copies, moves;
  auto add = [](std::vector<std::string> &to, BreakpointLocation &location,
                const std::string &text) {
    to.push_back(llvm::formatv("  {0}.{1}: {2}",
                               location.GetBreakpoint().GetID(),
                               location.GetID(), text)
                     .str());
  };
  for (const lldb::BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints()) {
    const size_t count = breakpoint_sp->GetNumLocations();
    for (size_t i = 0; i < count; ++i) {
      lldb::BreakpointLocationSP location_sp =
          breakpoint_sp->GetLocationAtIndex(i);
      const Address &address = location_sp->GetAddress();
      std::string note = GetLineNote(address);
      const std::string calls = count > 1 ? GetInlineNote(address) : "";
      if (!note.empty() && !calls.empty())
        note += "; ";
      if (note += calls; !note.empty())
        add(copies, *location_sp, note);
      if (std::optional<MissingCopies> missing = FindMissingCopies(address))
        add(moves, *location_sp, missing->Describe());
    }
    for (const BreakpointMove &move : FindMoves(*breakpoint_sp))
      add(moves, *move.location_sp, Describe(move.move));
  }
  if (!copies.empty())
    result.AppendMessage("Copies of lines:");
  for (const std::string &text : copies)
    result.AppendMessage(text);
  if (!moves.empty())
    result.AppendMessage("Lines without code:");
  for (const std::string &text : moves)
    result.AppendMessage(text);
}

/// Why GPU code that the program brings along isn't loaded.
static llvm::StringRef WhyUnloaded(Target &target) {
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(target);
  lldb::TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  lldb::ProcessSP process_sp = (host_sp ? *host_sp : target).GetProcessSP();
  std::shared_ptr<ProcessAMDGPU> gpu_sp =
      coupling_sp ? coupling_sp->GetGPU() : nullptr;
  const lldb::StateType state =
      process_sp ? process_sp->GetState() : lldb::eStateInvalid;
  if (state == lldb::eStateExited)
    return "(the program has ended, and its GPU code with it)";
  if (state == lldb::eStateDetached)
    return "(LLDB has detached from the program)";
  // One of another number is of an earlier run.
  if (process_sp && process_sp->IsAlive() && gpu_sp &&
      gpu_sp->GetID() == process_sp->GetID())
    return "(the GPU's code isn't loaded any more)";
  return "(the GPU's code isn't loaded yet)";
}

/// Says where the breakpoints are that have no place in the target: on the
/// program's other side, or in GPU code that isn't loaded.
static void ListOtherPlaces(Target &target, CommandReturnObject &result) {
  if (!GPUCoupling::Find(target) && !HasGPUCode(target))
    return;
  std::unique_lock<std::recursive_mutex> lock;
  target.GetBreakpointList().GetListMutex(lock);
  bool is_first = true;
  for (const lldb::BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints()) {
    if (HasEnabledLocation(*breakpoint_sp))
      continue;
    std::string place = DescribeOtherSide(target, breakpoint_sp->GetID());
    std::vector<std::string> bound;
    if (place.empty() && !IsGPUAlive(target))
      bound = BindToGPUCode(target, *breakpoint_sp);
    if (!bound.empty())
      place = WhyUnloaded(target).str();
    if (place.empty())
      continue;
    if (std::exchange(is_first, false))
      result.AppendMessage("Places elsewhere:");
    result.AppendMessage(
        llvm::formatv("  {0}: {1}", breakpoint_sp->GetID(), place).str());
    for (llvm::StringRef text : bound)
      result.AppendMessage("     " + text.split(": ").second.str());
  }
}

/// Runs `breakpoint list`. LLDB calls a breakpoint pending that has places on
/// the program's other side only. The ranks of a job have the same breakpoints,
/// also after a change that LLDB sends no event for. Of lines that have copies,
/// it says which copy each location is, and of lines without code, where the
/// breakpoint went.
static bool ListBreakpoints(void *baton, const char **argv,
                            CommandReturnObject &result) {
  auto *debugger = static_cast<Debugger *>(baton);
  if (std::shared_ptr<Job> job = Job::Find(*debugger))
    job->SynchronizeBreakpoints();
  lldb::TargetSP target_sp = debugger->GetTargetList().GetSelectedTarget();
  if (!argv || !argv[0] || !target_sp)
    return false; // run the command itself
  RunOverridden(argv, result);
  if (result.Succeeded()) {
    ListOtherPlaces(*target_sp, result);
    ListLines(*target_sp, result);
  }
  return true;
}

/// Runs `image lookup`, and on the program's other side if this one has
/// nothing.
static bool LookUp(void *baton, const char **argv,
                   CommandReturnObject &result) {
  static thread_local bool is_other = false;
  auto *debugger = static_cast<Debugger *>(baton);
  CommandInterpreter &interpreter = debugger->GetCommandInterpreter();
  Target *target = interpreter.GetExecutionContext().GetTargetPtr();
  lldb::TargetSP other_sp = target ? GetOtherSide(*target) : nullptr;
  if (is_other || !other_sp || !argv || !argv[0])
    return false; // run the command itself
  CommandReturnObject own(/*colors=*/false), other(/*colors=*/false);
  RunOverridden(argv, own);
  if (own.GetOutputString().empty()) {
    llvm::SaveAndRestore nested(is_other, true);
    interpreter.HandleCommand(QuoteCommand(argv).c_str(), eLazyBoolNo,
                              ExecutionContext(other_sp.get(), true), other);
  }
  CommandReturnObject &shown = other.GetOutputString().empty() ? own : other;
  if (const llvm::StringRef text = shown.GetOutputString(); !text.empty())
    result.AppendMessage(text.rtrim());
  if (const std::string text = shown.GetErrorString(); !text.empty())
    result.GetErrorStream() << text;
  result.SetStatus(shown.GetStatus());
  return true;
}

static bool ChangeWatchpoints(void *baton, const char **argv,
                              CommandReturnObject &result) {
  // A raw command comes as one string.
  return argv && argv[0] &&
         ChangeWatchpointsOfRanks(*static_cast<Debugger *>(baton),
                                  argv[1] ? QuoteCommand(argv) : argv[0],
                                  result);
}

void lldb_private::wavelane::OverrideCommands(Debugger &debugger) {
  CommandInterpreter &interpreter = debugger.GetCommandInterpreter();
  auto override = [&](llvm::StringRef group, llvm::ArrayRef<const char *> names,
                      CommandOverrideCallbackWithResult with) {
    auto [first, second] = group.split(' ');
    CommandObject *commands = interpreter.GetCommandObject(first);
    if (commands && !second.empty())
      commands = commands->GetSubcommandObject(second);
    for (llvm::StringRef name : names)
      if (CommandObject *command =
              commands ? commands->GetSubcommandObject(name) : nullptr)
        OverrideCommand(*command, with, &debugger);
  };
  override("process", {"launch", "attach"}, LaunchProgram);
  override("process", {"detach", "kill"}, RunOnHostTarget);
  override("process", {"continue"}, ContinueJob);
  override("settings", {"set"}, SetSetting);
  override(
      "settings",
      {"append", "clear", "insert-after", "insert-before", "remove", "replace"},
      ChangeSetting);
  override("settings", {"show"}, SetOnHostTarget);
  override("target", {"create"}, CreateTarget);
  override("breakpoint", {"set"}, SetBreakpoint);
  override("breakpoint", {"list"}, ListBreakpoints);
  override("target modules", {"lookup"}, LookUp);
  override("watchpoint set", {"expression"}, WatchSizedExpression);
  override("watchpoint set", {"variable", "expression"}, ChangeWatchpoints);
  override("watchpoint", {"delete", "disable", "enable", "ignore", "modify"},
           ChangeWatchpoints);
}
