//===-- HistoryMessages.h - requests about a recording ----------*- C++ -*-===//
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests that simulator::MessageType::HistoryRequest carries to the
// simulated device, and their answers. Positions count the instructions of all
// waves, and a wave's number is its number in the recording; its id is the
// debugger's. All queues must be suspended. An answer is a Failure if it can't
// be done.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_DEVICE_HISTORYMESSAGES_H
#define WAVELANE_PROTOCOL_DEVICE_HISTORYMESSAGES_H

#include "wavelane/Protocol/Fields.h"

namespace wavelane::protocol {

/// Where the waves are in what is recorded; a part of every answer.
struct HistoryState {
  bool Recording = false;
  bool Idle = false; ///< of a core: all its waves have ended
  // If something is recorded:
  uint64_t Begin = 0, Now = 0, Position = 0;
  bool InPast = false;
  bool Dropped = false; ///< the oldest part is gone,
  bool Unread = false;  ///< or can't be read
  uint64_t Bytes = 0;
  uint64_t Snapshots = 0;
  uint64_t Repeated = 0; ///< how many instructions the past has taken

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("recording", S.Recording);
    F("idle", S.Idle, false);
    if (!S.Recording)
      return;
    F("begin", S.Begin);
    F("now", S.Now);
    F("position", S.Position);
    F("past", S.InPast);
    F("dropped", S.Dropped, false);
    F("unread", S.Unread, false);
    F("bytes", S.Bytes);
    F("snapshots", S.Snapshots);
    F("repeated", S.Repeated);
  }
};

/// A trap in the code, with the program's own bytes.
struct HistoryTrap {
  uint64_t Address = 0;
  Bytes Original;
  bool Stops = true; ///< it is a breakpoint

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("address", S.Address);
    F("bytes", S.Original);
    F("stops", S.Stops, true);
  }
};

/// Asks for the state.
struct WhereRequest {
  static constexpr llvm::StringLiteral Do = "where";
  using Answer = HistoryState;
  template <typename Self, typename Fields> static void map(Self &, Fields &) {}
};

/// Begins or ends to record: nothing is recorded before a debugger asks for it,
/// since not all can go back.
struct RecordRequest {
  static constexpr llvm::StringLiteral Do = "record";
  using Answer = HistoryState;
  bool On = true;
  std::optional<uint64_t> Limit; ///< bytes

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("on", S.On, true);
    F("limit", S.Limit);
  }
};

struct GoAnswer : HistoryState {
  /// Where the record of the wave that was asked for is, in the save area of
  /// its queue,
  std::optional<uint32_t> Queue;
  std::optional<uint64_t> Index;
  /// and its id, which the debugger library finds.
  std::optional<uint64_t> Wave;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("queue", S.Queue);
    F("index", S.Index);
    F("wave", S.Wave);
  }
};

/// Moves the waves to a position.
struct GoRequest {
  static constexpr llvm::StringLiteral Do = "go";
  using Answer = GoAnswer;
  uint64_t Position = 0;
  std::optional<uint32_t> Number; ///< the wave that the answer is about
  uint32_t Watches = 0;           ///< those that it has hit there, a bit each
  std::vector<HistoryTrap> Breakpoints;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("position", S.Position);
    F("number", S.Number);
    F("watches", S.Watches, 0);
    F("breakpoints", S.Breakpoints, std::vector<HistoryTrap>());
  }
};

enum class HitKind : uint8_t { Breakpoint, Watch, Trap, Exception };
llvm::ArrayRef<Word<HitKind>> getWords(HitKind);

/// A stop in what is recorded.
struct HistoryHit {
  uint64_t Position = 0;
  uint32_t Number = 0;
  uint64_t Wave = 0; ///< its id; 0 if no debugger has seen it yet
  uint64_t PC = 0;
  HitKind Why = HitKind::Breakpoint;
  LaneMask Lanes;
  /// The watches, a bit each; the trap's number; or the exception's flags.
  uint32_t Code = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("position", S.Position);
    F("number", S.Number);
    F("wave", S.Wave);
    F("pc", S.PC);
    F("why", S.Why);
    F("lanes", S.Lanes);
    F("code", S.Code);
  }
};

struct ScanAnswer : HistoryState {
  uint64_t From = 0, To = 0;
  std::vector<HistoryHit> Hits;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("from", S.From);
    F("to", S.To);
    F("hits", S.Hits);
  }
};

/// Looks for stops in a part of the recording that ends or begins at a
/// position, up to a snapshot. The waves are somewhere in it then, and aren't
/// shown before the next GoRequest.
struct ScanRequest {
  static constexpr llvm::StringLiteral Do = "scan";
  using Answer = ScanAnswer;
  std::optional<uint64_t> Before, After; ///< one of them
  std::vector<HistoryTrap> Breakpoints;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("before", S.Before);
    F("after", S.After);
    F("breakpoints", S.Breakpoints, std::vector<HistoryTrap>());
  }
};

struct StepAnswer : HistoryState {
  uint32_t Number = 0;          ///< of the wave
  std::optional<uint64_t> Step; ///< the position of that instruction
  bool Begins = false;          ///< there is none because the wave begins here

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("number", S.Number);
    F("step", S.Step);
    F("begins", S.Begins, false);
  }
};

/// Looks for the last instruction of a wave before the current position, or its
/// next one.
struct StepRequest {
  static constexpr llvm::StringLiteral Do = "step";
  using Answer = StepAnswer;
  std::optional<uint32_t> Number; ///< one of both
  std::optional<uint64_t> Wave;   ///< an id
  bool Forward = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("number", S.Number);
    F("wave", S.Wave);
    F("forward", S.Forward, false);
  }
};

enum class BackKind : uint8_t {
  Over,            ///< To the beginning of this line, or of the line before.
  Into,            ///< The same, also in functions that were called.
  Out,             ///< To the call of this function, or the kernel's beginning.
  InstructionOver, ///< Calls are one instruction.
};
llvm::ArrayRef<Word<BackKind>> getWords(BackKind);

/// What an instruction belongs to in one of the functions that it is in.
struct CodeLevel {
  /// A number that the asker gives the line, in that function; of a call that
  /// is inlined there, the call's. 0: of no line.
  uint32_t Line = 0;
  /// A number that the asker gives each copy of an inlined function.
  uint32_t Function = 0;
};
bool operator==(const CodeLevel &A, const CodeLevel &B);

/// Instructions in a row that have in common what a step back asks of code:
/// [address, bytes, levels, begins, flags].
struct CodeRun {
  uint64_t Begin = 0;
  uint64_t Size = 0; ///< in bytes
  /// Of the function, and of those inlined in it, the innermost one last.
  std::vector<CodeLevel> Levels = std::vector<CodeLevel>(1);
  /// How many of the inlined functions, the innermost ones, begin with the
  /// first of the instructions.
  uint32_t Begins = 0;
  bool Calls = false;
  bool JumpsFar = false;  ///< it returns, or jumps to any address
  bool SavesExec = false; ///< EXEC has other lanes than those that execute

  /// How many inlined functions it is in.
  uint32_t depth() const { return uint32_t(Levels.size() - 1); }
};
bool operator==(const CodeRun &A, const CodeRun &B);
llvm::json::Value toJSON(const CodeRun &Run);
bool fromJSON(const llvm::json::Value &Value, CodeRun &Run,
              llvm::json::Path At);

struct BackAnswer : HistoryState {
  bool Done = false;
  /// Where the step ends. None: where it has begun.
  std::optional<uint64_t> Target;
  /// How many inlined functions it is shown in there. Without a target: none if
  /// nothing is recorded before.
  std::optional<uint32_t> Depth;
  /// An instruction that is in no CodeRun: the search continues with it.
  std::optional<uint64_t> Unknown;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("done", S.Done);
    F("target", S.Target);
    F("depth", S.Depth);
    F("unknown", S.Unknown);
  }
};

/// Looks for where a step back of a lane ends, up to a snapshot; then it goes
/// on with the next request. The waves aren't shown before the next GoRequest.
struct BackRequest {
  static constexpr llvm::StringLiteral Do = "back";
  using Answer = BackAnswer;
  uint64_t Wave = 0; ///< an id
  BackKind Kind = BackKind::Over;
  uint32_t Lane = 0;
  uint64_t PC = 0;
  /// How many inlined functions the wave is shown in: all, if it isn't given.
  std::optional<uint32_t> Depth;
  bool Continues = false; ///< the search that has begun
  std::vector<CodeRun> Code;
  std::vector<HistoryTrap> Breakpoints;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("wave", S.Wave);
    F("kind", S.Kind);
    F("lane", S.Lane);
    F("pc", S.PC);
    F("depth", S.Depth);
    F("continues", S.Continues, false);
    F("code", S.Code);
    F("breakpoints", S.Breakpoints, std::vector<HistoryTrap>());
  }
};

/// A debugger is about to write memory.
struct WroteRequest {
  static constexpr llvm::StringLiteral Do = "wrote";
  using Answer = HistoryState;
  uint64_t Address = 0;
  Bytes Data;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("address", S.Address);
    F("bytes", S.Data);
  }
};

enum class HostActionKind : uint8_t { Copy, Fill, Launch };
llvm::ArrayRef<Word<HostActionKind>> getWords(HostActionKind);

/// What the program has asked its runtime for.
struct HostAction {
  uint64_t Position = 0;
  HostActionKind What = HostActionKind::Copy;
  uint64_t To = 0;                ///< of a launch: the kernel's entry
  std::optional<uint64_t> From;   ///< of a copy
  std::optional<uint64_t> Size;   ///< of a copy or fill
  std::optional<uint64_t> Packet; ///< of a launch
  std::optional<uint32_t> Queue;
  std::vector<uint64_t> Callers; ///< innermost first

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("position", S.Position);
    F("what", S.What);
    F("to", S.To);
    F("from", S.From);
    F("size", S.Size);
    F("packet", S.Packet);
    F("queue", S.Queue);
    F("callers", S.Callers, std::vector<uint64_t>());
  }
};

struct CrossedAnswer : HistoryState {
  uint64_t Count = 0; ///< of all
  std::vector<HostAction> Actions;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("count", S.Count);
    F("actions", S.Actions);
  }
};

/// Asks for what the program has done between two positions.
struct CrossedRequest {
  static constexpr llvm::StringLiteral Do = "crossed";
  using Answer = CrossedAnswer;
  uint64_t From = 0, To = 0;
  uint64_t Most = DefaultMost;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("from", S.From);
    F("to", S.To);
    F("most", S.Most, DefaultMost);
  }
  static constexpr uint64_t DefaultMost = 1 << 10;
};

struct CoversAnswer : HistoryState {
  bool Covers = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("covers", S.Covers);
  }
};

/// Asks whether memory is recorded.
struct CoversRequest {
  static constexpr llvm::StringLiteral Do = "covers";
  using Answer = CoversAnswer;
  uint64_t Address = 0, Size = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("address", S.Address);
    F("size", S.Size);
  }
};

/// Forgets what comes after the current position, so that it becomes the
/// present. The host isn't taken back.
struct ForkRequest {
  static constexpr llvm::StringLiteral Do = "fork";
  using Answer = HistoryState;
  template <typename Self, typename Fields> static void map(Self &, Fields &) {}
};

//===-- Origins -----------------------------------------------------------===//

enum class CellSpace : uint8_t {
  Scalar,
  Vector,
  Acc,
  SCC,
  Global,
  Local,
  Private
};
llvm::ArrayRef<Word<CellSpace>> getWords(CellSpace);

/// A dword that a lane of a wave can see.
struct OriginCell {
  CellSpace Space = CellSpace::Scalar;
  uint64_t Index = 0; ///< a register, or an address divided by 4
  uint32_t Lane = 0;
  uint32_t Bits = ~uint32_t(0); ///< a mask of those wanted

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("space", S.Space);
    F("index", S.Index);
    F("lane", S.Lane, 0);
    F("bits", S.Bits, ~uint32_t(0));
  }
};

enum class Comparison : uint8_t {
  IsNaN,
  IsInf,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual
};
llvm::ArrayRef<Word<Comparison>> getWords(Comparison);

struct OriginCondition {
  Comparison Is = Comparison::IsNaN;
  double Number = 0;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("is", S.Is);
    F("number", S.Number, 0.0);
  }
};

enum class OriginKind : uint8_t {
  Step,
  Constant,
  Argument,
  Packet,
  Start,
  Unset,
  Store,
  Debugger,
  Host,
  Earlier,
  TooMany,
  Limit
};
llvm::ArrayRef<Word<OriginKind>> getWords(OriginKind);

/// Something that has given a value. The first one of an answer is the value
/// itself. What isn't known, or has no meaning for its kind, is left out.
struct OriginNode {
  OriginKind Kind = OriginKind::Step;
  uint64_t Position = 0;
  uint32_t Number = 0; ///< of its wave, or of the one that runs next (Host)
  std::optional<uint64_t> PC;
  std::string Instruction;
  bool Copies = false;
  std::optional<uint32_t> Lane;
  std::string Type;
  std::string Value;  ///< hexadecimal digits, the highest first
  uint32_t Bits = 32; ///< of the value
  std::optional<uint32_t> MaskBits;
  /// Of a dword of a value of two: 0 for the lower one,
  std::optional<uint32_t> Half;
  /// the value, its type, and the node of the other dword.
  std::string Whole, WholeType;
  std::optional<uint64_t> OtherHalf;
  std::optional<CellSpace> Space;
  std::optional<uint64_t> Index; ///< a register, or an address
  std::string What;              ///< what a register has at the start
  std::optional<uint64_t> Detail;
  std::optional<HostAction> Action;
  bool IsOther = false; ///< the condition doesn't hold
  std::vector<uint64_t> Inputs;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("kind", S.Kind);
    F("position", S.Position);
    F("number", S.Number);
    F("pc", S.PC);
    F("instruction", S.Instruction, "");
    F("copy", S.Copies, false);
    F("lane", S.Lane);
    F("type", S.Type, "");
    F("value", S.Value, "");
    F("bits", S.Bits, 32);
    F("mask_bits", S.MaskBits);
    F("half", S.Half);
    F("whole", S.Whole, "");
    F("whole_type", S.WholeType, "");
    F("other_half", S.OtherHalf);
    F("space", S.Space);
    F("index", S.Index);
    F("what", S.What, "");
    F("detail", S.Detail);
    F("action", S.Action);
    F("other", S.IsOther, false);
    F("inputs", S.Inputs);
  }
};

/// A wave that nodes are of.
struct OriginWave {
  uint32_t Number = 0;
  uint64_t Wave = 0; ///< its id; 0 if no debugger has seen it
  Triple Group{};
  uint32_t Index = 0; ///< in its workgroup
  uint64_t Entry = 0; ///< of its kernel

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("number", S.Number);
    F("wave", S.Wave, 0);
    F("group", S.Group);
    F("index", S.Index);
    F("entry", S.Entry);
  }
};

struct OriginAnswer : HistoryState {
  bool Done = false;
  uint64_t At = 0; ///< down to where it has been looked
  std::vector<OriginNode> Nodes;
  std::vector<OriginWave> Waves;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    HistoryState::map(S, F);
    F("done", S.Done);
    F("at", S.At);
    if (!S.Done)
      return;
    F("nodes", S.Nodes);
    F("waves", S.Waves);
  }
};

/// Looks for what gave some dwords their values (Device/Origin.h). Without
/// cells it goes on with the search that has begun. The waves aren't shown
/// before the next GoRequest.
struct OriginRequest {
  static constexpr llvm::StringLiteral Do = "origin";
  using Answer = OriginAnswer;
  std::optional<uint32_t> Number; ///< of the wave; one of both
  std::optional<uint64_t> Wave;   ///< an id
  std::vector<OriginCell> Cells;
  std::string Type; ///< as instructions call it: "f32"
  std::optional<OriginCondition> Until;
  bool History = false; ///< what the place had before, not the inputs
  uint64_t Most = DefaultMost;
  std::vector<HistoryTrap> Breakpoints;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("number", S.Number);
    F("wave", S.Wave);
    F("cells", S.Cells, std::vector<OriginCell>());
    F("type", S.Type, "");
    F("until", S.Until);
    F("history", S.History, false);
    F("most", S.Most, DefaultMost);
    F("breakpoints", S.Breakpoints, std::vector<HistoryTrap>());
  }
  static constexpr uint64_t DefaultMost = 2000;
};

using HistoryRequest =
    std::variant<WhereRequest, RecordRequest, GoRequest, ScanRequest,
                 StepRequest, BackRequest, WroteRequest, CrossedRequest,
                 CoversRequest, OriginRequest, ForkRequest>;

//===-- From LLDB ---------------------------------------------------------===//

struct Empty {
  template <typename Self, typename Fields> static void map(Self &, Fields &) {}
};

/// The next "bs" or "s" of that wave goes there.
struct TargetRequest {
  static constexpr llvm::StringLiteral Do = "target";
  using Answer = protocol::Empty;
  uint64_t Wave = 0; ///< an id
  uint64_t Position = 0;
  std::optional<uint32_t> Number; ///< of another wave, which is shown

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("wave", S.Wave);
    F("position", S.Position);
    F("number", S.Number);
  }
};

/// The next "c" goes to the present.
struct PresentRequest {
  static constexpr llvm::StringLiteral Do = "present";
  using Answer = protocol::Empty;
  template <typename Self, typename Fields> static void map(Self &, Fields &) {}
};

/// The arguments of server::packets::Time.
using TimeRequest = std::variant<WhereRequest, RecordRequest, BackRequest,
                                 TargetRequest, PresentRequest, OriginRequest,
                                 CrossedRequest, CoversRequest, ForkRequest>;

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_DEVICE_HISTORYMESSAGES_H
