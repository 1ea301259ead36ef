//===-- DoctorSystem.cpp - the machine, as a session finds it -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Doctor.h"

#include "Installation.h"
#include "Toolchain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/ioctl.h>
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

/// What to do where a device's file can't be opened.
static std::string adviceForDevice(int Reason) {
  if (Reason == EACCES)
    return "sudo usermod -aG render,video $USER, and log in again";
  if (Reason == EPERM || Reason == ENOENT)
    return "in a container: add --device=/dev/kfd --device=/dev/dri to docker "
           "run";
  return "sudo dmesg | grep -i -e amdgpu -e kfd shows what the driver says";
}

/// The driver's version, and whether the user may use it.
static void examineDriver(Findings &All, ArrayRef<FoundGPU> GPUs) {
  // AMDKFD_IOC_GET_VERSION, and the first version whose debugger interface
  // ROCdbgapi uses.
  static constexpr unsigned long GetVersion = 0x80084b01;
  static constexpr uint32_t Major = 1, Minor = 13;
  utsname Kernel;
  uname(&Kernel);
  const std::string Module = readLine("/sys/module/amdgpu/version");
  const std::string Driver = "amdgpu " +
                             (Module.empty() ? "of the kernel" : Module) +
                             ", Linux " + Kernel.release;
  const int File = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (File < 0) {
    const int Reason = errno;
    All.push_back({"driver", Health::Ok, Driver, ""});
    All.push_back({"permissions", Health::Error,
                   std::string("/dev/kfd: ") + strerror(Reason),
                   adviceForDevice(Reason)});
    return;
  }
  uint32_t Version[2] = {};
  const bool Answers = ioctl(File, GetVersion, Version) == 0;
  const int Reason = errno;
  close(File);
  if (!Answers)
    All.push_back(
        {"driver", Health::Error,
         Driver + ": /dev/kfd doesn't answer (" + strerror(Reason) + ")",
         adviceForDevice(Reason)});
  else
    All.push_back(
        Version[0] == Major && Version[1] >= Minor
            ? Finding{"driver", Health::Ok,
                      Driver + formatv(", KFD {0}.{1}", Version[0], Version[1])
                                   .str(),
                      ""}
            : Finding{"driver", Health::Error,
                      Driver + formatv(", KFD {0}.{1}: kernels can't be "
                                       "debugged before KFD {2}.{3}",
                                       Version[0], Version[1], Major, Minor)
                                   .str(),
                      "install Linux 6.5 or later, or ROCm's amdgpu-dkms"});
  std::string Denied, Advice;
  for (const FoundGPU &GPU : GPUs) {
    const std::string Node = "/dev/dri/renderD" + utostr(GPU.RenderMinor);
    if (GPU.RenderMinor == 0 || access(Node.c_str(), R_OK | W_OK) == 0)
      continue;
    Advice = adviceForDevice(errno);
    Denied += (Denied.empty() ? "" : ", ") + Node + ": " + strerror(errno);
  }
  if (Denied.empty())
    All.push_back({"permissions", Health::Ok,
                   "/dev/kfd and the GPU's files in /dev/dri can be opened",
                   ""});
  else
    All.push_back({"permissions", Health::Error, Denied, Advice});
}

static void examineGPU(Findings &All) {
  const std::vector<FoundGPU> GPUs = findGPUs();
  std::vector<std::string> Names, Unknown;
  for (const FoundGPU &GPU : GPUs)
    if (GPU.Known)
      Names.push_back(GPU.Known->targetId());
    else
      Unknown.push_back(utostr(GPU.TargetVersion));
  if (!Unknown.empty())
    All.push_back({"gpu", Health::Warning,
                   "GPUs that Wavelane doesn't know (gfx_target_version " +
                       list(Unknown) + ")",
                   "use a newer Wavelane"});
  const bool HasFile = access("/dev/kfd", F_OK) == 0;
  if (GPUs.empty() && !HasFile) {
    All.push_back({"gpu", Health::Note,
                   "no AMD GPU (there is no /dev/kfd): programs run on the "
                   "simulated one",
                   ""});
    return;
  }
  if (!Names.empty())
    All.push_back({"gpu", Health::Ok, list(Names), ""});
  else if (GPUs.empty())
    All.push_back({"gpu", Health::Warning, "/dev/kfd is there, but no GPU",
                   "sudo dmesg | grep -i -e amdgpu -e kfd shows what the "
                   "driver says"});
  examineDriver(All, GPUs);
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
  const std::string Scope = readLine("/proc/sys/kernel/yama/ptrace_scope");
  std::string Why;
  if (Scope == "3") {
    All.push_back(
        {"ptrace", Health::Error,
         "no program can be debugged here "
         "(kernel.yama.ptrace_scope is 3)",
         "set kernel.yama.ptrace_scope to 1 in /etc/sysctl.d, and reboot"});
    return;
  }
  if (!canTrace(Why)) {
    All.push_back({"ptrace", Health::Error,
                   "no program can be debugged here (ptrace: " + Why + ")",
                   "in a container: add --cap-add=SYS_PTRACE "
                   "--security-opt seccomp=unconfined to docker run"});
    return;
  }
  if (Scope.empty() || Scope == "0" || geteuid() == 0)
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
  std::vector<std::string> Missing;
  for (const gpu::Processor &Processor : gpu::devices())
    if (!Best.knows(Processor))
      Missing.push_back(Processor.Name);
  const std::vector<FoundGPU> GPUs = findGPUs();
  const bool LacksOwn = any_of(GPUs, [&](const FoundGPU &GPU) {
    return GPU.Known && !Best.knows(*GPU.Known);
  });
  All.push_back({"device libraries",
                 LacksOwn           ? Health::Warning
                 : !Missing.empty() ? Health::Note
                                    : Health::Ok,
                 (Best.DeviceLibraries.empty() ? "those of " + Best.Root
                                               : Best.DeviceLibraries) +
                     (Missing.empty() ? "" : ", without " + list(Missing)),
                 Missing.empty()
                     ? ""
                     : "a newer ROCm can compile for " +
                           std::string(Missing.size() == 1 ? "it" : "them")});
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
