//===-- DeviceConnection.cpp - The device of a debugged program -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceConnection.h"
#include "Objects.h"
#include "Simulator/Common/DevicePeer.h"
#include "Simulator/Common/Wire.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane::simulator;

namespace wavelane::library {

/// The device answers faster than this unless it is dead.
static constexpr time_t AnswerSeconds = 30;

static void closeFd(int &Fd) {
  if (Fd >= 0)
    ::close(Fd);
  Fd = -1;
}

Connection::~Connection() {
  for (int *Fd : {&SocketFd, &InotifyFd, &PipeRead, &PipeWrite, &EpollFd})
    closeFd(*Fd);
}

/// \return false if the client wouldn't be woken, which is logged.
static bool watch(int EpollFd, int Fd, uint32_t Events) {
  epoll_event E = {};
  E.events = Events;
  E.data.fd = Fd;
  if (epoll_ctl(EpollFd, EPOLL_CTL_ADD, Fd, &E) == 0)
    return true;
  library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                std::string("epoll_ctl: ") + strerror(errno));
  return false;
}

bool Connection::create() {
  int Pipes[2];
  const char *Call = "epoll_create1";
  EpollFd = epoll_create1(EPOLL_CLOEXEC);
  if (EpollFd >= 0)
    Call = "pipe2";
  if (EpollFd < 0 || pipe2(Pipes, O_CLOEXEC | O_NONBLOCK) != 0) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  std::string(Call) + ": " + strerror(errno));
    return false;
  }
  PipeRead = Pipes[0], PipeWrite = Pipes[1];
  return watch(EpollFd, PipeRead, EPOLLIN);
}

bool Connection::watchFor(pid_t Of) {
  Pid = Of;
  std::string Error;
  const std::string Folder = runtimeDirectory(Pid, Error);
  if (Folder.empty()) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING, Error);
    return false;
  }
  SocketPath = deviceSocket(Folder, Pid);
  InotifyFd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (InotifyFd >= 0) {
    inotify_add_watch(InotifyFd, Folder.c_str(), IN_CREATE | IN_MOVED_TO);
    watch(EpollFd, InotifyFd, EPOLLIN);
  }
  return true;
}

void Connection::close() { closeFd(SocketFd); }

void Connection::closeEnded() {
  Lost = false;
  close();
  if (!SocketPath.empty())
    removeDeadSocket(SocketPath);
}

bool Connection::hasHungUp() const {
  char Byte;
  return isOpen() && recv(SocketFd, &Byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void Connection::notify() {
  const char Byte = 0;
  // If the pipe is full, the client will wake up anyway.
  if (!Quiet && PipeWrite >= 0)
    (void)!write(PipeWrite, &Byte, 1);
}

void Connection::drain() {
  char Bytes[4096];
  for (int Fd : {PipeRead, InotifyFd})
    while (Fd >= 0 && read(Fd, Bytes, sizeof(Bytes)) > 0)
      ;
}

bool Connection::receiveReply(bool Sent, Message &Reply) {
  if (Sent && receiveMessage(SocketFd, Reply) &&
      Reply.Header.type == MessageType::Reply &&
      Reply.Header.sequence == Sequence)
    return true;
  library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                "the GPU device process of process " + std::to_string(Pid) +
                    " is gone");
  // The caller may be iterating over queues, waves or watchpoints: they are
  // dropped when the client asks for events.
  closeFd(SocketFd);
  Lost = true;
  notify();
  return false;
}

int Connection::askOfWaves(uint32_t Type, uint32_t QueueId,
                           ArrayRef<uint32_t> Waves, std::string &Answer) {
  const QueueRequest R = {QueueId, 0};
  std::string Request(reinterpret_cast<const char *>(&R), sizeof(R));
  Request.append(reinterpret_cast<const char *>(Waves.data()),
                 Waves.size() * sizeof(uint32_t));
  return ask(Type, Request, Answer);
}

int Connection::askSaved(uint32_t QueueId, WavesSavedReply &Reply,
                         std::vector<uint32_t> &Waves) {
  std::string Answer;
  const int Result =
      askOfWaves(uint32_t(MessageType::WavesSaved), QueueId, {}, Answer);
  if (Answer.size() < sizeof(Reply))
    return Result < 0 ? Result : -EIO;
  memcpy(&Reply, Answer.data(), sizeof(Reply));
  if (Result < 0)
    return Result;
  Waves.resize(size_t(Result));
  if (Answer.size() != sizeof(Reply) + Waves.size() * sizeof(uint32_t))
    return -EIO;
  if (Result)
    memcpy(Waves.data(), Answer.data() + sizeof(Reply),
           Waves.size() * sizeof(uint32_t));
  return Result;
}

int Connection::markChanged(uint32_t QueueId, ArrayRef<uint32_t> Waves) {
  std::string Answer;
  return askOfWaves(uint32_t(MessageType::WavesChanged), QueueId, Waves,
                    Answer);
}

int Connection::askRegisters(uint32_t QueueId, ArrayRef<uint32_t> Waves) {
  std::string Answer;
  return askOfWaves(uint32_t(MessageType::WavesWanted), QueueId, Waves, Answer);
}

int Connection::askChecks(StringRef Request, std::string &Answer) {
  return ask(uint32_t(MessageType::CheckRequest), Request, Answer);
}

int Connection::askHistory(StringRef Request, std::string &Answer) {
  return ask(uint32_t(MessageType::HistoryRequest), Request, Answer);
}

int Connection::loadCore(StringRef Request, std::string &Answer) {
  return ask(uint32_t(MessageType::LoadCore), Request, Answer);
}

int Connection::transfer(uint64_t Address, uint64_t Size, void *Read,
                         const void *Write) {
  CoreMemoryRequest R = {
      Address, uint32_t(std::min<uint64_t>(Size, CoreMemoryLimit)), !Read};
  std::string Request(reinterpret_cast<const char *>(&R), sizeof(R));
  if (Write)
    Request.append(static_cast<const char *>(Write), R.size);
  std::string Answer;
  const int Result = ask(uint32_t(MessageType::CoreMemory), Request, Answer);
  if (Read && Result > 0) {
    if (Answer.size() != size_t(Result) || Answer.size() > Size)
      return -EIO;
    memcpy(Read, Answer.data(), Answer.size());
  }
  return Result;
}

int Connection::ask(uint32_t Type, StringRef Request, std::string &Answer) {
  if (SocketFd < 0)
    return -ESRCH;
  Message Reply;
  const bool Sent = sendMessage(SocketFd, MessageType(Type), ++Sequence, 0,
                                Request.data(), Request.size());
  if (!receiveReply(Sent, Reply))
    return -ESRCH;
  Answer.assign(Reply.Payload.begin(), Reply.Payload.end());
  return Reply.Header.result;
}

int Connection::trap(kfd::DebugTrapArguments &Arguments, ArrayRef<uint8_t> In,
                     std::vector<uint8_t> *Out, bool PassNotifier) {
  if (SocketFd < 0)
    return -ESRCH;
  Arguments.pid = uint32_t(Pid);
  std::vector<uint8_t> Bytes(sizeof(MessageHeader) + sizeof(Arguments) +
                             In.size());
  const MessageHeader Header = {MessageType::DebugTrap,
                                uint32_t(sizeof(Arguments) + In.size()),
                                ++Sequence, 0};
  memcpy(Bytes.data(), &Header, sizeof(Header));
  memcpy(Bytes.data() + sizeof(Header), &Arguments, sizeof(Arguments));
  if (!In.empty())
    memcpy(Bytes.data() + sizeof(Header) + sizeof(Arguments), In.data(),
           In.size());
  bool Sent;
  if (PassNotifier) {
    iovec Vector = {Bytes.data(), Bytes.size()};
    alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
    msghdr Message = {};
    Message.msg_iov = &Vector;
    Message.msg_iovlen = 1;
    Message.msg_control = Control;
    Message.msg_controllen = sizeof(Control);
    cmsghdr *C = CMSG_FIRSTHDR(&Message);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(C), &PipeWrite, sizeof(int));
    const ssize_t N = sendmsg(SocketFd, &Message, MSG_NOSIGNAL);
    Sent = N > 0 &&
           sendBytes(SocketFd, Bytes.data() + N, Bytes.size() - size_t(N));
  } else {
    Sent = sendBytes(SocketFd, Bytes.data(), Bytes.size());
  }
  Message Reply;
  if (!receiveReply(Sent, Reply))
    return -ESRCH;
  if (Reply.Payload.size() < sizeof(Arguments))
    return Reply.Header.result < 0 ? Reply.Header.result : -EIO;
  memcpy(&Arguments, Reply.Payload.data(), sizeof(Arguments));
  if (Out)
    Out->assign(Reply.Payload.begin() + sizeof(Arguments), Reply.Payload.end());
  return Reply.Header.result;
}

bool Connection::greet(int Fd) {
  const timeval Patience = {AnswerSeconds, 0};
  setsockopt(Fd, SOL_SOCKET, SO_RCVTIMEO, &Patience, sizeof(Patience));
  const HelloRequest Hello = {ProtocolVersion, PeerRole::Debugger,
                              uint32_t(Pid), 0};
  Message Reply;
  if (!sendMessage(Fd, MessageType::Hello, ++Sequence, 0, &Hello,
                   sizeof(Hello)) ||
      !receiveMessage(Fd, Reply) || Reply.Header.result < 0) {
    library().log(
        AMD_DBGAPI_LOG_LEVEL_WARNING,
        "the device " + (SocketPath.empty() ? "" : "at " + SocketPath + " ") +
            "refuses a debugger: " +
            strerror(Reply.Header.result ? -Reply.Header.result : ECONNRESET));
    ::close(Fd);
    return false;
  }
  SocketFd = Fd;
  // Replies are read immediately, so any other readable data is the end.
  watch(EpollFd, Fd, EPOLLRDHUP);
  return true;
}

bool Connection::adopt(int Socket) {
  Pid = getpid();
  return greet(Socket);
}

void Connection::open() {
  if (SocketFd >= 0 || SocketPath.empty())
    return;
  int Fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (Fd < 0)
    return;
  const SocketAddress Address(SocketPath);
  const int Result = connect(Fd, Address.get(), Address.size());
  if (Result != 0 || !isDevicePeer(Fd, SocketPath)) {
    ::close(Fd);
    return;
  }
  greet(Fd);
}

} // namespace wavelane::library
