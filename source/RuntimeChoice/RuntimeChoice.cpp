//===-- RuntimeChoice.cpp - a program's runtime ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/RuntimeChoice/RuntimeChoice.h"

#include "wavelane/OffloadBundle/OffloadBundle.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <vector>

using namespace llvm;

namespace wavelane::runtimechoice {

std::optional<Runtime> parse(StringRef name) {
  if (name == "auto")
    return Runtime::Auto;
  if (name == "amd")
    return Runtime::Amd;
  if (name == "wavelane")
    return Runtime::Wavelane;
  return std::nullopt;
}

namespace {

using File = object::ELF64LEFile;

/// A version of AMD's HIP runtime.
struct Version {
  unsigned major = 0, minor = 0;
  bool isBefore(unsigned otherMajor, unsigned otherMinor) const {
    return major < otherMajor || (major == otherMajor && minor < otherMinor);
  }
  std::string str() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

/// What ld.so would load: names, and paths; an empty path for what is missing.
struct Libraries {
  std::vector<std::pair<std::string, std::string>> found;
  const std::pair<std::string, std::string> *find(StringRef prefix) const {
    for (const auto &library : found)
      if (StringRef(library.first).starts_with(prefix))
        return &library;
    return nullptr;
  }
};

std::string interpreterOf(const File &file) {
  auto headers = file.program_headers();
  if (!headers) {
    consumeError(headers.takeError());
    return {};
  }
  for (const auto &header : *headers) {
    if (header.p_type != ELF::PT_INTERP)
      continue;
    auto bytes = file.getSegmentContents(header);
    if (bytes)
      return toStringRef(*bytes).rtrim('\0').str();
    consumeError(bytes.takeError());
  }
  return {};
}

Libraries listLibraries(StringRef interpreter, StringRef program,
                        StringRef search) {
  Libraries libraries;
  SmallString<128> output;
  if (sys::fs::createTemporaryFile("wavelane", "list", output))
    return libraries;
  FileRemover remover(output);
  const std::optional<StringRef> redirects[] = {
      StringRef(""), StringRef(output), StringRef("")};
  std::vector<StringRef> arguments = {interpreter, "--list"};
  if (!search.empty())
    arguments.insert(arguments.end(), {"--library-path", search});
  arguments.push_back(program);
  // Nothing of the program runs, and nothing is to be preloaded.
  const StringRef environment[] = {"LC_ALL=C"};
  sys::ExecuteAndWait(interpreter, arguments, ArrayRef(environment), redirects,
                      /*SecondsToWait=*/10);
  auto text = MemoryBuffer::getFile(output, /*IsText=*/true);
  if (!text)
    return libraries;
  SmallVector<StringRef, 64> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    auto [name, place] = line.trim().split(" => ");
    place = place.split(" (").first;
    if (place.contains("not found"))
      place = "";
    libraries.found.emplace_back(sys::path::filename(name).str(), place.str());
  }
  return libraries;
}

/// From libamdhip64.so.5.2.21153; nullopt for another form of name.
std::optional<Version> versionOf(StringRef library) {
  SmallString<256> real;
  if (sys::fs::real_path(library, real))
    return std::nullopt;
  SmallVector<StringRef, 6> parts;
  sys::path::filename(real).split(parts, '.');
  Version version;
  if (parts.size() < 4 || parts[2].getAsInteger(10, version.major) ||
      parts[3].getAsInteger(10, version.minor))
    return std::nullopt;
  return version;
}

/// The newest code objects that it can load.
unsigned newestCodeObjects(Version version) {
  return version.isBefore(5, 5) ? 4 : version.isBefore(6, 3) ? 5 : 6;
}

bool knowsGpu(Version version, const gpu::Processor &processor) {
  return !version.isBefore(processor.firstHip() / 100,
                           processor.firstHip() % 100);
}

/// Why the runtime can't load the program's code for \p processor; empty if it
/// can, or if there is none.
std::string whyNoCode(const File &file, Version version,
                      const gpu::Processor &processor) {
  auto sections = file.sections();
  if (!sections) {
    consumeError(sections.takeError());
    return {};
  }
  std::string why;
  for (const auto &section : *sections) {
    auto name = file.getSectionName(section);
    auto bytes = file.getSectionContents(section);
    const bool isBundle = name && bytes && *name == ".hip_fatbin";
    if (!name)
      consumeError(name.takeError());
    if (!bytes)
      consumeError(bytes.takeError());
    if (!isBundle)
      continue;
    offload::readBundles(
        toStringRef(*bytes), [&](uint64_t, Expected<offload::Bundle> bundle) {
          if (!bundle)
            return consumeError(bundle.takeError());
          if (bundle->isCompressed() && version.isBefore(6, 2))
            why = "it can't read compressed code objects";
          bool generic = false, own = false;
          for (const offload::Entry &entry : bundle->entries()) {
            const StringRef target = entry.getTargetId().split(':').first;
            generic |= target.ends_with("-generic");
            if (target != processor.Name || entry.Contents.size() < 16)
              continue;
            own = true;
            // EI_ABIVERSION: 2 is version 4.
            const unsigned code = uint8_t(entry.Contents[8]) + 2;
            if (code > newestCodeObjects(version))
              why = "it can't load code objects of version " +
                    std::to_string(code);
          }
          if (generic && !own && version.isBefore(6, 3))
            why = "it can't load code for generic targets";
        });
  }
  return why;
}

Choice chooseForElf(const File &file, StringRef program,
                    ArrayRef<const gpu::Processor *> gpus, StringRef search,
                    StringRef own) {
  const std::string interpreter = interpreterOf(file);
  if (interpreter.empty())
    return {Runtime::Wavelane, "the program is linked statically", {}};
  const Libraries libraries = listLibraries(interpreter, program, search);
  const auto *hip = libraries.find("libamdhip64.so");
  const auto *hsa = libraries.find("libhsa");
  if (!hip) {
    if (!hsa)
      return {
          Runtime::Wavelane, "the program isn't linked with AMD's runtime", {}};
    return {Runtime::Amd,
            "the program uses " + hsa->first +
                ", which Wavelane has none of its own of",
            {}};
  }
  if (hip->second.empty())
    return {Runtime::Wavelane, hip->first + " isn't installed", {}};
  SmallString<256> folder, ours;
  if (!sys::fs::real_path(sys::path::parent_path(hip->second), folder) &&
      !sys::fs::real_path(own, ours) && folder == ours)
    return {Runtime::Wavelane, "LD_LIBRARY_PATH leads to it", {}};
  const std::optional<Version> version = versionOf(hip->second);
  if (!version)
    return {Runtime::Wavelane, hip->second + " is of an unknown version", {}};
  const std::string name = hip->second + " (HIP " + version->str() + ")";
  for (const gpu::Processor *processor : gpus) {
    if (!knowsGpu(*version, *processor))
      return {Runtime::Wavelane,
              name + " doesn't know " + std::string(processor->Name),
              {}};
    if (std::string why = whyNoCode(file, *version, *processor); !why.empty())
      return {Runtime::Wavelane, name + " is installed, but " + why, {}};
  }
  // Programs over AMD's runtime can't be debugged yet.
  return {Runtime::Wavelane,
          "it is the default for HIP; --runtime amd takes " + name,
          {}};
}

} // namespace

/// \param data The program's file.
static Choice chooseForFile(StringRef data, StringRef program,
                            ArrayRef<const gpu::Processor *> gpus,
                            StringRef search, StringRef own) {
  const Choice fallback = {
      Runtime::Wavelane, "the program isn't an ELF file", {}};
  auto file = File::create(data);
  if (!file) {
    consumeError(file.takeError());
    return fallback;
  }
  if (file->getHeader().e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      file->getHeader().e_machine != ELF::EM_X86_64)
    return fallback;
  return chooseForElf(*file, program, gpus, search, own);
}

Choice choose(Runtime wanted, StringRef program,
              ArrayRef<const gpu::Processor *> gpus, StringRef search,
              StringRef own) {
  std::string path = program.str();
  if (!program.contains('/')) {
    ErrorOr<std::string> found = sys::findProgramByName(program);
    if (found)
      path = *found;
  }
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  const StringRef data = buffer ? (*buffer)->getBuffer() : StringRef();
  const gpu::Processor *chosen = &gpu::chooseDevice(offload::readTargets(data));
  Choice choice =
      wanted == Runtime::Auto
          ? chooseForFile(data, path, gpus.empty() ? ArrayRef(chosen) : gpus,
                          search, own)
          : Choice{wanted, "it was asked for", {}};
  if (gpus.empty())
    choice.processor = chosen->Name;
  return choice;
}

Error setUp(Runtime runtime, StringRef own,
            function_ref<void(StringRef, StringRef)> prepend) {
  auto missing = [](const Twine &what, StringRef where) {
    return createStringError(inconvertibleErrorCode(),
                             what + " is not in " + where);
  };
  if (runtime == Runtime::Amd) {
    SmallString<256> driver(own);
    sys::path::append(driver, "..", "libwavelane-driver.so");
    SmallString<256> real;
    if (sys::fs::real_path(driver, real))
      return missing("libwavelane-driver.so", sys::path::parent_path(own));
    prepend("LD_PRELOAD", real);
    return Error::success();
  }
  SmallString<256> library(own);
  sys::path::append(library, "libamdhip64.so.5");
  if (!sys::fs::exists(library))
    return missing("the HIP runtime", own);
  prepend("LD_LIBRARY_PATH", own);
  return Error::success();
}

} // namespace wavelane::runtimechoice
