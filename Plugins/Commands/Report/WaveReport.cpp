//===-- WaveReport.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveReport.h"
#include "Commands/Check/FindingObjects.h"
#include "Commands/GPU/GPUObjects.h"
#include "Commands/Lane/LaneValueReader.h"
#include "Core/Format/LaneExpression.h"
#include "Core/Format/LaneView.h"
#include "Core/Progress/SlowProgress.h"
#include "Process/AMDGPU/HostCoupling.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Module.h"
#include "lldb/Core/SourceManager.h"
#include "lldb/Symbol/Function.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/State.h"
#include "wavelane/Protocol/Server/Packets.h"
#include <algorithm>
#include <ctime>
#include <tuple>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
using Dictionary = StructuredData::Dictionary;

/// A page with more rows isn't readable.
static constexpr size_t MaxMasks = 200;
static constexpr size_t MaxText = 200;

std::string lldb_private::wavelane::FormatNow() {
  const time_t now = time(nullptr);
  tm local = {};
  char text[64];
  return localtime_r(&now, &local) &&
                 strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &local)
             ? text
             : "";
}

llvm::Expected<Report>
WaveReport::Make(const std::vector<std::string> &variables,
                 uint32_t most_waves) {
  DescribeProgram();
  if (llvm::Error error = ReadObjects())
    return std::move(error);
  AddLines();
  AddDivergence();
  for (const std::string &text : variables)
    AddVariable(text, most_waves);
  return std::move(m_report);
}

void WaveReport::DescribeProgram() {
  std::shared_ptr<HostCoupling> coupling_sp = m_process.GetCoupling();
  TargetSP target_sp = coupling_sp ? coupling_sp->GetHostTarget() : nullptr;
  if (!target_sp)
    target_sp = m_process.GetTarget().shared_from_this();
  if (ModuleSP module_sp = target_sp->GetExecutableModule())
    m_report.program = module_sp->GetFileSpec().GetFilename().GetString();
  if (m_report.program.empty())
    m_report.program = "GPU";
  m_report.time = FormatNow();
  if (StateIsRunningState(m_process.GetState())) {
    m_report.stop = "The GPU is running: this is where its waves were.";
    return;
  }
  ThreadSP thread_sp = m_process.GetThreadList().GetSelectedThread();
  if (!thread_sp) {
    m_report.stop = "No wave is on the GPU.";
    return;
  }
  m_report.stop = thread_sp->GetName() ? thread_sp->GetName() : "a wave";
  const std::string why = thread_sp->GetStopDescription();
  m_report.stop += why.empty() ? "" : ": " + why;
}

llvm::Error WaveReport::ForEach(const char *kind,
                                llvm::function_ref<void(Dictionary &)> add) {
  SlowCall call(m_debugger, std::string("Asking for each ") + kind);
  llvm::Expected<StructuredData::ArraySP> objects =
      ListObjects(m_process, kind, {}, &m_is_sample);
  if (!objects)
    return objects.takeError();
  ForEachObject(**objects, add);
  return llvm::Error::success();
}

void WaveReport::AddKernel(const Dictionary &dispatch) {
  auto format = [&](llvm::StringRef key) {
    const std::optional<Triple> sizes = GetTriple(dispatch, key);
    return sizes ? FormatTriple(*sizes) : "-";
  };
  m_report.kernels.push_back(
      {GetText(dispatch, "kernel"), format("grid_size"),
       format("workgroup_size"),
       GetProgress(dispatch).value_or(DispatchProgress())});
}

void WaveReport::AddWave(const Dictionary &entry, const Waiting &waiting) {
  namespace key = ::wavelane::server::packets::wave;
  Wave wave;
  wave.tid = GetNumber(entry, key::Thread).value_or(LLDB_INVALID_THREAD_ID);
  wave.name = GetText(entry, key::Name);
  wave.pc = GetNumber(entry, key::Pc).value_or(LLDB_INVALID_ADDRESS);
  wave.active = GetNumber(entry, key::Active).value_or(0);
  wave.lanes =
      std::min<uint64_t>(64, GetNumber(entry, key::LaneCount).value_or(0));
  wave.workgroup = GetNumber(entry, key::WorkgroupId).value_or(0);
  wave.in_workgroup = GetNumber(entry, key::WaveInWorkgroup).value_or(0);
  wave.is_stopped = GetText(entry, key::State) == "stopped";
  wave.state = GetText(entry, key::StopReason);
  if (!wave.is_stopped)
    wave.state = "running";
  else if (wave.state.empty())
    wave.state = "halted";
  auto group = waiting.find(wave.workgroup);
  if (group != waiting.end() && group->second.count(wave.in_workgroup))
    wave.state = "at a barrier";
  m_waves.push_back(std::move(wave));
}

void WaveReport::AddFinding(const Dictionary &entry) {
  m_report.findings.push_back({GetNumber(entry, "id").value_or(0),
                               GetText(entry, "check"), GetSummary(entry),
                               lldb_private::wavelane::GetPlace(entry),
                               GetText(entry, "report")});
}

llvm::Error WaveReport::ReadObjects() {
  namespace objects = ::wavelane::server::packets::objects;
  if (llvm::Error error = ForEach(
          objects::Finding, [&](Dictionary &entry) { AddFinding(entry); }))
    return error;
  if (llvm::Error error = ForEach(objects::Agent, [&](Dictionary &agent) {
        m_report.agents.push_back(GetText(agent, "name"));
      }))
    return error;
  if (llvm::Error error = ForEach(objects::Dispatch, [&](Dictionary &dispatch) {
        AddKernel(dispatch);
      }))
    return error;
  Waiting waiting;
  if (llvm::Error error = ForEach(objects::Workgroup, [&](Dictionary &group) {
        StructuredData::Array *waves = nullptr;
        for (const char *barrier : {"at_barrier", "at_grid_barrier"})
          if (group.GetValueForKeyAsArray(barrier, waves))
            for (size_t i = 0; i < waves->GetSize(); ++i)
              waiting[GetNumber(group, "id").value_or(0)].insert(
                  waves->GetItemAtIndex(i)->GetUnsignedIntegerValue());
      }))
    return error;
  return ForEach(objects::Wave,
                 [&](Dictionary &wave) { AddWave(wave, waiting); });
}

const WaveReport::Place &WaveReport::GetPlace(uint64_t pc) {
  auto [it, is_new] = m_places.try_emplace(pc);
  Place &result = it->second;
  if (!is_new)
    return result;
  Target &target = m_process.GetTarget();
  result.place = SourcePlace::Find(target, pc);
  result.name = pc == LLDB_INVALID_ADDRESS
                    ? "unknown"
                    : result.place.Format(target, pc, /*with_column=*/false);
  const LineEntry &line = result.place.line;
  SourceManager::FileSP file_sp =
      line.IsValid() ? target.GetSourceManager().GetFile(line.file_sp)
                     : nullptr;
  if (file_sp && file_sp->GetLine(line.line, result.source))
    result.source =
        llvm::StringRef(result.source).trim().take_front(MaxText).str();
  return result;
}

void WaveReport::AddLines() {
  std::map<std::pair<std::string, std::string>, Report::Line> lines;
  for (const Wave &wave : m_waves) {
    const Place &place = GetPlace(wave.pc);
    Report::Line &line = lines[{place.name, place.place.name}];
    line.place = place.name;
    line.function = place.place.name;
    line.source = place.source;
    ++line.states[wave.state];
    ++line.waves;
  }
  for (auto &entry : lines)
    m_report.lines.push_back(std::move(entry.second));
  llvm::sort(m_report.lines, [](const auto &a, const auto &b) {
    return std::tie(b.waves, a.place, a.function) <
           std::tie(a.waves, b.place, b.function);
  });
  m_report.waves = m_waves.size();
}

void WaveReport::AddDivergence() {
  std::map<std::tuple<std::string, uint64_t, uint64_t>, Report::Divergence>
      sets;
  for (const Wave &wave : m_waves) {
    if (wave.pc == LLDB_INVALID_ADDRESS || !wave.lanes)
      continue;
    const std::string &place = GetPlace(wave.pc).name;
    Report::Divergence &entry = sets[{place, wave.lanes, wave.active}];
    if (entry.waves++)
      continue;
    entry.place = place;
    entry.example = wave.name;
    entry.active.resize(unsigned(wave.lanes));
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      if (wave.active >> lane & 1)
        entry.active.set(lane);
  }
  for (auto &entry : sets)
    m_report.divergence.push_back(std::move(entry.second));
  llvm::sort(m_report.divergence, [](const auto &a, const auto &b) {
    return std::tie(b.waves, a.place, a.example) <
           std::tie(a.waves, b.place, b.example);
  });
  if (m_report.divergence.size() > MaxMasks) {
    m_report.more_divergence = m_report.divergence.size() - MaxMasks;
    m_report.divergence.resize(MaxMasks);
  }
}

/// The selected wave's function, or else the one with the most waves.
Function *WaveReport::ChooseFunction() {
  if (ThreadSP thread_sp = m_process.GetThreadList().GetSelectedThread())
    for (const Wave &wave : m_waves)
      if (wave.tid == thread_sp->GetProtocolID() &&
          GetPlace(wave.pc).place.function)
        return GetPlace(wave.pc).place.function;
  std::map<Function *, size_t> counts;
  Function *most = nullptr;
  for (const Wave &wave : m_waves)
    if (Function *function = GetPlace(wave.pc).place.function)
      if (++counts[function] > counts[most] || !most)
        most = function;
  return most;
}

void WaveReport::AddVariable(const std::string &text, uint32_t most_waves) {
  Report::Variable variable;
  variable.expression = text;
  if (m_is_sample) {
    variable.error = "The waves are running: `process interrupt` stops them.";
    m_report.variables.push_back(std::move(variable));
    return;
  }
  Function *function = ChooseFunction();
  if (!function) {
    variable.error = "No wave is in a function with debug information.";
    m_report.variables.push_back(std::move(variable));
    return;
  }
  variable.function = function->GetMangled()
                          .GetName(Mangled::ePreferDemangledWithoutArguments)
                          .GetString();
  std::vector<const Wave *> waves;
  for (const Wave &wave : m_waves)
    if (wave.is_stopped && GetPlace(wave.pc).place.function == function)
      waves.push_back(&wave);
  const size_t count = std::min<size_t>(waves.size(), most_waves);
  variable.more_waves = waves.size() - count;
  LaneExpression expression(text);
  SlowProgress progress(m_debugger, "Reading " + text,
                        std::max<size_t>(count, 1));
  for (size_t i = 0; i < count; ++i) {
    ThreadSP thread_sp =
        m_process.GetThreadList().FindThreadByProtocolID(waves[i]->tid);
    if (!thread_sp)
      continue;
    if (!AddRow(*thread_sp, *waves[i], expression, variable))
      break;
    if (!progress.Step()) {
      m_was_interrupted = true;
      variable.more_waves += count - i - 1;
      break;
    }
  }
  variable.stale = expression.GetStale();
  m_report.variables.push_back(std::move(variable));
}

/// \return False if other waves would fail in the same way.
bool WaveReport::AddRow(Thread &thread, const Wave &wave,
                        LaneExpression &expression,
                        Report::Variable &variable) {
  Report::Row row;
  row.wave = wave.name;
  StackFrameSP frame_sp = thread.GetStackFrameAtIndex(0);
  if (!frame_sp)
    return true;
  llvm::Expected<LaneView> view = LaneView::Get(*frame_sp);
  if (!view) {
    llvm::consumeError(view.takeError());
    return true;
  }
  row.values.resize(view->GetCount());
  for (Report::Value &value : row.values)
    value.kind = Report::Value::eInactive;
  LaneValueReader reader(thread, /*frame_index=*/0, expression,
                         view->GetActive(), /*with_bytes=*/false);
  for (uint32_t lane : view->GetActive().set_bits()) {
    const std::optional<LaneValue> found = reader.Read(lane);
    if (!found)
      return true;
    const LaneValue &read = *found;
    if (expression.IsHopeless() && variable.rows.empty()) {
      variable.error = read.text;
      return false;
    }
    Report::Value &value = row.values[lane];
    value.kind = read.is_error ? Report::Value::eError : Report::Value::eShown;
    value.number = read.number;
    value.text = read.text.size() > MaxText
                     ? read.text.substr(0, MaxText) + " ..."
                     : read.text;
  }
  variable.rows.push_back(std::move(row));
  return true;
}
