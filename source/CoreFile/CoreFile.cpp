//===-- CoreFile.cpp - A core file with GPU state -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CoreFile/CoreFile.h"
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
static constexpr uint64_t PN_XNUM = 0xffff;
/// Limits that no real core exceeds.
static constexpr uint64_t MaxHeaders = 1 << 20, MaxNotes = 256 << 20;

static Error Fail(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

/// Of a file of which nothing can be read.
static Error Refuse(const Twine &text) {
  return createStringError(make_error_code(std::errc::executable_format_error),
                           text);
}

CoreFile::~CoreFile() {
  if (m_fd >= 0)
    ::close(m_fd);
}

bool CoreFile::ReadFile(uint64_t offset, void *buffer, size_t size) const {
  if (offset > m_file_size || size > m_file_size - offset)
    return false;
  uint8_t *to = static_cast<uint8_t *>(buffer);
  while (size) {
    const ssize_t got = ::pread(m_fd, to, size, off_t(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    to += got;
    offset += uint64_t(got);
    size -= size_t(got);
  }
  return true;
}

Expected<std::shared_ptr<CoreFile>> CoreFile::Open(StringRef path) {
  std::shared_ptr<CoreFile> core(new CoreFile);
  core->m_path = path.str();
  // A pipe without a writer would be waited for.
  core->m_fd = ::open(core->m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (core->m_fd < 0 || ::fstat(core->m_fd, &info) != 0)
    return Fail(path + ": " + std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return Fail(path + " is no ordinary file");
  core->m_file_size = uint64_t(info.st_size);
  if (Error error = core->Parse())
    return handleErrors(std::move(error), [&](const StringError &reason) {
      return createStringError(reason.convertToErrorCode(),
                               path + ": " + reason.getMessage());
    });
  return core;
}

Error CoreFile::Parse() {
  ELF::Elf64_Ehdr header;
  if (!ReadFile(0, &header, sizeof(header)) || !header.checkMagic())
    return Fail("it is no ELF file");
  if (header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      header.e_type != ELF::ET_CORE)
    return Fail("it is no core file of a 64-bit little-endian program");
  m_gpu_only = header.e_machine == ELF::EM_AMDGPU;
  uint64_t count = header.e_phnum;
  if (count == PN_XNUM) {
    ELF::Elf64_Shdr section;
    if (!ReadFile(header.e_shoff, &section, sizeof(section)))
      return Refuse("the number of its program headers can't be read");
    count = section.sh_info;
  }
  if (header.e_phentsize != sizeof(ELF::Elf64_Phdr) || count > MaxHeaders)
    return Refuse("its program headers are damaged");
  std::vector<ELF::Elf64_Phdr> headers(count);
  if (!ReadFile(header.e_phoff, headers.data(), count * sizeof(headers[0])))
    return Refuse("it ends within its program headers");

  for (const ELF::Elf64_Phdr &segment : headers) {
    const uint64_t there =
        segment.p_offset > m_file_size
            ? 0
            : std::min<uint64_t>(segment.p_filesz,
                                 m_file_size - segment.p_offset);
    if (segment.p_type == ELF::PT_NOTE) {
      if (there < segment.p_filesz)
        return Fail("it ends within its notes");
      if (Error error = ParseNotes(segment.p_offset, segment.p_filesz))
        return error;
    } else if (segment.p_type == ELF::PT_LOAD && segment.p_filesz) {
      m_missing += segment.p_filesz - there;
      if (there && segment.p_vaddr <= UINT64_MAX - there)
        m_ranges.push_back({segment.p_vaddr, there, segment.p_offset});
    }
  }
  sort(m_ranges, [](const Range &a, const Range &b) {
    return std::tie(a.address, a.offset) < std::tie(b.address, b.offset);
  });
  // Where a damaged file has a place twice, the first one counts.
  std::vector<Range> ranges;
  for (Range range : m_ranges) {
    const uint64_t end =
        ranges.empty() ? 0 : ranges.back().address + ranges.back().size;
    if (range.address < end) {
      const uint64_t known = std::min(end - range.address, range.size);
      range.address += known;
      range.offset += known;
      range.size -= known;
    }
    if (range.size)
      ranges.push_back(range);
  }
  m_ranges = std::move(ranges);

  StringRef name = sys::path::filename(m_path);
  if (!m_pid && name.consume_front("gpucore."))
    (void)name.getAsInteger(10, m_pid);
  return Error::success();
}

Error CoreFile::ParseNotes(uint64_t offset, uint64_t size) {
  if (size > MaxNotes)
    return Fail("its notes are larger than any can be");
  std::vector<uint8_t> notes(size);
  if (!ReadFile(offset, notes.data(), size))
    return Fail("its notes can't be read");
  uint64_t at = 0;
  while (size - at >= 12) {
    const uint64_t name_size = read32le(&notes[at]);
    const uint64_t data_size = read32le(&notes[at + 4]);
    const uint32_t type = read32le(&notes[at + 8]);
    at += 12;
    if (alignTo(name_size, 4) > size - at)
      return Fail("a note's name ends behind the notes");
    const StringRef name =
        StringRef(reinterpret_cast<const char *>(&notes[at]), name_size)
            .take_until([](char c) { return c == 0; });
    at += alignTo(name_size, 4);
    if (data_size > size - at)
      return Fail("the note '" + name + "' is longer than the notes");
    const ArrayRef<uint8_t> data(notes.data() + at, data_size);
    if (name == NoteOwner && type == NoteType && m_state.empty())
      m_state = data.vec();
    // pr_pid of struct elf_prpsinfo.
    if (name == "CORE" && type == ELF::NT_PRPSINFO && data.size() >= 28)
      m_pid = read32le(&data[24]);
    at = std::min(size, at + alignTo(data_size, 4));
  }
  return Error::success();
}

size_t CoreFile::Read(uint64_t address, void *buffer, size_t size) const {
  uint8_t *to = static_cast<uint8_t *>(buffer);
  size_t done = 0;
  while (done < size) {
    const uint64_t place = address + done;
    if (place < address)
      break;
    auto next =
        upper_bound(m_ranges, place, [](uint64_t value, const Range &range) {
          return value < range.address;
        });
    if (next != m_ranges.begin() &&
        place - std::prev(next)->address < std::prev(next)->size) {
      const Range &range = *std::prev(next);
      const uint64_t in = place - range.address;
      const size_t part = std::min<uint64_t>(size - done, range.size - in);
      if (!ReadFile(range.offset + in, to + done, part))
        break;
      done += part;
      continue;
    }
    auto added = find_if(m_added, [place](const Added &a) {
      return place - a.address < a.bytes.size();
    });
    if (added == m_added.end())
      break;
    const uint64_t in = place - added->address;
    const size_t part =
        std::min<uint64_t>(size - done, added->bytes.size() - in);
    std::memcpy(to + done, added->bytes.data() + in, part);
    done += part;
  }
  return done;
}

void CoreFile::Add(uint64_t address, ArrayRef<uint8_t> bytes) {
  erase_if(m_added, [address](const Added &a) { return a.address == address; });
  m_added.push_back({address, bytes.vec()});
}

std::optional<StateSummary> Summarize(ArrayRef<uint8_t> state) {
  if (state.size() < 56)
    return std::nullopt;
  StateSummary summary;
  summary.version = read64le(&state[0]);
  summary.driver_major = read32le(&state[8]);
  summary.driver_minor = read32le(&state[12]);
  summary.agents = read32le(&state[24]);
  summary.queues = read32le(&state[32]);
  if (read64le(&state[16]) < 16)
    return std::nullopt;
  summary.r_debug = read64le(&state[40]);
  summary.runtime_state = read32le(&state[48]);
  summary.ttmp_setup = read32le(&state[52]);
  return summary;
}

} // namespace wavelane::corefile
