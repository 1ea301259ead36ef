//===-- RunningRanks.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunningRanks.h"
#include "wavelane/Formats/JSON/Parse.h"
#include "wavelane/Job/Launchers.h"
#include "wavelane/Protocol/Fields.h"

#include "lldb/Host/Host.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Utility/Args.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <map>
#include <set>

using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace job = ::wavelane::job;

/// A launcher answers at once; one that hangs never does.
static constexpr auto kPMIxPatience = std::chrono::seconds(20);

bool lldb_private::wavelane::IsThisHost(llvm::StringRef host) {
  std::string own;
  return host.empty() || host == "localhost" ||
         (HostInfo::GetHostname(own) &&
          (host == own || host == llvm::StringRef(own).split('.').first));
}

namespace {
struct Entry {
  lldb::pid_t parent = 0;
  std::optional<job::Place> place;
};
using Entries = std::map<lldb::pid_t, Entry>;
} // namespace

static std::optional<job::Place> ReadPlace(const std::string &folder) {
  auto file = llvm::MemoryBuffer::getFileAsStream(folder + "/environ");
  if (!file)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> variables;
  (*file)->getBuffer().split(variables, '\0');
  auto place = job::findPlace([&](llvm::StringRef name) -> const char * {
    for (llvm::StringRef variable : variables)
      if (variable.consume_front(name) && variable.consume_front("="))
        return variable.data(); // it ends with a null
    return nullptr;
  });
  if (place)
    return *place;
  llvm::consumeError(place.takeError());
  return std::nullopt;
}

static Entries ReadProcesses() {
  Entries processes;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it("/proc", code), end;
       it != end && !code; it.increment(code)) {
    lldb::pid_t pid;
    if (llvm::sys::path::filename(it->path()).getAsInteger(10, pid))
      continue;
    auto stat = llvm::MemoryBuffer::getFileAsStream(it->path() + "/stat");
    if (!stat)
      continue;
    // "<pid> (<name>) <state> <parent> ...": names may have brackets.
    llvm::SmallVector<llvm::StringRef> fields;
    (*stat)->getBuffer().rsplit(") ").second.split(fields, ' ', 2);
    Entry &entry = processes[pid];
    if (fields.size() > 1)
      (void)fields[1].getAsInteger(10, entry.parent);
    entry.place = ReadPlace(it->path());
  }
  return processes;
}

static llvm::Expected<RunningRanks>
FindGiven(llvm::ArrayRef<job::Started> given, const Entries &all) {
  RunningRanks found;
  std::set<uint32_t> ranks;
  for (const job::Started &one : given) {
    auto known = all.find(one.Pid);
    if (one.Host.empty() && known == all.end())
      return llvm::createStringError("there is no process " +
                                     std::to_string(one.Pid));
    // What isn't known of processes elsewhere is their order here.
    auto rank = uint32_t(found.processes.size());
    if (one.Host.empty() && known->second.place)
      rank = known->second.place->Rank;
    ranks.insert(rank);
    found.processes.push_back({one.Host, one.Pid, rank});
  }
  if (ranks.size() < found.processes.size())
    for (auto [number, process] : llvm::enumerate(found.processes))
      process.rank = uint32_t(number);
  return found;
}

/// A rank's own children have its variables, too. So have the launchers in a
/// batch script of Slurm, but what these start has others.
static bool HasPlaceOf(const Entry &entry, const Entry &parent) {
  return parent.place && parent.place->Source == entry.place->Source &&
         parent.place->Rank == entry.place->Rank;
}

static RunningRanks FindBelow(lldb::pid_t launcher, const Entries &all) {
  RunningRanks found;
  std::set<uint32_t> ranks;
  uint32_t size = 0;
  for (const auto &[pid, entry] : all) {
    auto parent = all.find(entry.parent);
    if (!entry.place || parent == all.end() ||
        HasPlaceOf(entry, parent->second))
      continue;
    lldb::pid_t above = entry.parent;
    for (auto it = parent; it != all.end() && above != launcher;
         it = all.find(above))
      above = it->second.parent;
    if (above != launcher)
      continue;
    found.processes.push_back({"", pid, entry.place->Rank});
    ranks.insert(entry.place->Rank);
    size = std::max(size, entry.place->Size.value_or(0));
  }
  for (uint32_t rank = 0; rank < size; ++rank)
    if (!ranks.count(rank))
      found.missing.push_back(rank);
  return found;
}

/// Asks by a program of its own: PMIx's library has threads, and may wait for
/// ever.
static llvm::Expected<std::vector<job::Started>>
AskPMIx(lldb::pid_t launcher, const std::string &rank_program) {
  Args command;
  for (const std::string &word :
       {rank_program, std::string("--ranks-of"), std::to_string(launcher)})
    command.AppendArgument(word);
  int status = 0, signal = 0;
  std::string output;
  Status error = Host::RunShellCommand(command, FileSpec(), &status, &signal,
                                       &output, kPMIxPatience,
                                       /*run_in_shell=*/false);
  if (error.Fail())
    return llvm::createStringError("PMIx: " + std::string(error.AsCString()));
  llvm::Expected<llvm::json::Value> answer = ::wavelane::parseJSON(output);
  if (!answer) {
    llvm::consumeError(answer.takeError());
    return llvm::createStringError("PMIx's library fails");
  }
  if (status || signal) {
    auto failure = ::wavelane::protocol::read<::wavelane::protocol::Failure>(
        *answer, "the answer of wavelane-rank");
    return failure ? llvm::createStringError(failure->Error)
                   : failure.takeError();
  }
  std::vector<job::Started> ranks;
  if (const llvm::json::Array *array = answer->getAsArray())
    for (const llvm::json::Value &value : *array)
      if (const llvm::json::Object *rank = value.getAsObject())
        ranks.push_back({rank->getString("host").value_or("").str(),
                         uint64_t(rank->getInteger("pid").value_or(0)),
                         uint32_t(rank->getInteger("rank").value_or(0))});
  return ranks;
}

llvm::Expected<RunningRanks>
lldb_private::wavelane::FindRunningRanks(llvm::ArrayRef<job::Started> given,
                                         const std::string &rank_program) {
  const Entries all = ReadProcesses();
  const lldb::pid_t launcher = given.front().Pid;
  auto known = all.find(launcher);
  if (given.size() > 1 || !given.front().Host.empty() || known == all.end())
    return FindGiven(given, all);
  const RunningRanks below = FindBelow(launcher, all);
  auto parent = all.find(known->second.parent);
  if (known->second.place && below.processes.empty() &&
      (parent == all.end() || !HasPlaceOf(known->second, parent->second)))
    return FindGiven(given, all);
  RunningRanks found;
  std::string why;
  auto table = job::readProcTable(launcher);
  if (!table) {
    why = llvm::toString(table.takeError());
    table = AskPMIx(launcher, rank_program);
  }
  if (table) {
    for (const job::Started &one : *table)
      if (!one.Host.empty() && !job::isHostName(one.Host))
        return llvm::createStringError("the launcher names a host that can't "
                                       "be one");
    for (const job::Started &one : *table)
      found.processes.push_back({IsThisHost(one.Host) ? "" : one.Host, one.Pid,
                                 one.Rank.value_or(0)});
    return found;
  }
  why += "; " + llvm::toString(table.takeError());
  if (!below.processes.empty())
    return below;
  if (known->second.place)
    return FindGiven(given, all);
  return llvm::createStringError("process " + std::to_string(launcher) +
                                 " is not a rank and has no ranks among its "
                                 "children here; as a launcher, " +
                                 why);
}
