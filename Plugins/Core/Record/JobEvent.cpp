//===-- JobEvent.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JobEvent.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace lldb_private::wavelane;

/// In the order of JobEvent::Kind.
static constexpr llvm::StringLiteral g_kinds[] = {"joined", "running",
                                                  "stopped", "ended", "over"};

std::string JobEvent::Format() const {
  llvm::json::Object object{{"event", g_kinds[size_t(kind)]},
                            {"targets", llvm::json::Array(targets)},
                            {"interrupted", llvm::json::Array(interrupted)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(object)));
}

std::optional<JobEvent> JobEvent::Parse(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *object = value->getAsObject();
  const auto name = object ? object->getString("event") : std::nullopt;
  const auto *known = llvm::find(g_kinds, name.value_or(""));
  if (known == std::end(g_kinds))
    return std::nullopt;
  JobEvent event;
  event.kind = Kind(known - std::begin(g_kinds));
  for (auto [key, numbers] : {std::pair("targets", &event.targets),
                              std::pair("interrupted", &event.interrupted)})
    if (const llvm::json::Array *array = object->getArray(key))
      for (const llvm::json::Value &number : *array)
        numbers->push_back(number.getAsUINT64().value_or(0));
  return event;
}
