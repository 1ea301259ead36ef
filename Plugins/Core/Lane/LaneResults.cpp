//===-- LaneResults.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneResults.h"

using namespace lldb_private::wavelane;

static thread_local const std::vector<LaneResult> *t_results = nullptr;

LaneResultsScope::LaneResultsScope(std::vector<LaneResult> results)
    : m_results(std::move(results)) {
  t_results = &m_results;
}

LaneResultsScope::~LaneResultsScope() { t_results = nullptr; }

const std::vector<LaneResult> *LaneResultsScope::Get() { return t_results; }
