//===-- LaunchersTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Job/Launchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace wavelane::job;

static std::string find(const llvm::StringMap<std::string> &Variables) {
  auto Found = findPlace([&](const char *Name) -> const char * {
    auto One = Variables.find(Name);
    return One == Variables.end() ? nullptr : One->second.c_str();
  });
  if (!Found)
    return "error: " + llvm::toString(Found.takeError());
  return std::to_string(Found->Rank) + " of " +
         (Found->Size ? std::to_string(*Found->Size) : "?") + " by " +
         Found->Source;
}

TEST(LaunchersTest, FindsThePlace) {
  EXPECT_EQ(find({{"OMPI_COMM_WORLD_RANK", "3"},
                  {"OMPI_COMM_WORLD_SIZE", "8"},
                  {"PMIX_RANK", "1"}}),
            "3 of 8 by OMPI_COMM_WORLD_RANK");
  EXPECT_EQ(find({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "0 of 2 by PMI_RANK");
  EXPECT_EQ(find({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"}}),
            "5 of 6 by SLURM_PROCID");
  EXPECT_EQ(find({{"PMIX_RANK", "7"}}), "7 of ? by PMIX_RANK");
  EXPECT_EQ(find({{"RANK", "1"}, {"WORLD_SIZE", "4"}}), "1 of 4 by RANK");
  // torchrun in a batch script of Slurm.
  EXPECT_EQ(find({{"SLURM_PROCID", "0"},
                  {"SLURM_NTASKS", "1"},
                  {"RANK", "1"},
                  {"WORLD_SIZE", "4"},
                  {"LOCAL_RANK", "1"},
                  {"MASTER_ADDR", "node1"}}),
            "1 of 4 by RANK");
  // A size that can't be.
  EXPECT_EQ(find({{"RANK", "4"}, {"WORLD_SIZE", "4"}}), "4 of ? by RANK");
}

TEST(LaunchersTest, RefusesWhatIsNoRank) {
  EXPECT_EQ(find({{"PMI_RANK", "-1"}}),
            "error: PMI_RANK is '-1', which isn't a rank");
  EXPECT_EQ(find({{"RANK", "99999999999"}}),
            "error: RANK is '99999999999', which isn't a rank");
  EXPECT_EQ(find({{"RANK", ""}}).rfind("error: no launcher has set a rank", 0),
            0u);
}

static std::string insert(llvm::StringRef Line) {
  llvm::SmallVector<llvm::StringRef> Words;
  Line.split(Words, ' ', -1, /*KeepEmpty=*/false);
  std::vector<std::string> Texts;
  for (llvm::StringRef Word : Words)
    Texts.push_back(Word.str());
  auto Result = insertRank(Texts, "/bin/wavelane-rank", [](llvm::StringRef W) {
    return W.starts_with("./") || W == "/usr/bin/ssh" || W == "node" ||
           W == "python3";
  });
  return Result ? llvm::join(*Result, " ")
                : "error: " + llvm::toString(Result.takeError());
}

TEST(LaunchersTest, InsertsTheRank) {
  EXPECT_EQ(insert("mpirun -n 8 ./app -n ./data"),
            "mpirun -n 8 /bin/wavelane-rank ./app -n ./data");
  // Options whose values are programs, or named like one.
  EXPECT_EQ(insert("mpirun --map-by node --mca plm_rsh_agent /usr/bin/ssh "
                   "--oversubscribe ./app"),
            "mpirun --map-by node --mca plm_rsh_agent /usr/bin/ssh "
            "--oversubscribe /bin/wavelane-rank ./app");
  EXPECT_EQ(insert("srun -n 2 python3 train.py"),
            "srun -n 2 /bin/wavelane-rank python3 train.py");
  // Several programs.
  EXPECT_EQ(insert("mpirun -n 1 ./a x : -n 2 ./b"),
            "mpirun -n 1 /bin/wavelane-rank ./a x : -n 2 /bin/wavelane-rank "
            "./b");
  // torchrun starts Python.
  EXPECT_EQ(insert("torchrun --nproc-per-node 2 ./train.py --data ./x.py"),
            "torchrun --nproc-per-node 2 --no_python /bin/wavelane-rank "
            "python3 -u ./train.py --data ./x.py");
  EXPECT_EQ(insert("python3 -m torch.distributed.run --nproc_per_node 2 "
                   "./train.py"),
            "python3 -m torch.distributed.run --nproc_per_node 2 --no_python "
            "/bin/wavelane-rank python3 -u ./train.py");
  EXPECT_EQ(insert("torchrun --no-python --nproc-per-node 2 ./app ./x.py"),
            "torchrun --no-python --nproc-per-node 2 /bin/wavelane-rank ./app "
            "./x.py");
  // It is there.
  EXPECT_EQ(insert("mpirun -n 2 wavelane-rank ./app"),
            "mpirun -n 2 /bin/wavelane-rank ./app");
  // Behind a script that prepares each rank.
  EXPECT_EQ(insert("mpirun -n 2 ./pin -x wavelane-rank ./app : ./b"),
            "mpirun -n 2 ./pin -x /bin/wavelane-rank ./app : "
            "/bin/wavelane-rank ./b");
}

TEST(LaunchersTest, RefusesALineWithoutAProgram) {
  for (const char *Line :
       {"mpirun", "mpirun -n 2", "mpirun -n 2 missing", "mpirun -n 1 : ./b",
        "mpirun --mca ./a ./b", "mpirun ./a :"})
    EXPECT_EQ(insert(Line), "error: no word after mpirun is a program: give "
                            "its path, or put wavelane-rank before it")
        << Line;
  EXPECT_EQ(insert(""), "error: no launcher is given");
}
