//===-- Translator.cpp - traces into the host's code ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Translator.h"
#include "Emitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"

#include <cassert>
#include <string>

namespace wavelane::isa {

struct Translator::Jit {
  std::unique_ptr<llvm::orc::LLJIT> Host;
  unsigned NextName = 0;
};

bool Translator::isSupported() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

Translator::Translator() = default;

Translator::~Translator() {
  {
    std::lock_guard Guard(Lock);
    Ending = true;
    Waiting.clear();
  }
  Changed.notify_all();
  if (Thread.joinable())
    Thread.join();
}

void Translator::add(std::shared_ptr<Trace> T) {
  {
    std::lock_guard Guard(Lock);
    Waiting.push_back(std::move(T));
    if (!Thread.joinable())
      Thread = std::thread([this] { work(); });
  }
  Changed.notify_all();
}

void Translator::resume() {
  if (!Paused.load(std::memory_order_relaxed))
    return;
  {
    std::lock_guard Guard(Lock);
    Paused = false;
  }
  Changed.notify_all();
}

void Translator::finish() {
  resume();
  std::unique_lock Guard(Lock);
  Changed.wait(Guard, [this] { return Waiting.empty() && !Busy; });
}

void Translator::clear() {
  std::unique_lock Guard(Lock);
  Waiting.clear();
  Changed.wait(Guard, [this] { return !Busy; });
  Host.reset();
  Translated = 0;
}

void Translator::work() {
  // A few at once, since each module has a cost of its own.
  constexpr size_t AtOnce = 4;
  std::unique_lock Guard(Lock);
  for (;;) {
    Changed.wait(Guard,
                 [this] { return Ending || (!Waiting.empty() && !Paused); });
    if (Ending)
      return;
    std::vector<std::shared_ptr<Trace>> Traces;
    while (!Waiting.empty() && Traces.size() < AtOnce) {
      const auto Next =
          llvm::max_element(Waiting, [](const auto &A, const auto &B) {
            return A->Wanted.load(std::memory_order_relaxed) <
                   B->Wanted.load(std::memory_order_relaxed);
          });
      Traces.push_back(std::move(*Next));
      Waiting.erase(Next);
    }
    Busy = true;
    Guard.unlock();
    translate(std::move(Traces));
    Guard.lock();
    Busy = false;
    Changed.notify_all();
  }
}

static std::unique_ptr<llvm::orc::LLJIT> makeHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto Machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!Machine) {
    llvm::consumeError(Machine.takeError());
    return nullptr;
  }
  Machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  auto Host = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(*Machine))
                  .create();
  if (!Host) {
    llvm::consumeError(Host.takeError());
    return nullptr;
  }
  return std::move(*Host);
}

void Translator::translate(std::vector<std::shared_ptr<Trace>> Traces) {
  if (!Host && !Failed) {
    Host = std::make_unique<Jit>();
    Host->Host = makeHost();
    Failed = !Host->Host;
  }
  if (Failed)
    return;
  llvm::orc::LLJIT &J = *Host->Host;
  auto Context = std::make_unique<llvm::LLVMContext>();
  auto M = std::make_unique<llvm::Module>("traces", *Context);
  M->setDataLayout(J.getDataLayout());
  M->setTargetTriple(J.getTargetTriple());
  std::vector<std::string> Names;
  for (const auto &T : Traces) {
    Names.push_back("trace" + std::to_string(Host->NextName++));
    Emitter(*M, *T, Names.back()).emit();
    Translated += T->Steps.size();
  }
  // They are interpreted if a rule is wrong; tests see that.
  const bool IsWrong = llvm::verifyModule(*M);
  assert(!IsWrong && "a rule makes wrong code");
  if (IsWrong)
    return;
  if (llvm::Error E = J.addIRModule(
          llvm::orc::ThreadSafeModule(std::move(M), std::move(Context)))) {
    llvm::consumeError(std::move(E));
    return;
  }
  for (size_t I = 0; I < Traces.size(); ++I) {
    auto Symbol = J.lookup(Names[I]);
    if (!Symbol) {
      llvm::consumeError(Symbol.takeError());
      continue;
    }
    Traces[I]->Code.store(Symbol->toPtr<Trace::Entry>(),
                          std::memory_order_release);
  }
}

} // namespace wavelane::isa
