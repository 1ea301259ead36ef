//===-- Origin.h - where a lane's value comes from --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search goes back through what a wave has executed, from the registers or
// the memory that hold a value, over the instructions that wrote them, to those
// that gave these their inputs, and so on. The past is repeated window by
// window, the latest first: an observer notes what each instruction reads and
// writes, and the notes are then walked backwards. The history drives it
// (HistoryOrigin.cpp).
//
// Only data is followed: not the address of a load, nor the branches that led
// to an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_ORIGIN_H
#define WAVELANE_SIMULATOR_DEVICE_ORIGIN_H

#include "HostActions.h"
#include "Queue.h"

#include "wavelane/Protocol/Device/HistoryMessages.h"
#include "wavelane/Simulator/ISA/Observer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wavelane::simulator {

/// A dword that a lane of a wave can see.
struct Cell {
  enum Space : uint8_t {
    Scalar, ///< Index is one of isa::scalar
    Vector,
    Acc,
    SCC,
    Global,  ///< Index is the address divided by 4, as for the following
    Local,   ///< of the wave's workgroup
    Private, ///< of the lane
  };
  Space In = Scalar;
  uint8_t Lane = 0; ///< of Vector, Acc and Private
  uint64_t Index = 0;

  bool isMemory() const { return In >= Global; }
  uint64_t key() const {
    return uint64_t(In) << 60 | uint64_t(Lane) << 52 | Index;
  }
};

class Origin : public isa::Observer {
public:
  /// The wave whose value it is. It exists at the position where the search
  /// begins.
  struct Subject {
    uint32_t Number = 0, Queue = 0;
    uint64_t PacketId = 0;
    uint32_t Group[3] = {};
    uint64_t Kernarg = 0, KernargSize = 0, Packet = 0;
    KernelSetup Kernel;
  };

  static llvm::Expected<std::unique_ptr<Origin>>
  create(const protocol::OriginRequest &Request, const Subject &Of,
         uint64_t Position);

  //===-- One window ------------------------------------------------------===//

  /// Begins a window.
  /// \param WaveBegins  The wave doesn't exist yet at its beginning.
  void beginWindow(bool WaveBegins, bool GroupBegins);
  /// The wave that runs next, and the position of its next instruction.
  void runs(const simulator::Queue &Q, const Wave &W, uint64_t Position);
  /// Bits of isa::observe:: that are of interest in that wave.
  unsigned wants() const;
  /// A debugger is about to change a wave's registers and local memory.
  void changes(const simulator::Queue &Q, const Wave &W,
               const isa::WaveState &To, llvm::ArrayRef<uint8_t> LDS,
               uint64_t Position);
  /// A debugger, or the host while waves run, is about to write memory.
  /// \param Own  The wave whose value it is, or null if it isn't there.
  void wrote(uint64_t Address, llvm::ArrayRef<uint8_t> Bytes, uint64_t Position,
             bool ByHost, const Wave *Own);
  bool needsAccesses(const isa::AccessBounds &B) override;
  bool before(const isa::WaveState &W,
              const isa::ObservedInstruction &I) override;
  void after(const isa::WaveState &W,
             const isa::ObservedInstruction &I) override;

  using ReadMemory =
      llvm::function_ref<std::optional<uint32_t>(uint64_t Address)>;
  /// Walks back over the window, to its beginning or to where the notes begin,
  /// which is returned.
  /// \param Actions  What the host did.
  /// \param AtEnd  Reads memory as the next window has it.
  uint64_t walk(uint64_t Begin, uint64_t End, const HostActions &Actions,
                ReadMemory AtEnd);
  /// Ends the window. What no instruction has written, and is different at the
  /// beginning of the window after it, was written by the host.
  /// \param End  The position of that beginning.
  void endWindow(uint64_t End, ReadMemory AtBegin, ReadMemory AtEnd);
  /// Nothing is recorded before.
  void reachBeginning(uint64_t Begin, ReadMemory Read);

  /// Whether what the wave executed is still of interest.
  bool needsWave() const { return OwnNeeds != 0; }
  bool needsGroup() const; ///< and the waves of its workgroup
  bool isOf(uint32_t Number) const { return Number == Of.Number; }
  const Subject &subject() const { return Of; }
  /// Whether memory at an address is.
  void forEachPage(llvm::function_ref<void(uint64_t Address)> Do) const;
  bool isDone() const { return Needs.empty(); }
  uint64_t position() const { return At; }

  /// Adds what has been found, without the waves' ids and the host's actions.
  void takeAnswer(protocol::OriginAnswer &To);

private:
  /// An access of memory that an instruction has made.
  struct Move {
    uint64_t Address;
    uint16_t Register;
    uint8_t Size, Lane;
    isa::LaneAccess::Space In;
    isa::Access Kind;
    isa::RegisterRange::File File;
    bool High, InRange;
    uint32_t ValueAt; ///< in Event::Values, of a write
    uint8_t dwords() const { return uint8_t((Size + 3) / 4); }
  };
  struct Event {
    uint64_t Position = 0, PC = 0;
    uint32_t Number = 0; ///< the wave's
    const gpu::InstructionFacts *Facts = &gpu::InstructionFacts::none();
    isa::InstClass Class = isa::InstClass::Other;
    enum : uint8_t { Ran, Changed } Kind = Ran;
    bool IsLoad = false, IsAtomic = false;
    uint64_t Exec = 0;
    llvm::SmallVector<isa::RegisterRange, 0> Reads, Writes;
    std::vector<std::array<uint8_t, 64>> Sources; ///< of FromLane, in order
    std::vector<Move> Moves;
    /// What moves have written; from WrittenAt on, what each range of Writes
    /// has been given, register by register, lane by lane.
    std::vector<uint32_t> Values;
    uint32_t WrittenAt = 0;
    /// If the result is one of the operands, or a part of one: what each range
    /// of Reads has, in the same way.
    std::vector<uint32_t> Choices;
    struct Change {
      Cell Of;
      uint32_t Bits, Value;
    };
    std::vector<Change> Changes; ///< Changed: by a debugger or the host
    bool ByHost = false;
    uint64_t bytes() const;
  };
  /// From a value to what gave it, or one dword of it.
  struct Edge {
    unsigned Operand, Node;
    uint8_t Part = 0, Parts = 1; ///< which dword of the operand, of how many
  };
  /// A dword that is one of two of a value.
  struct Half {
    unsigned Part = 0;
    std::optional<uint64_t> Whole;
    std::string Type;   ///< of the whole value
    unsigned Other = 0; ///< the node of the other half; 0 if there is none
    bool operator==(const Half &O) const {
      return Part == O.Part && Whole == O.Whole && Type == O.Type;
    }
  };
  struct Node {
    enum Kind : uint8_t {
      Step,     ///< an instruction
      Constant, ///< an instruction without inputs
      Argument, ///< of the kernel; Detail is the offset
      Packet,   ///< of the launch
      Start,    ///< a register that the wave began with
      Unset,    ///< local or private memory that nothing has written
      Store,    ///< by another wave
      Debugger,
      Host,    ///< Detail is the index of the action, or it wrote by itself
      Earlier, ///< before the recording begins
      TooMany, ///< inputs, Detail of them
      Limit,   ///< of the number of steps
    } Is = Step;
    bool IsCopy = false;
    bool IsPair = false;  ///< a copy of both dwords of a 64-bit value
    uint8_t Followed = 0; ///< IsPair: bits of dwords
    bool IsOther = false; ///< the condition doesn't hold
    uint64_t Position = 0, PC = 0;
    uint32_t Number = 0;
    int Lane = -1; ///< or -1: of the whole wave
    const gpu::InstructionFacts *Facts = &gpu::InstructionFacts::none();
    std::string Type;
    Cell Place; ///< what was written or read
    unsigned Bits = 32;
    llvm::SmallVector<uint32_t, 2> Value;
    bool HasValue = false;
    uint32_t MaskBits = 0; ///< those that are asked for, if not all
    std::optional<uint64_t> Detail;
    std::vector<Edge> Inputs;
    std::optional<Half> Of; ///< set in the end
  };
  struct Need {
    unsigned Node;    ///< that wants it
    unsigned Operand; ///< of that node
    uint32_t Bits;
    uint32_t Since;              ///< the window in which it arose
    uint8_t Part = 0, Parts = 1; ///< as in Edge
  };
  struct Input {
    Cell Of;
    uint32_t Bits;
    unsigned Operand;
    uint8_t Part = 0, Parts = 1;
  };
  struct WaveName {
    uint32_t Group[3];
    unsigned Index;
    uint64_t Entry, PacketId, Queue;
  };

  explicit Origin(const Subject &Of) : Of(Of) {}

  // Recording.
  bool isOwn(const Wave &W) const { return W.Number == Of.Number; }
  bool isOwnGroup(const simulator::Queue &Q, const Wave &W) const;
  void push(Event E);
  static void read(const isa::WaveState &W, const isa::RegisterRange &R,
                   std::vector<uint32_t> &To);

  // Walking.
  void need(unsigned Node, const Input &I);
  /// \param Older  Only those that arose in another window.
  std::vector<Need> take(Cell C, uint32_t Bits, bool Older = false);
  template <class Match> std::vector<Cell> cellsNeeded(Match M) const;
  struct WindowEnd {
    uint64_t Position;
    ReadMemory Read;
  };
  void visit(const Event &E, const WindowEnd &End);
  void visitMoves(const Event &E, const WindowEnd &End);
  /// If the host has overwritten what an instruction has stored last in the
  /// window, that is where older needs end.
  void checkHost(const Event &E, const Move &M, Cell C, uint32_t Bits,
                 const WindowEnd &End);
  static std::optional<uint32_t> storedBy(const Event &E, const Move &M,
                                          Cell C);
  void apply(const HostActions::Action &A, size_t Index);
  /// An instruction of the wave has written bits of a cell that are needed.
  /// \param M  The access that did, or null for a register of
  ///     E.Writes[Range].
  void resolve(const Event &E, Cell C, uint32_t Written, int Lane,
               const Move *M, size_t Range);
  /// Ends the needs of a cell in nodes without inputs.
  void finish(Cell C, Node::Kind Is, uint64_t Position,
              std::optional<uint32_t> Value, uint32_t Bits,
              std::optional<uint64_t> Detail, const Event *E, int Lane,
              bool Older = false);
  void endOwn(bool Group);
  void giveUp();
  std::vector<Input> inputsOf(const Event &E, Cell C, uint32_t Bits,
                              const Move *M, size_t Range) const;
  void addMemory(std::vector<Input> &To, const Move &M, unsigned From,
                 unsigned Size, unsigned Operand) const;
  void addData(std::vector<Input> &To, const Move &M, unsigned Dword,
               uint32_t Bits) const;
  void addRange(std::vector<Input> &To, const Event &E, size_t Range, Cell C,
                uint32_t Bits, bool IsMask) const;
  uint32_t valueOf(const Event &E, size_t Range, Cell C) const;
  bool isCopy(const Event &E) const;
  /// If a dword of a result is one of an operand of two: that operand's range,
  /// and which of its dwords.
  std::optional<std::pair<size_t, unsigned>>
  movedFrom(const Event &E, size_t Range, Cell C) const;
  /// Whether a dword is copied together with the other half of its value.
  bool isPair(const Event &E, const Need &By, const Move *M, size_t Range,
              unsigned Dword) const;
  /// Lets the inputs of a half be halves, if they are.
  static void passHalf(std::vector<Input> &Inputs, const Need &By,
                       std::optional<unsigned> PairDword, bool IsCarry);
  std::string pairType(llvm::StringRef Wanted) const;
  unsigned nodeFor(const Event &E, Cell C, int Lane, uint64_t Piece,
                   const Need &By, bool IsCopy);
  void addLeaf(Node N, const Need &By);
  std::optional<bool> holds(const Node &N, const Event &E, Cell C,
                            const Move *M, size_t Range) const;
  std::optional<Half> halfOf(const Node &Parent, const Edge &E) const;
  void findHalves();
  std::string operandType(const Node &N) const;
  bool isKnownPlace(const Input &I, unsigned Parent);
  bool holds(const Node &N) const;
  static bool isHalf(const Node &N) {
    return N.Value.size() == 1 && llvm::StringRef(N.Type).ends_with("64");
  }
  protocol::OriginNode describe(const Node &N) const;

  const Subject Of;
  std::string RootType;
  bool WantsHistory = false; ///< only who wrote the cells before
  size_t Most = 0;           ///< nodes
  std::optional<protocol::OriginCondition> Until;

  // The window.
  std::deque<Event> Events;
  Event Pending; ///< is being executed
  uint64_t EventBytes = 0;
  bool IsShort = false; ///< the oldest events were dropped
  bool WaveBegins = false, GroupBegins = false;
  uint32_t WindowNumber = 0;
  bool RunsFirst = false; ///< the wave hasn't run yet in the window
  /// Its registers before the first instruction that was seen.
  std::unique_ptr<isa::WaveState> Began;
  uint32_t Running = ~0u; ///< the number of the wave that runs
  bool RunsOwn = false, RunsOwnGroup = false;
  uint64_t Next = 0; ///< position of the next instruction
  std::map<uint32_t, WaveName> Names;

  // The search.
  uint64_t At = 0;
  /// Of the actions, how many come before.
  std::optional<size_t> NextAction;
  std::vector<Node> Nodes;
  llvm::DenseMap<uint64_t, llvm::SmallVector<Need, 1>> Needs; ///< by cell
  llvm::DenseMap<uint64_t, Cell> CellOf;
  /// Those that are written while an instruction is looked at.
  std::vector<std::pair<unsigned, Input>> Later;
  uint64_t OwnNeeds = 0; ///< cells that only the wave or its group can write
  std::array<uint64_t, 512> LanesNeeded[2] = {}; ///< Vector, Acc: by register
  /// By position, lane, and part of the result.
  std::map<std::tuple<uint64_t, int, uint64_t>, unsigned> NodeAt;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_ORIGIN_H
