//===-- CheckFindings.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckFindings.h"
#include "wavelane/Simulator/Protocol.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>

using llvm::StringRef;

namespace wavelane::server {

std::optional<uint64_t> GetFinding(GPUSession &session, WaveReader &reader,
                                   Wave &wave) {
  if (!(wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_TRAP) ||
      !session.fn().stop_address)
    return std::nullopt;
  // The trap handler's note of the trap's number.
  const std::vector<uint8_t> bytes = reader.ReadRegister(wave, "ttmp6");
  uint64_t id = 0;
  if (bytes.size() < 4 ||
      (llvm::support::endian::read32le(bytes.data()) >> 25 & 15) !=
          simulator::CheckTrap ||
      session.fn().stop_address(wave.id, &id) != AMD_DBGAPI_STATUS_SUCCESS)
    return std::nullopt;
  return id;
}

void CheckFolder::Remove() {
  if (!m_path.empty())
    llvm::sys::fs::remove_directories(m_path);
  m_path.clear();
}

llvm::Error CheckFolder::SetUp(lldb_private::Environment &environment,
                               StringRef checks, bool is_simulated) {
  Remove();
  if (!is_simulated)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "checks need the simulated device: set plugin.process.amdgpu.device to "
        "simulated, or clear plugin.process.amdgpu.check");
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("wavelane-check", path))
    return llvm::createStringError(error, "can't make a folder for findings");
  m_path = path.str().str();
  // The server exits without destroying its objects.
  static std::string g_last;
  static const int g_registered = std::atexit([] {
    if (!g_last.empty())
      llvm::sys::fs::remove_directories(g_last);
  });
  (void)g_registered;
  g_last = m_path;
  environment[simulator::ChecksVariable] = checks.str();
  environment[simulator::CheckFolderVariable] = m_path;
  return llvm::Error::success();
}

/// The file's path; empty if the program has no check.
static std::string GetFile(lldb::pid_t pid) {
  auto environment = llvm::MemoryBuffer::getFileAsStream(
      "/proc/" + std::to_string(pid) + "/environ");
  if (!environment)
    return {};
  llvm::SmallVector<StringRef, 64> entries;
  (*environment)->getBuffer().split(entries, '\0');
  const std::string name = std::string(simulator::CheckFolderVariable) + "=";
  for (StringRef entry : entries)
    if (entry.consume_front(name) && !entry.empty())
      return entry.str() + "/" + simulator::CheckFindingsFile;
  return {};
}

llvm::json::Array ReadFindings(lldb::pid_t pid) {
  llvm::json::Array findings;
  const std::string path = GetFile(pid);
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (path.empty() || !file)
    return findings;
  llvm::SmallVector<StringRef, 64> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    llvm::Expected<llvm::json::Value> finding = llvm::json::parse(line);
    if (finding && finding->getAsObject())
      findings.push_back(std::move(*finding));
    else if (!finding)
      llvm::consumeError(finding.takeError());
  }
  return findings;
}

std::string DescribeFinding(lldb::pid_t pid, uint64_t id) {
  for (const llvm::json::Value &value : ReadFindings(pid)) {
    const llvm::json::Object &finding = *value.getAsObject();
    if (finding.getInteger("id") != int64_t(id))
      continue;
    std::string text = finding.getString("text").value_or("").str();
    if (auto variable = finding.getString("variable"))
      text += ", " + variable->str();
    return text;
  }
  return {};
}

} // namespace wavelane::server
