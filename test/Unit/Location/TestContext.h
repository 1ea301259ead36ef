// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception A small machine for
// tests: memory of address space 0 at 0x1000, registers of any size, and space
// 5 for each lane.
#ifndef WAVELANE_TEST_TESTCONTEXT_H
#define WAVELANE_TEST_TESTCONTEXT_H
#include "wavelane/Location/Evaluator.h"
#include <cstring>
#include <map>

namespace wavelane::location {
class TestContext : public Context {
public:
  std::map<uint64_t, std::vector<uint8_t>> Registers;
  std::vector<uint8_t> Memory = std::vector<uint8_t>(256);
  std::map<uint32_t, std::vector<uint8_t>> Private;
  std::optional<uint32_t> Lane;
  uint32_t LaneCount = 1;
  std::optional<uint64_t> PC;
  std::optional<Location> FrameBase;

  std::optional<AddressSpace> getAddressSpace(uint64_t Number) override {
    if (Number == 5) {
      AddressSpace S;
      S.Name = "private_lane";
      S.AddressBits = 32;
      S.IsPerLane = true;
      return S;
    }
    return Context::getAddressSpace(Number);
  }
  llvm::Expected<uint64_t> getRegisterSize(uint64_t N) override {
    if (!Registers.count(N))
      return Context::getRegisterSize(N);
    return Registers[N].size();
  }
  llvm::Error readRegister(uint64_t N, uint64_t, uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) override {
    memcpy(Into.data(), Registers.at(N).data() + Offset, Into.size());
    return llvm::Error::success();
  }
  llvm::Error writeRegister(uint64_t N, uint64_t, uint64_t Offset,
                            llvm::ArrayRef<uint8_t> From) override {
    memcpy(Registers.at(N).data() + Offset, From.data(), From.size());
    return llvm::Error::success();
  }
  uint8_t *find(uint64_t Space, std::optional<uint32_t> L, uint64_t Address,
                size_t Size) {
    std::vector<uint8_t> &Bytes = Space == 5 ? Private[L.value_or(0)] : Memory;
    const uint64_t Base = Space == 5 ? 0 : 0x1000;
    if (Address < Base || Address - Base > Bytes.size() ||
        Size > Bytes.size() - (Address - Base))
      return nullptr;
    return Bytes.data() + (Address - Base);
  }
  llvm::Error readMemory(uint64_t Space, std::optional<uint32_t> L, uint64_t,
                         uint64_t Address,
                         llvm::MutableArrayRef<uint8_t> Into) override {
    const uint8_t *P = find(Space, L, Address, Into.size());
    if (!P)
      return failed("no memory");
    memcpy(Into.data(), P, Into.size());
    return llvm::Error::success();
  }
  llvm::Error writeMemory(uint64_t Space, std::optional<uint32_t> L, uint64_t,
                          uint64_t Address,
                          llvm::ArrayRef<uint8_t> From) override {
    uint8_t *P = find(Space, L, Address, From.size());
    if (!P)
      return failed("no memory");
    memcpy(P, From.data(), From.size());
    return llvm::Error::success();
  }
  std::optional<uint32_t> getLane() override { return Lane; }
  uint32_t getLaneCount() override { return LaneCount; }
  std::optional<uint64_t> getProgramLocation() override { return PC; }
  llvm::Expected<Location> getFrameBase() override {
    if (!FrameBase)
      return Context::getFrameBase();
    return *FrameBase;
  }
  bool isVectorRegister(uint64_t N, unsigned &ElementSize) override {
    ElementSize = 4;
    return N >= 2560 && N < 2816;
  }
  unsigned getPrivateFrameScale() override { return 64; }
};

inline llvm::Expected<Entry> run(Context &C, llvm::StringRef Text,
                                 ResultKind Kind = ResultKind::Location,
                                 const EvaluationOptions &O = {}) {
  llvm::Expected<std::vector<uint8_t>> Bytes = assembleText(Text);
  if (!Bytes)
    return Bytes.takeError();
  return evaluate(*Bytes, C, Kind, O);
}
} // namespace wavelane::location
#endif
