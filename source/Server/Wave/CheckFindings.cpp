//===-- CheckFindings.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CheckFindings.h"
#include "Server/Library/DeviceChoice.h"
#include "wavelane/Formats/Files/OutputFile.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "wavelane/Protocol/Device/DeviceMessages.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;

namespace wavelane::server {

void FindFinding(GPUSession &session, Wave &wave) {
  wave.finding.reset();
  if (!(wave.reasons & AMD_DBGAPI_WAVE_STOP_REASON_TRAP) ||
      !session.fn().stop_finding)
    return;
  const GPUSession::Core *core = session.GetCoreFiles();
  if (session.GetCore() && core->file->getFindings().empty())
    return;
  uint64_t id = 0;
  if (session.fn().stop_finding(wave.id, &id) != AMD_DBGAPI_STATUS_SUCCESS)
    return;
  wave.finding = id;
  if (core && session.fn().stop_lanes(wave.id, &wave.stop_lanes) !=
                  AMD_DBGAPI_STATUS_SUCCESS)
    wave.stop_lanes = 0;
}

void CheckFolder::Remove() {
  if (!m_path.empty())
    llvm::sys::fs::remove_directories(m_path);
  m_path.clear();
  if (m_lock >= 0)
    ::close(m_lock);
  m_lock = -1;
}

static constexpr char FolderPrefix[] = "wavelane-findings-";

/// \return The locked folder's descriptor, or -1.
static int Lock(const std::string &path) {
  const int fd =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  ::close(fd);
  return -1;
}

static void RemoveLeftFolders(StringRef parent) {
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(parent, error), end;
       it != end && !error; it.increment(error)) {
    struct stat info;
    if (!llvm::sys::path::filename(it->path()).starts_with(FolderPrefix) ||
        ::lstat(it->path().c_str(), &info) != 0 || info.st_uid != ::getuid())
      continue;
    const int fd = Lock(it->path());
    if (fd < 0)
      continue;
    llvm::sys::fs::remove_directories(it->path());
    ::close(fd);
  }
}

/// Makes a folder that nobody takes for a left one.
/// \param[out] lock  Its descriptor.
static std::error_code MakeFolder(std::string &path, int &lock) {
  llvm::SmallString<128> parent;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
  std::string fresh = (parent + "/wavelane-new-findings-XXXXXX").str();
  if (!::mkdtemp(fresh.data()))
    return std::error_code(errno, std::generic_category());
  RemoveLeftFolders(parent);
  lock = Lock(fresh);
  path =
      (parent + "/" + FolderPrefix + StringRef(fresh).rsplit('-').second).str();
  std::error_code error = llvm::sys::fs::rename(fresh, path);
  if (error)
    llvm::sys::fs::remove_directories(fresh);
  return error;
}

llvm::Error CheckFolder::SetUp(lldb_private::Environment &environment,
                               const llvm::json::Object &options,
                               bool is_simulated) {
  Remove();
  const StringRef checks = options.getString("checks").value_or("");
  if (!is_simulated && checks.empty())
    return llvm::Error::success();
  if (!is_simulated)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "checks need the simulated device: set plugin.process.amdgpu.device to "
        "simulated, or clear plugin.process.amdgpu.check");
  if (checks.empty() && environment.count(simulator::CheckFolderVariable))
    return llvm::Error::success(); // the user's own
  if (std::error_code error = MakeFolder(m_path, m_lock)) {
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, parent);
    return llvm::createStringError(
        error, llvm::Twine("can't make a folder for findings in ") + parent +
                   ": " + error.message());
  }
  // The server exits without destroying its objects.
  static std::string g_last;
  static const int g_registered = std::atexit([] {
    if (!g_last.empty())
      llvm::sys::fs::remove_directories(g_last);
  });
  (void)g_registered;
  g_last = m_path;
  if (!checks.empty())
    environment[simulator::ChecksVariable] = checks.str();
  environment[simulator::CheckFolderVariable] = m_path;
  return checks.empty() ? llvm::Error::success() : Choose(options);
}

llvm::Error CheckFolder::Choose(const llvm::json::Object &options) {
  const StringRef checks = options.getString("checks").value_or("");
  if (m_path.empty())
    return checks.empty()
               ? llvm::Error::success()
               : llvm::createStringError(
                     llvm::inconvertibleErrorCode(),
                     "only a program that is started on the simulated device "
                     "can be checked: 'run' restarts it");
  // The device never sees a half-written file.
  return files::writeOutput(
      m_path + "/" + simulator::CheckOptionsFile, [&](llvm::raw_ostream &out) {
        llvm::json::Object written = options;
        written["checks"] = checks; // none, if there are none
        out << llvm::json::Value(std::move(written)) << '\n';
      });
}

/// The lines of findings, each an object.
static llvm::SmallVector<StringRef, 64> Split(StringRef findings) {
  llvm::SmallVector<StringRef, 64> lines;
  findings.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return lines;
}

llvm::Error CheckFolder::SetUpCore(const corefile::CoreFile &core,
                                   llvm::json::Object options) {
  options["firstId"] = int64_t(Split(core.getFindings()).size() + 1);
  lldb_private::Environment environment;
  if (llvm::Error error = SetUp(environment, options, /*is_simulated=*/true))
    return error;
  for (const auto &entry : environment)
    ::setenv(entry.first().str().c_str(), entry.second.c_str(), 1);
  return llvm::Error::success();
}

std::string ReadFindings(const GPUSession &session) {
  const std::string folder = session.GetFindingsFolder();
  if (folder.empty())
    return {};
  // The program can name any file.
  auto file = files::readRegular(folder + "/" + simulator::CheckFindingsFile);
  return file ? (*file)->getBuffer().str() : std::string();
}

llvm::json::Array GetFindings(GPUSession &session) {
  llvm::json::Array findings;
  const GPUSession::Core *core = session.GetCoreFiles();
  std::string text = core ? core->file->getFindings().str() : "";
  if (!session.GetCore())
    text += ReadFindings(session);
  for (StringRef line : Split(text)) {
    llvm::Expected<llvm::json::Value> finding = wavelane::parseJSON(line);
    if (finding && finding->getAsObject())
      findings.push_back(std::move(*finding));
    else if (!finding)
      llvm::consumeError(finding.takeError());
  }
  return findings;
}

bool IsChecked(const GPUSession &session) {
  const std::string folder = session.GetFindingsFolder();
  return !session.GetCoreFiles() && !folder.empty() &&
         (llvm::sys::fs::exists(folder + "/" + simulator::CheckOptionsFile) ||
          llvm::sys::fs::exists(folder + "/" + simulator::CheckFindingsFile));
}

void AddFinding(GPUSession &session, protocol::Stop &stop) {
  for (const llvm::json::Value &value : GetFindings(session)) {
    const llvm::json::Object &finding = *value.getAsObject();
    if (finding.getInteger("id") != int64_t(*stop.Finding))
      continue;
    stop.Explanation = finding.getString("text").value_or("").str();
    if (auto variable = finding.getString("variable"))
      stop.Explanation += ", " + variable->str();
    const llvm::json::Object *other = finding.getObject("other");
    const llvm::json::Array *lanes = other ? other->getArray("lanes") : nullptr;
    for (size_t i = 0; lanes && i < lanes->size(); ++i)
      if (auto lane = (*lanes)[i].getAsUINT64(); lane && *lane < 64)
        stop.OtherLanes.Bits |= uint64_t(1) << *lane;
    return;
  }
}

llvm::Expected<llvm::json::Value> AskChecks(GPUSession &session,
                                            const llvm::json::Object &request) {
  auto fail = [](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  };
  if (llvm::Error error = session.CheckLive("no checks are enabled"))
    return std::move(error);
  if (!session.fn().ask_checks)
    return fail("only Wavelane's debug library reports findings: clear "
                "plugin.process.amdgpu.library");
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(llvm::json::Object(request));
  char *answer = nullptr;
  if (session.fn().ask_checks(session.id(), text.c_str(), &answer) !=
      AMD_DBGAPI_STATUS_SUCCESS)
    return fail(llvm::Twine("no checks are enabled; enable them with 'settings "
                            "set plugin.process.amdgpu.check memory,race' ") +
                (session.GetCoreFiles() ? "before the core first runs on"
                                        : "and restart the program"));
  text = answer;
  std::free(answer);
  llvm::Expected<llvm::json::Value> value = wavelane::parseJSON(text);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return fail("the device's answer isn't an object");
  if (auto error = object->getString("error"))
    return fail(*error);
  return value;
}

} // namespace wavelane::server
