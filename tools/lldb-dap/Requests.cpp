//===-- Requests.cpp - What comes from the client, and what goes to it ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DAPLog.h"
#include "Handler/RequestHandler.h"
#include "JSONUtils.h"
#include "Session.h"
#include "Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

using namespace lldb_dap;
using namespace lldb_dap::wavelane;

/// Whether it is one of the two highest numbers, as LLDB's handlers read it,
/// which llvm::DenseMap keeps for itself: they look for an object by it there.
template <typename Number> static bool IsReserved(Number number) {
  return number >= std::numeric_limits<Number>::max() - 1;
}
static bool IsReserved(const llvm::json::Value &value) {
  const std::optional<int64_t> number = value.getAsInteger();
  const std::optional<uint64_t> unsigned_number = value.getAsUINT64();
  return (number && IsReserved(*number)) ||
         (unsigned_number && IsReserved(*unsigned_number));
}

std::optional<std::string>
Session::GetRefusal(const protocol::Request &request) const {
  const llvm::StringRef command = request.command;
  const auto is_one_of = [&](std::initializer_list<llvm::StringRef> commands) {
    return llvm::is_contained(commands, command);
  };
  if (request.arguments)
    if (const llvm::json::Object *arguments = request.arguments->getAsObject())
      for (const auto &[name, value] : *arguments)
        if (IsReserved(value))
          return "No object has the number that is '" + name.str() + "'.";
  // Requests unknown to LLDB are answered by LLDB.
  if (!request_handlers.count(command) || is_one_of({"disconnect", "cancel"}))
    return std::nullopt;
  if (m_is_initialized == (command == "initialize"))
    return m_is_initialized ? "The session is initialized already."
                            : "Send 'initialize' first.";
  if (is_one_of({"initialize", "_testGetTargetBreakpoints"}))
    return std::nullopt;
  lldb::SBProcess process = lldb::SBTarget(target).GetProcess();
  const bool is_start = is_one_of({"launch", "attach"});
  if (is_start == (process.IsValid() || IsParentOfJob()))
    return is_start ? "The session has a program already: restart it, or end "
                      "the session "
                      "first."
                    : "There is no program: send 'launch' or 'attach' first.";
  if (command == "configurationDone" && configuration_done)
    return "The configuration is done already.";
  if (is_one_of({"continue", "next", "stepIn", "stepOut", "stepBack",
                 "reverseContinue"})) {
    if (process.GetState() == lldb::eStateExited)
      return "The program has ended.";
    if (m_client_sees_running)
      return "The program is running.";
    if (!configuration_done)
      return "Send 'configurationDone' first.";
  }
  return std::nullopt;
}

bool Session::HandleObject(const protocol::Message &message) {
  // No request of the adapter's has that number.
  if (const auto *response = std::get_if<protocol::Response>(&message);
      response && IsReserved(int64_t(response->request_seq)))
    return true;
  const auto *request = std::get_if<protocol::Request>(&message);
  if (!request)
    return DAP::HandleObject(message);
  if (std::optional<std::string> reason = GetRefusal(*request)) {
    protocol::Response response;
    response.request_seq = request->seq;
    response.command = request->command;
    response.message = *reason;
    protocol::ErrorMessage error;
    error.format = *reason;
    error.showUser = true;
    response.body = protocol::ErrorResponseBody{error};
    Send(response);
    return true;
  }

  std::unique_lock<std::mutex> job_lock = LockJob();
  // Commands are about what is selected, which sessions share.
  if (job && targets.IsChild())
    targets.SelectShown();
  protocol::Request complete = *request;
  llvm::json::Object *arguments =
      complete.arguments ? complete.arguments->getAsObject() : nullptr;
  if (arguments &&
      (request->command == "launch" || request->command == "attach")) {
    lanes_as_threads = GetBoolean(arguments, "lanesAsThreads").value_or(false);
    if (std::optional<uint64_t> limit =
            GetInteger<uint64_t>(arguments, "waveLimit"))
      wave_limit = *limit;
  }
  // Emacs's dap-mode doesn't say in which scope the variable is.
  if (arguments && request->command == "setVariable" &&
      !arguments->getInteger("variablesReference"))
    (*arguments)["variablesReference"] = 0;

  std::unique_lock<std::mutex> lock(m_event_mutex, std::defer_lock);
  if (request->command == "disconnect" || request->command == "restart")
    lock.lock();
  if (request->command == "disconnect")
    m_is_ending = true;
  const bool is_handled = DAP::HandleObject(complete);
  if (job_lock && targets.IsChild())
    targets.SetShown(targets.GetSelected());
  if (request->command == "disconnect" && job) {
    if (!has_left_job)
      job->Leave(*this);
    lock.unlock();
    job_lock.unlock();
    if (!targets.IsChild())
      job->WaitForChildren();
  }
  if (request->command == "initialize")
    m_is_initialized = true;
  return is_handled;
}

protocol::Id Session::Send(const protocol::Message &message) {
  if (const auto *request = std::get_if<protocol::Request>(&message);
      request && request->command == "runInTerminal" && request->arguments) {
    protocol::Request complete = *request;
    if (llvm::json::Object *arguments = complete.arguments->getAsObject())
      if (llvm::Error error = AddGPUEnvironment(debugger, *arguments))
        SendOutput(OutputType::Console, "The program can't use a GPU: " +
                                            llvm::toString(std::move(error)) +
                                            "\n");
    return DAP::Send(complete);
  }
  const auto *response = std::get_if<protocol::Response>(&message);
  if (!response || response->success || response->message || !response->body)
    return DAP::Send(message);
  // Some clients read the reason of a failure in one place, some in the other.
  protocol::Response complete = *response;
  if (const llvm::json::Object *body = complete.body->getAsObject())
    if (const llvm::json::Object *error = body->getObject("error"))
      if (std::optional<llvm::StringRef> text = error->getString("format"))
        complete.message = text->str();
  return DAP::Send(complete);
}

void Session::OnError(llvm::Error error) {
  // Not JSON, or not a message; all other errors are the connection's.
  if (!error.isA<llvm::json::ParseError>() && !error.isA<llvm::StringError>())
    return DAP::OnError(std::move(error));
  DAP_LOG_ERROR(log, std::move(error), "message ignored: {0}");
  SendOutput(OutputType::Console,
             "Ignored a malformed message from the client.\n");
}

/// Ends the adapter if LLDB keeps it waiting.
static void EndSoon() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    std::_Exit(EXIT_FAILURE);
  }).detach();
}

void Session::OnClosed() {
  // The loop calls this until it ends: don't spin.
  if (m_is_closed.exchange(true)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return;
  }
  // A client that disappears leaves nothing behind: neither a program that was
  // started for it nor an adapter.
  if (!m_is_ending) {
    if (GetClientName() == "stdio")
      EndSoon();
    protocol::Request request;
    request.command = "disconnect";
    Received(request);
  }
  DAP::OnClosed();
}
