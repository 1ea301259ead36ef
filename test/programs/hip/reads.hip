// What lanes read apart: a large object of each lane's own, and lists whose elements are far from each other.
#include "check.h"

struct Own {
  int head;
  float values[100];
  short tail[8];
};
struct Node {
  int value;
  Node *next;
};

__global__ void reads(int *out, Node *nodes) {
  int i = threadIdx.x;
  Own own = {};
  own.head = i;
  for (int k = 0; k < 100; ++k)
    own.values[k] = i + k;
  own.tail[7] = -i;
  Node *node = nodes + i * 997;
  out[i] = own.head + int(own.values[99]) + own.tail[7] + node->value + node->next->value; // reads
}

int main() {
  const int n = 64, apart = 997;
  Buffer<int> out(n);
  Buffer<Node> nodes(n * apart);
  std::vector<Node> host(n * apart);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    const int next = (i * 7 + 3) % n * apart + 400;
    host[i * apart] = {i * 3, nodes.data + next};
    host[next].value = next;
    want[i] = i + i + 99 - i + i * 3 + next;
  }
  HIP(hipMemcpy(nodes.data, host.data(), host.size() * sizeof(Node), hipMemcpyHostToDevice));
  reads<<<1, n>>>(out.data, nodes.data);
  HIP(hipDeviceSynchronize());
  return report("reads", out.get(), want);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
