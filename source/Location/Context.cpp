//===-- Context.cpp - the context that has nothing ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Location/Context.h"

using namespace llvm;
using namespace wavelane::location;

char LocationError::ID = 0;

Context::~Context() = default;

std::optional<wavelane::location::AddressSpace>
Context::getAddressSpace(uint64_t Number) {
  if (Number != 0)
    return std::nullopt;
  AddressSpace Default;
  Default.Name = "default";
  Default.AddressBits = 8 * getAddressSize();
  return Default;
}
std::optional<std::string> Context::getRegisterName(uint64_t) {
  return std::nullopt;
}
Expected<uint64_t> Context::getRegisterSize(uint64_t Number) {
  return missing("register " + Twine(Number));
}
Error Context::readRegister(uint64_t Number, uint64_t, uint64_t,
                            MutableArrayRef<uint8_t>) {
  return missing("register " + Twine(Number));
}
Error Context::writeRegister(uint64_t Number, uint64_t, uint64_t,
                             ArrayRef<uint8_t>) {
  return missing("way to write register " + Twine(Number));
}
Error Context::readMemory(uint64_t, std::optional<uint32_t>, uint64_t, uint64_t,
                          MutableArrayRef<uint8_t>) {
  return missing("memory");
}
Error Context::readMemoryInLanes(uint64_t Space, uint32_t Lanes,
                                 uint64_t Thread, uint64_t Address,
                                 MutableArrayRef<uint8_t> Into) {
  const size_t Size = Into.size() / Lanes;
  for (uint32_t Lane = 0; Lane < Lanes; ++Lane)
    if (Error E = readMemory(Space, Lane, Thread, Address,
                             Into.slice(Lane * Size, Size)))
      return E;
  return Error::success();
}
Error Context::writeMemory(uint64_t, std::optional<uint32_t>, uint64_t,
                           uint64_t, ArrayRef<uint8_t>) {
  return missing("way to write memory");
}
Expected<Location> Context::getFrameBase() { return missing("frame base"); }
Expected<Location> Context::getCallFrameAddress() {
  return missing("canonical frame address");
}
Expected<Location> Context::getObject() { return missing("object"); }
Expected<Location> Context::getEntryRegister(uint64_t) {
  return missing("call-frame information");
}
Expected<Location> Context::getThreadLocal(uint64_t) {
  return missing("thread-local storage");
}
Expected<Context *> Context::getCallerContext() {
  return missing("entry values");
}
Expected<Type> Context::getBaseType(uint64_t) {
  return missing("compilation unit with base types");
}
Expected<uint64_t> Context::getIndexedAddress(uint64_t) {
  return missing("table of addresses (.debug_addr)");
}
Expected<DieLocation> Context::getDie(DieReference) {
  return missing("compilation unit with that entry");
}
Expected<uint64_t> Context::getPointerBits(const Location &) {
  return failed("an implicit pointer has no bits to read");
}
Expected<ObjectMap> Context::getObjectMap(DieReference,
                                          const EvaluationOptions &) {
  return missing("compilation unit with that object map");
}
