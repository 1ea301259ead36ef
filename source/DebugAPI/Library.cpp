//===-- Library.cpp - A ROCdbgapi library opened at run time --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/DebugAPI/Library.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace wavelane::debugapi {

namespace {

constexpr const char *EmbeddedName = "libwavelane-dbgapi.so";
constexpr const char *AMDName = "librocm-dbgapi.so.0";

/// Present only in Wavelane's own library.
constexpr const char *EmbeddedMark = "wavelane_dbgapi_embedded";

std::string loadError() {
  const char *Text = dlerror();
  return Text ? Text : "unknown loader error";
}

std::vector<std::string> rocmFolders() {
  std::vector<std::string> Folders;
  if (const char *Root = getenv("ROCM_PATH"); Root && *Root)
    Folders.push_back((Twine(Root) + "/lib").str());
  Folders.push_back("/opt/rocm/lib");
  std::vector<std::string> Versions;
  std::error_code Error;
  for (sys::fs::directory_iterator It("/opt", Error), End; It != End && !Error;
       It.increment(Error))
    if (sys::path::filename(It->path()).starts_with("rocm-"))
      Versions.push_back(It->path() + "/lib");
  std::sort(Versions.begin(), Versions.end(),
            [](const std::string &A, const std::string &B) {
              return StringRef(A).compare_numeric(B) > 0;
            });
  Folders.insert(Folders.end(), Versions.begin(), Versions.end());
  return Folders;
}

} // namespace

std::string Version::str() const {
  return (Twine(Major) + "." + Twine(Minor) + "." + Twine(Patch)).str();
}

Error Library::checkVersion(const Version &TheVersion) {
  if (TheVersion.Major != 0)
    return createStringError(
        "version " + TheVersion.str() +
        " has a different interface than the 0.x that Wavelane knows");
  if (TheVersion.Minor < OldestMinor)
    return createStringError("version " + TheVersion.str() + " is too old: 0." +
                             Twine(OldestMinor) + " or later is needed");
  if (TheVersion.Minor > NewestMinor)
    return createStringError(
        "version " + TheVersion.str() + " is newer than 0." +
        Twine(NewestMinor) +
        ", the last whose function signatures Wavelane knows");
  return Error::success();
}

Expected<std::shared_ptr<Library>> Library::open(StringRef Path) {
  std::string Name = Path.str();
  // The loader refuses a damaged or foreign file, and its message names the
  // file. The library stays loaded: AMD's brings an LLVM whose options would be
  // registered twice if it were loaded again, which ends this program.
  void *Handle = dlopen(Name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!Handle)
    return createStringError("cannot open the GPU debugger library '" + Path +
                             "': " + loadError());
  std::shared_ptr<Library> Lib(new Library);
  Lib->Handle = Handle;
  Lib->LibraryPath = Name;

  auto find = [&](const char *Symbol) { return dlsym(Handle, Symbol); };
  void *GetVersion = find("amd_dbgapi_get_version");
  if (!GetVersion)
    return createStringError("'" + Path +
                             "' is not a ROCdbgapi library: it has no "
                             "amd_dbgapi_get_version");
  Dl_info Info;
  if (dladdr(GetVersion, &Info) && Info.dli_fname)
    Lib->LibraryPath = Info.dli_fname;

  Version &TheVersion = Lib->LibraryVersion;
  reinterpret_cast<decltype(&::amd_dbgapi_get_version)>(GetVersion)(
      &TheVersion.Major, &TheVersion.Minor, &TheVersion.Patch);
  if (Error Error = checkVersion(TheVersion))
    return createStringError("cannot use the GPU debugger library '" +
                             Lib->LibraryPath +
                             "': " + toString(std::move(Error)));

  const char *missing = nullptr;
  Functions &Api = Lib->Api;
#define WAVELANE_DBGAPI_RESOLVE(name)                                          \
  Api.name = reinterpret_cast<decltype(Api.name)>(find("amd_dbgapi_" #name));  \
  if (!Api.name && !missing)                                                   \
    missing = "amd_dbgapi_" #name;
  WAVELANE_DBGAPI_FUNCTIONS(WAVELANE_DBGAPI_RESOLVE)
  if (TheVersion.Minor >= 77) {
    WAVELANE_DBGAPI_RESOLVE(set_alu_exceptions_precision)
  }
#undef WAVELANE_DBGAPI_RESOLVE
  Lib->ConvertFunction = find("amd_dbgapi_convert_address_space");
  Lib->DependencyFunction = find("amd_dbgapi_address_dependency");
  if (!missing && !Lib->ConvertFunction)
    missing = "amd_dbgapi_convert_address_space";
  if (!missing && !Lib->DependencyFunction)
    missing = "amd_dbgapi_address_dependency";
  if (missing)
    return createStringError("cannot use the GPU debugger library '" +
                             Lib->LibraryPath + "' (version " +
                             TheVersion.str() + "): it lacks " + missing);
  Lib->IsEmbedded = find(EmbeddedMark) != nullptr;
  Api.stop_lanes = reinterpret_cast<decltype(Api.stop_lanes)>(
      find("wavelane_dbgapi_stop_lanes"));
  Api.stop_pc =
      reinterpret_cast<decltype(Api.stop_pc)>(find("wavelane_dbgapi_stop_pc"));
  Api.stop_address = reinterpret_cast<decltype(Api.stop_address)>(
      find("wavelane_dbgapi_stop_address"));
  Api.stop_finding = reinterpret_cast<decltype(Api.stop_finding)>(
      find("wavelane_dbgapi_stop_finding"));
  Api.set_local_range_exceptions =
      reinterpret_cast<decltype(Api.set_local_range_exceptions)>(
          find("wavelane_dbgapi_set_local_range_exceptions"));
  Api.watch_address = reinterpret_cast<decltype(Api.watch_address)>(
      find("wavelane_dbgapi_watch_address"));
  Api.dispatch_started = reinterpret_cast<decltype(Api.dispatch_started)>(
      find("wavelane_dbgapi_dispatch_started"));
  Api.ask_checks = reinterpret_cast<decltype(Api.ask_checks)>(
      find("wavelane_dbgapi_ask_checks"));
  Api.ask_history = reinterpret_cast<decltype(Api.ask_history)>(
      find("wavelane_dbgapi_ask_history"));
  Api.simulate_core = reinterpret_cast<decltype(Api.simulate_core)>(
      find("wavelane_dbgapi_simulate_core"));
  return Lib;
}

Expected<std::shared_ptr<Library>> Library::openEmbedded() {
  if (const char *Path = getenv("WAVELANE_DBGAPI"); Path && *Path)
    return open(Path);

  // Folders beside this code, which is in build/lib or build/bin.
  std::vector<std::string> Folders;
  auto AddAround = [&](StringRef File) {
    SmallString<256> Real;
    if (sys::fs::real_path(File, Real))
      return;
    StringRef Folder = sys::path::parent_path(Real);
    Folders.push_back(Folder.str());
    Folders.push_back((Folder + "/../lib").str());
    // A plugin's folder: build/lib/lldb/plugins.
    Folders.push_back((Folder + "/../..").str());
  };
  Dl_info Info;
  if (dladdr(reinterpret_cast<void *>(&Library::checkVersion), &Info) &&
      Info.dli_fname)
    AddAround(Info.dli_fname);
  AddAround("/proc/self/exe");

  for (const std::string &Folder : Folders) {
    std::string Path = Folder + "/" + EmbeddedName;
    if (sys::fs::exists(Path))
      return open(Path);
  }
  return createStringError(Twine("cannot find ") + EmbeddedName +
                           " (looked in: " + join(Folders, ", ") +
                           "); WAVELANE_DBGAPI can name it");
}

Expected<std::shared_ptr<Library>> Library::openAMD() {
  for (const std::string &Folder : rocmFolders()) {
    std::string Path = Folder + "/" + AMDName;
    if (sys::fs::exists(Path))
      return open(Path);
  }
  Expected<std::shared_ptr<Library>> Lib = open(AMDName);
  if (Lib)
    return Lib;
  return createStringError(toString(Lib.takeError()) + " (also looked in: " +
                           join(rocmFolders(), ", ") + ")");
}

Expected<std::shared_ptr<Library>> Library::openFor(Device TheDevice) {
  switch (TheDevice) {
  case Device::Simulated:
    return openEmbedded();
  case Device::Hardware:
    if (access("/dev/kfd", F_OK) != 0)
      return createStringError(
          "no AMD GPU on this machine: there is no /dev/kfd");
    return openAMD();
  case Device::Auto:
    if (access("/dev/kfd", F_OK) == 0) {
      Expected<std::shared_ptr<Library>> Lib = openAMD();
      if (Lib)
        return Lib;
      consumeError(Lib.takeError());
    }
    return openEmbedded();
  }
  llvm_unreachable("unknown device");
}

Library::~Library() {
  if (Handle)
    dlclose(Handle);
}

amd_dbgapi_status_t Library::convertAddressSpace(
    amd_dbgapi_process_id_t Process, amd_dbgapi_wave_id_t Wave,
    amd_dbgapi_lane_id_t Lane, amd_dbgapi_address_space_id_t From,
    amd_dbgapi_segment_address_t Address, amd_dbgapi_address_space_id_t To,
    amd_dbgapi_segment_address_t *Result,
    amd_dbgapi_size_t *ContiguousBytes) const {
  if (LibraryVersion.Minor >= 81) {
    using Function = amd_dbgapi_status_t (*)(
        amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t, amd_dbgapi_lane_id_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t *,
        amd_dbgapi_size_t *);
    return reinterpret_cast<Function>(ConvertFunction)(
        Process, Wave, Lane, From, Address, To, Result, ContiguousBytes);
  }
  return reinterpret_cast<decltype(&::amd_dbgapi_convert_address_space)>(
      ConvertFunction)(Wave, Lane, From, Address, To, Result, ContiguousBytes);
}

amd_dbgapi_status_t Library::addressDependency(
    amd_dbgapi_process_id_t Process, amd_dbgapi_wave_id_t Wave,
    amd_dbgapi_address_space_id_t Space, amd_dbgapi_segment_address_t Address,
    amd_dbgapi_segment_address_dependency_t *Dependency) const {
  if (LibraryVersion.Minor >= 79) {
    using Function = amd_dbgapi_status_t (*)(
        amd_dbgapi_process_id_t, amd_dbgapi_wave_id_t,
        amd_dbgapi_address_space_id_t, amd_dbgapi_segment_address_t,
        amd_dbgapi_segment_address_dependency_t *);
    return reinterpret_cast<Function>(DependencyFunction)(Process, Wave, Space,
                                                          Address, Dependency);
  }
  return reinterpret_cast<decltype(&::amd_dbgapi_address_dependency)>(
      DependencyFunction)(Space, Address, Dependency);
}

std::string Library::describe(amd_dbgapi_status_t Status) const {
  const char *Text = nullptr;
  if (Api.get_status_string(Status, &Text) != AMD_DBGAPI_STATUS_SUCCESS ||
      !Text)
    Text = "unknown status";
  return (Twine(Text) + " (" + Twine(int(Status)) + ")").str();
}

Error Library::check(amd_dbgapi_status_t Status, StringRef What) const {
  if (Status == AMD_DBGAPI_STATUS_SUCCESS)
    return Error::success();
  return createStringError(What + ": " + describe(Status));
}

} // namespace wavelane::debugapi
