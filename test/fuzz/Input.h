//===-- Input.h - a fuzzer's input, from the front --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_FUZZ_INPUT_H
#define WAVELANE_FUZZ_INPUT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wavelane::test {

/// Zeros follow its end.
struct Input {
  const uint8_t *Data;
  size_t Size;

  uint8_t byte() { return Size ? (--Size, *Data++) : 0; }
  uint32_t word() {
    uint32_t Value = 0;
    for (unsigned I = 0; I < 4; ++I)
      Value |= uint32_t(byte()) << 8 * I;
    return Value;
  }
  /// Small, at a border, near one of \a Places, or any.
  uint64_t number(const std::vector<uint64_t> &Places = {}) {
    const uint8_t Kind = byte();
    switch (Kind & 3) {
    case 0:
      return byte();
    case 1:
      return (uint64_t(1) << byte() % 64) + int8_t(byte());
    case 2:
      if (!Places.empty())
        return Places[Kind / 4 % Places.size()] + int16_t(word());
      return word();
    default:
      return word() | uint64_t(word()) << 32;
    }
  }
  /// Changes some of \a Bytes, or none.
  template <typename T>
  void damage(T &Bytes, const std::vector<uint64_t> &Places = {}) {
    for (unsigned Count = byte() % 4; Count && Bytes.size(); --Count) {
      const size_t At = word() % Bytes.size();
      const unsigned Width = 1u << byte() % 4;
      const uint64_t Value = number(Places);
      for (size_t I = 0; I < Width && At + I < Bytes.size(); ++I)
        Bytes[At + I] = typename T::value_type(Value >> 8 * I);
    }
  }
};

} // namespace wavelane::test

#endif
