//===-- Launchers.cpp - what is known of mpirun and its like --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Job/Launchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace wavelane::job {

namespace {
struct Variables {
  const char *Rank;
  const char *Size;
};
} // namespace

/// In this order: Open MPI and Slurm set PMIx's and PMI's, too.
static constexpr Variables Known[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"PMIX_RANK", nullptr},
    {"RANK", "WORLD_SIZE"},
};

static bool isNumber(StringRef Text, uint32_t &Number) {
  return !Text.getAsInteger(10, Number) && Number <= INT32_MAX;
}

/// Whether torchrun has started the process: in a batch script of Slurm, all of
/// its ranks have the script's SLURM_PROCID.
static bool isOfTorchrun(function_ref<const char *(const char *)> Get) {
  return all_of(
      ArrayRef<const char *>{"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR"},
      [&](const char *Name) { return Get(Name) && *Get(Name); });
}

Expected<Place> findPlace(function_ref<const char *(const char *)> Get) {
  const bool OfTorchrun = isOfTorchrun(Get);
  for (const Variables &Names :
       OfTorchrun ? ArrayRef(Known).take_back() : ArrayRef(Known)) {
    const char *Text = Get(Names.Rank);
    if (!Text || !*Text)
      continue;
    Place Found;
    if (!isNumber(Text, Found.Rank))
      return createStringError(
          formatv("{0} is '{1}', which isn't a rank", Names.Rank, Text).str());
    Found.Source = Names.Rank;
    uint32_t Size = 0;
    if (const char *Of = Names.Size ? Get(Names.Size) : nullptr;
        Of && isNumber(Of, Size) && Size > Found.Rank)
      Found.Size = Size;
    return Found;
  }
  std::string Names;
  for (const Variables &One : Known)
    Names += (Names.empty() ? "" : ", ") + std::string(One.Rank);
  return createStringError("no launcher has set a rank (" + Names + ")");
}

/// How many words after an option are its values although they may be
/// programs.
static unsigned countValues(StringRef Option) {
  Option.consume_front("-");
  Option.consume_front("-");
  return StringSwitch<unsigned>(Option)
      .Cases({"mca", "gmca", "pmca", "prtemca", "pmixmca", "genv", "env"}, 2)
      .Cases({"launch-agent",
              "fork-agent",
              "launcher-exec",
              "launcher",
              "bootstrap-exec",
              "bootstrap",
              "prolog",
              "epilog",
              "task-prolog",
              "task-epilog",
              "personality",
              "map-by",
              "bind-to",
              "rank-by",
              "x",
              "wdir",
              "wd",
              "host",
              "H",
              "hostfile",
              "machinefile",
              "rankfile",
              "rf",
              "f",
              "hosts",
              "am",
              "tune",
              "nodelist",
              "w",
              "output-filename",
              "D",
              "chdir",
              "o",
              "output",
              "e",
              "error",
              "i",
              "input",
              "J",
              "job-name",
              "p",
              "partition",
              "mpi"},
             1)
      .Default(0);
}

/// "torchrun ..." or "python3 -m torch.distributed.run ...".
static bool isTorchrun(ArrayRef<std::string> Words) {
  const StringRef First = sys::path::filename(Words[0]);
  return First == "torchrun" ||
         (First.starts_with("python") && Words.size() > 2 && Words[1] == "-m" &&
          (Words[2] == "torch.distributed.run" ||
           Words[2] == "torch.distributed.launch"));
}

Expected<std::vector<std::string>>
insertRank(ArrayRef<std::string> Words, StringRef Rank,
           function_ref<bool(StringRef)> IsProgram) {
  if (Words.empty())
    return createStringError("no launcher is given");
  const StringRef RankName = sys::path::filename(Rank);
  std::vector<std::string> Result{Words[0]};
  // torchrun starts Python with a script, unless an option says otherwise.
  const bool OfPython = isTorchrun(Words) &&
                        !is_contained(Words, "--no-python") &&
                        !is_contained(Words, "--no_python");
  bool Found = false;
  auto IsRank = [&](StringRef Word) {
    return sys::path::filename(Word) == RankName;
  };
  // How many words come before it, if it is there.
  auto CountBefore = [&](ArrayRef<std::string> Rest) {
    Rest = Rest.take_until([](StringRef Word) { return Word == ":"; });
    return size_t(find_if(Rest, IsRank) - Rest.begin()) % Rest.size();
  };
  for (size_t I = 1; I < Words.size(); ++I) {
    const StringRef Word = Words[I];
    if (Word == ":") {
      // Another program follows, with options of its own.
      if (!Found)
        break;
      Found = false;
    } else if (!Found && Word.starts_with("-")) {
      for (unsigned Values = countValues(Word); Values && I + 1 < Words.size();
           --Values)
        Result.push_back(Words[I++]);
      Result.push_back(Words[I]);
      continue;
    } else if (!Found && IsRank(Word)) {
      Result.push_back(Rank.str());
      Found = true;
      continue;
    } else if (!Found && OfPython && Word.ends_with(".py")) {
      // Older ones don't know --no-python.
      for (const std::string &One : {std::string("--no_python"), Rank.str(),
                                     std::string("python3"), std::string("-u")})
        Result.push_back(One);
      Found = true;
    } else if (!Found && !OfPython && IsProgram(Word)) {
      // A script may come before it, which prepares each rank.
      for (size_t Count = CountBefore(Words.drop_front(I)); Count; --Count)
        Result.push_back(Words[I++]);
      Result.push_back(Rank.str());
      Found = true;
      if (IsRank(Words[I]))
        continue;
    }
    Result.push_back(Word.str());
  }
  if (!Found)
    return createStringError("no word after " + Words[0] +
                             " is a program: give its path, or put "
                             "wavelane-rank before it");
  return Result;
}

} // namespace wavelane::job
