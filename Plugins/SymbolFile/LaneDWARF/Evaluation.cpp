//===-- Evaluation.cpp ----------------------------------------*- C++ -*-===//

#include "Evaluation.h"
#include "Machine.h"
#include "lldb/Target/Process.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

static llvm::Expected<Value> WindowValue(llvm::Expected<addr_t> address) {
  if (!address)
    return address.takeError();
  Value value{Scalar(*address)};
  value.SetValueType(Value::ValueType::LoadAddress);
  return value;
}

llvm::Expected<Value>
wavelane::EvaluateToValue(const EvaluationRequest &request) {
  llvm::Expected<Places> places = EvaluateToPlaces(request);
  if (!places)
    return places.takeError();
  if (places->IsUndefined())
    return llvm::createStringError(
        "no location, value may have been optimized out");

  const FrameFacts &facts = request.facts;
  ProcessSP process_sp = facts.GetProcess();
  if (!process_sp)
    return llvm::createStringError("the process is gone");
  auto lanes = ProcessLanes::GetOrCreate(*process_sp);

  if (places->IsSingle()) {
    const Place &place = places->parts[0].place;
    if (place.kind == Place::eMemory) {
      if (place.number == eSpaceGlobal) {
        Value value{Scalar(uint64_t(place.offset))};
        value.SetValueType(Value::ValueType::LoadAddress);
        return value;
      }
      return WindowValue(lanes->GetSpaceAddress(
          facts.GetThreadID(), place.lane, place.number, uint32_t(place.offset)));
    }
    if (place.kind == Place::eBytes) {
      const uint64_t first = std::min<uint64_t>(place.offset, place.bytes.size());
      return Value(place.bytes.data() + first, int(place.bytes.size() - first));
    }
  }
  // Bytes that are nowhere in the program are LLDB's own copy.
  bool all_bytes = true;
  uint64_t size = 0;
  for (const Places::Part &part : places->parts) {
    all_bytes &= part.place.kind == Place::eBytes;
    size += part.size;
  }
  if (all_bytes && size <= 65536) {
    std::vector<uint8_t> bytes(size);
    if (llvm::Error error = places->Read(facts, 0, bytes))
      return std::move(error);
    return Value(bytes.data(), int(bytes.size()));
  }
  std::string key =
      llvm::formatv("{0:x} {1} {2:x} {3:x} {4}: {5}", facts.GetThreadID(),
                    facts.GetFrameIndex(), facts.GetFrameID().GetPC(),
                    facts.GetFrameID().GetCallFrameAddress(), facts.GetLane(),
                    places->Describe(facts))
          .str();
  return WindowValue(lanes->GetObjectAddress(
      *process_sp, std::move(key),
      std::make_shared<PlacesObject>(facts, std::move(*places))));
}
