//===-- LineFacts.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineFacts.h"
#include "Core/Format/LaneView.h"
#include "Core/Support/Processor.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Process/GPUHost/BreakpointMoves.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// Names that differ in more letters than this aren't called similar.
constexpr unsigned kMostDifferentLetters = 2;

/// A module to look in.
struct Candidate {
  ModuleSP module_sp;
  std::string gpu;
  bool loaded;
};

/// Gathers the facts module by module.
class Search {
public:
  Search(const FileSpec &file, LineFacts &facts)
      : m_file(file), m_facts(facts) {}

  void Look(const Candidate &candidate) {
    Module &module = *candidate.module_sp;
    const size_t units = module.GetNumCompileUnits();
    m_has_debug_info |= units > 0;
    if (!units && !candidate.gpu.empty())
      m_bare.insert(
          llvm::formatv("{0} ({1})", NameOf(module), candidate.gpu).str());
    // Of each line, the first address.
    std::map<uint32_t, Address> lines;
    for (size_t i = 0; i < units; ++i)
      if (CompUnitSP unit_sp = module.GetCompileUnitAtIndex(i))
        LookIn(*unit_sp, lines);
    auto at = lines.lower_bound(m_facts.line);
    if (at != lines.end() && at->first == m_facts.line) {
      m_facts.code.push_back(Describe(candidate, *at));
      return;
    }
    if (at != lines.end())
      m_facts.after.push_back(Describe(candidate, *at));
    if (at != lines.begin())
      m_facts.before.push_back(Describe(candidate, *std::prev(at)));
  }

  void Finish(bool has_program) {
    using Kind = LineFacts::Kind;
    m_facts.paths.assign(m_paths.begin(), m_paths.end());
    m_facts.bare.assign(m_bare.begin(), m_bare.end());
    const bool known = llvm::any_of(m_paths, [&](const std::string &path) {
      return FileSpec::Match(m_file, FileSpec(path));
    });
    if (!has_program)
      m_facts.kind = Kind::NoProgram;
    else if (!m_has_debug_info)
      m_facts.kind = Kind::NoDebugInfo;
    else if (m_paths.empty())
      m_facts.kind = Kind::NoFile;
    else if (!known)
      m_facts.kind = Kind::OtherPath;
    else
      m_facts.kind = m_facts.code.empty() ? Kind::NoCode : Kind::Code;
    if (m_facts.kind == Kind::NoFile)
      m_facts.similar.assign(m_similar.begin(), m_similar.end());
  }

private:
  static std::string NameOf(Module &module) {
    const llvm::StringRef object = module.GetObjectName().GetStringRef();
    return object.empty() ? module.GetFileSpec().GetFilename().GetString()
                          : object.str();
  }

  /// Other letters, other cases, or another ending.
  static bool IsSimilar(llvm::StringRef name, llvm::StringRef wanted) {
    return name.edit_distance_insensitive(
               wanted, true, kMostDifferentLetters) <= kMostDifferentLetters ||
           name.split('.').first.equals_insensitive(wanted.split('.').first);
  }

  void LookIn(CompileUnit &unit, std::map<uint32_t, Address> &lines) {
    bool has_file = false;
    for (const auto &support : unit.GetSupportFiles()) {
      const FileSpec &path = support->GetSpecOnly();
      const llvm::StringRef name = path.GetFilename().GetStringRef();
      const llvm::StringRef wanted = m_file.GetFilename().GetStringRef();
      if (name == wanted) {
        has_file = true;
        m_paths.insert(path.GetPath());
      } else if (IsSimilar(name, wanted)) {
        m_similar.insert(name.str());
      }
    }
    LineTable *table = has_file ? unit.GetLineTable() : nullptr;
    LineEntry entry;
    for (uint32_t i = 0; table && i < table->GetSize(); ++i)
      if (table->GetLineEntryAtIndex(i, entry) && entry.line &&
          !entry.is_terminal_entry &&
          entry.GetFile().GetFilename() == m_file.GetFilename())
        lines.try_emplace(entry.line, entry.range.GetBaseAddress());
  }

  static LineCode Describe(const Candidate &candidate,
                           const std::pair<const uint32_t, Address> &at) {
    SymbolContext context;
    at.second.CalculateSymbolContext(&context, eSymbolContextFunction |
                                                   eSymbolContextBlock);
    return {NameOf(*candidate.module_sp), candidate.gpu, candidate.loaded,
            context.GetFunctionName().GetString(), at.first};
  }

  const FileSpec &m_file;
  LineFacts &m_facts;
  bool m_has_debug_info = false;
  std::set<std::string> m_paths, m_similar, m_bare;
};

} // namespace

static LineBreakpoint Describe(BreakpointLocation &location) {
  Breakpoint &breakpoint = location.GetBreakpoint();
  return {llvm::formatv("{0}.{1}", breakpoint.GetID(), location.GetID()).str(),
          breakpoint.IsEnabled() && location.IsEnabled(),
          location.GetCondition().GetText().str(),
          location.GetHitCount(),
          std::max(breakpoint.GetIgnoreCount(), location.GetIgnoreCount()),
          "",
          ""};
}

static void AddBreakpoints(Target &target, const FileSpec &file,
                           LineFacts &facts) {
  for (const BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints()) {
    // What sets breakpoints by the SB API leaves that to the next resume.
    RefuseMoves(*breakpoint_sp);
    for (const BreakpointMove &move : FindMoves(*breakpoint_sp)) {
      LineEntry entry;
      if (move.move.from != facts.line ||
          !move.location_sp->GetAddress().CalculateSymbolContextLineEntry(
              entry) ||
          entry.GetFile().GetFilename() != file.GetFilename())
        continue;
      facts.breakpoints.push_back(Describe(*move.location_sp));
      facts.breakpoints.back().moved = Describe(move.move);
    }
    for (size_t i = 0; i < breakpoint_sp->GetNumLocations(); ++i) {
      BreakpointLocationSP location_sp = breakpoint_sp->GetLocationAtIndex(i);
      LineEntry entry;
      if (!location_sp->GetAddress().CalculateSymbolContextLineEntry(entry) ||
          entry.line != facts.line ||
          entry.GetFile().GetFilename() != file.GetFilename())
        continue;
      facts.breakpoints.push_back(Describe(*location_sp));
      if (std::optional<MissingCopies> missing =
              FindMissingCopies(location_sp->GetAddress()))
        facts.breakpoints.back().missing = missing->Describe();
    }
  }
}

/// Nothing for a thread in other functions.
static std::optional<LanesAtLine>
FindLanes(StackFrame &frame, const FileSpec &file, const LineFacts &facts) {
  const std::string function =
      frame.GetSymbolContext(eSymbolContextFunction | eSymbolContextBlock)
          .GetFunctionName()
          .GetString();
  if (llvm::none_of(facts.code, [&](const LineCode &code) {
        return code.loaded && code.function == function;
      }))
    return std::nullopt;
  llvm::Expected<LaneView> view = LaneView::Get(frame);
  if (!view) {
    llvm::consumeError(view.takeError());
    return std::nullopt;
  }
  if (view->GetCount() < 2)
    return std::nullopt;
  const LaneList list = view->Describe();
  LanesAtLine found;
  found.thread = list.thread;
  found.wave = list.wave;
  const std::string line =
      llvm::formatv("{0}:{1}", file.GetFilename().GetString(), facts.line);
  for (const LaneRecord &lane : list.lanes) {
    if (lane.progress == LaneRecord::eStands &&
        (lane.line == line ||
         llvm::StringRef(lane.line).starts_with(line + ":"))) {
      found.there.push_back(lane.lane);
      continue;
    }
    const std::string progress = lane.FormatProgress();
    auto it = llvm::find_if(found.elsewhere, [&](const auto &one) {
      return one.first.FormatProgress() == progress;
    });
    if (it == found.elsewhere.end())
      it = found.elsewhere.insert(it, {lane, {}});
    it->second.push_back(lane.lane);
  }
  return found;
}

static std::vector<MissingVariable>
FindMissing(StackFrame &frame, const FileSpec &file, const LineFacts &facts) {
  std::vector<MissingVariable> missing;
  const LineEntry entry =
      frame.GetSymbolContext(eSymbolContextLineEntry).line_entry;
  if (!entry.IsValid() || entry.line != facts.line ||
      entry.GetFile().GetFilename() != file.GetFilename())
    return missing;
  VariableListSP variables =
      frame.GetInScopeVariableList(/*get_file_globals=*/false,
                                   /*must_have_valid_location=*/false);
  for (size_t i = 0; variables && i < variables->GetSize(); ++i) {
    VariableSP variable_sp = variables->GetVariableAtIndex(i);
    ValueObjectSP value_sp =
        frame.GetValueObjectForFrameVariable(variable_sp, eNoDynamicValues);
    if (value_sp && value_sp->GetError().Fail())
      missing.push_back({variable_sp->GetName().GetString(),
                         value_sp->GetError().AsCString("")});
  }
  return missing;
}

static bool IsGPU(const ArchSpec &arch) { return arch.GetTriple().isAMDGCN(); }

LineFacts lldb_private::wavelane::FindLineFacts(Debugger &debugger,
                                                const FileSpec &file,
                                                uint32_t line,
                                                StackFrame *frame) {
  LineFacts facts;
  facts.file = file.GetPath();
  facts.line = line;
  Search search(file, facts);
  std::set<Module *> seen;
  auto look = [&](const Candidate &candidate) {
    if (candidate.module_sp && seen.insert(candidate.module_sp.get()).second)
      search.Look(candidate);
  };
  bool has_program = false, has_gpu = false;
  TargetList &targets = debugger.GetTargetList();
  for (size_t i = 0; i < targets.GetNumTargets(); ++i) {
    TargetSP target_sp = targets.GetTargetAtIndex(i);
    ProcessSP process_sp = target_sp->GetProcessSP();
    const bool runs = process_sp && process_sp->IsAlive();
    const bool is_gpu = IsGPU(target_sp->GetArchitecture());
    has_gpu |= is_gpu && runs;
    for (const ModuleSP &module_sp : target_sp->GetImages().Modules()) {
      has_program = true;
      look({module_sp,
            is_gpu ? GetProcessorName(module_sp->GetArchitecture()).str()
                   : std::string(),
            runs});
    }
    AddBreakpoints(*target_sp, file, facts);
  }
  // What the program brings along for GPUs, before it has one.
  for (size_t i = 0; !has_gpu && i < targets.GetNumTargets(); ++i)
    if (ModuleSP program_sp =
            targets.GetTargetAtIndex(i)->GetExecutableModule())
      for (const ObjectContainerFatBinary::CodeObject &object :
           ObjectContainerFatBinary::GetCodeObjects(*program_sp))
        look({object.module_sp, object.target_id, /*loaded=*/false});
  search.Finish(has_program);
  if (frame) {
    facts.lanes = FindLanes(*frame, file, facts);
    facts.missing = FindMissing(*frame, file, facts);
  }
  return facts;
}

static llvm::json::Array ToArray(llvm::ArrayRef<LineCode> list) {
  llvm::json::Array array;
  for (const LineCode &one : list)
    array.push_back(llvm::json::Object{{"module", one.module},
                                       {"gpu", one.gpu},
                                       {"loaded", one.loaded},
                                       {"function", one.function},
                                       {"line", one.line}});
  return array;
}

llvm::json::Value lldb_private::wavelane::toJSON(const LineFacts &facts) {
  static constexpr llvm::StringLiteral g_kinds[] = {
      "no program", "no debug information", "no file", "other path", "no code",
      "code"};
  llvm::json::Array breakpoints;
  for (const LineBreakpoint &one : facts.breakpoints)
    breakpoints.push_back(llvm::json::Object{{"id", one.id},
                                             {"enabled", one.enabled},
                                             {"condition", one.condition},
                                             {"hits", one.hits},
                                             {"ignore_count", one.ignore_count},
                                             {"moved", one.moved},
                                             {"missing", one.missing}});
  llvm::json::Object object{
      {"kind", g_kinds[size_t(facts.kind)]},
      {"file", facts.file},
      {"line", facts.line},
      {"code", ToArray(facts.code)},
      {"before", ToArray(facts.before)},
      {"after", ToArray(facts.after)},
      {"paths", llvm::json::Array(facts.paths)},
      {"similar", llvm::json::Array(facts.similar)},
      {"without_debug_information", llvm::json::Array(facts.bare)},
      {"breakpoints", std::move(breakpoints)}};
  llvm::json::Array missing;
  for (const MissingVariable &one : facts.missing)
    missing.push_back(
        llvm::json::Object{{"name", one.name}, {"reason", one.reason}});
  object["missing_variables"] = std::move(missing);
  if (facts.lanes) {
    std::vector<uint32_t> elsewhere;
    for (const auto &[first, lanes] : facts.lanes->elsewhere)
      elsewhere.insert(elsewhere.end(), lanes.begin(), lanes.end());
    llvm::sort(elsewhere);
    object["lanes"] =
        llvm::json::Object{{"thread", facts.lanes->thread},
                           {"wave", facts.lanes->wave},
                           {"there", llvm::json::Array(facts.lanes->there)},
                           {"elsewhere", llvm::json::Array(elsewhere)}};
  }
  return object;
}
