//===-- MemoryTest.cpp - flat, global, scratch, buffer, LDS, atomics ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Harness.h"

#include "llvm/TargetParser/TargetParser.h"

using namespace isatest;

namespace {
void addresses(Wave &W, unsigned Reg, uint64_t Base, unsigned Stride) {
  W.setV64(Reg, [=](unsigned L) { return Base + L * Stride; });
}
/// ROCr's scratch descriptor of a queue: swizzled by 64 lanes of dwords.
void scratchDescriptor(Wave &W, unsigned S) {
  W.S.Scalar[S] = uint32_t(Wave::Scratch);
  W.S.Scalar[S + 1] = uint32_t(Wave::Scratch >> 32) | 1u << 31;
  W.S.Scalar[S + 2] = 1024 * 64;
  W.S.Scalar[S + 3] = 3u << 21 | 1u << 23;
}
} // namespace

/// Counts how often data is looked up.
class CountingMemory : public RegionMemory {
public:
  uint64_t Epoch = 1;
  unsigned Lookups = 0;
  MemorySpan resolve(uint64_t Address, Access Kind) override {
    Lookups += Kind != Access::Execute;
    return RegionMemory::resolve(Address, Kind);
  }
  uint64_t epoch() const override { return Epoch; }
};

TEST(ISASpans, HoldForAnEpoch) {
  CountingMemory Memory;
  const auto Code = assemble("global_load_dword v2, v[0:1], off\n");
  std::copy(Code.begin(), Code.end(), Memory.add(Wave::Code, 4096));
  Memory.add(Wave::Data, 4096);
  Executor Exec(Target::GFX90A, Memory);
  WaveState S;
  S.allocateVGPRs(8, 0);
  S.setExec(1);
  const auto CountRun = [&] {
    S.PC = Wave::Code;
    S.vgpr(0, 0) = Wave::Data;
    Memory.Lookups = 0;
    EXPECT_EQ(Exec.step(S).Reason, StepResult::Continued);
    return Memory.Lookups;
  };
  EXPECT_EQ(CountRun(), 1u);
  EXPECT_EQ(CountRun(), 0u);
  ++Memory.Epoch;
  EXPECT_EQ(CountRun(), 1u);
  Memory.Epoch = 0;
  EXPECT_EQ(CountRun(), 1u);
  EXPECT_EQ(CountRun(), 1u);
  // What a run without an epoch has found doesn't hold in the one before.
  Memory.Epoch = 2;
  EXPECT_EQ(CountRun(), 1u);
}

TEST(ISAMemory, GlobalLoadsOfEveryWidth) {
  Wave W;
  for (unsigned N = 0; N < 2048; ++N)
    W.data<uint8_t>(N) = uint8_t(N * 37 + (N >> 8));
  addresses(W, 0, Wave::Data, 16);
  W.setV(20, [](unsigned) { return 0xaaaabbbb; });
  W.setV(21, [](unsigned) { return 0xaaaabbbb; });
  W.run("global_load_ubyte v2, v[0:1], off offset:3\n"
        "global_load_sbyte v3, v[0:1], off offset:3\n"
        "global_load_ushort v4, v[0:1], off offset:6\n"
        "global_load_sshort v5, v[0:1], off offset:6\n"
        "global_load_dword v6, v[0:1], off\n"
        "global_load_dwordx3 v[8:10], v[0:1], off\n"
        "global_load_dwordx4 v[12:15], v[0:1], off\n"
        "global_load_short_d16 v20, v[0:1], off\n"
        "global_load_ubyte_d16_hi v21, v[0:1], off\n"
        "flat_load_dwordx2 v[22:23], v[0:1]\ns_waitcnt vmcnt(0)");
  for (unsigned L = 0; L < 64; ++L) {
    const uint8_t *P = &W.data<uint8_t>(16 * L);
    uint32_t D[4];
    std::memcpy(D, P, 16);
    uint16_t H6, H0;
    std::memcpy(&H6, P + 6, 2);
    std::memcpy(&H0, P, 2);
    EXPECT_EQ(W.v(2, L), P[3]);
    EXPECT_EQ(W.v(3, L), uint32_t(int8_t(P[3])));
    EXPECT_EQ(W.v(4, L), H6);
    EXPECT_EQ(W.v(5, L), uint32_t(int16_t(H6)));
    EXPECT_EQ(W.v(6, L), D[0]);
    EXPECT_EQ(W.v(10, L), D[2]);
    EXPECT_EQ(W.v(15, L), D[3]);
    EXPECT_EQ(W.v(20, L), H0); // see HalvesOfRegisters
    EXPECT_EQ(W.v(21, L), uint32_t(P[0]) << 16);
    EXPECT_EQ(W.v(23, L), D[1]);
  }
}

/// Loads of 16 bits leave the other half of the register, but with SRAM ECC,
/// which a GPU has if LLVM knows the choice for it, they clear it.
TEST(ISAMemory, HalvesOfRegisters) {
  const char *const Loads[] = {
      "global_load_short_d16",  "global_load_ubyte_d16",
      "global_load_sbyte_d16",  "flat_load_short_d16",
      "scratch_load_short_d16", "buffer_load_short_d16",
      "buffer_load_sbyte_d16",  "ds_read_u16_d16",
      "ds_read_u8_d16",         "ds_read_i8_d16"};
  for (const auto &P : wavelane::gpu::devices()) {
    if (!P.isModeled())
      continue;
    const std::string Name = P.llvmName();
    const bool Clears =
        llvm::AMDGPU::getArchAttrAMDGCN(llvm::AMDGPU::parseArchAMDGCN(Name)) &
        llvm::AMDGPU::FEATURE_SRAMECC;
    const std::string NoOffset = generation(P.Id) < 12 ? "0" : "null";
    for (const std::string Load : Loads)
      for (const bool High : {false, true}) {
        Wave W(P.Id);
        W.data<uint16_t>(8) = 0x80f3;
        std::memcpy(W.LDS.data() + 8, &W.data<uint16_t>(8), 2);
        for (unsigned L = 0; L < 64; ++L)
          std::memcpy(W.Memory.at(Wave::Scratch) + 2 * 256 + L * 4,
                      &W.data<uint16_t>(8), 2);
        W.S.setPair(4, Wave::Data);
        W.S.Scalar[6] = 4096;
        W.S.Scalar[7] = 3u << 28;
        const bool IsLocal = Load[0] == 'd', IsScratch = Load[0] == 's';
        W.setV64(0, [&](unsigned) {
          return IsLocal || IsScratch ? 8 : Wave::Data + 8;
        });
        W.setV(2, [](unsigned) { return 0xaaaabbbb; });
        W.run(Load + (High ? "_hi v2, " : " v2, ") +
              (Load[0] == 'b'   ? "off, s[4:7], " + NoOffset + " offset:8"
               : IsLocal        ? "v0"
               : IsScratch      ? "v0, off"
               : Load[0] == 'f' ? "v[0:1]"
                                : "v[0:1], off"));
        const bool IsByte = Load.find("byte") != std::string::npos ||
                            Load.find("8_d16") != std::string::npos;
        const bool IsSigned = Load.find("sbyte") != std::string::npos ||
                              Load.find("i8") != std::string::npos;
        const uint32_t V = !IsByte    ? 0x80f3
                           : IsSigned ? 0xfff3
                                      : 0xf3,
                       Old = Clears ? 0
                             : High ? 0xbbbb
                                    : 0xaaaa0000;
        EXPECT_EQ(W.v(2, 5), Old | (High ? V << 16 : V))
            << Load << (High ? "_hi" : "") << " on " << P.Name;
      }
  }
}

TEST(ISAMemory, StoresOfActiveLanesOnly) {
  Wave W;
  addresses(W, 0, Wave::Data, 8);
  W.setV64(2, [](unsigned L) { return 0x1122334455667788ull + L; });
  W.S.setExec(0xaaaaaaaaaaaaaaaaull);
  W.run("global_store_dwordx2 v[0:1], v[2:3], off");
  for (unsigned L = 0; L < 64; ++L)
    EXPECT_EQ(W.data<uint64_t>(8 * L), L & 1 ? 0x1122334455667788ull + L : 0)
        << L;
  W.run("global_store_byte v[0:1], v2, off offset:1\n"
        "global_store_byte_d16_hi v[0:1], v2, off offset:2\n"
        "global_store_short v[0:1], v2, off offset:4");
  EXPECT_EQ(W.data<uint8_t>(9), 0x89);
  EXPECT_EQ(W.data<uint8_t>(10), 0x66);
  EXPECT_EQ(W.data<uint16_t>(12), 0x7789);
}

TEST(ISAMemory, GlobalWithScalarBaseAndNegativeOffset) {
  Wave W;
  for (unsigned N = 0; N < 256; ++N)
    W.data<uint32_t>(4 * N) = N;
  W.S.setPair(4, Wave::Data + 16);
  W.setV(0, [](unsigned L) { return L * 4; });
  W.run("global_load_dword v1, v0, s[4:5] offset:-16\n"
        "global_load_dword v2, v0, s[4:5] offset:64");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(1, L), L);
    EXPECT_EQ(W.v(2, L), L + 20);
  }
}

TEST(ISAMemory, AccRegistersAsData) {
  Wave W;
  addresses(W, 0, Wave::Data, 4);
  for (unsigned L = 0; L < 64; ++L)
    W.data<uint32_t>(4 * L) = L * 3;
  W.run("global_load_dword a5, v[0:1], off\nv_accvgpr_read_b32 v2, a5\n"
        "v_add_u32 v2, v2, 1\nv_accvgpr_write_b32 a6, v2\nv_accvgpr_mov_b32 "
        "a7, a6\n"
        "global_store_dword v[0:1], a7, off");
  for (unsigned L = 0; L < 64; ++L)
    EXPECT_EQ(W.data<uint32_t>(4 * L), L * 3 + 1);
}

TEST(ISAMemory, FaultNamesAddressAndLanes) {
  Wave W;
  W.setV64(0, [](unsigned L) {
    return L == 5 || L == 9 ? 0x900000 + L : Wave::Data + 4 * L;
  });
  W.load("global_load_dword v2, v[0:1], off\ns_endpgm");
  StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::MemoryViolation);
  EXPECT_EQ(R.FaultAddress, 0x900005u);
  EXPECT_EQ(R.LaneMask, 1u << 5 | 1u << 9);
  EXPECT_EQ(W.S.PC, Wave::Code);
  EXPECT_EQ(R.Executed, 0u);
  W.load("global_store_dword v[0:1], v2, off\ns_endpgm");
  R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.FaultAccess, Access::Write);
}

TEST(ISAMemory, PrivateMemoryIsTheSameThroughBufferFlatAndScratch) {
  Wave W;
  scratchDescriptor(W, 0);
  W.S.Scalar[32] = 0;
  W.setV(1, [](unsigned L) { return 0x1000 + L; });
  W.setV(2, [](unsigned L) { return 0x2000 + L; });
  W.setV(3, [](unsigned) { return 40; });
  W.setV64(4, [](unsigned) { return wavelane::gpu::PrivateAperture + 40; });
  W.S.Scalar[33] = 256; // Bytes of the wave: 4 in each lane.
  W.run("buffer_store_dword v1, off, s[0:3], 0 offset:40\n"
        "flat_load_dword v6, v[4:5]\n"
        "scratch_load_dword v7, v3, off\n"
        "buffer_load_dword v8, v3, s[0:3], 0 offen\n"
        "flat_store_dword v[4:5], v2 offset:4\n"
        "buffer_load_dword v9, off, s[0:3], s33 offset:40\n"
        "buffer_load_dwordx2 v[10:11], off, s[0:3], 0 offset:40\n"
        "flat_store_byte v[4:5], v2 offset:2\n"
        "buffer_load_ushort v12, v3, s[0:3], 0 offen offset:1\n"
        "flat_load_dword v13, v[4:5] offset:1");
  for (unsigned L = 0; L < 64; ++L) {
    const uint32_t A = 0x1000 + L, B = 0x2000 + L;
    const uint32_t A2 = (A & 0xff00ffff) | (B & 0xff) << 16;
    EXPECT_EQ(W.v(6, L), A);
    EXPECT_EQ(W.v(7, L), A);
    EXPECT_EQ(W.v(8, L), A);
    EXPECT_EQ(W.v(9, L), B);
    EXPECT_EQ(W.v64(10, L), A | uint64_t(B) << 32);
    EXPECT_EQ(W.v(12, L), A2 >> 8 & 0xffff);
    EXPECT_EQ(W.v(13, L), A2 >> 8 | B << 24);
    uint32_t Raw;
    std::memcpy(&Raw, W.Memory.at(Wave::Scratch + 10 * 256 + L * 4), 4);
    EXPECT_EQ(Raw, A2);
  }
}

TEST(ISAMemory, PrivateMemoryHasAnEnd) {
  Wave W;
  W.setV64(4, [](unsigned) { return wavelane::gpu::PrivateAperture + 1024; });
  W.load("flat_load_dword v6, v[4:5]\ns_endpgm");
  const StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::MemoryViolation);
  EXPECT_EQ(R.FaultAddress, wavelane::gpu::PrivateAperture + 1024);
}

TEST(ISAMemory, BuffersCheckTheirRange) {
  Wave W;
  W.S.Scalar[0] = uint32_t(Wave::Data);
  W.S.Scalar[1] = 0;
  W.S.Scalar[2] = 128; // In bytes: the upper lanes are out of range.
  W.S.Scalar[3] = 0;
  for (unsigned N = 0; N < 64; ++N)
    W.data<uint32_t>(4 * N) = N + 1;
  W.setV(0, [](unsigned L) { return L * 4; });
  W.setV(2, [](unsigned) { return 77; });
  W.run("buffer_load_dword v1, v0, s[0:3], 0 offen\n"
        "buffer_store_dword v2, v0, s[0:3], 0 offen");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(1, L), L < 32 ? L + 1 : 0);
    EXPECT_EQ(W.data<uint32_t>(4 * L), L < 32 ? 77 : L + 1);
  }
}

/// Of several dwords, each is checked by itself; an atomic is as a whole.
TEST(ISAMemory, BuffersCheckEachDword) {
  for (const Target T : {Target::GFX90A, Target::GFX1030, Target::GFX1100}) {
    Wave W(T);
    W.S.setPair(0, Wave::Data);
    W.S.Scalar[2] = 128;
    W.S.Scalar[3] = 3u << 28;
    for (unsigned N = 0; N < 64; ++N)
      W.data<uint32_t>(4 * N) = N + 1;
    W.setV(0, [](unsigned L) { return L == 9 ? uint32_t(-4) : L * 4; });
    for (unsigned N = 8; N < 12; ++N)
      W.setV(N, [=](unsigned L) { return 0x1000 * N + L; });
    W.run("buffer_load_dwordx4 v[2:5], v0, s[0:3], 0 offen\n"
          "buffer_load_dwordx3 v[12:14], v0, s[0:3], 0 offen\n");
    for (unsigned L = 0; L < 64; ++L)
      for (unsigned N = 0; N < 7; ++N) {
        const unsigned At = L + N % 4;
        EXPECT_EQ(W.v(N < 4 ? N + 2 : N + 8, L), At < 32 && L != 9 ? At + 1 : 0)
            << L << " " << N << " on " << getProcessorName(T);
      }
    W.S.setExec(uint64_t(1) << 30 | uint64_t(1) << 40 | uint64_t(1) << 9);
    W.run("buffer_store_dwordx4 v[8:11], v0, s[0:3], 0 offen\n");
    for (unsigned N = 0; N < 64; ++N)
      EXPECT_EQ(W.data<uint32_t>(4 * N), N == 30   ? 0x8000u + 30
                                         : N == 31 ? 0x9000u + 30
                                                   : N + 1);
    W.setV(0, [](unsigned) { return 124; });
    W.setV64(2, [](unsigned) { return 1; });
    W.run("buffer_atomic_add_x2 v[2:3], v0, s[0:3], 0 offen\n"
          "buffer_atomic_add v2, v0, s[0:3], 0 offen offset:4\n");
    EXPECT_EQ(W.data<uint32_t>(124), 0x9000u + 30);
    EXPECT_EQ(W.data<uint32_t>(128), 33u);
  }
}

TEST(ISAMemory, LdsReadsAndWrites) {
  Wave W;
  W.setV(0, [](unsigned L) { return L * 16; });
  W.setV(1, [](unsigned L) { return L * 7; });
  W.setV64(2, [](unsigned L) { return 0xf00000000ull * L; });
  W.run(
      "ds_write_b32 v0, v1\nds_write2_b32 v0, v1, v3 offset0:1 offset1:2\n"
      "ds_write_b8 v0, v1 offset:12\nds_read_b128 v[4:7], v0\n"
      "ds_read2_b32 v[8:9], v0 offset0:2 offset1:1\nds_read_u8 v10, v0 "
      "offset:12\n"
      "ds_read_i16 v11, v0\nds_write_b64 v0, v[2:3]\nds_read_b64 v[12:13], v0\n"
      "ds_read2st64_b32 v[14:15], v0 offset0:0 offset1:1\ns_waitcnt "
      "lgkmcnt(0)");
  for (unsigned L = 0; L < 64; ++L) {
    const uint32_t Hi = uint32_t(0xf00000000ull * L >> 32);
    EXPECT_EQ(W.v(4, L), L * 7);
    EXPECT_EQ(W.v(5, L), L * 7);
    EXPECT_EQ(W.v(6, L), Hi);
    EXPECT_EQ(W.v(8, L), Hi);
    EXPECT_EQ(W.v(9, L), L * 7);
    EXPECT_EQ(W.v(10, L), L * 7 & 0xff);
    EXPECT_EQ(W.v(11, L), L * 7);
    EXPECT_EQ(W.v64(12, L), 0xf00000000ull * L);
  }
  // Addresses have 32 bits: compilers generate this for tile[63 - lane].
  W.setV(0, [](unsigned L) { return L * 16; });
  W.setV(16, [](unsigned L) { return -16 * L; });
  W.run("ds_write_b32 v0, v1\nds_read_b32 v4, v16 offset:1008\n"
        "ds_write_b32 v0, v1 offset:8\nv_add_u32 v17, 0x3f0, v16\nv_add_u32 "
        "v17, -16, v17\n"
        "ds_read2_b32 v[18:19], v17 offset0:4 offset1:6");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(4, L), (63 - L) * 7);
    EXPECT_EQ(W.v(18, L), (63 - L) * 7);
    EXPECT_EQ(W.v(19, L), (63 - L) * 7);
  }
  // Outside of the LDS, nothing is read or written.
  W.setV(0, [](unsigned) { return 4096; });
  W.run("ds_write_b32 v0, v1\nds_read_b32 v4, v0");
  EXPECT_EQ(W.v(4, 9), 0u);
}

TEST(ISAMemory, LdsByLaneNumber) {
  for (const auto &P : wavelane::gpu::devices())
    for (unsigned Lanes : {32u, 64u}) {
      if (!P.isModeled() || (Lanes == 32 && !hasWave32(P.Id)))
        continue;
      SCOPED_TRACE(P.Name + (" with lanes: " + std::to_string(Lanes)));
      const bool Renamed = generation(P.Id) >= 11;
      const std::string Write = Renamed ? "ds_store_addtid_b32"
                                        : "ds_write_addtid_b32",
                        Read = Renamed ? "ds_load_addtid_b32"
                                       : "ds_read_addtid_b32";
      Wave W(P.Id, Lanes);
      std::fill(W.LDS.begin(), W.LDS.end(), 0xee);
      const auto Word = [&](unsigned At) {
        uint32_t V;
        std::memcpy(&V, &W.LDS[At], 4);
        return V;
      };
      // Only 16 bits of M0 count, and inactive lanes have a place, too.
      W.S.Scalar[scalar::M0] = 0xabc00100;
      W.S.setExec(~0x10ull);
      for (unsigned Reg : {0u, 1u})
        W.setV(Reg, [=](unsigned L) { return 0x1000 * (Reg + 1) + L; });
      W.setV(2, [](unsigned) { return 77; });
      W.run(Write + " v0\n" + Write + " v1 offset:1024\n" + Read +
            " v2 offset:1020");
      for (unsigned L = 0; L < Lanes; ++L) {
        EXPECT_EQ(Word(0x100 + 4 * L), L == 4 ? 0xeeeeeeee : 0x1000 + L);
        EXPECT_EQ(Word(0x500 + 4 * L), L == 4 ? 0xeeeeeeee : 0x2000 + L);
        EXPECT_EQ(W.v(2, L), L == 4                 ? 77u
                             : L == 0 || L - 1 == 4 ? 0xeeeeeeee
                                                    : 0x2000 + L - 1);
      }
      for (unsigned At :
           {0x100u - 4, 0x100 + 4 * Lanes, 0x500u - 4, 0x500 + 4 * Lanes})
        EXPECT_EQ(Word(At), 0xeeeeeeee);
      // The upper lanes are outside of the LDS.
      W.S.Scalar[scalar::M0] = 4096 - 16 * 4 - 8;
      W.S.setExec(~uint64_t(0));
      W.run(Write + " v1 offset:8\n" + Read + " v2 offset:8");
      for (unsigned L = 0; L < Lanes; ++L)
        EXPECT_EQ(W.v(2, L), L < 16 ? 0x2000 + L : 0);
      // Nothing wraps around.
      W.S.Scalar[scalar::M0] = 0xffff;
      W.setV(2, [](unsigned) { return 77; });
      W.run(Write + " v1 offset:65535\n" + Read + " v2 offset:65535");
      EXPECT_EQ(W.v(2, 1), 0u);
      EXPECT_EQ(Word(0), 0xeeeeeeee);
      if (wavelane::gpu::get(P.Id).family().Acc !=
          wavelane::gpu::AccRegisters::Unified)
        continue;
      W.S.Scalar[scalar::M0] = 0;
      W.run(Write + " v1\n" + Read + " a3\n" + Write + " a3 offset:512");
      for (unsigned L = 0; L < Lanes; ++L) {
        EXPECT_EQ(W.S.acc(3, L), 0x2000 + L);
        EXPECT_EQ(Word(512 + 4 * L), 0x2000 + L);
      }
    }
}

TEST(ISAMemory, FlatReachesLds) {
  Wave W;
  W.setV64(0, [](unsigned L) { return wavelane::gpu::LocalAperture + 4 * L; });
  W.setV(2, [](unsigned L) { return L + 5; });
  W.setV(3, [](unsigned L) { return L * 4; });
  W.run("flat_store_dword v[0:1], v2\nds_read_b32 v4, v3\n"
        "flat_atomic_add v5, v[0:1], v2 glc\nflat_load_dword v6, v[0:1]");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(4, L), L + 5);
    EXPECT_EQ(W.v(5, L), L + 5);
    EXPECT_EQ(W.v(6, L), 2 * L + 10);
  }
  W.setV64(0, [](unsigned) { return wavelane::gpu::LocalAperture + 4096; });
  W.load("flat_load_dword v4, v[0:1]\ns_endpgm");
  EXPECT_EQ(W.Exec.run(W.S, 10).Reason, StepResult::MemoryViolation);
}

TEST(ISAMemory, AtomicsOnOneWordCountAllLanes) {
  Wave W;
  addresses(W, 0, Wave::Data, 0);
  W.setV(2, [](unsigned L) { return L; });
  W.run("global_atomic_add v3, v[0:1], v2, off glc\n"
        "global_atomic_umax v[0:1], v2, off offset:4\n"
        "global_atomic_smin v[0:1], v2, off offset:8\n"
        "global_atomic_or v[0:1], v2, off offset:12\n"
        "global_atomic_inc v[0:1], v2, off offset:16");
  EXPECT_EQ(W.data<uint32_t>(0), 2016u);
  uint32_t Sum = 0;
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(3, L), Sum);
    Sum += L;
  }
  EXPECT_EQ(W.data<uint32_t>(4), 63u);
  EXPECT_EQ(W.data<uint32_t>(8), 0u);
  EXPECT_EQ(W.data<uint32_t>(12), 63u);
}

TEST(ISAMemory, CompareAndSwapInEachMemory) {
  Wave W;
  addresses(W, 0, Wave::Data, 8);
  for (unsigned L = 0; L < 64; ++L)
    W.data<uint64_t>(8 * L) = L & 1 ? 10 : 20;
  W.setV64(2, [](unsigned) { return 99 | uint64_t(10) << 32; }); // new, compare
  W.run("global_atomic_cmpswap v4, v[0:1], v[2:3], off glc");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(4, L), L & 1 ? 10u : 20u);
    EXPECT_EQ(W.data<uint64_t>(8 * L), L & 1 ? 99u : 20u);
  }
  W.setV64(6, [](unsigned) { return 1ull << 40; });
  W.setV64(8, [](unsigned) { return 20; });
  W.run("global_atomic_cmpswap_x2 v[10:11], v[0:1], v[6:9], off glc");
  for (unsigned L = 0; L < 64; ++L)
    EXPECT_EQ(W.data<uint64_t>(8 * L), L & 1 ? 99u : 1ull << 40);
  // LDS: the comparand first, then the new value.
  W.setV(0, [](unsigned L) { return L * 4; });
  W.run("v_mov_b32 v5, 7\nds_write_b32 v0, v5\nv_mov_b32 v6, 8\n"
        "ds_cmpst_rtn_b32 v7, v0, v5, v6\nds_read_b32 v8, v0");
  EXPECT_EQ(W.v(7, 3), 7u);
  EXPECT_EQ(W.v(8, 3), 8u);
}

TEST(ISAMemory, FloatAtomics) {
  Wave W;
  addresses(W, 0, Wave::Data, 0);
  W.setV(2, [](unsigned L) { return bits(float(L)); });
  W.setV64(4, [](unsigned L) { return bits(double(L) / 2); });
  W.setV(6, [](unsigned) { return 0; });
  W.run("global_atomic_add_f32 v[0:1], v2, off\n"
        "global_atomic_add_f64 v[0:1], v[4:5], off offset:8\n"
        "ds_add_f32 v6, v2\nds_read_b32 v7, v6\n"
        "global_atomic_max_f64 v[0:1], v[4:5], off offset:16");
  EXPECT_EQ(W.data<float>(0), 2016.0f);
  EXPECT_EQ(W.data<double>(8), 1008.0);
  EXPECT_EQ(W.v(7, 0), bits(2016.0f));
  EXPECT_EQ(W.data<double>(16), 31.5);
}

TEST(ISAMemory, MisalignedAtomicIsAViolation) {
  Wave W;
  addresses(W, 0, Wave::Data + 2, 0);
  W.load("global_atomic_add v[0:1], v2, off\ns_endpgm");
  EXPECT_EQ(W.Exec.run(W.S, 10).Reason, StepResult::MemoryViolation);
}

TEST(ISAMemory, LaneExchanges) {
  Wave W;
  W.setV(0, [](unsigned L) { return ((L + 1) % 64) * 4; });
  W.setV(1, [](unsigned L) { return L * 100; });
  W.run("ds_bpermute_b32 v2, v0, v1\nds_permute_b32 v3, v0, v1\n"
        "ds_swizzle_b32 v4, v1 offset:swizzle(BITMASK_PERM,\"00p11\")\n"
        "ds_swizzle_b32 v5, v1 offset:swizzle(QUAD_PERM,3,2,1,0)");
  for (unsigned L = 0; L < 64; ++L) {
    EXPECT_EQ(W.v(2, L), (L + 1) % 64 * 100);
    EXPECT_EQ(W.v(3, L), (L + 63) % 64 * 100);
    EXPECT_EQ(W.v(4, L), ((L & 0x24) | 3) * 100);
    EXPECT_EQ(W.v(5, L), (L ^ 3) * 100);
  }
}

TEST(ISAMemory, AddressWatches) {
  Wave W;
  addresses(W, 0, Wave::Data, 4);
  AddressWatch A;
  A.Enabled = true;
  A.Kind = AddressWatch::NonRead;
  A.Address = Wave::Data + 40;
  A.Mask = ~uint64_t(3);
  W.Exec.setWatches({AddressWatch(), A});
  W.load(
      "global_load_dword v2, v[0:1], off\nglobal_store_dword v[0:1], v2, off\n"
      "s_endpgm");
  const StepResult R = W.Exec.run(W.S, 10);
  EXPECT_EQ(R.Reason, StepResult::Watch);
  EXPECT_EQ(R.Code, 2u);
  EXPECT_EQ(R.Address, Wave::Code + 8);
  EXPECT_EQ(W.S.PC, Wave::Code + 16);
  EXPECT_TRUE(W.S.TrapSts >> 12 & 1);
}
