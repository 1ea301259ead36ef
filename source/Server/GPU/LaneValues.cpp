//===-- LaneValues.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaneValues.h"
#include "GPUProcess.h"
#include "Server/Condition/ClientExpression.h"
#include "Server/Wave/WaveSubject.h"
#include "wavelane/Protocol/Server/Packets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace wavelane::server {

llvm::Expected<llvm::json::Value>
EvaluateInLanes(GPUProcess &process, const llvm::json::Object &arguments) {
  const llvm::json::Object *object = arguments.getObject("expression");
  const llvm::json::Array *threads = arguments.getArray("threads");
  if (!object || !threads)
    return llvm::createStringError(
        "%s needs {\"expression\":{...},\"threads\":[<id>...]}",
        packets::Evaluate);
  llvm::Expected<ClientExpression> expression =
      ClientExpression::Parse(*object);
  if (!expression)
    return expression.takeError();
  if (expression->IsEmpty())
    return llvm::createStringError("the expression is empty");
  const bool wants_values = arguments.getBoolean("values").value_or(false);
  const llvm::json::Value *lanes = arguments.get("lanes");
  llvm::json::Array waves;
  for (const llvm::json::Value &thread : *threads) {
    Wave *wave = process.FindWave(thread.getAsUINT64().value_or(0));
    if (!wave || wave->running)
      continue;
    WaveSubject subject(process.GetSession(), process.GetReader(),
                        process.GetMemory(), *wave);
    const uint64_t wanted =
        lanes ? lanes->getAsUINT64().value_or(0) : subject.GetActiveLanes();
    const auto values = expression->Evaluate(subject, wanted);
    uint64_t known = 0, true_lanes = 0;
    std::string bits;
    for (size_t lane = 0; lane < values.size(); ++lane) {
      if (!(wanted >> lane & 1))
        continue;
      if (values[lane]) {
        known |= uint64_t(1) << lane;
        if (ClientExpression::IsTrue(*values[lane]))
          true_lanes |= uint64_t(1) << lane;
      }
      if (wants_values) {
        char bytes[sizeof(uint64_t)];
        llvm::support::endian::write64le(bytes,
                                         values[lane] ? values[lane]->Bits : 0);
        bits.append(bytes, sizeof(bytes));
      }
    }
    llvm::json::Object result{
        {"thread", thread}, {"known", known}, {"true", true_lanes}};
    if (wants_values)
      result["bits"] = llvm::toHex(bits, /*LowerCase=*/true);
    waves.push_back(std::move(result));
  }
  return llvm::json::Value(std::move(waves));
}

} // namespace wavelane::server
