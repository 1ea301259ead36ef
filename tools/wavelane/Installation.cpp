//===-- Installation.cpp - the programs of an installation ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

extern char **environ;

namespace wavelane::command {

std::string ownFolder() {
  SmallString<256> Self;
  if (sys::fs::real_path("/proc/self/exe", Self))
    return {};
  return sys::path::parent_path(sys::path::parent_path(Self)).str();
}

std::string ownProgram(StringRef Name) {
  return ownFolder() + "/bin/" + Name.str();
}

static std::vector<char *> pointers(std::vector<std::string> &Words) {
  std::vector<char *> Pointers;
  for (std::string &Word : Words)
    Pointers.push_back(Word.data());
  Pointers.push_back(nullptr);
  return Pointers;
}

Output run(StringRef Program, ArrayRef<std::string> Arguments,
           ArrayRef<std::string> Environment) {
  Output Result;
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return Result;
  std::vector<std::string> Words = {Program.str()}, Variables;
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  // The first of two variables of one name counts.
  Variables.assign(Environment.begin(), Environment.end());
  for (char **Variable = environ; *Variable; ++Variable)
    Variables.push_back(*Variable);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 1);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], 2);
  pid_t Child;
  const int Failed =
      posix_spawnp(&Child, Words[0].c_str(), &Actions, nullptr,
                   pointers(Words).data(), pointers(Variables).data());
  posix_spawn_file_actions_destroy(&Actions);
  close(Pipe[1]);
  if (!Failed) {
    char Buffer[4096];
    for (ssize_t Count; (Count = read(Pipe[0], Buffer, sizeof Buffer)) != 0;)
      if (Count > 0)
        Result.Text.append(Buffer, size_t(Count));
      else if (errno != EINTR)
        break;
    int Status = 0;
    while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
      ;
    Result.Code = WIFEXITED(Status) ? WEXITSTATUS(Status) : -1;
  }
  close(Pipe[0]);
  return Result;
}

/// What the loader would load for a program: a line for each library.
static std::string libraries(StringRef Program) {
  return run(Program, {}, {"LD_TRACE_LOADED_OBJECTS=1"}).Text;
}

static std::vector<std::string> missingIn(StringRef Libraries) {
  std::vector<std::string> Missing;
  for (StringRef Line : split(Libraries, '\n'))
    if (Line.contains("not found")) {
      const std::string Name = Line.trim().split(' ').first.str();
      if (!is_contained(Missing, Name))
        Missing.push_back(Name);
    }
  return Missing;
}

std::vector<std::string> missingLibraries(StringRef Program) {
  return missingIn(libraries(Program));
}

std::string faultOf(StringRef Name) {
  const std::string Libraries = libraries(ownProgram(Name));
  // The loader would name one library, and not what to do.
  if (const std::vector<std::string> Missing = missingIn(Libraries);
      !Missing.empty())
    return list(Missing) + (Missing.size() == 1 ? " is" : " are") +
           " missing: " + adviceForLibraries(Missing);
  // Python would end LLDB, and print its settings.
  const char *Home = getenv("PYTHONHOME");
  const std::string Version =
      StringRef(Libraries).split("libpython").second.split(".so").first.str();
  if (!Home || !*Home || Version.empty())
    return {};
  const std::string Library =
      StringRef(Home).split(':').first.str() + "/lib/python";
  std::string Archive = Library + Version + ".zip";
  Archive.erase(Library.size() + Version.find('.'), 1);
  if (sys::fs::exists(Library + Version + "/os.py") || sys::fs::exists(Archive))
    return {};
  return "PYTHONHOME is " + std::string(Home) + ", which has no Python " +
         Version + ": unset PYTHONHOME";
}

std::string list(ArrayRef<std::string> Names) {
  std::string Text;
  for (size_t I = 0; I < Names.size(); ++I)
    Text += (I == 0 ? "" : I + 1 == Names.size() ? " and " : ", ") + Names[I];
  return Text;
}

std::string adviceForLibraries(ArrayRef<std::string> Libraries) {
  std::vector<std::string> Packages;
  for (StringRef Library : Libraries) {
    const auto [Stem, Version] = Library.split(".so.");
    const StringRef Major = Version.split('.').first;
    std::string Package;
    if (Stem.starts_with("libpython"))
      Package = Stem.str();
    else if (Stem == "libLLVM" || Stem == "libclang-cpp")
      Package = StringRef(Stem).lower() + Major.str();
    else if (Stem == "libncurses" || Stem == "libpanel" || Stem == "libform")
      Package = "libncurses" + Major.str();
    else if (Stem == "libxml2")
      Package = Stem.str();
    else if (Stem == "libz")
      Package = "zlib1g";
    else
      Package = Stem.str() + Major.str();
    if (!is_contained(Packages, Package))
      Packages.push_back(Package);
  }
  return "sudo apt-get install " + join(Packages, " ") +
         "; or unpack Wavelane's tarball, which has all libraries in it";
}

std::string quoteForLLDB(StringRef Word) {
  std::string Quoted = "\"";
  for (char C : Word)
    Quoted += (strchr("\\\"`", C) ? "\\" : "") + std::string(1, C);
  return Quoted + "\"";
}

std::string pythonHome() {
  const std::string Own = ownFolder();
  std::error_code Error;
  for (sys::fs::directory_iterator I(Own + "/lib", Error), End;
       I != End && !Error; I.increment(Error)) {
    const StringRef Version = sys::path::filename(I->path());
    if (Version.starts_with("python3.") &&
        sys::fs::exists(I->path() + "/os.py"))
      return sys::fs::exists("/usr/lib/" + Version + "/os.py") ||
                     sys::fs::exists("/usr/local/lib/" + Version + "/os.py")
                 ? std::string()
                 : Own;
  }
  return {};
}

std::vector<std::string> pythonVariables() {
  const std::string Home = pythonHome();
  if (Home.empty() || getenv("PYTHONHOME"))
    return {};
  // The second one makes the plugin remove both when Python has started.
  return {"PYTHONHOME=" + Home, "WAVELANE_PYTHON=1"};
}

int become(StringRef Name, ArrayRef<std::string> Arguments) {
  if (Name == "lldb" || Name == "lldb-dap")
    for (const std::string &Variable : pythonVariables()) {
      const auto [Key, Value] = StringRef(Variable).split('=');
      setenv(Key.str().c_str(), Value.str().c_str(), 1);
    }
  return becomeProgram(ownProgram(Name), Arguments);
}

int becomeProgram(StringRef Path, ArrayRef<std::string> Arguments) {
  std::vector<std::string> Words = {Path.str()};
  Words.insert(Words.end(), Arguments.begin(), Arguments.end());
  execv(Words[0].c_str(), pointers(Words).data());
  const int Reason = errno;
  WithColor::error(errs(), "wavelane")
      << Path << " can't be started: " << strerror(Reason)
      << (Reason == ENOENT ? "; the installation is incomplete, install it "
                             "again"
                           : "")
      << '\n';
  return Reason == ENOENT ? 127 : 126;
}

std::string lldbVersion() {
  const Output Result =
      run(ownProgram("lldb"), {"--version"}, pythonVariables());
  // "lldb version 1.2.3"
  return Result.Code == 0
             ? StringRef(Result.Text).split('\n').first.rsplit(' ').second.str()
             : std::string();
}

std::string debugLibraryVersion(const std::string &Path, std::string &Error) {
  void *Handle = dlopen(Path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!Handle) {
    Error = dlerror();
    return {};
  }
  using Function = void (*)(uint32_t *, uint32_t *, uint32_t *);
  const auto GetVersion =
      reinterpret_cast<Function>(dlsym(Handle, "amd_dbgapi_get_version"));
  if (!GetVersion) {
    Error = Path + " isn't a ROCdbgapi library";
    return {};
  }
  uint32_t Major, Minor, Patch;
  GetVersion(&Major, &Minor, &Patch);
  return utostr(Major) + "." + utostr(Minor) + "." + utostr(Patch);
}

void printVersions() {
  outs() << "wavelane " WAVELANE_VERSION "\n";
  const std::string Debugger = lldbVersion();
  const std::string Fault = Debugger.empty() ? faultOf("lldb") : "";
  outs() << "lldb " << (Debugger.empty() ? "can't be started" : Debugger)
         << (Fault.empty() ? "" : ": ") << Fault << '\n';
  std::string Error;
  const std::string Library =
      debugLibraryVersion(ownFolder() + "/lib/libwavelane-dbgapi.so", Error);
  outs() << "rocdbgapi "
         << (Library.empty() ? Error : Library + " (the simulated GPU's)")
         << '\n';
}

} // namespace wavelane::command
