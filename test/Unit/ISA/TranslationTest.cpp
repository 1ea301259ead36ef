//===-- TranslationTest.cpp - translated code does what handlers do -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes arbitrary programs by the interpreter and by translated code, a few
// instructions at a time, and compares all that there is: registers, memory,
// and what the run returns.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Simulator/ISA/Decode.h"
#include "Simulator/ISA/Emitter.h"
#include "Simulator/ISA/LaneOperands.h"
#include "Simulator/ISA/Translator.h"
#include "Unit/Rounds.h"

#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <random>
#include <set>
#include <sstream>
#include <xmmintrin.h>

using namespace isatest;
using wavelane::isa::Target;

namespace {

/// Memory that exists everywhere: each address is one of the same few bytes.
class SmallMemory : public MemoryAccess {
public:
  static constexpr uint64_t Size = 4096; ///< of the program
  static constexpr uint64_t DataSize = 16384;
  std::vector<uint8_t> Bytes = std::vector<uint8_t>(2 * DataSize);
  const std::vector<uint8_t> &Program;

  explicit SmallMemory(const std::vector<uint8_t> &Program)
      : Program(Program) {}
  MemorySpan resolve(uint64_t Address, Access Kind) override {
    const bool IsCode = Kind == Access::Execute;
    const uint64_t Span = IsCode ? Size : DataSize,
                   Begin = Address / Span * Span;
    return {IsCode ? const_cast<uint8_t *>(Program.data()) : Bytes.data(),
            Begin, Begin + Span};
  }
  uint64_t clock(bool) override { return 42; }
};

/// What an observer sees, as a number.
class Log : public Observer {
public:
  explicit Log(Executor &Of) : Of(Of) {}
  void begin(unsigned ItWants, bool DoesSwitch) {
    Hash = Events = 0;
    Wants = ItWants;
    Switches = DoesSwitch;
    HasRefused = false;
    Of.setObserver(this, Wants);
  }
  uint64_t Hash = 0, Events = 0;

  bool needsRows(uint64_t PC) override { return PC / 4 % 2; }
  bool needsAccesses(const AccessBounds &B) override { return B.First / 4 % 2; }
  bool before(const WaveState &W, const ObservedInstruction &I) override {
    if (isIgnored(I))
      return true;
    add(W, I);
    HasRefused = !HasRefused && Switches && I.PC / 4 % 7 == 0;
    return !HasRefused;
  }
  void after(const WaveState &W, const ObservedInstruction &I) override {
    if (isIgnored(I))
      return;
    add(W, I);
    if (Switches && Hash % 8 == 0)
      Of.setObserver(this, Wants ^= observe::Registers);
  }

private:
  /// What translated code need not report.
  bool isIgnored(const ObservedInstruction &I) {
    const llvm::StringRef Name = I.Name;
    if ((Wants & observe::Rows) || needsRows(I.PC) ||
        !(Name.contains("_load_dword") || Name.contains("_store_dword")))
      return false;
    // Where lanes of buffers are rows is known by their descriptor.
    return Name.starts_with("buffer_") ||
           llvm::all_of(I.Accesses, [&](const LaneAccess &A) {
             return A.In == LaneAccess::Private && A.InRange &&
                    A.Address % 4 == 0 &&
                    A.Address == I.Accesses.front().Address;
           });
  }
  void add(uint64_t V) { Hash = llvm::hash_combine(Hash, V); }
  void add(const WaveState &W, const ObservedInstruction &I) {
    ++Events;
    for (uint64_t V : {W.PC, I.PC, I.Exec, uint64_t(I.Class),
                       uint64_t(W.Status & status::SCC)})
      add(V);
    for (const uint32_t S : W.Scalar)
      add(S);
    for (size_t N = 0; N < 16 * size_t(W.LaneCount); ++N)
      add(W.VGPR[N]);
    for (const LaneAccess &A : I.Accesses)
      for (uint64_t V : {A.Address, uint64_t(A.Size), uint64_t(A.Lane),
                         uint64_t(A.In), uint64_t(A.Kind), uint64_t(A.InRange)})
        add(V);
  }

  Executor &Of;
  unsigned Wants = 0;
  bool Switches = false, HasRefused = false;
};

/// A wave with everything that it can change.
struct Side {
  SmallMemory Memory;
  Executor Exec;
  std::vector<uint8_t> LDS = std::vector<uint8_t>(4096);
  WaveState State;
  StepResult Last;
  uint64_t Executed = 0;
  Log Seen{Exec};

  Side(Target T, const std::vector<uint8_t> &Program)
      : Memory(Program), Exec(T, Memory) {}
  void set(const WaveState &S, const std::vector<uint8_t> &Bytes,
           const std::vector<uint8_t> &Lds) {
    State = S;
    Memory.Bytes = Bytes;
    LDS = Lds;
    State.LDS = LDS.data();
    Executed = 0;
  }
};

class Pair {
public:
  Pair(Target T, unsigned Lanes, unsigned Seed)
      : T(T), Lanes(Lanes), Program(SmallMemory::Size), Plain(T, Program),
        Fast(T, Program), Decode(T, Lanes), Random(Seed) {
    Fast.Exec.setTranslation(true, /*After=*/1);
    for (uint32_t &V : Values)
      V = value();
    Start = assemble("s_branch L\ns_nop 0\nL:\n", T, Lanes);
    Nop = assemble("s_nop 0\n", T, Lanes);
    End = assemble("s_endpgm\n", T, Lanes);
    for (const char *When :
         {"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"})
      Branches.push_back(
          assemble(std::string("s_cbranch_") + When + " L\nL:\n", T, Lanes));
    Branches.push_back(assemble("s_branch L\nL:\n", T, Lanes));
    while (Rows.size() < 60)
      Rows.push_back(row());
    while (Rows.size() < 110)
      Rows.push_back(local());
    while (Rows.size() < 130)
      Rows.push_back(scalarLoad());
  }

  /// Compares one program of \a Count instructions.
  void tryOne(unsigned Count) {
    std::vector<std::vector<uint8_t>> Code;
    while (Code.size() < Count)
      Code.push_back(instruction());
    const bool Loops = draw(2);
    fill();
    std::string Why = run(Code, Loops);
    if (Why.empty())
      return;
    // Leave out what doesn't matter.
    for (auto &Bytes : Code) {
      const auto Old = Bytes;
      Bytes.clear();
      const std::string Shorter = run(Code, Loops);
      if (Shorter.empty())
        Bytes = Old;
      else
        Why = Shorter;
    }
    for (const auto &Bytes : Code)
      if (!Bytes.empty())
        Why += "\n  " + describe(Bytes);
    Wrong.push_back(Why + (Loops ? "\n  in a loop" : ""));
  }

  /// Compares the handlers for any host with those for this one.
  void tryVariants() {
    const std::vector<uint8_t> Bytes = instruction(/*Ruled=*/false);
    const Inst I = decode(Bytes);
    const Op *Other = anyHost().find(baseMnemonic(I.Text));
    const bool Clamps = I.Fn == I.O->ClampFn;
    if (!Other || I.Other || (!Clamps && I.Fn != I.O->Fn))
      return;
    Seen.insert(baseMnemonic(I.Text));
    fill();
    if (draw(2))
      First.Mode = (First.Mode & ~0xffu) | draw(256);
    const auto Run = [&](Side &S, const Op &O) {
      S.set(First, this->Bytes, Lds);
      Inst Own = I;
      Own.O = &O;
      Own.Fn = Clamps ? O.ClampFn : O.Fn;
      Machine M(S.State, S.Memory);
      M.updateEnv();
      const unsigned Before = _mm_getcsr();
      _mm_setcsr(M.Csr[unsigned(I.Fp)]);
      Own.Fn(M, Own);
      _mm_setcsr(Before);
    };
    Run(Plain, *I.O);
    Run(Fast, *Other);
    Plain.Last = Fast.Last = StepResult();
    const std::string Why = difference();
    if (!Why.empty())
      Wrong.push_back(Why + "\n  " + describe(Bytes));
  }

  std::vector<std::string> Wrong;
  std::set<std::string> Seen; ///< that have a rule
  bool Observes = false;
  uint64_t steps() const { return Fast.Exec.translatedSteps(); }

private:
  uint32_t word() { return uint32_t(Random()); }
  uint32_t draw(uint32_t N) { return uint32_t(Random() % N); }

  /// A value that is a small number, an address or a float about as often as
  /// not.
  uint32_t value() {
    switch (draw(7)) {
    case 0:
      return draw(64);
    case 1:
      return draw(4096) & ~15u;
    case 2:
      return bits(float(int32_t(draw(2000)) - 1000) / 8);
    case 3:
      return pattern(draw(64), draw(64));
    case 4: // infinity or NaN
      return 0x7f800000 | (word() & 0x80c0ffff);
    default:
      return word();
    }
  }

  static const OpTable &anyHost() {
    static const OpTable *const Table = [] {
      auto *T = new OpTable;
      generic::addVectorOps(*T);
      return T;
    }();
    return *Table;
  }

  std::string describe(const std::vector<uint8_t> &Bytes) {
    std::ostringstream Text;
    Text << decode(Bytes).Text << std::hex;
    for (size_t N = 0; N + 4 <= Bytes.size(); N += 4) {
      uint32_t W;
      std::memcpy(&W, &Bytes[N], 4);
      Text << " 0x" << W;
    }
    return Text.str();
  }
  Inst decode(std::vector<uint8_t> Bytes) {
    Bytes.resize(16);
    return Decode.decode(Bytes.data(), 16, Base);
  }

  /// An access of private memory at the same offset in all lanes, as fill()
  /// sets it in most of them, by registers that others seldom write.
  std::vector<uint8_t> row() {
    const bool Stores = draw(2);
    const unsigned Words = 1 + draw(4);
    const unsigned Offset = draw(16) * 4 + (draw(16) ? 0 : 2);
    std::string Data = "v";
    if (wavelane::gpu::get(T).family().Acc ==
            wavelane::gpu::AccRegisters::Unified &&
        draw(4) == 0)
      Data = "a";
    // Of two, in a register with an even number.
    const unsigned First = 2 * draw(8);
    Data += Words == 1 ? std::to_string(First)
                       : "[" + std::to_string(First) + ":" +
                             std::to_string(First + Words - 1) + "]";
    std::string Name, Where;
    switch (draw(4)) {
    case 0:
      Name = "flat";
      Where = "v[250:251]";
      break;
    case 1:
      Name = "scratch";
      Where = "off, s100";
      break;
    case 2:
      Name = "scratch";
      Where = "v250, off";
      break;
    default:
      Name = "buffer";
      Where = "off, s[96:99], s100";
    }
    Name += Stores ? "_store_dword" : "_load_dword";
    if (Words > 1)
      Name += "x" + std::to_string(Words);
    std::string Text = Name + " " + Data + ", " + Where;
    if (Stores && Where[0] == 'v')
      Text = Name + " " + Where.substr(0, Where.find(',')) + ", " + Data +
             (Where.find(',') == std::string::npos ? "" : ", off");
    else if (Stores && Where == "off, s100")
      Text = Name + " off, " + Data + ", s100";
    if (Where != "v[250:251]")
      Text += " offset:" + std::to_string(Offset);
    return assemble(Text + "\n", T, Lanes);
  }

  static std::string registers(const char *File, unsigned First,
                               unsigned Words) {
    return Words == 1 ? File + std::to_string(First)
                      : File + ("[" + std::to_string(First) + ":") +
                            std::to_string(First + Words - 1) + "]";
  }

  /// An access of local memory, at addresses as fillRows() sets them in most
  /// lanes or arbitrary ones.
  std::vector<uint8_t> local() {
    const bool Stores = draw(2);
    const unsigned Places = 1 + draw(2), Words = 1 + draw(Places > 1 ? 2 : 4);
    std::string Text = Stores ? "ds_write" : "ds_read";
    if (Places > 1)
      Text += draw(3) ? "2" : "2st64";
    Text += "_b" + std::to_string(32 * Words);
    const std::string Address =
        "v" + std::to_string(draw(4) ? 252 + draw(4) : draw(8));
    // Of several, in a register with an even number.
    const auto Data = [&](unsigned Count) {
      return registers("v", 2 * draw(8), Count);
    };
    if (Stores)
      Text += " " + Address + ", " + Data(Words) +
              (Places > 1 ? ", " + Data(Words) : "");
    else
      Text += " " + Data(Places * Words) + ", " + Address;
    if (Places == 1)
      Text +=
          " offset:" + std::to_string(draw(8) ? draw(64) * 4 : word() >> 16);
    else
      Text += " offset0:" + std::to_string(draw(draw(4) ? 16 : 256)) +
              " offset1:" + std::to_string(draw(draw(4) ? 16 : 256));
    return assemble(Text + "\n", T, Lanes);
  }

  /// A load of scalar registers, sometimes of those that have the address.
  std::vector<uint8_t> scalarLoad() {
    const unsigned Words = 1u << draw(5);
    const std::string To =
        registers("s", std::max(Words, 4u) * draw(Words > 8 ? 3 : 8), Words);
    return assemble(
        "s_load_dword" + (Words > 1 ? "x" + std::to_string(Words) : "") + " " +
            To + ", " + registers("s", 2 * draw(24), 2) + ", " +
            std::to_string(draw(1 << 18) * (draw(4) ? 4 : 1)) + "\n",
        T, Lanes);
  }

  /// Two instructions in one, or of pairs of numbers.
  void makePair(uint32_t *Words) {
    if (generation(T) > 10 && Lanes == 32) {
      Words[0] = 0xc8000000 | (Words[0] & 0x03ffffff);
    } else if (wavelane::gpu::get(T).family().Acc ==
               wavelane::gpu::AccRegisters::Unified) {
      const auto Source = [&] {
        return draw(4) ? 0x100 | 2 * draw(8) : draw(256);
      };
      Words[0] = 0xd3b00000 | draw(4) << 16 | (Words[0] & 0x7f00) | 2 * draw(8);
      Words[1] =
          Source() | Source() << 9 | Source() << 18 | (Words[1] & 0xf8000000);
    }
  }

  /// \param Ruled  Mostly instructions that have a rule.
  std::vector<uint8_t> instruction(bool Ruled = true) {
    if (Ruled && draw(5) == 0)
      return Rows[draw(uint32_t(Rows.size()))];
    for (;;) {
      std::vector<uint8_t> Bytes(16);
      uint32_t Words[4];
      for (uint32_t &W : Words)
        W = word();
      switch (draw(4)) {
      case 0: // scalar
        Words[0] = 0x80000000 | (Words[0] & 0x3fffffff);
        if (Words[0] >> 23 != 0x17f)
          Words[0] &= Words[0] >> 28 == 0xb ? ~0x00010000u : ~0x00010101u;
        break;
      case 1: // VOP3
        Words[0] = (generation(T) == 9 ? 0xd0000000 : 0xd4000000) |
                   (Words[0] & 0x03ff00ff);
        Words[1] = draw(256) | draw(256) << 9 | draw(256) << 18 |
                   (draw(2) ? 0x100 : 0) | (draw(2) ? 0x20000 : 0) |
                   (draw(2) ? 0x4000000 : 0);
        break;
      case 2: // VOP1, VOP2, VOPC
        Words[0] &= 0x7fffffff;
        break;
      default:
        if (draw(3) == 0)
          makePair(Words);
        else if (generation(T) > 10 && draw(4) == 0) { // v_wmma_*
          Words[0] = 0xcc404000 | draw(8) << 16 | (word() & 0xbfff);
          Words[1] |= 0x04020100;
        } else if (draw(2)) // a plain second half
          Words[1] = draw(256) | draw(256) << 9 | draw(256) << 18 | 0x100;
      }
      std::memcpy(Bytes.data(), Words, 16);
      const Inst I = decode(Bytes);
      if (!I.O || flowOf(I) != Flow::Straight)
        continue;
      const bool HasRule = findLaneRule(I) || findScalarRule(I) ||
                           llvm::StringRef(I.Text).contains("lane_b32");
      if (!Ruled) {
        Bytes.resize(I.Size);
        return Bytes;
      }
      if (!HasRule && draw(8))
        continue;
      if (HasRule)
        Seen.insert(baseMnemonic(I.Text));
      Bytes.resize(I.Size);
      if (draw(12) == 0) { // around it
        auto Branch = Branches[draw(uint32_t(Branches.size()))];
        Branch[0] = uint8_t(I.Size / 4);
        Bytes.insert(Bytes.begin(), Branch.begin(), Branch.end());
      }
      return Bytes;
    }
  }

  void fill() {
    WaveState &S = First;
    S = WaveState();
    S.Processor = T;
    S.LaneCount = uint8_t(Lanes);
    const auto Acc = wavelane::gpu::get(T).family().Acc;
    S.allocateVGPRs(256, Acc == wavelane::gpu::AccRegisters::None ? 0 : 256);
    S.LDSSize = 4096;
    S.ScratchLaneSize = 1 << 20;
    for (uint32_t &V : S.Scalar)
      V = value();
    for (size_t N = 0; N < S.VGPR.size(); N += 32)
      std::copy_n(&Values[draw(uint32_t(Values.size() - 32))], 32, &S.VGPR[N]);
    S.setExec(draw(3) ? (uint64_t(word()) << 32 | word()) : ~uint64_t(0));
    S.ScratchBase = uint64_t(value()) << 12;
    S.Status = status::Valid | (draw(2) ? status::SCC : 0);
    S.Mode = 0xf0 | (draw(2) ? mode::IEEE : 0) | mode::DX10Clamp;
    fillRows();
    for (auto *To : {&Lds, &Bytes}) {
      To->resize(To == &Lds ? 4096 : 2 * SmallMemory::DataSize);
      std::memcpy(To->data(), &Values[draw(1024)], To->size());
    }
  }

  /// What row() refers to.
  void fillRows() {
    WaveState &S = First;
    S.setFlatScratch(uint64_t(draw(1 << 20)) << (draw(4) ? 12 : 2));
    if (draw(6) == 0)
      S.ScratchLaneSize = draw(64);
    const uint32_t Offset = draw(16) * 4;
    for (unsigned L = 0; L < Lanes; ++L) {
      S.vgpr(250, L) = Offset;
      S.vgpr(251, L) = uint32_t(wavelane::gpu::PrivateAperture >> 32);
    }
    if (draw(6) == 0)
      S.vgpr(250 + draw(2), draw(Lanes)) = draw(16);
    // In local memory: neighbors, the same place, pairs of lanes, any.
    const uint32_t First = draw(draw(4) ? 512 : 4096) * (draw(4) ? 4 : 1),
                   Step = 4u << draw(3);
    for (unsigned L = 0; L < Lanes; ++L) {
      S.vgpr(252, L) = First + L * Step;
      S.vgpr(253, L) = First;
      S.vgpr(254, L) = First + L / 2 * 4;
      S.vgpr(255, L) = draw(32) ? draw(1024) * 4 : word();
    }
    if (draw(6) == 0)
      S.vgpr(252 + draw(2), draw(Lanes)) = draw(4096);
    if (draw(6) == 0)
      S.LDSSize = draw(draw(2) ? 300 : 4096);
    // As the device does for kernels.
    S.Scalar[96] = draw(1 << 20) << 12;
    S.Scalar[97] = 1u << 31 | draw(2);
    S.Scalar[98] = draw(6) ? ~0u : draw(16384);
    S.Scalar[99] = (Lanes == 64 ? 3u : 2u) << 21 | 1u << 23 |
                   (generation(T) == 9 ? 4u << 12 : 20u << 12 | 2u << 28);
    S.Scalar[100] = draw(4) * 4 * Lanes;
    // In one span of memory, as usual.
    if (draw(4)) {
      S.Scalar[96] = draw(1 << 17) * SmallMemory::DataSize;
      S.Scalar[97] = 1u << 31;
      S.setFlatScratch(S.Scalar[96]);
    }
    if (draw(6) == 0)
      S.Scalar[97 + draw(4)] ^= 1u << draw(32);
  }

  /// Compares the program's runs; says how they differ.
  std::string run(const std::vector<std::vector<uint8_t>> &Code, bool Loops) {
    Base += SmallMemory::Size;
    std::vector<uint8_t> All = Start;
    for (const auto &Bytes : Code)
      All.insert(All.end(), Bytes.begin(), Bytes.end());
    const size_t Body = All.size() - Start.size();
    if (Loops) {
      // To L, or always to the instruction before it.
      const bool IsAlways = draw(3) == 0;
      auto Back = IsAlways ? Branches.back() : Branches[draw(2)];
      const auto Words = int16_t(-int(Body) / 4 - (IsAlways ? 2 : 1));
      std::memcpy(Back.data(), &Words, 2);
      All.insert(All.end(), Back.begin(), Back.end());
    }
    for (int N = 0; N < 4; ++N)
      All.insert(All.end(), End.begin(), End.end());
    All.resize(SmallMemory::Size);
    Program = All;
    First.PC = Base;
    const unsigned Kinds[] = {
        observe::Accesses,
        observe::Accesses | observe::Calls | observe::FilterAccesses,
        observe::Accesses | observe::Rows | observe::OtherRegisters,
        observe::Calls};
    const unsigned Wants = Kinds[draw(4)];
    const bool Switches = draw(4) == 0;
    const auto Watch = [&](Side &S) {
      if (Observes)
        S.Seen.begin(Wants, Switches);
    };
    // Twice, so that it is translated, and then with pauses.
    for (int N = 0; N < 2; ++N) {
      Fast.set(First, Bytes, Lds);
      Watch(Fast);
      Fast.Exec.run(Fast.State, 400);
      Fast.Exec.finishTranslation();
    }
    Fast.set(First, Bytes, Lds);
    Plain.set(First, Bytes, Lds);
    Watch(Fast);
    Watch(Plain);
    std::string Why;
    while (Why.empty() && Plain.Executed < 400) {
      const uint64_t Budget = 1 + Random() % (Random() % 2 ? 20 : 200);
      const uint64_t Overtime = draw(2) ? 0 : draw(100);
      for (Side *S : {&Plain, &Fast}) {
        S->Last = S->Exec.run(S->State, Budget, /*PassBreak=*/false, Overtime);
        S->Executed += S->Last.Executed;
      }
      Why = difference();
      if (Plain.Last.Reason != StepResult::Continued &&
          Plain.Last.Reason != StepResult::Observed)
        break;
    }
    return Why;
  }

  std::string difference() {
    const WaveState &A = Plain.State, &B = Fast.State;
    std::ostringstream Text;
    Text << std::hex;
    if (Plain.Last.Reason != Fast.Last.Reason ||
        Plain.Last.Executed != Fast.Last.Executed ||
        Plain.Last.LaneMask != Fast.Last.LaneMask ||
        Plain.Last.FaultAddress != Fast.Last.FaultAddress)
      Text << "ends differently: " << int(Plain.Last.Reason) << " after "
           << Plain.Last.Executed << ", " << int(Fast.Last.Reason) << " after "
           << Fast.Last.Executed << "; ";
    if (A.PC != B.PC)
      Text << "pc " << A.PC << ", " << B.PC << "; ";
    if (A.Status != B.Status || A.Mode != B.Mode || A.TrapSts != B.TrapSts)
      Text << "status " << A.Status << ", " << B.Status << "; ";
    for (unsigned N = 0; N < scalar::Count; ++N)
      if (A.Scalar[N] != B.Scalar[N])
        Text << "scalar " << std::dec << N << std::hex << ": " << A.Scalar[N]
             << ", " << B.Scalar[N] << "; ";
    for (size_t N = 0; N < A.VGPR.size(); ++N)
      if (A.VGPR[N] != B.VGPR[N]) {
        Text << "v" << std::dec << N / Lanes << " lane " << N % Lanes
             << std::hex << ": " << A.VGPR[N] << ", " << B.VGPR[N] << "; ";
        break;
      }
    if (Plain.Memory.Bytes != Fast.Memory.Bytes)
      Text << "memory; ";
    if (Plain.LDS != Fast.LDS)
      Text << "local memory; ";
    if (Plain.Seen.Hash != Fast.Seen.Hash)
      Text << "seen " << std::dec << Plain.Seen.Events << ", "
           << Fast.Seen.Events << std::hex << "; ";
    return Text.str();
  }

  const Target T;
  const unsigned Lanes;
  std::vector<uint8_t> Program;
  Side Plain, Fast;
  Decoder Decode;
  std::mt19937 Random;
  std::vector<uint32_t> Values = std::vector<uint32_t>(16384);
  std::vector<uint8_t> Start, Nop, End, Bytes, Lds;
  std::vector<std::vector<uint8_t>> Branches, Rows;
  WaveState First;
  uint64_t Base = 0x100000;
};

class ISATranslation
    : public testing::TestWithParam<std::pair<Target, unsigned>> {};

TEST_P(ISATranslation, ArbitraryPrograms) {
  if (!Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  // More programs: --gtest_random_seed=N.
  Pair P(GetParam().first, GetParam().second,
         1 + unsigned(GTEST_FLAG_GET(random_seed)));
  for (unsigned N = 0; N < wavelane::test::rounds(150) && P.Wrong.size() < 10;
       ++N)
    P.tryOne(1 + N % 40);
  std::string Text;
  for (const std::string &Why : P.Wrong)
    Text += Why + "\n";
  EXPECT_TRUE(P.Wrong.empty()) << Text;
  EXPECT_GT(P.Seen.size(), 100u);
  EXPECT_GT(P.steps(), wavelane::test::rounds(10000));
}

/// An observer sees the same.
TEST_P(ISATranslation, ObservedPrograms) {
  if (!Translator::isSupported())
    GTEST_SKIP() << "needs AVX2";
  Pair P(GetParam().first, GetParam().second,
         1 + unsigned(GTEST_FLAG_GET(random_seed)));
  P.Observes = true;
  for (unsigned N = 0; N < wavelane::test::rounds(60) && P.Wrong.size() < 10;
       ++N)
    P.tryOne(1 + N % 40);
  std::string Text;
  for (const std::string &Why : P.Wrong)
    Text += Why + "\n";
  EXPECT_TRUE(P.Wrong.empty()) << Text;
  EXPECT_GT(P.steps(), 1000u);
}

TEST_P(ISATranslation, HandlersForAnyHost) {
  Pair P(GetParam().first, GetParam().second,
         1 + unsigned(GTEST_FLAG_GET(random_seed)));
  for (unsigned N = 0; N < wavelane::test::rounds(3000) && P.Wrong.size() < 10;
       ++N)
    P.tryVariants();
  std::string Text;
  for (const std::string &Why : P.Wrong)
    Text += Why + "\n";
  EXPECT_TRUE(P.Wrong.empty()) << Text;
  EXPECT_GT(P.Seen.size(), 100u);
}

INSTANTIATE_TEST_SUITE_P(All, ISATranslation,
                         testing::Values(std::pair(Target::GFX90A, 64u),
                                         std::pair(Target::GFX950, 64u),
                                         std::pair(Target::GFX1030, 32u),
                                         std::pair(Target::GFX1030, 64u),
                                         std::pair(Target::GFX1100, 32u),
                                         std::pair(Target::GFX1201, 32u)),
                         [](const auto &Info) {
                           return std::string(
                                      getProcessorName(Info.param.first)) +
                                  "_" + std::to_string(Info.param.second);
                         });

/// Executes a loop, which ends with a fault, interpreted and translated.
/// \param Set  Sets a wave's registers and memory, the same for both.
/// \param Compared  The address of the memory that is compared.
void compareLoops(Target T, const std::string &Body,
                  const std::function<void(Wave &)> &Set, uint64_t Compared,
                  size_t Bytes, uint64_t LeastTranslated) {
  const unsigned Lanes = T == Target::GFX90A ? 64 : 32;
  Wave Plain(T, Lanes), Fast(T, Lanes);
  Fast.Exec.setTranslation(true, /*After=*/1);
  StepResult Last[2];
  for (Wave *W : {&Plain, &Fast}) {
    W->load("s_branch L\ns_nop 0\nL:\n" + Body +
            (T == Target::GFX90A ? "v_add_u32" : "v_add_nc_u32") +
            " v0, 4, v0\ns_branch L\n");
    Set(*W);
    // The first round is interpreted.
    W->Exec.run(W->S, 9);
    W->Exec.finishTranslation();
    Last[W == &Fast] = W->Exec.run(W->S, 1000000);
  }
  EXPECT_EQ(Last[0].Reason, StepResult::MemoryViolation) << Body;
  EXPECT_EQ(Last[1].Reason, Last[0].Reason) << Body;
  EXPECT_EQ(Last[1].Executed, Last[0].Executed) << Body;
  EXPECT_EQ(Last[1].FaultAddress, Last[0].FaultAddress) << Body;
  EXPECT_EQ(Last[1].LaneMask, Last[0].LaneMask) << Body;
  EXPECT_EQ(Fast.S.PC, Plain.S.PC) << Body;
  EXPECT_TRUE(Fast.S.VGPR == Plain.S.VGPR) << Body;
  EXPECT_EQ(
      std::memcmp(Fast.Memory.at(Compared), Plain.Memory.at(Compared), Bytes),
      0)
      << Body;
  if (Translator::isSupported())
    EXPECT_GT(Fast.Exec.translatedSteps(), LeastTranslated) << Body;
}

/// A loop over private memory, four bytes further in each round, until it ends.
TEST(ISARows, LoopsOverPrivateMemoryEndWithTheSameFault) {
  const char *const Bodies[] = {
      "scratch_load_dword v2, v0, off\nscratch_load_dwordx2 v[4:5], v0, off\n"
      "v_xor_b32 v2, v2, v5\nflat_store_dword v[0:1], v2\n",
      "flat_load_dwordx2 v[4:5], v[0:1]\nv_xor_b32 v6, v6, v4\n"
      "scratch_store_dword v0, v6, off\n",
      "scratch_load_dword v2, v0, off\nflat_load_dword v3, v[0:1]\n"
      "v_xor_b32 v4, v4, v2\nflat_store_dwordx4 v[0:1], v[2:5]\n",
      "flat_load_dword v2, v[0:1]\nbuffer_load_dword v3, off, s[4:7], s8\n"
      "buffer_load_dwordx2 v[4:5], off, s[4:7], s8 offset:8\n"
      "v_xor_b32 v4, v4, v2\nbuffer_store_dword v4, off, s[4:7], s8 offset:4\n"
      "flat_store_dword v[0:1], v3\n",
  };
  for (const Target T : {Target::GFX90A, Target::GFX1030})
    for (const char *Body : Bodies)
      for (const bool Some : {false, true}) {
        const unsigned Lanes = T == Target::GFX90A ? 64 : 32;
        const auto Set = [=](Wave &W) {
          W.setV(0, [](unsigned) { return 0; });
          W.setV(1, [](unsigned) {
            return uint32_t(wavelane::gpu::PrivateAperture >> 32);
          });
          for (unsigned N = 2; N < 8; ++N)
            W.setV(N, [=](unsigned L) { return pattern(L, N); });
          W.S.Scalar[4] = uint32_t(Wave::Scratch);
          W.S.Scalar[5] = 1u << 31;
          W.S.Scalar[6] = 1024 * Lanes;
          W.S.Scalar[7] =
              (Lanes == 64 ? 3u : 2u) << 21 | 1u << 23 |
              (T == Target::GFX90A ? 4u << 12 : 20u << 12 | 2u << 28);
          W.S.Scalar[8] = 64 * Lanes;
          if (Some)
            W.S.setExec(0x6fffffffa5f0f0f6);
          for (unsigned N = 0; N < 1024 * Lanes; ++N)
            W.Memory.at(Wave::Scratch)[N] = uint8_t(N * 7 + N / 256);
        };
        compareLoops(T, Body, Set, Wave::Scratch, 1024 * Lanes, 500);
      }
}

/// No memory has been found yet in a run, and no base of private memory, which
/// a program chooses, makes translated code take that for memory.
TEST(ISARows, AnyBaseOfPrivateMemoryFaults) {
  for (unsigned Bit = 48; Bit < 64; ++Bit) {
    Wave W;
    W.Exec.setTranslation(true, /*After=*/1);
    W.load("L:\nflat_load_dword v2, v[0:1]\nflat_store_dword v[0:1], v2\n"
           "s_branch L\n");
    W.setV(0, [](unsigned) { return 0; });
    W.setV(1, [](unsigned) {
      return uint32_t(wavelane::gpu::PrivateAperture >> 32);
    });
    W.Exec.run(W.S, 30);
    W.Exec.finishTranslation();
    EXPECT_EQ(W.Exec.run(W.S, 30).Reason, StepResult::Continued);
    W.S.setFlatScratch(uint64_t(1) << Bit);
    EXPECT_EQ(W.Exec.run(W.S, 30).Reason, StepResult::MemoryViolation);
  }
}

/// The same over global memory, of which lanes access neighboring dwords, or
/// other ones.
TEST(ISARows, LoopsOverGlobalMemoryEndWithTheSameFault) {
  // Its middle is a multiple of 4 GiB.
  constexpr uint64_t Begin = 0x4fffff800, Size = 4096;
  const char *const Bodies[] = {
      "global_load_dword v2, v[0:1], off\nv_xor_b32 v3, v3, v2\n"
      "global_store_dword v[0:1], v3, off offset:4\n",
      "flat_load_dword v2, v[0:1]\nv_xor_b32 v2, v2, v3\n"
      "flat_store_dword v[0:1], v2\n",
      "global_load_dword v2, v0, s[4:5]\nv_xor_b32 v3, v3, v2\n"
      "global_store_dword v0, v3, s[4:5] offset:8\n"
      "global_load_dword v4, v0, s[4:5] offset:4\n",
  };
  const std::function<uint32_t(unsigned)> Places[] = {
      [](unsigned L) { return L * 4; },
      [](unsigned L) { return L * 4 + 2; },
      [](unsigned L) { return L * 8; },
      [](unsigned) { return 64; },
      [](unsigned L) { return (L ^ 1) * 4; },
      [](unsigned L) { return (63 - L) * 4; },
  };
  for (const Target T : {Target::GFX90A, Target::GFX1030})
    for (const llvm::StringRef Body : Bodies)
      for (const auto &Place : Places)
        for (const uint64_t Exec :
             {~uint64_t(0), uint64_t(0x6fffffffa5f0f0f6)}) {
          const auto Set = [&](Wave &W) {
            for (const uint64_t At : {Begin, Begin - (uint64_t(1) << 32)}) {
              W.Memory.add(At, Size);
              for (unsigned N = 0; N < Size; ++N)
                W.Memory.at(At)[N] = uint8_t(N * 7 + N / 256);
            }
            // A register's sum doesn't carry into the next one: then the last
            // rounds are 4 GiB before.
            W.S.setPair(4, Begin + 1024);
            W.setV(0, [&](unsigned L) {
              return Place(L) +
                     (Body.contains("s[4:5]") ? 0 : uint32_t(Begin + 1024));
            });
            W.setV(1, [&](unsigned) { return uint32_t(Begin >> 32); });
            for (unsigned N = 2; N < 8; ++N)
              W.setV(N, [=](unsigned L) { return pattern(L, N); });
            W.S.setExec(Exec);
          };
          compareLoops(T, Body.str(), Set, Begin, Size, 300);
        }
}

/// Programs of a few registers, in which masks of lanes are read, written and
/// overwritten in each way that there is: as masks, as numbers, as EXEC.
class MaskPrograms {
public:
  MaskPrograms(Target T, unsigned Lanes, unsigned Seed)
      : T(T), Lanes(Lanes), Random(Seed) {}

  std::string program() {
    std::string Text;
    for (unsigned N = 8 + draw(24); N--;) {
      const std::string Before = std::exchange(Label, "");
      Text += instruction() + "\n";
      if (!Before.empty())
        Text += Before + ":\n";
    }
    return Label.empty() ? Text : Text + Label + ":\n";
  }

private:
  uint32_t draw(uint32_t N) { return uint32_t(Random() % N); }
  std::string v() { return "v" + std::to_string(draw(6)); }
  std::string v2() {
    const unsigned N = 2 * draw(3);
    return "v[" + std::to_string(N) + ":" + std::to_string(N + 1) + "]";
  }
  std::string s() {
    static const char *const Names[] = {"vcc_lo", "vcc_hi", "s4",
                                        "s5",     "s6",     "s7"};
    return Names[draw(6)];
  }
  std::string mask() {
    static const char *const Pairs[] = {"vcc", "s[4:5]", "s[6:7]"};
    return Lanes == 32 ? s() : Pairs[draw(3)];
  }
  /// One that is read: also EXEC.
  std::string readMask() {
    return draw(6) ? mask() : Lanes == 32 ? "exec_lo" : "exec";
  }
  std::string source() {
    return draw(4) == 0 ? s() : draw(8) == 0 ? "exec_lo" : v();
  }
  std::string instruction() {
    const bool Old = generation(T) == 9;
    const std::string B = Lanes == 32 ? "_b32 " : "_b64 ",
                      Exec = Lanes == 32 ? "exec_lo" : "exec";
    static const char *const Logic[] = {"s_and",   "s_or",  "s_xor",
                                        "s_andn2", "s_nor", "s_orn2"};
    static const char *const Saves[] = {"s_and", "s_or", "s_andn2", "s_xor"};
    static const char *const Compares[] = {"lt_u32", "eq_i32", "ge_i32",
                                           "lt_f32"};
    if (draw(12) == 0) {
      // Around the next one, or not.
      static const char *const Branches[] = {"vccz", "vccnz", "execz", "scc1"};
      Label = "L" + std::to_string(++Labels);
      return std::string("s_cbranch_") + Branches[draw(4)] + " " + Label;
    }
    switch (draw(18)) {
    case 0:
    case 1:
      return std::string("v_cmp_") + Compares[draw(4)] + "_e64 " + readMask() +
             ", " + source() + ", " + v();
    case 2:
      return std::string("v_cmpx_") + Compares[draw(4)] + "_e64 " +
             (Old ? mask() + ", " : "") + source() + ", " + v();
    case 3:
      return std::string(draw(2) ? "v_add" : "v_sub") + "_co_u32_e64 " + v() +
             ", " + mask() + ", " + source() + ", " + v();
    case 4:
    case 5: {
      const bool Adds = draw(2);
      return std::string(Old    ? Adds ? "v_addc_co" : "v_subb_co"
                         : Adds ? "v_add_co_ci"
                                : "v_sub_co_ci") +
             "_u32_e64 " + v() + ", " + mask() + ", " + v() + ", " + v() +
             ", " + readMask();
    }
    case 6:
    case 7:
      return "v_cndmask_b32_e64 " + v() + ", " + v() + ", " + v() + ", " +
             readMask();
    case 8:
      return "v_mad_u64_u32 " + v2() + ", " + mask() + ", " + source() + ", " +
             v() + ", " + v2();
    case 9:
      return Logic[draw(6)] + B + mask() + ", " + readMask() + ", " + mask();
    case 10:
      return Saves[draw(4)] + ("_saveexec" + B) + mask() + ", " + mask();
    case 11:
      return draw(2) ? "s_mov" + B + Exec + ", -1"
                     : "s_or" + B + Exec + ", " + Exec + ", " + mask();
    case 12:
      return "s_mov" + B + mask() + ", " + (draw(2) ? Exec : mask());
    case 13:
      return "v_mov_b32_e32 " + v() + ", " + source();
    case 14:
      return "s_add_u32 " + s() + ", " + s() + ", " + s();
    case 15:
      return draw(2) ? "v_readfirstlane_b32 " + s() + ", " + v()
                     : "v_readlane_b32 " + s() + ", " + v() + ", " +
                           std::to_string(draw(Lanes));
    case 16:
      return "v_writelane_b32 " + v() + ", " + s() + ", " +
             std::to_string(draw(Lanes));
    default:
      return "v_xor_b32_e32 " + v() + ", " + source() + ", " + v();
    }
  }

  const Target T;
  const unsigned Lanes;
  std::mt19937 Random;
  std::string Label;
  unsigned Labels = 0;
};

TEST(ISAMasks, AreTheSameTranslated) {
  for (const auto &[T, Lanes] :
       {std::pair(Target::GFX90A, 64u), std::pair(Target::GFX1030, 32u),
        std::pair(Target::GFX1030, 64u), std::pair(Target::GFX1100, 32u)}) {
    MaskPrograms Programs(
        T, Lanes, unsigned(testing::UnitTest::GetInstance()->random_seed()));
    for (unsigned Round = 0; Round < wavelane::test::rounds(60); ++Round) {
      const std::string Text = Programs.program();
      Wave Plain(T, Lanes), Fast(T, Lanes);
      Fast.Exec.setTranslation(true, /*After=*/1);
      for (Wave *W : {&Plain, &Fast})
        W->load("s_branch L\ns_nop 0\nL:\n" + Text + "s_endpgm\n");
      for (unsigned Turn = 0; Turn < 2; ++Turn) {
        for (Wave *W : {&Plain, &Fast}) {
          W->S.PC = Wave::Code;
          for (unsigned N = 0; N < 8; ++N) {
            W->S.Scalar[N] = pattern(N, Round);
            W->setV(N, [=](unsigned L) { return pattern(L, N + 9 * Round); });
          }
          W->S.setVcc(pattern64(3, Round));
          W->S.setExec(Round % 3 ? pattern64(5, Round) : ~uint64_t(0));
          ASSERT_EQ(W->Exec.run(W->S, 1000).Reason, StepResult::EndPgm) << Text;
          W->Exec.finishTranslation();
        }
      }
      for (unsigned N = 0; N < scalar::Null; ++N)
        ASSERT_EQ(Fast.S.Scalar[N], Plain.S.Scalar[N])
            << "scalar " << N << " on " << getProcessorName(T) << " " << Lanes
            << "\n"
            << Text;
      ASSERT_EQ(Fast.S.Status, Plain.S.Status) << Text;
      for (unsigned N = 0; N < 8; ++N)
        for (unsigned L = 0; L < Lanes; ++L)
          ASSERT_EQ(Fast.v(N, L), Plain.v(N, L))
              << "v" << N << " lane " << L << " on " << getProcessorName(T)
              << " " << Lanes << "\n"
              << Text;
      if (Translator::isSupported())
        ASSERT_GT(Fast.Exec.translatedSteps(), 0u);
    }
  }
}

/// A loop of arithmetic, of memory and of a mask.
const char VerifiedLoop[] =
    "s_mov_b32 s0, 0\nL:\n"
    "v_add_u32 v3, v3, v0\nglobal_load_dword v4, v[0:1], off\n"
    "v_xor_b32 v4, v4, v3\nglobal_store_dword v[0:1], v4, off\n"
    "scratch_store_dword v2, v4, off\nscratch_load_dword v5, v2, off\n"
    "v_cmp_lt_u32_e64 s[4:5], v5, v3\nv_cndmask_b32_e64 v6, v3, v5, s[4:5]\n"
    "ds_add_u32 v2, v6\ns_add_u32 s0, s0, 1\ns_cmp_lt_u32 s0, 100\n"
    "s_cbranch_scc1 L\ns_endpgm\n";

StepResult verifyLoop(Wave &W) {
  W.load(VerifiedLoop);
  W.setV64(0, [](unsigned L) { return Wave::Data + 4 * L; });
  W.setV(2, [](unsigned) { return 8; });
  W.setV(3, [](unsigned L) { return L * 77; });
  return W.Exec.run(W.S, 100000);
}

TEST(ISAVerification, FindsNothingWhereAllIsRight) {
  Wave Plain, Verified;
  Verified.Exec.setTranslation(true, /*After=*/2);
  Verified.Exec.setVerification(true);
  EXPECT_EQ(verifyLoop(Plain).Reason, StepResult::EndPgm);
  EXPECT_EQ(verifyLoop(Verified).Reason, StepResult::EndPgm);
  EXPECT_TRUE(Verified.S.VGPR == Plain.S.VGPR);
  EXPECT_EQ(std::memcmp(Verified.Memory.at(Wave::Data),
                        Plain.Memory.at(Wave::Data), 65536),
            0);
  EXPECT_TRUE(Verified.LDS == Plain.LDS);
  if (Translator::isSupported())
    EXPECT_GT(Verified.Exec.verifiedSteps(), 900u);
}

TEST(ISAVerification, FindsTheWrongInstruction) {
  if (!Translator::isSupported())
    return;
  // Right only in the lanes where bit 31 isn't set, as v3 is some time later.
  replaceLaneRule("v_xor_b32", [](LaneCode &C) -> llvm::Value * {
    return C.B.CreateAnd(C.B.CreateXor(C.Source[0], C.Source[1]),
                         C.all(Kind::B32, 0x7fffffff));
  });
  Wave W;
  W.Exec.setTranslation(true, /*After=*/2);
  W.Exec.setVerification(true);
  W.load(VerifiedLoop);
  W.setV64(0, [](unsigned L) { return Wave::Data + 4 * L; });
  W.setV(2, [](unsigned) { return 8; });
  const uint32_t Step = uint32_t(Wave::Data) + 4 * 37;
  W.setV(3,
         [=](unsigned L) { return L == 37 ? 0x80000000 - 50 * Step : L * 77; });
  const StepResult R = W.Exec.run(W.S, 100000);
  replaceLaneRule("v_xor_b32", nullptr);
  uint32_t Sum = 0;
  for (unsigned N = 1; N <= 50; ++N)
    Sum ^= 0x80000000 - (50 - N) * Step;
  char Text[160];
  snprintf(Text, sizeof(Text),
           "v_xor_b32_e32: v4 of lane 37 is 0x%x in translated code, 0x%x in "
           "the interpreter",
           Sum & 0x7fffffff, Sum);
  EXPECT_EQ(R.Reason, StepResult::IllegalInstruction);
  EXPECT_EQ(R.Text, Text);
  // It stands there, as the interpreter would.
  EXPECT_EQ(W.S.PC, R.Address);
  EXPECT_EQ(W.v(3, 37), 0x80000000u);
}

/// Code without a loop that many waves execute, also where a long one's turns
/// begin.
TEST(ISATurn, StraightCodeIsTranslated) {
  for (const unsigned Count : {8u, 3000u}) {
    Wave Plain, Fast;
    Fast.Exec.setTranslation(true, /*After=*/4);
    std::string Text;
    for (unsigned N = 0; N < Count; ++N)
      Text += "v_add_u32 v0, " + std::to_string(N % 60) + ", v0\n";
    Text += "s_endpgm\n";
    for (Wave *W : {&Plain, &Fast})
      W->load(Text);
    uint64_t Before = 0;
    for (unsigned Number = 0; Number < 200; ++Number) {
      Before = Fast.Exec.translatedSteps();
      for (Wave *W : {&Plain, &Fast}) {
        W->S.PC = Wave::Code;
        W->setV(0, [=](unsigned L) { return L + Number; });
        while (W->Exec.run(W->S, 1024).Reason == StepResult::Continued)
          ;
      }
      Fast.Exec.finishTranslation();
      ASSERT_TRUE(Fast.S.VGPR == Plain.S.VGPR);
    }
    // The last one executes nearly everything so.
    if (Translator::isSupported())
      EXPECT_GE(Fast.Exec.translatedSteps() - Before, Count / 10 * 9);
  }
}

/// Memory that an instruction has found is looked for again in another epoch.
TEST(ISARows, MemoryMovesBetweenEpochs) {
  struct Moving : MemoryAccess {
    std::vector<uint32_t> Places[2] = {std::vector<uint32_t>(4096, 1),
                                       std::vector<uint32_t>(4096, 2)};
    std::vector<uint32_t> Program = std::vector<uint32_t>(1024);
    unsigned Now = 0;
    MemorySpan resolve(uint64_t Address, Access Kind) override {
      auto &V = Kind == Access::Execute ? Program : Places[Now];
      const uint64_t Size = V.size() * 4, Begin = Address / Size * Size;
      return {reinterpret_cast<uint8_t *>(V.data()), Begin, Begin + Size};
    }
    uint64_t clock(bool) override { return 0; }
    uint64_t epoch() const override { return 1 + Now; }
  } Memory;
  const std::vector<uint8_t> Code = assemble(
      "global_load_dword v2, v0, s[2:3]\ns_load_dword s4, s[2:3], 0x0\n"
      "v_add_u32 v2, s4, v2\nglobal_store_dword v0, v2, s[2:3]\ns_endpgm\n",
      Target::GFX90A, 64);
  std::memcpy(Memory.Program.data(), Code.data(), Code.size());
  Executor Exec(Target::GFX90A, Memory);
  Exec.setTranslation(true, /*After=*/1);
  for (unsigned N = 0; N < 40; ++N) {
    Memory.Now = N / 4 % 2;
    for (uint32_t &V : Memory.Places[Memory.Now])
      V = N;
    WaveState S;
    S.Processor = Target::GFX90A;
    S.LaneCount = 64;
    S.allocateVGPRs(8, 0);
    S.setExec(~uint64_t(0));
    S.Mode = 0xf0;
    S.PC = 0x10000;
    S.Scalar[2] = 0x40000;
    for (unsigned L = 0; L < 64; ++L)
      S.vgpr(0, L) = 4 * L;
    ASSERT_EQ(Exec.run(S, 4096).Reason, StepResult::EndPgm);
    Exec.finishTranslation();
    ASSERT_EQ(S.Scalar[4], N);
    for (unsigned L = 0; L < 64; ++L) {
      ASSERT_EQ(S.vgpr(2, L), 2 * N);
      ASSERT_EQ(Memory.Places[Memory.Now][L], 2 * N);
    }
  }
  EXPECT_TRUE(!Translator::isSupported() || Exec.translatedSteps());
}

TEST(ISATurn, EndsWhereTheWaveBranchesBack) {
  for (const bool Translates : {false, true}) {
    Wave W;
    W.Exec.setTranslation(Translates, /*After=*/1);
    W.load("s_mov_b32 s0, 0\nL:\ns_add_u32 s0, s0, 1\ns_nop 0\n"
           "s_branch M\ns_nop 0\nM:\ns_cmp_lt_u32 s0, 1000\n"
           "s_cbranch_scc1 L\ns_endpgm\n");
    // Five instructions in each round.
    EXPECT_EQ(W.Exec.run(W.S, 14, false, 100).Executed, 16u);
    EXPECT_EQ(W.S.PC, Wave::Code + 4);
    W.Exec.finishTranslation();
    EXPECT_EQ(W.Exec.run(W.S, 100, false, 100).Executed, 100u);
    EXPECT_EQ(W.Exec.run(W.S, 101, false, 100).Executed, 105u);
    EXPECT_EQ(W.S.PC, Wave::Code + 4);
    EXPECT_EQ(W.Exec.run(W.S, 101, false, 3).Executed, 104u);
    EXPECT_EQ(W.Exec.run(W.S, 7).Executed, 7u);
    EXPECT_EQ(W.Exec.translatedSteps() > 0,
              Translates && Translator::isSupported());
  }
}

TEST(ISAPages, AnInstructionAcrossTwoIsReadAgain) {
  for (const bool Translates : {false, true}) {
    Wave W;
    W.Exec.setTranslation(Translates, /*After=*/1);
    std::string Text = "s_branch L\n";
    for (unsigned N = 0; N < 1021; ++N)
      Text += "s_nop 0\n";
    W.load(Text + "L:\ns_nop 0\ns_mov_b32 s0, 0x12345678\ns_endpgm\n");
    for (uint32_t Number :
         {0x12345678u, 0x12345678u, 0x11111111u, 0x22222222u}) {
      std::memcpy(W.Memory.at(Wave::Code + 4096), &Number, 4);
      for (int N = 0; N < 2; ++N) {
        W.S.PC = Wave::Code;
        EXPECT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::EndPgm);
        EXPECT_EQ(W.S.Scalar[0], Number);
        W.Exec.finishTranslation();
      }
    }
    EXPECT_EQ(W.Exec.translatedSteps() > 0,
              Translates && Translator::isSupported());
  }
}

struct NaNCase {
  Target T;
  const char *Text;  ///< of v0, v1, v2 or of v[0:1], v[2:3], v[4:5] to v[6:7]
  const char *Order; ///< of the formula's operands; -: negated
  unsigned Bits = 32;
};
const NaNCase NaNCases[] = {
    {Target::GFX90A, "v_add_f32 v6, v0, v1", "ab"},
    {Target::GFX90A, "v_add_f32 v6, v0, -v1", "a-b"},
    {Target::GFX90A, "v_sub_f32 v6, v0, v1", "ab"},
    {Target::GFX90A, "v_subrev_f32 v6, v0, v1", "ba"},
    {Target::GFX90A, "v_mul_f32 v6, v0, v1", "ab"},
    {Target::GFX90A, "v_mul_f32 v6, -v0, v1", "-ab"},
    {Target::GFX90A, "v_fma_f32 v6, v0, v1, v2", "abc"},
    {Target::GFX90A, "v_fma_f32 v6, v2, v1, v0", "cba"},
    {Target::GFX90A, "v_fma_f32 v6, -v0, v1, -v2", "-ab-c"},
    {Target::GFX90A, "v_fma_f32 v6, v0, -v1, v2", "a-bc"},
    {Target::GFX90A, "v_mov_b32 v6, v2\nv_fmac_f32 v6, v0, v1", "abc"},
    {Target::GFX1030, "v_fmamk_f32 v6, v0, 0x591afff4, v2", "ac"},
    {Target::GFX1030, "v_fmaak_f32 v6, v0, v1, 0x591afff4", "ab"},
    {Target::GFX90A, "v_add_f64 v[6:7], v[0:1], v[2:3]", "ab", 64},
    {Target::GFX90A, "v_mul_f64 v[6:7], v[0:1], -v[2:3]", "a-b", 64},
    {Target::GFX90A, "v_fma_f64 v[6:7], v[0:1], v[2:3], v[4:5]", "abc", 64},
    {Target::GFX90A, "v_fma_f64 v[6:7], v[0:1], v[2:3], -v[4:5]", "ab-c", 64},
    {Target::GFX90A, "v_add_f16 v6, v0, v1", "ab", 16},
    {Target::GFX90A, "v_sub_f16 v6, v0, v1", "ab", 16},
    {Target::GFX90A, "v_mul_f16 v6, v0, v1", "ab", 16},
    {Target::GFX90A, "v_fma_f16 v6, v0, v1, v2", "abc", 16},
};

/// A number or a NaN whose payload says which operand it is, and the same in
/// fewer bits.
uint64_t numberOrNaN(unsigned Which, unsigned Operand, unsigned Bits) {
  const unsigned Exponent = Bits == 64   ? 11
                            : Bits == 32 ? 8
                                         : 5,
                 Mantissa = Bits - 1 - Exponent;
  const uint64_t Infinity = ((uint64_t(1) << Exponent) - 1) << Mantissa,
                 Quiet = uint64_t(1) << (Mantissa - 1),
                 Sign = uint64_t(1) << (Bits - 1), Mark = 5 + Operand;
  const uint64_t Values[] = {0,
                             Infinity / 2 & ~(Quiet - 1),
                             Infinity,
                             Sign | Infinity,
                             Infinity | Quiet | Mark,
                             Sign | Infinity | Quiet | Mark,
                             Infinity | Mark,
                             Sign | Infinity | Mark};
  return Values[Which];
}

TEST(ISANaN, TheFirstOperandCounts) {
  for (const NaNCase &C : NaNCases) {
    const uint64_t Sign = uint64_t(1) << (C.Bits - 1),
                   Quiet = uint64_t(1) << (C.Bits == 64   ? 51
                                           : C.Bits == 32 ? 22
                                                          : 9),
                   Least = numberOrNaN(2, 0, C.Bits);
    Wave W(C.T);
    W.Exec.setTranslation(Translator::isSupported(), /*After=*/1);
    W.load(std::string("s_branch L\ns_nop 0\nL:\ns_nop 0\n") + C.Text +
           "\ns_endpgm\n");
    for (unsigned First = 0; First < 8; ++First) {
      const auto Value = [&](unsigned Operand, unsigned Lane) {
        const unsigned Which = Operand == 0   ? First
                               : Operand == 1 ? Lane % 8
                                              : Lane / 8;
        return numberOrNaN(Which, Operand, C.Bits);
      };
      for (unsigned N = 0; N < 3; ++N)
        if (C.Bits == 64)
          W.setV64(2 * N, [&](unsigned L) { return Value(N, L); });
        else
          W.setV(N, [&](unsigned L) { return uint32_t(Value(N, L)); });
      // The first time by the interpreter.
      W.S.PC = Wave::Code;
      ASSERT_EQ(W.Exec.run(W.S, 100).Reason, StepResult::EndPgm) << C.Text;
      W.Exec.finishTranslation();
      for (unsigned L = 0; L < 64; ++L) {
        bool Negates = false;
        for (const char *At = C.Order; *At; ++At) {
          if (*At == '-') {
            Negates = true;
            continue;
          }
          const uint64_t V = Value(unsigned(*At - 'a'), L);
          if ((V & ~Sign) > Least) {
            const uint64_t R = C.Bits == 64   ? W.v64(6, L)
                               : C.Bits == 32 ? W.v(6, L)
                                              : W.v(6, L) & 0xffff;
            ASSERT_EQ(R, (V | Quiet) ^ (Negates ? Sign : 0))
                << C.Text << std::hex << " of " << Value(0, L) << ", "
                << Value(1, L) << ", " << Value(2, L);
            break;
          }
          Negates = false;
        }
      }
    }
    EXPECT_TRUE(!Translator::isSupported() || W.Exec.translatedSteps())
        << C.Text;
  }
}

} // namespace
