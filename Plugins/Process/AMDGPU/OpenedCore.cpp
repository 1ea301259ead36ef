//===-- OpenedCore.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenedCore.h"
#include "CoreServerProcess.h"

#include "llvm/Support/FormatVariadic.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
using ::wavelane::protocol::Simulation;

FileSpec OpenedCore::GetHostCore() const {
  if (!m_host_core)
    return FindHostCore(m_file);
  return m_host_core == m_file ? FileSpec() : m_host_core;
}

llvm::Expected<std::optional<Simulation>>
OpenedCore::Simulate(llvm::function_ref<llvm::Expected<Simulation>()> ask) {
  if (IsLive())
    return std::nullopt;
  llvm::Expected<Simulation> answer = ask();
  if (!answer)
    return answer.takeError();
  m_simulates = true;
  return std::move(*answer);
}

std::string OpenedCore::Describe(const Simulation &begun) const {
  return llvm::formatv(
      begun.Recording
          ? "This is a recording: its waves are replayed on a simulated {0}; "
            "{1} stays as it is\n"
          : "This is a simulation from here: the core's waves run on "
            "a simulated {0}; {1} stays as it is\n",
      begun.Processor, m_file.GetFilename());
}
