// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes by which compilers, and annotate-lanes, say what lanes do, and
// those of object maps: each a number, any bytes as an expression, or a list.
#include "FuzzContext.h"
#include "fuzz/Input.h"
#include "wavelane/Location/Attributes.h"

using namespace llvm;
using namespace wavelane::location;
using wavelane::test::Input;

static ArrayRef<uint8_t> takeBytes(Input &In) {
  const size_t Size = std::min<size_t>(In.byte() % 24, In.Size);
  const ArrayRef<uint8_t> Bytes(In.Data, Size);
  In.Data += Size;
  In.Size -= Size;
  return Bytes;
}

static AttributeValue takeAttribute(Input &In) {
  AttributeValue Value;
  switch (In.byte() % 6) {
  case 0:
    break;
  case 1:
    Value.List.emplace();
    for (unsigned Count = In.byte() % 4; Count; --Count) {
      const uint8_t Begin = In.byte(), Length = In.byte();
      Value.List->push_back(
          {Length == 0, Begin, uint64_t(Begin) + Length, takeBytes(In)});
    }
    break;
  case 2:
  case 3:
    Value.Constant = In.number();
    break;
  default:
    Value.Expression = takeBytes(In);
  }
  return Value;
}

/// An object map that is read from its attributes, whenever it is asked for.
class MappedContext : public FuzzContext {
public:
  ObjectMapAttributes Map;
  Expected<ObjectMap> getObjectMap(DieReference,
                                   const EvaluationOptions &O) override {
    return evaluateObjectMap(Map, *this, O);
  }
};

template <typename T> static std::optional<T> use(Expected<T> Result) {
  if (Result)
    return std::move(*Result);
  consumeError(Result.takeError());
  return std::nullopt;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Input In{Data, Size};
  MappedContext C;
  C.Facts = uint16_t(In.word());
  C.Seed = In.byte();
  EvaluationOptions O;
  O.Dialect = Dialect(In.byte() % 3);
  for (AttributeValue *Each :
       {&C.Map.Memory, &C.Map.Vector, &C.Map.ElementSize, &C.Map.ElementCount,
        &C.Map.ControlOrdinal, &C.Map.Chunk})
    *Each = takeAttribute(In);
  for (unsigned Count = In.byte() % 3; Count; --Count)
    C.Map.Ranges.push_back({In.byte(), In.byte()});
  const AttributeValue Lanes = takeAttribute(In), Where = takeAttribute(In);
  C.Entries = ArrayRef<uint8_t>(In.Data, In.Size);

  const uint32_t Count = std::min<uint32_t>(
      use(evaluateLaneCount(Lanes, C, 1, O)).value_or(1), 1 << 16);
  if (!Count)
    abort();
  use(evaluateCount(Where, C, O));
  if (auto PCs = use(evaluateLanePC(Where, Count, C, O));
      PCs && !PCs->empty() && PCs->size() != Count)
    abort();
  if (auto Active = use(evaluateActiveLanes(Where, Count, C, O));
      Active && *Active && (*Active)->size() != Count)
    abort();
  if (auto Found = use(evaluateLocation(Where, C, O)))
    Found->describe(&C);
  if (auto Map = use(evaluateObjectMap(C.Map, C, O)); Map && Map->IsActive)
    Map->Vector.describe(&C);
  // An expression can ask for the map by DW_OP_object_map.
  use(C.Entries, C, uint8_t(O.Dialect));
  return 0;
}
