//===-- DwarfEvaluation.cpp -----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DwarfEvaluation.h"
#include "Core/Format/LocationJSON.h"
#include "Core/Lane/LaneFocus.h"
#include "Plugins/SymbolFile/DWARF/DWARFUnit.h"
#include "SymbolFile/LaneDWARF/FrameContext.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/StreamString.h"
#include "llvm/ADT/StringExtras.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::plugin::dwarf;
using namespace lldb_private::wavelane;
namespace engine = ::wavelane::location;

llvm::Error DwarfEvaluation::Run(StackFrame &frame, const DWARFUnit *unit,
                                 llvm::ArrayRef<uint8_t> expression,
                                 std::optional<uint64_t> size,
                                 bool with_steps) {
  ThreadSP thread_sp = frame.GetThread();
  ProcessSP process_sp = thread_sp->GetProcess();
  FrameFacts facts(*process_sp, thread_sp.get(), &frame, GetFocusLane(frame));
  FrameContext context(facts,
                       frame.GetSymbolContext(eSymbolContextModule).module_sp,
                       unit, uint8_t(process_sp->GetAddressByteSize()));
  const engine::EvaluationOptions options = context.GetOptions(expression);
  auto note = [&](const engine::Operation &operation,
                  llvm::ArrayRef<engine::Entry> stack) {
    const std::string described = operation.describe(options.Decode);
    llvm::StringRef name = described;
    name.consume_front("DW_OP_");
    Step step{name.str(), {}};
    for (const engine::Entry &entry : stack)
      step.stack.push_back(entry.describe(&context));
    steps.push_back(std::move(step));
  };
  engine::TraceFunction trace = note;
  llvm::Expected<engine::Entry> entry =
      engine::evaluate(expression, context, engine::ResultKind::Any, options,
                       {}, with_steps ? &trace : nullptr);
  if (!entry)
    return entry.takeError();
  if (entry->IsValue)
    value = entry->describe(&context);
  llvm::Expected<engine::Location> where =
      engine::toLocation(*entry, context, options);
  if (!where) {
    // A value that isn't an address is a valid result, too.
    llvm::consumeError(where.takeError());
    return llvm::Error::success();
  }
  location = where->describe(&context);
  place = ToJSON(*where, context);
  if (where->Kind == engine::StorageKind::Undefined || (size && *size == 0))
    return llvm::Error::success();
  // Read the object's size, or an address's for an expression without a type,
  // but no more than the location has.
  const uint64_t wanted =
      std::min<uint64_t>(size.value_or(process_sp->GetAddressByteSize()), 4096);
  uint64_t count = wanted;
  llvm::Expected<std::optional<engine::BitCount>> bits =
      where->getStorageSize(context);
  if (!bits)
    llvm::consumeError(bits.takeError());
  else if (*bits && **bits > where->Offset)
    count = std::min<uint64_t>(
        count, std::max<uint64_t>(1, uint64_t((**bits - where->Offset) / 8)));
  std::vector<uint8_t> data(count), unset(count);
  if (llvm::Error error =
          where->read(context, engine::BitCount(count) * 8, data, unset)) {
    read_error = llvm::toString(std::move(error));
    return llvm::Error::success();
  }
  bytes = std::move(data);
  undefined = std::move(unset);
  missing = size ? wanted - count : 0;
  return llvm::Error::success();
}

void DwarfEvaluation::Print(Stream &text) const {
  if (!steps.empty())
    text.Printf("%-36s  %s\n", "operation", "stack afterwards, top last");
  for (const Step &step : steps) {
    text.Printf("%-36s ", step.operation.c_str());
    for (size_t i = 0; i < step.stack.size(); ++i)
      text.Printf("%s [%s]", i ? "," : "", step.stack[i].c_str());
    text.EOL();
  }
  if (!value.empty())
    text.Printf("value: %s\n", value.c_str());
  if (!location.empty())
    text.Printf("location: %s\n", location.c_str());
  if (!read_error.empty())
    text.Printf("bytes: %s\n", read_error.c_str());
  if (bytes.empty())
    return;
  text.PutCString("bytes:");
  for (size_t i = 0; i < bytes.size(); ++i)
    text.Printf(undefined[i] ? " ??" : " %02x", bytes[i]);
  for (uint64_t i = 0; i < missing; ++i)
    text.PutCString(" ??");
  text.EOL();
}

void DwarfEvaluation::AddTo(llvm::json::Object &object) const {
  llvm::json::Array list;
  for (const Step &step : steps)
    list.push_back(
        llvm::json::Object{{"operation", step.operation},
                           {"stack", llvm::json::Array(step.stack)}});
  object["steps"] = std::move(list);
  if (!value.empty())
    object["value"] = value;
  if (!location.empty())
    object["location"] = location;
  if (place)
    object["place"] = *place;
  if (!read_error.empty())
    object["error"] = read_error;
  if (bytes.empty())
    return;
  object["bytes"] = llvm::toHex(bytes, /*LowerCase=*/true);
  llvm::json::Array numbers;
  for (size_t i = 0; i < bytes.size() + missing; ++i)
    if (i >= bytes.size() || undefined[i])
      numbers.push_back(int64_t(i));
  object["undefined_bytes"] = std::move(numbers);
}
