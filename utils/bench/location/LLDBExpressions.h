// LLDB's own evaluator in a process of one thread whose registers are all known.
// LLDB's and the engine's names stay apart: this header has neither.
#ifndef WAVELANE_BENCH_LLDBEXPRESSIONS_H
#define WAVELANE_BENCH_LLDBEXPRESSIONS_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class LLDBExpression {
public:
  explicit LLDBExpression(std::vector<uint8_t> bytes);
  ~LLDBExpression();
  /// \return What LLDB complains of; empty when all is well.
  std::string evaluate();

private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

#endif
