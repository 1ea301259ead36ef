//===-- Harness.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo(void);
void LLVMInitializeAMDGPUTargetMC(void);
void LLVMInitializeAMDGPUAsmParser(void);
}

using namespace llvm;

namespace isatest {

std::vector<uint8_t> assemble(const std::string &Text,
                              wavelane::isa::Target Processor, unsigned Lanes) {
  static const bool Ready = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)Ready;
  const Triple TT("amdgcn-amd-amdhsa");
  std::string Error;
  const llvm::Target *T = TargetRegistry::lookupTarget(TT, Error);
  if (!T) {
    ADD_FAILURE() << Error;
    return {};
  }
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> MRI(T->createMCRegInfo(TT));
  std::unique_ptr<MCAsmInfo> MAI(T->createMCAsmInfo(*MRI, TT, Options));
  std::unique_ptr<MCInstrInfo> MII(T->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> STI(T->createMCSubtargetInfo(
      TT, wavelane::gpu::get(Processor).llvmName(),
      !hasWave32(Processor) ? ""
      : Lanes == 32         ? "+wavefrontsize32"
                            : "+wavefrontsize64,-wavefrontsize32"));
  SourceMgr SM;
  SM.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Text), SMLoc());
  MCContext Ctx(TT, MAI.get(), MRI.get(), STI.get(), &SM, &Options);
  std::unique_ptr<MCObjectFileInfo> MOFI(
      T->createMCObjectFileInfo(Ctx, /*PIC=*/true));
  Ctx.setObjectFileInfo(MOFI.get());
  SmallString<0> Object;
  raw_svector_ostream OS(Object);
  std::unique_ptr<MCCodeEmitter> CE(T->createMCCodeEmitter(*MII, Ctx));
  std::unique_ptr<MCAsmBackend> MAB(T->createMCAsmBackend(*STI, *MRI, Options));
  std::unique_ptr<MCObjectWriter> OW = MAB->createObjectWriter(OS);
  std::unique_ptr<MCStreamer> Str(T->createMCObjectStreamer(
      TT, Ctx, std::move(MAB), std::move(OW), std::move(CE), *STI));
  std::unique_ptr<MCAsmParser> Parser(createMCAsmParser(SM, Ctx, *Str, *MAI));
  std::unique_ptr<MCTargetAsmParser> TAP(
      T->createMCAsmParser(*STI, *Parser, *MII, Options));
  Parser->setTargetParser(*TAP);
  if (Parser->Run(/*NoInitialTextSection=*/false)) {
    ADD_FAILURE() << "cannot assemble: " << Text;
    return {};
  }
  auto Obj = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(Object.data(), Object.size()), "obj"));
  if (!Obj) {
    ADD_FAILURE() << toString(Obj.takeError());
    return {};
  }
  for (const auto &S : (*Obj)->sections()) {
    Expected<StringRef> SName = S.getName();
    if (SName && *SName == ".text") {
      Expected<StringRef> C = S.getContents();
      if (C)
        return std::vector<uint8_t>(C->bytes_begin(), C->bytes_end());
    }
    if (!SName)
      consumeError(SName.takeError());
  }
  ADD_FAILURE() << "no code";
  return {};
}

uint8_t *RegionMemory::add(uint64_t Address, size_t Size) {
  auto &R = Regions[Address];
  R.assign(Size, 0);
  return R.data();
}

MemorySpan RegionMemory::resolve(uint64_t Address, Access) {
  auto It = Regions.upper_bound(Address);
  if (It == Regions.begin())
    return {};
  --It;
  if (Address - It->first >= It->second.size())
    return {};
  return {It->second.data(), It->first, It->first + It->second.size()};
}

uint8_t *RegionMemory::at(uint64_t Address) {
  MemorySpan S = resolve(Address, Access::Read);
  return S.Host ? S.Host + (Address - S.Begin) : nullptr;
}

Wave::Wave(wavelane::isa::Target T, unsigned Lanes)
    : LDS(4096), Exec(T, Memory) {
  S.Processor = T;
  S.LaneCount = uint8_t(Lanes);
  // A separate file has as many registers as the other.
  const wavelane::gpu::AccRegisters Acc = wavelane::gpu::get(T).family().Acc;
  S.allocateVGPRs(64, Acc == wavelane::gpu::AccRegisters::Twin      ? 64
                      : Acc == wavelane::gpu::AccRegisters::Unified ? 32
                                                                    : 0);
  S.LDS = LDS.data();
  S.LDSSize = uint32_t(LDS.size());
  S.ScratchLaneSize = 1024;
  S.setExec(~uint64_t(0));
  S.setFlatScratch(Scratch);
  Memory.add(Data, 65536);
  Memory.add(Scratch, 1024 * 64);
}

void Wave::load(const std::string &Text) {
  const std::vector<uint8_t> Bytes = assemble(Text, S.Processor, S.LaneCount);
  Exec.invalidate(Code, Code + 65536);
  uint8_t *P = Memory.add(Code, Bytes.size() ? Bytes.size() : 4);
  std::copy(Bytes.begin(), Bytes.end(), P);
  S.PC = Code;
}

void Wave::run(const std::string &Text) {
  load(Text + "\ns_endpgm\n");
  const StepResult R = Exec.run(S, 1000000);
  EXPECT_EQ(R.Reason, StepResult::EndPgm)
      << Text << ": " << R.Text << " at +" << R.Address - Code << ", fault "
      << R.FaultAddress;
}

static uint64_t mixBits(uint64_t X) {
  X += 0x9e3779b97f4a7c15ull;
  X = (X ^ X >> 30) * 0xbf58476d1ce4e5b9ull;
  X = (X ^ X >> 27) * 0x94d049bb133111ebull;
  return X ^ X >> 31;
}

uint32_t pattern(unsigned Lane, unsigned Salt) {
  static const uint32_t Edge[] = {0,          1,      0xffffffff, 0x80000000,
                                  0x7fffffff, 0xffff, 0x8000,     0x7fff,
                                  31,         32,     33,         0xff};
  const uint64_t R = mixBits(Lane * 977 + Salt * 131071);
  return R & 1 ? uint32_t(R >> 32) : Edge[(R >> 1) % 12];
}
uint64_t pattern64(unsigned Lane, unsigned Salt) {
  return pattern(Lane, Salt) | uint64_t(pattern(Lane, Salt + 77)) << 32;
}
uint32_t floatPattern(unsigned Lane, unsigned Salt) {
  static const uint32_t Edge[] = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
      0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f7fffff,
      0x4b000001, 0xcb800000, 0x3f000000, 0x33800000};
  const uint64_t R = mixBits(Lane * 1979 + Salt * 8191);
  if (R & 1)
    return Edge[(R >> 1) % 16];
  // Moderate exponents give meaningful sums and products.
  return uint32_t(R >> 32 & 0x807fffff) | uint32_t(110 + (R >> 8) % 34) << 23;
}
uint64_t doublePattern(unsigned Lane, unsigned Salt) {
  static const uint64_t Edge[] = {0,
                                  0x8000000000000000,
                                  0x3ff0000000000000,
                                  0xbff0000000000000,
                                  0x7ff0000000000000,
                                  0xfff0000000000000,
                                  0x7ff8000000000000,
                                  1,
                                  0x800fffffffffffff,
                                  0x0010000000000000,
                                  0x7fefffffffffffff,
                                  0x3fefffffffffffff,
                                  0x4330000000000001,
                                  0x41dfffffffc00000,
                                  0x3fe0000000000000,
                                  0xc1e0000000200000};
  const uint64_t R = mixBits(Lane * 4099 + Salt * 524287);
  if (R & 1)
    return Edge[(R >> 1) % 16];
  return (R & 0x800fffffffffffffull) | (1000 + (R >> 8) % 50) << 52;
}

} // namespace isatest
