//===-- LaneValues.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneValues.h"
#include "GPUProcess.h"
#include "Server/Condition/ClientExpression.h"
#include "Server/Wave/WaveSubject.h"
#include "llvm/Support/Endian.h"

namespace wavelane::server {

llvm::Expected<std::vector<protocol::EvaluatedWave>>
EvaluateInLanes(GPUProcess &process, const protocol::EvaluateRequest &request) {
  llvm::Expected<ClientExpression> expression =
      ClientExpression::Parse(request.Expression.Tree);
  if (!expression)
    return expression.takeError();
  if (expression->IsEmpty())
    return llvm::createStringError("the expression is empty");
  std::vector<protocol::EvaluatedWave> waves;
  for (uint64_t thread : request.Threads) {
    Wave *wave = process.FindWave(thread);
    if (!wave || wave->running)
      continue;
    WaveSubject subject(process.GetSession(), process.GetReader(),
                        process.GetMemory(), *wave);
    const uint64_t wanted = request.Lanes.value_or(subject.GetActiveLanes());
    const auto values = expression->Evaluate(subject, wanted);
    protocol::EvaluatedWave result;
    result.Thread = thread;
    std::string bits;
    for (size_t lane = 0; lane < values.size(); ++lane) {
      if (!(wanted >> lane & 1))
        continue;
      if (values[lane]) {
        result.Known |= uint64_t(1) << lane;
        if (ClientExpression::IsTrue(*values[lane]))
          result.True |= uint64_t(1) << lane;
      }
      if (request.WantsValues) {
        char bytes[sizeof(uint64_t)];
        llvm::support::endian::write64le(bytes,
                                         values[lane] ? values[lane]->Bits : 0);
        bits.append(bytes, sizeof(bytes));
      }
    }
    if (request.WantsValues)
      result.Bits = protocol::Bytes{std::move(bits)};
    waves.push_back(std::move(result));
  }
  return waves;
}

} // namespace wavelane::server
