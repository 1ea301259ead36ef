//===-- Translator.h - traces into the host's code ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_ISA_TRANSLATOR_H
#define WAVELANE_SIMULATOR_ISA_TRANSLATOR_H

#include "Trace.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace wavelane::isa {

/// Translates in a thread of its own, so that nobody waits for it.
class Translator {
public:
  Translator();
  ~Translator();
  Translator(const Translator &) = delete;
  Translator &operator=(const Translator &) = delete;

  /// Whether the host's processor has what the code needs.
  static bool isSupported();

  /// Asks for the translation of \a T, which sets Trace::Code some time later.
  void add(std::shared_ptr<Trace> T);
  /// Waits until all traces have been translated.
  void finish();
  /// Begins nothing more before resume(): a debugger has stopped the waves, and
  /// others need the processor. Traces that have been asked for still wait.
  void pause() { Paused = true; }
  void resume();
  /// Frees all code. No trace may be executed any more.
  void clear();
  /// How many instructions have been translated since clear().
  size_t size() const { return Translated; }

private:
  void work();
  void translate(std::vector<std::shared_ptr<Trace>> Traces);

  struct Jit;
  std::unique_ptr<Jit> Host; ///< of the thread, once there is something to do
  bool Failed = false;       ///< there can't be a Host
  std::atomic<size_t> Translated{0};

  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<std::shared_ptr<Trace>> Waiting;
  bool Busy = false, Ending = false;
  std::atomic<bool> Paused{false};
  std::thread Thread; ///< once there is something to do
};

} // namespace wavelane::isa

#endif // WAVELANE_SIMULATOR_ISA_TRANSLATOR_H
