//===-- CheckSession.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckSession.h"
#include "wavelane/Formats/JSON/Parse.h"

#include "CountReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;
using simulator::CodeNote;
using simulator::MemoryNote;

/// Writes all of \a Text at once, so that it isn't mixed with the program's.
static void writeAll(int Fd, llvm::StringRef Text) {
  while (!Text.empty()) {
    const ssize_t N = write(Fd, Text.data(), Text.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return;
    Text = Text.drop_front(size_t(N));
  }
}

Session::Session(Options O, pid_t Program, simulator::ReadMemory Read)
    : Wanted(std::move(O)), Names(Program, std::move(Read)), Arrays(Names),
      Found(Wanted, Names, Calls), KernelPattern(Wanted.Kernel) {
  char Path[PATH_MAX];
  const ssize_t Length =
      readlink(("/proc/" + std::to_string(Program) + "/exe").c_str(), Path,
               sizeof(Path));
  ProgramPath = Length > 0 ? std::string(Path, size_t(Length)) : "a program";
  if (!Wanted.Folder.empty()) {
    const std::string Report =
        Wanted.Folder + "/" + ReportPrefix + std::to_string(getpid()) + ".json";
    ReportFile = open(Report.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (ReportFile >= 0)
      flock(ReportFile, LOCK_EX);
  }
  for (CheckId Id : AllChecks)
    if (Wanted.has(Id))
      add(make(Id));
  if (Wanted.counts()) {
    auto C = std::make_unique<Counter>();
    OfLines = C.get();
    add(std::move(C));
  }
}

std::unique_ptr<Check> Session::make(CheckId Id) {
  switch (Id) {
  case CheckId::Memory: {
    auto C = std::make_unique<MemoryCheck>(*this, Memory, &Arrays);
    OfMemory = C.get();
    return C;
  }
  case CheckId::Race: {
    auto C = std::make_unique<RaceCheck>(
        *this, Memory, Wanted.ShadowLimit << 20,
        [this](uint64_t PC) { return Names.readsVolatile(PC); },
        [this](uint64_t PC) { return Names.writesVolatile(PC); });
    OfRaces = C.get();
    return C;
  }
  case CheckId::Init:
    return std::make_unique<InitCheck>(*this, Memory, Wanted.ShadowLimit << 20);
  case CheckId::Sync: {
    auto C = std::make_unique<SyncCheck>(
        *this, Memory,
        [this](SyncCheck::CodePlace A, SyncCheck::CodePlace B) {
          return compareInSource(A, B);
        },
        [this](uint64_t Address) { return Names.hasCode(Address); });
    OfSync = C.get();
    return C;
  }
  case CheckId::Wait:
    return std::make_unique<WaitCheck>(*this);
  }
  llvm_unreachable("every check has a case");
}

SyncCheck::SourceOrder Session::compareInSource(SyncCheck::CodePlace A,
                                                SyncCheck::CodePlace B) {
  using Order = SyncCheck::SourceOrder;
  const Frame First = kernelFrame(A.first, A.second),
              Second = kernelFrame(B.first, B.second);
  if (!Second.Line || First.Function != Second.Function)
    return Order::Unknown;
  // LLVM may give it the line of one of the functions inlined there.
  if (!First.Line || First.File != Second.File)
    return Order::Merged;
  // What macros expand to has one column.
  const auto At = std::make_pair(First.Line, First.Column);
  const auto Barrier = std::make_pair(Second.Line, Second.Column);
  return At < Barrier   ? Order::Before
         : At > Barrier ? Order::After
                        : Order::Same;
}

Session::~Session() {
  if (ReportFile >= 0)
    close(ReportFile);
}

void Session::add(std::unique_ptr<Check> C) {
  if (isa::Observer *O = C->observer())
    Looks.push_back({C.get(), O, 0, 0});
  Checks.push_back(std::move(C));
}

/// The kernel's own line of a place that it may have called.
Frame Session::kernelFrame(uint64_t PC, uint32_t Stack) {
  const std::vector<uint64_t> Returns = Calls.returns(Stack);
  // The calling instructions have 4 bytes.
  return Names.frames(Returns.empty() ? PC : Returns.back() - 4).back();
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

/// Lines as they stand in the program's output.
static std::string mark(llvm::StringRef Lines) {
  std::string Out;
  while (!Lines.empty()) {
    const auto [Line, Rest] = Lines.split('\n');
    Out += ("========= " + Line + "\n").str();
    Lines = Rest;
  }
  return Out + "=========\n";
}

bool Session::report(const FindingKey &Key, unsigned Lanes,
                     llvm::function_ref<Finding()> Describe) {
  if (IsQuiet)
    return false;
  const ReportedFinding *T = Found.add(Key, Lanes, [&] {
    Finding F = Describe();
    // Code that only saves registers does it for other lanes, too, or instead.
    if (Running && Running->State && F.Here.Kernel == Running->Kernel &&
        F.Here.PC == Running->State->PC &&
        !Names.executingMask(F.Here.PC).isInExec()) {
      const uint64_t Own = executingLanes(*Running->State, F.Here.PC);
      F.Here.Lanes = F.Here.Lanes & Own ? F.Here.Lanes & Own : Own;
    }
    return F;
  });
  if (!T)
    return false;
  writeAll(STDERR_FILENO, mark(Findings::text(*T)));
  appendFinding(*T);
  if (!Stops || !(StopOn >> unsigned(checkOf(T->What)) & 1) ||
      Ignored.matches(Findings::place(*T)))
    return false;
  Stop = T;
  return true;
}

uint64_t Session::executingLanes(const isa::WaveState &W, uint64_t PC) {
  return Names.executingMask(PC).get(
      W.exec(), W.LaneCount,
      [&](llvm::StringRef Register) -> std::optional<uint64_t> {
        unsigned Number;
        if (Register == "vcc")
          return W.vcc();
        if (!Register.consume_front("s") || Register.getAsInteger(10, Number) ||
            Number >= isa::scalar::Count)
          return std::nullopt;
        return W.Scalar[Number];
      });
}

const ReportedFinding *Session::takeStop() {
  return std::exchange(Stop, nullptr);
}

/// For debuggers.
void Session::appendFinding(const ReportedFinding &T) {
  if (Wanted.Folder.empty())
    return;
  const std::string Path = Wanted.Folder + "/" + simulator::CheckFindingsFile;
  const int Fd =
      open(Path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (Fd < 0)
    return;
  std::string Line;
  llvm::raw_string_ostream(Line)
      << llvm::json::Value(Findings::fullJson(T)) << '\n';
  writeAll(Fd, Line);
  close(Fd);
}

llvm::Expected<llvm::json::Object> Session::answer(llvm::StringRef Request) {
  llvm::Expected<llvm::json::Value> Parsed = wavelane::parseJSON(Request);
  if (!Parsed)
    return Parsed.takeError();
  const llvm::json::Object *O = Parsed->getAsObject();
  if (!O)
    return llvm::createStringError("the request isn't an object");
  if (auto List = O->getString("stopOn")) {
    StopOn = 0;
    if (!List->empty()) {
      llvm::Expected<unsigned> Wished = parseList(*List);
      if (!Wished)
        return Wished.takeError();
      StopOn = *Wished;
    }
  }
  if (auto Lines = O->getString("ignore")) {
    Suppressions New;
    if (llvm::Error Bad = New.parse(*Lines, "ignore"))
      return Bad;
    if (auto More = O->getString("suppressions"))
      if (llvm::Error Bad =
              New.parse(*More, O->getString("name").value_or("suppressions")))
        return Bad;
    Ignored = std::move(New);
  }
  llvm::json::Object Answer{{"checks", listOf(Wanted.Checks)}};
  if (O->getBoolean("lines").value_or(false)) {
    if (!OfLines)
      return llvm::createStringError(
          "counting is off; turn it on with 'settings set "
          "plugin.process.amdgpu.check count' and restart the program");
    llvm::json::Array Lines;
    for (llvm::json::Value &Line : OfLines->lines(Names)) {
      auto Has = [&](const char *Key) {
        return Line.getAsObject()->getString(Key).value_or("").contains(
            O->getString(Key).value_or(""));
      };
      if (Has("file") && Has("function"))
        Lines.push_back(std::move(Line));
    }
    llvm::json::Array Device;
    Device.push_back(llvm::json::Object{{"lines", llvm::json::Array(Lines)}});
    Answer["launches"] = int64_t(Launches);
    Answer["table"] =
        CountReport(Device).table(size_t(O->getInteger("most").value_or(20)),
                                  "--all shows all, --json has all fields");
    Answer["lines"] = std::move(Lines);
  }
  return Answer;
}

void Session::notChecked(const std::string &What) {
  if (Found.addNotChecked(What))
    writeAll(STDERR_FILENO,
             "========= from now on, not checked: " + What + "\n");
}

void Session::coreLoaded() {
  if (OfMemory)
    notChecked("accesses of global memory outside of allocations, which a core "
               "does not record");
}

void Session::reportLeaks() {
  if (!OfMemory || !Wanted.FindsLeaks || std::exchange(LeaksAreReported, true))
    return;
  if (HasFailed)
    Found.addNotChecked("leaks, since a kernel has failed");
  else
    OfMemory->reportLeaks();
}

void Session::finish() {
  for (const auto &C : Checks)
    C->finish();
  reportLeaks();
  if (LeftOut)
    Found.addNotChecked(std::to_string(LeftOut) + " of " +
                        std::to_string(Launches) + " launches, by " +
                        (Wanted.Kernel.empty() ? "--launches"
                         : Wanted.Launches.empty()
                             ? "--kernel"
                             : "--kernel and --launches"));
  if (!Launches)
    Found.addNotChecked("kernels, since none was launched; in LLDB, "
                        "'breakpoint set -n __hipOnError' stops where a HIP "
                        "call fails");
  if (ReportFile < 0)
    return;
  std::string Text;
  llvm::json::Value Report = Found.json(ProgramPath);
  uint64_t Shadows = 0;
  for (const auto &C : Checks)
    Shadows += C->shadowBytes();
  (*Report.getAsObject())["shadowBytes"] = int64_t(Shadows);
  if (OfLines)
    (*Report.getAsObject())["lines"] = OfLines->lines(Names);
  llvm::raw_string_ostream(Text) << Report << '\n';
  writeAll(ReportFile, Text);
  close(ReportFile);
  ReportFile = -1;
}

//===----------------------------------------------------------------------===//
// What the program tells
//===----------------------------------------------------------------------===//

static Allocation::Kind allocationKind(uint32_t Kind, bool IsVideo) {
  switch (Kind) {
  case MemoryNote::Device:
    return Allocation::Device;
  case MemoryNote::Host:
    return Allocation::Host;
  case MemoryNote::Managed:
    return Allocation::Managed;
  case MemoryNote::Registered:
    return Allocation::Registered;
  case MemoryNote::AsPages:
    return IsVideo ? Allocation::Device : Allocation::Host;
  default:
    return Allocation::Internal;
  }
}

bool Session::noteMemory(llvm::ArrayRef<uint8_t> Message) {
  MemoryNote N;
  constexpr size_t MaxStack = 256;
  if (Message.size() < sizeof(N))
    return false;
  memcpy(&N, Message.data(), sizeof(N));
  Message = Message.drop_front(sizeof(N));
  std::vector<uint64_t> Stack(std::min(Message.size() / 8, MaxStack));
  if (!Stack.empty())
    memcpy(Stack.data(), Message.data(), Stack.size() * 8);
  Names.seeHost(Stack);
  switch (N.what) {
  case MemoryNote::Allocated: {
    if (!N.size || N.address + N.size < N.address)
      return false;
    const AllocationRef Block = Memory.add(
        N.address, N.size, allocationKind(N.kind, InVideo.count(N.address)),
        std::move(Stack));
    for (const auto &C : Checks)
      C->allocated(Block);
    if (OfRaces)
      followHost(*Block);
    return true;
  }
  case MemoryNote::Freed:
    if (OfMemory)
      OfMemory->frees(N.address,
                      N.kind == MemoryNote::AsPages
                          ? std::optional<bool>()
                          : N.kind == MemoryNote::Host,
                      Stack);
    // AMD's runtime also frees by an address inside.
    if (const AllocationRef Block = Memory.findLive(N.address);
        Block && Block->What != Allocation::Internal)
      N.address = Block->Address;
    if (const AllocationRef Block = Memory.remove(N.address, std::move(Stack)))
      for (const auto &C : Checks)
        C->freed(Block);
    return true;
  case MemoryNote::Variable:
    if (!N.size || N.address + N.size < N.address)
      return false;
    if (OfMemory)
      OfMemory->variable(N.address, N.size, N.kind == MemoryNote::Constant);
    return true;
  case MemoryNote::Ends:
    reportLeaks();
    return true;
  case MemoryNote::NotFreed:
    if (OfMemory)
      OfMemory->mistake({HostMistake::NotFreed, N.address, 0, 0,
                         N.kind == MemoryNote::Host, std::move(Stack)});
    return true;
  case MemoryNote::NotCopied: {
    if (!OfMemory)
      return true;
    const uint64_t Size =
        N.rows > 1 ? (N.rows - 1) * std::max(N.pitch, N.from_pitch) + N.size
                   : N.size;
    OfMemory->mistake({HostMistake::NotCopied, N.address, N.from, Size, false,
                       std::move(Stack)});
    return true;
  }
  case MemoryNote::Copied:
  case MemoryNote::Copies: {
    // Checks look at each byte: no program copies as much at once.
    constexpr uint64_t MostCopied = uint64_t(16) << 30, MostRows = 1 << 24;
    if (N.rows > MostRows ||
        N.size > MostCopied / std::max<uint64_t>(N.rows, 1))
      return false;
    CopyInfo Copy;
    Copy.To = N.address;
    Copy.From = N.from;
    Copy.Size = N.size;
    Copy.Rows = N.rows;
    Copy.ToPitch = N.pitch;
    Copy.FromPitch = N.from_pitch;
    Copy.Queue = N.queue;
    Copy.HostStack = std::move(Stack);
    if (N.what == MemoryNote::Copies) {
      if (OfMemory)
        OfMemory->willCopy(Copy);
      if (OfRaces && N.queue)
        OfRaces->copied(Copy);
      return true;
    }
    for (const auto &C : Checks)
      if (!N.no_order || C.get() != OfRaces)
        C->copied(Copy);
    return true;
  }
  default:
    return false;
  }
}

void Session::pagesMapped(uint64_t Address, uint64_t Size, bool IsVideo) {
  if (IsVideo)
    InVideo.insert(Address);
  // Pages of what the program has reported can be mapped again.
  if (const AllocationRef Known = Memory.findLive(Address);
      Known && Known->What != Allocation::Internal)
    return;
  const AllocationRef Block =
      Memory.add(Address, Size, Allocation::Internal, {});
  for (const auto &C : Checks)
    C->allocated(Block);
}

void Session::pagesUnmapped(uint64_t Address) {
  InVideo.erase(Address);
  const AllocationRef Block = Memory.findLive(Address);
  if (!Block || Block->Address != Address ||
      Block->What != Allocation::Internal)
    return;
  Memory.remove(Address, {});
  for (const auto &C : Checks)
    C->freed(Block);
}

void Session::moved(uint64_t To, uint64_t From, uint64_t Size) {
  for (const auto &C : Checks)
    C->moved(To, From, Size);
}

bool Session::noteCode(llvm::ArrayRef<uint8_t> Message) {
  CodeNote N;
  if (Message.size() < sizeof(N))
    return false;
  memcpy(&N, Message.data(), sizeof(N));
  Message = Message.drop_front(sizeof(N));
  Arrays.forget();
  // Findings may still be described with unloaded code.
  if (N.size && N.base + N.size > N.base)
    Names.addCode(
        N.base, N.size,
        llvm::StringRef(reinterpret_cast<const char *>(Message.data()),
                        Message.size()));
  return true;
}

/// The host may access memory that kernels access, too.
void Session::followHost(const Allocation &Block) {
  const bool IsWatched =
      Block.What == Allocation::Host || Block.What == Allocation::Managed;
  if (IsWatched && SeesHost.value_or(false)) {
    OfRaces->followHost();
    if (OnHostMemory)
      OnHostMemory(Block.Address, Block.Size);
  } else if (IsWatched || Block.What == Allocation::Registered) {
    notChecked("races with what the host itself does in " +
               std::string(IsWatched ? "managed and pinned" : "registered") +
               " memory" +
               (!IsWatched ? ""
                : SeesHost ? ", since the system doesn't allow userfaultfd to "
                             "this user (vm.unprivileged_userfaultfd)"
                           : ", over AMD's runtime"));
  }
}

void Session::hostAccessed(uint64_t Address, bool Writes, uint64_t PC,
                           uint64_t SP) {
  if (!OfRaces || !OfRaces->concernsHost(Address))
    return;
  std::vector<uint64_t> Stack = Names.hostStack(PC, SP);
  if (!Stack.empty())
    OfRaces->hostAccessed(Address, Writes, std::move(Stack));
}

bool Session::noteOrder(const simulator::OrderNote &N) {
  return !OfRaces || OfRaces->ordered(N);
}

//===----------------------------------------------------------------------===//
// What the device does
//===----------------------------------------------------------------------===//

bool Session::isChosen(const Launch &L) {
  bool In = Wanted.Launches.empty();
  for (const auto &[First, Last] : Wanted.Launches)
    In |= L.Number >= First && L.Number <= Last;
  return In && (Wanted.Kernel.empty() ||
                KernelPattern.match(Names.kernelName(L.KernelObject)));
}

LaunchRef Session::launchBegins(Launch L) {
  if (BeforeLaunch) {
    BeforeLaunch();
    // HSA has kernels that its loader doesn't list.
    L.IsRuntimes = !Names.hasCode(L.KernelObject) ||
                   llvm::StringRef(Names.kernelName(L.KernelObject))
                       .starts_with("__amd_rocclr_");
  }
  // The numbers of the program's launches don't depend on the runtime.
  L.Number = L.IsRuntimes ? uint64_t(1) << 63 | ++RuntimesLaunches : ++Launches;
  L.IsChecked = L.IsRuntimes || isChosen(L);
  LeftOut += !L.IsChecked;
  const auto Ref = std::make_shared<const Launch>(std::move(L));
  for (const auto &C : Checks)
    C->launchBegins(Ref);
  return Ref;
}

void Session::launchEnds(const LaunchRef &L) {
  for (const auto &C : Checks)
    C->launchEnds(L);
}

void Session::waveBegins(const WaveInfo &W) {
  for (const auto &C : Checks)
    C->waveBegins(W);
}

void Session::waveEnds(const WaveInfo &W) {
  for (const auto &C : Checks)
    C->waveEnds(W);
}

void Session::waveRuns(WaveInfo &W, isa::Executor &On) {
  if (Looks.empty() || !W.Kernel->IsChecked) {
    On.setObserver(nullptr);
    return;
  }
  Running = &W;
  for (const auto &C : Checks)
    C->waveRuns(W);
  RunsOn = &On;
  Varies = false;
  for (Look &L : Looks) {
    L.Wants = L.Of->observes();
    L.Translated = L.Of->translatedObserves();
    Varies |= L.Of->observesVary();
  }
  Wants = wants();
  On.setObserver(this, Wants, translatedWants());
}

void Session::arrives(const WaveInfo &W, uint64_t PC, bool Grid) {
  for (const auto &C : Checks)
    C->arrives(W, PC, Grid);
}

void Session::released(const WaveInfo &W, bool Grid) {
  for (const auto &C : Checks)
    C->released(W, Grid);
}

/// What \a Single have to be called for together.
static unsigned combine(llvm::ArrayRef<unsigned> Single) {
  using namespace isa::observe;
  unsigned All = 0;
  for (unsigned One : Single)
    All |= One;
  // Nobody filters for others: each of them must be able to say what it needs.
  for (unsigned One : Single) {
    if ((One & (Accesses | FlatAccesses | Registers | OtherRegisters)) &&
        !(One & FilterAccesses))
      All &= ~unsigned(FilterAccesses);
    const unsigned ForRegisters =
        Registers | (All & Accesses ? 0u : unsigned(OtherRegisters));
    if ((One & ForRegisters) && !(One & FilterRegisters))
      All &= ~unsigned(FilterRegisters);
  }
  // The calls are the session's, for stacks.
  return All | Calls;
}

unsigned Session::wants() const {
  llvm::SmallVector<unsigned, 8> Single;
  for (const Look &L : Looks)
    Single.push_back(L.Wants);
  return combine(Single);
}

bool Session::needsAccesses(const isa::AccessBounds &B) {
  return llvm::any_of(Looks, [&](const Look &L) {
    return ((L.Wants | L.Translated) & isa::observe::FilterAccesses) &&
           L.By->needsAccesses(B);
  });
}

bool Session::needsRows(uint64_t PC) {
  return llvm::any_of(Looks,
                      [&](const Look &L) { return L.By->needsRows(PC); });
}

bool Session::needsRegisters(isa::InstClass Class,
                             const std::vector<isa::RegisterRange> &Reads,
                             const std::vector<isa::RegisterRange> &Writes) {
  return llvm::any_of(Looks, [&](const Look &L) {
    return (L.Wants & isa::observe::FilterRegisters) &&
           L.By->needsRegisters(Class, Reads, Writes);
  });
}

bool Session::before(const isa::WaveState &Wave,
                     const isa::ObservedInstruction &I) {
  bool GoesOn = true;
  IsQuiet = Running->Kernel->IsRuntimes;
  if (I.IsTranslated)
    for (size_t N = 0; N < Guards.size(); ++N)
      Guards[N].Of->setState(stateOf(I.State, N));
  for (const Look &L : Looks)
    GoesOn &= L.By->before(Wave, I);
  IsQuiet = false;
  return GoesOn;
}

void Session::after(const isa::WaveState &Wave,
                    const isa::ObservedInstruction &I) {
  if (I.Facts->Flow == gpu::ControlFlow::IndirectCall ||
      I.Facts->Flow == gpu::ControlFlow::Call)
    Running->Stack = Calls.push(Running->Stack, I.PC + I.Size);
  else if (I.Facts->Flow == gpu::ControlFlow::Jump)
    Running->Stack = Calls.pop(Running->Stack, Wave.PC);
  for (const Look &L : Looks)
    L.By->after(Wave, I);
  setWants();
}

void Session::setWants() {
  if (!Varies)
    return;
  for (Look &L : Looks)
    if (L.Of->observesVary())
      L.Wants = L.Of->observes();
  const unsigned New = wants();
  if (New == Wants)
    return;
  Wants = New;
  RunsOn->setObserver(this, Wants, translatedWants());
}

//===----------------------------------------------------------------------===//
// Translated code
//===----------------------------------------------------------------------===//

unsigned Session::translatedWants() {
  using namespace isa::observe;
  Guards.clear();
  QuietBy = nullptr;
  unsigned Quiet = 0;
  llvm::SmallVector<unsigned, 8> Single;
  for (const Look &L : Looks) {
    if (L.Translated & isa::observe::Guards)
      Guards.push_back(L);
    // Translated code doesn't say what it does with registers.
    else if (L.Wants & (Registers | OtherRegisters))
      return Wants;
    if (L.Translated & QuietRows) {
      QuietBy = L.By;
      ++Quiet;
    }
    Single.push_back(L.Translated);
  }
  if (Guards.size() > MostGuards || Quiet > 1)
    return Wants;
  const unsigned All = combine(Single);
  for (const Look &L : Guards)
    L.Of->setReports(All);
  return All;
}

uint64_t Session::stateOf(uint64_t All, size_t Guard) {
  return uint32_t(All >> 32 * Guard);
}

uint64_t Session::state() {
  uint64_t All = 0;
  for (size_t N = 0; N < Guards.size(); ++N)
    All |= Guards[N].By->state() << 32 * N;
  return All;
}

bool Session::enters(const isa::StraightCode &Code, uint64_t Exec,
                     uint64_t &State, isa::PlannedRows &Rows) {
  uint64_t Next = 0;
  // InitCheck takes it that all of it is executed, so it comes last.
  for (size_t N = Guards.size(); N--;) {
    uint64_t Own = stateOf(State, N);
    if (!Guards[N].By->enters(Code, Exec, Own, Rows))
      return false;
    Next |= Own << 32 * N;
  }
  State = Next;
  return true;
}

bool Session::mayGoOn(uint64_t State) {
  for (size_t N = 0; N < Guards.size(); ++N)
    if (!Guards[N].By->mayGoOn(stateOf(State, N)))
      return false;
  return true;
}

void Session::left(const isa::StraightCode &Last, size_t Steps, uint64_t Exec,
                   uint64_t State, uint64_t Next,
                   const isa::PlannedRows &Rows) {
  for (size_t N = 0; N < Guards.size(); ++N)
    Guards[N].By->left(Last, Steps, Exec, stateOf(State, N), stateOf(Next, N),
                       Rows);
  setWants();
}
