//===-- InstrumentationRuntimeHIP.cpp -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstrumentationRuntimeHIP.h"
#include "CalledFunction.h"
#include "Core/Support/StopRecord.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "SilentErrors.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/BreakpointSite.h"
#include "lldb/Breakpoint/StoppointCallbackContext.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrameRecognizer.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/FileSpecList.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr char kFunction[] = "__hipOnError";
static constexpr char kRecognizer[] = "Failed HIP calls";

/// Of a runtime, above the program's call.
static constexpr uint32_t kMaxFrames = 64;

static constexpr char kFindingFunction[] = "__wavelaneOnFinding";
static constexpr char kFindingRecognizer[] = "Findings in HIP calls";

namespace {
/// The runtime's frame, shown as the program's call that led to it.
class ShownCall : public RecognizedStackFrame {
public:
  ShownCall(std::string description, StackFrameSP call_sp)
      : m_call_sp(std::move(call_sp)) {
    m_stop_desc = std::move(description);
  }
  StackFrameSP GetMostRelevantFrame() override { return m_call_sp; }

private:
  StackFrameSP m_call_sp;
};

class FailedCallRecognizer : public StackFrameRecognizer {
public:
  std::string GetName() override { return kRecognizer; }
  RecognizedStackFrameSP RecognizeFrame(StackFrameSP frame_sp) override;
};

class FindingRecognizer : public StackFrameRecognizer {
public:
  std::string GetName() override { return kFindingRecognizer; }
  RecognizedStackFrameSP RecognizeFrame(StackFrameSP frame_sp) override;
};

/// The program's call of a function of the runtime.
struct ProgramCall {
  std::string function; ///< "hipFree"; empty if it isn't known
  StackFrameSP frame_sp;
};
} // namespace

/// The first argument of the function that is entered; LLDB_INVALID_ADDRESS if
/// it can't be read.
static addr_t ReadArgument(RegisterContext &registers) {
  const RegisterInfo *argument =
      registers.GetRegisterInfo(eRegisterKindGeneric, LLDB_REGNUM_GENERIC_ARG1);
  RegisterValue value;
  return argument && registers.ReadRegister(argument, value)
             ? value.GetAsUInt64()
             : LLDB_INVALID_ADDRESS;
}

/// "hipErrorInvalidDevice (101): invalid device ordinal", from the argument of
/// the call; empty if it can't be read.
static std::string ReadError(StackFrame &frame) {
  RegisterContextSP registers_sp = frame.GetRegisterContext();
  ProcessSP process_sp = frame.CalculateProcess();
  if (!registers_sp || !process_sp)
    return "";
  const addr_t info = ReadArgument(*registers_sp);
  Status error;
  const uint64_t number =
      process_sp->ReadUnsignedIntegerFromMemory(info, 4, 0, error);
  if (error.Fail())
    return "";
  auto read_string = [&](addr_t at) {
    std::string text;
    Status failed;
    const addr_t address = process_sp->ReadPointerFromMemory(at, failed);
    if (failed.Success()) {
      char buffer[256];
      process_sp->ReadCStringFromMemory(address, buffer, sizeof(buffer),
                                        failed);
      if (failed.Success())
        text = buffer;
    }
    return text;
  };
  const std::string name = read_string(info + 8), text = read_string(info + 16);
  return llvm::formatv("{0} ({1}){2}{3}", name.empty() ? "number" : name,
                       number, text.empty() ? "" : ": ", text);
}

/// The call that led to the runtime's innermost frame. The program has called
/// the last function of the runtime. The runtime's launch of a kernel is called
/// by a function that the compiler has made.
static ProgramCall FindProgramCall(Thread &thread) {
  ProgramCall call;
  for (uint32_t i = 1; i < kMaxFrames; ++i) {
    StackFrameSP caller_sp = thread.GetStackFrameAtIndex(i);
    if (!caller_sp)
      break;
    const SymbolContext context = caller_sp->GetSymbolContext(
        eSymbolContextModule | eSymbolContextFunction | eSymbolContextSymbol);
    llvm::StringRef name = context.GetFunctionName().GetStringRef();
    if (context.module_sp &&
        IsRuntimeLibrary(context.module_sp->GetFileSpec())) {
      call.function = name.split('@').first.str();
      continue;
    }
    if (name.starts_with("__device_stub__"))
      continue;
    call.frame_sp = caller_sp;
    if (std::string called =
            GetCalledFunction(thread.GetProcess()->GetTarget(),
                              caller_sp->GetFrameCodeAddress().GetLoadAddress(
                                  &thread.GetProcess()->GetTarget()));
        llvm::StringRef(called).starts_with("hip"))
      call.function = called;
    break;
  }
  return call;
}

/// "HIP error hipErrorInvalidDevice (101): invalid device ordinal, from
/// hipFree".
static std::string DescribeError(StackFrame &frame, const ProgramCall &call) {
  std::string description = "HIP error";
  if (std::string error = ReadError(frame); !error.empty())
    description += " " + error;
  if (!call.function.empty())
    description += ", from " + call.function;
  return description;
}

RecognizedStackFrameSP
FailedCallRecognizer::RecognizeFrame(StackFrameSP frame_sp) {
  ThreadSP thread_sp = frame_sp->GetThread();
  if (!thread_sp || frame_sp->GetFrameIndex() != 0)
    return nullptr;
  const ProgramCall call = FindProgramCall(*thread_sp);
  return std::make_shared<ShownCall>(DescribeError(*frame_sp, call),
                                     call.frame_sp);
}

/// "finding 1: Double free, from hipFree", of a thread at the function's entry;
/// nullopt if it can't be read.
static std::optional<::wavelane::protocol::Stop>
ReadFinding(Thread &thread, const ProgramCall &call) {
  RegisterContextSP registers_sp = thread.GetRegisterContext();
  if (!registers_sp)
    return std::nullopt;
  // The argument's number of the finding, and its text.
  const addr_t info = ReadArgument(*registers_sp);
  Process &process = *thread.GetProcess();
  Status error;
  ::wavelane::protocol::Stop stop;
  stop.Kind = ::wavelane::protocol::StopKind::Finding;
  stop.Finding = process.ReadUnsignedIntegerFromMemory(info, 8, 0, error);
  const addr_t text_at = process.ReadPointerFromMemory(info + 8, error);
  if (error.Success())
    process.ReadCStringFromMemory(text_at, stop.Explanation, error);
  if (error.Fail())
    return std::nullopt;
  // The runtime's own functions, as at the program's end, mean nothing to
  // users.
  if (llvm::StringRef(call.function).starts_with("h"))
    stop.Explanation += ", from " + call.function;
  return stop;
}

RecognizedStackFrameSP
FindingRecognizer::RecognizeFrame(StackFrameSP frame_sp) {
  ThreadSP thread_sp = frame_sp->GetThread();
  if (!thread_sp || frame_sp->GetFrameIndex() != 0)
    return nullptr;
  const ProgramCall call = FindProgramCall(*thread_sp);
  const auto stop = ReadFinding(*thread_sp, call);
  if (!stop)
    return nullptr;
  return std::make_shared<ShownCall>(::wavelane::protocol::describe(*stop),
                                     call.frame_sp);
}

namespace {
/// LLDB doesn't show stops at internal breakpoints, so such a thread gets a
/// reason of its own.
class CallStopInfo : public StopInfo {
public:
  CallStopInfo(Thread &thread, std::string description,
               const StackFrameSP &call_sp)
      : StopInfo(thread, 0) {
    m_description = std::move(description);
    if (call_sp)
      m_call_pc = GetPC(*call_sp);
  }
  StopReason GetStopReason() const override {
    return eStopReasonInstrumentation;
  }
  const char *GetDescription() override { return m_description.c_str(); }
  // LLDB asks first as for an inlined call, and hides the frames below this
  // one: steps are the program's. Then it asks which of the others to select.
  std::optional<uint32_t> GetSuggestedStackFrameIndex(bool) override {
    ThreadSP thread_sp = m_thread_wp.lock();
    for (uint32_t i = 0; thread_sp && m_call_pc && i < kMaxFrames; ++i) {
      StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(i);
      if (!frame_sp)
        break;
      if (GetPC(*frame_sp) == *m_call_pc)
        return i;
    }
    return std::nullopt;
  }
  bool DoShouldNotify(Event *) override { return true; }

private:
  static addr_t GetPC(StackFrame &frame) {
    return frame.GetFrameCodeAddress().GetLoadAddress(
        frame.CalculateTarget().get());
  }
  std::optional<addr_t> m_call_pc;
};
} // namespace

/// LLDB hides as many frames as at the last stop with this PC, until this
/// says that none are hidden.
static void ShowAllFrames(Thread &thread) {
  uint32_t hidden = thread.GetCurrentInlinedDepth();
  if (hidden == UINT32_MAX)
    return;
  for (; hidden; --hidden)
    thread.DecrementCurrentInlinedDepth();
  Thread::ThreadStateCheckpoint state;
  if (!thread.CheckpointThreadState(state))
    return;
  state.current_inlined_depth = UINT32_MAX;
  thread.RestoreThreadStateFromCheckpoint(state);
}

static bool StopAtError(void *, StoppointCallbackContext *context, user_id_t,
                        user_id_t) {
  ThreadSP thread_sp = context->exe_ctx_ref.GetThreadSP();
  if (!thread_sp)
    return false;
  ShowAllFrames(*thread_sp);
  StackFrameSP frame_sp = thread_sp->GetStackFrameAtIndex(0);
  if (!frame_sp)
    return false;
  const ProgramCall call = FindProgramCall(*thread_sp);
  thread_sp->SetStopInfo(std::make_shared<CallStopInfo>(
      *thread_sp, DescribeError(*frame_sp, call), call.frame_sp));
  return true;
}

static bool StopAtFinding(void *, StoppointCallbackContext *context, user_id_t,
                          user_id_t) {
  ThreadSP thread_sp = context->exe_ctx_ref.GetThreadSP();
  if (!thread_sp)
    return false;
  ShowAllFrames(*thread_sp);
  const ProgramCall call = FindProgramCall(*thread_sp);
  const auto stop = ReadFinding(*thread_sp, call);
  auto info_sp = std::make_shared<CallStopInfo>(
      *thread_sp, stop ? ::wavelane::protocol::describe(*stop) : "",
      call.frame_sp);
  if (stop)
    SetStopRecord(*info_sp, *stop);
  thread_sp->SetStopInfo(info_sp);
  return true;
}

void InstrumentationRuntimeHIP::Initialize() {
  PluginManager::RegisterPlugin(GetPluginNameStatic(), "HIP calls that fail.",
                                CreateInstance, GetTypeStatic);
  // The setting takes effect immediately, even in running programs.
  GetProcessAMDGPUProperties().CallWhenStopsOnHipErrorChanges([] {
    for (size_t i = 0; i < Debugger::GetNumDebuggers(); ++i) {
      DebuggerSP debugger_sp = Debugger::GetDebuggerAtIndex(i);
      if (!debugger_sp)
        continue;
      for (const TargetSP &target_sp : debugger_sp->GetTargetList().Targets()) {
        ProcessSP process_sp = target_sp->GetProcessSP();
        InstrumentationRuntimeSP runtime_sp =
            process_sp ? process_sp->GetInstrumentationRuntime(GetTypeStatic())
                       : nullptr;
        if (runtime_sp && runtime_sp->IsActive())
          static_cast<InstrumentationRuntimeHIP &>(*runtime_sp)
              .UpdateBreakpoint();
      }
    }
  });
}

InstrumentationRuntimeType InstrumentationRuntimeHIP::GetTypeStatic() {
  // A process has one runtime of each type. LLDB doesn't use this number.
  return eNumInstrumentationRuntimeTypes;
}

InstrumentationRuntimeSP
InstrumentationRuntimeHIP::CreateInstance(const ProcessSP &process_sp) {
  return std::make_shared<InstrumentationRuntimeHIP>(process_sp);
}

InstrumentationRuntimeHIP::~InstrumentationRuntimeHIP() {
  RemoveBreakpoint();
  StopWatching();
}

const RegularExpression &
InstrumentationRuntimeHIP::GetPatternForRuntimeLibrary() {
  static RegularExpression g_library("^lib(amdhip64|wavelane-driver)\\.so");
  return g_library;
}

bool InstrumentationRuntimeHIP::CheckIfRuntimeIsValid(
    const ModuleSP module_sp) {
  // LLDB also asks about the program itself, which may contain the runtime.
  for (const char *function : {kFunction, kFindingFunction})
    if (module_sp->FindFirstSymbolWithNameAndType(ConstString(function),
                                                  eSymbolTypeAny))
      return true;
  return false;
}

static void AddRecognizer(Target &target, StackFrameRecognizerSP recognizer_sp,
                          llvm::StringRef function) {
  StackFrameRecognizerManager &recognizers = target.GetFrameRecognizerManager();
  bool known = false;
  recognizers.ForEach([&](uint32_t, bool, std::string name, std::string,
                          llvm::ArrayRef<ConstString>, Mangled::NamePreference,
                          bool) { known |= name == recognizer_sp->GetName(); });
  if (!known)
    recognizers.AddRecognizer(recognizer_sp,
                              std::make_shared<RegularExpression>(
                                  "^lib(amdhip64|wavelane-driver)\\.so"),
                              std::make_shared<RegularExpression>(
                                  llvm::formatv("^{0}(@.*)?$", function).str()),
                              Mangled::ePreferDemangled,
                              /*first_instruction_only=*/false);
}

/// An internal breakpoint at the entry of a function, of any library or of
/// \a modules.
static break_id_t SetBreakpoint(Target &target, const char *function,
                                const char *kind,
                                const FileSpecList *modules = nullptr) {
  BreakpointSP breakpoint_sp = target.CreateBreakpoint(
      modules, /*containingSourceFiles=*/nullptr, function,
      eFunctionNameTypeFull, eLanguageTypeUnknown, /*offset=*/0,
      /*offset_is_insn_count=*/false,
      /*skip_prologue=*/eLazyBoolNo, /*internal=*/true,
      /*request_hardware=*/false);
  if (!breakpoint_sp)
    return LLDB_INVALID_BREAK_ID;
  breakpoint_sp->SetBreakpointKind(kind);
  return breakpoint_sp->GetID();
}

void InstrumentationRuntimeHIP::Activate() {
  ProcessSP process_sp = GetProcessSP();
  if (!process_sp)
    return;
  Target &target = process_sp->GetTarget();
  m_target_wp = target.shared_from_this();
  AddRecognizer(target, std::make_shared<FailedCallRecognizer>(), kFunction);
  AddRecognizer(target, std::make_shared<FindingRecognizer>(),
                kFindingFunction);
  SetActive(true);
  UpdateBreakpoint();
  WatchSilentErrors();
  WatchExit();
  m_findings = SetBreakpoint(target, kFindingFunction, "finding");
  if (BreakpointSP breakpoint_sp = target.GetBreakpointByID(m_findings))
    breakpoint_sp->SetCallback(StopAtFinding, /*baton=*/nullptr,
                               /*is_synchronous=*/true);
}

static bool ReportSilentError(void *, StoppointCallbackContext *context,
                              user_id_t, user_id_t) {
  ThreadSP thread_sp = context->exe_ctx_ref.GetThreadSP();
  RegisterContextSP registers_sp =
      thread_sp ? thread_sp->GetRegisterContext() : nullptr;
  if (!registers_sp)
    return false;
  ProcessSP process_sp = thread_sp->GetProcess();
  const std::string text =
      DescribeSilentError(*process_sp, ReadArgument(*registers_sp));
  if (!text.empty())
    Debugger::ReportWarning(text,
                            process_sp->GetTarget().GetDebugger().GetID());
  return false;
}

/// Whether the thread handles a signal: it may hold any lock.
static bool IsInSignalHandler(Thread &thread) {
  for (uint32_t i = 0; i < kMaxFrames; ++i) {
    StackFrameSP frame_sp = thread.GetStackFrameAtIndex(i);
    if (!frame_sp)
      return false;
    if (llvm::StringRef(frame_sp->GetFunctionName()) == "__restore_rt")
      return true;
  }
  return false;
}

/// The function of the simulated GPU's runtime or driver; null without one.
static const Symbol *FindExit(Target &target) {
  for (const ModuleSP &module_sp : target.GetImages().Modules())
    if (IsRuntimeLibrary(module_sp->GetFileSpec()))
      if (const Symbol *symbol = module_sp->FindFirstSymbolWithNameAndType(
              ConstString(kExitFunction), eSymbolTypeAny))
        return symbol;
  return nullptr;
}

/// A program that calls _exit skips what runtimes do at exit: it calls the
/// runtime's function instead, which has the same argument and doesn't return.
static bool ExitByRuntime(void *, StoppointCallbackContext *context, user_id_t,
                          user_id_t) {
  ThreadSP thread_sp = context->exe_ctx_ref.GetThreadSP();
  RegisterContextSP registers_sp =
      thread_sp ? thread_sp->GetRegisterContext() : nullptr;
  if (!registers_sp)
    return false;
  ProcessSP process_sp = thread_sp->GetProcess();
  Target &target = process_sp->GetTarget();
  BreakpointSiteSP site_sp =
      process_sp->GetBreakpointSiteList().FindByAddress(registers_sp->GetPC());
  // A user who stops here wants to see this.
  if (!site_sp || site_sp->GetNumberOfConstituents() > 1 ||
      IsInSignalHandler(*thread_sp))
    return false;
  if (const Symbol *function = FindExit(target))
    registers_sp->SetPC(function->GetLoadAddress(&target));
  return false;
}

void InstrumentationRuntimeHIP::WatchExit() {
  TargetSP target_sp = m_target_wp.lock();
  if (!target_sp || !FindExit(*target_sp))
    return;
  FileSpecList library;
  library.Append(FileSpec("libc.so.6"));
  m_exit = SetBreakpoint(*target_sp, "_exit", "exit", &library);
  if (BreakpointSP breakpoint_sp = target_sp->GetBreakpointByID(m_exit))
    breakpoint_sp->SetCallback(ExitByRuntime, /*baton=*/nullptr,
                               /*is_synchronous=*/true);
}

void InstrumentationRuntimeHIP::WatchSilentErrors() {
  TargetSP target_sp = m_target_wp.lock();
  if (!target_sp || m_silent_errors != LLDB_INVALID_BREAK_ID)
    return;
  m_silent_errors =
      SetBreakpoint(*target_sp, kSilentErrorFunction, "silent error");
  if (BreakpointSP breakpoint_sp =
          target_sp->GetBreakpointByID(m_silent_errors))
    breakpoint_sp->SetCallback(ReportSilentError, /*baton=*/nullptr,
                               /*is_synchronous=*/true);
}

void InstrumentationRuntimeHIP::StopWatching() {
  if (TargetSP target_sp = m_target_wp.lock()) {
    target_sp->RemoveBreakpointByID(m_silent_errors);
    target_sp->RemoveBreakpointByID(m_findings);
    target_sp->RemoveBreakpointByID(m_exit);
  }
  m_silent_errors = m_findings = m_exit = LLDB_INVALID_BREAK_ID;
}

void InstrumentationRuntimeHIP::RemoveBreakpoint() {
  if (TargetSP target_sp = m_target_wp.lock())
    target_sp->RemoveBreakpointByID(m_breakpoint);
  m_breakpoint = LLDB_INVALID_BREAK_ID;
}

void InstrumentationRuntimeHIP::UpdateBreakpoint() {
  TargetSP target_sp = m_target_wp.lock();
  const bool wanted = GetProcessAMDGPUProperties().StopsOnHipError();
  if (!target_sp || wanted == (m_breakpoint != LLDB_INVALID_BREAK_ID))
    return;
  if (!wanted) {
    RemoveBreakpoint();
    return;
  }
  m_breakpoint = SetBreakpoint(*target_sp, kFunction, "HIP error");
  if (BreakpointSP breakpoint_sp = target_sp->GetBreakpointByID(m_breakpoint))
    breakpoint_sp->SetCallback(StopAtError, /*baton=*/nullptr,
                               /*is_synchronous=*/true);
}
