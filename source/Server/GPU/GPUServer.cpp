//===-- GPUServer.cpp - The GPU connection --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPUServer.h"
#include "LaneValues.h"
#include "ObjectLists.h"
#include "Server/Library/Settings.h"
#include "lldb/Host/ConnectionFileDescriptor.h"
#include "lldb/Utility/GDBRemote.h"
#include "lldb/Utility/LLDBLog.h"
#include "lldb/Utility/Log.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/ProgramMessages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace lldb_private;
using namespace lldb_private::process_gdb_remote;
using llvm::StringRef;

namespace wavelane::server {

static constexpr char Triple[] = "amdgcn-amd-amdhsa";
using packets::MaxTransfer;

static llvm::Error NothingToStart() {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "the GPU connection serves the program of the host connection only");
}

llvm::Expected<std::unique_ptr<NativeProcessProtocol>>
GPUServer::Manager::Launch(ProcessLaunchInfo &,
                           NativeProcessProtocol::NativeDelegate &) {
  return NothingToStart();
}

llvm::Expected<std::unique_ptr<NativeProcessProtocol>>
GPUServer::Manager::Attach(lldb::pid_t,
                           NativeProcessProtocol::NativeDelegate &) {
  return NothingToStart();
}

GPUServer::GPUServer(MainLoop &loop, GPUSession &session)
    : PacketServer(loop, m_manager), m_session(session), m_manager(loop) {
  using Object = llvm::json::Object;
  Register(packets::WaveInfo, [this](const Object &arguments) {
    auto tid = arguments.getInteger(packets::wave::Thread);
    if (!tid)
      return FailWanting("{\"thread\":<id>}");
    return SendJSONResponse(ObjectLists(*m_gpu).GetWaveInfo(*tid));
  });
  Register(packets::Objects, [this](const Object &arguments) {
    auto kind = arguments.getString("kind");
    if (!kind)
      return FailWanting("{\"kind\":\"<kind>\"}");
    return SendJSONResponse(
        ObjectLists(*m_gpu).Get(*kind, arguments.getArray("ids")));
  });
  Register(packets::Checks, [this](const Object &arguments) {
    return SendJSONResponse(AskChecks(m_session, arguments));
  });
  Register(packets::Time, [this](const Object &arguments) {
    if (m_gpu->IsRunning())
      return Fail("the waves are running");
    auto answer = m_gpu->GetTime().Answer(arguments);
    if (!answer)
      return Fail(answer.takeError());
    return SendJSONResponse(std::move(*answer));
  });
  Register(packets::Simulate, [this](const Object &arguments) {
    if (llvm::Error error = SetUpChecks(arguments))
      return Fail(std::move(error));
    if (llvm::Error error = m_session.Simulate())
      return Fail(std::move(error));
    protocol::Simulation answer;
    if (m_session.HasRecording()) {
      auto state = m_gpu->GetTime().GetState();
      if (!state)
        return Fail(state.takeError());
      // It may be damaged.
      answer.Recording = state->Now > state->Begin;
    }
    answer.Processor = m_gpu->GetAgents().GetProcessor();
    answer.Warnings = m_session.TakeWarnings();
    return SendJSONResponse(toJSON(answer));
  });
  Register(packets::Conditions, [this](const Object &arguments) {
    auto request = protocol::read<protocol::ConditionsRequest>(
        Object(arguments), "the arguments");
    if (!request)
      return Fail(request.takeError());
    llvm::json::Array any;
    for (protocol::ExpressionObject &condition : request->Any)
      any.push_back(std::move(condition.Tree));
    if (llvm::Error error = m_gpu->GetConditions().Set(request->Address, any))
      return Fail(std::move(error));
    return SendOKResponse();
  });
  Register(packets::Evaluate, [this](const Object &arguments) {
    auto request = protocol::read<protocol::EvaluateRequest>(Object(arguments),
                                                             "the arguments");
    if (!request)
      return Fail(request.takeError());
    auto answer = EvaluateInLanes(*m_gpu, *request);
    if (!answer)
      return Fail(answer.takeError());
    return SendJSONResponse(llvm::json::Value(std::move(*answer)));
  });
  Register(packets::AddressSpacesInfo, [this](const Object &) {
    auto spaces = ObjectLists(*m_gpu).GetAddressSpaces();
    if (!spaces)
      return Fail(spaces.takeError());
    return SendJSONResponse(llvm::json::Value(*spaces));
  });
  Register(packets::AcceleratorLibraryInfo, [this](const Object &arguments) {
    auto libraries = GetLibraries(*m_gpu, arguments);
    if (!libraries)
      return Fail(libraries.takeError());
    return SendJSONResponse(toJSON(*libraries));
  });
  Register(packets::NonStop, [this](const Object &arguments) {
    auto request = protocol::read<protocol::NonStopRequest>(Object(arguments),
                                                            "the arguments");
    if (!request)
      return Fail(request.takeError());
    if (m_gpu->IsRunning())
      return Fail("the waves are running");
    if (llvm::Error error =
            m_gpu->SetNonStop(request->On, request->KeepsOthers))
      return Fail(std::move(error));
    return SendOKResponse();
  });
  Register(packets::HoldAll, [this](const Object &) {
    m_gpu->HoldAll();
    return SendOKResponse();
  });
  Register(packets::FoldStops, [this](const Object &) {
    m_folds_stops = true;
    return SendOKResponse();
  });
  Register(packets::CoreInfo,
           [this](const Object &) { return SendCoreInfo(); });
}

GPUServer::~GPUServer() {
  if (m_executable >= 0)
    ::close(m_executable);
}

std::shared_ptr<GPUServer> GPUServer::Create(MainLoop &loop,
                                             GPUSession &session) {
  auto server = std::make_shared<GPUServer>(loop, session);
  auto process = std::make_unique<GPUProcess>(session, *server);
  server->m_gpu = process.get();
  server->m_current_process = server->m_continue_process = server->m_gpu;
  server->m_debugged_processes.emplace(
      server->m_gpu->GetID(),
      DebuggedProcess{std::move(process), DebuggedProcess::Flag{}});
  return server;
}

llvm::Expected<std::string> GPUServer::Listen(int host) {
  if (m_has_client)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the GPU already has a client");
  if (!m_listener) {
    auto listener =
        GPUListener::Create(m_mainloop, host, [this](int fd) { Connect(fd); });
    if (!listener)
      return listener.takeError();
    m_listener = std::move(*listener);
  }
  return m_listener->GetURL();
}

std::optional<std::string> GPUServer::MakeExecutable() {
  auto code = m_gpu->GetCodeObjects().GetExecutable();
  if (!code)
    return std::nullopt;
  const auto &[contents, address] = *code;
  if (m_executable >= 0)
    ::close(m_executable);
  m_executable = ::memfd_create("gpu-code", MFD_CLOEXEC);
  llvm::raw_fd_ostream out(m_executable, /*shouldClose=*/false);
  out << contents;
  out.flush();
  if (m_executable < 0 || out.has_error()) {
    out.clear_error();
    return std::nullopt;
  }
  m_executable_address = address;
  return llvm::formatv("/proc/{0}/fd/{1}", ::getpid(), m_executable).str();
}

void GPUServer::Connect(int fd) {
  auto connection = std::make_unique<ConnectionFileDescriptor>();
  Status error;
  const std::string url = "fd://" + std::to_string(fd);
  if (connection->Connect(url, &error) != lldb::eConnectionStatusSuccess) {
    LLDB_LOG(GetLog(LLDBLog::Connection), "no GPU connection: {0}", error);
    ::close(fd);
    return;
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  error = InitializeConnection(std::move(connection));
  if (error.Fail()) {
    LLDB_LOG(GetLog(LLDBLog::Connection), "no GPU connection: {0}", error);
    return;
  }
  m_has_client = true;
  m_gpu->Attend();
  // Accept one client only. The listener itself calls this, so destroy it
  // later.
  m_mainloop.AddPendingCallback(
      [listener = std::shared_ptr<GPUListener>(std::move(m_listener))](
          MainLoopBase &) mutable { listener.reset(); });
}

void GPUServer::PacketArrived() { m_gpu->BeginPacket(); }

void GPUServer::PacketHandled() {
  m_gpu->EndPacket();
  m_session.EndIfFailed();
  // For a core file's process, the client won't ask about its end.
  if (m_session.GetCoreFiles() && !m_gpu->GetFailure().empty())
    m_mainloop.RequestTermination();
}

void GPUServer::ConnectionLost() {
  // The connection's reader itself calls this.
  ReleaseLater(m_mainloop, std::move(m_network_handle_up));
  if (!m_has_client)
    return;
  m_has_client = false;
  // Otherwise, the waves would stay stopped forever.
  if (m_gpu->IsAttended())
    m_gpu->LetGo();
  m_session.EndIfFailed();
  // A core file's server has no other connection.
  if (m_session.GetCoreFiles())
    m_mainloop.RequestTermination();
}

std::vector<std::string>
GPUServer::HandleFeatures(llvm::ArrayRef<StringRef> client_features) {
  std::vector<std::string> features =
      PacketServer::HandleFeatures(client_features);
  llvm::erase(features, "QNonStop+");
  features.push_back(packets::AddressSpaces);
  features.push_back(packets::StepOver);
  features.push_back(packets::OneStopReply);
  features.push_back(packets::MultiMemRead);
  if (llvm::Error error = m_gpu->GetTime().CheckPossible()) {
    llvm::consumeError(std::move(error));
  } else {
    features.push_back(packets::ReverseContinue);
    features.push_back(packets::ReverseStep);
  }
  return features;
}

void GPUServer::ProcessStateChanged(NativeProcessProtocol *process,
                                    lldb::StateType state) {
  if (!m_has_client || m_detached)
    return;
  if (state == lldb::eStateStopped)
    SendStop(/*was_asked=*/false);
  else if (state != lldb::eStateExited)
    return;
  else if (m_gpu->HasEndedWhileStopped())
    SendAck(); // Each client ignores one too many; ours then asks.
  else {
    SendLastFindings();
    SendEnd();
  }
}

//===-- Packets -----------------------------------------------------------===//

std::optional<GDBRemoteCommunication::PacketResult>
GPUServer::HandlePacket(Extractor &packet) {
  const StringRef text = packet.GetStringRef();
  if (text.starts_with(packets::ReadRanges))
    return ReadRanges(packet);
  if (text == "qOffsets" && m_executable >= 0)
    return SendText(
        llvm::formatv("TextSeg={0:x-}", uint64_t(m_executable_address)).str());
  if (text == "bc" || text == "bs")
    return RunBack(/*step=*/text == "bs");
  if (text.size() > 2 && text[0] == 'Z' && text[1] >= '2' && text[1] <= '4')
    return SetWatchpoint(packet);

  if (m_gpu->GetState() == lldb::eStateExited && !m_detached)
    switch (packet.GetServerPacketType()) {
    case Extractor::eServerPacketType_vCont:
    case Extractor::eServerPacketType_c:
    case Extractor::eServerPacketType_C:
    case Extractor::eServerPacketType_s:
    case Extractor::eServerPacketType_S:
      SendLastFindings();
      return SendEnd();
    case Extractor::eServerPacketType_stop_reason:
      return SendEnd();
    case Extractor::eServerPacketType_m:
    case Extractor::eServerPacketType_x:
    case Extractor::eServerPacketType_M:
      if (!m_gpu->GetFailure().empty())
        return SendDeviceEnded();
      break;
    default:
      break;
    }

  switch (packet.GetServerPacketType()) {
  case Extractor::eServerPacketType_qHostInfo:
    return SendHostInfo();
  case Extractor::eServerPacketType_qProcessInfo:
    return SendProcessInfo();
  case Extractor::eServerPacketType_stop_reason:
    return m_gpu->IsRunning() ? PacketResult::Success
                              : SendStop(/*was_asked=*/true);
  case Extractor::eServerPacketType_m:
    return TransferMemory(packet, 'm');
  case Extractor::eServerPacketType_x:
    return TransferMemory(packet, 'x');
  case Extractor::eServerPacketType_M:
    return TransferMemory(packet, 'M');
  case Extractor::eServerPacketType_qRegisterInfo: {
    const GPURegisters *registers = m_gpu->GetAgents().GetRegisters();
    uint32_t index;
    std::string info;
    if (registers && !text.drop_front(::strlen(packets::RegisterInfo))
                          .getAsInteger(16, index))
      info = registers->GetRegisterInfo(index);
    return info.empty() ? SendErrorResponse(69) : SendText(info);
  }
  case Extractor::eServerPacketType_qXfer:
    if (text.starts_with(packets::TargetXML))
      return SendTargetXML(packet);
    return SendUnimplementedResponse("");
  case Extractor::eServerPacketType_g:
  case Extractor::eServerPacketType_G:
  case Extractor::eServerPacketType_QSaveRegisterState:
  case Extractor::eServerPacketType_QRestoreRegisterState:
  case Extractor::eServerPacketType__M:
  case Extractor::eServerPacketType__m:
  case Extractor::eServerPacketType_QNonStop:
    return SendUnimplementedResponse("");
  case Extractor::eServerPacketType_qfThreadInfo:
    if (!m_gpu->GetThreadAtIndex(0))
      return SendText("l");
    return std::nullopt;
  case Extractor::eServerPacketType_D: {
    Status error = m_gpu->Detach();
    m_detached = true;
    return error.Fail() ? Fail(error.ToError()) : SendOKResponse();
  }
  case Extractor::eServerPacketType_k:
  case Extractor::eServerPacketType_vKill: {
    // The process ends when the program has ended, and reports it then.
    Status error = m_gpu->Kill();
    if (packet.GetServerPacketType() == Extractor::eServerPacketType_k)
      return PacketResult::Success;
    return error.Fail() ? Fail(error.ToError()) : SendOKResponse();
  }
  case Extractor::eServerPacketType_A:
  case Extractor::eServerPacketType_vRun:
  case Extractor::eServerPacketType_vAttach:
  case Extractor::eServerPacketType_vAttachWait:
  case Extractor::eServerPacketType_vAttachOrWait:
    return Fail(NothingToStart());
  default:
    return std::nullopt;
  }
}

GDBRemoteCommunication::PacketResult GPUServer::RunBack(bool step) {
  TimeTravel::Travel travel;
  travel.back = true;
  if (step) {
    if (!m_gpu->FindWave(GetContinueThreadID()))
      return Fail("there is no wave to step");
    travel.step = GetContinueThreadID();
  }
  Status error = m_gpu->Travel(std::move(travel));
  return error.Fail() ? Fail(error.ToError()) : PacketResult::Success;
}

GDBRemoteCommunication::PacketResult GPUServer::SendHostInfo() {
  StreamString response;
  response.PutCString("triple:");
  response.PutStringAsRawHex8(Triple);
  response.PutCString(";ptrsize:8;endian:little;"
                      "watchpoint_exceptions_received:after;");
  const std::string processor = m_gpu->GetAgents().GetProcessor();
  if (!processor.empty())
    response.Format("processor:{0};", processor);
  return SendPacketNoLock(response.GetString());
}

GDBRemoteCommunication::PacketResult GPUServer::SendProcessInfo() {
  StreamString response;
  response.Format("pid:{0:x-};real-uid:{1:x-};real-gid:{2:x-};"
                  "effective-uid:{1:x-};effective-gid:{2:x-};triple:",
                  m_gpu->GetID(), ::getuid(), ::getgid());
  response.PutStringAsRawHex8(Triple);
  response.PutCString(";ostype:amdhsa;endian:little;ptrsize:8;");
  const std::string processor = m_gpu->GetAgents().GetProcessor();
  if (!processor.empty())
    response.Format("processor:{0};", processor);
  return SendPacketNoLock(response.GetString());
}

GDBRemoteCommunication::PacketResult GPUServer::SendStop(bool was_asked) {
  NativeThreadProtocol *thread =
      m_gpu->GetThreadByID(m_gpu->GetCurrentThreadID());
  if (!thread)
    return SendText(m_gpu->IsInterruptOfNone() ? "T02" : "T00");
  if (m_folds_stops)
    return SendFoldedStop(*thread, was_asked);
  return SendStopReasonForState(*m_gpu, lldb::eStateStopped,
                                /*force_synchronous=*/true);
}

GDBRemoteCommunication::PacketResult
GPUServer::SendFoldedStop(NativeThreadProtocol &thread, bool was_asked) {
  SetCurrentThreadID(thread.GetID());
  m_list_threads_in_stop_reply = false;
  StreamString reply = PrepareStopReplyPacketForThread(thread);
  // Without any threads, the client asks for all.
  WaveFolds &folds = m_gpu->GetFolds();
  const auto moved = was_asked ? std::nullopt : folds.GetMoved();
  const char *key = moved ? packets::MovedWavesKey : packets::WavesKey;
  const std::string waves = FormatStoppedWaves(moved ? *moved : folds.GetAll());
  reply.Format("threads:{0:x-};{1}:{2};{3}:{4:x-};", thread.GetID(), key, waves,
               packets::WavesNumberKey, folds.GetNumber());
  return SendPacketNoLock(reply.GetString());
}

void GPUServer::SendLastFindings() {
  if (!m_folds_stops || !IsChecked(m_session))
    return;
  const std::string text =
      packets::AsyncData +
      llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{
                               {"type", packets::LastFindings},
                               {"findings", GetFindings(m_session)}}))
          .str();
  StreamGDBRemote escaped;
  escaped.PutEscapedBytes(text.data(), text.size());
  SendPacketNoLock(escaped.GetString());
}

GDBRemoteCommunication::PacketResult GPUServer::SendEnd() {
  if (m_gpu->GetFailure().empty()) {
    StreamString packet;
    packet.Format("{0:g}", m_gpu->GetExitStatus().value_or(
                               WaitStatus(WaitStatus::Exit, 0)));
    return SendPacketNoLock(packet.GetString());
  }
  StreamString response;
  response.PutCString("W01;description:");
  response.PutStringAsRawHex8(m_gpu->GetFailure());
  response.PutChar(';');
  return SendPacketNoLock(response.GetString());
}

GDBRemoteCommunication::PacketResult GPUServer::SendDeviceEnded() {
  return SendErrorResponse(Status(
      packets::DeviceEnded, lldb::eErrorTypePOSIX,
      m_gpu->GetFailure() +
          "; use 'process continue' to go on without it, or 'run' to restart"));
}

GDBRemoteCommunication::PacketResult GPUServer::SendCoreInfo() {
  if (!m_session.GetCoreFiles())
    return Fail("the program isn't a core file");
  protocol::CoreFacts facts;
  facts.Processor = m_gpu->GetAgents().GetProcessor();
  facts.Warnings = m_session.TakeWarnings();
  return SendJSONResponse(toJSON(facts));
}

llvm::Error GPUServer::SetUpChecks(const llvm::json::Object &arguments) {
  const GPUSession::Core *core = m_session.GetCore();
  if (!core)
    return llvm::Error::success();
  std::vector<protocol::WrongSetting> wrong;
  const Settings settings = protocol::readSettings(arguments, wrong);
  if (llvm::Error error = protocol::toError(wrong))
    return error;
  if (settings.MemoryLimit && settings.MemoryLimit->Value)
    ::setenv(simulator::MemoryLimitVariable,
             std::to_string(settings.MemoryLimit->Value).c_str(), 1);
  llvm::json::Object options = GetCheckOptions(settings);
  if (options.empty())
    return llvm::Error::success();
  if (llvm::Error error = m_check.SetUpCore(*core->file, std::move(options)))
    return error;
  if (settings.Check &&
      settings.Check->Bits & 1u << unsigned(check::CheckId::Memory))
    m_session.AddWarning(
        "a core has no record of the program's allocations: accesses of global "
        "memory are only checked against its pages and the source's arrays");
  return llvm::Error::success();
}

/// Z2 to Z4, also with the suffixes of memory packets. Unlike LLDB's handler it
/// says why it fails.
GDBRemoteCommunication::PacketResult
GPUServer::SetWatchpoint(Extractor &packet) {
  if (llvm::Error error = m_session.Simulate())
    return Fail(std::move(error));
  const StringRef text = packet.GetStringRef();
  auto [range, suffix] = text.drop_front(2).split(';');
  auto [address_text, size_text] = range.ltrim(',').split(',');
  uint64_t offset, size, key = 0;
  StringRef key_text;
  std::string rest;
  llvm::SmallVector<StringRef, 4> parts;
  suffix.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    if (part.consume_front(packets::KeySuffix))
      key_text = part;
    else
      rest += part.str() + ";";
  const std::optional<Place> place = ParsePlace(rest);
  const bool is_in_space = place && place->space;
  if (address_text.getAsInteger(16, offset) ||
      size_text.getAsInteger(16, size) || !place ||
      (is_in_space && (!place->thread || key_text.getAsInteger(16, key))))
    return SendIllFormedResponse(packet, "malformed watchpoint packet");
  constexpr uint32_t Write = 1, Read = 2;
  const uint32_t flags = text[1] == '2'   ? Write
                         : text[1] == '3' ? Read
                                          : Read | Write;
  Watchpoints &watchpoints = m_gpu->GetWatchpoints();
  Status error = is_in_space
                     ? watchpoints.SetInSpace(key, *place->space, place->wave,
                                              place->lane, offset, size, flags)
                     : watchpoints.Set(offset, size, flags);
  return error.Fail() ? Fail(error.ToError()) : SendOKResponse();
}

std::optional<GPUServer::Place> GPUServer::ParsePlace(StringRef suffix) {
  Place place;
  llvm::SmallVector<StringRef, 4> parts;
  suffix.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    uint64_t value;
    if (part.consume_front(packets::AddressSpaceSuffix)) {
      if (part.getAsInteger(16, value))
        return std::nullopt;
      place.space = value;
    } else if (part.consume_front(packets::LaneSuffix)) {
      if (part.getAsInteger(16, value) || value > UINT32_MAX)
        return std::nullopt;
      place.lane = value;
    } else if (part.consume_front(packets::ThreadSuffix)) {
      if (part.getAsInteger(16, value))
        return std::nullopt;
      place.thread = value;
    } else {
      return std::nullopt;
    }
  }
  place.wave = m_gpu->FindWave(place.thread.value_or(GetCurrentThreadID()));
  return place;
}

GDBRemoteCommunication::PacketResult
GPUServer::TransferMemory(Extractor &packet, char kind) {
  const StringRef text = packet.GetStringRef().drop_front();
  auto [place_text, suffix] = text.split(';');
  StringRef data;
  if (kind == 'M')
    std::tie(place_text, data) = place_text.split(':');
  auto [address_text, size_text] = place_text.split(',');
  uint64_t address, size;
  if (address_text.getAsInteger(16, address) ||
      size_text.getAsInteger(16, size))
    return SendIllFormedResponse(packet, "malformed memory packet");
  const std::optional<Place> place = ParsePlace(suffix);
  if (!place)
    return SendIllFormedResponse(packet, "malformed suffix of memory packet");
  if (place->IsOfEndedWave())
    return Fail("there is no wave " + llvm::Twine(*place->thread));

  if (kind == 'M') {
    std::string bytes;
    if (size > MaxTransfer || data.size() != size * 2 ||
        !llvm::tryGetFromHex(data, bytes))
      return SendIllFormedResponse(packet, "malformed data of memory packet");
    if (size == 0)
      return SendOKResponse();
    size_t done = 0;
    if (Status error = m_gpu->GetTime().CheckPresent(); error.Fail())
      return Fail(error.ToError());
    if (place->space) {
      llvm::Expected<size_t> written = m_gpu->GetMemory().TransferSpace(
          *place->space, place->wave, place->lane, address, size, nullptr,
          bytes.data());
      if (!written)
        return Fail(written.takeError());
      done = *written;
    } else {
      Status error = m_gpu->WriteMemory(address, bytes.data(), size, done);
      if (error.Fail())
        return Fail(error.ToError());
    }
    if (done != size)
      return Fail("only " + llvm::Twine(done) + " bytes could be written");
    return SendOKResponse();
  }

  if (size == 0)
    return SendOKResponse();
  // A client asks for the rest in another packet.
  std::string bytes(std::min<uint64_t>(size, MaxTransfer), '\0');
  llvm::Expected<size_t> done =
      ReadPlace(*place, address, {bytes.data(), bytes.size()});
  if (!done) {
    // While stopped, this may be the first that is noticed of the device's end.
    m_session.NoticeEvents();
    if (m_gpu->GetFailure().empty())
      return Fail(done.takeError());
    llvm::consumeError(done.takeError());
    return SendDeviceEnded();
  }
  StreamGDBRemote response;
  if (kind == 'm')
    response.PutBytesAsRawHex8(bytes.data(), *done);
  else
    response.PutEscapedBytes(bytes.data(), *done);
  return SendPacketNoLock(response.GetString());
}

llvm::Expected<size_t> GPUServer::ReadPlace(const Place &place,
                                            uint64_t address,
                                            llvm::MutableArrayRef<char> bytes) {
  if (place.space)
    return m_gpu->GetMemory().TransferSpace(*place.space, place.wave,
                                            place.lane, address, bytes.size(),
                                            bytes.data(), nullptr);
  size_t done = 0;
  Status error = m_gpu->ReadMemory(address, bytes.data(), bytes.size(), done);
  if (error.Fail())
    return error.takeError();
  return done;
}

GDBRemoteCommunication::PacketResult GPUServer::ReadRanges(Extractor &packet) {
  StringRef text = packet.GetStringRef();
  text.consume_front(packets::ReadRanges);
  const bool is_list = text.consume_front("ranges:") && text.contains(';');
  auto [list, suffix] = text.split(';');
  llvm::SmallVector<StringRef, 16> numbers;
  list.split(numbers, ',');
  if (!is_list || numbers.size() % 2)
    return SendIllFormedResponse(packet, "malformed list of memory ranges");
  if (numbers.size() / 2 > packets::MaxRanges)
    return Fail("more than " + llvm::Twine(packets::MaxRanges) +
                " memory ranges");
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  uint64_t total = 0;
  for (size_t i = 0; i < numbers.size(); i += 2) {
    uint64_t address, size;
    if (numbers[i].getAsInteger(16, address) ||
        numbers[i + 1].getAsInteger(16, size))
      return SendIllFormedResponse(packet, "malformed memory range");
    if (size > MaxTransfer - total)
      return Fail("memory ranges of more than " + llvm::Twine(MaxTransfer) +
                  " bytes");
    total += size;
    ranges.emplace_back(address, size);
  }
  const std::optional<Place> place = ParsePlace(suffix);
  if (!place)
    return SendIllFormedResponse(packet, "malformed suffix of memory packet");
  if (place->IsOfEndedWave())
    return Fail("there is no wave " + llvm::Twine(*place->thread));

  std::string sizes, bytes(total, '\0');
  size_t filled = 0;
  for (auto [address, size] : ranges) {
    size_t done = 0;
    if (size) {
      llvm::Expected<size_t> read =
          ReadPlace(*place, address, {bytes.data() + filled, size});
      if (read)
        done = *read;
      else
        llvm::consumeError(read.takeError());
    }
    sizes +=
        (sizes.empty() ? "" : ",") + llvm::utohexstr(done, /*LowerCase=*/true);
    filled += done;
  }
  StreamGDBRemote response;
  response << sizes << ";";
  response.PutEscapedBytes(bytes.data(), filled);
  return SendPacketNoLock(response.GetString());
}

GDBRemoteCommunication::PacketResult
GPUServer::SendTargetXML(Extractor &packet) {
  StringRef range = packet.GetStringRef();
  range.consume_front(packets::TargetXML);
  auto [offset_text, length_text] = range.split(',');
  uint64_t offset, length;
  if (offset_text.getAsInteger(16, offset) ||
      length_text.getAsInteger(16, length))
    return SendIllFormedResponse(packet, "malformed qXfer packet");
  if (offset == 0) {
    const GPURegisters *registers = m_gpu->GetAgents().GetRegisters();
    if (!registers)
      return Fail("the program uses no GPU");
    m_target_xml = registers->GetTargetXML();
  }
  const StringRef part =
      StringRef(m_target_xml)
          .drop_front(std::min<size_t>(offset, m_target_xml.size()));
  StreamGDBRemote response;
  response.PutChar(length >= part.size() ? 'l' : 'm');
  const StringRef sent = part.take_front(length);
  response.PutEscapedBytes(sent.data(), sent.size());
  return SendPacketNoLock(response.GetString());
}

llvm::Expected<protocol::AcceleratorLibraries>
GPUServer::GetLibraries(GPUProcess &process,
                        const llvm::json::Object &arguments) {
  auto request = protocol::read<protocol::AcceleratorLibraryRequest>(
      llvm::json::Object(arguments), "the arguments");
  if (!request)
    return request.takeError();
  auto libraries = process.GetCodeObjects().GetLibraries(request->Full);
  if (!libraries)
    return libraries.takeError();
  return protocol::AcceleratorLibraries{std::move(*libraries)};
}

} // namespace wavelane::server
