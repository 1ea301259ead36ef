//===-- KernelTest.cpp - kernels as clang compiles them --------------------===//
//
// A small launcher: loads a code object, starts waves as their kernel descriptor
// asks for and runs them round about, with no device around the executor.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "KernelWork.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace isatest;
using namespace llvm;

namespace {

class Launcher {
public:
  static constexpr uint64_t Image = 0x7000000, Kernarg = 0x8000000,
                            Packet = 0x8100000, Scratch = 0x9000000,
                            Data = 0xa000000;
  RegionMemory Memory;
  uint64_t NextData = Data;
  std::unique_ptr<MemoryBuffer> File;
  std::unique_ptr<object::ELF64LEObjectFile> Object;
  uint64_t Executed = 0;

  explicit Launcher(const std::string &Path) {
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
        std::memcpy(P + H.p_vaddr, File->getBufferStart() + H.p_offset, H.p_filesz);
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
              uint32_t GroupsX, uint32_t GroupsY, uint32_t SizeX, uint32_t SizeY) {
    const uint64_t Descriptor = symbol(Kernel + ".kd");
    if (!Descriptor)
      return;
    const uint8_t *KD = Memory.at(Descriptor);
    auto U32 = [&](unsigned At) {
      uint32_t V;
      std::memcpy(&V, KD + At, 4);
      return V;
    };
    const uint32_t LdsSize = U32(0), PrivateSize = std::max(U32(4), 4096u);
    uint64_t Entry;
    std::memcpy(&Entry, KD + 16, 8);
    Entry += Descriptor;
    const uint32_t Rsrc3 = U32(44), Rsrc1 = U32(48), Rsrc2 = U32(52),
                   Properties = U32(56);

    // Explicit arguments, then what code object version 5 hides behind them.
    uint8_t *K = Memory.at(Kernarg);
    std::memset(K, 0, 4096);
    std::memcpy(K, Args, ArgSize);
    const size_t Hidden = (ArgSize + 7) & ~size_t(7);
    const uint32_t Counts[3] = {GroupsX, GroupsY, 1};
    const uint16_t Sizes[3] = {uint16_t(SizeX), uint16_t(SizeY), 1};
    std::memcpy(K + Hidden, Counts, 12);
    std::memcpy(K + Hidden + 12, Sizes, 6);

    const uint32_t Items = SizeX * SizeY, Waves = (Items + 63) / 64;
    for (uint32_t Y = 0; Y < GroupsY; ++Y)
      for (uint32_t X = 0; X < GroupsX; ++X) {
        std::vector<uint8_t> Lds(std::max(LdsSize, 1u));
        std::vector<WaveState> Group(Waves);
        Memory.add(Scratch, size_t(Waves) * PrivateSize * 64);
        for (uint32_t N = 0; N < Waves; ++N) {
          WaveState &S = Group[N];
          const uint32_t Total = (Rsrc1 & 63) * 8 + 8,
                         Accum = (Rsrc3 & 63) * 4 + 4;
          S.allocateVGPRs(Accum, Total > Accum ? Total - Accum : 0);
          S.LDS = Lds.data();
          S.LDSSize = LdsSize;
          S.ScratchLaneSize = PrivateSize;
          S.Mode = (Rsrc1 >> 12 & 0xff) | mode::DX10Clamp | mode::IEEE;
          S.PC = Entry;
          const uint64_t Wave = Scratch + uint64_t(N) * PrivateSize * 64;
          unsigned R = 0;
          if (Properties & 1) { // Descriptor of the queue's scratch.
            S.Scalar[R] = uint32_t(Scratch);
            S.Scalar[R + 1] = 1u << 31;
            S.Scalar[R + 2] = Waves * PrivateSize * 64;
            S.Scalar[R + 3] = 3u << 21 | 1u << 23 | 4u << 15;
            R += 4;
          }
          for (unsigned Bit = 1; Bit < 6; ++Bit) {
            if (!(Properties >> Bit & 1))
              continue;
            const uint64_t Values[] = {0, Packet, 0, Kernarg, 0, Scratch};
            S.setPair(R, Values[Bit]);
            R += 2;
          }
          R = Rsrc2 >> 1 & 31;
          const uint32_t Ids[3] = {X, Y, 0};
          for (unsigned D = 0; D < 3; ++D)
            if (Rsrc2 >> (7 + D) & 1)
              S.Scalar[R++] = Ids[D];
          if (Rsrc2 & 1)
            S.Scalar[R++] = uint32_t(Wave - Scratch);
          uint64_t Active = 0;
          for (uint32_t L = 0; L < 64 && N * 64 + L < Items; ++L) {
            Active |= uint64_t(1) << L;
            const uint32_t I = N * 64 + L;
            S.vgpr(0, L) = I % SizeX | I / SizeX << 10;
          }
          S.setExec(Active);
        }
        Executor Exec(wavelane::isa::Target::GFX90A, Memory);
        std::vector<int> State(Waves, 0); // 1: at the barrier, 2: done.
        for (uint32_t Left = Waves; Left;) {
          uint32_t Waiting = 0;
          for (uint32_t N = 0; N < Waves; ++N) {
            if (State[N]) {
              Waiting += State[N] == 1;
              continue;
            }
            const StepResult R = Exec.run(Group[N], 1000000);
            Executed += R.Executed;
            if (R.Reason == StepResult::EndPgm) {
              State[N] = 2;
              --Left;
            } else if (R.Reason == StepResult::Barrier) {
              State[N] = 1;
              ++Waiting;
            } else if (R.Reason != StepResult::Continued) {
              FAIL() << Kernel << ": reason " << int(R.Reason) << " " << R.Text
                     << " at +0x" << std::hex << R.Address - Image << " fault 0x"
                     << R.FaultAddress << " lanes 0x" << R.LaneMask;
            }
          }
          if (Waiting == Left)
            for (int &S : State)
              S = S == 1 ? 0 : S;
        }
      }
  }
  template <class... A> void grid(const std::string &Kernel, uint32_t Groups,
                                  uint32_t Size, A... Args) {
    uint8_t Buffer[256];
    size_t At = 0;
    (void)std::initializer_list<int>{
        (At = (At + sizeof(A) - 1) / sizeof(A) * sizeof(A),
         std::memcpy(Buffer + At, &Args, sizeof(A)), At += sizeof(A), 0)...};
    launch(Kernel, Buffer, At, Groups, 1, Size, 1);
  }
};

class ISAKernel : public testing::TestWithParam<const char *> {};

TEST_P(ISAKernel, VectorAddWithPartialWave) {
  Launcher L(GetParam());
  uint64_t A, B, C;
  const unsigned N = 1000;
  float *PA = L.buffer<float>(N, A), *PB = L.buffer<float>(N, B);
  float *PC = L.buffer<float>(1024, C);
  for (unsigned I = 0; I < N; ++I)
    PA[I] = float(I) * 0.1f, PB[I] = 1000.0f / float(I + 1);
  L.grid("vadd", 8, 128, A, B, C, N);
  for (unsigned I = 0; I < N; ++I)
    EXPECT_EQ(PC[I], PA[I] + PB[I]) << I;
  EXPECT_EQ(PC[N], 0.0f);
}

template <class T, class F>
void compare(const char *Path, const char *Kernel, F Host) {
  Launcher L(Path);
  uint64_t Out;
  T *P = L.buffer<T>(512, Out);
  L.grid(Kernel, 2, 256, Out);
  for (unsigned I = 0; I < 512; ++I) {
    const T Want = Host(I);
    EXPECT_EQ(std::memcmp(&P[I], &Want, sizeof(T)), 0)
        << Kernel << " " << I << ": " << P[I] << ", host " << Want;
  }
}
TEST_P(ISAKernel, Recursion) {
  compare<uint32_t>(GetParam(), "do_fib", [](unsigned I) { return fib(I % 12); });
}
TEST_P(ISAKernel, Integers) {
  compare<uint32_t>(GetParam(), "do_integers", integers);
}
TEST_P(ISAKernel, Singles) { compare<float>(GetParam(), "do_singles", singles); }
TEST_P(ISAKernel, Doubles) { compare<double>(GetParam(), "do_doubles", doubles); }
TEST_P(ISAKernel, Bytes) { compare<uint32_t>(GetParam(), "do_bytes", bytes); }

TEST_P(ISAKernel, ReductionWithBarriersAndAtomics) {
  Launcher L(GetParam());
  uint64_t In, Total;
  uint32_t *P = L.buffer<uint32_t>(1024, In), *T = L.buffer<uint32_t>(1, Total);
  uint32_t Want = 0;
  for (unsigned I = 0; I < 1024; ++I)
    Want += P[I] = I * I + 17;
  L.grid("reduce", 4, 256, In, Total);
  EXPECT_EQ(*T, Want);
}

TEST_P(ISAKernel, TwoDimensions) {
  Launcher L(GetParam());
  uint64_t Out;
  uint32_t *P = L.buffer<uint32_t>(48 * 16, Out);
  struct {
    uint64_t Out;
    uint32_t Width;
  } Args = {Out, 48};
  L.launch("where", &Args, 12, 3, 2, 16, 8);
  for (unsigned Y = 0; Y < 16; ++Y)
    for (unsigned X = 0; X < 48; ++X)
      EXPECT_EQ(P[Y * 48 + X], X * 1000 + Y);
}

INSTANTIATE_TEST_SUITE_P(Levels, ISAKernel,
                         testing::Values(ISA_TEST_KERNELS_O0, ISA_TEST_KERNELS_O2),
                         [](const testing::TestParamInfo<const char *> &I) {
                           return std::string(I.index ? "O2" : "O0");
                         });

} // namespace
