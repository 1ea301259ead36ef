// Pointers whose types have an address space, generic ones, and null pointers of each, in two frames.
#include <cstdio>
#include <hip/hip_runtime.h>

typedef __attribute__((address_space(3))) int *LocalPointer;
typedef __attribute__((address_space(5))) int *PrivatePointer;
struct Pair {
  int first, second;
};
struct Holder {
  LocalPointer local;
  int between;
  PrivatePointer priv;
};

__device__ __attribute__((noinline)) int inner(int *generic, LocalPointer local, const char *text) {
  int own = *generic + *local;
  int *to_own = &own;
  return *to_own + text[0]; // inner
}

__global__ void spaces(int *out, const char *message) {
  __shared__ int tile[128];
  __shared__ Pair pair;
  __shared__ char word[8];
  int mine = blockIdx.x * 1000 + threadIdx.x;
  tile[threadIdx.x] = mine * 2;
  pair.first = blockIdx.x * 10 + 1;
  pair.second = blockIdx.x * 10 + 2;
  word[0] = 'w';
  word[1] = char('0' + blockIdx.x);
  word[2] = 0;
  __syncthreads();
  LocalPointer local = (LocalPointer)&tile[threadIdx.x];
  PrivatePointer priv = (PrivatePointer)&mine;
  __attribute__((address_space(3))) Pair *local_pair = (__attribute__((address_space(3))) Pair *)&pair;
  __attribute__((address_space(1))) int *global = (__attribute__((address_space(1))) int *)out;
  int *nowhere = nullptr;
  LocalPointer local_null = (LocalPointer)nowhere;
  PrivatePointer private_null = (PrivatePointer)nowhere;
  int *to_tile = &tile[1];
  int *to_mine = &mine;
  char *to_word = word;
  Holder holder = {local + 1, 7, priv};
  int sum = inner(to_mine, local, to_word) + holder.between + *holder.priv;
  if (local_null == (LocalPointer)nowhere && private_null == (PrivatePointer)nowhere)
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + *local + *priv + local_pair->first + *to_tile; // outer
}

int main() {
  int *out;
  if (hipMalloc((void **)&out, 256 * sizeof(int)) != hipSuccess)
    return 1;
  spaces<<<2, 128>>>(out, nullptr);
  int host[256];
  if (hipMemcpy(host, out, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
    return 1;
  printf("out[133] %d\n", host[133]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
