//===-- ProcessAMDGPUProperties.cpp ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProcessAMDGPUProperties.h"
#include "Core/Support/LibraryCode.h"
#include "StrictValues.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"
#include "wavelane/RuntimeChoice/RuntimeHelp.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Interpreter/OptionValueProperties.h"
#include "lldb/Utility/Args.h"
#include "lldb/Utility/RegularExpression.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace protocol = ::wavelane::protocol;

static constexpr llvm::StringLiteral kName("amdgpu");
/// MiB.
static constexpr uint64_t kDefaultShadows = 512;

namespace {
enum Device { eDeviceAuto, eDeviceSimulated, eDeviceHardware };

constexpr OptionEnumValueElement g_devices[] = {
    {eDeviceAuto, "auto",
     "The hardware if there is any (/dev/kfd and AMD's debug library), else "
     "the simulated GPU."},
    {eDeviceSimulated, "simulated", "The simulated GPU."},
    {eDeviceHardware, "hardware", "The hardware; an error if there is none."},
};

enum Runtime { eRuntimeAuto, eRuntimeAmd, eRuntimeWavelane };

constexpr OptionEnumValueElement g_runtimes[] = {
    {eRuntimeAuto, "auto", ::wavelane::runtimechoice::AutoHelp},
    {eRuntimeAmd, "amd", ::wavelane::runtimechoice::AmdHelp},
    {eRuntimeWavelane, "wavelane", ::wavelane::runtimechoice::WavelaneHelp},
};

enum StepUnit { eStepLane, eStepWave };

constexpr OptionEnumValueElement g_step_units[] = {
    {eStepLane, "lane",
     "A step continues while the focus lane is inactive, until that lane "
     "reaches another line."},
    {eStepWave, "wave",
     "A step ends at the next line that the wave reaches, whichever lanes are "
     "active."},
};

enum BreakpointMoves { eMovesReport, eMovesRefuse };

constexpr OptionEnumValueElement g_moves[] = {
    {eMovesReport, "report",
     "The breakpoint stops at the next line with code, and a message says "
     "where "
     "that is."},
    {eMovesRefuse, "refuse",
     "The breakpoint stops there only if that line is executed whenever its "
     "own "
     "is."},
};

enum RunUnit { eRunJob, eRunRank };

constexpr OptionEnumValueElement g_run_units[] = {
    {eRunJob, "job",
     "'continue' resumes all ranks of a job, and a stop of one stops all."},
    {eRunRank, "rank", "'continue' and a stop are the selected rank's only."},
};

enum Record { eRecordAuto, eRecordOn, eRecordOff };

constexpr OptionEnumValueElement g_records[] = {
    {eRecordAuto, "auto", "From the time the debugger is attached."},
    {eRecordOn, "on", "The same, from now on."},
    {eRecordOff, "off",
     "Nothing is recorded, and the existing recording is dropped."},
};

enum {
  ePropertyDevice,
  ePropertyRuntime,
  ePropertySetEnvironment,
  ePropertyLibrary,
  ePropertyHostCore,
  ePropertyCodeObjects,
  ePropertyStepUnit,
  ePropertyBreakpointMoves,
  ePropertyLibraryFiles,
  ePropertyNonStop,
  ePropertyStopOnKernelEntry,
  ePropertyStopOnModuleLoad,
  ePropertyStopOnHipError,
  ePropertyStopOnMemoryViolation,
  ePropertyStopOnIllegalInstruction,
  ePropertyStopOnArithmeticException,
  ePropertyStopOnAbort,
  ePropertyStopOnTrap,
  ePropertyPreciseMemory,
  ePropertyPreciseAlu,
  ePropertyLocalRange,
  ePropertyCheck,
  ePropertyCheckIgnore,
  ePropertyRunUnit,
  ePropertyEndRanks,
  ePropertyCheckKernel,
  ePropertyCheckLaunches,
  ePropertyCheckLeaks,
  ePropertyCheckSuppressions,
  ePropertyCheckShadowLimit,
  ePropertyRecord,
  ePropertyRecordLimit,
  ePropertySchedule,
  ePropertyMemoryLimit
};

// clang-format off
constexpr PropertyDefinition g_properties[] = {
    {"device", OptionValue::eTypeEnum, /*global=*/true, eDeviceAuto, nullptr,
     OptionEnumValues(g_devices),
     "The GPU for programs started from now on."},
    {"runtime", OptionValue::eTypeEnum, /*global=*/true, eRuntimeAuto, nullptr,
     OptionEnumValues(g_runtimes),
     "The GPU runtime for programs started from now on for the simulated GPU. 'wavelane-run --explain PROGRAM' says which one auto chooses, and why."},
    {"set-environment", OptionValue::eTypeBoolean, /*global=*/true, true, nullptr, {},
     "Add the variables that debugging a GPU needs to the environment of programs started from now on that may use one, such as LD_LIBRARY_PATH for the simulated GPU's runtime. Nothing is added if target.inherit-env is false."},
    {"library", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The debug library (ROCdbgapi) to use, for both kinds of device. If it "
     "isn't set, librocm-dbgapi is used for hardware, and Wavelane's own library "
     "for the simulated GPU."},
    {"host-core", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The core file with the host's memory, for the next GPU core that is opened. If it isn't set, core.PID beside a gpucore.PID is used."},
    {"code-objects", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "The folder to search for GPU code objects of a core file, by build ID, if they have been moved: as .build-id/xx/yyyy.debug, or under any name."},
    {"step-unit", OptionValue::eTypeEnum, /*global=*/true, eStepLane, nullptr,
     OptionEnumValues(g_step_units),
     "What 'next', 'step' and 'thread until' follow: the focus lane or the "
     "wave's."},
    {"breakpoint-moves", OptionValue::eTypeEnum, /*global=*/true, eMovesReport,
     nullptr, OptionEnumValues(g_moves),
     "What happens to a breakpoint on a line without code if the next line with code is in another branch, loop or function of the source. "
     "'target.move-to-nearest-code false' refuses all moves."},
    {"library-files", OptionValue::eTypeRegex, /*global=*/true, 0,
     kDefaultLibraryFiles, {},
     "The paths of source files that aren't the program's own, such as HIP's headers. Steps of waves skip code from these files, and a stop there shows the frame that it was called from or inlined into; 'bt -u' shows all frames. If empty, all code is stepped through and shown."},
    {"non-stop", OptionValue::eTypeBoolean, /*global=*/true, false, nullptr, {},
     "From the next resume on: a stop of waves holds only those, while the others run on. The waves that are held are the threads; 'thread continue' resumes one of them, and 'continue' all. 'process interrupt' and Ctrl-C hold all waves."},
    {"stop-on-kernel-entry", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop when a kernel begins, at the first wave of each dispatch."},
    {"stop-on-module-load", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop the program when GPU code objects are loaded or unloaded."},
    {"stop-on-hip-error", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "Stop the program when a HIP call fails. Breakpoints on __hipOnError, with "
     "conditions like '*(int *)$arg1 == 101', stop the same way."},
    {"stop-on-memory-violation", OptionValue::eTypeBoolean, /*global=*/true, true,
     nullptr, {},
     "Stop when a wave accesses memory that it isn't allowed to access, or when memory fails. Otherwise, the program gets the exception, as it does without a debugger."},
    {"stop-on-illegal-instruction", OptionValue::eTypeBoolean, /*global=*/true,
     true, nullptr, {}, "Stop when a wave reaches an illegal instruction."},
    {"stop-on-arithmetic-exception", OptionValue::eTypeBoolean, /*global=*/true,
     true, nullptr, {},
     "Stop when a wave raises an arithmetic exception that the kernel has "
     "enabled."},
    {"stop-on-abort", OptionValue::eTypeBoolean, /*global=*/true, true, nullptr,
     {}, "Stop when an assertion of a kernel fails, or when it aborts."},
    {"stop-on-trap", OptionValue::eTypeBoolean, /*global=*/true, true, nullptr,
     {}, "Stop when a wave reaches a trap in the program."},
    {"precise-memory", OptionValue::eTypeBoolean, /*global=*/true, false, nullptr,
     {},
     "For programs started from now on: memory faults and watchpoints stop a wave right after the instruction that caused them. This slows the GPU down."},
    {"precise-alu-exceptions", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "For programs started from now on: arithmetic exceptions stop a wave right after the instruction that caused them, on GPUs that support it."},
    {"local-range-exceptions", OptionValue::eTypeBoolean, /*global=*/true, false,
     nullptr, {},
     "For programs started from now on: a wave that reads or writes beyond its "
     "workgroup's local memory stops. Otherwise such reads return 0 and writes do "
     "nothing, as on GPUs. Hardware can report them since gfx1250, the simulated "
     "GPU always."},
    {"check", OptionValue::eTypeString, /*global=*/true, 0, "", {},
     "On the simulated GPU: stop a wave just before an operation that a check reports. A list, separated by commas, of"
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP) " " NAME " (" LABEL "),"
#include "wavelane/Protocol/Device/Checks.def"
     " or all, which leaves out"
#define WAVELANE_CHECK(ID, NAME, LABEL, HELP)
#define WAVELANE_CHECK_BY_NAME(ID, NAME, LABEL, HELP) " " NAME
#include "wavelane/Protocol/Device/Checks.def"
     "; count counts what each line costs ('gpu count'). It can be set until a program first uses the GPU; later, findings of checks that you remove from the list no longer stop the program."},
    {"check-ignore", OptionValue::eTypeArray, /*global=*/true,
     OptionValue::eTypeString, nullptr, {},
     "Findings that do not stop the program: suppressions as for wavelane-run, such as 'local-race file=a.hip line=12'. 'gpu check ignore' adds to them."},
    {"run-unit", OptionValue::eTypeEnum, /*global=*/true, eRunJob, nullptr,
     OptionEnumValues(g_run_units),
     "Whether 'continue', Ctrl-C and stops apply to all ranks of a job or only one."},
    {"end-ranks-with-lldb", OptionValue::eTypeBoolean, /*global=*/true, true,
     nullptr, {},
     "For jobs from now on: ranks that a launcher starts are killed if LLDB ends without ending or detaching from them. Otherwise they continue."},
    {"check-kernel", OptionValue::eTypeRegex, /*global=*/true, 0, "", {},
     "Which kernels are checked: those whose names contain a match. Like 'check', it can be set until a program first uses the GPU."},
    {"check-launches", OptionValue::eTypeString, /*global=*/true, 0, "", {},
     "Which launches are checked, as 3-5,8; the first is 1. Like 'check', it can be set until a program first uses the GPU."},
    {"check-leaks", OptionValue::eTypeBoolean, /*global=*/true, false, nullptr, {},
     "Whether the check of memory also finds memory that is never freed: the program then stops at its end. Like 'check', it can be set until a program first uses the GPU."},
    {"check-suppressions", OptionValue::eTypeFileSpec, /*global=*/true, 0, nullptr, {},
     "A file of suppressions as for wavelane-run: findings that it lists do not stop the program."},
    {"check-shadow-limit", OptionValue::eTypeUInt64, /*global=*/true, kDefaultShadows, nullptr, {},
     "How many MiB each of the checks race and init may use to follow memory. If memory runs out, the report says what was not checked. Like 'check', it can be set until a program first uses the GPU."},
    {"record", OptionValue::eTypeEnum, /*global=*/true, eRecordAuto, nullptr,
     OptionEnumValues(g_records),
     "Whether the simulated GPU records what waves do, so that they can go back ('help reverse-next')."},
    {"record-limit", OptionValue::eTypeUInt64, /*global=*/true, 1024, nullptr, {},
     "How many MiB of memory the recording may use; those of a job's ranks on one machine share it. The oldest part is dropped first."},
    {"schedule", OptionValue::eTypeUInt64, /*global=*/true, 0, nullptr, {},
     "For programs started from now on for the simulated GPU: the seed of the order in which waves run, as printed by 'wavelane-run --schedule random'. 0 is the usual order."},
    {"memory-limit", OptionValue::eTypeUInt64, /*global=*/true, 0, nullptr, {},
     "For programs started from now on: how many MiB of memory the process of the simulated GPU may take for itself, beside what the program allocates. If it takes more, it says so and ends. 0 is a quarter of the machine's memory, but at least 3072."},
};
// clang-format on
} // namespace

static ValueRule GetRule(size_t property) {
  switch (property) {
  case ePropertyCheck:
    return {ValueKind::Checks};
  case ePropertyCheckLaunches:
    return {ValueKind::Launches};
  case ePropertyCheckIgnore:
    return {ValueKind::Suppressions};
  case ePropertyCheckSuppressions:
    return {ValueKind::Suppressed};
  case ePropertyHostCore:
    return {ValueKind::File};
  case ePropertyCodeObjects:
    return {ValueKind::Folder};
  case ePropertyCheckShadowLimit:
    return {ValueKind::Number, 0, ::wavelane::check::MaxShadowLimit};
  case ePropertyRecordLimit:
    return {ValueKind::Number, 1, ::wavelane::simulator::MostRecordLimit};
  case ePropertySchedule:
    return {ValueKind::Number, 0, ::wavelane::simulator::ScheduleLimit};
  case ePropertyMemoryLimit:
    return {ValueKind::Number, 0, ::wavelane::simulator::MostMemoryLimit};
  default:
    return {};
  }
}

/// Sets \a setting to what a value's text, which was checked, stands for.
template <typename T>
static void SetText(std::optional<T> &setting, llvm::StringRef text) {
  llvm::cantFail(protocol::readText(text, setting.emplace()));
}

ProcessAMDGPUProperties::ProcessAMDGPUProperties() {
  auto properties_sp = std::make_shared<StrictProperties>(kName);
  properties_sp->Add(g_properties, GetRule);
  m_collection_sp = properties_sp;
  m_collection_sp->SetValueChangedCallback(ePropertyLibraryFiles, [this] {
    const auto *regex =
        GetPropertyAtIndexAs<const RegularExpression *>(ePropertyLibraryFiles);
    SetLibraryFiles(regex ? regex->GetText() : "");
  });
}

llvm::json::Object ProcessAMDGPUProperties::GetServerSettings() const {
  protocol::ServerSettings settings;
  const Device device =
      GetPropertyAtIndexAs<Device>(ePropertyDevice, eDeviceAuto);
  if (device != eDeviceAuto)
    settings.Device = protocol::findWord<protocol::WantedDevice>(
        g_devices[device].string_value);
  const Runtime runtime =
      GetPropertyAtIndexAs<Runtime>(ePropertyRuntime, eRuntimeAuto);
  if (runtime != eRuntimeAuto)
    settings.Runtime = protocol::findWord<protocol::WantedRuntime>(
        g_runtimes[runtime].string_value);
  if (!GetPropertyAtIndexAs<bool>(ePropertySetEnvironment, true))
    settings.LeaveEnvironment = true;
  if (FileSpec library = GetPropertyAtIndexAs<FileSpec>(ePropertyLibrary, {}))
    settings.Library = {library.GetPath()};
  using protocol::Exception;
  for (auto [property, exception] :
       {std::pair(ePropertyPreciseMemory, Exception::Memory),
        std::pair(ePropertyPreciseAlu, Exception::Alu),
        std::pair(ePropertyLocalRange, Exception::LocalRange)})
    if (GetPropertyAtIndexAs<bool>(property, false)) {
      if (!settings.Exceptions)
        settings.Exceptions.emplace();
      settings.Exceptions->push_back(exception);
    }
  if (const std::string checks = GetChecks(); !checks.empty())
    SetText(settings.Check, checks);
  const auto *kernel =
      GetPropertyAtIndexAs<const RegularExpression *>(ePropertyCheckKernel);
  if (kernel && !kernel->GetText().empty())
    settings.CheckKernel = {kernel->GetText().str()};
  if (llvm::StringRef launches =
          GetPropertyAtIndexAs<llvm::StringRef>(ePropertyCheckLaunches, "");
      !launches.empty())
    SetText(settings.CheckLaunches, launches);
  if (GetPropertyAtIndexAs<bool>(ePropertyCheckLeaks, false))
    settings.CheckLeaks = true;
  if (const uint64_t limit = GetPropertyAtIndexAs<uint64_t>(
          ePropertyCheckShadowLimit, kDefaultShadows);
      limit != kDefaultShadows)
    settings.CheckShadowLimit = {limit};
  if (const uint64_t number =
          GetPropertyAtIndexAs<uint64_t>(ePropertySchedule, 0))
    settings.Schedule = {number};
  if (const uint64_t limit =
          GetPropertyAtIndexAs<uint64_t>(ePropertyMemoryLimit, 0))
    settings.MemoryLimit = {limit};
  return std::move(*toJSON(settings).getAsObject());
}

FileSpec ProcessAMDGPUProperties::GetSuppressions() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyCheckSuppressions, {});
}

std::optional<bool> ProcessAMDGPUProperties::GetRecord() const {
  const Record record =
      GetPropertyAtIndexAs<Record>(ePropertyRecord, eRecordAuto);
  return record == eRecordAuto ? std::nullopt
                               : std::optional<bool>(record == eRecordOn);
}

uint64_t ProcessAMDGPUProperties::GetRecordLimit() const {
  return GetPropertyAtIndexAs<uint64_t>(ePropertyRecordLimit, 1024) << 20;
}

std::string ProcessAMDGPUProperties::GetChecks() const {
  return GetPropertyAtIndexAs<llvm::StringRef>(ePropertyCheck, "").str();
}

std::vector<std::string> ProcessAMDGPUProperties::GetIgnoredFindings() const {
  Args lines;
  m_collection_sp->GetPropertyAtIndexAsArgs(ePropertyCheckIgnore, lines);
  std::vector<std::string> ignored;
  for (const Args::ArgEntry &line : lines)
    ignored.push_back(line.ref().str());
  return ignored;
}

void ProcessAMDGPUProperties::SetIgnoredFindings(
    const std::vector<std::string> &lines) {
  Args args;
  for (const std::string &line : lines)
    args.AppendArgument(line);
  m_collection_sp->SetPropertyAtIndexFromArgs(ePropertyCheckIgnore, args);
}

bool ProcessAMDGPUProperties::RunsJobAsOne() const {
  return GetPropertyAtIndexAs<RunUnit>(ePropertyRunUnit, eRunJob) == eRunJob;
}

bool ProcessAMDGPUProperties::EndsRanksWithLLDB() const {
  return GetPropertyAtIndexAs<bool>(ePropertyEndRanks, true);
}

FileSpec ProcessAMDGPUProperties::GetHostCore() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyHostCore, {});
}

FileSpec ProcessAMDGPUProperties::GetCodeObjects() const {
  return GetPropertyAtIndexAs<FileSpec>(ePropertyCodeObjects, {});
}

bool ProcessAMDGPUProperties::StepsFollowLane() const {
  return GetPropertyAtIndexAs<StepUnit>(ePropertyStepUnit, eStepLane) ==
         eStepLane;
}

bool ProcessAMDGPUProperties::MovesBreakpoints() const {
  return GetPropertyAtIndexAs<BreakpointMoves>(ePropertyBreakpointMoves,
                                               eMovesReport) == eMovesReport;
}

bool ProcessAMDGPUProperties::IsNonStop() const {
  return GetPropertyAtIndexAs<bool>(ePropertyNonStop, false);
}

bool ProcessAMDGPUProperties::StopsOnKernelEntry() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnKernelEntry, false);
}

bool ProcessAMDGPUProperties::StopsOnModuleLoad() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnModuleLoad, false);
}

bool ProcessAMDGPUProperties::StopsOnHipError() const {
  return GetPropertyAtIndexAs<bool>(ePropertyStopOnHipError, false);
}

bool ProcessAMDGPUProperties::StopsOn(
    ::wavelane::protocol::StopKind kind) const {
  using Kind = ::wavelane::protocol::StopKind;
  const auto get = [&](uint32_t property) {
    return GetPropertyAtIndexAs<bool>(property, true);
  };
  switch (kind) {
  case Kind::MemoryViolation:
  case Kind::AddressError:
  case Kind::MemoryError:
    return get(ePropertyStopOnMemoryViolation);
  case Kind::IllegalInstruction:
    return get(ePropertyStopOnIllegalInstruction);
  case Kind::FloatingPointException:
  case Kind::DivisionByZero:
    return get(ePropertyStopOnArithmeticException);
  case Kind::AssertionOrAbort:
  case Kind::FatalHalt:
    return get(ePropertyStopOnAbort);
  case Kind::DebugTrap:
  case Kind::Trap:
    return get(ePropertyStopOnTrap);
  default:
    return true;
  }
}

void ProcessAMDGPUProperties::CallWhenStopsOnHipErrorChanges(
    std::function<void()> callback) {
  m_collection_sp->SetValueChangedCallback(ePropertyStopOnHipError,
                                           std::move(callback));
}

void ProcessAMDGPUProperties::AddTo(Debugger &debugger) {
  if (!PluginManager::GetSettingForProcessPlugin(debugger, kName))
    PluginManager::CreateSettingForProcessPlugin(debugger, GetValueProperties(),
                                                 "Settings of GPU debugging.",
                                                 /*is_global_property=*/true);
}

ProcessAMDGPUProperties &lldb_private::wavelane::GetProcessAMDGPUProperties() {
  static ProcessAMDGPUProperties properties;
  return properties;
}
