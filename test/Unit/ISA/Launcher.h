//===-- Launcher.h - runs kernels of a code object without a device -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a code object, starts waves like the device, and runs them in turn,
// without a device around the executor.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_TEST_UNIT_ISA_LAUNCHER_H
#define WAVELANE_TEST_UNIT_ISA_LAUNCHER_H

#include "Harness.h"
#include "Simulator/Device/Dispatch.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace isatest {

using namespace llvm;
using namespace wavelane::simulator;

struct Build {
  wavelane::isa::Target Target; ///< that runs it
  unsigned Lanes;
  const char *Level;
  wavelane::isa::Target Code; ///< that it is compiled for
  const char *File = "Kernels";

  std::string name() const {
    std::string Name = getProcessorName(Target);
    if (Code != Target)
      Name += std::string("_runs_") + getProcessorName(Code);
    for (char &C : Name)
      C = C == '-' ? '_' : C;
    return Name + "_wave" + std::to_string(Lanes) + "_" + Level;
  }
  std::string path() const {
    return std::string(ISA_TEST_KERNELS) + "/" + File + "-" +
           wavelane::gpu::get(Code).llvmName() + "-" + std::to_string(Lanes) +
           "-" + Level + ".co";
  }
};

class Launcher {
public:
  const Build On;
  static constexpr uint64_t Image = 0x7000000, Kernarg = 0x8000000,
                            Packet = 0x8100000, Scratch = 0x9000000,
                            Data = 0xa000000;
  RegionMemory Memory;
  uint64_t NextData = Data;
  std::unique_ptr<MemoryBuffer> File;
  std::unique_ptr<object::ELF64LEObjectFile> Object;
  uint64_t Executed = 0;
  Executor Exec{On.Target, Memory};

  /// Some builds' own code is translated, as soon as it is entered again.
  bool isTranslated() const {
    using wavelane::isa::Target;
    return On.Code == On.Target &&
           (On.Target == Target::GFX90A || On.Target == Target::GFX1030 ||
            On.Target == Target::GFX1100 || On.Target == Target::GFX1201);
  }

  explicit Launcher(const Build &On) : On(On) {
    Exec.setTranslation(isTranslated(), /*After=*/2);
    const std::string Path = On.path();
    auto Buffer = MemoryBuffer::getFile(Path);
    if (!Buffer) {
      ADD_FAILURE() << Path << ": " << Buffer.getError().message();
      return;
    }
    File = std::move(*Buffer);
    auto Obj = object::ELF64LEObjectFile::create(File->getMemBufferRef());
    if (!Obj) {
      ADD_FAILURE() << toString(Obj.takeError());
      return;
    }
    Object = std::make_unique<object::ELF64LEObjectFile>(std::move(*Obj));
    uint8_t *P = Memory.add(Image, 1 << 20);
    for (const auto &H : cantFail(Object->getELFFile().program_headers()))
      if (H.p_type == ELF::PT_LOAD)
        std::memcpy(P + H.p_vaddr, File->getBufferStart() + H.p_offset,
                    H.p_filesz);
    Memory.add(Kernarg, 4096);
    Memory.add(Packet, 64);
  }

  template <class T> T *buffer(size_t N, uint64_t &Address) {
    Address = NextData;
    NextData += (N * sizeof(T) + 0xffff) & ~size_t(0xfff);
    return reinterpret_cast<T *>(Memory.add(Address, N * sizeof(T)));
  }

  uint64_t symbol(const std::string &Name) {
    for (const auto &S : Object->symbols())
      if (cantFail(S.getName()) == Name)
        return Image + cantFail(S.getAddress());
    ADD_FAILURE() << "no symbol " << Name;
    return 0;
  }

  void launch(const std::string &Kernel, const void *Args, size_t ArgSize,
              uint32_t GroupsX, uint32_t GroupsY, uint32_t SizeX,
              uint32_t SizeY) {
    const uint64_t Descriptor = symbol(Kernel + ".kd");
    if (!Descriptor)
      return;
    KernelDescriptor Header;
    std::memcpy(&Header, Memory.at(Descriptor), sizeof(Header));
    KernelSetup Setup;
    std::string Error;
    ASSERT_TRUE(Setup.decode(On.Target, Header, Descriptor, Error)) << Error;
    EXPECT_EQ(Setup.Lanes, On.Lanes);
    Setup.Scratch = true; // dynamic stacks are not counted in the descriptor
    const uint32_t LdsSize = Header.GroupSize,
                   PrivateSize = std::max(Header.PrivateSize, 4096u);

    // Explicit arguments, followed by the hidden ones of code object version 5.
    uint8_t *K = Memory.at(Kernarg);
    std::memset(K, 0, 4096);
    std::memcpy(K, Args, ArgSize);
    const size_t Hidden = (ArgSize + 7) & ~size_t(7);
    const uint32_t Counts[3] = {GroupsX, GroupsY, 1};
    const uint16_t Sizes[3] = {uint16_t(SizeX), uint16_t(SizeY), 1};
    std::memcpy(K + Hidden, Counts, 12);
    std::memcpy(K + Hidden + 12, Sizes, 6);

    const uint32_t Items = SizeX * SizeY,
                   Waves = (Items + On.Lanes - 1) / On.Lanes;
    KernelPacket Asked = {};
    Asked.PrivateSize = PrivateSize;
    Asked.Kernarg = Kernarg;
    for (uint32_t Y = 0; Y < GroupsY; ++Y)
      for (uint32_t X = 0; X < GroupsX; ++X) {
        std::vector<uint8_t> Lds(std::max(LdsSize, 1u));
        std::vector<WaveState> Group(Waves);
        const uint32_t WaveScratch = PrivateSize * On.Lanes;
        Memory.add(Scratch, size_t(Waves) * WaveScratch);
        for (uint32_t N = 0; N < Waves; ++N) {
          WaveState &S = Group[N];
          S.Processor = On.Target;
          S.LaneCount = uint8_t(On.Lanes);
          WavePlace Place = {};
          Place.Workgroup[0] = X;
          Place.Workgroup[1] = Y;
          Place.GroupSize[0] = SizeX;
          Place.GroupSize[1] = SizeY;
          Place.GroupSize[2] = 1;
          Place.WaveInGroup = N;
          Place.PacketAddress = Packet;
          Place.RingPackets = 1;
          Place.ScratchBase = Scratch;
          Place.ScratchSize = uint64_t(Waves) * WaveScratch;
          Place.WaveScratch = N * WaveScratch;
          Place.WaveScratchSize = WaveScratch;
          initializeWave(S, Setup, Asked, Place);
          S.LDS = Lds.data();
          S.LDSSize = LdsSize;
        }
        std::vector<int> State(Waves, 0); // 1: at the barrier, 2: done.
        for (uint32_t Left = Waves; Left;) {
          uint32_t Waiting = 0;
          for (uint32_t N = 0; N < Waves; ++N) {
            if (State[N]) {
              Waiting += State[N] == 1;
              continue;
            }
            const StepResult R = Exec.run(Group[N], 10000);
            Exec.finishTranslation();
            Executed += R.Executed;
            if (R.Reason == StepResult::EndPgm) {
              State[N] = 2;
              --Left;
            } else if (R.Reason == StepResult::BarrierSignal ||
                       R.Reason == StepResult::SendMsg) {
              // In these kernels, every wave waits immediately after the
              // signal; the message releases registers.
            } else if (R.Reason == StepResult::Barrier ||
                       R.Reason == StepResult::BarrierWait) {
              State[N] = 1;
              ++Waiting;
            } else if (R.Reason != StepResult::Continued) {
              FAIL() << Kernel << ": reason " << int(R.Reason) << " " << R.Text
                     << " at +0x" << std::hex << R.Address - Image
                     << " fault 0x" << R.FaultAddress << " lanes 0x"
                     << R.LaneMask;
            }
          }
          if (Waiting == Left)
            for (int &S : State)
              S = S == 1 ? 0 : S;
        }
      }
  }
  template <class... A>
  void grid(const std::string &Kernel, uint32_t Groups, uint32_t Size,
            A... Args) {
    uint8_t Buffer[256];
    size_t At = 0;
    (void)std::initializer_list<int>{
        (At = (At + sizeof(A) - 1) / sizeof(A) * sizeof(A),
         std::memcpy(Buffer + At, &Args, sizeof(A)), At += sizeof(A), 0)...};
    launch(Kernel, Buffer, At, Groups, 1, Size, 1);
  }
};

} // namespace isatest

#endif
