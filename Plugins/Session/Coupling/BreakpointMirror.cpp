//===-- BreakpointMirror.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BreakpointMirror.h"
#include "Core/Lane/LaneCondition.h"
#include "Core/Support/WavelaneLog.h"
#include "Process/GPUHost/BreakpointMoves.h"

#include "lldb/Breakpoint/BreakpointLocation.h"
#include "lldb/Breakpoint/BreakpointOptions.h"
#include "lldb/Breakpoint/BreakpointResolver.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/Section.h"
#include "lldb/Interpreter/ScriptInterpreter.h"
#include "lldb/Symbol/LineEntry.h"
#include "lldb/Utility/Log.h"
#include "lldb/Utility/StreamString.h"

#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

bool BreakpointMirror::Options::operator==(const Options &other) const {
  return condition == other.condition && enabled == other.enabled &&
         one_shot == other.one_shot && auto_continue == other.auto_continue &&
         ignore_count == other.ignore_count && commands == other.commands &&
         callback == other.callback;
}

BreakpointMirror::Options BreakpointMirror::GetOptions(Breakpoint &breakpoint) {
  Options options;
  options.condition = breakpoint.GetCondition().GetText().str();
  options.enabled = breakpoint.IsEnabled();
  options.one_shot = breakpoint.IsOneShot();
  options.auto_continue = breakpoint.IsAutoContinue();
  options.ignore_count = breakpoint.GetIgnoreCount();
  StructuredData::ObjectSP written_sp =
      breakpoint.GetOptions().SerializeToStructuredData();
  StructuredData::Dictionary *commands = nullptr;
  if (StructuredData::Dictionary *written =
          written_sp ? written_sp->GetAsDictionary() : nullptr)
    if (written->GetValueForKeyAsDictionary(
            BreakpointOptions::CommandData::GetSerializationKey(), commands) &&
        commands) {
      StreamString text;
      commands->Dump(text, /*pretty_print=*/false);
      options.commands = text.GetString().str();
    }
  if (options.commands.empty() && breakpoint.GetOptions().HasCallback())
    options.callback = breakpoint.GetOptions().GetBaton();
  return options;
}

void BreakpointMirror::SetCommands(Breakpoint &breakpoint,
                                   llvm::StringRef commands) {
  if (commands.empty())
    return breakpoint.GetOptions().ClearCallback();
  StructuredData::ObjectSP written_sp = StructuredData::ParseJSON(commands);
  StructuredData::Dictionary *written =
      written_sp ? written_sp->GetAsDictionary() : nullptr;
  if (!written)
    return;
  Status error;
  auto data_up =
      BreakpointOptions::CommandData::CreateFromStructuredData(*written, error);
  if (error.Fail())
    return;
  if (data_up->interpreter == eScriptLanguageNone)
    return breakpoint.GetOptions().SetCommandDataCallback(data_up);
  if (ScriptInterpreter *interpreter =
          breakpoint.GetTarget().GetDebugger().GetScriptInterpreter())
    interpreter->SetBreakpointCommandCallback(breakpoint.GetOptions(), data_up);
}

void BreakpointMirror::SetOptions(Breakpoint &to, const Options &options,
                                  Breakpoint &from) {
  const Options old = GetOptions(to);
  if (old.condition != options.condition)
    to.SetCondition(StopCondition(options.condition));
  if (old.enabled != options.enabled)
    to.SetEnabled(options.enabled);
  if (old.one_shot != options.one_shot)
    to.SetOneShot(options.one_shot);
  if (old.auto_continue != options.auto_continue)
    to.SetAutoContinue(options.auto_continue);
  if (old.ignore_count != options.ignore_count)
    to.SetIgnoreCount(options.ignore_count);
  if (old.commands != options.commands)
    SetCommands(to, options.commands);
  if (old.callback == options.callback)
    return;
  // A callback is copied with all options, and the others are already equal.
  if (options.callback)
    to.GetOptions().CopyOverSetOptions(from.GetOptions());
  else if (options.commands.empty())
    to.GetOptions().ClearCallback();
}

static std::vector<BreakpointSP> GetUserBreakpoints(Target &target) {
  std::vector<BreakpointSP> result;
  std::unique_lock<std::recursive_mutex> lock;
  target.GetBreakpointList().GetListMutex(lock);
  for (const BreakpointSP &breakpoint_sp :
       target.GetBreakpointList().Breakpoints())
    if (!LLDB_BREAK_ID_IS_INTERNAL(breakpoint_sp->GetID()))
      result.push_back(breakpoint_sp);
  return result;
}

namespace {
/// A breakpoint in the form that LLDB writes to a file.
struct Description {
  StructuredData::ObjectSP whole_sp;
  StructuredData::ObjectSP contents_sp;
  llvm::StringRef resolver;
  StructuredData::Dictionary *options = nullptr;

  explicit Description(Breakpoint &breakpoint)
      : whole_sp(breakpoint.SerializeToStructuredData()) {
    StructuredData::Dictionary *whole =
        whole_sp ? whole_sp->GetAsDictionary() : nullptr;
    if (!whole)
      return;
    contents_sp = whole->GetValueForKey(Breakpoint::GetSerializationKey());
    StructuredData::Dictionary *contents =
        contents_sp ? contents_sp->GetAsDictionary() : nullptr;
    StructuredData::Dictionary *dict = nullptr;
    if (contents &&
        contents->GetValueForKeyAsDictionary(
            BreakpointResolver::GetSerializationKey(), dict) &&
        dict->GetValueForKeyAsString("Type", resolver))
      dict->GetValueForKeyAsDictionary("Options", options);
  }
};
} // namespace

BreakpointSP BreakpointMirror::Copy(Breakpoint &from, Target &to) {
  Description description(from);
  if (!description.options)
    return nullptr;
  if (description.resolver == "Address" && m_sides == Sides::HostAndGPU) {
    // Host and GPU share memory: a host breakpoint in GPU code would corrupt
    // the code. So an address belongs to the side that has code there.
    uint64_t address = LLDB_INVALID_ADDRESS;
    Address resolved;
    SectionSP section_sp;
    if (!description.options->GetValueForKeyAsInteger("AddressOffset",
                                                      address) ||
        description.options->HasKey("ModuleName") ||
        !to.ResolveLoadAddress(address, resolved) ||
        !(section_sp = resolved.GetSection()) ||
        !(section_sp->GetPermissions() & ePermissionsExecutable))
      return nullptr;
  }
  TargetSP to_sp = to.shared_from_this();
  BreakpointSP made_sp;
  // LLDB numbers breakpoints in order, so skip numbers used only on the other
  // side.
  do {
    if (made_sp)
      to.RemoveBreakpointByID(made_sp->GetID());
    Status error;
    made_sp = Breakpoint::CreateFromStructuredData(
        to_sp, description.contents_sp, error);
    if (!made_sp) {
      LLDB_LOG(GetLog(WavelaneLog::Breakpoints),
               "breakpoint {0} can't be mirrored: {1}", from.GetID(),
               error.AsCString());
      return nullptr;
    }
  } while (made_sp->GetID() < from.GetID());
  if (!from.IsEnabled()) {
    // The options were set after the breakpoint was inserted.
    made_sp->SetEnabled(true);
    made_sp->SetEnabled(false);
  }
  return made_sp;
}

bool BreakpointMirror::IsPaired(break_id_t id, bool host) const {
  for (const Pair &pair : m_pairs)
    if ((host ? pair.host : pair.gpu) == id)
      return true;
  return false;
}

/// Where a breakpoint is, without its options.
static std::string GetResolver(Breakpoint &breakpoint) {
  const StructuredData::ObjectSP whole_sp =
      breakpoint.SerializeToStructuredData();
  const StructuredData::ObjectSP resolver_sp =
      whole_sp ? whole_sp->GetObjectForDotSeparatedPath(
                     std::string(Breakpoint::GetSerializationKey()) + "." +
                     BreakpointResolver::GetSerializationKey())
               : nullptr;
  StreamString text;
  if (resolver_sp)
    resolver_sp->Dump(text, /*pretty_print=*/false);
  return text.GetString().str();
}

void BreakpointMirror::Adopt(Target &host, Target &gpu) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  m_busy = true;
  for (const BreakpointSP &copy_sp : GetUserBreakpoints(gpu)) {
    const break_id_t id = copy_sp->GetID();
    BreakpointSP breakpoint_sp = host.GetBreakpointByID(id);
    if (!breakpoint_sp ||
        GetResolver(*breakpoint_sp) != GetResolver(*copy_sp)) {
      gpu.RemoveBreakpointByID(id);
      continue;
    }
    Pair pair;
    pair.host = pair.gpu = id;
    pair.options = GetOptions(*breakpoint_sp);
    SetOptions(*copy_sp, pair.options, *breakpoint_sp);
    m_pairs.push_back(pair);
  }
  m_busy = false;
}

void BreakpointMirror::CopyNew(Target &from, Target &to, bool from_host) {
  for (const BreakpointSP &breakpoint_sp : GetUserBreakpoints(from)) {
    const break_id_t id = breakpoint_sp->GetID();
    const bool is_refused = from_host && m_takes && !m_takes(*breakpoint_sp);
    if (IsPaired(id, from_host) || (is_refused && id <= m_refused))
      continue;
    BreakpointSP made_sp = Copy(*breakpoint_sp, to);
    if (!made_sp)
      continue; // its code may be loaded later
    if (is_refused) {
      // The next one has the same number on both sides.
      m_refused = id;
      to.RemoveBreakpointByID(made_sp->GetID());
      continue;
    }
    Pair pair;
    pair.host = from_host ? id : made_sp->GetID();
    pair.gpu = from_host ? made_sp->GetID() : id;
    pair.options = GetOptions(*breakpoint_sp);
    SetOptions(*made_sp, pair.options, *breakpoint_sp);
    if (m_sides == Sides::Alike)
      CopyDisabled(*breakpoint_sp, *made_sp);
    m_pairs.push_back(pair);
  }
}

void BreakpointMirror::CopyDisabled(Breakpoint &from, Breakpoint &to) {
  if (!from.IsEnabled())
    return;
  // A place by its module's file, which both programs have.
  auto name = [](BreakpointLocation &location) {
    const Address &address = location.GetAddress();
    ModuleSP module_sp = address.GetModule();
    return std::make_pair(module_sp ? module_sp->GetFileSpec().GetPath() : "",
                          address.GetFileAddress());
  };
  std::set<std::pair<std::string, addr_t>> disabled;
  for (size_t i = 0; i < from.GetNumLocations(); ++i)
    if (BreakpointLocationSP location_sp = from.GetLocationAtIndex(i);
        !location_sp->IsEnabled())
      disabled.insert(name(*location_sp));
  for (size_t i = 0; i < to.GetNumLocations(); ++i)
    if (BreakpointLocationSP location_sp = to.GetLocationAtIndex(i);
        location_sp->IsEnabled() && disabled.count(name(*location_sp)))
      llvm::consumeError(location_sp->SetEnabled(false));
}

/// A line with only device code has a neighbor with host code, to which LLDB's
/// search moved the host's breakpoint.
void BreakpointMirror::YieldHostLocations(Breakpoint &host, Breakpoint &gpu) {
  Description description(gpu);
  uint64_t line = 0, address = 0;
  if (!description.options)
    return;
  if (description.resolver == "Address") {
    if (gpu.GetNumResolvedLocations() &&
        description.options->GetValueForKeyAsInteger("AddressOffset", address))
      for (size_t i = 0; i < host.GetNumLocations(); ++i)
        if (host.GetLocationAtIndex(i)->IsEnabled())
          llvm::consumeError(host.GetLocationAtIndex(i)->SetEnabled(false));
    return;
  }
  if (description.resolver != "FileAndLine" ||
      !description.options->GetValueForKeyAsInteger("LineNumber", line))
    return;
  // On the GPU as on the host, a line without code means the next one with
  // code.
  auto get_line = [](BreakpointLocation &location) {
    LineEntry entry;
    location.GetAddress().CalculateSymbolContextLineEntry(entry);
    return entry.IsValid() ? entry.line : 0;
  };
  std::set<uint32_t> gpu_lines;
  for (size_t i = 0; i < gpu.GetNumLocations(); ++i)
    gpu_lines.insert(get_line(*gpu.GetLocationAtIndex(i)));
  for (size_t i = 0; i < host.GetNumLocations(); ++i) {
    BreakpointLocationSP location_sp = host.GetLocationAtIndex(i);
    const uint32_t host_line = get_line(*location_sp);
    if (location_sp->IsEnabled() && host_line != line &&
        !gpu_lines.count(host_line))
      llvm::consumeError(location_sp->SetEnabled(false));
  }
}

void BreakpointMirror::Synchronize(Target &host, Target &gpu) {
  std::lock_guard<std::recursive_mutex> guard(m_mutex);
  // Listeners are notified of these changes, and may call this again.
  if (m_busy)
    return;
  m_busy = true;

  for (size_t i = 0; i < m_pairs.size();) {
    Pair &pair = m_pairs[i];
    BreakpointSP host_sp = host.GetBreakpointByID(pair.host);
    BreakpointSP gpu_sp = gpu.GetBreakpointByID(pair.gpu);
    if (!host_sp || !gpu_sp) {
      if (host_sp)
        host.RemoveBreakpointByID(pair.host);
      if (gpu_sp)
        gpu.RemoveBreakpointByID(pair.gpu);
      m_pairs.erase(m_pairs.begin() + i);
      continue;
    }
    const Options host_options = GetOptions(*host_sp);
    const Options gpu_options = GetOptions(*gpu_sp);
    if (!(host_options == pair.options)) {
      SetOptions(*gpu_sp, host_options, *host_sp);
      pair.options = host_options;
    } else if (!(gpu_options == pair.options)) {
      SetOptions(*host_sp, gpu_options, *gpu_sp);
      pair.options = gpu_options;
    }
    ++i;
  }

  CopyNew(host, gpu, /*from_host=*/true);
  CopyNew(gpu, host, /*from_host=*/false);
  LaneCondition::Install(gpu);

  if (m_sides == Sides::Alike) {
    m_busy = false;
    return;
  }
  for (const Pair &pair : m_pairs) {
    BreakpointSP host_sp = host.GetBreakpointByID(pair.host);
    BreakpointSP gpu_sp = gpu.GetBreakpointByID(pair.gpu);
    if (host_sp && gpu_sp && host_sp->GetNumLocations() &&
        gpu_sp->GetNumLocations())
      YieldHostLocations(*host_sp, *gpu_sp);
    if (host_sp)
      RefuseMoves(*host_sp);
    if (gpu_sp)
      RefuseMoves(*gpu_sp);
  }
  m_busy = false;
}
