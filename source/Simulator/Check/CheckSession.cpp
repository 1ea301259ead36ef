//===-- CheckSession.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckSession.h"
#include "wavelane/Formats/JSON/Parse.h"

#include "CountReport.h"
#include "FloatCheck.h"
#include "InitCheck.h"
#include "WaitCheck.h"

#include "llvm/Support/ErrorHandling.h"

#include <climits>
#include <cstring>
#include <unistd.h>
#include <utility>

using namespace wavelane;
using namespace wavelane::check;
using simulator::CodeNote;
using simulator::FailedLaunchNote;
using simulator::OrderNote;

Session::Session(Options O, pid_t Program, simulator::ReadMemory Read,
                 simulator::ReadMemory ReadGlobal)
    : Wanted(std::move(O)),
      Names(Program, std::move(Read), std::move(ReadGlobal)),
      Arrays(Names, Calls), Found(Wanted, Names, Calls), Files(Wanted.Folder),
      Launches(Wanted) {
  char Path[PATH_MAX];
  const ssize_t Length =
      readlink(("/proc/" + std::to_string(Program) + "/exe").c_str(), Path,
               sizeof(Path));
  ProgramPath = Length > 0 ? std::string(Path, size_t(Length)) : "a program";
  Memory.OnEnd = [this] { reportLeaks(); };
  for (CheckId Id : AllChecks)
    if (Wanted.has(Id))
      add(make(Id));
  if (Wanted.counts()) {
    auto C = std::make_unique<Counter>();
    Checks.Lines = C.get();
    add(std::move(C));
  }
}

std::unique_ptr<Check> Session::make(CheckId Id) {
  switch (Id) {
  case CheckId::Memory: {
    auto C = std::make_unique<MemoryCheck>(*this, Memory.blocks(), &Arrays);
    Checks.Memory = C.get();
    return C;
  }
  case CheckId::Race: {
    auto C = std::make_unique<RaceCheck>(
        *this, Memory.blocks(), Wanted.ShadowLimit << 20,
        RaceCheck::SourceFacts{
            [this](uint64_t PC) { return Names.readsVolatile(PC); },
            [this](uint64_t PC) { return Names.writesVolatile(PC); },
            [this](uint64_t PC) { return Names.isAtomicOfDevice(PC); }});
    Checks.Races = C.get();
    return C;
  }
  case CheckId::Init:
    return std::make_unique<InitCheck>(*this, Memory.blocks(),
                                       Wanted.ShadowLimit << 20);
  case CheckId::Sync: {
    auto C = std::make_unique<SyncCheck>(
        *this, Memory.blocks(),
        [this](SyncCheck::CodePlace A, SyncCheck::CodePlace B) {
          return compareInSource(A, B);
        },
        [this](uint64_t Address) { return Names.hasCode(Address); });
    Checks.Sync = C.get();
    return C;
  }
  case CheckId::Wait:
    return std::make_unique<WaitCheck>(*this);
  case CheckId::Float:
    return std::make_unique<FloatCheck>(*this, Memory.blocks());
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

void Session::add(std::unique_ptr<Check> C) {
  Observer.add(*C);
  Checks.All.push_back(std::move(C));
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
  if (Observer.isQuiet())
    return false;
  const WaveInfo *Running = Observer.running();
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
  Files.append(Findings::fullJson(*T)); // for debuggers
  return Stops.stops(*T);
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

llvm::Expected<llvm::json::Object> Session::answer(llvm::StringRef Request) {
  llvm::Expected<llvm::json::Value> Parsed = wavelane::parseJSON(Request);
  if (!Parsed)
    return Parsed.takeError();
  const llvm::json::Object *O = Parsed->getAsObject();
  if (!O)
    return llvm::createStringError("the request isn't an object");
  if (llvm::Error Bad = Stops.choose(*O))
    return Bad;
  llvm::json::Object Answer{{"checks", listOf(Wanted.Checks)}};
  if (O->getBoolean("lines").value_or(false))
    if (llvm::Error Bad = addLines(*O, Answer))
      return Bad;
  return Answer;
}

llvm::Error Session::addLines(const llvm::json::Object &Request,
                              llvm::json::Object &Answer) {
  if (!Checks.Lines)
    return llvm::createStringError(
        "counting is off; turn it on with 'settings set "
        "plugin.process.amdgpu.check count' and restart the program");
  llvm::json::Array Lines;
  for (llvm::json::Value &Line : Checks.Lines->lines(Names)) {
    auto Has = [&](const char *Key) {
      return Line.getAsObject()->getString(Key).value_or("").contains(
          Request.getString(Key).value_or(""));
    };
    if (Has("file") && Has("function"))
      Lines.push_back(std::move(Line));
  }
  llvm::json::Array Device;
  Device.push_back(llvm::json::Object{{"lines", llvm::json::Array(Lines)}});
  Answer["launches"] = int64_t(Launches.count());
  Answer["table"] =
      CountReport(Device).table(size_t(Request.getInteger("most").value_or(20)),
                                "--all shows all, --json has all fields");
  Answer["lines"] = std::move(Lines);
  return llvm::Error::success();
}

void Session::notChecked(const std::string &What) {
  if (Found.addNotChecked(What))
    writeAll(STDERR_FILENO,
             "========= from now on, not checked: " + What + "\n");
}

void Session::coreLoaded() {
  if (Checks.Memory)
    notChecked("accesses of global memory outside of allocations, which a core "
               "does not record");
}

void Session::reportLeaks() {
  if (!Checks.Memory || !Wanted.FindsLeaks ||
      std::exchange(LeaksAreReported, true))
    return;
  if (HasFailed)
    Found.addNotChecked("leaks, since a kernel has failed");
  else
    Checks.Memory->reportLeaks();
}

void Session::finish() {
  for (const auto &C : Checks.All)
    C->finish();
  reportLeaks();
  if (std::string LeftOut = Launches.describeLeftOut(); !LeftOut.empty())
    Found.addNotChecked(LeftOut);
  if (!Launches.count())
    Found.addNotChecked("kernels, since none was launched; in LLDB, "
                        "'breakpoint set -n __hipOnError' stops where a HIP "
                        "call fails");
  if (!Files.isAwaited())
    return;
  llvm::json::Value Report = Found.json(ProgramPath);
  uint64_t Shadows = 0;
  for (const auto &C : Checks.All)
    Shadows += C->shadowBytes();
  (*Report.getAsObject())["shadowBytes"] = int64_t(Shadows);
  if (Checks.Lines)
    (*Report.getAsObject())["lines"] = Checks.Lines->lines(Names);
  Files.write(std::move(Report));
}

//===----------------------------------------------------------------------===//
// What the program reports
//===----------------------------------------------------------------------===//

bool Session::noteOrder(const OrderNote &N, llvm::ArrayRef<uint8_t> Message) {
  if (N.what == OrderNote::Launched && !Message.empty()) {
    std::vector<uint64_t> Stack = readStack(Message);
    Names.seeHost(Stack);
    HostStacks[{N.ring ? uint32_t(N.ring - 1) : N.queue, N.other}] =
        std::move(Stack);
  }
  return Memory.noteOrder(N);
}

bool Session::noteFailedLaunch(llvm::ArrayRef<uint8_t> Message) {
  FailedLaunchNote N;
  if (Message.size() < sizeof(N))
    return false;
  memcpy(&N, Message.data(), sizeof(N));
  const std::vector<uint64_t> Stack = readStack(Message.drop_front(sizeof(N)));
  Names.seeHost(Stack);
  if (!Checks.Memory)
    return true;
  report({Kind::FailedLaunch, 0, hash(Stack)}, 0, [&] {
    Finding F;
    F.What = "Kernel " + Names.kernelName(N.kernel) +
             " couldn't be launched: " +
             std::string(N.error, strnlen(N.error, sizeof(N.error)));
    F.HostStack = Stack;
    F.Notes.push_back("the program didn't ask for the error, by "
                      "hipGetLastError()");
    return F;
  });
  return true;
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

LaunchRef Session::launchBegins(Launch L) {
  if (BeforeLaunch) {
    BeforeLaunch();
    // HSA has kernels that its loader doesn't list.
    L.IsRuntimes = !Names.hasCode(L.KernelObject) ||
                   llvm::StringRef(Names.kernelName(L.KernelObject))
                       .starts_with("__amd_rocclr_");
  }
  // Packets before it that aren't kernels' were reported, too.
  if (const auto It = HostStacks.find({L.Queue, L.PacketId});
      It != HostStacks.end()) {
    L.HostStack = std::move(It->second);
    HostStacks.erase(HostStacks.lower_bound({L.Queue, 0}), std::next(It));
  }
  Launches.add(L, [&] { return Names.kernelName(L.KernelObject); });
  const auto Ref = std::make_shared<const Launch>(std::move(L));
  for (const auto &C : Checks.All)
    C->launchBegins(Ref);
  return Ref;
}

void Session::launchEnds(const LaunchRef &L) {
  for (const auto &C : Checks.All)
    C->launchEnds(L);
}

void Session::waveBegins(const WaveInfo &W) {
  for (const auto &C : Checks.All)
    C->waveBegins(W);
}

void Session::waveEnds(const WaveInfo &W) {
  for (const auto &C : Checks.All)
    C->waveEnds(W);
}

void Session::waveRuns(WaveInfo &W, isa::Executor &On) {
  if (Observer.looksAt(W))
    for (const auto &C : Checks.All)
      C->waveRuns(W);
  Observer.waveRuns(W, On);
}

void Session::arrives(const WaveInfo &W, uint64_t PC, bool Grid) {
  for (const auto &C : Checks.All)
    C->arrives(W, PC, Grid);
}

void Session::released(const WaveInfo &W, bool Grid) {
  for (const auto &C : Checks.All)
    C->released(W, Grid);
}
