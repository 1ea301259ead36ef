//===-- BreakpointBinding.cpp ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BreakpointBinding.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/GPUHost/BreakpointMoves.h"

#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointResolver.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/SearchFilter.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Target.h"
#include "lldb/Utility/RegularExpression.h"
#include "llvm/Support/FormatVariadic.h"

#include <set>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// What a breakpoint is set on, for the kinds that can be looked up in GPU
/// code.
struct Wanted {
  FileSpec file;
  uint32_t line = 0;
  std::vector<std::string> functions;
  std::string function_regex;
  std::string regex;
  /// Files to search; all if empty.
  std::vector<FileSpec> files;

  bool IsEmpty() const {
    return !line && functions.empty() && function_regex.empty() &&
           regex.empty();
  }

  bool Covers(const FileSpec &file) const {
    return files.empty() || llvm::any_of(files, [&](const FileSpec &pattern) {
             return FileSpec::Match(pattern, file);
           });
  }

  explicit Wanted(Breakpoint &breakpoint) {
    StructuredData::ObjectSP whole_sp = breakpoint.SerializeToStructuredData();
    StructuredData::Dictionary *dict =
        whole_sp ? whole_sp->GetAsDictionary() : nullptr;
    llvm::StringRef kind, text;
    StructuredData::Dictionary *options = nullptr, *filter = nullptr;
    if (!dict || !dict->GetValueForKeyAsDictionary(
                     Breakpoint::GetSerializationKey(), dict))
      return;
    StructuredData::Array *units = nullptr;
    if (dict->GetValueForKeyAsDictionary(SearchFilter::GetSerializationKey(),
                                         filter) &&
        filter->GetValueForKeyAsDictionary("Options", filter) &&
        filter->GetValueForKeyAsArray("CUList", units) && units)
      for (size_t i = 0; i < units->GetSize(); ++i)
        if (std::optional<llvm::StringRef> name =
                units->GetItemAtIndexAsString(i))
          files.emplace_back(*name);
    if (!dict->GetValueForKeyAsDictionary(
            BreakpointResolver::GetSerializationKey(), dict) ||
        !dict->GetValueForKeyAsString("Type", kind) ||
        !dict->GetValueForKeyAsDictionary("Options", options))
      return;
    if (const auto own = GetOwnLine(breakpoint)) {
      std::tie(file, line) = *own;
    } else if (kind == "SourceRegex") {
      if (options->GetValueForKeyAsString("Regex", text))
        regex = text.str();
    } else if (kind == "SymbolName") {
      StructuredData::Array *names = nullptr;
      if (options->GetValueForKeyAsArray("SymbolNames", names) && names)
        for (size_t i = 0; i < names->GetSize(); ++i)
          if (std::optional<llvm::StringRef> name =
                  names->GetItemAtIndexAsString(i))
            functions.push_back(name->str());
      if (options->GetValueForKeyAsString("Regex", text))
        function_regex = text.str();
    }
  }
};

/// Whether the function, or the one inlined there, begins at \a line or before.
/// LLDB lets a breakpoint move from the line in front of a function into it.
bool BeginsBefore(const SymbolContext &context, uint32_t line) {
  if (context.line_entry.line == line)
    return true;
  SupportFileNSP file = std::make_shared<SupportFile>();
  uint32_t first = 0;
  Block *inlined =
      context.block ? context.block->GetContainingInlinedBlock() : nullptr;
  if (const InlineFunctionInfo *info =
          inlined ? inlined->GetInlinedFunctionInfo() : nullptr)
    first = info->GetDeclaration().GetLine();
  else
    context.function->GetStartLineSourceInfo(file, first);
  return first && first <= line + 1;
}

/// The places that a breakpoint will have in GPU code.
class Places {
public:
  using CodeObject = ObjectContainerFatBinary::CodeObject;

  explicit Places(bool skips_prologues) : m_skips_prologues(skips_prologues) {}

  void Add(const CodeObject &object, const Wanted &wanted,
           SourceManager &sources) {
    if (wanted.line)
      AddLine(object, wanted.file, wanted.line);
    if (!wanted.regex.empty())
      AddMatchingLines(object, wanted, sources);
    AddFunctions(object, wanted);
  }

  /// Whether the host location isn't on the breakpoint's own line: LLDB moved
  /// it to the next line of host code.
  bool IsBeside(BreakpointLocation &location) const {
    LineEntry line;
    return m_has_line &&
           location.GetAddress().CalculateSymbolContextLineEntry(line) &&
           !m_lines.count(
               {line.GetFile().GetFilename().GetStringRef().str(), line.line});
  }

  /// What is said of places that aren't on the breakpoint's line.
  const std::set<std::string> &GetMoves() const { return m_moves; }

  std::vector<GPUPlace> Get() const { return m_places; }

private:
  /// The line where a breakpoint at \a line stops.
  uint32_t FindStop(const SymbolContext &context, const LineEntry &line) const {
    Function *function = context.function;
    LineEntry entry;
    if (!m_skips_prologues || !function ||
        function->GetAddress() != line.range.GetBaseAddress())
      return line.line;
    Address address = function->GetAddress();
    address.Slide(function->GetPrologueByteSize());
    return address.CalculateSymbolContextLineEntry(entry) && entry.line &&
                   entry.GetFile() == line.GetFile()
               ? entry.line
               : line.line;
  }

  void Add(const CodeObject &object, const SymbolContext &context,
           const LineEntry &line) {
    const std::string where =
        llvm::formatv("{0} at {1}:{2}",
                      context.GetFunctionName().GetStringRef(),
                      line.GetFile().GetFilename(), line.line)
            .str();
    m_lines.insert(
        {line.GetFile().GetFilename().GetStringRef().str(), line.line});
    for (GPUPlace &known : m_places)
      if (known.where == where) {
        if (!llvm::StringRef(known.processors).ends_with(object.target_id))
          known.processors += ", " + object.target_id;
        return;
      }
    m_places.push_back({where, object.target_id, line.GetFile(), line.line,
                        FindStop(context, line)});
  }

  /// A line without code moves to the function's next line with code.
  void AddLine(const CodeObject &object, const FileSpec &file,
               uint32_t number) {
    SymbolContextList contexts;
    object.module_sp->ResolveSymbolContextsForFileSpec(
        file, number, /*check_inlines=*/true, eSymbolContextEverything,
        contexts);
    for (SymbolContext context : contexts) {
      if (!context.function || !BeginsBefore(context, number))
        continue;
      m_has_line = true;
      // For the line of an inlined call LLDB gives the block and file at the
      // function's first address, where a header's function may be inlined.
      if (context.line_entry.GetFile().GetFilename() != file.GetFilename()) {
        context.block = nullptr;
        context.line_entry.file_sp = std::make_shared<SupportFile>(file);
      }
      std::optional<LineMove> move =
          FindLineMove(context.line_entry.range.GetBaseAddress(),
                       context.line_entry, file, number);
      if (move && move->Leaves()) {
        m_moves.insert(Describe(*move));
        if (!GetProcessAMDGPUProperties().MovesBreakpoints())
          continue;
      }
      if (std::optional<MissingCopies> missing =
              FindMissingCopies(context.line_entry.range.GetBaseAddress()))
        m_moves.insert(missing->Describe());
      Add(object, context, context.line_entry);
    }
  }

  void AddMatchingLines(const CodeObject &object, const Wanted &wanted,
                        SourceManager &sources) {
    RegularExpression regex(wanted.regex);
    for (size_t i = 0; i < object.module_sp->GetNumCompileUnits(); ++i) {
      CompUnitSP unit_sp = object.module_sp->GetCompileUnitAtIndex(i);
      std::vector<uint32_t> matches;
      FileSpec file = unit_sp->GetPrimaryFile();
      if (!wanted.Covers(file))
        continue;
      sources.FindLinesMatchingRegex(std::make_shared<SupportFile>(file), regex,
                                     1, UINT32_MAX, matches);
      for (uint32_t number : matches)
        AddLine(object, file, number);
    }
  }

  void AddFunctions(const CodeObject &object, const Wanted &wanted) {
    // Search symbols, too: they find a template by its name without arguments.
    ModuleFunctionSearchOptions options;
    options.include_inlines = true;
    options.include_symbols = true;
    SymbolContextList contexts;
    for (const std::string &name : wanted.functions)
      object.module_sp->FindFunctions(ConstString(name), CompilerDeclContext(),
                                      eFunctionNameTypeAuto, options, contexts);
    if (!wanted.function_regex.empty())
      object.module_sp->FindFunctions(RegularExpression(wanted.function_regex),
                                      options, contexts);
    for (const SymbolContext &context : contexts)
      AddFunction(object, context);
  }

  void AddFunction(const CodeObject &object, SymbolContext context) {
    Address address;
    if (context.block || context.function) {
      AddressRange range;
      context.GetAddressRange(eSymbolContextBlock | eSymbolContextFunction, 0,
                              /*use_inline_block_range=*/true, range);
      address = range.GetBaseAddress();
    } else if (context.symbol && context.symbol->GetType() == eSymbolTypeCode) {
      address = context.symbol->GetAddress();
      address.CalculateSymbolContext(&context, eSymbolContextFunction |
                                                   eSymbolContextSymbol);
    }
    LineEntry line;
    if (!address.IsValid() || !address.CalculateSymbolContextLineEntry(line))
      return;
    // Optimized code may begin with code inlined from another file.
    if (context.function && !context.block) {
      SupportFileNSP function_file = std::make_shared<SupportFile>();
      uint32_t number = 0;
      context.function->GetStartLineSourceInfo(function_file, number);
      if (number && function_file->GetSpecOnly() != line.GetFile()) {
        line.file_sp = function_file;
        line.line = number;
      }
    }
    Add(object, context, line);
  }

  const bool m_skips_prologues;
  std::vector<GPUPlace> m_places;
  std::set<std::pair<std::string, uint32_t>> m_lines;
  std::set<std::string> m_moves;
  /// Some code is on the breakpoint's line, or on the next line of its
  /// function.
  bool m_has_line = false;
};

} // namespace

static Places FindPlaces(Target &host, Breakpoint &breakpoint) {
  Places places(host.GetSkipPrologue());
  const ModuleSP program_sp = host.GetExecutableModule();
  const Wanted wanted(breakpoint);
  if (program_sp && !wanted.IsEmpty())
    for (const ObjectContainerFatBinary::CodeObject &object :
         ObjectContainerFatBinary::GetCodeObjects(*program_sp))
      places.Add(object, wanted, host.GetSourceManager());
  return places;
}

std::vector<GPUPlace>
lldb_private::wavelane::FindGPUPlaces(Target &host, Breakpoint &breakpoint) {
  return FindPlaces(host, breakpoint).Get();
}

std::vector<std::string>
lldb_private::wavelane::BindToGPUCode(Target &host, Breakpoint &breakpoint) {
  const Places places = FindPlaces(host, breakpoint);
  for (size_t i = 0; i < breakpoint.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = breakpoint.GetLocationAtIndex(i);
    if (places.IsBeside(*location_sp))
      llvm::consumeError(location_sp->SetEnabled(false));
  }
  std::vector<std::string> result;
  for (const GPUPlace &place : places.Get())
    result.push_back(
        llvm::formatv("Breakpoint {0}: where = {1} (GPU code for {2})",
                      breakpoint.GetID(), place.where, place.processors)
            .str());
  for (const std::string &move : places.GetMoves())
    result.push_back(
        llvm::formatv("Breakpoint {0}: {1}", breakpoint.GetID(), move).str());
  return result;
}
