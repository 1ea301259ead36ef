// LLDB's own evaluator, in a process with one thread and one frame whose
// registers are all known. This header uses names of neither LLDB nor the
// engine, which would clash.
#ifndef WAVELANE_BENCH_LLDBEXPRESSIONS_H
#define WAVELANE_BENCH_LLDBEXPRESSIONS_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class LLDBExpression {
public:
  /// \param is_in_list  Evaluate the second of three entries of a location
  ///     list, which all have the expression.
  LLDBExpression(std::vector<uint8_t> bytes, bool is_in_list);
  ~LLDBExpression();
  /// \return LLDB's error; empty if there is none.
  std::string evaluate();

private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
  const bool m_is_in_list;
};

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
