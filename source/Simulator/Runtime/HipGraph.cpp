//===-- HipGraph.cpp - graphs, and streams captured into them -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch executes a graph's nodes one after the other on the launch's stream,
// in an order that their dependencies allow. A node is a function that was
// created when the node was added, with a copy of the kernel's arguments.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "HipApi.h"

#include <algorithm>

using namespace wavelane::runtime;

namespace {
/// An instantiated graph: a copy of the nodes in their order.
struct GraphExec {
  struct Step {
    const GraphNode *Origin;
    hipGraphNodeType Type;
    GraphNode::Action Run;
    std::vector<unsigned> After; ///< indices of steps
  };
  std::vector<Step> Steps;

  explicit GraphExec(const std::vector<const GraphNode *> &Order) {
    std::map<const GraphNode *, unsigned> IndexOf;
    for (const GraphNode *N : Order) {
      Steps.push_back({N, N->Type, N->Run, {}});
      for (const GraphNode *Before : N->After)
        Steps.back().After.push_back(IndexOf[Before]);
      IndexOf[N] = unsigned(Steps.size() - 1);
    }
  }
  hipError_t launch(Runtime &R, const Queue &Q, hipStream_t On) const {
    for (size_t I = 0; I < Steps.size(); ++I) {
      const Step &S = Steps[I];
      const notes::Node Scope(R, Q, unsigned(I), S.After);
      if (S.Run)
        if (hipError_t E = S.Run(On))
          return E;
    }
    notes::Node::graphEnds(R, Q, Steps.size());
    return hipSuccess;
  }
};

/// Objects that programs hold handles of.
struct Known {
  std::mutex Lock;
  std::set<Graph *> Graphs;
  std::set<GraphExec *> Execs;
  unsigned long long LastCapture = 0;
};
Known &known() {
  static Known *The = new Known; // like the runtime, it outlives static
                                 // destructors
  return *The;
}

Graph *graph(hipGraph_t Handle) {
  auto *G = reinterpret_cast<Graph *>(Handle);
  std::lock_guard<std::mutex> Guard(known().Lock);
  return known().Graphs.count(G) ? G : nullptr;
}
GraphExec *exec(hipGraphExec_t Handle) {
  auto *E = reinterpret_cast<GraphExec *>(Handle);
  std::lock_guard<std::mutex> Guard(known().Lock);
  return known().Execs.count(E) ? E : nullptr;
}
hipGraph_t handle(Graph *G) { return reinterpret_cast<hipGraph_t>(G); }
hipGraphNode_t handle(GraphNode *N) {
  return reinterpret_cast<hipGraphNode_t>(N);
}
/// The graph that contains the node.
Graph *owner(hipGraphNode_t Node) {
  const auto *N = reinterpret_cast<const GraphNode *>(Node);
  std::lock_guard<std::mutex> Guard(known().Lock);
  for (Graph *G : known().Graphs)
    if (G->holds(N))
      return G;
  return nullptr;
}

Graph *keep(std::unique_ptr<Graph> G) {
  std::lock_guard<std::mutex> Guard(known().Lock);
  known().Graphs.insert(G.get());
  return G.release();
}

/// Adds a node for one of the hipGraphAdd functions.
hipError_t add(hipGraphNode_t *Out, hipGraph_t Handle,
               const hipGraphNode_t *After, size_t Count, hipGraphNodeType Type,
               GraphNode::Action Run) {
  Graph *G = graph(Handle);
  if (!Out || !G || (Count && !After))
    return hipErrorInvalidValue;
  std::vector<GraphNode *> Before;
  for (size_t I = 0; I < Count; ++I) {
    auto *N = reinterpret_cast<GraphNode *>(After[I]);
    if (!G->holds(N))
      return hipErrorInvalidValue;
    Before.push_back(N);
  }
  *Out = handle(G->add(Type, std::move(Before), std::move(Run)));
  return hipSuccess;
}

/// The work of a kernel node.
hipError_t kernelAction(Runtime &R, const hipKernelNodeParams *P,
                        GraphNode::Action &Out) {
  if (!P)
    return hipErrorInvalidValue;
  const Kernel *K = nullptr;
  if (hipError_t E = R.findKernel(P->func, K))
    return E;
  Arguments Given = {P->kernelParams};
  if (hipError_t E = readExtra(P->extra, Given))
    return E;
  std::vector<uint8_t> Block(K->KernargSize);
  if (!packArguments(*K, Given, Block.data(), Block.size()))
    return hipErrorInvalidValue;
  Out = [&R, K, Grid = P->gridDim, Group = P->blockDim,
         Shared = P->sharedMemBytes, Block](hipStream_t On) {
    return launchKernel(R, *K, Grid, Group,
                        {nullptr, Block.data(), Block.size()}, Shared, On);
  };
  return hipSuccess;
}

hipError_t list(std::vector<hipGraphNode_t> All, hipGraphNode_t *Nodes,
                size_t *Count) {
  if (!Count)
    return hipErrorInvalidValue;
  if (Nodes) {
    std::copy_n(All.begin(), std::min(*Count, All.size()), Nodes);
    if (*Count > All.size())
      std::fill(Nodes + All.size(), Nodes + *Count, nullptr);
  }
  *Count = Nodes ? std::min(*Count, All.size()) : All.size();
  return hipSuccess;
}
} // namespace

GraphNode *Graph::add(hipGraphNodeType Type, std::vector<GraphNode *> After,
                      GraphNode::Action Run) {
  Nodes.push_back(std::make_unique<GraphNode>());
  *Nodes.back() = {Type, std::move(Run), std::move(After)};
  return Nodes.back().get();
}

bool Graph::holds(const GraphNode *Node) const {
  return std::any_of(Nodes.begin(), Nodes.end(),
                     [Node](auto &N) { return N.get() == Node; });
}

std::optional<std::vector<const GraphNode *>> Graph::order() const {
  std::vector<const GraphNode *> Order;
  std::set<const GraphNode *> Placed;
  while (Order.size() < Nodes.size()) {
    const size_t Before = Order.size();
    for (auto &N : Nodes)
      if (!Placed.count(N.get()) &&
          std::all_of(N->After.begin(), N->After.end(),
                      [&](GraphNode *A) { return Placed.count(A); })) {
        Placed.insert(N.get());
        Order.push_back(N.get());
      }
    if (Order.size() == Before)
      return std::nullopt;
  }
  return Order;
}

bool wavelane::runtime::capture(Runtime &R, hipStream_t Handle,
                                hipGraphNodeType Type,
                                const GraphNode::Action &Run) {
  Stream *S = R.resolve(Handle);
  if (!S || !S->Capture)
    return false;
  std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
  S->Tail = {S->Capture->Into->add(Type, S->Tail, Run)};
  return true;
}

extern "C" {

hipError_t hipGraphCreate(hipGraph_t *Out, unsigned Flags) {
  if (!Out || Flags)
    return done(hipErrorInvalidValue);
  *Out = handle(keep(std::make_unique<Graph>()));
  return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t Handle) {
  Graph *G = graph(Handle);
  if (!G)
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> Guard(known().Lock);
  known().Graphs.erase(G);
  delete G;
  return hipSuccess;
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t *Out, hipGraph_t G,
                                 const hipGraphNode_t *After, size_t Count,
                                 const hipKernelNodeParams *P) {
  HIP_READY(R);
  GraphNode::Action Run;
  HIP_TRY(kernelAction(R, P, Run));
  return done(
      add(Out, G, After, Count, hipGraphNodeTypeKernel, std::move(Run)));
}

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t Node,
                                       const hipKernelNodeParams *P) {
  HIP_READY(R);
  auto *N = reinterpret_cast<GraphNode *>(Node);
  if (!owner(Node) || N->Type != hipGraphNodeTypeKernel)
    return done(hipErrorInvalidValue);
  return done(kernelAction(R, P, N->Run));
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t Handle,
                                           hipGraphNode_t Node,
                                           const hipKernelNodeParams *P) {
  HIP_READY(R);
  GraphExec *E = exec(Handle);
  if (!E)
    return done(hipErrorInvalidValue);
  for (GraphExec::Step &S : E->Steps)
    if (S.Type == hipGraphNodeTypeKernel && S.Origin &&
        S.Origin == reinterpret_cast<GraphNode *>(Node))
      return done(kernelAction(R, P, S.Run));
  return done(hipErrorInvalidValue);
}

hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *Out, hipGraph_t G,
                                 const hipGraphNode_t *After, size_t Count,
                                 const hipMemcpy3DParms *P) {
  if (!P)
    return done(hipErrorInvalidValue);
  return done(
      add(Out, G, After, Count, hipGraphNodeTypeMemcpy,
          [Copy = *P](hipStream_t On) { return hipMemcpy3DAsync(&Copy, On); }));
}

hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *Out, hipGraph_t G,
                                   const hipGraphNode_t *After, size_t Count,
                                   void *To, const void *From, size_t Size,
                                   hipMemcpyKind Kind) {
  return done(
      add(Out, G, After, Count, hipGraphNodeTypeMemcpy1D, [=](hipStream_t On) {
        return hipMemcpyAsync(To, From, Size, Kind, On);
      }));
}

hipError_t hipGraphAddMemsetNode(hipGraphNode_t *Out, hipGraph_t G,
                                 const hipGraphNode_t *After, size_t Count,
                                 const hipMemsetParams *P) {
  if (!P || (P->elementSize != 1 && P->elementSize != 2 && P->elementSize != 4))
    return done(hipErrorInvalidValue);
  return done(add(
      Out, G, After, Count, hipGraphNodeTypeMemset, [Set = *P](hipStream_t On) {
        for (size_t Y = 0; Y < std::max<size_t>(Set.height, 1); ++Y) {
          void *Row = static_cast<char *>(Set.dst) + Y * Set.pitch;
          const hipError_t E =
              Set.elementSize == 1
                  ? hipMemsetD8Async(Row, uint8_t(Set.value), Set.width, On)
              : Set.elementSize == 2
                  ? hipMemsetD16Async(Row, uint16_t(Set.value), Set.width, On)
                  : hipMemsetD32Async(Row, int(Set.value), Set.width, On);
          if (E)
            return E;
        }
        return hipSuccess;
      }));
}

hipError_t hipGraphAddHostNode(hipGraphNode_t *Out, hipGraph_t G,
                               const hipGraphNode_t *After, size_t Count,
                               const hipHostNodeParams *P) {
  if (!P || !P->fn)
    return done(hipErrorInvalidValue);
  return done(add(Out, G, After, Count, hipGraphNodeTypeHost,
                  [Call = *P](hipStream_t On) {
                    return hipLaunchHostFunc(On, Call.fn, Call.userData);
                  }));
}

hipError_t hipGraphAddEmptyNode(hipGraphNode_t *Out, hipGraph_t G,
                                const hipGraphNode_t *After, size_t Count) {
  return done(add(Out, G, After, Count, hipGraphNodeTypeEmpty, nullptr));
}

hipError_t hipGraphInstantiate(hipGraphExec_t *Out, hipGraph_t Handle,
                               hipGraphNode_t *ErrorNode, char *Log,
                               size_t LogSize) {
  Graph *G = graph(Handle);
  if (!Out || !G)
    return done(hipErrorInvalidValue);
  if (ErrorNode)
    *ErrorNode = nullptr;
  if (Log && LogSize)
    *Log = 0;
  const auto Order = G->order();
  if (!Order)
    return done(hipErrorInvalidValue);
  auto E = std::make_unique<GraphExec>(*Order);
  std::lock_guard<std::mutex> Guard(known().Lock);
  known().Execs.insert(E.get());
  *Out = reinterpret_cast<hipGraphExec_t>(E.release());
  return hipSuccess;
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *Out, hipGraph_t G,
                                        unsigned long long) {
  return hipGraphInstantiate(Out, G, nullptr, nullptr, 0);
}

hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *Out, hipGraph_t G,
                                     const hipGraphNode_t *After, size_t Count,
                                     hipGraph_t Child) {
  HIP_READY(R);
  Graph *C = graph(Child);
  const auto Order = C ? C->order() : std::nullopt;
  if (!Order || Child == G)
    return done(hipErrorInvalidValue);
  // Its nodes can't be changed by hipGraphExecKernelNodeSetParams.
  GraphExec Steps(*Order);
  for (GraphExec::Step &S : Steps.Steps)
    S.Origin = nullptr;
  return done(add(
      Out, G, After, Count, hipGraphNodeTypeGraph, [Steps, &R](hipStream_t On) {
        const Stream *S = R.resolve(On);
        return S ? Steps.launch(R, *S->Q, On) : hipErrorInvalidHandle;
      }));
}

hipError_t hipGraphAddDependencies(hipGraph_t Handle,
                                   const hipGraphNode_t *From,
                                   const hipGraphNode_t *To, size_t Count) {
  Graph *G = graph(Handle);
  if (!G || (Count && (!From || !To)))
    return done(hipErrorInvalidValue);
  for (size_t I = 0; I < Count; ++I) {
    auto *A = reinterpret_cast<GraphNode *>(From[I]);
    auto *B = reinterpret_cast<GraphNode *>(To[I]);
    if (!G->holds(A) || !G->holds(B) || A == B)
      return done(hipErrorInvalidValue);
    B->After.push_back(A);
  }
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t Handle, hipGraphNode_t *Nodes,
                            size_t *Count) {
  Graph *G = graph(Handle);
  if (!G)
    return done(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> All;
  for (auto &N : G->Nodes)
    All.push_back(handle(N.get()));
  return done(list(std::move(All), Nodes, Count));
}

hipError_t hipGraphGetRootNodes(hipGraph_t Handle, hipGraphNode_t *Nodes,
                                size_t *Count) {
  Graph *G = graph(Handle);
  if (!G)
    return done(hipErrorInvalidValue);
  std::vector<hipGraphNode_t> Roots;
  for (auto &N : G->Nodes)
    if (N->After.empty())
      Roots.push_back(handle(N.get()));
  return done(list(std::move(Roots), Nodes, Count));
}

hipError_t hipGraphNodeGetType(hipGraphNode_t Node, hipGraphNodeType *Type) {
  if (!Type || !owner(Node))
    return done(hipErrorInvalidValue);
  *Type = reinterpret_cast<GraphNode *>(Node)->Type;
  return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t Handle) {
  GraphExec *E = exec(Handle);
  if (!E)
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> Guard(known().Lock);
  known().Execs.erase(E);
  delete E;
  return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t Handle, hipStream_t On) {
  HIP_READY(R);
  GraphExec *E = exec(Handle);
  if (!E)
    return done(hipErrorInvalidValue);
  const Stream *S = R.resolve(On);
  if (!S)
    return done(hipErrorInvalidHandle);
  return done(E->launch(R, *S->Q, On));
}

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

hipError_t hipStreamBeginCapture(hipStream_t Handle,
                                 hipStreamCaptureMode Mode) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || unsigned(Mode) > hipStreamCaptureModeRelaxed)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  if (R.isNull(*S))
    return done(hipErrorStreamCaptureUnsupported);
  std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
  if (S->Capture)
    return done(hipErrorIllegalState);
  S->Capture = std::make_shared<StreamCapture>();
  S->Capture->Origin = S;
  S->Capture->Id = ++known().LastCapture;
  S->Tail.clear();
  return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t Handle, hipGraph_t *Out) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || !Out)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  std::lock_guard<std::recursive_mutex> Guard(R.StreamLock);
  if (!S->Capture)
    return done(hipErrorIllegalState);
  if (S->Capture->Origin != S)
    return done(hipErrorStreamCaptureUnmatched);
  const std::shared_ptr<StreamCapture> Capture = S->Capture;
  // Work of other streams must come before the end on this one.
  std::set<const GraphNode *> Joined;
  std::vector<GraphNode *> Left = S->Tail;
  while (!Left.empty()) {
    GraphNode *N = Left.back();
    Left.pop_back();
    if (Joined.insert(N).second)
      Left.insert(Left.end(), N->After.begin(), N->After.end());
  }
  for (Stream *Other : R.Streams)
    if (Other->Capture == Capture) {
      Other->Capture.reset();
      Other->Tail.clear();
    }
  *Out = nullptr;
  if (Joined.size() != Capture->Into->Nodes.size())
    return done(hipErrorStreamCaptureUnjoined);
  *Out = handle(keep(std::move(Capture->Into)));
  return hipSuccess;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t Handle,
                                   hipStreamCaptureStatus *Status,
                                   unsigned long long *Id) {
  HIP_READY(R);
  Stream *S = R.resolve(Handle);
  if (!S || !Status)
    return done(S ? hipErrorInvalidValue : hipErrorInvalidHandle);
  *Status =
      S->Capture ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
  if (Id && S->Capture)
    *Id = S->Capture->Id;
  return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t Handle,
                                hipStreamCaptureStatus *Status) {
  return hipStreamGetCaptureInfo(Handle, Status, nullptr);
}

/// A graph needs nothing on the device before its launch.
HIP_EXPORT hipError_t hipGraphUpload(hipGraphExec_t Handle, hipStream_t On) {
  HIP_READY(R);
  if (!exec(Handle))
    return done(hipErrorInvalidValue);
  return done(R.resolve(On) ? hipSuccess : hipErrorInvalidHandle);
}

} // extern "C"

// The default stream of a thread is that of all threads here (see
// Runtime::resolve).
HIP_SAME(hipGraphLaunch_spt, hipGraphLaunch);
HIP_SAME(hipStreamBeginCapture_spt, hipStreamBeginCapture);
HIP_SAME(hipStreamEndCapture_spt, hipStreamEndCapture);
HIP_SAME(hipStreamGetCaptureInfo_spt, hipStreamGetCaptureInfo);
HIP_SAME(hipStreamIsCapturing_spt, hipStreamIsCapturing);
