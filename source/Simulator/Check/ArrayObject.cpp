//===-- ArrayObject.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayObject.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace wavelane::check;
using namespace llvm;

int64_t ArrayObject::elementOf(int64_t Bytes) const {
  return Stride ? divideFloorSigned(Bytes, int64_t(Stride)) : 0;
}

std::string ArrayObject::nameIn(int64_t Element) const {
  const auto [Outer, Member] = StringRef(Name).split("[]");
  return Stride ? (Outer + "[" + Twine(Element) + "]" + Member).str() : Name;
}

bool ArrayObject::touches(int64_t First, int64_t Limit) const {
  const int64_t Element = std::max<int64_t>(elementOf(First), 0);
  const auto In = [&](int64_t E) {
    const int64_t Begin = E * int64_t(Stride);
    return (E < int64_t(Elements) || !Stride) && Limit > Begin &&
           First < Begin + int64_t(Size);
  };
  return In(Element) || (Stride && In(Element + 1));
}

bool ArrayObject::contains(int64_t First, int64_t Limit) const {
  const int64_t Element = elementOf(First);
  const int64_t Begin = Element * int64_t(Stride);
  return First >= Begin && Limit <= Begin + int64_t(Size) &&
         (!Stride || (Element >= 0 && Element < int64_t(Elements)));
}

std::string ArrayObject::element(int64_t Bytes) const {
  if (this->Stride) {
    ArrayObject Inner = *this;
    const int64_t In = elementOf(Bytes);
    Inner.Name = nameIn(In);
    Inner.Stride = 0;
    return Inner.element(Bytes - In * int64_t(this->Stride));
  }
  if (Counts.empty())
    return Bytes ? Name + " + " + std::to_string(Bytes) + " bytes" : Name;
  int64_t Stride = int64_t(ElementSize);
  for (size_t I = 1; I < Counts.size(); ++I)
    Stride *= int64_t(Counts[I]);
  if (Stride <= 0)
    return Name;
  std::string Out = Name;
  for (size_t I = 0; I < std::max<size_t>(Counts.size(), 1); ++I) {
    // Only the first index may be negative.
    const int64_t Index = divideFloorSigned(Bytes, Stride);
    Out += "[" + std::to_string(Index) + "]";
    Bytes -= Index * Stride;
    if (I + 1 < Counts.size() && Counts[I + 1])
      Stride /= int64_t(Counts[I + 1]);
  }
  return Bytes ? Out + " + " + std::to_string(Bytes) + " bytes" : Out;
}
