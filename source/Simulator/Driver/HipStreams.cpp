//===-- HipStreams.cpp - what a program's streams order -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HipStreams.h"

#include "HipFunction.h"
#include "HipVariables.h"
#include "Notes.h"

#include <map>
#include <mutex>

using namespace wavelane::driver;
using wavelane::simulator::OrderNote;

namespace {

constexpr uint32_t NullStream = 1;

/// The program's streams, by number.
class Streams {
public:
  uint32_t number(streams::Stream S) {
    std::lock_guard<std::mutex> Guard(Lock);
    return find(S).Number;
  }
  void created(streams::Stream S, unsigned Flags) {
    std::lock_guard<std::mutex> Guard(Lock);
    Known[S] = {++Last, !(Flags & hipStreamNonBlocking)};
  }
  void destroyed(streams::Stream S) {
    std::lock_guard<std::mutex> Guard(Lock);
    Known.erase(S);
  }
  /// What work in \a S comes after, besides its own: the null stream and
  /// blocking ones wait for each other.
  std::vector<uint32_t> before(streams::Stream S) {
    std::lock_guard<std::mutex> Guard(Lock);
    const Facts F = find(S);
    std::vector<uint32_t> Out;
    if (F.Number == NullStream) {
      for (const auto &[Other, Of] : Known)
        if (Of.IsBlocking)
          Out.push_back(Of.Number);
    } else if (F.IsBlocking) {
      Out.push_back(NullStream);
    }
    return Out;
  }

private:
  struct Facts {
    uint32_t Number;
    bool IsBlocking;
  };
  Facts find(streams::Stream S) {
    if (!S)
      return {NullStream, false};
    // The stream of the thread, which has the same name in all of them.
    if (S == hipStreamPerThread) {
      static thread_local uint32_t Own = 0;
      if (!Own) {
        Own = ++Last;
        Known[&Own] = {Own, true};
      }
      return {Own, true};
    }
    auto It = Known.find(S);
    if (It == Known.end())
      It = Known.emplace(S, Facts{++Last, true}).first;
    return It->second;
  }

  std::mutex Lock;
  std::map<streams::Stream, Facts> Known;
  uint32_t Last = NullStream;
};

Streams &all() {
  // Never destroyed: other libraries' destructors use streams.
  static auto *const Of = new Streams;
  return *Of;
}

/// The stream that the thread gives work; 0 if there is none.
thread_local uint32_t Into = 0;

void order(OrderNote::What What, uint32_t Queue, uint64_t Other = 0,
           uint64_t Ring = 0) {
  notes::order({What, Queue, Other, Ring});
}

uint64_t idOf(const void *Event) { return reinterpret_cast<uint64_t>(Event); }

} // namespace

uint32_t streams::numberOfCopy(Stream S) {
  if (!notes::followOrder())
    return 0;
  const uint32_t Number = all().number(S);
  for (uint32_t Other : all().before(S))
    order(OrderNote::StreamAfterStream, Number, Other);
  return Number;
}

streams::SubmitScope::SubmitScope(Stream S) {
  if (notes::areWanted())
    variables::noteConstants();
  Into = numberOfCopy(S);
}
streams::SubmitScope::~SubmitScope() { Into = 0; }

void streams::hostWaited(Stream S) {
  if (notes::followOrder())
    order(OrderNote::HostAfterStream, numberOfCopy(S));
}

void streams::hostWaitedForAll() {
  if (notes::followOrder())
    order(OrderNote::HostAfterAll, 0);
}

void streams::reserved(uint64_t Ring, uint64_t First, uint64_t Count) {
  if (!Into)
    return;
  for (uint64_t I = 0; I < Count; ++I)
    order(OrderNote::Launched, Into, First + I, Ring);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

FACE hipError_t hipStreamCreate(hipStream_t *S) {
  NEXT(hipStream_t *);
  const hipError_t E = Next(S);
  if (!E)
    all().created(*S, 0);
  return E;
}

FACE hipError_t hipStreamCreateWithFlags(hipStream_t *S, unsigned Flags) {
  NEXT(hipStream_t *, unsigned);
  const hipError_t E = Next(S, Flags);
  if (!E)
    all().created(*S, Flags);
  return E;
}

FACE hipError_t hipStreamCreateWithPriority(hipStream_t *S, unsigned Flags,
                                            int Priority) {
  NEXT(hipStream_t *, unsigned, int);
  const hipError_t E = Next(S, Flags, Priority);
  if (!E)
    all().created(*S, Flags);
  return E;
}

FACE hipError_t hipStreamDestroy(hipStream_t S) {
  NEXT(hipStream_t);
  const hipError_t E = Next(S);
  if (!E)
    all().destroyed(S);
  return E;
}

FACE hipError_t hipStreamSynchronize(hipStream_t S) {
  NEXT(hipStream_t);
  const hipError_t E = Next(S);
  if (!E)
    streams::hostWaited(S);
  return E;
}

FACE hipError_t hipStreamQuery(hipStream_t S) {
  NEXT(hipStream_t);
  const hipError_t E = Next(S);
  if (!E)
    streams::hostWaited(S);
  return E;
}

FACE hipError_t hipDeviceSynchronize() {
  NEXT();
  const hipError_t E = Next();
  if (!E)
    streams::hostWaitedForAll();
  return E;
}

/// The host may wait for what runs in a stream: then it has waited for all that
/// is before it.
FACE hipError_t hipStreamAddCallback(hipStream_t S, hipStreamCallback_t Do,
                                     void *Data, unsigned Flags) {
  NEXT(hipStream_t, hipStreamCallback_t, void *, unsigned);
  streams::hostWaited(S);
  return Next(S, Do, Data, Flags);
}

FACE hipError_t hipLaunchHostFunc(hipStream_t S, hipHostFn_t Do, void *Data) {
  NEXT(hipStream_t, hipHostFn_t, void *);
  streams::hostWaited(S);
  return Next(S, Do, Data);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

FACE hipError_t hipEventRecord(hipEvent_t Event, hipStream_t S) {
  NEXT(hipEvent_t, hipStream_t);
  if (notes::followOrder())
    order(OrderNote::EventAfterStream, streams::numberOfCopy(S), idOf(Event));
  return Next(Event, S);
}

FACE hipError_t hipStreamWaitEvent(hipStream_t S, hipEvent_t Event,
                                   unsigned Flags) {
  NEXT(hipStream_t, hipEvent_t, unsigned);
  const hipError_t E = Next(S, Event, Flags);
  if (!E && notes::followOrder())
    order(OrderNote::StreamAfterEvent, all().number(S), idOf(Event));
  return E;
}

#define WAIT(NAME)                                                             \
  FACE hipError_t NAME(hipEvent_t Event) {                                     \
    NEXT(hipEvent_t);                                                          \
    const hipError_t E = Next(Event);                                          \
    if (!E && notes::followOrder())                                            \
      order(OrderNote::HostAfterEvent, 0, idOf(Event));                        \
    return E;                                                                  \
  }
WAIT(hipEventSynchronize)
WAIT(hipEventQuery)
#undef WAIT

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

FACE hipError_t hipLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                                void **Arguments, size_t Shared,
                                hipStream_t S) {
  NEXT(const void *, dim3, dim3, void **, size_t, hipStream_t);
  const streams::SubmitScope Now(S);
  return Next(Function, Grid, Block, Arguments, Shared, S);
}

FACE hipError_t hipExtLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                                   void **Arguments, size_t Shared,
                                   hipStream_t S, hipEvent_t Start,
                                   hipEvent_t Stop, int Flags) {
  NEXT(const void *, dim3, dim3, void **, size_t, hipStream_t, hipEvent_t,
       hipEvent_t, int);
  hipError_t E;
  {
    const streams::SubmitScope Now(S);
    E = Next(Function, Grid, Block, Arguments, Shared, S, Start, Stop, Flags);
  }
  if (!E && Stop && notes::followOrder())
    order(OrderNote::EventAfterStream, all().number(S), idOf(Stop));
  return E;
}

FACE hipError_t hipLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                           dim3 Block, void **Arguments,
                                           unsigned Shared, hipStream_t S) {
  NEXT(const void *, dim3, dim3, void **, unsigned, hipStream_t);
  const streams::SubmitScope Now(S);
  return Next(Function, Grid, Block, Arguments, Shared, S);
}

FACE hipError_t hipModuleLaunchKernel(hipFunction_t Function, unsigned GridX,
                                      unsigned GridY, unsigned GridZ,
                                      unsigned BlockX, unsigned BlockY,
                                      unsigned BlockZ, unsigned Shared,
                                      hipStream_t S, void **Arguments,
                                      void **Extra) {
  NEXT(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
       unsigned, unsigned, hipStream_t, void **, void **);
  const streams::SubmitScope Now(S);
  return Next(Function, GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Shared, S,
              Arguments, Extra);
}

/// The kernels of a graph are taken for one after the other.
FACE hipError_t hipGraphLaunch(hipGraphExec_t Graph, hipStream_t S) {
  NEXT(hipGraphExec_t, hipStream_t);
  const streams::SubmitScope Now(S);
  return Next(Graph, S);
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

/// The beginning of hsa_queue_t.
struct Queue {
  uint32_t Type, Features;
  uint64_t Ring;
};

#define RESERVE(NAME)                                                          \
  FACE uint64_t NAME(const Queue *Q, uint64_t Count) {                         \
    static auto *const Next =                                                  \
        reinterpret_cast<uint64_t (*)(const Queue *, uint64_t)>(               \
            notes::find("libhsa-runtime64.so", __func__));                     \
    const uint64_t First = Next ? Next(Q, Count) : 0;                          \
    streams::reserved(Q->Ring, First, Count);                                  \
    return First;                                                              \
  }
RESERVE(hsa_queue_add_write_index_scacq_screl)
RESERVE(hsa_queue_add_write_index_relaxed)
RESERVE(hsa_queue_add_write_index_screlease)
#undef RESERVE
