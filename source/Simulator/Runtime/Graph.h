//===-- Graph.h - work that is written down and done later ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_GRAPH_H
#define WAVELANE_SIMULATOR_RUNTIME_GRAPH_H

#include "Runtime.h"

namespace wavelane {
namespace runtime {

struct GraphNode {
  /// Does the work, or puts it into the stream.
  using Work = std::function<hipError_t(hipStream_t)>;
  hipGraphNodeType Type = hipGraphNodeTypeEmpty;
  Work Run;                       ///< none in an empty node
  std::vector<GraphNode *> After; ///< of the same graph
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> Nodes;

  GraphNode *add(hipGraphNodeType Type, std::vector<GraphNode *> After,
                 GraphNode::Work Run);
  bool holds(const GraphNode *Node) const;
  /// The nodes, each behind those that it comes after; nullopt if there is no
  /// such order.
  std::optional<std::vector<const GraphNode *>> order() const;
};

/// Work on some streams goes into a graph, from hipStreamBeginCapture to
/// hipStreamEndCapture.
struct StreamCapture {
  std::unique_ptr<Graph> Into = std::make_unique<Graph>();
  const Stream *Origin = nullptr;
  unsigned long long Id = 0;
};

/// If the stream is being captured, notes the work in the graph. \return false
/// if it isn't: the work is to be done.
bool capture(Runtime &R, hipStream_t Handle, hipGraphNodeType Type,
             const GraphNode::Work &Run);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_GRAPH_H
