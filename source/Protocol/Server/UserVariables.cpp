//===-- UserVariables.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/UserVariables.h"

#include "wavelane/CommandLine/Words.h"
#include "wavelane/GPU/VisibleDevices.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Device/FaultNotes.h"
#include "wavelane/Protocol/Device/MemoryLimit.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Device/TranslateOption.h"
#include "wavelane/Protocol/Job/JobMessages.h"
#include "wavelane/Protocol/Server/ServerEnd.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <unistd.h>

using namespace llvm;
using namespace wavelane;
using namespace wavelane::protocol;

//===-- Values ------------------------------------------------------------===//

template <uint64_t Least, uint64_t Most>
static Error checkNumber(StringRef Text, StringRef) {
  uint64_t Number = 0;
  // Programs read it as decimal.
  return readNumber(all_of(Text, isDigit) ? Text.ltrim('0').empty()
                                                ? StringRef("0")
                                                : Text.ltrim('0')
                                          : StringRef("-"),
                    Least, Most, Number);
}

template <typename T> static Error checkText(StringRef Text, StringRef) {
  T Value{};
  return readText(Text, Value);
}

static Error checkSwitch(StringRef Text, StringRef) {
  return readWord(Text, {"0", "1"});
}

static Error checkTranslation(StringRef Text, StringRef) {
  return readWord(Text, {"0", "1", simulator::VerifyTranslation});
}

static Error checkProcessors(StringRef Text, StringRef) {
  std::vector<const gpu::Processor *> Gpus;
  std::string Why;
  if (gpu::parseProcessors(Text.str(), Gpus, Why))
    return Error::success();
  return createStringError(Why);
}

static Error checkAny(StringRef, StringRef) { return Error::success(); }

static SmallString<256> resolve(StringRef Path, StringRef Folder) {
  SmallString<256> Whole(Path);
  if (Folder.empty())
    cantFail(errorCodeToError(sys::fs::make_absolute(Whole)));
  else
    sys::path::make_absolute(Folder, Whole);
  return Whole;
}

/// A file that doesn't exist yet, or can be replaced.
static Error checkNewFile(StringRef Text, StringRef Folder) {
  const SmallString<256> Path = resolve(Text, Folder);
  const std::string Parent = sys::path::parent_path(Path).str();
  if (sys::fs::is_directory(Path))
    return createStringError("it is a folder, not a file");
  if (!sys::fs::is_directory(Parent))
    return createStringError("there is no folder " + Parent);
  if (access(Parent.c_str(), W_OK) != 0)
    return createStringError("no file can be made in " + Parent);
  return Error::success();
}

static Error checkProgram(StringRef Text, StringRef Folder) {
  const SmallString<256> Path = resolve(Text, Folder);
  if (!sys::fs::is_directory(Path) && sys::fs::can_execute(Path))
    return Error::success();
  return createStringError("it must be a program that can be run");
}

static Error checkFolder(StringRef Text, StringRef) {
  if (!sys::path::is_absolute(Text))
    return createStringError("it must be an absolute path");
  if (sys::fs::is_directory(Text))
    return Error::success();
  return createStringError("there is no such folder");
}

Error protocol::readText(StringRef Text, PortRange &Out) {
  const auto [From, To] = Text.split('-');
  const bool IsOne = !Text.contains('-');
  if (From.getAsInteger(10, Out.First) || !Out.First ||
      (IsOne ? (Out.Last = Out.First, false) : To.getAsInteger(10, Out.Last)) ||
      Out.Last < Out.First)
    return createStringError("it must be a port, or a range as 4000-4010");
  return Error::success();
}

//===-- Variables ---------------------------------------------------------===//

ArrayRef<Variable> protocol::getVariables() {
  static constexpr Variable All[] = {
      {"WAVELANE_PROCESSOR", "the GPUs to simulate, as gfx90a,gfx1100",
       checkProcessors},
      {"WAVELANE_CUS", "their number of compute units",
       checkNumber<1, simulator::MostComputeUnits>},
      {"WAVELANE_RUNTIME", "the program's runtime: auto, wavelane or amd",
       checkText<WantedRuntime>},
      {simulator::TranslateVariable,
       "0 interprets everything; verify compares translated code with the "
       "interpreter",
       checkTranslation},
      {simulator::ThreadsVariable,
       "how many of the host's threads execute workgroups at the same time",
       checkNumber<0, simulator::MostThreads>},
      {simulator::MemoryLimitVariable,
       "how many MiB of memory the simulated GPU's process may take for itself",
       checkNumber<1, simulator::MostMemoryLimit>},
      {server::MemoryLimitVariable,
       "how many MiB of memory lldb-server may take for itself",
       checkNumber<1, simulator::MostMemoryLimit>},
      {simulator::ScheduleVariable, "the seed of the order in which waves run",
       checkNumber<0, simulator::ScheduleLimit>},
      {simulator::RecordVariable, "the file in which the run is kept",
       checkNewFile},
      {simulator::RecordLimitVariable,
       "the memory that the recording may take, in MiB",
       checkNumber<1, simulator::MostRecordLimit>},
      {"WAVELANE_HIP_COMPILER",
       "the clang++ for kernels that a program compiles with hiprtc",
       checkProgram},
      {"WAVELANE_DUMP_DEVICE_MEMORY",
       "1: a core that the kernel writes has what the program allocated on the "
       "simulated GPU",
       checkSwitch},
      {simulator::LateFaultsVariable,
       "how many more instructions a wave may execute before a violation stops "
       "it, as on hardware",
       checkNumber<0, simulator::MostLateFaults>},
      {"WAVELANE_LOG",
       "1 reports the runtime that was chosen, and each missing part of the "
       "driver's interface once",
       checkSwitch},
      {server::packets::DeviceVariable,
       "the GPU of a program that lldb-server starts by itself: auto, "
       "simulated or hardware",
       checkText<WantedDevice>},
      // lldb-server says why it can't load it.
      {server::packets::LibraryVariable,
       "another debugger library (ROCdbgapi) for lldb-server", checkAny},
      {server::packets::PortVariable,
       "the port, or range of ports as 4001-4010, for the GPU's connection",
       checkText<PortRange>},
      // wavelane-rank says why it can't connect.
      {job::AddressVariable,
       "the debugger that waits for a rank, as 'job listen' prints it",
       checkAny},
      {job::SecretVariable, "proves to that debugger whose rank it is",
       checkAny},
      {"WAVELANE_RANK_LOG",
       "the file in which a rank's server logs the packets", checkNewFile},
      {"WAVELANE_ADAPTER_ENDS_WITH_INPUT",
       "1: an adapter that listens ends when its input and its sessions have "
       "ended",
       checkSwitch},
      {"WAVELANE_RUNTIME_DIR",
       "the folder of the simulated GPU's sockets, instead of XDG_RUNTIME_DIR",
       checkFolder},
  };
  return All;
}

Error protocol::checkVariables(function_ref<std::string(StringRef)> Get,
                               StringRef Folder) {
  std::vector<WrongSetting> Wrong;
  for (const Variable &Each : getVariables()) {
    const std::string Text = Get(Each.Name);
    if (Text.empty())
      continue;
    if (Error Why = Each.Check(Text, Folder))
      Wrong.push_back({Each.Name.str(), explainWrong(Text, std::move(Why))});
  }
  return toError(Wrong);
}

/// Between Wavelane's own programs; docs/environment.md has the same names.
static constexpr StringLiteral Internal[] = {
    simulator::ChecksVariable,
    simulator::CheckFolderVariable,
    server::packets::ClientVariable,
    "WAVELANE_DBGAPI",
    server::packets::ExceptionsVariable,
    "WAVELANE_GPU",
    "WAVELANE_PYTHON",
    WarnedVariable};

/// What else the GPUs' variable could be called.
static constexpr StringLiteral GpuNames[] = {"GPU", "GPUS"};

std::string protocol::explainMistyped(StringRef Name) {
  constexpr StringLiteral Prefix("WAVELANE");
  const auto [Begin, Rest] = Name.split('_');
  if (words::nearest(Begin, {Prefix}).empty() || is_contained(Internal, Name))
    return "";
  // The prefix doesn't make different names alike.
  std::vector<StringRef> Known;
  for (const Variable &Each : getVariables()) {
    if (Each.Name == Name)
      return "";
    Known.push_back(Each.Name.drop_front(Prefix.size() + 1));
  }
  append_range(Known, GpuNames);
  StringRef Nearest = words::nearest(Rest, Known);
  if (Nearest.empty())
    return "";
  if (is_contained(GpuNames, Nearest))
    Nearest = "PROCESSOR";
  return (Name + " has no effect: did you mean " + Prefix + "_" + Nearest + "?")
      .str();
}

std::vector<std::string> protocol::findMistyped() {
  std::vector<std::string> All;
  if (isOn(WarnedVariable))
    return All;
  for (char **Each = environ; Each && *Each; ++Each)
    if (std::string Why = explainMistyped(StringRef(*Each).split('=').first);
        !Why.empty())
      All.push_back(std::move(Why));
  return All;
}

static std::string getOwn(StringRef Name) {
  const char *Value = secure_getenv(Name.str().c_str());
  return Value ? Value : "";
}

Error protocol::checkVariables() { return checkVariables(getOwn); }

bool protocol::isOn(const char *Name) { return getOwn(Name) == "1"; }
