//===-- WindowLoans.h - objects of the window for running code --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An expression that calls a function is compiled and runs in the program,
// which can't follow an address of the window. While such code runs, each
// pointer into the window that LLDB passed to it refers to a copy of the object
// in the program's memory. The code's changes to the copy are written to the
// object afterwards.
//
// Objects are read when LLDB passes their addresses: once the call is set up,
// the thread has other registers.
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_LANE_WINDOWLOANS_H
#define WAVELANE_CORE_LANE_WINDOWLOANS_H

#include "ProcessLanes.h"
#include "lldb/Target/Process.h"
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace lldb_private {
namespace wavelane {

class WindowLoans {
public:
  /// \param process Must outlive this.
  explicit WindowLoans(Process &process) : m_process(process) {}

  /// Called before a write to the program's memory: a pointer into the window
  /// is replaced when the process resumes to run an expression.
  /// \return Why what it points to has no value.
  Status WillWrite(lldb::addr_t addr, const void *buf, size_t size);

  /// Writes back and frees the copies after the code has run.
  void Settle();

private:
  struct Loan {
    std::shared_ptr<WindowObject> object;
    uint64_t offset = 0;
    std::vector<uint8_t> bytes;
    lldb::addr_t memory = LLDB_INVALID_ADDRESS;
  };
  static bool WillResume(void *loans);
  bool Lend();
  Status ReadObject(Loan &loan);
  /// Places a copy of the object in the program's memory.
  bool LendObject(Loan &loan);
  void Return(const Loan &loan);

  Process &m_process;
  std::recursive_mutex m_mutex;
  /// Pointers into the window by where they are, and what they point to.
  std::map<lldb::addr_t, lldb::addr_t> m_pointers;
  std::map<lldb::addr_t, Loan> m_objects;
  std::vector<Loan> m_loans;
  bool m_is_busy = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
