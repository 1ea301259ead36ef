//===-- InstrumentationRuntimeHIP.cpp -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InstrumentationRuntimeHIP.h"
#include "CalledFunction.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "SilentErrors.h"

#include "lldb/Breakpoint/Breakpoint.h"
#include "lldb/Breakpoint/StoppointCallbackContext.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrameRecognizer.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr char kFunction[] = "__hipOnError";
static constexpr char kRecognizer[] = "Failed HIP calls";
static constexpr llvm::StringLiteral kLibrary("libamdhip64.so");

namespace {
/// The runtime's frame, shown as the program's failed call.
class FailedCall : public RecognizedStackFrame {
public:
  FailedCall(std::string description, StackFrameSP call_sp)
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

RecognizedStackFrameSP
FailedCallRecognizer::RecognizeFrame(StackFrameSP frame_sp) {
  ThreadSP thread_sp = frame_sp->GetThread();
  if (!thread_sp || frame_sp->GetFrameIndex() != 0)
    return nullptr;
  // The program has called the last function of the runtime. The runtime's
  // launch of a kernel is called by a function that the compiler has made.
  constexpr uint32_t kMaxFrames = 64;
  std::string call;
  StackFrameSP call_sp;
  for (uint32_t i = 1; i < kMaxFrames; ++i) {
    StackFrameSP caller_sp = thread_sp->GetStackFrameAtIndex(i);
    if (!caller_sp)
      break;
    const SymbolContext &context = caller_sp->GetSymbolContext(
        eSymbolContextModule | eSymbolContextFunction | eSymbolContextSymbol);
    llvm::StringRef name = context.GetFunctionName().GetStringRef();
    if (context.module_sp && context.module_sp->GetFileSpec()
                                 .GetFilename()
                                 .GetStringRef()
                                 .starts_with(kLibrary)) {
      call = name.split('@').first.str();
      continue;
    }
    if (name.starts_with("__device_stub__"))
      continue;
    call_sp = caller_sp;
    if (std::string called =
            GetCalledFunction(thread_sp->GetProcess()->GetTarget(),
                              caller_sp->GetFrameCodeAddress().GetLoadAddress(
                                  &thread_sp->GetProcess()->GetTarget()));
        llvm::StringRef(called).starts_with("hip"))
      call = called;
    break;
  }
  std::string description = "HIP error";
  if (std::string error = ReadError(*frame_sp); !error.empty())
    description += " " + error;
  if (!call.empty())
    description += ", from " + call;
  return std::make_shared<FailedCall>(std::move(description), call_sp);
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
  StopWatchingSilentErrors();
}

const RegularExpression &
InstrumentationRuntimeHIP::GetPatternForRuntimeLibrary() {
  static RegularExpression g_library("^libamdhip64\\.so");
  return g_library;
}

bool InstrumentationRuntimeHIP::CheckIfRuntimeIsValid(
    const ModuleSP module_sp) {
  // LLDB also asks about the program itself, which may contain the runtime.
  return module_sp->FindFirstSymbolWithNameAndType(ConstString(kFunction),
                                                   eSymbolTypeAny);
}

void InstrumentationRuntimeHIP::Activate() {
  ProcessSP process_sp = GetProcessSP();
  if (!process_sp)
    return;
  Target &target = process_sp->GetTarget();
  m_target_wp = target.shared_from_this();
  StackFrameRecognizerManager &recognizers = target.GetFrameRecognizerManager();
  bool known = false;
  recognizers.ForEach([&](uint32_t, bool, std::string name, std::string,
                          llvm::ArrayRef<ConstString>, Mangled::NamePreference,
                          bool) { known |= name == kRecognizer; });
  if (!known)
    recognizers.AddRecognizer(
        std::make_shared<FailedCallRecognizer>(),
        std::make_shared<RegularExpression>("^libamdhip64\\.so"),
        std::make_shared<RegularExpression>(
            llvm::formatv("^{0}(@.*)?$", kFunction).str()),
        Mangled::ePreferDemangled,
        /*first_instruction_only=*/false);
  SetActive(true);
  UpdateBreakpoint();
  WatchSilentErrors();
}

static bool TellSilentError(void *, StoppointCallbackContext *context,
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

void InstrumentationRuntimeHIP::WatchSilentErrors() {
  TargetSP target_sp = m_target_wp.lock();
  if (!target_sp || m_silent_errors != LLDB_INVALID_BREAK_ID)
    return;
  BreakpointSP breakpoint_sp = target_sp->CreateBreakpoint(
      /*containingModules=*/nullptr, /*containingSourceFiles=*/nullptr,
      kSilentErrorFunction, eFunctionNameTypeFull, eLanguageTypeUnknown,
      /*offset=*/0, /*offset_is_insn_count=*/false,
      /*skip_prologue=*/eLazyBoolNo, /*internal=*/true,
      /*request_hardware=*/false);
  if (!breakpoint_sp)
    return;
  breakpoint_sp->SetCallback(TellSilentError, /*baton=*/nullptr,
                             /*is_synchronous=*/true);
  m_silent_errors = breakpoint_sp->GetID();
}

void InstrumentationRuntimeHIP::StopWatchingSilentErrors() {
  if (TargetSP target_sp = m_target_wp.lock())
    target_sp->RemoveBreakpointByID(m_silent_errors);
  m_silent_errors = LLDB_INVALID_BREAK_ID;
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
  if (BreakpointSP breakpoint_sp = target_sp->CreateBreakpoint(
          /*containingModules=*/nullptr, /*containingSourceFiles=*/nullptr,
          kFunction, eFunctionNameTypeFull, eLanguageTypeUnknown, /*offset=*/0,
          /*offset_is_insn_count=*/false,
          /*skip_prologue=*/eLazyBoolNo, /*internal=*/true,
          /*request_hardware=*/false)) {
    breakpoint_sp->SetBreakpointKind("HIP error");
    m_breakpoint = breakpoint_sp->GetID();
  }
}
