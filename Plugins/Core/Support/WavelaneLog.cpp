//===-- WavelaneLog.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WavelaneLog.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;

static constexpr Log::Category g_categories[] = {
    {{"breakpoints"},
     {"log breakpoints in host and GPU, and where their conditions are "
      "evaluated"},
     WavelaneLog::Breakpoints},
    {{"expressions"},
     {"log how expressions are evaluated in lanes"},
     WavelaneLog::Expressions},
    {{"lanes"}, {"log changes of focus lanes"}, WavelaneLog::Lanes},
    {{"waves"},
     {"log the server's information on waves, and their steps"},
     WavelaneLog::Waves},
};

static Log::Channel g_channel(g_categories,
                              WavelaneLog::Breakpoints | WavelaneLog::Waves);

template <> Log::Channel &lldb_private::LogChannelFor<WavelaneLog>() {
  return g_channel;
}

void lldb_private::wavelane::InitializeLog() {
  Log::Register("wavelane", g_channel);
}
