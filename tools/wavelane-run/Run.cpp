//===-- Run.cpp - wavelane-run: a HIP program on the simulated device -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../../source/Simulator/Common/Agent.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

static int usage(FILE *To, const char *Why) {
  if (Why)
    fprintf(To, "wavelane-run: %s\n", Why);
  fprintf(To,
          "usage: wavelane-run [--device GPU[,GPU...]] [--cus N] PROGRAM "
          "[ARGUMENT...]\n"
          "Runs a HIP program on Wavelane's simulated GPU. The exit code is "
          "the program's.\n"
          "  --device GPU,...  the GPUs to simulate (one that the program has "
          "code for)\n"
          "  --cus N           their number of compute units, 1 to 120 (4), "
          "less on some GPUs\n"
          "GPUs:");
  // No line is longer than the others.
  size_t Column = 80;
  for (const wavelane::gpu::Processor &P : wavelane::gpu::devices()) {
    if (!P.isModelled())
      continue;
    if (Column + strlen(P.Name) + 1 > 78)
      Column = size_t(fprintf(To, "\n ")) - 1;
    Column += size_t(fprintf(To, " %s", P.Name));
  }
  fprintf(To, "\n");
  return Why ? 2 : 0;
}

int main(int Count, char **Arguments) {
  int I = 1;
  for (; I < Count && Arguments[I][0] == '-'; ++I) {
    const std::string Name = Arguments[I];
    if (Name == "--help" || Name == "-h")
      return usage(stdout, nullptr);
    if (Name == "--") {
      ++I;
      break;
    }
    if (Name != "--device" && Name != "--cus")
      return usage(stderr, ("unknown option " + Name).c_str());
    if (++I == Count)
      return usage(stderr, (Name + " needs a value").c_str());
    const char *Value = Arguments[I];
    if (Name == "--device") {
      std::vector<const wavelane::simulator::Processor *> Processors;
      std::string Error;
      if (!wavelane::simulator::parseProcessors(Value, Processors, Error))
        return usage(stderr, Error.c_str());
      setenv("WAVELANE_PROCESSOR", Value, 1);
    } else {
      char *End = nullptr;
      const long Units = strtol(Value, &End, 10);
      if (*Value == 0 || *End || Units < 1 || Units > 120)
        return usage(stderr, "--cus takes a number from 1 to 120");
      setenv("WAVELANE_CUS", Value, 1);
    }
  }
  if (I >= Count)
    return usage(stderr, "no program given");

  char Self[PATH_MAX];
  const ssize_t Length = readlink("/proc/self/exe", Self, sizeof(Self) - 1);
  if (Length <= 0) {
    fprintf(stderr, "wavelane-run: cannot find itself: %s\n", strerror(errno));
    return 126;
  }
  Self[Length] = 0;
  std::string Folder = Self;
  Folder.resize(Folder.rfind('/')); // .../bin
  const std::string Library =
      Folder.substr(0, Folder.rfind('/')) + "/lib/wavelane";
  if (access((Library + "/libamdhip64.so.5").c_str(), R_OK) != 0) {
    fprintf(stderr, "wavelane-run: the HIP runtime is not in %s\n",
            Library.c_str());
    return 126;
  }
  std::string Path = Library;
  if (const char *Old = getenv("LD_LIBRARY_PATH"))
    if (*Old)
      Path += std::string(":") + Old;
  setenv("LD_LIBRARY_PATH", Path.c_str(), 1);
  execvp(Arguments[I], Arguments + I);
  const int Error = errno;
  fprintf(stderr, "wavelane-run: cannot run %s: %s\n", Arguments[I],
          strerror(Error));
  return Error == ENOENT ? 127 : 126;
}
