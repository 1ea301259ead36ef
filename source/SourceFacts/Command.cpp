//===-- Command.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/SourceFacts/Command.h"
#include "wavelane/Formats/Files/RegularFile.h"

#include "clang/Options/Options.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace wavelane::source;
namespace options = clang::options;

/// Splits what clang writes: a space and a backslash within a word have a
/// backslash before them.
static std::vector<std::string> splitWords(StringRef Text) {
  std::vector<std::string> Words;
  std::string Word;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == ' ') {
      if (!Word.empty())
        Words.push_back(std::move(Word));
      Word.clear();
      continue;
    }
    if (Text[I] == '\\' && I + 1 < Text.size())
      ++I;
    Word += Text[I];
  }
  if (!Word.empty())
    Words.push_back(std::move(Word));
  return Words;
}

std::optional<std::vector<std::string>>
wavelane::source::findRecordedCommand(StringRef Producer) {
  if (!Producer.contains("clang version"))
    return std::nullopt;
  std::vector<std::string> Words = splitWords(Producer);
  // The version's words are followed by the compiler's path.
  auto Compiler = find_if(Words, [](const std::string &Word) {
    return StringRef(Word).starts_with("/") &&
           sys::path::filename(Word).contains("clang");
  });
  if (Compiler == Words.end() || Compiler + 1 == Words.end())
    return std::nullopt;
  return std::vector<std::string>(Compiler, Words.end());
}

/// The database of \p Folder itself.
static std::optional<Command> findInOwnDatabase(StringRef File,
                                                StringRef Folder) {
  SmallString<256> Path(Folder);
  sys::path::append(Path, "compile_commands.json");
  auto Buffer = wavelane::files::readRegular(Path);
  if (!Buffer)
    return std::nullopt;
  std::string Error;
  auto Database = clang::tooling::JSONCompilationDatabase::loadFromBuffer(
      (*Buffer)->getBuffer(), Error,
      clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Database)
    return std::nullopt;
  auto Commands = Database->getCompileCommands(File);
  // A file that is compiled in several ways may mean several things.
  if (Commands.size() != 1 || !Commands[0].Heuristic.empty() ||
      Commands[0].CommandLine.empty())
    return std::nullopt;
  return Command{std::move(Commands[0].CommandLine),
                 std::move(Commands[0].Directory), /*IsKnown=*/true};
}

std::optional<Command> wavelane::source::findInDatabase(StringRef File,
                                                        StringRef Folder) {
  constexpr unsigned Most = 32; // folders above each other
  SmallString<256> At(sys::path::is_absolute(Folder) ? Folder : "");
  for (unsigned I = 0; I < Most && !At.empty(); ++I) {
    SmallString<256> Build(At);
    sys::path::append(Build, "build");
    for (StringRef Place : {At.str(), Build.str()})
      if (std::optional<Command> Found = findInOwnDatabase(File, Place))
        return Found;
    if (!sys::path::has_parent_path(At))
      break;
    At = StringRef(sys::path::parent_path(At)).str();
  }
  return std::nullopt;
}

/// Whether an option says what source means, or where headers are.
static bool isOfSource(const opt::Option &Option) {
  for (unsigned ID : {options::OPT_D,
                      options::OPT_U,
                      options::OPT_I,
                      options::OPT_include,
                      options::OPT_imacros,
                      options::OPT_isystem,
                      options::OPT_iquote,
                      options::OPT_idirafter,
                      options::OPT_isysroot,
                      options::OPT__sysroot_EQ,
                      options::OPT_cxx_isystem,
                      options::OPT_nostdinc,
                      options::OPT_nostdincxx,
                      options::OPT_nostdlibinc,
                      options::OPT_no_offload_inc,
                      options::OPT_stdlib_EQ,
                      options::OPT_std_EQ,
                      options::OPT_ansi,
                      options::OPT_O_Group,
                      options::OPT_pthread,
                      options::OPT_rocm_path_EQ,
                      options::OPT_hip_path_EQ,
                      options::OPT_hip_version_EQ,
                      options::OPT_gcc_toolchain,
                      options::OPT_gcc_install_dir_EQ,
                      options::OPT_mwavefrontsize64,
                      options::OPT_mno_wavefrontsize64})
    if (Option.matches(ID))
      return true;
  // Of the -f options, those that neither write files nor load code.
  return Option.matches(options::OPT_f_Group) &&
         !Option.matches(options::OPT_offload_arch_EQ) &&
         none_of(
             std::initializer_list<StringRef>{
                 "fplugin", "fpass-plugin", "fmodule", "fprebuilt", "fcrash",
                 "ftime", "fprofile", "fsave", "fproc", "fcs-", "fsanitize",
                 "fdiagnostics", "fdebug", "flto", "fuse-ld", "fthinlto",
                 "fbuild", "fcoverage", "fgpu-sanitize"},
             [&](StringRef Name) {
               return Option.getName().starts_with(Name);
             });
}

/// Options for one of the two sides of a program.
static std::vector<std::string> selectSide(ArrayRef<std::string> Words) {
  std::vector<std::string> Selected;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (Words[I] == "-Xarch_host" && I + 1 < Words.size())
      ++I;
    else if (Words[I] != "-Xarch_device")
      Selected.push_back(Words[I]);
  }
  return Selected;
}

Expected<std::vector<std::string>>
wavelane::source::makeParseCommand(const Command &How, StringRef File,
                                   StringRef GPU, unsigned LaneCount,
                                   StringRef ResourceFolder) {
  if (How.Words.empty())
    return createStringError("the compiler isn't known");
  const std::vector<std::string> Words = selectSide(How.Words);
  std::vector<const char *> Pointers;
  for (const std::string &Word : ArrayRef(Words).drop_front())
    Pointers.push_back(Word.c_str());
  unsigned MissingIndex, MissingCount;
  const opt::InputArgList Arguments = clang::getDriverOptTable().ParseArgs(
      Pointers, MissingIndex, MissingCount,
      opt::Visibility(options::ClangOption));
  if (MissingCount)
    return createStringError("the compiler's command isn't complete");
  const bool IsHost = GPU.empty();
  std::string Language = !IsHost                              ? "hip"
                         : sys::path::extension(File) == ".c" ? "c"
                                                              : "c++";
  opt::ArgStringList Filtered;
  bool HasMacro = false;
  for (const opt::Arg *Argument : Arguments) {
    const opt::Option &Option = Argument->getOption();
    if (Option.matches(options::OPT_Xclang) &&
        StringRef(Argument->getValue()) != "-fallow-half-arguments-and-returns")
      return createStringError(Twine("it was compiled with -Xclang ") +
                               Argument->getValue());
    if (Option.matches(options::OPT_x)) {
      if (StringRef(Argument->getValue()) != "none")
        Language = Argument->getValue();
    } else if (isOfSource(Option)) {
      Argument->render(Arguments, Filtered);
      HasMacro |= Option.matches(options::OPT_D) &&
                  StringRef(Argument->getValue())
                      .starts_with("__AMDGCN_WAVEFRONT_SIZE=");
    }
  }
  std::vector<std::string> Result = {Words[0], "--driver-mode=g++"};
  Result.insert(Result.end(), Filtered.begin(), Filtered.end());
  // Clang has dropped the macro, and older headers use it.
  if (!HasMacro && !IsHost)
    Result.push_back("-D__AMDGCN_WAVEFRONT_SIZE=" + std::to_string(LaneCount));
  if (Language == "hip" && !IsHost)
    Result.insert(Result.end(), {"--offload-arch=" + GPU.str(),
                                 "--cuda-device-only", "-nogpulib"});
  else if (Language == "hip")
    Result.insert(Result.end(), {"--cuda-host-only"});
  else if (!IsHost)
    Result.insert(Result.end(), {"--target=amdgcn-amd-amdhsa",
                                 "-mcpu=" + GPU.str(), "-nogpulib"});
  Result.insert(Result.end(),
                {"-resource-dir=" + ResourceFolder.str(), "-w", "-fsyntax-only",
                 "-x", Language, "--", File.str()});
  return Result;
}
