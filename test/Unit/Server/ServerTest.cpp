//===-- ServerTest.cpp - Packets of lldb-server ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each test is a client: it starts the server, which starts the program, and
// exchanges packets, first on the host connection and then on the GPU
// connection.
//
//===----------------------------------------------------------------------===//

#include "wavelane/Protocol/Server/Packets.h"
#include "wavelane/Protocol/Server/Stop.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace packets = wavelane::server::packets;
namespace protocol = wavelane::protocol;

namespace {

/// How long, in milliseconds, a test waits for an expected packet; long enough
/// for a slow machine.
constexpr int Patience = 60000;

/// One gdb-remote connection, without acknowledgements.
class Connection {
public:
  explicit Connection(int fd) : m_fd(fd) {}
  ~Connection() { Close(); }
  void Close() {
    if (m_fd >= 0)
      close(m_fd);
    m_fd = -1;
  }

  void Send(llvm::StringRef text) {
    std::string escaped;
    for (char c : text) {
      if (c == '}' || c == '#' || c == '$' || c == '*') {
        escaped += '}';
        c ^= 0x20;
      }
      escaped += c;
    }
    uint8_t sum = 0;
    for (char c : escaped)
      sum += uint8_t(c);
    Raw("$" + escaped + "#" + llvm::toHex(llvm::ArrayRef(&sum, 1), true));
  }
  void Raw(const std::string &bytes) {
    ASSERT_EQ(write(m_fd, bytes.data(), bytes.size()), ssize_t(bytes.size()));
  }
  /// The next packet; "<nothing>" if none arrives in time.
  std::string Receive() {
    while (true) {
      const size_t start = m_buffer.find('$');
      const size_t end = m_buffer.find('#', start);
      if (start != std::string::npos && end != std::string::npos &&
          m_buffer.size() >= end + 3) {
        std::string text;
        for (size_t i = start + 1; i < end; ++i) {
          if (m_buffer[i] == '}' && i + 1 < end)
            text += char(m_buffer[++i] ^ 0x20);
          else if (m_buffer[i] == '*' && i + 1 < end)
            text.append(m_buffer[++i] - 29, text.back());
          else
            text += m_buffer[i];
        }
        m_buffer.erase(0, end + 3);
        if (m_acknowledge)
          Raw("+");
        return text;
      }
      pollfd poller{m_fd, POLLIN, 0};
      if (poll(&poller, 1, Patience) <= 0)
        return "<nothing>";
      char bytes[4096];
      const ssize_t size = read(m_fd, bytes, sizeof(bytes));
      if (size <= 0)
        return "<closed>";
      m_buffer.append(bytes, size);
    }
  }
  std::string Ask(llvm::StringRef text) {
    Send(text);
    return Receive();
  }
  llvm::json::Value AskJSON(llvm::StringRef text) {
    const std::string answer = Ask(text);
    auto value = llvm::json::parse(answer);
    if (!value) {
      ADD_FAILURE() << text.str() << " -> " << answer;
      llvm::consumeError(value.takeError());
      return nullptr;
    }
    return *value;
  }
  void Begin() {
    EXPECT_EQ(Ask("QStartNoAckMode"), "OK");
    m_acknowledge = false;
    EXPECT_EQ(Ask("QEnableErrorStrings"), "OK");
    EXPECT_EQ(Ask("QThreadSuffixSupported"), "OK");
    EXPECT_EQ(Ask("QListThreadsInStopReply"), "OK");
  }

private:
  int m_fd;
  bool m_acknowledge = true;
  std::string m_buffer;
};

uint64_t GetAddress(llvm::StringRef name, const char *path = PROGRAM) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return 0;
  auto file = llvm::object::ObjectFile::createELFObjectFile(**buffer);
  if (!file) {
    llvm::consumeError(file.takeError());
    return 0;
  }
  for (const auto &symbol : (*file)->symbols())
    if (llvm::cantFail(symbol.getName()) == name)
      return llvm::cantFail(symbol.getAddress());
  return 0;
}

/// As Wavelane's client sends it.
const char Initialize[] =
    "jAcceleratorPluginInitialize:{\"lists_libraries\":true}";

/// As LLDB 23 sends it.
const char Hit[] = "jAcceleratorPluginBreakpointHit:{\"plugin_name\":"
                   "\"amdgpu\",\"breakpoint\":"
                   "{\"by_address\":null,\"by_name\":{\"function_name\":\"_"
                   "loader_debug_state\","
                   "\"shlib\":null},\"identifier\":1,\"symbol_names\":[]},"
                   "\"symbol_values\":[]}";

std::string Hex(uint64_t value) { return llvm::utohexstr(value, true); }

class ServerTest : public testing::Test {
protected:
  /// Starts the server and the program, which is stopped at its first
  /// instruction.
  void Start(uint64_t waves, const std::string &extra = "") {
    m_loader = GetAddress("_loader_debug_state");
    m_code = GetAddress("gpu_code");
    m_kernel = GetAddress("_Z5saxpyPfi");
    ASSERT_TRUE(m_loader && m_code && m_kernel);
    int sockets[2];
    if (m_is_remote)
      ASSERT_NO_FATAL_FAILURE(MakeTCPPair(sockets));
    else
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    fcntl(sockets[0], F_SETFD, FD_CLOEXEC);
    const std::string plan = Hex(m_loader) + "," + Hex(m_code) + "," +
                             Hex(m_kernel) + "," + Hex(waves) + extra;
    m_server = fork();
    if (m_server == 0) {
      setenv("WAVELANE_FAKE_DBGAPI", plan.c_str(), 1);
      if (extra != ",library")
        setenv(wavelane::server::packets::LibraryVariable, LIBRARY, 1);
      else
        setenv(wavelane::server::packets::LibraryVariable, "/nowhere/lib.so",
               1);
      setenv(wavelane::server::packets::DeviceVariable, "simulated", 1);
      if (!m_code_object.empty())
        setenv("WAVELANE_FAKE_CODE_OBJECT", m_code_object.c_str(), 1);
      if (!m_log.empty())
        setenv("WAVELANE_FAKE_LOG", m_log.c_str(), 1);
      if (!m_ports.empty())
        setenv(wavelane::server::packets::PortVariable, m_ports.c_str(), 1);
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1);
      dup2(null, 2);
      const std::string fd = "--fd=" + std::to_string(sockets[1]);
      execl(SERVER, SERVER, "gdbserver", fd.c_str(), "--", PROGRAM, nullptr);
      _exit(127);
    }
    close(sockets[1]);
    m_host = std::make_unique<Connection>(sockets[0]);
    m_host->Begin();
    EXPECT_THAT(m_host->Ask("qSupported:xmlRegisters=i386"),
                HasSubstr(wavelane::server::packets::AcceleratorPlugins));
  }

  /// Connects a client, [0], to the server's side, [1], over TCP.
  static void MakeTCPPair(int (&sockets)[2]) {
    const int listener = ListenOn(0);
    ASSERT_GE(listener, 0);
    sockaddr_in address = {};
    socklen_t size = sizeof(address);
    getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size);
    sockets[0] = ConnectFrom("127.0.0.1", ntohs(address.sin_port));
    sockets[1] = accept(listener, nullptr, nullptr);
    close(listener);
    ASSERT_GE(sockets[0], 0);
    ASSERT_GE(sockets[1], 0);
  }

  static sockaddr_in MakeAddress(const char *host, uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host, &address.sin_addr);
    return address;
  }

  /// \return A socket on 127.0.0.1, or -1.
  static int ListenOn(uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = MakeAddress("127.0.0.1", port);
    if (bind(fd, reinterpret_cast<const sockaddr *>(&address),
             sizeof(address)) == 0 &&
        listen(fd, 1) == 0)
      return fd;
    close(fd);
    return -1;
  }

  /// \return A socket connected to 127.0.0.1, or -1.
  static int ConnectFrom(const char *host, uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in from = MakeAddress(host, 0);
    const sockaddr_in to = MakeAddress("127.0.0.1", port);
    if (bind(fd, reinterpret_cast<const sockaddr *>(&from), sizeof(from)) ==
            0 &&
        connect(fd, reinterpret_cast<const sockaddr *>(&to), sizeof(to)) == 0)
      return fd;
    close(fd);
    return -1;
  }

  /// Runs the program to the point where its GPU runtime has loaded code, and
  /// connects.
  void StartGPU(uint64_t waves, const std::string &extra = "") {
    std::string answer;
    ASSERT_NO_FATAL_FAILURE(StartRuntime(waves, extra, answer));
    ConnectGPU(answer);
  }

  void ConnectGPU(llvm::StringRef url) {
    ASSERT_TRUE(url.consume_front("unix-connect://")) << url.str();
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    ASSERT_LT(url.size(), sizeof(address.sun_path));
    memcpy(address.sun_path, url.data(), url.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(
        ::connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address)),
        0);
    m_gpu = std::make_unique<Connection>(fd);
    m_gpu->Begin();
  }

  /// Runs the program to the point where its GPU runtime has loaded code.
  /// \param[out] url Where the server waits for the GPU's connection.
  void StartRuntime(uint64_t waves, const std::string &extra,
                    std::string &url) {
    Start(waves, extra);
    auto actions = m_host->AskJSON(Initialize);
    ASSERT_TRUE(actions.getAsArray());
    EXPECT_THAT(m_host->Ask("Z0," + Hex(m_loader) + ",1"), "OK");
    EXPECT_THAT(m_host->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
    auto hit = m_host->AskJSON(Hit);
    ASSERT_TRUE(hit.getAsObject());
    EXPECT_EQ(hit.getAsObject()->getBoolean("auto_resume_native"), true);
    // The answer to initialization said where to connect, since the runtime was
    // up.
    auto *action = (*actions.getAsArray())[0].getAsObject();
    auto *connect = action->getObject("connect_info");
    ASSERT_TRUE(connect);
    EXPECT_EQ(connect->getString("triple"), "amdgpu-amd-amdhsa--gfx90a");
    EXPECT_EQ(connect->getString("processor"), "gfx90a");
    url = connect->getString("connect_url")->str();
  }

  /// StartRuntime() of a server whose client may be on another machine.
  /// \param[out] port Where it waits.
  void StartRemote(uint16_t &port) {
    m_is_remote = true;
    std::string url;
    ASSERT_NO_FATAL_FAILURE(StartRuntime(2, "", url));
    llvm::StringRef text = url;
    ASSERT_TRUE(text.consume_front("connect://[127.0.0.1]:")) << url;
    ASSERT_FALSE(text.getAsInteger(10, port)) << url;
  }

  std::string Code(int index) { return Hex(m_code + 4 * index); }
  /// The program counter at an instruction, as in register packets.
  std::string PC(int index) {
    const uint64_t pc = m_code + 4 * index;
    return llvm::toHex(
        llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&pc), sizeof(pc)),
        true);
  }

  /// Whether the GPU process hasn't reported a stop, which would arrive before
  /// this answer.
  bool Runs() {
    return llvm::StringRef(m_gpu->Ask("qHostInfo")).starts_with("triple:");
  }

  /// Writes a wave's program counter, to move it to an instruction.
  void MoveTo(unsigned wave, int index) {
    EXPECT_EQ(
        m_gpu->Ask("P0=" + PC(index) + ";thread:" + std::to_string(wave) + ";"),
        "OK");
  }

  /// The number of a register in register packets.
  unsigned FindRegister(llvm::StringRef name) {
    for (unsigned i = 0;; ++i) {
      const std::string info = m_gpu->Ask("qRegisterInfo" + Hex(i));
      if (llvm::StringRef(info).starts_with(("name:" + name + ";").str()))
        return i;
      if (info == "E45" || i == 100) {
        ADD_FAILURE() << "no register " << name.str();
        return 0;
      }
    }
  }

  /// Waits for the server's end.
  /// \return Whether it ended by itself.
  bool ServerEnds() {
    if (m_server < 0)
      return true;
    const int process = int(syscall(SYS_pidfd_open, m_server, 0));
    pollfd poller{process, POLLIN, 0};
    const bool has_ended = poll(&poller, 1, Patience) == 1;
    close(process);
    if (has_ended)
      waitpid(std::exchange(m_server, -1), nullptr, 0);
    return has_ended;
  }

  void TearDown() override {
    if (m_gpu)
      m_gpu->Close();
    if (m_host) {
      m_host->Send("k");
      m_host->Receive();
      m_host->Close();
    }
    if (!ServerEnds()) {
      ADD_FAILURE() << "the server continues without a client";
      kill(m_server, SIGKILL);
      waitpid(m_server, nullptr, 0);
    }
  }

  pid_t m_server = -1;
  std::unique_ptr<Connection> m_host, m_gpu;
  /// Whether the client connects by TCP, and the ports on which the server may
  /// listen.
  bool m_is_remote = false;
  std::string m_ports;
  /// The debug library's variables, see FakeDebugAPI.cpp.
  std::string m_code_object, m_log;
  uint64_t m_loader = 0, m_code = 0, m_kernel = 0;
};

/// The text of an error response.
std::string TextOf(const std::string &answer) {
  EXPECT_THAT(answer, StartsWith("E"));
  return llvm::fromHex(llvm::StringRef(answer).split(';').second);
}

TEST_F(ServerTest, InitializeWantsTheLoaderBreakpoint) {
  Start(0);
  auto actions = m_host->AskJSON(Initialize);
  ASSERT_TRUE(actions.getAsArray() && actions.getAsArray()->size() == 1);
  auto *action = (*actions.getAsArray())[0].getAsObject();
  EXPECT_EQ(action->getString("plugin_name"), "amdgpu");
  auto *breakpoint = (*action->getArray("breakpoints"))[0].getAsObject();
  EXPECT_EQ(breakpoint->getObject("by_name")->getString("function_name"),
            "_loader_debug_state");
}

TEST_F(ServerTest, ClientsThatSayNothingGetLLDBsFeatures) {
  Start(0);
  for (const char *packet : {"qSupported", "qSupported:multiprocess+"})
    EXPECT_THAT(m_host->Ask(packet),
                AllOf(HasSubstr("PacketSize="), Not(HasSubstr("accelerator")),
                      Not(HasSubstr("one-stop-reply"))))
        << packet;
}

// LLDB performs the actions of one number once, and reads them only if all that
// it wants is there.
TEST_F(ServerTest, ActionsAreUpstreams) {
  Start(0);
  auto first = m_host->AskJSON(Initialize);
  ASSERT_TRUE(first.getAsArray() && first.getAsArray()->size() == 1);
  const auto *begin = (*first.getAsArray())[0].getAsObject();
  ASSERT_TRUE(begin);
  EXPECT_THAT(m_host->Ask("Z0," + Hex(m_loader) + ",1"), "OK");
  EXPECT_THAT(m_host->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
  auto answer = m_host->AskJSON(Hit);
  ASSERT_TRUE(answer.getAsObject());
  EXPECT_EQ(answer.getAsObject()->getBoolean("disable_bp"), false);
  const auto *next = answer.getAsObject()->getObject("actions");
  ASSERT_TRUE(next);
  EXPECT_NE(next->getInteger("identifier"), begin->getInteger("identifier"));
  EXPECT_FALSE(next->get("connect_info"));
  for (const auto *actions : {begin, next}) {
    EXPECT_EQ(actions->getString("plugin_name"), "amdgpu");
    EXPECT_EQ(actions->getString("session_name"), "AMD GPU");
    const auto *breakpoints = actions->getArray("breakpoints");
    ASSERT_TRUE(breakpoints);
    for (const auto &breakpoint : *breakpoints)
      EXPECT_TRUE(breakpoint.getAsObject()->getArray("symbol_names"));
  }
  const auto *connect = begin->getObject("connect_info");
  ASSERT_TRUE(connect);
  EXPECT_THAT(connect->getString("connect_url")->str(),
              StartsWith("unix-connect://"));
  EXPECT_EQ(connect->getString("platform_name"), "");
  EXPECT_EQ(connect->getString("triple"), "amdgpu-amd-amdhsa--gfx90a");
  EXPECT_EQ(connect->getBoolean("synchronous"), true);
}

// LLDB's own client doesn't ask for code objects: it takes one as the target's
// executable, and asks where it is.
TEST_F(ServerTest, ClientsWithoutListsGetAnExecutable) {
  Start(1);
  auto actions = m_host->AskJSON("jAcceleratorPluginInitialize");
  ASSERT_TRUE(actions.getAsArray() && actions.getAsArray()->size() == 1);
  const auto *connect =
      (*actions.getAsArray())[0].getAsObject()->getObject("connect_info");
  ASSERT_TRUE(connect);
  auto read = [](llvm::StringRef path) {
    auto file = llvm::MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : file.getError().message();
  };
  // The fake's code object is the whole program.
  EXPECT_TRUE(read(connect->getString("exe_path").value_or("")) ==
              read(PROGRAM));
  ASSERT_NO_FATAL_FAILURE(
      ConnectGPU(connect->getString("connect_url").value_or("")));
  EXPECT_EQ(m_gpu->Ask("qOffsets"), "TextSeg=0");
}

TEST_F(ServerTest, ClientsThatListLibrariesGetNoExecutable) {
  ASSERT_NO_FATAL_FAILURE(StartGPU(1));
  EXPECT_EQ(m_gpu->Ask("qOffsets"), "");
}

TEST_F(ServerTest, MissingLibraryIsNamed) {
  Start(0, ",library");
  const std::string answer = m_host->Ask(Initialize);
  ASSERT_THAT(answer, StartsWith("E"));
  EXPECT_THAT(llvm::fromHex(llvm::StringRef(answer).split(';').second),
              HasSubstr("/nowhere/lib.so"));
  // The program can still be debugged.
  EXPECT_THAT(m_host->Ask("Z0," + Hex(m_loader) + ",1"), "OK");
  EXPECT_THAT(m_host->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
}

TEST_F(ServerTest, SettingsCountBeforeTheEnvironment) {
  Start(0, ",library");
  EXPECT_EQ(m_host->Ask(packets::Make(
                packets::Settings,
                llvm::json::Object{{packets::setting::Library, LIBRARY}})),
            "OK");
  auto actions = m_host->AskJSON(Initialize);
  EXPECT_TRUE(actions.getAsArray());
}

TEST_F(ServerTest, SettingsThatAreInvalidOrLateAreRefused) {
  Start(0);
  using llvm::json::Object;
  auto ask = [&](Object settings) {
    return m_host->Ask(packets::Make(packets::Settings, std::move(settings)));
  };
  EXPECT_EQ(ask(Object{{"device", "gpu"}}),
            R"([{"setting":"device","why":"is 'gpu': it must be auto, )"
            R"(simulated or hardware"}])");
  EXPECT_THAT(TextOf(m_host->Ask("QWavelaneSettings:[]")),
              HasSubstr("the arguments for lldb-server aren't a JSON object"));
  EXPECT_THAT(TextOf(m_host->Ask("QWavelaneSettings:{")),
              HasSubstr("the arguments for lldb-server aren't JSON"));
  // The program was started for the simulated GPU.
  EXPECT_THAT(ask(Object{{"device", "hardware"}}),
              HasSubstr("already started the program for the simulated GPU"));
  EXPECT_EQ(ask(Object{{"device", "simulated"}}), "OK");
  EXPECT_TRUE(m_host->AskJSON(Initialize).getAsArray());
  EXPECT_EQ(ask(Object{{"device", "simulated"}}), "OK");
  EXPECT_THAT(ask(Object{{"exceptions", llvm::json::Array{"memory"}},
                         {"device", "simulated"}}),
              AllOf(HasSubstr("has begun with another value"),
                    HasSubstr(R"("setting":"exceptions")"),
                    Not(HasSubstr(R"("setting":"device")"))));
}

TEST_F(ServerTest, ChecksCanBeChosenAfterTheStart) {
  Start(0);
  auto choose = [&](const char *checks) {
    return m_host->Ask(
        packets::Make(packets::Settings,
                      llvm::json::Object{{packets::setting::Check, checks}}));
  };
  EXPECT_EQ(choose("memory,count"), "OK");
  EXPECT_THAT(choose("speed"), HasSubstr("is 'speed': unknown check"));
  // What the program's device will read.
  const std::string info = m_host->Ask("qProcessInfo");
  unsigned pid = 0;
  ASSERT_FALSE(
      llvm::StringRef(info).split("pid:").second.split(';').first.getAsInteger(
          16, pid))
      << info;
  auto environment = llvm::MemoryBuffer::getFileAsStream(
      llvm::formatv("/proc/{0}/environ", pid).str());
  ASSERT_TRUE(bool(environment));
  const llvm::StringRef folder = (*environment)
                                     ->getBuffer()
                                     .split("WAVELANE_CHECK_FOLDER=")
                                     .second.split('\0')
                                     .first;
  auto options = llvm::MemoryBuffer::getFile(folder + "/options.json");
  ASSERT_TRUE(bool(options)) << folder.str();
  EXPECT_EQ((*options)->getBuffer(), "{\"checks\":\"memory,count\"}\n");
  // Too late, but no error: the device says what it does.
  EXPECT_TRUE(m_host->AskJSON(Initialize).getAsArray());
  EXPECT_EQ(choose("race"), "OK");
}

TEST_F(ServerTest, OtherLibrariesDontKnowChecks) {
  ASSERT_NO_FATAL_FAILURE(StartGPU(1));
  EXPECT_THAT(TextOf(m_gpu->Ask(std::string(packets::Checks) + ":{}")),
              HasSubstr("only Wavelane's debug library reports findings"));
}

TEST_F(ServerTest, TakesARemoteClientAloneAndOnce) {
  uint16_t port = 0;
  ASSERT_NO_FATAL_FAILURE(StartRemote(port));
  // Another client, from another address of this machine.
  const int stranger = ConnectFrom("127.0.0.2", port);
  ASSERT_GE(stranger, 0);
  EXPECT_EQ(Connection(stranger).Receive(), "<closed>");
  const int client = ConnectFrom("127.0.0.1", port);
  ASSERT_GE(client, 0);
  m_gpu = std::make_unique<Connection>(client);
  m_gpu->Begin();
  EXPECT_THAT(m_gpu->Ask("qProcessInfo"), HasSubstr("processor:gfx90a;"));
  EXPECT_EQ(ConnectFrom("127.0.0.1", port), -1);
}

TEST_F(ServerTest, RefusesAnotherUserOfThisMachine) {
  if (getuid() != 0)
    GTEST_SKIP() << "only root can be another user";
  uint16_t port = 0;
  ASSERT_NO_FATAL_FAILURE(StartRemote(port));
  const pid_t child = fork();
  if (child == 0) {
    if (setresuid(65534, 65534, 65534) != 0)
      _exit(2);
    const int stranger = ConnectFrom("127.0.0.1", port);
    char byte;
    _exit(stranger >= 0 && read(stranger, &byte, 1) == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const int client = ConnectFrom("127.0.0.1", port);
  ASSERT_GE(client, 0);
  m_gpu = std::make_unique<Connection>(client);
  m_gpu->Begin();
}

TEST_F(ServerTest, AnswersPacketsThatAreNone) {
  StartGPU(1);
  for (Connection *connection : {m_host.get(), m_gpu.get()}) {
    EXPECT_EQ(connection->Ask(""), "");
    // More than there is memory for.
    for (const char *packet :
         {"m5555576e00,204294967295", "x0,ffffffffffffffff",
          "M0,7fffffffffffffff:00",
          "X0,123456789abcdef012345:", "qMemTags:0,ffffffffff:1",
          "x,7fffffffffffffff", "m0,\nffffffffff", "x 0,200ffffe000"})
      EXPECT_EQ(TextOf(connection->Ask(packet)), "too many bytes") << packet;
    EXPECT_EQ(TextOf(connection->Ask("M1000,0:0000")), "no bytes");
    EXPECT_EQ(TextOf(connection->Ask("X1000,:")), "no bytes");
    EXPECT_EQ(TextOf(connection->Ask("M1e999,,,")), "no bytes");
  }
}

TEST_F(ServerTest, ResumesThreadsThatThereAre) {
  Start(0);
  const std::string stop = m_host->Ask("?");
  ASSERT_THAT(stop, StartsWith("T"));
  for (const char *packet : {"vCont;s:7fffffff", "vCont;s:p1.1;c:p1.2",
                             "vCont;s:p1.1.x", "vCont;c:7fffffff,1;c:-1"})
    EXPECT_THAT(m_host->Ask(packet), StartsWith("E")) << packet;
  // It is still stopped, and steps.
  const llvm::StringRef thread =
      llvm::StringRef(stop).split("thread:").second.split(';').first;
  EXPECT_THAT(m_host->Ask("vCont;s:" + thread.str()), StartsWith("T05"));
}

TEST_F(ServerTest, ListensOnThePortsThatItIsGiven) {
  m_is_remote = true;
  // Two free ports, one of which is then taken.
  int taken = -1;
  uint16_t first = 20000;
  for (; first < 30000; first += 2) {
    taken = ListenOn(first);
    const int second = ListenOn(first + 1);
    if (second >= 0)
      close(second);
    if (taken >= 0 && second >= 0)
      break;
    close(taken);
  }
  m_ports = std::to_string(first) + "-" + std::to_string(first + 1);
  std::string url;
  ASSERT_NO_FATAL_FAILURE(StartRuntime(1, "", url));
  EXPECT_EQ(url, "connect://[127.0.0.1]:" + std::to_string(first + 1));
  close(taken);
}

TEST_F(ServerTest, SaysWhatItIs) {
  StartGPU(2);
  EXPECT_THAT(m_gpu->Ask("qSupported"), HasSubstr("address-spaces+"));
  EXPECT_THAT(m_gpu->Ask("qHostInfo"),
              HasSubstr(llvm::toHex("amdgcn-amd-amdhsa", true)));
  EXPECT_THAT(m_gpu->Ask("qProcessInfo"), HasSubstr("processor:gfx90a;"));
  const std::string xml = m_gpu->Ask("qXfer:features:read:target.xml:0,ffff");
  EXPECT_THAT(xml, HasSubstr("name=\"pc\" bitsize=\"64\" regnum=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"exec\" bitsize=\"64\" regnum=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"v0\" bitsize=\"2048\""));
  EXPECT_THAT(xml, HasSubstr("group=\"Vector\""));
  EXPECT_THAT(xml, HasSubstr("dwarf_regnum=\"2560\""));
  EXPECT_THAT(m_gpu->Ask("qRegisterInfo0"), HasSubstr("generic:pc;"));
  EXPECT_EQ(m_gpu->Ask("qRegisterInfo40"), "E45");
  EXPECT_EQ(m_gpu->Ask("g"), "");
}

TEST_F(ServerTest, BreakpointStopsAllWaves) {
  StartGPU(3);
  EXPECT_THAT(m_gpu->Ask("?"), StartsWith("T00thread:1;"));
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  const std::string stop = m_gpu->Ask("vCont;c");
  EXPECT_THAT(stop, StartsWith("T05thread:1;"));
  EXPECT_THAT(stop, HasSubstr("name:saxpy (0,0,0)/0;"));
  EXPECT_THAT(stop, HasSubstr("threads:1,2,3;"));
  EXPECT_THAT(stop, HasSubstr("reason:breakpoint;"));
  // Breakpoints are hidden.
  EXPECT_EQ(m_gpu->Ask("m" + Code(4) + ",4"), "000080bf");
  // The program counter is that of the breakpoint.
  EXPECT_EQ(m_gpu->Ask("p0;thread:2;"), PC(4));
}

/// Of a fold of waves: why they have stopped.
std::string Stopped(protocol::StopKind kind) {
  protocol::Stop stop;
  stop.Kind = kind;
  stop.Signal = SIGTRAP;
  return "," + llvm::toHex(protocol::getText(stop), /*LowerCase=*/true) + "=";
}

TEST_F(ServerTest, FoldsStops) {
  StartGPU(3);
  EXPECT_EQ(m_gpu->Ask(packets::FoldStops), "OK");
  EXPECT_THAT(m_gpu->Ask("?"),
              AllOf(HasSubstr("threads:1;waves:" + Code(0) + "=1|" + Code(1) +
                              "=2|" + Code(2) + "=3;"),
                    Not(HasSubstr("thread-pcs:"))));
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c"),
              AllOf(StartsWith("T05thread:1;"), HasSubstr("reason:breakpoint;"),
                    HasSubstr("waves:" + Code(4) +
                              Stopped(protocol::StopKind::Breakpoint) + "1+2;"),
                    Not(HasSubstr("jstopinfo:"))));
  // The others keep their reason while one steps.
  EXPECT_THAT(
      m_gpu->Ask("vCont;s:1"),
      AllOf(HasSubstr("threads:1;waves:"),
            HasSubstr(Stopped(protocol::StopKind::Trace) + "1|"),
            HasSubstr("|" + Code(4) + Stopped(protocol::StopKind::Breakpoint) +
                      "2+1;")));
}

/// Stops that are there at once when the server looks: the fake library
/// delivers events in the order of the resumes, all of them before the server
/// asks.
TEST_F(ServerTest, StopsThatComeTogetherAreAllKept) {
  StartGPU(3);
  EXPECT_EQ(m_gpu->Ask(packets::FoldStops), "OK");
  const std::string step = Stopped(protocol::StopKind::Trace),
                    breakpoint = Stopped(protocol::StopKind::Breakpoint);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  struct Case {
    const char *packet;
    std::string thread; ///< whose stop is the reply's
    std::vector<std::string> folds;
  };
  const std::vector<Case> cases = {
      {"vCont;s:1;c:2",
       "1",
       {Code(1) + step + "1", Code(4) + breakpoint + "2"}},
      {"vCont;c:1;s:2",
       "2",
       {Code(4) + breakpoint + "1", Code(2) + step + "2"}},
      {"vCont;s:1;s:2", "2", {Code(1) + step + "1", Code(2) + step + "2"}},
      {"vCont;c:1;s:2;c:3",
       "2",
       {Code(4) + breakpoint + "1,2", Code(2) + step + "2"}},
      {"vCont;c:1;c:2;s:3",
       "3",
       {Code(4) + breakpoint + "1+1", Code(3) + step + "3"}},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.packet);
    for (int wave = 1; wave <= 3; ++wave)
      MoveTo(wave, wave - 1);
    const std::string stop = m_gpu->Ask(one.packet);
    EXPECT_THAT(stop, AllOf(StartsWith("T05thread:" + one.thread + ";"),
                            HasSubstr("reason:trace;")));
    for (const std::string &fold : one.folds)
      EXPECT_THAT(stop, HasSubstr(fold));
  }
}

TEST_F(ServerTest, ListsOnlyWavesThatMoved) {
  StartGPU(40);
  EXPECT_EQ(m_gpu->Ask(packets::FoldStops), "OK");
  EXPECT_THAT(m_gpu->Ask("?"), HasSubstr(";waves-number:1;"));
  EXPECT_THAT(m_gpu->Ask("vCont;s:1"),
              AllOf(HasSubstr(";moved-waves:"),
                    HasSubstr(Stopped(protocol::StopKind::Trace) + "1;"),
                    HasSubstr(";waves-number:1;"), Not(HasSubstr(";waves:"))));
  // What moved before belongs to it.
  EXPECT_THAT(m_gpu->Ask("vCont;s:2"),
              AllOf(HasSubstr(";moved-waves:"),
                    HasSubstr(Stopped(protocol::StopKind::Trace) + "1|"),
                    HasSubstr(Stopped(protocol::StopKind::Trace) + "2;"),
                    HasSubstr(";waves-number:1;")));
  // A client that asks is notified of all.
  EXPECT_THAT(m_gpu->Ask("?"), AllOf(HasSubstr(";waves:"), HasSubstr("=3,4,4"),
                                     HasSubstr(";waves-number:2;")));
  EXPECT_THAT(m_gpu->Ask("vCont;s:3"),
              AllOf(HasSubstr(";moved-waves:"),
                    HasSubstr(Stopped(protocol::StopKind::Trace) + "3;"),
                    HasSubstr(";waves-number:2;")));
  // So is one for which all have run.
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr(";waves:"));
}

TEST_F(ServerTest, StepsOverBreakpoints) {
  StartGPU(2);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(6) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
  // One wave steps, over the inserted breakpoint.
  const std::string step = m_gpu->Ask("vCont;s:1");
  EXPECT_THAT(step, HasSubstr("reason:trace;"));
  EXPECT_THAT(
      step, HasSubstr("thread-pcs:" + llvm::utohexstr(m_code + 20, true, 16)));
  // The other keeps its reason.
  auto info = m_gpu->AskJSON("jWavelaneWaveInfo:{\"thread\":2}");
  EXPECT_EQ(info.getAsObject()->getString("stop_reason"), "breakpoint");
  // The instruction under the second breakpoint must be executed in line.
  std::string fault;
  for (int i = 0; i < 3; ++i) {
    fault = m_gpu->Ask("vCont;c");
    if (fault.find("reason:breakpoint;") == std::string::npos)
      break;
  }
  EXPECT_THAT(fault, StartsWith("T04"));
  EXPECT_THAT(fault, HasSubstr("reason:exception;"));
  EXPECT_EQ(m_gpu->Ask("m" + Code(4) + ",c"), "000080bf000080bf00008abf");
}

/// A wave that runs alone reaches a barrier, and the others of its workgroup
/// are released, without examining running waves.
class BarrierServerTest : public ServerTest {
protected:
  void SetUp() override {
    const char *file = CODE_OBJECTS "/Program-gfx90a.co";
    m_code_object = Hex(GetAddress("gpu_code", file)) + "," + file;
    llvm::SmallString<128> log;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("waves", "log", log));
    m_log = log.str().str();
  }
  void TearDown() override {
    ServerTest::TearDown();
    llvm::sys::fs::remove(m_log);
  }
  /// The requests to the debug library since the last call.
  std::vector<std::string> GetRequests() {
    std::vector<std::string> requests;
    std::ifstream file(m_log);
    file.seekg(m_read);
    for (std::string line; std::getline(file, line);) {
      requests.push_back(line);
      m_read += std::streamoff(line.size() + 1);
    }
    return requests;
  }

private:
  std::streamoff m_read = 0;
};

TEST_F(BarrierServerTest, CompanionsRunAndOthersStay) {
  StartGPU(4);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(7) + ",4"), "OK");
  GetRequests();
  EXPECT_THAT(m_gpu->Ask("vCont;c:1"), AllOf(StartsWith("T05thread:1;"),
                                             HasSubstr("reason:breakpoint;")));
  // The trap at the barrier is the server's own: one resume up to it, one from
  // it.
  EXPECT_THAT(GetRequests(), ElementsAre("resume 1", "resume 2", "resume 1"));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(7)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:3;"), StartsWith(PC(2)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:4;"), StartsWith(PC(3)));
  EXPECT_EQ(m_gpu->Ask("m" + Code(6) + ",4"), "00008abf");
  EXPECT_EQ(m_gpu->Ask("z0," + Code(6) + ",4").substr(0, 1), "E");
}

TEST_F(BarrierServerTest, TwoWorkgroupsAtOnce) {
  StartGPU(6);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(7) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c:1;c:3"), HasSubstr("reason:breakpoint;"));
  for (const char *thread : {"1", "2", "3", "4"})
    EXPECT_THAT(m_gpu->Ask(std::string("p0;thread:") + thread + ";"),
                StartsWith(PC(7)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:5;"), StartsWith(PC(0)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:6;"), StartsWith(PC(1)));
}

TEST_F(BarrierServerTest, BreakpointAtTheBarrierIsTheClients) {
  StartGPU(4);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(6) + ",4"), "OK");
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(7) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c:1"), AllOf(StartsWith("T05thread:1;"),
                                             HasSubstr("reason:breakpoint;")));
  EXPECT_THAT(m_gpu->Ask("p0;thread:1;"), StartsWith(PC(6)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(1)));
  // Afterwards, the other wave stops at the same breakpoint.
  EXPECT_THAT(m_gpu->Ask("vCont;c:1"), HasSubstr("reason:breakpoint;"));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(6)));
  EXPECT_EQ(m_gpu->Ask("z0," + Code(6) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c:1"), HasSubstr("reason:breakpoint;"));
  EXPECT_THAT(m_gpu->Ask("p0;thread:1;"), StartsWith(PC(7)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(7)));
}

TEST_F(BarrierServerTest, StepOverTheBarrier) {
  StartGPU(4);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(6) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c:1"), HasSubstr("reason:breakpoint;"));
  EXPECT_EQ(m_gpu->Ask("z0," + Code(6) + ",4"), "OK");
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(7) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;s:1"),
              AllOf(StartsWith("T05thread:1;"), HasSubstr("reason:trace;")));
  EXPECT_THAT(m_gpu->Ask("p0;thread:1;"), StartsWith(PC(7)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:3;"), StartsWith(PC(2)));
}

TEST_F(BarrierServerTest, StepThatEndsTogetherWithAnArrivalKeepsItsReason) {
  StartGPU(4);
  // Both events are there when the server looks: the end of wave 1's step, and
  // then wave 2's arrival at the server's own trap, whose companion is wave 1.
  EXPECT_THAT(m_gpu->Ask("vCont;s:1;c:2"),
              AllOf(StartsWith("T05thread:1;"), HasSubstr("reason:trace;")));
  EXPECT_THAT(m_gpu->Ask("p0;thread:1;"), StartsWith(PC(1)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(6)));
  // The arrival isn't lost either: both pass the barrier.
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(7) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c:2"), HasSubstr("reason:breakpoint;"));
  EXPECT_THAT(m_gpu->Ask("p0;thread:1;"), StartsWith(PC(7)));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(7)));
}

TEST_F(BarrierServerTest, ArrivalBeforeTheEndOfAStepKeepsItsReason) {
  StartGPU(4);
  EXPECT_THAT(m_gpu->Ask("vCont;c:1;s:2"),
              AllOf(StartsWith("T05thread:2;"), HasSubstr("reason:trace;")));
  EXPECT_THAT(m_gpu->Ask("p0;thread:2;"), StartsWith(PC(2)));
}

TEST_F(ServerTest, FaultsAreDescribedAndDelivered) {
  StartGPU(1);
  const std::string stop = m_gpu->Ask("vCont;c");
  EXPECT_THAT(stop, HasSubstr("reason:exception;"));
  const size_t start = stop.find("description:") + 12;
  const std::string text =
      llvm::fromHex(stop.substr(start, stop.find(';', start) - start));
  EXPECT_THAT(text, HasSubstr("illegal instruction 'v_bogus_b32 v0' at 0x"));
  EXPECT_THAT(text, HasSubstr("in kernel saxpy on gfx90a"));
  // The program is notified, and the wave is gone: the process runs on.
  m_gpu->Send("vCont;c");
  EXPECT_TRUE(Runs());
  m_gpu->Raw("\x03");
  EXPECT_EQ(m_gpu->Receive(), "T02");
}

TEST_F(ServerTest, FaultIsLeftBehindWhenThePCIsWritten) {
  StartGPU(1);
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:exception;"));
  MoveTo(1, 9);
  // The step ends the wave.
  EXPECT_EQ(m_gpu->Ask("vCont;s:1"), "T00");
}

TEST_F(ServerTest, StopBelongsToTheWaveThatStepped) {
  StartGPU(2);
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:exception;"));
  MoveTo(2, 0);
  const std::string stop = m_gpu->Ask("vCont;s:2");
  EXPECT_THAT(stop,
              AllOf(StartsWith("T05thread:2;"), HasSubstr("reason:trace;")));
  auto info = m_gpu->AskJSON("jWavelaneWaveInfo:{\"thread\":1}");
  EXPECT_THAT(info.getAsObject()->getString("stop_reason")->str(),
              StartsWith("illegal instruction"));
}

TEST_F(ServerTest, InterruptStopsWavesThatLoop) {
  StartGPU(1);
  MoveTo(1, 16);
  for (int i = 0; i < 2; ++i) {
    m_gpu->Send("vCont;c");
    EXPECT_TRUE(Runs());
    m_gpu->Raw("\x03");
    EXPECT_THAT(m_gpu->Receive(),
                AllOf(StartsWith("T02thread:1;"), HasSubstr("reason:signal;")));
  }
}

TEST_F(ServerTest, RegistersOneByOne) {
  StartGPU(2);
  const std::string zeros(512, '0');
  const unsigned v0 = FindRegister("v0"), status = FindRegister("status");
  EXPECT_EQ(m_gpu->Ask("p" + Hex(v0) + ";thread:2;"), zeros);
  std::string lane3 = zeros;
  lane3.replace(24, 8, "2a000000");
  EXPECT_EQ(m_gpu->Ask("P" + Hex(v0) + "=" + lane3 + ";thread:2;"), "OK");
  EXPECT_EQ(m_gpu->Ask("p" + Hex(v0) + ";thread:2;"), lane3);
  EXPECT_EQ(m_gpu->Ask("p" + Hex(v0) + ";thread:1;"), zeros);
  // A register that the wave lacks, and one that doesn't exist.
  EXPECT_THAT(m_gpu->Ask("p" + Hex(status) + ";thread:1;"), StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("pffff;thread:1;"), StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("p0;thread:99;"), StartsWith("E"));
}

TEST_F(ServerTest, MemoryOfAddressSpaces) {
  StartGPU(2);
  auto spaces = m_gpu->AskJSON("jAddressSpacesInfo");
  ASSERT_TRUE(spaces.getAsArray());
  bool found = false;
  for (const llvm::json::Value &space : *spaces.getAsArray())
    if (space.getAsObject()->getString("name") == "private_lane") {
      found = true;
      EXPECT_EQ(space.getAsObject()->getInteger("space_id"), 5);
      EXPECT_EQ(space.getAsObject()->getBoolean("is_thread_specific"), true);
    }
  EXPECT_TRUE(found);
  const std::string place = ";address_space:5;lane:11;thread:2;";
  EXPECT_EQ(m_gpu->Ask("M0,4:0a0b0c0d" + place), "OK");
  EXPECT_EQ(m_gpu->Ask("m0,4" + place), "0a0b0c0d");
  EXPECT_EQ(m_gpu->Ask("m0,4;thread:1;lane:11;address_space:5;"), "00000000");
  EXPECT_EQ(m_gpu->Ask("x0,4" + place), "\x0a\x0b\x0c\x0d");
  // Global memory by its number; nonexistent spaces, lanes and waves.
  EXPECT_EQ(m_gpu->Ask("m" + Code(0) + ",4;address_space:0;thread:1;"),
            "000080bf");
  EXPECT_THAT(m_gpu->Ask("m0,4;address_space:63;lane:0;thread:1;"),
              StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("m0,4;address_space:5;lane:40;thread:1;"),
              StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("m0,4;address_space:5;lane:0;thread:77;"),
              StartsWith("E"));
}

TEST_F(ServerTest, ReadsManyRangesInOnePacket) {
  StartGPU(2);
  EXPECT_THAT(m_gpu->Ask("qSupported:xmlRegisters=i386"),
              HasSubstr("MultiMemRead+"));
  const std::string code("\x00\x00\x80\xbf", 4);
  auto ask = [&](const std::string &ranges, const std::string &place = "") {
    return m_gpu->Ask("MultiMemRead:ranges:" + ranges + ";" + place);
  };
  // Separate, overlapping and empty ranges; unreadable ones have no bytes.
  EXPECT_EQ(ask(Code(0) + ",4"), "4;" + code);
  EXPECT_EQ(ask(Code(0) + ",4," + Hex(m_code + 2) + ",2," + Code(0) + ",0"),
            "4,2,0;" + code + code.substr(2));
  EXPECT_EQ(ask("10,4," + Code(0) + ",4,10,1"), "0,4,0;" + code);
  EXPECT_EQ(ask("10,0"), "0;");
  EXPECT_EQ(ask("fffffffffffffffc,10," + Code(0) + ",4"), "0,4;" + code);
  EXPECT_EQ(ask("0,100000"), "0;");

  const std::string place = "address_space:5;lane:11;thread:2;";
  EXPECT_EQ(m_gpu->Ask("M0,4:7d232a24;" + place), "OK");
  EXPECT_EQ(ask("0,4,0,2", place), "4,2;}#*$}#");
  // No more than exists: a prefix.
  EXPECT_EQ(ask("0,8,4,4", place), "4,0;}#*$");
  EXPECT_EQ(ask("0,4", "thread:1;lane:11;address_space:5;"),
            "4;" + std::string(4, '\0'));
  EXPECT_EQ(ask(Code(0) + ",4", "address_space:0;"), "4;" + code);

  std::string many = "0,0";
  for (unsigned i = 1; i < wavelane::server::packets::MaxRanges; ++i)
    many += ",0,0";
  EXPECT_THAT(ask(many), StartsWith("0,0,0,"));
  const std::string wrong[] = {many + ",0,0",
                               "",
                               "10",
                               "10,4,20",
                               "10,",
                               ",4",
                               "zz,4",
                               "10,zz",
                               "10,-4",
                               "10,4,",
                               "0,100001",
                               "0,fffffff0,0,20",
                               "0,ffffffffffffffff,0,1"};
  for (const std::string &ranges : wrong)
    EXPECT_THAT(ask(ranges), StartsWith("E")) << ranges.substr(0, 40);
  for (const char *bad :
       {"address_space:5;thread:77;", "lane:;", "fly:1;", "address_space:zz;"})
    EXPECT_THAT(ask("0,4", bad), StartsWith("E")) << bad;
  for (const char *packet : {"MultiMemRead:", "MultiMemRead:ranges:0,4",
                             "MultiMemRead:0,4;", "MultiMemRead:ranges:"})
    EXPECT_THAT(m_gpu->Ask(packet), StartsWith("E")) << packet;
  EXPECT_EQ(ask(Code(0) + ",4"), "4;" + code);
}

TEST_F(ServerTest, HostilePackets) {
  StartGPU(1);
  for (const char *packet :
       {"m", "mzz,4", "m0,ffffffffffffffff", "m0,4;address_space:", "M0,4:00",
        "M0,ffffffffffffffff:00", "M0,1:zz", "P0=", "P0=00;thread:1;", "p",
        "Z0,", "Z0,1,4", "Z1,1000,4", "z0,10,4", "Z2,0,ffffffff",
        "jWavelaneWaveInfo:",
        // For memory that only a simulated GPU can watch, and malformed ones.
        "Z2,0,4;address_space:3;lane:0;thread:1;key:9;",
        "Z2,0,4;address_space:3;lane:0;thread:1;",
        "Z2,0,4;address_space:;key:1;", "jWavelaneConditions:{}",
        "jWavelaneConditions:{\"address\":1,\"any\":[5]}",
        "jWavelaneConditions:{\"address\":1,\"any\":[{\"test\":[]}]}",
        "jWavelaneWaveInfo:{\"thread\":-1}", "jWavelaneWaveInfo:[1]",
        "jWavelaneObjects:{\"kind\":\"x\"}", "jWavelaneObjects:{",
        "jAcceleratorPluginGetDynamicLoaderLibraryInfo:",
        "jAcceleratorPluginGetDynamicLoaderLibraryInfo:{}", "vCont;x:1",
        "vCont;c:zz", "qXfer:features:read:target.xml:zz,1",
        "qXfer:features:read:target.xml:ffffff,zz", "vAttach;1",
        "qRegisterInfoz"})
    EXPECT_THAT(m_gpu->Ask(packet), StartsWith("E")) << packet;
  for (const char *packet : {"_M10,rw", "G00", "QSaveRegisterState", "jFoo",
                             "qXfer:auxv:read::0,10"})
    EXPECT_EQ(m_gpu->Ask(packet), "") << packet;
  for (const char *packet :
       {"jAcceleratorPluginBreakpointHit:{}",
        "jAcceleratorPluginBreakpointHit:",
        "jAcceleratorPluginBreakpointHit:{\"plugin_name\":"
        "\"amdgpu\",\"breakpoint\":1,\"symbol_values\":[]}",
        "jAcceleratorPluginGetDynamicLoaderLibraryInfo:x"})
    EXPECT_THAT(m_host->Ask(packet), StartsWith("E")) << packet;
  // A step of a wave that has ended only continues the others.
  EXPECT_THAT(m_gpu->Ask("m" + Code(0) + ",4"), "000080bf");
}

TEST_F(ServerTest, ReportsLibraries) {
  StartGPU(1);
  for (Connection *connection : {m_host.get(), m_gpu.get()}) {
    auto reply =
        connection->AskJSON("jAcceleratorPluginGetDynamicLoaderLibraryInfo:"
                            "{\"plugin_name\":\"amdgpu\",\"full\":true}");
    auto *infos = reply.getAsObject()->getArray("library_infos");
    ASSERT_TRUE(infos && infos->size() == 1);
    EXPECT_THAT((*infos)[0].getAsObject()->getString("pathname")->str(),
                HasSubstr("server-test-program"));
    EXPECT_EQ((*infos)[0].getAsObject()->getBoolean("load"), true);
    EXPECT_TRUE((*infos)[0].getAsObject()->getArray("loaded_sections"));
  }
  auto again = m_gpu->AskJSON("jAcceleratorPluginGetDynamicLoaderLibraryInfo:"
                              "{\"plugin_name\":\"amdgpu\",\"full\":false}");
  EXPECT_TRUE(again.getAsObject()->getArray("library_infos")->empty());
}

TEST_F(ServerTest, WavesReportTheirFacts) {
  StartGPU(4);
  auto info = m_gpu->AskJSON("jWavelaneWaveInfo:{\"thread\":4}");
  auto *object = info.getAsObject();
  EXPECT_EQ(object->getString("name"), "saxpy (1,0,0)/1");
  EXPECT_EQ(object->getInteger("lane_count"), 64);
  EXPECT_EQ(object->getInteger("exec"), 255);
  EXPECT_EQ(object->getInteger("wave_in_workgroup"), 1);
  EXPECT_EQ((*object->getArray("workgroup_size"))[0].getAsInteger(), 128);
  EXPECT_EQ((*object->getArray("grid_size"))[0].getAsInteger(), 1000);
  auto waves = m_gpu->AskJSON("jWavelaneObjects:{\"kind\":\"wave\"}");
  EXPECT_EQ(waves.getAsArray()->size(), 4u);
  auto kernels = m_gpu->AskJSON("jWavelaneObjects:{\"kind\":\"wave_kernel\"}");
  ASSERT_EQ(kernels.getAsArray()->size(), 1u);
  object = (*kernels.getAsArray())[0].getAsObject();
  EXPECT_EQ(object->getString("kernel"), "saxpy");
  EXPECT_EQ(*object->getArray("threads"), (llvm::json::Array{1, 4}));
  auto names = m_gpu->AskJSON("jWavelaneObjects:{\"kind\":\"wave_name\"}");
  ASSERT_EQ(names.getAsArray()->size(), 1u);
  object = (*names.getAsArray())[0].getAsObject();
  EXPECT_EQ(*object->getArray("threads"), (llvm::json::Array{1, 4}));
  llvm::StringRef lines = *object->getString("names");
  EXPECT_EQ(lines.count('\n'), 4u);
  EXPECT_THAT(lines.str(), EndsWith("\nsaxpy (1,0,0)/1\n"));
  auto agents = m_gpu->AskJSON("jWavelaneObjects:{\"kind\":\"agent\"}");
  EXPECT_EQ((*agents.getAsArray())[0].getAsObject()->getString("architecture"),
            "gfx90a");
}

TEST_F(ServerTest, FailedListsArentEmpty) {
  StartGPU(1);
  // The library doesn't implement these.
  for (llvm::StringRef kind : {"queue", "workgroup"}) {
    const std::string answer = m_gpu->Ask(
        packets::Make(packets::Objects, llvm::json::Object{{"kind", kind}}));
    ASSERT_THAT(answer, StartsWith("E"));
    EXPECT_EQ(llvm::fromHex(llvm::StringRef(answer).split(';').second),
              ("listing " + kind + "s: a status (-3)").str());
  }
}

TEST_F(ServerTest, DetachTakesBreakpointsOut) {
  StartGPU(1);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
  EXPECT_EQ(m_gpu->Ask("D"), "OK");
  EXPECT_EQ(m_host->Ask("m" + Code(4) + ",4"), "000080bf");
}

TEST_F(ServerTest, DetachingAnotherProcessLeavesTheGPUAlone) {
  StartGPU(1);
  EXPECT_THAT(m_host->Ask("D;1"), StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:exception;"));
}

TEST_F(ServerTest, LostClientLetsWavesGo) {
  StartGPU(1);
  EXPECT_EQ(m_gpu->Ask("Z0," + Code(4) + ",4"), "OK");
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:breakpoint;"));
  m_gpu->Close();
  // The server removes the breakpoint when it notices that the client is gone.
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(Patience);
  while (m_host->Ask("m" + Code(4) + ",4") != "000080bf")
    ASSERT_LT(std::chrono::steady_clock::now(), end)
        << "the breakpoint is still in the code";
}

TEST_F(ServerTest, FatalErrorEndsTheGPUOnly) {
  StartGPU(1, ",fatal");
  // The library fails permanently at this register.
  EXPECT_THAT(m_gpu->Ask("p" + Hex(FindRegister("v0")) + ";thread:1;"),
              StartsWith("E"));
  // The client is notified when it continues, not earlier.
  EXPECT_THAT(m_gpu->Ask("m" + Code(0) + ",4"), StartsWith("E"));
  EXPECT_THAT(m_gpu->Ask("vCont;c"), StartsWith("W01;description:"));
  EXPECT_EQ(m_host->Ask("m" + Code(0) + ",4"), "000080bf");
}

TEST_F(ServerTest, ProgramsEndIsTheGPUsEnd) {
  StartGPU(1);
  EXPECT_THAT(m_gpu->Ask("vCont;c"), HasSubstr("reason:exception;"));
  m_gpu->Send("vCont;c");
  EXPECT_TRUE(Runs());
  m_host->Send("k");
  EXPECT_EQ(m_gpu->Receive(), "X09");
  EXPECT_THAT(m_host->Receive(), StartsWith("X09"));
  m_host.reset();
  EXPECT_TRUE(ServerEnds());
}

TEST_F(ServerTest, LostHostClientEndsTheServer) {
  StartGPU(1);
  m_host.reset();
  EXPECT_TRUE(ServerEnds());
}

} // namespace
