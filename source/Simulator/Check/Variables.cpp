//===-- Variables.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Variables.h"
#include "DebugEntries.h"

#include "wavelane/GPU/Features.h"
#include "wavelane/Simulator/KernelMetadata.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/OptimizedStructLayout.h"

#include <cstring>
#include <set>

using namespace wavelane::check;
using namespace llvm;

Variables::Variables(const object::ObjectFile &Object)
    : Object(Object),
      Context(DWARFContext::create(
          Object, DWARFContext::ProcessDebugRelocations::Ignore)) {}

// How far an address may be from the pointer that it is named after.
static constexpr uint64_t MaxDistance = uint64_t(1) << 40;

// How many variables in local memory are laid out.
static constexpr size_t MaxLocalVariables = 64;

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

/// Whether a word of code is an s_clause of that GPU.
static bool isClause(uint32_t Word, const wavelane::gpu::Processor &Of) {
  const uint16_t Prefix = wavelane::gpu::features(Of).ClausePrefix;
  return Prefix && Word >> 16 == Prefix;
}

bool Variables::hasOwnLine(uint64_t At) const {
  const auto *Elf = dyn_cast<object::ELFObjectFileBase>(&Object);
  const gpu::Processor *Of =
      Elf ? gpu::findByElfFlags(Elf->getPlatformFlags()) : nullptr;
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(At);
  const DWARFDebugLine::LineTable *Lines =
      Unit ? Context->getLineTableForUnit(Unit) : nullptr;
  if (!Of || !Lines)
    return false;
  const uint32_t Row =
      Lines->lookupAddress({At, object::SectionedAddress::UndefSection});
  // Line 0 is of several lines that are joined.
  if (Row == Lines->UnknownRowIndex || !Lines->Rows[Row].Line)
    return false;
  const uint64_t Begin = Lines->Rows[Row].Address.Address;
  for (const object::SectionRef &Section : Object.sections()) {
    const uint64_t First = Section.getAddress();
    if (!Section.isText() || Begin < First || At >= First + Section.getSize())
      continue;
    Expected<StringRef> Code = Section.getContents();
    if (!Code) {
      consumeError(Code.takeError());
      return false;
    }
    for (uint64_t I = Begin; I + 4 < At && I + 4 - First <= Code->size();
         I += 4)
      if (isClause(support::endian::read32le(Code->data() + (I - First)), *Of))
        return false;
    return true;
  }
  return false;
}

DWARFDie Variables::kernel(const Launch &Kernel, uint64_t Base) {
  // The first instruction may be of an inlined function.
  DWARFDie Die = Context->getDIEsForAddress(Kernel.Entry - Base).FunctionDIE;
  while (Die && Die.getTag() != dwarf::DW_TAG_subprogram)
    Die = Die.getParent();
  return Die;
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

std::string Variables::nameByArgument(const Launch &Kernel, uint64_t Base,
                                      uint64_t Address,
                                      const Allocation *Block) {
  const DWARFDie Function = kernel(Kernel, Base);
  const char *Linkage = Function ? Function.getLinkageName() : nullptr;
  if (!Function)
    return std::string();
  if (!Linkage)
    Linkage = Function.getShortName();
  const std::vector<uint64_t> Offsets = argumentOffsets(Linkage ? Linkage : "");
  // In a block, each pointer into it in front of the address may be meant.
  // Beyond any, the nearest pointer.
  const bool IsInside = Block && Address - Block->Address < Block->Size;
  std::string Out;
  uint64_t Nearest = IsInside ? 0 : MaxDistance;
  size_t Index = 0;
  for (DWARFDie Child : Function.children()) {
    if (Child.getTag() != dwarf::DW_TAG_formal_parameter)
      continue;
    const size_t I = Index++;
    const DWARFDie Type = typeOf(Child);
    if (I >= Offsets.size() || !Type ||
        Type.getTag() != dwarf::DW_TAG_pointer_type ||
        Offsets[I] + 8 > Kernel.Arguments.size())
      continue;
    uint64_t Value;
    memcpy(&Value, Kernel.Arguments.data() + Offsets[I], 8);
    const uint64_t Distance =
        Value > Address ? Value - Address : Address - Value;
    if (IsInside ? Value < Block->Address || Value > Address
                 : Distance >= Nearest)
      continue;
    const DWARFDie Element =
        plainType(Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
    const std::string Name =
        element(nameOf(Child), int64_t(Address - Value), Element);
    if (IsInside) {
      Out += (Out.empty() ? "" : " or ") + Name;
    } else {
      Out = Name;
      Nearest = Distance;
    }
  }
  return Out;
}

namespace {
struct LocalVariable {
  DWARFDie Die;
  std::string SortName; ///< as in LLVM IR
};
} // namespace

/// The alignment that LLVM gives a variable of local memory: its type's, and
/// more if it is large (AMDGPULowerModuleLDSPass).
static Align localAlignment(DWARFDie Type, uint64_t Size) {
  uint64_t Largest = 1;
  std::vector<DWARFDie> Work = {Type};
  for (unsigned Limit = 256; Limit && !Work.empty(); --Limit) {
    const DWARFDie Die = plainType(Work.back());
    Work.pop_back();
    if (!Die)
      continue;
    Largest = std::max(Largest,
                       dwarf::toUnsigned(Die.find(dwarf::DW_AT_alignment), 1));
    switch (Die.getTag()) {
    case dwarf::DW_TAG_array_type:
      Work.push_back(Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
      break;
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type:
      for (DWARFDie Child : Die.children())
        if (Child.getTag() == dwarf::DW_TAG_member ||
            Child.getTag() == dwarf::DW_TAG_inheritance)
          Work.push_back(
              Child.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
      break;
    default:
      Largest = std::max(Largest, std::min<uint64_t>(sizeOf(Die), 16));
    }
  }
  const uint64_t ForSize = Size > 8 ? 16 : Size > 4 ? 8 : Size > 2 ? 4 : Size;
  return Align(PowerOf2Ceil(std::max(Largest, ForSize)));
}

/// The variables in local memory of a kernel and the functions that are inlined
/// into it.
static std::vector<LocalVariable> localVariables(DWARFDie Function) {
  std::vector<LocalVariable> Out;
  std::vector<DWARFDie> Work;
  std::set<uint64_t> Seen;
  if (Function)
    Work.push_back(Function);
  while (!Work.empty()) {
    const DWARFDie Die = Work.back();
    Work.pop_back();
    if (!Seen.insert(Die.getOffset()).second)
      continue;
    for (DWARFDie Child : Die.children()) {
      if (Child.getTag() == dwarf::DW_TAG_lexical_block)
        Work.push_back(Child);
      if (Child.getTag() == dwarf::DW_TAG_inlined_subroutine) {
        Work.push_back(Child);
        if (DWARFDie Origin = Child.getAttributeValueAsReferencedDie(
                dwarf::DW_AT_abstract_origin))
          Work.push_back(Origin);
      }
      if (Child.getTag() != dwarf::DW_TAG_variable)
        continue;
      if (!isLocal(Child))
        continue;
      DWARFDie Of = Child;
      while (Of && Of.getTag() != dwarf::DW_TAG_subprogram)
        Of = Of.getParent();
      const char *Linkage = Of ? Of.getLinkageName() : nullptr;
      const StringRef Name = nameOf(Child);
      Out.push_back({Child, (StringRef(Linkage ? Linkage : "") + "E" +
                             Twine(Name.size()) + Name)
                                .str()});
    }
  }
  return Out;
}

/// Debug information has no addresses of variables in local memory, since LLVM
/// joins them in a structure. It sorts them by name, then as
/// performOptimizedStructLayout() does. If the structure has another size
/// than the kernel's local memory, they aren't known.
std::vector<Variables::LocalPlace> Variables::layOutLocal(const Launch &Kernel,
                                                          uint64_t Base) {
  std::vector<LocalVariable> All = localVariables(kernel(Kernel, Base));
  if (All.empty() || All.size() > MaxLocalVariables)
    return {};
  sort(All, [](const LocalVariable &A, const LocalVariable &B) {
    return A.SortName < B.SortName;
  });
  SmallVector<OptimizedStructLayoutField, 8> Fields;
  for (const LocalVariable &V : All) {
    const uint64_t Size = sizeOf(typeOf(V.Die));
    if (!Size)
      return {};
    Fields.emplace_back(&V, Size, localAlignment(typeOf(V.Die), Size));
  }
  const uint64_t Size = performOptimizedStructLayout(Fields).first;
  // Functions that it calls may have some, too; with dynamic memory, it is
  // larger.
  if (Size != Kernel.LocalBytes)
    return {};
  std::vector<LocalPlace> Out;
  for (const OptimizedStructLayoutField &F : Fields)
    Out.push_back({static_cast<const LocalVariable *>(F.Id)->Die, F.Offset});
  return Out;
}

std::string Variables::nameLocal(const Launch &Kernel, uint64_t Base,
                                 uint64_t Offset) {
  const std::vector<LocalPlace> All = layOutLocal(Kernel, Base);
  const LocalPlace *Last = nullptr;
  for (const LocalPlace &P : All)
    if (P.Offset <= Offset && (!Last || P.Offset > Last->Offset))
      Last = &P;
  if (!Last)
    return std::string();
  return nameOf(Last->Die).str() +
         partOf(typeOf(Last->Die), Offset - Last->Offset);
}

std::string Variables::nameGlobal(uint64_t At) {
  for (const auto &Unit : Context->compile_units())
    for (DWARFDie Child : Unit->getUnitDIE(false).children()) {
      if (Child.getTag() != dwarf::DW_TAG_variable)
        continue;
      auto Locations = Child.getLocations(dwarf::DW_AT_location);
      if (!Locations) {
        consumeError(Locations.takeError());
        continue;
      }
      for (const DWARFLocationExpression &L : *Locations) {
        const std::optional<uint64_t> Address = addressOf(L, *Unit);
        const DWARFDie Type = typeOf(Child);
        if (Address && At - *Address < std::max<uint64_t>(sizeOf(Type), 1))
          return nameOf(Child).str() + partOf(Type, At - *Address);
      }
    }
  return std::string();
}
