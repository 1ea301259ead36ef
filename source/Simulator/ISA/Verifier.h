//===-- Verifier.h - translated code against the interpreter ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_VERIFIER_H
#define WAVELANE_SIMULATOR_ISA_VERIFIER_H

#include "Translator.h"

#include <map>
#include <optional>
#include <string>

namespace wavelane::isa {

/// A wave's memory for two runs that mustn't change it: each has its own copy
/// of what it touches, made from the same bytes.
class CopiedMemory : public MemoryAccess {
public:
  explicit CopiedMemory(MemoryAccess &Real) : Real(Real) {}

  enum Side : unsigned { Translated, Interpreted };
  /// Which copy is used from now on.
  void use(Side S) { Now = S; }
  /// Forgets all copies.
  void clear();
  /// Makes a copy what it was at first.
  void rewind(Side S);
  /// Both copies begin with what the interpreter's has now.
  void advance();
  /// Where the copies differ, with both bytes; empty if nowhere.
  std::string difference() const;

  MemorySpan resolve(uint64_t Address, Access Kind) override;
  /// The same in both runs.
  uint64_t clock(bool RealTime) override;

private:
  struct Window {
    uint64_t Begin = 0, End = 0;
    std::vector<uint8_t> Before, Copies[2];
  };
  MemoryAccess &Real;
  Side Now = Translated;
  std::map<uint64_t, Window> Windows; ///< by address / WindowSize
  std::optional<uint64_t> Clocks[2];
};

/// Executes traces as translated code and by their instructions' handlers, both
/// on copies, and compares all that there is after them.
class Verifier {
public:
  Verifier(MemoryAccess &Memory, Translator &Translates)
      : Memory(Memory), Translates(Translates) {}

  struct Difference {
    uint64_t Steps; ///< of the trace that are executed before the instruction
    std::string Text;
  };
  /// \param M  The wave, which is about to execute the trace with so many
  ///     instructions left (Trace::Entry).
  std::optional<Difference> verify(const Trace &T, const Machine &M,
                                   uint64_t Budget, uint64_t Limit);
  /// How many instructions have been compared.
  uint64_t verified() const { return Count; }

private:
  struct Run {
    WaveState State;
    std::vector<uint8_t> Local;
    uint64_t Done = 0; ///< without one that has stopped the wave
    bool IsStopped = false;
    StepResult Result;
  };
  void begin(Run &R, const Machine &M) const;
  void runTranslated(const Trace &T, const Machine &M, uint64_t Budget,
                     uint64_t Limit);
  void runInterpreted(const Trace &T, const Machine &M);
  std::string compare(const Trace &T, const Machine &M, uint64_t Budget,
                      uint64_t Limit);
  std::string difference() const;
  Difference find(const Trace &T, const Machine &M, uint64_t Budget,
                  std::string Whole);
  std::shared_ptr<Trace> prefix(const Trace &T, size_t Steps) const;

  CopiedMemory Memory;
  Translator &Translates;
  WaveState First; ///< with which both begin
  std::vector<uint8_t> FirstLocal;
  Run Translated, Interpreted;
  uint64_t Count = 0;
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_VERIFIER_H
