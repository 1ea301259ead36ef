//===-- CoreWriter.cpp - Writes a core of host and GPU --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CoreWriter.h"
#include "lldb/Host/common/NativeThreadProtocol.h"
#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "wavelane/Formats/Files/OutputFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;
using lldb_private::NativeProcessProtocol;
using lldb_private::NativeThreadProtocol;

namespace wavelane::server {

namespace {

constexpr uint64_t PageSize = 4096;

struct Mapping {
  uint64_t start, end, offset, inode;
  std::string permissions, path;
  bool changed = false; ///< has pages that differ from its file's
  uint64_t dumped = 0;  ///< how many bytes from its start are dumped

  bool Is(char permission) const {
    return permissions.find(permission) != std::string::npos;
  }
  bool IsFile() const { return StringRef(path).starts_with("/"); }
  /// Whether the memory has no file's name.
  bool IsNameless() const {
    return StringRef(path).starts_with("/memfd:") ||
           StringRef(path).ends_with(" (deleted)");
  }
  /// Whether it is a GPU's, AMD's or simulated. ROCr 6 maps waves' private
  /// memory so that the program itself can't read it.
  bool IsGPU() const {
    return Is('s') && (StringRef(path).starts_with("/dev/dri/renderD") ||
                       StringRef(path).starts_with("/memfd:wavelane-gpu"));
  }
};

class Writer {
public:
  Writer(NativeProcessProtocol &process, const MemoryPatches &patches)
      : m_process(process), m_patches(patches),
        m_proc("/proc/" + std::to_string(process.GetID())) {}
  ~Writer() {
    if (m_memory >= 0)
      ::close(m_memory);
    for (auto &[inode, fd] : m_files)
      if (fd >= 0)
        ::close(fd);
  }

  Error Write(ArrayRef<uint8_t> gpu_state, StringRef findings, int fd);

private:
  Error ReadMappings();
  void ChooseDumped(Mapping &mapping) const;
  void AddNote(StringRef owner, uint32_t type, const void *data, size_t size);
  Error AddProcessNotes();
  Error AddThreadNotes();
  Error AddThread(NativeThreadProtocol &thread);
  void AddFileNote();
  Error WriteMapping(int fd, const Mapping &mapping, uint64_t offset);
  int OpenFileOf(const Mapping &mapping);
  size_t Read(uint64_t address, uint8_t *buffer, size_t size, bool code);
  static Error WriteAt(int fd, uint64_t offset, const void *data, size_t size);

  NativeProcessProtocol &m_process;
  const MemoryPatches &m_patches;
  const std::string m_proc;
  int m_memory = -1;
  std::vector<Mapping> m_mappings;
  std::vector<uint8_t> m_notes;
  /// Descriptors of memory in unnamed files, by inode; -1 if one can't be
  /// opened.
  std::map<uint64_t, int> m_files;
};

Error Fail(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

Error FailErrno(const Twine &what) {
  return Fail(what + ": " + std::strerror(errno));
}

} // namespace

//===-- What is dumped ----------------------------------------------------===//

Error Writer::ReadMappings() {
  auto text = MemoryBuffer::getFileAsStream(m_proc + "/smaps");
  if (!text)
    return Fail(m_proc + "/smaps: " + text.getError().message());
  SmallVector<StringRef, 0> lines;
  (*text)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    // "55d0-55d1 r-xp 0000 08:01 123   /path", then "Anonymous:   4 kB" and
    // others.
    if (line.consume_front("Anonymous:")) {
      uint64_t kilobytes = 0;
      if (!m_mappings.empty() && !line.trim().consumeInteger(10, kilobytes))
        m_mappings.back().changed = !line.trim().starts_with("0 ");
      continue;
    }
    auto [range, rest] = line.split(' ');
    auto [start, end] = range.split('-');
    Mapping mapping{};
    if (end.empty() || start.getAsInteger(16, mapping.start) ||
        end.getAsInteger(16, mapping.end))
      continue;
    SmallVector<StringRef, 5> fields;
    rest.split(fields, ' ', 4, /*KeepEmpty=*/false);
    if (fields.size() < 4)
      continue;
    mapping.permissions = fields[0].str();
    (void)fields[1].getAsInteger(16, mapping.offset);
    (void)fields[3].split(' ').first.getAsInteger(10, mapping.inode);
    if (fields.size() > 4)
      mapping.path = fields[4].trim().str();
    m_mappings.push_back(std::move(mapping));
  }
  if (m_mappings.empty())
    return Fail("the program has no memory");
  for (Mapping &mapping : m_mappings)
    ChooseDumped(mapping);
  return Error::success();
}

void Writer::ChooseDumped(Mapping &mapping) const {
  const uint64_t size = mapping.end - mapping.start;
  const StringRef path = mapping.path;
  if ((!mapping.Is('r') && !mapping.IsGPU()) || path == "[vvar]" ||
      path == "[vsyscall]" || path.starts_with("[vvar"))
    return;
  if (path.starts_with("/dev/") && !path.starts_with("/dev/dri/renderD") &&
      !path.starts_with("/dev/shm/") && !path.starts_with("/dev/zero"))
    return;
  if (!mapping.IsFile() || mapping.IsNameless() || path.starts_with("/dev/")) {
    mapping.dumped = size;
    return;
  }
  if (mapping.Is('s'))
    return;
  if (mapping.Is('w') || (mapping.changed && !mapping.Is('x')))
    mapping.dumped = size;
  else if (mapping.offset == 0) // for an ELF file's build ID
    mapping.dumped = std::min(size, PageSize);
}

//===-- Notes -------------------------------------------------------------===//

void Writer::AddNote(StringRef owner, uint32_t type, const void *data,
                     size_t size) {
  auto put = [&](const void *bytes, size_t count) {
    const uint8_t *p = static_cast<const uint8_t *>(bytes);
    m_notes.insert(m_notes.end(), p, p + count);
    m_notes.resize(alignTo(m_notes.size(), 4));
  };
  const uint32_t header[3] = {uint32_t(owner.size() + 1), uint32_t(size), type};
  put(header, sizeof(header));
  put(owner.str().c_str(), owner.size() + 1);
  put(data, size);
}

Error Writer::AddProcessNotes() {
  elf_prpsinfo info = {};
  info.pr_pid = int(m_process.GetID());
  info.pr_sname = 't';
  info.pr_uid = ::getuid();
  info.pr_gid = ::getgid();
  if (auto name = MemoryBuffer::getFileAsStream(m_proc + "/comm")) {
    const StringRef text = (*name)->getBuffer().trim();
    std::memcpy(info.pr_fname, text.data(),
                std::min(text.size(), sizeof(info.pr_fname) - 1));
  }
  if (auto line = MemoryBuffer::getFileAsStream(m_proc + "/cmdline")) {
    std::string text = (*line)->getBuffer().str();
    std::replace(text.begin(), text.end(), '\0', ' ');
    std::memcpy(info.pr_psargs, text.data(),
                std::min(text.size(), sizeof(info.pr_psargs) - 1));
  }
  AddNote("CORE", ELF::NT_PRPSINFO, &info, sizeof(info));
  auto auxv = MemoryBuffer::getFileAsStream(m_proc + "/auxv");
  if (!auxv)
    return Fail(m_proc + "/auxv: " + auxv.getError().message());
  AddNote("CORE", ELF::NT_AUXV, (*auxv)->getBufferStart(),
          (*auxv)->getBufferSize());
  AddFileNote();
  return Error::success();
}

void Writer::AddFileNote() {
  std::vector<uint64_t> numbers = {0, PageSize};
  std::string names;
  for (const Mapping &mapping : m_mappings) {
    if (!mapping.IsFile() || mapping.IsNameless() ||
        StringRef(mapping.path).starts_with("/dev/"))
      continue;
    ++numbers[0];
    numbers.insert(numbers.end(),
                   {mapping.start, mapping.end, mapping.offset / PageSize});
    names += mapping.path;
    names += '\0';
  }
  std::vector<uint8_t> data(numbers.size() * sizeof(numbers[0]));
  std::memcpy(data.data(), numbers.data(), data.size());
  data.insert(data.end(), names.begin(), names.end());
  AddNote("CORE", ELF::NT_FILE, data.data(), data.size());
}

Error Writer::AddThread(NativeThreadProtocol &thread) {
  const ::pid_t tid = ::pid_t(thread.GetID());
  elf_prstatus status = {};
  status.pr_pid = tid;
  // A thread without a signal of its own was stopped by the debugger.
  status.pr_info.si_signo = SIGSTOP;
  lldb_private::ThreadStopInfo info;
  std::string description;
  if (thread.GetStopReason(info, description) &&
      info.reason != lldb::eStopReasonNone && info.signo && info.signo < NSIG)
    status.pr_info.si_signo = int(info.signo);
  status.pr_cursig = short(status.pr_info.si_signo);
  auto get = [&](unsigned type, void *data, size_t size) -> size_t {
    iovec vector = {data, size};
    return ::ptrace(PTRACE_GETREGSET, tid, type, &vector) == 0 ? vector.iov_len
                                                               : 0;
  };
  if (get(ELF::NT_PRSTATUS, &status.pr_reg, sizeof(status.pr_reg)) !=
      sizeof(status.pr_reg))
    return FailErrno("the registers of thread " + Twine(tid));
  AddNote("CORE", ELF::NT_PRSTATUS, &status, sizeof(status));
  std::vector<uint8_t> registers(64 << 10);
  if (size_t size = get(ELF::NT_FPREGSET, registers.data(), registers.size()))
    AddNote("CORE", ELF::NT_FPREGSET, registers.data(), size);
  if (size_t size = get(ELF::NT_X86_XSTATE, registers.data(), registers.size()))
    AddNote("LINUX", ELF::NT_X86_XSTATE, registers.data(), size);
  return Error::success();
}

Error Writer::AddThreadNotes() {
  // Debuggers show the first thread.
  NativeThreadProtocol *current = m_process.GetCurrentThread();
  if (current)
    if (Error error = AddThread(*current))
      return error;
  for (NativeThreadProtocol &thread : m_process.Threads())
    if (&thread != current)
      if (Error error = AddThread(thread))
        return error;
  return Error::success();
}

//===-- Memory ------------------------------------------------------------===//

Error Writer::WriteAt(int fd, uint64_t offset, const void *data, size_t size) {
  const uint8_t *from = static_cast<const uint8_t *>(data);
  while (size) {
    const ssize_t done = ::pwrite(fd, from, size, off_t(offset));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return FailErrno("writing the core file");
    from += done;
    offset += uint64_t(done);
    size -= size_t(done);
  }
  return Error::success();
}

size_t Writer::Read(uint64_t address, uint8_t *buffer, size_t size, bool code) {
  size_t got = 0;
  if (code) {
    // Use this function to hide the server's own breakpoints.
    if (m_process.ReadMemoryWithoutTrap(address, buffer, size, got).Fail())
      got = 0;
  } else {
    const ssize_t done = ::pread(m_memory, buffer, size, off_t(address));
    got = done > 0 ? size_t(done) : 0;
  }
  for (const auto &[place, bytes] : m_patches)
    for (size_t i = 0; i < bytes.size(); ++i)
      if (place + i >= address && place + i - address < got)
        buffer[place + i - address] = bytes[i];
  return got;
}

int Writer::OpenFileOf(const Mapping &mapping) {
  auto [found, is_new] = m_files.try_emplace(mapping.inode, -1);
  if (!is_new)
    return found->second;
  std::error_code error;
  for (sys::fs::directory_iterator it(m_proc + "/fd", error), end;
       !error && it != end; it.increment(error)) {
    struct stat info;
    if (::stat(it->path().c_str(), &info) != 0 ||
        info.st_ino != mapping.inode || !S_ISREG(info.st_mode))
      continue;
    found->second = ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC);
    if (found->second >= 0)
      break;
  }
  return found->second;
}

Error Writer::WriteMapping(int fd, const Mapping &mapping, uint64_t offset) {
  // Reading pages that were never written would allocate them.
  const int file =
      mapping.IsNameless() && mapping.Is('s') ? OpenFileOf(mapping) : -1;
  constexpr size_t Chunk = 1 << 20;
  static const uint8_t zeros[PageSize] = {};
  std::vector<uint8_t> buffer(Chunk);
  for (uint64_t at = 0; at < mapping.dumped;) {
    uint64_t end = mapping.dumped;
    if (file >= 0) {
      const off_t data = ::lseek(file, off_t(mapping.offset + at), SEEK_DATA);
      if (data < 0 && errno == ENXIO)
        break;
      if (data > off_t(mapping.offset + at)) {
        at = uint64_t(data) - mapping.offset;
        if (at >= mapping.dumped)
          break;
      }
      const off_t hole = ::lseek(file, off_t(mapping.offset + at), SEEK_HOLE);
      if (hole > off_t(mapping.offset + at))
        end = std::min(end, uint64_t(hole) - mapping.offset);
    }
    const size_t size = std::min<uint64_t>(Chunk, end - at);
    const size_t got =
        Read(mapping.start + at, buffer.data(), size, mapping.Is('x'));
    // Leave pages of zeros as holes.
    for (size_t page = 0; page < got; page += PageSize) {
      const size_t part = std::min<size_t>(PageSize, got - page);
      if (std::memcmp(&buffer[page], zeros, part) != 0)
        if (Error error = WriteAt(fd, offset + at + page, &buffer[page], part))
          return error;
    }
    // A page that can't be read remains a hole, as in the kernel's cores.
    at += got == size ? size : alignDown(got, PageSize) + PageSize;
  }
  return Error::success();
}

Error Writer::Write(ArrayRef<uint8_t> gpu_state, StringRef findings, int fd) {
  m_memory = ::open((m_proc + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (m_memory < 0)
    return FailErrno(m_proc + "/mem");
  if (Error error = ReadMappings())
    return error;
  if (Error error = AddThreadNotes())
    return error;
  if (Error error = AddProcessNotes())
    return error;
  AddNote(corefile::NoteOwner, corefile::NoteType, gpu_state.data(),
          gpu_state.size());
  if (!findings.empty())
    AddNote(corefile::FindingsNoteOwner, corefile::FindingsNoteType,
            findings.data(), findings.size());

  std::vector<ELF::Elf64_Phdr> segments(1);
  segments[0] = {};
  segments[0].p_type = ELF::PT_NOTE;
  segments[0].p_filesz = m_notes.size();
  segments[0].p_align = 4;
  for (const Mapping &mapping : m_mappings) {
    ELF::Elf64_Phdr segment = {};
    segment.p_type = ELF::PT_LOAD;
    segment.p_flags = (mapping.Is('r') ? ELF::PF_R : 0) |
                      (mapping.Is('w') ? ELF::PF_W : 0) |
                      (mapping.Is('x') ? ELF::PF_X : 0);
    segment.p_vaddr = mapping.start;
    segment.p_memsz = mapping.end - mapping.start;
    segment.p_filesz = mapping.dumped;
    segment.p_align = PageSize;
    segments.push_back(segment);
  }
  constexpr size_t MaxSegments = 0xfffe;
  if (segments.size() > MaxSegments)
    return Fail("the program has more mappings than a core file can hold");
  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_CORE;
  header.e_machine = ELF::EM_X86_64;
  header.e_version = ELF::EV_CURRENT;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = uint16_t(segments.size());
  const uint64_t headers_size = segments.size() * sizeof(segments[0]);
  segments[0].p_offset = sizeof(header) + headers_size;
  uint64_t end = alignTo(segments[0].p_offset + m_notes.size(), PageSize);
  for (size_t i = 1; i < segments.size(); ++i) {
    segments[i].p_offset = end;
    end = alignTo(end + segments[i].p_filesz, PageSize);
  }
  if (Error error = WriteAt(fd, 0, &header, sizeof(header)))
    return error;
  if (Error error = WriteAt(fd, sizeof(header), segments.data(), headers_size))
    return error;
  if (Error error =
          WriteAt(fd, segments[0].p_offset, m_notes.data(), m_notes.size()))
    return error;
  for (size_t i = 0; i < m_mappings.size(); ++i)
    if (Error error = WriteMapping(fd, m_mappings[i], segments[i + 1].p_offset))
      return error;
  if (::ftruncate(fd, off_t(end)) != 0)
    return FailErrno("writing the core file");
  return Error::success();
}

Error WriteCore(NativeProcessProtocol &process, ArrayRef<uint8_t> gpu_state,
                StringRef findings, const MemoryPatches &patches,
                const std::string &path) {
  Expected<files::OutputFile> core = files::OutputFile::create(path);
  if (!core)
    return core.takeError();
  if (Error error = Writer(process, patches)
                        .Write(gpu_state, findings, core->descriptor()))
    return error;
  return core->keep();
}

} // namespace wavelane::server
