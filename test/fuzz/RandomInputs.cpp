//===-- RandomInputs.cpp - a fuzzer without libFuzzer ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuzz-NAME COUNT [SEED]: tries so many random inputs, the same ones each time.
// fuzz-NAME FILE: tries one input again. fuzz-NAME.last has the input that was
// tried last, so also the one that has ended the program.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size);

static std::vector<uint8_t> makeInput(std::mt19937 &Random) {
  // Most are short: what is after a mistake isn't read.
  const size_t Size = Random() % (size_t(16) << Random() % 6);
  std::vector<uint8_t> Input(Size);
  for (uint8_t &Byte : Input)
    Byte = uint8_t(Random());
  // Readers look at zeros, ones and text more closely.
  static constexpr uint8_t Likely[] = {0, 0, 0, 1, 2, 4, 8, 0xff, '"', '{'};
  for (size_t Count = Size / 2; Count--;)
    Input[Random() % Size] = Likely[Random() % std::size(Likely)];
  return Input;
}

int main(int Count, char **Arguments) {
  if (Count < 2)
    return 2;
  char *End = nullptr;
  const unsigned long Inputs = strtoul(Arguments[1], &End, 10);
  if (*End) {
    std::ifstream In(Arguments[1], std::ios::binary);
    const std::string Bytes((std::istreambuf_iterator<char>(In)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(Bytes.data()),
                           Bytes.size());
    return 0;
  }
  const std::string Last = std::string(Arguments[0]) + ".last";
  const int File =
      open(Last.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (File < 0) {
    perror(Last.c_str());
    return 2;
  }
  // Readers complain of most inputs.
  const int Null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(Null, STDERR_FILENO);
  std::mt19937 Random(Count > 2 ? uint32_t(strtoul(Arguments[2], nullptr, 10))
                                : 1);
  for (unsigned long I = 0; I < Inputs; ++I) {
    const std::vector<uint8_t> Input = makeInput(Random);
    if (ftruncate(File, off_t(Input.size())) != 0 ||
        pwrite(File, Input.data(), Input.size(), 0) != ssize_t(Input.size())) {
      perror(Last.c_str());
      return 2;
    }
    LLVMFuzzerTestOneInput(Input.data(), Input.size());
  }
  close(File);
  unlink(Last.c_str());
  printf("%lu inputs\n", Inputs);
  // As libFuzzer, which doesn't wait for what a target leaves to the end.
  fflush(stdout);
  _exit(0);
}
