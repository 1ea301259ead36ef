//===-- CheckStops.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckStops.h"
#include "JSONPackets.h"
#include "ProcessAMDGPUProperties.h"
#include "WaveProcess.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Protocol/Device/Checks.h"
#include "wavelane/Protocol/Server/Packets.h"

#include "lldb/Core/Debugger.h"
#include "lldb/Target/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace packets = ::wavelane::server::packets;

llvm::Expected<StructuredData::ObjectSP>
lldb_private::wavelane::AskChecks(WaveProcess &process,
                                  llvm::json::Object request) {
  return process.SendJSONPacket(
      packets::Make(packets::Checks, std::move(request)));
}

/// The bits of a list of checks; none if there are none.
static unsigned ReadList(llvm::StringRef list) {
  llvm::Expected<unsigned> bits = ::wavelane::check::parseList(list);
  if (bits)
    return *bits;
  llvm::consumeError(bits.takeError());
  return 0;
}

/// The checks of \a wanted that the device doesn't do: "race, sync".
static std::string FindMissing(llvm::StringRef wanted, llvm::StringRef done) {
  return ::wavelane::check::listOf(ReadList(wanted) & ~ReadList(done), ", ");
}

void CheckStops::Send(WaveProcess &process) {
  const ProcessAMDGPUProperties &properties = GetProcessAMDGPUProperties();
  const std::string checks = properties.GetChecks();
  const std::string ignored = llvm::join(properties.GetIgnoredFindings(), "\n");
  const lldb::user_id_t debugger = process.GetTarget().GetDebugger().GetID();
  const std::string file = properties.GetSuppressions().GetPath();
  std::string suppressions;
  if (!file.empty() && !checks.empty()) {
    auto text = ::wavelane::files::readRegular(file);
    if (text)
      suppressions = (*text)->getBuffer().str();
    else if (m_missing_file != file)
      Debugger::ReportWarning("plugin.process.amdgpu.check-suppressions: " +
                                  file + ": " + text.getError().message(),
                              debugger);
    m_missing_file = text ? "" : file;
  }
  // A program that isn't checked costs no packet.
  if (checks == m_checks && ignored == m_ignored &&
      suppressions == m_suppressions)
    return;
  m_checks = checks;
  m_ignored = ignored;
  m_suppressions = suppressions;
  llvm::json::Object request{{"stopOn", checks}, {"ignore", ignored}};
  if (!suppressions.empty()) {
    request["suppressions"] = suppressions;
    request["name"] = file;
  }
  llvm::Expected<StructuredData::ObjectSP> answer =
      AskChecks(process, std::move(request));
  if (!answer) {
    const std::string why = llvm::toString(answer.takeError());
    // Suppressions alone say nothing about a program that isn't checked.
    if (!checks.empty())
      Debugger::ReportWarning("plugin.process.amdgpu.check: " + why, debugger);
    return;
  }
  StructuredData::Dictionary *reply = (*answer)->GetAsDictionary();
  llvm::StringRef done;
  if (!reply || !reply->GetValueForKeyAsString("checks", done))
    return;
  if (const std::string missing = FindMissing(checks, done); !missing.empty())
    Debugger::ReportWarning(
        "plugin.process.amdgpu.check: " + missing +
            (process.GetCoreFile()
                 ? " can't be turned on after the core has run on; open it "
                   "again to check it"
                 : " can't be turned on after the program has used the GPU; "
                   "restart the program to turn it on"),
        debugger);
}
