// Kernels that are launched through a graph: one that is made node by node, and captured streams.
#include "check.h"
#include <cstring>

__global__ void add(int *data, int value) {
  int i = threadIdx.x;
  data[i] += value; // add
}

__global__ void twice(int *data) {
  data[threadIdx.x] *= 2; // twice
}

static const int n = 64;

static void count(void *times) { ++*static_cast<int *>(times); }

/// Set to 3, add 4, twice, copied back; the next launch adds another value.
static int made() {
  Buffer<int> data(n);
  std::vector<int> host(n);
  hipGraph_t graph;
  HIP(hipGraphCreate(&graph, 0));
  hipGraphNode_t set, first, second, back, call;
  hipMemsetParams fill = {};
  fill.dst = data.data;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  fill.value = 3;
  // In another order than they run.
  int calls = 0;
  hipHostNodeParams counting = {count, &calls};
  HIP(hipGraphAddHostNode(&call, graph, nullptr, 0, &counting));
  hipKernelNodeParams doubling = {dim3(n), nullptr, reinterpret_cast<void *>(twice), dim3(1), nullptr, 0};
  void *one[] = {&data.data};
  doubling.kernelParams = one;
  HIP(hipGraphAddKernelNode(&second, graph, nullptr, 0, &doubling));
  HIP(hipGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  int value = 4;
  void *two[] = {&data.data, &value};
  hipKernelNodeParams adding = doubling;
  adding.func = reinterpret_cast<void *>(add);
  adding.kernelParams = two;
  HIP(hipGraphAddKernelNode(&first, graph, &set, 1, &adding));
  value = 0; // the node has its own
  HIP(hipGraphAddDependencies(graph, &first, &second, 1));
  HIP(hipGraphAddMemcpyNode1D(&back, graph, &second, 1, host.data(), data.data, n * sizeof(int),
                              hipMemcpyDeviceToHost));
  size_t nodes = 0, roots = 0;
  HIP(hipGraphGetNodes(graph, nullptr, &nodes));
  HIP(hipGraphGetRootNodes(graph, nullptr, &roots));
  hipGraphExec_t ready;
  HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  HIP(hipStreamCreate(&stream));
  HIP(hipGraphLaunch(ready, stream));
  HIP(hipStreamSynchronize(stream));
  int bad = report("made", host, std::vector<int>(n, 14));
  value = 7;
  HIP(hipGraphExecKernelNodeSetParams(ready, first, &adding));
  HIP(hipGraphLaunch(ready, stream));
  HIP(hipStreamSynchronize(stream));
  bad += report("changed", host, std::vector<int>(n, 20));
  // A circle has no order.
  HIP(hipGraphAddDependencies(graph, &back, &set, 1));
  hipGraphExec_t none;
  bad += hipGraphInstantiate(&none, graph, nullptr, nullptr, 0) != hipErrorInvalidValue;
  HIP(hipGraphExecDestroy(ready));
  HIP(hipGraphDestroy(graph));
  bad += hipGraphLaunch(ready, stream) != hipErrorInvalidValue;
  HIP(hipStreamDestroy(stream));
  printf("%zu nodes, %zu at the beginning, %d calls\n", nodes, roots, calls);
  return bad;
}

/// A stream, and another that joins it by events.
static int captured() {
  Buffer<int> data(std::vector<int>(n, 1)), other(n);
  std::vector<int> host(n), side(n);
  hipStream_t stream, second;
  HIP(hipStreamCreate(&stream));
  HIP(hipStreamCreate(&second));
  hipEvent_t fork, join;
  HIP(hipEventCreate(&fork));
  HIP(hipEventCreate(&join));
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  add<<<1, n, 0, stream>>>(data.data, 5);
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(second, fork, 0));
  HIP(hipMemsetAsync(other.data, 0, n * sizeof(int), second));
  add<<<1, n, 0, second>>>(other.data, 9);
  HIP(hipEventRecord(join, second));
  twice<<<1, n, 0, stream>>>(data.data);
  hipGraph_t graph;
  HIP(hipStreamWaitEvent(stream, join, 0));
  HIP(hipMemcpyAsync(host.data(), data.data, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  HIP(hipMemcpyAsync(side.data(), other.data, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  HIP(hipStreamEndCapture(stream, &graph));
  hipStreamCaptureStatus status;
  HIP(hipStreamIsCapturing(second, &status));
  int bad = report("ended", std::vector<int>{status}, std::vector<int>{hipStreamCaptureStatusNone});
  // Nothing has run yet.
  bad += report("before", data.get(), std::vector<int>(n, 1));
  hipGraphExec_t ready;
  HIP(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
  HIP(hipGraphDestroy(graph));
  for (int k = 0; k < 2; ++k)
    HIP(hipGraphLaunch(ready, 0));
  HIP(hipDeviceSynchronize());
  bad += report("captured", host, std::vector<int>(n, 34));
  bad += report("other stream", side, std::vector<int>(n, 9));
  // Work that isn't joined.
  HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  HIP(hipEventRecord(fork, stream));
  HIP(hipStreamWaitEvent(second, fork, 0));
  add<<<1, n, 0, second>>>(data.data, 1);
  bad += report("not joined", std::vector<int>{hipStreamEndCapture(stream, &graph)},
                std::vector<int>{hipErrorStreamCaptureUnjoined});
  // Nothing can be waited for while it is only captured.
  hipStream_t third;
  HIP(hipStreamCreate(&third));
  HIP(hipStreamBeginCapture(third, hipStreamCaptureModeGlobal));
  bad += report("waiting", std::vector<int>{hipStreamSynchronize(third)},
                std::vector<int>{hipErrorStreamCaptureUnsupported});
  (void)hipStreamEndCapture(third, &graph);
  HIP(hipGraphExecDestroy(ready));
  HIP(hipStreamDestroy(stream));
  HIP(hipStreamDestroy(second));
  return bad;
}

int main(int argc, char **argv) {
  int bad = argc > 1 && !strcmp(argv[1], "captured") ? captured() : made();
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad != 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
