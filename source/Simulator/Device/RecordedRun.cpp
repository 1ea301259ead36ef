//===-- RecordedRun.cpp - keeps a run in a file ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedRun.h"

#include "wavelane/Formats/Files/OutputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::simulator;
using namespace llvm;

/// Where the file's own memory may be: below is where programs and GPUs map.
static constexpr uint64_t FirstOfFile = 0x500000000000, FileStep = 1ull << 40;

static Error failErrno(const std::string &What) {
  return createStringError(inconvertibleErrorCode(),
                           What + ": " + strerror(errno));
}

/// "file:///a%20b#offset=1&size=2" or "memory://PID#offset=1&size=2".
namespace {
struct Place {
  bool InMemory = false;
  std::string File;
  uint64_t Offset = 0, Size = 0;
};
} // namespace

static std::optional<Place> parseUri(StringRef Uri) {
  Place P;
  auto [Name, Range] = Uri.split(Uri.contains('#') ? '#' : '?');
  P.InMemory = Name.consume_front("memory://");
  if (!P.InMemory && !Name.consume_front("file://"))
    return std::nullopt;
  for (size_t I = 0; I < Name.size(); ++I) {
    unsigned Code;
    if (Name[I] == '%' && !Name.substr(I + 1, 2).getAsInteger(16, Code)) {
      P.File += char(Code);
      I += 2;
    } else {
      P.File += Name[I];
    }
  }
  while (!Range.empty()) {
    auto [Part, Rest] = Range.split('&');
    Range = Rest;
    if (Part.consume_front("offset="))
      (void)Part.getAsInteger(0, P.Offset);
    else if (Part.consume_front("size="))
      (void)Part.getAsInteger(0, P.Size);
  }
  return P;
}

/// No code object is larger.
static constexpr uint64_t LargestObject = uint64_t(1) << 32;

void RecordedRun::noteCode() {
  for (const auto &[Base, Uri] : Code.update(Runtime.Info.r_debug)) {
    Object O = {Base, Uri, {}};
    // The program may free its copy.
    const std::optional<Place> P = parseUri(Uri);
    if (P && P->InMemory && P->Size && P->Size <= LargestObject) {
      O.Bytes.resize(P->Size);
      if (!Read(P->Offset, O.Bytes.data(), O.Bytes.size()))
        O.Bytes.clear();
    }
    if (P)
      Objects.push_back(std::move(O));
  }
  int32_t Version;
  if (Read(Runtime.Info.r_debug, &Version, sizeof(Version)))
    ListVersion = uint32_t(Version);
}

bool RecordedRun::readObject(const Object &O, std::vector<uint8_t> &Out) const {
  if (!O.Bytes.empty()) {
    Out = O.Bytes;
    return true;
  }
  const std::optional<Place> P = parseUri(O.Uri);
  if (!P || P->InMemory)
    return false;
  const int Fd = ::open(P->File.c_str(), O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return false;
  const off_t End = lseek(Fd, 0, SEEK_END);
  const uint64_t Size =
      P->Size ? P->Size : uint64_t(std::max<off_t>(End, 0)) - P->Offset;
  bool Good = End >= 0 && P->Offset <= uint64_t(End) &&
              Size <= uint64_t(End) - P->Offset && Size <= LargestObject;
  if (Good) {
    Out.resize(Size);
    Good = pread(Fd, Out.data(), Size, off_t(P->Offset)) == ssize_t(Size);
  }
  close(Fd);
  return Good;
}

//===----------------------------------------------------------------------===//
// What the file has
//===----------------------------------------------------------------------===//

void RecordedRun::retire(std::unique_ptr<Queue> Q) {
  RetiredQueue R;
  if (const uint8_t *From =
          Memory.get(Q->AmdQueue, AmdQueueSize, isa::Access::Read))
    R.AmdQueue.assign(From, From + AmdQueueSize);
  R.Q = std::move(Q);
  Retired.push_back(std::move(R));
}

Error RecordedRun::goToEnd() {
  for (auto &Entry : TheQueues)
    allow(*Entry.second);
  for (RetiredQueue &R : Retired) {
    const uint32_t Id = R.Q->Id;
    if (TheQueues.count(Id))
      continue;
    allow(*R.Q);
    if (uint8_t *To =
            R.AmdQueue.empty()
                ? nullptr
                : Memory.get(R.Q->AmdQueue, AmdQueueSize, isa::Access::Read))
      memcpy(To, R.AmdQueue.data(), R.AmdQueue.size());
    TheQueues[Id] = std::move(R.Q);
  }
  // What kernels have used, and the program has freed since.
  TheHistory.forEachSpan([&](const isa::MemorySpan &S) {
    Memory.allow(S.Begin, S.End - S.Begin, isa::Access::Atomic);
  });
  TheHistory.forEachCode([&](const isa::MemorySpan &S) {
    Memory.allow(S.Begin, S.End - S.Begin, isa::Access::Execute);
  });
  if (Error E = TheHistory.goToEnd())
    return E;
  // The packet of the waves hasn't been consumed.
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    auto *Read = Memory.object<uint64_t>(Q.ReadIndex, isa::Access::Read);
    auto *Write = Memory.object<uint64_t>(Q.WriteIndex, isa::Access::Read);
    if (!Q.Current || Q.Kind != QueueKind::Aql || !Read || !Write)
      continue;
    *Read = Q.Current->PacketId;
    *Write = std::max(*Write, Q.Current->PacketId + 1);
  }
  return Error::success();
}

void RecordedRun::allow(const Queue &Q) {
  const isa::Access All = isa::Access::Atomic;
  Memory.allow(Q.SaveArea, Q.saveAreaBytes(), All);
  Memory.allow(Q.Ring, Q.RingSize, All);
  Memory.allow(Q.AmdQueue, AmdQueueSize, All);
}

std::vector<RecordedRun::Segment> RecordedRun::collect() {
  std::vector<Segment> All;
  auto Add = [&](uint64_t Begin, uint64_t End, const uint8_t *Host) {
    if (Begin < End && Host)
      All.push_back({Begin, End - Begin, Host});
  };
  Memory.forEachRange([&](uint64_t Begin, uint64_t End, const uint8_t *Host) {
    Add(Begin, End, Host);
  });
  TheHistory.forEachSpan(
      [&](const isa::MemorySpan &S) { Add(S.Begin, S.End, S.Host); });
  for (auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    for (auto [At, Size] : {std::pair(Q.SaveArea, Q.saveAreaBytes()),
                            std::pair(Q.Ring, Q.RingSize),
                            std::pair(Q.AmdQueue, uint64_t(AmdQueueSize))})
      if (At)
        if (const uint8_t *Host = Memory.get(At, Size, isa::Access::Read))
          Add(At, At + Size, Host);
  }
  // Each address once.
  llvm::sort(All, [](const Segment &A, const Segment &B) {
    return std::tie(A.Address, B.Size) < std::tie(B.Address, A.Size);
  });
  std::vector<Segment> Distinct;
  for (Segment S : All) {
    const uint64_t End =
        Distinct.empty() ? 0 : Distinct.back().Address + Distinct.back().Size;
    if (S.Address < End) {
      const uint64_t Known = std::min(End - S.Address, S.Size);
      S.Address += Known, S.Host += Known, S.Size -= Known;
    }
    if (!S.Size)
      continue;
    if (!Distinct.empty() && S.Address == End &&
        S.Host == Distinct.back().Host + Distinct.back().Size)
      Distinct.back().Size += S.Size;
    else
      Distinct.push_back(S);
  }
  return Distinct;
}

void RecordedRun::putList(std::vector<Segment> &Segments) {
  // <link.h>: r_debug and link_map.
  struct {
    int32_t Version = 0, Unused = 0;
    uint64_t First = 0, Break = 0, State = 0, Base = 0;
  } Debug;
  struct {
    uint64_t Base, Name, Dynamic, Next, Previous;
  } Node;
  std::vector<std::vector<uint8_t>> Contents;
  uint64_t Total = 1 << 20;
  for (const Object &O : Objects) {
    Contents.emplace_back();
    if (!readObject(O, Contents.back()))
      Contents.back().clear();
    Total += Contents.back().size() + O.Uri.size() + 4096;
  }
  ListAddress = FirstOfFile;
  while (llvm::any_of(Segments, [&](const Segment &S) {
    return S.Address < ListAddress + Total && ListAddress < S.Address + S.Size;
  }))
    ListAddress += FileStep;
  List.assign(PageSize, 0); // r_debug
  EmptyArea = ListAddress + List.size();
  List.resize(List.size() + PageSize); // a save area
  auto Append = [&](const void *Data, size_t Size, uint64_t Align) {
    List.resize(alignTo(List.size(), Align));
    const uint64_t At = ListAddress + List.size();
    const auto *From = static_cast<const uint8_t *>(Data);
    List.insert(List.end(), From, From + Size);
    return At;
  };
  uint64_t Next = 0;
  for (size_t I = Objects.size(); I--;) {
    std::string Uri = Objects[I].Uri;
    if (!Contents[I].empty()) {
      const uint64_t At =
          Append(Contents[I].data(), Contents[I].size(), PageSize);
      Uri = "memory://" + std::to_string(Program) + "#offset=0x" +
            utohexstr(At, /*LowerCase=*/true) +
            "&size=" + std::to_string(Contents[I].size());
    }
    const uint64_t Name = Append(Uri.c_str(), Uri.size() + 1, 8);
    Node = {Objects[I].Base, Name, 0, Next, 0};
    Next = Append(&Node, sizeof(Node), 8);
  }
  Debug.Version = int32_t(ListVersion);
  Debug.First = Next;
  Debug.Break = ListAddress;
  memcpy(List.data(), &Debug, sizeof(Debug));
  List.resize(alignTo(List.size(), PageSize));
  Segments.push_back({ListAddress, List.size(), List.data()});
}

std::vector<uint8_t> RecordedRun::makeNotes() const {
  std::vector<uint8_t> Out;
  auto Put = [&](const void *Data, size_t Size) {
    const auto *P = static_cast<const uint8_t *>(Data);
    Out.insert(Out.end(), P, P + Size);
  };
  auto Put32 = [&](uint32_t Value) { Put(&Value, 4); };
  auto Put64 = [&](uint64_t Value) { Put(&Value, 8); };
  constexpr char Owner[8] = "AMDGPU"; // with its padding
  constexpr uint32_t StateNote = 33;
  Put32(7);
  Put32(uint32_t(56 + All.size() * sizeof(kfd::DeviceSnapshotEntry) +
                 TheQueues.size() * sizeof(kfd::QueueSnapshotEntry)));
  Put32(StateNote);
  Put(Owner, sizeof(Owner));
  // As <linux/kfd_ioctl.h>'s snapshots; version 1.
  Put64(1);
  Put32(kfd::InterfaceMajor);
  Put32(kfd::InterfaceMinor);
  Put64(sizeof(kfd::RuntimeInfo));
  Put32(uint32_t(All.size()));
  Put32(sizeof(kfd::DeviceSnapshotEntry));
  Put32(uint32_t(TheQueues.size()));
  Put32(sizeof(kfd::QueueSnapshotEntry));
  kfd::RuntimeInfo Info = Runtime.Info;
  Info.r_debug = ListAddress;
  Info.runtime_state = kfd::RuntimeEnabled;
  Put(&Info, sizeof(Info));
  for (const auto &A : All) {
    const kfd::DeviceSnapshotEntry Entry = A->describe().device;
    Put(&Entry, sizeof(Entry));
  }
  for (const auto &Entry : TheQueues) {
    const Queue &Q = *Entry.second;
    kfd::QueueSnapshotEntry E = {};
    E.ring_base_address = Q.Ring;
    E.write_pointer_address = Q.WriteIndex;
    E.read_pointer_address = Q.ReadIndex;
    E.ctx_save_restore_address = Q.Current ? Q.SaveArea : EmptyArea;
    E.ctx_save_restore_area_size =
        uint32_t(Q.Current ? Q.SaveSize : uint64_t(PageSize));
    E.queue_id = Q.Id;
    E.gpu_id = Q.Agent->gpuId();
    E.ring_size = uint32_t(Q.RingSize);
    E.queue_type = uint32_t(Q.Kind);
    Put(&E, sizeof(E));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static Error writeAt(int Fd, uint64_t Offset, const void *Data, size_t Size) {
  const auto *From = static_cast<const uint8_t *>(Data);
  while (Size) {
    const ssize_t Done = pwrite(Fd, From, Size, off_t(Offset));
    if (Done < 0 && errno == EINTR)
      continue;
    if (Done <= 0)
      return failErrno("writing it");
    From += Done, Offset += uint64_t(Done), Size -= size_t(Done);
  }
  return Error::success();
}

/// Leaves out pages of zeros, which a file needn't have.
static Error writePages(int Fd, uint64_t Offset, const uint8_t *From,
                        uint64_t Size) {
  for (uint64_t Done = 0; Done < Size;) {
    const uint64_t Part = std::min<uint64_t>(PageSize, Size - Done);
    const uint8_t *At = From + Done;
    if (*At || memcmp(At, At + 1, Part - 1) != 0)
      if (Error E = writeAt(Fd, Offset + Done, At, Part))
        return E;
    Done += Part;
  }
  return Error::success();
}

Error RecordedRun::write(int Fd) {
  std::vector<Segment> Segments = collect();
  putList(Segments);
  const std::vector<uint8_t> Notes = makeNotes();
  ELF::Elf64_Ehdr Header = {};
  memcpy(Header.e_ident, ELF::ElfMagic, 4);
  Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  Header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  Header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  Header.e_ident[ELF::EI_OSABI] = ELF::ELFOSABI_AMDGPU_HSA;
  Header.e_type = ELF::ET_CORE;
  Header.e_machine = ELF::EM_AMDGPU;
  Header.e_version = ELF::EV_CURRENT;
  Header.e_phoff = sizeof(Header);
  Header.e_ehsize = sizeof(Header);
  Header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  const size_t Count = Segments.size() + 2;
  constexpr size_t MostHeaders = 0xfffe;
  if (Count > MostHeaders)
    return createStringError(inconvertibleErrorCode(),
                             "the memory is in too many parts");
  Header.e_phnum = uint16_t(Count);
  std::vector<ELF::Elf64_Phdr> Headers(Count);
  uint64_t Offset = sizeof(Header) + Count * sizeof(Headers[0]);
  Headers[0].p_type = ELF::PT_NOTE;
  Headers[0].p_offset = Offset;
  Headers[0].p_filesz = Notes.size();
  Headers[0].p_align = 4;
  if (Error E = writeAt(Fd, Offset, Notes.data(), Notes.size()))
    return E;
  Offset = alignTo(Offset + Notes.size(), PageSize);
  for (size_t I = 0; I < Segments.size(); ++I) {
    const Segment &S = Segments[I];
    ELF::Elf64_Phdr &H = Headers[I + 1];
    // Files are mapped by pages.
    Offset += S.Address % PageSize;
    H.p_type = ELF::PT_LOAD;
    H.p_flags = ELF::PF_R | ELF::PF_W;
    H.p_vaddr = S.Address;
    H.p_offset = Offset;
    H.p_filesz = H.p_memsz = S.Size;
    H.p_align = PageSize;
    if (Error E = writePages(Fd, Offset, S.Host, S.Size))
      return E;
    Offset = alignTo(Offset + S.Size, PageSize);
  }
  ELF::Elf64_Phdr &Recording = Headers.back();
  Recording.p_type = RecordingSegment;
  Recording.p_offset = Offset;
  if (Error E = TheHistory.write(
          [&](uint64_t Page, function_ref<void(uint64_t)> Do) {
            const uint8_t *Host = TheHistory.hostOf(Page);
            for (const Segment &S : Segments)
              if (Host >= S.Host && Host < S.Host + S.Size)
                Do(S.Address + uint64_t(Host - S.Host));
          },
          [&](const void *Data, size_t Size) -> Error {
            Error E = writeAt(Fd, Offset, Data, Size);
            Offset += Size;
            return E;
          }))
    return E;
  Recording.p_filesz = Offset - Recording.p_offset;
  if (Error E = writeAt(Fd, sizeof(Header), Headers.data(),
                        Headers.size() * sizeof(Headers[0])))
    return E;
  // Without it, the file is none: it comes last.
  return writeAt(Fd, 0, &Header, sizeof(Header));
}

RecordedRun::~RecordedRun() {
  if (Lock >= 0)
    close(Lock);
}

bool RecordedRun::open(std::string &Error) {
  Lock = ::open(Path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  struct stat Info;
  if (Lock < 0 || fstat(Lock, &Info) != 0) {
    Error = Path + ": " + strerror(errno);
    return false;
  }
  if (!S_ISREG(Info.st_mode)) {
    Error = Path + ": not a regular file";
    return false;
  }
  if (flock(Lock, LOCK_EX | LOCK_NB) == 0)
    return true;
  Error = Path + " is being written for another process: this one isn't kept";
  return false;
}

Error RecordedRun::writeAndKeep() {
  Expected<files::OutputFile> Output = files::OutputFile::create(Path);
  if (!Output)
    return Output.takeError();
  if (Error E = goToEnd())
    return E;
  if (Error E = write(Output->descriptor()))
    return E;
  return Output->keep();
}

void RecordedRun::save() {
  // A limit of the file's size is an error, as a full disk is.
  signal(SIGXFSZ, SIG_IGN);
  if (TheHistory.hasRun()) {
    Error E = writeAndKeep();
    if (!E)
      return;
    fprintf(stderr, "wavelane-gpu: the recording %s isn't kept: %s\n",
            Path.c_str(), toString(std::move(E)).c_str());
  }
  // What open() has made; an older recording stays.
  struct stat Info;
  if (fstat(Lock, &Info) == 0 && Info.st_size == 0)
    unlink(Path.c_str());
}
