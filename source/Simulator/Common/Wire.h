//===-- Wire.h - messages on a stream socket --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header-only and free of LLVM: the program's runtime uses it too.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_COMMON_WIRE_H
#define WAVELANE_SIMULATOR_COMMON_WIRE_H

#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "wavelane/Protocol/Peer/LocalPeer.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/auxvec.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace wavelane::simulator {

struct Message {
  MessageHeader Header = {};
  std::vector<uint8_t> Payload;
  int Fd = -1; ///< A descriptor that came with the message; the receiver owns
               ///< it.

  /// Copies the start of the payload into \a Out.
  /// \return false if the payload is too short.
  template <typename T> bool as(T &Out) const {
    if (Payload.size() < sizeof(T))
      return false;
    memcpy(&Out, Payload.data(), sizeof(T));
    return true;
  }
};

/// Sends all bytes, and with the first ones the descriptor \a PassFd unless it
/// is -1. \return false if the peer is gone.
inline bool sendBytes(int Fd, const void *Data, size_t Size, int PassFd = -1) {
  auto *P = const_cast<char *>(static_cast<const char *>(Data));
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  while (Size) {
    iovec Vector = {P, Size};
    msghdr Msg = {};
    Msg.msg_iov = &Vector;
    Msg.msg_iovlen = 1;
    if (PassFd >= 0) {
      Msg.msg_control = Control;
      Msg.msg_controllen = sizeof(Control);
      cmsghdr *C = CMSG_FIRSTHDR(&Msg);
      C->cmsg_level = SOL_SOCKET;
      C->cmsg_type = SCM_RIGHTS;
      C->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(C), &PassFd, sizeof(int));
    }
    ssize_t N = ::sendmsg(Fd, &Msg, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    PassFd = -1;
    P += N;
    Size -= size_t(N);
  }
  return true;
}

inline bool sendMessage(int Fd, MessageType Type, uint32_t Sequence,
                        int32_t Result, const void *Data = nullptr,
                        size_t Size = 0, int PassFd = -1) {
  std::vector<uint8_t> Bytes(sizeof(MessageHeader) + Size);
  MessageHeader Header = {Type, uint32_t(Size), Sequence, Result};
  memcpy(Bytes.data(), &Header, sizeof(Header));
  if (Size)
    memcpy(Bytes.data() + sizeof(Header), Data, Size);
  return sendBytes(Fd, Bytes.data(), Bytes.size(), PassFd);
}

/// Receives up to \a Size bytes, and stores a descriptor that comes with them
/// in \a PassedFd if that isn't null; it closes the one that was there.
/// \return what recvmsg returns.
inline ssize_t receiveSome(int Fd, void *Data, size_t Size, int *PassedFd,
                           int Flags = MSG_CMSG_CLOEXEC) {
  iovec Vector = {Data, Size};
  msghdr Msg = {};
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))];
  Msg.msg_iov = &Vector;
  Msg.msg_iovlen = 1;
  if (PassedFd) {
    Msg.msg_control = Control;
    Msg.msg_controllen = sizeof(Control);
  }
  ssize_t N;
  do
    N = ::recvmsg(Fd, &Msg, Flags);
  while (N < 0 && errno == EINTR);
  if (N <= 0 || !PassedFd)
    return N;
  for (cmsghdr *C = CMSG_FIRSTHDR(&Msg); C; C = CMSG_NXTHDR(&Msg, C))
    if (C->cmsg_level == SOL_SOCKET && C->cmsg_type == SCM_RIGHTS &&
        C->cmsg_len >= CMSG_LEN(sizeof(int))) {
      if (*PassedFd >= 0)
        ::close(*PassedFd);
      memcpy(PassedFd, CMSG_DATA(C), sizeof(int));
    }
  return N;
}

/// Receives exactly \a Size bytes; stores a descriptor that comes with them in
/// \a PassedFd if that isn't null.
inline bool receiveBytes(int Fd, void *Data, size_t Size,
                         int *PassedFd = nullptr) {
  char *P = static_cast<char *>(Data);
  while (Size) {
    const ssize_t N = receiveSome(Fd, P, Size, PassedFd);
    if (N <= 0)
      return false;
    P += N;
    Size -= size_t(N);
  }
  return true;
}

/// \return false at end of stream or for a message that is too large.
inline bool receiveMessage(int Fd, Message &Out) {
  Out.Fd = -1;
  bool Good = receiveBytes(Fd, &Out.Header, sizeof(Out.Header), &Out.Fd) &&
              Out.Header.size <= MaxMessageSize;
  if (Good) {
    Out.Payload.resize(Out.Header.size);
    Good = receiveBytes(Fd, Out.Payload.data(), Out.Payload.size(), &Out.Fd);
  }
  if (!Good && Out.Fd >= 0) {
    ::close(Out.Fd);
    Out.Fd = -1;
  }
  return Good;
}

/// Whether process \a Pid has more rights than who started it, and chose its
/// environment: secure_getenv() of another process.
inline bool isPrivileged(pid_t Pid) {
  std::ifstream In("/proc/" + std::to_string(Pid) + "/auxv", std::ios::binary);
  for (unsigned long Entry[2];
       In.read(reinterpret_cast<char *>(Entry), sizeof(Entry));)
    if (Entry[0] == AT_SECURE)
      return Entry[1] != 0;
  return false;
}

/// A variable of the environment that process \a Pid began with; nullopt if it
/// isn't set, can't be read or isn't to be trusted.
inline std::optional<std::string> programVariable(pid_t Pid,
                                                  const std::string &Name) {
  if (isPrivileged(Pid))
    return std::nullopt;
  std::ifstream In("/proc/" + std::to_string(Pid) + "/environ",
                   std::ios::binary);
  for (std::string Entry; std::getline(In, Entry, '\0');)
    if (Entry.compare(0, Name.size() + 1, Name + "=") == 0)
      return Entry.substr(Name.size() + 1);
  return std::nullopt;
}

/// The folder of the socket of program \a Pid's device:
/// $WAVELANE_RUNTIME_DIR, else wavelane in $XDG_RUNTIME_DIR if that is a folder
/// of the user, else /tmp/wavelane-<uid>, according to the environment that the
/// program began with and its user, so a debugger finds the same folder.
/// Created if missing, unless the variable names it; must be a folder of that
/// user with mode 0700.
/// \return empty with \a Error set.
inline std::string runtimeDirectory(pid_t Pid, std::string &Error) {
  const std::string Program = "/proc/" + std::to_string(Pid);
  struct stat Stat;
  if (lstat(Program.c_str(), &Stat) != 0) {
    Error = Program + ": " + strerror(errno);
    return std::string();
  }
  const uid_t User = Stat.st_uid;
  std::string Folder;
  const auto Own = programVariable(Pid, "WAVELANE_RUNTIME_DIR");
  const bool IsNamed = Own && !Own->empty();
  if (IsNamed)
    Folder = *Own;
  else if (auto Xdg = programVariable(Pid, "XDG_RUNTIME_DIR");
           Xdg && stat(Xdg->c_str(), &Stat) == 0 && S_ISDIR(Stat.st_mode) &&
           Stat.st_uid == User)
    Folder = *Xdg + "/wavelane";
  else
    Folder = "/tmp/wavelane-" + std::to_string(User);
  if (!IsNamed && mkdir(Folder.c_str(), 0700) != 0 && errno != EEXIST) {
    Error = "cannot make " + Folder + ": " + strerror(errno);
    return std::string();
  }
  if (lstat(Folder.c_str(), &Stat) != 0) {
    Error = Folder + ": " + strerror(errno);
    return std::string();
  }
  if (!protocol::IsPrivateFolder(Stat, User)) {
    Error = Folder + " is not a private folder (mode 0700) of user " +
            std::to_string(User);
    return std::string();
  }
  return Folder;
}

/// The socket of program \a Pid's device; \a Folder is its runtimeDirectory().
inline std::string deviceSocket(const std::string &Folder, pid_t Pid) {
  return Folder + "/gpu-" + std::to_string(Pid) + ".sock";
}

/// The lock that a debugger of program \a Pid holds on the folder of its
/// socket, from when it attaches until the program has a device. Bytes of the
/// folder stand for processes; the lock ends with the debugger and leaves no
/// file.
inline struct flock debuggerLock(pid_t Pid, short Type) {
  struct flock Lock = {};
  Lock.l_type = Type;
  Lock.l_whence = SEEK_SET;
  Lock.l_start = Pid;
  Lock.l_len = 1;
  return Lock;
}

/// The address of the local socket at an absolute path, for bind or connect.
/// An address holds 107 characters; a longer path is reached through its
/// folder, which is open as long as this object lives.
class SocketAddress {
public:
  explicit SocketAddress(const std::string &Path) {
    Address.sun_family = AF_UNIX;
    std::string Name = Path;
    if (Path.size() >= sizeof(Address.sun_path)) {
      const size_t Slash = Path.rfind('/');
      FolderFd =
          open(Path.substr(0, Slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      Name = "/proc/self/fd/" + std::to_string(FolderFd) + Path.substr(Slash);
    }
    strncpy(Address.sun_path, Name.c_str(), sizeof(Address.sun_path) - 1);
  }
  SocketAddress(const SocketAddress &) = delete;
  SocketAddress &operator=(const SocketAddress &) = delete;
  ~SocketAddress() {
    if (FolderFd >= 0)
      close(FolderFd);
  }

  const sockaddr *get() const {
    return reinterpret_cast<const sockaddr *>(&Address);
  }
  static constexpr socklen_t size() { return sizeof(sockaddr_un); }

private:
  sockaddr_un Address = {};
  int FolderFd = -1;
};

/// Removes the socket of a device that was killed. Its program does it when
/// it notices, but may be killed, too.
/// \param Patience  Milliseconds for a device that is just being killed.
inline void removeDeadSocket(const std::string &Path, int Patience = 500) {
  const SocketAddress Address(Path);
  const int Fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (Fd < 0)
    return;
  bool Refused = connect(Fd, Address.get(), Address.size()) != 0;
  // A dying process closes its descriptors one by one.
  pollfd Poller = {Fd, POLLRDHUP, 0};
  if (!Refused)
    Refused = poll(&Poller, 1, Patience) > 0;
  else
    Refused = errno == ECONNREFUSED;
  if (Refused)
    unlink(Path.c_str());
  close(Fd);
}

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_COMMON_WIRE_H
