//===-- FunctionCalls.h - calls of a process's expressions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB's interpreter of expressions reads and writes memory, and plugins have
// no other part in it. So a call is memory: the expression, as
// LanguageRuntimeHIP rewrites it, stores arguments at addresses from
// CallsFunctions::kCallAddresses on, then stores the call's number at the first
// of them, which performs the call, and loads the result.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_CORE_CALL_FUNCTIONCALLS_H
#define WAVELANE_CORE_CALL_FUNCTIONCALLS_H

#include "ABI/AMDGPU/ABIAMDGPU.h"
#include "lldb/Core/Address.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lldb_private {
class ExecutionContext;
class Process;

namespace wavelane {
struct MathFunction;
class WindowObject;

/// A function as an expression calls it. Offsets count from kCallAddresses.
struct FunctionCall {
  struct Value {
    uint64_t offset = 0;
    uint64_t size = 0; ///< 0: there is none
    uint64_t alignment = 1;
    ABIAMDGPU::Passing passing;
    /// The value is an address, and a copy of the object there follows: the
    /// debugger may have the object where no code of the program can reach it.
    uint64_t object_offset = 0, object_size = 0;
    /// Gets the address to which the expression copies the object back.
    uint64_t object_target = 0;
  };

  std::string name; ///< as messages say it
  /// Why it can't be called; empty if it can.
  std::string obstacle;
  Address address;
  /// The debugger computes it; else there is machine code at the address.
  const MathFunction *math = nullptr;
  std::vector<Value> arguments;
  Value result;
  /// The address of a result in memory is a generic one, of 64 bits: so it was
  /// until clang 20.
  bool is_result_generic = false;
};

/// The calls that a process's expressions have made.
class FunctionCalls {
public:
  /// Bytes of arguments and results; the first eight are the call's number.
  static constexpr uint64_t kSize = 64 * 1024;
  static constexpr uint64_t kFirstValue = 16;

  /// \return The call's number.
  uint64_t Add(FunctionCall call);
  /// \return null for a number that Add hasn't given.
  std::shared_ptr<const FunctionCall> Find(uint64_t number) const;

  /// See CallsFunctions.
  lldb::addr_t GetAddress(Process &process, const ExecutionContext &exe_ctx,
                          uint64_t offset);

private:
  mutable std::mutex m_mutex;
  std::vector<std::shared_ptr<const FunctionCall>> m_calls;
  /// The memory of calls at the current stop, by thread and lane.
  uint32_t m_stop_id = 0;
  std::map<std::pair<lldb::tid_t, uint32_t>, std::shared_ptr<WindowObject>>
      m_windows;
};

} // namespace wavelane
} // namespace lldb_private

#endif
