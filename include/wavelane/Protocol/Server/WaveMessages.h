//===-- WaveMessages.h - about a GPU's waves and spaces ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments and answers of packets (Packets.h) of the GPU connection about
// address spaces, conditions and expressions in lanes.
//
//===----------------------------------------------------------------------===//

#ifndef WAVELANE_PROTOCOL_SERVER_WAVEMESSAGES_H
#define WAVELANE_PROTOCOL_SERVER_WAVEMESSAGES_H

#include "wavelane/Protocol/Fields.h"

namespace wavelane::protocol {

/// packets::AddressSpacesInfo answers a list of these. The first three fields
/// are upstream's; its servers send no others.
struct AddressSpace {
  std::string Name;    ///< ROCdbgapi's, such as "private_lane"
  uint64_t Number = 0; ///< DWARF's
  bool IsThreadSpecific = false;
  std::optional<uint64_t> AddressBits;
  std::optional<uint64_t> Null; ///< the null address
  /// The owner of the memory: "lane", "wave", "workgroup", "agent" or
  /// "process".
  std::string DependsOn;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("name", S.Name);
    F("space_id", S.Number);
    F("is_thread_specific", S.IsThreadSpecific);
    F("address_bits", S.AddressBits);
    F("null", S.Null);
    F("depends_on", S.DependsOn, "");
  }
};

/// A tree of operations, or what is around it: ClientExpression reads it.
struct ExpressionObject {
  llvm::json::Object Tree;
};
inline llvm::json::Value toJSON(const ExpressionObject &Value) {
  return llvm::json::Object(Value.Tree);
}
inline bool fromJSON(const llvm::json::Value &Value, ExpressionObject &Result,
                     llvm::json::Path At) {
  const llvm::json::Object *Object = Value.getAsObject();
  if (!Object) {
    At.report("expected an expression");
    return false;
  }
  Result.Tree = *Object;
  return true;
}

/// The arguments of packets::Conditions.
struct ConditionsRequest {
  uint64_t Address = 0; ///< of the breakpoint
  std::vector<ExpressionObject> Any;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("address", S.Address);
    F("any", S.Any);
  }
};

/// The arguments of packets::NonStop.
struct NonStopRequest {
  bool On = false;
  bool KeepsOthers = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("on", S.On);
    F("keeps_others", S.KeepsOthers, false);
  }
};

/// The arguments of packets::Evaluate.
struct EvaluateRequest {
  ExpressionObject Expression;
  std::vector<uint64_t> Threads;
  std::optional<uint64_t> Lanes; ///< a mask; the active ones if it isn't set
  bool WantsValues = false;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("expression", S.Expression);
    F("threads", S.Threads);
    F("lanes", S.Lanes);
    F("values", S.WantsValues, false);
  }
};

/// packets::Evaluate answers a list of these, one for each stopped wave.
struct EvaluatedWave {
  uint64_t Thread = 0;
  /// Masks of the lanes in which the expression can be evaluated, and holds.
  uint64_t Known = 0, True = 0;
  /// If wanted: 8 bytes for each of the lanes, the value in the lower ones.
  std::optional<Bytes> Bits;

  template <typename Self, typename Fields>
  static void map(Self &S, Fields &F) {
    F("thread", S.Thread);
    F("known", S.Known);
    F("true", S.True);
    F("bits", S.Bits);
  }
};

} // namespace wavelane::protocol

#endif // WAVELANE_PROTOCOL_SERVER_WAVEMESSAGES_H
