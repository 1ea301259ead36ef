//===-- LinePlaces.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinePlaces.h"
#include "CodeFlow.h"
#include "LaneSymbols.h"

#include "lldb/Core/Module.h"
#include "lldb/Core/PluginManager.h"
#include "lldb/Symbol/Block.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Target/Language.h"
#include "llvm/Support/FormatVariadic.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

LinePlaces::LinePlaces() = default;
LinePlaces::~LinePlaces() = default;

/// The call that \a block was inlined for; null outside of such calls.
static Block *GetCall(Block *block) {
  return block ? block->GetContainingInlinedBlock() : nullptr;
}

static addr_t GetAddress(const SymbolContext &place) {
  return place.line_entry.range.GetBaseAddress().GetFileAddress();
}

/// Calls \a take with each row of the function's code for the same file and
/// call as \a place.
static void ForEachRow(const SymbolContext &place,
                       llvm::function_ref<void(const LineEntry &)> take) {
  LineTable *table = place.comp_unit->GetLineTable();
  if (!table)
    return;
  for (const AddressRange &range : place.function->GetAddressRanges()) {
    LineEntry entry;
    uint32_t index = 0;
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    if (!table->FindLineEntryByAddress(range.GetBaseAddress(), entry, &index))
      continue;
    for (; table->GetLineEntryAtIndex(index, entry); ++index) {
      const Address &base = entry.range.GetBaseAddress();
      if (base.GetFileAddress() - begin >= range.GetByteSize())
        break;
      if (!entry.is_terminal_entry &&
          entry.GetFile() == place.line_entry.GetFile() &&
          GetCall(base.CalculateSymbolContextBlock()) == GetCall(place.block))
        take(entry);
    }
  }
}

static LineRow ToRow(const LineEntry &entry) {
  const addr_t address = entry.range.GetBaseAddress().GetFileAddress();
  return {address, address + entry.range.GetByteSize(), entry.column};
}

/// All code of the line in the function, for the same call.
static std::vector<LineRow> FindRows(const SymbolContext &place) {
  std::vector<LineRow> rows;
  ForEachRow(place, [&](const LineEntry &entry) {
    if (entry.line == place.line_entry.line)
      rows.push_back(ToRow(entry));
  });
  llvm::sort(rows, [](const LineRow &a, const LineRow &b) {
    return a.begin < b.begin;
  });
  return rows;
}

static std::string DescribeCopy(const LineStop &stop, size_t number,
                                size_t count, Function &function) {
  std::string text = llvm::formatv("copy {0} of {1}", number, count);
  if (!stop.loop)
    return text + ", in no loop";
  const addr_t entry = function.GetAddress().GetFileAddress();
  if (*stop.loop < entry)
    return text + llvm::formatv(", in the loop at {0:x}", *stop.loop).str();
  return text + llvm::formatv(", in the loop at {0} + {1}",
                              function.GetNameNoArguments().GetStringRef(),
                              *stop.loop - entry)
                    .str();
}

LinePlaces::Places LinePlaces::ChooseOfFunction(const Places &places) {
  Function &function = *places.front().function;
  std::map<addr_t, const SymbolContext *> known;
  std::vector<LineStatement> statements;
  // LLDB also offers places that the line table doesn't recommend. Of two rows
  // at an address it keeps the second, and marks it as the end of a prologue.
  auto is_recommended = [](const SymbolContext &place) {
    return place.line_entry.is_start_of_statement ||
           place.line_entry.is_prologue_end;
  };
  const bool takes_all = llvm::none_of(places, is_recommended);
  for (const SymbolContext &place : places)
    if ((takes_all || is_recommended(place)) &&
        known.try_emplace(GetAddress(place), &place).second)
      statements.push_back({GetAddress(place), place.block});
  llvm::sort(statements, [](const LineStatement &a, const LineStatement &b) {
    return a.address < b.address;
  });
  const std::vector<LineStop> stops =
      FindLineStops(ReadFlow(function), function.GetAddress().GetFileAddress(),
                    statements, FindRows(places.front()));
  Places chosen;
  for (size_t i = 0; i < stops.size(); ++i) {
    SymbolContext place = *known.at(stops[i].address);
    std::unique_ptr<Block> &block = m_blocks[stops[i].address];
    if (!block)
      block = std::make_unique<Block>(function, function.GetID());
    place.block = block.get();
    chosen.push_back(std::move(place));
    if (stops[i].is_copy)
      m_notes[stops[i].address] =
          DescribeCopy(stops[i], i + 1, stops.size(), function);
  }
  return chosen;
}

void LinePlaces::Choose(llvm::SmallVectorImpl<SymbolContext> &places,
                        llvm::function_ref<bool(Function &)> is_optimized) {
  // LLDB removes all but the closest line later.
  using Key = std::tuple<FileSpec, uint32_t, Function *, Block *>;
  std::map<Key, Places> groups;
  for (const SymbolContext &place : places)
    groups[{place.line_entry.GetFile(), place.line_entry.line, place.function,
            GetCall(place.block)}]
        .push_back(place);
  places.clear();
  for (auto &[key, group] : groups) {
    const SymbolContext &first = group.front();
    if (group.size() > 1 && first.function && first.comp_unit &&
        is_optimized(*first.function))
      if (Places chosen = ChooseOfFunction(group); !chosen.empty())
        group = std::move(chosen);
    places.append(group.begin(), group.end());
  }
}

std::string LinePlaces::GetNote(addr_t address) const {
  auto known = m_notes.find(address);
  return known == m_notes.end() ? std::string() : known->second;
}

namespace {
/// A line of a function, as LineCopies takes it.
struct LineCode {
  std::vector<LineStatement> statements;
  std::vector<LineRow> rows;

  std::vector<addr_t> FindStops(llvm::ArrayRef<FlowInstruction> flow,
                                addr_t entry) {
    llvm::sort(statements, [](const LineStatement &a, const LineStatement &b) {
      return a.address < b.address;
    });
    llvm::sort(rows, [](const LineRow &a, const LineRow &b) {
      return a.begin < b.begin;
    });
    std::vector<addr_t> addresses;
    for (const LineStop &stop : FindLineStops(flow, entry, statements, rows))
      addresses.push_back(stop.address);
    return addresses;
  }
};
} // namespace

std::string MissingCopies::Describe() const {
  if (count == 1)
    return llvm::formatv("line {0} has no code in its loop, and doesn't stop "
                         "in each round",
                         line)
        .str();
  return llvm::formatv("line {0} has no code in {1} of the {2} copies of its "
                       "loop, and doesn't stop there",
                       line, without, count)
      .str();
}

std::optional<MissingCopies>
LinePlaces::FindMissing(const SymbolContext &place,
                        llvm::function_ref<bool(uint32_t, uint32_t)> is_due) {
  const auto [known, is_new] = m_missing.try_emplace(GetAddress(place));
  if (!is_new)
    return known->second;
  std::map<uint32_t, LineCode> lines;
  ForEachRow(place, [&](const LineEntry &entry) {
    LineCode &code = lines[entry.line];
    code.rows.push_back(ToRow(entry));
    const Address &base = entry.range.GetBaseAddress();
    if (entry.line && (entry.is_start_of_statement || entry.is_prologue_end))
      code.statements.push_back(
          {base.GetFileAddress(), base.CalculateSymbolContextBlock()});
  });
  const std::vector<FlowInstruction> flow = ReadFlow(*place.function);
  const addr_t entry = place.function->GetAddress().GetFileAddress();
  const uint32_t line = place.line_entry.line;
  // Each instruction of the line, also of parts that aren't stops.
  std::vector<addr_t> own;
  for (const FlowInstruction &inst : flow)
    if (llvm::any_of(lines[line].rows, [&](const LineRow &row) {
          return row.begin <= inst.address && inst.address < row.end;
        }))
      own.push_back(inst.address);
  if (own.empty())
    return std::nullopt;
  for (auto &[other, code] : lines) {
    if (other == line || code.statements.empty())
      continue;
    const std::vector<addr_t> rounds = code.FindStops(flow, entry);
    const size_t without =
        CountWithout(flow, entry, rounds, own, line < other).value_or(0);
    const MissingCopies missing{line, without, rounds.size()};
    const bool is_more = !known->second || missing.count > known->second->count;
    if (without && is_more && is_due(other, line))
      known->second = missing;
  }
  return known->second;
}

static LaneSymbols *GetSymbols(const ModuleSP &module_sp) {
  return module_sp ? dynamic_cast<LaneSymbols *>(module_sp->GetSymbolFile())
                   : nullptr;
}

void lldb_private::wavelane::FilterLinePlaces(
    llvm::SmallVectorImpl<SymbolContext> &places) {
  // They are all of one module.
  if (places.empty())
    return;
  if (LaneSymbols *symbols = GetSymbols(places.front().module_sp))
    symbols->ChooseLinePlaces(places);
}

std::string lldb_private::wavelane::GetLineNote(const Address &address) {
  LaneSymbols *symbols = GetSymbols(address.GetModule());
  return symbols ? symbols->GetLineNote(address) : std::string();
}

std::optional<MissingCopies>
lldb_private::wavelane::FindMissingCopies(const Address &place) {
  LaneSymbols *symbols = GetSymbols(place.GetModule());
  SymbolContext context;
  if (symbols)
    place.CalculateSymbolContext(
        &context, eSymbolContextCompUnit | eSymbolContextFunction |
                      eSymbolContextBlock | eSymbolContextLineEntry);
  return context.function && context.comp_unit && context.line_entry.IsValid()
             ? symbols->FindMissingCopies(context)
             : std::nullopt;
}

std::string lldb_private::wavelane::GetInlineNote(const Address &address) {
  std::string text;
  for (Block *block = GetCall(address.CalculateSymbolContextBlock()); block;
       block = block->GetInlinedParent()) {
    const InlineFunctionInfo *info = block->GetInlinedFunctionInfo();
    const Declaration &call = info->GetCallSite();
    text += llvm::formatv("{0}{1}:{2}", text.empty() ? "inlined at " : ", ",
                          call.GetFile().GetFilename(), call.GetLine())
                .str();
  }
  return text;
}

std::optional<LineMove>
lldb_private::wavelane::FindLineMove(const Address &place,
                                     const LineEntry &entry,
                                     const FileSpec &file, uint32_t line) {
  if (!entry.IsValid() || !line || entry.line <= line ||
      !FileSpec::Match(file, entry.GetFile()))
    return std::nullopt;
  LineMove move{line, entry.line, std::nullopt};
  SymbolContext context;
  place.CalculateSymbolContext(&context, eSymbolContextCompUnit);
  LaneSymbols *symbols = GetSymbols(place.GetModule());
  if (symbols && context.comp_unit)
    move.where = symbols->CompareLines(*context.comp_unit, entry.GetFile(),
                                       line, entry.line);
  return move;
}

namespace {

class LanguageC : public Language {
public:
  static Language *CreateInstance(LanguageType language) {
    return LanguageIsC(language) ? new LanguageC() : nullptr;
  }
  static llvm::StringRef GetPluginNameStatic() { return "c"; }

  llvm::StringRef GetPluginName() override { return GetPluginNameStatic(); }
  // LLDB looks a name up once for each language that its plugins have, and C's
  // names are found as C++'s.
  LanguageType GetLanguageType() const override {
    return eLanguageTypeC_plus_plus;
  }
  // Sources are found by their names as before: by the plugin for C++.
  bool IsSourceFile(llvm::StringRef file_path) const override { return false; }
  const Highlighter *GetHighlighter() const override {
    Language *plugin = FindPlugin(eLanguageTypeC_plus_plus);
    return plugin ? plugin->GetHighlighter() : nullptr;
  }
  void FilterForLineBreakpoints(
      llvm::SmallVectorImpl<SymbolContext> &places) const override {
    FilterLinePlaces(places);
  }
};

} // namespace

void lldb_private::wavelane::InitializeLinesOfC() {
  PluginManager::RegisterPlugin(LanguageC::GetPluginNameStatic(),
                                "Lines of C that have several copies",
                                LanguageC::CreateInstance);
}
