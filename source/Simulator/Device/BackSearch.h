//===-- BackSearch.h - where a step back ends -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step back looks at what a wave has executed before, from the last
// instruction on, until it is at the beginning of a line, or of a function. As
// forward steps do, it follows one lane.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_SIMULATOR_DEVICE_BACKSEARCH_H
#define WAVELANE_SIMULATOR_DEVICE_BACKSEARCH_H

#include "wavelane/Protocol/Device/HistoryMessages.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <vector>

namespace wavelane::simulator {

/// What a wave has executed.
struct ExecutedStep {
  uint64_t Position, PC, Exec; ///< before it
};

class BackSearch {
public:
  /// What an instruction does to the depth of calls.
  struct Flow {
    bool Calls = false, JumpsFar = false; ///< as of protocol::CodeRun
  };
  /// \return None if the code can't be read.
  using FindFlow = llvm::function_ref<std::optional<Flow>(uint64_t PC)>;

  /// Where a step ends.
  struct Place {
    std::optional<uint64_t> Position; ///< none: where the step has begun
    /// How many inlined functions are shown there; none: as for any stop.
    std::optional<uint32_t> Level;
  };

  explicit BackSearch(const protocol::BackRequest &Request)
      : Kind(Request.Kind), Lane(Request.Lane), PC(Request.PC),
        Shown(Request.Depth), Later(Request.PC) {}

  /// Adds code to what is known.
  void addCode(llvm::ArrayRef<protocol::CodeRun> More);
  /// Adds what the wave has executed before what is known.
  /// \param Steps  In the order of time.
  void addSteps(std::vector<ExecutedStep> Steps);
  /// Nothing was executed before.
  void end() { HasEnded = true; }

  enum class State { NeedsSteps, NeedsCode, Done };
  /// Goes on with what is known. What is only called isn't asked for.
  State run(FindFlow Find);
  /// Of State::Done: none if the wave has executed nothing before.
  std::optional<Place> target() const { return Target; }
  /// Of State::NeedsCode: the address of an instruction.
  uint64_t unknown() const { return Unknown; }

private:
  using Code = protocol::CodeRun;
  /// \return Null if it isn't known, which is noted.
  const Code *find(uint64_t Address);
  const Code *findKnown(uint64_t Address) const;
  /// The change of the depth of calls from the later instruction back to \a PC;
  /// none if the code isn't known.
  std::optional<int> findChange(uint64_t PC, FindFlow Find) const;
  /// Begins at the code of the last instruction that isn't executed yet.
  void begin(const Code &Here);
  /// Passes by a step of which no more than the depth of calls counts.
  /// \return Whether it is one.
  bool passBy(const ExecutedStep &Step, FindFlow Find);
  /// Visits the steps that wait; State::NeedsSteps if none waits any more.
  State visitWaiting(uint64_t Lanes, FindFlow Find);
  /// \param Lanes  Those that have executed it.
  /// \return Whether the step ends.
  bool visit(const ExecutedStep &Step, const Code &Here, uint64_t Lanes);
  /// What the user sees at an instruction: it is in a function, and in each of
  /// those that begin with it, the inlined ones, there is a call before.
  struct View {
    Place At;
    int Depth;
    uint32_t Line;
  };
  bool visitView(const View &Seen);
  bool visitLine(const View &Seen);
  /// Visits the calls of inlined functions that begin at the last instruction,
  /// if \p Before isn't in them.
  /// \param Before  What the lane has executed before; null: nothing.
  bool visitCalls(const Code *Before);
  State finish(FindFlow Find);

  const protocol::BackKind Kind;
  const uint32_t Lane;
  const uint64_t PC;
  const std::optional<uint32_t> Shown;
  std::map<uint64_t, Code> Runs; ///< by their beginnings
  /// Not visited yet, in the order of time.
  std::vector<ExecutedStep> Steps;
  /// While the code has changed EXEC to save or load registers, the lanes are
  /// those before: the steps that wait for them, the last one first.
  std::vector<ExecutedStep> Waiting;
  bool HasEnded = false;
  uint64_t Unknown = 0;

  std::optional<Code> Start;
  uint32_t StartLevel = 0;
  uint64_t Later; ///< the PC of the instruction after
  int Depth = 0;
  /// The line that is visited, and its first instruction seen so far.
  View Visited{};
  std::optional<Place> First;
  bool IsInside = false;
  /// The lane's last instruction, if inlined functions begin there.
  struct Beginning {
    std::optional<uint64_t> Position;
    int Depth;
    std::vector<protocol::CodeLevel> Levels;
    uint32_t Begins; ///< the last ones of Levels
  };
  std::optional<Beginning> Begun;
  /// The first instructions that were seen: of the wave, and of the lane.
  std::optional<uint64_t> Oldest, OldestOfLane;
  std::optional<Place> Target;
};

} // namespace wavelane::simulator

#endif // WAVELANE_SIMULATOR_DEVICE_BACKSEARCH_H
