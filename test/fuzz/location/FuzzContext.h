//===-- FuzzContext.h - a context made of the input -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_FUZZ_FUZZCONTEXT_H
#define WAVELANE_FUZZ_FUZZCONTEXT_H

#include "wavelane/Location/Architecture.h"
#include "wavelane/Location/Evaluator.h"
#include <algorithm>
#include <cstdlib>

namespace wavelane::location {

/// A bit of the input decides whether each fact is known. Entries are
/// expressions from the input too, and may call each other and themselves.
class FuzzContext : public Context {
public:
  llvm::ArrayRef<uint8_t> Entries;
  uint16_t Facts = 0xffff;
  uint8_t Seed = 0;
  EvaluationOptions Options;

  bool has(unsigned Bit) const { return Facts >> Bit & 1; }
  unsigned getAddressSize() override { return has(0) ? 8 : 4; }
  std::optional<AddressSpace> getAddressSpace(uint64_t N) override {
    return Architecture::find("amdgpu-wave64")->getAddressSpace(N);
  }
  llvm::Expected<uint64_t> getRegisterSize(uint64_t N) override {
    static const uint64_t Sizes[] = {4, 8, 1, 256, 16, 0};
    if (N % 7 == 6)
      return Context::getRegisterSize(N);
    return Sizes[N % 7];
  }
  llvm::Error readRegister(uint64_t N, uint64_t, uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) override {
    check(N, Offset, Into.size());
    fill(N * 31 + Offset, Into);
    return llvm::Error::success();
  }
  llvm::Error writeRegister(uint64_t N, uint64_t, uint64_t Offset,
                            llvm::ArrayRef<uint8_t> From) override {
    check(N, Offset, From.size());
    return llvm::Error::success();
  }
  llvm::Error readMemory(uint64_t, std::optional<uint32_t> Lane, uint64_t,
                         uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Into) override {
    if (Address % 13 == 12)
      return failed("unreadable");
    fill(Address + Lane.value_or(0), Into);
    return llvm::Error::success();
  }
  llvm::Error writeMemory(uint64_t, std::optional<uint32_t>, uint64_t, uint64_t,
                          llvm::ArrayRef<uint8_t>) override {
    return llvm::Error::success();
  }
  std::optional<uint32_t> getLane() override {
    return has(1) ? std::optional<uint32_t>(Seed % 80) : std::nullopt;
  }
  uint32_t getLaneCount() override { return has(2) ? 64 : 1; }
  std::optional<uint64_t> getProgramLocation() override {
    return has(3) ? std::optional<uint64_t>(Seed) : std::nullopt;
  }
  llvm::Expected<Location> getFrameBase() override {
    return has(4) ? Location::memory(has(5) ? 0 : 6, Seed * 64)
                  : Context::getFrameBase();
  }
  llvm::Expected<Location> getObject() override {
    return has(6) ? Location::reg(Seed) : Context::getObject();
  }
  llvm::Expected<Location> getCallFrameAddress() override {
    return has(7) ? Location::memory(0, Seed) : Context::getCallFrameAddress();
  }
  llvm::Expected<Context *> getCallerContext() override { return this; }
  llvm::Expected<Type> getBaseType(uint64_t Offset) override {
    static const Type Types[] = {{Type::Unsigned, 1}, {Type::Signed, 2},
                                 {Type::Signed, 4},   {Type::Float, 4},
                                 {Type::Float, 8},    {Type::Unsigned, 8}};
    return Types[Offset % 6];
  }
  llvm::Expected<DieLocation> getDie(DieReference Die) override {
    DieLocation D;
    const size_t At = std::min<size_t>(Die.Offset % 64, Entries.size());
    switch (Die.Offset % 4) {
    case 0:
      D.Expression = Entries.drop_front(At);
      break;
    case 1:
      D.ConstValue = Entries.drop_front(At);
      break;
    case 2:
      D.List.emplace();
      D.List->push_back({false, 0, 128, Entries.drop_front(At)});
      D.List->push_back({false, 64, 256, Entries.drop_front(At / 2)});
      D.List->push_back({true, 0, 0, Entries});
      break;
    }
    return D;
  }
  llvm::Expected<ObjectMap> getObjectMap(DieReference,
                                         const EvaluationOptions &) override {
    ObjectMap Map;
    Map.Memory = Location::memory(0, Seed);
    Map.Vector = Location::reg(3);
    Map.First = Seed;
    Map.ElementSize = 4;
    Map.ElementCount = has(8) ? 8 : 1 << 20;
    Map.IsActive = has(9);
    return Map;
  }
  bool isVectorRegister(uint64_t N, unsigned &ElementSize) override {
    ElementSize = 4;
    return N % 7 == 3;
  }
  unsigned getPrivateFrameScale() override { return has(10) ? 64 : 0; }

private:
  /// The engine must not read past a register's end.
  void check(uint64_t N, uint64_t Offset, size_t Size) {
    llvm::Expected<uint64_t> Whole = getRegisterSize(N);
    if (!Whole) {
      llvm::consumeError(Whole.takeError());
      abort();
    }
    if (Offset > *Whole || Size > *Whole - Offset)
      abort();
  }
  void fill(uint64_t At, llvm::MutableArrayRef<uint8_t> Into) {
    for (size_t I = 0; I < Into.size(); ++I)
      Into[I] = uint8_t((At + I) * 167 + Seed);
  }
};

/// Evaluates an expression, and reads, writes and describes the result.
inline void use(llvm::ArrayRef<uint8_t> Expression, FuzzContext &C,
                uint8_t How) {
  EvaluationOptions O;
  O.Dialect = Dialect(How % 3);
  O.Upstream.Enabled = How & 4;
  O.Upstream.OldNumbers = How & 8;
  O.Decode.DirectE9 = How & 16;
  const ResultKind Kind = ResultKind(How / 32 % 3);
  std::string Text;
  auto Print = [&](const Operation &Op, llvm::ArrayRef<Entry> Stack) {
    if (Text.size() > 4096)
      return;
    Text += Op.describe(O.Decode);
    if (!Stack.empty())
      Text += Stack.back().describe(&C);
  };
  TraceFunction Trace = Print;
  llvm::Expected<Entry> E =
      evaluate(Expression, C, Kind, O, {}, How & 128 ? &Trace : nullptr);
  if (!E) {
    llvm::consumeError(E.takeError());
    return;
  }
  E->describe(&C);
  if (E->IsValue || E->IsImplicitPointer)
    return;
  uint8_t Bytes[96], Mask[96];
  for (BitCount Bits : {1, 32, 77, 96 * 8}) {
    llvm::consumeError(E->Location.read(C, Bits, Bytes));
    llvm::consumeError(E->Location.read(C, Bits, Bytes, Mask));
    llvm::consumeError(E->Location.write(C, Bits, Bytes));
  }
  if (E->Location.Kind == StorageKind::ImplicitPointer) {
    llvm::Expected<Location> L = followImplicitPointer(E->Location, C, O);
    if (!L)
      llvm::consumeError(L.takeError());
  }
}

} // namespace wavelane::location

#endif
