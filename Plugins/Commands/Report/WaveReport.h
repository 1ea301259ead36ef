//===-- WaveReport.h - the GPU's waves in a report --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_REPORT_WAVEREPORT_H
#define WAVELANE_COMMANDS_REPORT_WAVEREPORT_H

#include "Core/Format/SourcePlace.h"
#include "ReportPage.h"
#include "lldb/Utility/StructuredData.h"
#include "lldb/lldb-forward.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace lldb_private {
class Debugger;
class Function;

namespace wavelane {

class LaneExpression;
class ProcessAMDGPU;

/// The current time, in the form that reports show.
std::string FormatNow();

/// Gathers a Report. Asks the server for all waves at once; only values are
/// read wave by wave.
class WaveReport {
public:
  WaveReport(ProcessAMDGPU &process, Debugger &debugger)
      : m_process(process), m_debugger(debugger) {}

  /// \param most_waves The number of waves whose variables are read.
  llvm::Expected<Report> Make(const std::vector<std::string> &variables,
                              uint32_t most_waves);

  /// The user interrupted it: the report says what it leaves out.
  bool WasInterrupted() const { return m_was_interrupted; }

private:
  /// A wave as the server reports it.
  struct Wave {
    lldb::tid_t tid = LLDB_INVALID_THREAD_ID;
    std::string name, state;
    uint64_t pc = LLDB_INVALID_ADDRESS, active = 0, lanes = 0;
    uint64_t workgroup = 0, in_workgroup = 0;
    bool is_stopped = false;
  };
  /// The code at an address; looked up once for all waves there.
  struct Place {
    SourcePlace place;
    /// The line, and its source text.
    std::string name, source;
  };
  /// Workgroups, each with the numbers of its waves that wait at a barrier.
  using Waiting = std::map<uint64_t, std::set<uint64_t>>;

  void DescribeProgram();
  llvm::Error
  ForEach(const char *kind,
          llvm::function_ref<void(StructuredData::Dictionary &object)> add);
  llvm::Error ReadObjects();
  void AddFinding(const StructuredData::Dictionary &entry);
  void AddKernel(const StructuredData::Dictionary &dispatch);
  void AddWave(const StructuredData::Dictionary &entry, const Waiting &waiting);
  const Place &GetPlace(uint64_t pc);
  void AddLines();
  void AddDivergence();
  Function *ChooseFunction();
  void AddVariable(const std::string &text, uint32_t most_waves);
  bool AddRow(Thread &thread, const Wave &wave, LaneExpression &expression,
              Report::Variable &variable);

  ProcessAMDGPU &m_process;
  Debugger &m_debugger;
  Report m_report;
  std::vector<Wave> m_waves;
  std::map<uint64_t, Place> m_places;
  bool m_was_interrupted = false;
  /// The waves run.
  bool m_is_sample = false;
};

} // namespace wavelane
} // namespace lldb_private

#endif
