//===-- StrictValues.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StrictValues.h"
#include "wavelane/CommandLine/Words.h"
#include "wavelane/Formats/Files/RegularFile.h"
#include "wavelane/Protocol/Device/Suppressions.h"
#include "wavelane/Protocol/Server/SettingsMessages.h"

#include "lldb/Host/FileSystem.h"
#include "lldb/Interpreter/OptionArgParser.h"
#include "lldb/Interpreter/OptionValues.h"
#include "lldb/Utility/Args.h"

using namespace lldb;
using namespace lldb_private;
using namespace lldb_private::wavelane;
namespace protocol = ::wavelane::protocol;
namespace check = ::wavelane::check;
namespace words = ::wavelane::words;

/// Whether an operation gives a value another text, as a whole.
static bool Sets(VarSetOperationType op) {
  return op == eVarSetOperationAssign || op == eVarSetOperationReplace;
}

/// \param name The setting's; LLDB's error names neither it nor the file that
/// sets it.
static Status Refuse(llvm::StringRef name, llvm::StringRef text,
                     llvm::Error why) {
  return Status::FromErrorStringWithFormatv(
      "plugin.process.amdgpu.{0} {1}", name,
      protocol::explainWrong(text, std::move(why)));
}

/// Without the blanks and quotes around it.
static llvm::StringRef Unquote(llvm::StringRef text) {
  text = text.trim();
  if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
      text.back() == text.front())
    return text.drop_front().drop_back();
  return text;
}

namespace {
class WordValue : public Cloneable<WordValue, OptionValueEnumeration> {
public:
  WordValue(llvm::StringRef name, const OptionEnumValues &words, int64_t value)
      : Cloneable(words, value), m_name(name) {
    for (const OptionEnumValueElement &word : words)
      m_words.push_back(word.string_value);
  }

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    if (Sets(op)) {
      value = Unquote(value);
      if (llvm::Error why = protocol::readWord(value, m_words))
        return Refuse(m_name, value, std::move(why));
    }
    return OptionValueEnumeration::SetValueFromString(value, op);
  }

private:
  llvm::StringRef m_name;
  std::vector<llvm::StringRef> m_words;
};

class BooleanValue : public Cloneable<BooleanValue, OptionValueBoolean> {
public:
  BooleanValue(llvm::StringRef name, bool value)
      : Cloneable(value), m_name(name) {}

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    if (Sets(op)) {
      value = Unquote(value);
      bool good = false;
      OptionArgParser::ToBoolean(value, false, &good);
      if (!good)
        return Refuse(m_name, value,
                      protocol::readWord(value, {"true", "false"}));
    }
    return OptionValueBoolean::SetValueFromString(value, op);
  }

private:
  llvm::StringRef m_name;
};

class NumberValue : public Cloneable<NumberValue, OptionValueUInt64> {
public:
  NumberValue(llvm::StringRef name, uint64_t value, const ValueRule &rule)
      : Cloneable(value), m_name(name) {
    SetMinimumValue(rule.least);
    SetMaximumValue(rule.most);
  }

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    if (Sets(op)) {
      value = Unquote(value);
      uint64_t number;
      if (llvm::Error why =
              protocol::readNumber(value, m_min_value, m_max_value, number))
        return Refuse(m_name, value, std::move(why));
    }
    return OptionValueUInt64::SetValueFromString(value, op);
  }

private:
  llvm::StringRef m_name;
};

class PatternValue : public Cloneable<PatternValue, OptionValueRegex> {
public:
  PatternValue(llvm::StringRef name, const char *value)
      : Cloneable(value), m_name(name) {}

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    if (Sets(op)) {
      value = Unquote(value);
      if (value.empty()) {
        SetCurrentValue("");
        SetOptionWasSet();
        NotifyValueChanged();
        return Status();
      }
      protocol::Pattern pattern;
      if (llvm::Error why = protocol::readText(value, pattern))
        return Refuse(m_name, value, std::move(why));
    }
    return OptionValueRegex::SetValueFromString(value, op);
  }

private:
  llvm::StringRef m_name;
};

/// A file or folder on this machine, or any path.
class PathValue : public Cloneable<PathValue, OptionValueFileSpec> {
public:
  PathValue(llvm::StringRef name, ValueKind kind)
      : Cloneable(/*resolve=*/kind != ValueKind::Any), m_name(name),
        m_kind(kind) {
    if (kind == ValueKind::Folder)
      SetCompletionMask(eDiskDirectoryCompletion);
  }

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    if (Sets(op)) {
      value = Unquote(value);
      if (llvm::Error why = Check(value))
        return Refuse(m_name, value, std::move(why));
    }
    return OptionValueFileSpec::SetValueFromString(value, op);
  }

private:
  llvm::Error Check(llvm::StringRef value) const {
    protocol::ServerPath any;
    if (llvm::Error why = protocol::readText(value, any))
      return why;
    if (m_kind == ValueKind::Any)
      return llvm::Error::success();
    FileSpec file(value);
    FileSystem::Instance().Resolve(file);
    if (!FileSystem::Instance().Exists(file))
      return llvm::createStringError("there is no such file");
    const bool is_folder = FileSystem::Instance().IsDirectory(file);
    if (m_kind == ValueKind::Folder)
      return is_folder ? llvm::Error(llvm::Error::success())
                       : llvm::createStringError("it must be a folder");
    if (is_folder)
      return llvm::createStringError("it is a folder, not a file");
    const std::string path = file.GetPath();
    auto text = m_kind == ValueKind::Suppressed
                    ? ::wavelane::files::readRegular(path)
                    : ::wavelane::files::mapRegular(path);
    if (!text)
      return llvm::createStringError(text.getError().message());
    if (m_kind == ValueKind::Suppressed)
      return check::Suppressions().parse((*text)->getBuffer(), file.GetPath());
    return llvm::Error::success();
  }

  llvm::StringRef m_name;
  ValueKind m_kind;
};

/// Text that stands for a T.
/// \param name The setting's.
template <typename T> Status CheckText(const char *text, void *name) {
  T value;
  if (llvm::Error why = protocol::readText(text, value))
    return Refuse(static_cast<const char *>(name), text, std::move(why));
  return Status();
}

class ChecksValue : public Cloneable<ChecksValue, OptionValueString> {
public:
  explicit ChecksValue(void *name)
      : Cloneable(CheckText<protocol::CheckList>, name) {}

  /// Completes the last of the checks, by those that aren't in the list.
  void AutoComplete(CommandInterpreter &, CompletionRequest &request) override {
    const std::string prefix = request.GetCursorArgumentPrefix().str();
    auto [before, last] = llvm::StringRef(prefix).rsplit(',');
    if (!llvm::StringRef(prefix).contains(','))
      before = "";
    llvm::SmallVector<llvm::StringRef, 8> chosen;
    before.split(chosen, ',');
    for (llvm::StringRef word : check::listWords())
      if (!llvm::is_contained(chosen, word))
        request.TryCompleteCurrentArg(
            before.empty() ? word.str() : (before + "," + word).str());
  }
};

/// A list of suppressions.
class SuppressionsValue
    : public Cloneable<SuppressionsValue, OptionValueArray> {
public:
  explicit SuppressionsValue(void *name)
      : Cloneable(ConvertTypeToMask(OptionValue::eTypeString)), m_name(name) {}

  Status SetValueFromString(llvm::StringRef value,
                            VarSetOperationType op) override {
    const collection before = m_values;
    Status error = OptionValueArray::SetValueFromString(value, op);
    for (size_t i = 0; i < GetSize() && error.Success(); ++i)
      error = CheckLine(
          m_values[i]->GetValueAs<llvm::StringRef>().value_or("").str().c_str(),
          m_name);
    if (error.Fail())
      m_values = before;
    return error;
  }

  OptionValueSP GetSubValue(const ExecutionContext *exe_ctx,
                            llvm::StringRef name,
                            Status &error) const override {
    OptionValueSP value_sp =
        OptionValueArray::GetSubValue(exe_ctx, name, error);
    if (OptionValueString *line = value_sp ? value_sp->GetAsString() : nullptr)
      line->SetValidator(CheckLine, m_name);
    return value_sp;
  }

  void AutoComplete(CommandInterpreter &, CompletionRequest &request) override {
    for (check::CheckId id : check::AllChecks)
      request.TryCompleteCurrentArg(check::name(id));
    for (check::Kind kind : check::AllKinds)
      request.TryCompleteCurrentArg(check::name(kind));
  }

private:
  static Status CheckLine(const char *line, void *name) {
    if (llvm::Error why = check::Suppressions::check(line))
      return Refuse(static_cast<const char *>(name), line, std::move(why));
    return Status();
  }

  void *m_name;
};
} // namespace

static OptionValueSP MakeValue(const PropertyDefinition &definition,
                               const ValueRule &rule) {
  // Definitions have literals.
  void *const name = const_cast<char *>(definition.name);
  switch (definition.type) {
  case OptionValue::eTypeEnum:
    return std::make_shared<WordValue>(definition.name, definition.enum_values,
                                       int64_t(definition.default_uint_value));
  case OptionValue::eTypeBoolean:
    return std::make_shared<BooleanValue>(definition.name,
                                          definition.default_uint_value != 0);
  case OptionValue::eTypeUInt64:
    return std::make_shared<NumberValue>(definition.name,
                                         definition.default_uint_value, rule);
  case OptionValue::eTypeRegex:
    return std::make_shared<PatternValue>(definition.name,
                                          definition.default_cstr_value);
  case OptionValue::eTypeFileSpec:
    return std::make_shared<PathValue>(definition.name, rule.kind);
  case OptionValue::eTypeString:
    if (rule.kind == ValueKind::Checks)
      return std::make_shared<ChecksValue>(name);
    if (rule.kind == ValueKind::Launches)
      return std::make_shared<OptionValueString>(
          CheckText<protocol::LaunchList>, name);
    break;
  case OptionValue::eTypeArray:
    if (rule.kind == ValueKind::Suppressions)
      return std::make_shared<SuppressionsValue>(name);
    break;
  default:
    break;
  }
  llvm_unreachable("a new setting needs a rule for its values");
}

void StrictProperties::Add(const PropertyDefinitions &definitions,
                           llvm::function_ref<ValueRule(size_t)> get_rule) {
  for (size_t i = 0; i < definitions.size(); ++i)
    AppendProperty(definitions[i].name, definitions[i].description,
                   definitions[i].global,
                   MakeValue(definitions[i], get_rule(i)));
}

OptionValueSP StrictProperties::GetSubValue(const ExecutionContext *exe_ctx,
                                            llvm::StringRef name,
                                            Status &error) const {
  const llvm::StringRef key = name.substr(0, name.find_first_of(".[{"));
  if (!key.empty() && !GetValueForKey(exe_ctx, key)) {
    std::vector<llvm::StringRef> names;
    for (const Property &property : m_properties)
      names.push_back(property.GetName());
    error = Status::FromErrorStringWithFormatv("{0} has no setting '{1}'{2}",
                                               GetName(), key,
                                               words::didYouMean(key, names));
    return nullptr;
  }
  return OptionValueProperties::GetSubValue(exe_ctx, name, error);
}
