//===-- LineFacts.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineFacts.h"
#include "Commands/Overrides/BreakpointBinding.h"
#include "Core/Format/LaneView.h"
#include "Core/Support/Processor.h"
#include "ObjectContainer/FatBinary/ObjectContainerFatBinary.h"
#include "Process/AMDGPU/ProcessAMDGPUProperties.h"
#include "Process/GPUHost/BreakpointMoves.h"
#include "Session/Coupling/GPUCoupling.h"
#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointOptions.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/ModuleList.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Symbol/CompileUnit.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Symbol/LineTable.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/ThreadSpec.h"
#include "lldb/Utility/FileSpecList.h"
#include "lldb/ValueObject/ValueObject.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {

/// Names that differ in more letters than this aren't called similar.
constexpr unsigned kMostDifferentLetters = 2;

/// Whether a breakpoint on a line of \a wanted finds code that was compiled
/// from
/// \a path, as LLDB decides that.
bool IsCompatible(const FileSpec &path, const FileSpec &wanted) {
  SupportFileList files;
  files.Append(path);
  return files.FindCompatibleIndex(0, wanted) == 0;
}

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
        m_has_gpu_code |= LookIn(*unit_sp, lines) && !candidate.gpu.empty();
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
    if (!has_program)
      m_facts.kind = Kind::NoProgram;
    else if (!m_has_debug_info)
      m_facts.kind = Kind::NoDebugInfo;
    else if (m_paths.empty())
      m_facts.kind = Kind::NoFile;
    else if (!m_is_known)
      m_facts.kind = Kind::OtherPath;
    else
      m_facts.kind = m_facts.code.empty() ? Kind::NoCode : Kind::Code;
    if (m_facts.kind == Kind::NoFile)
      m_facts.similar.assign(m_similar.begin(), m_similar.end());
  }

  /// Whether GPU code was compiled from the file.
  bool HasGPUCode() const { return m_has_gpu_code; }
  const std::set<std::string> &GetPaths() const { return m_paths; }

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

  /// \return  Whether it was compiled from the file.
  bool LookIn(CompileUnit &unit, std::map<uint32_t, Address> &lines) {
    bool has_file = false;
    for (const auto &support : unit.GetSupportFiles()) {
      const FileSpec &path = support->GetSpecOnly();
      const llvm::StringRef name = path.GetFilename().GetStringRef();
      const llvm::StringRef wanted = m_file.GetFilename().GetStringRef();
      if (name == wanted) {
        has_file |= IsCompatible(path, m_file);
        m_paths.insert(path.GetPath());
      } else if (IsSimilar(name, wanted)) {
        m_similar.insert(name.str());
      }
    }
    LineTable *table = has_file ? unit.GetLineTable() : nullptr;
    LineEntry entry;
    for (uint32_t i = 0; table && i < table->GetSize(); ++i)
      if (table->GetLineEntryAtIndex(i, entry) && entry.line &&
          !entry.is_terminal_entry && IsCompatible(entry.GetFile(), m_file))
        lines.try_emplace(entry.line, entry.range.GetBaseAddress());
    m_is_known |= has_file;
    return has_file;
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
  bool m_has_debug_info = false, m_is_known = false, m_has_gpu_code = false;
  std::set<std::string> m_paths, m_similar, m_bare;
};

} // namespace

/// The threads that a breakpoint's options name.
static std::string NameThreads(const BreakpointOptions &options) {
  const ThreadSpec *spec = options.GetThreadSpecNoCreate();
  std::vector<std::string> names;
  if (!spec)
    return "";
  if (spec->GetIndex() != UINT32_MAX)
    names.push_back(llvm::formatv("thread {0}", spec->GetIndex()));
  if (spec->GetTID() != LLDB_INVALID_THREAD_ID)
    names.push_back(llvm::formatv("the thread with ID {0:x}", spec->GetTID()));
  if (spec->GetName())
    names.push_back(llvm::formatv("threads named '{0}'", spec->GetName()));
  if (spec->GetQueueName())
    names.push_back(
        llvm::formatv("threads of queue '{0}'", spec->GetQueueName()));
  return llvm::join(names, ", ");
}

/// What the options of a breakpoint say.
static LineBreakpoint DescribeOptions(Breakpoint &breakpoint) {
  LineBreakpoint one;
  one.id = std::to_string(breakpoint.GetID());
  one.enabled = one.breakpoint_enabled = breakpoint.IsEnabled();
  one.condition = breakpoint.GetCondition().GetText().str();
  one.ignore_count = breakpoint.GetIgnoreCount();
  one.one_shot = breakpoint.IsOneShot();
  one.auto_continue = breakpoint.IsAutoContinue();
  one.threads = NameThreads(breakpoint.GetOptions());
  return one;
}

static LineBreakpoint DescribeOptions(BreakpointLocation &location) {
  LineBreakpoint one = DescribeOptions(location.GetBreakpoint());
  one.id += "." + std::to_string(location.GetID());
  one.enabled = one.breakpoint_enabled && location.IsEnabled();
  one.condition = location.GetCondition().GetText().str();
  one.hits = location.GetHitCount();
  one.ignore_count = std::max(one.ignore_count, location.GetIgnoreCount());
  one.auto_continue |= location.IsAutoContinue();
  one.threads = NameThreads(
      location.GetOptionsSpecifyingKind(BreakpointOptions::eThreadSpec));
  one.is_set = location.IsResolved();
  return one;
}

/// Of a location on a GPU, which stays when its code goes.
static bool IsLoaded(Target &gpu, BreakpointLocation &location) {
  ModuleSP module_sp = location.GetAddress().GetModule();
  return module_sp && gpu.GetImages().FindModule(module_sp.get());
}

namespace {

/// Gathers the breakpoints of all targets that have to do with the line.
class BreakpointSearch {
public:
  BreakpointSearch(const FileSpec &asked, const FileSpec &file,
                   LineFacts &facts)
      : m_asked(asked), m_file(file), m_facts(facts) {}

  /// Those with locations.
  void Look(Target &target, bool is_gpu) {
    for (const BreakpointSP &breakpoint_sp :
         target.GetBreakpointList().Breakpoints()) {
      // What sets breakpoints by the SB API leaves that to the next resume.
      RefuseMoves(*breakpoint_sp);
      std::map<BreakpointLocation *, std::string> moves;
      for (const BreakpointMove &move : FindMoves(*breakpoint_sp))
        if (move.move.from == m_facts.line)
          moves[move.location_sp.get()] = Describe(move.move);
      const bool is_own = IsSetOnLine(*breakpoint_sp);
      for (size_t i = 0; i < breakpoint_sp->GetNumLocations(); ++i) {
        BreakpointLocationSP location_sp = breakpoint_sp->GetLocationAtIndex(i);
        LineEntry entry;
        if ((is_gpu && !IsLoaded(target, *location_sp)) ||
            !location_sp->GetAddress().CalculateSymbolContextLineEntry(entry))
          continue;
        const bool is_in_file = IsCompatible(entry.GetFile(), m_file);
        const bool is_there = is_in_file && entry.line == m_facts.line;
        if (!is_there && !is_own && !IsAtEntry(*location_sp))
          continue;
        LineBreakpoint one = DescribeOptions(*location_sp);
        one.is_gpu = is_gpu;
        one.stops_at = entry.line;
        if (!is_in_file)
          one.stops_in = entry.GetFile().GetFilename().GetString();
        if (auto move = moves.find(location_sp.get()); move != moves.end())
          one.moved = move->second;
        if (std::optional<MissingCopies> missing =
                FindMissingCopies(location_sp->GetAddress());
            missing && is_there)
          one.missing = missing->Describe();
        Add(*breakpoint_sp, std::move(one));
      }
    }
  }

  /// Those of a program whose code isn't loaded.
  void LookAtUnloaded(Target &host) {
    using Program = LineFacts::Program;
    std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(host);
    TargetSP gpu_sp = coupling_sp ? coupling_sp->GetGPUTarget() : nullptr;
    for (const BreakpointSP &breakpoint_sp :
         host.GetBreakpointList().Breakpoints()) {
      BreakpointSP other_sp =
          gpu_sp ? gpu_sp->GetBreakpointByID(breakpoint_sp->GetID()) : nullptr;
      bool is_loaded = false;
      for (size_t i = 0; other_sp && i < other_sp->GetNumLocations(); ++i)
        is_loaded |= IsLoaded(*gpu_sp, *other_sp->GetLocationAtIndex(i));
      if (is_loaded)
        continue;
      const bool is_own = IsSetOnLine(*breakpoint_sp);
      const std::vector<GPUPlace> places = FindGPUPlaces(host, *breakpoint_sp);
      auto place = llvm::find_if(places, [&](const GPUPlace &one) {
        return IsCompatible(one.file, m_file) &&
               (is_own || one.line == m_facts.line ||
                one.stops_at == m_facts.line);
      });
      if (place == places.end() &&
          (!is_own || breakpoint_sp->GetNumLocations()))
        continue;
      LineBreakpoint one = DescribeOptions(*breakpoint_sp);
      if (place != places.end()) {
        one.is_gpu = true;
        one.stops_at = place->stops_at;
      }
      if (m_facts.uses_gpu && other_sp && other_sp->GetNumLocations()) {
        one.is_gpu = one.was_loaded = true;
        for (size_t i = 0; i < other_sp->GetNumLocations(); ++i)
          one.hits += other_sp->GetLocationAtIndex(i)->GetHitCount();
      }
      using State = LineBreakpoint::State;
      one.state = one.is_gpu && (m_facts.program == Program::Ended ||
                                 m_facts.program == Program::Detached)
                      ? State::Ended
                  : one.was_loaded ? State::Unloaded
                  : one.is_gpu     ? State::Waits
                                   : State::Pending;
      Add(*breakpoint_sp, std::move(one));
    }
  }

  void Finish() {
    for (auto &[id, list] : m_places) {
      // A host's location is disabled that only stands in for GPU code.
      const bool has_other = llvm::any_of(
          list, [&](const LineBreakpoint &one) { return !StandsIn(one); });
      for (LineBreakpoint &one : list)
        if (!has_other || !StandsIn(one))
          m_facts.breakpoints.push_back(std::move(one));
    }
  }

private:
  void Add(Breakpoint &breakpoint, LineBreakpoint one) {
    m_places[breakpoint.GetID()].push_back(std::move(one));
  }

  bool IsSetOnLine(Breakpoint &breakpoint) const {
    const auto own = GetOwnLine(breakpoint);
    return own && own->second == m_facts.line &&
           (IsCompatible(own->first, m_file) ||
            IsCompatible(own->first, m_asked));
  }

  /// Whether it is at the entry of a function that begins on the line.
  bool IsAtEntry(BreakpointLocation &location) const {
    SymbolContext context;
    location.GetAddress().CalculateSymbolContext(&context,
                                                 eSymbolContextFunction);
    if (!context.function)
      return false;
    SupportFileNSP file = std::make_shared<SupportFile>();
    uint32_t first = 0;
    context.function->GetStartLineSourceInfo(file, first);
    Address entry = context.function->GetAddress();
    if (first != m_facts.line || !IsCompatible(file->GetSpecOnly(), m_file))
      return false;
    if (location.GetAddress() == entry)
      return true;
    entry.Slide(context.function->GetPrologueByteSize());
    return location.GetAddress() == entry;
  }

  bool StandsIn(const LineBreakpoint &one) const {
    return one.breakpoint_enabled && !one.enabled && !one.is_gpu &&
           (one.stops_at != m_facts.line || !one.stops_in.empty()) &&
           (one.moved.empty() ||
            GetProcessAMDGPUProperties().MovesBreakpoints());
  }

  const FileSpec &m_asked, &m_file;
  LineFacts &m_facts;
  std::map<break_id_t, std::vector<LineBreakpoint>> m_places;
};

} // namespace

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

/// Of a GPU's target: whether its program has used it in its last run.
static bool UsesGPU(Target &gpu) {
  std::shared_ptr<GPUCoupling> coupling_sp = GPUCoupling::Find(gpu);
  TargetSP host_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  ProcessSP process_sp = gpu.GetProcessSP();
  ProcessSP host_process_sp = host_sp ? host_sp->GetProcessSP() : nullptr;
  return process_sp &&
         (!host_process_sp || process_sp->GetID() == host_process_sp->GetID());
}

static LineFacts::Program StateOf(Target &target) {
  using Program = LineFacts::Program;
  ProcessSP process_sp = target.GetProcessSP();
  if (!process_sp || IsGPU(target.GetArchitecture()))
    return Program::NotStarted;
  if (process_sp->IsAlive())
    return Program::Runs;
  switch (process_sp->GetState()) {
  case eStateExited:
    return Program::Ended;
  case eStateDetached:
    return Program::Detached;
  default:
    return Program::NotStarted;
  }
}

/// Looks whether the source file ends before the line.
static void FindEnd(Debugger &debugger, const FileSpec &asked,
                    const std::set<std::string> &paths, LineFacts &facts) {
  std::vector<FileSpec> files = {asked};
  for (const std::string &path : paths)
    files.emplace_back(path);
  for (const FileSpec &file : files) {
    TargetSP target_sp = debugger.GetSelectedTarget();
    SourceManager::FileSP source_sp =
        target_sp ? target_sp->GetSourceManager().GetFile(
                        std::make_shared<SupportFile>(file))
                  : nullptr;
    // LLDB counts what is behind the last line, too.
    const uint32_t lines =
        std::max(source_sp ? source_sp->GetNumLines() : 0, 1u) - 1;
    if (!lines)
      continue;
    if (lines < facts.line) {
      facts.lines_in_file = lines;
      facts.source = source_sp->GetSupportFile()->GetSpecOnly().GetPath();
    }
    return;
  }
}

LineFacts lldb_private::wavelane::FindLineFacts(Debugger &debugger,
                                                const FileSpec &asked,
                                                uint32_t line,
                                                StackFrame *frame) {
  LineFacts facts;
  facts.file = asked.GetPath();
  facts.line = line;
  TargetList &targets = debugger.GetTargetList();
  std::vector<TargetSP> all;
  for (size_t i = 0; i < targets.GetNumTargets(); ++i)
    all.push_back(targets.GetTargetAtIndex(i));
  FileSpec file = asked;
  for (const TargetSP &target_sp : all)
    if (target_sp->GetSourcePathMap().ReverseRemapPath(asked, file))
      break;
    else
      file = asked;

  Search search(file, facts);
  std::set<Module *> seen;
  auto look = [&](const Candidate &candidate) {
    if (candidate.module_sp && seen.insert(candidate.module_sp.get()).second)
      search.Look(candidate);
  };
  bool has_program = false;
  for (const TargetSP &target_sp : all) {
    ProcessSP process_sp = target_sp->GetProcessSP();
    const bool runs = process_sp && process_sp->IsAlive();
    const bool is_gpu = IsGPU(target_sp->GetArchitecture());
    if (is_gpu)
      facts.uses_gpu |= UsesGPU(*target_sp);
    facts.program = std::max(facts.program, StateOf(*target_sp));
    for (const ModuleSP &module_sp : target_sp->GetImages().Modules()) {
      has_program = true;
      look({module_sp,
            is_gpu ? GetProcessorName(module_sp->GetArchitecture()).str()
                   : std::string(),
            runs});
    }
  }
  // What the program brings along for GPUs and hasn't loaded.
  const bool has_loaded = search.HasGPUCode();
  for (size_t i = 0; !has_loaded && i < all.size(); ++i)
    if (ModuleSP program_sp = all[i]->GetExecutableModule())
      for (const ObjectContainerFatBinary::CodeObject &object :
           ObjectContainerFatBinary::GetCodeObjects(*program_sp))
        look({object.module_sp, object.target_id, /*loaded=*/false});
  search.Finish(has_program);

  BreakpointSearch breakpoints(asked, file, facts);
  for (const TargetSP &target_sp : all)
    breakpoints.Look(*target_sp, IsGPU(target_sp->GetArchitecture()));
  for (const TargetSP &target_sp : all)
    if (!IsGPU(target_sp->GetArchitecture()))
      breakpoints.LookAtUnloaded(*target_sp);
  breakpoints.Finish();
  if (facts.kind == LineFacts::Kind::NoCode && facts.after.empty())
    FindEnd(debugger, asked, search.GetPaths(), facts);
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
  static constexpr llvm::StringLiteral g_states[] = {
      "loaded", "waits", "pending", "unloaded", "ended"};
  static constexpr llvm::StringLiteral g_programs[] = {
      "not started", "detached", "ended", "runs"};
  llvm::json::Array breakpoints;
  for (const LineBreakpoint &one : facts.breakpoints)
    breakpoints.push_back(
        llvm::json::Object{{"id", one.id},
                           {"state", g_states[size_t(one.state)]},
                           {"gpu", one.is_gpu},
                           {"stops_at", one.stops_at},
                           {"stops_in", one.stops_in},
                           {"enabled", one.enabled},
                           {"condition", one.condition},
                           {"hits", one.hits},
                           {"ignore_count", one.ignore_count},
                           {"one_shot", one.one_shot},
                           {"auto_continue", one.auto_continue},
                           {"threads", one.threads},
                           {"moved", one.moved},
                           {"missing", one.missing}});
  llvm::json::Object object{
      {"kind", g_kinds[size_t(facts.kind)]},
      {"program", g_programs[size_t(facts.program)]},
      {"uses_gpu", facts.uses_gpu},
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
  if (facts.lines_in_file)
    object["lines_in_file"] = *facts.lines_in_file;
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
