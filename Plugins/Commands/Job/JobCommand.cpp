//===-- JobCommand.cpp - job launch, listen, wait, continue, kill ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands/Base/LazyGroup.h"
#include "Core/Progress/SlowProgress.h"
#include "JobCommands.h"
#include "Session/Coupling/GPUCoupling.h"
#include "Session/Job/Job.h"
#include "Session/Job/RunningRanks.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Host/HostInfo.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/TargetList.h"
#include "lldb/Utility/Args.h"
#include "wavelane/Job/Launchers.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <glob.h>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace job = ::wavelane::job;

namespace {

constexpr uint32_t DefaultPatience = 30;

// The options of all three commands; `job listen` has the last one, `job wait`
// all others.
constexpr OptionDefinition g_options[] = {
    Switch("hold-late-ranks", 'h',
           "Leave ranks that join later stopped at their start."),
    Switch("stop-at-entry", 's', "Leave the ranks stopped at their start."),
    WordOption(
        "ranks", 'n', eArgTypeCount,
        "How many ranks to wait for, if the launcher does not report it."),
    WordOption("timeout", 't', eArgTypeCount,
               "The seconds to wait for the next rank (30)."),
    WordOption("listen", 'l', eArgTypeName,
               "The address of this machine, as 10.0.0.1 or 10.0.0.1:4000, if "
               "ranks run on others."),
};
const llvm::ArrayRef<OptionDefinition> g_all(g_options);

std::string GetRankProgram() {
  FileSpec program = HostInfo::GetSupportExeDir();
  program.AppendPathComponent("wavelane-rank");
  return program.GetPath();
}

bool IsProgram(llvm::StringRef word) {
  if (word.contains('/'))
    return !llvm::sys::fs::is_directory(word) &&
           llvm::sys::fs::can_execute(word);
  return bool(llvm::sys::findProgramByName(word));
}

/// The target whose breakpoints the ranks get.
llvm::Expected<TargetSP> FindHub(Debugger &debugger, llvm::StringRef program) {
  TargetList &targets = debugger.GetTargetList();
  TargetSP target_sp = targets.GetSelectedTarget();
  std::shared_ptr<Job> before = Job::Find(debugger);
  if (target_sp && before && before->FindRank(*target_sp))
    target_sp = before->GetHub();
  if (target_sp)
    if (auto coupling_sp = GPUCoupling::Find(*target_sp))
      target_sp = coupling_sp->GetHostTarget();
  if (target_sp)
    return target_sp;
  // A script isn't a file of LLDB's.
  for (llvm::StringRef path : {program, llvm::StringRef()}) {
    Status error = targets.CreateTarget(
        debugger, path, /*triple_str=*/"", eLoadDependentsNo,
        /*platform_options=*/nullptr, target_sp);
    if (error.Success())
      return target_sp;
    if (path.empty())
      return error.takeError();
  }
  return target_sp;
}

/// The job of the debugger if one is alive; otherwise an error in \a result.
std::shared_ptr<Job> FindLiveJob(CommandInterpreter &interpreter,
                                 CommandReturnObject &result) {
  std::shared_ptr<Job> job = Job::Find(interpreter.GetDebugger());
  if (job && job->IsAlive())
    return job;
  result.AppendError("there is no job: `job launch -- mpirun -n 4 ./app` "
                     "starts one");
  return nullptr;
}

/// Continues a job, and waits for its stop unless commands return at once.
/// \param[in] chosen Only these ranks; all if it is empty.
void ContinueJob(Job &job, CommandReturnObject &result,
                 llvm::ArrayRef<RankSP> chosen = {}) {
  const std::vector<RankSP> ranks =
      chosen.empty() ? job.GetRanks() : chosen.vec();
  if (!ranks.empty() &&
      llvm::all_of(ranks, [](const RankSP &rank) { return rank->is_core; })) {
    result.AppendError("the ranks are core files, which don't run");
    return;
  }
  const bool waits = !job.GetDebugger().GetAsyncExecution();
  if (waits)
    job.Expect();
  if (llvm::Error error = chosen.empty() ? job.Resume() : job.Resume(chosen))
    result.AppendError(llvm::toString(std::move(error)));
  if (!waits) {
    result.SetStatus(eReturnStatusSuccessContinuingNoResult);
    return;
  }
  job.WaitForStop();
  job.ShowStop(result.GetOutputStream());
  if (result.GetErrorString().empty())
    result.SetStatus(eReturnStatusSuccessFinishResult);
}

class JobWaitCommand : public CommandObjectParsed {
public:
  JobWaitCommand(CommandInterpreter &interpreter, const char *name,
                 const char *help, const char *syntax,
                 llvm::ArrayRef<OptionDefinition> options)
      : CommandObjectParsed(interpreter, name, help, syntax),
        m_options(options) {}
  Options *GetOptions() override { return &m_options; }

protected:
  struct Numbers {
    uint32_t ranks = 0, patience = DefaultPatience;
  };
  std::optional<Numbers> GetNumbers(CommandReturnObject &result) {
    Numbers numbers;
    for (auto [letter, number] :
         {std::pair('n', &numbers.ranks), std::pair('t', &numbers.patience)})
      if (m_options.Has(letter) &&
          (m_options.Get(letter).getAsInteger(10, *number) || !*number)) {
        result.AppendErrorWithFormatv("'{0}' isn't a number of {1}",
                                      m_options.Get(letter),
                                      letter == 'n' ? "ranks" : "seconds");
        return std::nullopt;
      }
    return numbers;
  }

  /// Waits for the ranks, and lets them run.
  void Begin(Job &job, const Numbers &numbers, CommandReturnObject &result) {
    if (m_options.Has('h'))
      job.HoldLateRanks();
    std::string why;
    if (!job.WaitForRanks(numbers.ranks, std::chrono::seconds(numbers.patience),
                          why)) {
      const std::vector<RankSP> ranks = job.GetRanks();
      result.AppendErrorWithFormatv(
          "{0}{1}", why,
          job.IsAlive()
              ? "; `continue` goes on without it, `job kill` ends the job"
              : ": its ranks must be started by `wavelane-rank PROGRAM`");
      return;
    }
    const std::vector<RankSP> ranks = job.GetRanks();
    std::vector<uint32_t> numbers_of;
    for (const RankSP &rank : ranks)
      numbers_of.push_back(rank->GetNumber());
    job.Print(NameRanks(numbers_of) + " of " +
              ranks.front()->registration.Program + "\n");
    // Ctrl-C is for the selected rank, and so for the job.
    job.Select(*ranks.front());
    if (!m_options.Has('s')) {
      ContinueJob(job, result);
      return;
    }
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }

  SimpleOptions m_options;
};

class LaunchCommand : public JobWaitCommand {
public:
  explicit LaunchCommand(CommandInterpreter &interpreter)
      : JobWaitCommand(
            interpreter, "job launch",
            "Start the ranks of a job under the debugger.",
            "job launch [--stop-at-entry] [--ranks N] [--timeout SECONDS] "
            "[--hold-late-ranks] [--listen ADDRESS] -- LAUNCHER [OPTION...] "
            "PROGRAM [ARGUMENT...]",
            g_all) {
    SetHelpLong(R"(
The launcher is one that you have: mpirun, mpiexec, srun. wavelane-rank is put
before the program, unless it is there already. When all ranks are there, they
run until one stops.

Breakpoints are those of all ranks. `continue` and Ctrl-C are the job's.

Examples:

(lldb) job launch -- mpirun -n 2 ./app
(lldb) job launch --stop-at-entry -- mpirun -n 2 ./app
(lldb) job launch --listen 10.0.0.1 -- srun -n 2 ./app
)");
    AddSimpleArgumentList(eArgTypeRunArgs, eArgRepeatPlus);
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::optional<Numbers> numbers = GetNumbers(result);
    if (!numbers)
      return;
    std::vector<std::string> line;
    for (const Args::ArgEntry &word : words)
      line.push_back(word.ref().str());
    const std::string rank = GetRankProgram();
    auto command = job::insertRank(line, rank, IsProgram);
    if (!command) {
      result.AppendError(llvm::toString(command.takeError()));
      return;
    }
    const auto program = llvm::find(*command, rank) + 1;
    Debugger &debugger = m_interpreter.GetDebugger();
    llvm::Expected<TargetSP> hub =
        FindHub(debugger, program == command->end() ? "" : *program);
    if (!hub) {
      result.AppendError(llvm::toString(hub.takeError()));
      return;
    }
    auto job = Job::Create(*hub, m_options.Get('l'));
    if (!job) {
      result.AppendError(llvm::toString(job.takeError()));
      return;
    }
    if (llvm::Error error = (*job)->Launch(*command)) {
      result.AppendError(llvm::toString(std::move(error)));
      return;
    }
    Begin(**job, *numbers, result);
  }
};

class ListenCommand : public JobWaitCommand {
public:
  explicit ListenCommand(CommandInterpreter &interpreter)
      : JobWaitCommand(interpreter, "job listen",
                       "Let the ranks of a job that is started elsewhere "
                       "connect to the debugger.",
                       "job listen [--listen ADDRESS]", g_all.take_back(1)) {
    SetHelpLong(R"(
Prints the variables that the ranks need, and returns. A script then starts
`mpirun -n 8 wavelane-rank ./app` with these variables. `job wait` waits for
the ranks, and lets them run.

Examples:

(lldb) job listen
(lldb) job listen --listen 127.0.0.1
)");
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    if (!words.empty()) {
      result.AppendError("'job listen' takes no arguments");
      return;
    }
    llvm::Expected<TargetSP> hub =
        FindHub(m_interpreter.GetDebugger(), /*program=*/"");
    if (!hub) {
      result.AppendError(llvm::toString(hub.takeError()));
      return;
    }
    auto job = Job::Create(*hub, m_options.Get('l'));
    if (!job) {
      result.AppendError(llvm::toString(job.takeError()));
      return;
    }
    const JobSocket &socket = (*job)->GetSocket();
    result.AppendMessage(
        llvm::formatv("export {0}={1}\nexport {2}={3}\n# then, for example: "
                      "mpirun -n 4 {4} ./app",
                      job::AddressVariable, socket.GetAddress(),
                      job::SecretVariable, socket.GetSecret(), GetRankProgram())
            .str());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

constexpr OptionDefinition g_attach_options[] = {
    WordOption("listen", 'l', eArgTypeName,
               "The address of this machine, if ranks run on others."),
    WordOption("shell", 's', eArgTypeCommandName,
               "Command that runs a program on another host; the host name is "
               "appended (ssh -o BatchMode=yes)."),
};

class AttachCommand : public CommandObjectParsed {
public:
  explicit AttachCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job attach",
                            "Attach to the ranks of a running job.",
                            "job attach [--listen ADDRESS] [--shell COMMAND] "
                            "LAUNCHER-PID | [HOST:]PID..."),
        m_options(g_attach_options) {
    SetHelpLong(R"(
Given the process of mpirun, mpiexec or srun, attaches to the ranks that it
has started; otherwise to each of the given processes. The ranks are stopped
then. When LLDB ends, they go on.

For ranks on other machines, this machine's address is needed. wavelane-rank
must have the same path there as here, and --shell must need no password.

Examples:

(lldb) job attach 1234
(lldb) job attach --listen 10.0.0.1 node1:1234 node2:1234
(lldb) job attach --listen 10.0.0.1 --shell "srun --overlap --jobid 7 -n1 -w" 1234
)");
    AddSimpleArgumentList(eArgTypePid, eArgRepeatPlus);
  }
  Options *GetOptions() override { return &m_options; }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::vector<job::Started> given;
    for (const Args::ArgEntry &word : words) {
      llvm::Expected<job::Started> one = job::parseStarted(word.ref());
      if (!one) {
        result.AppendError(llvm::toString(one.takeError()));
        return;
      }
      if (IsThisHost(one->Host))
        one->Host.clear();
      given.push_back(std::move(*one));
    }
    auto ranks = FindRunningRanks(given, GetRankProgram());
    if (!ranks) {
      result.AppendError(llvm::toString(ranks.takeError()));
      return;
    }
    const auto far =
        llvm::find_if(ranks->processes, [](const Job::Attached &one) {
          return !one.host.empty();
        });
    if (far != ranks->processes.end() && !m_options.Has('l')) {
      result.AppendErrorWithFormatv(
          "rank {0} is on {1}: --listen must give an address of this machine",
          far->rank, far->host);
      return;
    }
    // Nobody could answer its questions.
    Args shell(m_options.Has('s') ? m_options.Get('s')
                                  : "ssh -o BatchMode=yes");
    if (shell.empty()) {
      result.AppendError("--shell is empty");
      return;
    }
    if (!ranks->missing.empty())
      result.AppendWarning(NameRanks(ranks->missing) +
                           (ranks->missing.size() == 1 ? " isn't" : " aren't") +
                           " on this machine, and the launcher does not report "
                           "where they run: give each as HOST:PID");
    Begin(ranks->processes, shell, result);
  }

private:
  void Begin(llvm::ArrayRef<Job::Attached> processes, const Args &shell,
             CommandReturnObject &result) {
    const auto near = llvm::find_if(
        processes, [](const Job::Attached &one) { return one.host.empty(); });
    Debugger &debugger = m_interpreter.GetDebugger();
    llvm::Expected<TargetSP> hub =
        FindHub(debugger, near == processes.end()
                              ? ""
                              : "/proc/" + std::to_string(near->pid) + "/exe");
    if (!hub) {
      result.AppendError(llvm::toString(hub.takeError()));
      return;
    }
    auto job = Job::Create(*hub, m_options.Get('l'));
    if (!job) {
      result.AppendError(llvm::toString(job.takeError()));
      return;
    }
    std::vector<std::string> shell_words;
    for (const Args::ArgEntry &word : shell)
      shell_words.push_back(word.ref().str());
    std::string why;
    llvm::Error error =
        (*job)->Attach(GetRankProgram(), processes, shell_words);
    if (error)
      why = llvm::toString(std::move(error));
    else if ((*job)->WaitForRanks(uint32_t(processes.size()),
                                  std::chrono::seconds(DefaultPatience), why)) {
      std::vector<uint32_t> numbers;
      for (const RankSP &rank : (*job)->GetRanks())
        numbers.push_back(rank->GetNumber());
      (*job)->Select(*(*job)->GetRanks().front());
      result.AppendMessage("attached to " + NameRanks(numbers));
      result.SetStatus(eReturnStatusSuccessFinishResult);
      return;
    }
    std::vector<uint32_t> there;
    for (const RankSP &rank : (*job)->GetRanks())
      if (rank->IsAlive())
        there.push_back(rank->GetNumber());
    result.AppendError(why);
    if (!there.empty())
      result.AppendMessage("attached to " + NameRanks(there) +
                           " only; `job detach` ends that");
  }

  SimpleOptions m_options;
};

class CoreCommand : public CommandObjectParsed {
public:
  explicit CoreCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job core",
                            "Open the core files of a job's ranks as one job.",
                            "job core FILE...") {
    SetHelpLong(R"(
A file's name may be a pattern. The rank of each core is the one that its
launcher had given it; where a core doesn't have that, they are numbered in
their order. `rank list`, `rank backtrace`, `rank waits` and `rank print` are
for all of them.

`lldb -c core.*` does the same.

Example:

(lldb) job core core.*
)");
    AddSimpleArgumentList(eArgTypeFilename, eArgRepeatPlus);
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::vector<std::string> files;
    for (const Args::ArgEntry &word : words) {
      glob_t found = {};
      if (::glob(word.c_str(), GLOB_NOCHECK | GLOB_TILDE, nullptr, &found) == 0)
        files.insert(files.end(), found.gl_pathv,
                     found.gl_pathv + found.gl_pathc);
      ::globfree(&found);
    }
    if (files.empty()) {
      result.AppendErrorWithFormatv("core files are required: {0}",
                                    GetSyntax());
      return;
    }
    OpenJobCores(m_interpreter.GetDebugger(), files, result);
  }
};

class WaitCommand : public JobWaitCommand {
public:
  explicit WaitCommand(CommandInterpreter &interpreter)
      : JobWaitCommand(interpreter, "job wait",
                       "Wait for the ranks of a job, and let them run.",
                       "job wait [--ranks N] [--timeout SECONDS] "
                       "[--stop-at-entry] [--hold-late-ranks]",
                       g_all.drop_back(1)) {
    SetHelpLong("\nExample:\n\n(lldb) job wait --ranks 2\n");
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::optional<Numbers> numbers = GetNumbers(result);
    if (!numbers)
      return;
    std::shared_ptr<Job> job = Job::Find(m_interpreter.GetDebugger());
    if (!job) {
      result.AppendError("no job is awaited: `job listen` comes first");
      return;
    }
    Begin(*job, *numbers, result);
  }
};

class ContinueCommand : public CommandObjectParsed {
public:
  explicit ContinueCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job continue",
                            "Continue all ranks, or some.",
                            "job continue [RANKS]") {
    SetHelpLong(R"(
Resumes ranks like `continue`, even if `continue` only resumes the selected one
(`settings set plugin.process.amdgpu.run-unit rank`).

Examples:

(lldb) job continue
(lldb) job continue 0-1
)");
    AddSimpleArgumentList(eArgTypeName, eArgRepeatOptional);
  }

protected:
  void DoExecute(Args &words, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindLiveJob(m_interpreter, result);
    if (!job)
      return;
    if (words.empty())
      return ContinueJob(*job, result);
    auto ranks = job->ParseRanks(words[0].ref());
    if (!ranks)
      result.AppendError(llvm::toString(ranks.takeError()));
    else
      ContinueJob(*job, result, *ranks);
  }
};

class InterruptCommand : public CommandObjectParsed {
public:
  explicit InterruptCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job interrupt", "Stop all ranks.",
                            "job interrupt") {
    SetHelpLong("\nExample:\n\n(lldb) job interrupt\n");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindLiveJob(m_interpreter, result);
    if (!job)
      return;
    if (!job->IsRunning()) {
      result.AppendError("no rank is running");
      return;
    }
    job->Expect();
    job->Interrupt();
    job->WaitForStop();
    job->ShowStop(result.GetOutputStream());
    result.SetStatus(eReturnStatusSuccessFinishResult);
  }
};

class KillCommand : public CommandObjectParsed {
public:
  explicit KillCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job kill",
                            "End all ranks, and their launcher.", "job kill") {
    SetHelpLong("\nExample:\n\n(lldb) job kill\n");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindLiveJob(m_interpreter, result);
    if (!job)
      return;
    job->Kill();
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  }
};

class DetachCommand : public CommandObjectParsed {
public:
  explicit DetachCommand(CommandInterpreter &interpreter)
      : CommandObjectParsed(interpreter, "job detach",
                            "Let all ranks go on without the debugger.",
                            "job detach") {
    SetHelpLong("\nExample:\n\n(lldb) job detach\n");
  }

protected:
  void DoExecute(Args &, CommandReturnObject &result) override {
    std::shared_ptr<Job> job = FindLiveJob(m_interpreter, result);
    if (!job)
      return;
    job->Detach();
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  }
};

class JobCommand : public LazyGroup {
public:
  explicit JobCommand(CommandInterpreter &interpreter)
      : LazyGroup(interpreter, "job",
                  "Commands for a job: the processes that mpirun, srun or "
                  "the like start.",
                  R"(
A job's processes are its ranks (`help rank`). Each is a target of its own,
and a second one when it uses its GPU.

Examples:

(lldb) job launch -- mpirun -n 2 ./app
(lldb) job kill
)") {}

protected:
  void LoadSubcommands() override {
    CommandInterpreter &interpreter = GetCommandInterpreter();
    LoadSubCommand("core", std::make_shared<CoreCommand>(interpreter));
    LoadSubCommand("attach", std::make_shared<AttachCommand>(interpreter));
    LoadSubCommand("launch", std::make_shared<LaunchCommand>(interpreter));
    LoadSubCommand("listen", std::make_shared<ListenCommand>(interpreter));
    LoadSubCommand("wait", std::make_shared<WaitCommand>(interpreter));
    LoadSubCommand("continue", std::make_shared<ContinueCommand>(interpreter));
    LoadSubCommand("interrupt",
                   std::make_shared<InterruptCommand>(interpreter));
    LoadSubCommand("kill", std::make_shared<KillCommand>(interpreter));
    LoadSubCommand("detach", std::make_shared<DetachCommand>(interpreter));
  }
};

} // namespace

void lldb_private::wavelane::ContinueWithJob(Job &job,
                                             CommandReturnObject &result) {
  ContinueJob(job, result);
}

void lldb_private::wavelane::OpenJobCores(Debugger &debugger,
                                          llvm::ArrayRef<std::string> files,
                                          CommandReturnObject &result) {
  llvm::Expected<TargetSP> hub = FindHub(debugger, /*program=*/"");
  if (!hub) {
    result.AppendError(llvm::toString(hub.takeError()));
    return;
  }
  auto job = Job::Create(*hub, /*address=*/"");
  if (!job) {
    result.AppendError(llvm::toString(job.takeError()));
    return;
  }
  SlowProgress progress(debugger, "Opening cores", files.size());
  for (const std::string &file : files) {
    if (llvm::Error error = (*job)->OpenCore(FileSpec(file)))
      result.AppendError(llvm::toString(std::move(error)));
    if (!progress.Step()) {
      result.AppendError("interrupted: the remaining cores weren't opened");
      break;
    }
  }
  if ((*job)->GetRanks().empty())
    return;
  result.AppendMessage("cores of " + (*job)->SelectCore());
  if (result.GetErrorString().empty())
    result.SetStatus(eReturnStatusSuccessFinishResult);
}

CommandObjectSP
lldb_private::wavelane::MakeJobCommand(CommandInterpreter &interpreter) {
  return std::make_shared<JobCommand>(interpreter);
}
