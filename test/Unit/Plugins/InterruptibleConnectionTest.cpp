//===-- InterruptibleConnectionTest.cpp - answers that come late ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process/AMDGPU/InterruptibleConnection.h"
#include "Process/AMDGPU/ServerProcess.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Host/posix/DomainSocket.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/TargetList.h"
#include "gtest/gtest.h"

#include <csignal>
#include <future>
#include <mutex>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lldb_private;
using namespace lldb_private::wavelane;
using namespace lldb_private::process_gdb_remote;

using PacketResult = GDBRemoteCommunication::PacketResult;

namespace {

/// A client whose server is this test.
class InterruptibleConnectionTest : public testing::Test {
protected:
  static void SetUpTestSuite() { lldb::SBDebugger::Initialize(); }

  void SetUp() override {
    m_debugger_sp = Debugger::CreateInstance();
    ASSERT_TRUE(m_debugger_sp->GetTargetList()
                    .CreateTarget(*m_debugger_sp, "", "x86_64-pc-linux",
                                  eLoadDependentsNo, nullptr, m_target_sp)
                    .Success());
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    m_server = ends[1];
    m_client.SetConnection(std::make_unique<ConnectionFileDescriptor>(
        std::make_unique<DomainSocket>(ends[0], /*should_close=*/true)));
    std::thread server([&] {
      Receive("$QStartNoAckMode#b0");
      Send("+$OK#9a");
      Receive("+");
    });
    ASSERT_TRUE(m_client.QueryNoAckModeSupported());
    server.join();
    InterruptibleConnection::Install(m_client, *m_target_sp,
                                     LLDB_INVALID_PROCESS_ID, m_owed_sp);
  }

  void TearDown() override {
    m_client.Disconnect();
    ::close(m_server);
    m_target_sp->Destroy();
    m_target_sp.reset();
    Debugger::Destroy(m_debugger_sp);
  }

  void Receive(const std::string &expected) {
    std::string got(expected.size(), '\0');
    size_t size = 0;
    while (size < got.size()) {
      const ssize_t part =
          ::recv(m_server, got.data() + size, got.size() - size, 0);
      ASSERT_GT(part, 0);
      size += size_t(part);
    }
    EXPECT_EQ(got, expected);
  }
  void Send(const std::string &text) {
    ASSERT_EQ(::send(m_server, text.data(), text.size(), 0),
              ssize_t(text.size()));
  }
  /// Whether nothing has been sent to the server.
  bool HearsNothing() {
    char byte;
    return ::recv(m_server, &byte, 1, MSG_DONTWAIT) < 0;
  }

  void SupportEcho() {
    std::thread server([&] {
      Receive("$qSupported");
      std::string rest(4096, 0);
      ASSERT_GT(::recv(m_server, rest.data(), rest.size(), 0), 0);
      Send("$qEcho+#1b");
    });
    EXPECT_TRUE(m_client.GetEchoSupported());
    server.join();
  }

  /// Asks while the server doesn't answer, and the user interrupts.
  std::string AskInterrupted(const char *question) {
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      m_debugger_sp->RequestInterrupt();
    });
    std::string answer = Ask(question);
    user.join();
    m_debugger_sp->CancelInterruptRequest();
    return answer;
  }
  std::string Ask(const char *question) {
    StringExtractorGDBRemote response;
    if (m_client.SendPacketAndWaitForResponse(question, response) !=
        PacketResult::Success)
      return "none";
    return response.IsErrorResponse() ? response.GetStatus().AsCString()
                                      : response.GetStringRef().str();
  }

  lldb::DebuggerSP m_debugger_sp;
  lldb::TargetSP m_target_sp;
  GDBRemoteCommunicationClient m_client;
  int m_server = -1;
  std::shared_ptr<OwedAnswers> m_owed_sp = std::make_shared<OwedAnswers>();
};

constexpr char kNoAnswer[] = "lldb-server doesn't answer";

TEST_F(InterruptibleConnectionTest, AnswersPass) {
  std::thread server([&] {
    Receive("$qA#b2");
    Send("$a#61");
  });
  EXPECT_EQ(Ask("qA"), "a");
  server.join();
  EXPECT_FALSE(m_owed_sp->are_owed);
}

TEST_F(InterruptibleConnectionTest, ALateAnswerIsDropped) {
  EXPECT_EQ(AskInterrupted("qA"), kNoAnswer);
  EXPECT_TRUE(m_owed_sp->are_owed);
  EXPECT_TRUE(m_owed_sp->CheckResume().Fail());
  Receive("$qA#b2");
  // Nothing is sent that would get the late answer.
  EXPECT_EQ(Ask("qB"), kNoAnswer);
  EXPECT_TRUE(HearsNothing());
  // It comes in two pieces.
  Send("$la");
  EXPECT_EQ(Ask("qC"), kNoAnswer);
  EXPECT_TRUE(m_owed_sp->are_owed);
  Send("te#37");
  std::thread server([&] {
    Receive("$qD#b5");
    Send("$d#64");
  });
  EXPECT_EQ(Ask("qD"), "d");
  server.join();
  EXPECT_FALSE(m_owed_sp->are_owed);
  EXPECT_TRUE(m_owed_sp->have_come);
  EXPECT_TRUE(m_owed_sp->CheckResume().Success());
}

TEST_F(InterruptibleConnectionTest, AStoppedServerIsGivenUp) {
  const ::pid_t server = ::fork();
  if (server == 0) {
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  ASSERT_GT(server, 0);
  InterruptibleConnection::Install(m_client, *m_target_sp, lldb::pid_t(server),
                                   m_owed_sp);
  m_client.SetPacketTimeout(std::chrono::seconds(60));
  EXPECT_EQ(Ask("qA"), kNoAnswer);
  EXPECT_TRUE(m_client.IsConnected());
  EXPECT_TRUE(m_owed_sp->are_owed);
  ::kill(server, SIGKILL);
  EXPECT_EQ(::waitpid(server, nullptr, 0), server);
  EXPECT_FALSE(IsStoppedBySignal(lldb::pid_t(server)));
  EXPECT_FALSE(IsStoppedBySignal(lldb::pid_t(::getpid())));
}

TEST_F(InterruptibleConnectionTest, AServerWithoutAnEchoIsGivenUp) {
  SupportEcho();
  EXPECT_EQ(Ask("qA"), kNoAnswer);
  EXPECT_TRUE(m_client.IsConnected());
  Receive("$qA#b2$qEcho:1#");
  EXPECT_TRUE(m_owed_sp->are_owed);
}

TEST_F(InterruptibleConnectionTest, AnEchoEndsTheWaitForALostAnswer) {
  SupportEcho();
  std::thread server([&] {
    Receive("$qA#b2$qEcho:1#5b");
    Send("$qEcho:1#5b");
    Receive("$qB#b3");
    Send("$b#62");
  });
  EXPECT_EQ(Ask("qA"), "none");
  EXPECT_EQ(Ask("qB"), "b");
  server.join();
  EXPECT_FALSE(m_owed_sp->are_owed);
}

TEST_F(InterruptibleConnectionTest, ALateEchoEndsTheWaitForALostAnswer) {
  SupportEcho();
  EXPECT_EQ(Ask("qA"), kNoAnswer);
  Receive("$qA#b2$qEcho:1#5b");
  Send("$qEcho:1#5b");
  std::thread server([&] {
    Receive("$qB#b3");
    Send("$b#62");
  });
  EXPECT_EQ(Ask("qB"), "b");
  server.join();
  EXPECT_TRUE(m_owed_sp->have_come);
}

TEST_F(InterruptibleConnectionTest, AnOverdueAnswerIsWaitedFor) {
  std::promise<void> looked;
  std::once_flag once;
  InterruptibleConnection::Install(
      m_client, *m_target_sp, LLDB_INVALID_PROCESS_ID, m_owed_sp, [&] {
        EXPECT_TRUE(m_owed_sp->is_overdue);
        std::call_once(once, [&] { looked.set_value(); });
      });
  std::thread server([&] {
    Receive("$qA#b2");
    looked.get_future().wait();
    // Whoever waits for the answer is woken by it.
    std::thread waits([&] {
      EXPECT_TRUE(m_owed_sp->WaitUntil(std::chrono::minutes(1),
                                       [&] { return !m_owed_sp->is_overdue; }));
    });
    Send("$a#61");
    waits.join();
  });
  EXPECT_EQ(Ask("qA"), "a");
  server.join();
  EXPECT_FALSE(m_owed_sp->is_overdue);
}

TEST_F(InterruptibleConnectionTest, ThePeerOfAPairIsUnknown) {
  EXPECT_EQ(FindPeerProcess(m_server), LLDB_INVALID_PROCESS_ID);
  EXPECT_EQ(FindPeerProcess(-1), LLDB_INVALID_PROCESS_ID);
}

TEST_F(InterruptibleConnectionTest, SymbolsAreNotAskedForAgain) {
  EXPECT_EQ(AskInterrupted("qSymbol::"), "");
  m_client.ServeSymbolLookups(nullptr);
  Receive("$qSymbol::#5b");
  EXPECT_TRUE(HearsNothing());
}

TEST_F(InterruptibleConnectionTest, TheLateAnswerAndTheNextOneComeTogether) {
  EXPECT_EQ(AskInterrupted("qA"), kNoAnswer);
  Receive("$qA#b2");
  Send("$late#37$W00#b7");
  StringExtractorGDBRemote end;
  EXPECT_EQ(m_client.ReadPacketWithOutputSupport(end, std::chrono::seconds(5),
                                                 /*sync_on_timeout=*/false,
                                                 [](llvm::StringRef) {}),
            PacketResult::Success);
  EXPECT_EQ(end.GetStringRef(), "W00");
}

TEST_F(InterruptibleConnectionTest, AnEndIsNotDropped) {
  EXPECT_EQ(AskInterrupted("qA"), kNoAnswer);
  Receive("$qA#b2");
  Send("$X09#c1");
  StringExtractorGDBRemote end;
  EXPECT_EQ(m_client.ReadPacketWithOutputSupport(end, std::chrono::seconds(5),
                                                 /*sync_on_timeout=*/false,
                                                 [](llvm::StringRef) {}),
            PacketResult::Success);
  EXPECT_EQ(end.GetStringRef(), "X09");
  EXPECT_TRUE(m_owed_sp->are_owed);
}

TEST_F(InterruptibleConnectionTest, ALostServerIsNotWaitedFor) {
  std::thread server([&] {
    Receive("$qA#b2");
    ::shutdown(m_server, SHUT_RDWR);
  });
  EXPECT_EQ(Ask("qA"), "none");
  server.join();
  EXPECT_FALSE(m_client.IsConnected());
}

} // namespace
