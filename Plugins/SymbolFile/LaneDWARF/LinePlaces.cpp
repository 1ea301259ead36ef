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

/// All code of the line in the function, for the same call.
static std::vector<LineRow> FindRows(const SymbolContext &place) {
  std::vector<LineRow> rows;
  LineTable *table = place.comp_unit->GetLineTable();
  if (!table)
    return rows;
  const LineEntry &line = place.line_entry;
  for (const AddressRange &range : place.function->GetAddressRanges()) {
    LineEntry entry;
    uint32_t index = 0;
    const addr_t begin = range.GetBaseAddress().GetFileAddress();
    if (!table->FindLineEntryByAddress(range.GetBaseAddress(), entry, &index))
      continue;
    for (; table->GetLineEntryAtIndex(index, entry); ++index) {
      const Address &base = entry.range.GetBaseAddress();
      const addr_t address = base.GetFileAddress();
      if (address - begin >= range.GetByteSize())
        break;
      if (entry.is_terminal_entry || entry.line != line.line ||
          entry.GetFile() != line.GetFile())
        continue;
      if (GetCall(base.CalculateSymbolContextBlock()) == GetCall(place.block))
        rows.push_back(
            {address, address + entry.range.GetByteSize(), entry.column});
    }
  }
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

class LinesOfC : public Language {
public:
  static Language *CreateInstance(LanguageType language) {
    return LanguageIsC(language) ? new LinesOfC() : nullptr;
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
  PluginManager::RegisterPlugin(LinesOfC::GetPluginNameStatic(),
                                "Lines of C that have several copies",
                                LinesOfC::CreateInstance);
}
