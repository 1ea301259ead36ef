// waves.hip for the CPU: one of many threads passes a line again and again
// while the others wait; or one thread has a hundred variables. The first
// argument is their number.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static std::atomic<unsigned> arrived;
static volatile unsigned out[17];

static void rounds(unsigned thread, unsigned threads) {
  ++arrived;
  while (thread > 0)
    std::this_thread::sleep_for(std::chrono::hours(1));
  while (arrived < threads)
    std::this_thread::yield();
  for (unsigned round = 0; arrived; ++round) {
    unsigned lane = thread + round; // stop here
    out[1 + lane % 16] = round;
  }
}

// clang-format off
#define ONE(n) int v##n = int(thread) * 1##n;
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED TEN(0) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
// clang-format on

static void locals(unsigned thread) {
  HUNDRED
  out[thread % 16] = v00 + v99; // all set
}

int main(int argc, char **argv) {
  const unsigned count = argc > 1 ? strtoul(argv[1], nullptr, 0) : 1;
  if (argc > 2 && !strcmp(argv[2], "locals")) {
    locals(7);
    return 0;
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back(rounds, i, count);
  for (std::thread &thread : threads)
    thread.join();
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
