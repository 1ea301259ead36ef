//===-- RuntimeChoice.cpp - a program's runtime ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/RuntimeChoice/RuntimeChoice.h"

#include "HipImports.h"

#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Formats/OffloadBundle/OffloadBundle.h"
#include "wavelane/GPU/VisibleDevices.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace wavelane::runtimechoice {

std::optional<Runtime> parse(StringRef Name) {
  if (Name == "auto")
    return Runtime::Auto;
  if (Name == "amd")
    return Runtime::Amd;
  if (Name == "wavelane")
    return Runtime::Wavelane;
  return std::nullopt;
}

namespace {

using File = object::ELF64LEFile;

/// A version of AMD's HIP runtime.
struct Version {
  unsigned Major = 0, Minor = 0;
  bool isBefore(unsigned OtherMajor, unsigned OtherMinor) const {
    return Major < OtherMajor || (Major == OtherMajor && Minor < OtherMinor);
  }
  std::string str() const {
    return std::to_string(Major) + "." + std::to_string(Minor);
  }
};

/// The libraries that ld.so would load: names and paths; an empty path for a
/// missing one.
struct Libraries {
  std::vector<std::pair<std::string, std::string>> Found;
  const std::pair<std::string, std::string> *find(StringRef Prefix) const {
    for (const auto &Library : Found)
      if (StringRef(Library.first).starts_with(Prefix))
        return &Library;
    return nullptr;
  }
};

std::string interpreterOf(const File &TheFile) {
  auto Headers = TheFile.program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return {};
  }
  for (const auto &Header : *Headers) {
    if (Header.p_type != ELF::PT_INTERP)
      continue;
    auto Bytes = TheFile.getSegmentContents(Header);
    if (Bytes)
      return toStringRef(*Bytes).rtrim('\0').str();
    consumeError(Bytes.takeError());
  }
  return {};
}

bool hasDynamicEntry(const File &TheFile, ArrayRef<uint64_t> Tags) {
  auto Entries = TheFile.dynamicEntries();
  if (!Entries) {
    consumeError(Entries.takeError());
    return false;
  }
  return any_of(*Entries, [&](const File::Elf_Dyn &E) {
    return is_contained(Tags, uint64_t(E.d_tag));
  });
}

/// Whether the program itself names folders, by DT_RPATH, that come before
/// LD_LIBRARY_PATH.
bool hasFirstFolders(const File &TheFile) {
  return hasDynamicEntry(TheFile, {ELF::DT_RPATH});
}

/// Why the program's loader can't list its libraries; empty if it can. Listing
/// must not run anything that the program brings: the program names its loader
/// itself, and any program can stand there.
std::string whyNotListed(const File &TheFile, StringRef Interpreter) {
  auto Self = MemoryBuffer::getFile("/proc/self/exe", /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  std::string Own;
  if (Self) {
    auto SelfFile = File::create((*Self)->getBuffer());
    if (SelfFile)
      Own = interpreterOf(*SelfFile);
    else
      consumeError(SelfFile.takeError());
  }
  if (Own.empty() || !sys::fs::equivalent(Own, Interpreter))
    return "the program's loader, " + Interpreter.str() +
           ", isn't this system's, so its libraries can't be listed";
  // glibc's <elf.h>; their libraries would be started.
  constexpr uint64_t DtDepAudit = 0x6ffffefb, DtAudit = 0x6ffffefc;
  if (hasDynamicEntry(TheFile, {DtAudit, DtDepAudit}))
    return "the program names libraries that watch its loader (DT_AUDIT), so "
           "its libraries can't be listed";
  return {};
}

Libraries listLibraries(StringRef Interpreter, StringRef Program,
                        StringRef Search) {
  Libraries TheLibraries;
  // The child opens it by its path. Nothing is left if this process is killed.
  const int Descriptor = memfd_create("wavelane-libraries", /*flags=*/0);
  if (Descriptor < 0)
    return TheLibraries;
  const scope_exit Close([Descriptor] { close(Descriptor); });
  const std::string Output = "/proc/self/fd/" + std::to_string(Descriptor);
  const std::optional<StringRef> Redirects[] = {
      StringRef(""), StringRef(Output), StringRef("")};
  std::vector<StringRef> Arguments = {Interpreter};
  if (!Search.empty())
    Arguments.insert(Arguments.end(), {"--library-path", Search});
  Arguments.push_back(Program);
  // Nothing of the program runs, and nothing must be preloaded. Unlike --list,
  // the variable lists missing libraries as well.
  const StringRef Environment[] = {"LC_ALL=C", "LD_TRACE_LOADED_OBJECTS=1"};
  sys::ExecuteAndWait(Interpreter, Arguments, ArrayRef(Environment), Redirects,
                      /*SecondsToWait=*/10);
  auto Text = MemoryBuffer::getFile(Output, /*IsText=*/true);
  if (!Text)
    return TheLibraries;
  SmallVector<StringRef, 64> Lines;
  (*Text)->getBuffer().split(Lines, '\n');
  for (StringRef Line : Lines) {
    auto [name, place] = Line.trim().split(" => ");
    place = place.split(" (").first;
    if (place.contains("not found"))
      place = "";
    TheLibraries.Found.emplace_back(sys::path::filename(name).str(),
                                    place.str());
  }
  return TheLibraries;
}

/// Parses libamdhip64.so.5.2.21153; nullopt for other forms of names.
std::optional<Version> versionOf(StringRef Library) {
  SmallString<256> Real;
  if (sys::fs::real_path(Library, Real))
    return std::nullopt;
  SmallVector<StringRef, 6> Parts;
  sys::path::filename(Real).split(Parts, '.');
  Version TheVersion;
  if (Parts.size() < 4 || Parts[2].getAsInteger(10, TheVersion.Major) ||
      Parts[3].getAsInteger(10, TheVersion.Minor))
    return std::nullopt;
  return TheVersion;
}

/// The newest version of code objects that it can load.
unsigned newestCodeObjects(Version TheVersion) {
  return TheVersion.isBefore(5, 5) ? 4 : TheVersion.isBefore(6, 3) ? 5 : 6;
}

bool knowsGpu(Version TheVersion, const gpu::Processor &Processor) {
  return !TheVersion.isBefore(Processor.firstHip() / 100,
                              Processor.firstHip() % 100);
}

/// Why the runtime can't load the program's code for \p processor; empty if it
/// can, or if there is none.
std::string whyNoCode(const File &TheFile, Version TheVersion,
                      const gpu::Processor &Processor) {
  auto Sections = TheFile.sections();
  if (!Sections) {
    consumeError(Sections.takeError());
    return {};
  }
  std::string Why;
  for (const auto &Section : *Sections) {
    auto Name = TheFile.getSectionName(Section);
    auto Bytes = TheFile.getSectionContents(Section);
    const bool IsBundle = Name && Bytes && *Name == ".hip_fatbin";
    if (!Name)
      consumeError(Name.takeError());
    if (!Bytes)
      consumeError(Bytes.takeError());
    if (!IsBundle)
      continue;
    offload::readBundles(
        toStringRef(*Bytes),
        [&](uint64_t, Expected<offload::Bundle> TheBundle) {
          if (!TheBundle)
            return consumeError(TheBundle.takeError());
          if (TheBundle->isCompressed() && TheVersion.isBefore(6, 2))
            Why = "it can't read compressed code objects";
          bool Generic = false, Own = false;
          for (const offload::Entry &TheEntry : TheBundle->entries()) {
            const StringRef Target = TheEntry.getTargetId().split(':').first;
            Generic |= Target.ends_with("-generic");
            if (Target != Processor.Name || TheEntry.Contents.size() < 16)
              continue;
            Own = true;
            // EI_ABIVERSION: 2 is version 4.
            const unsigned Code = uint8_t(TheEntry.Contents[8]) + 2;
            if (Code > newestCodeObjects(TheVersion))
              Why = "it can't load code objects of version " +
                    std::to_string(Code);
            // Compilers name this argument for kernels that might launch
            // others. HIP 5.2 prepares for that without the queue it needs.
            else if (TheVersion.isBefore(5, 3) &&
                     TheEntry.Contents.contains("hidden_default_queue"))
              Why = "it crashes in kernels that have a hidden_default_queue, "
                    "as without optimization or with function pointers";
          }
          if (Generic && !Own && TheVersion.isBefore(6, 3))
            Why = "it can't load code for generic targets";
        });
  }
  return Why;
}

/// HSA's interface (libhsa-runtime64.so.1.N) in the first ROCm 6.
constexpr unsigned HsaOfRocm6 = 12;

/// Why this HIP can't run over this ROCr; empty if nothing is known.
std::string whyNotTogether(Version Hip, StringRef HsaPath) {
  const std::optional<Version> Hsa = versionOf(HsaPath);
  const bool IsOld = Hip.Major < 6;
  if (!Hsa || IsOld == (Hsa->Minor < HsaOfRocm6))
    return {};
  return "it doesn't fit " + HsaPath.str() + ", which is " +
         (IsOld ? "newer" : "older") + " (HSA " + Hsa->str() + ")";
}

/// The libraries of a program; those that the loader doesn't know are looked
/// for in ROCm's folder \p Rocm.
Libraries findLibraries(StringRef Interpreter, StringRef Program,
                        StringRef Search, StringRef Rocm, std::string &Folder) {
  Libraries Known = listLibraries(Interpreter, Program, Search);
  auto IsMissing = [](const Libraries &L, StringRef Prefix) {
    const auto *Library = L.find(Prefix);
    return Library && Library->second.empty();
  };
  SmallString<128> Place(Rocm);
  sys::path::append(Place, "lib");
  if ((!IsMissing(Known, "libamdhip64.so") && !IsMissing(Known, "libhsa")) ||
      !sys::fs::is_directory(Place))
    return Known;
  SmallString<256> Longer(Place);
  if (!Search.empty())
    (Longer += ":") += Search;
  Libraries There = listLibraries(Interpreter, Program, Longer);
  if (IsMissing(There, "libamdhip64.so") || IsMissing(There, "libhsa"))
    return Known;
  Folder = Place.str().str();
  return There;
}

Choice chooseForElf(const File &TheFile, StringRef Program,
                    ArrayRef<const gpu::Processor *> Gpus, StringRef Search,
                    StringRef Own, StringRef Rocm, std::string &Place) {
  const std::string Interpreter = interpreterOf(TheFile);
  if (Interpreter.empty())
    return {Runtime::Wavelane, "the program is linked statically", {}};
  if (std::string Why = whyNotListed(TheFile, Interpreter); !Why.empty())
    return {Runtime::Wavelane, std::move(Why), {}};
  const Libraries TheLibraries =
      findLibraries(Interpreter, Program, Search, Rocm, Place);
  const auto *Hip = TheLibraries.find("libamdhip64.so");
  const auto *Hsa = TheLibraries.find("libhsa");
  if (!Hip) {
    for (const char *Opener : {"libomptarget.so", "libOpenCL.so"})
      if (TheLibraries.find(Opener))
        return {Runtime::Amd,
                ("the program uses " + sys::path::stem(Opener) +
                 ", which opens AMD's runtime")
                    .str(),
                {}};
    if (!Hsa)
      return {
          Runtime::Wavelane, "the program isn't linked with AMD's runtime", {}};
    return {Runtime::Amd,
            "the program uses " + Hsa->first +
                ", of which Wavelane has no version of its own",
            {},
            Hsa->second.empty()
                ? Hsa->first + " isn't installed, nor is it in " + Rocm.str() +
                      "/lib"
                : std::string()};
  }
  if (Hip->second.empty())
    return {Runtime::Wavelane,
            Hip->first + " isn't installed",
            {},
            Hip->first + " isn't installed, nor is it in " + Rocm.str() +
                "/lib"};
  SmallString<256> Folder, Ours;
  if (!sys::fs::real_path(sys::path::parent_path(Hip->second), Folder) &&
      !sys::fs::real_path(Own, Ours) && Folder == Ours)
    return {Runtime::Wavelane, "LD_LIBRARY_PATH leads to it", {}};
  const std::optional<Version> TheVersion = versionOf(Hip->second);
  if (!TheVersion)
    return {Runtime::Wavelane, Hip->second + " is of an unknown version", {}};
  const std::string Name = Hip->second + " (HIP " + TheVersion->str() + ")";
  if (hasFirstFolders(TheFile)) {
    const Libraries Others = listLibraries(Interpreter, Program, Own);
    const auto *Other = Others.find("libamdhip64.so");
    if (Other && Other->second == Hip->second)
      return {Runtime::Amd,
              "the program's own path (DT_RPATH) leads to " + Name,
              {}};
  }
  if (std::string Why = Hsa ? whyNotTogether(*TheVersion, Hsa->second) : "";
      !Why.empty())
    return {Runtime::Wavelane,
            Name + " is installed, but " + Why,
            {},
            Name + ": " + Why};
  for (const gpu::Processor *Processor : Gpus) {
    if (!knowsGpu(*TheVersion, *Processor))
      return {Runtime::Wavelane,
              Name + " doesn't know " + std::string(Processor->Name),
              {},
              Name + " doesn't know " + std::string(Processor->Name)};
    if (std::string Why = whyNoCode(TheFile, *TheVersion, *Processor);
        !Why.empty())
      return {Runtime::Wavelane,
              Name + " is installed, but " + Why,
              {},
              Name + ": " + Why};
  }
  std::vector<std::string> Files = {Program.str()};
  for (const auto &[Library, Path] : TheLibraries.Found)
    if (!Path.empty() && Path != Hip->second)
      Files.push_back(Path);
  SmallString<256> OwnHip(Own);
  sys::path::append(OwnHip, "libamdhip64.so.5");
  if (const std::optional<HipImport> Import =
          findUnsupported(Files, Hip->second, OwnHip))
    return {Runtime::Amd,
            (sys::path::filename(Import->File) + " imports " +
             Import->Function + ", which Wavelane's own runtime doesn't have")
                .str(),
            {}};
  return {Runtime::Wavelane,
          "it is the default for HIP; --runtime amd takes " + Name,
          {}};
}

} // namespace

/// The program's path. \param Program A path, or a name to be searched in PATH.
static std::string findProgram(StringRef Program) {
  if (!Program.contains('/'))
    if (ErrorOr<std::string> Found = sys::findProgramByName(Program))
      return *Found;
  return Program.str();
}

/// Whether a library is one through which programs use GPUs.
static bool isGpuLibrary(StringRef Name) {
  return any_of(ArrayRef<StringRef>{"libamdhip64.so", "libhsa", "libOpenCL.so",
                                    "libomptarget.so", "libhiprtc.so"},
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

using ObjectFile = object::ELF64LEObjectFile;

/// Whether a file has one of the functions that load libraries which aren't
/// known before, or start other programs. A static program has its own, and
/// always those for libraries.
static bool opensOthers(const ObjectFile &TheFile, bool IsStatic) {
  static const StringSet<> Openers = {"dlopen", "dlmopen"};
  static const StringSet<> Starters = {
      "execl",   "execle",  "execlp", "execv",  "execve",      "execvp",
      "execvpe", "fexecve", "popen",  "system", "posix_spawn", "posix_spawnp",
  };
  auto IsOne = [&](const object::ELFSymbolRef &Symbol) {
    auto Name = expectedToOptional(Symbol.getName());
    auto Flags = expectedToOptional(Symbol.getFlags());
    if (!Name || !Flags)
      return true;
    const bool IsUndefined = *Flags & object::SymbolRef::SF_Undefined;
    return IsUndefined != IsStatic &&
           (Starters.contains(*Name) || (!IsStatic && Openers.contains(*Name)));
  };
  if (!IsStatic)
    return any_of(TheFile.getDynamicSymbolIterators(), IsOne);
  return TheFile.symbols().empty() || any_of(TheFile.symbols(), IsOne);
}

/// Whether a file contains GPU code of HIP or OpenMP.
static bool hasGpuCode(const ObjectFile &TheFile) {
  return any_of(TheFile.sections(), [](const object::SectionRef &Section) {
    auto Name = expectedToOptional(Section.getName());
    return !Name || *Name == ".hip_fatbin" || *Name == ".llvm.offloading" ||
           Name->starts_with("omp_offloading");
  });
}

/// Whether that is so of a file. Of files that can't be read, it may be.
static bool may(StringRef Path, function_ref<bool(const ObjectFile &)> IsSo) {
  auto Buffer = files::mapRegular(Path);
  if (!Buffer)
    return true;
  auto TheFile = ObjectFile::create(**Buffer);
  if (!TheFile) {
    consumeError(TheFile.takeError());
    return true;
  }
  return TheFile->getELFFile().getHeader().e_machine != ELF::EM_X86_64 ||
         IsSo(*TheFile);
}

static bool libraryMayUseGpu(StringRef Name, StringRef Path) {
  // The C library has the functions that others are searched for.
  static const StringSet<> CLibrary = {"libc.so.6", "libdl.so.2",
                                       "libpthread.so.0", "librt.so.1"};
  if (isGpuLibrary(Name))
    return true;
  return !Path.empty() && !CLibrary.contains(Name) &&
         may(Path, [](const ObjectFile &TheFile) {
           return opensOthers(TheFile, /*IsStatic=*/false) ||
                  hasGpuCode(TheFile);
         });
}

bool mayUseGpu(StringRef Program, StringRef Search) {
  const std::string Path = findProgram(Program);
  return may(Path, [&](const ObjectFile &TheFile) {
    const std::string Interpreter = interpreterOf(TheFile.getELFFile());
    if (opensOthers(TheFile, Interpreter.empty()) || hasGpuCode(TheFile))
      return true;
    if (Interpreter.empty())
      return false;
    // What isn't known may.
    return !whyNotListed(TheFile.getELFFile(), Interpreter).empty() ||
           any_of(listLibraries(Interpreter, Path, Search).Found,
                  [](const std::pair<std::string, std::string> &Library) {
                    return libraryMayUseGpu(Library.first, Library.second);
                  });
  });
}

/// \param data The program's file.
static Choice chooseForFile(StringRef Data, StringRef Program,
                            ArrayRef<const gpu::Processor *> Gpus,
                            StringRef Search, StringRef Own, StringRef Rocm) {
  Choice Fallback = {Runtime::Wavelane, "the program isn't an ELF file", {}};
  auto TheFile = File::create(Data);
  if (!TheFile) {
    consumeError(TheFile.takeError());
    return Fallback;
  }
  if (TheFile->getHeader().e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      TheFile->getHeader().e_machine != ELF::EM_X86_64)
    return Fallback;
  std::string Folder;
  Choice C = chooseForElf(*TheFile, Program, Gpus, Search, Own, Rocm, Folder);
  C.Folder = std::move(Folder);
  return C;
}

Choice choose(Runtime Wanted, StringRef Program,
              ArrayRef<const gpu::Processor *> Gpus, StringRef Search,
              StringRef Own, StringRef Rocm) {
  if (Rocm.empty())
    Rocm = DefaultRocm;
  const std::string Path = findProgram(Program);
  auto Buffer = files::mapRegular(Path);
  const StringRef Data = Buffer ? (*Buffer)->getBuffer() : StringRef();
  const gpu::Processor *Chosen = &gpu::chooseDevice(offload::readTargets(Data));
  Choice C =
      Wanted == Runtime::Wavelane
          ? Choice{}
          : chooseForFile(Data, Path, Gpus.empty() ? ArrayRef(Chosen) : Gpus,
                          Search, Own, Rocm);
  if (Wanted != Runtime::Auto) {
    C.TheRuntime = Wanted;
    C.Why = "it was asked for";
  }
  if (!Buffer)
    C.Why = Path + " can't be read: " + Buffer.getError().message();
  if (C.TheRuntime == Runtime::Amd && !C.Folder.empty())
    C.Why += ", and is in " + C.Folder;
  if (Gpus.empty())
    C.TheProcessor = Chosen->Name;
  return C;
}

Error setUp(const Choice &TheChoice, StringRef Own,
            function_ref<void(StringRef, StringRef)> Prepend) {
  auto Missing = [](const Twine &What, StringRef Where) {
    return createStringError(inconvertibleErrorCode(),
                             What + " is not in " + Where);
  };
  if (TheChoice.TheRuntime == Runtime::Amd) {
    SmallString<256> Driver(Own);
    sys::path::append(Driver, "..", "libwavelane-driver.so");
    SmallString<256> Real;
    if (sys::fs::real_path(Driver, Real))
      return Missing("libwavelane-driver.so", sys::path::parent_path(Own));
    Prepend("LD_PRELOAD", Real);
    if (!TheChoice.Folder.empty())
      Prepend("LD_LIBRARY_PATH", TheChoice.Folder);
    return Error::success();
  }
  SmallString<256> Library(Own);
  sys::path::append(Library, "libamdhip64.so.5");
  if (!sys::fs::exists(Library))
    return Missing("the HIP runtime", Own);
  Prepend("LD_LIBRARY_PATH", Own);
  return Error::success();
}

/// The GPUs of a list of names.
static std::vector<const gpu::Processor *> findProcessors(StringRef List) {
  std::vector<const gpu::Processor *> Found;
  SmallVector<StringRef, 8> Names;
  List.split(Names, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Name : Names)
    if (const gpu::Processor *P = gpu::findByName({Name.data(), Name.size()}))
      Found.push_back(P);
  return Found;
}

Expected<Choice>
setUpDebugging(Runtime Wanted, StringRef Program, StringRef Own,
               function_ref<std::string(StringRef)> Get,
               function_ref<void(StringRef, const std::string &)> Set) {
  Set("HSA_ENABLE_DEBUG", "1");
  Choice C = choose(Wanted, Program, findProcessors(Get("WAVELANE_PROCESSOR")),
                    Get("LD_LIBRARY_PATH"), Own, Get(RocmVariable));
  if (Error E = setUp(C, Own, [&](StringRef Variable, StringRef Path) {
        const std::string Value = Get(Variable);
        Set(Variable, Value.empty() ? Path.str() : Path.str() + ":" + Value);
      }))
    return E;
  if (C.TheRuntime == Runtime::Amd && !C.TheProcessor.empty() &&
      Get("WAVELANE_PROCESSOR").empty())
    Set("WAVELANE_PROCESSOR",
        gpu::enoughDevices(C.TheProcessor, [&](const char *Name) {
          std::string Value = Get(Name);
          return Value.empty() ? std::nullopt
                               : std::optional<std::string>(std::move(Value));
        }));
  // The program may be checked.
  if (C.TheRuntime == Runtime::Amd)
    Set(SeparateAllocations, "1");
  return C;
}

} // namespace wavelane::runtimechoice
