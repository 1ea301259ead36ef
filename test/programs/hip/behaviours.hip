// What the tests in test/Shell/rocgdb look at. Tests find lines by their marks.
#include "check.h"
#include <cstring>
#include <unistd.h>

__device__ int counter = 40;
static __device__ int hidden = 7;

__device__ __attribute__((noinline)) int deep(int n) {
  if (n == 0)
    return 1; // bottom
  return deep(n - 1) + n;
}

__device__ __attribute__((noinline)) float first(float value) {
  float doubled = value * 2; // first
  return doubled;
}

__device__ __attribute__((noinline)) float second(float value) {
  float sum = first(value) + 1; // second
  return sum;
}

__global__ void functions(float *out) {
  float mine = threadIdx.x;
  out[threadIdx.x] = second(mine); // call
  out[64] = 1;                     // after
}

/// Called by the first 48 lanes; ten of them don't go into the branch.
__device__ __attribute__((noinline)) int choose(int n) {
  int result = n + 1;
  if (n > 9)
    result = n * 2; // many
  return result + 1000;
}

__global__ void choices(int *out) {
  int mine = threadIdx.x, got = -1;
  if (mine < 48)
    got = choose(mine);
  out[mine] = got; // chosen
}

__global__ void stack(int *out) { out[0] = deep(20); }

__global__ void memories(int *out) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[64];
  fixed[threadIdx.x] = threadIdx.x * 3;
  dynamic[threadIdx.x] = threadIdx.x * 5;
  int *generic = &fixed[threadIdx.x];
  int own = 11;
  int *mine = &own;
  int *nowhere = nullptr;
  __syncthreads();
  out[threadIdx.x] = *generic + dynamic[0] + *mine + counter + hidden + (nowhere == out); // store
}

__global__ void lanes(int *out) {
  int lane = threadIdx.x, value = 0;
  if (lane < 5)         // if
    value = lane + 100; // few
  for (int k = 0; k < lane % 3; ++k)
    value += k;
  out[lane] = value;    // joined
}

__global__ void waiting(volatile int *go) {
  while (*go == 0)
    __builtin_amdgcn_s_sleep(1);
}

__global__ void jump() { asm volatile("s_mov_b32 s4, 0x40\n s_mov_b32 s5, 0\n s_setpc_b64 s[4:5]" ::: "s4", "s5"); }

__global__ void ordered(int *out) {
  int mine = threadIdx.x;
  out[mine] = mine; // begin
  __syncthreads();  // barrier
  out[mine] += out[127 - mine];
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "functions";
  Buffer<int> out(256);
  HIP(hipMemset(out.data, 0, 1024));
  if (!strcmp(what, "functions"))
    functions<<<1, 64>>>(reinterpret_cast<float *>(out.data));
  else if (!strcmp(what, "choices"))
    choices<<<1, 64>>>(out.data);
  else if (!strcmp(what, "stack"))
    stack<<<1, 1>>>(out.data);
  else if (!strcmp(what, "memories"))
    memories<<<2, 64, 256>>>(out.data);
  else if (!strcmp(what, "lanes"))
    lanes<<<dim3(2, 1), 48>>>(out.data);
  else if (!strcmp(what, "waiting"))
    waiting<<<2, 64>>>(out.data);
  else if (!strcmp(what, "jump"))
    jump<<<1, 64>>>();
  else if (!strcmp(what, "ordered"))
    ordered<<<1, 128>>>(out.data);
  hipError_t error = hipDeviceSynchronize();
  if (error == hipSuccess) {
    error = hipMemset(nullptr, 0, 4); // an error of HIP's
    error = hipSuccess;
  }
  printf("%s: %s\n", what, hipGetErrorString(error));
  if (!strcmp(what, "choices")) {
    std::vector<int> all = out.get();
    printf("%d %d %d %d\n", all[0], all[20], all[47], all[48]);
  }
  return error == hipSuccess ? 0 : 1;
}
