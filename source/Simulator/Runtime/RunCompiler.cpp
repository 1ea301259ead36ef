//===-- RunCompiler.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RunCompiler.h"
#include "CodeObject.h"

#include "Simulator/Common/Spawn.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace wavelane;
using namespace wavelane::runtime;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static const char FolderPrefix[] = "wavelane-hiprtc-";
/// Locked while the folder's process lives, also seen from another process name
/// space or another host of a shared file system.
static const char LockFile[] = "lock";

namespace {
/// The folder of this process, removed at exit.
class OwnFolder {
public:
  ~OwnFolder() {
    std::error_code Ignored;
    if (!Path.empty() && Owner == getpid())
      fs::remove_all(Path, Ignored);
  }
  bool create(std::string &Error);

  fs::path Path;
  unsigned Programs = 0;
  pid_t Owner = 0;
};
} // namespace

/// Opens and locks the lock file of \p Folder. \return -1 if that fails.
static int lockFolder(const fs::path &Folder, int Flags) {
  const int Lock = open((Folder / LockFile).c_str(),
                        O_RDWR | O_CLOEXEC | O_NOFOLLOW | Flags, 0600);
  if (Lock >= 0 && flock(Lock, LOCK_EX | LOCK_NB) == 0)
    return Lock;
  const int Error = errno;
  if (Lock >= 0)
    close(Lock);
  errno = Error;
  return -1;
}

/// Removes this user's folders of processes that have died without doing so.
static void removeOld(const fs::path &Temporary) {
  std::error_code Ignored;
  for (const fs::directory_entry &Entry :
       fs::directory_iterator(Temporary, Ignored)) {
    const std::string Name = Entry.path().filename().string();
    struct stat Info;
    if (Name.compare(0, strlen(FolderPrefix), FolderPrefix) != 0 ||
        lstat(Entry.path().c_str(), &Info) != 0 || !S_ISDIR(Info.st_mode) ||
        Info.st_uid != geteuid())
      continue;
    const int Lock = lockFolder(Entry.path(), 0);
    if (Lock < 0)
      continue;
    fs::remove_all(Entry.path(), Ignored);
    close(Lock);
  }
}

bool OwnFolder::create(std::string &Error) {
  if (Owner == getpid())
    return true;
  std::error_code Failed;
  const fs::path Temporary = fs::temp_directory_path(Failed);
  removeOld(Temporary);
  // A folder has its name only when it is locked.
  std::string Fresh = (Temporary / "wavelane-new-hiprtc-XXXXXX").string();
  const size_t Random = Fresh.size() - 6;
  if (Failed || !mkdtemp(Fresh.data())) {
    Error = "cannot create " + Fresh + ": " +
            (Failed ? Failed.message() : strerror(errno));
    return false;
  }
  const fs::path Final = Temporary / (FolderPrefix + Fresh.substr(Random));
  // The lock is held until this process ends.
  const int Lock = lockFolder(Fresh, O_CREAT | O_EXCL);
  if (Lock < 0 || rename(Fresh.c_str(), Final.c_str()) != 0) {
    Error = "cannot create " + Final.string() + ": " + strerror(errno);
    if (Lock >= 0)
      close(Lock);
    std::error_code Ignored;
    fs::remove_all(Fresh, Ignored);
    return false;
  }
  Path = Final;
  Owner = getpid();
  return true;
}

std::string runtime::makeSourceFolder(std::string &Error) {
  static std::mutex Lock;
  static OwnFolder Own;
  std::lock_guard<std::mutex> Guard(Lock);
  if (!Own.create(Error))
    return "";
  const fs::path Path = Own.Path / std::to_string(++Own.Programs);
  std::error_code Failed;
  if (!fs::create_directory(Path, Failed)) {
    Error = "cannot create " + Path.string() + ": " + Failed.message();
    return "";
  }
  return Path.string() + "/";
}

bool runtime::writeSource(const std::string &Folder, const std::string &Name,
                          const std::string &Text, std::string &Error) {
  const fs::path Inner = fs::path(Name).lexically_normal();
  if (Inner.empty() || Inner.is_absolute() || *Inner.begin() == ".." ||
      !Inner.has_filename()) {
    Error = "the name of a header must be a relative path, without ..: \"" +
            Name + "\"";
    return false;
  }
  const fs::path Path = Folder / Inner;
  std::error_code Failed;
  fs::create_directories(Path.parent_path(), Failed);
  std::ofstream Out(Path, std::ios::binary);
  Out << Text;
  Out.close();
  if (!Out)
    Error = "cannot write " + Path.string();
  return bool(Out);
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static bool isProgram(const fs::path &Path) {
  return access(Path.c_str(), X_OK) == 0 && !fs::is_directory(Path);
}

static std::string findInPath(const std::string &Name) {
  const char *Folders = secure_getenv("PATH");
  std::string Rest = Folders ? Folders : "/usr/bin:/bin";
  while (!Rest.empty()) {
    const size_t Colon = Rest.find(':');
    const fs::path Path = fs::path(Rest.substr(0, Colon)) / Name;
    if (Path.is_absolute() && isProgram(Path))
      return Path.string();
    Rest = Colon == std::string::npos ? "" : Rest.substr(Colon + 1);
  }
  return "";
}

static fs::path getRocm() {
  const char *Own = secure_getenv("ROCM_PATH");
  return Own && *Own ? Own : "/opt/rocm";
}

/// AMD's clang++, or the newest one.
static std::string findCompiler(std::string &Error) {
  if (const char *Own = secure_getenv("WAVELANE_HIP_COMPILER"); Own && *Own) {
    if (isProgram(Own))
      return Own;
    Error = std::string("WAVELANE_HIP_COMPILER names ") + Own +
            ", which is not a program that can be run";
    return "";
  }
  const fs::path Amd = getRocm() / "llvm/bin/clang++";
  if (isProgram(Amd))
    return Amd.string();
  constexpr int Newest = 40, Oldest = 15;
  for (int Version = Newest; Version >= Oldest; --Version)
    if (std::string Path = findInPath("clang++-" + std::to_string(Version));
        !Path.empty())
      return Path;
  std::string Path = findInPath("clang++");
  if (Path.empty())
    Error = "hiprtc needs clang++ 15 or later, which is not in PATH (set "
            "WAVELANE_HIP_COMPILER to its path)";
  return Path;
}

static bool startsWith(const std::string &Text, const char *Prefix) {
  return Text.compare(0, strlen(Prefix), Prefix) == 0;
}

static std::vector<std::string>
makeArguments(const std::string &Processor,
              const std::vector<std::string> &Options) {
  std::vector<std::string> Arguments = {
      "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output",
      // HIP's headers leave out what belongs to the host.
      "-D__HIPCC_RTC__=1", "-include", "hip/hip_runtime.h", "-O3", "-g",
      // Older device libraries have no later version.
      "-mcode-object-version=5"};
  // Debian's folders, which clang doesn't look for.
  std::error_code Ignored;
  if (!fs::exists(getRocm() / "include/hip", Ignored) &&
      fs::exists("/usr/include/hip", Ignored)) {
    Arguments.push_back("--rocm-path=/usr");
    const char Libraries[] = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
    const char *Own = secure_getenv("HIP_DEVICE_LIB_PATH");
    if ((!Own || !*Own) && fs::exists(Libraries, Ignored)) {
      Arguments.push_back(std::string("--rocm-device-lib-path=") + Libraries);
      // Debian's HIP headers need it for barriers; clang 20 and later don't
      // link it.
      const std::string Barriers = std::string(Libraries) + "/hip.bc";
      if (fs::exists(Barriers, Ignored))
        for (const std::string &Word :
             {std::string("-mlink-builtin-bitcode"), Barriers})
          Arguments.insert(Arguments.end(), {"-Xclang", Word});
    }
  }
  bool HasProcessor = false;
  for (const std::string &Option : Options) {
    constexpr char Architecture[] = "--gpu-architecture=";
    const bool IsArchitecture = startsWith(Option, Architecture);
    HasProcessor |= IsArchitecture || startsWith(Option, "--offload-arch=");
    Arguments.push_back(IsArchitecture ? "--offload-arch=" +
                                             Option.substr(strlen(Architecture))
                                       : Option);
  }
  if (!HasProcessor)
    Arguments.push_back("--offload-arch=" + Processor);
  return Arguments;
}

bool runtime::runCompiler(const std::string &Folder, const std::string &Source,
                          const std::string &Output,
                          const std::string &Processor,
                          const std::vector<std::string> &Options,
                          std::string &Log) {
  const std::string Compiler = findCompiler(Log);
  if (Compiler.empty())
    return false;
  std::vector<std::string> Arguments = makeArguments(Processor, Options);
  Arguments.insert(Arguments.begin(), Compiler);
  Arguments.insert(Arguments.end(), {"-I" + Folder, "-c", Folder + Source, "-o",
                                     Folder + Output});
  const std::string LogPath = Folder + "log";
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_addopen(&Actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&Actions, 1, LogPath.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&Actions, 1, 2);
  int Status = 0;
  const int Failed = simulator::spawnApart(Arguments, Actions, &Status);
  posix_spawn_file_actions_destroy(&Actions);
  std::ifstream In(LogPath, std::ios::binary);
  Log.assign(std::istreambuf_iterator<char>(In), {});
  if (Failed)
    Log += "cannot run " + Compiler + ": " + strerror(Failed) + "\n";
  else if (WIFSIGNALED(Status))
    Log +=
        Compiler + " died of signal " + std::to_string(WTERMSIG(Status)) + "\n";
  return !Failed && WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
/// The sections of a code object.
class Sections {
public:
  explicit Sections(const Image &In) : In(In) {
    Elf64_Ehdr Header;
    if (!In.read(0, Header) || !In.at(0, SELFMAG) ||
        memcmp(In.Data, ELFMAG, SELFMAG) != 0)
      return;
    for (unsigned I = 0; I < Header.e_shnum; ++I)
      if (Elf64_Shdr S; In.read(Header.e_shoff + I * sizeof(S), S))
        All.push_back(S);
  }

  struct Symbol {
    std::string Name;
    uint64_t Value;
  };
  /// The defined functions and objects.
  std::vector<Symbol> readSymbols() const {
    std::vector<Symbol> Symbols;
    for (const Elf64_Shdr &S : All) {
      if (S.sh_type != SHT_DYNSYM || S.sh_link >= All.size())
        continue;
      const Elf64_Shdr &Strings = All[S.sh_link];
      const uint8_t *Text = In.at(Strings.sh_offset, Strings.sh_size);
      Elf64_Sym Entry;
      for (uint64_t At = 0; Text && At + sizeof(Entry) <= S.sh_size &&
                            In.read(S.sh_offset + At, Entry);
           At += sizeof(Entry)) {
        const auto Type = ELF64_ST_TYPE(Entry.st_info);
        if (Entry.st_shndx == SHN_UNDEF || Entry.st_name >= Strings.sh_size ||
            (Type != STT_FUNC && Type != STT_OBJECT))
          continue;
        const char *Name = reinterpret_cast<const char *>(Text) + Entry.st_name;
        Symbols.push_back(
            {std::string(Name, strnlen(Name, Strings.sh_size - Entry.st_name)),
             Entry.st_value});
      }
    }
    return Symbols;
  }
  /// The address that a pointer at \a Place is relocated to; 0 if none.
  uint64_t readRelocation(uint64_t Place) const {
    constexpr uint32_t R_AMDGPU_RELATIVE64 = 13;
    Elf64_Rela R;
    for (const Elf64_Shdr &S : All)
      for (uint64_t At = 0;
           S.sh_type == SHT_RELA && At + sizeof(R) <= S.sh_size &&
           In.read(S.sh_offset + At, R);
           At += sizeof(R))
        if (R.r_offset == Place &&
            ELF64_R_TYPE(R.r_info) == R_AMDGPU_RELATIVE64)
          return uint64_t(R.r_addend);
    return 0;
  }

private:
  const Image &In;
  std::vector<Elf64_Shdr> All;
};
} // namespace

std::string runtime::findPointee(const std::vector<char> &CodeObject,
                                 const std::string &Variable) {
  const Image In = {reinterpret_cast<const uint8_t *>(CodeObject.data()),
                    CodeObject.size()};
  const Sections All(In);
  const std::vector<Sections::Symbol> Symbols = All.readSymbols();
  auto Pointer =
      std::find_if(Symbols.begin(), Symbols.end(),
                   [&](const auto &S) { return S.Name == Variable; });
  const uint64_t Address =
      Pointer == Symbols.end() ? 0 : All.readRelocation(Pointer->Value);
  auto Pointee =
      std::find_if(Symbols.begin(), Symbols.end(), [&](const auto &S) {
        return Address && S.Value == Address;
      });
  return Pointee == Symbols.end() ? "" : Pointee->Name;
}
