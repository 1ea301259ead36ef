//===-- RankReport.h - a job's ranks in a report ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_COMMANDS_REPORT_RANKREPORT_H
#define WAVELANE_COMMANDS_REPORT_RANKREPORT_H

#include "ReportPage.h"
#include "Session/Job/Job.h"
#include "llvm/ADT/ArrayRef.h"

namespace lldb_private {
namespace wavelane {

/// Gathers a JobReport.
/// \param[in] variables Expressions whose values are read in each rank.
/// \param[in] most_waves The number of waves of a rank whose variables are
/// read.
/// \param[out] was_interrupted The user interrupted it: the report says what it
/// leaves out.
JobReport MakeJobReport(const Job &job, llvm::ArrayRef<RankSP> ranks,
                        const std::vector<std::string> &variables,
                        uint32_t most_waves, bool &was_interrupted);

} // namespace wavelane
} // namespace lldb_private

#endif
