//===-- Findings.cpp - folding, text and JSON -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Findings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace wavelane::check;
using namespace llvm;

// How many distinct findings are counted, shown or not.
static constexpr size_t MaxEntries = 65536;

StringRef wavelane::check::spaceName(Space In) {
  static const StringRef Names[] = {"", "global", "local", "private"};
  return Names[unsigned(In)];
}

/// On the host, the place is the program's function, not HIP's.
FindingPlace Findings::place(const ReportedFinding &T) {
  const std::vector<Frame> &Frames =
      T.Here.Frames.empty() ? T.HostStack : T.Here.Frames;
  FindingPlace Place = {T.What, T.Here.Kernel, "", "", 0};
  if (const Frame *F = programFrame(Frames)) {
    Place.Function = F->Function;
    Place.File = F->File;
    Place.Line = F->Line;
  }
  return Place;
}

const ReportedFinding *Findings::add(const FindingKey &K, unsigned Lanes,
                                     function_ref<Finding()> Describe) {
  const uint64_t Stack = Calls.key(K.Stack);
  const Key At = {
      {unsigned(K.What), Stack ? uint64_t(hash_combine(K.PC, Stack)) : K.PC},
      K.OtherPC};
  auto It = Entries.find(At);
  const bool IsNew = It == Entries.end();
  if (IsNew) {
    if (Entries.size() >= MaxEntries) {
      ++Uncounted;
      return nullptr;
    }
    It = Entries.try_emplace(At).first;
  }
  Entry &E = It->second;
  ++E.Count;
  E.Lanes += Lanes;
  if (E.Shown) {
    E.Shown->Count = E.Count;
    E.Shown->Lanes = E.Lanes;
  }
  if (!IsNew)
    return nullptr;
  if (Shown.size() >= Wanted.Max) {
    ++Unreported[unsigned(checkOf(K.What))];
    return nullptr;
  }
  std::unique_ptr<ReportedFinding> T = makeReported(K.What, Describe());
  if (Wanted.Suppressed.matches(place(*T))) {
    ++Suppressed;
    return nullptr;
  }
  if (Wanted.Rank)
    T->Raw.Notes.push_back("in rank " + std::to_string(*Wanted.Rank));
  T->Id = unsigned(Shown.size()) + Wanted.FirstId;
  T->Count = E.Count;
  T->Lanes = E.Lanes;
  E.Shown = T.get();
  Shown.push_back(std::move(T));
  return Shown.back().get();
}

std::unique_ptr<ReportedFinding> Findings::makeReported(Kind What, Finding F) {
  auto T = std::make_unique<ReportedFinding>();
  T->What = What;
  auto Name = [&](const Place &At) {
    ReportedPlace Out;
    Out.At = At;
    if (At.Kernel) {
      Out.Kernel = Names.kernelName(At.Kernel->KernelObject);
      Out.Launched = Names.hostFrames(At.Kernel->HostStack);
      // k<<<...>>>() calls a function that the compiler has made.
      erase_if(Out.Launched, [](const Frame &F) {
        return StringRef(F.Function).starts_with("__device_stub__");
      });
    }
    if (!At.PC)
      return Out;
    Out.Frames = Names.frames(At.PC);
    // The calling instructions have 4 bytes.
    for (const uint64_t Return : Calls.returns(At.Stack))
      append_range(Out.Frames, Names.frames(Return - 4));
    return Out;
  };
  T->Here = Name(F.Here);
  if (F.Other)
    T->Other = Name(*F.Other);
  T->Variable = F.Variable.empty() ? Names.variable(F) : F.Variable;
  // The nearest block, of an access that may have meant another.
  if (T->Variable.empty() && F.Block && F.Here.Kernel && F.Here.PC &&
      F.Address - F.Block->Address >= F.Block->Size)
    if (const std::vector<std::string> Into =
            Names.argumentsInto(*F.Here.Kernel, *F.Block);
        !Into.empty())
      F.Notes.push_back(join(Into, " and ") +
                        (Into.size() == 1 ? " points" : " point") + " into it");
  T->HostStack = Names.hostFrames(F.HostStack);
  T->CopyStack = Names.hostFrames(F.CopyStack);
  if (F.Block) {
    T->Made = Names.hostFrames(F.Block->Made);
    T->Freed = Names.hostFrames(F.Block->Freed);
  }
  T->Raw = std::move(F);
  return T;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string wavelane::check::numberList(ArrayRef<uint32_t> Numbers) {
  std::string Out;
  while (!Numbers.empty()) {
    size_t Count = 1;
    while (Count < Numbers.size() && Numbers[Count] == Numbers[Count - 1] + 1)
      ++Count;
    Out += (Out.empty() ? "" : ", ") + std::to_string(Numbers.front());
    if (Count > 1)
      Out += "-" + std::to_string(Numbers[Count - 1]);
    Numbers = Numbers.drop_front(Count);
  }
  return Out;
}

std::string wavelane::check::laneList(uint64_t Lanes) {
  std::vector<uint32_t> Numbers;
  for (uint32_t I = 0; I < 64; ++I)
    if (Lanes >> I & 1)
      Numbers.push_back(I);
  return numberList(Numbers);
}

std::string wavelane::check::hex(uint64_t Value) {
  return "0x" + utohexstr(Value, /*LowerCase=*/true);
}

/// \param IsOnHost Then a function without a line is named without its address,
/// which differs in each run.
static std::string frameText(const Frame &F, bool IsOnHost = false) {
  std::string Out = F.Function.empty() ? hex(F.Address) : F.Function;
  if (F.Line)
    Out += formatv(", {0}:{1}{2}",
                   StringRef(F.File).substr(StringRef(F.File).rfind('/') + 1),
                   F.Line, F.Column ? ":" + std::to_string(F.Column) : "")
               .str();
  else if (!F.Function.empty() && F.Address && !IsOnHost)
    Out += ", " + hex(F.Address);
  return Out + (F.IsInlined ? " (inlined)" : "");
}

static std::string tuple(const uint32_t (&V)[3]) {
  return formatv("({0},{1},{2})", V[0], V[1], V[2]).str();
}

namespace {
class Writer {
public:
  std::string Out;
  void line(const Twine &Text, unsigned Indent = 4) {
    Out.append(Indent, ' ');
    Out += Text.str();
    Out += '\n';
  }
  void frames(StringRef Title, const std::vector<Frame> &Frames) {
    if (Frames.empty())
      return;
    line(Title);
    for (const Frame &F : Frames)
      line(frameText(F, /*IsOnHost=*/true), 6);
  }
  /// The text of its line, with a mark at its column.
  void source(const Frame &F) {
    const std::string Source = sourceLine(F);
    if (Source.empty())
      return;
    line(formatv("{0,6} | {1}", F.Line, Source).str(), 0);
    if (!F.Column || F.Column > Source.size())
      return;
    std::string Marker(F.Column - 1, ' ');
    for (size_t I = 0; I < Marker.size(); ++I)
      if (Source[I] == '\t')
        Marker[I] = '\t';
    line("       | " + Marker + "^", 0);
  }
  void place(const ReportedPlace &P) {
    // The program's own line, then the functions of HIP that it uses, then its
    // callers.
    if (const Frame *const Own = programFrame(P.Frames)) {
      line("at " + frameText(*Own));
      source(*Own);
      const ArrayRef<Frame> Frames = P.Frames;
      const size_t Inner = size_t(Own - Frames.data());
      for (const Frame &F : reverse(Frames.take_front(Inner)))
        line("by " + frameText(F));
      for (const Frame &F : Frames.drop_front(Inner + 1))
        line("in " + frameText(F));
    }
    if (!P.At.Kernel)
      return;
    line(formatv("in kernel {0} (launch {1} on {2})", P.Kernel,
                 P.At.Kernel->Number,
                 wavelane::gpu::get(P.At.Kernel->Processor).Name)
             .str());
    std::string Who = formatv("by workgroup {0}, wave {1}",
                              tuple(P.At.Workgroup), P.At.WaveInGroup)
                          .str();
    if (P.At.Lanes) {
      uint32_t Item[3], Last[3];
      P.At.workItem(unsigned(llvm::countr_zero(P.At.Lanes)), Item);
      P.At.workItem(63 - unsigned(llvm::countl_zero(P.At.Lanes)), Last);
      const bool IsOne = llvm::popcount(P.At.Lanes) == 1;
      Who += formatv(", lane{0} {1}: work-item{0} {2}{3}", IsOne ? "" : "s",
                     laneList(P.At.Lanes), tuple(Item),
                     IsOne ? "" : " to " + tuple(Last))
                 .str();
    }
    line(Who);
  }
};
} // namespace

std::string Findings::text(const ReportedFinding &T) {
  Writer W;
  W.line(
      formatv("{0} [{1} #{2}]", T.Raw.What, name(checkOf(T.What)), T.Id).str(),
      0);
  W.place(T.Here);
  W.frames(T.Raw.IsHostAccess ? "accessed by the host" : "called by the host",
           T.HostStack);
  if (T.Raw.Memory != Space::None && T.Raw.Size)
    W.line(formatv("address {0}{1}", hex(T.Raw.Address),
                   T.Variable.empty() ? "" : ", which is " + T.Variable)
               .str());
  for (const std::string &Note : T.Raw.Notes)
    W.line(Note);
  if (T.Other) {
    W.line("the other: " + T.Raw.OtherWhat);
    W.place(*T.Other);
  }
  W.frames("the other: called by the host", T.CopyStack);
  W.frames("the kernel was launched by", T.Here.Launched);
  if (T.Other && T.Other->At.Kernel != T.Here.At.Kernel)
    W.frames("the other: the kernel was launched by", T.Other->Launched);
  W.frames("the memory was freed by", T.Freed);
  if (T.What != Kind::Leak)
    W.frames("the memory was allocated by", T.Made);
  return W.Out;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Array triple(const uint32_t (&V)[3]) {
  return json::Array{int64_t(V[0]), int64_t(V[1]), int64_t(V[2])};
}

static json::Array framesJSON(const std::vector<Frame> &Frames) {
  json::Array Out;
  for (const Frame &F : Frames) {
    json::Object O{{"address", hex(F.Address)}};
    if (!F.Function.empty())
      O["function"] = json::fixUTF8(F.Function);
    if (F.Line) {
      O["file"] = json::fixUTF8(F.File);
      O["line"] = int64_t(F.Line);
      O["column"] = int64_t(F.Column);
      if (std::string Source = sourceLine(F); !Source.empty())
        O["source"] = json::fixUTF8(Source);
    }
    if (F.IsInlined)
      O["inlined"] = true;
    Out.push_back(std::move(O));
  }
  return Out;
}

static StringRef name(AccessKind K) {
  static const StringRef Names[] = {"", "read", "write", "atomic"};
  return Names[unsigned(K)];
}

static json::Object placeJSON(const ReportedPlace &P) {
  json::Object O{{"pc", hex(P.At.PC)}, {"frames", framesJSON(P.Frames)}};
  if (P.At.Access != AccessKind::None)
    O["access"] = name(P.At.Access);
  if (const Launch *L = P.At.Kernel.get()) {
    O["kernel"] = json::fixUTF8(P.Kernel);
    O["launch"] = int64_t(L->Number);
    O["gpu"] = wavelane::gpu::get(L->Processor).Name;
    O["queue"] = int64_t(L->Queue);
    O["packet"] = int64_t(L->PacketId);
    if (!P.Launched.empty())
      O["launchStack"] = framesJSON(P.Launched);
    O["workgroup"] = triple(P.At.Workgroup);
    O["wave"] = int64_t(P.At.WaveInGroup);
    json::Array Lanes, Items;
    for (unsigned I = 0; I < L->LaneCount; ++I) {
      if (!(P.At.Lanes >> I & 1))
        continue;
      uint32_t Item[3];
      P.At.workItem(I, Item);
      Lanes.push_back(int64_t(I));
      Items.push_back(triple(Item));
    }
    O["lanes"] = std::move(Lanes);
    O["workItems"] = std::move(Items);
  }
  return O;
}

json::Object Findings::json(const ReportedFinding &T) {
  json::Object O{
      {"id", int64_t(T.Id)},         {"check", check::name(checkOf(T.What))},
      {"kind", check::name(T.What)}, {"text", json::fixUTF8(T.Raw.What)},
      {"count", int64_t(T.Count)},   {"laneCount", int64_t(T.Lanes)}};
  if (T.Here.At.PC)
    O["here"] = placeJSON(T.Here);
  if (T.Other) {
    json::Object Other = placeJSON(*T.Other);
    Other["text"] = json::fixUTF8(T.Raw.OtherWhat);
    O["other"] = std::move(Other);
  }
  if (!T.HostStack.empty())
    O["hostStack"] = framesJSON(T.HostStack);
  if (!T.CopyStack.empty())
    O["copyStack"] = framesJSON(T.CopyStack);
  if (T.Raw.Memory != Space::None) {
    O["addressSpace"] = spaceName(T.Raw.Memory);
    O["address"] = hex(T.Raw.Address);
    if (T.Raw.Size)
      O["size"] = int64_t(T.Raw.Size);
  }
  if (!T.Variable.empty())
    O["variable"] = json::fixUTF8(T.Variable);
  if (const Allocation *B = T.Raw.Block.get()) {
    static const StringRef Kinds[] = {"device", "host", "managed", "registered",
                                      "internal"};
    json::Object Block{{"address", hex(B->Address)},
                       {"size", int64_t(B->Size)},
                       {"kind", Kinds[B->What]},
                       {"made", framesJSON(T.Made)}};
    if (B->IsFreed)
      Block["freed"] = framesJSON(T.Freed);
    O["allocation"] = std::move(Block);
  }
  json::Array Notes;
  for (const std::string &Note : T.Raw.Notes)
    Notes.push_back(json::fixUTF8(Note));
  O["notes"] = std::move(Notes);
  return O;
}

json::Object Findings::fullJson(const ReportedFinding &T) {
  json::Object O = json(T);
  O["report"] = json::fixUTF8(text(T));
  O["suppression"] = json::fixUTF8(Suppressions::suggest(place(T)));
  return O;
}

json::Value Findings::json(StringRef Program) const {
  json::Array List, Missing, Checks;
  json::Object More;
  uint64_t AllMore = 0;
  for (const auto &T : Shown)
    List.push_back(fullJson(*T));
  for (const std::string &What : NotChecked)
    Missing.push_back(json::fixUTF8(What));
  for (unsigned I = 0; I < CheckCount; ++I)
    if (Wanted.has(CheckId(I)))
      Checks.push_back(check::name(CheckId(I)));
  for (unsigned I = 0; I < CheckCount; ++I) {
    AllMore += Unreported[I];
    if (Unreported[I])
      More[check::name(CheckId(I))] = int64_t(Unreported[I]);
  }
  json::Object Report{{"program", json::fixUTF8(Program)},
                      {"checks", std::move(Checks)},
                      {"findings", std::move(List)},
                      {"suppressed", int64_t(Suppressed)},
                      {"unreported", int64_t(AllMore)},
                      {"unreportedByCheck", std::move(More)},
                      {"uncounted", int64_t(Uncounted)},
                      {"notChecked", std::move(Missing)}};
  if (Wanted.Rank)
    Report["rank"] = int64_t(*Wanted.Rank);
  return Report;
}
