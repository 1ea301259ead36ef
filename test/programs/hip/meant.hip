// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invalid accesses whose addresses are nearer to other memory than to what the source means, and the same without them ("clean").
// A finding names what the source means; check_bugs.py reads the comments.
#include "check.h"

#include <cstring>

// BUG: far invalid-global-access in[268435456] 0-31
__global__ void far(const int *in, int *out, int at) {
  out[threadIdx.x] = in[at + threadIdx.x]; // LINE: far
}

// BUG: wrapped invalid-global-access in[4294967295] 0
__global__ void wrapped(const int *in, int *out, unsigned at) {
  out[threadIdx.x] = in[threadIdx.x ? threadIdx.x : at - 1]; // LINE: wrapped
}

// BUG: written invalid-global-access out[-268435456] 0-31
__global__ void written(int *out, int at) {
  out[at] += 1; // LINE: written
}

struct Node {
  int key[3], value;
  Node *next;
};
// A pointer that no argument is.
// BUG: followed invalid-global-access at->value 0-31
__global__ void followed(const Node *first, int *out) {
  const Node *at = first->next;
  at = at->next;
  out[threadIdx.x] = at->value; // LINE: followed
}

// A member that is an array.
// BUG: array invalid-global-access at->key[1] 0-31
__global__ void array(const Node *first, int *out) {
  const Node *at = first->next->next;
  out[threadIdx.x] = at->key[1]; // LINE: array
}

// BUG: stored invalid-global-access at->next 0-31
__global__ void stored(Node *first) {
  Node *at = first->next;
  at->next = first; // LINE: stored
}

// BUG: moved invalid-global-access * 0-31
__global__ void moved(const int *in, int *out, int by) {
  const int *at = in + by;
  out[threadIdx.x] = *at; // LINE: moved
}

struct Arrays {
  int count;
  const float *in;
  float *out;
};
// A member of an argument, and of a reference's object.
// BUG: members invalid-global-access all.in[268435456] 0-31
__global__ void members(Arrays all, int at) {
  all.out[threadIdx.x] = all.in[at]; // LINE: members
}

__device__ float take(const float *from, int at) {
  return from[at]; // LINE: inlined
}
// BUG: inlined invalid-global-access from 0-31
__global__ void inlined(const float *in, float *out, int at) {
  out[threadIdx.x] = take(in, at);
}

// BUG: rows invalid-global-access in[67108867][0] 0-31
__global__ void rows(const int (*in)[4], int *out, int at) {
  out[threadIdx.x] = in[3][at + threadIdx.x]; // LINE: rows
}

// The pointer to the row is read by the same expression.
// BUG: pointers invalid-global-access - 0-31
__global__ void pointers(int *const *in, int *out, int at) {
  out[threadIdx.x] = in[1][at]; // LINE: pointers
}

// BUG: added invalid-global-access counts[268435456] 0-31
__global__ void added(int *counts, int at) {
  atomicAdd(&counts[at + threadIdx.x], 1); // LINE: added
}

// BUG: freed use-after-free in[3] 0-31
__global__ void freed(const int *other, const int *in, int *out) {
  out[threadIdx.x] = other[0] + in[3]; // LINE: freed
}

template <typename T> static T *make(size_t count) {
  T *p = nullptr;
  HIP(hipMalloc(&p, count * sizeof(T)));
  HIP(hipMemset(p, 0, count * sizeof(T)));
  return p;
}

static void run(const char *what, bool bad) {
  constexpr int Count = 1024, Far = 1 << 28;
  // Many, one behind the other.
  int *all[16];
  for (int *&one : all)
    one = make<int>(Count);
  int *const in = all[2], *const out = all[14];
  float *const floats = reinterpret_cast<float *>(in);
  int *nodes = make<int>(Count);
  Node *const first = reinterpret_cast<Node *>(nodes);
  const Node list[2] = {{{1, 2, 3}, 4, first + 1}, {{5, 6, 7}, 8, bad ? reinterpret_cast<Node *>(out + Far) : first}};
  HIP(hipMemcpy(first, list, sizeof(list), hipMemcpyHostToDevice));
  if (!strcmp(what, "far"))
    far<<<1, 32>>>(in, out, bad ? Far : 3);
  else if (!strcmp(what, "wrapped"))
    wrapped<<<1, 32>>>(in, out, bad ? 0 : 1);
  else if (!strcmp(what, "written"))
    written<<<1, 32>>>(out, bad ? -Far : 3);
  else if (!strcmp(what, "followed"))
    followed<<<1, 32>>>(first, out);
  else if (!strcmp(what, "array"))
    array<<<1, 32>>>(first, out);
  else if (!strcmp(what, "stored"))
    stored<<<1, 32>>>(first + (bad ? 1 : 0));
  else if (!strcmp(what, "moved"))
    moved<<<1, 32>>>(in, out, bad ? Far : 3);
  else if (!strcmp(what, "members"))
    members<<<1, 32>>>({1, floats, reinterpret_cast<float *>(out)}, bad ? Far : 3);
  else if (!strcmp(what, "inlined"))
    inlined<<<1, 32>>>(floats, reinterpret_cast<float *>(out), bad ? Far : 3);
  else if (!strcmp(what, "rows"))
    rows<<<1, 32>>>(reinterpret_cast<int(*)[4]>(in), out, bad ? Far : 3);
  else if (!strcmp(what, "pointers")) {
    HIP(hipMemcpy(nodes, all, sizeof(all), hipMemcpyHostToDevice));
    pointers<<<1, 32>>>(reinterpret_cast<int *const *>(nodes), out, bad ? Far : 3);
  } else if (!strcmp(what, "added"))
    added<<<1, 32>>>(out, bad ? Far : 3);
  else if (!strcmp(what, "freed")) {
    if (bad)
      HIP(hipFree(in));
    freed<<<1, 32>>>(out, in, all[3]);
  }
  (void)hipDeviceSynchronize();
  for (int *one : all)
    if (one != in || !bad || strcmp(what, "freed"))
      HIP(hipFree(one));
  HIP(hipFree(nodes));
}

static const char *const all[] = {"far",     "wrapped", "written",  "followed", "stored", "array",
                                  "moved",   "members", "inlined",  "rows",     "pointers",
                                  "added",   "freed"};

int main(int count_, char **arguments) {
  const bool bad = count_ < 3 || strcmp(arguments[2], "clean") != 0;
  const char *what = count_ > 1 ? arguments[1] : "far";
  if (strcmp(what, "all"))
    run(what, bad);
  else
    for (const char *one : all)
      run(one, bad);
}
