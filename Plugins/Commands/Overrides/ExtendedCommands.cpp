//===-- ExtendedCommands.cpp - what LLDB's commands take beyond -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memory read local#0x40`: an address in a space; `memory region tile`: that
// of an array. `register write v0[3] 7`: a lane of a vector register. Arguments
// are rewritten for LLDB's command, or the work is done here.
//===----------------------------------------------------------------------===//

#include "Commands/Base/CommandOverrides.h"
#include "Commands/Base/CommandUtil.h"
#include "Commands/Base/FindGPU.h"
#include "Core/Format/LaneExpression.h"
#include "Core/Format/LaneReader.h"
#include "Core/Format/LaneView.h"
#include "Core/Lane/LaneResults.h"
#include "Core/Lane/ProcessLanes.h"
#include "Core/Lane/Provenance.h"
#include "Core/Record/NameStyle.h"
#include "Core/Statusline/WaveStatusline.h"
#include "Core/Support/InlinedFunctions.h"
#include "Core/Support/LibraryCode.h"
#include "Overrides.h"
#include "Process/AMDGPU/ProcessAMDGPU.h"
#include "SymbolFile/LaneDWARF/GPUExpression.h"
#include "lldb/Core/PointerResolver.h"
#include "lldb/DataFormatters/DumpValueObjectOptions.h"
#include "lldb/Host/OptionParser.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Interpreter/Options.h"
#include "lldb/Symbol/Variable.h"
#include "lldb/Symbol/VariableList.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrame.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include "lldb/Utility/RegularExpression.h"
#include "lldb/Utility/State.h"
#include "lldb/ValueObject/ValueObject.h"
#include "lldb/ValueObject/ValueObjectConstResult.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;

//===-- Addresses of spaces -----------------------------------------------===//

/// The address by which LLDB knows memory of a space, as seen by the selected
/// wave and its focus lane.
static llvm::Expected<std::optional<addr_t>>
GetWindowAddress(const ExecutionContext &exe_ctx, llvm::StringRef word) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  PointerResolver *resolver = PointerResolver::Get();
  if (!frame || !resolver)
    return llvm::createStringError(
        "'" + word + "' belongs to a wave, and no wave is selected");
  llvm::Expected<ValueObjectSP> value = LaneExpression(word).Evaluate(*frame);
  if (!value)
    return value.takeError();
  const CompilerType type = (*value)->GetCompilerType();
  bool success = false;
  const uint64_t number = (*value)->GetValueAsUnsigned(0, &success);
  if (!success)
    return llvm::createStringError("'" + word + "' isn't an address");
  if (!type.IsPointerType())
    return number;
  const unsigned space = resolver->GetSpace(type);
  const addr_t address = resolver->Resolve(exe_ctx, space, number);
  if (space && !address)
    return llvm::createStringError("'" + word +
                                   "' is the null address of its space");
  return address;
}

/// The address of the array or struct that \a word names, where LLDB wants an
/// expression whose value is an address; nothing for other words.
static llvm::Expected<std::optional<addr_t>>
GetObjectAddress(const ExecutionContext &exe_ctx, llvm::StringRef word) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (!frame || word.empty() || !(llvm::isAlpha(word[0]) || word[0] == '_'))
    return std::nullopt;
  ValueObjectSP value_sp = LaneExpression::EvaluateAsPath(*frame, word);
  if (!value_sp)
    return std::nullopt;
  const CompilerType type = value_sp->GetCompilerType().GetNonReferenceType();
  if (!type.IsArrayType() && !type.IsAggregateType())
    return std::nullopt;
  if (value_sp->GetCompilerType().IsReferenceType()) {
    Status error;
    if (ValueObjectSP object_sp = value_sp->Dereference(error))
      value_sp = object_sp;
  }
  const ValueObject::AddrAndType place =
      value_sp->GetAddressOf(/*scalar_is_load_address=*/true);
  if (place.address != LLDB_INVALID_ADDRESS && place.type == eAddressTypeLoad)
    return place.address;
  if (value_sp->GetError().Fail())
    return value_sp->GetError().ToError();
  return llvm::createStringError("'" + word +
                                 "' has no address: it is in registers");
}

/// For each word of a command whether it is the value of an option, which is no
/// address even if an object has that name.
static llvm::BitVector FindOptionValues(CommandObject *command,
                                        llvm::ArrayRef<const char *> words) {
  llvm::BitVector values(unsigned(words.size()));
  Options *options = command ? command->GetOptions() : nullptr;
  if (!options)
    return values;
  for (unsigned i = 0; i + 1 < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (word == "--")
      break;
    const bool is_long = word.consume_front("--");
    if (!is_long && !(word.consume_front("-") && word.size() == 1))
      continue; // An option's value may follow its letter.
    for (const OptionDefinition &option : options->GetDefinitions())
      // LLDB takes the beginning of a long name, too.
      if (option.option_has_arg == OptionParser::eRequiredArgument &&
          (is_long ? llvm::StringRef(option.long_option).starts_with(word)
                   : option.short_option == word[0])) {
        values.set(++i);
        break;
      }
  }
  return values;
}

static bool TranslateAddresses(void *baton, const char **argv,
                               CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  if (!dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()) || !argv ||
      !argv[0])
    return false; // run the command itself
  bool is_translated = false;
  std::vector<const char *> given;
  for (const char **word = argv; *word; ++word)
    given.push_back(*word);
  // The command has two words.
  CommandObject *group = interpreter->GetCommandObject(given[0]);
  const llvm::BitVector values = FindOptionValues(
      group && given.size() > 1 ? group->GetSubcommandObject(given[1])
                                : nullptr,
      given);
  std::vector<std::string> words;
  for (unsigned i = 0; i < given.size(); ++i) {
    words.push_back(given[i]);
    if (i < 2 || values[i])
      continue;
    llvm::Expected<std::optional<addr_t>> address =
        words.back()[0] != '-' && HasSpaceAddress(words.back())
            ? GetWindowAddress(exe_ctx, words.back())
            : GetObjectAddress(exe_ctx, words.back());
    if (!address) {
      result.AppendError(llvm::toString(address.takeError()));
      return true;
    }
    if (!*address)
      continue;
    words.back() = llvm::formatv("{0:x}", **address);
    is_translated = true;
  }
  if (!is_translated)
    return false;
  std::vector<const char *> again;
  for (const std::string &word : words)
    again.push_back(word.c_str());
  again.push_back(nullptr);
  RunOverridden(again.data(), result);
  return true;
}

//===-- Elements of registers ---------------------------------------------===//

/// The size of an element in bytes, or 0 if the register isn't a vector.
static size_t GetElementSize(const RegisterInfo &info) {
  switch (info.format) {
  case eFormatVectorOfSInt8:
  case eFormatVectorOfUInt8:
    return 1;
  case eFormatVectorOfSInt16:
  case eFormatVectorOfUInt16:
    return 2;
  case eFormatVectorOfSInt32:
  case eFormatVectorOfUInt32:
  case eFormatVectorOfFloat32:
    return 4;
  case eFormatVectorOfSInt64:
  case eFormatVectorOfUInt64:
  case eFormatVectorOfFloat64:
    return 8;
  default:
    return 0;
  }
}

/// Parses an integer of \a size bytes, or a floating-point number of 4 or 8
/// bytes.
static llvm::Expected<uint64_t> ParseElement(llvm::StringRef text,
                                             size_t size) {
  const unsigned bits = unsigned(size) * 8;
  int64_t number;
  uint64_t large;
  if (!text.getAsInteger(0, number) && llvm::isIntN(bits, number))
    return uint64_t(number);
  if (!text.getAsInteger(0, large) && llvm::isUIntN(bits, large))
    return large;
  double value;
  if (size < 4 || text.getAsDouble(value))
    return llvm::createStringError("'" + text + "' isn't a number of " +
                                   llvm::Twine(size) + " bytes");
  return size == 4 ? llvm::bit_cast<uint32_t>(float(value))
                   : llvm::bit_cast<uint64_t>(value);
}

static llvm::Error WriteElement(const ExecutionContext &exe_ctx,
                                llvm::StringRef name,
                                llvm::StringRef index_text,
                                llvm::StringRef text) {
  RegisterContext *registers = exe_ctx.GetRegisterContext();
  if (!registers)
    return llvm::createStringError(
        "no thread is selected, or it has no registers");
  name.consume_front("$");
  const RegisterInfo *info = registers->GetRegisterInfoByName(name);
  if (!info)
    return llvm::createStringError("there is no register '" + name + "'");
  const size_t size = GetElementSize(*info);
  if (!size)
    return llvm::createStringError("register " + name + " isn't a vector");
  uint64_t index = 0;
  const uint64_t count = info->byte_size / size;
  if (index_text.getAsInteger(0, index) || index >= count)
    return llvm::createStringError("register " + name + " has elements 0-" +
                                   llvm::Twine(count - 1));
  llvm::Expected<uint64_t> element = ParseElement(text, size);
  if (!element)
    return element.takeError();
  RegisterValue value;
  if (!registers->ReadRegister(info, value) ||
      value.GetByteSize() != info->byte_size)
    return llvm::createStringError("register " + name + " can't be read");
  const auto *old = static_cast<const uint8_t *>(value.GetBytes());
  std::vector<uint8_t> bytes(old, old + value.GetByteSize());
  for (size_t i = 0; i < size; ++i)
    bytes[index * size + i] = uint8_t(*element >> 8 * i);
  value.SetBytes(bytes.data(), bytes.size(), eByteOrderLittle);
  if (!registers->WriteRegister(info, value))
    return llvm::createStringError("register " + name + " can't be written");
  // Frames and variables may depend on the register.
  exe_ctx.GetThreadRef().Flush();
  return llvm::Error::success();
}

static bool WriteRegisterElement(void *baton, const char **argv,
                                 CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  std::vector<llvm::StringRef> words;
  for (const char **word = argv; word && *word; ++word)
    words.push_back(*word);
  if (words.size() != 4) // "register", "write", the register and a value
    return false;        // run the command itself
  auto [name, index] = words[2].split('[');
  if (!index.consume_back("]"))
    return false;
  if (llvm::Error error = WriteElement(interpreter->GetExecutionContext(), name,
                                       index, words[3]))
    result.AppendError(llvm::toString(std::move(error)));
  else
    result.SetStatus(eReturnStatusSuccessFinishNoResult);
  return true;
}

//===-- Expressions without a value ---------------------------------------===//

static bool IsNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

/// Why no part of a value can be read; empty if some part can.
static std::string DescribeError(ValueObject &value) {
  if (value.GetError().Fail())
    return llvm::StringRef(value.GetError().AsCString()).trim().str();
  // The parts of a larger value are left to LLDB.
  constexpr uint32_t kMostParts = 16;
  const CompilerType type = value.GetCompilerType();
  if (!type.IsAggregateType() || type.IsReferenceType())
    return "";
  const uint32_t count = value.GetNumChildrenIgnoringErrors(kMostParts + 1);
  std::string error;
  for (uint32_t i = 0; i < count; ++i) {
    ValueObjectSP part_sp = value.GetChildAtIndex(i);
    if (i == kMostParts || !part_sp)
      return "";
    part_sp->UpdateValueIfNeeded();
    error = DescribeError(*part_sp);
    if (error.empty())
      return "";
  }
  return error;
}

/// "x has no value: optimized out here" for the first variable of a command's
/// expression that has none: LLDB's error has more lines. A command that names
/// nothing else shows the variable's own error.
static std::string DescribeMissingValue(const ExecutionContext &exe_ctx,
                                        llvm::StringRef command) {
  Target *target = exe_ctx.GetTargetPtr();
  StackFrame *frame = exe_ctx.GetFramePtr();
  const llvm::StringRef expression = command.split(' ').second.trim();
  // Names between these may be something else, or need no value.
  for (const char *word :
       {"\"", "'", "sizeof", "alignof", "decltype", "{", ";"})
    if (expression.contains(word))
      return "";
  if (!target || !frame || llvm::all_of(expression, IsNameCharacter) ||
      target->GetArchitecture().GetMachine() != llvm::Triple::amdgcn)
    return "";
  VariableListSP variables_sp = frame->GetInScopeVariableList(false);
  for (size_t at = 0; variables_sp && at < expression.size();) {
    const llvm::StringRef name =
        expression.drop_front(at).take_while(IsNameCharacter);
    const llvm::StringRef before = expression.take_front(at).rtrim();
    at += std::max<size_t>(name.size(), 1);
    if (name.empty() || llvm::isDigit(name[0]) || before.ends_with(".") ||
        before.ends_with("->") || before.ends_with("::") ||
        // An address in a space.
        expression.drop_front(at).ltrim().starts_with("#"))
      continue;
    VariableSP variable_sp =
        variables_sp->FindVariable(ConstString(name), /*include_static=*/false);
    ValueObjectSP value_sp =
        variable_sp ? frame->GetValueObjectForFrameVariable(variable_sp,
                                                            eNoDynamicValues)
                    : nullptr;
    const std::string error = value_sp ? DescribeError(*value_sp) : "";
    if (!error.empty())
      return llvm::formatv("{0} has no value: {1}", name, error);
  }
  return "";
}

/// What to write instead of "float4{1, 2, 3, 4}": debug information lacks the
/// constructors of HIP's vectors that the program doesn't call.
static std::string DescribeVectorBraces(const ExecutionContext &exe_ctx,
                                        llvm::StringRef command) {
  Target *target = exe_ctx.GetTargetPtr();
  static const RegularExpression g_braces(
      "(^|[^A-Za-z0-9_])(u?(char|short|int|long|longlong)|float|double)([1-4])"
      "[ ]*[)]?[ ]*[{]");
  llvm::SmallVector<llvm::StringRef, 8> parts;
  if (!target ||
      target->GetArchitecture().GetMachine() != llvm::Triple::amdgcn ||
      !g_braces.Execute(command, &parts))
    return "";
  return llvm::formatv("an expression can't construct {0}{1} from braces: "
                       "write make_{0}{1}(...)",
                       parts[2], parts[4]);
}

/// Leaves of an error what isn't about how LLDB evaluates expressions: a call
/// is a store to it.
static void DropInterpretersPart(CommandReturnObject &result) {
  if (result.Succeeded())
    return;
  const std::string error = result.GetErrorString();
  for (llvm::StringRef part :
       {"Interpreter couldn't write to memory: ",
        "Interpreter couldn't read from memory: ",
        "Couldn't apply expression side effects : Couldn't dematerialize a "
        "result variable: couldn't read its memory: "}) {
    const auto [before, after] = llvm::StringRef(error).split(part);
    if (after.empty())
      continue;
    result.Clear();
    result.AppendError(after.trim());
    return;
  }
  if (llvm::StringRef(error).rtrim().ends_with(
          "Interpreter couldn't read from memory")) {
    result.Clear();
    result.AppendError("a part of an object that the expression reads has no "
                       "value here: 'frame variable' shows which");
  }
}

/// The focus lane of the selected frame, if it doesn't execute there.
static std::optional<uint32_t>
FindInactiveFocus(const ExecutionContext &exe_ctx) {
  StackFrame *frame = exe_ctx.GetFramePtr();
  if (!frame)
    return std::nullopt;
  llvm::Expected<LaneView> view = LaneView::Get(*frame);
  if (!view) {
    // The commands for lanes report it.
    llvm::consumeError(view.takeError());
    return std::nullopt;
  }
  return view->GetCount() && !view->IsActive(view->GetFocus())
             ? std::optional(view->GetFocus())
             : std::nullopt;
}

/// The stale variables that are indices in paths: `frame variable out[t]`. A
/// path's first variable has a mark of its own.
static std::string FindStaleIndices(StackFrame &frame, const char **argv) {
  ProvenanceScope scope;
  for (; argv && *argv; ++argv)
    for (llvm::StringRef rest = llvm::StringRef(*argv).split('[').second;
         !rest.empty(); rest = rest.split('[').second) {
      const llvm::StringRef name = rest.take_while(IsNameCharacter);
      VariableListSP variables_sp =
          frame.GetInScopeVariableList(/*get_file_globals=*/false);
      VariableSP variable_sp =
          variables_sp ? variables_sp->FindVariable(ConstString(name))
                       : nullptr;
      ValueObjectSP value_sp =
          variable_sp ? frame.GetValueObjectForFrameVariable(variable_sp,
                                                             eNoDynamicValues)
                      : nullptr;
      if (value_sp)
        value_sp->UpdateValueIfNeeded(/*update_format=*/false);
      if (std::optional<Provenance> from =
              value_sp ? GetProvenance(*value_sp) : std::nullopt)
        ProvenanceScope::Note(name, *from);
    }
  return scope.Describe();
}

/// `frame variable *(int *)local#0x40`: what has no variable is an expression.
/// \return Whether it has one, and is shown.
static bool ShowExpressions(CommandInterpreter &interpreter, const char **argv,
                            CommandReturnObject &result) {
  const ExecutionContext exe_ctx = interpreter.GetExecutionContext();
  StackFrame *frame = exe_ctx.GetFramePtr();
  std::vector<llvm::StringRef> words;
  for (const char **word = argv; word && *word; ++word)
    words.push_back(*word);
  if (!frame || words.size() < 3 || !llvm::any_of(words, HasSpaceAddress) ||
      !dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()))
    return false;
  // Its words are parted by blanks, which are also in an expression.
  const std::string text = llvm::join(llvm::ArrayRef(words).drop_front(2), " ");
  if (text[0] == '-') {
    result.AppendError("'frame variable' with an address in a space takes no "
                       "options: 'expression' does");
    return true;
  }
  llvm::Expected<ValueObjectSP> value = LaneExpression(text).Evaluate(*frame);
  if (!value) {
    result.AppendError(llvm::toString(value.takeError()));
    return true;
  }
  DumpValueObjectOptions options;
  options.SetRootValueObjectName(text.c_str());
  options.SetShowTypes(true);
  if (llvm::Error error = (*value)->Dump(result.GetOutputStream(), options)) {
    result.AppendError(llvm::toString(std::move(error)));
    return true;
  }
  result.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}

/// `frame variable` says if its values are those of an inactive lane, or of
/// stale indices.
static bool ShowVariables(void *baton, const char **argv,
                          CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  if (MissesWave(*interpreter, result))
    return true;
  if (ShowExpressions(*interpreter, argv, result))
    return true;
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  const std::optional<uint32_t> inactive = FindInactiveFocus(exe_ctx);
  StackFrame *frame = exe_ctx.GetFramePtr();
  const std::string stale = frame ? FindStaleIndices(*frame, argv) : "";
  if (!inactive && stale.empty())
    return false; // run the command itself
  RunOverridden(argv, result);
  if (!result.Succeeded())
    return true;
  if (inactive)
    NoteInactive(result, *inactive);
  if (!stale.empty())
    NoteStale(result, stale);
  return true;
}

static bool RefuseExpression(void *baton, const char **argv,
                             CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  if (!argv || !argv[0])
    return false;
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  std::string why = DescribeInlinedCall(exe_ctx, argv[0]);
  if (why.empty())
    why = DescribeVectorBraces(exe_ctx, argv[0]);
  if (why.empty())
    why = DescribeMissingValue(exe_ctx, argv[0]);
  if (!why.empty()) {
    result.AppendError(why);
    return true;
  }
  static thread_local bool t_again = false;
  const auto [name, arguments] = llvm::StringRef(argv[0]).split(' ');
  CommandObject *command = interpreter->GetCommandObject(name);
  if (t_again || !command ||
      !dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()))
    return false; // run the command itself
  llvm::SaveAndRestore once(t_again, true);
  ProvenanceScope scope;
  command->Execute(arguments.str().c_str(), result);
  DropInterpretersPart(result);
  if (std::optional<uint32_t> inactive = FindInactiveFocus(exe_ctx);
      inactive && result.Succeeded())
    NoteInactive(result, *inactive);
  // A variable's own summary says it; what is computed has none.
  if (const std::string stale = scope.Describe();
      !stale.empty() && result.Succeeded() &&
      !llvm::all_of(arguments.trim(), IsNameCharacter))
    NoteStale(result, stale);
  return true;
}

//===-- Returns -----------------------------------------------------------===//

/// `thread return EXPRESSION`: each lane that leaves the function gets the
/// value that the expression has in it.
static bool ReturnFromLanes(void *baton, const char **argv,
                            CommandReturnObject &result) {
  static thread_local bool t_again = false;
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  if (MissesWave(*interpreter, result))
    return true;
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  StackFrame *frame = exe_ctx.GetFramePtr();
  // Behind the command's two words.
  const llvm::StringRef text = llvm::StringRef(argv && argv[0] ? argv[0] : "")
                                   .split(' ')
                                   .second.split(' ')
                                   .second.trim();
  if (t_again || !frame || text.empty() || text.starts_with("-") ||
      !dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()))
    return false; // run the command itself
  llvm::Expected<LaneView> view = LaneView::Get(*frame);
  if (!view) {
    result.AppendError(llvm::toString(view.takeError()));
    return true;
  }
  std::vector<LaneResult> results(view->GetCount());
  {
    LaneExpression expression(text);
    LaneReader reader(exe_ctx.GetThreadRef(), frame->GetFrameIndex(),
                      expression, llvm::BitVector(view->GetCount(), true));
    for (uint32_t lane = 0; lane < results.size(); ++lane) {
      if (view->IsIdle(lane))
        continue;
      reader.Visit(lane, [&](StackFrame &seen) {
        llvm::Expected<ValueObjectSP> value = expression.Evaluate(seen);
        if (value)
          results[lane].value_sp = *value;
        else
          results[lane].error = llvm::toString(value.takeError());
        // A variable's value depends on the focus lane when it is read.
        DataExtractor data;
        Status error;
        if (value && (*value)->GetData(data, error) && error.Success())
          results[lane].value_sp = ValueObjectConstResult::Create(
              &seen, (*value)->GetCompilerType(), ConstString("result"), data);
        else if (value) {
          results[lane] = {nullptr, error.AsCString("it can't be read")};
        }
      });
      if (expression.IsHopeless())
        return false; // LLDB says why
    }
  }
  CommandObject *thread = interpreter->GetCommandObject("thread");
  CommandObject *command =
      thread ? thread->GetSubcommandObject("return") : nullptr;
  if (!command)
    return false;
  llvm::SaveAndRestore once(t_again, true);
  const LaneResultsScope scope(std::move(results));
  command->Execute(text.str().c_str(), result);
  return true;
}

//===-- Without waves -----------------------------------------------------===//

static bool RefuseWithoutWave(void *baton, const char **,
                              CommandReturnObject &result) {
  return MissesWave(*static_cast<CommandInterpreter *>(baton), result);
}

//===-- Waves in functions of HIP's headers -------------------------------===//

/// `thread select 2` shows the wave in its own line, as its stop would, or in
/// the frame that the user has selected. LLDB shows the first frame.
static bool SelectOwnFrame(void *baton, const char **argv,
                           CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  uint32_t index = 0;
  auto *process = dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr());
  if (!process ||
      !StateIsStoppedState(process->GetState(), /*must_exist=*/true) || !argv ||
      !argv[0] || !argv[1] || !argv[2] || argv[3] ||
      !llvm::to_integer(argv[2], index))
    return false; // run the command itself
  ThreadList &threads = process->GetThreadList();
  ThreadSP thread_sp = threads.FindThreadByIndexID(index);
  if (!thread_sp)
    return false;
  uint32_t frame =
      thread_sp->GetSelectedFrameIndex(DoNoSelectMostRelevantFrame);
  if (StackFrameSP own_sp = frame ? nullptr : GetOwnFrame(*thread_sp))
    frame = own_sp->GetFrameIndex();
  threads.SetSelectedThreadByID(thread_sp->GetID());
  thread_sp->SetSelectedFrameByIndex(frame);
  RedrawStatuslineForSelected(interpreter->GetDebugger());
  thread_sp->GetStatus(result.GetOutputStream(), frame, /*num_frames=*/1,
                       /*num_frames_with_source=*/1, /*stop_format=*/true,
                       /*show_hidden=*/true);
  result.SetStatus(eReturnStatusSuccessFinishResult);
  return true;
}

//===-- Backtraces --------------------------------------------------------===//

static bool IsVerbose(llvm::StringRef word) {
  return word == "-v" || word == "--verbose";
}

/// LLDB counts hidden frames as well, and fails if there are no others. \return
/// With which count \p wanted frames are shown.
static uint32_t CountWithHidden(Thread &thread, uint32_t wanted) {
  StackFrameSP selected_sp =
      thread.GetSelectedFrame(DoNoSelectMostRelevantFrame);
  uint32_t shown = 0, count = 0;
  while (shown < wanted) {
    StackFrameSP frame_sp = thread.GetStackFrameAtIndex(count);
    if (!frame_sp)
      return std::max(wanted, count); // there are fewer
    shown += frame_sp == selected_sp || !frame_sp->IsHidden();
    ++count;
  }
  return count;
}

/// `thread backtrace -v`, and `-c` where frames are hidden.
static bool ExtendBacktrace(void *baton, const char **argv,
                            CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  if (MissesWave(*interpreter, result))
    return true;
  std::vector<std::string> words;
  bool is_verbose = false;
  for (const char **word = argv; word && *word; ++word)
    if (IsVerbose(*word))
      is_verbose = true;
    else
      words.push_back(*word);
  const ExecutionContext exe_ctx = interpreter->GetExecutionContext();
  // Other options and threads: LLDB's count is the right one.
  uint32_t wanted = 0;
  if (words.size() > 2 && exe_ctx.HasThreadScope() &&
      dynamic_cast<ProcessAMDGPU *>(exe_ctx.GetProcessPtr()) &&
      (words[words.size() - 2] == "-c" ||
       words[words.size() - 2] == "--count") &&
      !llvm::StringRef(words[words.size() - 3]).starts_with("-") &&
      llvm::to_integer(words.back(), wanted, 10))
    words.back() =
        std::to_string(CountWithHidden(exe_ctx.GetThreadRef(), wanted));
  if (!is_verbose && !wanted)
    return false; // run the command itself
  std::vector<const char *> again;
  for (const std::string &word : words)
    again.push_back(word.c_str());
  again.push_back(nullptr);
  std::optional<NameStyleScope> whole;
  if (is_verbose)
    whole.emplace(NameStyle::eFull);
  RunOverridden(again.data(), result);
  return true;
}

/// `bt -v 3`, where LLDB would take the number for a thread's.
static bool CountVerboseFrames(void *baton, const char **argv,
                               CommandReturnObject &result) {
  auto *interpreter = static_cast<CommandInterpreter *>(baton);
  const Args words(argv && argv[0] ? argv[0] : "");
  if (words.GetArgumentCount() != 3 || !IsVerbose(words[1].ref()) ||
      !llvm::all_of(words[2].ref(), llvm::isDigit))
    return false; // run the command itself
  CommandObject *thread = interpreter->GetCommandObject("thread");
  CommandObject *backtrace =
      thread ? thread->GetSubcommandObject("backtrace") : nullptr;
  if (!backtrace)
    return false; // run the command itself
  backtrace->Execute(("-v -c " + words[2].ref()).str().c_str(), result);
  return true;
}

void lldb_private::wavelane::ExtendCommands(CommandInterpreter &interpreter) {
  auto extend = [&](const char *group_name, llvm::StringRef name,
                    CommandOverrideCallbackWithResult callback) {
    CommandObject *group = interpreter.GetCommandObject(group_name);
    if (CommandObject *command =
            group ? group->GetSubcommandObject(name) : nullptr)
      OverrideCommand(*command, callback, &interpreter);
  };
  for (const char *name : {"read", "write", "find", "region"})
    extend("memory", name, TranslateAddresses);
  extend("register", "write", WriteRegisterElement);
  for (const char *name : {"dwim-print", "expression"})
    if (CommandObject *command = interpreter.GetCommandObject(name))
      OverrideCommand(*command, RefuseExpression, &interpreter);
  // Steps: ReverseCommands.cpp.
  for (const char *name : {"until", "info"})
    extend("thread", name, RefuseWithoutWave);
  for (const char *name : {"select", "info"})
    extend("frame", name, RefuseWithoutWave);
  extend("frame", "variable", ShowVariables);
  extend("thread", "return", ReturnFromLanes);
  extend("thread", "select", SelectOwnFrame);
  extend("thread", "backtrace", ExtendBacktrace);
  constexpr char names[] =
      "The names of functions of GPUs are short; -v shows them with results, "
      "namespaces, template arguments and all arguments.";
  if (CommandObject *thread = interpreter.GetCommandObject("thread"))
    if (CommandObject *backtrace = thread->GetSubcommandObject("backtrace"))
      backtrace->SetHelpLong((backtrace->GetHelpLong() + "\n" + names).str());
  if (CommandObject *bt = interpreter.GetCommandObject("_regexp-bt")) {
    OverrideCommand(*bt, CountVerboseFrames, &interpreter);
    bt->SetHelpLong(names);
    bt->SetSyntax("bt [-v] [<digit> | all]");
  }
}
