//===-- ProcTable.cpp - the ranks that a launcher has started -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Job/ProcTable.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <sys/uio.h>

using namespace llvm;

namespace wavelane::job {

namespace {
/// MPIR_PROCDESC.
struct Description {
  uint64_t HostName, ExecutableName;
  int32_t Pid, Unused;
};
static_assert(sizeof(Description) == 24, "the layout of MPIR_PROCDESC");

constexpr int32_t MaxRanks = 1 << 20;
constexpr size_t MaxName = 256;

struct Table {
  uint64_t Size = 0, Entries = 0;
};
} // namespace

static Error fail(uint64_t Launcher, const Twine &Why) {
  return createStringError("process " + Twine(Launcher) + ": " + Why);
}

static Error readMemory(uint64_t Process, uint64_t Address, void *Data,
                        size_t Size) {
  iovec Here = {Data, Size}, There = {reinterpret_cast<void *>(Address), Size};
  const ssize_t Count =
      ::process_vm_readv(pid_t(Process), &Here, 1, &There, 1, 0);
  if (Count == ssize_t(Size))
    return Error::success();
  return fail(Process, Twine("its memory can't be read: ") +
                           (Count < 0 ? std::strerror(errno) : "it is short"));
}

/// Where the variables of the table are, if a file has them.
static std::optional<Table> findTable(const std::string &Path, uint64_t Base) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = files::mapRegular(Path);
  if (!Buffer)
    return std::nullopt;
  using File = object::ELFFile<object::ELF64LE>;
  Expected<File> Parsed = File::create((*Buffer)->getBuffer());
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return std::nullopt;
  }
  if (Parsed->getHeader().e_type == ELF::ET_EXEC)
    Base = 0;
  auto Sections = Parsed->sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return std::nullopt;
  }
  Table Found;
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto Symbols = Parsed->symbols(&Section);
    auto Names = Parsed->getStringTableForSymtab(Section);
    if (!Symbols || !Names) {
      consumeError(Symbols.takeError());
      consumeError(Names.takeError());
      continue;
    }
    for (const auto &Symbol : *Symbols) {
      if (Symbol.st_shndx == ELF::SHN_UNDEF || !Symbol.st_value)
        continue;
      Expected<StringRef> Name = Symbol.getName(*Names);
      if (!Name)
        consumeError(Name.takeError());
      else if (*Name == "MPIR_proctable")
        Found.Entries = Base + Symbol.st_value;
      else if (*Name == "MPIR_proctable_size")
        Found.Size = Base + Symbol.st_value;
    }
  }
  return Found.Size && Found.Entries ? std::optional(Found) : std::nullopt;
}

static Expected<std::string> readName(uint64_t Process, uint64_t Address) {
  char Name[MaxName + 1] = "";
  // It may lie at the end of a page, so it is read by pieces.
  for (size_t Done = 0; Done < MaxName;) {
    const size_t Size =
        std::min<size_t>(16 - (Address + Done) % 16, MaxName - Done);
    if (Error Failed = readMemory(Process, Address + Done, Name + Done, Size))
      return std::move(Failed);
    if (std::memchr(Name + Done, 0, Size))
      return std::string(Name);
    Done += Size;
  }
  return fail(Process, "a host's name in its table is too long");
}

bool isHostName(StringRef Text) {
  return !Text.empty() && Text.size() < MaxName &&
         (isAlnum(Text.front()) || Text.front() == ':') &&
         all_of(
             Text,
             [](char C) {
               return isAlnum(C) || StringRef(".-_:%").contains(C);
             });
}

/// A text of another program's, which may have control characters.
static std::string printable(StringRef Text) {
  std::string Result;
  raw_string_ostream(Result).write_escaped(Text.take_front(80));
  return Result;
}

Expected<std::vector<Started>> readProcTable(uint64_t Launcher) {
  auto Maps = MemoryBuffer::getFileAsStream("/proc/" +
                                            std::to_string(Launcher) + "/maps");
  if (!Maps)
    return fail(Launcher, Maps.getError().message());
  // The lowest address of each file.
  std::map<std::string, uint64_t> Files;
  SmallVector<StringRef> Lines;
  (*Maps)->getBuffer().split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines) {
    uint64_t Address = 0;
    const size_t Path = Line.find('/');
    if (Path != StringRef::npos &&
        !Line.split('-').first.getAsInteger(16, Address))
      Files.try_emplace(Line.drop_front(Path).str(), Address);
  }
  std::optional<Table> Found;
  for (const auto &[Path, Base] : Files)
    if ((Found = findTable(Path, Base)))
      break;
  if (!Found)
    return fail(Launcher, "it has no table of ranks (MPIR_proctable)");
  int32_t Size = 0;
  uint64_t Entries = 0;
  if (Error Failed = readMemory(Launcher, Found->Size, &Size, sizeof(Size)))
    return std::move(Failed);
  if (Error Failed =
          readMemory(Launcher, Found->Entries, &Entries, sizeof(Entries)))
    return std::move(Failed);
  if (Size <= 0 || Size > MaxRanks || !Entries)
    return fail(Launcher, formatv("its table has {0} ranks", Size).str());
  std::vector<Description> Described((size_t(Size)));
  if (Error Failed = readMemory(Launcher, Entries, Described.data(),
                                Described.size() * sizeof(Description)))
    return std::move(Failed);
  std::vector<Started> Result;
  for (const Description &One : Described) {
    Expected<std::string> Host = readName(Launcher, One.HostName);
    if (!Host)
      return Host.takeError();
    if (!Host->empty() && !isHostName(*Host))
      return fail(Launcher, "its table names a host that can't be one: '" +
                                printable(*Host) + "'");
    if (One.Pid <= 0)
      return fail(Launcher, "its table isn't complete yet");
    // The index is the rank.
    Result.push_back(
        {std::move(*Host), uint64_t(One.Pid), uint32_t(Result.size())});
  }
  return Result;
}

Expected<Started> parseStarted(StringRef Text) {
  Started Result;
  auto [Host, Number] = Text.rsplit(':');
  if (Number.empty() && !Text.contains(':'))
    std::swap(Host, Number);
  if (Host.consume_front("["))
    Host.consume_back("]");
  const auto [User, Name] =
      Host.contains('@') ? Host.split('@') : std::pair(StringRef("me"), Host);
  const bool Local = !Text.contains(':');
  if (Number.getAsInteger(10, Result.Pid) || !Result.Pid ||
      Result.Pid > INT32_MAX ||
      (!Local && (!isHostName(User) || !isHostName(Name))))
    return createStringError("'" + Text +
                             "' isn't a process: give PID or HOST:PID");
  Result.Host = Host.str();
  return Result;
}

} // namespace wavelane::job
