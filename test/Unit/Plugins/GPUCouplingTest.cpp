//===-- GPUCouplingTest.cpp - two processes of LLDB as one program --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host is a process that does nothing, and the GPU's server is a thread of
// the test. CouplingMachineTest has the states; this tests that LLDB's events
// reach the machine, and that its actions reach the processes.
//
//===----------------------------------------------------------------------===//

#include "Session/Coupling/GPUCoupling.h"
#include "Platform/AMDGPU/PlatformAMDGPU.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"

#include "lldb/API/SBDebugger.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/PluginManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <condition_variable>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using testing::HasSubstr;

namespace {

/// How long a test waits for what must come: a slow machine's, not a bound.
constexpr std::chrono::seconds kPatience(60);

class FakeHost : public Process {
public:
  static constexpr const char *kName = "coupling-test-host";

  FakeHost(TargetSP target_sp, ListenerSP listener_sp)
      : Process(target_sp, listener_sp) {
    SetID(1);
    SetPublicState(eStateStopped, /*restarted=*/false);
  }
  ~FakeHost() override { Finalize(/*destructing=*/true); }
  static ProcessSP Create(TargetSP target_sp, ListenerSP listener_sp,
                          const FileSpec *, bool) {
    return std::make_shared<FakeHost>(target_sp, listener_sp);
  }

  void SetState(StateType state) { SetPublicState(state, false); }
  bool CanDebug(TargetSP, bool) override { return true; }
  Status DoDestroy() override { return {}; }
  void RefreshStateAfterStop() override {}
  bool DoUpdateThreadList(ThreadList &, ThreadList &) override { return false; }
  llvm::StringRef GetPluginName() override { return kName; }
  size_t DoReadMemory(addr_t, void *, size_t, Status &) override { return 0; }
};

/// A gdb-remote server of a GPU with one wave.
class FakeServer {
public:
  enum class Manner { Serves, HangsUp, TalksNonsense };

  explicit FakeServer(Manner manner = Manner::Serves) : m_manner(manner) {
    llvm::SmallString<64> path;
    llvm::sys::fs::createUniquePath("/tmp/coupling-%%%%%%%%", path,
                                    /*MakeAbsolute=*/false);
    m_path = std::string(path);
    m_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    llvm::copy(m_path, address.sun_path);
    EXPECT_EQ(bind(m_listener, reinterpret_cast<sockaddr *>(&address),
                   sizeof(address)),
              0);
    EXPECT_EQ(listen(m_listener, 1), 0);
    m_thread = std::thread([this] { Run(); });
  }
  ~FakeServer() {
    shutdown(m_listener, SHUT_RDWR);
    {
      std::lock_guard<std::mutex> guard(m_mutex);
      if (m_fd >= 0)
        shutdown(m_fd, SHUT_RDWR);
    }
    m_thread.join();
    close(m_listener);
    unlink(m_path.c_str());
  }

  std::string GetURL() const { return "unix-connect://" + m_path; }
  /// The wave stops by itself.
  void Stop() {
    std::lock_guard<std::mutex> guard(m_mutex);
    m_running = false;
    Send("T05thread:1;reason:trap;");
  }
  /// Waits until the GPU runs, or doesn't. \return False if it didn't come.
  bool WaitUntil(bool running) {
    std::unique_lock<std::mutex> lock(m_mutex);
    return m_changed.wait_for(lock, kPatience,
                              [&] { return m_running == running; });
  }
  bool IsRunning() {
    std::lock_guard<std::mutex> guard(m_mutex);
    return m_running;
  }

private:
  void Run() {
    const int fd = accept(m_listener, nullptr, nullptr);
    if (fd < 0)
      return;
    if (m_manner == Manner::Serves) {
      {
        std::lock_guard<std::mutex> guard(m_mutex);
        m_fd = fd;
      }
      Serve(fd);
      std::lock_guard<std::mutex> guard(m_mutex);
      m_fd = -1;
    } else if (m_manner == Manner::TalksNonsense) {
      const std::string nonsense(4096, '$');
      (void)!send(fd, nonsense.data(), nonsense.size(), MSG_NOSIGNAL);
    }
    close(fd);
  }

  void Serve(int fd) {
    std::string received;
    char buffer[4096];
    for (ssize_t size; (size = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
      received.append(buffer, size_t(size));
      while (TakeOne(received)) {
      }
    }
  }

  /// Answers the first packet or interrupt. \return False if none is complete.
  bool TakeOne(std::string &received) {
    std::lock_guard<std::mutex> guard(m_mutex);
    const size_t begin = received.find_first_of("$\x03");
    if (begin == std::string::npos)
      return false;
    if (received[begin] == '\x03') {
      received.erase(0, begin + 1);
      if (m_running)
        Send("T02thread:1;");
      m_running = false;
      m_changed.notify_all();
      return true;
    }
    const size_t end = received.find('#', begin);
    if (end == std::string::npos || received.size() < end + 3)
      return false;
    const std::string packet = received.substr(begin + 1, end - begin - 1);
    received.erase(0, end + 3);
    if (m_acknowledges)
      SendAll("+");
    Answer(packet);
    return true;
  }

  void Answer(llvm::StringRef packet) {
    if (packet == "QStartNoAckMode") {
      Send("OK");
      m_acknowledges = false;
    } else if (packet == "?") {
      Send("T02thread:1;");
    } else if (packet == "vCont?") {
      Send("vCont;c;C;s;S");
    } else if (packet.starts_with("vCont;") || packet == "c") {
      m_running = true;
      m_changed.notify_all();
    } else if (packet == "qC") {
      Send("QC1");
    } else if (packet == "qfThreadInfo") {
      Send("m1");
    } else if (packet == "qsThreadInfo") {
      Send("l");
    } else if (packet.starts_with("qRegisterInfo0")) {
      Send("name:pc;bitsize:64;offset:0;encoding:uint;format:hex;generic:pc;");
    } else if (packet.starts_with("p0") || packet.starts_with("g")) {
      Send("0000000000000000");
    } else if (packet == "k" || packet.starts_with("D")) {
      Send("OK");
    } else {
      Send(packet.starts_with("H") || packet.starts_with("Q") ? "OK" : "");
    }
  }

  void Send(llvm::StringRef text) {
    uint8_t sum = 0;
    for (const char c : text)
      sum += uint8_t(c);
    SendAll(
        ("$" + text + "#" + llvm::toHex(llvm::ArrayRef(&sum, 1), true)).str());
  }
  void SendAll(const std::string &bytes) {
    (void)!send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  const Manner m_manner;
  std::string m_path;
  int m_listener = -1;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  int m_fd = -1;
  bool m_running = false;
  bool m_acknowledges = true;
  std::thread m_thread;
};

class GPUCouplingTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    SBDebugger::Initialize();
    PlatformAMDGPU::Initialize();
    ProcessAMDGPU::Initialize();
    signal(SIGPIPE, SIG_IGN);
    PluginManager::RegisterPlugin(FakeHost::kName, "", FakeHost::Create);
  }
  static void TearDownTestSuite() {
    PluginManager::UnregisterPlugin(FakeHost::Create);
  }

  void SetUp() override {
    m_debugger_sp = Debugger::CreateInstance();
    PlatformSP platform_sp;
    Status error = m_debugger_sp->GetTargetList().CreateTarget(
        *m_debugger_sp, "", ArchSpec("x86_64-pc-linux"), eLoadDependentsNo,
        platform_sp, m_target_sp);
    ASSERT_TRUE(m_target_sp) << error.AsCString();
    m_host_sp = m_target_sp->CreateProcess(m_debugger_sp->GetListener(),
                                           FakeHost::kName, nullptr, false);
    ASSERT_TRUE(m_host_sp);
    m_coupling_sp = GPUCoupling::GetOrCreate(*m_target_sp);
  }
  void TearDown() override {
    GPUCoupling::Clear(m_debugger_sp.get());
    m_coupling_sp.reset();
    m_host_sp.reset();
    m_target_sp.reset();
    Debugger::Destroy(m_debugger_sp);
  }

  std::string Connect(const std::string &url) {
    return llvm::toString(
        m_coupling_sp->Connect(ArchSpec("amdgcn-amd-amdhsa"), url));
  }
  /// Takes events until one is wanted. The debugger's listener has them first.
  bool WaitForEvent(std::function<bool(const EventSP &)> is_wanted) {
    EventSP event_sp;
    while (m_debugger_sp->GetListener()->GetEvent(event_sp, kPatience))
      if (is_wanted(event_sp))
        return true;
    return false;
  }
  FakeHost &GetHost() { return static_cast<FakeHost &>(*m_host_sp); }
  /// As LLDB does for the user's `continue`: the public run lock is taken.
  void ResumeHost() {
    m_host_sp->GetRunLock().SetRunning();
    m_coupling_sp->Resumes(*m_host_sp);
    GetHost().SetState(eStateRunning);
    m_coupling_sp->Resumed(*m_host_sp, /*success=*/true);
  }
  void StopHost() {
    GetHost().SetState(eStateStopped);
    m_coupling_sp->WillPublicStop(*m_host_sp);
    m_host_sp->GetRunLock().SetStopped();
  }

  DebuggerSP m_debugger_sp;
  TargetSP m_target_sp;
  ProcessSP m_host_sp;
  std::shared_ptr<GPUCoupling> m_coupling_sp;
};

TEST_F(GPUCouplingTest, ATargetHasOneCoupling) {
  EXPECT_EQ(GPUCoupling::GetOrCreate(*m_target_sp), m_coupling_sp);
  EXPECT_EQ(GPUCoupling::Find(*m_target_sp), m_coupling_sp);
  EXPECT_EQ(m_coupling_sp->GetHost(), m_host_sp);
  EXPECT_EQ(m_coupling_sp->GetGPU(), nullptr);
  GPUCoupling::Clear(m_debugger_sp.get());
  EXPECT_EQ(GPUCoupling::Find(*m_target_sp), nullptr);
}

TEST_F(GPUCouplingTest, WhatRunsOneRunsTheOther) {
  FakeServer server;
  ASSERT_EQ(Connect(server.GetURL()), "");
  std::shared_ptr<ProcessAMDGPU> gpu_sp = m_coupling_sp->GetGPU();
  ASSERT_TRUE(gpu_sp);
  EXPECT_EQ(GPUCoupling::Find(gpu_sp->GetTarget()), m_coupling_sp);
  EXPECT_FALSE(server.IsRunning());
  ResumeHost();
  EXPECT_TRUE(server.WaitUntil(/*running=*/true));
  // The GPU has stopped when the host's stop is shown.
  StopHost();
  EXPECT_FALSE(server.IsRunning());
  ResumeHost();
  EXPECT_TRUE(server.WaitUntil(/*running=*/true));
  StopHost();
  EXPECT_FALSE(server.IsRunning());
}

TEST_F(GPUCouplingTest, AStopOfTheGPUInterruptsTheHost) {
  FakeServer server;
  ASSERT_EQ(Connect(server.GetURL()), "");
  ResumeHost();
  ASSERT_TRUE(server.WaitUntil(/*running=*/true));
  server.Stop();
  EXPECT_TRUE(WaitForEvent([&](const EventSP &event_sp) {
    return event_sp->BroadcasterIs(m_host_sp.get()) &&
           event_sp->GetType() == Process::eBroadcastBitInterrupt;
  }));
  EXPECT_TRUE(m_coupling_sp->StopsForTheOther(*m_host_sp));
  StopHost();
  EXPECT_FALSE(m_coupling_sp->StopsForTheOther(*m_host_sp));
  EXPECT_EQ(m_debugger_sp->GetTargetList().GetSelectedTarget(),
            m_coupling_sp->GetGPUTarget());
}

TEST_F(GPUCouplingTest, TheProgramsEndIsTheGPUs) {
  FakeServer server;
  ASSERT_EQ(Connect(server.GetURL()), "");
  std::shared_ptr<ProcessAMDGPU> gpu_sp = m_coupling_sp->GetGPU();
  GetHost().SetState(eStateExited);
  m_coupling_sp->DidExit(*m_host_sp);
  EXPECT_TRUE(WaitForEvent([&](const EventSP &event_sp) {
    return Process::ProcessEventData::GetProcessFromEvent(event_sp.get()) ==
               gpu_sp &&
           Process::ProcessEventData::GetStateFromEvent(event_sp.get()) ==
               eStateExited;
  }));
}

TEST_F(GPUCouplingTest, AServerThatCantBeReached) {
  EXPECT_THAT(Connect("unix-connect:///nowhere"),
              HasSubstr("can't connect to the GPU at unix-connect:///nowhere"));
  // The host is on its own, as before.
  StopHost();
  EXPECT_FALSE(m_coupling_sp->StopsForTheOther(*m_host_sp));
  // The target is kept for the next run.
  TargetSP gpu_target_sp = m_coupling_sp->GetGPUTarget();
  ASSERT_TRUE(gpu_target_sp);
  FakeServer server;
  EXPECT_EQ(Connect(server.GetURL()), "");
  EXPECT_EQ(m_coupling_sp->GetGPUTarget(), gpu_target_sp);
}

TEST_F(GPUCouplingTest, AServerThatIsNone) {
  for (FakeServer::Manner manner :
       {FakeServer::Manner::HangsUp, FakeServer::Manner::TalksNonsense}) {
    FakeServer server(manner);
    EXPECT_THAT(Connect(server.GetURL()), HasSubstr("can't connect"));
  }
}

TEST_F(GPUCouplingTest, AFileThatIsNoCore) {
  EXPECT_NE(llvm::toString(m_coupling_sp->OpenCore(FileSpec("/dev/null"),
                                                   FileSpec("/dev/null"))),
            "");
  EXPECT_EQ(m_coupling_sp->GetGPU(), nullptr);
}

TEST_F(GPUCouplingTest, ATargetThatIsGone) {
  m_debugger_sp->GetTargetList().DeleteTarget(m_target_sp);
  m_host_sp.reset();
  m_target_sp.reset();
  EXPECT_EQ(Connect("unix-connect:///nowhere"), "the host target is gone");
}

} // namespace
