//===-- Compile.cpp - wavelane compile ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Installation.h"
#include "Toolchain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace wavelane::command {

cl::SubCommand Compile(
    "compile",
    "compiles a HIP program for the GPU at hand, and prints the compiler's "
    "command; with debug information, and without optimization unless an "
    "argument says otherwise");

static cl::opt<std::string>
    GPU("gpu",
        cl::desc("The GPU's name, instead of the one at hand; the simulated "
                 "one's if there is none"),
        cl::value_desc("GPU"), cl::sub(Compile), cl::cat(Category));
static cl::opt<bool> DryRun("dry-run",
                            cl::desc("Only prints the compiler's command"),
                            cl::sub(Compile), cl::cat(Category));
static cl::opt<std::string> Source(cl::Positional, cl::desc("FILE.hip"),
                                   cl::sub(Compile), cl::cat(Category));
static cl::list<std::string> Rest(cl::ConsumeAfter,
                                  cl::desc("[COMPILER'S ARGUMENT...]"),
                                  cl::sub(Compile), cl::cat(Category));

static int fail(const Twine &Text, int Code = 1) {
  WithColor::error(errs(), "wavelane compile") << Text << '\n';
  return Code;
}

/// A word as a shell reads it.
static std::string quote(StringRef Word) {
  if (!Word.empty() && all_of(Word, [](char C) {
        return isAlnum(C) || strchr("-_=./+:,@%", C);
      }))
    return Word.str();
  std::string Quoted = "'";
  for (char C : Word)
    Quoted += C == '\'' ? std::string("'\\''") : std::string(1, C);
  return Quoted + "'";
}

/// Whether a word names a source file, and isn't what an option before it
/// takes.
static bool isSource(StringRef Word, StringRef Before) {
  static const char *const Taking[] = {
      "-o",       "-I",       "-D",  "-U",       "-L",           "-l",
      "-x",       "-include", "-MF", "-isystem", "-iquote",      "-idirafter",
      "-imacros", "-T",       "-B",  "-target",  "-Xclang",      "-Xlinker",
      "-MT",      "-MQ",      "-u",  "-mllvm",   "-Xarch_device"};
  return !Word.starts_with("-") && !is_contained(Taking, Before) &&
         is_contained(
             {".hip", ".cpp", ".cc", ".cxx", ".c++", ".C", ".cu", ".c"},
             sys::path::extension(Word));
}

std::vector<std::string> orderForCompile(ArrayRef<std::string> Arguments) {
  std::vector<std::string> Own = {Arguments[0]}, File, Others;
  for (size_t I = 1; I < Arguments.size(); ++I) {
    const StringRef Word = Arguments[I], Before = Arguments[I - 1];
    const StringRef Name = Word.split('=').first.ltrim('-');
    if (Word.starts_with("-") && !Word.contains('=') && Name == "gpu") {
      Own.push_back(Word.str());
      if (I + 1 < Arguments.size())
        Own.push_back(Arguments[++I]);
    } else if (Word.starts_with("-") &&
               is_contained({"gpu", "dry-run", "help", "h", "version"}, Name)) {
      Own.push_back(Word.str());
    } else if (File.empty() && isSource(Word, Before)) {
      File.push_back(Word.str());
    } else {
      Others.push_back(Word.str());
    }
  }
  // A file with another name is the first word, as usage says.
  if (File.empty()) {
    if (Others.empty() || StringRef(Others.front()).starts_with("-"))
      return Own;
    File.push_back(Others.front());
    Others.erase(Others.begin());
  }
  Own.insert(Own.end(), File.begin(), File.end());
  Own.insert(Own.end(), Others.begin(), Others.end());
  return Own;
}

/// The targets that the compiler's arguments name, which replace the default.
static std::vector<std::string> namedTargets() {
  std::vector<std::string> Targets;
  for (size_t I = 0; I < Rest.size(); ++I) {
    StringRef Word = Rest[I];
    if (Word == "--offload-arch" && I + 1 < Rest.size())
      Word = Rest[++I];
    else if (!Word.consume_front("--offload-arch="))
      continue;
    SmallVector<StringRef, 4> Names;
    Word.split(Names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef Name : Names)
      Targets.push_back(Name.str());
  }
  return Targets;
}

static const gpu::Processor *chooseGPU() {
  if (GPU.empty()) {
    for (const FoundGPU &Found : findGPUs())
      if (Found.Known)
        return Found.Known;
    return &gpu::get(gpu::DefaultDevice);
  }
  for (const gpu::Processor &Processor : gpu::devices())
    if (GPU == Processor.Name)
      return &Processor;
  return nullptr;
}

int runCompile() {
  if (Source.empty())
    return fail("no source file given: wavelane compile saxpy.hip", UsageError);
  if (!sys::fs::exists(Source))
    return fail("there is no file " + Source);
  const std::vector<std::string> Targets = namedTargets();
  if (!Targets.empty() && !GPU.empty())
    return fail("--gpu and --offload-arch both name a GPU: use one of them",
                UsageError);
  std::vector<const gpu::Processor *> Processors;
  for (const std::string &Target : Targets)
    if (const gpu::Processor *Known = gpu::findByName(Target))
      Processors.push_back(Known);
  const gpu::Processor *Processor =
      Processors.empty() ? chooseGPU() : Processors.front();
  if (!Processor)
    return fail("unknown GPU '" + GPU +
                "': wavelane run --help lists those that are known");
  if (Processors.empty())
    Processors.push_back(Processor);
  const std::vector<Toolchain> Chains = findToolchains();
  if (Chains.empty())
    return fail("no compiler for HIP: sudo apt-get install clang-19 "
                "clang-tools-19 lld-19 libamdhip64-dev rocm-device-libs");
  const Toolchain &Chain = Chains.front();
  if (!Chain.Lacks.empty())
    return fail(Chain.Compiler +
                " can't compile HIP programs yet: sudo apt-get install " +
                join(Chain.Lacks, " "));
  for (const gpu::Processor *Each : Processors)
    if (!Chain.knows(*Each))
      return fail("the device libraries in " + Chain.DeviceLibraries +
                  " have none for " + Each->Name +
                  ": install a newer ROCm, or name another GPU with --gpu, "
                  "such as " +
                  std::string(gpu::get(gpu::DefaultDevice).Name));
  if (Processors.size() > 1 && Chain.isTooNew())
    return fail(Chain.Compiler + " needs other device libraries for each GPU "
                                 "with these headers: name one GPU, or install "
                                 "clang-19");
  std::vector<std::string> Words = Chain.arguments(*Processor);
  // The compiler's arguments name them.
  if (!Targets.empty())
    llvm::erase_if(Words, [](StringRef Word) {
      return Word.starts_with("--offload-arch=");
    });
  Words.push_back(Source);
  Words.insert(Words.end(), Rest.begin(), Rest.end());
  const auto Has = [](StringRef Prefix) {
    return any_of(Rest, [&](const std::string &Word) {
      return StringRef(Word).starts_with(Prefix);
    });
  };
  if (!Has("-O"))
    Words.push_back("-O0");
  const bool Links = none_of(Rest, [](StringRef Word) {
    return Word == "-c" || Word == "-S" || Word == "-E" ||
           Word == "-fsyntax-only";
  });
  if (!Has("-o") && Links) {
    const std::string Program = sys::path::stem(Source).str();
    bool IsSource = false;
    if (!sys::fs::equivalent(Program, Source, IsSource) && IsSource)
      return fail("the program would replace its source " + Source +
                  ": name it with -o");
    Words.insert(Words.end(), {"-o", Program});
  }
  // Since clang 20 the driver looks for the runtime in ROCm's folder alone.
  if (Links && Chain.Version)
    Words.push_back("-no-hip-rt");
  if (Links)
    Words.push_back("-lamdhip64");
  outs() << quote(Chain.Compiler);
  for (const std::string &Word : Words)
    outs() << ' ' << quote(Word);
  outs() << '\n';
  outs().flush();
  if (DryRun)
    return 0;
  SmallVector<StringRef, 32> Arguments = {Chain.Compiler};
  Arguments.append(Words.begin(), Words.end());
  std::string Error;
  const int Code = sys::ExecuteAndWait(Chain.Compiler, Arguments, std::nullopt,
                                       {}, 0, 0, &Error);
  if (Code < 0)
    return fail(Chain.Compiler + ": " + Error);
  if (Code > 0 && Chain.hasOldHeaders())
    WithColor::note(errs(), "wavelane compile")
        << "HIP's headers in " << Chain.Root
        << "/include are version 5: what came later, such as reduce and scan "
           "of "
           "cooperative groups, needs a newer ROCm in /opt/rocm\n";
  return Code;
}

} // namespace wavelane::command
