//===-- NameStyle.h - how functions of waves are named ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's formats have one form of a function's name. While a command runs, it
// can choose another for the functions of GPUs.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_RECORD_NAMESTYLE_H
#define WAVELANE_CORE_RECORD_NAMESTYLE_H

namespace lldb_private {
namespace wavelane {

enum class NameStyle {
  eBrief, ///< without arguments, for a list of waves
  eShort, ///< without result; namespaces, template arguments and arguments are
          ///< left out if they are long
  eFull   ///< as LLDB shows functions of CPUs
};

/// The style in this thread while the object lives.
class NameStyleScope {
public:
  explicit NameStyleScope(NameStyle style) : m_before(Current()) {
    Current() = style;
  }
  ~NameStyleScope() { Current() = m_before; }
  NameStyleScope(const NameStyleScope &) = delete;
  NameStyleScope &operator=(const NameStyleScope &) = delete;

  static NameStyle Get() { return Current(); }

private:
  static NameStyle &Current() {
    static thread_local NameStyle style = NameStyle::eShort;
    return style;
  }

  const NameStyle m_before;
};

} // namespace wavelane
} // namespace lldb_private

#endif
