//===-- LoadedImage.cpp - GPU code as it stands in memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/CoreFile/LoadedImage.h"
#include "wavelane/CoreFile/CoreFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <optional>

using namespace llvm;

namespace wavelane::corefile {

/// Real code objects are below these by far.
static constexpr uint64_t MaxImage = uint64_t(1) << 30, MaxSegments = 64;
static constexpr uint64_t PageSize = 4096;

namespace {
struct Image {
  ELF::Elf64_Ehdr header;
  std::vector<ELF::Elf64_Phdr> segments;
};
} // namespace

static Error Fail(const Twine &text) {
  return createStringError(inconvertibleErrorCode(), text);
}

static std::string Hex(uint64_t value) { return "0x" + utohexstr(value, true); }

static Expected<Image> ReadHeaders(uint64_t base, ReadMemory read) {
  Image image;
  if (read(base, &image.header, sizeof(image.header)) != sizeof(image.header))
    return Fail("there is no memory at " + Hex(base) + ", where it is loaded");
  const ELF::Elf64_Ehdr &header = image.header;
  if (!header.checkMagic() ||
      header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      header.e_machine != ELF::EM_AMDGPU || header.e_type != ELF::ET_DYN)
    return Fail("memory at " + Hex(base) + " holds no code object");
  if (header.e_phentsize != sizeof(ELF::Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > MaxSegments || header.e_phoff > PageSize)
    return Fail("the program headers in memory at " + Hex(base) +
                " are damaged");
  image.segments.resize(header.e_phnum);
  const size_t size = image.segments.size() * sizeof(ELF::Elf64_Phdr);
  if (read(base + header.e_phoff, image.segments.data(), size) != size)
    return Fail("the program headers in memory at " + Hex(base) +
                " can't be read");
  for (const ELF::Elf64_Phdr &segment : image.segments)
    if (segment.p_type == ELF::PT_LOAD &&
        (segment.p_offset > MaxImage || segment.p_filesz > MaxImage ||
         segment.p_vaddr > MaxImage || segment.p_memsz > MaxImage))
      return Fail("a segment in memory at " + Hex(base) + " is too large");
  return image;
}

std::string ReadBuildID(uint64_t base, ReadMemory read) {
  Expected<Image> image = ReadHeaders(base, read);
  if (!image) {
    consumeError(image.takeError());
    return {};
  }
  for (const ELF::Elf64_Phdr &segment : image->segments) {
    if (segment.p_type != ELF::PT_NOTE || segment.p_filesz > (1 << 20) ||
        segment.p_vaddr > MaxImage)
      continue;
    std::vector<uint8_t> notes(segment.p_filesz);
    if (read(base + segment.p_vaddr, notes.data(), notes.size()) !=
        notes.size())
      continue;
    for (size_t at = 0; notes.size() - at >= 12;) {
      const uint64_t name = support::endian::read32le(&notes[at]);
      const uint64_t data = support::endian::read32le(&notes[at + 4]);
      const uint32_t type = support::endian::read32le(&notes[at + 8]);
      at += 12;
      const uint64_t rest = notes.size() - at;
      if (alignTo(name, 4) > rest || data > rest - alignTo(name, 4))
        break;
      const uint8_t *bytes = &notes[at] + alignTo(name, 4);
      if (type == ELF::NT_GNU_BUILD_ID && name == 4 &&
          !std::memcmp(&notes[at], "GNU", 4))
        return toHex(ArrayRef<uint8_t>(bytes, data));
      at += std::min<uint64_t>(rest, alignTo(name, 4) + alignTo(data, 4));
    }
  }
  return {};
}

namespace {

/// Makes an ELF file of a loaded image: its segments as they were in the file,
/// and sections, which no memory has.
class ImageBuilder {
public:
  ImageBuilder(uint64_t base, Image image, ReadMemory read)
      : m_base(base), m_header(image.header),
        m_segments(std::move(image.segments)), m_read(read) {}

  Error CopySegments();
  void AddSegmentSections();
  void AddNotes();
  void AddSymbols();
  std::vector<uint8_t> Finish();

private:
  /// Where the tables of the dynamic section are in the file.
  struct Tables {
    std::optional<uint64_t> symbols, strings;
    uint64_t symbol_count = 0, strings_size = 0;
  };
  Tables FindTables() const;
  /// What a virtual address is in the file, with so many bytes behind it.
  std::optional<uint64_t> Find(uint64_t address, uint64_t bytes) const;
  uint32_t AddSection(StringRef name, uint32_t type, uint64_t flags,
                      uint64_t address, uint64_t offset, uint64_t bytes);
  /// Symbols name sections of the file that is lost: they get those for
  /// segments.
  void Relocate(uint64_t symbols, uint64_t count);

  const uint64_t m_base;
  ELF::Elf64_Ehdr m_header;
  const std::vector<ELF::Elf64_Phdr> m_segments;
  const ReadMemory m_read;
  std::vector<uint8_t> m_file;
  std::vector<ELF::Elf64_Shdr> m_sections = {ELF::Elf64_Shdr{}};
  std::string m_names = std::string(1, '\0');
  size_t m_segment_sections = 0;
};

Error ImageBuilder::CopySegments() {
  uint64_t size = sizeof(ELF::Elf64_Ehdr), sum = 0;
  for (const ELF::Elf64_Phdr &segment : m_segments) {
    if (segment.p_type != ELF::PT_LOAD || !segment.p_filesz)
      continue;
    size = std::max<uint64_t>(size, segment.p_offset + segment.p_filesz);
    sum += segment.p_filesz;
    const uint64_t last = m_base + segment.p_vaddr + segment.p_filesz - 1;
    uint8_t byte;
    if (m_read(last, &byte, 1) != 1)
      return Fail("memory at " + Hex(last) + ", a part of it, isn't there");
  }
  // What is loaded stands together, before all else.
  constexpr uint64_t MaxGaps = 1 << 20;
  if (size > sum + MaxGaps)
    return Fail("the program headers in memory at " + Hex(m_base) +
                " are damaged");
  m_file.resize(size);
  for (const ELF::Elf64_Phdr &segment : m_segments) {
    if (segment.p_type != ELF::PT_LOAD || !segment.p_filesz)
      continue;
    const size_t got = m_read(m_base + segment.p_vaddr,
                              &m_file[segment.p_offset], segment.p_filesz);
    if (got != segment.p_filesz)
      return Fail("memory at " + Hex(m_base + segment.p_vaddr + got) +
                  ", a part of it, isn't there");
  }
  return Error::success();
}

std::optional<uint64_t> ImageBuilder::Find(uint64_t address,
                                           uint64_t bytes) const {
  for (const ELF::Elf64_Phdr &segment : m_segments)
    if (segment.p_type == ELF::PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr <= segment.p_filesz &&
        bytes <= segment.p_filesz - (address - segment.p_vaddr))
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

uint32_t ImageBuilder::AddSection(StringRef name, uint32_t type, uint64_t flags,
                                  uint64_t address, uint64_t offset,
                                  uint64_t bytes) {
  ELF::Elf64_Shdr section = {};
  section.sh_name = uint32_t(m_names.size());
  m_names += name.str() + '\0';
  section.sh_type = type;
  section.sh_flags = flags;
  section.sh_addr = address;
  section.sh_offset = offset;
  section.sh_size = bytes;
  section.sh_addralign = 1;
  m_sections.push_back(section);
  return uint32_t(m_sections.size() - 1);
}

void ImageBuilder::AddSegmentSections() {
  for (const ELF::Elf64_Phdr &segment : m_segments)
    if (segment.p_type == ELF::PT_LOAD)
      AddSection(
          segment.p_flags & ELF::PF_X   ? ".text"
          : segment.p_flags & ELF::PF_W ? ".data"
                                        : ".rodata",
          segment.p_filesz ? ELF::SHT_PROGBITS : ELF::SHT_NOBITS,
          ELF::SHF_ALLOC |
              (segment.p_flags & ELF::PF_X ? uint64_t(ELF::SHF_EXECINSTR) : 0) |
              (segment.p_flags & ELF::PF_W ? uint64_t(ELF::SHF_WRITE) : 0),
          segment.p_vaddr, segment.p_offset, segment.p_memsz);
  m_segment_sections = m_sections.size();
}

/// Notes are not at addresses of their own: LLDB takes no two sections for one.
void ImageBuilder::AddNotes() {
  for (const ELF::Elf64_Phdr &segment : m_segments)
    if (segment.p_type == ELF::PT_NOTE && segment.p_filesz <= m_file.size() &&
        segment.p_offset <= m_file.size() - segment.p_filesz) {
      const uint32_t notes = AddSection(".note", ELF::SHT_NOTE, 0, 0,
                                        segment.p_offset, segment.p_filesz);
      m_sections[notes].sh_addralign = 4;
    }
}

ImageBuilder::Tables ImageBuilder::FindTables() const {
  uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0;
  for (const ELF::Elf64_Phdr &segment : m_segments) {
    if (segment.p_type != ELF::PT_DYNAMIC)
      continue;
    std::optional<uint64_t> at = Find(segment.p_vaddr, segment.p_filesz);
    for (uint64_t i = 0; at && i + 16 <= segment.p_filesz; i += 16) {
      const uint64_t value = support::endian::read64le(&m_file[*at + i + 8]);
      switch (support::endian::read64le(&m_file[*at + i])) {
      case ELF::DT_SYMTAB:
        symbols = value;
        break;
      case ELF::DT_STRTAB:
        strings = value;
        break;
      case ELF::DT_STRSZ:
        strings_size = value;
        break;
      case ELF::DT_HASH:
        hash = value;
        break;
      }
    }
  }
  // A loader may have made the addresses absolute.
  for (uint64_t *address : {&symbols, &strings, &hash})
    if (*address > m_base)
      *address -= m_base;
  Tables tables;
  std::optional<uint64_t> hash_at = Find(hash, 8);
  if (hash && hash_at)
    tables.symbol_count = support::endian::read32le(&m_file[*hash_at + 4]);
  tables.symbols = Find(symbols, tables.symbol_count * sizeof(ELF::Elf64_Sym));
  tables.strings = Find(strings, strings_size);
  tables.strings_size = strings_size;
  return tables;
}

void ImageBuilder::Relocate(uint64_t symbols, uint64_t count) {
  for (uint64_t i = 1; i < count; ++i) {
    ELF::Elf64_Sym symbol;
    uint8_t *place = &m_file[symbols + i * sizeof(symbol)];
    std::memcpy(&symbol, place, sizeof(symbol));
    if (symbol.st_shndx == ELF::SHN_UNDEF || symbol.st_shndx == ELF::SHN_ABS)
      continue;
    symbol.st_shndx = ELF::SHN_UNDEF;
    for (size_t s = 1; s < m_segment_sections; ++s)
      if (symbol.st_value >= m_sections[s].sh_addr &&
          symbol.st_value - m_sections[s].sh_addr < m_sections[s].sh_size)
        symbol.st_shndx = uint16_t(s);
    std::memcpy(place, &symbol, sizeof(symbol));
  }
}

void ImageBuilder::AddSymbols() {
  const Tables tables = FindTables();
  if (!tables.symbol_count || !tables.symbols || !tables.strings)
    return;
  Relocate(*tables.symbols, tables.symbol_count);
  const uint32_t table =
      AddSection(".dynsym", ELF::SHT_DYNSYM, 0, 0, *tables.symbols,
                 tables.symbol_count * sizeof(ELF::Elf64_Sym));
  m_sections[table].sh_entsize = sizeof(ELF::Elf64_Sym);
  m_sections[table].sh_info = 1;
  m_sections[table].sh_link = table + 1;
  AddSection(".dynstr", ELF::SHT_STRTAB, 0, 0, *tables.strings,
             tables.strings_size);
}

std::vector<uint8_t> ImageBuilder::Finish() {
  const uint32_t last =
      AddSection(".shstrtab", ELF::SHT_STRTAB, 0, 0, m_file.size(), 0);
  m_sections[last].sh_size = m_names.size();
  m_file.insert(m_file.end(), m_names.begin(), m_names.end());
  m_file.resize(alignTo(m_file.size(), 8));
  m_header.e_shoff = m_file.size();
  m_header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  m_header.e_shnum = uint16_t(m_sections.size());
  m_header.e_shstrndx = uint16_t(last);
  std::memcpy(m_file.data(), &m_header, sizeof(m_header));
  const uint8_t *bytes = reinterpret_cast<const uint8_t *>(m_sections.data());
  m_file.insert(m_file.end(), bytes,
                bytes + m_sections.size() * sizeof(ELF::Elf64_Shdr));
  return std::move(m_file);
}

} // namespace

Expected<std::vector<uint8_t>> RebuildImage(uint64_t base, ReadMemory read) {
  Expected<Image> headers = ReadHeaders(base, read);
  if (!headers)
    return headers.takeError();
  ImageBuilder builder(base, std::move(*headers), read);
  if (Error error = builder.CopySegments())
    return std::move(error);
  builder.AddSegmentSections();
  builder.AddNotes();
  builder.AddSymbols();
  return builder.Finish();
}

std::vector<LoadedImage> FindImages(const CoreFile &core) {
  std::vector<LoadedImage> images;
  auto read = [&](uint64_t address, void *buffer, size_t size) {
    return core.Read(address, buffer, size);
  };
  for (const CoreFile::Range &range : core.GetRanges()) {
    const uint64_t end = range.address + range.size;
    for (uint64_t at = alignTo(range.address, PageSize);
         at >= range.address && at < end; at += PageSize) {
      char magic[4];
      if (core.Read(at, magic, sizeof(magic)) != sizeof(magic) ||
          std::memcmp(magic, ELF::ElfMagic, sizeof(magic)))
        continue;
      Expected<Image> image = ReadHeaders(at, read);
      if (!image) {
        consumeError(image.takeError());
        continue;
      }
      uint64_t size = 0;
      bool code = false;
      for (const ELF::Elf64_Phdr &segment : image->segments) {
        if (segment.p_type != ELF::PT_LOAD)
          continue;
        size = std::max<uint64_t>(size, segment.p_vaddr + segment.p_memsz);
        code |= (segment.p_flags & ELF::PF_X) != 0;
      }
      if (code)
        images.push_back({at, size});
    }
  }
  return images;
}

void AddCodeObjectList(CoreFile &core, uint64_t r_debug, uint32_t version) {
  // r_debug, then for each code object its link map and its name.
  constexpr uint64_t RDebugSize = 40, LinkSize = 40, NameSize = 88, Line = 64;
  const std::vector<LoadedImage> images = FindImages(core);
  const uint64_t start = r_debug / Line * Line;
  const uint64_t first = alignTo(r_debug + RDebugSize, 8) - start;
  std::vector<uint8_t> bytes(
      alignTo(first + images.size() * (LinkSize + NameSize), Line));
  auto put64 = [&](uint64_t at, uint64_t value) {
    support::endian::write64le(&bytes[at], value);
  };
  const uint64_t head = r_debug - start;
  support::endian::write32le(&bytes[head], version);
  if (!images.empty())
    put64(head + 8, start + first);
  for (size_t i = 0; i < images.size(); ++i) {
    const uint64_t link = first + i * (LinkSize + NameSize);
    const std::string name = "memory://" + std::to_string(core.GetPID()) +
                             "#offset=" + Hex(images[i].base) +
                             "&size=" + Hex(images[i].size);
    put64(link, images[i].base);
    put64(link + 8, start + link + LinkSize);
    if (i + 1 < images.size())
      put64(link + 24, start + link + LinkSize + NameSize);
    if (i)
      put64(link + 32, start + link - LinkSize - NameSize);
    std::memcpy(&bytes[link + LinkSize], name.data(), name.size());
  }
  core.Add(start, bytes);
}

} // namespace wavelane::corefile
