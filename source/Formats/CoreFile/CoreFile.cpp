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

static Error fail(const Twine &Text) {
  return createStringError(inconvertibleErrorCode(), Text);
}

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
    return fail(Path + ": " + std::strerror(errno));
  if (!S_ISREG(Info.st_mode))
    return fail(Path + " isn't an ordinary file");
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
    return fail("it isn't an ELF file");
  if (Header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      Header.e_type != ELF::ET_CORE)
    return fail("it isn't a core file of a 64-bit little-endian program");
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
    const uint64_t There =
        Segment.p_offset > FileSize
            ? 0
            : std::min<uint64_t>(Segment.p_filesz, FileSize - Segment.p_offset);
    if (Segment.p_type == ELF::PT_NOTE) {
      if (There < Segment.p_filesz)
        return fail("it ends within its notes");
      if (Error E = parseNotes(Segment.p_offset, Segment.p_filesz))
        return E;
    } else if (Segment.p_type == RecordingSegment) {
      Recording = {0, Segment.p_filesz, Segment.p_offset};
    } else if (Segment.p_type == ELF::PT_LOAD && Segment.p_filesz) {
      Missing += Segment.p_filesz - There;
      if (There && Segment.p_vaddr <= UINT64_MAX - There)
        Ranges.push_back({Segment.p_vaddr, There, Segment.p_offset});
    }
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

Error CoreFile::parseNotes(uint64_t Offset, uint64_t Size) {
  if (Size > MaxNotes)
    return fail("its notes are larger than notes can be");
  std::vector<uint8_t> Notes(Size);
  if (!readFile(Offset, Notes.data(), Size))
    return fail("its notes can't be read");
  uint64_t At = 0;
  while (Size - At >= 12) {
    const uint64_t NameSize = read32le(&Notes[At]);
    const uint64_t DataSize = read32le(&Notes[At + 4]);
    const uint32_t Type = read32le(&Notes[At + 8]);
    At += 12;
    if (alignTo(NameSize, 4) > Size - At)
      return fail("a note's name runs past the end of the notes");
    const StringRef Name =
        StringRef(reinterpret_cast<const char *>(&Notes[At]), NameSize)
            .take_until([](char C) { return C == 0; });
    At += alignTo(NameSize, 4);
    if (DataSize > Size - At)
      return fail("the note '" + Name + "' is longer than the notes");
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
