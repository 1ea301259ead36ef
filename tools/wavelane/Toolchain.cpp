//===-- Toolchain.cpp - compilers for GPU programs ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Toolchain.h"
#include "Installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace wavelane::command {

/// The oldest clang that is looked for.
static constexpr unsigned OldestVersion = 15;

static std::vector<std::string> entriesOf(const Twine &Folder) {
  std::vector<std::string> Entries;
  std::error_code Error;
  for (sys::fs::directory_iterator I(Folder, Error), End; I != End && !Error;
       I.increment(Error))
    Entries.push_back(I->path());
  sort(Entries, [](const std::string &A, const std::string &B) {
    return StringRef(A).compare_numeric(B) > 0;
  });
  return Entries;
}

std::vector<std::string> rocmFolders() {
  std::vector<std::string> Folders;
  if (const char *Own = getenv("ROCM_PATH"); Own && *Own)
    Folders.push_back(Own);
  for (const std::string &Entry : entriesOf("/opt"))
    if (StringRef(Entry).starts_with("/opt/rocm-"))
      Folders.push_back(Entry);
  Folders.push_back("/opt/rocm");
  erase_if(Folders, [](const std::string &Folder) {
    return !sys::fs::is_directory(Folder);
  });
  return Folders;
}

/// The device libraries that a version of Debian's clang can read: those for
/// all versions, or the newest of those that an LLVM of its age made.
static std::string findDeviceLibraries(unsigned Version) {
  std::vector<std::string> Folders = {
      "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib64/amdgcn/bitcode",
      "/usr/amdgcn/bitcode"};
  for (unsigned By = Version; By >= OldestVersion; --By) {
    const std::string Number = std::to_string(By);
    Folders.push_back("/usr/lib/llvm-" + Number + "/lib/clang/" + Number +
                      "/amdgcn/bitcode");
  }
  for (const std::string &Folder : Folders)
    if (sys::fs::exists(Folder + "/ocml.bc"))
      return Folder;
  return {};
}

/// Debian 12 has one package of device libraries, later ones have one for each
/// version of LLVM.
static std::string deviceLibraryPackage() {
  auto Release = MemoryBuffer::getFile("/etc/debian_version");
  return Release && (*Release)->getBuffer().starts_with("12")
             ? "rocm-device-libs"
             : "'rocm-device-libs-*'";
}

/// Debian's clang of a version.
static void addDebian(unsigned Version, std::vector<Toolchain> &All) {
  const std::string Suffix = "-" + std::to_string(Version);
  ErrorOr<std::string> Compiler = sys::findProgramByName("clang++" + Suffix);
  if (!Compiler)
    return;
  Toolchain Chain;
  Chain.Compiler = *Compiler;
  Chain.Version = Version;
  Chain.Root = "/usr";
  Chain.DeviceLibraries = findDeviceLibraries(Version);
  if (Chain.DeviceLibraries.empty())
    Chain.Lacks.push_back(deviceLibraryPackage());
  if (!sys::fs::exists("/usr/include/hip/hip_runtime.h"))
    Chain.Lacks.push_back("libamdhip64-dev");
  const std::string Folder = "/usr/lib/llvm" + Suffix + "/bin/";
  if (!sys::fs::exists(Folder + "clang-offload-bundler"))
    Chain.Lacks.push_back("clang-tools" + Suffix);
  // Its place since LLVM 23.
  if (Version >= 23 && !sys::fs::exists(Folder + "llvm-offload-binary"))
    Chain.Lacks.push_back("llvm" + Suffix);
  if (!sys::fs::exists(Folder + "ld.lld"))
    Chain.Lacks.push_back("lld" + Suffix);
  All.push_back(std::move(Chain));
}

std::vector<Toolchain> findToolchains() {
  std::vector<Toolchain> All;
  for (const std::string &Root : rocmFolders())
    for (StringRef Name : {"/llvm/bin/amdclang++", "/llvm/bin/clang++"})
      if (sys::fs::can_execute(Root + Name)) {
        All.push_back({Root + Name.str(), 0, Root, "", {}});
        break;
      }
  for (unsigned Version = 30; Version >= OldestVersion; --Version)
    addDebian(Version, All);
  // Those that can compile first; of these, those that the headers fit: newer
  // ones leave __shared__ variables of older headers without a location.
  std::vector<Toolchain> Sorted;
  for (unsigned Rank : {0, 1, 2})
    for (const Toolchain &Chain : All)
      if (Rank == (!Chain.Lacks.empty() ? 2 : Chain.isTooNew() ? 1 : 0))
        Sorted.push_back(Chain);
  return Sorted;
}

/// The device library that states the GPU's number.
static std::string isaLibrary(const gpu::Processor &Processor) {
  return "oclc_isa_version_" + StringRef(Processor.Name).drop_front(3).str() +
         ".bc";
}

/// The version of HIP's headers; 0 if there are none.
static unsigned hipVersion(StringRef Root) {
  auto Text = MemoryBuffer::getFile(Root + "/include/hip/hip_version.h");
  StringRef Rest = Text ? (*Text)->getBuffer() : "";
  Rest = Rest.split("#define HIP_VERSION_MAJOR ").second;
  unsigned Major = 0;
  return Rest.consumeInteger(10, Major) ? 0 : Major;
}

bool Toolchain::hasOldHeaders() const { return hipVersion(Root) == 5; }

bool Toolchain::isTooNew() const { return Version >= 20 && hasOldHeaders(); }

bool Toolchain::knows(const gpu::Processor &Processor) const {
  return DeviceLibraries.empty() ||
         sys::fs::exists(DeviceLibraries + "/" + isaLibrary(Processor));
}

std::vector<std::string>
Toolchain::arguments(const gpu::Processor &Processor) const {
  std::vector<std::string> Words = {
      "-x", "hip", std::string("--offload-arch=") + Processor.Name,
      "--rocm-path=" + Root};
  // Where the headers have intrinsics that the compiler has dropped.
  if (Version >= 19 && hasOldHeaders())
    Words.insert(Words.end(),
                 {"-include", ownFolder() + "/share/include/hip5.h"});
  if (DeviceLibraries.empty()) {
    Words.insert(Words.end(),
                 {"-L" + Root + "/lib", "-g", "-grecord-command-line"});
    return Words;
  }
  Words.push_back("--rocm-device-lib-path=" + DeviceLibraries);
  // Older libraries know code objects of version 5 at most.
  if (Version >= 18 &&
      !sys::fs::exists(DeviceLibraries + "/oclc_abi_version_600.bc"))
    Words.push_back("-mcode-object-version=5");
  // Older headers use a macro that compilers have dropped, and a library that
  // they no longer link: then all libraries have to be named.
  if (isTooNew()) {
    const unsigned Lanes = Processor.family().defaultLanes();
    Words.push_back("-D__AMDGCN_WAVEFRONT_SIZE=" + std::to_string(Lanes));
    for (const char *Library :
         {"hip", "ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off",
          "oclc_finite_only_off", "oclc_correctly_rounded_sqrt_on",
          Lanes == 64 ? "oclc_wavefrontsize64_on" : "oclc_wavefrontsize64_off",
          "oclc_abi_version_500"})
      Words.push_back(std::string("--hip-device-lib=") + Library + ".bc");
    Words.push_back("--hip-device-lib=" + isaLibrary(Processor));
  }
  Words.insert(Words.end(),
               {"-Wno-unused-result", "-g", "-grecord-command-line"});
  return Words;
}

/// A number of a node's properties; 0 if it isn't there.
static unsigned property(StringRef Text, StringRef Name) {
  SmallVector<StringRef, 64> Lines;
  Text.split(Lines, '\n');
  unsigned Value = 0;
  for (StringRef Line : Lines)
    if (Line.split(' ').first == Name &&
        Line.split(' ').second.trim().getAsInteger(10, Value))
      return 0;
  return Value;
}

std::vector<FoundGPU> findGPUs() {
  std::vector<std::string> Nodes =
      entriesOf("/sys/class/kfd/kfd/topology/nodes");
  // As the runtime numbers them.
  std::reverse(Nodes.begin(), Nodes.end());
  std::vector<FoundGPU> Found;
  for (const std::string &Node : Nodes) {
    auto Text = MemoryBuffer::getFileAsStream(Node + "/properties");
    if (!Text)
      continue;
    const StringRef Properties = (*Text)->getBuffer();
    // The host's processors are nodes, too.
    FoundGPU GPU = {property(Properties, "gfx_target_version"), nullptr,
                    property(Properties, "drm_render_minor")};
    if (!GPU.TargetVersion)
      continue;
    GPU.Known = gpu::findByTargetVersion(unsigned(GPU.TargetVersion));
    Found.push_back(GPU);
  }
  return Found;
}

} // namespace wavelane::command
