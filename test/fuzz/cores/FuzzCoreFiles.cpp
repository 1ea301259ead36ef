// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Core files and the code objects in their memory, from any bytes.
#include "wavelane/Formats/CoreFile/CoreFile.h"
#include "wavelane/Formats/CoreFile/LoadedImage.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace llvm;
using namespace wavelane::corefile;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A core with one segment that holds a code object, patched at random.
  static const int fd = ::memfd_create("core", 0);
  if (size < 2)
    return 0;
  std::vector<uint8_t> file(8192);
  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_machine = ELF::EM_AMDGPU;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = 4;
  ELF::Elf64_Phdr segments[4] = {};
  auto segment = [&](unsigned i, uint32_t type, uint64_t offset,
                     uint64_t address, uint64_t bytes) {
    segments[i].p_type = type;
    segments[i].p_offset = offset;
    segments[i].p_vaddr = address;
    segments[i].p_filesz = segments[i].p_memsz = bytes;
  };
  segment(0, ELF::PT_NOTE, 512, 0, 64);
  segment(1, ELF::PT_LOAD, 4096, 0x10000, 4096);
  header.e_type = ELF::ET_CORE;
  std::memcpy(&file[0], &header, sizeof(header));
  std::memcpy(&file[64], segments, sizeof(segments));
  segment(0, ELF::PT_LOAD, 0, 0, 2048);
  segment(1, ELF::PT_LOAD, 2048, 2048, 1024);
  segments[1].p_flags = ELF::PF_X;
  segment(2, ELF::PT_DYNAMIC, 1024, 1024, 64);
  segment(3, ELF::PT_NOTE, 1536, 1536, 64);
  header.e_type = ELF::ET_DYN;
  std::memcpy(&file[4096], &header, sizeof(header));
  std::memcpy(&file[4096 + 64], segments, sizeof(segments));
  // A patch: two bytes of offset, one of length, then the data.
  while (size >= 4) {
    const size_t place = (data[0] | data[1] << 8) % file.size(),
                 count = 1 + data[2] % 24;
    data += 3, size -= 3;
    for (size_t i = 0; i < count && size; ++i, ++data, --size)
      file[(place + i) % file.size()] = *data;
  }
  if (size && data[0] & 1)
    file.resize(file.size() - data[0] * 16);
  if (::ftruncate(fd, 0) || ::pwrite(fd, file.data(), file.size(), 0) < 0)
    return 0;
  auto core = CoreFile::open("/proc/self/fd/" + std::to_string(fd));
  if (!core) {
    consumeError(core.takeError());
    return 0;
  }
  summarize((*core)->getGpuState());
  auto read = [&](uint64_t address, void *buffer, size_t bytes) {
    return (*core)->read(address, buffer, bytes);
  };
  for (const LoadedImage &image : findImages(**core)) {
    readBuildId(image.Base, read);
    if (auto rebuilt = rebuildImage(image.Base, read); !rebuilt)
      consumeError(rebuilt.takeError());
  }
  addCodeObjectList(**core, 0x5008, 10);
  uint8_t buffer[256];
  for (uint64_t address :
       {uint64_t(0), uint64_t(0x5000), uint64_t(0x10ff0), ~uint64_t(0) - 10})
    (*core)->read(address, buffer, sizeof(buffer));
  return 0;
}
