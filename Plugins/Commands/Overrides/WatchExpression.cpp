//===-- WatchExpression.cpp - watchpoint set expression -s N --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLDB shows what a watchpoint watches in the type of the expression: a
// pointer's 8 bytes, whatever the size. Of fewer bytes of a GPU's memory, the
// value is what the pointer leads to, or a number of that size.
//===----------------------------------------------------------------------===//

#include "Overrides.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "lldb/Breakpoint/Watchpoint.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/PointerResolver.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/CommandReturnObject.h"
#include "lldb/Interpreter/OptionGroupWatchpoint.h"
#include "lldb/Target/Target.h"
#include "lldb/ValueObject/ValueObject.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

/// The kind of an access, as Target::CreateWatchpoint takes it.
static uint32_t GetKind(const OptionGroupWatchpoint &options) {
  if (!options.watch_type_specified)
    return LLDB_WATCH_TYPE_MODIFY;
  switch (options.watch_type) {
  case OptionGroupWatchpoint::eWatchRead:
    return LLDB_WATCH_TYPE_READ;
  case OptionGroupWatchpoint::eWatchWrite:
    return LLDB_WATCH_TYPE_WRITE;
  case OptionGroupWatchpoint::eWatchReadWrite:
    return LLDB_WATCH_TYPE_READ | LLDB_WATCH_TYPE_WRITE;
  default:
    return LLDB_WATCH_TYPE_MODIFY;
  }
}

/// The type of \a size bytes at \a pointer.
static CompilerType GetWatchedType(const CompilerType &pointer, size_t size) {
  if (pointer.IsPointerType()) {
    const CompilerType pointee = pointer.GetPointeeType();
    if (llvm::expectedToOptional(pointee.GetByteSize(nullptr)) == size)
      return pointee;
  }
  auto types = pointer.GetTypeSystem();
  return types ? types->GetBuiltinTypeForEncodingAndBitSize(eEncodingUint,
                                                            8 * size)
               : CompilerType();
}

bool lldb_private::wavelane::WatchSizedExpression(void *baton,
                                                  const char **argv,
                                                  CommandReturnObject &result) {
  CommandInterpreter &interpreter =
      static_cast<Debugger *>(baton)->GetCommandInterpreter();
  ExecutionContext exe_ctx = interpreter.GetExecutionContext();
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (!frame || !argv || !argv[0] ||
      !dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()))
    return false; // run the command itself
  // Behind the command's three words.
  llvm::StringRef line = argv[0];
  for (int word = 0; word < 3; ++word)
    line = line.split(' ').second.ltrim();
  OptionsWithRaw words(line);
  OptionGroupOptions group;
  OptionGroupWatchpoint options;
  group.Append(&options, LLDB_OPT_SET_ALL, LLDB_OPT_SET_1);
  group.Finalize();
  group.NotifyOptionParsingStarting(&exe_ctx);
  if (!words.HasArgs())
    return false;
  llvm::Expected<Args> rest =
      group.Parse(words.GetArgs(), &exe_ctx, interpreter.GetPlatform(true),
                  /*require_validation=*/true);
  if (!rest) {
    llvm::consumeError(rest.takeError());
    return false; // LLDB says why
  }
  const uint64_t size = options.watch_size.GetCurrentValue();
  if (size != 1 && size != 2 && size != 4)
    return false;
  const std::string &expression = words.GetRawPart();
  Target &target = exe_ctx.GetTargetRef();
  ValueObjectSP value_sp;
  EvaluateExpressionOptions how;
  if (options.language_type != eLanguageTypeUnknown)
    how.SetLanguage(options.language_type);
  target.EvaluateExpression(expression, frame, value_sp, how);
  bool success = false;
  addr_t address = value_sp ? value_sp->GetValueAsUnsigned(0, &success) : 0;
  if (!success)
    return false; // LLDB says why
  const CompilerType type = value_sp->GetCompilerType();
  if (PointerResolver *resolver = PointerResolver::Get();
      resolver && type.IsPointerType())
    address = resolver->Resolve(exe_ctx, resolver->GetSpace(type), address);
  if (!address) {
    result.AppendErrorWithFormatv("'{0}' is a null address", expression);
    return true;
  }
  const CompilerType watched = GetWatchedType(type, size);
  Status error;
  WatchpointSP watchpoint_sp =
      target.CreateWatchpoint(address, size, &watched, GetKind(options), error);
  if (!watchpoint_sp) {
    result.AppendErrorWithFormatv("'{0}' can't be watched: {1}", expression,
                                  error.AsCString(""));
    return true;
  }
  watchpoint_sp->SetWatchSpec(expression);
  Stream &stream = result.GetOutputStream();
  stream << "Watchpoint created: ";
  watchpoint_sp->GetDescription(&stream, eDescriptionLevelFull);
  stream.EOL();
  result.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}
