//===-- CallSites.cpp -------------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallSites.h"
#include "EntryAttributes.h"
#include "Plugins/SymbolFile/DWARF/DWARFCompileUnit.h"
#include "Plugins/SymbolFile/DWARF/DWARFFormValue.h"
#include "Plugins/SymbolFile/DWARF/SymbolFileDWARF.h"
#include "lldb/Core/Module.h"
#include "lldb/Symbol/ObjectFile.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace dw = llvm::dwarf;

static CallSite ReadCallSite(const DWARFDIE &die) {
  CallSite site;
  site.die = die;
  // The function that GNU's abstract origin refers to has attributes of the
  // same names.
  DWARFAttributes attributes = die.GetAttributes(DWARFDIE::Recurse::no);
  for (size_t i = 0; i < attributes.Size(); ++i) {
    DWARFFormValue value;
    if (!attributes.ExtractFormValueAtIndex(i, value))
      continue;
    switch (attributes.AttributeAtIndex(i)) {
    case dw::DW_AT_call_tail_call:
    case dw::DW_AT_GNU_tail_call:
      site.is_tail_call = value.Boolean();
      break;
    case dw::DW_AT_call_return_pc:
    case dw::DW_AT_low_pc:
      site.return_pc = value.Address();
      break;
    case dw::DW_AT_call_pc:
      site.call_pc = value.Address();
      break;
    case dw::DW_AT_call_origin:
    case dw::DW_AT_abstract_origin:
      site.origin = value.Reference();
      break;
    case dw::DW_AT_call_target:
    case dw::DW_AT_GNU_call_site_target:
      if (DWARFFormValue::IsBlockForm(value.Form()))
        site.target = GetBlock(value);
      break;
    default:
      break;
    }
  }
  return site;
}

static void ReadCallSites(const DWARFDIE &around,
                          std::vector<CallSite> &sites) {
  for (const DWARFDIE &child : around.children())
    switch (child.Tag()) {
    case dw::DW_TAG_call_site:
    case dw::DW_TAG_GNU_call_site:
      sites.push_back(ReadCallSite(child));
      break;
    case dw::DW_TAG_lexical_block:
    case dw::DW_TAG_inlined_subroutine:
    case dw::DW_TAG_try_block:
    case dw::DW_TAG_catch_block:
      ReadCallSites(child, sites);
      break;
    default:
      break;
    }
}

std::vector<CallSite>
lldb_private::wavelane::ReadCallSites(const DWARFDIE &function) {
  std::vector<CallSite> sites;
  ::ReadCallSites(function, sites);
  return sites;
}

static DWARFExpressionList MakeList(const DWARFDIE &die,
                                    llvm::ArrayRef<uint8_t> expression) {
  return DWARFExpressionList(
      die.GetModule(),
      DWARFExpression(lldb_private::DataExtractor(
          expression.data(), expression.size(), eByteOrderLittle,
          die.GetCU()->GetAddressByteSize())),
      die.GetCU());
}

std::vector<std::unique_ptr<CallEdge>>
lldb_private::wavelane::MakeCallEdges(const DWARFDIE &function) {
  std::vector<std::unique_ptr<CallEdge>> edges;
  // LLDB finds chains of tail calls, which needs all calls.
  if (!function ||
      (!function.GetAttributeValueAsUnsigned(dw::DW_AT_call_all_calls, 0) &&
       !function.GetAttributeValueAsUnsigned(dw::DW_AT_GNU_all_call_sites, 0)))
    return edges;
  for (const CallSite &site : ReadCallSites(function)) {
    const bool is_after = site.return_pc != LLDB_INVALID_ADDRESS;
    const addr_t address = is_after ? site.return_pc : site.call_pc;
    if (address == LLDB_INVALID_ADDRESS)
      continue;
    const CallEdge::AddrType type =
        is_after ? CallEdge::AddrType::AfterCall : CallEdge::AddrType::Call;
    // EntryValues reads parameters itself.
    CallSiteParameterArray parameters;
    if (site.origin)
      edges.push_back(std::make_unique<DirectCallEdge>(
          site.origin.GetMangledName(), type, address, site.is_tail_call,
          std::move(parameters)));
    else if (!site.target.empty())
      edges.push_back(std::make_unique<IndirectCallEdge>(
          MakeList(site.die, site.target), type, address, site.is_tail_call,
          std::move(parameters)));
  }
  return edges;
}

/// The entry with the function's name.
static DWARFDIE GetAbstract(DWARFDIE function) {
  constexpr unsigned most = 4; // An instance's origin may specify a member.
  for (unsigned depth = 0; depth < most; ++depth)
    if (DWARFDIE origin = function.GetReferencedDIE(dw::DW_AT_abstract_origin))
      function = origin;
    else
      break;
  return function;
}

bool lldb_private::wavelane::AreSameFunction(const DWARFDIE &a,
                                             const DWARFDIE &b) {
  const DWARFDIE first = GetAbstract(a), second = GetAbstract(b);
  if (!first || !second)
    return false;
  if (first == second)
    return true;
  auto is_external = [](const DWARFDIE &die) {
    const DWARFDIE specified = die.GetReferencedDIE(dw::DW_AT_specification);
    return die.GetAttributeValueAsUnsigned(dw::DW_AT_external, 0) ||
           (specified &&
            specified.GetAttributeValueAsUnsigned(dw::DW_AT_external, 0));
  };
  const char *first_name = first.GetMangledName();
  const char *second_name = second.GetMangledName();
  // Other units may have functions of their own with that name.
  return first_name && second_name &&
         llvm::StringRef(first_name) == second_name &&
         (first.GetCU() == second.GetCU() ||
          (is_external(first) && is_external(second)));
}

/// The entry with the code of what \a origin names.
static DWARFDIE FindCode(const DWARFDIE &origin) {
  if (origin.GetAttributeValueAsOptionalUnsigned(dw::DW_AT_low_pc) ||
      origin.GetAttributeValueAsOptionalUnsigned(dw::DW_AT_ranges))
    return origin;
  const char *name = origin.GetMangledName();
  if (!name)
    return {};
  SymbolContextList found;
  ModuleFunctionSearchOptions options;
  options.include_inlines = false;
  options.include_symbols = false;
  origin.GetModule()->FindFunctions(
      ConstString(name), CompilerDeclContext(),
      eFunctionNameTypeFull | eFunctionNameTypeBase, options, found);
  SymbolContext sc;
  for (uint32_t i = 0; found.GetContextAtIndex(i, sc); ++i)
    if (sc.function)
      if (DWARFDIE die = origin.GetDWARF()->GetDIE(sc.function->GetID());
          die && AreSameFunction(die, origin))
        return die;
  return {};
}

bool lldb_private::wavelane::MayTailCallItself(const DWARFDIE &function) {
  // Code of more functions than a chain of tail calls has.
  constexpr size_t most = 64;
  std::vector<DWARFDIE> reached{function};
  for (size_t i = 0; i < reached.size() && i < most; ++i)
    for (const CallSite &site : ReadCallSites(reached[i])) {
      if (!site.is_tail_call || !site.origin)
        continue;
      if (AreSameFunction(site.origin, function))
        return true;
      if (DWARFDIE code = FindCode(site.origin);
          code && !llvm::is_contained(reached, code))
        reached.push_back(code);
    }
  return reached.size() > most;
}
