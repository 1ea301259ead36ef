//===-- BreakpointMoves.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BreakpointMoves.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"

#include "lldb/Breakpoint/BreakpointResolver.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/StructuredData.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

std::optional<std::pair<FileSpec, uint32_t>>
lldb_private::wavelane::GetOwnLine(Breakpoint &breakpoint) {
  StructuredData::ObjectSP whole_sp = breakpoint.SerializeToStructuredData();
  StructuredData::Dictionary *resolver =
      whole_sp ? whole_sp->GetAsDictionary() : nullptr;
  StructuredData::Dictionary *options = nullptr;
  llvm::StringRef kind, path;
  uint64_t line = 0;
  if (!resolver ||
      !resolver->GetValueForKeyAsDictionary(Breakpoint::GetSerializationKey(),
                                            resolver) ||
      !resolver->GetValueForKeyAsDictionary(
          BreakpointResolver::GetSerializationKey(), resolver) ||
      !resolver->GetValueForKeyAsString("Type", kind) ||
      kind != "FileAndLine" ||
      !resolver->GetValueForKeyAsDictionary("Options", options) ||
      !options->GetValueForKeyAsString("FileName", path) ||
      !options->GetValueForKeyAsInteger("LineNumber", line))
    return std::nullopt;
  return std::make_pair(FileSpec(path), uint32_t(line));
}

std::vector<BreakpointMove>
lldb_private::wavelane::FindMoves(Breakpoint &breakpoint) {
  const auto own = GetOwnLine(breakpoint);
  if (!own)
    return {};
  std::vector<BreakpointMove> moves;
  for (size_t i = 0; i < breakpoint.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = breakpoint.GetLocationAtIndex(i);
    const Address &address = location_sp->GetAddress();
    LineEntry entry;
    if (std::optional<LineEntry> preferred =
            location_sp->GetPreferredLineEntry())
      entry = *preferred;
    else
      address.CalculateSymbolContextLineEntry(entry);
    if (std::optional<LineMove> move =
            FindLineMove(address, entry, own->first, own->second);
        move && move->Leaves())
      moves.push_back({location_sp, std::move(*move)});
  }
  return moves;
}

std::vector<MissingCopies>
lldb_private::wavelane::FindMissingCopies(Breakpoint &breakpoint) {
  std::vector<MissingCopies> all;
  std::set<uint32_t> lines;
  for (size_t i = 0; i < breakpoint.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = breakpoint.GetLocationAtIndex(i);
    if (!location_sp->IsEnabled())
      continue;
    std::optional<MissingCopies> missing =
        FindMissingCopies(location_sp->GetAddress());
    if (missing && lines.insert(missing->line).second)
      all.push_back(*missing);
  }
  return all;
}

std::string lldb_private::wavelane::Describe(const LineMove &move) {
  const bool moves = GetProcessAMDGPUProperties().MovesBreakpoints();
  if (!move.where)
    return llvm::formatv(
               moves ? "line {0} has no code: it stops at line {1}, which may "
                       "be in another branch; the source can't be read"
                     : "line {0} has no code, and it doesn't stop at line {1}, "
                       "which may be in another branch; the source can't be "
                       "read",
               move.from, move.to)
        .str();
  return llvm::formatv(moves ? "line {0} has no code: it stops at line {1}, {2}"
                             : "line {0} has no code, and it doesn't stop at "
                               "line {1}, which is {2}",
                       move.from, move.to, *move.where)
      .str();
}

/// The regular expression of a breakpoint on functions; empty for others.
static std::string GetFunctionRegex(Breakpoint &breakpoint) {
  const StructuredData::ObjectSP whole_sp =
      breakpoint.SerializeToStructuredData();
  StructuredData::Dictionary *resolver = nullptr, *options = nullptr;
  const StructuredData::ObjectSP resolver_sp =
      whole_sp ? whole_sp->GetObjectForDotSeparatedPath(
                     std::string(Breakpoint::GetSerializationKey()) + "." +
                     BreakpointResolver::GetSerializationKey())
               : nullptr;
  llvm::StringRef kind, regex;
  if (resolver_sp && (resolver = resolver_sp->GetAsDictionary()) &&
      resolver->GetValueForKeyAsString("Type", kind) && kind == "SymbolName" &&
      resolver->GetValueForKeyAsDictionary("Options", options))
    options->GetValueForKeyAsString("Regex", regex);
  return regex.str();
}

/// The host's function that launches a kernel has the kernel's name in its
/// own, and a pattern that matches both means the kernel.
static void RefuseStubs(Breakpoint &breakpoint) {
  constexpr llvm::StringLiteral kStub("__device_stub__");
  const std::string regex = GetFunctionRegex(breakpoint);
  if (regex.empty() || llvm::StringRef(regex).contains("device_stub"))
    return;
  for (size_t i = 0; i < breakpoint.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = breakpoint.GetLocationAtIndex(i);
    SymbolContext context;
    location_sp->GetAddress().CalculateSymbolContext(
        &context, eSymbolContextFunction | eSymbolContextSymbol);
    if (location_sp->IsEnabled() &&
        context.GetFunctionName().GetStringRef().contains(kStub))
      llvm::consumeError(location_sp->SetEnabled(false));
  }
}

void lldb_private::wavelane::RefuseMoves(Breakpoint &breakpoint) {
  RefuseStubs(breakpoint);
  if (GetProcessAMDGPUProperties().MovesBreakpoints())
    return;
  for (const BreakpointMove &move : FindMoves(breakpoint))
    if (move.location_sp->IsEnabled())
      llvm::consumeError(move.location_sp->SetEnabled(false));
}

void lldb_private::wavelane::RefuseMoves(Target &target) {
  for (const BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints())
    RefuseMoves(*breakpoint_sp);
}
