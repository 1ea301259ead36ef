//===-- Connection.cpp - The device of a debugged program -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Connection.h"
#include "../Common/Wire.h"
#include "Objects.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane::simulator;

namespace wavelane::library {

/// No answer of the device takes longer, unless it is dead.
static constexpr time_t AnswerSeconds = 30;

static void closeFd(int &fd) {
  if (fd >= 0)
    ::close(fd);
  fd = -1;
}

Connection::~Connection() {
  for (int *fd : {&socketFd, &inotifyFd, &pipeRead, &pipeWrite, &epollFd})
    closeFd(*fd);
}

bool Connection::create() {
  int pipes[2];
  epollFd = epoll_create1(EPOLL_CLOEXEC);
  if (epollFd < 0 || pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0)
    return false;
  pipeRead = pipes[0], pipeWrite = pipes[1];
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = pipeRead;
  epoll_ctl(epollFd, EPOLL_CTL_ADD, pipeRead, &event);
  return true;
}

bool Connection::watchFor(pid_t of) {
  pid = of;
  std::string error;
  const std::string folder = runtimeDirectory(pid, error);
  if (folder.empty()) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING, error);
    return false;
  }
  socketPath = folder + "/gpu-" + std::to_string(pid) + ".sock";
  inotifyFd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotifyFd >= 0) {
    inotify_add_watch(inotifyFd, folder.c_str(), IN_CREATE | IN_MOVED_TO);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = inotifyFd;
    epoll_ctl(epollFd, EPOLL_CTL_ADD, inotifyFd, &event);
  }
  return true;
}

void Connection::close() { closeFd(socketFd); }

bool Connection::hasHungUp() const {
  char byte;
  return isOpen() && recv(socketFd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

void Connection::notify() {
  const char byte = 0;
  // A full pipe is as good a reason to wake up.
  if (!quiet && pipeWrite >= 0)
    (void)!write(pipeWrite, &byte, 1);
}

void Connection::drain() {
  char bytes[4096];
  for (int fd : {pipeRead, inotifyFd})
    while (fd >= 0 && read(fd, bytes, sizeof(bytes)) > 0)
      ;
}

int Connection::trap(kfd::DebugTrapArguments &arguments, ArrayRef<uint8_t> in,
                     std::vector<uint8_t> *out, bool passNotifier) {
  if (socketFd < 0)
    return -ESRCH;
  arguments.pid = uint32_t(pid);
  std::vector<uint8_t> bytes(sizeof(MessageHeader) + sizeof(arguments) +
                             in.size());
  const MessageHeader header = {MessageType::DebugTrap,
                                uint32_t(sizeof(arguments) + in.size()),
                                ++sequence, 0};
  memcpy(bytes.data(), &header, sizeof(header));
  memcpy(bytes.data() + sizeof(header), &arguments, sizeof(arguments));
  if (!in.empty())
    memcpy(bytes.data() + sizeof(header) + sizeof(arguments), in.data(),
           in.size());
  bool sent;
  if (passNotifier) {
    iovec vector = {bytes.data(), bytes.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &pipeWrite, sizeof(int));
    const ssize_t n = sendmsg(socketFd, &message, MSG_NOSIGNAL);
    sent = n > 0 &&
           sendBytes(socketFd, bytes.data() + n, bytes.size() - size_t(n));
  } else {
    sent = sendBytes(socketFd, bytes.data(), bytes.size());
  }
  Message reply;
  if (!sent || !receiveMessage(socketFd, reply) ||
      reply.Header.type != MessageType::Reply ||
      reply.Header.sequence != sequence) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "the GPU device process of process " + std::to_string(pid) +
                      " is gone");
    // The caller may be going through queues, waves or watchpoints: they are
    // dropped when the client asks for events.
    closeFd(socketFd);
    lost = true;
    notify();
    return -ESRCH;
  }
  if (reply.Payload.size() < sizeof(arguments))
    return reply.Header.result < 0 ? reply.Header.result : -EIO;
  memcpy(&arguments, reply.Payload.data(), sizeof(arguments));
  if (out)
    out->assign(reply.Payload.begin() + sizeof(arguments), reply.Payload.end());
  return reply.Header.result;
}

void Connection::open() {
  if (socketFd >= 0 || socketPath.empty())
    return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socketPath.size() >= sizeof(address.sun_path))
    return;
  memcpy(address.sun_path, socketPath.c_str(), socketPath.size() + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return;
  // Between the device's bind and its listen a connection is refused.
  int result = -1;
  for (int tries = 0; tries < 50; ++tries) {
    result =
        connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address));
    if (result == 0 || errno != ECONNREFUSED)
      break;
    usleep(2000);
  }
  const timeval patience = {AnswerSeconds, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ucred peer;
  socklen_t length = sizeof(peer);
  if (result != 0 ||
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
      peer.uid != getuid()) {
    ::close(fd);
    return;
  }
  const HelloRequest hello = {ProtocolVersion, PeerRole::Debugger,
                              uint32_t(pid), 0};
  Message reply;
  if (!sendMessage(fd, MessageType::Hello, ++sequence, 0, &hello,
                   sizeof(hello)) ||
      !receiveMessage(fd, reply) || reply.Header.result < 0) {
    library().log(
        AMD_DBGAPI_LOG_LEVEL_WARNING,
        "the device at " + socketPath + " refuses a debugger: " +
            strerror(reply.Header.result ? -reply.Header.result : ECONNRESET));
    ::close(fd);
    return;
  }
  socketFd = fd;
  // Replies are taken at once: what else can be read is the end.
  epoll_event event = {};
  event.events = EPOLLRDHUP;
  event.data.fd = fd;
  epoll_ctl(epollFd, EPOLL_CTL_ADD, fd, &event);
}

} // namespace wavelane::library
