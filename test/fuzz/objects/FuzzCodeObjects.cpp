// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects with damage anywhere: headers, symbols, notes, kernel
// descriptors, and each section of debug information.
#include "Simulator/Check/Symbols.h"
#include "Simulator/Runtime/CodeObject.h"
#include "fuzz/Input.h"
#include "wavelane/Formats/DebugInfo/Check.h"
#include "llvm/Support/FormatVariadic.h"

#include <elf.h>

using namespace llvm;
using namespace wavelane;
using wavelane::test::Input;

namespace {

/// A code object, and what it is damaged in.
struct Original {
  std::string Bytes;
  std::vector<std::pair<uint64_t, uint64_t>> Sections; ///< offset, size
  uint64_t Kernel = 0;         ///< the kernel descriptor's address
  uint64_t Begin = 0, End = 0; ///< of the code

  explicit Original(const char *Level) {
    auto File = MemoryBuffer::getFile(std::string(OBJECTS) + Level + ".co");
    if (!File)
      abort();
    Bytes = (*File)->getBuffer().str();
    auto Object = cantFail(
        object::ObjectFile::createELFObjectFile((*File)->getMemBufferRef()));
    Sections.push_back({0, 64});
    Sections.push_back({64, 56 * 10});
    const auto *Header = reinterpret_cast<const Elf64_Ehdr *>(Bytes.data());
    Sections.push_back(
        {Header->e_shoff, uint64_t(Header->e_shnum) * sizeof(Elf64_Shdr)});
    for (const object::SectionRef &S : Object->sections()) {
      const StringRef Contents = S.isBSS() ? "" : cantFail(S.getContents());
      if (Contents.empty())
        continue;
      const uint64_t At = uint64_t(Contents.data() - (*File)->getBufferStart());
      Sections.push_back({At, Contents.size()});
      if (S.isText()) {
        Begin = S.getAddress();
        End = Begin + S.getSize();
      }
    }
    for (const object::SymbolRef &S : Object->symbols())
      if (cantFail(S.getName()) == "rich.kd")
        Kernel = cantFail(S.getAddress());
  }
};

void load(const std::string &Bytes) {
  static runtime::Arena *const Memory = [] {
    auto *Made = new runtime::Arena;
    std::string Why;
    if (!Made->create(Why))
      abort();
    return Made;
  }();
  static const runtime::AgentDescription Device = [] {
    const gpu::Processor &P = *gpu::findByName("gfx90a");
    runtime::AgentDescription D = {};
    D.elf_machine = P.ElfMachine;
    snprintf(D.target_id, sizeof(D.target_id), "%s", P.targetId().c_str());
    snprintf(D.processor, sizeof(D.processor), "%s", P.Name);
    return D;
  }();
  runtime::CodeObject Out;
  std::string Why;
  if (runtime::loadCodeObject(*Memory,
                              reinterpret_cast<const uint8_t *>(Bytes.data()),
                              Bytes.size(), Device, Out, Why) == hipSuccess)
    Memory->free(reinterpret_cast<void *>(Out.Base));
}

/// What pointers of the code point to, whose places debug information says.
void follow(const std::string &Bytes, const Original &From, uint64_t Base,
            const check::Launch &Kernel, const simulator::ReadMemory &Read) {
  auto Object =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(Bytes, "object"));
  if (!Object)
    return consumeError(Object.takeError());
  if (Error Bad = debuginfo::check(**Object))
    return consumeError(std::move(Bad));
  check::Variables Of(**Object);
  isa::WaveState Wave;
  Wave.allocateVGPRs(8, 0);
  isa::LaneAccess A;
  A.Address = 0x1000;
  for (uint64_t PC = From.Begin; PC < From.End; PC += 64)
    for (const char *Name : {"out", "points", "flag", "pair.first", "p"}) {
      Wave.PC = Base + PC;
      Of.nameByPointer(Kernel, Wave, Read,
                       {{Name, 1}, Base, Base + PC, unsigned(PC / 64 % 3)}, A);
    }
}

void report(const std::string &Bytes, const Original &From) {
  constexpr uint64_t Base = 0x100000, Image = 0x4000000;
  const simulator::ReadMemory Read = [&](uint64_t At, void *Out, size_t Size) {
    if (At < Image || At - Image > Bytes.size() ||
        Size > Bytes.size() - (At - Image))
      return false;
    memcpy(Out, Bytes.data() + (At - Image), Size);
    return true;
  };
  check::Symbols Names(getpid(), Read, Read);
  Names.addCode(
      Base, 0,
      formatv("memory://{0}#offset={1}&size={2}", getpid(), Image, Bytes.size())
          .str());
  check::Launch Kernel;
  Kernel.KernelObject = Base + From.Kernel;
  Kernel.Entry = Base + From.Begin;
  Kernel.Arguments.resize(64);
  Kernel.LocalBytes = 256;
  Names.kernelName(Kernel.KernelObject);
  for (uint64_t PC = From.Begin; PC < From.End; PC += 64) {
    Names.frames(Base + PC);
    Names.readsVolatile(Base + PC);
    Names.inFrame(Base + PC, 8);
    for (check::Space In :
         {check::Space::Global, check::Space::Local, check::Space::Private})
      Names.array(Kernel, Base + PC, In);
  }
  Names.lines();
  follow(Bytes, From, Base, Kernel, Read);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static const Original Originals[] = {Original("O0"), Original("O2")};
  Input In{Data, Size};
  const Original &From = Originals[In.byte() & 1];
  std::string Bytes = From.Bytes;
  while (In.Size) {
    const auto &[At, Length] = From.Sections[In.byte() % From.Sections.size()];
    const uint64_t Offset = In.word() % Length;
    const unsigned Width = 1u << In.byte() % 4;
    const uint64_t Value = In.number({From.Begin, From.Kernel, Bytes.size()});
    for (unsigned I = 0; I < Width && At + Offset + I < Bytes.size(); ++I)
      Bytes[At + Offset + I] = char(Value >> 8 * I);
  }
  load(Bytes);
  report(Bytes, From);
  return 0;
}
