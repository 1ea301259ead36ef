//===-- SettingsMessages.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wavelane/Protocol/Server/SettingsMessages.h"

#include "wavelane/CommandLine/Words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace wavelane;
using namespace wavelane::protocol;

ArrayRef<Word<WantedDevice>> protocol::getWords(WantedDevice) {
  static constexpr Word<WantedDevice> Words[] = {
      {WantedDevice::Auto, "auto"},
      {WantedDevice::Simulated, "simulated"},
      {WantedDevice::Hardware, "hardware"},
  };
  return Words;
}

ArrayRef<Word<WantedRuntime>> protocol::getWords(WantedRuntime) {
  static constexpr Word<WantedRuntime> Words[] = {
      {WantedRuntime::Auto, "auto"},
      {WantedRuntime::Amd, "amd"},
      {WantedRuntime::Wavelane, "wavelane"},
  };
  return Words;
}

ArrayRef<Word<Exception>> protocol::getWords(Exception) {
  static constexpr Word<Exception> Words[] = {
      {Exception::Memory, "memory"},
      {Exception::Alu, "alu"},
      {Exception::LocalRange, "local-range"},
  };
  return Words;
}

json::Value protocol::toJSON(const CheckList &Value) {
  return check::listOf(Value.Bits);
}

json::Value protocol::toJSON(const LaunchList &Value) {
  std::string Text;
  for (const auto &[First, Last] : Value.Ranges)
    Text += (Text.empty() ? "" : ",") + std::to_string(First) +
            (First == Last ? "" : "-" + std::to_string(Last));
  return Text;
}

json::Value protocol::toJSON(const Pattern &Value) { return Value.Text; }
json::Value protocol::toJSON(const ServerPath &Value) { return Value.Path; }

//===-- Values ------------------------------------------------------------===//

static Error mustBe(const Twine &What) {
  return createStringError("it must be " + What);
}

Error protocol::readWord(StringRef Text, ArrayRef<StringRef> Words) {
  if (is_contained(Words, Text))
    return Error::success();
  return mustBe(words::join(Words, "or") + words::didYouMean(Text, Words));
}

Error protocol::readText(StringRef Text, CheckList &Out) {
  if (Text.empty()) {
    Out.Bits = 0;
    return Error::success();
  }
  Expected<unsigned> Bits = check::parseList(Text);
  if (!Bits)
    return Bits.takeError();
  Out.Bits = *Bits;
  return Error::success();
}

Error protocol::readText(StringRef Text, LaunchList &Out) {
  Out.Ranges.clear();
  if (Text.empty())
    return Error::success();
  Expected<check::LaunchRanges> Ranges = check::parseLaunches(Text);
  if (!Ranges)
    return Ranges.takeError();
  Out.Ranges = std::move(*Ranges);
  return Error::success();
}

Error protocol::readText(StringRef Text, Pattern &Out) {
  std::string Why;
  if (!Regex(Text).isValid(Why))
    return mustBe("a regular expression (" + Why + ")");
  Out.Text = Text.str();
  return Error::success();
}

Error protocol::readText(StringRef Text, ServerPath &Out) {
  if (Text.empty())
    return mustBe("a path");
  Out.Path = Text.str();
  return Error::success();
}

static Error mustBeNumber(uint64_t Least, uint64_t Most) {
  return mustBe("a number from " + Twine(Least) + " to " + Twine(Most));
}

Error protocol::readNumber(StringRef Text, uint64_t Least, uint64_t Most,
                           uint64_t &Out) {
  if (!to_integer(Text, Out) || Out < Least || Out > Most)
    return mustBeNumber(Least, Most);
  return Error::success();
}

std::string protocol::explainWrong(StringRef Value, Error Why) {
  return "is '" + Value.str() + "': " + toString(std::move(Why));
}

Error protocol::toError(ArrayRef<WrongSetting> Wrong) {
  std::string Text;
  for (const WrongSetting &Each : Wrong)
    Text += (Text.empty() ? "" : "; ") + Each.Name + " " + Each.Why;
  if (Text.empty())
    return Error::success();
  return createStringError(Text);
}

//===-- Messages ----------------------------------------------------------===//

template <typename T> static Error readValue(const json::Value &Value, T &Out) {
  const std::optional<StringRef> Text = Value.getAsString();
  if (!Text)
    return mustBe("text");
  return readText(*Text, Out);
}

static Error readValue(const json::Value &Value, bool &Out) {
  const std::optional<bool> Known = Value.getAsBoolean();
  if (!Known)
    return mustBe("true or false");
  Out = *Known;
  return Error::success();
}

template <uint64_t Most>
static Error readValue(const json::Value &Value, Limited<Most> &Out) {
  const std::optional<uint64_t> Number = Value.getAsUINT64();
  if (!Number || *Number > Most)
    return mustBeNumber(0, Most);
  Out.Value = *Number;
  return Error::success();
}

template <typename T>
static Error readValue(const json::Value &Value, std::vector<T> &Out) {
  const json::Array *List = Value.getAsArray();
  if (!List)
    return mustBe("a list");
  for (const json::Value &Each : *List)
    if (Error Wrong = readValue(Each, Out.emplace_back()))
      return Wrong;
  return Error::success();
}

namespace {
/// Reads fields, each of them alone.
class EachField {
public:
  EachField(const json::Object &From, std::vector<WrongSetting> &Wrong)
      : From(From), Wrong(Wrong) {}

  template <typename T>
  void operator()(StringLiteral Key, std::optional<T> &Field) {
    Known.push_back(Key);
    const json::Value *Value = From.get(Key);
    if (!Value)
      return;
    T Read{};
    if (Error Why = readValue(*Value, Read)) {
      const std::optional<StringRef> Text = Value->getAsString();
      Wrong.push_back({Key.str(), explainWrong(Text ? *Text : getText(*Value),
                                               std::move(Why))});
      return;
    }
    Field = std::move(Read);
  }

  /// What nothing was read for.
  void addUnknown() {
    for (const auto &Each : From)
      if (!is_contained(Known, StringRef(Each.first)))
        Wrong.push_back({Each.first.str(), "is unknown to lldb-server"});
  }

private:
  const json::Object &From;
  std::vector<WrongSetting> &Wrong;
  std::vector<StringRef> Known;
};
} // namespace

ServerSettings protocol::readSettings(const json::Object &From,
                                      std::vector<WrongSetting> &Wrong) {
  ServerSettings Settings;
  EachField Fields(From, Wrong);
  ServerSettings::map(Settings, Fields);
  Fields.addUnknown();
  return Settings;
}

bool ServerSettings::operator==(const ServerSettings &Other) const {
  return toJSON(*this) == toJSON(Other);
}
