//===-- Comgr.cpp - AMD's disassembler, as far as ROCdbgapi calls it ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debian's comgr is older than some of the GPUs. The tests replace it by this:
// the three calls that ROCdbgapi makes, implemented with LLVM's disassembler.
//
//===----------------------------------------------------------------------===//

#include "wavelane/GPU/MachineCode.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <string>

using namespace llvm;

namespace {

enum Status { Success = 0, Failure = 1, InvalidArgument = 2 };

using ReadMemory = uint64_t (*)(uint64_t from, char *to, uint64_t size,
                                void *user);
using PrintInstruction = void (*)(const char *text, void *user);
using PrintAddress = void (*)(uint64_t address, void *user);

struct Disassembly {
  std::unique_ptr<wavelane::gpu::MachineCode> code;
  ReadMemory readMemory;
  PrintInstruction printInstruction;
  PrintAddress printAddress;
};

struct Handle {
  uint64_t handle;
};

Disassembly *get(Handle handle) {
  return reinterpret_cast<Disassembly *>(handle.handle);
}

/// "amdgcn-amd-amdhsa--gfx90a:xnack-" is a triple, a processor and features.
std::unique_ptr<Disassembly> create(StringRef isa) {
  auto [tripleName, id] = isa.rsplit("--");
  SmallVector<StringRef, 4> parts;
  id.split(parts, ':');
  SmallVector<std::string, 4> features;
  for (StringRef part : ArrayRef<StringRef>(parts).drop_front()) {
    if (part.size() < 2 || (part.back() != '+' && part.back() != '-'))
      return nullptr;
    features.push_back((Twine(part.back()) + part.drop_back()).str());
  }
  if (!Triple(tripleName).isAMDGCN())
    return nullptr;
  Expected<std::unique_ptr<wavelane::gpu::MachineCode>> code =
      wavelane::gpu::MachineCode::create(parts[0], join(features, ","));
  if (!code) {
    consumeError(code.takeError());
    return nullptr;
  }
  auto d = std::make_unique<Disassembly>();
  d->code = std::move(*code);
  return d;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) Status amd_comgr_create_disassembly_info(
    const char *isa, ReadMemory readMemory, PrintInstruction printInstruction,
    PrintAddress printAddress, Handle *handle) {
  if (!isa || !readMemory || !printInstruction || !printAddress || !handle)
    return InvalidArgument;
  std::unique_ptr<Disassembly> d = create(isa);
  if (!d)
    return Failure;
  d->readMemory = readMemory;
  d->printInstruction = printInstruction;
  d->printAddress = printAddress;
  handle->handle = reinterpret_cast<uint64_t>(d.release());
  return Success;
}

__attribute__((visibility("default"))) Status
amd_comgr_destroy_disassembly_info(Handle handle) {
  delete get(handle);
  return handle.handle ? Success : InvalidArgument;
}

__attribute__((visibility("default"))) Status amd_comgr_disassemble_instruction(
    Handle handle, uint64_t address, void *user, uint64_t *size) {
  Disassembly *d = get(handle);
  if (!d || !size)
    return InvalidArgument;
  wavelane::gpu::MachineCode &code = *d->code;
  const unsigned longest = code.assembly().getMaxInstLength(&code.subtarget());
  SmallVector<uint8_t, 32> bytes(longest);
  bytes.resize(std::min<uint64_t>(
      d->readMemory(address, reinterpret_cast<char *>(bytes.data()), longest,
                    user),
      longest));
  MCInst instruction;
  if (code.decode(instruction, *size, bytes, address) !=
      MCDisassembler::Success)
    return Failure;
  std::string text;
  raw_string_ostream out(text);
  code.printer().printInst(&instruction, address, "", code.subtarget(), out);
  d->printInstruction(text.c_str(), user);
  uint64_t target;
  if (code.analysis().evaluateBranch(instruction, address, *size, target))
    d->printAddress(target, user);
  return Success;
}

} // extern "C"
