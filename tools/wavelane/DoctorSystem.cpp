//===-- DoctorSystem.cpp - the machine, as a session finds it -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Doctor.h"

#include "Installation.h"
#include "Toolchain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace wavelane::command {

/// A small file's first line; empty if it can't be read.
static std::string readLine(const Twine &Path) {
  auto Text = MemoryBuffer::getFileAsStream(Path);
  return Text ? (*Text)->getBuffer().split('\n').first.trim().str()
              : std::string();
}

static void examineGPU(Findings &All) {
  std::vector<unsigned> Unknown;
  std::vector<std::string> Names;
  for (const gpu::Processor *Processor : findGPUs(Unknown))
    Names.push_back(Processor->targetId());
  if (!Unknown.empty()) {
    std::vector<std::string> Versions;
    for (unsigned Version : Unknown)
      Versions.push_back(std::to_string(Version));
    All.push_back({"gpu", Health::Warning,
                   "GPUs that Wavelane doesn't know (gfx_target_version " +
                       list(Versions) + ")",
                   "use a newer Wavelane"});
  }
  if (Names.empty() && access("/dev/kfd", F_OK) != 0) {
    All.push_back({"gpu", Health::Note,
                   "no AMD GPU (there is no /dev/kfd): programs run on the "
                   "simulated one",
                   ""});
    return;
  }
  All.push_back({"gpu", Names.empty() ? Health::Warning : Health::Ok,
                 Names.empty() ? "/dev/kfd is there, but no GPU" : list(Names),
                 Names.empty() ? "sudo dmesg | grep -i -e amdgpu -e kfd shows "
                                 "what the driver says"
                               : ""});
  utsname Kernel;
  uname(&Kernel);
  const std::string Module = readLine("/sys/module/amdgpu/version");
  All.push_back({"driver", Health::Ok,
                 "amdgpu " +
                     (Module.empty() ? std::string("of the kernel") : Module) +
                     ", Linux " + Kernel.release,
                 ""});
  if (access("/dev/kfd", R_OK | W_OK) != 0)
    All.push_back({"permissions", Health::Error,
                   std::string("/dev/kfd: ") + strerror(errno),
                   "sudo usermod -aG render,video $USER, and log in again"});
  else
    All.push_back(
        {"permissions", Health::Ok, "/dev/kfd can be read and written", ""});
}

static void examineROCm(Findings &All) {
  std::vector<std::string> Found;
  for (const std::string &Folder : rocmFolders()) {
    const std::string Version = readLine(Folder + "/.info/version");
    Found.push_back(Folder + (Version.empty() ? "" : " (" + Version + ")"));
  }
  for (StringRef Folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64"})
    for (unsigned Version = 9; Version >= 5; --Version) {
      SmallString<128> Real;
      if (!sys::fs::real_path(
              Folder + "/libamdhip64.so." + std::to_string(Version), Real))
        Found.push_back(Real.str().str());
    }
  All.push_back({"rocm", Found.empty() ? Health::Note : Health::Ok,
                 Found.empty() ? "no HIP runtime of AMD's: programs use "
                                 "Wavelane's own"
                               : list(Found),
                 ""});
}

static void examineDebugLibraries(Findings &All) {
  std::string Error;
  const std::string Own =
      debugLibraryVersion(ownFolder() + "/lib/libwavelane-dbgapi.so", Error);
  if (Own.empty())
    All.push_back(
        {"debug library", Health::Error, Error, "install Wavelane again"});
  else
    All.push_back({"debug library", Health::Ok,
                   "ROCdbgapi " + Own + " of the simulated GPU", ""});
  std::vector<std::string> Places;
  for (const std::string &Folder : rocmFolders())
    Places.push_back(Folder + "/lib/librocm-dbgapi.so.0");
  Places.push_back("/usr/lib/x86_64-linux-gnu/librocm-dbgapi.so.0");
  const bool HasGPU = access("/dev/kfd", F_OK) == 0;
  for (const std::string &Place : Places) {
    if (!sys::fs::exists(Place))
      continue;
    const std::string Version = debugLibraryVersion(Place, Error);
    All.push_back(
        {"AMD's library",
         !Version.empty() ? Health::Ok
         : HasGPU         ? Health::Error
                          : Health::Warning,
         Version.empty() ? Error : "ROCdbgapi " + Version + " in " + Place,
         Version.empty() ? "install ROCm's package rocm-dbgapi again" : ""});
    return;
  }
  if (HasGPU)
    All.push_back({"AMD's library", Health::Error,
                   "no librocm-dbgapi.so.0: programs on the GPU can't be "
                   "debugged",
                   "sudo apt-get install rocm-dbgapi"});
}

/// Whether a process may be started under ptrace, as LLDB does it.
static bool canTrace(std::string &Why) {
  const pid_t Child = fork();
  if (Child < 0) {
    Why = std::string("fork: ") + strerror(errno);
    return false;
  }
  if (Child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      _exit(errno);
    raise(SIGSTOP);
    _exit(0);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (WIFSTOPPED(Status)) {
    kill(Child, SIGKILL);
    waitpid(Child, &Status, 0);
    return true;
  }
  Why = WIFEXITED(Status) ? strerror(WEXITSTATUS(Status)) : "it was killed";
  return false;
}

static void examinePtrace(Findings &All) {
  std::string Why;
  if (!canTrace(Why)) {
    All.push_back({"ptrace", Health::Error,
                   "no program can be debugged here (ptrace: " + Why + ")",
                   "in a container: add --cap-add=SYS_PTRACE "
                   "--security-opt seccomp=unconfined to docker run"});
    return;
  }
  const std::string Scope = readLine("/proc/sys/kernel/yama/ptrace_scope");
  if (Scope.empty() || Scope == "0" || (Scope == "1" && geteuid() == 0))
    All.push_back(
        {"ptrace", Health::Ok, "programs can be started and attached to", ""});
  else
    All.push_back({"ptrace", Health::Note,
                   "programs can be started, but attaching needs root "
                   "(kernel.yama.ptrace_scope is " +
                       Scope + ")",
                   "sudo sysctl kernel.yama.ptrace_scope=0"});
}

static void examineCompilers(Findings &All) {
  const std::vector<Toolchain> Chains = findToolchains();
  if (Chains.empty()) {
    All.push_back({"compilers", Health::Warning,
                   "no compiler for HIP: programs compiled elsewhere can be "
                   "debugged",
                   "sudo apt-get install clang-19 clang-tools-19 lld-19 "
                   "libamdhip64-dev rocm-device-libs"});
    return;
  }
  const Toolchain &Best = Chains.front();
  std::vector<std::string> Usable;
  for (const Toolchain &Chain : Chains)
    if (Chain.Lacks.empty())
      Usable.push_back(Chain.Compiler);
  if (Usable.empty()) {
    All.push_back({"compilers", Health::Warning,
                   Best.Compiler + " can't compile HIP programs yet",
                   "sudo apt-get install " + join(Best.Lacks, " ")});
    return;
  }
  All.push_back({"compilers", Health::Ok, list(Usable), ""});
  All.push_back({"device libraries", Health::Ok,
                 Best.DeviceLibraries.empty() ? "those of " + Best.Root
                                              : Best.DeviceLibraries,
                 ""});
}

/// Whether files can be made in a folder. errno says why not.
static bool isWritable(const std::string &Folder) {
  std::string Name = Folder + "/.wavelane-XXXXXX";
  const int File = mkostemp(Name.data(), O_CLOEXEC);
  if (File < 0)
    return false;
  close(File);
  unlink(Name.c_str());
  return true;
}

static void examineFolders(Findings &All) {
  const char *Temporary = getenv("TMPDIR");
  const std::string Folder = Temporary && *Temporary ? Temporary : "/tmp";
  if (!isWritable(Folder))
    All.push_back({"folders", Health::Error,
                   Folder + " can't be written (" + strerror(errno) + ")",
                   "set TMPDIR to a folder of yours"});
  const char *Home = getenv("HOME");
  if (!Home || !*Home)
    All.push_back({"home", Health::Note,
                   "HOME isn't set: LLDB keeps no history and reads no "
                   ".lldbinit",
                   ""});
  else if (!isWritable(Home))
    All.push_back(
        {"home", Health::Note,
         std::string(Home) + " can't be written: LLDB keeps no history", ""});
  rlimit Limit;
  if (getrlimit(RLIMIT_AS, &Limit) == 0 && Limit.rlim_cur != RLIM_INFINITY &&
      Limit.rlim_cur < (uint64_t(80) << 30))
    All.push_back({"addresses", Health::Error,
                   "a process may have " +
                       std::to_string(Limit.rlim_cur >> 20) +
                       " MB of addresses, and the simulated GPU needs 64 GB",
                   "ulimit -v unlimited"});
}

void examineSystem(Findings &All) {
  examineGPU(All);
  examineROCm(All);
  examineDebugLibraries(All);
  examinePtrace(All);
  examineCompilers(All);
  examineFolders(All);
}

} // namespace wavelane::command
