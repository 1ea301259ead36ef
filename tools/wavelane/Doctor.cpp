//===-- Doctor.cpp - wavelane doctor --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Doctor.h"

#include "Commands.h"
#include "Installation.h"

#include "wavelane/Protocol/Server/UserVariables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace llvm;

namespace wavelane::command {

cl::SubCommand
    Doctor("doctor",
           "checks this machine (GPU, driver, libraries, permissions, "
           "compilers, Python) and says what to do about anything missing; "
           "exits with 1 if no session can be started");

static cl::opt<bool> PrintJSON("json", cl::desc("Prints JSON"), cl::sub(Doctor),
                               cl::cat(Category));

static const char *nameOf(Health TheHealth) {
  switch (TheHealth) {
  case Health::Ok:
    return "ok";
  case Health::Note:
    return "note";
  case Health::Warning:
    return "warning";
  case Health::Error:
    return "error";
  }
  llvm_unreachable("unknown health");
}

/// The files of a name in PATH, links resolved, each once.
static std::vector<std::string> allInPath(StringRef Name) {
  std::vector<std::string> Files;
  const char *Path = getenv("PATH");
  for (StringRef Folder : split(Path ? Path : "", ':')) {
    SmallString<256> File(Folder), Real;
    sys::path::append(File, Name);
    if (!Folder.empty() && sys::fs::can_execute(File) &&
        !sys::fs::real_path(File, Real) && !is_contained(Files, Real.str()))
      Files.push_back(Real.str().str());
  }
  return Files;
}

static void examinePrograms(Findings &All) {
  std::vector<std::string> Absent, Missing;
  for (const char *Name : {"lldb", "lldb-dap", "lldb-server", "wavelane-run",
                           "wavelane-gpu", "wavelane-dwarf"}) {
    const std::string Program = ownProgram(Name);
    if (!sys::fs::can_execute(Program)) {
      Absent.push_back(Name);
      continue;
    }
    for (const std::string &Library : missingLibraries(Program))
      if (!is_contained(Missing, Library))
        Missing.push_back(Library);
  }
  if (!Absent.empty())
    All.push_back({"programs", Health::Error,
                   list(Absent) + " can't be found in " + ownFolder() + "/bin",
                   "install Wavelane again"});
  if (!Missing.empty())
    All.push_back({"libraries", Health::Error, list(Missing) + " missing",
                   adviceForLibraries(Missing)});
  if (!Absent.empty() || !Missing.empty())
    return;
  const std::string Debugger = lldbVersion();
  if (Debugger.empty()) {
    const std::string Fault = faultOf("lldb");
    const auto [Why, Advice] = StringRef(Fault).split(": ");
    All.push_back({"programs", Health::Error,
                   "LLDB doesn't start" + (Why.empty() ? "" : ": " + Why.str()),
                   Advice.empty() ? ownProgram("lldb") + " --version shows why"
                                  : Advice.str()});
  } else {
    All.push_back({"programs", Health::Ok,
                   "Wavelane " WAVELANE_VERSION " with LLDB " + Debugger +
                       " in " + ownFolder(),
                   ""});
  }
}

static void examinePython(Findings &All) {
  const std::vector<std::string> Environment = pythonVariables();
  const Output Result = run(ownProgram("lldb"),
                            {"--no-lldbinit", "--batch", "-o",
                             "script import sys, wavelane; print('python', "
                             "sys.version.split()[0], wavelane.__file__)"},
                            Environment);
  const StringRef Line =
      StringRef(Result.Text).rsplit("\npython ").second.split('\n').first;
  const auto [Version, File] = Line.split(' ');
  if (Line.empty()) {
    All.push_back({"python", Health::Warning,
                   "Python doesn't work in LLDB: 'script' and the package "
                   "wavelane can't be used",
                   "sudo apt-get install libpython3-stdlib"});
    return;
  }
  std::string Found = "Python " + Version.str() + " in LLDB";
  if (!File.starts_with(ownFolder() + "/") &&
      !StringRef(File).contains("/wavelane/__init__"))
    All.push_back({"python", Health::Warning,
                   Found + " takes the package wavelane from " + File.str(),
                   "unset PYTHONPATH"});
  else
    All.push_back(
        {"python", Health::Ok,
         Found + (Environment.empty() ? "" : ", this installation's own"), ""});
}

/// A file's path, links resolved; empty if it doesn't exist.
static std::string realPath(const std::string &File) {
  SmallString<256> Real;
  return sys::fs::real_path(File, Real) ? std::string() : Real.str().str();
}

/// Whether an LLDB is this installation's or another Wavelane's.
static bool hasWavelane(StringRef Debugger) {
  return sys::fs::exists(
      sys::path::parent_path(sys::path::parent_path(Debugger)) +
      "/lib/lldb/plugins/libwavelane.so");
}

/// Other files of the same names that a user might start instead.
static void examineOthers(Findings &All) {
  const std::string Self = realPath(ownProgram("wavelane"));
  std::vector<std::string> Wavelanes = allInPath("wavelane");
  const bool IsFirst = !Wavelanes.empty() && Wavelanes.front() == Self;
  erase(Wavelanes, Self);
  if (!Wavelanes.empty())
    All.push_back({"twice", Health::Warning,
                   "another wavelane is in PATH: " + list(Wavelanes) +
                       (IsFirst ? "; this one comes first" : ""),
                   "remove one of them, or call the other by its path"});
  const std::vector<std::string> Debuggers = allInPath("lldb");
  if (!Debuggers.empty() && !hasWavelane(Debuggers.front())) {
    const Output Result = run(Debuggers.front(), {"--version"});
    All.push_back({"lldb in PATH", Health::Note,
                   Debuggers.front() + " (" +
                       StringRef(Result.Text).trim().split('\n').first.str() +
                       ") doesn't have Wavelane",
                   "start wavelane-lldb instead"});
  }
  const char *Server = getenv("LLDB_DEBUGSERVER_PATH");
  if (Server && *Server &&
      realPath(Server) != realPath(ownProgram("lldb-server")))
    All.push_back({"lldb-server", Health::Warning,
                   "LLDB_DEBUGSERVER_PATH names " + std::string(Server) +
                       ", which knows no waves",
                   "unset LLDB_DEBUGSERVER_PATH"});
}

static void examineVariables(Findings &All) {
  // What refuses to start then says the same.
  if (Error Wrong = protocol::checkVariables())
    All.push_back({"environment", Health::Error, toString(std::move(Wrong)),
                   "unset what is wrong, or correct it"});
  for (const std::string &Mistyped : protocol::findMistyped())
    All.push_back({"environment", Health::Warning, Mistyped, ""});
}

void examineInstallation(Findings &All) {
  examinePrograms(All);
  const bool Starts = All.back().TheHealth == Health::Ok;
  if (Starts)
    examinePython(All);
  examineOthers(All);
  examineVariables(All);
}

int runDoctor() {
  Findings All;
  examineInstallation(All);
  examineSystem(All);
  Health Worst = Health::Ok;
  for (const Finding &Each : All)
    Worst = std::max(Worst, Each.TheHealth);
  const int Code = Worst == Health::Error ? 1 : 0;
  if (PrintJSON) {
    json::Array Checks;
    for (const Finding &Each : All) {
      json::Object Check{{"name", Each.Name},
                         {"status", nameOf(Each.TheHealth)},
                         {"found", json::fixUTF8(Each.Found)}};
      if (!Each.Advice.empty())
        Check["advice"] = json::fixUTF8(Each.Advice);
      Checks.push_back(std::move(Check));
    }
    outs() << formatv("{0:2}\n",
                      json::Value(json::Object{{"schema", 1},
                                               {"wavelane", WAVELANE_VERSION},
                                               {"status", nameOf(Worst)},
                                               {"checks", std::move(Checks)}}));
    return Code;
  }
  for (const Finding &Each : All) {
    const HighlightColor Color =
        Each.TheHealth == Health::Error     ? HighlightColor::Error
        : Each.TheHealth == Health::Warning ? HighlightColor::Warning
                                            : HighlightColor::Note;
    {
      WithColor Out(outs(), Color,
                    Each.TheHealth == Health::Ok ? ColorMode::Disable
                                                 : ColorMode::Auto);
      Out << left_justify(nameOf(Each.TheHealth), 9);
    }
    outs() << left_justify(Each.Name, 17) << Each.Found << '\n';
    if (!Each.Advice.empty())
      outs() << left_justify("", 26) << "-> " << Each.Advice << '\n';
  }
  return Code;
}

} // namespace wavelane::command
