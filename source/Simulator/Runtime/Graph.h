//===-- Graph.h - work that is written down and done later ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef WAVELANE_SIMULATOR_RUNTIME_GRAPH_H
#define WAVELANE_SIMULATOR_RUNTIME_GRAPH_H

#include "Runtime.h"

namespace wavelane {
namespace runtime {

struct GraphNode {
  /// Does the work, or enqueues it on the stream.
  using Action = std::function<hipError_t(hipStream_t)>;
  hipGraphNodeType Type = hipGraphNodeTypeEmpty;
  Action Run;                     ///< empty for an empty node
  std::vector<GraphNode *> After; ///< nodes of the same graph
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> Nodes;

  GraphNode *add(hipGraphNodeType Type, std::vector<GraphNode *> After,
                 GraphNode::Action Run);
  bool holds(const GraphNode *Node) const;
  /// The nodes, each after its dependencies; nullopt if there is no such order.
  std::optional<std::vector<const GraphNode *>> order() const;
};

/// Work on captured streams is added to a graph, from hipStreamBeginCapture to
/// hipStreamEndCapture.
struct StreamCapture {
  std::unique_ptr<Graph> Into = std::make_unique<Graph>();
  const Stream *Origin = nullptr;
  unsigned long long Id = 0;
};

/// If the stream is being captured, adds the work to the graph.
/// \return false if it isn't: the caller must do the work.
bool capture(Runtime &R, hipStream_t Handle, hipGraphNodeType Type,
             const GraphNode::Action &Run);

} // namespace runtime
} // namespace wavelane

#endif // WAVELANE_SIMULATOR_RUNTIME_GRAPH_H
