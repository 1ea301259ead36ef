//===-- CodeObjectLoader.cpp - an ELF file into device memory -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"

#include "Simulator/Common/Agent.h"

#include "wavelane/Simulator/KernelMetadata.h"

#include <elf.h>

using namespace wavelane;
using namespace wavelane::runtime;
namespace msgpack = llvm::msgpack;

CodeObject::~CodeObject() = default;

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// The value of \a Key in \a Map; an empty node if there is none.
static msgpack::DocNode get(msgpack::DocNode Map, llvm::StringRef Key) {
  if (!Map.isMap())
    return {};
  auto &Entries = Map.getMap();
  auto It = Entries.find(Key);
  return It == Entries.end() ? msgpack::DocNode() : It->second;
}

static uint64_t number(msgpack::DocNode Map, llvm::StringRef Key,
                       uint64_t Default = 0) {
  const msgpack::DocNode Node = get(Map, Key);
  if (Node.isEmpty())
    return Default;
  switch (Node.getKind()) {
  case msgpack::Type::UInt:
    return Node.getUInt();
  case msgpack::Type::Int:
    return uint64_t(Node.getInt());
  case msgpack::Type::Boolean:
    return Node.getBool();
  default:
    return Default;
  }
}

static std::string text(msgpack::DocNode Map, llvm::StringRef Key) {
  const msgpack::DocNode Node = get(Map, Key);
  return !Node.isEmpty() && Node.isString() ? Node.getString().str() : "";
}

/// \return null if the description is malformed.
static std::unique_ptr<Kernel> readKernel(msgpack::DocNode Description) {
  auto Kern = std::make_unique<Kernel>();
  Kern->Name = text(Description, ".name");
  if (Kern->Name.empty())
    return nullptr;
  Kern->KernargSize = uint32_t(number(Description, ".kernarg_segment_size"));
  Kern->GroupSize = uint32_t(number(Description, ".group_segment_fixed_size"));
  Kern->PrivateSize =
      uint32_t(number(Description, ".private_segment_fixed_size"));
  Kern->MaxWorkgroup =
      uint32_t(number(Description, ".max_flat_workgroup_size", 1024));
  Kern->Vgprs = uint32_t(number(Description, ".vgpr_count"));
  Kern->Sgprs = uint32_t(number(Description, ".sgpr_count"));
  Kern->DynamicStack = number(Description, ".uses_dynamic_stack");
  msgpack::DocNode Arguments = get(Description, ".args");
  if (Arguments.isEmpty() || !Arguments.isArray())
    return Kern;
  for (msgpack::DocNode Argument : Arguments.getArray()) {
    KernelArgument Arg;
    Arg.Offset = uint32_t(number(Argument, ".offset"));
    Arg.Size = uint32_t(number(Argument, ".size"));
    Arg.Kind = text(Argument, ".value_kind");
    if (uint64_t(Arg.Offset) + Arg.Size > Kern->KernargSize)
      return nullptr;
    Kern->Arguments.push_back(Arg);
  }
  return Kern;
}

static bool readMetadata(llvm::StringRef Blob, CodeObject &Out) {
  msgpack::Document Document;
  if (!wavelane::simulator::readKernelMetadata(Blob, Document))
    return false;
  msgpack::DocNode Kernels = get(Document.getRoot(), "amdhsa.kernels");
  if (Kernels.isEmpty() || !Kernels.isArray())
    return true;
  for (msgpack::DocNode Description : Kernels.getArray()) {
    std::unique_ptr<Kernel> Kern = readKernel(Description);
    if (!Kern)
      return false;
    const std::string Name = Kern->Name;
    Out.Kernels[Name] = std::move(Kern);
  }
  return true;
}

/// Reads the kernels from the notes of a segment (AMDGPUUsage, "Note Records").
static bool readNotes(const Image &File, const Elf64_Phdr &Segment,
                      CodeObject &Out) {
  if (!File.at(Segment.p_offset, Segment.p_filesz))
    return false;
  const uint64_t End = Segment.p_offset + Segment.p_filesz;
  for (uint64_t At = Segment.p_offset; At + sizeof(Elf64_Nhdr) <= End;) {
    Elf64_Nhdr N;
    if (!File.read(At, N))
      return false;
    const uint64_t Name = At + sizeof(N);
    const uint64_t Desc = Name + ((uint64_t(N.n_namesz) + 3) & ~uint64_t(3));
    At = Desc + ((uint64_t(N.n_descsz) + 3) & ~uint64_t(3));
    const uint8_t *Owner = File.at(Name, N.n_namesz);
    const uint8_t *Bytes = File.at(Desc, N.n_descsz);
    if (!Owner || !Bytes || At > End + 3)
      return false;
    constexpr uint32_t NT_AMDGPU_METADATA = 32;
    if (N.n_type == NT_AMDGPU_METADATA && N.n_namesz == 7 &&
        memcmp(Owner, "AMDGPU", 7) == 0)
      return readMetadata({reinterpret_cast<const char *>(Bytes), N.n_descsz},
                          Out);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {

/// Loads one file: the steps are called in order, and each returns whether it
/// succeeded.
class Loader {
public:
  Loader(Arena &Memory, const Image &File, const AgentDescription &Device,
         CodeObject &Out, std::string &Why)
      : Memory(Memory), File(File), Device(Device), Out(Out), Why(Why) {}

  hipError_t load();

private:
  bool fail(hipError_t E, const std::string &Text) {
    Error = E;
    Why = Text;
    return false;
  }
  bool malformed(const std::string &Text) {
    return fail(hipErrorInvalidImage, "malformed code object: " + Text);
  }

  bool checkHeader();
  bool checkDevice();
  bool readSegments();
  bool copySegments();
  // The following steps read the loaded image: addresses are offsets in it.
  bool readDynamic();
  bool countSymbols();
  bool countGnuSymbols();
  bool readSymbols();
  bool defineSymbol(const Elf64_Sym &Symbol, const std::string &Name);
  bool relocate();
  bool relocationValue(const Elf64_Rela &R, uint64_t &Value);

  Arena &Memory;
  const Image File;
  const AgentDescription &Device;
  CodeObject &Out;
  std::string &Why;
  hipError_t Error = hipErrorInvalidImage;

  Elf64_Ehdr Header = {};
  std::vector<Elf64_Phdr> Segments;
  std::optional<Elf64_Phdr> Dynamic;
  Image Loaded = {};
  /// From the dynamic section; addresses, or 0.
  uint64_t SymTab = 0, StrTab = 0, StrSize = 0, Rela = 0, RelaSize = 0,
           Hash = 0, GnuHash = 0;
  uint64_t SymbolCount = 0;
  const char *Strings = nullptr;
  std::vector<Elf64_Sym> Symbols;
};

hipError_t Loader::load() {
  if (!checkHeader() || !checkDevice() || !readSegments() || !copySegments())
    return Error;
  if (!readDynamic() || !countSymbols() || !readSymbols() || !relocate()) {
    Memory.free(reinterpret_cast<void *>(Out.Base));
    Out.Base = 0;
    return Error;
  }
  return hipSuccess;
}

bool Loader::checkHeader() {
  const Elf64_Ehdr &H = Header;
  if (!File.read(0, Header) || memcmp(H.e_ident, ELFMAG, SELFMAG) != 0)
    return malformed("no ELF header");
  if (H.e_ident[EI_CLASS] != ELFCLASS64 || H.e_ident[EI_DATA] != ELFDATA2LSB ||
      H.e_machine != 224 || H.e_type != ET_DYN)
    return malformed("not a loadable AMDGPU ELF file");
  if (H.e_ident[EI_OSABI] != 64)
    return malformed("not made for HSA");
  // ABI version 2 is code object version 4, 3 is 5, 4 is 6.
  if (H.e_ident[EI_ABIVERSION] < 2 || H.e_ident[EI_ABIVERSION] > 4)
    return malformed("code object version " +
                     std::to_string(H.e_ident[EI_ABIVERSION] + 2) +
                     " is not supported (4 to 6 are)");
  return true;
}

bool Loader::checkDevice() {
  const gpu::Processor *Own = gpu::findByName(Device.processor);
  const gpu::Processor *For = gpu::findByElfFlags(Header.e_flags);
  if (!Own || !For || !For->runsOn(*Own))
    return fail(hipErrorNoBinaryForGpu,
                std::string("the code object is for ") +
                    (For ? For->Name : "an unknown GPU") + "; the device is " +
                    Device.target_id);
  // xnack in bits 8-9, sramecc in 10-11: 0 the GPU has no such choice, 1 any, 2
  // off, 3 on. Devices with the choice have xnack off and sramecc on.
  const unsigned Xnack = Header.e_flags >> 8 & 3,
                 Sramecc = Header.e_flags >> 10 & 3;
  const bool Choice = Own->hasFeature("sramecc");
  if (Xnack == 3 || (Choice ? Sramecc == 2 : Sramecc == 3))
    return fail(hipErrorNoBinaryForGpu, std::string("the code object needs ") +
                                            (Xnack == 3 ? "xnack on"
                                             : Choice   ? "sramecc off"
                                                        : "sramecc on") +
                                            "; the device is " +
                                            Device.target_id);
  return true;
}

bool Loader::readSegments() {
  if (Header.e_phentsize != sizeof(Elf64_Phdr) || Header.e_phnum > 64)
    return malformed("program headers");
  uint64_t Extent = 0;
  for (unsigned I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr P;
    if (!File.read(Header.e_phoff + I * sizeof(P), P))
      return malformed("program headers end beyond the file");
    if (P.p_type == PT_LOAD) {
      if (!File.at(P.p_offset, P.p_filesz) || P.p_filesz > P.p_memsz ||
          P.p_vaddr + P.p_memsz < P.p_vaddr ||
          P.p_vaddr + P.p_memsz > uint64_t(1) << 32)
        return malformed("segment " + std::to_string(I) +
                         " ends beyond the file");
      Extent = std::max(Extent, P.p_vaddr + P.p_memsz);
      Segments.push_back(P);
    } else if (P.p_type == PT_DYNAMIC) {
      Dynamic = P;
    } else if (P.p_type == PT_NOTE && !readNotes(File, P, Out)) {
      return malformed("metadata");
    }
  }
  if (!Extent)
    return malformed("nothing to load");
  Out.Size = Extent;
  return true;
}

bool Loader::copySegments() {
  uint8_t *Base = static_cast<uint8_t *>(Memory.allocate(
      Out.Size, MemoryKind::Internal, 0, PageRead | PageWrite | PageExecute));
  if (!Base)
    return fail(hipErrorOutOfMemory, "no device memory for the code object");
  Out.Base = reinterpret_cast<uint64_t>(Base);
  for (const Elf64_Phdr &P : Segments)
    memcpy(Base + P.p_vaddr, File.at(P.p_offset, P.p_filesz), P.p_filesz);
  Loaded = {Base, Out.Size};
  return true;
}

bool Loader::readDynamic() {
  if (!Dynamic)
    return true;
  for (uint64_t At = Dynamic->p_vaddr;; At += sizeof(Elf64_Dyn)) {
    Elf64_Dyn D;
    if (!Loaded.read(At, D))
      return malformed("dynamic section");
    switch (D.d_tag) {
    case DT_NULL:
      return true;
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
}

bool Loader::countSymbols() {
  if (!Hash)
    return !GnuHash || countGnuSymbols();
  uint32_t Counts[2];
  if (!Loaded.read(Hash, Counts))
    return malformed("hash table");
  SymbolCount = Counts[1];
  return true;
}

/// A GNU hash table doesn't contain the number of symbols: it is one past the
/// end of the last chain.
bool Loader::countGnuSymbols() {
  uint32_t
      Table[4]; // buckets, first symbol, words of the Bloom filter, its shift
  if (!Loaded.read(GnuHash, Table))
    return malformed("hash table");
  const uint64_t Buckets = GnuHash + sizeof(Table) + uint64_t(Table[2]) * 8;
  const uint64_t Chains = Buckets + uint64_t(Table[0]) * 4;
  uint32_t Last = 0;
  for (uint32_t I = 0; I < Table[0]; ++I) {
    uint32_t Bucket;
    if (!Loaded.read(Buckets + uint64_t(I) * 4, Bucket))
      return malformed("hash table");
    Last = std::max(Last, Bucket);
  }
  for (uint32_t Chain = 0; Last >= Table[1] && !(Chain & 1); ++Last)
    if (!Loaded.read(Chains + uint64_t(Last - Table[1]) * 4, Chain))
      return malformed("hash table");
  SymbolCount = Last;
  return true;
}

bool Loader::readSymbols() {
  Strings = reinterpret_cast<const char *>(Loaded.at(StrTab, StrSize));
  if (SymbolCount &&
      (!Strings || SymbolCount > Loaded.Size / sizeof(Elf64_Sym)))
    return malformed("symbol table");
  Symbols.resize(SymbolCount);
  for (uint64_t I = 0; I < SymbolCount; ++I) {
    Elf64_Sym &S = Symbols[I];
    if (!Loaded.read(SymTab + I * sizeof(S), S) || S.st_name >= StrSize)
      return malformed("symbol table");
    const char *Text = Strings + S.st_name;
    if (!defineSymbol(S, std::string(Text, strnlen(Text, StrSize - S.st_name))))
      return false;
  }
  for (auto &K : Out.Kernels)
    if (!K.second->Descriptor)
      return malformed("kernel " + K.first + " has no descriptor");
  return true;
}

bool Loader::defineSymbol(const Elf64_Sym &S, const std::string &Name) {
  if (S.st_shndx == SHN_UNDEF)
    return true;
  if (S.st_value > Loaded.Size || S.st_size > Loaded.Size - S.st_value)
    return malformed("symbol " + Name + " lies outside the image");
  if (ELF64_ST_TYPE(S.st_info) != STT_OBJECT)
    return true;
  const bool IsDescriptor =
      Name.size() > 3 && Name.compare(Name.size() - 3, 3, ".kd") == 0;
  if (!IsDescriptor) {
    Out.Symbols[Name] = {Out.Base + S.st_value, S.st_size};
    return true;
  }
  auto It = Out.Kernels.find(Name.substr(0, Name.size() - 3));
  if (It != Out.Kernels.end() && Loaded.at(S.st_value, 64))
    It->second->Descriptor = Out.Base + S.st_value;
  return true;
}

bool Loader::relocate() {
  for (uint64_t At = 0; At + sizeof(Elf64_Rela) <= RelaSize;
       At += sizeof(Elf64_Rela)) {
    Elf64_Rela R;
    if (!Loaded.read(Rela + At, R) || !Loaded.at(R.r_offset, 8))
      return malformed("relocations");
    if (ELF64_R_TYPE(R.r_info) == 0) // R_AMDGPU_NONE
      continue;
    uint64_t Value;
    if (!relocationValue(R, Value))
      return false;
    memcpy(reinterpret_cast<uint8_t *>(Out.Base) + R.r_offset, &Value, 8);
  }
  return true;
}

bool Loader::relocationValue(const Elf64_Rela &R, uint64_t &Value) {
  const uint32_t Symbol = uint32_t(ELF64_R_SYM(R.r_info));
  const uint32_t Type = uint32_t(ELF64_R_TYPE(R.r_info));
  constexpr uint32_t R_AMDGPU_ABS64 = 3, R_AMDGPU_RELATIVE64 = 13;
  if (Type == R_AMDGPU_RELATIVE64) {
    Value = Out.Base + uint64_t(R.r_addend);
    return true;
  }
  if (Type != R_AMDGPU_ABS64)
    return malformed("relocation type " + std::to_string(Type) +
                     " is not supported");
  if (Symbol >= SymbolCount)
    return malformed("relocations");
  const Elf64_Sym &S = Symbols[Symbol];
  if (S.st_shndx != SHN_UNDEF) {
    Value = Out.Base + S.st_value + uint64_t(R.r_addend);
    return true;
  }
  if (ELF64_ST_BIND(S.st_info) != STB_WEAK)
    return malformed(
        "undefined symbol " +
        std::string(Strings + S.st_name,
                    strnlen(Strings + S.st_name, StrSize - S.st_name)));
  Value = 0;
  return true;
}

} // namespace

hipError_t wavelane::runtime::loadCodeObject(Arena &Memory, const uint8_t *Elf,
                                             uint64_t Size,
                                             const AgentDescription &Device,
                                             CodeObject &Out,
                                             std::string &Why) {
  return Loader(Memory, {Elf, Size}, Device, Out, Why).load();
}
