//===-- RuntimeNotes.cpp - notes for the device's checks ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostAccesses.h"
#include "Runtime.h"

#include <cstring>
#include <execinfo.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace wavelane::runtime;

/// The bytes of \a Note, and of the return addresses that led here.
template <typename Note>
static std::vector<uint8_t> withCallers(const Note &N) {
  constexpr int Depth = 24;
  void *Callers[Depth];
  const int Count = backtrace(Callers, Depth);
  std::vector<uint8_t> Bytes(sizeof(N) + size_t(Count) * sizeof(void *));
  memcpy(Bytes.data(), &N, sizeof(N));
  memcpy(Bytes.data() + sizeof(N), Callers, size_t(Count) * sizeof(void *));
  return Bytes;
}

/// Sends \a Note with the calls that led here, and waits until it is known.
static void send(Runtime &R, const MemoryNote &Note, bool HasStack = true) {
  std::vector<uint8_t> Bytes(sizeof(Note));
  memcpy(Bytes.data(), &Note, sizeof(Note));
  if (HasStack)
    Bytes = withCallers(Note);
  Message Reply;
  const int Finding = R.Device.request(MessageType::MemoryNote, Bytes.data(),
                                       Bytes.size(), &Reply);
  if (Finding > 0)
    showFinding(unsigned(Finding),
                std::string(Reply.Payload.begin(), Reply.Payload.end()));
}

static MemoryNote note(MemoryNote::What What, const void *Address,
                       uint64_t Size) {
  MemoryNote N = {};
  N.what = What;
  N.address = reinterpret_cast<uint64_t>(Address);
  N.size = Size;
  N.rows = 1;
  return N;
}

static MemoryNote::Kind kindOf(MemoryKind Kind) {
  switch (Kind) {
  case MemoryKind::Device:
    return MemoryNote::Device;
  case MemoryKind::Host:
    return MemoryNote::Host;
  case MemoryKind::Managed:
    return MemoryNote::Managed;
  case MemoryKind::Registered:
    return MemoryNote::Registered;
  case MemoryKind::Internal:
    break;
  }
  return MemoryNote::Internal;
}

static Runtime *Checked = nullptr;
static pid_t CheckedProcess = 0;

static HostWatch &hostWatch() {
  // Never destroyed: destructors of the program use HIP.
  static auto *const Of = new HostWatch;
  return *Of;
}

/// The node of a graph that this thread enqueues, and its queue's ring.
static thread_local uint32_t OfNode = 0;
static thread_local uint64_t RingOfNode = 0;

/// After the program's own destructors.
__attribute__((destructor)) static void noteEnd() {
  if (Checked && CheckedProcess == getpid())
    send(*Checked, note(MemoryNote::Ends, nullptr, 0));
}

void notes::start(Runtime &R) {
  if (!R.Device.isChecked())
    return;
  Checked = &R;
  CheckedProcess = getpid();
  // The device reads code that is only in this process's memory.
  prctl(PR_SET_PTRACER, R.Device.processId(), 0, 0, 0);
  if (R.Device.checksOrder()) {
    const int File = hostWatch().start(R.Memory.fd());
    R.Device.request(MessageType::WatchHost, nullptr, 0, nullptr, File);
    if (File >= 0)
      close(File);
  }
  R.Memory.listen([&R](uint64_t Address, const Allocation &A,
                       Arena::Change What) {
    // Registered memory is known by the host's address.
    if (A.Kind == MemoryKind::Registered)
      return;
    if (What == Arena::Change::Freed)
      hostWatch().remove(Address);
    else if (A.Kind == MemoryKind::Host || A.Kind == MemoryKind::Managed)
      hostWatch().add(Address, A.Size);
    MemoryNote N = note(What == Arena::Change::Freed ? MemoryNote::Freed
                                                     : MemoryNote::Allocated,
                        reinterpret_cast<const void *>(Address), A.Size);
    N.kind = kindOf(A.Kind);
    send(R, N, What != Arena::Change::Present);
  });
}

void notes::registered(Runtime &R, const void *Address, uint64_t Size) {
  if (!R.Device.isChecked())
    return;
  MemoryNote N = note(MemoryNote::Allocated, Address, Size);
  N.kind = MemoryNote::Registered;
  send(R, N);
}

void notes::unregistered(Runtime &R, const void *Address) {
  if (R.Device.isChecked())
    send(R, note(MemoryNote::Freed, Address, 0));
}

void notes::notFreed(Runtime &R, const void *Address, bool Host) {
  if (!R.Device.isChecked())
    return;
  MemoryNote N = note(MemoryNote::NotFreed, Address, 0);
  N.kind = Host ? MemoryNote::Host : MemoryNote::Device;
  send(R, N);
}

void notes::copied(Runtime &R, const void *To, const void *From, uint64_t Size,
                   uint32_t Queue, bool IsDone, uint64_t Rows, uint64_t Pitch,
                   uint64_t FromPitch) {
  // A recording that a debugger keeps has what was copied, too.
  if (!R.Device.isChecked() && !(IsDone && R.Memory.isRecorded()))
    return;
  MemoryNote N =
      note(IsDone ? MemoryNote::Copied : MemoryNote::NotCopied, To, Size);
  N.from = reinterpret_cast<uint64_t>(From);
  N.rows = Rows;
  N.pitch = Pitch;
  N.from_pitch = FromPitch;
  N.queue = Queue && OfNode ? OfNode : Queue;
  send(R, N);
}

void notes::inStream(Runtime &R, MemoryNote::What What, const void *Address,
                     uint32_t Queue) {
  MemoryNote N = note(What, Address, 0);
  N.queue = OfNode ? OfNode : Queue;
  send(R, N);
}

void notes::hostGoesOn() { hostWatch().arm(); }

void *notes::unseen(const void *P) { return hostWatch().unseen(P); }

static void order(Runtime &R, const OrderNote &N) {
  if (N.what == OrderNote::Launched) {
    const std::vector<uint8_t> Bytes = withCallers(N);
    R.Device.request(MessageType::OrderNote, Bytes.data(), Bytes.size());
    return;
  }
  R.Device.request(MessageType::OrderNote, &N, sizeof(N));
}

void notes::ordered(Runtime &R, OrderNote::What What, uint32_t Queue,
                    uint64_t Other) {
  if (!R.Device.isChecked())
    return;
  if (What == OrderNote::Launched)
    hostWatch().arm();
  if (!OfNode)
    return order(R, {What, Queue, Other, 0});
  switch (What) {
  case OrderNote::HostAfterStream:
  case OrderNote::HostAfterAll:
  case OrderNote::HostAfterEvent:
    return; // the runtime waits, not the program
  case OrderNote::Launched:
    return order(R, {What, OfNode, Other, RingOfNode});
  default:
    return order(R, {What, OfNode, Other, 0});
  }
}

/// The number of a stream that a node of a graph has for itself.
static uint32_t nodeQueue(const Queue &Q, size_t Node) {
  // Those of streams are small. If two nodes share one, less is found.
  return uint32_t(1) << 31 | (Q.Id & 0x7ffff) << 12 | uint32_t(Node & 0xfff);
}

notes::Node::Node(Runtime &R, const Queue &Q, unsigned Number,
                  const std::vector<unsigned> &After)
    : IsOuter(!OfNode && R.Device.isChecked()) {
  if (!IsOuter)
    return;
  const uint32_t Mine = nodeQueue(Q, Number);
  order(R, {OrderNote::StreamAfterStream, Mine, Q.Id, 0});
  for (const unsigned Other : After)
    order(R, {OrderNote::StreamAfterStream, Mine, nodeQueue(Q, Other), 0});
  OfNode = Mine;
  RingOfNode = reinterpret_cast<uint64_t>(Q.Block) + Queue::RingAt;
}

notes::Node::~Node() {
  if (IsOuter)
    OfNode = 0;
}

void notes::Node::graphEnds(Runtime &R, const Queue &Q, size_t Count) {
  if (OfNode || !R.Device.isChecked())
    return;
  for (size_t I = 0; I < Count; ++I)
    order(R, {OrderNote::StreamAfterStream, Q.Id, nodeQueue(Q, I), 0});
}

void notes::variable(Runtime &R, const CodeObject::Symbol &S, bool IsConstant) {
  if (!R.Device.isChecked() || !S.Size)
    return;
  MemoryNote N = note(MemoryNote::Variable,
                      reinterpret_cast<const void *>(S.Address), S.Size);
  N.kind = IsConstant ? MemoryNote::Constant : MemoryNote::Device;
  send(R, N, /*HasStack=*/false);
}

void notes::code(Runtime &R, const CodeObject &C, bool IsLoaded) {
  if (!R.Device.isChecked())
    return;
  const CodeNote N = {C.Base, IsLoaded ? C.Size : 0};
  std::vector<uint8_t> Bytes(sizeof(N) + C.Uri.size());
  memcpy(Bytes.data(), &N, sizeof(N));
  memcpy(Bytes.data() + sizeof(N), C.Uri.data(), C.Uri.size());
  R.Device.request(MessageType::CodeNote, Bytes.data(), Bytes.size());
}
