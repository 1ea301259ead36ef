// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everyday kernels, as HIP and as OpenCL: workgroups of 256, four arguments
// each.
#ifdef __OPENCL_VERSION__
#define KERNEL(NAME)                                                           \
  __kernel void NAME(uint n, GLOBAL uint *a, GLOBAL uint *b, GLOBAL uint *c)
#define GLOBAL __global
#define SHARED __local
#define HELPER static
#define ITEM ((uint)get_local_id(0))
#define GROUP ((uint)get_group_id(0))
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
#define COUNT_UP(P) atomic_inc(P)
#define ADD_TO(P, V) atomic_add(P, V)
#define AS_FLOAT(V) as_float(V)
#define AS_UINT(V) as_uint(V)
#else
typedef unsigned int uint;
#define KERNEL(NAME)                                                           \
  extern "C" __global__ void NAME(uint n, uint *a, uint *b, uint *c)
#define GLOBAL
#define SHARED __shared__
#define HELPER static __device__
#define ITEM (threadIdx.x)
#define GROUP (blockIdx.x)
#define MEET __syncthreads()
#define COUNT_UP(P) atomicAdd(P, 1u)
#define ADD_TO(P, V) atomicAdd(P, V)
#define AS_FLOAT(V) __uint_as_float(V)
#define AS_UINT(V) __float_as_uint(V)
#define exp expf
#define log logf
#define sqrt sqrtf
#define rsqrt rsqrtf
#define fabs fabsf
#define fmax fmaxf
#endif
#define SIZE 256
#define AT (GROUP * SIZE + ITEM)

// A vector plus a multiple of another one.
KERNEL(axpy) {
  const uint i = AT;
  if (i < n)
    b[i] = AS_UINT(AS_FLOAT(a[i]) * 1.75f + AS_FLOAT(b[i]));
}

// A product of n by n matrices, by tiles of 16 by 16.
KERNEL(matmul) {
  SHARED float left[SIZE], right[SIZE];
  const uint x = ITEM & 15, y = ITEM >> 4, tiles = n / 16;
  const uint column = GROUP % tiles * 16 + x, row = GROUP / tiles * 16 + y;
  float sum = 0;
  for (uint tile = 0; tile < n; tile += 16) {
    left[ITEM] = AS_FLOAT(a[row * n + tile + x]);
    right[ITEM] = AS_FLOAT(b[(tile + y) * n + column]);
    MEET;
    for (uint k = 0; k < 16; ++k)
      sum += left[y * 16 + k] * right[k * 16 + x];
    MEET;
  }
  c[row * n + column] = AS_UINT(sum);
}

// The sums of 1024 numbers each.
KERNEL(total) {
  SHARED float part[SIZE];
  float sum = 0;
  for (uint k = 0; k < 4; ++k)
    sum += AS_FLOAT(a[GROUP * 4 * SIZE + k * SIZE + ITEM]);
  part[ITEM] = sum;
  for (uint by = SIZE / 2; by; by /= 2) {
    MEET;
    if (ITEM < by)
      part[ITEM] += part[ITEM + by];
  }
  if (ITEM == 0)
    b[GROUP] = AS_UINT(part[0]);
}

// How often each byte is the last of a word.
KERNEL(buckets) {
  SHARED uint count[SIZE];
  count[ITEM] = 0;
  MEET;
  for (uint k = 0; k < 16; ++k)
    COUNT_UP(&count[a[(GROUP * 16 + k) * SIZE + ITEM] & 255]);
  MEET;
  ADD_TO(&b[ITEM], count[ITEM]);
}

// The sums of all numbers up to each, in each workgroup.
KERNEL(prefix) {
  SHARED uint sums[SIZE];
  sums[ITEM] = a[AT];
  MEET;
  for (uint by = 1; by < SIZE; by *= 2) {
    const uint before = ITEM < by ? 0 : sums[ITEM - by];
    MEET;
    sums[ITEM] += before;
    MEET;
  }
  b[AT] = sums[ITEM];
}

// Each inner point of a plane, n wide, and its neighbors.
KERNEL(neighbors) {
  const uint i = AT, x = i % n, y = i / n;
  if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
    return;
  const float around = AS_FLOAT(a[i - 1]) + AS_FLOAT(a[i + 1]) +
                       AS_FLOAT(a[i - n]) + AS_FLOAT(a[i + n]);
  b[i] = AS_UINT(AS_FLOAT(a[i]) + 0.2f * around);
}

// Each body is drawn to all others: x, y, z and mass.
KERNEL(bodies) {
  SHARED float near[4 * SIZE];
  const float x = AS_FLOAT(a[4 * AT]), y = AS_FLOAT(a[4 * AT + 1]),
              z = AS_FLOAT(a[4 * AT + 2]);
  float fx = 0, fy = 0, fz = 0;
  for (uint first = 0; first < n; first += SIZE) {
    for (uint k = 0; k < 4 * SIZE; k += SIZE)
      near[k + ITEM] = AS_FLOAT(a[4 * first + k + ITEM]);
    MEET;
    for (uint k = 0; k < SIZE; ++k) {
      const float dx = near[4 * k] - x, dy = near[4 * k + 1] - y,
                  dz = near[4 * k + 2] - z;
      const float inverse = rsqrt(0.02f + dx * dx + dy * dy + dz * dz);
      const float pull = near[4 * k + 3] * inverse * inverse * inverse;
      fx += pull * dx;
      fy += pull * dy;
      fz += pull * dz;
    }
    MEET;
  }
  b[4 * AT] = AS_UINT(fx);
  b[4 * AT + 1] = AS_UINT(fy);
  b[4 * AT + 2] = AS_UINT(fz);
}

// The price of an option, by Black and Scholes.
HELPER float normal(float v) {
  const float t = 1 / (1 + 0.2316419f * fabs(v));
  const float tail =
      t *
      (0.3193815f +
       t * (-0.3565638f + t * (1.781478f + t * (-1.821256f + t * 1.330274f))));
  const float below = 0.3989423f * exp(-v * v / 2) * tail;
  return v > 0 ? 1 - below : below;
}
KERNEL(option) {
  const float price = 10 + 20 * AS_FLOAT(a[AT]),
              strike = 5 + 40 * AS_FLOAT(b[AT]),
              years = 0.5f + 4 * AS_FLOAT(a[AT]);
  const float spread = 0.25f * sqrt(years),
              up = (log(price / strike) + 0.05f * years) / spread + spread / 2;
  c[AT] = AS_UINT(price * normal(up) -
                  strike * exp(-0.05f * years) * normal(up - spread));
}

// How fast a point of the plane, n wide, escapes.
KERNEL(escape) {
  const float u = 3.0f * (float)(AT % n) / (float)n - 2.1f,
              v = 2.6f * (float)(AT / n) / (float)n - 1.3f;
  float x = 0, y = 0;
  uint steps = 0;
  for (; steps < 200 && x * x + y * y <= 4; ++steps) {
    const float next = x * x - y * y + u;
    y = 2 * x * y + v;
    x = next;
  }
  b[AT] = steps;
}

// A matrix of bytes, n rows, by a vector of 1024.
HELPER int byteOf(uint word, uint k) {
  return (int)(word << (24 - 8 * k)) >> 24;
}
KERNEL(bytes) {
  int sum = 0;
  for (uint k = 0; k < 256; ++k) {
    const uint one = a[k * n + AT], other = c[k];
#if defined(__gfx90a__)
    sum = __builtin_amdgcn_sdot4((int)one, (int)other, sum, false);
#elif defined(__gfx1100__)
    sum = __builtin_amdgcn_sudot4(true, (int)one, true, (int)other, sum, false);
#else
    for (uint byte = 0; byte < 4; ++byte)
      sum += byteOf(one, byte) * byteOf(other, byte);
#endif
  }
  b[AT] = (uint)sum;
}

// Rows of 1024 become shares of their sum.
KERNEL(shares) {
  SHARED float part[SIZE];
  float v[4], most = -100, sum = 0;
  for (uint k = 0; k < 4; ++k) {
    v[k] = AS_FLOAT(a[GROUP * 4 * SIZE + k * SIZE + ITEM]);
    most = fmax(most, v[k]);
  }
  for (uint pass = 0; pass < 2; ++pass) {
    part[ITEM] = pass ? sum : most;
    for (uint by = SIZE / 2; by; by /= 2) {
      MEET;
      if (ITEM < by)
        part[ITEM] = pass ? part[ITEM] + part[ITEM + by]
                          : fmax(part[ITEM], part[ITEM + by]);
    }
    MEET;
    const float whole = part[0];
    MEET;
    for (uint k = 0; k < 4; ++k)
      if (pass)
        b[GROUP * 4 * SIZE + k * SIZE + ITEM] = AS_UINT(v[k] / whole);
      else
        sum += v[k] = exp(v[k] - whole);
  }
}

// Words to their digit's place, in each workgroup's 1024: a pass of a radix
// sort.
KERNEL(digits) {
  SHARED uint count[16], first[16];
  if (ITEM < 16)
    count[ITEM] = 0;
  MEET;
  for (uint k = 0; k < 4; ++k)
    COUNT_UP(&count[a[GROUP * 4 * SIZE + k * SIZE + ITEM] >> n & 15]);
  MEET;
  if (ITEM == 0) {
    uint sum = 0;
    for (uint digit = 0; digit < 16; ++digit) {
      first[digit] = sum;
      sum += count[digit];
    }
  }
  MEET;
  for (uint k = 0; k < 4; ++k) {
    const uint word = a[GROUP * 4 * SIZE + k * SIZE + ITEM];
    b[GROUP * 4 * SIZE + COUNT_UP(&first[word >> n & 15])] = word;
  }
}

// 64 rounds of a hash's kind of arithmetic, unrolled.
HELPER uint turned(uint v, uint by) { return v >> by | v << (32 - by); }
KERNEL(hashes) {
  uint s[8], w[16];
  for (uint k = 0; k < 8; ++k)
    s[k] = 0x9e3779b9u * (k + 1);
  for (uint k = 0; k < 16; ++k)
    w[k] = a[k] + AT * (k + 3);
#pragma unroll
  for (uint k = 0; k < 64; ++k) {
    const uint old = w[(k + 1) & 15], late = w[(k + 14) & 15];
    w[k & 15] += w[(k + 9) & 15] +
                 (turned(old, 7) ^ turned(old, 18) ^ old >> 3) +
                 (turned(late, 17) ^ turned(late, 19) ^ late >> 10);
    const uint e = s[(4 - k) & 7], x = s[(0 - k) & 7];
    const uint one = s[(7 - k) & 7] +
                     (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                     ((e & s[(5 - k) & 7]) ^ (~e & s[(6 - k) & 7])) + w[k & 15];
    s[(3 - k) & 7] += one;
    s[(7 - k) & 7] = one + (turned(x, 2) ^ turned(x, 13) ^ turned(x, 22)) +
                     ((x & s[(1 - k) & 7]) ^ (x & s[(2 - k) & 7]) ^
                      (s[(1 - k) & 7] & s[(2 - k) & 7]));
  }
  b[AT] = s[0] ^ s[3] ^ s[6];
}
