//===-- OriginPlace.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OriginPlace.h"
#include "Commands/GPU/AddressSpaces.h"
#include "Core/Format/LaneExpression.h"
#include "Core/Lane/LaneFocus.h"
#include "Core/Lane/ProcessLanes.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Symbol/CompilerType.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/ValueObject/ValueObject.h"
#include "wavelane/GPU/SmallFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::gpu::SmallFloat;
using ::wavelane::protocol::CellSpace;

namespace {
/// Bytes beyond this are many values, not one.
constexpr uint64_t kMostBytes = 256;

/// Collects dwords.
class Cells {
public:
  /// \param size In bytes.
  void AddMemory(CellSpace space, uint64_t address, uint64_t size,
                 uint32_t lane) {
    for (uint64_t at = address & ~uint64_t(3); at < address + size; at += 4) {
      uint32_t bits = 0;
      for (unsigned byte = 0; byte < 4; ++byte)
        if (at + byte >= address && at + byte < address + size)
          bits |= 0xffu << (8 * byte);
      Add(space, at / 4, lane, bits);
    }
  }
  void Add(CellSpace space, uint64_t index, uint32_t lane,
           uint32_t bits = ~0u) {
    all.push_back({space, index, lane, bits});
  }

  std::vector<::wavelane::protocol::OriginCell> all;
};

/// A register of the hardware.
struct Register {
  enum Kind { eVector, eAcc, eScalar } kind = eScalar;
  unsigned number = 0;
  unsigned count = 1; ///< in dwords
};
} // namespace

/// Parses "v3", "a[0:1]", "s[4:5]", "vcc", "exec_lo", "m0", "ttmp9".
static std::optional<Register> ParseRegister(llvm::StringRef name) {
  // A wave of the other size has another form.
  name.consume_back("_w64");
  struct Special {
    const char *name;
    unsigned number, count;
  };
  static constexpr Special specials[] = {
      {"vcc", 106, 2},  {"vcc_lo", 106, 1},       {"vcc_hi", 107, 1},
      {"exec", 126, 2}, {"exec_lo", 126, 1},      {"exec_hi", 127, 1},
      {"m0", 124, 1},   {"flat_scratch", 102, 2}, {"xnack_mask", 104, 2}};
  for (const Special &special : specials)
    if (name == special.name)
      return Register{Register::eScalar, special.number, special.count};
  Register result;
  if (name.consume_front("ttmp")) {
    unsigned number = 0;
    if (name.getAsInteger(10, number) || number > 15)
      return std::nullopt;
    result.number = 108 + number;
    return result;
  }
  if (name.empty())
    return std::nullopt;
  const char file = name.front();
  if (file != 'v' && file != 'a' && file != 's')
    return std::nullopt;
  result.kind = file == 'v'   ? Register::eVector
                : file == 'a' ? Register::eAcc
                              : Register::eScalar;
  name = name.drop_front();
  unsigned last = 0;
  if (name.consume_front("[")) {
    if (name.consumeInteger(10, result.number) || !name.consume_front(":") ||
        name.consumeInteger(10, last) || name != "]" || last < result.number ||
        last - result.number >= 16)
      return std::nullopt;
    result.count = last - result.number + 1;
  } else if (name.getAsInteger(10, result.number)) {
    return std::nullopt;
  }
  const unsigned end = result.number + result.count;
  if (end > (result.kind == Register::eScalar ? 106u : 512u))
    return std::nullopt;
  return result;
}

static void AddRegister(Cells &cells, const Register &where, uint32_t lane) {
  static constexpr CellSpace spaces[] = {CellSpace::Vector, CellSpace::Acc,
                                         CellSpace::Scalar};
  for (unsigned i = 0; i < where.count; ++i)
    cells.Add(spaces[where.kind], where.number + i, lane);
}

static llvm::Error AddSpace(Cells &cells, uint64_t space, uint64_t address,
                            uint64_t size, uint32_t lane, uint32_t lanes) {
  switch (space) {
  case eSpaceGlobal:
    cells.AddMemory(CellSpace::Global, address, size, 0);
    return llvm::Error::success();
  case eSpaceLocal:
    cells.AddMemory(CellSpace::Local, address, size, 0);
    return llvm::Error::success();
  case eSpacePrivateLane:
    cells.AddMemory(CellSpace::Private, address, size, lane);
    return llvm::Error::success();
  case eSpacePrivateWave:
    // Rows of dwords, one for each lane.
    for (uint64_t at = address; at < address + size;) {
      const uint64_t next = std::min((at | 3) + 1, address + size);
      cells.AddMemory(CellSpace::Private, at / 4 / lanes * 4 + at % 4,
                      next - at, uint32_t(at / 4 % lanes));
      at = next;
    }
    return llvm::Error::success();
  }
  return llvm::createStringError("memory of that address space isn't followed");
}

static llvm::Error AddParts(Cells &cells, StackFrame &frame,
                            llvm::ArrayRef<ObjectPart> parts, uint32_t focus,
                            uint32_t lanes) {
  for (const ObjectPart &part : parts) {
    if (part.register_name.empty()) {
      if (llvm::Error error =
              AddSpace(cells, part.space, part.offset, part.size,
                       part.lane.value_or(focus), lanes))
        return error;
      continue;
    }
    std::optional<Register> where = ParseRegister(part.register_name);
    if (!where)
      return llvm::createStringError("it is in " + part.register_name +
                                     ", which isn't followed");
    if (frame.GetConcreteFrameIndex() > 0)
      return llvm::createStringError(
          "it is in a register of a caller, which a function may have saved "
          "since: `frame select 0`, or go back to before the call");
    if (where->kind == Register::eScalar) {
      for (uint64_t at = part.offset / 4; at * 4 < part.offset + part.size;
           ++at)
        cells.Add(CellSpace::Scalar, where->number + at, 0);
      continue;
    }
    // A slice of a vector register: a dword for each lane.
    for (uint64_t at = part.offset & ~uint64_t(3); at < part.offset + part.size;
         at += 4) {
      uint32_t bits = 0;
      for (unsigned byte = 0; byte < 4; ++byte)
        if (at + byte >= part.offset && at + byte < part.offset + part.size)
          bits |= 0xffu << (8 * byte);
      cells.Add(where->kind == Register::eVector ? CellSpace::Vector
                                                 : CellSpace::Acc,
                where->number, uint32_t(at / 4 % lanes), bits);
    }
  }
  return llvm::Error::success();
}

/// How instructions call a type.
static std::string GetTypeName(CompilerType type, uint64_t size) {
  if (!type.IsValid() || size > 8)
    return "";
  if (const auto small = SmallFloat::ofClass(type.GetTypeName().GetStringRef()))
    return small->Count != 1          ? ""
           : small->name() == "e5m10" ? "f16"
                                      : small->name();
  bool is_complex = false;
  if (type.IsFloatingPointType(is_complex) && !is_complex)
    return llvm::formatv("f{0}", size * 8);
  bool is_signed = false;
  if (type.IsPointerType() || type.IsReferenceType())
    return "";
  if (type.IsIntegerOrEnumerationType(is_signed))
    return llvm::formatv("{0}{1}", is_signed ? "i" : "u", size * 8);
  return "";
}

static llvm::Expected<OriginPlace> FindValue(ProcessAMDGPU &process,
                                             StackFrame &frame,
                                             llvm::StringRef text,
                                             uint32_t focus, uint32_t lanes) {
  LaneExpression expression(text);
  llvm::Expected<ValueObjectSP> value_sp = expression.Evaluate(frame);
  if (!value_sp)
    return value_sp.takeError();
  ValueObject &value = **value_sp;
  const uint64_t size =
      llvm::expectedToOptional(value.GetByteSize()).value_or(0);
  OriginPlace place;
  const LaneValue shown = expression.Read(frame, /*with_bytes=*/false);
  place.text = shown.text;
  place.type_name = value.GetTypeName().AsCString("");
  place.type = GetTypeName(value.GetCompilerType().GetCanonicalType(), size);
  if (shown.is_error)
    return llvm::createStringError(shown.text);
  const addr_t address =
      value.GetAddressOf(/*scalar_is_load_address=*/false).address;
  if (address == LLDB_INVALID_ADDRESS || !size)
    return llvm::createStringError(
        "'" + text +
        "' is computed, and has no place of its own: ask for the variables in "
        "it");
  if (size > kMostBytes)
    return llvm::createStringError(llvm::formatv(
        "'{0}' has {1} bytes: ask for one of its elements or members", text,
        size));
  Cells cells;
  Status error;
  std::shared_ptr<ProcessLanes> windows = ProcessLanes::Get(process);
  if (windows && windows->Contains(address)) {
    if (std::optional<EntryAddress> entry = EntryAddress::Decode(address)) {
      std::shared_ptr<WindowObject> object =
          windows->FindObject(process, entry->id, error);
      if (!object)
        return error.takeError();
      llvm::Expected<std::vector<ObjectPart>> parts =
          object->FindParts(entry->offset, size);
      if (!parts)
        return parts.takeError();
      if (llvm::Error failure = AddParts(cells, frame, *parts, focus, lanes))
        return std::move(failure);
    } else {
      std::optional<ProcessLanes::SpacePlace> where =
          windows->FindSpacePlace(process, address, error);
      if (!where)
        return error.takeError();
      if (llvm::Error failure = AddSpace(cells, where->space, where->offset,
                                         size, where->lane, lanes))
        return std::move(failure);
    }
  } else {
    cells.AddMemory(CellSpace::Global, address, size, 0);
  }
  place.cells = std::move(cells.all);
  return place;
}

llvm::Expected<OriginPlace> OriginPlace::Find(ProcessAMDGPU &process,
                                              StackFrame &frame,
                                              llvm::StringRef text) {
  const uint32_t focus = GetFocusLane(frame);
  llvm::Expected<LaneSet> lanes = GetLanes(frame);
  if (!lanes)
    return lanes.takeError();
  const uint32_t count = std::max<uint32_t>(lanes->count, 32);
  text = text.trim();
  OriginPlace place;
  Cells cells;
  if (text.contains('#')) {
    llvm::Expected<SpaceAndAddress> where =
        SpaceAndAddress::Parse(process, text, "global");
    if (!where)
      return where.takeError();
    if (llvm::Error error = AddSpace(cells, where->space.number, where->address,
                                     4, focus, count))
      return std::move(error);
    place.cells = std::move(cells.all);
    return place;
  }
  llvm::StringRef name = text;
  const bool is_marked = name.consume_front("$");
  std::optional<Register> where = ParseRegister(name);
  if (where && !is_marked) {
    // A variable's name comes first.
    VariableListSP variables = frame.GetInScopeVariableList(true);
    if (variables && variables->FindVariable(ConstString(name)))
      where.reset();
  }
  if (!where)
    return FindValue(process, frame, text, focus, count);
  if (where->kind == Register::eVector || where->kind == Register::eAcc) {
    if (focus >= count)
      return llvm::createStringError("the lane doesn't exist");
  }
  if (frame.GetConcreteFrameIndex() > 0)
    return llvm::createStringError(
        "registers are those of frame 0: `frame select 0` selects it");
  AddRegister(cells, *where, focus);
  place.cells = std::move(cells.all);
  return place;
}
