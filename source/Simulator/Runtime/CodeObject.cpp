//===-- CodeObject.cpp - offload bundles, ELF, metadata -------------------===//
//
// Everything here is read from memory that the program supplies: each offset
// and size is checked against what there is.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include "../Common/Agent.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <sstream>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::hip;

//===----------------------------------------------------------------------===//
// MessagePack: what metadata needs of it.
//===----------------------------------------------------------------------===//

namespace {
struct Pack {
  enum Kind { Nil, Integer, String, Array, Map } Is = Nil;
  uint64_t Number = 0;
  std::string Text;
  std::vector<Pack> Items; ///< Map: key, value, key, value...

  const Pack *get(const char *Key) const {
    if (Is == Map)
      for (size_t I = 0; I + 1 < Items.size(); I += 2)
        if (Items[I].Is == String && Items[I].Text == Key)
          return &Items[I + 1];
    return nullptr;
  }
  uint64_t number(const char *Key, uint64_t Default = 0) const {
    const Pack *P = get(Key);
    return P && P->Is == Integer ? P->Number : Default;
  }
  std::string text(const char *Key) const {
    const Pack *P = get(Key);
    return P && P->Is == String ? P->Text : std::string();
  }
};

class PackReader {
public:
  PackReader(const uint8_t *Data, size_t Size) : P(Data), End(Data + Size) {}

  bool read(Pack &Out, unsigned Depth = 0) {
    if (P == End || Depth > 16)
      return false;
    const uint8_t Tag = *P++;
    uint64_t N = 0;
    if (Tag < 0x80)
      return integer(Out, Tag);
    if (Tag < 0x90)
      return sequence(Out, Pack::Map, Tag & 15, Depth);
    if (Tag < 0xa0)
      return sequence(Out, Pack::Array, Tag & 15, Depth);
    if (Tag < 0xc0)
      return string(Out, Tag & 31);
    if (Tag >= 0xe0)
      return integer(Out, uint64_t(int64_t(int8_t(Tag))));
    switch (Tag) {
    case 0xc0:
      Out.Is = Pack::Nil;
      return true;
    case 0xc2:
    case 0xc3:
      return integer(Out, Tag & 1);
    case 0xc4:
    case 0xd9:
      return big(N, 1) && string(Out, N);
    case 0xc5:
    case 0xda:
      return big(N, 2) && string(Out, N);
    case 0xc6:
    case 0xdb:
      return big(N, 4) && string(Out, N);
    case 0xca:
      return big(N, 4) && integer(Out, N);
    case 0xcb:
      return big(N, 8) && integer(Out, N);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return big(N, 1u << (Tag - 0xcc)) && integer(Out, N);
    case 0xd0:
      return big(N, 1) && integer(Out, uint64_t(int64_t(int8_t(N))));
    case 0xd1:
      return big(N, 2) && integer(Out, uint64_t(int64_t(int16_t(N))));
    case 0xd2:
      return big(N, 4) && integer(Out, uint64_t(int64_t(int32_t(N))));
    case 0xd3:
      return big(N, 8) && integer(Out, N);
    case 0xdc:
      return big(N, 2) && sequence(Out, Pack::Array, N, Depth);
    case 0xdd:
      return big(N, 4) && sequence(Out, Pack::Array, N, Depth);
    case 0xde:
      return big(N, 2) && sequence(Out, Pack::Map, N, Depth);
    case 0xdf:
      return big(N, 4) && sequence(Out, Pack::Map, N, Depth);
    }
    return false;
  }

private:
  bool big(uint64_t &Out, unsigned Bytes) {
    if (size_t(End - P) < Bytes)
      return false;
    Out = 0;
    while (Bytes--)
      Out = Out << 8 | *P++;
    return true;
  }
  bool integer(Pack &Out, uint64_t N) {
    Out.Is = Pack::Integer;
    Out.Number = N;
    return true;
  }
  bool string(Pack &Out, uint64_t Size) {
    if (size_t(End - P) < Size)
      return false;
    Out.Is = Pack::String;
    Out.Text.assign(reinterpret_cast<const char *>(P), Size);
    P += Size;
    return true;
  }
  bool sequence(Pack &Out, Pack::Kind Kind, uint64_t Count, unsigned Depth) {
    if (Kind == Pack::Map)
      Count *= 2;
    if (Count > size_t(End - P)) // each item takes a byte at least
      return false;
    Out.Is = Kind;
    Out.Items.resize(Count);
    for (Pack &Item : Out.Items)
      if (!read(Item, Depth + 1))
        return false;
    return true;
  }
  const uint8_t *P, *End;
};

/// Bounds-checked views of an image.
struct Image {
  const uint8_t *Data;
  uint64_t Size;
  const uint8_t *at(uint64_t Offset, uint64_t Bytes) const {
    if (Offset > Size || Bytes > Size - Offset)
      return nullptr;
    return Data + Offset;
  }
  template <typename T> bool read(uint64_t Offset, T &Out) const {
    const uint8_t *P = at(Offset, sizeof(T));
    if (P)
      memcpy(&Out, P, sizeof(T));
    return P != nullptr;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

uint64_t wavelane::hip::readableSize(const void *Address, uint64_t Fallback) {
  struct Search {
    uint64_t Address, Size;
  } S = {reinterpret_cast<uint64_t>(Address), 0};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Data) -> int {
        Search *S = static_cast<Search *>(Data);
        for (unsigned I = 0; I < Info->dlpi_phnum; ++I) {
          const ElfW(Phdr) &P = Info->dlpi_phdr[I];
          const uint64_t Begin = Info->dlpi_addr + P.p_vaddr;
          if (P.p_type == PT_LOAD && S->Address >= Begin &&
              S->Address < Begin + P.p_memsz)
            S->Size = Begin + P.p_memsz - S->Address;
        }
        return S->Size != 0;
      },
      &S);
  return S.Size ? S.Size : Fallback;
}

/// The generic target that a device belongs to; empty if none.
static std::string genericOf(const std::string &TargetId) {
  const auto *P = wavelane::gpu::findByName(TargetId);
  return P && P->Generic != wavelane::gpu::ProcessorId::NONE
             ? wavelane::gpu::get(P->Generic).Name
             : "";
}

/// "gfx90a:sramecc+" runs on "gfx90a:sramecc+:xnack-": the same processor, and
/// every feature that is named is as the device has it.
static bool runsOn(const std::string &Wanted, const std::string &Device) {
  std::istringstream In(Wanted);
  std::string Part;
  std::getline(In, Part, ':');
  if (Part != Device.substr(0, Device.find(':')))
    return false;
  while (std::getline(In, Part, ':'))
    if ((Device + ":").find(":" + Part + ":") == std::string::npos)
      return false;
  return true;
}

/// Bytes of the ELF file that \a In begins with; all of \a In where it isn't whole.
static uint64_t fileSize(const Image &In) {
  Elf64_Ehdr Header;
  if (!In.read(0, Header))
    return In.Size;
  uint64_t End = sizeof(Header);
  auto Include = [&](uint64_t Offset, uint64_t Bytes) {
    if (!In.at(Offset, Bytes))
      return false;
    End = std::max(End, Offset + Bytes);
    return true;
  };
  if (!Include(Header.e_phoff, uint64_t(Header.e_phnum) * sizeof(Elf64_Phdr)) ||
      !Include(Header.e_shoff, uint64_t(Header.e_shnum) * sizeof(Elf64_Shdr)))
    return In.Size;
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr P;
    if (!In.read(Header.e_phoff + I * sizeof(P), P) ||
        !Include(P.p_offset, P.p_filesz))
      return In.Size;
  }
  for (unsigned I = 0; I < Header.e_shnum; ++I) {
    Elf64_Shdr S;
    if (!In.read(Header.e_shoff + I * sizeof(S), S) ||
        (S.sh_type != SHT_NOBITS && !Include(S.sh_offset, S.sh_size)))
      return In.Size;
  }
  return End;
}

hipError_t wavelane::hip::selectCodeObject(const uint8_t *Data, uint64_t Limit,
                                           const std::string &TargetId,
                                           const uint8_t *&Elf, uint64_t &Size,
                                           std::string &Why) {
  static const char Magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  const Image In = {Data, Limit};
  if (const uint8_t *P = In.at(0, 4); P && !memcmp(P, "\177ELF", 4)) {
    // Who gives an address alone doesn't say where the file ends.
    Elf = Data;
    Size = fileSize(In);
    return hipSuccess;
  }
  if (const uint8_t *P = In.at(0, 4); P && !memcmp(P, "CCOB", 4)) {
    Why = "the fat binary is compressed, which this runtime does not read "
          "(build with --no-offload-compress)";
    return hipErrorInvalidImage;
  }
  const uint8_t *Start = In.at(0, 24);
  uint64_t Count = 0;
  if (!Start || memcmp(Start, Magic, 24) != 0 || !In.read(24, Count)) {
    Why = "it is neither an offload bundle nor a code object";
    return hipErrorInvalidImage;
  }
  std::string Holds;
  const std::string Generic = genericOf(TargetId);
  const uint8_t *GenericElf = nullptr;
  uint64_t GenericSize = 0;
  uint64_t Offset = 32;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Entry[3];
    const uint8_t *Name = nullptr;
    if (In.read(Offset, Entry))
      Name = In.at(Offset + 24, Entry[2]);
    if (!Name) {
      Why = "the offload bundle is truncated: entry " + std::to_string(I) +
            " of " + std::to_string(Count) + " is not all there";
      return hipErrorInvalidImage;
    }
    Offset += 24 + Entry[2];
    const std::string Id(reinterpret_cast<const char *>(Name), Entry[2]);
    const size_t Gpu = Id.find("amdgcn-amd-amdhsa-");
    if (Gpu == std::string::npos)
      continue;
    std::string Target = Id.substr(Gpu + 18);
    if (!Target.empty() && Target[0] == '-')
      Target.erase(0, 1);
    const bool Exact = runsOn(Target, TargetId);
    if (Exact || (!Generic.empty() && Target == Generic)) {
      Elf = In.at(Entry[0], Entry[1]);
      Size = Entry[1];
      if (!Elf) {
        Why = "the offload bundle is truncated: the code object for " + Target +
              " ends beyond the image";
        return hipErrorInvalidImage;
      }
      // Code for the device itself is better than generic code.
      if (Exact)
        return hipSuccess;
      GenericElf = Elf;
      GenericSize = Size;
    }
    Holds += (Holds.empty() ? "" : ", ") + Target;
  }
  if (GenericElf) {
    Elf = GenericElf;
    Size = GenericSize;
    return hipSuccess;
  }
  Why = "it holds code for " + (Holds.empty() ? "no GPU" : Holds) +
        "; the device is " + TargetId;
  return hipErrorNoBinaryForGpu;
}

std::string wavelane::hip::describeImage(const uint8_t *Elf, uint64_t Size) {
  const uint64_t Address = reinterpret_cast<uint64_t>(Elf);
  std::ifstream Maps("/proc/self/maps");
  std::string Line;
  while (std::getline(Maps, Line)) {
    unsigned long Begin = 0, End = 0, Offset = 0;
    int PathAt = 0;
    if (sscanf(Line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &Begin, &End,
               &Offset, &PathAt) < 3)
      continue;
    if (Address < Begin || Address >= End)
      continue;
    const std::string Path = PathAt ? Line.substr(size_t(PathAt)) : "";
    if (Path.empty() || Path[0] != '/' || Address + Size > End)
      break;
    std::string Uri = "file://";
    for (char C : Path) {
      char Hex[4];
      if (isalnum(static_cast<unsigned char>(C)) || strchr("/-_.~+", C)) {
        Uri += C;
      } else {
        snprintf(Hex, sizeof(Hex), "%%%02X", static_cast<unsigned char>(C));
        Uri += Hex;
      }
    }
    return Uri + "#offset=" + std::to_string(Address - Begin + Offset) +
           "&size=" + std::to_string(Size);
  }
  char Text[96];
  snprintf(Text, sizeof(Text), "memory://%d#offset=0x%lx&size=%lu",
           int(getpid()), static_cast<unsigned long>(Address),
           static_cast<unsigned long>(Size));
  return Text;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CodeObject::~CodeObject() = default;

static bool readMetadata(const Image &In, const Elf64_Phdr &Note,
                         CodeObject &Out) {
  uint64_t At = Note.p_offset;
  if (Note.p_filesz > In.Size || At > In.Size - Note.p_filesz)
    return false;
  const uint64_t End = At + Note.p_filesz;
  while (At + sizeof(Elf64_Nhdr) <= End) {
    Elf64_Nhdr N;
    if (!In.read(At, N))
      return false;
    const uint64_t Name = At + sizeof(N);
    const uint64_t Desc = Name + ((uint64_t(N.n_namesz) + 3) & ~uint64_t(3));
    At = Desc + ((uint64_t(N.n_descsz) + 3) & ~uint64_t(3));
    const uint8_t *Owner = In.at(Name, N.n_namesz);
    const uint8_t *Bytes = In.at(Desc, N.n_descsz);
    if (!Owner || !Bytes || At > End + 3)
      return false;
    if (N.n_type != 32 || N.n_namesz != 7 || memcmp(Owner, "AMDGPU", 7) != 0)
      continue;
    Pack Root;
    if (!PackReader(Bytes, N.n_descsz).read(Root))
      return false;
    const Pack *Kernels = Root.get("amdhsa.kernels");
    if (!Kernels)
      return true;
    for (const Pack &K : Kernels->Items) {
      auto Kern = std::make_unique<Kernel>();
      Kern->Name = K.text(".name");
      Kern->KernargSize = uint32_t(K.number(".kernarg_segment_size"));
      Kern->GroupSize = uint32_t(K.number(".group_segment_fixed_size"));
      Kern->PrivateSize = uint32_t(K.number(".private_segment_fixed_size"));
      Kern->MaxWorkgroup =
          uint32_t(K.number(".max_flat_workgroup_size", 1024));
      Kern->Vgprs = uint32_t(K.number(".vgpr_count"));
      Kern->Sgprs = uint32_t(K.number(".sgpr_count"));
      Kern->DynamicStack = K.number(".uses_dynamic_stack");
      if (const Pack *Args = K.get(".args"))
        for (const Pack &A : Args->Items) {
          KernelArgument Arg;
          Arg.Offset = uint32_t(A.number(".offset"));
          Arg.Size = uint32_t(A.number(".size"));
          Arg.Kind = A.text(".value_kind");
          if (uint64_t(Arg.Offset) + Arg.Size > Kern->KernargSize)
            return false;
          Kern->Arguments.push_back(Arg);
        }
      if (Kern->Name.empty())
        return false;
      std::string Key = Kern->Name;
      Out.Kernels[Key] = std::move(Kern);
    }
    return true;
  }
  return true;
}

hipError_t wavelane::hip::loadCodeObject(Arena &Memory, const uint8_t *Elf,
                                         uint64_t Size,
                                         const AgentDescription &Device,
                                         CodeObject &Out, std::string &Why) {
  const Image In = {Elf, Size};
  auto Bad = [&Why](const std::string &Text) {
    Why = "malformed code object: " + Text;
    return hipErrorInvalidImage;
  };
  Elf64_Ehdr H;
  if (!In.read(0, H) || memcmp(H.e_ident, ELFMAG, SELFMAG) != 0)
    return Bad("no ELF header");
  if (H.e_ident[EI_CLASS] != ELFCLASS64 || H.e_ident[EI_DATA] != ELFDATA2LSB ||
      H.e_machine != 224 || H.e_type != ET_DYN)
    return Bad("not a loadable AMDGPU ELF file");
  if (H.e_ident[EI_OSABI] != 64)
    return Bad("not made for HSA");
  // ABI version 2 is code object version 4, 3 is 5, 4 is 6.
  if (H.e_ident[EI_ABIVERSION] < 2 || H.e_ident[EI_ABIVERSION] > 4)
    return Bad("code object version " +
               std::to_string(H.e_ident[EI_ABIVERSION] + 2) +
               " is not supported (4 to 6 are)");
  const gpu::Processor *Own = gpu::findByName(Device.processor);
  const gpu::Processor *For = gpu::findByElfFlags(H.e_flags);
  if (!Own || !For || !For->runsOn(*Own)) {
    Why = std::string("the code object is for ") +
          (For ? For->Name : "an unknown GPU") + "; the device is " +
          Device.target_id;
    return hipErrorNoBinaryForGpu;
  }
  // xnack in bits 8-9, sramecc in 10-11: 0 the GPU has no such choice, 1 any,
  // 2 off, 3 on. Devices that have the choice have xnack off, sramecc on.
  const unsigned Xnack = H.e_flags >> 8 & 3, Sramecc = H.e_flags >> 10 & 3;
  const bool Choice = Own->hasFeature("sramecc");
  if (Xnack == 3 || (Choice ? Sramecc == 2 : Sramecc == 3)) {
    Why = std::string("the code object needs ") +
          (Xnack == 3 ? "xnack on" : Choice ? "sramecc off" : "sramecc on") +
          "; the device is " + Device.target_id;
    return hipErrorNoBinaryForGpu;
  }
  if (H.e_phentsize != sizeof(Elf64_Phdr) || H.e_phnum > 64)
    return Bad("program headers");
  std::vector<Elf64_Phdr> Headers(H.e_phnum);
  uint64_t Extent = 0;
  const Elf64_Phdr *Dynamic = nullptr;
  for (unsigned I = 0; I < H.e_phnum; ++I) {
    Elf64_Phdr &P = Headers[I];
    if (!In.read(H.e_phoff + I * sizeof(P), P))
      return Bad("program headers end beyond the file");
    if (P.p_type == PT_LOAD) {
      if (!In.at(P.p_offset, P.p_filesz) || P.p_filesz > P.p_memsz ||
          P.p_vaddr + P.p_memsz < P.p_vaddr ||
          P.p_vaddr + P.p_memsz > uint64_t(1) << 32)
        return Bad("segment " + std::to_string(I) + " ends beyond the file");
      Extent = std::max(Extent, P.p_vaddr + P.p_memsz);
    } else if (P.p_type == PT_DYNAMIC) {
      Dynamic = &P;
    } else if (P.p_type == PT_NOTE && !readMetadata(In, P, Out)) {
      return Bad("metadata");
    }
  }
  if (!Extent)
    return Bad("nothing to load");
  uint8_t *Base = static_cast<uint8_t *>(
      Memory.allocate(Extent, MemoryKind::Internal, 0,
                      PageRead | PageWrite | PageExecute));
  if (!Base) {
    Why = "no device memory for the code object";
    return hipErrorOutOfMemory;
  }
  Out.Base = reinterpret_cast<uint64_t>(Base);
  Out.Size = Extent;
  for (const Elf64_Phdr &P : Headers)
    if (P.p_type == PT_LOAD)
      memcpy(Base + P.p_vaddr, In.at(P.p_offset, P.p_filesz), P.p_filesz);

  // From here on the loaded image is read: addresses are offsets in it.
  const Image Loaded = {Base, Extent};
  auto Fail = [&](const std::string &Text) {
    Memory.free(Base);
    Out.Base = 0;
    return Bad(Text);
  };
  uint64_t SymTab = 0, StrTab = 0, StrSize = 0, Rela = 0, RelaSize = 0,
           Hash = 0, GnuHash = 0;
  if (Dynamic)
    for (uint64_t At = Dynamic->p_vaddr;; At += sizeof(Elf64_Dyn)) {
      Elf64_Dyn D;
      if (!Loaded.read(At, D))
        return Fail("dynamic section");
      if (D.d_tag == DT_NULL)
        break;
      switch (D.d_tag) {
      case DT_SYMTAB:
        SymTab = D.d_un.d_ptr;
        break;
      case DT_STRTAB:
        StrTab = D.d_un.d_ptr;
        break;
      case DT_STRSZ:
        StrSize = D.d_un.d_val;
        break;
      case DT_RELA:
        Rela = D.d_un.d_ptr;
        break;
      case DT_RELASZ:
        RelaSize = D.d_un.d_val;
        break;
      case DT_HASH:
        Hash = D.d_un.d_ptr;
        break;
      case DT_GNU_HASH:
        GnuHash = D.d_un.d_ptr;
        break;
      }
    }
  uint64_t SymbolCount = 0;
  if (Hash) {
    uint32_t Counts[2];
    if (!Loaded.read(Hash, Counts))
      return Fail("hash table");
    SymbolCount = Counts[1];
  } else if (GnuHash) {
    uint32_t G[4];
    if (!Loaded.read(GnuHash, G))
      return Fail("hash table");
    const uint64_t Buckets = GnuHash + 16 + uint64_t(G[2]) * 8;
    uint32_t Last = 0;
    for (uint32_t I = 0; I < G[0]; ++I) {
      uint32_t B;
      if (!Loaded.read(Buckets + uint64_t(I) * 4, B))
        return Fail("hash table");
      Last = std::max(Last, B);
    }
    for (uint32_t Chain = 0; Last >= G[1] && !(Chain & 1); ++Last)
      if (!Loaded.read(Buckets + uint64_t(G[0]) * 4 +
                           uint64_t(Last - G[1]) * 4,
                       Chain))
        return Fail("hash table");
    SymbolCount = Last;
  }
  const uint8_t *Strings =
      reinterpret_cast<const uint8_t *>(Loaded.at(StrTab, StrSize));
  if (SymbolCount && (!Strings || SymbolCount > Extent / sizeof(Elf64_Sym)))
    return Fail("symbol table");
  std::vector<Elf64_Sym> Symbols(SymbolCount);
  for (uint64_t I = 0; I < SymbolCount; ++I) {
    Elf64_Sym &S = Symbols[I];
    if (!Loaded.read(SymTab + I * sizeof(S), S) || S.st_name >= StrSize)
      return Fail("symbol table");
    const uint64_t Room = StrSize - S.st_name;
    const char *Text = reinterpret_cast<const char *>(Strings + S.st_name);
    const std::string Name(Text, strnlen(Text, Room));
    if (S.st_shndx == SHN_UNDEF)
      continue;
    if (S.st_value > Extent || S.st_size > Extent - S.st_value)
      return Fail("symbol " + Name + " lies outside the image");
    const unsigned Type = ELF64_ST_TYPE(S.st_info);
    if (Type == STT_OBJECT) {
      const bool IsDescriptor =
          Name.size() > 3 && Name.compare(Name.size() - 3, 3, ".kd") == 0;
      if (IsDescriptor) {
        auto It = Out.Kernels.find(Name.substr(0, Name.size() - 3));
        if (It != Out.Kernels.end() && S.st_value + 64 <= Extent)
          It->second->Descriptor = Out.Base + S.st_value;
      } else {
        Out.Symbols[Name] = {Out.Base + S.st_value, S.st_size};
      }
    }
  }
  for (auto &K : Out.Kernels)
    if (!K.second->Descriptor)
      return Fail("kernel " + K.first + " has no descriptor");
  for (uint64_t At = 0; At + sizeof(Elf64_Rela) <= RelaSize;
       At += sizeof(Elf64_Rela)) {
    Elf64_Rela R;
    if (!Loaded.read(Rela + At, R) || !Loaded.at(R.r_offset, 8))
      return Fail("relocations");
    const uint32_t Symbol = uint32_t(ELF64_R_SYM(R.r_info));
    const uint32_t Type = uint32_t(ELF64_R_TYPE(R.r_info));
    uint64_t Value;
    switch (Type) {
    case 13: // R_AMDGPU_RELATIVE64
      Value = Out.Base + uint64_t(R.r_addend);
      break;
    case 3: // R_AMDGPU_ABS64
      if (Symbol >= SymbolCount)
        return Fail("relocations");
      if (Symbols[Symbol].st_shndx == SHN_UNDEF) {
        if (ELF64_ST_BIND(Symbols[Symbol].st_info) == STB_WEAK) {
          Value = 0;
          break;
        }
        return Fail(std::string("undefined symbol ") +
                    reinterpret_cast<const char *>(Strings +
                                                   Symbols[Symbol].st_name));
      }
      Value = Out.Base + Symbols[Symbol].st_value + uint64_t(R.r_addend);
      break;
    case 0:
      continue;
    default:
      return Fail("relocation type " + std::to_string(Type) +
                  " is not supported");
    }
    memcpy(Base + R.r_offset, &Value, 8);
  }
  Out.Uri = describeImage(Elf, Size);
  return hipSuccess;
}
