// Nanoseconds for typical expressions: to evaluate one, and to read the object
// as well; and LLDB's evaluator for the ten that it supports. The ratios at the
// end are comparable between machines.

#include "LLDBExpressions.h"
#include "wavelane/Location/Architecture.h"
#include "wavelane/Location/Lanes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

using namespace llvm;
using namespace wavelane::location;

static size_t Allocations;
void *operator new(size_t Size) {
  ++Allocations;
  if (void *P = malloc(Size))
    return P;
  abort();
}
void operator delete(void *P) noexcept { free(P); }
void operator delete(void *P, size_t) noexcept { free(P); }

namespace {
/// A wave64 whose memory is all one pattern.
class BenchContext : public Context {
public:
  uint32_t Lane = 0;
  Context *Caller = nullptr;
  uint8_t Registers[4096] = {};

  BenchContext() {
    for (size_t I = 0; I < sizeof(Registers); ++I)
      Registers[I] = uint8_t(I * 7);
  }
  std::optional<AddressSpace> getAddressSpace(uint64_t N) override {
    return Wave64->getAddressSpace(N);
  }
  Expected<uint64_t> getRegisterSize(uint64_t N) override {
    return N >= 2560 ? 256 : 8;
  }
  Error readRegister(uint64_t N, uint64_t, uint64_t Offset,
                     MutableArrayRef<uint8_t> Into) override {
    memcpy(Into.data(), Registers + (N % 8) * 256 + Offset, Into.size());
    return Error::success();
  }
  Error readMemory(uint64_t, std::optional<uint32_t>, uint64_t,
                   uint64_t Address, MutableArrayRef<uint8_t> Into) override {
    memset(Into.data(), int(Address), Into.size());
    return Error::success();
  }
  /// As a wave's memory is: one row has the words of all lanes.
  Error readMemoryInLanes(uint64_t, uint32_t, uint64_t, uint64_t Address,
                          MutableArrayRef<uint8_t> Into) override {
    memset(Into.data(), int(Address), Into.size());
    return Error::success();
  }
  std::optional<uint32_t> getLane() override { return Lane; }
  uint32_t getLaneCount() override { return 64; }
  std::optional<uint64_t> getProgramLocation() override { return 0x1000; }
  bool isVectorRegister(uint64_t N, unsigned &ElementSize) override {
    ElementSize = 4;
    return N >= 2560;
  }
  Expected<Location> getFrameBase() override { return getMemory(0x7000); }
  Expected<Location> getCallFrameAddress() override {
    return getMemory(0x7010);
  }
  Expected<Context *> getCallerContext() override { return Caller; }
  Expected<ObjectMap> getObjectMap(DieReference,
                                   const EvaluationOptions &) override {
    ObjectMap Map;
    Map.Memory = Location::memory(0, 0x4000);
    Map.Vector = Location::reg(2561);
    Map.First = 8;
    Map.ElementSize = 4;
    Map.ElementCount = 8;
    Map.IsActive = true;
    return Map;
  }

private:
  Location getMemory(uint64_t Address) {
    Location L = Location::memory(0, Address);
    L.Lane = Lane;
    return L;
  }

  const Architecture *Wave64 = Architecture::find("amdgpu-wave64");
};

struct Typical {
  const char *Name;
  const char *Text;
  unsigned ReadSize;
  bool HasLLDB;
  bool IsInList = false; ///< An entry of a location list.
};
const Typical Expressions[] = {
    {"register", "reg3", 8, true},
    {"register-relative", "breg7 -16", 4, true},
    {"frame-relative", "fbreg -16", 4, true},
    {"cfa-relative", "call_frame_cfa; consts -24; plus", 4, true},
    {"constant", "const4u 100000; stack_value", 8, true},
    {"implicit-value", "implicit_value 0000803f", 4, true},
    {"arithmetic", "lit4; const2u 1000; mul; lit3; plus; stack_value", 8, true},
    {"piece-composite", "reg3; piece 4; reg4; piece 4", 8, true},
    {"pointer-chain", "breg7 8; deref; plus_uconst 16; deref; plus_uconst 4", 4,
     true},
    {"list-entry", "breg7 -16", 4, true, true},
    {"entry-value", "entry_value { reg5 }; stack_value", 8, false},
    {"lane-vgpr", "regx 2560; LLVM_push_lane; lit4; mul; LLVM_offset", 4,
     false},
    {"lane-vgpr-pair",
     "regx 2560; LLVM_push_lane; lit4; mul; LLVM_offset; piece 4; "
     "regx 2561; LLVM_push_lane; lit4; mul; LLVM_offset; piece 4",
     8, false},
    {"private-space",
     "regx 64; deref_size 4; lit6; shr; lit4; plus; lit5; "
     "LLVM_form_aspace_address",
     4, false},
    {"overlay", "breg0 0; regx 2561; lit8; lit4; mul; const1u 32; overlay", 64,
     false},
    {"object-map", "lit8; object_map 0", 4, false},
    {"select-64-lanes",
     "undefined; LLVM_extend 64 64; addr 0x7000; stack_value; LLVM_extend 64 "
     "64; "
     "const8u 0xffffffffffffffff; LLVM_select_bit_piece 64 64",
     512, false},
};

std::vector<uint8_t> assembleOrDie(const char *Text) {
  return cantFail(assembleText(Text));
}

const Location &getLocation(const Expected<Location> &L) { return *L; }
const Location &getLocation(const Expected<Entry> &E) { return E->Location; }

void evaluateOnce(benchmark::State &State, const Typical &T, bool Reads) {
  const std::vector<uint8_t> Bytes = assembleOrDie(T.Text);
  BenchContext C, Caller;
  C.Caller = &Caller;
  LocationListEntry List[3];
  for (unsigned I = 0; I < 3; ++I)
    List[I] = {false, 0x800 * (I + 1), 0x800 * (I + 2), Bytes};
  uint8_t Buffer[512];
  const auto Use = [&](auto E) {
    if (!E) {
      State.SkipWithError(toString(E.takeError()).c_str());
      return false;
    }
    const Location &L = getLocation(E);
    if (Reads)
      consumeError(L.read(C, BitCount(T.ReadSize) * 8, Buffer));
    benchmark::DoNotOptimize(L.Offset);
    benchmark::DoNotOptimize(Buffer);
    return true;
  };
  const size_t Before = Allocations;
  for (auto _ : State)
    if (!(T.IsInList ? Use(evaluateLocationList(List, C))
                     : Use(evaluate(Bytes, C, ResultKind::Location))))
      return;
  State.counters["allocations"] =
      double(Allocations - Before) / double(State.iterations());
}

/// One variable in every lane, as a debugger shows it.
void evaluateLanes(benchmark::State &State, unsigned Lanes, const char *Text,
                   bool IsUpstream) {
  const std::vector<uint8_t> Bytes = assembleOrDie(Text);
  EvaluationOptions Options;
  Options.Upstream.Enabled = IsUpstream;
  BenchContext C;
  uint8_t Buffer[64 * 4];
  for (auto _ : State) {
    readLanes(
        Bytes, Lanes,
        [&](uint32_t Lane) -> Context & {
          C.Lane = Lane;
          return C;
        },
        4, MutableArrayRef<uint8_t>(Buffer, Lanes * 4),
        [&](uint32_t, Error Reason) {
          State.SkipWithError(toString(std::move(Reason)).c_str());
        },
        Options);
    benchmark::DoNotOptimize(Buffer);
  }
}

/// Keeps the CPU times for the ratios.
class Ratios : public benchmark::ConsoleReporter {
public:
  std::map<std::string, double> Times;
  void ReportRuns(const std::vector<Run> &Runs) override {
    for (const Run &R : Runs)
      if (!R.error_occurred)
        Times[R.benchmark_name()] = R.GetAdjustedCPUTime();
    ConsoleReporter::ReportRuns(Runs);
  }
};
} // namespace

int main(int argc, char **argv) {
  for (const Typical &T : Expressions) {
    const std::string Name = T.Name;
    benchmark::RegisterBenchmark(
        ("wavelane/" + Name).c_str(),
        [&T](benchmark::State &S) { evaluateOnce(S, T, false); });
    benchmark::RegisterBenchmark(
        ("wavelane-read/" + Name).c_str(),
        [&T](benchmark::State &S) { evaluateOnce(S, T, true); });
#ifdef WAVELANE_HAVE_LLDB
    if (T.HasLLDB)
      benchmark::RegisterBenchmark(
          ("lldb/" + Name).c_str(), [&T](benchmark::State &S) {
            LLDBExpression E(assembleOrDie(T.Text), T.IsInList);
            for (auto _ : S) {
              std::string Problem = E.evaluate();
              if (!Problem.empty()) {
                S.SkipWithError(Problem.c_str());
                return;
              }
            }
          });
#endif
  }
  struct {
    const char *Name, *Text;
    bool IsUpstream;
  } InLanes[] = {
      {"vgpr", "regx 2560; LLVM_push_lane; lit4; mul; LLVM_offset", false},
      {"upstream-vgpr", "regx 2560", true},
      {"upstream-frame-slot", "fbreg 8; lit1; swap; xderef", true},
  };
  for (const auto &E : InLanes)
    for (unsigned Lanes : {1u, 64u})
      benchmark::RegisterBenchmark(
          ("lanes/" + std::to_string(Lanes) + "/" + E.Name).c_str(),
          [=](benchmark::State &S) {
            evaluateLanes(S, Lanes, E.Text, E.IsUpstream);
          });
  benchmark::Initialize(&argc, argv);
  Ratios Reporter;
  benchmark::RunSpecifiedBenchmarks(&Reporter);
  outs() << "\nratios\n";
  double Logarithms = 0;
  unsigned Count = 0;
  for (const auto &[Name, Time] : Reporter.Times) {
    if (!StringRef(Name).starts_with("lldb/"))
      continue;
    auto Ours = Reporter.Times.find("wavelane/" + Name.substr(5));
    if (Ours != Reporter.Times.end()) {
      outs() << "  lldb / wavelane, " << Name.substr(5) << ": "
             << format("%.1f", Time / Ours->second) << " (goal 5 or more)\n";
      Logarithms += std::log(Time / Ours->second);
      ++Count;
    }
  }
  if (Count)
    outs() << "  geometric mean of " << Count << ": "
           << format("%.1f", std::exp(Logarithms / Count))
           << " (goal 10 or more)\n";
  for (const auto &E : InLanes) {
    auto One = Reporter.Times.find(std::string("lanes/1/") + E.Name);
    auto All = Reporter.Times.find(std::string("lanes/64/") + E.Name);
    if (One != Reporter.Times.end() && All != Reporter.Times.end())
      outs() << "  " << E.Name << " in 64 lanes / in one: "
             << format("%.1f", All->second / One->second)
             << " (goal 4 or less)\n";
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
