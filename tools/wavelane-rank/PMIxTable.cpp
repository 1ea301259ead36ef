//===-- PMIxTable.cpp - the ranks of a launcher, by PMIx ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library is the one that the launcher uses, and is loaded when it is
// needed: nothing depends on it.
//
//===----------------------------------------------------------------------===//

#include "Rank.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pmix_tool.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace wavelane::rank {

static Error fail(const Twine &Why) { return createStringError(Why); }

static std::string readProc(pid_t Process, StringRef Name) {
  auto File = MemoryBuffer::getFileAsStream(
      ("/proc/" + Twine(Process) + "/" + Name).str());
  return File ? (*File)->getBuffer().str() : "";
}

namespace {
struct Library {
  decltype(&PMIx_tool_init) Init;
  decltype(&PMIx_tool_finalize) Finalize;
  decltype(&PMIx_Query_info) Query;
  decltype(&PMIx_Error_string) GetError;
};

/// What the library writes about errors is reported by their results.
class SilentErrors {
public:
  SilentErrors() : SavedStderr(::dup(STDERR_FILENO)) {
    const int Null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(Null, STDERR_FILENO);
    ::close(Null);
  }
  ~SilentErrors() {
    ::dup2(SavedStderr, STDERR_FILENO);
    ::close(SavedStderr);
  }

private:
  const int SavedStderr;
};
} // namespace

/// The user of a process.
static uid_t userOf(pid_t Process) {
  struct stat Info;
  // That of one that has just ended has no files to open.
  return ::stat(("/proc/" + std::to_string(Process)).c_str(), &Info) == 0
             ? Info.st_uid
             : ::getuid();
}

/// Whether \p Path, without links, can only be changed by root.
static bool isOfRoot(StringRef Path) {
  for (; !Path.empty(); Path = sys::path::parent_path(Path)) {
    struct stat Info;
    if (::lstat(Path.str().c_str(), &Info) != 0 || Info.st_uid != 0 ||
        Info.st_mode & S_IWOTH)
      return false;
  }
  return true;
}

static Expected<Library> load(pid_t Launcher) {
  const std::string Maps = readProc(Launcher, "maps");
  // It answers each tool that it can't do that, and its library fails then.
  if (StringRef(Maps).contains("/libopen-rte.so"))
    return fail("Open MPI 4's mpirun has no interface for tools");
  std::string Path;
  SmallVector<StringRef> Lines;
  StringRef(Maps).split(Lines, '\n');
  for (StringRef Line : Lines)
    if (const size_t Begin = Line.find('/');
        Begin != StringRef::npos && Line.contains("/libpmix.so"))
      Path = Line.drop_front(Begin).str();
  if (Path.empty())
    return fail("it doesn't use PMIx");
  // This process has rights that another user's launcher hasn't.
  SmallString<256> Real;
  if (userOf(Launcher) != ::getuid()) {
    if (sys::fs::real_path(Path, Real) || !isOfRoot(Real))
      return fail("PMIx's library of another user's launcher isn't loaded: " +
                  Path + " can be changed by others than root");
    Path = Real.str().str();
  }
  void *Handle = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Handle)
    return fail(Twine("PMIx's library can't be loaded: ") + ::dlerror());
  Library Result;
  auto Find = [&](auto &Function, const char *Name) {
    Function = reinterpret_cast<std::decay_t<decltype(Function)>>(
        ::dlsym(Handle, Name));
    return Function != nullptr;
  };
  if (!Find(Result.Init, "PMIx_tool_init") ||
      !Find(Result.Finalize, "PMIx_tool_finalize") ||
      !Find(Result.Query, "PMIx_Query_info") ||
      !Find(Result.GetError, "PMIx_Error_string"))
    return fail(Path + " is older than PMIx 4");
  return Result;
}

/// Where a launcher makes its files.
static std::vector<std::string> getTemporaryFolders(pid_t Launcher) {
  std::vector<std::string> Folders;
  const std::string Environment = readProc(Launcher, "environ");
  SmallVector<StringRef> Variables;
  StringRef(Environment).split(Variables, '\0');
  for (const char *Name :
       {"PMIX_SERVER_TMPDIR=", "PMIX_SYSTEM_TMPDIR=",
        "PRTE_MCA_prte_tmpdir_base=", "TMPDIR=", "TEMP=", "TMP="})
    for (StringRef Variable : Variables)
      if (Variable.consume_front(Name) && !Variable.empty())
        Folders.push_back(Variable.str());
  Folders.push_back("/tmp");
  return Folders;
}

/// The first line of the file in which a server says where it listens for
/// tools. PMIx's own search follows links, and may never end. Any user can make
/// such a file in /tmp; the launcher's own is its user's.
static std::string findURI(const std::string &Folder, pid_t Launcher,
                           unsigned Depth) {
  const uid_t User = userOf(Launcher);
  const std::string End = ".tool." + std::to_string(Launcher);
  std::error_code Code;
  for (sys::fs::directory_iterator It(Folder, Code, /*follow_symlinks=*/false),
       Last;
       It != Last && !Code; It.increment(Code)) {
    const StringRef Name = sys::path::filename(It->path());
    std::string URI;
    struct stat Info;
    if (It->type() == sys::fs::file_type::directory_file && Depth > 1)
      URI = findURI(It->path(), Launcher, Depth - 1);
    else if (Name.starts_with("pmix.") && Name.ends_with(End) &&
             ::lstat(It->path().c_str(), &Info) == 0 && Info.st_uid == User)
      if (auto File = files::readRegular(It->path()))
        URI = (*File)->getBuffer().split('\n').first.str();
    if (!URI.empty())
      return URI;
  }
  return "";
}

static pmix_info_t makeInfo(const char *Key) {
  pmix_info_t Info;
  std::memset(&Info, 0, sizeof(Info));
  std::strncpy(Info.key, Key, PMIX_MAX_KEYLEN);
  return Info;
}

/// Asks for one thing. The answer isn't freed: the process ends soon.
static const pmix_value_t *ask(const Library &PMIx, const char *Key,
                               const char *Namespace, pmix_status_t &Status) {
  char *Keys[] = {const_cast<char *>(Key), nullptr};
  pmix_info_t Qualifier = makeInfo(PMIX_NSPACE);
  Qualifier.value.type = PMIX_STRING;
  Qualifier.value.data.string = const_cast<char *>(Namespace);
  pmix_query_t Query;
  std::memset(&Query, 0, sizeof(Query));
  Query.keys = Keys;
  Query.qualifiers = Namespace ? &Qualifier : nullptr;
  Query.nqual = Namespace ? 1 : 0;
  pmix_info_t *Results = nullptr;
  size_t Count = 0;
  Status = PMIx.Query(&Query, 1, &Results, &Count);
  for (size_t I = 0; Status == PMIX_SUCCESS && I < Count; ++I)
    if (StringRef(Results[I].key) == Key)
      return &Results[I].value;
  return nullptr;
}

Expected<std::vector<job::Started>> readPMIxTable(pid_t Launcher) {
  Expected<Library> PMIx = load(Launcher);
  if (!PMIx)
    return PMIx.takeError();
  std::string URI;
  for (const std::string &Folder : getTemporaryFolders(Launcher))
    if (URI.empty())
      URI = findURI(Folder, Launcher, /*Depth=*/3);
  if (URI.empty())
    return fail("it doesn't say where PMIx's tools connect (a file "
                "pmix.*.tool." +
                Twine(Launcher) + ")");
  SilentErrors Silent;
  pmix_info_t Server = makeInfo(PMIX_SERVER_URI);
  Server.value.type = PMIX_STRING;
  Server.value.data.string = URI.data();
  pmix_proc_t Self;
  pmix_status_t Status = PMIx->Init(&Self, &Server, 1);
  if (Status != PMIX_SUCCESS)
    return fail(Twine("PMIx can't connect to it as a tool: ") +
                PMIx->GetError(Status));
  scope_exit Finalize([&] { PMIx->Finalize(); });
  const pmix_value_t *Names =
      ask(*PMIx, PMIX_QUERY_NAMESPACES, nullptr, Status);
  if (!Names || Names->type != PMIX_STRING || !Names->data.string)
    return fail(Twine("PMIx does not list its jobs: ") +
                PMIx->GetError(Status));
  SmallVector<StringRef> Jobs;
  StringRef(Names->data.string).split(Jobs, ',', -1, /*KeepEmpty=*/false);
  std::vector<job::Started> Found;
  std::string Of;
  for (StringRef Job : Jobs) {
    // Those of daemons and tools have no table.
    const pmix_value_t *Table =
        ask(*PMIx, PMIX_QUERY_PROC_TABLE, Job.str().c_str(), Status);
    const pmix_data_array_t *Array =
        Table && Table->type == PMIX_DATA_ARRAY ? Table->data.darray : nullptr;
    if (!Array || Array->type != PMIX_PROC_INFO || !Array->size)
      continue;
    if (!Found.empty())
      return fail("it has several jobs (" + Of + ", " + Job +
                  "): give the processes of one");
    Of = Job.str();
    auto *Processes = static_cast<const pmix_proc_info_t *>(Array->array);
    for (size_t I = 0; I < Array->size; ++I)
      Found.push_back({Processes[I].hostname ? Processes[I].hostname : "",
                       uint64_t(Processes[I].pid), Processes[I].proc.rank});
  }
  if (Found.empty())
    return fail(Twine("PMIx lists no processes of its jobs (") +
                Names->data.string + ")");
  return Found;
}

} // namespace wavelane::rank
