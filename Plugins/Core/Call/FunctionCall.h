//===-- FunctionCall.h - a function as an expression calls it ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_CORE_CALL_FUNCTIONCALL_H
#define WAVELANE_CORE_CALL_FUNCTIONCALL_H

#include "lldb/Core/Address.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lldb_private {
namespace wavelane {
struct MathFunction;

/// How functions take or return a value.
struct Passing {
  /// A part of the value with registers of its own, four bytes in each.
  struct Part {
    uint64_t offset; ///< In the value, in bytes.
    uint64_t size;   ///< Bytes.
  };
  /// In private memory, with its address (of 32 bits) in a register.
  bool in_memory = false;
  /// The parts in registers, in their order; none for an empty class.
  std::vector<Part> parts;
  /// Its only part is a signed number, extended to its register.
  bool is_signed = false;
};

/// A function as an expression calls it. Offsets count from kCallAddresses.
struct FunctionCall {
  struct Value {
    uint64_t offset = 0;
    uint64_t size = 0; ///< 0: there is none
    uint64_t alignment = 1;
    Passing passing;
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

} // namespace wavelane
} // namespace lldb_private

#endif
