//===-- HostServer.cpp - The host connection ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostServer.h"
#include "LaunchGuard.h"
#include "Server/Core/CoreWriter.h"
#include "Server/GPU/GPUProcess.h"
#include "Server/GPU/GPUServer.h"
#include "Server/Library/DeviceChoice.h"
#include "lldb/Host/common/NativeRegisterContext.h"
#include "lldb/Host/common/NativeThreadProtocol.h"
#include "lldb/Utility/Connection.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Device/RunOptions.h"
#include "wavelane/Protocol/Peer/Peer.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "wavelane/Protocol/Server/UserVariables.h"
#include "llvm/ADT/STLExtras.h"
#include <cinttypes>
#include <fstream>
#include <set>

using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;
using llvm::StringRef;

namespace wavelane::server {

/// The function that GPU runtimes call around each change of their code
/// objects; AMD's has a namespace.
static constexpr char LoaderFunction[] = "_loader_debug_state";
static constexpr int64_t LoaderByName = 1, LoaderByAddress = 2;
/// The GPUs' triple since LLVM 23, which has the processor as its environment.
static constexpr char Triple[] = "amdgpu-amd-amdhsa--";

/// See packets::SharedFiles.
static llvm::json::Value ListSharedFiles(lldb::pid_t pid) {
  std::vector<protocol::SharedFile> files;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  // "7f0000000000-7f0000001000 rw-s 00000000 00:19 42    /dev/shm/name"
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin, end, offset, inode;
    unsigned major, minor;
    char access[5] = {};
    int name = 0;
    if (sscanf(line.c_str(),
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
               &begin, &end, access, &offset, &major, &minor, &inode,
               &name) == 7 &&
        access[3] == 's')
      files.push_back({begin, end, offset,
                       llvm::formatv("{0}:{1}", major, minor).str(), inode,
                       line.substr(size_t(name))});
  }
  return files;
}

HostServer::HostServer(MainLoop &loop, NativeProcessProtocol::Manager &manager)
    : PacketServer(loop, manager) {
  using Object = llvm::json::Object;
  Register(packets::Settings, [this](const Object &arguments) {
    return ChangeSettings(arguments);
  });
  Register(packets::AcceleratorInitialize, [this](const Object &arguments) {
    return InitializePlugin(arguments);
  });
  Register(packets::AcceleratorBreakpointHit, [this](const Object &arguments) {
    return BreakpointHit(arguments);
  });
  Register(packets::SaveCore,
           [this](const Object &arguments) { return SaveCore(arguments); });
  Register(packets::SharedFiles, [this](const Object &) {
    if (!m_current_process)
      return Fail("there is no program");
    return SendJSONResponse(ListSharedFiles(m_current_process->GetID()));
  });
  Register(packets::AcceleratorLibraryInfo, [this](const Object &arguments) {
    if (!m_session || !m_session->IsAttached())
      return Fail("there is no GPU to ask for its libraries");
    auto libraries =
        GPUServer::GetLibraries(m_gpu_server->GetProcess(), arguments);
    if (!libraries)
      return Fail(libraries.takeError());
    return SendJSONResponse(toJSON(*libraries));
  });
}

HostServer::~HostServer() = default;

std::vector<std::string>
HostServer::HandleFeatures(llvm::ArrayRef<StringRef> client_features) {
  std::vector<std::string> features =
      PacketServer::HandleFeatures(client_features);
  // A client that says nothing about itself gets what LLDB's server has. The
  // first feature follows the name of the packet.
  if (llvm::any_of(client_features, [](StringRef feature) {
        return feature.contains(packets::ClientOfLLDB);
      })) {
    features.push_back(packets::AcceleratorPlugins);
    features.push_back(packets::OneStopReply);
  }
  return features;
}

Environment HostServer::GetProgramEnvironment() const {
  return m_process_launch_info.GetEnvironment();
}

Status
HostServer::InitializeConnection(std::unique_ptr<Connection> connection) {
  if (llvm::Error error = ::wavelane::protocol::CheckPeer(
          connection->GetReadObject()->GetWaitableHandle(), s_client)) {
    // LLDB's main function doesn't print it.
    llvm::errs() << "lldb-server: " << llvm::toString(std::move(error)) << "\n";
    return Status::FromErrorString("refused");
  }
  return PacketServer::InitializeConnection(std::move(connection));
}

llvm::Error HostServer::PrepareEnvironment(Environment &environment,
                                           const Settings &settings,
                                           debugapi::Device device,
                                           runtimechoice::Runtime runtime) {
  const bool checks = settings.Check && settings.Check->Bits;
  const uint64_t schedule = settings.Schedule ? settings.Schedule->Value : 0;
  const uint64_t limit = settings.MemoryLimit ? settings.MemoryLimit->Value : 0;
  if (settings.LeaveEnvironment.value_or(false)) {
    if (!checks && !schedule && !limit)
      return llvm::Error::success();
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "checks, schedules and limits of memory need variables in the "
        "program's environment: set "
        "target.inherit-env and plugin.process.amdgpu.set-environment to true, "
        "or clear plugin.process.amdgpu.check, schedule and memory-limit");
  }
  const StringRef program =
      m_process_launch_info.GetArguments().GetArgumentAtIndex(0);
  // Any other program runs as without a debugger.
  if (!environment.count("LD_PRELOAD") &&
      !runtimechoice::mayUseGpu(program, environment.lookup("LD_LIBRARY_PATH")))
    return llvm::Error::success();
  if (llvm::Error wrong = protocol::checkVariables(
          [&](StringRef name) { return environment.lookup(name); },
          m_process_launch_info.GetWorkingDirectory().GetPath()))
    return wrong;
  m_warnings.clear();
  if (std::string warning =
          SetEnvironment(environment, device, runtime, program);
      !warning.empty())
    m_warnings.push_back(std::move(warning));
  if (environment.lookup(protocol::WarnedVariable) != "1") {
    std::vector<std::string> mistyped;
    for (const auto &entry : environment)
      if (std::string why = protocol::explainMistyped(entry.first());
          !why.empty())
        mistyped.push_back(std::move(why));
    // The device says nothing then.
    if (!mistyped.empty())
      environment[protocol::WarnedVariable] = "1";
    llvm::append_range(m_warnings, mistyped);
  }
  llvm::sort(m_warnings);
  if (llvm::Error error = m_check.SetUp(environment, GetCheckOptions(settings),
                                        RunsSimulated(device)))
    return error;
  if (schedule && RunsSimulated(device))
    environment[simulator::ScheduleVariable] = std::to_string(schedule);
  if (limit && RunsSimulated(device))
    environment[simulator::MemoryLimitVariable] = std::to_string(limit);
  return llvm::Error::success();
}

Status HostServer::LaunchProcess() {
  Environment &environment = m_process_launch_info.GetEnvironment();
  llvm::Expected<Settings> settings = GetSettings();
  if (!settings)
    return Status::FromError(settings.takeError());
  llvm::Expected<debugapi::Device> device = GetDevice(environment, *settings);
  if (!device)
    return Status::FromError(device.takeError());
  llvm::Expected<runtimechoice::Runtime> runtime =
      GetRuntime(environment, *settings);
  if (!runtime)
    return Status::FromError(runtime.takeError());
  if (llvm::Error error =
          PrepareEnvironment(environment, *settings, *device, *runtime))
    return Status::FromError(std::move(error));
  LaunchGuard guard;
  Status error = PacketServer::LaunchProcess();
  m_launched_simulated.reset();
  if (error.Success()) {
    guard.Keep(pid_t(m_current_process->GetID()));
    m_launched_simulated = RunsSimulated(*device);
  }
  m_killed = false;
  return error;
}

//===-- Settings ----------------------------------------------------------===//

llvm::Expected<Settings> HostServer::GetSettings() const {
  return CompleteByEnvironment(m_settings);
}

std::string HostServer::WhyLate(StringRef key, const Settings &wanted) const {
  // Checks can be chosen until the program uses its device.
  if (IsCheckOption(key))
    return "";
  if (m_session && m_session->IsAttached())
    return "has no effect yet: debugging of the program's GPU has begun with "
           "another value, and this one counts for programs that are started "
           "or attached to from now on";
  if (key != packets::setting::Device || !m_launched_simulated ||
      !m_current_process)
    return "";
  llvm::Expected<debugapi::Device> device = GetDevice(Environment(), wanted);
  if (!device) {
    llvm::consumeError(device.takeError());
    return "";
  }
  if (RunsSimulated(*device) == *m_launched_simulated)
    return "";
  return llvm::formatv("has no effect: the server has already started the "
                       "program for the {0} GPU; set {1} in its environment",
                       *m_launched_simulated ? "simulated" : "hardware's",
                       packets::DeviceVariable);
}

GDBRemoteCommunication::PacketResult
HostServer::ChangeSettings(const llvm::json::Object &arguments) {
  std::vector<protocol::WrongSetting> wrong;
  const Settings sent = protocol::readSettings(arguments, wrong);
  const llvm::json::Value old_value = toJSON(m_settings);
  llvm::json::Value new_value = toJSON(sent);
  const llvm::json::Object &had = *old_value.getAsObject();
  llvm::json::Object &wanted = *new_value.getAsObject();
  auto keep = [&](StringRef key) {
    if (const llvm::json::Value *value = had.get(key))
      wanted[key] = *value;
    else
      wanted.erase(key);
  };
  for (const protocol::WrongSetting &each : wrong)
    keep(each.Name);
  std::set<std::string> keys;
  for (const llvm::json::Object *side : {&had, &arguments})
    for (const auto &[key, value] : *side)
      keys.insert(key.str());
  for (const std::string &key : keys) {
    const llvm::json::Value *before = had.get(key), *after = wanted.get(key);
    if (before == after || (before && after && *before == *after))
      continue;
    if (std::string why = WhyLate(key, sent); !why.empty()) {
      wrong.push_back({key, std::move(why)});
      keep(key);
    }
  }
  std::vector<protocol::WrongSetting> none;
  Settings settings = protocol::readSettings(wanted, none);
  if (m_launched_simulated && m_current_process && !(settings == m_settings))
    if (llvm::Error error = m_check.Choose(GetCheckOptions(settings)))
      wrong.push_back({packets::setting::Check,
                       "has no effect: " + llvm::toString(std::move(error))});
  m_settings = std::move(settings);
  if (wrong.empty())
    return SendOKResponse();
  return SendJSONResponse(llvm::json::Value(std::move(wrong)));
}

//===-- The session -------------------------------------------------------===//

llvm::Error HostServer::StartSession() {
  if (m_session)
    return llvm::Error::success();
  if (!m_current_process)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "there is no program");
  llvm::Expected<Settings> settings = GetSettings();
  if (!settings)
    return settings.takeError();
  llvm::Expected<debugapi::Device> device =
      GetDevice(GetProgramEnvironment(), *settings);
  if (!device)
    return device.takeError();
  auto library = OpenLibrary(
      *device, settings->Library ? settings->Library->Path : std::string());
  if (!library)
    return library.takeError();
  auto session = GPUSession::Create(
      m_mainloop, m_current_process->GetID(), std::move(*library), *this,
      settings->Exceptions.value_or(std::vector<Exception>()),
      [this](GPUSession &session) {
        auto server = GPUServer::Create(m_mainloop, session);
        m_gpu_server = server.get();
        return std::shared_ptr<GPUSession::Waves>(server,
                                                  &server->GetProcess());
      });
  if (!session)
    return session.takeError();
  m_session = std::move(*session);
  m_connect_reported = false;
  m_reported_stop.reset();
  return llvm::Error::success();
}

void HostServer::EndSession() {
  if (m_session)
    m_session->Detach();
}

void HostServer::ReportToUser(const std::string &text) {
  LLDB_LOG(GetLog(LLDBLog::Process), "{0}", text);
  // A client only accepts output from a running program, and not as an answer
  // to k.
  if (!m_killed && m_current_process && m_current_process->IsRunning() &&
      IsConnected())
    SendONotification(text.data(), text.size());
}

Status HostServer::KillProgram() {
  return m_current_process ? m_current_process->Kill()
                           : Status::FromErrorString("the program has ended");
}

void HostServer::ProcessStateChanged(NativeProcessProtocol *process,
                                     lldb::StateType state) {
  if (state == lldb::eStateExited && m_session &&
      process->GetID() == m_session->GetPID())
    m_session->ProgramEnded(process->GetExitStatus());
  PacketServer::ProcessStateChanged(process, state);
  if (state == lldb::eStateRunning)
    for (const std::string &warning : std::exchange(m_warnings, {}))
      ReportToUser("warning: " + warning + "\n");
}

void HostServer::DidExec(NativeProcessProtocol *process) {
  PacketServer::DidExec(process);
  if (!m_session || process->GetID() != m_session->GetPID())
    return;
  // Another program has its own GPU runtime.
  m_session->ProgramEnded();
  StartSessionAgain();
}

void HostServer::StartSessionAgain() {
  // The library's descriptor may get the number of the one that the main loop
  // releases in this round.
  m_session.reset();
  m_mainloop.AddPendingCallback([this](MainLoopBase &) {
    if (llvm::Error error = StartSession())
      ReportToUser("GPU debugging has ended: " +
                   llvm::toString(std::move(error)) + "\n");
  });
}

void HostServer::ConnectionLost() {
  // At the end, the program is killed or released, as with any server.
  if (m_session && m_session->IsAttached())
    EndSession();
  PacketServer::ConnectionLost();
}

//===-- Packets -----------------------------------------------------------===//

bool HostServer::ResumesNoThread(Extractor packet) {
  bool names_threads = false;
  packet.SetFilePos(StringRef("vCont").size());
  while (packet.GetBytesLeft() && *packet.Peek() == ';') {
    packet.GetChar();
    if (StringRef("CS").contains(packet.GetChar()))
      packet.GetHexMaxU32(/*little_endian=*/false, 0); // its signal
    if (!packet.GetBytesLeft() || packet.GetChar() != ':')
      return false; // all threads
    const auto id = packet.GetPidTid(LLDB_INVALID_PROCESS_ID);
    if (!id || id->second == Extractor::AllThreads)
      return false;
    const auto process = m_debugged_processes.find(id->first);
    NativeProcessProtocol *named = process == m_debugged_processes.end()
                                       ? m_continue_process
                                       : process->second.process_up.get();
    if (named && named->GetThreadByID(id->second))
      return false;
    names_threads = true;
  }
  return names_threads;
}

std::optional<GDBRemoteCommunication::PacketResult>
HostServer::HandlePacket(Extractor &packet) {
  const StringRef text = packet.GetStringRef();
  // Nothing that runs would stop, or could be interrupted.
  if (packet.GetServerPacketType() == Extractor::eServerPacketType_vCont &&
      ResumesNoThread(packet))
    return Fail("none of these threads exists");
  m_killed |=
      packet.GetServerPacketType() == Extractor::eServerPacketType_k ||
      packet.GetServerPacketType() == Extractor::eServerPacketType_vKill;
  // Don't leave waves stopped if there is no client to resume them. A forked
  // child is detached by its number.
  if (packet.GetServerPacketType() == Extractor::eServerPacketType_D &&
      m_session) {
    StringRef number = text.drop_front();
    lldb::pid_t pid;
    if (number.empty() ||
        (number.consume_front(";") && !number.getAsInteger(16, pid) &&
         pid == m_session->GetPID()))
      EndSession();
    // A client that follows a forked child detaches the parent. The child may
    // use a GPU of its own.
    if (!number.empty() && !m_session->IsAttached() && m_current_process &&
        m_current_process->GetID() != m_session->GetPID())
      StartSessionAgain();
  }
  return std::nullopt;
}

GDBRemoteCommunication::PacketResult
HostServer::SaveCore(const llvm::json::Object &arguments) {
  auto path = llvm::expectedToOptional(protocol::read<protocol::CorePath>(
      llvm::json::Value(llvm::json::Object(arguments)), "arguments"));
  if (!path || path->Path.empty())
    return FailWanting("{\"path\":\"<path>\"}");
  if (!m_session || !m_session->IsAttached() || !m_current_process)
    return Fail("the program doesn't use a GPU that could be saved");
  if (m_current_process->IsRunning())
    return Fail("the program is running");
  if (llvm::Error error = m_gpu_server->GetProcess().WithCoreState(
          [&](llvm::ArrayRef<uint8_t> state, const MemoryPatches &patches) {
            return WriteCore(*m_current_process, state,
                             ReadFindings(*m_session), patches, path->Path);
          }))
    return Fail(std::move(error));
  return SendJSONResponse(toJSON(*path));
}

protocol::AcceleratorActions HostServer::MakeActions() {
  protocol::AcceleratorActions actions;
  actions.PluginName = packets::PluginName;
  actions.SessionName = "AMD GPU";
  actions.Identifier = ++m_last_action;
  return actions;
}

GDBRemoteCommunication::PacketResult
HostServer::InitializePlugin(const llvm::json::Object &arguments) {
  auto client = protocol::read<protocol::AcceleratorClient>(
      llvm::json::Object(arguments), "the arguments");
  if (!client)
    return Fail(client.takeError());
  m_client = *client;
  if (llvm::Error error = StartSession())
    return Fail(std::move(error));
  protocol::AcceleratorActions actions = MakeActions();
  protocol::AcceleratorBreakpoint loader;
  loader.Identifier = LoaderByName;
  loader.ByName.emplace().Function = LoaderFunction;
  actions.Breakpoints.push_back(std::move(loader));
  m_loader_address.reset();
  RequestLoaderBreakpoint(actions);
  if (m_session->IsRuntimeUp()) {
    if (llvm::Error error = RequestConnection(actions))
      return Fail(std::move(error));
    actions.LoadLibraries = true;
  }
  return SendJSONResponse(
      llvm::json::Value(llvm::json::Array{toJSON(actions)}));
}

/// Once the runtime is up, its function's address is known even if it has no
/// symbol.
void HostServer::RequestLoaderBreakpoint(
    protocol::AcceleratorActions &actions) {
  for (const GPUSession::HostBreakpoint &breakpoint :
       m_session->GetHostBreakpoints()) {
    if (std::exchange(m_loader_address, breakpoint.address) ==
        breakpoint.address)
      continue;
    protocol::AcceleratorBreakpoint loader;
    loader.Identifier = LoaderByAddress;
    loader.ByAddress.emplace().Load = breakpoint.address;
    actions.Breakpoints.push_back(std::move(loader));
  }
}

llvm::Error
HostServer::RequestConnection(protocol::AcceleratorActions &actions) {
  if (m_connect_reported)
    return llvm::Error::success();
  std::optional<std::string> executable;
  if (!m_client.ListsLibraries &&
      !(executable = m_gpu_server->MakeExecutable()))
    return llvm::Error::success();
  auto url = m_gpu_server->Listen(
      GetConnection()->GetReadObject()->GetWaitableHandle());
  if (!url)
    return url.takeError();
  m_connect_reported = true;
  protocol::AcceleratorConnection connection;
  connection.URL = *url;
  connection.Simulated = m_session->IsSimulated();
  const std::string processor =
      m_gpu_server->GetProcess().GetAgents().GetProcessor();
  connection.Triple = Triple + processor;
  if (!processor.empty())
    connection.Processor = processor;
  connection.DeviceProcess = m_session->GetDeviceProcess();
  // On another machine there is no such file.
  if (StringRef(connection.URL).starts_with("unix-connect:"))
    connection.Executable = std::move(executable);
  actions.Connection = std::move(connection);
  return llvm::Error::success();
}

GDBRemoteCommunication::PacketResult
HostServer::BreakpointHit(const llvm::json::Object &arguments) {
  auto hit = protocol::read<protocol::AcceleratorHit>(
      llvm::json::Object(arguments), "the arguments");
  if (!hit)
    return Fail(hit.takeError());
  if (hit->PluginName != packets::PluginName)
    return Fail("the packet doesn't name a plug-in of this server");
  protocol::AcceleratorHitAnswer answer;
  if (!m_session || !m_session->IsAttached() || !m_current_process) {
    answer.DisableBreakpoint = true;
    return SendJSONResponse(toJSON(answer));
  }

  // The library has breakpoints once it has found the runtime.
  m_session->CatchUp();
  bool changed = false;
  const bool is_reported =
      std::exchange(m_reported_stop, m_current_process->GetStopID()) ==
      m_current_process->GetStopID();
  const auto breakpoints = m_session->GetHostBreakpoints();
  for (NativeThreadProtocol &thread : m_current_process->Threads()) {
    if (is_reported)
      break;
    ThreadStopInfo info;
    std::string description;
    if (!thread.GetStopReason(info, description) ||
        info.reason != lldb::eStopReasonBreakpoint)
      continue;
    const lldb::addr_t pc = thread.GetRegisterContext().GetPC();
    for (const GPUSession::HostBreakpoint &breakpoint : breakpoints) {
      if (breakpoint.address != pc)
        continue;
      m_loader_address = pc;
      llvm::Expected<bool> result =
          m_session->HostBreakpointHit(breakpoint, thread.GetID());
      if (!result)
        return Fail(result.takeError());
      changed |= *result;
    }
  }
  if (!m_session->IsRuntimeUp())
    return SendJSONResponse(toJSON(answer));

  protocol::AcceleratorActions actions = MakeActions();
  if (llvm::Error error = RequestConnection(actions))
    return Fail(std::move(error));
  if (actions.Connection) {
    changed = true;
    answer.ResumeProgram = m_client.ListsLibraries;
  }
  RequestLoaderBreakpoint(actions);
  if (changed || !actions.Breakpoints.empty()) {
    actions.LoadLibraries = true;
    answer.Actions = std::move(actions);
  }
  return SendJSONResponse(toJSON(answer));
}

} // namespace wavelane::server
