//===-- Pointers.cpp - memory as the program's pointers see it ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugEntries.h"
#include "Variables.h"
#include "WaveContext.h"

#include "wavelane/Simulator/KernelMetadata.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"

using namespace wavelane;
using namespace wavelane::check;
using namespace llvm;

/// "out[64]", "out[64].value", or "out[64] + 2 bytes" between two elements; \a
/// Name alone if its elements aren't known.
static std::string element(StringRef Name, int64_t Bytes, DWARFDie Type) {
  const uint64_t Size = sizeOf(Type);
  if (!Size)
    return (Name + " + " + Twine(Bytes)).str();
  int64_t Index = Bytes / int64_t(Size), Rest = Bytes % int64_t(Size);
  if (Rest < 0) {
    --Index;
    Rest += int64_t(Size);
  }
  return (Name + "[" + Twine(Index) + "]").str() + partOf(Type, uint64_t(Rest));
}

/// A string of a map of metadata; empty if it has none.
static StringRef textOf(msgpack::DocNode &Map, StringRef Key) {
  auto &Entries = Map.getMap();
  auto Found = Entries.find(Key);
  return Found != Entries.end() && Found->second.isString()
             ? Found->second.getString()
             : StringRef();
}

std::vector<uint64_t> Variables::argumentOffsets(StringRef Symbol) const {
  std::vector<uint64_t> Out;
  const auto *Elf = dyn_cast<object::ELF64LEObjectFile>(&Object);
  if (!Elf)
    return Out;
  auto Sections = Elf->getELFFile().sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return Out;
  }
  for (const auto &Section : *Sections) {
    if (Section.sh_type != ELF::SHT_NOTE)
      continue;
    Error Bad = Error::success();
    for (const auto &Note : Elf->getELFFile().notes(Section, Bad)) {
      msgpack::Document Doc;
      const ArrayRef<uint8_t> Bytes = Note.getDesc(4);
      if (Note.getType() != ELF::NT_AMDGPU_METADATA ||
          !wavelane::simulator::readKernelMetadata(toStringRef(Bytes), Doc) ||
          !Doc.getRoot().isMap())
        continue;
      msgpack::DocNode &Kernels = Doc.getRoot().getMap()["amdhsa.kernels"];
      if (!Kernels.isArray())
        continue;
      for (msgpack::DocNode &K : Kernels.getArray()) {
        if (!K.isMap() || textOf(K, ".name") != Symbol ||
            !K.getMap()[".args"].isArray())
          continue;
        for (msgpack::DocNode &A : K.getMap()[".args"].getArray())
          if (A.isMap() && !textOf(A, ".value_kind").starts_with("hidden_") &&
              A.getMap()[".offset"].getKind() == msgpack::Type::UInt)
            Out.push_back(A.getMap()[".offset"].getUInt());
      }
    }
    consumeError(std::move(Bad));
  }
  return Out;
}

std::vector<Variables::Argument> Variables::arguments(const Launch &Kernel,
                                                      uint64_t Base) {
  std::vector<Argument> Out;
  const DWARFDie Function = kernel(Kernel, Base);
  if (!Function)
    return Out;
  const char *Symbol = Function.getLinkageName();
  if (!Symbol)
    Symbol = Function.getShortName();
  const std::vector<uint64_t> Offsets = argumentOffsets(Symbol ? Symbol : "");
  for (DWARFDie Child : Function.children())
    if (Child.getTag() == dwarf::DW_TAG_formal_parameter &&
        Out.size() < Offsets.size())
      Out.push_back({Child, Offsets[Out.size()]});
  return Out;
}

/// The pointer at an offset of the argument block.
static std::optional<uint64_t> passedAt(const Launch &Kernel, uint64_t Offset) {
  const std::vector<uint8_t> &All = Kernel.Arguments;
  if (Offset > All.size() || All.size() - Offset < 8)
    return std::nullopt;
  return support::endian::read64le(All.data() + Offset);
}

static bool isPointer(DWARFDie Type) {
  return Type && Type.getTag() == dwarf::DW_TAG_pointer_type;
}

static DWARFDie pointee(DWARFDie Pointer) {
  return plainType(Pointer.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
}

std::string Variables::nameByArgument(const Launch &Kernel, uint64_t Base,
                                      uint64_t Address,
                                      const Allocation &Block) {
  // Each pointer into the block in front of the address may be meant.
  std::string Out;
  for (const Argument &A : arguments(Kernel, Base))
    if (const auto Value = passedAt(Kernel, A.Offset);
        Value && isPointer(typeOf(A.Die)) && *Value >= Block.Address &&
        *Value <= Address)
      Out += (Out.empty() ? "" : " or ") + element(nameOf(A.Die),
                                                   int64_t(Address - *Value),
                                                   pointee(typeOf(A.Die)));
  return Out;
}

std::vector<std::string> Variables::argumentsInto(const Launch &Kernel,
                                                  uint64_t Base,
                                                  const Allocation &Block) {
  std::vector<std::string> Out;
  for (const Argument &A : arguments(Kernel, Base))
    if (const auto Value = passedAt(Kernel, A.Offset);
        Value && isPointer(typeOf(A.Die)) &&
        *Value - Block.Address < Block.Size)
      Out.push_back(nameOf(A.Die).str());
  return Out;
}

/// Whether \a Type, of what a pointer points to, has an object for that many
/// subscripts: of "float **m", m[i] is another pointer.
static bool hasSubscripts(DWARFDie Type, unsigned Subscripts) {
  if (Subscripts <= 1)
    return true;
  const std::optional<ArrayObject> Array = arrayOf("", Type);
  return Array && Array->Counts.size() >= Subscripts - 1;
}

static bool hasArray(DWARFDie Type, StringRef Member) {
  const std::optional<MemberPlace> Place = findMembers({Type, 0}, Member);
  return Place && arrayOf("", Place->Type);
}

/// The value of a pointer that is \a Offset bytes behind the begin of
/// \a Variable; nullopt if it isn't known at \a At.
static std::optional<uint64_t> readValue(DWARFDie Variable, uint64_t Offset,
                                         uint64_t At, WaveContext &In) {
  auto Locations = Variable.getLocations(dwarf::DW_AT_location);
  if (!Locations) {
    consumeError(Locations.takeError());
    return std::nullopt;
  }
  const DWARFLocationExpression *Here = nullptr;
  for (const DWARFLocationExpression &L : *Locations)
    if (!L.Range || (At >= L.Range->LowPC && At < L.Range->HighPC)) {
      if (Here)
        return std::nullopt;
      Here = &L;
    }
  if (!Here)
    return std::nullopt;
  const auto Read = [&]() -> Expected<uint64_t> {
    auto Found = location::evaluate(
        Here->Expr, In, location::ResultKind::Location, In.options());
    if (!Found)
      return Found.takeError();
    location::Location Begin = Found->Location;
    if (Error Failed = Begin.move(In, location::BitCount(Offset) * 8))
      return Failed;
    uint8_t Bytes[8] = {};
    if (Error Failed = Begin.read(In, 64, Bytes))
      return Failed;
    return support::endian::read64le(Bytes);
  };
  Expected<uint64_t> Value = Read();
  if (Value)
    return *Value;
  consumeError(Value.takeError());
  return std::nullopt;
}

std::string Variables::nameByPointer(const Launch &Kernel,
                                     const isa::WaveState &Wave,
                                     const simulator::ReadMemory &Read,
                                     const PointerPlace &Of,
                                     const isa::LaneAccess &A) {
  const PointerAccess &Pointer = Of.Pointer;
  const uint64_t At = Of.PC - Of.Base;
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(At);
  DWARFDie Function = Unit ? Unit->getSubroutineForAddress(At) : DWARFDie();
  // The function itself, and the code that it is inlined into.
  DWARFDie Outer = Function;
  for (unsigned Left = Of.Depth;
       Outer && (Left || Outer.getTag() != dwarf::DW_TAG_subprogram);) {
    Outer = Outer.getParent();
    if (Left && Outer && Outer.isSubroutineDIE() && !--Left)
      Function = Outer;
  }
  if (!Outer || !Function)
    return std::string();
  const auto [First, Members] = StringRef(Pointer.Name).split('.');
  const DWARFDie Variable =
      findVariable(*Unit, Function, At, First, Space::Global);
  const std::optional<MemberPlace> Place =
      Variable ? findMembers({typeOf(Variable), 0}, Members) : std::nullopt;
  if (!Place || !isPointer(Place->Type) ||
      !hasSubscripts(pointee(Place->Type), Pointer.Subscripts) ||
      !(Pointer.Array.empty() || hasArray(pointee(Place->Type), Pointer.Array)))
    return std::string();
  const std::string Unknown = "an element of " + Pointer.Name;
  // A kernel's frame is known while the wave is in another function.
  const bool IsKernels = Outer == kernel(Kernel, Of.Base);
  if (Pointer.Moves || (Of.IsCaller && !IsKernels))
    return Unknown;
  const unsigned Lane = A.Lane != isa::LaneAccess::Scalar ? A.Lane
                        : Wave.exec() ? unsigned(countr_zero(Wave.exec()))
                                      : 0;
  WaveContext InLane(Wave, Lane, Outer, Of.Base, Read, Of.IsCaller);
  std::optional<uint64_t> Value =
      readValue(Variable, Place->Offset, At, InLane);
  // Of optimized kernels, debug information has no arguments.
  if (!Value && IsKernels && Function == Outer)
    for (const Argument &Passed : arguments(Kernel, Of.Base))
      if (Passed.Die == Variable)
        Value = passedAt(Kernel, Passed.Offset + Place->Offset);
  if (!Value)
    return Unknown;
  const DWARFDie Type = pointee(Place->Type);
  const uint64_t Distance = A.Address - *Value;
  if (const std::string Part =
          Distance < sizeOf(Type) ? partOf(Type, Distance) : std::string();
      Pointer.IsArrow && StringRef(Part).starts_with("."))
    return Pointer.Name + "->" + Part.substr(1);
  return element(Pointer.Name, int64_t(Distance), Type);
}
