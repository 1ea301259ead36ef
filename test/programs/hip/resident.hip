// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1,600 waves that stay: two of the four of a workgroup count for ever, the others wait for them. One passes a line of its own.
// The host writes a byte to the pipe that the first argument names whenever each of those that count has gone on.
#include "check.h"
#include <algorithm>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

constexpr unsigned groups = 400, counting = 2;

__global__ void resident(volatile unsigned *counts) {
  const unsigned wave = threadIdx.x / 64;
  if (wave < counting)
    for (unsigned round = 1; counts[0]; ++round) {
      counts[1 + blockIdx.x * counting + wave] = round; // counted
      if (blockIdx.x == 0 && wave == 0)
        counts[1 + groups * counting] = round; // first
    }
  __syncthreads();
}

int main(int argc, char **argv) {
  const int pipe = argc > 1 ? open(argv[1], O_WRONLY | O_NONBLOCK) : -1;
  volatile unsigned *counts;
  HIP(hipHostMalloc((void **)&counts, (2 + groups * counting) * sizeof(unsigned), hipHostMallocCoherent));
  std::fill(counts, counts + 2 + groups * counting, 0);
  counts[0] = 1;
  resident<<<groups, 256>>>(counts);
  std::vector<unsigned> before(groups * counting);
  while (hipStreamQuery(nullptr) == hipErrorNotReady) {
    const volatile unsigned *now = counts + 1;
    if (!std::equal(before.begin(), before.end(), now, [](unsigned then, unsigned count) { return then != count; })) {
      sched_yield();
      continue;
    }
    std::copy(now, now + before.size(), before.begin());
    (void)!write(pipe, "r", 1); // a full pipe says enough
  }
  return 0;
}
