//===-- Forming.cpp - addresses and registers in a context ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Forming.h"
#include "Upstream.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace wavelane::location;

Error wavelane::location::formAddress(Context &C, uint64_t Space,
                                      uint64_t Address, Location &L) {
  std::optional<AddressSpace> Info = C.getAddressSpace(Space);
  if (!Info)
    return illFormed("address space " + Twine(Space) + " does not exist");
  if (Info->AddressBits < 64)
    Address &= maskTrailingOnes<uint64_t>(Info->AddressBits);
  if (Info->IsPerLane && !C.getLane() && C.getLaneCount() > 1)
    return missing(Twine("current lane, whose memory ") + Info->Name + " is");
  L.Kind = StorageKind::Memory;
  L.Number = Space;
  L.Offset = BitCount(Address) * 8;
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return Error::success();
}

Error wavelane::location::formFrameRelative(Context &C,
                                            const EvaluationOptions &O,
                                            uint64_t Distance, Location &L) {
  Expected<Location> Base = C.getFrameBase();
  if (!Base)
    return Base.takeError();
  if (Base->Kind != StorageKind::Memory || Base->Offset % 8 != 0)
    return illFormed("the frame base is not memory: " + Base->describe(&C));
  uint64_t Space = Base->Number;
  uint64_t Address = uint64_t(Base->Offset / 8);
  if (O.Upstream.Enabled && Space == 0) {
    Space = SpacePrivateLane;
    Address /= std::max(1u, C.getPrivateFrameScale());
  }
  if (Error E = formAddress(C, Space, Address + Distance, L))
    return E;
  if (Space == Base->Number) {
    L.Lane = Base->Lane;
    L.Thread = Base->Thread;
  }
  return Error::success();
}

void wavelane::location::formRegister(Context &C, uint64_t Number,
                                      Location &L) {
  L.Kind = StorageKind::Register;
  L.Number = Number;
  L.Lane = C.getLane();
  L.Thread = C.getThread();
}

Error wavelane::location::readRegister(Context &C, const EvaluationOptions &O,
                                       uint64_t Number, unsigned AddressBits,
                                       uint64_t &V) {
  Expected<uint64_t> Size = C.getRegisterSize(Number);
  if (!Size)
    return Size.takeError();
  if (O.Dialect == Dialect::AMD && *Size * 8 < AddressBits)
    return illFormed("register " + Twine(Number) + " has fewer than the " +
                     Twine(AddressBits) + " bits of an address");
  uint8_t Buffer[8] = {};
  size_t Bytes = std::min<uint64_t>(*Size, C.getAddressSize());
  uint64_t First = 0;
  // Upstream clang uses a lane's element as if it were the whole register.
  unsigned ElementSize = 0;
  if (O.Upstream.Enabled && C.getLane() &&
      C.isVectorRegister(Number, ElementSize) && ElementSize <= Bytes) {
    Bytes = ElementSize;
    First = uint64_t(*C.getLane()) * ElementSize;
    if (First + Bytes > *Size)
      return failed("register " + Twine(Number) + " has no element of lane " +
                    Twine(*C.getLane()));
  }
  if (Error E = C.readRegister(Number, C.getThread(), First,
                               MutableArrayRef<uint8_t>(Buffer, Bytes)))
    return E;
  V = support::endian::read64le(Buffer); // bytes that weren't read are zero
  return Error::success();
}

bool wavelane::location::isVectorElement(Context &C, uint64_t Number,
                                         Location &L) {
  unsigned ElementSize = 0;
  if (!C.isVectorRegister(Number, ElementSize) || !C.getLane())
    return false;
  L = Location::reg(Number);
  L.Offset = BitCount(*C.getLane()) * ElementSize * 8;
  L.ElementBytes = uint8_t(ElementSize);
  L.Lane = C.getLane();
  L.Thread = C.getThread();
  return true;
}
