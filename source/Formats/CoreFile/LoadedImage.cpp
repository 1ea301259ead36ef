//===-- LoadedImage.cpp - GPU code as it stands in memory -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Formats/CoreFile/LoadedImage.h"
#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <optional>

using namespace llvm;

namespace wavelane::corefile {

/// Real code objects are far below these limits.
static constexpr uint64_t MaxImage = uint64_t(1) << 30, MaxSegments = 64;
static constexpr uint64_t PageSize = 4096;

namespace {
struct Image {
  ELF::Elf64_Ehdr Header;
  std::vector<ELF::Elf64_Phdr> Segments;
};
} // namespace

static std::string hex(uint64_t Value) { return "0x" + utohexstr(Value, true); }

static Expected<Image> readHeaders(uint64_t Base, ReadMemory Read) {
  Image TheImage;
  if (Read(Base, &TheImage.Header, sizeof(TheImage.Header)) !=
      sizeof(TheImage.Header))
    return createStringError("there is no memory at " + hex(Base) +
                             ", where it is loaded");
  const ELF::Elf64_Ehdr &Header = TheImage.Header;
  if (!Header.checkMagic() ||
      Header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      Header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB ||
      Header.e_machine != ELF::EM_AMDGPU || Header.e_type != ELF::ET_DYN)
    return createStringError("memory at " + hex(Base) +
                             " holds no code object");
  if (Header.e_phentsize != sizeof(ELF::Elf64_Phdr) || Header.e_phnum == 0 ||
      Header.e_phnum > MaxSegments || Header.e_phoff > PageSize)
    return createStringError("the program headers in memory at " + hex(Base) +
                             " are damaged");
  TheImage.Segments.resize(Header.e_phnum);
  const size_t Size = TheImage.Segments.size() * sizeof(ELF::Elf64_Phdr);
  if (Read(Base + Header.e_phoff, TheImage.Segments.data(), Size) != Size)
    return createStringError("the program headers in memory at " + hex(Base) +
                             " can't be read");
  for (const ELF::Elf64_Phdr &Segment : TheImage.Segments)
    if (Segment.p_type == ELF::PT_LOAD &&
        (Segment.p_offset > MaxImage || Segment.p_filesz > MaxImage ||
         Segment.p_vaddr > MaxImage || Segment.p_memsz > MaxImage))
      return createStringError("a segment in memory at " + hex(Base) +
                               " is too large");
  return TheImage;
}

std::string readBuildId(uint64_t Base, ReadMemory Read) {
  Expected<Image> TheImage = readHeaders(Base, Read);
  if (!TheImage) {
    consumeError(TheImage.takeError());
    return {};
  }
  for (const ELF::Elf64_Phdr &Segment : TheImage->Segments) {
    if (Segment.p_type != ELF::PT_NOTE || Segment.p_filesz > (1 << 20) ||
        Segment.p_vaddr > MaxImage)
      continue;
    std::vector<uint8_t> Notes(Segment.p_filesz);
    if (Read(Base + Segment.p_vaddr, Notes.data(), Notes.size()) !=
        Notes.size())
      continue;
    for (size_t At = 0; Notes.size() - At >= 12;) {
      const uint64_t Name = support::endian::read32le(&Notes[At]);
      const uint64_t Data = support::endian::read32le(&Notes[At + 4]);
      const uint32_t Type = support::endian::read32le(&Notes[At + 8]);
      At += 12;
      const uint64_t Rest = Notes.size() - At;
      if (alignTo(Name, 4) > Rest || Data > Rest - alignTo(Name, 4))
        break;
      const uint8_t *Bytes = &Notes[At] + alignTo(Name, 4);
      if (Type == ELF::NT_GNU_BUILD_ID && Name == 4 &&
          std::memcmp(&Notes[At], "GNU", 4) == 0)
        return toHex(ArrayRef<uint8_t>(Bytes, Data));
      At += std::min<uint64_t>(Rest, alignTo(Name, 4) + alignTo(Data, 4));
    }
  }
  return {};
}

namespace {

/// Makes an ELF file of a loaded image: its original segments, and sections,
/// which aren't loaded.
class ImageBuilder {
public:
  ImageBuilder(uint64_t Base, Image TheImage, ReadMemory Read)
      : Base(Base), Header(TheImage.Header),
        Segments(std::move(TheImage.Segments)), Read(Read) {}

  Error copySegments();
  void addSegmentSections();
  void addNotes();
  void addSymbols();
  std::vector<uint8_t> finish();

private:
  /// The file offsets of the dynamic section's tables.
  struct Tables {
    std::optional<uint64_t> Symbols, Strings;
    uint64_t SymbolCount = 0, StringsSize = 0;
  };
  Tables findTables() const;
  /// The file offset of a virtual address that is followed by that many bytes.
  std::optional<uint64_t> find(uint64_t Address, uint64_t Bytes) const;
  uint32_t addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                      uint64_t Address, uint64_t Offset, uint64_t Bytes);
  /// Symbols refer to sections of the lost file: maps them to the sections
  /// created for segments.
  void relocate(uint64_t Symbols, uint64_t Count);

  const uint64_t Base;
  ELF::Elf64_Ehdr Header;
  const std::vector<ELF::Elf64_Phdr> Segments;
  const ReadMemory Read;
  std::vector<uint8_t> File;
  std::vector<ELF::Elf64_Shdr> Sections = {ELF::Elf64_Shdr{}};
  std::string Names = std::string(1, '\0');
  size_t SegmentSections = 0;
};

Error ImageBuilder::copySegments() {
  uint64_t Size = sizeof(ELF::Elf64_Ehdr), Sum = 0;
  for (const ELF::Elf64_Phdr &Segment : Segments) {
    if (Segment.p_type != ELF::PT_LOAD || !Segment.p_filesz)
      continue;
    Size = std::max<uint64_t>(Size, Segment.p_offset + Segment.p_filesz);
    Sum += Segment.p_filesz;
    const uint64_t Last = Base + Segment.p_vaddr + Segment.p_filesz - 1;
    uint8_t Byte;
    if (Read(Last, &Byte, 1) != 1)
      return createStringError("memory at " + hex(Last) +
                               ", a part of it, is missing");
  }
  // Loaded parts are contiguous and come first.
  constexpr uint64_t MaxGaps = 1 << 20;
  if (Size > Sum + MaxGaps)
    return createStringError("the program headers in memory at " + hex(Base) +
                             " are damaged");
  File.resize(Size);
  for (const ELF::Elf64_Phdr &Segment : Segments) {
    if (Segment.p_type != ELF::PT_LOAD || !Segment.p_filesz)
      continue;
    const size_t Got =
        Read(Base + Segment.p_vaddr, &File[Segment.p_offset], Segment.p_filesz);
    if (Got != Segment.p_filesz)
      return createStringError("memory at " +
                               hex(Base + Segment.p_vaddr + Got) +
                               ", a part of it, is missing");
  }
  return Error::success();
}

std::optional<uint64_t> ImageBuilder::find(uint64_t Address,
                                           uint64_t Bytes) const {
  for (const ELF::Elf64_Phdr &Segment : Segments)
    if (Segment.p_type == ELF::PT_LOAD && Address >= Segment.p_vaddr &&
        Address - Segment.p_vaddr <= Segment.p_filesz &&
        Bytes <= Segment.p_filesz - (Address - Segment.p_vaddr))
      return Segment.p_offset + (Address - Segment.p_vaddr);
  return std::nullopt;
}

uint32_t ImageBuilder::addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                                  uint64_t Address, uint64_t Offset,
                                  uint64_t Bytes) {
  ELF::Elf64_Shdr Section = {};
  Section.sh_name = uint32_t(Names.size());
  Names += Name.str() + '\0';
  Section.sh_type = Type;
  Section.sh_flags = Flags;
  Section.sh_addr = Address;
  Section.sh_offset = Offset;
  Section.sh_size = Bytes;
  Section.sh_addralign = 1;
  Sections.push_back(Section);
  return uint32_t(Sections.size() - 1);
}

void ImageBuilder::addSegmentSections() {
  for (const ELF::Elf64_Phdr &Segment : Segments)
    if (Segment.p_type == ELF::PT_LOAD)
      addSection(
          Segment.p_flags & ELF::PF_X   ? ".text"
          : Segment.p_flags & ELF::PF_W ? ".data"
                                        : ".rodata",
          Segment.p_filesz ? ELF::SHT_PROGBITS : ELF::SHT_NOBITS,
          ELF::SHF_ALLOC |
              (Segment.p_flags & ELF::PF_X ? uint64_t(ELF::SHF_EXECINSTR) : 0) |
              (Segment.p_flags & ELF::PF_W ? uint64_t(ELF::SHF_WRITE) : 0),
          Segment.p_vaddr, Segment.p_offset, Segment.p_memsz);
  SegmentSections = Sections.size();
}

/// Notes have no addresses, because LLDB rejects two sections at one address.
void ImageBuilder::addNotes() {
  for (const ELF::Elf64_Phdr &Segment : Segments)
    if (Segment.p_type == ELF::PT_NOTE && Segment.p_filesz <= File.size() &&
        Segment.p_offset <= File.size() - Segment.p_filesz) {
      const uint32_t Notes = addSection(".note", ELF::SHT_NOTE, 0, 0,
                                        Segment.p_offset, Segment.p_filesz);
      Sections[Notes].sh_addralign = 4;
    }
}

ImageBuilder::Tables ImageBuilder::findTables() const {
  uint64_t Symbols = 0, Strings = 0, StringsSize = 0, Hash = 0;
  for (const ELF::Elf64_Phdr &Segment : Segments) {
    if (Segment.p_type != ELF::PT_DYNAMIC)
      continue;
    std::optional<uint64_t> At = find(Segment.p_vaddr, Segment.p_filesz);
    for (uint64_t I = 0; At && I + 16 <= Segment.p_filesz; I += 16) {
      const uint64_t Value = support::endian::read64le(&File[*At + I + 8]);
      switch (support::endian::read64le(&File[*At + I])) {
      case ELF::DT_SYMTAB:
        Symbols = Value;
        break;
      case ELF::DT_STRTAB:
        Strings = Value;
        break;
      case ELF::DT_STRSZ:
        StringsSize = Value;
        break;
      case ELF::DT_HASH:
        Hash = Value;
        break;
      }
    }
  }
  // A loader may have made the addresses absolute.
  for (uint64_t *Address : {&Symbols, &Strings, &Hash})
    if (*Address > Base)
      *Address -= Base;
  Tables TheTables;
  std::optional<uint64_t> HashAt = find(Hash, 8);
  if (Hash && HashAt)
    TheTables.SymbolCount = support::endian::read32le(&File[*HashAt + 4]);
  TheTables.Symbols =
      find(Symbols, TheTables.SymbolCount * sizeof(ELF::Elf64_Sym));
  TheTables.Strings = find(Strings, StringsSize);
  TheTables.StringsSize = StringsSize;
  return TheTables;
}

void ImageBuilder::relocate(uint64_t Symbols, uint64_t Count) {
  for (uint64_t I = 1; I < Count; ++I) {
    ELF::Elf64_Sym Symbol;
    uint8_t *Place = &File[Symbols + I * sizeof(Symbol)];
    std::memcpy(&Symbol, Place, sizeof(Symbol));
    if (Symbol.st_shndx == ELF::SHN_UNDEF || Symbol.st_shndx == ELF::SHN_ABS)
      continue;
    Symbol.st_shndx = ELF::SHN_UNDEF;
    for (size_t S = 1; S < SegmentSections; ++S)
      if (Symbol.st_value >= Sections[S].sh_addr &&
          Symbol.st_value - Sections[S].sh_addr < Sections[S].sh_size)
        Symbol.st_shndx = uint16_t(S);
    std::memcpy(Place, &Symbol, sizeof(Symbol));
  }
}

void ImageBuilder::addSymbols() {
  const Tables TheTables = findTables();
  if (!TheTables.SymbolCount || !TheTables.Symbols || !TheTables.Strings)
    return;
  relocate(*TheTables.Symbols, TheTables.SymbolCount);
  const uint32_t Table =
      addSection(".dynsym", ELF::SHT_DYNSYM, 0, 0, *TheTables.Symbols,
                 TheTables.SymbolCount * sizeof(ELF::Elf64_Sym));
  Sections[Table].sh_entsize = sizeof(ELF::Elf64_Sym);
  Sections[Table].sh_info = 1;
  Sections[Table].sh_link = Table + 1;
  addSection(".dynstr", ELF::SHT_STRTAB, 0, 0, *TheTables.Strings,
             TheTables.StringsSize);
}

std::vector<uint8_t> ImageBuilder::finish() {
  const uint32_t Last =
      addSection(".shstrtab", ELF::SHT_STRTAB, 0, 0, File.size(), 0);
  Sections[Last].sh_size = Names.size();
  File.insert(File.end(), Names.begin(), Names.end());
  File.resize(alignTo(File.size(), 8));
  Header.e_shoff = File.size();
  Header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  Header.e_shnum = uint16_t(Sections.size());
  Header.e_shstrndx = uint16_t(Last);
  std::memcpy(File.data(), &Header, sizeof(Header));
  const uint8_t *Bytes = reinterpret_cast<const uint8_t *>(Sections.data());
  File.insert(File.end(), Bytes,
              Bytes + Sections.size() * sizeof(ELF::Elf64_Shdr));
  return std::move(File);
}

} // namespace

Expected<std::vector<uint8_t>> rebuildImage(uint64_t Base, ReadMemory Read) {
  Expected<Image> Headers = readHeaders(Base, Read);
  if (!Headers)
    return Headers.takeError();
  ImageBuilder Builder(Base, std::move(*Headers), Read);
  if (Error Error = Builder.copySegments())
    return std::move(Error);
  Builder.addSegmentSections();
  Builder.addNotes();
  Builder.addSymbols();
  return Builder.finish();
}

std::vector<LoadedImage> findImages(const CoreFile &Core) {
  std::vector<LoadedImage> Images;
  auto Read = [&](uint64_t Address, void *Buffer, size_t Size) {
    return Core.read(Address, Buffer, Size);
  };
  for (const CoreFile::Range &Span : Core.getRanges()) {
    const uint64_t End = Span.Address + Span.Size;
    for (uint64_t At = alignTo(Span.Address, PageSize);
         At >= Span.Address && At < End; At += PageSize) {
      char Magic[4];
      if (Core.read(At, Magic, sizeof(Magic)) != sizeof(Magic) ||
          std::memcmp(Magic, ELF::ElfMagic, sizeof(Magic)) != 0)
        continue;
      Expected<Image> TheImage = readHeaders(At, Read);
      if (!TheImage) {
        consumeError(TheImage.takeError());
        continue;
      }
      uint64_t Size = 0;
      bool Code = false;
      for (const ELF::Elf64_Phdr &Segment : TheImage->Segments) {
        if (Segment.p_type != ELF::PT_LOAD)
          continue;
        Size = std::max<uint64_t>(Size, Segment.p_vaddr + Segment.p_memsz);
        Code |= (Segment.p_flags & ELF::PF_X) != 0;
      }
      if (Code)
        Images.push_back({At, Size});
    }
  }
  return Images;
}

void addCodeObjectList(CoreFile &Core, uint64_t RDebug, uint32_t Version) {
  // r_debug, then for each code object its link map and its name.
  constexpr uint64_t RDebugSize = 40, LinkSize = 40, NameSize = 88, Line = 64;
  const std::vector<LoadedImage> Images = findImages(Core);
  const uint64_t Start = RDebug / Line * Line;
  const uint64_t First = alignTo(RDebug + RDebugSize, 8) - Start;
  std::vector<uint8_t> Bytes(
      alignTo(First + Images.size() * (LinkSize + NameSize), Line));
  auto Put64 = [&](uint64_t At, uint64_t Value) {
    support::endian::write64le(&Bytes[At], Value);
  };
  const uint64_t Head = RDebug - Start;
  support::endian::write32le(&Bytes[Head], Version);
  if (!Images.empty())
    Put64(Head + 8, Start + First);
  for (size_t I = 0; I < Images.size(); ++I) {
    const uint64_t Link = First + I * (LinkSize + NameSize);
    const std::string Name = "memory://" + std::to_string(Core.getPid()) +
                             "#offset=" + hex(Images[I].Base) +
                             "&size=" + hex(Images[I].Size);
    Put64(Link, Images[I].Base);
    Put64(Link + 8, Start + Link + LinkSize);
    if (I + 1 < Images.size())
      Put64(Link + 24, Start + Link + LinkSize + NameSize);
    if (I)
      Put64(Link + 32, Start + Link - LinkSize - NameSize);
    std::memcpy(&Bytes[Link + LinkSize], Name.data(), Name.size());
  }
  Core.add(Start, Bytes);
}

} // namespace wavelane::corefile
