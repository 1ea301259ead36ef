//===-- Variables.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Variables.h"
#include "DebugEntries.h"

#include "wavelane/GPU/Features.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/OptimizedStructLayout.h"

#include <cstring>
#include <set>

using namespace wavelane;
using namespace wavelane::check;
using namespace llvm;

Variables::Variables(const object::ObjectFile &Object)
    : Object(Object),
      Context(DWARFContext::create(
          Object, DWARFContext::ProcessDebugRelocations::Ignore)) {}

// How many variables in local memory are laid out.
static constexpr size_t MaxLocalVariables = 64;

/// Whether a word of code is an s_clause of that GPU.
static bool isClause(uint32_t Word, const wavelane::gpu::Processor &Of) {
  const uint16_t Prefix = wavelane::gpu::features(Of).ClausePrefix;
  return Prefix && Word >> 16 == Prefix;
}

gpu::MachineCode *Variables::machine(const gpu::Processor &Of) {
  if (Machine)
    return Machine.get();
  if (auto Made = gpu::MachineCode::create(Of.Name))
    Machine = std::move(*Made);
  else
    consumeError(Made.takeError());
  return Machine.get();
}

bool Variables::hasOwnLine(uint64_t At) {
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
    // What is left of a clause, and whether that is all of it.
    unsigned Left = 0;
    bool IsWhole = false;
    for (uint64_t I = Begin; I < At;) {
      const StringRef Rest = Code->substr(I - First);
      MCInst Inst;
      uint64_t Size = 0;
      if (Rest.size() < 4 || !machine(*Of) ||
          machine(*Of)->decode(Inst, Size, arrayRefFromStringRef(Rest), I) ==
              MCDisassembler::Fail)
        return false;
      const uint32_t Word = support::endian::read32le(Rest.data());
      IsWhole = isClause(Word, *Of);
      if (IsWhole)
        Left = (Word & 0x3f) + 1;
      else if (Left)
        --Left;
      I += Size;
    }
    return !Left || IsWhole;
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
