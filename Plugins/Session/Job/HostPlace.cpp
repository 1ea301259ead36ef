//===-- HostPlace.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostPlace.h"
#include "Core/Format/SourcePlace.h"

#include "lldb/Core/Module.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <csignal>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// Deeper stacks are cut at their inner end.
static constexpr uint32_t kMaxFrames = 200;

static std::string GetFunction(StackFrame &frame) {
  const SymbolContext context = frame.GetSymbolContext(
      eSymbolContextFunction | eSymbolContextBlock | eSymbolContextSymbol);
  const ConstString name =
      context.GetFunctionName(Mangled::ePreferDemangledWithoutArguments);
  return name.GetStringRef().split('@').first.str();
}

/// Whether a frame is in a library of the system or of the GPU's runtime.
static bool IsOfLibrary(StackFrame &frame) {
  const SymbolContext context = frame.GetSymbolContext(eSymbolContextModule);
  if (!context.module_sp)
    return true;
  const FileSpec &file = context.module_sp->GetFileSpec();
  const std::string path = file.GetPath();
  const llvm::StringRef name = file.GetFilename().GetStringRef(), text = path;
  return text.starts_with("/lib") || text.starts_with("/usr/lib") ||
         text.starts_with("/opt/") || name.starts_with("libamdhip64") ||
         name.starts_with("libwavelane") || name.starts_with("[");
}

/// Whether a thread only has the signal by which the process was stopped, which
/// any thread may get.
static bool IsInterrupted(StopInfo &info) {
  return info.GetStopReason() == eStopReasonSignal &&
         (info.GetValue() == SIGSTOP || info.GetValue() == SIGINT);
}

std::vector<StackFrameSP> lldb_private::wavelane::GetFrames(Thread &thread) {
  std::vector<StackFrameSP> frames;
  for (uint32_t i = 0; i < kMaxFrames; ++i) {
    StackFrameSP frame_sp = thread.GetStackFrameAtIndex(i);
    if (!frame_sp)
      break;
    frames.push_back(frame_sp);
  }
  return frames;
}

static bool HasProgramsFrame(Thread &thread) {
  // The outermost one is, of the thread that runs main.
  return llvm::any_of(
      llvm::reverse(GetFrames(thread)),
      [](const StackFrameSP &frame_sp) { return !IsOfLibrary(*frame_sp); });
}

ThreadSP lldb_private::wavelane::GetShownThread(Process &process) {
  ThreadList &threads = process.GetThreadList();
  ThreadSP selected_sp = threads.GetSelectedThread();
  StopInfoSP info_sp = selected_sp ? selected_sp->GetStopInfo() : nullptr;
  if (info_sp && info_sp->ShouldSelect() && !IsInterrupted(*info_sp))
    return selected_sp;
  // Not a library's own thread, if there is another.
  for (const ThreadSP &thread_sp : threads.Threads())
    if (HasProgramsFrame(*thread_sp))
      return thread_sp;
  return threads.GetThreadAtIndex(0);
}

HostPlace HostPlace::Find(Thread &thread) {
  HostPlace place;
  const std::vector<StackFrameSP> frames = GetFrames(thread);
  for (auto it = frames.rbegin(); it != frames.rend(); ++it) {
    StackFrame &frame = **it;
    std::string name = GetFunction(frame);
    if (IsOfLibrary(frame)) {
      if (place.stack.empty())
        continue; // what calls main, or begins a thread
      llvm::StringRef text = name;
      // The other name of MPI's functions is for profilers.
      if (text.consume_front("P") && text.starts_with("MPI_"))
        name = text.str();
      place.call = name.empty() ? "a library" : name;
      place.stack.push_back(place.call);
      return place;
    }
    if (name.empty() || name == "_start")
      continue;
    place.function = name;
    place.line =
        FormatLine(frame.GetSymbolContext(eSymbolContextLineEntry).line_entry,
                   /*with_column=*/false);
    place.stack.push_back(name);
  }
  if (place.stack.empty() && !frames.empty())
    place.call = GetFunction(*frames.front());
  return place;
}

std::string HostPlace::Format() const {
  if (function.empty())
    return call.empty() ? "unknown" : call;
  const std::string own = function + (line.empty() ? "" : " at " + line);
  return call.empty() ? own : call + ", called by " + own;
}
