//===-- CoreFile.cpp - A core file with GPU state -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;
using support::endian::read32le;
using support::endian::read64le;

namespace wavelane::corefile {

/// e_phnum with this value means that the number of program headers is in the
/// first section header (System V ABI, "ELF Header").
static constexpr uint64_t PnXnum = 0xffff;
/// Limits that no real core exceeds.
static constexpr uint64_t MaxHeaders = 1 << 20, MaxNotes = 256 << 20;

/// The error for a file of which nothing can be read.
static Error refuse(const Twine &Text) {
  return createStringError(make_error_code(std::errc::executable_format_error),
                           Text);
}

CoreFile::~CoreFile() {
  if (Fd >= 0)
    ::close(Fd);
}

bool CoreFile::readFile(uint64_t Offset, void *Buffer, size_t Size) const {
  if (Offset > FileSize || Size > FileSize - Offset)
    return false;
  uint8_t *To = static_cast<uint8_t *>(Buffer);
  while (Size) {
    const ssize_t Got = ::pread(Fd, To, Size, off_t(Offset));
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return false;
    To += Got;
    Offset += uint64_t(Got);
    Size -= size_t(Got);
  }
  return true;
}

Expected<std::shared_ptr<CoreFile>> CoreFile::open(StringRef Path) {
  std::shared_ptr<CoreFile> Core(new CoreFile);
  Core->Path = Path.str();
  // Opening a pipe without a writer would block.
  Core->Fd = ::open(Core->Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat Info;
  if (Core->Fd < 0 || ::fstat(Core->Fd, &Info) != 0)
    return createStringError(Path + ": " + std::strerror(errno));
  if (!S_ISREG(Info.st_mode))
    return createStringError(Path + " isn't an ordinary file");
  Core->FileSize = uint64_t(Info.st_size);
  if (Error Error = Core->parse())
    return handleErrors(std::move(Error), [&](const StringError &Reason) {
      return createStringError(Reason.convertToErrorCode(),
                               Path + ": " + Reason.getMessage());
    });
  return Core;
}

Error CoreFile::parse() {
  ELF::Elf64_Ehdr Header;
  if (!readFile(0, &Header, sizeof(Header)) || !Header.checkMagic())
    return createStringError("it isn't an ELF file");
  if (Header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      Header.e_type != ELF::ET_CORE)
    return createStringError(
        "it isn't a core file of a 64-bit little-endian program");
  GPUOnly = Header.e_machine == ELF::EM_AMDGPU;
  uint64_t Count = Header.e_phnum;
  if (Count == PnXnum) {
    ELF::Elf64_Shdr Section;
    if (!readFile(Header.e_shoff, &Section, sizeof(Section)))
      return refuse("the number of its program headers can't be read");
    Count = Section.sh_info;
  }
  if (Header.e_phentsize != sizeof(ELF::Elf64_Phdr) || Count > MaxHeaders)
    return refuse("its program headers are damaged");
  std::vector<ELF::Elf64_Phdr> Headers(Count);
  if (!readFile(Header.e_phoff, Headers.data(), Count * sizeof(Headers[0])))
    return refuse("it ends within its program headers");

  for (const ELF::Elf64_Phdr &Segment : Headers) {
    if (Segment.p_type == ELF::PT_NOTE) {
      if (Segment.p_offset > FileSize ||
          Segment.p_filesz > FileSize - Segment.p_offset)
        return createStringError("it ends within its notes");
      if (Error E = parseNotes(Segment.p_offset, Segment.p_filesz))
        return E;
    } else if (Segment.p_type == RecordingSegment) {
      Recording = {0, Segment.p_filesz, Segment.p_offset};
    }
  }
  Shift = findShift(Headers);
  for (const ELF::Elf64_Phdr &Segment : Headers) {
    if (Segment.p_type != ELF::PT_LOAD || !Segment.p_filesz)
      continue;
    const uint64_t Offset = Segment.p_offset - Shift;
    const uint64_t There =
        Offset > FileSize
            ? 0
            : std::min<uint64_t>(Segment.p_filesz, FileSize - Offset);
    Missing += Segment.p_filesz - There;
    if (There && Segment.p_vaddr <= UINT64_MAX - There)
      Ranges.push_back({Segment.p_vaddr, There, Offset});
  }
  sort(Ranges, [](const Range &A, const Range &B) {
    return std::tie(A.Address, A.Offset) < std::tie(B.Address, B.Offset);
  });
  // If a damaged file maps a place twice, the first mapping counts.
  std::vector<Range> Distinct;
  for (Range Span : Ranges) {
    const uint64_t End =
        Distinct.empty() ? 0 : Distinct.back().Address + Distinct.back().Size;
    if (Span.Address < End) {
      const uint64_t Known = std::min(End - Span.Address, Span.Size);
      Span.Address += Known;
      Span.Offset += Known;
      Span.Size -= Known;
    }
    if (Span.Size)
      Distinct.push_back(Span);
  }
  Ranges = std::move(Distinct);

  StringRef Name = sys::path::filename(Path);
  if (!PID && Name.consume_front("gpucore."))
    (void)Name.getAsInteger(10, PID);
  return Error::success();
}

/// The headers of ROCr 7's gpucore.PID align memory to 16 bytes, but what it
/// writes to a pipe, and in 7.2 to a file, too, follows the notes without a
/// gap. Which of both it is shows at the save areas' headers.
uint64_t CoreFile::findShift(ArrayRef<ELF::Elf64_Phdr> Headers) const {
  constexpr uint64_t LoadAlignment = 16;
  if (!GPUOnly || Headers.size() < 2 || Headers[0].p_type != ELF::PT_NOTE ||
      Headers[1].p_type != ELF::PT_LOAD)
    return 0;
  const uint64_t Gap =
      Headers[1].p_offset - Headers[0].p_offset - Headers[0].p_filesz;
  if (!Gap || Gap >= LoadAlignment)
    return 0;
  unsigned Aligned = 0, Shifted = 0;
  for (const SaveAreaPlace &Area : findSaveAreas(State))
    for (const ELF::Elf64_Phdr &Segment : Headers) {
      if (Segment.p_type != ELF::PT_LOAD || Area.Address < Segment.p_vaddr ||
          Area.Address - Segment.p_vaddr >= Segment.p_filesz)
        continue;
      const uint64_t At = Segment.p_offset + (Area.Address - Segment.p_vaddr);
      Aligned += isSaveArea(At, Area.Size);
      Shifted += isSaveArea(At - Gap, Area.Size);
    }
  return Shifted > Aligned ? Gap : 0;
}

/// Whether the place in the file has the header of a queue's save area (struct
/// kfd_context_save_area_header): the control stack ends where the waves begin,
/// whose offset is that of their end.
bool CoreFile::isSaveArea(uint64_t Offset, uint64_t Size) const {
  support::ulittle32_t Words[4];
  if (!readFile(Offset, Words, sizeof(Words)))
    return false;
  const uint64_t StackEnd = uint64_t(Words[0]) + Words[1];
  return StackEnd && StackEnd + Words[3] == Words[2] && Words[2] <= Size;
}

Error CoreFile::parseNotes(uint64_t Offset, uint64_t Size) {
  if (Size > MaxNotes)
    return createStringError("its notes are larger than notes can be");
  std::vector<uint8_t> Notes(Size);
  if (!readFile(Offset, Notes.data(), Size))
    return createStringError("its notes can't be read");
  uint64_t At = 0;
  while (Size - At >= 12) {
    const uint64_t NameSize = read32le(&Notes[At]);
    const uint64_t DataSize = read32le(&Notes[At + 4]);
    const uint32_t Type = read32le(&Notes[At + 8]);
    At += 12;
    if (alignTo(NameSize, 4) > Size - At)
      return createStringError("a note's name runs past the end of the notes");
    const StringRef Name =
        StringRef(reinterpret_cast<const char *>(&Notes[At]), NameSize)
            .take_until([](char C) { return C == 0; });
    At += alignTo(NameSize, 4);
    if (DataSize > Size - At)
      return createStringError("the note '" + Name +
                               "' is longer than the notes");
    const ArrayRef<uint8_t> Data(Notes.data() + At, DataSize);
    if (Name == NoteOwner && Type == NoteType && State.empty())
      State = Data.vec();
    if (Name == FindingsNoteOwner && Type == FindingsNoteType)
      Findings.assign(Data.begin(), Data.end());
    // pr_pid of struct elf_prpsinfo.
    if (Name == "CORE" && Type == ELF::NT_PRPSINFO && Data.size() >= 28)
      PID = read32le(&Data[24]);
    At = std::min(Size, At + alignTo(DataSize, 4));
  }
  return Error::success();
}

size_t CoreFile::read(uint64_t Address, void *Buffer, size_t Size) const {
  uint8_t *To = static_cast<uint8_t *>(Buffer);
  size_t Done = 0;
  while (Done < Size) {
    const uint64_t Place = Address + Done;
    if (Place < Address)
      break;
    auto Next =
        upper_bound(Ranges, Place, [](uint64_t Value, const Range &Span) {
          return Value < Span.Address;
        });
    if (Next != Ranges.begin() &&
        Place - std::prev(Next)->Address < std::prev(Next)->Size) {
      const Range &Span = *std::prev(Next);
      const uint64_t In = Place - Span.Address;
      const size_t Part = std::min<uint64_t>(Size - Done, Span.Size - In);
      if (!readFile(Span.Offset + In, To + Done, Part))
        break;
      Done += Part;
      continue;
    }
    auto Extra = find_if(Added, [Place](const struct Added &A) {
      return Place - A.Address < A.Bytes.size();
    });
    if (Extra == Added.end())
      break;
    const uint64_t In = Place - Extra->Address;
    const size_t Part =
        std::min<uint64_t>(Size - Done, Extra->Bytes.size() - In);
    std::memcpy(To + Done, Extra->Bytes.data() + In, Part);
    Done += Part;
  }
  return Done;
}

void CoreFile::add(uint64_t Address, ArrayRef<uint8_t> Bytes) {
  erase_if(Added,
           [Address](const struct Added &A) { return A.Address == Address; });
  Added.push_back({Address, Bytes.vec()});
}

std::vector<SaveAreaPlace> findSaveAreas(ArrayRef<uint8_t> State) {
  // The header, then KFD's runtime info and its snapshots of agents and of
  // queues, each filled up to 8 bytes.
  constexpr uint64_t HeaderSize = 40, MostQueues = 1 << 16;
  // struct kfd_queue_snapshot_entry.
  constexpr uint64_t AreaAddress = 32, AreaSize = 56, EntrySize = 60;
  std::vector<SaveAreaPlace> Areas;
  if (State.size() < HeaderSize)
    return Areas;
  const uint64_t Runtime = read64le(&State[16]);
  const uint64_t Agents = uint64_t(read32le(&State[24])) * read32le(&State[28]);
  const uint64_t Queues = read32le(&State[32]), Each = read32le(&State[36]);
  if (Runtime > State.size() || Agents > State.size() || Queues > MostQueues ||
      Each < EntrySize)
    return Areas;
  const uint64_t First = HeaderSize + alignTo(Runtime, 8) + alignTo(Agents, 8);
  for (uint64_t I = 0; I < Queues && First + (I + 1) * Each <= State.size();
       ++I) {
    const uint8_t *Entry = &State[First + I * Each];
    Areas.push_back(
        {read64le(Entry + AreaAddress), read32le(Entry + AreaSize)});
  }
  return Areas;
}

std::optional<StateSummary> summarize(ArrayRef<uint8_t> State) {
  if (State.size() < 56)
    return std::nullopt;
  StateSummary Summary;
  Summary.Version = read64le(&State[0]);
  Summary.DriverMajor = read32le(&State[8]);
  Summary.DriverMinor = read32le(&State[12]);
  Summary.Agents = read32le(&State[24]);
  Summary.Queues = read32le(&State[32]);
  if (read64le(&State[16]) < 16)
    return std::nullopt;
  Summary.RDebug = read64le(&State[40]);
  Summary.RuntimeState = read32le(&State[48]);
  Summary.TtmpSetup = read32le(&State[52]);
  return Summary;
}

} // namespace wavelane::corefile
