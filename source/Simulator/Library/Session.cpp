//===-- Session.cpp - Reaching a process: its device, or its core ---------===//

#include "../Common/Wire.h"
#include "Process.h"
#include <algorithm>
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

namespace wavelane::embedded {

namespace {

constexpr Status Restricted = AMD_DBGAPI_STATUS_ERROR_RESTRICTION;

constexpr uint64_t QueueNewMask = kfd::exceptionMask(kfd::QueueNew);
constexpr uint64_t RuntimeMask = kfd::exceptionMask(kfd::ProcessRuntime);
/// Wave exceptions, new queues, the runtime.
constexpr uint64_t Enabled = 0x3f | QueueNewMask | RuntimeMask;

// Capabilities that debugging needs.
constexpr uint32_t DebugSupported = 1u << 15, FirmwareSupported = 1u << 29;
/// r_debug versions whose trap handler this library knows.
constexpr uint32_t OldestRDebug = 8, NewestRDebug = 10;
/// No answer of the device takes longer, unless it is dead.
constexpr time_t AnswerSeconds = 30;
constexpr size_t MaxUri = 64 * 1024;

void closeFd(int &fd) {
  if (fd >= 0)
    close(fd);
  fd = -1;
}

void drain(int fd) {
  char bytes[4096];
  while (read(fd, bytes, sizeof(bytes)) > 0)
    ;
}

} // namespace

Process::~Process() {
  closeFd(memoryFd);
  closeFd(socketFd);
  closeFd(inotifyFd);
  closeFd(pipeRead);
  closeFd(pipeWrite);
  closeFd(epollFd);
}

void Process::notify() {
  const char byte = 0;
  // A full pipe is as good a reason to wake up.
  if (pipeWrite >= 0)
    (void)!write(pipeWrite, &byte, 1);
}

//===-- The device's socket -----------------------------------------------===//

int Process::trap(kfd::DebugTrapArguments &arguments, ArrayRef<uint8_t> in,
                  std::vector<uint8_t> *out, int passFd) {
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
  if (passFd >= 0) {
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
    memcpy(CMSG_DATA(c), &passFd, sizeof(int));
    const ssize_t n = sendmsg(socketFd, &message, MSG_NOSIGNAL);
    sent = n > 0 && sendBytes(socketFd, bytes.data() + n, bytes.size() - size_t(n));
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
    // Whoever asked may be going through queues, waves or watchpoints: pump
    // lets them go.
    closeFd(socketFd);
    deviceLost = true;
    if (!pumping)
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

/// The device has gone, by itself or with its program.
void Process::deviceEnded() {
  deviceLost = false;
  closeFd(socketFd);
  unloadRuntime();
}

void Process::openDevice() {
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
    result = connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address));
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
    close(fd);
    return;
  }
  const HelloRequest hello = {ProtocolVersion, PeerRole::Debugger,
                              uint32_t(pid), 0};
  Message reply;
  if (!sendMessage(fd, MessageType::Hello, ++sequence, 0, &hello,
                   sizeof(hello)) ||
      !receiveMessage(fd, reply) || reply.Header.result < 0) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "the device at " + socketPath + " refuses a debugger: " +
                      strerror(reply.Header.result ? -reply.Header.result
                                                   : ECONNRESET));
    close(fd);
    return;
  }
  socketFd = fd;
  // Replies are taken at once: what else can be read is the end.
  epoll_event event = {};
  event.events = EPOLLRDHUP;
  event.data.fd = fd;
  epoll_ctl(epollFd, EPOLL_CTL_ADD, fd, &event);
}

Status Process::enableDebug() {
  kfd::DebugTrapArguments a = {};
  a.op = kfd::Enable;
  a.enable.exception_mask = Enabled;
  a.enable.rinfo_size = sizeof(runtime);
  std::vector<uint8_t> out;
  const int result = trap(a, {}, &out, pipeWrite);
  if (result < 0) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  std::string("enabling debugging: ") + strerror(-result));
    closeFd(socketFd);
    return result == -ESRCH ? Success : Restricted;
  }
  memcpy(&runtime, out.data(), std::min(out.size(), sizeof(runtime)));
  if (flags) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetFlags;
    a.set_flags.flags = flags;
    trap(a, {}, nullptr);
  }
  if (Status status = loadAgents())
    return status;
  if (runtime.runtime_state != kfd::RuntimeDisabled)
    return loadRuntime();
  return Success;
}

//===-- Attach and detach -------------------------------------------------===//

Status Process::attach() {
  amd_dbgapi_os_process_id_t osPid = 0;
  const Status status = library().callbacks.client_process_get_info(
      client, AMD_DBGAPI_CLIENT_PROCESS_INFO_OS_PID, sizeof(osPid), &osPid);
  int pipes[2];
  epollFd = epoll_create1(EPOLL_CLOEXEC);
  if (epollFd < 0 || pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0)
    return Fatal;
  pipeRead = pipes[0], pipeWrite = pipes[1];
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = pipeRead;
  epoll_ctl(epollFd, EPOLL_CTL_ADD, pipeRead, &event);

  if (status == AMD_DBGAPI_STATUS_ERROR_NOT_AVAILABLE)
    return attachCore();
  if (status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED) {
    exited = true;
    return Success;
  }
  if (status != Success)
    return AMD_DBGAPI_STATUS_ERROR_CLIENT_CALLBACK;
  pid = osPid;
  const std::string memory = "/proc/" + std::to_string(pid) + "/mem";
  memoryFd = open(memory.c_str(), O_RDWR | O_CLOEXEC);

  std::string error;
  const std::string folder = runtimeDirectory(error);
  if (folder.empty()) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING, error);
    return Success;
  }
  socketPath = folder + "/gpu-" + std::to_string(pid) + ".sock";
  inotifyFd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (inotifyFd >= 0) {
    inotify_add_watch(inotifyFd, folder.c_str(), IN_CREATE | IN_MOVED_TO);
    event.data.fd = inotifyFd;
    epoll_ctl(epollFd, EPOLL_CTL_ADD, inotifyFd, &event);
  }
  openDevice();
  return socketFd >= 0 ? enableDebug() : Success;
}

void Process::detach() {
  if (core || exited)
    return;
  frozen = false;
  pumping = true; // nobody hears of events any more
  // Before any wave runs on: the program may get there at once.
  if (breakpoint) {
    library().callbacks.remove_breakpoint(client, {breakpoint});
    breakpoint = 0;
  }
  if (socketFd >= 0 && runtimeUp) {
    setProgress(AMD_DBGAPI_PROGRESS_NO_FORWARD);
    if (suspend() == Success) {
      std::vector<uint64_t> ids;
      for (auto &entry : watchpoints)
        ids.push_back(entry.first);
      for (uint64_t id : ids)
        removeWatchpoint(id);
      setWaveCreation(AMD_DBGAPI_WAVE_CREATION_NORMAL);
      for (auto &entry : waves) {
        Wave &wave = *entry.second;
        if (wave.displaced && wave.displaced->buffer &&
            wave.state == AMD_DBGAPI_WAVE_STATE_STOP) {
          const uint64_t at = pc(wave);
          const DisplacedStep &step = *wave.displaced;
          if (at >= step.buffer && at < step.buffer + 32)
            setPC(wave, step.from + (at - step.buffer));
        }
        if (wave.state == AMD_DBGAPI_WAVE_STATE_STOP || wave.hidden)
          unhaltWave(wave, false);
        // The ids are this library's; the next debugger gives its own.
        setTtmp(wave, 4, 0);
        setTtmp(wave, 5, 0);
      }
    }
    progress = AMD_DBGAPI_PROGRESS_NORMAL;
    resume();
  }
  if (socketFd >= 0) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::Disable;
    trap(a, {}, nullptr);
    closeFd(socketFd);
  }
}

//===-- Cores -------------------------------------------------------------===//

Status Process::attachCore() {
  core = true;
  amd_dbgapi_core_state_data_t data = {};
  const Status status = library().callbacks.client_process_get_info(
      client, AMD_DBGAPI_CLIENT_PROCESS_INFO_CORE_STATE, sizeof(data), &data);
  if (status != Success)
    return AMD_DBGAPI_STATUS_ERROR_INVALID_CLIENT_PROCESS_ID;
  const uint8_t *bytes = static_cast<const uint8_t *>(data.data);
  std::vector<uint8_t> note;
  if (bytes)
    note.assign(bytes, bytes + data.size);
  library().callbacks.deallocate_memory(const_cast<void *>(data.data));
  if (data.endianness != AMD_DBGAPI_ENDIAN_LITTLE)
    return Fatal;

  size_t at = 0;
  bool good = true;
  auto take = [&](void *to, size_t size, size_t stored) {
    if (stored > note.size() - at) {
      good = false;
      return;
    }
    const size_t known = std::min(size, stored);
    memset(to, 0, size);
    memcpy(to, note.data() + at, known);
    at += stored;
  };
  auto bad = [&](const char *what) {
    library().log(AMD_DBGAPI_LOG_LEVEL_FATAL_ERROR,
                  std::string("damaged GPU core state: ") + what);
    return Fatal;
  };
  uint64_t version = 0, runtimeSize = 0;
  uint32_t driver[2] = {}, agentCount[2] = {}, queueCount[2] = {};
  take(&version, 8, 8);
  if (!good)
    return bad("the note is too short");
  if (version != 1) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU core state of version " + std::to_string(version) +
                      ", 1 is known: no GPU state");
    return Success;
  }
  take(driver, 8, 8);
  take(&runtimeSize, 8, 8);
  take(agentCount, 8, 8);
  take(queueCount, 8, 8);
  if (!good)
    return bad("the note is too short");
  if (driver[0] != 1 || driver[1] < 13) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "GPU driver interface " + std::to_string(driver[0]) + "." +
                      std::to_string(driver[1]) + ", 1.13 or later is needed");
    return Restricted;
  }
  if (runtimeSize % 8 || agentCount[1] % 8 || queueCount[1] % 8)
    return bad("an entry's size is not a multiple of 8");
  const uint64_t need = runtimeSize + uint64_t(agentCount[0]) * agentCount[1] +
                        uint64_t(queueCount[0]) * queueCount[1];
  if (runtimeSize > note.size() || need != note.size() - at)
    return bad("the note's size is not that of its entries");
  take(&runtime, sizeof(runtime), runtimeSize);
  for (uint32_t i = 0; i < agentCount[0]; ++i) {
    kfd::DeviceSnapshotEntry entry;
    take(&entry, sizeof(entry), agentCount[1]);
    addAgent(entry);
  }
  std::vector<kfd::QueueSnapshotEntry> entries(queueCount[0]);
  for (kfd::QueueSnapshotEntry &entry : entries)
    take(&entry, sizeof(entry), queueCount[1]);
  if (runtime.runtime_state == kfd::RuntimeDisabled)
    return Success;
  if (Status status = loadRuntime())
    return status;
  if (!runtimeUp)
    return Success;
  for (const kfd::QueueSnapshotEntry &entry : entries) {
    Agent *agent = nullptr;
    for (auto &candidate : agents)
      if (candidate.second->entry.gpu_id == entry.gpu_id)
        agent = candidate.second.get();
    if (!agent)
      return bad("a queue names an agent that is not there");
    if (!agent->supported)
      continue;
    auto queue = std::make_unique<Queue>();
    queue->id = library().newId(Library::QueueId);
    queue->agent = agent;
    queue->entry = entry;
    Queue &made = *queue;
    queues[made.id] = std::move(queue);
    if (made.isCompute())
      if (updateQueue(made) != Success)
        return Fatal;
  }
  return Success;
}

//===-- Runtime, agents, queues, code objects -----------------------------===//

void Process::addAgent(const kfd::DeviceSnapshotEntry &entry) {
  auto agent = std::make_unique<Agent>();
  agent->id = library().newId(Library::AgentId);
  agent->entry = entry;
  if (const savearea::Architecture *arch =
          savearea::findByTargetVersion(entry.gfx_target_version)) {
    agent->known = true;
    agent->archIndex = unsigned(arch - savearea::architectures().data());
  }
  agent->supported = agent->known && entry.capability & DebugSupported &&
                     entry.capability & FirmwareSupported;
  agents[agent->id] = std::move(agent);
  listChanged[AgentList] = true;
}

Status Process::loadAgents() {
  uint32_t count = 16;
  std::vector<uint8_t> out;
  for (;;) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::GetDeviceSnapshot;
    a.device_snapshot.num_devices = count;
    a.device_snapshot.entry_size = sizeof(kfd::DeviceSnapshotEntry);
    if (trap(a, {}, &out) < 0)
      return socketFd < 0 ? Success : Fatal;
    if (a.device_snapshot.num_devices <= count)
      break;
    count = a.device_snapshot.num_devices;
  }
  agents.clear();
  for (size_t at = 0; at + sizeof(kfd::DeviceSnapshotEntry) <= out.size();
       at += sizeof(kfd::DeviceSnapshotEntry)) {
    kfd::DeviceSnapshotEntry entry;
    memcpy(&entry, out.data() + at, sizeof(entry));
    addAgent(entry);
  }
  return Success;
}

Status Process::loadQueues() {
  uint32_t count = 64;
  std::vector<uint8_t> out;
  for (;;) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::GetQueueSnapshot;
    a.queue_snapshot.exception_mask = QueueNewMask;
    a.queue_snapshot.num_queues = count;
    a.queue_snapshot.entry_size = sizeof(kfd::QueueSnapshotEntry);
    if (trap(a, {}, &out) < 0)
      return socketFd < 0 ? Success : Fatal;
    if (a.queue_snapshot.num_queues <= count)
      break;
    count = a.queue_snapshot.num_queues + 16;
  }
  std::vector<kfd::QueueSnapshotEntry> entries(
      out.size() / sizeof(kfd::QueueSnapshotEntry));
  if (!entries.empty())
    memcpy(entries.data(), out.data(),
           entries.size() * sizeof(kfd::QueueSnapshotEntry));
  std::vector<uint64_t> gone;
  for (auto &known : queues) {
    const bool there = std::any_of(
        entries.begin(), entries.end(), [&](const kfd::QueueSnapshotEntry &e) {
          // A number used again is another queue.
          return e.queue_id == known.second->entry.queue_id &&
                 e.gpu_id == known.second->entry.gpu_id &&
                 !(e.exception_status & QueueNewMask);
        });
    if (!there)
      gone.push_back(known.first);
  }
  for (uint64_t queue : gone)
    removeQueue(queue);
  for (const kfd::QueueSnapshotEntry &entry : entries) {
    const bool known = std::any_of(queues.begin(), queues.end(), [&](auto &q) {
      return q.second->entry.queue_id == entry.queue_id &&
             q.second->entry.gpu_id == entry.gpu_id;
    });
    Agent *agent = nullptr;
    for (auto &candidate : agents)
      if (candidate.second->entry.gpu_id == entry.gpu_id)
        agent = candidate.second.get();
    if (known || !agent || !agent->supported)
      continue;
    auto queue = std::make_unique<Queue>();
    queue->id = library().newId(Library::QueueId);
    queue->agent = agent;
    queue->entry = entry;
    queues[queue->id] = std::move(queue);
    listChanged[QueueList] = true;
  }
  return Success;
}

Status Process::loadRuntime() {
  auto report = [&](amd_dbgapi_runtime_state_t state) {
    post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime = state;
    runtimeWaits = true;
  };
  if (runtime.runtime_state != kfd::RuntimeEnabled) {
    report(AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION);
    return Success;
  }
  if (!core) { // the program may have another memory since an exec
    closeFd(memoryFd);
    const std::string memory = "/proc/" + std::to_string(pid) + "/mem";
    memoryFd = open(memory.c_str(), O_RDWR | O_CLOEXEC);
  }
  int32_t version = 0;
  uint64_t address = 0;
  if (Status status = readAll(runtime.r_debug, &version, sizeof(version)))
    return core ? Fatal : status;
  if (Status status = readAll(runtime.r_debug + 16, &address, 8))
    return core ? Fatal : status;
  rdebugVersion = uint32_t(version);
  if (version < int32_t(OldestRDebug) || version > int32_t(NewestRDebug)) {
    library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                  "r_debug version " + std::to_string(version) + ", " +
                      std::to_string(OldestRDebug) + " to " +
                      std::to_string(NewestRDebug) + " are known");
    report(AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION);
    return Success;
  }
  if (!core) {
    const uint64_t id = library().newId(Library::BreakpointId);
    if (library().callbacks.insert_breakpoint(client, address, {id}) !=
        Success) {
      library().log(AMD_DBGAPI_LOG_LEVEL_WARNING,
                    "the client cannot put a breakpoint on the runtime's "
                    "code-object hook");
      report(AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION);
      return Success;
    }
    breakpoint = id;
  }
  runtimeUp = true;
  report(AMD_DBGAPI_RUNTIME_STATE_LOADED_SUCCESS);
  bool consistent;
  if (Status status = readCodeObjects(consistent))
    return status;
  if (core)
    return Success;
  if (creation == AMD_DBGAPI_WAVE_CREATION_STOP) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::SetWaveLaunchMode;
    a.launch_mode.launch_mode = kfd::LaunchHalt;
    trap(a, {}, nullptr);
  }
  if (Status status = loadQueues())
    return status;
  // Waves that already are stopped say so.
  if (!queues.empty()) {
    const bool was = pumping;
    pumping = false; // their events need a wake-up of their own
    { Suspended scope(*this); }
    pumping = was;
  }
  return Success;
}

void Process::unloadRuntime() {
  const bool was = runtimeUp;
  runtimeUp = false;
  runtimeWaits = false;
  runtime = {};
  std::vector<uint64_t> gone;
  for (auto &entry : queues)
    gone.push_back(entry.first);
  for (uint64_t queue : gone)
    removeQueue(queue);
  if (!codeObjects.empty())
    listChanged[CodeObjectList] = true;
  codeObjects.clear();
  watchpoints.clear();
  if (!was)
    return;
  if (breakpoint) {
    library().callbacks.remove_breakpoint(client, {breakpoint});
    breakpoint = 0;
  }
  post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime =
      AMD_DBGAPI_RUNTIME_STATE_UNLOADED;
}

Status Process::readCodeObjects(bool &consistent) {
  consistent = false;
  int32_t state = 0;
  uint64_t link = 0;
  if (Status status = readAll(runtime.r_debug + 24, &state, sizeof(state)))
    return core ? Fatal : status;
  if (state != 0)
    return Success;
  consistent = true;
  if (Status status = readAll(runtime.r_debug + 8, &link, sizeof(link)))
    return core ? Fatal : status;
  const uint64_t mark = ++epoch;
  // A list that leads into itself must end somewhere.
  for (unsigned count = 0; link && count < 65536; ++count) {
    uint64_t map[4];
    if (Status status = readAll(link, map, sizeof(map)))
      return core ? Fatal : status;
    std::string uri;
    uint64_t at = map[1];
    for (bool more = true; more && uri.size() < MaxUri;) {
      char bytes[64];
      // Up to the next multiple, so that no page is touched in vain.
      uint64_t size = sizeof(bytes) - at % sizeof(bytes);
      if (Status status = transfer(at, size, bytes, nullptr)) {
        if (status != AMD_DBGAPI_STATUS_ERROR_MEMORY_ACCESS)
          return status;
        break;
      }
      const size_t length = strnlen(bytes, size);
      uri.append(bytes, length);
      more = length == size;
      at += size;
    }
    CodeObject *found = nullptr;
    for (auto &entry : codeObjects)
      if (entry.second->bias == int64_t(map[0]) && entry.second->uri == uri)
        found = entry.second.get();
    if (!found) {
      auto object = std::make_unique<CodeObject>();
      object->id = library().newId(Library::CodeObjectId);
      object->bias = int64_t(map[0]);
      object->uri = uri;
      found = object.get();
      codeObjects[object->id] = std::move(object);
      listChanged[CodeObjectList] = true;
    }
    found->mark = mark;
    link = map[3];
  }
  for (auto it = codeObjects.begin(); it != codeObjects.end();)
    if (it->second->mark != mark) {
      it = codeObjects.erase(it);
      listChanged[CodeObjectList] = true;
    } else {
      ++it;
    }
  return Success;
}

Status Process::breakpointHit(amd_dbgapi_client_thread_id_t thread,
                              amd_dbgapi_breakpoint_action_t &action) {
  action = AMD_DBGAPI_BREAKPOINT_ACTION_RESUME;
  if (!runtimeUp)
    return Success;
  bool consistent = false;
  if (Status status = readCodeObjects(consistent))
    return status;
  if (!consistent) // the list is being changed: it is hit again afterwards
    return Success;
  Event &event = post(AMD_DBGAPI_EVENT_KIND_CODE_OBJECT_LIST_UPDATED);
  event.breakpoint.handle = breakpoint;
  event.thread = thread;
  action = AMD_DBGAPI_BREAKPOINT_ACTION_HALT;
  return Success;
}

//===-- What has happened -------------------------------------------------===//

Status Process::pump() {
  drain(pipeRead);
  if (inotifyFd >= 0)
    drain(inotifyFd);
  pumping = true;
  Status status = Success;
  if (deviceLost)
    deviceEnded();
  if (socketFd >= 0) {
    char byte;
    if (recv(socketFd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
      deviceEnded();
  }
  if (socketFd < 0) {
    openDevice();
    if (socketFd >= 0) {
      status = enableDebug();
      if (status == Restricted) {
        post(AMD_DBGAPI_EVENT_KIND_RUNTIME).runtime =
            AMD_DBGAPI_RUNTIME_STATE_LOADED_ERROR_RESTRICTION;
        status = Success;
      }
    }
  }
  bool look = false;
  while (!status && socketFd >= 0) {
    kfd::DebugTrapArguments a = {};
    a.op = kfd::QueryDebugEvent;
    // New queues and the runtime are cleared by asking for them.
    a.query_debug_event.exception_mask = ~(QueueNewMask | RuntimeMask);
    const int result = trap(a, {}, nullptr);
    if (result == -EAGAIN || socketFd < 0)
      break;
    if (result < 0) {
      status = Fatal;
      break;
    }
    const uint64_t mask = a.query_debug_event.exception_mask;
    if (mask & RuntimeMask && !a.query_debug_event.queue_id) {
      kfd::DebugTrapArguments q = {};
      q.op = kfd::QueryExceptionInfo;
      q.query_exception_info.info_size = sizeof(runtime);
      q.query_exception_info.exception_code = kfd::ProcessRuntime;
      q.query_exception_info.clear_exception = 1;
      std::vector<uint8_t> out;
      if (trap(q, {}, &out) < 0) {
        status = socketFd < 0 ? Success : Fatal;
        break;
      }
      kfd::RuntimeInfo info = {};
      memcpy(&info, out.data(), std::min(out.size(), sizeof(info)));
      if (info.runtime_state == kfd::RuntimeDisabled) {
        unloadRuntime();
        // The program waits to be let go here as well.
        runtimeWaits = true;
      } else {
        if (runtimeUp)
          unloadRuntime();
        runtime = info;
        status = loadRuntime();
      }
    } else if (mask & QueueNewMask) {
      status = loadQueues();
      look = true;
    } else {
      look = true;
    }
  }
  if (!status && look) {
    Suspended scope(*this);
    status = scope.status;
  }
  if (deviceLost)
    deviceEnded();
  pumping = false;
  return status == AMD_DBGAPI_STATUS_ERROR_PROCESS_EXITED ? Success : status;
}

} // namespace wavelane::embedded
