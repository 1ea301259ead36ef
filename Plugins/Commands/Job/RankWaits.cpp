//===-- RankWaits.cpp - why a job doesn't go on ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core/Record/LaneText.h"
#include "RankMemoryWaits.h"
#include "RankObjects.h"
#include "Session/Job/HostPlace.h"
#include "Session/Job/MPICall.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/ThreadList.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <set>

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

namespace {
struct Wait {
  MPICall call;
  /// "main at ring.hip:49".
  std::string called_by;
};

/// What all ranks wait for.
class Waits {
public:
  explicit Waits(llvm::ArrayRef<RankSP> ranks, uint32_t size) {
    for (const RankSP &rank : ranks) {
      const uint32_t number = rank->GetNumber();
      m_all.insert(number);
      if (std::optional<Wait> wait = FindWait(*rank))
        m_waits.emplace(number, std::move(*wait));
      else
        m_others.push_back(rank);
    }
    // Ranks that haven't reported haven't come to a call either.
    for (uint32_t number = 0; number < size; ++number)
      if (m_all.insert(number).second)
        m_unknown.push_back(number);
    m_memory = FindMemoryWaits(ranks);
  }

  llvm::json::Array Describe() {
    llvm::json::Array array;
    DescribeCalls(array);
    for (const RankMemoryWait &wait : m_memory)
      array.push_back(wait.Describe());
    for (const llvm::json::Value &fold : FoldRanks(m_others)) {
      const llvm::json::Object &object = *fold.getAsObject();
      std::string what = object.getString("what").value_or("").str();
      const llvm::StringRef kind = object.getString("kind").value_or("");
      if (kind == "waves")
        what = FormatCount(size_t(object.getInteger("count").value_or(0)),
                           "wave") +
               " of " + what;
      else if (kind == "host")
        what = "host in " + what;
      array.push_back(llvm::json::Object{
          {"kind", "other"},
          {"what", what},
          {"ranks", llvm::json::Array(*object.getArray("ranks"))}});
    }
    if (!m_unknown.empty())
      array.push_back(
          llvm::json::Object{{"kind", "other"},
                             {"what", "not under the debugger"},
                             {"ranks", llvm::json::Array(m_unknown)}});
    for (const std::vector<uint32_t> &ranks : FindCircles())
      array.push_back(llvm::json::Object{{"kind", "circle"},
                                         {"what", "wait for each other"},
                                         {"ranks", llvm::json::Array(ranks)}});
    return array;
  }

private:
  /// The call of the thread that the user looks at or, if that is in none, of
  /// another one.
  static std::optional<Wait> FindWait(const Rank &rank) {
    ProcessSP host_sp = rank.GetProcess();
    if (rank.state != Rank::State::Stopped || !host_sp)
      return std::nullopt;
    std::vector<ThreadSP> threads{GetShownThread(*host_sp)};
    for (const ThreadSP &thread_sp : host_sp->GetThreadList().Threads())
      threads.push_back(thread_sp);
    for (const ThreadSP &thread_sp : threads) {
      if (!thread_sp)
        continue;
      const HostPlace place = HostPlace::Find(*thread_sp);
      // Libraries of MPI have threads of their own.
      if (place.function.empty())
        continue;
      if (auto call = MPICall::Find(*thread_sp))
        return Wait{std::move(*call), place.function +
                                          (place.line.empty() ? "" : " at ") +
                                          place.line};
    }
    return std::nullopt;
  }

  /// The ranks that aren't in a collective call of all.
  std::vector<uint32_t> FindMissing(const MPICall &call) const {
    std::vector<uint32_t> missing;
    for (uint32_t number : m_all) {
      auto found = m_waits.find(number);
      if (found == m_waits.end() || found->second.call.name != call.name ||
          !found->second.call.of_world)
        missing.push_back(number);
    }
    return missing;
  }

  void DescribeCalls(llvm::json::Array &array) const {
    std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> folds;
    std::vector<std::pair<std::string, std::string>> order;
    for (const auto &[number, wait] : m_waits) {
      const auto key = std::pair(wait.call.Format(), wait.called_by);
      std::vector<uint32_t> &ranks = folds[key];
      if (ranks.empty())
        order.push_back(key);
      ranks.push_back(number);
    }
    for (const auto &key : order) {
      const std::vector<uint32_t> &ranks = folds[key];
      const MPICall &call = m_waits.at(ranks.front()).call;
      llvm::json::Object object{{"kind", "call"},
                                {"what", key.first},
                                {"call", call.name},
                                {"called_by", key.second},
                                {"ranks", llvm::json::Array(ranks)}};
      if (!call.communicator.empty())
        object["communicator"] = call.communicator;
      if (call.peer && *call.peer >= 0)
        object["peer"] = *call.peer;
      if (call.tag && !call.any_tag)
        object["tag"] = *call.tag;
      llvm::json::Array messages;
      for (const MPICall::Message &message : call.messages) {
        llvm::json::Object one{{"kind", message.is_send ? "send" : "receive"},
                               {"communicator", message.communicator}};
        if (message.peer)
          one["peer"] = *message.peer;
        if (message.tag)
          one["tag"] = *message.tag;
        messages.push_back(std::move(one));
      }
      if (!messages.empty())
        object["messages"] = std::move(messages);
      if (call.kind == MPICall::Kind::Collective && call.of_world)
        object["missing"] = llvm::json::Array(FindMissing(call));
      array.push_back(std::move(object));
    }
  }

  /// Of messages that all have to come; MPI_Waitany goes on with one.
  std::vector<uint32_t> GetPeers(const MPICall &call) const {
    std::vector<uint32_t> peers;
    if (call.name != "MPI_Wait" && call.name != "MPI_Waitall")
      return peers;
    for (const MPICall::Message &message : call.messages)
      if (message.of_world && message.peer &&
          m_all.count(uint32_t(*message.peer)))
        peers.push_back(uint32_t(*message.peer));
    return peers;
  }

  /// The ranks without which a rank can't go on.
  std::vector<uint32_t> GetAwaited(uint32_t number) const {
    // Of memory that several ranks have, nobody knows who will write it.
    std::vector<uint32_t> writers;
    for (const RankMemoryWait &wait : m_memory)
      if (wait.rank == number && wait.shared && wait.shared->others.size() == 1)
        writers.push_back(wait.shared->others.front());
    if (!writers.empty() && !m_waits.count(number))
      return writers;
    auto found = m_waits.find(number);
    if (found == m_waits.end())
      return {};
    const MPICall &call = found->second.call;
    if (!call.of_world && call.kind != MPICall::Kind::Completion)
      return {};
    if (call.kind == MPICall::Kind::Collective)
      return FindMissing(call);
    if (call.kind == MPICall::Kind::Completion)
      return GetPeers(call);
    if (call.peer && *call.peer >= 0 && uint32_t(*call.peer) != number &&
        m_all.count(uint32_t(*call.peer)))
      return {uint32_t(*call.peer)};
    return {};
  }

  /// The sets of ranks that wait for each other.
  std::vector<std::vector<uint32_t>> FindCircles() const {
    std::map<uint32_t, std::vector<uint32_t>> awaited;
    for (uint32_t number : m_all)
      if (std::vector<uint32_t> of = GetAwaited(number); !of.empty())
        awaited[number] = std::move(of);
    std::map<uint32_t, std::vector<uint32_t>> awaiting;
    for (const auto &[number, of] : awaited)
      for (uint32_t other : of)
        awaiting[other].push_back(number);
    std::vector<std::vector<uint32_t>> circles;
    std::set<uint32_t> done;
    for (const auto &[number, of] : awaited) {
      if (done.count(number))
        continue;
      const std::set<uint32_t> ahead = Reach(awaited, number),
                               behind = Reach(awaiting, number);
      std::vector<uint32_t> circle;
      std::set_intersection(ahead.begin(), ahead.end(), behind.begin(),
                            behind.end(), std::back_inserter(circle));
      done.insert(circle.begin(), circle.end());
      if (circle.size() > 1)
        circles.push_back(std::move(circle));
    }
    return circles;
  }

  /// A rank, and all that it leads to.
  static std::set<uint32_t>
  Reach(const std::map<uint32_t, std::vector<uint32_t>> &edges, uint32_t from) {
    std::set<uint32_t> reached{from};
    std::vector<uint32_t> open{from};
    while (!open.empty()) {
      auto found = edges.find(open.back());
      open.pop_back();
      if (found == edges.end())
        continue;
      for (uint32_t next : found->second)
        if (reached.insert(next).second)
          open.push_back(next);
    }
    return reached;
  }

  std::set<uint32_t> m_all;
  std::map<uint32_t, Wait> m_waits;
  std::vector<RankMemoryWait> m_memory;
  std::vector<RankSP> m_others;
  std::vector<uint32_t> m_unknown;
};
} // namespace

llvm::json::Array
lldb_private::wavelane::DescribeWaits(llvm::ArrayRef<RankSP> ranks,
                                      uint32_t size) {
  return Waits(ranks, size).Describe();
}
