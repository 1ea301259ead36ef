//===-- MakeCore.cpp - Writes GPU core files for tests --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make-gpu-core FILE [OPTION=VALUE...]
//   gpu=gfx90a  lanes=64  groups=2  of three waves each, in each of the queues
//   queues=1  xccs=1  stated=1   the queues state how much private memory they
//               have in an XCC (0: as ROCr since version 11 of r_debug)
//   code=FILE   the code object is loaded; waves stand at
//   kernel=NAME + at=N, and
//               their frames begin at 0
//   uri=URI     of the code object; that of `code` unless given
//   host=FILE   host memory (the runtime's list of code objects) goes to that
//               file, a host's core without threads; host=- leaves it out
//   into=CORE   the GPU's part goes beside the host's part of that core, as in
//   a core
//               of both: its threads and memory are taken over
//   wrong=KIND  one row of the table of failures, see main
//
//===----------------------------------------------------------------------===//

#include "CoreState.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdio>

using namespace llvm;
using namespace wavelane;
using namespace wavelane::test;

/// The address where a code object is loaded.
static constexpr uint64_t LoadBase = 0x20000000;
using Pages = std::map<uint64_t, std::vector<uint8_t>>;

[[noreturn]] static void die(const Twine &text) {
  errs() << "make-gpu-core: " << text << '\n';
  exit(1);
}

namespace {
/// The host's part of another core.
struct HostPart {
  std::vector<uint8_t> notes;
  std::vector<std::pair<ELF::Elf64_Phdr, StringRef>> memory;
  std::unique_ptr<MemoryBuffer> buffer;
};
} // namespace

static HostPart readHost(const std::string &path) {
  HostPart host;
  auto buffer = MemoryBuffer::getFile(path, false, false);
  if (!buffer)
    die("cannot read " + path);
  host.buffer = std::move(*buffer);
  auto file = cantFail(object::ELF64LEFile::create(host.buffer->getBuffer()));
  for (const auto &segment : cantFail(file.program_headers())) {
    const StringRef bytes =
        host.buffer->getBuffer().substr(segment.p_offset, segment.p_filesz);
    if (segment.p_type == ELF::PT_NOTE) {
      Error error = Error::success();
      for (const auto &note : file.notes(segment, error)) {
        if (note.getName() == "AMDGPU")
          continue;
        const uint8_t *desc = note.getDesc(4).data();
        const uint8_t *begin =
            desc - 12 - alignTo(note.getName().size() + 1, 4);
        host.notes.insert(host.notes.end(), begin,
                          desc + alignTo(note.getDesc(4).size(), 4));
      }
      cantFail(std::move(error));
    } else if (segment.p_type == ELF::PT_LOAD && segment.p_filesz) {
      ELF::Elf64_Phdr copy;
      std::memcpy(&copy, &segment, sizeof(copy));
      host.memory.push_back({copy, bytes});
    }
  }
  return host;
}

/// Writes pages and a note as an ELF core, with a host's part if there is one.
static void writeCore(const std::string &path, uint16_t machine,
                      const Pages &pages, StringRef owner, uint32_t type,
                      ArrayRef<uint8_t> descriptor,
                      const HostPart &host = HostPart()) {
  std::vector<uint8_t> notes = host.notes;
  auto u32 = [&](uint32_t value) {
    const uint8_t *p = reinterpret_cast<const uint8_t *>(&value);
    notes.insert(notes.end(), p, p + 4);
  };
  if (!descriptor.empty()) {
    u32(uint32_t(owner.size() + 1));
    u32(uint32_t(descriptor.size()));
    u32(type);
    notes.insert(notes.end(), owner.begin(), owner.end());
    notes.resize(alignTo(notes.size() + 1, 4));
    notes.insert(notes.end(), descriptor.begin(), descriptor.end());
    notes.resize(alignTo(notes.size(), 4));
  }
  std::vector<ELF::Elf64_Phdr> segments(1);
  segments[0] = {};
  segments[0].p_type = ELF::PT_NOTE;
  segments[0].p_filesz = notes.size();
  std::vector<const std::vector<uint8_t> *> contents;
  uint64_t next = UINT64_MAX;
  for (const auto &[number, page] : pages) {
    if (number != next) {
      ELF::Elf64_Phdr segment = {};
      segment.p_type = ELF::PT_LOAD;
      segment.p_flags = ELF::PF_R | ELF::PF_W;
      segment.p_vaddr = number * 4096;
      segment.p_align = 4096;
      segments.push_back(segment);
    }
    segments.back().p_filesz += 4096;
    segments.back().p_memsz += 4096;
    contents.push_back(&page);
    next = number + 1;
  }
  for (const auto &[segment, bytes] : host.memory)
    segments.push_back(segment);
  ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_ident[ELF::EI_OSABI] =
      machine == ELF::EM_AMDGPU ? ELF::ELFOSABI_AMDGPU_HSA : 0;
  header.e_type = ELF::ET_CORE;
  header.e_machine = machine;
  header.e_version = 1;
  header.e_phoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = uint16_t(segments.size());
  segments[0].p_offset = sizeof(header) + segments.size() * sizeof(segments[0]);
  uint64_t at = alignTo(segments[0].p_offset + notes.size(), 4096);
  for (size_t i = 1; i < segments.size(); ++i) {
    segments[i].p_offset = at;
    at = alignTo(at + segments[i].p_filesz, 4096);
  }
  FILE *file = std::fopen(path.c_str(), "w");
  if (!file)
    die("cannot write " + path);
  std::fwrite(&header, sizeof(header), 1, file);
  std::fwrite(segments.data(), sizeof(segments[0]), segments.size(), file);
  std::fwrite(notes.data(), 1, notes.size(), file);
  if (segments.size() > 1)
    std::fseek(file, long(segments[1].p_offset), SEEK_SET);
  for (const std::vector<uint8_t> *page : contents)
    std::fwrite(page->data(), 1, page->size(), file);
  for (size_t i = 0; i < host.memory.size(); ++i) {
    std::fseek(
        file, long(segments[segments.size() - host.memory.size() + i].p_offset),
        SEEK_SET);
    // Leave pages of zeros as holes.
    static const char zeros[4096] = {};
    for (StringRef rest = host.memory[i].second; !rest.empty();) {
      const StringRef page = rest.take_front(4096);
      if (page.size() == 4096 && page == StringRef(zeros, 4096))
        std::fseek(file, 4096, SEEK_CUR);
      else
        std::fwrite(page.data(), 1, page.size(), file);
      rest = rest.drop_front(page.size());
    }
  }
  if (std::fclose(file))
    die("cannot write " + path);
}

namespace {
/// A code object: its segments, and its kernel's address.
struct CodeObject {
  std::unique_ptr<MemoryBuffer> buffer;
  std::vector<std::pair<uint64_t, StringRef>> segments;
  uint64_t kernel = 0, descriptor = 0;
};
} // namespace

static CodeObject readCode(const std::string &path, const std::string &kernel) {
  CodeObject code;
  auto buffer = MemoryBuffer::getFile(path, false, false);
  if (!buffer)
    die("cannot read " + path);
  code.buffer = std::move(*buffer);
  auto object = object::ObjectFile::createELFObjectFile(*code.buffer);
  if (!object)
    die(toString(object.takeError()));
  auto *elf = dyn_cast<object::ELF64LEObjectFile>(object->get());
  if (!elf)
    die(path + " is not a code object");
  for (const auto &segment : cantFail(elf->getELFFile().program_headers()))
    if (segment.p_type == ELF::PT_LOAD)
      code.segments.push_back(
          {segment.p_vaddr, code.buffer->getBuffer().substr(segment.p_offset,
                                                            segment.p_filesz)});
  for (const object::ELFSymbolRef symbol : elf->symbols()) {
    const StringRef name = cantFail(symbol.getName());
    if (name == kernel)
      code.kernel = cantFail(symbol.getAddress());
    else if (name == kernel + ".kd")
      code.descriptor = cantFail(symbol.getAddress());
  }
  if (!code.kernel || !code.descriptor)
    die(path + " has no kernel " + kernel);
  return code;
}

int main(int argc, char **argv) {
  if (argc < 2)
    die("make-gpu-core FILE [OPTION=VALUE...]; see its source");
  std::map<std::string, std::string> options = {
      {"gpu", "gfx90a"}, {"lanes", "64"}, {"groups", "2"}, {"at", "0"},
      {"queues", "1"},   {"xccs", "1"},   {"stated", "1"}};
  for (int i = 2; i < argc; ++i) {
    auto [name, value] = StringRef(argv[i]).split('=');
    options[name.str()] = value.str();
  }
  auto number = [&](const char *name) {
    uint64_t value = 0;
    if (StringRef(options[name]).getAsInteger(0, value))
      die(Twine(name) + " needs a number");
    return value;
  };
  const Architecture *arch = findByName(options["gpu"]);
  if (!arch)
    die("no GPU " + options["gpu"]);

  Core::Where where;
  where.groups = unsigned(number("groups"));
  where.xccs = unsigned(number("xccs"));
  where.statesScratch = number("stated");
  std::optional<CodeObject> code;
  if (!options["code"].empty()) {
    code = readCode(options["code"], options["kernel"]);
    where.pc = LoadBase + code->kernel + number("at");
    where.pcStep = 0;
  } else if (where.groups > 2) {
    where.pcStep = 0;
  }
  auto makeCore = [&] {
    Core core(*arch, unsigned(number("lanes")), where);
    if (code) {
      for (const auto &[address, bytes] : code->segments)
        core.poke(LoadBase + address, bytes.data(), bytes.size());
      core.bias = LoadBase;
      core.kernelObject = LoadBase + code->descriptor;
      core.uri = "file://" + options["code"];
      for (size_t i = 0; i < core.storage.size(); i += 4)
        core.storage[i][32] = core.storage[i][33] = 0;
    }
    if (!options["uri"].empty())
      core.uri = options["uri"];
    core.attachStorage();
    return core;
  };
  Core core = makeCore();

  const std::string wrong = options["wrong"];
  if (wrong == "note-version")
    core.noteVersion = 2;
  else if (wrong == "driver")
    core.driverMinor = 12;
  else if (wrong == "r-version")
    core.rdebugVersion = 5;
  else if (wrong == "r-state")
    core.rstate = 1;
  else if (wrong == "firmware")
    core.agent.capability &= ~(1u << 29);
  else if (wrong == "debug-support")
    core.agent.capability &= ~(1u << 15);
  else if (wrong == "sizes")
    core.editArea = [](std::vector<uint8_t> &area) { area[4] += 4; };
  else if (wrong == "packet")
    core.writeId = 0;
  else if (wrong == "groups")
    core.waves[3].Shape.First = false, core.waves[2].Shape.Last = true;
  else if (wrong == "lds")
    for (WaveState &wave : core.waves)
      wave.Shape.LdsBytes = 0;
  else if (wrong == "runtime-off")
    core.runtime.runtime_state = 0;
  else if (!wrong.empty() && wrong != "short-memory" && wrong != "entries")
    die("nothing is wrong like " + wrong);
  if (const std::string problem = core.build(); !problem.empty())
    die(problem);
  for (where.queue = 1; where.queue < number("queues"); ++where.queue) {
    // Another queue's memory, and its entry at the end of the note.
    Core more = makeCore();
    if (const std::string problem = more.build(); !problem.empty())
      die(problem);
    core.memory.merge(more.memory);
    const uint8_t *entry = reinterpret_cast<const uint8_t *>(&more.queue);
    core.note.insert(core.note.end(), entry, entry + sizeof(more.queue));
    core.note[32] += 1;
  }
  if (wrong == "entries")
    core.note.resize(core.note.size() - 8);
  if (wrong == "short-memory") // only the first page of the save area
    for (auto it = core.memory.upper_bound(Area / 4096);
         it != core.memory.end() && it->first < Scratch / 4096;)
      it = core.memory.erase(it);

  if (!options["host"].empty()) {
    Pages host;
    for (uint64_t page : {RDebug / 4096, Links / 4096})
      if (auto node = core.memory.extract(page))
        host.insert(std::move(node));
    if (options["host"] != "-") {
      // struct elf_prpsinfo with a process id.
      std::vector<uint8_t> info(136);
      info[24] = 77;
      writeCore(options["host"], ELF::EM_X86_64, host, "CORE", ELF::NT_PRPSINFO,
                info);
    }
  }
  if (options["into"].empty())
    writeCore(argv[1], ELF::EM_AMDGPU, core.memory, "AMDGPU", 33, core.note);
  else
    writeCore(argv[1], ELF::EM_X86_64, core.memory, "AMDGPU", 33, core.note,
              readHost(options["into"]));
  return 0;
}
