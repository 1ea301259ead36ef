//===-- ISA.cpp - the run loop ---------------------------------------------===//

#include "Decode.h"

#include <chrono>
#include <unordered_map>
#include <xmmintrin.h>

namespace wavelane {
namespace isa {

void WaveState::allocateVGPRs(unsigned Arch, unsigned Acc) {
  AccumOffset = (Arch + 3) & ~3u;
  VGPRCount = AccumOffset + Acc;
  VGPR.assign(size_t(VGPRCount) * LaneCount, 0);
}

MemoryAccess::~MemoryAccess() = default;

uint64_t MemoryAccess::clock(bool RealTime) {
  const auto Now = std::chrono::steady_clock::now().time_since_epoch();
  const uint64_t Ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Now).count();
  return RealTime ? Ns / 10 : Ns;
}

uint8_t *Machine::globalSlow(uint64_t Address, unsigned Size, Access Kind) {
  // Two spans a kind: programs read one array while they read another.
  MemorySpan &S = Spans[unsigned(Kind)], &Old = OldSpans[unsigned(Kind)];
  std::swap(S, Old);
  if (!(Address - S.Begin < S.End - S.Begin && S.End - Address >= Size))
    S = Mem.resolve(Address, Kind);
  if (S.Host && Address - S.Begin < S.End - S.Begin && S.End - Address >= Size)
    return S.Host + (Address - S.Begin);
  S = MemorySpan();
  return nullptr;
}

uint64_t Machine::special(const Operand &S) {
  switch (S.Reg) {
  case 235:
    return LocalApertureBase;
  case 236:
    return LocalApertureBase | 0xffffffffu;
  case 237:
    return PrivateApertureBase;
  case 238:
    return PrivateApertureBase | 0xffffffffu;
  case 251:
    return W.vcc() == 0;
  case 252:
    return exec() == 0;
  case 253:
    return scc();
  default:
    return 0; // Decoder::decode lets no others through.
  }
}

void Machine::updateEnv() {
  const uint32_t M = W.Mode;
  EnvMode = M;
  E.IEEE = M & mode::IEEE;
  E.DX10Clamp = M & mode::DX10Clamp;
  E.FP16Ovfl = M & mode::FP16Ovfl;
  E.RoundF32 = M >> mode::RoundF32Shift & 3;
  E.RoundF64 = M >> mode::RoundF64Shift & 3;
  E.FlushInF32 = !(M >> mode::DenormF32Shift & 1);
  E.FlushOutF32 = !(M >> mode::DenormF32Shift & 2);
  E.FlushInF64 = !(M >> mode::DenormF64Shift & 1);
  E.FlushOutF64 = !(M >> mode::DenormF64Shift & 2);
  FpTraps = M >> mode::ExcpEnShift & 0x3f;
  // MODE: nearest, +inf, -inf, zero. MXCSR: nearest, -inf, +inf, zero.
  static const unsigned Round[] = {0, 2, 1, 3};
  const unsigned Base = 0x1f80;
  Csr[unsigned(FpClass::None)] = Base;
  Csr[unsigned(FpClass::F32)] = Base | Round[E.RoundF32] << 13;
  Csr[unsigned(FpClass::F64)] = Base | Round[E.RoundF64] << 13;
  Csr[unsigned(FpClass::Near)] = Base;
}

namespace {

constexpr uint64_t PageSize = 4096;

struct CodePage {
  uint64_t Base = 0;
  const uint8_t *Host = nullptr;
  uint64_t HostBegin = 0, HostEnd = 0; ///< Within the page.
  std::unique_ptr<Inst> Slots[PageSize / 4];
};

} // namespace

struct Executor::Impl {
  Target Which;
  MemoryAccess &Mem;
  Decoder Dec;
  std::unordered_map<uint64_t, std::unique_ptr<CodePage>> Pages;
  std::vector<AddressWatch> Watches;

  Impl(Target T, MemoryAccess &M) : Which(T), Mem(M), Dec(T) {}

  CodePage *page(uint64_t Address) {
    auto &P = Pages[Address / PageSize];
    if (!P) {
      P = std::make_unique<CodePage>();
      P->Base = Address / PageSize * PageSize;
    }
    const MemorySpan S = Mem.resolve(Address, Access::Execute);
    if (!S.Host || Address < S.Begin || Address >= S.End) {
      P->Host = nullptr;
      P->HostBegin = P->HostEnd = 0;
      return P.get();
    }
    P->HostBegin = std::max(S.Begin, P->Base);
    P->HostEnd = std::min(S.End, P->Base + PageSize);
    P->Host = S.Host + (P->HostBegin - S.Begin);
    return P.get();
  }

  /// Reads and decodes; null: cannot be fetched.
  Inst *decodeAt(CodePage &P, uint64_t PC) {
    uint8_t Bytes[8];
    if (PC < P.HostBegin || PC + 4 > P.HostEnd)
      return nullptr;
    std::memcpy(Bytes, P.Host + (PC - P.HostBegin), 4);
    unsigned Avail = 4;
    bool Straddles = false;
    if (PC + 8 <= P.HostEnd) {
      std::memcpy(Bytes + 4, P.Host + (PC + 4 - P.HostBegin), 4);
      Avail = 8;
    } else {
      const MemorySpan S = Mem.resolve(PC + 4, Access::Execute);
      Straddles = true;
      if (S.Host && PC + 4 >= S.Begin && PC + 8 <= S.End) {
        std::memcpy(Bytes + 4, S.Host + (PC + 4 - S.Begin), 4);
        Avail = 8;
      }
    }
    auto I = std::make_unique<Inst>(Dec.decode(Bytes, Avail, PC));
    I->Straddles = Straddles && I->Size > 4;
    auto &Slot = P.Slots[(PC - P.Base) / 4];
    Slot = std::move(I);
    return Slot.get();
  }
};

Executor::Executor(Target T, MemoryAccess &Memory)
    : P(std::make_unique<Impl>(T, Memory)) {}
Executor::~Executor() = default;

void Executor::invalidate(uint64_t Begin, uint64_t End) {
  for (auto It = P->Pages.begin(); It != P->Pages.end();) {
    const uint64_t Base = It->first * PageSize;
    if (Base < End && Base + PageSize > Begin)
      It = P->Pages.erase(It);
    else
      ++It;
  }
}

void Executor::setWatches(const std::vector<AddressWatch> &Watches) {
  P->Watches.clear();
  for (const AddressWatch &W : Watches)
    P->Watches.push_back(W);
}

bool Executor::isModelled(Target T, const std::string &Mnemonic) {
  return opTable(T).find(baseMnemonic(Mnemonic)) != nullptr;
}

/// Instructions under GPR indexing: registers move by M0.
static void applyGprIndex(Inst &I, const WaveState &W) {
  const unsigned Index = W.m0() & 0xff, Which = W.m0() >> 12;
  for (unsigned N = 0; N < I.NumSrc; ++N) {
    Operand &S = I.Src[N];
    if (S.At == Operand::Where::VGPR && (Which >> N & 1) &&
        !(N == 2 && (I.O->Flags & Op::ReadsDst))) {
      S.Reg = uint16_t(S.Reg + Index);
      I.NeedVGPRs = std::max<uint16_t>(
          I.NeedVGPRs, uint16_t(S.Reg + dwordsOf(I.O->Args[N])));
    }
  }
  if ((Which & 8) && I.O->Result != Kind::None &&
      !(I.O->Flags & Op::ScalarDst)) {
    I.Dst = uint16_t(I.Dst + Index);
    if (I.O->Flags & Op::ReadsDst)
      I.Src[2].Reg = uint16_t(I.Src[2].Reg + Index);
    I.NeedVGPRs = std::max<uint16_t>(
        I.NeedVGPRs, uint16_t(I.Dst + dwordsOf(I.O->Result)));
  }
}

StepResult Executor::run(WaveState &W, uint64_t Budget) {
  Machine M(W, P->Mem);
  bool Watching = false;
  for (const AddressWatch &A : P->Watches)
    Watching |= A.Enabled;
  if (Watching)
    M.Watches = &P->Watches;
  CodePage *Page = nullptr;
  const unsigned HostCsr = _mm_getcsr();
  M.CurCsr = HostCsr;
  uint64_t Done = 0;
  bool StepTrap = false;
  Inst Indexed;

  while (Done < Budget) {
    const uint64_t PC = W.PC;
    M.InstPC = PC;
    M.NextPC = PC;
    if (!Page || PC - Page->HostBegin >= Page->HostEnd - Page->HostBegin ||
        (PC & 3)) {
      if (PC & 3) {
        M.memoryViolation(PC, ~uint64_t(0), Access::Execute);
        break;
      }
      Page = P->page(PC);
    }
    if (PC < Page->HostBegin || PC + 4 > Page->HostEnd) {
      M.memoryViolation(PC, ~uint64_t(0), Access::Execute);
      break;
    }
    Inst *I = Page->Slots[(PC - Page->Base) / 4].get();
    const uint8_t *Host = Page->Host + (PC - Page->HostBegin);
    uint32_t Word;
    std::memcpy(&Word, Host, 4);
    bool Same = I && I->Words[0] == Word;
    if (Same && I->Size > 4) {
      if (!I->Straddles) {
        std::memcpy(&Word, Host + 4, 4);
        Same = I->Words[1] == Word;
      } else {
        Same = false; // Rare: decoded each time.
      }
    }
    if (!Same)
      I = P->decodeAt(*Page, PC);

    M.NextPC = PC + I->Size;
    if (!I->O) {
      M.stop(StepResult::IllegalInstruction);
      M.Result.Text = I->Text;
      M.Result.NextAddress = M.NextPC;
      M.NextPC = PC;
      break;
    }
    if ((W.Mode & mode::GprIdxEn) && I->Enc >= Encoding::VOP2 &&
        I->Enc <= Encoding::VOP3P) {
      Indexed = *I;
      applyGprIndex(Indexed, W);
      for (unsigned N = 0; N < Indexed.NumSrc; ++N)
        Indexed.Src[N].Plain &= I->Src[N].Plain;
      I = &Indexed;
    }
    if (I->NeedVGPRs > W.AccumOffset) {
      M.illegal(*I, "vector register beyond those the wave has");
      break;
    }
    if (M.EnvMode != W.Mode)
      M.updateEnv();
    const FpClass Fp = I->O->Fp;
    if (Fp != FpClass::None) {
      const unsigned Want = M.Csr[unsigned(Fp)];
      if (Want != M.CurCsr) {
        _mm_setcsr(Want);
        M.CurCsr = Want;
      }
    }

    I->Fn(M, *I);

    if (M.Stop && M.NextPC == PC &&
        (M.Result.Reason == StepResult::IllegalInstruction ||
         M.Result.Reason == StepResult::MemoryViolation))
      break;
    W.PC = M.NextPC;
    ++Done;
    if (M.FpTraps && Fp != FpClass::None) {
      const unsigned Now = _mm_getcsr();
      const uint32_t Raised = Now & 0x3f;
      if (Raised) {
        W.TrapSts |= Raised;
        _mm_setcsr(M.CurCsr);
        const uint32_t Enabled = Raised & (W.Mode >> mode::ExcpEnShift);
        if (Enabled && !M.Stop)
          M.stop(StepResult::FPException, Enabled);
      }
    }
    if (M.WatchHits && !M.Stop) {
      static const unsigned Bit[] = {7, 12, 13, 14};
      for (unsigned N = 0; N < 4; ++N)
        if (M.WatchHits >> N & 1)
          W.TrapSts |= 1u << Bit[N];
      M.stop(StepResult::Watch, M.WatchHits);
    }
    if ((W.Mode & mode::DebugEn) != 0) {
      StepTrap = true;
      if (!M.Stop)
        M.stop(StepResult::SingleStep);
    }
    if (M.Stop)
      break;
  }
  if (M.CurCsr != HostCsr)
    _mm_setcsr(HostCsr);

  StepResult R = std::move(M.Result);
  if (M.Stop) {
    R.Address = M.InstPC;
    if (R.Reason == StepResult::Trap) {
      R.NextAddress = W.PC;
      W.PC = M.InstPC;
      StepTrap = false;
    } else if (!R.NextAddress) {
      R.NextAddress = W.PC;
    }
  }
  R.StepTrap = StepTrap && R.Reason != StepResult::EndPgm;
  R.Executed = Done;
  uint32_t S = W.Status & ~uint32_t(status::ExecZ | status::VccZ);
  if (!(W.exec() & M.LaneMask))
    S |= status::ExecZ;
  if (!(W.vcc() & M.LaneMask))
    S |= status::VccZ;
  W.Status = S;
  return R;
}

} // namespace isa
} // namespace wavelane
