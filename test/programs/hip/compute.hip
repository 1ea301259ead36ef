// Kernels of every usual kind, each compared with the host.
#include "check.h"
#include <cmath>

__global__ void reduce(const int *in, int *out, int n) {
  __shared__ int partial[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s)
      partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = partial[0];
}

constexpr int Tile = 16;
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += Tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
    __syncthreads();
    for (int j = 0; j < Tile; ++j)
      sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void transpose(const int *in, int *out, int w, int h) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h)
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < h && y < w)
    out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void scan(int *data) {
  extern __shared__ int buffer[]; // dynamic LDS
  int t = threadIdx.x;
  buffer[t] = data[t];
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    int v = t >= int(d) ? buffer[t - d] : 0;
    __syncthreads();
    buffer[t] += v;
    __syncthreads();
  }
  data[t] = buffer[t];
}

__global__ void doubles(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = sqrt(x[i]) / (x[i] + 1.0) - fma(x[i], 0.5, -1.0);
}

__device__ __attribute__((noinline)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 12); }

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__global__ void pointers(int *out) {
  int (*f)(int) = threadIdx.x & 1 ? twice : square;
  out[threadIdx.x] = f(threadIdx.x);
}

__global__ void diverge(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int steps = 0;
  for (unsigned v = i + 1; v != 1; ++steps)
    v = v & 1 ? 3 * v + 1 : v / 2;
  switch (i % 3) {
  case 0: steps += 1000; break;
  case 1: steps -= 1000; break;
  }
  out[i] = steps;
}

__global__ void places(uint3 *out) {
  unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned item = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned at = group * blockDim.x * blockDim.y * blockDim.z + item;
  out[at] = make_uint3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                       blockIdx.z * blockDim.z + threadIdx.z);
}

__global__ void handoff(volatile int *flag, int *out) {
  // The second workgroup waits for the first one.
  if (blockIdx.x == 1) {
    while (__hip_atomic_load((int *)flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    out[threadIdx.x] = *flag;
  } else if (threadIdx.x == 0) {
    __hip_atomic_store((int *)flag, 42, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  }
}

int main() {
  int bad = 0;
  {
    const int n = 5000;
    std::vector<int> in(n), want(20);
    for (int i = 0; i < n; ++i)
      want[i / 256] += in[i] = i % 97 - 20;
    Buffer<int> din(in), out(want.size());
    reduce<<<20, 256>>>(din.data, out.data, n);
    bad += report("reduce", out.get(), want);
  }
  {
    const int n = 64;
    std::vector<float> a(n * n), b(n * n), want(n * n);
    for (int i = 0; i < n * n; ++i) {
      a[i] = i % 7 - 3;
      b[i] = i % 5 - 2;
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          want[i * n + j] += a[i * n + k] * b[k * n + j];
    Buffer<float> da(a), db(b), c(n * n);
    matmul<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(da.data, db.data, c.data, n);
    bad += report("matmul", c.get(), want);
  }
  {
    const int w = 50, h = 35;
    std::vector<int> in(w * h), want(w * h);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        want[x * h + y] = in[y * w + x] = y * 1000 + x;
    Buffer<int> din(in), out(w * h);
    transpose<<<dim3(4, 4), dim3(16, 16)>>>(din.data, out.data, w, h);
    bad += report("transpose", out.get(), want);
  }
  {
    const int n = 10000;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> want(256);
    for (int i = 0; i < n; ++i)
      ++want[in[i] = i * i % 251];
    Buffer<unsigned char> din(in);
    Buffer<unsigned> bins(256);
    HIP(hipMemset(bins.data, 0, 256 * sizeof(unsigned)));
    histogram<<<4, 256>>>(din.data, bins.data, n);
    bad += report("histogram", bins.get(), want);
  }
  {
    std::vector<int> in(200), want(200);
    for (int i = 0, sum = 0; i < 200; ++i)
      want[i] = sum += in[i] = i % 9;
    Buffer<int> data(in);
    scan<<<1, 200, 200 * sizeof(int)>>>(data.data);
    bad += report("scan", data.get(), want);
  }
  {
    const int n = 300;
    std::vector<double> in(n), want(n);
    for (int i = 0; i < n; ++i) {
      in[i] = i * 1.25 + 0.001;
      want[i] = sqrt(in[i]) / (in[i] + 1.0) - fma(in[i], 0.5, -1.0);
    }
    Buffer<double> din(in), out(n);
    doubles<<<3, 128>>>(din.data, out.data, n);
    bad += report("doubles", out.get(), want);
  }
  {
    std::vector<int> want(64);
    for (int i = 0; i < 64; ++i) {
      int a = 0, b = 1;
      for (int k = 0; k < i % 12; ++k) {
        int c = a + b;
        a = b;
        b = c;
      }
      want[i] = a;
    }
    Buffer<int> out(64);
    recursion<<<1, 64>>>(out.data);
    bad += report("recursion", out.get(), want);
  }
  {
    std::vector<int> want(64);
    for (int i = 0; i < 64; ++i)
      want[i] = i & 1 ? 2 * i : i * i;
    Buffer<int> out(64);
    pointers<<<1, 64>>>(out.data);
    bad += report("pointers", out.get(), want);
  }
  {
    const int n = 150;
    std::vector<int> want(n);
    for (int i = 0; i < n; ++i) {
      int steps = 0;
      for (unsigned v = i + 1; v != 1; ++steps)
        v = v & 1 ? 3 * v + 1 : v / 2;
      want[i] = steps + (i % 3 == 0 ? 1000 : i % 3 == 1 ? -1000 : 0);
    }
    Buffer<int> out(n);
    diverge<<<3, 64>>>(out.data, n);
    bad += report("diverge", out.get(), want);
  }
  {
    const dim3 grid(2, 3, 2), block(5, 3, 4);
    const size_t n = 12 * 60;
    Buffer<uint3> out(n);
    places<<<grid, block>>>(out.data);
    std::vector<uint3> got = out.get();
    std::vector<unsigned> flat, want;
    size_t at = 0;
    for (unsigned gz = 0; gz < 2; ++gz)
      for (unsigned gy = 0; gy < 3; ++gy)
        for (unsigned gx = 0; gx < 2; ++gx)
          for (unsigned z = 0; z < 4; ++z)
            for (unsigned y = 0; y < 3; ++y)
              for (unsigned x = 0; x < 5; ++x, ++at) {
                flat.push_back((got[at].x * 100 + got[at].y) * 100 + got[at].z);
                want.push_back(((gx * 5 + x) * 100 + gy * 3 + y) * 100 + gz * 4 + z);
              }
    bad += report("places", flat, want);
  }
  {
    Buffer<int> flag(1), out(64);
    HIP(hipMemset(flag.data, 0, sizeof(int)));
    handoff<<<2, 64>>>(flag.data, out.data);
    bad += report("handoff", out.get(), std::vector<int>(64, 42));
  }
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
