//===-- ISA.cpp - the run loop --------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Simulator/ISA/ISA.h"
#include "Decode.h"
#include "Observe.h"
#include "Verifier.h"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <xmmintrin.h>

namespace wavelane::isa {

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
  // Two spans of each kind, since programs often alternate between two arrays.
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
    return gpu::LocalAperture;
  case 236:
    return gpu::LocalAperture | 0xffffffffu;
  case 237:
    return gpu::PrivateAperture;
  case 238:
    return gpu::PrivateAperture | 0xffffffffu;
  case 251:
    return vcc() == 0;
  case 252:
    return exec() == 0;
  case 253:
    return scc();
  default:
    return 0; // Decoder::decode rejects all others
  }
}

void dualIssue(Machine &M, const Inst &I) {
  const unsigned Bytes = dwordsOf(I.O->Result) * M.Lanes * 4;
  uint32_t *Dst = M.vgpr(I.Dst);
  alignas(64) uint32_t Old[2 * MaxLanes], New[2 * MaxLanes];
  if (I.OtherReadsDst)
    std::memcpy(Old, Dst, Bytes);
  I.O->Fn(M, I);
  if (!I.OtherReadsDst)
    return I.Other->Fn(M, *I.Other);
  std::memcpy(New, Dst, Bytes);
  std::memcpy(Dst, Old, Bytes);
  I.Other->Fn(M, *I.Other);
  std::memcpy(Dst, New, Bytes);
}

void Machine::updateEnv() {
  const uint32_t M = W.Mode;
  EnvMode = M;
  // Without these modes, a number takes precedence over NaN, and clamp turns
  // NaN into 0.
  E.IEEE = features().HasIeeeMode && (M & mode::IEEE);
  E.DX10Clamp = !features().HasDx10ClampMode || (M & mode::DX10Clamp);
  E.FP16Ovfl = M & mode::FP16Ovfl;
  E.RoundF32 = M >> mode::RoundF32Shift & 3;
  E.RoundF64 = M >> mode::RoundF64Shift & 3;
  E.FlushInF32 = !(M >> mode::DenormF32Shift & 1);
  E.FlushOutF32 = !(M >> mode::DenormF32Shift & 2);
  E.FlushInF64 = !(M >> mode::DenormF64Shift & 1);
  E.FlushOutF64 = !(M >> mode::DenormF64Shift & 2);
  FpTraps = M >> mode::ExcpEnShift & trapsts::ExcpMask;
  // MODE's order: nearest, +inf, -inf, zero. MXCSR's: nearest, -inf, +inf,
  // zero.
  static const unsigned Round[] = {0, 2, 1, 3};
  const unsigned Base = 0x1f80;
  Csr[unsigned(FpClass::None)] = Base;
  Csr[unsigned(FpClass::F32)] = Base | Round[E.RoundF32] << 13;
  Csr[unsigned(FpClass::F64)] = Base | Round[E.RoundF64] << 13;
  Csr[unsigned(FpClass::Near)] = Base;
}

namespace {

constexpr uint64_t PageSize = 4096;

/// The traces that begin in a page.
struct PageTraces {
  static constexpr uint16_t Never = 0xffff;
  std::shared_ptr<Trace> At[PageSize / 4]; ///< the first of a list
  uint16_t Entered[PageSize / 4] = {};     ///< how often; Never: no trace
  /// Where runs begin again, after instructions that wait.
  std::bitset<PageSize / 4> Resumes;
};

struct CodePage {
  uint64_t Base = 0;
  const uint8_t *Host = nullptr;
  uint64_t HostBegin = 0, HostEnd = 0; ///< Within the page.
  std::unique_ptr<Inst> Slots[PageSize / 4];
  std::unique_ptr<PageTraces> Traces;

  bool has(uint64_t PC) const {
    return !(PC & 3) && PC >= HostBegin && PC + 4 <= HostEnd;
  }
  PageTraces &traces() {
    if (!Traces)
      Traces = std::make_unique<PageTraces>();
    return *Traces;
  }
};

} // namespace

struct Executor::Impl {
  class Run;

  Target Which;
  MemoryAccess &Mem;
  /// Decoded instructions for one wave size: the same words may refer to
  /// different registers in the other size.
  struct Code {
    Decoder Dec;
    std::unordered_map<uint64_t, std::unique_ptr<CodePage>> Pages;
    Code(Target T, unsigned Lanes) : Dec(T, Lanes) {}
  };
  std::unique_ptr<Code> Codes[2]; ///< 64 lanes, 32 lanes; created on demand.
  std::vector<AddressWatch> Watches;
  std::vector<uint64_t> Breaks; ///< sorted
  bool LocalRangeFaults = false;
  bool Retries = false;
  bool Unordered = false;
  bool LanesReversed = false;
  Observer *Watcher = nullptr;
  unsigned WatcherWants = 0;    ///< bits of observe::
  unsigned TranslatedWants = 0; ///< for translated code
  Observer *LastWatcher = nullptr;
  Describer Describe;
  std::unique_ptr<Translator> Translates; ///< null if nothing is translated
  std::unique_ptr<Verifier> Verifies;     ///< null if nothing is verified
  unsigned TranslateAfter = 0;
  /// The last run's epoch of memory, and what it has resolved.
  uint64_t Epoch = 0;
  ResolvedSpans Resolved;
  /// Where it ended, of that code.
  CodePage *LastPage = nullptr;
  const Code *LastCode = nullptr;
  /// Counts the times that code has to be compared with memory again.
  uint64_t EpochNumber = 0;
  uint64_t TranslatedSteps = 0; ///< executed

  Impl(Target T, MemoryAccess &M) : Which(T), Mem(M) {}

  Code &code(unsigned Lanes) {
    auto &C = Codes[Lanes == 32];
    if (!C)
      C = std::make_unique<Code>(Which, Lanes);
    return *C;
  }

  CodePage *page(Code &C, uint64_t Address) {
    auto &P = C.Pages[Address / PageSize];
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

  /// Reads and decodes an instruction; null if it can't be fetched.
  Inst *decodeAt(Code &C, CodePage &P, uint64_t PC) {
    uint8_t Bytes[16];
    if (PC < P.HostBegin || PC + 4 > P.HostEnd)
      return nullptr;
    unsigned Avail = 0;
    for (; Avail < sizeof(Bytes); Avail += 4) {
      const uint64_t At = PC + Avail;
      if (At + 4 <= P.HostEnd) {
        std::memcpy(Bytes + Avail, P.Host + (At - P.HostBegin), 4);
        continue;
      }
      const MemorySpan S = Mem.resolve(At, Access::Execute);
      if (!S.Host || At < S.Begin || At + 4 > S.End)
        break;
      std::memcpy(Bytes + Avail, S.Host + (At - S.Begin), 4);
    }
    auto I = std::make_unique<Inst>(C.Dec.decode(Bytes, Avail, PC));
    auto &Slot = P.Slots[(PC - P.Base) / 4];
    Slot = std::move(I);
    return Slot.get();
  }

  /// The instruction at \a PC, which \a Page has; null if it can't be fetched.
  Inst *instructionAt(Code &C, CodePage &Page, uint64_t PC) {
    Inst *I = Page.Slots[(PC - Page.Base) / 4].get();
    const uint8_t *Host = Page.Host + (PC - Page.HostBegin);
    uint32_t Word;
    std::memcpy(&Word, Host, 4);
    bool Same = I && I->Words[0] == Word;
    if (Same && I->Size > 4) {
      const auto Here =
          unsigned(std::min<uint64_t>(I->Size, Page.HostEnd - PC));
      Same = std::memcmp(I->Words + 1, Host + 4, Here - 4) == 0 &&
             (Here == I->Size || goesOn(C, *I, PC + Here, Here));
    }
    return Same ? I : decodeAt(C, Page, PC);
  }

  /// Whether the bytes from \a From on of an instruction across pages are still
  /// at \a Address, where a page begins.
  bool goesOn(Code &C, const Inst &I, uint64_t Address, unsigned From) {
    if (Address % PageSize)
      return false; // the page itself has an end
    const CodePage *Next = page(C, Address);
    return Next->HostBegin == Address &&
           Next->HostEnd >= Address + I.Size - From &&
           std::memcmp(I.Words + From / 4, Next->Host, I.Size - From) == 0;
  }

  std::shared_ptr<Trace> record(Code &C, const WaveState &W, uint64_t PC);
  static void addStep(Trace &T, Trace::Step S);
  unsigned wants() const { return Watcher ? WatcherWants : 0; }
  /// The same for translated code.
  unsigned translatedWants() const { return Watcher ? TranslatedWants : 0; }
  bool markObserved(Trace::Step &S, unsigned Wants) const;
  static void notifyFromTrace(Machine &M, const Inst &I); ///< Trace::Notify
  static uint32_t ask(Machine &M, TracePart &Part);       ///< Trace::Ask
  static Trace::RowResult executeRow(Machine &M, const Trace::Step &S,
                                     const StraightCode::Row &R, uint32_t IsRow,
                                     uint64_t Dword); ///< Trace::Row
  void dropTraces();
};

/// Adds an instruction, and the code that it comes from.
void Executor::Impl::addStep(Trace &T, Trace::Step S) {
  for (unsigned N = 0; N < S.I.Size; N += 4) {
    const uint64_t At = S.PC + N;
    const bool Follows =
        !T.Pieces.empty() && At % PageSize &&
        T.Pieces.back().Address + T.Pieces.back().Bytes.size() == At;
    if (!Follows)
      T.Pieces.push_back({At, {}});
    const auto *Word = reinterpret_cast<const uint8_t *>(&S.I.Words[N / 4]);
    T.Pieces.back().Bytes.insert(T.Pieces.back().Bytes.end(), Word, Word + 4);
  }
  T.Steps.push_back(std::move(S));
}

/// Sets what an observer must be notified of. \return false if the interpreter
/// has to do that.
bool Executor::Impl::markObserved(Trace::Step &S, unsigned Wants) const {
  const unsigned Matched = S.I.Observed->ObservedFor & Wants;
  if ((Matched & observe::Calls) && flowOf(S.I) != Flow::Indirect)
    return false;
  // As Describer::isFiltered().
  const bool IsFiltered = (Wants & observe::FilterAccesses) &&
                          !(Wants & observe::FilterRegisters) &&
                          !(Matched & observe::Calls) &&
                          !(S.I.O->Flags & Op::Accesses);
  S.IsObserved = Matched && !IsFiltered;
  S.ObservesRows =
      S.IsObserved && ((Wants & observe::Rows) || Watcher->needsRows(S.PC));
  return true;
}

/// The trace that begins at \a PC; null if it isn't worth it.
std::shared_ptr<Trace> Executor::Impl::record(Code &C, const WaveState &W,
                                              uint64_t PC) {
  auto T = std::make_shared<Trace>();
  T->Which = Which;
  T->Lanes = W.LaneCount;
  T->Mode = W.Mode;
  T->AccumOffset = W.AccumOffset;
  T->VGPRCount = W.VGPRCount;
  T->Wants = translatedWants();
  T->LocalRangeFaults = LocalRangeFaults;
  T->LanesReversed = LanesReversed;
  T->Notify = &notifyFromTrace;
  T->Ask = &ask;
  T->Row = &executeRow;
  const auto IsIn = [&](uint64_t Address) {
    return std::any_of(T->Steps.begin(), T->Steps.end(),
                       [&](const Trace::Step &S) { return S.PC == Address; });
  };
  while (T->Steps.size() < Trace::MaxSteps && !IsIn(PC)) {
    CodePage *Page = page(C, PC);
    const Inst *I = Page->has(PC) ? instructionAt(C, *Page, PC) : nullptr;
    if (!I)
      break;
    const Flow Goes = flowOf(*I);
    Trace::Step Next = {*I, PC};
    if (T->Wants && I->O && !I->Observed)
      I->Observed = Next.I.Observed = C.Dec.describe(*I, PC);
    // Which registers it uses is only known when it is executed.
    const bool IsRelative = (T->Wants & observe::Guards) && I->O &&
                            I->Observed->Lanes == Uses::Relative;
    if (Goes == Flow::Apart || I->NeedVGPRs > W.AccumOffset || IsRelative ||
        (T->Wants && !markObserved(Next, T->Wants))) {
      const uint64_t Behind = PC + I->Size;
      CodePage *After = page(C, Behind);
      if (After->has(Behind))
        After->traces().Resumes.set((Behind - After->Base) / 4);
      break;
    }
    addStep(*T, std::move(Next));
    PC = Goes == Flow::Branch ? branchTarget(*I, PC) : PC + I->Size;
    if (Goes == Flow::Indirect)
      break;
  }
  T->End = PC;
  if (T->Wants & observe::Guards)
    makeParts(*T);
  return T->Steps.size() < 2 ? nullptr : T;
}

void Executor::Impl::dropTraces() {
  for (auto &C : Codes)
    if (C)
      for (auto &Entry : C->Pages)
        Entry.second->Traces.reset();
  Translates->clear();
}

Executor::Executor(Target T, MemoryAccess &Memory)
    : P(std::make_unique<Impl>(T, Memory)) {}
Executor::~Executor() = default;

void Executor::invalidate(uint64_t Begin, uint64_t End) {
  P->LastPage = nullptr;
  for (auto &C : P->Codes) {
    if (!C)
      continue;
    for (auto It = C->Pages.begin(); It != C->Pages.end();) {
      const uint64_t Base = It->first * PageSize;
      if (Base < End && Base + PageSize > Begin)
        It = C->Pages.erase(It);
      else
        ++It;
    }
  }
}

void Executor::setRetries(bool On) { P->Retries = On; }

void Executor::setTranslation(bool On, unsigned After) {
  P->TranslateAfter = After;
  if (On && Translator::isSupported()) {
    if (!P->Translates)
      P->Translates = std::make_unique<Translator>();
  } else if (P->Translates) {
    P->dropTraces();
    P->Verifies.reset();
    P->Translates.reset();
  }
}

void Executor::finishTranslation() {
  if (P->Translates)
    P->Translates->finish();
}

void Executor::pauseTranslation() {
  if (P->Translates)
    P->Translates->pause();
}

void Executor::leaveTranslation() { (void)P->Translates.release(); }

uint64_t Executor::translatedSteps() const { return P->TranslatedSteps; }

void Executor::setVerification(bool On) {
  P->Verifies = On && P->Translates
                    ? std::make_unique<Verifier>(P->Mem, *P->Translates)
                    : nullptr;
}

uint64_t Executor::verifiedSteps() const {
  return P->Verifies ? P->Verifies->verified() : 0;
}

void Executor::setLocalRangeFaults(bool On) { P->LocalRangeFaults = On; }

void Executor::setUnordered(bool On) { P->Unordered = On; }

void Executor::setLanesReversed(bool On) { P->LanesReversed = On; }

void Executor::setObserver(Observer *O, unsigned What, unsigned InTranslated) {
  P->Watcher = O;
  P->WatcherWants = What;
  P->TranslatedWants = InTranslated;
}

void Executor::setLastObserver(Observer *O) { P->LastWatcher = O; }

void Executor::setBreaks(std::vector<uint64_t> Addresses) {
  P->Breaks = std::move(Addresses);
}

void Executor::setWatches(const std::vector<AddressWatch> &Watches) {
  P->Watches.clear();
  for (const AddressWatch &W : Watches)
    P->Watches.push_back(W);
}

bool Executor::isModeled(Target T, const std::string &Mnemonic) {
  return opTable(T).find(baseMnemonic(Mnemonic)) != nullptr;
}

/// Applies GPR indexing: adds M0 to registers.
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
    I.NeedVGPRs = std::max<uint16_t>(I.NeedVGPRs,
                                     uint16_t(I.Dst + dwordsOf(I.O->Result)));
  }
}

/// The exceptions that the host's processor raised while executing \a I, as
/// TRAPSTS bits: the first six are in MXCSR's order.
static uint32_t raisedBy(const Inst &I) {
  const uint32_t Noted = _mm_getcsr() & 0x3f;
  if (!(I.O->Flags & Op::IntegerFlags))
    return Noted;
  return Noted & _MM_EXCEPT_DIV_ZERO ? 0x40 : 0;
}

/// The lanes whose own operands raise one of the \a Enabled exceptions, found
/// by executing \a I again, from \a Before, in each lane alone.
static uint64_t findRaisingLanes(Machine &M, const Inst &I,
                                 const WaveState &Before, uint32_t Enabled) {
  const WaveState After = M.W;
  uint64_t Lanes = 0;
  for (uint64_t Left = M.exec(); Left; Left &= Left - 1) {
    const uint64_t Lane = Left & -Left;
    M.W = Before;
    M.W.setExec(Lane);
    _mm_setcsr(M.CurCsr);
    I.Fn(M, I);
    if (raisedBy(I) & Enabled)
      Lanes |= Lane;
  }
  M.W = After;
  M.V = M.W.VGPR.data();
  _mm_setcsr(M.CurCsr);
  return Lanes;
}

/// A wave between two stops.
class Executor::Impl::Run {
public:
  Run(Impl &P, WaveState &W)
      : P(P), W(W), M(W, P.Mem), Own(P.code(W.LaneCount)),
        HostCsr(_mm_getcsr()) {
    for (const AddressWatch &A : P.Watches)
      if (A.Enabled)
        M.Watches = &P.Watches;
    M.LocalRangeFaults = P.LocalRangeFaults;
    M.Retries = P.Retries;
    M.Unordered = P.Unordered;
    M.LanesReversed = P.LanesReversed;
    M.CurCsr = HostCsr;
    M.Run = this;
    const uint64_t Last = std::exchange(P.Epoch, P.Mem.epoch());
    if (Last && Last == P.Epoch)
      resume();
    else
      ++P.EpochNumber;
  }

  StepResult run(uint64_t Instructions, bool PassBreak, uint64_t Overtime) {
    Budget = Instructions;
    Limit = Budget + std::min(Overtime, ~uint64_t(0) - Budget);
    const bool Translates = P.Translates && !M.Watches && !M.Retries;
    if (P.Watcher || P.LastWatcher)
      runObserved(PassBreak, Translates && !P.LastWatcher && P.Breaks.empty());
    else if (!P.Breaks.empty())
      runToBreak(PassBreak);
    else if (Translates)
      runTranslated();
    else
      while (goesOn()) {
        const Inst *I = fetch();
        if (!I || !prepare(I) || !execute(*I) || M.Stop)
          break;
      }
    if (M.CurCsr != HostCsr)
      _mm_setcsr(HostCsr);
    return finish();
  }

  void notifyFromTrace(const Inst &I);
  Impl &P;

private:
  /// With what the last run has found.
  void resume() {
    static_cast<ResolvedSpans &>(M) = P.Resolved;
    if (P.LastCode == &Own)
      Page = P.LastPage;
  }

  // The steps of the loop: each returns null or false if the wave has to stop.
  const Inst *fetch();
  bool prepare(const Inst *&I);
  bool execute(const Inst &I);

  /// Whether a handler has refused the instruction, or it faults.
  bool hadNoEffect() const {
    return M.Stop && M.NextPC == M.InstPC &&
           (M.Result.Reason == StepResult::IllegalInstruction ||
            M.Result.Reason == StepResult::Ordered ||
            M.Result.Reason == StepResult::MemoryViolation);
  }

  /// Whether the place where the turn begins is worth counting. Long turns end
  /// where loops begin, or in long straight code where those of other waves
  /// end, too; short ones anywhere.
  bool beginsOften() const {
    constexpr uint64_t Long = 1024;
    return Budget >= Long;
  }

  /// Whether the wave's turn isn't over.
  bool goesOn() const { return Done < Budget || (Done < Limit && !IsBack); }

  void runObserved(bool PassBreak, bool Translates);
  bool executeObserved(const Inst &I);
  bool isAtBreak(bool &PassBreak);
  void runToBreak(bool PassBreak);
  void beginTranslated();
  void runTranslated();
  bool runTraces(bool Counts);
  bool runGuarded(bool Counts);
  Trace *traceAt(uint64_t PC, bool Counts);
  bool matches(Trace &T);
  bool verify(const Trace &T, uint64_t End);

  void setQuietRows();
  void noteExceptions(const Inst &I, const WaveState &Before);
  void noteWatches();
  StepResult finish();

  WaveState &W;
  Machine M;
  Code &Own;
  CodePage *Page = nullptr;
  const unsigned HostCsr;
  uint64_t Done = 0, Budget = 0, Limit = 0;
  bool IsBack = false; ///< The last instruction was a branch that went back.
  bool StepTrap = false;
  Inst Indexed; ///< The instruction with GPR indexing applied.
};

/// The instruction at the wave's PC, decoded.
inline const Inst *Executor::Impl::Run::fetch() {
  const uint64_t PC = W.PC;
  M.InstPC = PC;
  M.NextPC = PC;
  if (!Page || PC - Page->HostBegin >= Page->HostEnd - Page->HostBegin ||
      (PC & 3)) {
    if (PC & 3) {
      M.memoryViolation(PC, ~uint64_t(0), Access::Execute);
      return nullptr;
    }
    Page = P.page(Own, PC);
  }
  if (PC < Page->HostBegin || PC + 4 > Page->HostEnd) {
    M.memoryViolation(PC, ~uint64_t(0), Access::Execute);
    return nullptr;
  }
  return P.instructionAt(Own, *Page, PC);
}

/// Checks that \a I can be executed, and prepares it.
inline bool Executor::Impl::Run::prepare(const Inst *&I) {
  M.NextPC = M.InstPC + I->Size;
  if (!I->O) {
    M.stop(StepResult::IllegalInstruction);
    M.Result.Text = I->Text;
    M.Result.IsUnmodeled = I->IsUnmodeled;
    M.Result.NextAddress = M.NextPC;
    M.NextPC = M.InstPC;
    return false;
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
    return false;
  }
  if (M.EnvMode != W.Mode)
    M.updateEnv();
  if (I->Fp != FpClass::None) {
    const unsigned Want = M.Csr[unsigned(I->Fp)];
    if (Want != M.CurCsr) {
      _mm_setcsr(Want);
      M.CurCsr = Want;
    }
  }
  return true;
}

inline bool Executor::Impl::Run::execute(const Inst &I) {
  const bool Traps = M.FpTraps && I.Fp != FpClass::None;
  std::optional<WaveState> Before;
  if (Traps)
    Before = W;
  I.Fn(M, I);
  if (hadNoEffect())
    return false;
  W.PC = M.NextPC;
  ++Done;
  IsBack = I.IsBranch && W.PC <= M.InstPC;
  if (Traps)
    noteExceptions(I, *Before);
  if (M.WatchHits && !M.Stop)
    noteWatches();
  if ((W.Mode & mode::DebugEn) != 0) {
    StepTrap = true;
    if (!M.Stop)
      M.stop(StepResult::SingleStep);
  }
  return true;
}

/// Stops before a breakpoint, except at the first instruction of a run
/// that passes it.
bool Executor::Impl::Run::isAtBreak(bool &PassBreak) {
  if (std::exchange(PassBreak, false) || P.Breaks.empty() ||
      !std::binary_search(P.Breaks.begin(), P.Breaks.end(), W.PC))
    return false;
  M.InstPC = M.NextPC = W.PC;
  M.stop(StepResult::Break);
  return true;
}

/// Executes traces where some report to the observer what it wants.
/// It isn't called for what it doesn't want otherwise, except rows of private
/// memory (Observer::needsRows).
void Executor::Impl::Run::runObserved(bool PassBreak, bool Translates) {
  if (Translates)
    beginTranslated();
  bool Enters = Translates, Counts = beginsOften();
  while (goesOn()) {
    if (isAtBreak(PassBreak))
      return;
    bool Left = false;
    const unsigned Wants = P.translatedWants();
    if (Enters) {
      const uint64_t Before = Done;
      if (!(Wants & observe::Guards ? runGuarded(Counts) : runTraces(Counts)))
        return;
      Left = Done != Before;
      if (!goesOn())
        return;
    }
    const Inst *I = fetch();
    if (I && I->O && !I->Observed)
      I->Observed = Own.Dec.describe(*I, M.InstPC);
    if (!I || !prepare(I) || !executeObserved(*I))
      return;
    Enters = Translates && (Left || W.PC != M.InstPC + I->Size ||
                            P.translatedWants() != Wants);
    Counts = true;
  }
}

/// \return false if the wave has to stop.
bool Executor::Impl::Run::executeObserved(const Inst &I) {
  constexpr unsigned Filters =
      observe::FilterAccesses | observe::FilterRegisters;
  const unsigned LastWants = P.LastWatcher ? unsigned(observe::Accesses) : 0;
  const Uses &U = *I.Observed;
  unsigned Wants = P.wants();
  const unsigned Matched = U.ObservedFor & Wants;
  if (!Matched || ((Wants & Filters) &&
                   P.Describe.isFiltered(M, I, U, Wants, Matched, *P.Watcher)))
    Wants = 0;
  const bool NotifiesLast = U.ObservedFor & LastWants;
  if (!Wants && !NotifiesLast)
    return execute(I) && !M.Stop;
  const ObservedInstruction &O =
      P.Describe.describe(M, I, U, NotifiesLast ? Wants | LastWants : Wants);
  if ((Wants && !P.Watcher->before(W, O)) ||
      (NotifiesLast && !P.LastWatcher->before(W, O))) {
    M.stop(StepResult::Observed);
    M.NextPC = M.InstPC;
    return false;
  }
  if (!execute(I))
    return false;
  if (Wants)
    P.Watcher->after(W, O);
  if (NotifiesLast)
    P.LastWatcher->after(W, O);
  return !M.Stop;
}

/// The same in the middle of a trace, which has prepared it.
void Executor::Impl::Run::notifyFromTrace(const Inst &I) {
  const Uses &U = *I.Observed;
  const unsigned Wants = P.translatedWants();
  M.LeavesTrace = false;
  W.PC = M.InstPC;
  if ((Wants & observe::FilterAccesses) &&
      P.Describe.isFiltered(M, I, U, Wants, U.ObservedFor & Wants,
                            *P.Watcher)) {
    I.Fn(M, I);
    return;
  }
  const ObservedInstruction &O = P.Describe.describe(
      M, I, U, Wants, /*IsTranslated=*/Wants & observe::Guards);
  if (!P.Watcher->before(W, O)) {
    M.stop(StepResult::Observed);
    M.NextPC = M.InstPC;
    return;
  }
  I.Fn(M, I);
  if (hadNoEffect())
    return;
  W.PC = M.NextPC;
  P.Watcher->after(W, O);
  M.LeavesTrace = P.translatedWants() != Wants ||
                  (O.IsTranslated && !P.Watcher->mayGoOn(M.ObserverState));
  if (Wants & observe::QuietRows)
    setQuietRows();
}

void Executor::Impl::Run::setQuietRows() {
  const QuietRows Rows = P.Watcher->quietRows();
  M.QuietLanes = Rows.Lanes;
  M.QuietCount = Rows.Count;
}

void Executor::Impl::notifyFromTrace(Machine &M, const Inst &I) {
  static_cast<Run *>(M.Run)->notifyFromTrace(I);
}

uint32_t Executor::Impl::ask(Machine &M, TracePart &Part) {
  Part.Exec = M.exec();
  Part.State = Part.Next = M.ObserverState;
  Observer &By = *static_cast<Run *>(M.Run)->P.Watcher;
  Part.Rows.IsSet = false;
  Part.Rows.AreRows = 0;
  Part.IsAllowed = By.enters(Part.Code, Part.Exec, Part.Next, Part.Rows);
  return Part.IsAllowed;
}

/// Whether a row is as planned, or needn't be reported without a plan. Notes
/// what is quiet after a store.
static bool isQuietRow(Machine &M, const StraightCode::Row &R, uint64_t Dword,
                       const PlannedRows::Row *Plan) {
  if (Dword + R.Words > M.QuietCount || (Plan && Plan->Dword != Dword))
    return false;
  const uint64_t Exec = M.exec();
  for (unsigned N = 0; N < R.Words; ++N) {
    uint64_t &Quiet = M.QuietLanes[Dword + N];
    const uint64_t Lanes = Plan ? Plan->Lanes : Exec;
    if (R.IsStore)
      Quiet = (Quiet & ~Exec) | Lanes;
    else if ((Quiet & Exec) != Lanes)
      return false;
  }
  return true;
}

Trace::RowResult Executor::Impl::executeRow(Machine &M, const Trace::Step &S,
                                            const StraightCode::Row &R,
                                            uint32_t IsRow, uint64_t Dword) {
  const TracePart &Part = *M.InPart;
  const auto Index = size_t(&R - Part.Code.Rows.data());
  const bool MustBeRow = Part.Code.Steps[R.Step].IsFlat && Index < 64 &&
                         (Part.Rows.AreRows >> Index & 1);
  if (MustBeRow && !IsRow)
    return Trace::LeavesBefore;
  const PlannedRows::Row *Plan =
      R.MayBePlanned && Part.Rows.IsSet ? &Part.Rows.At[Index] : nullptr;
  const bool IsQuiet =
      S.IsObserved && M.QuietLanes && IsRow && isQuietRow(M, R, Dword, Plan);
  if (Plan && !IsQuiet)
    return Trace::LeavesBefore;
  const bool Notifies = S.IsObserved && !IsQuiet;
  if (Notifies)
    notifyFromTrace(M, S.I);
  else
    S.I.Fn(M, S.I);
  return M.Stop                      ? Trace::StopsWave
         : Notifies && M.LeavesTrace ? Trace::LeavesBehind
                                     : Trace::GoesOn;
}

void Executor::Impl::Run::runToBreak(bool PassBreak) {
  while (goesOn()) {
    if (isAtBreak(PassBreak))
      return;
    const Inst *I = fetch();
    if (!I || !prepare(I) || !execute(*I) || M.Stop)
      return;
  }
}

/// Whether what a trace was translated for is still true.
bool Executor::Impl::Run::matches(Trace &T) {
  if (T.CheckedIn == P.EpochNumber)
    return true;
  for (const Trace::Piece &Piece : T.Pieces) {
    const CodePage *In =
        Page && Page->Base == Piece.Address / PageSize * PageSize
            ? Page
            : P.page(Own, Piece.Address);
    if (Piece.Address < In->HostBegin ||
        Piece.Address + Piece.Bytes.size() > In->HostEnd ||
        std::memcmp(In->Host + (Piece.Address - In->HostBegin),
                    Piece.Bytes.data(), Piece.Bytes.size()) != 0)
      return false;
  }
  T.CheckedIn = P.EpochNumber;
  T.forgetSpans();
  return true;
}

/// The trace to be executed at \a PC; null if there is none, or none yet.
Trace *Executor::Impl::Run::traceAt(uint64_t PC, bool Counts) {
  if (!Page || !Page->has(PC)) {
    CodePage *New = P.page(Own, PC);
    if (!New->has(PC))
      return nullptr; // the interpreter says why
    Page = New;
  }
  PageTraces &Traces = Page->traces();
  const size_t Slot = (PC - Page->Base) / 4;
  unsigned Count = 0;
  for (Trace *T = Traces.At[Slot].get(); T; T = T->Next.get(), ++Count) {
    if (T->Mode != W.Mode || T->AccumOffset != W.AccumOffset ||
        T->VGPRCount != W.VGPRCount || T->Wants != P.translatedWants() ||
        T->LocalRangeFaults != P.LocalRangeFaults ||
        T->LanesReversed != P.LanesReversed)
      continue;
    if (!T->Code.load(std::memory_order_acquire)) {
      T->Wanted.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    if (matches(*T)) {
      T->Misses = 0;
      return T;
    }
    // The code has changed: by a breakpoint, which comes and goes, or for good.
    constexpr unsigned MostMisses = 1024;
    if (++T->Misses < MostMisses)
      return nullptr;
    Traces.At[Slot].reset();
    Traces.Entered[Slot] = 0;
    return nullptr;
  }
  constexpr unsigned MaxForms = 8;
  uint16_t &Entered = Traces.Entered[Slot];
  if (!(Counts || Traces.Resumes[Slot]) || Entered == PageTraces::Never ||
      Count >= MaxForms)
    return nullptr;
  ++Entered;
  if (Entered < P.TranslateAfter)
    return nullptr;
  std::shared_ptr<Trace> New = P.record(Own, W, PC);
  Entered = New ? 0 : PageTraces::Never;
  if (New) {
    New->Next = std::move(Traces.At[Slot]);
    Traces.At[Slot] = New;
    P.Translates->add(New);
    // So that all that runs is verified.
    if (P.Verifies) {
      P.Translates->finish();
      return New->Code ? New.get() : nullptr;
    }
  }
  return nullptr;
}

/// Executes traces as long as there is one at the PC. \return false if the run
/// has to end.
/// The sanitizer looks for the type of a function before its code, where
/// translated code has none.
__attribute__((no_sanitize("function"))) bool
Executor::Impl::Run::runTraces(bool Counts) {
  // Those that MODE may have to be for numbers to be computed as on the host.
  constexpr uint32_t Others = 0xff | mode::DebugEn |
                              trapsts::ExcpMask << mode::ExcpEnShift |
                              mode::GprIdxEn;
  // Otherwise an observer of registers is notified of each instruction.
  while ((W.Mode & Others) == 0xf0 &&
         !(P.translatedWants() & observe::Registers)) {
    Trace *T = traceAt(W.PC, Counts);
    if (!T || Done + T->Steps.size() > Limit)
      return true;
    if (M.EnvMode != W.Mode)
      M.updateEnv();
    if (M.CurCsr != M.Csr[unsigned(FpClass::None)])
      _mm_setcsr(M.CurCsr = M.Csr[unsigned(FpClass::None)]);
    uint64_t End = Limit;
    if (P.Verifies && !T->Wants) {
      // Few enough for the copies of what they touch to be small.
      constexpr uint64_t AtOnce = 1024;
      End = std::min(Limit, Done + std::max<uint64_t>(AtOnce, T->Steps.size()));
      if (!verify(*T, End))
        return false;
    }
    const uint64_t Before = Done;
    const Trace::Exit How = T->Code.load(std::memory_order_relaxed)(
        &M, &W, M.V, &Done, Budget, End);
    P.TranslatedSteps += Done - Before;
    IsBack = How == Trace::Back;
    if (How == Trace::Stopped) {
      // As in execute().
      W.PC = M.InstPC;
      if (hadNoEffect() || M.Result.Reason == StepResult::Observed)
        return false;
      W.PC = M.NextPC;
      ++Done;
      ++M.LeftAfter;
      return false;
    }
    // An observer hasn't allowed all of it, or what is after an instruction.
    if (!goesOn() || Done == Before || M.LeftAfter != Machine::AllSteps)
      return true;
    Counts = true;
  }
  return true;
}

/// Compares a trace with the interpreter. If it is wrong, executes what is
/// before the wrong instruction, and stops the wave there. \return false for
/// that.
bool Executor::Impl::Run::verify(const Trace &T, uint64_t End) {
  const auto Wrong =
      P.Verifies->verify(T, M, Budget - std::min(Budget, Done), End - Done);
  if (!Wrong)
    return true;
  for (uint64_t N = 0; N < Wrong->Steps; ++N) {
    const Inst *I = fetch();
    if (!I || !prepare(I) || !execute(*I) || M.Stop)
      return false;
  }
  M.InstPC = M.NextPC = W.PC;
  M.stop(StepResult::IllegalInstruction);
  M.Result.Text = Wrong->Text;
  return false;
}

/// The same for an observer that has to allow it.
bool Executor::Impl::Run::runGuarded(bool Counts) {
  for (;;) {
    M.ObserverState = P.Watcher->state();
    M.InPart = nullptr;
    M.LeftAfter = Machine::AllSteps;
    if (P.translatedWants() & observe::QuietRows)
      setQuietRows();
    const bool GoesOn = runTraces(Counts);
    TracePart *In = M.InPart;
    if (!In)
      return GoesOn;
    const size_t Size = In->Code.Steps.size(),
                 Steps = std::min<size_t>(M.LeftAfter - In->First, Size);
    P.Watcher->left(In->Code, Steps, In->Exec, In->State, In->Next, In->Rows);
    // What was reported in it, or was otherwise than planned, may matter.
    if (Steps < Size)
      In->IsAllowed = false;
    // Behind a call, there is another state.
    if (M.LeftAfter == Machine::AllSteps || Steps < Size || !GoesOn ||
        !goesOn() || !(P.translatedWants() & observe::Guards))
      return GoesOn;
    Counts = true;
  }
}

void Executor::Impl::Run::beginTranslated() {
  P.Translates->resume();
  constexpr size_t MostTranslated = 1 << 18;
  if (P.Translates->size() > MostTranslated)
    P.dropTraces();
}

void Executor::Impl::Run::runTranslated() {
  beginTranslated();
  bool Enters = true, Counts = beginsOften();
  while (goesOn()) {
    bool Left = false;
    if (Enters) {
      const uint64_t Before = Done;
      if (!runTraces(Counts))
        return;
      Left = Done != Before;
      if (!goesOn())
        return;
    }
    const Inst *I = fetch();
    if (!I || !prepare(I) || !execute(*I) || M.Stop)
      return;
    Enters = Left || W.PC != M.InstPC + I->Size;
    Counts = true;
  }
}

void Executor::Impl::Run::noteExceptions(const Inst &I,
                                         const WaveState &Before) {
  const uint32_t Raised = raisedBy(I);
  _mm_setcsr(M.CurCsr);
  W.TrapSts |= Raised;
  const uint32_t Enabled = Raised & (W.Mode >> mode::ExcpEnShift);
  if (!Enabled || M.Stop)
    return;
  const uint64_t Lanes = findRaisingLanes(M, I, Before, Enabled);
  M.stop(StepResult::FPException, Enabled);
  M.Result.LaneMask = Lanes;
}

void Executor::Impl::Run::noteWatches() {
  static const unsigned Bit[] = {7, 12, 13, 14};
  for (unsigned N = 0; N < 4; ++N)
    if (M.WatchHits >> N & 1)
      W.TrapSts |= 1u << Bit[N];
  M.stop(StepResult::Watch, M.WatchHits);
  M.Result.LaneMask = M.WatchLanes;
}

StepResult Executor::Impl::Run::finish() {
  if (P.Epoch) {
    P.Resolved = M;
    P.LastPage = Page;
    P.LastCode = &Own;
  }
  StepResult R = std::move(M.Result);
  if (M.Stop) {
    R.Address = M.InstPC;
    if (R.Reason == StepResult::Trap) {
      R.NextAddress = W.PC;
      W.PC = M.InstPC;
      StepTrap = false;
    } else if (R.Reason == StepResult::MemoryViolation &&
               R.FaultAccess != Access::Execute) {
      CodePage *Of = P.page(Own, M.InstPC);
      const Inst *I =
          Of->has(M.InstPC) ? P.instructionAt(Own, *Of, M.InstPC) : nullptr;
      R.NextAddress = M.InstPC + (I ? I->Size : 0);
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

StepResult Executor::run(WaveState &W, uint64_t Budget, bool PassBreak,
                         uint64_t Overtime) {
  return Impl::Run(*P, W).run(Budget, PassBreak, Overtime);
}

} // namespace wavelane::isa
