//===-- CodeObject.cpp - the code object that fits the device -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CodeObject.h"

#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "wavelane/GPU/Processors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstdio>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::runtime;

uint64_t wavelane::runtime::readableSize(const void *Address,
                                         uint64_t Fallback) {
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

/// The size of the ELF file at the beginning of \a In; the size of \a In if the
/// file is truncated.
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

/// Selects the code object for \a TargetId among the entries of \a In.
static hipError_t selectEntry(const offload::Bundle &In,
                              const std::string &TargetId, ChosenCode &Out,
                              std::string &Why) {
  const gpu::Processor *Device = gpu::findByName(TargetId);
  const offload::Entry *Chosen = nullptr;
  for (const offload::Entry &E : In.entries()) {
    const std::string Target = E.getTargetId().str();
    if (!Device || !gpu::canRun(Target, *Device))
      continue;
    Chosen = &E;
    // Prefer code for the device itself to generic code.
    if (gpu::findByName(Target) == Device)
      break;
  }
  if (!Chosen) {
    const std::vector<std::string> Targets = In.getTargetIds();
    Why = "it has code for " +
          (Targets.empty() ? "no GPU" : llvm::join(Targets, ", ")) +
          ", and the device is " + TargetId;
    const gpu::Processor &Better = gpu::chooseDevice({Targets});
    if (llvm::any_of(Targets, [&Better](const std::string &Target) {
          return gpu::canRun(Target, Better);
        }))
      Why += llvm::formatv("; simulate another one: wavelane-run --device {0}, "
                           "or WAVELANE_PROCESSOR={0} in its environment",
                           Better.Name);
    return hipErrorNoBinaryForGpu;
  }
  Out.Size = Chosen->Contents.size();
  if (In.isCompressed())
    Out.Copy.assign(Chosen->Contents.bytes_begin(),
                    Chosen->Contents.bytes_end());
  Out.Elf =
      In.isCompressed() ? Out.Copy.data() : Chosen->Contents.bytes_begin();
  return hipSuccess;
}

std::vector<std::string> wavelane::runtime::readTargets(const uint8_t *Data,
                                                        uint64_t Limit) {
  llvm::Expected<offload::Bundle> Bundle = offload::Bundle::read(
      llvm::StringRef(reinterpret_cast<const char *>(Data), Limit));
  if (Bundle)
    return Bundle->getTargetIds();
  llvm::consumeError(Bundle.takeError());
  return {};
}

hipError_t wavelane::runtime::selectCodeObject(const uint8_t *Data,
                                               uint64_t Limit,
                                               const std::string &TargetId,
                                               ChosenCode &Out,
                                               std::string &Why) {
  const Image In = {Data, Limit};
  if (const uint8_t *P = In.at(0, SELFMAG); P && !memcmp(P, ELFMAG, SELFMAG)) {
    // A program that only gives an address doesn't say where the file ends.
    Out.Elf = Data;
    Out.Size = fileSize(In);
    return hipSuccess;
  }
  const llvm::StringRef Bytes(reinterpret_cast<const char *>(Data), Limit);
  if (!offload::isBundle(Bytes)) {
    Why = "it is neither an offload bundle nor a code object";
    return hipErrorInvalidImage;
  }
  llvm::Expected<offload::Bundle> Bundle = offload::Bundle::read(Bytes);
  if (!Bundle) {
    Why = llvm::toString(Bundle.takeError());
    return hipErrorInvalidImage;
  }
  return selectEntry(*Bundle, TargetId, Out, Why);
}

std::string wavelane::runtime::encodeForUri(std::string_view Text) {
  std::string Encoded;
  for (char C : Text) {
    char Hex[4];
    if (isalnum(static_cast<unsigned char>(C)) || strchr("/-_.~+", C)) {
      Encoded += C;
    } else {
      snprintf(Hex, sizeof(Hex), "%%%02X", static_cast<unsigned char>(C));
      Encoded += Hex;
    }
  }
  return Encoded;
}

std::string wavelane::runtime::describeImage(const uint8_t *Elf,
                                             uint64_t Size) {
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
    return "file://" + encodeForUri(Path) +
           "#offset=" + std::to_string(Address - Begin + Offset) +
           "&size=" + std::to_string(Size);
  }
  char Text[96];
  snprintf(Text, sizeof(Text), "memory://%d#offset=0x%lx&size=%lu",
           int(getpid()), static_cast<unsigned long>(Address),
           static_cast<unsigned long>(Size));
  return Text;
}
