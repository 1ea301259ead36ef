// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An event is done when the stream that it was recorded in is: after a wait for the stream, a query of it, a wait for the device.
#include "check.h"

__global__ void work(unsigned *counts) { atomicAdd(&counts[threadIdx.x], 1u); }

int main() {
  constexpr unsigned rounds = 300, threads = 64;
  Buffer<unsigned> counts(std::vector<unsigned>(threads, 0));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  hipEvent_t begin, end;
  HIP(hipEventCreate(&begin));
  HIP(hipEventCreate(&end));
  unsigned waited = 0, asked = 0, device = 0, timed = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    HIP(hipEventRecord(begin, stream));
    work<<<4, threads, 0, stream>>>(counts.data);
    HIP(hipEventRecord(end, stream));
    switch (i % 3) {
    case 0:
      HIP(hipStreamSynchronize(stream));
      waited += hipEventQuery(end) == hipSuccess;
      break;
    case 1:
      while (hipStreamQuery(stream) == hipErrorNotReady)
        ;
      asked += hipEventQuery(end) == hipSuccess;
      break;
    case 2:
      HIP(hipDeviceSynchronize());
      device += hipEventQuery(end) == hipSuccess;
      break;
    }
    float ms = -1;
    timed += hipEventElapsedTime(&ms, begin, end) == hipSuccess && ms >= 0;
  }
  printf("done after the stream: %u, %u, %u; timed: %u\n", waited, asked, device, timed);
  HIP(hipEventDestroy(begin));
  HIP(hipEventDestroy(end));
  HIP(hipStreamDestroy(stream));
  return report("counts", counts.get(), std::vector<unsigned>(threads, rounds * 4));
}
