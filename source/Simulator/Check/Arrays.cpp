//===-- Arrays.cpp - which array a name of the source means ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DebugEntries.h"
#include "Variables.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

using namespace wavelane::check;
using namespace llvm;

// DWARF's numbers of SGPRs (LLVM's AMDGPUUsage, "Register Identifier").
static constexpr uint64_t FirstSGPR = 32, SGPRCount = 64;

static bool isVariable(DWARFDie Die) {
  return Die.getTag() == dwarf::DW_TAG_variable ||
         Die.getTag() == dwarf::DW_TAG_formal_parameter;
}

static bool contains(DWARFDie Die, uint64_t At) {
  Expected<DWARFAddressRangesVector> Ranges = Die.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return false;
  }
  return any_of(*Ranges, [&](const DWARFAddressRange &R) {
    return At >= R.LowPC && At < R.HighPC;
  });
}

/// The variables called \a Name in and below \a Scope, whose places in the code
/// aren't known: of a function that is inlined.
static void collect(DWARFDie Scope, StringRef Name,
                    std::vector<DWARFDie> &Out) {
  for (DWARFDie Child : Scope.children()) {
    if (isVariable(Child) && nameOf(Child) == Name)
      Out.push_back(Child);
    else if (Child.getTag() == dwarf::DW_TAG_lexical_block)
      collect(Child, Name, Out);
  }
}

/// Variables of the file and of namespaces.
static void collectGlobals(DWARFDie Scope, StringRef Name,
                           std::vector<DWARFDie> &Out) {
  for (DWARFDie Child : Scope.children()) {
    if (Child.getTag() == dwarf::DW_TAG_variable && nameOf(Child) == Name)
      Out.push_back(Child);
    else if (Child.getTag() == dwarf::DW_TAG_namespace)
      collectGlobals(Child, Name, Out);
  }
}

/// As in C++: the innermost block's. A name that could be a member's or that
/// several variables have isn't taken for any.
DWARFDie Variables::findVariable(DWARFUnit &Unit, DWARFDie Function,
                                 uint64_t At, StringRef Name, Space In) {
  std::vector<DWARFDie> Scopes = {Function};
  for (bool IsDeeper = true; IsDeeper;) {
    IsDeeper = false;
    for (DWARFDie Child : Scopes.back().children())
      if (Child.getTag() == dwarf::DW_TAG_lexical_block &&
          contains(Child, At)) {
        Scopes.push_back(Child);
        IsDeeper = true;
        break;
      }
  }
  for (DWARFDie Scope : reverse(Scopes))
    for (DWARFDie Child : Scope.children())
      if (isVariable(Child) && nameOf(Child) == Name)
        return Child;
  std::vector<DWARFDie> Found;
  const DWARFDie Origin =
      Function.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
  if (Origin)
    collect(Origin, Name, Found);
  const DWARFDie Declared = Origin ? Origin : Function;
  if (Found.empty() && In == Space::Global &&
      !Declared.find(dwarf::DW_AT_specification) &&
      !Declared.find(dwarf::DW_AT_object_pointer))
    collectGlobals(Unit.getUnitDIE(false), Name, Found);
  return Found.size() == 1 ? Found.front() : DWARFDie();
}

/// The place of a private array in the frame of \a Function.
bool Variables::findFrame(DWARFDie Function, const Launch &Kernel,
                          uint64_t Base, ArrayObject &Out) {
  while (Function && Function.getTag() != dwarf::DW_TAG_subprogram)
    Function = Function.getParent();
  const auto Value =
      Function ? Function.find(dwarf::DW_AT_frame_base) : std::nullopt;
  // Upstream clang gives kernels without a frame pointer no frame base.
  if (!Value)
    return Function && Function == kernel(Kernel, Base);
  const auto Block = Value->getAsBlock();
  if (!Block)
    return false;
  DWARFUnit &Unit = *Function.getDwarfUnit();
  DataExtractor Data(toStringRef(*Block), true, 8);
  DWARFExpression Expression(Data, 8, Unit.getFormParams().Format);
  auto First = Expression.begin();
  if (First == Expression.end() || First->getCode() != dwarf::DW_OP_regx)
    return false;
  const uint64_t Number = First->getRawOperand(0);
  if (++First != Expression.end() || Number < FirstSGPR ||
      Number - FirstSGPR >= SGPRCount)
    return false;
  Out.FrameRegister = unsigned(Number - FirstSGPR);
  return true;
}

static std::optional<uint64_t>
frameOffset(const DWARFLocationExpression &Location, DWARFUnit &Unit) {
  DataExtractor Data(toStringRef(Location.Expr), true, 8);
  DWARFExpression Expression(Data, 8, Unit.getFormParams().Format);
  auto First = Expression.begin();
  if (First == Expression.end() || First->getCode() != dwarf::DW_OP_fbreg)
    return std::nullopt;
  const int64_t Offset = int64_t(First->getRawOperand(0));
  return ++First == Expression.end() && Offset >= 0
             ? std::optional<uint64_t>(Offset)
             : std::nullopt;
}

/// The same variable, inlined or not.
static bool isSame(DWARFDie A, DWARFDie B) {
  const auto Declared = [](DWARFDie Die) {
    const DWARFDie Origin =
        Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    return (Origin ? Origin : Die).getOffset();
  };
  return Declared(A) == Declared(B);
}

/// Makes \a Array, at \a Part, the \a Members of its elements. If these can't
/// be compared, it is all of the elements.
static bool selectMember(StringRef Name, StringRef Members, ArrayObject &Array,
                         MemberPlace &Part) {
  if (Array.Counts.size() != 1 || Members.contains("[]"))
    return false;
  const auto Inner = findMembers(
      {plainType(Part.Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type)),
       0},
      Members);
  const uint64_t Size = Inner ? sizeOf(Inner->Type) : 0;
  if (!Size)
    return true;
  ArrayObject Member;
  if (std::optional<ArrayObject> Known = arrayOf(Name, Inner->Type))
    Member = *Known;
  Member.Name = Name.str();
  Member.Size = Size;
  if (Member.Counts.empty())
    Member.ElementSize = Size;
  Member.Stride = Array.ElementSize;
  Member.Elements = Array.Counts.front();
  Part.Offset += Inner->Offset;
  Array = std::move(Member);
  return true;
}

std::optional<ArrayObject> Variables::findArray(const Launch &Kernel,
                                                uint64_t Base, uint64_t PC,
                                                StringRef Name, Space In) {
  const uint64_t At = PC - Base;
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(At);
  const DWARFDie Function =
      Unit ? Unit->getSubroutineForAddress(At) : DWARFDie();
  const auto [Whole, OfElement] = Name.split("[].");
  const auto [First, Members] = Whole.split('.');
  const DWARFDie Variable =
      Function ? findVariable(*Unit, Function, At, First, In) : DWARFDie();
  if (!Variable)
    return std::nullopt;
  // A reference isn't followed.
  const std::optional<MemberPlace> Place =
      findMembers({typeOf(Variable), 0}, Members);
  if (!Place)
    return std::nullopt;
  MemberPlace Part = *Place;
  std::optional<ArrayObject> Array = arrayOf(Whole, Part.Type);
  if (!Array || !Array->Size || !Array->ElementSize)
    return std::nullopt;
  if (!OfElement.empty() && !selectMember(Name, OfElement, *Array, Part))
    return std::nullopt;
  Array->In = In;
  if (In == Space::Local) {
    for (const LocalPlace &P : layOutLocal(Kernel, Base))
      if (isSame(P.Die, Variable)) {
        Array->Begin = P.Offset + Part.Offset;
        return Array;
      }
    return std::nullopt;
  }
  auto Locations = Variable.getLocations(dwarf::DW_AT_location);
  if (!Locations) {
    consumeError(Locations.takeError());
    return std::nullopt;
  }
  // A variable that changes its place isn't compared.
  if (Locations->size() != 1 || Locations->front().Range)
    return std::nullopt;
  const std::optional<uint64_t> Begin =
      In == Space::Global ? addressOf(Locations->front(), *Unit)
                          : frameOffset(Locations->front(), *Unit);
  if (!Begin ||
      (In == Space::Private && !findFrame(Function, Kernel, Base, *Array)))
    return std::nullopt;
  Array->Begin = (In == Space::Global ? Base : 0) + *Begin + Part.Offset;
  return Array;
}

bool Variables::isOfVolatile(uint64_t Base, uint64_t PC, StringRef Name) {
  const uint64_t At = PC - Base;
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(At);
  const DWARFDie Function =
      Unit ? Unit->getSubroutineForAddress(At) : DWARFDie();
  const DWARFDie Variable =
      Function ? findVariable(*Unit, Function, At, Name, Space::Global)
               : DWARFDie();
  DWARFDie Type = Variable ? typeOf(Variable) : DWARFDie();
  if (!Type || (Type.getTag() != dwarf::DW_TAG_pointer_type &&
                Type.getTag() != dwarf::DW_TAG_array_type))
    return false;
  // Its qualifiers and other names.
  constexpr unsigned MaxNames = 16;
  for (unsigned I = 0; I < MaxNames; ++I) {
    Type = Type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
    if (!Type || Type.getTag() == dwarf::DW_TAG_volatile_type)
      return bool(Type);
    if (Type.getTag() != dwarf::DW_TAG_const_type &&
        Type.getTag() != dwarf::DW_TAG_typedef)
      return false;
  }
  return false;
}

static std::string nameBelow(DWARFDie Scope, uint64_t Offset) {
  for (DWARFDie Child : Scope.children()) {
    if (Child.getTag() == dwarf::DW_TAG_lexical_block ||
        Child.getTag() == dwarf::DW_TAG_inlined_subroutine) {
      if (std::string Name = nameBelow(Child, Offset); !Name.empty())
        return Name;
      continue;
    }
    if (!isVariable(Child))
      continue;
    auto Locations = Child.getLocations(dwarf::DW_AT_location);
    if (!Locations) {
      consumeError(Locations.takeError());
      continue;
    }
    const DWARFDie Type = typeOf(Child);
    for (const DWARFLocationExpression &L : *Locations)
      if (const auto Begin = frameOffset(L, *Child.getDwarfUnit());
          Begin && Offset - *Begin < sizeOf(Type))
        return nameOf(Child).str() + partOf(Type, Offset - *Begin);
  }
  return std::string();
}

std::string Variables::nameInFrame(uint64_t Base, uint64_t PC, int64_t Offset) {
  DWARFCompileUnit *Unit = Context->getCompileUnitForCodeAddress(PC - Base);
  DWARFDie Function =
      Unit ? Unit->getSubroutineForAddress(PC - Base) : DWARFDie();
  while (Function && Function.getTag() != dwarf::DW_TAG_subprogram)
    Function = Function.getParent();
  return Function && Offset >= 0 ? nameBelow(Function, uint64_t(Offset))
                                 : std::string();
}
